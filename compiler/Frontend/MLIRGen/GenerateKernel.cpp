//===- GenerateKernel.cpp - Kernels, types and constants ------------------===//
#include "compiler/Frontend/MLIRGen/Generator.h"
#include "compiler/Frontend/MLIRGen/MLIRGen.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/SourceMgr.h"

using namespace tilec;
using namespace mlir;
using checked::LaunchExpr;

mlir::OwningOpRef<ModuleOp>
tilec::generateModule(const checked::Module &module,
                      const llvm::SourceMgr &sources, MLIRContext &context) {
  llvm::StringRef file =
      sources.getMemoryBuffer(sources.getMainFileID())->getBufferIdentifier();
  OpBuilder builder(&context);
  OwningOpRef<ModuleOp> result =
      ModuleOp::create(FileLineColLoc::get(&context, file, 1, 1));
  for (const checked::Kernel &kernel : module.kernels) {
    builder.setInsertionPointToEnd(result->getBody());
    Generator(builder, sources, kernel).run();
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Locations, types and constants
//===----------------------------------------------------------------------===//

Location Generator::getLocation(SourceRange range) {
  Position position = getPosition(sources, range.Start);
  if (!position.line)
    return builder.getUnknownLoc();
  return FileLineColLoc::get(builder.getContext(), position.file, position.line,
                             position.column);
}

Location Generator::getLocation(const Variable &variable) {
  return NameLoc::get(builder.getStringAttr(variable.name),
                      getLocation(variable.declared));
}

mlir::Type Generator::getElementType(ElementType element) {
  switch (element) {
  case ElementType::Bool:
    return builder.getI1Type();
  case ElementType::F16:
    return builder.getF16Type();
  case ElementType::BF16:
    return builder.getBF16Type();
  case ElementType::F32:
    return builder.getF32Type();
  case ElementType::F64:
    return builder.getF64Type();
  case ElementType::TF32:
    return builder.getTF32Type();
  case ElementType::FP8E4M3:
    return builder.getType<Float8E4M3FNType>();
  case ElementType::FP8E5M2:
    return builder.getType<Float8E5M2Type>();
  case ElementType::FP4E2M1:
    return builder.getType<Float4E2M1FNType>();
  case ElementType::E8M0:
    return builder.getType<Float8E8M0FNUType>();
  default:
    return builder.getIntegerType(getBits(element));
  }
}

mlir::Type Generator::getType(const Type &type) {
  mlir::Type element = getElementType(type.getElement());
  return type.isFragment() ? RankedTensorType::get(type.getExtents(), element)
                           : element;
}

TypedAttr Generator::getScalarAttr(const Constant &value, ElementType element) {
  mlir::Type type = getElementType(element);
  if (const auto *number = std::get_if<double>(&value)) {
    llvm::APFloat converted(*number);
    bool losesInfo = false;
    // The checker has rounded; this only changes the format.
    converted.convert(getSemantics(element), llvm::APFloat::rmNearestTiesToEven,
                      &losesInfo);
    return FloatAttr::get(type, converted);
  }
  if (const auto *boolean = std::get_if<bool>(&value))
    return builder.getBoolAttr(*boolean);
  auto integer = std::get<Integer>(value);
  llvm::APInt bits(64, static_cast<uint64_t>(integer));
  return IntegerAttr::get(type, bits.trunc(getBits(element)));
}

Value Generator::createConstant(Location location, const Constant &value,
                                const Type &type) {
  TypedAttr scalar = getScalarAttr(value, type.getElement());
  if (!type.isFragment())
    return arith::ConstantOp::create(builder, location, scalar);
  auto tensor = cast<RankedTensorType>(getType(type));
  return arith::ConstantOp::create(
      builder, location,
      cast<TypedAttr>(Attribute(SplatElementsAttr::get(tensor, scalar))));
}

Value Generator::createNumber(Location location, mlir::Type type,
                              int64_t value) {
  mlir::Type element = mlir::getElementTypeOrSelf(type);
  TypedAttr scalar;
  if (auto floatType = dyn_cast<FloatType>(element)) {
    llvm::APFloat number(static_cast<double>(value));
    bool losesInfo = false;
    number.convert(floatType.getFloatSemantics(),
                   llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    scalar = FloatAttr::get(floatType, number);
  } else {
    scalar =
        IntegerAttr::get(element, llvm::APInt(64, static_cast<uint64_t>(value))
                                      .trunc(element.getIntOrFloatBitWidth()));
  }
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return arith::ConstantOp::create(
        builder, location,
        cast<TypedAttr>(Attribute(SplatElementsAttr::get(tensor, scalar))));
  return arith::ConstantOp::create(builder, location, scalar);
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

Attribute Generator::getLaunchAttr(const LaunchExpr &expr) {
  switch (expr.kind) {
  case LaunchExpr::Kind::Integer:
    return builder.getI64IntegerAttr(expr.value);
  case LaunchExpr::Kind::Name:
    return builder.getStringAttr(expr.text);
  case LaunchExpr::Kind::Operation:
    break;
  }
  llvm::SmallVector<Attribute> parts = {builder.getStringAttr(expr.text)};
  for (const LaunchExpr &operand : expr.operands)
    parts.push_back(getLaunchAttr(operand));
  return builder.getArrayAttr(parts);
}

DictionaryAttr
Generator::getArgumentAttrs(const checked::Parameter &parameter) {
  const Variable &variable = *parameter.variable;
  NamedAttrList attrs;
  attrs.set("tile.name", builder.getStringAttr(variable.name));
  attrs.set("tile.dtype",
            builder.getStringAttr(getName(variable.type.getElement())));
  if (variable.type.isTensor()) {
    attrs.set("tile.access",
              builder.getStringAttr(ast::getSpelling(variable.access)));
    llvm::SmallVector<Attribute> dims;
    for (const LaunchExpr &dim : parameter.dims)
      dims.push_back(getLaunchAttr(dim));
    attrs.set("tile.dims", builder.getArrayAttr(dims));
    if (variable.packDim >= 0)
      attrs.set("tile.pack", builder.getI64IntegerAttr(variable.packDim));
    if (parameter.isStrided && !parameter.isStridedAll)
      attrs.set("tile.strided", builder.getUnitAttr());
    if (parameter.isStridedAll)
      attrs.set("tile.strided_all", builder.getUnitAttr());
    if (parameter.isPrepacked)
      attrs.set("tile.prepack", builder.getUnitAttr());
    if (parameter.isNoalias)
      attrs.set("tile.noalias", builder.getUnitAttr());
  }
  return attrs.getDictionary(builder.getContext());
}

ArrayAttr Generator::getSymbolsAttr() {
  llvm::SmallVector<Attribute> symbols;
  for (const checked::Symbol &symbol : kernel.symbols) {
    NamedAttrList attrs;
    attrs.set("name", builder.getStringAttr(symbol.name));
    attrs.set("param", builder.getI64IntegerAttr(symbol.parameter));
    attrs.set("dim", builder.getI64IntegerAttr(symbol.dim));
    if (symbol.value)
      attrs.set("value", builder.getI64IntegerAttr(*symbol.value));
    symbols.push_back(attrs.getDictionary(builder.getContext()));
  }
  return builder.getArrayAttr(symbols);
}

DictionaryAttr Generator::getConfigAttr() {
  NamedAttrList attrs;
  for (const checked::ConfigValue &entry : kernel.config) {
    Attribute value;
    if (const auto *boolean = std::get_if<bool>(&entry.value))
      value = builder.getBoolAttr(*boolean);
    else if (const auto *integer = std::get_if<Integer>(&entry.value))
      value = builder.getI64IntegerAttr(static_cast<int64_t>(*integer));
    else if (const auto *number = std::get_if<double>(&entry.value))
      value = builder.getF64FloatAttr(*number);
    else
      value = builder.getStringAttr(formatConstant(entry.value));
    attrs.set(entry.name, value);
  }
  return attrs.getDictionary(builder.getContext());
}

tile::KernelOp Generator::createKernel() {
  llvm::SmallVector<mlir::Type> types;
  llvm::SmallVector<Attribute> argAttrs, checks, grid, axes;
  for (const checked::Parameter &parameter : kernel.parameters) {
    const Variable &variable = *parameter.variable;
    mlir::Type element = getElementType(variable.type.getElement());
    if (variable.type.isTensor()) {
      llvm::SmallVector<int64_t> shape;
      for (int64_t extent : variable.type.getExtents())
        shape.push_back(extent == dynamicExtent ? ShapedType::kDynamic
                                                : extent);
      types.push_back(tile::GlobalType::get(builder.getContext(), shape,
                                            element, variable.packDim));
    } else {
      types.push_back(element);
    }
    argAttrs.push_back(getArgumentAttrs(parameter));
  }
  for (const checked::Fact &fact : kernel.facts) {
    NamedAttrList attrs;
    attrs.set("expr", getLaunchAttr(fact.condition));
    attrs.set("text", builder.getStringAttr(fact.text));
    checks.push_back(attrs.getDictionary(builder.getContext()));
  }
  for (const checked::Axis &axis : kernel.axes) {
    grid.push_back(getLaunchAttr(axis.extent));
    axes.push_back(builder.getStringAttr(axis.name));
  }

  OperationState state(getLocation(kernel.range),
                       tile::KernelOp::getOperationName());
  auto &properties = state.getOrAddProperties<tile::KernelOp::Properties>();
  properties.sym_name = builder.getStringAttr(kernel.name);
  properties.function_type = TypeAttr::get(builder.getFunctionType(types, {}));
  properties.arg_attrs = builder.getArrayAttr(argAttrs);
  properties.symbols = getSymbolsAttr();
  properties.checks = builder.getArrayAttr(checks);
  properties.grid = builder.getArrayAttr(grid);
  properties.axes = builder.getArrayAttr(axes);
  properties.threads = builder.getI64IntegerAttr(kernel.threads);
  if (!kernel.config.empty())
    properties.config = getConfigAttr();
  if (!kernel.decisions.empty())
    properties.decisions = getDecisionsAttr();
  state.addRegion();
  return cast<tile::KernelOp>(builder.create(state));
}

void Generator::run() {
  tile::KernelOp op = createKernel();
  Block *entry = builder.createBlock(&op.getBody());
  for (auto [parameter, type] :
       llvm::zip_equal(kernel.parameters, op.getArgumentTypes())) {
    const Variable &variable = *parameter.variable;
    Value argument = entry->addArgument(type, getLocation(variable));
    if (variable.type.isTensor()) {
      Memory memory;
      memory.root = argument;
      memory.parameter = &parameter;
      for (auto [dim, extent] : llvm::enumerate(variable.type.getExtents())) {
        memory.indices.push_back(Value());
        memory.kept.push_back(dim);
        memory.extents.push_back(extent);
      }
      memories[&variable] = memory;
    } else {
      values[&variable] = argument;
    }
  }
  generate(kernel.body);
  tile::ReturnOp::create(builder, op.getLoc());
}
