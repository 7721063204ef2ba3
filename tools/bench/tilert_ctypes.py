"""The C interface of libtilert (runtime/include/tilert/tilert.h) for Python, through ctypes.

    library = Library("build/bench/libtilert.so")
    kernel = library.load("build/bench/gemm_bf16.json").kernel()
    plan = kernel.plan([tensor_of(a), tensor_of(b), tensor_of(c)])
    plan.launch(stream)

Nothing here copies or owns device memory: whoever makes a plan keeps its tensors alive.
"""

import ctypes
from ctypes import POINTER, byref, c_char_p, c_int, c_int32, c_int64, c_size_t, c_ubyte, c_uint64, c_void_p
from dataclasses import dataclass
from typing import Optional, Sequence, Union

# The version of tilert.h that this file was written from.
HEADER_MAJOR, HEADER_MINOR = 0, 1

DEVICE_HOST, DEVICE_ANY = -1, -2
ORDER_UNKNOWN, ORDER_PLAIN = 0, 1

DTYPES = ["bool", "int4", "uint4", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "f16", "bf16",
          "tf32", "f32", "f64", "fp8_e4m3", "fp8_e5m2", "fp4_e2m1", "e8m0"]

_TORCH_DTYPES = {"bool": "bool", "int8": "int8", "uint8": "uint8", "int16": "int16", "int32": "int32", "int64": "int64",
                 "float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64", "float8_e4m3fn": "fp8_e4m3",
                 "float8_e5m2": "fp8_e5m2"}


class _Tensor(ctypes.Structure):
    _fields_ = [("data", c_void_p), ("dtype", c_int), ("rank", c_int32), ("sizes", POINTER(c_int64)),
                ("strides", POINTER(c_int64)), ("device", c_int32), ("order", c_uint64)]


class _Scalar(ctypes.Structure):
    _fields_ = [("dtype", c_int), ("bits", c_uint64)]


class _Value(ctypes.Union):
    _fields_ = [("tensor", _Tensor), ("scalar", _Scalar)]


class _Argument(ctypes.Structure):
    _fields_ = [("kind", c_int), ("value", _Value)]


class _Workspace(ctypes.Structure):
    _fields_ = [("data", c_void_p), ("bytes", c_size_t)]


class _Parameter(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("kind", c_int), ("dtype", c_int), ("access", c_int), ("rank", c_int32),
                ("pack", c_int32), ("strided", c_int), ("noalias", c_int32), ("order", c_uint64)]


class _Variant(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("symbol", c_char_p), ("threads", c_int32), ("registers", c_int32),
                ("shared_bytes", c_int64), ("spill_bytes", c_int64)]


class _DeviceFacts(ctypes.Structure):
    _fields_ = [("sm_major", c_int32), ("sm_minor", c_int32), ("sm_count", c_int32), ("max_threads", c_int32),
                ("registers", c_int32), ("max_shared_bytes", c_int64)]


_KIND_TENSOR, _KIND_SCALAR = 1, 2

_SIGNATURES = {
    "tilert_version": (c_int, []),
    "tilert_code_name": (c_char_p, [c_int]),
    "tilert_status_message": (c_char_p, [c_void_p]),
    "tilert_status_driver_error": (c_char_p, [c_void_p]),
    "tilert_status_call": (c_char_p, [c_void_p]),
    "tilert_status_destroy": (None, [c_void_p]),
    "tilert_module_load": (c_int, [c_char_p, POINTER(c_void_p), POINTER(c_void_p)]),
    "tilert_module_destroy": (None, [c_void_p]),
    "tilert_module_target": (c_char_p, [c_void_p]),
    "tilert_kernel_get": (c_int, [c_void_p, c_char_p, POINTER(c_void_p), POINTER(c_void_p)]),
    "tilert_kernel_name": (c_char_p, [c_void_p]),
    "tilert_kernel_parameter_count": (c_size_t, [c_void_p]),
    "tilert_kernel_parameter": (POINTER(_Parameter), [c_void_p, c_size_t]),
    "tilert_kernel_dim_text": (c_char_p, [c_void_p, c_size_t, c_size_t]),
    "tilert_kernel_symbol_count": (c_size_t, [c_void_p]),
    "tilert_kernel_symbol_name": (c_char_p, [c_void_p, c_size_t]),
    "tilert_kernel_symbol_fixed": (c_int, [c_void_p, c_size_t, POINTER(c_int64)]),
    "tilert_kernel_variant_count": (c_size_t, [c_void_p]),
    "tilert_kernel_variant": (POINTER(_Variant), [c_void_p, c_size_t]),
    "tilert_device_count": (c_int, [POINTER(c_int32), POINTER(c_void_p)]),
    "tilert_device_facts_of_target": (c_int, [c_char_p, POINTER(_DeviceFacts), POINTER(c_void_p)]),
    "tilert_device_facts_query": (c_int, [c_int32, POINTER(_DeviceFacts), POINTER(c_void_p)]),
    "tilert_plan_create": (c_int, [c_void_p, POINTER(_Argument), c_size_t, POINTER(_DeviceFacts), c_char_p,
                                   POINTER(c_void_p), POINTER(c_void_p)]),
    "tilert_plan_destroy": (None, [c_void_p]),
    "tilert_plan_variant": (c_size_t, [c_void_p]),
    "tilert_plan_refusal": (c_char_p, [c_void_p, c_size_t]),
    "tilert_plan_grid": (c_int64, [c_void_p]),
    "tilert_plan_text": (c_char_p, [c_void_p]),
    "tilert_prepack_size": (c_int, [c_void_p, c_char_p, POINTER(_Tensor), POINTER(c_size_t), POINTER(c_void_p)]),
    "tilert_prepack": (c_int, [c_void_p, c_char_p, POINTER(_Tensor), c_void_p, c_void_p, POINTER(c_void_p)]),
    "tilert_launch": (c_int, [c_void_p, POINTER(_Argument), c_size_t, c_void_p, POINTER(c_void_p)]),
    "tilert_plan_launch": (c_int, [c_void_p, c_void_p, POINTER(c_void_p)]),
    "tilert_plan_workspace": (c_int64, [c_void_p]),
    "tilert_plan_launch_with": (c_int, [c_void_p, POINTER(_Workspace), c_void_p, POINTER(c_void_p)]),
    "tilert_plan_reserve": (c_int, [c_void_p, c_void_p, POINTER(c_void_p)]),
    "tilert_kernel_prepare": (c_int, [c_void_p, c_int32, POINTER(c_void_p)]),
}


class Error(Exception):
    """A status of the runtime."""

    def __init__(self, code: str, message: str, driver_error: str = "", call: str = ""):
        super().__init__(f"{code}: {message}")
        self.code, self.message, self.driver_error, self.call = code, message, driver_error, call


@dataclass
class Tensor:
    """An argument in memory that the caller owns; without strides it is dense. `order`: of prepacked memory."""
    address: int
    dtype: str
    sizes: Sequence[int]
    strides: Optional[Sequence[int]] = None
    device: int = DEVICE_ANY
    order: int = 0


@dataclass
class Scalar:
    """An argument by its bit pattern."""
    dtype: str
    bits: int


def tensor_of(array, dtype: Optional[str] = None, sizes: Optional[Sequence[int]] = None) -> Tensor:
    """Describes a torch tensor. `dtype` and `sizes` say what its bytes mean if torch has no such type: the elements of a
    dense 4-bit tensor and their extents."""
    device = array.device.index if array.is_cuda else DEVICE_HOST
    if dtype is not None:
        return Tensor(array.data_ptr(), dtype, list(array.shape if sizes is None else sizes), None, device)
    name = _TORCH_DTYPES[str(array.dtype).replace("torch.", "")]
    return Tensor(array.data_ptr(), name, list(array.shape), list(array.stride()), device)


def _text(value: Optional[bytes]) -> str:
    return value.decode() if value else ""


class _Arguments:
    """Arguments as C structures, which must stay alive during a call."""

    def __init__(self, arguments: Sequence[Union[Tensor, Scalar]]):
        self.count = len(arguments)
        self.array = (_Argument * max(1, self.count))()
        self._kept = []
        for slot, argument in zip(self.array, arguments):
            if isinstance(argument, Scalar):
                slot.kind = _KIND_SCALAR
                slot.value.scalar = _Scalar(DTYPES.index(argument.dtype), argument.bits)
                continue
            slot.kind = _KIND_TENSOR
            slot.value.tensor = _Tensor(argument.address or None, DTYPES.index(argument.dtype), len(argument.sizes),
                                        self._list(argument.sizes), self._list(argument.strides), argument.device,
                                        argument.order)

    def _list(self, values):
        if values is None:
            return None
        array = (c_int64 * max(1, len(values)))(*values)
        self._kept.append(array)
        return ctypes.cast(array, POINTER(c_int64))


class Library:
    """A loaded libtilert.so."""

    def __init__(self, path):
        self.c = ctypes.CDLL(str(path))
        for name, (result, arguments) in _SIGNATURES.items():
            function = getattr(self.c, name)
            function.restype, function.argtypes = result, arguments
        version = self.c.tilert_version()
        if version // 10000 != HEADER_MAJOR or version // 100 % 100 < HEADER_MINOR:
            raise Error("TILERT_NOT_FOUND", f"{path} is version {version // 10000}.{version // 100 % 100}, "
                        f"expected {HEADER_MAJOR}.{HEADER_MINOR}")

    def call(self, function, *arguments):
        """Calls a function that takes a status last."""
        status = c_void_p()
        code = function(*arguments, byref(status))
        if code:
            raise self.take_error(code, status)

    def take_error(self, code: int, status) -> Error:
        """The exception of a failed call; destroys its status."""
        error = Error(_text(self.c.tilert_code_name(code)), _text(self.c.tilert_status_message(status)),
                      _text(self.c.tilert_status_driver_error(status)), _text(self.c.tilert_status_call(status)))
        self.c.tilert_status_destroy(status)
        return error

    def load(self, path) -> "Module":
        handle = c_void_p()
        self.call(self.c.tilert_module_load, str(path).encode(), byref(handle))
        return Module(self, handle)

    def target_facts(self, target: str) -> _DeviceFacts:
        """Facts of a typical device of a target as "sm_90a", for plans without a GPU."""
        facts = _DeviceFacts()
        self.call(self.c.tilert_device_facts_of_target, target.encode(), byref(facts))
        return facts

    def device_facts(self, device: int = 0) -> _DeviceFacts:
        facts = _DeviceFacts()
        self.call(self.c.tilert_device_facts_query, device, byref(facts))
        return facts

    def device_count(self) -> int:
        count = c_int32()
        self.call(self.c.tilert_device_count, byref(count))
        return count.value


class Module:
    def __init__(self, library: Library, handle):
        self.library, self._handle = library, handle

    def __del__(self):
        self.library.c.tilert_module_destroy(self._handle)

    @property
    def target(self) -> str:
        return _text(self.library.c.tilert_module_target(self._handle))

    def kernel(self, name: Optional[str] = None) -> "Kernel":
        """The kernel of that name, or the only one."""
        handle = c_void_p()
        self.library.call(self.library.c.tilert_kernel_get, self._handle, name.encode() if name else None, byref(handle))
        return Kernel(self, handle)


@dataclass
class Parameter:
    name: str
    is_tensor: bool
    dtype: str
    access: str
    pack: Optional[int]
    dims: Sequence[str]
    order: int


@dataclass
class Variant:
    name: str
    threads: int
    registers: int
    shared_bytes: int
    spill_bytes: int


class Kernel:
    def __init__(self, module: Module, handle):
        self.module, self._handle = module, handle
        self.library, c = module.library, module.library.c
        self.name = _text(c.tilert_kernel_name(handle))
        self.parameters = [self._parameter(i) for i in range(c.tilert_kernel_parameter_count(handle))]
        self.variants = [self._variant(i) for i in range(c.tilert_kernel_variant_count(handle))]
        self.fixed_symbols = self._find_fixed_symbols()

    def _parameter(self, index) -> Parameter:
        c = self.library.c
        facts = c.tilert_kernel_parameter(self._handle, index).contents
        is_tensor = facts.kind == _KIND_TENSOR
        dims = [_text(c.tilert_kernel_dim_text(self._handle, index, dim)) for dim in range(facts.rank)] if is_tensor else []
        return Parameter(_text(facts.name), is_tensor, DTYPES[facts.dtype], ["in", "out", "inout"][facts.access],
                         facts.pack if is_tensor and facts.pack >= 0 else None, dims, facts.order if is_tensor else 0)

    def _variant(self, index) -> Variant:
        facts = self.library.c.tilert_kernel_variant(self._handle, index).contents
        return Variant(_text(facts.name), facts.threads, facts.registers, facts.shared_bytes, facts.spill_bytes)

    def _find_fixed_symbols(self):
        c, found = self.library.c, {}
        for i in range(c.tilert_kernel_symbol_count(self._handle)):
            value = c_int64()
            if c.tilert_kernel_symbol_fixed(self._handle, i, byref(value)):
                found[_text(c.tilert_kernel_symbol_name(self._handle, i))] = value.value
        return found

    def plan(self, arguments: Sequence[Union[Tensor, Scalar]], variant: Optional[str] = None,
             facts: Optional[_DeviceFacts] = None) -> "Plan":
        """`facts`: of the device to plan for; by default that of the arguments, if they are on one."""
        return Plan(self, arguments, variant, facts)

    def prepack(self, arguments: Sequence[Union[Tensor, Scalar]], allocate, stream: int = 0):
        """The arguments for a launch: those that the kernel takes prepacked are packed, on the stream, to memory that
        `allocate(bytes)` gives as a torch tensor. Gives these tensors too, which the caller keeps alive."""
        ready, memory = list(arguments), []
        for i, parameter in enumerate(self.parameters):
            if parameter.order in (ORDER_UNKNOWN, ORDER_PLAIN):
                continue
            plain, name, size = arguments[i], parameter.name.encode(), c_size_t()
            structures = _Arguments([plain])
            tensor = structures.array[0].value.tensor
            self.library.call(self.library.c.tilert_prepack_size, self._handle, name, byref(tensor), byref(size))
            packed = allocate(max(1, size.value))
            memory.append(packed)
            self.library.call(self.library.c.tilert_prepack, self._handle, name, byref(tensor), packed.data_ptr(), stream or None)
            ready[i] = Tensor(packed.data_ptr(), plain.dtype, plain.sizes, plain.strides, plain.device, parameter.order)
        return ready, memory

    def launch(self, arguments: Sequence[Union[Tensor, Scalar]], stream: int = 0):
        """Checks the arguments and launches once."""
        packed = _Arguments(arguments)
        self.library.call(self.library.c.tilert_launch, self._handle, packed.array, packed.count, stream or None)

    def prepare(self, device: int = 0):
        self.library.call(self.library.c.tilert_kernel_prepare, self._handle, device)


class Plan:
    """Arguments bound to a kernel, and the variant chosen for them."""

    def __init__(self, kernel: Kernel, arguments: Sequence[Union[Tensor, Scalar]], variant: Optional[str],
                 facts: Optional[_DeviceFacts] = None):
        self.kernel, self.library = kernel, kernel.library
        packed, self._handle, self._workspace = _Arguments(arguments), c_void_p(), None
        c = self.library.c
        devices = [a.device for a in arguments if isinstance(a, Tensor) and a.device >= 0]
        if facts is None and devices:
            facts = self.library.device_facts(devices[0])
        self.library.call(c.tilert_plan_create, kernel._handle, packed.array, packed.count, byref(facts) if facts else None,
                          variant.encode() if variant else None, byref(self._handle))
        chosen = c.tilert_plan_variant(self._handle)
        self.variant = kernel.variants[chosen]
        self.grid = c.tilert_plan_grid(self._handle)
        # Why the variants before the chosen one were not taken, in order.
        self.refusals = [_text(c.tilert_plan_refusal(self._handle, i)) for i in range(chosen)]

    def __del__(self):
        self.library.c.tilert_plan_destroy(self._handle)

    def __str__(self):
        return _text(self.library.c.tilert_plan_text(self._handle))

    def reserve(self, stream: int = 0):
        """Makes the workspace that launches on the stream need, if they do."""
        self.library.call(self.library.c.tilert_plan_reserve, self._handle, stream or None)

    @property
    def workspace_bytes(self):
        """What a launch needs beside its arguments."""
        return self.library.c.tilert_plan_workspace(self._handle)

    def lend(self, address: int):
        """Gives later launches a workspace of `workspace_bytes` zeros, which whoever lends it keeps: for launches that a graph captures."""
        self._workspace = _Workspace(address, self.workspace_bytes)

    def launch(self, stream: int = 0):
        status = c_void_p()
        if self._workspace:
            code = self.library.c.tilert_plan_launch_with(self._handle, byref(self._workspace), stream, byref(status))
        else:
            code = self.library.c.tilert_plan_launch(self._handle, stream, byref(status))
        if code:
            raise self.library.take_error(code, status)
