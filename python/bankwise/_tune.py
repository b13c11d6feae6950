"""Predicts a kernel in many configurations, and orders them by time."""
import dataclasses
import math
import typing

from ._batch import LaunchTime, named, times_of
from ._compiled import is_kernel
from ._document import Document
from ._errors import Error, raises_errors


@dataclasses.dataclass(frozen=True)
class Tuned(Document):
    """One configuration of tune(), with its predicted time or its error.

    >>> best = choices[0]
    >>> best.config, best.time.bound, best.error
    ({'kernel': 'transpose_padded'}, 'L2', None)
    """

    config: typing.Any
    time: typing.Optional[LaunchTime] = None
    error: typing.Optional[Error] = None

    @property
    def microseconds(self) -> float:
        """The predicted time. It is infinite if there is none, because of an error or because the prediction was stopped.

        >>> choices[0].microseconds < choices[1].microseconds
        True
        """
        return math.inf if self.time is None or self.time.microseconds is None else self.time.microseconds

    def to_dict(self) -> typing.Dict[str, typing.Any]:
        """A dictionary of the configuration and its time or error.

        >>> sorted(choices[0].to_dict())
        ['config', 'time']
        """
        if self.error is not None:
            return {"config": self.config, "error": self.error.message}
        return {"config": self.config, "time": self.time.to_dict() if self.time is not None else None}


def _of_config(value, config):
    return value(config) if callable(value) else value


def _flags(config):
    return ["-D{}={}".format(name, int(value) if isinstance(value, bool) else value) for name, value in config.items()]


def _launches(fn_or_kernel, configs, args, rest):
    """Returns a launch or an Error for each configuration."""
    by_function = callable(fn_or_kernel) and not is_kernel(fn_or_kernel)
    if by_function and hasattr(fn_or_kernel, "arg_names") and hasattr(fn_or_kernel, "run"):
        raise Error("this is a kernel of Triton", hint="pass it to bankwise.triton.tune()")
    launches = []
    for config in configs:
        try:
            launch = dict(rest)
            if by_function:
                launch.update(named(fn_or_kernel(config)))
            else:
                launch.update(source=fn_or_kernel, nvcc=[*(rest.get("nvcc") or []), *_flags(config)])
                launch = {name: _of_config(value, config) if name != "source" else value for name, value in launch.items()}
            launch.setdefault("args", args)
            launches.append(launch)
        except Error as why:
            launches.append(why)
        except Exception as why:  # the function is the user's, and the other configurations may work
            launches.append(Error("the configuration {} failed: {}: {}".format(config, type(why).__name__, why)))
    return launches


def ordered(configs, results):
    """Returns the configurations with their results. Times come first, the shortest before all, then stopped predictions, and then errors."""
    found = [Tuned(config, error=one) if isinstance(one, Error) else Tuned(config, one) for config, one in zip(configs, results)]
    return sorted(found, key=lambda one: (one.error is not None, one.microseconds))


@raises_errors
def tune(fn_or_kernel, configs, args=(), *, kernel=None, grid=None, block=None, shared=None, cluster=None, arch=None, nvcc=None, gpu=None,
         caches=None, stop_above=None, executor=None, jobs=None):
    """Predicts a kernel in many configurations without a GPU. Returns a list of Tuned, the fastest first. Configurations that failed are at
    its end, with their errors.

    `configs`: dictionaries. `fn_or_kernel`: one of these:

    - a function. fn(config) returns the launch for a configuration, as for time_many(): a tuple (source, kernel, grid, block, args) or a
      dictionary. `args` replaces missing arguments. The function is called here, not on the workers of an executor, so it can be a lambda.
    - a kernel's source, such as "gemm.cu" or CUDA C++ as text. Each item of a configuration becomes a flag -DNAME=VALUE of nvcc. `grid`,
      `block`, `shared` and the other parameters are values, or functions of the configuration.

    time_many() explains the other parameters.

    >>> tuned = bankwise.tune(lambda config: (examples + "/transpose.cubin", config["kernel"], (64, 64), (32, 8)),
    ...                       [{"kernel": "transpose_plain"}, {"kernel": "transpose_padded"}, {"kernel": "transposed"}],
    ...                       ["out:f32[4M]", "f32[4M]=iota", 2048])
    >>> [one.config["kernel"] for one in tuned], tuned[-1].error is None
    (['transpose_padded', 'transpose_plain', 'transposed'], False)
    """
    configs = list(configs)
    rest = {name: value for name, value in dict(kernel=kernel, grid=grid, block=block, shared=shared, cluster=cluster, arch=arch,
                                                nvcc=nvcc.split() if isinstance(nvcc, str) else nvcc).items() if value is not None}
    defaults = {name: value for name, value in dict(gpu=gpu, caches=caches, stop_above=stop_above).items() if value is not None}
    return ordered(configs, times_of(_launches(fn_or_kernel, configs, args, rest), defaults, executor, jobs))
