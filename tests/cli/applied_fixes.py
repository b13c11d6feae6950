"""Edits of a program, from its run to its sources: a patch that git accepts; files that are changed, built, run and
compared; and files that are restored if a step fails.
    applied_fixes.py BANKWISE SOURCE_DIR
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

BANKWISE, SOURCE = sys.argv[1:3]
NVCC = shutil.which("nvcc") or os.path.join(os.environ.get("CUDA_HOME", "/usr/local/cuda"), "bin/nvcc")
if not os.path.exists(NVCC):
    print("skipped: nvcc is not installed")
    sys.exit(77)
os.environ["PATH"] += os.pathsep + os.path.dirname(NVCC)
wrong = []

PROGRAM = """#include <cstdio>
#define TILE 32
__global__ void turn(float* out, const float* in) {
  __shared__ float tile[TILE][TILE];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * TILE + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * TILE + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
__device__ float first(const float* row, int n) { return row[n]; }
__global__ void rows(float* out, const float* in) {
  __shared__ float kept[TILE][TILE];
  const float* flat = kept[0];
  kept[threadIdx.y][threadIdx.x] = in[threadIdx.y * TILE + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * TILE + threadIdx.x] = FLAT;
}
int main(int argc, char** argv) {
  float *in, *out;
  cudaMallocManaged(&in, 4096);
  cudaMallocManaged(&out, 4096);
  for (int i = 0; i < 1024; ++i) in[i] = i;
  if (argc > 1)
    rows<<<1, dim3(32, 32)>>>(out, in);
  else
    turn<<<1, dim3(32, 32)>>>(out, in);
  cudaDeviceSynchronize();
  double sum = 0;
  for (int i = 0; i < 1024; ++i) sum += out[i] * i;
  std::printf("sum %.0f\\nTime: %p\\n", sum, (void*)&in);
  return 0;
}
"""
MOVES = r"""#include <cstdio>
#include <cstdlib>
// A thread stores four words side by side; where they begin is known when it runs.
__global__ void wide(unsigned* out, const unsigned* in, int begin) {
  __shared__ unsigned s[160];
  const int lane = threadIdx.x;
#pragma unroll
  for (int i = 0; i < 4; i++) s[begin + lane * 4 + i] = in[i * 32 + lane];
  __syncwarp();
  for (int i = 0; i < 4; i++) out[i * 32 + lane] = s[begin + i * 32 + lane];
}
__global__ void turn(float* out, const float* in) {
  __shared__ float tile[32][32];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  float v = tile[threadIdx.x][threadIdx.y];
  for (int i = 0; i < 300; ++i) v = v * 1.0001f + 1;
  out[threadIdx.y * 32 + threadIdx.x] = v;
}
int main(int c, char** v) {
  unsigned *i, *o; float* f;
  cudaMallocManaged(&i, 512); cudaMallocManaged(&o, 512); cudaMallocManaged(&f, 4096);
  for (int n = 0; n < 128; ++n) i[n] = n;
  for (int n = 0; n < 1024; ++n) f[n] = n;
  wide<<<1, 32>>>(o, i, c > 1 ? atoi(v[1]) : 0);
  turn<<<1, dim3(32, 32)>>>(f, f);
  cudaDeviceSynchronize();
  unsigned sum = 0; for (int n = 0; n < 128; ++n) sum += o[n] * n;
  printf("%u\n", sum); return 0;
}
"""
DYNAMIC = r"""#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

__global__ void reduce(const int* in, int* out, unsigned n) {
  extern __shared__ int s[];
  unsigned tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
  s[tid] = i < n ? in[i] : 0;
  __syncthreads();
  for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
    unsigned index = 2 * stride * tid;
    if (index < blockDim.x) s[index] += s[index + stride];
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = s[0];
}

int main(int argc, char** argv) {
  unsigned n = argc > 1 ? atoi(argv[1]) : 1 << 16, blocks = (n + 255) / 256;
  std::vector<int> h(n), r(blocks);
  long expected = 0;
  for (unsigned i = 0; i < n; ++i) expected += h[i] = i % 7;
  int *d, *o;
  cudaMalloc(&d, n * 4);
  cudaMalloc(&o, blocks * 4);
  cudaMemcpy(d, h.data(), n * 4, cudaMemcpyHostToDevice);
  reduce<<<blocks, 256, 256 * sizeof(int)>>>(d, o, n);
  if (cudaDeviceSynchronize() != cudaSuccess) { printf("error\n"); return 1; }
  cudaMemcpy(r.data(), o, blocks * 4, cudaMemcpyDeviceToHost);
  long sum = 0;
  for (int v : r) sum += v;
  printf("%ld %s\n", sum, sum == expected ? "PASS" : "FAIL");
  return sum != expected;
}
"""
# Without the pragma, the compiler unrolls the loop less after the edit, so that the edit makes the kernel twice as slow.
TWO = r"""#include <cstdio>
__global__ void strided(float* out, const float* in, int step) {
  __shared__ float s[2048];
#pragma unroll 16
  for (int i = threadIdx.x; i < 2048; i += 32) s[i] = in[i];
  __syncwarp();
  out[threadIdx.x] = s[threadIdx.x * step];
}
int main() {
  float *in, *out;
  cudaMallocManaged(&in, 8192);
  cudaMallocManaged(&out, 128);
  for (int i = 0; i < 2048; ++i) in[i] = i;
  for (int n = 0; n < 3; ++n) strided<<<1, 32>>>(out, in, 32);
  strided<<<2, 32>>>(out, in, 64);
  cudaDeviceSynchronize();
  std::printf("%f\n", out[3]);
}
"""
# The index function for A takes more time than it saves. The padding of tile saves time.
SLOWER = r"""#include <cstdio>
__global__ void slow(unsigned short* out, const unsigned short* in) {
  __shared__ unsigned short A[64 * 48];
  const int tx = threadIdx.x, ty = threadIdx.y, t = ty * 32 + tx;
  unsigned short s = 0;
  for (int i = t; i < 64 * 48; i += 4 * 32) { int y = i / 48, x = i % 48; A[y * 48 + x] = in[(i * 7) & 4095]; }
  __syncthreads();
  s += A[(tx % 64) * 48 + ty];
  s += A[(tx % 64) * 48 + ty];
  s += A[(tx % 64) * 48 + ty];
  out[t] = s;
}
__global__ void turn(float* out, const float* in) {
  __shared__ float tile[32][32];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
int main() {
  unsigned short *i, *o; float* f;
  cudaMallocManaged(&i, 8192); cudaMallocManaged(&o, 256); cudaMallocManaged(&f, 8192);
  for (int n = 0; n < 4096; ++n) i[n] = n * 37 % 101;
  for (int n = 0; n < 1024; ++n) f[n] = n;
  slow<<<1, dim3(32, 4)>>>(o, i);
  LAUNCH
  cudaDeviceSynchronize();
  unsigned sum = 0; for (int n = 0; n < 128; ++n) sum += o[n] * n;
  printf("%u %f\n", sum, f[1024 + 33]); return 0;
}
"""
BUILD = "nvcc -lineinfo -arch=sm_90 app.cu -o app"


def expect(what, is_so, says=""):
    if not is_so:
        wrong.append(what)
        print(f"FAIL: {what}\n{says}")


def is_qualified(at, name, has):
    """A small saving is predicted without the instructions for a new index. Longer rows need no such instructions."""
    done = subprocess.run([BANKWISE, "fix", name], cwd=at, capture_output=True, text=True)
    expect("a small saving of an index function is qualified", done.returncode == 0 and has ==
           ["This does not include the instructions for the new index" in line for line in done.stdout.splitlines() if "This layout saves" in line],
           done.stdout)


class Case:
    def __init__(self, folder, name, flat="tile_is_first(kept)"):
        self.folder = os.path.join(folder, name)
        os.makedirs(self.folder)
        self.text = PROGRAM.replace("FLAT", flat)
        self.write(self.text)
        self.sh("git init -q . && git -c user.name=a -c user.email=a add app.cu")
        self.sh(BUILD)

    def write(self, text):
        with open(os.path.join(self.folder, "app.cu"), "w") as f:
            f.write(text)

    def read(self):
        with open(os.path.join(self.folder, "app.cu")) as f:
            return f.read()

    def sh(self, command):
        return subprocess.run(["sh", "-c", command], cwd=self.folder, capture_output=True, text=True)

    def fix(self, *words):
        return subprocess.run([BANKWISE, "fix", *words], cwd=self.folder, capture_output=True, text=True)


# In the kernel `rows`, the pointer `flat` points to the array `kept`. If the kernel reads the array through this
# pointer, longer rows make the result wrong. If the kernel reads it with two indices, the result stays correct.
THROUGH_POINTER = "first(flat, threadIdx.x * TILE + threadIdx.y)"
INDEXED = "kept[threadIdx.x][threadIdx.y]"

with tempfile.TemporaryDirectory() as folder:
    c = Case(folder, "patch", INDEXED)
    before = c.read()
    done = c.fix("--patch", "--", "./app")
    expect("--patch prints a patch", done.returncode == 0 and "+  __shared__ float tile[TILE][TILE + 1];" in done.stdout, done.stdout + done.stderr)
    expect("--patch changes nothing", c.read() == before)
    with open(os.path.join(c.folder, "p"), "w") as f:
        f.write(done.stdout)
    applied = c.sh("git apply p")
    expect("git applies the patch", applied.returncode == 0 and "tile[TILE][TILE + 1]" in c.read(), applied.stderr)
    done = c.fix("--patch", "--", "./app")
    expect("a source that is newer than the program is refused", done.returncode == 2 and "was changed after ./app was made" in done.stderr, done.stderr)

    c = Case(folder, "report", INDEXED)
    run = subprocess.run([BANKWISE, "run", "--accesses", "--format", "json", "-o", "r.json", "./app"], cwd=c.folder, capture_output=True, text=True)
    done = c.fix("r.json", "--apply")
    expect("fix --apply accepts a report", done.returncode == 0 and "tile[TILE][TILE + 1]" in c.read(), run.stderr + done.stderr)

    c = Case(folder, "check", INDEXED)
    done = c.fix("--apply", "--check", BUILD, "--", "./app")
    expect("the output has the counts before and after the edit", done.returncode == 0 and ["turn", "1,056", "64", "64"] in [l.split() for l in done.stdout.splitlines()],
           done.stdout + done.stderr)
    expect("the edit is applied", "tile[TILE][TILE + 1]" in c.read())
    done = c.fix("--apply", "--check", BUILD, "--", "./app")
    expect("after the edit, there is nothing left to fix", done.returncode == 0 and "saves enough wavefronts" in done.stderr, done.stdout + done.stderr)

    c = Case(folder, "no_build", INDEXED)
    done = c.fix("--apply", "--check", "echo no compiler; exit 3", "--", "./app")
    expect("an edit that does not build is undone", done.returncode == 2 and "no compiler" in done.stderr and c.read() == c.text, done.stderr)

    c = Case(folder, "doubt", THROUGH_POINTER)
    done = c.fix("--patch", "--", "./app", "rows")
    expect("an array that is passed to a function gets no patch", done.returncode == 2 and "a row of kept is passed to a function" in done.stderr, done.stdout + done.stderr)
    done = c.fix("--apply", "--check", BUILD, "--", "./app", "rows")
    expect("an edit that changes the results is undone", done.returncode == 2 and "prints different output: line 1" in done.stderr and c.read() == c.text,
           done.stdout + done.stderr)

    c = Case(folder, "source", INDEXED)
    done = c.fix("--apply", "--", "app.cu")
    expect("a .cu is compiled, run and compared", done.returncode == 0 and "the program printed the same output" in done.stdout and "tile[TILE][TILE + 1]" in c.read(),
           done.stdout + done.stderr)

# If an edit changes the results of a program, the edit is undone. This program computes an index by subtracting the
# length of one row, which is wrong for longer rows.
SHOWN = """#include <cstdio>
#include <cstdlib>
#include <unistd.h>
__global__ void k(float* out, const float* in) {
  __shared__ float tile[33][32];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x + 1][COLUMN];
}
int main() {
  float *in, *out, h[1024];
  cudaMalloc(&in, 4096);
  cudaMalloc(&out, 4096);
  for (int i = 0; i < 1024; ++i) h[i] = i * 7919 % 1009;
  cudaMemcpy(in, h, 4096, cudaMemcpyHostToDevice);
  k<<<1, dim3(32, 32)>>>(out, in);
  cudaMemcpy(h, out, 4096, cudaMemcpyDeviceToHost);
  double s = 0;
  for (int i = 0; i < 1024; ++i) s += h[i] * (i + 1);
  SHOW
}
"""
RIGHT, WRONG = "threadIdx.y", "(int)threadIdx.y - 32"
SHOWS = {
    "stderr": 'std::fprintf(stderr, "sum %.0f\\n", s);',
    "status": "return s != 261961056;",
    "a_line_with_time": 'std::printf("checksum %.0f, time 0.3 ms\\n", s);',
    "a_line_with_a_rate": 'std::printf("GB/s 12.5, result %.0f\\n", s);',
    "a_line_that_varies": 'std::printf("process %d sum %.0f\\n", (int)getpid(), s);',
    "a_file": 'std::FILE* f = std::fopen("result.txt", "w"); std::fprintf(f, "%.0f\\n", s); std::fclose(f);',
    "nothing": "static_cast<void>(s);",
}
with tempfile.TemporaryDirectory() as folder:
    for name, show in SHOWS.items():
        for column, kept in ((RIGHT, True), (WRONG, False)):
            if kept and name == "status":
                continue
            at = os.path.join(folder, name + str(kept))
            os.makedirs(at)
            text = SHOWN.replace("SHOW", show).replace("COLUMN", column)
            if kept:
                text = text.replace("threadIdx.x + 1", "threadIdx.x")
            with open(os.path.join(at, "k.cu"), "w") as f:
                f.write(text)
            done = subprocess.run([BANKWISE, "fix", "--apply", "--", "k.cu"], cwd=at, capture_output=True, text=True)
            with open(os.path.join(at, "k.cu")) as f:
                now = f.read()
            if kept:
                expect(name + ": an edit that does not change the results is kept", done.returncode == 0 and "tile[33][32 + 1]" in now,
                       done.stdout + done.stderr)
            else:
                expect(name + ": an edit that changes the result is undone", done.returncode == 2 and now == text,
                       done.stdout + done.stderr)
            expect(name + ": no journal is left", not [n for n in os.listdir(at) if n.endswith(".bankwise-edit")])

    # A file is not a result if the file has a different name in each run, or if another process writes the file. The
    # data that the host copies are still a result.
    for column, kept in ((RIGHT, True), (WRONG, False)):
        at = os.path.join(folder, "unsteady" + str(kept))
        os.makedirs(at)
        text = SHOWN.replace("COLUMN", column).replace(
            "SHOW", 'char name[32]; std::snprintf(name, 32, "scratch.%d", (int)getpid()); std::fclose(std::fopen(name, "w"));')
        if kept:
            text = text.replace("threadIdx.x + 1", "threadIdx.x")
        with open(os.path.join(at, "k.cu"), "w") as f:
            f.write(text)
        build = "rm -f scratch.*; nvcc -lineinfo -arch=sm_90 k.cu -o app"
        subprocess.run(["sh", "-c", build], cwd=at, check=True)
        done = subprocess.run([BANKWISE, "fix", "--apply", "--check", build, "--", "./app"], cwd=at, capture_output=True, text=True)
        with open(os.path.join(at, "k.cu")) as f:
            now = f.read()
        if kept:
            expect("files with different names in each run are not compared", done.returncode == 0 and "tile[33][32 + 1]" in now and
                   "because ./app does not write it in every run" in done.stdout, done.stdout + done.stderr)
        else:
            expect("the copied result is compared", done.returncode == 2 and now == text and "copies different values" in done.stderr,
                   done.stdout + done.stderr)

    # fix is killed while it tries the edit. The next run of fix restores the source.
    at = os.path.join(folder, "killed")
    os.makedirs(at)
    path = os.path.join(at, "k.cu")
    text = SHOWN.replace("SHOW", "").replace("COLUMN", WRONG)
    with open(path, "w") as f:
        f.write(text)
    # While the test build waits, the source contains the edit.
    subprocess.run(["nvcc", "-lineinfo", "-arch=sm_90", "k.cu", "-o", "app"], cwd=at, check=True)
    process = subprocess.Popen([BANKWISE, "fix", "--apply", "--check", "sleep 60", "--", "./app"], cwd=at, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, start_new_session=True)
    for _ in range(600):
        with open(path) as f:
            if f.read() != text:
                break
        time.sleep(0.1)
    os.killpg(process.pid, 9)
    process.wait()
    with open(path) as f:
        expect("the edit was in place", "tile[33][32 + 1]" in f.read())
    done = subprocess.run([BANKWISE, "fix", "--patch", "--", "./app"], cwd=at, capture_output=True, text=True)
    with open(path) as f:
        expect("the next run of fix restores the source", f.read() == text and "bankwise restored" in done.stderr and done.returncode == 2, done.stderr)
    expect("the journal is deleted", not [n for n in os.listdir(at) if n.endswith(".bankwise-edit")])

    # A source outside of the root folder is not edited.
    at, other = os.path.join(folder, "root"), os.path.join(folder, "elsewhere")
    os.makedirs(at)
    os.makedirs(other)
    kernel, main = SHOWN.replace("COLUMN", RIGHT).replace("threadIdx.x + 1", "threadIdx.x").replace("SHOW", "").split("int main")
    with open(os.path.join(other, "k.cuh"), "w") as f:
        f.write(kernel)
    with open(os.path.join(at, "m.cu"), "w") as f:
        f.write(f'#include "{other}/k.cuh"\nint main' + main)
    for words in (["--patch"], ["--apply"], ["--apply", "--root", "."]):
        done = subprocess.run([BANKWISE, "fix", *words, "--", "m.cu"], cwd=at, capture_output=True, text=True)
        with open(os.path.join(other, "k.cuh")) as f:
            expect("a source outside of the root is not edited", done.returncode == 2 and f.read() == kernel and "is outside of" in done.stdout + done.stderr,
                   done.stdout + done.stderr)
    done = subprocess.run([BANKWISE, "fix", "--apply", "--root", folder, "--", "m.cu"], cwd=at, capture_output=True, text=True)
    with open(os.path.join(other, "k.cuh")) as f:
        expect("--root allows the edit", done.returncode == 0 and "tile[33][32 + 1]" in f.read(), done.stdout + done.stderr)

    # Every command shows the suggestion to use other instructions, and the cost that these instructions save.
    at = os.path.join(folder, "moves")
    os.makedirs(at)
    with open(os.path.join(at, "m.cu"), "w") as f:
        f.write(MOVES)
    move = "1 st.b128 instead of 4 st.b32"
    for words in (["run", "--fix", "m.cu"], ["fix", "m.cu"], ["fix", "--patch", "--", "m.cu"], ["run", "m.cu"]):
        done = subprocess.run([BANKWISE, *words], cwd=at, capture_output=True, text=True)
        expect(" ".join(words) + " shows the other instructions", done.returncode == 0 and move in done.stdout + done.stderr,
               done.stdout + done.stderr)
    done = subprocess.run([BANKWISE, "run", "--arch", "sm_80", "--nvcc=-O2", "m.cu"], cwd=at, capture_output=True, text=True)
    expect("the next command has the flags of the run", "bankwise fix --apply --arch=sm_80 --nvcc=-O2 -- m.cu" in done.stdout + done.stderr,
           done.stdout + done.stderr)
    done = subprocess.run([BANKWISE, "run", "--fix", "--format", "json", "-o", "m.json", "m.cu"], cwd=at, capture_output=True, text=True)
    with open(os.path.join(at, "m.json")) as f:
        rows = [row for launch in json.load(f)["launches"] for row in launch.get("other_instructions", [])]
    expect("the JSON has the other instructions", any(row["instead"] == "st.b128" and row["wavefronts"] == 16 and row["wavefronts_instead"] == 4 for row in rows), rows)
    done = subprocess.run([BANKWISE, "report", "m.json"], cwd=at, capture_output=True, text=True)
    expect("a saved report has the other instructions", move in done.stdout, done.stdout + done.stderr)
    is_qualified(at, "m.cu", [False, True])
    done = subprocess.run([BANKWISE, "fix", "--apply", "--", "m.cu"], cwd=at, capture_output=True, text=True)
    expect("the saving of an edit is shown next to the table", done.returncode == 0 and
           "\nturn: the edit saves " in done.stdout and move in done.stdout,
           done.stdout + done.stderr)
    expect("an edit that saves no time says so", "this edit saves under 1% of this kernel's time" in done.stdout, done.stdout)

    # The report suggests padding for dynamic memory, but padding needs a larger array at the launch. So the edit uses a
    # swizzle instead, and bankwise prints the reason.
    with open(os.path.join(at, "d.cu"), "w") as f:
        f.write(DYNAMIC)
    is_qualified(at, "d.cu", [True])
    done = subprocess.run([BANKWISE, "fix", "--apply", "--", "d.cu"], cwd=at, capture_output=True, text=True)
    expect("why it is not the first answer", done.returncode == 0 and
           "for reduce, the first layout of the report is 4 free bytes after every 128 bytes. The edit does not use this layout, because fix cannot make this edit: the launch sets the size of s" in done.stdout,
           done.stdout + done.stderr)

    # An edit that saves wavefronts but takes longer is not kept. Another edit of the source is tried by itself, and kept.
    path = os.path.join(at, "slower.cu")
    for launch, kept in (("", False), ("turn<<<1, dim3(32, 32)>>>(f + 1024, f);", True)):
        text = SLOWER.replace("LAUNCH", launch)
        with open(path, "w") as f:
            f.write(text)
        done = subprocess.run([BANKWISE, "fix", "--apply", "--", "slower.cu"], cwd=at, capture_output=True, text=True)
        said = done.stdout + done.stderr
        with open(path) as f:
            now = f.read()
        expect("a slower edit is not kept", done.returncode == (0 if kept else 2) and "the edit saves wavefronts but no time" in said and
               "times as slow" in said and now == (text.replace("tile[32][32];", "tile[32][32 + 1];") if kept else text), said)
        expect("the other edit is kept", ("Not kept: unsigned short A[3072]: " in done.stdout) == kept, said)

    # Two instances of a template need different layouts, but get one edit.
    with open(os.path.join(at, "t.cu"), "w") as f:
        f.write(TWO)
    done = subprocess.run([BANKWISE, "fix", "--apply", "--", "t.cu"], cwd=at, capture_output=True, text=True)
    expect("one edit changes several uses", done.returncode == 0 and "one edit changes 2 uses of this declaration" in done.stdout,
           done.stdout + done.stderr)

    # The file that bankwise prints to is not an output of the program.
    with open(os.path.join(at, "o.cu"), "w") as f:
        f.write(TWO)
    with open(os.path.join(at, "log"), "w") as log:
        done = subprocess.run([BANKWISE, "fix", "--apply", "--", "o.cu"], cwd=at, stdout=log, stderr=log)
    with open(os.path.join(at, "log")) as log:
        expect("the output of bankwise may go to a file of the folder", done.returncode == 0, log.read())

    # Tests names of files and arrays that are not ASCII.
    at = os.path.join(folder, "na\u00efve")
    os.makedirs(at)
    with open(os.path.join(at, "\u00e9.cu"), "w") as f:
        f.write(kernel + "int main" + main)
    done = subprocess.run([BANKWISE, "fix", "--patch", "--", "\u00e9.cu"], cwd=at, capture_output=True, text=True)
    expect("a name that is not ASCII", done.returncode == 0 and "+++ b/\u00e9.cu" in done.stdout, done.stdout + done.stderr)

sys.exit(1 if wrong else 0)
