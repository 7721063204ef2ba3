//===- CheckedModule.h - Kernels after semantic analysis ------------------===//
#ifndef TILEC_FRONTEND_SEMA_CHECKEDMODULE_H
#define TILEC_FRONTEND_SEMA_CHECKEDMODULE_H

#include "compiler/Frontend/Sema/CheckedExpert.h"
#include <deque>
#include <map>

namespace tilec::checked {

/// An integer expression that the runtime evaluates before a launch, over
/// symbols and scalar parameters (docs/artifact-format.md).
struct LaunchExpr {
  enum class Kind : uint8_t { Integer, Name, Operation };
  Kind kind = Kind::Integer;
  int64_t value = 0;
  std::string text; // The name, or the operator.
  std::vector<LaunchExpr> operands;
};

struct Parameter {
  Variable *variable;
  /// One for each dimension; empty for a scalar.
  std::vector<LaunchExpr> dims;
  /// The same dimensions as the kernel computes them.
  std::vector<ExprPtr> extents = {};
  bool isStrided = false;
  bool isStridedAll = false;
  bool isPrepacked = false;
  bool isNoalias = false;
};

/// A size bound at launch by dimension `dim` of parameter `parameter`.
struct Symbol {
  std::string name;
  unsigned parameter, dim;
  std::optional<int64_t> value; // If it is fixed at compile time.
};

/// A condition checked at launch, and its text in the source.
struct Fact {
  LaunchExpr condition;
  std::string text;
};

struct Axis {
  std::string name;
  LaunchExpr extent;
};

struct ConfigValue {
  std::string name;
  Constant value;
  /// The tuning set, empty if there is none.
  std::vector<Constant> choices;
};

/// A decision of the compiler that the kernel makes itself.
struct Decision {
  std::string name;
  Constant value;
};

struct Kernel {
  Kernel() = default;
  Kernel(Kernel &&) = default;
  Kernel &operator=(Kernel &&) = default;

  std::string name;
  SourceRange range; // Of the name.
  std::vector<Parameter> parameters;
  std::vector<Symbol> symbols;
  std::vector<Fact> facts;
  std::vector<Axis> axes;
  std::vector<ConfigValue> config;
  int64_t threads = 0;
  std::vector<Decision> decisions;
  StmtList body;
  /// All variables of the kernel, at fixed addresses.
  std::deque<Variable> variables;
};

struct Module {
  std::vector<Kernel> kernels;
};

} // namespace tilec::checked

#endif // TILEC_FRONTEND_SEMA_CHECKEDMODULE_H
