//===- ASTPrinter.cpp - The syntax tree as text ---------------------------===//
#include "compiler/Frontend/Syntax/ASTPrinter.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include <charconv>
#include <cmath>

using namespace tilec;
using namespace tilec::ast;

std::string tilec::formatFloat(double value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  char buffer[32];
  auto [end, status] = std::to_chars(buffer, buffer + sizeof(buffer), value);
  std::string text(buffer, end);
  if (text.find_first_of(".e") == std::string::npos)
    text += ".0";
  return text;
}

std::string tilec::formatInteger(__int128 value) {
  if (value == 0)
    return "0";
  bool isNegative = value < 0;
  std::string digits;
  // Digits of the negative number: the smallest one has no positive.
  for (__int128 rest = isNegative ? value : -value; rest != 0; rest /= 10)
    digits += static_cast<char>('0' - rest % 10);
  if (isNegative)
    digits += '-';
  return std::string(digits.rbegin(), digits.rend());
}

namespace {
class Printer {
public:
  Printer(llvm::raw_ostream &os, const llvm::SourceMgr &sources,
          bool showsPlaces)
      : os(os), sources(sources), showsPlaces(showsPlaces) {}

  void print(const File &file);
  /// What the file's kernels share, without its imports.
  void printShared(const File &file);
  void print(const KernelDecl &kernel);

private:
  void print(const FunctionDecl &function);
  void print(const KernelParameter &parameter);
  void print(const TypeSyntax &type);
  void print(const Stmt *stmt);
  void print(const Expr *expr);
  void print(const Index &index);
  void print(const std::vector<Argument> &arguments);

  /// Begins a line; what is printed in the scope of the result is indented.
  struct Indent {
    explicit Indent(Printer &printer) : printer(printer) { ++printer.depth; }
    ~Indent() { --printer.depth; }
    Printer &printer;
  };
  llvm::raw_ostream &line(llvm::SMLoc location, const llvm::Twine &what) {
    os.indent(2 * depth) << what;
    if (!showsPlaces)
      return os << '\n';
    Position position = getPosition(sources, location);
    return os << " <" << position.line << ':' << position.column << ">\n";
  }
  llvm::raw_ostream &line(const llvm::Twine &what) {
    return os.indent(2 * depth) << what << '\n';
  }
  /// A child with a role, as `Then` of an `If`.
  template <typename Node> void child(llvm::StringRef role, const Node &node) {
    line(role);
    Indent indent(*this);
    print(node);
  }

  llvm::raw_ostream &os;
  const llvm::SourceMgr &sources;
  bool showsPlaces;
  unsigned depth = 0;
};
} // namespace

static std::string quote(llvm::StringRef text) {
  return "'" + text.str() + "'";
}

void Printer::print(const File &file) {
  for (const ImportDecl &import : file.imports)
    line(import.range.Start, "Import " + quote(import.path));
  printShared(file);
  for (const KernelDecl &kernel : file.kernels)
    print(kernel);
}

void Printer::printShared(const File &file) {
  for (const ConstDecl &constant : file.constants) {
    line(constant.name.range.Start, "Const " + quote(constant.name.text));
    Indent indent(*this);
    print(constant.value.get());
  }
  for (const FunctionDecl &function : file.functions)
    print(function);
}

void Printer::print(const FunctionDecl &function) {
  static constexpr llvm::StringLiteral modes[] = {"", " inout", " shared",
                                                  " global"};
  line(function.name.range.Start, "Function " + quote(function.name.text));
  Indent indent(*this);
  for (const FunctionParameter &parameter : function.parameters) {
    line(parameter.name.range.Start,
         "Parameter " + quote(parameter.name.text) +
             modes[static_cast<unsigned>(parameter.mode)]);
    Indent inner(*this);
    print(parameter.type);
  }
  if (function.result)
    child("Result", *function.result);
  print(function.body.get());
}

void Printer::print(const KernelDecl &kernel) {
  line(kernel.name.range.Start, "Kernel " + quote(kernel.name.text));
  Indent indent(*this);
  for (const KernelParameter &parameter : kernel.parameters)
    print(parameter);
  for (const ConfigConstant &constant : kernel.config) {
    line(constant.name.range.Start, "Config " + quote(constant.name.text));
    Indent inner(*this);
    print(constant.value.get());
    if (constant.choices.empty())
      continue;
    line("In");
    Indent innermost(*this);
    for (const ExprPtr &choice : constant.choices)
      print(choice.get());
  }
  for (const ExprPtr &fact : kernel.facts)
    child("Where", fact.get());
  for (const GridAxis &axis : kernel.axes) {
    line(axis.name.range.Start, "Axis " + quote(axis.name.text));
    Indent inner(*this);
    print(axis.extent.get());
  }
  if (kernel.threads)
    child("Threads", kernel.threads.get());
  print(kernel.body.get());
}

void Printer::print(const KernelParameter &parameter) {
  std::string qualifiers;
  if (parameter.access != Access::In)
    qualifiers += " " + ast::getSpelling(parameter.access).str();
  if (parameter.strided)
    qualifiers += parameter.stridedOption
                      ? " strided(" + parameter.stridedOption.text.str() + ")"
                      : " strided";
  if (parameter.prepack)
    qualifiers += " prepack";
  if (parameter.noalias)
    qualifiers += " noalias";
  line(parameter.name.range.Start,
       "Parameter " + quote(parameter.name.text) + qualifiers);
  Indent indent(*this);
  print(parameter.type);
  if (parameter.pack)
    child("Pack", parameter.packDim.get());
}

void Printer::print(const TypeSyntax &type) {
  line(type.range.Start, "Type " + quote(type.element->getText()));
  Indent indent(*this);
  for (const ExprPtr &extent : type.extents)
    print(extent.get());
}

void Printer::print(const Stmt *stmt) {
  llvm::SMLoc start = stmt->getRange().Start;
  llvm::TypeSwitch<const Stmt *>(stmt)
      .Case<BlockStmt>([&](const BlockStmt *block) {
        line(start, "Block");
        Indent indent(*this);
        for (const StmtPtr &inner : block->statements)
          print(inner.get());
      })
      .Case<LetStmt>([&](const LetStmt *let) {
        line(start, (let->isVar ? "Var " : "Let ") + quote(let->name.text));
        Indent indent(*this);
        if (let->type)
          print(*let->type);
        print(let->value.get());
      })
      .Case<AssignStmt>([&](const AssignStmt *assign) {
        line(start, "Assign '" +
                        (assign->op ? ast::getSpelling(*assign->op) : "") +
                        "='");
        Indent indent(*this);
        print(assign->target.get());
        print(assign->value.get());
      })
      .Case<CallStmt>([&](const CallStmt *call) { print(call->call.get()); })
      .Case<IfStmt>([&](const IfStmt *branch) {
        line(start, "If");
        Indent indent(*this);
        print(branch->condition.get());
        print(branch->thenBlock.get());
        if (branch->elseBranch)
          child("Else", branch->elseBranch.get());
      })
      .Case<WhileStmt>([&](const WhileStmt *loop) {
        line(start, "While");
        Indent indent(*this);
        print(loop->condition.get());
        print(loop->body.get());
      })
      .Case<ForStmt>([&](const ForStmt *loop) {
        std::string names;
        for (const Name &variable : loop->variables)
          names += " " + quote(variable.text);
        line(start, "For" + names + " in " + ast::getSpelling(loop->loop));
        Indent indent(*this);
        print(loop->arguments);
        print(loop->body.get());
      })
      .Case<ReturnStmt>([&](const ReturnStmt *ret) {
        line(start, "Return");
        Indent indent(*this);
        if (ret->value)
          print(ret->value.get());
      })
      .Case<BreakStmt>([&](const BreakStmt *) { line(start, "Break"); })
      .Case<ContinueStmt>(
          [&](const ContinueStmt *) { line(start, "Continue"); })
      .Case<WarpgroupStmt>([&](const WarpgroupStmt *warpgroup) {
        line(start, "Warpgroup");
        Indent indent(*this);
        for (const ExprPtr &group : warpgroup->groups)
          print(group.get());
        print(warpgroup->body.get());
      });
}

void Printer::print(const std::vector<Argument> &arguments) {
  for (const Argument &argument : arguments) {
    if (!argument.name) {
      print(argument.value.get());
      continue;
    }
    line(argument.name.range.Start, "Option " + quote(argument.name.text));
    Indent indent(*this);
    print(argument.value.get());
  }
}

void Printer::print(const Index &index) {
  static constexpr llvm::StringLiteral kinds[] = {"NewAxis", "Full", "Plain",
                                                  "Region", "Range"};
  if (index.kind == Index::Kind::Plain)
    return print(index.first.get());
  line(index.range.Start, kinds[static_cast<unsigned>(index.kind)]);
  Indent indent(*this);
  for (const Expr *part : {index.first.get(), index.second.get()})
    if (part)
      print(part);
}

void Printer::print(const Expr *expr) {
  llvm::SMLoc start = expr->getStart();
  llvm::TypeSwitch<const Expr *>(expr)
      .Case<IntegerExpr>([&](const IntegerExpr *integer) {
        line(start, "Integer " + formatInteger(integer->value));
      })
      .Case<FloatExpr>([&](const FloatExpr *number) {
        line(start, "Float " + formatFloat(number->value));
      })
      .Case<BoolExpr>([&](const BoolExpr *boolean) {
        line(start, boolean->value ? "Bool true" : "Bool false");
      })
      .Case<StringExpr>([&](const StringExpr *string) {
        // As written: with its quotes and escapes.
        line(start, "String " + string->getText());
      })
      .Case<TypeNameExpr>([&](const TypeNameExpr *type) {
        line(start, "TypeName " + quote(getName(type->type)));
      })
      .Case<NameExpr>([&](const NameExpr *name) {
        line(start, "Name " + quote(name->name));
      })
      .Case<UnaryExpr>([&](const UnaryExpr *unary) {
        line(start, "Unary " + quote(ast::getSpelling(unary->op)));
        Indent indent(*this);
        print(unary->operand.get());
      })
      .Case<BinaryExpr>([&](const BinaryExpr *binary) {
        line(start, "Binary " + quote(ast::getSpelling(binary->op)));
        Indent indent(*this);
        print(binary->left.get());
        print(binary->right.get());
      })
      .Case<IndexExpr>([&](const IndexExpr *indexed) {
        line(start, "Index");
        Indent indent(*this);
        print(indexed->base.get());
        for (const Index &index : indexed->indices)
          print(index);
      })
      .Case<CallExpr>([&](const CallExpr *call) {
        line(start, "Call " + quote(call->callee.text));
        Indent indent(*this);
        print(call->arguments);
      })
      .Case<CastExpr>([&](const CastExpr *cast) {
        std::string option =
            cast->option ? ", " + cast->option.text.str() : std::string();
        line(start, (cast->isReinterpret ? "Reinterpret " : "Cast ") +
                        quote(cast->type->getText().str() + option));
        Indent indent(*this);
        print(cast->operand.get());
      })
      .Case<IfExpr>([&](const IfExpr *branch) {
        line(start, "IfValue");
        Indent indent(*this);
        print(branch->condition.get());
        print(branch->thenValue.get());
        print(branch->elseValue.get());
      });
}

void tilec::printAST(llvm::raw_ostream &os, const llvm::SourceMgr &sources,
                     const File &file) {
  Printer(os, sources, /*showsPlaces=*/true).print(file);
}

std::string tilec::printKernelText(const llvm::SourceMgr &sources,
                                   const File &file, llvm::StringRef kernel) {
  std::string text;
  llvm::raw_string_ostream os(text);
  Printer printer(os, sources, /*showsPlaces=*/false);
  printer.printShared(file);
  for (const KernelDecl &decl : file.kernels)
    if (decl.name.text == kernel)
      printer.print(decl);
  return text;
}
