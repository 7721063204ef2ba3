//===- MmaLayout.h - Fragments of matrix instructions -----------*- C++ -*-===//
//
// The fragments of mma.sync (PTX ISA, "Matrix Fragments for mma") and of the
// tiles that a block of threads computes with it.
//
// With g = lane / 4, q = lane % 4 and e = the elements in one 32-bit register
// (1 for 32 and 64 bits, 2 for 16, 4 for 8, 8 for 4), all the instructions
// m16n8kK and m8n8kK with a row-major A and a column-major B have one form:
//
//     A[m, k]  register i, element b:  m = g + 8 * (i % 2)
//                                      k = e * q + b + 4 * e * (i / 2)
//     B[k, n]  register i, element b:  n = g,  k = e * q + b + 4 * e * i
//     C[m, n]  register i:             m = g + 8 * (i / 2),  n = 2 * q + i % 2
//
// where m8 instructions have no rows 8..15 (and count registers accordingly).
// In bytes, A is 16 rows and B 8 columns of K / (4 * e) 16-byte chunks.  The
// accumulator of wgmma.m64nN is that of 4 warps of m16n8 stacked along M.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECTS_LAYOUT_MMALAYOUT_H
#define TILE_DIALECTS_LAYOUT_MMALAYOUT_H

#include "dialects/Layout/FragmentLayout.h"

namespace layout {

/// The shape of one matrix instruction; `elementBits` are those of A and B as
/// the instruction takes them (tf32 counts as 32).
struct MmaInstruction {
  int m = 16, n = 8, k = 16;
  int elementBits = 16;

  /// Whether the fragment formulas above apply: m is 8 or 16, n is 8, 4 to 64
  /// bits, and k is a power of two of at least one 16-byte chunk (4 elements of
  /// 64 bits).
  bool isSupported() const;

  /// Elements in one 32-bit (64-bit for f64) operand register.
  int elementsPerRegister() const {
    return elementBits >= 32 ? 1 : 32 / elementBits;
  }
  /// Elements per thread.
  int elementsA() const { return m * k / lanesPerWarp; }
  int elementsB() const { return n * k / lanesPerWarp; }
  int elementsC() const { return m * n / lanesPerWarp; }

  bool operator==(const MmaInstruction &) const = default;
};

/// How a block of threads computes an M x N tile with one instruction, and the
/// layouts of the accumulator and the operands that follow from it.
///
/// Warps.  warp = warpM + warpsM * warpN, for powers of two.  Along each of M
/// and N the tile is a power-of-two core times an odd repeat.  In the core, the
/// slot bits of a coordinate are, from the lowest: the index inside the
/// instruction, the index of the instruction tile inside the warp's share, the
/// warp.  So a warp's share of the core is contiguous unless permuted.  An odd
/// factor of warps along one of M and N are groups of warps, each with another
/// core (Spread in FragmentLayout.h), and the highest digit of the warp:
/// wgmma of three warpgroups on 192 rows has 12 warps along M, 64 rows a group.
///
/// Permutations.  `order[i]` is the coordinate bit at which slot bit i appears;
/// it permutes 0 .. order.size()-1, and bits from order.size() on stay.  Empty
/// is the identity.  A permutation of K is free because A and B share it; one
/// of M or N is undone by the addresses of the epilogue.
///
///   - int4 packed along K, bytes [K/2][N], N = 32 per warp, n8: nOrder =
///     {2,3,4,0,1} makes column slot g of tile j the column 4g+j, so a thread
///     reads its columns 4g..4g+3 as one word, and its accumulators are the
///     columns 8q..8q+7.  N = 64 per warp: {3,4,5,0,1,2}, column 8g+j.
///   - int4 [N, K] packed along K, k16, 16-bit: the slot bits of two steps are
///     half, q0, q1, register, step; kOrder = {0,3,4,1,2} gives lane q the
///     elements k = 8q..8q+7, one word.  kOrder = {2,3,4,0,1} does the same
///     with the two halves of register i at nibbles i and i+4 of the word, the
///     order in which masking a shifted word yields 16-bit pairs.
///
/// Registers.  In each operand the elements are in instruction order: the e
/// elements of register 0 (lowest bits first), of register 1, ...; then the
/// steps of K; then the tiles of M or N.  In the accumulator: the elements of
/// one instruction, then the tiles of N, then those of M.  Repeats are outside
/// all that (M, then K or N inside; for B: K, then N).
struct MmaTiling {
  MmaInstruction instruction;
  int m = 16, n = 8;
  int warpsM = 1, warpsN = 1; ///< one of them a power of two
  llvm::SmallVector<int, 8> mOrder, nOrder, kOrder;

  /// Whether the tiling exists, with K extent `k` of the operands; on failure
  /// says why in `error` (if given).  Everything below asserts it.
  bool verify(int k, std::string *error = nullptr) const;

  int numWarps() const { return warpsM * warpsN; }
  /// Instruction tiles of one warp.
  int mTiles() const { return m / (instruction.m * warpsM); }
  int nTiles() const { return n / (instruction.n * warpsN); }
  int kTiles(int k) const { return k / instruction.k; }

  /// [M, N].
  FragmentLayout accumulator() const;
  /// [M, K], the same in all warps along N.
  FragmentLayout operandA(int k) const;
  /// [K, N], the same in all warps along M.  For B stored as [N, K], use
  /// permuteDims({1, 0}): the registers stay.
  FragmentLayout operandB(int k) const;
};

} // namespace layout

#endif // TILE_DIALECTS_LAYOUT_MMALAYOUT_H
