"""The types of the package (PEP 561), as mypy reads them from the installed package."""
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

USER = pathlib.Path(__file__).parent / "typed_user.py"


def test_types_are_those_that_a_strict_user_sees(tmp_path):
    mypy = shutil.which("mypy")
    if mypy is None:
        pytest.skip("no mypy (Debian: mypy)")
    said = subprocess.run([mypy, "--strict", "--python-executable", sys.executable, "--cache-dir", str(tmp_path),
                           "--hide-error-context", "--no-error-summary", USER.name], cwd=USER.parent, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True).stdout
    found = {}
    for line in said.splitlines():
        place = re.fullmatch(r"{}:(\d+): (?:note: Revealed type is \"(.*)\"|(error: .*?)(?:  \[[\w-]+\])?|note: .*)".format(
            re.escape(USER.name)), line)
        if place is None:  # a note about another file, such as the module that defines a name of the package
            assert ": note: " in line and not line.startswith(USER.name), said
        elif place.group(2) or place.group(3):
            found[int(place.group(1))] = (place.group(2) or place.group(3)).replace("Tuple", "tuple")
    wanted = {n: line.rpartition("  # ")[2] for n, line in enumerate(USER.read_text().splitlines(), 1) if "  # " in line}
    for n in sorted({*found, *wanted}):
        is_, meant = found.get(n, ""), wanted.get(n, "nothing")
        # Later versions of mypy also name the module of an argument, and they print a union as X | None.
        assert is_.startswith(meant) or is_ == re.sub(r"Union\[(.*), None\]", r"\1 | None", meant), "{}: {}, not {}\n{}".format(
            n, is_, meant, said)
