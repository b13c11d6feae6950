#!/usr/bin/env python3
"""Tests scripts/check-includes: it finds a file that does not compile by itself, and reads a file again only after a
change."""
import importlib.machinery
import importlib.util
import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("check_includes", str(ROOT / "scripts/check-includes"))
tool = importlib.util.module_from_spec(importlib.util.spec_from_loader("check_includes", loader))
loader.exec_module(tool)
wrong = []

with tempfile.TemporaryDirectory() as scratch:
    folder = pathlib.Path(scratch)
    tool.TREE = folder / "alone"
    tool.TREE.mkdir()
    # A compiler that counts its runs.
    compiler = folder / "compiler"
    compiler.write_text(f'#!/bin/sh\necho run >>{folder}/runs\nexec c++ "$@"\n')
    compiler.chmod(0o755)
    header, source = folder / "part.hpp", folder / "part.cpp"

    def check(what, runs, compiles, *more):
        (folder / "runs").write_text("")
        errors = tool.compiles("part.cpp", [str(compiler), "-c", "part.cpp", "-fsyntax-only", *more], str(folder))
        actual = ((folder / "runs").read_text().count("run"), errors == "")
        if actual != (runs, compiles):
            wrong.append(f"{what}: {actual} instead of {(runs, compiles)}: {errors}")

    header.write_text("inline int one() { return 1; }\n")
    source.write_text('#include "part.hpp"\nint two() { return one() + 1; }\n')
    check("the first time", 1, True)
    check("without a change", 0, True)
    check("with another flag", 1, True, "-DOTHER")
    check("with the same flag again", 0, True, "-DOTHER")
    header.write_text("inline int another() { return 1; }\n")
    check("after a change of the header", 1, False, "-DOTHER")
    check("an error again", 1, False, "-DOTHER")
    header.write_text("inline int one() { return 10; }\n")
    check("after the repair", 1, True, "-DOTHER")
    header.unlink()
    check("without the header", 1, False, "-DOTHER")

print("\n".join(wrong))
sys.exit(1 if wrong else 0)
