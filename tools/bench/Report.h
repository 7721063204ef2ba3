//===-- Report.h - Verdicts and tables from a record -----------*- C++ -*-===//
//
// A record is what bench.json holds (docs/benchmarks.md, "The record"). These
// functions need no device.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TOOLS_BENCH_REPORT_H
#define TILE_TOOLS_BENCH_REPORT_H

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tilebench {

using Json = nlohmann::ordered_json;

/// Adds to the record of a row its "result": the kernel that counts, the
/// fastest peer in each state, the ratios and the verdict ("ok", "MISS", "no
/// peer", or "not measured").
void judgeRow(Json &row);

/// "NAME: why" of each contender that failed.
std::vector<std::string> listFailures(const Json &row);

/// A line on a judged row, as "burst 1.012, sustained 1.031 of cuBLASLt: ok".
std::string describeResult(const Json &row);

/// The whole record as a page of Markdown.
std::string makePage(const Json &record);

/// Compares with an earlier record and gives a line for each row of both.
/// `slower` is set to the number of those that lost more than 2 %.
std::string compareRecords(const Json &record, const Json &baseline,
                           int &slower);

} // namespace tilebench

#endif // TILE_TOOLS_BENCH_REPORT_H
