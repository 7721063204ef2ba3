//===- AST.cpp - Spellings of operators and keywords ----------------------===//
#include "compiler/Frontend/Syntax/ASTDecl.h"

#include "llvm/Support/ErrorHandling.h"

using namespace tilec::ast;

llvm::StringRef tilec::ast::getSpelling(UnaryOp op) {
  static constexpr llvm::StringLiteral spellings[] = {"-", "!", "~"};
  return spellings[static_cast<unsigned>(op)];
}

llvm::StringRef tilec::ast::getSpelling(BinaryOp op) {
  static constexpr llvm::StringLiteral spellings[] = {
      "||", "&&", "==", "!=", "<", "<=", ">", ">=", "|",
      "^",  "&",  "<<", ">>", "+", "-",  "*", "/",  "%"};
  return spellings[static_cast<unsigned>(op)];
}

llvm::StringRef tilec::ast::getSpelling(LoopKind kind) {
  static constexpr llvm::StringLiteral spellings[] = {
      "range", "pipelined", "unrolled", "parallel", "persistent"};
  return spellings[static_cast<unsigned>(kind)];
}

llvm::StringRef tilec::ast::getSpelling(Access access) {
  static constexpr llvm::StringLiteral spellings[] = {"in", "out", "inout"};
  return spellings[static_cast<unsigned>(access)];
}
