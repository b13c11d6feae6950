"""Gluon's bank_conflicts() for pairs of layouts, next to the cost of their kernels: a tile of 64 x 64 goes through shared memory, stored
with one layout of registers and loaded with another.

    python3 gluon_layouts.py TABLE          no GPU: a row for each store and load of each kernel, and Gluon's result for it
    python3 gluon_layouts.py --launch MOST  on a GPU, for a profiler: launches the first MOST rows of the table

Needs Triton with Gluon and bankwise's Python package. Kernels that Triton cannot compile, or that fault, such as vectors across a padding,
are skipped.
"""
import csv
import itertools
import sys

import numpy as np
from triton.experimental import gluon
import triton.experimental.gluon.language as gl

SIDE = 64


@gluon.jit
def through(x, y, N: gl.constexpr, STORED: gl.constexpr, LOADED: gl.constexpr, SHARED: gl.constexpr):
    i = gl.arange(0, N, layout=gl.SliceLayout(1, STORED))
    j = gl.arange(0, N, layout=gl.SliceLayout(0, STORED))
    tile = gl.allocate_shared_memory(x.dtype.element_ty, [N, N], SHARED)
    tile.store(gl.load(x + i[:, None] * N + j[None, :]))
    turned = tile.load(LOADED)
    a = gl.arange(0, N, layout=gl.SliceLayout(1, LOADED))
    b = gl.arange(0, N, layout=gl.SliceLayout(0, LOADED))
    gl.store(y + a[:, None] * N + b[None, :], turned)


STORE_LINE, LOAD_LINE = (through.fn.__code__.co_firstlineno + n for n in (5, 6))
REGISTERS = {
    "rows of 1": gl.BlockedLayout([1, 1], [1, 32], [4, 1], [1, 0]),
    "rows of 2": gl.BlockedLayout([1, 2], [2, 16], [4, 1], [1, 0]),
    "rows of 4": gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0]),
    "rows of 8": gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0]),
    "columns of 1": gl.BlockedLayout([1, 1], [32, 1], [1, 4], [0, 1]),
    "columns of 4": gl.BlockedLayout([4, 1], [8, 4], [1, 4], [0, 1]),
    "columns of 8": gl.BlockedLayout([8, 1], [8, 4], [1, 4], [0, 1]),
}
STORED = ("rows of 1", "rows of 2", "rows of 4", "rows of 8")
LOADED = ("columns of 1", "columns of 4", "rows of 4", "columns of 8", "rows of 2")


def shared_layouts(bits):
    for vec, per_phase, phases in ((1, 1, 1), (1, 1, 32), (2, 2, 16), (4, 1, 8), (8, 1, 8)):
        yield "swizzled {},{},{}".format(vec, per_phase, phases), gl.SwizzledSharedLayout(vec, per_phase, phases, [1, 0])
    if bits < 64:
        yield "nvmma", gl.NVMMASharedLayout(min(128, SIDE * bits // 8), bits, 2)
    for gap in (1, 4):
        yield "padded {},{}".format(SIDE, gap), gl.PaddedSharedLayout.with_identity_for([[SIDE, gap]], [SIDE, SIDE], [1, 0])


def cases():
    for name in ("float32", "float16", "float64", "int8"):
        for (shared, layout), stored, loaded in itertools.product(
                shared_layouts(np.dtype(name).itemsize * 8), STORED, LOADED):
            yield name, stored, loaded, shared, dict(N=SIDE, STORED=REGISTERS[stored], LOADED=REGISTERS[loaded],
                                                     SHARED=layout, num_warps=4)


def counted():
    """Yields (case, profile) for each case that runs and has correct results."""
    import bankwise.triton

    for case in cases():
        x = np.arange(SIDE * SIDE).astype(case[0]).reshape(SIDE, SIDE)
        y = np.zeros_like(x)
        try:
            profile = bankwise.triton.profile(through, (1,), [x, y], **case[4])
        except bankwise.Error:
            continue
        assert (x == y).all(), case
        yield case, profile


def main():
    if sys.argv[1:2] == ["--launch"]:
        import torch

        for case, _ in itertools.islice(counted(), int(sys.argv[2])):
            x = torch.zeros(SIDE, SIDE, dtype=getattr(torch, case[0]), device="cuda")
            through[(1,)](x, torch.empty_like(x), **case[4])
        torch.cuda.synchronize()
        return 0
    if len(sys.argv) != 2:
        print(__doc__)
        return 2
    with open(sys.argv[1], "w") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow("type,registers,shared,operation,accesses,executed,wavefronts,ideal,gluon".split(","))
        for (name, stored, loaded, shared, _), profile in counted():
            for line, what, registers in ((STORE_LINE, "store", stored), (LOAD_LINE, "load", loaded)):
                sites = [s for l in profile.report.lines if l.line == line for s in l.sites]
                said = [c.conflicts for c in profile.gluon if c.line == line and c.loads == (what == "load")]
                if not sites:  # the compiler assigned these instructions to another line
                    continue
                table.writerow([name, registers, shared, what,
                                " ".join(sorted({"{}.b{}".format(s.op, 8 * s.width_bytes) for s in sites})),
                                *(sum(getattr(s, k) for s in sites) for k in ("executed", "wavefronts", "ideal")), *(said[:1] or [""])])
    return 0


if __name__ == "__main__":
    sys.exit(main())
