//===-- Session.cpp - Finds the fastest candidate of a bundle -------------===//

#include "compiler/Tune/Session.h"
#include "compiler/Tune/Progress.h"
#include "runtime/lib/Target.h"
#include "runtime/lib/Text.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <tuple>

using tilert::detail::join;

namespace tilec::tune {
namespace {

/// Beside the fastest in its first run, what may still win.
constexpr double hopeless = 1.3;
constexpr size_t mostTimed = 8;
/// A candidate that is not this much better than the compiler's own way is not
/// worth an entry that differs from it: times vary by as much.
constexpr double worthwhile = 0.99;

/// A candidate and what is known of it.
struct Entrant {
  const Candidate *candidate = nullptr;
  std::string failure;
  double figure = 0;
  gpu::Samples timing[gpu::stateCount];

  bool isRight() const { return failure.empty(); }
  bool isTimed() const { return !timing[0].us.empty(); }
};

std::string show(double figure, const char *unit) {
  char text[64];
  std::snprintf(text, sizeof text,
                std::string_view(unit) == "us" ? "%.2f %s" : "%.0f %s", figure,
                unit);
  return text;
}

/// Calls `work`, whose exceptions become the text that is returned.
std::string guard(const std::function<void()> &work) {
  try {
    work();
    return "";
  } catch (const std::exception &error) {
    return *error.what() ? error.what() : "it failed without saying why";
  }
}

/// A line that stays one.
std::string toLine(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

class Session {
public:
  Session(const Bundle &bundle, const std::string &gpu, Trials &trials,
          const SessionOptions &options)
      : bundle(bundle), gpu(gpu), trials(trials), options(options) {
    for (const Candidate &candidate : bundle.candidates)
      entrants.push_back({&candidate, "", 0, {}});
  }

  std::string run();

private:
  void checkAll();
  Outcome checkOnce(const Candidate &candidate);
  void timePromising();
  std::vector<Entrant *> choosePromising();
  /// Times until the child ends; true if all is done.
  bool timeTogether(std::vector<Entrant *> &entrants);
  Entrant *chooseWinner();
  TuneEntry makeEntry(const Entrant &winner) const;
  void printTitle() const;
  void printRanking();
  void printRefusals() const;

  /// Those that are right, the fastest first.
  std::vector<Entrant *> rank();
  Entrant *findDefault();

  const Bundle &bundle;
  const std::string &gpu;
  Trials &trials;
  const SessionOptions &options;
  std::vector<Entrant> entrants;
  Progress progress;
};

//===----------------------------------------------------------------------===//
// One by one
//===----------------------------------------------------------------------===//

Outcome Session::checkOnce(const Candidate &candidate) {
  Child child([&](const Tell &tell) {
    Outcome outcome;
    std::string failure = guard([&] { outcome = trials.check(candidate); });
    if (!failure.empty())
      outcome.failure = failure;
    tell(toLine(outcome.failure));
    char figure[64];
    std::snprintf(figure, sizeof figure, "%.17g", outcome.figure);
    tell(figure);
  });
  std::string failure, figure;
  Child::Event event = child.read(failure, options.trialSeconds);
  if (event == Child::Event::Line)
    event = child.read(figure, options.trialSeconds);
  if (event == Child::Event::Late)
    return {join("it did not end within ", int64_t(options.trialSeconds), " s"),
            0};
  if (event == Child::Event::End) {
    std::string end = child.describeEnd();
    return {end.empty() ? "it ended too early" : end, 0};
  }
  return {failure, std::atof(figure.c_str())};
}

void Session::checkAll() {
  for (Entrant &entrant : entrants) {
    progress.show(join("running ", &entrant - entrants.data() + 1, " of ",
                       entrants.size(), ": ", entrant.candidate->describe()));
    Outcome outcome = checkOnce(*entrant.candidate);
    entrant.failure = outcome.failure;
    entrant.figure = outcome.figure;
  }
}

//===----------------------------------------------------------------------===//
// Against each other
//===----------------------------------------------------------------------===//

std::vector<Entrant *> Session::rank() {
  std::vector<Entrant *> right;
  for (Entrant &entrant : entrants)
    if (entrant.isRight())
      right.push_back(&entrant);
  // What was timed comes first: other figures are rough.
  std::sort(right.begin(), right.end(), [](Entrant *a, Entrant *b) {
    return std::tuple(!a->isTimed(), a->figure, a) <
           std::tuple(!b->isTimed(), b->figure, b);
  });
  return right;
}

Entrant *Session::findDefault() {
  for (Entrant &entrant : entrants)
    if (entrant.candidate->isDefault())
      return &entrant;
  return nullptr;
}

std::vector<Entrant *> Session::choosePromising() {
  std::vector<Entrant *> right = rank(), chosen;
  for (Entrant *entrant : right)
    if (chosen.size() < mostTimed &&
        entrant->figure <= hopeless * right[0]->figure)
      chosen.push_back(entrant);
  Entrant *own = findDefault();
  if (own && own->isRight() &&
      std::find(chosen.begin(), chosen.end(), own) == chosen.end())
    chosen.push_back(own);
  return chosen;
}

bool Session::timeTogether(std::vector<Entrant *> &timed) {
  std::vector<const Candidate *> candidates;
  for (Entrant *entrant : timed) {
    candidates.push_back(entrant->candidate);
    for (gpu::Samples &samples : entrant->timing)
      samples.us.clear();
  }
  Child child([&](const Tell &tell) {
    std::string failure = guard([&] {
      trials.time(
          candidates, options.rounds,
          [&](size_t i) { tell(join("begin ", i)); },
          [&](const TimedSample &sample) {
            char text[96];
            std::snprintf(text, sizeof text, "sample %zu %d %.17g",
                          sample.candidate, int(sample.state), sample.us);
            tell(text);
          });
    });
    tell(failure.empty() ? "done" : "failed " + toLine(failure));
  });

  size_t current = 0, samples = 0;
  std::string line, failure;
  while (true) {
    Child::Event event = child.read(line, options.trialSeconds);
    if (event == Child::Event::Late) {
      failure = join("timed, it did not end within ",
                     int64_t(options.trialSeconds), " s");
      break;
    }
    if (event == Child::Event::End) {
      failure = join("timed, ", child.describeEnd());
      break;
    }
    size_t index = 0;
    int state = 0;
    double us = 0;
    if (line == "done")
      return true;
    if (line.starts_with("failed ")) {
      failure = line.substr(7);
      break;
    }
    if (std::sscanf(line.c_str(), "begin %zu", &index) == 1)
      current = std::min(index, timed.size() - 1);
    if (std::sscanf(line.c_str(), "sample %zu %d %lf", &index, &state, &us) ==
            3 &&
        index < timed.size() && state >= 0 && state < gpu::stateCount) {
      timed[index]->timing[state].us.push_back(us);
      if (++samples % timed.size() == 0)
        progress.show(join("timing ", timed.size(), " candidates: round ",
                           samples / timed.size(), " of ",
                           gpu::stateCount * options.rounds));
    }
  }
  timed[current]->failure = failure;
  for (gpu::Samples &lost : timed[current]->timing)
    lost.us.clear();
  timed.erase(timed.begin() + ptrdiff_t(current));
  return false;
}

void Session::timePromising() {
  std::vector<Entrant *> timed = choosePromising();
  while (!timed.empty() && !timeTogether(timed))
    ;
  for (Entrant *entrant : timed) {
    double product = 1;
    for (const gpu::Samples &samples : entrant->timing)
      product *= gpu::median(samples.us);
    entrant->figure = std::pow(product, 1. / gpu::stateCount);
  }
}

//===----------------------------------------------------------------------===//
// The winner
//===----------------------------------------------------------------------===//

Entrant *Session::chooseWinner() {
  while (true) {
    std::vector<Entrant *> ranking = rank();
    if (ranking.empty())
      return nullptr;
    Entrant *winner = ranking[0], *own = findDefault();
    if (own && own->isRight() && own->isTimed() == winner->isTimed() &&
        winner->figure > worthwhile * own->figure)
      winner = own;
    progress.show(join("checking ", winner->candidate->describe()));
    Outcome again = checkOnce(*winner->candidate);
    if (again.failure.empty())
      return winner;
    winner->failure = "run again, " + again.failure;
  }
}

TuneEntry Session::makeEntry(const Entrant &winner) const {
  TuneEntry entry;
  entry.key = bundle.key;
  entry.key.gpu = gpu;
  entry.definitions = winner.candidate->definitions;
  entry.settings = winner.candidate->settings;
  entry.config = winner.candidate->config;
  auto describe = [&](const Entrant &entrant) {
    if (!entrant.isTimed())
      return Json{{trials.getUnit(), entrant.figure}};
    Json json;
    for (int i = 0; i < gpu::stateCount; ++i)
      json[std::string(gpu::stateNames[i]) + "_us"] =
          gpu::median(entrant.timing[i].us);
    return json;
  };
  entry.measured = {{"sizes", bundle.sizes},
                    {"candidates", bundle.candidates.size()},
                    {"winner", describe(winner)}};
  for (const Entrant &entrant : entrants)
    if (entrant.candidate->isDefault() && entrant.isRight())
      entry.measured["default"] = describe(entrant);
  return entry;
}

//===----------------------------------------------------------------------===//
// Output
//===----------------------------------------------------------------------===//

void Session::printTitle() const {
  std::string text = join("kernel ", bundle.key.kernel, " for ",
                          bundle.key.target, " on ", gpu);
  for (const auto &[name, size] : bundle.sizes)
    text += join(", ", name, " = ", size);
  std::fprintf(options.output, "%s\n", text.c_str());
}

void Session::printRanking() {
  size_t right = size_t(std::count_if(entrants.begin(), entrants.end(),
                                      [](auto &one) { return one.isRight(); }));
  std::fprintf(options.output, "%zu candidate%s, %zu of them right\n",
               entrants.size(), entrants.size() == 1 ? "" : "s", right);
  std::vector<Entrant *> ranking = rank();
  bool isTimed = trials.isTimed();
  if (isTimed && right)
    std::fprintf(options.output, "  %10s  %12s\n", "burst", "sustained");
  for (const Entrant *entrant : ranking) {
    std::string times;
    if (entrant->isTimed()) {
      char text[64];
      std::snprintf(text, sizeof text, "%7.2f us  %9.2f us",
                    gpu::median(entrant->timing[0].us),
                    gpu::median(entrant->timing[1].us));
      times = text;
    } else {
      times =
          (isTimed ? "about " : "") + show(entrant->figure, trials.getUnit());
    }
    std::fprintf(options.output, "  %-24s  %s\n", times.c_str(),
                 entrant->candidate->describe().c_str());
  }
  for (const Entrant &entrant : entrants)
    if (!entrant.isRight())
      std::fprintf(options.output, "  failed: %s: %s\n",
                   entrant.candidate->describe().c_str(),
                   entrant.failure.c_str());
}

void Session::printRefusals() const {
  for (const Refusal &refusal : bundle.refusals)
    std::fprintf(options.output, "  refused: %lld of them, as %s: %s\n",
                 (long long)refusal.count, refusal.example.c_str(),
                 refusal.reason.c_str());
}

std::string Session::run() {
  if (bundle.candidates.empty())
    return "the bundle has no candidates";
  // What would be lost at the end is refused before the work.
  std::vector<TuneEntry> present;
  if (std::string error = readTuneFile(options.path, present); !error.empty())
    return error;
  checkAll();
  if (trials.isTimed())
    timePromising();
  Entrant *winner = chooseWinner();
  progress.clear();
  printTitle();
  printRanking();
  printRefusals();
  std::fflush(options.output);
  if (!winner)
    return "no candidate gave right results";
  if (std::string error = addToTuneFile(options.path, makeEntry(*winner));
      !error.empty())
    return error;
  std::string verdict;
  const Entrant *own = findDefault();
  if (own && own != winner && own->isRight() && winner->figure > 0) {
    char text[96];
    std::snprintf(text, sizeof text,
                  trials.isTimed() ? ", %.3f times as fast as the default"
                                   : "; the default takes %.3f times as many",
                  own->figure / winner->figure);
    verdict = text;
  }
  std::fprintf(options.output, "fastest: %s%s\nwrote %s\n",
               winner->candidate->describe().c_str(), verdict.c_str(),
               options.path.c_str());
  std::fflush(options.output);
  return "";
}

} // namespace

std::string runSession(const Bundle &bundle, const std::string &gpu,
                       Trials &trials, const SessionOptions &options) {
  return Session(bundle, gpu, trials, options).run();
}

/// Why the candidates do not run on a device; empty if they do.
static std::string checkDevice(const Bundle &bundle,
                               const DeviceAnswer &device) {
  using namespace tilert::detail;
  std::optional<Target> target = parseTarget(bundle.key.target);
  if (!target)
    return join("the candidates are for an unknown target, '",
                bundle.key.target, '\'');
  Status status = checkTarget(*target, bundle.key.target,
                              device.capability / 10, device.capability % 10);
  return status.isOk() ? "" : "the candidates are " + status.message();
}

std::string runCudaSession(const std::string &folder, const Bundle &bundle,
                           const DeviceAnswer &device,
                           const SessionOptions &options) {
  if (bundle.isForEmulator)
    return join("the candidates in '", folder, "' are for the emulator");
  if (!device.error.empty())
    return "there is no GPU to measure on: " + device.error;
  if (std::string error = checkDevice(bundle, device); !error.empty())
    return error;
  return runSession(bundle, device.name, *makeCudaTrials(folder, bundle),
                    options);
}

} // namespace tilec::tune
