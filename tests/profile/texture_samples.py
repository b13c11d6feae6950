#!/usr/bin/python3
"""Compares the rules for textures and surfaces in docs/howto/global-memory.md with the counters of an H100
(data/sm_90/texture_patterns.csv.zst): texture_samples.py SOURCE. Exits 77 without zstd.
"""
import csv
import io
import pathlib
import shutil
import subprocess
import sys

if not shutil.which("zstd"):
    print("skipped: no zstd here")
    sys.exit(77)
table = pathlib.Path(sys.argv[1], "data/sm_90/texture_patterns.csv.zst")
text = subprocess.run(["zstd", "-dc", table], capture_output=True, text=True, check=True).stdout


def texels(access, x, y, z):
    """The texels that a lane reads: a linear filter and a gather read four texels, at whole coordinates."""
    if access in ("pitch_lin_f1", "tex2_lin_f1", "gather_f1"):
        return [(x + i, y + j, z) for i in (0, 1) for j in (0, 1)]
    return [(x, y, z)]


def sector(row, x, y, z):
    texel = int(row["texel_bytes"])
    if row["access"].startswith(("fetch", "pitch")):
        return (y * int(row["pitch"]) + x * texel) // 32
    return x * texel // 16, y // 2, z


rows = wrong = 0
for row in csv.DictReader(io.StringIO(text)):
    lanes = [tuple(map(int, at.split(":"))) for at in row["coordinates"].split(" ")]
    size = 8 if row["access"].startswith(("fetch", "sread")) and int(row["texel_bytes"]) <= 8 else 4
    requests = sectors = 0
    for first in range(0, 32, size):
        active = [lane for lane in range(first, first + size) if int(row["mask"], 16) >> lane & 1]
        requests += bool(active)
        sectors += len({sector(row, *t) for lane in active for t in texels(row["access"], *lanes[lane])})
    rows += 1
    if (requests, sectors) != (int(row["requests"]), int(row["sectors"])):
        wrong += 1
        print(f"{row['access']} {row['mask']}: {requests} requests, {sectors} sectors; an H100 has {row['requests']}, {row['sectors']}")
print(f"{rows} accesses, {rows - wrong} equal")
sys.exit(0 if wrong == 0 and rows > 400 else 1)
