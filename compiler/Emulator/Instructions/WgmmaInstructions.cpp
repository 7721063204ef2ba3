//===- WgmmaInstructions.cpp - wgmma --------------------------------------===//
//
// D = A * B + D for a warpgroup: A is 64 rows by 32 bytes of K, B has up to 256
// columns.  As in mma.sync, products are exact, sums are accumulated in double
// and rounded once per instruction.
//
// The product is computed when it is issued.  In the strict mode the results
// are kept from the program until its group is waited for (Warpgroup.h), and
// the reads of shared memory count as under way until then.
//
//===----------------------------------------------------------------------===//

#include "compiler/Emulator/Instructions/WgmmaOperands.h"
#include "llvm/Support/FormatVariadic.h"

#include <limits>

using namespace tilec;
using namespace tilec::emulator;

static Thread &memberThread(const WarpgroupCall &call, uint32_t member) {
  return call.block.getThread(call.group.index * threadsPerWarpgroup + member);
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// An argument that must be the same in all threads.
static uint64_t readUniform(const WarpgroupCall &call, unsigned index,
                            uint64_t mask, const char *what) {
  uint64_t value = call.argument(0, index) & mask;
  for (uint32_t t = 1; t < threadsPerWarpgroup; ++t)
    if ((call.argument(t, index) & mask) != value)
      call.block.fail(
          memberThread(call, t), EmulationErrorKind::DivergentCollective,
          *call.operation.site,
          llvm::formatv("'{0}': the {1} differs within the warpgroup: {2:x} in "
                        "its thread 0, {3:x} in its thread {4}",
                        call.operation.site->text, what, value,
                        call.argument(t, index) & mask, t)
              .str());
  return value;
}

static MatrixDescriptor readDescriptor(const WarpgroupCall &call,
                                       unsigned index, bool isTransposed,
                                       const char *what) {
  uint64_t word = readUniform(call, index, ~uint64_t(0), what);
  const Site &site = *call.operation.site;
  if (const char *fault = MatrixDescriptor::findFault(word))
    call.block.fail(
        memberThread(call, 0), EmulationErrorKind::BadDescriptor, site,
        llvm::formatv("'{0}': the {1} {2:x} {3}", site.text, what, word, fault)
            .str());
  MatrixDescriptor descriptor(word);
  unsigned line = descriptor.swizzle;
  // A part of a line: rows of K are read whole.
  if (line && !isTransposed && descriptor.start % line + wgmmaDepthBytes > line)
    call.block.fail(
        memberThread(call, 0), EmulationErrorKind::BadDescriptor, site,
        llvm::formatv("'{0}': the {1} {2:x} starts at byte {3} of "
                      "a swizzled line of {4} bytes, and reads 32",
                      site.text, what, word, descriptor.start % line, line)
            .str());
  return descriptor;
}

/// Hands the numbers of an operand in shared memory to `place` with row and k.
/// `isRowOfWarp` tells that each warp reads sixteen rows, not all of them.
template <typename Number, typename Place>
static void gather(const WarpgroupCall &call, const MatrixDescriptor &matrix,
                   bool isTransposed, Element element, unsigned rows,
                   unsigned depth, bool isRowOfWarp, Place place) {
  Block &block = call.block;
  unsigned bytes = countBits(element) / 8, perChunk = 16 / bytes;
  ProxyReader reader;
  for (unsigned w = 0; w < warpsPerWarpgroup; ++w)
    reader.threads.push_back(memberThread(call, w * lanesPerWarp).index);
  reader.source = {sourceThread(call.group.tensorCore.source),
                   call.group.tensorCore.products, call.operation.site->index};
  unsigned rowStep = isTransposed ? perChunk : 1;
  unsigned kStep = isTransposed ? 1 : perChunk;
  Number numbers[16];
  for (unsigned row = 0; row < rows; row += rowStep) {
    if (isRowOfWarp && row % 16 == 0) {
      reader.threads.assign(1, memberThread(call, row / 16 * 32).index);
      reader.checkedThread = ~0u;
    }
    for (unsigned k = 0; k < depth; k += kStep) {
      uint32_t offset = block.readByTensorCore(
          *call.operation.site, matrix.locate(row, k, bytes, isTransposed),
          /*bytes=*/16, reader);
      decodeChunk(element, block.sharedAt(offset), numbers);
      for (unsigned i = 0; i < perChunk; ++i)
        place(row + (isTransposed ? i : 0), k + (isTransposed ? 0 : i),
              numbers[i]);
    }
  }
}

/// The same for A in registers: a register holds elements along K of row
/// lane / 4, or eight rows on.
template <typename Number, typename Place>
static void gatherRegisters(const WarpgroupCall &call, const WgmmaShape &shape,
                            Place place) {
  unsigned perRegister = 32 / countBits(shape.a);
  uint32_t words[4];
  Number numbers[16];
  for (uint32_t t = 0; t < threadsPerWarpgroup; ++t) {
    uint32_t lane = t % lanesPerWarp;
    for (unsigned r = 0; r < 4; ++r)
      words[r] = static_cast<uint32_t>(call.argument(t, shape.firstA() + r));
    decodeChunk(shape.a, reinterpret_cast<const uint8_t *>(words), numbers);
    for (unsigned r = 0; r < 4; ++r)
      for (unsigned i = 0; i < perRegister; ++i)
        place(t / lanesPerWarp * 16 + lane / 4 + 8 * (r % 2),
              perRegister * (lane % 4 + 4 * (r / 2)) + i,
              numbers[r * perRegister + i]);
  }
}

/// A factor of 1 or -1.
static int readSign(const WarpgroupCall &call, unsigned index) {
  auto sign = static_cast<int32_t>(call.argument(0, index));
  if (sign != 1 && sign != -1)
    call.block.fail(memberThread(call, 0), EmulationErrorKind::Unsupported,
                    *call.operation.site,
                    "a scale of an operand of wgmma must be 1 or -1");
  return sign;
}

template <typename Number>
static void gatherTiles(const WarpgroupCall &call, const WgmmaShape &shape,
                        WgmmaTiles<Number> &tiles) {
  bool hasTransposes = shape.hasTransposes();
  bool transposesA = hasTransposes && !shape.hasRegisterA &&
                     (call.argument(0, shape.transposeA()) & 1);
  bool transposesB =
      hasTransposes && (call.argument(0, shape.transposeB()) & 1);
  int signA = shape.hasScales() ? readSign(call, shape.scaleA()) : 1;
  int signB = shape.hasScales() ? readSign(call, shape.scaleA() + 1) : 1;
  auto placeA = [&](unsigned row, unsigned k, Number value) {
    tiles.a[row][k] = value * signA * signB;
  };
  if (shape.hasRegisterA)
    gatherRegisters<Number>(call, shape, placeA);
  else
    gather<Number>(
        call,
        readDescriptor(call, shape.firstA(), transposesA, "descriptor of A"),
        transposesA, shape.a, wgmmaRows, shape.depth(), /*isRowOfWarp=*/true,
        placeA);
  gather<Number>(
      call,
      readDescriptor(call, shape.descriptorB(), transposesB, "descriptor of B"),
      transposesB, shape.b, shape.n, shape.depth(), /*isRowOfWarp=*/false,
      [&](unsigned column, unsigned k, Number value) {
        tiles.b[k][column] = value;
      });
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Rows and columns of D that stay in vector registers.
static constexpr unsigned blockRows = 4, blockColumns = 8;

template <typename Number> using Sums = Number[blockRows][wgmmaMaxColumns];

// A part of both clones below, whatever the compiler thinks of its size.
template <typename Number>
[[gnu::always_inline]] static inline void
multiplyBlock(const WgmmaTiles<Number> &tiles, unsigned row, unsigned columns,
              unsigned depth, Sums<Number> &sums) {
  for (unsigned column = 0; column < columns; column += blockColumns) {
    Number block[blockRows][blockColumns] = {};
    for (unsigned k = 0; k < depth; ++k)
      for (unsigned i = 0; i < blockRows; ++i)
        for (unsigned j = 0; j < blockColumns; ++j)
          block[i][j] += tiles.a[row + i][k] * tiles.b[k][column + j];
    for (unsigned i = 0; i < blockRows; ++i)
      for (unsigned j = 0; j < blockColumns; ++j)
        sums[i][column + j] = block[i][j];
  }
}

TILE_EMULATOR_CLONES
static void multiply(const WgmmaTiles<double> &tiles, unsigned row,
                     unsigned columns, unsigned depth, Sums<double> &sums) {
  multiplyBlock(tiles, row, columns, depth, sums);
}

// At most 32 products of 16 bits: no overflow before D is added.
TILE_EMULATOR_CLONES
static void multiply(const WgmmaTiles<int32_t> &tiles, unsigned row,
                     unsigned columns, unsigned depth, Sums<int32_t> &sums) {
  multiplyBlock(tiles, row, columns, depth, sums);
}

static uint32_t addTo(float word, double sum) {
  return static_cast<uint32_t>(toSlot(static_cast<float>(word + sum)));
}

static uint32_t addHalf(uint16_t code, double sum) {
  return encodeF16(decodeF16(code) + sum);
}

static uint32_t addInteger(uint32_t word, int32_t sum, bool saturates) {
  int64_t total = int64_t(static_cast<int32_t>(word)) + sum;
  if (saturates)
    total = std::clamp<int64_t>(total, std::numeric_limits<int32_t>::min(),
                                std::numeric_limits<int32_t>::max());
  return static_cast<uint32_t>(total);
}

/// The two words of D become sums on top of what they hold.
static void accumulatePair(const WgmmaShape &shape, uint32_t *words,
                           const double *sums) {
  if (shape.accumulator == Element::F32) {
    words[0] = addTo(llvm::bit_cast<float>(words[0]), sums[0]);
    words[1] = addTo(llvm::bit_cast<float>(words[1]), sums[1]);
    return;
  }
  auto low = static_cast<uint16_t>(words[0]);
  auto high = static_cast<uint16_t>(words[0] >> 16);
  words[0] = addHalf(low, sums[0]) | addHalf(high, sums[1]) << 16;
}

static void accumulatePair(const WgmmaShape &shape, uint32_t *words,
                           const int32_t *sums) {
  words[0] = addInteger(words[0], sums[0], shape.saturates);
  words[1] = addInteger(words[1], sums[1], shape.saturates);
}

/// Gathers, multiplies and adds to `results`.
template <typename Number>
static void computeProduct(const WarpgroupCall &call, const WgmmaShape &shape,
                           TensorCore::Results &results) {
  // Too large for the stack of a fiber, which does not change in here.
  static thread_local WgmmaTiles<Number> tiles;
  static thread_local Sums<Number> sums;
  gatherTiles(call, shape, tiles);
  unsigned perRegister = shape.accumulator == Element::F16 ? 2 : 1;
  for (unsigned row = 0; row < wgmmaRows; row += blockRows) {
    multiply(tiles, row, shape.n, shape.depth(), sums);
    for (unsigned i = 0; i < blockRows; ++i)
      for (unsigned column = 0; column < shape.n; column += 2) {
        AccumulatorPlace place = placeOf(row + i, column);
        accumulatePair(shape,
                       &results.at(place.thread, place.element / perRegister),
                       &sums[i][column]);
      }
  }
}

//===----------------------------------------------------------------------===//
// Accumulators
//===----------------------------------------------------------------------===//

/// The results of an earlier product that the registers of D stand for, if all
/// of them do.
static TensorCore::Results *findChain(const WarpgroupCall &call,
                                      const WgmmaShape &shape) {
  TensorCore &core = call.group.tensorCore;
  TensorCore::Results *first =
      core.find(static_cast<uint32_t>(call.argument(0, 0)), 0);
  if (!first || first->registers != shape.registers())
    return nullptr;
  uint32_t token = core.makeToken(*first, 0);
  for (uint32_t t = 0; t < threadsPerWarpgroup; ++t) {
    const uint64_t *words = &call.argument(t, 0);
    for (unsigned r = 0; r < shape.registers(); ++r)
      if (static_cast<uint32_t>(words[r]) != token + r)
        return nullptr;
  }
  return first;
}

static void checkFence(const WarpgroupCall &call, const char *what) {
  for (unsigned w = 0; w < warpsPerWarpgroup; ++w)
    if (!call.group.tensorCore.warps[w].isFenced)
      call.block.fail(
          memberThread(call, w * lanesPerWarp),
          EmulationErrorKind::MissingFence, *call.operation.site,
          llvm::formatv("'{0}' uses {1} with no wgmma.fence since the last "
                        "wgmma.wait_group",
                        call.operation.site->text, what)
              .str());
}

/// Registers that were never put in place by a wait hold what no number should
/// be; with 32-bit integers one cannot tell.
static void checkNoTokens(const WarpgroupCall &call, const WgmmaShape &shape) {
  if (isInteger(shape.a))
    return;
  for (uint32_t t = 0; t < threadsPerWarpgroup; ++t)
    for (unsigned r = 0; r < shape.registers(); ++r)
      if (TensorCore::isToken(static_cast<uint32_t>(call.argument(t, r))))
        call.block.fail(
            memberThread(call, t), EmulationErrorKind::InFlightAccess,
            *call.operation.site,
            llvm::formatv("'{0}': register {1} of D is the result of another "
                          "wgmma that is not waited for, or was not tied to "
                          "the wait",
                          call.operation.site->text, r)
                .str());
}

/// Takes the registers of D as they are.
static void readRegisters(const WarpgroupCall &call, const WgmmaShape &shape,
                          TensorCore::Results &results) {
  for (uint32_t t = 0; t < threadsPerWarpgroup; ++t)
    for (unsigned r = 0; r < shape.registers(); ++r)
      results.at(t, r) = static_cast<uint32_t>(call.argument(t, r));
}

/// The place for the results, with what is added to in it.
static TensorCore::Results &prepareResults(const WarpgroupCall &call,
                                           const WgmmaShape &shape, bool adds,
                                           bool isStrict) {
  TensorCore &core = call.group.tensorCore;
  TensorCore::Results *results = adds ? findChain(call, shape) : nullptr;
  if (shape.hasRegisterA || (isStrict && !results))
    checkFence(call, "registers");
  if (results)
    return *results;
  if (adds)
    checkNoTokens(call, shape);
  results = core.take(shape.registers());
  if (!results)
    call.block.fail(memberThread(call, 0), EmulationErrorKind::Unsupported,
                    *call.operation.site,
                    "the emulator does not follow as many accumulators of "
                    "wgmma in flight");
  if (adds)
    readRegisters(call, shape, *results);
  else
    std::fill(results->values.begin(), results->values.end(), 0);
  return *results;
}

static void runProduct(const WarpgroupCall &call) {
  WgmmaShape shape = WgmmaShape::unpack(call.operation.parameters);
  Block &block = call.block;
  TensorCore &core = call.group.tensorCore;
  bool isStrict = block.getLaunch().spec.options.strictAsyncCopies;
  block.prepareProduct(call.group, *call.operation.site);
  block.getCounters().matrixInstructions += warpsPerWarpgroup;
  bool adds = readUniform(call, shape.scaleD(), 1, "scale of D");
  TensorCore::Results &results = prepareResults(call, shape, adds, isStrict);
  if (isInteger(shape.a))
    computeProduct<int32_t>(call, shape, results);
  else
    computeProduct<double>(call, shape, results);
  core.renew(results);
  uint32_t token = core.makeToken(results, 0);
  for (uint32_t t = 0; t < threadsPerWarpgroup; ++t) {
    uint64_t *words = &call.result(t, 0);
    for (unsigned r = 0; r < shape.registers(); ++r)
      words[r] = isStrict ? token + r : results.at(t, r);
  }
}

static void runWarpProduct(const WarpCall &call) {
  call.warp.block->runWarpgroup(call, runProduct);
}

//===----------------------------------------------------------------------===//
// fence, commit, wait
//===----------------------------------------------------------------------===//

static TensorCore::WarpState &stateOf(const WarpCall &call) {
  TensorCore &core = call.warp.block->getWarpgroup(call.warp).tensorCore;
  return core.warps[call.warp.index % warpsPerWarpgroup];
}

static void runFence(const WarpCall &call) { stateOf(call).isFenced = true; }

static std::optional<Operation> bindFence(const InstructionForm &) {
  return makeWarpOperation(runFence);
}

static void runCommit(const WarpCall &call) {
  stateOf(call).groupEnds.push_back(
      call.warp.block->getWarpgroup(call.warp).tensorCore.products);
}

static std::optional<Operation> bindCommit(const InstructionForm &) {
  return makeWarpOperation(runCommit);
}

static void runWait(const WarpCall &call) {
  call.warp.block->waitForProducts(call.warp,
                                   static_cast<uint32_t>(call.argument(0, 0)));
}

static std::optional<Operation> bindWait(const InstructionForm &form) {
  if (form.arguments != 1)
    return std::nullopt;
  return makeWarpOperation(runWait);
}

//===----------------------------------------------------------------------===//
// Binding
//===----------------------------------------------------------------------===//

static bool isTypeCombination(const WgmmaShape &shape) {
  bool isFloat32 = shape.accumulator == Element::F32;
  switch (shape.a) {
  case Element::F16:
    return shape.b == shape.a &&
           (isFloat32 || shape.accumulator == Element::F16);
  case Element::BF16:
  case Element::TF32:
    return shape.b == shape.a && isFloat32;
  case Element::E4M3:
  case Element::E5M2:
    return (shape.b == Element::E4M3 || shape.b == Element::E5M2) &&
           (isFloat32 || shape.accumulator == Element::F16);
  case Element::S8:
  case Element::U8:
    return (shape.b == Element::S8 || shape.b == Element::U8) &&
           shape.accumulator == Element::S32;
  default:
    return false;
  }
}

static bool isColumnCount(const WgmmaShape &shape) {
  if (shape.n < 8 || shape.n > wgmmaMaxColumns || shape.n % 8)
    return false;
  return !isInteger(shape.a) || shape.n % 16 == 0 || shape.n == 8 ||
         shape.n == 24;
}

/// "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {d, ...}, a, b,
/// scale-d, 1, 1, trans-a, trans-b" with a descriptor or four registers for A.
static std::optional<Operation> bindProduct(const InstructionForm &form) {
  WgmmaShape shape;
  uint32_t depth = 0;
  llvm::SmallVector<Element, 3> types;
  for (llvm::StringRef word : llvm::drop_begin(form.words, 2)) {
    if (auto element = parseElement(word)) {
      types.push_back(*element);
    } else if (word.consume_front("m64n")) {
      if (word.consumeInteger(10, shape.n) || !word.consume_front("k") ||
          word.getAsInteger(10, depth))
        return std::nullopt;
    } else if (word == "satfinite") {
      shape.saturates = 1;
    } else if (word != "sync" && word != "aligned") {
      return std::nullopt; // sparse, one-bit
    }
  }
  if (!form.isPtx || types.size() != 3)
    return std::nullopt;
  shape.accumulator = types[0];
  shape.a = types[1];
  shape.b = types[2];
  if (!isTypeCombination(shape) || !isColumnCount(shape) ||
      depth != shape.depth())
    return std::nullopt;
  for (uint32_t inRegisters : {0, 1}) {
    shape.hasRegisterA = inRegisters;
    if (form.results != shape.registers() ||
        form.arguments != shape.arguments())
      continue;
    Operation operation = makeWarpOperation(runWarpProduct);
    operation.parameters = shape.pack();
    return operation;
  }
  return std::nullopt;
}

void tilec::emulator::registerWgmmaInstructions(InstructionTable &table) {
  table.addInPlace("wgmma.mma_async", bindProduct);
  table.add("wgmma.fence", bindFence, /*hasPtxResult=*/false);
  table.add("wgmma.commit_group", bindCommit, /*hasPtxResult=*/false);
  table.add("wgmma.wait_group", bindWait, /*hasPtxResult=*/false);
}
