"""What run --check memory and --check init find in a program, and what they let pass.
    checked_calls.py BANKWISE NVCC SOURCE
Each way of the program runs with each check. The table has what the reports contain: the exit status, the hazards, the
faults of the program's calls, and the number of instructions out of bounds. Without a check, nothing is found that
changes the exit status.
"""
import json
import os
import subprocess
import sys
import tempfile

BANKWISE, NVCC, SOURCE = (os.path.abspath(word) for word in sys.argv[1:4])
CLEAN = (0, (), (), 0)
READ, COPY = "uninitialised global", "unwritten_copy"
# For each way: the result of --check init, and of --check memory.
EXPECTED = {
    "unwritten": ((1, (READ,), (), 0), CLEAN),
    "partly": ((1, (READ,), (), 0), CLEAN),
    "last byte": ((1, (READ,), (), 0), CLEAN),
    "copied": (CLEAN, CLEAN),
    "by kernel": (CLEAN, CLEAN),
    "through a copy": ((1, (READ,), (), 0), CLEAN),
    "atomic": ((1, (READ,), (), 0), CLEAN),
    "three words": (CLEAN, CLEAN),
    "four words": ((1, (READ,), (), 0), CLEAN),
    "padding": (CLEAN, CLEAN),
    "stack": ((1, ("uninitialised local",), (), 0), CLEAN),
    "whole stack": (CLEAN, CLEAN),
    "variable": (CLEAN, CLEAN),
    "managed": (CLEAN, CLEAN),
    "past heap": (CLEAN, (1, ("outside_heap_block global",), (), 0)),
    "inside heap": (CLEAN, CLEAN),
    "heap after free": (CLEAN, (1, ("outside_heap_block global",), (), 0)),
    "host copy": ((0, (), (COPY,), 0), CLEAN),
    "host copy of all": (CLEAN, CLEAN),
    "host copy of padding": (CLEAN, CLEAN),
    "twice": (None, (1, (), ("freed_twice",), 0)),
    "inside": (None, (1, (), ("bad_free",), 0)),
    "host": (None, (1, (), ("bad_free",), 0)),
    "leak": (CLEAN, (0, (), ("leak",) * 5, 0)),
    "at exit": (CLEAN, CLEAN),
    "ignored": (CLEAN, (1, (), ("bad_copy",), 0)),
    "past pinned": (None, (1, (), ("bad_copy",), 0)),
    "after free": (None, (1, (), ("bad_copy",), 0)),
    "past the end": (None, (1, (), (), 1)),
}


def run(folder, program, way, *flags):
    report = os.path.join(folder, "report.json")
    if os.path.exists(report):
        os.remove(report)
    done = subprocess.run([BANKWISE, "run", "--format", "json", "-o", report, *flags, program, way],
                          capture_output=True, text=True, timeout=300)
    if not os.path.exists(report):
        return None, done
    with open(report) as file:
        document = json.load(file)
    launches = document["launches"]
    hazards = {h["kind"] + " " + h.get("memory", "shared") for l in launches for h in l.get("hazards", ())}
    faults = [f["kind"] for f in document.get("program_faults", ())]
    return (done.returncode, tuple(sorted(hazards)), tuple(faults),
            sum(len(l.get("out_of_bounds", ())) for l in launches)), done


def main():
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "program")
        subprocess.run([NVCC, "-arch=sm_90", "-lineinfo", "-cudart", "shared", "-o", program, SOURCE], check=True)
        for way, (init, memory) in EXPECTED.items():
            for check, expected in (("init", init), ("memory", memory)):
                found, done = run(folder, program, way, "--check", check)
                if expected is not None and found != expected:
                    wrong.append("{} with --check {}: {}, but expected {}\n{}".format(way, check, found, expected, done.stderr))
            found, _ = run(folder, program, way)
            if found is not None and (found[0] not in (0, 2) or found[1] or found[2]):
                wrong.append("{} without a check: {}".format(way, found))
        # A use after the free in stream order, and the places of the program in the text.
        _, done = run(folder, program, "freed", "--check", "memory")
        if done.returncode != 2 or "which was freed" not in done.stderr or "allocated in main" not in done.stderr:
            wrong.append("freed: " + done.stderr)
        text = "".join(subprocess.run([BANKWISE, "run", "--check", "all", program, way], capture_output=True, text=True).stderr
                       for way in ("leak", "unwritten", "twice"))
        for words in ("leaked 5 allocations, 20 kB", "warning: memory was not freed", "allocated in main, at program+",
                      "a read of global memory that was never written", "checked_calls.cu:8", "byte 0 of cudaMalloc memory",
                      "memory was freed twice: 1 call", "freed in main, at program+"):
            if words not in text:
                wrong.append("the text lacks '{}':\n{}".format(words, text))
    print("\n".join(wrong))
    return 1 if wrong else 0


sys.exit(main())
