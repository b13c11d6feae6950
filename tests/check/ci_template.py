#!/usr/bin/python3
"""The project of examples/ci: runs offline what its workflow runs, with the project as it is and with a missing barrier.
    ci_template.py BANKWISE SOURCE
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

TOOL, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
for program in ("nvcc", "cmake", "ctest", "bash"):
    if shutil.which(program) is None:
        print(f"skipped: {program} is not installed")
        sys.exit(77)

WORKFLOW = (SOURCE / "examples/ci/.github/workflows/cuda.yml").read_text()


def given(name):
    """The input of the action with this name in the workflow."""
    found = re.findall(rf"^          {name}: (.+)$", WORKFLOW, re.M)
    if len(found) != 1:
        sys.exit(f"cuda.yml has {len(found)} inputs with the name {name}")
    return found[0].strip('"')


def has_input(name):
    return re.search(rf"^  {name}:$", (SOURCE / "action.yml").read_text(), re.M) is not None


with tempfile.TemporaryDirectory() as folder:
    project = pathlib.Path(folder) / "project"
    shutil.copytree(SOURCE / "examples/ci", project)
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GITHUB_")}
    environment.update(RUN=given("run"), EXPECTED="", BANKWISE=TOOL, RUNNER_TEMP=folder)

    def run():
        """What the steps of action.yml print, and the exit status of the last one."""
        built = subprocess.run(["bash", "-c", given("build")], cwd=project, env=environment, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True)
        if built.returncode != 0:
            sys.exit(f"the build failed:\n{built.stdout}")
        summary = pathlib.Path(folder) / "summary"
        summary.write_text("")
        done = subprocess.run([SOURCE / "packaging/github/run"], cwd=project, env={**environment, "GITHUB_STEP_SUMMARY": str(summary)},
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return done.returncode, done.stdout, summary.read_text()

    for name in ("build", "run", "check"):
        if not has_input(name):
            sys.exit(f"action.yml has no input {name}")
    status, printed, summary = run()
    if status != 0 or "100% tests passed" not in printed or "row_sums" not in summary:
        sys.exit(f"the project fails with status {status}:\n{printed}\n{summary}")
    kernel = project / "row_sums.cuh"
    text = kernel.read_text()
    kernel.write_text(text.replace("  __syncthreads();\n", "", 1))
    status, printed, summary = run()
    if status == 0 or "::error::" not in printed or "row_sums.cuh" not in summary:
        sys.exit(f"without a barrier, the status is {status}:\n{printed}\n{summary}")
