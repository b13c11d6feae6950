#!/usr/bin/python3
"""The files that `pip install .` reads, in the root and in python/: the same project, existing paths, a backend that pip can call; and the
files of `pip install ./python/math`. pyproject.py SOURCE VERSION; 77 if Python has no tomllib (3.11)."""
import os
import pathlib
import subprocess
import sys
import tempfile

try:
    import tomllib
except ImportError:
    print("skipped: this Python has no tomllib")
    sys.exit(77)

source, version = pathlib.Path(sys.argv[1]), sys.argv[2]
read = {}
folders = (source, source / "python", source / "python/math")
for folder in folders:
    text = (folder / "pyproject.toml").read_text()
    settings = tomllib.loads(text)
    project, build = settings["project"], settings["build-system"]
    assert (folder / project["readme"]).exists(), f"{folder / 'pyproject.toml'} names {project['readme']}, which does not exist"
    assert build["requires"] == ["tomli; python_version < '3.11'"], "a build needs nothing else from PyPI"
    for command, function in project.get("scripts", {}).items():
        module, name = function.split(":")
        assert f"def {name}(" in (source / "python" / (module.replace(".", "/") + ".py")).read_text(), command
    # Both wheels have the same version, because the libraries of one wheel call functions of the other wheel.
    needs = [*project.get("dependencies", []), *sum(project.get("optional-dependencies", {}).values(), [])]
    for need in needs:
        assert not need.startswith("bankwise") or need.endswith(f" == {version}"), f"{folder / 'pyproject.toml'} needs {need}, not {version}"
    # All other parts of the two files are equal, except for paths.
    read[folder] = {k: v for k, v in tomllib.loads(text.replace('"../', '"').replace('"..', '".').replace('"python/', '"').replace('["python"]', '["."]')).items()}
assert read[source] == read[source / "python"], "pyproject.toml and python/pyproject.toml may only differ in paths"

# pip loads the backend from the folder that the file names, and calls these functions.
for folder in folders:
    build = tomllib.loads((folder / "pyproject.toml").read_text())["build-system"]
    (path,) = build["backend-path"]
    assert (folder / path).resolve().is_relative_to(folder.resolve()), "pip refuses a backend outside of the folder"
    with tempfile.TemporaryDirectory() as out:
        code = f"import {build['build-backend']} as b; assert b.build_wheel; print(b.prepare_metadata_for_build_wheel({out!r}))"
        done = subprocess.run([sys.executable, "-c", code], cwd=folder, env={**os.environ, "PYTHONPATH": str(folder / path)},
                              stdout=subprocess.PIPE, check=True, text=True)
        assert f"\nVersion: {version}\n" in (pathlib.Path(out) / done.stdout.strip() / "METADATA").read_text()
