# Calls CUDA's libraries with ctypes, as Python packages do. If a call fails, the program ends.
import ctypes
import struct
import sys
from ctypes import byref, c_int, c_size_t, c_uint, c_void_p


class Library:
    def __init__(self, path):
        self.file = ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)

    def __getattr__(self, name):
        function = getattr(self.file, name)

        def call(*arguments):
            status = function(*arguments)
            if status != 0:
                sys.exit(f"{name} returns {status}")

        return call


def number(call, *arguments, kind=c_int):
    """Returns the value that the function writes through its first argument."""
    value = kind()
    call(byref(value), *arguments)
    return value.value


def pointers_to(*values):
    pointers = (c_void_p * len(values))(*(ctypes.addressof(v) for v in values))
    pointers.kept = values
    return pointers


def fatbin_of(cubin):
    padded = cubin + bytes(-len(cubin) % 8)
    entry = struct.pack("<HHIQ", 2, 0x101, 64, len(padded)) + bytes(12) + struct.pack("<I", 90) + bytes(32)
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(entry) + len(padded)) + entry + padded


# transpose_plain of examples/transpose.cubin: float* out, const float* in, int n
side = 64
values = (ctypes.c_float * (side * side))(*range(side * side))


def is_transposed(got):
    return all(got[y * side + x] == values[x * side + y] for y in range(side) for x in range(side))
