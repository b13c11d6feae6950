#!/usr/bin/python3
"""Runs two checks, and two inits, in one folder at the same time.
    checks_at_once.py BANKWISE SOURCE
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

TOOL, SOURCE = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2])
WORDS = ["--grid", "8,8", "--block", "32,8", "--arg", "out:f32[64K]", "--arg", "f32[64K]=iota", "--arg", "i32=256"]

with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    shutil.copy(SOURCE / "examples/transpose.cubin", folder / "t.cubin")

    def start(*words):
        return subprocess.Popen([TOOL, *words], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def ends(process, wanted):
        said = process.communicate()[0]
        if process.returncode != wanted:
            sys.exit(f"{process.args} exited with {process.returncode} instead of {wanted}, and printed\n{said}")

    for _ in range(5):
        (folder / "bankwise.toml").unlink(missing_ok=True)
        both = [start("init", "--name", n, "--", "t.cubin", "-k", k, *WORDS)
                for n, k in (("a", "transpose_plain"), ("b", "transpose_padded"))]
        for one in both:
            ends(one, 0)
        names = [line for line in (folder / "bankwise.toml").read_text().splitlines() if line.startswith("name")]
        if sorted(names) != ['name = "a"', 'name = "b"']:
            sys.exit(f"bankwise.toml has the wrong runs: {names}")
    for _ in range(5):
        shutil.rmtree(folder / ".bankwise")
        for one in [start("check") for _ in range(3)]:
            ends(one, 0)
    # If the same `bankwise init` commands run again, the file does not change.
    before = (folder / "bankwise.toml").read_text()
    for one in [start("init", "t.cubin", "-k", k, *WORDS) for k in ("transpose_plain", "transpose_padded")]:
        ends(one, 0)
    if (folder / "bankwise.toml").read_text() != before:
        sys.exit("a second init must not change bankwise.toml:\n" + (folder / "bankwise.toml").read_text())
    left = [f.name for f in folder.iterdir() if f.name not in ("t.cubin", "bankwise.toml", ".bankwise")]
    if left:
        sys.exit(f"temporary files were not deleted: {left}")
