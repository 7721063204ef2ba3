//===- TextTable.cpp - Columns of text ------------------------------------===//
#include "compiler/Driver/Report/TextTable.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace tilec;

void TextTable::addRow(std::vector<std::string> cells) {
  if (!llvm::is_contained(rows, cells))
    rows.push_back(std::move(cells));
}

void TextTable::print(llvm::raw_ostream &os, unsigned indent) const {
  std::vector<std::string> head;
  std::vector<bool> isLeft;
  for (llvm::StringRef title : titles) {
    isLeft.push_back(title.ends_with(" "));
    head.push_back(title.rtrim().str());
  }
  std::vector<size_t> widths;
  for (size_t column = 0; column < head.size(); ++column) {
    widths.push_back(head[column].size());
    for (const std::vector<std::string> &row : rows)
      widths.back() = std::max(widths.back(), row[column].size());
  }
  auto printRow = [&](const std::vector<std::string> &row) {
    std::string line(indent, ' ');
    for (size_t column = 0; column < row.size(); ++column) {
      std::string padding(widths[column] - row[column].size(), ' ');
      line += isLeft[column] ? row[column] + padding : padding + row[column];
      line += "  ";
    }
    os << llvm::StringRef(line).rtrim() << '\n';
  };
  printRow(head);
  for (const std::vector<std::string> &row : rows)
    printRow(row);
}

std::string tilec::formatCount(int64_t count) {
  std::string digits = std::to_string(count);
  for (int64_t place = static_cast<int64_t>(digits.size()) - 3;
       place > (count < 0 ? 1 : 0); place -= 3)
    digits.insert(place, ",");
  return digits;
}
