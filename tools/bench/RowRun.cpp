//===-- RowRun.cpp - Checks and times one row of a table ------------------===//
//
// 1. Kernels are checked at the small products of the row, if it has any.
// 2. All contenders are made, and the kernels checked at the product itself.
// 3. Brief series in random order leave the few fastest kernels and algorithms
//    of cuBLASLt; then a few rounds in both power states choose two of each.
// 4. These are timed in both states, in many rounds of random order.
// 5. Each is checked again, with every set of buffers.
//
//===----------------------------------------------------------------------===//

#include "tools/bench/RowRun.h"
#include "runtime/lib/Text.h"
#include "tilert/tilert.hpp"
#include "tools/bench/Stopwatch.h"

#include <algorithm>
#include <filesystem>
#include <string_view>

using tilert::detail::join;

namespace tilebench {
namespace {

constexpr int64_t sampledRows = 128;       // and columns, of a large product
constexpr int64_t checkedExtent = 1 << 11; // all of a small one
constexpr int briefRounds = 3;
// Of each side, after the brief series; with --quick.
constexpr size_t mostCandidates = 5, mostCandidatesQuick = 3;
constexpr double hopeless = 1.2; // times the fastest
constexpr size_t finalists = 2;

size_t hashBytes(const HostMatrix &matrix) {
  return std::hash<std::string_view>()(
      {reinterpret_cast<const char *>(matrix.bytes.data()),
       matrix.bytes.size()});
}

/// A contender with what is known of it.
struct Entrant {
  Contender contender;
  std::string failure;
  double error = -1;
  size_t resultHash = 0;
  double estimate = 0;
  std::vector<double> brief;
  Samples choosing[stateCount], timing[stateCount];

  bool isRight() const { return failure.empty(); }
};

Json describeSamples(const Samples &samples) {
  Json json = {{"median_us", median(samples.us)},
               {"spread", spread(samples.us)},
               {"samples_us", samples.us}};
  if (!samples.clockMhz.empty()) {
    json["clock_mhz"] = median(samples.clockMhz);
    json["watts"] = median(samples.watts);
  }
  return json;
}

Json describeEntrant(const Entrant &entrant) {
  const Contender &contender = entrant.contender;
  Json json = {{"name", contender.name}, {"peer", contender.isPeer}};
  if (!contender.note.empty())
    json["note"] = contender.note;
  if (!contender.facts.empty())
    json["facts"] = contender.facts;
  if (entrant.error >= 0)
    json["error"] = entrant.error;
  if (!entrant.failure.empty())
    json["failure"] = entrant.failure;
  if (!entrant.brief.empty())
    json["brief_us"] = median(entrant.brief);
  for (int i = 0; i < stateCount; ++i)
    if (!entrant.timing[i].us.empty())
      json[stateNames[i]] = describeSamples(entrant.timing[i]);
  return json;
}

class RowRunner {
public:
  RowRunner(const Machine &machine, const Row &row,
            const std::map<std::string, std::string> &excluded,
            const std::function<void(const std::string &)> &announce)
      : machine(machine), row(row), excluded(excluded), announce(announce),
        random(machine.seed) {}

  Json run() {
    for (const auto &[name, failure] : excluded)
      addFailure(name, failure, name.rfind("cuBLASLt", 0) == 0);
    for (const Shape &shape : row.checks)
      checkKernels(shape);
    announce("");
    problem.emplace(machine.device, row.work, row.shape, machine.seed,
                    /*isTimed=*/true);
    reference.emplace(row.work, row.shape, problem->inputs(), sampledRows,
                      machine.seed);
    makePeers();
    makeKernels();
    timeAll();
    return describe();
  }

private:
  void addFailure(const std::string &name, const std::string &failure,
                  bool isPeer) {
    auto entrant = std::make_unique<Entrant>();
    entrant->contender.name = name;
    entrant->contender.isPeer = isPeer;
    entrant->failure = failure;
    entrants.push_back(std::move(entrant));
  }

  bool hasFailed(const std::string &name) const {
    return std::any_of(entrants.begin(), entrants.end(), [&](const auto &one) {
      return one->contender.name == name && !one->isRight();
    });
  }

  /// Does something with a contender and gives what went wrong. Contenders that
  /// ruin the device end the process.
  template <typename Body>
  std::string attempt(const std::string &name, Body &&body) {
    announce(name);
    std::string failure;
    try {
      body();
      machine.device.synchronize();
      return "";
    } catch (const std::exception &error) {
      failure = error.what();
    }
    const auto &driver = machine.device.driver();
    if (!TILERT_CALL(driver, cuCtxSynchronize).isOk())
      throw RuinedError(failure);
    return failure;
  }

  bool isWanted(const std::string &kernel) const {
    const auto &texts = machine.options.kernels;
    return texts.empty() ||
           std::any_of(texts.begin(), texts.end(), [&](const auto &text) {
             return kernel.find(text) != kernel.npos;
           });
  }

  /// Calls visit(name, contender) for each kernel of the row that is made for
  /// the product and has not failed.
  template <typename Visit>
  void visitKernels(const Problem &product, Visit &&visit) {
    for (const std::string &name : row.kernels) {
      if (!isWanted(name) || hasFailed(name))
        continue;
      std::string manifest = machine.options.artifacts + "/" + name + ".json";
      if (!std::filesystem::exists(manifest)) {
        addFailure(name,
                   join("there is no ", manifest,
                        ": tools/bench/compile --table makes it"),
                   /*isPeer=*/false);
        continue;
      }
      std::optional<Contender> contender;
      std::string failure = attempt(name, [&] {
        contender = bindKernel(name, machine.options.artifacts, product);
      });
      if (!failure.empty())
        addFailure(name, failure, /*isPeer=*/false);
      else if (contender)
        visit(std::move(*contender));
    }
  }

  void checkKernels(const Shape &shape) {
    Problem product(machine.device, row.work, shape, machine.seed,
                    /*isTimed=*/false);
    Reference right(row.work, shape, product.inputs(), checkedExtent,
                    machine.seed);
    visitKernels(product, [&](Contender contender) {
      Entrant entrant;
      entrant.contender = std::move(contender);
      check(entrant, product, right, nullptr);
      if (!entrant.isRight())
        addFailure(entrant.contender.name,
                   join("at ", shape.text(), ": ", entrant.failure),
                   /*isPeer=*/false);
    });
  }

  /// Runs it once, twice if it must give the same bits, on a poisoned result.
  void check(Entrant &entrant, const Problem &product, const Reference &right,
             const HostMatrix *other) {
    entrant.failure = attempt(entrant.contender.name, [&] {
      HostMatrix result = compute(entrant.contender, product, 0);
      Reference::Outcome outcome = right.check(result);
      entrant.error = outcome.error;
      if (outcome.failure.empty() && other)
        outcome = right.checkAgainst(result, *other);
      if (!outcome.failure.empty())
        throw std::runtime_error(outcome.failure);
      entrant.resultHash = hashBytes(result);
      if (entrant.contender.isPeer)
        return;
      if (hashBytes(compute(entrant.contender, product, 0)) !=
          entrant.resultHash)
        throw std::runtime_error("two launches on the same data gave different "
                                 "bits");
    });
  }

  HostMatrix compute(const Contender &contender, const Problem &product,
                     size_t set) const {
    product.poison(product.sets()[set]);
    contender.launch(set);
    return product.readResult(product.sets()[set]);
  }

  void makePeers() {
    if (!machine.peers || hasFailed("cuBLASLt"))
      return;
    std::vector<Contender> found;
    std::string failure =
        attempt("cuBLASLt", [&] { found = machine.peers->list(*problem); });
    if (!failure.empty())
      return addFailure("cuBLASLt", failure, /*isPeer=*/true);
    for (Contender &contender : found) {
      if (hasFailed(contender.name))
        continue;
      auto entrant = std::make_unique<Entrant>();
      entrant->contender = std::move(contender);
      // The first right result is what kernels are compared with in full.
      if (!peerResult) {
        check(*entrant, *problem, *reference, nullptr);
        if (entrant->isRight())
          peerResult = problem->readResult(problem->sets()[0]);
      }
      entrants.push_back(std::move(entrant));
    }
  }

  void makeKernels() {
    visitKernels(*problem, [&](Contender contender) {
      auto entrant = std::make_unique<Entrant>();
      entrant->contender = std::move(contender);
      check(*entrant, *problem, *reference,
            peerResult ? &*peerResult : nullptr);
      entrants.push_back(std::move(entrant));
    });
  }

  void timeAll() {
    bool flushes = row.flushesCache || machine.options.flushesCache;
    stopwatch.emplace(machine.device, machine.nvml, problem->sets().size(),
                      flushes);
    std::vector<Entrant *> chosen;
    for (bool isPeer : {true, false}) {
      std::vector<Entrant *> side;
      for (const auto &entrant : entrants)
        if (entrant->isRight() && entrant->contender.isPeer == isPeer)
          side.push_back(entrant.get());
      side = chooseByBriefSeries(side);
      side = chooseByStates(side);
      chosen.insert(chosen.end(), side.begin(), side.end());
    }
    int rounds = machine.options.rounds    ? machine.options.rounds
                 : machine.options.isQuick ? 4
                                           : 11;
    measure(chosen, rounds, &Entrant::timing);
    for (Entrant *entrant : chosen)
      recheck(*entrant);
  }

  /// The fastest in brief series. Those that fail drop out.
  std::vector<Entrant *> chooseByBriefSeries(std::vector<Entrant *> side) {
    for (Entrant *entrant : side)
      entrant->failure = attempt(entrant->contender.name, [&] {
        entrant->estimate = stopwatch->estimate(entrant->contender);
      });
    std::erase_if(side, [](Entrant *one) { return !one->isRight(); });
    if (side.size() <= finalists)
      return side;
    visitInRandomOrder(side.size(), briefRounds, random, [&](size_t i) {
      announce(side[i]->contender.name);
      side[i]->brief.push_back(
          stopwatch->measureBriefly(side[i]->contender, side[i]->estimate));
    });
    sortBy(side, [](const Entrant &one) { return median(one.brief); });
    double fastest = median(side[0]->brief);
    size_t most =
        machine.options.isQuick ? mostCandidatesQuick : mostCandidates;
    while (side.size() > most ||
           median(side.back()->brief) > hopeless * fastest)
      side.pop_back();
    return side;
  }

  /// The fastest in each state.
  std::vector<Entrant *> chooseByStates(const std::vector<Entrant *> &side) {
    if (side.size() <= finalists)
      return keepRight(side);
    measure(side, machine.options.isQuick ? 1 : 3, &Entrant::choosing);
    std::vector<Entrant *> chosen;
    for (int state = 0; state < stateCount; ++state) {
      std::vector<Entrant *> order = keepRight(side);
      sortBy(order, [&](const Entrant &one) {
        return median(one.choosing[state].us);
      });
      // The same one in both states makes room for the next.
      for (Entrant *entrant : order)
        if (std::find(chosen.begin(), chosen.end(), entrant) == chosen.end()) {
          chosen.push_back(entrant);
          break;
        } else if (state + 1 < stateCount || order.size() == 1) {
          break;
        }
    }
    return chosen;
  }

  /// Without algorithms of cuBLASLt that turn out to be wrong; kernels have
  /// been checked.
  std::vector<Entrant *> keepRight(std::vector<Entrant *> side) {
    for (Entrant *entrant : side)
      if (entrant->contender.isPeer && entrant->error < 0)
        check(*entrant, *problem, *reference, nullptr);
    std::erase_if(side, [](Entrant *one) { return !one->isRight(); });
    return side;
  }

  template <typename Key>
  static void sortBy(std::vector<Entrant *> &side, Key &&key) {
    std::sort(side.begin(), side.end(),
              [&](Entrant *a, Entrant *b) { return key(*a) < key(*b); });
  }

  void measure(const std::vector<Entrant *> &side, int rounds,
               Samples (Entrant::*where)[stateCount]) {
    for (int i = 0; i < stateCount; ++i)
      visitInRandomOrder(side.size(), rounds, random, [&](size_t j) {
        Entrant &entrant = *side[j];
        announce(entrant.contender.name);
        stopwatch->measure(State(i), entrant.contender, entrant.estimate,
                           (entrant.*where)[i]);
      });
  }

  void recheck(Entrant &entrant) {
    std::string failure = attempt(entrant.contender.name, [&] {
      for (size_t set = 0; set < problem->sets().size(); ++set) {
        HostMatrix result = compute(entrant.contender, *problem, set);
        if (!entrant.contender.isPeer &&
            hashBytes(result) != entrant.resultHash)
          throw std::runtime_error(join("other bits than before, with set ",
                                        set, " of the buffers"));
        Reference::Outcome outcome = reference->check(result);
        if (!outcome.failure.empty())
          throw std::runtime_error(outcome.failure);
      }
    });
    if (!failure.empty())
      entrant.failure = join("after timing: ", failure);
  }

  Json describe() const {
    const Shape &shape = row.shape;
    Json json = {{"name", row.name},
                 {"shape", {shape.m, shape.n, shape.k}},
                 {"operations", shape.operations()},
                 {"required",
                  {{"both", row.required.both}, {"best", row.required.best}}},
                 {"buffer_sets", problem->sets().size()},
                 {"flush_l2", row.flushesCache || machine.options.flushesCache},
                 {"contenders", Json::array()}};
    for (const auto &entrant : entrants)
      json["contenders"].push_back(describeEntrant(*entrant));
    return json;
  }

  const Machine &machine;
  const Row &row;
  const std::map<std::string, std::string> &excluded;
  const std::function<void(const std::string &)> &announce;
  std::mt19937_64 random;
  std::optional<Problem> problem;
  std::optional<Reference> reference;
  std::optional<HostMatrix> peerResult;
  std::optional<Stopwatch> stopwatch;
  std::vector<std::unique_ptr<Entrant>> entrants;
};

} // namespace

Json runRow(const Machine &machine, const Row &row,
            const std::map<std::string, std::string> &excluded,
            const std::function<void(const std::string &)> &announce) {
  return RowRunner(machine, row, excluded, announce).run();
}

} // namespace tilebench
