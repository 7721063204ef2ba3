//===- TileMatmulOps.cpp - Verifiers of the matmul family -----------------===//

#include "dialects/Tile/IR/GemmTiling.h"
#include "dialects/Tile/IR/TileOps.h"

using namespace mlir;
using namespace mlir::tile;

int64_t GemmOp::getTileM() {
  return getTileShape(getAccumulator().getType())[0];
}
int64_t GemmOp::getTileN() {
  return getTileShape(getAccumulator().getType())[1];
}
int64_t GemmOp::getBeginK() { return getKRange() ? (*getKRange())[0] : 0; }
int64_t GemmOp::getTileK() {
  if (auto range = getKRange())
    return (*range)[1] - (*range)[0];
  return getTileShape(getA().getType())[getTransposeA() ? 0 : 1];
}
Type GemmOp::getElementTypeA() { return getTileElementType(getA().getType()); }
Type GemmOp::getElementTypeB() { return getTileElementType(getB().getType()); }

/// The order of rows in which the 16 of each warp of a warpgroup follow each
/// other, in a tile of `rows` that `allWarps` share: slot bits are, from the
/// lowest, the place in 16 rows, the index of the instruction, the warp of
/// those that share a core.
static SmallVector<int, 8> orderWarpgroupRows(int64_t rows, int64_t allWarps) {
  int64_t core = rows & -rows, warps = allWarps & -allWarps;
  int tileBits = core > 16 * warps ? llvm::Log2_64(core / (16 * warps)) : 0;
  SmallVector<int, 8> order{0, 1, 2, 3};
  for (int bit = 0; bit < tileBits; ++bit)
    order.push_back(6 + bit);
  for (int bit = 0; bit < int(llvm::Log2_64(warps)); ++bit)
    order.push_back(bit < 2 ? 4 + bit : 4 + tileBits + bit);
  return order;
}

bool tile::isFromRegisters(Value operand, Type type) {
  return isa<RankedTensorType>(operand.getType()) ||
         getTileElementType(operand.getType()) != type;
}

layout::MmaTiling tile::getTiling(GemmOp gemm, MmaAttr mma) {
  layout::MmaTiling tiling;
  tiling.instruction = {int(mma.getM()), int(mma.getN()), int(mma.getK()),
                        int(mma.getOperandBits())};
  // The fragments of a warpgroup are those of its warps.
  if (mma.isWgmma()) {
    tiling.instruction.m = 16;
    tiling.instruction.n = 8;
    if (!mma.getSwap())
      tiling.mOrder = orderWarpgroupRows(gemm.getTileM(), mma.getWarpsM());
  }
  tiling.m = gemm.getTileM();
  tiling.n = gemm.getTileN();
  tiling.warpsM = mma.getWarpsM();
  tiling.warpsN = mma.getWarpsN();
  if (mma.getSwap()) {
    std::swap(tiling.m, tiling.n);
    std::swap(tiling.warpsM, tiling.warpsN);
    // Fewer warps than a warpgroup's take the rows as they come.
    if (tiling.warpsM >= 4)
      tiling.mOrder = orderWarpgroupRows(tiling.m, tiling.warpsM);
    else
      tiling.mOrder = {0, 1, 2, 3};
    // Rows that come from registers may be in any order: g and g + 8 of the
    // instruction are neighbours, as they are in memory where the sums go.
    const int neighbours[] = {1, 2, 3, 0};
    if (isFromRegisters(gemm.getB(), mma.getTypeB()))
      llvm::copy(neighbours, tiling.mOrder.begin());
  }
  tiling.nOrder.assign(mma.getNOrder().begin(), mma.getNOrder().end());
  tiling.kOrder.assign(mma.getKOrder().begin(), mma.getKOrder().end());
  return tiling;
}

static void addOperandReads(
    Operation *op,
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  for (OpOperand &operand : op->getOpOperands())
    if (isa<SharedType>(operand.get().getType()))
      effects.emplace_back(MemoryEffects::Read::get(), &operand);
}

void GemmOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  addOperandReads(*this, effects);
}

void OperandOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  addOperandReads(*this, effects);
}

/// Whether a map gives elements of `source` for all elements of `result`, each
/// dimension of which it uses once at most.
static bool isIndexMap(AffineMap map, ArrayRef<int64_t> source,
                       ArrayRef<int64_t> result) {
  if (map.getNumDims() != result.size() || map.getNumSymbols() != 0 ||
      map.getNumResults() != source.size())
    return false;
  SmallVector<bool> seen(result.size(), false);
  for (auto [index, extent] : llvm::zip_equal(map.getResults(), source)) {
    if (auto constant = dyn_cast<AffineConstantExpr>(index)) {
      if (constant.getValue() != 0)
        return false;
      continue;
    }
    auto groups = matchIndexGroups(index);
    if (!groups || seen[groups->first] ||
        int64_t(llvm::divideCeil(result[groups->first], groups->second)) !=
            extent)
      return false;
    seen[groups->first] = true;
  }
  return true;
}

LogicalResult OperandOp::verify() {
  ArrayRef<int64_t> shape = getTileShape(getResult().getType());
  // operand-c1: one map for each input, of indices within it.
  if (getMaps().size() != getInputs().size() || getInputs().empty())
    return emitOpError("operand-c1: has one map for each input");
  for (auto [i, input] : llvm::enumerate(getInputs()))
    if (!isIndexMap(getMap(i), getTileShape(input.getType()), shape))
      return emitOpError("operand-c1: map ")
             << i << " does not give elements of its input";
  // operand-c2: the first input is read element by element.
  if (!isa<SharedType>(getInputs()[0].getType()) || shape.size() != 2 ||
      !getMap(0).isIdentity() ||
      getTileShape(getInputs()[0].getType()) != shape)
    return emitOpError("operand-c2: the first input is read at the element's "
                       "own two indices");
  // operand-c3: elements in, an element out.
  Block *body = getBodyBlock();
  auto yield = dyn_cast<YieldOp>(body->getTerminator());
  bool fits = body->getNumArguments() == getInputs().size() && yield &&
              yield.getNumOperands() == 1 &&
              yield.getOperand(0).getType() ==
                  getTileElementType(getResult().getType());
  for (unsigned i = 0; fits && i < getInputs().size(); ++i)
    fits = body->getArgument(i).getType() ==
           getTileElementType(getInputs()[i].getType());
  if (!fits)
    return emitOpError(
        "operand-c3: the body takes an element of each input and "
        "yields one of the result");
  // operand-c4: lower-gemm is what puts the numbers in registers.
  for (OpOperand &use : getResult().getUses())
    if (!isa<GemmOp>(use.getOwner()) || use.getOperandNumber() > 1)
      return emitOpError("operand-c4: only 'tile.gemm' takes the result, as an "
                         "operand");
  // operand-c5: each op becomes one on fragments.
  for (Operation &nested : body->without_terminator())
    if (nested.getNumResults() != 1 || nested.getNumRegions() != 0 ||
        !isPure(&nested) || !nested.getResult(0).getType().isIntOrFloat())
      return nested.emitOpError(
          "operand-c5: the body has pure ops of one scalar "
          "result");
  return success();
}

static bool isDequantised(Value operand) {
  return operand.getDefiningOp<DequantOp>() != nullptr;
}

/// The table of docs/language.md, section 7.  An operand from `tile.dequant`
/// may have the type its value is meant in.
static bool hasProduct(Type a, Type b, Type acc, bool aIsDequantised,
                       bool bIsDequantised) {
  auto isHalf = [](Type type) { return type.isF16() || type.isBF16(); };
  auto isTiny = [](Type type) {
    return type.isInteger(4) || type.isInteger(8) ||
           isa<Float8E4M3FNType, Float8E5M2Type, Float4E2M1FNType>(type);
  };
  auto isByteFloat = [](Type type) {
    return isa<Float8E4M3FNType, Float8E5M2Type>(type);
  };
  auto isSmallInteger = [](Type type) {
    return type.isInteger(4) || type.isInteger(8);
  };
  // The other side decides what a dequantised f32 or i32 means.
  if (aIsDequantised && bIsDequantised)
    return acc.isF32() || acc.isInteger(32);
  if (aIsDequantised || bIsDequantised) {
    Type wide = aIsDequantised ? a : b, other = aIsDequantised ? b : a;
    if (isTiny(other) && (wide.isF32() || wide.isInteger(32)))
      return acc.isF32() || (acc.isInteger(32) && wide.isInteger(32));
  }
  if (isHalf(a) || isHalf(b)) {
    Type half = isHalf(a) ? a : b, other = isHalf(a) ? b : a;
    if (!isTiny(other) && other != half)
      return false;
    return acc.isF32() || (acc.isF16() && a.isF16() && b.isF16());
  }
  if (isSmallInteger(a) && isSmallInteger(b))
    return acc.isInteger(32);
  if (isByteFloat(a) || isByteFloat(b))
    return isTiny(isByteFloat(a) ? b : a) &&
           !(isByteFloat(a) ? b : a).isInteger(8) && acc.isF32();
  if (isa<Float4E2M1FNType>(a) && isa<Float4E2M1FNType>(b))
    return acc.isF32();
  return a == b && (a.isF32() || a.isF64() || isa<FloatTF32Type>(a)) &&
         acc == (isa<FloatTF32Type>(a) ? Float32Type::get(a.getContext())
                                       : FloatType(cast<FloatType>(a)));
}

/// gemm-c5: the instruction covers the tile, with warps that the kernel has.
static LogicalResult verifyInstruction(GemmOp gemm, MmaAttr mma) {
  std::string error;
  if (!getTiling(gemm, mma).verify(gemm.getTileK(), &error))
    return gemm.emitOpError("gemm-c5: ") << error;
  int64_t groupedWarps = mma.getSwap() ? mma.getWarpsN() : mma.getWarpsM(),
          columns = mma.getSwap() ? gemm.getTileM() : gemm.getTileN();
  if (mma.isWgmma() && (groupedWarps % 4 != 0 || mma.getN() % 8 != 0 ||
                        mma.getN() > 256 || columns % mma.getN() != 0))
    return gemm.emitOpError("gemm-c5: ")
           << "warpgroups of " << mma.getWarpsM() << "x" << mma.getWarpsN()
           << " warps cannot multiply " << mma.getN() << " columns at a time";
  int64_t warps = mma.getWarpsM() * mma.getWarpsN();
  if (gemm->getParentOfType<KernelOp>() && warps * 32 > getTeamThreads(gemm))
    return gemm.emitOpError("gemm-c5: ")
           << warps << " warps share the tile, and the kernel has "
           << getTeamThreads(gemm) << " threads";
  return success();
}

LogicalResult GemmOp::verify() {
  ArrayRef<int64_t> a = getTileShape(getA().getType());
  ArrayRef<int64_t> b = getTileShape(getB().getType());
  ArrayRef<int64_t> acc = getTileShape(getAccumulator().getType());
  // gemm-c1: operands and accumulator are matrices.
  if (a.size() != 2 || b.size() != 2 || acc.size() != 2)
    return emitOpError("gemm-c1: operands and accumulator have rank 2");
  int64_t m = a[getTransposeA() ? 1 : 0], kA = a[getTransposeA() ? 0 : 1];
  int64_t n = b[getTransposeB() ? 0 : 1], kB = b[getTransposeB() ? 1 : 0];
  // gemm-c2: inner extents agree.
  if (kA != kB)
    return emitOpError("gemm-c2: inner extents differ: ")
           << kA << " and " << kB;
  // gemm-c3: the accumulator is [M, N].
  if (acc[0] != m || acc[1] != n)
    return emitOpError("gemm-c3: accumulator is ")
           << acc[0] << "x" << acc[1] << ", operands give " << m << "x" << n;
  // gemm-c4: operands have a product that the accumulator's type can hold.
  if (!hasProduct(getElementTypeA(), getElementTypeB(),
                  getTileElementType(getAccumulator().getType()),
                  isDequantised(getA()), isDequantised(getB())))
    return emitOpError("gemm-c4: no product of ")
           << getElementTypeA() << " and " << getElementTypeB()
           << " adds up in " << getTileElementType(getAccumulator().getType());
  // gemm-c6: the elements of K are some of the operands'.
  if (auto range = getKRange())
    if (range->size() != 2 || (*range)[0] < 0 || (*range)[0] >= (*range)[1] ||
        (*range)[1] > kA)
      return emitOpError("gemm-c6: 'k_range' lies within K = ") << kA;
  if (std::optional<MmaAttr> mma = getMma())
    return verifyInstruction(*this, *mma);
  return success();
}

/// Extents along K and along the rows or columns of an operand.
static std::pair<int64_t, int64_t> getOperandExtents(Type operand,
                                                     bool isRowOfK) {
  ArrayRef<int64_t> shape = getTileShape(operand);
  return isRowOfK ? std::pair(shape[0], shape[1])
                  : std::pair(shape[1], shape[0]);
}

void GemmScaledOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  addOperandReads(*this, effects);
}

/// scale-c1: a scale tile is [ceildiv(rows, granularity), groups], without the
/// last extent where it is 1.
static LogicalResult verifyScales(GemmScaledOp op, StringRef side, Type scales,
                                  int64_t rows, int64_t granularity,
                                  int64_t groups) {
  ArrayRef<int64_t> shape = getTileShape(scales);
  int64_t entries = llvm::divideCeil(rows, granularity);
  Type element = getTileElementType(scales);
  if (!element.isF32() && !isa<Float8E8M0FNUType>(element))
    return op.emitOpError("scale-c2: scales are f32 or f8E8M0FNU, found ")
           << element;
  bool isVector = shape.size() == 1 && groups == 1 && shape[0] == entries;
  bool isMatrix =
      shape.size() == 2 && shape[0] == entries && shape[1] == groups;
  if (!isVector && !isMatrix)
    return op.emitOpError("scale-c1: scales of ")
           << side << " are " << entries << "x" << groups << ", found "
           << scales;
  return success();
}

LogicalResult GemmScaledOp::verify() {
  // gemm-c1, gemm-c2, gemm-c3 as for tile.gemm.
  for (Value operand : {getA(), getB(), Value(getAccumulator())})
    if (getTileShape(operand.getType()).size() != 2)
      return emitOpError("gemm-c1: operands and accumulator have rank 2");
  auto [kA, m] = getOperandExtents(getA().getType(), getTransposeA());
  auto [kB, n] = getOperandExtents(getB().getType(), !getTransposeB());
  if (kA != kB)
    return emitOpError("gemm-c2: inner extents differ: ")
           << kA << " and " << kB;
  ArrayRef<int64_t> acc = getTileShape(getAccumulator().getType());
  if (acc[0] != m || acc[1] != n)
    return emitOpError("gemm-c3: accumulator is ")
           << acc[0] << "x" << acc[1] << ", operands give " << m << "x" << n;
  // gemm-scaled-c1: granularities are counts, and groups fit the tile.
  int64_t k = getGranularityK(), rows = getGranularityM(),
          columns = getGranularityN();
  if (k <= 0 || rows <= 0 || columns <= 0 || (kA % k != 0 && k % kA != 0))
    return emitOpError("gemm-scaled-c1: granularities are positive, and that "
                       "of K divides the tile's K or is a multiple of it");
  int64_t groups = llvm::divideCeil(kA, k);
  if (failed(verifyScales(*this, "a", getScaleA().getType(), m, rows, groups)))
    return failure();
  return verifyScales(*this, "b", getScaleB().getType(), n, columns, groups);
}

void DequantOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  addOperandReads(*this, effects);
}

/// dequant-c3: scale and zero fit the source.
static LogicalResult verifyGroups(DequantOp op, StringRef what, Type type) {
  if (!isa<SharedType, RankedTensorType>(type))
    return success();
  ArrayRef<int64_t> source = getTileShape(op.getSource().getType());
  ArrayRef<int64_t> shape = getTileShape(type);
  int64_t dim = op.getDim();
  if (shape.size() == 1 && source.size() == 2 && shape[0] == source[1 - dim])
    return success();
  bool fits = shape.size() == source.size() && op.getGroup();
  for (auto [index, extent] : llvm::enumerate(source)) {
    if (!fits)
      break;
    fits =
        int64_t(index) == dim
            ? shape[index] == int64_t(llvm::divideCeil(extent, *op.getGroup()))
            : shape[index] == extent || shape[index] == 1;
  }
  if (!fits)
    return op.emitOpError("dequant-c3: ")
           << what << " does not fit the source: " << type;
  return success();
}

LogicalResult DequantOp::verify() {
  ArrayRef<int64_t> source = getTileShape(getSource().getType());
  // dequant-c1: the shape stays.
  if (source != getTileShape(getResult().getType()))
    return emitOpError("dequant-c1: keeps the shape of the source");
  // dequant-c2: groups lie along a dimension, and fit its extent.
  if (getDim() >= source.size())
    return emitOpError("dequant-c2: there is no dimension ")
           << int64_t(getDim());
  if (std::optional<int64_t> group = getGroup()) {
    int64_t extent = source[getDim()];
    if (*group <= 0 || (extent % *group != 0 && *group % extent != 0))
      return emitOpError("dequant-c2: a group of ")
             << *group << " does not fit an extent of " << extent;
  }
  for (auto [what, value] :
       {std::pair<StringRef, Value>("scale", getScale()), {"zero", getZero()}})
    if (value && failed(verifyGroups(*this, what, value.getType())))
      return failure();
  // dequant-c4: what the numbers may be.
  if (getScale() && !isa<FloatType>(getTileElementType(getScale().getType())))
    return emitOpError("dequant-c4: scales are floats");
  Type element = getTileElementType(getResult().getType());
  if (!isa<FloatType>(element) && (getScale() || !element.isInteger(32)))
    return emitOpError("dequant-c4: gives a float, or i32 without a scale");
  return success();
}

LogicalResult MmaOp::verify() {
  ArrayRef<int64_t> a = getTileShape(getA().getType());
  ArrayRef<int64_t> b = getTileShape(getB().getType());
  ArrayRef<int64_t> acc = getTileShape(getAccumulator().getType());
  // mma-c1: shapes are [M, K], [K, N], [M, N].
  if (a.size() != 2 || b.size() != 2 || acc.size() != 2 || a[0] != acc[0] ||
      b[1] != acc[1] || a[1] != b[0])
    return emitOpError("mma-c1: shapes are [M, K], [K, N] and [M, N]");
  // mma-c2: K is a multiple of the instruction's.
  if (a[1] % getMma().getK() != 0)
    return emitOpError("mma-c2: K = ")
           << a[1] << " is not a multiple of " << getMma().getK();
  // mma-c3: every fragment has a layout.
  for (Value fragment : {getA(), getB(), getAccumulator()})
    if (!getFragmentLayout(fragment.getType()))
      return emitOpError("mma-c3: fragments carry layouts, found ")
             << fragment.getType();
  return success();
}

//===----------------------------------------------------------------------===//
// Products of warpgroups
//===----------------------------------------------------------------------===//

void WgmmaOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  addOperandReads(*this, effects);
}

/// The fragment that sums are, or will be.
static RankedTensorType getSumsType(Value sums) {
  if (auto flying = dyn_cast<InFlightType>(sums.getType()))
    return flying.getFragment();
  return cast<RankedTensorType>(sums.getType());
}

/// in-flight-c1: what is in flight is no number yet.
static LogicalResult verifyUses(Operation *op, Value result) {
  if (!isa<InFlightType>(result.getType()))
    return success();
  for (Operation *user : result.getUsers())
    if (!isa<WgmmaOp, MmaWaitOp, LoopLikeOpInterface>(user) &&
        !user->hasTrait<OpTrait::IsTerminator>())
      return op->emitOpError("in-flight-c1: '")
             << user->getName() << "' uses sums that are in flight";
  return success();
}

LogicalResult WgmmaOp::verify() {
  // wgmma-c1: warpgroups multiply.
  if (!getMma().isWgmma())
    return emitOpError("wgmma-c1: the instruction is none of warpgroups");
  // wgmma-c2: whole steps of K.
  bool swap = getMma().getSwap();
  Value left = swap ? getB() : getA(), right = swap ? getA() : getB();
  bool isKFirst = swap ? getTransposeA() : !getTransposeB();
  int64_t extent = getTileShape(right.getType())[isKFirst ? 0 : 1];
  int64_t k = getK(), depth = getDepth();
  if (k < 0 || depth <= 0 || k + depth > extent || k % getMma().getK() != 0 ||
      depth % getMma().getK() != 0)
    return emitOpError("wgmma-c2: K of ")
           << k << " to " << k + depth << " is not made of steps of "
           << getMma().getK() << " of " << extent;
  // wgmma-c3: one fragment, with a layout.
  RankedTensorType fragment = getResult().getType().getFragment();
  if (getSumsType(getAccumulator()) != fragment || !getFragmentLayout(fragment))
    return emitOpError("wgmma-c3: result and accumulator are not one fragment "
                       "with a layout");
  auto numbers = dyn_cast<RankedTensorType>(left.getType());
  // wgmma-c4: columns of whole instructions, of the operand in shared memory.
  int64_t columns = getTileShape(right.getType())[isKFirst ? 1 : 0];
  int64_t column = getColumn(), count = fragment.getDimSize(swap ? 0 : 1);
  if (column < 0 || column + count > columns || column % getMma().getN() != 0 ||
      count % getMma().getN() != 0)
    return emitOpError("wgmma-c4: columns ")
           << column << " to " << column + count
           << " are not made of instructions of " << getMma().getN()
           << " columns, of " << columns;
  // wgmma-c5: only the left operand comes from registers.
  if (!isa<SharedType>(right.getType()) ||
      (numbers && (!getFragmentLayout(numbers) ||
                   numbers.getShape()[swap ? 0 : 1] != depth)))
    return emitOpError("wgmma-c5: the left operand of the instruction alone "
                       "may be a fragment, with a layout and ")
           << depth << " elements of K";
  return verifyUses(*this, getResult());
}

LogicalResult MmaWaitOp::verify() {
  // mma-wait-c1: numbers once the group is done.
  InFlightType flying = getSums().getType();
  int64_t pending = int64_t(getPending());
  bool isFragment = getResult().getType() == flying.getFragment();
  if (pending < 0 || (pending == 0 && !isFragment) ||
      (!isFragment && getResult().getType() != flying))
    return emitOpError("mma-wait-c1: with ")
           << pending << " pending the result is "
           << (pending == 0 ? Type(flying.getFragment()) : Type(flying));
  // mma-wait-c2: those that are pending came later.
  if (isFragment && pending > 0) {
    auto start = getSums().getDefiningOp<WgmmaOp>();
    if (!start || start->getBlock() != (*this)->getBlock())
      return emitOpError("mma-wait-c2: the product does not begin in this "
                         "block, so that it may be among the pending ones");
    int64_t later = 0;
    for (Operation *op = start->getNextNode(); op && op != *this;
         op = op->getNextNode())
      later += isa<WgmmaOp>(op);
    if (later < pending)
      return emitOpError("mma-wait-c2: ")
             << pending << " pending groups include this one, behind which "
             << later << " begin";
  }
  return verifyUses(*this, getResult());
}
