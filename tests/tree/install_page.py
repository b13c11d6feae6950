#!/usr/bin/python3
"""Makes a release from a built tree, and runs the commands of docs/install.md on its files.
    install_page.py SOURCE TREE
`<!-- not run: install_page runs it as NAME -->` precedes a block that is run here. apt is simulated: it unpacks into a
folder of the test. 77: this machine cannot make a part of the release.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

source, tree = map(pathlib.Path, sys.argv[1:])
PAGE = (source / "docs/install.md").read_text()
blocks = dict(re.findall(r"<!-- not run: install_page runs it as (\w+) -->\n```sh\n(.*?)```", PAGE, re.DOTALL))
wanted = {"wheel": "bankwise-*.whl", "wheel_math": "bankwise_math-*.whl", "tarball": "*.tar.gz", "deb": "bankwise_*.deb",
          "deb_math": "bankwise-cuda-math_*.deb"}
if set(blocks) != set(wanted):
    sys.exit(f"docs/install.md has commands for {sorted(blocks)}, but needs commands for {sorted(wanted)}")
untested = [b for b in re.findall(r"((?:<!--[^\n]*-->\n)?)```sh\n", PAGE) if "not run:" not in b]
if untested:
    sys.exit("a block of docs/install.md names neither the test that runs it nor the reason why no test runs it")

with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    release, home, tools, root = (folder / name for name in ("release", "home", "tools", "root"))
    for made in (release, home, tools, root / "var/lib/dpkg/info", root / "var/lib/dpkg/updates"):
        made.mkdir(parents=True)
    (root / "var/lib/dpkg/status").write_text("")
    made = subprocess.run([source / "scripts/build-release", "all", "--tree", tree, release], cwd=source, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    if made.returncode not in (0, 77):
        sys.exit(f"scripts/build-release all exited with {made.returncode}\n{made.stdout}")
    sums = {line.split()[1] for line in (release / "SHA256SUMS").read_text().splitlines()}
    there = {p.name for p in release.iterdir()} - {"SHA256SUMS"}
    if sums != there:
        sys.exit(f"SHA256SUMS lists {sorted(sums)}, but the folder contains {sorted(there)}")
    subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=release, check=True)
    if made.returncode == 0 and not list(release.glob("*.vsix")):
        sys.exit("the extension for VS Code was not built")

    def tool(name, text):
        (tools / name).write_text("#!/bin/sh\nset -eu\n" + text)
        (tools / name).chmod(0o755)

    tool("sudo", 'exec "$@"\n')
    # The test's root folder has no libc, so the dependencies of the packages are missing.
    tool("apt", f'test "$1" = install\nfor p in "$2"; do dpkg-deb -x "$p" {root}; done\n')
    subprocess.run([sys.executable, "-m", "venv", home / "venv"], stdout=subprocess.PIPE, check=False)
    skipped = []
    for name, commands in blocks.items():
        if not list(release.glob(wanted[name])):
            skipped.append(name)
            continue
        if name.startswith("wheel") and not (home / "venv/bin/pip").exists():
            skipped.append(f"{name} (python3-venv)")
            continue
        first = {"wheel": home / "venv/bin", "tarball": tools, "deb": root / "usr/bin"}[name.removesuffix("_math")]
        words = {"HOME": str(home), "PATH": f"{first}:{tools}:/usr/bin:/bin:/usr/sbin:/sbin", "PIP_NO_INDEX": "1",
                 "PIP_DISABLE_PIP_VERSION_CHECK": "1", "LANG": "C.UTF-8"}
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", commands + "command -v bankwise; bankwise explain 't * 8'"], cwd=release,
                              env=words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0 or str(folder) not in done.stdout or "2 wavefronts" not in done.stdout:
            sys.exit(f"the commands for the {name} exited with {done.returncode}:\n{commands}\n{done.stdout}")
if skipped or made.returncode == 77:
    print("skipped:", ", ".join(skipped) or made.stdout.strip().splitlines()[-1])
    sys.exit(77)
