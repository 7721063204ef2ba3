//===- GemmCandidates.cpp - Ways to do a product, and their cost ----------===//

#include "dialects/Tile/Transforms/GemmCandidates.h"
#include "dialects/Layout/BankConflicts.h"
#include "dialects/Layout/Conversion.h"
#include "dialects/Tile/Transforms/PackedOperand.h"
#include "dialects/Tile/Transforms/RegisterOrder.h"
#include "dialects/Tile/Transforms/SharedSwizzle.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace mlir::tile;
using layout::FragmentLayout;

// Clocks of one SM for each thing counted, fitted to 12 kernels on an H200:
// bf16 and int4 in both packings, three warp grids, tiles of 128x128 and
// 128x256 (docs/decisions/0005).  An instruction takes 0.25 of the four
// schedulers; that it costs more is what does not overlap.
static constexpr double clocksPerProduct = 1.37;
static constexpr double clocksPerInstruction = 0.42;
static constexpr double clocksPerWavefront = 0.44;
/// Accumulator and operands that leave few registers to load ahead into slow
/// everything down, by this part for each register above the first so many.
static constexpr int64_t freeRegisters = 128;
static constexpr double slowdownPerRegister = 0.0014;
/// Executions of a product for one write of its result: a short loop over K.
static constexpr double executionsPerStore = 16;

double GemmCost::getClocks() const {
  if (asyncClocks)
    return double(asyncClocks);
  double clocks = clocksPerProduct * products +
                  clocksPerWavefront * wavefronts +
                  clocksPerInstruction *
                      (loads + conversions + stores / executionsPerStore);
  return clocks * (1 + slowdownPerRegister *
                           std::max<int64_t>(registers - freeRegisters, 0));
}

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

namespace {
/// Reads of one operand by all warps.
struct ReadCost {
  int64_t loads = 0, wavefronts = 0, conflicts = 0, moves = 0;
};

/// Counts the costs of the candidates of one gemm.  What several of them share
/// is counted once.
class CostCounter {
public:
  CostCounter(GemmOp gemm, int64_t warps) : gemm(gemm), warps(warps) {}

  GemmCost count(MmaAttr mma);

private:
  const ReadCost &countReads(Value operand, const FragmentLayout &fragment,
                             int wordsPerOperand);

  GemmOp gemm;
  int64_t warps;
  llvm::StringMap<ReadCost> reads;
};
} // namespace

/// Passes through shared memory of the accesses without conflicts: in one, the
/// lanes move 128 bytes together.
static int64_t countPhases(const layout::AccessPattern &pattern) {
  int lanes = std::min(layout::lanesPerWarp, 128 / pattern.bytes);
  int64_t phases = 0;
  for (const layout::WarpRequest &request : pattern.requests)
    for (int first = 0; first < layout::lanesPerWarp; first += lanes)
      if (llvm::any_of(ArrayRef(request.offsets).slice(first, lanes),
                       [](int32_t offset) { return offset >= 0; }))
        phases += request.count;
  return phases;
}

/// Words of a thread that are moved or put together after loading.  The words
/// of one operand of an instruction lie in neighbouring registers, and so do
/// those of one load: what does not arrive as a whole is moved word by word.
static int64_t countMoves(const layout::VectorPlan &plan, int wordsPerOperand) {
  int perWord = 32 / plan.elementBits;
  int perOperand = perWord * wordsPerOperand;
  SmallVector<int> place(plan.registers.size());
  for (auto [index, reg] : llvm::enumerate(plan.registers))
    place[reg] = index;
  int64_t moves = 0;
  for (size_t first = 0; first + perOperand <= place.size();
       first += perOperand) {
    bool arrives = place[first] % plan.elements + perOperand <= plan.elements;
    for (int i = 1; i < perOperand; ++i)
      arrives &= place[first + i] == place[first] + i;
    moves += arrives ? 0 : wordsPerOperand;
  }
  return moves;
}

/// One step of K of a prepacked operand, which comes without conflicts and as
/// it is wanted.
static ReadCost countPackedReads(SharedType type,
                                 const FragmentLayout &fragment) {
  ReadCost cost;
  std::optional<layout::PackedTile> packed = packTile(type, fragment);
  if (!packed)
    return cost;
  auto storage = layout::SharedLayout::create(packed->load.shape(),
                                              packed->order.elementBits());
  layout::VectorPlan plan = layout::planVector(packed->load, *storage);
  cost.loads = int64_t(plan.accesses()) * fragment.numWarps();
  cost.wavefronts =
      countPhases(layout::describeAccess(packed->load, *storage, plan));
  return cost;
}

/// One step of K, with the swizzle that suits the reads and the copy.
const ReadCost &CostCounter::countReads(Value operand,
                                        const FragmentLayout &fragment,
                                        int wordsPerOperand) {
  SharedType type = getStoredType(operand);
  std::optional<layout::Swizzle> given =
      getTmaSwizzle(getStoredOperand(operand));
  std::string key;
  llvm::raw_string_ostream(key)
      << type << fragment.str() << wordsPerOperand << given.has_value();
  auto [it, isNew] = reads.try_emplace(key);
  ReadCost &cost = it->second;
  if (!isNew)
    return cost;
  if (isPrepacked(getStoredOperand(operand)))
    return cost = countPackedReads(type, fragment);
  SmallVector<int64_t> shape(fragment.shape());
  std::optional<layout::SharedLayout> storage = getSubTileStorage(type, shape);
  if (!storage)
    return cost;
  layout::AccessPattern pattern;
  if (auto ldmatrix = layout::planLdmatrix(fragment, *storage)) {
    pattern = layout::describeAccess(*storage, *ldmatrix);
    cost.loads = ldmatrix->instructions.size() * fragment.numWarps();
  } else {
    layout::VectorPlan plan = layout::planVector(fragment, *storage);
    pattern = layout::describeAccess(fragment, *storage, plan);
    cost.loads = int64_t(plan.accesses()) * fragment.numWarps();
    // Narrow operands are counted with their conversion.
    if (plan.elementBits >= 16)
      cost.moves = countMoves(plan, wordsPerOperand) * fragment.numWarps();
  }
  SmallVector<layout::AccessPattern> patterns{pattern};
  layout::SharedLayout whole = type.getStorage();
  if (whole.rowPitch() % 16 == 0)
    patterns.push_back(layout::describeCopy(whole));
  cost.conflicts = layout::countConflicts(
      pattern, given ? *given : layout::chooseSwizzle(patterns, whole).swizzle);
  cost.wavefronts = countPhases(pattern) + cost.conflicts;
  return cost;
}

/// Instructions of a warp that bring a narrow operand, read as `load`, to the
/// registers of the instruction: for each pair a byte permute, unless its
/// halves lie four nibbles apart in one word, a logic operation and an
/// addition; and the shifted words that they take.
static int64_t countNibbleConversions(const FragmentLayout &load,
                                      const FragmentLayout &operand) {
  layout::ConversionPlan plan = layout::planConversion(load, operand);
  int64_t pairs = operand.elementsPerThread() / 2;
  int64_t words = llvm::divideCeil(load.elementsPerThread(), 8);
  // The thread chooses its byte: a permute for each pair, of both shifts.
  if (plan.kind != layout::ConversionKind::Identical &&
      plan.kind != layout::ConversionKind::RegisterPermutation)
    return 3 * pairs + words;
  auto getSource = [&](int reg) {
    return plan.registerOf.empty() ? reg : plan.registerOf[reg];
  };
  int64_t instructions = 0;
  llvm::SmallSet<std::pair<int, int>, 32> shifts;
  for (int64_t pair = 0; pair < pairs; ++pair) {
    int low = getSource(2 * pair), high = getSource(2 * pair + 1);
    instructions += 2;
    if (low / 8 == high / 8 && high == low + 4) {
      shifts.insert({low / 8, low % 8});
      continue;
    }
    ++instructions;
    shifts.insert({low / 8, low % 2});
    shifts.insert({high / 8, high % 2});
  }
  for (const std::pair<int, int> &shift : shifts)
    instructions += shift.second != 0;
  return instructions;
}

/// The same for other pairs of types: about one for each element, and one more
/// for each whose word is not a run of neighbours where it comes from.
static int64_t countOtherConversions(const FragmentLayout &load,
                                     const FragmentLayout &operand,
                                     unsigned operandBits) {
  layout::ConversionPlan plan = layout::planConversion(load, operand);
  int64_t elements = operand.elementsPerThread();
  if (plan.registerOf.empty())
    return plan.kind == layout::ConversionKind::Identical ? elements
                                                          : 2 * elements;
  int64_t perWord = std::max(32 / operandBits, 1u), instructions = 0;
  for (int64_t first = 0; first < elements; first += perWord) {
    bool isRun = true;
    for (int64_t i = 1; i < perWord; ++i)
      isRun &= plan.registerOf[first + i] == plan.registerOf[first] + i;
    instructions += (isRun ? 1 : 2) * perWord;
  }
  return instructions;
}

/// Instructions of a warp for what an operand is beside its conversions: packed
/// where two elements are in a register.
static int64_t countArithmetic(Value operand, const FragmentLayout &fragment) {
  auto expression = operand.getDefiningOp<OperandOp>();
  if (!expression)
    return 0;
  int64_t bits = 0;
  for (Operation &op : expression.getBodyBlock()->without_terminator())
    if (!isa<CastOp>(op) && !op.hasTrait<OpTrait::ConstantLike>())
      bits += std::max(getElementBits(op.getResult(0).getType()), 16u);
  return bits * fragment.elementsPerThread() / 32;
}

/// Stores of a warp that write the accumulator as 16-bit numbers.
static int64_t countStores(const FragmentLayout &accumulator) {
  return layout::planGlobalVector(orderRegistersRowMajor(accumulator),
                                  /*elementBits=*/16)
      .accesses();
}

GemmCost CostCounter::count(MmaAttr mma) {
  GemmPlan plan = planGemm(gemm, mma, warps);
  SharedType typeA = getStoredType(gemm.getA());
  SharedType typeB = getStoredType(gemm.getB());
  int64_t steps = gemm.getTileK() / plan.kStep;
  const layout::MmaInstruction &instruction = plan.tiling.instruction;
  int perWord = instruction.elementsPerRegister();
  const ReadCost a =
      countReads(gemm.getA(), plan.loadA, instruction.elementsA() / perWord);
  const ReadCost b =
      countReads(gemm.getB(), plan.loadB, instruction.elementsB() / perWord);
  GemmCost cost;
  cost.products = int64_t(plan.tiling.mTiles()) * plan.tiling.nTiles() *
                  (gemm.getTileK() / mma.getK()) * warps;
  cost.loads = steps * (a.loads + b.loads);
  cost.wavefronts = steps * (a.wavefronts + b.wavefronts);
  cost.conflicts = steps * (a.conflicts + b.conflicts);
  cost.conversions = steps * (a.moves + b.moves);
  cost.stores = countStores(plan.accumulator) * warps;
  int64_t bits = mma.getOperandBits();
  cost.registers =
      plan.accumulator.elementsPerThread() +
      2 * (plan.a.elementsPerThread() + plan.b.elementsPerThread()) * bits / 32;
  auto addConversion = [&](SharedType type, bool transposed,
                           const FragmentLayout &load,
                           const FragmentLayout &operand) {
    if (!isNarrow(type.getElementType(), mma))
      return;
    FragmentLayout source = transposed ? load.permuteDims({1, 0}) : load;
    cost.conversions +=
        steps * warps *
        (isNibbleToHalf(type.getElementType(), mma)
             ? countNibbleConversions(source, operand)
             : countOtherConversions(source, operand, mma.getOperandBits()));
  };
  addConversion(typeA, gemm.getTransposeA(), plan.loadA, plan.a);
  addConversion(typeB, gemm.getTransposeB(), plan.loadB, plan.b);
  cost.conversions += steps * warps *
                      (countArithmetic(gemm.getA(), plan.a) +
                       countArithmetic(gemm.getB(), plan.b));
  return cost;
}

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

/// How many of `warps` may share a tile: all or a part of which they are a
/// multiple, or a power of two; the most first.
static SmallVector<int64_t> listWarpCounts(int64_t warps) {
  SmallVector<int64_t> counts;
  for (int64_t used = warps; used >= 1; --used)
    if (warps % used == 0 || llvm::isPowerOf2_64(used))
      counts.push_back(used);
  return counts;
}

/// Grids that use the most warps the tile can be shared out among.
static SmallVector<std::pair<int64_t, int64_t>>
findWarpGrids(GemmOp gemm, int64_t warps, int64_t m, int64_t n) {
  SmallVector<std::pair<int64_t, int64_t>> grids;
  for (int64_t used : listWarpCounts(warps)) {
    for (int64_t warpsM = 1; warpsM <= used; ++warpsM) {
      int64_t warpsN = used / warpsM;
      if (used % warpsM == 0 &&
          (llvm::isPowerOf2_64(warpsM) || llvm::isPowerOf2_64(warpsN)) &&
          gemm.getTileM() % (m * warpsM) == 0 &&
          gemm.getTileN() % (n * warpsN) == 0)
        grids.push_back({warpsM, warpsN});
    }
    if (!grids.empty())
      break;
  }
  return grids;
}

/// The columns of a warp's tiles side by side: slot bits 0-2, the place inside
/// an n8 tile, above the bits of the tile's index.
static SmallVector<int64_t> makeAdjacentColumns(int64_t tiles) {
  // The power of two in the tiles of a warp, up to 16.
  int64_t tileBits = std::min<int64_t>(llvm::Log2_64(tiles & -tiles), 4);
  SmallVector<int64_t> order;
  for (int64_t i = 0; i < 3; ++i)
    order.push_back(i + tileBits);
  for (int64_t i = 0; i < tileBits; ++i)
    order.push_back(i);
  return order;
}

/// The order of K over `1 << stepBits` instructions in which a lane's elements
/// of all of them are side by side in memory.  Slot bits are, from the lowest,
/// the place in a register, the lane, the register, the instruction.
static SmallVector<int64_t> makeLanesSideBySide(int64_t k, unsigned elementBits,
                                                int64_t stepBits) {
  int64_t placeBits = llvm::Log2_64(std::max(32 / elementBits, 1u));
  int64_t registerBits = llvm::Log2_64(k) - placeBits - 2;
  SmallVector<int64_t> order;
  for (int64_t bit = 0; bit < placeBits; ++bit)
    order.push_back(bit);
  for (int64_t bit = 0; bit < 2; ++bit) // the lane comes last
    order.push_back(placeBits + registerBits + stepBits + bit);
  for (int64_t bit = 0; bit < registerBits + stepBits; ++bit)
    order.push_back(placeBits + bit);
  return order;
}

/// Two steps of 16-bit elements with the halves of each register four elements
/// apart: the order in which a masked word of nibbles is a pair.
static constexpr int64_t halvesFourApart[] = {2, 3, 4, 0, 1};

/// The orders of K worth trying.
static SmallVector<SmallVector<int64_t>>
findKOrders(GemmOp gemm, const MmaInstructionChoice &instruction) {
  unsigned bits = getElementBits(instruction.typeA);
  unsigned narrowest =
      std::min(getElementBits(getStoredType(gemm.getA()).getElementType()),
               getElementBits(getStoredType(gemm.getB()).getElementType()));
  SmallVector<SmallVector<int64_t>> orders{{}};
  // What is stored as it is multiplied comes by ldmatrix in the natural order.
  bool isHalf = bits == 16;
  if (narrowest >= bits && !isHalf)
    return orders;
  if (narrowest < bits && !(isHalf && narrowest == 4))
    orders.push_back(makeLanesSideBySide(instruction.k, bits, /*stepBits=*/0));
  if (gemm.getTileK() % (2 * instruction.k) == 0) {
    orders.push_back(makeLanesSideBySide(instruction.k, bits, /*stepBits=*/1));
    if (isHalf && narrowest <= 4)
      orders.push_back(llvm::to_vector(ArrayRef(halvesFourApart)));
  }
  return orders;
}

/// Whether the lanes of a quad share the words of a row of B (GemmPlan.cpp)
/// where K has its own order.  Rows of other tiles side by side are then slower
/// than what is counted, by 8 % on an H200 (336 against 363 TFLOP/s).
static bool readsRowsInQuads(GemmOp gemm) {
  SharedType type = getStoredType(gemm.getB());
  return gemm.getTransposeB() && type.getPackDim() == 1 &&
         !isPrepacked(getStoredOperand(gemm.getB()));
}

SmallVector<GemmCandidate>
tile::findGemmCandidates(GemmOp gemm, int64_t warps,
                         const MmaInstructionChoice &instruction,
                         std::pair<int64_t, int64_t> warpGrid) {
  // Registers that an accumulator and its operands may take, beside addresses.
  int64_t registerLimit = std::min<int64_t>(255, 65536 / (warps * 32)) - 24;
  CostCounter counter(gemm, warps);
  MLIRContext *context = gemm.getContext();
  SmallVector<GemmCandidate> candidates, tooLarge;
  auto add = [&](std::pair<int64_t, int64_t> grid, ArrayRef<int64_t> nOrder,
                 ArrayRef<int64_t> kOrder) {
    auto mma = MmaAttr::get(context, instruction.m, instruction.n,
                            instruction.k, instruction.typeA, instruction.typeB,
                            grid.first, grid.second, nOrder, kOrder);
    GemmCost cost = counter.count(mma);
    (cost.registers <= registerLimit ? candidates : tooLarge)
        .push_back({mma, cost});
  };
  for (std::pair<int64_t, int64_t> grid :
       findWarpGrids(gemm, warps, instruction.m, instruction.n)) {
    if (warpGrid.first && grid != warpGrid)
      continue;
    SmallVector<SmallVector<int64_t>> nOrders{{}},
        kOrders = findKOrders(gemm, instruction);
    int64_t tiles = gemm.getTileN() / (instruction.n * grid.second);
    if (tiles % 2 == 0)
      nOrders.push_back(makeAdjacentColumns(tiles));
    for (ArrayRef<int64_t> nOrder : nOrders)
      for (ArrayRef<int64_t> kOrder : kOrders)
        if (nOrder.empty() || !kOrder.empty() || !readsRowsInQuads(gemm))
          add(grid, nOrder, kOrder);
  }
  // A tile that is too large for the registers is compiled all the same, and
  // spills.
  if (candidates.empty())
    candidates = tooLarge;
  // Among equals the simplest, and in the order made.
  auto getKey = [&](unsigned index) {
    MmaAttr mma = candidates[index].mma;
    return std::tuple(candidates[index].cost.getClocks(),
                      mma.getNOrder().size() + mma.getKOrder().size(), index);
  };
  SmallVector<unsigned> order =
      llvm::to_vector(llvm::seq<unsigned>(0, candidates.size()));
  llvm::sort(order,
             [&](unsigned a, unsigned b) { return getKey(a) < getKey(b); });
  return llvm::map_to_vector(order,
                             [&](unsigned index) { return candidates[index]; });
}
