//===- InlinePtxTest.cpp - Inline assembly --------------------------------===//

#include "EmulatorTest.h"

using namespace tilec;
using namespace tilec::test;

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
