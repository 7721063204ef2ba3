//===- RuntimeObjects.cpp - libtilert in the compiler's terms -------------===//
#include "compiler/Driver/RuntimeObjects.h"

#include "compiler/Driver/Failure.h"

using namespace tilec;

llvm::Error tilec::takeStatus(tilert_status *status) {
  if (!status)
    return llvm::Error::success();
  std::string message = tilert_status_message(status);
  llvm::StringRef driverError = tilert_status_driver_error(status);
  llvm::StringRef call = tilert_status_call(status);
  if (!driverError.empty() && !llvm::StringRef(message).contains(driverError))
    message +=
        (" (" + driverError + (call.empty() ? "" : " from ") + call + ")")
            .str();
  tilert_status_destroy(status);
  return makeFailure(message);
}

llvm::Expected<RuntimeModule> tilec::loadRuntimeModule(llvm::StringRef manifest,
                                                       llvm::StringRef cubin) {
  tilert_module *loaded = nullptr;
  tilert_status *status = nullptr;
  if (cubin.empty())
    tilert_module_from_manifest(manifest.data(), manifest.size(), &loaded,
                                &status);
  else
    tilert_module_load_memory(manifest.data(), manifest.size(), cubin.data(),
                              cubin.size(), &loaded, &status);
  RuntimeModule module(loaded);
  if (llvm::Error error = takeStatus(status))
    return error;
  return module;
}

llvm::Expected<tilert_device_facts> tilec::queryDeviceFacts() {
  tilert_device_facts facts = {};
  tilert_status *status = nullptr;
  tilert_device_facts_query(0, &facts, &status);
  if (llvm::Error error = takeStatus(status))
    return error;
  return facts;
}

llvm::Expected<tilert_device_facts>
tilec::getTargetFacts(llvm::StringRef target) {
  tilert_device_facts facts = {};
  tilert_status *status = nullptr;
  tilert_device_facts_of_target(target.str().c_str(), &facts, &status);
  if (llvm::Error error = takeStatus(status))
    return error;
  return facts;
}

llvm::Expected<RuntimePlan>
tilec::planLaunch(const tilert_kernel *kernel,
                  llvm::ArrayRef<tilert_argument> values,
                  const tilert_device_facts &facts) {
  tilert_plan *made = nullptr;
  tilert_status *status = nullptr;
  tilert_plan_create(kernel, values.data(), values.size(), &facts,
                     /*variant=*/nullptr, &made, &status);
  RuntimePlan plan(made);
  if (llvm::Error error = takeStatus(status))
    return error;
  return plan;
}

// Both sides spell their types as the language does.

tilert_dtype tilec::getRuntimeType(NumberFormat format) {
  tilert_dtype dtype;
  int isKnown =
      tilert_dtype_from_name(std::string(getSpelling(format)).c_str(), &dtype);
  assert(isKnown && "the runtime has all types of the language");
  (void)isKnown;
  return dtype;
}

NumberFormat tilec::getFormat(tilert_dtype dtype) {
  return *findNumberFormat(tilert_dtype_name(dtype));
}
