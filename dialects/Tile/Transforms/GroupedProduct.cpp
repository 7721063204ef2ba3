//===- GroupedProduct.cpp - Products of quantised numbers -----------------===//
//
// For operands (qa - za) * sa and (qb - zb) * sb, each group of K in which
// nothing of this changes gives
//
//     acc += (sum of (qa - za) * (qb - zb)) * sa * sb
//
// with the sum exact, in int32 or as `tile.gemm` adds up 8-bit floats.  A
// difference q - z that has a type of 8 bits becomes the operand.  Others are
// left in the sum: sum of a * q - z * (sum of a), where the second sum is a
// product with ones.
//
//===----------------------------------------------------------------------===//

#include "dialects/Tile/Transforms/GroupedProduct.h"
#include "dialects/Tile/Transforms/TileBuilders.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <numeric>

using namespace mlir;
using namespace mlir::tile;

namespace {
class ProductExpander {
public:
  ProductExpander(Operation *op, GroupedOperand a, GroupedOperand b,
                  Value accumulator, bool fastAccum)
      : op(op), builder(op), loc(op->getLoc()), a(std::move(a)),
        b(std::move(b)), accumulator(accumulator), fastAccum(fastAccum),
        type(cast<RankedTensorType>(accumulator.getType())) {}

  FailureOr<Value> expand();

private:
  int64_t getExtentK() const {
    return getTileShape(a.numbers.getType())[a.kDim];
  }
  void subtractInOperand(GroupedOperand &operand, const GroupedOperand &other);
  FailureOr<int64_t> findGroup();
  void shareFragment(GroupedOperand &operand);
  GroupedOperand makeOnes(const GroupedOperand &operand,
                          const GroupedOperand &other);
  Value multiply(const GroupedOperand &left, const GroupedOperand &right,
                 Value sum, int64_t begin, int64_t end);
  Value spread(const GroupedOperand &operand, const Factor &factor,
               unsigned resultDim, Type element, int64_t k);
  Value subtract(Value sum, Value term, Value zeros);
  Value sumGroup(int64_t begin, int64_t end);
  Value scaleByPowers(Value sum, Value x, Value y);
  Value addScaled(Value total, Value sum, int64_t k);

  Operation *op;
  OpBuilder builder;
  Location loc;
  GroupedOperand a, b;
  /// Beside a zero-point that is not subtracted in the operand.
  GroupedOperand onesA, onesB;
  Value accumulator;
  bool fastAccum;
  /// Of accumulator and result.
  RankedTensorType type;
  /// In which a group is added up.
  Type sumType;
};
} // namespace

//===----------------------------------------------------------------------===//
// Zero-points
//===----------------------------------------------------------------------===//

/// The type of 8 bits that holds all of `range` beside an operand of `other`;
/// null if there is none.
static Type findDifferenceType(const IntegerRange &range, Type other,
                               bool &isUnsigned) {
  MLIRContext *context = other.getContext();
  isUnsigned = false;
  if (isa<IntegerType>(other)) {
    isUnsigned = range.highest > 127;
    bool fits = isUnsigned ? range.lowest >= 0 && range.highest <= 255
                           : range.lowest >= -128;
    return fits ? IntegerType::get(context, 8) : Type();
  }
  // e4m3 has four significant bits.
  return range.lowest >= -16 && range.highest <= 16
             ? Type(Float8E4M3FNType::get(context))
             : Type();
}

/// Makes q - z the operand, if it has a type of 8 bits.
void ProductExpander::subtractInOperand(GroupedOperand &operand,
                                        const GroupedOperand &other) {
  if (!operand.zero || !isa<IntegerType>(operand.getElementType()))
    return;
  auto q = findIntegerRange(operand.numbers, operand.isUnsigned);
  auto z = findIntegerRange(operand.zero.value, operand.zero.isUnsigned);
  bool isUnsigned;
  Type difference =
      q && z ? findDifferenceType(*q - *z, other.getElementType(), isUnsigned)
             : Type();
  if (!difference)
    return;
  // Modulo 256, of which the difference is one number.
  Type byte = builder.getI8Type();
  Value numbers = castTo(builder, loc, readTile(builder, loc, operand.numbers),
                         byte, operand.isUnsigned);
  // A float would saturate.
  Factor zero = operand.zero;
  if (isa<FloatType>(zero.getElementType()))
    zero.value = castTo(builder, loc, zero.value, builder.getI32Type(),
                        /*isUnsigned=*/false);
  Value zeros = spreadFactor(builder, loc, zero, byte,
                             getTileShape(operand.numbers.getType()));
  numbers = arith::SubIOp::create(builder, loc, numbers, zeros);
  operand.numbers =
      castTo(builder, loc, numbers, difference, /*isUnsigned=*/false);
  operand.isUnsigned = isUnsigned;
  operand.zero = {};
}

/// sum - term * zeros, in the widest integer among them or, if anything of it
/// is a float, in f32.
Value ProductExpander::subtract(Value sum, Value term, Value zeros) {
  Type element = builder.getI32Type();
  for (Value value : {sum, term, zeros}) {
    Type type = getTileElementType(value.getType());
    if (isa<FloatType>(type))
      element = builder.getF32Type();
    else if (type.isInteger(64) && isa<IntegerType>(element))
      element = type;
  }
  for (Value *value : {&sum, &term, &zeros})
    *value = castTo(builder, loc, *value, element, /*isUnsigned=*/false);
  if (isa<IntegerType>(element))
    return arith::SubIOp::create(
        builder, loc, sum, arith::MulIOp::create(builder, loc, term, zeros));
  return arith::SubFOp::create(
      builder, loc, sum, arith::MulFOp::create(builder, loc, term, zeros));
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

/// Elements of K in which no factor changes.
FailureOr<int64_t> ProductExpander::findGroup() {
  int64_t extent = getExtentK(), group = extent;
  for (const GroupedOperand *operand : {&a, &b})
    for (const Factor *factor : {&operand->scale, &operand->zero})
      for (const FactorDim &dim : factor->dims)
        if (dim.tileDim == operand->kDim)
          group = std::gcd(group, dim.group);
  if (group == 1 && extent > 1)
    return op->emitError("a scale or zero-point for each element along K "
                         "beside an 8-bit operand is not supported yet");
  return group;
}

/// Whether the operand is a difference, which each product computes in its
/// registers as it reads the tiles.
static bool isComputed(const GroupedOperand &operand) {
  Operation *op = operand.numbers.getDefiningOp();
  return isa_and_nonnull<CastOp, arith::SubIOp>(op);
}

/// Puts a fragment in shared memory, where several products read it.
void ProductExpander::shareFragment(GroupedOperand &operand) {
  if (isa<RankedTensorType>(operand.numbers.getType()))
    operand.numbers = storeInShared(builder, loc, operand.numbers);
}

/// The entries of a factor at `k`, for each element of the accumulator, of
/// which dimension `resultDim` runs along the operand.
Value ProductExpander::spread(const GroupedOperand &operand,
                              const Factor &factor, unsigned resultDim,
                              Type element, int64_t k) {
  Factor line{factor.value, factor.isUnsigned, {}};
  SmallVector<int64_t> shape, place;
  if (!factor.dims.empty())
    llvm::append_range(shape, getTileShape(factor.value.getType()));
  SmallVector<int64_t> whole(shape);
  for (auto [d, dim] : llvm::enumerate(factor.dims)) {
    bool isK = dim.tileDim == operand.kDim;
    place.push_back(isK ? k / dim.group : 0);
    if (isK)
      shape[d] = 1;
    line.dims.push_back(isK || dim.tileDim < 0
                            ? FactorDim()
                            : FactorDim{int(resultDim), dim.group});
  }
  if (shape != whole) {
    auto part = RankedTensorType::get(shape, factor.getElementType());
    SmallVector<Value> indices;
    for (int64_t index : place)
      indices.push_back(arith::ConstantOp::create(
          builder, loc, builder.getI64IntegerAttr(index)));
    if (isa<SharedType>(factor.value.getType()))
      line.value = LoadOp::create(builder, loc, part, factor.value, indices,
                                  /*pad=*/Value());
    else
      line.value = PartOp::create(builder, loc, part, factor.value,
                                  builder.getDenseI64ArrayAttr(place));
  }
  return spreadFactor(builder, loc, line, element, type.getShape());
}

/// Ones instead of the numbers, in shared memory, of a type that goes with
/// `other`: of a byte, since bytes of two elements may be split between
/// threads.
GroupedOperand ProductExpander::makeOnes(const GroupedOperand &operand,
                                         const GroupedOperand &other) {
  Type element = isa<IntegerType>(other.getElementType())
                     ? Type(builder.getI8Type())
                     : builder.getType<Float8E4M3FNType>();
  auto type =
      RankedTensorType::get(getTileShape(operand.numbers.getType()), element);
  GroupedOperand ones = operand;
  ones.numbers = arith::ConstantOp::create(
      builder, loc,
      SplatElementsAttr::get(type, builder.getOneAttr(type.getElementType())));
  shareFragment(ones);
  return ones;
}

Value ProductExpander::multiply(const GroupedOperand &left,
                                const GroupedOperand &right, Value sum,
                                int64_t begin, int64_t end) {
  DenseI64ArrayAttr range;
  if (begin != 0 || end != getExtentK())
    range = builder.getDenseI64ArrayAttr({begin, end});
  return GemmOp::create(builder, loc, sum.getType(), left.numbers,
                        right.numbers, sum, /*transpose_a=*/left.kDim == 0,
                        /*transpose_b=*/right.kDim == 1, left.isUnsigned,
                        right.isUnsigned, fastAccum, /*tf32=*/false, range,
                        MmaAttr());
}

/// The sum of (qa - za) * (qb - zb) over a group.
Value ProductExpander::sumGroup(int64_t begin, int64_t end) {
  RankedTensorType sums = type.clone(sumType);
  Value none = arith::ConstantOp::create(
      builder, loc, cast<TypedAttr>(builder.getZeroAttr(sums)));
  Value sum = multiply(a, b, none, begin, end);
  auto getZeros = [&](const GroupedOperand &operand, unsigned resultDim) {
    auto integer = dyn_cast<IntegerType>(operand.zero.getElementType());
    Type zeroType = builder.getF32Type();
    if (integer && isa<IntegerType>(sumType)) {
      // Beside a scale nothing wraps: products with large numbers are longer.
      bool isLong = type.getElementType().isF32() && integer.getWidth() > 8;
      zeroType = isLong ? builder.getI64Type() : sumType;
    }
    return spread(operand, operand.zero, resultDim, zeroType, begin);
  };
  Value zerosA, zerosB;
  if (a.zero)
    zerosA = getZeros(a, 0);
  if (b.zero)
    zerosB = getZeros(b, 1);
  // (qa - za) * qb, and what is multiplied with zb: qa - za.
  Value sumA;
  if (b.zero)
    sumA = multiply(a, onesB, none, begin, end);
  if (a.zero) {
    sum = subtract(sum, multiply(onesA, b, none, begin, end), zerosA);
    if (b.zero) {
      Value count = arith::ConstantOp::create(
          builder, loc,
          SplatElementsAttr::get(
              sums,
              isa<IntegerType>(sumType)
                  ? Attribute(builder.getIntegerAttr(sumType, end - begin))
                  : builder.getFloatAttr(sumType, double(end - begin))));
      sumA = subtract(sumA, count, zerosA);
    }
  }
  return b.zero ? subtract(sum, sumA, zerosB) : sum;
}

/// The power of two of which all numbers of a type are multiples.
static int getLowestPower(Type type) {
  if (isa<IntegerType>(type))
    return 0;
  const llvm::fltSemantics &semantics =
      cast<FloatType>(type).getFloatSemantics();
  return llvm::APFloat::semanticsMinExponent(semantics) + 1 -
         int(llvm::APFloat::semanticsPrecision(semantics));
}

/// Multiplies a sum by two powers of two, each from 2^-127 to 2^127, so that
/// nothing in between is out of range if the result is not: by the smaller one
/// first.  That is exact, since sums are multiples of 2^-22, which times 2^-127
/// is the least number of f32; sums of smaller numbers are lifted for it.
Value ProductExpander::scaleByPowers(Value sum, Value x, Value y) {
  bool isLifted =
      getLowestPower(a.getElementType()) + getLowestPower(b.getElementType()) <
      -22;
  auto lift = [&](Value value, double factor) -> Value {
    Value splat = arith::ConstantOp::create(
        builder, loc,
        SplatElementsAttr::get(type,
                               FloatAttr::get(type.getElementType(), factor)));
    return arith::MulFOp::create(builder, loc, value, splat);
  };
  if (isLifted)
    sum = lift(sum, 0x1p16);
  // Bits of positive numbers order as these do, and NaN is above them all; the
  // comparison of floats takes more instructions.
  RankedTensorType bitsType = type.clone(builder.getI32Type());
  auto toBits = [&](Value value) -> Value {
    return arith::BitcastOp::create(builder, loc, bitsType, value);
  };
  auto toFloat = [&](Value value) -> Value {
    return arith::BitcastOp::create(builder, loc, type, value);
  };
  x = toBits(x);
  y = toBits(y);
  // One after the other, so that one of them at a time takes registers.
  Value low = toFloat(arith::MinUIOp::create(builder, loc, x, y));
  sum = arith::MulFOp::create(builder, loc, sum, low);
  Value high = toFloat(arith::MaxUIOp::create(builder, loc, x, y));
  if (isLifted)
    high = lift(high, 0x1p-16);
  return arith::MulFOp::create(builder, loc, sum, high);
}

/// Adds a group's sum times the scales at `k` to `total`.  Two f32 scales are
/// multiplied first, once for all sums that share them.
Value ProductExpander::addScaled(Value total, Value sum, int64_t k) {
  Type f32 = builder.getF32Type();
  sum = castTo(builder, loc, sum, f32, /*isUnsigned=*/false);
  SmallVector<Value, 2> powers, others;
  for (auto [operand, resultDim] : {std::pair(&a, 0u), {&b, 1u}})
    if (operand->scale) {
      bool isPower = isa<Float8E8M0FNUType>(operand->scale.getElementType());
      (isPower ? powers : others)
          .push_back(spread(*operand, operand->scale, resultDim, f32, k));
    }
  if (others.size() == 2) {
    Value scale = arith::MulFOp::create(builder, loc, others[0], others[1]);
    return math::FmaOp::create(builder, loc, sum, scale, total);
  }
  if (powers.size() == 2)
    return arith::AddFOp::create(builder, loc, total,
                                 scaleByPowers(sum, powers[0], powers[1]));
  llvm::append_range(others, powers);
  if (others.empty())
    return arith::AddFOp::create(builder, loc, total, sum);
  for (Value scale : ArrayRef(others).drop_back())
    sum = arith::MulFOp::create(builder, loc, sum, scale);
  return math::FmaOp::create(builder, loc, sum, others.back(), total);
}

FailureOr<Value> ProductExpander::expand() {
  subtractInOperand(a, b);
  subtractInOperand(b, a);
  bool isInteger = isa<IntegerType>(a.getElementType()) &&
                   isa<IntegerType>(b.getElementType());
  sumType = isInteger ? Type(builder.getI32Type()) : builder.getF32Type();
  int64_t extent = getExtentK();
  bool isPlain = !a.scale && !b.scale && !a.zero && !b.zero;
  if (isPlain && type.getElementType() == sumType)
    return multiply(a, b, accumulator, 0, extent);

  FailureOr<int64_t> group = findGroup();
  if (failed(group))
    return failure();
  bool readsTwice = *group < extent || a.zero || b.zero;
  if (readsTwice && !isComputed(a))
    shareFragment(a);
  if (readsTwice && !isComputed(b))
    shareFragment(b);
  if (a.zero)
    onesA = makeOnes(a, b);
  if (b.zero)
    onesB = makeOnes(b, a);
  Value total = accumulator;
  for (int64_t begin = 0; begin < extent; begin += *group) {
    Value sum = sumGroup(begin, begin + *group);
    if (type.getElementType().isF32())
      total = addScaled(total, sum, begin);
    else
      total = arith::AddIOp::create(builder, loc, total, sum);
  }
  return total;
}

FailureOr<Value> tile::expandGroupedProduct(Operation *op, GroupedOperand a,
                                            GroupedOperand b, Value accumulator,
                                            bool fastAccum) {
  return ProductExpander(op, std::move(a), std::move(b), accumulator, fastAccum)
      .expand();
}
