//===- MatrixTest.cpp - mma.sync ------------------------------------------===//
//
// Expected register contents are written down in bytes, which is one rule for
// all types: a tile of operand A is 16 rows of 32 bytes, one of B is 8 columns
// of 32 bytes, and with g = lane / 4, q = lane % 4 the registers of A are
//   (row g, bytes 4q..), (row g + 8, 4q..), (row g, 16 + 4q..),
//   (row g + 8, 16 + 4q..)
// and those of B (column g, 4q..), (column g, 16 + 4q..).
//
//===----------------------------------------------------------------------===//

#include "EmulatorTest.h"

#include <cmath>
#include <functional>
#include <random>

using namespace tilec;
using namespace tilec::test;

//===----------------------------------------------------------------------===//
// mma.sync
//===----------------------------------------------------------------------===//

namespace {

/// A type of operands: how wide it is and what its codes mean.
struct OperandType {
  const char *name;
  unsigned bits;
  std::function<double(uint32_t)> decode;
  /// Codes that keep sums exact.
  std::vector<uint32_t> codes;
};

struct Case {
  std::string intrinsic;
  unsigned m, k;
  OperandType a, b;
  /// "f32", "f16" or "s32"
  std::string accumulator;
  /// IR type of one operand register.
  const char *registerType;
};

} // namespace

static OperandType makeSigned(unsigned bits) {
  OperandType type{bits == 8 ? "s8" : "s4",
                   bits,
                   [bits](uint32_t code) {
                     int half = 1 << (bits - 1);
                     int value = static_cast<int>(code);
                     return value >= half ? value - 2 * half : value;
                   },
                   {}};
  for (uint32_t code = 0; code < 1u << bits; ++code)
    type.codes.push_back(code);
  return type;
}

static OperandType makeUnsigned(unsigned bits) {
  OperandType type{bits == 8 ? "u8" : "u4",
                   bits,
                   [](uint32_t code) { return static_cast<double>(code); },
                   {}};
  for (uint32_t code = 0; code < 1u << bits; ++code)
    type.codes.push_back(code);
  return type;
}

/// Decodes sign, exponent and mantissa fields; no specials are used.
static double decodeFields(uint32_t code, int exponentBits, int mantissaBits) {
  int bias = (1 << (exponentBits - 1)) - 1;
  int exponent =
      static_cast<int>(code >> mantissaBits) & ((1 << exponentBits) - 1);
  double fraction =
      (code & ((1u << mantissaBits) - 1)) * std::pow(2.0, -mantissaBits);
  double value = exponent ? (1 + fraction) * std::pow(2.0, exponent - bias)
                          : fraction * std::pow(2.0, 1 - bias);
  return code >> (exponentBits + mantissaBits) & 1 ? -value : value;
}

static OperandType makeFloat(const char *name, int exponentBits,
                             int mantissaBits, std::vector<uint32_t> codes) {
  unsigned bits = static_cast<unsigned>(1 + exponentBits + mantissaBits);
  return {name, bits == 32 ? 32 : bits,
          [=](uint32_t code) {
            return decodeFields(code, exponentBits, mantissaBits);
          },
          std::move(codes)};
}

static OperandType f16() {
  // 0, 1, -1, 1.5, 2, -3, 0.25, smallest subnormal times 64
  return makeFloat("f16", 5, 10,
                   {0, 0x3C00, 0xBC00, 0x3E00, 0x4000, 0xC200, 0x3400});
}
static OperandType bf16() {
  return makeFloat("bf16", 8, 7,
                   {0, 0x3F80, 0xBF80, 0x3FC0, 0x4000, 0xC040, 0x3E80});
}
static OperandType tf32() {
  // The low 13 bits must be ignored: set some of them in the codes below.
  OperandType type = makeFloat(
      "tf32", 8, 23, {0, 0x3F800000, 0xBF800000, 0x40000000, 0x3E800000});
  return type;
}
static OperandType e4m3() {
  return makeFloat("e4m3", 4, 3, {0, 0x38, 0xB8, 0x3C, 0x40, 0xC4, 0x01});
}
static OperandType e5m2() {
  return makeFloat("e5m2", 5, 2, {0, 0x3C, 0xBC, 0x3E, 0x40, 0xC2, 0x34});
}

/// Packs rows of codes into bytes, the lower element in the lower bits.
static std::vector<uint8_t> packRow(const std::vector<uint32_t> &codes,
                                    unsigned bits) {
  std::vector<uint8_t> bytes(codes.size() * bits / 8);
  for (size_t i = 0; i < codes.size(); ++i)
    for (unsigned bit = 0; bit < bits; ++bit)
      if (codes[i] >> bit & 1)
        bytes[(i * bits + bit) / 8] |= 1 << (i * bits + bit) % 8;
  return bytes;
}

static uint32_t readWord(const std::vector<uint8_t> &bytes, unsigned offset) {
  uint32_t word;
  std::memcpy(&word, &bytes[offset], 4);
  return word;
}

/// A kernel that loads the operands of each lane, executes the instruction and
/// stores its results.
static std::string makeMmaBody(const Case &test, unsigned aRegisters,
                               unsigned bRegisters, unsigned cRegisters) {
  std::string cType = test.accumulator == "f32"   ? "float"
                      : test.accumulator == "f16" ? "<2 x half>"
                                                  : "i32";
  std::string body = "%tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n";
  std::string arguments;
  auto loadAll = [&](const std::string &from, unsigned count,
                     const std::string &type) {
    body += "%" + from + "o = mul i32 %tid, " + std::to_string(count) + "\n%" +
            from + "p = getelementptr i32, ptr addrspace(1) %" + from +
            ", i32 %" + from + "o\n";
    for (unsigned i = 0; i < count; ++i) {
      std::string n = from + std::to_string(i);
      body += "%" + n + "p = getelementptr i32, ptr addrspace(1) %" + from +
              "p, i32 " + std::to_string(i) + "\n%" + n + " = load " + type +
              ", ptr addrspace(1) %" + n + "p, align 4\n";
      arguments += (arguments.empty() ? "" : ", ") + type + " %" + n;
    }
  };
  loadAll("a", aRegisters, test.registerType);
  loadAll("b", bRegisters, test.registerType);
  loadAll("c", cRegisters, cType);
  std::string resultType = "{";
  for (unsigned i = 0; i < cRegisters; ++i)
    resultType += (i ? ", " : "") + cType;
  resultType += "}";
  body += "%d = call " + resultType + " @" + test.intrinsic + "(" + arguments +
          ")\n";
  for (unsigned i = 0; i < cRegisters; ++i) {
    std::string n = std::to_string(i);
    body += "%d" + n + " = extractvalue " + resultType + " %d, " + n +
            "\nstore " + cType + " %d" + n + ", ptr addrspace(1) %c" + n +
            "p, align 4\n";
  }
  return body + "ret void";
}

static void checkMma(const Case &test) {
  SCOPED_TRACE(test.intrinsic);
  std::mt19937 random(7);
  auto choose = [&](const OperandType &type) {
    return type.codes[random() % type.codes.size()];
  };
  // Rows of A and columns of B as codes and as bytes.
  unsigned rowBytes = test.k * test.a.bits / 8;
  std::vector<std::vector<uint32_t>> aCodes(test.m), bCodes(8);
  std::vector<std::vector<uint8_t>> aBytes(test.m), bBytes(8);
  for (unsigned i = 0; i < test.m; ++i) {
    for (unsigned k = 0; k < test.k; ++k)
      aCodes[i].push_back(choose(test.a));
    aBytes[i] = packRow(aCodes[i], test.a.bits);
  }
  for (unsigned j = 0; j < 8; ++j) {
    for (unsigned k = 0; k < test.k; ++k)
      bCodes[j].push_back(choose(test.b));
    bBytes[j] = packRow(bCodes[j], test.b.bits);
  }

  unsigned rowBlocks = test.m / 8, chunks = rowBytes / 16;
  unsigned aRegisters = rowBlocks * chunks, bRegisters = chunks;
  bool packsC = test.accumulator == "f16";
  unsigned cRegisters = packsC ? test.m / 8 : test.m / 4;
  std::vector<uint32_t> a, b, c(32 * cRegisters);
  // tf32 registers carry 13 bits that do not count.
  uint32_t noise = std::string(test.a.name) == "tf32" ? 0x1ABC : 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    unsigned g = lane / 4, q = lane % 4;
    for (unsigned chunk = 0; chunk < chunks; ++chunk) {
      for (unsigned block = 0; block < rowBlocks; ++block)
        a.push_back(readWord(aBytes[g + 8 * block], 16 * chunk + 4 * q) |
                    noise);
      b.push_back(readWord(bBytes[g], 16 * chunk + 4 * q) | noise);
    }
  }
  std::vector<double> expected(test.m * 8);
  auto startOf = [](unsigned row, unsigned column) {
    return static_cast<int>(row) * 3 - static_cast<int>(column) * 5;
  };
  for (unsigned i = 0; i < test.m; ++i)
    for (unsigned j = 0; j < 8; ++j) {
      double sum = startOf(i, j);
      for (unsigned k = 0; k < test.k; ++k)
        sum += test.a.decode(aCodes[i][k]) * test.b.decode(bCodes[j][k]);
      expected[i * 8 + j] = sum;
    }
  auto encodeC = [&](double value) -> uint32_t {
    if (test.accumulator == "s32")
      return static_cast<uint32_t>(static_cast<int32_t>(value));
    if (test.accumulator == "f32")
      return llvm::bit_cast<uint32_t>(static_cast<float>(value));
    return llvm::bit_cast<uint16_t>(static_cast<_Float16>(value));
  };
  auto fill = [&](std::vector<uint32_t> &registers, auto valueOf) {
    for (unsigned lane = 0; lane < 32; ++lane) {
      unsigned g = lane / 4, q = lane % 4;
      for (unsigned block = 0; block < test.m / 8; ++block) {
        uint32_t low = encodeC(valueOf(g + 8 * block, 2 * q));
        uint32_t high = encodeC(valueOf(g + 8 * block, 2 * q + 1));
        if (packsC) {
          registers[lane * cRegisters + block] = low | high << 16;
        } else {
          registers[lane * cRegisters + 2 * block] = low;
          registers[lane * cRegisters + 2 * block + 1] = high;
        }
      }
    }
  };
  fill(c, startOf);
  std::vector<uint32_t> want(c.size());
  fill(want, [&](unsigned row, unsigned column) {
    return expected[row * 8 + column];
  });
  TestKernel kernel(
      "ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c",
      makeMmaBody(test, aRegisters, bRegisters, cRegisters),
      "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n");
  EmulatorCounters counters =
      kernel.buffer("A", a).buffer("B", b).buffer("C", c).run();
  EXPECT_EQ(c, want);
  EXPECT_EQ(counters.matrixInstructions, 1u);
}

TEST(Mma, FloatOperands) {
  std::string mma = "llvm.nvvm.mma.";
  checkMma(
      {mma + "m16n8k16.row.col.bf16", 16, 16, bf16(), bf16(), "f32", "i32"});
  checkMma({mma + "m16n8k8.row.col.bf16", 16, 8, bf16(), bf16(), "f32", "i32"});
  checkMma({mma + "m16n8k16.row.col.f32.f32", 16, 16, f16(), f16(), "f32",
            "<2 x half>"});
  checkMma({mma + "m16n8k8.row.col.f32.f32", 16, 8, f16(), f16(), "f32",
            "<2 x half>"});
  checkMma({mma + "m16n8k16.row.col.f16.f16", 16, 16, f16(), f16(), "f16",
            "<2 x half>"});
  checkMma({mma + "m16n8k8.row.col.f16.f16", 16, 8, f16(), f16(), "f16",
            "<2 x half>"});
  checkMma({mma + "m16n8k8.row.col.tf32", 16, 8, tf32(), tf32(), "f32", "i32"});
  checkMma({mma + "m16n8k4.row.col.tf32", 16, 4, tf32(), tf32(), "f32", "i32"});
}

TEST(Mma, EightBitFloats) {
  std::string mma = "llvm.nvvm.mma.m16n8k32.row.col.";
  checkMma({mma + "f32.e4m3.e4m3.f32", 16, 32, e4m3(), e4m3(), "f32", "i32"});
  checkMma({mma + "f32.e5m2.e5m2.f32", 16, 32, e5m2(), e5m2(), "f32", "i32"});
  checkMma({mma + "f32.e4m3.e5m2.f32", 16, 32, e4m3(), e5m2(), "f32", "i32"});
  OperandType small = makeFloat("e4m3", 4, 3, {0, 0x38, 0xB8, 0x40});
  checkMma({mma + "f16.e4m3.e4m3.f16", 16, 32, small, small, "f16", "i32"});
  checkMma({"llvm.nvvm.mma.m16n8k16.row.col.f32.e4m3.e4m3.f32", 16, 16, e4m3(),
            e4m3(), "f32", "i32"});
}

TEST(Mma, Integers) {
  std::string k32 = "llvm.nvvm.mma.m16n8k32.row.col.";
  std::string k64 = "llvm.nvvm.mma.m16n8k64.row.col.";
  OperandType s8 = makeSigned(8), u8 = makeUnsigned(8), s4 = makeSigned(4),
              u4 = makeUnsigned(4);
  checkMma({k32 + "s8", 16, 32, s8, s8, "s32", "i32"});
  checkMma({k32 + "u8", 16, 32, u8, u8, "s32", "i32"});
  checkMma({k32 + "s8.u8", 16, 32, s8, u8, "s32", "i32"});
  checkMma({k32 + "u8.s8", 16, 32, u8, s8, "s32", "i32"});
  checkMma({k64 + "s4", 16, 64, s4, s4, "s32", "i32"});
  checkMma({k64 + "u4.s4", 16, 64, u4, s4, "s32", "i32"});
  checkMma({k64 + "u4", 16, 64, u4, u4, "s32", "i32"});
  checkMma({"llvm.nvvm.mma.m16n8k16.row.col.s8", 16, 16, s8, s8, "s32", "i32"});
  checkMma({"llvm.nvvm.mma.m16n8k32.row.col.s4", 16, 32, s4, s4, "s32", "i32"});
  checkMma({"llvm.nvvm.mma.m8n8k16.row.col.s8", 8, 16, s8, s8, "s32", "i32"});
}

/// Registers full of one value on every lane.
static uint32_t runIntegerMma(const char *name, uint32_t ab, uint32_t c) {
  std::vector<uint32_t> a(128, ab), b(64, ab), acc(128, c);
  Case test{name, 16, 32, makeSigned(8), makeSigned(8), "s32", "i32"};
  TestKernel kernel(
      "ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c",
      makeMmaBody(test, 4, 2, 4),
      "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n");
  kernel.buffer("A", a).buffer("B", b).buffer("C", acc).run();
  return acc[77];
}

TEST(Mma, IntegerSumsWrapUnlessSaturated) {
  // 32 products of 127 * 127 on top of the largest number but one.
  EXPECT_EQ(runIntegerMma("llvm.nvvm.mma.m16n8k32.row.col.s8", 0x7F7F7F7F,
                          0x7FFFFFFE),
            0x7FFFFFFEu + 32u * 127 * 127);
  EXPECT_EQ(runIntegerMma("llvm.nvvm.mma.m16n8k32.row.col.satfinite.s8",
                          0x7F7F7F7F, 0x7FFFFFFE),
            0x7FFFFFFFu);
}

TEST(Mma, Doubles) {
  // m8n8k4: A (row g, k q), B (column g, k q), C (row g, columns 2q, 2q + 1).
  std::vector<double> a(32), b(32), c(64), want(64);
  std::vector<std::vector<double>> am(8, std::vector<double>(4)), bm = am;
  for (unsigned lane = 0; lane < 32; ++lane) {
    am[lane / 4][lane % 4] = a[lane] = lane * 0.5 + 1;
    bm[lane / 4][lane % 4] = b[lane] = 7 - 0.25 * lane;
  }
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned i = 0; i < 2; ++i) {
      c[2 * lane + i] = want[2 * lane + i] = lane + i;
      for (unsigned k = 0; k < 4; ++k)
        want[2 * lane + i] += am[lane / 4][k] * bm[2 * (lane % 4) + i][k];
    }
  TestKernel kernel(
      "ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c", R"(
    %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
    %ap = getelementptr double, ptr addrspace(1) %a, i32 %tid
    %x = load double, ptr addrspace(1) %ap, align 8
    %bp = getelementptr double, ptr addrspace(1) %b, i32 %tid
    %y = load double, ptr addrspace(1) %bp, align 8
    %cp = getelementptr <2 x double>, ptr addrspace(1) %c, i32 %tid
    %c2 = load <2 x double>, ptr addrspace(1) %cp, align 16
    %c0 = extractelement <2 x double> %c2, i32 0
    %c1 = extractelement <2 x double> %c2, i32 1
    %d = call {double, double} @llvm.nvvm.mma.m8n8k4.row.col.f64(double %x, double %y, double %c0, double %c1)
    %d0 = extractvalue {double, double} %d, 0
    %d1 = extractvalue {double, double} %d, 1
    store double %d0, ptr addrspace(1) %cp, align 8
    %cq = getelementptr double, ptr addrspace(1) %cp, i32 1
    store double %d1, ptr addrspace(1) %cq, align 8
    ret void)",
      "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n");
  // The buffer need not be aligned to 16 bytes by the allocator.
  ASSERT_EQ(reinterpret_cast<uintptr_t>(c.data()) % 16, 0u);
  kernel.buffer("A", a).buffer("B", b).buffer("C", c).run();
  EXPECT_EQ(c, want);
}

TEST(Mma, WantsAllLanes) {
  std::vector<uint32_t> a(128), b(64), c(128);
  Case test{"llvm.nvvm.mma.m16n8k16.row.col.bf16",
            16,
            16,
            bf16(),
            bf16(),
            "f32",
            "i32"};
  TestKernel kernel(
      "ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c",
      makeMmaBody(test, 4, 2, 4),
      "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n");
  EmulationReport report =
      kernel.buffer("A", a).buffer("B", b).buffer("C", c).threads(24).fail();
  EXPECT_EQ(report.kind, EmulationErrorKind::DivergentCollective);
}
