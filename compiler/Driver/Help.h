//===- Help.h - The help pages --------------------------------------------===//
//
// `tilec --help` and `tilec COMMAND --help`.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_DRIVER_HELP_H
#define TILE_COMPILER_DRIVER_HELP_H

#include "compiler/Driver/CommandLine.h"

namespace llvm {
class raw_ostream;
}

namespace tilec {

/// What tilec is and which commands it has.
void printGeneralHelp(llvm::raw_ostream &os);
/// Usage, prose, options and an example of one command.
void printCommandHelp(llvm::raw_ostream &os, Command command);

} // namespace tilec

#endif // TILE_COMPILER_DRIVER_HELP_H
