"""Device memory and streams through the CUDA driver, for tests that must not need torch or numpy."""

import ctypes
import os
from ctypes import byref, c_char_p, c_int, c_size_t, c_uint, c_uint64, c_void_p

_SIGNATURES = {
    "cuInit": [c_uint],
    "cuGetErrorName": [c_int, c_void_p],
    "cuDeviceGet": [c_void_p, c_int],
    "cuDevicePrimaryCtxRetain": [c_void_p, c_int],
    "cuCtxPushCurrent_v2": [c_void_p],
    "cuCtxPopCurrent_v2": [c_void_p],
    "cuCtxGetCurrent": [c_void_p],
    "cuCtxSynchronize": [],
    "cuStreamCreate": [c_void_p, c_uint],
    "cuStreamSynchronize": [c_void_p],
    "cuMemAlloc_v2": [c_void_p, c_size_t],
    "cuMemcpyHtoD_v2": [c_uint64, c_char_p, c_size_t],
    "cuMemcpyDtoH_v2": [c_void_p, c_uint64, c_size_t],
}


class Device:
    """A device with its primary context, current in the thread that made it. Memory lives as long as the process."""

    def __init__(self, number: int = 0):
        # The library that the runtime takes, too.
        self._cuda = ctypes.CDLL(os.environ.get("TILE_LIBCUDA") or "libcuda.so.1")
        for name, arguments in _SIGNATURES.items():
            getattr(self._cuda, name).argtypes = arguments
        device, self.context = c_int(), c_void_p()
        self._call("cuInit", 0)
        self._call("cuDeviceGet", byref(device), number)
        self._call("cuDevicePrimaryCtxRetain", byref(self.context), device)
        self.enter()

    def _call(self, name, *arguments):
        code = getattr(self._cuda, name)(*arguments)
        if code:
            text = c_char_p()
            self._cuda.cuGetErrorName(code, byref(text))
            raise RuntimeError(f"{name}: {text.value.decode() if text.value else code}")

    def enter(self):
        """Makes the context current in this thread."""
        self._call("cuCtxPushCurrent_v2", self.context)

    def leave(self):
        self._call("cuCtxPopCurrent_v2", byref(c_void_p()))

    def current(self):
        """The context that is current in this thread, or None."""
        context = c_void_p()
        self._call("cuCtxGetCurrent", byref(context))
        return context.value

    def allocate(self, size: int) -> int:
        address = c_uint64()
        self._call("cuMemAlloc_v2", byref(address), size)
        return address.value

    def upload(self, address: int, data: bytes):
        self._call("cuMemcpyHtoD_v2", address, data, len(data))

    def download(self, address: int, size: int) -> bytes:
        data = ctypes.create_string_buffer(size)
        self._call("cuMemcpyDtoH_v2", data, address, size)
        return data.raw

    def make_stream(self) -> int:
        stream = c_void_p()
        non_blocking = 1
        self._call("cuStreamCreate", byref(stream), non_blocking)
        return stream.value

    def synchronize(self, stream: int = 0):
        if stream:
            self._call("cuStreamSynchronize", stream)
        else:
            self._call("cuCtxSynchronize")
