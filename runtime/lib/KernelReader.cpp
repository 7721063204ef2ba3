//===-- KernelReader.cpp - Reads one kernel of a manifest -----------------===//
//
// Symbols are read first, so that dimensions can name them; then parameters, so
// that facts can; then what is made of expressions.
//
//===----------------------------------------------------------------------===//

#include "KernelReader.h"
#include "Dtype.h"
#include "KernelNames.h"
#include "Text.h"

#include <algorithm>
#include <cctype>

using nlohmann::json;

namespace tilert::detail {
namespace {

constexpr int maxAxes = 5;
constexpr int64_t maxThreads = 1024;
constexpr int64_t maxCluster = 16;

// Limits of cuTensorMapEncodeTiled.
constexpr int64_t maxBoxExtent = 256;
constexpr int boxRowUnit = 16;

class KernelReader {
public:
  KernelReader(JsonReader &reader, KernelInfo &kernel)
      : reader(reader), kernel(kernel), names(kernel) {}

  void read(const Place &place) {
    kernel.name = reader.readName(reader.field(place, "name"));
    readRequirements(reader, place);
    names.readConfig(reader, place);
    readSymbols(place);
    readParameters(place);
    if (!reader.hasFailed())
      bindSymbols(place);
    names.allowFacts();
    readChecks(place, "checks", kernel.checks);
    readAxes(reader.field(place, "axes"), kernel.axes);
    readVariants(place);
  }

private:
  void readSymbols(const Place &kernelPlace);
  void readParameters(const Place &kernelPlace);
  void readTensor(const Place &place, Parameter &parameter);
  void readPack(const Place &place, Parameter &parameter);
  void readStrided(const Place &place, Parameter &parameter);
  void bindSymbols(const Place &kernelPlace);
  void readChecks(const Place &object, const char *key,
                  std::vector<Check> &checks);
  void readAxes(const Place &list, std::vector<Axis> &axes);
  void readVariants(const Place &kernelPlace);
  void readVariant(const Place &place, Variant &variant);
  void readTensorMaps(const Place &variantPlace, Variant &variant);
  TensorMapSpec readTensorMap(const Place &place);
  int32_t readChoice(const Place &place, std::initializer_list<int> choices);
  KernelArgument readArgument(const Place &place, const Variant &variant);

  tilert_dtype readDtype(const Place &place);
  void addShownNames(Check &check);

  JsonReader &reader;
  KernelInfo &kernel;
  KernelNames names;
};

void KernelReader::readSymbols(const Place &kernelPlace) {
  Place list = reader.field(kernelPlace, "symbols");
  for (size_t i = 0; i < reader.count(list) && !reader.hasFailed(); ++i) {
    Place place = reader.element(list, i);
    Symbol symbol;
    symbol.name = reader.readName(reader.field(place, "name"));
    if (std::optional<Place> fixed = reader.optionalField(place, "fixed")) {
      symbol.isFixed = true;
      symbol.fixedValue = reader.readInteger(*fixed, 0);
    }
    if (findByName(kernel.symbols, symbol.name) >= 0)
      reader.fail(place,
                  join("a second symbol is called ", quote(symbol.name)));
    names.addSlot({Slot::Kind::Symbol, -1, static_cast<int>(i), symbol.name});
    kernel.symbols.push_back(std::move(symbol));
  }
}

tilert_dtype KernelReader::readDtype(const Place &place) {
  std::string name = reader.readName(place);
  std::optional<tilert_dtype> dtype = findDtype(name);
  if (!dtype)
    reader.fail(place, join(quote(name), " is no dtype"));
  return dtype.value_or(TILERT_F32);
}

void KernelReader::readParameters(const Place &kernelPlace) {
  Place list = reader.field(kernelPlace, "parameters");
  size_t count = reader.count(list);
  // Names of scalars may stand in dimensions of earlier tensors, so all names
  // and types are read before the first dimension.
  for (size_t i = 0; i < count && !reader.hasFailed(); ++i) {
    Place place = reader.element(list, i);
    Parameter parameter;
    parameter.name = reader.readName(reader.field(place, "name"));
    if (findByName(kernel.parameters, parameter.name) >= 0 ||
        findByName(kernel.symbols, parameter.name) >= 0)
      reader.fail(place,
                  join(quote(parameter.name), " is the name of an earlier "
                                              "symbol or parameter"));
    Place kind = reader.field(place, "kind");
    std::string kindName = reader.readString(kind);
    if (kindName != "tensor" && kindName != "scalar")
      reader.fail(
          kind, join("expected 'tensor' or 'scalar', found ", quote(kindName)));
    parameter.facts.kind = kindName == "tensor" ? TILERT_TENSOR : TILERT_SCALAR;
    parameter.facts.dtype = readDtype(reader.field(place, "dtype"));
    parameter.facts.pack = -1;
    kernel.parameters.push_back(std::move(parameter));
  }
  for (size_t i = 0; i < count && !reader.hasFailed(); ++i) {
    Parameter &parameter = kernel.parameters[i];
    parameter.facts.name = parameter.name.c_str();
    if (parameter.isTensor())
      readTensor(reader.element(list, i), parameter);
  }
}

void KernelReader::readTensor(const Place &place, Parameter &parameter) {
  Place access = reader.field(place, "access");
  std::string accessName = reader.readString(access);
  if (accessName != "in" && accessName != "out" && accessName != "inout")
    reader.fail(access, join("expected 'in', 'out' or 'inout', found ",
                             quote(accessName)));
  parameter.facts.access = accessName == "in"    ? TILERT_IN
                           : accessName == "out" ? TILERT_OUT
                                                 : TILERT_INOUT;
  Place dims = reader.field(place, "dims");
  size_t rank = reader.count(dims);
  if (rank < 1 || rank > TILERT_MAX_RANK)
    reader.fail(dims,
                join("rank ", rank, " is not from 1 to ", TILERT_MAX_RANK));
  for (size_t i = 0; i < rank && !reader.hasFailed(); ++i)
    parameter.dims.push_back(
        Expr::compile(reader, reader.element(dims, i), names));
  parameter.facts.rank = static_cast<int32_t>(rank);
  readPack(place, parameter);
  readStrided(place, parameter);
  if (std::optional<Place> noalias = reader.optionalField(place, "noalias"))
    parameter.facts.noalias = reader.readBool(*noalias);
  parameter.facts.order = TILERT_ORDER_PLAIN;
  if (std::optional<Place> packing = reader.optionalField(place, "prepack")) {
    parameter.packing = readPacking(reader, *packing, parameter.facts);
    parameter.facts.order = parameter.packing->tag;
  }
}

void KernelReader::readPack(const Place &place, Parameter &parameter) {
  bool isPacked = isFourBit(parameter.facts.dtype);
  std::optional<Place> pack = reader.optionalField(place, "pack");
  if (pack && !isPacked)
    reader.fail(*pack,
                join("'pack' is for 4-bit types, and ", quote(parameter.name),
                     " is ", nameOf(parameter.facts.dtype)));
  // The language's default is the last dimension.
  if (isPacked)
    parameter.facts.pack = static_cast<int32_t>(
        pack ? reader.readInteger(*pack, 0, parameter.facts.rank - 1)
             : parameter.facts.rank - 1);
}

void KernelReader::readStrided(const Place &place, Parameter &parameter) {
  std::optional<Place> strided = reader.optionalField(place, "strided");
  if (!strided)
    return;
  if (*strided->value == json("all")) {
    parameter.facts.strided = TILERT_STRIDED_ALL;
    if (isFourBit(parameter.facts.dtype))
      reader.fail(*strided, "'all' is not for 4-bit types");
    return;
  }
  if (!strided->value->is_boolean())
    reader.fail(*strided, join("expected true, false or 'all', found ",
                               describe(*strided->value)));
  else if (reader.readBool(*strided))
    parameter.facts.strided = TILERT_STRIDED;
}

void KernelReader::bindSymbols(const Place &kernelPlace) {
  for (size_t p = 0; p < kernel.parameters.size(); ++p) {
    const std::vector<Expr> &dims = kernel.parameters[p].dims;
    for (size_t d = 0; d < dims.size(); ++d) {
      // Of the slots known here only those of symbols are below their count.
      int64_t slot = dims[d].singleSlot();
      if (slot >= 0 && slot < int64_t(kernel.symbols.size()))
        kernel.symbols[size_t(slot)].uses.push_back(
            {static_cast<int>(p), static_cast<int>(d)});
    }
  }
  Place list = reader.field(kernelPlace, "symbols");
  for (size_t i = 0; i < kernel.symbols.size(); ++i) {
    Symbol &symbol = kernel.symbols[i];
    Place place = reader.element(list, i);
    std::optional<Place> binding = reader.optionalField(place, "bound_by");
    if (!binding) {
      if (!symbol.isFixed && symbol.uses.empty())
        reader.fail(place,
                    join("nothing gives ", quote(symbol.name), " a value"));
      continue;
    }
    auto parameter = reader.readInteger(reader.field(*binding, "parameter"), 0,
                                        int64_t(kernel.parameters.size()) - 1);
    auto dim = reader.readInteger(reader.field(*binding, "dim"), 0,
                                  TILERT_MAX_RANK - 1);
    auto isBinding = [&](const Symbol::Use &use) {
      return use.parameter == parameter && use.dim == dim;
    };
    auto found =
        std::find_if(symbol.uses.begin(), symbol.uses.end(), isBinding);
    if (found != symbol.uses.end())
      std::rotate(symbol.uses.begin(), found, found + 1);
    else if (!symbol.isFixed)
      reader.fail(*binding, join("dimension ", dim, " of parameter ", parameter,
                                 " is not ", quote(symbol.name)));
  }
}

/// Lists the identifiers of the check's text that have a value, then what else
/// its expression reads.
void KernelReader::addShownNames(Check &check) {
  auto add = [&](ShownValue value) {
    for (const ShownValue &shown : check.shown)
      if (shown.name == value.name)
        return;
    check.shown.push_back(std::move(value));
  };
  std::string_view text = check.text;
  auto isLetter = [](char c) {
    return std::isalnum((unsigned char)c) || c == '_';
  };
  for (size_t begin = 0; begin < text.size();) {
    size_t end = begin;
    while (end < text.size() && isLetter(text[end]))
      ++end;
    std::string name(text.substr(begin, end - begin));
    begin = end + (end == begin);
    // The expression says which symbols and scalars the text means: prose may
    // use a word that is the name of another.
    for (int32_t slot : check.expr.slotsRead())
      if (kernel.slots[size_t(slot)].text == name)
        add({slot, name, ""});
    if (const ConfigConstant *constant = names.findConstant(name))
      add({-1, name, constant->text});
  }
  for (int32_t slot : check.expr.slotsRead())
    add({slot, kernel.slots[size_t(slot)].text, ""});
}

void KernelReader::readChecks(const Place &object, const char *key,
                              std::vector<Check> &checks) {
  Place list = reader.field(object, key);
  for (size_t i = 0; i < reader.count(list) && !reader.hasFailed(); ++i) {
    Place place = reader.element(list, i);
    Check check;
    check.text = reader.readName(reader.field(place, "text"));
    check.expr = Expr::compile(reader, reader.field(place, "expr"), names);
    if (std::optional<Place> message = reader.optionalField(place, "message"))
      check.message = reader.readString(*message);
    for (int32_t slot : check.expr.slotsRead())
      check.usesAddresses |=
          kernel.slots[size_t(slot)].kind >= Slot::Kind::Address;
    addShownNames(check);
    checks.push_back(std::move(check));
  }
}

void KernelReader::readAxes(const Place &list, std::vector<Axis> &axes) {
  if (reader.count(list) > maxAxes)
    reader.fail(list,
                join(reader.count(list), " axes, the limit is ", maxAxes));
  for (size_t i = 0; i < reader.count(list) && !reader.hasFailed(); ++i) {
    Place place = reader.element(list, i);
    Axis axis;
    axis.name = reader.readName(reader.field(place, "name"));
    axis.extent = Expr::compile(reader, reader.field(place, "extent"), names);
    axes.push_back(std::move(axis));
  }
}

void KernelReader::readVariants(const Place &kernelPlace) {
  Place list = reader.field(kernelPlace, "variants");
  size_t count = reader.count(list);
  if (count == 0)
    reader.fail(list, "a kernel needs a variant");
  kernel.variants.resize(count);
  for (size_t i = 0; i < count && !reader.hasFailed(); ++i) {
    readVariant(reader.element(list, i), kernel.variants[i]);
    if (findByName(kernel.variants, kernel.variants[i].name) != int(i))
      reader.fail(list, join("two variants are called ",
                             quote(kernel.variants[i].name)));
  }
}

void KernelReader::readVariant(const Place &place, Variant &variant) {
  readRequirements(reader, place);
  names.enterVariant(reader, place);
  variant.name = reader.readName(reader.field(place, "name"));
  variant.symbol = reader.readName(reader.field(place, "symbol"));
  readChecks(place, "guards", variant.guards);
  tilert_variant &facts = variant.facts;
  facts.name = variant.name.c_str();
  facts.symbol = variant.symbol.c_str();
  facts.threads = static_cast<int32_t>(
      reader.readInteger(reader.field(place, "threads"), 1, maxThreads));
  facts.shared_bytes =
      reader.readInteger(reader.field(place, "shared_bytes"), 0, INT32_MAX);
  if (std::optional<Place> registers = reader.optionalField(place, "registers"))
    facts.registers =
        static_cast<int32_t>(reader.readInteger(*registers, 0, INT16_MAX));
  if (std::optional<Place> spills = reader.optionalField(place, "spill_bytes"))
    facts.spill_bytes = reader.readInteger(*spills, 0);
  if (std::optional<Place> axes = reader.optionalField(place, "axes"))
    readAxes(*axes, variant.axes.emplace());
  if (std::optional<Place> blocks = reader.optionalField(place, "blocks"))
    variant.blocks = Expr::compile(reader, *blocks, names);
  if (std::optional<Place> overlaps = reader.optionalField(place, "overlaps"))
    variant.overlaps = reader.readBool(*overlaps);
  if (std::optional<Place> cluster = reader.optionalField(place, "cluster"))
    variant.cluster =
        static_cast<int32_t>(reader.readInteger(*cluster, 1, maxCluster));
  if (std::optional<Place> bytes = reader.optionalField(place, "workspace"))
    variant.workspace = Expr::compile(reader, *bytes, names);
  readTensorMaps(place, variant);
  Place list = reader.field(place, "arguments");
  for (size_t i = 0; i < reader.count(list) && !reader.hasFailed(); ++i)
    variant.arguments.push_back(readArgument(reader.element(list, i), variant));
}

void KernelReader::readTensorMaps(const Place &variantPlace, Variant &variant) {
  std::optional<Place> list = reader.optionalField(variantPlace, "tensor_maps");
  if (!list)
    return;
  for (size_t i = 0; i < reader.count(*list) && !reader.hasFailed(); ++i)
    variant.tensorMaps.push_back(readTensorMap(reader.element(*list, i)));
}

int32_t KernelReader::readChoice(const Place &place,
                                 std::initializer_list<int> choices) {
  auto value = static_cast<int32_t>(reader.readInteger(place, 0, INT32_MAX));
  std::string text;
  for (int choice : choices) {
    if (value == choice)
      return value;
    text += join(text.empty() ? "" : ", ", choice);
  }
  reader.fail(place, join(value, " is none of ", text));
  return 0;
}

TensorMapSpec KernelReader::readTensorMap(const Place &place) {
  TensorMapSpec map;
  Place tensor = reader.field(place, "tensor");
  std::string name = reader.readName(tensor);
  map.parameter = findByName(kernel.parameters, name);
  if (map.parameter < 0 || !kernel.parameters[size_t(map.parameter)].isTensor())
    reader.fail(tensor, join(quote(name), " is no tensor parameter"));
  map.swizzle = readChoice(reader.field(place, "swizzle"), {0, 32, 64, 128});
  map.l2Promotion =
      readChoice(reader.field(place, "l2_promotion"), {0, 64, 128, 256});
  Place box = reader.field(place, "box");
  size_t count = reader.count(box);
  if (reader.hasFailed())
    return map;
  const Parameter &parameter = kernel.parameters[size_t(map.parameter)];
  const tilert_parameter &facts = parameter.facts;
  // Packed memory has one dimension more than its tensor.
  size_t rank = size_t(facts.rank) + parameter.packing.has_value();
  if (count != rank || rank > TILERT_MAX_RANK) {
    reader.fail(box, join(count, " extents, ", quote(name), " has rank ", rank,
                          parameter.packing ? " in memory" : ""));
    return map;
  }
  for (size_t i = 0; i < rank; ++i)
    map.box[i] = static_cast<int32_t>(
        reader.readInteger(reader.element(box, i), 1, maxBoxExtent));
  int rowBytes = map.box[rank - 1] * bytesOfScalar(facts.dtype);
  if (rowBytes % boxRowUnit != 0 || (map.swizzle && rowBytes > map.swizzle))
    reader.fail(box, join("a row of ", rowBytes, " bytes is no multiple of ",
                          boxRowUnit, " or exceeds the swizzle"));
  return map;
}

KernelArgument KernelReader::readArgument(const Place &place,
                                          const Variant &variant) {
  Place kindPlace = reader.field(place, "kind");
  std::string kind = reader.readString(kindPlace);
  if (kind == "tensor_map") {
    auto index = static_cast<int>(
        reader.readInteger(reader.field(place, "index"), 0,
                           int64_t(variant.tensorMaps.size()) - 1));
    return {TILERT_VALUE_TENSOR_MAP, index, 0};
  }
  if (kind == "workspace") {
    if (!variant.workspace)
      reader.fail(kindPlace, "the variant has no workspace");
    return {TILERT_VALUE_WORKSPACE, 0, 0};
  }
  Place namePlace = reader.field(place, "name");
  std::string name = reader.readName(namePlace);
  if (kind == "symbol") {
    int symbol = findByName(kernel.symbols, name);
    if (symbol < 0)
      reader.fail(namePlace, join(quote(name), " is no symbol"));
    return {TILERT_VALUE_SYMBOL, symbol, 0};
  }
  int index = findByName(kernel.parameters, name);
  bool isTensor = index >= 0 && kernel.parameters[size_t(index)].isTensor();
  if (kind == "scalar") {
    if (index < 0 || isTensor)
      reader.fail(namePlace, join(quote(name), " is no scalar parameter"));
    return {TILERT_VALUE_SCALAR, index, 0};
  }
  if (kind != "tensor" && kind != "stride") {
    reader.fail(kindPlace, join("no argument is of kind ", quote(kind)));
    return {};
  }
  if (!isTensor) {
    reader.fail(namePlace, join(quote(name), " is no tensor parameter"));
    return {};
  }
  if (kind == "tensor")
    return {TILERT_VALUE_TENSOR, index, 0};
  const tilert_parameter &facts = kernel.parameters[size_t(index)].facts;
  auto dim = static_cast<int>(
      reader.readInteger(reader.field(place, "dim"), 0, facts.rank - 1));
  return {TILERT_VALUE_STRIDE, index, dim};
}

} // namespace

void readKernel(JsonReader &reader, const Place &place, KernelInfo &kernel) {
  KernelReader(reader, kernel).read(place);
}

static bool isOneOf(std::string_view word,
                    std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

void readRequirements(JsonReader &reader, const Place &object) {
  std::optional<Place> list = reader.optionalField(object, "requires");
  if (!list)
    return;
  for (size_t i = 0; i < reader.count(*list); ++i) {
    Place place = reader.element(*list, i);
    std::string word = reader.readString(place);
    if (!isOneOf(word, {"tensor_maps", "blocks", "cluster", "prepack", "along",
                        "workspace", "axes", "config"}))
      reader.fail(place, join("this runtime does not know ", quote(word)));
  }
}

} // namespace tilert::detail
