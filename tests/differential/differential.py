#!/usr/bin/env python3
"""Random programs of generate.py, executed by bankwise and by a GPU: the contents of memory afterwards, and the counts
of each shared-memory instruction, must be the same.

    differential.py generate FOLDER FIRST COUNT          programs, 50 a file; files take the levels in turn
    differential.py compile  FOLDER [--arch sm_90]       at the file's level: O0 is -G, the others set cicc and ptxas
    differential.py gpu      FOLDER                      digests by the GPU that is here
    differential.py count    FOLDER SECONDS              counts by Nsight Compute, of as many files as the time allows
    differential.py emulate  FOLDER [--arch sm_90]       digests and counts by bankwise
    differential.py compare  FOLDER [--with OTHER]       differences.csv; OTHER, a folder of emulated digests, instead of a GPU's
    differential.py sample   FOLDER TO COUNT             of each level COUNT programs with the GPU's digest, those first that bankwise differed
                                                         on: TO/O0.cubin.zst ... and TO/programs.csv, for differential_test
                 [--levels O2,O3] [--archs sm_80,sm_120] of these alone; of each architecture TO/sm_80_O2.cubin.zst, ... with the GPU's digests
    differential.py shrink   FOLDER SECONDS              smaller programs that still differ between GPU and bankwise, in shrunk/

FOLDER/p000000.cu becomes p000000.cubin, .gpu and .emulated (a digest for each program), .json (bankwise's report) and
.ncu.csv. Environment: BANKWISE, the program (default build/release/cli/bankwise); JOBS, how many at a time; FLAGS, more
flags for nvcc.
"""
import collections, concurrent.futures, csv, glob, json, os, pathlib, random, re, subprocess, sys, time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import generate  # noqa: E402

BANKWISE = os.environ.get("BANKWISE", str(HERE.parent.parent / "build/release/cli/bankwise"))
JOBS = int(os.environ.get("JOBS", os.cpu_count() or 1))
LEVELS = {"O0": ["-G"], "O1": ["-Xcicc", "-O1", "-Xptxas", "-O1"], "O2": ["-Xcicc", "-O2", "-Xptxas", "-O2"], "O3": []}
COUNTS = ("executed", "lanes", "wavefronts", "ideal")
METRICS = ("inst_executed", "thread_inst_executed", "memory_l1_wavefronts_shared", "memory_l1_wavefronts_shared_ideal")
COUNTED = 8  # number of counted programs in a file; small, because Nsight Compute is slow
SHARED = re.compile(r"^(@!?U?P\w+ +)?(LDS|STS|ATOMS|LDSM|STSM|LDGSTS|LD|ST|ATOM)\b")


def level_of(file):
    return list(LEVELS)[int(file[1:]) // 50 % len(LEVELS)]


def files_of(folder):
    return sorted({line.split()[0] for line in open(folder / "programs.list")})


def run(command, limit, output=None):
    """Exit status and error text; 124 if it ran out of time."""
    try:
        with open(output or os.devnull, "wb") as to:
            p = subprocess.run(command, stdout=to, stderr=subprocess.PIPE, timeout=limit)
        return p.returncode, p.stderr.decode(errors="replace")
    except subprocess.TimeoutExpired:
        return 124, "out of time"


def launcher(folder):
    path = folder / "launch"
    if not path.exists():
        subprocess.run(["g++", "-std=c++17", "-O1", "-o", path, HERE / "launch.cpp", "-ldl"], check=True)
    return str(path)


def compile_cubin(source, cubin, arch, level):
    return run(["nvcc", f"-arch={arch}", "-w", *LEVELS[level], *os.environ.get("FLAGS", "").split(), "-cubin", "-o", cubin, source], 500)


def compile_file(folder, file, arch, level=None):
    return compile_cubin(folder / f"{file}.cu", folder / f"{file}.cubin", arch, level or level_of(file))


def execute(folder, file, kind):
    """Digests of all programs of a file. A program that fails ends its process, and another process continues."""
    result, skip, names = {}, 0, [line.split()[1] for line in open(folder / "programs.list") if line.split()[0] == file]
    part = folder / f"{file}.{kind}.part"
    if kind == "gpu" and (folder / f"{file}.gpu").exists():
        return digests(folder / f"{file}.gpu")
    while skip < len(names):
        command = [launcher(folder), str(folder), file, str(skip)]
        if kind == "emulated":
            report = folder / (f"{file}.json" if skip == 0 else f"{file}.{skip}.json")
            command = [BANKWISE, "run", "--threads", "1", "--arch", option("--arch", "sm_90"), "--format", "json", "-o", str(report), *command]
        status, said = run(command, 60 if kind == "emulated" else 10, part)
        rows = [line.split() for line in open(part) if re.match(r"\w+ [0-9a-f]{16}$", line)]
        result.update(dict(rows))
        skip += len(rows)
        if skip < len(names):
            why = "out of time" if status == 124 else (re.search(r"error: (.*)", said) or re.search(r"(cu\w+: error \d+)", open(part).read()) or [0, f"exit {status} {said[-200:]}"])[1]
            result[names[skip]] = "fails: " + why.replace("\n", " ")
            skip += 1
    part.unlink(missing_ok=True)
    with open(folder / f"{file}.{kind}", "w") as to:
        to.writelines(f"{name} {result[name]}\n" for name in names)
    return result


def execute_on_gpu(folder, files):
    """Runs all files without failures in one process, and the others by execute()."""
    part = folder / f"{files[0]}.all"
    run([launcher(folder), str(folder), ",".join(files), "0"], 30, part)
    got = {m[1]: m[2] for m in re.finditer(r"^(\w+) ([0-9a-f]{16})$", part.read_text(), re.M)}
    part.unlink()
    for file in files:
        names = [line.split()[1] for line in open(folder / "programs.list") if line.split()[0] == file]
        if all(name in got for name in names):
            (folder / f"{file}.gpu").write_text("".join(f"{name} {got[name]}\n" for name in names))
        else:
            execute(folder, file, "gpu")


def digests(path):
    return dict(line.rstrip("\n").split(" ", 1) for line in open(path)) if path.exists() else {}


def in_parallel(work, items):
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        return list(pool.map(work, items))


def export_counts(report, table):
    """Nsight Compute's counts of each shared-memory instruction."""
    sys.path += sorted(glob.glob("/opt/nvidia/nsight-compute/*/extras/python"))[-1:] + sorted(glob.glob("/usr/local/cuda*/nsight-compute*/extras/python"))[-1:]
    import ncu_report
    context = ncu_report.load_report(str(report))
    with open(table, "w", newline="") as to:
        rows = csv.writer(to)
        rows.writerow(["kernel", "pc", *COUNTS, "sass"])
        for r in range(context.num_ranges()):
            for n in range(context.range_by_idx(r).num_actions()):
                action = context.range_by_idx(r).action_by_idx(n)
                values = []
                for name in METRICS:
                    metric = action.metric_by_name(name)
                    pcs = metric.correlation_ids() if metric is not None and metric.num_instances() else None
                    values.append({pcs.as_uint64(i): metric.as_uint64(i) for i in range(metric.num_instances())} if pcs else {})
                base = min(values[0], default=0)
                rows.writerow([action.name(), "", "", "", "", "", ""])
                for pc in sorted(values[0]):
                    sass = action.sass_by_pc(pc).strip()
                    if values[0][pc] and (SHARED.match(sass) or values[2].get(pc)):
                        rows.writerow([action.name(), f"{pc - base:#x}", *(v.get(pc, 0) for v in values), sass])


def count(folder, seconds):
    end, files = time.time() + seconds, [f for f in files_of(folder) if (folder / f"{f}.gpu").exists()]
    # Sorts the files of level O0 (-G) to the end, and drops files with a program that failed.
    files.sort(key=lambda f: int(f[1:]) // 50 % 4 == 0)
    files = [f for f in files if not any(d.startswith("fails") for d in digests(folder / f"{f}.gpu").values())]
    for file in files:
        left = end - time.time()
        if left < 8:
            break
        report = folder / f"{file}.ncu-rep"
        status, said = run(["ncu", "--metrics", ",".join(METRICS), "--clock-control", "none", "--cache-control", "none", "-f", "-o", str(report), "-c", str(COUNTED), launcher(folder), str(folder), file, "0"], left)
        if status != 0:
            print(f"{file}: ncu: exit {status} {said[-300:]}")
            continue
        export_counts(report, folder / f"{file}.ncu.csv")
        report.unlink()


def words_of(sass):
    return sass.replace(".reuse", "").split()


def compare_counts(folder, file, different):
    """The number of compared instructions, and of those that agree. A site's counts are compared if Nsight Compute
    executed it."""
    table, compared, same = folder / f"{file}.ncu.csv", 0, 0
    if not table.exists():
        return 0, 0, 0
    sites = {}
    for report in [folder / f"{file}.json", *folder.glob(f"{file}.*.json")]:
        if report.exists():
            for launch in json.load(open(report))["launches"]:
                sites[launch["name"]] = {int(s["pc"]): s for s in launch["sites"] if "function" not in s}
    emulated, gpu = digests(folder / f"{file}.emulated"), digests(folder / f"{file}.gpu")
    rows = collections.defaultdict(list)
    for row in csv.DictReader(open(table)):
        rows[row["kernel"]] += [row] if row["pc"] and SHARED.match(row["sass"]) else []
    kernels = 0
    for name, measured in rows.items():
        if emulated.get(name) != gpu.get(name) or name not in sites:
            continue
        kernels += 1
        # Functions may precede the kernel in its section. Nsight Compute counts pcs from the first executed
        # instruction.
        shifts = collections.Counter(int(r["pc"], 16) - pc for r in measured for pc, s in sites[name].items() if words_of(s["sass"]) == words_of(r["sass"]))
        shift = shifts.most_common(1)[0][0] if shifts else 0
        for row in measured:
            site = sites[name].get(int(row["pc"], 16) - shift)
            if site is None and int(row["wavefronts"]) == 0:
                continue  # a generic access to global or local memory
            compared += 1
            # For wide accesses, the source page does not show the hardware's wavefronts.
            got, want = [site.get("ncu_" + c, site[c]) if site else 0 for c in COUNTS], [int(row[c]) for c in COUNTS]
            if got == want:
                same += 1
            else:
                different.append([file, level_of(file), name, row["pc"], row["sass"], "counts", want, got])
    return kernels, compared, same


def compare(folder, other=None):
    different, programs, same, failed, kernels, compared, agree = [], 0, 0, 0, 0, 0, 0
    for file in files_of(folder):
        left = digests((other or folder) / f"{file}.{'emulated' if other else 'gpu'}")
        right = digests(folder / f"{file}.emulated")
        for name in left:
            if name not in right:
                continue
            programs += 1
            if left[name] == right[name]:
                same += 1
            else:
                both = left[name].startswith("fails") and right[name].startswith("fails")
                failed += both
                different.append([file, level_of(file), name, "", "", "fails on both" if both else "memory", left[name], right[name]])
        if not other:
            k, c, s = compare_counts(folder, file, different)
            kernels, compared, agree = kernels + k, compared + c, agree + s
    with open(folder / "differences.csv", "w", newline="") as to:
        rows = csv.writer(to)
        rows.writerow(["file", "level", "kernel", "pc", "sass", "what", "expected", "bankwise"])
        rows.writerows(different)
    print(f"{programs} programs, memory of {same} equal, {failed} fail on both; {kernels} of them counted, {agree} of {compared} shared-memory instructions equal")
    return different


def differ(folder, number, variants, level, serial):
    """Which of `variants`, tuples of dropped statements, still differ. Each variant has a separate file."""
    file = f"v{serial}"
    at = folder / "shrunk" / f"{number:06}"
    at.mkdir(parents=True, exist_ok=True)
    launcher(at)
    names = {}
    with open(at / f"{file}.cu", "w") as to, open(at / "programs.list", "w") as rows:
        to.write(generate.head())
        for n, drop in enumerate(variants):
            p = generate.Program(number, drop)
            p.name = f"k{number:06}_{n}"
            names[p.name] = drop
            to.write("\n" + p.text())
            rows.write(generate.row(file, p) + "\n")
    status, _ = compile_file(at, file, "sm_90", level)
    if status != 0:
        return []
    gpu, emulated = execute(at, file, "gpu"), execute(at, file, "emulated")
    return [names[n] for n in names if gpu[n] != emulated[n] and not gpu[n].startswith("fails")]


def shrink_one(folder, number, level, end):
    probe = generate.Program(number)
    probe.text()
    kept, drop, pieces, serial = list(range(probe.statements)), (), 8, 0
    while kept and time.time() < end:
        size = max(1, (len(kept) + pieces - 1) // pieces)
        chunks = [kept[i:i + size] for i in range(0, len(kept), size)][:24]
        variants = [tuple(drop) + tuple(c) for c in chunks] + [tuple(drop) + tuple(x for c in chunks[i:] for x in c) for i in range(0, len(chunks), 4)]
        found = differ(folder, number, variants, level, serial)
        serial += 1
        if found:
            # Removes all statements that can be removed one by one, if all of them can also be removed together.
            # Otherwise uses the attempt that removes most statements.
            union = tuple(sorted({x for v in found for x in v}))
            best = max(found, key=len)
            if len(union) > len(best) and differ(folder, number, [union], level, f"{serial}u"):
                best = union
            drop = best
            kept = [k for k in kept if k not in set(drop)]
        elif size == 1:
            break
        else:
            pieces *= 3
    p = generate.Program(number, drop)
    text = generate.head() + "\n" + p.text()
    (folder / "shrunk" / f"k{number:06}.cu").write_text(f"// {level}, without statements {sorted(drop)}\n" + text)
    at = folder / "shrunk" / f"{number:06}"
    with open(at / "programs.list", "w") as rows:
        rows.write(generate.row("final", p) + "\n")
    (at / "final.cu").write_text(text)
    if compile_file(at, "final", "sm_90", level)[0] == 0:
        for kind in ("gpu", "emulated"):
            command = [launcher(at), str(at), "final", "0", p.name]
            run(([BANKWISE, "run", "-o", os.devnull] if kind == "emulated" else []) + command, 20, folder / "shrunk" / f"k{number:06}.{kind}")
    return number, len(kept)


def shrink(folder, seconds):
    end, seen, todo = time.time() + seconds, {}, []
    for row in csv.DictReader(open(folder / "differences.csv")):
        if row["what"] == "memory" and not row["expected"].startswith("fails"):
            seen[row["level"]] = seen.get(row["level"], 0) + 1
            if seen[row["level"]] <= 8:
                todo.append((int(row["kernel"][1:]), row["level"]))
    for number, left in in_parallel(lambda one: shrink_one(folder, *one, end), todo):
        print(f"k{number:06}: {left} statements left")


def sample(folder, to, number):
    archs = option("--archs", "").split(",")
    gpu, emulated = {}, {}
    for file in files_of(folder):
        for kind, into in (("gpu", gpu), ("emulated", emulated)):
            into.update({name: (level_of(file), d) for name, d in digests(folder / f"{file}.{kind}").items() if not d.startswith("fails")})
    to.mkdir(parents=True, exist_ok=True)
    with open(to / "programs.csv", "w", newline="") as table:
        rows = csv.writer(table, lineterminator="\n")
        rows.writerow(["level", "kernel", "blocks", "x", "y", "words", "digest"])
        for level in option("--levels", ",".join(LEVELS)).split(","):
            names = sorted((n for n in gpu if gpu[n][0] == level), key=lambda n: random.Random(n).random())
            first = [n for n in names if emulated.get(n) != gpu[n]][:number // 2]
            names = sorted(first + [n for n in names if emulated.get(n) == gpu[n]][:number - len(first)])
            source = to / f"{level}.cu"
            with open(source, "w") as text:
                text.write(generate.head())
                for name in names:
                    p = generate.Program(int(name[1:]))
                    text.write("\n" + p.text())
                    rows.writerow([level, p.name, p.blocks, *p.block, p.total_words(), gpu[name][1]])
            for arch in archs:
                cubin = to / (f"{arch}_{level}.cubin" if arch else f"{level}.cubin")
                status, said = compile_cubin(source, cubin, arch or "sm_90", level)
                if status != 0:
                    sys.exit(said)
                subprocess.run(["zstd", "-q", "-19", "-f", "--rm", cubin], check=True)
            source.unlink()


def option(name, default):
    return sys.argv[sys.argv.index(name) + 1] if name in sys.argv else default


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    verb, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    if verb == "generate":
        generate.write(str(folder), int(sys.argv[3]), int(sys.argv[4]), JOBS)
    elif verb == "compile":
        arch = option("--arch", "sm_90")
        for file, (status, said) in zip(files_of(folder), in_parallel(lambda f: compile_file(folder, f, arch), files_of(folder))):
            if status != 0:
                print(f"{file}: nvcc: {said[:400]}")
    elif verb in ("gpu", "emulate"):
        launcher(folder)
        files = [f for f in files_of(folder) if (folder / f"{f}.cubin").exists()]
        if verb == "gpu":
            # O1 runs in a separate process, because ptxas makes code that faults for O1. After a fault, the later tests
            # of the process must start again.
            in_parallel(lambda some: execute_on_gpu(folder, some), [g for level in LEVELS for of in [[f for f in files if level_of(f) == level]] for g in ([[f] for f in of] if level == "O1" else [of[i:i + 10] for i in range(0, len(of), 10)])])
        else:
            in_parallel(lambda f: execute(folder, f, "emulated"), files)
    elif verb == "count":
        count(folder, float(sys.argv[3]))
    elif verb == "compare":
        other = option("--with", None)
        sys.exit(1 if compare(folder, pathlib.Path(other) if other else None) else 0)
    elif verb == "sample":
        sample(folder, pathlib.Path(sys.argv[3]), int(sys.argv[4]))
    elif verb == "shrink":
        shrink(folder, float(sys.argv[3]))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
