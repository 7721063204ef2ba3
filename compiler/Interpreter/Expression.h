//===- Expression.h - Values of a kernel's expression attributes ----------===//
#ifndef TILEC_INTERPRETER_EXPRESSION_H
#define TILEC_INTERPRETER_EXPRESSION_H

#include "mlir/IR/Attributes.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace tilec {

using NameLookup = llvm::function_ref<std::optional<int64_t>(llvm::StringRef)>;

/// Value of an expression (see tile.kernel) in checked int64.  `&&`, `||` and
/// `select` evaluate only what counts.  The error says which operation failed
/// or which name is not known, without a place.
llvm::Expected<int64_t> evaluateExpression(mlir::Attribute expression,
                                           NameLookup lookup);

} // namespace tilec

#endif // TILEC_INTERPRETER_EXPRESSION_H
