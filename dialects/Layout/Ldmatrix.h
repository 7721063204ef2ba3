//===- Ldmatrix.h - Fragments that ldmatrix can load ------------*- C++ -*-===//
//
// ldmatrix.x1/.x2/.x4 (PTX ISA, "ldmatrix") loads 1, 2 or 4 matrices of 8 rows
// of 16 bytes.  Lane 8m + j gives the address of row j of matrix m.  In units
// of 16 bits, lane L receives in its 32-bit result m
//
//     plain:   units 2 * (L % 4) and + 1 of row L / 4
//     .trans:  unit L / 4 of rows 2 * (L % 4) (low half) and + 1 (high half)
//
// so a fragment fits if its lane bits 0-1 (plain) or 2-4 (.trans) step along
// the row in memory and the rest of the lane bits step over rows, anywhere.
// Narrower elements travel in 16-bit units; 32-bit ones in pairs of units,
// without .trans.  stmatrix (sm_90) has the same map in the other direction, so
// one plan serves both.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECTS_LAYOUT_LDMATRIX_H
#define TILE_DIALECTS_LAYOUT_LDMATRIX_H

#include "dialects/Layout/FragmentLayout.h"
#include "dialects/Layout/SharedLayout.h"

#include <array>

namespace layout {

/// One ldmatrix: which registers it fills, and its part of the row address.
struct LdmatrixInstruction {
  /// `results[m]` lists the registers held by 32-bit result m, lowest bits
  /// first.
  llvm::SmallVector<llvm::SmallVector<int, 8>, 4> results;
  /// Constants of the row address, see LdmatrixPlan.
  Coords rowXor;
  Coords rowOffset;
};

/// How to load a whole fragment.  The row address of a lane is that of the
/// element at
///     (XOR of laneBases over the set bits of the lane
///      ^ XOR of warpBases over the set bits of the warp ^ rowXor) + rowOffset
/// which is the first element of 16 contiguous, aligned bytes.
struct LdmatrixPlan {
  int matrices = 4; ///< 1, 2 or 4
  bool transposed = false;
  int warps = 1;
  std::array<Coords, 5> laneBases;
  llvm::SmallVector<Coords, 4> warpBases;
  std::vector<LdmatrixInstruction> instructions;

  /// The coordinates whose address `lane` passes to an instruction.
  Coords rowCoords(const LdmatrixInstruction &instruction, int lane,
                   int warp) const;
  /// True if each result holds consecutive registers in natural order, so that
  /// results are operand registers of a matrix instruction as they are.
  bool isNatural() const;
};

/// A plan to load `fragment` from `shared` with the fewest instructions of up
/// to `maxMatrices` matrices, or none if ldmatrix does not fit.  Plain is
/// preferred where both would do.
std::optional<LdmatrixPlan> planLdmatrix(const FragmentLayout &fragment,
                                         const SharedLayout &shared,
                                         int maxMatrices = 4);

} // namespace layout

#endif // TILE_DIALECTS_LAYOUT_LDMATRIX_H
