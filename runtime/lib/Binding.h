//===-- Binding.h - Fits arguments to parameters ---------------*- C++ -*-===//
//
// The first three steps of the launch checks: number, kind, dtype and rank of
// the arguments; symbols; strides and packing.
//
//===----------------------------------------------------------------------===//

#ifndef TILERT_LIB_BINDING_H
#define TILERT_LIB_BINDING_H

#include "Manifest.h"
#include "Overlap.h"

#include <vector>

namespace tilert::detail {

/// What a launch knows of a kernel's parameters and symbols. Indices are those
/// of the kernel's lists.
struct Binding {
  std::vector<int64_t> slots;
  std::vector<tilert_bound_tensor> tensors; // unused for scalars
  std::vector<uint64_t> scalars;            // bits; unused for tensors
  /// The device of all tensors that tell theirs, and the first of those.
  int32_t device = TILERT_DEVICE_ANY;
  int deviceArgument = -1;
};

/// Fits `arguments` to the parameters of `kernel`. Fills tensors, scalars and
/// every slot but SmCount. The vectors of `binding` are reused.
Status bindArguments(const KernelInfo &kernel, const tilert_argument *arguments,
                     size_t count, Binding &binding);

/// Checks dtype, rank, sizes and address of an argument by themselves.
Status checkTensor(const Parameter &parameter, const tilert_tensor &tensor);

/// tilert_kernel_solve_symbols.
Status solveSymbols(const KernelInfo &kernel, const tilert_argument *arguments,
                    size_t count, int64_t *values, unsigned char *known);

/// tilert_kernel_parameter_sizes.
Status evaluateSizes(const KernelInfo &kernel, size_t parameter,
                     const int64_t *symbols, const tilert_argument *arguments,
                     size_t count, int64_t *sizes);

/// The storage of a bound tensor parameter.
StoredTensor storageOf(const Parameter &parameter,
                       const tilert_bound_tensor &bound);

/// The stride that the kernel is passed: in elements of the stored array, which
/// are bytes for 4-bit types.
int64_t storedStride(const Parameter &parameter,
                     const tilert_bound_tensor &bound, int dim);

/// The names and values of slots, as "K = 200, G = 128".
std::string showSlots(const KernelInfo &kernel,
                      const std::vector<int32_t> &slots, const int64_t *values);
std::string showSlot(const KernelInfo &kernel, int slot, int64_t value);

} // namespace tilert::detail

#endif // TILERT_LIB_BINDING_H
