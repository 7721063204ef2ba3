//===- Builtins.h - The builtin functions ---------------------------------===//
#ifndef TILEC_FRONTEND_SEMA_BUILTINS_H
#define TILEC_FRONTEND_SEMA_BUILTINS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace tilec {

enum class Builtin : uint8_t {
#define BUILTIN(name, spelling, group) name,
#include "compiler/Frontend/Sema/Builtins.def"
};

enum class BuiltinGroup : uint8_t {
  Math,
  Arithmetic,
  Shape,
  Reduction,
  Allocation,
  Statement,
  Atomic,
};

std::optional<Builtin> findBuiltin(llvm::StringRef name);
llvm::StringRef getSpelling(Builtin builtin);
BuiltinGroup getGroup(Builtin builtin);
/// The names of all builtins, for suggestions.
llvm::ArrayRef<llvm::StringLiteral> getBuiltinNames();

/// The value of a predeclared constant (`inf nan pi log2e ln2`).
std::optional<double> findPredeclared(llvm::StringRef name);

} // namespace tilec

#endif // TILEC_FRONTEND_SEMA_BUILTINS_H
