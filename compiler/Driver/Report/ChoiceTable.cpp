//===- ChoiceTable.cpp - Decisions by name --------------------------------===//
#include "compiler/Driver/Report/ChoiceTable.h"

#include "dialects/Tile/Transforms/Decisions.h"
#include "llvm/ADT/SetVector.h"

using namespace tilec;
using namespace mlir::tile;

TextTable tilec::makeChoiceTable(llvm::ArrayRef<KernelOp> variants,
                                 llvm::ArrayRef<NamedText> tuned,
                                 llvm::StringRef tunedBy) {
  // Equal attributes are one object.
  llvm::SetVector<mlir::Attribute> choices;
  for (KernelOp kernel : variants)
    if (auto noted = kernel->getAttrOfType<mlir::ArrayAttr>(choicesAttrName))
      choices.insert(noted.begin(), noted.end());

  TextTable table({"line", "name ", "value ", "chosen from ", "why "});
  for (mlir::Attribute attribute : choices) {
    auto choice = mlir::cast<mlir::DictionaryAttr>(attribute);
    auto get = [&](llvm::StringRef key) {
      return choice.getAs<mlir::StringAttr>(key).getValue().str();
    };
    bool isTuned = llvm::any_of(tuned, [&](const NamedText &setting) {
      return setting.name == get("name") && setting.text == get("value");
    });
    int64_t line = choice.getAs<mlir::IntegerAttr>("line").getInt();
    table.addRow({line ? std::to_string(line) : "-", get("name"), get("value"),
                  get("candidates"), isTuned ? tunedBy.str() : get("reason")});
  }
  return table;
}
