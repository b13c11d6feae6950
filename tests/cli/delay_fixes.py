"""Edits that remove delays: small programs with one delay each are edited, built, run and compared.
    delay_fixes.py BANKWISE
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

BANKWISE = sys.argv[1]
NVCC = shutil.which("nvcc") or os.path.join(os.environ.get("CUDA_HOME", "/usr/local/cuda"), "bin/nvcc")
if not os.path.exists(NVCC):
    print("skipped: nvcc is not installed")
    sys.exit(77)
os.environ["PATH"] += os.pathsep + os.path.dirname(NVCC)
wrong = []

# A program with the kernel k, which gets arrays of n floats.
PROGRAM = """#include <cstdio>
#include <vector>
KERNEL
int main() {
  const int n = COUNT;
  std::vector<float> host(n);
  for (int i = 0; i < n; ++i) host[i] = VALUE;
  float *in, *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  cudaMemcpy(in, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  LAUNCH
  cudaMemcpy(host.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += host[i] * (1 + i % 7);
  std::printf("%.9g\\n", sum);
  return cudaDeviceSynchronize() != cudaSuccess;
}
"""
BARRIERS = """__global__ void k(const float* in, float* out) {
  __shared__ float line[8][512];
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  for (int j = 0; j < 8; ++j) line[j][t] = in[i] + j;
  float y = in[i];
  for (int j = 0; j < 128; ++j) {
    y = 0.5f * y + 0.25f * line[j % 8][t];
    __syncthreads();
    line[j % 8][t] = y;
    __syncthreads();
  }
  out[i] = y;
}"""
# The constants are exact as floats, and so are all values. With other constants, floats are rounded differently.
DOUBLES = """__global__ void k(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = in[i];
  for (int j = 0; j < 32; ++j)
    x = CONSTANT * x + 1.0 + CONSTANT * x;
  out[i] = x;
}"""
REGISTERS = """__global__ void k(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int at = i;
  for (int j = 0; j < 12; ++j) at = in[at];
  float result = at;
  if (at % 16384 == 5) {
    float m[7][7];
    for (int r = 0; r < 7; ++r)
      for (int c = 0; c < 7; ++c) m[r][c] = in[at + r * 7 + c] + (r == c) * 64;
#pragma unroll
    for (int p = 0; p < 7; ++p)
#pragma unroll
      for (int r = p + 1; r < 7; ++r)
#pragma unroll
        for (int c = 6; c >= p; --c) m[r][c] -= m[p][c] * (m[r][p] / m[p][p]);
    for (int p = 0; p < 7; ++p) result += m[p][p];
  }
  out[i] = result;
}"""
LOADS = """__global__ void k(const float* in, float* out) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  PRAGMA
  for (int j = 0; j < 16; ++j) sum += in[j * 16896 + t];
  out[t] = sum;
}"""
NEIGHBOURS = """__global__ void k(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int j = 0; j < 64; ++j) sum += in[i * 64 + j] * j;
  out[i] = sum;
}"""
GRID = """__global__ void k(const float* in, float* out) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < 270336; i += gridDim.x * blockDim.x) out[i] = in[i] * 2;
}"""
COLUMNS = """__global__ void k(const float* in, float* out) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
  out[row * 512 + column] = 2 * in[row * 512 + column];
}"""
ONE = """__global__ void k(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;  // one element
  if (i < 1081344) out[i] = in[i] * 2;
}"""
OVERLAP = """__global__ void k(const float* in, float* out) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
  for (int j = 0; j < 16; ++j) out[j * 16896 + t] = in[j * 16896 + t] * 2;
}"""
SINES = """__global__ void k(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = in[i] / 64;
  for (int j = 0; j < 16; ++j) x = sinf(x);
  out[i] = x;
}"""
MANY = "k<<<n / 512, 512>>>(in, out);"


def expect(what, is_so, says=""):
    if not is_so:
        wrong.append(what)
        print(f"FAIL: {what}\n{says}")


class Case:
    def __init__(self, folder, name, kernel, launch=MANY, count=270336, value="i % 16"):
        self.folder = os.path.join(folder, name)
        os.makedirs(self.folder)
        self.text = PROGRAM.replace("KERNEL", kernel).replace("LAUNCH", launch).replace("COUNT", str(count)).replace("VALUE", value)
        with open(os.path.join(self.folder, "app.cu"), "w") as f:
            f.write(self.text)

    def read(self):
        with open(os.path.join(self.folder, "app.cu")) as f:
            return f.read()

    def run(self, *words):
        return subprocess.run([BANKWISE, *words], cwd=self.folder, capture_output=True, text=True)

    def is_kept(self, what, change, words):
        """The edit is made, checked and kept, and the text has these words."""
        done = self.run("fix", "--apply", "--", "app.cu")
        said = done.stdout + done.stderr
        expect(what + " is kept", done.returncode == 0 and self.read() == self.text.replace(*change) != self.text, said)
        expect(what + " shows what it changes", all(w in said for w in words), said)
        expect(what + " shows the predicted times", "\nk: predicted to take about " in done.stdout and " times as fast" in done.stdout, said)
        expect(what + " is compared", "the program printed the same output" in done.stdout, said)
        return said

    def is_refused(self, what, words):
        done = self.run("fix", "--apply", "--", "app.cu")
        said = done.stdout + done.stderr
        expect(what + " is not kept", done.returncode == 2 and self.read() == self.text, said)
        expect(what + " has a reason", all(w in said for w in words), said)
        expect(what + " leaves no journal", not [n for n in os.listdir(self.folder) if n.endswith(".bankwise-edit")])


with tempfile.TemporaryDirectory() as folder:
    Case(folder, "barriers", BARRIERS).is_kept(
        "a removed barrier", ("    __syncthreads();\n", ""),
        ["app.cu:10  k: the threads of the traced blocks exchange no values", "__syncthreads() is removed, in 2 places", "     10: (removed)"])
    lanes = BARRIERS.replace("[j % 8][t];", "[j % 8][t ^ 1];")
    Case(folder, "lanes", lanes).is_kept(
        "__syncwarp", ("__syncthreads", "__syncwarp"),
        ["app.cu:10  k: the warps of the traced blocks exchange no values", "__syncthreads() becomes __syncwarp(), in 2 places", "     10: __syncwarp();"])
    Case(folder, "doubles", DOUBLES.replace("CONSTANT", "0.5")).is_kept(
        "a float constant", ("0.5 * x + 1.0 + 0.5 * x", "0.5f * x + 1.0f + 0.5f * x"),
        ["0.5 becomes 0.5f and 1.0 becomes 1.0f", "     7: x = 0.5f * x + 1.0f + 0.5f * x;", "floats are rounded differently"])
    Case(folder, "registers", REGISTERS, "k<<<n / 256, 256>>>(in, out);", 540672, "(i + 327712) % 524288").is_kept(
        "__launch_bounds__", ("void k(", "void __launch_bounds__(256, 8) k("), ["app.cu:3  k: registers limit", "k gets __launch_bounds__(256, 8)"])
    Case(folder, "loads", LOADS.replace("PRAGMA", "#pragma unroll 1"), "k<<<33, 512>>>(in, out);").is_kept(
        "unrolling", ("#pragma unroll 1", "#pragma unroll 4"), ["#pragma unroll 1 becomes #pragma unroll 4"])
    inlined = "__device__ float value(const float* in, int i) {\n  return in[i];\n}\n" + LOADS.replace("PRAGMA\n", "\n#pragma unroll 1\n").replace("in[j * 16896 + t]", "value(in, j * 16896 + t)")
    Case(folder, "inlined", inlined, "k<<<33, 512>>>(in, out);").is_kept(
        "unrolling around an inlined function", ("#pragma unroll 1", "#pragma unroll 4"), ["app.cu:11  k: each round of the loop waits", "     10: #pragma unroll 4"])

    tell = "in = static_cast<decltype(in)>(__builtin_assume_aligned(in, 16));"
    Case(folder, "neighbours", NEIGHBOURS, "k<<<33, 128>>>(in, out);").is_kept(
        "alignment", ("float* out) {\n", f"float* out) {{\n  // must be aligned to 16 bytes: in\n  {tell}\n"),
        ["nvcc may assume that in is aligned to 16 bytes", "only if the pointers are multiples of 16 bytes"])
    Case(folder, "shifted", NEIGHBOURS, "k<<<32, 128>>>(in + 1, out);").is_refused(
        "another alignment", ["which is not a multiple of the access's width of 16 bytes", "bankwise restored the sources"])
    Case(folder, "grid", GRID, "k<<<16, 256>>>(in, out);").is_kept(
        "a larger grid", ("<<<16, ", "<<<1056, "), ["the grid has 1,056 blocks in x instead of 16"])
    Case(folder, "block", ONE, "k<<<(n + 32 - 1) / 32, 32>>>(in, out);", 1081344).is_kept(
        "larger blocks", ("(n + 32 - 1) / 32, 32>>>", "(n + 256 - 1) / 256, 256>>>"), ["blocks have 256 threads instead of 32"])
    axes = lambda text: text.replace("threadIdx.x", "threadIdx.?").replace("threadIdx.y", "threadIdx.x").replace("threadIdx.?", "threadIdx.y").replace(
        "blockDim.x", "blockDim.?").replace("blockDim.y", "blockDim.x").replace("blockDim.?", "blockDim.y")
    Case(folder, "axes", COLUMNS, "k<<<dim3(32, 32), dim3(16, 16)>>>(in, out);", 262144).is_kept(
        "exchanged axes", (COLUMNS, axes(COLUMNS)), ["threadIdx.x and threadIdx.y change places"])
    c = Case(folder, "sides", COLUMNS, "k<<<dim3(16, 64), dim3(32, 8)>>>(in, out);", 262144)
    done = c.run("fix", "--apply", "--", "app.cu")
    expect("blocks with different sides are exchanged", c.read() == c.text.replace(COLUMNS, axes(COLUMNS)).replace("dim3(32, 8)", "dim3(8, 32)"),
           done.stdout + done.stderr)
    Case(folder, "overlap", OVERLAP, "k<<<66, 256>>>(in, out);").is_kept(
        "__restrict__", ("const float* in, float* out", "const float* __restrict__ in, float* __restrict__ out"),
        ["__restrict__ before in and out: no two of these arrays overlap"])

    # Edits that round differently are compared by the program's own output, if the user wants it.
    c = Case(folder, "sines", SINES, value="i % 64 / 8.0f")
    c.text = c.text.replace("%.9g", "%.3g")
    with open(os.path.join(c.folder, "app.cu"), "w") as f:
        f.write(c.text)
    c.is_refused("a fast function", ["sinf becomes __sinf", "app.cu computes something different"])
    done = c.run("fix", "--apply", "--skip-copies", "--", "app.cu")
    expect("--skip-copies keeps a fast function", done.returncode == 0 and c.read() == c.text.replace("sinf", "__sinf") and
           "Not compared: copies to the host (--skip-copies)." in done.stdout, done.stdout + done.stderr)

    # Edits that are not made, or not kept.
    Case(folder, "own_grid", GRID.replace("in[i] * 2", "in[i] * gridDim.x"), "k<<<16, 256>>>(in, out);").is_refused(
        "a grid whose size is a result", [])
    Case(folder, "odd", ONE, "k<<<n / 32, 32>>>(in, out);", 1081376).is_refused(
        "a number of elements that is not a multiple of 256", ["no edit: its number of threads is not a multiple of 256"])
    Case(folder, "same_array", OVERLAP, "k<<<66, 256>>>(in, in);").is_refused("__restrict__ for one array", [])
    Case(folder, "rounded", DOUBLES.replace("CONSTANT", "0.3")).is_refused(
        "an edit that changes the results", ["app.cu computes something different", "bankwise restored the sources"])
    turned = BARRIERS.replace("const int t = threadIdx.x", "const int t = threadIdx.x, from = blockDim.x == 256 ? 255 - t : t").replace("[j % 8][t];", "[j % 8][from];")
    Case(folder, "two_uses", turned.replace("  float y", "  __syncthreads();\n  float y"), MANY + " k<<<n / 256, 256>>>(in, out);").is_refused(
        "an edit that another launch forbids", ["no edit: another launch of k may need its barriers", "by hand: remove __syncthreads()"])

    c = Case(folder, "outside", '#include "../outside.cuh"')
    with open(os.path.join(folder, "outside.cuh"), "w") as f:
        f.write(BARRIERS)
    c.is_refused("an edit of a header outside of the root", ["outside.cuh is outside of ", "by hand: remove __syncthreads()"])
    with open(os.path.join(folder, "outside.cuh")) as f:
        expect("the header stays as it is", f.read() == BARRIERS)

    # A patch, and a report instead of a program.
    c = Case(folder, "patch", BARRIERS)
    done = c.run("fix", "--patch", "--", "app.cu")
    expect("--patch has the edit", done.returncode == 0 and done.stdout.count("-    __syncthreads();") == 2 and c.read() == c.text,
           done.stdout + done.stderr)
    done = c.run("run", "--accesses", "--format", "json", "-o", "r.json", "app.cu")
    with open(os.path.join(c.folder, "r.json")) as f:
        expect("the report has the delay", any(d["kind"] == "needless_barriers" for l in json.load(f)["launches"] for d in l["time"]["delays"]))
    done = c.run("fix", "r.json", "--apply")
    expect("a report is enough", done.returncode == 0 and c.read() == c.text.replace("    __syncthreads();\n", ""), done.stdout + done.stderr)

    # Two edits are tried together, and then each by itself. A build command builds the program.
    both = BARRIERS + "\n" + DOUBLES.replace("CONSTANT", "0.3").replace(" k(", " d(")
    c = Case(folder, "both", both, MANY + " d<<<n / 512, 512>>>(out, out);")
    build = "nvcc -lineinfo -arch=sm_90 app.cu -o app"
    subprocess.run(["sh", "-c", build], cwd=c.folder, check=True)
    done = c.run("fix", "--apply", "--check", build, "--", "./app")
    said = done.stdout + done.stderr
    expect("one of two edits is kept", done.returncode == 0 and c.read() == c.text.replace("    __syncthreads();\n", "") and
           "The 2 edits together are not kept" in said and "Not kept: double_arithmetic of d, line 20: " in said, said)

    # `run` suggests the edit.
    done = c.run("run", "app.cu")
    expect("run suggests fix --apply", "bankwise fix --apply -- app.cu" in done.stdout + done.stderr, done.stdout + done.stderr)

sys.exit(1 if wrong else 0)
