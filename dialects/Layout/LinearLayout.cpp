//===- LinearLayout.cpp - Maps that are linear over bits ------------------===//
//
// Questions of linear algebra are answered by BitBasis: a coordinate becomes
// one word, the bits of output dimension after output dimension, and the index
// bits of input dimension after input dimension are its columns.
//
//===----------------------------------------------------------------------===//

#include "dialects/Layout/LinearLayout.h"

#include "dialects/Layout/BitBasis.h"
#include "dialects/Layout/LayoutText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cassert>

using namespace layout;
using llvm::ArrayRef;
using llvm::StringRef;
using llvm::Twine;

using InDim = LinearLayout::InDim;
using OutDim = LinearLayout::OutDim;

std::string layout::tileDimName(int dim) { return "dim" + std::to_string(dim); }

/// The span of all index bits, in the order of the input dimensions.
static BitBasis spanOf(ArrayRef<InDim> ins, ArrayRef<OutDim> outs) {
  Coords sizes;
  for (const OutDim &out : outs)
    sizes.push_back(out.size);
  BitBasis span;
  for (const InDim &in : ins)
    for (const Coords &basis : in.bases)
      span.insert(packCoords(basis, sizes));
  return span;
}

//===----------------------------------------------------------------------===//
// Construction
//===----------------------------------------------------------------------===//

std::optional<LinearLayout> LinearLayout::create(std::vector<InDim> ins,
                                                 std::vector<OutDim> outs,
                                                 std::string *error) {
  int outBits = 0, inBits = 0;
  for (auto [i, out] : llvm::enumerate(outs)) {
    if (out.size < 1 || !llvm::isPowerOf2_32(out.size))
      return fail(error, "output '" + out.name + "' has size " +
                             Twine(out.size) + ", which is not a power of two");
    for (const OutDim &other : ArrayRef(outs).take_front(i))
      if (other.name == out.name)
        return fail(error, "output '" + out.name + "' appears twice");
    outBits += llvm::Log2_32(out.size);
  }
  for (auto [i, in] : llvm::enumerate(ins)) {
    for (const InDim &other : ArrayRef(ins).take_front(i))
      if (other.name == in.name)
        return fail(error, "input '" + in.name + "' appears twice");
    if (in.bases.size() > 30)
      return fail(error, "input '" + in.name + "' has more than 30 bits");
    inBits += in.bases.size();
    for (const Coords &basis : in.bases) {
      if (basis.size() != outs.size())
        return fail(error, "a basis of '" + in.name + "' has " +
                               Twine(basis.size()) +
                               " coordinates instead of " + Twine(outs.size()));
      for (auto [coord, out] : llvm::zip_equal(basis, outs))
        if (coord < 0 || coord >= out.size)
          return fail(error, "a basis of '" + in.name + "' has coordinate " +
                                 Twine(coord) + " in '" + out.name +
                                 "', whose size is " + Twine(out.size));
    }
  }
  if (inBits > 64 || outBits > 64)
    return fail(error, "a layout has more than 64 bits");
  return LinearLayout(std::move(ins), std::move(outs));
}

LinearLayout LinearLayout::identity1D(int32_t size, StringRef in,
                                      StringRef out) {
  assert(llvm::isPowerOf2_32(size));
  InDim inDim{in.str(), {}};
  for (int32_t step = 1; step < size; step *= 2)
    inDim.bases.push_back({step});
  return LinearLayout({std::move(inDim)}, {OutDim{out.str(), size}});
}

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

template <typename Dim> static int findDim(ArrayRef<Dim> dims, StringRef name) {
  const Dim *place =
      llvm::find_if(dims, [&](const Dim &dim) { return dim.name == name; });
  return place == dims.end() ? -1 : static_cast<int>(place - dims.begin());
}

int LinearLayout::findIn(StringRef name) const {
  return findDim(inDims(), name);
}

int LinearLayout::findOut(StringRef name) const {
  return findDim(outDims(), name);
}

int LinearLayout::inBits(StringRef name) const {
  int in = findIn(name);
  return in < 0 ? 0 : static_cast<int>(ins[in].bases.size());
}

int LinearLayout::outBits(StringRef name) const {
  int out = findOut(name);
  return out < 0 ? 0 : llvm::Log2_32(outs[out].size);
}

int LinearLayout::totalOutBits() const {
  int bits = 0;
  for (const OutDim &out : outs)
    bits += llvm::Log2_32(out.size);
  return bits;
}

const Coords &LinearLayout::basis(StringRef name, int bit) const {
  int in = findIn(name);
  assert(in >= 0 && "no such input dimension");
  return ins[in].bases[bit];
}

Coords LinearLayout::apply(ArrayRef<int32_t> index) const {
  Coords coords(outs.size(), 0);
  for (auto [value, in] : llvm::zip_equal(index, ins)) {
    assert(value >= 0 && (value >> in.bases.size()) == 0 &&
           "index out of range");
    for (auto [bit, basis] : llvm::enumerate(in.bases))
      if (value >> bit & 1)
        for (auto [coord, step] : llvm::zip_equal(coords, basis))
          coord ^= step;
  }
  return coords;
}

bool LinearLayout::isInjective() const {
  return spanOf(ins, outs).freeColumns() == 0;
}

bool LinearLayout::isSurjective() const {
  return spanOf(ins, outs).rank() == totalOutBits();
}

//===----------------------------------------------------------------------===//
// Composition and inverse
//===----------------------------------------------------------------------===//

LinearLayout LinearLayout::compose(const LinearLayout &outer) const {
  // The position among our outputs of each input of `outer`.
  llvm::SmallVector<int, 4> source;
  for (const InDim &in : outer.ins) {
    source.push_back(findOut(in.name));
    assert(source.back() >= 0 && "an input of the outer map is not produced");
    assert(outBits(in.name) <= int(in.bases.size()) &&
           "an output is larger than the input it feeds");
  }
  assert(source.size() == outs.size() && "an output is not consumed");

  LinearLayout result({}, outer.outs);
  for (const InDim &in : ins) {
    InDim composed{in.name, {}};
    for (const Coords &basis : in.bases) {
      Coords index;
      for (int out : source)
        index.push_back(basis[out]);
      composed.bases.push_back(outer.apply(index));
    }
    result.ins.push_back(std::move(composed));
  }
  return result;
}

std::optional<LinearLayout> LinearLayout::rightInverse() const {
  BitBasis span = spanOf(ins, outs);
  if (span.rank() != totalOutBits())
    return std::nullopt;

  LinearLayout result;
  for (const InDim &in : ins)
    result.outs.push_back({in.name, int32_t(1) << in.bases.size()});
  int outBit = 0;
  for (const OutDim &out : outs) {
    InDim inverse{out.name, {}};
    for (int32_t step = 1; step < out.size; step *= 2, ++outBit) {
      uint64_t columns = *span.solve(uint64_t(1) << outBit);
      Coords index;
      for (const InDim &in : ins) {
        uint64_t mask = (uint64_t(1) << in.bases.size()) - 1;
        index.push_back(static_cast<int32_t>(columns & mask));
        columns >>= in.bases.size();
      }
      inverse.bases.push_back(std::move(index));
    }
    result.ins.push_back(std::move(inverse));
  }
  return result;
}

std::optional<LinearLayout> LinearLayout::invert() const {
  if (!isInjective() || !isSurjective())
    return std::nullopt;
  return rightInverse();
}

//===----------------------------------------------------------------------===//
// Product and quotient
//===----------------------------------------------------------------------===//

LinearLayout layout::operator*(const LinearLayout &low,
                               const LinearLayout &high) {
  LinearLayout result;
  result.outs = low.outs;
  for (const OutDim &out : high.outs) {
    int place = result.findOut(out.name);
    if (place < 0)
      result.outs.push_back(out);
    else
      result.outs[place].size *= out.size;
  }

  result.ins = low.ins;
  for (InDim &in : result.ins)
    for (Coords &basis : in.bases)
      basis.resize(result.outs.size(), 0);
  for (const InDim &in : high.ins) {
    int place = result.findIn(in.name);
    if (place < 0) {
      place = static_cast<int>(result.ins.size());
      result.ins.push_back({in.name, {}});
    }
    for (const Coords &basis : in.bases) {
      Coords shifted(result.outs.size(), 0);
      for (auto [coord, out] : llvm::zip_equal(basis, high.outs))
        shifted[result.findOut(out.name)] = coord << low.outBits(out.name);
      result.ins[place].bases.push_back(std::move(shifted));
    }
  }
  return result;
}

std::optional<LinearLayout>
LinearLayout::divideLeft(const LinearLayout &divisor) const {
  // What is divided away per output; also checks that the divisor fits.
  llvm::SmallVector<int, 4> lowBits;
  LinearLayout quotient;
  for (const OutDim &out : outs) {
    int bits = divisor.outBits(out.name);
    if ((out.size >> bits) == 0)
      return std::nullopt;
    lowBits.push_back(bits);
    quotient.outs.push_back({out.name, out.size >> bits});
  }
  for (const OutDim &out : divisor.outs)
    if (findOut(out.name) < 0)
      return std::nullopt;
  for (const InDim &in : divisor.ins)
    if (findIn(in.name) < 0)
      return std::nullopt;

  for (const InDim &in : ins) {
    size_t divided = divisor.inBits(in.name);
    if (divided > in.bases.size())
      return std::nullopt;
    InDim rest{in.name, {}};
    for (auto [bit, basis] : llvm::enumerate(in.bases)) {
      if (bit < divided) {
        // The low bits must move exactly as in the divisor.
        const Coords &expected = divisor.basis(in.name, bit);
        for (auto [coord, out] : llvm::zip_equal(basis, outs)) {
          int place = divisor.findOut(out.name);
          if (coord != (place < 0 ? 0 : expected[place]))
            return std::nullopt;
        }
        continue;
      }
      Coords high;
      for (auto [coord, bits] : llvm::zip_equal(basis, lowBits)) {
        if (coord & ((int32_t(1) << bits) - 1))
          return std::nullopt;
        high.push_back(coord >> bits);
      }
      rest.bases.push_back(std::move(high));
    }
    quotient.ins.push_back(std::move(rest));
  }
  return quotient;
}

//===----------------------------------------------------------------------===//
// Selection
//===----------------------------------------------------------------------===//

LinearLayout LinearLayout::selectIns(ArrayRef<StringRef> names) const {
  LinearLayout result({}, outs);
  for (StringRef name : names) {
    assert(findIn(name) >= 0 && "no such input dimension");
    result.ins.push_back(ins[findIn(name)]);
  }
  return result;
}

LinearLayout LinearLayout::selectOuts(ArrayRef<StringRef> names) const {
  LinearLayout result;
  llvm::SmallVector<int, 4> places;
  for (StringRef name : names) {
    places.push_back(findOut(name));
    assert(places.back() >= 0 && "no such output dimension");
    result.outs.push_back(outs[places.back()]);
  }
  for (const InDim &in : ins) {
    InDim kept{in.name, {}};
    for (const Coords &basis : in.bases) {
      Coords coords;
      for (int place : places)
        coords.push_back(basis[place]);
      kept.bases.push_back(std::move(coords));
    }
    result.ins.push_back(std::move(kept));
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Hash and print
//===----------------------------------------------------------------------===//

llvm::hash_code layout::hash_value(const LinearLayout &layout) {
  llvm::hash_code hash = llvm::hash_combine(layout.ins.size());
  for (const InDim &in : layout.ins) {
    hash = llvm::hash_combine(hash, in.name, in.bases.size());
    for (const Coords &basis : in.bases)
      hash = llvm::hash_combine(
          hash, llvm::hash_combine_range(basis.begin(), basis.end()));
  }
  for (const OutDim &out : layout.outs)
    hash = llvm::hash_combine(hash, out.name, out.size);
  return hash;
}

void LinearLayout::print(llvm::raw_ostream &os) const {
  for (const InDim &in : ins) {
    os << in.name << ":";
    for (auto [bit, basis] : llvm::enumerate(in.bases)) {
      os << (bit ? ", " : " ") << (int64_t(1) << bit) << " -> (";
      llvm::interleaveComma(basis, os);
      os << ")";
    }
    os << "\n";
  }
  os << "out:";
  for (auto [i, out] : llvm::enumerate(outs))
    os << (i ? ", " : " ") << out.name << " = " << out.size;
  os << "\n";
}
