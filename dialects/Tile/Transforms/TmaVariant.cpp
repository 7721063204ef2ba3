//===- TmaVariant.cpp - The variant of a kernel that TMA feeds ------------===//

#include "dialects/Tile/Transforms/TmaVariant.h"
#include "dialects/Tile/IR/GemmTiling.h"
#include "dialects/Tile/Transforms/AccessFacts.h"
#include "dialects/Tile/Transforms/AlignmentFacts.h"
#include "dialects/Tile/Transforms/GemmPlan.h"
#include "dialects/Tile/Transforms/MemoryAccess.h"
#include "dialects/Tile/Transforms/OperandExpressions.h"
#include "dialects/Tile/Transforms/TileBuilders.h"
#include "dialects/Tile/Transforms/TmaPlan.h"
#include "dialects/Tile/Transforms/WgmmaCandidates.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::tile;

/// Of what TMA writes in shared memory.
static constexpr int64_t stageAlignment = 128;

//===----------------------------------------------------------------------===//
// What a kernel is made of
//===----------------------------------------------------------------------===//

KernelParts tile::getParts(KernelOp kernel) {
  KernelParts parts;
  parts.work = &kernel.getBody().front();
  for (auto persistent : parts.work->getOps<PersistentOp>())
    parts.persistent = persistent;
  if (parts.persistent)
    parts.work = parts.persistent.getBodyBlock();
  llvm::append_range(parts.loops, parts.work->getOps<PipelinedOp>());
  return parts;
}

SmallVector<int64_t> tile::getTmaBox(GlobalType tensor, SharedType tile) {
  SmallVector<int64_t> box(tensor.getRank() - tile.getRank(), 1);
  llvm::append_range(box, getTileBox(tile));
  return box;
}

//===----------------------------------------------------------------------===//
// What stands in the way
//===----------------------------------------------------------------------===//

/// Whether all that makes a value is pure, up to the index of `loop`: another
/// team can compute it for itself.
static bool isComputable(Value value, PipelinedOp loop) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (argument) {
    Operation *owner = argument.getOwner()->getParentOp();
    return isa<KernelOp, PersistentOp>(owner) ||
           (loop && value == loop.getInductionVar());
  }
  Operation *op = value.getDefiningOp();
  return op->getNumRegions() == 0 && isPure(op) &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return isComputable(operand, loop);
         });
}

/// Why TMA cannot do a copy of a loop's body; empty if it can.
static std::string findCopyObstacle(CopyOp copy, PipelinedOp loop) {
  auto alloc = copy.getDestination().getDefiningOp<AllocSharedOp>();
  auto tensorArgument = dyn_cast<BlockArgument>(copy.getSource());
  auto tensor = dyn_cast<GlobalType>(copy.getSource().getType());
  if (!alloc || !tensor || !tensorArgument)
    return "a copy is not from a tensor to a whole shared tile";
  if (loop->getParentOfType<KernelOp>().getArgAttr(
          tensorArgument.getArgNumber(), "tile.strided_all"))
    return "a tensor may have gaps between elements";
  if (copy.getPad())
    return "a copy has a pad value";
  SharedType tile = alloc.getType();
  if (tensor.getRank() < 2 || tile.getRank() != 2 ||
      (tensor.getPackDim() >= 0 &&
       !movesWholeBytes(tensorArgument, copy.getSourceIndices(), alloc)))
    return "a copied tile is no matrix of whole bytes";
  layout::SharedLayout storage = tile.getStorage();
  // Scales of a few groups have such rows, and a prepacked tensor whole ones.
  if (storage.rowPitch() % tmaGlobalAlignment != 0)
    return ("rows of '" + alloc.getName().value_or("a copied tile") +
            "' are no multiple of 16 bytes, as they would be if its tensor "
            "were 'prepack'")
        .str();
  if (!isTmaStorage(storage))
    return "a copied tile has a layout that TMA does not know";
  // Stages follow each other without gaps.
  if (storage.bytes() % stageAlignment != 0)
    return "a copied tile is no multiple of 128 bytes";
  if (llvm::any_of(getTmaBox(tensor, tile),
                   [](int64_t extent) { return extent > mostBoxExtent; }))
    return "a copied tile has more than 256 rows, or columns";
  for (Value index : copy.getSourceIndices())
    if (!isComputable(index, loop))
      return "the place of a copy depends on what is computed";
  for (Operation *user : alloc.getResult().getUsers())
    if (user != copy && (!loop->isProperAncestor(user) ||
                         !isa<GemmOp, OperandOp, LoadOp, UnpackedOp>(user)))
      return "a copied tile has other uses than products of its loop";
  // A reader inside another statement, too, sees what came last.
  for (Operation *user : alloc.getResult().getUsers()) {
    Operation *reader = copy->getBlock()->findAncestorOpInBlock(*user);
    if (reader && reader != copy && !copy->isBeforeInBlock(reader))
      return "a tile is read in front of its copy";
  }
  return "";
}

/// Elements of a tile that the consumers read from global memory themselves.
static constexpr int64_t mostDirectElements = 1024;

/// The product that takes an expression, if all of a tile that it reads is one
/// fragment of it, and the type of that.
static RankedTensorType findWholeInput(OperandOp expression, Value tile) {
  auto user = llvm::find_if(expression.getInputs(),
                            [&](Value input) { return input == tile; });
  unsigned index = user - expression.getInputs().begin();
  auto gemm = dyn_cast<GemmOp>(*expression->user_begin());
  if (index == 0 || !gemm || !gemm.getMma() || !gemm.getMma()->takesPanels())
    return {};
  GemmPlan plan = planGemm(gemm, getNumWarps(gemm));
  if (gemm.getBeginK() != 0 || plan.kStep != gemm.getTileK())
    return {};
  bool isA = gemm.getA() == expression.getResult();
  auto type = getFragmentType(
      getInputPart(expression, index, getOperandStep(gemm, plan, isA)).layout,
      getTileElementType(tile.getType()));
  return llvm::equal(type.getShape(), getTileShape(tile.getType()))
             ? type
             : RankedTensorType();
}

SmallVector<DirectRead> tile::getDirectReads(CopyOp copy) {
  SmallVector<DirectRead> reads;
  for (Operation *user : copy.getDestination().getUsers()) {
    if (auto load = dyn_cast<LoadOp>(user))
      reads.push_back({user, load.getResult().getType()});
    else if (auto expression = dyn_cast<OperandOp>(user))
      reads.push_back(
          {user, findWholeInput(expression, copy.getDestination())});
  }
  return reads;
}

/// Whether the copying warpgroup's threads bring a small tile by cp.async,
/// which moves 4 bytes or more, to where others load it from.
static bool isForThreads(CopyOp copy) {
  auto tile = cast<SharedType>(copy.getDestination().getType());
  return !copy.getPad() && getElementBits(tile.getElementType()) == 32 &&
         llvm::all_of(copy.getDestination().getUsers(), [&](Operation *user) {
           return user == copy || isa<LoadOp, LoadElementOp>(user);
         });
}

/// Whether the tile of a copy is small and read by its loop only: as a whole,
/// or by elements where it is in shared memory.
static bool isDirect(CopyOp copy, PipelinedOp loop) {
  auto alloc = copy.getDestination().getDefiningOp<AllocSharedOp>();
  if (!alloc || !isa<BlockArgument>(copy.getSource()) ||
      (copy.getPad() && !isComputable(copy.getPad(), loop)))
    return false;
  ArrayRef<int64_t> shape = alloc.getType().getShape();
  int64_t elements = 1;
  for (int64_t extent : shape)
    elements *= extent;
  auto isRead = [&](Operation *user) {
    Operation *inBody = loop.getBodyBlock()->findAncestorOpInBlock(*user);
    if (!inBody || !copy->isBeforeInBlock(inBody))
      return false;
    if (isa<LoadElementOp>(user))
      return isForThreads(copy) && isa<ParallelOp>(inBody);
    if (user != inBody)
      return false;
    if (auto expression = dyn_cast<OperandOp>(user))
      return bool(findWholeInput(expression, alloc));
    auto load = dyn_cast<LoadOp>(user);
    return load && getTileShape(load.getResult().getType()) == shape &&
           llvm::all_of(load.getIndices(), [](Value index) {
             return matchPattern(index, m_Zero());
           });
  };
  return elements <= mostDirectElements &&
         llvm::all_of(copy.getSourceIndices(),
                      [&](Value index) { return isComputable(index, loop); }) &&
         llvm::all_of(alloc.getResult().getUsers(), [&](Operation *user) {
           return user == copy || isRead(user);
         });
}

bool tile::isReadByThreads(Value tile) {
  return llvm::any_of(tile.getUsers(), [&](Operation *user) {
    auto gemm = dyn_cast<GemmOp>(user);
    if (!gemm)
      return isa<OperandOp, LoadOp, LoadElementOp, UnpackedOp>(user);
    MmaAttr mma = *gemm.getMma();
    return !mma.isWgmma() ||
           (gemm.getA() == tile && isFromRegisters(tile, mma.getTypeA())) ||
           (gemm.getB() == tile && isFromRegisters(tile, mma.getTypeB()));
  });
}

LoopCopies tile::getLoopCopies(PipelinedOp loop) {
  LoopCopies copies;
  for (auto copy : loop.getBodyBlock()->getOps<CopyOp>()) {
    if (!isDirect(copy, loop))
      copies.byTma.push_back(copy);
    else
      (isForThreads(copy) ? copies.byThreads : copies.direct).push_back(copy);
  }
  return copies;
}

static std::string findLoopObstacle(PipelinedOp loop) {
  if (!isComputable(loop.getLower(), {}) || !isComputable(loop.getUpper(), {}))
    return "the bounds of a loop depend on what is computed";
  LoopCopies copies = getLoopCopies(loop);
  for (CopyOp copy : copies.byTma)
    if (std::string why = findCopyObstacle(copy, loop); !why.empty())
      return why;
  return copies.byTma.empty() ? "a loop copies nothing by TMA" : "";
}

/// Whether an op, or one in it, writes to a tensor.
static bool storesToTensor(Operation &op) {
  // What blocks of a cluster send to each other is counted from here on.
  if (isa<BarrierAllocOp, ExpectOp>(op))
    return false;
  SmallVector<MemoryAccess, 0> accesses;
  collectAccesses(&op, accesses);
  return llvm::any_of(accesses, [](const MemoryAccess &access) {
    return access.inGlobal && access.isWrite;
  });
}

static std::string findObstacle(KernelOp kernel, const KernelParts &parts) {
  if (parts.loops.empty())
    return "there is no pipelined loop of products";
  bool hasForeignLoop = false;
  kernel.walk([&](PipelinedOp loop) {
    hasForeignLoop |= loop->getBlock() != parts.work;
  });
  if (hasForeignLoop)
    return "a pipelined loop is inside another statement";
  for (PipelinedOp loop : parts.loops)
    if (std::string why = findLoopObstacle(loop); !why.empty())
      return why;
  // Copies run ahead of everything: what they read must not be written before.
  for (Operation &op : *parts.work) {
    if (&op == parts.loops.back())
      break;
    if (storesToTensor(op))
      return "a tensor is written in front of a loop";
  }
  if (storesToTensor(*parts.loops.back()))
    return "a tensor is written in a loop";
  if (!parts.persistent)
    return "";
  if (llvm::any_of(kernel.getBody().front(), [&](Operation &op) {
        return !isa<PersistentOp, ReturnOp, AllocSharedOp>(op) && !isPure(&op);
      }))
    return "something is done outside 'persistent'";
  return "";
}

//===----------------------------------------------------------------------===//
// Guards
//===----------------------------------------------------------------------===//

/// Adds that the extents of a tensor fit the coordinates of TMA and are not 0,
/// where that is not known.
static void addExtentFacts(KernelOp kernel, unsigned index,
                           SmallVectorImpl<Attribute> &facts) {
  OpBuilder builder(kernel);
  std::string name = ("'" + kernel.getArgName(index) + "'").str();
  auto addFact = [&](StringRef relation, Attribute extent, int64_t bound,
                     const Twine &text) {
    Attribute expr =
        builder.getArrayAttr({builder.getStringAttr(relation), extent,
                              builder.getI64IntegerAttr(bound)});
    Attribute fact = builder.getDictionaryAttr(
        {builder.getNamedAttr("expr", expr),
         builder.getNamedAttr("text", builder.getStringAttr(text))});
    if (!llvm::is_contained(facts, fact))
      facts.push_back(fact);
  };
  for (Attribute extent : kernel.getArgDims(index)) {
    if (auto known = evaluateExpression(kernel, extent);
        known && *known >= 1 && *known <= INT32_MAX)
      continue;
    addFact(">=", extent, 1, "no extent of " + name + " is 0");
    addFact("<=", extent, INT32_MAX,
            "extents of " + name + " are below 2,147,483,648");
  }
}

/// What a store of a persistent loop must not change, since loads of later
/// tiles run ahead of it.
static void addDisjointFacts(KernelOp kernel, const KernelParts &parts,
                             SmallVectorImpl<Attribute> &facts) {
  OpBuilder builder(kernel);
  llvm::SetVector<unsigned> read;
  for (PipelinedOp loop : parts.loops)
    for (auto copy : loop.getBodyBlock()->getOps<CopyOp>())
      read.insert(cast<BlockArgument>(copy.getSource()).getArgNumber());
  for (unsigned written = 0; written < kernel.getNumArguments(); ++written) {
    if (kernel.getArgAccess(written).empty() ||
        kernel.getArgAccess(written) == "in" ||
        kernel.getArgAttr(written, "tile.noalias"))
      continue;
    for (unsigned index : read) {
      StringRef a = kernel.getArgName(written), b = kernel.getArgName(index);
      Attribute overlap = builder.getArrayAttr(
          {builder.getStringAttr("overlap"), builder.getStringAttr(a),
           builder.getStringAttr(b)});
      facts.push_back(builder.getDictionaryAttr(
          {builder.getNamedAttr(
               "expr",
               builder.getArrayAttr({builder.getStringAttr("!"), overlap})),
           builder.getNamedAttr("text",
                                builder.getStringAttr("'" + a + "' and '" + b +
                                                      "' share no memory"))}));
    }
  }
}

//===----------------------------------------------------------------------===//
// The variant
//===----------------------------------------------------------------------===//

/// The tensors that TMA reads, or may write.
static llvm::SetVector<unsigned> findMappedTensors(const KernelParts &parts) {
  llvm::SetVector<unsigned> indices;
  for (PipelinedOp loop : parts.loops)
    for (CopyOp copy : getLoopCopies(loop).byTma)
      indices.insert(cast<BlockArgument>(copy.getSource()).getArgNumber());
  for (auto store : parts.work->getOps<StoreOp>())
    if (BlockArgument argument = getTensorArgument(store.getMemory());
        argument && store.getMemory() == Value(argument))
      indices.insert(argument.getArgNumber());
  return indices;
}

/// The packed tensors that threads read from global memory themselves.
static llvm::SetVector<unsigned> findDirectTensors(const KernelParts &parts) {
  llvm::SetVector<unsigned> indices;
  for (PipelinedOp loop : parts.loops)
    for (CopyOp copy : getLoopCopies(loop).direct)
      if (cast<GlobalType>(copy.getSource().getType()).getPackDim() >= 0)
        indices.insert(cast<BlockArgument>(copy.getSource()).getArgNumber());
  return indices;
}

/// Why the launch can never describe a tensor to TMA; empty if it may.
static std::string findTensorObstacle(KernelOp kernel, unsigned index) {
  int64_t rank = cast<GlobalType>(kernel.getArgumentTypes()[index]).getRank();
  std::string name = ("'" + kernel.getArgName(index) + "'").str();
  if (kernel.getArgPacking(index) &&
      getArgAlignment(kernel, kernel.getArgument(index)) % tmaGlobalAlignment !=
          0)
    return "rows of prepacked " + name + " are no multiple of 16 bytes";
  for (int64_t dim = 0; dim + 1 < rank; ++dim)
    if (auto pitch = getStaticPitch(kernel, index, dim);
        pitch && *pitch % tmaGlobalAlignment != 0)
      return "the pitch of " + name + " is no multiple of 16 bytes";
  for (Attribute extent : kernel.getArgDims(index))
    if (auto known = evaluateExpression(kernel, extent);
        known && (*known < 1 || *known > INT32_MAX))
      return "an extent of " + name + " is 0, or 2^31 or more";
  return "";
}

KernelOp tile::forkTmaVariant(KernelOp kernel, std::string &obstacle) {
  obstacle = findObstacle(kernel, getParts(kernel));
  if (obstacle.empty())
    for (unsigned index : findMappedTensors(getParts(kernel)))
      if (obstacle.empty())
        obstacle = findTensorObstacle(kernel, index);
  if (!obstacle.empty())
    return {};
  OpBuilder builder(kernel);
  auto variant = cast<KernelOp>(builder.clone(*kernel));
  KernelParts parts = getParts(variant);
  AlignmentFacts guards(variant);
  llvm::SetVector<unsigned> mapped = findMappedTensors(parts);
  for (unsigned index : mapped) {
    // The launch checks packed tensors in any variant.
    if (kernel.getArgPacking(index))
      continue;
    guards.addArgument(index, tmaGlobalAlignment);
    variant.setArgAttr(index, alignedAttrName,
                       builder.getI64IntegerAttr(tmaGlobalAlignment));
  }
  // Nibbles that threads read themselves come in whole bytes.
  for (unsigned index : findDirectTensors(parts))
    if (!kernel.getArgAttr(index, alignedAttrName) && !mapped.contains(index)) {
      guards.addEvenPack(index);
      variant.setArgAttr(index, alignedAttrName, builder.getI64IntegerAttr(1));
    }
  SmallVector<Attribute> facts(guards.getFacts().getValue());
  for (unsigned index : mapped)
    addExtentFacts(variant, index, facts);
  if (parts.persistent)
    addDisjointFacts(variant, parts, facts);
  variant.setOriginAttr(builder.getStringAttr(kernel.getSourceName()));
  variant.setVariantAttr(builder.getStringAttr(tmaVariantName));
  variant.setGuardsAttr(builder.getArrayAttr(facts));
  variant.setSymName(kernel.getFunctionStem() + "__" + tmaVariantName.str());
  return variant;
}
