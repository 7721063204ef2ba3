//===- AccessTables.cpp - How fragments meet memory -----------------------===//
#include "compiler/Driver/Report/AccessTables.h"

#include "compiler/Driver/Report/Words.h"
#include "dialects/Layout/BankConflicts.h"
#include "dialects/Tile/Transforms/AccessFacts.h"
#include "llvm/ADT/MapVector.h"

using namespace tilec;
using namespace mlir::tile;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

namespace {
/// Accesses that look alike in the table: the steps of a product, say.
struct SharedAccess {
  int64_t requests = 0;
  int64_t conflicts = 0;
};

class SharedAccessCollector {
public:
  void add(mlir::Operation *op);
  TextTable makeTable() const;

private:
  void addFragment(mlir::Operation *op, mlir::Value memory,
                   mlir::RankedTensorType fragment, bool isLoad);
  void addCopy(mlir::Operation *op, mlir::Value tile,
               std::optional<CopyPlanAttr> plan, StringRef verb);
  void add(mlir::Operation *op, mlir::Value memory, const std::string &access,
           const layout::AccessPattern &pattern, layout::Swizzle swizzle);

  llvm::MapVector<std::vector<std::string>, SharedAccess,
                  std::map<std::vector<std::string>, unsigned>>
      accesses;
};
} // namespace

void SharedAccessCollector::add(mlir::Operation *op, mlir::Value memory,
                                const std::string &access,
                                const layout::AccessPattern &pattern,
                                layout::Swizzle swizzle) {
  SharedAccess &sum = accesses[{nameLine(op), nameMemory(memory), access,
                                std::to_string(pattern.bytes)}];
  for (const layout::WarpRequest &request : pattern.requests)
    sum.requests += request.count;
  sum.conflicts += layout::countConflicts(pattern, swizzle);
}

void SharedAccessCollector::addFragment(mlir::Operation *op, mlir::Value memory,
                                        mlir::RankedTensorType fragment,
                                        bool isLoad) {
  auto type = mlir::cast<SharedType>(memory.getType());
  auto encoding = mlir::dyn_cast_or_null<LayoutAttr>(fragment.getEncoding());
  auto storage = getSubTileStorage(type, fragment.getShape());
  if (!encoding || !storage)
    return;
  const layout::FragmentLayout &held = encoding.getLayout();
  // As the lowering does: ldmatrix where it fits.
  if (isLoad)
    if (auto ldmatrix = layout::planLdmatrix(held, *storage)) {
      std::string name = "read by ldmatrix.x" +
                         std::to_string(ldmatrix->matrices) +
                         (ldmatrix->transposed ? ".trans" : "");
      add(op, memory, name, layout::describeAccess(*storage, *ldmatrix),
          storage->swizzle());
      return;
    }
  layout::VectorPlan plan = layout::planVector(held, *storage);
  add(op, memory, isLoad ? "read" : "written",
      layout::describeAccess(held, *storage, plan), storage->swizzle());
}

void SharedAccessCollector::addCopy(mlir::Operation *op, mlir::Value tile,
                                    std::optional<CopyPlanAttr> plan,
                                    StringRef verb) {
  auto type = mlir::dyn_cast<SharedType>(tile.getType());
  if (!type || !plan || plan->getBytes() < 1)
    return;
  layout::SharedLayout storage = type.getStorage();
  int64_t bytes = plan->getBytes();
  int64_t row = storage.rowPitch() - storage.padBytes();
  if (row % bytes != 0 || storage.rowPitch() % bytes != 0)
    return;
  add(op, tile, verb.str(), layout::describeCopy(storage, int(bytes)),
      storage.swizzle());
}

void SharedAccessCollector::add(mlir::Operation *op) {
  if (auto load = mlir::dyn_cast<LoadOp>(op)) {
    if (mlir::isa<SharedType>(load.getMemory().getType()))
      addFragment(
          op, load.getMemory(),
          mlir::cast<mlir::RankedTensorType>(load.getResult().getType()), true);
  } else if (auto store = mlir::dyn_cast<StoreOp>(op)) {
    if (mlir::isa<SharedType>(store.getMemory().getType()))
      addFragment(
          op, store.getMemory(),
          mlir::cast<mlir::RankedTensorType>(store.getValue().getType()),
          false);
  } else if (auto copy = mlir::dyn_cast<CopyOp>(op)) {
    addCopy(op, copy.getDestination(), copy.getPlan(), "copied into");
    addCopy(op, copy.getSource(), copy.getPlan(), "copied from");
  } else if (auto copy = mlir::dyn_cast<AsyncCopyOp>(op)) {
    addCopy(op, copy.getDestination(), copy.getPlan(), "copied into");
  }
}

TextTable SharedAccessCollector::makeTable() const {
  TextTable table(
      {"line", "tile ", "access ", "bytes", "warp requests", "bank conflicts"});
  for (const auto &[words, sum] : accesses) {
    std::vector<std::string> row = words;
    row.push_back(formatCount(sum.requests));
    row.push_back(formatCount(sum.conflicts));
    table.addRow(row);
  }
  return table;
}

TextTable tilec::makeSharedAccessTable(KernelOp kernel) {
  SharedAccessCollector collector;
  kernel->walk([&](mlir::Operation *op) { collector.add(op); });
  return collector.makeTable();
}

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

TextTable tilec::makeGlobalAccessTable(KernelOp kernel) {
  TextTable table({"line", "tensor ", "access ", "bytes", "accesses a thread"});
  auto add = [&](mlir::Operation *op, mlir::Value memory,
                 mlir::ValueRange indices, mlir::Type fragment, bool isLoad) {
    auto type = mlir::dyn_cast<GlobalType>(memory.getType());
    auto tensor = mlir::cast<mlir::RankedTensorType>(fragment);
    auto encoding = mlir::dyn_cast_or_null<LayoutAttr>(tensor.getEncoding());
    if (!type || !encoding)
      return;
    layout::VectorPlan plan =
        planGlobalAccess(memory, indices, encoding.getLayout());
    table.addRow({nameLine(op), nameMemory(memory), isLoad ? "read" : "written",
                  std::to_string(plan.bytes()),
                  std::to_string(plan.accesses())});
  };
  kernel->walk([&](mlir::Operation *op) {
    if (auto load = mlir::dyn_cast<LoadOp>(op)) {
      // A pad value is put in element by element.
      if (!load.getPad())
        add(op, load.getMemory(), load.getIndices(), load.getResult().getType(),
            true);
    } else if (auto store = mlir::dyn_cast<StoreOp>(op)) {
      add(op, store.getMemory(), store.getIndices(), store.getValue().getType(),
          false);
    }
  });
  return table;
}
