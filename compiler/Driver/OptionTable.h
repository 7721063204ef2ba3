//===- OptionTable.h - The options of tilec -------------------------------===//
//
// One entry an option: its spelling, the commands that take it, its help text
// and its effect on the Invocation.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_DRIVER_OPTIONTABLE_H
#define TILE_COMPILER_DRIVER_OPTIONTABLE_H

#include "compiler/Driver/CommandLine.h"

namespace tilec {

/// Whether an option is followed by a value.
enum class ValueKind {
  None,     ///< --json
  Required, ///< --target=sm_90a or --target sm_90a
  Optional, ///< --check or --check=full
};

struct OptionSpec {
  /// With its dashes: "--target", "-D".
  llvm::StringLiteral name;
  ValueKind valueKind;
  /// What the help calls the value: "TARGET".
  llvm::StringLiteral valueName;
  /// May be given several times.
  bool isList;
  llvm::ArrayRef<Command> commands;
  /// Empty for one that only tests use, which the help does not show.
  llvm::StringLiteral help;
  /// Stores the value; fails with a usage error if it is not understood.
  llvm::Error (*apply)(Invocation &invocation, llvm::StringRef value);

  bool belongsTo(Command command) const;
};

llvm::ArrayRef<OptionSpec> getOptions();

/// One of check, run, report, tune and help, or none.
std::optional<Command> findCommand(llvm::StringRef name);
/// The names that `findCommand` knows.
llvm::ArrayRef<llvm::StringRef> getCommandNames();
/// "check"; for the compile command, which has no name, "".
llvm::StringRef getCommandName(Command command);

} // namespace tilec

#endif // TILE_COMPILER_DRIVER_OPTIONTABLE_H
