#!/usr/bin/env python3
"""Builds GPU tests of public projects, runs them with bankwise and on a GPU, and counts the tests that agree.

    bench/measure_suites.py --build CHECKOUTS PROGRAMS     compile the tests into PROGRAMS/PROJECT/NAME
    bench/measure_suites.py PROGRAMS                       run them with bankwise, without checks and with --check all
    bench/measure_suites.py --gpu PROGRAMS                 run them on the GPU of this machine

bench/suites/suites.toml lists the projects and their tests. CHECKOUTS has a folder for each project and library, named as in
suites.toml (`checkout`), with the version that is written there. The results are rows of RESULTS.csv (--results, default
bench/suites/results.csv), one for each test case; each way of running fills its own columns and keeps the others. --only takes the
programs whose PROJECT/NAME contain WORD. BANKWISE names another program. If all columns are filled, the exit status is 1 if fewer
than 95 % of the tests agree with the GPU, or if a check reports an error in a test.

The keys of a project:

    compile    the command for one test; commands run in CHECKOUTS. {test}, {program}, {folder}, {flags} and {root} are replaced
    build      commands that are run once before
    judged     how cases pass: by the exit status (status), also with the same output as on the GPU (output), or as GoogleTest or
               Catch2 print it (googletest, catch2)
    arguments  of each program"""
import argparse
import collections
import concurrent.futures
import csv
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

try:
    import tomllib
except ImportError:  # before Python 3.11
    from pip._vendor import tomli as tomllib

import limited_process

BENCH = pathlib.Path(__file__).resolve().parent
TABLE = BENCH / "suites" / "suites.toml"
COLUMNS = ["project", "test", "case", "gpu", "bankwise", "check", "finding", "seconds", "check_seconds"]
SECONDS, COMPILE_SECONDS = 60, 900
GOAL = 0.95


def run(words, seconds, folder=None, shell=False):
    """The exit status (None if the time was over), and the output with the errors."""
    return limited_process.run(words, seconds, cwd=folder, shell=shell, stdin=subprocess.DEVNULL, stderr=subprocess.STDOUT)[:2]


def name_of(test):
    """A test's source as the name of its program: cuda/mutex.cu is cuda.mutex."""
    return re.sub(r"(\.pass)?\.(cu|cpp)$", "", test).replace("/", ".")


def programs_of(table, only):
    """(project, its row, source of a test) for each program."""
    return [(name, project, test) for name, project in table["project"].items() for test in project["tests"]
            if only in f"{name}/{name_of(test)}"]


def build(table, programs, checkouts, out, jobs):
    """Compiles the programs that are not there yet. Returns how many could not be compiled."""
    def command(text, project=None, **words):
        project = project or {}
        folder = project.get("folder", "")
        if project and not folder.startswith("build/"):
            folder = f"{project['checkout']}/{folder}"
        text = text.replace("{flags}", project.get("flags", ""))
        return " ".join(text.format(folder=folder, root=checkouts, jobs=jobs, **words).split())

    missing = [(n, p, t) for n, p, t in programs if not (out / n / name_of(t)).exists()]
    once = dict.fromkeys(command(c) for _, p, _ in missing for l in p.get("libraries", []) for c in table["libraries"][l]["build"])
    once.update(dict.fromkeys(command(c, p) for _, p, _ in missing for c in p.get("build", [])))
    for c in once:
        status, output = run(c, COMPILE_SECONDS, checkouts, shell=True)
        if status != 0:
            sys.exit(f"{c}\n{output}\nstatus {status}")

    def compiled(row):
        name, project, test = row
        program = out / name / name_of(test)
        program.parent.mkdir(parents=True, exist_ok=True)
        part = program.with_name(program.name + ".part")
        folder = command("{folder}", project)
        c = command(project["compile"], project, test=shlex.quote(f"{folder}/{test}"), program=shlex.quote(str(part)))
        status, output = run(c, COMPILE_SECONDS, checkouts, shell=True)
        if status == 0:
            run(["strip", str(part)], COMPILE_SECONDS)
            os.replace(part, program)
        else:
            print(f"{name}/{test} was not compiled: {c}\n{output[-2000:]}", file=sys.stderr)
        return status == 0

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(compiled, missing)).count(False)


def cases_of(judged, status, output):
    """Which test cases a program ran, as {case: passed}. A case that had begun when the program ended is not passed. If the time was
    over, only the cases that ended are known, and None stands for the others."""
    cases = {}
    if judged == "googletest":
        for word, case in re.findall(r"^\[ *(RUN|OK|FAILED|SKIPPED) *\] ([\w/.]+\.[\w/.]+)", output, re.M):
            if word == "RUN" or case in cases:
                cases[case] = "fail" if word in ("RUN", "FAILED") else "pass"
    elif judged == "catch2":
        for case, body in re.findall(r'<TestCase name="([^"]*)"(.*?)(?=<TestCase name=|\Z)', output, re.S):
            ended = re.search(r"<OverallResult [^>]*success=\"(true|false)\"", body)
            cases[case] = "pass" if ended and ended[1] == "true" else "fail"
    else:
        result = "pass" if status == 0 else "fail"
        if judged == "output" and status == 0:
            result += " " + hashlib.sha256(output.encode()).hexdigest()[:8]
        cases[""] = result
    if status is None:
        if cases:
            cases[list(cases)[-1]] = "slow"
        cases.setdefault("", "slow")
        return cases
    if status != 0 and "fail" not in cases.values():
        cases[""] = f"fail, status {status}"
    return cases


def words_of(project, program):
    return [str(program), *project.get("arguments", []), *(["-r", "xml"] if project["judged"] == "catch2" else [])]


def findings_of(report, output):
    """The errors and warnings that the checks found, as text; only what the program's kernels and calls did."""
    found = [f"fault: {f}" for f in re.findall(r"^bankwise: error: (.*)", output, re.M)]
    try:
        rows = json.loads(report.read_text())
    except (OSError, ValueError):
        return found
    rows = rows if isinstance(rows, list) else [rows]
    for r in rows:
        found += [f"{f['level']}: {f['id']} {f.get('kernel', '')[:60]} {f['message']}" for f in r.get("findings", []) if f["id"].startswith("BW4")]
    return sorted(found, key=lambda text: text.startswith("warning"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", metavar="CHECKOUTS")
    parser.add_argument("--gpu", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", default="", metavar="WORD")
    parser.add_argument("--seconds", type=int, default=SECONDS, help="the time that a program may take")
    parser.add_argument("--results", default=str(BENCH / "suites" / "results.csv"))
    parser.add_argument("programs")
    args = parser.parse_args()
    table = tomllib.loads(TABLE.read_text())
    out = pathlib.Path(args.programs).resolve()
    programs = programs_of(table, args.only)
    if args.build:
        sys.exit(1 if build(table, programs, pathlib.Path(args.build).resolve(), out, args.jobs) else 0)
    bankwise = os.environ.get("BANKWISE", str(BENCH.parent / "build" / "release" / "cli" / "bankwise"))
    results = pathlib.Path(args.results)
    rows = collections.OrderedDict()
    if results.exists():
        rows.update(((r["project"], r["test"], r["case"]), r) for r in csv.DictReader(results.open()))

    def timed(words):
        before = os.times().elapsed
        with tempfile.TemporaryDirectory() as folder:
            status, output = run(words, args.seconds, folder)
        return status, output, f"{os.times().elapsed - before:.1f}"

    def measured(row):
        name, project, test = row
        program = out / name / name_of(test)
        if not program.exists():
            return {}
        words = words_of(project, program)
        if args.gpu:
            status, output, _ = timed(words)
            return {"gpu": cases_of(project["judged"], status, output)}
        values = {}
        with tempfile.TemporaryDirectory() as folder:
            for column, flags in (("bankwise", ["--time-model", "off"]), ("check", ["--time-model", "off", "--check", "all"])):
                report = pathlib.Path(folder) / f"{column}.json"
                status, output, seconds = timed([bankwise, "run", "--format", "json", "-o", str(report), *flags, *words])
                found = findings_of(report, output)
                # The status can come from a finding, or from a program that launched no kernel.
                if own := re.search(r"^bankwise: .* exited with (\d+) and launched no kernel", output, re.M):
                    status = int(own[1])
                output = "".join(l for l in output.splitlines(True) if not l.startswith(("bankwise:", "help:", "wrote ")))
                if status == 1 and any(f.startswith("error: ") for f in found):
                    status = 0
                values[column] = cases_of(project["judged"], status, output)
                values["seconds" if column == "bankwise" else "check_seconds"] = {"": seconds}
                if column == "check":
                    values["finding"] = {"": "; ".join(found)[:400]}
        return values

    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for (name, project, test), values in zip(programs, pool.map(measured, programs)):
            for key in [k for k in rows if k[:2] == (name, name_of(test))]:
                for column in values:
                    rows[key][column] = ""
            for column, cases in values.items():
                for case, value in cases.items():
                    key = (name, name_of(test), case)
                    rows.setdefault(key, dict.fromkeys(COLUMNS, "") | dict(zip(COLUMNS, key)))[column] = value
            print(name, name_of(test), {c: collections.Counter(v.values()) if c in ("gpu", "bankwise", "check") else v[""]
                                        for c, v in values.items()}, flush=True)
    order = {(n, name_of(t)): i for i, (n, _, t) in enumerate(programs_of(table, ""))}
    kept = sorted((r for k, r in rows.items() if k[:2] in order and any(r[c] for c in COLUMNS[3:])),
                  key=lambda r: (order[r["project"], r["test"]], r["case"] != ""))
    with results.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n", extrasaction="ignore")
        writer.writeheader()
        writer.writerows(kept)
    sys.exit(summary(kept))


def summary(rows):
    """Prints a line for each project, and returns the exit status."""
    cases = [r for r in rows if r["gpu"] or r["bankwise"]]
    agreeing = 0
    for project in dict.fromkeys(r["project"] for r in cases):
        own = [r for r in cases if r["project"] == project]
        same = sum(r["gpu"] == r["bankwise"] for r in own)
        checked = sum(r["gpu"] == r["check"] for r in own)
        errors = sum("error: " in r["finding"] or "fault: " in r["finding"] for r in rows if r["project"] == project)
        agreeing += same
        print(f"{project}: {len({r['test'] for r in own})} programs, {len(own)} tests; {same} as on the GPU, {checked} with --check all, "
              f"{errors} programs with errors of the checks")
    complete = cases and all(any(r[c] for r in cases) for c in ("gpu", "bankwise", "check"))
    if cases:
        print(f"{agreeing} of {len(cases)} tests agree ({agreeing / len(cases):.1%})")
    return 1 if complete and agreeing < GOAL * len(cases) else 0


if __name__ == "__main__":
    main()
