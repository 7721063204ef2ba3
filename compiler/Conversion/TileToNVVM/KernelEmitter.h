//===- KernelEmitter.h - State of the lowering of one kernel --------------===//
//
// The lowering walks a kernel whose fragments have layouts and emits, beside
// it, what one thread does: a fragment becomes the list of its values in one
// thread's registers.  This class holds where each value went and the helpers
// that all op families need; the families are in files of their own
// (Emitters.h).
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_CONVERSION_TILETONVVM_KERNELEMITTER_H
#define TILE_COMPILER_CONVERSION_TILETONVVM_KERNELEMITTER_H

#include "dialects/Tile/IR/TileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringMap.h"
#include <map>

namespace mlir::tile {

/// The type in which one element lives in a register: the element type where
/// LLVM has it, else an integer of its width.
Type getRegisterType(Type elementType);

/// A fragment as one thread holds it.  Elements of less than 32 bits are packed
/// in 32-bit words, register 0 in the low bits, if they fill whole words; else
/// each is a value of its own.
class FragmentValue {
public:
  FragmentValue() = default;
  FragmentValue(Type elementType, unsigned count)
      : elementType(elementType), count(count) {}

  static FragmentValue ofElements(Type elementType, ArrayRef<Value> elements);
  static FragmentValue ofWords(Type elementType, unsigned count,
                               ArrayRef<Value> words);
  /// Pieces of words, as they came: nibbles in bytes, wider elements alone.
  static FragmentValue ofPieces(Type elementType, unsigned count,
                                ArrayRef<Value> pieces);

  Type getElementType() const { return elementType; }
  unsigned size() const { return count; }
  /// Whether there are no words yet, only pieces.
  bool isInPieces() const { return words.empty(); }
  SmallVector<Value> getPieces(OpBuilder &builder, Location loc) const;
  /// How many pieces there are.
  unsigned getPieceCount() const;
  /// Elements in a word, or 1 if elements are separate.
  unsigned elementsPerWord() const;

  /// All elements, unpacked.
  SmallVector<Value> getElements(OpBuilder &builder, Location loc) const;
  /// The packed words; only if `elementsPerWord() > 1`.
  SmallVector<Value> getWords(OpBuilder &builder, Location loc) const;
  /// The values that stand for the fragment across control flow: words if
  /// packed, else elements; `getFlatType` is their type.
  SmallVector<Value> flatten(OpBuilder &builder, Location loc) const;
  Type getFlatType() const;
  unsigned getFlatCount() const { return count / elementsPerWord(); }
  static FragmentValue unflatten(Type elementType, unsigned count,
                                 ArrayRef<Value> values);

private:
  Type elementType;
  unsigned count = 0;
  /// One of the three is filled; bytes hold nibbles.
  SmallVector<Value> elements, words, bytes;
};

/// A tensor in global memory, as the kernel's parameters describe it.
struct GlobalView {
  Value pointer;
  GlobalType type;
  /// Extents in elements, and bytes between neighbours along each dimension of
  /// the storage (i64).
  SmallVector<Value> extents, strides;
  /// The first index along each dimension that lies in the tensor, where a part
  /// begins in front of it (i64); null for 0, and empty if all are.
  SmallVector<Value> lowers;
  /// Of a part of a packed tensor, along its packed dimension: elements by
  /// which it begins behind the start of a byte (i64, 0 or 1; null for 0), and
  /// those from its start to the end of the tensor (i64; null: its extent).
  Value packPhase, packLimit;
};

/// A tile in shared memory.
struct SharedView {
  Value pointer;
  SharedType type;
};

/// The iteration of `tile.parallel` that is being emitted.
class Iteration {
public:
  virtual ~Iteration() = default;
  /// Sets the result to the element that the iteration reads.
  virtual LogicalResult emitElement(ElementOp op) = 0;

  /// Whether the thread is the one that does what must be done once (i1); null
  /// if it always is.
  Value owner;
};

class KernelEmitter {
public:
  /// Creates the function of `kernel` and emits its prologue, for a target of
  /// this compute capability (90 for sm_90a).
  KernelEmitter(KernelOp kernel, unsigned computeCapability);

  /// Emits the body; false after an error was reported.
  bool emitKernel();

  /// Emits the ops of a block but its terminator.
  LogicalResult emitBlock(Block &block);

  KernelOp kernel;
  unsigned computeCapability;
  OpBuilder builder;
  LLVM::LLVMFuncOp function;
  /// Location of the op being lowered.
  Location loc;
  /// Thread index in the block (i32), and the threads that compute.
  Value thread;
  int64_t threads;
  /// The hardware barrier of the team: 0 is that of the block.
  unsigned teamBarrier = 0;
  /// The values that the loops around carry from iteration to iteration, about
  /// a register each.
  unsigned carriedRegisters = 0;
  /// Null outside `tile.parallel`.
  Iteration *iteration = nullptr;

  /// Emits what a team does: `thread`, `threads` and `teamBarrier` are its own
  /// meanwhile.
  LogicalResult emitTeam(Value teamThread, int64_t teamThreads,
                         unsigned barrier,
                         function_ref<LogicalResult()> emitBody);

  //===--------------------------------------------------------------------===//
  // Values
  //===--------------------------------------------------------------------===//

  Value getScalar(Value value) const { return scalars.lookup(value); }
  SmallVector<Value> getScalars(ValueRange values) const;
  void setScalar(Value from, Value to) { scalars[from] = to; }
  const FragmentValue &getFragment(Value value) const {
    return fragments.find(value)->second;
  }
  void setFragment(Value from, FragmentValue to) {
    fragments[from] = std::move(to);
  }
  const GlobalView &getGlobal(Value value) const {
    return globals.find(value)->second;
  }
  void setGlobal(Value from, GlobalView to) { globals[from] = std::move(to); }
  SharedView getShared(Value value) const { return shareds.lookup(value); }
  void setShared(Value from, SharedView to) { shareds[from] = to; }
  /// The address of the first of some barriers (i32).
  Value getBarriers(Value value) const { return barriers.lookup(value); }
  void setBarriers(Value from, Value to) { barriers[from] = to; }
  /// Those of the block of the cluster whose rank is that of the lane, for
  /// barriers on which arrivals count in all blocks; else null.
  Value getBarriersOfLane(Value value) const {
    return barriersOfLane.lookup(value);
  }
  void setBarriersOfLane(Value from, Value to) { barriersOfLane[from] = to; }
  Value getSymbol(StringRef name) const { return symbols.lookup(name); }
  Value getBlockId(unsigned axis) const { return blockIds[axis]; }
  /// Address of the kernel's tensor map `index`.
  Value getTensorMap(int64_t index);
  static const layout::FragmentLayout &getLayout(Value fragment);

  /// Flat values of anything that control flow carries, and back.
  void appendFlat(Value value, SmallVectorImpl<Value> &flat);
  SmallVector<Type> getFlatTypes(Type type);
  /// Takes the values of `value` from the front of `flat`.
  void takeFlat(Value value, ValueRange &flat);

  //===--------------------------------------------------------------------===//
  // Arithmetic
  //===--------------------------------------------------------------------===//

  Value i32(int64_t value);
  Value i64(int64_t value);
  Value i1(bool value);
  Value add(Value a, Value b) {
    return builder.createOrFold<arith::AddIOp>(loc, a, b);
  }
  Value sub(Value a, Value b) {
    return builder.createOrFold<arith::SubIOp>(loc, a, b);
  }
  Value mul(Value a, Value b) {
    return builder.createOrFold<arith::MulIOp>(loc, a, b);
  }
  Value divui(Value a, Value b) {
    return builder.createOrFold<arith::DivUIOp>(loc, a, b);
  }
  Value remui(Value a, Value b) {
    return builder.createOrFold<arith::RemUIOp>(loc, a, b);
  }
  Value andi(Value a, Value b) {
    return builder.createOrFold<arith::AndIOp>(loc, a, b);
  }
  Value ori(Value a, Value b) {
    return builder.createOrFold<arith::OrIOp>(loc, a, b);
  }
  Value xori(Value a, Value b) {
    return builder.createOrFold<arith::XOrIOp>(loc, a, b);
  }
  Value shl(Value a, int64_t bits) {
    return bits == 0 ? a
                     : builder.createOrFold<arith::ShLIOp>(
                           loc, a, constantLike(a, bits));
  }
  Value shr(Value a, int64_t bits) {
    return bits == 0 ? a
                     : builder.createOrFold<arith::ShRUIOp>(
                           loc, a, constantLike(a, bits));
  }
  Value compare(arith::CmpIPredicate predicate, Value a, Value b) {
    return builder.createOrFold<arith::CmpIOp>(loc, predicate, a, b);
  }
  Value select(Value condition, Value a, Value b) {
    return builder.createOrFold<arith::SelectOp>(loc, condition, a, b);
  }
  /// To i64, by its sign or as a number from 0.
  Value extendToI64(Value value);
  Value zeroExtend(Value value);
  /// The constant `value` in the type of `like`.
  Value constantLike(Value like, int64_t value);
  /// The zero of a register type.
  Value zeroOf(Type registerType);

  /// A call of an LLVM intrinsic; null result type for none.
  Value callIntrinsic(StringRef name, Type result, ValueRange operands);
  /// A pure inline assembly with one result, i32 if no type is given.
  Value callAsm(StringRef text, StringRef constraints, ValueRange operands,
                Type result = {});
  /// Inline PTX whose place among memory accesses and other such statements
  /// stays; `constraints` are empty or end with a comma.
  Value callVolatileAsm(StringRef text, StringRef constraints,
                        ValueRange operands, Type result = {});
  Value emitExpression(Attribute expression);
  /// Which warpgroup of its team the thread is in (i32), the same value in all
  /// threads of a warp.
  Value emitWarpgroup();
  /// The value of the first thread of a warp (i32).
  Value broadcastInWarp(Value value);
  /// The address that a pointer to shared memory holds (i32).
  Value getSharedAddress(Value pointer);
  /// The block's shared memory, `offset` bytes from its start.
  Value getSharedPointer(int64_t offset);
  /// Bytes behind a pointer.
  Value offsetPointer(Value pointer, Value bytes);

  //===--------------------------------------------------------------------===//
  // Thread-dependent values, emitted once at the start of the function, or of
  // what a team does
  //===--------------------------------------------------------------------===//

  /// XOR of `bases[i]` over the set bits i of the thread index (i32).
  Value emitThreadBits(ArrayRef<int32_t> bases);
  /// Coordinate `dim` of a thread by the lane and warp bases of a layout.
  Value emitThreadCoord(ArrayRef<layout::Coords> laneBases,
                        ArrayRef<layout::Coords> warpBases, int dim);
  /// Whether the thread is the one of its team that does what must be done once
  /// and without the others, such as to start a copy by TMA (i1); null in a
  /// team of one thread.
  Value emitIsLeader();
  /// Whether the thread is the one of its warp that the hardware elects (i1).
  Value emitElection();
  /// Whether the thread owns what it holds, or null if all do.  Registers with
  /// their own redundancy are not covered.
  Value emitIsOwner(const layout::FragmentLayout &layout);

private:
  void createFunction();
  size_t countTensorMaps();
  void emitPrologue();
  void emitAssumptions();
  void emitGlobals(unsigned firstStride);
  void emitBlockIds();

  DenseMap<Value, Value> scalars;
  DenseMap<Value, FragmentValue> fragments;
  DenseMap<Value, GlobalView> globals;
  DenseMap<Value, SharedView> shareds;
  DenseMap<Value, Value> barriers;
  DenseMap<Value, Value> barriersOfLane;
  llvm::StringMap<Value> symbols;
  SmallVector<Value> blockIds;
  /// Thread-dependent values go before this op.
  Operation *prologueEnd = nullptr;
  std::map<std::vector<int32_t>, Value> threadBits;
  Value isLeader, warpgroup;
};

} // namespace mlir::tile

#endif // TILE_COMPILER_CONVERSION_TILETONVVM_KERNELEMITTER_H
