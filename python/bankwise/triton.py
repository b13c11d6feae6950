"""Kernels of Triton, compiled for sm_90 and executed on the CPU, without a GPU. The report shows the lines of the Python source and the
layouts that Triton chose.

    profile = bankwise.triton.profile(transpose, (2, 2), [out, x, 128, 128], BM=64, BN=64, num_warps=4)
    print(profile)                  # the lines, and the layouts of each line
    profile.report.launch.removable

    bankwise.triton.sweep(transpose, lambda c: (128 // c["BM"], 128 // c["BN"]), [out, x, 128, 128],
                          [dict(BM=m, BN=64, num_warps=n) for m in (32, 64) for n in (2, 4, 8)])

    bankwise.triton.tune(transpose, ...)    # the same with predicted times, the fastest configuration first

    @bankwise.triton.autotune(configs, key=["n"])    # triton.autotune that measures nothing
    @triton.jit
    def transpose(...): ...

    @bankwise.triton.report         # bankwise executes the calls, which return a Profile
    @triton.jit
    def transpose(...): ...

This module needs Triton, which contains its own ptxas. It does not need torch. Arguments are numpy's arrays or tensors on the CPU.
The kernel writes its results into them.
"""
import dataclasses
import html
import os
import typing

from . import _run
from ._document import Document
from ._errors import Error
from ._report import Line, Report
from ._triton_compile import compile
from ._triton_layouts import ChosenLayout, GluonCount, counted_conflicts, gluon_conflicts, read_layouts
from ._triton_tune import autotune, do_bench, launch_of, prune, tune


@dataclasses.dataclass(frozen=True)
class Profile(Document):
    """The result of executing a Triton kernel: its report, the layouts that Triton chose for each line, and better layouts.

    >>> profile = bankwise.triton.profile(attention, (4,), attention_args, **attention_options)
    >>> profile.wavefronts, profile.removable, profile.num_warps, profile.shared_bytes
    (9344, 1024, 8, 16384)
    """

    report: Report
    layouts: typing.Tuple[ChosenLayout, ...] = dataclasses.field(repr=False)
    options: typing.Dict[str, typing.Any]
    num_warps: int
    shared_bytes: int
    gluon: typing.Tuple[GluonCount, ...] = dataclasses.field(default=(), repr=False)  #: the result of gluon_conflicts()
    beside: typing.Optional["Sweep"] = dataclasses.field(default=None, repr=False)  #: the profiles of neighbouring configurations
    compiled: typing.Any = dataclasses.field(default=None, repr=False, compare=False)  #: the compiled kernel of Triton

    @property
    def wavefronts(self) -> int:
        return self.report.wavefronts

    @property
    def removable(self) -> int:
        return self.report.removable

    @property
    def cycles(self) -> int:
        """The number of clocks for which the launch uses the shared pipe.

        >>> profile.cycles
        9344
        """
        return sum(launch.cycles * launch.count for launch in self.report.launches)

    def layouts_of(self, line: Line) -> typing.Tuple[ChosenLayout, ...]:
        """The layouts that Triton's IR has for a line of the report.

        >>> [str(layout) for layout in profile.layouts_of(profile.report.lines[-1])]
        ['tt.reduce: #blocked = blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>']
        """
        return tuple(l for l in self.layouts if _is_of(l, line))

    def better(self) -> typing.Tuple[typing.Tuple[typing.Dict[str, typing.Any], int], ...]:
        """The neighbouring configurations that take fewer clocks of the shared pipe. Each entry is a
        pair: the changes of the configuration, and its clocks. The best configuration is first.

        >>> profile.better()
        (({'num_warps': 4}, 6592),)
        """
        if self.beside is None:
            return ()
        found = [({k: v for k, v in options.items() if self.options.get(k) != v}, one.cycles)
                 for options, one in zip(self.beside.configurations, self.beside.profiles)
                 if isinstance(one, Profile) and one.cycles < self.cycles]
        return tuple(sorted(found, key=lambda one: one[1]))

    def to_dict(self) -> typing.Dict[str, typing.Any]:
        """The report's JSON, with the additional key "triton".

        >>> profile.to_dict()["triton"]["num_warps"]
        8
        """
        return {**self.report.to_dict(),
                "triton": {"options": self.options, "num_warps": self.num_warps, "shared_bytes": self.shared_bytes,
                           "layouts": [dataclasses.asdict(l) for l in self.layouts],
                           "gluon": [dataclasses.asdict(c) for c in self.gluon],
                           "beside": list(self.beside.rows()) if self.beside else []}}

    def _layout_lines(self):
        for line in self.report.lines:
            said = list(dict.fromkeys(map(str, self.layouts_of(line))))
            if line.wavefronts:
                yield line, said or ["no operation of the IR has this line"]

    def compared(self) -> typing.Iterator[typing.Tuple[Line, GluonCount, typing.Optional[float]]]:
        """Yields the line, Gluon's result and bankwise's count for each pair of layouts. The count is None if the source
        line also contains other operations.

        >>> list(profile.compared())
        []
        """
        for line in self.report.lines:
            ours = [c for c in self.gluon if _is_of(c, line)]
            alone = all(l.operation.startswith("ttg.local_") for l in self.layouts_of(line))
            for loads in (False, True):
                said = [c for c in ours if c.loads == loads]
                counted = counted_conflicts(line.sites, loads) if alone and len(said) == 1 else None
                for one in said:
                    yield line, one, counted

    def _gluon_lines(self, line):
        for at, one, counted in self.compared():
            if at != line:
                continue
            text = "    Gluon's bank_conflicts() of {} and {}: {}".format(*one.layouts, one.conflicts)
            if counted is not None and _differs(one, counted):
                text += "; counted: {:.3g}".format(counted)
            yield text

    def _better_lines(self):
        for changed, cycles in self.better():
            yield "  {}: {:,} clocks of the shared pipe instead of {:,}".format(_words(changed), cycles, self.cycles)
        if self.beside is not None and not self.better():
            yield "  none of the {} configurations with half or twice the warps, or half or twice one block size, takes fewer clocks".format(len(self.beside.profiles))
        for launch in self.report.launches:
            for fix in launch.fixes:
                layout = next((a for a in fix.answers if a.triton), None)
                if layout:
                    yield "  in Gluon, {}: {} ({:,} wavefronts instead of {:,})".format(
                        fix.array, layout.triton, layout.wavefronts, fix.wavefronts)

    def __str__(self) -> str:
        text = [str(self.report), "", "layouts that Triton chose"]
        for line, said in self._layout_lines():
            text.append("  line {}: {:,} wavefronts, {:,} removable".format(line.line, line.wavefronts, line.removable))
            text += ["    " + one for one in said]
            text += self._gluon_lines(line)
        if self.removable:
            text += ["", "better configurations and layouts", *self._better_lines()]
        return "\n".join(text)

    def _repr_html_(self) -> str:
        rows = "".join("<tr><td>{}<td>{:,}<td>{:,}<td>{}</tr>".format(
            line.line, line.wavefronts, line.removable, "<br>".join(map(html.escape, said)))
            for line, said in self._layout_lines())
        better = "".join("<li>{}".format(html.escape(one.strip())) for one in self._better_lines()) if self.removable else ""
        return self.report._repr_html_() + ("<table><tr><th>line<th>wavefronts<th>removable<th>layouts</tr>{}</table>{}"
                                            .format(rows, better and "<ul>" + better + "</ul>"))


def _is_of(what, line):
    return what.line == line.line and os.path.basename(what.file) == os.path.basename(line.file)


def _differs(one, counted):
    return abs(counted - one.conflicts) > 0.005


def _words(options):
    return ", ".join("{}={}".format(*pair) for pair in options.items())


_MOST_WARPS, _LEAST_SIDE = 32, 16


def neighbours(options: typing.Dict[str, typing.Any], num_warps: int, sides: typing.Iterable[str]
               ) -> typing.List[typing.Dict[str, typing.Any]]:
    """The neighbours of a configuration. A neighbour has half or twice as many warps, or half or twice the value of
    one constant in `sides`.

    >>> for one in neighbours(dict(BM=64, D=128), 4, ["BM"]):
    ...     print(one)
    {'BM': 64, 'D': 128, 'num_warps': 2}
    {'BM': 64, 'D': 128, 'num_warps': 8}
    {'BM': 32, 'D': 128}
    {'BM': 128, 'D': 128}
    """
    found = [{**options, "num_warps": n} for n in (num_warps // 2, num_warps * 2) if 1 <= n <= _MOST_WARPS]
    for name in sides:
        found += [{**options, name: n} for n in (options[name] // 2, options[name] * 2) if n >= _LEAST_SIDE]
    return found


class _Asked(dict):
    """Constants and arguments by name. Records which names are read."""

    def __init__(self, values):
        super().__init__(values)
        self.names = []

    def __getitem__(self, name):
        self.names.append(name)
        return super().__getitem__(name)

    def get(self, name, other=None):
        return self[name] if name in self else other


def _blocks(kernel, grid, args, options):
    """Returns the grid, and the constants that the grid depends on. These constants set the size of the blocks, but not the size of the problem."""
    if not callable(grid):
        return grid, []
    asked = _Asked({**dict(zip(getattr(kernel, "arg_names", ()), args)), **options})
    blocks = grid(asked)
    sides = [n for n in dict.fromkeys(asked.names) if isinstance(options.get(n), int) and options[n] & (options[n] - 1) == 0]
    return blocks, sides


def profile(kernel: typing.Any, grid: typing.Any, args: typing.Sequence[typing.Any] = (), *, sm: int = 90, counts: bool = False,
            better: bool = True, **options: typing.Any) -> Profile:
    """Compiles a kernel, executes it on the CPU, writes its results into the arrays, and returns a Profile.

    `grid`: the same as in kernel[grid]. It can be a function of the constants. `options`: constants, num_warps,
    num_stages. `counts`: if true, the call writes no results and is faster. `better`: if true, and a layout could save
    wavefronts, the call also counts configurations with half as many and with twice as many warps. If `grid` is a
    function, the call also halves and doubles each block size that the function reads. The printed profile lists the
    configurations that take fewer clocks.

    >>> profile = bankwise.triton.profile(attention, (4,), attention_args, **attention_options)
    >>> print("\\n".join(str(profile).splitlines()[-3:]))
    better configurations and layouts
      num_warps=4: 6,592 clocks of the shared pipe instead of 9,344
      in Gluon, dynamic shared memory 0 to 1,023: gl.SwizzledSharedLayout(vec=1, per_phase=1, max_phase=8, order=[1, 0]) \
(1,280 wavefronts instead of 2,304)
    """
    compiled = compile(kernel, grid, args, sm=sm, **options)
    metadata = compiled.metadata
    blocks, sides = _blocks(kernel, grid, args, options)
    report = _run.run(**launch_of(compiled, kernel, blocks, args, options), counts=counts, fix=better)
    beside = None
    if better and report.removable:
        beside = sweep(kernel, grid, args, neighbours(options, metadata.num_warps, sides), sm=sm)
    ttgir = str(compiled.asm["ttgir"])
    return Profile(report, read_layouts(ttgir), options, metadata.num_warps, metadata.shared, gluon_conflicts(ttgir), beside,
                   compiled)


@dataclasses.dataclass(frozen=True)
class Sweep(Document):
    """Several configurations of a kernel, in the order in which they were given.

    >>> found = bankwise.triton.sweep(attention, (4,), attention_args, [{**attention_options, "num_warps": n} for n in (4, 8)])
    >>> [profile.wavefronts for profile in found.profiles]
    [7552, 9344]
    """

    profiles: typing.Tuple[typing.Union[Profile, Error], ...]
    configurations: typing.Tuple[typing.Dict[str, typing.Any], ...]

    @property
    def best(self) -> typing.Optional[Profile]:
        """The profile with the fewest clocks of the shared pipe. None if no configuration could be compiled and run.

        >>> found.best.num_warps
        4
        """
        ran = [p for p in self.profiles if isinstance(p, Profile)]
        return min(ran, key=lambda p: p.cycles, default=None)

    def rows(self) -> typing.Iterator[typing.Dict[str, typing.Any]]:
        """Yields a dictionary for each configuration. It contains the options and the numbers, or the key `error`.

        If Gluon can count a pair of layouts in Triton's IR, the dictionary also contains two counts: `gluon` is the result of Gluon's
        bank_conflicts(), and `counted` is bankwise's count. Both counts are for the pair with the largest difference.

        >>> [row["removable"] for row in found.rows()]
        [0, 1024]
        """
        for options, one in zip(self.configurations, self.profiles):
            if isinstance(one, Error):
                yield {**options, "error": one.message.splitlines()[0]}
                continue
            launch = one.report.launches[0]
            row = {**options, "shared_bytes": one.shared_bytes, "wavefronts": launch.wavefronts,
                   "removable": launch.removable, "cycles": launch.cycles, "warp_instructions": launch.warp_instructions}
            pairs = [(said.conflicts, counted) for _, said, counted in one.compared() if counted is not None]
            if pairs:
                said, counted = max(pairs, key=lambda pair: abs(pair[0] - pair[1]))
                row.update(gluon=said, counted=round(counted, 3))
            yield row

    def to_dict(self) -> typing.Dict[str, typing.Any]:
        """Returns a dictionary with the rows.

        >>> len(found.to_dict()["rows"])
        2
        """
        return {"rows": list(self.rows())}

    def _cells(self):
        rows = list(self.rows())
        names = list(dict.fromkeys(name for row in rows for name in row))
        return [names] + [["{:,}".format(row[n]) if isinstance(row.get(n), int) else str(row.get(n, "")) for n in names]
                          for row in rows]

    def __str__(self) -> str:
        cells = self._cells()
        widths = [max(len(row[i]) for row in cells) for i in range(len(cells[0]))]
        return "\n".join("  ".join(c.rjust(w) for c, w in zip(row, widths)).rstrip() for row in cells)

    def _repr_html_(self) -> str:
        return "<table>{}</table>".format("".join(
            "<tr>{}</tr>".format("".join("<td>" + html.escape(c) for c in row)) for row in self._cells()))


def sweep(kernel: typing.Any, grid: typing.Any, args: typing.Sequence[typing.Any],
          configurations: typing.Optional[typing.Iterable[typing.Dict[str, typing.Any]]] = None, *, sm: int = 90) -> Sweep:
    """Counts a kernel in several configurations.

    A configuration is a dictionary of constants and options. If the kernel has @triton.autotune, the default is the kernel's own list of
    configurations. The kernel's results are not written into the arrays. If a configuration cannot be compiled or run, its row contains the
    error. If the configurations have different block shapes, `grid` must be a function of the constants.

    >>> print(bankwise.triton.sweep(attention, (4,), attention_args, [{**attention_options, "num_warps": n} for n in (4, 8)]))
    BM  BN   D  num_warps  shared_bytes  wavefronts  removable  cycles  warp_instructions
    32  64  64          4        14,336       7,552          0   6,592             19,856
    32  64  64          8        16,384       9,344      1,024   9,344             21,344
    """
    if configurations is None:
        if not hasattr(kernel, "configs"):
            raise Error("no configurations are given, and {} has no list of configurations".format(getattr(kernel, "__name__", "the kernel")),
                        hint="pass a list such as [dict(BM=64, num_warps=4), ...], or use @triton.autotune")
        configurations = ({**c.kwargs, "num_warps": c.num_warps, "num_stages": c.num_stages} for c in kernel.configs)
    configurations = tuple(configurations)
    profiles: typing.List[typing.Union[Profile, Error]] = []
    for options in configurations:
        try:
            profiles.append(profile(kernel, grid, args, sm=sm, counts=True, better=False, **options))
        except Error as why:
            profiles.append(why)
    return Sweep(tuple(profiles), configurations)


class report:
    """A decorator that you write above @triton.jit. bankwise then executes every launch `kernel[grid]` on the CPU, and
    the launch returns a Profile.

    >>> profile = bankwise.triton.report(attention)[(4,)](*attention_args, **attention_options)
    >>> profile.wavefronts
    9344
    """

    def __init__(self, kernel: typing.Any) -> None:
        self.kernel = kernel
        self.__name__, self.__doc__ = getattr(kernel, "__name__", "kernel"), getattr(kernel, "__doc__", None)

    def __getitem__(self, grid: typing.Any) -> typing.Callable[..., Profile]:
        def launch(*args: typing.Any, **options: typing.Any) -> Profile:
            names = list(getattr(self.kernel, "arg_names", ()))
            positional = [options.pop(n) if n in options and n not in self._constants() else None for n in names[len(args):]]
            while positional and positional[-1] is None:
                positional.pop()
            return profile(self.kernel, grid, [*args, *positional], **options)

        return launch

    def _constants(self):
        return {p.name for p in getattr(self.kernel, "params", ()) if getattr(p, "is_constexpr", False)}
