#!/usr/bin/env python3
"""Measures how much longer programs take with checks: the right programs of bench/mutants, bench/naive/good and bench/naive/edited.

    bench/measure_slowdown.py [WORD...]     only programs whose paths contain one of the words

Prints a row for each program: seconds of one core without a check, the factor with `--check race`, and with `--check all`. The last row
has the medians. Each time is the smaller one of two. BANKWISE names another program. The script needs nvcc, and takes several minutes."""
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

BENCH = pathlib.Path(__file__).resolve().parent
FOLDERS = ["mutants", "naive/good", "naive/edited"]
WAYS = [[], ["--check", "race"], ["--check", "all"]]


def seconds(words):
    def spent():
        u = resource.getrusage(resource.RUSAGE_CHILDREN)
        return u.ru_utime + u.ru_stime

    best = None
    for _ in range(2):
        before = spent()
        subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        best = min(best or 1e9, spent() - before)
    return best


def main():
    nvcc = shutil.which("nvcc") or shutil.which("nvcc", path=os.path.join(os.environ.get("CUDA_HOME", "/usr/local/cuda"), "bin"))
    if not nvcc:
        sys.exit("bench/measure_slowdown.py: nvcc was not found: add its folder to PATH")
    bankwise = os.environ.get("BANKWISE", str(BENCH.parent / "build/release/cli/bankwise"))
    sources = [s for f in FOLDERS for s in sorted((BENCH / f).glob("*.cu")) if not sys.argv[1:] or any(w in str(s) for w in sys.argv[1:])]
    factors = []
    with tempfile.TemporaryDirectory() as folder:
        program, report = os.path.join(folder, "app"), os.path.join(folder, "report.txt")
        for s in sources:
            if subprocess.run([nvcc, "-O3", "-lineinfo", "-arch=sm_90a", "-std=c++17", "-o", program, str(s)]).returncode != 0:
                sys.exit(f"bench/measure_slowdown.py: nvcc could not compile {s}")
            times = [seconds([bankwise, "run", "-o", report, *way, program]) for way in WAYS]
            factors.append([t / times[0] for t in times[1:]])
            print(f"{s.relative_to(BENCH)}: {times[0]:.2f} s, {factors[-1][0]:.1f}, {factors[-1][1]:.1f}", flush=True)
    if factors:
        race, everything = (statistics.median(column) for column in zip(*factors))
        print(f"{len(factors)} programs: median {race:.1f} with race, {everything:.1f} with all")


if __name__ == "__main__":
    main()
