//===- TensorCopyTest.cpp - Copies by tensor maps -------------------------===//

#include "AsyncKernel.h"

using namespace tilec;
using namespace tilec::test;

static const std::string prologue =
    "%tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n" +
    sharedAddress("bar", 0) + sharedAddress("box", 1024);

static const std::string ready =
    onlyIn(0, initBarrier("%bar", 1) + initFence) + blockBarrier;

/// The warp copies the box to out, 16 bytes a lane; begins in block %start.
static std::string copyOut(unsigned bytes) {
  return R"(
    %c.any = icmp ult i32 %tid, )" +
         std::to_string(bytes / 16) + R"(
    br i1 %c.any, label %copy, label %end
  copy:
    %c = phi i32 [ %tid, %start ], [ %c.next, %copy ]
    %c.o = mul i32 %c, 16
    %c.s = getelementptr i8, ptr addrspace(3) %box.p, i32 %c.o
    %c.x = load <4 x i32>, ptr addrspace(3) %c.s, align 16
    %c.d = getelementptr i8, ptr addrspace(1) %out, i32 %c.o
    store <4 x i32> %c.x, ptr addrspace(1) %c.d, align 16
    %c.next = add i32 %c, 32
    %c.more = icmp ult i32 %c.next, )" +
         std::to_string(bytes / 16) + R"(
    br i1 %c.more, label %copy, label %end
  end:
    )";
}

/// Loads one box and copies it out.
static TestKernel makeLoad(const std::vector<std::string> &coordinates,
                           unsigned bytes, const std::string &wait,
                           const std::string &setUp = ready) {
  TestKernel kernel(std::string(mapParameter) + ", ptr addrspace(1) %out",
                    prologue + setUp +
                        onlyIn(0, expectBytes("%bar", bytes) +
                                      loadBox("%box", coordinates, "%bar")) +
                        wait + "br label %start\nstart:\n" + copyOut(bytes) +
                        "ret void",
                    asyncGlobals);
  kernel.shared(64 * 1024);
  return kernel;
}

static uint32_t swizzle(uint32_t address, unsigned line) {
  if (line == 128)
    return address ^ (address >> 7 & 7) << 4;
  if (line == 64)
    return address ^ (address >> 7 & 3) << 4;
  if (line == 32)
    return address ^ (address >> 7 & 1) << 4;
  return address;
}

template <typename T> static std::vector<T> count(size_t elements) {
  std::vector<T> data(elements);
  for (size_t i = 0; i < elements; ++i)
    data[i] = static_cast<T>(i + 1);
  return data;
}

static std::vector<uint16_t> alignedBuffer(size_t elements) {
  return count<uint16_t>(elements);
}

TEST(TensorCopy, LoadsSwizzledBoxes) {
  constexpr unsigned width = 80, height = 40;
  std::vector<uint16_t> in = alignedBuffer(width * height);
  for (unsigned line : {0u, 32u, 64u, 128u}) {
    uint16_t inner = line ? line / 2 : 24, outer = 16;
    for (auto [x, y] : {std::pair(8, 3), std::pair(-3, -5), std::pair(70, 30),
                        std::pair(100, 0)}) {
      unsigned bytes = inner * outer * 2;
      std::vector<uint16_t> out(bytes / 2, 0xAAAA);
      TestKernel kernel = makeLoad({std::to_string(x), std::to_string(y)},
                                   bytes, waitFor("%bar", "0"));
      kernel.scalar(
          makeMap(in.data(), 2, {width, height}, {inner, outer}, line));
      kernel.launchSpec().buffers.push_back(
          {"A", in.data(), in.size() * 2, false, -1});
      kernel.buffer("C", out).run();
      for (int row = 0; row < outer; ++row)
        for (int column = 0; column < inner; ++column) {
          bool isInside = x + column >= 0 && x + column < int(width) &&
                          y + row >= 0 && y + row < int(height);
          uint16_t want =
              isInside ? in[(y + row) * width + x + column] : uint16_t(0);
          // The box lies at a multiple of 1024.
          uint32_t at = swizzle((row * inner + column) * 2, line);
          ASSERT_EQ(out[at / 2], want)
              << "swizzle " << line << " row " << row << " column " << column;
        }
    }
  }
}

TEST(TensorCopy, LoadsEveryRank) {
  std::vector<uint64_t> extents = {16, 3, 4, 2, 3};
  std::vector<uint32_t> in = count<uint32_t>(16 * 3 * 4 * 2 * 3);
  std::vector<int> start = {-1, 1, -1, 1, 2};
  for (unsigned rank = 1; rank <= 5; ++rank) {
    std::vector<uint16_t> box = {8, 2, 3, 2, 2};
    box.resize(rank);
    std::vector<std::string> coordinates;
    unsigned elements = 1;
    for (unsigned d = 0; d < rank; ++d) {
      coordinates.push_back(std::to_string(start[d]));
      elements *= box[d];
    }
    std::vector<uint32_t> out(elements, 77);
    TestKernel kernel =
        makeLoad(coordinates, elements * 4, waitFor("%bar", "0"));
    kernel.scalar(
        makeMap(in.data(), 4, {extents.begin(), extents.begin() + rank}, box));
    kernel.launchSpec().buffers.push_back(
        {"A", in.data(), in.size() * 4, false, -1});
    kernel.buffer("C", out).run();
    for (unsigned i = 0; i < elements; ++i) {
      unsigned rest = i;
      uint64_t index = 0, stride = 1;
      bool isInside = true;
      for (unsigned d = 0; d < rank; ++d) {
        int at = start[d] + int(rest % box[d]);
        rest /= box[d];
        isInside &= at >= 0 && at < int(extents[d]);
        index += uint64_t(at) * stride;
        stride *= extents[d];
      }
      ASSERT_EQ(out[i], isInside ? in[index] : 0) << "rank " << rank;
    }
  }
}

//===----------------------------------------------------------------------===//
// Loads that nobody waited for
//===----------------------------------------------------------------------===//

struct LoadFailure {
  std::vector<uint16_t> in = alignedBuffer(64 * 64);
  std::vector<uint16_t> out = std::vector<uint16_t>(64 * 8);

  TestKernel &prepare(TestKernel &kernel) {
    kernel.scalar(makeMap(in.data(), 2, {64, 64}, {64, 8}, 128));
    kernel.launchSpec().buffers.push_back(
        {"A", in.data(), in.size() * 2, false, -1});
    return kernel.buffer("C", out);
  }
  EmulationReport run(const std::string &wait,
                      const std::string &setUp = ready) {
    TestKernel kernel = makeLoad({"0", "0"}, 1024, wait, setUp);
    return prepare(kernel).fail();
  }
};

TEST(TensorCopy, ReportsReadInFlight) {
  LoadFailure failure;
  for (const std::string &wait :
       {std::string(), blockBarrier, waitFor("%bar", "1")}) {
    EmulationReport report = failure.run(wait + blockBarrier);
    EXPECT_EQ(report.kind, EmulationErrorKind::InFlightAccess);
    EXPECT_NE(report.message.find(", to which a copy that signals the "
                                  "mbarrier at offset 0 is still under way"),
              std::string::npos)
        << report.message;
  }
  // The bytes are there for the thread that waited (the first one to run behind
  // the barrier), and nobody else.
  EmulationReport report =
      failure.run(blockBarrier + onlyIn(30, waitFor("%bar", "0")));
  EXPECT_EQ(report.kind, EmulationErrorKind::Race);
  EXPECT_NE(report.message.find("written by a copy that signals the mbarrier "
                                "at offset 0 with no barrier in between"),
            std::string::npos)
      << report.message;
  // Without the strict mode the missing wait is a race still.
  TestKernel kernel = makeLoad({"0", "0"}, 1024, blockBarrier);
  failure.prepare(kernel).options().strictAsyncCopies = false;
  EXPECT_EQ(kernel.fail().kind, EmulationErrorKind::Race);
  kernel.options().checkRaces = false;
  kernel.run();
}

TEST(TensorCopy, ReportsEndBeforeLanding) {
  LoadFailure failure;
  TestKernel kernel(std::string(mapParameter) + ", ptr addrspace(1) %out",
                    prologue + ready +
                        onlyIn(0, expectBytes("%bar", 1024) +
                                      loadBox("%box", {"0", "0"}, "%bar")) +
                        "ret void",
                    asyncGlobals);
  kernel.shared(8192);
  EmulationReport report = failure.prepare(kernel).fail();
  EXPECT_EQ(report.kind, EmulationErrorKind::InFlightAccess);
  EXPECT_NE(report.message.find("the block ends while"), std::string::npos);
}

TEST(TensorCopy, ReportsWrongByteCounts) {
  LoadFailure failure;
  auto run = [&](unsigned bytes) {
    TestKernel kernel(std::string(mapParameter) + ", ptr addrspace(1) %out",
                      prologue + ready +
                          onlyIn(0, expectBytes("%bar", bytes) +
                                        loadBox("%box", {"0", "0"}, "%bar")) +
                          waitFor("%bar", "0") + "ret void",
                      asyncGlobals);
    kernel.shared(8192);
    return failure.prepare(kernel).fail();
  };
  EmulationReport report = run(1008);
  EXPECT_EQ(report.kind, EmulationErrorKind::BarrierMisuse);
  EXPECT_NE(report.message.find("gets 1024 bytes in phase 0, which expects "
                                "1008"),
            std::string::npos)
      << report.message;
  report = run(1040);
  EXPECT_EQ(report.kind, EmulationErrorKind::Deadlock);
  EXPECT_NE(print(report).find("misses 0 of 1 arrivals and 16 bytes"),
            std::string::npos)
      << print(report);
}

TEST(TensorCopy, ReportsBarrierThatCopiesMayNotSee) {
  LoadFailure failure;
  EmulationReport report = failure.run(
      waitFor("%bar", "0"), onlyIn(0, initBarrier("%bar", 1)) + blockBarrier);
  EXPECT_EQ(report.kind, EmulationErrorKind::BarrierMisuse);
  EXPECT_NE(report.message.find("is signalled by a copy, which may not see it"),
            std::string::npos)
      << report.message;
}

TEST(TensorCopy, ReportsOverwriteOfUnreadStage) {
  LoadFailure failure;
  auto make = [&](const std::string &between) {
    TestKernel kernel(std::string(mapParameter) + ", ptr addrspace(1) %out",
                      prologue + ready +
                          onlyIn(0, expectBytes("%bar", 1024) +
                                        loadBox("%box", {"0", "0"}, "%bar")) +
                          waitFor("%bar", "0") +
                          "%x = load i16, ptr addrspace(3) %box.p, align 2\n" +
                          between +
                          onlyIn(0, expectBytes("%bar", 1024) +
                                        loadBox("%box", {"0", "8"}, "%bar")) +
                          waitFor("%bar", "1") + "ret void",
                      asyncGlobals);
    kernel.shared(8192);
    return kernel;
  };
  TestKernel right = make(blockBarrier);
  failure.prepare(right).run();
  TestKernel wrong = make("");
  EmulationReport report = failure.prepare(wrong).fail();
  EXPECT_EQ(report.kind, EmulationErrorKind::Race);
}

//===----------------------------------------------------------------------===//
// Maps and addresses
//===----------------------------------------------------------------------===//

TEST(TensorCopy, RefusesWrongMaps) {
  LoadFailure failure;
  auto run = [&](auto change) {
    TestKernel kernel = makeLoad({"0", "0"}, 1024, waitFor("%bar", "0"));
    TensorMapParameter parameter =
        makeMap(failure.in.data(), 2, {64, 64}, {64, 8}, 128);
    EmulatedTensorMap map;
    std::memcpy(&map, parameter.data(), sizeof map);
    change(map);
    std::memcpy(parameter.data(), &map, sizeof map);
    kernel.scalar(parameter);
    kernel.launchSpec().buffers.push_back(
        {"A", failure.in.data(), failure.in.size() * 2, false, -1});
    return kernel.buffer("C", failure.out).fail();
  };
  EmulationReport report =
      run([](EmulatedTensorMap &map) { map.signature = 5; });
  EXPECT_EQ(report.kind, EmulationErrorKind::BadLaunch);
  EXPECT_NE(report.message.find("the tensor map does not begin with the "
                                "signature of a tensor map"),
            std::string::npos)
      << report.message;
  report = run([](EmulatedTensorMap &map) { map.rank = 3; });
  EXPECT_EQ(report.kind, EmulationErrorKind::BadLaunch);
  report = run([](EmulatedTensorMap &map) { map.strides[0] = 136; });
  EXPECT_NE(report.message.find("a stride that is no multiple of 16"),
            std::string::npos);
  report = run([](EmulatedTensorMap &map) { map.swizzle = 64; });
  EXPECT_NE(report.message.find("rows are longer than the swizzled line"),
            std::string::npos);
  // A tensor that is larger than its buffer.
  report = run([](EmulatedTensorMap &map) { map.strides[0] = 4096; });
  EXPECT_EQ(report.kind, EmulationErrorKind::OutOfBounds);
}

TEST(TensorCopy, ChecksSharedAddresses) {
  LoadFailure failure;
  auto run = [&](unsigned offset) {
    TestKernel kernel(std::string(mapParameter) + ", ptr addrspace(1) %out",
                      prologue + sharedAddress("to", offset) + ready +
                          onlyIn(0, expectBytes("%bar", 1024) +
                                        loadBox("%to", {"0", "0"}, "%bar")) +
                          waitFor("%bar", "0") + "ret void",
                      asyncGlobals);
    kernel.shared(8192);
    return failure.prepare(kernel).fail().kind;
  };
  EXPECT_EQ(run(1024 + 64), EmulationErrorKind::Misaligned);
  EXPECT_EQ(run(8192 - 128), EmulationErrorKind::OutOfBounds);
  // The first lines hold the mbarrier.
  EXPECT_EQ(run(0), EmulationErrorKind::BarrierMisuse);
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

/// Fills the box (32 rows of 16 bytes) with 1 + thread and stores it.
static TestKernel makeStore(const std::string &before, const std::string &after,
                            const std::string &coordinates = "0") {
  TestKernel kernel(std::string(mapParameter),
                    prologue + R"(
    %o = mul i32 %tid, 16
    %s = getelementptr i8, ptr addrspace(3) %box.p, i32 %o
    %value = add i32 %tid, 1
    %v0 = insertelement <4 x i32> poison, i32 %value, i32 0
    %v = shufflevector <4 x i32> %v0, <4 x i32> poison, <4 x i32> zeroinitializer
    store <4 x i32> %v, ptr addrspace(3) %s, align 16
    )" + before +
                        onlyIn(0, storeBox({"0", coordinates}, "%box") +
                                      commitStores + after) +
                        "ret void",
                    asyncGlobals);
  kernel.shared(8192);
  return kernel;
}

struct StoreLaunch {
  std::vector<uint32_t> out = std::vector<uint32_t>(4 * 40);

  TestKernel &prepare(TestKernel &kernel) {
    kernel.scalar(makeMap(out.data(), 4, {4, 40}, {4, 32}));
    kernel.launchSpec().buffers.push_back(
        {"C", out.data(), out.size() * 4, true, -1});
    return kernel;
  }
};

TEST(TensorCopy, StoresBoxesInsideTheTensor) {
  for (auto [wait, strict] :
       {std::pair(waitStores(0), true), std::pair(waitStores(0), false),
        std::pair(ptx("cp.async.bulk.wait_group 0;"), true)})
    for (int row : {0, 5, 20, -7}) {
      StoreLaunch launch;
      TestKernel kernel =
          makeStore(proxyFence + blockBarrier, wait, std::to_string(row));
      launch.prepare(kernel).options().strictAsyncCopies = strict;
      kernel.run();
      for (int y = 0; y < 40; ++y)
        ASSERT_EQ(launch.out[4 * y + 3],
                  y >= row && y < row + 32 ? uint32_t(y - row + 1) : 0)
            << row;
    }
}

TEST(TensorCopy, ReportsStoreOfUnfencedWrites) {
  StoreLaunch launch;
  // No fence, and a fence of one thread for its own writes only.
  for (const std::string &before :
       {blockBarrier, onlyIn(0, proxyFence) + blockBarrier}) {
    TestKernel kernel = makeStore(before, waitStores(0));
    EmulationReport report = launch.prepare(kernel).fail();
    EXPECT_EQ(report.kind, EmulationErrorKind::MissingFence);
    EXPECT_NE(report.message.find("with no fence.proxy.async in between"),
              std::string::npos)
        << report.message;
    ASSERT_EQ(report.notes.size(), 1u);
    EXPECT_EQ(report.notes[0].location.line, 11u);
  }
  // The fence may as well stand behind the barrier.
  TestKernel late = makeStore(blockBarrier + proxyFence, waitStores(0));
  launch.prepare(late).run();
  TestKernel kernel = makeStore(proxyFence, waitStores(0));
  launch.prepare(kernel).options().checkUninitialised = false;
  EXPECT_EQ(kernel.fail().kind, EmulationErrorKind::Race);
}

TEST(TensorCopy, ReportsSourceOverwrittenTooEarly) {
  StoreLaunch launch;
  std::string overwrite = "store i32 9, ptr addrspace(3) %box.p, align 4\n";
  TestKernel early =
      makeStore(proxyFence + blockBarrier, overwrite + waitStores(0));
  EmulationReport report = launch.prepare(early).fail();
  EXPECT_EQ(report.kind, EmulationErrorKind::InFlightAccess);
  EXPECT_NE(report.message.find("touches byte 1024, which a bulk store of "
                                "thread 0 may still read"),
            std::string::npos)
      << report.message;
  TestKernel one = makeStore(proxyFence + blockBarrier,
                             waitStores(1) + overwrite + waitStores(0));
  EXPECT_EQ(launch.prepare(one).fail().kind,
            EmulationErrorKind::InFlightAccess);
  TestKernel late =
      makeStore(proxyFence + blockBarrier, waitStores(0) + overwrite);
  launch.prepare(late).run();
  EXPECT_EQ(launch.out[0], 1u);
}

TEST(TensorCopy, ReportsExitBeforeStoreIsRead) {
  StoreLaunch launch;
  TestKernel kernel = makeStore(proxyFence + blockBarrier, "");
  EmulationReport report = launch.prepare(kernel).fail();
  EXPECT_EQ(report.kind, EmulationErrorKind::InFlightAccess);
  EXPECT_NE(report.message.find("the thread exits while"), std::string::npos);
}

TEST(TensorCopy, PrefetchChecksTheMap) {
  StoreLaunch launch;
  TestKernel kernel(std::string(mapParameter),
                    ptx("prefetch.tensormap [$0];", "ptr %map") + "ret void",
                    asyncGlobals);
  launch.prepare(kernel).run();
  TestKernel bad(std::string(mapParameter),
                 ptx("prefetch.tensormap [$0];", "ptr %map") + "ret void",
                 asyncGlobals);
  EXPECT_EQ(bad.scalar(TensorMapParameter{}).fail().kind,
            EmulationErrorKind::BadLaunch);
  TestKernel nowhere("", ptx("prefetch.tensormap [$0];", "i64 64") + "ret void",
                     asyncGlobals);
  EXPECT_EQ(nowhere.fail().kind, EmulationErrorKind::OutOfBounds);
}
