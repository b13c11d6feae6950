#!/usr/bin/python3
"""Builds the wheel from a tree, twice, and installs it into a fresh environment, with no index to download from.
  install_wheel.py SOURCES TREE FOLDER      leaves the environment in FOLDER/venv; 77 where Python has no venv or pip
"""
import pathlib
import re
import shutil
import subprocess
import sys
import zipfile

sources, tree, folder = map(pathlib.Path, sys.argv[1:])


def wheel(into):
    """Builds it, and gives its file."""
    shutil.rmtree(into, ignore_errors=True)
    subprocess.run([sources / "scripts/build-wheel", "--tree", tree, into], check=True)
    (built,) = into.glob("*.whl")
    return built


first, second = wheel(folder / "first"), wheel(folder / "second")
assert first.name == second.name and first.read_bytes() == second.read_bytes(), "two builds of one tree differ"
tag = re.fullmatch(r"bankwise-[\d.]+-py3-none-manylinux_(\d+)_(\d+)_\w+\.whl", first.name)
assert tag, first.name
# pip compares it with the system's glibc: Colab, Ubuntu 22.04 and RHEL 8 are older than where it is built.
assert tuple(map(int, tag.groups())) <= (2, 28), first.name
names = zipfile.ZipFile(first).namelist()
for needed in ("bankwise/py.typed", "bankwise/__init__.pyi", "bankwise/program/bin/bankwise",
               "bankwise/program/lib/bankwise/injected/libcuda.so.1"):
    assert needed in names, needed

shutil.rmtree(folder / "venv", ignore_errors=True)
# Those that are installed on the machine, numpy and pytest, are for the tests alone.
made = subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", folder / "venv"], stdout=subprocess.PIPE,
                      stderr=subprocess.STDOUT, text=True)
if made.returncode != 0:
    print("skipped: no environment can be made here (python3-venv):", made.stdout.strip())
    sys.exit(77)
python = folder / "venv/bin/python3"
subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-index", "--disable-pip-version-check", first], check=True)
# Not from the sources: from where it was installed, and in a Python that has nothing else.
at = subprocess.run([python, "-I", "-S", "-c", "import sys; sys.path.append({!r}); import bankwise; print(bankwise.__file__, "
                     "bankwise.explain('t * 8').wavefronts, 'numpy' in sys.modules)".format(
                         str(next((folder / "venv/lib").glob("python*/site-packages"))))],
                    stdout=subprocess.PIPE, check=True, text=True).stdout.split()
assert at[1:] == ["2", "False"] and at[0].startswith(str(folder / "venv")), at
