//===- DiagnosticsTest.cpp - Collecting and printing diagnostics ----------===//
#include "compiler/Frontend/Diagnostics/Diagnostics.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "gtest/gtest.h"

using namespace tilec;

namespace {

class DiagnosticsTest : public testing::Test {
protected:
  void setSource(llvm::StringRef text) {
    sources.AddNewSourceBuffer(
        llvm::MemoryBuffer::getMemBufferCopy(text, "k.tile"), {});
  }
  SourceRange getRange(size_t begin, size_t end) {
    const char *text = sources.getMemoryBuffer(1)->getBufferStart();
    return {llvm::SMLoc::getFromPointer(text + begin),
            llvm::SMLoc::getFromPointer(text + end)};
  }
  std::string print() {
    std::string text;
    llvm::raw_string_ostream os(text);
    printDiagnostics(os, sources, diagnostics);
    return text;
  }

  llvm::SourceMgr sources;
  DiagnosticEngine diagnostics;
};

TEST_F(DiagnosticsTest, PrintsInTheOrderOfTheSource) {
  setSource("first\nsecond\n");
  diagnostics.error(getRange(6, 12), "two").withHelp("more").note({}, "why");
  diagnostics.error(getRange(0, 5), "one").underline(getRange(2, 3));
  diagnostics.error(SourceRange(), "zero");
  EXPECT_EQ(print(), "error: zero\n"
                     "k.tile:1:1: error: one\nfirst\n^~~~~\n"
                     "k.tile:2:1: error: two\nsecond\n^~~~~~\n"
                     "note: why\nhelp: more\n");
}

TEST_F(DiagnosticsTest, KeepsTabsAboveTheMarks) {
  setSource("\tlet\tx;\n");
  diagnostics.error(getRange(5, 6), "here").underline(getRange(1, 4));
  EXPECT_EQ(print(), "k.tile:1:6: error: here\n\tlet\tx;\n\t~~~\t^\n");
}

TEST_F(DiagnosticsTest, CountsCharactersNotBytesUnderTheLine) {
  setSource("caf\xC3\xA9 x\n");
  diagnostics.error(getRange(6, 7), "here");
  EXPECT_EQ(print(), "k.tile:1:7: error: here\ncaf\xC3\xA9 x\n     ^\n");
}

TEST_F(DiagnosticsTest, MarksThePlaceAfterTheLastCharacter) {
  setSource("end");
  diagnostics.error(getRange(3, 3), "here");
  EXPECT_EQ(print(), "k.tile:1:4: error: here\nend\n   ^\n");
}

TEST_F(DiagnosticsTest, LeavesOutRangesOfOtherLines) {
  setSource("one\ntwo\n");
  diagnostics.error(getRange(4, 7), "here").underline(getRange(0, 3));
  EXPECT_EQ(print(), "k.tile:2:1: error: here\ntwo\n^~~\n");
}

TEST_F(DiagnosticsTest, KeepsARepeatedMessageOnce) {
  setSource("text\n");
  for (int i = 0; i < 3; ++i)
    diagnostics.error(getRange(0, 4), "again");
  EXPECT_EQ(diagnostics.getErrorCount(), 1u);
}

TEST_F(DiagnosticsTest, StopsShowingErrorsAtTheLimit) {
  setSource(std::string(200, 'x'));
  for (int i = 0; i < 150; ++i)
    diagnostics.error(getRange(i, i + 1), "wrong");
  EXPECT_EQ(diagnostics.getErrorCount(), 150u);
  EXPECT_EQ(diagnostics.getSorted(sources).size(), 100u);
  EXPECT_TRUE(llvm::StringRef(print()).ends_with(
      "note: 50 more errors are not shown\n"));
}

TEST_F(DiagnosticsTest, PrintsJsonThatParses) {
  setSource("one\ntwo\n");
  diagnostics.error(getRange(4, 7), "bad \"\xFF\"")
      .note(getRange(0, 3).Start, "because")
      .withHelp("do this");
  std::string text;
  llvm::raw_string_ostream os(text);
  printDiagnosticsAsJson(os, sources, diagnostics);
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(text);
  ASSERT_TRUE(bool(parsed)) << llvm::toString(parsed.takeError());
  const llvm::json::Object &entry =
      *parsed->getAsArray()->front().getAsObject();
  EXPECT_EQ(entry.getString("severity"), "error");
  EXPECT_EQ(entry.getString("file"), "k.tile");
  EXPECT_EQ(entry.getInteger("line"), 2);
  EXPECT_EQ(entry.getInteger("column"), 1);
  EXPECT_EQ(entry.getInteger("end_column"), 4);
  EXPECT_EQ(entry.getString("help"), "do this");
  const llvm::json::Object &note =
      *entry.getArray("notes")->front().getAsObject();
  EXPECT_EQ(note.getInteger("line"), 1);
  EXPECT_EQ(note.getString("message"), "because");
}

} // namespace
