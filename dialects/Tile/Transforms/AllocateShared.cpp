//===- AllocateShared.cpp - Place shared tiles in memory ------------------===//
//
// A tile lives from the first to the last op, in the block of its allocation,
// that holds a use: a use inside a loop counts for the whole loop.  Tiles are
// placed largest first, each at the lowest offset where it meets no tile that
// lives at the same time.
//
// What teams of warpgroups do happens at the same time, so that a tile of one
// lives with those of another.  A ring that one team fills for another lives
// until the latter has read it for the last time: by then it has waited for all
// that was copied.  Other tiles that TMA moves, and barriers, which it arrives
// at, have their memory for themselves: no barrier of the block says when it is
// done with them.
//
//===----------------------------------------------------------------------===//

#include "dialects/Tile/IR/TileShareOps.h"
#include "dialects/Tile/Transforms/Decisions.h"
#include "dialects/Tile/Transforms/Passes.h"
#include "dialects/Tile/Transforms/TeamThreads.h"
#include "dialects/Tile/Transforms/TmaPlan.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::tile {
#define GEN_PASS_DEF_ALLOCATESHAREDPASS
#include "dialects/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

/// Every tile starts on a multiple of this: rows of whole bank cycles.
static constexpr int64_t minAlignment = 128;

namespace {
/// One allocation: its size, its lifetime in positions of ops, its place.
struct Buffer {
  AllocSharedOp alloc;
  int64_t bytes = 0, alignment = minAlignment;
  int64_t first = 0, last = 0;
  int64_t offset = 0;
  /// The teams that it belongs to: regions of `tile.warpgroup`, the outermost
  /// last.
  SmallVector<Region *, 1> teams;

  /// The number of buffers of a staged tile, else 1.
  int64_t getStages() const {
    auto stages = alloc->getAttrOfType<IntegerAttr>("tile.stages");
    return stages && stages.getInt() > 0 ? stages.getInt() : 1;
  }
  bool livesWith(const Buffer &other) const {
    return (first <= other.last && other.first <= last) || isOfOtherTeam(other);
  }

private:
  bool isOfOtherTeam(const Buffer &other) const {
    return llvm::any_of(teams, [&](Region *own) {
      return llvm::any_of(other.teams, [&](Region *team) {
        return own != team && own->getParentOp() == team->getParentOp();
      });
    });
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Lifetimes
//===----------------------------------------------------------------------===//

namespace {
/// Numbers the ops of a kernel in the order of the text.
class Positions {
public:
  explicit Positions(KernelOp kernel) { number(kernel); }

  int64_t begin(Operation *op) const { return spans.lookup(op).first; }
  /// The position of the last op nested in `op`.
  int64_t end(Operation *op) const { return spans.lookup(op).second; }

private:
  void number(Operation *op) {
    int64_t start = next++;
    for (Region &region : op->getRegions())
      for (Operation &nested : region.getOps())
        number(&nested);
    spans[op] = {start, next - 1};
  }

  int64_t next = 0;
  DenseMap<Operation *, std::pair<int64_t, int64_t>> spans;
};
} // namespace

/// The region of `teams` that an op is in.
static Region *findTeam(WarpgroupOp teams, Operation *op) {
  while (op->getParentOp() != teams)
    op = op->getParentOp();
  return op->getParentRegion();
}

/// The teams that use a tile of the block, or its views, if nothing else does;
/// in the order of the text.
static SmallVector<Region *, 1> findUsingTeams(AllocSharedOp alloc) {
  WarpgroupOp teams;
  llvm::SmallSetVector<Region *, 2> users;
  SmallVector<Value> memories = {alloc.getResult()};
  while (!memories.empty()) {
    for (Operation *user : memories.pop_back_val().getUsers()) {
      Operation *holder = alloc->getBlock()->findAncestorOpInBlock(*user);
      auto here = dyn_cast_or_null<WarpgroupOp>(holder);
      if (!here || (teams && here != teams) || user->getNumRegions() > 0 ||
          user->hasTrait<OpTrait::IsTerminator>())
        return {};
      teams = here;
      users.insert(findTeam(teams, user));
      for (Value result : user->getResults())
        if (isa<SharedType>(result.getType()))
          memories.push_back(result);
    }
  }
  SmallVector<Region *, 1> found;
  if (teams)
    for (Region &body : teams.getBodies())
      if (users.contains(&body))
        found.push_back(&body);
  return found;
}

/// Whether the first team fills a ring for the other one, which only reads it.
static bool isRingOfTeams(AllocSharedOp alloc, ArrayRef<Region *> teams) {
  if (!alloc->hasAttr("tile.stages") || teams.size() != 2 ||
      cast<WarpgroupOp>(teams.front()->getParentOp()).getBodies().size() != 2)
    return false;
  return llvm::all_of(alloc->getUsers(), [&](Operation *user) {
    auto stage = dyn_cast<StageOp>(user);
    return stage && (teams.front()->isAncestor(stage->getParentRegion()) ||
                     llvm::all_of(stage->getUsers(), [](Operation *reader) {
                       return isa<LoadOp, WgmmaOp>(reader);
                     }));
  });
}

/// Sets the lifetime of a buffer from the uses of the tile and of its views.
static void findLifetime(Buffer &buffer, const Positions &positions) {
  Operation *alloc = buffer.alloc;
  buffer.first = buffer.last = positions.begin(alloc);
  bool used = false;
  SmallVector<Value> memories = {buffer.alloc.getResult()};
  while (!memories.empty()) {
    for (Operation *user : memories.pop_back_val().getUsers()) {
      Operation *holder = alloc->getBlock()->findAncestorOpInBlock(*user);
      // A tile handed to a region or out of one may be used anywhere.
      bool escapes = !holder || user->getNumRegions() > 0 ||
                     user->hasTrait<OpTrait::IsTerminator>();
      int64_t begin = positions.begin(escapes ? alloc : holder);
      int64_t end =
          positions.end(escapes ? alloc->getParentOfType<KernelOp>() : holder);
      buffer.first = used ? std::min(buffer.first, begin) : begin;
      buffer.last = std::max(buffer.last, end);
      used = true;
      for (Value result : user->getResults())
        if (isa<SharedType>(result.getType()))
          memories.push_back(result);
    }
  }
}

/// The positions of the ops of a team that hold uses of a tile of the block.
static std::pair<int64_t, int64_t> findUses(AllocSharedOp alloc, Region *team,
                                            const Positions &positions) {
  std::pair<int64_t, int64_t> span{INT64_MAX, -1};
  SmallVector<Value> memories = {alloc.getResult()};
  while (!memories.empty())
    for (Operation *user : memories.pop_back_val().getUsers()) {
      if (Operation *holder = team->front().findAncestorOpInBlock(*user)) {
        span.first = std::min(span.first, positions.begin(holder));
        span.second = std::max(span.second, positions.end(holder));
      }
      for (Value result : user->getResults())
        if (isa<SharedType>(result.getType()))
          memories.push_back(result);
    }
  return span;
}

/// Of tiles that teams alone use: one of a single team lives among its own ops;
/// a ring may be filled from the start, and lives until its reader is done.
static void narrowLifetime(Buffer &buffer, ArrayRef<Region *> teams,
                           const Positions &positions) {
  if (teams.size() == 1)
    std::tie(buffer.first, buffer.last) =
        findUses(buffer.alloc, teams.front(), positions);
  else if (isRingOfTeams(buffer.alloc, teams))
    buffer.last = findUses(buffer.alloc, teams.back(), positions).second;
}

/// Whether other blocks send to a tile, whenever they come to it.
static bool isInbox(AllocSharedOp alloc) {
  return llvm::any_of(alloc->getUsers(),
                      [](Operation *user) { return isa<SendOp>(user); });
}

static SmallVector<Buffer> collectBuffers(KernelOp kernel) {
  Positions positions(kernel);
  SmallVector<Buffer> buffers;
  kernel.walk<WalkOrder::PreOrder>([&](AllocSharedOp alloc) {
    Buffer &buffer = buffers.emplace_back();
    layout::SharedLayout storage = alloc.getType().getStorage();
    buffer.alloc = alloc;
    buffer.bytes = storage.bytes();
    buffer.alignment = std::max<int64_t>(storage.alignment(), minAlignment);
    if (isMovedByTma(alloc.getResult()) || isInbox(alloc)) {
      buffer.first = positions.begin(kernel);
      buffer.last = positions.end(kernel);
    } else {
      SmallVector<Region *, 1> teams = findUsingTeams(alloc);
      if (teams.size() == 1)
        buffer.teams.push_back(teams.front());
      findLifetime(buffer, positions);
      narrowLifetime(buffer, teams, positions);
    }
    for (Region *region = alloc->getParentRegion(); region;
         region = region->getParentRegion())
      if (isa<WarpgroupOp>(region->getParentOp()))
        buffer.teams.push_back(region);
  });
  return buffers;
}

//===----------------------------------------------------------------------===//
// Placement
//===----------------------------------------------------------------------===//

/// Sets the offset of each buffer and returns the bytes of all together.
static int64_t placeBuffers(MutableArrayRef<Buffer> buffers) {
  SmallVector<Buffer *> order =
      llvm::map_to_vector(buffers, [](Buffer &b) { return &b; });
  // Of equal size, the first of the text comes first.
  llvm::sort(order, [](Buffer *a, Buffer *b) {
    return a->bytes != b->bytes ? a->bytes > b->bytes : a < b;
  });
  SmallVector<Buffer *> placed;
  int64_t total = 0;
  for (Buffer *buffer : order) {
    buffer->offset = 0;
    // `placed` is sorted by offset, so that one sweep finds the lowest gap.
    for (Buffer *other : placed)
      if (buffer->livesWith(*other) &&
          other->offset < buffer->offset + buffer->bytes &&
          buffer->offset < other->offset + other->bytes)
        buffer->offset =
            llvm::alignTo(other->offset + other->bytes, buffer->alignment);
    total = std::max(total, buffer->offset + buffer->bytes);
    placed.insert(llvm::upper_bound(placed, buffer,
                                    [](Buffer *a, Buffer *b) {
                                      return a->offset < b->offset;
                                    }),
                  buffer);
  }
  return total;
}

//===----------------------------------------------------------------------===//
// Diagnostic 25: too much shared memory
//===----------------------------------------------------------------------===//

/// 245760 as "245,760".
static std::string formatCount(int64_t count) {
  std::string text = std::to_string(count);
  for (int64_t place = int64_t(text.size()) - 3; place > 0; place -= 3)
    text.insert(place, ",");
  return text;
}

/// "BM, BN or BK".
static std::string joinAlternatives(ArrayRef<StringRef> names) {
  std::string text = llvm::join(names.drop_back(), ", ");
  return (text.empty() ? text : text + " or ") + names.back().str();
}

/// The buffers that live where most bytes do, in the order of the text.
static SmallVector<Buffer> findPeak(ArrayRef<Buffer> buffers) {
  SmallVector<Buffer> peak;
  int64_t peakBytes = -1;
  for (const Buffer &at : buffers) {
    SmallVector<Buffer> alive;
    int64_t bytes = 0;
    for (const Buffer &buffer : buffers)
      if (buffer.first <= at.first && at.first <= buffer.last) {
        alive.push_back(buffer);
        bytes += buffer.bytes;
      }
    if (bytes > peakBytes) {
      peakBytes = bytes;
      peak = alive;
    }
  }
  return peak;
}

/// "As 16,384 x 5 stages = 81,920; Q 32,768".
static std::string describeBuffers(ArrayRef<Buffer> buffers) {
  std::string text;
  for (Buffer buffer : buffers) {
    if (!text.empty())
      text += "; ";
    text +=
        buffer.alloc.getName().value_or("a tile of the compiler's own").str() +
        " ";
    int64_t stages = buffer.getStages();
    if (stages > 1)
      text += formatCount(buffer.bytes / stages) + " x " +
              std::to_string(stages) + " stages = ";
    text += formatCount(buffer.bytes);
  }
  return text;
}

/// The kernel's constants that hold integers, in the order of the alphabet.
static SmallVector<std::pair<StringRef, int64_t>>
getConstants(KernelOp kernel) {
  SmallVector<std::pair<StringRef, int64_t>> constants;
  if (DictionaryAttr config = kernel.getConfig().value_or(DictionaryAttr()))
    for (NamedAttribute constant : config)
      if (auto value = dyn_cast<IntegerAttr>(constant.getValue());
          value && !value.getType().isInteger(1))
        constants.emplace_back(constant.getName(), value.getInt());
  return constants;
}

static bool namesStages(StringRef name) {
  return name.contains_insensitive("stage");
}

/// "use STAGES = 4 (196,608 bytes)", or nothing if fewer stages do not help.
static std::string suggestStages(KernelOp kernel, ArrayRef<Buffer> buffers,
                                 int64_t limit) {
  int64_t most = 1;
  for (const Buffer &buffer : buffers)
    most = std::max(most, buffer.getStages());
  std::string name;
  for (auto [constant, value] : getConstants(kernel))
    if (namesStages(constant) && value == most)
      name = constant.str();
  for (int64_t stages = most - 1; stages > 0; --stages) {
    SmallVector<Buffer> fewer(buffers);
    for (Buffer &buffer : fewer)
      buffer.bytes = buffer.bytes / buffer.getStages() *
                     std::min(buffer.getStages(), stages);
    int64_t total = placeBuffers(fewer);
    if (total > limit)
      continue;
    std::string count = std::to_string(stages);
    return "use " +
           (name.empty() ? count + (stages == 1 ? " stage" : " stages")
                         : name + " = " + count) +
           " (" + formatCount(total) + " bytes)";
  }
  return "";
}

/// "a smaller BN or BK": the constants that are extents of the largest tile,
/// the largest constant first.
static std::string suggestExtents(KernelOp kernel, ArrayRef<Buffer> buffers) {
  Buffer largest = buffers.front();
  for (const Buffer &buffer : buffers)
    if (buffer.bytes / buffer.getStages() > largest.bytes / largest.getStages())
      largest = buffer;
  ArrayRef<int64_t> extents = largest.alloc.getType().getShape();
  if (largest.alloc->hasAttr("tile.stages"))
    extents = extents.drop_front();
  SmallVector<std::pair<StringRef, int64_t>> found;
  for (auto constant : getConstants(kernel))
    if (constant.second > 1 && llvm::is_contained(extents, constant.second) &&
        !namesStages(constant.first))
      found.push_back(constant);
  if (found.empty())
    return "smaller tiles";
  llvm::sort(found, [](auto &a, auto &b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  return "a smaller " +
         joinAlternatives(llvm::map_to_vector(
             found, [](auto &constant) { return constant.first; }));
}

/// Reports that `total` bytes do not fit, at the first staged tile or else the
/// largest one.
static void reportOverflow(KernelOp kernel, ArrayRef<Buffer> buffers,
                           int64_t total, StringRef target, int64_t limit) {
  SmallVector<Buffer> peak = findPeak(buffers);
  Buffer culprit =
      *llvm::max_element(peak, [](const Buffer &a, const Buffer &b) {
        bool staged = b.getStages() > 1;
        return a.getStages() > 1 ? false : staged || a.bytes < b.bytes;
      });
  std::string stages = suggestStages(kernel, buffers, limit);
  std::string help = "help: " + (stages.empty() ? "use " : stages + ", or ") +
                     suggestExtents(kernel, peak);
  InFlightDiagnostic error = emitError(culprit.alloc.getLoc())
                             << "shared tiles need " << formatCount(total)
                             << " bytes, the limit of " << target << " is "
                             << formatCount(limit);
  error.attachNote() << describeBuffers(peak);
  error.attachNote() << help;
}

//===----------------------------------------------------------------------===//
// Blocks on a multiprocessor
//===----------------------------------------------------------------------===//

/// Whether as many blocks as `min_blocks` asks for find shared memory on one
/// multiprocessor, which has what one block may use and its reserve.
static LogicalResult checkMinBlocks(KernelOp kernel, int64_t bytes,
                                    StringRef target, int64_t limit) {
  if (bytes <= getSharedShare(kernel, limit))
    return success();
  int64_t blocks = getDecidedInteger(kernel, "min_blocks").value_or(1);
  return kernel.emitError("decision 'min_blocks' = ")
         << blocks << " does not fit: " << blocks << " blocks need "
         << formatCount(blocks * (bytes + reservedSharedBytes))
         << " bytes of shared memory, " << formatCount(reservedSharedBytes)
         << " of each for the system, and a multiprocessor of " << target
         << " has " << formatCount(limit + reservedSharedBytes);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Puts the barriers of a kernel behind `total` bytes of tiles; returns the
/// bytes of all.
static int64_t placeBarriers(KernelOp kernel, int64_t total) {
  constexpr int64_t barrierBytes = 8;
  OpBuilder builder(kernel);
  kernel.walk([&](BarrierAllocOp alloc) {
    total = llvm::alignTo(total, barrierBytes);
    alloc.setOffsetAttr(builder.getI64IntegerAttr(total));
    total += barrierBytes * alloc.getType().getCount();
  });
  return total;
}

namespace {
struct AllocateShared : tile::impl::AllocateSharedPassBase<AllocateShared> {
  using AllocateSharedPassBase::AllocateSharedPassBase;

  void runOnOperation() override {
    llvm::StringSet<> reported;
    for (auto kernel : getOperation().getOps<KernelOp>()) {
      SmallVector<Buffer> buffers = collectBuffers(kernel);
      int64_t tiles = placeBuffers(buffers);
      int64_t total = placeBarriers(kernel, tiles);
      if (total > sharedLimit) {
        signalPassFailure();
        // Variants of one kernel have the same fault.
        if (reported.insert(kernel.getSourceName()).second)
          reportOverflow(kernel, buffers, tiles > sharedLimit ? tiles : total,
                         target, sharedLimit);
        continue;
      }
      OpBuilder builder(kernel);
      for (const Buffer &buffer : buffers)
        AllocSharedOp(buffer.alloc)
            .setOffsetAttr(builder.getI64IntegerAttr(buffer.offset));
      // LLVM reads the end of a tile of odd size together with the bytes behind
      // it, by one access of at most 16 aligned bytes.
      total = llvm::alignTo(total, 16);
      kernel.setSharedBytesAttr(builder.getI64IntegerAttr(total));
      if (failed(checkMinBlocks(kernel, total, target, sharedLimit)))
        return signalPassFailure();
    }
  }
};
} // namespace
