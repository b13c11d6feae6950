"""Compares the predicted waits of warps with Nsight Compute's warp states and samples from an H100.
  scripts/compare stalls TRACES [--half fit|held] [--csv FILE] [-v] [WORD...]
TRACES is the folder that scripts/compare times trace filled. WORD selects the programs or kernels whose name contains it. -v prints a row
for each launch, and for each instruction whose share of the samples differs by 5 points or more.
The script compares launches by each stall reason's share of all warps' time (data/sm_90/launch_times.csv.zst). It compares instructions
and lines by the samples of data/sm_90/line_samples.csv.zst. Instructions without a sample count as 0. Needs bench/predict_traces
(PREDICT_TRACES).
"""
import collections
import csv
import glob
import io
import os
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
from comparisons import times

# The name of a reason in the model -> its name in Nsight Compute's samples and metrics. Reasons that the model lacks
# are ignored on both sides of the comparison.
SAME = {"no_instructions": "no_instruction", "imc_miss": "imc_miss", "gmma": "warpgroup_arrive", "products": "barrier"}
UNKNOWN = {"dispatch_stall", "drain", "misc", "sleeping", "branch_resolving_other"}
METRIC = "smsp__average_warps_issue_stalled_"
SHOWN = 5  # number of instructions or lines to print


def shares(clocks):
    known = collections.Counter()
    for k, v in clocks.items():
        if k not in UNKNOWN:
            known[SAME.get(k, k)] += v
    total = sum(known.values())
    return {k: v / total for k, v in known.items()} if total else {}


def overlap(a, b):
    return sum(min(a.get(k, 0), b.get(k, 0)) for k in a.keys() | b.keys())


def ranks(values):
    order = sorted(range(len(values)), key=lambda i: values[i])
    result, i = [0.0] * len(values), 0
    while i < len(order):
        j = i
        while j + 1 < len(order) and values[order[j + 1]] == values[order[i]]:
            j += 1
        for k in order[i:j + 1]:
            result[k] = (i + j) / 2
        i = j + 1
    return result


def correlation(a, b):
    a, b = ranks(a), ranks(b)
    return statistics.correlation(a, b) if len(set(a)) > 1 and len(set(b)) > 1 else None


def top(parts):
    return {k for k, v in sorted(parts.items(), key=lambda x: -x[1])[:SHOWN] if v > 0}


def zstd_rows(name):
    text = subprocess.run(["zstd", "-dc", ROOT / "data/sm_90" / name], capture_output=True, text=True, check=True).stdout
    return csv.DictReader(io.StringIO(text))


def clocks_of(text):
    return {k: int(v) for k, v in (word.split(":") for word in text.split())}


def traces_of(traces, program, cache={}):
    if program not in cache:
        found = cache[program] = collections.defaultdict(list)
        for path in sorted(glob.glob(times.folder_of(traces, program) + "/*.trace")):
            found[times.key_of_trace(path)].append(path)
    return cache[program]


def predicted(wanted):
    """The stall clocks of each instruction by reason, for each (trace, instructions of the launch)."""
    words = [word for path, instructions in wanted for word in (path, str(instructions))]
    text = subprocess.run([times.PREDICT, "--stalls", *words], capture_output=True, text=True, check=True).stdout
    launches = []
    for line in text.splitlines():
        if not line.startswith("  "):
            launches.append({})
        else:
            pc, stalls = line.split(maxsplit=1)
            launches[-1][int(pc, 16)] = clocks_of(stalls)
    return launches


def sum_of(instructions):
    total = collections.Counter()
    for clocks in instructions.values():
        total.update(clocks)
    return total


def by_launch(traces, half, words, verbose):
    rows, wanted = [], []
    for r in times.measured():
        if (half and times.half_of(r["program"]) != half) or (words and not any(w in r["program"] or w in r["kernel"] for w in words)):
            continue
        same = traces_of(traces, r["program"])[times.key_of_row(r)]
        if same:
            rows.append(r)
            wanted.append((same.pop(0) if len(same) > 1 else same[0], r["smsp__inst_executed.sum"]))
    found, results, reasons = predicted(wanted), [], collections.defaultdict(list)
    for r, instructions in zip(rows, found):
        there = shares({k[len(METRIC):].split("_per_issue")[0]: float(v) for k, v in r.items() if k.startswith(METRIC) and v})
        mine = shares(sum_of(instructions))
        if not there or not mine:
            continue
        first = max(there, key=there.get), max(mine, key=mine.get)
        results.append((overlap(there, mine), first[0] == first[1], r, there, mine))
        for reason in there.keys() | mine.keys():
            reasons[reason].append((there.get(reason, 0), mine.get(reason, 0)))
    if verbose:
        for part, _, r, there, mine in sorted(results, key=lambda x: x[0]):
            most = sorted(there.keys() | mine.keys(), key=lambda k: -abs(there.get(k, 0) - mine.get(k, 0)))[:4]
            print(f"{part:6.1%}  {r['program']:32} {times.bare_name(r['kernel'])[:24]:24} "
                  + "  ".join(f"{k} {there.get(k, 0):.0%} > {mine.get(k, 0):.0%}" for k in most))
    print(f"{len(results)} launches: the reasons agree for {statistics.median(x[0] for x in results):.0%} of the time (median), "
          f"{times.quantile([x[0] for x in results], 0.1):.0%} at the 10th percentile. The largest reason is the same in "
          f"{sum(x[1] for x in results)}")
    print("| reason | measured | predicted | mean difference | launches where it differs by 10 points |\n|---|---:|---:|---:|---:|")
    for reason, pairs in sorted(reasons.items(), key=lambda x: -sum(p[0] for p in x[1])):
        print(f"| {reason} | {statistics.mean(p[0] for p in pairs):.1%} | {statistics.mean(p[1] for p in pairs):.1%} "
              f"| {statistics.mean(abs(p[0] - p[1]) for p in pairs):.1%} | {sum(abs(p[0] - p[1]) > 0.1 for p in pairs)} |")


def by_instruction(traces, half, words, verbose, table):
    launches = collections.OrderedDict()
    for r in zstd_rows("line_samples.csv.zst"):
        if (half and times.half_of(r["program"]) != half) or (words and not any(w in r["program"] or w in r["kernel"] for w in words)):
            continue
        launches.setdefault((r["program"], r["launch"], times.key_of_row(r)), []).append(r)
    known = {}
    for r in times.measured():
        known.setdefault((r["program"], times.key_of_row(r)), r["smsp__inst_executed.sum"])
    wanted, kept = [], []
    for (program, launch, key), rows in launches.items():
        same = traces_of(traces, program)[key]
        if same and any(r["stalls"] for r in rows):
            kept.append((program, key, rows))
            wanted.append((same[0], known.get((program, key), 0)))
    results = []
    for (program, key, rows), instructions in zip(kept, predicted(wanted)):
        there = {int(r["pc"], 16): sum(v for k, v in clocks_of(r["stalls"]).items() if k not in UNKNOWN) for r in rows}
        mine = {pc: sum(c.values()) for pc, c in instructions.items()}
        if not sum(there.values()) or not sum(mine.values()):
            continue
        there, mine = shares({str(k): v for k, v in there.items()}), shares({str(k): v for k, v in mine.items()})
        pcs = sorted(there.keys() | mine.keys(), key=int)
        rank = correlation([there.get(p, 0) for p in pcs], [mine.get(p, 0) for p in pcs])
        lines = {str(int(r["pc"], 16)): r["source"] for r in rows}
        of_lines = collections.Counter(), collections.Counter()
        for p in pcs:
            if p in lines:  # only these instructions have a known source line
                of_lines[0][lines[p]] += there.get(p, 0)
                of_lines[1][lines[p]] += mine.get(p, 0)
        tops = [top(there), top(mine), top(of_lines[0]), top(of_lines[1])]
        results.append((program, key[0], overlap(there, mine), rank, len(tops[0] & tops[1]) / len(tops[0]),
                        len(tops[2] & tops[3]) / max(1, len(tops[2])), len(pcs)))
        if verbose:
            text = {str(int(r["pc"], 16)): (r["sass"].strip(), r["stalls"]) for r in rows}
            for p in pcs:
                if abs(there.get(p, 0) - mine.get(p, 0)) >= 0.05:
                    print(f"{program} {key[0]} 0x{int(p):x} {text.get(p, ('', ''))[0][:40]}: measured {there.get(p, 0):.1%} "
                          f"({text.get(p, ('', ''))[1]}), predicted {mine.get(p, 0):.1%} ({dict(instructions.get(int(p), {}))})")
    if not results:
        return
    print(f"{len(results)} launches by instruction: the instructions agree for {statistics.median(x[2] for x in results):.0%} of the time "
          f"(median), {times.quantile([x[2] for x in results], 0.1):.0%} at the 10th percentile. The rank correlation is "
          f"{statistics.median(x[3] for x in results if x[3] is not None):.2f} (median). For the {SHOWN} instructions with most samples, "
          f"{statistics.mean(x[4] for x in results):.0%} are among the {SHOWN} predicted ones. For the {SHOWN} lines, "
          f"{statistics.mean(x[5] for x in results):.0%}")
    if table:
        with open(table, "w", newline="") as f:
            out = csv.writer(f, lineterminator="\n")
            out.writerow("program,kernel,half,instructions,agree,rank_correlation,top_instructions,top_lines".split(","))
            for program, kernel, part, rank, instructions, lines, count in results:
                out.writerow([program, kernel, times.half_of(program), count, f"{part:.3f}", "" if rank is None else f"{rank:.3f}",
                              f"{instructions:.2f}", f"{lines:.2f}"])


def main(words):
    if not words or words[0].startswith("-"):
        sys.exit(__doc__)
    half, table, verbose, only, traces, rest = None, None, False, [], words[0], words[1:]
    while rest:
        word = rest.pop(0)
        if word == "--half" and rest:
            half = rest.pop(0)
        elif word == "--csv" and rest:
            table = rest.pop(0)
        elif word == "-v":
            verbose = True
        else:
            only.append(word)
    by_launch(traces, half, only, verbose)
    by_instruction(traces, half, only, verbose, table)
