"""The language server as an editor uses it: the program, over pipes, on real files."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from client import Client, applied, span, uri_of

PROGRAM, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
NVCC = shutil.which("nvcc") or os.access("/usr/local/cuda/bin/nvcc", os.X_OK)
RUN_WORDS = " -k transpose_plain --grid 8,8 --block 32,8 --arg 'out:f32[64K]' --arg 'f32[64K]=iota' --arg i32=256"
STORE, LOAD = 14, 17  # lines of transpose_plain, counted from 0
DECLARED = 12


class Folder(unittest.TestCase):
    """A project with a kernel as a cubin next to its source."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp()).resolve()
        self.addCleanup(shutil.rmtree, self.folder)
        for name in ("transpose.cu", "transpose.cubin"):
            shutil.copy(SOURCE / "examples" / name, self.folder)
        self.text = (self.folder / "transpose.cu").read_text()
        # The cubin gives the name of this source as examples/transpose.cu.
        self.write(f'[[run]]\nname = "plain"\ncommand = {json.dumps("transpose.cubin" + RUN_WORDS)}\ninputs = ["*.cu"]\n')

    def write(self, config):
        (self.folder / "bankwise.toml").write_text(config)

    def client(self, **more):
        c = Client(PROGRAM, self.folder, **more)
        self.addCleanup(c.close)
        return c

    def of(self, c, name="transpose.cu"):
        return c.diagnostics.get(uri_of(self.folder / name), [])


class Shown(Folder):
    def test_a_run_becomes_diagnostics_hints_hover_and_lenses(self):
        c = self.client()
        c.until_runs_end()
        found, = self.of(c)
        self.assertEqual(found["code"], "BW101")
        self.assertEqual(found["severity"], 2)
        self.assertIn("63,488 of these wavefronts can be removed by a layout", found["message"])
        self.assertIn("rows of 132 bytes instead of 128", found["message"])
        line = self.text.split("\n")[LOAD]
        self.assertEqual(found["range"], {"start": {"line": LOAD, "character": 2},
                                          "end": {"line": LOAD, "character": len(line)}})
        page = pathlib.Path(found["codeDescription"]["href"].removeprefix("file://"))
        rule = subprocess.run([PROGRAM, "rule", "BW101", "--format", "markdown"], capture_output=True, text=True)
        self.assertIn(rule.stdout, page.read_text())

        c.open("transpose.cu")
        hints = c.at("transpose.cu", "inlayHint", range=span(0, 100))
        self.assertEqual([(h["position"]["line"], h["label"]) for h in hints],
                         [(STORE, "1 wavefront"), (LOAD, "32 wavefronts, 1 reachable")])
        self.assertEqual(hints[1]["position"]["character"], len(line))
        self.assertEqual(c.at("transpose.cu", "inlayHint", range=span(0, STORE - 1)), [])

        said = c.at("transpose.cu", "hover", position={"line": LOAD, "character": 5})["contents"]
        self.assertEqual(said["kind"], "markdown")
        self.assertTrue(said["value"].startswith("```text\n") and said["value"].endswith("```"))
        for part in ("63,488 removable", "a 32-way bank conflict on bank ", "wavefronts, one on each line", "2,048 executions"):
            self.assertIn(part, said["value"])
        self.assertIsNone(c.at("transpose.cu", "hover", position={"line": 0, "character": 0}))

        lenses = c.at("transpose.cu", "codeLens")
        self.assertEqual(lenses[0]["range"]["start"]["line"], DECLARED)
        self.assertEqual(lenses[0]["command"]["title"], "explain tile: 63,488 removable wavefronts")
        told = c.ask("workspace/executeCommand", {"command": lenses[0]["command"]["command"],
                                                  "arguments": lenses[0]["command"]["arguments"]})["text"]
        self.assertIn("transpose.cu:18  for (int j = 0", told)
        self.assertIn("__shared__ float tile[32][32 + 1];", told)
        self.assertTrue(any(m["method"] == "window/showMessage" and m["params"]["message"] == told for m in c.others))
        # No run uses this array. The code lens shows what reading a row and a column would cost.
        padded = lenses[1]["command"]
        told = c.ask("workspace/executeCommand", {"command": padded["command"], "arguments": padded["arguments"]})["text"]
        self.assertIn("no report has an access to tile. If a warp reads the array with these indices, the cost is:\n\ntile[0][t]\n1 wavefront", told)
        self.assertEqual(c.end(), 0)

    def test_arrays_that_no_run_knows_are_explained_by_their_constants(self):
        (self.folder / "other.cu").write_text(
            "#define WIDE 64\nconstexpr int side = WIDE / 2;\n"
            "__global__ void k() {\n  __shared__ float a[side][side], flat[8 * WIDE];\n  __shared__ half b[WIDE][WIDE];\n}\n"
            "template <int N> __global__ void t() {\n  __shared__ float c[N][N];\n}\n")
        c = self.client()
        c.until_runs_end()
        c.open("other.cu")
        told = {}
        for lens in c.at("other.cu", "codeLens"):
            words = lens["command"]
            told[words["title"]] = c.ask("workspace/executeCommand", {"command": words["command"], "arguments": words["arguments"]})["text"]
        self.assertIn("\na[t][0]\n32 wavefronts: a 32-way bank conflict", told["explain a"])
        self.assertIn("\nflat[t]\n1 wavefront", told["explain flat"])
        self.assertIn("\nb[t][0]\n32 wavefronts: a 32-way bank conflict", told["explain b"])
        self.assertIn("bankwise does not know the types or sizes in this declaration: ", told["explain c"])

    def test_a_report_of_global_memory_alone_is_shown(self):
        for name in ("sectors.cu", "sectors.cubin"):
            shutil.copy(SOURCE / "tests/kernels" / name, self.folder)
        subprocess.run([PROGRAM, "run", "sectors.cubin", "-k", "every_second", "--grid", "4", "--block", "128", "--arg", "out:f32[512]",
                        "--arg", "f32[4K]=iota", "--format", "json", "-o", "r.json"], cwd=self.folder, check=True)
        self.write('reports = ["r.json"]\n')
        c = self.client()
        c.until(lambda: self.of(c, "sectors.cu"))
        self.assertEqual([d["code"] for d in self.of(c, "sectors.cu")], ["BW504"])
        c.open("sectors.cu")
        line = self.of(c, "sectors.cu")[0]["range"]["start"]["line"]
        self.assertIn("128 sectors for 16 executions", c.at("sectors.cu", "hover", position={"line": line, "character": 6})["contents"]["value"])
        hints = c.at("sectors.cu", "inlayHint", range={"start": {"line": 0, "character": 0}, "end": {"line": line + 1, "character": 0}})
        self.assertEqual([h["label"] for h in hints], ["8 sectors, 4 ideal"])

    def test_reports_that_are_listed_need_no_run(self):
        subprocess.run([PROGRAM, "run", "transpose.cubin", "-k", "transpose_plain", "--grid", "8,8", "--block", "32,8", "--arg",
                        "out:f32[64K]", "--arg", "f32[64K]=iota", "--arg", "i32=256", "--format", "json", "-o", "r.json"],
                       cwd=self.folder, check=True)
        self.write('reports = ["r.json", "later.json"]\n')
        c = self.client(options={"showsText": True})
        c.until(lambda: self.of(c) and self.of(c, "bankwise.toml"))
        self.assertEqual([d["code"] for d in self.of(c)], ["BW101"])
        self.assertIn("bankwise run --fix", self.of(c)[0]["message"])
        self.assertEqual([d["message"] for d in self.of(c, "bankwise.toml")], ["the report later.json does not exist yet"])
        self.assertEqual([], [m for m in c.others if m["method"] == "window/showMessage"])
        # If the client does not support markdown, or does not mention markdown, a hover is plain text.
        plain = self.client(capabilities={})
        plain.until(lambda: self.of(plain))
        said = plain.at("transpose.cu", "hover", position={"line": LOAD, "character": 0})["contents"]
        self.assertEqual(said["kind"], "plaintext")
        self.assertNotIn("```", said["value"])

    def test_a_baseline_and_a_comment_count(self):
        with open(self.folder / "bankwise.toml", "a") as f:
            f.write('[[run.budget]]\nkernel = "transpose_plain"\nremovable = 10\n')
        c = self.client()
        c.until_runs_end()
        self.assertEqual([(d["code"], d["severity"]) for d in self.of(c)], [("BW101", 2), ("BW201", 1)])
        lines = self.text.split("\n")
        lines[LOAD] += "  // bankwise: ignore BW101 -- measured against"
        (self.folder / "transpose.cu").write_text("\n".join(lines))
        c.tell("textDocument/didSave", {"textDocument": {"uri": uri_of(self.folder / "transpose.cu")}})
        c.until_runs_end()
        self.assertEqual([d["code"] for d in self.of(c)], ["BW201"])


class Changed(Folder):
    def test_lines_are_found_by_their_text_until_the_report_is_made_again(self):
        c = self.client()
        c.until_runs_end()
        c.open("transpose.cu")
        lines = self.text.split("\n")
        moved = lines[:5] + ["// größer 𝄞", ""] + lines[5:]
        c.change("transpose.cu", "\n".join(moved))
        hints = c.at("transpose.cu", "inlayHint", range=span(0, 100))
        self.assertEqual([(h["position"]["line"], h["label"]) for h in hints],
                         [(STORE + 2, "before: 1 wavefront"), (LOAD + 2, "before: 32 wavefronts, 1 reachable")])
        found = self.of(c)
        self.assertEqual([(d["code"], d["severity"], d["range"]["start"]["line"]) for d in found],
                         [("BW101", 2, LOAD + 2), ("stale", 4, STORE + 2)])
        self.assertIn("the run plain", found[1]["message"])
        # After a line was rewritten, the notes of this line disappear, even if another kernel contains the same line.
        moved[LOAD + 2] = "  out[tx] = tile[threadIdx.x][0];"
        c.change("transpose.cu", "\n".join(moved), 3)
        hints = c.at("transpose.cu", "inlayHint", range=span(0, 100))
        self.assertEqual([h["position"]["line"] for h in hints], [STORE + 2])
        self.assertEqual([d["code"] for d in self.of(c)], ["stale"])
        self.assertIn("since then, 1 line with accesses changed", self.of(c)[0]["message"])
        # The text is again the same as in the run, so no result is out of date.
        c.change("transpose.cu", self.text, 4)
        c.at("transpose.cu", "codeLens")
        self.assertEqual([d["code"] for d in self.of(c)], ["BW101"])
        self.assertEqual([m["params"]["version"] for m in c.others if m["method"] == "textDocument/publishDiagnostics"][-1], 4)

    def test_a_save_makes_the_report_again(self):
        c = self.client()
        c.until_runs_end()
        report = self.folder / ".bankwise/plain.json"
        before = report.stat().st_mtime_ns
        text = (self.folder / "bankwise.toml").read_text()
        self.write(text.replace("--grid 8,8", "--grid 8,4"))
        c.tell("textDocument/didSave", {"textDocument": {"uri": uri_of(self.folder / "bankwise.toml")}})
        c.until_runs_end()
        self.assertGreater(report.stat().st_mtime_ns, before)
        self.assertIn("31,744 of these wavefronts can be removed by a layout", self.of(c)[0]["message"])
        # Nothing has changed, so nothing runs.
        before = report.stat().st_mtime_ns
        c.tell("textDocument/didSave", {"textDocument": {"uri": uri_of(self.folder / "transpose.cu")}})
        c.until_runs_end()
        self.assertEqual(report.stat().st_mtime_ns, before)

    def test_a_run_that_fails_says_so_at_its_line_and_leaves_what_was_known(self):
        c = self.client()
        c.until_runs_end()
        text = (self.folder / "bankwise.toml").read_text()
        self.write("# a run\n" + text.replace("-k transpose_plain", "-k nothing_like_it"))
        c.tell("textDocument/didSave", {"textDocument": {"uri": uri_of(self.folder / "bankwise.toml")}})
        c.until_runs_end()
        wrong, = self.of(c, "bankwise.toml")
        self.assertEqual((wrong["severity"], wrong["range"]["start"]["line"]), (1, 1))
        self.assertIn("nothing_like_it", wrong["message"])
        self.assertIn("BW101", [d["code"] for d in self.of(c)])
        # The error disappears when the file is correct.
        self.write(text)
        c.tell("textDocument/didSave", {"textDocument": {"uri": uri_of(self.folder / "bankwise.toml")}})
        c.until_runs_end()
        self.assertEqual(self.of(c, "bankwise.toml"), [])

    def test_runs_can_be_left_to_check(self):
        c = self.client(options={"run": "never"})
        c.open("transpose.cu")
        self.assertEqual(c.at("transpose.cu", "inlayHint", range=span(0, 100)), [])
        self.assertFalse((self.folder / ".bankwise").exists())
        # The command always makes the reports. The answer follows when the reports are complete.
        self.assertIsNone(c.ask("workspace/executeCommand", {"command": "bankwise.run"}))
        self.assertTrue((self.folder / ".bankwise/plain.json").exists())
        self.assertEqual(len(c.at("transpose.cu", "inlayHint", range=span(0, 100))), 2)

    def test_a_run_that_takes_long_is_given_up_and_cancelled(self):
        program = self.folder / "slow"
        program.write_text("#!/bin/sh\nsleep 600\n")
        program.chmod(0o755)
        self.write('[[run]]\nname = "slow"\ncommand = "-- ./slow"\n')
        c = self.client(options={"seconds": 1})
        c.until_runs_end()
        said, = self.of(c, "bankwise.toml")
        self.assertEqual(said["severity"], 3)
        self.assertIn("takes more than 1 s, so the server does not repeat it. Make the report of the run with `bankwise check --run slow`", said["message"])
        asked = c.start("workspace/executeCommand", {"command": "bankwise.run"})
        c.at("slow", "codeLens")
        c.tell("$/cancelRequest", {"id": asked})
        self.assertEqual(c.answer(asked)["error"]["code"], -32800)
        c.until_runs_end()
        # If a run is still active when the client exits, the run is stopped.
        asked = c.start("workspace/executeCommand", {"command": "bankwise.run"})
        self.assertEqual(c.end(), 0)
        self.assertEqual(subprocess.run(["pgrep", "-f", str(program)], capture_output=True).stdout, b"")

    def test_a_configuration_that_is_none_says_where(self):
        self.write('[[run]]\nname = "plain"\ncomand = "x"\n')
        c = self.client()
        c.until(lambda: self.of(c, "bankwise.toml"))
        wrong, = self.of(c, "bankwise.toml")
        self.assertEqual((wrong["severity"], wrong["range"]["start"]["line"]), (1, 2))


class Actions(Folder):
    def test_the_padding_is_applied_and_removes_the_conflict(self):
        c = self.client()
        c.until_runs_end()
        c.open("transpose.cu")
        actions = c.at("transpose.cu", "codeAction", range=span(LOAD), context={"diagnostics": self.of(c)})
        fix, asserts = actions
        self.assertTrue(fix["title"].startswith("Declare tile[tile_side][tile_side + 1]: rows of 132 bytes"))
        self.assertEqual((fix["kind"], fix["isPreferred"]), ("quickfix", True))
        self.assertEqual([d["code"] for d in fix["diagnostics"]], ["BW101"])
        text = applied(self.text, fix["edit"]["changes"][uri_of(self.folder / "transpose.cu")])
        self.assertEqual(text.split("\n")[DECLARED], "  __shared__ float tile[tile_side][tile_side + 1];")
        self.assertEqual(asserts["kind"], "refactor")
        only = c.at("transpose.cu", "codeAction", range=span(LOAD), context={"diagnostics": [], "only": ["refactor"]})
        self.assertEqual([a["title"] for a in only], [asserts["title"]])
        # No edit is offered if the text already contains the edit.
        c.change("transpose.cu", text)
        again = c.at("transpose.cu", "codeAction", range=span(LOAD), context={"diagnostics": []})
        self.assertEqual([a["kind"] for a in again], ["refactor"])

    @unittest.skipUnless(NVCC, "nvcc is not installed")
    def test_a_source_is_compiled_counted_padded_and_counted_again(self):
        shutil.copy(SOURCE / "examples/check.cuh", self.folder)
        words = "transpose.cu" + RUN_WORDS
        self.write(f'[[run]]\nname = "plain"\ncommand = {json.dumps(words)}\n')
        c = self.client(options={"seconds": 60})
        c.until_runs_end()
        c.open("transpose.cu")
        fix = c.at("transpose.cu", "codeAction", range=span(LOAD), context={"diagnostics": []})[0]
        text = applied(self.text, fix["edit"]["changes"][uri_of(self.folder / "transpose.cu")])
        c.change("transpose.cu", text)
        (self.folder / "transpose.cu").write_text(text)
        c.at("transpose.cu", "codeLens")
        self.assertIn("stale", [d["code"] for d in self.of(c)])
        c.tell("textDocument/didSave", {"textDocument": {"uri": uri_of(self.folder / "transpose.cu")}})
        c.until_runs_end()
        self.assertEqual(self.of(c), [])
        hints = c.at("transpose.cu", "inlayHint", range=span(0, 100))
        self.assertEqual([(h["position"]["line"], h["label"]) for h in hints], [(STORE, "1 wavefront"), (LOAD, "1 wavefront")])
        # If a source does not compile, the server sends a message. The earlier results remain, marked as old.
        broken = text.replace("__syncthreads();", "__syncthreads()", 1)
        c.change("transpose.cu", broken, 3)
        (self.folder / "transpose.cu").write_text(broken)
        c.tell("textDocument/didSave", {"textDocument": {"uri": uri_of(self.folder / "transpose.cu")}})
        c.until_runs_end()
        self.assertIn("nvcc could not compile", self.of(c, "bankwise.toml")[0]["message"])
        hints = c.at("transpose.cu", "inlayHint", range=span(0, 100))
        self.assertEqual([h["label"] for h in hints], ["before: 1 wavefront", "before: 1 wavefront"])

    @unittest.skipUnless(NVCC, "nvcc is not installed")
    def test_layouts_that_are_no_padding_are_edits_of_declaration_and_indices(self):
        source = ("__global__ void square(float* out) {\n"
                  "  __shared__ float tile[16][16];  // größe\n"
                  "  tile[threadIdx.y][threadIdx.x] = out[threadIdx.x];\n"
                  "  __syncthreads();\n"
                  "  out[threadIdx.y * 16 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];\n"
                  "}\n"
                  "__global__ void flat(float* out) {\n"
                  "  __shared__ float line[1024];\n"
                  "  line[threadIdx.x * 32] = out[threadIdx.x];\n"
                  "  __syncthreads();\n"
                  "  out[threadIdx.x] = line[threadIdx.x * 32 + 1];\n"
                  "}\n")
        (self.folder / "other.cu").write_text(source)
        run = '[[run]]\nname = "{}"\ncommand = "other.cu -k {} --grid 1 --block {} --arg \'out:f32[1024]\'"\n'
        self.write(run.format("one", "square", "16,16") + run.format("two", "flat", "32") + run.format("three", "square", "16,16"))
        c = self.client(options={"seconds": 60})
        c.until_runs_end()
        c.open("other.cu")
        uri, text = uri_of(self.folder / "other.cu"), source
        for line, words in ((4, "tile[16][16], its columns column ^ row: 16 wavefronts"), (10, "line[1024 + 1024 / 32]")):
            fixes = [a for a in c.at("other.cu", "codeAction", range=span(line), context={"diagnostics": self.of(c, "other.cu")})
                     if a["kind"] == "quickfix"]
            self.assertEqual([a.get("isPreferred") for a in fixes], [True])
            self.assertIn(words, fixes[0]["title"])
            self.assertEqual([d["code"] for d in fixes[0]["diagnostics"]], ["BW101"])
            text = applied(text, fixes[0]["edit"]["changes"][uri]) if line == 4 else text
        self.assertIn("tile[threadIdx.y][threadIdx.x ^ threadIdx.y] = out", text)
        # No edit is offered if the text has changed since the report. This text already contains the edits, so a new
        # report has no cost to reduce.
        c.change("other.cu", text)
        kinds = [a["kind"] for a in c.at("other.cu", "codeAction", range=span(4), context={"diagnostics": []})]
        self.assertEqual(kinds, [])
        (self.folder / "other.cu").write_text(text)
        c.tell("textDocument/didSave", {"textDocument": {"uri": uri}})
        c.until_runs_end()
        self.assertEqual([d["range"]["start"]["line"] for d in self.of(c, "other.cu")], [8, 10])
        hints = c.at("other.cu", "inlayHint", range=span(0, 5))
        self.assertEqual([h["label"] for h in hints], ["1 wavefront", "1 wavefront"])

    def test_the_assertion_compiles_and_holds(self):
        c = self.client()
        c.until_runs_end()
        c.open("transpose.cu")
        asserts = c.at("transpose.cu", "codeAction", range=span(LOAD), context={"diagnostics": []})[-1]
        text = applied(self.text, asserts["edit"]["changes"][uri_of(self.folder / "transpose.cu")])
        self.assertIn('#include "check.cuh"\n#include <bankwise/bankwise.hpp>\n', text)
        c.change("transpose.cu", text)
        second = c.at("transpose.cu", "codeAction", range=span(STORE + 1), context={"diagnostics": []})[-1]
        text = applied(text, second["edit"]["changes"][uri_of(self.folder / "transpose.cu")])
        self.assertEqual(text.count("#include <bankwise/bankwise.hpp>"), 1)
        self.assertIn("namespace transpose_plain_access_2 {", text)
        host = self.folder / "asserted.cpp"
        code = text[text.index("namespace transpose_plain_access {"):]
        host.write_text("#include <bankwise/bankwise.hpp>\n" + code)
        compiler = shutil.which("c++")
        if compiler is None:
            self.skipTest("c++ is not installed")
        compiled = lambda: subprocess.run([compiler, "-std=c++17", "-fsyntax-only", "-I", str(SOURCE / "include"), str(host)],
                                          capture_output=True, text=True)
        self.assertEqual(compiled().returncode, 0, compiled().stderr)
        host.write_text(host.read_text().replace("(shared_access, 32)", "(shared_access, 31)"))
        self.assertIn("bank_conflict<32, 31>", compiled().stderr)


class SeveralRuns(Folder):
    def test_a_line_has_the_sums_of_all_runs_and_its_edit_once(self):
        one = f'[[run]]\nname = "NAME"\ncommand = {json.dumps("transpose.cubin" + RUN_WORDS)}\ninputs = ["*.cu"]\n'
        self.write(one.replace("NAME", "large") + one.replace("NAME", "small").replace("--grid 8,8", "--grid 2,2"))
        c = self.client()
        c.until_runs_end()
        c.open("transpose.cu")
        hints = c.at("transpose.cu", "inlayHint", range=span(0, 100))
        self.assertEqual([h["label"] for h in hints], ["1 wavefront", "32 wavefronts, 1 reachable"])
        said = c.at("transpose.cu", "hover", position={"line": LOAD, "character": 5})["contents"]["value"]
        self.assertIn("69,632 wavefronts for 2,176 executions; 2,176 reachable, 67,456 removable", said)
        self.assertIn("the worst of 8 accesses on this line", said)
        self.assertEqual(c.at("transpose.cu", "codeLens")[0]["command"]["title"], "explain tile: 67,456 removable wavefronts")
        actions = c.at("transpose.cu", "codeAction", range=span(LOAD), context={"diagnostics": self.of(c)})
        self.assertEqual([a["kind"] for a in actions], ["quickfix", "refactor"])
        # One of the two runs is removed. The counts of the other run stay.
        self.write(one.replace("NAME", "small").replace("--grid 8,8", "--grid 2,2"))
        c.tell("textDocument/didSave", {"textDocument": {"uri": uri_of(self.folder / "bankwise.toml")}})
        c.until_runs_end()
        said = c.at("transpose.cu", "hover", position={"line": LOAD, "character": 5})["contents"]["value"]
        self.assertIn("4,096 wavefronts for 128 executions", said)


class Protocol(Folder):
    def test_order_is_kept_and_errors_are_those_of_the_protocol(self):
        c = self.client(initialize=False)
        self.assertEqual(c.error("textDocument/hover", {})["code"], -32002)
        c.tell("textDocument/didOpen", {"textDocument": 7})
        c.ask("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
        self.assertEqual(c.error("initialize", {"capabilities": {}})["code"], -32600)
        c.tell("initialized", {})
        self.assertEqual(c.error("textDocument/rename", {})["code"], -32601)
        self.assertEqual(c.error("$/unknown")["code"], -32601)
        c.tell("$/unknown", {"anything": [1]})
        for bad in ({}, {"textDocument": {"uri": 5}}, {"textDocument": {"uri": "file:///x"}, "position": {"line": -1, "character": 0}},
                    {"textDocument": {"uri": "file:///x"}, "position": {"line": 2**31, "character": 0}},
                    {"textDocument": {"uri": "file:///x"}, "position": {"line": 0.5, "character": 0}}, [1, 2], None):
            self.assertEqual(c.error("textDocument/hover", bad)["code"], -32602, bad)
        self.assertEqual(c.error("workspace/executeCommand", {"command": "rm"})["code"], -32602)
        self.assertEqual(c.error("workspace/executeCommand", {"command": "bankwise.explain", "arguments": [1, 2]})["code"], -32602)
        self.assertEqual(c.error("workspace/executeCommand", {"command": "bankwise.run"})["code"], -32600)
        for other in ("untitled:one", "file:///nowhere/at/all.cu", "file://%zz", "http://x/y", ""):
            self.assertIsNone(c.ask("textDocument/hover", {"textDocument": {"uri": other}, "position": {"line": 0, "character": 0}}))
        self.assertIsNone(c.ask("shutdown"))
        self.assertEqual(c.error("textDocument/hover", {})["code"], -32600)
        c.tell("exit")
        self.assertEqual(c.process.wait(60), 0)

    def test_what_is_no_message_is_answered(self):
        c = self.client()
        for text, code in ((b"{", -32700), (b"\xff", -32700), (b"[" * 100000, -32700), (b'{"jsonrpc":"2.0","id":1,"method":"x\xff"}', -32700),
                           (b"[]", -32600), (b"7", -32600), (b"{}", -32600), (b'{"jsonrpc":"1.0","id":1,"method":"x"}', -32600),
                           (b'{"jsonrpc":"2.0","id":{},"method":"x"}', -32600), (b'{"jsonrpc":"2.0","id":1,"method":7}', -32600),
                           (b'{"jsonrpc":"2.0","id":1,"method":"x","params":7}', -32600), (b"", -32700)):
            c.send(text)
            while True:
                m = c.hear()
                if "method" not in m:
                    break
            self.assertEqual(m["error"]["code"], code, text)
        c.send_raw(b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\ncontent-length: 2\r\n\r\n{}")
        c.send({"id": "one", "method": "shutdown"})
        self.assertIsNone(c.answer("one")["result"])

    def test_a_message_of_any_size_is_passed_over(self):
        c = self.client()
        n = 1 << 27
        c.send_raw(b"Content-Length: %d\r\n\r\n" % n)
        for _ in range(128):
            c.send_raw(b" " * (n // 128))
        self.assertEqual(c.answer(None)["error"]["code"], -32600)
        self.assertEqual(c.end(), 0)

    def test_behind_a_broken_header_it_ends(self):
        for header in (b"Content-Length: -1\r\n\r\n", b"Content-Length: 99999999999999999999999\r\n\r\n", b"hello\r\n\r\n", b"A" * 10000,
                       b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", b"\r\n\r\n"):
            c = self.client()
            c.send_raw(header)
            self.assertEqual(c.answer(None)["error"]["code"], -32700, header)
            self.assertEqual(c.process.wait(60), 1, header)

    def test_a_request_that_was_taken_back_is_cancelled(self):
        c = self.client()
        c.until_runs_end()
        # All messages are written together. So request 101 is still waiting when the client cancels it.
        def framed(m):
            text = json.dumps({"jsonrpc": "2.0", **m}).encode()
            return b"Content-Length: %d\r\n\r\n" % len(text) + text
        lens = {"method": "textDocument/codeLens", "params": {"textDocument": {"uri": uri_of(self.folder / "transpose.cu")}}}
        c.send_raw(b"".join([framed({"id": 100, **lens}), framed({"id": 101, **lens}),
                             framed({"method": "$/cancelRequest", "params": {"id": 101}}),
                             framed({"method": "$/cancelRequest", "params": {"id": "none"}})]))
        self.assertEqual(len(c.answer(100)["result"]), 4)
        self.assertEqual(c.answer(101)["error"]["code"], -32800)

    def test_without_a_shutdown_it_ends_with_1(self):
        c = self.client()
        c.tell("exit")
        self.assertEqual(c.process.wait(60), 1)
        c = self.client()
        c.process.stdin.close()
        self.assertEqual(c.process.wait(60), 1)

    def test_what_runs_reads_nothing_of_the_client_and_writes_nothing_to_it(self):
        program = self.folder / "noisy"
        program.write_text("#!/bin/sh\ncat\necho 'Content-Length: 3'\n")
        program.chmod(0o755)
        self.write('[[run]]\nname = "noisy"\ncommand = "-- ./noisy"\n')
        c = self.client()
        c.until_runs_end()
        self.assertIn("Content-Length: 3", self.of(c, "bankwise.toml")[0]["message"])
        self.assertEqual(c.end(), 0)

    def test_a_terminal_and_words_are_refused(self):
        said = subprocess.run([PROGRAM, "lsp", "a.cu"], stdin=subprocess.DEVNULL, capture_output=True, text=True)
        self.assertEqual(said.returncode, 2)
        self.assertIn("takes no files", said.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
