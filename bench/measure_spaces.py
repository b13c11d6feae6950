#!/usr/bin/env python3
"""Measures spaces of configurations on a GPU: how long each configuration of bench/spaces/spaces.toml takes.
    bench/measure_spaces.py list [SPACE...]      writes the launches of each configuration; needs bankwise, no GPU.
                                                 SMALL=1 writes small launches, SHARD=1/8 an eighth of them
    bench/measure_spaces.py check [SPACE...]     compares the results of all configurations with small sizes on the CPU; needs bankwise.
                                                 SHARD=1/8 checks an eighth of them
    bench/measure_spaces.py compile [SPACE...]   compiles all configurations; needs nvcc
    bench/measure_spaces.py measure [SPACE...]   writes a row for each configuration; needs a GPU and ncu
    bench/measure_spaces.py [SPACE...]           does `compile` and `measure` at the same time; all spaces include those of Triton
The folder SPACES (build/spaces by default) gets lists/SPACE.jsonl, cubins/SPACE.jsonl with its cubins, and measured/SPACE.csv. The lists are
those of `bankwise tune --list`; bench/triton_spaces.py adds spaces of Triton. The columns of the rows:
  cold_cycles, warm_cycles   gpc__cycles_elapsed.max at the base clocks, with empty caches, and directly after a launch of the same kernel
  microseconds               the median time between two events, after all of L2 was written, at the clocks that the GPU chooses
  agrees                     yes, or how the results differ from those of the first configuration
"""
import concurrent.futures
import csv
import ctypes
import importlib.util
import json
import os
import pathlib
import re
import statistics
import struct
import subprocess
import sys
import time

try:
    import numpy
except ImportError:  # everything works without it, but large buffers take long
    numpy = None

ROOT = pathlib.Path(__file__).resolve().parents[1]
TABLE = ROOT / "bench/spaces/spaces.toml"
FOLDER = pathlib.Path(os.environ.get("SPACES", ROOT / "build/spaces")).resolve()
BANKWISE = os.environ.get("BANKWISE", str(ROOT / "build/release/cli/bankwise"))
METRIC = "gpc__cycles_elapsed.max"
COLUMNS = ["space", "configuration", "kernel", "grid", "block", "registers", "shared_bytes", "cold_cycles", "warm_cycles", "microseconds", "agrees"]
LEAST_RUNS, RUNS = 10, 60      # launches before and while the time is taken
FLUSHED = 256 << 20            # bytes that are written between two launches
TOLERANCE = {"f16": 1e-2, "bf16": 1e-2, "f32": 1e-4, "f64": 1e-9}  # as in `bankwise tune`
MOST_STARTS = 4                # a fault of a kernel ends its process, and another process continues
MOST_SECONDS = 120             # of one process


# The table, and the lists of launches.

def read_table():
    import tomllib
    return tomllib.loads(TABLE.read_text())


def words_of(name, space, constants):
    """The words of `bankwise tune` for a space."""
    words = [str((TABLE.parent / (name + ".cu")).relative_to(ROOT)), "-k", space.get("kernel", name), "--arch", "sm_90a"]
    for key, flag in (("define", "-D"), ("set", "--set"), ("where", "--where"), ("arg", "--arg")):
        for one in space.get(key, []):
            words += [flag, one]
    for one in constants:
        words += ["--let", one]
    for key in ("grid", "block", "shared"):
        if key in space:
            words += ["--" + key, space[key]]
    if "nvcc" in space:
        words += ["--nvcc", *space["nvcc"]]
    return words


def constants_of(space, small):
    """The constants of --let. `small` has other values for some of them."""
    values = dict(one.split("=", 1) for one in [*space.get("let", []), *(space.get("small", []) if small else [])])
    return ["=".join(one) for one in values.items()]


def list_spaces(names):
    table = read_table()
    (FOLDER / "lists").mkdir(parents=True, exist_ok=True)
    for name in names or table:
        to = FOLDER / "lists" / (name + ".jsonl")
        part = ["--shard", os.environ["SHARD"]] if "SHARD" in os.environ else []
        subprocess.run([BANKWISE, "tune", *words_of(name, table[name], constants_of(table[name], "SMALL" in os.environ)), "--list", "-o", str(to), *part], cwd=ROOT, check=True)
        print(f"{name:16} {len(to.read_text().splitlines()):4} configurations", flush=True)


def check_spaces(names):
    table = read_table()
    failed = False
    for name in names or table:
        begun = time.monotonic()
        part = ["--shard", os.environ["SHARD"]] if "SHARD" in os.environ else []
        done = subprocess.run([BANKWISE, "tune", *words_of(name, table[name], constants_of(table[name], True)), "--format", "json", *part],
                              cwd=ROOT, stdout=subprocess.PIPE)
        if done.returncode:
            failed = True
            print(f"{name:16} bankwise tune ended with {done.returncode}", flush=True)
            continue
        rows = json.loads(done.stdout)["configurations"]
        wrong = [row for row in rows if row["outcome"] != "ranked"]
        print(f"{name:16} {len(rows) - len(wrong):4} of {len(rows)} agree, {time.monotonic() - begun:.0f} s", flush=True)
        for row in wrong:
            failed = True
            print(f"    {row}"[:400], flush=True)
    sys.exit(failed)


def read_list(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def write_list(name, launches):
    """Writes the launches of a space whose cubins are complete. Another process may be waiting for them."""
    part, whole = (FOLDER / "cubins" / (name + end) for end in (".part", ".jsonl"))
    part.write_text("".join(json.dumps(one) + "\n" for one in launches))
    part.rename(whole)


# Compilation.

def compile_one(name, index, launch):
    """Compiles a launch's source. Returns the launch with the name of its cubin, or the compiler's error."""
    to = FOLDER / "cubins" / name / f"{index}.cubin"
    made = dict(launch, file=str(to.relative_to(FOLDER)))
    flags = [word for word in made.pop("nvcc") if not word.startswith("-arch")]
    made.pop("arch", None)
    done = subprocess.run(["nvcc", "-cubin", "-arch=sm_90a", "-O3", "-lineinfo", "-std=c++17", *flags, "-o", str(to), launch["file"]], cwd=ROOT,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return (made, "") if done.returncode == 0 else (None, f"{launch['name']}: {done.stdout[:300]}")


def compile_spaces(names):
    begun = time.monotonic()
    # Those with the longest compilations first.
    lists = {path.stem: read_list(path) for path in sorted((FOLDER / "lists").glob("*.jsonl")) if not names or path.stem in names}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        made = {}
        for name, launches in lists.items():
            if any("nvcc" not in launch for launch in launches):
                continue  # it consists of cubins
            (FOLDER / "cubins" / name).mkdir(parents=True, exist_ok=True)
            made[name] = [pool.submit(compile_one, name, index, launch) for index, launch in enumerate(launches)]
        for name, futures in made.items():
            results = [future.result() for future in futures]
            for _, why in results:
                if why:
                    print(f"{name}: not compiled: {why}", flush=True)
            write_list(name, [one for one, _ in results if one])
            print(f"{name:16} {sum(one is not None for one, _ in results):4} compiled, {time.monotonic() - begun:.0f} s", flush=True)


# The driver.

class DriverError(Exception):
    pass


class Driver:
    """The functions of libcuda.so.1. A call that fails raises an error."""

    def __init__(self):
        self._library = ctypes.CDLL("libcuda.so.1")
        self.cuInit(0)
        context = ctypes.c_void_p()
        self.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
        self.cuCtxSetCurrent(context)

    def __getattr__(self, name):
        function = getattr(self._library, name)

        def call(*arguments):
            status = function(*arguments)
            if status:
                text = ctypes.c_char_p()
                self._library.cuGetErrorName(status, ctypes.byref(text))
                raise DriverError(f"{name}: {(text.value or b'?').decode()}")

        return call

    def allocate(self, size):
        place = ctypes.c_uint64()
        self.cuMemAlloc_v2(ctypes.byref(place), ctypes.c_size_t(size))
        return place

    def read(self, place, size):
        data = ctypes.create_string_buffer(size)
        self.cuMemcpyDtoH_v2(data, place, ctypes.c_size_t(size))
        return data.raw


# Arguments, in the words of --arg.

SIZES = {"i8": 1, "u8": 1, "i16": 2, "u16": 2, "f16": 2, "bf16": 2, "i32": 4, "u32": 4, "f32": 4, "i64": 8, "u64": 8, "f64": 8}
FORMATS = {"i8": "b", "u8": "B", "i16": "h", "u16": "H", "f16": "e", "i32": "i", "u32": "I", "f32": "f", "i64": "q", "u64": "Q", "f64": "d"}
MASK = (1 << 64) - 1
STEP = 0x9e3779b97f4a7c15


def random_bits(seed, count):
    """The random numbers of cli/run/buffer_contents.cpp: SplitMix64."""
    start = seed * 0x2545f4914f6cdd1d & MASK
    if numpy is not None:
        with numpy.errstate(over="ignore"):
            x = numpy.arange(1, count + 1, dtype=numpy.uint64) * numpy.uint64(STEP) + numpy.uint64(start)
            x = (x ^ x >> numpy.uint64(30)) * numpy.uint64(0xbf58476d1ce4e5b9)
            x = (x ^ x >> numpy.uint64(27)) * numpy.uint64(0x94d049bb133111eb)
            return x ^ x >> numpy.uint64(31)
    bits = []
    for index in range(1, count + 1):
        x = start + index * STEP & MASK
        x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9 & MASK
        x = (x ^ x >> 27) * 0x94d049bb133111eb & MASK
        bits.append(x ^ x >> 31)
    return bits


def contents(kind, count, value):
    """The bytes of a buffer."""
    if value == "zero":
        return bytes(count * SIZES[kind])
    seed = re.fullmatch(r"random:(\d+)", value)
    if seed is None or kind not in FORMATS:
        raise ValueError(f"{kind}[{count}]={value} is not supported")
    bits = random_bits(int(seed[1]), count)
    digits = {"f16": 11, "f32": 24, "f64": 53}.get(kind)
    if numpy is not None:
        if digits is None:
            return bits.astype(numpy.dtype(f"u{SIZES[kind]}")).tobytes()
        return ((bits >> numpy.uint64(64 - digits)).astype(numpy.float64) * 2.0 ** -digits).astype(numpy.dtype(FORMATS[kind])).tobytes()
    if digits is None:
        mask = (1 << 8 * SIZES[kind]) - 1
        return b"".join((one & mask).to_bytes(SIZES[kind], "little") for one in bits)
    return struct.pack(f"<{count}{FORMATS[kind]}", *((one >> 64 - digits) * 2.0 ** -digits for one in bits))


def difference(kind, first, other):
    """How two buffers differ, or an empty text."""
    if first == other:
        return ""
    if numpy is not None:
        a, b = (numpy.frombuffer(one, dtype=FORMATS[kind]).astype(numpy.float64) for one in (first, other))
        most, off = float(numpy.max(numpy.abs(a))), float(numpy.max(numpy.abs(a - b)))
    else:
        a, b = (struct.unpack(f"<{len(one) // SIZES[kind]}{FORMATS[kind]}", one) for one in (first, other))
        most, off = max(map(abs, a)), max(abs(x - y) for x, y in zip(a, b))
    return "" if off <= TOLERANCE.get(kind, 0) * most else f"differs by {off:.4g}, largest {most:.4g}"


class Arguments:
    """The arguments of a launch. Launches with the same words share their buffers."""

    def __init__(self, driver):
        self._driver, self._known = driver, {}

    def of(self, words):
        """Returns the values of the parameters, and the results: their type, place and size."""
        values, results = [], []
        for number, word in enumerate(map(str, words)):
            if (number, word) not in self._known:
                self._known[number, word] = self._make(word)
            value, result = self._known[number, word]
            values.append(value)
            if result:
                results.append(result)
        return values, results

    def _make(self, word):
        buffer = re.fullmatch(r"(out:)?(\w+)\[(\d+)\](?:=(.*))?", word)
        if buffer:
            out, kind, count, value = buffer.groups()
            data = contents(kind, int(count), value or "zero")
            place = self._driver.allocate(len(data))
            self._driver.cuMemcpyHtoD_v2(place, data, ctypes.c_size_t(len(data)))
            return place, (kind, place, len(data)) if out else None
        number = re.fullmatch(r"(\w+)=(.*)", word)
        if number is None or number[1] not in FORMATS:
            raise ValueError(f"the argument {word} is not supported")
        kind = FORMATS[number[1]]
        packed = struct.pack("<" + kind, float(number[2]) if kind in "efd" else int(number[2]))
        return ctypes.create_string_buffer(packed, len(packed)), None


class Loaded:
    """A kernel with its launch."""

    def __init__(self, driver, arguments, launch):
        self._driver = driver
        module = ctypes.c_void_p()
        driver.cuModuleLoad(ctypes.byref(module), str(FOLDER / launch["file"]).encode())
        self._function = ctypes.c_void_p()
        driver.cuModuleGetFunction(ctypes.byref(self._function), module, launch["kernel"].encode())
        self._shared = launch.get("shared", 0)
        if self._shared > 48 * 1024:
            driver.cuFuncSetAttribute(self._function, 8, self._shared)  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
        self.registers, self.shared_bytes = self._attribute(4), self._attribute(1) + self._shared
        self._values, self.results = arguments.of(launch.get("args", []))
        self._pointers = (ctypes.c_void_p * len(self._values))(*(ctypes.addressof(value) for value in self._values))
        self.grid, self.block = (three(launch.get(key, 1)) for key in ("grid", "block"))

    def _attribute(self, which):
        value = ctypes.c_int()
        self._driver.cuFuncGetAttribute(ctypes.byref(value), which, self._function)
        return value.value

    def launch(self):
        self._driver.cuLaunchKernel(self._function, *self.grid, *self.block, self._shared, None, self._pointers, None)

    def run(self):
        self.launch()
        self._driver.cuCtxSynchronize()

    def outputs(self):
        """Launches the kernel with empty results, and returns them."""
        for _, place, size in self.results:
            self._driver.cuMemsetD8_v2(place, 0, ctypes.c_size_t(size))
        self.run()
        return [self._driver.read(place, size) for _, place, size in self.results]


def three(numbers):
    given = list(numbers) if isinstance(numbers, list) else [numbers]
    return given + [1] * (3 - len(given))


def median_time(driver, loaded, scratch):
    """The median time of a launch in microseconds."""
    def event():
        one = ctypes.c_void_p()
        driver.cuEventCreate(ctypes.byref(one), 0)
        return one

    for _ in range(LEAST_RUNS):
        loaded.launch()
    pairs = [(event(), event()) for _ in range(RUNS)]
    for begin, end in pairs:
        driver.cuMemsetD32Async(scratch, 0, ctypes.c_size_t(FLUSHED // 4), None)
        driver.cuEventRecord(begin, None)
        loaded.launch()
        driver.cuEventRecord(end, None)
    driver.cuCtxSynchronize()
    times = []
    for begin, end in pairs:
        milliseconds = ctypes.c_float()
        driver.cuEventElapsedTime(ctypes.byref(milliseconds), begin, end)
        times.append(milliseconds.value * 1000)
        for one in (begin, end):
            driver.cuEventDestroy_v2(one)
    return statistics.median(times)


def launch_all(name, mode, answers, tried, failed):
    """The process that launches: `once` and `twice` each configuration for ncu, or `time`. Writes lines of JSON for each configuration.
    Leaves out what earlier processes tried, and ends after a fault, because CUDA then refuses all further calls."""
    launches = read_list(FOLDER / "cubins" / (name + ".jsonl"))
    driver = Driver()
    arguments = Arguments(driver)
    first = None
    scratch = driver.allocate(FLUSHED) if mode == "time" else None
    with open(answers, "a") as out:
        def answer(index, **what):
            out.write(json.dumps({"index": index, **what}) + "\n")
            out.flush()

        for index, launch in enumerate(launches):
            # The first results are needed again.
            if index in tried and (mode != "time" or first is not None or index in failed):
                continue
            answer(index, begun=True)
            try:
                loaded = Loaded(driver, arguments, launch)
                if mode != "time":
                    for _ in range(2 if mode == "twice" else 1):
                        loaded.run()
                    answer(index, launched=True)
                    continue
                outputs = loaded.outputs()
                if first is None:
                    first = outputs
                unequal = [difference(kind, a, b) for (kind, _, _), a, b in zip(loaded.results, first, outputs)]
                answer(index, grid=loaded.grid, block=loaded.block, registers=loaded.registers, shared_bytes=loaded.shared_bytes,
                       agrees="; ".join(filter(None, unequal)) or "yes", microseconds=round(median_time(driver, loaded, scratch), 3))
            except (DriverError, ValueError) as why:
                answer(index, error=str(why))
                driver.cuCtxSynchronize()


def cycles_of(log):
    """The values of the metric in the order of the launches, from what ncu wrote."""
    rows = [row for row in csv.reader(log.read_text().splitlines()) if len(row) > 5]
    start = next((i for i, row in enumerate(rows) if row[0] == "ID"), None)
    if start is None:
        return []
    head = rows[start]
    at = head.index("Metric Value") if "Metric Value" in head else head.index(METRIC)
    return [int(float(row[at].replace(",", ""))) for row in rows[start + 1:] if row[0].isdigit()]


def run_launcher(name, mode, before):
    """Runs the launching process, again after a fault, until all configurations were tried. Returns the answers by configuration."""
    answers, log = FOLDER / "measured" / f"{name}.{mode}.jsonl", FOLDER / "measured" / f"{name}.{mode}.log"
    found, tried, failed = {}, set(), set()
    for start in range(MOST_STARTS):
        answers.unlink(missing_ok=True)
        log.unlink(missing_ok=True)
        lists = [",".join(map(str, sorted(some))) for some in (tried, failed)]
        own = [sys.executable, str(pathlib.Path(__file__).resolve()), "--launch", name, mode, str(answers), *lists]
        said = FOLDER / "measured" / f"{name}.{mode}.{start}.said"
        try:
            with open(said, "w") as out:
                status = subprocess.run([*(word.replace("{log}", str(log)) for word in before), *own], timeout=MOST_SECONDS, stdout=out,
                                        stderr=subprocess.STDOUT).returncode
        except subprocess.TimeoutExpired:
            status = "no end"
        lines = [json.loads(line) for line in answers.read_text().splitlines()] if answers.exists() else []
        launched = [line["index"] for line in lines if line.get("launched")]
        if before:
            cycles, each = cycles_of(log) if log.exists() else [], 2 if mode == "twice" else 1
            if len(cycles) < each * len(launched):
                print(f"{name}: ncu measured {len(cycles)} of {each * len(launched)} launches", flush=True)
            for place, index in enumerate(launched):
                if each * (place + 1) <= len(cycles):
                    found[index] = {"cycles": cycles[each * (place + 1) - 1]}
        for line in lines:
            if "microseconds" in line or "error" in line:
                found.setdefault(line["index"], line)
        failed.update(line["index"] for line in lines if "error" in line)
        begun = {line["index"] for line in lines if line.get("begun")}
        if status == 0:
            break
        print(f"{name}: process {start + 1} for {mode} ended with {status}: {said.read_text()[-300:]}", flush=True)
        if begun <= tried:
            break
        # A process that ended without an error, such as one that did not end in time, failed at its last configuration.
        failed.update(begun - set(launched) - set(found))
        tried |= begun
    return found


def measure_space(name):
    begun = time.monotonic()
    launches = read_list(FOLDER / "cubins" / (name + ".jsonl"))
    ncu = ["ncu", *os.environ.get("NCU_FLAGS", "").split(), "--metrics", METRIC, "--csv", "--page", "details", "--print-units", "base", "--log-file", "{log}", "--cache-control"]
    rows = [dict.fromkeys(COLUMNS, "") for _ in launches]
    for row, launch in zip(rows, launches):
        row.update(space=name, configuration=launch["name"], kernel=launch["kernel"])

    def write():
        with open(FOLDER / "measured" / (name + ".csv"), "w", newline="") as out:
            writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)

    for index, one in run_launcher(name, "time", []).items():
        if "error" in one:
            rows[index].update(agrees=one["error"])
            continue
        for key in ("registers", "shared_bytes", "microseconds", "agrees"):
            rows[index][key] = one[key]
        for key in ("grid", "block"):
            rows[index][key] = "x".join(map(str, one[key]))
    write()
    if os.environ.get("NCU") != "off":
        for mode, caches, column in (("once", "all", "cold_cycles"), ("twice", "none", "warm_cycles")):
            for index, one in run_launcher(name, mode, [*ncu, caches]).items():
                rows[index][column] = one.get("cycles", "")
            write()
    counts = [sum(row[column] != "" for row in rows) for column in ("microseconds", "cold_cycles", "warm_cycles")]
    wrong = [row for row in rows if row["agrees"] != "yes"]
    print(f"{name:16} {len(rows):4} configurations: {counts[0]} by events, {counts[1]} cold, {counts[2]} warm, {len(wrong)} do not agree, "
          f"{time.monotonic() - begun:.0f} s", flush=True)
    for row in wrong[:3]:
        print(f"    {row['configuration']}: {row['agrees']}", flush=True)


def measure_spaces(names, compilers=()):
    """Measures the spaces with cubins, and those that the processes `compilers` still make."""
    (FOLDER / "measured").mkdir(parents=True, exist_ok=True)
    done = set()
    while True:
        work = any(one.poll() is None for one in compilers)
        ready = [path.stem for path in sorted((FOLDER / "cubins").glob("*.jsonl")) if path.stem not in done and (not names or path.stem in names)]
        if not ready and not work:
            return
        if not ready:
            time.sleep(0.2)
            continue
        done.add(ready[0])
        try:
            measure_space(ready[0])
        except Exception as why:  # the other spaces are still measured
            print(f"{ready[0]}: {type(why).__name__}: {why}", flush=True)


def compile_and_measure(names):
    for path in (FOLDER / "cubins").glob("*.jsonl"):
        if not names or path.stem in names:
            path.unlink()
    # The launching processes need a core at once.
    before = ["nice", "-n", "10", sys.executable]
    compilers = [subprocess.Popen([*before, __file__, "compile", *names])]
    if not names and importlib.util.find_spec("triton"):
        compilers.append(subprocess.Popen([*before, str(ROOT / "bench/triton_spaces.py")]))
    measure_spaces(names, compilers)


def main(words):
    if words[:1] == ["--launch"]:
        _, name, mode, answers, *lists = words
        launch_all(name, mode, answers, *({int(one) for one in some.split(",") if one} for some in lists))
    elif words[:1] == ["list"]:
        list_spaces(words[1:])
    elif words[:1] == ["check"]:
        check_spaces(words[1:])
    elif words[:1] == ["compile"]:
        compile_spaces(words[1:])
    elif words[:1] == ["measure"]:
        measure_spaces(words[1:])
    elif words and words[0].startswith("-"):
        sys.exit(__doc__)
    else:
        compile_and_measure(words)


if __name__ == "__main__":
    main(sys.argv[1:])
