//===- ASTDecl.h - Files, functions and kernels as written ----------------===//
#ifndef TILEC_FRONTEND_SYNTAX_ASTDECL_H
#define TILEC_FRONTEND_SYNTAX_ASTDECL_H

#include "compiler/Frontend/Syntax/ASTStmt.h"

namespace tilec::ast {

struct ImportDecl {
  SourceRange range; // Of the string.
  std::string path;
};

struct ConstDecl {
  Name name;
  ExprPtr value;
};

struct FunctionParameter {
  enum class Mode : uint8_t { Value, Inout, Shared, Global };
  Name name;
  Mode mode;
  SourceRange modeRange;
  TypeSyntax type;
};

struct FunctionDecl {
  Name name;
  std::vector<FunctionParameter> parameters;
  std::optional<TypeSyntax> result;
  BlockPtr body;
};

enum class Access : uint8_t { In, Out, Inout };

struct KernelParameter {
  /// A qualifier after the type, where it was written.
  struct Qualifier {
    SourceRange range;
    explicit operator bool() const { return range.isValid(); }
  };

  Name name;
  Access access = Access::In;
  TypeSyntax type;
  Qualifier pack, strided, prepack, noalias;
  ExprPtr packDim;
  Name stridedOption; // `all` in `strided(all)`.
};

struct ConfigConstant {
  Name name;
  ExprPtr value;
  std::vector<ExprPtr> choices;
};

struct GridAxis {
  Name name;
  ExprPtr extent;
};

struct KernelDecl {
  Name name;
  std::vector<KernelParameter> parameters;
  std::vector<ConfigConstant> config;
  std::vector<ExprPtr> facts; // `where`
  std::vector<GridAxis> axes; // `grid`
  bool hasGrid = false;
  ExprPtr threads; // May be null.
  BlockPtr body;
};

/// One source file.
struct File {
  std::vector<ImportDecl> imports;
  std::vector<ConstDecl> constants;
  std::vector<FunctionDecl> functions;
  std::vector<KernelDecl> kernels;
};

llvm::StringRef getSpelling(Access access);

} // namespace tilec::ast

#endif // TILEC_FRONTEND_SYNTAX_ASTDECL_H
