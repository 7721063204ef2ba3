//===- RequiredPtx.cpp - The PTX version that instructions need -----------===//
//
// Two tables: what ptxas takes (a test asks it for most rows) and the
// predicates in LLVM's NVPTXIntrinsics.td, whichever is higher.
// What a target's own lowest version includes needs no row; the oldest target
// is sm_80 with PTX 7.0.  LLVM's instruction selection itself keeps to the
// version that it is given, so rows are wanted for what the program names:
// intrinsics and inline PTX.
//
//===----------------------------------------------------------------------===//
#include "compiler/CodeGen/RequiredPtx.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace tilec;

namespace {
/// A name matches when it starts with `start` and holds `part`.
struct Need {
  llvm::StringLiteral start;
  llvm::StringLiteral part;
  PtxVersion version;
  /// The compute capability that the row is for; 0 for all.
  unsigned onlyOn = 0;

  bool matches(llvm::StringRef name, const Target &target) const {
    return name.starts_with(start) && name.contains(part) &&
           (onlyOn == 0 || onlyOn == target.computeCapability);
  }
};
} // namespace

/// By the mnemonic with its qualifiers, or a directive.
static constexpr Need instructionNeeds[] = {
    {"mma.sync", ".e4m3", {8, 4}},
    {"mma.sync", ".e5m2", {8, 4}},
    {"mma.sync", ".f16.e4m3", {8, 7}},
    {"mma.sync", ".f16.e5m2", {8, 7}},
    {"mma.sync", ".m16n8k16.row.col.f32.e", {8, 7}},
    {"mma.sync", ".kind::", {8, 7}},
    {"mma.sync", ".block_scale", {8, 7}},
    {"wgmma.", "", {8, 0}},
    {"wgmma.mma_async.sp", "", {8, 2}},
    {"wgmma.mma_async", ".s32.u8.s8", {8, 4}},
    {"wgmma.mma_async", ".s32.s8.u8", {8, 4}},
    {"ldmatrix", ".m16n16", {8, 6}},
    {"ldmatrix", ".m8n16", {8, 6}},
    {"stmatrix", "", {7, 8}},
    {"stmatrix", ".m16n8", {8, 6}},
    {"setmaxnreg", "", {8, 0}},
    {"griddepcontrol", "", {7, 8}},
    {"cp.async.bulk", "", {8, 0}},
    {"cp.async.bulk", ".shared::cta.global", {8, 6}},
    {"cp.async.bulk", ".tile::gather4", {8, 6}},
    {"cp.async.bulk", ".tile::scatter4", {8, 6}},
    {"cp.async.bulk", ".cta_group::", {8, 6}},
    {"cp.reduce.async.bulk", "", {8, 0}},
    {"mbarrier.try_wait", "", {7, 8}},
    {"mbarrier.test_wait.parity", "", {7, 1}},
    {"mbarrier.", ".expect_tx", {8, 0}},
    {"mbarrier.", ".relaxed", {8, 6}},
    {"fence.proxy.async", "", {8, 0}},
    {"fence.proxy.tensormap", "", {8, 3}},
    {"fence.mbarrier_init", "", {8, 0}},
    {"fence.", ".sync_restrict", {8, 6}},
    {"elect.sync", "", {8, 0}},
    {"griddepcontrol", "", {7, 8}},
    {"mapa", "", {7, 8}},
    {"barrier.cluster", "", {7, 8}},
    {"barrier.cta", "", {7, 8}},
    {"redux.sync", ".f32", {8, 6}},
    {"cvt.f32.bf16", "", {7, 1}},
    {"cvt", "e4m3x2", {8, 1}, /*onlyOn=*/89},
    {"cvt", "e5m2x2", {8, 1}, /*onlyOn=*/89},
    {"cvt", "e2m1x2", {8, 6}},
    {"cvt", "ue8m0x2", {8, 6}},
    {"cvt.rs", "", {8, 7}},
    {"createpolicy", "", {7, 4}},
    {"", ".L1::", {7, 4}},
    {"", ".L2::", {7, 4}},
    {"discard.", "", {7, 4}},
    {"applypriority.", "", {7, 4}},
    {"", ".shared::", {7, 8}},
    {"ld.", ".b128", {8, 3}},
    {"mov.b128", "", {8, 3}},
    {"multimem.", "", {8, 1}},
    {"red.async", "", {8, 1}},
    {"st.async", "", {8, 1}},
    {"red.", ".v", {8, 1}},
    {"red.", ".bf16", {7, 8}},
    {"atom.", ".bf16", {7, 8}},
    {"add", ".f32x2", {8, 6}},
    {"mul", ".f32x2", {8, 6}},
    {"fma", ".f32x2", {8, 6}},
    {"tcgen05.", "", {8, 6}},
    {"tensormap.replace", "", {8, 3}},
    {".reqnctapercluster", "", {7, 8}},
    {".explicitcluster", "", {7, 8}},
    {".maxclusterrank", "", {7, 8}},
};

/// By the name of the intrinsic after "llvm.nvvm.".
static constexpr Need intrinsicNeeds[] = {
    {"mma.m", ".e4m3", {8, 4}},
    {"mma.m", ".e5m2", {8, 4}},
    {"mma.m", ".f16.e4m3", {8, 7}},
    {"mma.m", ".f16.e5m2", {8, 7}},
    {"mma.m16n8k16.", ".e4m3", {8, 7}},
    {"mma.m16n8k16.", ".e5m2", {8, 7}},
    {"mma.m", ".kind.", {8, 7}},
    {"mma.block.scale", "", {8, 7}},
    {"mma.sp.block.scale", "", {8, 7}},
    {"wgmma.", "", {8, 0}},
    {"ldmatrix.", ".m16n16", {8, 6}},
    {"ldmatrix.", ".m8n16", {8, 6}},
    {"stmatrix.", "", {7, 8}},
    {"stmatrix.", ".m16n8", {8, 6}},
    {"setmaxnreg.", "", {8, 0}},
    {"cp.async.bulk.", "", {8, 0}},
    {"cp.async.bulk.", ".cta.g2s", {8, 6}},
    {"cp.async.bulk.", ".g2s.cta", {8, 6}},
    {"cp.async.bulk.global.to.shared.cta", "", {8, 6}},
    {"cp.async.bulk.tensor.", ".gather4", {8, 6}},
    {"cp.async.bulk.tensor.", ".scatter4", {8, 6}},
    {"mbarrier.try.wait", "", {8, 0}},
    {"mbarrier.", "expect.tx", {8, 0}},
    {"mbarrier.", ".relaxed", {8, 6}},
    {"fence.proxy.async", "", {8, 0}},
    {"fence.proxy.async", "sync_restrict", {8, 6}},
    {"fence.proxy.tensormap", "", {8, 3}},
    {"fence.mbarrier_init", "", {8, 0}},
    {"fence.acquire.sync_restrict", "", {8, 6}},
    {"fence.release.sync_restrict", "", {8, 6}},
    {"elect.sync", "", {8, 0}},
    {"griddepcontrol.", "", {7, 8}},
    {"mapa", "", {7, 8}},
    {"barrier.cluster", "", {7, 8}},
    {"redux.sync.f", "", {8, 6}},
    {"ff.to.e4m3x2", "", {8, 1}, /*onlyOn=*/89},
    {"ff.to.e5m2x2", "", {8, 1}, /*onlyOn=*/89},
    {"f16x2.to.e4m3x2", "", {8, 1}, /*onlyOn=*/89},
    {"f16x2.to.e5m2x2", "", {8, 1}, /*onlyOn=*/89},
    {"e4m3x2.to.f16x2", "", {8, 1}, /*onlyOn=*/89},
    {"e5m2x2.to.f16x2", "", {8, 1}, /*onlyOn=*/89},
    {"ff.to.e2m1x2", "", {8, 6}},
    {"e2m1x2.to.", "", {8, 6}},
    {"ff.to.ue8m0x2", "", {8, 6}},
    {"bf16x2.to.ue8m0x2", "", {8, 6}},
    {"ue8m0x2.to.", "", {8, 6}},
    {"tcgen05.", "", {8, 6}},
};

/// Raises `required` to what `name` needs.
static void addNeeds(llvm::ArrayRef<Need> needs, llvm::StringRef name,
                     const Target &target, RequiredPtx &required) {
  for (const Need &need : needs)
    if (need.version > required.version && need.matches(name, target))
      required = {need.version, name.str()};
}

/// The needs of each statement of `ptx`.  Operand lists are cut at their
/// braces as well, which leaves pieces that match no row.
static void addTextNeeds(llvm::StringRef ptx, const Target &target,
                         RequiredPtx &required) {
  while (!ptx.empty()) {
    size_t end = ptx.find_first_of(";\n{}");
    llvm::StringRef statement = ptx.substr(0, end).ltrim();
    ptx = end == llvm::StringRef::npos ? "" : ptx.substr(end + 1);
    // A predicate stands before the mnemonic: "@%p1 wgmma...".
    if (statement.consume_front("@"))
      statement = statement.drop_until(llvm::isSpace).ltrim();
    llvm::StringRef mnemonic = statement.take_until(llvm::isSpace);
    addNeeds(instructionNeeds, mnemonic, target, required);
  }
}

RequiredPtx tilec::findRequiredPtx(llvm::StringRef ptx, const Target &target) {
  RequiredPtx required{target.lowestPtx, target.name.str()};
  addTextNeeds(ptx, target, required);
  return required;
}

RequiredPtx tilec::findRequiredPtx(const llvm::Module &module,
                                   const Target &target) {
  RequiredPtx required{target.lowestPtx, target.name.str()};
  for (const llvm::Function &function : module) {
    llvm::StringRef name = function.getName();
    if (function.isIntrinsic() && name.consume_front("llvm.nvvm."))
      addNeeds(intrinsicNeeds, name, target, required);
    for (const llvm::Instruction &instruction : llvm::instructions(function))
      if (auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction))
        if (auto *text =
                llvm::dyn_cast<llvm::InlineAsm>(call->getCalledOperand()))
          addTextNeeds(text->getAsmString(), target, required);
    if (function.hasFnAttribute("nvvm.cluster_dim"))
      addNeeds(instructionNeeds, ".reqnctapercluster", target, required);
    if (function.hasFnAttribute("nvvm.maxclusterrank"))
      addNeeds(instructionNeeds, ".maxclusterrank", target, required);
  }
  return required;
}
