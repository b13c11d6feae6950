#!/usr/bin/python3
"""Calls the rule of Nsight Compute as Nsight Compute does, with a simulated NvRules.
    nsight_compute_rule.py BANKWISE SOURCE
The simulation has the functions of Nsight Compute 2025.3's NvRules.py, and the counts that it had of these kernels on
an H100.
"""
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import types

BANKWISE, SOURCE = sys.argv[1:3]
BASE = 0x7F0000000000  # start address of the kernel's code
FOLDER = pathlib.Path(SOURCE, "packaging/nsight-compute")


class Metric:
    def __init__(self, value=0, of=None):
        self.value, self.of = value, of or {}

    def as_uint64(self, i=None):
        return self.value if i is None else list(self.of.values())[i]

    def num_instances(self):
        return len(self.of)

    def correlation_ids(self):
        return Metric(of={i: address for i, address in enumerate(self.of)})


class Action:
    """A kernel as it was profiled. `counted`: wavefronts by the offset of the instruction. `sectors`: the same for
    global memory."""

    def __init__(self, launch, counted, sectors):
        self.launch, shape = launch, zip(("grid", "block"), (launch["grid"], launch["block"]))
        self.metrics = {f"launch__{what}_dim_{axis}": Metric(n) for what, numbers in shape for axis, n in zip("xyz", numbers)}
        self.metrics["memory_l1_wavefronts_shared"] = Metric(of={BASE + pc: n for pc, n in counted.items()})
        self.metrics["memory_l2_theoretical_sectors_global"] = Metric(of={BASE + pc: n for pc, n in sectors.items()})
        self.metrics["inst_executed"] = Metric(of={BASE: 1, **{BASE + pc: 1 for pc in (*counted, *sectors)}})

    def name(self, base=None):
        return self.launch["mangled"] if base == "mangled" else self.launch["name"]

    def metric_by_name(self, name):
        return self.metrics.get(name)

    def source_info(self, address):
        lines = {BASE + s["pc"]: s["line"] for s in self.launch["sites"] + self.launch.get("global_sites", [])}
        file = (self.launch["sites"] or self.launch["global_sites"])[0]["file"]
        return types.SimpleNamespace(file_name=lambda: "/src/" + file, line=lambda: lines[address])


class Frontend:
    MsgType_MSG_OK, MsgType_MSG_OPTIMIZATION, MsgType_MSG_WARNING = "OK", "OPT", "WRN"
    MarkerKind_SASS, MarkerKind_SOURCE = "sass", "source"
    SpeedupType_LOCAL, Severity_SEVERITY_HIGH = "local", "high"

    def __init__(self):
        self.said, self.markers, self.speedups = [], [], []

    def message(self, kind, text, title):
        self.said.append(f"{kind} {text}")
        return len(self.said)

    def speedup(self, message, kind, percent):
        self.speedups.append((message, kind, round(percent, 2)))

    def focus_metric(self, message, name, value, severity, text):
        assert 0 < message <= len(self.said) and value > 0

    def source_marker(self, text, place, kind, *more):
        self.markers.append((kind, place, *more[:-1]))


played = types.ModuleType("NvRules")
played.IFrontend, played.IAction = Frontend, types.SimpleNamespace(NameBase_MANGLED="mangled")
sys.modules["NvRules"] = played
sys.dont_write_bytecode = True
spec = importlib.util.spec_from_file_location("Bankwise", FOLDER / "Bankwise.py")
rule = importlib.util.module_from_spec(spec)
spec.loader.exec_module(rule)


def apply(launch, counted, sectors={}):
    frontend = Frontend()
    context = types.SimpleNamespace(frontend=lambda: frontend, range_by_idx=lambda i: types.SimpleNamespace(
        action_by_idx=lambda i: Action(launch, counted, sectors)))
    played.get_context = lambda handle: context
    rule.apply(None)
    return frontend


def counts(launch):
    return {s["pc"]: s.get("ncu_wavefronts", s["wavefronts"]) for s in launch["sites"]}


def run(*words):
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        subprocess.run([BANKWISE, "run", "--fix", "--format", "json", "-o", file.name, *words], check=True, cwd=SOURCE)
        return json.load(open(file.name))


def write(folder, report):
    os.environ["BANKWISE_REPORT"] = str(pathlib.Path(folder, "report.json"))
    pathlib.Path(os.environ["BANKWISE_REPORT"]).write_text(json.dumps(report))
    return report["launches"][0]


transpose = ["--grid", "8,8", "--block", "32,8", "--arg", "out:f32[64K]", "--arg", "f32[64K]=iota", "--arg", "i32=256"]
with tempfile.TemporaryDirectory() as folder:
    report = run("examples/transpose.cubin", "-k", "transpose_plain", *transpose)
    launch = write(folder, report)
    found = apply(launch, counts(launch))
    assert found.said == [
        "OPT 67,584 wavefronts of shared memory. 63,488 of these wavefronts can be removed by a layout. Without the removable wavefronts, the shared-memory pipe would be busy for 4,096 clocks instead of 67,584.",
        "OPT transpose.cu:18: ld.b32: 65,536 wavefronts for 2,048 executions; 63,488 of these wavefronts can be removed by a layout",
        "OPT float tile[32][32]: rows of 132 bytes instead of 128: 4,096 wavefronts instead of 67,584, the lower bound. In CUDA: __shared__ float tile[32][32 + 1];  // nothing else changes",
        "OK 16,384 sectors of global memory, which is the minimum for these bytes."], found.said
    assert found.speedups == [(1, "local", 93.94)], found.speedups
    loads = [s["pc"] for s in launch["sites"] if s["removable"]]
    assert found.markers == [("sass", BASE + pc) for pc in loads] + [("source", 18, "/src/transpose.cu")], found.markers

    # The counts come from a different build, or from a run with a different input.
    other = {**counts(launch), loads[0]: 512}
    assert apply(launch, other).said[0] == (
        "WRN 1 of 8 instructions have different counts than in the report (ld at 0x{:x}: 512 here, 16,384 in the report), so the report is for"
        " a different build, input or launch of this kernel. The sentences below apply to the launch in the report.".format(loads[0])), apply(launch, other).said
    # The launch has a different shape, or there is no launch file.
    assert apply({**launch, "grid": [4, 4, 1]}, counts(launch)).said == [
        "WRN The report has no launch of transpose_plain with grid [4, 4, 1] and block [32, 8, 1], but it has a launch with grid [8, 8, 1] and block [32, 8, 1]."]
    assert apply({**launch, "name": "else", "mangled": "else"}, {}).said == ["WRN The report has no launch of else."]

    launch = write(folder, run("examples/transpose.cubin", "-k", "transpose_padded", *transpose))
    assert apply(launch, counts(launch)).said == ["OK 4,096 wavefronts. No layout can remove any of them.",
                                                  "OK 16,384 sectors of global memory, which is the minimum for these bytes."]

    # Reports sectors of global memory, and the reason for their number.
    launch = write(folder, run("tests/kernels/sectors.cubin", "-k", "every_second", "--grid", "4", "--block", "128", "--arg",
                               "out:f32[512]", "--arg", "f32[1K]=iota"))
    sectors = {s["pc"]: s["sectors"] for s in launch["global_sites"]}
    found = apply(launch, {}, sectors)
    assert found.said == [
        "OK 0 wavefronts. No layout can remove any of them.", "OPT 192 sectors of global memory, but 128 would be enough for these bytes.",
        "OPT sectors.cu:30: ld.b32: 128 sectors for 16 requests, but 64 would be enough for these bytes; neighbouring lanes are 8 bytes apart and access 4 bytes each, so only 16 bytes of each sector of 32 bytes are used. Remedy: place the elements next to each other: use"
        " a struct of arrays instead of an array of structs: 64 sectors instead of 128"], found.said
    load = next(s["pc"] for s in launch["global_sites"] if s["excess_sectors"])
    assert found.markers == [("sass", BASE + load), ("source", 30, "/src/sectors.cu")], found.markers
    said = apply(launch, {}, {**sectors, load: 64}).said
    assert said[1].startswith("WRN 1 of 2 instructions touch a different number of sectors of global memory than in the report"), said

    # If the data select the words, the section reports this fact and shows remedies.
    launch = write(folder, run("examples/fixes/by_data.cubin", "-k", "lookup_before", "--grid", "8", "--block", "256", "--arg",
                               "out:u32[32K]", "--arg", "u32[256]=random:2", "--arg", "u32[32K]=random:1", "--arg", "i32=32768"))
    said = apply(launch, counts(launch)).said
    assert "come from addresses that depend on data. No layout removes these wavefronts, but copies of the array can, for example one copy for each lane" in said[1], said
    assert said[-2].startswith("OPT words: 32 copies, selected by lane: 6,144 wavefronts instead of "), said

    for content, why in (("not json", "could not be read: Expecting value"), ("[]", "was not written by `bankwise run --format json`"),
                         ('{"schema": "bankwise.diff/1"}', "was not written by")):
        pathlib.Path(os.environ["BANKWISE_REPORT"]).write_text(content)
        (said,) = apply(launch, {}).said
        assert said.startswith("WRN BANKWISE_REPORT=") and why in said, said
    os.environ["BANKWISE_REPORT"] = str(pathlib.Path(folder, "none.json"))
    assert "No such file" in apply(launch, {}).said[0]
    del os.environ["BANKWISE_REPORT"]
    assert apply(launch, {}).said[0].startswith("WRN The environment variable BANKWISE_REPORT is not set.")

# The section has the name of the rule. It collects the metrics that the rule reads.
section = (FOLDER / "Bankwise.section").read_text()
assert f'Identifier: "{rule.get_section_identifier()}"' in section
for metric in ("memory_l1_wavefronts_shared", "memory_l2_theoretical_sectors_global", "inst_executed"):
    assert f'Name: "{metric}"' in section
