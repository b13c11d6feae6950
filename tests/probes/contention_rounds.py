#!/usr/bin/python3
"""Makes data/sm_90/contention_rounds.csv from the output of contention_rounds.cu: contention_rounds.py rounds.PID.log > TABLE

Columns for each launch: the clocks of a round in which the warp stored nothing (the median), the standard deviation of a
round from the median of its neighbours, and the additional clocks of a round in which a lane stored (the median)."""
import csv
import statistics
import sys

WRAP = 1 << 32


def read(file):
    launches = {}
    for line in open(file):
        words = line.split()
        if words[0] == "launch":
            threads = launches.setdefault(tuple(words[1:]), {})
        else:
            threads[int(words[0])] = [int(w) for w in words[1:]]
    return launches


def rounds_of(threads):
    """By warp: {number: [clock of the swap, lanes that stored]}."""
    base = min(t[0] for t in threads.values())
    warps = {}
    for number, t in threads.items():
        lane, rounds = number % 32, warps.setdefault(number // 32, {})
        for j in range(8):
            load, swap = t[4 + 2 * j], t[5 + 2 * j]
            if load or swap:
                rounds.setdefault((31 - lane) * 8 + j, [(swap - base) % WRAP, 0])
        rounds.setdefault(t[1] - 1, [(t[3] - base) % WRAP, 0])[1] += 1
    return warps


def main():
    rows = csv.writer(sys.stdout, lineterminator="\n")
    rows.writerow(["loop", "warps", "words", "blocks", "block", "clocks", "scatter", "by_the_winner"])
    for launch, threads in read(sys.argv[1]).items():
        warps = rounds_of(threads)
        taken = sorted((r[n][0], r[n + 1][0] - r[n][0], r[n][1]) for r in warps.values() for n in r if n + 1 in r)
        lost, won = [], []
        for i, (_, clocks, stored) in enumerate(taken):
            around = [c for _, c, s in taken[max(0, i - len(warps)):i + len(warps) + 1] if not s]
            if len(around) > 5:
                (won if stored else lost).append(clocks - statistics.median(around))
        rows.writerow([*launch, round(statistics.median(c for _, c, s in taken if not s)), round(statistics.pstdev(lost)),
                       round(statistics.median(won))])


main()
