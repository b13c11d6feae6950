"""A client of the language server, over pipes: sends the messages of an editor, and reads the answers."""
import json
import os
import pathlib
import queue
import subprocess
import threading
import time
import urllib.parse

PATIENCE = float(os.environ.get("PATIENCE", 60))  # seconds, long enough for a busy machine


def uri_of(path):
    return "file://" + urllib.parse.quote(str(path))


class Client:
    def __init__(self, program, folder, options=None, capabilities=None, initialize=True):
        environment = {k: v for k, v in os.environ.items() if k not in ("FORCE_COLOR", "CLICOLOR_FORCE")}
        self.process = subprocess.Popen([program, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        env=environment, cwd="/")
        self.folder = pathlib.Path(folder)
        self.heard = queue.Queue()
        self.others = []        # notifications and requests from the server, in order
        self.diagnostics = {}   # the latest diagnostics, by URI
        self.next_id = 0
        threading.Thread(target=self._listen, daemon=True).start()
        if initialize:
            self.capabilities = self.ask("initialize", {
                "processId": os.getpid(), "rootUri": uri_of(folder),
                "initializationOptions": options or {}, "capabilities": capabilities if capabilities is not None else {
                    "textDocument": {"hover": {"contentFormat": ["markdown", "plaintext"]}},
                    "window": {"workDoneProgress": True}}})["capabilities"]
            self.tell("initialized", {})

    def _listen(self):
        out = self.process.stdout
        while True:
            length = None
            while True:
                line = out.readline()
                if not line:
                    self.heard.put(None)
                    return
                if line == b"\r\n":
                    break
                name, value = line.decode().split(":")
                if name == "Content-Length":
                    length = int(value)
            self.heard.put(json.loads(out.read(length)))

    def send_raw(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message):
        text = message if isinstance(message, bytes) else json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.send_raw(b"Content-Length: %d\r\n\r\n" % len(text) + text)

    def tell(self, method, params=None):
        self.send({"method": method, "params": params} if params is not None else {"method": method})

    def hear(self, seconds=PATIENCE):
        """The next message; None at the end. Messages that are not answers are recorded."""
        m = self.heard.get(timeout=seconds)
        if m is None or "method" not in m:
            return m
        self.others.append(m)
        if m["method"] == "textDocument/publishDiagnostics":
            self.diagnostics[m["params"]["uri"]] = m["params"]["diagnostics"]
        if "id" in m:
            try:
                self.send({"id": m["id"], "result": None})
            except BrokenPipeError:
                pass  # the server has already ended
        return m

    def answer(self, wanted):
        """The complete answer to a request, by its id."""
        while True:
            m = self.hear()
            assert m is not None, "the server ended before it answered"
            if "method" not in m and m["id"] == wanted:
                return m

    def start(self, method, params=None):
        self.next_id += 1
        self.send({"id": self.next_id, "method": method, **({"params": params} if params is not None else {})})
        return self.next_id

    def ask(self, method, params=None):
        m = self.answer(self.start(method, params))
        assert "error" not in m, m
        return m["result"]

    def error(self, method, params=None):
        m = self.answer(self.start(method, params))
        assert "result" not in m, m
        return m["error"]

    def until(self, holds):
        """Reads messages until a condition holds."""
        end = time.monotonic() + PATIENCE
        while not holds():
            left = end - time.monotonic()
            assert left > 0, f"no answer in time; received {self.others}"
            assert self.hear(left) is not None, "the server ended before it answered"

    def until_runs_end(self):
        """Waits until the reports in progress are complete. Drops earlier messages."""
        self.until(lambda: any(m["method"] == "$/progress" and m["params"]["value"]["kind"] == "end" for m in self.others))
        self.others.clear()

    def open(self, name, text=None):
        path = self.folder / name
        self.tell("textDocument/didOpen", {"textDocument": {
            "uri": uri_of(path), "languageId": "cuda-cpp", "version": 1,
            "text": path.read_text() if text is None else text}})

    def change(self, name, text, version=2):
        self.tell("textDocument/didChange", {"textDocument": {"uri": uri_of(self.folder / name), "version": version},
                                             "contentChanges": [{"text": text}]})

    def at(self, name, method, **more):
        return self.ask("textDocument/" + method, {"textDocument": {"uri": uri_of(self.folder / name)}, **more})

    def close(self):
        """Can be called in every state of the client."""
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            try:
                stream.close()
            except BrokenPipeError:
                pass

    def end(self):
        self.ask("shutdown")
        self.tell("exit")
        return self.process.wait(PATIENCE)


def span(line, to=None):
    return {"start": {"line": line, "character": 0}, "end": {"line": line if to is None else to, "character": 0}}


def applied(text, edits):
    """The text after the edits of an answer. Columns count UTF-16 units."""
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)

    def offset(p):
        line = lines[p["line"]] if p["line"] < len(lines) else ""
        units = line.encode("utf-16-le")[: 2 * p["character"]]
        return min(starts[min(p["line"], len(lines))] + len(units.decode("utf-16-le")), len(text))

    for e in sorted(edits, key=lambda e: offset(e["range"]["start"]), reverse=True):
        text = text[: offset(e["range"]["start"])] + e["newText"] + text[offset(e["range"]["end"]):]
    return text
