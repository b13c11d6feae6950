"""A simulated Triton, for machines without Triton. It "compiles" to cubins of examples/triton, which Triton 3.6 made.

    play(EXAMPLES)       makes `import triton` find it, and returns kernels, with arguments and options for them, by name
"""
import array
import csv
import pathlib
import sys
import types

HERE = pathlib.Path(__file__).parent
# A cubin and an IR for each kernel and number of warps. The constants do not matter. The IR of softmax has the same
# reductions as attention's IR.
CODE = {("attention", 8): ("attention_8_warps", "softmax"), ("attention", 4): ("attention", "softmax"),
        ("matmul", 4): ("matmul_tf32", "matmul_tf32"), ("transpose", 4): ("transpose_f32", None)}


class Target:
    def __init__(self, backend, arch, warp_size):
        assert (backend, warp_size) == ("cuda", 32)
        self.arch = arch


class Driver:
    _active = None

    def set_active(self, active):
        self._active = active


DRIVER = Driver()


class Tensor(array.array):
    """Numbers in memory, with the attribute for the type that Triton reads."""

    def __new__(cls, count, dtype):
        self = super().__new__(cls, {"fp32": "f", "fp16": "H"}[dtype], bytes({"fp32": 4, "fp16": 2}[dtype] * count))
        self.dtype = dtype
        return self


class Config:
    """A configuration of @triton.autotune."""

    def __init__(self, kwargs, num_warps=4, num_stages=3, num_ctas=1, maxnreg=None, pre_hook=None):
        self.kwargs, self.num_warps, self.num_stages, self.pre_hook = kwargs, num_warps, num_stages, pre_hook

    def all_kwargs(self):
        return {**self.kwargs, "num_warps": self.num_warps, "num_stages": self.num_stages}


class Autotuner:
    """The result of @triton.autotune, with the rules of Triton 3.6: it prunes its configurations for each key, measures those that are left
    unless there is only one, and launches the kernel with the best. The names of methods and parameters are Triton's."""

    def __init__(self, fn, arg_names, configs, key, prune_configs_by=None, do_bench=None):
        self.fn, self.arg_names, self.configs, self.key, self.cache = fn, arg_names, configs, key, {}
        self.by = prune_configs_by or {}
        assert set(self.by) <= {"early_config_prune", "perf_model", "top_k"}
        self.do_bench = do_bench
        self.nargs = None

    def __getitem__(self, grid):
        return lambda *args, **kwargs: self.run(*args, grid=grid, warmup=False, **kwargs)

    def prune_configs(self, kwargs, nargs=None):
        prune = self.by.get("early_config_prune")
        kept = prune(self.configs, nargs or self.nargs, **kwargs) if prune else self.configs
        assert kept
        return kept

    def run(self, *args, **kwargs):
        self.nargs = dict(zip(self.arg_names, args))
        named = {**self.nargs, **kwargs}
        key = tuple(str(named[name]) for name in self.key)
        if key not in self.cache:
            kept = self.prune_configs(kwargs)
            if len(kept) > 1:
                times = [(self.measure(args, {**kwargs, **config.all_kwargs()}), n) for n, config in enumerate(kept)]
                kept = [kept[min(times)[1]]]
            self.cache[key] = kept[0]
        self.best_config = self.cache[key]
        return self.fn.run(*args, **kwargs, **self.best_config.all_kwargs())

    def measure(self, args, options):
        return self.do_bench(lambda: self.fn.run(*args, **options), quantiles=(0.5, 0.2, 0.8))


def autotune(configs, key, prune_configs_by=None, do_bench=None):
    return lambda fn: Autotuner(fn, fn.arg_names, configs, key, prune_configs_by, do_bench)


class Heuristics:
    """The result of @triton.heuristics: constants that functions compute from the arguments."""

    def __init__(self, fn, arg_names, values):
        self.fn, self.arg_names, self.values = fn, arg_names, values

    def run(self, *args, **kwargs):
        for name, heuristic in self.values.items():
            kwargs[name] = heuristic({**dict(zip(self.arg_names, args)), **kwargs})
        return self.fn.run(*args, **kwargs)


class Kernel:
    """The result of @triton.jit for a function, as far as the package uses it."""

    def __init__(self, name, arguments, constants, examples):
        self.__name__, self.arg_names, self.examples = name, [*arguments, *constants], examples
        self.params = [types.SimpleNamespace(name=n, is_constexpr=n in constants) for n in self.arg_names]
        self.asked = []  # options of the compilations, in order
        self.launched = []  # options of the launches on a GPU, in order

    def __getitem__(self, grid):
        return lambda *args, **kwargs: self.run(*args, grid=grid, warmup=False, **kwargs)

    def run(self, *args, grid, warmup, num_warps=4, **constants):
        if not warmup:
            self.launched.append({"num_warps": num_warps, **constants})
            return None
        assert DRIVER._active.get_current_target().arch == 90
        self.asked.append({"num_warps": num_warps, **constants})
        if (self.__name__, num_warps) not in CODE:
            raise RuntimeError("no code for {} warps".format(num_warps))
        cubin, ir = CODE[self.__name__, num_warps]
        with open(self.examples / "triton/launches.csv") as table:
            (row,) = [r for r in csv.DictReader(table) if r["program"] == cubin]
        kinds = ["*" + a.dtype if hasattr(a, "data_ptr") else "fp32" if isinstance(a, float) else "i32" for a in args]
        signature = {**dict(zip(self.arg_names, kinds)), **{name: "constexpr" for name in constants}}
        return types.SimpleNamespace(
            src=types.SimpleNamespace(signature=signature),
            metadata=types.SimpleNamespace(name=self.__name__, num_warps=num_warps, shared=int(row["shared"])),
            asm={"cubin": (self.examples / "triton" / (cubin + ".cubin")).read_bytes(),
                 "ttgir": (HERE / (ir + ".ttgir")).read_text() if ir else ""})


def play(examples):
    names = {"triton": {"Config": Config, "autotune": autotune}, "triton.runtime": {}, "triton.runtime.jit": {"JITFunction": Kernel}, "triton.runtime.driver": {"driver": DRIVER}, "triton.backends": {},
             "triton.backends.compiler": {"GPUTarget": Target}}
    for name, members in names.items():
        module = sys.modules[name] = types.ModuleType(name)
        module.__dict__.update(members)
    return {"attention": Kernel("attention", ["out", "q", "k", "v", "n", "scale"], ["BM", "BN", "D"], examples),
            "attention_args": [Tensor(128 * 64, "fp32"), *(Tensor(128 * 64, "fp16") for _ in range(3)), 128, 0.125],
            "attention_options": dict(BM=32, BN=64, D=64, num_warps=8),
            "transpose": Kernel("transpose", ["out", "x", "m", "n"], ["BM", "BN"], examples),
            "matmul": Kernel("matmul", ["c", "a", "b", "m", "n", "k"], ["BM", "BN", "BK", "PREC"], examples),
            "matmul_args": [*(Tensor(128 * 128, "fp32") for _ in range(3)), 128, 128, 128],
            "matmul_options": dict(BM=32, BN=64, BK=32, PREC="tf32")}
