//===- MemoryInstructions.cpp - ld, st, red and atom of inline PTX --------===//
//
// Loads, stores and atomic operations that a kernel makes by inline assembly,
// and the intrinsics that ask for the space of an address.
//
//===----------------------------------------------------------------------===//

#include "compiler/Emulator/Instructions/Arithmetic.h"
#include "llvm/ADT/StringSwitch.h"

using namespace tilec;
using namespace tilec::emulator;

static unsigned countVector(const InstructionForm &form) {
  return form.has("v8") ? 8 : form.has("v4") ? 4 : form.has("v2") ? 2 : 1;
}

//===----------------------------------------------------------------------===//
// ld, st
//===----------------------------------------------------------------------===//

/// Parameters: type.  The results are the elements.
static void runLoad(Thread &thread, const Operation &operation, Slots slots) {
  ScalarType type = ScalarType::unpack(operation.parameters[0]);
  unsigned bytes = type.registerBits() / 8;
  uint64_t address = slots[operation.results];
  AccessTraits traits;
  traits.alignment = bytes * operation.results;
  thread.block->accessMemory(thread, *operation.site, address, traits.alignment,
                             traits);
  for (unsigned i = 0; i < operation.results; ++i) {
    slots[i] = 0;
    std::memcpy(&slots[i], reinterpret_cast<const char *>(address) + i * bytes,
                bytes);
    if (type.isSigned())
      slots[i] = static_cast<uint64_t>(extendInteger(type, slots[i]));
  }
}

/// Parameters: type.  The address is the first argument.
static void runStore(Thread &thread, const Operation &operation, Slots slots) {
  ScalarType type = ScalarType::unpack(operation.parameters[0]);
  unsigned bytes = type.registerBits() / 8;
  unsigned count = operation.arguments - 1;
  AccessTraits traits;
  traits.kind = AccessKind::Store;
  traits.alignment = bytes * count;
  thread.block->accessMemory(thread, *operation.site, slots[0],
                             traits.alignment, traits);
  for (unsigned i = 0; i < count; ++i)
    std::memcpy(reinterpret_cast<char *>(slots[0]) + i * bytes, &slots[1 + i],
                bytes);
}

static std::optional<Operation> bindLoadStore(const InstructionForm &form) {
  bool isLoad = form.words[0] == "ld";
  auto type = parseScalarType(form.words.back());
  unsigned count = countVector(form);
  if (!type || type->registerBits() < 8 || form.has("param") ||
      form.has("const") ||
      // Waiting for a value by ld.acquire or ld.volatile would need a poll.
      form.has("volatile") || form.has("acquire") || form.has("release"))
    return std::nullopt;
  if (isLoad ? form.results != count || form.arguments != 1
             : form.results != 0 || form.arguments != 1 + count)
    return std::nullopt;
  Operation operation = makeThreadOperation(isLoad ? runLoad : runStore);
  operation.parameters[0] = type->pack();
  return operation;
}

//===----------------------------------------------------------------------===//
// red, atom
//===----------------------------------------------------------------------===//

enum class AtomicFunction : uint32_t {
  Add,
  Min,
  Max,
  And,
  Or,
  Xor,
  Exchange,
  CompareExchange,
};

/// The new value of one element.
static uint64_t update(AtomicFunction function, const ScalarType &type,
                       uint64_t old, uint64_t operand) {
  old &= type.mask();
  operand &= type.mask();
  if (type.isFloat()) {
    double a = decodeScalar(type, old), b = decodeScalar(type, operand);
    double value = 0;
    switch (function) {
    case AtomicFunction::Add:
      value =
          type.scalar == Scalar::F64 ? a + b : fuseMultiplyAddToOdd(a, 1.0, b);
      break;
    case AtomicFunction::Min:
      value = std::isnan(a) ? b : std::isnan(b) || a < b ? a : b;
      break;
    case AtomicFunction::Max:
      value = std::isnan(a) ? b : std::isnan(b) || a > b ? a : b;
      break;
    default:
      return operand;
    }
    return encodeScalar(type, value);
  }
  int64_t a = extendInteger(type, old), b = extendInteger(type, operand);
  bool isLess = type.isSigned() ? a < b : old < operand;
  switch (function) {
  case AtomicFunction::Add:
    return old + operand;
  case AtomicFunction::Min:
    return isLess ? old : operand;
  case AtomicFunction::Max:
    return isLess ? operand : old;
  case AtomicFunction::And:
    return old & operand;
  case AtomicFunction::Or:
    return old | operand;
  case AtomicFunction::Xor:
    return old ^ operand;
  case AtomicFunction::Exchange:
  case AtomicFunction::CompareExchange:
    return operand;
  }
  llvm_unreachable("all atomic functions are handled");
}

/// Replaces the word at `address` by `next` of it, atomically also for kernels
/// whose blocks run on several host threads.  Returns the old word.
template <typename Word, typename Next>
static uint64_t exchangeWord(uint64_t address, Next next) {
  auto *place = reinterpret_cast<Word *>(address);
  Word old = __atomic_load_n(place, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(place, &old, static_cast<Word>(next(old)),
                                      /*weak=*/true, __ATOMIC_RELAXED,
                                      __ATOMIC_RELAXED))
    ;
  return old;
}

/// Parameters: function, type, elements in the vector, whether it releases and
/// acquires for other blocks.
static void runAtomic(Thread &thread, const Operation &operation, Slots slots) {
  auto function = static_cast<AtomicFunction>(operation.parameters[0]);
  ScalarType type = ScalarType::unpack(operation.parameters[1]);
  unsigned count = operation.parameters[2];
  unsigned bytes = type.registerBits() / 8;
  Slots arguments = slots + operation.results;
  uint64_t address = arguments[0];
  AccessTraits traits;
  traits.kind = AccessKind::Atomic;
  traits.alignment = bytes * count;
  thread.block->accessMemory(thread, *operation.site, address, bytes * count,
                             traits);
  bool releases = operation.parameters[3], acquires = operation.parameters[4];
  if (releases)
    thread.block->releaseToBlocks(thread, *operation.site, address);
  bool isCompare = function == AtomicFunction::CompareExchange;
  for (unsigned i = 0; i < count; ++i) {
    uint64_t operand = arguments[isCompare ? 2 : 1 + i];
    auto next = [&](uint64_t old) -> uint64_t {
      if (isCompare && ((old ^ arguments[1]) & type.mask()))
        return old;
      uint64_t packed = 0;
      for (unsigned e = 0; e < type.count; ++e) {
        unsigned shift = e * type.bits;
        packed |= (update(function, type, old >> shift, operand >> shift) &
                   type.mask())
                  << shift;
      }
      return packed;
    };
    uint64_t element = address + i * bytes;
    uint64_t old = bytes == 2   ? exchangeWord<uint16_t>(element, next)
                   : bytes == 4 ? exchangeWord<uint32_t>(element, next)
                                : exchangeWord<uint64_t>(element, next);
    if (operation.results)
      slots[i] = old;
  }
  if (acquires)
    thread.block->acquireFromBlocks(thread, *operation.site, address);
}

/// "red.global.add.noftz.bf16x2 [a], b", "atom.shared.cas.b32 d, [a], b, c" and
/// "atom.acq_rel.gpu.global.add.u32 d, [a], b".
static std::optional<Operation> bindAtomic(const InstructionForm &form) {
  std::optional<AtomicFunction> function;
  for (llvm::StringRef word : llvm::drop_begin(form.words))
    function = llvm::StringSwitch<std::optional<AtomicFunction>>(word)
                   .Case("add", AtomicFunction::Add)
                   .Case("min", AtomicFunction::Min)
                   .Case("max", AtomicFunction::Max)
                   .Case("and", AtomicFunction::And)
                   .Case("or", AtomicFunction::Or)
                   .Case("xor", AtomicFunction::Xor)
                   .Case("exch", AtomicFunction::Exchange)
                   .Case("cas", AtomicFunction::CompareExchange)
                   .Default(function);
  auto type = parseScalarType(form.words.back());
  unsigned count = countVector(form);
  bool isReduction = form.words[0] == "red";
  bool isCompare = function == AtomicFunction::CompareExchange;
  if (!function || !type || type->registerBits() < 16 ||
      type->registerBits() > 64)
    return std::nullopt;
  bool isBoth = form.has("acq_rel");
  bool releases = isBoth || form.has("release");
  bool acquires = isBoth || form.has("acquire");
  // What spins, or is for the block alone, would need more.
  if ((releases || acquires) &&
      (!form.has("gpu") || function != AtomicFunction::Add))
    return std::nullopt;
  if (form.results != (isReduction ? 0 : count) ||
      form.arguments != (isCompare ? 3 : 1 + count))
    return std::nullopt;
  Operation operation = makeThreadOperation(runAtomic);
  operation.parameters[0] = static_cast<uint32_t>(*function);
  operation.parameters[1] = type->pack();
  operation.parameters[2] = count;
  operation.parameters[3] = releases;
  operation.parameters[4] = acquires;
  return operation;
}

//===----------------------------------------------------------------------===//
// isspacep
//===----------------------------------------------------------------------===//

enum class Space : uint32_t { Global, Shared, Local };

static void runIsSpace(Thread &thread, const Operation &operation,
                       Slots slots) {
  const Block &block = *thread.block;
  uint64_t address = slots[operation.results];
  bool isShared = block.isShared(address);
  bool isLocal = block.isLocal(address, 1);
  switch (static_cast<Space>(operation.parameters[0])) {
  case Space::Global:
    slots[0] = !isShared && !isLocal;
    return;
  case Space::Shared:
    slots[0] = isShared;
    return;
  case Space::Local:
    slots[0] = isLocal;
    return;
  }
}

static std::optional<Operation> bindIsSpace(const InstructionForm &form) {
  if (form.words.size() < 2 || form.arguments != 1 || form.results != 1)
    return std::nullopt;
  auto space = llvm::StringSwitch<std::optional<Space>>(form.words[1])
                   .Case("global", Space::Global)
                   .Cases({"shared", "shared::cta"}, Space::Shared)
                   .Case("local", Space::Local)
                   .Default(std::nullopt);
  if (!space)
    return std::nullopt;
  Operation operation = makeThreadOperation(runIsSpace);
  operation.parameters[0] = static_cast<uint32_t>(*space);
  return operation;
}

void tilec::emulator::registerMemoryInstructions(InstructionTable &table) {
  table.add("ld", bindLoadStore);
  table.add("st", bindLoadStore, /*hasPtxResult=*/false);
  table.add("red", bindAtomic, /*hasPtxResult=*/false);
  table.add("atom", bindAtomic);
  table.add("isspacep", bindIsSpace);
}
