//===- LayoutText.cpp - Reading the text form of layouts ------------------===//
//
// A cursor over the text; each read leaves it behind trailing blanks.
//
//===----------------------------------------------------------------------===//

#include "dialects/Layout/LayoutText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace layout;
using llvm::ArrayRef;
using llvm::StringRef;
using llvm::Twine;

std::nullopt_t layout::fail(std::string *error, const Twine &message) {
  if (error)
    *error = message.str();
  return std::nullopt;
}

void TextCursor::fail(const Twine &message) {
  if (reason.empty())
    reason = message.str();
}

bool TextCursor::consume(StringRef token) {
  if (failed() || !rest.consume_front(token))
    return false;
  rest = rest.ltrim();
  return true;
}

bool TextCursor::expect(StringRef token) {
  if (consume(token))
    return true;
  fail(rest.empty()
           ? "expected '" + token + "' at the end of the layout"
           : "expected '" + token + "' before '" + rest.take_front(16) + "'");
  return false;
}

int32_t TextCursor::readInt() {
  if (failed())
    return 0;
  StringRef digits = rest.take_while(llvm::isDigit);
  uint32_t value = 0;
  if (digits.empty()) {
    fail("expected a number before '" + rest.take_front(16) + "'");
    return 0;
  }
  if (digits.getAsInteger(10, value) || value > (1u << 30)) {
    fail("number '" + digits + "' is larger than 2^30");
    return 0;
  }
  rest = rest.drop_front(digits.size()).ltrim();
  return static_cast<int32_t>(value);
}

Coords TextCursor::readList() {
  Coords list;
  expect("[");
  while (!failed() && !consume("]")) {
    if (!list.empty() && !expect(","))
      break;
    list.push_back(readInt());
  }
  return list;
}

std::vector<Coords> TextCursor::readNestedList() {
  std::vector<Coords> list;
  expect("[");
  while (!failed() && !consume("]")) {
    if (!list.empty() && !expect(","))
      break;
    list.push_back(readList());
  }
  return list;
}

Coords TextCursor::readShape() {
  Coords shape;
  if (consume("scalar"))
    return shape;
  do
    shape.push_back(readInt());
  while (consume("x"));
  for (int32_t extent : shape)
    if (extent < 1)
      fail("a tile extent is 0");
  return shape;
}

void layout::printShape(llvm::raw_ostream &os, ArrayRef<int32_t> shape) {
  if (shape.empty())
    os << "scalar";
  llvm::interleave(shape, os, "x");
}

void layout::printList(llvm::raw_ostream &os, ArrayRef<int32_t> list) {
  os << "[";
  llvm::interleave(list, os, ",");
  os << "]";
}

void layout::printNestedList(llvm::raw_ostream &os, ArrayRef<Coords> list) {
  os << "[";
  for (auto [i, inner] : llvm::enumerate(list)) {
    if (i)
      os << ",";
    printList(os, inner);
  }
  os << "]";
}
