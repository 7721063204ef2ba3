//===- WgmmaToNVVM.cpp - Products of warpgroups ---------------------------===//
//
// LLVM knows nothing of registers that are read or written later, so that the
// instructions are inline PTX: the accumulators of each are tied to those of
// the one before, and the wait takes and gives all of them.
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

  /// The descriptor of what begins at a row or column and an element of K.
  Value get(int64_t line, int64_t k) {
    if (!base)
      base = makeBase();
    int64_t offset = getOffset(line, k);
    return offset == 0 ? base : e.add(base, e.i64(offset));
  }

private:
  int64_t getOffset(int64_t line, int64_t k) const {
    layout::Coords coords{int32_t(line), int32_t(k)};
    if (!isKFastest)
      std::swap(coords[0], coords[1]);
    return storage.linearOffset(coords) / 16;
  }

  Value makeBase() {
    int64_t leading = isKFastest || storage.panelBytes() == 0
                          ? 1
                          : storage.panelStride() / 16;
    int64_t stride = 8 * storage.rowPitch() / 16;
    int64_t mode = storage.rowPitch() == 128 ? 1 : 2;
    Value word = e.ori(low, e.i32(leading << 16));
    // LLVM must not see the constant bits: it would rebuild the whole for each
    // part instead of adding.
    return e.callAsm(
        llvm::formatv("mov.b64 $0, {{$1, {0}};", stride | mode << 30).str(),
        "=l,r", word, e.builder.getI64Type());
  }

  KernelEmitter &e;
  layout::SharedLayout storage;
  bool isKFastest;
  Value low, base;
};

/// The accumulators of a thread by the instruction that adds to them.
class Accumulators {
public:
  /// `columns`: those of one instruction.
  Accumulators(const layout::FragmentLayout &layout, int64_t columns) {
    for (int reg = 0; reg < layout.elementsPerThread(); ++reg) {
      int row = layout.registerXor(reg)[0] + layout.registerOffset(reg)[0];
      int column = layout.registerXor(reg)[1] + layout.registerOffset(reg)[1];
      int firstRow = row & ~15, firstColumn = column / columns * columns;
      // Rows g and g + 8, pairs of columns, eight columns at a time.
      int place = (column - firstColumn) / 8 * 4 + (row & 8) / 4 + (column & 1);
      std::vector<int> &registers = parts[{firstRow, firstColumn}];
      registers.resize(columns / 2);
      registers[place] = reg;
    }
  }

  /// {row, column} of the first sum, beside the warpgroup's own, and the
  /// registers in the order of the instruction.
  std::map<std::pair<int, int>, std::vector<int>> parts;
};
} // namespace

/// Moves both operands to the rows and columns of the warpgroup.
static void placeWarpgroup(KernelEmitter &e,
                           const layout::FragmentLayout &layout,
                           OperandDescriptor &a, OperandDescriptor &b) {
  // Bits 0 and 1 of the warp tell the warps of a group apart.
  ArrayRef<layout::Coords> bases = layout.warpBases();
  if (bases.size() <= 2)
    return;
  Value group = e.emitWarpgroup();
  for (auto [bit, basis] : llvm::enumerate(bases.drop_front(2))) {
    Value isSet = e.andi(e.shr(group, bit), e.i32(1));
    a.addLines(isSet, basis[0]);
    b.addLines(isSet, basis[1]);
  }
}

LogicalResult tile::emitWgmma(KernelEmitter &e, WgmmaOp op) {
  MmaAttr mma = op.getMma();
  const FragmentValue &sums = e.getFragment(op.getAccumulator());
  const layout::FragmentLayout &layout = e.getLayout(op.getResult());
  Type sumType = sums.getElementType();
  SmallVector<Value> registers = sums.getElements(e.builder, e.loc);
  if (op.getOverwrite()) {
    Value unset = LLVM::PoisonOp::create(e.builder, e.loc, sumType);
    llvm::fill(registers, unset);
  }

  OperandDescriptor a(e, e.getShared(op.getA()), !op.getTransposeA());
  OperandDescriptor b(e, e.getShared(op.getB()), op.getTransposeB());
  placeWarpgroup(e, layout, a, b);

  StringRef typeA = getPtxType(mma.getTypeA(), op.getUnsignedA()),
            typeB = getPtxType(mma.getTypeB(), op.getUnsignedB());
  unsigned count = mma.getN() / 2;
  std::string list;
  for (unsigned i = 0; i < count; ++i)
    list += (i ? ", $" : "$") + std::to_string(i);
  // Signs of float operands, and which of 16 bits have K slowest.
  std::string rest;
  if (!sumType.isInteger())
    rest = ", 1, 1";
  if (mma.getOperandBits() == 16)
    rest += llvm::formatv(", {0}, {1}", int(op.getTransposeA()),
                          int(!op.getTransposeB()));
  Value accumulates =
      op.getAccumulates() ? e.getScalar(op.getAccumulates()) : Value();
  auto emitStep = [&](ArrayRef<Value> inputs, Value descriptorA,
                      Value descriptorB, bool isFirst) {
    SmallVector<Value> operands{descriptorA, descriptorB};
    std::string constraints = "l,l,", adds = "1";
    if (isFirst && op.getOverwrite())
      adds = "0";
    if (isFirst && accumulates) {
      adds = "$" + std::to_string(2 * count + 2);
      operands.push_back(accumulates);
      constraints += "b,";
    }
    std::string text = llvm::formatv(
        "wgmma.mma_async.sync.aligned.m64n{0}k{1}.{2}.{3}.{4} {{{5}}, ${6}, "
        "${7}, {8}{9};",
        mma.getN(), mma.getK(), sumType.isInteger() ? "s32" : "f32", typeA,
        typeB, list, 2 * count, 2 * count + 1, adds, rest);
    return emitTied(e, text, inputs, operands, constraints);
  };

  // Sums that threads set are set in front of the fence.
  StringRef fence = "wgmma.fence.sync.aligned;";
  if (op.getOverwrite() || isa<InFlightType>(op.getAccumulator().getType()))
    e.callVolatileAsm(fence, "", {}, Type());
  else
    registers = emitTied(e, fence, registers, {}, "");
  Accumulators accumulators(layout, mma.getN());
  for (int64_t k = 0; k < int64_t(op.getDepth()); k += mma.getK())
    for (auto &[place, indices] : accumulators.parts) {
      SmallVector<Value> inputs;
      for (int index : indices)
        inputs.push_back(registers[index]);
      SmallVector<Value> outputs =
          emitStep(inputs, a.get(place.first, op.getK() + k),
                   b.get(op.getColumn() + place.second, op.getK() + k),
                   /*isFirst=*/k == 0);
      for (auto [index, output] : llvm::zip_equal(indices, outputs))
        registers[index] = output;
    }
  e.callVolatileAsm("wgmma.commit_group.sync.aligned;", "", {}, Type());
  e.setFragment(op.getResult(), FragmentValue::ofElements(sumType, registers));
  return success();
}

LogicalResult tile::emitMmaWait(KernelEmitter &e, MmaWaitOp op) {
  const FragmentValue &sums = e.getFragment(op.getSums());
  SmallVector<Value> registers = emitTied(
      e, "wgmma.wait_group.sync.aligned " + Twine(op.getPending()) + ";",
      sums.getElements(e.builder, e.loc), {}, "");
  e.setFragment(op.getResult(),
                FragmentValue::ofElements(sums.getElementType(), registers));
  return success();
}
