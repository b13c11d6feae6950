#!/usr/bin/env python3
"""Times that PyTorch's and Triton's own tools measure: do_bench, do_bench_cudagraph, torch.utils.benchmark, and events.

    bench/do_bench_times.py [REGEX]                         prints a CSV with the times on the GPU of this machine
    bench/do_bench_times.py --bankwise [REGEX]              prints the same CSV with the times under bankwise run
    bench/do_bench_times.py --compare GPU.csv BANKWISE.csv  prints both, and writes data/sm_90/benchmark_times.csv

REGEX selects operations. With --bankwise, each operation runs in two processes of its own: one for the methods that only measure the
GPU, and one with --virtual-time for those that the host's work limits. Environment: BANKWISE is the program to run (default:
build/release/cli/bankwise). FLAGS are further flags of bankwise run (default: --gpu h200). TIME_LIMIT is the number of seconds of a
process, JOBS the number of processes at the same time. GPU.csv may contain several runs: the host of a GPU's machine has other work at
times, so the lowest time of each row counts. Needs PyTorch and Triton."""
import concurrent.futures
import csv
import io
import os
import pathlib
import re
import statistics
import sys

import limited_process

ROOT = pathlib.Path(__file__).resolve().parents[1]
COLUMNS = ["operation", "method", "microseconds"]
OPERATIONS = {}  # name: function that makes the tensors, and returns a function to measure


def operation(name):
    def add(make):
        OPERATIONS[name] = make
        return make
    return add


@operation("torch add 2^22")
def _():
    a, b, c = random(1 << 22), random(1 << 22), random(1 << 22)
    return lambda: torch.add(a, b, out=c)


@operation("torch gelu 1024 x 4096 halves")
def _():
    a = random(1024, 4096).half()
    return lambda: F.gelu(a)


@operation("torch sum 2^22")
def _():
    a = random(1 << 22)
    return lambda: a.sum()


@operation("torch sum of rows 2048 x 2048")
def _():
    a = random(2048, 2048)
    return lambda: a.sum(1)


@operation("torch softmax 2048 x 1024")
def _():
    a = random(2048, 1024)
    return lambda: torch.softmax(a, 1)


@operation("torch layer_norm 2048 x 1024")
def _():
    a, w, b = random(2048, 1024), random(1024), random(1024)
    return lambda: F.layer_norm(a, (1024,), w, b)


@operation("torch matmul 128 halves")
def _():
    a, b = random(128, 128).half(), random(128, 128).half()
    return lambda: torch.matmul(a, b)


@operation("torch matmul 1024 halves")
def _():
    a, b = random(1024, 1024).half(), random(1024, 1024).half()
    return lambda: torch.matmul(a, b)


@operation("torch matmul 512")
def _():
    a, b = random(512, 512), random(512, 512)
    return lambda: torch.matmul(a, b)


@operation("torch attention 8 x 256 x 64 halves")
def _():
    q, k, v = (random(1, 8, 256, 64).half() for _ in range(3))
    return lambda: F.scaled_dot_product_attention(q, k, v)


@operation("torch copy 16 MB")
def _():
    a, b = random(1 << 22), random(1 << 22)
    return lambda: b.copy_(a)


@operation("torch copy of a transposed 2048 x 2048")
def _():
    a, b = random(2048, 2048), random(2048, 2048)
    return lambda: b.copy_(a.t())


@operation("torch copy 4 MB from pinned memory")
def _():
    a, b = torch.ones(1 << 20).pin_memory(), random(1 << 20)
    return lambda: b.copy_(a, non_blocking=True)


@operation("torch zero 16 MB")
def _():
    a = random(1 << 22)
    return lambda: a.zero_()


@operation("torch embedding 4096 of 1024 x 512")
def _():
    w, i = random(1024, 512), torch.arange(4096, device="cuda") * 37 % 1024
    return lambda: F.embedding(i, w)


@operation("torch 10 small additions")
def _():
    a, b, c = random(4096), random(4096), random(4096)

    def run():
        for _ in range(10):
            torch.add(a, b, out=c)
    return run


@operation("torch two layers 256 x 512 x 1024 halves")
def _():
    a, v, w = random(256, 512).half(), random(1024, 512).half(), random(512, 1024).half()
    return lambda: F.linear(F.gelu(F.linear(a, v)), w)


@operation("triton add 2^22")
def _():
    a, b, c = random(1 << 22), random(1 << 22), random(1 << 22)
    return lambda: kernels.add[(4096,)](a, b, c, B=1024)


@operation("triton softmax 2048 x 1024")
def _():
    a, b = random(2048, 1024), random(2048, 1024)
    return lambda: kernels.softmax[(2048,)](a, b, N=1024)


@operation("triton layer norm 2048 x 1024")
def _():
    a, w, b, c = random(2048, 1024), random(1024), random(1024), random(2048, 1024)
    return lambda: kernels.layer_norm[(2048,)](a, w, b, c, N=1024)


@operation("triton matmul 512 halves")
def _():
    a, b, c = (random(512, 512).half() for _ in range(3))
    return lambda: kernels.product[(64,)](a, b, c, N=512, T=64, K=32)


@operation("triton attention 4 x 256 x 64 halves")
def _():
    q, k, v, o = (random(4, 256, 64).half() for _ in range(4))
    return lambda: kernels.attention[(4, 4)](q, k, v, o, ROWS=256, D=64, BM=64, BN=64)


def random(*shape):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(1)).cuda()


def load():
    """Imports what only a measuring process needs."""
    global torch, F, kernels, benchmark, do_bench, do_bench_cudagraph
    import torch
    import torch.nn.functional as F
    import torch.utils.benchmark as benchmark
    from triton.testing import do_bench, do_bench_cudagraph
    sys.path.insert(0, str(ROOT / "bench"))
    import benchmark_kernels as kernels


def by_events(run, launches=20, turns=5):
    times = []
    for _ in range(turns):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        torch.cuda.synchronize()
        begin.record()
        for _ in range(launches):
            run()
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end) * 1e3 / launches)
    return statistics.median(times)


# Each measures a few hundred launches at most. The host's work limits those of HOST_METHODS.
HOST_METHODS = {"events around 20", "torch.utils.benchmark"}
METHODS = {
    "do_bench": lambda run: do_bench(run, warmup=2, rep=10, return_mode="median") * 1e3,
    "events around 20": by_events,
    "torch.utils.benchmark": lambda run: benchmark.Timer("run()", globals={"run": run}).timeit(50).median * 1e6,
    "do_bench_cudagraph": lambda run: do_bench_cudagraph(run, rep=1) * 1e3,
}


def measure(names, methods=METHODS):
    """Prints a row for each operation and method. The result does not depend on operations before it."""
    load()
    for name in names:
        run = OPERATIONS[name]()
        for _ in range(3):
            run()
        torch.cuda.synchronize()
        for method in methods:
            try:
                print(f"{name},{method},{METHODS[method](run):.2f}", flush=True)
            except Exception as e:  # such as a call that cannot be captured
                print(f"{name}, {method}: {e}", file=sys.stderr, flush=True)


def measure_with_bankwise(names):
    bankwise = os.environ.get("BANKWISE", str(ROOT / "build/release/cli/bankwise"))
    flags = os.environ.get("FLAGS", "--gpu h200").split()
    limit = float(os.environ.get("TIME_LIMIT", "60"))

    def run(row):
        name, more, methods = row
        words = [bankwise, "run", *flags, *more, "-o", "/dev/null", "--", sys.executable, __file__, "--", name, *methods]
        status, out, err = limited_process.run(words, limit)
        if status is None:
            err += f"ended after {limit:g} s\n"
        sys.stdout.write("".join(line + "\n" for line in out.splitlines() if line.startswith(name + ",")))
        sys.stdout.flush()
        if err:
            print(f"{name}: {err}", file=sys.stderr, flush=True)

    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS", "1"))) as pool:
        ways = [([], sorted(METHODS.keys() - HOST_METHODS)), (["--virtual-time"], sorted(HOST_METHODS))]
        list(pool.map(run, [(name, *way) for name in names for way in ways]))


def compare(of_gpu, of_bankwise):
    rows = {}
    for r in csv.DictReader(open(of_gpu)):
        key = r["operation"], r["method"]
        if key not in rows or float(r["microseconds"]) < float(rows[key]["microseconds"]):
            rows[key] = r
    shown = {(r["operation"], r["method"]): r["microseconds"] for r in csv.DictReader(open(of_bankwise))}
    errors = {m: [] for m in METHODS}
    out = io.StringIO()
    table = csv.DictWriter(out, ["operation", "method", "measured", "shown"], lineterminator="\n")
    table.writeheader()
    for r in rows.values():
        name, method, measured = (r[c] for c in COLUMNS)
        there = shown.get((name, method), "")
        table.writerow({"operation": name, "method": method, "measured": measured, "shown": there})
        if there:
            errors[method].append(float(there) / float(measured) - 1)
        print(f"{f'{errors[method][-1]:+8.1%}' if there else ' missing'}  {name:44} {method:22} {float(measured):>9.2f} {there:>9}")
    (ROOT / "data/sm_90/benchmark_times.csv").write_text(out.getvalue())
    for method, e in errors.items():
        e = sorted(map(abs, e))
        if e:
            print(f"{method}: {len(e)} operations, median {statistics.median(e):.1%}, nine of ten at most {e[min(len(e) - 1, int(0.9 * len(e)))]:.1%}")


def main(words):
    if words[:1] == ["--compare"] and len(words) == 3:
        return compare(*words[1:])
    if words[:1] == ["--"] and len(words) > 1:
        return measure(words[1:2], words[2:] or METHODS)
    is_emulated = words[:1] == ["--bankwise"]
    words = words[is_emulated:]
    if len(words) > 1 or words[:1] and words[0].startswith("-"):
        sys.exit(__doc__)
    names = [n for n in OPERATIONS if not words or re.search(words[0], n)]
    print(",".join(COLUMNS), flush=True)
    (measure_with_bankwise if is_emulated else measure)(names)


if __name__ == "__main__":
    main(sys.argv[1:])
