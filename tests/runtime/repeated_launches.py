"""Launches that repeat an earlier launch are not executed, and nothing else changes.
    repeated_launches.py BANKWISE NVCC SOURCE
Each way of launching runs twice: with and without --repeat-launches. The output, the exit status and the report must be
equal, except for the number of launches that were not executed. The table has this number for each way.
"""
import json
import os
import subprocess
import sys
import tempfile

BANKWISE, NVCC, SOURCE = (os.path.abspath(word) for word in sys.argv[1:4])
TIMES = 12
# The first launch is executed, and the second one is recorded.
LEFT_OUT = {
    "same": 10,  # reads and writes the same each time
    "memset": 0,  # writes only a part of an allocation whose other bytes are different each time
    "reset": 10,  # changes memory that the program restores before each launch
    "copy": 2,  # new input in each third launch
    "d2d": 10,
    "iterate": 0,  # the results are the next input
    "pingpong": 15,  # one launch undoes the other
    "chain": 0,
    "count": 0,  # counts in a variable of the device
    "print": 0,
    "heap": 0,
    "managed": 1,  # the host changes the input
    "managed_out": 9,  # the host changes a result
    "pinned": 1,
    "symbol": 4,  # new constants in each third launch
    "table": 1,
    "converge": 2,
    "grid": 10,
    "clock": 0,
    "free": 0,
    "graph": 20,
    "bad": 4,  # the seventh launch fails
}
# Ways in which the launches are also checked. The launches of a kernel without findings are left out as without a check.
CHECKED = {"same": 10, "reset": 10, "iterate": 0, "heap": 0, "bad": 4, "races": 0}


def run(folder, program, way, *flags):
    report = os.path.join(folder, "report.json")
    if os.path.exists(report):
        os.remove(report)
    done = subprocess.run([BANKWISE, "run", "--format", "json", "-o", report, *flags, program, way, str(TIMES)],
                          capture_output=True, text=True, timeout=300)
    with open(report) as file:
        return done.returncode, done.stdout, json.load(file)


def main():
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "program")
        subprocess.run([NVCC, "-arch=sm_90", "-cudart", "shared", "-o", program, SOURCE], check=True)
        for way, expected, *flags in [*LEFT_OUT.items(), *((*one, "--check", "all") for one in CHECKED.items())]:
            executed = run(folder, program, way, "--repeat-launches", *flags)
            status, output, report = run(folder, program, way, *flags)
            left_out = sum(launch.pop("repeats", 0) for launch in report["launches"])
            if (status, output, report) != executed:
                print(f"{way} {flags}: the results or the report differ if no launch is left out")
                wrong += 1
            if left_out != expected:
                print(f"{way} {flags}: {left_out} launches were not executed, but {expected} were expected")
                wrong += 1
    sys.exit(wrong != 0)


main()
