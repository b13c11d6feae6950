"""The table of compute-sanitizer's options in docs/howto/no-gpu-ci.md names only flags and values that exist.
    sanitizer_options.py BANKWISE PROJECT
Asks bankwise run --help, and compute-sanitizer --help if it is on this machine.
"""
import os
import re
import shutil
import subprocess
import sys

BANKWISE, PROJECT = (os.path.abspath(word) for word in sys.argv[1:3])


def asked(*words):
    done = subprocess.run(words, capture_output=True, text=True)
    return done.stdout + done.stderr


def main():
    with open(os.path.join(PROJECT, "docs/howto/no-gpu-ci.md")) as page:
        lines = page.read().split("| compute-sanitizer |", 1)[1].split("\n\n", 1)[0].splitlines()[2:]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    if len(rows) < 8:
        return "the table of compute-sanitizer's options has only {} rows".format(len(rows))
    wrong = []
    ours, tool = asked(BANKWISE, "run", "--help"), shutil.which("compute-sanitizer")
    theirs = asked(tool, "--help") if tool else None
    for theirs_cell, *our_cells in rows:
        for given in re.findall(r"`(--[^`]+)`", " ".join(our_cells)):
            flag, *values = given.split()
            if flag + "[" in ours or not re.search(re.escape(flag) + r"[ =,\n]", ours):
                wrong.append("bankwise run has no flag " + flag)
            refused = asked(BANKWISE, "run", "tests/kernels/races.cubin", "-k", "reads_nothing", *given.split())
            if values and "expected" in refused and flag in refused:
                wrong.append("bankwise run refuses {}: {}".format(given, refused))
        for flag in re.findall(r"`(--[a-z-]+)", theirs_cell):
            if theirs is not None and flag not in theirs:
                wrong.append("compute-sanitizer has no option " + flag)
    return "\n".join(wrong)


os.chdir(PROJECT)
problems = main()
print(problems or "every option exists")
sys.exit(1 if problems else 0)
