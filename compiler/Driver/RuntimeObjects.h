//===- RuntimeObjects.h - libtilert in the compiler's terms ---------------===//
//
// Owners for the objects of the runtime's C interface, and its statuses as
// llvm::Errors.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_DRIVER_RUNTIMEOBJECTS_H
#define TILE_COMPILER_DRIVER_RUNTIMEOBJECTS_H

#include "compiler/Numerics/NumberFormat.h"
#include "tilert/tilert.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace tilec {

struct DestroyRuntimeObject {
  void operator()(tilert_module *module) const {
    tilert_module_destroy(module);
  }
  void operator()(tilert_plan *plan) const { tilert_plan_destroy(plan); }
};
using RuntimeModule = std::unique_ptr<tilert_module, DestroyRuntimeObject>;
using RuntimePlan = std::unique_ptr<tilert_plan, DestroyRuntimeObject>;

/// The status as an error, with the driver's own words if it was to blame;
/// success for null.  Destroys the status.
llvm::Error takeStatus(tilert_status *status);

/// The kernels of a manifest; with the code of a cubin, unless that is empty.
llvm::Expected<RuntimeModule> loadRuntimeModule(llvm::StringRef manifest,
                                                llvm::StringRef cubin = "");

/// The facts of the device at hand, or of the one that a target stands for.
llvm::Expected<tilert_device_facts> queryDeviceFacts();
llvm::Expected<tilert_device_facts> getTargetFacts(llvm::StringRef target);

/// How the runtime launches a kernel with these arguments, in the variant that
/// it chooses.
llvm::Expected<RuntimePlan> planLaunch(const tilert_kernel *kernel,
                                       llvm::ArrayRef<tilert_argument> values,
                                       const tilert_device_facts &facts);

/// The runtime's element type of a format, and back.
tilert_dtype getRuntimeType(NumberFormat format);
NumberFormat getFormat(tilert_dtype dtype);

} // namespace tilec

#endif // TILE_COMPILER_DRIVER_RUNTIMEOBJECTS_H
