"""What run --check race finds between operations of different streams, and between the host and the device.
    stream_races.py BANKWISE NVCC SOURCE
The table has the kinds of faults of each way of the program. Ways without faults are right programs.
"""
import json
import os
import subprocess
import sys
import tempfile

BANKWISE, NVCC, SOURCE = (os.path.abspath(word) for word in sys.argv[1:4])
STREAM, HOST, UNAWAITED = "stream_race", "host_race", "unawaited"
EXPECTED = {
    "no event": [STREAM],
    "event": [],
    "event too early": [STREAM],
    "event of before": [STREAM],
    "same stream": [],
    "synchronize": [],
    "event synchronize": [],
    "wrong stream": [STREAM],
    "both read": [],
    "halves": [],
    "halves and one": [STREAM],
    "copy over": [STREAM],
    "memset": [STREAM],
    "default stream": [],
    "not blocking": [STREAM],
    "atomics": [],
    "atomics and memset": [STREAM],
    "to pinned": [STREAM],
    "to pageable": [],
    "through two": [],
    "query": [],
    "freed": [STREAM],
    "freed in order": [],
    "rounds": [],
    "rounds without order": [STREAM],
    "host writes early": [HOST],
    "host writes late": [],
    "host writes managed": [HOST],
    "host writes other managed": [],
    "kernel writes pinned": [],
    "memset pinned": [],
    "memset pinned without waiting": [HOST],
    "frees early": [UNAWAITED],
    "frees after a wait": [],
}


def run(folder, program, way, *flags):
    report = os.path.join(folder, "report.json")
    if os.path.exists(report):
        os.remove(report)
    done = subprocess.run([BANKWISE, "run", "--format", "json", "-o", report, *flags, program, way],
                          capture_output=True, text=True, timeout=300)
    with open(report) as file:
        return done, json.load(file).get("program_faults", [])


def main():
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "program")
        subprocess.run([NVCC, "-arch=sm_90", "-lineinfo", "-cudart", "shared", "-o", program, SOURCE], check=True)
        for way, expected in EXPECTED.items():
            for check in ("race", "memory"):
                done, faults = run(folder, program, way, "--check", check)
                kinds = [f["kind"] for f in faults]
                if kinds != expected or done.returncode != (1 if {STREAM, HOST} & set(expected) else 0):
                    wrong.append(f"{way}, --check {check}: exit {done.returncode}, {kinds}\n{done.stderr}")
            done, faults = run(folder, program, way)
            if faults or done.returncode != 0:
                wrong.append(f"{way} without a check: {faults}")
        text = "".join(subprocess.run([BANKWISE, "run", "--check", "race", program, way], capture_output=True,
                                      text=True).stderr for way in ("halves and one", "host writes early"))
        for words in ("operations of two streams access the same bytes, and nothing orders them: 1 call, 4 bytes",
                      "kernel fills: byte 8,192 of cudaMalloc memory", "not in order with kernel fills", "program+",
                      "the program changed bytes while an operation in flight may use them", "a copy: byte 0 of"):
            if words not in text:
                wrong.append(f"the text lacks '{words}':\n{text}")
    print("\n".join(wrong))
    return 1 if wrong else 0


sys.exit(main())
