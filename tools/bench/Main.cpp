//===-- Main.cpp - tile-bench: times kernels beside cuBLASLt --------------===//

#include "tools/bench/Statistics.h"
#include "tools/bench/Workers.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <stdexcept>

using namespace tilebench;

namespace {

double secondsSinceStart() {
  using Clock = std::chrono::steady_clock;
  static const Clock::time_point start = Clock::now();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::string describeNow() {
  std::time_t now = std::time(nullptr);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  return text;
}

std::vector<Row> chooseRows(const Table &table, const Options &options) {
  std::vector<Row> chosen;
  for (const Row &row : table.rows)
    if (options.only.empty() ||
        std::any_of(options.only.begin(), options.only.end(),
                    [&](const std::string &text) {
                      return row.name.find(text) != row.name.npos;
                    }))
      chosen.push_back(row);
  if (chosen.empty())
    throw std::runtime_error(options.only.empty()
                                 ? "the table has no rows"
                                 : "no row has '" + options.only[0] +
                                       "' in its name; --list prints them");
  return chosen;
}

void printRows(const std::vector<Row> &rows) {
  for (const Row &row : rows) {
    std::string kernels;
    for (const std::string &kernel : row.kernels)
      kernels += ' ' + kernel;
    std::printf("%s (required: %s):%s\n", row.name.c_str(),
                describe(row.required).c_str(), kernels.c_str());
  }
}

void writeFile(const std::filesystem::path &path, const std::string &text) {
  std::ofstream file(path, std::ios::binary);
  if (!(file << text) || !file.flush())
    throw std::runtime_error("cannot write " + path.string());
}

/// Written after each row, so that a run that is cut off leaves what it has.
void writeRecord(const Options &options, const Json &record) {
  if (options.output.empty())
    return;
  std::filesystem::path folder = options.output;
  writeFile(folder / "bench.json", record.dump(1) + "\n");
  writeFile(folder / "bench.md", makePage(record));
}

Json readBaseline(const std::string &path) {
  Json baseline = Json::parse(readFile(path), nullptr,
                              /*allow_exceptions=*/false);
  if (!baseline.is_object() || baseline.value("format", 0) != 1 ||
      !baseline.contains("rows"))
    throw std::runtime_error(path + " is no record of tile-bench");
  return baseline;
}

/// The exit status.
int run(const Options &options, int count, const char *const *words) {
  Table table = parseTable(options.table, readFile(options.table));
  std::vector<Row> rows = chooseRows(table, options);
  if (options.isList) {
    printRows(rows);
    return 0;
  }
  if (!std::filesystem::is_directory(options.artifacts))
    throw std::runtime_error(options.artifacts +
                             " is no folder: make it with tools/bench/compile "
                             "--table=" +
                             options.table);
  Json baseline;
  if (!options.baseline.empty())
    baseline = readBaseline(options.baseline);
  if (!options.output.empty())
    std::filesystem::create_directories(options.output);

  uint64_t seed = options.seed.value_or(
      uint64_t(std::chrono::system_clock::now().time_since_epoch().count()));
  Json record = {{"format", 1},
                 {"date", describeNow()},
                 {"command", std::vector<std::string>(words, words + count)},
                 {"quick", options.isQuick},
                 {"seed", seed}};
  size_t done = 0, failures = 0;
  measureRows(options, rows, seed, record, [&](const Json &row) {
    std::fprintf(stderr, "[%4.0f s] %zu/%zu %s: %s\n", secondsSinceStart(),
                 ++done, rows.size(), row["name"].get<std::string>().c_str(),
                 describeResult(row).c_str());
    for (const std::string &failure : listFailures(row)) {
      std::fprintf(stderr, "    FAILED %s\n", failure.c_str());
      ++failures;
    }
    record["seconds"] = secondsSinceStart();
    writeRecord(options, record);
  });

  std::fputs(makePage(record).c_str(), stdout);
  if (!baseline.is_null()) {
    int slower = 0;
    std::string text = compareRecords(record, baseline, slower);
    std::printf("\nAgainst %s of %s:\n\n%s%d slower by more than 2 %%\n",
                options.baseline.c_str(),
                baseline.value("date", "an unknown date").c_str(), text.c_str(),
                slower);
  }
  return failures ? 1 : 0;
}

} // namespace

int main(int count, char **words) {
  secondsSinceStart();
  try {
    Options options = parseOptions(count, words);
    if (options.isHelp) {
      std::fputs(help, stdout);
      return 0;
    }
    return run(options, count, words);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "tile-bench: error: %s\n", error.what());
    return 2;
  }
}
