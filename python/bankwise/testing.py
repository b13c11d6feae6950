"""Assertions for pytest, and for any test framework that reports AssertionError. bankwise/testing.hpp has the same assertions for C++.

>>> from bankwise.testing import assert_wavefronts, assert_conflict_free
>>> assert_conflict_free("tile[t][0]", array="float tile[32][33]")
>>> assert_wavefronts("tile[t][0]", 1, array="float tile[32][32]")
Traceback (most recent call last):
    ...
AssertionError: assert_wavefronts('tile[t][0]', 1, array='float tile[32][32]')
  takes 32 wavefronts, 1 expected
  ld.b32 of 32 lanes, 32 banks of 4 bytes: 1 is reachable, a layout can save up to 31
  phase 0, lanes 0-31: bank 0 must serve 32 words
    word 0      bytes 0-3          lane 0
    word 32     bytes 128-131      lane 1
    word 64     bytes 256-259      lane 2
    word 96     bytes 384-387      lane 3
    word 128    bytes 512-515      lane 4
    word 160    bytes 640-643      lane 5
    word 192    bytes 768-771      lane 6
    word 224    bytes 896-899      lane 7
    ... and 24 words more
<BLANKLINE>
"""
from typing import Any, Callable, Dict, Iterable, Optional, Sequence, Union

import os

from . import _native
from ._access import Access, explain
from ._errors import Error
from ._report import Launch, Report
from ._timeline import Timeline, timeline
from ._tune import Tuned, tune


_Asked = Union[str, Iterable[Optional[int]], Access, Report]
_Timed = Union[str, "os.PathLike[str]", Sequence[Union[str, "os.PathLike[str]"]], Timeline, Report, Launch]


def _failure(access, expected, flags):
    asked = access if isinstance(access, Access) else explain(access, **flags)
    addresses = [0 if a is None else a for a in asked.addresses]
    return _native.failed_expectation(asked.op, asked.arch, addresses, int(asked.mask, 16), expected)


def _words(name, positional, flags):
    return "{}({})".format(name, ", ".join([*map(repr, positional), *("{}={!r}".format(*f) for f in flags.items())]))


def assert_wavefronts(access: _Asked, expected: int, **flags: Any) -> None:
    """Asserts that the access takes exactly this number of wavefronts. It also fails if the access takes fewer
    wavefronts, so that you notice improvements.

    `access`: an access with flags, as for explain(), or a result of explain(), or a result of run(). For a result of
    run(), the assertion is about the sum over all launches.

    >>> assert_wavefronts("t * 8", 2)
    >>> assert_wavefronts(report, 4224)
    """
    __tracebackhide__ = True
    if isinstance(access, Report):
        if access.wavefronts != expected:
            raise AssertionError(_report_text("assert_wavefronts(report, {})".format(expected), access,
                                              "takes {:,} wavefronts, {:,} expected".format(access.wavefronts, expected)))
        return
    why = _failure(access, expected, flags)
    if why is not None:
        raise AssertionError(_words("assert_wavefronts", (access, expected), flags) + "\n" + why)


def assert_conflict_free(access: _Asked, **flags: Any) -> None:
    """Asserts that no other placement of the access's words saves a wavefront.

    >>> import bankwise
    >>> assert_conflict_free(bankwise.explain("t * 4"))
    """
    __tracebackhide__ = True
    if isinstance(access, Report):
        if access.removable:
            raise AssertionError(_report_text("assert_conflict_free(report)", access,
                                              "{:,} wavefronts could be saved".format(access.removable)))
        return
    why = _failure(access, -1, flags)
    if why is not None:
        raise AssertionError(_words("assert_conflict_free", (access,), flags) + "\n" + why)


def assert_faster(faster: _Timed, slower: _Timed, by: float = 1.0, *, gpu: Optional[str] = None) -> None:
    """Asserts that the predicted time of the first is below that of the second. With `by`=1.5, the first must be at
    least 1.5 times as fast.

    `faster`, `slower`: a program, for which timeline() predicts the time from its first call to its end; a result of
    timeline(); a result of run(), for the time of its launches together; or one launch. `gpu`: the GPU of programs.

    >>> assert_faster(times, times, by=2)
    Traceback (most recent call last):
        ...
    AssertionError: assert_faster: 30.40 us is not at most 15.20 us, which is 30.40 us / 2
      the first takes 30.40 us: copy to the device 15.00 us, kernel 10.00 us, launch call 4.00 us
      the second takes 30.40 us: copy to the device 15.00 us, kernel 10.00 us, launch call 4.00 us
    """
    __tracebackhide__ = True
    first, second = (one if isinstance(one, (Timeline, Report, Launch)) else timeline(one, gpu=gpu) for one in (faster, slower))
    a, b = _predicted(first), _predicted(second)
    if a * by < b or (by > 1 and a * by == b):
        return
    raise AssertionError("assert_faster: {:.2f} us is not {} {:.2f} us{}\n  the first takes {}\n  the second takes {}".format(
        a, "at most" if by > 1 else "below", b / by, "" if by == 1 else ", which is {:.2f} us / {:g}".format(b, by),
        _time_text(first), _time_text(second)))


def _predicted(timed):
    """The predicted microseconds. A lower bound is not a prediction."""
    if isinstance(timed, Launch):
        time = timed.time and timed.time.microseconds
    else:
        time = timed.microseconds
    if time is None or (isinstance(timed, Timeline) and timed.launches_without_time):
        raise Error("the time of a launch is not predicted, so the times cannot be compared")
    return time


def _time_text(timed):
    parts = ""
    if isinstance(timed, Timeline):
        parts = ": " + ", ".join("{} {:.2f} us".format(*part) for part in list(timed.waits_for.items())[:3])
    return "{:.2f} us{}".format(_predicted(timed), parts)


def assert_time_below(report: Union[Report, Launch], microseconds: float) -> None:
    """Asserts that the predicted time of a report, or of one of its launches, is below a limit. It fails if no time is
    predicted.

    >>> import bankwise
    >>> time = bankwise.Time("H100 SXM", 3000, 2500, 4000, 1.9, "memory latency")
    >>> import dataclasses
    >>> launch = dataclasses.replace(report.launch, time=time)
    >>> assert_time_below(launch, 2.0)
    >>> assert_time_below(launch, 1.5)
    Traceback (most recent call last):
        ...
    AssertionError: assert_time_below(..., 1.5)
      takes about 1.9 us on an H100 SXM (1.583 to 2.533), bound by memory latency
    """
    __tracebackhide__ = True
    time = report.time
    call = "assert_time_below(..., {})".format(microseconds)
    if time is None:
        raise AssertionError(call + "\n  the time is not predicted")
    if time.microseconds >= microseconds:
        lines = "" if isinstance(report, Launch) else "".join("\n  " + repr(finding) for finding in report.findings[:3])
        article = "an" if time.gpu[:1] in "AEFHILMNORSX8" else "a"
        raise AssertionError("{}\n  takes about {:.4g} us on {} {} ({:.4g} to {:.4g}), bound by {}{}".format(
            call, time.microseconds, article, time.gpu, time.microseconds_low, time.microseconds_high, time.bound, lines))


def assert_tuned(fn_or_kernel: Any, configs: Iterable[Dict[str, Any]], committed: Dict[str, Any], args: Sequence[Any] = (), *,
                 by: float = 5.0, **rest: Any) -> None:
    """Asserts that no configuration is more than `by` percent faster than the committed one, by predicted times.

    `fn_or_kernel`, `configs`, `args` and `rest`: see bankwise.tune(). Configurations that cannot be predicted are ignored. But it raises an
    Error if `configs` is empty, the committed configuration has no time, for example because of stop_above, or all others have errors.

    >>> launch = lambda config: (examples + "/transpose.cubin", config["kernel"], (64, 64), (32, 8), ["out:f32[4M]", "f32[4M]=iota", 2048])
    >>> configs = [{"kernel": "transpose_plain"}, {"kernel": "transpose_padded"}]
    >>> assert_tuned(launch, configs, {"kernel": "transpose_padded"})
    >>> assert_tuned(launch, configs, {"kernel": "transpose_plain"})  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    AssertionError: assert_tuned: 1 of 1 other configurations is more than 5% faster than {'kernel': 'transpose_plain'}, which takes 26.42 us
      {'kernel': 'transpose_padded'} takes ... us, ...% less
    """
    __tracebackhide__ = True
    if not by >= 0:
        raise Error("by={!r} is not a percentage of 0 or more".format(by))
    configs = list(configs)
    if not configs:
        raise Error("there are no configurations to compare with {}".format(committed))
    every = [committed, *(config for config in configs if config != committed)]
    found = tune(fn_or_kernel, every, args, **rest)
    own, = (one for one in found if one.config is committed)
    if own.error is not None:
        raise own.error
    if own.time is None or own.time.stopped:
        raise Error("the prediction of the committed configuration {} was stopped, so nothing is compared".format(committed),
                    hint="raise stop_above")
    others = [one for one in found if one is not own]
    if others and all(one.error is not None for one in others):
        raise others[0].error
    faster = [one for one in found if one.microseconds * (1 + by / 100) < own.microseconds]
    if not faster:
        return
    lines = ["assert_tuned: {} of {} other configurations {} more than {:g}% faster than {}, which takes {:.2f} us".format(
        len(faster), len(every) - 1, "is" if len(faster) == 1 else "are", by, committed, own.microseconds)]
    lines += ["  {} takes {:.2f} us, {:.0f}% less{}".format(one.config, one.microseconds, 100 * (1 - one.microseconds / own.microseconds),
                                                          _doubts_text(one)) for one in faster[:5]]
    raise AssertionError("\n".join(lines))


def _doubts_text(one: Tuned) -> str:
    return "" if one.time is None or not one.time.doubts else ". The time is not trusted: " + "; ".join(one.time.doubts)


def tuned(configs: Iterable[Dict[str, Any]], committed: Dict[str, Any], args: Sequence[Any] = (), *, by: float = 5.0,
          **rest: Any) -> Callable[[Callable[[Dict[str, Any]], Any]], Callable[[], None]]:
    """A decorator for pytest. The decorated function returns the launch for a configuration, and the test is assert_tuned() with it.

    >>> @tuned([{"kernel": "transpose_plain"}, {"kernel": "transpose_padded"}], committed={"kernel": "transpose_padded"})
    ... def test_transpose(config):
    ...     return examples + "/transpose.cubin", config["kernel"], (64, 64), (32, 8), ["out:f32[4M]", "f32[4M]=iota", 2048]
    >>> test_transpose()
    """
    listed = list(configs)

    def decorate(launch: Callable[[Dict[str, Any]], Any]) -> Callable[[], None]:
        def test() -> None:
            __tracebackhide__ = True
            assert_tuned(launch, listed, committed, args, by=by, **rest)

        # Without functools.wraps, which would show pytest the parameter `config`.
        test.__name__, test.__doc__, test.__module__ = launch.__name__, launch.__doc__, launch.__module__
        test.__qualname__ = launch.__qualname__
        return test

    return decorate


def _report_text(call, report, what):
    lines = ["{}\n  {}".format(call, what)]
    for line in report.lines:
        lines.append("  {}:{}  {:,} wavefronts, {:,} removable  {}".format(line.file, line.line, line.wavefronts,
                                                                           line.removable, line.text))
    return "\n".join(lines) + "\n"
