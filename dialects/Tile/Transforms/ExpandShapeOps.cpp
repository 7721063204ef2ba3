//===- ExpandShapeOps.cpp - Shape ops and reductions as element loops -----===//
//
// Each op becomes a `tile.parallel` over the elements of its result, which
// reads those of its source where they are; `stage-elements` then finds ways
// for them.  One iteration reduces one line.
//
//===----------------------------------------------------------------------===//

#include "dialects/Tile/IR/TileOps.h"
#include "dialects/Tile/Transforms/Passes.h"
#include "dialects/Tile/Transforms/TileBuilders.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::tile {
#define GEN_PASS_DEF_EXPANDSHAPEOPSPASS
#include "dialects/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

namespace {
/// Writes the loops that stand for one op, in front of it.
class OpExpander {
public:
  explicit OpExpander(Operation *op) : op(op), builder(op), loc(op->getLoc()) {}

  void expand(IotaOp iota);
  void expand(PartOp part);
  void expand(ReshapeOp reshape);
  void expand(ReinterpretOp reinterpret);
  void expand(ReduceOp reduce);
  void expand(ScanOp scan);
  void expand(AtomicOp atomic);
  void expand(AtomicElementOp atomic);

private:
  using Body = function_ref<Value(ValueRange)>;

  Value index(int64_t value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI64IntegerAttr(value));
  }
  Value add(Value a, Value b) {
    return builder.createOrFold<arith::AddIOp>(loc, a, b);
  }
  Value mul(Value a, int64_t b) {
    return builder.createOrFold<arith::MulIOp>(loc, a, index(b));
  }
  /// Zero of a type.
  Value zero(Type type) {
    return arith::ConstantOp::create(
        builder, loc, cast<TypedAttr>(builder.getZeroAttr(type)));
  }
  /// A fragment whose elements `body` gives for their indices.
  Value fill(RankedTensorType type, Body body);
  /// A loop of which nothing is carried but one value.
  Value accumulate(int64_t count, Value init,
                   function_ref<Value(Value, Value)> body);
  Value element(Value fragment, ValueRange indices) {
    return ElementOp::create(builder, loc,
                             getTileElementType(fragment.getType()), fragment,
                             indices);
  }
  Value castTo(Value value, Type type, bool isUnsigned);
  Value castBack(Value value, Type type, bool isUnsigned);
  Value combine(ReductionKind kind, bool isUnsigned, Value a, Value b);
  /// What an element counts as: itself or its magnitude, in the result's type.
  Value prepare(ReductionKind kind, bool isUnsigned, Value value, Type type);
  /// All elements of a fragment of rank 1 combined, in every thread.
  Value reduceVector(Value vector, ReductionKind kind, bool isUnsigned);
  Value reduceLines(Value source, int64_t dim, Type element, ReductionKind kind,
                    bool isUnsigned);
  void replace(Value value) {
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
  }

  Operation *op;
  OpBuilder builder;
  Location loc;
};
} // namespace

Value OpExpander::fill(RankedTensorType type, Body body) {
  auto loop = ParallelOp::create(builder, loc, type.getShape(), zero(type),
                                 ArrayAttr());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(loop.getBodyBlock());
  Value value = body(loop.getBodyBlock()->getArguments());
  YieldOp::create(builder, loc, value);
  return loop.getResult(0);
}

Value OpExpander::accumulate(int64_t count, Value init,
                             function_ref<Value(Value, Value)> body) {
  auto loop =
      scf::ForOp::create(builder, loc, index(0), index(count), index(1), init);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(loop.getBody());
  Value next = body(loop.getInductionVar(), loop.getRegionIterArg(0));
  scf::YieldOp::create(builder, loc, next);
  return loop.getResult(0);
}

Value OpExpander::castTo(Value value, Type type, bool isUnsigned) {
  return tile::castTo(builder, loc, value, type, isUnsigned);
}

/// Of a value that the type holds, which inf is in some: it must not saturate.
Value OpExpander::castBack(Value value, Type type, bool isUnsigned) {
  if (!isa<Float8E5M2Type>(type))
    return castTo(value, type, isUnsigned);
  return CastOp::create(builder, loc, type, value,
                        builder.getStringAttr("nosat"), isUnsigned,
                        /*result_unsigned=*/false);
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

void OpExpander::expand(IotaOp iota) {
  auto type = cast<RankedTensorType>(iota.getType());
  replace(fill(type, [&](ValueRange at) {
    return castTo(at[0], type.getElementType(), /*isUnsigned=*/false);
  }));
}

void OpExpander::expand(PartOp part) {
  auto type = cast<RankedTensorType>(part.getType());
  replace(fill(type, [&](ValueRange at) {
    SmallVector<Value> from;
    for (auto [i, offset] : llvm::zip_equal(at, part.getOffsets()))
      from.push_back(add(i, index(offset)));
    return element(part.getSource(), from);
  }));
}

void OpExpander::expand(ReshapeOp reshape) {
  auto type = cast<RankedTensorType>(reshape.getType());
  ArrayRef<int64_t> shape = getTileShape(reshape.getSource().getType());
  replace(fill(type, [&](ValueRange at) {
    Value linear = index(0);
    for (auto [i, extent] : llvm::zip_equal(at, type.getShape()))
      linear = add(mul(linear, extent), i);
    SmallVector<Value> from(shape.size());
    for (size_t d = shape.size(); d-- > 0;) {
      from[d] = d == 0 ? linear
                       : builder.createOrFold<arith::RemUIOp>(loc, linear,
                                                              index(shape[d]));
      linear =
          builder.createOrFold<arith::DivUIOp>(loc, linear, index(shape[d]));
    }
    return element(reshape.getSource(), from);
  }));
}

void OpExpander::expand(ReinterpretOp reinterpret) {
  auto type = cast<RankedTensorType>(reinterpret.getType());
  Type from = getTileElementType(reinterpret.getSource().getType());
  Type to = type.getElementType();
  int64_t fromBits = getElementBits(from), toBits = getElementBits(to);
  Type fromInteger = builder.getIntegerType(fromBits),
       toInteger = builder.getIntegerType(toBits);
  auto readBits = [&](ValueRange at, Value last) -> Value {
    SmallVector<Value> place(at);
    place.back() = last;
    Value value = element(reinterpret.getSource(), place);
    return from == fromInteger
               ? value
               : arith::BitcastOp::create(builder, loc, fromInteger, value);
  };
  replace(fill(type, [&](ValueRange at) -> Value {
    Value bits;
    if (toBits <= fromBits) {
      // The part of one element; low bits come first.
      Value parts = index(fromBits / toBits);
      Value whole = readBits(
          at, builder.createOrFold<arith::DivUIOp>(loc, at.back(), parts));
      Value shift = mul(
          builder.createOrFold<arith::RemUIOp>(loc, at.back(), parts), toBits);
      shift = castTo(shift, fromInteger, false);
      bits = arith::ShRUIOp::create(builder, loc, whole, shift);
      bits = builder.createOrFold<arith::TruncIOp>(loc, toInteger, bits);
    } else {
      for (int64_t i = 0; i < toBits / fromBits; ++i) {
        Value part =
            readBits(at, add(mul(at.back(), toBits / fromBits), index(i)));
        part = arith::ExtUIOp::create(builder, loc, toInteger, part);
        Value amount = arith::ConstantOp::create(
            builder, loc, builder.getIntegerAttr(toInteger, i * fromBits));
        part = builder.createOrFold<arith::ShLIOp>(loc, part, amount);
        bits =
            bits ? builder.createOrFold<arith::OrIOp>(loc, bits, part) : part;
      }
    }
    return to == toInteger ? bits
                           : arith::BitcastOp::create(builder, loc, to, bits);
  }));
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

Value OpExpander::combine(ReductionKind kind, bool isUnsigned, Value a,
                          Value b) {
  bool isFloating = isa<FloatType>(a.getType());
  switch (kind) {
  case ReductionKind::Sum:
    if (isFloating)
      return arith::AddFOp::create(builder, loc, a, b);
    return arith::AddIOp::create(builder, loc, a, b);
  case ReductionKind::Min:
    if (isFloating)
      return arith::MinNumFOp::create(builder, loc, a, b);
    if (isUnsigned)
      return arith::MinUIOp::create(builder, loc, a, b);
    return arith::MinSIOp::create(builder, loc, a, b);
  case ReductionKind::Max:
  case ReductionKind::AbsMax:
    if (isFloating)
      return arith::MaxNumFOp::create(builder, loc, a, b);
    // The magnitude of the lowest integer wraps, and is the largest unsigned.
    if (isUnsigned || kind == ReductionKind::AbsMax)
      return arith::MaxUIOp::create(builder, loc, a, b);
    return arith::MaxSIOp::create(builder, loc, a, b);
  }
  llvm_unreachable("all kinds are listed");
}

Value OpExpander::prepare(ReductionKind kind, bool isUnsigned, Value value,
                          Type type) {
  value = castTo(value, type, isUnsigned);
  if (kind != ReductionKind::AbsMax)
    return value;
  if (isa<FloatType>(type))
    return math::AbsFOp::create(builder, loc, value);
  return isUnsigned ? value : math::AbsIOp::create(builder, loc, value);
}

/// The type in which elements are compared or added up.
static Type getWorkType(Type element) {
  if (isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 16)
    return Float32Type::get(element.getContext());
  return element;
}

Value OpExpander::reduceLines(Value source, int64_t dim, Type element,
                              ReductionKind kind, bool isUnsigned) {
  ArrayRef<int64_t> shape = getTileShape(source.getType());
  SmallVector<int64_t> lines(shape);
  lines.erase(lines.begin() + dim);
  Type work = getWorkType(element);
  return fill(RankedTensorType::get(lines, element), [&](ValueRange at) {
    auto read = [&](Value i) {
      SmallVector<Value> place(at);
      place.insert(place.begin() + dim, i);
      return prepare(kind, isUnsigned, this->element(source, place), work);
    };
    Value total =
        accumulate(shape[dim] - 1, read(index(0)), [&](Value i, Value sum) {
          return combine(kind, isUnsigned, sum, read(add(i, index(1))));
        });
    return castBack(total, element, isUnsigned);
  });
}

Value OpExpander::reduceVector(Value vector, ReductionKind kind,
                               bool isUnsigned) {
  auto type = cast<RankedTensorType>(vector.getType());
  Type element = type.getElementType(), work = getWorkType(element);
  // Elements that share bytes may be in different threads.
  Type staged = element;
  if (getElementBits(element) == 4)
    staged = element.isInteger(4) ? Type(builder.getI8Type()) : work;
  if (staged != element)
    vector =
        CastOp::create(builder, loc, type.clone(staged), vector, StringAttr(),
                       isUnsigned, /*result_unsigned=*/false);
  auto shared = SharedType::get(builder.getContext(), type.getShape(), staged,
                                /*packDim=*/-1, SharedLayoutAttr());
  Value tile = AllocSharedOp::create(
      builder, loc, shared, builder.getStringAttr("reduction"), IntegerAttr());
  StoreOp::create(builder, loc, vector, tile, ValueRange());
  auto read = [&](Value i) {
    Value value = LoadElementOp::create(builder, loc, staged, tile, i, Value());
    return prepare(kind, isUnsigned, value, work);
  };
  Value total = accumulate(
      type.getDimSize(0) - 1, read(index(0)), [&](Value i, Value sum) {
        return combine(kind, isUnsigned, sum, read(add(i, index(1))));
      });
  return castBack(total, element, isUnsigned);
}

void OpExpander::expand(ReduceOp reduce) {
  Type element = getTileElementType(reduce.getResult().getType());
  bool isUnsigned = reduce.getUnsignedSource();
  ReductionKind kind = reduce.getKind();
  if (isa<RankedTensorType>(reduce.getResult().getType())) {
    replace(reduceLines(reduce.getSource(), *reduce.getDim(), element, kind,
                        isUnsigned));
    return;
  }
  Value source = reduce.getSource();
  while (getTileShape(source.getType()).size() > 1)
    source = reduceLines(source, getTileShape(source.getType()).size() - 1,
                         element, kind, isUnsigned);
  auto type = cast<RankedTensorType>(source.getType());
  if (type.getElementType() != element)
    source = CastOp::create(builder, loc, type.clone(element), source,
                            StringAttr(), isUnsigned, false);
  replace(reduceVector(source, kind, isUnsigned));
}

void OpExpander::expand(ScanOp scan) {
  auto type = cast<RankedTensorType>(scan.getType());
  Type element = type.getElementType();
  int64_t dim = scan.getDim(), extent = type.getDimSize(dim);
  bool isUnsigned = scan.getUnsignedSource();
  auto shared = SharedType::get(builder.getContext(), type.getShape(), element,
                                -1, SharedLayoutAttr());
  Value tile = AllocSharedOp::create(
      builder, loc, shared, builder.getStringAttr("scan"), IntegerAttr());
  SmallVector<int64_t> lines(type.getShape());
  lines.erase(lines.begin() + dim);
  if (lines.empty())
    lines.push_back(1);
  auto loop =
      ParallelOp::create(builder, loc, lines, ValueRange(), ArrayAttr());
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(loop.getBodyBlock()->getTerminator());
    accumulate(extent, zero(element), [&](Value i, Value sum) {
      Value along =
          scan.getReverse()
              ? builder.createOrFold<arith::SubIOp>(loc, index(extent - 1), i)
              : i;
      SmallVector<Value> place;
      if (type.getRank() > 1)
        place.assign(loop.getBodyBlock()->args_begin(),
                     loop.getBodyBlock()->args_end());
      place.insert(place.begin() + dim, along);
      Value value =
          castTo(this->element(scan.getSource(), place), element, isUnsigned);
      Value next = combine(ReductionKind::Sum, isUnsigned, sum, value);
      StoreElementOp::create(builder, loc, next, tile, place);
      return next;
    });
  }
  replace(LoadOp::create(builder, loc, type, tile, ValueRange(), Value())
              .getResult());
}

//===----------------------------------------------------------------------===//
// Atomics
//===----------------------------------------------------------------------===//

void OpExpander::expand(AtomicOp atomic) {
  auto type = cast<RankedTensorType>(atomic.getValue().getType());
  int64_t rank = getTileShape(atomic.getMemory().getType()).size();
  int64_t dropped = rank - type.getRank();
  SmallVector<Value> corner(atomic.getIndices());
  if (corner.empty())
    corner.assign(rank, index(0));
  auto loop = ParallelOp::create(builder, loc, type.getShape(), ValueRange(),
                                 ArrayAttr());
  builder.setInsertionPoint(loop.getBodyBlock()->getTerminator());
  ValueRange at = loop.getBodyBlock()->getArguments();
  SmallVector<Value> place(corner);
  for (auto [d, i] : llvm::enumerate(at))
    place[dropped + d] = add(place[dropped + d], i);
  AtomicElementOp::create(builder, loc, type.getElementType(), atomic.getKind(),
                          element(atomic.getValue(), at), atomic.getMemory(),
                          place, atomic.getUnsignedValue(), atomic.getAcqRel());
  op->erase();
}

/// Outside element loops one thread does it, and hands the old value on.
void OpExpander::expand(AtomicElementOp atomic) {
  if (op->getParentOfType<ParallelOp>())
    return;
  Type element = atomic.getResult().getType();
  Value tile;
  if (!atomic.getResult().use_empty()) {
    auto shared = SharedType::get(builder.getContext(), {1}, element, -1,
                                  SharedLayoutAttr());
    tile = AllocSharedOp::create(
        builder, loc, shared, builder.getStringAttr("atomic"), IntegerAttr());
  }
  auto loop = ParallelOp::create(builder, loc, ArrayRef<int64_t>{1},
                                 ValueRange(), ArrayAttr());
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(loop.getBodyBlock()->getTerminator());
    Value old = cast<AtomicElementOp>(builder.clone(*op)).getResult();
    if (tile)
      StoreElementOp::create(builder, loc, old, tile, index(0));
  }
  if (tile)
    atomic.getResult().replaceAllUsesWith(
        LoadElementOp::create(builder, loc, element, tile, index(0), Value())
            .getResult());
  op->erase();
}

namespace {
struct ExpandShapeOps : tile::impl::ExpandShapeOpsPassBase<ExpandShapeOps> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops)
      llvm::TypeSwitch<Operation *>(op)
          .Case<IotaOp, PartOp, ReshapeOp, ReinterpretOp, ReduceOp, ScanOp,
                AtomicOp, AtomicElementOp>(
              [](auto shaped) { OpExpander(shaped).expand(shaped); });
  }
};
} // namespace
