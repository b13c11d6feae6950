"""Chooses configurations of Triton's kernels by predicted times: directly, or in Triton's own autotuner."""
import contextlib
import math
import re
import typing

from . import _tune
from ._batch import times_of
from ._errors import Error
from ._triton_compile import compile, passed_arguments


def product(numbers):
    n = 1
    for one in numbers if isinstance(numbers, (tuple, list)) else (numbers,):
        n *= one
    return n


def launch_of(compiled, kernel, blocks, args, options):
    """Returns how to launch the machine code of a compiled kernel, by the names of run()'s parameters."""
    metadata = compiled.metadata
    threads = re.search(r"\.(?:reqntid|maxntid)\s+(\d+)", str(compiled.asm.get("ptx", "")))
    passed = passed_arguments(compiled, kernel, args, options)
    scratch = getattr(metadata, "global_scratch_size", 0) or 0
    passed.append("u8[{}]=zero".format(scratch * product(blocks)) if scratch else None)
    passed.append(None)  # Triton passes these pointers itself: scratch in global memory, and its profiler's memory
    cluster = tuple(getattr(metadata, "cluster_dims", (1, 1, 1)) or (1, 1, 1))
    return dict(source=compiled.asm["cubin"], kernel=metadata.name, grid=blocks,
                block=int(threads.group(1)) if threads else 32 * metadata.num_warps, args=passed, shared=metadata.shared,
                cluster=cluster if product(cluster) > 1 else None)


def on_the_cpu(value):
    """Returns a tensor of a GPU as a tensor on the CPU, and everything else as it is."""
    return value.detach().cpu() if getattr(value, "is_cuda", False) and hasattr(value, "cpu") else value


def options_of(config):
    """Returns the constants and options of a configuration, which is a dictionary or a triton.Config."""
    if hasattr(config, "all_kwargs"):
        return dict(config.all_kwargs())
    if hasattr(config, "kwargs"):
        return {**config.kwargs, "num_warps": config.num_warps, "num_stages": config.num_stages}
    return dict(config)


def inner(kernel):
    """Returns the kernel below @triton.autotune and @triton.heuristics, and the functions of the heuristics by name."""
    heuristics = {}
    while not hasattr(kernel, "params") and hasattr(kernel, "fn"):
        heuristics.update(getattr(kernel, "values", None) or {})
        kernel = kernel.fn
    return kernel, heuristics


def positional(kernel, args, options):
    """Appends the arguments that were passed by name, except constants. Returns the arguments and the other options."""
    constants = {p.name for p in getattr(kernel, "params", ()) if getattr(p, "is_constexpr", False)}
    args, options = list(args), dict(options)
    for name in getattr(kernel, "arg_names", ())[len(args):]:
        if name in constants or name not in options:
            break
        args.append(options.pop(name))
    return args, options


def times(outer, grid, given, configurations, *, sm, gpu, caches, stop_above, executor, jobs):
    """Returns a LaunchTime or an Error for each configuration. Triton compiles them here."""
    kernel, heuristics = inner(outer)
    names = getattr(kernel, "arg_names", ())
    on_cpu = {}  # each tensor is copied once, so that launches share their files
    launches = []
    for config in configurations:
        args, options = positional(kernel, given, options_of(config))
        args = [on_cpu.setdefault(id(value), (value, on_the_cpu(value)))[1] for value in args]
        try:
            for name, heuristic in heuristics.items():
                options[name] = heuristic({**dict(zip(names, args)), **options})
            blocks = grid({**dict(zip(names, args)), **options}) if callable(grid) else grid
            launches.append(launch_of(compile(kernel, grid, args, sm=sm, **options), kernel, blocks, args, options))
        except Error as why:
            launches.append(why)
        except Exception as why:  # a heuristic or the grid is the user's function
            launches.append(Error("the configuration {} failed: {}: {}".format(config, type(why).__name__, why)))
    defaults = {name: value for name, value in dict(gpu=gpu, caches=caches, stop_above=stop_above).items() if value is not None}
    return times_of(launches, defaults, executor, jobs)


def tune(kernel: typing.Any, grid: typing.Any, args: typing.Sequence[typing.Any],
         configurations: typing.Optional[typing.Iterable[typing.Any]] = None, *, sm: int = 90, gpu: typing.Optional[str] = None,
         caches: typing.Optional[str] = None, stop_above: typing.Optional[float] = None, executor: typing.Any = None,
         jobs: typing.Optional[int] = None) -> typing.List["_tune.Tuned"]:
    """Predicts a kernel in several configurations, and returns a list of bankwise.Tuned, the fastest first. No GPU is needed.

    A configuration is a dictionary of constants and options, or a triton.Config. If the kernel has @triton.autotune, the default is the
    kernel's own list. `grid`: the same as in kernel[grid]. The arrays do not change. bankwise.time_many() explains the other parameters.

    >>> found = bankwise.triton.tune(attention, (4,), attention_args, [{**attention_options, "num_warps": n} for n in (4, 8, 16)])
    >>> [one.config["num_warps"] for one in found], found[-1].error is not None
    ([8, 4, 16], True)
    """
    if configurations is None:
        if not hasattr(kernel, "configs"):
            raise Error("no configurations are given, and {} has no list of configurations".format(getattr(kernel, "__name__", "the kernel")),
                        hint="pass a list such as [dict(BM=64, num_warps=4), ...], or use @triton.autotune")
        configurations = kernel.configs
    listed = list(configurations)
    return _tune.ordered(listed, times(kernel, grid, args, listed, sm=sm, gpu=gpu, caches=caches, stop_above=stop_above,
                                       executor=executor, jobs=jobs))


def prune(kernel: typing.Any, keep: int = 1, *, sm: int = 90, gpu: typing.Optional[str] = None, caches: typing.Optional[str] = None,
          executor: typing.Any = None, jobs: typing.Optional[int] = None
          ) -> typing.Callable[..., typing.List[typing.Any]]:
    """Returns a function for prune_configs_by={"early_config_prune": ...} of @triton.autotune. It keeps the `keep` configurations with the
    shortest predicted times. If it keeps one, Triton measures nothing.

    `kernel`: the kernel, or a function without parameters that returns it, because the line of @triton.autotune is above the kernel. If no
    configuration can be predicted, all of them are kept.

    >>> keep = bankwise.triton.prune(attention)
    >>> keep([{**attention_options, "num_warps": n} for n in (4, 8)], dict(zip(attention.arg_names, attention_args)), grid=(4,))[0]["num_warps"]
    8
    """

    def early_config_prune(configs, named_args, **kwargs):
        of = kernel if hasattr(kernel, "arg_names") else kernel()
        grid = kwargs.pop("grid")
        kwargs.pop("warmup", None)
        asked = [{**kwargs, **options_of(config)} for config in configs]
        found = times(of, grid, list(named_args.values()), asked, sm=sm, gpu=gpu, caches=caches, stop_above=None, executor=executor,
                      jobs=jobs)
        order = _tune.ordered(list(configs), found)
        return [one.config for one in order if one.error is None][:keep] or list(configs)

    return early_config_prune


class _Launch(Exception):
    """Ends a launch of Triton when its kernel, arguments and options are known."""


@contextlib.contextmanager
def _caught_launches(caught):
    """While this is active, a kernel of Triton is not launched. Its kernel, arguments and options are put into the list."""
    try:
        from triton.runtime.jit import JITFunction
    except ImportError:
        raise Error("Triton is not installed", hint="install Triton with pip install triton") from None
    run = JITFunction.run

    def catch(self, *args, **kwargs):
        caught.append((self, args, kwargs))
        raise _Launch

    JITFunction.run = catch
    try:
        yield
    except _Launch:
        pass
    finally:
        JITFunction.run = run


def do_bench(kernel_call: typing.Callable[[], typing.Any], warmup: int = 25, rep: int = 100, grad_to_none: typing.Any = None,
             quantiles: typing.Optional[typing.Sequence[float]] = None, return_mode: str = "mean", *, sm: int = 90,
             gpu: typing.Optional[str] = None, caches: typing.Optional[str] = None) -> typing.Any:
    """Replaces triton.testing.do_bench: returns the predicted time of the kernel that the call launches, in milliseconds. It can be passed
    as do_bench= to @triton.autotune. With `quantiles`, it returns a list with this time for each of them, because a prediction has no spread.
    If the kernel cannot be predicted, the time is infinite.

    `kernel_call`: a function that launches one kernel. The launch is caught, so the kernel does not run. `warmup`, `rep`, `grad_to_none`
    and `return_mode` have no effect.

    >>> call = lambda: attention[(4,)](*attention_args, **attention_options)
    >>> 0 < bankwise.triton.do_bench(call) < 1, len(bankwise.triton.do_bench(call, quantiles=(0.5, 0.2, 0.8)))
    (True, 3)
    """
    caught: typing.List[typing.Any] = []
    with _caught_launches(caught):
        kernel_call()
    if not caught:
        raise Error("the call launches no kernel of Triton")
    kernel, args, options = caught[0]
    grid = options.pop("grid")
    options.pop("warmup", None)
    time, = times(kernel, grid, args, [options], sm=sm, gpu=gpu, caches=caches, stop_above=None, executor=None, jobs=1)
    milliseconds = math.inf if isinstance(time, Error) or time.microseconds is None else time.microseconds / 1000
    return milliseconds if quantiles is None else [milliseconds] * len(quantiles)


def autotune(configs: typing.Sequence[typing.Any], key: typing.Sequence[str], keep: int = 1, *, sm: int = 90,
             gpu: typing.Optional[str] = None, caches: typing.Optional[str] = None, executor: typing.Any = None,
             jobs: typing.Optional[int] = None, **others: typing.Any) -> typing.Callable[[typing.Any], typing.Any]:
    """The decorator @triton.autotune, which chooses by predicted times instead of measured times. With `keep` above 1, Triton measures this
    number of the best configurations on the GPU, or with the function do_bench among `others`. `others` are further arguments of
    @triton.autotune.

    >>> tuner = bankwise.triton.autotune([triton.Config(dict(BM=32, BN=64, D=64), num_warps=n) for n in (4, 8)], ["n"])(attention)
    >>> tuner[(4,)](*attention_args)
    >>> tuner.best_config.num_warps
    8
    """
    try:
        import triton
    except ImportError:
        raise Error("Triton is not installed", hint="install Triton with pip install triton") from None
    pruned = dict(others.pop("prune_configs_by", None) or {})
    first = pruned.pop("early_config_prune", None)

    def decorate(kernel):
        ours = prune(kernel, keep, sm=sm, gpu=gpu, caches=caches, executor=executor, jobs=jobs)

        def early_config_prune(some, named_args, **kwargs):
            return ours(first(some, named_args, **kwargs) if first else some, named_args, **kwargs)

        return triton.autotune(configs=configs, key=key, prune_configs_by={**pruned, "early_config_prune": early_config_prune},
                               **others)(kernel)

    return decorate
