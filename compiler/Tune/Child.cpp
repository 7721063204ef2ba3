//===-- Child.cpp - Work that may fault or hang ---------------------------===//

#include "compiler/Tune/Child.h"
#include "runtime/lib/Text.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using Clock = std::chrono::steady_clock;
using tilert::detail::join;

namespace tilec::tune {

static void writeAll(int file, const std::string &text) {
  for (size_t done = 0; done < text.size();) {
    ssize_t bytes = write(file, text.data() + done, text.size() - done);
    if (bytes < 0 && errno != EINTR)
      return;
    done += size_t(bytes > 0 ? bytes : 0);
  }
}

/// What a process is that may be ended at any moment.
static void prepareChild(int errors) {
  // It ends with its parent.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // A fault ends it at once: no stack traces, no core files.
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGINT,
                     SIGTERM, SIGPIPE})
    std::signal(signal, SIG_DFL);
  rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  if (errors >= 0)
    dup2(errors, STDERR_FILENO);
}

Child::Child(const std::function<void(const Tell &)> &work) {
  int ends[2];
  if (::pipe(ends) != 0)
    return;
  errors = memfd_create("stderr", MFD_CLOEXEC);
  std::fflush(nullptr);
  process = fork();
  if (process == 0) {
    close(ends[0]);
    prepareChild(errors);
    work([&](const std::string &line) { writeAll(ends[1], line + "\n"); });
    _exit(0);
  }
  close(ends[1]);
  pipe = ends[0];
}

Child::~Child() {
  finish();
  if (errors >= 0)
    close(errors);
}

void Child::finish() {
  if (pipe >= 0)
    close(pipe);
  pipe = -1;
  if (process <= 0)
    return;
  kill(process, SIGKILL);
  while (waitpid(process, &status, 0) < 0 && errno == EINTR)
    ;
  process = -1;
}

Child::Event Child::read(std::string &line, double seconds) {
  auto deadline = Clock::now() + std::chrono::duration<double>(seconds);
  while (true) {
    if (size_t end = buffer.find('\n'); end != buffer.npos) {
      line = buffer.substr(0, end);
      buffer.erase(0, end + 1);
      return Event::Line;
    }
    std::chrono::duration<double, std::milli> left = deadline - Clock::now();
    pollfd waiting = {pipe, POLLIN, 0};
    int ready = left.count() <= 0 || pipe < 0
                    ? 0
                    : poll(&waiting, 1, int(left.count()) + 1);
    if (ready < 0 && errno == EINTR)
      continue;
    if (ready <= 0) {
      finish();
      return Event::Late;
    }
    char text[4096];
    ssize_t bytes = ::read(pipe, text, sizeof text);
    if (bytes > 0) {
      buffer.append(text, size_t(bytes));
      continue;
    }
    if (bytes < 0 && errno == EINTR)
      continue;
    // Wait for its own end: to kill it now would hide how it came about.
    close(pipe);
    pipe = -1;
    while (process > 0 && waitpid(process, &status, 0) < 0 && errno == EINTR)
      ;
    process = -1;
    return Event::End;
  }
}

/// The last line that is not empty.
static std::string readLastLine(int file) {
  std::string text;
  char part[4096];
  off_t offset = 0;
  for (ssize_t bytes; (bytes = pread(file, part, sizeof part, offset)) > 0;) {
    text.append(part, size_t(bytes));
    offset += bytes;
  }
  while (!text.empty() && text.back() == '\n')
    text.pop_back();
  size_t start = text.rfind('\n');
  return start == text.npos ? text : text.substr(start + 1);
}

std::string Child::describeEnd() const {
  std::string how;
  if (WIFSIGNALED(status))
    how = join("it ended with a signal: ", strsignal(WTERMSIG(status)));
  else if (WEXITSTATUS(status) != 0)
    how = join("it ended with status ", WEXITSTATUS(status));
  else
    return "";
  std::string last = errors >= 0 ? readLastLine(errors) : "";
  return last.empty() ? how : join(how, ": ", last);
}

} // namespace tilec::tune
