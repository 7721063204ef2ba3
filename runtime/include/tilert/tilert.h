/*===-- tilert.h - Loads and launches kernels compiled by tilec ---*- C -*-===*
 *
 * The rules
 *
 * Objects. `tilert_module` is made by tilert_module_load*, destroyed by
 * tilert_module_destroy. A `tilert_kernel` belongs to its module and dies with
 * it. A `tilert_plan` is made by tilert_plan_create, destroyed by
 * tilert_plan_destroy, and must not outlive its module. A `tilert_status` is
 * made by a call that fails and destroyed by the caller. Destroying NULL is
 * allowed. Strings and arrays that a getter returns belong to the object asked.
 *
 * Errors. Each call that can fail returns a code, TILERT_OK (0) for success,
 * and takes a `tilert_status **` last. That may be NULL; otherwise it receives
 * NULL on success and a new status on failure. Nothing was launched when a
 * launch fails. No exception leaves the library, and no argument, file or
 * device makes it abort; NULL where an object is required is an error too.
 *
 * Arguments. What an argument points at (sizes, strides, tensor memory) stays
 * the caller's. Sizes and strides are read during the call only.
 *
 * Blocking. No launch waits for the device, allocates device memory or
 * remembers its stream. The first launch of a module on a device loads its
 * code there, which can take milliseconds and must not happen under CUDA graph
 * capture in some drivers: tilert_kernel_prepare does it ahead.
 *
 * Threads. Everything may be called from any thread at any time, also on one
 * module or kernel at once, except that an object must not be in use when it
 * is destroyed. The current CUDA context of the calling thread is the same
 * after a call as before.
 *
 * Versions. TILERT_VERSION_* are those of this header, tilert_version() is that
 * of the library. Libraries with the same major version and an equal or larger
 * minor version serve this header. Manifests carry a format_version of their
 * own; one that this library does not know is refused.
 *
 *===----------------------------------------------------------------------===*/

#ifndef TILERT_TILERT_H
#define TILERT_TILERT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TILERT_API __attribute__((visibility("default")))
#else
#define TILERT_API
#endif

#define TILERT_VERSION_MAJOR 0
#define TILERT_VERSION_MINOR 1
#define TILERT_VERSION_PATCH 0
#define TILERT_VERSION                                                         \
  (TILERT_VERSION_MAJOR * 10000 + TILERT_VERSION_MINOR * 100 +                 \
   TILERT_VERSION_PATCH)

/* The version of the library, spelled like TILERT_VERSION. */
TILERT_API int tilert_version(void);

/*===-- Status ------------------------------------------------------------===*/

typedef enum tilert_code {
  TILERT_OK = 0,
  TILERT_INVALID_ARGUMENT,   /* an argument does not fit the kernel or call */
  TILERT_CHECK_FAILED,       /* a fact that the kernel states does not hold */
  TILERT_LIMIT_EXCEEDED,     /* grid, threads, shared memory or registers */
  TILERT_NOT_FOUND,          /* no such file, kernel or variant */
  TILERT_IO_ERROR,           /* a file cannot be read */
  TILERT_INVALID_MANIFEST,   /* damaged, or of a version not known here */
  TILERT_HASH_MISMATCH,      /* the cubin is not the one of the manifest */
  TILERT_WRONG_TARGET,       /* built for another architecture */
  TILERT_DRIVER_UNAVAILABLE, /* libcuda is missing or too old, or no device */
  TILERT_DRIVER_ERROR,       /* a driver call failed */
  TILERT_OUT_OF_MEMORY,      /* of the host */
  TILERT_INTERNAL_ERROR
} tilert_code;

typedef struct tilert_status tilert_status;

/* The code's name, as "TILERT_CHECK_FAILED". */
TILERT_API const char *tilert_code_name(tilert_code code);

/* TILERT_OK for NULL. */
TILERT_API tilert_code tilert_status_code(const tilert_status *status);
/* What went wrong, with the values; "" for NULL. */
TILERT_API const char *tilert_status_message(const tilert_status *status);
/* The driver's own name of the error, as "CUDA_ERROR_INVALID_VALUE"; "" if the
 * driver is not to blame. */
TILERT_API const char *tilert_status_driver_error(const tilert_status *status);
/* The driver or system call that failed, as "cuLaunchKernel"; "" if none. */
TILERT_API const char *tilert_status_call(const tilert_status *status);
TILERT_API void tilert_status_destroy(tilert_status *status);

/*===-- Types -------------------------------------------------------------===*/

typedef enum tilert_dtype {
  TILERT_BOOL = 0,
  TILERT_INT4,
  TILERT_UINT4,
  TILERT_INT8,
  TILERT_UINT8,
  TILERT_INT16,
  TILERT_UINT16,
  TILERT_INT32,
  TILERT_UINT32,
  TILERT_INT64,
  TILERT_UINT64,
  TILERT_F16,
  TILERT_BF16,
  TILERT_TF32,
  TILERT_F32,
  TILERT_F64,
  TILERT_FP8_E4M3,
  TILERT_FP8_E5M2,
  TILERT_FP4_E2M1,
  TILERT_E8M0,
  TILERT_DTYPE_FORCE_INT32 = 0x7fffffff /* no type: sets the enum's size */
} tilert_dtype;

/* The spelling of the language, as "fp8_e4m3"; NULL for a value not above. */
TILERT_API const char *tilert_dtype_name(tilert_dtype dtype);
/* Returns 1 and sets *dtype if `name` is such a spelling, else 0. */
TILERT_API int tilert_dtype_from_name(const char *name, tilert_dtype *dtype);
/* Bits of an element in memory: 4, 8 (bool too), 16, 32 or 64; 0 if unknown. */
TILERT_API int tilert_dtype_bits(tilert_dtype dtype);

#define TILERT_MAX_RANK 5

/* Where a tensor is, if not on the CUDA device of that number. */
#define TILERT_DEVICE_HOST (-1) /* plan only: a launch refuses it */
#define TILERT_DEVICE_ANY (-2)  /* not known: the launch does not check */

/* In which order the elements of a tensor lie in memory: not told, as its shape
 * and strides say, or as a kernel packed them (tilert_parameter). A launch
 * refuses an order that is told and is not that of the parameter. */
#define TILERT_ORDER_UNKNOWN 0
#define TILERT_ORDER_PLAIN 1

/* A tensor: row-major unless `strides` says otherwise.
 *
 * A parameter of a 4-bit type takes either elements of that type, with the
 * logical extents, or its storage as TILERT_UINT8, with the packed dimension
 * halved and rounded up. `strides` (NULL: dense) counts elements of the array
 * passed. For 4-bit elements a dense array has the strides of the logical
 * extents with the packed one rounded up to even: two elements share a byte, so
 * the strides of the dimensions before the packed one are even. */
typedef struct tilert_tensor {
  void *data; /* may be NULL if an extent is 0 */
  tilert_dtype dtype;
  int32_t rank;
  const int64_t *sizes;
  const int64_t *strides;
  int32_t device;
  uint64_t order;
} tilert_tensor;

/* A scalar: the value's bits, in the low bytes of `bits` (bf16, f16, fp8 as
 * their patterns; bool as 0 or 1). */
typedef struct tilert_scalar {
  tilert_dtype dtype;
  uint64_t bits;
} tilert_scalar;

typedef enum tilert_kind {
  TILERT_ABSENT = 0, /* accepted by tilert_kernel_solve_symbols only */
  TILERT_TENSOR,
  TILERT_SCALAR,
  TILERT_KIND_FORCE_INT32 = 0x7fffffff
} tilert_kind;

typedef struct tilert_argument {
  tilert_kind kind;
  union {
    tilert_tensor tensor;
    tilert_scalar scalar;
  } value;
} tilert_argument;

/* A CUstream; NULL is the default stream. */
typedef void *tilert_stream;

/*===-- Modules and kernels -----------------------------------------------===*/

typedef struct tilert_module tilert_module;
typedef struct tilert_kernel tilert_kernel;

/* Loads NAME.json with the cubin that it names, or NAME.cubin with the
 * NAME.json beside it, and checks that they belong together. Needs no device.
 */
TILERT_API tilert_code tilert_module_load(const char *path,
                                          tilert_module **module,
                                          tilert_status **status);

/* The same from memory. Both texts are copied. */
TILERT_API tilert_code tilert_module_load_memory(
    const char *manifest, size_t manifest_bytes, const void *cubin,
    size_t cubin_bytes, tilert_module **module, tilert_status **status);

/* A module without code: its kernels can be planned, not launched. */
TILERT_API tilert_code tilert_module_from_manifest(const char *manifest,
                                                   size_t manifest_bytes,
                                                   tilert_module **module,
                                                   tilert_status **status);

TILERT_API void tilert_module_destroy(tilert_module *module);

/* As "sm_90a". */
TILERT_API const char *tilert_module_target(const tilert_module *module);
TILERT_API size_t tilert_module_kernel_count(const tilert_module *module);
/* NULL if `index` is out of range. */
TILERT_API const tilert_kernel *
tilert_module_kernel(const tilert_module *module, size_t index);

/* Finds a kernel by name. `name` may be NULL if the module has one kernel. */
TILERT_API tilert_code tilert_kernel_get(const tilert_module *module,
                                         const char *name,
                                         const tilert_kernel **kernel,
                                         tilert_status **status);

TILERT_API const char *tilert_kernel_name(const tilert_kernel *kernel);

typedef enum tilert_access {
  TILERT_IN = 0,
  TILERT_OUT,
  TILERT_INOUT
} tilert_access;

typedef enum tilert_strided {
  TILERT_DENSE = 0,
  TILERT_STRIDED,    /* strides at run time, the last one 1 */
  TILERT_STRIDED_ALL /* every stride at run time */
} tilert_strided;

typedef struct tilert_parameter {
  const char *name;
  tilert_kind kind;
  tilert_dtype dtype;
  /* Tensors only: */
  tilert_access access;
  int32_t rank;
  int32_t pack; /* the packed dimension of a 4-bit type, else -1 */
  tilert_strided strided;
  int32_t noalias;
  /* TILERT_ORDER_PLAIN, or that of the packed memory which a parameter declared
   * `prepack` takes. It depends on the kernel's target and config. */
  uint64_t order;
} tilert_parameter;

TILERT_API size_t tilert_kernel_parameter_count(const tilert_kernel *kernel);
/* NULL if `index` is out of range. */
TILERT_API const tilert_parameter *
tilert_kernel_parameter(const tilert_kernel *kernel, size_t index);
/* A dimension as in the source, as "M" or "K / 128"; NULL if out of range. */
TILERT_API const char *tilert_kernel_dim_text(const tilert_kernel *kernel,
                                              size_t parameter, size_t dim);

TILERT_API size_t tilert_kernel_symbol_count(const tilert_kernel *kernel);
TILERT_API const char *tilert_kernel_symbol_name(const tilert_kernel *kernel,
                                                 size_t index);
/* Returns 1 and sets *value if the kernel was built for one value of it. */
TILERT_API int tilert_kernel_symbol_fixed(const tilert_kernel *kernel,
                                          size_t index, int64_t *value);

typedef struct tilert_variant {
  const char *name;   /* as "aligned" */
  const char *symbol; /* the function in the cubin */
  int32_t threads;    /* of a block, producers included */
  int32_t registers;  /* of a thread */
  int64_t shared_bytes;
  int64_t spill_bytes;
} tilert_variant;

TILERT_API size_t tilert_kernel_variant_count(const tilert_kernel *kernel);
/* NULL if `index` is out of range. */
TILERT_API const tilert_variant *
tilert_kernel_variant(const tilert_kernel *kernel, size_t index);

/* Finds the symbols that the given arguments bind, for tools that have some
 * arguments only (TILERT_ABSENT the others). `values` and `known` have one
 * entry a symbol, and may be NULL if the kernel has none; those with a non-zero
 * `known` on entry are taken as they are and compared with the arguments. A
 * packed TILERT_UINT8 array gives the even extent if nothing else gives one.
 * Symbols found are `known` on return. */
TILERT_API tilert_code tilert_kernel_solve_symbols(
    const tilert_kernel *kernel, const tilert_argument *arguments, size_t count,
    int64_t *values, unsigned char *known, tilert_status **status);

/* The logical extents of a tensor parameter for given symbols (NULL if the
 * kernel has none); `sizes` has its rank. Extents may depend on scalars:
 * `arguments` gives those and may hold TILERT_ABSENT elsewhere, or be NULL. */
TILERT_API tilert_code tilert_kernel_parameter_sizes(
    const tilert_kernel *kernel, size_t parameter, const int64_t *symbols,
    const tilert_argument *arguments, size_t count, int64_t *sizes,
    tilert_status **status);

/*===-- Devices -----------------------------------------------------------===*/

/* What a plan depends on. A field of 0 is not known, and not checked, but for
 * sm_count, which a kernel may need. */
typedef struct tilert_device_facts {
  int32_t sm_major; /* 9 of sm_90 */
  int32_t sm_minor;
  int32_t sm_count;
  int32_t max_threads;      /* a block */
  int32_t registers;        /* a block */
  int64_t max_shared_bytes; /* a block, with opt-in */
} tilert_device_facts;

/* Facts of a typical device of a target as "sm_90a", for plans without a GPU.
 */
TILERT_API tilert_code tilert_device_facts_of_target(const char *target,
                                                     tilert_device_facts *facts,
                                                     tilert_status **status);
/* Facts of a CUDA device. */
TILERT_API tilert_code tilert_device_facts_query(int32_t device,
                                                 tilert_device_facts *facts,
                                                 tilert_status **status);
/* The number of CUDA devices; fails where there is no driver. */
TILERT_API tilert_code tilert_device_count(int32_t *count,
                                           tilert_status **status);

/*===-- Plans -------------------------------------------------------------===*/

typedef struct tilert_plan tilert_plan;

/* Binds arguments, makes all launch checks and chooses the variant, without a
 * device. tilert_launch goes through the same code. `facts` may be NULL
 * (nothing known). `variant`, if not NULL, names the variant to use, which
 * fails if its guards do not hold. */
TILERT_API tilert_code tilert_plan_create(
    const tilert_kernel *kernel, const tilert_argument *arguments, size_t count,
    const tilert_device_facts *facts, const char *variant, tilert_plan **plan,
    tilert_status **status);
TILERT_API void tilert_plan_destroy(tilert_plan *plan);

/* The chosen variant, an index for tilert_kernel_variant; 0 if none fits, with
 * which a plan is made only if its grid is empty. */
TILERT_API size_t tilert_plan_variant(const tilert_plan *plan);
/* Why an earlier variant (index below tilert_plan_variant; any if none fits)
 * was not chosen, as "'A is 16-byte aligned' does not hold: address of A =
 * 0x10002"; else NULL. */
TILERT_API const char *tilert_plan_refusal(const tilert_plan *plan,
                                           size_t variant);
/* Blocks to launch, for grid.x: the product of the axes, or what the variant
 * asks for, as the number of SMs. With 0 nothing is to be launched, and the
 * outputs are right as they are. */
TILERT_API int64_t tilert_plan_grid(const tilert_plan *plan);
TILERT_API size_t tilert_plan_axis_count(const tilert_plan *plan);
TILERT_API const char *tilert_plan_axis_name(const tilert_plan *plan,
                                             size_t axis);
TILERT_API int64_t tilert_plan_axis_extent(const tilert_plan *plan,
                                           size_t axis);
TILERT_API int32_t tilert_plan_threads(const tilert_plan *plan);
/* Blocks that run together and see each other's shared memory, of which grid.x
 * is a multiple. The code says so itself: a launch needs no attribute. */
TILERT_API int32_t tilert_plan_cluster(const tilert_plan *plan);
TILERT_API int64_t tilert_plan_shared_bytes(const tilert_plan *plan);
/* Bytes of workspace that a launch needs; 0 if none. */
TILERT_API int64_t tilert_plan_workspace(const tilert_plan *plan);
/* Values of the kernel's symbols, in the order of tilert_kernel_symbol_name. */
TILERT_API const int64_t *tilert_plan_symbols(const tilert_plan *plan);

/* A tensor as it was bound: logical extents, and strides and the bytes that it
 * covers as stored. For 4-bit types `byte_strides` are those of the packed
 * array (along the packed dimension: between bytes, or rows of them). `first`
 * to `first + bytes` holds every element; `bytes` is 0 if there is none. */
typedef struct tilert_bound_tensor {
  void *data;
  void *first;
  int64_t bytes;
  int64_t sizes[TILERT_MAX_RANK];
  int64_t byte_strides[TILERT_MAX_RANK];
} tilert_bound_tensor;

/* NULL if the parameter is not a tensor. */
TILERT_API const tilert_bound_tensor *
tilert_plan_tensor(const tilert_plan *plan, size_t parameter);

/* A tensor map, as cuTensorMapEncodeTiled takes it: the innermost dimension
 * comes first. Elements are those stored, bytes for 4-bit types. What is
 * outside of the tensor reads as 0. */
typedef struct tilert_tensor_map {
  void *data;
  tilert_dtype dtype; /* of the parameter */
  int32_t rank;
  int32_t element_bytes;
  int32_t swizzle; /* the span in bytes, or 0 */
  int32_t l2_promotion;
  int32_t box[TILERT_MAX_RANK];
  int64_t extents[TILERT_MAX_RANK];
  int64_t byte_strides[TILERT_MAX_RANK - 1]; /* of dimensions 1, 2, ... */
} tilert_tensor_map;

/* The parameters of the function, in order. `value` points at `bytes` bytes in
 * the plan; a pointer argument is the address of the tensor. What stands in the
 * 128 bytes of a tensor map is known to the driver of the launch only: there
 * `value` points at the tilert_tensor_map that is encoded. */
typedef enum tilert_value_kind {
  TILERT_VALUE_TENSOR = 0, /* 8 bytes: the address */
  TILERT_VALUE_SYMBOL,     /* 8 bytes: int64 */
  TILERT_VALUE_SCALAR,     /* the size of its type */
  TILERT_VALUE_STRIDE,     /* 8 bytes: int64, in elements of the array stored */
  TILERT_VALUE_TENSOR_MAP, /* a tilert_tensor_map */
  TILERT_VALUE_WORKSPACE   /* 8 bytes: the address, known to the launch */
} tilert_value_kind;

typedef struct tilert_value {
  tilert_value_kind kind;
  int32_t bytes;
  const char *name; /* of the parameter or symbol; of a map: of its tensor */
  const void *value;
} tilert_value;

TILERT_API size_t tilert_plan_value_count(const tilert_plan *plan);
TILERT_API const tilert_value *tilert_plan_values(const tilert_plan *plan);

/* A few lines for people: variant and why, grid, block, symbols. */
TILERT_API const char *tilert_plan_text(const tilert_plan *plan);

/*===-- Launch ------------------------------------------------------------===*/

/* Checks the arguments and launches on `stream`. Context and device are those
 * of the stream; for the default stream, the current context if it is on the
 * device of the tensors, else the primary context of that device. */
TILERT_API tilert_code tilert_launch(const tilert_kernel *kernel,
                                     const tilert_argument *arguments,
                                     size_t count, tilert_stream stream,
                                     tilert_status **status);

/* Launches a plan made for the device of `stream`, as often as wanted. */
TILERT_API tilert_code tilert_plan_launch(const tilert_plan *plan,
                                          tilert_stream stream,
                                          tilert_status **status);

/* Some kernels need device memory of their own, a workspace:
 * tilert_plan_workspace says how much. Launches that may run at the same time
 * must not share one. Either tilert_reserve makes it ahead, for one stream and
 * one module, or it is the caller's. Without one a launch fails: it allocates
 * nothing. */
typedef struct tilert_workspace {
  void *data; /* of the device, at a multiple of 256 bytes */
  size_t bytes;
} tilert_workspace;

/* Makes a workspace large enough for this launch, for all launches of the
 * module on `stream`, and keeps it until the module is destroyed. May wait for
 * the device. Does nothing if none is needed, or the stream has one. Launches
 * of other sizes may need one where this does not. Launches that are captured
 * in a graph do not use it, and fail: a graph may run on any stream. */
TILERT_API tilert_code tilert_reserve(const tilert_kernel *kernel,
                                      const tilert_argument *arguments,
                                      size_t count, tilert_stream stream,
                                      tilert_status **status);
TILERT_API tilert_code tilert_plan_reserve(const tilert_plan *plan,
                                           tilert_stream stream,
                                           tilert_status **status);

/* tilert_launch and tilert_plan_launch with a workspace of the caller's. Before
 * its first launch it is filled with zeros. Each launch leaves it so that any
 * kernel may use it next, behind that one. */
TILERT_API tilert_code tilert_launch_with(const tilert_kernel *kernel,
                                          const tilert_argument *arguments,
                                          size_t count,
                                          const tilert_workspace *workspace,
                                          tilert_stream stream,
                                          tilert_status **status);
TILERT_API tilert_code tilert_plan_launch_with(
    const tilert_plan *plan, const tilert_workspace *workspace,
    tilert_stream stream, tilert_status **status);

/* Loads the kernel's code in the current context if that is on `device`, else
 * in the primary context of `device`, so that later launches there do not. */
TILERT_API tilert_code tilert_kernel_prepare(const tilert_kernel *kernel,
                                             int32_t device,
                                             tilert_status **status);

/*===-- Prepacked tensors -------------------------------------------------===*/

/* A parameter declared `prepack` takes memory that these calls fill, once, from
 * the plain tensor. `plain` describes that one as an argument would; of
 * `packed` there are as many bytes as tilert_prepack_size says, at a multiple
 * of 16. What is launched then is the description of the plain tensor with
 * `data` = `packed` and the `order` of the parameter: tilert_packed_tensor. */
TILERT_API tilert_code tilert_prepack_size(const tilert_kernel *kernel,
                                           const char *parameter,
                                           const tilert_tensor *plain,
                                           size_t *bytes,
                                           tilert_status **status);

/* Packs on the device of `stream`, by a kernel of the module. */
TILERT_API tilert_code tilert_prepack(const tilert_kernel *kernel,
                                      const char *parameter,
                                      const tilert_tensor *plain, void *packed,
                                      tilert_stream stream,
                                      tilert_status **status);
/* The way back: writes the memory of `plain`. */
TILERT_API tilert_code tilert_unpack(const tilert_kernel *kernel,
                                     const char *parameter, const void *packed,
                                     const tilert_tensor *plain,
                                     tilert_stream stream,
                                     tilert_status **status);

/* The same in host memory, on this thread. Needs no code and no device. */
TILERT_API tilert_code tilert_prepack_host(const tilert_kernel *kernel,
                                           const char *parameter,
                                           const tilert_tensor *plain,
                                           void *packed,
                                           tilert_status **status);
TILERT_API tilert_code tilert_unpack_host(const tilert_kernel *kernel,
                                          const char *parameter,
                                          const void *packed,
                                          const tilert_tensor *plain,
                                          tilert_status **status);

static inline tilert_tensor
tilert_packed_tensor(tilert_tensor plain, const tilert_parameter *parameter,
                     void *packed) {
  plain.data = packed;
  plain.strides = NULL;
  plain.order = parameter->order;
  return plain;
}

/*===-- Shorthands for arguments ------------------------------------------===*/

static inline tilert_argument tilert_tensor_argument(tilert_tensor tensor) {
  tilert_argument argument;
  memset(&argument, 0, sizeof argument);
  argument.kind = TILERT_TENSOR;
  argument.value.tensor = tensor;
  return argument;
}

/* `value` points at a value of the size of `dtype`. */
static inline tilert_argument tilert_scalar_argument(tilert_dtype dtype,
                                                     const void *value) {
  tilert_argument argument;
  int bytes = (tilert_dtype_bits(dtype) + 7) / 8;
  memset(&argument, 0, sizeof argument);
  argument.kind = TILERT_SCALAR;
  argument.value.scalar.dtype = dtype;
  memcpy(&argument.value.scalar.bits, value, (size_t)bytes);
  return argument;
}

static inline tilert_argument tilert_f32_argument(float value) {
  return tilert_scalar_argument(TILERT_F32, &value);
}
static inline tilert_argument tilert_f64_argument(double value) {
  return tilert_scalar_argument(TILERT_F64, &value);
}
static inline tilert_argument tilert_int32_argument(int32_t value) {
  return tilert_scalar_argument(TILERT_INT32, &value);
}
static inline tilert_argument tilert_int64_argument(int64_t value) {
  return tilert_scalar_argument(TILERT_INT64, &value);
}
static inline tilert_argument tilert_bool_argument(int value) {
  uint8_t byte = value != 0;
  return tilert_scalar_argument(TILERT_BOOL, &byte);
}

#ifdef __cplusplus
}
#endif

#endif /* TILERT_TILERT_H */
