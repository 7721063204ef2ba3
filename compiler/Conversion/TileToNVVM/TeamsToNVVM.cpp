//===- TeamsToNVVM.cpp - Teams of warpgroups ------------------------------===//
//
// A branch on the number of the warpgroup, made the same in all threads of a
// warp by a shuffle.  In its branch a team counts its threads from 0.
//
//===----------------------------------------------------------------------===//

#include "compiler/Conversion/TileToNVVM/Emitters.h"
#include "compiler/Conversion/TileToNVVM/GuardedAccess.h"
#include "dialects/Tile/Transforms/TeamThreads.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tile;

static constexpr int64_t threadsPerGroup = WarpgroupOp::threadsPerGroup;

/// Index of the thread in a team of these groups.
static Value emitThreadInTeam(KernelEmitter &e, ArrayRef<int64_t> groups,
                              Value group) {
  bool isRow = true;
  for (auto [place, number] : llvm::enumerate(groups))
    isRow &= number == groups.front() + int64_t(place);
  if (isRow)
    return e.sub(e.thread, e.i32(groups.front() * threadsPerGroup));
  Value first = e.i32(0);
  for (auto [place, number] : llvm::enumerate(groups))
    first = e.select(e.compare(arith::CmpIPredicate::eq, group, e.i32(number)),
                     e.i32(place * threadsPerGroup), first);
  return e.add(first, e.andi(e.thread, e.i32(threadsPerGroup - 1)));
}

/// The statements of a team.  What one thread can do alone it does alone, and
/// nobody else waits.
static LogicalResult emitTeamBody(KernelEmitter &e, Block &body) {
  if (!isForOneThread(body))
    return e.emitBlock(body);
  auto limit = dyn_cast<SetMaxRegistersOp>(body.front());
  if (limit && failed(emitSetMaxRegisters(e, limit)))
    return failure();
  LogicalResult result = success();
  emitGuarded(e, e.emitIsLeader(), [&]() {
    result = e.emitTeam(e.thread, /*teamThreads=*/1, e.teamBarrier, [&]() {
      for (Operation &op : body.without_terminator()) {
        e.loc = op.getLoc();
        if (!isa<SetMaxRegistersOp>(op) && failed(emitOperation(e, &op)))
          return failure();
      }
      return success();
    });
  });
  return result;
}

static LogicalResult emitTeams(KernelEmitter &e, WarpgroupOp op, Value group,
                               unsigned region) {
  ArrayRef<int64_t> groups =
      cast<DenseI64ArrayAttr>(op.getTeams()[region]).asArrayRef();
  auto emitThis = [&]() {
    e.loc = op.getLoc();
    return e.emitTeam(emitThreadInTeam(e, groups, group),
                      op.getTeamThreads(region), /*barrier=*/1 + region, [&]() {
                        return emitTeamBody(e, op.getBodies()[region].front());
                      });
  };
  if (region + 1 == op.getNumRegions())
    return emitThis();
  Value isMember;
  for (int64_t number : groups) {
    Value is = e.compare(arith::CmpIPredicate::eq, group, e.i32(number));
    isMember = isMember ? e.ori(isMember, is) : is;
  }
  auto branch = scf::IfOp::create(e.builder, e.loc, isMember,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(e.builder);
  e.builder.setInsertionPoint(branch.thenBlock()->getTerminator());
  if (failed(emitThis()))
    return failure();
  e.builder.setInsertionPoint(branch.elseBlock()->getTerminator());
  return emitTeams(e, op, group, region + 1);
}

LogicalResult tile::emitWarpgroup(KernelEmitter &e, WarpgroupOp op) {
  Value group =
      e.broadcastInWarp(e.shr(e.thread, llvm::Log2_64(threadsPerGroup)));
  return emitTeams(e, op, group, /*region=*/0);
}

LogicalResult tile::emitSetMaxRegisters(KernelEmitter &e,
                                        SetMaxRegistersOp op) {
  int64_t share = getRegisterShare(e.kernel), count = op.getCount();
  e.callVolatileAsm((Twine("setmaxnreg.") + (count < share ? "dec" : "inc") +
                     ".sync.aligned.u32 " + Twine(count) + ";")
                        .str(),
                    "", {});
  return success();
}

LogicalResult tile::emitAwaitLaunches(KernelEmitter &e) {
  e.callVolatileAsm("griddepcontrol.wait;", "", {});
  return success();
}

LogicalResult tile::emitAllowLaunches(KernelEmitter &e) {
  e.callVolatileAsm("griddepcontrol.launch_dependents;", "", {});
  return success();
}
