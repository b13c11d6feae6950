"""Kernels of Triton, compiled for sm_90 and executed on the CPU, without a GPU: the report by the lines of Python, with the
layouts that Triton chose.

    profile = bankwise.triton.profile(transpose, (2, 2), [out, x, 128, 128], BM=64, BN=64, num_warps=4)
    print(profile)                  # the lines, and the layouts of each
    profile.report.launch.removable

    bankwise.triton.sweep(transpose, (2, 2), [out, x, 128, 128], [dict(BM=64, BN=64, num_warps=n) for n in (2, 4, 8)])

    @bankwise.triton.report         # calls run here, and give a Profile
    @triton.jit
    def transpose(...): ...

Needs Triton, which brings its own ptxas, and no torch. Arguments are numpy's arrays or tensors on the CPU, which get the results.
"""
import dataclasses
import html
import os
import re
import types
import typing

from . import _run
from ._document import Document
from ._errors import Error
from ._memory import Memory, is_memory
from ._report import Report


# --- what Triton chose: its IR says the layouts, and which lines of Python they are of


@dataclasses.dataclass(frozen=True)
class ChosenLayout:
    """An operation of Triton's IR that uses shared memory, and the layouts that it uses."""

    file: str
    line: int
    operation: str  #: "ttg.local_load"
    layouts: typing.Tuple[str, ...]  #: "#shared = swizzled_shared<{vec = 8, perPhase = 1, ...}>"

    def __str__(self):
        return "{}: {}".format(self.operation, "; ".join(self.layouts) or "through scratch memory")


_LOCATION = re.compile(r"^(#loc\d*) = loc\((.*)\)$", re.M)
_PLACE = re.compile(r'"((?:[^"\\]|\\.)*)":(\d+):\d+')
_LAYOUT = re.compile(r"^(#\w+) = #(?:ttg|triton_gpu|ttng|gluon)\.(\w+<.*>)$", re.M)
_OPERATION = re.compile(r"(?:^|= )\"?((?:ttg|ttng|tt|triton_gpu|triton_nvidia_gpu)\.[\w.]+)\"?")
# Of those without a layout in shared memory: what exchanges values between threads.
_EXCHANGES = ("convert_layout", "tt.reduce", "tt.scan", "tt.histogram", "tt.gather", "tt.trans", "tt.sort")


def _places(ttgir):
    """File and line of every location, the outermost call of a chain of inlined ones."""
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


def read_layouts(ttgir):
    """The operations of an IR ("ttgir") that use shared memory, in its order.

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
    region = []  # reductions end some lines below, where their location is
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


# --- what Gluon says of a pair of layouts


@dataclasses.dataclass(frozen=True)
class GluonCount:
    """What Gluon's own bank_conflicts() says of a load or store of Triton's IR, whose registers have a blocked layout."""

    file: str
    line: int
    operation: str  #: "ttg.local_load"
    layouts: typing.Tuple[str, str]  #: names of the IR: ("#blocked", "#shared")
    conflicts: int  #: wavefronts on top of each that is needed

    @property
    def loads(self):
        return self.operation == "ttg.local_load"


_NUMBERS = re.compile(r"(\w+) = (\[[^\]]*\]|-?\d+|true|false)")
_MOVE = re.compile(r"(?:memdesc|tensor)<((?:\d+x)+)(\w+), (#\w+)")


def _gluon_layout(gl, text):
    """A layout of Triton's IR as Gluon has it. None: another one; asked of padded ones, Triton 3.6 ends the process."""
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


def gluon_conflicts(ttgir):
    """What Gluon's own bank_conflicts() says of each pair of layouts in an IR. Empty where Triton has no Gluon."""
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


def counted_conflicts(sites, loads):
    """The same number as the hardware counts it, of the loads or stores among these instructions. None: there are none.

    >>> from types import SimpleNamespace as site
    >>> counted_conflicts([site(op="st", wavefronts=64, ideal=32), site(op="ldmatrix.x4", wavefronts=16, ideal=16)], False)
    1.0
    """
    ours = [s for s in sites if s.op.startswith("ld" if loads else "st")]
    needed = sum(s.ideal for s in ours)
    return sum(s.wavefronts for s in ours) / needed - 1 if needed else None


# --- compiling without a GPU


class _Target:
    """Stands in for Triton's driver while it compiles: it says for which GPU, and there is none."""

    def __init__(self, sm):
        from triton.backends.compiler import GPUTarget

        self._target = GPUTarget("cuda", sm, 32)

    def get_current_target(self):
        return self._target

    def get_current_device(self):  # kernels are kept by device; no GPU has this one
        return "bankwise-{}".format(self._target.arch)

    def get_current_stream(self, device=None):
        return 0


class _Pointer:
    """What Triton asks of an array to choose code: its type, and whether its address is a multiple of 16."""

    def __init__(self, dtype, address):
        self.dtype, self._address = dtype, address

    def data_ptr(self):
        return self._address


def _pointers(arguments):
    """Arrays in the words of Triton. Each begins at a multiple of 256 here, but one that lies in another one before it."""
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
    """What Triton makes of a kernel for these arguments: its own value, with `asm` and `metadata`. `options`: the constants
    and num_warps, num_stages ..."""
    try:
        from triton.runtime.driver import driver
    except ImportError:
        raise Error("there is no Triton here", hint="pip install triton") from None
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
    """The arguments that the machine code takes: constants and what Triton made constant are not there."""
    names = list(compiled.src.signature)
    values = dict(zip(names, args))
    values.update(options)
    passed = []
    for name, kind in compiled.src.signature.items():
        if kind == "constexpr":
            continue
        if isinstance(kind, (tuple, list)) or str(kind).startswith("tensordesc"):
            raise Error("argument {} is a {}: only arrays and numbers are passed here".format(name, kind))
        value = values.get(name)
        passed.append(float(value) if str(kind).startswith("fp") and isinstance(value, int) else value)
    return passed


# --- what it costs


@dataclasses.dataclass(frozen=True)
class Profile(Document):
    """A kernel of Triton, executed: its report, and the layouts that Triton chose, by line."""

    report: Report
    layouts: typing.Tuple[ChosenLayout, ...] = dataclasses.field(repr=False)
    options: dict
    num_warps: int
    shared_bytes: int
    gluon: typing.Tuple[GluonCount, ...] = dataclasses.field(default=(), repr=False)  #: what gluon_conflicts() says
    compiled: typing.Any = dataclasses.field(default=None, repr=False, compare=False)  #: Triton's own value

    @property
    def wavefronts(self):
        return self.report.wavefronts

    @property
    def removable(self):
        return self.report.removable

    def layouts_of(self, line):
        """What Triton's IR says of a line of the report."""
        return tuple(l for l in self.layouts if l.line == line.line and os.path.basename(l.file) == os.path.basename(line.file))

    def to_dict(self):
        """The report's JSON, with "triton" beside it."""
        return {**self.report.to_dict(),
                "triton": {"options": self.options, "num_warps": self.num_warps, "shared_bytes": self.shared_bytes,
                           "layouts": [dataclasses.asdict(l) for l in self.layouts],
                           "gluon": [dataclasses.asdict(c) for c in self.gluon]}}

    def _layout_lines(self):
        for line in self.report.lines:
            said = list(dict.fromkeys(map(str, self.layouts_of(line))))
            if line.wavefronts:
                yield line, said or ["no operation of the IR has this line"]

    def _gluon_lines(self, line):
        """What Gluon says of this line's loads and stores; where there is one pair of layouts, beside what was counted."""
        ours = [c for c in self.gluon if (c.line, os.path.basename(c.file)) == (line.line, os.path.basename(line.file))]
        alone = all(l.operation.startswith("ttg.local_") for l in self.layouts_of(line))
        for loads in (False, True):
            said = [c for c in ours if c.loads == loads]
            counted = counted_conflicts(line.sites, loads) if alone and len(said) == 1 else None
            for one in said:
                text = "    Gluon's bank_conflicts() of {} and {}: {}".format(*one.layouts, one.conflicts)
                if counted is not None and abs(counted - one.conflicts) > 0.005:
                    text += "; counted: {:.3g}".format(counted)
                yield text

    def __str__(self):
        text = [str(self.report), "", "layouts that Triton chose"]
        for line, said in self._layout_lines():
            text.append("  line {}: {:,} wavefronts, {:,} removable".format(line.line, line.wavefronts, line.removable))
            text += ["    " + one for one in said]
            text += self._gluon_lines(line)
        if self.removable:
            text += ["", "Layouts follow from block shapes, num_warps and the order of accesses: bankwise.triton.sweep() tries",
                     "others; in Gluon they are yours to write."]
        return "\n".join(text)

    def _repr_html_(self):
        rows = "".join("<tr><td>{}<td>{:,}<td>{:,}<td>{}</tr>".format(
            line.line, line.wavefronts, line.removable, "<br>".join(map(html.escape, said)))
            for line, said in self._layout_lines())
        return self.report._repr_html_() + ("<table><tr><th>line<th>wavefronts<th>removable<th>layouts</tr>{}</table>"
                                            .format(rows))


def profile(kernel, grid, args=(), *, sm=90, counts=False, **options):
    """Compiles a kernel, executes it on the CPU, writes its results into the arrays, and reports.

    `grid`: as in kernel[grid], also a function of the constants. `options`: constants, num_warps, num_stages. `counts`: no
    results, which is faster.
    """
    compiled = compile(kernel, grid, args, sm=sm, **options)
    metadata = compiled.metadata
    blocks = grid(options) if isinstance(grid, types.FunctionType) else grid
    threads = re.search(r"\.(?:reqntid|maxntid)\s+(\d+)", str(compiled.asm.get("ptx", "")))
    passed = _passed(compiled, kernel, args, options)
    scratch = getattr(metadata, "global_scratch_size", 0) or 0
    passed.append("u8[{}]=zero".format(scratch * _product(blocks)) if scratch else None)
    passed.append(None)  # Triton's own pointers: scratch in global memory, and its profiler's
    cluster = tuple(getattr(metadata, "cluster_dims", (1, 1, 1)) or (1, 1, 1))
    report = _run.run(compiled.asm["cubin"], metadata.name, blocks,
                      int(threads.group(1)) if threads else 32 * metadata.num_warps, passed, shared=metadata.shared,
                      cluster=cluster if _product(cluster) > 1 else None, counts=counts)
    ttgir = str(compiled.asm["ttgir"])
    return Profile(report, read_layouts(ttgir), options, metadata.num_warps, metadata.shared, gluon_conflicts(ttgir), compiled)


def _product(numbers):
    n = 1
    for one in numbers if isinstance(numbers, (tuple, list)) else (numbers,):
        n *= one
    return n


@dataclasses.dataclass(frozen=True)
class Sweep(Document):
    """Several configurations of a kernel, in the order in which they were given."""

    profiles: typing.Tuple[typing.Union[Profile, Error], ...]
    configurations: typing.Tuple[dict, ...]

    @property
    def best(self):
        """The profile with the fewest clocks of the shared pipe; None: none could be compiled and run."""
        ran = [p for p in self.profiles if isinstance(p, Profile)]
        return min(ran, key=lambda p: sum(l.cycles for l in p.report.launches), default=None)

    def rows(self):
        """A dictionary for each configuration: its options and numbers, or `error`."""
        for options, one in zip(self.configurations, self.profiles):
            if isinstance(one, Error):
                yield {**options, "error": one.message.splitlines()[0]}
                continue
            launch = one.report.launches[0]
            yield {**options, "shared_bytes": one.shared_bytes, "wavefronts": launch.wavefronts,
                   "removable": launch.removable, "cycles": launch.cycles,
                   "warp_instructions": launch.warp_instructions}

    def to_dict(self):
        return {"rows": list(self.rows())}

    def _cells(self):
        rows = list(self.rows())
        names = list(dict.fromkeys(name for row in rows for name in row))
        return [names] + [["{:,}".format(row[n]) if isinstance(row.get(n), int) else str(row.get(n, "")) for n in names]
                          for row in rows]

    def __str__(self):
        cells = self._cells()
        widths = [max(len(row[i]) for row in cells) for i in range(len(cells[0]))]
        return "\n".join("  ".join(c.rjust(w) for c, w in zip(row, widths)).rstrip() for row in cells)

    def _repr_html_(self):
        return "<table>{}</table>".format("".join(
            "<tr>{}</tr>".format("".join("<td>" + html.escape(c) for c in row)) for row in self._cells()))


def sweep(kernel, grid, args, configurations, *, sm=90):
    """The counts of a kernel in several configurations: a list of constants and options, each a dictionary. Arrays stay as they
    are. One that cannot be compiled or run is a row that says why."""
    profiles = []
    for options in configurations:
        try:
            profiles.append(profile(kernel, grid, args, sm=sm, counts=True, **options))
        except Error as why:
            profiles.append(why)
    return Sweep(tuple(profiles), tuple(configurations))


class report:
    """A decorator over @triton.jit: a launch of it, `kernel[grid]`, is executed on the CPU, and gives a Profile."""

    def __init__(self, kernel):
        self.kernel = kernel
        self.__name__, self.__doc__ = getattr(kernel, "__name__", "kernel"), getattr(kernel, "__doc__", None)

    def __getitem__(self, grid):
        def launch(*args, **options):
            names = list(getattr(self.kernel, "arg_names", ()))
            positional = [options.pop(n) if n in options and n not in self._constants() else None for n in names[len(args):]]
            while positional and positional[-1] is None:
                positional.pop()
            return profile(self.kernel, grid, [*args, *positional], **options)

        return launch

    def _constants(self):
        return {p.name for p in getattr(self.kernel, "params", ()) if getattr(p, "is_constexpr", False)}
