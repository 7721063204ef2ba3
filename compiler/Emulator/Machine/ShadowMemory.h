//===- ShadowMemory.h - What is known of each shared byte -------*- C++ -*-===//
//
// Beside the shared memory of a block stands a shadow that remembers, for each
// four bytes, whether they were written, whether an asynchronous copy is under
// way to them, who wrote them last and who has read them since.  With the
// happens-before relation (Ordering.h) that finds races, reads of bytes nobody
// wrote, and reads of copies nobody waited for.
//
// Four bytes share a cell until an access covers only part of them; the cell
// is then split into one per byte for the rest of the block.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_COMPILER_EMULATOR_MACHINE_SHADOWMEMORY_H
#define TILE_COMPILER_EMULATOR_MACHINE_SHADOWMEMORY_H

#include "compiler/Emulator/EmulationError.h"
#include "compiler/Emulator/Machine/Ordering.h"

#include <vector>

namespace tilec::emulator {

/// Who accesses, when and where.
struct Accessor {
  /// A thread, or what stands for a source (Ordering.h).
  uint32_t thread;
  uint32_t stamp;
  uint32_t site;
};

/// A read of the async proxy.
struct ProxyReader {
  /// It must be ordered after the writes for all of these threads, one in each
  /// warp that takes part.
  llvm::SmallVector<uint32_t, 4> threads;
  Accessor source;
  /// The thread for which it was not.
  uint32_t failing = 0;
  /// The write that was found to be well last.
  uint32_t checkedThread = ~0u;
  uint32_t checkedStamp = 0;
};

/// Why an access is wrong.
struct ShadowFault {
  EmulationErrorKind kind;
  uint32_t offset;
  /// The earlier access it clashes with.
  bool earlierIsRead = false;
  Accessor earlier{};
};

struct ShadowChecks {
  bool races = true;
  bool uninitialised = true;
};

class ShadowMemory {
public:
  /// Forgets everything; the memory has `bytes` bytes, none of them written.
  void reset(size_t bytes, ShadowChecks checks);

  // Each of these returns null when all is well.  The range must lie inside.
  /// A read with `unwritten` may meet bytes that have not been written.
  const ShadowFault *read(size_t offset, size_t bytes, Accessor by,
                          const Ordering &ordering, bool unwritten = false);
  const ShadowFault *write(size_t offset, size_t bytes, Accessor by,
                           const Ordering &ordering);
  const ShadowFault *atomic(size_t offset, size_t bytes, Accessor by,
                            bool reads, bool writes, const Ordering &ordering);
  /// An asynchronous write starts: the bytes must not be touched until
  /// finishAsyncWrite.
  const ShadowFault *beginAsyncWrite(size_t offset, size_t bytes, Accessor by,
                                     const Ordering &ordering);
  /// The writer has waited for it; from now on it counts as written by `by`.
  void finishAsyncWrite(size_t offset, size_t bytes, Accessor by);

  // Accesses of the async proxy, which threads start and a source makes.
  const ShadowFault *readByProxy(size_t offset, size_t bytes,
                                 ProxyReader &reader, const Ordering &ordering);
  const ShadowFault *beginProxyWrite(size_t offset, size_t bytes,
                                     Accessor issuer, Accessor source,
                                     const Ordering &ordering);
  /// The bytes are there for all who know of the source's stamp.
  void landProxyWrite(size_t offset, size_t bytes);

  /// The bytes become or cease to be an mbarrier, which no ordinary access may
  /// touch.
  const ShadowFault *makeBarrier(size_t offset, size_t bytes, Accessor by,
                                 const Ordering &ordering);
  void dropBarrier(size_t offset, size_t bytes, Accessor by);

private:
  enum State : uint8_t { Uninitialised, Valid, InFlight, Barrier };
  static constexpr uint16_t noThread = 0xFFFF;

  /// Lanes of one warp that read at one time, or made atomic operations, which
  /// are kept with the reads because several may be unordered.
  struct Mark {
    uint32_t stamp;
    uint32_t lanes;
    uint32_t site;
    uint16_t warp;
    bool isAtomic;
  };

  struct Cell {
    uint32_t writeStamp;
    uint32_t writeSite;
    uint16_t writeThread;
    State state;
    bool split : 1;
    /// Whether there may be atomic operations among the marks.
    bool hasAtomics : 1;
    uint32_t markCount;
    /// 1 + index of a list in `overflow`, when there are more marks.
    uint32_t overflowList;
    Mark marks[2];
  };

  template <typename Visitor>
  const ShadowFault *visit(size_t offset, size_t bytes, Visitor visitor);
  void splitCell(size_t granule);

  bool readCell(Cell &cell, size_t offset, Accessor by,
                const Ordering &ordering, bool unwritten);
  bool writeCell(Cell &cell, size_t offset, Accessor by,
                 const Ordering &ordering);
  bool atomicCell(Cell &cell, size_t offset, Accessor by, bool reads,
                  bool writes, const Ordering &ordering);
  bool checkTouchable(const Cell &cell, size_t offset);
  bool checkFenced(const Cell &cell, size_t offset, uint32_t thread,
                   const Ordering &ordering);
  bool checkWriteOver(const Cell &cell, size_t offset, Accessor by,
                      const Ordering &ordering);
  enum class Marks { Reads, Atomics, All };
  bool checkMarksOver(const Cell &cell, size_t offset, Accessor by, Marks which,
                      const Ordering &ordering);
  static bool isOver(const Mark &mark, uint32_t thread,
                     const Ordering &ordering, uint32_t &pendingThread);
  void addMark(Cell &cell, Accessor by, bool isAtomic,
               const Ordering &ordering);
  void setWriter(Cell &cell, Accessor by, State state);

  std::vector<Cell> cells;
  std::vector<Cell> byteCells;
  std::vector<std::vector<Mark>> overflow;
  ShadowChecks checks;
  ShadowFault fault;
};

} // namespace tilec::emulator

#endif // TILE_COMPILER_EMULATOR_MACHINE_SHADOWMEMORY_H
