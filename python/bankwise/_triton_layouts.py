"""Reads from Triton's IR which layouts Triton chose in shared memory, and for which Python lines. Also calls Gluon's
bank_conflicts() for pairs of layouts."""
import dataclasses
import re
import typing


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
# Operations that exchange values between threads, but have no layout in shared memory.
_EXCHANGES = ("convert_layout", "tt.reduce", "tt.scan", "tt.histogram", "tt.gather", "tt.trans", "tt.sort")


def _places(ttgir):
    """Returns the file and the line of every location. In inlined code, this is the innermost location that is known."""
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
    region = []  # the location of a reduction is at its end, some lines below its start
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
    """The result of Gluon's bank_conflicts() for a load or store of Triton's IR. The registers of the load
    or store have a blocked layout.

    >>> GluonCount("kernels.py", 44, "ttg.local_load", ("#blocked", "#shared"), 1).loads
    True
    """

    file: str
    line: int
    operation: str  #: "ttg.local_load"
    layouts: typing.Tuple[str, str]  #: names of the IR: ("#blocked", "#shared")
    conflicts: int  #: number of additional wavefronts for each necessary wavefront

    @property
    def loads(self) -> bool:
        return self.operation == "ttg.local_load"


_NUMBERS = re.compile(r"(\w+) = (\[[^\]]*\]|-?\d+|true|false)")
_MOVE = re.compile(r"(?:memdesc|tensor)<((?:\d+x)+)(\w+), (#\w+)")


def _gluon_layout(gl, text):
    """Returns the Gluon layout for a layout of Triton's IR, or None if the layout has a different kind. Padded layouts are
    not supported, because Triton 3.6 would end the process."""
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
    """The result of Gluon's bank_conflicts() for each pair of layouts in an IR. The tuple is empty if the installed
    version of Triton does not contain Gluon.

    >>> gluon_conflicts("module {}")
    ()
    """
    try:
        import triton.experimental.gluon.language as gl
        from triton._C.libtriton import gluon_ir, ir
    except ImportError:
        return ()
    layouts, places, found = dict(_LAYOUT.findall(ttgir)), _places(ttgir), {}
    context = ir.context()  # keeps a reference to the context, because the builder does not
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
    """The number that Gluon's bank_conflicts() should return, computed from bankwise's counts of the instructions in
    `sites`.

    `loads`: if true, only the loads count, and if false, only the stores. The result is None if `sites` does not
    contain a load or a store of this kind.

    >>> from types import SimpleNamespace as site
    >>> counted_conflicts([site(op="st", wavefronts=64, ideal=32), site(op="ldmatrix.x4", wavefronts=16, ideal=16)], False)
    1.0
    """
    ours = [s for s in sites if s.op.startswith("ld" if loads else "st")]
    needed = sum(s.ideal for s in ours)
    return sum(s.wavefronts for s in ours) / needed - 1 if needed else None
