"""Prints the errors of predicted times from the tables in data/sm_90: the numbers of docs/explanation/time.md.
  scripts/compare errors [all|launches|bounds|use|interval|edits]
scripts/compare times and scripts/compare edits wrote the predictions into the tables. They need traces or a program.
"""
import csv
import pathlib
import re
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
from comparisons import times

BOUNDS = {"data_stage": "data stage of shared memory and L1", "l2": "L2, atomics", "launch": "launch, block starts, cold instructions",
          "issue": "issue", "latency": "memory latency", "dram": "DRAM", "pipes": "pipes", "barriers": "barriers"}
SMALL = 20_000  # cycles
HIGH = 60       # a resource counts as highly used if its use is at least this percentage
UNITS = "sm", "l1", "l2", "dram"
KEYS = "program", "arguments", "launch", "kernel", "grid", "block"


def table(name):
    return list(csv.DictReader(open(ROOT / f"data/sm_90/{name}.csv")))


def ratio(r):
    return float(r["predicted"]) / float(r["measured"])


def errors_of(rows):
    return [abs(ratio(r) - 1) for r in rows if float(r["predicted"]) > 0]


def half(rows, name):
    return [r for r in rows if r["half"] == name]


def numbers(errors):
    if not errors:
        return f"{0:>7}"
    return f"{len(errors):>7}  {statistics.median(errors):>6.1%}  {times.quantile(errors, 0.9):>15.1%}"


def launches():
    cold, warm, fresh = table("predicted_times"), table("predicted_warm_times"), table("fresh_times")
    long = lambda r: float(r["measured"]) > SMALL
    of_bench = lambda r: r["program"].startswith("bench/")
    held = half(cold, "held")
    print(f"{'error of the elapsed cycles':44} {'launches':>8}  median  90th percentile")
    for what, rows in (("fit", half(cold, "fit")), ("held out", held),
                       ("held out, more than 20,000 cycles", [r for r in held if long(r)]),
                       ("held out, up to 20,000 cycles", [r for r in held if not long(r)]),
                       ("fresh: bench/small_kernels.cu", [r for r in fresh if of_bench(r)]),
                       ("fresh: 74 programs", [r for r in fresh if not of_bench(r)]),
                       ("small inputs: 32 programs", table("small_times")),
                       ("small inputs, up to 20,000 cycles", [r for r in table("small_times") if not long(r)]),
                       ("19 other programs, half with atomics", table("more_times")),
                       ("warm caches, fit", half(warm, "fit")), ("warm caches, held out", half(warm, "held")),
                       ("an H200 at 1.98 GHz, microseconds", table("h200_times"))):
        print(f"{what:45} {numbers(errors_of(rows))}")
    key = lambda r: tuple(r[k] for k in KEYS)
    of_cold = {key(r): r for r in cold}
    both = [(of_cold[key(r)], r) for r in warm if key(r) in of_cold and float(r["predicted"]) > 0]
    close = sum(abs(ratio(c) / ratio(w) - 1) < 0.1 for c, w in both if float(c["predicted"]) > 0)
    print(f"cold time by warm time, within 10% of the measured factor: {close} of {len(both)} launches")


def measured_launches():
    """The rows of launch_times, as the tables of predictions name them."""
    return {(r["program"], r["arguments"], r["launch"], times.bare_name(r["kernel"]), r["grid"], r["block"]): r
            for r in times.measured("cold")}


def of_launch(rows, r):
    return rows[tuple(r[k] for k in KEYS)]


def bounds():
    cold = table("predicted_times")
    print(f"{'bound':40}       fit  median  90th percentile     held out  median  90th percentile")
    for name, words in BOUNDS.items():
        of_half = [errors_of([r for r in half(cold, h) if r["bound"] == name]) for h in ("fit", "held")]
        print(f"{words:42} {numbers(of_half[0]):33} {'':4} {numbers(of_half[1])}".rstrip())
    rows = measured_launches()
    pages = [(r["bound"], times.speed_of_light(of_launch(rows, r))) for r in cold]
    fresh = [(r["bound"], {u: float(r[u]) for u in UNITS}) for r in table("fresh_times")]
    for what, list_of in (("launches of the table", pages), ("fresh launches", fresh)):
        high = same = near = 0
        for bound, page in list_of:
            top = max(page.values())
            if top < HIGH:
                continue
            own = page.get(times.UNIT.get(bound, ""), 0)
            high, same, near = high + 1, same + (own == top), near + (own >= top - 5)
        print(f"{what}: {high} use a resource for {HIGH}% or more; the bound is this resource for {same}, and a resource within 5 points of this use for {near}")


def use():
    rows = measured_launches()
    if "use_l1" not in table("predicted_times")[0]:
        sys.exit("data/sm_90/predicted_times.csv does not contain the use of resources: run scripts/compare times predict")
    print(f"{'use, difference in points':28} {'launches':>8}  median  90th percentile")
    for name in (*UNITS, "memory", "issue"):
        for h, words in (("fit", "fit"), ("held", "held out")):
            off = []
            for r in half(table("predicted_times"), h):
                predicted = {u: float(r["use_" + u]) for u in ("issue", "pipes", "l1", "l2", "dram")}
                predicted["sm"] = max(predicted["issue"], predicted["pipes"])
                predicted["memory"] = max(predicted[u] for u in ("l1", "l2", "dram"))
                m = of_launch(rows, r)
                page = times.speed_of_light(m)
                page["memory"] = float(m["gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"] or 0)
                page["issue"] = float(m["sm__inst_executed.avg.pct_of_peak_sustained_elapsed"] or 0)
                off.append(abs(predicted[name] - page[name]))
            print(f"{name + ', ' + words:28} {len(off):>8} {statistics.median(off):>7.1f} {times.quantile(off, 0.9):>16.1f}")


def interval():
    bands = {m[1]: (float(m[2]), float(m[3])) for m in
             re.finditer(r"^BAND\((\w+), ([\d.]+), ([\d.]+)", open(ROOT / "src/timing/launch/error_bands.def").read(), re.M)}
    for what, rows in (("fit", half(table("predicted_times"), "fit")), ("held-out", half(table("predicted_times"), "held")),
                       ("fresh", table("fresh_times")), ("other", table("more_times"))):
        rows = [r for r in rows if float(r["predicted"]) > 0]
        inside = sum(bands[r["bound"]][0] <= 1 / ratio(r) <= bands[r["bound"]][1] for r in rows)
        print(f"the interval holds for {inside} of {len(rows)} {what} launches ({inside / len(rows):.0%})")


def edits():
    def judge(what, factors):
        close = sum(abs(predicted / measured - 1) <= 0.1 for measured, predicted in factors)
        small = [predicted for measured, predicted in factors if measured < 1.03]
        print(f"{what}: the factor is within 10% for {close} of {len(factors)} edits; of {len(small)} that save under 3%, "
              f"{sum(p < 1.03 for p in small)} are predicted to save under 3%")
        return factors
    pairs = [[float(r[f"{w}_{s}"]) for w in ("measured", "predicted") for s in ("before", "after")] for r in table("layout_pairs")
             if r["predicted_after"]]
    all_factors = judge("bench/kernels/layout_pairs.cu", [(a / b, x / y) for a, b, x, y in pairs if x and y])
    factors, before = [], {}
    for r in table("h200_times"):
        stem, _, version = r["kernel"].rpartition("_")
        if version == "before":
            before[stem] = r
        elif stem in before:
            factors.append(tuple(float(before[stem][k]) / float(r[k]) for k in ("measured", "predicted")))
    all_factors = all_factors + judge("examples/fixes on an H200", factors)
    # error_of_change of src/report/sections/time_report.hpp
    near = [predicted / measured for measured, predicted in all_factors if abs(1 / measured - 1) < 0.1]
    print(f"{len(near)} edits change the time by under 10%; the predicted change is within 5% for "
          f"{sum(abs(1 / error - 1) <= 0.05 for error in near)}")


PARTS = {"launches": launches, "bounds": bounds, "use": use, "interval": interval, "edits": edits}


def main(words):
    words = words or ["all"]
    if len(words) != 1 or words[0] not in ("all", *PARTS):
        sys.exit(__doc__)
    for name, part in PARTS.items():
        if words[0] in ("all", name):
            part()
            if words[0] == "all":
                print()
