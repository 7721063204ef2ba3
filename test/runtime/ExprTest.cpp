//===-- ExprTest.cpp - Expressions of the manifest ------------------------===//

#include "runtime/lib/Expr.h"

#include <gtest/gtest.h>

using namespace tilert::detail;

namespace {

/// Names x and y, slots 0 and 1, and the fact ["address", ...], slot 2.
class TwoNames : public LeafResolver {
public:
  Leaf resolveName(JsonReader &reader, const Place &place) override {
    std::string name = reader.readString(place);
    if (name == "x" || name == "y")
      return {true, name == "y"};
    reader.fail(place, "'" + name + "' is unknown");
    return {};
  }
  bool isFact(std::string_view head) const override {
    return head == "address";
  }
  Leaf resolveFact(JsonReader &, const Place &) override { return {true, 2}; }
};

struct Compiled {
  Expr expr;
  std::string error;
};

Compiled compile(const std::string &json) {
  JsonReader reader("test", json);
  TwoNames names;
  Compiled result;
  result.expr = Expr::compile(reader, reader.root(), names);
  if (reader.hasFailed())
    result.error = reader.takeFailure().message();
  return result;
}

/// The value for x and y, as text, or the error.
std::string evaluate(const std::string &json, int64_t x = 0, int64_t y = 0) {
  Compiled compiled = compile(json);
  if (!compiled.error.empty())
    return compiled.error;
  int64_t slots[] = {x, y, 48}, value;
  EvalError error = compiled.expr.evaluate(slots, value);
  return error == EvalError::None ? std::to_string(value)
                                  : std::string(describe(error));
}

constexpr int64_t most = INT64_MAX, least = INT64_MIN;

TEST(Expr, ComputesEachOperator) {
  EXPECT_EQ(evaluate("42"), "42");
  EXPECT_EQ(evaluate(R"("x")", 7), "7");
  EXPECT_EQ(evaluate(R"(["address", "A"])"), "48");
  EXPECT_EQ(evaluate(R"(["+", "x", "y"])", 7, -9), "-2");
  EXPECT_EQ(evaluate(R"(["-", "x", "y"])", 7, -9), "16");
  EXPECT_EQ(evaluate(R"(["*", "x", "y"])", 7, -9), "-63");
  EXPECT_EQ(evaluate(R"(["/", "x", "y"])", -7, 2), "-3");
  EXPECT_EQ(evaluate(R"(["%", "x", "y"])", -7, 2), "-1");
  EXPECT_EQ(evaluate(R"(["ceildiv", "x", "y"])", 7, 2), "4");
  EXPECT_EQ(evaluate(R"(["ceildiv", "x", "y"])", -7, 2), "-3");
  EXPECT_EQ(evaluate(R"(["ceildiv", "x", "y"])", 0, 2), "0");
  EXPECT_EQ(evaluate(R"(["ceildiv", "x", "y"])", most, 2),
            "4611686018427387904");
  EXPECT_EQ(evaluate(R"(["min", "x", "y"])", 7, -9), "-9");
  EXPECT_EQ(evaluate(R"(["max", "x", "y"])", 7, -9), "7");
  EXPECT_EQ(evaluate(R"(["==", "x", "y"])", 7, 7), "1");
  EXPECT_EQ(evaluate(R"(["!=", "x", "y"])", 7, 7), "0");
  EXPECT_EQ(evaluate(R"(["<", "x", "y"])", -1, 7), "1");
  EXPECT_EQ(evaluate(R"(["<=", "x", "y"])", 7, 7), "1");
  EXPECT_EQ(evaluate(R"([">", "x", "y"])", 7, 7), "0");
  EXPECT_EQ(evaluate(R"([">=", "x", "y"])", 7, 7), "1");
  EXPECT_EQ(evaluate(R"(["!", "x"])", 5), "0");
  EXPECT_EQ(evaluate(R"(["!", "x"])", 0), "1");
  EXPECT_EQ(evaluate(R"(["neg", "x"])", 5), "-5");
  EXPECT_EQ(evaluate(R"(["<<", "x", "y"])", 5, 3), "40");
  EXPECT_EQ(evaluate(R"([">>", "x", "y"])", -5, 1), "-3");
  EXPECT_EQ(evaluate(R"([">>", "x", "y"])", -5, 64), "-1");
  EXPECT_EQ(evaluate(R"([">>", "x", "y"])", 5, -1), "0");
  EXPECT_EQ(evaluate(R"(["&", "x", "y"])", 12, 10), "8");
  EXPECT_EQ(evaluate(R"(["|", "x", "y"])", 12, 10), "14");
  EXPECT_EQ(evaluate(R"(["^", "x", "y"])", 12, 10), "6");
  EXPECT_EQ(evaluate(R"(["&&", "x", "y"])", 5, 3), "1");
  EXPECT_EQ(evaluate(R"(["&&", "x", "y"])", 5, 0), "0");
  EXPECT_EQ(evaluate(R"(["||", "x", "y"])", 0, 3), "1");
  EXPECT_EQ(evaluate(R"(["||", "x", "y"])", 0, 0), "0");
  EXPECT_EQ(evaluate(R"(["select", "x", 3, "y"])", 1, 9), "3");
  EXPECT_EQ(evaluate(R"(["select", "x", 3, "y"])", 0, 9), "9");
  EXPECT_EQ(evaluate(R"(["+", 1, ["select", "x", ["&&", "y", 1], 8]])", 1, 9),
            "2");
}

TEST(Expr, SkipsTheSideThatDoesNotCount) {
  EXPECT_EQ(evaluate(R"(["&&", "x", ["/", 1, "x"]])", 0), "0");
  EXPECT_EQ(evaluate(R"(["||", ["!", "x"], ["/", 1, "x"]])", 0), "1");
  EXPECT_EQ(evaluate(R"(["select", "x", ["/", 1, "x"], 5])", 0), "5");
  EXPECT_EQ(evaluate(R"(["select", ["!", "x"], 5, ["/", 1, "x"]])", 0), "5");
}

TEST(Expr, RefusesOverflow) {
  const char *overflow = "overflows int64";
  EXPECT_EQ(evaluate(R"(["+", "x", "y"])", most, 1), overflow);
  EXPECT_EQ(evaluate(R"(["-", "x", "y"])", least, 1), overflow);
  EXPECT_EQ(evaluate(R"(["*", "x", "y"])", most, 2), overflow);
  EXPECT_EQ(evaluate(R"(["/", "x", "y"])", least, -1), overflow);
  EXPECT_EQ(evaluate(R"(["%", "x", "y"])", least, -1), "0");
  EXPECT_EQ(evaluate(R"(["neg", "x"])", least), overflow);
  EXPECT_EQ(evaluate(R"(["<<", "x", "y"])", 1, 63), overflow);
  EXPECT_EQ(evaluate(R"(["<<", "x", "y"])", 1, 64), overflow);
  EXPECT_EQ(evaluate(R"(["<<", "x", "y"])", 0, 64), "0");
  EXPECT_EQ(evaluate(R"(["<<", "x", "y"])", -1, 63), std::to_string(least));
}

TEST(Expr, RefusesDivisionByZero) {
  EXPECT_EQ(evaluate(R"(["/", "x", "y"])", 5, 0), "divides by zero");
  EXPECT_EQ(evaluate(R"(["%", "x", "y"])", 5, 0), "divides by zero");
  EXPECT_EQ(evaluate(R"(["ceildiv", "x", "y"])", 5, 0), "divides by zero");
  EXPECT_EQ(evaluate(R"(["ceildiv", "x", "y"])", 5, -2),
            "takes 'ceildiv' by a negative number");
}

TEST(Expr, SaysWhereATreeIsWrong) {
  EXPECT_EQ(evaluate(R"(["+", 1])"),
            "test: the document: '+' takes 2 operands, found 1");
  EXPECT_EQ(evaluate(R"(["neg", 1, 2])"),
            "test: the document: 'neg' takes 1 operand, found 2");
  EXPECT_EQ(evaluate(R"(["+", 1, ["select", 1, 2]])"),
            "test: /2: 'select' takes 3 operands, found 2");
  EXPECT_EQ(evaluate(R"(["+", 1, ["pow", 1, 2]])"),
            "test: /2: no operator is called 'pow'");
  EXPECT_EQ(evaluate(R"(["+", 1, "z"])"), "test: /2: 'z' is unknown");
  EXPECT_EQ(
      evaluate(R"(["+", 1, 1.5])"),
      "test: /2: expected an expression: an integer, a name or an array that "
      "begins with an operator");
  EXPECT_EQ(
      evaluate(R"(["+", 1, []])"),
      "test: /2: expected an expression: an integer, a name or an array that "
      "begins with an operator");
  EXPECT_EQ(evaluate(R"(["+", 1, 9223372036854775808])"),
            "test: /2: 9223372036854775808 is not from -9223372036854775808 to "
            "9223372036854775807");
}

TEST(Expr, BoundsTheDepth) {
  auto nest = [](int depth) {
    std::string text;
    for (int i = 1; i < depth; ++i)
      text += R"(["+", 1, )";
    return text + "1" + std::string(size_t(depth - 1), ']');
  };
  EXPECT_EQ(evaluate(nest(64)), "64");
  EXPECT_NE(evaluate(nest(65)).find("nested deeper than 64"),
            std::string::npos);
  EXPECT_NE(evaluate(nest(100000)).find("nested deeper than 64"),
            std::string::npos);
}

TEST(Expr, PrintsLikeTheLanguage) {
  auto text = [](const char *json) { return compile(json).expr.text(); };
  EXPECT_EQ(text(R"(["ceildiv", ["+", "x", 1], 128])"), "ceildiv(x + 1, 128)");
  EXPECT_EQ(text(R"(["*", ["+", "x", 1], "y"])"), "(x + 1) * y");
  EXPECT_EQ(text(R"(["-", "x", ["-", "y", 1]])"), "x - (y - 1)");
  EXPECT_EQ(text(R"(["-", ["-", "x", "y"], 1])"), "x - y - 1");
  EXPECT_EQ(text(R"(["==", ["&", "x", 3], 0])"), "x & 3 == 0");
  EXPECT_EQ(text(R"(["&", ["==", "x", 3], 1])"), "(x == 3) & 1");
  EXPECT_EQ(text(R"(["==", ["==", "x", 3], 1])"), "(x == 3) == 1");
  EXPECT_EQ(text(R"(["&&", ["||", "x", "y"], ["!", "y"]])"), "(x || y) && !y");
  EXPECT_EQ(text(R"(["neg", ["+", "x", 1]])"), "-(x + 1)");
  EXPECT_EQ(text(R"(["select", "x", 1, ["min", 2, "y"]])"),
            "select(x, 1, min(2, y))");
  EXPECT_EQ(text(R"(["%", ["address", "A"], 16])"), "address(A) % 16");
}

TEST(Expr, KnowsWhatItReads) {
  EXPECT_EQ(compile(R"("y")").expr.singleSlot(), 1);
  EXPECT_EQ(compile(R"(["+", "y", 1])").expr.singleSlot(), -1);
  int64_t value = 0;
  EXPECT_TRUE(compile("5").expr.isConstant(value));
  EXPECT_EQ(value, 5);
  EXPECT_FALSE(compile(R"("y")").expr.isConstant(value));
  EXPECT_EQ(compile(R"(["+", ["*", "y", "y"], "x"])").expr.slotsRead(),
            (std::vector<int32_t>{1, 0}));
}

} // namespace
