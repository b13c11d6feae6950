#!/usr/bin/python3
"""The files that `pip install .` reads, in the root and in python/: the same project, existing paths, options that CMake knows; and the
files of `pip install ./python/math`. If scikit-build-core is installed, it reads both. pyproject.py SOURCE VERSION; 77 if Python has no
tomllib (3.11)."""
import os
import pathlib
import re
import sys
import tempfile

try:
    import tomllib
except ImportError:
    print("skipped: this Python has no tomllib")
    sys.exit(77)

source, version = pathlib.Path(sys.argv[1]), sys.argv[2]
cmake = (source / "CMakeLists.txt").read_text() + (source / "python/CMakeLists.txt").read_text()
read = {}
folders = (source, source / "python", source / "python/math")
for folder in folders:
    text = (folder / "pyproject.toml").read_text()
    settings = tomllib.loads(text)
    project, build = settings["project"], settings["tool"]["scikit-build"]
    paths = [project["readme"], build["metadata"]["version"]["input"], *build["wheel"]["packages"], *build["wheel"]["license-files"],
             build["cmake"]["source-dir"] + "/CMakeLists.txt"]
    for path in paths:
        assert (folder / path).exists(), f"{folder / 'pyproject.toml'} names {path}, which does not exist"
    found = re.search(build["metadata"]["version"]["regex"], (folder / build["metadata"]["version"]["input"]).read_text())
    assert build["metadata"]["version"]["result"].format(**found.groupdict()) == version
    for option in build["cmake"]["define"]:
        assert f"option({option} " in cmake, f"CMake has no option {option}"
    assert all(f"COMPONENT {c} " in cmake for c in build["install"]["components"])
    for target in build.get("build", {}).get("targets", []):
        assert f"add_custom_target({target} " in cmake, f"CMake has no target {target}"
    for command, function in project.get("scripts", {}).items():
        module, name = function.split(":")
        assert f"def {name}(" in (source / "python" / (module.replace(".", "/") + ".py")).read_text(), command
    # Both wheels have the same version, because the libraries of one wheel call functions of the other wheel.
    needs = [*project.get("dependencies", []), *sum(project.get("optional-dependencies", {}).values(), [])]
    for need in needs:
        assert not need.startswith("bankwise") or need.endswith(f" == {version}"), f"{folder / 'pyproject.toml'} needs {need}, not {version}"
    # All other parts of the two files are equal, except for paths.
    read[folder] = {k: v for k, v in tomllib.loads(text.replace('"../', '"').replace('"..', '".').replace('"python/', '"')).items()}
assert read[source] == read[source / "python"], "pyproject.toml and python/pyproject.toml may only differ in paths"

try:
    from scikit_build_core import build as backend
except ImportError:
    print("scikit-build-core is not installed, so it did not check the two files")
    sys.exit(0)
for folder in folders:
    os.chdir(folder)
    with tempfile.TemporaryDirectory() as out:
        info = pathlib.Path(out) / backend.prepare_metadata_for_build_wheel(out, {})
        assert f"\nVersion: {version}\n" in (info / "METADATA").read_text()
