#!/usr/bin/python3
"""Runs pytest on a folder. Exits with 77 if there is no pytest (Debian: python3-pytest)."""
import importlib.util
import sys

if importlib.util.find_spec("pytest") is None:
    print("skipped: pytest is not installed (python3-pytest)")
    sys.exit(77)
import pytest

sys.exit(pytest.main(["-q", "-rs", "--no-header", "-p", "no:cacheprovider", "--import-mode=importlib",
                      *map(str, sorted(__import__("pathlib").Path(sys.argv[1]).glob("*_test.py")))]))
