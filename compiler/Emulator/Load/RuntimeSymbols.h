//===- RuntimeSymbols.h - Functions that compiled kernels need --*- C++ -*-===//
//
// Host code generation turns some operations into calls of the C library or of
// the compiler's own runtime library.  Each that may be needed is given by
// address, so that nothing depends on what the process happens to export.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_COMPILER_EMULATOR_LOAD_RUNTIMESYMBOLS_H
#define TILE_COMPILER_EMULATOR_LOAD_RUNTIMESYMBOLS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace tilec::emulator {

struct RuntimeSymbol {
  llvm::StringRef name;
  const void *address;
};

llvm::ArrayRef<RuntimeSymbol> getRuntimeSymbols();

} // namespace tilec::emulator

#endif // TILE_COMPILER_EMULATOR_LOAD_RUNTIMESYMBOLS_H
