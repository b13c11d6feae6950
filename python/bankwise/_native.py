"""Calls the functions of the native library. They are in native.cpp and in src/wasm/explorer.cpp, which the web page also uses."""
import ctypes
import json
import os
import pathlib
import threading

from ._errors import Error

_library = ctypes.CDLL(str(pathlib.Path(__file__).parent / "native" / "libbankwise-python.so"))
_input, _answer, _output, _said = (getattr(_library, "bw_" + name) for name in ("input", "answer", "output", "said"))
_input.argtypes, _input.restype = [ctypes.c_uint32], ctypes.c_void_p
_answer.argtypes, _answer.restype = [ctypes.c_uint32, ctypes.c_uint32], ctypes.c_int32
_output.restype, _said.restype = ctypes.c_void_p, ctypes.c_char_p
_predict, _expect = _library.bw_predict, _library.bw_expect
_predict.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_char, ctypes.c_uint64, ctypes.c_void_p,
                     ctypes.c_uint32, ctypes.POINTER(ctypes.c_void_p)]
_expect.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_int64]

# The kinds of answers, in the order of the library's enum.
KINDS = ("json", "svg", "narrow_svg", "svg_file", "cpp", "command", "text", "vocabulary")
MOST_INPUT = 1 << 20
_lock = threading.RLock()  # a question and its answer share one buffer
if hasattr(os, "register_at_fork"):
    # After a fork, the child process only has the thread that forked. If another thread held the lock during the fork,
    # the child would wait forever. If another thread wrote an answer, the child would read half of it.
    os.register_at_fork(before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release)


def ask(kind, question):
    """Returns the library's answer to a question, as text. `question`: the bytes for bw_input()."""
    if len(question) > MOST_INPUT:
        raise Error("the access and its arguments have more than {:,} bytes. Pass fewer addresses".format(MOST_INPUT))
    with _lock:
        ctypes.memmove(_input(len(question)), question, len(question))
        length = _answer(KINDS.index(kind), len(question))
        text = ctypes.string_at(_output(), abs(length)).decode()
    if length < 0:
        raise Error.from_dict(json.loads(text))
    return text


def _check(status):
    if status < 0:
        raise Error.from_dict(json.loads(_said()))
    return status


def predict(op, arch, address, kind, rows, masks, mask, columns):
    """Fills the five arrays in `columns`: wavefronts, ideal, reachable, passes, cycles. Each array has one 32-bit number per row."""
    pointers = (ctypes.c_void_p * len(columns))(*columns)
    _check(_predict(op.encode(), arch.encode(), address, kind.encode(), rows, masks, mask, pointers))


def failed_expectation(op, arch, addresses, mask, expected):
    """Returns the reason why an access does not take `expected` wavefronts, or None. If `expected` is -1, says why it has conflicts."""
    lanes = (ctypes.c_uint32 * 32)(*addresses)
    return _said().decode() if _check(_expect(op.encode(), arch.encode(), lanes, mask, expected)) else None
