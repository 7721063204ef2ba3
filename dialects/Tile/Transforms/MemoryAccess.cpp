//===- MemoryAccess.cpp - What an op touches, and what may overlap --------===//

#include "dialects/Tile/Transforms/MemoryAccess.h"
#include "dialects/Tile/IR/TileShareOps.h"
#include "dialects/Tile/Transforms/ConvertedOperand.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tile;

//===----------------------------------------------------------------------===//
// LinearIndex
//===----------------------------------------------------------------------===//

LinearIndex::LinearIndex(Value value) {
  // Sums that share operands may have exponentially many paths.
  unsigned budget = 64;
  addScaled(value, 1, budget);
}

void LinearIndex::addScaled(Value value, uint64_t factor, unsigned &budget) {
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)) &&
      number.getBitWidth() <= 64) {
    constant += factor * uint64_t(number.getSExtValue());
    return;
  }
  if (budget > 0) {
    --budget;
    if (auto add = value.getDefiningOp<arith::AddIOp>()) {
      addScaled(add.getLhs(), factor, budget);
      addScaled(add.getRhs(), factor, budget);
      return;
    }
    if (auto sub = value.getDefiningOp<arith::SubIOp>()) {
      addScaled(sub.getLhs(), factor, budget);
      addScaled(sub.getRhs(), -factor, budget);
      return;
    }
    if (auto mul = value.getDefiningOp<arith::MulIOp>())
      if (matchPattern(mul.getRhs(), m_ConstantInt(&number)) &&
          number.getBitWidth() <= 64) {
        addScaled(mul.getLhs(), factor * uint64_t(number.getSExtValue()),
                  budget);
        return;
      }
  }
  auto less = [](const auto &term, Value v) {
    return term.first.getAsOpaquePointer() < v.getAsOpaquePointer();
  };
  auto *place = llvm::lower_bound(terms, value, less);
  if (place == terms.end() || place->first != value)
    place = terms.insert(place, {value, 0});
  place->second += factor;
  if (place->second == 0)
    terms.erase(place);
}

std::optional<int64_t> LinearIndex::minus(const LinearIndex &other) const {
  if (!known || !other.known || terms != other.terms)
    return std::nullopt;
  return int64_t(constant - other.constant);
}

void LinearIndex::substitute(
    function_ref<std::optional<int64_t>(Value)> replace) {
  for (auto &[value, factor] : terms) {
    std::optional<int64_t> difference = replace(value);
    if (!difference)
      return forget();
    constant += factor * uint64_t(*difference);
  }
}

void LinearIndex::forget() {
  *this = LinearIndex(0);
  known = false;
}

void LinearIndex::reduce(int64_t modulus) {
  int64_t rest = int64_t(constant) % modulus;
  constant = uint64_t(rest < 0 ? rest + modulus : rest);
}

int64_t LinearIndex::takeCoefficient(Value value) {
  auto *place =
      llvm::find_if(terms, [&](auto &term) { return term.first == value; });
  if (place == terms.end())
    return 0;
  auto factor = int64_t(place->second);
  terms.erase(place);
  return factor;
}

//===----------------------------------------------------------------------===//
// Collection
//===----------------------------------------------------------------------===//

/// The stage that an index of a dimension of `stages` names: by the value whose
/// remainder it is, which tells neighbouring iterations apart.
static LinearIndex getStage(Value index, int64_t stages) {
  APInt divisor;
  if (Operation *op = index.getDefiningOp();
      op && isa<arith::RemSIOp, arith::RemUIOp>(op) &&
      matchPattern(op->getOperand(1), m_ConstantInt(&divisor)) &&
      divisor == stages)
    index = op->getOperand(0);
  LinearIndex stage(index);
  stage.reduce(stages);
  return stage;
}

/// Notes where a slice lies, as far as it can be told from others.
static void traceSlice(SliceOp slice, MemoryAccess &access) {
  // Offsets of the box count from the slice; boxes of two slices compare only
  // if they differ in nothing but the stage.
  SharedType source = slice.getSource().getType();
  SmallVector<int64_t> kept = slice.getKeptDims();
  bool isStage = source.getRank() > 1 &&
                 int64_t(kept.size()) == source.getRank() - 1 &&
                 kept.front() == 1 &&
                 slice.getType().getShape() == source.getShape().drop_front();
  for (Value offset : slice.getOffsets().drop_front())
    isStage &= matchPattern(offset, m_Zero());
  if (isStage) {
    access.stages = source.getShape().front();
    access.stage = getStage(slice.getOffsets().front(), access.stages);
    return;
  }
  access.isPart = true;
  access.stage.reset();
  access.stages = 0;
}

/// Follows views to the allocation or argument, noting the stage on the way.
static void traceMemory(Value memory, MemoryAccess &access) {
  access.memoryType = memory.getType();
  access.inGlobal = isa<GlobalType>(memory.getType());
  access.inShared = !access.inGlobal;
  while (Operation *op = memory.getDefiningOp()) {
    if (auto alloc = dyn_cast<AllocSharedOp>(op)) {
      access.root = memory;
      access.isHandedOver = alloc->hasAttr(handedOverAttrName);
      if (std::optional<int64_t> offset = alloc.getOffset())
        access.bytes = {*offset,
                        *offset + alloc.getType().getStorage().bytes()};
      return;
    }
    if (auto stage = dyn_cast<StageOp>(op)) {
      // Of nested stages the outer one counts.
      access.stage = LinearIndex(stage.getIteration());
      access.stage->add(stage.getOffset());
      access.stages = stage.getSource().getType().getShape().front();
      access.stage->reduce(access.stages);
      memory = stage.getSource();
    } else if (auto slice = dyn_cast<SliceOp>(op)) {
      traceSlice(slice, access);
      memory = slice.getSource();
    } else if (auto view = dyn_cast<ViewOp>(op)) {
      access.isPart = true;
      memory = view.getSource();
    } else if (isa<BytesOp, UnpackedOp, PeerOp>(op)) {
      memory = op->getOperand(0);
    } else {
      break;
    }
  }
  auto argument = dyn_cast<BlockArgument>(memory);
  if (memory.getDefiningOp<WorkspaceOp>() ||
      (argument && isa<KernelOp>(argument.getOwner()->getParentOp()))) {
    access.root = memory;
    return;
  }
  access.stage.reset();
  access.stages = 0;
}

/// The box of a tile of `shape` whose corner is `indices`.
static void setBox(MemoryAccess &access, ValueRange indices,
                   ArrayRef<int64_t> shape) {
  size_t rank = getTileShape(access.memoryType).size();
  if (indices.size() != rank || shape.size() > rank || access.isPart)
    return;
  // An element or a part of one stage of a ring that the program wrote itself.
  if (access.inShared && !access.stage && rank > shape.size() && rank > 1) {
    access.stages = getTileShape(access.memoryType).front();
    access.stage = getStage(indices.front(), access.stages);
  }
  for (auto [dim, index] : llvm::enumerate(indices)) {
    size_t dropped = rank - shape.size();
    access.box.push_back(
        {LinearIndex(index), dim < dropped ? 1 : shape[dim - dropped]});
  }
  // Elements that share a byte with the box's edge are touched too: writing a
  // nibble rewrites its byte.
  if (auto global = dyn_cast<GlobalType>(access.memoryType);
      global && global.getPackDim() >= 0)
    ++access.box[global.getPackDim()].extent;
  if (auto shared = dyn_cast<SharedType>(access.memoryType);
      shared && shared.getPackDim() >= 0)
    ++access.box[shared.getPackDim()].extent;
}

/// The fragment type, if each element has one holder only.  Shared memory is
/// also read by instructions that hand elements to other lanes (ldmatrix).
static Type getOwner(const MemoryAccess &access, Type fragment) {
  LayoutAttr layout = getFragmentLayout(fragment);
  bool single = layout && !layout.getLayout().isReplicated();
  return single && access.inGlobal && !access.isPart ? fragment : Type();
}

/// Completes an access of `op` to its operand `memory`.
static void describeAccess(Operation *op, Value memory, MemoryAccess &access) {
  traceMemory(memory, access);
  access.isStoreThrough = isa<StoreThroughOp>(op);
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](LoadOp load) {
        setBox(access, load.getIndices(),
               getTileShape(load.getResult().getType()));
        access.owner = getOwner(access, load.getResult().getType());
      })
      .Case([&](StoreOp store) {
        setBox(access, store.getIndices(),
               getTileShape(store.getValue().getType()));
        access.owner = getOwner(access, store.getValue().getType());
      })
      .Case([&](LoadElementOp load) { setBox(access, load.getIndices(), {}); })
      .Case(
          [&](StoreElementOp store) { setBox(access, store.getIndices(), {}); })
      .Case([&](StorePairOp store) { setBox(access, store.getIndices(), {}); })
      .Case([&](AsyncCopyElementsOp copy) {
        access.isAsync = true;
        setBox(access,
               memory == copy.getSource() ? copy.getSourceIndices()
                                          : copy.getDestinationIndices(),
               {});
        if (!access.box.empty())
          access.box.back().extent = int64_t(copy.getCount());
      })
      .Case([&](AsyncCopyOp copy) {
        access.isAsync = true;
        if (memory == copy.getSource())
          setBox(access, copy.getSourceIndices(),
                 copy.getDestination().getType().getShape());
      })
      .Case([&](TmaCopyOp copy) {
        bool isLoad = bool(copy.getBarrier());
        access.isAsync = true;
        Value tile = isLoad ? copy.getDestination() : copy.getSource();
        if (memory != tile)
          setBox(access,
                 isLoad ? copy.getSourceIndices()
                        : copy.getDestinationIndices(),
                 getTileShape(tile.getType()));
      })
      .Case([&](CopyOp copy) {
        bool fromGlobal = isa<GlobalType>(copy.getSource().getType());
        Value tile = fromGlobal ? copy.getDestination() : copy.getSource();
        setBox(access,
               memory == copy.getSource() ? copy.getSourceIndices()
                                          : copy.getDestinationIndices(),
               getTileShape(tile.getType()));
      });
}

/// Elements that a loop over elements may span along a dimension; beyond that
/// nothing is said of its place.
static constexpr int64_t maxReach = int64_t(1) << 40;

/// Widens an access inside a loop over elements to what all its iterations
/// touch.
static void widenOverIterations(MemoryAccess &access, ParallelOp parallel) {
  for (IndexRange &range : access.box)
    for (auto [iv, count] : llvm::zip_equal(
             parallel.getBodyBlock()->getArguments(), parallel.getExtents())) {
      int64_t reach;
      if (llvm::MulOverflow(range.start.takeCoefficient(iv), count - 1,
                            reach) ||
          reach < -maxReach || reach > maxReach) {
        range.start.forget();
        continue;
      }
      range.extent += std::abs(reach);
      range.start.add(std::min<int64_t>(reach, 0));
    }
  access.owner = Type();
  leaveScope(access, parallel);
}

static void collectNested(Operation *op,
                          SmallVectorImpl<MemoryAccess> &accesses) {
  size_t first = accesses.size();
  for (Region &region : op->getRegions())
    for (Operation &nested : region.getOps())
      collectAccesses(&nested, accesses);
  for (MemoryAccess &access : MutableArrayRef(accesses).drop_front(first)) {
    if (auto parallel = dyn_cast<ParallelOp>(op))
      widenOverIterations(access, parallel);
    else
      leaveScope(access, op);
  }
}

void tile::collectAccesses(Operation *op,
                           SmallVectorImpl<MemoryAccess> &accesses) {
  if (isa<BarrierOp, ClusterArriveOp, ClusterWaitOp, LastShareOp, CommitGroupOp,
          WaitGroupOp, FenceOp>(op))
    return;
  auto addUnknown = [&]() {
    MemoryAccess &access = accesses.emplace_back();
    access.inGlobal = access.inShared = access.isWrite = true;
  };
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  if (!interface) {
    if (!op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
      return addUnknown();
    return collectNested(op, accesses);
  }
  SmallVector<MemoryEffects::EffectInstance> effects;
  interface.getEffects(effects);
  for (const MemoryEffects::EffectInstance &effect : effects) {
    if (isa<MemoryEffects::Allocate, MemoryEffects::Free>(effect.getEffect()))
      continue;
    Value memory = effect.getValue();
    if (!memory || !isa<GlobalType, SharedType>(memory.getType())) {
      addUnknown();
      continue;
    }
    MemoryAccess &access = accesses.emplace_back();
    access.isWrite = isa<MemoryEffects::Write>(effect.getEffect());
    describeAccess(op, memory, access);
  }
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

/// Whether two allocations have been given bytes in common.
static bool shareBytes(const MemoryAccess &a, const MemoryAccess &b) {
  return a.bytes && b.bytes && a.bytes->first < b.bytes->second &&
         b.bytes->first < a.bytes->second;
}

/// Whether two tensors may overlap: any may unless one promises not to.
static bool mayAliasTensors(Value a, Value b) {
  auto lent = a.getDefiningOp<WorkspaceOp>(),
       other = b.getDefiningOp<WorkspaceOp>();
  // No argument is lent, and each array has its place.
  if (lent || other)
    return lent && other && lent.getOffset() == other.getOffset();
  auto first = cast<BlockArgument>(a), second = cast<BlockArgument>(b);
  auto kernel = cast<KernelOp>(first.getOwner()->getParentOp());
  return !kernel.getArgAttr(first.getArgNumber(), "tile.noalias") &&
         !kernel.getArgAttr(second.getArgNumber(), "tile.noalias");
}

/// Whether two accesses to one root touch different buffers or boxes.
static bool areDisjoint(const MemoryAccess &a, const MemoryAccess &b) {
  if (a.stage && b.stage && a.stages == b.stages)
    if (auto distance = a.stage->minus(*b.stage);
        distance && *distance % a.stages != 0)
      return true;
  if (a.memoryType != b.memoryType || a.box.size() != b.box.size())
    return false;
  return llvm::any_of(llvm::zip_equal(a.box, b.box), [](auto pair) {
    const auto &[first, second] = pair;
    auto distance = first.start.minus(second.start);
    return distance && ((*distance >= second.extent && !first.openBelow &&
                         !second.openAbove) ||
                        (*distance <= -first.extent && !first.openAbove &&
                         !second.openBelow));
  });
}

static bool covers(const IndexRange &a, const IndexRange &b) {
  if (a == b)
    return true;
  auto distance = b.start.minus(a.start);
  return distance && (a.openBelow || (*distance >= 0 && !b.openBelow)) &&
         (a.openAbove || (*distance <= a.extent - b.extent && !b.openAbove));
}

/// Whether two accesses are alike but for their boxes.
static bool areOfOneKind(const MemoryAccess &a, const MemoryAccess &b) {
  return a.root == b.root && a.memoryType == b.memoryType &&
         a.isWrite == b.isWrite && a.isAsync == b.isAsync &&
         a.inGlobal == b.inGlobal && a.inShared == b.inShared &&
         a.isStoreThrough == b.isStoreThrough && a.owner == b.owner &&
         a.stages == b.stages && a.stage == b.stage;
}

bool tile::isUnchangedBetween(Value tile, Operation *first, Operation *last) {
  if (first->getBlock() != last->getBlock())
    return false;
  MemoryAccess read;
  traceMemory(tile, read);
  for (Operation *op = first->getNextNode(); op != last;
       op = op->getNextNode()) {
    if (!op || isa<BarrierOp, ClusterWaitOp, LastShareOp>(op))
      return false;
    WalkResult walked = op->walk([&](Operation *nested) -> WalkResult {
      SmallVector<MemoryAccess, 0> accesses;
      collectAccesses(nested, accesses);
      return failure(llvm::any_of(accesses, [&](const MemoryAccess &access) {
        return access.inShared && access.isWrite &&
               (!read.root || !access.root || access.root == read.root);
      }));
    });
    if (walked.wasInterrupted())
      return false;
  }
  return true;
}

bool tile::covers(const MemoryAccess &a, const MemoryAccess &b) {
  return areOfOneKind(a, b) && a.box.size() == b.box.size() &&
         llvm::all_of(llvm::zip_equal(a.box, b.box), [](auto pair) {
           return ::covers(std::get<0>(pair), std::get<1>(pair));
         });
}

bool tile::mayOverlap(const MemoryAccess &a, const MemoryAccess &b) {
  if (!(a.inGlobal && b.inGlobal) && !(a.inShared && b.inShared))
    return false;
  if (!a.root || !b.root)
    return true;
  if (a.root == b.root)
    return !areDisjoint(a, b);
  return a.inShared ? shareBytes(a, b) : mayAliasTensors(a.root, b.root);
}

/// Whether each element that both touch is touched by one thread: the same box
/// through the same layout.
static bool haveSameThreads(const MemoryAccess &a, const MemoryAccess &b) {
  if (!a.owner || a.owner != b.owner || a.root != b.root ||
      a.memoryType != b.memoryType ||
      a.stage.has_value() != b.stage.has_value() ||
      a.box.size() != b.box.size())
    return false;
  if (a.stage && a.stage->minus(*b.stage) != 0)
    return false;
  return llvm::all_of(llvm::zip_equal(a.box, b.box), [](auto pair) {
    const auto &[first, second] = pair;
    bool bounded = !first.openBelow && !first.openAbove && !second.openBelow &&
                   !second.openAbove;
    return bounded && first.start.minus(second.start) == 0;
  });
}

bool tile::needBarrier(const MemoryAccess &a, const MemoryAccess &b) {
  if ((a.isStoreThrough && b.isStoreThrough) ||
      (a.isHandedOver && b.isHandedOver && a.root == b.root))
    return false;
  return (a.isWrite || b.isWrite) && mayOverlap(a, b) && !haveSameThreads(a, b);
}

//===----------------------------------------------------------------------===//
// Scopes
//===----------------------------------------------------------------------===//

using Replacement = function_ref<std::optional<int64_t>(Value)>;

static void substituteAll(MemoryAccess &access, Replacement replace) {
  if (access.stage) {
    access.stage->substitute(replace);
    access.stage->reduce(access.stages);
  }
  for (IndexRange &range : access.box) {
    LinearIndex before = range.start;
    range.start.substitute(replace);
    int64_t shift = range.start.minus(before).value_or(0);
    range.openBelow |= shift < 0;
    range.openAbove |= shift > 0;
  }
}

static bool isDefinedInside(Value value, Operation *op) {
  return op->isAncestor(value.getParentBlock()->getParentOp());
}

void tile::leaveScope(MemoryAccess &access, Operation *op) {
  substituteAll(access, [&](Value value) -> std::optional<int64_t> {
    return isDefinedInside(value, op) ? std::nullopt
                                      : std::optional<int64_t>(0);
  });
}

/// What a value of one iteration is below the same value of the next one, if
/// that is a constant: the step for the index, and likewise for counters.
static std::optional<int64_t> getAdvance(Value value,
                                         LoopLikeOpInterface loop) {
  if (value == loop.getSingleInductionVar()) {
    std::optional<OpFoldResult> step = loop.getSingleStep();
    return step ? getConstantIntValue(*step) : std::nullopt;
  }
  auto args = loop.getRegionIterArgs();
  for (auto [arg, yielded] : llvm::zip(args, loop.getYieldedValues()))
    if (value == arg)
      return LinearIndex(yielded).minus(LinearIndex(value));
  return std::nullopt;
}

void tile::advanceIteration(MemoryAccess &access, LoopLikeOpInterface loop) {
  substituteAll(access, [&](Value value) -> std::optional<int64_t> {
    if (!isDefinedInside(value, loop))
      return 0;
    std::optional<int64_t> advance = getAdvance(value, loop);
    return advance ? std::optional(-*advance) : std::nullopt;
  });
}
