#!/usr/bin/env python3
"""What the checks of bankwise and the tools of compute-sanitizer say about the programs of examples/checks.

    bench/compare_checks.py [--sanitizer | --check] [BANKWISE]

Writes examples/checks/faults.csv: a row for each program, with what each tool says first. Without a flag, runs bankwise, and with
--sanitizer the four tools of compute-sanitizer, which need a GPU. The other columns stay as they are. Then writes the table of
docs/howto/twelve-faults.md from the rows. --check only compares the file and the page with what bankwise says now, and exits with 1 if
they differ, or with 77 if nvcc is missing."""
import csv
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "examples" / "checks"
PAGE = ROOT / "docs" / "howto" / "twelve-faults.md"
TOOLS = ["memcheck", "racecheck", "initcheck", "synccheck"]
COLUMNS = ["program", "fault", "bankwise", *TOOLS]
SECONDS = 60  # of one run


def tool(name, *places):
    found = shutil.which(name) or shutil.which(name, path=os.pathsep.join([*places, "/usr/local/cuda/bin"]))
    if found is None:
        print(f"bench/compare_checks.py: {name} was not found", file=sys.stderr)
        sys.exit(77)
    return found


def run(words):
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", timeout=SECONDS)


def plain(message):
    """The message without addresses and details in brackets."""
    return re.sub(r" at address 0x\w+| \([^()]*\)", "", message)


def said_by_bankwise(bankwise, program, folder):
    """The first finding of the checks, without the kernel and the advice, and with its line."""
    report = folder / "report.json"
    report.unlink(missing_ok=True)  # of the program before
    output = run([bankwise, "run", "--check", "all", "--format", "json", "-o", str(report), str(program)]).stdout
    if fault := re.search(r"^bankwise: error: kernel \w+: (.*)", output, re.M):
        place = re.search(r"^  --> (.*)$", output, re.M)
        return plain(fault[1]) + (f" at {pathlib.Path(place[1]).name}" if place else "")
    if not report.exists():
        return "no report"
    found = [f for f in json.loads(report.read_text()).get("findings", []) if f["id"].startswith("BW4")]
    if not found:
        return "nothing"
    first = min(found, key=lambda f: f["level"] != "error")
    at = f" at {pathlib.Path(first['path']).name}:{first['line']}" if "line" in first else ""
    message = re.split(r";|, in block", first["message"])[0]
    message = re.sub(r" by \w+, [\d,]+ executions?: ", ", ", message).removeprefix(f"{first.get('instance', '')}: ")
    return f"{'warning: ' if first['level'] == 'warning' else ''}{plain(message)}{at}"


def said_by_sanitizer(sanitizer, name, program):
    """The first error of a tool, with its line."""
    output = run([sanitizer, "--tool", name, str(program)]).stdout
    lines = [line.lstrip("= ").strip() for line in output.splitlines() if line.startswith("=========")]
    summary = next((line for line in lines if "SUMMARY" in line), "no summary")
    if not any(int(n) for n in re.findall(r"(\d+) (?:error|hazard|warning)", summary)):
        return "nothing" if summary != "no summary" else summary
    place = re.search(r"in ([\w.]+\.cuh?:\d+)", output)
    return f"{next((line for line in lines if line and 'COMPUTE-SANITIZER' not in line), '')}{f' at {place[1]}' if place else ''}"


def table(rows):
    def sanitizer(row):
        said = [f"{name}: {row[name]}" for name in TOOLS if row[name] not in ("", "nothing")]
        return "; ".join(said) if said else "nothing" if row[TOOLS[0]] else "not measured yet"

    lines = ["| program | bankwise | compute-sanitizer |", "|---|---|---|"]
    lines += [f"| `{row['program']}`: {row['fault']} | {row['bankwise']} | {sanitizer(row)} |" for row in rows]
    return "\n".join(lines) + "\n"


def with_table(page, rows):
    before, _, rest = page.partition("| program | bankwise |")
    after = rest[re.search(r"\n(?!\|)", rest).end():]
    return before + table(rows) + after


def main():
    words = [w for w in sys.argv[1:] if not w.startswith("-")]
    flags = [w for w in sys.argv[1:] if w.startswith("-")]
    if len(words) > 1 or any(f not in ("--sanitizer", "--check") for f in flags):
        sys.exit(__doc__)
    nvcc = tool("nvcc")
    bankwise = words[0] if words else str(ROOT / "build" / "release" / "cli" / "bankwise")
    sanitizer = tool("compute-sanitizer", "/usr/local/cuda/compute-sanitizer") if "--sanitizer" in flags else None
    results = FOLDER / "faults.csv"
    old = {row["program"]: row for row in csv.DictReader(results.open())} if results.exists() else {}
    rows = []
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        for source in sorted(FOLDER.glob("*.cu")):
            program = folder / source.stem
            made = run([nvcc, "-arch=sm_90", "-lineinfo", "-o", str(program), str(source)])
            if made.returncode != 0:
                sys.exit(f"{source}: nvcc failed\n{made.stdout}")
            row = {**dict.fromkeys(COLUMNS, ""), **old.get(source.name, {}), "program": source.name,
                   "fault": source.read_text().splitlines()[0].removeprefix("// ").rstrip(".")}
            if sanitizer:
                row.update({name: said_by_sanitizer(sanitizer, name, program) for name in TOOLS})
            else:
                row["bankwise"] = said_by_bankwise(bankwise, program, folder)
            rows.append(row)
    page = with_table(PAGE.read_text(), rows)
    if "--check" in flags:
        wrong = [row["program"] for row in rows if row != old.get(row["program"])]
        if wrong or page != PAGE.read_text():
            sys.exit(f"run bench/compare_checks.py: {', '.join(wrong) or PAGE.name} differs from what bankwise says now")
        return
    with results.open("w", newline="") as out:
        writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    PAGE.write_text(page)


if __name__ == "__main__":
    main()
