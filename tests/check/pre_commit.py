#!/usr/bin/python3
"""The hook, run by pre-commit itself at a commit, without a network.
    pre_commit.py BANKWISE SOURCE
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

for program in ("git", "pre-commit"):
    if shutil.which(program) is None:
        print("skipped: not installed:", program)
        sys.exit(77)
TOOL, SOURCE = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
RUN = """[[run]]
name = "transpose"
command = "transpose.cubin -k transpose_padded --grid 8,{blocks} --block 32,8 --arg 'out:f32[64K]' --arg 'f32[64K]=iota' --arg i32=256"
[[run.budget]]
wavefronts = 4096
"""

with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    hooks, project = folder / "bankwise", folder / "project"
    environment = {**os.environ, "HOME": name, "PRE_COMMIT_HOME": str(folder / "home"), "GIT_CONFIG_GLOBAL": str(folder / "config"),
                   "PATH": str(TOOL.parent) + ":" + os.environ["PATH"]}

    def run(*words, at=project, wanted=0):
        done = subprocess.run(words, cwd=at, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if (done.returncode == 0) != (wanted == 0):
            sys.exit(f"{words} exited with {done.returncode}, and printed\n{done.stdout}")
        return done.stdout

    def holds(text, *words):
        for w in words:
            if w not in text:
                sys.exit(f"the output does not contain {w!r}:\n{text}")

    for at in (hooks, project):
        at.mkdir()
        run("git", "init", "-q", at=at)
        for key, value in (("user.name", "a"), ("user.email", "a@b"), ("commit.gpgsign", "false")):
            run("git", "config", key, value, at=at)
    shutil.copy(SOURCE / ".pre-commit-hooks.yaml", hooks)
    run("git", "add", "-A", at=hooks)
    run("git", "commit", "-q", "-m", "hooks", at=hooks)
    revision = run("git", "rev-parse", "HEAD", at=hooks).strip()

    (project / ".pre-commit-config.yaml").write_text(
        f"repos:\n  - repo: {hooks}\n    rev: {revision}\n    hooks: [{{id: bankwise-check}}]\n")
    for file in ("transpose.cu", "transpose.cubin"):
        shutil.copy(SOURCE / "examples" / file, project)
    (project / "bankwise.toml").write_text(RUN.format(blocks=8))
    run("pre-commit", "install")
    run("git", "add", "-A")
    holds(run("git", "commit", "-m", "within its budget"), "bank conflicts", "Passed")
    # pre-commit's cache is not part of the project.
    holds(run("git", "status", "--short", "--ignored"), "!! .bankwise/")

    # A commit that increases the cost is refused, with the reason.
    (project / "bankwise.toml").write_text(RUN.format(blocks=16))
    run("git", "add", "-A")
    holds(run("git", "commit", "-m", "above it", wanted=1), "Failed", "BW201", "8,192 wavefronts, 4,096 allowed (bankwise.toml:4)")
    run("git", "checkout", "-q", "HEAD", "--", "bankwise.toml")

    # Files that are not sources are ignored.
    (project / "README.md").write_text("hello\n")
    run("git", "add", "-A")
    holds(run("git", "commit", "-m", "words"), "no files to check", "Skipped")
