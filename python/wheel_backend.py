"""What pip calls to build bankwise from a checkout (PEP 517): pyproject.toml names this file. It calls scripts/build-wheel, which makes the
wheels of a release, so it needs no build tool from PyPI: only CMake, a compiler and the libraries that scripts/setup installs.
    pip install .                                        builds in build/pip
    pip install --config-settings tree=build/release .   packs a tree that is already built
"""
import importlib.machinery
import importlib.util
import os
import pathlib
import re
import shutil
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def _builder():
    loader = importlib.machinery.SourceFileLoader("build_wheel", str(ROOT / "scripts/build-wheel"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


def _version():
    text = (ROOT / "include/bankwise/config.hpp").read_text()
    return ".".join(re.search(r"VERSION_%s (\d+)" % part, text).group(1) for part in ("MAJOR", "MINOR", "PATCH"))


def _build(name, project, component, with_math, wheel_directory, config_settings):
    builder = _builder()
    tree = (config_settings or {}).get("tree")
    if tree is None:
        for tool in ("cmake", "g++"):
            if shutil.which(tool) is None:
                sys.exit("%s is missing: run scripts/setup packages" % tool)
        tree = builder.build(ROOT / ("build/pip-math" if with_math else "build/pip"), "-DBANKWISE_MATH=" + ("ON" if with_math else "OFF"),
                             parallel=("--parallel", str(os.cpu_count() or 1)))
    with tempfile.TemporaryDirectory() as scratch:
        package = pathlib.Path(scratch, "bankwise")
        builder.stage(pathlib.Path(ROOT, tree), package, component)
        return builder.write(name, package, project, _version(), pathlib.Path(wheel_directory)).name


def _metadata(name, project, metadata_directory):
    """The tag of the wheel is not known before the build, and pip does not read it in the metadata."""
    folder = "%s-%s.dist-info" % (name, _version())
    path = pathlib.Path(metadata_directory, folder)
    path.mkdir(parents=True)
    for file, text in _builder().metadata(project, _version(), "py3-none-any").items():
        (path / file).write_text(text)
    return folder


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    return _metadata("bankwise", ROOT, metadata_directory)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    return _build("bankwise", ROOT, "wheel", False, wheel_directory, config_settings)


def build_sdist(sdist_directory, config_settings=None):
    raise NotImplementedError("the source of bankwise is its repository, so there is no source distribution")
