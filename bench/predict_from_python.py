#!/usr/bin/python3
"""Measures how fast the Python package computes the costs of an array of accesses, and a C++ loop over the same array.

    python3 bench/predict_from_python.py build/release/bench/predict_loop      with the package installed, and numpy
"""
import subprocess
import sys
import tempfile
import time

import numpy

import bankwise

ROWS, ROUNDS = 1 << 18, 5
pick = numpy.random.default_rng(7)
for name, table in (("random addresses", pick.integers(0, 1024, (ROWS, 32), dtype=numpy.uint32) * 4),
                    ("strides", pick.integers(0, 65, (ROWS, 1), dtype=numpy.uint32) * numpy.arange(32, dtype=numpy.uint32) * 4)):
    table = numpy.ascontiguousarray(table, dtype=numpy.uint32)
    from_python, from_cpp = [], []
    with tempfile.NamedTemporaryFile() as file:
        file.write(table.tobytes())
        file.flush()
        for _ in range(ROUNDS):  # alternates the two loops, because the machine may also do other work
            start = time.perf_counter()
            found = bankwise.predict(table)
            from_python.append(ROWS / (time.perf_counter() - start))
            rate, total = subprocess.run([sys.argv[1], file.name], stdout=subprocess.PIPE, check=True).stdout.split()
            assert int(total) == int(found.wavefronts.sum(dtype=numpy.uint64))
            from_cpp.append(float(rate))
    print("{}: Python {:.2f} M accesses/s, C++ {:.2f} M accesses/s, ratio {:.2f}".format(
        name, max(from_python) / 1e6, max(from_cpp) / 1e6, max(from_python) / max(from_cpp)))
