"""bench/measure_spaces.py without a GPU: the table of spaces, and a small space that is listed, compiled and launched on the emulated driver.
    measured_spaces.py BANKWISE SOURCE_DIR
Exits with 77 if nvcc is not installed.
"""
import csv
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

BANKWISE, SOURCE = (pathlib.Path(a).resolve() for a in sys.argv[1:3])
NVCC = shutil.which("nvcc") or os.path.join(os.environ.get("CUDA_HOME", "/usr/local/cuda"), "bin/nvcc")
if not os.path.exists(NVCC):
    print("skipped: nvcc is not installed")
    sys.exit(77)
os.environ["PATH"] += os.pathsep + os.path.dirname(NVCC)
SCRIPT = SOURCE / "bench/measure_spaces.py"
PYTHON = os.path.realpath(sys.executable)
wrong = []


def expect(what, is_so, says=""):
    if not is_so:
        wrong.append(what)
        print(f"FAIL: {what}\n{says}")


def run(*words, **variables):
    return subprocess.run([str(word) for word in words], env={**os.environ, "BANKWISE": str(BANKWISE), **variables}, capture_output=True, text=True)


with tempfile.TemporaryDirectory() as scratch:
    folder = pathlib.Path(scratch).resolve()
    os.environ["SPACES"] = str(folder)
    os.environ.pop("SHARD", None)
    sys.path.insert(0, str(SCRIPT.parent))
    sys.dont_write_bytecode = True
    import measure_spaces

    # Four spaces to learn from, and eight to look at.
    table = measure_spaces.read_table()
    expect("4 of 12 spaces are to learn from", (sum(one["learn"] for one in table.values()), len(table)) == (4, 12))
    listed = run(PYTHON, SCRIPT, "list")
    expect("all spaces are listed", listed.returncode == 0, listed.stderr)
    counts = {name: len((folder / "lists" / (name + ".jsonl")).read_text().splitlines()) for name in table}
    expect("a space has 30 to 100 configurations", all(30 <= n <= 100 for n in counts.values()), counts)

    # A part of one space, with a small size. ncu is not needed for the times by events.
    shutil.rmtree(folder / "lists")
    parts = dict(SHARD="5/24", SMALL="1", NCU="off")
    run(PYTHON, SCRIPT, "list", "reduction", **parts)
    compiled = run(PYTHON, SCRIPT, "compile", **parts)
    expect("the part is compiled", "3 compiled" in compiled.stdout, compiled.stdout + compiled.stderr)
    measured = run(BANKWISE, "run", "--time-model", "off", "-o", folder / "report.json", "--", PYTHON, SCRIPT, "measure", **parts)
    expect("it is launched", measured.returncode == 0, measured.stdout + measured.stderr)
    rows = list(csv.DictReader(open(folder / "measured/reduction.csv")))
    expect("each row has a time and the launch, and its results agree", len(rows) == 3 and all(
        float(row["microseconds"]) > 0 and int(row["registers"]) > 0 and row["grid"] and row["agrees"] == "yes" for row in rows), rows)

    # A launch that is not possible has its error in its row. The others are measured.
    cubins = folder / "cubins/reduction.jsonl"
    launches = measure_spaces.read_list(cubins)
    launches[0]["block"] = [4096]
    measure_spaces.write_list("reduction", launches)
    run(BANKWISE, "run", "--time-model", "off", "-o", folder / "report.json", "--", PYTHON, SCRIPT, "measure", **parts)
    said = [row["agrees"] for row in csv.DictReader(open(folder / "measured/reduction.csv"))]
    expect("only the impossible launch fails", said == ["cuLaunchKernel: CUDA_ERROR_INVALID_VALUE", "yes", "yes"], said)

    # The buffers have the same contents as those of bankwise.
    for kind in ("f32", "f16", "u32"):
        dumped = folder / kind
        run(BANKWISE, "run", SOURCE / "examples/transpose.cubin", "-k", "transpose_plain", "--grid", "1,1", "--block", "32,8", "--arg", "out:f32[1024]",
            "--arg", f"{kind}[2048]=random:7", "--arg", "32", "--dump", f"2={dumped}", "--time-model", "off", "-o", folder / "report.json")
        expect(f"random numbers of {kind}", dumped.read_bytes() == measure_spaces.contents(kind, 2048, "random:7"))

    log = folder / "log"
    log.write_text('==PROF== Connected to process 7\n"ID","Process ID","Process Name","Host Name","Kernel Name","Metric Name","Metric Unit","Metric Value"\n'
                   '"0","7","python3","here","scan","gpc__cycles_elapsed.max","cycle","12,345"\n'
                   '"1","7","python3","here","scan","gpc__cycles_elapsed.max","cycle","987"\n')
    expect("the cycles of ncu", measure_spaces.cycles_of(log) == [12345, 987])

sys.exit(bool(wrong))
