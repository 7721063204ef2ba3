//===- TileLoopOps.cpp - Loops and teams of the structure family ----------===//

#include "dialects/Tile/IR/TileOps.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::tile;

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
  // pipelined-c4: the number of buffers is one that a loop may ask for.
  if (auto stages = getStages();
      stages && (int64_t(*stages) < 0 || int64_t(*stages) > mostStages))
    return emitOpError("pipelined-c4: stages is 0 to ")
           << mostStages << ", found " << int64_t(*stages);
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

//===----------------------------------------------------------------------===//
// PersistentOp
//===----------------------------------------------------------------------===//

void PersistentOp::build(OpBuilder &builder, OperationState &state,
                         ValueRange extents, IntegerAttr group) {
  OpBuilder::InsertionGuard guard(builder);
  state.addOperands(extents);
  state.getOrAddProperties<Properties>().group = group;
  Block *body = builder.createBlock(state.addRegion());
  for (size_t i = 0; i < extents.size(); ++i)
    body->addArgument(builder.getI64Type(), state.location);
  builder.setInsertionPointToEnd(body);
  YieldOp::create(builder, state.location, ValueRange());
}

ParseResult PersistentOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  SmallVector<OpAsmParser::Argument> ivs;
  SmallVector<OpAsmParser::UnresolvedOperand> extents;
  if (parser.parseArgumentList(ivs, OpAsmParser::Delimiter::Paren) ||
      parser.parseKeyword("in") ||
      parser.parseOperandList(extents, OpAsmParser::Delimiter::Paren))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("group"))) {
    int64_t group;
    if (parser.parseLParen() || parser.parseInteger(group) ||
        parser.parseRParen())
      return failure();
    result.getOrAddProperties<Properties>().group =
        builder.getI64IntegerAttr(group);
  }
  for (OpAsmParser::Argument &iv : ivs)
    iv.type = builder.getI64Type();
  Region *body = result.addRegion();
  if (parser.parseRegion(*body, ivs))
    return failure();
  ensureTerminator(*body, builder, result.location);
  return failure(
      parser.parseOptionalAttrDict(result.attributes) ||
      parser.resolveOperands(extents, builder.getI64Type(), result.operands));
}

void PersistentOp::print(OpAsmPrinter &printer) {
  printer << " (" << getBody().getArguments() << ") in (" << getExtents()
          << ")";
  if (getGroup())
    printer << " group(" << *getGroup() << ")";
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/false);
  printer.printOptionalAttrDict((*this)->getAttrs(), {getGroupAttrName()});
}

LogicalResult PersistentOp::verify() {
  Block &body = getBody().front();
  // persistent-c1: one i64 index for each extent.
  if (getExtents().empty() || body.getNumArguments() != getExtents().size() ||
      !llvm::all_of(body.getArgumentTypes(),
                    [](Type type) { return type.isInteger(64); }))
    return emitOpError("persistent-c1: has one i64 index for each extent");
  // persistent-c2: tuples are independent.
  if (body.getTerminator()->getNumOperands() != 0)
    return emitOpError("persistent-c2: carries nothing");
  // persistent-c3: the hint is a count.
  if (getGroup() && int64_t(*getGroup()) <= 0)
    return emitOpError("persistent-c3: group is positive, found ")
           << int64_t(*getGroup());
  return success();
}

//===----------------------------------------------------------------------===//
// WarpgroupOp
//===----------------------------------------------------------------------===//

int64_t tile::getTeamThreads(Operation *op) {
  if (isa<KernelOp>(op))
    return cast<KernelOp>(op).getThreads();
  for (Region *region = op->getParentRegion(); region;
       region = region->getParentRegion())
    if (auto teams = dyn_cast<WarpgroupOp>(region->getParentOp()))
      return teams.getTeamThreads(region->getRegionNumber());
  return op->getParentOfType<KernelOp>().getThreads();
}

int64_t WarpgroupOp::getTeamThreads(unsigned region) {
  return threadsPerGroup *
         cast<DenseI64ArrayAttr>(getTeams()[region]).asArrayRef().size();
}

void WarpgroupOp::build(OpBuilder &builder, OperationState &state,
                        ArrayRef<SmallVector<int64_t>> teams) {
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Attribute> attrs;
  for (ArrayRef<int64_t> team : teams) {
    attrs.push_back(builder.getDenseI64ArrayAttr(team));
    builder.createBlock(state.addRegion());
    YieldOp::create(builder, state.location, ValueRange());
  }
  state.getOrAddProperties<Properties>().teams = builder.getArrayAttr(attrs);
}

ParseResult WarpgroupOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  SmallVector<Attribute> teams;
  do {
    SmallVector<int64_t> team;
    if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, [&]() {
          return parser.parseInteger(team.emplace_back());
        }))
      return failure();
    teams.push_back(builder.getDenseI64ArrayAttr(team));
    Region *body = result.addRegion();
    if (parser.parseRegion(*body))
      return failure();
    if (body->empty())
      body->emplaceBlock();
    Block &block = body->back();
    if (block.empty() || !block.back().hasTrait<OpTrait::IsTerminator>()) {
      OpBuilder inner(builder.getContext());
      inner.setInsertionPointToEnd(&block);
      YieldOp::create(inner, result.location, ValueRange());
    }
  } while (succeeded(parser.parseOptionalComma()));
  result.getOrAddProperties<Properties>().teams = builder.getArrayAttr(teams);
  return parser.parseOptionalAttrDict(result.attributes);
}

void WarpgroupOp::print(OpAsmPrinter &printer) {
  llvm::interleave(
      llvm::zip(getTeams().getAsRange<DenseI64ArrayAttr>(), getBodies()),
      [&](auto pair) {
        printer << " [";
        llvm::interleaveComma(std::get<0>(pair).asArrayRef(), printer);
        printer << "] ";
        printer.printRegion(std::get<1>(pair), /*printEntryBlockArgs=*/false,
                            /*printBlockTerminators=*/false);
      },
      [&]() { printer << ","; });
  printer.printOptionalAttrDict((*this)->getAttrs(), {getTeamsAttrName()});
}

LogicalResult WarpgroupOp::verify() {
  // warpgroup-c1: one list of groups for each region.
  if (getTeams().size() != getBodies().size() || getBodies().empty() ||
      !llvm::all_of(getTeams(), llvm::IsaPred<DenseI64ArrayAttr>))
    return emitOpError("warpgroup-c1: has one list of groups for each region");
  // warpgroup-c2: each group of the block is in exactly one team.
  llvm::SmallVector<int64_t> groups;
  for (auto team : getTeams().getAsRange<DenseI64ArrayAttr>())
    groups.append(team.asArrayRef().begin(), team.asArrayRef().end());
  llvm::sort(groups);
  for (auto [index, group] : llvm::enumerate(groups))
    if (group != int64_t(index))
      return emitOpError("warpgroup-c2: each group is in exactly one team");
  // warpgroup-c3: the threads of the block are those of the groups.
  if (auto kernel = (*this)->getParentOfType<KernelOp>())
    if (int64_t(kernel.getThreads()) !=
        threadsPerGroup * int64_t(groups.size()))
      return emitOpError("warpgroup-c3: ")
             << groups.size() << " groups are "
             << threadsPerGroup * groups.size() << " threads, the kernel has "
             << kernel.getThreads();
  // warpgroup-c4: regions end without values.
  for (Region &body : getBodies())
    if (!isa<YieldOp>(body.front().back()) ||
        body.front().back().getNumOperands() != 0 ||
        body.front().getNumArguments() != 0)
      return emitOpError("warpgroup-c4: regions take and give nothing");
  return success();
}
