//===- EmulatorDeviceTest.cpp - Launches as plans describe them -----------===//
#include "compiler/Driver/Run/Devices.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include "gtest/gtest.h"

using namespace tilec;

/// C = A by TMA, a row of 16 elements at a time: the kernel's first axis has
/// boxes along a row, its second one rows.
static constexpr const char *manifest = R"json({
  "format_version": 1, "target": "sm_90a",
  "kernels": [{
    "name": "copy",
    "parameters": [
      {"kind": "tensor", "name": "A", "dtype": "bf16", "access": "in",
       "dims": ["M", "N"]},
      {"kind": "tensor", "name": "C", "dtype": "bf16", "access": "out",
       "dims": ["M", "N"]}],
    "symbols": [
      {"name": "M", "bound_by": {"parameter": 0, "dim": 0}},
      {"name": "N", "bound_by": {"parameter": 0, "dim": 1}}],
    "checks": [],
    "axes": [{"name": "bx", "extent": ["ceildiv", "N", 16]},
             {"name": "by", "extent": "M"}],
    "variants": [{
      "name": "general", "symbol": "copy", "guards": [],
      "requires": ["tensor_maps", "blocks"],
      "blocks": ["min", ["*", "M", ["ceildiv", "N", 16]], 3],
      "threads": 32, "shared_bytes": 1024,
      "tensor_maps": [
        {"tensor": "C", "box": [1, 16], "swizzle": 0, "l2_promotion": 0},
        {"tensor": "A", "box": [1, 16], "swizzle": 32, "l2_promotion": 256}],
      "arguments": [
        {"kind": "symbol", "name": "M"}, {"kind": "symbol", "name": "N"},
        {"kind": "tensor_map", "index": 1},
        {"kind": "tensor_map", "index": 0}]}]}]})json";

// Thread 0 of each block copies tiles b, b + blocks, b + 2 * blocks, ...  The
// first row of a swizzled box is not moved.
static constexpr const char *code = R"ll(
target triple = "nvptx64-nvidia-cuda"
@tile_shared = external addrspace(3) global [0 x i8], align 1024
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
define ptx_kernel void @copy(i64 %M, i64 %N, ptr byval([128 x i8]) align 64 %A,
                             ptr byval([128 x i8]) align 64 %C) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %blocks = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %m = trunc i64 %M to i32
  %n = trunc i64 %N to i32
  %n15 = add i32 %n, 15
  %columns = udiv i32 %n15, 16
  %tiles = mul i32 %m, %columns
  %row.p = getelementptr i8, ptr addrspace(3) @tile_shared, i32 0
  %row = ptrtoint ptr addrspace(3) %row.p to i32
  %bar.p = getelementptr i8, ptr addrspace(3) @tile_shared, i32 512
  %bar = ptrtoint ptr addrspace(3) %bar.p to i32
  %isFirst = icmp eq i32 %tid, 0
  br i1 %isFirst, label %init, label %done
init:
  call void asm sideeffect "mbarrier.init.shared::cta.b64 [$0], 1;", "r,~{memory}"(i32 %bar)
  call void asm sideeffect "fence.mbarrier_init.release.cluster;", "~{memory}"()
  br label %loop
loop:
  %tile = phi i32 [%block, %init], [%next, %body]
  %parity = phi i32 [0, %init], [%flipped, %body]
  %more = icmp ult i32 %tile, %tiles
  br i1 %more, label %body, label %done
body:
  %column = urem i32 %tile, %columns
  %x = mul i32 %column, 16
  %y = udiv i32 %tile, %columns
  call void asm sideeffect "mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], $1;", "r,r,~{memory}"(i32 %bar, i32 32)
  call void asm sideeffect "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [$0], [$1, {$2, $3}], [$4];", "r,l,r,r,r,~{memory}"(i32 %row, ptr %A, i32 %x, i32 %y, i32 %bar)
  call void asm sideeffect "{\0A.reg .pred p;\0Await_${:uid}: mbarrier.try_wait.parity.shared::cta.b64 p, [$0], $1;\0A@!p bra wait_${:uid};\0A}", "r,r,~{memory}"(i32 %bar, i32 %parity)
  call void asm sideeffect "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [$0, {$1, $2}], [$3];", "l,r,r,r,~{memory}"(ptr %C, i32 %x, i32 %y, i32 %row)
  call void asm sideeffect "cp.async.bulk.commit_group;", "~{memory}"()
  call void asm sideeffect "cp.async.bulk.wait_group 0;", "~{memory}"()
  %next = add i32 %tile, %blocks
  %flipped = xor i32 %parity, 1
  br label %loop
done:
  ret void
}
)ll";

namespace {
/// The kernel above with sizes, its arrays and the plan of a launch.
class EmulatorDevice : public testing::Test {
protected:
  void plan(int64_t m, int64_t n) {
    tilert_module *loaded = nullptr;
    tilert_status *status = nullptr;
    tilert_module_from_manifest(manifest, strlen(manifest), &loaded, &status);
    runtimeModule.reset(loaded);
    ASSERT_EQ(llvm::toString(takeStatus(status)), "");
    kernel = tilert_module_kernel(loaded, 0);
    RunOptions options;
    options.sizes = {{"M", m}, {"N", n}};
    llvm::Expected<RunArguments> made = RunArguments::create(*kernel, options);
    ASSERT_EQ(llvm::toString(made.takeError()), "");
    arguments.emplace(std::move(*made));
    std::vector<tilert_argument> values = arguments->getRuntimeArguments();
    tilert_plan *created = nullptr;
    tilert_plan_create(kernel, values.data(), values.size(), nullptr, nullptr,
                       &created, &status);
    runtimePlan.reset(created);
    ASSERT_EQ(llvm::toString(takeStatus(status)), "");
  }

  /// What the emulator found wrong.
  std::string run() {
    llvm::LLVMContext context;
    llvm::SMDiagnostic diagnostic;
    std::unique_ptr<llvm::Module> module =
        llvm::parseAssemblyString(code, diagnostic, context);
    EXPECT_TRUE(module) << diagnostic.getMessage().str();
    return llvm::toString(
        runOnEmulator(*module, {*kernel, *runtimePlan, *arguments, 132})
            .takeError());
  }

  RuntimeModule runtimeModule;
  const tilert_kernel *kernel = nullptr;
  std::optional<RunArguments> arguments;
  RuntimePlan runtimePlan;
};
} // namespace

TEST_F(EmulatorDevice, PassesTensorMapsAndLaunchesTheBlocks) {
  ASSERT_NO_FATAL_FAILURE(plan(/*m=*/5, /*n=*/40));
  EXPECT_EQ(tilert_plan_grid(runtimePlan.get()), 3);
  ASSERT_EQ(run(), "");
  // 15 tiles by three blocks, whose last column is cut.
  llvm::MutableArrayRef<uint8_t> a = arguments->get()[0].tensor->getBytes();
  llvm::MutableArrayRef<uint8_t> c = arguments->get()[1].tensor->getBytes();
  ASSERT_EQ(a.size(), 5u * 40 * 2);
  EXPECT_TRUE(a.equals(c));
  EXPECT_EQ(arguments->get()[1].tensor->describeGuardDamage(), "");
}

TEST_F(EmulatorDevice, LaunchesAsManyBlocksAsThereAreTiles) {
  ASSERT_NO_FATAL_FAILURE(plan(/*m=*/1, /*n=*/24));
  EXPECT_EQ(tilert_plan_grid(runtimePlan.get()), 2);
  ASSERT_EQ(run(), "");
  EXPECT_TRUE(arguments->get()[0].tensor->getBytes().equals(
      arguments->get()[1].tensor->getBytes()));
}
