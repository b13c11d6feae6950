#!/usr/bin/env python3
"""Measures the kernels of bench/faults with Nsight Compute, before and after the remedy of their fault.

    bench/measure_faults.py TIMES.csv [NAME...]     all files, or only NAME.cu

TIMES.csv gets a row for each kernel: file, variant (before or after), nanoseconds, cycles, checksum. scripts/first-findings reads this
table if it is bench/faults/times.csv. The clocks are locked to the base clock, and the caches are cold. The script needs nvcc, ncu and
a GPU, and compiles for sm_90 (ARCH names another architecture). FAULTS is another folder with programs and a faults.csv, such as
bench/faults/deeper. It exits with 2 if a tool is missing, and with 1 if a program fails or
if the two variants of a file print different checksums. Such a file still gets the rows that could be measured."""
import concurrent.futures
import csv
import io
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

FAULTS = pathlib.Path(os.environ.get("FAULTS", pathlib.Path(__file__).resolve().parent / "faults"))
ARCH = os.environ.get("ARCH", "sm_90")
COLUMNS = ["file", "variant", "nanoseconds", "cycles", "checksum"]
METRICS = {"gpu__time_duration.sum": "nanoseconds", "sm__cycles_elapsed.max": "cycles"}
UNITS = {"nsecond": 1, "ns": 1, "usecond": 1e3, "us": 1e3, "msecond": 1e6, "ms": 1e6, "second": 1e9, "s": 1e9}
SECONDS = 60  # of one run in Nsight Compute


def tool(name):
    """The path of a tool of the CUDA toolkit."""
    found = shutil.which(name) or shutil.which(name, path="/usr/local/cuda/bin")
    if found is None:
        print(f"bench/measure_faults.py: {name} was not found: add its folder to PATH", file=sys.stderr)
        sys.exit(2)
    return found


def compiled(nvcc, source, folder, *flags):
    """The program of a source, or None with nvcc's errors on standard error."""
    program = folder / source.stem
    made = subprocess.run([nvcc, "-O3", "-lineinfo", f"-arch={ARCH}", *flags, "-o", program, source], capture_output=True, text=True)
    if made.returncode != 0:
        print(f"{source}: nvcc failed\n{made.stderr}", file=sys.stderr)
        return None
    return program


def run(words):
    """The output of a command, which is ended with all its children after SECONDS. Raises RuntimeError if it fails."""
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True) as process:
        try:
            output, _ = process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise RuntimeError(f"took more than {SECONDS} s") from None
    if process.returncode != 0:
        raise RuntimeError(f"exited with {process.returncode}: {output.strip()[-500:]}")
    return output


def kernels_of(table):
    """The measured values of each kernel in Nsight Compute's table, by our names of the columns, in the order of the launches."""
    lines = table.splitlines()
    start = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
    if start is None:
        raise RuntimeError(f"Nsight Compute wrote no table: {table.strip()[-500:]}")
    kernels = {}
    for row in csv.DictReader(io.StringIO("\n".join(lines[start:]))):
        if name := METRICS.get(row.get("Metric Name")):
            value = round(float(row["Metric Value"].replace(",", "")) * UNITS.get(row["Metric Unit"], 1))
            kernels.setdefault(row["ID"], {})[name] = value
    if not kernels or any(len(values) != len(METRICS) for values in kernels.values()):
        raise RuntimeError(f"a metric is missing: {table.strip()[-500:]}")
    return list(kernels.values())


def profile(ncu, words, folder):
    """The measured values of each kernel of a program, and the last line that it prints: its checksum."""
    log = folder / "ncu.csv"
    log.unlink(missing_ok=True)
    output = run([ncu, "--csv", "--print-units", "base", "--log-file", log, "--metrics", ",".join(METRICS), "--clock-control", "base",
                  *words])
    lines = [line for line in output.split("\n") if line and not line.startswith("==")]
    if not log.exists() or not lines:
        raise RuntimeError(f"no result: {output.strip()[-500:]}")
    return kernels_of(log.read_text()), lines[-1]


def measure(ncu, program, variant, folder):
    kernels, checksum = profile(ncu, [program, variant], folder)
    if len(kernels) > 1:
        raise RuntimeError("the program launched more than one kernel")
    return {**kernels[0], "checksum": checksum}


def main(words):
    if not words or words[0].startswith("-"):
        sys.exit(__doc__)
    nvcc, ncu = tool("nvcc"), tool("ncu")
    names = [row["file"] for row in csv.DictReader((FAULTS / "faults.csv").open())]
    sources = [FAULTS / name for name in names if not words[1:] or pathlib.Path(name).stem in words[1:]]
    failed = 0
    with tempfile.TemporaryDirectory() as place, open(words[0], "w", newline="") as table:
        folder, out = pathlib.Path(place), csv.DictWriter(table, COLUMNS, lineterminator="\n")
        out.writeheader()
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            programs = list(pool.map(lambda source: compiled(nvcc, source, folder), sources))
        for source, program in zip(sources, programs):
            checksums = set()
            for variant in ("before", "after") if program else ():
                try:
                    row = measure(ncu, program, variant, folder)
                except RuntimeError as why:
                    print(f"{source.name} {variant}: {why}", file=sys.stderr)
                    continue
                checksums.add(row["checksum"])
                out.writerow({"file": source.name, "variant": variant, **row})
                table.flush()
            if len(checksums) > 1:
                print(f"{source.name}: the checksums differ: {', '.join(sorted(checksums))}", file=sys.stderr)
            failed += len(checksums) != 1
    print(f"{len(sources) - failed} of {len(sources)} files were measured with equal checksums")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main(sys.argv[1:])
