//===- BlockInterpreter.h - One block of a kernel -------------------------===//
//
// Holds the values of a running block and executes operations by their
// handlers. Each family of operations registers its handlers from a file of its
// own.
//
//===----------------------------------------------------------------------===//
#ifndef TILEC_INTERPRETER_BLOCKINTERPRETER_H
#define TILEC_INTERPRETER_BLOCKINTERPRETER_H

#include "compiler/Interpreter/RuntimeValue.h"
#include "dialects/Tile/IR/TileOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include <deque>

namespace tilec {

/// The format of an element type: of a signless integer the signed one, unless
/// `isUnsigned`.  Nothing for types the language does not have.
std::optional<NumberFormat> findFormat(mlir::Type elementType,
                                       bool isUnsigned = false);

/// What all blocks of a launch share; not changed while they run.
struct Launch {
  mlir::tile::KernelOp kernel;
  /// Values of the kernel's arguments.
  std::vector<RuntimeValue> arguments;
  std::deque<GlobalTensor> tensors;
  llvm::StringMap<int64_t> symbols;
  std::vector<int64_t> grid;
};

/// The lanes of `tile.parallel` that run: those of its iterations that the
/// enclosing conditions leave.  Outside there is one.
struct LaneMask {
  int64_t count = 1;
  bool inParallel = false;
  /// One entry for each lane; null: all run.
  std::shared_ptr<const std::vector<uint8_t>> active;

  bool runs(int64_t lane) const { return !active || (*active)[lane]; }
};

/// Why a block stopped.
struct Failure {
  mlir::Location location;
  std::string text;
};

/// A box of a memory: its first element in the root and its extents along the
/// root's dimensions.
struct TileBox {
  std::vector<int64_t> anchor;
  std::vector<int64_t> shape;
};

/// An asynchronous copy that has started and not been waited for.
struct PendingCopy {
  MemoryView destination;
  TileBox box;
  RuntimeValue elements;
};

class BlockInterpreter;
class TeamTurns;
using Handler = llvm::LogicalResult (*)(BlockInterpreter &, mlir::Operation *);

/// Which function executes which operation.
class HandlerTable {
public:
  template <typename Op, llvm::LogicalResult (*execute)(BlockInterpreter &, Op)>
  void add() {
    handlers[mlir::TypeID::get<Op>()] = [](BlockInterpreter &block,
                                           mlir::Operation *op) {
      return execute(block, llvm::cast<Op>(op));
    };
  }
  /// The handler of an operation, or null.
  Handler find(mlir::Operation *op) const {
    return handlers.lookup(op->getName().getTypeID());
  }
  /// The table of all families.
  static const HandlerTable &getAll();

private:
  llvm::DenseMap<mlir::TypeID, Handler> handlers;
};

void addStructureHandlers(HandlerTable &table);
void addControlFlowHandlers(HandlerTable &table);
void addMemoryHandlers(HandlerTable &table);
void addElementHandlers(HandlerTable &table);
void addAsyncHandlers(HandlerTable &table);
void addAtomicHandlers(HandlerTable &table);
void addTeamHandlers(HandlerTable &table);
void addScaledHandlers(HandlerTable &table);
void addReductionHandlers(HandlerTable &table);
void addDebugHandlers(HandlerTable &table);
void addMatmulHandlers(HandlerTable &table);
void addShapeHandlers(HandlerTable &table);
void addCastHandlers(HandlerTable &table);
void addIntegerHandlers(HandlerTable &table);
void addFloatHandlers(HandlerTable &table);

class BlockInterpreter {
public:
  /// `position`: the block's place along each axis.
  BlockInterpreter(const Launch &launch, std::vector<int64_t> position)
      : launch(launch), position(std::move(position)) {}

  llvm::LogicalResult run();
  const std::optional<Failure> &getFailure() const { return reason; }

  const Launch &getLaunch() const { return launch; }
  const std::vector<int64_t> &getPosition() const { return position; }

  //===--- Values ---------------------------------------------------------===//

  const RuntimeValue &get(mlir::Value value) const;
  void set(mlir::Value value, RuntimeValue content) {
    values[value] = std::move(content);
  }
  const Integers &getIntegers(mlir::Value value) const {
    return get(value).getIntegers();
  }
  /// The floats of a value, each rounded to its type.
  Floats getRounded(mlir::Value value) const;
  /// The value with floats rounded to their type.
  RuntimeValue getNarrow(mlir::Value value) const;

  /// Numbers that are the same for the whole block, such as the indices of a
  /// tile; sets the failure if a lane could have its own.
  llvm::FailureOr<int64_t> getUniform(mlir::Operation *op, mlir::Value value);
  llvm::FailureOr<std::vector<int64_t>> getUniform(mlir::Operation *op,
                                                   mlir::ValueRange values);

  //===--- Execution ------------------------------------------------------===//

  /// Executes a region of one block with these arguments and gives the operands
  /// of its terminator.
  llvm::FailureOr<std::vector<RuntimeValue>>
  runRegion(mlir::Region &region, llvm::ArrayRef<RuntimeValue> arguments);

  /// Notes why the block stops and fails.
  llvm::LogicalResult fail(mlir::Operation *op, const llvm::Twine &text) {
    return fail(op->getLoc(), text);
  }
  llvm::LogicalResult fail(mlir::Location location, const llvm::Twine &text);

  //===--- Lanes ----------------------------------------------------------===//

  const LaneMask &getMask() const { return mask; }
  void setMask(LaneMask newMask) { mask = std::move(newMask); }
  /// Fails if the block is in an element loop: for operations on whole tiles.
  llvm::LogicalResult requireWholeBlock(mlir::Operation *op);

  //===--- Asynchronous copies --------------------------------------------===//

  std::vector<PendingCopy> openGroup;
  std::deque<std::vector<PendingCopy>> groups;

  //===--- Teams ----------------------------------------------------------===//

  /// Whose turn it is, if this is one of several teams, and which one it is.
  TeamTurns *turns = nullptr;
  size_t team = 0;

private:
  llvm::LogicalResult execute(mlir::Operation *op);

  const Launch &launch;
  std::vector<int64_t> position;
  llvm::DenseMap<mlir::Value, RuntimeValue> values;
  LaneMask mask;
  std::optional<Failure> reason;
};

/// Sets the mask of a block while it lives.
class MaskScope {
public:
  MaskScope(BlockInterpreter &block, LaneMask mask)
      : block(block), saved(block.getMask()) {
    block.setMask(std::move(mask));
  }
  ~MaskScope() { block.setMask(saved); }
  MaskScope(const MaskScope &) = delete;
  MaskScope &operator=(const MaskScope &) = delete;

private:
  BlockInterpreter &block;
  LaneMask saved;
};

} // namespace tilec

#endif // TILEC_INTERPRETER_BLOCKINTERPRETER_H
