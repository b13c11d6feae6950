"""Compares bankwise's counts for each instruction on global and local memory with the numbers that Nsight Compute shows for the same
instruction on an H100 (data/sm_90/line_samples.csv.zst, and line_checks.csv.zst, to which no rule was fitted).
  scripts/compare lines run PROGRAMS REPORTS [WORD...]        runs programs on bankwise, and writes a CSV report of each
  scripts/compare lines table REPORTS [--csv FILE] [-v] [WORD...]
                                                              compares the reports; -v lists the rows that differ
PROGRAMS is a CSV with the columns program (as in line_samples), folder and command. REPORTS is a folder for reports. WORD selects the
programs whose name contains it. A program that takes more than LIMIT seconds (default: 300) is stopped, and its report contains the
launches that ended before. BANKWISE names the program (default: build/release/cli/bankwise). With SAMPLES=line_checks, only that table is
read. FLAGS are flags of `bankwise run` (default: --counts). With FLAGS=, kernels compute their results, which other kernels of the program
may read.
A row is equal if six numbers are equal: the executions, the lanes, the sectors, their ideal, the L1 tag requests and the sectors of local
memory. Templates have several kernels with one name. A launch is therefore compared with the launch of the same kernel name, grid and
block that agrees in most rows.
"""
import collections
import csv
import io
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FLAGS = os.environ.get("FLAGS", "--counts").split()
BANKWISE = os.environ.get("BANKWISE", str(ROOT / "build/release/cli/bankwise"))
TABLES = [os.environ["SAMPLES"]] if "SAMPLES" in os.environ else ["line_samples", "line_checks"]
COUNTS = ("executed", "lanes", "tag_requests", "sectors", "sectors_ideal", "sectors_local")


def bare_name(kernel):
    kernel = kernel.replace("(anonymous namespace)::", "").removeprefix("void ").split("(")[0]
    return re.sub(r"<.*", "", kernel).split("::")[-1].strip()


def takes_p0_for_false(sass):
    """Whether Nsight Compute miscounts the sectors of this cp.async.cg, because it assumes that P0 is false (docs/ncu.md)."""
    return "LDGSTS" in sass and ".BYPASS" in sass and re.search(r"@!?P0 |, !?P0;?$", sass.strip()) is not None


def opcode(sass):
    words = sass.replace(";", "").lstrip("'").split()  # in a CSV for spreadsheets, @P0 is preceded by '
    return words[1 if words[0].startswith("@") else 0] if words else ""


def measured(words):
    """The rows with an access to global or local memory: by program, then by launch."""
    programs = collections.OrderedDict()
    for table in TABLES:
        for row in rows_of(table):
            if not any(int(row[c]) for c in COUNTS[2:]) or (words and not any(w in row["program"] for w in words)):
                continue
            launches = programs.setdefault(row["program"], collections.OrderedDict())
            launches.setdefault((row["launch"], bare_name(row["kernel"]), row["grid"], row["block"]), []).append(row)
    return programs


def rows_of(table):
    text = subprocess.run(["zstd", "-dc", ROOT / f"data/sm_90/{table}.csv.zst"], capture_output=True, text=True, check=True).stdout
    return csv.DictReader(io.StringIO(text))


def report_file(reports, program):
    return os.path.join(reports, program.replace("/", "__") + ".csv")


def counted(file):
    """The launches of a report by kernel, grid and block. Each launch has its instructions by pc."""
    launches, at = collections.defaultdict(list), {}
    csv.field_size_limit(sys.maxsize)
    for row in csv.DictReader(open(file, newline="")):
        if row["space"] not in ("global", "local") or row["exactness"] != "exact":
            continue
        launch = at.get(row["launch"])
        if launch is None:
            launch = at[row["launch"]] = {}
            launches[bare_name(row["kernel"]), row["grid"], row["block"]].append(launch)
        counts = launch.setdefault(int(row["pc"], 16), {"sass": row["sass"], **dict.fromkeys(COUNTS, 0)})
        each = {c: int(row[c]) for c in ("executed", "lanes", "tag_requests", "sectors", "sectors_ideal")}
        if row["space"] == "local":
            each = {"executed": each["executed"], "lanes": each["lanes"], "sectors_local": each["sectors"]}
        # A generic instruction has a row for each kind of memory that it accesses. Each row contains all executions of
        # the instruction.
        for c, n in each.items():
            counts[c] = max(counts[c], n) if c in ("executed", "lanes") else counts[c] + n
    return launches


def verdicts(rows, launch):
    """For each measured row: "equal", "different" or "other code", and what differs."""
    for row in rows:
        mine = launch.get(int(row["pc"], 16))
        if mine is None or opcode(mine["sass"]) != opcode(row["sass"]):
            yield "other code", row, {}
            continue
        compared = [c for c in COUNTS if not (c.startswith("sectors") and takes_p0_for_false(row["sass"]))]
        differ = {c: (mine[c], int(row[c])) for c in compared if mine[c] != int(row[c])}
        yield ("different" if differ else "equal"), row, differ


def compare(reports, words, table, lists):
    total, lines = collections.Counter(), []
    for program, launches in measured(words).items():
        rows = sum(map(len, launches.values()))
        file = report_file(reports, program)
        if not os.path.exists(file):
            total["rows of programs that were not run"] += rows
            continue
        found, tally = counted(file), collections.Counter()
        for (_, kernel, grid, block), of_launch in launches.items():
            best = None
            for launch in found.get((kernel, grid, block), ()):
                judged = list(verdicts(of_launch, launch))
                equal = sum(v == "equal" for v, _, _ in judged)
                if best is None or equal > best[0]:
                    best = equal, judged
            if best is None:
                tally["not launched"] += len(of_launch)
                continue
            for verdict, row, differ in best[1]:
                tally[verdict] += 1
                if lists and verdict != "equal":
                    print(f"  {program} {kernel} {row['pc']} {row['sass'].strip()[:50]}: {verdict} {differ or ''}")
        total += tally
        lines.append((program, rows, tally["equal"], tally["different"], tally["other code"], tally["not launched"]))
    for program, rows, *tally in lines:
        print(f"{program:34} {rows:5} rows  {tally[0]:5} equal  {tally[1]:4} different  {tally[2]:4} other code  {tally[3]:4} not launched")
    if table:
        with open(table, "w", newline="") as f:
            out = csv.writer(f, lineterminator="\n")
            out.writerow(["program", "rows", "equal", "different", "other code", "not launched"])
            out.writerows(lines)
    print("; ".join(f"{n:,} {what}" for what, n in total.items()))


def stop(process):
    """Ends a run with SIGTERM, so that the run still writes its report."""
    process.terminate()
    try:
        return f"exit status {process.wait(60)}"
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return "no report"


def run(programs, reports, words):
    os.makedirs(reports, exist_ok=True)
    wanted = measured(words)
    for p in csv.DictReader(open(programs, newline="")):
        if p["program"] not in wanted:
            continue
        file = report_file(reports, p["program"])
        command = [BANKWISE, "run", *FLAGS, "--global", "on", "--no-fix", "--format", "csv", "-o", file, "--", *shlex.split(p["command"])]
        process = subprocess.Popen(command, cwd=p["folder"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, start_new_session=True)
        try:
            said = f"exit status {process.wait(float(os.environ.get('LIMIT', '300')))}"
        except subprocess.TimeoutExpired:
            said = "stopped: " + stop(process)
        print(f"{p['program']}: {said}", flush=True)


def main(words):
    if words[:1] == ["run"] and len(words) >= 3:
        return run(words[1], words[2], words[3:])
    if words[:1] != ["table"] or len(words) < 2:
        sys.exit(__doc__)
    table, lists, only, rest = None, False, [], words[2:]
    while rest:
        word = rest.pop(0)
        if word == "--csv" and rest:
            table = rest.pop(0)
        elif word == "-v":
            lists = True
        else:
            only.append(word)
    compare(words[1], only, table, lists)
