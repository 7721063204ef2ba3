//===- GuardedAccess.cpp - Accesses under a condition ---------------------===//

#include "compiler/Conversion/TileToNVVM/GuardedAccess.h"
#include "compiler/Conversion/TileToNVVM/WideAccess.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::tile;

void tile::emitGuarded(KernelEmitter &e, Value condition,
                       llvm::function_ref<void()> body) {
  if (!condition)
    return body();
  auto branch =
      scf::IfOp::create(e.builder, e.loc, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(e.builder);
  e.builder.setInsertionPointToStart(branch.thenBlock());
  body();
}

Value tile::emitGuardedValue(KernelEmitter &e, Value condition, Value otherwise,
                             llvm::function_ref<Value()> body) {
  auto branch =
      scf::IfOp::create(e.builder, e.loc, otherwise.getType(), condition,
                        /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(e.builder);
  e.builder.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(e.builder, e.loc, body());
  e.builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(e.builder, e.loc, otherwise);
  return branch.getResult(0);
}

//===----------------------------------------------------------------------===//
// Predicated instructions
//===----------------------------------------------------------------------===//

Guard tile::chooseGuard(int64_t accesses) {
  constexpr int64_t fewAccesses = 8;
  return accesses > fewAccesses ? Guard::Predicate : Guard::Branch;
}

/// The registers of an access: words, or one that is smaller.
static SmallVector<Value> splitAccess(KernelEmitter &e, Value value) {
  auto vector = dyn_cast<VectorType>(value.getType());
  if (!vector) {
    unsigned bits = value.getType().getIntOrFloatBitWidth();
    if (!value.getType().isInteger())
      value = e.builder.createOrFold<LLVM::BitcastOp>(
          e.loc, e.builder.getIntegerType(bits), value);
    // There are no registers of 8 bits; bytes are joined in words.
    if (bits < 16)
      value = e.builder.createOrFold<arith::ExtUIOp>(
          e.loc, e.builder.getI32Type(), value);
    return {value};
  }
  SmallVector<Value> words;
  for (int64_t i = 0; i < vector.getNumElements(); ++i)
    words.push_back(
        LLVM::ExtractElementOp::create(e.builder, e.loc, value, e.i32(i)));
  return words;
}

/// The inverse of `splitAccess`.
static Value joinAccess(KernelEmitter &e, ArrayRef<Value> parts, Type type) {
  auto vector = dyn_cast<VectorType>(type);
  if (!vector) {
    unsigned bits = type.getIntOrFloatBitWidth();
    Value value = parts.front();
    if (bits < 16)
      value = e.builder.createOrFold<arith::TruncIOp>(
          e.loc, e.builder.getIntegerType(bits), value);
    return e.builder.createOrFold<LLVM::BitcastOp>(e.loc, type, value);
  }
  Value value = LLVM::PoisonOp::create(e.builder, e.loc, type);
  for (auto [i, part] : llvm::enumerate(parts))
    value =
        LLVM::InsertElementOp::create(e.builder, e.loc, value, part, e.i32(i));
  return value;
}

static StringRef getConstraint(Type type) {
  unsigned bits = type.getIntOrFloatBitWidth();
  return bits == 16 ? "h" : bits == 32 ? "r" : "l";
}

/// ".v2.b32 {$0, $1}" for registers that begin with operand `first`.
static std::pair<std::string, std::string> spellAccess(Type type, size_t count,
                                                       size_t first) {
  if (count == 1)
    return {".b" + std::to_string(type.getIntOrFloatBitWidth()),
            "$" + std::to_string(first)};
  std::string list;
  for (size_t i = first; i < first + count; ++i)
    list += (list.empty() ? "{$" : ", $") + std::to_string(i);
  return {".v" + std::to_string(count) + ".b32", list + "}"};
}

/// A load of `otherwise`'s type, and that value where `condition` is false.
static Value emitPredicatedLoad(KernelEmitter &e, Value condition,
                                Value pointer, Value otherwise) {
  Type type = otherwise.getType();
  SmallVector<Value> parts = splitAccess(e, otherwise),
                     operands = {condition, pointer};
  llvm::append_range(operands, parts);
  Type part = parts.front().getType();
  std::string outputs, ties;
  for (size_t i = 0; i < parts.size(); ++i) {
    outputs += ("=" + getConstraint(part) + ",").str();
    ties += std::to_string(i) + ",";
  }
  bool isOne = parts.size() == 1;
  Type result =
      isOne
          ? part
          : Type(LLVM::LLVMStructType::getLiteral(
                e.builder.getContext(), SmallVector<Type>(parts.size(), part)));
  auto [suffix, list] = spellAccess(type, parts.size(), 0);
  Value loaded = e.callVolatileAsm(
      llvm::formatv("@${0} ld.global{1} {2}, [${3}];", parts.size(), suffix,
                    list, parts.size() + 1)
          .str(),
      outputs + "b,l," + ties, operands, result);
  for (auto [i, value] : llvm::enumerate(parts))
    value = isOne ? loaded
                  : LLVM::ExtractValueOp::create(e.builder, e.loc, loaded,
                                                 ArrayRef<int64_t>{int64_t(i)});
  return joinAccess(e, parts, type);
}

Value tile::emitGuardedLoad(KernelEmitter &e, Guard guard, Value condition,
                            Value pointer, int64_t bytes) {
  Type type = getAccessType(e.builder.getContext(), bytes);
  if (guard == Guard::Predicate)
    return emitPredicatedLoad(e, condition, pointer, e.zeroOf(type));
  return emitGuardedValue(e, condition, e.zeroOf(type), [&]() -> Value {
    return LLVM::LoadOp::create(e.builder, e.loc, type, pointer, bytes);
  });
}

void tile::emitGuardedStore(KernelEmitter &e, Guard guard, Value condition,
                            Value pointer, Value value, int64_t bytes) {
  if (guard == Guard::Branch)
    return emitGuarded(e, condition, [&]() {
      LLVM::StoreOp::create(e.builder, e.loc, value, pointer, bytes);
    });
  SmallVector<Value> operands = {condition, pointer},
                     parts = splitAccess(e, value);
  llvm::append_range(operands, parts);
  std::string constraints = "b,l,";
  for (Value part : parts)
    constraints += (getConstraint(part.getType()) + ",").str();
  auto [suffix, list] = spellAccess(value.getType(), parts.size(), 2);
  e.callVolatileAsm("@$0 st.global" + suffix + " [$1], " + list + ";",
                    constraints, operands, Type());
}

Value tile::getDefaultPad(KernelEmitter &e, Type elementType) {
  Type type = getRegisterType(elementType);
  if (isa<Float8E8M0FNUType>(elementType))
    return arith::ConstantOp::create(e.builder, e.loc,
                                     e.builder.getIntegerAttr(type, 127));
  return e.zeroOf(type);
}

/// The type that a register's element has in memory.
static Type getMemoryType(Type elementType) {
  Type type = getRegisterType(elementType);
  return type.isInteger(1) ? IntegerType::get(type.getContext(), 8) : type;
}

/// The element from what memory holds of it.
static Value takeElement(KernelEmitter &e, Value loaded, Type elementType) {
  if (!getRegisterType(elementType).isInteger(1))
    return loaded;
  return e.compare(arith::CmpIPredicate::ne, loaded, e.constantLike(loaded, 0));
}

Value tile::emitElementLoad(KernelEmitter &e, Value pointer, Type elementType) {
  Type type = getMemoryType(elementType);
  unsigned bytes = type.getIntOrFloatBitWidth() / 8;
  return takeElement(
      e, LLVM::LoadOp::create(e.builder, e.loc, type, pointer, bytes),
      elementType);
}

void tile::emitElementStore(KernelEmitter &e, Value pointer, Value value) {
  if (value.getType().isInteger(1))
    value = e.builder.createOrFold<arith::ExtUIOp>(e.loc, e.builder.getI8Type(),
                                                   value);
  LLVM::StoreOp::create(e.builder, e.loc, value, pointer,
                        value.getType().getIntOrFloatBitWidth() / 8);
}

void tile::emitInOwners(KernelEmitter &e, const layout::FragmentLayout &layout,
                        llvm::function_ref<void()> body) {
  emitGuarded(e, e.emitIsOwner(layout), body);
}

LogicalResult tile::refuseSplitBytes(StoreOp op) {
  return op.emitError("internal error in convert-tile-to-nvvm: 'tile.store' "
                      "splits bytes between threads; run tile-infer-layouts "
                      "first");
}

Value tile::getNibbleShift(KernelEmitter &e, Value index) {
  return e.builder.createOrFold<arith::TruncIOp>(
      e.loc, e.builder.getI8Type(),
      e.shl(e.andi(index, e.constantLike(index, 1)), 2));
}

Value tile::extractNibble(KernelEmitter &e, Value byte, Value shift) {
  byte = e.builder.createOrFold<arith::ShRUIOp>(e.loc, byte, shift);
  return e.builder.createOrFold<arith::TruncIOp>(
      e.loc, e.builder.getIntegerType(4), byte);
}

Value tile::emitNibbleLoad(KernelEmitter &e, Value pointer, Value shift) {
  Value byte =
      LLVM::LoadOp::create(e.builder, e.loc, e.builder.getI8Type(), pointer, 1);
  return extractNibble(e, byte, shift);
}

Value tile::emitGuardedElementLoad(KernelEmitter &e, Guard guard,
                                   GlobalAddresser &addresser, int reg,
                                   Type elementType, Value pad) {
  // Values that later accesses share are made outside the branch.
  Value condition = addresser.getInBounds(reg),
        pointer = addresser.getPointer(reg);
  bool isNibble = getElementBits(elementType) < 8;
  if (isNibble || guard == Guard::Branch) {
    Value shift = isNibble ? addresser.getNibbleShift(reg) : Value();
    return emitGuardedValue(e, condition, pad, [&]() -> Value {
      return isNibble ? emitNibbleLoad(e, pointer, shift)
                      : emitElementLoad(e, pointer, elementType);
    });
  }
  if (pad.getType().isInteger(1))
    pad = e.builder.createOrFold<arith::ExtUIOp>(
        e.loc, getMemoryType(elementType), pad);
  return takeElement(e, emitPredicatedLoad(e, condition, pointer, pad),
                     elementType);
}
