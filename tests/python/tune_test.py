"""time_many(), tune() and what depends on them, on two workers of several kinds of executors."""
import array
import concurrent.futures
import os
import pathlib
import pickle
import shutil
import subprocess
import sys
import types

import pytest

import bankwise
from bankwise import testing, triton
from bankwise._batch import _Packing, _chunk_of

EXAMPLES = pathlib.Path(os.environ["EXAMPLES"])
TRANSPOSE = EXAMPLES / "transpose.cubin"
BIG = dict(grid=(64, 64), block=(32, 8), args=["out:f32[4M]", "f32[4M]=iota", 2048])
HERE = pathlib.Path(__file__).parent
sys.path.append(str(HERE))
import played_triton  # noqa: E402


def floats(n):
    return array.array("f", range(n)), array.array("f", bytes(4 * n))


def launches():
    numbers, out = floats(64 * 64)
    return [(TRANSPOSE, "transpose_plain", (64, 64), (32, 8), BIG["args"]),
            dict(source=str(TRANSPOSE), kernel="transpose_padded", **BIG),
            (TRANSPOSE.read_bytes(), "transpose_plain", (2, 2), (32, 8), [out, numbers, 64]),
            (TRANSPOSE, "no_such_kernel", (2, 2), (32, 8), [out, numbers, 64]),
            dict(source="nowhere.cubin"),
            (TRANSPOSE, "transpose_plain", (2, 2), (32, 8), [object()])]


# --- time_many


def test_the_times_are_those_of_run():
    found = bankwise.time_many(launches())
    for launch, time in zip(launches()[:3], found):
        launch = launch if isinstance(launch, dict) else dict(zip(("source", "kernel", "grid", "block", "args"), launch))
        report = bankwise.run(**launch, time_model="on")
        assert time.microseconds == report.launch.time.microseconds and time.bound == report.launch.time.bound
        assert (time.kernel, time.registers) == (report.launch.kernel, report.launch.registers)
        assert time.trusted and time.doubts == () and not time.stopped
    assert [type(one) for one in found[3:]] == [bankwise.Error] * 3
    assert "no_such_kernel" in found[3].message and found[3].hint.startswith("there are:")
    assert "nowhere.cubin" in found[4].message and found[4].file == ""
    assert "argument 1 is a object" in found[5].message


def test_names_may_contain_separators_of_lines(tmp_path):
    odd = tmp_path / "a\u2028b\x85c.cubin"
    found = bankwise.time_many([dict(source=odd, **BIG), (TRANSPOSE, "transpose_plain", (2, 2), (32, 8), ["out:f32[4K]", "f32[4K]=iota", 64])])
    assert str(odd) in found[0].message and found[1].microseconds > 0
    odd.write_bytes(TRANSPOSE.read_bytes())
    assert bankwise.time_many([dict(source=odd, kernel="a\u2029b", **BIG)])[0].message.count("a\u2029b") == 1


def test_arrays_do_not_change():
    numbers, out = floats(64 * 64)
    bankwise.time_many([(TRANSPOSE, "transpose_plain", (2, 2), (32, 8), [out, numbers, 64])])
    assert out == floats(64 * 64)[1] and numbers == floats(64 * 64)[0]


def test_a_slow_launch_is_stopped():
    plain, padded = bankwise.time_many(launches()[:2], stop_above=20)
    assert plain.stopped and plain.microseconds is None and plain.microseconds_above == 20
    assert not padded.stopped and padded.microseconds < 20
    plain, padded = bankwise.time_many([dict(source=TRANSPOSE, kernel=k, stop_above=limit, **BIG)
                                        for k, limit in (("transpose_plain", 30), ("transpose_padded", 5))])
    assert not plain.stopped and padded.stopped


def test_other_gpus_are_not_trusted():
    time, = bankwise.time_many(launches()[:1], gpu="RTX 4090", caches="warm")
    assert (time.gpu, time.caches, time.trusted) == ("RTX 4090", "warm", False)
    assert any("no RTX 4090 was measured" in doubt for doubt in time.doubts)
    assert any("the code is for sm_90" in doubt for doubt in time.doubts)
    with_wrong_gpu, = bankwise.time_many(launches()[:1], gpu="no such GPU")
    assert "no such GPU" in with_wrong_gpu.message


def test_what_is_no_launch_says_so():
    found = bankwise.time_many([3, (), dict(kernel="k"), dict(source=TRANSPOSE, grids=3), (TRANSPOSE, "transpose_plain", 0.5)])
    assert [one.message.partition(",")[0] for one in found] == [
        "a launch is a tuple (source", "a launch is a tuple (source", "a launch has no source", "a launch has no 'grids'", "0.5 is not a whole number"]
    assert bankwise.time_many([]) == []
    with pytest.raises(bankwise.Error, match="neither submit"):
        bankwise.time_many(launches(), executor=object())
    with pytest.raises(bankwise.Error, match="jobs"):
        bankwise.time_many(launches(), jobs=-1)


# --- executors


class Submits:
    """An executor with submit() only, whose work travels as bytes."""

    def submit(self, function, *args):
        function, args = pickle.loads(pickle.dumps((function, args)))
        future = concurrent.futures.Future()
        future.set_result(pickle.loads(pickle.dumps(function(*args))))
        return future


class Maps:
    """A pool with map() only, like multiprocessing.Pool and Ray's pool."""

    def map(self, function, items):
        return [pickle.loads(pickle.dumps(function(item))) for item in pickle.loads(pickle.dumps(list(items)))]


def executors():
    return {"processes": lambda: concurrent.futures.ProcessPoolExecutor(2), "threads": lambda: concurrent.futures.ThreadPoolExecutor(2),
            "submits": Submits, "maps": Maps}


@pytest.mark.parametrize("kind", sorted(executors()))
def test_every_executor_gives_the_same_answers(kind):
    alone = bankwise.time_many(launches())
    executor = executors()[kind]()
    assert list(map(str, bankwise.time_many(launches(), executor=executor))) == list(map(str, alone))
    tuned = bankwise.tune(lambda config: config["launch"], [{"launch": one} for one in launches()], executor=executor)
    assert sorted(str(one.time or one.error) for one in tuned) == sorted(map(str, alone))
    if hasattr(executor, "shutdown"):
        executor.shutdown()


def test_dask_gives_the_same_answers():
    distributed = pytest.importorskip("distributed", reason="no dask.distributed (Debian: python3-distributed)")
    with distributed.Client(n_workers=2, threads_per_worker=1, dashboard_address=None) as client:
        found = bankwise.time_many(launches(), executor=client.get_executor())
    assert list(map(str, found)) == list(map(str, bankwise.time_many(launches())))


def test_mpi_gives_the_same_answers(tmp_path):
    pytest.importorskip("mpi4py", reason="no mpi4py (Debian: python3-mpi4py)")
    mpirun = shutil.which("mpirun")
    if mpirun is None:
        pytest.skip("no mpirun (Debian: openmpi-bin)")
    script = tmp_path / "user.py"
    script.write_text("import bankwise\nfrom mpi4py.futures import MPIPoolExecutor\n"
                      "if __name__ == '__main__':\n"
                      "    launches = [({!r}, 'transpose_' + kind, 64, (32, 8), ['out:f32[4M]', 'f32[4M]=iota', 2048]) for kind in ('plain', 'padded')]\n"
                      "    with MPIPoolExecutor(2) as executor:\n"
                      "        print(bankwise.time_many(launches, executor=executor) == bankwise.time_many(launches))\n".format(str(TRANSPOSE)))
    said = subprocess.run([mpirun, "--oversubscribe", "-n", "3", sys.executable, "-m", "mpi4py.futures", str(script)], stdout=subprocess.PIPE,
                          env={**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}).stdout
    assert said.strip() == b"True"


def test_a_worker_needs_no_file_of_the_caller(tmp_path):
    cubin = tmp_path / "own.cubin"
    cubin.write_bytes(TRANSPOSE.read_bytes())
    numbers, out = floats(64 * 64)
    packing = _Packing(str(tmp_path))
    lines = [packing.line((cubin, "transpose_plain", (2, 2), (32, 8), [out, numbers, 64])) for _ in range(2)]
    chunk = pickle.loads(pickle.dumps(_chunk_of(lines, str(tmp_path), 1)))
    assert len(chunk.files) == 3  # both launches share the cubin and the arrays
    for file in [*tmp_path.rglob("*")]:
        if file.is_file():
            file.unlink()
    assert [answer["kernel"] for answer in chunk.answers()] == ["transpose_plain(float*, float const*, int)"] * 2


def test_an_executor_in_a_script_without_a_guard_for_threads(tmp_path):
    script = tmp_path / "user.py"
    script.write_text("import bankwise, concurrent.futures\n"
                      "with concurrent.futures.ThreadPoolExecutor(2) as threads:\n"
                      "    print(bankwise.time_many([({!r}, 'transpose_plain', (2, 2), (32, 8), ['out:f32[4096]', 'f32[4096]=iota', 64])],\n"
                      "                             executor=threads)[0].bound)\n".format(str(TRANSPOSE)))
    assert subprocess.run([sys.executable, str(script)], stdout=subprocess.PIPE, check=True).stdout == b"launch overhead and instruction-cache misses\n"


# --- tune


CONFIGS = [{"kernel": "transpose_" + kind} for kind in ("plain", "padded", "missing", "swizzled")]


def launch(config):
    return (TRANSPOSE, config["kernel"], (64, 64), (32, 8))


def test_configurations_are_ordered_by_time():
    found = bankwise.tune(launch, CONFIGS, BIG["args"])
    assert [one.config["kernel"] for one in found][-2:] == ["transpose_plain", "transpose_missing"]
    times = [one.microseconds for one in found]
    assert times == sorted(times) and found[-1].error is not None and found[-1].time is None
    assert found[0].to_dict()["time"]["bound_words"] == found[0].time.bound and "error" in found[-1].to_dict()
    stopped = bankwise.tune(launch, CONFIGS, BIG["args"], stop_above=20)
    assert [one.config for one in stopped] == [one.config for one in found] and stopped[-2].time.stopped


def test_the_error_of_a_function_belongs_to_its_configuration():
    found = bankwise.tune(lambda config: launch(config) if config["kernel"] else 1 // 0, [{"kernel": ""}, CONFIGS[0]], BIG["args"])
    assert found[0].error is None and "ZeroDivisionError" in found[1].error.message
    assert bankwise.tune(launch, []) == []


def test_the_items_of_a_configuration_are_flags_of_nvcc(tmp_path):
    found = bankwise.tune(TRANSPOSE, [{}], BIG["args"], kernel="transpose_plain", grid=lambda config: (64, 64), block=(32, 8))
    assert found[0].time.bound == "the pipe of shared memory and L1"
    source = "__global__ void fill(int* out) { out[blockIdx.x * SIDE + threadIdx.x] = SIDE; }"
    found = bankwise.tune(source, [{"SIDE": 64}, {"SIDE": "("}, {"SIDE": 128}], ["out:i32[64K]"], kernel="fill",
                          grid=lambda config: 65536 // config["SIDE"] if config["SIDE"] != "(" else 1,
                          block=lambda config: config["SIDE"] if config["SIDE"] != "(" else 1)
    if any("needs nvcc" in str(one.error) for one in found):
        pytest.skip("there is no nvcc")
    assert [one.error is None for one in found] == [True, True, False] and found[-1].config == {"SIDE": "("}


def test_kernels_of_other_packages():
    compiled = types.SimpleNamespace(asm={"cubin": TRANSPOSE.read_bytes()}, metadata=types.SimpleNamespace(name="_Z15transpose_plainPfPKfi"))
    cupy = types.SimpleNamespace(code=None, file_path=str(TRANSPOSE), options=("-DN",), name="transpose_padded")
    first, second = bankwise.time_many([dict(source=compiled, **BIG), dict(source=cupy, **BIG)])
    assert first.kernel.startswith("transpose_plain") and second.kernel.startswith("transpose_padded")
    with pytest.raises(bankwise.Error, match="bankwise.triton.tune"):
        bankwise.tune(Jit(), [{}])


class Jit:
    """As far as tune() looks at a kernel of Triton."""

    arg_names, run = (), None

    def __call__(self):
        raise RuntimeError


# --- assertions


def test_a_better_configuration_fails_the_test():
    testing.assert_tuned(launch, CONFIGS, {"kernel": "transpose_padded"}, BIG["args"], by=10)
    with pytest.raises(AssertionError, match="2 of 3 other configurations are more than 5% faster than {'kernel': 'transpose_plain'}"):
        testing.assert_tuned(launch, CONFIGS, {"kernel": "transpose_plain"}, BIG["args"])
    testing.assert_tuned(launch, CONFIGS, {"kernel": "transpose_plain"}, BIG["args"], by=200)
    with pytest.raises(bankwise.Error, match="transpose_missing"):
        testing.assert_tuned(launch, CONFIGS, {"kernel": "transpose_missing"}, BIG["args"])
    with pytest.raises(bankwise.Error, match="percentage"):
        testing.assert_tuned(launch, CONFIGS, CONFIGS[0], BIG["args"], by=float("nan"))


def test_a_test_without_a_comparison_does_not_pass():
    plain, padded = {"kernel": "transpose_plain"}, {"kernel": "transpose_padded"}
    with pytest.raises(bankwise.Error, match="committed configuration {'kernel': 'transpose_plain'} was stopped"):
        testing.assert_tuned(launch, CONFIGS, plain, BIG["args"], stop_above=20)
    testing.assert_tuned(launch, [plain], padded, BIG["args"], stop_above=20)  # the other is stopped, so it is slower
    with pytest.raises(bankwise.Error, match="no_such_kernel"):
        testing.assert_tuned(launch, [{"kernel": "no_such_kernel"}, {"kernel": "transpose_missing"}], plain, BIG["args"])
    with pytest.raises(bankwise.Error, match="no configurations"):
        testing.assert_tuned(launch, [], plain, BIG["args"])
    with pytest.raises(bankwise.Error, match="no configurations"):
        testing.tuned(iter([]), plain, BIG["args"])(launch)()
    testing.assert_tuned(launch, [plain], plain, BIG["args"])


def test_pytest_runs_the_decorated_function(tmp_path):
    (tmp_path / "test_user.py").write_text(
        "from bankwise.testing import tuned\n"
        "CONFIGS = [dict(kernel='transpose_' + kind) for kind in ('plain', 'padded')]\n"
        "def launch(config):\n"
        "    return {!r}, config['kernel'], (64, 64), (32, 8), ['out:f32[4M]', 'f32[4M]=iota', 2048]\n"
        "@tuned(CONFIGS, committed=CONFIGS[1])\n"
        "def test_padded(config):\n"
        "    return launch(config)\n"
        "@tuned(CONFIGS, committed=CONFIGS[0], by=50)\n"
        "def test_plain(config):\n"
        "    return launch(config)\n".format(str(TRANSPOSE)))
    said = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)], stdout=subprocess.PIPE,
                          universal_newlines=True, cwd=str(tmp_path)).stdout
    assert "1 failed, 1 passed" in said and "more than 50% faster than {'kernel': 'transpose_plain'}" in said


# --- Triton, with a simulated Triton


@pytest.fixture
def played():
    before = {name: module for name, module in sys.modules.items() if name.partition(".")[0] == "triton"}
    for name in before:
        del sys.modules[name]
    yield played_triton.play(EXAMPLES)
    for name in [name for name in sys.modules if name.partition(".")[0] == "triton"]:
        del sys.modules[name]
    sys.modules.update(before)


def config_of(n):
    return played_triton.Config(dict(BM=32, BN=64, D=64), num_warps=n)


def test_triton_configurations_are_ordered(played):
    kernel, args = played["attention"], played["attention_args"]
    found = triton.tune(kernel, lambda c: (128 // c["BM"],), args, [config_of(n) for n in (4, 16, 8)])
    assert [one.config.num_warps for one in found] == [8, 4, 16] and "no code for 16 warps" in found[-1].error.message
    assert found[0].time.microseconds < found[1].time.microseconds and not kernel.launched
    tuner = played_triton.autotune([config_of(4), config_of(8)], ["n"])(kernel)
    assert [one.config.num_warps for one in triton.tune(tuner, (4,), args)] == [8, 4]
    with pytest.raises(bankwise.Error, match="no list of configurations"):
        triton.tune(kernel, (4,), args)


def test_the_autotuner_of_triton_chooses_without_measuring(played):
    kernel, args = played["attention"], played["attention_args"]

    def measure(*given, **named):
        raise AssertionError("nothing is measured")

    tuner = triton.autotune([config_of(n) for n in (4, 16, 8)], ["n"], do_bench=measure)(kernel)
    tuner[(4,)](*args)
    assert tuner.best_config.num_warps == 8 and [one["num_warps"] for one in kernel.launched] == [8]
    asked = len(kernel.asked)
    tuner[(4,)](*args)  # the choice for this key is kept
    assert len(kernel.asked) == asked and len(kernel.launched) == 2


def test_the_best_few_are_measured(played):
    kernel, args = played["attention"], played["attention_args"]
    measured = []

    def measure(call, quantiles):
        call()
        measured.append(kernel.launched[-1]["num_warps"])
        return [-measured[-1]] * 3  # the more warps, the faster

    tuner = triton.autotune([config_of(n) for n in (4, 16, 8)], ["n"], keep=2, do_bench=measure)(kernel)
    tuner[(4,)](*args)
    assert measured == [8, 4] and tuner.best_config.num_warps == 8


def test_a_prediction_replaces_do_bench(played):
    kernel, args = played["attention"], played["attention_args"]
    tuner = played_triton.autotune([config_of(n) for n in (4, 16, 8)], ["n"], do_bench=triton.do_bench)(kernel)
    tuner[(4,)](*args)
    assert tuner.best_config.num_warps == 8
    assert [one["num_warps"] for one in kernel.launched] == [8]  # the launches to be measured were caught
    time, = bankwise.triton.tune(kernel, (4,), args, [config_of(8)])
    assert triton.do_bench(lambda: kernel[(4,)](*args, **played["attention_options"])) == time.time.microseconds / 1000
    assert triton.do_bench(lambda: kernel[(4,)](*args, **{**played["attention_options"], "num_warps": 16})) == float("inf")
    with pytest.raises(bankwise.Error, match="launches no kernel"):
        triton.do_bench(lambda: None)


def test_prune_takes_a_kernel_that_is_not_yet_there(played):
    kernel, args = played["attention"], played["attention_args"]
    tuner = played_triton.autotune([config_of(4), config_of(8)], ["n"], {"early_config_prune": triton.prune(lambda: kernel)})(kernel)
    tuner[(4,)](*args)
    assert tuner.best_config.num_warps == 8
    # If nothing can be predicted, Triton decides.
    configs = [config_of(16), config_of(32)]
    assert triton.prune(kernel)(configs, dict(zip(kernel.arg_names, args)), grid=(4,), warmup=False) == configs


def test_heuristics_and_the_users_own_prune_function(played):
    kernel, args = played["attention"], played["attention_args"]
    heuristics = played_triton.Heuristics(kernel, kernel.arg_names, {"D": lambda named: named["BN"]})
    configs = [played_triton.Config(dict(BM=32, BN=64), num_warps=n) for n in (4, 8)]
    seen = []

    def early(some, named_args, **kwargs):
        seen.append((len(some), sorted(named_args), kwargs["grid"]))
        return some[:1]

    tuner = triton.autotune(configs, ["n"], prune_configs_by={"early_config_prune": early})(heuristics)
    tuner[(4,)](*args)
    assert seen == [(2, sorted(["out", "q", "k", "v", "n", "scale"]), (4,))]
    assert tuner.best_config.num_warps == 4 and kernel.asked[-1]["D"] == 64
