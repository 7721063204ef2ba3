//===-- WholeFile.cpp - Files that are whole or not there -----------------===//

#include "compiler/Tune/WholeFile.h"
#include "runtime/lib/Text.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

using tilert::detail::join;

namespace tilec::tune {

static std::string describe(const char *verb, const std::string &path) {
  return join("cannot ", verb, " '", path, "': ", std::strerror(errno));
}

std::string readWholeFile(const std::string &path, std::string &text,
                          bool &isThere) {
  int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  isThere = file >= 0;
  if (file < 0)
    return errno == ENOENT ? "" : describe("read", path);
  text.clear();
  char buffer[1 << 16];
  std::string error;
  while (true) {
    ssize_t bytes = read(file, buffer, sizeof buffer);
    if (bytes < 0 && errno == EINTR)
      continue;
    if (bytes < 0)
      error = describe("read", path);
    if (bytes <= 0)
      break;
    text.append(buffer, size_t(bytes));
  }
  close(file);
  return error;
}

static bool writeAll(int file, const std::string &text) {
  for (size_t done = 0; done < text.size();) {
    ssize_t bytes = write(file, text.data() + done, text.size() - done);
    if (bytes < 0 && errno != EINTR)
      return false;
    done += size_t(bytes > 0 ? bytes : 0);
  }
  return true;
}

std::string writeWholeFile(const std::string &path, const std::string &text) {
  std::string temporary = path + ".XXXXXX.tmp";
  int file = mkostemps(temporary.data(), /*suffix=*/4, O_CLOEXEC);
  if (file < 0)
    return describe("write", path);
  bool isDone =
      writeAll(file, text) && fchmod(file, 0644) == 0 && fsync(file) == 0;
  // A full disk may show only here.
  isDone = close(file) == 0 && isDone;
  if (isDone && std::rename(temporary.c_str(), path.c_str()) == 0)
    return "";
  std::string error = describe("write", path);
  unlink(temporary.c_str());
  return error;
}

FolderLock::FolderLock(const std::string &path) {
  size_t slash = path.rfind('/');
  std::string folder = slash == path.npos ? "." : path.substr(0, slash + 1);
  // The folder itself is locked, so that no lock file stays behind.
  descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  while (descriptor >= 0 && flock(descriptor, LOCK_EX) != 0 && errno == EINTR)
    ;
}

FolderLock::~FolderLock() {
  if (descriptor >= 0)
    close(descriptor);
}

} // namespace tilec::tune
