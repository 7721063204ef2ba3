//===-- Status.h - The result of a call that can fail ----------*- C++ -*-===//

#ifndef TILERT_LIB_STATUS_H
#define TILERT_LIB_STATUS_H

#include "tilert/tilert.h"

#include <memory>
#include <new>
#include <string>

struct tilert_status {
  tilert_code code = TILERT_INTERNAL_ERROR;
  std::string message;
  std::string driverError;
  std::string call;
};

namespace tilert::detail {

/// Success, or the failure that tilert_status shows to users.
class [[nodiscard]] Status {
public:
  /// Success.
  Status() = default;
  Status(tilert_code code, std::string message)
      : failure(new tilert_status{code, std::move(message), {}, {}}) {}

  bool isOk() const { return !failure; }
  tilert_code code() const { return failure ? failure->code : TILERT_OK; }
  const std::string &message() const { return failure->message; }

  Status copy() const;

  /// Names the driver or system call behind a failure.
  Status &&inCall(std::string call, std::string driverError = {}) &&;
  /// Puts words before the message of a failure; success stays success.
  Status &&prefixed(const std::string &words) &&;

  /// Hands the failure to the caller of the C interface.
  tilert_code release(tilert_status **status);

private:
  std::unique_ptr<tilert_status> failure;
};

/// Leaves the enclosing function with a failure of `expression`.
#define TILERT_RETURN_IF_ERROR(expression)                                     \
  do {                                                                         \
    if (::tilert::detail::Status status_ = (expression); !status_.isOk())      \
      return status_;                                                          \
  } while (false)

/// Runs the body of a C entry point: no exception leaves it, and its status
/// goes to `status`.
template <typename Body>
tilert_code enter(tilert_status **status, Body &&body) noexcept {
  if (status)
    *status = nullptr;
  try {
    return Status(body()).release(status);
  } catch (const std::bad_alloc &) {
    // Without memory there may be no room for a status either.
    if (status)
      *status =
          new (std::nothrow) tilert_status{TILERT_OUT_OF_MEMORY, {}, {}, {}};
    return TILERT_OUT_OF_MEMORY;
  } catch (...) {
    return TILERT_INTERNAL_ERROR;
  }
}

/// The failure for a NULL where an object is required.
inline Status requireNonNull(const void *object, const char *name) {
  if (object)
    return {};
  return {TILERT_INVALID_ARGUMENT, std::string(name) + " is NULL"};
}

} // namespace tilert::detail

#endif // TILERT_LIB_STATUS_H
