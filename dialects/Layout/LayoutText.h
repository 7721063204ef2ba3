//===- LayoutText.h - Reading the text form of layouts ----------*- C++ -*-===//
//
// What the parsers of the layouts share.  Private to the library.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECTS_LAYOUT_LAYOUTTEXT_H
#define TILE_DIALECTS_LAYOUT_LAYOUTTEXT_H

#include "dialects/Layout/LinearLayout.h"
#include "llvm/ADT/Twine.h"

namespace layout {

/// Reports a failure of a checked operation.
std::nullopt_t fail(std::string *error, const llvm::Twine &message);

/// Reads a layout's text from left to right.  After a failure, further reads
/// fail too, and the first reason is kept.
class TextCursor {
public:
  explicit TextCursor(llvm::StringRef text) : rest(text.ltrim()) {}

  bool failed() const { return !reason.empty(); }
  const std::string &error() const { return reason; }
  bool atEnd() const { return rest.empty(); }

  /// Skips `token` if it is next.
  bool consume(llvm::StringRef token);
  /// Skips `token`, which has to be next.
  bool expect(llvm::StringRef token);

  /// A number from 0 to 2^30.
  int32_t readInt();
  /// "[1,2]"
  Coords readList();
  /// "[[1,2],[3,4]]"
  std::vector<Coords> readNestedList();
  /// "16x24", or "scalar" for the shape without dimensions.
  Coords readShape();

private:
  void fail(const llvm::Twine &message);

  llvm::StringRef rest;
  std::string reason;
};

/// The same forms, written.
void printShape(llvm::raw_ostream &os, llvm::ArrayRef<int32_t> shape);
void printList(llvm::raw_ostream &os, llvm::ArrayRef<int32_t> list);
void printNestedList(llvm::raw_ostream &os, llvm::ArrayRef<Coords> list);

} // namespace layout

#endif // TILE_DIALECTS_LAYOUT_LAYOUTTEXT_H
