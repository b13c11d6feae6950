"""A hostile trial of fix --apply: random programs whose result depends on the positions of an array's elements.
    fix_trial.py BANKWISE [--seeds FIRST COUNT] [--keep FOLDER]
An edit that is kept must not change any result, and must take no more wavefronts than predicted. If it is kept without
a line to check, this also holds for other inputs than the tried one. An edit that is undone leaves no trace.
"""
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

BANKWISE = os.path.abspath(sys.argv[1])
words = sys.argv[2:]
FIRST, COUNT = (int(words[words.index("--seeds") + 1]), int(words[words.index("--seeds") + 2])) if "--seeds" in words else (1, 6)
KEEP = words[words.index("--keep") + 1] if "--keep" in words else None
NVCC = shutil.which("nvcc") or os.path.join(os.environ.get("CUDA_HOME", "/usr/local/cuda"), "bin/nvcc")
if not os.path.exists(NVCC):
    print("skipped: nvcc is not installed")
    sys.exit(77)
os.environ["PATH"] += os.pathsep + os.path.dirname(NVCC)
INPUTS = ("0", "5", "-3", "7")  # fix runs the program with the first input

HEAD = """#include <cstdio>
#include <cstdlib>
#include <cuda_pipeline.h>
#define NEXT c++
#define COL tx & 31
struct line { float v[32]; };
__device__ float in_row(const float* row, int x) { return row[x]; }
__device__ float in_rows(float (*rows)[32], int y, int x) { return rows[y][x]; }
__device__ float in_array(float rows[32][32], int y, int x) { return rows[y][x]; }
template <int H, int W> __device__ float in_any(const float (&rows)[H][W], int y, int x) { return rows[y][x]; }
__device__ float behind(const float& e, int x) { return (&e)[x]; }
__device__ float value(const float& e) { return e; }
__device__ void one_up(float* p) { *p += 1; }
__device__ float by_address(unsigned a) {
  float v;
  asm volatile("ld.shared.f32 %0, [%1];" : "=f"(v) : "r"(a) : "memory");
  return v;
}
"""

# Contains the declaration of the rows, the code that fills all elements (i is 0 to 1023), and the spelling of the
# element at (y, x).
ARRAYS = {
    "rows": ("__shared__ float tile[32][32];", "tile[{y}][{x}]"),
    "padded": ("__shared__ float tile[32][32 + 4];", "tile[{y}][{x}]"),
    "flat": ("__shared__ float tile[1024];", "tile[({y}) * 32 + ({x})]"),
    "dynamic": ("extern __shared__ float tile[];", "tile[({y}) * 32 + ({x})]"),
    "structs": ("__shared__ line tile[32];", "tile[{y}].v[{x}]"),
    "union": ("__shared__ union {{ float tile[32][32]; float other[1024]; }} u;", "u.tile[{y}][{x}]"),
    "deep": ("__shared__ float tile[2][16][32];", "tile[({y}) / 16][({y}) % 16][{x}]"),
    "template": ("__shared__ float tile[W][W];", "tile[({y}) % W][({x}) % W]"),
}
# The first list has reads that are correct with any layout. The second list has reads that are wrong with some layouts.
# {k} is 0 to 1023.
PLAIN = ["{e}", "value({e})", "*&{e}", "({e} + {f})", "(tx < 16 ? {e} : {f})"]
ANY = ["(&{o})[{k}]", "*(&{o} + ({k}))", "((float*)&{o})[{k}]", "behind({o}, {k})",
       "by_address((unsigned)__cvta_generic_to_shared(&{o}) + 4 * ({k}))",
       "by_address((unsigned)__cvta_generic_to_shared(&{e}))", "((volatile float*)&{o})[{k}]",
       "(n > 2 ? reinterpret_cast<float4*>(&{o})[tx].y : {e})"]
ROWS = ["tile[0][{k}]", "tile[(tx + 1) % 31 + 1][j - 32]", "in_row(tile[tx], j)", "in_rows(tile, tx, j)", "in_any(tile, tx, j)",
        "in_array(tile, tx, j)", "in_array(tile, 0, {k})", "AT(tx, j)", "tile[tx][COL]", "tile[tx][31 - (COL)]",
        "(&tile[0][0])[tx * (sizeof(tile[0]) / 4) + j]", "tile[tx % 31 + 1][(j + n) % 32]", "tile[tx % 31][j + (n > 2 ? n : 0)]",
        "tile[tx][c]", "tile[NEXT % 32][j]", "tile[tx / 2][n == 5 ? 32 + j : j]", "tile[(j, tx)][j]", "((float*)tile)[{k}]",
        "tile[tx][threadIdx.x < 16 ? threadIdx.x + 16 : threadIdx.x - 16]"]
FLAT = ["tile[NEXT % 1024]", "(tile + ({k}))[0]", "tile[(n, {k})]", "view[({k}) % 512]"]


def kernel(r, name):
    kind = r.choice(list(ARRAYS))
    declared, spelled = ARRAYS[kind]
    own_rows = kind in ("rows", "padded", "template")

    def element(y, x):
        return spelled.format(y=y, x=x)

    def read():
        k = r.choice(["tx * 32 + j", "j * 32 + tx", "(tx * 32 + j + n) & 1023", "1023 - tx * 32"])
        forms = PLAIN * 2
        if r.random() < 0.5:
            forms = ANY if kind != "template" else PLAIN
            if kind == "rows" and r.random() < 0.7:
                forms = ROWS
            elif kind in ("flat", "dynamic") and r.random() < 0.5:
                forms = FLAT
            elif kind == "union" and r.random() < 0.4:
                forms = ["u.other[{k}]"]
        form = r.choice(forms)
        return form.format(e=element("tx", "j"), f=element("31 - tx", "j"), o=element("0", "0"), k=k)

    template = "template <int W> " if kind == "template" else ""
    text = f"{template}__global__ void {name}(float* out, const float* in, int n) {{\n  {declared.replace('{{', '{').replace('}}', '}')}\n"
    text += "  const int tx = threadIdx.x;\n  int c = threadIdx.x;\n"
    if kind == "dynamic":
        text += "  const float* view = tile + 512;\n"
    if kind == "flat":
        text += "  const float* view = &tile[512];\n"
    fill = r.random()
    if kind == "rows" and fill < 0.2:
        text += "  for (int i = threadIdx.y * 32 + tx; i < 1024; i += 256) tile[0][i] = in[i];\n"
    elif kind == "rows" and fill < 0.4:
        text += ("  for (int i = threadIdx.y * 32 + tx; i < 256; i += 256)\n"
                 "    __pipeline_memcpy_async(&tile[i / 8][i % 8 * 4], in + i * 4, 16);\n"
                 "  __pipeline_commit();\n  __pipeline_wait_prior(0);\n")
    else:
        text += f"  for (int j = threadIdx.y; j < 32; j += 8) {element('j', 'tx')} = in[j * 32 + tx];\n"
    text += "  __syncthreads();\n"
    if r.random() < 0.3:
        store = r.choice(["atomicAdd(&{e}, 1.f);", "one_up(&{e});", "{e} += n;", "atomicAdd(&{o} + tx * 32 + j, 1.f);"])
        text += "  if (threadIdx.y == 0)\n    for (int j = 0; j < 32; ++j) " + store.format(e=element("tx", "j"), o=element("0", "0")) + "\n"
        text += "  __syncthreads();\n"
    text += "  float sum = 0;\n  for (int j = threadIdx.y; j < 32; j += 8) {\n"
    for _ in range(r.randint(1, 3)):
        text += f"    sum = sum * 3 + {read()};\n"
    text += f"    out[j * 32 + tx] = sum + {element('tx', 'j')};\n  }}\n"
    if own_rows and kind == "rows" and r.random() < 0.2:
        text += "  __syncthreads();\n  for (int i = threadIdx.y * 32 + tx; i < 1024; i += 256) out[i] += (&tile[0][0])[i] * i;\n"
    text += "}\n"
    shared = ", 4096" if kind == "dynamic" else ""
    if kind == "template":
        launch = f"n == 5 ? {name}<16><<<1, dim3(32, 8)>>>(out, in, n) : {name}<32><<<1, dim3(32, 8)>>>(out, in, n);"
    else:
        launch = f"{name}<<<1, dim3(32, 8){shared}>>>(out, in, n);"
    return text, launch


def program(seed):
    r = random.Random(seed)
    kernels = [kernel(r, f"k{i}") for i in range(r.randint(1, 2))]
    text = "".join(k[0] for k in kernels)
    at = "#define AT(y, x) tile[y][x]\n" if "AT(" in text else ""
    text = HEAD.replace("struct line", at + "struct line") + text
    text += "int main(int argc, char** argv) {\n  const int n = argc > 1 ? atoi(argv[1]) : 0;\n  float *in, *out, h[1024];\n"
    text += "  cudaMalloc(&in, 4096);\n  cudaMalloc(&out, 4096);\n  for (int i = 0; i < 1024; ++i) h[i] = i * 7919 % 1009;\n"
    text += "  cudaMemcpy(in, h, 4096, cudaMemcpyHostToDevice);\n  double sum = 0;\n"
    for _, launch in kernels:
        text += f"  cudaMemset(out, 0, 4096);\n  {launch}\n  cudaMemcpy(h, out, 4096, cudaMemcpyDeviceToHost);\n"
        text += "  for (int i = 0; i < 1024; ++i) sum += h[i] * (i % 37 + 1);\n"
    shows = r.choice(['std::printf("sum %.9g\\n", sum);', 'if (std::getenv("SHOW_SUM")) std::printf("sum %.9g\\n", sum);',
                      'std::fprintf(stderr, "sum %.9g\\n", sum);'])
    return text + f"  {shows}\n  return cudaDeviceSynchronize() != cudaSuccess;\n}}\n"


def result(folder, source, argument):
    """The exit status of the program, its output, and its wavefronts."""
    app = source.replace(".cu", "")
    if not os.path.exists(os.path.join(folder, app)):
        subprocess.run(["nvcc", "-lineinfo", "-arch=sm_90", "-cudart", "shared", "-w", source, "-o", app], cwd=folder, check=True)
    done = subprocess.run([BANKWISE, "run", "--format", "json", "-o", app + ".json", "./" + app, argument], cwd=folder,
                          capture_output=True, text=True, env={**os.environ, "SHOW_SUM": "1"}, timeout=300)
    sums = [line for line in (done.stdout + done.stderr).splitlines() if line.startswith("sum ")]
    waves = 0
    if os.path.exists(os.path.join(folder, app + ".json")):
        with open(os.path.join(folder, app + ".json")) as f:
            for launch in json.load(f)["launches"]:
                waves += sum(s["wavefronts"] for s in launch["sites"]) * launch.get("count", 1)
    return (done.returncode, sums), waves


def number(cell):
    return int(re.sub(r"\D", "", cell)) if re.search(r"\d", cell) else 0


def trial(seed, folder):
    """"" and what happened to the edit, or the error."""
    text = program(seed)
    path = os.path.join(folder, "k.cu")
    for name in ("k.cu", "before.cu"):
        with open(os.path.join(folder, name), "w") as f:
            f.write(text)
    done = subprocess.run([BANKWISE, "fix", "--apply", "--", "k.cu"], cwd=folder, capture_output=True, text=True, timeout=600)
    said = done.stdout + done.stderr
    with open(path) as f:
        after = f.read()
    left = [n for n in os.listdir(folder) if n not in ("k.cu", "before.cu")]
    if left:
        return f"files are left: {left}\n{said}", ""
    if done.returncode not in (0, 2):
        return f"exit status {done.returncode}\n{said}", ""
    if "internal error" in said or "error detected in the compilation of" in said and after == text and "bankwise restored the sources" not in said:
        return said, ""  # the test has an error, or the program does not exist
    if after == text:
        return ("" if done.returncode == 2 or "worth an edit" in said else f"kept, and nothing changed\n{said}"), \
            said.strip().splitlines()[-1] if done.returncode == 2 else "nothing to do"
    if done.returncode != 0:
        return f"refused, and the source is another\n{said}", ""
    shutil.copy(path, os.path.join(folder, "after.cu"))
    # Other input may need the barriers that an edit removes, and is rounded differently with floats.
    sure = not any(doubt in said for doubt in ("   look at: ", "   note: with other input", "   note: floats are rounded"))
    for argument in INPUTS if sure else INPUTS[:1]:
        was, waves_before = result(folder, "before.cu", argument)
        now, waves = result(folder, "after.cu", argument)
        if was[0] == 2 and argument != INPUTS[0]:
            continue  # the original program already fails
        if was != now:
            return f"with n = {argument}: {was} was, {now} is\n{said}", ""
        if argument == INPUTS[0]:
            rows = [line.split("  ") for line in said.splitlines()]
            table = [[c.strip() for c in row if c.strip()] for row in rows]
            table = [row for row in table if len(row) == 4 and re.fullmatch(r"[\d,]+", row[1])]
            if not table and ": predicted to take " not in said:  # edits of delays promise no wavefronts
                return f"no table\n{said}", ""
            for name, before, promised, took in table:
                most = number(promised.split("to")[-1])
                if number(took) > most + most // 100 or number(took) >= number(before):
                    return f"{name}: {took} wavefronts, {promised} were promised\n{said}", ""
            saved = sum(number(row[1]) - number(row[3]) for row in table)
            if waves_before - waves != saved:
                return f"{waves_before} wavefronts before and {waves} after, but fix reports {saved} saved\n{said}", ""
    return "", "kept" if sure else "kept, to be looked at"


wrong = 0
became = {}
for seed in range(FIRST, FIRST + COUNT):
    with tempfile.TemporaryDirectory() as folder:
        problem, what = trial(seed, folder)
        if problem:
            wrong += 1
            if KEEP:
                shutil.copytree(folder, os.path.join(KEEP, str(seed)), dirs_exist_ok=True)
        print(f"seed {seed}: {problem or what}", flush=True)
        became[what] = became.get(what, 0) + 1
print(f"{COUNT} programs, {became.get('kept', 0)} edits kept, {became.get('kept, to be looked at', 0)} kept to be looked at, {wrong} wrong")
sys.exit(1 if wrong else 0)
