#!/usr/bin/env python3
"""Asks tensor-layouts (pip install tensor-layouts) for the wavefronts of the measured accesses, and writes the answers
for the column tensor-layouts of data/peers/answers.csv.zst.

    bench/ask_tensor_layouts.py data/sm_90/wavefronts.csv data/sm_90/sparse.csv

Prints a line for every row whose rule is known, and the time for one access on stderr.
"""
import csv
import sys
import time

from tensor_layouts import Layout
from tensor_layouts.analysis import bank_conflicts


class Warp(Layout):
    """A layout of lanes times values with any addresses. It has the methods that bank_conflicts() calls."""

    def __init__(self, addresses, unit, values):
        super().__init__((len(addresses), values), (1, 1))
        self.addresses, self.unit = addresses, unit

    def __call__(self, flat):
        value, lane = divmod(flat, len(self.addresses))
        return self.addresses[lane] // self.unit + value


def open_rule(row):
    op = row["op"]
    return op.startswith("cp.async.cg") or (op.startswith("cp.async") and row["source_stride"] != op.split(".")[-1])


def ask(row):
    op, mask = row["op"], int(row["mask"], 16)
    if "matrix" in op:
        width, mask = 16, mask & ((1 << 8 * int(op.split(".x")[1][0])) - 1)
    elif op.startswith("cp.async"):
        width = int(op.split(".")[-1])
    else:
        width = int(op.rsplit(".b", 1)[1]) // 8
    unit = min(width, 4)
    lanes = [int(row[f"a{lane}"]) for lane in range(32) if mask >> lane & 1]
    return bank_conflicts(Warp(lanes, unit, width // unit), element_bytes=unit)["max_ways"]


rows = [row for path in sys.argv[1:] for row in csv.DictReader(open(path)) if not open_rule(row)]
if not rows:
    sys.exit(__doc__)
begin = time.perf_counter()
answers = [ask(row) for row in rows]
print(f"{(time.perf_counter() - begin) / len(rows) * 1e9:.0f} ns per access", file=sys.stderr)
print(*answers, sep="\n")
