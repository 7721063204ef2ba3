//===- TextTable.h - Columns of text --------------------------------------===//
#ifndef TILE_COMPILER_DRIVER_REPORT_TEXTTABLE_H
#define TILE_COMPILER_DRIVER_REPORT_TEXTTABLE_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>
#include <vector>

namespace llvm {
class raw_ostream;
}

namespace tilec {

/// Rows under column titles.  A column whose title ends in a space is aligned
/// to the left, as words are; others to the right, as numbers are.
class TextTable {
public:
  explicit TextTable(std::vector<std::string> titles)
      : titles(std::move(titles)) {}

  /// Adds a row, one cell a column, unless there is the same one already.
  void addRow(std::vector<std::string> cells);
  bool isEmpty() const { return rows.empty(); }

  /// Prints titles and rows, each line indented.
  void print(llvm::raw_ostream &os, unsigned indent) const;

private:
  std::vector<std::string> titles;
  std::vector<std::vector<std::string>> rows;
};

/// "98,304"
std::string formatCount(int64_t count);

} // namespace tilec

#endif // TILE_COMPILER_DRIVER_REPORT_TEXTTABLE_H
