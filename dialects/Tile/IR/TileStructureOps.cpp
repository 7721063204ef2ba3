//===- TileStructureOps.cpp - Kernels, loops and indices ------------------===//

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
bool KernelOp::isArgStrided(unsigned index) {
  return static_cast<bool>(getArgAttr(index, "tile.strided"));
}

StringRef KernelOp::getSourceName() {
  return getOrigin() ? *getOrigin() : getSymName();
}

std::optional<int64_t> KernelOp::getSymbolValue(StringRef name) {
  for (auto symbol : getSymbols().getAsRange<DictionaryAttr>())
    if (auto attr = symbol.getAs<StringAttr>("name");
        attr && attr.getValue() == name)
      if (auto value = symbol.getAs<IntegerAttr>("value"))
        return value.getInt();
  return std::nullopt;
}

/// kernel-c1: an expression is an integer, a string or [operator, operand...].
static LogicalResult verifyExpression(KernelOp kernel, Attribute attr) {
  if (isa<IntegerAttr, StringAttr>(attr))
    return success();
  auto array = dyn_cast<ArrayAttr>(attr);
  if (!array || array.empty() || !isa<StringAttr>(array[0]))
    return kernel.emitOpError(
               "kernel-c1: an expression is an integer, a string or "
               "[operator, operand...], found ")
           << attr;
  for (Attribute operand : array.getValue().drop_front())
    if (failed(verifyExpression(kernel, operand)))
      return failure();
  return success();
}

/// kernel-c2: facts are {expr, text}.
static LogicalResult verifyFacts(KernelOp kernel, ArrayAttr facts) {
  for (Attribute attr : facts) {
    auto fact = dyn_cast<DictionaryAttr>(attr);
    if (!fact || !fact.get("expr") || !fact.getAs<StringAttr>("text"))
      return kernel.emitOpError("kernel-c2: a fact is {expr, text}, found ")
             << attr;
    if (failed(verifyExpression(kernel, fact.get("expr"))))
      return failure();
  }
  return success();
}

/// kernel-c3: every argument is described.
static LogicalResult verifyArgument(KernelOp kernel, unsigned index) {
  Type type = kernel.getArgumentTypes()[index];
  if (kernel.getArgName(index).empty() || kernel.getArgDtype(index).empty())
    return kernel.emitOpError("kernel-c3: argument ")
           << index << " needs 'tile.name' and 'tile.dtype'";
  auto global = dyn_cast<GlobalType>(type);
  if (!global)
    return success();
  StringRef access = kernel.getArgAccess(index);
  if (access != "in" && access != "out" && access != "inout")
    return kernel.emitOpError("kernel-c3: 'tile.access' of argument ")
           << index << " is 'in', 'out' or 'inout'";
  ArrayAttr dims = kernel.getArgDims(index);
  if (!dims || int64_t(dims.size()) != global.getRank())
    return kernel.emitOpError("kernel-c3: 'tile.dims' of argument ")
           << index << " has one expression for each dimension";
  for (Attribute dim : dims)
    if (failed(verifyExpression(kernel, dim)))
      return failure();
  return success();
}

LogicalResult KernelOp::verify() {
  if (getBody().empty())
    return emitOpError("kernel-c4: has a body");
  if (!isa<ReturnOp>(getBody().back().getTerminator()))
    return emitOpError("kernel-c4: ends with tile.return");
  for (unsigned i = 0, e = getNumArguments(); i < e; ++i)
    if (failed(verifyArgument(*this, i)))
      return failure();
  for (Attribute attr : getSymbols()) {
    auto symbol = dyn_cast<DictionaryAttr>(attr);
    if (!symbol || !symbol.getAs<StringAttr>("name"))
      return emitOpError("kernel-c5: a symbol is {name, param, dim}, found ")
             << attr;
  }
  if (getGrid().size() != getAxes().size())
    return emitOpError("kernel-c6: 'grid' and 'axes' have the same length");
  for (Attribute extent : getGrid())
    if (failed(verifyExpression(*this, extent)))
      return failure();
  if (getThreads() <= 0 || getThreads() > 1024 || getThreads() % 32 != 0)
    return emitOpError(
               "kernel-c7: 'threads' is a multiple of 32 up to 1024, found ")
           << getThreads();
  if (failed(verifyFacts(*this, getChecks())))
    return failure();
  return getGuards() ? verifyFacts(*this, *getGuards()) : success();
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

//===----------------------------------------------------------------------===//
// PipelinedOp
//===----------------------------------------------------------------------===//

void PipelinedOp::build(OpBuilder &builder, OperationState &state, Value lower,
                        Value upper, int64_t step, ValueRange inits,
                        IntegerAttr stages, bool stagesFixed) {
  OpBuilder::InsertionGuard guard(builder);
  state.addOperands({lower, upper});
  state.addOperands(inits);
  state.addTypes(inits.getTypes());
  auto &properties = state.getOrAddProperties<Properties>();
  properties.step = builder.getI64IntegerAttr(step);
  properties.stages = stages;
  if (stagesFixed)
    properties.stages_fixed = builder.getUnitAttr();
  Region *region = state.addRegion();
  Block *body = builder.createBlock(region);
  body->addArgument(builder.getI64Type(), state.location);
  for (Value init : inits)
    body->addArgument(init.getType(), init.getLoc());
  if (inits.empty()) {
    builder.setInsertionPointToEnd(body);
    YieldOp::create(builder, state.location, ValueRange());
  }
}

ParseResult PipelinedOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  OpAsmParser::Argument iv;
  OpAsmParser::UnresolvedOperand lower, upper;
  int64_t step = 1;
  iv.type = builder.getI64Type();
  if (parser.parseArgument(iv) || parser.parseEqual() ||
      parser.parseOperand(lower) || parser.parseKeyword("to") ||
      parser.parseOperand(upper) || parser.parseKeyword("step") ||
      parser.parseInteger(step))
    return failure();
  SmallVector<OpAsmParser::Argument> args;
  SmallVector<OpAsmParser::UnresolvedOperand> inits;
  SmallVector<Type> types;
  if (succeeded(parser.parseOptionalKeyword("iter_args"))) {
    if (parser.parseAssignmentList(args, inits) ||
        parser.parseArrowTypeList(types))
      return failure();
    if (types.size() != args.size())
      return parser.emitError(parser.getNameLoc(),
                              "needs a type for each carried value");
    for (auto [arg, type] : llvm::zip_equal(args, types))
      arg.type = type;
  }
  Properties &properties = result.getOrAddProperties<Properties>();
  properties.step = builder.getI64IntegerAttr(step);
  if (succeeded(parser.parseOptionalKeyword("stages"))) {
    int64_t stages;
    if (parser.parseLParen() || parser.parseInteger(stages) ||
        parser.parseRParen())
      return failure();
    properties.stages = builder.getI64IntegerAttr(stages);
  }
  if (succeeded(parser.parseOptionalKeyword("fixed")))
    properties.stages_fixed = builder.getUnitAttr();
  args.insert(args.begin(), iv);
  Region *body = result.addRegion();
  if (parser.parseRegion(*body, args))
    return failure();
  ensureTerminator(*body, builder, result.location);
  if (parser.parseOptionalAttrDict(result.attributes) ||
      parser.resolveOperand(lower, iv.type, result.operands) ||
      parser.resolveOperand(upper, iv.type, result.operands) ||
      parser.resolveOperands(inits, types, parser.getNameLoc(),
                             result.operands))
    return failure();
  result.addTypes(types);
  return success();
}

void PipelinedOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getInductionVar() << " = " << getLower() << " to "
          << getUpper() << " step " << getStep();
  if (!getInitArgs().empty()) {
    printer << " iter_args(";
    llvm::interleaveComma(llvm::zip_equal(getRegionIterArgs(), getInitArgs()),
                          printer, [&](auto pair) {
                            printer << std::get<0>(pair) << " = "
                                    << std::get<1>(pair);
                          });
    printer << ") -> (" << getInitArgs().getTypes() << ")";
  }
  if (getStages())
    printer << " stages(" << *getStages() << ")";
  if (getStagesFixed())
    printer << " fixed";
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/!getInitArgs().empty());
  printer.printOptionalAttrDict(
      (*this)->getAttrs(),
      {getStepAttrName(), getStagesAttrName(), getStagesFixedAttrName()});
}

LogicalResult PipelinedOp::verify() {
  Block &body = getBody().front();
  // pipelined-c1: the body takes the index and one argument a carried value.
  if (body.getNumArguments() != getInitArgs().size() + 1 ||
      !body.getArgument(0).getType().isInteger(64) ||
      TypeRange(ValueRange(body.getArguments().drop_front())) !=
          TypeRange(getInitArgs()))
    return emitOpError(
        "pipelined-c1: body takes the i64 index and the carried values");
  // pipelined-c2: what is yielded is carried.
  if (body.getTerminator()->getOperandTypes() != getInitArgs().getTypes() ||
      getResultTypes() != getInitArgs().getTypes())
    return emitOpError(
        "pipelined-c2: yields and results have the types of the inits");
  // pipelined-c3: the step is positive.
  if (int64_t(getStep()) <= 0)
    return emitOpError("pipelined-c3: step is positive, found ") << getStep();
  return success();
}

SmallVector<Region *> PipelinedOp::getLoopRegions() { return {&getBody()}; }
std::optional<SmallVector<Value>> PipelinedOp::getLoopInductionVars() {
  return SmallVector<Value>{getInductionVar()};
}
std::optional<SmallVector<OpFoldResult>> PipelinedOp::getLoopLowerBounds() {
  return SmallVector<OpFoldResult>{getLower()};
}
std::optional<SmallVector<OpFoldResult>> PipelinedOp::getLoopUpperBounds() {
  return SmallVector<OpFoldResult>{getUpper()};
}
std::optional<SmallVector<OpFoldResult>> PipelinedOp::getLoopSteps() {
  return SmallVector<OpFoldResult>{OpFoldResult(getStepAttr())};
}
MutableArrayRef<OpOperand> PipelinedOp::getInitsMutable() {
  return getOperation()->getOpOperands().drop_front(2);
}
Block::BlockArgListType PipelinedOp::getRegionIterArgs() {
  return getBody().getArguments().drop_front();
}
std::optional<MutableArrayRef<OpOperand>>
PipelinedOp::getYieldedValuesMutable() {
  return getBody().front().getTerminator()->getOpOperands();
}
std::optional<ResultRange> PipelinedOp::getLoopResults() {
  return getResults();
}

//===----------------------------------------------------------------------===//
// ParallelOp
//===----------------------------------------------------------------------===//

void ParallelOp::build(OpBuilder &builder, OperationState &state,
                       ArrayRef<int64_t> extents, ValueRange inits,
                       ArrayAttr maps) {
  OpBuilder::InsertionGuard guard(builder);
  state.addOperands(inits);
  state.addTypes(inits.getTypes());
  auto &properties = state.getOrAddProperties<Properties>();
  properties.extents = builder.getDenseI64ArrayAttr(extents);
  properties.maps = maps;
  Block *body = builder.createBlock(state.addRegion());
  for (size_t i = 0; i < extents.size(); ++i)
    body->addArgument(builder.getI64Type(), state.location);
  if (inits.empty()) {
    builder.setInsertionPointToEnd(body);
    YieldOp::create(builder, state.location, ValueRange());
  }
}

ParseResult ParallelOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  SmallVector<OpAsmParser::Argument> ivs;
  SmallVector<int64_t> extents;
  if (parser.parseArgumentList(ivs, OpAsmParser::Delimiter::Paren) ||
      parser.parseKeyword("in") ||
      parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, [&]() {
        return parser.parseInteger(extents.emplace_back());
      }))
    return failure();
  SmallVector<OpAsmParser::UnresolvedOperand> inits;
  SmallVector<Type> types;
  SMLoc loc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalKeyword("init"))) {
    if (parser.parseLParen() || parser.parseOperandList(inits) ||
        parser.parseColonTypeList(types) || parser.parseRParen())
      return failure();
  }
  Properties &properties = result.getOrAddProperties<Properties>();
  properties.extents = builder.getDenseI64ArrayAttr(extents);
  if (succeeded(parser.parseOptionalKeyword("maps"))) {
    ArrayAttr maps;
    if (parser.parseAttribute(maps))
      return failure();
    properties.maps = maps;
  }
  for (OpAsmParser::Argument &iv : ivs)
    iv.type = builder.getI64Type();
  Region *body = result.addRegion();
  if (parser.parseRegion(*body, ivs))
    return failure();
  ensureTerminator(*body, builder, result.location);
  if (parser.parseOptionalAttrDict(result.attributes) ||
      parser.resolveOperands(inits, types, loc, result.operands))
    return failure();
  result.addTypes(types);
  return success();
}

void ParallelOp::print(OpAsmPrinter &printer) {
  printer << " (" << getBody().getArguments() << ") in (";
  llvm::interleaveComma(getExtents(), printer);
  printer << ")";
  if (!getInits().empty())
    printer << " init(" << getInits() << " : " << getInits().getTypes() << ")";
  if (getMaps())
    printer << " maps " << *getMaps();
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/!getInits().empty());
  printer.printOptionalAttrDict((*this)->getAttrs(),
                                {getExtentsAttrName(), getMapsAttrName()});
}

AffineMap ParallelOp::getMap(unsigned index) {
  if (getMaps())
    return cast<AffineMapAttr>((*getMaps())[index]).getValue();
  return AffineMap::getMultiDimIdentityMap(getExtents().size(), getContext());
}

LogicalResult ParallelOp::verify() {
  Block &body = getBody().front();
  // parallel-c1: one index for each extent, extents positive.
  if (body.getNumArguments() != getExtents().size() || getExtents().empty())
    return emitOpError("parallel-c1: has one index for each extent");
  for (int64_t extent : getExtents())
    if (extent <= 0)
      return emitOpError("parallel-c1: extents are positive, found ") << extent;
  for (BlockArgument arg : body.getArguments())
    if (!arg.getType().isInteger(64))
      return emitOpError("parallel-c1: indices are i64");
  // parallel-c2: results are the inits, rewritten element by element.
  auto yield = cast<YieldOp>(body.getTerminator());
  if (getResultTypes() != getInits().getTypes() ||
      yield.getNumOperands() != getInits().size())
    return emitOpError("parallel-c2: yields one element for each init");
  for (auto [init, element] : llvm::zip_equal(getInits(), yield.getOperands()))
    if (getTileElementType(init.getType()) != element.getType())
      return emitOpError("parallel-c2: yields one element for each init");
  // parallel-c3: maps go from the indices to the fragments.
  if (getMaps() && getMaps()->size() != getInits().size())
    return emitOpError("parallel-c3: has one map for each init");
  for (unsigned i = 0; i < getInits().size(); ++i) {
    AffineMap map = getMap(i);
    if (map.getNumDims() != getExtents().size() ||
        map.getNumResults() != getTileShape(getInits()[i].getType()).size())
      return emitOpError("parallel-c3: map ")
             << i << " goes from the indices to the dimensions of its fragment";
  }
  return success();
}
