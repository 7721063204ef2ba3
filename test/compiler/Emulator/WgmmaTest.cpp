//===- WgmmaTest.cpp - wgmma ----------------------------------------------===//

#include "WgmmaKernel.h"

#include "compiler/Emulator/Instructions/NumberFormats.h"

using namespace tilec;
using namespace tilec::emulator;
using namespace tilec::test;

namespace {

/// An element type: its size and codes of small integers.
struct Type {
  std::string name;
  unsigned bytes;
  uint32_t (*encode)(int value);
};

uint32_t floatBits(int value) {
  return llvm::bit_cast<uint32_t>(static_cast<float>(value));
}

const Type f16 = {"f16", 2, [](int v) -> uint32_t { return encodeF16(v); }};
const Type bf16 = {"bf16", 2, [](int v) -> uint32_t { return encodeBF16(v); }};
const Type tf32 = {"tf32", 4, floatBits};
const Type e4m3 = {"e4m3", 1, [](int v) { return encodeFloat(formatE4M3, v); }};
const Type e5m2 = {"e5m2", 1, [](int v) { return encodeFloat(formatE5M2, v); }};
const Type s8 = {"s8", 1, [](int v) { return uint32_t(v) & 0xFF; }};
const Type u8 = {"u8", 1, [](int v) { return uint32_t(v) & 0xFF; }};

/// Values that tell all places of small matrices apart well enough.
int valueOf(unsigned row, unsigned k, unsigned salt, bool isUnsigned = false) {
  int value = static_cast<int>((row * 7 + k * 5 + row * k * 3 + salt) % 8);
  return isUnsigned ? value : value - 4;
}

/// Where a matrix of `rows` by `depth` bytes of K lies.
struct Layout {
  unsigned swizzle;
  bool isTransposed;
  unsigned rows;
  unsigned depth; // in elements
  unsigned bytes; // of an element

  unsigned line() const { return swizzle ? swizzle : 16; }
  /// Lines are whole.
  unsigned size() const {
    unsigned inner = (isTransposed ? rows : depth) * bytes;
    unsigned lines = (inner + line() - 1) / line();
    return lines * line() * (isTransposed ? depth : rows);
  }
  unsigned leading() const {
    if (!isTransposed)
      return swizzle ? 16 : rows * 16;
    return swizzle ? depth * swizzle : 128;
  }
  unsigned stride() const {
    if (!isTransposed)
      return swizzle ? 8 * swizzle : 128;
    return swizzle ? 8 * swizzle : depth * 16;
  }
  /// What a step of 32 bytes of K adds to the descriptor.
  unsigned step() const {
    if (!isTransposed)
      return (swizzle ? 32 : 2 * leading()) / 16;
    return (swizzle ? 2 * stride() : 2 * leading()) / 16;
  }
  unsigned place(unsigned row, unsigned k) const {
    unsigned inner = (isTransposed ? row : k) * bytes;
    unsigned outer = isTransposed ? k : row;
    unsigned outers = isTransposed ? depth : rows;
    unsigned at =
        inner / line() * outers * line() + outer * line() + inner % line();
    // 128: bits 4-6 are changed by bits 7-9.
    unsigned mask = swizzle == 128 ? 7 : swizzle == 64 ? 3 : swizzle ? 1 : 0;
    return at ^ (at >> 7 & mask) << 4;
  }
};

/// Products of `steps` instructions; both operands begin at multiples of 1024.
struct Problem {
  Type a = bf16, b = bf16;
  std::string accumulator = "f32";
  unsigned columns = 16;
  unsigned steps = 1;
  unsigned swizzleA = 128, swizzleB = 128;
  bool transposesA = false, transposesB = false;
  bool hasRegisterA = false;

  unsigned perStep() const { return 32 / a.bytes; }
  unsigned depth() const { return perStep() * steps; }
  bool isUnsigned(const Type &type) const { return type.name == "u8"; }
  int valueA(unsigned row, unsigned k) const {
    return valueOf(row, k, 1, isUnsigned(a));
  }
  int valueB(unsigned column, unsigned k) const {
    return valueOf(column, k, 2, isUnsigned(b));
  }
  int want(unsigned row, unsigned column) const {
    int sum = 0;
    for (unsigned k = 0; k < depth(); ++k)
      sum += valueA(row, k) * valueB(column, k);
    return sum;
  }

  WgmmaRun prepare() const {
    WgmmaRun run;
    run.kind.columns = columns;
    run.kind.accumulator = accumulator;
    run.kind.hasRegisterA = hasRegisterA;
    run.kind.name = "m64n" + std::to_string(columns) + "k" +
                    std::to_string(perStep()) + "." + accumulator + "." +
                    a.name + "." + b.name;
    run.kind.tail = accumulator == "s32" ? "" : ", 1, 1";
    if (a.bytes == 2) {
      if (!hasRegisterA)
        run.kind.tail += transposesA ? ", 1" : ", 0";
      run.kind.tail += transposesB ? ", 1" : ", 0";
    }
    run.steps = steps;
    Layout layoutA{swizzleA, transposesA, 64, depth(), a.bytes};
    Layout layoutB{swizzleB, transposesB, columns, depth(), b.bytes};
    unsigned offsetB = (layoutA.size() + 1023) / 1024 * 1024;
    run.image.resize(offsetB + layoutB.size());
    auto put = [&](unsigned at, const Type &type, int value) {
      uint32_t code = type.encode(value);
      std::memcpy(&run.image[at], &code, type.bytes);
    };
    for (unsigned k = 0; k < depth(); ++k) {
      for (unsigned row = 0; row < 64; ++row)
        put(layoutA.place(row, k), a, valueA(row, k));
      for (unsigned column = 0; column < columns; ++column)
        put(offsetB + layoutB.place(column, k), b, valueB(column, k));
    }
    run.descriptorA =
        describe(0, layoutA.leading(), layoutA.stride(), swizzleA);
    run.descriptorB =
        describe(offsetB, layoutB.leading(), layoutB.stride(), swizzleB);
    run.stepA = layoutA.step();
    run.stepB = layoutB.step();
    if (hasRegisterA)
      fillFragments(run);
    return run;
  }

  /// As the PTX manual draws them: register r of a thread holds elements along
  /// K of row lane / 4 + 8 (r % 2).
  void fillFragments(WgmmaRun &run) const {
    run.fragments.resize(steps * 512);
    unsigned e = 4 / a.bytes;
    for (unsigned step = 0; step < steps; ++step)
      for (unsigned t = 0; t < 128; ++t)
        for (unsigned r = 0; r < 4; ++r)
          for (unsigned i = 0; i < e; ++i) {
            unsigned row = t / 32 * 16 + t % 32 / 4 + 8 * (r % 2);
            unsigned k = step * perStep() + t % 4 * e + i + 4 * e * (r / 2);
            run.fragments[step * 512 + t * 4 + r] |= a.encode(valueA(row, k))
                                                     << (8 * a.bytes * i);
          }
  }

  double result(const WgmmaRun &run, unsigned row, unsigned column) const {
    unsigned thread = row / 16 * 32 + row % 8 * 4 + column % 8 / 2;
    unsigned element = column / 8 * 4 + row / 8 % 2 * 2 + column % 2;
    unsigned registers = run.kind.registers();
    if (accumulator == "f16")
      return decodeF16(static_cast<uint16_t>(
          run.out[thread * registers + element / 2] >> 16 * (element % 2)));
    uint32_t word = run.out[thread * registers + element];
    if (accumulator == "s32")
      return static_cast<int32_t>(word);
    return llvm::bit_cast<float>(word);
  }

  void check(const WgmmaRun &run, int base = 0, int factor = 1) const {
    for (unsigned row = 0; row < 64; ++row)
      for (unsigned column = 0; column < columns; ++column)
        ASSERT_EQ(result(run, row, column), base + factor * want(row, column))
            << run.kind.name << " swizzles " << swizzleA << ", " << swizzleB
            << " row " << row << " column " << column;
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

TEST(Wgmma, ReadsEveryLayout) {
  for (unsigned swizzle : {0u, 32u, 64u, 128u})
    for (bool transposed : {false, true}) {
      Problem problem;
      problem.columns = 64;
      problem.swizzleA = problem.swizzleB = swizzle;
      problem.transposesA = problem.transposesB = transposed;
      // As many steps as a line of K has.
      problem.steps = swizzle == 32 && !transposed ? 1 : 2;
      WgmmaRun run = problem.prepare();
      run.run();
      problem.check(run);
    }
  Problem mixed;
  mixed.columns = 128;
  mixed.steps = 4;
  mixed.transposesB = true;
  WgmmaRun run = mixed.prepare();
  run.run();
  mixed.check(run);
}

TEST(Wgmma, MultipliesEveryType) {
  struct Case {
    Type a, b;
    const char *accumulator;
    unsigned columns;
  };
  for (const Case &c :
       {Case{f16, f16, "f32", 8}, Case{f16, f16, "f16", 24},
        Case{bf16, bf16, "f32", 256}, Case{tf32, tf32, "f32", 40},
        Case{e4m3, e4m3, "f32", 192}, Case{e4m3, e5m2, "f32", 8},
        Case{e5m2, e4m3, "f16", 16}, Case{e5m2, e5m2, "f32", 8},
        Case{s8, s8, "s32", 24}, Case{s8, u8, "s32", 8},
        Case{u8, s8, "s32", 32}, Case{u8, u8, "s32", 256}})
    for (bool inRegisters : {false, true}) {
      Problem problem;
      problem.a = c.a;
      problem.b = c.b;
      problem.accumulator = c.accumulator;
      problem.columns = c.columns;
      problem.steps = 2;
      problem.swizzleB = 64;
      problem.hasRegisterA = inRegisters;
      WgmmaRun run = problem.prepare();
      run.run();
      problem.check(run);
      run.strict = false;
      run.run();
      problem.check(run);
    }
}

TEST(Wgmma, AddsToRegistersWhenScaled) {
  Problem problem;
  for (bool strict : {true, false})
    for (const char *scale : {"0", "1", "%yes", "%no"}) {
      WgmmaRun run = problem.prepare();
      run.strict = strict;
      run.initial = "5.0";
      run.firstScale = scale;
      run.fence += "%yes = icmp ne i64 %da, 99999\n"
                   "%no = icmp eq i64 %da, 99999\n";
      run.run();
      bool adds = std::string(scale) == "1" || std::string(scale) == "%yes";
      problem.check(run, adds ? 5 : 0);
    }
  WgmmaRun run = problem.prepare();
  run.initial = "3.0";
  run.firstScale = "1";
  run.kind.tail = ", -1, 1, 0, 0";
  run.run();
  problem.check(run, 3, -1);
}

TEST(Wgmma, SaturatesIntegers) {
  Problem problem;
  problem.a = problem.b = s8;
  problem.accumulator = "s32";
  WgmmaRun run = problem.prepare();
  run.kind.name += ".satfinite";
  run.initial = "2147483647";
  run.firstScale = "1";
  run.run();
  for (unsigned row = 0; row < 64; ++row)
    for (unsigned column = 0; column < 16; ++column)
      ASSERT_EQ(problem.result(run, row, column),
                2147483647.0 + std::min(problem.want(row, column), 0));
}

//===----------------------------------------------------------------------===//
// Asynchrony
//===----------------------------------------------------------------------===//

// Registers are NaN until the wait through which they are tied.
TEST(Wgmma, ResultsAreThereBehindTheWait) {
  Problem problem;
  for (const std::string &wait : {std::string(), waitProducts(1)}) {
    WgmmaRun run = problem.prepare();
    run.wait = wait;
    for (uint32_t word : run.run())
      ASSERT_TRUE(std::isnan(llvm::bit_cast<float>(word)));
    run.strict = false;
    run.run();
    problem.check(run);
  }
  // A product that is not committed is in no group.
  WgmmaRun run = problem.prepare();
  run.commit = "";
  ASSERT_TRUE(std::isnan(llvm::bit_cast<float>(run.run()[0])));
}

// Two groups on different registers: a wait for one leaves the second in
// flight, whose registers are there behind a wait for both.
TEST(Wgmma, WaitsForOlderGroups) {
  Problem problem;
  for (const char *given : {"first", "early", "late"}) {
    WgmmaRun run = problem.prepare();
    const Wgmma &kind = run.kind;
    run.beforeWait =
        kind.product("e", kind.constants("poison"), {"%da0"}, "%db0", "0") +
        commitProducts + kind.tie(waitProducts(1), "first", kind.values("d0")) +
        kind.tie(waitProducts(1), "early", kind.values("e")) +
        kind.tie(waitProducts(0), "late", kind.values("early"));
    run.wait = "";
    run.given = given;
    run.run();
    if (run.given == "early")
      ASSERT_TRUE(std::isnan(llvm::bit_cast<float>(run.out[0])));
    else
      problem.check(run);
  }
}

// The registers of two products go through one wait in any order.
TEST(Wgmma, WaitTiesRegistersInAnyOrder) {
  Problem problem;
  WgmmaRun run = problem.prepare();
  const Wgmma &kind = run.kind;
  std::vector<std::string> first = kind.values("d0"), mixed;
  std::vector<std::string> second = kind.values("e");
  for (unsigned r = 0; r < kind.registers(); ++r) {
    mixed.push_back(second[r]);
    mixed.push_back(first[kind.registers() - 1 - r]);
  }
  Wgmma both = kind;
  both.columns *= 2;
  run.beforeWait =
      kind.product("e", kind.constants("poison"), {"%da0"}, "%db0", "0") +
      commitProducts + both.tie(waitProducts(0), "all", mixed);
  for (unsigned r = 0; r < kind.registers(); ++r)
    run.beforeWait += "%back." + std::to_string(r) + " = fadd float %all." +
                      std::to_string(2 * (kind.registers() - 1 - r) + 1) +
                      ", 0.0\n";
  run.wait = "";
  run.given = "back";
  run.run();
  problem.check(run);
}

TEST(Wgmma, ReportsOperandsOverwrittenInFlight) {
  Problem problem;
  WgmmaRun run = problem.prepare();
  run.beforeWait = "store i32 %tid, ptr addrspace(3) @tile_shared, align 4\n";
  EmulationReport report = run.fail();
  EXPECT_EQ(report.kind, EmulationErrorKind::InFlightAccess);
  EXPECT_NE(report.message.find("touches byte 0, which a wgmma of warpgroup 0 "
                                "may still read"),
            std::string::npos)
      << report.message;
}

TEST(Wgmma, ReportsMissingProxyFence) {
  Problem problem;
  WgmmaRun run = problem.prepare();
  run.imageFence = "";
  EmulationReport report = run.fail();
  EXPECT_EQ(report.kind, EmulationErrorKind::MissingFence);
  EXPECT_NE(report.message.find("with no fence.proxy.async in between"),
            std::string::npos)
      << report.message;
}

TEST(Wgmma, ReportsMissingFenceOfRegisters) {
  Problem problem;
  for (bool inRegisters : {true, false}) {
    problem.hasRegisterA = inRegisters;
    WgmmaRun run = problem.prepare();
    run.fence = "";
    EmulationReport report = run.fail();
    EXPECT_EQ(report.kind, EmulationErrorKind::MissingFence);
    EXPECT_NE(report.message.find("uses registers with no wgmma.fence since "
                                  "the last wgmma.wait_group"),
              std::string::npos)
        << report.message;
  }
}

// A product takes over the registers of another one, all of them.
TEST(Wgmma, ReportsRegistersInFlightAsOthers) {
  Problem problem;
  WgmmaRun run = problem.prepare();
  const Wgmma &kind = run.kind;
  std::vector<std::string> mixed = kind.values("d0");
  mixed[1] = "1.0";
  run.beforeWait = kind.product("e", mixed, {"%da0"}, "%db0", "1");
  EmulationReport report = run.fail();
  EXPECT_EQ(report.kind, EmulationErrorKind::InFlightAccess);
  EXPECT_NE(report.message.find("register 0 of D is the result of another "
                                "wgmma"),
            std::string::npos)
      << report.message;
}

//===----------------------------------------------------------------------===//
// Wrong operands
//===----------------------------------------------------------------------===//

TEST(Wgmma, ReportsBadDescriptors) {
  Problem problem;
  auto fail = [&](auto change) {
    WgmmaRun run = problem.prepare();
    change(run);
    return run.fail();
  };
  EmulationReport report =
      fail([](WgmmaRun &run) { run.descriptorA |= uint64_t(1) << 49; });
  EXPECT_EQ(report.kind, EmulationErrorKind::BadDescriptor);
  report = fail([](WgmmaRun &run) { run.descriptorB |= 1 << 15; });
  EXPECT_EQ(report.kind, EmulationErrorKind::BadDescriptor);
  EXPECT_NE(report.message.find("sets bits that must be zero"),
            std::string::npos);
  report = fail([](WgmmaRun &run) { run.descriptorA += 7; });
  EXPECT_EQ(report.kind, EmulationErrorKind::BadDescriptor);
  EXPECT_NE(report.message.find("starts at byte 112 of a swizzled line of 128 "
                                "bytes"),
            std::string::npos)
      << report.message;
  report = fail([](WgmmaRun &run) { run.descriptorB += 0x3000; });
  EXPECT_EQ(report.kind, EmulationErrorKind::OutOfBounds);
}

TEST(Wgmma, ReportsOperandsThatDiffer) {
  Problem problem;
  WgmmaRun run = problem.prepare();
  run.fence += "%last = icmp eq i32 %tid, 127\n%scale = xor i1 %last, true\n";
  run.initial = "0.0";
  run.firstScale = "%scale";
  EmulationReport report = run.fail();
  EXPECT_EQ(report.kind, EmulationErrorKind::DivergentCollective);
  EXPECT_NE(report.message.find("the scale of D differs within the warpgroup"),
            std::string::npos)
      << report.message;
}

TEST(Wgmma, RefusesOtherScales) {
  Problem problem;
  WgmmaRun run = problem.prepare();
  run.kind.tail = ", 2, 1, 0, 0";
  EmulationReport report = run.fail();
  EXPECT_EQ(report.kind, EmulationErrorKind::Unsupported);
  EXPECT_NE(report.message.find("must be 1 or -1"), std::string::npos);
}

// More accumulators at once than registers could hold.
TEST(Wgmma, RefusesTooManyProductsInFlight) {
  Problem problem;
  problem.columns = 8;
  WgmmaRun run = problem.prepare();
  for (unsigned i = 0; i < 32; ++i)
    run.beforeWait +=
        run.kind.product("e" + std::to_string(i), run.kind.constants("poison"),
                         {"%da0"}, "%db0", "0");
  EmulationReport report = run.fail();
  EXPECT_EQ(report.kind, EmulationErrorKind::Unsupported);
  EXPECT_NE(report.message.find("as many accumulators"), std::string::npos);
}

TEST(Wgmma, RefusesOtherShapes) {
  Problem problem;
  for (const char *name :
       {"m64n16k16.f16.bf16.bf16", "m64n16k32.f32.bf16.bf16",
        "m64n20k16.f32.bf16.bf16", "m64n16k16.f32.bf16.f16"}) {
    WgmmaRun run = problem.prepare();
    run.kind.name = name;
    EXPECT_EQ(run.fail().kind, EmulationErrorKind::Unsupported) << name;
  }
  Problem integers;
  integers.a = integers.b = s8;
  integers.accumulator = "s32";
  integers.columns = 40;
  EXPECT_EQ(integers.prepare().fail().kind, EmulationErrorKind::Unsupported);
}
