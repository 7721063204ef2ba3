//===-- KernelNames.cpp - What names in a kernel's expressions are --------===//

#include "KernelNames.h"
#include "Dtype.h"
#include "Text.h"

#include <algorithm>

namespace tilert::detail {

void KernelNames::readConfig(JsonReader &reader, const Place &owner) {
  std::optional<Place> place = reader.optionalField(owner, "config");
  if (!place)
    return;
  if (!place->value->is_object()) {
    reader.fail(*place,
                join("expected an object, found ", describe(*place->value)));
    return;
  }
  config.clear();
  for (const auto &[name, value] : place->value->items()) {
    ConfigConstant constant;
    // A list is no constant; writing it out would follow it to any depth.
    constant.text = value.is_string()       ? value.get<std::string>()
                    : value.is_structured() ? std::string(describe(value))
                                            : value.dump();
    if (value.is_boolean())
      constant.value = value.get<bool>();
    else if (value.is_number_integer() &&
             !(value.is_number_unsigned() && value.get<uint64_t>() > INT64_MAX))
      constant.value = value.get<int64_t>();
    config.emplace(name, std::move(constant));
  }
}

void KernelNames::enterVariant(JsonReader &reader, const Place &variantPlace) {
  if (!kernelConfig)
    kernelConfig = config;
  config = *kernelConfig;
  readConfig(reader, variantPlace);
}

const ConfigConstant *KernelNames::findConstant(std::string_view name) const {
  auto found = config.find(name);
  return found == config.end() ? nullptr : &found->second;
}

Leaf KernelNames::addSlot(Slot slot) {
  auto isSame = [&](const Slot &other) {
    return other.kind == slot.kind && other.parameter == slot.parameter &&
           other.other == slot.other;
  };
  auto found = std::find_if(kernel.slots.begin(), kernel.slots.end(), isSame);
  int64_t number = found - kernel.slots.begin();
  if (found == kernel.slots.end())
    kernel.slots.push_back(std::move(slot));
  return {/*isSlot=*/true, number};
}

Leaf KernelNames::resolveName(JsonReader &reader, const Place &place) {
  std::string name = reader.readName(place);
  if (int symbol = findByName(kernel.symbols, name); symbol >= 0)
    return {/*isSlot=*/true, symbol};
  if (int index = findByName(kernel.parameters, name); index >= 0) {
    const Parameter &parameter = kernel.parameters[size_t(index)];
    if (!parameter.isTensor() && isInteger(parameter.facts.dtype))
      return addSlot({Slot::Kind::Scalar, index, -1, name});
    reader.fail(place,
                join(quote(name), " is a ",
                     parameter.isTensor() ? "tensor of " : "scalar of ",
                     nameOf(parameter.facts.dtype), ", expected an integer"));
    return {};
  }
  if (name == "sm_count" && factsAreKnown) {
    kernel.usesSmCount = true;
    return addSlot({Slot::Kind::SmCount, -1, -1, "the number of SMs"});
  }
  if (const ConfigConstant *constant = findConstant(name)) {
    if (constant->value)
      return {/*isSlot=*/false, *constant->value};
    reader.fail(place, join("config constant ", quote(name), " is ",
                            constant->text, ", expected an integer"));
    return {};
  }
  reader.fail(place, join(quote(name),
                          " is no symbol, scalar or config constant "
                          "of kernel ",
                          quote(kernel.name)));
  return {};
}

int KernelNames::readTensorName(JsonReader &reader, const Place &place) {
  std::string name = reader.readName(place);
  int index = findByName(kernel.parameters, name);
  if (index >= 0 && kernel.parameters[size_t(index)].isTensor())
    return index;
  reader.fail(place, join(quote(name), " is no tensor parameter of kernel ",
                          quote(kernel.name)));
  return -1;
}

Leaf KernelNames::resolveFact(JsonReader &reader, const Place &place) {
  std::string head = reader.readString(reader.element(place, 0));
  size_t operands = place.value->size() - 1;
  size_t expected = head == "address" ? 1 : 2;
  if (!factsAreKnown) {
    reader.fail(place,
                join(quote(head), " is a fact of a launch, and a dimension "
                                  "is made of symbols and scalars"));
    return {};
  }
  if (operands != expected) {
    reader.fail(place,
                join(quote(head), " takes ", expected, ", found ", operands));
    return {};
  }
  int tensor = readTensorName(reader, reader.element(place, 1));
  if (reader.hasFailed())
    return {};
  const Parameter &parameter = kernel.parameters[size_t(tensor)];
  if (head == "address")
    return addSlot(
        {Slot::Kind::Address, tensor, -1, join("address of ", parameter.name)});
  if (head == "stride_bytes") {
    auto dim = static_cast<int>(reader.readInteger(reader.element(place, 2), 0,
                                                   parameter.facts.rank - 1));
    return addSlot(
        {Slot::Kind::ByteStride, tensor, dim,
         join("byte stride of ", parameter.name, " along dimension ", dim)});
  }
  int other = readTensorName(reader, reader.element(place, 2));
  if (reader.hasFailed())
    return {};
  return addSlot({Slot::Kind::Overlap, tensor, other,
                  join("overlap of ", parameter.name, " and ",
                       kernel.parameters[size_t(other)].name)});
}

} // namespace tilert::detail
