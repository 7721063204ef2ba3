//===-- Module.h - A loaded artifact ---------------------------*- C++ -*-===//

#ifndef TILERT_LIB_MODULE_H
#define TILERT_LIB_MODULE_H

#include "DeviceCode.h"
#include "Plan.h"
#include "Workspaces.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct tilert_module {
  // Its kernels have moved to those below.
  tilert::detail::Manifest manifest;
  std::vector<std::unique_ptr<tilert_kernel>> kernels;
  /// Found by name only.
  std::vector<std::unique_ptr<tilert_kernel>> helpers;
  std::string cubin; // empty if there is none
  size_t functionCount = 0;
  mutable tilert::detail::CodeCache code;
  mutable tilert::detail::Workspaces workspaces;

  /// The kernel or helper of that name, or NULL.
  const tilert_kernel *find(std::string_view name) const;
};

#endif // TILERT_LIB_MODULE_H
