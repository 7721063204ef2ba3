//===- SplitSums.cpp - Sums that begin at 0, some columns at a time -------===//
//
// The sums of a group of K that join a total take as many registers as the
// total, and nothing multiplies in the warpgroup while they are added.  Where
// select-mma chose instructions of fewer columns than the product has
// (WgmmaCandidates.h), each part of the columns goes the whole way on its own:
//
//     start part 0; start part 1
//     wait until 1 is pending; add part 0 to the total; start part 2; ...
//
// with as many in flight as the registers hold.  The arithmetic that follows is
// elementwise, from the sums to the total, and is split with them.  What else
// it takes is made in front of the product, whether it is split or not. Columns
// are those of the instruction: rows of the tile where operands are swapped. An
// operand in registers is that of all parts.
//
//===----------------------------------------------------------------------===//

#include "dialects/Tile/Transforms/MemoryAccess.h"
#include "dialects/Tile/Transforms/Passes.h"
#include "dialects/Tile/Transforms/WgmmaCandidates.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::tile {
#define GEN_PASS_DEF_SPLITSUMSPASS
#include "dialects/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

/// Whether an op computes each element from those at the same place.
static bool isElementwise(Operation *op) {
  return (OpTrait::hasElementwiseMappableTraits(op) || isa<CastOp>(op)) &&
         isPure(op) && op->getNumResults() == 1;
}

/// `fragment` as the part of `columns` along `dim` has it; null if threads
/// would hold other elements.
static RankedTensorType getPartType(RankedTensorType fragment, int dim,
                                    int64_t columns) {
  LayoutAttr layout = getFragmentLayout(fragment);
  if (!layout || fragment.getRank() != 2)
    return {};
  SmallVector<int64_t> shape(fragment.getShape());
  shape[dim] = columns;
  auto part =
      layout.getLayout().partLayout({int32_t(shape[0]), int32_t(shape[1])});
  if (!part)
    return {};
  return RankedTensorType::get(shape, fragment.getElementType(),
                               LayoutAttr::get(fragment.getContext(), *part));
}

static int64_t countRegisters(Type fragment) {
  return getFragmentLayout(fragment).getLayout().elementsPerThread();
}

/// Registers of the operand that a product takes from there.
static int64_t countOperandRegisters(WgmmaOp product) {
  Value left = product.getMma().getSwap() ? product.getB() : product.getA();
  if (isa<SharedType>(left.getType()))
    return 0;
  return countRegisters(left.getType()) *
         getElementBits(getTileElementType(left.getType())) / 32;
}

namespace {
/// One product whose sums begin at 0, and the arithmetic behind it.
class SumSplitter {
public:
  explicit SumSplitter(MmaWaitOp wait)
      : wait(wait), start(wait.getSums().getDefiningOp<WgmmaOp>()) {}

  void run();

private:
  bool isCandidate();
  bool collectArithmetic();
  bool hoistInputs();
  Value getPart(OpBuilder &builder, Value value, int64_t column);
  Value startPart(OpBuilder &builder, int64_t column);
  RankedTensorType getPartType(RankedTensorType fragment) const {
    return ::getPartType(fragment, dim, columns);
  }
  void emitArithmetic(OpBuilder &builder, int64_t column, Value sums);

  MmaWaitOp wait;
  WgmmaOp start;
  /// Columns of a part, and the dimension of the tile that they are.
  int64_t columns = 0;
  int dim = 1;
  /// From the sums to what others use, in order.
  llvm::SetVector<Operation *> arithmetic;
  /// By op of `arithmetic`, its parts so far.
  DenseMap<Operation *, SmallVector<Value>> parts;
};
} // namespace

bool SumSplitter::isCandidate() {
  if (!start || !start.getOverwrite() || wait.getPending() != 0 ||
      start->getBlock() != wait->getBlock())
    return false;
  MmaAttr mma = start.getMma();
  dim = mma.getSwap() ? 0 : 1;
  columns = mma.getN();
  auto fragment = cast<RankedTensorType>(wait.getResult().getType());
  if ((mma.getSwap() ? mma.getWarpsM() : mma.getWarpsN()) != 1)
    columns = fragment.getDimSize(dim);
  return getPartType(fragment) != nullptr;
}

/// Finds the elementwise ops that the sums go through.
bool SumSplitter::collectArithmetic() {
  SmallVector<Value> reached{wait.getResult()};
  auto shape = cast<RankedTensorType>(wait.getResult().getType()).getShape();
  for (Operation *op = wait->getNextNode(); op; op = op->getNextNode()) {
    if (llvm::none_of(op->getOperands(), [&](Value operand) {
          return llvm::is_contained(reached, operand);
        }))
      continue;
    if (!isElementwise(op))
      continue;
    auto result = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    if (!result || result.getShape() != shape || !getPartType(result))
      continue;
    arithmetic.insert(op);
    reached.push_back(op->getResult(0));
  }
  // Sums that something else takes must be whole.
  return !arithmetic.empty() &&
         llvm::all_of(wait->getUsers(), [&](Operation *user) {
           return arithmetic.contains(user);
         });
}

/// Moves what else the arithmetic takes in front of the product; false if it
/// must stay behind.
bool SumSplitter::hoistInputs() {
  Block *block = start->getBlock();
  llvm::SetVector<Operation *> makers;
  SmallVector<Operation *> worklist(arithmetic.begin(), arithmetic.end());
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val();
    for (Value operand : op->getOperands()) {
      Operation *maker = operand.getDefiningOp();
      if (!maker || maker == wait || arithmetic.contains(maker))
        continue;
      if (maker->getBlock() != block || maker->isBeforeInBlock(start))
        continue;
      if (makers.insert(maker))
        worklist.push_back(maker);
    }
  }
  SmallVector<Operation *> ordered;
  bool writesMemory = false;
  Operation *last = arithmetic.back();
  for (Operation *op = start; op != last; op = op->getNextNode()) {
    if (makers.contains(op)) {
      bool isRead = isa<LoadOp>(op);
      if (op->getNumRegions() != 0 || !(isPure(op) || isRead))
        return false;
      // What is read must be what it was in front of the product.
      if (isRead && writesMemory)
        return false;
      ordered.push_back(op);
      continue;
    }
    if (isPure(op) || isa<WgmmaOp, LoadOp>(op))
      continue;
    writesMemory = true;
  }
  for (Operation *op : ordered)
    op->moveBefore(start);
  return true;
}

Value SumSplitter::getPart(OpBuilder &builder, Value value, int64_t column) {
  auto fragment = dyn_cast<RankedTensorType>(value.getType());
  if (!fragment)
    return value;
  int64_t start[] = {0, 0};
  start[dim] = column;
  return builder.createOrFold<PartOp>(value.getLoc(), getPartType(fragment),
                                      value,
                                      builder.getDenseI64ArrayAttr(start));
}

/// Starts the product of the columns from `column` on.
Value SumSplitter::startPart(OpBuilder &builder, int64_t column) {
  Value accumulator = getPart(builder, start.getAccumulator(), column);
  auto flying = InFlightType::get(
      builder.getContext(), cast<RankedTensorType>(accumulator.getType()));
  return WgmmaOp::create(builder, start.getLoc(), flying, start.getA(),
                         start.getB(), accumulator, start.getAccumulates(),
                         start.getK(), start.getDepth(), start.getMma(),
                         start.getTransposeA(), start.getTransposeB(),
                         start.getUnsignedA(), start.getUnsignedB(),
                         /*overwrite=*/true, column);
}

/// The arithmetic on the columns from `column` on.
void SumSplitter::emitArithmetic(OpBuilder &builder, int64_t column,
                                 Value sums) {
  IRMapping mapping;
  mapping.map(wait.getResult(), sums);
  for (Operation *op : arithmetic) {
    for (Value operand : op->getOperands())
      if (!mapping.contains(operand))
        mapping.map(operand, getPart(builder, operand, column));
    Operation *part = builder.clone(*op, mapping);
    Value result = part->getResult(0);
    result.setType(getPartType(cast<RankedTensorType>(result.getType())));
    mapping.map(op->getResult(0), result);
    parts[op].push_back(result);
  }
}

void SumSplitter::run() {
  if (!isCandidate() || !collectArithmetic() || !hoistInputs())
    return;
  auto whole = cast<RankedTensorType>(wait.getResult().getType());
  int64_t extent = whole.getDimSize(dim);
  if (columns == extent)
    return;
  OpBuilder builder(start);
  int64_t most =
      std::min(countPartsInFlight(
                   countRegisters(whole), countRegisters(getPartType(whole)),
                   countOperandRegisters(start),
                   start.getMma().getWarpsM() * start.getMma().getWarpsN()),
               extent / columns);
  SmallVector<Value> started;
  for (int64_t part = 0; part < most; ++part)
    started.push_back(startPart(builder, part * columns));
  for (int64_t part = 0; part < extent / columns; ++part) {
    int64_t pending = int64_t(started.size()) - part - 1;
    auto flying = cast<InFlightType>(started[part].getType());
    // Sums that others stay in flight behind are a fragment all the same: the
    // group of these is done.
    Value sums = MmaWaitOp::create(builder, wait.getLoc(), flying.getFragment(),
                                   started[part], pending);
    emitArithmetic(builder, part * columns, sums);
    if (int64_t next = started.size(); next * columns < extent)
      started.push_back(startPart(builder, next * columns));
  }
  for (Operation *op : llvm::reverse(arithmetic)) {
    if (!op->use_empty()) {
      Value whole = JoinOp::create(builder, op->getLoc(),
                                   op->getResult(0).getType(), parts[op], dim);
      op->getResult(0).replaceUsesWithIf(whole, [&](OpOperand &use) {
        return !arithmetic.contains(use.getOwner());
      });
    }
    op->erase();
  }
  wait.erase();
  start.erase();
}

namespace {
struct SplitSums : tile::impl::SplitSumsPassBase<SplitSums> {
  void runOnOperation() override {
    SmallVector<MmaWaitOp> waits;
    getOperation().walk([&](MmaWaitOp wait) { waits.push_back(wait); });
    for (MmaWaitOp wait : waits)
      SumSplitter(wait).run();
  }
};
} // namespace
