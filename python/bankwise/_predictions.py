"""Computes the costs of many accesses at once."""
import array
import dataclasses
import typing

from . import _native
from ._document import Document
from ._errors import Error, raises_errors
from ._memory import Memory, is_memory

COLUMNS = ("wavefronts", "ideal", "reachable", "passes", "cycles")
LANES = 32
# Types that the library reads without a copy.
KINDS = {"i32": "i", "u32": "I", "i64": "q", "u64": "Q"}


@dataclasses.dataclass(frozen=True)
class Predictions(Document):
    """The result of predict(): a column for each kind of number, with a row for each access. The columns are numpy
    arrays if numpy is installed, and otherwise arrays of Python's module `array`.

    >>> import bankwise
    >>> found = bankwise.predict([[16 * lane for lane in range(32)]], "ld.b128")
    >>> len(found), found.op, found.wavefronts.tolist(), found.passes.tolist()
    (1, 'ld.b128', [4], [4])
    """

    op: str
    arch: str  #: the architecture, for example "sm_90"
    wavefronts: typing.Any = dataclasses.field(repr=False)  #: wavefronts of each access
    ideal: typing.Any = dataclasses.field(repr=False)  #: ideal wavefronts of each access
    reachable: typing.Any = dataclasses.field(repr=False)  #: reachable wavefronts of each access
    passes: typing.Any = dataclasses.field(repr=False)  #: register passes of each access
    cycles: typing.Any = dataclasses.field(repr=False)  #: cycles of each access

    def __len__(self) -> int:
        return len(self.wavefronts)

    def to_dict(self) -> typing.Dict[str, typing.Any]:
        """A dictionary of the columns as lists, with the operation and the machine.

        >>> bankwise.predict([[4 * lane for lane in range(32)]]).to_dict()["wavefronts"]
        [1]
        """
        return {"op": self.op, "arch": self.arch, **{name: getattr(self, name).tolist() for name in COLUMNS}}


def _numbers(count):
    try:
        import numpy
    except ImportError:
        return array.array("I", bytes(4 * count))
    return numpy.empty(count, numpy.uint32)


def _as_memory(thing, name):
    if is_memory(thing):
        return Memory(thing, name)
    if not hasattr(thing, "__iter__") or isinstance(thing, str):
        raise Error("{} are a {}, not an array or a list of lists".format(name, type(thing).__name__), flag=name)
    flat, rows = [], 0  # the addresses are a list of lists
    for row in thing:
        row = [-1 if a is None else int(a) for a in row]
        if len(row) != LANES:
            raise Error("{}: row {} has {} addresses, not {}".format(name, rows, len(row), LANES))
        flat += row
        rows += 1
    return Memory(array.array("q", flat), name)


@raises_errors
def predict(addresses, op="ld.b32", *, mask=0xFFFFFFFF, arch="sm_90"):
    """Computes the costs of many accesses, as fast as in C++. For a large table, the function uses all cores.

    `addresses`: the byte addresses of the 32 lanes of each access. Pass an array or a list of lists. An array
    has integers of 32 or 64 bits, and its last dimension is 32. It can be a numpy array, a tensor on the CPU, or any
    buffer. A negative address means that the lane is inactive. `mask`: the active lanes, as one number for all
    accesses, or as an array with a 32-bit number for each access. For cp.async, predict() assumes that the source is
    contiguous.

    >>> import bankwise
    >>> rows = [[lane * pitch for lane in range(32)] for pitch in (4, 8, 128, 132)]
    >>> bankwise.predict(rows).wavefronts.tolist()
    [1, 2, 32, 1]
    >>> bankwise.predict(rows[:1], mask=0xFFFF).ideal.tolist()
    [1]
    """
    table = _as_memory(addresses, "addresses")
    if table.type not in KINDS:
        raise Error("addresses are of type {}, not integers of 32 or 64 bits".format(table.type), flag="addresses")
    count = table.bytes // table.itemsize
    is_flat_list = len(table.shape) == 1 and not is_memory(addresses)
    if count % LANES != 0 or not (is_flat_list or (table.shape and table.shape[-1] == LANES)):
        raise Error("addresses are of shape {}, but the last dimension must be {}, the number of lanes of a warp"
                    .format(tuple(table.shape), LANES), flag="addresses")
    rows = count // LANES
    masks, one_mask = None, 0
    if is_memory(mask) and not isinstance(mask, int) and getattr(mask, "shape", (1,)) != ():
        masks = Memory(mask, "mask")
        if masks.type not in ("u32", "i32") or masks.bytes != 4 * rows:
            raise Error("mask is of type {} and has {} bytes, but it must have {} numbers of 32 bits, one for each access"
                        .format(masks.type, masks.bytes, rows), flag="mask")
    else:
        one_mask = int(mask)
        if not 0 <= one_mask <= 0xFFFFFFFF:
            raise Error("mask {:#x} has more than 32 lanes".format(one_mask), flag="mask")
    columns = [_numbers(rows) for _ in COLUMNS]
    places = [Memory(column, name) for column, name in zip(columns, COLUMNS)]
    _native.predict(op, arch, table.address, KINDS[table.type], rows, masks.address if masks else None, one_mask,
                    [place.address for place in places])
    return Predictions(op, arch, *columns)
