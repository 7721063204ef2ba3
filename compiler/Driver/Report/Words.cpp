//===- Words.cpp - Types and values in the language's words ---------------===//
#include "compiler/Driver/Report/Words.h"

#include "compiler/Driver/PassDiagnostics.h"
#include "dialects/Tile/IR/TileOps.h"

using namespace tilec;
using namespace mlir::tile;
using llvm::StringRef;

std::string tilec::spellTile(mlir::Type element, llvm::ArrayRef<int64_t> shape,
                             bool isUnsigned) {
  std::string text = mlir::tile::spellElementType(element, isUnsigned) + "[";
  for (size_t dim = 0; dim < shape.size(); ++dim)
    text += (dim ? ", " : "") + std::to_string(shape[dim]);
  return text + "]";
}

std::string tilec::spellTile(mlir::Type type, bool isUnsigned) {
  if (auto shared = llvm::dyn_cast<SharedType>(type))
    return spellTile(shared.getElementType(), shared.getShape(), isUnsigned);
  auto fragment = llvm::cast<mlir::RankedTensorType>(type);
  return spellTile(fragment.getElementType(), fragment.getShape(), isUnsigned);
}

std::string tilec::nameMemory(mlir::Value value) {
  while (true) {
    if (auto argument = llvm::dyn_cast<mlir::BlockArgument>(value)) {
      auto kernel =
          llvm::dyn_cast<KernelOp>(argument.getOwner()->getParentOp());
      return kernel ? kernel.getArgName(argument.getArgNumber()).str() : "?";
    }
    mlir::Operation *op = value.getDefiningOp();
    if (auto alloc = llvm::dyn_cast<AllocSharedOp>(op))
      return alloc.getName() ? alloc.getName()->str() : "(unnamed)";
    if (op->getNumOperands() == 0 ||
        !llvm::isa<GlobalType, SharedType>(op->getOperand(0).getType()))
      return "?";
    value = op->getOperand(0);
  }
}

std::string tilec::nameLine(mlir::Operation *op) {
  mlir::FileLineColLoc place = findPlace(op->getLoc());
  return place ? std::to_string(place.getLine()) : "-";
}
