//===-- ReportTest.cpp - Verdicts and tables ------------------------------===//

#include "tools/bench/Report.h"

#include <gtest/gtest.h>

using namespace tilebench;

namespace {

Json makeContender(const char *name, bool isPeer, double burst,
                   double sustained) {
  return {{"name", name},
          {"peer", isPeer},
          {"note", "noted"},
          {"burst", {{"median_us", burst}}},
          {"sustained", {{"median_us", sustained}}}};
}

Json makeRow(const char *name, std::vector<Json> contenders) {
  Json row = {{"name", name},
              {"operations", 1e9},
              {"required", {{"both", 0.98}, {"best", 1.0}}},
              {"contenders", contenders}};
  judgeRow(row);
  return row;
}

Json makeRecord(std::vector<Json> rows) {
  return {{"format", 1},
          {"date", "2026-01-02T03:04:05Z"},
          {"quick", true},
          {"device",
           {{"name", "Fake GPU"},
            {"sm_count", 132},
            {"driver", "1.2"},
            {"cublaslt", "13.1.0"}}},
          {"rows", rows}};
}

TEST(Report, RatioIsToTheFastestPeerOfEachState) {
  Json row = makeRow("r", {makeContender("p0", true, 100, 130),
                           makeContender("p1", true, 110, 120),
                           makeContender("k", false, 100, 120)});
  const Json &result = row["result"];
  EXPECT_EQ(result["kernel"], "k");
  EXPECT_EQ(result["peer"]["burst"], "p0");
  EXPECT_EQ(result["peer"]["sustained"], "p1");
  EXPECT_EQ(result["ratio"]["burst"], 1.0);
  EXPECT_EQ(result["ratio"]["sustained"], 1.0);
  EXPECT_EQ(result["verdict"], "ok");
  // What the library proposes first is not the fastest.
  EXPECT_EQ(result["ratio_to_first"]["burst"], 1.0);
  EXPECT_NEAR(result["ratio_to_first"]["sustained"].get<double>(), 130. / 120,
              1e-9);
  EXPECT_EQ(describeResult(row),
            "burst 10 T (1.000), sustained 8 T (1.000), k: ok");
}

TEST(Report, OneKernelCountsInBothStates) {
  // Each is fast in one state, and none in both.
  Json row = makeRow("r", {makeContender("p", true, 100, 100),
                           makeContender("a", false, 90, 110),
                           makeContender("b", false, 115, 90)});
  EXPECT_EQ(row["result"]["kernel"], "a");
  EXPECT_EQ(row["result"]["verdict"], "MISS");
  // The one that meets what is required goes before a faster one.
  row = makeRow("r", {makeContender("p", true, 100, 100),
                      makeContender("a", false, 80, 110),
                      makeContender("b", false, 100, 101)});
  EXPECT_EQ(row["result"]["kernel"], "b");
  EXPECT_EQ(row["result"]["verdict"], "ok");
}

TEST(Report, WrongContendersDoNotCount) {
  Json wrong = makeContender("w", false, 1, 1);
  wrong["failure"] = "C[0, 0] is 1, not 2";
  Json row = makeRow("r", {makeContender("p", true, 100, 100), wrong});
  EXPECT_EQ(row["result"]["verdict"], "not measured");
  EXPECT_EQ(describeResult(row), "not measured");
  EXPECT_EQ(listFailures(row),
            std::vector<std::string>{"w: C[0, 0] is 1, not 2"});
  wrong["peer"] = true;
  row = makeRow("r", {wrong, makeContender("k", false, 100, 100)});
  EXPECT_EQ(row["result"]["verdict"], "no peer");
  EXPECT_FALSE(row["result"].contains("ratio_to_first"));
  EXPECT_EQ(describeResult(row), "burst 10 T, sustained 10 T, k: no peer");
}

TEST(Report, PageHasALineForEachRowAndItsFailures) {
  Json wrong = makeContender("w", false, 1, 1);
  wrong["failure"] = "C[0, 0] is 1, not 2";
  Json record =
      makeRecord({makeRow("first", {makeContender("p", true, 100, 100),
                                    makeContender("k", false, 80, 125)}),
                  makeRow("second", {wrong})});
  EXPECT_EQ(
      makePage(record),
      "2026-01-02T03:04:05Z, Fake GPU, 132 SMs, driver 1.2, cuBLASLt 13.1.0; "
      "few rounds (--quick). Time of a launch, T(FL)OP/s, and in brackets the "
      "ratio to the fastest algorithm of cuBLASLt in the same state, with its "
      "rate; then the ratios to the algorithm that it proposes first, burst "
      "and sustained.\n\n"
      "| work | kernel | burst | sustained | to its first | required | verdict "
      "|\n"
      "|---|---|---|---|---|---|---|\n"
      "| first | k (noted) | 80.0 us, 12 (**1.250** of 10) | "
      "125.0 us, 8 (**0.800** of 10) | 1.250, 0.800 | 1.00 in one, 0.98 in "
      "both | MISS |\n"
      "| second | - | - | - | - | 1.00 in one, 0.98 in both | not measured |\n"
      "\nFailed:\n\n- second: w: C[0, 0] is 1, not 2\n");
}

TEST(Report, RatiosThatFellByMoreThanTwoPercentAreSlower) {
  auto record = [](double us) {
    return makeRecord({makeRow("r", {makeContender("p", true, 100, 100),
                                     makeContender("k", false, us, 100)})});
  };
  int slower = 0;
  EXPECT_EQ(compareRecords(record(101), record(100), slower),
            "r: burst 0.990, was 1.000 (-1.0 %), sustained 1.000, was 1.000 "
            "(+0.0 %)\n");
  EXPECT_EQ(slower, 0);
  EXPECT_EQ(compareRecords(record(103), record(100), slower),
            "r: burst 0.971, was 1.000 (-2.9 %) SLOWER, sustained 1.000, was "
            "1.000 (+0.0 %)\n");
  EXPECT_EQ(slower, 1);
}

TEST(Report, RatesAreComparedWhereThereIsNoPeer) {
  Json without =
      makeRecord({makeRow("r", {makeContender("k", false, 10, 10)})});
  Json with = makeRecord({makeRow("r", {makeContender("p", true, 10, 10),
                                        makeContender("k", false, 10, 20)})});
  int slower = 0;
  EXPECT_EQ(compareRecords(with, without, slower),
            "r: burst 100 T, was 100 (+0.0 %), sustained 50 T, was 100 (-50.0 "
            "%) SLOWER\n");
  EXPECT_EQ(slower, 1);
}

TEST(Report, RowsOfOneRecordOnlyAreNotCompared) {
  Json lost = makeContender("k", false, 10, 10);
  lost["failure"] = "it ended the process";
  Json now = makeRecord({makeRow("r", {lost}), makeRow("new", {})});
  Json then = makeRecord({makeRow("r", {makeContender("k", false, 10, 10)})});
  int slower = 0;
  EXPECT_EQ(compareRecords(now, then, slower),
            "r: was measured before, and not now: SLOWER\n");
  EXPECT_EQ(slower, 1);
  EXPECT_EQ(compareRecords(then, now, slower), "r: was not measured before\n");
  EXPECT_EQ(slower, 0);
}

} // namespace
