//===- Site.h - Instrumented places of a kernel -----------------*- C++ -*-===//
//
// A site is one instruction of the loaded module that calls back into the
// emulator.  Sites are numbered densely, so that counters and shadow memory
// can refer to them by index, and they live as long as the loaded module.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_COMPILER_EMULATOR_MACHINE_SITE_H
#define TILE_COMPILER_EMULATOR_MACHINE_SITE_H

#include "compiler/Emulator/EmulationError.h"

#include <cstdint>
#include <memory>

namespace tilec::emulator {

struct Site {
  virtual ~Site() = default;

  uint32_t index = 0;
  EmulationLocation location;
  /// What stands there, in words for messages: "load of 16 bytes",
  /// "llvm.nvvm.shfl.sync.idx.i32", an inline assembly text.
  std::string text;
};

enum class AccessKind : uint8_t { Load, Store, Atomic };

/// A load, store or atomic operation of the IR.
struct AccessSite : Site {
  AccessKind kind = AccessKind::Load;
  /// Bytes accessed; 0 when they are known at run time only (memcpy).
  uint32_t bytes = 0;
  uint32_t alignment = 1;
  /// Kernel parameter from which the address is derived, -1 if unknown.
  int parameter = -1;
  /// What an atomic operation does.
  bool loads = false;
  bool stores = false;
  /// Ordering of atomic accesses.
  bool releases = false;
  bool acquires = false;
  /// True for accesses that spin loops are made of: the thread steps back so
  /// that others can make the awaited change.
  bool polls = false;
  /// True for reads of shared bytes of which only a part need have been
  /// written (volatile: how the compiler reads what it puts back beside a
  /// 4-bit element).
  bool readsUnwritten = false;
};

/// All sites of a module, in order of their index.
class SiteTable {
public:
  template <typename SiteType> SiteType &create() {
    auto owned = std::make_unique<SiteType>();
    SiteType &site = *owned;
    site.index = static_cast<uint32_t>(sites.size());
    sites.push_back(std::move(owned));
    return site;
  }
  const Site &operator[](uint32_t index) const { return *sites[index]; }
  size_t size() const { return sites.size(); }

private:
  std::vector<std::unique_ptr<Site>> sites;
};

} // namespace tilec::emulator

#endif // TILE_COMPILER_EMULATOR_MACHINE_SITE_H
