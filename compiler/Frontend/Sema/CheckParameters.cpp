//===- CheckParameters.cpp - Parameters and the symbols in their types ----===//
//
// A name in a dimension that is nothing else is a symbol: a size known at
// launch.  Symbols are collected from all tensor types first, then bound to the
// first dimension that is the symbol alone.
//
//===----------------------------------------------------------------------===//
#include "compiler/Frontend/Sema/Checker.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace tilec;
using llvm::StringRef;

/// A tensor has extents; a config constant may not hide them.
static bool isTensor(const ast::KernelParameter &parameter) {
  return parameter.type.hasExtents;
}

void Checker::checkParameters(const ast::KernelDecl &decl) {
  // Scalar parameters are names that dimensions may use, so they come first;
  // the order of the kernel's parameters is that of the source.
  std::vector<Variable *> variables(decl.parameters.size());
  for (const auto &[index, parameter] : llvm::enumerate(decl.parameters)) {
    std::optional<ElementType> element = resolveType(*parameter.type.element);
    Type type = Type::getInvalid();
    if (element && isTensor(parameter))
      type = Type::getTensor(
          *element, Extents(parameter.type.extents.size(), dynamicExtent));
    else if (element)
      type = Type::getScalar(*element);
    Variable *variable =
        declare(parameter.name,
                isTensor(parameter) ? Variable::Role::Tensor
                                    : Variable::Role::ScalarParameter,
                type);
    variable->index = index;
    variable->access = parameter.access;
    variable->known = Known::Launch;
    variables[index] = variable;
    kernel.parameters.push_back({variable, {}});
    if (!isTensor(parameter))
      checkScalarParameter(parameter);
  }
  for (const ast::KernelParameter &parameter : decl.parameters)
    if (isTensor(parameter))
      checkTensorParameter(parameter);
  bindSymbols(decl);
}

void Checker::checkScalarParameter(const ast::KernelParameter &parameter) {
  StringRef name = parameter.name.text;
  if (parameter.access != ast::Access::In)
    error(parameter.name.range, "'" + name + "' is a scalar and read-only; '" +
                                    ast::getSpelling(parameter.access) +
                                    "' is for tensors")
        .withHelp("make it a tensor of one element: " + name + ": " +
                  ast::getSpelling(parameter.access) + " " +
                  getQuotedText(parameter.type.range) + "[1]");
  for (const ast::KernelParameter::Qualifier *qualifier :
       {&parameter.pack, &parameter.strided, &parameter.prepack,
        &parameter.noalias})
    if (*qualifier)
      error(qualifier->range, "'" + getQuotedText(qualifier->range) +
                                  "' is for tensors, and '" + name +
                                  "' is a scalar");
}

const ast::Expr *Checker::foldDimension(const ast::Expr *dim) {
  while (const auto *branch = llvm::dyn_cast<ast::IfExpr>(dim)) {
    std::optional<bool> condition =
        checkConstantBool(*branch->condition, "a condition in a dimension");
    if (!condition)
      return nullptr;
    dim = *condition ? branch->thenValue.get() : branch->elseValue.get();
  }
  return dim;
}

void Checker::declareSymbol(const ast::NameExpr *name,
                            const ast::KernelParameter &user) {
  if (Variable *known = lookup(name->name)) {
    if (known->type.isTensor())
      error(name->getRange(),
            "'" + name->name + "' is a tensor and cannot be an extent");
    return;
  }
  // Numbers such as pi are no sizes; the type of the dimension says so.
  if (findPredeclared(name->name))
    return;
  Variable *symbol = declare({name->name, name->getRange()},
                             Variable::Role::Symbol, Type::getIndex());
  symbol->known = Known::Launch;
  symbol->range = {{0, INT64_MAX}};
  symbol->firstUser = user.name.text.str();
  symbols.push_back(symbol);
}

void Checker::collectSymbols(const ast::Expr *expr,
                             const ast::KernelParameter &user) {
  if (!expr)
    return;
  llvm::TypeSwitch<const ast::Expr *>(expr)
      .Case<ast::NameExpr>([&](const auto *name) { declareSymbol(name, user); })
      .Case<ast::UnaryExpr>([&](const auto *unary) {
        collectSymbols(unary->operand.get(), user);
      })
      .Case<ast::BinaryExpr>([&](const auto *binary) {
        collectSymbols(binary->left.get(), user);
        collectSymbols(binary->right.get(), user);
      })
      .Case<ast::CallExpr>([&](const auto *call) {
        for (const ast::Argument &argument : call->arguments)
          collectSymbols(argument.value.get(), user);
      })
      .Case<ast::CastExpr>(
          [&](const auto *cast) { collectSymbols(cast->operand.get(), user); })
      .Case<ast::IfExpr>([&](const auto *branch) {
        if (const ast::Expr *taken = foldDimension(branch))
          collectSymbols(taken, user);
      });
}

void Checker::checkTensorParameter(const ast::KernelParameter &parameter) {
  constexpr unsigned highestRank = 5;
  if (parameter.type.extents.size() > highestRank)
    error(parameter.type.range, "a tensor has rank 1 to 5, and '" +
                                    parameter.name.text + "' has " +
                                    llvm::Twine(parameter.type.extents.size()));
  std::vector<const ast::Expr *> dims;
  bool isGood = true;
  for (const ast::ExprPtr &dim : parameter.type.extents) {
    dims.push_back(foldDimension(dim.get()));
    isGood &= dims.back() != nullptr;
    collectSymbols(dims.back(), parameter);
  }
  Variable *variable = scopes.back().lookup(parameter.name.text);
  if (!isGood) {
    variable->type = Type::getInvalid();
    return;
  }
  if (parameter.prepack)
    variable->isPrepacked = checkPrepackQualifier(parameter);
  bool isPacked =
      variable->type.isTensor() && getBits(variable->type.getElement()) == 4;
  if (parameter.stridedOption && parameter.stridedOption.text != "all")
    error(parameter.stridedOption.range,
          "'strided' has no option '" + parameter.stridedOption.text + "'")
        .withHelp("write strided or strided(all)");
  else if (parameter.stridedOption && isPacked)
    error(parameter.strided.range,
          "'strided(all)' is not for 4-bit types, and '" + parameter.name.text +
              "' is " + getName(variable->type.getElement()))
        .withHelp("write strided, which keeps the last stride 1");
  if (!variable->type.isInvalid())
    checkPack(parameter, variable, dims);
  tensorSyntax.push_back({&parameter, std::move(dims)});
}

bool Checker::checkPack(const ast::KernelParameter &parameter,
                        Variable *variable,
                        llvm::ArrayRef<const ast::Expr *> dims) {
  StringRef name = parameter.name.text;
  bool isPacked = getBits(variable->type.getElement()) == 4;
  if (isPacked)
    variable->packDim = dims.size() - 1;
  if (!parameter.pack)
    return true;
  if (!isPacked) {
    std::string extents;
    for (const ast::Expr *dim : dims)
      extents += (extents.empty() ? "" : ", ") + getQuotedText(dim->getRange());
    error(parameter.pack.range, "'pack' is for 4-bit types, and '" + name +
                                    "' is " +
                                    getName(variable->type.getElement()))
        .withHelp("remove it, or declare '" + name + "' as int4[" + extents +
                  "] and index it by element");
    return false;
  }
  // A symbol that stands alone in one dimension, or the number of one.
  const auto *wanted = llvm::dyn_cast<ast::NameExpr>(parameter.packDim.get());
  int found = -1;
  if (wanted)
    for (const auto &[index, dim] : llvm::enumerate(dims)) {
      const auto *dimName = llvm::dyn_cast<ast::NameExpr>(dim);
      if (!dimName || dimName->name != wanted->name)
        continue;
      if (found >= 0) {
        error(wanted->getRange(), "'" + wanted->name +
                                      "' is more than one dimension of '" +
                                      name + "'")
            .withHelp("write the number of the dimension, pack(" +
                      llvm::Twine(found) + ") or pack(" + llvm::Twine(index) +
                      ")");
        return false;
      }
      found = index;
    }
  if (found >= 0) {
    variable->packDim = found;
    return true;
  }
  if (wanted && !lookup(wanted->name)) {
    error(wanted->getRange(),
          "'" + wanted->name + "' is not a dimension of '" + name + "'");
    return false;
  }
  std::optional<Integer> number =
      checkConstantInteger(*parameter.packDim, "the packed dimension");
  if (!number)
    return false;
  if (*number < 0 || *number >= Integer(dims.size())) {
    error(parameter.packDim->getRange(),
          "'" + name + "' has dimensions 0 to " + llvm::Twine(dims.size() - 1) +
              ", and 'pack' names " + formatConstant(Constant(*number)));
    return false;
  }
  variable->packDim = static_cast<int>(*number);
  return true;
}

void Checker::fixSymbol(Variable *symbol, int64_t value, SourceRange range) {
  if (value < 0)
    error(range, "'" + symbol->name + "' is a size, 0 or more");
  else if (!symbol->constant)
    symbol->constant = Integer(value);
}

void Checker::bindSymbols(const ast::KernelDecl &decl) {
  for (Variable *symbol : symbols) {
    const Define *define = findDefine(symbol->name);
    if (!define)
      continue;
    ExprPtr value = evaluateDefine(*define);
    const auto *size =
        value->constant ? std::get_if<Integer>(&*value->constant) : nullptr;
    if (value->type.isInvalid())
      continue;
    if (!size || *size < 0 || *size > INT64_MAX)
      diagnostics.error(SourceRange(),
                        "-D " + define->name + "=" + define->value + ": '" +
                            define->name + "' is a size, 0 or more");
    else
      fixSymbol(symbol, static_cast<int64_t>(*size), SourceRange());
  }
  for (const ParameterSyntax &tensor : tensorSyntax) {
    unsigned index = scopes.back().lookup(tensor.syntax->name.text)->index;
    for (const auto &[dim, syntax] : llvm::enumerate(tensor.dims)) {
      const auto *name = llvm::dyn_cast<ast::NameExpr>(syntax);
      if (!name)
        continue;
      Variable *symbol = lookup(name->name);
      bool isNew =
          symbol && symbol->role == Variable::Role::Symbol && !symbol->isBound;
      if (!isNew)
        continue;
      symbol->isBound = true;
      symbol->index = kernel.symbols.size();
      kernel.symbols.push_back(
          {symbol->name, index, static_cast<unsigned>(dim), {}});
    }
  }
}

void Checker::reportUnboundSymbol(Variable *symbol) {
  std::string name = symbol->name;
  std::string help =
      "use " + name + " in another parameter, fix it with -D " + name + "=...";
  // In `K / 2` the dimension itself can be the symbol.
  for (const ParameterSyntax &tensor : tensorSyntax)
    for (const ast::Expr *dim : tensor.dims) {
      const auto *binary = llvm::dyn_cast<ast::BinaryExpr>(dim);
      if (!binary || binary->op != ast::BinaryOp::Divide ||
          binary->left->getStart() != symbol->declared.Start ||
          !llvm::isa<ast::NameExpr>(binary->left.get()))
        continue;
      help += ", or name this dimension " + name + "B and write " +
              getQuotedText(binary->right->getRange()) + " * " + name + "B";
    }
  error(symbol->declared, "nothing gives '" + name +
                              "' a value: it never stands alone as a dimension")
      .withHelp(help);
  // One message is enough.
  symbol->type = Type::getInvalid();
}

/// False, and an error, if a dimension is made of tensors.
bool Checker::checkDimensionNames(const ast::Expr &dim) {
  llvm::SmallVector<const ast::NameExpr *> names;
  collectNames(&dim, names);
  for (const ast::NameExpr *name : names) {
    Variable *variable = lookup(name->name);
    if (!variable || !variable->type.isTensor())
      continue;
    error(name->getRange(),
          "'" + name->name + "' is a tensor and cannot be an extent");
    return false;
  }
  return true;
}

/// Gives the tensors their dimensions, now that facts have fixed symbols.
void Checker::finishParameters() {
  for (Variable *symbol : symbols) {
    if (symbol->isBound && symbol->constant)
      kernel.symbols[symbol->index].value =
          static_cast<int64_t>(std::get<Integer>(*symbol->constant));
    if (!symbol->isBound && !symbol->constant)
      reportUnboundSymbol(symbol);
  }
  for (const ParameterSyntax &tensor : tensorSyntax) {
    Variable *variable = scopes.back().lookup(tensor.syntax->name.text);
    if (variable->type.isInvalid())
      continue;
    checked::Parameter &parameter = kernel.parameters[variable->index];
    parameter.isStrided = bool(tensor.syntax->strided);
    parameter.isStridedAll = bool(tensor.syntax->stridedOption);
    parameter.isPrepacked = bool(tensor.syntax->prepack);
    parameter.isNoalias = bool(tensor.syntax->noalias);
    Extents extents;
    for (const ast::Expr *syntax : tensor.dims) {
      extents.push_back(dynamicExtent);
      if (!checkDimensionNames(*syntax))
        continue;
      ExprPtr dim = checkIndexValue(*syntax, "a dimension");
      if (dim->type.isInvalid())
        continue;
      if (dim->constant) {
        auto value = static_cast<int64_t>(std::get<Integer>(*dim->constant));
        if (value < 0) {
          error(syntax->getRange(),
                "a dimension is 0 or more, found " + llvm::Twine(value));
          continue;
        }
        extents.back() = value;
      }
      std::optional<checked::LaunchExpr> launch;
      // A symbol that has a binding keeps its name, so that the launch can say
      // which size differs.
      const auto *name = llvm::dyn_cast<ast::NameExpr>(syntax);
      Variable *symbol = name ? lookup(name->name) : nullptr;
      if (symbol && symbol->isBound)
        launch = checked::LaunchExpr{
            checked::LaunchExpr::Kind::Name, 0, name->name.str(), {}};
      else
        launch = makeLaunchExpr(*dim, "a dimension");
      if (launch)
        parameter.dims.push_back(std::move(*launch));
      parameter.extents.push_back(std::move(dim));
    }
    variable->type = Type::getTensor(variable->type.getElement(), extents);
  }
}
