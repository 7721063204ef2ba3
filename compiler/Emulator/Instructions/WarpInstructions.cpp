//===- WarpInstructions.cpp - Exchange between lanes ----------------------===//
//
// shfl, vote, redux, match, elect and bar.warp.sync.  In PTX the member mask
// is the last operand; in the intrinsics it is the first, except for redux.
//
//===----------------------------------------------------------------------===//

#include "compiler/Emulator/Instructions/Instruction.h"
#include "compiler/Emulator/Instructions/NumberFormats.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tilec;
using namespace tilec::emulator;

/// Calls `body` with each lane of a mask.
template <typename Body> static void forEachLane(uint32_t mask, Body body) {
  for (; mask; mask &= mask - 1)
    body(static_cast<uint32_t>(llvm::countr_zero(mask)));
}

//===----------------------------------------------------------------------===//
// shfl
//===----------------------------------------------------------------------===//

enum class ShuffleMode : uint32_t { Index, Up, Down, Butterfly };

/// The source lane of `lane`, and whether it lies in its segment (PTX ISA,
/// shfl.sync).
static std::pair<uint32_t, bool> findSourceLane(ShuffleMode mode, uint32_t lane,
                                                uint32_t b, uint32_t c) {
  uint32_t clamp = c & 31, segment = c >> 8 & 31;
  uint32_t highest = (lane & segment) | (clamp & ~segment);
  uint32_t lowest = lane & segment;
  b &= 31;
  switch (mode) {
  case ShuffleMode::Up: {
    int source = static_cast<int>(lane) - static_cast<int>(b);
    return {static_cast<uint32_t>(source), source >= static_cast<int>(highest)};
  }
  case ShuffleMode::Down:
    return {lane + b, lane + b <= highest};
  case ShuffleMode::Butterfly:
    return {lane ^ b, (lane ^ b) <= highest};
  case ShuffleMode::Index: {
    uint32_t source = lowest | (b & ~segment & 31);
    return {source, source <= highest};
  }
  }
  llvm_unreachable("all modes are handled");
}

/// Parameters: mode, first data argument, whether a predicate is returned.
static void runShuffle(const WarpCall &call) {
  const Operation &operation = call.operation;
  auto mode = static_cast<ShuffleMode>(operation.parameters[0]);
  unsigned data = operation.parameters[1];
  std::array<uint64_t, lanesPerWarp> values{};
  forEachLane(call.mask,
              [&](uint32_t lane) { values[lane] = call.argument(lane, data); });
  forEachLane(call.mask, [&](uint32_t lane) {
    auto [source, isInside] = findSourceLane(
        mode, lane, static_cast<uint32_t>(call.argument(lane, data + 1)),
        static_cast<uint32_t>(call.argument(lane, data + 2)));
    if (!isInside)
      source = lane;
    if (!(call.mask >> source & 1)) {
      Block &block = *call.warp.block;
      block.fail(call.warp.thread(lane),
                 EmulationErrorKind::DivergentCollective, *operation.site,
                 llvm::formatv("'{0}': lane {1} reads from lane {2}, which "
                               "takes no part (member mask {3:x})",
                               operation.site->text, lane, source, call.mask)
                     .str());
    }
    call.result(lane, 0) = static_cast<uint32_t>(values[source]);
    if (operation.results > 1)
      call.result(lane, 1) = isInside;
  });
}

static std::optional<Operation> bindShuffle(const InstructionForm &form) {
  auto mode = llvm::StringSwitch<std::optional<ShuffleMode>>(form.words[2])
                  .Case("idx", ShuffleMode::Index)
                  .Case("up", ShuffleMode::Up)
                  .Case("down", ShuffleMode::Down)
                  .Case("bfly", ShuffleMode::Butterfly)
                  .Default(std::nullopt);
  if (!mode || form.arguments != 4 || form.results < 1 || form.results > 2)
    return std::nullopt;
  Operation operation =
      makeWarpOperation(runShuffle, /*maskArgument=*/form.isPtx ? 3 : 0);
  operation.parameters[0] = static_cast<uint32_t>(*mode);
  operation.parameters[1] = form.isPtx ? 0 : 1;
  return operation;
}

//===----------------------------------------------------------------------===//
// vote
//===----------------------------------------------------------------------===//

enum class VoteMode : uint32_t { All, Any, Uniform, Ballot };

static void runVote(const WarpCall &call) {
  unsigned predicate = call.operation.parameters[1];
  uint32_t ballot = 0;
  forEachLane(call.mask, [&](uint32_t lane) {
    ballot |= static_cast<uint32_t>(call.argument(lane, predicate) & 1) << lane;
  });
  uint32_t answer = 0;
  switch (static_cast<VoteMode>(call.operation.parameters[0])) {
  case VoteMode::All:
    answer = ballot == call.mask;
    break;
  case VoteMode::Any:
    answer = ballot != 0;
    break;
  case VoteMode::Uniform:
    answer = ballot == 0 || ballot == call.mask;
    break;
  case VoteMode::Ballot:
    answer = ballot;
    break;
  }
  forEachLane(call.mask, [&](uint32_t lane) { call.result(lane, 0) = answer; });
}

static std::optional<Operation> bindVote(const InstructionForm &form) {
  if (!form.has("sync") || form.arguments != 2 || form.results != 1)
    return std::nullopt;
  std::optional<VoteMode> mode;
  for (llvm::StringRef word : form.words)
    mode = llvm::StringSwitch<std::optional<VoteMode>>(word)
               .Case("all", VoteMode::All)
               .Case("any", VoteMode::Any)
               .Case("uni", VoteMode::Uniform)
               .Case("ballot", VoteMode::Ballot)
               .Default(mode);
  if (!mode)
    return std::nullopt;
  Operation operation =
      makeWarpOperation(runVote, /*maskArgument=*/form.isPtx ? 1 : 0);
  operation.parameters[0] = static_cast<uint32_t>(*mode);
  operation.parameters[1] = form.isPtx ? 0 : 1;
  return operation;
}

//===----------------------------------------------------------------------===//
// redux
//===----------------------------------------------------------------------===//

enum class Reduction : uint32_t {
  Add,
  Min,
  Max,
  UnsignedMin,
  UnsignedMax,
  And,
  Or,
  Xor,
};

static uint32_t reduce(Reduction kind, uint32_t a, uint32_t b) {
  auto x = static_cast<int32_t>(a), y = static_cast<int32_t>(b);
  switch (kind) {
  case Reduction::Add:
    return a + b;
  case Reduction::Min:
    return static_cast<uint32_t>(std::min(x, y));
  case Reduction::Max:
    return static_cast<uint32_t>(std::max(x, y));
  case Reduction::UnsignedMin:
    return std::min(a, b);
  case Reduction::UnsignedMax:
    return std::max(a, b);
  case Reduction::And:
    return a & b;
  case Reduction::Or:
    return a | b;
  case Reduction::Xor:
    return a ^ b;
  }
  llvm_unreachable("all reductions are handled");
}

static void runReduction(const WarpCall &call) {
  auto kind = static_cast<Reduction>(call.operation.parameters[0]);
  uint32_t first = llvm::countr_zero(call.mask);
  auto total = static_cast<uint32_t>(call.argument(first, 0));
  forEachLane(call.mask & (call.mask - 1), [&](uint32_t lane) {
    total = reduce(kind, total, static_cast<uint32_t>(call.argument(lane, 0)));
  });
  forEachLane(call.mask, [&](uint32_t lane) { call.result(lane, 0) = total; });
}

static std::optional<Operation> bindReduction(const InstructionForm &form) {
  if (form.words.size() < 3 || form.arguments != 2)
    return std::nullopt;
  bool isUnsigned = form.has("u32");
  auto kind =
      llvm::StringSwitch<std::optional<Reduction>>(form.words[2])
          .Case("add", Reduction::Add)
          .Case("min", isUnsigned ? Reduction::UnsignedMin : Reduction::Min)
          .Case("max", isUnsigned ? Reduction::UnsignedMax : Reduction::Max)
          .Case("umin", Reduction::UnsignedMin)
          .Case("umax", Reduction::UnsignedMax)
          .Case("and", Reduction::And)
          .Case("or", Reduction::Or)
          .Case("xor", Reduction::Xor)
          .Default(std::nullopt);
  // The floating-point forms (sm_100a) are not needed by any target yet.
  if (!kind || form.has("f32"))
    return std::nullopt;
  Operation operation = makeWarpOperation(runReduction, /*maskArgument=*/1);
  operation.parameters[0] = static_cast<uint32_t>(*kind);
  return operation;
}

//===----------------------------------------------------------------------===//
// match, elect, bar.warp.sync
//===----------------------------------------------------------------------===//

/// Parameters: 1 for match.all, first data argument, bits.
static void runMatch(const WarpCall &call) {
  bool wantsAll = call.operation.parameters[0];
  unsigned data = call.operation.parameters[1];
  uint64_t bits =
      call.operation.parameters[2] == 64 ? ~uint64_t(0) : uint64_t(0xFFFFFFFF);
  std::array<uint64_t, lanesPerWarp> values{};
  forEachLane(call.mask, [&](uint32_t lane) {
    values[lane] = call.argument(lane, data) & bits;
  });
  forEachLane(call.mask, [&](uint32_t lane) {
    uint32_t same = 0;
    forEachLane(call.mask, [&](uint32_t other) {
      same |= static_cast<uint32_t>(values[other] == values[lane]) << other;
    });
    if (wantsAll && same != call.mask)
      same = 0;
    call.result(lane, 0) = same;
    if (call.operation.results > 1)
      call.result(lane, 1) = same != 0;
  });
}

static std::optional<Operation> bindMatch(const InstructionForm &form) {
  if (form.arguments != 2 || !form.has("sync"))
    return std::nullopt;
  bool isWide = form.has("b64") || form.has("i64") || form.has("i64p");
  Operation operation =
      makeWarpOperation(runMatch, /*maskArgument=*/form.isPtx ? 1 : 0);
  operation.parameters[0] = form.has("all");
  operation.parameters[1] = form.isPtx ? 0 : 1;
  operation.parameters[2] = isWide ? 64 : 32;
  return operation;
}

static void runElect(const WarpCall &call) {
  uint32_t leader = llvm::countr_zero(call.mask);
  forEachLane(call.mask, [&](uint32_t lane) {
    call.result(lane, 0) = leader;
    call.result(lane, 1) = lane == leader;
  });
}

static std::optional<Operation> bindElect(const InstructionForm &form) {
  if (form.results != 2 || form.arguments != 1)
    return std::nullopt;
  return makeWarpOperation(runElect, /*maskArgument=*/0);
}

/// The meeting of the lanes is all there is to do.
static void runWarpSync(const WarpCall &) {}

static std::optional<Operation> bindWarpSync(const InstructionForm &form) {
  if (form.arguments != 1)
    return std::nullopt;
  Operation operation = makeWarpOperation(runWarpSync, /*maskArgument=*/0);
  operation.meetsAnywhere = true;
  return operation;
}

void tilec::emulator::registerWarpInstructions(InstructionTable &table) {
  table.add("shfl.sync", bindShuffle);
  table.add("vote", bindVote);
  table.add("redux.sync", bindReduction);
  table.add("match", bindMatch);
  table.add("elect.sync", bindElect);
  table.add("bar.warp.sync", bindWarpSync, /*hasPtxResult=*/false);
}
