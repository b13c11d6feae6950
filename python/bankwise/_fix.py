"""The layout of an array with the lowest cost."""
import dataclasses
import html
import json
import typing

from . import _program
from ._access import flag_words
from ._document import Document, from_document, hidden
from ._errors import Error, printable, raises_errors


@dataclasses.dataclass(frozen=True)
class Layout(Document):
    """A layout that is better than the existing layout of the array. `cuda`, `cute` and `triton` are the layout as code. Each of them is
    None if the layout cannot be written in that language.

    >>> import bankwise
    >>> swizzle = bankwise.fix("ld a[t][0]", array="float a[32][32]").answers[1]
    >>> swizzle.family, swizzle.extra_bytes, swizzle.triton
    ('swizzle', 0, 'gl.SwizzledSharedLayout(vec=1, per_phase=1, max_phase=32, order=[1, 0])')
    """

    family: str  #: "row padding", "swizzle" ...
    summary: str  #: "rows of 132 bytes instead of 128"
    wavefronts: int
    wavefronts_by_access: typing.Tuple[int, ...]
    reaches_lower_bound: bool
    bytes: int
    extra_bytes: int
    index: typing.Optional[str] = None
    cuda: typing.Optional[str] = None
    cute: typing.Optional[str] = None
    triton: typing.Optional[str] = None
    _document: dict = hidden({})


@dataclasses.dataclass(frozen=True)
class Fix(Document):
    """The result of fix(): the cost of the existing array, and the layouts that cost less. The best layout is first.

    >>> import bankwise
    >>> print(bankwise.fix("ld a[t]", array="float a[32]").verdict)
    already at the lower bound: no padding and no swizzle can take fewer than 1 wavefront
    """

    array: str  #: "float tile[32][32]"
    verdict: str
    wavefronts: int  #: wavefronts with the existing array
    lower_bound: int
    bytes: int
    accesses: typing.Tuple[dict, ...] = dataclasses.field(repr=False)
    answers: typing.Tuple[Layout, ...] = dataclasses.field(repr=False)
    cycles_before: typing.Optional[int] = None  #: predicted elapsed cycles of a kernel's launch; None if they are not predicted
    cycles_after: typing.Optional[int] = None  #: predicted elapsed cycles of the launch with the first answer
    source_edit: typing.Any = dataclasses.field(default=None, repr=False)  #: the edit of the source, for an array of a kernel; otherwise None
    _document: dict = hidden({})
    _question: typing.Tuple[str, ...] = hidden(())  # arguments for the command line; empty for a report

    @property
    def best(self) -> typing.Optional[Layout]:
        """The layout with the fewest wavefronts, or None if no layout is better than the existing layout.

        >>> bankwise.fix("ld a[t][0]", array="float a[32][32]").best.wavefronts
        1
        >>> bankwise.fix("ld a[t]", array="float a[32]").best is None
        True
        """
        return self.answers[0] if self.answers else None

    def __str__(self) -> str:
        if self._question:
            return _program.call(["fix", "--color", "never", *self._question])[0].rstrip("\n")
        return "\n".join(["{}: {}".format(self.array, self.verdict),
                          *("{}. {}: {:,}".format(n, a.summary, a.wavefronts) for n, a in enumerate(self.answers, 1))])

    def _repr_html_(self) -> str:
        rows = [("as it is", self.wavefronts, 0, "")]
        rows += [(a.summary, a.wavefronts, a.extra_bytes, a.cuda or a.index or "") for a in self.answers]
        return "<p><b>{}</b>: {}</p><table><tr><th>layout<th>wavefronts<th>extra bytes<th>code</tr>{}</table>".format(
            html.escape(printable(self.array)), html.escape(printable(self.verdict)),
            "".join("<tr><td>{}<td>{:,}<td>{:,}<td><pre>{}</pre></tr>".format(html.escape(printable(s)), w, b, html.escape(printable(c)))
                    for s, w, b, c in rows))


def fix_of(document, question=()):
    layouts = tuple(from_document(Layout, one, _document=one) for one in document["answers"])
    return from_document(Fix, document, answers=layouts, _document=document, _question=question)


@raises_errors
def fix(*accesses, array=None, block=None, warp=None, let=None, type=None, shared=None, registers=None, arch=None):
    """Finds the padding or swizzle with the fewest wavefronts for all accesses to an array. Returns the cost and the
    code of this layout.

    Each access is a line in the form of `bankwise fix`:
    [NAME [* WEIGHT]:] [OP] ARRAY[..][..] [where COND] [for I < N, ...].
    If `array` is a list of declarations, the result is a list with a Fix for each accessed array.

    >>> import bankwise
    >>> found = bankwise.fix("st tile[i][t] for i < 32", "ld tile[t][i] for i < 32", array="float tile[32][32]")
    >>> found.wavefronts, found.best.wavefronts, found.best.summary
    (1056, 64, 'rows of 132 bytes instead of 128')
    >>> print(found.best.cuda.strip())
    __shared__ float tile[32][32 + 1];  // nothing else changes
    """
    flags = dict(array=array, block=block, warp=warp, let=let, type=type, shared=shared, registers=registers, arch=arch)
    words = ["--" + name + ("=" + value if value else "") for name, value in flag_words(flags)]
    for access in accesses:
        if not isinstance(access, str):
            raise Error("an access has the type {}, but must be a line of text".format(access.__class__.__name__))
    words += ["--", *accesses]
    document = json.loads(_program.call(["fix", "--format", "json", *words])[0])
    found = [fix_of(one, tuple(words) if len(document["arrays"]) == 1 else ()) for one in document["arrays"]]
    return found[0] if len(found) == 1 and not isinstance(array, (list, tuple)) else found
