//===-- Symbols.h - Finds and checks the symbols of a launch ---*- C++ -*-===//

#ifndef TILERT_LIB_SYMBOLS_H
#define TILERT_LIB_SYMBOLS_H

#include "Manifest.h"

namespace tilert::detail {

/// Gives each symbol its value (slots[i] for symbol i) and compares every
/// dimension of every argument with what symbols and scalars say. Sets the
/// logical sizes of `tensors`. Arguments fit their parameters by kind and rank,
/// and the slots of scalars are filled.
Status bindSymbols(const KernelInfo &kernel, const tilert_argument *arguments,
                   int64_t *slots, tilert_bound_tensor *tensors);

/// The same for symbols in part given and arguments in part absent.
Status solvePresent(const KernelInfo &kernel, const tilert_argument *arguments,
                    int64_t *values, unsigned char *known);

/// The extents of a tensor parameter for given symbols; `arguments` gives the
/// scalars and may be NULL.
Status evaluatePresentSizes(const KernelInfo &kernel, size_t index,
                            const int64_t *symbols,
                            const tilert_argument *arguments, int64_t *sizes);

} // namespace tilert::detail

#endif // TILERT_LIB_SYMBOLS_H
