#!/usr/bin/env python3
"""Measures examples/hopper/tma_gemm.cu with several stages, warp groups and sizes, and predicts its times.

    bench/measure_pipelines.py measure [FILE.csv]   on an H200: cycles with cold caches (Nsight Compute), and microseconds by events
    bench/measure_pipelines.py predict [FILE.csv]   fills the columns `predicted` (cycles) and `shown` (microseconds by events, under
                                                    bankwise), and prints the errors; BANKWISE names the program
FILE.csv is data/sm_90/pipeline_times.csv by default. No parameter of the model was fitted to these launches."""
import concurrent.futures
import csv
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
SOURCE = ROOT / "examples/hopper/tma_gemm.cu"
BANKWISE = os.environ.get("BANKWISE", str(ROOT / "build/release/cli/bankwise"))
COLUMNS = ["stages", "consumers", "in_flight", "m", "n", "k", "cycles", "microseconds", "predicted", "shown"]
KERNELS = [(1, 1, 0), (2, 1, 0), (4, 1, 0), (2, 1, 1), (4, 1, 1), (8, 1, 1), (1, 2, 0), (2, 2, 0), (4, 2, 0), (3, 2, 1), (4, 2, 1), (6, 2, 1)]
SIZES = [(1024, 1024, 1024), (1024, 1024, 4096), (2048, 2048, 2048), (3072, 3072, 1024)]
CLOCK = 1.5  # GHz, at which Nsight Compute measures on an H200


def compiled(kernel, folder):
    program = pathlib.Path(folder) / "_".join(map(str, kernel))
    macros = [f"-D{name}={value}" for name, value in zip(("STAGES", "CONSUMERS", "IN_FLIGHT"), kernel)]
    subprocess.run(["nvcc", "-O3", "-gencode", "arch=compute_90a,code=sm_90a", *macros, str(SOURCE), "-o", str(program)],
                   check=True, stderr=subprocess.DEVNULL)
    return str(program)


def printed_microseconds(text):
    found = re.search(r": ([\d.]+) us", text)
    if found is None:
        sys.exit(f"no time in {text!r}")
    return found.group(1)


def measured(program, size):
    said = subprocess.run([program, *size], check=True, stdout=subprocess.PIPE, text=True).stdout
    table = subprocess.run(["ncu", "--csv", "--metrics", "gpc__cycles_elapsed.max", "-c", "1", program, *size], check=True,
                           stdout=subprocess.PIPE, text=True).stdout
    cycles = next(csv.reader([next(line for line in table.splitlines() if "gpc__cycles" in line)]))[-1]
    return {"cycles": cycles.replace(",", ""), "microseconds": printed_microseconds(said)}


def predicted(program, size):
    done = subprocess.run([BANKWISE, "run", "--gpu", "H200", program, *size], check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    value, unit = re.search(r"^  time +about ([\d.]+) (us|ms)", done.stderr, re.MULTILINE).groups()
    return {"predicted": str(round(float(value) * (1000 if unit == "ms" else 1) * CLOCK * 1000)), "shown": printed_microseconds(done.stdout)}


def main():
    if sys.argv[1:2] not in (["measure"], ["predict"]):
        sys.exit(__doc__)
    to = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else ROOT / "data/sm_90/pipeline_times.csv"
    if sys.argv[1] == "measure":
        rows = [dict(zip(COLUMNS, (*kernel, *size))) for size in SIZES for kernel in KERNELS]
    else:
        rows = list(csv.DictReader(to.open()))
    with tempfile.TemporaryDirectory() as folder:
        kernels = sorted({tuple(int(row[c]) for c in COLUMNS[:3]) for row in rows})
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            programs = dict(zip(kernels, pool.map(lambda kernel: compiled(kernel, folder), kernels)))
        for row in rows:
            program = programs[tuple(int(row[c]) for c in COLUMNS[:3])]
            row.update((measured if sys.argv[1] == "measure" else predicted)(program, [str(row[c]) for c in "mnk"]))
    with to.open("w", newline="") as file:
        table = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        table.writeheader()
        table.writerows(rows)
    if sys.argv[1] == "predict":
        for now, then in (("predicted", "cycles"), ("shown", "microseconds")):
            errors = sorted(abs(float(row[now]) / float(row[then]) - 1) for row in rows)
            print(f"{now:10} {len(errors)} launches: median {statistics.median(errors):.1%}, 90th percentile {errors[int(0.9 * len(errors))]:.1%}, largest {errors[-1]:.1%}")


main()
