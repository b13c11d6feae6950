#!/usr/bin/python3
"""Instances of a kernel template have names, budgets and comparisons of their own: instances.py BANKWISE."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

TOOL = str(pathlib.Path(sys.argv[1]).resolve())
os.environ["PATH"] += ":/usr/local/cuda/bin"
if shutil.which("nvcc") is None or shutil.which("g++") is None:
    print("skipped: nvcc is not installed")
    sys.exit(77)

# Three instances that load a tile by rows or columns, and one whose pointer argument looks like a pattern. SLOW makes
# only the instance with the smallest cost slower. FAULT lets the second launch read past its buffer.
PROGRAM = r"""
#include <cuda_fp16.h>
#include <cstdio>
#include <cstdlib>
namespace app {
template <int Rows, int Pad, class T>
__global__ void copy(T* out, const T* in, int repeat) {
  __shared__ T tile[32][32 + Pad];
  for (int r = 0; r < Rows; ++r) tile[r][threadIdx.x] = in[r * 32 + threadIdx.x];
  __syncthreads();
  T sum = T(0);
  for (int k = 0; k < repeat; ++k)
    for (int r = 0; r < Rows; ++r) sum = sum + tile[threadIdx.x % Rows][(r + k) % 32];
  out[threadIdx.x] = sum;
}
template <class T>
__global__ void touch(float* out) { out[threadIdx.x] = static_cast<float>(sizeof(T)); }
}  // namespace app
int main() {
  float *f, *g;
  __half *h, *i;
  cudaMalloc(&f, 4096); cudaMalloc(&g, 4096); cudaMalloc(&h, 4096); cudaMalloc(&i, 4096);
  int slow = 2;
#ifdef SLOW
  slow = 12;
#endif
  app::copy<32, 0, float><<<1, 32>>>(f, g, 60);
#ifdef FAULT
  g = nullptr;
#endif
  app::copy<32, 1, float><<<1, 32>>>(f, g, 20);
#ifdef EXITS
  return 3;
#endif
  app::copy<8, 1, __half><<<1, 32>>>(h, i, slow);
  app::touch<float*><<<1, 32>>>(f);
  app::touch<float><<<1, 32>>>(f);
#ifdef ABORTS
  cudaDeviceSynchronize();
  abort();
#endif
  return cudaDeviceSynchronize() != cudaSuccess;
}
"""
# Names of every kind: lambdas, unnamed namespaces, values, long types, packs, operators, overloads, extern "C".
NAMED = r"""
namespace { struct hidden { int x; }; enum class mode { a, b }; }
namespace deep { namespace er {
template <class T, int N> struct tile { T v[N]; };
template <class A, class B, class C> struct policy { A a; B b; C c; };
} }
__host__ __device__ bool operator<(hidden a, hidden b) { return a.x < b.x; }
template <class F> __global__ void apply(F f, int* p) { p[threadIdx.x] = f(threadIdx.x); }
template <class T> __global__ void of_hidden(T t, int* p) { p[threadIdx.x] = t.x; }
template <auto V> __global__ void value(int* p) { p[threadIdx.x] = int(V); }
template <class P> __global__ void type(int* p) { p[threadIdx.x] = sizeof(P); }
template <class... T> __global__ void pack(int* p) { p[threadIdx.x] = sizeof...(T); }
template <bool (*F)(hidden, hidden)> __global__ void function(int* p) { p[threadIdx.x] = F({1}, {2}); }
extern "C" __global__ void plain(int* p) { p[0] = 1; }
namespace a { __global__ void same(int* p) { p[0] = 1; } }
namespace b { __global__ void same(int* p) { p[0] = 1; } }
__global__ void over(int* p) { p[0] = 1; }
__global__ void over(int* p, int q) { p[0] = q; }
template <class T> void go(int* p) { apply<<<1, 32>>>([] __device__(int i) { return i + (int)sizeof(T); }, p); }
using namespace deep::er;
template <int N> using long_type = policy<tile<float, 128>, tile<double, 64>, policy<tile<int, 1>, tile<int, 2>, tile<unsigned char, N>>>;
int main() {
  int* p;
  cudaMalloc(&p, 4096);
  go<int>(p); go<char>(p);
  apply<<<1, 32>>>([] __device__(int i) { return i * 2; }, p); apply<<<1, 32>>>([] __device__(int i) { return i * 3; }, p);
  of_hidden<<<1, 32>>>(hidden{1}, p);
  value<mode::a><<<1, 32>>>(p); value<mode::b><<<1, 32>>>(p); value<3><<<1, 32>>>(p); value<3u><<<1, 32>>>(p);
  value<'c'><<<1, 32>>>(p); value<true><<<1, 32>>>(p); value<-7LL><<<1, 32>>>(p);
  type<long_type<3>><<<1, 32>>>(p); type<long_type<4>><<<1, 32>>>(p);
  pack<int, float*, const char*><<<1, 32>>>(p); pack<><<<1, 32>>>(p);
  function<(&operator<)><<<1, 32>>>(p);
  plain<<<1, 32>>>(p); a::same<<<1, 32>>>(p); b::same<<<1, 32>>>(p); over<<<1, 32>>>(p); over<<<1, 32>>>(p, 1);
  return cudaDeviceSynchronize() != cudaSuccess;
}
"""
NAMES = ["copy<32, 0, float>", "copy<32, 1, float>", "copy<8, 1, half>", "touch<float*>", "touch<float>"]
wrong = []


def expect(what, is_so, *says):
    if not is_so:
        wrong.append(what)
        print("FAIL:", what, *says)


def run(*words, status=0):
    done = subprocess.run([TOOL, *words], capture_output=True, text=True)
    if status is not None:
        expect(f"{' '.join(words)} exits with {status}", done.returncode == status, done.returncode, done.stdout, done.stderr)
    return done.stdout + done.stderr


def compile_as(name, *flags):
    subprocess.run(["nvcc", "-arch=sm_90", "-lineinfo", "-cudart", "shared", *flags, "app.cu", "-o", name], check=True)


def budgets_of(text):
    """The budgets of a bankwise.toml: the kernel, and the text of the table."""
    return [re.search(r"kernel = (['\"])(.*?)\1", table)[2].replace("\\\\", "\\") + "\n" + table
            for table in text.split("[[run.budget]]")[1:]]


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    pathlib.Path("app.cu").write_text(PROGRAM)
    for name, flags in {"app": [], "slow": ["-DSLOW"], "fault": ["-DFAULT"], "exits": ["-DEXITS"],
                        "aborts": ["-DABORTS"]}.items():
        compile_as(name, *flags)

    # --- names
    run("run", "--format", "json", "-o", "a.json", "./app")
    report = json.load(open("a.json"))
    expect("the report has the short names", [l["instance"] for l in report["launches"]] == NAMES,
           [l["instance"] for l in report["launches"]])
    expect("the old keys stay", report["launches"][0]["name"] == "copy" and
           report["launches"][2]["kernel"].startswith("void app::copy<8, 1, __half>("))
    text, markdown = run("report", "--all", "a.json"), run("report", "a.json", "--format", "markdown")
    for name in NAMES:
        expect(f"{name} is a headline", f"\n{name}\n" in text)
        expect(f"{name} is in the table of launches", f"| `{name}` |" in markdown)
    for asked in ["copy<8, 1, half>", "copy<8,1,half>", "app::copy<8, 1, __half>", "copy<8, ...>"]:
        run("run", "-k", asked, "--format", "json", "-o", "one.json", "./app")
        expect(f"-k {asked} selects one instance",
               [l["instance"] for l in json.load(open("one.json"))["launches"]] == ["copy<8, 1, half>"])
    run("run", "-k", "copy", "--format", "json", "-o", "three.json", "./app")
    expect("-k with the bare name selects all", len(json.load(open("three.json"))["launches"]) == 3)

    # --- budgets
    run("init", "./app")
    toml = pathlib.Path("bankwise.toml").read_text()
    tables = budgets_of(toml)
    expect("each instance has a budget", [t.split("\n")[0].replace("\\*", "*") for t in tables] == NAMES, toml)
    expect("each budget has a time", all(re.search(r"^microseconds = [0-9.]+$", t, re.M) for t in tables), toml)
    run("check")
    shutil.copy("slow", "app")
    said = run("check", status=1)
    expect("the slower instance is named", re.search(r"BW201: copy<8, 1, half>: .*us \(predicted\)", said), said)
    expect("no other instance is named", said.count("BW201") == 1, said)
    compile_as("app")
    # A budget of a pointer is not one of its base. Each of these limits is too low for one instance only.
    for name in NAMES:
        pathlib.Path("b.toml").write_text(f"[[budget]]\nkernel = '{name}'\nmicroseconds = 0.001\n")
        said = run("check", "--config", "b.toml", "--fail-on", "budget", "a.json", status=1)
        expect(f"the budget of {name} is for it alone", re.findall(r"BW201: (.*?): ", said) == [name], said)
    pathlib.Path("b.toml").write_text("[[budget]]\nkernel = 'copy'\nmicroseconds = 0.001\n")
    said = run("check", "--config", "b.toml", "--fail-on", "budget", "a.json", status=1)
    expect("a budget of the bare name is for all", said.count("BW201") == 3, said)
    pathlib.Path("b.toml").write_text("[[budget]]\nkernel = 'copy<64, 1, half>'\nmicroseconds = 1\n")
    expect("a budget for no instance fails", "BW202" in run("check", "--config", "b.toml", "--fail-on", "budget", "a.json", status=1))
    # The unit stays, and a budget of the bare name from an older version also gets budgets of its instances.
    unit = re.sub(r"(kernel = \"copy<32, 0, float>\"\n(?:.*\n)*?)microseconds = .*", r"\1elapsed-cycles = 1", toml, count=1)
    pathlib.Path("bankwise.toml").write_text(unit)
    run("check", status=1)
    run("init", "./app")
    after = pathlib.Path("bankwise.toml").read_text()
    table = [t for t in budgets_of(after) if t.startswith("copy<32, 0")][0]
    expect("the unit of a budget stays", re.search(r"elapsed-cycles = \d{3,}", table) and "microseconds" not in table, after)
    run("check")
    one = toml[:toml.index("[[run.budget]]")] + "[[run.budget]]\nkernel = \"copy\"\nwavefronts = 1\n"
    pathlib.Path("bankwise.toml").write_text(one)
    run("init", "./app")
    expect("an old budget of the bare name hides no instance", len(budgets_of(pathlib.Path("bankwise.toml").read_text())) == 6)
    shutil.copy("slow", "app")
    expect("the slower instance still fails", "copy<8, 1, half>" in run("check", status=1))
    compile_as("app")

    # --- differences
    run("run", "--format", "json", "-o", "b.json", "./slow")
    said = run("diff", "a.json", "b.json")
    blocks = re.split(r"\n\n", said)
    for name in NAMES:
        block = [b for b in blocks if b.startswith(name + "\n")]
        expect(f"{name} is compared with itself", len(block) == 1 and "only in" not in block[0], said)
        expect(f"{name} is {'slower' if 'half' in name else 'the same'}",
               len(block) == 1 and ("times as slow" in block[0] or "slower" in block[0]) == ("half" in name), said)
    two = json.load(open("a.json"))
    two["launches"] = two["launches"][:2]
    json.dump(two, open("two.json", "w"))
    two["launches"][1]["kernel"] = two["launches"][1]["kernel"].replace("<32, 1", "<16, 1")
    two["launches"][1]["mangled"] = two["launches"][1]["mangled"].replace("Li1E", "Li9E")
    json.dump(two, open("other.json", "w"))
    said = run("diff", "two.json", "other.json")
    expect("other instances are not compared with each other",
           "copy<16, 1, float>  (only in B)" in said and "copy<32, 1, float>  (only in A)" in said, said)
    expect("the comment has the short names", "copy<8, 1, half>" in run("diff", "--format", "markdown", "a.json", "b.json"))

    # --- failures
    for name, place in {"fault": "app.cu:", "exits": "exited with 3", "aborts": "SIGABRT|signal 6"}.items():
        run("run", "--format", "json", "-o", name + ".json", "./" + name, status=2)
        for form in ["text", "json", "csv", "markdown", "html"]:
            done = subprocess.run([TOOL, "diff", "--format", form, "-o", "out", "a.json", name + ".json"],
                                  capture_output=True, text=True)
            said = pathlib.Path("out").read_text() + done.stderr
            expect(f"diff with {name} as {form} exits with 2", done.returncode == 2, done.returncode)
            expect(f"diff with {name} as {form} says where", re.search(place, said), said if form != "html" else "")
            expect(f"diff with {name} as {form} promises nothing", form == "html" or "times as fast" not in said, said)
        said = run("diff", "a.json", name + ".json", status=2)
        lost = {"fault": "copy<32, 1, float>: 1 launch in A; 1 launch in B, which was stopped",
                "exits": "copy<8, 1, half>: 1 launch in A; no launch in B", "aborts": "touch<float>: 1 launch in A; "}[name]
        expect(f"{name}: what did not run to its end is not compared",
               lost in said and f"\n{lost[:lost.index(':')]}\n" not in said, said)
        expect(f"{name}: what ran to its end is compared", "\ncopy<32, 0, float>\n" in said, said)
        run("diff", name + ".json", "a.json", status=2)

    # --- names of every kind
    pathlib.Path("named.cu").write_text(NAMED)
    subprocess.run(["nvcc", "-std=c++20", "--extended-lambda", "-arch=sm_90", "-lineinfo", "-cudart", "shared", "named.cu", "-o", "named"],
                   check=True)
    pathlib.Path("bankwise.toml").unlink()
    run("init", "./named")
    run("run", "--format", "json", "-o", "named.json", "./named")
    names = [l["instance"] for l in json.load(open("named.json"))["launches"]]
    tables = [t.split("\n")[0].replace("\\*", "*") for t in budgets_of(pathlib.Path("bankwise.toml").read_text())]
    expect("each kernel has a name of its own", len(set(names)) == len(names) == 22, names)
    expect("each name has a budget", sorted(tables) == sorted(names), set(tables) ^ set(names))
    expect("the names are short", max(map(len, names)) < 100 and {"apply<lambda#1>", "value<3u>", "a::same", "over(int*)"} < set(names), names)
    run("check")
    for name in names:
        pathlib.Path("b.toml").write_text(f"[[budget]]\nkernel = '{name}'\nmicroseconds = 0.001\n")
        said = run("check", "--config", "b.toml", "--fail-on", "budget", "named.json", status=1)
        expect(f"the budget of {name} is for it alone", re.findall(r"BW201: (.*?): \d", said) == [name], said)
    said = run("diff", "named.json", "named.json")
    expect("each kernel is compared with itself", all(said.count(f"\n{name}\n") + said.startswith(f"{name}\n") == 1 for name in names) and
           "only in" not in said and said.rstrip().splitlines()[-1].startswith("nothing changed"), said)

if wrong:
    sys.exit(1)
print("instances have names, budgets and comparisons of their own")
