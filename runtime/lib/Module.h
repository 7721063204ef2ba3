//===-- Module.h - A loaded artifact ---------------------------*- C++ -*-===//

#ifndef TILERT_LIB_MODULE_H
#define TILERT_LIB_MODULE_H

#include "DeviceCode.h"
#include "Plan.h"

#include <memory>
#include <string>
#include <vector>

struct tilert_module {
  tilert::detail::Manifest manifest; // its kernels have moved to `kernels`
  std::vector<std::unique_ptr<tilert_kernel>> kernels;
  std::string cubin; // empty if there is none
  size_t functionCount = 0;
  mutable tilert::detail::CodeCache code;
};

#endif // TILERT_LIB_MODULE_H
