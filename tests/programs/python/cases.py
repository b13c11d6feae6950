# Cases of one package, each a function that computes something on the device and returns the results:
#     @case
#     def softmax(): return torch.softmax(random(64, 1000), 1)
# `python3 torch_cases.py FOLDER [NAME...]` runs the named cases, or all, and writes FOLDER/NAME.npz. For a case that fails, it
# prints a line with the reason. scripts/run-python runs all cases twice, on a GPU and without a GPU, and compares the results.
import os
import sys
import time
import traceback

import numpy

cases = {}


def case(function):
    cases[function.__name__] = function
    return function


def as_array(value):
    if hasattr(value, "detach"):  # PyTorch
        value = value.detach()
        if value.dtype.itemsize < 4 and value.is_floating_point():
            value = value.float()  # numpy has no bfloat16, but a float can hold every bfloat16 number
        return value.cpu().numpy()
    if hasattr(value, "get"):  # CuPy
        return value.get()
    return numpy.asarray(value)


def main():
    folder, names = sys.argv[1], sys.argv[2:] or list(cases)
    os.makedirs(folder, exist_ok=True)
    failed = False
    for name in names:
        print("case", name, flush=True)
        begin = time.monotonic()
        try:
            results = cases[name]()
            if not isinstance(results, (tuple, list)):
                results = [results]
            numpy.savez(os.path.join(folder, name + ".npz"), *[as_array(r) for r in results])
            print("done", name, f"{time.monotonic() - begin:.2f}", flush=True)
        except Exception as error:
            if os.environ.get("CASES_TRACEBACK"):
                traceback.print_exc()
            print("failed", name, type(error).__name__ + ": " + " ".join(str(error).split())[:300], flush=True)
            failed = True
            break  # CUDA fails in this process from now on, so the caller runs the remaining cases in a new process
    sys.stdout.flush()
    if failed:
        os._exit(1)  # exits without waiting for a device that has an error
