//===-- ResultCheck.h - Compares results with a bundle's -------*- C++ -*-===//

#ifndef TILE_COMPILER_TUNE_RESULTCHECK_H
#define TILE_COMPILER_TUNE_RESULTCHECK_H

#include "compiler/Numerics/RandomElements.h"
#include "compiler/Tune/Bundle.h"

namespace tilec::tune {

/// The array of an argument, without memory.
StoredArray describeArray(const BundleArgument &argument);

/// The code of an element by its row-major position.
uint64_t readElement(const StoredArray &array, int64_t position);

/// Writes the codes of some elements as a reference has them.
std::string writeReferenceFile(const std::string &path,
                               const StoredArray &array,
                               const std::vector<ElementRange> &ranges);

/// Compares an array with a reference by the rule of `tilec run --check`. Says
/// what is wrong; empty if nothing is.
std::string compareWithReference(const std::string &folder,
                                 const Reference &reference,
                                 const StoredArray &array);

} // namespace tilec::tune

#endif // TILE_COMPILER_TUNE_RESULTCHECK_H
