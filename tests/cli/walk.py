#!/usr/bin/python3
"""A new user's first ten minutes, with only the README: runs its commands on the four programs of tests/cli/walk/, each
with a main that checks its results. For each program: the worst line, why, the fix, what it saves, the program's own
check after the fix, a second run, init and check.
    walk.py BANKWISE SOURCE_DIR
Exits with 77 if there is no nvcc.
"""
import concurrent.futures
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

BANKWISE, SOURCE = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
NVCC = shutil.which("nvcc") or os.path.join(os.environ.get("CUDA_HOME", "/usr/local/cuda"), "bin/nvcc")
README = (SOURCE / "README.md").read_text()
ENVIRONMENT = {**os.environ, "NO_COLOR": "1", "PATH": f"{BANKWISE.parent}:{os.environ['PATH']}:{os.path.dirname(NVCC)}"}
ENVIRONMENT.pop("FORCE_COLOR", None)

# For each program: the sentence on the first screen, the wavefronts before and after, the findings after the fix, and
# the edit.
PROGRAMS = {
    "transpose": {"kernel": "transpose", "line": 13, "why": "32-way bank conflict", "before": 67584, "after": 4096,
                  "left": 0, "edit": "tile[32][32 + 1];"},
    "sgemm": {"kernel": "sgemm", "line": 14, "why": "16-way bank conflict", "before": 41984, "after": 27648,
                  "left": 4, "edit": "as[depth][tile + 4];"},
    "reduction": {"kernel": "reduce", "line": 13, "why": "8-way bank conflict", "before": 149952, "after": 47520,
                  "left": 0, "edit": "part[threads + threads / 32];"},
    "histogram": {"kernel": "histogram", "line": 9, "why": "8-way bank conflict", "before": 5952, "after": 4134,
                  "left": 3, "edit": "counts[threads][bins + 4];"},
}


def commands():
    """The quick start has four lines. The first one installs bankwise (the test install_page runs it)."""
    block = re.search(r"<!-- not run: the test walk runs these commands on four programs -->\n```sh\n(.*?)```", README, re.DOTALL)
    lines = [line.split("  #")[0].rstrip() for line in block[1].splitlines()] if block else []
    if len(lines) != 4 or "pip install" not in lines[0] or any("app.cu" not in line for line in lines[1:]):
        sys.exit(f"README.md: the quick start must install bankwise, then run, fix and check app.cu; it has {lines}")
    return lines[1:]


class Walk:
    def __init__(self, folder, name):
        self.name, self.folder, self.wrong = name, pathlib.Path(folder) / name, []
        self.folder.mkdir()
        shutil.copy(SOURCE / "tests/cli/walk" / name / "app.cu", self.folder)

    def run(self, command, status=0):
        done = subprocess.run(["sh", "-c", command], cwd=self.folder, env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        self.last = f"$ {command}\n{done.stdout}[exit {done.returncode}]"
        self.expect(f"exit status {status}", done.returncode == status)
        return done.stdout

    def expect(self, what, is_so):
        if not is_so:
            self.wrong.append(f"{self.name}: expected {what}:\n{self.last}\n")

    def total(self, report):
        """The wavefronts of all shared memory, from the table."""
        head = re.search(r"^ +line +(executed.*)$", report, re.MULTILINE)
        row = re.search(r"^  total +(.*)$", report, re.MULTILINE)
        if not head or not row:
            return None
        return int(row[1].split()[head[1].split().index("wavefronts")].replace(",", ""))

    def walk(self, run, fix, check):
        wanted = PROGRAMS[self.name]
        passes = f"{self.name}: 0 wrong"
        first = self.run(run)
        self.expect("the program's own check to pass", passes in first)
        # The conflict is on the first screen: before the table, within 20 lines. Other findings may save more time.
        screen = "\n".join(first.splitlines()[:20])
        conflicts = re.findall(r"^  \d\. app\.cu:(\d+)  (.*?bank conflict)", screen, re.MULTILINE)
        self.expect(f"the conflict of line {wanted['line']}", (str(wanted["line"]), wanted["why"]) in conflicts)
        self.expect(f"{wanted['before']} wavefronts", self.total(first) == wanted["before"])
        if self.name == "transpose":
            for line in re.search(r"`run` prints:\n\n```text\n(.*?)```", README, re.DOTALL)[1].splitlines():
                self.expect(f"the README's line {line!r}", line in screen.splitlines())

        before = (self.folder / "app.cu").read_text()
        edit = self.run(fix)
        row = re.search(rf"^  {wanted['kernel']} +([\d,]+) +([\d,]+) +([\d,]+)$", edit, re.MULTILINE)
        numbers = [int(n.replace(",", "")) for n in row.groups()] if row else []
        self.expect("what was promised", numbers == [wanted["before"], wanted["after"], wanted["after"]])
        self.expect("the same results", "After the edit, the program printed the same output" in edit)
        self.expect(f"the edit {wanted['edit']}", wanted["edit"] in (self.folder / "app.cu").read_text() and wanted["edit"] not in before)

        second = self.run(run)
        self.expect("the program's own check to pass after the edit", passes in second)
        self.expect(f"{wanted['after']} wavefronts", self.total(second) == wanted["after"])
        found = re.search(r"^(\d+) findings?$", second, re.MULTILINE)
        self.expect(f"{wanted['left']} findings, not {found and found[1]}", (int(found[1]) if found else 0) == wanted["left"] and (found or "no findings" in second))

        self.check(check, before)
        if self.name == "histogram":
            self.by_hand(run)

    def check(self, check, before):
        passed = self.run(check)
        self.expect("a passed check", passed.splitlines()[-1].startswith("passed"))
        after = (self.folder / "app.cu").read_text()
        # Without the edit, the budget check fails, and names the kernel's line.
        (self.folder / "app.cu").write_text(before)
        failed = self.run(check.split("&&")[1].strip(), status=1)
        self.expect("a failed check that names the line", f"app.cu:{PROGRAMS[self.name]['line']}: " in failed and "BW201" in failed)
        (self.folder / "app.cu").write_text(after)

    def by_hand(self, run):
        """If a remedy is not a layout, the report describes it in words: each lane's element in its own bank. The test
        makes this change, and the program takes the predicted wavefronts."""
        report = self.run(run.replace("bankwise run", "bankwise run --fix", 1))
        said = re.search(r"keep the words of each lane in a separate bank: ([\d,]+) wavefronts instead of 4,134 on this input", report)
        self.expect("what else helps", said)
        source = self.folder / "app.cu"
        text = source.read_text().replace("counts[threads][bins + 4]", "counts[bins][threads]").replace("counts[threadIdx.x][b]", "counts[b][threadIdx.x]")
        text = text.replace("counts[threadIdx.x][mine[i] % bins]", "counts[mine[i] % bins][threadIdx.x]")
        # The sum reads along a row now, and each thread begins at a different bank.
        source.write_text(text.replace("counts[t][threadIdx.x]", "counts[threadIdx.x][(t + threadIdx.x) % threads]"))
        third = self.run(run)
        self.expect("the program's own check to pass", "histogram: 0 wrong" in third)
        self.expect("the predicted number", said and self.total(third) == int(said[1].replace(",", "")))


def main():
    run, fix, check = commands()
    if not os.path.exists(NVCC):
        print("skipped: nvcc is not installed")
        sys.exit(77)
    if shlex.split(run)[0] != "bankwise":
        sys.exit(f"README.md: {run}")
    wrong = []
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as workers:
        walks = [Walk(folder, name) for name in PROGRAMS]
        for _ in workers.map(lambda w: w.walk(run, fix, check), walks):
            pass
        wrong = [text for w in walks for text in w.wrong]
    print("\n".join(wrong) or f"{len(PROGRAMS)} programs as the README has it")
    sys.exit(1 if wrong else 0)


main()
