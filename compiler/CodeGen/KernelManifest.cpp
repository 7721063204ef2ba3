//===- KernelManifest.cpp - What a tile.kernel says about its launch ------===//
#include "compiler/CodeGen/KernelManifest.h"
#include "dialects/Tile/IR/TileShareOps.h"
#include "dialects/Tile/Transforms/Overlap.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace tilec;
using mlir::tile::GlobalType;
using mlir::tile::KernelOp;
using Json = nlohmann::ordered_json;

/// Integers, floats, booleans, strings, and arrays of them, which is what the
/// verifier of tile.kernel lets expressions hold.  Null for anything else.
static Json toJson(mlir::Attribute attribute) {
  if (auto boolean = mlir::dyn_cast<mlir::BoolAttr>(attribute))
    return boolean.getValue();
  if (auto integer = mlir::dyn_cast<mlir::IntegerAttr>(attribute))
    return integer.getValue().getSExtValue();
  if (auto number = mlir::dyn_cast<mlir::FloatAttr>(attribute))
    return number.getValueAsDouble();
  if (auto string = mlir::dyn_cast<mlir::StringAttr>(attribute))
    return string.getValue().str();
  if (auto array = mlir::dyn_cast<mlir::ArrayAttr>(attribute)) {
    Json json = Json::array();
    for (mlir::Attribute element : array)
      json.push_back(toJson(element));
    return json;
  }
  return nullptr;
}

static std::string getString(mlir::DictionaryAttr dictionary,
                             llvm::StringRef key) {
  auto value = dictionary.getAs<mlir::StringAttr>(key);
  return value ? value.getValue().str() : "";
}

static std::optional<int64_t> getInteger(mlir::DictionaryAttr dictionary,
                                         llvm::StringRef key) {
  auto value = dictionary.getAs<mlir::IntegerAttr>(key);
  if (!value)
    return std::nullopt;
  return value.getInt();
}

static ManifestParameter::Strides getStrides(KernelOp kernel, unsigned index) {
  if (kernel.getArgAttr(index, "tile.strided_all"))
    return ManifestParameter::Strides::All;
  return kernel.isArgStrided(index) ? ManifestParameter::Strides::InnerUnit
                                    : ManifestParameter::Strides::Dense;
}

std::string tilec::getPackerName(llvm::StringRef kernel,
                                 llvm::StringRef parameter) {
  return (kernel + "__pack_" + parameter).str();
}

std::string tilec::getUnpackerName(llvm::StringRef kernel,
                                   llvm::StringRef parameter) {
  return (kernel + "__unpack_" + parameter).str();
}

/// FNV-1a of the text of the order, and of the dimension along which tiles are
/// neighbours.  0 and 1 mean no order (tilert.h).
static std::string getTag(const layout::PackedOrder &order, int64_t along) {
  uint64_t tag = 0xcbf29ce484222325;
  for (char letter : order.str() + " along=" + std::to_string(along))
    tag = (tag ^ static_cast<unsigned char>(letter)) * 0x100000001b3;
  return "0x" + llvm::utohexstr(std::max<uint64_t>(tag, 2), /*LowerCase=*/true,
                                /*Width=*/16);
}

static ManifestPacking describePacking(KernelOp kernel, unsigned index) {
  mlir::DictionaryAttr attributes = kernel.getArgPacking(index);
  const layout::PackedOrder &order =
      attributes.getAs<mlir::tile::PackedOrderAttr>("order").getOrder();
  ManifestPacking packing;
  packing.tile.assign(order.shape().begin(), order.shape().end());
  for (const layout::PackedOrder::Digit &digit : order.digits())
    packing.order.push_back({digit.dim, digit.stride, digit.count});
  auto memory = mlir::cast<GlobalType>(kernel.getArgumentTypes()[index]);
  packing.row = memory.getShape().back();
  packing.along = attributes.getAs<mlir::IntegerAttr>("along").getInt();
  packing.tag = getTag(order, packing.along);
  llvm::StringRef name = kernel.getArgName(index);
  packing.packer = getPackerName(kernel.getSourceName(), name);
  packing.unpacker = getUnpackerName(kernel.getSourceName(), name);
  return packing;
}

static ManifestParameter describeParameter(KernelOp kernel, unsigned index) {
  ManifestParameter parameter;
  parameter.name = kernel.getArgName(index).str();
  parameter.dtype = kernel.getArgDtype(index).str();
  auto type = mlir::dyn_cast<GlobalType>(kernel.getArgumentTypes()[index]);
  if (!type)
    return parameter;
  parameter.isTensor = true;
  parameter.access = kernel.getArgAccess(index).str();
  for (mlir::Attribute dim : kernel.getArgSourceDims(index))
    parameter.dims.push_back(toJson(dim));
  int64_t pack = type.getPackDim();
  if (mlir::DictionaryAttr packing = kernel.getArgPacking(index)) {
    parameter.packing = describePacking(kernel, index);
    pack = packing.getAs<mlir::IntegerAttr>("pack").getInt();
  }
  if (pack >= 0)
    parameter.pack = pack;
  parameter.strides = getStrides(kernel, index);
  parameter.noalias = kernel.getArgAttr(index, "tile.noalias") != nullptr;
  return parameter;
}

static std::vector<ManifestFact> describeFacts(mlir::ArrayAttr facts) {
  std::vector<ManifestFact> result;
  for (mlir::Attribute fact : facts) {
    auto dictionary = mlir::dyn_cast<mlir::DictionaryAttr>(fact);
    if (!dictionary || !dictionary.get("expr"))
      continue;
    result.push_back({toJson(dictionary.get("expr")),
                      getString(dictionary, "text"),
                      getString(dictionary, "message")});
  }
  return result;
}

static std::vector<ManifestSymbol> describeSymbols(KernelOp kernel) {
  std::vector<ManifestSymbol> result;
  for (auto symbol : kernel.getSymbols().getAsRange<mlir::DictionaryAttr>()) {
    ManifestSymbol described;
    described.name = getString(symbol, "name");
    described.parameter = getInteger(symbol, "param").value_or(0);
    described.dim = getInteger(symbol, "dim").value_or(0);
    described.fixed = getInteger(symbol, "value");
    result.push_back(described);
  }
  return result;
}

/// The parameters of the compiled function, in the order that
/// convert-tile-to-nvvm gives them: a pointer for each tensor, the symbols that
/// are not fixed, the scalars, the run-time strides, the workspace, and the
/// tensor maps.
static std::vector<ManifestArgument>
listArguments(const ManifestKernel &kernel, const ManifestVariant &variant) {
  using Kind = ManifestArgument::Kind;
  std::vector<ManifestArgument> arguments;
  for (const ManifestParameter &parameter : kernel.parameters)
    if (parameter.isTensor)
      arguments.push_back({Kind::Tensor, parameter.name});
  for (const ManifestSymbol &symbol : kernel.symbols)
    if (!symbol.fixed)
      arguments.push_back({Kind::Symbol, symbol.name});
  for (const ManifestParameter &parameter : kernel.parameters)
    if (!parameter.isTensor)
      arguments.push_back({Kind::Scalar, parameter.name});
  for (const ManifestParameter &parameter : kernel.parameters) {
    using Strides = ManifestParameter::Strides;
    if (parameter.strides == Strides::Dense)
      continue;
    int64_t count = parameter.dims.size();
    if (parameter.strides == Strides::InnerUnit)
      --count;
    for (int64_t dim = 0; dim < count; ++dim)
      arguments.push_back({Kind::Stride, parameter.name, dim});
  }
  if (!variant.workspace.is_null())
    arguments.push_back({Kind::Workspace, ""});
  for (size_t map = 0; map < variant.tensorMaps.size(); ++map)
    arguments.push_back({Kind::TensorMap, "", static_cast<int64_t>(map)});
  return arguments;
}

static std::vector<ManifestAxis> describeAxes(KernelOp kernel) {
  std::vector<ManifestAxis> axes;
  for (auto [name, extent] : llvm::zip(kernel.getAxes(), kernel.getGrid()))
    axes.push_back(
        {mlir::cast<mlir::StringAttr>(name).getValue().str(), toJson(extent)});
  return axes;
}

static Json describeConfig(KernelOp kernel) {
  Json config = Json::object();
  if (std::optional<mlir::DictionaryAttr> constants = kernel.getConfig())
    for (mlir::NamedAttribute constant : *constants)
      config[constant.getName().str()] = toJson(constant.getValue());
  return config;
}

/// The checks that all kernels of a source make.
static std::vector<ManifestFact>
describeCommonChecks(llvm::ArrayRef<KernelOp> kernels) {
  KernelOp last = kernels.back();
  std::vector<ManifestFact> common = describeFacts(last.getChecks());
  for (KernelOp kernel : kernels.drop_back()) {
    std::vector<ManifestFact> own = describeFacts(kernel.getChecks());
    llvm::erase_if(common, [&](const ManifestFact &check) {
      return !llvm::is_contained(own, check);
    });
  }
  return common;
}

/// What holds for all the kernels of a source: of classes of sizes, what the
/// last says, which is the one without a bound.
static ManifestKernel describeKernel(llvm::ArrayRef<KernelOp> kernels) {
  KernelOp kernel = kernels.back();
  ManifestKernel described;
  described.name = kernel.getSourceName().str();
  for (unsigned i = 0; i < kernel.getArgumentTypes().size(); ++i)
    described.parameters.push_back(describeParameter(kernel, i));
  described.symbols = describeSymbols(kernel);
  described.checks = describeCommonChecks(kernels);
  described.axes = describeAxes(kernel);
  described.config = describeConfig(kernel);
  return described;
}

/// Large boxes: L2 fetches the most at once.
static constexpr int64_t defaultL2Promotion = 256;

static std::vector<ManifestTensorMap> describeTensorMaps(KernelOp kernel) {
  std::vector<ManifestTensorMap> maps;
  std::optional<mlir::ArrayAttr> list = kernel.getTensorMaps();
  if (!list)
    return maps;
  for (auto map : list->getAsRange<mlir::DictionaryAttr>()) {
    ManifestTensorMap described;
    described.tensor = kernel.getArgName(*getInteger(map, "param")).str();
    for (auto extent :
         map.getAs<mlir::ArrayAttr>("box").getAsRange<mlir::IntegerAttr>())
      described.box.push_back(extent.getInt());
    described.swizzle = *getInteger(map, "swizzle");
    described.l2Promotion =
        getInteger(map, "l2_promotion").value_or(defaultL2Promotion);
    maps.push_back(std::move(described));
  }
  return maps;
}

std::optional<ManifestSizeClass> tilec::describeSizeClass(KernelOp kernel) {
  std::optional<mlir::DictionaryAttr> bound = kernel.getSizeClass();
  if (!bound)
    return std::nullopt;
  return ManifestSizeClass{getString(*bound, "symbol"),
                           getInteger(*bound, "most").value_or(0)};
}

/// What the launch must give: the bound of the class of sizes, the checks that
/// only some classes make, and what the code was made for.
static std::vector<ManifestFact>
describeGuards(KernelOp kernel, const ManifestKernel &described,
               const std::optional<ManifestSizeClass> &sizeClass) {
  std::vector<ManifestFact> guards;
  if (sizeClass)
    guards.push_back(
        {{"<=", sizeClass->symbol, sizeClass->most},
         sizeClass->symbol + " <= " + std::to_string(sizeClass->most),
         ""});
  for (ManifestFact &check : describeFacts(kernel.getChecks()))
    if (!llvm::is_contained(described.checks, check))
      guards.push_back(std::move(check));
  if (std::optional<mlir::ArrayAttr> own = kernel.getGuards())
    llvm::append_range(guards, describeFacts(*own));
  return guards;
}

static ManifestVariant describeVariant(KernelOp kernel,
                                       const ManifestKernel &described) {
  ManifestVariant variant;
  variant.sizeClass = describeSizeClass(kernel);
  variant.name = kernel.getVariant().value_or("general").str();
  if (variant.sizeClass)
    variant.name += "_" + kernel.getClassName();
  variant.symbol = kernel.getSymName().str();
  variant.guards = describeGuards(kernel, described, variant.sizeClass);
  if (std::vector<ManifestAxis> axes = describeAxes(kernel);
      axes != described.axes)
    variant.axes = std::move(axes);
  if (Json config = describeConfig(kernel); config != described.config)
    variant.config = std::move(config);
  variant.threads = kernel.getThreads();
  variant.sharedBytes = kernel.getSharedBytes().value_or(0);
  variant.tensorMaps = describeTensorMaps(kernel);
  if (std::optional<mlir::Attribute> blocks = kernel.getBlocks())
    variant.blocks = toJson(*blocks);
  variant.overlaps = kernel->hasAttr(mlir::tile::overlapsAttrName);
  variant.cluster = kernel.getClusterSize();
  if (mlir::Attribute bytes = kernel->getAttr(mlir::tile::workspaceAttrName))
    variant.workspace = toJson(bytes);
  variant.arguments = listArguments(described, variant);
  return variant;
}

static std::vector<ManifestKernel> describe(mlir::ModuleOp module,
                                            bool helpers) {
  llvm::MapVector<llvm::StringRef, llvm::SmallVector<KernelOp>> sources;
  for (KernelOp kernel : module.getOps<KernelOp>())
    if (kernel->hasAttr(helperAttrName) == helpers)
      sources[kernel.getSourceName()].push_back(kernel);
  std::vector<ManifestKernel> kernels;
  for (const auto &[name, variants] : sources) {
    kernels.push_back(describeKernel(variants));
    for (KernelOp kernel : variants)
      kernels.back().variants.push_back(
          describeVariant(kernel, kernels.back()));
  }
  return kernels;
}

std::vector<ManifestKernel> tilec::describeKernels(mlir::ModuleOp module) {
  return describe(module, /*helpers=*/false);
}

std::vector<ManifestKernel> tilec::describeHelpers(mlir::ModuleOp module) {
  return describe(module, /*helpers=*/true);
}
