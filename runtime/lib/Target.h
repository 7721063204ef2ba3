//===-- Target.h - GPU architectures ---------------------------*- C++ -*-===//

#ifndef TILERT_LIB_TARGET_H
#define TILERT_LIB_TARGET_H

#include "Status.h"

#include <optional>
#include <string>
#include <string_view>

namespace tilert::detail {

/// An architecture as cubins name it.
struct Target {
  int major = 0;
  int minor = 0;
  /// sm_90a and the like: code that runs on this architecture only.
  bool isExact = false;
};

/// Parses "sm_80", "sm_90a", "sm_120a".
std::optional<Target> parseTarget(std::string_view text);

/// Whether code for `target` (called `targetName`) runs on a device of compute
/// capability major.minor: machine code runs within its major version, on the
/// same or a larger minor one.
Status checkTarget(const Target &target, std::string_view targetName, int major,
                   int minor);

} // namespace tilert::detail

#endif // TILERT_LIB_TARGET_H
