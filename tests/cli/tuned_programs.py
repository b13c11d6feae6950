"""`bankwise tune` with nvcc: kernels and programs that are compiled for each configuration, builds, an interrupted search that
continues, and what the cache has.
    tuned_programs.py BANKWISE SOURCE_DIR
Exits with 77 if nvcc is not installed.
"""
import csv
import io
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

BANKWISE, SOURCE = (pathlib.Path(a).resolve() for a in sys.argv[1:3])
NVCC = shutil.which("nvcc") or os.path.join(os.environ.get("CUDA_HOME", "/usr/local/cuda"), "bin/nvcc")
if not os.path.exists(NVCC):
    print("skipped: nvcc is not installed")
    sys.exit(77)
os.environ["PATH"] += os.pathsep + os.path.dirname(NVCC)
PATIENCE = 120  # seconds; enough for a slow machine
GEMM = [SOURCE / "examples/tune/gemm.cu", "-k", "gemm", "--let", "N=128", "--grid", "N/TILE,N/TILE", "--block", "TILE/WORK,TILE/WORK",
        "--arg", "out:f32[N*N]", "--arg", "f32[N*N]=random:1", "--arg", "f32[N*N]=random:2", "--arg", "i32=N"]
# A program whose result depends on WRONG, and whose conflicts depend on PAD.
PROGRAM = r"""
#include <cstdio>
#include <cstdlib>
#include "sizes.h"
__global__ void turn(float* out) {
  __shared__ float tile[SIDE][SIDE + PAD];
  tile[threadIdx.y][threadIdx.x] = threadIdx.y * SIDE + threadIdx.x;
  __syncthreads();
  out[threadIdx.y * SIDE + threadIdx.x] = tile[threadIdx.x][threadIdx.y] + WRONG;
}
int main(int argc, char** argv) {
  float* out;
  cudaMallocManaged(&out, SIDE * SIDE * sizeof(float));
  const int launches = argc > 1 ? atoi(argv[1]) : 1;
  for (int i = 0; i < launches; ++i) turn<<<1, dim3(SIDE, SIDE)>>>(out);
  if (cudaDeviceSynchronize() != cudaSuccess) return 3;
  std::printf("%g %g, time %d ms\n", out[1], out[SIDE], PAD);
  return argc > 2 ? atoi(argv[2]) : 0;
}
"""
wrong = []


def expect(what, is_so, says=""):
    if not is_so:
        wrong.append(what)
        print(f"FAIL: {what}\n{says}")


class Folder:
    """A scratch folder with its own cache."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.environment = {**os.environ, "XDG_CACHE_HOME": str(self.path / "cache"), "TMPDIR": str(self.path), "NO_COLOR": "1"}

    def start(self, *words):
        return subprocess.Popen([BANKWISE, "tune", *map(str, words)], cwd=self.path, env=self.environment, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def tune(self, *words):
        process = self.start(*words)
        said, told = process.communicate()
        return process.returncode, said, told

    def rows(self, *words):
        """The rows of a search: outcome and reason by values, and the ranking."""
        status, said, told = self.tune("--format", "json", *words)
        if status not in (0, 2) or not said:
            expect(f"tune {words} prints JSON", False, told)
            return {}, []
        found = json.loads(said)
        rows = {tuple(c["values"].values()): c for c in found["configurations"]}
        ranking = found["rankings"][0]["order"]
        values = [tuple(c["values"].values()) for c in found["configurations"]]
        indices = [c["index"] for c in found["configurations"]]
        return rows, [values[indices.index(i)] for i in ranking]

    def kept(self):
        """The entries of the cache. One that is written again has another stamp."""
        files = (self.path / "cache/bankwise/tune/entries").glob("*")
        return {(f.name, s.st_ino, s.st_mtime_ns) for f, s in ((f, f.stat()) for f in files)}


def test_kernel(folder):
    """A space of 2 x 3: one row does not compile, and the others are ranked."""
    space = ["-D", "WORK=2,4", "-D", "TILE=16,32,128", *GEMM]
    rows, ranking = folder.rows(*space)
    expect("six configurations", len(rows) == 6, rows)
    bad = rows.get(("2", "128"), {})
    expect("128 x 128 with 4096 threads does not compile", bad.get("outcome") == "not_compiled", bad)
    expect("the reason is the compiler's", "a block has at most 1024 threads" in bad.get("reason", ""), bad)
    expect("five are ranked", len(ranking) == 5, ranking)
    expect("registers differ", len({r["registers"] for r in rows.values() if "registers" in r}) > 1, rows)
    before = folder.kept()
    again, same = folder.rows(*space)
    expect("the second search is equal", again == rows and same == ranking, again)
    expect("the second search predicts nothing", folder.kept() == before)
    # The second search shows what the cache has.
    entries = [f for f in (folder.path / "cache/bankwise/tune/entries").glob("*") if '"registers":' in f.read_text()]
    for f in entries:
        f.write_text(json.dumps(json.loads(f.read_text()) | {"registers": 77}))
    again, _ = folder.rows(*space)
    expect("changed entries are shown", len(entries) == 5 and all(r["registers"] == 77 for r in again.values() if "registers" in r), again)
    (folder.path / "cache/bankwise/tune/entries").rename(folder.path / "changed")
    # What the rows say is what `run` says.
    status = subprocess.run([BANKWISE, "run", "--format", "json", "-o", folder.path / "run.json", *map(str, GEMM[:3]), "--grid", "4,4",
                             "--block", "8,8", "--arg", "out:f32[128*128]", "--arg", "f32[128*128]=random:1", "--arg",
                             "f32[128*128]=random:2", "--arg", "i32=128", "--nvcc", "-DTILE=32", "-DWORK=4"], cwd=folder.path,
                            env=folder.environment, stderr=subprocess.DEVNULL).returncode
    launch = json.load(open(folder.path / "run.json"))["launches"][0] if status == 0 else {}
    row = rows.get(("4", "32"), {})
    expect("tune predicts what run predicts", status == 0 and row["times"][0]["microseconds"] == launch["time"]["microseconds"] and
           row["wavefronts"] == launch["totals"]["wavefronts"] and row["registers"] == launch["registers"], row)


def test_flags(folder):
    """Flags of the compiler as a dimension."""
    rows, ranking = folder.rows("--flags", "-maxrregcount=32|-O1 -DDEPTH=16|", "-D", "TILE=32", "-D", "WORK=4", *GEMM)
    expect("three sets of flags", len(ranking) == 3, rows)
    registers = {values[2]: row.get("registers", 0) for values, row in rows.items()}
    expect("the flag limits registers", registers.get("-maxrregcount=32", 99) < registers.get("", 0), rows)
    expect("the flags set a macro", rows.get(("32", "4", "-O1 -DDEPTH=16"), {}).get("shared_bytes") == 4096, rows)


def test_shards(folder):
    """Shards with their own caches, as on several machines, and compared with the same first configuration."""
    space = ["-D", "WORK=2,4", "-D", "TILE=16,128", *GEMM]
    parts = []
    for i in (1, 2, 3):
        parts.append(folder.path / f"part{i}.json")
        status, _, told = folder.tune("--shard", f"{i}/3", "--cache", folder.path / f"cache{i}", "-o", parts[-1], *space)
        expect(f"shard {i}", status in (0, 2), told)
    _, whole, _ = folder.tune("--cache", folder.path / "cache4", "--format", "json", *space)
    status, merged, told = folder.tune("--merge", "--format", "json", *parts[::-1])
    expect("merged shards are the whole search", status == 0 and merged == whole, told)
    part = json.load(open(parts[0]))
    part["key"] = "other"
    json.dump(part, open(parts[0], "w"))
    status, _, told = folder.tune("--merge", *parts)
    expect("shards of other searches are refused", status == 2 and "part2.json" in told, told)


def test_templates(folder):
    """A template with the same parameter as the name, which must not become a macro, is compiled once."""
    (folder.path / "scale.cu").write_text("""
template <int TILE> __global__ void scale(float* x) {
  __shared__ float tile[TILE];
  tile[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = tile[TILE - 1 - threadIdx.x];
}
template __global__ void scale<32>(float*);
template __global__ void scale<64>(float*);
""")
    rows, ranking = folder.rows("scale.cu", "-k", "scale<TILE>", "--set", "TILE=32,64", "--grid", "1", "--block", "TILE", "--arg", "f32[TILE]=iota")
    expect("both instances are ranked", len(ranking) == 2 and rows[("64",)]["shared_bytes"] == 256, rows)
    files = list((folder.path / "cache/bankwise/tune/files").glob("*"))
    expect("the source is compiled once", len(files) == 1, files)
    rows, _ = folder.rows("scale.cu", "-k", "scale<TILE>", "-D", "TILE=32", "--grid", "1", "--block", "TILE", "--arg", "f32[TILE]=iota")
    expect("as a macro, the name breaks the template", rows[("32",)]["outcome"] == "not_compiled", rows)


def test_tolerance(folder):
    """Buffers of numbers of several types, whose values differ a little."""
    (folder.path / "sums.cu").write_text(r"""
#include <cuda_fp16.h>
extern "C" __global__ void sums(float* f, double* d, __half* h, int* n) {
  const int i = threadIdx.x;
  f[i] = i * (1 + PARTS * 1e-6f), d[i] = i * (1 + PARTS * 1e-7), h[i] = i, n[i] = i / (PARTS > 1000 ? 2 : 1);
}
""")
    launch = ["sums.cu", "-k", "sums", "-D", "PARTS=0,1,20,2000", "--grid", "1", "--block", "64"]
    arguments = {"f": "f32", "d": "f64", "h": "f16", "n": "i32"}

    def equal(compared, *flags):
        """The values of PARTS whose results count as equal, if only one buffer is compared."""
        words = [w for name, of in arguments.items() for w in ("--arg", f"out:{of}[64]" if name == compared else f"{of}[64]=zero")]
        return {int(values[0]) for values in folder.rows(*launch, *words, *flags)[1]}

    expect("f32 is compared with 1e-4", equal("f") == {0, 1, 20}, equal("f"))
    expect("f64 is compared with 1e-9", equal("d") == {0}, equal("d"))
    expect("f16 is compared", equal("h") == {0, 1, 20, 2000}, equal("h"))
    expect("integers must be equal", equal("n", "--tolerance", "1") == {0, 1, 20}, equal("n"))
    expect("a larger tolerance", equal("f", "--tolerance", "0.01") == {0, 1, 20, 2000})
    expect("a smaller tolerance", equal("f", "--tolerance", "1e-7") == {0}, equal("f", "--tolerance", "1e-7"))
    for tolerance, values in (("0", {0}), ("2e-7", {0, 1}), ("1e-10", {0})):
        found = equal("d", "--tolerance", tolerance)
        expect(f"the tolerance {tolerance} has its own entry", found == values, found)
    status, said, told = folder.tune(*launch[:5], "--grid", "1", "--block", "64", "--arg", "out:f32[PARTS+64]", "--arg", "f64[64]=zero", "--arg", "f16[64]=zero",
                                     "--arg", "i32[64]=zero")
    expect("other sizes of buffers are named", "argument 1 has 65 elements instead of 64" in said, said + told)


def test_files(folder):
    """Files in structs are a part of what the cache compares."""
    (folder.path / "copy.cu").write_text("""
struct parts { int n; const int* from; const int* more; };
extern "C" __global__ void copy(int* to, parts p) { to[threadIdx.x] = p.from[threadIdx.x] + (ADD && p.more[0] == 7); }
""")
    (folder.path / "from.bin").write_bytes(bytes(4 * 32))
    search = ["copy.cu", "-k", "copy", "-D", "ADD=0,1", "--grid", "1", "--block", "32", "--arg", "out:i32[32]", "--arg",
              "{i32=32, i32[]=file:from.bin, i32[]=file:more.bin}"]
    more = folder.path / "more.bin"
    for number, ranked in ((6, 2), (7, 1), (6, 2)):
        more.write_bytes(number.to_bytes(4, "little"))
        rows, ranking = folder.rows(*search)
        expect(f"with {number} in the second file, {ranked} are ranked", len(ranking) == ranked, rows)
    more.unlink()
    rows, ranking = folder.rows(*search)
    expect("without the file, none is ranked", not ranking, rows)


def test_targets(folder):
    """Code for several architectures, and for the one whose instructions the kernel needs."""
    both = ["-gencode", "arch=compute_80,code=sm_80", "-gencode", "arch=compute_90,code=sm_90"]
    rows, ranking = folder.rows("-D", "TILE=32", "-D", "WORK=2,4", *GEMM, "--nvcc", *both)
    expect("code for two architectures", len(ranking) == 2, rows)
    kept = folder.kept()
    again, _ = folder.rows("-D", "TILE=32", "-D", "WORK=2,4", *GEMM, "--nvcc", *both)
    expect("code for two architectures is kept", again == rows and folder.kept() == kept)


def test_programs(folder):
    """Whole programs: compared by their output, in which times may differ."""
    (folder.path / "app.cu").write_text(PROGRAM)
    (folder.path / "sizes.h").write_text("#define SIDE 32\n")
    rows, ranking = folder.rows("app.cu", "-D", "PAD=0,1", "-D", "WRONG=0,1")
    expect("configurations with other output are not ranked", sorted(ranking) == [("0", "0"), ("1", "0")], rows)
    expect("padding is faster", ranking and ranking[0] == ("1", "0"), ranking)
    expect("the difference is named", "instead of" in rows.get(("0", "1"), {}).get("reason", ""), rows)
    rows, ranking = folder.rows("app.cu", "-D", "PAD=0,1", "-D", "WRONG=0,1", "--tolerance", "0.5")
    expect("with a tolerance, the output 33 is as good as 32", ("0", "1") not in ranking, rows)  # 1 instead of 2 is not
    rows, ranking = folder.rows("app.cu", "-D", "PAD=0,1", "-D", "WRONG=0,1", "--verify", "off")
    expect("without a comparison, all are ranked", len(ranking) == 4, rows)
    rows, _ = folder.rows("app.cu", "-D", "PAD=0,1", "-D", "WRONG=0", "-D", "N=3,5", "--", "{N}")
    expect("arguments are filled", rows.get(("0", "0", "5"), {}).get("launches") == 5, rows)
    totals = {n: rows[("0", "0", n)]["wavefronts"] for n in ("3", "5")}
    expect("wavefronts are those of all launches", totals["3"] * 5 == totals["5"] * 3, totals)
    rows, ranking = folder.rows("app.cu", "-D", "PAD=0", "-D", "WRONG=0", "-D", "STATUS=0,4", "--", "1", "{STATUS}")
    expect("a program that fails is not ranked", rows.get(("0", "0", "4"), {}).get("outcome") == "not_run", rows)
    # A changed header is noticed.
    before, _ = folder.rows("app.cu", "-D", "PAD=0", "-D", "WRONG=0")
    (folder.path / "sizes.h").write_text("#define SIDE 16\n")
    after, _ = folder.rows("app.cu", "-D", "PAD=0", "-D", "WRONG=0")
    expect("a changed header compiles the program again", before[("0", "0")]["shared_bytes"] == 4096 and
           after[("0", "0")]["shared_bytes"] == 1024, after)


def test_builds(folder):
    """Programs that a command builds."""
    (folder.path / "app.cu").write_text(PROGRAM)
    (folder.path / "sizes.h").write_text("#define SIDE 32\n")
    build = 'test "$PAD" != 2 && nvcc -arch=sm_90 -cudart shared -DPAD=$PAD -DWRONG=0 -o app app.cu'
    rows, ranking = folder.rows("-D", "PAD=0..2", "--build", build, "./app", "2")
    expect("two builds succeed", ranking == [("1",), ("0",)], rows)
    expect("the failed build is listed", rows.get(("2",), {}).get("outcome") == "not_compiled", rows)
    expect("the program gets its arguments", rows.get(("1",), {}).get("launches") == 2, rows)
    status, _, told = folder.tune("-D", "PAD=0..2", "--build", "true", "app.cu")
    expect("a source and a build exclude each other", status == 2 and "--build" in told, told)


def test_builds_without_effect(folder):
    """A build that does nothing for another value, as make without -B."""
    (folder.path / "app.cu").write_text(PROGRAM)
    (folder.path / "sizes.h").write_text("#define SIDE 32\n")
    build = "test -e app || nvcc -arch=sm_90 -cudart shared -DPAD=$PAD -DWRONG=0 -o app app.cu"
    _, said, told = folder.tune("-D", "PAD=0,1", "--build", build, "./app")
    expect("the names without effect are shown", "the same program for all values of PAD" in told and "make -B PAD=$PAD" in told, told)
    status, said, told = folder.tune("-D", "N=1,2", "--build", build, "./app", "{N}")
    expect("arguments have an effect", status == 0 and "the same program" not in told, told)
    status, said, told = folder.tune("--set", "N=1,2", "--build", build, "./app")
    expect("names of --set are not those of a build", status == 0 and "the same program" not in told, told)


def test_builds_at_once(folder):
    """Two searches in a folder do not build at the same time."""
    (folder.path / "app.cu").write_text(PROGRAM)
    (folder.path / "sizes.h").write_text("#define SIDE 32\n")
    build = ("mkdir alone || exit 9; sleep 0.3; nvcc -arch=sm_90 -cudart shared -DPAD=$PAD -DWRONG=0 -o app app.cu; rmdir alone")
    searches = [folder.start("-D", "PAD=0,1", "--format", "csv", "--build", build, "./app") for _ in range(2)]
    said = [s.communicate()[0] for s in searches]
    expect("both searches rank both programs", said[0] == said[1] and said[0].count(",ranked,") == 2, said)


def test_first_fails_later(folder):
    """The first configuration is in the cache, but fails when its results are needed again. Nothing is kept then."""
    fails = '  if (PAD == 0 && std::fopen("fail", "r")) return 4;\n'
    (folder.path / "app.cu").write_text(PROGRAM.replace("  float* out;", fails + "  float* out;"))
    (folder.path / "sizes.h").write_text("#define SIDE 32\n")
    folder.rows("app.cu", "-D", "PAD=0", "-D", "WRONG=0,1")
    (folder.path / "fail").touch()
    rows, ranking = folder.rows("app.cu", "-D", "PAD=0,1", "-D", "WRONG=0,1")
    later = rows.get(("1", "1"), {})
    expect("without results of the first, others are not ranked", later.get("outcome") == "not_run" and
           "cannot be compared" in later.get("reason", ""), rows)
    (folder.path / "fail").unlink()
    rows, ranking = folder.rows("app.cu", "-D", "PAD=0,1", "-D", "WRONG=0,1")
    expect("later, they are compared", sorted(ranking) == [("0", "0"), ("1", "0")], rows)


def test_interrupt(folder):
    """An interrupted search ends with the signal's status, and the second search continues."""
    space = ["-D", "WORK=2,4", "-D", "TILE=16,32", "-D", "DEPTH=4,8", "--jobs", "1", "--format", "csv", *GEMM]
    process = folder.start(*space)
    end = time.monotonic() + PATIENCE
    while len(folder.kept()) < 3 and process.poll() is None and time.monotonic() < end:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    said, told = process.communicate()
    expect("the status is that of the signal", process.returncode == 128 + signal.SIGINT, f"{process.returncode} {told}")
    expect("the message says what is kept", "the same command continues" in told and not said, told)
    kept = folder.kept()
    expect("something is kept", 3 <= len(kept) < 24, kept)
    status, said, told = folder.tune(*space)
    expect("the second search ends", status == 0, told)
    expect("what was kept is used", kept <= folder.kept())
    rows = list(csv.DictReader(io.StringIO(said)))
    expect("all are ranked", len(rows) == 8 and all(r["outcome"] == "ranked" for r in rows), said)
    status, fresh, _ = folder.tune(*space, "--cache", "off")
    expect("the result is that of an uninterrupted search", fresh == said, fresh)
    left = [f for f in os.listdir(folder.path) if f.startswith("bankwise-")]
    expect("no scratch folder remains", not left, left)


for name, test in sorted(globals().items()):
    if name.startswith("test_"):
        with tempfile.TemporaryDirectory() as scratch:
            test(Folder(scratch))
print("failed: " + ", ".join(wrong) if wrong else "all searches are as expected")
sys.exit(1 if wrong else 0)
