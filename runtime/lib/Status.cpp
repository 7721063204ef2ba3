//===-- Status.cpp - The result of a call that can fail -------------------===//

#include "Status.h"
#include "Text.h"

#include <cstdio>

namespace tilert::detail {

Status Status::copy() const {
  Status result;
  if (failure)
    result.failure = std::make_unique<tilert_status>(*failure);
  return result;
}

Status &&Status::inCall(std::string call, std::string driverError) && {
  if (failure) {
    failure->call = std::move(call);
    failure->driverError = std::move(driverError);
  }
  return std::move(*this);
}

Status &&Status::prefixed(const std::string &words) && {
  if (failure)
    failure->message.insert(0, words);
  return std::move(*this);
}

tilert_code Status::release(tilert_status **status) {
  tilert_code result = code();
  if (status)
    *status = failure.release();
  else
    failure.reset();
  return result;
}

std::string toHex(unsigned long long number) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", number);
  return text;
}

} // namespace tilert::detail

int tilert_version(void) { return TILERT_VERSION; }

const char *tilert_code_name(tilert_code code) {
  switch (code) {
  case TILERT_OK:
    return "TILERT_OK";
  case TILERT_INVALID_ARGUMENT:
    return "TILERT_INVALID_ARGUMENT";
  case TILERT_CHECK_FAILED:
    return "TILERT_CHECK_FAILED";
  case TILERT_LIMIT_EXCEEDED:
    return "TILERT_LIMIT_EXCEEDED";
  case TILERT_NOT_FOUND:
    return "TILERT_NOT_FOUND";
  case TILERT_IO_ERROR:
    return "TILERT_IO_ERROR";
  case TILERT_INVALID_MANIFEST:
    return "TILERT_INVALID_MANIFEST";
  case TILERT_HASH_MISMATCH:
    return "TILERT_HASH_MISMATCH";
  case TILERT_WRONG_TARGET:
    return "TILERT_WRONG_TARGET";
  case TILERT_DRIVER_UNAVAILABLE:
    return "TILERT_DRIVER_UNAVAILABLE";
  case TILERT_DRIVER_ERROR:
    return "TILERT_DRIVER_ERROR";
  case TILERT_OUT_OF_MEMORY:
    return "TILERT_OUT_OF_MEMORY";
  case TILERT_INTERNAL_ERROR:
    return "TILERT_INTERNAL_ERROR";
  }
  return "unknown";
}

tilert_code tilert_status_code(const tilert_status *status) {
  return status ? status->code : TILERT_OK;
}

const char *tilert_status_message(const tilert_status *status) {
  if (status && status->message.empty())
    return tilert_code_name(status->code);
  return status ? status->message.c_str() : "";
}

const char *tilert_status_driver_error(const tilert_status *status) {
  return status ? status->driverError.c_str() : "";
}

const char *tilert_status_call(const tilert_status *status) {
  return status ? status->call.c_str() : "";
}

void tilert_status_destroy(tilert_status *status) { delete status; }
