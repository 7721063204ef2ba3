//===- RuntimeValue.h - What an SSA value holds while a block runs --------===//
//
// Scalars, fragments and the scalars of an element loop have one form: elements
// of which there are many, or one that stands for all.  A fragment has one for
// each of its elements in row-major order; a scalar inside `tile.parallel` has
// one for each iteration (a lane); any other scalar has one.  The arithmetic on
// them is thus the same, and an element loop runs an operation at a time over
// all lanes, not a lane at a time.
//
//===----------------------------------------------------------------------===//
#ifndef TILEC_INTERPRETER_RUNTIMEVALUE_H
#define TILEC_INTERPRETER_RUNTIMEVALUE_H

#include "compiler/Interpreter/Memory.h"
#include <algorithm>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

namespace tilec {

/// Elements of one type, never changed once made.  An integer is sign-extended
/// from its width, an i1 is 0 or 1.
template <typename T> class Elements {
public:
  Elements(T value = T()) : one(value) {}
  explicit Elements(std::vector<T> values)
      : many(std::make_shared<const std::vector<T>>(std::move(values))) {}

  bool isUniform() const { return !many; }
  int64_t size() const { return many ? int64_t(many->size()) : 1; }
  const T *data() const { return many ? many->data() : &one; }
  /// Distance between elements: 0 where one stands for all.
  int64_t stride() const { return many ? 1 : 0; }
  T operator[](int64_t i) const { return data()[i * stride()]; }

  /// The elements as `count` of them.
  std::vector<T> expand(int64_t count) const {
    return many ? *many : std::vector<T>(count, one);
  }

private:
  T one = T();
  std::shared_ptr<const std::vector<T>> many;
};

using Integers = Elements<int64_t>;
using Floats = Elements<double>;

/// Applies `function` element by element.
template <typename Result, typename Function, typename... Operands>
Elements<Result> mapElements(Function function,
                             const Elements<Operands> &...operands) {
  if ((operands.isUniform() && ...))
    return Elements<Result>(function(operands[0]...));
  int64_t count = std::max({operands.size()...});
  std::vector<Result> results(count);
  Result *out = results.data();
  if ((!operands.isUniform() && ...)) {
    [&](const auto *...in) {
      for (int64_t i = 0; i < count; ++i)
        out[i] = function(in[i]...);
    }(operands.data()...);
  } else {
    // Each operand as its first element and the distance to the next.
    [&](auto... in) {
      for (int64_t i = 0; i < count; ++i)
        out[i] = function(in.first[i * in.second]...);
    }(std::pair(operands.data(), operands.stride())...);
  }
  return Elements<Result>(std::move(results));
}

/// A barrier with phases.
struct PhaseBarrier {
  int64_t count;
  int64_t arrivals = 0;
  /// Expected and not yet in; below 0 if bytes came before they were expected.
  int64_t pendingBytes = 0;
  int64_t phase = 0;

  /// Begins the next phase if this one has all it waits for.
  void settle() {
    if (arrivals < count || pendingBytes != 0)
      return;
    arrivals = 0;
    ++phase;
  }
};
using Barriers = std::shared_ptr<std::vector<PhaseBarrier>>;

class RuntimeValue {
public:
  RuntimeValue() = default;
  RuntimeValue(Integers integers) : content(std::move(integers)) {}
  /// `isWide`: the elements may have more precision than their type; whoever
  /// does not just pass them on rounds them first.
  RuntimeValue(Floats floats, bool isWide = false)
      : content(std::move(floats)), wide(isWide) {}
  RuntimeValue(MemoryView memory) : content(std::move(memory)) {}
  RuntimeValue(Barriers barriers) : content(std::move(barriers)) {}

  bool isInteger() const { return std::holds_alternative<Integers>(content); }
  bool isFloat() const { return std::holds_alternative<Floats>(content); }
  bool isMemory() const { return std::holds_alternative<MemoryView>(content); }
  bool isWide() const { return wide; }

  const Integers &getIntegers() const { return std::get<Integers>(content); }
  const Floats &getFloats() const { return std::get<Floats>(content); }
  const MemoryView &getMemory() const { return std::get<MemoryView>(content); }
  const Barriers &getBarriers() const { return std::get<Barriers>(content); }

  /// The elements of type T, int64_t or double.
  template <typename T> const Elements<T> &getElements() const {
    return std::get<Elements<T>>(content);
  }

private:
  std::variant<std::monostate, Integers, Floats, MemoryView, Barriers> content;
  bool wide = false;
};

} // namespace tilec

#endif // TILEC_INTERPRETER_RUNTIMEVALUE_H
