"""Compiles a kernel of Triton without a GPU, and finds the arguments that its machine code takes."""
from ._errors import Error
from ._memory import Memory, is_memory


class _Target:
    """Replaces Triton's driver during compilation, because the machine may have no GPU. It names the GPU to compile for."""

    def __init__(self, sm):
        from triton.backends.compiler import GPUTarget

        self._target = GPUTarget("cuda", sm, 32)

    def get_current_target(self):
        return self._target

    def get_current_device(self):  # kernels are cached by device; no GPU has this index
        return "bankwise-{}".format(self._target.arch)

    def get_current_stream(self, device=None):
        return 0


class _Pointer:
    """The properties of an array that Triton uses to choose code: its type, and whether its address is a multiple of 16."""

    def __init__(self, dtype, address):
        self.dtype, self._address = dtype, address

    def data_ptr(self):
        return self._address


def _pointers(arguments):
    """Returns the arguments in the form that Triton accepts. Each array begins at a multiple of 256, unless it is a part of
    an earlier array."""
    seen, given = [], []
    for number, value in enumerate(arguments, 1):
        if not is_memory(value) or isinstance(value, bytes):
            given.append(value)
            continue
        place = Memory(value, "argument {}".format(number))
        inside = [p for p in seen if p.address <= place.address and place.end <= p.end]
        seen.append(place)
        given.append(_Pointer(value.dtype, place.address - inside[0].address if inside else 0))
    return given


def compile(kernel, grid, args, *, sm=90, **options):
    """The result of Triton's compilation for these arguments, with `asm` and `metadata`. `options`: the constants
    and num_warps, num_stages ..."""
    try:
        from triton.runtime.driver import driver
    except ImportError:
        raise Error("Triton is not installed", hint="install Triton with pip install triton") from None
    while hasattr(kernel, "configs") and hasattr(kernel, "fn"):  # @triton.autotune: the caller chooses a configuration
        kernel = kernel.fn
    before = getattr(driver, "_active", None)
    driver.set_active(_Target(sm))
    try:
        return kernel.run(*_pointers(args), grid=grid, warmup=True, **options)
    except Exception as why:
        raise Error("Triton could not compile {}: {}".format(getattr(kernel, "__name__", kernel), why)) from why
    finally:
        driver.set_active(before)


def passed_arguments(compiled, kernel, args, options):
    """Returns the arguments that the machine code takes. Omits constants, and arguments that Triton turned into constants."""
    names = list(compiled.src.signature)
    values = dict(zip(names, args))
    values.update(options)
    passed = []
    for name, kind in compiled.src.signature.items():
        if kind == "constexpr":
            continue
        if isinstance(kind, (tuple, list)) or str(kind).startswith("tensordesc"):
            raise Error("argument {} is a {}: only arrays and numbers are supported".format(name, kind))
        value = values.get(name)
        passed.append(float(value) if str(kind).startswith("fp") and isinstance(value, int) else value)
    return passed
