//===-- KernelReader.h - Reads one kernel of a manifest --------*- C++ -*-===//

#ifndef TILERT_LIB_KERNELREADER_H
#define TILERT_LIB_KERNELREADER_H

#include "Manifest.h"

namespace tilert::detail {

/// Reads the kernel at `place` into `kernel`; failures go to the reader.
void readKernel(JsonReader &reader, const Place &place, KernelInfo &kernel);

/// Refuses a member "requires" that names a feature: this runtime has no
/// optional ones.
void readRequirements(JsonReader &reader, const Place &object);

} // namespace tilert::detail

#endif // TILERT_LIB_KERNELREADER_H
