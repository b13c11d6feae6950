#!/usr/bin/env python3
"""Measures whole programs with Nsight Compute: the naive ones of bench/naive, the good ones, and edited copies of them.

    bench/measure_naive.py TIMES.csv [FOLDER...]     bench/naive, bench/naive/good, and each FOLDER, such as bench/naive/edited

TIMES.csv gets a row for each program and folder: program, folder, microseconds, checksum. The microseconds are the sum over the
kernels that the program launches. Before each kernel the caches are cold, and the clocks are locked to the base clock. A program that
fails, or whose checksum differs from the naive one's, gets no time: its checksum says why. The first error of nvcc or of the run is on
standard error. The script needs nvcc, ncu and a GPU, and compiles for sm_90 (ARCH names another architecture). It exits with 2 if a
tool is missing, and with 1 if a program got no time."""
import concurrent.futures
import csv
import os
import pathlib
import sys
import tempfile

from measure_faults import compiled, profile, tool

NAIVE = pathlib.Path(__file__).resolve().parent / "naive"
GOOD = NAIVE / "good"
COLUMNS = ["program", "folder", "microseconds", "checksum"]


def sources_of(folders):
    """Each program of bench/naive and its copies, the naive one first: a list of (source, name of its folder)."""
    names = sorted(path.name for path in NAIVE.glob("*.cu"))
    for folder in folders:
        if not any((folder / name).is_file() for name in names):
            print(f"bench/measure_naive.py: {folder} has no copy of a program of bench/naive: name another folder", file=sys.stderr)
            sys.exit(2)
    places = [(NAIVE, "naive"), (GOOD, "good"), *((folder, str(folder)) for folder in folders)]
    return [(place / name, label) for name in names for place, label in places if (place / name).is_file()]


def result(ncu, program, expected, folder):
    """The microseconds (empty without a time) and the checksum or the reason why there is no time."""
    if program is None:
        return "", "does not compile"
    try:
        kernels, checksum = profile(ncu, [program], folder)
    except RuntimeError as why:
        print(f"{program}: {why}", file=sys.stderr)
        return "", "fails: " + str(why).splitlines()[0]
    if expected not in (None, checksum):
        return "", f"differs: {checksum} instead of {expected}"
    return f"{sum(kernel['nanoseconds'] for kernel in kernels) / 1e3:.2f}", checksum


def main(words):
    if not words or words[0].startswith("-"):
        sys.exit(__doc__)
    nvcc, ncu = tool("nvcc"), tool("ncu")
    sources = sources_of([pathlib.Path(word) for word in words[1:]])
    failed, expected = 0, {}
    with tempfile.TemporaryDirectory() as place, open(words[0], "w", newline="") as table:
        out = csv.writer(table, lineterminator="\n")
        out.writerow(COLUMNS)

        def compile_one(number):
            folder = pathlib.Path(place) / str(number)
            folder.mkdir()
            # A copy finds host.cuh, wherever its folder is.
            return compiled(nvcc, sources[number][0], folder, "-I", NAIVE, "-I", GOOD)

        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            programs = list(pool.map(compile_one, range(len(sources))))
        for (source, label), program in zip(sources, programs):
            microseconds, checksum = result(ncu, program, expected.get(source.name), pathlib.Path(place))
            if microseconds:
                expected.setdefault(source.name, checksum)
            failed += not microseconds
            out.writerow([source.stem, label, microseconds, checksum])
            table.flush()
    print(f"{len(sources) - failed} of {len(sources)} programs were measured with the checksum of the naive one")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main(sys.argv[1:])
