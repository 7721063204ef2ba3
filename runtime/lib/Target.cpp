//===-- Target.cpp - GPU architectures ------------------------------------===//

#include "Target.h"
#include "Text.h"

namespace tilert::detail {

std::optional<Target> parseTarget(std::string_view text) {
  constexpr std::string_view prefix = "sm_";
  if (text.substr(0, prefix.size()) != prefix)
    return std::nullopt;
  text.remove_prefix(prefix.size());
  Target target;
  if (!text.empty() && text.back() == 'a') {
    target.isExact = true;
    text.remove_suffix(1);
  }
  if (text.size() < 2 || text.size() > 3)
    return std::nullopt;
  int number = 0;
  for (char digit : text) {
    if (digit < '0' || digit > '9')
      return std::nullopt;
    number = number * 10 + (digit - '0');
  }
  target.major = number / 10;
  target.minor = number % 10;
  return target;
}

Status checkTarget(const Target &target, std::string_view targetName, int major,
                   int minor) {
  bool fits = target.isExact ? target.major == major && target.minor == minor
                             : target.major == major && target.minor <= minor;
  if (fits)
    return {};
  return {TILERT_WRONG_TARGET,
          join("built for ", targetName, ", device is sm_", major, minor)};
}

namespace {

struct KnownDevice {
  int major, minor, smCount, sharedBytes;
};

// One typical device of each architecture: A100, RTX 3090, RTX 4090, H200,
// B200, RTX 5090. Threads and registers of a block are the same on all.
constexpr KnownDevice knownDevices[] = {
    {8, 0, 108, 166912}, {8, 6, 82, 101376},   {8, 9, 128, 101376},
    {9, 0, 132, 232448}, {10, 0, 148, 232448}, {12, 0, 170, 101376},
};

} // namespace
} // namespace tilert::detail

using namespace tilert::detail;

tilert_code tilert_device_facts_of_target(const char *target,
                                          tilert_device_facts *facts,
                                          tilert_status **status) {
  return enter(status, [&]() -> Status {
    TILERT_RETURN_IF_ERROR(requireNonNull(target, "target"));
    TILERT_RETURN_IF_ERROR(requireNonNull(facts, "facts"));
    std::optional<Target> parsed = parseTarget(target);
    for (const KnownDevice &device : knownDevices)
      if (parsed && device.major == parsed->major &&
          device.minor == parsed->minor) {
        *facts = {device.major, device.minor, device.smCount,
                  1024,         65536,        device.sharedBytes};
        return {};
      }
    return {TILERT_NOT_FOUND,
            join("no facts are known of target ", quote(target))};
  });
}
