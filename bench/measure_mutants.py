#!/usr/bin/env python3
"""Plants faults in right programs, and counts how many bankwise finds.

    bench/measure_mutants.py [--sanitizer] [--jobs N] [--keep FOLDER] [--only WORD] [--part I/N] [RESULTS.csv]

bench/mutants/mutants.txt lists the programs and the edits that plant a fault. Each edit is compiled with nvcc and runs with
`bankwise run --check all` (BANKWISE names another program), and so does each program without an edit, which must have no error. With
--sanitizer, the four tools of compute-sanitizer run instead, which needs a GPU. Both fill their own columns of RESULTS.csv (default:
bench/mutants/results.csv) and keep the others. --only takes the programs whose names contain WORD, and --part 2/5 the second of five
parts of the programs. --keep keeps the compiled programs, which a second run uses again. The exit status is 1 if a program without an
edit has an error, or if fewer than 95 % are found.

A table row is one of

    program PATH                   a source, relative to bench/
    arguments WORDS                of the program
    small: OLD => NEW              makes the problem small, in all variants
    KIND: OLD => NEW               plants a fault of this kind. OLD occurs once in the source; KIND@2 takes the second occurrence
    and: OLD => NEW                a further edit of the row above; and@2 as before
    equivalent: REASON             why no run can show the fault of the row above, so that it does not count"""
import argparse
import concurrent.futures
import csv
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import limited_process

BENCH = pathlib.Path(__file__).resolve().parent
TABLE = BENCH / "mutants" / "mutants.txt"
KINDS = {"barrier": "a barrier of the block is missing", "syncwarp": "__syncwarp() is missing", "index": "an index or a bound is off by one",
         "wait": "a wait for a copy is missing", "free": "memory is freed too early or twice", "uninit": "memory is not set",
         "scope": "a fence is missing, or a scope or order is too weak", "mask": "the mask of a warp function is wrong",
         "order": "an order of streams or with the host is missing", "size": "an array or an allocation is too small"}
TOOLS = ["memcheck", "racecheck", "initcheck", "synccheck"]
COLUMNS = ["program", "kind", "line", "change", "equivalent", "bankwise", "bankwise_says", *TOOLS]
BANKWISE_SECONDS, SANITIZER_SECONDS, COMPILE_SECONDS = 60, 10, 120
GOAL = 0.95


class Mutant:
    """A program, with the edits that plant its fault. Without a kind, it is the right program."""

    def __init__(self, program, arguments, small, kind="", edits=(), where=0):
        self.program, self.arguments, self.small = program, arguments, small
        self.kind, self.edits, self.where, self.equivalent = kind, list(edits), where, ""

    def source(self):
        """The text of the source, and the line of the first edit."""
        text = (BENCH / self.program).read_text()
        for old, new, _ in self.small:
            if old not in text:
                sys.exit(f"{TABLE.name}: {self.program} does not contain {old!r}")
            text = text.replace(old, new)
        line = 0
        for old, new, which in self.edits:
            text, at = replaced(text, old, new, which, f"{TABLE.name}:{self.where}")
            line = line or at
        return text, line

    def change(self):
        return " and ".join(f"{old} => {new}" if new else f"without {old}" for old, new, _ in self.edits)


def replaced(text, old, new, which, where):
    """The text with one occurrence replaced, and the line of this occurrence."""
    places = [m.start() for m in re.finditer(re.escape(old), text)]
    if len(places) < (which or 1) or (which is None and len(places) > 1):
        sys.exit(f"{where}: {old!r} occurs {len(places)} times")
    at = places[(which or 1) - 1]
    return text[:at] + new + text[at + len(old):], text.count("\n", 0, at) + 1


def read_table():
    mutants = []
    program, arguments, small, row = "", [], [], None
    for number, line in enumerate(TABLE.read_text().splitlines(), 1):
        where = f"{TABLE.name}:{number}"
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith("program "):
            program, arguments, small = line.split(None, 1)[1].strip(), [], []
            mutants.append(Mutant(program, arguments, small))
            continue
        if line.startswith("arguments "):
            arguments += line.split()[1:]
            continue
        head, _, rest = line.partition(": ")
        if head == "equivalent":
            row.equivalent = rest.strip()
            continue
        kind, _, which = head.strip().partition("@")
        old, arrow, new = rest.partition(" =>")
        if not arrow:
            sys.exit(f"{where}: expected OLD => NEW")
        edit = (old.strip(), new.strip(), int(which) if which else None)
        if kind == "small":
            small.append(edit)
        elif kind == "and":
            row.edits.append(edit)
        elif kind in KINDS:
            row = Mutant(program, arguments, small, kind, [edit], number)
            mutants.append(row)
        else:
            sys.exit(f"{where}: {kind!r} is not one of {', '.join(KINDS)}")
    return mutants


def run(words, seconds, folder=None):
    """The exit status (None if the time was over), and the output with the errors."""
    return limited_process.run(words, seconds, cwd=folder, stderr=subprocess.STDOUT)[:2]


def tool(name, *places):
    found = shutil.which(name) or shutil.which(name, path=os.pathsep.join([*places, "/usr/local/cuda/bin"]))
    if found is None:
        sys.exit(f"bench/measure_mutants.py: {name} was not found: add its folder to PATH")
    return found


def compiled(nvcc, mutant, folder):
    """The compiled program. Its source is where the headers expect it, in a copy of the folders of the table."""
    text, _ = mutant.source()
    arch = os.environ.get("ARCH", "sm_90a")  # -arch=sm_90a also makes PTX of compute_90, which has no wgmma
    flags = ["-O3", "-lineinfo", f"-gencode=arch={arch.replace('sm', 'compute')},code={arch}", "-std=c++17"]
    name = hashlib.sha256((mutant.program + text + " ".join(flags)).encode()).hexdigest()[:16]
    program = folder / name
    if program.exists():
        return program
    original = BENCH / mutant.program
    source = folder / f"{name}_{original.name}"
    source.write_text(f'#line 1 "{original.name}"\n{text}')
    # Headers next to the source are found by absolute paths, because the edited copy is in another folder.
    text = re.sub(r'#include "([^"<>]+)"', lambda m: f'#include "{(original.parent / m[1]).resolve()}"', text)
    source.write_text(f'#line 1 "{original.name}"\n{text}')
    status, output = run([nvcc, *flags, "-o", str(program) + ".part", str(source)], COMPILE_SECONDS)
    if status != 0:
        print(f"{mutant.program}, {mutant.kind} {mutant.change()}: nvcc failed\n{output}", file=sys.stderr)
        return None
    os.replace(str(program) + ".part", program)
    return program


def bankwise_result(bankwise, mutant, program, folder):
    """What bankwise found: a list of (is it an error, text)."""
    report = folder / (program.name + ".json")
    report.unlink(missing_ok=True)
    status, output = run([bankwise, "run", "--check", "all", "--format", "json", "-o", str(report), str(program), *mutant.arguments],
                         BANKWISE_SECONDS)
    found = []
    if status is None:
        found.append((False, "did not end"))
    if fault := re.search(r"^bankwise: error: kernel (.*)", output, re.M):
        found.append((True, f"fault: {fault[1]}"))
    try:
        r = json.loads(report.read_text())
    except (OSError, ValueError):
        return found + [(status not in (0, None), "no report: " + " ".join(output.split())[-200:])]
    for f in r.get("findings", []):
        if f["id"].startswith("BW4"):
            at = f"{pathlib.Path(f['path']).name}:{f['line']} " if "line" in f else ""
            found.append((f["level"] == "error", f"{f['id']} {at}{f['message']}"))
    for launch in r.get("refused_launches", []):
        found.append((True, f"refused launch: {launch.get('error', '')}"))
    for launch in r.get("launches", []):
        if launch.get("partial"):
            found.append((True, f"fault: {launch['partial']}"))
    if r.get("partial") and not any(text.startswith("fault") for _, text in found):
        found.append((True, f"fault: {r['partial']}"))
    return found


def sanitizer_result(sanitizer, name, mutant, program):
    words = [sanitizer, "--tool", name, "--print-limit", "3", "--launch-timeout", "5", str(program), *mutant.arguments]
    status, output = run(words, SANITIZER_SECONDS)
    if status is None:
        return "did not end"
    summary = re.search(r"(?:ERROR|RACECHECK) SUMMARY: (.*)", output)
    if summary is None:
        return "no summary: " + " ".join(output.split())[-120:]
    numbers = [int(n) for n in re.findall(r"(\d+) (?:error|hazard|warning)", summary[1])]
    if not any(numbers):
        return "nothing"
    first = next((l.lstrip("= ") for l in output.splitlines() if l.startswith("=========") and re.search(
        r"Invalid|Error|error|hazard|Uninit|Barrier|uninit|Program hit|Potential", l)), "")
    lines = re.search(r"in ([\w.]+\.cuh?:\d+)", output)
    return f"{first.strip()}{f' at {lines[1]}' if lines else ''}"[:200]


def is_found_by_sanitizer(said):
    """Whether a tool reported an error, rather than that it could not run or did not end."""
    return said not in ("", "nothing", "not compiled", "did not end") and not said.startswith("no summary")


def subject(text):
    """The id of a finding, and what it is about: the kernel, or the fault of a call. Findings of calls share an id."""
    return re.match(r"(\S*)(?: \S+:\d+(?= ))?([^:;]*)", text).groups()


def verdict(found, usual):
    """error, warning or no, and what was found first, apart from warnings that the right program also has."""
    errors = [text for is_error, text in found if is_error]
    if errors:
        return "error", errors[0]
    known = {subject(text) for _, text in usual}
    new = [text for _, text in found if subject(text) not in known]
    return ("warning", new[0]) if new else ("no", "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sanitizer", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--keep")
    parser.add_argument("--only", default="")
    parser.add_argument("--part", default="1/1")
    parser.add_argument("results", nargs="?", default=str(BENCH / "mutants" / "results.csv"))
    args = parser.parse_args()
    mutants = [m for m in read_table() if args.only in m.program]
    part, parts = (int(n) for n in args.part.split("/"))
    programs = list(dict.fromkeys(m.program for m in mutants))[part - 1::parts]
    mutants = [m for m in mutants if m.program in programs]
    nvcc = tool("nvcc")
    bankwise = os.environ.get("BANKWISE", str(BENCH.parent / "build" / "release" / "cli" / "bankwise"))
    sanitizer = tool("compute-sanitizer", "/usr/local/cuda/compute-sanitizer") if args.sanitizer else None
    results = pathlib.Path(args.results)
    old = {}
    if results.exists():
        old = {(r["program"], r["kind"], r["line"], r["change"]): r for r in csv.DictReader(results.open())}
    with tempfile.TemporaryDirectory() as place, concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        folder = pathlib.Path(args.keep or place).resolve()
        folder.mkdir(parents=True, exist_ok=True)

        def measured(mutant):
            program = compiled(nvcc, mutant, folder)
            if program is None:
                return None
            if sanitizer:
                return [sanitizer_result(sanitizer, name, mutant, program) for name in TOOLS]
            return bankwise_result(bankwise, mutant, program, folder)

        values = list(pool.map(measured, mutants))
    rows, usual, alarms = [], [], 0
    counts = {kind: [0, 0, 0] for kind in KINDS}
    for m, value in zip(mutants, values):
        row = dict.fromkeys(COLUMNS, "")
        row.update(program=pathlib.Path(m.program).as_posix(), kind=m.kind or "none", line=str(m.source()[1] or ""), change=m.change(),
                   equivalent=m.equivalent)
        row.update({k: v for k, v in old.get((row["program"], row["kind"], row["line"], row["change"]), {}).items()
                    if k in ("bankwise", "bankwise_says", *TOOLS)})
        rows.append(row)
        if value is None:
            row["bankwise" if not sanitizer else TOOLS[0]] = "not compiled"
        elif sanitizer:
            row.update(zip(TOOLS, value))
        else:
            if not m.kind:
                usual = value
            row["bankwise"], row["bankwise_says"] = verdict(value, usual if m.kind else [])
            row["bankwise_says"] = row["bankwise_says"][:300]
        seen = row["bankwise"] if not sanitizer else next(("error" for t in TOOLS if is_found_by_sanitizer(row[t])), "no")
        if not m.kind:
            alarms += seen == "error"
            if seen == "error":
                print(f"false alarm: {m.program}: {row['bankwise_says'] if not sanitizer else [row[t] for t in TOOLS]}")
        elif not m.equivalent:
            counts[m.kind][0] += 1
            counts[m.kind][1] += seen == "error"
            counts[m.kind][2] += seen == "warning"
            if seen not in ("error", "warning"):
                print(f"not found: {m.program}:{row['line']} {m.kind}: {row['change']}")
    if args.only or parts > 1:
        done = {(r["program"]) for r in rows}
        rows += [r for key, r in old.items() if key[0] not in done]
    with results.open("w", newline="") as out:
        writer = csv.DictWriter(out, COLUMNS, lineterminator="\n", extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)
    total = [sum(c[i] for c in counts.values()) for i in range(3)]
    for kind, (planted, errors, warnings) in counts.items():
        print(f"{kind:9} {errors + warnings:3} of {planted:3} ({warnings} as warnings): {KINDS[kind]}")
    share = (total[1] + total[2]) / max(1, total[0])
    print(f"found {total[1] + total[2]} of {total[0]} ({share:.1%}); {sum(not m.kind for m in mutants)} right programs, {alarms} with errors")
    sys.exit(1 if alarms or share < GOAL else 0)


if __name__ == "__main__":
    main()
