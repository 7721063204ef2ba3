//===-- Workers.cpp - Measures rows in processes of their own -------------===//

#include "tools/bench/Workers.h"
#include "runtime/lib/Text.h"
#include "tools/bench/RowRun.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <map>
#include <optional>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

using tilert::detail::join;

namespace tilebench {
namespace {

// A row is given up after so many contenders that ended the process.
constexpr int mostDeaths = 6;

using Exclusions = std::map<std::string, std::string>;

//===-- The child ---------------------------------------------------------===//

// Messages are lines of JSON: [kind, value].
void tell(int pipe, const char *kind, const Json &value) {
  // What kernels and drivers say need not be UTF-8.
  std::string line =
      Json({kind, value})
          .dump(-1, ' ', false, nlohmann::detail::error_handler_t::replace) +
      "\n";
  for (size_t done = 0; done < line.size();) {
    ssize_t bytes = write(pipe, line.data() + done, line.size() - done);
    if (bytes < 0 && errno != EINTR)
      return;
    done += size_t(std::max<ssize_t>(bytes, 0));
  }
}

std::string findBus(const Device &device) {
  constexpr int attributes[] = {50, 33, 34}; // PCI domain, bus, device
  int number[3] = {}, handle = 0;
  const auto &driver = device.driver();
  tilec::gpu::require(
      TILERT_CALL(driver, cuDeviceGet, &handle, device.number()));
  for (int i = 0; i < 3; ++i)
    if (driver.cuDeviceGetAttribute(&number[i], attributes[i], handle) != 0)
      return "";
  char text[32];
  std::snprintf(text, sizeof text, "%08x:%02x:%02x.0", unsigned(number[0]),
                unsigned(number[1]), unsigned(number[2]));
  return text;
}

Json describeDevice(const Device &device, const Nvml &nvml,
                    const Peers *peers) {
  const tilert_device_facts &facts = device.facts();
  Json json = {{"name", device.name()},
               {"sm", join(facts.sm_major, '.', facts.sm_minor)},
               {"sm_count", facts.sm_count},
               {"l2_bytes", device.cacheBytes()},
               {"driver", nvml.driverVersion()}};
  if (peers) {
    json["cublaslt"] = peers->library().version();
    json["cublaslt_path"] = peers->library().path();
  }
  return json;
}

[[noreturn]] void work(const Options &options, const std::vector<Row> &rows,
                       size_t first, Exclusions excluded, uint64_t seed,
                       int pipe) {
  try {
    tell(pipe, "busy", "the start of the driver");
    Device device(options.device);
    Nvml nvml(findBus(device));
    std::optional<Peers> peers;
    if (options.hasPeers) {
      tell(pipe, "busy", "the start of cuBLASLt");
      peers.emplace(device, options.cublasLt);
    }
    Machine machine{device, nvml, peers ? &*peers : nullptr, options, seed};
    tell(pipe, "device", describeDevice(device, nvml, machine.peers));
    for (size_t i = first; i < rows.size(); ++i) {
      tell(pipe, "busy", "");
      Json row;
      try {
        row = runRow(machine, rows[i], excluded, [&](const std::string &name) {
          tell(pipe, "busy", name);
        });
      } catch (const RuinedError &error) {
        tell(pipe, "ruined", error.what());
        _exit(0);
      } catch (const std::exception &error) {
        row = {{"failure", error.what()}};
      }
      tell(pipe, "row", row);
      // The next row gets a process that works.
      if (!TILERT_CALL(device.driver(), cuCtxSynchronize).isOk())
        _exit(0);
      excluded.clear();
    }
  } catch (const std::exception &error) {
    tell(pipe, "error", error.what());
  }
  // Not exit(): the driver's own exit handlers can hang after a failed kernel.
  _exit(0);
}

//===-- The parent --------------------------------------------------------===//

/// Reads lines from a pipe.
class LineReader {
public:
  explicit LineReader(int pipe) : pipe(pipe) {}

  enum class Result { Line, End, Late };
  Result read(std::string &line, double seconds) {
    using Clock = std::chrono::steady_clock;
    auto end = Clock::now() + std::chrono::duration<double>(seconds);
    size_t newline;
    while ((newline = buffer.find('\n')) == buffer.npos) {
      auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
          end - Clock::now());
      if (left.count() <= 0)
        return Result::Late;
      pollfd entry{pipe, POLLIN, 0};
      if (poll(&entry, 1, int(left.count()) + 1) <= 0)
        continue;
      char part[65536];
      ssize_t bytes = ::read(pipe, part, sizeof part);
      if (bytes == 0)
        return Result::End;
      if (bytes > 0)
        buffer.append(part, size_t(bytes));
    }
    line = buffer.substr(0, newline);
    buffer.erase(0, newline + 1);
    return Result::Line;
  }

private:
  int pipe;
  std::string buffer;
};

class Measurement {
public:
  Measurement(const Options &options, const std::vector<Row> &rows,
              uint64_t seed, Json &record,
              const std::function<void(const Json &)> &finish)
      : options(options), rows(rows), seed(seed), record(record),
        finish(finish) {}

  void run() {
    record["rows"] = Json::array();
    while (next < rows.size())
      runWorker();
  }

private:
  void runWorker() {
    int ends[2];
    if (pipe(ends) != 0)
      throw std::runtime_error(join("pipe: ", std::strerror(errno)));
    pid_t child = fork();
    if (child < 0)
      throw std::runtime_error(join("fork: ", std::strerror(errno)));
    if (child == 0) {
      close(ends[0]);
      work(options, rows, next, excluded, seed, ends[1]);
    }
    close(ends[1]);
    busy = "the start of the process";
    hasStarted = isBetweenRows = false;
    failure.clear();
    bool isLate = !follow(ends[0]);
    close(ends[0]);
    if (isLate)
      kill(child, SIGKILL);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
      ;
    if (!isBetweenRows)
      explainEnd(isLate, status);
  }

  /// Takes what the child tells until it ends; false if it is silent for too
  /// long.
  bool follow(int pipe) {
    LineReader reader(pipe);
    std::string line;
    while (true) {
      LineReader::Result result = reader.read(line, options.timeoutSeconds);
      if (result != LineReader::Result::Line)
        return result == LineReader::Result::End;
      Json message = Json::parse(line);
      const std::string &kind = message[0].get_ref<const std::string &>();
      isBetweenRows = kind == "row";
      if (kind == "busy")
        busy = message[1];
      else if (kind == "row")
        finishRow(message[1]);
      else if (kind == "device")
        takeDevice(message[1]);
      else
        failure = message[1]; // ruined, or an error
    }
  }

  void takeDevice(const Json &device) {
    hasStarted = true;
    record["device"] = device;
  }

  void finishRow(Json row) {
    const Row &wanted = rows[next];
    if (!row.contains("contenders")) {
      // Nothing was made of it.
      row["name"] = wanted.name;
      row["shape"] = {wanted.shape.m, wanted.shape.n, wanted.shape.k};
      row["operations"] = wanted.shape.operations();
      row["required"] = {{"both", wanted.required.both},
                         {"best", wanted.required.best}};
      row["contenders"] = Json::array();
      for (const auto &[name, text] : excluded)
        row["contenders"].push_back(
            {{"name", name}, {"peer", false}, {"failure", text}});
    }
    judgeRow(row);
    record["rows"].push_back(row);
    excluded.clear();
    deaths = 0;
    ++next;
    finish(row);
  }

  /// A child that ended before its work: for the contender at hand, if any.
  void explainEnd(bool isLate, int status) {
    std::string how =
        isLate ? join("no end after ", int64_t(options.timeoutSeconds), " s")
        : !failure.empty() ? failure
        : WIFSIGNALED(status)
            ? join("it ended the process: ", strsignal(WTERMSIG(status)))
            : std::string("it ended the process");
    if (!hasStarted)
      throw std::runtime_error(failure.empty() ? join(busy, ": ", how)
                                               : failure);
    bool isContender = !busy.empty() && !excluded.count(busy);
    if (isContender)
      excluded[busy] = how;
    if (!isContender || ++deaths >= mostDeaths)
      finishRow({{"failure", join("the row was given up: ", how)}});
  }

  const Options &options;
  const std::vector<Row> &rows;
  uint64_t seed;
  Json &record;
  const std::function<void(const Json &)> &finish;
  size_t next = 0;
  Exclusions excluded;
  int deaths = 0;
  std::string busy, failure;
  bool hasStarted = false, isBetweenRows = false;
};

} // namespace

void measureRows(const Options &options, const std::vector<Row> &rows,
                 uint64_t seed, Json &record,
                 const std::function<void(const Json &row)> &finish) {
  Measurement(options, rows, seed, record, finish).run();
}

} // namespace tilebench
