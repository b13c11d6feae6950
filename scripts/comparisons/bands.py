"""Writes src/timing/launch/error_bands.def: the ratio of measured to predicted times, by the launch's bound.
  scripts/compare bands [--check]      --check: only print how often the bands hold, and fail if the file has other bands
Uses the launches of data/sm_90/predicted_times.csv to which parameters were fitted, and the launches of data/sm_90/fresh_times.csv.
"""
import csv
import hashlib
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BOUNDS = re.findall(r"^RESOURCE\((\w+)", open(ROOT / "src/model/time/resources.def").read(), re.M)
HOLDS = 0.91  # share of the launches that must be inside the bands; slightly less for launches that were not fitted
OTHERS = 20   # total weight of all launches in each band; a launch with the band's bound has an additional weight of 1


def part_of(program, kernel, parts):
    name = kernel if program.startswith("bench/") else program
    return hashlib.sha256(name.encode()).digest()[1] % parts


def launches():
    rows, seen = [], set()
    for name in ("predicted_times", "fresh_times"):
        for r in csv.DictReader(open(ROOT / f"data/sm_90/{name}.csv")):
            size = r["grid"] if name == "fresh_times" else ""
            key = r["program"], r["kernel"], size
            if key in seen or float(r["predicted"]) == 0:
                continue
            seen.add(key)
            r["ratio"] = float(r["measured"]) / float(r["predicted"])
            r["half"] = r.get("half", "fresh")
            rows.append(r)
    return rows


def quantile(weighted, part):
    weighted = sorted(weighted)
    left = part * sum(weight for _, weight in weighted)
    for value, weight in weighted:
        left -= weight
        if left <= 0:
            return value
    return weighted[-1][0]


# Makes a band from the launches of each bound and, with a small weight, all launches. All launches are added, because
# the launches of a bound may be few or similar.
def bands_of(rows):
    bands = {}
    for bound in BOUNDS:
        own = [r["ratio"] for r in rows if r["bound"] == bound]
        mixed = [(ratio, 1.0) for ratio in own] + [(r["ratio"], OTHERS / len(rows)) for r in rows]
        bands[bound] = quantile(mixed, (1 - HOLDS) / 2), quantile(mixed, (1 + HOLDS) / 2), len(own)
    return bands


def held(rows, bands):
    return sum(bands[r["bound"]][0] <= r["ratio"] <= bands[r["bound"]][1] for r in rows)


def main(words):
    rows = launches()
    made_from = [r for r in rows if r["half"] != "held"]
    bands = bands_of(made_from)
    parts, left_out = 8, 0
    for n in range(parts):
        inside = [r for r in made_from if part_of(r["program"], r["kernel"], parts) != n]
        left_out += held([r for r in made_from if part_of(r["program"], r["kernel"], parts) == n], bands_of(inside))
    others = [r for r in rows if r["half"] == "held"]
    crossed, kept = left_out / len(made_from), held(others, bands) / len(others)
    print(f"{len(made_from)} launches. In the band: {crossed:.0%} of the launches that were left out, and {kept:.0%} of the held half")
    text = f"""// For each resource that can bound a launch: a band for the ratio of measured cycles to predicted cycles. Each band is
// fitted so that it contains the ratios of {HOLDS:.0%} of the launches. scripts/compare bands writes this file from {len(made_from)}
// launches. Launches to which the bands were not fitted have ratios in the bands as follows:
//   {crossed:.0%}  in a cross-validation over {parts} parts, each with its own programs
//   {kept:.0%}  in the held-out half of data/sm_90/predicted_times.csv
// One bound may have few launches. Each band is therefore also fitted to all launches, which together have the weight
// of {OTHERS} launches.
//
// BAND(bound, low, high, launches). The first row is for bounds without a row.
"""
    for bound, (low, high, count) in bands.items():
        text += f"BAND({bound}, {low:.2f}, {high:.2f}, {count})\n"
    text += "#undef BAND\n"
    path = ROOT / "src/timing/launch/error_bands.def"
    if words != ["--check"]:
        path.write_text(text)
    elif path.read_text() != text:
        sys.exit(f"{path.name} differs from the bands of the tables. Run scripts/compare bands")
