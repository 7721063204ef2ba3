//===- Type.cpp - Types of values as text ---------------------------------===//
#include "compiler/Frontend/Sema/Type.h"

#include "llvm/ADT/StringExtras.h"

using namespace tilec;

std::string tilec::formatShape(llvm::ArrayRef<int64_t> extents) {
  return llvm::join(llvm::map_range(extents,
                                    [](int64_t extent) {
                                      return extent == dynamicExtent
                                                 ? std::string("?")
                                                 : std::to_string(extent);
                                    }),
                    "x");
}

std::string tilec::formatWithSeparators(int64_t value) {
  std::string digits = std::to_string(value);
  size_t first = digits.front() == '-' ? 1 : 0;
  for (size_t at = digits.size(); at > first + 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

std::string Type::describe() const {
  switch (kind) {
  case Kind::Invalid:
    return "an error";
  case Kind::Void:
    return "nothing";
  case Kind::UntypedInt:
    return "an integer constant";
  case Kind::UntypedFloat:
    return "a float constant";
  case Kind::TypeName:
    return "a type";
  case Kind::String:
    return "a string";
  case Kind::Barrier:
    return extents.empty() ? "a barrier" : "a row of barriers";
  case Kind::Scalar:
    return getName(element).str();
  case Kind::Fragment:
  case Kind::Shared:
  case Kind::Tensor:
    break;
  }
  // Extents known at launch have no spelling of their own.
  if (llvm::is_contained(extents, dynamicExtent))
    return "a tensor";
  std::string text = getName(element).str() + "[";
  for (auto [index, extent] : llvm::enumerate(extents))
    text += (index ? ", " : "") + std::to_string(extent);
  return text + "]";
}
