//===- SelectMma.cpp - Choose the instruction of each product -------------===//
//
// The instruction follows from the types: 16-bit floats multiply as they are; a
// narrow integer beside one is converted to it in registers, exactly.
//
// How warps share the tile, and the free orders of K and of the columns, follow
// from costs (GemmCandidates.h).  Products that pass an accumulator on should
// agree on its layout, so they are chosen together, by a beam search in program
// order: what one gemm would like may cost the next a conversion.
//
//===----------------------------------------------------------------------===//

#include "dialects/Layout/Conversion.h"
#include "dialects/Tile/Transforms/Decisions.h"
#include "dialects/Tile/Transforms/GemmCandidates.h"
#include "dialects/Tile/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/EquivalenceClasses.h"

namespace mlir::tile {
#define GEN_PASS_DEF_SELECTMMAPASS
#include "dialects/Tile/Transforms/Passes.h.inc"
} // namespace mlir::tile

using namespace mlir;
using namespace mlir::tile;

/// How the language spells an element type.
static std::string spell(Type type, bool isUnsigned) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return (isUnsigned ? "uint" : "int") + std::to_string(integer.getWidth());
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// The type both operands have at the instruction; null if there is none yet.
static Type getInstructionType(GemmOp gemm) {
  Type a = gemm.getElementTypeA(), b = gemm.getElementTypeB();
  if (!getTileElementType(gemm.getAccumulator().getType()).isF32())
    return {};
  auto isWide = [](Type t) { return t.isBF16() || t.isF16(); };
  auto isPacked = [](Type t) { return t.isInteger(4); };
  if (isWide(a) && (a == b || isPacked(b)))
    return a;
  if (isWide(b) && isPacked(a))
    return b;
  return {};
}

/// Puts a fragment operand in a shared tile, from which the instruction's own
/// fragments are read.
static void stageOperand(OpOperand &operand) {
  auto tensor = dyn_cast<RankedTensorType>(operand.get().getType());
  if (!tensor)
    return;
  OpBuilder builder(operand.getOwner());
  Location loc = operand.getOwner()->getLoc();
  int64_t packDim =
      tensor.getElementTypeBitWidth() == 4 ? tensor.getRank() - 1 : -1;
  auto type =
      SharedType::get(builder.getContext(), tensor.getShape(),
                      tensor.getElementType(), packDim, SharedLayoutAttr());
  auto alloc = AllocSharedOp::create(
      builder, loc, type, builder.getStringAttr("operand"), IntegerAttr());
  StoreOp::create(builder, loc, operand.get(), alloc, ValueRange());
  operand.set(alloc);
}

/// The instruction of one gemm: its type and, in the members named so, shape.
struct Instruction {
  Type operandType;
  int64_t m = 16, n = 8, k = 16;
};

/// The instruction of a gemm, or an error that says why there is none.
static FailureOr<Instruction> selectInstruction(GemmOp gemm) {
  Instruction instruction{getInstructionType(gemm)};
  if (!instruction.operandType) {
    return gemm.emitError("'gemm' of ")
           << spell(gemm.getElementTypeA(), gemm.getUnsignedA()) << " and "
           << spell(gemm.getElementTypeB(), gemm.getUnsignedB())
           << " with an accumulator of "
           << getTileElementType(gemm.getAccumulator().getType())
           << " is not supported yet";
  }
  struct Extent {
    const char *name;
    int64_t value, step;
  };
  for (Extent extent : {Extent{"M", gemm.getTileM(), instruction.m},
                        Extent{"N", gemm.getTileN(), instruction.n},
                        Extent{"K", gemm.getTileK(), instruction.k}})
    if (extent.value % extent.step != 0)
      return gemm.emitError("tile ") << extent.name << " " << extent.value
                                     << " is not a multiple of the MMA "
                                     << extent.name << " step " << extent.step;
  return instruction;
}

//===----------------------------------------------------------------------===//
// The products of a kernel together
//===----------------------------------------------------------------------===//

/// "2x4"
static std::string showGrid(MmaAttr mma) {
  return std::to_string(mma.getWarpsM()) + "x" +
         std::to_string(mma.getWarpsN());
}

/// "2x4, 4x2", the grids of warps among candidates, the best first.
static std::string showGrids(ArrayRef<GemmCandidate> options) {
  SmallVector<std::string> grids;
  for (const GemmCandidate &option : options)
    if (std::string grid = showGrid(option.mma);
        !llvm::is_contained(grids, grid))
      grids.push_back(grid);
  return llvm::join(grids, ", ");
}

/// Notes how the warps share a product, for reports.
static void noteWarps(GemmOp gemm, ArrayRef<GemmCandidate> options,
                      const GemmCandidate &chosen) {
  auto getClocks = [](const GemmCandidate &candidate) {
    return std::to_string(std::lround(candidate.cost.getClocks())) + " clocks";
  };
  std::string reason = getClocks(chosen);
  for (const GemmCandidate &option : options)
    if (showGrid(option.mma) != showGrid(chosen.mma)) {
      reason += "; " + showGrid(option.mma) + " takes " + getClocks(option);
      break;
    }
  noteChoice(gemm->getParentOfType<KernelOp>(), gemm.getLoc(),
             {"warps", showGrid(chosen.mma), showGrids(options), reason});
}

/// The ways to do a product: those that the decision about `warps` leaves.
static FailureOr<SmallVector<GemmCandidate>>
findCandidates(GemmOp gemm, int64_t warps, const Instruction &instruction) {
  auto kernel = gemm->getParentOfType<KernelOp>();
  auto find = [&](std::pair<int64_t, int64_t> grid) {
    return findGemmCandidates(gemm, warps, instruction.operandType,
                              instruction.m, instruction.n, instruction.k,
                              grid);
  };
  auto decided = getDecidedWarpGrid(kernel);
  SmallVector<GemmCandidate> candidates =
      find(decided.value_or(std::pair<int64_t, int64_t>{0, 0}));
  if (!candidates.empty())
    return candidates;
  if (!decided)
    return gemm.emitError("'gemm' cannot be shared out among ")
           << warps << " warps";
  InFlightDiagnostic error = gemm.emitError("decision 'warps' = ")
                             << decided->first << "x" << decided->second
                             << " does not fit: the tile is " << gemm.getTileM()
                             << "x" << gemm.getTileN() << ", an instruction "
                             << instruction.m << "x" << instruction.n
                             << ", and the block has " << warps << " warps";
  error.attachNote() << "help: choose one of " << showGrids(find({0, 0}));
  return failure();
}

/// Keeps the costs of the choice and of the runner-up, for reports.
static void recordChoice(GemmOp gemm, ArrayRef<GemmCandidate> options,
                         unsigned chosen) {
  OpBuilder builder(gemm);
  auto describe = [&](const GemmCandidate &candidate) {
    const GemmCost &cost = candidate.cost;
    auto number = [&](int64_t value) {
      return builder.getI64IntegerAttr(value);
    };
    return builder.getDictionaryAttr({
        builder.getNamedAttr("mma", candidate.mma),
        builder.getNamedAttr("clocks", number(std::lround(cost.getClocks()))),
        builder.getNamedAttr("products", number(cost.products)),
        builder.getNamedAttr("loads", number(cost.loads)),
        builder.getNamedAttr("wavefronts", number(cost.wavefronts)),
        builder.getNamedAttr("conflicts", number(cost.conflicts)),
        builder.getNamedAttr("conversions", number(cost.conversions)),
        builder.getNamedAttr("stores", number(cost.stores)),
        builder.getNamedAttr("registers", number(cost.registers)),
    });
  };
  SmallVector<Attribute> described{describe(options[chosen])};
  for (auto [index, option] : llvm::enumerate(options))
    if (index != chosen && described.size() < 2)
      described.push_back(describe(option));
  gemm->setAttr("tile.candidates", builder.getArrayAttr(described));
}

namespace {
/// Chooses among the candidates of all products of a kernel.
class CandidateSearch {
public:
  CandidateSearch(KernelOp kernel, int64_t warps) : warps(warps) {
    kernel.walk([&](Operation *op) { linkAccumulators(op); });
  }

  void add(GemmOp gemm, SmallVector<GemmCandidate> candidates) {
    gemms.push_back(gemm);
    this->candidates.push_back(std::move(candidates));
  }

  /// Sets the `mma` of every product.
  void choose();

private:
  struct State {
    SmallVector<unsigned> chosen;
    double clocks = 0;
  };

  void linkAccumulators(Operation *op);
  void unite(Value a, Value b) {
    classes.unionSets(a.getAsOpaquePointer(), b.getAsOpaquePointer());
  }
  double getConversionClocks(const State &state, const GemmCandidate &next);

  int64_t warps;
  SmallVector<GemmOp> gemms;
  SmallVector<SmallVector<GemmCandidate>> candidates;
  /// Fragments that have one layout: carried by loops, or computed from each
  /// other element by element.
  llvm::EquivalenceClasses<void *> classes;
};
} // namespace

void CandidateSearch::linkAccumulators(Operation *op) {
  auto uniteFragments = [&](Value a, Value b) {
    auto from = dyn_cast<RankedTensorType>(a.getType()),
         to = dyn_cast<RankedTensorType>(b.getType());
    if (from && to && from.getShape() == to.getShape())
      unite(a, b);
  };
  if (auto gemm = dyn_cast<GemmOp>(op)) {
    unite(gemm.getAccumulator(), gemm.getResult());
  } else if (auto loop = dyn_cast<LoopLikeOpInterface>(op)) {
    auto yielded = loop.getYieldedValuesMutable();
    auto results = loop.getLoopResults();
    if (!yielded || !results)
      return;
    for (auto [init, arg, yield, result] :
         llvm::zip_equal(loop.getInitsMutable(), loop.getRegionIterArgs(),
                         *yielded, *results)) {
      uniteFragments(init.get(), arg);
      uniteFragments(init.get(), yield.get());
      uniteFragments(init.get(), result);
    }
  } else if (op->hasTrait<OpTrait::Elementwise>() && op->getNumResults() == 1) {
    for (Value operand : op->getOperands())
      uniteFragments(operand, op->getResult(0));
  }
}

/// What it costs to bring the accumulators that `next`, the product after those
/// of `state`, shares with them to its layout and back.
double CandidateSearch::getConversionClocks(const State &state,
                                            const GemmCandidate &next) {
  unsigned index = state.chosen.size();
  GemmOp gemm = gemms[index];
  double clocks = 0;
  for (unsigned i = 0; i < index; ++i) {
    if (!classes.isEquivalent(gemms[i].getResult().getAsOpaquePointer(),
                              gemm.getResult().getAsOpaquePointer()))
      continue;
    layout::FragmentLayout wanted = planGemm(gemm, next.mma, warps).accumulator;
    layout::FragmentLayout given =
        planGemm(gemms[i], candidates[i][state.chosen[i]].mma, warps)
            .accumulator;
    layout::ConversionKind kind = layout::planConversion(given, wanted).kind;
    if (kind == layout::ConversionKind::Identical ||
        kind == layout::ConversionKind::RegisterPermutation)
      continue;
    // Written and read through shared memory, there and back: a wavefront and
    // an instruction for each register of each warp.
    clocks += 4 * 1.25 * wanted.elementsPerThread() * warps;
  }
  return clocks;
}

void CandidateSearch::choose() {
  constexpr size_t beamWidth = 8;
  SmallVector<State> beam(1);
  for (const SmallVector<GemmCandidate> &next : candidates) {
    SmallVector<State> extended;
    for (const State &state : beam)
      for (auto [index, candidate] : llvm::enumerate(next)) {
        State &longer = extended.emplace_back(state);
        longer.clocks +=
            candidate.cost.getClocks() + getConversionClocks(state, candidate);
        longer.chosen.push_back(index);
      }
    // Among equals the candidates that come first.
    llvm::sort(extended, [](const State &a, const State &b) {
      return std::tie(a.clocks, a.chosen) < std::tie(b.clocks, b.chosen);
    });
    extended.truncate(std::min(beamWidth, extended.size()));
    beam = std::move(extended);
  }
  for (auto [gemm, chosen, options] :
       llvm::zip_equal(gemms, beam.front().chosen, candidates)) {
    gemm.setMmaAttr(options[chosen].mma);
    recordChoice(gemm, options, chosen);
    noteWarps(gemm, options, options[chosen]);
  }
}

namespace {
struct SelectMma : tile::impl::SelectMmaPassBase<SelectMma> {
  using SelectMmaPassBase::SelectMmaPassBase;

  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<KernelOp>()) {
      noteLaunchChoices(kernel);
      if (failed(selectAll(kernel)))
        return signalPassFailure();
    }
  }

  LogicalResult selectAll(KernelOp kernel) {
    int64_t warps = getNumWarps(kernel);
    SmallVector<std::pair<GemmOp, Instruction>> selected;
    bool failedAny = false;
    kernel.walk([&](GemmOp gemm) {
      FailureOr<Instruction> instruction = selectInstruction(gemm);
      failedAny |= failed(instruction);
      if (succeeded(instruction))
        selected.push_back({gemm, *instruction});
    });
    if (failedAny)
      return failure();
    for (auto &[gemm, instruction] : selected) {
      stageOperand(gemm.getAMutable());
      stageOperand(gemm.getBMutable());
    }
    // Costs depend on where packed elements lie.
    adoptPacking(kernel);
    CandidateSearch search(kernel, warps);
    for (auto &[gemm, instruction] : selected) {
      auto candidates = findCandidates(gemm, warps, instruction);
      if (failed(candidates))
        return failure();
      search.add(gemm, std::move(*candidates));
    }
    search.choose();
    return success();
  }
};
} // namespace
