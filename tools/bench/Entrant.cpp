//===-- Entrant.cpp - A contender and what is known of it -----------------===//

#include "tools/bench/Entrant.h"

namespace tilebench {
namespace {

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

} // namespace

Json describe(const Entrant &entrant) {
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

} // namespace tilebench
