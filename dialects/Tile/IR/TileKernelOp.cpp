//===- TileKernelOp.cpp - Verifier of tile.kernel -------------------------===//
//
// A kernel describes its own launch in attributes: parameters, symbols, facts,
// grid.  The manifest and the lowering take them as they are, so all that they
// rely on is checked here, in two steps: the verifier looks at each attribute,
// `verifyLaunch` at the names by which they refer to each other, which a kernel
// that is only passed through passes need not have.
//
//===----------------------------------------------------------------------===//

#include "dialects/Tile/IR/TileOps.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::tile;

/// Limits of the manifest (docs/artifact-format.md).
static constexpr unsigned maxExpressionDepth = 64;
static constexpr size_t maxAxes = 5;

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

namespace {
/// Checks the form of an expression (kernel-c1).
class ExpressionVerifier {
public:
  explicit ExpressionVerifier(KernelOp kernel) : kernel(kernel) {}

  LogicalResult verify(Attribute attr, unsigned depth = 0);

private:
  LogicalResult verifyOperation(ArrayAttr operation, unsigned depth);
  InFlightDiagnostic emitError() { return kernel.emitOpError("kernel-c1: "); }

  KernelOp kernel;
};

/// What the names of an expression may stand for.
enum class Scope {
  Extents, ///< symbols and integer parameters
  Facts    ///< these, constants, and facts of the launch
};

/// Checks what an expression of the right form refers to (kernel-c9).
class NameVerifier {
public:
  NameVerifier(KernelOp kernel, Scope scope) : kernel(kernel), scope(scope) {}

  LogicalResult verify(Attribute attr);

private:
  LogicalResult verifyName(StringRef name);
  LogicalResult verifyFact(ArrayAttr fact);
  InFlightDiagnostic emitError() { return kernel.emitOpError("kernel-c9: "); }

  KernelOp kernel;
  Scope scope;
};
} // namespace

static bool isFact(StringRef name) {
  return name == "address" || name == "stride_bytes" || name == "overlap";
}

/// Operands of an operator; 0 if there is none of that name.
static size_t getArity(StringRef name) {
  return llvm::StringSwitch<size_t>(name)
      .Cases({"+", "-", "*", "/", "%", "ceildiv", "min", "max"}, 2)
      .Cases({"==", "!=", "<", "<=", ">", ">="}, 2)
      .Cases({"&&", "||", "<<", ">>", "&", "|", "^"}, 2)
      .Cases({"!", "neg"}, 1)
      .Case("select", 3)
      .Case("address", 1)
      .Cases({"stride_bytes", "overlap"}, 2)
      .Default(0);
}

/// The argument of that name, or -1.
static int64_t findArgument(KernelOp kernel, StringRef name) {
  for (unsigned i = 0; i < kernel.getNumArguments(); ++i)
    if (kernel.getArgName(i) == name)
      return i;
  return -1;
}

static bool isTensor(KernelOp kernel, int64_t index) {
  return index >= 0 && isa<GlobalType>(kernel.getArgumentTypes()[index]);
}

LogicalResult NameVerifier::verifyName(StringRef name) {
  if (name == "sm_count")
    return success();
  for (auto symbol : kernel.getSymbols().getAsRange<DictionaryAttr>())
    if (auto known = symbol.getAs<StringAttr>("name");
        known && known.getValue() == name)
      return success();
  int64_t argument = findArgument(kernel, name);
  if (argument >= 0 && kernel.getArgumentTypes()[argument].isInteger())
    return success();
  auto config = kernel.getConfig().value_or(DictionaryAttr());
  if (scope == Scope::Facts && config && config.getAs<IntegerAttr>(name))
    return success();
  return emitError() << "'" << name
                     << "' is no symbol or integer parameter of the kernel";
}

/// [address, A], [stride_bytes, A, d], [overlap, A, B]
LogicalResult NameVerifier::verifyFact(ArrayAttr fact) {
  StringRef name = cast<StringAttr>(fact[0]).getValue();
  int64_t tensor = -1;
  for (size_t i = 1; i <= (name == "overlap" ? 2 : 1); ++i) {
    auto operand = dyn_cast<StringAttr>(fact[i]);
    tensor = operand ? findArgument(kernel, operand.getValue()) : -1;
    if (!isTensor(kernel, tensor))
      return emitError() << "'" << name << "' takes tensor parameters, found "
                         << fact[i];
  }
  if (name != "stride_bytes")
    return success();
  auto dim = dyn_cast<IntegerAttr>(fact[2]);
  auto type = cast<GlobalType>(kernel.getArgumentTypes()[tensor]);
  if (!dim || dim.getInt() < 0 || dim.getInt() >= type.getRank())
    return emitError() << "'stride_bytes' takes a dimension of its tensor, "
                          "found "
                       << fact[2];
  return success();
}

LogicalResult NameVerifier::verify(Attribute attr) {
  if (auto name = dyn_cast<StringAttr>(attr))
    return verifyName(name.getValue());
  auto operation = dyn_cast<ArrayAttr>(attr);
  if (!operation)
    return success();
  if (StringRef name = cast<StringAttr>(operation[0]).getValue(); isFact(name))
    return scope == Scope::Facts
               ? verifyFact(operation)
               : emitError() << "'" << name
                             << "' is a fact of a launch, which an extent "
                                "does not depend on";
  for (Attribute operand : operation.getValue().drop_front())
    if (failed(verify(operand)))
      return failure();
  return success();
}

LogicalResult ExpressionVerifier::verifyOperation(ArrayAttr operation,
                                                  unsigned depth) {
  StringRef name = cast<StringAttr>(operation[0]).getValue();
  size_t arity = getArity(name);
  if (arity == 0)
    return emitError() << "'" << name << "' is no operator of expressions";
  if (operation.size() != arity + 1)
    return emitError() << "'" << name << "' takes " << arity
                       << (arity == 1 ? " operand, found "
                                      : " operands, found ")
                       << operation.size() - 1;
  for (Attribute operand : operation.getValue().drop_front())
    if (failed(verify(operand, depth + 1)))
      return failure();
  return success();
}

/// kernel-c1: an expression is an i64, a name or [operator, operand...].
LogicalResult ExpressionVerifier::verify(Attribute attr, unsigned depth) {
  if (depth >= maxExpressionDepth)
    return emitError() << "expressions nest at most " << maxExpressionDepth
                       << " deep";
  if (auto integer = dyn_cast<IntegerAttr>(attr);
      integer && integer.getValue().isSignedIntN(64))
    return success();
  if (isa<StringAttr>(attr))
    return success();
  auto array = dyn_cast<ArrayAttr>(attr);
  if (!array || array.empty() || !isa<StringAttr>(array[0]))
    return emitError() << "an expression is an integer, a string or "
                          "[operator, operand...], found "
                       << attr;
  return verifyOperation(array, depth);
}

//===----------------------------------------------------------------------===//
// Parts of a kernel
//===----------------------------------------------------------------------===//

/// kernel-c2: facts are {expr, text}.
static LogicalResult verifyFacts(KernelOp kernel, ArrayAttr facts) {
  for (Attribute attr : facts) {
    auto fact = dyn_cast<DictionaryAttr>(attr);
    if (!fact || !fact.get("expr") || !fact.getAs<StringAttr>("text"))
      return kernel.emitOpError("kernel-c2: a fact is {expr, text}, found ")
             << attr;
    if (failed(ExpressionVerifier(kernel).verify(fact.get("expr"))))
      return failure();
  }
  return success();
}

/// The element type that the language's spelling stands for; null if it spells
/// none.
static Type getDtypeType(MLIRContext *context, StringRef dtype) {
  Builder builder(context);
  return llvm::StringSwitch<Type>(dtype)
      .Case("bool", builder.getI1Type())
      .Cases({"int4", "uint4"}, builder.getIntegerType(4))
      .Cases({"int8", "uint8"}, builder.getIntegerType(8))
      .Cases({"int16", "uint16"}, builder.getIntegerType(16))
      .Cases({"int32", "uint32"}, builder.getIntegerType(32))
      .Cases({"int64", "uint64"}, builder.getIntegerType(64))
      .Case("f16", builder.getF16Type())
      .Case("bf16", builder.getBF16Type())
      .Case("tf32", builder.getTF32Type())
      .Case("f32", builder.getF32Type())
      .Case("f64", builder.getF64Type())
      .Case("fp8_e4m3", builder.getType<Float8E4M3FNType>())
      .Case("fp8_e5m2", builder.getType<Float8E5M2Type>())
      .Case("fp4_e2m1", builder.getType<Float4E2M1FNType>())
      .Case("e8m0", builder.getType<Float8E8M0FNUType>())
      .Default(Type());
}

/// kernel-c12: what a packed tensor is in the source is known.
static LogicalResult verifyPacking(KernelOp kernel, unsigned index) {
  DictionaryAttr packing = kernel.getArgPacking(index);
  if (!packing)
    return success();
  auto order = packing.getAs<PackedOrderAttr>("order");
  auto dims = packing.getAs<ArrayAttr>("dims");
  auto pack = packing.getAs<IntegerAttr>("pack");
  auto along = packing.getAs<IntegerAttr>("along");
  if (!order || !dims || !pack || !along ||
      dims.size() < order.getOrder().shape().size() || pack.getInt() < -1 ||
      pack.getInt() >= int64_t(dims.size()) || along.getInt() < 0 ||
      along.getInt() >= int64_t(order.getOrder().shape().size()))
    return kernel.emitOpError("kernel-c12: 'tile.packing' of argument ")
           << index << " is {along, dims, order, pack}, found " << packing;
  for (Attribute dim : dims)
    if (failed(ExpressionVerifier(kernel).verify(dim)))
      return failure();
  return success();
}

static LogicalResult verifyTensorArgument(KernelOp kernel, unsigned index,
                                          GlobalType type) {
  StringRef access = kernel.getArgAccess(index);
  if (access != "in" && access != "out" && access != "inout")
    return kernel.emitOpError("kernel-c3: 'tile.access' of argument ")
           << index << " is 'in', 'out' or 'inout'";
  ArrayAttr dims = kernel.getArgDims(index);
  if (!dims || int64_t(dims.size()) != type.getRank())
    return kernel.emitOpError("kernel-c3: 'tile.dims' of argument ")
           << index << " has one expression for each dimension";
  for (Attribute dim : dims)
    if (failed(ExpressionVerifier(kernel).verify(dim)))
      return failure();
  return verifyPacking(kernel, index);
}

/// kernel-c3: every argument is described.
static LogicalResult verifyArgument(KernelOp kernel, unsigned index) {
  StringRef name = kernel.getArgName(index), dtype = kernel.getArgDtype(index);
  if (name.empty() || dtype.empty())
    return kernel.emitOpError("kernel-c3: argument ")
           << index << " needs 'tile.name' and 'tile.dtype'";
  if (findArgument(kernel, name) != int64_t(index))
    return kernel.emitOpError("kernel-c3: two arguments are called '")
           << name << "'";
  Type type = kernel.getArgumentTypes()[index];
  auto global = dyn_cast<GlobalType>(type);
  Type element = global ? global.getElementType() : type;
  if (element != getDtypeType(kernel.getContext(), dtype))
    return kernel.emitOpError("kernel-c3: argument ")
           << index << " is of " << element << ", which 'tile.dtype' = '"
           << dtype << "' does not spell";
  return global ? verifyTensorArgument(kernel, index, global) : success();
}

/// kernel-c5: symbols are described, each once.
static LogicalResult verifySymbols(KernelOp kernel) {
  llvm::StringSet<> names;
  for (Attribute attr : kernel.getSymbols()) {
    auto symbol = dyn_cast<DictionaryAttr>(attr);
    auto name = symbol ? symbol.getAs<StringAttr>("name") : StringAttr();
    if (!name)
      return kernel.emitOpError(
                 "kernel-c5: a symbol is {name, param, dim}, found ")
             << attr;
    if (!names.insert(name.getValue()).second)
      return kernel.emitOpError("kernel-c5: two symbols are called '")
             << name.getValue() << "'";
  }
  return success();
}

/// kernel-c6: the grid has a name and an expression for each of its axes.
static LogicalResult verifyGrid(KernelOp kernel) {
  if (kernel.getGrid().size() != kernel.getAxes().size())
    return kernel.emitOpError(
        "kernel-c6: 'grid' and 'axes' have the same length");
  if (kernel.getGrid().size() > maxAxes)
    return kernel.emitOpError("kernel-c6: a grid has at most ")
           << maxAxes << " axes, found " << kernel.getGrid().size();
  for (Attribute axis : kernel.getAxes())
    if (!isa<StringAttr>(axis))
      return kernel.emitOpError("kernel-c6: an axis has a name, found ")
             << axis;
  for (Attribute extent : kernel.getGrid())
    if (failed(ExpressionVerifier(kernel).verify(extent)))
      return failure();
  return success();
}

/// Limits of cuTensorMapEncodeTiled.
static constexpr int64_t maxBoxExtent = 256;
static constexpr int64_t boxRowUnit = 16;

static bool isOneOf(IntegerAttr attr, ArrayRef<int64_t> choices) {
  return attr && llvm::is_contained(choices, attr.getInt());
}

/// The box of a map of a tensor.
static LogicalResult verifyBox(KernelOp kernel, DictionaryAttr map,
                               GlobalType type) {
  auto box = map.getAs<ArrayAttr>("box");
  if (!box || int64_t(box.size()) != type.getRank())
    return kernel.emitOpError("kernel-c11: 'box' has one extent for each "
                              "dimension of the tensor, found ")
           << map.get("box");
  for (Attribute attr : box) {
    auto extent = dyn_cast<IntegerAttr>(attr);
    if (!extent || extent.getInt() < 1 || extent.getInt() > maxBoxExtent)
      return kernel.emitOpError("kernel-c11: an extent of 'box' is from 1 to ")
             << maxBoxExtent << ", found " << attr;
  }
  unsigned elementBits = getElementBits(type.getElementType());
  int64_t rowBytes = cast<IntegerAttr>(box[box.size() - 1]).getInt() *
                     std::max<int64_t>(elementBits / 8, 1);
  int64_t swizzle = map.getAs<IntegerAttr>("swizzle").getInt();
  if (rowBytes % boxRowUnit != 0)
    return kernel.emitOpError("kernel-c11: a row of 'box' is a multiple of ")
           << boxRowUnit << " bytes, found " << rowBytes;
  if (swizzle != 0 && rowBytes > swizzle)
    return kernel.emitOpError("kernel-c11: a row of 'box' is ")
           << rowBytes << " bytes, more than the swizzle of " << swizzle;
  return success();
}

/// kernel-c11: tensor maps are what the driver can encode.
static LogicalResult verifyTensorMap(KernelOp kernel, Attribute attr) {
  auto map = dyn_cast<DictionaryAttr>(attr);
  auto param = map ? map.getAs<IntegerAttr>("param") : IntegerAttr();
  if (!param || !map.getAs<IntegerAttr>("swizzle"))
    return kernel.emitOpError("kernel-c11: a tensor map is {param, box, "
                              "swizzle}, found ")
           << attr;
  if (param.getInt() < 0 || param.getInt() >= kernel.getNumArguments() ||
      !isTensor(kernel, param.getInt()))
    return kernel.emitOpError("kernel-c11: 'param' of a tensor map is a tensor "
                              "argument, found ")
           << param.getInt();
  if (!isOneOf(map.getAs<IntegerAttr>("swizzle"), {0, 32, 64, 128}))
    return kernel.emitOpError("kernel-c11: 'swizzle' is 0, 32, 64 or 128, "
                              "found ")
           << map.get("swizzle");
  if (map.get("l2_promotion") &&
      !isOneOf(map.getAs<IntegerAttr>("l2_promotion"), {0, 64, 128, 256}))
    return kernel.emitOpError("kernel-c11: 'l2_promotion' is 0, 64, 128 or "
                              "256, found ")
           << map.get("l2_promotion");
  return verifyBox(kernel, map,
                   cast<GlobalType>(kernel.getArgumentTypes()[param.getInt()]));
}

/// kernel-c14: the threads are those of the schedule, before and after its
/// teams are made.
static LogicalResult verifySchedule(KernelOp kernel) {
  std::optional<ScheduleAttr> schedule = kernel.getSchedule();
  if (!schedule)
    return success();
  int64_t ofTeam = schedule->getGroups() * WarpgroupOp::threadsPerGroup;
  int64_t ofAll = schedule->getTeams() * ofTeam + WarpgroupOp::threadsPerGroup;
  int64_t threads = kernel.getThreads();
  if (threads == ofTeam || threads == ofAll)
    return success();
  return kernel.emitOpError("kernel-c14: with ")
         << *schedule << " 'threads' is " << ofTeam << ", or " << ofAll
         << " once the teams are made, found " << threads;
}

/// kernel-c15: a class of sizes has a bound.
static LogicalResult verifySizeClass(KernelOp kernel) {
  std::optional<DictionaryAttr> bound = kernel.getSizeClass();
  if (!bound)
    return success();
  auto symbol = bound->getAs<StringAttr>("symbol");
  auto most = bound->getAs<IntegerAttr>("most");
  auto isSymbol = [&](DictionaryAttr one) { return one.get("name") == symbol; };
  if (symbol && most && most.getInt() >= 0 &&
      llvm::any_of(kernel.getSymbols().getAsRange<DictionaryAttr>(), isSymbol))
    return success();
  return kernel.emitOpError(
             "kernel-c15: 'size_class' is {symbol, most}, with a symbol of "
             "the kernel and a bound that is not negative, found ")
         << *bound;
}

LogicalResult KernelOp::verify() {
  if (getBody().empty())
    return emitOpError("kernel-c4: has a body");
  if (!isa<ReturnOp>(getBody().back().getTerminator()))
    return emitOpError("kernel-c4: ends with tile.return");
  if (!getResultTypes().empty())
    return emitOpError("kernel-c4: has no results");
  for (unsigned i = 0, e = getNumArguments(); i < e; ++i)
    if (failed(verifyArgument(*this, i)))
      return failure();
  if (failed(verifySymbols(*this)) || failed(verifyGrid(*this)) ||
      failed(verifySizeClass(*this)))
    return failure();
  if (getThreads() <= 0 || getThreads() > 1024 || getThreads() % 32 != 0)
    return emitOpError(
               "kernel-c7: 'threads' is a multiple of 32 up to 1024, found ")
           << getThreads();
  if (getSharedBytes() && int64_t(*getSharedBytes()) < 0)
    return emitOpError("kernel-c8: 'shared_bytes' is at least 0, found ")
           << int64_t(*getSharedBytes());
  if (std::optional<ArrayAttr> maps = getTensorMaps())
    for (Attribute map : *maps)
      if (failed(verifyTensorMap(*this, map)))
        return failure();
  if (getBlocks() && failed(ExpressionVerifier(*this).verify(*getBlocks())))
    return failure();
  // What every GPU with clusters can run.
  constexpr int64_t mostBlocksOfCluster = 8;
  if (getClusterSize() < 1 || getClusterSize() > mostBlocksOfCluster)
    return emitOpError("kernel-c13: 'cluster' is from 1 to ")
           << mostBlocksOfCluster << ", found " << getClusterSize();
  if (failed(verifySchedule(*this)) || failed(verifyFacts(*this, getChecks())))
    return failure();
  return getGuards() ? verifyFacts(*this, *getGuards()) : success();
}

/// The argument of the kernel that a value names, or a part of; null for other
/// memory.
static BlockArgument findTensor(KernelOp kernel, Value memory) {
  while (Operation *op = memory.getDefiningOp()) {
    if (!isa<ViewOp, BytesOp>(op))
      return {};
    memory = op->getOperand(0);
  }
  auto argument = cast<BlockArgument>(memory);
  return argument.getOwner() == &kernel.getBody().front() ? argument
                                                          : BlockArgument();
}

/// kernel-c10: what is only read is not written.
static LogicalResult verifyWrites(KernelOp kernel, MemoryEffectOpInterface op) {
  SmallVector<MemoryEffects::EffectInstance> effects;
  op.getEffects(effects);
  for (const MemoryEffects::EffectInstance &effect : effects) {
    if (!isa<MemoryEffects::Write>(effect.getEffect()) || !effect.getValue())
      continue;
    BlockArgument tensor = findTensor(kernel, effect.getValue());
    if (tensor && kernel.getArgAccess(tensor.getArgNumber()) == "in")
      return op->emitOpError("kernel-c10: writes to '")
             << kernel.getArgName(tensor.getArgNumber())
             << "', whose access is 'in'";
  }
  return success();
}

LogicalResult KernelOp::verifyRegions() {
  WalkResult walk = getBody().walk([&](MemoryEffectOpInterface op) {
    return failed(verifyWrites(*this, op)) ? WalkResult::interrupt()
                                           : WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// What the parts refer to
//===----------------------------------------------------------------------===//

/// Whether the dimension that is said to bind a symbol is that symbol.
static bool isBound(KernelOp kernel, DictionaryAttr symbol) {
  auto argument = symbol.getAs<IntegerAttr>("param");
  auto dim = symbol.getAs<IntegerAttr>("dim");
  if (!argument || !dim || argument.getInt() < 0 || dim.getInt() < 0 ||
      argument.getInt() >= kernel.getNumArguments() ||
      !isTensor(kernel, argument.getInt()))
    return false;
  ArrayAttr dims = kernel.getArgSourceDims(argument.getInt());
  return dim.getInt() < int64_t(dims.size()) &&
         dims[dim.getInt()] == symbol.get("name");
}

static LogicalResult verifyFactNames(KernelOp kernel, ArrayAttr facts) {
  for (auto fact : facts.getAsRange<DictionaryAttr>())
    if (failed(NameVerifier(kernel, Scope::Facts).verify(fact.get("expr"))))
      return failure();
  return success();
}

LogicalResult tile::verifyLaunch(KernelOp kernel) {
  for (auto symbol : kernel.getSymbols().getAsRange<DictionaryAttr>())
    if (!symbol.get("value") && !isBound(kernel, symbol)) {
      StringRef name = symbol.getAs<StringAttr>("name").getValue();
      return kernel.emitOpError("kernel-c9: 'param' and 'dim' of symbol '")
             << name << "' name no dimension that is '" << name << "'";
    }
  NameVerifier extents(kernel, Scope::Extents);
  for (unsigned i = 0; i < kernel.getNumArguments(); ++i)
    if (isTensor(kernel, i))
      for (Attribute dim : kernel.getArgDims(i))
        if (failed(extents.verify(dim)))
          return failure();
  for (Attribute extent : kernel.getGrid())
    if (failed(extents.verify(extent)))
      return failure();
  NameVerifier facts(kernel, Scope::Facts);
  if (kernel.getBlocks() && failed(facts.verify(*kernel.getBlocks())))
    return failure();
  if (failed(verifyFactNames(kernel, kernel.getChecks())))
    return failure();
  return kernel.getGuards() ? verifyFactNames(kernel, *kernel.getGuards())
                            : success();
}
