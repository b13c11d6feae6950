"""Executes every command that `bankwise run` suggests after "next:". Each must succeed as it is typed.
    next_commands.py BANKWISE SOURCE_DIR
"""
import os
import shutil
import subprocess
import sys
import tempfile

BANKWISE, SOURCE = os.path.abspath(sys.argv[1]), sys.argv[2]
NVCC = shutil.which("nvcc") or os.path.join(os.environ.get("CUDA_HOME", "/usr/local/cuda"), "bin/nvcc")
if not os.path.exists(NVCC):
    print("skipped: nvcc is not installed")
    sys.exit(77)
os.environ["PATH"] = os.pathsep.join([os.path.dirname(BANKWISE), os.environ["PATH"], os.path.dirname(NVCC)])

MAIN = """int main() {
  float *in, *out;
  cudaMallocManaged(&in, 4096);
  cudaMallocManaged(&out, 4096);
  for (int i = 0; i < 1024; ++i) in[i] = i;
  LAUNCHES
  cudaDeviceSynchronize();
  std::printf("%f\\n", out[33]);
}
"""
TURN = """#include <cstdio>
HEAD__global__ void turn(float* out, const float* in) {
  __shared__ float tile[32][32PAD];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = READ;
}
""" + MAIN


def program(read="tile[threadIdx.x][threadIdx.y]", head="", pad="", launches="turn<<<1, dim3(32, 32)>>>(out, in);"):
    text = TURN
    for word, value in (("READ", read), ("HEAD", head), ("PAD", pad), ("LAUNCHES", launches)):
        text = text.replace(word, value)
    return text


TRANSPOSE = ("run transpose.cubin -k transpose_plain --grid 2,2 --block 32,8 --arg 'out:f32[64*64]' --arg 'f32[64*64]=iota' "
             "--arg i32=64")
SOURCES = {
    "turn.cu": program(),
    # The edit is in doubt: a function gets the address of a row.
    "row.cu": program("at(tile[threadIdx.x], threadIdx.y)", "__device__ float at(const float* row, int x) { return row[x]; }\n"),
    # The two instances need different edits of one declaration.
    "two.cu": program(head="template <int P> ", pad=" + P", launches="turn<0><<<1, dim3(32, 32)>>>(out, in);\n"
                      "  turn<1><<<1, dim3(32, 32)>>>(out, in);"),
}
# The command, and whether it suggests fix --apply.
RUNS = [(TRANSPOSE, True), (TRANSPOSE + " --fix", True), ("run turn.cu", True), ("run ./turn", True), ("run --fix ./turn", True),
        ("run ./row", False), ("run ./two", False),
        ("run arrays.cubin -k carved --block 32 --shared 512 --arg 'out:f32[32]' --fix --array 'float a[64]'", False)]


def commands_of(text):
    """The suggested commands. A report is written before a command that reads it."""
    lines = text.split("\nnext:\n")[1].splitlines() if "\nnext:\n" in text else []
    found, common, reason = [], "", ""
    for line in lines:
        line = line.strip()
        if line == "with one of these flags added:":
            common, _ = found.pop()
        elif line.startswith("# "):
            reason = line[2:]
        elif not line:
            break
        else:
            words, _, beside = line.partition("  # ")
            reason = beside or reason
            words = f"{common} {words.strip()}" if common and not words.startswith("bankwise ") else words.strip()
            if reason.startswith("then bankwise fix "):
                words += " && " + reason[5:].split(" writes ")[0]
            found.append((words, reason))
            reason = ""
    return [words for words, _ in found]


def fill(folder):
    for name, text in SOURCES.items():
        with open(os.path.join(folder, name), "w") as f:
            f.write(text)
    for name in ("examples/transpose.cu", "examples/transpose.cubin", "tests/kernels/arrays.cu", "tests/kernels/arrays.cubin"):
        shutil.copy(os.path.join(SOURCE, name), folder)
    for name in os.listdir(folder):
        if name.endswith(".cu"):
            os.utime(os.path.join(folder, name), (0, 0))  # the programs are newer than their sources


wrong = 0
with tempfile.TemporaryDirectory() as built:
    fill(built)
    for name in SOURCES:
        subprocess.run([NVCC, "-lineinfo", "-arch=sm_90", "-cudart", "shared", name, "-o", name[:-3]], cwd=built, check=True)

    def sh(command):
        done = subprocess.run(["sh", "-c", command], cwd=built, capture_output=True, text=True)
        fill(built)  # the command may have edited a source
        return done

    for words, applies in RUNS:
        ran = sh(f"bankwise {words}")
        commands = commands_of(ran.stdout + ran.stderr)
        if ran.returncode != 0 or not commands or any("fix --apply" in c for c in commands) != applies:
            wrong += 1
            print(f"FAIL: bankwise {words}: exit status {ran.returncode}, suggests {commands}\n{ran.stdout}{ran.stderr}")
        for command in commands:
            done = sh(command)
            if done.returncode != 0:
                wrong += 1
                print(f"FAIL: {command}\n{done.stdout}{done.stderr}")
    # The answer of fix about two instances says for which of them a layout is.
    done = sh("bankwise fix --patch -- ./two")
    if "by hand, in turn<0> alone" not in done.stderr or "no layout saves wavefronts in all of them together" not in done.stderr:
        wrong += 1
        print(f"FAIL: fix of two instances\n{done.stdout}{done.stderr}")
sys.exit(1 if wrong else 0)
