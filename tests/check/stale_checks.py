#!/usr/bin/python3
"""A check never passes with a report of older sources: stale_checks.py BANKWISE."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

TOOL = str(pathlib.Path(sys.argv[1]).resolve())
os.environ["PATH"] += ":/usr/local/cuda/bin"
if shutil.which("nvcc") is None or shutil.which("g++") is None:
    print("skipped: nvcc is not installed")
    sys.exit(77)

KERNEL = """#include <cstdio>
#include <cstdlib>
#include <unistd.h>
#ifdef __CUDA_ARCH__
#include "device.h"
#else
#include "host.h"
#endif
#if __has_include("option.h")
#include "option.h"
#endif
#include <width.h>
#ifndef LESS
#define LESS 0
#endif
__global__ void k(float* out) {
  __shared__ float tile[32][WIDTH - LESS];
  tile[threadIdx.x][0] = out[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[31 - threadIdx.x][0];
}
int main() {
  float* p;
  cudaMalloc(&p, 4096);
  k<<<1, 32>>>(p);
  const bool failed = cudaDeviceSynchronize() != cudaSuccess;
  if (getenv("SLOW") != nullptr) usleep(static_cast<useconds_t>(1e6 * atof(getenv("SLOW"))));
  return failed;
}
"""
LIBRARY = """#include <cuda_runtime.h>
#ifndef WIDTH
#define WIDTH 33
#endif
__global__ void k(float* o) {
  __shared__ float t[32][WIDTH];
  t[threadIdx.x][0] = o[threadIdx.x];
  __syncthreads();
  o[threadIdx.x] = t[31 - threadIdx.x][0];
}
extern "C" int go() {
  float* p;
  cudaMalloc(&p, 4096);
  k<<<1, 32>>>(p);
  return cudaDeviceSynchronize();
}
"""

with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)

    def run(*words, wanted, **variables):
        done = subprocess.run(words, cwd=folder, env={**os.environ, **variables}, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        if done.returncode != wanted:
            sys.exit(f"{words} exited with {done.returncode} instead of {wanted}, and printed\n{done.stdout}")

    def check(wanted, **variables):
        run(TOOL, "check", wanted=wanted, **variables)

    def is_made_again(**variables):
        before = (folder / ".bankwise/a.json").stat().st_mtime_ns
        check(0, **variables)
        return (folder / ".bankwise/a.json").stat().st_mtime_ns != before

    def write(file, text):
        (folder / file).parent.mkdir(exist_ok=True)
        (folder / file).write_text(text)

    write("a.cu", KERNEL)
    write("device.h", "")
    write("host.h", "")
    write("inc2/width.h", "#define WIDTH 33\n")
    (folder / "inc1").mkdir()
    run(TOOL, "init", "--name", "a", "--", "--nvcc", "-I", "inc1", "-I", "inc2", "--", "a.cu", wanted=0)
    assert not is_made_again(), "the report was made again, although no input has changed"

    # Each change causes the conflict. Undoing the change removes the conflict.
    check(1, NVCC_APPEND_FLAGS="-DLESS=1")
    check(1, NVCC_PREPEND_FLAGS="-DLESS=1")
    check(0)
    for file in ("option.h", "inc1/width.h"):
        write(file, "#define WIDTH 32\n" if "width" in file else "#define LESS 1\n")
        check(1)
        (folder / file).unlink()
        check(0)
    write("cpath/width.h", "#define WIDTH 32\n")
    check(0, CPATH="cpath")  # -I takes precedence over CPATH
    for file in ("device.h", "host.h"):
        write(file, "// another\n")
        assert is_made_again(), file
    write("device.h", "#define LESS 1\n")
    check(1)
    write("device.h", "")
    check(0)

    # A header changes while the check is running.
    slow = subprocess.Popen([TOOL, "check", "--rerun"], cwd=folder, env={**os.environ, "SLOW": "6"}, stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL)
    time.sleep(5)
    write("inc2/width.h", "#define WIDTH 32\n")
    assert slow.wait() in (0, 1)
    check(1)
    write("inc2/width.h", "#define WIDTH 33\n")
    check(0)

    # A damaged report is made again.
    write(".bankwise/a.json", "")
    check(0)
    write(".bankwise/a.json", "{")
    check(0)

    # A library of the program contains the kernel.
    for file in (folder / ".bankwise").iterdir():
        file.unlink()
    (folder / "bankwise.toml").unlink()
    write("lib.cu", LIBRARY)
    write("m.cpp", 'extern "C" int go();\nint main() { return go(); }\n')
    build = ["nvcc", "-arch=sm_90", "-cudart", "shared", "-Xcompiler", "-fPIC", "-shared", "-o", "libk.so", "lib.cu"]
    run(*build, wanted=0)
    run("g++", "-o", "app", "m.cpp", "-L.", "-lk", f"-Wl,-rpath,{folder}", "-Wl,--allow-shlib-undefined", wanted=0)
    run(TOOL, "init", "--name", "a", "./app", wanted=0)
    assert not is_made_again(), "the report was made again, although no input has changed"
    run(*build, "-DWIDTH=32", wanted=0)
    check(1)
