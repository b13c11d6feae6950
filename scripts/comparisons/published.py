"""Compares predicted times with the times that others published (data/published/times.csv).
  scripts/compare published [predict [WORD...]|factor|check]
Without a word: prints the errors by GPU and by source, for both halves.
  predict     predicts every row, or the rows whose source or GPU is a WORD, and writes the results to data/published/predicted_times.csv
  factor      writes the factor of the intervals for other GPUs, from the half `held_out`, to src/timing/launch/other_gpus.def
  check       fails if the file has another factor
The half `learn` may be used to choose parameters. Only the factor comes from the half `held_out`. BANKWISE is the program.
A published number is a time, a rate, or clocks per access. A row without a clock is predicted at the boost clock, so speed-ups say more.
Rows of one series do the same work in different versions: the speed-up is between two neighbouring rows.
"""
import collections
import concurrent.futures
import csv
import json
import math
import os
import pathlib
import re
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
from comparisons import times

TABLE = ROOT / "data/published/times.csv"
RESULTS = ROOT / "data/published/predicted_times.csv"
NAMES = ["row", "seconds", "predicted", "bound", "published_parameters", "assumed_parameters"]
BANDS = ROOT / "src/timing/launch/error_bands.def"
FACTOR = ROOT / "src/timing/launch/other_gpus.def"
HOLDS = 0.9      # share of the launches that must be in their interval
CLOSE = 0.1      # a predicted speed-up is right within this part
UNITS = {"s": 1, "ms": 1e-3, "us": 1e-6}
HALVES = "learn", "held_out"


def rows_of(path):
    with open(path, newline="") as f:
        return list(csv.DictReader(f))


def sources():
    return {r["source"]: r for r in rows_of(ROOT / "data/published/time_sources.csv")}


def clock_of(r):
    return r["clock"] or "boost"


def command(r):
    """The command that predicts a row, without the program."""
    words = ["run", f"examples/published/times/{r['program']}.fatbin", "-k", r["kernel"], "--arch", r["code"],
             "--gpu", f"{r['gpu']}@{clock_of(r)}", "--caches", r["caches"], "--grid", r["grid"], "--block", r["block"],
             "--shared", r["shared"], "--no-fix", "--time-model", "all", "--format", "json"]
    for argument in r["arguments"].split():
        words += ["--arg", argument]
    return words


def seconds_of(r, gigahertz):
    """The published number as seconds."""
    value, amount = float(r["published"]), float(r["amount"] or 0)
    if r["unit"] in UNITS:
        return value * UNITS[r["unit"]]
    if r["unit"] == "clocks":
        return value * amount / (gigahertz * 1e9)
    return amount / (value * 1e9)  # GB/s or GFLOP/s


def predict(number, r):
    program = os.environ.get("BANKWISE", str(ROOT / "build/release/cli/bankwise"))
    done = subprocess.run([program, *command(r)], cwd=ROOT, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"row {number}: {done.stderr}")
    time = json.loads(done.stdout)["launches"][0]["time"]
    gigahertz = time["cycles"] / time["microseconds"] / 1000
    known = time.get("parameters_of_bound", {"published": 0, "assumed": 0})
    text = lambda x: f"{x:.6g}"
    return [number, text(seconds_of(r, gigahertz)), text(time["microseconds"] * 1e-6), time["bound"], known["published"],
            known["assumed"]]


def predict_rows(words):
    table = rows_of(TABLE)
    known = {int(r["row"]): [r[n] for n in NAMES] for r in rows_of(RESULTS)} if RESULTS.exists() else {}
    chosen = [(n, r) for n, r in enumerate(table, 1) if not words or r["source"] in words or r["gpu"] in words]
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("THREADS", "1"))) as pool:
        for result in pool.map(lambda one: predict(*one), chosen):
            known[result[0]] = result
    with open(RESULTS, "w", newline="") as f:
        writer = csv.writer(f, lineterminator="\n")
        writer.writerow(NAMES)
        writer.writerows(known[n] for n in sorted(known) if n <= len(table))


def read_all():
    """The rows of the table with their results."""
    results = {int(r["row"]): r for r in rows_of(RESULTS)}
    halves = {name: s["half"] for name, s in sources().items()}
    bands = {m[1]: (float(m[2]), float(m[3])) for m in re.finditer(r"^BAND\((\w+), ([\d.]+), ([\d.]+)", BANDS.read_text(), re.M)}
    return [{**r, **results[n], "half": halves[r["source"]], "band": bands[results[n]["bound"]],
             "ratio": float(results[n]["predicted"]) / float(results[n]["seconds"])}
            for n, r in enumerate(rows_of(TABLE), 1) if n in results]


def speedups(rows):
    """Pairs of published and predicted speed-ups between neighbouring rows of a series."""
    for before, after in zip(rows, rows[1:]):
        same = all(before[k] == after[k] for k in ("source", "gpu", "series", "caches"))
        if same and before["series"]:
            yield tuple(float(before[k]) / float(after[k]) for k in ("seconds", "predicted"))


def written_factor():
    return float(re.search(r"^OTHER_GPUS\(([\d.]+)\)", FACTOR.read_text(), re.M)[1])


def needed_factor(r):
    """How much wider than a measured GPU's the interval of a row must be to contain the published time."""
    low, high = r["band"]
    return max(1.0, low * r["ratio"], 1 / (high * r["ratio"]))


def line(what, rows):
    errors = [abs(r["ratio"] - 1) for r in rows]
    pairs = list(speedups(rows))
    right = sum(abs(predicted / published - 1) <= CLOSE for published, predicted in pairs)
    held = sum(needed_factor(r) <= written_factor() for r in rows)
    tendency = statistics.median(r["ratio"] for r in rows)
    print(f"{what:26} {len(rows):>4}  {statistics.median(errors):>6.1%}  {times.quantile(errors, 0.9):>6.1%}  {tendency:>9.2f}"
          f"  {held / len(rows):>6.0%}  {f'{right} of {len(pairs)}' if pairs else '':>9}".rstrip())


def groups(rows, key):
    found = collections.defaultdict(list)
    for r in rows:
        found[r[key]].append(r)
    return sorted(found.items())


def report():
    rows = read_all()
    for half in HALVES:
        own = [r for r in rows if r["half"] == half]
        print(f"{half:26} rows  median  90th %  predicted  interval  speed-ups")
        print(f"{'':26}                            / published     holds  within 10%".rstrip())
        for key in ("gpu", "source"):
            for name, some in groups(own, key):
                line(name, some)
            print()
        line("all", own)
        line("all with a known clock", [r for r in own if r["clock"]] or own)
        print()


def factor(rows):
    """The smallest factor with which the intervals of the rows hold. Each source has the same weight, because a source may have many similar
    rows."""
    count = collections.Counter(r["source"] for r in rows)
    left, needed = HOLDS * len(count), 1.0
    for needed, weight in sorted((needed_factor(r), 1 / count[r["source"]]) for r in rows):
        left -= weight
        if left <= 1e-9:
            break
    return math.ceil(needed * 100) / 100


def set_factor(words):
    """The factor comes from the half `held_out`, because parameters were chosen with the half `learn`, whose errors are therefore smaller."""
    rows = [r for r in read_all() if r["half"] == "held_out"]
    found, text = factor(rows), FACTOR.read_text()
    inside = sum(needed_factor(r) <= factor([o for o in rows if o["source"] != r["source"]]) for r in rows)
    print(f"factor of the intervals: {found}. With a factor from the other sources, the interval holds for {inside} of {len(rows)} rows "
          f"({inside / len(rows):.0%})")
    if words == ["check"] and found != written_factor():
        sys.exit(f"{FACTOR.name} differs. Run scripts/compare published factor")
    FACTOR.write_text(re.sub(r"^OTHER_GPUS\([\d.]+\)", f"OTHER_GPUS({found})", text, flags=re.M))


def main(words):
    if words[:1] == ["predict"]:
        predict_rows(words[1:])
    elif words in (["factor"], ["check"]):
        return set_factor(words)
    elif words:
        sys.exit(__doc__)
    report()
