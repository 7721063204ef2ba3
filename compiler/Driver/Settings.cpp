//===- Settings.cpp - Decisions that --set overrides ----------------------===//
#include "compiler/Driver/Settings.h"

#include "compiler/Driver/Failure.h"
#include "dialects/Tile/Transforms/Decisions.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace tilec;
using namespace mlir::tile;
using llvm::StringRef;

static llvm::Error checkSetting(const NamedText &setting,
                                mlir::Attribute value) {
  const DecisionSpec *spec = findDecisionSpec(setting.name);
  if (!spec) {
    auto names =
        llvm::map_to_vector(getDecisionSpecs(), [](const DecisionSpec &known) {
          return known.name;
        });
    return makeUsageError("'--set " + setting.name +
                              "': there is no decision of that name",
                          suggestFrom(setting.name, names));
  }
  std::string fault = describeDecisionFault(*spec, value);
  if (!fault.empty())
    return makeUsageError("'--set " + setting.name + "' " + fault);
  return llvm::Error::success();
}

llvm::Error tilec::applySettings(llvm::ArrayRef<NamedText> settings,
                                 llvm::ArrayRef<KernelOp> kernels) {
  if (settings.empty() || kernels.empty())
    return llvm::Error::success();
  KernelOp first = kernels.front();
  mlir::MLIRContext *context = first->getContext();
  mlir::NamedAttrList decisions;
  for (const NamedText &setting : settings) {
    mlir::Attribute value = parseDecisionValue(context, setting.text);
    if (llvm::Error error = checkSetting(setting, value))
      return error;
    decisions.set(setting.name, value);
  }
  for (KernelOp kernel : kernels) {
    mlir::NamedAttrList merged;
    if (auto own = kernel.getDecisions())
      merged = mlir::NamedAttrList(*own);
    for (mlir::NamedAttribute decision : decisions)
      merged.set(decision.getName(), decision.getValue());
    kernel.setDecisionsAttr(merged.getDictionary(context));
  }
  return llvm::Error::success();
}

std::vector<std::string> tilec::listIdleDecisions(mlir::ModuleOp lowered) {
  // A decision may concern one variant only.
  llvm::MapVector<StringRef, llvm::StringSet<>> taken;
  llvm::MapVector<StringRef, mlir::DictionaryAttr> decided;
  for (KernelOp kernel : lowered.getOps<KernelOp>()) {
    StringRef name = kernel.getSourceName();
    if (auto decisions = kernel.getDecisions())
      decided[name] = *decisions;
    auto choices = kernel->getAttrOfType<mlir::ArrayAttr>(choicesAttrName);
    if (!choices)
      continue;
    for (auto choice : choices.getAsRange<mlir::DictionaryAttr>())
      taken[name].insert(choice.getAs<mlir::StringAttr>("name").getValue());
  }
  std::vector<std::string> idle;
  for (const auto &[kernel, decisions] : decided)
    for (mlir::NamedAttribute decision : decisions)
      if (!taken[kernel].contains(decision.getName()))
        idle.push_back("'" + decision.getName().str() + "' of kernel '" +
                       kernel.str() + "'");
  return idle;
}
