#!/usr/bin/env python3
"""Tests scripts/measure-build with a build of two small files: what it measures, and when it adds a row to the ledger."""
import importlib.machinery
import importlib.util
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("measure_build", str(ROOT / "scripts/measure-build"))
tool = importlib.util.module_from_spec(importlib.util.spec_from_loader("measure_build", loader))
loader.exec_module(tool)
wrong = []


def expect(actual, expected, what):
    if actual != expected:
        wrong.append(f"{what}: {actual!r} instead of {expected!r}")


def small_tree(root):
    (root / "src/part").mkdir(parents=True)
    (root / "out").mkdir()
    (root / "src/part/one.cpp").write_text("#include <vector>\nint one() { return int(std::vector<int>(1).size()); }\n")
    (root / "src/part/two.cpp").write_text("int two() { return 2; }\n")
    (root / "out/unity.cxx").write_text(f'#include "{root}/src/part/one.cpp"\n#include "{root}/src/part/two.cpp"\n')
    (root / "out/made.cpp").write_text("int made() { return 3; }\n")
    (root / "out/build.ninja").write_text(
        "rule cxx\n  command = c++ -MD -MT $out -MF $out.d -o $out -c $in\nrule ar\n  command = ar qc $out $in\n"
        "build new/unity.cxx.o: cxx unity.cxx\nbuild made.cpp.o: cxx made.cpp\nbuild lib.a: ar new/unity.cxx.o made.cpp.o\n"
        "build program: phony lib.a\n")


with tempfile.TemporaryDirectory() as scratch:
    root = pathlib.Path(scratch).resolve()
    small_tree(root)
    folder = root / "out"
    rows, others = tool.measure(folder, "program", None, root)
    expect([r[1] for r in rows], ["new/unity.cxx.o", "made.cpp.o"], "objects, the slowest first")
    expect([tool.folder_of(r[2], folder, root) for r in rows], ["src/part", "generated"], "folders")
    expect(all(r[0] > 0 for r in rows) and others > 0, True, "measured times")
    expect((folder / "lib.a").exists(), True, "the archive is built")
    read = tool.read_lines(rows[0][3], folder, root)
    expect(sorted(read), ["C++", "own"], "origins of the lines")
    expect(read["own"], 2, "own lines")
    expect(read["C++"] > 1000, True, "lines of the C++ library")
    shown = tool.table(rows, others, folder, root)
    expect("| src/part | " in shown and "| unity.cxx.o | " in shown and "| 2 | C++ " in shown, True, "the table")
    expect(len(tool.measure(folder, "program", "made", root)[0]), 1, "files that match")
    expect(tool.origin_of("/usr/include/nlohmann/json.hpp", root), "nlohmann", "origin of a library")

    (root / "src/part/two.cpp").write_text("int two() { return }\n")
    broken = subprocess.run([sys.executable, ROOT / "scripts/measure-build", "--build", folder, "program"], capture_output=True, text=True)
    expect((broken.returncode, "two.cpp" in broken.stderr), (1, True), "a file that does not compile")

    ledger = root / "build.csv"
    ledger.write_text(",".join(tool.COLUMNS) + "\n")
    for seconds, added in [(100, True), (101, False), (95, True), (95, False)]:
        expect(tool.record(ledger, "program", seconds, 2.0, "a reason, with a comma", "2030-01-01"), added, f"a row for {seconds} seconds")
    expect(tool.record(ledger, "all", 95, 2.0, "the first row of a target", "2030-01-01"), True, "a row of another target")
    expect(ledger.read_text().splitlines()[1], '2030-01-01,program,100,2.00,50.0,"a reason, with a comma"', "the row")

with open(tool.LEDGER, newline="") as file:
    reader = tool.csv.DictReader(file)
    expect(reader.fieldnames, tool.COLUMNS, "columns of docs/build.csv")
    rows = list(reader)
for row in rows:
    expect(row["ratio"], f"{float(row['seconds']) / float(row['reference']):.1f}", f"ratio of the row of {row['date']}")
    expect(row["reason"] != "", True, f"reason of the row of {row['date']}")

print("\n".join(wrong))
sys.exit(1 if wrong else 0)
