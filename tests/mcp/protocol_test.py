"""The server of the Model Context Protocol, over pipes: its handshake, its tools, results that do not fit, errors, cancelled calls,
and a loop of five calls that a language model would make.
    protocol_test.py BANKWISE
"""
import json
import os
import queue
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

BANKWISE = os.path.abspath(sys.argv.pop(1))
NVCC = shutil.which("nvcc") or os.path.join(os.environ.get("CUDA_HOME", "/usr/local/cuda"), "bin/nvcc")
PATIENCE = float(os.environ.get("PATIENCE", 120))
MOST_BYTES = 6500  # of a result: less than 2,000 tokens

SOURCE = """#include <cstdio>
__global__ void k(float* out, const float* in) {
  __shared__ float tile[32][32];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
int main(int argc, char** argv) {
  float *a, *b;
  cudaMalloc(&a, 4096);
  cudaMalloc(&b, 4096);
  cudaMemset(a, 0, 4096);
  k<<<1, dim3(32, 32)>>>(b, a);
  float first = 1;
  cudaMemcpy(&first, b, 4, cudaMemcpyDeviceToHost);
  std::printf("first %g\\n", first);
  if (argc > 1) {
    FILE* f = std::fopen(argv[1], "w");
    std::printf("file %s\\n", f ? "written" : "refused");
  }
  return cudaDeviceSynchronize();
}
"""

# Starts a process that leaves its session and group, and that ignores requests to end.
DAEMON = """#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>
int main(int argc, char**) {
  std::signal(SIGTERM, SIG_IGN);
  if (fork() == 0) {
    setsid();
    if (FILE* f = std::fopen("pid", "w")) {
      std::fprintf(f, "%d", getpid());
      std::fclose(f);
      std::rename("pid", "daemon");
    }
    for (;;) sleep(1);
  }
  while (access("daemon", F_OK) != 0) usleep(1000);
  while (argc > 1) sleep(1);
}
"""


class Client:
    def __init__(self, root):
        self.process = subprocess.Popen([BANKWISE, "mcp", "--root", root], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, cwd="/", text=True)
        self.heard = queue.Queue()
        self.notes = []
        self.next_id = 0
        threading.Thread(target=self._listen, daemon=True).start()
        self.about = self.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {},
                                             "clientInfo": {"name": "test", "version": "1"}})["result"]
        self.send({"method": "notifications/initialized"})

    def _listen(self):
        for line in self.process.stdout:
            self.heard.put(line)
        self.heard.put(None)

    def send_line(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def send(self, message):
        self.send_line(json.dumps({"jsonrpc": "2.0", **message}))

    def receive(self):
        line = self.heard.get(timeout=PATIENCE)
        if line is None:
            raise EOFError(self.process.stderr.read())
        return json.loads(line)

    def start(self, method, params):
        self.next_id += 1
        self.send({"id": self.next_id, "method": method, "params": params})
        return self.next_id

    def answer(self, number):
        while True:
            m = self.receive()
            if m.get("id") == number:
                return m
            self.notes.append(m)

    def ask(self, method, params):
        return self.answer(self.start(method, params))

    def call(self, tool, **arguments):
        result = self.ask("tools/call", {"name": tool, "arguments": arguments})["result"]
        text = result["content"][0]["text"]
        assert len(text) <= MOST_BYTES, (tool, len(text))
        assert json.loads(text) == result["structuredContent"]
        return result

    def value(self, tool, **arguments):
        result = self.call(tool, **arguments)
        assert not result.get("isError"), result
        return result["structuredContent"]

    def error(self, tool, **arguments):
        result = self.call(tool, **arguments)
        assert result["isError"], result
        return result["structuredContent"]["error"]

    def close(self):
        self.process.stdin.close()
        status = self.process.wait(PATIENCE)
        self.process.stdout.close()
        self.process.stderr.close()
        return status


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = os.path.join(self.folder.name, "project")
        os.mkdir(self.root)
        with open(os.path.join(self.root, "app.cu"), "w") as f:
            f.write(SOURCE)
        self.client = Client(self.root)

    def tearDown(self):
        self.assertEqual(self.client.close(), 0)
        self.folder.cleanup()


class Server(Case):
    def test_handshake(self):
        about = self.client.about
        self.assertEqual(about["protocolVersion"], "2025-06-18")
        self.assertEqual(about["serverInfo"]["name"], "bankwise")
        self.assertIn("tools", about["capabilities"])
        self.assertEqual(self.client.ask("ping", {})["result"], {})
        self.assertEqual(self.client.ask("initialize", {"protocolVersion": "1999-01-01"})["result"]["protocolVersion"], "2025-11-25")

    def test_tools_have_schemas(self):
        tools = self.client.ask("tools/list", {})["result"]["tools"]
        self.assertLessEqual({"explain", "run", "fix", "tune", "diff", "check", "arch", "more"}, {t["name"] for t in tools})
        for t in tools:
            schema = t["inputSchema"]
            self.assertEqual(schema["type"], "object")
            self.assertLessEqual(set(schema.get("required", [])), set(schema["properties"]))
            self.assertTrue(t["description"] and all(p["description"] for p in schema["properties"].values()), t["name"])

    def test_one_access(self):
        found = self.client.value("explain", access="tile[t][0]", array=["float tile[32][32]"])
        self.assertEqual((found["wavefronts"], found["reachable"]), (32, 1))

    def test_wrong_calls(self):
        no = self.client.ask("tools/call", {"name": "nothing", "arguments": {}})
        self.assertEqual(no["error"]["code"], -32602)
        self.assertIn("explain", no["error"]["message"])
        long = "x" * 100000
        self.assertLess(len(self.client.ask("tools/call", {"name": long})["error"]["message"]), 500)
        self.assertLess(len(self.client.ask(long, {})["error"]["message"]), 500)
        for wrong in ({long: 1}, {"access": long}):
            self.assertTrue(self.client.error("explain", **wrong)["message"])
        self.assertTrue(self.client.error("more", handle=long, at=long)["message"])
        self.assertIn("needs the argument access", self.client.error("explain")["message"])
        self.assertIn("has no argument colour", self.client.error("explain", access="t", colour="red")["message"])
        self.assertIn("must be a text", self.client.error("explain", access=3)["message"])
        self.assertIn("there is no report r9", self.client.error("diff", before="r9", after="r9")["message"])
        self.assertIn("there is no result r9", self.client.error("more", handle="r9")["message"])
        place = self.client.error("explain", access="tile[u][0]", array=["float tile[32][32]"])
        self.assertIn("unknown name 'u'", place["message"])
        self.assertEqual(place["column"], 6)
        self.assertIn("No such file", self.client.error("run", file="nothing.cu")["message"])
        # An argument is never a flag.
        self.assertTrue(self.client.error("run", file="--help")["message"])

    def test_messages_that_are_not_messages(self):
        for line in ("{", "[]", "3", '{"jsonrpc": "1.0", "id": 1, "method": "ping"}', "[" * 1000, '{"jsonrpc": "2.0", "id": {}, "method": 3}'):
            self.client.send_line(line)
            answer = self.client.receive()
            self.assertIn("error", answer, line)
            self.assertEqual(answer.get("id"), 1 if "1.0" in line else None)
            self.assertEqual("id" in answer, "1.0" in line, "an error without an id has no member id")
        self.assertEqual(self.client.ask("resources/list", {})["error"]["code"], -32601)
        self.client.send({"method": "notifications/nothing"})
        self.assertEqual(self.client.ask("ping", {})["result"], {})

    def test_blank_lines_are_not_messages(self):
        self.client.send_line("\n" * 300000 + " ")
        self.assertEqual(self.client.ask("ping", {})["result"], {})


    def test_a_client_that_does_not_read(self):
        ask = b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}\n'
        for asked in (40, 20000):  # more than a pipe holds, and more than the server keeps
            with subprocess.Popen([BANKWISE, "mcp", "--root", self.root], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL) as server:
                os.set_blocking(server.stdin.fileno(), False)
                left = memoryview(ask * asked)
                try:
                    while left:
                        left = left[os.write(server.stdin.fileno(), left):]
                        time.sleep(0.002)
                except BlockingIOError:
                    pass
                time.sleep(0.5)
                self.assertIsNone(server.poll())
                if asked == 40:
                    self.assertEqual(len(left), 0)
                    for _ in range(10):
                        self.assertIn("tools", json.loads(server.stdout.readline())["result"])
                server.send_signal(signal.SIGTERM)
                self.assertEqual(server.wait(20), 128 + signal.SIGTERM)


@unittest.skipUnless(os.path.exists(NVCC), "nvcc is not installed")
class Loop(Case):
    def setUp(self):
        os.environ["PATH"] += os.pathsep + os.path.dirname(NVCC)
        super().setUp()

    def test_run_edit_run_diff(self):
        before = self.client.value("run", file="app.cu")
        self.assertEqual((before["exit"], before["output"]), (0, "first 0\n"))
        first = before["report"]["findings"][0]
        self.assertEqual((first["id"], first["place"]), ("BW101", "app.cu:6"))
        self.assertIn("tile[32][32 + 1]", first["remedy_code"])
        path = os.path.join(self.root, "app.cu")
        with open(path, "w") as f:
            f.write(SOURCE.replace("tile[32][32]", "tile[32][32 + 1]"))
        after = self.client.value("run", file="app.cu")
        self.assertEqual(after["report"]["findings"], [])
        change = self.client.value("diff", before=before["handle"], after=after["handle"])
        self.assertEqual((change["kernels"][0]["a"]["wavefronts"], change["kernels"][0]["b"]["wavefronts"]), (1056, 64))
        whole = self.client.value("more", handle=before["handle"], at="/launches/0/grid")
        self.assertEqual(whole["value"], [1, 1, 1])

    def test_a_report_that_does_not_fit_has_places(self):
        run = self.client.value("run", file="app.cu")
        subprocess.run([BANKWISE, "run", "--format", "json", "--fix", "-o", "whole.json", "app.cu"], cwd=self.root, capture_output=True,
                       check=True)
        with open(os.path.join(self.root, "whole.json")) as f:
            whole = json.load(f)
        found = self.client.value("more", handle=run["handle"])
        self.assertEqual(list(found), list(whole))
        places = re.findall(r'"more": "([^"]*)"', json.dumps(found))
        self.assertTrue(places)
        for place in places:
            expected = whole
            for name in place.split("/")[1:]:
                expected = expected[int(name) if isinstance(expected, list) else name.replace("~1", "/").replace("~0", "~")]
            got, at = [], 0
            while isinstance(expected, list) and at < len(expected):
                items = self.client.value("more", handle=run["handle"], at=place, **({"from": at} if at else {}))["value"]
                last = items[-1] if isinstance(items[-1], dict) and "from" in items[-1] else None
                got += items[:-1] if last else items
                at = last["from"] if last else len(expected)
            if isinstance(expected, list):
                self.assertEqual(got, expected)

    def test_fix(self):
        patch = self.client.value("fix", file="app.cu", patch=True)["text"]
        self.assertIn("+  __shared__ float tile[32][32 + 1];", patch)
        self.client.value("fix", file="app.cu", apply=True)
        with open(os.path.join(self.root, "app.cu")) as f:
            self.assertIn("tile[32][32 + 1]", f.read())

    def test_a_long_patch_is_read_to_its_end(self):
        kernel = SOURCE[SOURCE.index("__global__"):SOURCE.index("int main")]
        launch = "  k<<<1, dim3(32, 32)>>>(b, a);\n"
        source = SOURCE.replace(kernel, "".join(kernel.replace("k(", f"k{i}(") for i in range(24)))
        source = source.replace(launch, "".join(launch.replace("k<", f"k{i}<") for i in range(24)))
        with open(os.path.join(self.root, "long.cu"), "w") as f:
            f.write(source)
        whole = subprocess.run([BANKWISE, "fix", "--patch", "long.cu"], cwd=self.root, capture_output=True, text=True, check=False).stdout
        self.assertGreater(len(whole), MOST_BYTES)
        part = self.client.value("fix", file="long.cu", patch=True)
        handle, got = part["handle"], ""
        text = part["text"]
        while place := re.search(r"\.\.\. \((\d+) of \d+ bytes; more: (/text) from \1\)$", text):
            got += text[:place.start()]
            text = self.client.value("more", handle=handle, at=place[2], **{"from": int(place[1])})["value"]
        self.assertEqual((got + text).strip(), whole.strip())

    def test_output_of_any_bytes_stays_small(self):
        with open(os.path.join(self.root, "noise.cu"), "w") as f:
            f.write(SOURCE.replace("return cudaDevice", "for (int i = 0; i < 100000; ++i) std::putchar(i % 256);\n  return 3 + cudaDevice"))
        answer = self.client.call("run", file="noise.cu")["structuredContent"]
        self.assertIn("exited with 3", answer["errors"])

    def test_tune(self):
        with open(os.path.join(self.root, "app.cu"), "w") as f:
            f.write(SOURCE.replace("tile[32][32]", "tile[32][32 + PAD]"))
        found = self.client.value("tune", file="app.cu", values=["PAD=0,1"])
        ranked = found["rankings"][0]["order"]
        self.assertEqual(found["configurations"][ranked[0]]["values"], {"PAD": "1"})

    def test_a_crash_keeps_the_server(self):
        with open(os.path.join(self.root, "bad.cu"), "w") as f:
            f.write("int main() { return *static_cast<volatile int*>(nullptr); }\n")
        answer = self.client.call("run", file="bad.cu")
        self.assertNotEqual(answer["structuredContent"]["exit"], 0)
        self.assertEqual(self.client.ask("ping", {})["result"], {})

    def test_a_cancelled_call(self):
        with open(os.path.join(self.root, "long.cu"), "w") as f:
            f.write("#include <unistd.h>\nint main() { for (;;) sleep(1); }\n")
        slow = self.client.start("tools/call", {"name": "run", "arguments": {"file": "long.cu"}, "_meta": {"progressToken": "p"}})
        waits = self.client.start("tools/call", {"name": "run", "arguments": {"file": "long.cu"}})
        while True:
            m = self.client.receive()
            if m.get("method") == "notifications/progress":
                break
        self.assertEqual(m["params"]["progressToken"], "p")
        self.client.send({"method": "notifications/cancelled", "params": {"requestId": waits}})
        self.client.send({"method": "notifications/cancelled", "params": {"requestId": slow}})
        self.assertEqual(self.client.value("explain", access="t * 4")["wavefronts"], 1)
        self.assertFalse([n for n in self.client.notes if n.get("id") in (slow, waits)])
        self.assertIn("took more than 1 s", self.client.error("run", file="long.cu", seconds=1)["message"])

    def daemon(self):
        path = os.path.join(self.root, "daemon")
        begun = time.monotonic()
        while not os.path.exists(path):
            self.assertLess(time.monotonic() - begun, PATIENCE)
            time.sleep(0.02)
        with open(path) as f:
            number = int(f.read())
        os.remove(path)
        return number

    def assert_ended(self, number):
        self.assertFalse(os.path.exists(f"/proc/{number}"), "a process of the program still runs")

    def test_a_call_leaves_no_processes(self):
        with open(os.path.join(self.root, "daemon.cu"), "w") as f:
            f.write(DAEMON)
        run = {"file": "daemon.cu"}
        self.client.value("run", **run)
        self.assert_ended(self.daemon())
        for end in ("signal", "end of input"):
            server = Client(self.root)
            server.start("tools/call", {"name": "run", "arguments": {**run, "arguments": ["stay"]}})
            server.start("tools/call", {"name": "explain", "arguments": {"access": "t"}})
            number = self.daemon()
            begun = time.monotonic()
            if end == "signal":
                server.process.send_signal(signal.SIGTERM)
                self.assertEqual(server.process.wait(PATIENCE), 128 + signal.SIGTERM)
            self.assertIn(server.close(), (0, 128 + signal.SIGTERM))
            self.assertLess(time.monotonic() - begun, 15)
            self.assert_ended(number)

    def test_nothing_is_written_outside_of_the_root(self):
        inside, outside = os.path.join(self.root, "inside"), os.path.join(self.folder.name, "outside")
        self.assertIn("file written", self.client.value("run", file="app.cu", arguments=[inside])["output"])
        if "Nothing can be written outside" not in self.client.about["instructions"]:
            self.skipTest("this Linux has no Landlock")
        self.assertIn("file refused", self.client.value("run", file="app.cu", arguments=[outside])["output"])
        self.assertFalse(os.path.exists(outside))
        self.assertEqual(sorted(os.listdir(self.root)), [".bankwise", "app.cu", "inside"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
