//===-- Symbols.cpp - Finds and checks the symbols of a launch ------------===//
//
// A symbol takes its value from the first argument that has it alone as a
// dimension. The storage of a packed tensor shows only half of its extent, so
// it is asked last, and then stands for the even extent.
//
//===----------------------------------------------------------------------===//

#include "Symbols.h"
#include "Binding.h"
#include "Dtype.h"
#include "Layout.h"
#include "Text.h"

namespace tilert::detail {
namespace {

/// Where a symbol's value comes from.
struct Source {
  enum Kind { Nothing, Fixed, Given, Argument } kind = Nothing;
  Symbol::Use use{-1, -1};
  bool isHalved = false;
};

bool isHalvedDim(const Parameter &parameter, const tilert_argument &argument,
                 int dim) {
  return dim == parameter.facts.pack &&
         isStorageForm(parameter, argument.value.tensor);
}

Source findSource(const KernelInfo &kernel, const Symbol &symbol,
                  const tilert_argument *arguments, bool isGiven = false) {
  if (symbol.isFixed)
    return {Source::Fixed, {}, false};
  if (isGiven)
    return {Source::Given, {}, false};
  Source halved;
  for (const Symbol::Use &use : symbol.uses) {
    const tilert_argument &argument = arguments[use.parameter];
    if (argument.kind != TILERT_TENSOR)
      continue;
    const Parameter &parameter = kernel.parameters[size_t(use.parameter)];
    if (!isHalvedDim(parameter, argument, use.dim))
      return {Source::Argument, use, false};
    if (halved.kind == Source::Nothing)
      halved = {Source::Argument, use, true};
  }
  return halved;
}

Status readSymbol(const KernelInfo &kernel, const Symbol &symbol,
                  const Source &source, const tilert_argument *arguments,
                  int64_t &value) {
  if (source.kind == Source::Fixed) {
    value = symbol.fixedValue;
  } else if (source.kind == Source::Argument) {
    const Symbol::Use &use = source.use;
    value = arguments[use.parameter].value.tensor.sizes[use.dim];
    if (source.isHalved && __builtin_mul_overflow(value, int64_t(2), &value))
      return {TILERT_INVALID_ARGUMENT,
              join("argument ",
                   quote(kernel.parameters[size_t(use.parameter)].name),
                   " dimension ", use.dim, " (", symbol.name,
                   ") exceeds int64 elements")};
  }
  return {};
}

/// "'A' dimension 1 gave K = 2048", or what else decided on the symbol.
std::string describeSource(const KernelInfo &kernel, const Symbol &symbol,
                           const Source &source, int64_t value) {
  switch (source.kind) {
  case Source::Fixed:
    return join("the kernel was built for ", symbol.name, " = ", value);
  case Source::Given:
    return join(symbol.name, " was given as ", value);
  default:
    return join(quote(kernel.parameters[size_t(source.use.parameter)].name),
                " dimension ", source.use.dim, " gave ", symbol.name, " = ",
                value);
  }
}

/// The message for a dimension that is not what it should be. `known` is NULL
/// if no symbol was given by the caller.
Status mismatch(const KernelInfo &kernel, const tilert_argument *arguments,
                const int64_t *slots, const unsigned char *known, size_t index,
                int dim, int64_t expected) {
  const Parameter &parameter = kernel.parameters[index];
  const Expr &expr = parameter.dims[size_t(dim)];
  bool isHalved = isHalvedDim(parameter, arguments[index], dim);
  std::string text =
      join("argument ", quote(parameter.name), " dimension ", dim);
  int64_t constant;
  bool isConstant = expr.isConstant(constant);
  if (!isConstant)
    text += join(" (", expr.text(), ')');
  text += join(" is ", arguments[index].value.tensor.sizes[dim],
               isHalved ? " bytes of two elements" : "", ", but ");

  int64_t slot = expr.singleSlot();
  if (isConstant) {
    text += join("the kernel declares ", expected);
  } else if (slot >= 0 && slot < int64_t(kernel.symbols.size())) {
    const Symbol &symbol = kernel.symbols[size_t(slot)];
    Source source = findSource(kernel, symbol, arguments, known && known[slot]);
    text += describeSource(kernel, symbol, source, expected);
  } else {
    text += join(expr.text(), " = ", expected);
    if (slot < 0)
      text += join(" with ", showSlots(kernel, expr.slotsRead(), slots));
  }
  if (isHalved && expected >= 0)
    text += join(", which takes ", expected / 2 + expected % 2);
  return {TILERT_INVALID_ARGUMENT, std::move(text)};
}

Status evaluateDim(const KernelInfo &kernel, const Parameter &parameter,
                   int dim, const int64_t *slots, int64_t &extent) {
  const Expr &expr = parameter.dims[size_t(dim)];
  EvalError error = expr.evaluate(slots, extent);
  if (error == EvalError::None)
    return {};
  return {TILERT_INVALID_ARGUMENT,
          join("dimension ", dim, " of ", quote(parameter.name), ": ",
               quote(expr.text()), ' ', describe(error), ": ",
               showSlots(kernel, expr.slotsRead(), slots))};
}

Status checkDim(const KernelInfo &kernel, const tilert_argument *arguments,
                const int64_t *slots, const unsigned char *known, size_t index,
                int dim, int64_t &extent) {
  const Parameter &parameter = kernel.parameters[index];
  TILERT_RETURN_IF_ERROR(evaluateDim(kernel, parameter, dim, slots, extent));
  int64_t size = arguments[index].value.tensor.sizes[dim];
  bool isHalved = isHalvedDim(parameter, arguments[index], dim);
  int64_t stored = isHalved ? extent / 2 + extent % 2 : extent;
  if (size == stored && extent >= 0)
    return {};
  return mismatch(kernel, arguments, slots, known, index, dim, extent);
}

} // namespace

Status bindSymbols(const KernelInfo &kernel, const tilert_argument *arguments,
                   int64_t *slots, tilert_bound_tensor *tensors) {
  for (size_t i = 0; i < kernel.symbols.size(); ++i) {
    const Symbol &symbol = kernel.symbols[i];
    TILERT_RETURN_IF_ERROR(readSymbol(kernel, symbol,
                                      findSource(kernel, symbol, arguments),
                                      arguments, slots[i]));
  }
  for (size_t p = 0; p < kernel.parameters.size(); ++p)
    for (int dim = 0; dim < kernel.parameters[p].facts.rank; ++dim)
      TILERT_RETURN_IF_ERROR(checkDim(kernel, arguments, slots, nullptr, p, dim,
                                      tensors[p].sizes[dim]));
  return {};
}

/// Fills the slots of the scalars that are there and marks them in `isFilled`.
static void fillScalars(const KernelInfo &kernel,
                        const tilert_argument *arguments,
                        std::vector<int64_t> &slots,
                        std::vector<unsigned char> &isFilled) {
  for (size_t i = kernel.symbols.size(); arguments && i < kernel.slots.size();
       ++i) {
    const Slot &slot = kernel.slots[i];
    if (slot.kind != Slot::Kind::Scalar ||
        arguments[slot.parameter].kind != TILERT_SCALAR)
      continue;
    if (auto value = toInteger(arguments[slot.parameter].value.scalar)) {
      slots[i] = *value;
      isFilled[i] = 1;
    }
  }
}

static bool areFilled(const std::vector<int32_t> &slots,
                      const std::vector<unsigned char> &isFilled) {
  for (int32_t slot : slots)
    if (!isFilled[size_t(slot)])
      return false;
  return true;
}

Status solvePresent(const KernelInfo &kernel, const tilert_argument *arguments,
                    int64_t *values, unsigned char *known) {
  std::vector<int64_t> slots(kernel.slots.size());
  std::vector<unsigned char> isFilled(kernel.slots.size());
  fillScalars(kernel, arguments, slots, isFilled);

  size_t symbols = kernel.symbols.size();
  std::vector<unsigned char> given(known, known + symbols);
  for (size_t i = 0; i < symbols; ++i) {
    const Symbol &symbol = kernel.symbols[i];
    if (given[i] &&
        (values[i] < 0 || (symbol.isFixed && values[i] != symbol.fixedValue)))
      return {TILERT_INVALID_ARGUMENT,
              join(symbol.name, " was given as ", values[i],
                   symbol.isFixed ? ", but the kernel was built for " : "",
                   symbol.isFixed ? join(symbol.name, " = ", symbol.fixedValue)
                                  : ", and an extent is not negative")};
    Source source = findSource(kernel, symbol, arguments, given[i]);
    TILERT_RETURN_IF_ERROR(
        readSymbol(kernel, symbol, source, arguments, values[i]));
    known[i] = isFilled[i] = source.kind != Source::Nothing;
    slots[i] = known[i] ? values[i] : 0;
  }
  for (size_t p = 0; p < kernel.parameters.size(); ++p) {
    const Parameter &parameter = kernel.parameters[p];
    if (arguments[p].kind != TILERT_TENSOR)
      continue;
    for (int dim = 0; dim < parameter.facts.rank; ++dim) {
      int64_t extent;
      if (areFilled(parameter.dims[size_t(dim)].slotsRead(), isFilled))
        TILERT_RETURN_IF_ERROR(checkDim(kernel, arguments, slots.data(),
                                        given.data(), p, dim, extent));
    }
  }
  return {};
}

Status evaluatePresentSizes(const KernelInfo &kernel, size_t index,
                            const int64_t *symbols,
                            const tilert_argument *arguments, int64_t *sizes) {
  std::vector<int64_t> slots(kernel.slots.size());
  std::vector<unsigned char> isFilled(kernel.slots.size());
  for (size_t i = 0; i < kernel.symbols.size(); ++i) {
    slots[i] = symbols[i];
    isFilled[i] = 1;
  }
  fillScalars(kernel, arguments, slots, isFilled);
  const Parameter &parameter = kernel.parameters[index];
  for (int dim = 0; dim < parameter.facts.rank; ++dim) {
    const Expr &expr = parameter.dims[size_t(dim)];
    std::string what = join("dimension ", dim, " of ", quote(parameter.name),
                            " (", expr.text(), ')');
    if (!areFilled(expr.slotsRead(), isFilled))
      return {TILERT_INVALID_ARGUMENT,
              join(what, " needs a scalar that is not given")};
    TILERT_RETURN_IF_ERROR(
        evaluateDim(kernel, parameter, dim, slots.data(), sizes[dim]));
    if (sizes[dim] < 0)
      return {TILERT_INVALID_ARGUMENT, join(what, " is ", sizes[dim])};
  }
  return {};
}

} // namespace tilert::detail
