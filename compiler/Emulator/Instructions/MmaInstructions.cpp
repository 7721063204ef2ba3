//===- MmaInstructions.cpp - mma.sync -------------------------------------===//
//
// D = A * B + C for one warp.  A is m rows by k, B is k by n stored by
// columns.  With g = lane / 4 and q = lane % 4, and e elements in a 32-bit
// register (one for tf32 and f64), register r of a lane holds
//   A: row g + 8 (r % (m / 8)),  k = e q + 4 e (r / (m / 8)) + 0..e-1
//   B: column g,                 k = e q + 4 e r + 0..e-1
//   C: row g + 8 (i / 2),        column 2 q + i % 2, for accumulator i.
//
// Products of all types but f64 are exact in double.  Sums are accumulated in
// double and rounded once per instruction, so exact data give exact results in
// any order; what the hardware does to the last bits of inexact sums is not
// documented and not imitated.
//
//===----------------------------------------------------------------------===//

#include "compiler/Emulator/Instructions/MmaElements.h"

#include <limits>

using namespace tilec;
using namespace tilec::emulator;

namespace {

/// What a binder tells the handler, in this order.
struct MmaShape {
  uint32_t m, n, k;
  Element a, b;
  Element accumulator; // of C and D
  uint32_t saturates;

  std::array<uint32_t, 8> pack() const {
    return {m,
            n,
            k,
            static_cast<uint32_t>(a),
            static_cast<uint32_t>(b),
            static_cast<uint32_t>(accumulator),
            saturates,
            0};
  }
  static MmaShape unpack(const std::array<uint32_t, 8> &words) {
    return {words[0],
            words[1],
            words[2],
            static_cast<Element>(words[3]),
            static_cast<Element>(words[4]),
            static_cast<Element>(words[5]),
            words[6]};
  }
};

} // namespace

/// Registers per lane for a tile of `count` elements.
static unsigned countRegisters(Element element, unsigned count) {
  unsigned bits = countBits(element);
  return bits == 64 ? count / lanesPerWarp : count * bits / 32 / lanesPerWarp;
}

//===----------------------------------------------------------------------===//
// Elements of a register
//===----------------------------------------------------------------------===//

/// Hands the elements of operand A (`rowBlocks` = m / 8) or B (`rowBlocks` = 1,
/// rows are its columns) to `place` as row, k and bits.
template <unsigned bits, typename Place>
static void forEachElement(const WarpCall &call, unsigned firstArgument,
                           unsigned registers, unsigned rowBlocks,
                           Place place) {
  constexpr unsigned perRegister = bits >= 32 ? 1 : 32 / bits;
  constexpr uint64_t fieldMask =
      bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
  for (unsigned r = 0; r < registers; ++r) {
    unsigned firstRow = 8 * (r % rowBlocks);
    unsigned firstK = 4 * perRegister * (r / rowBlocks);
    for (unsigned lane = 0; lane < lanesPerWarp; ++lane) {
      uint64_t value = call.argument(lane, firstArgument + r);
      unsigned row = firstRow + lane / 4;
      unsigned k = firstK + perRegister * (lane % 4);
      for (unsigned j = 0; j < perRegister; ++j)
        place(row, k + j, value >> (j * bits) & fieldMask);
    }
  }
}

/// The same with the value of each element as a number.
template <Element element, typename Place>
static void forEachFloat(const WarpCall &call, unsigned firstArgument,
                         unsigned registers, unsigned rowBlocks, Place place) {
  constexpr unsigned bits =
      element == Element::F64                                ? 64
      : element == Element::TF32                             ? 32
      : element == Element::E4M3 || element == Element::E5M2 ? 8
                                                             : 16;
  forEachElement<bits>(call, firstArgument, registers, rowBlocks,
                       [&](unsigned row, unsigned k, uint64_t field) {
                         place(row, k, decodeElement<element>(field));
                       });
}

template <typename Place>
static void forEachFloat(Element element, const WarpCall &call,
                         unsigned firstArgument, unsigned registers,
                         unsigned rowBlocks, Place place) {
  auto run = [&]<Element fixed>() {
    forEachFloat<fixed>(call, firstArgument, registers, rowBlocks, place);
  };
  switch (element) {
  case Element::F16:
    return run.template operator()<Element::F16>();
  case Element::BF16:
    return run.template operator()<Element::BF16>();
  case Element::TF32:
    return run.template operator()<Element::TF32>();
  case Element::E4M3:
    return run.template operator()<Element::E4M3>();
  case Element::E5M2:
    return run.template operator()<Element::E5M2>();
  case Element::F64:
    return run.template operator()<Element::F64>();
  default:
    llvm_unreachable("not a float operand");
  }
}

template <typename Place>
static void forEachInteger(Element element, const WarpCall &call,
                           unsigned firstArgument, unsigned registers,
                           unsigned rowBlocks, Place place) {
  auto decode = [&](unsigned row, unsigned k, uint64_t field) {
    place(row, k, decodeInteger(element, static_cast<uint32_t>(field)));
  };
  if (countBits(element) == 8)
    forEachElement<8>(call, firstArgument, registers, rowBlocks, decode);
  else
    forEachElement<4>(call, firstArgument, registers, rowBlocks, decode);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

static constexpr unsigned maxM = 16, columns = 8, maxK = 64;

template <typename Number> struct Tiles {
  Number a[maxM][maxK];
  Number b[maxK][columns];
  Number c[maxM][columns];
};

TILE_EMULATOR_CLONES
static void multiplyTiles(Tiles<double> &tiles, unsigned m, unsigned k) {
  for (unsigned i = 0; i < m; ++i) {
    double sums[columns] = {};
    for (unsigned kk = 0; kk < k; ++kk)
      for (unsigned j = 0; j < columns; ++j)
        sums[j] += tiles.a[i][kk] * tiles.b[kk][j];
    for (unsigned j = 0; j < columns; ++j)
      tiles.c[i][j] += sums[j];
  }
}

TILE_EMULATOR_CLONES
static void multiplyTiles(Tiles<int32_t> &tiles, unsigned m, unsigned k) {
  // At most 64 products of 16 bits: no overflow before C is added.
  for (unsigned i = 0; i < m; ++i) {
    int32_t sums[columns] = {};
    for (unsigned kk = 0; kk < k; ++kk)
      for (unsigned j = 0; j < columns; ++j)
        sums[j] += tiles.a[i][kk] * tiles.b[kk][j];
    for (unsigned j = 0; j < columns; ++j)
      tiles.c[i][j] = sums[j];
  }
}

/// The hardware's f64 instruction is a chain of fused multiply-adds.
static void multiplyDoubles(Tiles<double> &tiles, unsigned m, unsigned k) {
  for (unsigned i = 0; i < m; ++i)
    for (unsigned j = 0; j < columns; ++j)
      for (unsigned kk = 0; kk < k; ++kk)
        tiles.c[i][j] = std::fma(tiles.a[i][kk], tiles.b[kk][j], tiles.c[i][j]);
}

/// Calls `body` with lane, accumulator, row and column.
template <typename Body> static void forEachAccumulator(unsigned m, Body body) {
  for (unsigned lane = 0; lane < lanesPerWarp; ++lane)
    for (unsigned i = 0; i < m / 4; ++i)
      body(lane, i, lane / 4 + 8 * (i / 2), 2 * (lane % 4) + i % 2);
}

static void runFloatMma(const WarpCall &call) {
  MmaShape shape = MmaShape::unpack(call.operation.parameters);
  ++call.warp.block->getCounters().matrixInstructions;
  unsigned aRegisters = countRegisters(shape.a, shape.m * shape.k);
  unsigned bRegisters = countRegisters(shape.b, shape.n * shape.k);
  unsigned firstC = aRegisters + bRegisters;
  Tiles<double> tiles;
  forEachFloat(
      shape.a, call, 0, aRegisters, shape.m / 8,
      [&](unsigned row, unsigned k, double value) { tiles.a[row][k] = value; });
  forEachFloat(shape.b, call, aRegisters, bRegisters, 1,
               [&](unsigned column, unsigned k, double value) {
                 tiles.b[k][column] = value;
               });
  forEachAccumulator(shape.m, [&](unsigned lane, unsigned i, unsigned row,
                                  unsigned column) {
    double &c = tiles.c[row][column];
    if (shape.accumulator == Element::F16)
      c = decodeF16(static_cast<uint16_t>(call.argument(lane, firstC + i / 2) >>
                                          16 * (i % 2)));
    else if (shape.accumulator == Element::F64)
      c = asDouble(call.argument(lane, firstC + i));
    else
      c = asFloat(call.argument(lane, firstC + i));
  });
  if (shape.accumulator == Element::F64)
    multiplyDoubles(tiles, shape.m, shape.k);
  else
    multiplyTiles(tiles, shape.m, shape.k);
  forEachAccumulator(
      shape.m, [&](unsigned lane, unsigned i, unsigned row, unsigned column) {
        double d = tiles.c[row][column];
        if (shape.accumulator == Element::F16) {
          uint64_t &slot = call.result(lane, i / 2);
          uint64_t half = encodeF16(d);
          slot = i % 2 ? (slot & 0xFFFF) | half << 16 : half;
        } else if (shape.accumulator == Element::F64) {
          call.result(lane, i) = toSlot(d);
        } else {
          call.result(lane, i) = toSlot(static_cast<float>(d));
        }
      });
}

static void runIntegerMma(const WarpCall &call) {
  MmaShape shape = MmaShape::unpack(call.operation.parameters);
  ++call.warp.block->getCounters().matrixInstructions;
  unsigned aRegisters = countRegisters(shape.a, shape.m * shape.k);
  unsigned bRegisters = countRegisters(shape.b, shape.n * shape.k);
  unsigned firstC = aRegisters + bRegisters;
  Tiles<int32_t> tiles;
  forEachInteger(shape.a, call, 0, aRegisters, shape.m / 8,
                 [&](unsigned row, unsigned k, int32_t value) {
                   tiles.a[row][k] = value;
                 });
  forEachInteger(shape.b, call, aRegisters, bRegisters, 1,
                 [&](unsigned column, unsigned k, int32_t value) {
                   tiles.b[k][column] = value;
                 });
  multiplyTiles(tiles, shape.m, shape.k);
  forEachAccumulator(
      shape.m, [&](unsigned lane, unsigned i, unsigned row, unsigned column) {
        auto c = static_cast<int32_t>(call.argument(lane, firstC + i));
        int64_t sum = int64_t(c) + tiles.c[row][column];
        if (shape.saturates)
          sum = std::clamp<int64_t>(sum, std::numeric_limits<int32_t>::min(),
                                    std::numeric_limits<int32_t>::max());
        call.result(lane, i) = static_cast<uint32_t>(sum);
      });
}

//===----------------------------------------------------------------------===//
// Binding
//===----------------------------------------------------------------------===//

/// Parses "m16n8k16".
static bool parseShape(llvm::StringRef word, MmaShape &shape) {
  return word.consume_front("m") && !word.consumeInteger(10, shape.m) &&
         word.consume_front("n") && !word.consumeInteger(10, shape.n) &&
         word.consume_front("k") && !word.consumeInteger(10, shape.k) &&
         word.empty();
}

/// The types in the name: all four in PTX and for fp8, else those that the
/// intrinsic needs to be told apart.
static bool parseTypes(llvm::ArrayRef<Element> types, MmaShape &shape) {
  Element d = Element::F32, c;
  switch (types.size()) {
  case 1: // "bf16", "tf32", "s8", "f64"
    shape.a = shape.b = types[0];
    d = isInteger(types[0])        ? Element::S32
        : types[0] == Element::F64 ? Element::F64
                                   : Element::F32;
    c = d;
    break;
  case 2: // "s8.u8" or, for f16 operands, D and C
    if (isInteger(types[0])) {
      shape.a = types[0];
      shape.b = types[1];
      d = c = Element::S32;
    } else {
      shape.a = shape.b = Element::F16;
      d = types[0];
      c = types[1];
    }
    break;
  case 4:
    d = types[0];
    shape.a = types[1];
    shape.b = types[2];
    c = types[3];
    break;
  default:
    return false;
  }
  shape.accumulator = d;
  return c == d;
}

/// Operand types that go together, and the accumulators they may have.
static bool isTypeCombination(const MmaShape &shape) {
  auto isFp8 = [](Element e) {
    return e == Element::E4M3 || e == Element::E5M2;
  };
  Element acc = shape.accumulator;
  if (isInteger(shape.a))
    return isInteger(shape.b) && countBits(shape.a) == countBits(shape.b) &&
           acc == Element::S32;
  bool isFloat = acc == Element::F32 || acc == Element::F16;
  if (isFp8(shape.a))
    return isFp8(shape.b) && isFloat;
  if (shape.a != shape.b)
    return false;
  if (shape.a == Element::F16)
    return isFloat;
  if (shape.a == Element::F64)
    return acc == Element::F64;
  return (shape.a == Element::BF16 || shape.a == Element::TF32) &&
         acc == Element::F32;
}

static std::optional<Operation> bindMma(const InstructionForm &form) {
  MmaShape shape{};
  llvm::SmallVector<Element, 4> types;
  bool hasShape = false;
  for (llvm::StringRef word : llvm::drop_begin(form.words)) {
    if (parseShape(word, shape))
      hasShape = true;
    else if (auto element = parseElement(word))
      types.push_back(*element);
    else if (word == "satfinite")
      shape.saturates = 1;
    else if (word != "sync" && word != "aligned" && word != "row" &&
             word != "col")
      return std::nullopt; // sparse, block-scaled, one-bit, kind::...
  }
  bool isRowColumn = llvm::count(form.words, "row") == 1 &&
                     llvm::count(form.words, "col") == 1;
  if (!hasShape || !isRowColumn || !parseTypes(types, shape) ||
      !isTypeCombination(shape))
    return std::nullopt;
  if ((shape.m != 8 && shape.m != 16) || shape.n != columns || shape.k > maxK)
    return std::nullopt;
  // The old m8n8k4 of f16 has a layout of its own; its operands do not come
  // out even here.
  unsigned aRegisters = countRegisters(shape.a, shape.m * shape.k);
  unsigned bRegisters = countRegisters(shape.b, shape.n * shape.k);
  unsigned cRegisters = countRegisters(shape.accumulator, shape.m * shape.n);
  if (form.arguments != aRegisters + bRegisters + cRegisters ||
      form.results != cRegisters || aRegisters == 0 || bRegisters == 0)
    return std::nullopt;
  Operation operation =
      makeWarpOperation(isInteger(shape.a) ? runIntegerMma : runFloatMma);
  operation.parameters = shape.pack();
  return operation;
}

void tilec::emulator::registerMmaInstructions(InstructionTable &table) {
  table.add("mma", bindMma);
}
