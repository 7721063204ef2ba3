//===- TensorCopyInstructions.cpp - cp.async.bulk.tensor ------------------===//
//
// Copies of boxes by tensor maps, in their PTX and intrinsic forms.  A tensor
// map is what TensorMap.h says; the checks of its fields are those that the
// driver makes when it encodes a real one.
//
//===----------------------------------------------------------------------===//

#include "compiler/Emulator/Instructions/Instruction.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tilec;
using namespace tilec::emulator;

//===----------------------------------------------------------------------===//
// Tensor maps
//===----------------------------------------------------------------------===//

/// What is wrong with a tensor map; null when nothing is.
static const char *findFault(const EmulatedTensorMap &map) {
  if (map.signature != EmulatedTensorMap::validSignature)
    return "does not begin with the signature of a tensor map";
  if (map.rank < 1 || map.rank > EmulatedTensorMap::maxRank)
    return "has a rank that is not 1 to 5";
  if (map.elementBytes != 1 && map.elementBytes != 2 && map.elementBytes != 4 &&
      map.elementBytes != 8)
    return "has elements of a size that is not 1, 2, 4 or 8 bytes";
  if (map.address % 16)
    return "has an address that is no multiple of 16";
  if (map.swizzle != 0 && map.swizzle != 32 && map.swizzle != 64 &&
      map.swizzle != 128)
    return "has a swizzle that is not 0, 32, 64 or 128 bytes";
  for (unsigned d = 0; d < map.rank; ++d) {
    if (map.box[d] < 1 || map.box[d] > 256)
      return "has a box with an extent that is not 1 to 256";
    if (map.extents[d] < 1 || map.extents[d] > uint64_t(1) << 32)
      return "has an extent that is not 1 to 2^32";
    if (d > 0 &&
        (map.strides[d - 1] % 16 || map.strides[d - 1] >= uint64_t(1) << 40))
      return "has a stride that is no multiple of 16 below 2^40";
  }
  unsigned rowBytes = map.box[0] * map.elementBytes;
  if (rowBytes % 16)
    return "has a box whose rows are no multiple of 16 bytes";
  if (map.swizzle && rowBytes > map.swizzle)
    return "has a box whose rows are longer than the swizzled line";
  return nullptr;
}

static const EmulatedTensorMap &
findTensorMap(Thread &thread, const Operation &operation, uint64_t address) {
  Block &block = *thread.block;
  const Site &site = *operation.site;
  const BufferTable &buffers = block.getLaunch().buffers;
  if (buffers.find(address, EmulatedTensorMap::parameterBytes) < 0)
    block.fail(thread, EmulationErrorKind::OutOfBounds, site,
               llvm::formatv("'{0}': the address of the tensor map is neither "
                             "in a parameter nor in a buffer",
                             site.text)
                   .str());
  const auto &map = *reinterpret_cast<const EmulatedTensorMap *>(address);
  if (const char *fault = findFault(map))
    block.fail(
        thread, EmulationErrorKind::BadLaunch, site,
        llvm::formatv("'{0}': the tensor map {1}", site.text, fault).str());
  return map;
}

static void runPrefetch(Thread &thread, const Operation &operation,
                        Slots slots) {
  findTensorMap(thread, operation, slots[0]);
}

static std::optional<Operation> bindPrefetch(const InstructionForm &form) {
  if (form.arguments != 1)
    return std::nullopt;
  return makeThreadOperation(runPrefetch);
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

namespace {

/// Where the operands of a copy stand; PTX and intrinsics differ.
struct CopyOperands {
  uint32_t rank;
  uint32_t shared;
  uint32_t map;
  uint32_t coordinates;
  uint32_t barrier; // loads only
  /// The mask of the blocks of the cluster that get the box, and the argument
  /// that tells whether there is one; 0 for none.
  uint32_t mask;
  uint32_t maskFlag;

  std::array<uint32_t, 8> pack() const {
    return {rank, shared, map, coordinates, barrier, mask, maskFlag, 0};
  }
  static CopyOperands unpack(const std::array<uint32_t, 8> &words) {
    return {words[0], words[1], words[2], words[3],
            words[4], words[5], words[6]};
  }
};

} // namespace

static TensorTransfer makeTransfer(Thread &thread, const Operation &operation,
                                   const CopyOperands &operands, Slots slots) {
  TensorTransfer transfer;
  transfer.site = operation.site->index;
  transfer.map = &findTensorMap(thread, operation, slots[operands.map]);
  if (transfer.map->rank != operands.rank)
    thread.block->fail(thread, EmulationErrorKind::BadLaunch, *operation.site,
                       llvm::formatv("'{0}': the tensor map is of rank {1}",
                                     operation.site->text, transfer.map->rank)
                           .str());
  for (unsigned d = 0; d < operands.rank; ++d)
    transfer.coordinates[d] =
        static_cast<int32_t>(slots[operands.coordinates + d]);
  return transfer;
}

static void runLoad(Thread &thread, const Operation &operation, Slots slots) {
  Block &block = *thread.block;
  const Site &site = *operation.site;
  auto operands = CopyOperands::unpack(operation.parameters);
  TensorTransfer transfer = makeTransfer(thread, operation, operands, slots);
  uint64_t destination = slots[operands.shared];
  uint64_t barrier = slots[operands.barrier];
  bool isMulticast = operands.mask &&
                     (operands.maskFlag == 0 || (slots[operands.maskFlag] & 1));
  if (!isMulticast)
    return block.issueTensorLoad(thread, site, transfer, destination, barrier);
  // Each block gets the box at the same place and signals its own mbarrier.
  for (uint32_t mask = slots[operands.mask] & 0xFFFF; mask; mask &= mask - 1) {
    uint32_t rank = llvm::countr_zero(mask);
    block.issueTensorLoad(thread, site, transfer,
                          block.mapShared(thread, site, destination, rank),
                          block.mapShared(thread, site, barrier, rank));
  }
}

static void runStore(Thread &thread, const Operation &operation, Slots slots) {
  auto operands = CopyOperands::unpack(operation.parameters);
  thread.block->issueTensorStore(
      thread, *operation.site, makeTransfer(thread, operation, operands, slots),
      slots[operands.shared]);
}

static std::optional<uint32_t> findRank(const InstructionForm &form) {
  for (llvm::StringRef word : form.words)
    if (word.size() == 2 && word[1] == 'd' && word[0] >= '1' && word[0] <= '5')
      return word[0] - '0';
  return std::nullopt;
}

/// "...2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes
/// {.multicast::cluster} [dst], [map, {c, ...}], [barrier] {, mask} {, policy}"
/// or "...2d.global.shared::cta.tile
/// .bulk_group [map, {c, ...}], [src] {, policy}".
static std::optional<Operation> bindPtxCopy(const InstructionForm &form,
                                            uint32_t rank) {
  uint32_t policy = form.has("L2::cache_hint");
  if (form.has("mbarrier::complete_tx::bytes")) {
    if (form.words[5] != "shared::cluster" && form.words[5] != "shared::cta")
      return std::nullopt;
    uint32_t hasMask = form.has("multicast::cluster");
    if (form.arguments != 3 + rank + hasMask + policy)
      return std::nullopt;
    Operation operation = makeThreadOperation(runLoad);
    operation.parameters =
        CopyOperands{rank, 0, 1, 2, 2 + rank, hasMask ? 3 + rank : 0, 0}.pack();
    return operation;
  }
  if (!form.has("bulk_group") || form.words[5] != "global" ||
      form.words[6] != "shared::cta" || form.arguments != 2 + rank + policy)
    return std::nullopt;
  Operation operation = makeThreadOperation(runStore);
  operation.parameters = CopyOperands{rank, 1 + rank, 0, 1, 0, 0, 0}.pack();
  return operation;
}

/// Operands of g2s: destination, barrier, map, coordinates, mask, policy, a
/// flag for each of these two, and more; of s2g: source, map, coordinates,
/// policy and its flag.
static std::optional<Operation> bindIntrinsicCopy(const InstructionForm &form,
                                                  uint32_t rank) {
  if (form.has("g2s")) {
    if (form.arguments < 7 + rank)
      return std::nullopt;
    Operation operation = makeThreadOperation(runLoad);
    // The form for one block has no mask.
    bool hasMask = !form.has("cta");
    operation.parameters =
        CopyOperands{
            rank, 0, 2, 3, 1, hasMask ? 3 + rank : 0, hasMask ? 5 + rank : 0}
            .pack();
    return operation;
  }
  if (!form.has("s2g") || form.arguments != 4 + rank)
    return std::nullopt;
  Operation operation = makeThreadOperation(runStore);
  operation.parameters = CopyOperands{rank, 0, 1, 2, 0, 0, 0}.pack();
  return operation;
}

static std::optional<Operation> bindCopy(const InstructionForm &form) {
  auto rank = findRank(form);
  // Other modes read boxes in other ways.
  for (llvm::StringRef word : form.words)
    if (word.starts_with("im2col") || word.contains("gather4") ||
        word.contains("scatter4") || word == "prefetch" || word == "reduce" ||
        word.starts_with("cta_group"))
      return std::nullopt;
  if (!rank || form.words.size() < 7)
    return std::nullopt;
  return form.isPtx ? bindPtxCopy(form, *rank) : bindIntrinsicCopy(form, *rank);
}

//===----------------------------------------------------------------------===//
// Groups of stores
//===----------------------------------------------------------------------===//

static void runCommit(Thread &thread, const Operation &, Slots) {
  thread.block->commitBulkStores(thread);
}

static std::optional<Operation> bindCommit(const InstructionForm &) {
  return makeThreadOperation(runCommit);
}

static void runWait(Thread &thread, const Operation &, Slots slots) {
  thread.block->waitBulkStores(thread, static_cast<uint32_t>(slots[0]));
}

/// With and without .read: what is written to global memory is there as soon
/// as shared memory has been read.
static std::optional<Operation> bindWait(const InstructionForm &form) {
  if (form.arguments != 1)
    return std::nullopt;
  return makeThreadOperation(runWait);
}

void tilec::emulator::registerTensorCopyInstructions(InstructionTable &table) {
  table.add("cp.async.bulk.tensor", bindCopy, /*hasPtxResult=*/false);
  for (const char *name :
       {"cp.async.bulk.commit_group", "cp.async.bulk.commit.group"})
    table.add(name, bindCommit, /*hasPtxResult=*/false);
  for (const char *name :
       {"cp.async.bulk.wait_group", "cp.async.bulk.wait.group"})
    table.add(name, bindWait, /*hasPtxResult=*/false);
  for (const char *name : {"prefetch.tensormap", "prefetch.param.tensormap"})
    table.add(name, bindPrefetch, /*hasPtxResult=*/false);
}
