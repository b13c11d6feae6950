"""What pip calls to build bankwise-math from a checkout: pyproject.toml names this file. The code is in python/wheel_backend.py, because pip
only loads files in the folder of pyproject.toml."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import wheel_backend

FOLDER = wheel_backend.ROOT / "python/math"


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    return wheel_backend._metadata("bankwise_math", FOLDER, metadata_directory)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    return wheel_backend._build("bankwise_math", FOLDER, "math-wheel", True, wheel_directory, config_settings)


build_sdist = wheel_backend.build_sdist
