//===- Sema.cpp - Semantic analysis of a file -----------------------------===//
#include "compiler/Frontend/Sema/Checker.h"

using namespace tilec;
using llvm::StringRef;

/// Collects file-level names and reports those declared twice.
static Program collectProgram(const ast::File &file,
                              DiagnosticEngine &diagnostics) {
  Program program;
  llvm::StringMap<SourceRange> seen;
  auto add = [&](const ast::Name &name, bool mayBeBuiltin) {
    bool isTaken =
        !mayBeBuiltin && (findBuiltin(name.text) || findPredeclared(name.text));
    if (isTaken || isReservedTypeName(name.text)) {
      diagnostics
          .error(name.range, "'" + name.text +
                                 "' has a meaning already and "
                                 "cannot be redeclared")
          .withHelp("choose another name");
      return false;
    }
    auto [it, isNew] = seen.try_emplace(name.text, name.range);
    if (isNew)
      return true;
    diagnostics.error(name.range, "'" + name.text + "' is declared already")
        .note(it->second.Start, "'" + name.text + "' is declared here");
    return false;
  };
  for (const ast::ConstDecl &constant : file.constants)
    if (add(constant.name, false))
      program.constants[constant.name.text] = &constant;
  for (const ast::FunctionDecl &function : file.functions)
    if (add(function.name, false))
      program.functions[function.name.text] = &function;
  for (const ast::KernelDecl &kernel : file.kernels)
    add(kernel.name, true);
  return program;
}

checked::Variable *Checker::checkConstant(StringRef name) {
  auto known = program.values.find(name);
  if (known != program.values.end())
    return &known->second;
  const ast::ConstDecl *decl = program.constants.lookup(name);
  if (!decl)
    return nullptr;
  if (!program.pending.insert(name).second) {
    error(decl->name.range, "the value of '" + name + "' needs itself");
    // An invalid value, which what uses it says nothing about.
    return &program.values[name];
  }
  // A constant sees file-level names only.
  llvm::StringSet<> used;
  Checker checker(program, {}, used, diagnostics);
  ExprPtr value;
  {
    Scope scope(checker);
    checker.depth = depth + 1;
    value = checker.check(*decl->value);
    if (!value->type.isInvalid() &&
        (!value->constant || value->type.getKind() == Type::Kind::String)) {
      error(decl->value->getRange(),
            "the value of '" + name + "' is not a compile-time constant");
      value = makeInvalid(decl->value->getRange());
    }
  }
  program.pending.erase(name);
  Variable &variable = program.values[name];
  variable.role = Variable::Role::Constant;
  variable.name = name.str();
  variable.type = value->type;
  variable.declared = decl->name.range;
  variable.known = Known::CompileTime;
  variable.constant = value->constant;
  return &variable;
}

/// Reports `-D` names that no kernel has.
static void reportUnusedDefines(const ast::File &file,
                                const SemaOptions &options,
                                const llvm::StringSet<> &used,
                                DiagnosticEngine &diagnostics) {
  llvm::SmallVector<StringRef> candidates;
  for (const ast::KernelDecl &kernel : file.kernels)
    for (const ast::ConfigConstant &constant : kernel.config)
      candidates.push_back(constant.name.text);
  for (const Define &define : options.defines) {
    if (used.contains(define.name))
      continue;
    Diagnostic &diagnostic = diagnostics.error(
        SourceRange(), "-D " + define.name + "=" + define.value +
                           ": no kernel has a config constant or a size '" +
                           define.name + "'");
    for (const ast::ConstDecl &constant : file.constants)
      if (constant.name.text == define.name)
        diagnostic.note(constant.name.range.Start,
                        "'" + define.name + "' is a constant of the file");
    if (std::optional<std::string> similar =
            findSimilar(define.name, candidates))
      diagnostic.withHelp("did you mean '" + *similar + "'?");
  }
}

checked::Module tilec::checkFile(const ast::File &file,
                                 const SemaOptions &options,
                                 DiagnosticEngine &diagnostics) {
  checked::Module module;
  Program program = collectProgram(file, diagnostics);
  llvm::StringSet<> usedDefines;

  // What no kernel uses is checked all the same.
  for (const ast::ConstDecl &constant : file.constants)
    Checker(program, {}, usedDefines, diagnostics)
        .checkConstant(constant.name.text);
  for (const ast::FunctionDecl &function : file.functions)
    Checker(program, {}, usedDefines, diagnostics).checkFunctionAlone(function);

  bool isFound = options.kernel.empty();
  for (const ast::KernelDecl &decl : file.kernels) {
    if (!options.kernel.empty() && decl.name.text != options.kernel)
      continue;
    isFound = true;
    std::vector<Define> defines;
    for (const KernelDefines &tuned : options.tuned)
      if (decl.name.text == tuned.kernel)
        defines = tuned.defines;
    // The last one of a name counts.
    llvm::append_range(defines, options.defines);
    Checker checker(program, defines, usedDefines, diagnostics);
    module.kernels.push_back(checker.checkKernel(decl));
  }
  if (!isFound) {
    llvm::SmallVector<StringRef> candidates;
    for (const ast::KernelDecl &decl : file.kernels)
      candidates.push_back(decl.name.text);
    Diagnostic &diagnostic = diagnostics.error(
        SourceRange(), "the file has no kernel '" + options.kernel + "'");
    if (std::optional<std::string> similar =
            findSimilar(options.kernel, candidates))
      diagnostic.withHelp("did you mean '" + *similar + "'?");
  }
  // With errors, sizes may not have been seen.
  if (!diagnostics.hasErrors())
    reportUnusedDefines(file, options, usedDefines, diagnostics);
  return module;
}
