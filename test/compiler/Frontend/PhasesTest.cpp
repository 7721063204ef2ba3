//===- PhasesTest.cpp - The phases and what they hand on ------------------===//
#include "compiler/Frontend/Frontend.h"
#include "compiler/Frontend/Syntax/Lexer.h"
#include "dialects/Tile/IR/TileOps.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "gtest/gtest.h"

using namespace tilec;

namespace {

TEST(Lexer, TakesTheLongestOperator) {
  DiagnosticEngine diagnostics;
  std::vector<TokenKind> kinds;
  for (const Token &token :
       lex("a <<= b << c <= d +: e += f _ _x", diagnostics))
    kinds.push_back(token.kind);
  using enum TokenKind;
  EXPECT_EQ(kinds, (std::vector<TokenKind>{Identifier, LessLessEqual,
                                           Identifier, LessLess, Identifier,
                                           LessEqual, Identifier, PlusColon,
                                           Identifier, PlusEqual, Identifier,
                                           Underscore, Identifier, EndOfFile}));
  EXPECT_FALSE(diagnostics.hasErrors());
}

TEST(Lexer, ReadsEscapesOfStrings) {
  DiagnosticEngine diagnostics;
  std::vector<Token> tokens = lex(R"("a\n\t\"\\b")", diagnostics);
  ASSERT_EQ(tokens.front().kind, TokenKind::String);
  EXPECT_EQ(getStringValue(tokens.front()), "a\n\t\"\\b");
}

class FrontendTest : public testing::Test {
protected:
  void setSource(llvm::StringRef text) {
    sources.AddNewSourceBuffer(
        llvm::MemoryBuffer::getMemBufferCopy(text, "k.tile"), {});
  }
  llvm::SourceMgr sources;
  DiagnosticEngine diagnostics;
};

TEST_F(FrontendTest, GivesEachOperationItsPlace) {
  setSource("kernel k(X: f32[M], Y: out f32[M]) threads(32)\n"
            "{\n"
            "    let Xs = alloc_shared(f32[32]);\n"
            "    copy(X[0], Xs);\n"
            "}\n");
  mlir::MLIRContext context;
  auto module = parseTileFile(sources, {}, context, diagnostics);
  ASSERT_TRUE(module);
  unsigned copies = 0;
  module->walk([&](mlir::tile::CopyOp copy) {
    auto place = copy.getLoc()->findInstanceOf<mlir::FileLineColLoc>();
    ASSERT_TRUE(place);
    EXPECT_EQ(place.getFilename().getValue(), "k.tile");
    EXPECT_EQ(place.getLine(), 4u);
    EXPECT_EQ(place.getColumn(), 5u);
    ++copies;
  });
  EXPECT_EQ(copies, 1u);
  // Memory also carries the name of its variable.
  module->walk([](mlir::tile::AllocSharedOp alloc) {
    auto name = mlir::dyn_cast<mlir::NameLoc>(alloc.getLoc());
    ASSERT_TRUE(name);
    EXPECT_EQ(name.getName().getValue(), "Xs");
  });
}

TEST_F(FrontendTest, ChecksOneKernelWhenAsked) {
  setSource("kernel good(X: f32[M]) { }\n"
            "kernel bad(X: f32[M]) { undeclared(1); }\n");
  FrontendOptions options;
  options.kernel = "good";
  mlir::MLIRContext context;
  EXPECT_TRUE(parseTileFile(sources, options, context, diagnostics));
  options.kernel = "bad";
  EXPECT_FALSE(parseTileFile(sources, options, context, diagnostics));
}

TEST_F(FrontendTest, StopsBeforeTheNextPhase) {
  setSource("kernel k(X: f32[M]) { let x = ; undeclared(1); }\n");
  mlir::MLIRContext context;
  EXPECT_FALSE(parseTileFile(sources, {}, context, diagnostics));
  EXPECT_EQ(diagnostics.getErrorCount(), 1u);
}

TEST_F(FrontendTest, KeepsTheTuningSet) {
  setSource("kernel k(X: f32[M]) config(BM = 64 in {32, 64}, T = f16 in {f16, "
            "bf16}) { }\n");
  ast::File file = parseSource(sources, diagnostics);
  checked::Module module = checkSource(file, {}, diagnostics);
  ASSERT_FALSE(diagnostics.hasErrors());
  const auto &config = module.kernels.front().config;
  ASSERT_EQ(config.size(), 2u);
  EXPECT_EQ(config[0].choices,
            (std::vector<Constant>{Integer(32), Integer(64)}));
  EXPECT_EQ(config[1].choices,
            (std::vector<Constant>{ElementType::F16, ElementType::BF16}));
}

} // namespace
