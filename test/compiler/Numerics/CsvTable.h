//===- CsvTable.h - Reads the tables of the golden data -------------------===//
#ifndef TEST_COMPILER_NUMERICS_CSVTABLE_H
#define TEST_COMPILER_NUMERICS_CSVTABLE_H

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

/// The rows of test/golden/tables/NAME.csv without its header; empty if there
/// is no such file.
inline std::vector<std::vector<std::string>>
readTable(const std::string &name) {
  std::ifstream file(std::string(TILE_GOLDEN_TABLES) + "/" + name + ".csv");
  std::vector<std::vector<std::string>> rows;
  std::string line, cell;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::istringstream cells(line);
    rows.emplace_back();
    while (std::getline(cells, cell, ','))
      rows.back().push_back(cell);
  }
  return rows;
}

#endif // TEST_COMPILER_NUMERICS_CSVTABLE_H
