"""Measures how many configurations `bankwise tune` compiles and predicts in a minute on one core: a space of 30 configurations of
examples/tune/gemm.cu with matrices of 1024 x 1024, without a cache.
    bench/measure_tuning.py [JOBS...]        needs nvcc; JOBS is 1 and the number of cores by default
The columns are seconds, and configurations a minute and core by the processor time of all processes. The last column is the part of JOBS
cores that was used.
"""
import os
import pathlib
import resource
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
BANKWISE = os.environ.get("BANKWISE", str(ROOT / "build/release/cli/bankwise"))
SPACE = ["examples/tune/gemm.cu", "-k", "gemm", "-D", "TILE=32,64,128", "-D", "DEPTH=4,8,16,32", "-D", "WORK=2,4,8", "--where", "TILE/WORK>=4",
         "--where", "TILE/WORK<=32", "--where", "TILE<128||DEPTH>4", "--let", "N=1024", "--grid", "N/TILE,N/TILE", "--block", "TILE/WORK,TILE/WORK", "--arg", "out:f32[N*N]",
         "--arg", "f32[N*N]=random:1", "--arg", "f32[N*N]=random:2", "--arg", "i32=N", "--cache", "off", "--format", "csv"]


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure(name, jobs, flags):
    begun, used = time.monotonic(), processor_seconds()
    done = subprocess.run([BANKWISE, "tune", *SPACE, *flags, "--jobs", str(jobs)], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    seconds, used = time.monotonic() - begun, processor_seconds() - used
    count = sum(",ranked," in line for line in done.stdout.splitlines())
    print(f"{name:28} {count:14} {jobs:5} {seconds:8.1f} {60 * count / used:14.0f} {used / seconds / jobs:5.0%}", flush=True)


def main():
    all_jobs = [int(n) for n in sys.argv[1:]] or sorted({1, os.cpu_count()})
    print(f"{'':28} {'configurations':>14} {'jobs':>5} {'seconds':>8} {'a minute, core':>14} {'used':>5}")
    for jobs in all_jobs:
        measure("results compared", jobs, [])
        measure("results not compared", jobs, ["--verify", "off"])


main()
