#!/usr/bin/python3
"""`pip install` of the checkout into a new environment, without an index: the wheel is packed from a built tree. The command and the package
then work. pip_install.py SOURCE TREE; 77 if Python has no venv."""
import os
import pathlib
import subprocess
import sys
import tempfile

source, tree = sys.argv[1:3]
with tempfile.TemporaryDirectory() as folder:
    environment = pathlib.Path(folder, "venv")
    made = subprocess.run([sys.executable, "-m", "venv", environment], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if made.returncode != 0 or not (environment / "bin/pip").exists():
        print("skipped: this Python cannot make an environment with pip")
        sys.exit(77)
    words = {**os.environ, "PIP_NO_INDEX": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    # With build isolation, pip would need an index for packages that the build needs. There are none.
    for more in ([], ["--no-build-isolation", "--force-reinstall"]):
        done = subprocess.run([environment / "bin/pip", "install", *more, "--config-settings", f"tree={tree}", source], env=words, cwd=folder,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            sys.exit(f"pip install {' '.join(more)} exited with {done.returncode}\n{done.stdout}")

    def says(*command):
        return subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, check=True, text=True).stdout

    assert "2 wavefronts" in says(environment / "bin/bankwise", "explain", "t * 8")
    assert says(environment / "bin/python", "-c", "import bankwise; print(bankwise.__file__)").startswith(str(environment))
