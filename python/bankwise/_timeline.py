"""The timeline of a program: when its calls, launches and copies would begin and end on a GPU."""
import dataclasses
import html
import os
import tempfile
import typing

from . import _program
from ._access import flag_words
from ._document import Document, from_document, hidden
from ._errors import Error, printable, raises_errors
from ._report import Report, read_report

NANOSECONDS = 1000.0  # of a microsecond


@dataclasses.dataclass(frozen=True)
class Operation(Document):
    """A call of the host, or an operation of a stream.

    >>> copy = times.operations[1]
    >>> copy.kind, copy.name, copy.stream, copy.begin, copy.end, copy.critical
    ('copy to the device', '4,096 bytes', 1, 2.4, 17.4, True)
    """

    kind: str  #: "kernel", "copy to the host", "launch call" ...
    name: str = ""  #: name of the kernel or call, or the bytes of a copy
    stream: typing.Optional[int] = None  #: number of the stream. None for a call of the host
    branch: int = 0  #: row in the stream, if operations of the stream run at the same time
    begin: float = 0.0  #: microseconds from the first call of the program
    microseconds: float = 0.0
    grid: typing.Optional[typing.Tuple[int, int, int]] = None  #: of a kernel
    block: typing.Optional[typing.Tuple[int, int, int]] = None  #: of a kernel
    bound: typing.Optional[str] = None  #: what bounds a kernel. None if its time is not predicted and only a lower bound
    count: int = 1  #: number of operations that follow each other and are one entry, because the list is long
    critical: bool = False  #: whether it is on the critical path
    call: typing.Optional[int] = None  #: index of the call of the host that began it
    after: typing.Tuple[int, ...] = ()  #: indices of the operations for which it waited at an event or an edge of a graph
    _document: dict = hidden({})

    @property
    def end(self) -> float:
        return round(self.begin + self.microseconds, 3)


@dataclasses.dataclass(frozen=True)
class Part(Document):
    """Equal operations of the critical path.

    >>> longest = times.critical_path[0]
    >>> longest.kind, longest.count, longest.microseconds
    ('copy to the device', 1, 15.0)
    """

    kind: str
    name: str = ""
    count: int = 0
    microseconds: float = 0.0  #: their time on the critical path
    grid: typing.Optional[typing.Tuple[int, int, int]] = None
    block: typing.Optional[typing.Tuple[int, int, int]] = None
    bound: typing.Optional[str] = None
    _document: dict = hidden({})


@dataclasses.dataclass(frozen=True)
class Timeline(Document):
    """The result of timeline(). A notebook shows the rows of the streams.

    >>> times.gpu, times.microseconds, times.busy_microseconds, [one.name for one in times.kernels]
    ('H100 SXM', 30.4, 25.0, ['add'])
    """

    gpu: str  #: "H100 SXM"
    microseconds: float  #: from the first call until the host and the device have ended
    busy_microseconds: float  #: time in which the device computes or copies
    kernel_microseconds: float  #: time in which at least one kernel runs
    launches_without_time: int  #: launches whose time is a lower bound, because it was not predicted
    operations: typing.Tuple[Operation, ...] = dataclasses.field(repr=False)  #: in the order of their beginnings
    critical_path: typing.Tuple[Part, ...] = dataclasses.field(repr=False)  #: its ten longest parts
    waits_for: typing.Dict[str, float] = dataclasses.field(default_factory=dict)  #: microseconds of the critical path by kind of operation
    output: str = dataclasses.field(default="", repr=False)  #: the output of the program
    _document: dict = hidden({})

    @property
    def kernels(self) -> typing.Tuple[Operation, ...]:
        return tuple(one for one in self.operations if one.kind == "kernel")

    def _repr_html_(self) -> str:
        rows: typing.Dict[str, typing.List[Operation]] = {}
        for one in self.operations:
            name = "host" if one.stream is None else "stream {}{}".format(one.stream, ", branch {}".format(one.branch + 1) if one.branch else "")
            rows.setdefault(name, []).append(one)
        return "<p>{:,.2f} us on {}</p><table>{}</table>".format(self.microseconds, html.escape(self.gpu or "the GPU"), "".join(
            "<tr><td>{}<td>{}</tr>".format(html.escape(name), _boxes(rows[name], self.microseconds)) for name in sorted(rows)))


def _boxes(operations, whole):
    """A row of the picture."""
    boxes = "".join('<rect x="{}" width="{}" height="1" fill="{}"><title>{}: {:,.2f} us</title></rect>'.format(
        one.begin, max(one.microseconds, whole / 2000), "#d9622b" if one.critical else "#7a9cc0",
        html.escape(printable(one.name or one.kind)), one.microseconds) for one in operations)
    return '<svg width="700" height="14" viewBox="0 0 {} 1" preserveAspectRatio="none">{}</svg>'.format(whole, boxes)


def _in_microseconds(cls, document):
    times = {"microseconds": document["nanoseconds"] / NANOSECONDS}
    if "begin" in document:
        times["begin"] = document["begin"] / NANOSECONDS
    return from_document(cls, document, _document=document, **times)


def _timeline_of(report, output=""):
    document = report.to_dict().get("timeline")
    if document is None:
        raise Error("the report has no timeline", hint="only a report of a whole program has one: bankwise.timeline(['./program'])")
    return Timeline(document["gpu"], *(document[key] / NANOSECONDS for key in ("nanoseconds", "busy_nanoseconds", "kernel_nanoseconds")),
                    document["launches_without_time"], tuple(_in_microseconds(Operation, one) for one in document["operations"]),
                    tuple(_in_microseconds(Part, one) for one in document["critical_path"]),
                    {one["kind"]: one["nanoseconds"] / NANOSECONDS for one in document["waits_for"]}, output, document)


@raises_errors
def timeline(program, *, gpu=None, arch=None, caches=None, time=None, virtual_time=False):
    """Returns when the calls, launches and copies of a program would begin and end on a GPU.

    `program`: one of these values:

    - a list: the program and its arguments, such as ["python3", "train.py"] or ["./app", "1024"]
    - the name of a program or of a .cu file
    - a report of a program, or the name of the JSON file with it

    The other arguments are the flags of `bankwise run`. bankwise emulates the program, so no GPU is needed.

    >>> bankwise.timeline(["./app", "1024"]).microseconds  # doctest: +SKIP
    1351.2
    >>> bankwise.timeline(saved_times).waits_for["kernel"]
    10.0
    """
    if isinstance(program, Report):
        return _timeline_of(program)
    words = [os.fspath(program)] if isinstance(program, (str, os.PathLike)) else [os.fspath(word) for word in program]
    if len(words) == 1 and words[0].endswith(".json"):
        return _timeline_of(read_report(words[0]))
    with tempfile.TemporaryDirectory(prefix="bankwise-") as folder:
        saved = os.path.join(folder, "report.json")
        flags = dict(gpu=gpu, arch=arch, caches=caches, time=time, virtual_time=virtual_time, time_model="on")
        given = ["--{}{}".format(name, "=" + value if value else "") for name, value in flag_words(flags)]
        out, _ = _program.call(["run", *given, "--format=json", "-o", saved, "--", *words], folder)
        return _timeline_of(read_report(saved), out)
