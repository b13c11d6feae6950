"""The code in kernels that other packages compiled: Triton, CuTe DSL and CuPy."""
from ._errors import Error


def code_of(thing):
    """Returns the source for run(), the name of its only kernel or None, and flags for nvcc.

    Triton: the result of a compilation has `asm`. CuTe DSL: `__cubin__`, which run() reads itself. CuPy: RawKernel and RawModule have
    `code` and `options`, or the `file_path` of a compiled file.

    >>> import types
    >>> code_of(types.SimpleNamespace(code="__global__ void f() {}", options=("-DN=4",), file_path=None, name="f"))
    ('__global__ void f() {}', 'f', ['-DN=4'])
    >>> code_of("gemm.cu")
    ('gemm.cu', None, [])
    """
    asm = getattr(thing, "asm", None)
    if hasattr(asm, "get") and asm.get("cubin"):
        return asm["cubin"], getattr(getattr(thing, "metadata", None), "name", None), []
    if hasattr(thing, "file_path") and hasattr(thing, "code"):
        code = thing.file_path if thing.file_path else thing.code
        if not code:
            raise Error("{} has neither code nor file_path".format(type(thing).__name__))
        name = getattr(thing, "name", None)
        is_text = not thing.file_path
        return code + ("\n" if is_text and "\n" not in code and "{" not in code else ""), name, list(thing.options or ()) if is_text else []
    return thing, None, []


def is_kernel(thing):
    """Whether the thing is a kernel, although it can also be called.

    >>> is_kernel(len)
    False
    """
    return hasattr(thing, "__cubin__") or hasattr(thing, "asm") or (hasattr(thing, "file_path") and hasattr(thing, "code"))
