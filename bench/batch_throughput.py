#!/usr/bin/python3
"""Measures how many launches bankwise predicts in a minute: all in one `bankwise run --batch`, and with a start of `bankwise run` for each.
  bench/batch_throughput.py BANKWISE [LAUNCHES] [CORES]
The launches are kernels of examples/ with different sizes of their data, so no two are equal."""
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BANKWISE = sys.argv[1]
COUNT = int(sys.argv[2]) if len(sys.argv) > 2 else 200
CORES = int(sys.argv[3]) if len(sys.argv) > 3 else len(os.sched_getaffinity(0))


def gemm(n):
    side = 256 + 64 * n
    return dict(file="gemm.cubin", kernel="gemm", grid=[side // 64, 16], block=[16, 16],
                args=["out:f32[1024*{}]".format(side), "f32[1024*1024]=iota", "f32[1024*{}]=iota".format(side), 1024, side, 1024])


def transpose(kernel):
    def launch(n):
        side = 512 + 64 * n
        return dict(file="transpose.cubin", kernel=kernel, grid=[side // 32, side // 32], block=[32, 8],
                    args=["out:f32[{0}*{0}]".format(side), "f32[{0}*{0}]=iota".format(side), side])
    return launch


def histogram(n):
    count = 256 * (1024 + 16 * n)
    return dict(file="histogram.cubin", kernel="histogram_weighted", grid=64, block=256,
                args=["out:u32[256]", "u8[{}]=random:1".format(count), count])


KINDS = (gemm, transpose("transpose_plain"), transpose("transpose_padded"), histogram)
LAUNCHES = [dict(kind(n), file=str(ROOT / "examples" / kind(n)["file"])) for n in range(-(-COUNT // len(KINDS))) for kind in KINDS][:COUNT]


def words_of(launch):
    yield launch["file"]
    yield "--kernel=" + launch["kernel"]
    for key in ("grid", "block"):
        yield "--{}={}".format(key, ",".join(map(str, launch[key])) if isinstance(launch[key], list) else launch[key])
    yield from ("--arg={}".format(word) for word in launch["args"])


def measured(what, run):
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    run()
    took = time.monotonic() - begun
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = sum(getattr(after, name) - getattr(before, name) for name in ("ru_utime", "ru_stime"))
    print("{}: {:.1f} s, {:.0f} launches a minute; {:.1f} CPU seconds, {:.0f} launches a minute and core".format(
        what, took, 60 * COUNT / took, cpu, 60 * COUNT / cpu))


def one_batch():
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        file.writelines(json.dumps(launch) + "\n" for launch in LAUNCHES)
        file.flush()
        answers = subprocess.run([BANKWISE, "run", "--batch", file.name, "--jobs={}".format(CORES)], stdout=subprocess.PIPE, check=True).stdout
    assert answers.count(b"\n") == COUNT


def single_starts():
    for launch in LAUNCHES:
        done = subprocess.run([BANKWISE, "run", *words_of(launch), "--format=json"], stdout=subprocess.PIPE)
        assert done.returncode in (0, 1), launch


print("{} launches, {} cores".format(COUNT, CORES))
measured("bankwise run --batch", one_batch)
measured("bankwise run, {} times".format(COUNT), single_starts)
