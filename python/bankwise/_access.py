"""The cost of one access, and the reasons for this cost."""
import dataclasses
import json
import typing

from . import _native
from ._document import Document, from_document, hidden
from ._errors import Error, raises_errors


@dataclasses.dataclass(frozen=True)
class Access(Document):
    """The result of explain() for an access to shared memory. A notebook draws the access as a map of the banks, and
    `print` prints the same text as the command `bankwise explain`.

    >>> import bankwise
    >>> pair = bankwise.explain("t * 8")
    >>> pair.op, pair.wavefronts, pair.ideal, pair.addresses[:3], pair.to_dict()["reachable"]
    ('ld.b32', 2, 1, (0, 8, 16), 1)
    """

    access: str  #: the access that you passed
    op: str  #: "ld.b32"
    arch: str  #: the architecture, for example "sm_90"
    verdict: str  #: the result as one sentence
    wavefronts: int  #: passes of the data pipe, as the hardware counts them
    ideal: int  #: Nsight Compute's ideal
    excess: int  #: wavefronts - ideal
    reachable: int  #: the fewest wavefronts that any placement of the same words takes
    removable: int  #: wavefronts that a layout can save
    queued: int  #: wavefronts of lanes that need the same word and cannot share a wavefront
    passes: int  #: passes through the register file
    cycles: int
    mask: str  #: the lanes that take part, in hexadecimal
    addresses: typing.Tuple[typing.Optional[int], ...]  #: byte addresses; None for an inactive lane
    evidence: str  #: "measured", "published", "documented", "assumed"
    evidence_source: str  #: the document or the measurement that is the evidence
    merged: str
    reasons: typing.Tuple[str, ...]  #: sentences that explain the cost
    notes: typing.Tuple[str, ...]  #: sentences with further remarks
    phases: typing.Tuple[dict, ...] = dataclasses.field(repr=False)
    collisions: typing.Tuple[dict, ...] = dataclasses.field(repr=False)
    _document: dict = hidden({})
    _question: bytes = hidden(b"")

    def __str__(self) -> str:
        return _native.ask("text", self._question).rstrip("\n")

    def svg(self) -> str:
        """The map of the banks, as a complete SVG file.

        >>> bankwise.explain("t * 8").svg()[-7:]
        '</svg>\\n'
        """
        return _native.ask("svg_file", self._question)

    def cpp(self) -> str:
        """C++ code that fails to compile if the access takes more wavefronts than now.

        >>> print(bankwise.explain("t * 8").cpp())  # doctest: +ELLIPSIS
        #include <bankwise/bankwise.hpp>
        ...
        BANKWISE_ASSERT_WAVEFRONTS(shared_access, 2);
        <BLANKLINE>
        """
        return _native.ask("cpp", self._question)

    def command(self) -> str:
        """The command line that prints the same result.

        >>> bankwise.explain("t * 8", mask=0xFF).command()
        "bankwise explain --mask 0x000000ff 't * 8'"
        """
        return _native.ask("command", self._question).rstrip("\n")

    def _repr_html_(self) -> str:
        return self.svg()


@dataclasses.dataclass(frozen=True)
class GlobalAccess(Document):
    """The result of explain(space="global"). A notebook draws the lanes above their sectors, and `print` prints the
    same text as the command `bankwise explain`.

    >>> import bankwise
    >>> pair = bankwise.explain("x[t * 2]", space="global")
    >>> pair.op, pair.sectors, pair.sectors_ideal, pair.tag_requests, pair.bytes, pair.bytes_moved
    ('ld.global.b32', 8, 4, 2, 128, 256)
    """

    access: str  #: the access that you passed
    op: str  #: "ld.global.b32"
    arch: str  #: the architecture, for example "sm_90"
    verdict: str  #: the result in one sentence
    requests: int  #: 1, or 0 if no lane is active
    sectors: int  #: sectors of 32 bytes: Nsight Compute's memory_l2_theoretical_sectors_global
    sectors_ideal: int  #: Nsight Compute's ideal
    excess: int  #: sectors - sectors_ideal
    tag_requests: int  #: lines of 128 bytes that L1 looks up for the access
    bytes: int  #: bytes that the lanes request; a byte counts for each lane that requests it
    bytes_moved: int  #: moved bytes: 32 for each sector
    distinct_bytes: int  #: different bytes that the lanes request
    used_in_part: int  #: sectors that contain bytes which no lane requests
    base: int  #: offset of the array's first byte from a multiple of 256
    mask: str  #: the active lanes, in hexadecimal
    addresses: typing.Tuple[typing.Optional[int], ...]  #: byte addresses; None for an inactive lane
    evidence: str  #: "measured", "assumed"
    evidence_source: str  #: the document or the measurement that is the evidence
    reasons: typing.Tuple[str, ...]  #: sentences that explain the cost
    notes: typing.Tuple[str, ...]  #: sentences with further remarks
    remedies: typing.Tuple[dict, ...] = dataclasses.field(repr=False)  #: possible changes, with "text", "before" and "after"
    lines: typing.Tuple[dict, ...] = dataclasses.field(repr=False)  #: the lines, with their sectors and lanes
    pieces: typing.Tuple[dict, ...] = dataclasses.field(default=(), repr=False)  #: the single accesses, if one element needs several accesses
    _document: dict = hidden({})
    _question: bytes = hidden(b"")

    def __str__(self) -> str:
        return _native.ask("text", self._question).rstrip("\n")

    def svg(self) -> str:
        """A drawing of the lanes, the sectors and the lines, as a complete SVG file.

        >>> bankwise.explain("x[t]", space="global").svg()[-7:]
        '</svg>\\n'
        """
        return _native.ask("svg_file", self._question)

    def cpp(self) -> str:
        """C++ code that fails to compile if the access touches more sectors than now.

        >>> bankwise.explain("x[t]", space="global").cpp().splitlines()[-1]
        'BANKWISE_ASSERT_SECTORS(global, 4);'
        """
        return _native.ask("cpp", self._question)

    def command(self) -> str:
        """The command line that prints the same result.

        >>> bankwise.explain("x[t]", space="global", base=4).command()
        "bankwise explain --space global --base 4 'x[t]'"
        """
        return _native.ask("command", self._question).rstrip("\n")

    def _repr_html_(self) -> str:
        return self.svg()


def access_of(question):
    """Returns the Access or GlobalAccess for a question. `question`: the bytes from question_of()."""
    document = json.loads(_native.ask("json", question))
    kind = GlobalAccess if document.get("space") == "global" else Access
    return from_document(kind, document, _document=document, _question=question)


def flag_words(flags):
    """Yields (flag, value) for every flag of the command line. A list becomes several flags, True becomes a flag without
    a value, and the tuple (32, 8) becomes 32,8."""
    for name, value in flags.items():
        flag = name.replace("_", "-")
        if value is None or value is False:
            continue
        if isinstance(value, dict):  # let={"pitch": 33}
            value = ["{}={}".format(k, v) for k, v in value.items()]
        for one in value if isinstance(value, list) else [value]:
            if one is True:
                yield flag, ""
            else:
                yield flag, ",".join(str(n) for n in one) if isinstance(one, tuple) else str(one)


def list_text(addresses):
    """Returns the addresses as text for the command line, separated by commas, with - for a lane without an address.
    If `addresses` is None, returns None."""
    return None if addresses is None else ",".join("-" if a is None or int(a) < 0 else str(int(a)) for a in addresses)


def question_of(access, flags):
    """Returns the access and its flags as bytes, in the form that the library reads."""
    if isinstance(access, str):
        name, text = "expr", access
    elif not hasattr(access, "__iter__"):
        raise Error("the access is a {}, not an expression or a list of addresses".format(type(access).__name__), flag="expr")
    else:
        name, text = "addresses", list_text(access)
    pairs = [*flag_words(flags), (name, text)]
    return "".join("{}\x1f{}\x1e".format(*pair) for pair in pairs).encode()


@raises_errors
def explain(access, *, array=None, op=None, width=None, type=None, let=None, block=None, warp=None, mask=None, where=None,
            pad=None, swizzle=None, source=None, zfill=False, arch=None, phases=None, space=None, base=None, to=None):
    """Returns the cost of one access of a warp to shared memory, and the reasons for the cost.

    With space="global", the function returns the sectors of global memory that the access touches.

    `access`: an expression of the lane, or up to 32 byte addresses (None for an inactive lane). The other arguments are the
    flags of `bankwise explain`. Pass a list for a flag that can be repeated. Pass a tuple for a flag whose value is several
    numbers: block=(32, 8) for --block 32,8.

    >>> import bankwise
    >>> column = bankwise.explain("tile[t][0]", array="float tile[32][32]")
    >>> column.wavefronts, column.reachable
    (32, 1)
    >>> column.verdict
    '32 wavefronts: a 32-way bank conflict on bank 0; 1 is reachable, 31 removable'
    >>> bankwise.explain("tile[t][0]", array="float tile[32][33]").wavefronts
    1
    >>> bankwise.explain(range(0, 512, 16), op="ld.b128").wavefronts
    4
    >>> bankwise.explain("p[t]", type="float3", space="global").remedies[0]["after"]["sectors"]
    12
    """
    if isinstance(mask, int):
        mask = "0x{:08x}".format(mask)
    flags = dict(array=array, op=op, width=width, type=type, let=let, block=block, warp=warp, mask=mask, where=where, pad=pad,
                 swizzle=swizzle, source=source, zfill=zfill, arch=arch, phases=phases, space=space,
                 base=base, to=to)
    return access_of(question_of(access, flags))
