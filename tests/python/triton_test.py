"""Kernels of Triton: what is read of Triton's IR, and where Triton is there, compiling and running them without a GPU.

matmul_tf32.ttgir and softmax.ttgir are what Triton 3.6 made of examples/triton/kernels.py for launches of launches.csv.
"""
import csv
import importlib.util
import os
import pathlib
import sys

import pytest

import bankwise
from bankwise import triton

HERE = pathlib.Path(__file__).parent
EXAMPLES = pathlib.Path(os.environ["EXAMPLES"]) / "triton"


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
    with pytest.raises(bankwise.Error, match="no Triton"):
        triton.profile(None, (1,))


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
