"""Compares the predicted speed-ups of edits with speed-ups measured on an H100 (data/sm_90/layout_pairs.csv).
  scripts/compare edits PROGRAM [SIZE...]          runs PROGRAM (bench/kernels/layout_pairs.cu, compiled) on bankwise, and writes its predictions
                                                   into the table
  scripts/compare edits measured PAIRS_1024.csv... writes the table from Nsight Compute's raw pages, one page for each size
Needs build/release/cli/bankwise (BANKWISE)."""
import csv
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BANKWISE = os.environ.get("BANKWISE", str(ROOT / "build/release/cli/bankwise"))
TABLE = ROOT / "data/sm_90/layout_pairs.csv"
COLUMNS = "size,kernel,measured_before,measured_after,predicted_before,predicted_after,bound".split(",")


def write(rows):
    with open(TABLE, "w", newline="") as f:
        out = csv.DictWriter(f, COLUMNS, lineterminator="\n")
        out.writeheader()
        out.writerows(rows)


def bare_name(kernel):
    return kernel.removeprefix("void ").split("(")[0].split("<")[0]


def measured(files):
    rows = []
    for name in files:
        lines = [r for r in csv.reader(open(name)) if len(r) > 5]
        head = lines[0]
        launches = [dict(zip(head, r)) for r in lines[2:]]
        cycles = lambda r: r["gpc__cycles_elapsed.max"].replace(",", "").split(".")[0]
        for before, after in zip(launches[::2], launches[1::2]):
            rows.append({"size": re.search(r"\d+", os.path.basename(name))[0], "kernel": bare_name(before["Kernel Name"]),
                         "measured_before": cycles(before), "measured_after": cycles(after)})
    write(rows)


def times_of(program, size):
    with tempfile.TemporaryDirectory() as folder:
        report = folder + "/report.json"
        subprocess.run([BANKWISE, "run", "--time-model", "all", "--format", "json", "-o", report, program, size], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return [launch.get("time", {}) for launch in json.load(open(report))["launches"]]


def predict(program, sizes):
    rows = list(csv.DictReader(open(TABLE)))
    for size in sizes or sorted({r["size"] for r in rows}, key=int):
        of_size = [r for r in rows if r["size"] == size]
        times = times_of(program, size)
        for r, before, after in zip(of_size, times[::2], times[1::2]):
            r["predicted_before"], r["predicted_after"] = before.get("cycles", ""), after.get("cycles", "")
            r["bound"] = before.get("bound", "")
            is_, was = (float(r[f"{w}_before"]) / float(r[f"{w}_after"]) for w in ("predicted", "measured"))
            print(f"{size:>5} {r['kernel']:14} {was:6.2f} predicted {is_:6.2f} {is_ / was - 1:+5.0%}  {r['bound']}", flush=True)
        write(rows)


def main(words):
    if len(words) >= 2 and words[0] == "measured":
        return measured(words[1:])
    if not words:
        sys.exit(__doc__)
    predict(os.path.abspath(words[0]), words[1:])
