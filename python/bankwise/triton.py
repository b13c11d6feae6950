"""Kernels of Triton, compiled for sm_90 and executed on the CPU, without a GPU. The report has the lines of the Python source
and the layouts that Triton chose.

    profile = bankwise.triton.profile(transpose, (2, 2), [out, x, 128, 128], BM=64, BN=64, num_warps=4)
    print(profile)                  # the lines, and the layouts of each
    profile.report.launch.removable

    bankwise.triton.sweep(transpose, lambda c: (128 // c["BM"], 128 // c["BN"]), [out, x, 128, 128],
                          [dict(BM=m, BN=64, num_warps=n) for m in (32, 64) for n in (2, 4, 8)])

    @bankwise.triton.report         # calls run here, and give a Profile
    @triton.jit
    def transpose(...): ...

This module needs Triton, which contains its own ptxas. It does not need torch. Arguments are numpy's arrays or tensors on the CPU.
They receive the results.
"""
import dataclasses
import html
import os
import re
import typing

from . import _run
from ._document import Document
from ._errors import Error
from ._memory import Memory, is_memory
from ._report import Line, Report


# --- Triton's choices: its IR has the layouts, and the Python lines that they belong to


@dataclasses.dataclass(frozen=True)
class ChosenLayout:
    """An operation of Triton's IR that uses shared memory, and its layouts.

    >>> print(ChosenLayout("kernels.py", 44, "ttg.local_load", ("#shared = swizzled_shared<{vec = 4}>",)))
    ttg.local_load: #shared = swizzled_shared<{vec = 4}>
    """

    file: str
    line: int
    operation: str  #: "ttg.local_load"
    layouts: typing.Tuple[str, ...]  #: "#shared = swizzled_shared<{vec = 8, perPhase = 1, ...}>"

    def __str__(self) -> str:
        return "{}: {}".format(self.operation, "; ".join(self.layouts) or "through scratch memory")


_LOCATION = re.compile(r"^(#loc\d*) = loc\((.*)\)$", re.M)
_PLACE = re.compile(r'"((?:[^"\\]|\\.)*)":(\d+):\d+')
_LAYOUT = re.compile(r"^(#\w+) = #(?:ttg|triton_gpu|ttng|gluon)\.(\w+<.*>)$", re.M)
_OPERATION = re.compile(r"(?:^|= )\"?((?:ttg|ttng|tt|triton_gpu|triton_nvidia_gpu)\.[\w.]+)\"?")
# Operations without a layout in shared memory that exchange values between threads.
_EXCHANGES = ("convert_layout", "tt.reduce", "tt.scan", "tt.histogram", "tt.gather", "tt.trans", "tt.sort")


def _places(ttgir):
    """File and line of every location; for a chain of inlined calls, of the outermost one."""
    texts = dict(_LOCATION.findall(ttgir))

    def place(text, depth=0):
        found = _PLACE.search(text)
        if found and not text.startswith("callsite"):
            return found.group(1), int(found.group(2))
        for name in re.findall(r"#loc\d*", text) if depth < 64 else ():
            inner = place(texts.get(name, ""), depth + 1)
            if inner:
                return inner
        return None

    return {name: place(text) for name, text in texts.items()}


def read_layouts(ttgir: str) -> typing.Tuple[ChosenLayout, ...]:
    """The operations of an IR ("ttgir") that use shared memory, in the order of the IR.

    >>> ir = '''#blocked = #ttg.blocked<{sizePerThread = [1, 4], order = [1, 0]}>
    ... #shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 16, order = [1, 0]}>
    ... #loc3 = loc("kernels.py":44:24)
    ... %9 = ttg.local_load %8 : !ttg.memdesc<64x64xf32, #shared, #smem> -> tensor<64x64xf32, #blocked> loc(#loc3)
    ... '''
    >>> (found,) = read_layouts(ir)
    >>> found.line, str(found)
    (44, 'ttg.local_load: #shared = swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 16, order = [1, 0]}>; \
#blocked = blocked<{sizePerThread = [1, 4], order = [1, 0]}>')
    """
    layouts, places, found = dict(_LAYOUT.findall(ttgir)), _places(ttgir), []
    region = []  # the location of a reduction is at its end, some lines below
    for line in ttgir.splitlines():
        operation = _OPERATION.search(line.strip())
        name = operation.group(1) if operation else ""
        if name.endswith((".return", ".yield")) or ".memdesc_" in name:  # views
            name = ""
        if name in ("tt.reduce", "tt.scan") and "loc(" not in line.rpartition(" ")[2]:
            region.append(name)
            continue
        if not name and region and line.strip().startswith("})"):
            name = region.pop()
        used = [l for l in dict.fromkeys(re.findall(r"#\w+", line.rpartition("loc(")[0])) if l in layouts]
        is_shared = any("shared" in layouts[l] for l in used)
        if not name or not (is_shared or any(word in name for word in _EXCHANGES)):
            continue
        at = re.search(r"loc\((#loc\d*)\)\s*$", line)
        where = places.get(at.group(1)) if at else None
        if where:
            found.append(ChosenLayout(*where, name, tuple("{} = {}".format(l, layouts[l]) for l in used)))
    return tuple(found)


# --- Gluon's result for a pair of layouts


@dataclasses.dataclass(frozen=True)
class GluonCount:
    """The result of Gluon's bank_conflicts() for a load or store of Triton's IR, whose registers have a blocked layout.

    >>> GluonCount("kernels.py", 44, "ttg.local_load", ("#blocked", "#shared"), 1).loads
    True
    """

    file: str
    line: int
    operation: str  #: "ttg.local_load"
    layouts: typing.Tuple[str, str]  #: names of the IR: ("#blocked", "#shared")
    conflicts: int  #: additional wavefronts for each necessary one

    @property
    def loads(self) -> bool:
        return self.operation == "ttg.local_load"


_NUMBERS = re.compile(r"(\w+) = (\[[^\]]*\]|-?\d+|true|false)")
_MOVE = re.compile(r"(?:memdesc|tensor)<((?:\d+x)+)(\w+), (#\w+)")


def _gluon_layout(gl, text):
    """A layout of Triton's IR in Gluon. None for other layouts, and for padded ones, with which Triton 3.6 would end
    the process."""
    kind = text.partition("<")[0]
    value = {name: [int(n) for n in v.strip("[]").split(",")] if v.startswith("[") else {"true": True, "false": False}.get(
        v) if v in ("true", "false") else int(v) for name, v in _NUMBERS.findall(text)}
    if "CTA" in text.replace("warpsPerCTA", ""):
        return None  # of clusters
    if kind == "blocked":
        return gl.BlockedLayout(value["sizePerThread"], value["threadsPerWarp"], value["warpsPerCTA"], value["order"])
    if kind == "swizzled_shared":
        return gl.SwizzledSharedLayout(value["vec"], value["perPhase"], value["maxPhase"], value["order"])
    if kind == "nvmma_shared":
        return gl.NVMMASharedLayout(value["swizzlingByteWidth"], value["elementBitWidth"], 2, value.get("transposed", False))
    return None


def gluon_conflicts(ttgir: str) -> typing.Tuple[GluonCount, ...]:
    """The result of Gluon's bank_conflicts() for each pair of layouts in an IR. Empty if Triton has no Gluon.

    >>> gluon_conflicts("module {}")
    ()
    """
    try:
        import triton.experimental.gluon.language as gl
        from triton._C.libtriton import gluon_ir, ir
    except ImportError:
        return ()
    layouts, places, found = dict(_LAYOUT.findall(ttgir)), _places(ttgir), {}
    context = ir.context()  # the builder does not keep it
    ir.load_dialects(context)
    builder = gluon_ir.GluonOpBuilder(context)
    for line in ttgir.splitlines():
        operation = re.search(r"ttg\.local_(load|store|alloc)\b", line)
        at = re.search(r"loc\((#loc\d*)\)\s*$", line)
        where = places.get(at.group(1)) if at else None
        sides = _MOVE.findall(line.rpartition("loc(")[0])
        if not operation or not where or len(sides) != 2 or sides[0][:2] != sides[1][:2]:
            continue
        names = sorted((layout for _, _, layout in sides), key=lambda l: "shared" in layouts.get(l, ""))
        registers, shared = (_gluon_layout(gl, layouts.get(name, "")) for name in names)
        bits = re.search(r"\d+", sides[0][1])
        if registers is None or shared is None or not bits:
            continue
        shape = [int(n) for n in sides[0][0].strip("x").split("x")]
        found[GluonCount(*where, operation.group(0), tuple(names), builder.get_shared_bank_conflicts(
            registers._to_ir(builder), shared._to_ir(builder), shape, int(bits.group())))] = None
    return tuple(found)


def counted_conflicts(sites: typing.Iterable[typing.Any], loads: bool) -> typing.Optional[float]:
    """The number that Gluon's bank_conflicts() should return, from the counts of these instructions.

    `loads`: use only the loads, or only the stores. None if there are none.

    >>> from types import SimpleNamespace as site
    >>> counted_conflicts([site(op="st", wavefronts=64, ideal=32), site(op="ldmatrix.x4", wavefronts=16, ideal=16)], False)
    1.0
    """
    ours = [s for s in sites if s.op.startswith("ld" if loads else "st")]
    needed = sum(s.ideal for s in ours)
    return sum(s.wavefronts for s in ours) / needed - 1 if needed else None


# --- compiling without a GPU


class _Target:
    """Replaces Triton's driver while it compiles: it names the GPU to compile for, because the machine has none."""

    def __init__(self, sm):
        from triton.backends.compiler import GPUTarget

        self._target = GPUTarget("cuda", sm, 32)

    def get_current_target(self):
        return self._target

    def get_current_device(self):  # kernels are cached by device; no GPU has this number
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
    """Arrays as Triton takes them. Each begins at a multiple of 256, except an array that is a part of an earlier
    one."""
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
        raise Error("Triton is not installed", hint="pip install triton") from None
    while hasattr(kernel, "configs") and hasattr(kernel, "fn"):  # @triton.autotune: here the caller chooses
        kernel = kernel.fn
    before = getattr(driver, "_active", None)
    driver.set_active(_Target(sm))
    try:
        return kernel.run(*_pointers(args), grid=grid, warmup=True, **options)
    except Exception as why:
        raise Error("Triton could not compile {}: {}".format(getattr(kernel, "__name__", kernel), why)) from why
    finally:
        driver.set_active(before)


def _passed(compiled, kernel, args, options):
    """The arguments that the machine code takes: without constants, including those that Triton made constant."""
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


# --- the cost


@dataclasses.dataclass(frozen=True)
class Profile(Document):
    """The result of executing a Triton kernel: its report, the layouts that Triton chose, by line, and better layouts.

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
    beside: typing.Optional["Sweep"] = dataclasses.field(default=None, repr=False)  #: the neighbouring configurations
    compiled: typing.Any = dataclasses.field(default=None, repr=False, compare=False)  #: Triton's own value

    @property
    def wavefronts(self) -> int:
        return self.report.wavefronts

    @property
    def removable(self) -> int:
        return self.report.removable

    @property
    def cycles(self) -> int:
        """Clocks of the shared pipe.

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
        """The neighbouring configurations that take fewer clocks of the shared pipe, the best first: each with its changes and clocks.

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
        """Gluon's result for each pair of layouts, and bankwise's count, which is None if other operations share the line.

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
            yield "  none of the {} neighbouring configurations takes fewer clocks".format(len(self.beside.profiles))
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
    """The neighbours of a configuration: with half and twice as many warps, and with each of the constants `sides` halved and doubled.

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
    """Constants and arguments by name. Records which of them are read."""

    def __init__(self, values):
        super().__init__(values)
        self.names = []

    def __getitem__(self, name):
        self.names.append(name)
        return super().__getitem__(name)

    def get(self, name, other=None):
        return self[name] if name in self else other


def _blocks(kernel, grid, args, options):
    """The grid, and the constants that it depends on: with other values the problem is the same, in other blocks."""
    if not callable(grid):
        return grid, []
    asked = _Asked({**dict(zip(getattr(kernel, "arg_names", ()), args)), **options})
    blocks = grid(asked)
    sides = [n for n in dict.fromkeys(asked.names) if isinstance(options.get(n), int) and options[n] & (options[n] - 1) == 0]
    return blocks, sides


def profile(kernel: typing.Any, grid: typing.Any, args: typing.Sequence[typing.Any] = (), *, sm: int = 90, counts: bool = False,
            better: bool = True, **options: typing.Any) -> Profile:
    """Compiles a kernel, executes it on the CPU, writes its results into the arrays, and reports.

    `grid`: as in kernel[grid], also a function of the constants. `options`: constants, num_warps, num_stages. `counts`: no results, which
    is faster. `better`: if a layout could save wavefronts, half and twice as many warps are also counted. If `grid` is a function, half and
    twice each block shape that it reads are also counted. The printed profile lists the configurations that take fewer clocks.

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
    threads = re.search(r"\.(?:reqntid|maxntid)\s+(\d+)", str(compiled.asm.get("ptx", "")))
    passed = _passed(compiled, kernel, args, options)
    scratch = getattr(metadata, "global_scratch_size", 0) or 0
    passed.append("u8[{}]=zero".format(scratch * _product(blocks)) if scratch else None)
    passed.append(None)  # Triton's own pointers: scratch in global memory, and its profiler's
    cluster = tuple(getattr(metadata, "cluster_dims", (1, 1, 1)) or (1, 1, 1))
    report = _run.run(compiled.asm["cubin"], metadata.name, blocks,
                      int(threads.group(1)) if threads else 32 * metadata.num_warps, passed, shared=metadata.shared,
                      cluster=cluster if _product(cluster) > 1 else None, counts=counts, fix=better)
    beside = None
    if better and report.removable:
        beside = sweep(kernel, grid, args, neighbours(options, metadata.num_warps, sides), sm=sm)
    ttgir = str(compiled.asm["ttgir"])
    return Profile(report, read_layouts(ttgir), options, metadata.num_warps, metadata.shared, gluon_conflicts(ttgir), beside,
                   compiled)


def _product(numbers):
    n = 1
    for one in numbers if isinstance(numbers, (tuple, list)) else (numbers,):
        n *= one
    return n


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
        """The profile with the fewest clocks of the shared pipe; None if none could be compiled and run.

        >>> found.best.num_warps
        4
        """
        ran = [p for p in self.profiles if isinstance(p, Profile)]
        return min(ran, key=lambda p: p.cycles, default=None)

    def rows(self) -> typing.Iterator[typing.Dict[str, typing.Any]]:
        """A dictionary for each configuration: its options and numbers, or `error`.

        If Gluon counts a pair of layouts in Triton's IR, `gluon` is the result of its bank_conflicts() and `counted` is bankwise's
        count, for the pair with the largest difference.

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
        """The rows.

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
    """The counts of a kernel in several configurations.

    A configuration is a dictionary of constants and options. For a kernel with @triton.autotune, the default is the kernel's own list.
    The arrays do not change. If a configuration cannot be compiled or run, its row has the error. If the configurations have different
    block shapes, `grid` must be a function of the constants.

    >>> print(bankwise.triton.sweep(attention, (4,), attention_args, [{**attention_options, "num_warps": n} for n in (4, 8)]))
    BM  BN   D  num_warps  shared_bytes  wavefronts  removable  cycles  warp_instructions
    32  64  64          4        14,336       7,552          0   6,592             19,856
    32  64  64          8        16,384       9,344      1,024   9,344             21,344
    """
    if configurations is None:
        if not hasattr(kernel, "configs"):
            raise Error("no configurations are given, and {} has no list of its own".format(getattr(kernel, "__name__", "the kernel")),
                        hint="[dict(BM=64, num_warps=4), ...], or @triton.autotune")
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
    """A decorator over @triton.jit: a launch, `kernel[grid]`, is executed on the CPU and returns a Profile.

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
