//===- Builtins.cpp - The builtin functions -------------------------------===//
#include "compiler/Frontend/Sema/Builtins.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace tilec;

static constexpr llvm::StringLiteral names[] = {
#define BUILTIN(name, spelling, group) spelling,
#include "compiler/Frontend/Sema/Builtins.def"
};

static constexpr BuiltinGroup groups[] = {
#define BUILTIN(name, spelling, group) BuiltinGroup::group,
#include "compiler/Frontend/Sema/Builtins.def"
};

std::optional<Builtin> tilec::findBuiltin(llvm::StringRef name) {
  const auto *found = llvm::find(names, name);
  if (found == std::end(names))
    return std::nullopt;
  return static_cast<Builtin>(found - std::begin(names));
}

llvm::StringRef tilec::getSpelling(Builtin builtin) {
  return names[static_cast<unsigned>(builtin)];
}

BuiltinGroup tilec::getGroup(Builtin builtin) {
  return groups[static_cast<unsigned>(builtin)];
}

llvm::ArrayRef<llvm::StringLiteral> tilec::getBuiltinNames() { return names; }

std::optional<double> tilec::findPredeclared(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<double>>(name)
      .Case("inf", std::numeric_limits<double>::infinity())
      .Case("nan", std::numeric_limits<double>::quiet_NaN())
      .Case("pi", llvm::numbers::pi)
      .Case("log2e", llvm::numbers::log2e)
      .Case("ln2", llvm::numbers::ln2)
      .Default(std::nullopt);
}
