//===- ExpressionTest.cpp - Values of expression attributes ---------------===//
#include "compiler/Interpreter/Expression.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/MLIRContext.h"
#include <gtest/gtest.h>

using namespace tilec;

/// The value of an expression over M = 37 and zero = 0, or the text of the
/// error.
static std::string evaluate(llvm::StringRef text) {
  mlir::MLIRContext context;
  mlir::Attribute attr = mlir::parseAttribute(text, &context);
  auto lookup = [](llvm::StringRef name) -> std::optional<int64_t> {
    if (name == "M")
      return 37;
    return name == "zero" ? std::optional<int64_t>(0) : std::nullopt;
  };
  llvm::Expected<int64_t> value = evaluateExpression(attr, lookup);
  return value ? std::to_string(*value) : llvm::toString(value.takeError());
}

TEST(Expression, EvaluatesOperators) {
  EXPECT_EQ(evaluate("5 : i64"), "5");
  EXPECT_EQ(evaluate("\"M\""), "37");
  EXPECT_EQ(evaluate("[\"ceildiv\", \"M\", 8 : i64]"), "5");
  EXPECT_EQ(evaluate("[\"ceildiv\", -9 : i64, 4 : i64]"), "-2");
  EXPECT_EQ(evaluate("[\"/\", -9 : i64, 4 : i64]"), "-2");
  EXPECT_EQ(evaluate("[\"%\", -9 : i64, 4 : i64]"), "-1");
  EXPECT_EQ(evaluate("[\"*\", [\"+\", \"M\", 1 : i64], 2 : i64]"), "76");
  EXPECT_EQ(evaluate("[\"==\", [\"%\", \"M\", 2 : i64], 1 : i64]"), "1");
  EXPECT_EQ(evaluate("[\"min\", \"M\", 8 : i64]"), "8");
  EXPECT_EQ(evaluate("[\"neg\", \"M\"]"), "-37");
  EXPECT_EQ(evaluate("[\"!\", \"M\"]"), "0");
  EXPECT_EQ(evaluate("[\"<<\", 3 : i64, 4 : i64]"), "48");
  EXPECT_EQ(evaluate("[\">>\", -3 : i64, 70 : i64]"), "-1");
  EXPECT_EQ(evaluate("[\"^\", 6 : i64, 3 : i64]"), "5");
}

TEST(Expression, EvaluatesOnlyWhatCounts) {
  EXPECT_EQ(evaluate("[\"&&\", \"zero\", [\"/\", 1 : i64, \"zero\"]]"), "0");
  EXPECT_EQ(evaluate("[\"||\", \"M\", [\"/\", 1 : i64, \"zero\"]]"), "1");
  EXPECT_EQ(
      evaluate("[\"select\", \"zero\", [\"/\", 1 : i64, \"zero\"], 7 : i64]"),
      "7");
  EXPECT_EQ(evaluate("[\"&&\", \"M\", 5 : i64]"), "1");
}

TEST(Expression, TellsWhyThereIsNoValue) {
  EXPECT_EQ(evaluate("\"Q\""), "'Q' has no value here");
  EXPECT_EQ(evaluate("[\"/\", \"M\", \"zero\"]"),
            "'/' of 37 and 0 has no value in int64");
  EXPECT_EQ(evaluate("[\"*\", 4611686018427387904 : i64, 2 : i64]"),
            "'*' of 4611686018427387904 and 2 has no value in int64");
  EXPECT_EQ(evaluate("[\"sqrt\", \"M\"]"),
            "no operator 'sqrt' with 1 operands");
  EXPECT_EQ(evaluate("[\"+\", \"M\"]"), "no operator '+' with 1 operands");
  EXPECT_EQ(evaluate("unit"),
            "an expression is an integer, a string or [operator, operand...]");
}
