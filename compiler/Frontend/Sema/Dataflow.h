//===- Dataflow.h - What checked kernels hand from place to place ---------===//
#ifndef TILEC_FRONTEND_SEMA_DATAFLOW_H
#define TILEC_FRONTEND_SEMA_DATAFLOW_H

#include "compiler/Frontend/Sema/CheckedModule.h"

namespace tilec {
class DiagnosticEngine;
} // namespace tilec

namespace tilec::checked {

/// Finds the variables that loops carry and branches merge (`carried`,
/// `merged`): those that are assigned inside and read later.  A tile that every
/// iteration writes before it reads is none of them.
void findCarried(Kernel &kernel);

/// Gives each shared tile of 4-bit elements the packed dimension of the tensor
/// it is copied from (or else to), so that bytes move as they are.
void inferPackedDimensions(Kernel &kernel);

/// Reports asynchronous copies of parts of tiles that are no whole bytes. Needs
/// the packed dimensions.
void checkPackedParts(const Kernel &kernel, DiagnosticEngine &diagnostics);

/// Reports loops that several blocks share (`split`) although what they carry
/// is no sum.  Needs `carried`.
void checkSplits(const Kernel &kernel, DiagnosticEngine &diagnostics);

} // namespace tilec::checked

#endif // TILEC_FRONTEND_SEMA_DATAFLOW_H
