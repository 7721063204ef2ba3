//===-- RepeatCheck.cpp - Whether launches give the same bits -------------===//

#include "tools/gpu-runner/RepeatCheck.h"

#include <algorithm>

namespace gpurunner {
namespace {

using tilec::gpu::require;

constexpr unsigned threads = 256, mostBlocks = 1024;
constexpr size_t pieceBytes = 16;

/// For any device; the driver compiles it. Writes the number of the launch to
/// the record, unless a lower one is there, where a piece differs.
constexpr char compareText[] = R"(
.version 6.0
.target sm_50
.address_size 64
.visible .entry compare_pieces(.param .u64 now, .param .u64 first,
    .param .u64 count, .param .u64 record, .param .u32 launch)
{
  .reg .pred %p<3>;
  .reg .b32 %r<12>;
  .reg .b32 %a<4>;
  .reg .b32 %b<4>;
  .reg .b64 %d<10>;
  ld.param.u64 %d0, [now];
  ld.param.u64 %d1, [first];
  ld.param.u64 %d2, [count];
  ld.param.u64 %d3, [record];
  ld.param.u32 %r0, [launch];
  cvta.to.global.u64 %d0, %d0;
  cvta.to.global.u64 %d1, %d1;
  cvta.to.global.u64 %d3, %d3;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mov.u32 %r4, %nctaid.x;
  mul.wide.u32 %d4, %r1, %r2;
  cvt.u64.u32 %d5, %r3;
  add.u64 %d4, %d4, %d5;
  mul.wide.u32 %d5, %r4, %r2;
  mov.b32 %r5, 0;
NEXT:
  setp.ge.u64 %p0, %d4, %d2;
  @%p0 bra DONE;
  shl.b64 %d6, %d4, 4;
  add.u64 %d7, %d0, %d6;
  add.u64 %d8, %d1, %d6;
  ld.global.v4.b32 {%a0, %a1, %a2, %a3}, [%d7];
  ld.global.v4.b32 {%b0, %b1, %b2, %b3}, [%d8];
  xor.b32 %a0, %a0, %b0;
  xor.b32 %a1, %a1, %b1;
  xor.b32 %a2, %a2, %b2;
  xor.b32 %a3, %a3, %b3;
  or.b32 %a0, %a0, %a1;
  or.b32 %a2, %a2, %a3;
  or.b32 %a0, %a0, %a2;
  or.b32 %r5, %r5, %a0;
  add.u64 %d4, %d4, %d5;
  bra NEXT;
DONE:
  setp.eq.u32 %p1, %r5, 0;
  @%p1 bra END;
  atom.global.min.u32 %r6, [%d3], %r0;
END:
  ret;
}
)";

} // namespace

RepeatCheck::RepeatCheck(const Device &device,
                         std::vector<const GuardedBuffer *> buffers)
    : device(device) {
  const tilert::detail::Driver &driver = device.driver();
  require(TILERT_CALL(driver, cuModuleLoadData, &module, compareText));
  require(TILERT_CALL(driver, cuModuleGetFunction, &kernel, module,
                      "compare_pieces"));
  for (const GuardedBuffer *buffer : buffers) {
    size_t bytes = buffer->allocatedBytes();
    copies.push_back({buffer, device.allocate(bytes), device.allocate(bytes)});
    copy(copies.back().first, buffer->allocation(), bytes);
    device.synchronize();
    buffer->reset();
    copy(copies.back().initial, buffer->allocation(), bytes);
  }
  size_t recordBytes = buffers.size() * sizeof(unsigned);
  records = device.allocate(recordBytes);
  require(TILERT_CALL(driver, cuMemsetD8Async, records, 0xFF, recordBytes,
                      device.stream()));
}

RepeatCheck::~RepeatCheck() {
  for (const Copies &each : copies) {
    device.release(each.initial);
    device.release(each.first);
  }
  device.release(records);
  (void)TILERT_CALL(device.driver(), cuModuleUnload, module);
}

void RepeatCheck::copy(CuPointer to, CuPointer from, size_t bytes) const {
  require(TILERT_CALL(device.driver(), cuMemcpyDtoDAsync_v2, to, from, bytes,
                      device.stream()));
}

void RepeatCheck::reset() const {
  for (const Copies &each : copies)
    copy(each.buffer->allocation(), each.initial,
         each.buffer->allocatedBytes());
}

void RepeatCheck::compare(unsigned number) const {
  CuPointer record = records;
  for (const Copies &each : copies) {
    CuPointer now = each.buffer->allocation(), first = each.first;
    unsigned long long count = each.buffer->allocatedBytes() / pieceBytes;
    void *parameters[] = {&now, &first, &count, &record, &number};
    auto blocks =
        unsigned(std::min<size_t>((count + threads - 1) / threads, mostBlocks));
    require(TILERT_CALL(device.driver(), cuLaunchKernel, kernel, blocks, 1, 1,
                        threads, 1, 1, 0, device.stream(), parameters,
                        nullptr));
    record += sizeof(unsigned);
  }
}

std::vector<std::optional<unsigned>> RepeatCheck::findDifferences() const {
  device.synchronize();
  std::vector<unsigned> numbers(copies.size());
  device.download(numbers.data(), records, numbers.size() * sizeof(unsigned));
  std::vector<std::optional<unsigned>> found;
  for (unsigned number : numbers)
    found.push_back(number == ~0u ? std::nullopt : std::optional(number));
  return found;
}

} // namespace gpurunner
