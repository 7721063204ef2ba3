//===-- Kernel.cpp - Questions about kernels ------------------------------===//

#include "Plan.h"
#include "Text.h"

using namespace tilert::detail;

const char *tilert_kernel_name(const tilert_kernel *kernel) {
  return kernel ? kernel->info->name.c_str() : "";
}

size_t tilert_kernel_parameter_count(const tilert_kernel *kernel) {
  return kernel ? kernel->info->parameters.size() : 0;
}

const tilert_parameter *tilert_kernel_parameter(const tilert_kernel *kernel,
                                                size_t index) {
  return index < tilert_kernel_parameter_count(kernel)
             ? &kernel->info->parameters[index].facts
             : nullptr;
}

const char *tilert_kernel_dim_text(const tilert_kernel *kernel,
                                   size_t parameter, size_t dim) {
  if (parameter >= tilert_kernel_parameter_count(kernel))
    return nullptr;
  const std::vector<Expr> &dims = kernel->info->parameters[parameter].dims;
  return dim < dims.size() ? dims[dim].text().c_str() : nullptr;
}

size_t tilert_kernel_symbol_count(const tilert_kernel *kernel) {
  return kernel ? kernel->info->symbols.size() : 0;
}

const char *tilert_kernel_symbol_name(const tilert_kernel *kernel,
                                      size_t index) {
  return index < tilert_kernel_symbol_count(kernel)
             ? kernel->info->symbols[index].name.c_str()
             : nullptr;
}

int tilert_kernel_symbol_fixed(const tilert_kernel *kernel, size_t index,
                               int64_t *value) {
  if (index >= tilert_kernel_symbol_count(kernel) ||
      !kernel->info->symbols[index].isFixed)
    return 0;
  if (value)
    *value = kernel->info->symbols[index].fixedValue;
  return 1;
}

size_t tilert_kernel_variant_count(const tilert_kernel *kernel) {
  return kernel ? kernel->info->variants.size() : 0;
}

const tilert_variant *tilert_kernel_variant(const tilert_kernel *kernel,
                                            size_t index) {
  return index < tilert_kernel_variant_count(kernel)
             ? &kernel->info->variants[index].facts
             : nullptr;
}

tilert_code tilert_kernel_solve_symbols(const tilert_kernel *kernel,
                                        const tilert_argument *arguments,
                                        size_t count, int64_t *values,
                                        unsigned char *known,
                                        tilert_status **status) {
  return enter(status, [&]() -> Status {
    TILERT_RETURN_IF_ERROR(requireNonNull(kernel, "kernel"));
    if (!kernel->info->symbols.empty()) {
      TILERT_RETURN_IF_ERROR(requireNonNull(values, "values"));
      TILERT_RETURN_IF_ERROR(requireNonNull(known, "known"));
    }
    return solveSymbols(*kernel->info, arguments, count, values, known)
        .prefixed(join("kernel ", quote(kernel->info->name), ": "));
  });
}

tilert_code tilert_kernel_parameter_sizes(const tilert_kernel *kernel,
                                          size_t parameter,
                                          const int64_t *symbols,
                                          const tilert_argument *arguments,
                                          size_t count, int64_t *sizes,
                                          tilert_status **status) {
  return enter(status, [&]() -> Status {
    TILERT_RETURN_IF_ERROR(requireNonNull(kernel, "kernel"));
    if (!kernel->info->symbols.empty())
      TILERT_RETURN_IF_ERROR(requireNonNull(symbols, "symbols"));
    TILERT_RETURN_IF_ERROR(requireNonNull(sizes, "sizes"));
    return evaluateSizes(*kernel->info, parameter, symbols, arguments, count,
                         sizes)
        .prefixed(join("kernel ", quote(kernel->info->name), ": "));
  });
}
