//===- Warpgroup.h - Four warps that act as one -----------------*- C++ -*-===//
//
// Some instructions are executed by a warpgroup, four warps whose first has a
// number that is a multiple of four.  A warp whose lanes have all come waits
// for the other three.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_COMPILER_EMULATOR_MACHINE_WARPGROUP_H
#define TILE_COMPILER_EMULATOR_MACHINE_WARPGROUP_H

#include "compiler/Emulator/Machine/Ordering.h"

#include <vector>

namespace tilec::emulator {

struct Operation;
struct Thread;
struct WarpCall;

constexpr unsigned warpsPerWarpgroup = 4;
constexpr unsigned threadsPerWarpgroup = warpsPerWarpgroup * lanesPerWarp;

/// What the tensor cores do for a warpgroup.
///
/// In the strict mode the registers that a product writes hold tokens until
/// its group is waited for: NaNs that name the place where the results lie.
/// The next product of the same registers takes the results from there, and a
/// wait that the registers are tied through puts them in.
class TensorCore {
public:
  /// Results of one product, by thread of the warpgroup and register.
  struct Results {
    uint32_t generation = 0;
    /// The product that wrote them last, counted from 1; 0 for none.
    uint32_t product = 0;
    unsigned registers = 0;
    std::vector<uint32_t> values;

    uint32_t &at(uint32_t thread, unsigned index) {
      return values[thread * registers + index];
    }
  };

  static constexpr unsigned maxRegisters = 128;

  /// The results that a register of index `index` stands for; null when it
  /// holds a value of its own.
  Results *find(uint32_t value, unsigned index);

  /// Takes a place for results; null when all belong to products that some
  /// warp has not waited for.
  Results *take(unsigned registers);
  /// The results belong to the next product: old tokens become void.
  void renew(Results &results);
  uint32_t makeToken(const Results &results, unsigned index) const;

  static constexpr unsigned maxPlaces = 32;
  /// Something for each place of results.
  using Counts = std::array<unsigned, maxPlaces>;
  uint32_t placeOf(const Results &results) const {
    return static_cast<uint32_t>(&results - places.data());
  }

  /// Whether a value looks like a token, void or not.
  static bool isToken(uint32_t value) { return value >> 20 == prefix; }

  /// What a warp has done.
  struct WarpState {
    /// A wgmma.fence came after the last wait.
    bool isFenced = false;
    /// Number of the last product of each group that is committed and not
    /// waited for, and of the last one waited for.
    llvm::SmallVector<uint32_t, 8> groupEnds;
    uint32_t finished = 0;
  };
  std::array<WarpState, warpsPerWarpgroup> warps;
  /// Products issued.
  uint32_t products = 0;
  /// Source of their reads, once there is a product.
  static constexpr unsigned noSource = ~0u;
  unsigned source = noSource;

private:
  static constexpr uint32_t prefix = 0xFFA;
  static constexpr unsigned generations = 256;

  std::array<Results, maxPlaces> places;
};

/// A warpgroup instruction with the calls of its warps, which stand on the
/// stacks of the threads that came last in their warps.
struct Warpgroup {
  unsigned index = 0;
  const Operation *operation = nullptr;
  unsigned arrived = 0;
  std::array<const WarpCall *, warpsPerWarpgroup> calls{};
  std::array<Thread *, warpsPerWarpgroup> parked{};
  TensorCore tensorCore;
};

} // namespace tilec::emulator

#endif // TILE_COMPILER_EMULATOR_MACHINE_WARPGROUP_H
