#!/usr/bin/python3
"""Runs scripts/take-evidence in a separate tree.
    take_evidence.py BANKWISE SOURCES
"""
import os
import pathlib
import subprocess
import sys
import tempfile

BANKWISE, SOURCES = sys.argv[1], pathlib.Path(sys.argv[2])
H100 = (SOURCES / "data/sm_90/evidence.json").read_text()
HEADER = "arch,gpu,driver,timed,timed_holds,counted,counted_holds,parameters,bankwise,file\n"
ROW = "sm_90,{},13000,112018,112018,1138,1138,0,0.1.0,data/sm_90/{}.json\n"


def take(tree, *words):
    """The exit status and the output."""
    run = subprocess.run([SOURCES / "scripts/take-evidence", *words], text=True, capture_output=True, cwd=tree,
                         env={**os.environ, "BANKWISE": BANKWISE, "BANKWISE_DATA": str(tree / "data")})
    return run.returncode, run.stdout + run.stderr


def expect(what, is_so):
    if not is_so:
        sys.exit(f"this is not true: {what}")


with tempfile.TemporaryDirectory() as folder:
    tree = pathlib.Path(folder)
    (tree / "data").mkdir()
    table = tree / "data/contributed.csv"
    (tree / "h100.json").write_text(H100)
    (tree / "h200.json").write_text(H100.replace("NVIDIA H100 80GB HBM3", "NVIDIA H200"))
    (tree / "hostile.json").write_text(H100.replace('"seed": 1,', '"seed": 1, "host": "box",'))
    status, said = take(tree, "h100.json", "h200.json")
    expect(f"both files are accepted: {said}", status == 0)
    expect("the table has both GPUs, in order",
           table.read_text() == HEADER + ROW.format("NVIDIA H100 80GB HBM3", "nvidia-h100-80gb-hbm3") +
           ROW.format("NVIDIA H200", "nvidia-h200"))
    expect("the bytes of the files are unchanged", (tree / "data/sm_90/nvidia-h100-80gb-hbm3.json").read_text() == H100)
    expect("the table is current", take(tree, "--check")[0] == 0)
    status, said = take(tree, "hostile.json")
    expect(f"a hostile file is refused with its line: {said}", status != 0 and "hostile.json:13" in said)
    status, said = take(tree, "h100.json")
    expect(f"a second file of the same GPU is refused: {said}", status != 0 and "--replace" in said)
    expect("--replace replaces the file", take(tree, "--replace", "h100.json")[0] == 0)
    expect("there are no other new files", len(list((tree / "data").rglob("*.json"))) == 2)
    expect("the same file twice is refused", take(tree, "--replace", "h200.json", "h200.json")[0] != 0)
    packed = tree / "packed.csv"
    subprocess.run([BANKWISE, "contribute", SOURCES / "data/sm_90/timing.csv", "-o", packed], check=True, capture_output=True)
    status, said = take(tree, "packed.csv")
    expect(f"a packed file of parameters is accepted: {said}", status == 0)
    rows = table.read_text().splitlines()
    expect("its row names the file and has no accesses",
           rows[2].startswith("sm_90,NVIDIA H100 80GB HBM3,0,0,0,0,0,") and rows[2].endswith(",data/sm_90/timing-nvidia-h100-80gb-hbm3.csv"))
    expect("the bytes of the parameters are unchanged", (tree / "data/sm_90/timing-nvidia-h100-80gb-hbm3.csv").read_text() == packed.read_text())
    status, said = take(tree, str(SOURCES / "data/sm_90/timing.csv"))
    expect(f"a file that is not packed is refused with its line: {said}", status != 0 and "timing.csv:" in said)
    table.write_text(HEADER)
    expect("--check detects a table that is out of date", take(tree, "--check")[0] != 0)
    expect("unknown arguments are refused", take(tree, "--chekc")[0] != 0 and take(tree)[0] != 0)
