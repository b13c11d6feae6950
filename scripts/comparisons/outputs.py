"""Runs programs with bankwise's capabilities on and off, and on a GPU if there is one, and compares what the programs print.

    scripts/compare outputs FOLDER [NAME ...]      runs the programs of docs/programs.csv that are in FOLDER (see scripts/run-programs),
                                                   and the cases of tests/programs/python whose packages are installed
    scripts/compare outputs --page                 only prints the summary of the table
    with --record FILE                             runs the programs on a GPU only, without bankwise, and writes their outputs into FILE
    with --gpu FILE                                takes the GPU's outputs from FILE, on a machine without a GPU
    with --programs FILE                           reads FILE instead of docs/programs.csv

Nothing that is on by default may change what a program does. So each program runs in four ways: `off` (no prediction of time, no
global memory, no layouts, every launch executed), twice; `on` (as by default); `checks` (with --check all). With a GPU, it also runs without
bankwise. Outputs are compared line by line. A number that differs between the two runs of `off`, or is in a line about time or speed, is not
compared. The results of a Python case are compared bit for bit, and its standard error, where libraries write logs, is not compared. Programs that end
before their first launch have no row. NAME is a program, a project, or python. Writes data/sm_90/outputs.csv.
Environment: BANKWISE is the program to run (default: build/release/cli/bankwise). TIME_LIMIT is the number of seconds of a run (default 60); a program
that takes longer with `off` has no row. JOBS is the number of programs that run at the same time.
"""
import argparse, concurrent.futures, csv, importlib.machinery, importlib.util, json, os, re, signal, subprocess, sys, tempfile, time, zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BANKWISE = Path(os.environ.get("BANKWISE", ROOT / "build/release/cli/bankwise")).resolve()
TIME_LIMIT = float(os.environ.get("TIME_LIMIT", "60"))
JOBS = int(os.environ.get("JOBS", str(max(1, (os.cpu_count() or 2) // 2))))
loader = importlib.machinery.SourceFileLoader("run_programs", str(ROOT / "scripts/run-programs"))
programs = importlib.util.module_from_spec(importlib.util.spec_from_loader("run_programs", loader))
loader.exec_module(programs)
PROGRAMS, TABLE, CASES = ROOT / "docs/programs.csv", ROOT / "data/sm_90/outputs.csv", ROOT / "tests/programs/python"
COLUMNS = ["project", "program", "arguments", "status", "on", "checks", "gpu", "seconds_off", "seconds_on", "seconds_checks", "why"]
# Flags of the ways in which a program runs under bankwise.
WAYS = {"off": ["--time-model", "off", "--global", "off", "--no-fix", "--repeat-launches"], "on": [], "checks": ["--check", "all"]}
OWN = re.compile(r"(bankwise: |help: |next: |wrote )")  # bankwise itself writes to standard error
H100 = ["--device-name", "NVIDIA H100 80GB HBM3"]  # programs print it, and Pallas checks it
# bankwise's own exit status also depends on findings and on whether there are launches, so the program's is printed
TELL_STATUS = ["sh", "-c", '"$@"; echo "exit status $?"', "sh"]
SLOWER = {"off": 1, "on": 3, "checks": 10}  # a way may take this many times TIME_LIMIT
MODULES = {"cuda_core": "cuda.core"}
NUMBER = re.compile(r"[-+]?(?:0x[0-9a-fA-F]+|\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+|\b(?:inf|nan)\b)")
ABOUT_TIME = re.compile(r"time|elapsed|second|\bm?s\b|\d[mun]?s\b|usec|msec|[GMTK]i?B/s|[GMTk]?(?:fl)?ops\b|flop|bandwidth|throughput|/s\b|per sec|speed|"
                        r"\bfps\b|Hz|latency|duration|clock|cycles|pid", re.I)


def run(command, limit, folder):
    """(status or None, lines of standard output, lines of errors, seconds); the session of a run that is too slow is ended."""
    begun = time.monotonic()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(command, stdout=out, stderr=err, stdin=subprocess.DEVNULL, cwd=folder, start_new_session=True)
        try:
            status = process.wait(limit)
        except subprocess.TimeoutExpired:
            status = None
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()
        texts = []
        for f in (out, err):
            f.seek(0)
            texts.append(f.read(1 << 24).decode(errors="replace").splitlines())
    return status, *texts, time.monotonic() - begun


def skeleton(line):
    """The line without its numbers and the width of its columns if it is about time or speed."""
    return re.sub(r"\s+", " ", NUMBER.sub("#", line)) if ABOUT_TIME.search(line) else line


def difference(lines, again, other):
    """The first line of `other` that differs from `lines`, of what is the same in `lines` and `again`. Empty if none does."""
    if len(lines) != len(again):
        return ""  # the program itself prints another number of lines each time
    if len(lines) != len(other):
        return f"{len(other)} lines instead of {len(lines)}"
    for a, b, c in zip(lines, again, other):
        if skeleton(a) != skeleton(b):  # differs from run to run: only its words are compared
            a, c = NUMBER.sub("#", a), NUMBER.sub("#", c)
            if NUMBER.sub("#", b) != a:
                continue
        if skeleton(a) != skeleton(c):
            return f"'{c.strip()[:80]}' instead of '{a.strip()[:80]}'"
    return ""


def results_of(folder):
    """The contents of the .npz files that a Python case wrote, as lines."""
    lines = []
    for f in sorted(folder.glob("*.npz")):
        with zipfile.ZipFile(f) as z:
            lines += [f"{f.name} {i.filename} {i.file_size} {i.CRC:08x}" for i in z.infolist()]
    return lines


def key_of(entry):
    return " | ".join(entry[k] for k in ("project", "program", "arguments"))


def execute(entry, command, folder, way):
    """(status or None, lines, seconds) of a run of the program."""
    with tempfile.TemporaryDirectory() as scratch:
        words = TELL_STATUS + [w.replace("{}", scratch + "/results") for w in command]
        if way != "gpu":
            words = [str(BANKWISE), "run", *H100, *WAYS[way], "-o", scratch + "/report.txt", "--", *words]
        status, lines, errors, seconds = run(words, TIME_LIMIT * SLOWER.get(way, 1), folder or scratch)
        if entry["project"] != "python":
            lines += [l for l in errors if not OWN.match(l)]
        return status, [l.replace(scratch, "") for l in lines] + results_of(Path(scratch, "results")), seconds


def compare(entry, command, folder, recorded, gpu):
    """A row of the table, or None if the program is too slow with everything off or launches nothing. recorded: outputs of a GPU by key."""
    row = {"project": entry["project"], "program": entry["program"], "arguments": entry["arguments"]}
    why = []

    status, first, seconds = execute(entry, command, folder, "off")
    if status not in (0, 1):  # 2: bankwise's, of a run without a launch
        return None
    _, again, _ = execute(entry, command, folder, "off")
    row.update(status=status, seconds_off=f"{seconds:.1f}")
    for way in [*WAYS, "gpu"]:
        if way == "off" or (way == "gpu" and not gpu and key_of(entry) not in recorded):
            continue
        other_status, other, seconds = recorded[key_of(entry)] if way == "gpu" and not gpu else execute(entry, command, folder, way)
        if way != "gpu":
            row["seconds_" + way] = f"{seconds:.1f}"
        if other_status is None:
            row[way], said = "too slow", ""
        elif way == "on" and other_status != status:
            row[way], said = "differs", f"bankwise's status is {other_status} instead of {status}"
        else:
            said = difference(first, again, other)
            row[way] = "differs" if said else "same"
        if said:
            why.append(f"{way}: {said}")
    row["why"] = "; ".join(why)
    return row


def python_jobs(wanted):
    for file in sorted(CASES.glob("*_cases.py")):
        package = file.stem.removesuffix("_cases")
        try:
            installed = importlib.util.find_spec(MODULES.get(package, package)) is not None
        except ModuleNotFoundError:
            installed = False
        if not installed:
            continue
        for name in re.findall(r"^@case\ndef (\w+)", file.read_text(), re.M):
            entry = {"project": "python", "program": f"{package} {name}", "arguments": ""}
            if not wanted or {"python", package, entry["program"]} & set(wanted):
                yield entry, [sys.executable, str(file), "{}", name], None


def program_jobs(root, wanted, table):
    with open(table, newline="") as f:
        for row in csv.DictReader(f, restval=""):
            if not row["executable"] or (wanted and not {row["program"], row["project"]} & set(wanted)):
                continue
            if place := programs.found(root, row):
                yield row, [str(place), *row["arguments"].split()], place.parent


def summary(rows):
    for way in ("on", "checks", "gpu"):
        ran = [r for r in rows if r.get(way)]
        same = sum(r[way] == "same" for r in ran)
        slow = sum(r[way] == "too slow" for r in ran)
        print(f"{way}: {same} of {len(ran)} programs print the same as with everything off, and exit in the same way; {slow} too slow")


def write_table(rows):
    with open(TABLE, "w", newline="") as f:
        writer = csv.DictWriter(f, COLUMNS, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows[k] for k in sorted(rows))


def record(jobs, file):
    """Writes the status, the lines and the seconds of each program on this machine's GPU. Programs that are too slow are left out."""
    outputs = {}
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        for (entry, *_), output in zip(jobs, pool.map(lambda job: execute(*job, "gpu"), jobs)):
            if output[0] is not None:
                outputs[key_of(entry)] = output
                file.write_text(json.dumps(outputs))
    print(f"{len(outputs)} of {len(jobs)} programs ran")


def main(words):
    arguments = argparse.ArgumentParser(prog="scripts/compare outputs", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", nargs="?", type=Path)
    arguments.add_argument("names", nargs="*")
    arguments.add_argument("--page", action="store_true")
    arguments.add_argument("--record", type=Path)
    arguments.add_argument("--gpu", type=Path)
    arguments.add_argument("--programs", type=Path, default=PROGRAMS)
    a = arguments.parse_args(words)
    old = list(csv.DictReader(open(TABLE, newline=""))) if TABLE.exists() else []
    if a.page or a.folder is None:
        return summary(old)
    gpu = Path("/dev/nvidiactl").exists()
    jobs = [*program_jobs(a.folder.resolve(), a.names, a.programs), *python_jobs(a.names)]
    if a.record:
        return record(jobs, a.record)
    recorded = json.loads(a.gpu.read_text()) if a.gpu else {}
    rows = {(r["project"], r["program"], r["arguments"]): r for r in old}
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        for row in pool.map(lambda job: compare(*job, recorded, gpu), jobs):
            if row is not None:
                rows[row["project"], row["program"], row["arguments"]] = row
                write_table(rows)  # what has run is kept if the script is stopped
                print(row["project"], row["program"], *(f"{w}: {row.get(w, '')}" for w in ("on", "checks", "gpu")), row["why"], flush=True)
    write_table(rows)
    summary(list(rows.values()))
