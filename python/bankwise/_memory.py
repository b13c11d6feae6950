"""Accesses the caller's memory through the buffer protocol (numpy, array, bytes) or DLPack (tensors on the CPU), without a copy."""
import ctypes
import re

from ._errors import Error

CPU = 1  # DLPack's kDLCPU

# The element type for a type code and a number of bits, as in DLPack.
DLPACK_TYPES = {(code, bits): letter + str(bits) for code, letter in ((0, "i"), (1, "u"), (2, "f"))
                for bits in (8, 16, 32, 64)}
DLPACK_TYPES.update({(4, 16): "bf16", (6, 8): "u8"})
# The element type for a letter of the struct module. The size of C's long depends on the machine.
FORMATS = {"b": "i8", "B": "u8", "h": "i16", "H": "u16", "i": "i32", "I": "u32", "q": "i64", "Q": "u64", "e": "f16",
           "f": "f32", "d": "f64", "?": "u8", "c": "u8", "l": "i" + str(8 * ctypes.sizeof(ctypes.c_long)),
           "L": "u" + str(8 * ctypes.sizeof(ctypes.c_long)), "n": "i64", "N": "u64"}
COMPLEX = {"F": "f32", "D": "f64"}


class _Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("dimensions", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


class _Buffer(ctypes.Structure):  # Py_buffer
    _fields_ = [("buf", ctypes.c_void_p), ("obj", ctypes.c_void_p), ("len", ctypes.c_ssize_t),
                ("itemsize", ctypes.c_ssize_t), ("readonly", ctypes.c_int), ("ndim", ctypes.c_int),
                ("format", ctypes.c_char_p), ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p),
                ("suboffsets", ctypes.c_void_p), ("internal", ctypes.c_void_p)]


_get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_get_pointer.argtypes, _get_pointer.restype = [ctypes.py_object, ctypes.c_char_p], ctypes.c_void_p
_get_buffer, _release = ctypes.pythonapi.PyObject_GetBuffer, ctypes.pythonapi.PyBuffer_Release
_get_buffer.argtypes, _release.argtypes = [ctypes.py_object, ctypes.POINTER(_Buffer), ctypes.c_int], [ctypes.c_void_p]
FULL_READ_ONLY = 0x0100 | 0x0010 | 0x0008 | 0x0004  # PyBUF_FULL_RO


class Memory:
    """Keeps the memory of an array alive, and has its address, bytes, shape, and the type of its elements in the form of `--arg`."""

    def __init__(self, thing, name):
        self.name = name
        self._view = None
        if _has_buffer(thing):
            self._take_buffer(thing)
        elif not hasattr(thing, "__dlpack__"):
            raise Error("{} is a {}, not an array".format(name, type(thing).__name__))
        else:
            self._take_tensor(thing)

    def __del__(self):
        if self._view is not None:
            _release(ctypes.byref(self._view))

    @property
    def end(self):
        return self.address + self.bytes

    def read(self):
        return ctypes.string_at(self.address, self.bytes)

    def write(self, data):
        if len(data) != self.bytes:
            raise Error("{}: the data have {} bytes, but the array has {} bytes".format(self.name, len(data), self.bytes))
        ctypes.memmove(self.address, data, len(data))

    def _take_buffer(self, thing):
        seen = memoryview(thing)
        # Finds pointers to Python objects, also in fields of records. Colons enclose the names of fields.
        if "O" in re.sub(":[^:]*:", "", seen.format) or getattr(getattr(thing, "dtype", None), "hasobject", False):
            raise Error("{} is an array of Python objects".format(self.name),
                        hint="a kernel needs numbers: set a dtype, for example with numpy.asarray(a, numpy.float32)")
        if "w" in re.sub(":[^:]*:", "", seen.format):
            raise Error("{} is an array of text".format(self.name), hint="a kernel needs numbers or bytes. a.encode() converts text to bytes")
        if not seen.c_contiguous:
            self._refuse_gaps()
        self.shape, self.itemsize, self.bytes, self.readonly = seen.shape, seen.itemsize, seen.nbytes, seen.readonly
        letter = seen.format.lstrip("@=<")
        self.type = FORMATS.get(letter) or COMPLEX.get(letter.lstrip("Z").upper() if letter[:1] == "Z" else letter)
        if seen.format.startswith((">", "!")) and self.itemsize > 1:
            raise Error("the numbers of {} have the wrong byte order".format(self.name))
        self.type = self.type or "u8"  # records are passed as bytes
        view = _Buffer()
        _get_buffer(thing, ctypes.byref(view), FULL_READ_ONLY)
        self._view = view
        self.address = view.buf or 0

    def _take_tensor(self, thing):
        device = tuple(int(n) for n in thing.__dlpack_device__())
        if device[0] != CPU:
            raise Error("{} is not in the CPU's memory".format(self.name),
                        hint="bankwise executes kernels on the CPU. Pass tensor.cpu(), which copies the tensor to the CPU's memory")
        try:
            self._capsule = thing.__dlpack__()
        except (BufferError, RuntimeError) as why:
            raise Error("{}: {}".format(self.name, why)) from None
        t = ctypes.cast(_get_pointer(self._capsule, b"dltensor"), ctypes.POINTER(_Tensor)).contents
        self.shape = tuple(t.shape[i] for i in range(t.dimensions))
        self.itemsize = t.bits * t.lanes // 8
        self.readonly = False
        self.type = "f" + str(t.bits // 2) if t.code == 5 else DLPACK_TYPES.get((t.code, t.bits), "u8")
        self.bytes, expected = self.itemsize, 1
        for i in reversed(range(t.dimensions)):
            if t.strides and self.shape[i] > 1 and t.strides[i] != expected:
                self._refuse_gaps()
            expected *= self.shape[i]
            self.bytes *= self.shape[i]
        self.address = (t.data or 0) + t.byte_offset

    def _refuse_gaps(self):
        raise Error("{} is not contiguous".format(self.name),
                    hint="pass numpy.ascontiguousarray(a) or tensor.contiguous()")


def _has_buffer(thing):
    try:
        memoryview(thing)
    except (TypeError, BufferError, ValueError):
        return False
    return True


def is_memory(thing):
    """Whether Memory() accepts the value."""
    return _has_buffer(thing) or hasattr(thing, "__dlpack__")
