//===-- RowRun.cpp - Checks and times one row of a table ------------------===//
//
// 1. Kernels are checked at the small products of the row, if it has any.
// 2. All contenders are made, and the kernels checked at the product itself.
// 3. The fastest of them are found and timed (Contest.h).
// 4. These are checked again, with every set of buffers.
//
//===----------------------------------------------------------------------===//

#include "tools/bench/RowRun.h"
#include "runtime/lib/Text.h"
#include "tilert/tilert.hpp"
#include "tools/bench/Contest.h"

#include <algorithm>
#include <filesystem>
#include <string_view>

using tilert::detail::join;

namespace tilebench {
namespace {

constexpr int64_t sampledRows = 128;       // and columns, of a large product
constexpr int64_t checkedExtent = 1 << 11; // all of a small one

size_t hashBytes(const HostMatrix &matrix) {
  return std::hash<std::string_view>()(
      {reinterpret_cast<const char *>(matrix.bytes.data()),
       matrix.bytes.size()});
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
  std::string attempt(const std::string &name,
                      const std::function<void()> &body) {
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
    Stopwatch stopwatch(machine.device, machine.nvml, problem->sets().size(),
                        flushes);
    Contest contest(
        stopwatch, random, machine.options,
        [this](const std::string &name, const std::function<void()> &body) {
          return attempt(name, body);
        },
        [this](Entrant &peer) { check(peer, *problem, *reference, nullptr); });
    std::vector<Entrant *> peers, kernels;
    for (const auto &entrant : entrants)
      if (entrant->isRight())
        (entrant->contender.isPeer ? peers : kernels).push_back(entrant.get());
    for (Entrant *entrant : contest.run(peers, kernels))
      recheck(*entrant);
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
      json["contenders"].push_back(tilebench::describe(*entrant));
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
  std::vector<std::unique_ptr<Entrant>> entrants;
};

} // namespace

Json runRow(const Machine &machine, const Row &row,
            const std::map<std::string, std::string> &excluded,
            const std::function<void(const std::string &)> &announce) {
  return RowRunner(machine, row, excluded, announce).run();
}

} // namespace tilebench
