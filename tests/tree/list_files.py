#!/usr/bin/env python3
"""Tests scripts/list-files: the file that it shows a newcomer for each of twelve changes, and the errors that it finds
in a small tree."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# Search words of a newcomer -> the file where the change starts.
CHANGES = {
    "architecture sm_130": "include/bankwise/arch.hpp",
    "L1 wavefronts global": "include/bankwise/global_sectors.hpp",
    "tcgen05": "src/sass/opcodes.def",
    "output format": "src/report/forms/report_formats.cpp",
    "lint finding": "src/check/finding_kinds.cpp",
    "cublas function": "math/blas/cublas_matrices.def",
    "run flag": "cli/line/flags.cpp",
    "layout family": "src/advise/advice.cpp",
    "wording past shared memory": "src/emulate/execute/places.cpp",
    "page report head": "src/report/page/launch_view.cpp",
    "cudart driver function": "runtime/cudart/entries/driver.def",
    "form --arg": "cli/run/kernel_arguments.cpp",
}
wrong = []


def expect(true, what):
    if not true:
        wrong.append(what)


def run(root, *words):
    done = subprocess.run([sys.executable, root / "scripts/list-files", *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


for words, file in CHANGES.items():
    status, output = run(ROOT, *words.split())
    first = output.splitlines()[:12]
    stem = file.rpartition(".")[0]
    expect(status == 0 and any(file in line or line.startswith(stem + ".hpp, .cpp:") for line in first),
           f"list-files {words} does not lead to {file}:\n{output}")
expect(run(ROOT, "zebra", "crossing") == (1, "No file contains these words in its first lines. To search the whole text of the files: git grep -n -i 'zebra crossing'\n"),
       "a search without a result does not say how to go on")
expect(run(ROOT, "--page", "layout")[0] == 2, "--page takes a word")

PLAN = """# Plan

```
src/a/      what is first
```

| to change | start at | guarded by |
|---|---|---|
| the first | `a/one.hpp` | `one_test` |
"""
FILES = {
    "ARCHITECTURE.md": PLAN,
    "src/a/one.hpp": "// The first of all. And more.\n#pragma once\n",
    "src/a/one.cpp": "// How it is found.\n#include \"a/one.hpp\"\n",
    "src/a/two.def": "// Rows of what follows the first:\n//\n//     ROW(x)\n",
    "scripts/run-one": "#!/bin/sh\n# Runs the first one.\n#   run-one WORD\n",
    "tests/a/one_test.cpp": "// Tests of the first.\n#include \"a/one.hpp\"\n",
    "tests/a/CMakeLists.txt": "bankwise_test(one_test)\n",
}


def faults_with(changes):
    """The output of --check for the tree after these files were added or replaced, without its last line."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for path, text in {**FILES, "ARCHITECTURE.md": PLAN.replace("```\n\n|", "scripts/ tests/  the rest\n```\n\n|"), **changes}.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)
        shutil.copy(ROOT / "scripts/list-files", root / "scripts/list-files")
        os.chmod(root / "scripts/list-files", 0o755)
        status, output = run(root, "--check")
        lines = output.splitlines()[:-1]
        expect(status == (1 if lines else 0), f"--check exits {status} with {lines}")
        if not changes:
            page = run(root, "--page")[1]
            expect("| `one.hpp`, `.cpp` | The first of all. | `one_test` |" in page, f"the page has no row of one.hpp:\n{page}")
            expect("| `two.def` | Rows of what follows the first. |  |" in page, f"the page has no row of two.def:\n{page}")
            expect("| `run-one` | Runs the first one. |  |" in page, f"the page has no row of run-one:\n{page}")
        return lines


expect(faults_with({}) == [], f"faults in a tree without any: {faults_with({})}")
good = PLAN.replace("```\n\n|", "scripts/ tests/  the rest\n```\n\n|")
for tree, fault in (
        ({"src/a/three.cpp": "int x;\n"}, "src/a/three.cpp does not begin with a comment that describes the file in a sentence"),
        ({"src/a/three.ts": "// Things.\n"}, "src/a/three.ts does not begin with a comment that describes the file in a sentence"),
        ({"src/a/three.py": '"""The first of all."""\n'}, "src/a/three.py has the same sentence as src/a/one.hpp, .cpp: The first of all."),
        ({"src/b/three.cu": "// The third of all.\n"}, "ARCHITECTURE.md does not say what src/b/ is for: add a line to the first block of the plan"),
        ({"ARCHITECTURE.md": good.replace("src/a/  ", "src/a/ src/z/  ")}, "ARCHITECTURE.md describes src/z/, which does not exist"),
        ({"ARCHITECTURE.md": good.replace("one.hpp", "none.hpp")}, "ARCHITECTURE.md names a/none.hpp, which does not exist"),
        ({"ARCHITECTURE.md": good.replace("one_test", "none_test")}, "ARCHITECTURE.md names none_test.cpp, which does not exist"),
        ({"ARCHITECTURE.md": good.replace("one_test", "golden_none")}, "ARCHITECTURE.md names the test golden_none, which does not exist"),
        ({"ARCHITECTURE.md": good + "\nIn `one::find_it`.\n"}, "ARCHITECTURE.md names one::find_it, which no source contains"),
        ({"ARCHITECTURE.md": good + "\n" + "word " * 25}, "ARCHITECTURE.md:12 is wider than 120 columns"),
        ({"ARCHITECTURE.md": good + "\n" * 200}, "ARCHITECTURE.md has 210 lines, more than 200: describe each file in the file's own first line instead"),
        ({"ARCHITECTURE.md": good + "| more |\n"}, "ARCHITECTURE.md: a row of the table does not have three cells: ['more']")):
    found = faults_with(tree)
    expect(found == [fault], f"--check finds {found} instead of {fault}")

print("\n".join(wrong))
sys.exit(1 if wrong else 0)
