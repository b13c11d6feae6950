"""Starts every verb twice at the same time in one folder. Both must succeed, and their output and files must be
complete, as after a single run.
    verbs_at_once.py BANKWISE SOURCE_DIR
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

BANKWISE, SOURCE = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve()
NVCC = shutil.which("nvcc") or os.path.join(os.environ.get("CUDA_HOME", "/usr/local/cuda"), "bin/nvcc")
HAS_NVCC = os.path.exists(NVCC)
os.environ["PATH"] += os.pathsep + os.path.dirname(NVCC)
ROUNDS = 2

KERNEL = """#include <cstdio>
__global__ void turn(float* out, const float* in) {
  __shared__ float tile[32][32];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
int main() {
  float *in, *out, h[1024];
  cudaMalloc(&in, 4096);
  cudaMalloc(&out, 4096);
  for (int i = 0; i < 1024; ++i) h[i] = i;
  cudaMemcpy(in, h, 4096, cudaMemcpyHostToDevice);
  turn<<<1, dim3(32, 32)>>>(out, in);
  cudaMemcpy(h, out, 4096, cudaMemcpyDeviceToHost);
  double sum = 0;
  for (int i = 0; i < 1024; ++i) sum += h[i] * i;
  std::printf("sum %.0f\\n", sum);
}
"""
LAUNCH = ["-k", "transpose_plain", "--grid", "8,8", "--block", "32,8", "--arg", "out:f32[64K]", "--arg", "f32[64K]=iota", "--arg", "i32=256"]
EDIT = ["fix", "--apply", "--check", "nvcc -lineinfo -arch=sm_90 -cudart shared k.cu -o app", "--", "./app"]
PLAIN = [
    ["explain", "--array", "float tile[32][32]", "tile[t][0]"],
    ["explain", "--array", "float tile[32][32]", "tile[t][0]", "-o", "access.svg"],
    ["explain", "--array", "float tile[32][32]", "tile[t][0]", "--format", "html", "-o", "access.html"],
    ["predict", "table.csv", "-o", "predicted.csv"],
    ["run", "t.cubin", *LAUNCH],
    ["run", "t.cubin", *LAUNCH, "--accesses", "--format", "json", "-o", "made.json"],
    ["run", "t.cubin", *LAUNCH, "--format", "html", "-o", "made.html"],
    ["fix", "--array", "float tile[32][32]", "--block", "32,8", "st tile[threadIdx.y][threadIdx.x]", "ld tile[threadIdx.x][threadIdx.y]"],
    ["fix", "r.json", "-o", "answers.txt"],
    ["report", "r.json", "--format", "html", "-o", "page.html"],
    ["report", "r.json", "--format", "sarif", "-o", "r.sarif"],
    ["diff", "r.json", "s.json", "-o", "diff.txt"],
    ["merge", "r.json", "s.json", "-o", "both.json"],
    ["check", "r.json", "--baseline", "b.json", "-o", "checked.txt"],
    ["check", "r.json", "--baseline", "b.json", "--update-baseline"],
    ["init", "t.cubin", *LAUNCH],
    ["check"],
    ["check", "--rerun"],
    ["compare", "r.json", "ncu.csv"],
    ["rule", "BW101"],
    ["arch", "sm_90"],
    ["record", "-o", "recorded.json", "./no-such-program"],
    ["probe", "-o", "evidence.json"],
    ["lsp"],
]
COMPILED = [
    ["run", "k.cu", "--format", "json", "-o", "of_source.json"],
    ["run", "./app"],
    ["run", "./app", "--format", "json", "-o", "of_program.json"],
    ["fix", "--patch", "--", "k.cu"],
    ["fix", "--apply", "--", "k.cu"],
    EDIT,
    ["init", "--name", "app", "--", "./app"],
    ["check"],
]


def plain(text):
    """The text without the parts that differ between runs: times, scratch folders, and the note that one process waits
    for the other."""
    text = re.sub(r"bankwise: waiting for another bankwise.*\n", "", text)
    text = re.sub(r"/bankwise-\w{6}/", "/bankwise-XXXXXX/", text)
    return re.sub(r"\d+(\.\d+)? (s|ms|minutes)\b|\"seconds\": *[\d.e-]+|\"(time|started|date|wall_seconds)\": *[^,}\n]+", "TIME", text)


def files_of(folder):
    """The contents of a folder."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            data = path.read_bytes()
            try:
                found[str(path.relative_to(folder))] = plain(data.decode())
            except UnicodeDecodeError:
                found[str(path.relative_to(folder))] = data if path.name != "app" else b"a program"
    return found


def start(folder, words):
    process = subprocess.Popen([BANKWISE, *words], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if words == ["lsp"]:
        body = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{},"rootUri":null}}'
        for message in (body, b'{"jsonrpc":"2.0","id":2,"method":"shutdown"}', b'{"jsonrpc":"2.0","method":"exit"}'):
            process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(message), message))
    process.stdin.close()
    process.stdin = None
    return process


def end(process):
    out, err = process.communicate(timeout=300)
    return process.returncode, plain(out.decode()), plain(err.decode())


wrong = 0


def compare(words, prepared, root):
    """One process alone, one after the other, and two at once: each in a copy of the folder."""
    global wrong

    def fresh():
        # Every run uses the same path, because reports and programs contain the name of the folder.
        folder = root / "work"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(prepared, folder, symlinks=True)
        return folder

    folder = fresh()
    first = end(start(folder, words))
    # This machine may have no GPU, so record and probe may exit with 2.
    if first[0] == 2 and words[0] not in ("record", "probe"):
        wrong += 1
        print("FAIL: bankwise", " ".join(words), "alone\n", first[1], first[2])
        return
    after_one = files_of(folder)
    second = end(start(folder, words))
    after_two = files_of(folder)
    for _ in range(ROUNDS):
        folder = fresh()
        both = [start(folder, words) for _ in range(2)]
        ends = [end(p) for p in both]
        left = files_of(folder)
        ok = all(e in (first, second) for e in ends) and first in ends and left in (after_one, after_two)
        if ok:
            continue
        wrong += 1
        print("FAIL: bankwise", " ".join(words))
        for what, one in (("alone", first), ("again", second), ("at once", ends[0]), ("at once", ends[1])):
            print(f"  {what}: exit {one[0]}\n    " + "\n    ".join((one[1][-1500:] + one[2][-1500:]).splitlines()))
        for path in sorted(set(left) | set(after_one)):
            if left.get(path) not in (after_one.get(path), after_two.get(path)):
                was, now = after_one.get(path), left.get(path)
                print(f"  {path}: {'not there' if was is None else len(was)} alone, {'not there' if now is None else len(now)} at once")
                if isinstance(was, str) and isinstance(now, str):
                    at = next((i for i, (a, b) in enumerate(zip(was, now)) if a != b), min(len(was), len(now)))
                    print(f"    {was[max(0, at - 60):at + 60]!r}\n    {now[max(0, at - 60):at + 60]!r}")
        return


with tempfile.TemporaryDirectory() as name:
    base = pathlib.Path(name) / "base"
    base.mkdir()
    shutil.copy(SOURCE / "examples/transpose.cubin", base / "t.cubin")
    (base / "table.csv").write_text("\n".join((SOURCE / "data/sm_90/wavefronts.csv").read_text().splitlines()[:200]) + "\n")
    run = [BANKWISE, "run", "t.cubin", *LAUNCH, "--accesses", "--format", "json", "-o"]
    subprocess.run([*run, "r.json"], cwd=base, check=True)
    subprocess.run([*[w.replace("plain", "padded") for w in run], "s.json"], cwd=base, check=True)
    subprocess.run([BANKWISE, "check", "r.json", "--baseline", "b.json", "--update-baseline"], cwd=base, check=True, stdout=subprocess.DEVNULL)
    shutil.copy(SOURCE / "tests/ncu/sass.csv", base / "ncu.csv")
    configured = pathlib.Path(name) / "configured"
    shutil.copytree(base, configured)
    subprocess.run([BANKWISE, "init", "t.cubin", *LAUNCH], cwd=configured, check=True, stdout=subprocess.DEVNULL)
    for words in PLAIN:
        compare(words, configured if words[0] == "check" and len(words) < 3 and words[-1] != "r.json" else base,
                pathlib.Path(name))
    if HAS_NVCC:
        source = pathlib.Path(name) / "source"
        work = pathlib.Path(name) / "work"
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir()
        (work / "k.cu").write_text(KERNEL)
        subprocess.run(["nvcc", "-lineinfo", "-arch=sm_90", "-cudart", "shared", "k.cu", "-o", "app"], cwd=work, check=True)
        work.rename(source)
        with_run = pathlib.Path(name) / "with_run"
        shutil.copytree(source, with_run)
        subprocess.run([BANKWISE, "init", "--name", "app", "--", "./app"], cwd=with_run, check=True, stdout=subprocess.DEVNULL)
        for words in COMPILED:
            compare(words, with_run if words == ["check"] else source, pathlib.Path(name))

sys.exit(1 if wrong else 0)
