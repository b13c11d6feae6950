#!/usr/bin/python3
"""diff --commits builds and runs two commits, and leaves the user's repository as it is: commit_diff.py BANKWISE."""
import hashlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

TOOL = str(pathlib.Path(sys.argv[1]).resolve())
os.environ["PATH"] += ":/usr/local/cuda/bin"
for program in ["nvcc", "g++", "git"]:
    if shutil.which(program) is None:
        print(f"skipped: {program} is not installed")
        sys.exit(77)
for name in [name for name in os.environ if name.startswith("GIT_")]:
    del os.environ[name]
os.environ.update(GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_SYSTEM="/dev/null", GIT_AUTHOR_NAME="a", GIT_AUTHOR_EMAIL="a@b",
                  GIT_COMMITTER_NAME="a", GIT_COMMITTER_EMAIL="a@b")

PROGRAM = r"""
#include "pad.h"
template <int Pad>
__global__ void transpose(float* out, const float* in) {
  __shared__ float tile[32][32 + Pad];
  for (int r = 0; r < 32; ++r) tile[r][threadIdx.x] = in[r * 32 + threadIdx.x];
  __syncthreads();
  for (int r = 0; r < 32; ++r) out[r * 32 + threadIdx.x] = tile[threadIdx.x][r];
}
template <int Step>
__global__ void copy(float* out, const float* in) {
  __shared__ float tile[32 * 33];
  tile[threadIdx.x * STRIDE] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x * STRIDE + Step];
}
int main(int, char** argv) {
  float *a, *b;
  cudaMalloc(&a, 4096); cudaMalloc(&b, 4096);
  if (argv[1][0] != '7') return 4;
  transpose<0><<<1, 32>>>(a, b);
  transpose<1><<<1, 32>>>(a, b);
  copy<0><<<1, 32>>>(a, b);
  return cudaDeviceSynchronize() != cudaSuccess;
}
"""
BUILD = "nvcc -arch=sm_90 -lineinfo -cudart shared app.cu -o app"
wrong = []


def expect(what, is_so, *says):
    if not is_so:
        wrong.append(what)
        print("FAIL:", what, *says)


def git(*words, at="."):
    return subprocess.run(["git", "-c", "protocol.file.allow=always", "-C", str(at), *words], check=True,
                          capture_output=True, text=True).stdout


def diff(*words, status=0, **more):
    done = subprocess.run([TOOL, "diff", *words], capture_output=True, text=True, **more)
    expect(f"diff {' '.join(words)} exits with {status}", done.returncode == status, done.returncode, done.stdout, done.stderr)
    return done


def state(repository):
    """The bytes and times of everything in the repository, except what git keeps about finished work trees."""
    all = {}
    for file in sorted(repository.rglob("*")):
        if file.is_file() and not file.is_symlink():
            all[str(file)] = (hashlib.sha256(file.read_bytes()).hexdigest(), file.stat().st_mtime_ns)
    return {name: value for name, value in all.items() if "/.git/objects/" not in name and "/.git/logs/" not in name}


with tempfile.TemporaryDirectory() as folder:
    base = pathlib.Path(folder).resolve()
    os.environ["TMPDIR"] = str(base / "tmp")
    (base / "tmp").mkdir()
    # A submodule has the header of `copy`.
    library = base / "library"
    library.mkdir()
    git("init", "-q", "-b", "main", at=library)
    (library / "stride.h").write_text("#define STRIDE 32\n")
    git("add", ".", at=library)
    git("commit", "-qm", "Copy by columns", at=library)
    repository = base / "user's project"
    (repository / "src").mkdir(parents=True)
    git("init", "-q", "-b", "main", at=repository)
    (repository / "src/app.cu").write_text(PROGRAM)
    (repository / "src/pad.h").write_text('#include "stride/stride.h"\n')
    (repository / ".gitignore").write_text("app\nignored.h\n")
    git("submodule", "add", "-q", str(library), "src/stride", at=repository)
    git("add", ".", at=repository)
    git("commit", "-qm", "Add kernels", at=repository)
    git("tag", "v1", at=repository)
    (library / "stride.h").write_text("#define STRIDE 1\n")
    git("commit", "-qam", "Copy by rows", at=library)
    git("fetch", "-q", at=repository / "src/stride")
    git("checkout", "-q", "origin/main", at=repository / "src/stride")
    git("commit", "-qam", "Copy faster", at=repository)
    hook = repository / ".git/hooks/post-checkout"
    hook.write_text("#!/bin/sh\ntouch \"$HOME/hook-ran\"\n")
    hook.chmod(0o755)
    os.environ["HOME"] = str(base)
    # Changes that are not in any commit: a staged one, one that is not staged, a new file, a removed file.
    (repository / "src/unused.h").write_text("\n")
    git("add", ".", at=repository)
    git("commit", "-qm", "Add a header", at=repository)
    (repository / "src/app.cu").write_text(PROGRAM.replace("tile[32][32 + Pad]", "tile[32][33 + Pad + MORE]"))
    git("add", ".", at=repository)
    (repository / "src/pad.h").write_text('#include "stride/stride.h"\n#include "new.h"\n')
    (repository / "src/new.h").write_text('#if __has_include("ignored.h") || __has_include("unused.h")\n#error "these files must not be here"\n'
                                          "#endif\n#define MORE 0\n")
    (repository / "src/ignored.h").write_text("\n")
    (repository / "src/unused.h").unlink()
    os.chdir(repository / "src")
    git("status")
    before = state(repository)

    # --- two commits, from a subfolder, with the submodule of each commit
    compared = diff("--commits", "v1", "HEAD", "--build", BUILD, "--", "./app", "7").stdout
    for side, commit in {"a": "v1", "b": "HEAD"}.items():
        git("clone", "-q", "--recursive", str(repository), str(base / side), at=base)
        git("checkout", "-q", "--recurse-submodules", git("rev-parse", commit, at=repository).strip(), at=base / side)
        subprocess.run(BUILD, shell=True, cwd=base / side / "src", check=True)
        subprocess.run([TOOL, "run", "--no-fix", "--format", "json", "-o", base / f"{side}.json", "./app", "7"],
                       cwd=base / side / "src", check=True, capture_output=True)
    expect("the output is that of two reports", compared == diff(str(base / "a.json"), str(base / "b.json")).stdout, compared)
    expect("the copy is faster", re.search(r"\ncopy<0>\n(.*\n)*?.* 32 +1 ", compared), compared)
    told = diff("--commits", "v1..HEAD", "--build", BUILD, "--", "./app", "7").stderr
    expect("the commits are named", re.search(r"A is v1 \([0-9a-f]{10}\) Add kernels, and B is HEAD \([0-9a-f]{10}\) Add a header", told), told)

    # --- a commit and the working tree as it is, also within a hook of git
    os.environ.update(GIT_DIR=str(repository / ".git"), GIT_INDEX_FILE=str(repository / ".git/index"))
    done = diff("--commits", "HEAD", "--build", BUILD, "--format", "csv", "--", "./app", "7")
    del os.environ["GIT_DIR"], os.environ["GIT_INDEX_FILE"]
    expect("the working tree is compared", "B is the working tree" in done.stderr and '"void transpose<0>(' in done.stdout,
           done.stdout, done.stderr)

    # --- errors name the place
    for words, says in {
        ("--commits", "v9", "--build", "true", "--", "./app"): "has no commit v9",
        ("--commits", "HEAD", "v9", "--", "./app"): "has no commit v9",
        ("--commits", "-q", "HEAD", "--", "./app"): "-q",
        ("--commits", "v1", "HEAD", "--build", "exit 3", "--", "./app"): "v1 (",
        ("--commits", "v1", "HEAD", "--build", "true", "--", "./app"): "there is no file ./app after the build",
        ("--commits", "v1", "HEAD", "--", "./app"): "--build COMMAND makes it",
        ("--commits", "v1", "HEAD", "--build", "make"): "needs the program",
        ("--commits", "v1", "HEAD", "./app", "7"): "write -- before the program",
        ("--build", "make", "a.json", "b.json"): "--build is only for --commits",
    }.items():
        done = diff(*words, status=2)
        expect(f"{words} says {says}", says in done.stderr, done.stderr)
    done = diff("--commits", "v1", "HEAD", "--build", "echo one; echo broken >&2; exit 3", "--", "./app", status=2)
    expect("the output of the build is shown", re.search(r"failed with status 3: echo one; .*\n  one\n  broken\n", done.stderr), done.stderr)
    done = diff("--commits", "v1", "HEAD", "--build", BUILD, "--", "./app", "8", status=2)
    expect("a program that launches nothing is named", "v1 (" in done.stderr and "exited with 4" in done.stderr, done.stderr)
    done = diff("--commits", "HEAD", "--build", "true", "--", "./app", status=2, cwd=base)
    expect("a folder without a repository is named", f"{base} is not in the working tree of a git repository" in done.stderr, done.stderr)

    # --- nothing remains, also after an interrupt
    child = subprocess.Popen([TOOL, "diff", "--commits", "v1", "HEAD", "--build", "touch begun; sleep 60", "--", "./app", "7"],
                             stderr=subprocess.PIPE, text=True)
    end = time.monotonic() + 60
    while not list((base / "tmp").glob("*/a/src/begun")) and time.monotonic() < end:
        time.sleep(0.05)
    child.send_signal(signal.SIGINT)
    said = child.communicate()[1]
    expect("an interrupt ends the comparison", child.returncode == 130 and "stopped by SIGINT" in said, child.returncode, said)
    expect("no work tree remains", git("worktree", "list", at=repository).count("\n") == 1, git("worktree", "list"))
    expect("no work tree of the submodule remains", git("worktree", "list", at=repository / "src/stride").count("\n") == 1)
    expect("no folder remains", list((base / "tmp").iterdir()) == [], list((base / "tmp").iterdir()))
    after = state(repository)
    expect("the repository is as before", after == before, set(after.items()) ^ set(before.items()))
    expect("no hook ran", not (base / "hook-ran").exists())

if wrong:
    sys.exit(1)
print("two commits are compared, and the repository stays as it is")
