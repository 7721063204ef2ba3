//===- SpecialRegisters.cpp - %tid, %laneid and the like ------------------===//
//
// Launches and clusters are one-dimensional, so that the other dimensions have
// extent one.
//
//===----------------------------------------------------------------------===//

#include "compiler/Emulator/Instructions/SpecialRegisters.h"

#include "compiler/Emulator/Instructions/Instruction.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <chrono>

using namespace tilec::emulator;

std::optional<SpecialRegister>
tilec::emulator::findSpecialRegister(llvm::StringRef name) {
  using R = SpecialRegister;
  return llvm::StringSwitch<std::optional<R>>(name)
      .Case("tid.x", R::ThreadX)
      .Cases({"tid.y", "tid.z"}, R::Zero)
      .Case("ntid.x", R::ThreadsX)
      .Cases({"ntid.y", "ntid.z"}, R::One)
      .Case("ctaid.x", R::BlockX)
      .Case("clusterid.x", R::ClusterX)
      .Cases({"ctaid.y", "ctaid.z", "clusterid.y", "clusterid.z"}, R::Zero)
      .Case("nctaid.x", R::BlocksX)
      .Case("nclusterid.x", R::ClustersX)
      .Cases({"nctaid.y", "nctaid.z", "nclusterid.y", "nclusterid.z"}, R::One)
      .Cases({"cluster.ctaid.x", "cluster.ctarank", "cluster_ctaid.x",
              "cluster_ctarank"},
             R::ClusterRank)
      .Cases({"cluster.ctaid.y", "cluster.ctaid.z", "cluster_ctaid.y",
              "cluster_ctaid.z"},
             R::Zero)
      .Cases({"cluster.nctaid.x", "cluster.nctarank", "cluster_nctaid.x",
              "cluster_nctarank"},
             R::ClusterBlocks)
      .Cases({"cluster.nctaid.y", "cluster.nctaid.z", "cluster_nctaid.y",
              "cluster_nctaid.z"},
             R::One)
      .Case("laneid", R::Lane)
      .Case("warpid", R::Warp)
      .Case("nwarpid", R::Warps)
      .Cases({"warpsize", "WARP_SZ"}, R::WarpSize)
      .Cases({"lanemask.eq", "lanemask_eq"}, R::LaneMaskEqual)
      .Cases({"lanemask.lt", "lanemask_lt"}, R::LaneMaskLess)
      .Cases({"lanemask.le", "lanemask_le"}, R::LaneMaskLessEqual)
      .Cases({"lanemask.gt", "lanemask_gt"}, R::LaneMaskGreater)
      .Cases({"lanemask.ge", "lanemask_ge"}, R::LaneMaskGreaterEqual)
      .Case("dynamic_smem_size", R::DynamicSharedBytes)
      .Cases({"total_smem_size", "aggr_smem_size"}, R::TotalSharedBytes)
      .Cases({"clock", "clock64", "globaltimer"}, R::Clock)
      .Default(std::nullopt);
}

uint64_t tilec::emulator::readSpecialRegister(const Thread &thread,
                                              SpecialRegister which) {
  const Block &block = *thread.block;
  uint32_t bit = 1u << thread.lane;
  switch (which) {
  case SpecialRegister::Zero:
    return 0;
  case SpecialRegister::One:
    return 1;
  case SpecialRegister::ThreadX:
    return thread.number;
  case SpecialRegister::BlockX:
    return block.getIndex(thread);
  case SpecialRegister::ThreadsX:
    return block.getThreadCount();
  case SpecialRegister::BlocksX:
    return block.getLaunch().spec.gridX;
  case SpecialRegister::ClusterX:
    return block.getIndex(thread) / block.getClusterSize();
  case SpecialRegister::ClustersX:
    return block.getLaunch().spec.gridX / block.getClusterSize();
  case SpecialRegister::ClusterRank:
    return thread.rank;
  case SpecialRegister::ClusterBlocks:
    return block.getClusterSize();
  case SpecialRegister::Lane:
    return thread.lane;
  case SpecialRegister::Warp:
    return thread.number / lanesPerWarp;
  case SpecialRegister::Warps:
    return (block.getThreadCount() + lanesPerWarp - 1) / lanesPerWarp;
  case SpecialRegister::WarpSize:
    return lanesPerWarp;
  case SpecialRegister::LaneMaskEqual:
    return bit;
  case SpecialRegister::LaneMaskLess:
    return bit - 1;
  case SpecialRegister::LaneMaskLessEqual:
    return bit | (bit - 1);
  case SpecialRegister::LaneMaskGreater:
    return static_cast<uint32_t>(~(bit | (bit - 1)));
  case SpecialRegister::LaneMaskGreaterEqual:
    return static_cast<uint32_t>(~(bit - 1));
  case SpecialRegister::DynamicSharedBytes:
    return block.getLaunch().sharedBytes - block.getLaunch().staticSharedBytes;
  case SpecialRegister::TotalSharedBytes:
    return block.getLaunch().sharedBytes;
  case SpecialRegister::Clock:
    return std::chrono::steady_clock::now().time_since_epoch().count();
  }
  llvm_unreachable("all special registers are read");
}

static void runRead(Thread &thread, const Operation &operation, Slots slots) {
  slots[0] = readSpecialRegister(
      thread, static_cast<SpecialRegister>(operation.parameters[0]));
}

static std::optional<Operation> bindRead(const InstructionForm &form) {
  // "read.ptx.sreg" and the register's name.
  std::string name = llvm::join(llvm::ArrayRef(form.words).drop_front(3), ".");
  auto which = findSpecialRegister(name);
  if (!which)
    return std::nullopt;
  Operation operation = makeThreadOperation(runRead);
  operation.parameters[0] = static_cast<uint32_t>(*which);
  return operation;
}

void tilec::emulator::registerSpecialRegisters(InstructionTable &table) {
  table.add("read.ptx.sreg", bindRead);
}
