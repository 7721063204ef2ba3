//===- TuneSpaceTest.cpp - What tuning may change about a kernel ----------===//
#include "compiler/Driver/Tune/Space.h"

#include "compiler/Driver/Compile.h"
#include "compiler/Driver/Failure.h"
#include "compiler/Frontend/Frontend.h"
#include "llvm/Support/SourceMgr.h"
#include "gtest/gtest.h"

using namespace tilec;

namespace {

checked::Module check(llvm::SourceMgr &sources, llvm::StringRef config) {
  std::string text =
      ("kernel k(X: f32[N]) config(" + config + ") threads(32) {}").str();
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, "k"),
                             {});
  DiagnosticEngine diagnostics;
  ast::File file = parseProgram(sources, diagnostics);
  checked::Module module = checkSource(file, {}, diagnostics);
  EXPECT_FALSE(diagnostics.hasErrors());
  return module;
}

std::string show(const TuneSpace &space, const TunePoint &point) {
  std::string text;
  for (const NamedText &value : space.getDefinitions(point))
    text += value.name + "=" + value.text + " ";
  for (const NamedText &value : space.getSettings(point))
    text += "set " + value.name + "=" + value.text + " ";
  return text;
}

TEST(TuneSpace, HasTheSetsThatAreNotGiven) {
  llvm::SourceMgr sources;
  checked::Module module = check(
      sources, "A = 1 in {1, 2}, B = 7, C = 3 in {3}, D = f16 in {f16, bf16}, "
               "E = 5 in {6, 7}, F = 0.5 in {0.25, 0.5}, G = true in {false}");
  TuneSpace space;
  space.addConfig(module.kernels[0], {{"A", "2"}});
  ASSERT_EQ(space.getDimensions().size(), 4u);
  EXPECT_EQ(space.getDimensions()[0].name, "D");
  EXPECT_EQ(space.getDimensions()[0].values,
            (std::vector<std::string>{"f16", "bf16"}));
  // A default outside of its set is a value too.
  EXPECT_EQ(space.getDimensions()[1].values,
            (std::vector<std::string>{"5", "6", "7"}));
  EXPECT_EQ(space.getDimensions()[2].values,
            (std::vector<std::string>{"0.5", "0.25"}));
  EXPECT_EQ(space.getDimensions()[3].values,
            (std::vector<std::string>{"true", "false"}));
  EXPECT_EQ(space.count(), 24);
}

TEST(TuneSpace, ListsTheNearestToTheDefaultFirst) {
  llvm::SourceMgr sources;
  checked::Module module =
      check(sources, "A = 1 in {1, 2, 3}, B = 4 in {4, 5}");
  TuneSpace space;
  space.addConfig(module.kernels[0], {});
  std::vector<std::string> points;
  for (const TunePoint &point : space.listConfigs(100))
    points.push_back(show(space, point));
  EXPECT_EQ(points, (std::vector<std::string>{"", "A=2 ", "A=3 ", "B=5 ",
                                              "A=2 B=5 ", "A=3 B=5 "}));
  EXPECT_EQ(space.listConfigs(3).size(), 3u);
}

/// The space of a product for sm_90a.
class DecisionSpace : public testing::Test {
protected:
  TuneSpace make(std::vector<NamedText> given, llvm::StringRef config = "") {
    CompileOptions options;
    options.inputFile = TILE_EXAMPLES "/gemm_bf16.tile";
    options.target = "sm_90a";
    options.settings = given;
    Compilation compilation(options);
    EXPECT_EQ(reportError(compilation.compileToDecisions(), llvm::errs()), 0);
    llvm::SmallVector<mlir::tile::KernelOp> variants(
        compilation.getLoweredModule().getOps<mlir::tile::KernelOp>());
    TuneSpace space;
    llvm::SourceMgr sources;
    if (!config.empty())
      space.addConfig(check(sources, config).kernels[0], {});
    space.addDecisions(variants, given);
    return space;
  }

  static std::vector<std::string> getNames(const TuneSpace &space) {
    std::vector<std::string> names;
    for (const TuneDimension &dimension : space.getDimensions())
      names.push_back(dimension.name);
    llvm::sort(names);
    return names;
  }
};

TEST_F(DecisionSpace, HasTheDecisionsThatWereTaken) {
  TuneSpace space = make({}, "A = 1 in {2}");
  EXPECT_EQ(getNames(space),
            (std::vector<std::string>{"A", "instruction", "min_blocks",
                                      "raster", "schedule", "swap", "warps"}));
  for (const TuneDimension &dimension : space.getDimensions())
    if (dimension.name == "instruction")
      EXPECT_EQ(dimension.values, (std::vector<std::string>{"wgmma", "mma"}));
}

TEST_F(DecisionSpace, LeavesOutWhatIsGiven) {
  TuneSpace space = make({{"instruction", "mma"}, {"raster", "2"}});
  EXPECT_EQ(getNames(space),
            (std::vector<std::string>{"min_blocks", "stages", "warps"}));
}

TEST_F(DecisionSpace, ChangesUpToTwoDecisions) {
  TuneSpace space =
      make({{"instruction", "mma"}, {"warps", "2x4"}, {"stages", "4"}});
  std::vector<std::string> points;
  for (const TunePoint &point : space.listDecided(space.getDefault()))
    points.push_back(show(space, point));
  EXPECT_EQ(points, (std::vector<std::string>{
                        "set raster=4 ", "set raster=16 ", "set raster=0 ",
                        "set min_blocks=2 ", "set raster=4 set min_blocks=2 ",
                        "set raster=16 set min_blocks=2 ",
                        "set raster=0 set min_blocks=2 "}));
}

} // namespace
