//===- Warpgroup.cpp - Four warps that act as one -------------------------===//
//
// Tokens of results, and what the tensor cores read of shared memory.  A token
// is the prefix, five bits for the place, eight for its generation and seven
// for the register.
//
//===----------------------------------------------------------------------===//

#include "compiler/Emulator/Machine/Warpgroup.h"

#include "compiler/Emulator/Instructions/Instruction.h"

using namespace tilec;
using namespace tilec::emulator;

//===----------------------------------------------------------------------===//
// Tokens
//===----------------------------------------------------------------------===//

TensorCore::Results *TensorCore::find(uint32_t value, unsigned index) {
  if (!isToken(value) || value % maxRegisters != index)
    return nullptr;
  Results &results = places[value >> 15 & 31];
  bool isCurrent = results.product && index < results.registers &&
                   results.generation == (value >> 7 & (generations - 1));
  return isCurrent ? &results : nullptr;
}

TensorCore::Results *TensorCore::take(unsigned registers) {
  uint32_t finished = warps[0].finished;
  for (const WarpState &warp : warps)
    finished = std::min(finished, warp.finished);
  Results &oldest =
      *llvm::min_element(places, [](const Results &a, const Results &b) {
        return a.product < b.product;
      });
  if (oldest.product > finished)
    return nullptr;
  oldest.registers = registers;
  oldest.values.resize(size_t(registers) * threadsPerWarpgroup);
  return &oldest;
}

void TensorCore::renew(Results &results) {
  results.product = products;
  results.generation = (results.generation + 1) % generations;
}

uint32_t TensorCore::makeToken(const Results &results, unsigned index) const {
  return prefix << 20 | placeOf(results) << 15 | results.generation << 7 |
         index;
}

//===----------------------------------------------------------------------===//
// The block's part
//===----------------------------------------------------------------------===//

uint32_t Block::readByTensorCore(const Site &site, uint64_t offset,
                                 uint32_t bytes, ProxyReader &reader) {
  Thread &thread = threads[reader.threads.front()];
  uint32_t checked =
      checkSharedRange(thread, site, getSharedBase(thread.rank) + offset, bytes,
                       /*alignment=*/16, AccessKind::Load);
  tally.counters.sharedBytesRead += bytes;
  if (usesShadow())
    if (const ShadowFault *fault =
            shadow.readByProxy(checked, bytes, reader, ordering))
      failShadow(threads[reader.failing], site, *fault, AccessKind::Load,
                 checked, bytes);
  return checked;
}

void Block::prepareProduct(Warpgroup &group, const Site &site) {
  TensorCore &core = group.tensorCore;
  if (core.source == TensorCore::noSource)
    core.source = addSource(currentThread(), site,
                            {AsyncSource::TensorCore, group.index, 0});
  ++core.products;
}

void Block::waitForProducts(Warp &warp, uint32_t groupsLeft) {
  Warpgroup &group = getWarpgroup(warp);
  TensorCore &core = group.tensorCore;
  TensorCore::WarpState &state = core.warps[warp.index % warpsPerWarpgroup];
  // Registers may be touched from now on.
  state.isFenced = false;
  if (state.groupEnds.size() <= groupsLeft)
    return;
  size_t groups = state.groupEnds.size() - groupsLeft;
  state.finished = state.groupEnds[groups - 1];
  state.groupEnds.erase(state.groupEnds.begin(),
                        state.groupEnds.begin() + groups);
  if (core.source == TensorCore::noSource)
    return;
  AsyncSource &source = sources[core.source];
  source.finished = std::max(source.finished, state.finished);
  ordering.acquireSource(warp.index, core.source, state.finished);
}

/// The registers of a product are tied through a wait together, in any order,
/// which tells them from other words that happen to look like tokens.
void Block::resolveResults(const Thread &thread, uint64_t *words,
                           llvm::ArrayRef<unsigned> slots) {
  TensorCore &core = getWarpgroup(*thread.warp).tensorCore;
  uint32_t member = thread.index % threadsPerWarpgroup;
  uint32_t finished = core.warps[member / lanesPerWarp].finished;
  TensorCore::Counts counts{};
  auto visit = [&](auto body) {
    for (unsigned slot : slots) {
      auto word = static_cast<uint32_t>(words[slot]);
      unsigned index = word % TensorCore::maxRegisters;
      TensorCore::Results *results = core.find(word, index);
      if (results && results->product <= finished)
        body(words[slot], *results, index);
    }
  };
  visit([&](uint64_t &, TensorCore::Results &results, unsigned) {
    ++counts[core.placeOf(results)];
  });
  visit([&](uint64_t &word, TensorCore::Results &results, unsigned index) {
    if (counts[core.placeOf(results)] >= results.registers)
      word = results.at(member, index);
  });
}
