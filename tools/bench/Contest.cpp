//===-- Contest.cpp - Finds and times the fastest of each side ------------===//

#include "tools/bench/Contest.h"

#include <algorithm>

using tilec::gpu::visitInRandomOrder;

namespace tilebench {
namespace {

constexpr int briefRounds = 3;
// Of each side, after the brief series; with --quick.
constexpr size_t mostCandidates = 5, mostCandidatesQuick = 3;
constexpr double hopeless = 1.2; // times the fastest
constexpr size_t finalists = 2;
constexpr int choosingRounds = 3, choosingRoundsQuick = 1;
constexpr int timingRounds = 11, timingRoundsQuick = 4;

template <typename Key> void sortBy(std::vector<Entrant *> &side, Key &&key) {
  std::sort(side.begin(), side.end(),
            [&](Entrant *a, Entrant *b) { return key(*a) < key(*b); });
}

void dropFailed(std::vector<Entrant *> &side) {
  std::erase_if(side, [](Entrant *one) { return !one->isRight(); });
}

} // namespace

std::vector<Entrant *> Contest::run(const std::vector<Entrant *> &peers,
                                    const std::vector<Entrant *> &kernels) {
  std::vector<Entrant *> chosen;
  for (const auto &side : {peers, kernels})
    for (Entrant *entrant : chooseByStates(chooseByBriefSeries(side)))
      chosen.push_back(entrant);
  // What an application gets that does not measure for itself.
  if (!peers.empty() &&
      std::find(chosen.begin(), chosen.end(), peers[0]) == chosen.end())
    for (Entrant *entrant : keepRight({peers[0]}))
      chosen.push_back(entrant);
  int rounds = options.rounds    ? options.rounds
               : options.isQuick ? timingRoundsQuick
                                 : timingRounds;
  measure(chosen, rounds, &Entrant::timing);
  dropFailed(chosen);
  return chosen;
}

std::vector<Entrant *>
Contest::chooseByBriefSeries(std::vector<Entrant *> side) {
  for (Entrant *entrant : side)
    entrant->failure = attempt(entrant->contender.name, [&] {
      entrant->estimate = stopwatch.estimate(entrant->contender.launch);
    });
  dropFailed(side);
  if (side.size() <= finalists)
    return side;
  visitInRandomOrder(side.size(), briefRounds, random, [&](size_t i) {
    Entrant &entrant = *side[i];
    if (entrant.isRight())
      entrant.failure = attempt(entrant.contender.name, [&] {
        entrant.brief.push_back(stopwatch.measureBriefly(
            entrant.contender.launch, entrant.estimate));
      });
  });
  dropFailed(side);
  sortBy(side, [](const Entrant &one) { return median(one.brief); });
  size_t most = options.isQuick ? mostCandidatesQuick : mostCandidates;
  while (side.size() > most ||
         (side.size() > 1 &&
          median(side.back()->brief) > hopeless * median(side[0]->brief)))
    side.pop_back();
  return side;
}

/// The fastest in each state; the same one in both makes room for the next.
std::vector<Entrant *> Contest::chooseByStates(std::vector<Entrant *> side) {
  side = keepRight(std::move(side));
  if (side.size() <= finalists)
    return side;
  measure(side, options.isQuick ? choosingRoundsQuick : choosingRounds,
          &Entrant::choosing);
  dropFailed(side);
  std::vector<Entrant *> chosen;
  for (int state = 0; state < stateCount; ++state) {
    sortBy(side,
           [&](const Entrant &one) { return median(one.choosing[state].us); });
    for (Entrant *entrant : side)
      if (std::find(chosen.begin(), chosen.end(), entrant) == chosen.end()) {
        chosen.push_back(entrant);
        break;
      } else if (state + 1 < stateCount) {
        break;
      }
  }
  return chosen;
}

/// Without algorithms of cuBLASLt that turn out to be wrong; kernels have been
/// checked.
std::vector<Entrant *> Contest::keepRight(std::vector<Entrant *> side) {
  for (Entrant *entrant : side)
    if (entrant->contender.isPeer && entrant->error < 0)
      check(*entrant);
  dropFailed(side);
  return side;
}

void Contest::measure(const std::vector<Entrant *> &side, int rounds,
                      Samples (Entrant::*where)[stateCount]) {
  for (int i = 0; i < stateCount; ++i)
    visitInRandomOrder(side.size(), rounds, random, [&](size_t j) {
      Entrant &entrant = *side[j];
      if (entrant.isRight())
        entrant.failure = attempt(entrant.contender.name, [&] {
          stopwatch.measure(State(i), entrant.contender.launch,
                            entrant.estimate, (entrant.*where)[i]);
        });
    });
}

} // namespace tilebench
