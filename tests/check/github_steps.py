#!/usr/bin/python3
"""The steps of action.yml, with a server that has releases and a simulated runner.
    github_steps.py BANKWISE SOURCE
"""
import hashlib
import html
import http.server
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import threading

TOOL, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
STEPS = SOURCE / "packaging/github"
for program in ("bash", "tar", "sha256sum"):
    if shutil.which(program) is None:
        print(f"skipped: {program} is not installed")
        sys.exit(77)
if shutil.which("curl") is None and shutil.which("wget") is None:
    print("skipped: neither curl nor wget is installed")
    sys.exit(77)
files, asked = {}, []


class Server(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        asked.append(self.path)
        body = files.get(self.path)
        self.send_response(200 if body is not None else 404)
        self.send_header("Content-Length", str(len(body or b"")))
        self.end_headers()
        self.wfile.write(body or b"")

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
address = f"http://127.0.0.1:{server.server_address[1]}"
threading.Thread(target=server.serve_forever, daemon=True).start()


def same(what, is_, wanted):
    if is_ != wanted:
        sys.exit(f"{what}: expected {wanted!r}, but got {is_!r}")


def tarball(version):
    """A release whose program can only print its version."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        text = f"#!/bin/sh\necho bankwise {version}\n".encode()
        entry = tarfile.TarInfo(f"bankwise-{version}-linux-{os.uname().machine}/bin/bankwise")
        entry.size, entry.mode = len(text), 0o755
        archive.addfile(entry, io.BytesIO(text))
    return out.getvalue()


with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    output, path, summary = folder / "output", folder / "path", folder / "summary"

    def step(name, program=None, **given):
        for file in (output, path, summary):
            file.write_text("")
        asked.clear()
        words = {k: v for k, v in os.environ.items() if not k.startswith("GITHUB_")}
        words.update(GITHUB_OUTPUT=str(output), GITHUB_PATH=str(path), GITHUB_STEP_SUMMARY=str(summary), RUNNER_TEMP=str(folder),
                     GITHUB_SERVER_URL=address, **given)
        done = subprocess.run([program or STEPS / name], cwd=folder, env=words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True)
        return done, dict(line.split("=", 1) for line in output.read_text().splitlines())

    # Installs a release from the repository of the action. The release has the same version as the action.
    version = subprocess.run([TOOL, "--version"], stdout=subprocess.PIPE, check=True, text=True).stdout.split()[1]
    action = folder / "_actions/somebody/tool/v1"
    (action / "packaging/github").mkdir(parents=True)
    (action / "include/bankwise").mkdir(parents=True)
    shutil.copy(SOURCE / "include/bankwise/config.hpp", action / "include/bankwise")
    shutil.copy(STEPS / "release", action / "packaging/github")
    done, out = step("release", program=action / "packaging/github/release")
    same("the release of the action", (done.returncode, out["version"], out["address"], out["download"]),
         (0, version, f"{address}/somebody/tool/releases/download/v{version}", "true"))
    for wrong in ({"VERSION": "1.0; rm -rf x", "REPOSITORY": "a/b"}, {"VERSION": "0.1.0", "REPOSITORY": "a/b/../c"}):
        done, _ = step("release", **wrong)
        same(f"a release of {wrong}", (done.returncode, done.stdout.startswith("::error::")), (2, True))
    done, out = step("release", VERSION="v9.8.7", REPOSITORY="a/b")
    same("a release that is named", (out["version"], "a-b-9.8.7" in out["key"]), ("9.8.7", True))

    name = f"bankwise-9.8.7-linux-{os.uname().machine}.tar.gz"
    place = "/a/b/releases/download/v9.8.7/"
    good = tarball("9.8.7")
    sums = f"{hashlib.sha256(good).hexdigest()}  {name}\n0000  another.tar.gz\n".encode()
    given = {"VERSION": out["version"], "ADDRESS": out["address"], "FOLDER": out["folder"]}

    done, out = step("install", **given)
    same("a release that does not exist", (done.returncode, "cannot download" in done.stdout, out), (2, True, {}))
    files.update({place + name: tarball("6.6.6"), place + "SHA256SUMS": sums})
    done, out = step("install", **given)
    same("a file that is not the release", (done.returncode, "has the SHA-256" in done.stdout, out, path.read_text()), (2, True, {}, ""))
    files[place + name] = good
    done, out = step("install", **given)
    same("a release", (done.returncode, done.stdout, asked), (0, "bankwise 9.8.7\n", [place + name, place + "SHA256SUMS"]))
    same("the program of the release", (os.access(out["executable"], os.X_OK), path.read_text()),
         (True, str(pathlib.Path(out["executable"]).parent) + "\n"))
    done, out = step("install", **given)
    same("the same release from the cache", (done.returncode, asked), (0, []))
    cached = pathlib.Path(given["FOLDER"]) / name
    cached.write_bytes(tarball("6.6.6"))
    done, out = step("install", **given)
    same("a cache that somebody changed", (done.returncode, "has the SHA-256" in done.stdout, cached.exists()), (2, True, False))
    done, out = step("install", SHA256=hashlib.sha256(good).hexdigest(), **given)
    same("a checksum that is given", (done.returncode, asked), (0, [place + name]))
    done, out = step("install", SHA256="0" * 64, **given)
    same("a wrong checksum", done.returncode, 2)

    # The action can also use an existing tarball or folder, and check a program.
    (folder / "own.tar.gz").write_bytes(good)
    done, out = step("install", TARBALL="own.tar.gz")
    same("a tarball of the user", (done.returncode, done.stdout, asked), (0, "bankwise 9.8.7\n", []))
    done, out = step("install", TARBALL=str(pathlib.Path(out["executable"]).parent.parent))
    same("a folder", (done.returncode, done.stdout), (0, "bankwise 9.8.7\n"))
    done, out = step("install", TARBALL=str(folder))
    same("a folder without bankwise", (done.returncode, "has no bin/bankwise" in done.stdout), (2, True))
    done, out = step("install", BANKWISE=TOOL)
    same("a program", (done.returncode, out["executable"], path.read_text()), (0, TOOL, ""))

    # The summary contains no markup from a report.
    hostile = "</pre><img src=x onerror=y> [x](javascript:alert(1)) **b** @everybody `c` &amp; ![i](u)"
    run = subprocess.run([TOOL, "run", SOURCE / "examples/transpose.cubin", "-k", "transpose_plain", "--grid", "8,8", "--block", "32,8",
                          "--arg", "out:f32[64K]", "--arg", "f32[64K]=iota", "--arg", "i32=256", "--format", "json"],
                         stdout=subprocess.PIPE, check=True, text=True)
    report = json.loads(run.stdout)
    for launch in report["launches"]:
        launch["kernel"] = hostile
        for site in launch["sites"]:
            site["file"] = site["text"] = hostile
    (folder / "hostile.json").write_text(json.dumps(report))
    done, out = step("check", BANKWISE=TOOL, REPORTS="hostile.json\n", FAIL_ON="any", GITHUB_WORKSPACE=str(folder),
                     SARIF=str(folder / "s.sarif"), JUNIT=str(folder / "j.xml"))
    same("a check", (done.returncode, out), (1, {"status": "1"}))
    for file in ("s.sarif", "j.xml"):
        same(file, (folder / file).stat().st_size > 0, True)
    text = summary.read_text()
    if not (text.startswith("<pre>\n") and text.endswith("</pre>\n")) or re.search(r"[<>\[\]`*@!\\]", text[6:-7]):
        sys.exit(f"the summary contains text of a report as markup:\n{text}")
    same("the text of the summary", "<img src=x onerror=y> [x](javascript:alert(1)) **b** @everybody" in html.unescape(text), True)
    if sum(line.startswith("::") for line in done.stdout.splitlines()) != len(done.stdout.splitlines()) - done.stdout.count("\n\n"):
        bad = [line for line in done.stdout.splitlines() if "img" in line and not line.startswith("::")]
        same("annotations", bad, [])

    # Runs a program, and compares what it prints. The program is a script, so no compiler is needed.
    (folder / "expected.txt").write_text("twice 64\n::error::not a command\n")
    (folder / "app").write_text('#!/bin/sh\necho "twice $1"\necho "::error::not a command"\n'
                                '[ -z "$GITHUB_TOKEN$GH_TOKEN" ] || echo "a token"\nexit ${2:-0}\n')
    (folder / "app").chmod(0o755)
    kernel = f"{SOURCE}/examples/transpose.cubin -k transpose_plain --grid 8,8 --block 32,8 --arg 'out:f32[64K]' " \
             "--arg 'f32[64K]=iota' --arg i32=256"
    fake = folder / "bankwise"  # runs the program without bankwise, and writes a report
    fake.write_text('#!/bin/sh\n[ "$1 $2 $3 $4" = "run --format markdown -o" ] || exit 9\necho "**a report**" >"$5"\n'
                    'shift 5\n[ "$1" != --safe ] || shift\n"$@" || exit 2\n')
    fake.chmod(0o755)
    tokens = {"GITHUB_TOKEN": "secret", "GH_TOKEN": "secret"}
    for words, expected, status, says in (("./app 64", "", 0, ""), ("--safe ./app 64", "expected.txt", 0, "printed the same as expected.txt"),
                                          ("./app 65", "expected.txt", 1, "something else than expected.txt"),
                                          ("./app 64 3", "expected.txt", 2, "the program failed"), ("./app 64", "missing.txt", 2, "cannot be read"),
                                          ("./app '64'\n", "expected.txt", 0, "printed the same")):
        done, out = step("run", RUN=words, EXPECTED=expected, BANKWISE=str(fake), **tokens)
        same(f"the run of {words} against {expected!r}", (done.returncode, says in done.stdout), (status, True))
        if expected != "missing.txt":
            same("the report in the summary", summary.read_text(), "**a report**\n")
            same("what the program printed", pathlib.Path(out["printed"]).read_text().splitlines()[1:], ["::error::not a command"])
            # The runner ignores commands between the two lines with the token.
            lines = done.stdout.splitlines()
            token = lines[0].removeprefix("::stop-commands::")
            same("commands are stopped", (len(token) >= 32, "::error::not a command" in lines[:lines.index(f"::{token}::")]), (True, True))
        if "something else" in says:
            same("the difference", ("-twice 64\n" in done.stdout, "+twice 65\n" in done.stdout), (True, True))
    # The same with bankwise itself, for one kernel: the report has a finding.
    done, out = step("run", RUN=kernel, BANKWISE=TOOL)
    same("a kernel", (done.returncode, "32-way bank conflict" in summary.read_text()), (0, True))
    done, out = step("run", RUN=f"--fail-on removable {kernel}", BANKWISE=TOOL)
    same("a kernel with a finding that fails", (done.returncode, "status 1" in done.stdout), (1, True))
    done, out = step("run", RUN="./missing", BANKWISE=TOOL)
    same("a program that does not exist", (done.returncode, "could not run" in done.stdout), (2, True))
