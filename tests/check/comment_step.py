#!/usr/bin/python3
"""The steps that compare a pull request with its base and comment on it, with a simulated event and GitHub. The first
step runs the code of the pull request and has no token, the second has a token.
    comment_step.py BANKWISE SOURCE
"""
import http.server
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading

if shutil.which("git") is None:
    print("skipped: git is not installed")
    sys.exit(77)
TOOL, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
asked, comments, pulls = [], [], []


class GitHub(http.server.BaseHTTPRequestHandler):
    def answer(self, value):
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def take(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["body"]
        asked.append((self.command, self.path, self.headers["Authorization"], body))
        return body

    def do_GET(self):
        first = self.path.endswith("page=1")
        asked.append((self.command, self.path, self.headers["Authorization"], None))
        if "/pulls?" in self.path:
            self.answer(pulls)
            return
        self.answer([{"url": f"{address}/comment/{i}", "body": c} for i, c in enumerate(comments)] if first else [])

    def do_POST(self):
        comments.append(self.take())
        self.answer({"html_url": "there"})

    def do_PATCH(self):
        comments[int(self.path.rsplit("/", 1)[1])] = self.take()
        self.answer({"html_url": "there again"})

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), GitHub)
address = f"http://127.0.0.1:{server.server_address[1]}"
threading.Thread(target=server.serve_forever, daemon=True).start()


def same(what, is_, wanted):
    if is_ != wanted:
        sys.exit(f"{what}: expected {wanted!r}, but got {is_!r}")


with tempfile.TemporaryDirectory() as folder:
    tree = pathlib.Path(folder) / "project"
    tree.mkdir()

    def git(*words):
        return subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *words], cwd=tree, check=True,
                              stdout=subprocess.PIPE, text=True).stdout.strip()

    def commit(blocks, kernel="transpose_plain"):
        (tree / "bankwise.toml").write_text(
            f'[[run]]\nname = "transpose"\ncommand = "$BUILT/transpose.cubin -k {kernel} --grid 8,{blocks} --block 32,8 '
            "--arg 'out:f32[64K]' --arg 'f32[64K]=iota' --arg i32=256\"\n"
            f'[[run]]\nname = "second"\ncommand = "$BUILT/transpose.cubin -k transpose_padded --grid 8,{blocks} --block 32,8 '
            "--arg 'out:f32[64K]' --arg 'f32[64K]=iota' --arg i32=256\"\n")
        git("add", "-A")
        git("commit", "-q", "--allow-empty", "-m", "change")
        return git("rev-parse", "HEAD")

    compared = pathlib.Path(folder) / "compared"

    def environment(base, event, **more):
        event_file = pathlib.Path(folder) / "event.json"
        event_file.write_text(json.dumps(event or {"pull_request": {"number": 7, "base": {"sha": base}}}))
        return {**os.environ, "GITHUB_EVENT_PATH": str(event_file), "GITHUB_WORKSPACE": str(tree), "GITHUB_API_URL": address,
                "GITHUB_REPOSITORY": "somebody/project", "GITHUB_TOKEN": "secret", "BANKWISE": TOOL, "COMPARED": str(compared),
                "BUILT": str(SOURCE / "examples"), "GITHUB_STEP_SUMMARY": str(pathlib.Path(folder) / "summary"), **more}

    def run_step(name, words):
        return subprocess.run([SOURCE / "packaging/github" / name], cwd=tree, env=words, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)

    def compare(base, event=None, **more):
        shutil.rmtree(compared, ignore_errors=True)
        return run_step("compare", environment(base, event, **more))

    def comment(base, event=None, **more):
        asked.clear()
        # The second job does not check out the pull request's tree. Building this tree would execute code of the pull
        # request.
        return run_step("comment/comment", environment(base, event, BUILD=f"touch {folder}/built", **more))

    def step(base, event=None, **more):
        done = compare(base, event, **more)
        return comment(base, event, **more) if done.returncode == 0 else done

    git("init", "-q")
    base = commit(4)
    commit(8)
    comments.append("looks good to me")
    done = step(base)
    same("the step", (done.returncode, done.stdout), (0, "there\n"))
    method, path, token, body = asked[-1]
    same("the comment", (method, path, token), ("POST", "/repos/somebody/project/issues/7/comments", "Bearer secret"))
    for wanted in ("<!-- bankwise", "+31,744 removable wavefronts", "| worse | `transpose.cu:18` | `ld.b32` | 32,768 | 65,536 | 31,744 | 63,488 |",
                   "32 wavefronts: a 32-way bank conflict on bank 7"):
        if wanted not in body:
            sys.exit(f"the comment does not contain {wanted!r}:\n{body}")
    same("the summary", body.split("\n", 1)[1], (pathlib.Path(folder) / "summary").read_text())
    same("the number of remaining work trees", git("worktree", "list").count("\n"), 0)

    # The next push changes this comment. It does not change other comments.
    commit(2)
    done = step(base)
    same("the second step", (done.returncode, done.stdout), (0, "there again\n"))
    same("comments", (len(comments), comments[0], "| better |" in comments[1]), (2, "looks good to me", True))

    # If nothing changed, the step makes no new comment, but it updates an existing comment.
    del comments[1:]
    done = step(git("rev-parse", "HEAD"))
    same("no change", (done.returncode, done.stdout, len(comments)), (0, "nothing changed, so there is no comment\n", 1))

    # The pull request adds the configuration. Its runs are also executed in the tree of the base branch. If the base
    # branch lacks the inputs of these runs, nothing is compared.
    (tree / "bankwise.toml").unlink()
    git("add", "-A")
    git("commit", "-q", "-m", "without")
    without = git("rev-parse", "HEAD")
    commit(8)
    done = step(without)
    same("the first configuration", (done.returncode, done.stdout), (0, "nothing changed, so there is no comment\n"))
    shutil.copy(SOURCE / "examples/transpose.cubin", tree / "own.cubin")
    text = (tree / "bankwise.toml").read_text().replace("$BUILT/transpose.cubin", "own.cubin")
    (tree / "bankwise.toml").write_text(text)
    git("add", "-A")
    git("commit", "-q", "-m", "own")
    done = compare(without)
    same("a first kernel", (done.returncode, done.stdout.endswith("nothing is compared\n"), compared.exists()), (0, True, False))
    done = comment(without)
    same("no comment on a first kernel", (done.returncode, done.stdout, asked), (0, "nothing was compared, so there is nothing to comment on\n", []))
    same("the number of remaining work trees", git("worktree", "list").count("\n"), 0)

    done = step(base, event={"ref": "refs/heads/main"})
    same("a push", (done.returncode, asked), (0, []))
    done = step(base, BUILD="echo no such luck; exit 3")
    same("a build that fails", (done.returncode, done.stdout.startswith("::error::bash -c echo no such luck; exit 3")), (2, True))
    done = step(base, GITHUB_API_URL="http://127.0.0.1:1")
    same("GitHub does not answer", (done.returncode, "pull-requests: write" in done.stdout), (2, True))

    # The build executes code of the pull request, so `compare` removes all tokens from the build's environment.
    # `comment` has a token, so it does not build.
    seen = pathlib.Path(folder) / "seen"
    done = compare(base, BUILD=f"env >>{seen}", ACTIONS_RUNTIME_TOKEN="another secret")
    same("a build", (done.returncode, "secret" in seen.read_text(), "GITHUB_EVENT_PATH" in seen.read_text()), (0, False, True))
    same("a comment", (comment(base).returncode, (pathlib.Path(folder) / "built").exists()), (0, False))

    # This workflow runs after another workflow. Its event contains GitHub's data about the pull request, including the
    # checked commit.
    made = {"workflow_run": {"event": "pull_request", "head_sha": "c0ffee", "head_branch": "a/b&c",
                             "head_repository": {"owner": {"login": "fork"}}}}
    pulls[:] = [{"number": 8, "head": {"sha": "other"}}, {"number": 9, "head": {"sha": "c0ffee"}}]
    comments.clear()
    done = comment(base, event=made)
    same("a run after another workflow", (done.returncode, asked[0][1], asked[-1][:2]),
         (0, "/repos/somebody/project/pulls?state=open&per_page=100&head=fork%3Aa/b%26c",
          ("POST", "/repos/somebody/project/issues/9/comments")))
    pulls[:] = pulls[:1]
    done = comment(base, event=made)
    same("an older commit", (done.returncode, "not for the newest commit" in done.stdout, len(asked)), (0, True, 1))

    # The pull request may change the reports. A file that is not a report is refused, and text from a report is never
    # markup in the comment.
    (compared / "after.json").unlink()
    (compared / "after.json").symlink_to("/etc/passwd")
    done = comment(base)
    same("a link", (done.returncode, "after.json is not a regular file" in done.stdout, asked), (2, True, []))
    (compared / "after.json").unlink()
    (compared / "after.json").write_text("[" * 100000)
    same("a missing report", (comment(base).returncode, asked), (2, []))
    compare(base)
    hostile = "a \\|<img src=x onerror=y>`` [x](javascript:alert(1)) @everybody"
    for name in ("before.json", "after.json"):
        report = json.loads((compared / name).read_text())
        for launch in report["launches"]:
            launch["kernel"] = hostile
            for site in launch["sites"]:
                site["file"] = site["text"] = hostile
        (compared / name).write_text(json.dumps(report))
    comments.clear()
    done = comment(base)
    same("a comment on such names", (done.returncode, len(comments), done.stdout if done.returncode else ""), (0, 1, ""))
    rows = [line for line in comments[0].splitlines() if "img" in line]
    for row in rows:
        spanless = re.sub(r"`[^`|\\]*`", "", row)
        if re.search(r"<(?!/?code>)|[\[\]`@\\]", spanless) or (row.startswith("|") and row.count("|") != 10):
            sys.exit(f"the comment contains a name as markup:\n{row}")
    same("rows with such names", len(rows) > 1, True)

    (tree / "bankwise.toml").unlink()
    done = step(base)
    same("no configuration", (done.returncode, done.stdout),
         (2, "::error::the file bankwise.toml does not exist. Run bankwise init to write it\n"))
