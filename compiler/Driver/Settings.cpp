//===- Settings.cpp - Decisions that --set overrides
//-----------------------===//
#include "compiler/Driver/Settings.h"

#include "compiler/Driver/Failure.h"
#include "llvm/ADT/STLExtras.h"

using namespace tilec;

/// The decisions that have a name (docs/language.md section 12, `annotate`).
/// None of them can be overridden yet: the passes have no such input.
static constexpr llvm::StringRef decisionNames[] = {
    "cluster", "min_blocks", "raster", "schedule", "swap",
};

llvm::Error tilec::checkSettings(llvm::ArrayRef<NamedText> settings) {
  for (const NamedText &setting : settings) {
    if (!llvm::is_contained(decisionNames, setting.name))
      return makeUsageError("'--set " + setting.name +
                                "': there is no decision of that name",
                            suggestFrom(setting.name, decisionNames));
    return makeFailure("'--set " + setting.name + "' is not supported yet");
  }
  return llvm::Error::success();
}
