//===- StructureToNVVM.cpp - Loops, branches and names of memory ----------===//

#include "compiler/Conversion/TileToNVVM/Emitters.h"
#include "compiler/Conversion/TileToNVVM/GlobalAddress.h"
#include "compiler/Conversion/TileToNVVM/SpareNibble.h"
#include "dialects/Tile/Transforms/AccessFacts.h"
#include "dialects/Tile/Transforms/TmaVariant.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace mlir::tile;

/// Whether an iteration hands on a fragment that is being loaded from a tensor
/// in pieces of words: it goes from iteration to iteration in these pieces,
/// since to join them is to wait for them.
static bool isOnItsWay(scf::ForOp op, unsigned index, unsigned depth = 0) {
  Value yielded = op.getBody()->getTerminator()->getOperand(index);
  if (auto load = yielded.getDefiningOp<LoadOp>())
    return isLoadedInPieces(load);
  auto argument = dyn_cast<BlockArgument>(yielded);
  unsigned inductionVars = op.getNumInductionVars();
  return argument && argument.getOwner() == op.getBody() &&
         argument.getArgNumber() >= inductionVars &&
         depth < op.getNumRegionIterArgs() &&
         isOnItsWay(op, argument.getArgNumber() - inductionVars, depth + 1);
}

static void appendPieces(KernelEmitter &e, Value value,
                         SmallVectorImpl<Value> &flat) {
  llvm::append_range(flat, e.getFragment(value).getPieces(e.builder, e.loc));
}

static void takePieces(KernelEmitter &e, Value value, ValueRange &flat) {
  Type type = getTileElementType(value.getType());
  unsigned count = e.getLayout(value).elementsPerThread(),
           pieces = FragmentValue(type, count).getPieceCount();
  e.setFragment(value,
                FragmentValue::ofPieces(
                    type, count, SmallVector<Value>(flat.take_front(pieces))));
  flat = flat.drop_front(pieces);
}

/// Emits a region's block in place and ends it with a yield of its flat values,
/// of some in pieces.
static LogicalResult emitBody(KernelEmitter &e, Block &source, Block *target,
                              const llvm::BitVector &inPieces = {}) {
  OpBuilder::InsertionGuard guard(e.builder);
  if (!target->empty() && target->back().hasTrait<OpTrait::IsTerminator>())
    target->back().erase();
  e.builder.setInsertionPointToEnd(target);
  if (failed(e.emitBlock(source)))
    return failure();
  SmallVector<Value> yielded;
  for (auto [i, value] : llvm::enumerate(source.getTerminator()->getOperands()))
    if (i < inPieces.size() && inPieces[i])
      appendPieces(e, value, yielded);
    else
      e.appendFlat(value, yielded);
  scf::YieldOp::create(e.builder, e.loc, yielded);
  return success();
}

static void takeResults(KernelEmitter &e, ResultRange results,
                        ValueRange flat) {
  for (Value result : results)
    e.takeFlat(result, flat);
}

/// Tells LLVM to leave a loop as it is.
static LLVM::LoopAnnotationAttr keepRolled(MLIRContext *context) {
  auto unroll = LLVM::LoopUnrollAttr::get(
      context, /*disable=*/BoolAttr::get(context, true), /*count=*/{},
      /*runtimeDisable=*/{}, /*full=*/{}, /*followupUnrolled=*/{},
      /*followupRemainder=*/{}, /*followupAll=*/{});
  return LLVM::LoopAnnotationAttr::get(
      context, /*disableNonforced=*/{}, /*vectorize=*/{}, /*interleave=*/{},
      unroll, /*unrollAndJam=*/{}, /*licm=*/{}, /*distribute=*/{},
      /*pipeline=*/{}, /*peeled=*/{}, /*unswitch=*/{}, /*mustProgress=*/{},
      /*isVectorized=*/{}, /*startLoc=*/{}, /*endLoc=*/{},
      /*parallelAccesses=*/{});
}

static LogicalResult emitFor(KernelEmitter &e, scf::ForOp op) {
  llvm::BitVector inPieces(op.getNumRegionIterArgs());
  for (unsigned i = 0; i < inPieces.size(); ++i)
    inPieces[i] = isOnItsWay(op, i);
  SmallVector<Value> inits;
  for (auto [i, init] : llvm::enumerate(op.getInitArgs()))
    inPieces[i] ? appendPieces(e, init, inits) : e.appendFlat(init, inits);
  auto loop = scf::ForOp::create(
      e.builder, e.loc, e.getScalar(op.getLowerBound()),
      e.getScalar(op.getUpperBound()), e.getScalar(op.getStep()), inits);
  if (op->hasAttr(rolledAttrName))
    loop->setAttr("llvm.loop_annotation", keepRolled(op.getContext()));
  e.setScalar(op.getInductionVar(), loop.getInductionVar());
  ValueRange carried = loop.getRegionIterArgs();
  llvm::SaveAndRestore held(e.carriedRegisters,
                            e.carriedRegisters + unsigned(carried.size()));
  for (auto [i, arg] : llvm::enumerate(op.getRegionIterArgs()))
    inPieces[i] ? takePieces(e, arg, carried) : e.takeFlat(arg, carried);
  if (failed(emitBody(e, *op.getBody(), loop.getBody(), inPieces)))
    return failure();
  ValueRange results = loop.getResults();
  for (auto [i, result] : llvm::enumerate(op.getResults()))
    inPieces[i] ? takePieces(e, result, results) : e.takeFlat(result, results);
  return success();
}

static LogicalResult emitIf(KernelEmitter &e, scf::IfOp op) {
  SmallVector<Type> types;
  for (Type type : op.getResultTypes())
    llvm::append_range(types, e.getFlatTypes(type));
  bool hasElse = !op.getElseRegion().empty();
  auto branch = scf::IfOp::create(e.builder, e.loc, types,
                                  e.getScalar(op.getCondition()), hasElse);
  if (failed(emitBody(e, *op.thenBlock(), branch.thenBlock())))
    return failure();
  if (hasElse && failed(emitBody(e, *op.elseBlock(), branch.elseBlock())))
    return failure();
  takeResults(e, op.getResults(), branch.getResults());
  return success();
}

static LogicalResult emitWhile(KernelEmitter &e, scf::WhileOp op) {
  SmallVector<Value> inits;
  for (Value init : op.getInits())
    e.appendFlat(init, inits);
  SmallVector<Type> types;
  for (Type type : op.getResultTypes())
    llvm::append_range(types, e.getFlatTypes(type));
  auto loop = scf::WhileOp::create(e.builder, e.loc, types, inits);
  OpBuilder::InsertionGuard guard(e.builder);
  auto addBlock = [&](Region &region, ValueRange values, Block *source) {
    Block *block = e.builder.createBlock(&region);
    for (Value value : values)
      block->addArgument(value.getType(), e.loc);
    ValueRange arguments = block->getArguments();
    for (BlockArgument argument : source->getArguments())
      e.takeFlat(argument, arguments);
  };
  addBlock(loop.getBefore(), inits, op.getBeforeBody());
  if (failed(e.emitBlock(*op.getBeforeBody())))
    return failure();
  SmallVector<Value> passed;
  scf::ConditionOp condition = op.getConditionOp();
  for (Value value : condition.getArgs())
    e.appendFlat(value, passed);
  scf::ConditionOp::create(e.builder, e.loc,
                           e.getScalar(condition.getCondition()), passed);
  addBlock(loop.getAfter(), passed, op.getAfterBody());
  if (failed(e.emitBlock(*op.getAfterBody())))
    return failure();
  SmallVector<Value> yielded;
  for (Value value : op.getYieldOp().getOperands())
    e.appendFlat(value, yielded);
  scf::YieldOp::create(e.builder, e.loc, yielded);
  takeResults(e, op.getResults(), loop.getResults());
  return success();
}

LogicalResult tile::emitControlFlow(KernelEmitter &e, Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return emitFor(e, loop);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return emitIf(e, branch);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return emitWhile(e, loop);
  return op->emitError("'") << op->getName() << "' is not supported yet";
}

/// Where a tile's buffer of an iteration lies.
LogicalResult tile::emitStage(KernelEmitter &e, StageOp op) {
  SharedView source = e.getShared(op.getSource());
  int64_t stages = source.type.getShape()[0];
  Value iteration = e.getScalar(op.getIteration());
  Type i32 = e.builder.getI32Type();
  Value narrow = e.builder.createOrFold<arith::TruncIOp>(e.loc, i32, iteration);
  Value slot = e.add(narrow, e.i32(op.getOffset()));
  if (!op.getInRange())
    slot = e.remui(slot, e.i32(stages));
  int64_t bytes = source.type.getStorage().bytes() / stages;
  e.setShared(op, {e.offsetPointer(source.pointer, e.mul(slot, e.i32(bytes))),
                   op.getType()});
  return success();
}

/// A tensor narrowed to a part: its bounds are those of the part and of the
/// tensor.
LogicalResult tile::emitView(KernelEmitter &e, ViewOp op) {
  const GlobalView source = e.getGlobal(op.getSource());
  SmallVector<Value> offsets = e.getScalars(op.getOffsets());
  GlobalView view;
  view.type = op.getType();
  SmallVector<int64_t> kept = op.getKeptDims();
  Value bytes = e.i64(0), inside;
  for (auto [d, offset] : llvm::enumerate(offsets)) {
    Value unit = offset;
    if (int64_t(d) == source.type.getPackDim()) {
      Value limit = source.packLimit ? source.packLimit : source.extents[d];
      view.packLimit = e.sub(limit, offset);
      Value index = getPackedIndex(e, source, offset);
      if (source.packPhase || getKnownDivisor(op.getOffsets()[d]) % 2 != 0)
        view.packPhase = e.andi(index, e.i64(1));
      unit = e.builder.createOrFold<arith::ShRSIOp>(e.loc, index, e.i64(1));
    }
    bytes = e.add(bytes, e.mul(unit, source.strides[d]));
    if (llvm::is_contained(kept, int64_t(d)))
      continue;
    Value isIndex = getIndexInBounds(e, source, d, offset);
    inside = inside ? e.andi(inside, isIndex) : isIndex;
  }
  view.pointer = e.offsetPointer(source.pointer, bytes);
  auto limit = [&](Value a, Value b) {
    return e.builder.createOrFold<arith::MinSIOp>(e.loc, a, b);
  };
  auto atLeastZero = [&](Value a) {
    return e.builder.createOrFold<arith::MaxSIOp>(e.loc, a, e.i64(0));
  };
  for (auto [size, d] : llvm::zip_equal(e.getScalars(op.getSizes()), kept)) {
    Value upper =
        atLeastZero(limit(size, e.sub(source.extents[d], offsets[d])));
    if (inside)
      upper = e.select(inside, upper, e.i64(0));
    view.extents.push_back(upper);
    view.strides.push_back(source.strides[d]);
    Value first = source.lowers.empty() || !source.lowers[d] ? e.i64(0)
                                                             : source.lowers[d];
    view.lowers.push_back(atLeastZero(e.sub(first, offsets[d])));
  }
  e.setGlobal(op, view);
  return success();
}

/// Where a part of a tile begins.  Its type says how its rows lie
/// (infer-layouts).
LogicalResult tile::emitSlice(KernelEmitter &e, SliceOp op) {
  SharedView source = e.getShared(op.getSource());
  layout::SharedLayout storage = source.type.getStorage();
  Type i32 = e.builder.getI32Type();
  Value offset = e.i32(0);
  for (auto [d, index] : llvm::enumerate(op.getOffsets())) {
    Value narrow =
        e.builder.createOrFold<arith::TruncIOp>(e.loc, i32, e.getScalar(index));
    if (int(d) == storage.packDim())
      narrow = e.shr(narrow, 1);
    offset = e.add(offset, e.mul(narrow, e.i32(storage.strideBytes(d))));
  }
  e.setShared(op, {e.offsetPointer(source.pointer, offset), op.getType()});
  return success();
}

/// The block's shared memory, whose base the hardware sets.
LogicalResult tile::emitAllocShared(KernelEmitter &e, AllocSharedOp op) {
  e.setShared(op,
              {e.getSharedPointer(op.getOffset().value_or(0)), op.getType()});
  return success();
}

/// The bytes of a packed tensor or tile are the same memory.
LogicalResult tile::emitBytes(KernelEmitter &e, BytesOp op) {
  if (isa<SharedType>(op.getSource().getType())) {
    e.setShared(op, {e.getShared(op.getSource()).pointer,
                     cast<SharedType>(op.getType())});
    return success();
  }
  e.setGlobal(op, getBytesView(e, e.getGlobal(op.getSource())));
  return success();
}
