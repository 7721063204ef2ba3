//===- WgmmaToNVVM.cpp - Products of warpgroups ---------------------------===//
//
// LLVM knows nothing of registers that are read or written later, so that the
// instructions are inline PTX: a product is one statement, from its fence to
// its commit, which takes and gives all accumulators, as the wait does.  What
// it takes is there in front of the fence.  (A statement for each instruction
// would be as right, but each passes 128 values on, one by one, and they made
// up most of what LLVM had to read.)
//
// A descriptor of a shared tile (PTX ISA, "Matrix Descriptor Format") is, with
// all counts in units of 16 bytes,
//
//     bits 0-13 address, 16-29 leading offset, 32-45 stride offset,
//     62-63 swizzle: 1 for 128 bytes, 2 for 64
//
//     K fastest (rows of K):   stride = 8 rows, leading is not used
//     K slowest (rows of M/N): stride = 8 rows (of K), leading = to the next
//                              panel of M/N
//
// Within a tile only the address changes, by less than its bits hold: parts
// are added to the descriptor of the whole.
//
//===----------------------------------------------------------------------===//

#include "compiler/Conversion/TileToNVVM/Emitters.h"
#include "dialects/Tile/Transforms/WgmmaCandidates.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::tile;

//===----------------------------------------------------------------------===//
// Inline PTX
//===----------------------------------------------------------------------===//

/// The constraint of a 32-bit register of a type.
static StringRef getConstraint(Type type) { return type.isF32() ? "f" : "r"; }

/// "=f,=f,...,0,1,...": `count` registers that go in and come out.
static std::string tieRegisters(StringRef constraint, unsigned count) {
  std::string text;
  for (unsigned i = 0; i < count; ++i)
    text += ("=" + constraint + ",").str();
  for (unsigned i = 0; i < count; ++i)
    text += std::to_string(i) + ",";
  return text;
}

/// A statement that changes `registers` in place, then takes `operands`.
static SmallVector<Value> emitTied(KernelEmitter &e, const Twine &text,
                                   ArrayRef<Value> registers,
                                   ArrayRef<Value> operands,
                                   StringRef constraints) {
  Type type = registers.front().getType();
  Type result = LLVM::LLVMStructType::getLiteral(
      e.builder.getContext(), SmallVector<Type>(registers.size(), type));
  SmallVector<Value> inputs(registers);
  llvm::append_range(inputs, operands);
  Value changed = e.callVolatileAsm(
      text.str(),
      tieRegisters(getConstraint(type), registers.size()) + constraints.str(),
      inputs, result);
  SmallVector<Value> values;
  for (int64_t i = 0; i < int64_t(registers.size()); ++i)
    values.push_back(LLVM::ExtractValueOp::create(e.builder, e.loc, changed,
                                                  ArrayRef<int64_t>{i}));
  return values;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

namespace {
/// One operand in shared memory: the descriptor of its parts.
class OperandDescriptor {
public:
  /// `isKFastest`: rows of the tile are rows of K.
  OperandDescriptor(KernelEmitter &e, SharedView view, bool isKFastest)
      : e(e), storage(view.type.getStorage()), isKFastest(isKFastest) {
    Value address = LLVM::PtrToIntOp::create(
        e.builder, e.loc, e.builder.getI32Type(), view.pointer);
    low = e.andi(e.shr(address, 4), e.i32(0x3FFF));
  }

  /// Moves on to the part of a warpgroup: adds `count` times the distance of
  /// `line` rows (of M or N).
  void addLines(Value count, int64_t line) {
    if (line != 0)
      low = e.add(low, e.mul(count, e.i32(getOffset(line, 0))));
  }

  /// The descriptor of the whole.
  Value getBase() {
    if (!base)
      base = makeBase();
    return base;
  }

  /// What to add to it for the part that begins at a row or column and an
  /// element of K.
  int64_t getOffset(int64_t line, int64_t k) const {
    layout::Coords coords{int32_t(line), int32_t(k)};
    if (!isKFastest)
      std::swap(coords[0], coords[1]);
    return storage.linearOffset(coords) / 16;
  }

private:
  Value makeBase() {
    int64_t leading = isKFastest || storage.panelBytes() == 0
                          ? 1
                          : storage.panelStride() / 16;
    int64_t stride = 8 * storage.rowPitch() / 16;
    int64_t mode = storage.rowPitch() == 128 ? 1 : 2;
    Value word = e.ori(low, e.i32(leading << 16));
    // LLVM must not see the constant bits: it would rebuild the whole in the
    // loop instead of keeping it.
    return e.callAsm(
        llvm::formatv("mov.b64 $0, {{$1, {0}};", stride | mode << 30).str(),
        "=l,r", word, e.builder.getI64Type());
  }

  KernelEmitter &e;
  layout::SharedLayout storage;
  bool isKFastest;
  Value low, base;
};

/// Where the element of a register is, apart from the thread's share.
static layout::Coords getStart(const layout::FragmentLayout &layout, int reg) {
  layout::Coords start = layout.registerXor(reg),
                 offset = layout.registerOffset(reg);
  for (size_t d = 0; d < start.size(); ++d)
    start[d] += offset[d];
  return start;
}

/// A left operand in registers: the four words that an instruction takes, by
/// the row and the element of K where they begin.
class RegisterOperand {
public:
  RegisterOperand(KernelEmitter &e, Value fragment, bool swap)
      : layout(e.getLayout(fragment)),
        words(getWords(e, e.getFragment(fragment))) {
    int perInstruction =
        layout.elementsPerThread() / int(words.size()) * wordsPerInstruction;
    for (int reg = 0; reg < layout.elementsPerThread(); reg += perInstruction) {
      layout::Coords start = getStart(layout, reg);
      firsts[{start[swap ? 1 : 0], start[swap ? 0 : 1]}] =
          reg / perInstruction * wordsPerInstruction;
    }
  }

  ArrayRef<Value> get(int64_t row, int64_t k) const {
    return ArrayRef(words).slice(firsts.at({int(row), int(k)}),
                                 wordsPerInstruction);
  }

private:
  static constexpr int wordsPerInstruction = 4;

  /// Elements of 32 bits are words too.
  static SmallVector<Value> getWords(KernelEmitter &e,
                                     const FragmentValue &value) {
    if (getElementBits(value.getElementType()) < 32)
      return value.getWords(e.builder, e.loc);
    SmallVector<Value> words;
    for (Value element : value.getElements(e.builder, e.loc))
      words.push_back(e.builder.createOrFold<LLVM::BitcastOp>(
          e.loc, e.builder.getI32Type(), element));
    return words;
  }

  const layout::FragmentLayout &layout;
  SmallVector<Value> words;
  std::map<std::pair<int, int>, int> firsts;
};

/// The accumulators of a thread by the instruction that adds to them.
class Accumulators {
public:
  /// `columns`: those of one instruction, which are rows of the tile where
  /// operands are swapped.
  Accumulators(const layout::FragmentLayout &layout, int64_t columns,
               bool swap) {
    // Rows g and g + 8, pairs of columns: four registers for eight columns
    // (MmaLayout.h).
    for (int reg = 0; reg < layout.elementsPerThread(); reg += 4) {
      layout::Coords start = getStart(layout, reg);
      int row = start[swap ? 1 : 0], column = start[swap ? 0 : 1];
      int firstColumn = column / columns * columns;
      std::vector<int> &registers = parts[{row, firstColumn}];
      registers.resize(columns / 2);
      for (int i = 0; i < 4; ++i)
        registers[(column - firstColumn) / 2 + i] = reg + i;
    }
  }

  /// {row, column} of the first sum, beside the warpgroup's own, and the
  /// registers in the order of the instruction.
  std::map<std::pair<int, int>, std::vector<int>> parts;
};
} // namespace

/// Moves operands to the rows and columns of the warpgroup; `left` is null if
/// it is in registers.
static void placeWarpgroup(KernelEmitter &e,
                           const layout::FragmentLayout &layout, bool swap,
                           OperandDescriptor *left, OperandDescriptor &right) {
  // Bits 0 and 1 of the warp tell the warps of a group apart.
  ArrayRef<layout::Coords> bases = layout.warpBases();
  if (bases.size() <= 2)
    return;
  Value group = e.emitWarpgroup();
  for (auto [bit, basis] : llvm::enumerate(bases.drop_front(2))) {
    Value isSet = e.andi(e.shr(group, bit), e.i32(1));
    if (left)
      left->addLines(isSet, basis[swap ? 1 : 0]);
    right.addLines(isSet, basis[swap ? 0 : 1]);
  }
}

namespace {
/// The instructions of one product, in the instruction's own terms: left and
/// right are B and A of the op where operands are swapped.
class WgmmaEmitter {
public:
  WgmmaEmitter(KernelEmitter &e, WgmmaOp op);

  void emit();

private:
  std::string addOperand(Value value, StringRef constraint);
  std::string addDescriptor(OperandDescriptor &descriptor, StringRef name,
                            int64_t line, int64_t k);
  std::string getSuffix() const;
  int64_t getElement(int64_t place) const;
  void addStep(ArrayRef<int> sums, int64_t row, int64_t column, int64_t k);

  KernelEmitter &e;
  WgmmaOp op;
  MmaAttr mma;
  const layout::FragmentLayout &layout;
  Type sumType;
  SmallVector<Value> registers;
  bool swap, isKFirstLeft, isKFirstRight;
  std::optional<OperandDescriptor> left, right;
  std::optional<RegisterOperand> numbers;

  // The statement.
  std::string text, constraints;
  SmallVector<Value> operands;
};
} // namespace

WgmmaEmitter::WgmmaEmitter(KernelEmitter &e, WgmmaOp op)
    : e(e), op(op), mma(op.getMma()), layout(e.getLayout(op.getResult())),
      swap(mma.getSwap()), isKFirstLeft(op.getTransposeA()),
      isKFirstRight(!op.getTransposeB()) {
  const FragmentValue &sums = e.getFragment(op.getAccumulator());
  sumType = sums.getElementType();
  registers = sums.getElements(e.builder, e.loc);
  if (op.getOverwrite()) {
    Value unset = LLVM::PoisonOp::create(e.builder, e.loc, sumType);
    llvm::fill(registers, unset);
  }
  Value leftValue = op.getA(), rightValue = op.getB();
  if (swap) {
    std::swap(leftValue, rightValue);
    std::swap(isKFirstLeft, isKFirstRight);
  }
  right.emplace(e, e.getShared(rightValue), !isKFirstRight);
  if (isa<SharedType>(leftValue.getType()))
    left.emplace(e, e.getShared(leftValue), !isKFirstLeft);
  else
    numbers.emplace(e, leftValue, swap);
  placeWarpgroup(e, layout, swap, left ? &*left : nullptr, *right);
}

/// The name of a value that the statement reads, behind the sums, which go in
/// and come out.
std::string WgmmaEmitter::addOperand(Value value, StringRef constraint) {
  auto *known = llvm::find(operands, value);
  size_t index = known - operands.begin();
  if (known == operands.end()) {
    operands.push_back(value);
    constraints += (constraint + ",").str();
  }
  return "$" + std::to_string(2 * registers.size() + index);
}

/// The descriptor of a part, in the register `name` unless it is that of the
/// whole.
std::string WgmmaEmitter::addDescriptor(OperandDescriptor &descriptor,
                                        StringRef name, int64_t line,
                                        int64_t k) {
  std::string whole = addOperand(descriptor.getBase(), "l");
  int64_t offset = descriptor.getOffset(line, k);
  if (offset == 0)
    return whole;
  text += llvm::formatv("add.s64 {0}, {1}, {2};\n", name, whole, offset);
  return name.str();
}

/// Signs of float operands, and which of 16 bits have K slowest.
std::string WgmmaEmitter::getSuffix() const {
  std::string suffix;
  if (!sumType.isInteger())
    suffix = ", 1, 1";
  if (mma.getOperandBits() == 16 && !numbers)
    suffix += llvm::formatv(", {0}", int(isKFirstLeft));
  if (mma.getOperandBits() == 16)
    suffix += llvm::formatv(", {0}", int(isKFirstRight));
  return suffix;
}

/// The element of K in a place of the instruction's order.
int64_t WgmmaEmitter::getElement(int64_t place) const {
  ArrayRef<int64_t> order = mma.getKOrder();
  int64_t element = place >> order.size() << order.size();
  for (auto [bit, to] : llvm::enumerate(order))
    element |= (place >> bit & 1) << to;
  return element;
}

/// One instruction, which adds to registers of the statement.
void WgmmaEmitter::addStep(ArrayRef<int> sums, int64_t row, int64_t column,
                           int64_t k) {
  std::string list;
  for (int sum : sums)
    list += (list.empty() ? "$" : ", $") + std::to_string(sum);
  std::string textLeft;
  if (numbers) {
    for (Value word : numbers->get(row, getElement(k)))
      textLeft += (textLeft.empty() ? "{" : ", ") + addOperand(word, "r");
    textLeft += "}";
  } else {
    textLeft = addDescriptor(*left, "l", row, op.getK() + k);
  }
  std::string textRight =
      addDescriptor(*right, "r", op.getColumn() + column, op.getK() + k);
  std::string adds = "1";
  if (k == 0 && op.getOverwrite())
    adds = "0";
  if (k == 0 && op.getAccumulates())
    adds = addOperand(e.getScalar(op.getAccumulates()), "b");
  StringRef typeLeft = getPtxType(mma.getTypeA(), op.getUnsignedA()),
            typeRight = getPtxType(mma.getTypeB(), op.getUnsignedB());
  if (swap)
    std::swap(typeLeft, typeRight);
  text += llvm::formatv(
      "wgmma.mma_async.sync.aligned.m64n{0}k{1}.{2}.{3}.{4} {{{5}}, {6}, "
      "{7}, {8}{9};\n",
      mma.getN(), mma.getK(), sumType.isInteger() ? "s32" : "f32", typeLeft,
      typeRight, list, textLeft, textRight, adds, getSuffix());
}

void WgmmaEmitter::emit() {
  text = "{\n.reg .b64 l, r;\nwgmma.fence.sync.aligned;\n";
  Accumulators accumulators(layout, mma.getN(), swap);
  for (int64_t k = 0; k < int64_t(op.getDepth()); k += mma.getK())
    for (const auto &[place, sums] : accumulators.parts)
      addStep(sums, place.first, place.second, k);
  text += "wgmma.commit_group.sync.aligned;\n}";
  registers = emitTied(e, text, registers, operands, constraints);
  e.setFragment(op.getResult(), FragmentValue::ofElements(sumType, registers));
}

//===----------------------------------------------------------------------===//
// What stands between products
//===----------------------------------------------------------------------===//

/// A value as an operand of inline PTX, with its constraint.
static std::pair<Value, StringRef> getOperand(KernelEmitter &e, Value value) {
  Type type = value.getType();
  if (type.isF32())
    return {value, "f"};
  unsigned bits = type.getIntOrFloatBitWidth();
  if (!type.isInteger())
    value = LLVM::BitcastOp::create(e.builder, e.loc,
                                    e.builder.getIntegerType(bits), value);
  // Moves of narrower registers would keep what is beside them.
  if (bits < 32)
    value =
        LLVM::ZExtOp::create(e.builder, e.loc, e.builder.getI32Type(), value);
  return {value, bits == 64 ? "l" : "r"};
}

/// Back to the type that `getOperand` took.
static Value takeOperand(KernelEmitter &e, Value value, Type type) {
  unsigned bits = type.getIntOrFloatBitWidth();
  if (bits < 32)
    value = LLVM::TruncOp::create(e.builder, e.loc,
                                  e.builder.getIntegerType(bits), value);
  return e.builder.createOrFold<LLVM::BitcastOp>(e.loc, type, value);
}

/// Keeps what is computed from a fragment behind what stands here.
static void pinFragment(KernelEmitter &e, Value fragment) {
  const FragmentValue &value = e.getFragment(fragment);
  // What came in pieces is joined behind.
  bool inPieces = value.isInPieces();
  SmallVector<Value> flat = inPieces ? value.getPieces(e.builder, e.loc)
                                     : value.flatten(e.builder, e.loc),
                     inputs;
  SmallVector<Type> types;
  std::string outputs, ties;
  for (auto [i, part] : llvm::enumerate(flat)) {
    auto [input, constraint] = getOperand(e, part);
    inputs.push_back(input);
    types.push_back(input.getType());
    outputs += ("=" + constraint + ",").str();
    ties += std::to_string(i) + ",";
  }
  bool isOne = flat.size() == 1;
  Type result = isOne ? types.front()
                      : Type(LLVM::LLVMStructType::getLiteral(
                            e.builder.getContext(), types));
  Value pinned = e.callVolatileAsm("", outputs + ties, inputs, result);
  for (auto [i, part] : llvm::enumerate(flat)) {
    Value output =
        isOne ? pinned
              : LLVM::ExtractValueOp::create(e.builder, e.loc, pinned,
                                             ArrayRef<int64_t>{int64_t(i)});
    part = takeOperand(e, output, part.getType());
  }
  Type element = value.getElementType();
  e.setFragment(fragment,
                inPieces
                    ? FragmentValue::ofPieces(element, value.size(), flat)
                    : FragmentValue::unflatten(element, value.size(), flat));
}

static Value getLeft(WgmmaOp op) {
  return op.getMma().getSwap() ? op.getB() : op.getA();
}

/// Arithmetic that stands behind a product or a wait, up to the next one, stays
/// there.
static void pinArithmetic(KernelEmitter &e, Operation *place) {
  llvm::SmallSetVector<Value, 8> inputs;
  for (Operation *op = place->getNextNode(); op && !isa<WgmmaOp, MmaWaitOp>(op);
       op = op->getNextNode()) {
    if (op->hasTrait<OpTrait::IsTerminator>())
      continue;
    for (Value operand : op->getOperands()) {
      Operation *maker = operand.getDefiningOp();
      bool isEarlier = maker ? maker->getBlock() == place->getBlock() &&
                                   maker->isBeforeInBlock(place) &&
                                   !maker->hasTrait<OpTrait::ConstantLike>()
                             : operand.getParentBlock() == place->getBlock();
      if (isEarlier && isa<RankedTensorType>(operand.getType()))
        inputs.insert(operand);
    }
  }
  // What many elements share, as scales of groups, is computed once.
  auto isShared = [&](Value input) {
    return isa_and_nonnull<ReindexOp>(input.getDefiningOp()) ||
           e.getFragment(input).isInPieces();
  };
  for (Value input : inputs)
    if (isa<MmaWaitOp>(place) || !isShared(input))
      pinFragment(e, input);
}

void tile::pinOperand(KernelEmitter &e, WgmmaOp product) {
  Value left = getLeft(product);
  if (!isa<SharedType>(left.getType()))
    pinFragment(e, left);
}

LogicalResult tile::emitWgmma(KernelEmitter &e, WgmmaOp op) {
  WgmmaEmitter(e, op).emit();
  // Part of the next operand is made while a step of this one multiplies.
  if (!isa<SharedType>(getLeft(op).getType()))
    pinArithmetic(e, op);
  return success();
}

LogicalResult tile::emitMmaWait(KernelEmitter &e, MmaWaitOp op) {
  const FragmentValue &sums = e.getFragment(op.getSums());
  SmallVector<Value> registers = emitTied(
      e, "wgmma.wait_group.sync.aligned " + Twine(op.getPending()) + ";",
      sums.getElements(e.builder, e.loc), {}, "");
  e.setFragment(op.getResult(),
                FragmentValue::ofElements(sums.getElementType(), registers));
  // The registers of an operand are free behind the wait for its product.
  if (isa<InFlightType>(op.getResult().getType()))
    pinArithmetic(e, op);
  return success();
}
