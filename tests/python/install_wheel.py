#!/usr/bin/python3
"""Builds the wheels from a tree, twice, and installs them into a fresh environment, without an index to download from.
  install_wheel.py SOURCES TREE FOLDER      leaves the environment in FOLDER/venv; exits with 77 if Python has no venv or pip
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import zipfile

sources, tree, folder = map(pathlib.Path, sys.argv[1:])


def wheels(into):
    """Builds the wheels, and returns their files by project name."""
    shutil.rmtree(into, ignore_errors=True)
    subprocess.run([sources / "scripts/build-wheel", "--tree", tree, into], check=True)
    return {w.name.split("-")[0]: w for w in into.glob("*.whl")}


first, second = wheels(folder / "first"), wheels(folder / "second")
has_math = "BANKWISE_MATH:BOOL=ON" in (tree / "CMakeCache.txt").read_text()
assert set(first) == ({"bankwise", "bankwise_math"} if has_math else {"bankwise"}), first
for name, one in first.items():
    assert one.name == second[name].name and one.read_bytes() == second[name].read_bytes(), "two builds of the same tree differ"
    tag = re.fullmatch(name + r"-[\d.]+-py3-none-manylinux_(\d+)_(\d+)_\w+\.whl", one.name)
    assert tag, one.name
    # pip compares the version in the tag with the system's glibc. The glibc of Colab, Ubuntu 22.04 and RHEL 8 is older
    # than the glibc of the build machine.
    assert tuple(map(int, tag.groups())) <= (2, 28), one.name
injected = "bankwise/program/lib/bankwise/injected/"
names = zipfile.ZipFile(first["bankwise"]).namelist()
for needed in ("bankwise/py.typed", "bankwise/__init__.pyi", "bankwise/program/bin/bankwise", injected + "libcuda.so.1"):
    assert needed in names, needed
math_names = zipfile.ZipFile(first["bankwise_math"]).namelist() if has_math else []
for needed in ("libcublas.so.13", "libcudnn.so.9", "libcusparse.so.12") if has_math else ():
    assert injected + needed in math_names and injected + needed not in names, needed
assert not set(names) & set(math_names), "both wheels contain a file with the same name"

shutil.rmtree(folder / "venv", ignore_errors=True)
# If the machine has numpy and pytest, the tests use them.
made = subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", folder / "venv"], stdout=subprocess.PIPE,
                      stderr=subprocess.STDOUT, text=True)
if made.returncode != 0:
    print("skipped: Python cannot make an environment (install python3-venv):", made.stdout.strip())
    sys.exit(77)
python = folder / "venv/bin/python3"


def pip_install(*words):
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-index", "--disable-pip-version-check", *words], check=True)


pip_install(first["bankwise"])
# Imports the installed package, not the sources, in a Python interpreter without other packages.
at = subprocess.run([python, "-I", "-S", "-c", "import sys; sys.path.append({!r}); import bankwise; print(bankwise.__file__, "
                     "bankwise.explain('t * 8').wavefronts, 'numpy' in sys.modules)".format(
                         str(next((folder / "venv/lib").glob("python*/site-packages"))))],
                    stdout=subprocess.PIPE, check=True, text=True).stdout.split()
assert at[1:] == ["2", "False"] and at[0].startswith(str(folder / "venv")), at


def open_library(name):
    """The output of bankwise and of a program that opens a library."""
    return subprocess.run([folder / "venv/bin/bankwise", "run", "-o", os.devnull, "/usr/bin/python3", "-c",
                           "import ctypes, sys; ctypes.CDLL(sys.argv[1]); print('opened')", name],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout


# Without the second wheel, a program prints what to install. With the second wheel, the first wheel finds the
# libraries.
if has_math and os.uname().machine == "x86_64":
    assert "pip install 'bankwise[math]'" in open_library("libcublas.so.13"), open_library("libcublas.so.13")
    pip_install("--find-links", first["bankwise_math"].parent, "bankwise[math]")
    for library in ("libcublas.so.13", "/nowhere/libcudnn-0123abcd.so.9.1.0"):
        assert "opened" in open_library(library), open_library(library)
