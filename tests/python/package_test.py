"""The installed package as pytest users use it. EXAMPLES, in the environment: the folder of the project's examples."""
import array
import ast
import inspect
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import types

import pytest

import bankwise
from bankwise import cute, testing

EXAMPLES = pathlib.Path(os.environ["EXAMPLES"])
TRANSPOSE = EXAMPLES / "transpose.cubin"
LAUNCH = dict(kernel="transpose_plain", grid=(2, 2), block=(32, 8))


def transposed(numbers, n):
    return [numbers[j * n + i] for i in range(n) for j in range(n)]


def blocks(page, language):
    """The code of a how-to page."""
    return re.findall("^```" + language + "\\n(.*?)^```", (EXAMPLES.parent / "docs/howto" / page).read_text(), re.M | re.S)


def floats(n):
    return array.array("f", range(n)), array.array("f", bytes(4 * n))


# --- one access


def test_an_answer_is_the_commands_json():
    answer = bankwise.explain("tile[t][0]", array="float tile[32][32]")
    said = subprocess.run([sys.executable, "-m", "bankwise", "explain", "--format", "json", "--array", "float tile[32][32]",
                           "tile[t][0]"], stdout=subprocess.PIPE, check=True).stdout
    assert answer.to_dict() == json.loads(said)
    assert (answer.wavefronts, answer.reachable, answer.evidence) == (32, 1, "measured")
    assert answer._repr_html_().startswith("<svg")
    assert "32 wavefronts" in str(answer)


def test_flags_are_those_of_the_command_line():
    assert bankwise.explain("t * n * 4", let={"n": 33}).wavefronts == 1
    assert bankwise.explain("tile[threadIdx.x][threadIdx.y]", array="half tile[32][64]", block=(32, 8), warp=3).wavefronts == 32
    assert bankwise.explain([0, 128, None, 256], arch="10x4").arch == "10x4"
    assert bankwise.explain("t * 8", op="ld.b64", mask=0xFFFF).wavefronts == 1
    assert bankwise.explain("t * 4", mask=0xF).command() == "bankwise explain --mask 0x0000000f 't * 4'"


def test_a_mistake_says_where_it_is():
    with pytest.raises(bankwise.Error) as caught:
        bankwise.explain("(tt % 8) * 128")
    error = caught.value
    assert (error.message, error.line, error.column, error.length) == ("unknown name 'tt'", 1, 2, 2)
    assert error.hint == "did you mean t?" and error.flag == "expr"
    assert isinstance(error, ValueError) and "^^" in str(error)
    with pytest.raises(bankwise.Error, match="have more than"):
        bankwise.explain("t" * (1 << 21))
    for hostile in ("t\x1eop\x1fst", "\x1f", "\0", "t" + "(" * 5000, "{", "9" * 400):
        with pytest.raises(bankwise.Error):
            bankwise.explain(hostile)


# --- many accesses


def test_predictions_are_what_explain_says():
    pick = random.Random(7)
    for op, width in (("ld.b32", 4), ("ld.b64", 8), ("ld.b128", 16), ("st.b64", 8), ("atom.add.b32", 4)):
        rows = [[width * pick.randrange(64) if pick.random() < 0.9 else -1 for _ in range(32)] for _ in range(20)]
        found = bankwise.predict(rows, op)
        for i, row in enumerate(rows):
            one = bankwise.explain(row, op=op)
            assert [getattr(found, n)[i] for n in ("wavefronts", "ideal", "reachable", "passes", "cycles")] == [
                one.wavefronts, one.ideal, one.reachable, one.passes, one.cycles]


def test_predictions_of_arrays():
    numpy = pytest.importorskip("numpy")
    table = numpy.arange(32) * numpy.array([4, 128])[:, None]
    for dtype in ("int32", "uint32", "int64", "uint64"):
        assert bankwise.predict(table.astype(dtype)).wavefronts.tolist() == [1, 32]
    assert isinstance(bankwise.predict(table).wavefronts, numpy.ndarray)
    masks = numpy.array([0xFFFFFFFF, 0x3], "uint32")
    assert bankwise.predict(table, mask=masks).wavefronts.tolist() == [1, 2]
    assert len(bankwise.predict(numpy.zeros((0, 32), "int64"))) == 0
    for wrong, words in ((table.astype("float32"), "type f32"), (table[:, :31].copy(), "last dimension"),
                         (table[:, ::-1], "not contiguous"), (table + 1, "not a multiple of 4")):
        with pytest.raises(bankwise.Error, match=words):
            bankwise.predict(wrong)
    with pytest.raises(bankwise.Error, match="must have 2 numbers"):
        bankwise.predict(table, mask=masks[:1])


def test_a_large_table_is_one_of_small_ones():
    numpy = pytest.importorskip("numpy")
    pick = numpy.random.default_rng(3)
    table = pick.integers(-64, 1024, (100_000, 32), dtype="int64") * 4
    masks = pick.integers(0, 1 << 32, 100_000, dtype="uint32")
    whole = bankwise.predict(table, mask=masks)
    for at in range(0, 100_000, 5000):
        part = bankwise.predict(table[at:at + 5000], mask=masks[at:at + 5000])
        for name in ("wavefronts", "ideal", "reachable", "passes", "cycles"):
            assert (getattr(whole, name)[at:at + 5000] == getattr(part, name)).all()
    for row in (99_999, 60_000, 12_345):
        table[row, 7] = 6
        with pytest.raises(bankwise.Error, match="row {}, lane 7: byte address 6 ".format(row)):
            bankwise.predict(table)


# --- layouts


def test_several_arrays_are_several_answers():
    found = bankwise.fix("st a[i][t] for i < 32", "ld a[t][i] for i < 32", "ld b[t]", array=["float a[32][32]", "float b[32]"])
    assert [f.array for f in found] == ["float a[32][32]", "float b[32]"]
    assert found[1].best is None
    assert "rows of 132 bytes" in found[0]._repr_html_()
    with pytest.raises(bankwise.Error, match="not declared|unknown"):
        bankwise.fix("ld c[t]", array="float a[32]")


# --- kernels


def test_results_are_written_into_the_arrays():
    n = 64
    numbers, out = floats(n * n)
    report = bankwise.run(TRANSPOSE, args=[out, numbers, n], **LAUNCH)
    assert out.tolist() == transposed(numbers, n)
    assert report.exactness == "exact" and report.launch.name == "transpose_plain"
    assert report.launch.worst.removable == report.launch.worst.wavefronts - report.launch.worst.reachable > 0
    assert report.removable == sum(line.removable for line in report.lines)
    assert "<svg" in report._repr_html_() and "removable" in str(report)


def test_bytes_of_a_cubin_and_arrays_that_are_only_read():
    n = 64
    numbers, out = floats(n * n)
    bankwise.run(TRANSPOSE.read_bytes(), args=[out, numbers.tobytes() and memoryview(numbers).toreadonly(), n], **LAUNCH)
    assert out.tolist() == transposed(numbers, n)


def test_counts_write_nothing_and_say_the_same():
    n = 64
    numbers, out = floats(n * n)
    counted = bankwise.run(TRANSPOSE, args=[out, numbers, n], counts=True, **LAUNCH)
    assert not any(out)
    assert counted.wavefronts == bankwise.run(TRANSPOSE, args=[out, numbers, n], **LAUNCH).wavefronts


def test_a_view_is_the_memory_that_it_is_of():
    n = 64
    both = array.array("f", [*range(n * n), *([0] * (n * n))])
    whole = memoryview(both)
    bankwise.run(TRANSPOSE, args=[whole[n * n:], whole[:n * n], n], **LAUNCH)
    assert both[n * n:].tolist() == transposed(both, n)
    in_place = array.array("f", range(n * n))
    expected = transposed(in_place, n)
    bankwise.run(TRANSPOSE, args=[in_place, in_place, n], kernel="transpose_plain", grid=(1, 1), block=(32, 8))
    assert [in_place[i * n + j] for i in range(32) for j in range(32)] == [expected[i * n + j] for i in range(32)
                                                                          for j in range(32)]
    with pytest.raises(bankwise.Error, match="overlap in memory"):
        bankwise.run(TRANSPOSE, args=[whole[:n * n], whole[1:n * n + 1], n], **LAUNCH)


class Tensor:
    """An array that supports only DLPack, like a tensor of another library."""

    def __init__(self, values, device=(1, 0)):
        self._values, self._device = values, device

    def __dlpack__(self, **_):
        return self._values.__dlpack__()

    def __dlpack_device__(self):
        return self._device


def test_tensors_by_dlpack():
    numpy = pytest.importorskip("numpy")
    n = 64
    numbers, out = numpy.arange(n * n, dtype="float32").reshape(n, n), numpy.zeros((n, n), "float32")
    bankwise.run(TRANSPOSE, args=[Tensor(out), Tensor(numbers), numpy.int32(n)], **LAUNCH)
    assert (out == numbers.T).all()
    with pytest.raises(bankwise.Error, match="not contiguous"):
        bankwise.run(TRANSPOSE, args=[Tensor(out.T), Tensor(numbers), n], **LAUNCH)
    with pytest.raises(bankwise.Error, match="not in the CPU's memory"):
        bankwise.run(TRANSPOSE, args=[Tensor(out, (2, 0)), Tensor(numbers), n], **LAUNCH)


@pytest.mark.parametrize("args, words", [
    ([], "takes 3 parameters"), ([(None, 1), None, 64], "does not set the type of a field"), ([[1], None, 64], "not a number or an array"), ([None, None, "i32=x"], "not an integer"), ([1.5, None, 64], "has 8 bytes|double|f64"),
    ([None, None, object()], "not a number or an array"), ([None, None, float("nan")], "needs a type"),
    ([None, None, 1 << 40], "is outside the range of"), ([None, None, 0.5], "has the type int")])
def test_what_cannot_run_says_why(args, words):
    with pytest.raises(bankwise.Error, match=words):
        bankwise.run(TRANSPOSE, args=args, **LAUNCH)


def test_launches_have_whole_numbers():
    with pytest.raises(bankwise.Error, match="1.5 is not a whole number"):
        bankwise.run(TRANSPOSE, args=[None, None, 64], **{**LAUNCH, "grid": (1.5, 1)})


def test_arrays_that_no_kernel_can_take():
    numpy = pytest.importorskip("numpy")
    x = numpy.arange(64 * 64, dtype=numpy.float32)
    objects = numpy.empty(64 * 64 // 2, dtype=object)
    records = numpy.zeros(64 * 64, dtype=[("x", "i4"), ("O", "i4")])
    held = numpy.zeros(64 * 64, dtype=[("a", "O"), ("b", "i4")])
    for wrong in (objects, held):
        with pytest.raises(bankwise.Error, match="argument 1 is an array of Python objects"):
            bankwise.run(TRANSPOSE, args=[wrong, x, 64], **LAUNCH)
    with pytest.raises(bankwise.Error, match="objects"):
        bankwise.predict(numpy.empty((1, 32), dtype=object))
    with pytest.raises(bankwise.Error, match="argument 1 is an array of text"):
        bankwise.run(TRANSPOSE, args=[numpy.zeros(64 * 64, "U1"), x, 64], **LAUNCH)
    with pytest.raises(bankwise.Error, match="argument 1 has 16,384 bytes, but a kernel takes at most 4,096 bytes by value"):
        bankwise.run(TRANSPOSE, args=[bytes(64 * 64 * 4), x, 64], **LAUNCH)
    # numpy's records are passed as bytes, and the names of their fields do not matter
    bankwise.run(TRANSPOSE, args=[records, x, 64], **LAUNCH)


@pytest.mark.parametrize("dtype, says", [("float64", "f64"), ("int32", "i32"), ("uint32", "u32"), ("float16", "f16")])
def test_arrays_are_of_the_type_of_the_parameter(dtype, says):
    numpy = pytest.importorskip("numpy")
    x, out = numpy.arange(64 * 64, dtype=numpy.float32), numpy.zeros(64 * 64 * 2, dtype)
    for args in ([out, x, 64], [x.copy(), out, 64]):
        at = 1 + (args[1] is out)
        with pytest.raises(bankwise.Error, match="argument {} is an array of {}, but the parameter is float".format(at, says)):
            bankwise.run(TRANSPOSE, args=args, **LAUNCH)
    assert not out.any()
    out = numpy.zeros(64 * 64, numpy.float32)
    bankwise.run(TRANSPOSE, args=[out.view(numpy.uint8), x, 64], **LAUNCH)
    assert out[1] == x[64]


def test_parameters_of_a_name():
    from bankwise._run import _pointees
    assert _pointees("f") == []
    assert _pointees("(anonymous namespace)::f<float (*)(int, int)>(unsigned int*, float2*, float**)") == ["unsigned int", "float2", "float*"]


@pytest.mark.parametrize("ask", [
    lambda: bankwise.explain(5), lambda: bankwise.explain(None), lambda: bankwise.explain(["x"]), lambda: bankwise.explain([1.5, []]),
    lambda: bankwise.explain([b"x"]), lambda: bankwise.predict(5), lambda: bankwise.predict("t*4"), lambda: bankwise.predict([5]),
    lambda: bankwise.predict([[1 << 70] * 32]), lambda: bankwise.predict([[0] * 32], op=5), lambda: bankwise.predict([[0] * 32], mask="x"),
    lambda: bankwise.predict([[0] * 32], arch=None), lambda: bankwise.fix(5), lambda: bankwise.fix(None),
    lambda: bankwise.run(TRANSPOSE, args=5, **LAUNCH), lambda: bankwise.run(TRANSPOSE, args="f32=1", **LAUNCH), lambda: bankwise.run(5),
    lambda: bankwise.run(None), lambda: bankwise.run(TRANSPOSE, grid="x"), lambda: bankwise.run(TRANSPOSE, block=None),
    lambda: bankwise.run(TRANSPOSE, grid=(2, "y")), lambda: bankwise.read_report(__file__), lambda: cute.tensor(5)])
def test_wrong_types_are_errors_of_ours(ask):
    with pytest.raises(bankwise.Error):
        ask()


def test_wrong_names_are_those_of_python():
    with pytest.raises(TypeError, match="unexpected keyword"):
        bankwise.explain("t", aray="float a[32]")
    with pytest.raises(TypeError, match="required positional"):
        bankwise.predict()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_child_of_a_thread_that_asks_answers():
    program = """if True:
        import bankwise, os, signal, threading
        stop = threading.Event()
        def spin():
            while not stop.is_set():
                bankwise.explain("t*4")
        threads = [threading.Thread(target=spin) for _ in range(2)]
        for one in threads:
            one.start()
        failed = 0
        for _ in range(10):
            child = os.fork()
            if child == 0:
                signal.alarm(10)
                os._exit(0 if bankwise.explain("t*8").wavefronts == 2 else 1)
            failed += os.waitpid(child, 0)[1] != 0
        stop.set()
        for one in threads:
            one.join()
        print(failed)
    """
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", program], stdout=subprocess.PIPE, check=True, timeout=150)
    assert done.stdout == b"0\n"


def test_what_a_notebook_shows_hides_nothing():
    report = bankwise.run(TRANSPOSE, args=[None, None, 64], counts=True, **LAUNCH)
    document = json.loads(json.dumps(report.to_dict()))
    for site in document["launches"][0]["sites"]:
        site["text"] = "x = 1; /* \u202e <b> \u2066 */ \x1b[2J"
    from bankwise._report import report_of
    shown = report_of(document)._repr_html_()
    assert "/* \\u202e &lt;b&gt; \\u2066 */ \\x1b[2J" in shown
    assert not set(shown) & set("\u202e\u2066\x1b")


class Compiled:
    """Imitates the result of cute.compile(), as far as the package uses it: the cubin, a file's name, or nothing."""

    def __init__(self, cubin):
        self.__cubin__ = cubin


def test_tensors_of_cute_are_structs_by_value():
    cubin = EXAMPLES.parent / "tests/kernels/tensor_struct.cubin"
    n = 64
    numbers, out = floats(n * n)
    launch = dict(grid=(2, 2), block=(32, 8))
    shape = dict(shape=(n, n), strides=(n,))
    for source in (Compiled(cubin.read_bytes()), Compiled(str(cubin))):
        out[:] = array.array("f", bytes(4 * n * n))
        report = bankwise.run(source, args=[cute.tensor(out, **shape), cute.tensor(numbers, **shape)], **launch)
        assert out.tolist() == transposed(numbers, n) and report.removable == 3968
    # Two tensors are in one memory. The kernel copies the second half of this memory into the first half.
    both = array.array("f", range(2 * 32 * 32))
    halves = [memoryview(both), memoryview(both)[32 * 32:]]
    bankwise.run(Compiled(str(cubin)), args=[cute.tensor(h, (32, 32), (32,)) for h in halves], block=(32, 8))
    assert both[1] == 32 * 32 + 32 and both[32 * 32:].tolist() == list(range(32 * 32, 2 * 32 * 32))
    # A tensor of one dimension passes no stride. A tensor with a constant layout only passes an address.
    assert cute.tensor(out)[1:] == ("i32=4096",) and cute.tensor(out, (), ()) == (out,)
    with pytest.raises(bankwise.Error, match="of 24, 24 bytes"):
        bankwise.run(Compiled(str(cubin)), args=[cute.tensor(out), cute.tensor(numbers)], **launch)
    with pytest.raises(bankwise.Error, match="32 bits"):
        cute.tensor(out, (1 << 40,))
    with pytest.raises(bankwise.Error, match="CUTE_DSL_KEEP"):
        bankwise.run(Compiled(None))


def test_what_the_page_says_of_cute_runs(monkeypatch):
    cubin = (EXAMPLES.parent / "tests/kernels/tensor_struct.cubin").read_bytes()
    played = types.ModuleType("cutlass.cute")
    played.compile = lambda launch, *tensors: Compiled(cubin if os.environ["CUTE_DSL_KEEP"] == "cubin" else None)
    monkeypatch.setitem(sys.modules, "cutlass", types.ModuleType("cutlass"))
    monkeypatch.setitem(sys.modules, "cutlass.cute", played)
    sys.modules["cutlass"].cute = played
    for name in ("CUTE_DSL_KEEP", "CUTE_DSL_LINEINFO"):
        monkeypatch.setenv(name, "")
    numbers, out = floats(64 * 64)
    x, to = (memoryview(a).cast("B").cast("f", (64, 64)) for a in (numbers, out))
    (code,) = [b for b in blocks("triton-and-cute.md", "python") if "cute.compile" in b]
    exec(code, {"os": os, "bankwise": bankwise, "launch": None, "x": x, "out": to})
    assert out.tolist() == transposed(numbers, 64)


def test_fields_of_numpy_say_their_types():
    numpy = pytest.importorskip("numpy")
    n = 64
    numbers, out = numpy.arange(n * n, dtype="float32").reshape(n, n), numpy.zeros((n, n), "float32")
    size = (numpy.int32(n), numpy.int32(n), numpy.int64(n))
    bankwise.run(EXAMPLES.parent / "tests/kernels/tensor_struct.cubin", grid=(2, 2), block=(32, 8), args=[(out, *size), (numbers, *size)])
    assert (out == numbers.T).all()


def test_a_fault_says_where():
    numbers, out = floats(64 * 64)
    with pytest.raises(bankwise.Error, match="address") as caught:
        bankwise.run(TRANSPOSE, args=[out, None, 64], **LAUNCH)
    assert (os.path.basename(caught.value.file), caught.value.line) == ("transpose.cu", 15)
    assert not any(out)


def test_a_missing_file_and_no_cubin():
    with pytest.raises(bankwise.Error, match="no_such.cubin"):
        bankwise.run("no_such.cubin")
    with pytest.raises(bankwise.Error, match="not a cubin or a fatbin"):
        bankwise.run(b"12345678")
    with pytest.raises(bankwise.Error):
        bankwise.run(b"\x7fELF" + bytes(100))


def test_fixes_of_a_kernel():
    n = 64
    numbers, out = floats(n * n)
    report = bankwise.run(TRANSPOSE, args=[out, numbers, n], fix=True, array="float tile[32][32]", **LAUNCH)
    (found,) = report.launch.fixes
    assert found.best.wavefronts == found.lower_bound < found.wavefronts
    source, (change,) = bytearray((EXAMPLES / "transpose.cu").read_bytes()), found.source_edit["changes"]
    source[change["begin"]:change["end"]] = change["text"].encode()
    assert b"__shared__ float tile[tile_side][tile_side + 1];\n" in source


def test_a_saved_report_is_the_same(tmp_path):
    numbers, out = floats(64 * 64)
    report = bankwise.run(TRANSPOSE, args=[out, numbers, 64], **LAUNCH)
    report.save(tmp_path / "r.json")
    assert bankwise.read_report(tmp_path / "r.json") == report
    assert report.render("csv").count(",shared,") == len(report.sites)


needs_nvcc = pytest.mark.skipif(not (shutil.which("nvcc") or os.path.exists("/usr/local/cuda/bin/nvcc")), reason="no nvcc")
TWICE = """
__global__ void twice(float* x, double by) {
  __shared__ float tile[32][32];
  tile[threadIdx.x][0] = x[threadIdx.x];
  x[threadIdx.x] = tile[threadIdx.x][0] * by;
}
"""


@needs_nvcc
def test_source_as_text():
    x = array.array("f", range(32))
    report = bankwise.run(TWICE, args=[x, 2])
    assert x.tolist() == [2.0 * i for i in range(32)]
    assert report.lines[0].text == "tile[threadIdx.x][0] = x[threadIdx.x];"
    with pytest.raises(bankwise.Error, match="nvcc could not compile kernel.cu"):
        bankwise.run(TWICE.replace("float*", "flaot*"), args=[x, 2])


@needs_nvcc
@pytest.mark.parametrize("flags", [{"arch": "sm_90a"}, {}, {"nvcc": "-gencode arch=compute_90a,code=sm_90a"}, {"nvcc": ["-arch=sm_90a"]}])
def test_source_for_an_architecture_with_its_own_instructions(flags):
    x = array.array("f", bytes(512))
    source = '__global__ void __launch_bounds__(128) f(float* x) { asm volatile("wgmma.fence.sync.aligned;"); x[threadIdx.x] = 1; }'
    bankwise.run(source, block=128, args=[x], **flags)
    assert x.tolist() == [1] * 128


# --- assertions for users' tests


def test_expectations():
    testing.assert_conflict_free("t * 4")
    testing.assert_wavefronts(bankwise.explain("t * 8"), 2)
    with pytest.raises(AssertionError, match="(?s)a layout can save up to 31.*bank 0 must serve 32 words"):
        testing.assert_conflict_free("t * 128")
    numbers, out = floats(64 * 64)
    report = bankwise.run(TRANSPOSE, args=[out, numbers, 64], **LAUNCH)
    testing.assert_wavefronts(report, report.wavefronts)
    with pytest.raises(AssertionError, match="transpose.cu:18"):
        testing.assert_conflict_free(report)


# --- notebooks


@needs_nvcc
def test_the_magic_of_notebooks():
    shell = pytest.importorskip("IPython.core.interactiveshell").InteractiveShell.instance()
    shell.run_line_magic("load_ext", "bankwise")
    shell.user_ns["x"] = x = array.array("f", range(32))
    report = shell.run_cell_magic("bankwise", "--block 32 --arg x --arg 3 --into kept", TWICE)
    assert x.tolist() == [3.0 * i for i in range(32)] and shell.user_ns["kept"] is report
    with pytest.raises(bankwise.Error, match="no-such-flag"):
        shell.run_cell_magic("bankwise", "--no-such-flag", TWICE)
    with pytest.raises(bankwise.Error, match="no variable with this name"):
        shell.run_cell_magic("bankwise", "--arg y --arg 3", TWICE)
    # In a notebook cell, the output contains pictures of layouts. An error is shown at the user's line. bankwise's code
    # is not shown.
    head = "%%bankwise --block 32 --arg x --arg 3 --fix --seed 1 --time 10\n"
    shown = shell.run_cell(head + TWICE).result._repr_html_()
    assert "rows of 132 bytes" in shown and "<svg" in shown
    wrong = shell.run_cell(head + TWICE.replace("double by", "duble by")).error_in_exec
    assert "\n".join(wrong._render_traceback_()).startswith("nvcc could not compile kernel.cu\nkernel.cu(3): error:"), wrong


@needs_nvcc
def test_the_cells_of_the_page_run():
    shell = pytest.importorskip("IPython.core.interactiveshell").InteractiveShell.instance()
    numbers, out = floats(64 * 64)
    shell.user_ns.update(numbers=numbers, out=out)
    for cell in blocks("python.md", "ipython"):
        assert shell.run_cell(cell).success
    assert out.tolist() == transposed(numbers, 64) and shell.user_ns["report"].removable == 3968


# --- the package itself


def test_the_stubs_name_the_parameters():
    stub = ast.parse((pathlib.Path(bankwise.__file__).parent / "__init__.pyi").read_text())
    functions = {}  # function -> its overloads
    for f in stub.body:
        if isinstance(f, ast.FunctionDef):
            functions.setdefault(f.name, []).append(f.args)
    assert {n for n in bankwise.__all__ if n.islower()} <= set(functions)
    for name, overloads in functions.items():
        parameters = list(inspect.signature(getattr(bankwise, name)).parameters)
        shown = [[a.arg for a in [*said.args, *([said.vararg] if said.vararg else []), *said.kwonlyargs]]
                 for said in overloads]
        assert {p for names in shown for p in names} == set(parameters), name
        if len(shown) == 1:
            assert shown[0] == parameters, name


def test_the_command_is_the_program():
    for command in ([sys.executable, "-m", "bankwise"], [str(pathlib.Path(sys.executable).parent / "bankwise")]):
        said = subprocess.run([*command, "--version"], stdout=subprocess.PIPE, check=True, text=True).stdout
        assert said.split()[1] == bankwise.__version__
    assert subprocess.run([*command, "explain", "tt"], stderr=subprocess.PIPE).returncode == 2
    assert subprocess.run([*command, "explain", "--html"], stdout=subprocess.PIPE, check=True).stdout.startswith(b"<!")


def test_whole_programs_find_the_stand_ins():
    program = os.environ.get("HOST_PROGRAM")
    if not program or not os.path.exists(program):
        pytest.skip("no program that uses CUDA was built")
    done = subprocess.run([sys.executable, "-m", "bankwise", "run", program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert b"stand-in" not in done.stdout and done.returncode == 0, done.stdout[-2000:]


def program():
    path = os.environ.get("HOST_PROGRAM")
    if not path or not os.path.exists(path):
        pytest.skip("no program that uses CUDA was built")
    return path


def test_the_timeline_of_a_program_says_when_its_operations_run(tmp_path):
    times = bankwise.timeline([program()])
    assert "PASS" in times.output
    assert {one.name for one in times.kernels} == {"transpose_plain"} and times.kernels[0].grid == (2, 2, 1)
    assert 0 < times.kernel_microseconds <= times.busy_microseconds <= times.microseconds
    assert sum(times.waits_for.values()) == pytest.approx(times.microseconds, abs=0.1)
    for one in times.operations:
        assert one.call is None or times.operations[one.call].end <= one.begin
    assert any(one.critical for one in times.operations)
    assert "<svg" in times._repr_html_()
    saved = tmp_path / "r.json"
    report = bankwise._report.report_of({"arch": "sm_90", "exactness": "exact", "launches": [], "timeline": times.to_dict()})
    report.save(saved)
    assert bankwise.timeline(saved).operations == times.operations


def test_a_report_of_a_kernel_has_no_timeline():
    with pytest.raises(bankwise.Error, match="no timeline"):
        bankwise.timeline(bankwise.run(TRANSPOSE, args=["out:f32[4096]", "f32[4096]=iota", 64], **LAUNCH))


def test_assert_faster_compares_predicted_times():
    sizes = [bankwise.run(TRANSPOSE, "transpose_plain", grid=(n, n), block=(32, 8), time_model=True,
                          args=["out:f32[{}]".format(1024 * n * n), "f32[{}]=iota".format(1024 * n * n), 32 * n]) for n in (2, 64)]
    bankwise.assert_faster(*sizes, by=1.5)
    bankwise.assert_faster(sizes[0].launch, sizes[1].launch)
    with pytest.raises(AssertionError, match="us is not below"):
        bankwise.assert_faster(*reversed(sizes))
    with pytest.raises(AssertionError, match="/ 1000"):
        bankwise.assert_faster(*sizes, by=1000)
    bankwise.assert_faster(sizes[0], [program()])
    unknown = bankwise.run(TRANSPOSE, args=["out:f32[4096]", "f32[4096]=iota", 64], time_model=False, **LAUNCH)
    with pytest.raises(bankwise.Error, match="not predicted"):
        bankwise.assert_faster(sizes[0], unknown)
