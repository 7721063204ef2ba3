//===- CheckNames.cpp - Scopes, names and named types ---------------------===//
#include "compiler/Frontend/Sema/Checker.h"

using namespace tilec;
using llvm::StringRef;

std::string tilec::getOneLineText(SourceRange range) {
  if (!range.isValid())
    return "";
  StringRef text(range.Start.getPointer(),
                 range.End.getPointer() - range.Start.getPointer());
  std::string line;
  for (char c : text) {
    bool isBlank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!isBlank)
      line += c;
    else if (!line.empty() && line.back() != ' ')
      line += ' ';
  }
  return line;
}

std::string tilec::getQuotedText(SourceRange range) {
  constexpr size_t longest = 60;
  std::string quoted = getOneLineText(range);
  if (quoted.size() > longest)
    quoted = quoted.substr(0, longest) + "...";
  return quoted;
}

std::optional<std::string>
tilec::findSimilar(StringRef name, llvm::ArrayRef<StringRef> candidates) {
  // In a short name every other name is one letter away, so that only case
  // counts.
  unsigned limit = name.size() < 3 ? 0 : name.size() / 3;
  std::string lower = name.lower();
  std::optional<std::string> best;
  for (StringRef candidate : candidates) {
    unsigned distance = StringRef(lower).edit_distance(
        candidate.lower(), /*AllowReplacements=*/true, limit);
    if (distance > limit)
      continue;
    if (distance == 0)
      return candidate.str();
    best = candidate.str();
    limit = distance - 1;
  }
  return best;
}

Diagnostic &Checker::error(SourceRange range, const llvm::Twine &message) {
  Diagnostic &diagnostic = diagnostics.error(range, message);
  // The innermost calls say most; the outermost one is in the kernel.
  constexpr size_t mostNotes = 4;
  size_t count = inlining.size();
  for (const auto &[depth, frame] : llvm::enumerate(llvm::reverse(inlining))) {
    if (!frame.call.isValid())
      continue;
    if (depth < mostNotes || depth + 1 == count)
      diagnostic.note(frame.call.Start,
                      "in this call of '" + frame.function->name.text + "'");
    else if (depth == mostNotes)
      diagnostic.note({}, llvm::Twine(count - mostNotes - 1) +
                              " more calls are not shown");
  }
  return diagnostic;
}

void Checker::reportUnsupported(SourceRange range, StringRef what) {
  error(range, "'" + what + "' is not supported yet");
}

bool Checker::spend(SourceRange range) {
  if (work > maxWork)
    return false;
  // What a function alone is too long for shows where it is called.
  if (++work <= maxWork || isAlone)
    return work <= maxWork;
  error(range, "unrolling and inlining make this kernel longer than " +
                   formatWithSeparators(maxWork) + " statements and operations")
      .withHelp("use 'range' instead of 'unrolled'");
  return false;
}

Checker::Variable *Checker::createVariable(StringRef name, SourceRange range,
                                           Variable::Role role, Type type) {
  Variable &variable = kernel.variables.emplace_back();
  variable.role = role;
  variable.name = name.str();
  variable.type = std::move(type);
  variable.declared = range;
  variable.isPerIteration = parallel != nullptr;
  variable.region = region;
  return &variable;
}

bool Checker::checkNewName(const ast::Name &name) {
  auto report = [&](const llvm::Twine &message) -> Diagnostic & {
    return error(name.range, message);
  };
  if (findBuiltin(name.text)) {
    report("'" + name.text + "' is a builtin function and cannot be redeclared")
        .withHelp("choose another name");
    return false;
  }
  if (findPredeclared(name.text)) {
    report("'" + name.text +
           "' is a predeclared constant and cannot be redeclared")
        .withHelp("choose another name");
    return false;
  }
  if (isReservedTypeName(name.text)) {
    report("'" + name.text + "' is reserved for a type")
        .withHelp("choose another name");
    return false;
  }
  SourceRange previous;
  for (unsigned i = firstVisibleScope; i < scopes.size(); ++i)
    if (Variable *variable = scopes[i].lookup(name.text))
      previous = variable->declared;
  if (const ast::ConstDecl *constant = program.constants.lookup(name.text))
    previous = constant->name.range;
  if (const ast::FunctionDecl *function = program.functions.lookup(name.text))
    previous = function->name.range;
  if (!previous.isValid())
    return true;
  report("'" + name.text + "' is declared already")
      .note(previous.Start, "'" + name.text + "' is declared here")
      .withHelp("names do not hide each other; choose another one");
  return false;
}

Checker::Variable *Checker::declare(const ast::Name &name, Variable::Role role,
                                    Type type) {
  checkNewName(name);
  Variable *variable =
      createVariable(name.text, name.range, role, std::move(type));
  scopes.back()[name.text] = variable;
  return variable;
}

Checker::Variable *Checker::lookup(StringRef name) {
  for (unsigned i = scopes.size(); i-- > firstVisibleScope;)
    if (Variable *variable = scopes[i].lookup(name)) {
      used.insert(variable);
      return variable;
    }
  return checkConstant(name);
}

Checker::ExprPtr Checker::reportUndeclared(StringRef name, SourceRange range,
                                           bool isCall) {
  llvm::SmallVector<StringRef> candidates;
  // What is not shown needs no advice, and among very many names none helps.
  constexpr size_t mostCandidates = 2000;
  bool isShown = diagnostics.getErrorCount() <= DiagnosticEngine::maxErrors;
  size_t count = program.constants.size() + program.functions.size();
  for (const auto &scope : scopes)
    count += scope.size();
  if (!isShown || count > mostCandidates) {
    // No advice.
  } else if (!isCall) {
    for (unsigned i = scopes.size(); i-- > firstVisibleScope;)
      for (const auto &entry : scopes[i])
        candidates.push_back(entry.getKey());
    for (const auto &entry : program.constants)
      candidates.push_back(entry.getKey());
    for (StringRef constant : {"inf", "nan", "pi", "log2e", "ln2"})
      candidates.push_back(constant);
  } else {
    for (const auto &entry : program.functions)
      candidates.push_back(entry.getKey());
    for (StringRef builtin : getBuiltinNames())
      candidates.push_back(builtin);
  }
  // Hash tables have no order of their own.
  llvm::sort(candidates);
  Diagnostic &diagnostic =
      error(range, isCall ? "there is no function '" + name + "'"
                          : "'" + name + "' is not declared");
  if (isReservedTypeName(name))
    diagnostic.withHelp("'" + name + "' is reserved for a later version");
  else if (std::optional<std::string> similar = findSimilar(name, candidates))
    diagnostic.withHelp("did you mean '" + *similar + "'?");
  return makeInvalid(range);
}

Checker::ExprPtr Checker::checkName(const ast::NameExpr &name) {
  SourceRange range = name.getRange();
  Variable *variable = lookup(name.name);
  if (!variable) {
    if (std::optional<double> value = findPredeclared(name.name))
      return makeConstant(Type::getUntypedFloat(), range, *value);
    if (findBuiltin(name.name) || program.functions.count(name.name)) {
      error(range, "'" + name.name + "' is a function")
          .withHelp("call it: " + name.name + "(...)");
      return makeInvalid(range);
    }
    return reportUndeclared(name.name, range, /*isCall=*/false);
  }
  if (variable->type.isInvalid())
    return makeInvalid(range);
  if (variable->constant)
    return makeConstant(variable->type, range, *variable->constant);
  if (variable->type.isMemory())
    return std::make_unique<checked::MemoryExpr>(variable->type, range,
                                                 makePlace(variable));
  if (variable->type.isBarrier()) {
    error(range, "'" + name.name + "' is a barrier, and a value is needed here")
        .withHelp("barriers are for 'arrive', 'expect_bytes', 'wait' and "
                  "'tma_copy'");
    return makeInvalid(range);
  }
  if (!checkVisible(*variable, range) || !checkDefined(variable, range, ""))
    return makeInvalid(range);
  return std::make_unique<checked::ReadExpr>(range, variable);
}

bool Checker::checkDefined(Variable *variable, SourceRange range,
                           StringRef reader) {
  // Once is enough, although a loop forgets what its body wrote.
  if (!undefined.contains(variable) || !reported.insert(variable).second)
    return true;
  std::string by = reader.empty() ? "" : " by '" + reader.str() + "'";
  error(range, "'" + variable->name + "' is read" + by +
                   " before anything was written to it")
      .note(variable->declared.Start,
            "'" + variable->name + "' is allocated here, undefined")
      .withHelp("add clear(" + variable->name + "); before " +
                (loopDepth ? "the loop" : "this"));
  return false;
}

std::optional<ElementType> Checker::resolveType(const ast::Expr &syntax) {
  if (const auto *type = llvm::dyn_cast<ast::TypeNameExpr>(&syntax))
    return type->type;
  const auto *name = llvm::dyn_cast<ast::NameExpr>(&syntax);
  if (!name) {
    error(syntax.getRange(), "a type is a name, such as f32");
    return std::nullopt;
  }
  Variable *variable = lookup(name->name);
  if (!variable) {
    if (isReservedTypeName(name->name))
      error(syntax.getRange(),
            "the type '" + name->name + "' is reserved for a later version");
    else
      error(syntax.getRange(), "there is no type '" + name->name + "'")
          .withHelp("make it a config constant, e.g. config(" + name->name +
                    " = bf16), or write the type itself");
    return std::nullopt;
  }
  if (variable->type.isInvalid())
    return std::nullopt;
  if (variable->type.getKind() != Type::Kind::TypeName) {
    error(syntax.getRange(), "'" + name->name + "' is not a type")
        .note(variable->declared.Start,
              "'" + name->name + "' is declared here");
    return std::nullopt;
  }
  return std::get<ElementType>(*variable->constant);
}

std::optional<Type> Checker::resolveTileType(const ast::Expr &syntax,
                                             StringRef user) {
  const auto *indexed = llvm::dyn_cast<ast::IndexExpr>(&syntax);
  if (!indexed) {
    error(syntax.getRange(), "'" + user + "' needs a type with extents")
        .withHelp("write e.g. " + user + "(f32[128, 64]" +
                  (user == "full" ? ", 0.0)" : ")"));
    return std::nullopt;
  }
  std::optional<ElementType> element = resolveType(*indexed->base);
  Extents extents;
  bool isGood = element.has_value();
  for (const ast::Index &index : indexed->indices) {
    if (index.kind != ast::Index::Kind::Plain) {
      error(index.range, "an extent is one number");
      isGood = false;
      continue;
    }
    std::optional<int64_t> extent = checkExtent(*index.first);
    isGood &= extent.has_value();
    extents.push_back(extent.value_or(1));
  }
  if (!isGood || !checkTileSize(extents, syntax.getRange()))
    return std::nullopt;
  return Type::getFragment(*element, extents);
}

std::optional<Type> Checker::resolveWrittenType(const ast::TypeSyntax &syntax) {
  std::optional<ElementType> element = resolveType(*syntax.element);
  if (!element)
    return std::nullopt;
  if (!syntax.hasExtents)
    return Type::getScalar(*element);
  Extents extents;
  for (const auto &extent : syntax.extents) {
    std::optional<int64_t> value = checkExtent(*extent);
    if (!value)
      return std::nullopt;
    extents.push_back(*value);
  }
  if (!checkTileSize(extents, syntax.range))
    return std::nullopt;
  return Type::getFragment(*element, extents);
}
