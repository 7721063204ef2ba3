//===-- Batch.cpp - Runs jobs in worker processes -------------------------===//

#include "tools/gpu-runner/Batch.h"
#include "tools/gpu-runner/Run.h"

#include "tilert/tilert.hpp"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace gpurunner {
namespace {

// What a child tells its parent, one character a message: it has begun a job,
// or the job's verdict.
constexpr char begunMark = 'b', passedMark = 'p', failedMark = 'f',
               skippedMark = 's';
// The device cannot be used at all.
constexpr int noDeviceStatus = 77;

void tell(int pipe, char mark) {
  while (write(pipe, &mark, 1) < 0 && errno == EINTR)
    ;
}

void printOutcome(const Job &job, const Outcome &outcome) {
  const char *word = outcome.verdict == Verdict::Passed   ? "PASS"
                     : outcome.verdict == Verdict::Failed ? "FAIL"
                                                          : "SKIP";
  std::printf("%s %s%s%s\n%s", word, job.name.c_str(),
              outcome.summary.empty() ? "" : ": ", outcome.summary.c_str(),
              outcome.details.c_str());
  std::fflush(stdout);
}

char markOf(Verdict verdict) {
  return verdict == Verdict::Passed   ? passedMark
         : verdict == Verdict::Failed ? failedMark
                                      : skippedMark;
}

/// Whether the context still works.
bool isUsable(const Device &device) {
  return TILERT_CALL(device.driver(), cuCtxSynchronize).isOk();
}

/// Runs jobs from `first` until the end, or until the context is ruined.
[[noreturn]] void work(const CommandLine &line, size_t first, int pipe) {
  try {
    Device device(line.device);
    if (first == 0)
      std::printf("device %d: %s, sm_%d%d, %d SMs\n", line.device,
                  device.name().c_str(), device.facts().sm_major,
                  device.facts().sm_minor, device.facts().sm_count);
    for (size_t i = first; i < line.jobs.size(); ++i) {
      tell(pipe, begunMark);
      Outcome outcome = runJob(line.jobs[i], device);
      printOutcome(line.jobs[i], outcome);
      tell(pipe, markOf(outcome.verdict));
      if (outcome.verdict == Verdict::Failed && !isUsable(device))
        _exit(0);
    }
  } catch (const std::exception &error) {
    std::fprintf(stderr, "tile-gpu-runner: error: %s\n", error.what());
    std::fflush(stdout);
    _exit(noDeviceStatus);
  }
  std::fflush(stdout);
  // Not exit(): the driver's own exit handlers can hang after a failed kernel.
  _exit(0);
}

/// The next message of the child: its mark, 0 if the child closed the pipe, or
/// -1 if it says nothing in time.
int listen(int pipe, double seconds) {
  using Clock = std::chrono::steady_clock;
  auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while (true) {
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - Clock::now());
    if (left.count() <= 0)
      return -1;
    pollfd entry{pipe, POLLIN, 0};
    int ready = poll(&entry, 1, int(left.count()) + 1);
    if (ready < 0 && errno != EINTR)
      return 0;
    if (ready <= 0)
      continue;
    char mark = 0;
    ssize_t bytes = read(pipe, &mark, 1);
    if (bytes >= 0)
      return bytes == 0 ? 0 : mark;
  }
}

class Batch {
public:
  explicit Batch(const CommandLine &line) : line(line) {}

  int run() {
    while (next < line.jobs.size() && !lacksDevice)
      runWorker();
    if (next < line.jobs.size())
      std::printf("%zu were not run\n", line.jobs.size() - next);
    std::printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
    if (lacksDevice)
      return 2;
    return failed ? 1 : 0;
  }

private:
  void runWorker() {
    int ends[2];
    if (pipe(ends) != 0)
      return giveUp("pipe");
    std::fflush(stdout);
    pid_t child = fork();
    if (child < 0)
      return giveUp("fork");
    if (child == 0) {
      close(ends[0]);
      work(line, next, ends[1]);
    }
    close(ends[1]);
    bool isLate = !follow(ends[0]);
    close(ends[0]);
    if (isLate)
      kill(child, SIGKILL);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
      ;
    explainEnd(isLate, status);
  }

  /// Counts what the child reports until it ends; false if it is too slow.
  bool follow(int pipe) {
    isInJob = false;
    while (true) {
      // The start of the driver counts as a job of its own.
      int mark = listen(pipe, line.timeoutSeconds);
      if (mark == 0)
        return true;
      if (mark < 0)
        return false;
      isInJob = mark == begunMark;
      if (isInJob)
        continue;
      ++next;
      passed += mark == passedMark;
      failed += mark == failedMark;
      skipped += mark == skippedMark;
    }
  }

  /// A child that ends in a job has failed it; one that ends before its first
  /// job has no device.
  void explainEnd(bool isLate, int status) {
    if (isInJob) {
      std::string how =
          isLate ? "did not end in time"
          : WIFSIGNALED(status)
              ? std::string("ended the process: ") + strsignal(WTERMSIG(status))
              : std::string("ended the process");
      std::printf("FAIL %s\n  %s\n", line.jobs[next].name.c_str(), how.c_str());
      ++failed;
      ++next;
      return;
    }
    if (isLate || WIFSIGNALED(status) ||
        WEXITSTATUS(status) == noDeviceStatus) {
      if (isLate)
        std::fprintf(stderr,
                     "tile-gpu-runner: error: the driver did not start in "
                     "time\n");
      lacksDevice = true;
    }
  }

  void giveUp(const char *call) {
    std::fprintf(stderr, "tile-gpu-runner: error: %s: %s\n", call,
                 std::strerror(errno));
    lacksDevice = true;
  }

  const CommandLine &line;
  size_t next = 0;
  bool isInJob = false;
  bool lacksDevice = false;
  int passed = 0, failed = 0, skipped = 0;
};

} // namespace

int runBatch(const CommandLine &line) { return Batch(line).run(); }

} // namespace gpurunner
