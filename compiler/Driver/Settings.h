//===- Settings.h - Decisions that --set overrides
//-------------------------===//
#ifndef TILE_COMPILER_DRIVER_SETTINGS_H
#define TILE_COMPILER_DRIVER_SETTINGS_H

#include "compiler/Driver/CommandLine.h"

namespace tilec {

/// Checks --set KEY=VALUE: a key that names no decision is a usage error, one
/// whose decision the passes cannot take from outside yet a failure.
llvm::Error checkSettings(llvm::ArrayRef<NamedText> settings);

} // namespace tilec

#endif // TILE_COMPILER_DRIVER_SETTINGS_H
