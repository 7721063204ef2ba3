//===- StructureOps.cpp - Indices and element loops -----------------------===//
//
// `tile.parallel` runs its body once, with one lane for each iteration: the
// loop variables are vectors that count through the index space.
//
//===----------------------------------------------------------------------===//
#include "compiler/Interpreter/BlockInterpreter.h"

#include "mlir/IR/AffineExpr.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec;

static LogicalResult executeSymbol(BlockInterpreter &block, tile::SymbolOp op) {
  auto found = block.getLaunch().symbols.find(op.getName());
  if (found == block.getLaunch().symbols.end())
    return block.fail(op, "symbol '" + op.getName() + "' has no value");
  block.set(op.getResult(), Integers(found->second));
  return success();
}

static LogicalResult executeBlockId(BlockInterpreter &block,
                                    tile::BlockIdOp op) {
  block.set(op.getResult(), Integers(block.getPosition()[op.getAxis()]));
  return success();
}

/// The number of the block in the launch, and of all blocks.
static std::pair<int64_t, int64_t> countBlocks(BlockInterpreter &block) {
  int64_t number = 0, blocks = 1;
  for (auto [place, extent] :
       llvm::zip_equal(block.getPosition(), block.getLaunch().grid)) {
    number += place * blocks;
    blocks *= extent;
  }
  return {number, blocks};
}

static LogicalResult executeBlockNumber(BlockInterpreter &block,
                                        tile::BlockNumberOp op) {
  block.set(op.getResult(), Integers(countBlocks(block).first));
  return success();
}

static LogicalResult executeBlockCount(BlockInterpreter &block,
                                       tile::BlockCountOp op) {
  block.set(op.getResult(), Integers(countBlocks(block).second));
  return success();
}

/// Blocks take the index tuples in turn.
static LogicalResult executePersistent(BlockInterpreter &block,
                                       tile::PersistentOp op) {
  FailureOr<std::vector<int64_t>> extents =
      block.getUniform(op, op.getExtents());
  if (failed(extents))
    return failure();
  int64_t count = 1;
  for (int64_t extent : *extents) {
    if (extent < 0)
      return block.fail(op,
                        "an extent of 'persistent' is " + llvm::Twine(extent));
    count *= extent;
  }
  auto [first, blocks] = countBlocks(block);
  for (int64_t number = first; number < count; number += blocks) {
    std::vector<RuntimeValue> indices;
    int64_t rest = number;
    for (int64_t extent : *extents) {
      indices.push_back(Integers(rest % extent));
      rest /= extent;
    }
    if (failed(block.runRegion(op.getBody(), indices)))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Element loops
//===----------------------------------------------------------------------===//

/// One vector for each loop variable: its value in each lane.
static std::vector<Integers> makeLoopVariables(ArrayRef<int64_t> extents,
                                               int64_t lanes) {
  std::vector<Integers> variables;
  int64_t inner = lanes;
  for (int64_t extent : extents) {
    inner /= extent;
    std::vector<int64_t> values(lanes);
    for (int64_t lane = 0; lane < lanes; ++lane)
      values[lane] = lane / inner % extent;
    variables.push_back(Integers(std::move(values)));
  }
  return variables;
}

/// Value of an index expression in each lane.
static Integers evaluateAffine(AffineExpr expr, ArrayRef<Integers> variables) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return variables[dim.getPosition()];
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return Integers(constant.getValue());
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Integers a = evaluateAffine(binary.getLHS(), variables);
  Integers b = evaluateAffine(binary.getRHS(), variables);
  using I = int64_t;
  using U = uint64_t;
  // A divisor that is not positive has no meaning.
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return mapElements<I>([](I x, I y) { return I(U(x) + U(y)); }, a, b);
  case AffineExprKind::Mul:
    return mapElements<I>([](I x, I y) { return I(U(x) * U(y)); }, a, b);
  case AffineExprKind::Mod:
    return mapElements<I>([](I x, I y) { return y > 0 ? llvm::mod(x, y) : 0; },
                          a, b);
  case AffineExprKind::FloorDiv:
    return mapElements<I>(
        [](I x, I y) { return y > 0 ? llvm::divideFloorSigned(x, y) : 0; }, a,
        b);
  default:
    return mapElements<I>(
        [](I x, I y) { return y > 0 ? llvm::divideCeilSigned(x, y) : 0; }, a,
        b);
  }
}

/// The index in each dimension of result `result` that each lane writes.  Makes
/// no attribute: blocks run on several threads.
static FailureOr<std::vector<Integers>>
locateResult(BlockInterpreter &block, tile::ParallelOp op, unsigned result,
             const std::vector<Integers> &variables) {
  std::optional<ArrayAttr> maps = op.getMaps();
  if (!maps)
    return variables;
  AffineMap map = cast<AffineMapAttr>((*maps)[result]).getValue();
  if (map.getNumSymbols() != 0)
    return block.fail(op, "an index map of 'parallel' has no symbols");
  std::vector<Integers> indices;
  for (AffineExpr expr : map.getResults())
    indices.push_back(evaluateAffine(expr, variables));
  return indices;
}

/// Number of the element of a fragment that each lane writes.
static FailureOr<std::vector<int64_t>>
numberElements(BlockInterpreter &block, tile::ParallelOp op,
               ArrayRef<Integers> indices, ArrayRef<int64_t> shape,
               int64_t lanes) {
  std::vector<int64_t> elements(lanes, 0);
  for (auto [index, extent] : llvm::zip_equal(indices, shape))
    for (int64_t lane = 0; lane < lanes; ++lane) {
      if (index[lane] < 0 || index[lane] >= extent)
        return block.fail(op, "'parallel' writes a fragment at index " +
                                  llvm::Twine(index[lane]) +
                                  " of a dimension of " + llvm::Twine(extent));
      elements[lane] = elements[lane] * extent + index[lane];
    }
  return elements;
}

/// The fragment `init` with the elements that the lanes yield put in place.
template <typename T>
static Elements<T> scatter(const Elements<T> &init, const Elements<T> &yielded,
                           ArrayRef<int64_t> places, int64_t size) {
  std::vector<T> elements = init.expand(size);
  for (size_t lane = 0; lane < places.size(); ++lane)
    elements[places[lane]] = yielded[lane];
  return Elements<T>(std::move(elements));
}

static LogicalResult executeParallel(BlockInterpreter &block,
                                     tile::ParallelOp op) {
  if (failed(block.requireWholeBlock(op)))
    return failure();
  ArrayRef<int64_t> extents = op.getExtents();
  int64_t lanes = llvm::product_of(extents);
  std::vector<Integers> variables = makeLoopVariables(extents, lanes);
  std::vector<RuntimeValue> arguments(variables.begin(), variables.end());

  FailureOr<std::vector<RuntimeValue>> yielded;
  {
    MaskScope scope(block, LaneMask{lanes, /*inParallel=*/true, nullptr});
    yielded = block.runRegion(op.getBody(), arguments);
  }
  if (failed(yielded))
    return failure();

  for (auto [index, result] : llvm::enumerate(op.getResults())) {
    auto shape = cast<RankedTensorType>(result.getType()).getShape();
    const RuntimeValue &written = (*yielded)[index];
    if (!op.getMaps() && shape == extents) {
      block.set(result, written);
      continue;
    }
    FailureOr<std::vector<Integers>> indices =
        locateResult(block, op, index, variables);
    if (failed(indices))
      return failure();
    FailureOr<std::vector<int64_t>> places =
        numberElements(block, op, *indices, shape, lanes);
    if (failed(places))
      return failure();
    const RuntimeValue &init = block.get(op.getInits()[index]);
    int64_t size = llvm::product_of(shape);
    if (written.isInteger())
      block.set(result, scatter(init.getIntegers(), written.getIntegers(),
                                *places, size));
    else
      block.set(result,
                RuntimeValue(scatter(init.getFloats(), written.getFloats(),
                                     *places, size),
                             init.isWide() || written.isWide()));
  }
  return success();
}

void tilec::addStructureHandlers(HandlerTable &table) {
  table.add<tile::SymbolOp, executeSymbol>();
  table.add<tile::BlockIdOp, executeBlockId>();
  table.add<tile::BlockNumberOp, executeBlockNumber>();
  table.add<tile::BlockCountOp, executeBlockCount>();
  table.add<tile::PersistentOp, executePersistent>();
  table.add<tile::ParallelOp, executeParallel>();
}
