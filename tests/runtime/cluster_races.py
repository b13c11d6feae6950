"""What run --check race finds between the blocks of a cluster, which access each other's shared memory.
    cluster_races.py BANKWISE NVCC SOURCE
The table has the hazards of each kernel of the program. Kernels without hazards are right.
"""
import json
import os
import subprocess
import sys
import tempfile

BANKWISE, NVCC, SOURCE = (os.path.abspath(word) for word in sys.argv[1:4])
RAW, WAR, WAW, ENDED = "read_after_write", "write_after_read", "write_after_write", "ended_block"
EXPECTED = {
    "send": [],
    "send_split": [],
    "send_none": [RAW],
    "send_too_late": [RAW],
    "fetch": [],
    "fetch_none": [WAR],
    "count": [],
    "count_none": [WAR],
    "read_late": [],
    "read_before_end": [ENDED],
    "read_ended": "has ended",
    "bytes": [],
    "add": [],
    "add_none": [WAW],
    "add_floats": [],
    "add_floats_none": [WAW],
    "one_waits": [],
    "flag": [],
}


def main():
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        program, report = os.path.join(folder, "races"), os.path.join(folder, "report.json")
        subprocess.run([NVCC, "-arch=sm_90", "-lineinfo", "-o", program, SOURCE], check=True)
        for name, expected in EXPECTED.items():
            if os.path.exists(report):
                os.remove(report)
            done = subprocess.run([BANKWISE, "run", "--check", "race", "--format", "json", "-o", report, program, name],
                                  capture_output=True, text=True, timeout=300)
            if isinstance(expected, str):  # a fault
                if expected not in done.stderr or done.returncode == 0:
                    wrong.append(f"{name}: {done.stderr}")
                continue
            with open(report) as file:
                hazards = [h for launch in json.load(file)["launches"] for h in launch["hazards"]]
            found = sorted({h["kind"] for h in hazards})
            if found != expected or done.returncode != bool(expected) or "no error" not in done.stdout:
                wrong.append(f"{name}: found {found}, expected {expected}; exit {done.returncode}")
            if any(h.get("cause") != "other_block" for h in hazards if h["kind"] != ENDED):
                wrong.append(f"{name}: {hazards}")
    print("\n".join(wrong))
    return 1 if wrong else 0


sys.exit(main())
