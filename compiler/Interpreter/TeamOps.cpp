//===- TeamOps.cpp - Teams of warpgroups and what orders them -------------===//
//
// Each team of a `tile.warpgroup` is an interpreter of its own, on a thread of
// its own, over the same memory.  One of them runs at a time: a team goes on
// until it ends or waits for a phase that has not ended, then the next one has
// its turn.  If all wait, none will ever go on.  TMA copies are done at once.
//
//===----------------------------------------------------------------------===//
#include "compiler/Interpreter/Teams.h"

#include "compiler/Interpreter/TileAccess.h"
#include <thread>

using namespace mlir;
using namespace tilec;

//===----------------------------------------------------------------------===//
// TeamTurns
//===----------------------------------------------------------------------===//

void TeamTurns::enter(size_t team) {
  std::unique_lock<std::mutex> lock(mutex);
  changed.wait(lock, [&] { return running == team; });
}

void TeamTurns::passOn() {
  for (size_t i = 0; i < ended.size(); ++i) {
    running = (running + 1) % ended.size();
    if (!ended[running])
      break;
  }
  changed.notify_all();
}

bool TeamTurns::yield(size_t team) {
  std::unique_lock<std::mutex> lock(mutex);
  size_t others = std::count(ended.begin(), ended.end(), false);
  if (++waiting > others)
    return false;
  passOn();
  changed.wait(lock, [&] { return running == team; });
  return waiting <= others;
}

void TeamTurns::leave(size_t team) {
  std::lock_guard<std::mutex> lock(mutex);
  ended[team] = true;
  waiting = 0;
  passOn();
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

static LogicalResult executeBarrierAlloc(BlockInterpreter &block,
                                         tile::BarrierAllocOp op) {
  auto barriers = std::make_shared<std::vector<PhaseBarrier>>(
      op.getType().getCount(), PhaseBarrier{int64_t(op.getCount())});
  block.set(op.getResult(), RuntimeValue(std::move(barriers)));
  return success();
}

/// The barrier that an operation names; null after a failure.
static PhaseBarrier *findBarrier(BlockInterpreter &block, Operation *op,
                                 Value barriers, Value index) {
  std::vector<PhaseBarrier> &all = *block.get(barriers).getBarriers();
  int64_t number = 0;
  if (index) {
    FailureOr<int64_t> given = block.getUniform(op, index);
    if (failed(given))
      return nullptr;
    number = *given;
  }
  if (number < 0 || number >= int64_t(all.size())) {
    (void)block.fail(op, "barrier " + llvm::Twine(number) + " of " +
                             llvm::Twine(all.size()) + " is named");
    return nullptr;
  }
  return &all[number];
}

static LogicalResult executeArrive(BlockInterpreter &block, tile::ArriveOp op) {
  PhaseBarrier *barrier =
      findBarrier(block, op, op.getBarrier(), op.getIndex());
  if (!barrier)
    return failure();
  if (barrier->arrivals == barrier->count)
    return block.fail(op, "more arrivals than the barrier counts in a phase");
  ++barrier->arrivals;
  barrier->settle();
  if (block.turns)
    block.turns->noteProgress();
  return success();
}

static LogicalResult executeExpect(BlockInterpreter &block, tile::ExpectOp op) {
  PhaseBarrier *barrier =
      findBarrier(block, op, op.getBarrier(), op.getIndex());
  FailureOr<int64_t> bytes = block.getUniform(op, op.getBytes());
  if (!barrier || failed(bytes))
    return failure();
  if (barrier->arrivals == barrier->count)
    return block.fail(op, "more arrivals than the barrier counts in a phase");
  barrier->pendingBytes += *bytes;
  ++barrier->arrivals;
  barrier->settle();
  if (block.turns)
    block.turns->noteProgress();
  return success();
}

static LogicalResult executeWait(BlockInterpreter &block, tile::WaitOp op) {
  PhaseBarrier *barrier =
      findBarrier(block, op, op.getBarrier(), op.getIndex());
  FailureOr<int64_t> parity = block.getUniform(op, op.getParity());
  if (!barrier || failed(parity))
    return failure();
  // The phase of this parity has ended if the other one runs.
  while ((barrier->phase & 1) == (*parity & 1))
    if (!block.turns || !block.turns->yield(block.team))
      return block.fail(op, "deadlock: no team can go on, and this 'wait' is "
                            "for a phase that has not ended");
  return success();
}

static LogicalResult executeTmaCopy(BlockInterpreter &block,
                                    tile::TmaCopyOp op) {
  if (failed(block.requireWholeBlock(op)))
    return failure();
  const MemoryView source = block.get(op.getSource()).getMemory();
  const MemoryView destination = block.get(op.getDestination()).getMemory();
  const Extents &shape = source.shared ? source.shape : destination.shape;
  FailureOr<TileBox> from =
      makeBox(block, op, source, op.getSourceIndices(), shape);
  FailureOr<TileBox> to =
      makeBox(block, op, destination, op.getDestinationIndices(), shape);
  if (failed(from) || failed(to))
    return failure();
  NumberFormat format = destination.getFormat();
  RuntimeValue zero = isFloat(format)
                          ? RuntimeValue(Floats(decodeFloat(format, 0)))
                          : RuntimeValue(Integers(0));
  FailureOr<RuntimeValue> elements = readTile(block, op, source, *from, zero);
  if (failed(elements) ||
      failed(writeTile(block, op, destination, *to, *elements)))
    return failure();
  if (!op.getBarrier())
    return success();
  PhaseBarrier *barrier =
      findBarrier(block, op, op.getBarrier(), op.getIndex());
  if (!barrier)
    return failure();
  barrier->pendingBytes -= countElements(shape) * getStorageBits(format) / 8;
  barrier->settle();
  if (block.turns)
    block.turns->noteProgress();
  return success();
}

//===----------------------------------------------------------------------===//
// Teams
//===----------------------------------------------------------------------===//

static LogicalResult executeWarpgroup(BlockInterpreter &block,
                                      tile::WarpgroupOp op) {
  if (failed(block.requireWholeBlock(op)))
    return failure();
  size_t count = op.getBodies().size();
  TeamTurns turns(count);
  std::deque<BlockInterpreter> teams;
  std::vector<std::thread> threads;
  for (size_t team = 0; team < count; ++team) {
    BlockInterpreter &own = teams.emplace_back(block);
    own.turns = &turns;
    own.team = team;
  }
  for (size_t team = 0; team < count; ++team)
    threads.emplace_back([&, team] {
      turns.enter(team);
      (void)teams[team].runRegion(op.getBodies()[team], {});
      turns.leave(team);
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const BlockInterpreter &team : teams)
    if (const std::optional<Failure> &failure = team.getFailure())
      return block.fail(failure->location, failure->text);
  return success();
}

template <typename Op>
static LogicalResult executeNothing(BlockInterpreter &, Op) {
  return success();
}

void tilec::addTeamHandlers(HandlerTable &table) {
  table.add<tile::WarpgroupOp, executeWarpgroup>();
  table.add<tile::BarrierAllocOp, executeBarrierAlloc>();
  table.add<tile::ArriveOp, executeArrive>();
  table.add<tile::ExpectOp, executeExpect>();
  table.add<tile::WaitOp, executeWait>();
  table.add<tile::TmaCopyOp, executeTmaCopy>();
  // A team runs as one thread, in order.
  table.add<tile::BarrierOp, executeNothing<tile::BarrierOp>>();
  table.add<tile::FenceOp, executeNothing<tile::FenceOp>>();
  table.add<tile::SetMaxRegistersOp, executeNothing<tile::SetMaxRegistersOp>>();
  table.add<tile::AwaitLaunchesOp, executeNothing<tile::AwaitLaunchesOp>>();
  table.add<tile::AllowLaunchesOp, executeNothing<tile::AllowLaunchesOp>>();
}
