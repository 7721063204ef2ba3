//===- Instruction.h - How instructions are implemented ---------*- C++ -*-===//
//
// An instruction is an `llvm.nvvm.*` intrinsic or a statement of inline PTX.
// When a module is loaded, each use is bound: a binder looks at the words of
// the name ("mma", "m16n8k16", "row", ...) and returns an Operation with the
// function that executes it, or an error.  Nothing about names is looked at
// while a kernel runs.
//
// Operands travel in slots of eight bytes, results first.  Types up to 64 bits
// fill one slot, in its low bytes.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_COMPILER_EMULATOR_INSTRUCTIONS_INSTRUCTION_H
#define TILE_COMPILER_EMULATOR_INSTRUCTIONS_INSTRUCTION_H

#include "compiler/Emulator/Machine/Block.h"
#include "llvm/ADT/StringMap.h"

namespace tilec::emulator {

/// Operands of one lane.
using Slots = uint64_t *;

/// Executes an instruction for one thread.
using ThreadHandler = void (*)(Thread &thread, const Operation &operation,
                               Slots slots);

/// A warp instruction with the operands of all lanes in `mask`.
struct WarpCall {
  Warp &warp;
  const Operation &operation;
  uint32_t mask;
  const std::array<Slots, lanesPerWarp> &slots;

  /// Argument `index` of a lane, after the results.
  uint64_t &argument(uint32_t lane, unsigned index) const;
  uint64_t &result(uint32_t lane, unsigned index) const {
    return slots[lane][index];
  }
};

/// A warpgroup instruction with the calls of its four warps.
struct WarpgroupCall {
  Block &block;
  Warpgroup &group;
  const Operation &operation;
  const std::array<const WarpCall *, warpsPerWarpgroup> &warps;

  /// Argument or result of a thread of the warpgroup.
  uint64_t &argument(uint32_t thread, unsigned index) const {
    return warps[thread / lanesPerWarp]->argument(thread % lanesPerWarp, index);
  }
  uint64_t &result(uint32_t thread, unsigned index) const {
    return warps[thread / lanesPerWarp]->result(thread % lanesPerWarp, index);
  }
};

/// Executes an instruction once for all its lanes.
using WarpHandler = void (*)(const WarpCall &call);

/// A bound instruction.
struct Operation {
  const Site *site = nullptr;
  /// One of the two is set.
  ThreadHandler threadHandler = nullptr;
  WarpHandler warpHandler = nullptr;
  unsigned results = 0;
  unsigned arguments = 0;
  /// Argument that holds the member mask of a warp instruction; -1 for those
  /// that want every lane of the warp.
  int maskArgument = -1;
  /// Lanes may meet from different places of the program (bar.warp.sync).
  bool meetsAnywhere = false;
  /// Kernel parameter from which the address in each of the first arguments is
  /// derived, -1 where that is unknown or no address.
  std::array<int16_t, 3> origins{-1, -1, -1};
  /// Whatever the binder wants to tell the handler.
  std::array<uint32_t, 8> parameters{};
};

inline uint64_t &WarpCall::argument(uint32_t lane, unsigned index) const {
  return slots[lane][operation.results + index];
}

/// The use of an instruction that a binder looks at.
struct InstructionForm {
  /// The name split at its dots, without "llvm.nvvm" and type suffixes of
  /// overloaded intrinsics: {"shfl", "sync", "idx", "i32"}.
  llvm::SmallVector<llvm::StringRef, 12> words;
  /// True for inline PTX, whose operand order and words differ in places.
  bool isPtx = false;
  unsigned results = 0;
  unsigned arguments = 0;
  /// For intrinsics with an overloaded number type, its name: "f16",
  /// "v2bf16", ...  Empty otherwise.
  llvm::StringRef overload;

  bool has(llvm::StringRef word) const {
    return llvm::is_contained(words, word);
  }
};

/// Makes an operation of a form.  `site`, `results` and `arguments` are filled
/// in by the caller.  An empty optional says that the form is not implemented.
using Binder = std::optional<Operation> (*)(const InstructionForm &form);

/// All instructions by the first words of their names.
class InstructionTable {
public:
  /// The table with every family registered.
  static const InstructionTable &get();

  /// Registers `binder` for the names that begin with the words of `name`.
  /// `hasPtxResult` tells whether the first operand of the PTX statement is
  /// its result.
  void add(llvm::StringRef name, Binder binder, bool hasPtxResult = true);
  /// The same for one whose result is an argument too, before the others.
  void addInPlace(llvm::StringRef name, Binder binder);

  struct Entry {
    Binder binder = nullptr;
    bool hasPtxResult = true;
    bool isInPlace = false;
  };
  /// Finds the entry with the longest matching name; null if there is none.
  const Entry *find(llvm::ArrayRef<llvm::StringRef> words) const;

private:
  llvm::StringMap<Entry> entries;
};

// One function per family, each in the file of its name.
void registerSpecialRegisters(InstructionTable &table);
void registerWarpInstructions(InstructionTable &table);
void registerBarrierInstructions(InstructionTable &table);
void registerClusterInstructions(InstructionTable &table);
void registerMatrixMemoryInstructions(InstructionTable &table);
void registerAsyncCopyInstructions(InstructionTable &table);
void registerTransactionBarrierInstructions(InstructionTable &table);
void registerTensorCopyInstructions(InstructionTable &table);
void registerWarpgroupInstructions(InstructionTable &table);
void registerLaunchInstructions(InstructionTable &table);
void registerMmaInstructions(InstructionTable &table);
void registerWgmmaInstructions(InstructionTable &table);
void registerMathInstructions(InstructionTable &table);
void registerConversionInstructions(InstructionTable &table);
void registerIntegerInstructions(InstructionTable &table);
void registerMemoryInstructions(InstructionTable &table);

//===----------------------------------------------------------------------===//
// Helpers for handlers
//===----------------------------------------------------------------------===//

inline Operation makeThreadOperation(ThreadHandler handler) {
  Operation operation;
  operation.threadHandler = handler;
  return operation;
}

inline Operation makeWarpOperation(WarpHandler handler, int maskArgument = -1) {
  Operation operation;
  operation.warpHandler = handler;
  operation.maskArgument = maskArgument;
  return operation;
}

inline float asFloat(uint64_t slot) {
  return llvm::bit_cast<float>(static_cast<uint32_t>(slot));
}
inline double asDouble(uint64_t slot) { return llvm::bit_cast<double>(slot); }
inline uint64_t toSlot(float value) { return llvm::bit_cast<uint32_t>(value); }
inline uint64_t toSlot(double value) { return llvm::bit_cast<uint64_t>(value); }

/// Executes a bound instruction for the current thread.
void runOperation(const Operation &operation, Slots slots);

} // namespace tilec::emulator

#endif // TILE_COMPILER_EMULATOR_INSTRUCTIONS_INSTRUCTION_H
