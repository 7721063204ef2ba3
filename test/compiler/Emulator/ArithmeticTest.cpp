//===- ArithmeticTest.cpp - Math and conversions --------------------------===//

#include "EmulatorTest.h"
#include "compiler/Emulator/Instructions/NumberFormats.h"

#include <cmath>
#include <random>

using namespace tilec;
using namespace tilec::emulator;
using namespace tilec::test;

static uint32_t bits(float value) { return llvm::bit_cast<uint32_t>(value); }

//===----------------------------------------------------------------------===//
// Fused multiply-add of 16-bit floats
//===----------------------------------------------------------------------===//

// Products that are ties of the 16-bit format, which an addend far too small
// for float decides.
TEST(Arithmetic, FusedMultiplyAddRoundsOnce) {
  auto half = [](double value) { return uint64_t(encodeF16(value)); };
  auto bfloat = [](double value) { return uint64_t(encodeBF16(value)); };
  std::string bf = "%x = trunc i64 %a to i16\n%y = trunc i64 %b to i16\n"
                   "%z = trunc i64 %c to i16\n%xf = bitcast i16 %x to bfloat\n"
                   "%yf = bitcast i16 %y to bfloat\n"
                   "%zf = bitcast i16 %z to bfloat\n"
                   "%d = call bfloat @llvm.fma.bf16(bfloat %xf, bfloat %yf, "
                   "bfloat %zf)\n"
                   "%ri = bitcast bfloat %d to i16\n%r = zext i16 %ri to i64";
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
