//===- BankCounter.cpp - Wavefronts of shared memory accesses -------------===//
//
// Lanes of a warp mostly make the same accesses in the same order.  Each lane
// therefore walks along the list of requests that the first lane made; one
// that took another path looks a little ahead, or adds a request of its own.
//
//===----------------------------------------------------------------------===//

#include "compiler/Emulator/Machine/BankCounter.h"

#include <algorithm>

using namespace tilec::emulator;

static constexpr uint32_t banks = 32;
static constexpr uint32_t bankBytes = 4;

/// Wavefronts of the words in one phase: the largest number of distinct words
/// that fall into one bank.
static uint32_t countPhase(std::array<uint32_t, 128> &words, uint32_t count) {
  if (count == 0)
    return 0;
  // Without conflicts, which is the usual case, one pass is enough.
  std::array<uint32_t, banks> firstWord;
  uint32_t seen = 0;
  bool conflicts = false;
  for (uint32_t i = 0; i < count && !conflicts; ++i) {
    uint32_t bank = words[i] % banks;
    if (!(seen >> bank & 1)) {
      seen |= 1u << bank;
      firstWord[bank] = words[i];
    } else {
      conflicts = firstWord[bank] != words[i];
    }
  }
  if (!conflicts)
    return 1;
  std::sort(words.begin(), words.begin() + count);
  std::array<uint8_t, banks> perBank{};
  uint32_t most = 0;
  for (uint32_t i = 0; i < count; ++i) {
    if (i && words[i] == words[i - 1])
      continue;
    most = std::max<uint32_t>(most, ++perBank[words[i] % banks]);
  }
  return most;
}

Wavefronts
tilec::emulator::countWavefronts(const std::array<uint32_t, 32> &offsets,
                                 uint32_t mask, uint32_t bytes) {
  uint32_t lanesPerPhase = bytes <= 4 ? 32 : bytes <= 8 ? 16 : 8;
  Wavefronts result;
  std::array<uint32_t, 128> words;
  for (uint32_t first = 0; first < 32; first += lanesPerPhase) {
    uint32_t count = 0;
    for (uint32_t lane = first; lane < first + lanesPerPhase; ++lane) {
      if (!(mask >> lane & 1))
        continue;
      uint32_t begin = offsets[lane] / bankBytes;
      uint32_t end = (offsets[lane] + bytes - 1) / bankBytes;
      for (uint32_t word = begin; word <= end && count < words.size(); ++word)
        words[count++] = word;
    }
    if (uint32_t wavefronts = countPhase(words, count)) {
      result.total += wavefronts;
      result.conflicts += wavefronts - 1;
    }
  }
  return result;
}

void BankCounter::record(uint32_t site, uint32_t lane, uint32_t offset,
                         uint32_t bytes) {
  constexpr uint32_t lookAhead = 16;
  uint32_t bit = 1u << lane;
  uint32_t end = std::min<uint32_t>(static_cast<uint32_t>(requests.size()),
                                    cursors[lane] + lookAhead);
  for (uint32_t i = cursors[lane]; i < end; ++i) {
    Request &request = requests[i];
    if (request.site != site || request.bytes != bytes || (request.mask & bit))
      continue;
    request.mask |= bit;
    request.offsets[lane] = offset;
    cursors[lane] = i + 1;
    return;
  }
  if (requests.size() >= maxRequests)
    return;
  Request request{site, bytes, bit, {}};
  request.offsets[lane] = offset;
  requests.push_back(request);
  cursors[lane] = static_cast<uint32_t>(requests.size());
}

void BankCounter::flushRequests(std::vector<Wavefronts> &perSite) {
  for (const Request &request : requests)
    perSite[request.site] +=
        countWavefronts(request.offsets, request.mask, request.bytes);
  requests.clear();
  cursors.fill(0);
}
