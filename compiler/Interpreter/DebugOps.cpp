//===- DebugOps.cpp - Assertions and prints -------------------------------===//
//
// A line of a print is "block (x, y) label: value, value", with a tile as
// nested lists.  Lines of different blocks come in any order but stay whole.
//
//===----------------------------------------------------------------------===//
#include "compiler/Interpreter/BlockInterpreter.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <mutex>

using namespace mlir;
using namespace tilec;

static LogicalResult checkAssertion(BlockInterpreter &block, Operation *op,
                                    Value condition, StringRef text) {
  const Integers &holds = block.getIntegers(condition);
  const LaneMask &mask = block.getMask();
  for (int64_t lane = 0; lane < mask.count; ++lane)
    if (mask.runs(lane) && !holds[lane])
      return block.fail(op, "assertion failed: " + text);
  return success();
}

static LogicalResult executeAssert(BlockInterpreter &block, cf::AssertOp op) {
  return checkAssertion(block, op, op.getArg(), op.getMsg());
}

static LogicalResult executeTileAssert(BlockInterpreter &block,
                                       tile::AssertOp op) {
  return checkAssertion(block, op, op.getCondition(), op.getText());
}

namespace {
/// A value to print.
struct Printed {
  RuntimeValue content;
  NumberFormat format;
  ArrayRef<int64_t> shape;

  void printElement(llvm::raw_ostream &os, int64_t i) const {
    if (content.isFloat()) {
      os << llvm::format("%g", content.getFloats()[i]);
      return;
    }
    int64_t value =
        decodeInteger(format, encodeInteger(format, content.getIntegers()[i]));
    if (format == NumberFormat::Bool)
      os << (value ? "true" : "false");
    else if (format == NumberFormat::UInt64)
      os << uint64_t(value);
    else
      os << value;
  }

  /// The elements from `first` on along the dimensions from `dim` on.
  void printTile(llvm::raw_ostream &os, size_t dim, int64_t first) const {
    if (dim == shape.size())
      return printElement(os, first);
    int64_t step = llvm::product_of(shape.drop_front(dim + 1));
    os << '[';
    for (int64_t i = 0; i < shape[dim]; ++i) {
      os << (i ? ", " : "");
      printTile(os, dim + 1, first + i * step);
    }
    os << ']';
  }
};
} // namespace

static LogicalResult executePrint(BlockInterpreter &block, tile::PrintOp op) {
  SmallVector<Printed> values;
  std::optional<ArrayRef<bool>> isUnsigned = op.getUnsignedValues();
  for (auto [i, value] : llvm::enumerate(op.getValues())) {
    Type type = value.getType();
    ArrayRef<int64_t> shape;
    if (isa<RankedTensorType>(type))
      shape = tile::getTileShape(type);
    values.push_back({block.getNarrow(value),
                      *findFormat(tile::getTileElementType(type),
                                  isUnsigned && (*isUnsigned)[i]),
                      shape});
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  const LaneMask &mask = block.getMask();
  for (int64_t lane = 0; lane < mask.count; ++lane) {
    if (!mask.runs(lane))
      continue;
    os << "block (";
    llvm::interleaveComma(block.getPosition(), os);
    os << ") " << op.getLabel() << ':';
    for (auto [i, value] : llvm::enumerate(values)) {
      os << (i ? ", " : " ");
      value.printTile(os, 0, value.shape.empty() ? lane : 0);
    }
    os << '\n';
  }
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  llvm::outs() << text;
  llvm::outs().flush();
  return success();
}

void tilec::addDebugHandlers(HandlerTable &table) {
  table.add<cf::AssertOp, executeAssert>();
  table.add<tile::AssertOp, executeTileAssert>();
  table.add<tile::PrintOp, executePrint>();
}
