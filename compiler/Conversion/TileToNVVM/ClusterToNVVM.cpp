//===- ClusterToNVVM.cpp - Blocks that work together ----------------------===//
//
// In a cluster: PTX ISA, "mapa" and "barrier.cluster".  What lies in another
// block is read by ld.shared::cluster, which a pointer of that address space
// becomes.
//
//===----------------------------------------------------------------------===//

#include "compiler/Conversion/TileToNVVM/ClusterToNVVM.h"
#include "compiler/Conversion/TileToNVVM/Emitters.h"
#include "compiler/Conversion/TileToNVVM/GuardedAccess.h"
#include "compiler/Conversion/TileToNVVM/SharedAddress.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::tile;

/// Address space of shared memory of any block of the cluster in NVPTX.
static constexpr unsigned clusterSharedSpace = 7;

bool tile::isOfPeer(const SharedView &view) {
  return cast<LLVM::LLVMPointerType>(view.pointer.getType())
             .getAddressSpace() == clusterSharedSpace;
}

Value tile::emitBlockRank(KernelEmitter &e) {
  Type i32 = e.builder.getI32Type();
  if (e.kernel.getClusterSize() > 1)
    return NVVM::BlockInClusterIdXOp::create(e.builder, e.loc, i32);
  return e.remui(NVVM::BlockIdXOp::create(e.builder, e.loc, i32),
                 e.i32(getShares(e.kernel)));
}

LogicalResult tile::emitBlockRank(KernelEmitter &e, BlockRankOp op) {
  e.setScalar(op, e.zeroExtend(emitBlockRank(e)));
  return success();
}

LogicalResult tile::emitPeer(KernelEmitter &e, PeerOp op) {
  SharedView own = e.getShared(op.getSource());
  Value address =
      e.callAsm("mapa.shared::cluster.u32 $0, $1, $2;", "=r,r,r",
                {e.getSharedAddress(own.pointer), e.i32(op.getRank())});
  Type pointer =
      LLVM::LLVMPointerType::get(op.getContext(), clusterSharedSpace);
  e.setShared(op, {LLVM::IntToPtrOp::create(e.builder, e.loc, pointer, address),
                   op.getType()});
  return success();
}

namespace {
/// Sends the parts of a fragment to the other blocks of the cluster.  Rows lie
/// in an inbox as they lie in the fragment.
class PartSender {
public:
  PartSender(KernelEmitter &e, SendOp op)
      : e(e), op(op), layout(e.getLayout(op.getValue())),
        shape(getTileShape(op.getValue().getType())),
        blocks(op.getInbox().getType().getShape().front() + 1) {
    inbox = e.getShared(op.getInbox());
    whole = SharedType::get(op.getContext(), shape,
                            getTileElementType(op.getValue().getType()),
                            /*packDim=*/-1, SharedLayoutAttr());
    bytes = whole.getStorage().bytes() / blocks;
  }

  void emit();

private:
  std::optional<int> findPairs() const;
  void findPlaces();
  void send(Value block, ArrayRef<size_t> registers);

  KernelEmitter &e;
  SendOp op;
  const layout::FragmentLayout &layout;
  ArrayRef<int64_t> shape;
  int64_t blocks;
  SharedView inbox;
  SharedType whole;
  int64_t bytes; ///< of a part
  Value base, barrier, rank;
  /// Of a register: its element, and where that lies in the whole.
  SmallVector<Value> words, offsets;
  std::optional<int> pairs;
};
} // namespace

/// The bit of register numbers that tells neighbours along a row apart.
std::optional<int> PartSender::findPairs() const {
  layout::Coords neighbour(layout.rank(), 0);
  neighbour.back() = 1;
  const auto *found = llvm::find(layout.registerBases(), neighbour);
  if (found == layout.registerBases().end())
    return std::nullopt;
  return int(found - layout.registerBases().begin());
}

void PartSender::findPlaces() {
  SharedAddresser addresser(e, {inbox.pointer, whole},
                            SmallVector<int64_t>(shape.size(), 0), shape,
                            layout.laneBases(), layout.warpBases());
  for (size_t i = 0; i < words.size(); ++i)
    offsets.push_back(
        e.sub(e.getSharedAddress(addresser.getPointer(
                  layout.registerXor(i), layout.registerOffset(i))),
              base));
}

/// Sends registers, and the neighbours of each where there are pairs, to a
/// block, unless it is this one.
void PartSender::send(Value block, ArrayRef<size_t> registers) {
  Value isOther = LLVM::ICmpOp::create(e.builder, e.loc,
                                       LLVM::ICmpPredicate::ne, block, rank);
  emitGuarded(e, isOther, [&]() {
    auto map = [&](Value address) {
      return e.callAsm("mapa.shared::cluster.u32 $0, $1, $2;", "=r,r,r",
                       {address, block});
    };
    // Behind the parts of the blocks before this one, without the receiver's.
    Value isBehind = LLVM::ICmpOp::create(
        e.builder, e.loc, LLVM::ICmpPredicate::ugt, rank, block);
    Value place =
        e.sub(rank, LLVM::ZExtOp::create(e.builder, e.loc,
                                         e.builder.getI32Type(), isBehind));
    Value there = e.add(map(base), e.mul(e.sub(place, block), e.i32(bytes))),
          count = map(barrier);
    for (size_t i : registers) {
      SmallVector<Value> operands{e.add(there, offsets[i]), words[i]};
      if (pairs)
        operands.push_back(words[i | size_t(1) << *pairs]);
      operands.push_back(count);
      e.callVolatileAsm(
          pairs ? "st.async.shared::cluster.mbarrier::complete_tx::bytes"
                  ".v2.b32 [$0], {$1, $2}, [$3];"
                : "st.async.shared::cluster.mbarrier::complete_tx::bytes"
                  ".b32 [$0], $1, [$2];",
          pairs ? "r,r,r,r," : "r,r,r,", operands);
    }
  });
}

void PartSender::emit() {
  base = e.getSharedAddress(inbox.pointer);
  barrier = getBarrierAddress(e, op.getBarrier(), /*index=*/Value());
  rank = emitBlockRank(e);
  pairs = findPairs();
  for (Value value : e.getFragment(op.getValue()).getElements(e.builder, e.loc))
    words.push_back(LLVM::BitcastOp::create(e.builder, e.loc,
                                            e.builder.getI32Type(), value));
  emitInOwners(e, layout, [&]() {
    findPlaces();
    int64_t rows = shape[0] / blocks;
    auto isInPart = [&](const layout::Coords &basis) {
      return basis[0] < rows;
    };
    bool isStatic = llvm::isPowerOf2_64(rows) &&
                    llvm::all_of(layout.laneBases(), isInPart) &&
                    llvm::all_of(layout.warpBases(), isInPart);
    llvm::MapVector<int64_t, SmallVector<size_t>> parts;
    for (size_t i = 0; i < words.size(); ++i) {
      if (pairs && (i >> *pairs & 1))
        continue;
      if (isStatic)
        parts[(layout.registerXor(i)[0] + layout.registerOffset(i)[0]) / rows]
            .push_back(i);
      else
        send(e.divui(offsets[i], e.i32(bytes)), i);
    }
    for (auto &[block, registers] : parts)
      send(e.i32(block), registers);
  });
}

LogicalResult tile::emitSend(KernelEmitter &e, SendOp op) {
  PartSender(e, op).emit();
  return success();
}

/// `aligned` where the threads of a warp come together.  What others see is
/// ordered by default: `.release` and `.acquire`.
static void arriveAtCluster(KernelEmitter &e, StringRef aligned) {
  e.callVolatileAsm(("barrier.cluster.arrive" + aligned + ";").str(), "", {});
}

static void waitForCluster(KernelEmitter &e, StringRef aligned) {
  e.callVolatileAsm(("barrier.cluster.wait" + aligned + ";").str(), "", {});
}

/// A release waits for all that was written to reach the L2 cache.  What was
/// only read has come once a fence of the block is passed.
LogicalResult tile::emitClusterArrive(KernelEmitter &e, ClusterArriveOp op) {
  if (op.getAfterReads())
    e.callVolatileAsm("fence.acq_rel.cta;", "", {});
  arriveAtCluster(e, op.getAfterReads() ? ".relaxed.aligned" : ".aligned");
  return success();
}

LogicalResult tile::emitClusterWait(KernelEmitter &e, ClusterWaitOp) {
  waitForCluster(e, ".aligned");
  return success();
}

void tile::emitClusterBarrier(KernelEmitter &e) {
  arriveAtCluster(e, "");
  waitForCluster(e, "");
}
