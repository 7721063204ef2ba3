//===-- Workspaces.h - Memory made ahead for launches ----------*- C++ -*-===//
//
// One piece of zeroed device memory for each stream that asked for it. Launches
// on a stream come one after another, and each leaves its counters at zero.
//
// A stream is known by the id that the driver gave it, which no other stream
// has, before or after: handles are used again, and that of the default stream
// of a thread is the same in all threads. Launches that are captured do not run
// in the order of the stream, and get nothing from here.
//
// What became too small is kept, since another thread may be launching with it.
//
//===----------------------------------------------------------------------===//

#ifndef TILERT_LIB_WORKSPACES_H
#define TILERT_LIB_WORKSPACES_H

#include "DeviceCode.h"

#include "tilert/tilert.h"

#include <mutex>
#include <vector>

namespace tilert::detail {

class Workspaces {
public:
  Workspaces() = default;
  Workspaces(const Workspaces &) = delete;
  Workspaces &operator=(const Workspaces &) = delete;
  ~Workspaces();

  /// Makes sure that the stream has as many bytes. The context of `code` is
  /// current.
  Status reserve(const Driver &driver, const LoadedCode &code,
                 tilert_stream stream, int64_t bytes);

  /// What the stream has, which must be as many bytes.
  Status find(const Driver &driver, const LoadedCode &code,
              tilert_stream stream, int64_t bytes, tilert_workspace &found);

private:
  struct Reserved {
    const LoadedCode *code;
    unsigned long long stream;
    CuPointer pointer;
    size_t bytes;
  };

  /// The newest of a stream; NULL if there is none. `mutex` is held.
  const Reserved *get(const LoadedCode &code, unsigned long long stream) const;

  std::mutex mutex;
  std::vector<Reserved> list;
};

} // namespace tilert::detail

#endif // TILERT_LIB_WORKSPACES_H
