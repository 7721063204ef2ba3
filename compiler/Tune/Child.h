//===-- Child.h - Work that may fault or hang ------------------*- C++ -*-===//

#ifndef TILE_COMPILER_TUNE_CHILD_H
#define TILE_COMPILER_TUNE_CHILD_H

#include <functional>
#include <string>
#include <sys/types.h>

namespace tilec::tune {

/// Tells the parent of a child process one line.
using Tell = std::function<void(const std::string &line)>;

/// A child process that works and tells lines.  Whatever happens to it, the
/// parent lives.  The parent has no threads and no CUDA context when it makes
/// one, since neither survives a fork.
class Child {
public:
  explicit Child(const std::function<void(const Tell &)> &work);
  Child(const Child &) = delete;
  ~Child();

  enum class Event { Line, End, Late };
  /// Waits for the next line, or for the end, but for `seconds` at most: then
  /// the child is ended.
  Event read(std::string &line, double seconds);

  /// After the end: empty if it ended by itself, else how, and the last line
  /// of what it wrote on its standard error.
  std::string describeEnd() const;

private:
  void finish();

  pid_t process = -1;
  int pipe = -1;
  int errors = -1; // a file that holds what it wrote on standard error
  int status = 0;
  std::string buffer;
};

} // namespace tilec::tune

#endif // TILE_COMPILER_TUNE_CHILD_H
