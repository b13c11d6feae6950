#!/usr/bin/env python3
"""Times that public programs print about themselves, on a GPU and under bankwise run.

    bench/printed_times.py FOLDER [NAME...]             prints a CSV with the times that the programs in FOLDER print on the GPU
    bench/printed_times.py --bankwise FOLDER [NAME...]  prints the same CSV with the times under bankwise run
    bench/printed_times.py --compare GPU.csv BANKWISE.csv   prints both, and writes data/sm_90/printed_times.csv

FOLDER has the programs of the table PROGRAMS below, as hecbench-NAME and samples-NAME, from zjin-lcf/HeCBench (src/NAME-cuda) and
NVIDIA/cuda-samples: nvcc -O3 -std=c++17 -arch=sm_90 -cudart shared. NAME selects programs. A time in a program's output follows or precedes the
words of its row. A hash of its name puts each program into one of two halves: causes of errors are looked for in one half, and the other half is held
out. Environment: BANKWISE is the program to run (default: build/release/cli/bankwise). FLAGS are further flags of bankwise run (default:
--gpu h200 --virtual-time). TIME_LIMIT is the number of seconds of a program, JOBS the number of programs at the same time."""
import concurrent.futures
import csv
import hashlib
import os
import pathlib
import re
import statistics
import subprocess
import sys

import limited_process

ROOT = pathlib.Path(__file__).resolve().parents[1]
NUMBER = r"([0-9.]+(?:e[-+]?[0-9]+)?)"
RATE = rf"Throughput = {NUMBER}"
# Program, arguments, and what its times look like. A rate is the reciprocal of a time, with more digits.
PROGRAMS = [
    ("hecbench-lfib4", "2000000", rf"device time = {NUMBER}"),
    ("hecbench-fma", "256 256 259 256 20", rf"execution time of .*?: {NUMBER}"),
    ("hecbench-channelShuffle", "2 28 28 20", rf"Average time.*?: {NUMBER}"),
    ("hecbench-quantBnB", "1048576 20", rf"block size 256: {NUMBER}"),
    ("hecbench-coordinates", "1000000 20", rf"device transform: {NUMBER}"),
    ("hecbench-hwt1d", "8388608 10", rf"offload time {NUMBER}"),
    ("hecbench-multinomial", "4096 2048 20", rf"kernel: {NUMBER}"),
    ("hecbench-wedford", "32 512 1024 20", rf"execution time {NUMBER}"),
    ("hecbench-logprob", "64 8 50257 10", rf"kernels: {NUMBER}"),
    ("hecbench-scan", "65536 10", rf"conflicts\): {NUMBER}"),
    ("hecbench-attention", "1024 1024 0 20", rf"kernels {NUMBER}"),
    ("hecbench-adamw", "100000 20", rf"execution time {NUMBER}"),
    ("hecbench-softmax", "1000 784 1 20", rf"execution time: {NUMBER}"),
    ("hecbench-stencil3d", "128 10", rf"execution time: {NUMBER}"),
    ("hecbench-moe-align", "10", rf"block_size 32\): {NUMBER}"),
    ("samples-matrixMul", "", rf"Performance= {NUMBER}"),
    ("samples-simpleMultiCopy", "", rf"^ (?:Memcpy|Kernel|Avg. time).*?: {NUMBER} ms"),
    ("samples-simpleStreams", "", rf"^(?:memcopy|kernel|non-streamed|4 streams):\s*{NUMBER}"),
    ("samples-asyncAPI", "", rf"by the GPU: {NUMBER}"),
    ("samples-transpose", "", RATE),
    ("samples-convolutionSeparable", "", RATE),
    ("samples-fastWalshTransform", "", rf"GPU time: {NUMBER}"),
    ("samples-reduction", "", RATE),
    ("samples-scan", "", RATE),
    ("samples-histogram", "", RATE),
    ("samples-shfl_scan", "", rf"(?:^Time \(ms\)|GPU Timer\)): {NUMBER}"),
    ("samples-threadFenceReduction", "", rf"Average time: {NUMBER}"),
    ("samples-dct8x8", "", rf"Processing time .*?: {NUMBER}"),
    ("samples-quasirandomGenerator", "", RATE),
    ("samples-scalarProd", "", rf"GPU time: {NUMBER}"),
    ("samples-BlackScholes", "", rf"GPU\(\) time +: {NUMBER}"),
]
COLUMNS = ["program", "arguments", "line", "value"]


def half_of(program):
    return "held" if hashlib.sha256(program.encode()).digest()[0] & 1 else "fit"


def printed(folder, name, arguments, before):
    """What the program prints, on standard output and as errors."""
    limit = float(os.environ.get("TIME_LIMIT", "60"))
    status, out, err = limited_process.run([*before, str(folder / name), *arguments.split()], limit, cwd=folder, stdin=subprocess.DEVNULL)
    if status is None:
        err += f"ended after {limit:g} s\n"
    return out, err


def measure(folder, names, before, jobs):
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(COLUMNS)

    def run(row):
        name, arguments, pattern = row
        said, errors = printed(folder, name, arguments, before)
        found = [(l, m) for l in said.splitlines() for m in [re.search(pattern, l)] if m]
        out.writerows([name, arguments, re.sub(r"[0-9]+\.[0-9]+", "_", l[:m.start(1)].strip()), m[1]] for l, m in found)
        sys.stdout.flush()
        if not found:
            print(f"{name}: no times: {errors[-300:] or said[-300:]}", file=sys.stderr, flush=True)

    chosen = [p for p in PROGRAMS if (folder / p[0]).exists() and (not names or any(n in p[0] for n in names))]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        list(pool.map(run, chosen))


def numbered(path):
    """{(program, arguments, line, how often this line came before): value}"""
    found = {}
    for r in csv.DictReader(open(path)):
        count = sum(k[:3] == (r["program"], r["arguments"], r["line"]) for k in found)
        found[r["program"], r["arguments"], r["line"], count] = r["value"]
    return found


def compare(of_gpu, of_bankwise):
    measured, shown = numbered(of_gpu), numbered(of_bankwise)
    errors = {}
    with open(ROOT / "data/sm_90/printed_times.csv", "w", newline="") as f:
        out = csv.writer(f, lineterminator="\n")
        out.writerow(["program", "arguments", "line", "measured", "shown"])
        for key, value in measured.items():
            there = shown.get(key, "")
            out.writerow([*key[:3], value, there])
            if there:
                errors.setdefault(key[0], []).append(float(there) / float(value) - 1)
            print(f"{f'{errors[key[0]][-1]:+8.1%}' if there else ' missing'}  {half_of(key[0]):4} {key[0]:30} {key[2][:70]:70} {value:>12} {there:>12}")
    typical = {p: statistics.median(map(abs, e)) for p, e in errors.items()}
    for half in ("fit", "held"):
        of_half = [e for p, e in typical.items() if half_of(p) == half]
        print(f"{half}: the median time is within 15% in {sum(e <= 0.15 for e in of_half)} of {len(of_half)} programs")


def main(words):
    if words[:1] == ["--compare"] and len(words) == 3:
        return compare(*words[1:])
    is_emulated = words[:1] == ["--bankwise"]
    words = words[is_emulated:]
    if not words or words[0].startswith("-"):
        sys.exit(__doc__)
    bankwise = os.environ.get("BANKWISE", str(ROOT / "build/release/cli/bankwise"))
    before = [bankwise, "run", *os.environ.get("FLAGS", "--gpu h200 --virtual-time").split(), "-o", "/dev/null", "--"]
    measure(pathlib.Path(words[0]).resolve(), words[1:], before if is_emulated else [], int(os.environ.get("JOBS", "1")) if is_emulated else 1)


if __name__ == "__main__":
    main(sys.argv[1:])
