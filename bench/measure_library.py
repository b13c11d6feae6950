#!/usr/bin/env python3
"""Measures the algorithms of bench/library with Nsight Compute, or compares the measured times with bankwise's.

    bench/measure_library.py TIMES.csv        measures; needs nvcc, ncu and a GPU
    bench/measure_library.py [NAME...]        compares with bench/library/times.csv; needs nvcc and bankwise

TIMES.csv has a row for each launch: algorithm, launch (its number in the program), grid, registers, nanoseconds. The clocks are locked
to the base clock, and the caches are cold. The comparison prints the launches of 5 us or more with their measured and predicted times,
and the findings that promise more than 5 % of the time of their kernel. As the kernels are tuned, such a promise is probably wrong.
Environment: BANKWISE is the program to run (default: that of build/release). GPU is the GPU whose times are predicted (default: h200).
It exits with 2 if a tool is missing, and with 1 if a program fails."""
import csv
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

from measure_faults import METRICS, compiled, kernels_of, run, tool

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCE = ROOT / "bench/library/algorithms.cu"
TIMES = ROOT / "bench/library/times.csv"
COLUMNS = ["algorithm", "launch", "grid", "registers", "nanoseconds"]
SHAPE = {"launch__grid_size": "grid", "launch__registers_per_thread": "registers"}
LEAST_TIME, LEAST_PROMISE = 5.0, 0.05


def program_in(folder):
    program = compiled(tool("nvcc"), SOURCE, pathlib.Path(folder), "--extended-lambda", "-diag-suppress=177")
    if program is None:
        sys.exit(1)
    return program


def measure(table):
    ncu = tool("ncu")
    METRICS.update(SHAPE)
    with tempfile.TemporaryDirectory() as folder, open(table, "w", newline="") as file:
        program, log = program_in(folder), pathlib.Path(folder) / "ncu.csv"
        out = csv.DictWriter(file, COLUMNS, lineterminator="\n", extrasaction="ignore")
        out.writeheader()
        for algorithm in run([program]).split():
            run([ncu, "--csv", "--print-units", "base", "--log-file", log, "--metrics", ",".join(METRICS), "--clock-control", "base",
                 program, algorithm])
            for number, kernel in enumerate(kernels_of(log.read_text())):
                out.writerow({"algorithm": algorithm, "launch": number, **kernel})


def report_of(program, algorithm, folder):
    bankwise = os.environ.get("BANKWISE", ROOT / "build/release/cli/bankwise")
    report = pathlib.Path(folder) / "report.json"
    subprocess.run([bankwise, "run", "--gpu", os.environ.get("GPU", "h200"), "--format", "json", "-o", report, program, algorithm],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return json.loads(report.read_text())


def compare(names):
    measured = {}
    for row in csv.DictReader(open(TIMES, newline="")):
        measured.setdefault(row["algorithm"], []).append(int(row["nanoseconds"]) / 1000)
    errors, promises, kernels = [], 0, 0
    with tempfile.TemporaryDirectory() as folder:
        program = program_in(folder)
        for algorithm in names or measured:
            report = report_of(program, algorithm, folder)
            timed = [launch for launch in report["launches"] if "time" in launch]
            predicted = sum(launch["time"]["microseconds"] * launch["count"] for launch in timed)
            whole = sum(measured[algorithm])
            errors.append(abs(predicted / whole - 1))
            kernels += len({launch["mangled"] for launch in timed})
            print(f"{algorithm:18} measured {whole:7.1f} us  predicted {predicted:7.1f}  {predicted / whole - 1:+4.0%}")
            for finding in report["findings"]:
                saved, time = finding.get("saved_microseconds", 0), finding.get("kernel_microseconds", 1)
                if time >= LEAST_TIME and saved > LEAST_PROMISE * time:
                    promises += 1
                    print(f"    {finding['id']}  {saved:6.1f} of {time:6.1f} us  {finding['instance']}: {finding.get('line', '')}")
    print(f"{len(errors)} programs: {statistics.median(errors):.1%} off in the middle, {max(errors):.0%} at most; "
          f"{promises} promises of more than {LEAST_PROMISE:.0%} in {kernels} kernels")


def main(words):
    if any(word.startswith("-") for word in words):
        sys.exit(__doc__)
    if len(words) == 1 and words[0].endswith(".csv"):
        return measure(words[0])
    return compare(words)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
