#!/usr/bin/env python3
"""Lets `bankwise fix --apply` edit the kernels of bench/faults, and keeps the programs that it changed.

    bench/edit_faults.py FOLDER [NAME...]     all files, or only NAME.cu

The programs in FOLDER have the edited kernel as `before` and the remedy by hand as `after`, so FAULTS=FOLDER
bench/measure_faults.py TIMES.csv measures both. The script needs nvcc and a built bankwise (BANKWISE names another program). It
prints what became of each file, and the predicted times of edits that are kept for their time. FIX_FLAGS has more flags for `fix`,
such as --skip-copies."""
import csv
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
FAULTS = ROOT / "bench/faults"
BANKWISE = os.environ.get("BANKWISE", ROOT / "build/release/cli/bankwise")
FLAGS = os.environ.get("FIX_FLAGS", "").split()  # such as --skip-copies
SECONDS = 240  # of one file


def edit(name, to):
    """Edits a copy of one file, and copies it to the folder `to` if it changed. Returns what became of it."""
    source = FAULTS / name
    with tempfile.TemporaryDirectory() as folder:
        for file in (source, FAULTS / "host.cuh"):
            shutil.copy(file, folder)
        build = f"nvcc -O3 -lineinfo -arch=sm_90 -o app {name}"
        subprocess.run(build, shell=True, cwd=folder, check=True)
        done = subprocess.run([BANKWISE, "fix", "--root", ".", "--apply", *FLAGS, "--check", build, "--", "./app", "before"], cwd=folder,
                              capture_output=True, text=True, timeout=SECONDS)
        edited = pathlib.Path(folder, name)
        if edited.read_text() == source.read_text():
            return (done.stderr.strip() or done.stdout.strip() or "no edit").splitlines()[-1]
        shutil.copy(edited, to)
        times = re.findall(r"(?m)^\w+: predicted to take (about [^(]*?) \(.*?instead of ([^(]*?) \(", done.stdout)
        return "edited" + "".join(f", {now} instead of {was}" for now, was in times)


def main(words):
    if not words or words[0].startswith("-"):
        sys.exit(__doc__)
    os.environ["PATH"] += ":/usr/local/cuda/bin"
    to = pathlib.Path(words[0])
    to.mkdir(parents=True, exist_ok=True)
    shutil.copy(FAULTS / "host.cuh", to)
    names = [row["file"] for row in csv.DictReader((FAULTS / "faults.csv").open())]
    with open(to / "faults.csv", "w") as table:
        table.write("file\n")
        for name in names:
            if words[1:] and pathlib.Path(name).stem not in words[1:]:
                continue
            said = edit(name, to)
            if said.startswith("edited"):
                table.write(f"{name}\n")
            print(f"{name:28} {said}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
