//===- KernelEmitter.cpp - Prologue and shared helpers of the lowering ----===//
//
// The launch is one-dimensional.  The kernel finds its place along the axes
// from the linear block index, in groups of rows of blocks so that blocks which
// run at the same time share operands in L2.
//
//===----------------------------------------------------------------------===//

#include "compiler/Conversion/TileToNVVM/KernelEmitter.h"
#include "compiler/Conversion/TileToNVVM/Emitters.h"
#include "dialects/Tile/IR/TileShareOps.h"
#include "dialects/Tile/Transforms/Decisions.h"
#include "dialects/Tile/Transforms/TileOrder.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace mlir::tile;

/// Address space of global memory in NVPTX.
static constexpr unsigned globalSpace = 1;

/// Size and alignment of a CUtensorMap.
static constexpr int64_t tensorMapBytes = 128;
static constexpr int64_t tensorMapAlign = 64;

/// Whether teams of the kernel change how many registers they have.
static bool setsRegisters(KernelOp kernel) {
  return kernel.walk([](SetMaxRegistersOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

KernelEmitter::KernelEmitter(KernelOp kernel, unsigned computeCapability)
    : kernel(kernel), computeCapability(computeCapability), builder(kernel),
      loc(kernel.getLoc()), threads(kernel.getThreads()) {
  createFunction();
  emitPrologue();
}

const layout::FragmentLayout &KernelEmitter::getLayout(Value fragment) {
  return getFragmentLayout(fragment.getType()).getLayout();
}

//===----------------------------------------------------------------------===//
// Function and prologue
//===----------------------------------------------------------------------===//

/// Parameters: a pointer for each tensor, the symbols that are not fixed, the
/// scalars, the strides of strided tensors, the workspace, the tensor maps.
void KernelEmitter::createFunction() {
  MLIRContext *context = builder.getContext();
  Type pointer = LLVM::LLVMPointerType::get(context, globalSpace);
  SmallVector<Type> types;
  SmallVector<DictionaryAttr> attrs;
  auto addParameter = [&](Type type, ArrayRef<NamedAttribute> attributes = {}) {
    types.push_back(type);
    attrs.push_back(builder.getDictionaryAttr(attributes));
  };
  for (unsigned i = 0; i < kernel.getNumArguments(); ++i) {
    if (!isa<GlobalType>(kernel.getArgumentTypes()[i]))
      continue;
    SmallVector<NamedAttribute> attributes;
    if (kernel.getArgAttr(i, "tile.noalias"))
      attributes.push_back(
          builder.getNamedAttr("llvm.noalias", builder.getUnitAttr()));
    if (auto aligned = kernel.getArgAttrOfType<IntegerAttr>(i, "tile.aligned"))
      attributes.push_back(builder.getNamedAttr("llvm.align", aligned));
    addParameter(pointer, attributes);
  }
  for (auto symbol : kernel.getSymbols().getAsRange<DictionaryAttr>())
    if (!symbol.get("value"))
      addParameter(builder.getI64Type());
  for (Type type : kernel.getArgumentTypes())
    if (!isa<GlobalType>(type))
      addParameter(type.isInteger(1) ? builder.getI8Type()
                                     : getRegisterType(type));
  for (unsigned i = 0; i < kernel.getNumArguments(); ++i)
    if (auto type = dyn_cast<GlobalType>(kernel.getArgumentTypes()[i]);
        type && kernel.isArgStrided(i))
      for (int64_t d = 0; d + 1 < type.getRank(); ++d)
        addParameter(builder.getI64Type());
  if (kernel->hasAttr(workspaceAttrName))
    addParameter(pointer, builder.getNamedAttr("llvm.align",
                                               builder.getI64IntegerAttr(16)));
  // In parameter memory, where TMA reads them: nothing may copy them elsewhere.
  NamedAttribute tensorMapAttributes[] = {
      builder.getNamedAttr("llvm.align",
                           builder.getI64IntegerAttr(tensorMapAlign)),
      builder.getNamedAttr("llvm.byval",
                           TypeAttr::get(LLVM::LLVMArrayType::get(
                               builder.getI8Type(), tensorMapBytes))),
      builder.getNamedAttr(NVVM::NVVMDialect::getGridConstantAttrName(),
                           builder.getUnitAttr())};
  for (size_t i = 0; i < countTensorMaps(); ++i)
    addParameter(LLVM::LLVMPointerType::get(context), tensorMapAttributes);

  auto functionType =
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), types);
  function = LLVM::LLVMFuncOp::create(
      builder, loc, (kernel.getSymName() + ".lowered").str(), functionType);
  function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(),
                    builder.getUnitAttr());
  function->setAttr(NVVM::NVVMDialect::getReqntidAttrName(),
                    builder.getDenseI32ArrayAttr({int32_t(threads), 1, 1}));
  // Where teams share out the registers, a block starts with all that one block
  // can have.
  auto minBlocks = getDecidedInteger(kernel, "min_blocks");
  if (!minBlocks && setsRegisters(kernel))
    minBlocks = 1;
  if (minBlocks)
    function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                      builder.getI32IntegerAttr(int32_t(*minBlocks)));
  if (kernel.getClusterSize() > 1)
    function->setAttr(
        NVVM::NVVMDialect::getClusterDimAttrName(),
        builder.getDenseI32ArrayAttr({int32_t(kernel.getClusterSize()), 1, 1}));
  for (auto [i, attr] : llvm::enumerate(attrs))
    function.setArgAttrs(i, attr);
  builder.setInsertionPointToStart(function.addEntryBlock(builder));
}

size_t KernelEmitter::countTensorMaps() {
  std::optional<ArrayAttr> maps = kernel.getTensorMaps();
  return maps ? maps->size() : 0;
}

Value KernelEmitter::getTensorMap(int64_t index) {
  return function.getArgument(function.getNumArguments() - countTensorMaps() +
                              index);
}

void KernelEmitter::emitPrologue() {
  thread = NVVM::ThreadIdXOp::create(builder, loc, builder.getI32Type());
  // Parameters in the order of `createFunction`.
  unsigned next = 0;
  for (Type type : kernel.getArgumentTypes())
    next += isa<GlobalType>(type);
  for (auto symbol : kernel.getSymbols().getAsRange<DictionaryAttr>()) {
    auto value = symbol.getAs<IntegerAttr>("value");
    symbols[symbol.getAs<StringAttr>("name").getValue()] =
        value ? i64(value.getInt()) : Value(function.getArgument(next++));
  }
  for (BlockArgument argument : kernel.getArguments()) {
    if (isa<GlobalType>(argument.getType()))
      continue;
    Value value = function.getArgument(next++);
    if (argument.getType().isInteger(1))
      value = compare(arith::CmpIPredicate::ne, value, constantLike(value, 0));
    setScalar(argument, value);
    // Integer and bool scalars may stand in expressions of extents, with the
    // value that the launch reads.
    unsigned index = argument.getArgNumber();
    if (!value.getType().isInteger())
      continue;
    bool isUnsigned = value.getType().isInteger(1) ||
                      kernel.getArgDtype(index).starts_with("uint");
    symbols[kernel.getArgName(index)] =
        isUnsigned && !value.getType().isInteger(64)
            ? builder.createOrFold<arith::ExtUIOp>(loc, builder.getI64Type(),
                                                   value)
            : extendToI64(value);
  }
  emitAssumptions();
  emitGlobals(next);
  emitBlockIds();
  // A marker in front of which thread-dependent values are put; erased at the
  // end.
  prologueEnd =
      arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(0));
}

/// Tells LLVM the bounds of symbols that the launch has checked.
void KernelEmitter::emitAssumptions() {
  std::optional<ArrayAttr> guards = kernel.getGuards();
  if (!guards)
    return;
  for (Attribute guard : *guards) {
    auto fact = dyn_cast<DictionaryAttr>(guard);
    auto expr = fact ? fact.getAs<ArrayAttr>("expr") : ArrayAttr();
    if (!expr || expr.size() != 3)
      continue;
    auto relation = dyn_cast<StringAttr>(expr[0]);
    auto name = dyn_cast<StringAttr>(expr[1]);
    auto bound = dyn_cast<IntegerAttr>(expr[2]);
    Value symbol = name ? getSymbol(name) : Value();
    if (!relation || !symbol || !bound ||
        (relation != ">=" && relation != "<="))
      continue;
    Value holds = compare(relation == ">=" ? arith::CmpIPredicate::sge
                                           : arith::CmpIPredicate::sle,
                          symbol, i64(bound.getInt()));
    LLVM::AssumeOp::create(builder, loc, holds);
  }
}

void KernelEmitter::emitGlobals(unsigned firstStride) {
  unsigned nextPointer = 0;
  for (BlockArgument argument : kernel.getArguments()) {
    auto type = dyn_cast<GlobalType>(argument.getType());
    if (!type)
      continue;
    GlobalView view;
    view.pointer = function.getArgument(nextPointer++);
    view.type = type;
    for (Attribute dim : kernel.getArgDims(argument.getArgNumber()))
      view.extents.push_back(emitExpression(dim));
    int64_t unitBytes =
        std::max<int64_t>(getElementBits(type.getElementType()) / 8, 1);
    view.strides.resize(type.getRank());
    Value stride = i64(unitBytes);
    for (int64_t d = type.getRank() - 1; d >= 0; --d) {
      view.strides[d] = stride;
      Value extent = view.extents[d];
      if (d == type.getPackDim())
        extent = builder.createOrFold<arith::ShRUIOp>(loc, add(extent, i64(1)),
                                                      i64(1));
      stride = mul(stride, extent);
    }
    if (kernel.isArgStrided(argument.getArgNumber()))
      for (int64_t d = 0; d + 1 < type.getRank(); ++d)
        view.strides[d] =
            mul(function.getArgument(firstStride++), i64(unitBytes));
    setGlobal(argument, view);
  }
}

/// Splits the linear block index into the share of the work at a place, the
/// fastest, and the axes, first fastest, the second in groups.
void KernelEmitter::emitBlockIds() {
  Type i32 = builder.getI32Type();
  Value number = NVVM::BlockIdXOp::create(builder, loc, i32);
  if (int64_t shares = getShares(kernel); shares > 1)
    number = divui(number, this->i32(shares));
  size_t axes = kernel.getGrid().size();
  SmallVector<Value> ids(axes, number);
  if (axes >= 2) {
    SmallVector<Value> extents;
    for (Attribute extent : kernel.getGrid())
      extents.push_back(builder.createOrFold<arith::TruncIOp>(
          loc, i32, emitExpression(extent)));
    ids =
        emitTuple(builder, loc, number, extents,
                  getDecidedInteger(kernel, "raster").value_or(defaultRaster));
  }
  for (Value id : ids)
    blockIds.push_back(zeroExtend(id));
}

//===----------------------------------------------------------------------===//
// Body
//===----------------------------------------------------------------------===//

bool KernelEmitter::emitKernel() {
  emitSyncPrologue(*this);
  if (failed(emitBlock(kernel.getBody().front())))
    return false;
  loc = kernel.getLoc();
  emitSyncEpilogue(*this);
  LLVM::ReturnOp::create(builder, loc, ValueRange());
  prologueEnd->erase();
  return true;
}

LogicalResult KernelEmitter::emitBlock(Block &block) {
  for (Operation &op : block.without_terminator()) {
    loc = op.getLoc();
    if (failed(emitOperation(*this, &op)))
      return failure();
  }
  return success();
}

LogicalResult KernelEmitter::emitTeam(Value teamThread, int64_t teamThreads,
                                      unsigned barrier,
                                      function_ref<LogicalResult()> emitBody) {
  auto outer = std::tuple(thread, threads, teamBarrier, prologueEnd, isLeader,
                          warpgroup, std::move(threadBits));
  thread = teamThread;
  threads = teamThreads;
  teamBarrier = barrier;
  isLeader = warpgroup = Value();
  threadBits.clear();
  prologueEnd =
      arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(0));
  LogicalResult result = emitBody();
  prologueEnd->erase();
  std::tie(thread, threads, teamBarrier, prologueEnd, isLeader, warpgroup,
           threadBits) = std::move(outer);
  return result;
}

SmallVector<Value> KernelEmitter::getScalars(ValueRange values) const {
  SmallVector<Value> mapped;
  for (Value value : values)
    mapped.push_back(getScalar(value));
  return mapped;
}

//===----------------------------------------------------------------------===//
// Values across control flow
//===----------------------------------------------------------------------===//

/// The fragment that a value is, or will be once its products are done; null
/// for scalars.
static RankedTensorType getHeldFragment(Type type) {
  if (auto flying = dyn_cast<InFlightType>(type))
    return flying.getFragment();
  return dyn_cast<RankedTensorType>(type);
}

void KernelEmitter::appendFlat(Value value, SmallVectorImpl<Value> &flat) {
  if (getHeldFragment(value.getType()))
    llvm::append_range(flat, getFragment(value).flatten(builder, loc));
  else
    flat.push_back(getScalar(value));
}

SmallVector<Type> KernelEmitter::getFlatTypes(Type type) {
  RankedTensorType tensor = getHeldFragment(type);
  if (!tensor)
    return {getRegisterType(type)};
  FragmentValue shape(tensor.getElementType(),
                      getFragmentLayout(type).getLayout().elementsPerThread());
  return SmallVector<Type>(shape.getFlatCount(), shape.getFlatType());
}

void KernelEmitter::takeFlat(Value value, ValueRange &flat) {
  RankedTensorType tensor = getHeldFragment(value.getType());
  if (!tensor) {
    setScalar(value, flat.front());
    flat = flat.drop_front();
    return;
  }
  unsigned count = getLayout(value).elementsPerThread();
  size_t size = FragmentValue(tensor.getElementType(), count).getFlatCount();
  SmallVector<Value> values(flat.take_front(size));
  setFragment(value,
              FragmentValue::unflatten(tensor.getElementType(), count, values));
  flat = flat.drop_front(size);
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Value KernelEmitter::i32(int64_t value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getI32IntegerAttr(int32_t(value)));
}
Value KernelEmitter::i64(int64_t value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getI64IntegerAttr(value));
}
Value KernelEmitter::i1(bool value) {
  return arith::ConstantOp::create(builder, loc, builder.getBoolAttr(value));
}
Value KernelEmitter::extendToI64(Value value) {
  return builder.createOrFold<arith::ExtSIOp>(loc, builder.getI64Type(), value);
}
Value KernelEmitter::zeroExtend(Value value) {
  return builder.createOrFold<arith::ExtUIOp>(loc, builder.getI64Type(), value);
}
Value KernelEmitter::constantLike(Value like, int64_t value) {
  return arith::ConstantOp::create(
      builder, loc, builder.getIntegerAttr(like.getType(), value));
}
Value KernelEmitter::zeroOf(Type type) {
  return arith::ConstantOp::create(builder, loc,
                                   cast<TypedAttr>(builder.getZeroAttr(type)));
}

Value KernelEmitter::callIntrinsic(StringRef name, Type result,
                                   ValueRange operands) {
  auto call = LLVM::CallIntrinsicOp::create(
      builder, loc, result, builder.getStringAttr(name), operands);
  return result ? call.getResult(0) : Value();
}

Value KernelEmitter::callAsm(StringRef text, StringRef constraints,
                             ValueRange operands, Type result) {
  auto dialect =
      LLVM::AsmDialectAttr::get(builder.getContext(), LLVM::AsmDialect::AD_ATT);
  return LLVM::InlineAsmOp::create(
             builder, loc, result ? result : Type(builder.getI32Type()),
             operands, text, constraints,
             /*has_side_effects=*/false, /*is_align_stack=*/false,
             LLVM::TailCallKind::None, dialect, ArrayAttr())
      .getResult(0);
}

Value KernelEmitter::callVolatileAsm(StringRef text, StringRef constraints,
                                     ValueRange operands, Type result) {
  auto dialect =
      LLVM::AsmDialectAttr::get(builder.getContext(), LLVM::AsmDialect::AD_ATT);
  auto call = LLVM::InlineAsmOp::create(
      builder, loc,
      result ? result : LLVM::LLVMVoidType::get(builder.getContext()), operands,
      text, (constraints + "~{memory}").str(),
      /*has_side_effects=*/true, /*is_align_stack=*/false,
      LLVM::TailCallKind::None, dialect, ArrayAttr());
  return result ? call.getResult(0) : Value();
}

Value KernelEmitter::getSharedAddress(Value pointer) {
  return LLVM::PtrToIntOp::create(builder, loc, builder.getI32Type(), pointer);
}

Value KernelEmitter::getSharedPointer(int64_t offset) {
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext(), 3);
  Value base = LLVM::AddressOfOp::create(builder, loc, pointer, "tile_shared");
  return offset ? offsetPointer(base, i32(offset)) : base;
}

Value KernelEmitter::offsetPointer(Value pointer, Value bytes) {
  return LLVM::GEPOp::create(builder, loc, pointer.getType(),
                             builder.getI8Type(), pointer, bytes);
}

//===----------------------------------------------------------------------===//
// Thread-dependent values
//===----------------------------------------------------------------------===//

/// Splits the map into fields: runs of thread bits that move to a run of result
/// bits.  A field costs a mask and a shift.
Value KernelEmitter::emitThreadBits(ArrayRef<int32_t> bases) {
  std::vector<int32_t> key(bases.begin(), bases.end());
  auto known = threadBits.find(key);
  if (known != threadBits.end())
    return known->second;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(prologueEnd);
  std::vector<int32_t> rest = key;
  Value result;
  for (size_t i = 0; i < rest.size(); ++i) {
    for (int bit = 0; bit < 31; ++bit) {
      if (!(rest[i] >> bit & 1))
        continue;
      int length = 0;
      while (i + length < rest.size() && bit + length < 31 &&
             rest[i + length] >> (bit + length) & 1) {
        rest[i + length] &= ~(int32_t(1) << (bit + length));
        ++length;
      }
      Value field = andi(thread, i32(((int64_t(1) << length) - 1) << i));
      field = bit >= int(i) ? shl(field, bit - i) : shr(field, i - bit);
      result = result ? xori(result, field) : field;
    }
  }
  if (!result)
    result = i32(0);
  threadBits[key] = result;
  return result;
}

Value KernelEmitter::emitThreadCoord(ArrayRef<layout::Coords> laneBases,
                                     ArrayRef<layout::Coords> warpBases,
                                     int dim) {
  SmallVector<int32_t> bases;
  for (const layout::Coords &basis : laneBases)
    bases.push_back(basis[dim]);
  for (const layout::Coords &basis : warpBases)
    bases.push_back(basis[dim]);
  return emitThreadBits(bases);
}

Value KernelEmitter::emitIsLeader() {
  if (threads == 1 || isLeader)
    return isLeader;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(prologueEnd);
  // By a shuffle, so that it is seen to be the same in all threads of a warp.
  Value warp = broadcastInWarp(shr(thread, 5));
  Value isElected = emitElection();
  isLeader = andi(compare(arith::CmpIPredicate::eq, warp, i32(0)), isElected);
  return isLeader;
}

Value KernelEmitter::emitElection() {
  Type elected = LLVM::LLVMStructType::getLiteral(
      builder.getContext(), {builder.getI32Type(), builder.getI1Type()});
  Value election = callIntrinsic("llvm.nvvm.elect.sync", elected, i32(-1));
  return LLVM::ExtractValueOp::create(builder, loc, election,
                                      ArrayRef<int64_t>{1});
}

Value KernelEmitter::emitWarpgroup() {
  if (warpgroup)
    return warpgroup;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(prologueEnd);
  return warpgroup = broadcastInWarp(shr(thread, 7));
}

Value KernelEmitter::broadcastInWarp(Value value) {
  return callIntrinsic("llvm.nvvm.shfl.sync.idx.i32", builder.getI32Type(),
                       {i32(-1), value, i32(0), i32(31)});
}

Value KernelEmitter::emitIsOwner(const layout::FragmentLayout &layout) {
  layout::OwnerMask mask = layout.ownerMask();
  int64_t bits = mask.lanes | int64_t(mask.warps) << 5;
  // Warps beyond those of the layout repeat the first ones.
  int64_t laidOut = layout.numThreads();
  Value isFirst = laidOut == threads ? Value()
                                     : compare(arith::CmpIPredicate::ult,
                                               thread, i32(laidOut));
  if (bits == 0)
    return isFirst;
  Value isOwner =
      compare(arith::CmpIPredicate::eq, andi(thread, i32(bits)), i32(0));
  return isFirst ? andi(isFirst, isOwner) : isOwner;
}
