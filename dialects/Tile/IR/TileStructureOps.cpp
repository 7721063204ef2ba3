//===- TileStructureOps.cpp - Kernels, loops and indices ------------------===//

#include "dialects/Tile/IR/Effects.h"
#include "dialects/Tile/IR/TileOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
using namespace mlir::tile;

//===----------------------------------------------------------------------===//
// KernelOp
//===----------------------------------------------------------------------===//

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  auto buildFuncType =
      [](Builder &builder, ArrayRef<Type> args, ArrayRef<Type> results,
         function_interface_impl::VariadicFlag,
         std::string &) { return builder.getFunctionType(args, results); };
  return function_interface_impl::parseFunctionOp(
      parser, result, /*allowVariadic=*/false,
      getFunctionTypeAttrName(result.name), buildFuncType,
      getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void KernelOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(
      printer, *this, /*isVariadic=*/false, getFunctionTypeAttrName(),
      getArgAttrsAttrName(), getResAttrsAttrName());
}

static StringRef getStringArgAttr(KernelOp kernel, unsigned index,
                                  StringRef name) {
  auto attr = kernel.getArgAttrOfType<StringAttr>(index, name);
  return attr ? attr.getValue() : StringRef();
}

StringRef KernelOp::getArgName(unsigned index) {
  return getStringArgAttr(*this, index, "tile.name");
}
StringRef KernelOp::getArgDtype(unsigned index) {
  return getStringArgAttr(*this, index, "tile.dtype");
}
StringRef KernelOp::getArgAccess(unsigned index) {
  return getStringArgAttr(*this, index, "tile.access");
}
ArrayAttr KernelOp::getArgDims(unsigned index) {
  return getArgAttrOfType<ArrayAttr>(index, "tile.dims");
}
DictionaryAttr KernelOp::getArgPacking(unsigned index) {
  return getArgAttrOfType<DictionaryAttr>(index, "tile.packing");
}
ArrayAttr KernelOp::getArgSourceDims(unsigned index) {
  DictionaryAttr packing = getArgPacking(index);
  return packing ? packing.getAs<ArrayAttr>("dims") : getArgDims(index);
}
bool KernelOp::isArgStrided(unsigned index) {
  return static_cast<bool>(getArgAttr(index, "tile.strided"));
}

StringRef KernelOp::getSourceName() {
  return getOrigin() ? *getOrigin() : getSymName();
}

std::string KernelOp::getClassName() {
  std::optional<DictionaryAttr> bound = getSizeClass();
  if (!bound)
    return "";
  return (bound->getAs<StringAttr>("symbol").getValue() +
          Twine(bound->getAs<IntegerAttr>("most").getInt()))
      .str();
}

std::string KernelOp::getFunctionStem() {
  std::string name = getClassName();
  return getSourceName().str() + (name.empty() ? "" : "__") + name;
}

std::optional<int64_t> KernelOp::getSymbolValue(StringRef name) {
  for (auto symbol : getSymbols().getAsRange<DictionaryAttr>())
    if (auto attr = symbol.getAs<StringAttr>("name");
        attr && attr.getValue() == name)
      if (auto value = symbol.getAs<IntegerAttr>("value"))
        return value.getInt();
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

LogicalResult SymbolOp::verify() {
  auto kernel = (*this)->getParentOfType<KernelOp>();
  if (!kernel)
    return emitOpError("symbol-c1: stands in a tile.kernel");
  for (auto symbol : kernel.getSymbols().getAsRange<DictionaryAttr>())
    if (symbol.getAs<StringAttr>("name") == getNameAttr())
      return success();
  return emitOpError("symbol-c1: the kernel has no symbol '")
         << getName() << "'";
}

LogicalResult BlockIdOp::verify() {
  auto kernel = (*this)->getParentOfType<KernelOp>();
  if (!kernel || getAxis() >= kernel.getAxes().size())
    return emitOpError("block-id-c1: names an axis of the kernel's grid");
  return success();
}

LogicalResult AxisExtentOp::verify() {
  auto kernel = (*this)->getParentOfType<KernelOp>();
  if (!kernel || getAxis() >= kernel.getAxes().size())
    return emitOpError("block-id-c1: names an axis of the kernel's grid");
  return success();
}

LogicalResult PrintOp::verify() {
  // print-c1: one signedness for each value.
  if (getUnsignedValues() && getUnsignedValues()->size() != getValues().size())
    return emitOpError("print-c1: has one signedness for each value");
  return success();
}

// What a program shows or promises keeps its place among memory accesses.
void PrintOp::getEffects(Effects &effects) { touchAllMemory(effects); }
void AssertOp::getEffects(Effects &effects) { touchAllMemory(effects); }
void SetMaxRegistersOp::getEffects(Effects &effects) {
  touchAllMemory(effects);
}
void AwaitLaunchesOp::getEffects(Effects &effects) { touchAllMemory(effects); }
void AllowLaunchesOp::getEffects(Effects &effects) { touchAllMemory(effects); }

LogicalResult SetMaxRegistersOp::verify() {
  // set-max-registers-c1: what the hardware takes.
  int64_t count = getCount();
  if (count < 24 || count > 256 || count % 8 != 0)
    return emitOpError("set-max-registers-c1: a multiple of 8 from 24 to 256, "
                       "found ")
           << count;
  // set-max-registers-c2: it comes first in its team.
  if (!isa_and_nonnull<WarpgroupOp>((*this)->getParentOp()) ||
      &(*this)->getBlock()->front() != getOperation())
    return emitOpError(
        "set-max-registers-c2: is the first op of a region of tile.warpgroup");
  return success();
}
