"""Kernels of CuTe DSL: the result of cute.compile() is a `source` for bankwise.run(), if CuTe DSL kept the cubin.

    os.environ.update(CUTE_DSL_KEEP="cubin", CUTE_DSL_LINEINFO="1")
    compiled = cute.compile(launch, out, x)
    report = bankwise.run(compiled, grid=(2, 2), block=(32, 8), args=[tensor(out), tensor(x)])

Set the environment variables before you import CuTe DSL.
"""
from typing import Any, Optional, Sequence, Tuple

from ._errors import Error, raises_errors
from ._memory import Memory


@raises_errors
def tensor(array: Any, shape: Optional[Sequence[int]] = None, strides: Optional[Sequence[int]] = None) -> Tuple[Any, ...]:
    """Makes an argument from an array, for a parameter that is a tensor with a dynamic layout. The argument is a struct
    of the array's address, shape and strides. `shape` and `strides`: the extents and strides that are not constants of
    the kernel, in elements. By default, the struct contains all extents, and all strides except the last, which is 1.
    This default is right if your program passes a torch tensor directly.

    >>> import array, bankwise
    >>> x = memoryview(array.array("f", range(64 * 64))).cast("B").cast("f", (64, 64))
    >>> tensor(x)[1:]
    ('i32=64', 'i32=64', 'i64=64')
    >>> out = array.array("f", bytes(4 * 64 * 64))
    >>> report = bankwise.run(tensors, "transpose_tensors", grid=(2, 2), block=(32, 8),
    ...                       args=[tensor(out, (64, 64), (64,)), tensor(x)])
    >>> out[1] == x[1, 0], report.removable
    (True, 3968)
    """
    place = Memory(array, "the tensor")
    if shape is None:
        shape = place.shape
    if strides is None:
        strides = [1]
        for n in reversed(place.shape[1:]):
            strides.insert(0, strides[0] * n)
        strides.pop()
    if any(not 0 <= n < 1 << 31 for n in shape):
        raise Error("a shape of {} is too large, because CuTe's shapes have 32 bits".format(tuple(shape)))
    return (array, *("i32={}".format(int(n)) for n in shape), *("i64={}".format(int(n)) for n in strides))
