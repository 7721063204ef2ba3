//===- WgmmaCandidates.cpp - Products by warpgroups -----------------------===//

#include "dialects/Tile/Transforms/WgmmaCandidates.h"
#include "dialects/Tile/Transforms/Decisions.h"
#include "dialects/Tile/Transforms/PackedOperand.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::tile;

/// Bytes of K of one instruction.
static constexpr int64_t stepBytes = 32;
/// Columns of the widest instruction.
static constexpr int64_t mostColumns = 256;
/// Sums of a thread beyond which ptxas spills, beside addresses: two
/// warpgroups that multiply have 232 registers a thread, four have 112.
static int64_t getMostSums(int64_t warps) { return warps <= 8 ? 192 : 96; }

static bool isByteFloat(Type type) {
  return isa<Float8E4M3FNType, Float8E5M2Type>(type);
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// Whether the instruction multiplies elements of these types as they are.
static bool isNativePair(Type a, Type b) {
  if (isByteFloat(a) && isByteFloat(b))
    return true;
  return a == b &&
         (a.isF16() || a.isBF16() || isa<FloatTF32Type>(a) || a.isInteger(8));
}

int64_t tile::getWgmmaPanel(SharedType type) {
  if (type.getRank() < 2)
    return 0;
  int64_t bytes =
      type.getShape().back() * getElementBits(type.getElementType()) / 8;
  // The 32-byte swizzle is slow.
  for (int64_t panel : {128, 64})
    if (bytes % panel == 0)
      return panel;
  return 0;
}

SharedLayoutAttr tile::getWgmmaLayout(SharedType type) {
  int64_t panel = getWgmmaPanel(type);
  int64_t row =
      type.getShape().back() * getElementBits(type.getElementType()) / 8;
  // Rows that are as long as a panel are whole.
  return SharedLayoutAttr::get(type.getContext(), panel == 128 ? 3 : 2,
                               /*base=*/4, /*shift=*/3, /*padding=*/0,
                               row == panel ? 0 : panel);
}

/// Why wgmma cannot read an operand; empty if it can.
static std::string findOperandObstacle(Value operand, bool isKFastest) {
  auto alloc = operand.getDefiningOp<AllocSharedOp>();
  if (!alloc)
    return "an operand is no whole shared tile";
  if (isPrepacked(operand))
    return "an operand is prepacked, for registers";
  SharedType type = alloc.getType();
  if (!isKFastest && getElementBits(type.getElementType()) != 16)
    return "K is not fastest in memory, as it must be for all but 16-bit "
           "elements";
  if (getWgmmaPanel(type) == 0)
    return "rows of a tile are no multiple of 64 bytes";
  if (alloc.getAnnotation() && *alloc.getAnnotation() != getWgmmaLayout(type))
    return "a tile has another layout by its annotation";
  // Parts of panels have no layout that others know.
  for (Operation *user : alloc.getResult().getUsers())
    if (!isa<GemmOp, CopyOp, AsyncCopyOp, LoadOp, StoreOp>(user))
      return "a tile is used in parts";
  return "";
}

/// The number of columns of one instruction where a warpgroup has `columns`
/// side by side; 0 if there is none.
static int64_t chooseColumns(int64_t columns, bool isInteger) {
  for (int64_t count = std::min(columns, mostColumns); count >= 8; count -= 8)
    if (columns % count == 0 && (!isInteger || count % 16 == 0 || count == 8))
      return count;
  return 0;
}

/// Why wgmma cannot do a product, whatever the warps; empty if it can.
static std::string findObstacle(GemmOp gemm) {
  Type a = gemm.getElementTypeA(), b = gemm.getElementTypeB();
  if (!isNativePair(a, b))
    return "an operand is converted on its way";
  if (std::string why = findOperandObstacle(gemm.getA(), !gemm.getTransposeA());
      !why.empty())
    return why;
  if (std::string why = findOperandObstacle(gemm.getB(), gemm.getTransposeB());
      !why.empty())
    return why;
  Type sum = getTileElementType(gemm.getAccumulator().getType());
  if (!sum.isF32() && !sum.isInteger(32))
    return "sums are not of 32 bits";
  int64_t kStep = stepBytes * 8 / getElementBits(a);
  if (gemm.getTileM() % wgmmaRows != 0)
    return "the tile has no multiple of 64 rows";
  if (gemm.getTileK() % kStep != 0 || gemm.getBeginK() % kStep != 0)
    return "K is no multiple of 32 bytes";
  return "";
}

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

/// Clocks of the tensor cores: they read A and B from shared memory, 128 bytes
/// a clock, and multiply N / 2 columns of one instruction's K in one:
/// a model, which ranks tiles.
static int64_t countClocks(GemmOp gemm, MmaAttr mma) {
  int64_t instructions = gemm.getTileM() / wgmmaRows *
                         (gemm.getTileN() / mma.getN()) *
                         (gemm.getTileK() / mma.getK());
  return instructions * std::max(mma.getN() / 2, 16 + mma.getN() / 4);
}

bool tile::hasSumsOfItsOwn(GemmOp gemm, MmaAttr mma) {
  if (needsPromotion(mma) && !gemm.getFastAccum())
    return true;
  bool startsAtZero = matchPattern(gemm.getAccumulator(), m_AnyZeroFloat()) ||
                      matchPattern(gemm.getAccumulator(), m_Zero());
  return startsAtZero && gemm->getParentOfType<LoopLikeOpInterface>();
}

SmallVector<int64_t> tile::getPartWidths(int64_t columns) {
  SmallVector<int64_t> widths;
  for (int64_t width : {128, 96, 64})
    if (width < columns && columns % width == 0)
      widths.push_back(width);
  return widths;
}

int64_t tile::countPartsInFlight(int64_t total, int64_t part, int64_t warps) {
  return std::clamp<int64_t>((getMostSums(warps) - total) / part, 1, 2);
}

static GemmCost getCost(GemmOp gemm, MmaAttr mma, int64_t warps) {
  GemmCost cost;
  cost.products = gemm.getTileM() / wgmmaRows * (gemm.getTileN() / mma.getN()) *
                  (gemm.getTileK() / mma.getK());
  cost.asyncClocks = countClocks(gemm, mma);
  int64_t total = gemm.getTileM() * gemm.getTileN() / (warps * 32);
  cost.registers = total;
  if (hasSumsOfItsOwn(gemm, mma)) {
    // Only whole columns of warps are split (SplitSums.cpp).
    int64_t part =
        mma.getWarpsN() == 1 ? total * mma.getN() / gemm.getTileN() : total;
    cost.registers +=
        std::min(countPartsInFlight(total, part, warps) * part, total);
  }
  return cost;
}

/// The numbers of columns that one instruction may have, for a product whose
/// warpgroups have `columns` side by side.  Sums that join a total do so best
/// 128 columns at a time, or nearly as many: measured, 8-bit floats on an H200.
static SmallVector<int64_t> listColumns(GemmOp gemm, int64_t columns,
                                        bool splits) {
  SmallVector<int64_t> widths;
  if (splits)
    widths = getPartWidths(columns);
  int64_t all = chooseColumns(columns, gemm.getElementTypeA().isInteger(8));
  if (all != 0 && !llvm::is_contained(widths, all))
    widths.insert(all <= 128 ? widths.begin() : widths.end(), all);
  return widths;
}

/// Why no way to share the tile out is left.
static std::string explainNone(GemmOp gemm) {
  if (!getDecidedInteger(gemm->getParentOfType<KernelOp>(), "promotion"))
    return "the warpgroups cannot share the tile, or their sums do not fit "
           "into registers";
  std::string widths = std::to_string(gemm.getTileN());
  for (int64_t width : getPartWidths(gemm.getTileN()))
    widths += ", " + std::to_string(width);
  return "the columns that join a total at a time are one of " + widths +
         ", as far as their sums fit into registers";
}

SmallVector<GemmCandidate> tile::findWgmmaCandidates(GemmOp gemm, int64_t warps,
                                                     std::string &obstacle) {
  obstacle = findObstacle(gemm);
  if (!obstacle.empty())
    return {};
  auto kernel = gemm->getParentOfType<KernelOp>();
  if (kernel.getThreads() % warpgroupThreads != 0 ||
      warps * 32 != int64_t(kernel.getThreads())) {
    obstacle = "the threads are no power of two of warpgroups";
    return {};
  }
  Type a = gemm.getElementTypeA(), b = gemm.getElementTypeB();
  int64_t k = stepBytes * 8 / getElementBits(a);
  auto decided = getDecidedWarpGrid(kernel);
  SmallVector<GemmCandidate> candidates;
  for (int64_t warpsM = warps; warpsM >= 4; warpsM /= 2) {
    int64_t warpsN = warps / warpsM;
    if (decided && *decided != std::pair(warpsM, warpsN))
      continue;
    if (gemm.getTileM() % (16 * warpsM) != 0 ||
        gemm.getTileN() % (8 * warpsN) != 0)
      continue;
    // Columns of a warpgroup are side by side within the power of two in N.
    int64_t core = gemm.getTileN() & -gemm.getTileN();
    int64_t columns = warpsN == 1 ? gemm.getTileN() : core / warpsN;
    auto makeMma = [&](int64_t width) {
      return MmaAttr::get(gemm.getContext(), wgmmaRows, width, k, a, b, warpsM,
                          warpsN, ArrayRef<int64_t>(), ArrayRef<int64_t>());
    };
    bool splits = warpsN == 1 && hasSumsOfItsOwn(gemm, makeMma(8));
    auto promotion = getDecidedInteger(kernel, "promotion");
    for (int64_t width : listColumns(gemm, columns, splits)) {
      if (splits && promotion && *promotion != width)
        continue;
      MmaAttr mma = makeMma(width);
      GemmCost cost = getCost(gemm, mma, warps);
      if (cost.registers <= getMostSums(warps))
        candidates.push_back({mma, cost});
    }
  }
  // Among equals all rows side by side, and columns in the order of
  // `listColumns`.
  auto getRank = [](const GemmCandidate &candidate) {
    int64_t columns = candidate.mma.getN();
    return std::tuple(candidate.cost.asyncClocks, -candidate.mma.getWarpsM(),
                      columns > 128, -columns);
  };
  llvm::sort(candidates, [&](const GemmCandidate &x, const GemmCandidate &y) {
    return getRank(x) < getRank(y);
  });
  if (candidates.empty())
    obstacle = explainNone(gemm);
  return candidates;
}
