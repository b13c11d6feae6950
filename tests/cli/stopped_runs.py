"""Stopped runs: by one signal and by two, in a launch, between launches and on the host, by a budget, and by the end of
bankwise. Each leaves a report that is marked as incomplete and can be read. No process and no folder remains.
    stopped_runs.py BANKWISE SOURCE_DIR HOST_PROGRAM
"""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

BANKWISE, SOURCE, PROGRAM = sys.argv[1:4]
SPINS = ["tests/kernels/faults.cubin", "-k", "spins", "--arg", "i32[1]=0"]
PATIENCE = 60  # seconds; enough for a slow machine
wrong = []


def expect(what, is_so, says=""):
    if not is_so:
        wrong.append(what)
        print(f"FAIL: {what} {says}")


def until(what, holds):
    end = time.monotonic() + PATIENCE
    while not holds():
        if time.monotonic() > end:
            expect(what, False)
            return False
        time.sleep(0.02)
    return True


def processes_of(name):
    """Command lines that begin with the program of this name; zombies are excluded."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as f:
                if f.read().split(b"\0")[0] == name.encode():
                    found.append(int(pid))
        except OSError:
            pass
    return found


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat") as f:
        fields = f.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Case:
    """A run of bankwise with its own folder, which also contains its temporary folders."""

    def __init__(self, folder, name, arguments, program=False):
        self.name = name
        self.folder = os.path.join(folder, name)
        self.scratch = os.path.join(self.folder, "tmp")
        os.makedirs(self.scratch)
        self.report = os.path.join(self.folder, "report.json")
        self.log = os.path.join(self.folder, "log")
        self.program = os.path.join(self.folder, "program_" + name)
        if program:
            os.symlink(PROGRAM, self.program)
            arguments = [self.program, *arguments]
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [BANKWISE, "run", *arguments], cwd=SOURCE, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env={**os.environ, "TMPDIR": self.scratch})

    def says(self):
        with open(self.log, errors="replace") as f:
            return f.read()

    def started(self, marker):
        return until(f"{self.name}: {marker}", lambda: marker in self.says() or self.process.poll() is not None)

    def busy(self):
        """From now on, the program (or bankwise, if there is only a kernel) uses so much CPU time that it is in its launch."""
        def used():
            return sum(cpu_seconds(p) for p in processes_of(self.program) or [self.process.pid])

        before = used()
        return until(f"{self.name} computes", lambda: used() > before + 0.3)

    def ended(self, status):
        try:
            got = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            got = "nothing: it continued"
        expect(f"{self.name}: the status is {status}", got == status, f"not {got}:\n{self.says()}")
        expect(f"{self.name}: no process of the program is left", processes_of(self.program) == [], str(processes_of(self.program)))
        expect(f"{self.name}: no folder is left", os.listdir(self.scratch) == [], str(os.listdir(self.scratch)))

    def saved(self):
        try:
            with open(self.report) as f:
                return json.load(f)
        except (OSError, ValueError) as e:
            expect(f"{self.name}: the report can be read", False, f"{e}\n{self.says()}")
            return {"launches": []}

    def is_partial(self, reason, name=None):
        r = self.saved()
        expect(f"{self.name}: the report is partial", (r.get("partial"), r.get("partial_reason"), r.get("signal")) == (True, reason, name),
               str({k: v for k, v in r.items() if k != "launches"}))
        return r["launches"]

    def refused(self):
        """Formats that compare a report with something reject it. The others read it, and report that it is
        incomplete."""
        def bankwise(*words):
            return subprocess.run([BANKWISE, *words], cwd=SOURCE, capture_output=True, text=True)
        checked = bankwise("check", self.report)
        expect(f"{self.name}: check refuses the report", checked.returncode == 2 and "is partial (stopped by" in checked.stderr,
               checked.stdout + checked.stderr)
        compared = bankwise("compare", self.report, "tests/ncu/sass.csv")
        expect(f"{self.name}: compare refuses the report", compared.returncode == 2 and "is partial" in compared.stderr)
        shown = bankwise("report", self.report)
        expect(f"{self.name}: report says that the report is partial", shown.returncode == 0 and "partial" in shown.stdout, shown.stdout)
        shown = bankwise("report", self.report, "--fail-on", "removable")
        expect(f"{self.name}: report --fail-on removable is not 0", shown.returncode != 0)
        sides = bankwise("diff", self.report, self.report)
        expect(f"{self.name}: diff says that both reports are partial", "A is partial" in sides.stdout and "B is partial" in sides.stdout)
        merged = bankwise("merge", self.report, self.report)
        expect(f"{self.name}: merge says that a report is partial", "is partial" in merged.stderr and json.loads(merged.stdout)["partial"])
        sarif = json.loads(bankwise("report", self.report, "--format", "sarif").stdout)
        expect(f"{self.name}: SARIF says that the run failed", not sarif["runs"][0]["invocations"][0]["executionSuccessful"])
        page = bankwise("report", self.report, "--format", "html")
        expect(f"{self.name}: the page has the reason", '"partial_reason"' in page.stdout, page.stderr)


def sites_of(launch):
    return {(s.get("function"), s["pc"]): s["executed"] for s in launch["sites"]}


def kernels(folder):
    # The kernel has very many equal blocks, so the run does not end while the test waits.
    kernel = ["--faults", "report", "tests/kernels/forms.cubin", "-k", "matrices", "--arg", "out:u32[32]", "--arg", "i32=16", "--format", "json"]
    one = json.loads(subprocess.run([BANKWISE, "run", *kernel], cwd=SOURCE, capture_output=True, check=True).stdout)
    expect("a whole launch is not partial", "partial" not in one and "partial" not in one["launches"][0])
    of_a_block = sites_of(one["launches"][0])
    expect("the kernel has sites", len(of_a_block) > 0)
    for name, number in (("interrupt", signal.SIGINT), ("term", signal.SIGTERM), ("hangup", signal.SIGHUP)):
        c = Case(folder, name, [*kernel, "--grid", "2000000000", "-o", os.path.join(folder, name, "report.json")])
        c.busy()
        c.process.send_signal(number)
        c.ended(128 + number)
        launches = c.is_partial("interrupted", number.name)
        expect(f"{name}: there is one launch", len(launches) == 1)
        for launch in launches:
            ended, begun = launch["ctas_executed"], launch["ctas_begun"]
            expect(f"{name}: the launch is marked as partial", launch["partial"] and launch["signal"] == number.name)
            expect(f"{name}: the number of blocks is possible", 0 < ended <= begun <= ended + os.cpu_count(), f"{ended} of {begun}")
            sites = sites_of(launch)
            expect(f"{name}: the launch has all sites", sites.keys() == of_a_block.keys())
            for at, times in sites.items():
                expect(f"{name}: {at} counts the blocks that ended, and parts of the others",
                       of_a_block[at] * ended <= times <= of_a_block[at] * begun, f"{times}, {ended} to {begun} blocks")
    c.refused()
    c = Case(folder, "text", SPINS)
    c.busy()
    c.process.terminate()
    c.ended(128 + signal.SIGTERM)
    expect("text: the report says how many blocks ran", "partial   0 of 1 block, and a part of 1 more; stopped by SIGTERM" in c.says(), c.says())
    expect("text: the report says where the kernel stopped", "kernel spins: stopped" in c.says() and "faults.cu:26" in c.says(), c.says())


def programs(folder):
    def json_of(name):
        return ["--format", "json", "-o", os.path.join(folder, name, "report.json"), "--"]

    def program(name, mode):
        c = Case(folder, name, [*json_of(name), mode], program=True)
        return c

    # In a launch.
    for name, number in (("program_interrupt", signal.SIGINT), ("program_term", signal.SIGTERM),
                         ("program_hangup", signal.SIGHUP)):
        c = program(name, "spins")
        c.started("spinning")
        c.busy()
        c.process.send_signal(number)
        c.ended(128 + number)
        launches = c.is_partial("interrupted", number.name)
        expect(f"{name}: the report has the expected launches", [(l["name"], l["count"], l.get("partial")) for l in launches]
               == [("transpose_plain", 3, None), ("spins", 1, True)], str([l["name"] for l in launches]) + c.says())
        expect(f"{name}: the signal ended the program", f"stopped by {number.name}" in c.says(), c.says())
    c.refused()
    # The signal arrives while the program executes host code without a call of the library.
    c = program("host", "pauses")
    c.started("pausing")
    c.process.terminate()
    c.ended(128 + signal.SIGTERM)
    expect("host: the report has all launches", [l["count"] for l in c.is_partial("interrupted", "SIGTERM")] == [3])
    # The program's own signal handler runs after the report.
    c = program("handler", "handles")
    c.started("pausing")
    c.process.terminate()
    c.ended(128 + signal.SIGTERM)
    expect("handler: the program's handler ran", "handled 15" in c.says(), c.says())
    c.is_partial("interrupted", "SIGTERM")
    # The program ignores the first signal. The second signal ends the program.
    c = program("stubborn", "ignores")
    c.started("spinning")
    c.busy()
    c.process.terminate()
    until("stubborn: heard it", lambda: "kernel spins: stopped" in c.says())
    time.sleep(0.2)
    c.process.terminate()
    c.ended(128 + signal.SIGTERM)
    c.is_partial("interrupted", "SIGTERM")
    # The signal arrives after the program's end, while bankwise searches for fixes. The report may lack launches that a
    # slow machine has not read or written by then. The counts of the others are complete.
    c = Case(folder, "late", ["--fix", *json_of("late"), "shapes", "400"], program=True)
    until("late: the program starts", lambda: processes_of(c.program) != [])
    until("late: the program ends", lambda: processes_of(c.program) == [])
    time.sleep(0.5)
    expect("late: bankwise still searches", c.process.poll() is None, c.says())
    stopped = time.monotonic()
    c.process.terminate()
    c.ended(128 + signal.SIGTERM)
    expect("late: the report is written soon", time.monotonic() - stopped < 10, f"{time.monotonic() - stopped} s")
    launches = c.is_partial("interrupted", "SIGTERM")
    expect("late: the report has launches", 0 < sum(l["count"] for l in launches) <= 400, str(len(launches)))
    expect("late: each launch is complete", not any(l.get("partial") for l in launches))
    expect("late: bankwise says what may be missing", "stopped by SIGTERM while the report was written" in c.says(), c.says())
    # If bankwise is killed, the program also ends, and the next run deletes the folder. Folders of other processes are
    # kept.
    c = program("killed", "spins")
    c.started("spinning")
    c.process.kill()
    c.process.wait()
    until("killed: the program ends", lambda: processes_of(c.program) == [])
    left = os.listdir(c.scratch)
    expect("killed: a folder is left", len(left) == 1, str(left))
    os.mkdir(os.path.join(c.scratch, "bankwise-abcdef"), 0o700)  # without a lock
    os.mkdir(os.path.join(c.scratch, "mine"))
    live = Case(folder, "live", [*json_of("live"), "pauses"], program=True)
    live.started("pausing")
    os.rename(os.path.join(live.scratch, os.listdir(live.scratch)[0]), os.path.join(c.scratch, "bankwise-livers"))
    subprocess.run([BANKWISE, "run", *SPINS, "--budget", "1000"], cwd=SOURCE, capture_output=True,
                   env={**os.environ, "TMPDIR": c.scratch})
    expect("killed: the next run deletes this folder and no other folder",
           sorted(os.listdir(c.scratch)) == ["bankwise-abcdef", "bankwise-livers", "mine"], str(os.listdir(c.scratch)))
    live.process.kill()
    live.process.wait()
    until("live: the program ends", lambda: processes_of(live.program) == [])
    # If a launch exceeds its budget, the launch ends, and the program gets an error.
    c = Case(folder, "budget", ["--budget", "100000", *json_of("budget"), "spins"], program=True)
    c.ended(2)
    launches = c.is_partial("budget")
    expect("budget: the last launch is partial", launches[-1].get("partial_reason") == "budget" and launches[-1]["name"] == "spins")
    c.refused()
    # --total-budget limits all launches together. There are three cases: the first launch exceeds the limit, the second
    # launch exceeds the limit, or both launches stay within the limit.
    first = Case(folder, "first", ["--total-budget", "5", *json_of("first")], program=True)
    first.ended(2)
    expect("first: the launch has its counts up to the limit", len(first.is_partial("total_budget")) == 1)
    first.refused()
    whole = Case(folder, "within", ["--total-budget", "1000000", *json_of("within")], program=True)
    whole.ended(0)
    expect("within: the report is not partial", "partial" not in whole.saved())
    spent = whole.saved()["launches"][0]["totals"]["warp_instructions"]
    c = Case(folder, "total", ["--total-budget", str(spent + 100000), *json_of("total"), "spins"], program=True)
    c.ended(2)
    launches = c.is_partial("total_budget")
    expect("total: the first launch is whole, the second is not", [l.get("partial_reason") for l in launches] == [None, "total_budget"])
    expect("total: the report names the limit", "the limit of --total-budget" in c.says(), c.says())
    # After a fault, the report contains what ran before the fault.
    c = Case(folder, "fault", ["--faults", "stop", *json_of("fault"), "fault"], program=True)
    c.ended(2)
    c.is_partial("fault")
    # A report that cannot be written is an error.
    def status(command, *words):
        return subprocess.run(["sh", "-c", command, BANKWISE, *words], cwd=SOURCE, capture_output=True).returncode
    kernel = "examples/tutorial/ldmatrix.cubin -k rows_plain --arg out:u32[128]"
    expect("a run of a program succeeds", status('"$0" run "$1"', PROGRAM) == 0)
    expect("a run of a kernel succeeds", status(f'"$0" run {kernel}') == 0)
    for where in ("/dev/full", "&-"):
        expect(f"2>{where} of a program", status(f'"$0" run "$1" 2>{where}', PROGRAM) == 2)
        expect(f">{where} of a kernel", status(f'"$0" run {kernel} >{where}') == 2)
    expect("-o /dev/full of a program", status('"$0" run -o /dev/full "$1"', PROGRAM) == 2)


def searches(folder):
    # A signal ends the search for the layout of one array.
    report = os.path.join(folder, "searched.json")
    kernel = ["tests/kernels/classes.cubin", "-k", "bits", "--grid", "4096", "--block", "64", "--arg", "out:f32[256K]",
              "--arg", "f32[64K]=iota", "--accesses", "--format", "json", "-o", report]
    subprocess.run([BANKWISE, "run", *kernel], cwd=SOURCE, capture_output=True, check=True)
    whole = subprocess.run([BANKWISE, "fix", report, "--format", "json"], cwd=SOURCE, capture_output=True, text=True, check=True)
    expect("the search finds an array", len(json.loads(whole.stdout)["arrays"]) == 1, whole.stdout)
    for edits in ([], ["--apply"]):
        words = ["fix", report, *(edits or ["--format", "json"])]
        p = subprocess.Popen([BANKWISE, *words], cwd=SOURCE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        until("the search computes", lambda: p.poll() is not None or cpu_seconds(p.pid) > 0.2)
        expect("the search runs", p.poll() is None)
        stopped = time.monotonic()
        p.send_signal(signal.SIGINT)
        out, says = p.communicate()
        expect(f"{words}: the status is that of a signal", p.returncode == 128 + signal.SIGINT, f"{p.returncode} {says}")
        expect(f"{words}: it ends soon", time.monotonic() - stopped < 10)
        expect(f"{words}: bankwise says that it was stopped", "stopped by SIGINT" in says, says)
        if not edits:
            expect("the answer can be read, and has no array that was not searched completely", json.loads(out)["arrays"] == [], out)


with tempfile.TemporaryDirectory() as folder:
    kernels(folder)
    searches(folder)
    programs(folder)
print(f"{len(wrong)} wrong")
sys.exit(1 if wrong else 0)
