"""Kernels of Triton: reading Triton's IR, and, if Triton is installed, compiling and running kernels without a GPU.

matmul_tf32.ttgir and softmax.ttgir were made by Triton 3.6 from examples/triton/kernels.py for launches of launches.csv.
"""
import csv
import importlib.util
import os
import pathlib
import re
import sys
import types

import pytest

import bankwise
from bankwise import triton

HERE = pathlib.Path(__file__).parent
EXAMPLES = pathlib.Path(os.environ["EXAMPLES"]) / "triton"
sys.path.append(str(HERE))
import played_triton  # noqa: E402


def layouts(name):
    return triton.read_layouts((HERE / (name + ".ttgir")).read_text())


def test_shared_layouts_stand_beside_the_line_of_python():
    found = layouts("matmul_tf32")
    loads = [l for l in found if l.operation == "ttg.local_load"]
    assert [(os.path.basename(l.file), l.line) for l in loads] == [("kernels.py", 71)] * 2
    assert loads[0].layouts[0] == "#shared = swizzled_shared<{vec = 4, perPhase = 1, maxPhase = 8, order = [1, 0]}>"
    assert [l.line for l in found if l.operation == "ttg.convert_layout"] == [74]


def test_a_reduction_has_the_line_at_its_end():
    found = layouts("softmax")
    assert [(l.operation, os.path.basename(l.file)) for l in found] == [("tt.reduce", "standard.py")] * 2


def test_any_text_is_an_ir_without_layouts():
    for text in ("", "loc(", '#loc1 = loc(#loc1)\n%0 = ttg.local_load %1 : #shared loc(#loc1)', "#loc1 = loc(callsite(#loc2 at #loc1))"):
        assert triton.read_layouts(text) == ()


@pytest.mark.skipif(importlib.util.find_spec("triton") is not None, reason="Triton is here")
def test_without_triton_an_error_says_so():
    with pytest.raises(bankwise.Error, match="Triton is not installed"):
        triton.profile(None, (1,))


# --- with a simulated Triton


@pytest.fixture
def played():
    before = {name: module for name, module in sys.modules.items() if name.partition(".")[0] == "triton"}
    for name in before:
        del sys.modules[name]
    yield played_triton.play(EXAMPLES.parent)
    for name in [name for name in sys.modules if name.partition(".")[0] == "triton"]:
        del sys.modules[name]
    sys.modules.update(before)


def test_what_would_be_better_is_tried(played):
    kernel, args, options = (played["attention" + n] for n in ("", "_args", "_options"))
    grid = lambda c: (128 // c["BM"], c["n"] // 128)  # the grid finds constants and arguments by their names
    profile = triton.profile(kernel, grid, args, **options)
    # D and BN are not shapes of blocks. With other values, the kernel would compute something else.
    asked = [options] + [{**options, **one} for one in ({"num_warps": 4}, {"num_warps": 16}, {"BM": 16}, {"BM": 64})]
    assert kernel.asked == asked
    assert ({"num_warps": 4}, 6592) in profile.better() and profile.cycles == 9344
    assert [clocks for _, clocks in profile.better()] == sorted(clocks for _, clocks in profile.better())
    failed = profile.beside.profiles[1]
    assert isinstance(failed, bankwise.Error) and "no code for 16 warps" in str(failed)
    said = str(profile)
    assert "num_warps=4: 6,592 clocks of the shared pipe instead of 9,344" in said
    assert "in Gluon, dynamic shared memory 0 to 1,023: gl.SwizzledSharedLayout(vec=1, per_phase=1, max_phase=8" in said
    assert "<li>num_warps=4" in profile._repr_html_()
    assert {"BM": 32, "BN": 64, "D": 64, "num_warps": 16, "error": str(failed).splitlines()[0]} in profile.to_dict()["triton"]["beside"]
    # A grid of numbers only fits these block shapes. If nothing is removable, or if `better` is false, no other shape
    # is tried.
    for more, count in (({}, 3), ({"better": False}, 1), ({"num_warps": 4, "better": False}, 1)):
        kernel.asked.clear()
        triton.profile(kernel, (4,), args, **{**options, **more})
        assert len(kernel.asked) == count
    matmul = triton.profile(played["matmul"], (4, 2), played["matmul_args"], **played["matmul_options"])
    assert matmul.beside is None and matmul.better() == () and "would be better" not in str(matmul)


def test_a_configuration_that_cannot_be_compiled_is_a_row(played):
    options = played["attention_options"]
    found = triton.sweep(played["attention"], (4,), played["attention_args"],
                         ({**options, "num_warps": n} for n in (4, 16, 8)))
    assert [row.get("wavefronts") for row in found.rows()] == [7552, None, 9344]
    assert "no code for 16 warps" in str(found).splitlines()[2] and found.best.num_warps == 4
    assert triton.sweep(played["attention"], (4,), played["attention_args"], []).best is None


def test_a_sweep_takes_the_configurations_of_autotune(played):
    kernel, args, constants = played["attention"], played["attention_args"], dict(BM=32, BN=64, D=64)
    with pytest.raises(bankwise.Error, match="attention has no list of configurations"):
        triton.sweep(kernel, (4,), args)
    configs = [types.SimpleNamespace(kwargs=constants, num_warps=n, num_stages=1) for n in (4, 8)]
    tuned = types.SimpleNamespace(fn=kernel, configs=configs, arg_names=kernel.arg_names)
    found = triton.sweep(tuned, (4,), args)
    assert [row["num_warps"] for row in found.rows()] == [4, 8] and found.best.num_warps == 4
    assert kernel.asked == [{**constants, "num_warps": n, "num_stages": 1} for n in (4, 8)]


def test_a_sweep_says_what_gluon_says(played, monkeypatch):
    options, args = played["matmul_options"], played["matmul_args"]
    assert "gluon" not in next(triton.sweep(played["matmul"], (4, 2), args, [options]).rows())

    # Copies of a tile call this function. The test simulates the function, because only Triton contains Gluon.
    layouts = ("#blocked", "#shared")
    said = {line: triton.GluonCount("kernels.py", line, "ttg.local_load", layouts, 0) for line in (71, 74)}
    monkeypatch.setattr(triton, "gluon_conflicts", lambda ttgir: (said[71],))
    monkeypatch.setattr(triton, "read_layouts", lambda ttgir: ())
    row = next(triton.sweep(played["matmul"], (4, 2), args, [options]).rows())
    assert row["gluon"] == 0 and row["counted"] == 0
    worse = triton.GluonCount("kernels.py", 71, "ttg.local_load", layouts, 3)
    monkeypatch.setattr(triton, "gluon_conflicts", lambda ttgir: (worse, said[74]))
    found = triton.sweep(played["matmul"], (4, 2), args, [options])
    assert next(found.rows())["gluon"] == 3 and str(found).splitlines()[0].endswith("gluon  counted")
    assert "bank_conflicts() of #blocked and #shared: 3; counted: 0" in str(found.profiles[0])


def test_a_decorated_kernel_is_launched_here(played):
    launch = triton.report(played["attention"])[(4,)]
    args, options = played["attention_args"], played["attention_options"]
    assert launch(*args, **options).wavefronts == launch(*args[:-1], scale=0.125, **options).wavefronts == 9344


def test_what_the_page_says_runs(played, capsys):
    page = (EXAMPLES.parent.parent / "docs/howto/triton-and-cute.md").read_text()
    (code,) = [b for b in re.findall("^```python\n(.*?)^```", page, re.M | re.S) if "triton.sweep" in b]
    numbers = [played_triton.Tensor(128 * 128, "fp32") for _ in range(5)]
    exec(code, {**played, "bankwise": bankwise, **dict(zip(("out", "x", "c", "a", "b"), numbers))})
    said = capsys.readouterr().out
    assert "layouts that Triton chose" in said and "BM  BN  BK  PREC  num_warps" in said and "no code for 2 warps" in said


# --- tests with Triton, if it is installed


def launches():
    with open(EXAMPLES / "launches.csv") as table:
        return {row["program"]: row for row in csv.DictReader(table)}


@pytest.mark.parametrize("program", ["transpose_f32", "sort", "matmul_tf32"])
def test_kernels_cost_and_compute_what_a_gpu_showed(program):
    pytest.importorskip("triton")
    numpy = pytest.importorskip("numpy")
    pytest.importorskip("torch")  # kernels.py
    import zlib

    sys.path.insert(0, str(EXAMPLES))
    import kernels
    import torch

    torch.Tensor.cuda = lambda self: self
    row = launches()[program]
    args = [kernels.argument(text) for text in row["args"].split()][:-2]
    constants = {k: int(v) if v.isdigit() else v for k, v in (c.split("=") for c in row["constants"].split())}
    profile = triton.profile(getattr(kernels, row["kernel"]), tuple(map(int, row["grid"].split(","))), args,
                             num_warps=int(row["block"]) // 32, **constants)
    assert "%08x" % zlib.crc32(args[0].numpy().tobytes()) == row["crc32"]
    assert profile.shared_bytes == int(row["shared"])
    index = list(launches()).index(program)
    with open(EXAMPLES.parent.parent / "data/sm_90/triton.csv") as table:
        counted = [r for r in csv.DictReader(table) if int(r["launch"]) == index]
    for name in ("executed", "wavefronts", "ideal"):
        assert getattr(profile.report.launch, name) == sum(int(r[name]) for r in counted)
    assert profile.layouts and "layouts that Triton chose" in str(profile)
