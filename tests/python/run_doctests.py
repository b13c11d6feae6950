#!/usr/bin/python3
"""Runs the examples in the docstrings of the installed package, and those in blocks of pages that are marked as pycon.
  run_doctests.py EXAMPLES PAGE...
Every docstring for users has an example. Examples can use `examples` (the folder), `report` (the result of run() for a
kernel in it), kernels and arguments of a simulated Triton, and `tensors` (a kernel with tensors as parameters, like
those of CuTe DSL).
"""
import doctest
import importlib
import inspect
import pathlib
import pkgutil
import re
import sys
import tempfile
import types

sys.path.append(str(pathlib.Path(__file__).parent))
import played_triton

import bankwise
import bankwise.cute
import bankwise.jupyter
import bankwise.testing
import bankwise.triton

EXAMPLES = pathlib.Path(sys.argv[1])
names = {"examples": str(EXAMPLES), "bankwise": bankwise, "tempfile": tempfile, **played_triton.play(EXAMPLES)}
names["tensors"] = types.SimpleNamespace(__cubin__=(EXAMPLES.parent / "tests/kernels/tensor_struct.cubin").read_bytes())
names["report"] = bankwise.run(EXAMPLES / "transpose.cubin", "transpose_plain", grid=(2, 2), block=(32, 8),
                               args=["out:f32[4096]", "f32[4096]=iota", 64])
# A program that copies 4,096 bytes and launches a kernel that waits for them.
names["saved_times"] = bankwise._report.report_of({"arch": "sm_90", "exactness": "exact", "launches": [], "timeline": {
    "gpu": "H100 SXM", "nanoseconds": 30400, "busy_nanoseconds": 25000, "kernel_nanoseconds": 10000, "launches_without_time": 0,
    "waits_for": [{"kind": kind, "count": 1, "nanoseconds": ns} for kind, ns in (("copy to the device", 15000), ("kernel", 10000), ("launch call", 4000))],
    "critical_path": [{"kind": "copy to the device", "name": "4,096 bytes", "count": 1, "nanoseconds": 15000}],
    "operations": [
        {"kind": "call", "name": "copy", "begin": 0, "nanoseconds": 2400, "critical": True},
        {"kind": "copy to the device", "name": "4,096 bytes", "stream": 1, "begin": 2400, "nanoseconds": 15000, "critical": True, "call": 0},
        {"kind": "kernel", "name": "add", "grid": [64, 1, 1], "block": [256, 1, 1], "bound": "dram", "stream": 2, "begin": 17400,
         "nanoseconds": 10000, "critical": True, "after": [1]}]}})
names["times"] = bankwise.timeline(names["saved_times"])
names["profile"] = bankwise.triton.profile(names["attention"], (4,), names["attention_args"], **names["attention_options"])
names["found"] = bankwise.triton.sweep(names["attention"], (4,), names["attention_args"],
                                       [{**names["attention_options"], "num_warps": n} for n in (4, 8)])
names["triton"] = sys.modules["triton"]
names["choices"] = bankwise.tune(lambda config: (EXAMPLES / "transpose.cubin", config["kernel"], (64, 64), (32, 8)),
                               [{"kernel": "transpose_plain"}, {"kernel": "transpose_padded"}], ["out:f32[4M]", "f32[4M]=iota", 2048])
failed = tried = 0
for module in [bankwise, *(importlib.import_module("bankwise." + m.name) for m in pkgutil.iter_modules(bankwise.__path__)
                           if m.name != "__main__")]:
    for test in doctest.DocTestFinder().find(module, extraglobs=names):
        result = doctest.DocTestRunner().run(test)
        failed, tried = failed + result.failed, tried + result.attempted


# These functions are not for users, although their names do not begin with an underscore. Other tests run the notebook
# magic with a simulated shell.
INSIDE = {"compile", "register", "parser", "run_cell", "load_ipython_extension"}


def documented(thing, name):
    """(name, docstring) of a public object and its members."""
    yield name, thing.__doc__
    for member, value in vars(thing).items() if inspect.isclass(thing) else ():
        said = value.__doc__ if isinstance(value, (types.FunctionType, property)) else None
        if said and not member.startswith("_"):
            yield name + "." + member, said


for module in (bankwise, bankwise.testing, bankwise.triton, bankwise.cute, bankwise.jupyter):
    for name, thing in vars(module).items():
        if name.startswith("_") or name in INSIDE or not (inspect.isclass(thing) or inspect.isfunction(thing)):
            continue
        own = (module.__name__, module.__name__.replace("bankwise.", "bankwise._") + "_layouts")
        if module is not bankwise and thing.__module__ not in own:
            continue
        for of, said in documented(thing, module.__name__ + "." + name):
            assert said, of + " has no docstring"
            assert ">>>" in said, of + " shows no example"
for page in map(pathlib.Path, sys.argv[2:]):
    blocks = re.findall(r"^```pycon\n(.*?)^```", page.read_text(), re.M | re.S)
    assert blocks, page
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), dict(names), page.name, str(page), 0)
    result = doctest.DocTestRunner().run(test)
    failed, tried = failed + result.failed, tried + result.attempted
print(tried, "examples,", failed, "failed")
sys.exit(failed != 0 or tried < 100)
