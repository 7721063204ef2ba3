//===- PrintCalls.h - vprintf of a kernel -----------------------*- C++ -*-===//
//
// Device code prints by `vprintf(format, arguments)`, with the arguments in
// memory one after another, each at a multiple of its size.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_COMPILER_EMULATOR_LOAD_PRINTCALLS_H
#define TILE_COMPILER_EMULATOR_LOAD_PRINTCALLS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>

namespace tilec::emulator {

struct Site;

/// What calls of vprintf become.
int32_t printDeviceText(const Site *site, uint64_t format,
                        const uint8_t *arguments);

/// Formats as the device does.  `readString` gives the text behind an address,
/// for "%s"; an empty result means that the address is wrong.  Returns nothing
/// for a wrong address or a conversion that does not exist.
std::optional<std::string> formatDeviceText(
    llvm::StringRef format, const uint8_t *arguments,
    llvm::function_ref<std::optional<llvm::StringRef>(uint64_t)> readString);

} // namespace tilec::emulator

#endif // TILE_COMPILER_EMULATOR_LOAD_PRINTCALLS_H
