#!/usr/bin/env python3
"""Makes launches.csv and counts.csv from the results of measure.sh.
    table.py FOLDER
"""
import glob
import gzip
import json
import os
import struct
import sys

folder = sys.argv[1]
results = os.path.join(folder, "results")
counted = {}
for path in glob.glob(os.path.join(results, "*.json.gz")):
    with gzip.open(path, "rt") as f:
        for line in f:
            launch = json.loads(line)
            counted[launch["name"]] = launch


def words_of(family, kind):
    """The words that kernels left, by their number in the family."""
    all_words = {}
    for path in glob.glob(os.path.join(results, f"{family}_*.{kind}")):
        if os.path.basename(path)[len(family) + 1:].split(".")[0].isdigit():
            with open(path, "rb") as f:
                all_words[int(os.path.basename(path)[len(family) + 1:].split(".")[0])] = f.read()
    return all_words


def hash_of(data):
    """FNV-1a over 32-bit words."""
    h = 0xcbf29ce484222325
    for (word,) in struct.iter_unpack("<I", data):
        h = ((h ^ word) * 0x100000001b3) & (2**64 - 1)
    return h


with open(os.path.join(folder, "paths.list")) as f:
    rows = [line.split() for line in f]
with open(os.path.join(folder, "launches.csv"), "w") as launches, open(os.path.join(folder, "counts.csv"), "w") as counts:
    launches.write("family,kernel,blocks,threads,seed,some,words,result,executed\n")
    counts.write("kernel,pc,executed,lanes\n")
    for family in dict.fromkeys(row[0] for row in rows):
        first, again, at, begin = words_of(family, "bin"), words_of(family, "again"), 0, 0
        for n, row in enumerate(r for r in rows if r[0] == family):
            if n in first:
                begin, at = n, 0
            size = int(row[-1]) * 4
            data, other = (w.get(begin, b"")[at:at + size] for w in (first, again))
            at += size
            if len(data) != size or row[1] not in counted:
                continue
            stable = data == other and family != "turns"
            launch = counted[row[1]]
            launches.write(f"{','.join(row)},{hash_of(data) if stable else 0:016x},{launch['executed']:.0f}\n")
            for pc, executed, lanes in launch["rows"]:
                counts.write(f"{row[1]},{pc:x},{executed},{lanes}\n")
