"""Compares predicted times with times that were measured on a GPU (data/sm_90/launch_times.csv.zst).
  scripts/compare times trace PROGRAMS TRACES [WORD...]       runs programs on bankwise, and keeps a trace of each launch
  scripts/compare times predict TRACES [--half fit|held] [--caches cold|warm] [--gpu FILE.csv] [--set parameter=value]... [--csv FILE]
                                       [WORD...]              predicts the launches, and prints the errors
  scripts/compare times again TABLE.csv TRACES [GPU]          predicts the launches of data/sm_90/more_times.csv, fresh_times.csv or
                                                              tensor_times.csv (GPU h200) again, and writes the predictions and bounds
                                                              into the table
  scripts/compare times run TABLE.csv PROGRAMS TRACES         runs the programs of tensor_times.csv, from the folder PROGRAMS, on bankwise,
                                                              and keeps a trace of each launch
  scripts/compare times fixes TRACES GPU GHZ [CSV]            compares the kernels of examples/fixes with fix_times.csv, in microseconds
  scripts/compare times events PROGRAM                        runs bench/event_sequences, and writes the times that it shows into
                                                              event_times.csv
  scripts/compare times events PROGRAM GPU.csv                the same for bench/held_out_sequences, with what it printed on a GPU.
                                                              FLAGS are further flags of bankwise run, such as --virtual-time
PROGRAMS is a CSV with the columns program (as in launch_times), folder and command. TRACES is a folder for traces. WORD selects the
programs or kernels whose name contains it. A hash of the name puts each program into one of two halves: parameters are fitted to one half,
and the other half is held out. Needs build/release/cli/bankwise and bench/predict_traces (BANKWISE, PREDICT_TRACES). LIMIT is the number
of seconds for each program (default: 45), JOBS the number of programs that run at the same time.
"""
import collections
import concurrent.futures
import csv
import glob
import hashlib
import io
import os
import pathlib
import re
import shlex
import signal
import statistics
import struct
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BANKWISE = os.environ.get("BANKWISE", str(ROOT / "build/release/cli/bankwise"))
PREDICT = os.environ.get("PREDICT_TRACES", str(ROOT / "build/release/bench/predict_traces"))
OTHER_TABLES = ["more_times.csv", "fresh_times.csv", "small_times.csv"]  # of programs that are not in launch_times


def half_of(program):
    return "held" if hashlib.sha256(program.encode()).digest()[0] & 1 else "fit"


def measured(caches="cold"):
    text = subprocess.run(["zstd", "-dc", ROOT / "data/sm_90/launch_times.csv.zst"], capture_output=True, text=True, check=True).stdout
    rows = list(csv.DictReader(io.StringIO(text)))
    # Rows of launches with warm caches have no number of instructions.
    executed = {launch_of(r): r["smsp__inst_executed.sum"] for r in rows if r["caches"] == "cold"}
    for r in rows:
        r["smsp__inst_executed.sum"] = r["smsp__inst_executed.sum"] or executed.get(launch_of(r), "0")
    return [r for r in rows if r["caches"] == caches]


def launch_of(r):
    return tuple(r[k] for k in ("program", "arguments", "launch", "kernel", "grid", "block"))


def bare_name(kernel):
    kernel = kernel.removeprefix("void ").split("(")[0]
    return re.sub(r"<.*", "", kernel).split("::")[-1].strip()


def key_of_row(r):
    return bare_name(r["kernel"]), *(tuple(map(int, r[k].split("x"))) for k in ("grid", "block"))


def name_and_shape(path):
    with open(path, "rb") as f:
        start = f.read(1 << 16)
    length = struct.unpack_from("<Q", start, 8)[0]
    numbers = struct.unpack_from("<6I", start, 16 + length + 4)
    return start[16:16 + length].decode(errors="replace"), numbers[:3], numbers[3:]


def key_of_trace(path):
    name, grid, block = name_and_shape(path)
    return bare_name(name), grid, block


def folder_of(traces, program):
    return os.path.join(traces, program.replace("/", "__"))


def environment_for(folder):
    """Empties the folder. Returns the environment in which a program writes its traces there."""
    os.makedirs(folder, exist_ok=True)
    for old in glob.glob(folder + "/*"):
        os.remove(old)
    return {**os.environ, "BANKWISE_TRACES": os.path.abspath(folder)}


def covered(wanted, folder):
    """The wanted keys that a trace in the folder has. Tables cut long names of kernels."""
    found = {key_of_trace(f) for f in glob.glob(folder + "/*.trace")}
    return {w for w in wanted if any(f[0].startswith(w[0]) and f[1:] == w[1:] for f in found)}


def trace_program(p, wanted, traces):
    """Runs a program until each wanted kind of launch has a trace."""
    folder = folder_of(traces, p["program"])
    command = shlex.split(p["command"])
    if not os.path.exists(os.path.join(p["folder"], command[0])):
        return print(f"{p['program']}: {command[0]} does not exist in {p['folder']}", flush=True)
    begun = time.time()
    run = subprocess.Popen([BANKWISE, "run", "--time-model", "on", "--time", "15", "-o", "/dev/null", "--", *command],
                           cwd=p["folder"], env=environment_for(folder), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, start_new_session=True)
    found = set()
    while run.poll() is None and time.time() - begun < float(os.environ.get("LIMIT", "45")) and wanted != found:
        time.sleep(0.3)
        found = covered(wanted, folder)
    if run.poll() is None:
        os.killpg(run.pid, signal.SIGKILL)
    run.wait()
    print(f"{p['program']}: {len(covered(wanted, folder))} of {len(wanted)} kinds of launches", flush=True)


def trace(programs, traces, words):
    wanted = collections.defaultdict(set)
    for r in [*measured(), *(r for table in OTHER_TABLES for r in csv.DictReader(open(ROOT / "data/sm_90" / table)))]:
        wanted[r["program"]].add(key_of_row(r))
    chosen = [p for p in csv.DictReader(open(programs)) if wanted[p["program"]] and (not words or any(w in p["program"] for w in words))]
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS", "1"))) as pool:
        list(pool.map(lambda p: trace_program(p, wanted[p["program"]], traces), chosen))


def quantile(values, part):
    values = sorted(values)
    return values[min(len(values) - 1, int(part * len(values)))]


# Returns the rows of the speed-of-light page, and their resources. The page divides L1's clocks by the clocks in which
# multiprocessors are active. This function divides L1's clocks by the elapsed clocks, as for all other resources.
def speed_of_light(r):
    value = lambda name: float(r[name] or 0)
    active = value("sm__cycles_active.avg") / value("gpc__cycles_elapsed.max")
    return {"sm": value("sm__throughput.avg.pct_of_peak_sustained_elapsed"),
            "l1": value("l1tex__throughput.avg.pct_of_peak_sustained_active") * active,
            "l2": value("lts__throughput.avg.pct_of_peak_sustained_elapsed"),
            "dram": value("gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed")}


USE = ["use_issue", "use_pipes", "use_l1", "use_l2", "use_dram"]  # columns that predict_traces prints, in percent
UNIT = {name: {"issue": "sm", "pipes": "sm"}.get(unit, unit) for name, unit in
        re.findall(r'^RESOURCE\((\w+), "[^"]*", (\w+)', open(ROOT / "src/model/time/resources.def").read(), re.M) if unit != "none"}


# Another compiler or other inputs make another launch of the same name and shape. Its time says nothing about the row.
def is_another(row_instructions, traced):
    return float(row_instructions or 0) > 0 and float(traced) > 0 and abs(float(traced) / float(row_instructions) - 1) > 0.05


def judge_bounds(results, used_of):
    high = agree = near = 0
    for _, r, _, _, bound in results:
        page = speed_of_light(r)
        top = max(page, key=page.get)
        if page[top] < 60:
            continue
        high += 1
        own = page.get(UNIT.get(bound, ""), 0)
        agree += own == page[top]
        near += own >= page[top] - 5
        if own < page[top] - 5:
            issue, pipes, l1, l2, dram = used_of[id(r)]
            print(f"  not the highest: {r['program']} {bare_name(r['kernel'])[:26]}: {bound}; measured "
                  + " ".join(f"{k} {v:.0f}" for k, v in page.items())
                  + f"; predicted sm {max(issue, pipes):.0f} l1 {l1:.0f} l2 {l2:.0f} dram {dram:.0f}")
    print(f"{high} launches use a resource for 60% or more: the bound has the highest use in {agree}, and is within 5 points of the highest use in {near}")


def predict(traces, half, caches, settings, table, words):
    pairs, missing = [], 0
    rows = [r for r in measured(caches) if half is None or half_of(r["program"]) == half]
    for program in sorted({r["program"] for r in rows}):
        found = collections.defaultdict(list)
        for path in sorted(glob.glob(folder_of(traces, program) + "/*.trace")):
            found[key_of_trace(path)].append(path)
        for r in rows:
            if r["program"] != program or (words and not any(w in program or w in r["kernel"] for w in words)):
                continue
            same = found[key_of_row(r)]
            if same:
                pairs.append((r, same.pop(0) if len(same) > 1 else same[0]))
            missing += not same
    arguments = [word for r, path in pairs for word in (path, r["smsp__inst_executed.sum"])]
    printed = subprocess.run([PREDICT, "--shares", *settings, *arguments], capture_output=True, text=True, check=True).stdout
    results, bounds, used_of = [], collections.defaultdict(list), {}
    others = 0
    for (r, _), line in zip(pairs, printed.splitlines()):
        _, cycles, _, traced, _, rest = line.split(",")
        if float(cycles) == 0:
            missing += 1
            continue
        if is_another(r["smsp__inst_executed.sum"], traced):
            others += 1
            continue
        elapsed = float(r["gpc__cycles_elapsed.max"])
        bound, used, _ = rest.split("|")
        bound = bound.strip()
        used_of[id(r)] = [float(u) for u in used.split()]
        error = float(cycles) / elapsed - 1
        results.append((error, r, elapsed, float(cycles), bound))
        bounds[bound].append(abs(error))
    for error, r, elapsed, cycles, bound in sorted(results, key=lambda x: x[0]):
        print(f"{error:+8.1%}  {r['program']:34} {bare_name(r['kernel'])[:26]:26} {elapsed:>10.0f} {cycles:>10.0f}  {bound}")
    if table:
        write_predictions(table, [[r["program"], r["arguments"], r["launch"], bare_name(r["kernel"]), r["grid"], r["block"],
                                   half_of(r["program"]), f"{elapsed:.0f}", f"{cycles:.0f}", bound, *(f"{u:.1f}" for u in used_of[id(r)])]
                                  for _, r, elapsed, cycles, bound in results])
    judge_bounds(results, used_of)
    for bound, errors in sorted(bounds.items()):
        print_errors(bound, errors)
    print_errors("all", [x[0] for x in results], f"; {missing} without a trace, {others} with the trace of another launch")


# Launches of the table that were not predicted keep their rows.
def write_predictions(table, rows):
    header = "program,arguments,launch,kernel,grid,block,half,measured,predicted,bound".split(",") + USE
    kept = list(csv.reader(open(table)))[1:] if os.path.exists(table) else []
    by_launch = {tuple(row[:6]): row for row in rows}
    with open(table, "w", newline="") as f:
        csv.writer(f, lineterminator="\n").writerows([header, *(by_launch.pop(tuple(row[:6]), row) for row in kept), *by_launch.values()])


def print_errors(name, errors, more=""):
    errors = [abs(e) for e in errors]
    if errors:
        print(f"{name:12} {len(errors):4} launches  median {statistics.median(errors):6.1%}  90th percentile {quantile(errors, 0.9):6.1%}{more}")


# A table in which a program has several rows of arguments has a folder of traces for each of them.
def folder_of_row(traces, r):
    return folder_of(traces, re.sub(r"[^\w./-]+", "_", f"{r['program']} {r['arguments']}") if r.get("arguments") else r["program"])


# The symbols of some kernels are not demangled.
def is_kernel(traced, row):
    return traced.startswith(row) or (traced.startswith("_Z") and f"{len(row)}{row}" in traced)


def again(table, traces, gpu=None):
    """Launches of programs that are not in launch_times. The table cuts long names of kernels."""
    rows = list(csv.DictReader(open(table)))
    found = {}
    for r in rows:
        folder = folder_of_row(traces, r)
        if folder not in found:
            # the first trace of each kernel and shape
            found[folder] = {name_and_shape(path): path for path in reversed(sorted(glob.glob(folder + "/*.trace")))}
    def path_of(r):
        same = sorted(path for (name, *shape), path in found[folder_of_row(traces, r)].items()
                      if is_kernel(bare_name(name), r["kernel"]) and tuple(shape) == key_of_row(r)[1:])
        number = int(r.get("launch") or 0)
        return same[number] if number < len(same) else None
    traced = [(r, path_of(r)) for r in rows if path_of(r)]
    words = [w for r, path in traced for w in (path, *([r["instructions"]] if r.get("instructions") else []))]
    printed = subprocess.run([PREDICT, "--shares", *(["--gpu", gpu] if gpu else []), *words], capture_output=True, text=True, check=True).stdout
    errors, halves = [], collections.defaultdict(list)
    for (r, _), line in zip(traced, printed.splitlines()):
        _, cycles, _, instructions, _, rest = line.split(",")
        # Arguments name the launch. In kernels with mbarriers, the number of instructions depends on how often warps look.
        if float(cycles) == 0 or ("arguments" not in r and is_another(r.get("instructions"), instructions)):
            continue
        r["predicted"], r["bound"] = f"{float(cycles):.0f}", rest.split("|")[0].strip()
        errors.append(float(cycles) / float(r["measured"]) - 1)
        halves[r.get("half", "")].append(errors[-1])
        print(f"{errors[-1]:+8.1%}  {r['program']:34} {r['kernel']:28} {float(r['measured']):>10.0f} {r['predicted']:>10}  {r['bound']}")
    with open(table, "w", newline="") as f:
        out = csv.DictWriter(f, rows[0], lineterminator="\n")
        out.writeheader()
        out.writerows(rows)
    for half, some in sorted(halves.items()):
        print_errors(half, some)
    print_errors("all", errors, f"; {len(rows) - len(errors)} without a trace, or with the trace of another launch, keep their predictions")


def run_programs(table, programs, traces):
    def run(program, arguments):
        folder = folder_of_row(traces, {"program": program, "arguments": arguments})
        command = [BANKWISE, "run", "--arch", "sm_90", "--time-model", "on", "-o", "/dev/null", "--",
                   os.path.join(programs, os.path.basename(program)), *shlex.split(arguments)]
        try:
            subprocess.run(command, cwd=programs, env={**environment_for(folder), "QUICK": "1"},
                           stdin=subprocess.DEVNULL, capture_output=True, timeout=float(os.environ.get("LIMIT", "100")))
        except subprocess.TimeoutExpired:
            pass
        print(f"{program} {arguments}: {len(glob.glob(folder + '/*.trace'))} traces", flush=True)

    runs = list(dict.fromkeys((r["program"], r["arguments"]) for r in csv.DictReader(open(table))))
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS", "1"))) as pool:
        list(pool.map(lambda each: run(*each), runs))


def fixes(traces, gpu, clock, table=None):
    """The kernels of examples/fixes in microseconds: the median of 20 launches after warming up (fix_times.csv, an H200 at 1.98 GHz)."""
    rows = []
    executed = {(r["program"], bare_name(r["kernel"])): r["smsp__inst_executed.sum"] for r in measured()}
    traced = []
    for r in csv.DictReader(open(ROOT / "data/sm_90/fix_times.csv")):
        program = "fixes/" + r["program"]
        found = [p for p in sorted(glob.glob(folder_of(traces, program) + "/*.trace")) if key_of_trace(p)[0] == r["kernel"]]
        traced += [(program, r["kernel"], float(r["microseconds"]), found[-1])] if found else []
    words = [w for program, kernel, _, path in traced for w in (path, executed.get((program, kernel), "0"))]
    printed = subprocess.run([PREDICT, "--gpu", gpu, "--clock", clock, "--warm", *words], capture_output=True, text=True, check=True).stdout
    errors, factors, before = [], [], {}
    print("| kernel | measured, us | predicted, us | difference |\n|---|---:|---:|---:|")
    for (_, kernel, there, _), line in zip(traced, printed.splitlines()):
        mine = float(line.split(",")[1]) / float(clock) / 1000
        errors.append(abs(mine / there - 1))
        rows.append([kernel, f"{there:.2f}", f"{mine:.2f}"])
        print(f"| {kernel} | {there:.0f} | {mine:.0f} | {mine / there - 1:+.0%} |")
        stem, _, version = kernel.rpartition("_")
        if version == "before":
            before[stem] = there, mine
        elif stem in before:
            factors.append(abs(before[stem][1] / mine / (before[stem][0] / there) - 1))
    if table:
        with open(table, "w", newline="") as f:
            csv.writer(f, lineterminator="\n").writerows([["kernel", "measured", "predicted"], *rows])
    print(f"{len(errors)} kernels: median {statistics.median(errors):.1%}, 90th percentile {quantile(errors, 0.9):.1%}; "
          f"the factor of an edit is within 10% for {sum(f < 0.1 for f in factors)} of {len(factors)}")


def events(program, of_gpu=None):
    """What bench/event_sequences prints on bankwise, and what it printed on a GPU."""
    table = ROOT / "data/sm_90/event_times.csv"
    rows = list(csv.DictReader(open(of_gpu or table)))
    for r in rows:
        r.setdefault("measured", r.get("events_us"))
    printed = subprocess.run([BANKWISE, "run", "--gpu", "h200", *os.environ.get("FLAGS", "").split(), "-o", "/dev/null", "--", program, "3"], capture_output=True, text=True, check=True)
    shown = {r["sequence"]: r["events_us"] for r in csv.DictReader(io.StringIO(printed.stdout))}
    errors = []
    for r in rows:
        r["shown"] = shown[r["sequence"]]
        errors.append(float(r["shown"]) / float(r["measured"]) - 1)
        print(f"{errors[-1]:+8.1%}  {r['sequence']:70} {float(r['measured']):>10.2f} {r['shown']:>10}")
    if not of_gpu:
        with open(table, "w", newline="") as f:
            out = csv.DictWriter(f, rows[0], lineterminator="\n")
            out.writeheader()
            out.writerows(rows)
    print_errors("all", errors)


def main(words):
    if words[:1] == ["events"] and len(words) in (2, 3):
        return events(*words[1:])
    if words[:1] == ["trace"] and len(words) >= 3:
        return trace(words[1], words[2], words[3:])
    if words[:1] == ["again"] and len(words) in (3, 4):
        return again(*words[1:])
    if words[:1] == ["run"] and len(words) == 4:
        return run_programs(*words[1:])
    if words[:1] == ["fixes"] and len(words) in (4, 5):
        return fixes(*words[1:])
    if words[:1] != ["predict"] or len(words) < 2:
        sys.exit(__doc__)
    half, caches, settings, table, rest = None, "cold", [], None, words[2:]
    only = []
    while rest:
        word = rest.pop(0)
        if word == "--half" and rest:
            half = rest.pop(0)
        elif word == "--caches" and rest:
            caches = rest.pop(0)
        elif word in ("--set", "--gpu") and rest:
            settings += [word, rest.pop(0)]
        elif word == "--csv" and rest:
            table = rest.pop(0)
        else:
            only.append(word)
    if caches == "warm":
        settings.append("--warm")
    predict(words[1], half, caches, settings, table, only)
