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
