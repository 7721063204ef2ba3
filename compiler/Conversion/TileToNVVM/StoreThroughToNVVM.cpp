//===- StoreThroughToNVVM.cpp - Accumulators to memory by TMA -------------===//
//
// Each warpgroup works alone: for each part, of as many rows and columns as a
// buffer has, it waits until TMA has read its buffer, writes the part there,
// and has one thread start the copy, or one for each panel of columns.  The two
// buffers take turns.
//
// What is done to sums on their way moves to where they are stored: done to all
// of them at once it would take registers beside those of the product, whose
// sums are free together only.
//
//===----------------------------------------------------------------------===//

#include "compiler/Conversion/TileToNVVM/Emitters.h"
#include "compiler/Conversion/TileToNVVM/GuardedAccess.h"
#include "compiler/Conversion/TileToNVVM/SharedAddress.h"
#include "compiler/Conversion/TileToNVVM/WideAccess.h"
#include "dialects/Tile/Transforms/WgmmaCandidates.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::tile;

/// Hardware barriers of warpgroups are behind those of teams.
static constexpr int64_t firstGroupBarrier = 8;

namespace {
/// Two neighbours of a row, by their place in a part.
struct Pair {
  int row, column, first, second;
};

class StoreThrough {
public:
  StoreThrough(KernelEmitter &e, StoreThroughOp op)
      : e(e), op(op), layout(e.getLayout(op.getValue())),
        staging(e.getShared(op.getStaging())),
        partRows(staging.type.getShape()[1]),
        columns(staging.type.getShape()[2]),
        storer(e, e.getFragment(op.getValue())) {}

  void emit();

private:
  void collectParts();
  void placeGroup();
  Value getBuffer(int64_t index);
  void synchronise();
  SharedType getPartType();
  void writePart(Value buffer, ArrayRef<Pair> pairs);
  void startCopies(Value buffer, std::pair<int, int> place);
  void startCopy(Value buffer, int row, int column);

  KernelEmitter &e;
  StoreThroughOp op;
  const layout::FragmentLayout &layout;
  SharedView staging;
  int64_t partRows, columns;
  WideStorer storer;
  SmallVector<Operation *> stores;
  /// By the first row and column, beside the warpgroup's own.
  std::map<std::pair<int, int>, SmallVector<Pair>> parts;
  /// The warpgroup of the team, whether the thread starts its copies, and the
  /// first row and column of the warpgroup.
  Value group, isLeader, groupRow, groupColumn;
};
} // namespace

/// Moves what makes the operands of `store`, and nothing else, in front of it,
/// unless that takes more values than the pair that it stores: they would then
/// be kept for longer.
static void bringOperands(Operation *store) {
  constexpr unsigned manyUses = 32;
  llvm::SmallSetVector<Operation *, 8> chain;
  chain.insert(store);
  llvm::SmallPtrSet<Value, 4> taken;
  SmallVector<Value> open(store->getOperands());
  while (!open.empty()) {
    Value value = open.pop_back_val();
    Operation *maker = value.getDefiningOp();
    if (value.getParentBlock() != store->getBlock() ||
        matchPattern(value, m_Constant()) || value.hasNUsesOrMore(manyUses))
      continue;
    bool canMove = maker && maker->getNumOperands() != 0 &&
                   maker->getNumRegions() == 0 && isPure(maker) &&
                   llvm::all_of(maker->getUsers(), [&](Operation *user) {
                     return chain.contains(user);
                   });
    if (!canMove) {
      taken.insert(value);
      continue;
    }
    taken.erase(value);
    if (chain.insert(maker))
      llvm::append_range(open, maker->getOperands());
  }
  // The pair, and the address.
  if (taken.size() > 3)
    return;
  for (Operation *first = store;
       Operation *maker : llvm::drop_begin(chain.getArrayRef())) {
    maker->moveBefore(first);
    first = maker;
  }
}

/// Where a register's element is, apart from the thread's share.
static layout::Coords getPlace(const layout::FragmentLayout &layout, int reg) {
  layout::Coords place = layout.registerXor(reg),
                 offset = layout.registerOffset(reg);
  for (size_t d = 0; d < place.size(); ++d)
    place[d] += offset[d];
  return place;
}

void StoreThrough::collectParts() {
  std::map<std::pair<int, int>, int> registerAt;
  for (int reg = 0; reg < layout.elementsPerThread(); ++reg) {
    layout::Coords place = getPlace(layout, reg);
    registerAt[{place[0], place[1]}] = reg;
  }
  for (auto [place, reg] : registerAt) {
    auto [row, column] = place;
    if (column % 2 != 0)
      continue;
    std::pair<int, int> part(row / partRows * partRows,
                             column / columns * columns);
    parts[part].push_back({int(row - part.first), int(column - part.second),
                           reg, registerAt.at({row, column + 1})});
  }
}

void StoreThrough::placeGroup() {
  group = e.emitWarpgroup();
  Value warp = e.andi(e.broadcastInWarp(e.shr(e.thread, 5)), e.i32(3));
  Value isElected = e.emitElection();
  isLeader =
      e.andi(e.compare(arith::CmpIPredicate::eq, warp, e.i32(0)), isElected);
  groupRow = groupColumn = e.i32(0);
  for (auto [bit, basis] : llvm::enumerate(layout.warpBases().drop_front(2))) {
    Value isSet = e.andi(e.shr(group, bit), e.i32(1));
    groupRow = e.add(groupRow, e.mul(isSet, e.i32(basis[0])));
    groupColumn = e.add(groupColumn, e.mul(isSet, e.i32(basis[1])));
  }
}

Value StoreThrough::getBuffer(int64_t index) {
  int64_t bytes =
      staging.type.getStorage().bytes() / staging.type.getShape()[0];
  Value slot = e.add(e.shl(group, 1), e.i32(index));
  return e.offsetPointer(staging.pointer, e.mul(slot, e.i32(bytes)));
}

/// All threads of the warpgroup are here.
void StoreThrough::synchronise() {
  // A team of one warpgroup has a barrier of its own: its warpgroups have the
  // numbers of another team's.
  Value barrier = e.threads == warpgroupThreads && e.teamBarrier != 0
                      ? e.i32(e.teamBarrier)
                      : e.add(group, e.i32(firstGroupBarrier));
  e.callVolatileAsm("bar.sync $0, $1;", "r,n,",
                    {barrier, e.i32(warpgroupThreads)}, Type());
}

SharedType StoreThrough::getPartType() {
  SharedType whole = staging.type;
  return SharedType::get(whole.getContext(), {partRows, columns},
                         whole.getElementType(), whole.getPackDim(),
                         whole.getLayout());
}

void StoreThrough::writePart(Value buffer, ArrayRef<Pair> pairs) {
  SharedType part = getPartType();
  SharedAddresser to(e, {buffer, part}, {0, 0}, {partRows, columns},
                     layout.laneBases(), layout.warpBases().take_front(2));
  int64_t bytes = 2 * part.getStorage().unitBytes();
  for (const Pair &pair : pairs) {
    storer.store(to.getPointer({pair.row, pair.column}, {0, 0}), bytes,
                 {pair.first, pair.second});
    stores.push_back(&*std::prev(e.builder.getInsertionPoint()));
  }
}

void StoreThrough::startCopies(Value buffer, std::pair<int, int> place) {
  layout::SharedLayout storage = getPartType().getStorage();
  int64_t panel = storage.panelBytes()
                      ? storage.panelBytes() / storage.unitBytes()
                      : columns;
  for (int64_t column = 0; column < columns; column += panel)
    startCopy(
        e.offsetPointer(buffer, e.i32(column / panel * storage.panelStride())),
        place.first, place.second + column);
  e.callVolatileAsm("cp.async.bulk.commit_group;", "", {}, Type());
}

void StoreThrough::startCopy(Value buffer, int row, int column) {
  // Coordinates of TMA, the innermost one first.
  SmallVector<Value> coords;
  Type i32 = e.builder.getI32Type();
  SmallVector<Value> indices = e.getScalars(op.getIndices());
  for (Value index : llvm::reverse(indices))
    coords.push_back(
        e.builder.createOrFold<arith::TruncIOp>(e.loc, i32, index));
  coords[0] = e.add(e.add(coords[0], groupColumn), e.i32(column));
  coords[1] = e.add(e.add(coords[1], groupRow), e.i32(row));
  std::string list, constraints = "l,";
  for (size_t i = 0; i < coords.size(); ++i) {
    list += (i ? ", $" : "$") + std::to_string(i + 1);
    constraints += "r,";
  }
  std::string text = llvm::formatv(
      "cp.async.bulk.tensor.{0}d.global.shared::cta.tile.bulk_group [$0, "
      "{{{1}}], [${2}];",
      coords.size(), list, coords.size() + 1);
  SmallVector<Value> operands{e.getTensorMap(op.getMap())};
  llvm::append_range(operands, coords);
  operands.push_back(e.getSharedAddress(buffer));
  e.callVolatileAsm(text, constraints + "r,", operands, Type());
}

void StoreThrough::emit() {
  collectParts();
  placeGroup();
  int64_t index = 0;
  for (auto &[place, pairs] : parts) {
    // Of two buffers the other one may still be read; the first part follows an
    // odd number of them if the store before had one.
    bool oneIsBusy = index > 0 || parts.size() % 2 == 0;
    Value buffer = getBuffer(index % 2);
    emitGuarded(e, isLeader, [&]() {
      e.callVolatileAsm(oneIsBusy ? "cp.async.bulk.wait_group.read 1;"
                                  : "cp.async.bulk.wait_group.read 0;",
                        "", {}, Type());
    });
    synchronise();
    writePart(buffer, pairs);
    e.callVolatileAsm("fence.proxy.async.shared::cta;", "", {}, Type());
    synchronise();
    emitGuarded(e, isLeader,
                [&, place = place]() { startCopies(buffer, place); });
    ++index;
  }
  llvm::for_each(stores, bringOperands);
}

LogicalResult tile::emitStoreThrough(KernelEmitter &e, StoreThroughOp op) {
  StoreThrough(e, op).emit();
  return success();
}
