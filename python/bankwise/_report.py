"""The cost of a kernel: launches, their instructions and lines, as in the report of `bankwise run`."""
import dataclasses
import html
import json
import os
import tempfile
import typing

from . import _native, _program
from ._access import list_text, question_of
from ._document import Document, from_document, hidden
from ._errors import Error, printable, raises_errors
from ._fix import Fix, fix_of


def _digits(number):
    """A number with three digits, and without an exponent."""
    return "{:,.0f}".format(number) if number >= 100 else "{:.3g}".format(number)


@dataclasses.dataclass(frozen=True)
class Site(Document):
    """A machine instruction that accesses shared memory, with the sums over its executions.

    >>> for site in report.sites[-2:]:
    ...     print(site.line, site.op, site.sass, site.executed, site.wavefronts)
    18 ld LDS R23, [R17+0x40] 32 1024
    18 ld LDS R25, [R17+0x60] 32 1024
    """

    pc: int  #: the address of the instruction in the kernel
    sass: str  #: the instruction as text
    op: str
    executed: int  #: how often warps executed the instruction
    wavefronts: int
    lanes: int = 0
    ideal: int = 0
    reachable: int = 0
    removable: int = 0
    queued: int = 0
    passes: int = 0
    cycles: int = 0
    width_bytes: int = 0
    file: str = ""
    line: int = 0  #: 0 if the finding is about the whole launch, or the line is not known
    text: str = ""  #: the text of the line, if the source was found
    evidence: str = ""
    saved_cycles: int = 0  #: elapsed cycles that the launch would save without the removable wavefronts of this instruction, as predicted
    remote_bytes: int = dataclasses.field(default=0, repr=False)  #: bytes that lanes access in the shared memory of other blocks of the cluster
    stall_cycles: typing.Dict[str, int] = dataclasses.field(default_factory=dict, repr=False)  #: predicted clocks for which warps wait at this instruction, for each of Nsight Compute's stall reasons
    _arch: str = dataclasses.field(default="", repr=False)
    _document: dict = hidden({})

    def svg(self) -> typing.Optional[str]:
        """A drawing of the banks of the instruction's most expensive access, or None if there is no access.

        >>> report.launch.worst.svg()[:4]
        '<svg'
        """
        worst = self._document.get("worst")
        if not worst:
            return None
        flags = dict(op=self.op, width=self.width_bytes, arch=self._arch, source=list_text(worst.get("sources")),
                     zfill=worst.get("may_fill", False), title="the worst access")
        return _native.ask("svg_file", question_of(worst["addresses"], flags))


@dataclasses.dataclass(frozen=True)
class GlobalSite(Document):
    """A machine instruction that accesses global or local memory, a texture or a surface, with the sums over its executions.

    >>> for site in report.launch.global_sites[-2:]:
    ...     print(site.line, site.op, site.space, site.requests, site.sectors, site.sectors_ideal)
    18 st global 32 128 128
    18 st global 32 128 128
    """

    pc: int  #: the address of the instruction in the kernel
    sass: str  #: the instruction as text
    op: str
    space: str  #: "global", "texture", "surface", or "local" (the threads' own stacks)
    width_bytes: int  #: the number of bytes that each lane accesses
    executed: int  #: how often warps executed the instruction
    requests: int  #: executions with at least one active lane; for textures and surfaces, groups of 4 or 8 lanes with at least one active lane
    sectors: int  #: sectors of 32 bytes, as on Nsight Compute's source page
    sectors_ideal: int  #: the number of sectors that the bytes fill
    excess_sectors: int = 0  #: sectors - sectors_ideal
    tag_requests: int = 0  #: lines of 128 bytes that L1 looks up for the accesses
    bytes: int = 0  #: bytes that the lanes request; a byte counts for each lane that requests it
    lanes: int = 0
    file: str = ""
    line: int = 0  #: 0 if the finding is about the whole launch, or the line is not known
    text: str = ""  #: the text of the line, if the source was found
    reason: str = ""  #: why the instruction touches more sectors than its bytes fill; empty if there are no additional sectors
    remedy: str = ""  #: the change that reduces the number of sectors
    sectors_after: typing.Optional[int] = None  #: number of sectors after this change; None if there is no such change
    saved_cycles: int = 0  #: elapsed cycles that the launch would save if this instruction touched only sectors_after sectors, as predicted
    _document: dict = hidden({})


@dataclasses.dataclass(frozen=True)
class GlobalLine:
    """A line of source, with the sums over its instructions on global memory.

    >>> line = report.launch.global_lines[0]
    >>> line.line, line.requests, line.sectors, line.sectors_ideal, len(line.sites)
    (15, 128, 512, 512, 4)
    """

    file: str  #: the source file
    line: int  #: the number of the source line
    text: str
    requests: int
    sectors: int
    sectors_ideal: int
    excess_sectors: int
    tag_requests: int
    bytes: int
    sites: typing.Tuple[GlobalSite, ...] = dataclasses.field(repr=False)


@dataclasses.dataclass(frozen=True)
class Line:
    """A line of source, with the sums over its instructions on shared memory.

    >>> line = report.lines[-1]
    >>> line.line, line.wavefronts, line.reachable, len(line.sites)
    (18, 4096, 128, 4)
    """

    file: str  #: the source file
    line: int  #: the number of the source line
    text: str
    executed: int
    wavefronts: int
    ideal: int
    reachable: int
    removable: int
    sites: typing.Tuple[Site, ...] = dataclasses.field(repr=False)


@dataclasses.dataclass(frozen=True)
class Time(Document):
    """The predicted time of a launch on a GPU. Cycles are elapsed cycles, as Nsight Compute shows them by default.

    >>> time = bankwise.run(kernel, grid=2, block=32, args=["out:f32[64]", "f32[64]"]).launch.time  # doctest: +SKIP
    >>> time.microseconds, time.microseconds_low, time.microseconds_high, time.bound  # doctest: +SKIP
    (2.81, 2.42, 3.94, 'launch overhead and instruction-cache misses')
    """

    gpu: str  #: "H100 SXM"
    cycles: int
    cycles_low: int  #: lower end of the interval
    cycles_high: int  #: upper end of the interval, which contains the measured cycles for nine of ten launches
    microseconds: float  #: microseconds at the GPU's base clock
    bound: str  #: what bounds the time, in the words of the text report ("DRAM", "memory latency", ...)
    shares: typing.Tuple[dict, ...] = dataclasses.field(default=(), repr=False)  #: {"resource", "percent"}: the share of the time that the launch would save if this resource took no time
    caches: str = "cold"
    cycles_without_conflicts: typing.Optional[int] = None  #: None if no layout can remove a wavefront
    cycles_with_two_changes: typing.Optional[int] = None  #: after the changes against the two findings that save the most, in one replay; None if there are not two
    cycles_with_three_changes: typing.Optional[int] = None  #: the same for three findings
    barriers: typing.Tuple[dict, ...] = dataclasses.field(default=(), repr=False)  #: {"path", "line", "waited", "longest", "last_warp", ...}: how long warps wait at barriers, and for which warp
    stall_cycles: typing.Dict[str, int] = dataclasses.field(default_factory=dict, repr=False)  #: cycles that warps wait, summed over all warps of the launch, for each of Nsight Compute's stall reasons
    lines: typing.Tuple[dict, ...] = dataclasses.field(default=(), repr=False)  #: {"path", "line", "stall_cycles"}: where warps wait
    use: typing.Dict[str, int] = dataclasses.field(default_factory=dict, repr=False)  #: the use of each resource as a percentage of its maximum: sm, memory, issue, pipes, l1, l2, dram
    needed: typing.Optional[dict] = dataclasses.field(default=None, repr=False)  #: {"cycles", "microseconds", "read_bytes", "written_bytes", "bytes", "longest"}: what the launch needs at least, with each byte counted once; None if it is not known
    traced_blocks: int = dataclasses.field(default=0, repr=False)  #: how many blocks the prediction simulates
    traced_in_part: bool = dataclasses.field(default=False, repr=False)  #: whether the prediction simulates only the first instructions of these blocks
    _document: dict = hidden({})

    @property
    def microseconds_low(self) -> float:
        return round(self.microseconds * self.cycles_low / self.cycles, 3) if self.cycles else 0.0

    @property
    def microseconds_high(self) -> float:
        return round(self.microseconds * self.cycles_high / self.cycles, 3) if self.cycles else 0.0

    @property
    def above_floor(self) -> float:
        """The part of the time that the launch takes longer than its needed bytes and arithmetic. If they are not known,
        the part of the time for which the busiest resource is idle.

        >>> bankwise.Time("H100 SXM", 3000, 2500, 4000, 1.9, "dram", needed={"cycles": 2400}).above_floor
        0.2
        """
        if self.needed and self.cycles:
            return round(1 - min(1.0, self.needed["cycles"] / self.cycles), 3)
        return round(1 - min(100, max(self.use.values(), default=0)) / 100, 3)

    @property
    def factor_without_conflicts(self) -> float:
        """The predicted speed-up if a layout removes all wavefronts that a layout can remove. 1.0 means that the launch
        would not be faster.

        >>> bankwise.Time("H100 SXM", 3000, 2500, 4000, 1.9, "memory latency", cycles_without_conflicts=2000).factor_without_conflicts
        1.5
        """
        return self.cycles / self.cycles_without_conflicts if self.cycles_without_conflicts else 1.0


@dataclasses.dataclass(frozen=True, repr=False)
class Launch(Document):
    """A launch of a kernel. A report combines equal launches into one Launch, and `count` is the number of these launches.

    >>> launch = report.launch
    >>> launch.name, launch.grid, launch.block, launch.count, launch.wavefronts, launch.exactness
    ('transpose_plain', (2, 2, 1), (32, 8, 1), 1, 4224, 'exact')
    """

    kernel: str  #: "transpose_plain(float*, float const*, int)"
    name: str
    grid: typing.Tuple[int, ...]
    block: typing.Tuple[int, ...]
    shared_bytes: int
    dynamic_shared_bytes: int
    registers: int
    count: int
    exactness: str  #: "exact", "estimated", "partial"
    executed: int
    wavefronts: int
    ideal: int
    reachable: int
    removable: int
    queued: int
    cycles: int
    warp_instructions: int
    sites: typing.Tuple[Site, ...] = dataclasses.field(repr=False)
    fixes: typing.Tuple[Fix, ...] = dataclasses.field(repr=False)
    other_instructions: typing.Tuple[dict, ...] = dataclasses.field(default=(), repr=False)  #: wider instructions or matrix instructions that could replace existing instructions, with their saving
    instance: str = dataclasses.field(default="", repr=False)  #: the short name with template arguments, such as "hgemm<128, 64, half>"; empty in reports of older versions
    active_lanes: int = dataclasses.field(default=0, repr=False)  #: the sum of active lanes over all warp instructions; 0 if it is not known
    global_sites: typing.Tuple[GlobalSite, ...] = dataclasses.field(default=(), repr=False)  #: instructions on global memory; empty if there are none, or if bankwise did not count them
    sectors: typing.Optional[int] = dataclasses.field(default=None, repr=False)  #: sectors of global memory; None if bankwise did not count them
    sectors_ideal: typing.Optional[int] = dataclasses.field(default=None, repr=False)
    time: typing.Optional[Time] = dataclasses.field(default=None, repr=False)  #: the predicted time; None if there is no prediction
    time_missing: str = dataclasses.field(default="", repr=False)  #: why there is no prediction: "total_limit", "not_traced", "not_executed", "other_work"
    _document: dict = hidden({})

    def __repr__(self) -> str:
        took = "" if self.time is None else ", {} us".format(_digits(self.time.microseconds))
        return "<Launch {}, grid {}, block {}{}{}>".format(self.instance or self.name, self.grid, self.block, took,
                                                           ", {} times".format(self.count) if self.count > 1 else "")

    @property
    def lines(self) -> typing.Tuple[Line, ...]:
        """The sums for each source line, ordered by file and line.

        >>> [(line.line, line.removable) for line in report.launch.lines]
        [(15, 0), (18, 3968)]
        """
        by_place = {}
        for site in self.sites:
            by_place.setdefault((site.file, site.line), []).append(site)
        return _lines_of(Line, by_place)

    @property
    def global_lines(self) -> typing.Tuple[GlobalLine, ...]:
        """The sums of global memory for each source line, without local memory, ordered by file and line.

        >>> [(line.line, line.sectors, line.excess_sectors) for line in report.launch.global_lines]
        [(15, 512, 0), (18, 512, 0)]
        """
        by_place = {}
        for site in self.global_sites:
            if site.space == "global":
                by_place.setdefault((site.file, site.line), []).append(site)
        return _lines_of(GlobalLine, by_place)

    @property
    def worst(self) -> typing.Optional[Site]:
        """The instruction for which a layout saves the most wavefronts.

        If no layout saves wavefronts, it is the instruction that takes the most wavefronts. It is None if there is no
        instruction.

        >>> report.launch.worst.line
        18
        """
        return max(self.sites, key=lambda s: (s.removable, s.wavefronts), default=None)


@dataclasses.dataclass(frozen=True, repr=False)
class Finding(Document):
    """A source line of a kernel, or a whole launch, that costs more than necessary for one reason.

    >>> finding = report.findings[0]
    >>> finding.id, finding.line, finding.amount, finding.unit
    ('BW101', 18, 3968, 'wavefronts')
    >>> len(repr(finding).splitlines())
    1
    """

    id: str  #: the number of the kind, which `bankwise rule` explains
    name: str  #: the name of the kind, such as "RemovableBankConflict"
    level: str  #: "error", "warning", or "note", which is only a hint
    fingerprint: str  #: identifies the finding, also after changes to other lines
    kernel: str
    message: str  #: what is wrong
    amount: int  #: what the remedy saves in all launches of the kernel
    unit: str  #: "wavefronts", "rounds", "sectors", "accesses" or "cycles"
    evidence: str  #: "replayed" if a replay of the launches predicted the saved time, or "counted"
    instance: str = ""  #: the short name of the kernel with its template arguments
    path: str = ""  #: the source file
    line: int = 0  #: 0 if the finding is about the whole launch, or the line is not known
    text: str = ""  #: the text of the line, if the source was found
    also: typing.Tuple[dict, ...] = ()  #: {"id", "path", "line", "fingerprint"}: other lines and kinds that the same change removes
    inlined_at_path: str = ""  #: the source of the line in the kernel itself, if the finding's line was inlined
    inlined_at_line: int = 0
    pc: int = 0  #: the instruction with the largest amount
    sass: str = ""
    saved_microseconds: typing.Optional[float] = None  #: the predicted time that the remedy saves; None if it is not predicted
    kernel_microseconds: typing.Optional[float] = None  #: the predicted time of all launches of the kernel
    remedy: str = ""  #: the change that removes the finding, in words; empty if none is known
    remedy_code: str = ""  #: CUDA C++ code of the remedy
    _document: dict = hidden({})

    def __repr__(self) -> str:
        place = "{}:{}".format(os.path.basename(self.path), self.line) if self.line else self.instance or self.kernel
        saved = "" if self.saved_microseconds is None else " saves {} of {} us".format(_digits(self.saved_microseconds), _digits(self.kernel_microseconds))
        return "<Finding {} {}{}{}>".format(self.id, place, " and {} more".format(len(self.also)) if self.also else "", saved)


@dataclasses.dataclass(frozen=True)
class Hazard(Document):
    """A race, a read of memory that was never written, or a wrong use of a barrier, a shuffle or a vote. `file`, `line`
    and `thread` belong to the later access.

    >>> races = bankwise.run(examples + "/../tests/kernels/races.cubin", "reads_early", block=256, args=["out:i32[256]"], check="race")
    >>> [(hazard.kind, hazard.first_line, hazard.line, hazard.thread) for hazard in races.hazards]
    [('read_after_write', 10, 12, (0, 0, 0))]
    """

    kind: str  #: "uninitialised", "read_after_write", "divergent_barrier" ...
    count: int  #: how often it occurred
    block: typing.Tuple[int, ...]  #: the block in which it first occurred
    memory: str = "shared"  #: "shared", "global", "local" or "none"
    array: str = ""
    detail: str = ""  #: what the first occurrence accessed or named
    file: str = ""
    line: int = 0
    thread: typing.Tuple[int, ...] = ()
    first_file: str = ""
    first_line: int = 0
    first_thread: typing.Tuple[int, ...] = ()
    _document: dict = hidden({})


def _hazard_of(given):
    first, second = given["first"], given["second"]
    return from_document(Hazard, given, file=second.get("file", ""), line=second.get("line", 0), thread=tuple(second["thread"]),
                         first_file=first.get("file", ""), first_line=first.get("line", 0), first_thread=tuple(first["thread"]),
                         _document=given)


@dataclasses.dataclass(frozen=True, repr=False)
class Report(Document):
    """The result of run(). `print` prints the same text as the command `bankwise run`. A notebook shows the source
    lines, and the banks of the most expensive access.

    >>> report.wavefronts, report.removable, report.exactness, len(report.launches)
    (4224, 3968, 'exact', 1)
    >>> repr(report).startswith("<Report sm_90: transpose_plain")
    True
    """

    arch: str  #: the architecture, for example "sm_90"
    exactness: str
    launches: typing.Tuple[Launch, ...]
    output: str = dataclasses.field(default="", repr=False)  #: the output of kernels, and notes
    _document: dict = hidden({})

    @property
    def launch(self) -> Launch:
        """The launch, if the report has only one launch.

        >>> report.launch.kernel
        'transpose_plain(float*, float const*, int)'
        """
        if len(self.launches) != 1:
            raise Error("the report has {} launches, not one".format(len(self.launches)), hint="report.launches is the tuple of all launches")
        return self.launches[0]

    @property
    def sites(self) -> typing.Tuple[Site, ...]:
        return tuple(site for launch in self.launches for site in launch.sites)

    @property
    def lines(self) -> typing.Tuple[Line, ...]:
        return tuple(line for launch in self.launches for line in launch.lines)

    @property
    def wavefronts(self) -> int:
        return sum(launch.wavefronts * launch.count for launch in self.launches)

    @property
    def removable(self) -> int:
        return sum(launch.removable * launch.count for launch in self.launches)

    @property
    def global_sites(self) -> typing.Tuple[GlobalSite, ...]:
        return tuple(site for launch in self.launches for site in launch.global_sites)

    @property
    def sectors(self) -> typing.Optional[int]:
        """The number of sectors of global memory, over all launches. None if the sectors of a launch were not counted.

        >>> report.sectors
        1024
        """
        counted = [launch.sectors for launch in self.launches]
        return None if None in counted else sum(launch.sectors * launch.count for launch in self.launches)

    @property
    def findings(self) -> typing.Tuple[Finding, ...]:
        """What to change next: first what saves the most time, or the most wavefronts and sectors if no time is
        predicted. Notes are last.

        >>> [(finding.line, finding.id) for finding in report.findings]
        [(18, 'BW101')]
        """
        return tuple(from_document(Finding, f, _document=f) for f in self._document.get("findings", ()))

    @property
    def hazards(self) -> typing.Tuple[Hazard, ...]:
        """What `check` found in the launches.

        >>> report.hazards
        ()
        """
        return tuple(_hazard_of(h) for launch in self._document["launches"] for h in launch.get("hazards", ()))

    @property
    def fixes(self) -> typing.Tuple[Fix, ...]:
        """The layouts of all launches, if they were searched (run() with fix=True).

        >>> report.fixes
        ()
        """
        return tuple(fix for launch in self.launches for fix in launch.fixes)

    @property
    def time(self) -> typing.Optional[Time]:
        """The predicted time of all launches, one after another. `bound` is that of the launch that takes most of it. None if
        the time of a launch is not predicted.

        >>> report.time is None or report.time.microseconds == report.microseconds
        True
        """
        times = [launch.time for launch in self.launches]
        if not times or None in times:
            return None
        if len(times) == 1 and self.launches[0].count == 1:
            return times[0]
        longest = max(self.launches, key=lambda launch: launch.time.cycles * launch.count).time
        sums = {name: sum(getattr(launch.time, name) * launch.count for launch in self.launches)
                for name in ("cycles", "cycles_low", "cycles_high", "microseconds")}
        return Time(longest.gpu, bound=longest.bound, caches=longest.caches, **sums)

    @property
    def microseconds(self) -> typing.Optional[float]:
        """The predicted time of all launches together, or None if the time of a launch is not predicted.

        >>> time = report.launch.time
        >>> report.microseconds == (time and time.microseconds)
        True
        """
        times = [launch.time for launch in self.launches]
        return None if None in times else sum(launch.time.microseconds * launch.count for launch in self.launches)

    def render(self, format: str = "text", *flags: str) -> str:
        """The report in a format of `bankwise report`: text, html, sarif, csv ...

        >>> report.render("csv").count(",shared,") == len(report.sites)
        True
        """
        with tempfile.TemporaryDirectory() as folder:
            saved = os.path.join(folder, "report.json")
            self.save(saved)
            return _program.call(["report", saved, "--format", format, *flags])[0]

    def save(self, file: typing.Union[str, "os.PathLike[str]"]) -> None:
        """Saves the report as JSON, for `bankwise check`, `diff` and `compare`.

        >>> with tempfile.TemporaryDirectory() as folder:
        ...     report.save(folder + "/r.json")
        ...     read_report(folder + "/r.json") == report
        True
        """
        with open(file, "w") as out:
            json.dump(self._document, out)

    def __repr__(self) -> str:
        names = ", ".join(launch.instance or launch.name for launch in self.launches[:3])
        names += " and {} more".format(len(self.launches) - 3) if len(self.launches) > 3 else ""
        took = "" if self.time is None else ", {} us on {}".format(_digits(self.time.microseconds), self.time.gpu)
        found = self.findings
        return "<Report {}: {}{}, {} finding{}{}>".format(self.arch, names, took, len(found), "" if len(found) == 1 else "s",
                                                          ", first {!r}".format(found[0]) if found else "")

    def __str__(self) -> str:
        return self.render("text", "--color", "never").rstrip("\n")

    def _repr_html_(self) -> str:
        return "".join(_launch_html(launch) for launch in self.launches)


def _lines_of(kind, by_place):
    """Makes the lines of a launch. Their numbers are the sums over their sites."""
    numbers = [field.name for field in dataclasses.fields(kind) if field.name not in ("file", "line", "text", "sites")]
    return tuple(kind(file, line, sites[0].text, *(sum(getattr(s, n) for s in sites) for n in numbers), tuple(sites))
                 for (file, line), sites in sorted(by_place.items()))


def _shown(text):
    return html.escape(printable(text))


def _launch_html(launch):
    rows = "".join(
        "<tr><td>{}:{}<td>{:,}<td>{:,}<td>{:,}<td>{:,}<td><code>{}</code></tr>".format(
            _shown(os.path.basename(l.file)), l.line or "", l.executed, l.wavefronts, l.reachable, l.removable,
            _shown(l.text)) for l in launch.lines)
    worst = launch.worst
    picture = worst.svg() if worst and worst.removable else None
    return ("<p><b>{}</b>, grid {}, block {}: {:,} wavefronts, {:,} removable</p><table><tr><th>line<th>executed<th>wavefronts"
            "<th>reachable<th>removable<th>source</tr>{}</table>{}{}{}").format(
                _shown(launch.instance or launch.name), ",".join(map(str, launch.grid)), ",".join(map(str, launch.block)),
                launch.wavefronts, launch.removable, rows, _global_html(launch),
                "".join(f._repr_html_() for f in launch.fixes if f.answers), picture or "")


def _global_html(launch):
    """The lines that touch more sectors of global memory than their bytes fill."""
    lines = [l for l in launch.global_lines if l.excess_sectors]
    if launch.sectors is None:
        return ""
    said = "<p>{:,} sectors of global memory, {:,} above the ideal</p>".format(
        launch.sectors, launch.sectors - launch.sectors_ideal)
    rows = "".join(
        "<tr><td>{}:{}<td>{:,}<td>{:,}<td>{:,}<td><code>{}</code><td>{}</tr>".format(
            _shown(os.path.basename(l.file)), l.line or "", l.requests, l.sectors, l.sectors_ideal, _shown(l.text),
            _shown(max(l.sites, key=lambda s: s.excess_sectors).reason)) for l in lines)
    return said + (rows and "<table><tr><th>line<th>requests<th>sectors<th>ideal<th>source<th>why</tr>{}</table>".format(rows))


def time_of(document):
    """Makes a time from its JSON. The bound and the shares have the words of the text report."""
    words = document.get("words", {})
    shares = [{**share, "resource": words.get(share["resource"], share["resource"])} for share in document["shares"]]
    return from_document(Time, {**document, "bound": words.get(document["bound"], document["bound"]), "shares": shares},
                         _document=document)


def report_of(document, output=""):
    """Makes a report from its JSON."""
    launches = []
    for one in document["launches"]:
        sites = tuple(from_document(Site, s, _arch=document["arch"], _document=s) for s in one["sites"])
        global_sites = tuple(from_document(GlobalSite, s, _document=s) for s in one.get("global_sites", ()))
        sectors = {key: one["global_totals"][key] for key in ("sectors", "sectors_ideal")} if "global_totals" in one else {}
        fixes = tuple(fix_of(f) for f in one.get("fixes", ()))
        others = tuple(one.get("other_instructions", ()))
        time = time_of(one["time"]) if "time" in one else None
        launches.append(from_document(Launch, {**one["totals"], **one, **sectors}, sites=sites, fixes=fixes,
                                      other_instructions=others, global_sites=global_sites, time=time, _document=one))
    return from_document(Report, document, launches=tuple(launches), output=output, _document=document)


@raises_errors
def read_report(file):
    """Reads a report from a file that `bankwise run --format json -o FILE` or Report.save() wrote.

    >>> with tempfile.TemporaryDirectory() as folder:
    ...     report.save(folder + "/r.json")
    ...     read_report(folder + "/r.json").wavefronts
    4224
    """
    with open(file) as saved:
        return report_of(json.load(saved))
