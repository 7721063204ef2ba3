//===- InferLayouts.cpp - Give fragments and shared tiles a layout --------===//
//
// Values that must agree (operands and results of elementwise ops, the carried
// values of a loop) form classes.  Accumulators seed their class with the
// layout of the instruction; a class reached through an index map gets the
// layout that puts each element beside its use; what is left is coalesced.
//
//===----------------------------------------------------------------------===//

#include "dialects/Layout/BankConflicts.h"
#include "dialects/Layout/BlockedLayout.h"
#include "dialects/Layout/Conversion.h"
#include "dialects/Layout/VectorAccess.h"
#include "dialects/Tile/Transforms/ByteOwners.h"
#include "dialects/Tile/Transforms/ElementIndex.h"
#include "dialects/Tile/Transforms/FragmentTies.h"
#include "dialects/Tile/Transforms/GemmPlan.h"
#include "dialects/Tile/Transforms/ParallelLayout.h"
#include "dialects/Tile/Transforms/Passes.h"
#include "dialects/Tile/Transforms/RegisterOrder.h"
#include "dialects/Tile/Transforms/ReindexLookup.h"
#include "dialects/Tile/Transforms/SharedParts.h"
#include "dialects/Tile/Transforms/SharedSwizzle.h"
#include "dialects/Tile/Transforms/TeamThreads.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::tile {
#define GEN_PASS_DEF_INFERLAYOUTSPASS
#include "dialects/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;
using layout::FragmentLayout;

//===----------------------------------------------------------------------===//
// Fragments
//===----------------------------------------------------------------------===//

namespace {
/// `use` reads `source` through an index map, for the elements of `result`'s
/// class, or of a loop without a fragment of its own if that is null.
struct IndexEdge {
  Value result, source;
  SmallVector<int, 4> dimMap;
  SmallVector<int32_t, 4> divisors; ///< empty: all 1
  Operation *use;
  /// Instead of `dimMap` where indices are computed.
  std::optional<layout::IndexMap> map = std::nullopt;
  /// Not a read: the loop `use` writes this result, the source, through `map`.
  std::optional<unsigned> written = std::nullopt;
};

class LayoutSolver {
public:
  LayoutSolver(KernelOp kernel) : kernel(kernel) {}

  LogicalResult solve() {
    kernel.walk([&](Operation *op) { collect(op); });
    seedAccumulators();
    propagate();
    assignDefaults();
    convertGemms();
    assignTypes();
    repairEdges();
    for (ReindexOp reindex : lookups)
      if (failed(lookUpInShared(reindex)))
        return failure();
    return success();
  }

private:
  static bool isFragment(Value value) {
    return isa<RankedTensorType>(value.getType());
  }

  void add(Value value) {
    if (isFragment(value) && !order.count(value)) {
      order.insert({value, true});
      classes.insert(value.getAsOpaquePointer());
    }
  }
  void unite(Value a, Value b) {
    if (!isFragment(a) || !isFragment(b) ||
        getTileShape(a.getType()) != getTileShape(b.getType()))
      return;
    add(a);
    add(b);
    classes.unionSets(a.getAsOpaquePointer(), b.getAsOpaquePointer());
  }
  void *leader(Value value) {
    return classes.getLeaderValue(value.getAsOpaquePointer());
  }
  const FragmentLayout *find(Value value) {
    auto it = layouts.find(leader(value));
    return it == layouts.end() ? nullptr : &it->second;
  }
  bool assign(Value value, const FragmentLayout &layout) {
    return layouts.try_emplace(leader(value), layout).second;
  }

  void collect(Operation *op);
  void collectParallel(ParallelOp op);
  void seedAccumulators();
  void propagate();
  void assignDefaults();
  int getVectorBits(Value value);
  void convertGemms();
  void assignTypes();
  void repairEdges();
  void repairWrite(const IndexEdge &edge);

  KernelOp kernel;
  /// All fragments, in program order.
  llvm::MapVector<Value, bool> order;
  llvm::EquivalenceClasses<void *> classes;
  DenseMap<void *, FragmentLayout> layouts;
  SmallVector<IndexEdge, 0> edges;
  SmallVector<GemmOp> gemms;
  /// Those whose source no layout brings beside their result.
  SmallVector<ReindexOp> lookups;
};
} // namespace

void LayoutSolver::collect(Operation *op) {
  // Its elements are in no registers before lower-gemm puts them there.
  if (isa<OperandOp>(op))
    return;
  for (Value result : op->getResults())
    add(result);
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (BlockArgument arg : block.getArguments())
        add(arg);

  forEachTie(op, [&](Value a, Value b) {
    // Both keep the layouts that they came with.
    if (!getFragmentLayout(a.getType()) || !getFragmentLayout(b.getType()))
      unite(a, b);
  });
  if (auto gemm = dyn_cast<GemmOp>(op)) {
    gemms.push_back(gemm);
  } else if (auto reindex = dyn_cast<ReindexOp>(op)) {
    edges.push_back({reindex.getResult(), reindex.getSource(),
                     reindex.getDimMap(), reindex.getDivisors(), reindex});
  } else if (auto parallel = dyn_cast<ParallelOp>(op)) {
    collectParallel(parallel);
  }
}

/// The first fragment with an element for each iteration, which it writes or
/// reads; null if there is none.
static Value findIterationFragment(ParallelOp op) {
  auto fits = [&](Value fragment) {
    return llvm::equal(getTileShape(fragment.getType()), op.getExtents());
  };
  for (unsigned i = 0; i < op.getNumResults(); ++i)
    if (op.getMap(i).isIdentity() && fits(op.getResult(i)))
      return op.getResult(i);
  Value first;
  op.getBody().walk([&](ElementOp element) {
    if (isAtIteration(op, element) && fits(element.getFragment()))
      first = element.getFragment();
    return first ? WalkResult::interrupt() : WalkResult::advance();
  });
  return first;
}

/// The written fragments and all that is read at the loop's own element agree;
/// what is read or written at other indices is reached through an index map.
void LayoutSolver::collectParallel(ParallelOp op) {
  Value first = findIterationFragment(op);
  for (unsigned i = 0; i < op.getNumResults(); ++i) {
    unite(op.getInits()[i], op.getResult(i));
    if (!op.getMap(i).isIdentity())
      edges.push_back({first,
                       op.getResult(i),
                       {},
                       {},
                       op,
                       getResultMap(op, i),
                       /*written=*/i});
    else if (first != op.getResult(i))
      unite(first, op.getResult(i));
  }
  op.getBody().walk([&](ElementOp element) {
    Value fragment = element.getFragment();
    if (!isFragment(fragment) || fragment == first)
      return;
    if (first && isAtIteration(op, element))
      unite(first, fragment);
    else if (auto dimMap = getLoopDims(op, element.getIndices()))
      edges.push_back({first, fragment, *dimMap, {}, element});
    else if (auto map = getIndexMap(op, element))
      edges.push_back({first, fragment, {}, {}, element, map});
  });
}

void LayoutSolver::seedAccumulators() {
  // What came with a layout keeps it (ConvertedOperand.cpp).
  for (auto &[value, unused] : order)
    if (LayoutAttr given = getFragmentLayout(value.getType()))
      assign(value, given.getLayout());
  for (GemmOp gemm : gemms)
    assign(gemm.getResult(), planGemm(gemm, getNumWarps(gemm)).accumulator);
}

/// The layout in which a value lies beside its uses in `result`; none if there
/// is none, or if not all of the value is used.
static std::optional<FragmentLayout> getSourceLayout(const IndexEdge &edge,
                                                     FragmentLayout result) {
  if (edge.map) {
    if (edge.map->from() != result.shape())
      return std::nullopt;
    return layout::readThrough(result, *edge.map).layout;
  }
  auto source = result.reindexSource(edge.dimMap, edge.divisors);
  Type type = edge.use->getOperand(0).getType();
  if (!source || !llvm::equal(source->layout.shape(), getTileShape(type)))
    return std::nullopt;
  return source->layout;
}

void LayoutSolver::propagate() {
  for (bool changed = true; changed;) {
    changed = false;
    for (const IndexEdge &edge : edges) {
      const FragmentLayout *result = edge.result ? find(edge.result) : nullptr;
      if (!result || find(edge.source))
        continue;
      if (auto source = getSourceLayout(edge, *result))
        changed |= assign(edge.source, *source);
    }
  }
}

/// Threads that share out a value.
static int64_t countLanes(Value value) {
  return getNumWarps(&value.getParentBlock()->front()) * layout::lanesPerWarp;
}

/// Bits of neighbouring elements that a thread holds of a value: 16 bytes, or
/// more if what is read beside them, of narrower elements or fewer, would come
/// in pieces of less than a word.
int LayoutSolver::getVectorBits(Value value) {
  constexpr int wordBits = 32, usualBits = 128, mostBits = 512;
  auto type = cast<RankedTensorType>(value.getType());
  layout::BlockedOptions options;
  options.elementBits = getElementBits(type.getElementType());
  options.threads = countLanes(value);
  auto readsWords = [&](const IndexEdge &edge, const FragmentLayout &layout) {
    int bits = getElementBits(getTileElementType(edge.source.getType()));
    return layout::planGlobalVector(
               layout::readThrough(layout, *edge.map).layout, bits,
               findStoredPackDim(edge.source))
               .bits() >= wordBits;
  };
  for (int bits = usualBits; bits <= mostBits; bits *= 2) {
    options.vectorBits = bits;
    FragmentLayout layout = layout::blocked(
        layout::Coords(type.getShape().begin(), type.getShape().end()),
        options);
    if (llvm::all_of(edges, [&](const IndexEdge &edge) {
          return !edge.map || edge.written || !edge.result ||
                 leader(edge.result) != leader(value) ||
                 edge.map->from() != layout.shape() || readsWords(edge, layout);
        }))
      return bits;
  }
  return usualBits;
}

void LayoutSolver::assignDefaults() {
  // Results before sources: a source then lines up with its use.
  SmallVector<Value> values;
  for (auto &[value, unused] : order)
    values.push_back(value);
  for (Value value : llvm::reverse(values)) {
    if (find(value))
      continue;
    ArrayRef<int64_t> shape = getTileShape(value.getType());
    layout::BlockedOptions options;
    options.elementBits = getElementBits(getTileElementType(value.getType()));
    options.threads = countLanes(value);
    options.packDim = findStoredPackDim(value);
    options.vectorBits = getVectorBits(value);
    assign(value, layout::blocked(layout::Coords(shape.begin(), shape.end()),
                                  options));
    propagate();
  }
}

/// A gemm whose accumulator got its layout from another gemm works on a
/// converted copy.
void LayoutSolver::convertGemms() {
  for (GemmOp gemm : gemms) {
    FragmentLayout wanted = planGemm(gemm, getNumWarps(gemm)).accumulator;
    if (*find(gemm.getResult()) == wanted)
      continue;
    auto type = cast<RankedTensorType>(gemm.getResult().getType());
    auto wantedType =
        RankedTensorType::get(type.getShape(), type.getElementType(),
                              LayoutAttr::get(gemm.getContext(), wanted));
    OpBuilder builder(gemm);
    auto before = ConvertLayoutOp::create(builder, gemm.getLoc(), wantedType,
                                          gemm.getAccumulator());
    gemm.getAccumulatorMutable().assign(before);
    builder.setInsertionPointAfter(gemm);
    auto after =
        ConvertLayoutOp::create(builder, gemm.getLoc(), type, gemm.getResult());
    gemm.getResult().replaceAllUsesExcept(after.getResult(), after);
    FragmentLayout carried = *find(gemm.getResult());
    order.erase(gemm.getResult());
    gemm.getResult().setType(wantedType);
    add(after.getResult());
    assign(after.getResult(), carried);
  }
}

void LayoutSolver::assignTypes() {
  for (auto &[value, unused] : order) {
    auto type = cast<RankedTensorType>(value.getType());
    auto withLayout =
        RankedTensorType::get(type.getShape(), type.getElementType(),
                              LayoutAttr::get(type.getContext(), *find(value)));
    value.setType(withLayout);
    auto constant = value.getDefiningOp<arith::ConstantOp>();
    if (!constant)
      continue;
    if (auto splat = dyn_cast<SplatElementsAttr>(constant.getValue()))
      constant.setValueAttr(splat.resizeSplat(withLayout));
    else if (auto dense = dyn_cast<DenseElementsAttr>(constant.getValue()))
      constant.setValueAttr(dense.reshape(withLayout));
  }
}

/// Where a fragment that a loop writes through an index map did not get the
/// layout that this asks for, converts it in front of the loop and behind.
void LayoutSolver::repairWrite(const IndexEdge &edge) {
  auto loop = cast<ParallelOp>(edge.use);
  if (!edge.map)
    return;
  Value result = loop.getResult(*edge.written);
  FragmentLayout needed =
      layout::readThrough(getIterationLayout(loop), *edge.map).layout;
  auto type = cast<RankedTensorType>(result.getType());
  if (needed == getFragmentLayout(type).getLayout())
    return;
  auto neededType =
      RankedTensorType::get(type.getShape(), type.getElementType(),
                            LayoutAttr::get(type.getContext(), needed));
  OpBuilder builder(loop);
  OpOperand &init = loop.getInitsMutable()[*edge.written];
  init.set(
      ConvertLayoutOp::create(builder, loop.getLoc(), neededType, init.get()));
  result.setType(neededType);
  builder.setInsertionPointAfter(loop);
  auto after = ConvertLayoutOp::create(builder, loop.getLoc(), type, result);
  result.replaceAllUsesExcept(after.getResult(), after);
}

/// Where a source did not get the layout that its index map asks for, converts
/// it for the use; uses that ask for the same share the conversion.
void LayoutSolver::repairEdges() {
  DenseMap<std::pair<Value, Type>, Value> converted;
  for (const IndexEdge &edge : edges) {
    if (edge.written) {
      repairWrite(edge);
      continue;
    }
    // Not the edge's own source and result: `convertGemms` may have put a
    // conversion behind them.
    Value source = edge.use->getOperand(0);
    auto loop = edge.use->getParentOfType<ParallelOp>();
    auto needed = getSourceLayout(
        edge, isa<ElementOp>(edge.use)
                  ? getIterationLayout(loop)
                  : getFragmentLayout(edge.result.getType()).getLayout());
    if (auto reindex = dyn_cast<ReindexOp>(edge.use); reindex && !needed)
      lookups.push_back(reindex);
    if (!needed || *needed == getFragmentLayout(source.getType()).getLayout())
      continue;
    auto type = cast<RankedTensorType>(source.getType());
    auto neededType =
        RankedTensorType::get(type.getShape(), type.getElementType(),
                              LayoutAttr::get(type.getContext(), *needed));
    Value &convert = converted[{source, neededType}];
    if (!convert) {
      OpBuilder builder(type.getContext());
      builder.setInsertionPointAfterValue(source);
      convert =
          ConvertLayoutOp::create(builder, source.getLoc(), neededType, source);
    }
    edge.use->setOperand(0, convert);
  }
}

/// A conversion that moves elements between threads goes through shared memory.
static void stageConversion(ConvertLayoutOp convert) {
  auto from = getFragmentLayout(convert.getSource().getType());
  auto to = getFragmentLayout(convert.getResult().getType());
  layout::ConversionPlan plan =
      layout::planConversion(from.getLayout(), to.getLayout());
  if (plan.kind == layout::ConversionKind::Identical ||
      plan.kind == layout::ConversionKind::RegisterPermutation)
    return;
  OpBuilder builder(convert);
  auto type = cast<RankedTensorType>(convert.getSource().getType());
  if (getElementBits(type.getElementType()) == 4)
    return stagePackedConversion(convert);
  auto shared = SharedType::get(builder.getContext(), type.getShape(),
                                type.getElementType(), /*packDim=*/-1,
                                SharedLayoutAttr());
  auto alloc =
      AllocSharedOp::create(builder, convert.getLoc(), shared,
                            builder.getStringAttr("conversion"), IntegerAttr());
  StoreOp::create(builder, convert.getLoc(), convert.getSource(), alloc,
                  ValueRange());
  auto load =
      LoadOp::create(builder, convert.getLoc(), convert.getResult().getType(),
                     alloc, ValueRange(), Value());
  convert.replaceAllUsesWith(load.getResult());
  convert.erase();
}

/// A narrowing conversion on the way to memory may number its registers freely:
/// as memory does, so that neighbours are packed together.
static void orderStoredRegisters(StoreOp store) {
  auto cast = store.getValue().getDefiningOp<CastOp>();
  if (!cast || !cast->hasOneUse() ||
      !isa<GlobalType>(store.getMemory().getType()))
    return;
  auto type = llvm::cast<RankedTensorType>(cast.getResult().getType());
  FragmentLayout ordered =
      orderRegistersRowMajor(getFragmentLayout(type).getLayout());
  cast.getResult().setType(
      RankedTensorType::get(type.getShape(), type.getElementType(),
                            LayoutAttr::get(type.getContext(), ordered)));
}

/// Elements of a fragment that a thread can hold without code that takes
/// minutes to compile; an accumulator of 256x256 on 128 threads has as many.
static constexpr int64_t maxElementsPerThread = 512;

/// Refuses fragments whose extents have so few factors of two that threads
/// cannot share them out.
static LogicalResult checkSizes(KernelOp kernel) {
  WalkResult walked = kernel.walk([](Operation *op) -> WalkResult {
    for (Type type : op->getResultTypes()) {
      LayoutAttr layout = getFragmentLayout(type);
      int64_t elements =
          layout ? layout.getLayout().elementsPerThread() : int64_t(0);
      if (elements <= maxElementsPerThread)
        continue;
      InFlightDiagnostic error = op->emitError("a fragment of ");
      llvm::interleave(
          getTileShape(type), [&](int64_t extent) { error << extent; },
          [&]() { error << "x"; });
      error << " puts " << elements << " elements in each thread; the limit is "
            << maxElementsPerThread;
      error.attachNote() << "help: use extents that are multiples of a larger "
                            "power of two, a smaller tile or more threads";
      return failure();
    }
    return success();
  });
  return failure(walked.wasInterrupted());
}

namespace {
struct InferLayouts : tile::impl::InferLayoutsPassBase<InferLayouts> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<KernelOp>()) {
      if (failed(checkGemms(kernel, getArgument())))
        return signalPassFailure();
      adoptPacking(kernel);
      cloneConstantsIntoTeams(kernel);
      if (failed(LayoutSolver(kernel).solve()) || failed(checkSizes(kernel)))
        return signalPassFailure();
      kernel.walk([](StoreOp store) { orderStoredRegisters(store); });
      giveBytesOwners(kernel);
      WalkResult walked = kernel.walk([&](AllocSharedOp alloc) {
        return WalkResult(failure(failed(chooseSharedLayout(alloc)) ||
                                  failed(inferPartLayouts(alloc.getResult()))));
      });
      if (walked.wasInterrupted())
        return signalPassFailure();
      SmallVector<ConvertLayoutOp> conversions;
      kernel.walk(
          [&](ConvertLayoutOp convert) { conversions.push_back(convert); });
      for (ConvertLayoutOp convert : conversions)
        stageConversion(convert);
    }
  }
};
} // namespace
