#!/usr/bin/python3
"""Predicts the speed-ups of the pairs in bench/kernels/layout_pairs.cu at one size, and compares them with an H100's.
  edits_test.py BANKWISE PROJECT"""
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

BANKWISE, PROJECT = sys.argv[1], pathlib.Path(sys.argv[2])
SIZE = 1024
FLOATS = "f32[1M]=random:1"
OTHERS = "f32[1M]=random:2"
# kernel -> template arguments before and after, grid, block, arguments
PAIRS = {
    "transpose_t": ("0", "1", "32,32", "32,8", ["out:f32[1M]", FLOATS, "i32=1024"]),
    "transpose_d": ("0", "1", "64,64", "16,16", ["out:f64[1M]", "f64[1M]=random:1", "i32=1024"]),
    "gemm_bt": ("0", "1", "32,32", "32,32", ["out:f32[1M]", FLOATS, OTHERS, "i32=1024"]),
    "gemm_reg": ("0", "4", "16,16", "256", ["out:f32[1M]", FLOATS, OTHERS, "i32=1024"]),
    "reduce_i": ("false", "true", "1024", "512", ["out:f32[1M]", FLOATS]),
    "scan_b": ("false", "true", "1024", "512", ["out:f32[1M]", FLOATS]),
    "row_sum": ("0", "1", "32", "128", ["out:f32[1M]", FLOATS, "i32=256"]),
    "column_conv": ("0", "1", "64,16", "16,8", ["out:f32[1M]", FLOATS, "i32=1024"]),
    "histo": ("0", "1", "256", "64", ["out:u32[1M]", "u32[1M]=zero", "i32=64"]),
    "bodies": ("8", "9", "1024", "128", ["out:f32[1M]", FLOATS, "i32=512"]),
    "butterfly": ("false", "true", "1024", "256", ["out:f32[2M]", "f32[2M]=random:1"]),
    "blocked_sort": ("0", "1", "1024", "256", ["out:i32[1M]", "i32[1M]=random:1"]),
    "scores": ("0", "2", "128", "256", ["out:f32[1M]", "f16[1M]=random:1", "f16[1M]=random:2", "i32=1024"]),
    "plane": ("0", "1", "32,32", "32,8", ["out:f32[1M]", FLOATS, "i32=1024"]),
}


def cycles_of(kernel, grid, block, arguments, report):
    words = [w for a in arguments for w in ("--arg", a)]
    subprocess.run([BANKWISE, "run", PROJECT / "bench/kernels/layout_pairs.cubin", "-k", kernel, "--grid", grid, "--block", block, *words,
                    "--time-model", "on", "--format", "json", "-o", report], check=True, stderr=subprocess.PIPE)
    time = json.load(open(report))["launches"][0]["time"]
    assert 0 < time["cycles_low"] <= time["cycles"] <= time["cycles_high"], time
    for unit in ("sm", "memory", "issue", "pipes", "l1", "l2", "dram"):
        assert 0 <= time["use"][unit] <= 100, (kernel, time["use"])
    return time["cycles"]


def judge(what, factors):
    """At least four of five speed-ups are within 10%, and nine of ten edits that save under 3% are predicted to."""
    close = [name for name, was, now in factors if abs(now / was - 1) <= 0.1]
    small = [(name, now) for name, was, now in factors if was < 1.03]
    called = [name for name, now in small if now < 1.03]
    print(f"{what}: within 10% for {len(close)} of {len(factors)}; under 3%: {len(called)} of {len(small)}")
    print("  not within 10%: " + ", ".join(f"{n} {a:.2f} {b:.2f}" for n, a, b in factors if n not in close))
    assert len(factors) >= 14
    assert len(close) >= 0.8 * len(factors), what
    assert len(called) >= 0.9 * len(small), what


def main():
    rows = list(csv.DictReader(open(PROJECT / "data/sm_90/layout_pairs.csv")))
    factor = lambda r, what: float(r[f"{what}_before"]) / float(r[f"{what}_after"])
    judge("the table", [(f"{r['kernel']} {r['size']}", factor(r, "measured"), factor(r, "predicted")) for r in rows if r["predicted_after"]])
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for r in rows:
            if r["size"] != str(SIZE):
                continue
            before, after, grid, block, arguments = PAIRS[r["kernel"]]
            cycles = [cycles_of(f"{r['kernel']}<{p}>", grid, block, arguments, folder + "/report.json") for p in (before, after)]
            found.append((r["kernel"], factor(r, "measured"), cycles[0] / cycles[1]))
    judge("now", found)


main()
