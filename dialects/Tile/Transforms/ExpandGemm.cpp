//===- ExpandGemm.cpp - Products that no matrix instruction does ----------===//
//
// One outer product for each element of K: a column of A and a row of B, each
// repeated over the tile, are multiplied and added to the accumulator in its
// own type.  A thread that holds r x c accumulators reads r + c numbers for
// r * c multiply-adds.  The loop over K is unrolled by 16 bytes, so that parts
// of shared tiles begin where wide accesses may.
//
//===----------------------------------------------------------------------===//

#include "dialects/Tile/Transforms/Decisions.h"
#include "dialects/Tile/Transforms/MmaTable.h"
#include "dialects/Tile/Transforms/Passes.h"
#include "dialects/Tile/Transforms/TileBuilders.h"
#include "dialects/Tile/Transforms/WgmmaCandidates.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::tile {
#define GEN_PASS_DEF_EXPANDGEMMPASS
#include "dialects/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

namespace {
/// One side of a product, in shared memory.
struct Side {
  Value tile;
  /// The dimension of the tile that is K.
  int64_t kDim;
  bool isUnsigned;
  /// The dimension of the accumulator along which its other one lies.
  unsigned resultDim;
};

class GemmExpander {
public:
  explicit GemmExpander(GemmOp gemm)
      : gemm(gemm), builder(gemm), loc(gemm.getLoc()),
        type(cast<RankedTensorType>(gemm.getResult().getType())) {}

  void expand();

private:
  Value index(int64_t value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI64IntegerAttr(value));
  }
  Side prepare(Value operand, bool isUnsigned, int64_t kDim,
               unsigned resultDim);
  Side slice(const Side &side, Value start, int64_t extent);
  Value loadLine(const Side &side, int64_t k);
  Value multiplyAdd(const Side &a, const Side &b, int64_t begin, int64_t end,
                    Value sum);

  GemmOp gemm;
  OpBuilder builder;
  Location loc;
  RankedTensorType type;
};
} // namespace

/// Fragments go to shared memory, and 4-bit elements become bytes there, so
/// that one line of K can be read by itself.
Side GemmExpander::prepare(Value operand, bool isUnsigned, int64_t kDim,
                           unsigned resultDim) {
  Type element = getTileElementType(operand.getType());
  bool isNibble = getElementBits(element) == 4;
  if (isNibble)
    operand = castTo(builder, loc, readTile(builder, loc, operand),
                     element.isInteger(4) ? Type(builder.getI8Type())
                                          : Type(builder.getF16Type()),
                     isUnsigned);
  if (!isa<SharedType>(operand.getType()))
    operand = storeInShared(builder, loc, operand);
  return {operand, kDim, isUnsigned, resultDim};
}

/// The part of the side from `start` on along K.
Side GemmExpander::slice(const Side &side, Value start, int64_t extent) {
  auto from = cast<SharedType>(side.tile.getType());
  SmallVector<int64_t> shape(from.getShape());
  shape[side.kDim] = extent;
  SmallVector<Value> offsets(2, index(0));
  offsets[side.kDim] = start;
  auto part =
      SharedType::get(builder.getContext(), shape, from.getElementType(),
                      from.getPackDim(), SharedLayoutAttr());
  Side result = side;
  result.tile = SliceOp::create(builder, loc, part, side.tile, offsets,
                                DenseI64ArrayAttr());
  return result;
}

/// The line `k` of a side, repeated over the accumulator's tile.
Value GemmExpander::loadLine(const Side &side, int64_t k) {
  Type element = getTileElementType(side.tile.getType());
  SmallVector<int64_t> shape(getTileShape(side.tile.getType()));
  shape[side.kDim] = 1;
  SmallVector<Value> indices(2, index(0));
  indices[side.kDim] = index(k);
  Value line =
      LoadOp::create(builder, loc, RankedTensorType::get(shape, element),
                     side.tile, indices, /*pad=*/Value());
  if (gemm.getTf32() && element.isF32())
    line = castTo(builder, loc, line, FloatTF32Type::get(builder.getContext()),
                  false);
  line = castTo(builder, loc, line, type.getElementType(), side.isUnsigned);
  SmallVector<AffineExpr> map(2, builder.getAffineConstantExpr(0));
  map[1 - side.kDim] = builder.getAffineDimExpr(side.resultDim);
  return ReindexOp::create(builder, loc, type, line,
                           AffineMap::get(2, 0, map, builder.getContext()));
}

Value GemmExpander::multiplyAdd(const Side &a, const Side &b, int64_t begin,
                                int64_t end, Value sum) {
  for (int64_t k = begin; k < end; ++k) {
    Value left = loadLine(a, k), right = loadLine(b, k);
    if (isa<FloatType>(type.getElementType()))
      sum = math::FmaOp::create(builder, loc, left, right, sum);
    else
      sum = arith::AddIOp::create(
          builder, loc, sum, arith::MulIOp::create(builder, loc, left, right));
  }
  return sum;
}

void GemmExpander::expand() {
  Side a = prepare(gemm.getA(), gemm.getUnsignedA(),
                   gemm.getTransposeA() ? 0 : 1, /*resultDim=*/0);
  Side b = prepare(gemm.getB(), gemm.getUnsignedB(),
                   gemm.getTransposeB() ? 1 : 0, /*resultDim=*/1);
  int64_t begin = gemm.getBeginK(), extent = gemm.getTileK();
  // Elements in 16 bytes of the narrower side: whole chunks of the other too.
  int64_t chunk =
      128 / std::min(getElementBits(getTileElementType(a.tile.getType())),
                     getElementBits(getTileElementType(b.tile.getType())));
  // Chunks begin on multiples of themselves.
  int64_t chunks = begin % chunk == 0 ? extent / chunk : 0;
  int64_t looped = chunks > 1 ? chunks * chunk : 0;
  Value sum = gemm.getAccumulator();
  if (looped) {
    auto loop = scf::ForOp::create(builder, loc, index(0), index(chunks),
                                   index(1), ValueRange(sum));
    builder.setInsertionPointToStart(loop.getBody());
    Value start = builder.createOrFold<arith::AddIOp>(
        loc,
        arith::MulIOp::create(builder, loc, loop.getInductionVar(),
                              index(chunk)),
        index(begin));
    Value added = multiplyAdd(slice(a, start, chunk), slice(b, start, chunk), 0,
                              chunk, loop.getRegionIterArg(0));
    scf::YieldOp::create(builder, loc, added);
    builder.setInsertionPointAfter(loop);
    sum = loop.getResult(0);
  }
  sum = multiplyAdd(a, b, begin + looped, begin + extent, sum);
  gemm.replaceAllUsesWith(sum);
  gemm.erase();
}

/// Tells reports, and whoever may have hoped for more.
static void noteExpansion(GemmOp gemm, unsigned capability) {
  std::string reason = "the types have no matrix instruction";
  auto instructions = findInstructions(gemm, capability);
  if (!instructions.empty()) {
    reason = describeMisfit(gemm, instructions.back());
    gemm.emitRemark("this product runs without matrix instructions, slowly: ")
        << reason;
  }
  Type sums = getTileElementType(gemm.getAccumulator().getType());
  noteChoice(
      gemm->getParentOfType<KernelOp>(), gemm.getLoc(),
      {"product", "FMA in " + spellElementType(sums, false), "FMA", reason});
}

namespace {
struct ExpandGemm : tile::impl::ExpandGemmPassBase<ExpandGemm> {
  using ExpandGemmPassBase::ExpandGemmPassBase;

  void runOnOperation() override {
    unsigned capability = getComputeCapability(target);
    SmallVector<GemmOp> gemms;
    getOperation().walk([&](GemmOp gemm) {
      if (!gemm.getMma() && !selectInstruction(gemm, capability))
        gemms.push_back(gemm);
    });
    // Warpgroups take tiles of 8 rows, which warps do not.
    llvm::erase_if(gemms, [&](GemmOp gemm) {
      return capability == 90 && isForWarpgroups(gemm);
    });
    for (GemmOp gemm : gemms) {
      noteExpansion(gemm, capability);
      GemmExpander(gemm).expand();
    }
  }
};
} // namespace
