//===- AsyncKernel.cpp - Texts of asynchronous instructions ---------------===//

#include "AsyncKernel.h"

#include "llvm/ADT/StringExtras.h"

using namespace tilec;
using namespace tilec::test;

const char *const tilec::test::asyncGlobals =
    "@tile_shared = external addrspace(3) global [0 x i8], align 1024\n"
    "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
    "declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()\n"
    "declare i32 @llvm.nvvm.read.ptx.sreg.warpid()\n"
    "declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)\n"
    "declare void @llvm.nvvm.bar.warp.sync(i32)\n"
    "declare void @llvm.nvvm.nanosleep(i32)\n";

std::string tilec::test::ptx(const std::string &text,
                             const std::string &operands) {
  std::string constraints;
  llvm::SmallVector<llvm::StringRef> parts;
  llvm::StringRef(operands).split(parts, ',', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef part : parts) {
    part = part.trim();
    constraints += part.starts_with("i64") || part.starts_with("ptr") ? "l,"
                   : part.starts_with("i1 ")                          ? "b,"
                   : part.starts_with("float")                        ? "f,"
                                                                      : "r,";
  }
  return "call void asm sideeffect \"" + text + "\", \"" + constraints +
         "~{memory}\"(" + operands + ")\n";
}

std::string tilec::test::initBarrier(const std::string &barrier,
                                     unsigned count) {
  return ptx("mbarrier.init.shared::cta.b64 [$0], " + std::to_string(count) +
                 ";",
             "i32 " + barrier);
}

std::string tilec::test::expectBytes(const std::string &barrier,
                                     unsigned bytes) {
  return ptx("mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], $1;",
             "i32 " + barrier + ", i32 " + std::to_string(bytes));
}

std::string tilec::test::arrive(const std::string &barrier) {
  return ptx("mbarrier.arrive.shared::cta.b64 _, [$0];", "i32 " + barrier);
}

std::string tilec::test::waitFor(const std::string &barrier,
                                 const std::string &parity) {
  return ptx("{\\0A.reg .pred p;\\0Await_${:uid}: "
             "mbarrier.try_wait.parity.shared::cta.b64 p, [$0], $1;\\0A@!p bra "
             "wait_${:uid};\\0A}",
             "i32 " + barrier + ", i32 " + parity);
}

const std::string tilec::test::initFence =
    ptx("fence.mbarrier_init.release.cluster;");
const std::string tilec::test::proxyFence =
    ptx("fence.proxy.async.shared::cta;");
const std::string tilec::test::blockBarrier =
    "call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)\n";
const std::string tilec::test::commitStores =
    ptx("cp.async.bulk.commit_group;");

std::string tilec::test::waitStores(unsigned groups) {
  return ptx("cp.async.bulk.wait_group.read " + std::to_string(groups) + ";");
}

/// "{$2, $3}", and the operands behind it as text.
static std::string list(const std::vector<std::string> &coordinates,
                        unsigned first, std::string &operands) {
  std::string text;
  for (unsigned i = 0; i < coordinates.size(); ++i) {
    text += (i ? ", $" : "{$") + std::to_string(first + i);
    operands += ", i32 " + coordinates[i];
  }
  return text + "}";
}

std::string tilec::test::loadBox(const std::string &destination,
                                 const std::vector<std::string> &coordinates,
                                 const std::string &barrier,
                                 const std::string &map) {
  std::string operands = "i32 " + destination + ", ptr " + map;
  std::string box = list(coordinates, 2, operands);
  std::string rank = std::to_string(coordinates.size());
  return ptx("cp.async.bulk.tensor." + rank +
                 "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                 "[$0], [$1, " +
                 box + "], [$" + std::to_string(2 + coordinates.size()) + "];",
             operands + ", i32 " + barrier);
}

std::string tilec::test::storeBox(const std::vector<std::string> &coordinates,
                                  const std::string &source,
                                  const std::string &map) {
  std::string operands = "ptr " + map;
  std::string box = list(coordinates, 1, operands);
  std::string rank = std::to_string(coordinates.size());
  return ptx("cp.async.bulk.tensor." + rank +
                 "d.global.shared::cta.tile.bulk_group [$0, " + box + "], [$" +
                 std::to_string(1 + coordinates.size()) + "];",
             operands + ", i32 " + source);
}

std::string tilec::test::sharedAddress(const std::string &name,
                                       unsigned offset) {
  return "%" + name + ".p = getelementptr i8, ptr addrspace(3) @tile_shared, " +
         "i32 " + std::to_string(offset) + "\n%" + name +
         " = ptrtoint ptr addrspace(3) %" + name + ".p to i32\n";
}

std::string tilec::test::onlyIn(unsigned thread, const std::string &body) {
  static unsigned counter = 0;
  std::string id = std::to_string(counter++);
  return "%only" + id + " = icmp eq i32 %tid, " + std::to_string(thread) +
         "\nbr i1 %only" + id + ", label %do" + id + ", label %skip" + id +
         "\ndo" + id + ":\n" + body + "br label %skip" + id + "\nskip" + id +
         ":\n";
}

TensorMapParameter tilec::test::makeMap(const void *data, unsigned elementBytes,
                                        const std::vector<uint64_t> &extents,
                                        const std::vector<uint16_t> &box,
                                        unsigned swizzle) {
  EmulatedTensorMap map{};
  map.signature = EmulatedTensorMap::validSignature;
  map.address = reinterpret_cast<uint64_t>(data);
  map.rank = static_cast<uint8_t>(extents.size());
  map.elementBytes = static_cast<uint8_t>(elementBytes);
  map.swizzle = static_cast<uint8_t>(swizzle);
  uint64_t stride = elementBytes;
  for (size_t d = 0; d < extents.size(); ++d) {
    map.extents[d] = extents[d];
    map.box[d] = box[d];
    stride *= extents[d];
    if (d + 1 < extents.size())
      map.strides[d] = stride;
  }
  TensorMapParameter parameter{};
  std::memcpy(parameter.data(), &map, sizeof map);
  return parameter;
}
