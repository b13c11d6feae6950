"""Compares recorded reports with Nsight Compute's counts, instruction by instruction, and prints the first table of docs/record.md.

    scripts/compare recorded FOLDER          FOLDER contains PROGRAM.json files, as bankwise record --format json writes them

PROGRAM is a program of data/sm_90/kernels.csv, or examples.NAME or forms for the tables with these names."""
import collections
import csv
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
COLUMNS = ("executed", "lanes", "wavefronts", "ideal")
SHOWN = ("instructions", "recorded", *COLUMNS, "lower bounds")
OPERATIONS = re.compile(r"(@!?U?P\w+ +)?(LDS|STS|ATOMS|LDSM|STSM|LDGSTS|LD|ST|ATOM)\b")


def rows_by_program():
    programs = collections.defaultdict(list)
    for table in ("kernels", "examples", "forms"):
        with open(ROOT / f"data/sm_90/{table}.csv", newline="") as f:
            for row in csv.DictReader(f):
                name = row["program"] if table != "examples" else "examples." + row["program"]
                programs[name].append(row)
    return programs


def differences(row, sites):
    """The columns that differ, with the recorded values. A + marks a lower bound."""
    got = sites.get(int(row["pc"], 16)) or dict.fromkeys(COLUMNS, 0)
    at_least = ("executed", "lanes") if got.get("executed_at_least") else ()
    return {column: f"{got[column]}{'+' if column in at_least else ''}" for column in COLUMNS if int(row[column]) != got[column]}


def print_row(name, counts):
    print(f"| {name} | " + " | ".join(str(counts[c]) for c in SHOWN) + " |")


def main(words):
    if len(words) != 1:
        sys.exit(__doc__)
    folder = pathlib.Path(words[0])
    print("| program | " + " | ".join(SHOWN) + " |")
    print("| --- |" + " ---: |" * len(SHOWN))
    different, total = [], collections.Counter()
    for program, rows in sorted(rows_by_program().items()):
        file = folder / (program + ".json")
        if not file.exists():
            continue
        # Launches with the same kernel, grid and block. The report counts equal launches together.
        launches = collections.defaultdict(list)
        for launch in json.load(open(file))["launches"]:
            sites = {site["pc"]: site for site in launch["sites"] if "function" not in site}
            key = (launch["name"], "x".join(map(str, launch["grid"])), "x".join(map(str, launch["block"])))
            launches[key] += [sites] * launch["count"]
        by_launch = collections.defaultdict(list)
        for row in rows:
            if OPERATIONS.match(row["sass"]):
                by_launch[(row["kernel"], row["grid"], row["block"]), row["launch"]].append(row)
        counts = collections.Counter()
        for (key, _), launch_rows in by_launch.items():
            if not launches[key]:
                continue  # this launch was not recorded
            compared = [(sum(map(len, found)), i, found) for i, sites in enumerate(launches[key])
                        for found in [[differences(row, sites) for row in launch_rows]]]
            _, nearest, found = min(compared)
            sites = launches[key].pop(nearest)
            counts["instructions"] += len(launch_rows)
            here = [sites[pc] for row in launch_rows if (pc := int(row["pc"], 16)) in sites]
            counts["recorded"] += len(here)
            counts["lower bounds"] += sum(site.get("executed_at_least", False) for site in here)
            for row, columns in zip(launch_rows, found):
                for column in COLUMNS:
                    counts[column] += column not in columns
                for column, got in columns.items():
                    different.append((program, row["kernel"], row["launch"], row["pc"], row["sass"], column, row[column], got))
        total += counts
        print_row(program, counts)
    print_row("all", total)
    for d in different:
        print(*d, sep="\t", file=sys.stderr)
