//===- Interpreter.h - The meaning of a tile kernel -----------------------===//
//
// Executes a `tile.kernel` on arrays of the host: what the kernel means, not
// how a GPU would compute it.  Everything else is compared with it, so it
// favours exactness over speed:
// - the sum of a product, reduction or scan in f32 is held in f64 while it only
// flows through
//   products, carried values, selects and moves between fragments; a cast
//   rounds it once.  Any other f32 operation reads it rounded to f32;
// - every other operation rounds its result to its type, and nothing is fused;
// - integers wrap, division by zero gives 0, shifts by the width or more give 0
//   or the sign;
// - reading a shared element that was never written, a shared access outside
// its
//   tile, and touching a tile that an asynchronous copy is still filling stop
//   the kernel.
// Teams of warpgroups take turns at their waits; TMA copies are done at once.
// It executes what the frontend emits, and of what the passes add the ops that
// still work on whole tiles: stages, asynchronous copies, `tile.mma`.
//
// Tests: test/compiler/Interpreter.
//
//===----------------------------------------------------------------------===//
#ifndef TILEC_INTERPRETER_INTERPRETER_H
#define TILEC_INTERPRETER_INTERPRETER_H

#include "compiler/Numerics/NumberFormat.h"
#include "compiler/Numerics/PackedStorage.h"
#include "dialects/Tile/IR/TileOps.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"

namespace tilec {

/// An array that a tensor parameter stands for.  The caller keeps the storage
/// alive and owns it.
struct TensorArgument {
  std::string name;
  NumberFormat format = NumberFormat::F32;
  /// Logical extents: a 4-bit tensor counts elements, not bytes.
  Extents shape;
  /// Strides of the stored array, outermost first; of a 4-bit tensor they count
  /// bytes, its stored array being uint8 with the packed dimension halved and
  /// rounded up.  Empty: dense.
  Extents strides;
  void *storage = nullptr;
  /// Bytes from `storage` on that may be accessed.
  size_t storageBytes = 0;
  /// If not null, one byte for each logical element, row-major, that is set to
  /// 1 when the kernel writes the element.  A run over some of the blocks needs
  /// it to know what there is to compare.
  uint8_t *written = nullptr;
};

struct ScalarArgument {
  std::string name;
  NumberFormat format = NumberFormat::F32;
  uint64_t code = 0;
};

/// Tensors and scalars are found by name; their order does not matter.
struct InterpreterArguments {
  std::vector<TensorArgument> tensors;
  std::vector<ScalarArgument> scalars;
  /// Values of symbols.  One that is missing has its fixed value, or is bound
  /// by the tensor that the kernel names for it.
  llvm::StringMap<int64_t> symbols;
};

struct InterpreterOptions {
  /// Numbers of the blocks to run, first axis fastest; all blocks if absent.
  std::optional<std::vector<int64_t>> blocks;
  /// Threads that run blocks; 0: as many as the machine has.
  unsigned workers = 0;
};

struct InterpreterReport {
  /// Extent of each axis of the grid.
  std::vector<int64_t> grid;
  int64_t blocksRun = 0;
};

/// Why a kernel stopped: the place in the source and the text.  If several
/// blocks stop, the one of the lowest number is told.
class InterpreterError : public llvm::ErrorInfo<InterpreterError> {
public:
  static char ID;
  InterpreterError(mlir::Location location, std::string text);
  /// Writes "file:line:column: error: text".
  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override;
  mlir::Location getLocation() const { return location; }
  const std::string &getText() const { return text; }

private:
  mlir::Location location;
  std::string text;
};

/// Extent of each axis of the grid for these arguments.
llvm::Expected<std::vector<int64_t>>
evaluateGrid(mlir::tile::KernelOp kernel,
             const InterpreterArguments &arguments);

/// Runs the kernel.  Arguments that do not fit it, checks that do not hold and
/// what a correct program never does give an InterpreterError; what was written
/// until then stays written.
llvm::Expected<InterpreterReport>
interpretKernel(mlir::tile::KernelOp kernel,
                const InterpreterArguments &arguments,
                const InterpreterOptions &options = {});

} // namespace tilec

#endif // TILEC_INTERPRETER_INTERPRETER_H
