//===-- Report.cpp - Verdicts and tables from a record --------------------===//

#include "tools/bench/Report.h"
#include "runtime/lib/Text.h"
#include "tools/bench/Statistics.h"

#include <cstdio>

using tilert::detail::join;

namespace tilebench {
namespace {

constexpr double tolerated = 0.02; // of a ratio, against the baseline

template <typename... Values>
std::string format(const char *pattern, Values... values) {
  char text[160];
  std::snprintf(text, sizeof text, pattern, values...);
  return text;
}

bool wasMeasured(const Json &contender) {
  return !contender.contains("failure") && contender.contains("burst") &&
         contender.contains("sustained");
}

double timeOf(const Json &contender, int state) {
  return contender[stateNames[state]]["median_us"].get<double>();
}

const Json *findContender(const Json &row, const std::string &name) {
  for (const Json &contender : row["contenders"])
    if (contender["name"] == name)
      return &contender;
  return nullptr;
}

const Json *findFastestPeer(const Json &row, int state) {
  const Json *fastest = nullptr;
  for (const Json &contender : row["contenders"])
    if (contender["peer"] == true && wasMeasured(contender) &&
        (!fastest || timeOf(contender, state) < timeOf(*fastest, state)))
      fastest = &contender;
  return fastest;
}

/// The algorithm that the library proposes first, if it was measured.
const Json *findProposed(const Json &row) {
  for (const Json &contender : row["contenders"])
    if (contender["peer"] == true)
      return wasMeasured(contender) ? &contender : nullptr;
  return nullptr;
}

Requirement requirementOf(const Json &row) {
  return {row["required"]["both"], row["required"]["best"]};
}

/// Of the kernels that meet what is required, or of all if none does, the one
/// with the least product of both times.
const Json *findKernel(const Json &row, const Json *const peers[]) {
  const Json *best = nullptr;
  bool bestMeets = false;
  double bestTime = 0;
  for (const Json &contender : row["contenders"]) {
    if (contender["peer"] == true || !wasMeasured(contender))
      continue;
    Ratios ratios;
    for (int i = 0; i < stateCount; ++i)
      if (peers[i])
        ratios.of[i] = timeOf(*peers[i], i) / timeOf(contender, i);
    bool isMet = meets(ratios, requirementOf(row));
    double time = timeOf(contender, 0) * timeOf(contender, 1);
    if (best && (bestMeets > isMet || (bestMeets == isMet && bestTime <= time)))
      continue;
    best = &contender;
    bestMeets = isMet;
    bestTime = time;
  }
  return best;
}

std::string rate(const Json &row, double us) {
  return format("%.0f", row["operations"].get<double>() / us * 1e-6);
}

std::string describeState(const Json &row, int state) {
  const Json &result = row["result"];
  const Json *kernel = findContender(row, result["kernel"]);
  std::string text = format("%.1f us, ", timeOf(*kernel, state)) +
                     rate(row, timeOf(*kernel, state));
  if (!result.contains("ratio"))
    return text;
  const Json *peer = findContender(row, result["peer"][stateNames[state]]);
  return text +
         format(" (**%.3f** of ",
                result["ratio"][stateNames[state]].get<double>()) +
         rate(row, timeOf(*peer, state)) + ")";
}

/// "1.012, 1.003": the ratios to what the library proposes first.
std::string describeProposed(const Json &row) {
  const Json &result = row["result"];
  if (!result.contains("ratio_to_first"))
    return "-";
  std::string text;
  for (int i = 0; i < stateCount; ++i)
    text += format(i ? ", %.3f" : "%.3f",
                   result["ratio_to_first"][stateNames[i]].get<double>());
  return text;
}

std::string makeRowLine(const Json &row) {
  const Json &result = row["result"];
  std::string required = describe(requirementOf(row));
  if (!result.contains("kernel"))
    return join("| ", row["name"].get<std::string>(), " | - | - | - | - | ",
                required, " | ", result["verdict"].get<std::string>(), " |\n");
  const Json *kernel = findContender(row, result["kernel"]);
  return join("| ", row["name"].get<std::string>(), " | ",
              result["kernel"].get<std::string>(), " (",
              kernel->value("note", ""), ") | ", describeState(row, 0), " | ",
              describeState(row, 1), " | ", describeProposed(row), " | ",
              required, " | ", result["verdict"].get<std::string>(), " |\n");
}

/// What is compared between records: the ratio, or where one has none the
/// rate. 0 without either.
double figureOf(const Json &row, int state, bool isRatio) {
  const Json &result = row["result"];
  if (!result.contains("kernel"))
    return 0;
  if (isRatio)
    return result["ratio"][stateNames[state]];
  return row["operations"].get<double>() /
         timeOf(*findContender(row, result["kernel"]), state) * 1e-6;
}

std::string compareRow(const Json &row, const Json &earlier, bool &isSlower) {
  bool isRatio =
      row["result"].contains("ratio") && earlier["result"].contains("ratio");
  std::string text = row["name"].get<std::string>() + ":";
  for (int i = 0; i < stateCount; ++i) {
    double now = figureOf(row, i, isRatio),
           then = figureOf(earlier, i, isRatio);
    if (then == 0)
      return text + " was not measured before";
    if (now == 0) {
      isSlower = true;
      return text + " was measured before, and not now: SLOWER";
    }
    bool hasLost = now < then * (1 - tolerated);
    isSlower |= hasLost;
    text += format(isRatio ? "%s %s %.3f, was %.3f (%+.1f %%)%s"
                           : "%s %s %.0f T, was %.0f (%+.1f %%)%s",
                   i ? "," : "", stateNames[i], now, then,
                   100 * (now / then - 1), hasLost ? " SLOWER" : "");
  }
  return text;
}

} // namespace

void judgeRow(Json &row) {
  Json &result = row["result"] = Json::object();
  const Json *peers[stateCount];
  for (int i = 0; i < stateCount; ++i)
    peers[i] = findFastestPeer(row, i);
  const Json *kernel = findKernel(row, peers);
  if (!kernel) {
    result["verdict"] = "not measured";
    return;
  }
  result["kernel"] = (*kernel)["name"];
  if (!peers[0]) {
    result["verdict"] = "no peer";
    return;
  }
  Ratios ratios;
  for (int i = 0; i < stateCount; ++i) {
    ratios.of[i] = timeOf(*peers[i], i) / timeOf(*kernel, i);
    result["peer"][stateNames[i]] = (*peers[i])["name"];
    result["ratio"][stateNames[i]] = ratios.of[i];
  }
  if (const Json *proposed = findProposed(row))
    for (int i = 0; i < stateCount; ++i)
      result["ratio_to_first"][stateNames[i]] =
          timeOf(*proposed, i) / timeOf(*kernel, i);
  result["verdict"] = meets(ratios, requirementOf(row)) ? "ok" : "MISS";
}

std::vector<std::string> listFailures(const Json &row) {
  std::vector<std::string> failures;
  for (const Json &contender : row["contenders"])
    if (contender.contains("failure"))
      failures.push_back(join(contender["name"].get<std::string>(), ": ",
                              contender["failure"].get<std::string>()));
  if (row.contains("failure"))
    failures.push_back(row["failure"]);
  return failures;
}

std::string describeResult(const Json &row) {
  const Json &result = row["result"];
  std::string verdict = result["verdict"];
  if (!result.contains("kernel"))
    return verdict;
  std::string kernel = result["kernel"];
  const Json *found = findContender(row, kernel);
  std::string text;
  for (int i = 0; i < stateCount; ++i)
    text += join(
        i ? ", " : "", stateNames[i], " ", rate(row, timeOf(*found, i)), " T",
        result.contains("ratio")
            ? format(" (%.3f)", result["ratio"][stateNames[i]].get<double>())
            : "");
  return join(text, ", ", kernel, ": ", verdict);
}

std::string makePage(const Json &record) {
  const Json &device = record["device"];
  std::string page = join(
      record["date"].get<std::string>(), ", ",
      device["name"].get<std::string>(), ", ", device["sm_count"].get<int>(),
      " SMs, driver ", device["driver"].get<std::string>(), ", ",
      device.contains("cublaslt")
          ? "cuBLASLt " + device["cublaslt"].get<std::string>()
          : "without cuBLASLt",
      record["quick"] == true ? "; few rounds (--quick)" : "",
      ". Time of a launch, T(FL)OP/s, and in brackets the ratio to the fastest "
      "algorithm of cuBLASLt in the same state, with its rate; then the ratios "
      "to the algorithm that it proposes first, burst and sustained.\n\n");
  page += "| work | kernel | burst | sustained | to its first | required | "
          "verdict |\n|---|---|---|---|---|---|---|\n";
  std::string failures;
  for (const Json &row : record["rows"]) {
    page += makeRowLine(row);
    for (const std::string &failure : listFailures(row))
      failures +=
          join("- ", row["name"].get<std::string>(), ": ", failure, '\n');
  }
  if (!failures.empty())
    page += "\nFailed:\n\n" + failures;
  return page;
}

std::string compareRecords(const Json &record, const Json &baseline,
                           int &slower) {
  std::string text;
  slower = 0;
  for (const Json &row : record["rows"])
    for (const Json &earlier : baseline["rows"])
      if (earlier["name"] == row["name"]) {
        bool isSlower = false;
        text += compareRow(row, earlier, isSlower) + "\n";
        slower += isSlower;
      }
  return text;
}

} // namespace tilebench
