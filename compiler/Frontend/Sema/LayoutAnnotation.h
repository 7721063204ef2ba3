//===- LayoutAnnotation.h - Layouts written in the source -----------------===//
#ifndef TILEC_FRONTEND_SEMA_LAYOUTANNOTATION_H
#define TILEC_FRONTEND_SEMA_LAYOUTANNOTATION_H

#include "compiler/Frontend/Sema/Type.h"

namespace tilec {

/// Why `text` is no layout attribute of the tile dialect for a fragment or
/// shared tile of this type; empty if it is one.
std::string explainLayout(llvm::StringRef text, const Type &type);

} // namespace tilec

#endif // TILEC_FRONTEND_SEMA_LAYOUTANNOTATION_H
