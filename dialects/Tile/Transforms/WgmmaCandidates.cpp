//===- WgmmaCandidates.cpp - Products by warpgroups -----------------------===//

#include "dialects/Tile/Transforms/WgmmaCandidates.h"
#include "dialects/Tile/IR/GemmTiling.h"
#include "dialects/Tile/Transforms/ConvertedOperand.h"
#include "dialects/Tile/Transforms/Decisions.h"
#include "dialects/Tile/Transforms/MmaTable.h"
#include "dialects/Tile/Transforms/OperandExpressions.h"
#include "dialects/Tile/Transforms/PackedOperand.h"
#include "mlir/IR/Matchers.h"
#include <numeric>

using namespace mlir;
using namespace mlir::tile;

/// Bytes of K of one instruction.
static constexpr int64_t stepBytes = 32;
/// Columns of the widest instruction.
static constexpr int64_t mostColumns = 256;
/// Registers of a thread at the entry of a kernel of this many warps and a
/// warpgroup that copies for them.
static int64_t countRegistersAtEntry(int64_t warps) {
  constexpr int64_t allRegisters = 65536, mostRegisters = 255;
  return std::min(allRegisters / ((warps + 4) * 32) / 8 * 8, mostRegisters);
}

/// Sums of a thread beyond which ptxas spills, beside addresses: two
/// warpgroups that multiply have 232 registers a thread, three have 160; of
/// more, it uses those of the kernel's entry (seen: with four, which have 96
/// there and 112 later, 80 sums fit, 88 do not).
static int64_t getMostSums(int64_t warps) {
  if (warps <= 8)
    return 192;
  return warps <= 12 ? 128 : countRegistersAtEntry(warps) - 16;
}

/// Columns of one instruction in a kernel of this many warps and a warpgroup
/// that copies for them.  ptxas wants all registers of an instruction among
/// those of a thread at the kernel's entry, whatever setmaxnreg gives later:
/// sums, four of a left operand from registers, and 26 others.
static int64_t getMostColumns(int64_t warps, bool isLeftInRegisters) {
  int64_t sums =
      countRegistersAtEntry(warps) - 26 - (isLeftInRegisters ? 4 : 0);
  return std::min(mostColumns, sums * 2 / 8 * 8);
}

int64_t tile::countConsumerRegisters(int64_t warps) {
  switch (warps) {
  case 4:
    return 255;
  case 8:
    return 232;
  case 12:
    return 160;
  case 16:
    return 112;
  default:
    return countRegistersAtEntry(warps);
  }
}

/// Sums of a thread that others join beside an operand in registers: with 128
/// ptxas spills, whatever the others are.
static constexpr int64_t mostSumsBesideOperand = 96;
/// Registers for what is converted in shared memory: 12 are too few for ptxas.
static constexpr int64_t conversionRegisters = 16;

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

static bool isSmallInteger(Type type) {
  return type.isInteger(4) || type.isInteger(8);
}

/// What the operands are converted to, exactly; null types if nothing holds
/// both.
static std::pair<Type, Type> getOperandTypes(Type a, Type b) {
  MLIRContext *context = a.getContext();
  auto isHalf = [](Type type) { return type.isF16() || type.isBF16(); };
  if (isHalf(a) || isHalf(b)) {
    Type half = isHalf(a) ? a : b;
    return {half, half};
  }
  if (isSmallInteger(a) && isSmallInteger(b)) {
    Type byte = IntegerType::get(context, 8);
    return {byte, byte};
  }
  // What has 4 bits is exact in e4m3.
  auto widen = [&](Type type) -> Type {
    return isFloat8(type) ? type : Float8E4M3FNType::get(context);
  };
  if (isFloat8(a) || isFloat8(b))
    return {widen(a), widen(b)};
  if (a == b && isa<FloatTF32Type>(a))
    return {a, b};
  return {};
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

/// Whether a user of a tile can do with the layout that wgmma knows, in which
/// parts of panels have no layout of their own.
static bool takesWgmmaLayout(Operation *user, SharedType tile) {
  Type part;
  if (auto load = dyn_cast<LoadOp>(user))
    part = load.getResult().getType();
  else if (auto store = dyn_cast<StoreOp>(user))
    part = store.getValue().getType();
  else
    return isa<GemmOp, CopyOp, AsyncCopyOp>(user);
  SharedType inPanels = tile.withLayout(getWgmmaLayout(tile));
  return getSubTileStorage(inPanels, getTileShape(part)).has_value();
}

/// Why wgmma cannot read an operand from shared memory, or, if it may be
/// converted, from a converted tile; empty if it can.
static std::string findSharedObstacle(Value operand, Type type, bool isKFastest,
                                      bool mayConvert) {
  auto alloc = operand.getDefiningOp<AllocSharedOp>();
  if (!alloc)
    return "an operand is no whole shared tile";
  SharedType tile = alloc.getType();
  if (isPrepacked(operand))
    return "an operand is prepacked, for registers";
  if (tile.getElementType() != type) {
    if (!mayConvert)
      return "an operand is converted on its way";
    if (!isKFastest)
      return "K is not fastest in memory of the operand that is converted in "
             "shared memory";
    return getWgmmaPanel(getConvertedType(operand, type)) == 0
               ? "rows of a tile are no multiple of 64 bytes"
               : "";
  }
  if (!isKFastest && getElementBits(type) != 16)
    return "K is not fastest in memory, as it must be for all but 16-bit "
           "elements";
  if (getWgmmaPanel(tile) == 0)
    return "rows of a tile are no multiple of 64 bytes";
  if (alloc.getAnnotation() && *alloc.getAnnotation() != getWgmmaLayout(tile))
    return "a tile has another layout by its annotation";
  for (Operation *user : alloc.getResult().getUsers())
    if (!takesWgmmaLayout(user, tile))
      return "a tile is used in parts";
  return "";
}

/// The number of columns of one instruction, `most` at most, where a warpgroup
/// has `columns` side by side; 0 if there is none.
static int64_t chooseColumns(int64_t columns, int64_t most, bool isInteger) {
  for (int64_t count = std::min(columns, most); count >= 8; count -= 8)
    if (columns % count == 0 && (!isInteger || count % 16 == 0 || count == 8))
      return count;
  return 0;
}

namespace {
/// A product as one of its two forms: rows are those of the instruction's left
/// operand, which are columns of the tile where operands are swapped.
struct WgmmaForm {
  WgmmaForm(GemmOp gemm, bool swap)
      : gemm(gemm), swap(swap), left(swap ? gemm.getB() : gemm.getA()),
        right(swap ? gemm.getA() : gemm.getB()),
        rows(swap ? gemm.getTileN() : gemm.getTileM()),
        columns(swap ? gemm.getTileM() : gemm.getTileN()),
        types(getOperandTypes(gemm.getElementTypeA(), gemm.getElementTypeB())) {
  }

  /// Why the form does not exist, whatever the warps; empty if it does.
  std::string findObstacle();

  Type getLeftType() const { return swap ? types.second : types.first; }
  Type getRightType() const { return swap ? types.first : types.second; }
  int64_t getK() const {
    return stepBytes * 8 / int64_t(getElementBits(types.first));
  }
  bool isLeftInRegisters() const {
    return isFromRegisters(left, getLeftType());
  }
  /// Whether threads write the right operand anew, for the left one takes the
  /// registers.
  bool isRightConverted() const {
    return isLeftInRegisters() && isFromRegisters(right, getRightType());
  }
  SmallVector<int64_t> getKOrder();

  GemmOp gemm;
  bool swap;
  Value left, right;
  int64_t rows, columns;
  std::pair<Type, Type> types;
};
} // namespace

/// Where threads write one operand anew and K of both is packed, they may do so
/// in any order that the left one can be read in.
SmallVector<int64_t> WgmmaForm::getKOrder() {
  auto isPackedAlongK = [](Value operand, bool isKFirst) {
    SharedType stored = getStoredType(operand);
    return stored && getElementBits(stored.getElementType()) == 4 &&
           stored.getPackDim() == (isKFirst ? 0 : 1) && !isKFirst &&
           !isPrepacked(getStoredOperand(operand));
  };
  bool isKFirstA = gemm.getTransposeA(), isKFirstB = !gemm.getTransposeB();
  if (!isRightConverted() || !types.first.isInteger(8) ||
      gemm.getBeginK() != 0 || !isPackedAlongK(gemm.getA(), isKFirstA) ||
      !isPackedAlongK(gemm.getB(), isKFirstB))
    return {};
  SmallVector<int64_t> order = getConvertedOrder(gemm.getTileK());
  if (!canConvertInOrder(cast<SharedType>(right.getType()), order,
                         getNumWarps(gemm)))
    return {};
  return order;
}

std::string WgmmaForm::findObstacle() {
  if (!types.first)
    return "no instruction of warpgroups multiplies these types";
  bool isKFirstA = gemm.getTransposeA(), isKFirstB = !gemm.getTransposeB();
  if (isRightConverted() && !getConvertedType(right, getRightType()))
    return "both operands are converted on their way, and one is computed";
  if (std::string why = findSharedObstacle(right, getRightType(),
                                           !(swap ? isKFirstA : isKFirstB),
                                           /*mayConvert=*/isLeftInRegisters());
      !why.empty())
    return why;
  if (isLeftInRegisters()) {
    if (!getStoredOperand(left))
      return "an operand is no expression over shared tiles";
  } else if (std::string why = findSharedObstacle(
                 left, getLeftType(), !(swap ? isKFirstB : isKFirstA),
                 /*mayConvert=*/false);
             !why.empty()) {
    return why;
  }
  Type sum = getTileElementType(gemm.getAccumulator().getType());
  if (!sum.isF32() && !sum.isInteger(32))
    return "sums are not of 32 bits";
  if (rows % wgmmaRows != 0)
    return swap ? "the tile has no multiple of 64 columns"
                : "the tile has no multiple of 64 rows";
  if (gemm.getTileK() % getK() != 0 || gemm.getBeginK() % getK() != 0)
    return "K is no multiple of 32 bytes";
  return "";
}

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

/// Clocks of the tensor cores: they read operands from shared memory, 128 bytes
/// a clock, and multiply N / 2 columns of one instruction's K in one:
/// a model, which ranks tiles.
static int64_t countClocks(const WgmmaForm &form, MmaAttr mma,
                           int64_t instructions) {
  int64_t reads = form.isLeftInRegisters() ? 13 : 16 + mma.getN() / 4;
  return instructions * std::max(mma.getN() / 2, reads);
}

/// Whether the sums begin at 0 in each iteration of a loop, as those of groups
/// of K that are multiplied with scales before they join a total.
static bool startsAtZero(GemmOp gemm) {
  return (matchPattern(gemm.getAccumulator(), m_AnyZeroFloat()) ||
          matchPattern(gemm.getAccumulator(), m_Zero())) &&
         gemm->getParentOfType<LoopLikeOpInterface>();
}

bool tile::hasSumsOfItsOwn(GemmOp gemm, MmaAttr mma) {
  return (needsPromotion(mma) && !gemm.getFastAccum()) || startsAtZero(gemm);
}

SmallVector<int64_t> tile::getPartWidths(int64_t columns, bool fromRegisters) {
  SmallVector<int64_t> widths;
  for (int64_t width : {128, 96, 64, 32})
    if (width < columns && columns % width == 0 &&
        (fromRegisters ? width <= 64 : width >= 64))
      widths.push_back(width);
  return widths;
}

int64_t tile::countPartsInFlight(int64_t total, int64_t part, int64_t operand,
                                 int64_t warps) {
  int64_t most = getMostSums(warps);
  if (operand)
    most = std::min(most,
                    countConsumerRegisters(warps) - operand - otherRegisters);
  return std::clamp<int64_t>((most - total) / part, 1, 2);
}

/// Whether sums may join their total some columns at a time, of a product whose
/// warps share the columns as `warpColumns` says: only whole columns of warps
/// are split (SplitSums.cpp).
static bool maySplit(const WgmmaForm &form, MmaAttr mma, int64_t warpColumns) {
  return warpColumns == 1 && hasSumsOfItsOwn(form.gemm, mma);
}

/// Registers of a thread that one product takes its left operand from.
static int64_t countOperandRegisters(const WgmmaForm &form, MmaAttr mma,
                                     int64_t warpRows) {
  if (!form.isLeftInRegisters())
    return 0;
  GemmOp gemm = form.gemm;
  int64_t depth = gemm.getTileK();
  if (needsPromotion(mma) && !gemm.getFastAccum())
    depth = std::gcd(promotionInterval, depth);
  return form.rows / warpRows * depth / 32 *
         int64_t(getElementBits(form.getLeftType())) / 32;
}

static GemmCost getCost(const WgmmaForm &form, MmaAttr mma, int64_t warpColumns,
                        int64_t warps) {
  GemmOp gemm = form.gemm;
  GemmCost cost;
  cost.products = form.rows / wgmmaRows * (form.columns / mma.getN()) *
                  (gemm.getTileK() / mma.getK());
  cost.asyncClocks = countClocks(form, mma, cost.products);
  int64_t total = form.rows * form.columns / (warps * 32);
  cost.registers = total;
  if (hasSumsOfItsOwn(gemm, mma)) {
    int64_t part = maySplit(form, mma, warpColumns)
                       ? total * mma.getN() / form.columns
                       : total;
    int64_t operand = countOperandRegisters(form, mma, warps / warpColumns);
    cost.registers +=
        std::min(countPartsInFlight(total, part, operand, warps) * part, total);
  }
  return cost;
}

/// Whether the sums fit, and what one product takes from registers, for two
/// products: the next one's is made while one multiplies, but not where its
/// sums join a total (ConversionsAhead.h).
static bool fitsRegisters(const WgmmaForm &form, MmaAttr mma,
                          const GemmCost &cost, int64_t warpRows,
                          int64_t warps) {
  if (cost.registers > getMostSums(warps))
    return false;
  if (!form.isLeftInRegisters())
    return true;
  bool joinsTotal = hasSumsOfItsOwn(form.gemm, mma);
  if (joinsTotal &&
      form.rows * form.columns / (warps * 32) > mostSumsBesideOperand)
    return false;
  int64_t products = joinsTotal ? 1 : 2;
  int64_t others =
      otherRegisters + (form.isRightConverted() ? conversionRegisters : 0);
  return cost.registers +
             products * countOperandRegisters(form, mma, warpRows) + others <=
         countConsumerRegisters(warps);
}

/// The numbers of columns that one instruction may have, for a product whose
/// warpgroups have `columns` side by side.  Sums that join a total do so best
/// 128 columns at a time, or nearly as many: measured, 8-bit floats on an H200.
static SmallVector<int64_t> listColumns(const WgmmaForm &form, int64_t columns,
                                        int64_t most, bool splits) {
  SmallVector<int64_t> widths;
  if (splits)
    for (int64_t width : getPartWidths(columns, form.isLeftInRegisters()))
      if (width <= most)
        widths.push_back(width);
  int64_t all = chooseColumns(columns, most, form.types.first.isInteger(8));
  if (all != 0 && !llvm::is_contained(widths, all))
    widths.insert(all <= 128 ? widths.begin() : widths.end(), all);
  return widths;
}

/// Why no way to share the tile out is left.
static std::string explainNone(const WgmmaForm &form) {
  if (!getDecidedInteger(form.gemm->getParentOfType<KernelOp>(), "promotion"))
    return "the warpgroups cannot share the tile, or their sums and operands "
           "do not fit into registers";
  std::string widths = std::to_string(form.columns);
  for (int64_t width : getPartWidths(form.columns, form.isLeftInRegisters()))
    widths += ", " + std::to_string(width);
  return "the columns that join a total at a time are one of " + widths +
         ", as far as their sums fit into registers";
}

static void findCandidates(WgmmaForm &form, int64_t warps,
                           SmallVectorImpl<GemmCandidate> &candidates) {
  GemmOp gemm = form.gemm;
  auto kernel = gemm->getParentOfType<KernelOp>();
  auto decided = getDecidedWarpGrid(kernel);
  auto promotion = getDecidedInteger(kernel, "promotion");
  SmallVector<int64_t> kOrder = form.getKOrder();
  int64_t most = getMostColumns(warps, form.isLeftInRegisters());
  for (int64_t warpRows = warps; warpRows >= 4; --warpRows) {
    int64_t warpColumns = warps / warpRows;
    // Whole warpgroups have rows, and odd numbers of groups one dimension.
    if (warps % warpRows != 0 || warpRows % 4 != 0 ||
        !(llvm::isPowerOf2_64(warpRows) || llvm::isPowerOf2_64(warpColumns)))
      continue;
    auto grid = form.swap ? std::pair(warpColumns, warpRows)
                          : std::pair(warpRows, warpColumns);
    if (decided && *decided != grid)
      continue;
    if (form.rows % (16 * warpRows) != 0 ||
        form.columns % (8 * warpColumns) != 0)
      continue;
    // Columns of a warpgroup are side by side within the power of two in N.
    int64_t core = form.columns & -form.columns;
    int64_t columns =
        warpColumns == 1 ? form.columns : core / (warpColumns & -warpColumns);
    auto makeMma = [&](int64_t width) {
      return MmaAttr::get(gemm.getContext(), wgmmaRows, width, form.getK(),
                          form.types.first, form.types.second, grid.first,
                          grid.second, ArrayRef<int64_t>(), kOrder, form.swap);
    };
    bool splits = maySplit(form, makeMma(8), warpColumns);
    for (int64_t width : listColumns(form, columns, most, splits)) {
      if (splits && promotion && *promotion != width)
        continue;
      MmaAttr mma = makeMma(width);
      GemmCost cost = getCost(form, mma, warpColumns, warps);
      if (fitsRegisters(form, mma, cost, warpRows, warps))
        candidates.push_back({mma, cost});
    }
  }
}

SmallVector<GemmCandidate> tile::findWgmmaCandidates(GemmOp gemm, int64_t warps,
                                                     std::string &obstacle) {
  auto kernel = gemm->getParentOfType<KernelOp>();
  if (kernel.getThreads() % warpgroupThreads != 0 ||
      warps * 32 != int64_t(kernel.getThreads())) {
    obstacle = "the threads are no whole warpgroups";
    return {};
  }
  // As the program has it, unless only the transposes can be multiplied.
  std::optional<bool> decided = getDecidedFlag(kernel, "swap");
  SmallVector<GemmCandidate> candidates;
  for (bool swap : {false, true}) {
    WgmmaForm form(gemm, swap);
    if ((decided && *decided != swap) ||
        (!candidates.empty() && !form.isRightConverted()))
      continue;
    std::string why = form.findObstacle();
    if (why.empty()) {
      findCandidates(form, warps, candidates);
      why = explainNone(form);
    }
    // Of the form in which an operand may be converted, if one is.
    if (obstacle.empty() || form.isLeftInRegisters())
      obstacle = why;
  }
  // Among equals all rows side by side, and columns in the order of
  // `listColumns`.  Sums that scales multiply join their total all at once if
  // both operands are read from shared memory, the left one for each part anew:
  // measured, 8-bit floats with scales of blocks, 128x192 tiles on an H200,
  // 1.06 of halves.
  auto getRank = [&](const GemmCandidate &candidate) {
    MmaAttr mma = candidate.mma;
    int64_t columns = mma.getN();
    int64_t rows = mma.getSwap() ? mma.getWarpsN() : mma.getWarpsM();
    bool areScaled = startsAtZero(gemm) &&
                     !WgmmaForm(gemm, mma.getSwap()).isLeftInRegisters();
    return std::tuple(candidate.cost.asyncClocks, -rows,
                      columns > 128 && !areScaled, -columns);
  };
  llvm::sort(candidates, [&](const GemmCandidate &x, const GemmCandidate &y) {
    return getRank(x) < getRank(y);
  });
  // Of both forms, where both exist, the better one.
  llvm::erase_if(candidates, [&](const GemmCandidate &candidate) {
    return candidate.mma.getSwap() != candidates.front().mma.getSwap();
  });
  return candidates;
}

bool tile::isForWarpgroups(GemmOp gemm) {
  auto kernel = gemm->getParentOfType<KernelOp>();
  int64_t products = 0;
  kernel.walk([&](GemmOp) { ++products; });
  if (products != 1 || (getDecidedWord(kernel, "instruction") == "mma" &&
                        !getDecidedFlag(kernel, "swap").value_or(false)))
    return false;
  // Expressions become operands of a copy.
  OpBuilder builder(gemm);
  auto trial = cast<GemmOp>(builder.clone(*gemm));
  OpOperand *operands[] = {&trial.getAMutable(), &trial.getBMutable()};
  for (OpOperand *operand : operands)
    fuseOperand(*operand);
  std::string obstacle;
  bool fits = !findWgmmaCandidates(trial, getNumWarps(trial), obstacle).empty();
  SmallVector<Value> values(trial->getOperands());
  trial.erase();
  for (Value value : values)
    if (auto expression = value.getDefiningOp<OperandOp>();
        expression && expression->use_empty())
      expression.erase();
  return fits;
}
