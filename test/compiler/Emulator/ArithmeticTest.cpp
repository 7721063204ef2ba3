//===- ArithmeticTest.cpp - Math, conversions, inline PTX -----------------===//

#include "EmulatorTest.h"
#include "compiler/Emulator/Instructions/NumberFormats.h"

#include <cmath>
#include <random>

using namespace tilec;
using namespace tilec::emulator;
using namespace tilec::test;

/// Computes %r (i64) from %a, %b, %c (i64 each) for each row of `inputs`.
static std::vector<uint64_t>
compute(const std::string &code,
        const std::vector<std::array<uint64_t, 3>> &inputs,
        const std::string &declarations = "") {
  std::vector<std::array<uint64_t, 3>> in = inputs;
  std::vector<uint64_t> out(inputs.size());
  TestKernel kernel("ptr addrspace(1) %in, ptr addrspace(1) %out", R"(
    %tid = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
    %p = getelementptr [3 x i64], ptr addrspace(1) %in, i32 %tid
    %a = load i64, ptr addrspace(1) %p, align 8
    %pb = getelementptr i64, ptr addrspace(1) %p, i32 1
    %b = load i64, ptr addrspace(1) %pb, align 8
    %pc = getelementptr i64, ptr addrspace(1) %p, i32 2
    %c = load i64, ptr addrspace(1) %pc, align 8
    )" + code + R"(
    %q = getelementptr i64, ptr addrspace(1) %out, i32 %tid
    store i64 %r, ptr addrspace(1) %q, align 8
    ret void)",
                    "declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()\n" +
                        declarations);
  kernel.buffer("A", in, false)
      .buffer("C", out)
      .threads(1)
      .grid(static_cast<uint32_t>(inputs.size()))
      .run();
  return out;
}

static uint64_t computeOne(const std::string &code, uint64_t a, uint64_t b = 0,
                           uint64_t c = 0,
                           const std::string &declarations = "") {
  return compute(code, {{a, b, c}}, declarations)[0];
}

/// Inline assembly with 32-bit registers.
static uint32_t assemble32(const std::string &text, uint32_t a, uint32_t b = 0,
                           uint32_t c = 0) {
  return static_cast<uint32_t>(
      computeOne("%a32 = trunc i64 %a to i32\n%b32 = trunc i64 %b to i32\n"
                 "%c32 = trunc i64 %c to i32\n%r32 = call i32 asm \"" +
                     text +
                     "\", \"=r,r,r,r\"(i32 %a32, i32 %b32, i32 %c32)\n"
                     "%r = zext i32 %r32 to i64",
                 a, b, c));
}

static uint32_t bits(float value) { return llvm::bit_cast<uint32_t>(value); }

//===----------------------------------------------------------------------===//
// Number formats, against definitions written down again
//===----------------------------------------------------------------------===//

/// The code nearest to a value by search over all codes; ties to even.
static uint32_t searchNearest(const FloatFormat &format, double value) {
  uint32_t best = 0;
  double bestDistance = HUGE_VAL;
  for (uint32_t code = 0; code <= format.largest(); ++code) {
    double distance = std::fabs(decodeFloat(format, code) - std::fabs(value));
    if (distance < bestDistance ||
        (distance == bestDistance && code % 2 == 0)) {
      best = code;
      bestDistance = distance;
    }
  }
  return best | (std::signbit(value) ? format.signBit() : 0);
}

TEST(NumberFormats, EncodeFindsNearest) {
  std::mt19937 random(3);
  for (const FloatFormat &format : {formatE4M3, formatE5M2, formatE2M1}) {
    double largest = decodeFloat(format, format.largest());
    std::uniform_real_distribution<double> exponent(-24, std::log2(largest));
    for (int i = 0; i < 3000; ++i) {
      double value = std::exp2(exponent(random)) * (random() % 2 ? 1 : -1);
      // Half of the values are ties of the format.
      if (i % 2)
        value = (decodeFloat(format, random() % format.largest()) +
                 decodeFloat(format, random() % format.largest())) /
                2;
      EXPECT_EQ(encodeFloat(format, value), searchNearest(format, value))
          << value;
    }
  }
}

TEST(NumberFormats, SixteenBitFormatsRoundTrip) {
  for (uint32_t code = 0; code < 0x10000; ++code) {
    auto half = static_cast<uint16_t>(code);
    float value = decodeF16(half);
    float reference = static_cast<float>(llvm::bit_cast<_Float16>(half));
    if (std::isnan(reference)) {
      EXPECT_TRUE(std::isnan(value));
      continue;
    }
    EXPECT_EQ(bits(value), bits(reference));
    EXPECT_EQ(encodeF16(value), half);
    if (!std::isnan(decodeBF16(half)))
      EXPECT_EQ(encodeBF16(decodeBF16(half)), half);
  }
}

TEST(NumberFormats, HalfRoundsAsTheCompilerDoes) {
  std::mt19937 random(11);
  for (int i = 0; i < 20000; ++i) {
    auto value = llvm::bit_cast<float>(
        0x30000000u + static_cast<uint32_t>(random() % 0x18000000u));
    auto want = llvm::bit_cast<uint16_t>(static_cast<_Float16>(value));
    EXPECT_EQ(encodeF16(value), want) << value;
  }
}

TEST(NumberFormats, HandlesRangeLimits) {
  EXPECT_EQ(encodeFloat(formatE4M3, 448), 0x7Eu);
  EXPECT_EQ(encodeFloat(formatE4M3, 464), 0x7Eu);
  EXPECT_EQ(encodeFloat(formatE4M3, 465), 0x7Fu);
  EXPECT_EQ(
      encodeFloat(formatE4M3, -1e6, Rounding::NearestEven, Overflow::Saturate),
      0xFEu);
  EXPECT_EQ(
      encodeFloat(formatE4M3, NAN, Rounding::NearestEven, Overflow::Saturate),
      0x7Fu);
  EXPECT_EQ(encodeFloat(formatE5M2, 57344), 0x7Bu);
  EXPECT_EQ(encodeFloat(formatE5M2, 61440), 0x7Cu);
  EXPECT_EQ(encodeFloat(formatE5M2, HUGE_VAL, Rounding::NearestEven,
                        Overflow::Saturate),
            0x7Bu);
  EXPECT_EQ(encodeFloat(formatE2M1, 100.0), 7u);
  EXPECT_EQ(encodeFloat(formatF16, 65519.0), 0x7BFFu);
  EXPECT_EQ(encodeFloat(formatF16, 65520.0), 0x7C00u);
  EXPECT_EQ(encodeFloat(formatF16, 65520.0, Rounding::TowardZero), 0x7BFFu);
}

//===----------------------------------------------------------------------===//
// Fused multiply-add of 16-bit floats
//===----------------------------------------------------------------------===//

// In float, 1.0078125 * 1.0078125 + 2^-24 would be rounded to the tie and then
// to even; the exact sum lies above it.
TEST(Arithmetic, FusedMultiplyAddRoundsOnce) {
  auto half = [](double value) { return uint64_t(encodeF16(value)); };
  auto bfloat = [](double value) { return uint64_t(encodeBF16(value)); };
  // 1 + 2^-8 is a tie of bf16 (7 bits); a tiny addend decides it.
  std::string bf = "%x = trunc i64 %a to i16\n%y = trunc i64 %b to i16\n"
                   "%z = trunc i64 %c to i16\n%xf = bitcast i16 %x to bfloat\n"
                   "%yf = bitcast i16 %y to bfloat\n"
                   "%zf = bitcast i16 %z to bfloat\n"
                   "%d = call bfloat @llvm.fma.bf16(bfloat %xf, bfloat %yf, "
                   "bfloat %zf)\n"
                   "%ri = bitcast bfloat %d to i16\n%r = zext i16 %ri to i64";
  // (1 + 2^-4) * (1 - 2^-4 + 2^-7)... chosen as a product that is a tie:
  // 1.5 * (1 + 2^-7 * 1) = 1.5 + 1.5 * 2^-7, half a unit beyond 1.5 + 2^-7.
  double x = 1.5, y = 1 + std::exp2(-7);
  EXPECT_EQ(computeOne(bf, bfloat(x), bfloat(y), bfloat(0)),
            bfloat(1.5 + 2 * std::exp2(-7)));
  EXPECT_EQ(computeOne(bf, bfloat(x), bfloat(y), bfloat(-std::exp2(-40))),
            bfloat(1.5 + std::exp2(-7)));
  EXPECT_EQ(computeOne(bf, bfloat(x), bfloat(y), bfloat(std::exp2(-40))),
            bfloat(1.5 + 2 * std::exp2(-7)));
  std::string hf = "%x = trunc i64 %a to i32\n%y = trunc i64 %b to i32\n"
                   "%z = trunc i64 %c to i32\n"
                   "%xf = bitcast i32 %x to <2 x half>\n"
                   "%yf = bitcast i32 %y to <2 x half>\n"
                   "%zf = bitcast i32 %z to <2 x half>\n"
                   "%d = call <2 x half> @llvm.fma.v2f16(<2 x half> %xf, <2 x "
                   "half> %yf, <2 x half> %zf)\n"
                   "%ri = bitcast <2 x half> %d to i32\n"
                   "%r = zext i32 %ri to i64";
  // 2^14 * (1 + 2^-10) in half has a unit of 16: the addend 8 is a tie, and a
  // subnormal more or less decides it.
  double big = 16384.0 * (1 + std::exp2(-10));
  uint64_t a = half(big) | half(1.0) << 16, b = half(1.0) | half(3.0) << 16;
  uint64_t c = half(8.0) | half(std::exp2(-24)) << 16;
  uint64_t r = computeOne(hf, a, b, c);
  EXPECT_EQ(r & 0xFFFF, half(16384.0 * (1 + 2 * std::exp2(-10))));
  EXPECT_EQ(r >> 16, half(3.0));
  // Subnormal results are kept.
  EXPECT_EQ(computeOne(hf, half(std::exp2(-14)), half(std::exp2(-10)), 0), 1u);
}

TEST(Arithmetic, FusedMultiplyAddToOddNeverMeetsFalseTies) {
  std::mt19937 random(5);
  auto code = [&] { return static_cast<uint16_t>(random()); };
  for (int i = 0; i < 20000; ++i) {
    // Exponents close enough that the exact sum fits 128-bit arithmetic in
    // long double (64 bits of significand).
    double a = decodeF16(code()), b = decodeF16(code()), c = decodeF16(code());
    if (!std::isfinite(a) || !std::isfinite(b) || !std::isfinite(c))
      continue;
    // All half products and sums are exact in double: 22 bits of product over
    // an exponent range of 80 do not fit, but most do.
    long double exact = static_cast<long double>(a) * b + c;
    double rounded = static_cast<double>(exact);
    if (static_cast<long double>(rounded) != exact)
      continue;
    EXPECT_EQ(encodeF16(fuseMultiplyAddToOdd(a, b, c)), encodeF16(rounded));
  }
}

// What the host makes of plain half and bfloat arithmetic must round once too.
TEST(Arithmetic, PlainSixteenBitArithmeticRoundsOnce) {
  std::mt19937 random(17);
  std::vector<std::array<uint64_t, 3>> inputs;
  for (int i = 0; i < 500; ++i)
    inputs.push_back({random() & 0x7FFF7FFF, random() & 0xFFFFFFFF, 0});
  for (std::string type : {"half", "bfloat"})
    for (std::string operation : {"fadd", "fmul", "fsub"}) {
      auto out = compute("%x = trunc i64 %a to i32\n%y = trunc i64 %b to i32\n"
                         "%xf = bitcast i32 %x to <2 x " +
                             type + ">\n%yf = bitcast i32 %y to <2 x " + type +
                             ">\n%d = " + operation + " <2 x " + type +
                             "> %xf, %yf\n%ri = bitcast <2 x " + type +
                             "> %d to i32\n%r = zext i32 %ri to i64",
                         inputs);
      const FloatFormat &format = type == "half" ? formatF16 : formatBF16;
      for (size_t i = 0; i < inputs.size(); ++i)
        for (int shift : {0, 16}) {
          double a = decodeFloat(format, inputs[i][0] >> shift & 0xFFFF);
          double b = decodeFloat(format, inputs[i][1] >> shift & 0xFFFF);
          double exact = operation == "fadd"   ? a + b
                         : operation == "fsub" ? a - b
                                               : a * b;
          auto got = static_cast<uint32_t>(out[i] >> shift & 0xFFFF);
          uint32_t want = encodeFloat(format, exact);
          if (std::isnan(exact))
            EXPECT_TRUE(std::isnan(decodeFloat(format, got)));
          else
            EXPECT_EQ(got, want) << type << operation << a << " " << b;
        }
    }
}

TEST(Arithmetic, ConvertsToBFloatNearestEven) {
  auto convert = [](const char *from, uint64_t code) {
    std::string text = std::string("%f = bitcast i32 %a32 to float\n%d = ");
    if (std::string(from) == "float")
      text += "fptrunc float %f to bfloat\n";
    else
      text += "sitofp i32 %a32 to bfloat\n";
    return computeOne("%a32 = trunc i64 %a to i32\n" + text +
                          "%i = bitcast bfloat %d to i16\n%r = zext i16 %i to "
                          "i64",
                      code);
  };
  EXPECT_EQ(convert("float", bits(1.01171875f)), encodeBF16(1.015625));
  EXPECT_EQ(convert("float", bits(1.00390625f)), encodeBF16(1.0));
  EXPECT_EQ(convert("float", 1), encodeBF16(0.0)); // smallest subnormal
  EXPECT_EQ(convert("float", 0x00012345), 1u);     // subnormal of bf16
  EXPECT_EQ(convert("float", 0x00018000), 2u);
  // NaN with its payload in the low bits only stays NaN.
  EXPECT_TRUE(std::isnan(
      decodeBF16(static_cast<uint16_t>(convert("float", 0x7F800001)))));
  EXPECT_EQ(convert("int", 257), encodeBF16(256));
  EXPECT_EQ(convert("int", 259), encodeBF16(260));
  EXPECT_EQ(convert("int", static_cast<uint32_t>(-259)), encodeBF16(-260));
  // 2^24 + 2^16 + 1 lies above a tie of bf16; float would round it to the tie.
  EXPECT_EQ(convert("int", (1 << 24) + (1 << 16) + 1),
            encodeBF16(16777216.0 + 131072.0));
}

TEST(Arithmetic, MinimumAndMaximumOrderZerosAndDropNaN) {
  std::string max = "%x32 = trunc i64 %a to i32\n%y32 = trunc i64 %b to i32\n"
                    "%x = bitcast i32 %x32 to float\n"
                    "%y = bitcast i32 %y32 to float\n"
                    "%d = call float @llvm.maxnum.f32(float %x, float %y)\n"
                    "%i = bitcast float %d to i32\n%r = zext i32 %i to i64";
  std::string min = max;
  min.replace(min.find("maxnum"), 6, "minnum");
  uint32_t nan = 0x7FC00000, plus = 0, minus = 0x80000000;
  EXPECT_EQ(computeOne(max, minus, plus), plus);
  EXPECT_EQ(computeOne(max, plus, minus), plus);
  EXPECT_EQ(computeOne(min, minus, plus), minus);
  EXPECT_EQ(computeOne(min, plus, minus), minus);
  EXPECT_EQ(computeOne(max, nan, bits(2.0f)), bits(2.0f));
  EXPECT_EQ(computeOne(min, bits(-2.0f), nan), bits(-2.0f));
  EXPECT_EQ(computeOne(max, bits(3.0f), bits(2.0f)), bits(3.0f));
}

// With the flag on both, a product joins its sum without being rounded.
TEST(Arithmetic, ContractsProductsWhereAllowed) {
  auto run = [](const std::string &flag, const std::string &sum) {
    float x = 1 + std::exp2(-12.0f);
    return llvm::bit_cast<float>(static_cast<uint32_t>(computeOne(
        "%x32 = trunc i64 %a to i32\n%z32 = trunc i64 %b to i32\n"
        "%x = bitcast i32 %x32 to float\n%z = bitcast i32 %z32 to float\n"
        "%m = fmul " +
            flag + " float %x, %x\n%d = " + sum +
            "\n%i = bitcast float %d to i32\n%r = zext i32 %i to i64",
        bits(x), bits(1 + std::exp2(-11.0f)))));
  };
  // x * x = 1 + 2^-11 + 2^-24, of which float keeps 1 + 2^-11.
  float tail = std::exp2(-24.0f);
  EXPECT_EQ(run("contract", "fsub contract float %m, %z"), tail);
  EXPECT_EQ(run("contract", "fsub contract float %z, %m"), -tail);
  EXPECT_EQ(run("contract", "fsub float %m, %z"), 0.0f);
  EXPECT_EQ(run("", "fsub contract float %m, %z"), 0.0f);
}

TEST(Arithmetic, CanonicalizesVectors) {
  EXPECT_EQ(computeOne("%x = bitcast i64 %a to <4 x half>\n"
                       "%d = call <4 x half> @llvm.canonicalize.v4f16(<4 x "
                       "half> %x)\n%r = bitcast <4 x half> %d to i64",
                       0x3C00400042003E00),
            0x3C00400042003E00u);
}

TEST(Arithmetic, ReportsDivisionByZero) {
  std::vector<int32_t> out(1);
  for (std::string operation : {"sdiv", "udiv", "srem", "urem"}) {
    TestKernel kernel("ptr addrspace(1) %out, i32 %a, i32 %b",
                      "%x = " + operation + R"( i32 %a, %b
      store i32 %x, ptr addrspace(1) %out, align 4
      ret void)");
    kernel.buffer("C", out).scalar<int32_t>(7).scalar<int32_t>(0).threads(1);
    EmulationReport report = kernel.fail();
    EXPECT_EQ(report.kind, EmulationErrorKind::DivisionByZero);
    EXPECT_EQ(report.location.line, 1u);
  }
  TestKernel overflow("ptr addrspace(1) %out, i32 %a, i32 %b", R"(
    %x = sdiv i32 %a, %b
    store i32 %x, ptr addrspace(1) %out, align 4
    ret void)");
  overflow.buffer("C", out)
      .scalar<int32_t>(INT32_MIN)
      .scalar<int32_t>(-1)
      .threads(1);
  EXPECT_EQ(overflow.fail().kind, EmulationErrorKind::DivisionByZero);
  TestKernel good("ptr addrspace(1) %out, i32 %a, i32 %b", R"(
    %x = sdiv i32 %a, %b
    store i32 %x, ptr addrspace(1) %out, align 4
    ret void)");
  good.buffer("C", out).scalar<int32_t>(-7).scalar<int32_t>(2).threads(1).run();
  EXPECT_EQ(out[0], -3);
}

TEST(Arithmetic, ReportsTrapsAndUnreachableCode) {
  TestKernel trap("", "call void @llvm.trap()\nunreachable");
  EmulationReport report = trap.fail();
  EXPECT_EQ(report.kind, EmulationErrorKind::Trap);
  EXPECT_EQ(report.location.line, 1u);
  TestKernel unreachable("i32 %x", R"(
    %zero = icmp eq i32 %x, 0
    br i1 %zero, label %good, label %bad
  good:
    ret void
  bad:
    unreachable)");
  unreachable.scalar<int32_t>(0).run();
  TestKernel reached("i32 %x", R"(
    %zero = icmp eq i32 %x, 0
    br i1 %zero, label %good, label %bad
  good:
    ret void
  bad:
    unreachable)");
  EXPECT_EQ(reached.scalar<int32_t>(1).fail().kind, EmulationErrorKind::Trap);
}

//===----------------------------------------------------------------------===//
// Intrinsics
//===----------------------------------------------------------------------===//

static float computeFloat(const std::string &name, float a, float b = 0,
                          unsigned operands = 1) {
  std::string call = operands == 1 ? "(float %x)" : "(float %x, float %y)";
  std::string types = operands == 1 ? "(float)" : "(float, float)";
  return llvm::bit_cast<float>(static_cast<uint32_t>(computeOne(
      "%x32 = trunc i64 %a to i32\n%y32 = trunc i64 %b to i32\n"
      "%x = bitcast i32 %x32 to float\n%y = bitcast i32 %y32 to float\n"
      "%d = call float @" +
          name + call +
          "\n%i = bitcast float %d to i32\n%r = zext i32 %i to i64",
      bits(a), bits(b), 0, "declare float @" + name + types + "\n")));
}

TEST(Intrinsics, Approximations) {
  EXPECT_EQ(computeFloat("llvm.nvvm.ex2.approx.ftz.f32", 3.0f), 8.0f);
  EXPECT_EQ(computeFloat("llvm.nvvm.ex2.approx.f32", -INFINITY), 0.0f);
  EXPECT_EQ(computeFloat("llvm.nvvm.ex2.approx.ftz.f32", -140.0f), 0.0f);
  EXPECT_EQ(computeFloat("llvm.nvvm.ex2.approx.f32", -140.0f),
            static_cast<float>(std::exp2(-140.0)));
  EXPECT_EQ(computeFloat("llvm.nvvm.lg2.approx.f", 32.0f), 5.0f);
  EXPECT_EQ(computeFloat("llvm.nvvm.rsqrt.approx.f", 16.0f), 0.25f);
  EXPECT_EQ(computeFloat("llvm.nvvm.rcp.rn.f", 3.0f), 1.0f / 3.0f);
  EXPECT_EQ(computeFloat("llvm.nvvm.sqrt.rn.f", 2.0f), std::sqrt(2.0f));
  EXPECT_EQ(computeFloat("llvm.tanh.f32", 0.5f), std::tanh(0.5f));
  EXPECT_EQ(computeFloat("llvm.exp2.f32", 5.0f), 32.0f);
  EXPECT_EQ(computeFloat("llvm.nvvm.div.full", 1.0f, 3.0f, 2), 1.0f / 3.0f);
  EXPECT_EQ(computeFloat("llvm.nvvm.fmax.nan.f", NAN, 3.0f, 2) ==
                computeFloat("llvm.nvvm.fmax.nan.f", NAN, 3.0f, 2),
            false);
  EXPECT_EQ(computeFloat("llvm.nvvm.fmax.f", NAN, 3.0f, 2), 3.0f);
  EXPECT_EQ(computeFloat("llvm.nvvm.mul.rz.f", 1.0000001f, 1.0000001f, 2),
            1.0000002f);
}

TEST(Intrinsics, ConvertsPairs) {
  auto pair = [](const std::string &name, const std::string &type, float high,
                 float low) {
    return computeOne(
        "%x32 = trunc i64 %a to i32\n%y32 = trunc i64 %b to i32\n"
        "%x = bitcast i32 %x32 to float\n%y = bitcast i32 %y32 to float\n"
        "%d = call " +
            type + " @" + name +
            "(float %x, float %y)\n"
            "%i = bitcast " +
            type + " %d to " + (type == "i16" ? "i16" : "i32") +
            "\n%r = zext " + (type == "i16" ? "i16" : "i32") + " %i to i64",
        bits(high), bits(low), 0,
        "declare " + type + " @" + name + "(float, float)\n");
  };
  EXPECT_EQ(pair("llvm.nvvm.ff2bf16x2.rn", "<2 x bfloat>", 1.5f, -2.0f),
            0x3FC0C000u);
  EXPECT_EQ(pair("llvm.nvvm.ff2f16x2.rn.relu", "<2 x half>", 1.5f, -2.0f),
            0x3E000000u);
  EXPECT_EQ(pair("llvm.nvvm.ff2f16x2.rz", "<2 x half>", 1.0009f, 65519.9f),
            0x3C007BFFu);
  EXPECT_EQ(pair("llvm.nvvm.ff.to.e4m3x2.rn", "i16", 1e6f, -1.0f), 0x7EB8u);
  EXPECT_EQ(pair("llvm.nvvm.ff.to.e5m2x2.rn", "i16", NAN, -1e9f), 0x7FFBu);
}

TEST(Intrinsics, ConvertsEightBitFloatsToHalf) {
  for (uint32_t code = 0; code < 256; ++code) {
    for (std::string name : {"e4m3x2", "e5m2x2"}) {
      uint64_t r = computeOne(
          "%x = trunc i64 %a to i16\n%d = call <2 x half> @llvm.nvvm." + name +
              ".to.f16x2.rn(i16 %x)\n%i = bitcast <2 x half> %d to i32\n"
              "%r = zext i32 %i to i64",
          code << 8 | (255 - code), 0, 0,
          "declare <2 x half> @llvm.nvvm." + name + ".to.f16x2.rn(i16)\n");
      const FloatFormat &format = name == "e4m3x2" ? formatE4M3 : formatE5M2;
      double high = decodeFloat(format, code);
      double gotHigh = decodeF16(static_cast<uint16_t>(r >> 16));
      double low = decodeFloat(format, 255 - code);
      double gotLow = decodeF16(static_cast<uint16_t>(r));
      EXPECT_TRUE(high == gotHigh || (std::isnan(high) && std::isnan(gotHigh)));
      EXPECT_TRUE(low == gotLow || (std::isnan(low) && std::isnan(gotLow)));
    }
    if (code >= 16)
      code += 14;
  }
}

TEST(Intrinsics, ConvertsToTf32AndIntegers) {
  auto convert = [](const std::string &name, float value) {
    return static_cast<uint32_t>(computeOne(
        "%x32 = trunc i64 %a to i32\n%x = bitcast i32 %x32 to float\n"
        "%d = call i32 @" +
            name + "(float %x)\n%r = zext i32 %d to i64",
        bits(value), 0, 0, "declare i32 @" + name + "(float)\n"));
  };
  EXPECT_EQ(convert("llvm.nvvm.f2tf32.rna", llvm::bit_cast<float>(0x3F801000)),
            0x3F802000u);
  EXPECT_EQ(convert("llvm.nvvm.f2tf32.rna", llvm::bit_cast<float>(0x3F800FFF)),
            0x3F800000u);
  EXPECT_EQ(convert("llvm.nvvm.f2tf32.rna", llvm::bit_cast<float>(0x7F800001)),
            0x7F800000u);
  EXPECT_EQ(convert("llvm.nvvm.f2tf32.rna", INFINITY), 0x7F800000u);
  EXPECT_EQ(computeOne("%d = bitcast i64 %a to double\n"
                       "%i = call i32 @llvm.nvvm.d2i.rz(double %d)\n"
                       "%r = zext i32 %i to i64",
                       0x7FF8000000000000, 0, 0,
                       "declare i32 @llvm.nvvm.d2i.rz(double)\n"),
            0x80000000u);
  EXPECT_EQ(convert("llvm.nvvm.f2i.rz", -2.7f), static_cast<uint32_t>(-2));
  EXPECT_EQ(convert("llvm.nvvm.f2i.rn", 2.5f), 2u);
  EXPECT_EQ(convert("llvm.nvvm.f2i.rz", 1e20f), 0x7FFFFFFFu);
  EXPECT_EQ(convert("llvm.nvvm.f2i.rz", NAN), 0u);
  EXPECT_EQ(convert("llvm.nvvm.f2ui.rz", -5.0f), 0u);
}

TEST(Intrinsics, PermutesBytes) {
  auto permute = [](uint32_t a, uint32_t b, uint32_t selector) {
    return computeOne("%x = trunc i64 %a to i32\n%y = trunc i64 %b to i32\n"
                      "%z = trunc i64 %c to i32\n"
                      "%d = call i32 @llvm.nvvm.prmt(i32 %x, i32 %y, i32 %z)\n"
                      "%r = zext i32 %d to i64",
                      a, b, selector,
                      "declare i32 @llvm.nvvm.prmt(i32, i32, i32)\n");
  };
  EXPECT_EQ(permute(0x33221100, 0x77665544, 0x6420), 0x66442200u);
  EXPECT_EQ(permute(0x33221100, 0x776655F4, 0xC4C0), 0xFFF4FF00u);
}

//===----------------------------------------------------------------------===//
// Inline PTX
//===----------------------------------------------------------------------===//

TEST(Assembly, BitOperations) {
  uint32_t a = 0x12345678, b = 0x0F0F0F0F, c = 0xFF00FF00;
  // 0xEA: (a & b) | c; 0x96: a ^ b ^ c.
  EXPECT_EQ(assemble32("lop3.b32 $0, $1, $2, $3, 0xEA;", a, b, c), (a & b) | c);
  EXPECT_EQ(assemble32("lop3.b32 $0, $1, $2, $3, 0x96;", a, b, c), a ^ b ^ c);
  EXPECT_EQ(assemble32("lop3.b32 $0, $1, 0x000f000f, 0x43004300, 0xEA;", a),
            (a & 0x000F000F) | 0x43004300);
  EXPECT_EQ(assemble32("shl.b32 $0, $1, 40;", a), 0u);
  EXPECT_EQ(assemble32("shr.s32 $0, $1, 40;", 0x80000000), 0xFFFFFFFFu);
  EXPECT_EQ(assemble32("bfe.u32 $0, $1, 4, 8;", a), a >> 4 & 0xFF);
  EXPECT_EQ(assemble32("bfe.s32 $0, $1, 4, 4;", 0x80), 0xFFFFFFF8u);
  EXPECT_EQ(assemble32("bfi.b32 $0, $1, $2, 8, 16;", 0xABCD, b), 0x0FABCD0Fu);
  EXPECT_EQ(assemble32("prmt.b32 $0, $1, $2, 0x5140;", 0x33221100, 0x77665544),
            0x55114400u);
  EXPECT_EQ(assemble32("popc.b32 $0, $1;", a), 13u);
  EXPECT_EQ(assemble32("clz.b32 $0, $1;", 0x00010000), 15u);
}

TEST(Assembly, Integers) {
  EXPECT_EQ(assemble32("mad.lo.s32 $0, $1, $2, $3;", 7, 6, 5), 47u);
  EXPECT_EQ(assemble32("mul.hi.u32 $0, $1, $2;", 0x80000000, 6), 3u);
  EXPECT_EQ(assemble32("max.s32 $0, $1, $2;", 0xFFFFFFFF, 1), 1u);
  EXPECT_EQ(assemble32("max.u32 $0, $1, $2;", 0xFFFFFFFF, 1), 0xFFFFFFFFu);
  EXPECT_EQ(
      assemble32("dp4a.s32.s32 $0, $1, $2, $3;", 0x01FF0203, 0x02020202, 100),
      110u);
  EXPECT_EQ(assemble32("cvt.sat.s8.s32 $0, $1;", 300), 127u);
  EXPECT_EQ(assemble32("cvt.sat.s8.s32 $0, $1;", 0xFFFF0000), 0xFFFFFF80u);
}

TEST(Assembly, Floats) {
  EXPECT_EQ(assemble32("fma.rn.f32 $0, $1, $2, $3;", bits(2.0f), bits(3.0f),
                       bits(1.0f)),
            bits(7.0f));
  EXPECT_EQ(assemble32("add.f32 $0, $1, 0f3F800000;", bits(2.5f)), bits(3.5f));
  EXPECT_EQ(assemble32("mul.rn.bf16x2 $0, $1, $2;", 0x3FC04000, 0x40003F80),
            0x40404000u);
  EXPECT_EQ(assemble32("ex2.approx.ftz.bf16x2 $0, $1;", 0x3F804000),
            0x40004080u);
  EXPECT_EQ(assemble32("tanh.approx.f32 $0, $1;", bits(0.0f)), 0u);
  EXPECT_EQ(
      assemble32("cvt.rn.bf16x2.f32 $0, $1, $2;", bits(1.5f), bits(-2.0f)),
      0x3FC0C000u);
  EXPECT_EQ(assemble32("cvt.rn.satfinite.e4m3x2.f32 $0, $1, $2;", bits(-1e6f),
                       bits(1.0f)),
            0xFE38u);
  EXPECT_EQ(assemble32("cvt.rn.f16x2.e4m3x2 $0, $1;", 0x38B8), 0x3C00BC00u);
  EXPECT_EQ(assemble32("cvt.rzi.s32.f32 $0, $1;", bits(-3.9f)),
            static_cast<uint32_t>(-3));
  EXPECT_EQ(assemble32("max.f32 $0, $1, $2;", 0x80000000, 0), 0u);
}

TEST(Assembly, RunsSeveralStatements) {
  EXPECT_EQ(assemble32("{ .reg .pred p; .reg .b32 t; setp.lt.s32 p, $1, $2; "
                       "mov.b32 t, 5; @p add.s32 t, t, $3; mov.b32 $0, t; }",
                       1, 2, 10),
            15u);
  EXPECT_EQ(assemble32("{ .reg .pred p; setp.lt.s32 p, $1, $2; selp.b32 $0, "
                       "$1, $3, p; }",
                       3, 2, 10),
            10u);
  // A loop: doubles $1 until it passes $2.
  EXPECT_EQ(assemble32("{\\0A .reg .pred p;\\0A mov.u32 $0, $1; // start\\0A"
                       "AGAIN: add.u32 $0, $0, $0;\\0A"
                       "setp.le.u32 p, $0, $2;\\0A @p bra AGAIN;\\0A}",
                       3, 50),
            96u);
}

TEST(Assembly, PacksAndUnpacksRegisters) {
  EXPECT_EQ(computeOne("%h = trunc i64 %a to i16\n"
                       "%d = call i32 asm \"mov.b32 $0, {$1,$1};\", "
                       "\"=r,h\"(i16 %h)\n%r = zext i32 %d to i64",
                       0xABCD),
            0xABCDABCDu);
  EXPECT_EQ(computeOne("%w = trunc i64 %a to i32\n"
                       "%r = call i64 asm \"mov.b64 $0, {$1, 0x40000040};\", "
                       "\"=l,r\"(i32 %w)",
                       0x10001),
            0x4000004000010001u);
  EXPECT_EQ(computeOne("%d = call {i32, i32} asm \"mov.b64 {$0,$1}, $2;\", "
                       "\"=r,=r,l\"(i64 %a)\n"
                       "%x = extractvalue {i32, i32} %d, 1\n"
                       "%r = zext i32 %x to i64",
                       0x1234567800000000),
            0x12345678u);
}

// An empty text holds registers in place, as fences around wgmma do.
TEST(Assembly, EmptyTextPassesTiedRegisters) {
  EXPECT_EQ(computeOne("%x = trunc i64 %a to i32\n%y = trunc i64 %b to i32\n"
                       "%d = call {i32, i32} asm sideeffect \"\", "
                       "\"=r,=r,0,1,~{memory}\"(i32 %x, i32 %y)\n"
                       "%d0 = extractvalue {i32, i32} %d, 0\n"
                       "%d1 = extractvalue {i32, i32} %d, 1\n"
                       "%s = sub i32 %d0, %d1\n%r = zext i32 %s to i64",
                       50, 8),
            42u);
}

// A result tied to an input starts with its value.
TEST(Assembly, TiesInputsToResults) {
  EXPECT_EQ(computeOne("%x = trunc i64 %a to i32\n%y = trunc i64 %b to i32\n"
                       "%d = call {i32, i32} asm \"add.s32 $0, $0, $1;\", "
                       "\"=r,=r,0,1\"(i32 %x, i32 %y)\n"
                       "%d0 = extractvalue {i32, i32} %d, 0\n"
                       "%d1 = extractvalue {i32, i32} %d, 1\n"
                       "%s = mul i32 %d0, %d1\n%r = zext i32 %s to i64",
                       5, 6),
            66u);
}

TEST(Assembly, AccessesMemory) {
  std::vector<uint32_t> data = {1, 2, 3, 4, 0, 0, 0, 0};
  TestKernel kernel("ptr addrspace(1) %p", R"(
    %v = call {i32, i32, i32, i32} asm sideeffect "ld.global.v4.u32 {$0,$1,$2,$3}, [$4];", "=r,=r,=r,=r,l,~{memory}"(ptr addrspace(1) %p)
    %d = extractvalue {i32, i32, i32, i32} %v, 3
    call void asm sideeffect "st.global.b32 [$0+16], $1;", "l,r,~{memory}"(ptr addrspace(1) %p, i32 %d)
    call void asm sideeffect "red.global.add.u32 [$0], $1;", "l,r,~{memory}"(ptr addrspace(1) %p, i32 10)
    %old = call i32 asm sideeffect "atom.global.cas.b32 $0, [$1+4], 2, 50;", "=r,l,~{memory}"(ptr addrspace(1) %p)
    call void asm sideeffect "st.global.b32 [$0+20], $1;", "l,r,~{memory}"(ptr addrspace(1) %p, i32 %old)
    call void asm sideeffect "red.global.add.noftz.bf16x2 [$0+24], $1;", "l,r,~{memory}"(ptr addrspace(1) %p, i32 1069563776)
    call void asm sideeffect "red.global.add.f32 [$0+28], $1;", "l,f,~{memory}"(ptr addrspace(1) %p, float 1.5)
    ret void)");
  kernel.buffer("A", data).threads(1).run();
  EXPECT_EQ(data, (std::vector<uint32_t>{11, 50, 3, 4, 4, 2, 0x3FC03F80,
                                         bits(1.5f)}));
  TestKernel behind("ptr addrspace(1) %p", R"(
    call void asm sideeffect "st.global.b32 [$0+32], $1;", "l,r,~{memory}"(ptr addrspace(1) %p, i32 5)
    ret void)");
  EmulationReport report = behind.buffer("A", data).threads(1).fail();
  EXPECT_EQ(report.kind, EmulationErrorKind::OutOfBounds);
  EXPECT_NE(report.message.find("'st.global.b32 [$0+32], $1;': store of 4"),
            std::string::npos)
      << report.message;
}
