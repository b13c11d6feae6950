#!/usr/bin/python3
"""The tool of Compiler Explorer, called as Compiler Explorer calls tools: compiler_explorer.py BANKWISE SOURCE."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

if shutil.which("nvcc") is None and not pathlib.Path("/usr/local/cuda/bin/nvcc").exists():
    print("skipped: nvcc is not installed")
    sys.exit(77)
FOLDER = pathlib.Path(sys.argv[2], "packaging/compiler-explorer")
KERNEL = """__global__ void column(float* out) {
  __shared__ float tile[32][32];
  tile[threadIdx.y][threadIdx.x] = out[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
"""


def tool(*args, source=None):
    p = subprocess.run([sys.executable, FOLDER / "bankwise-tool", *args], input=source, capture_output=True, text=True,
                       env={**os.environ, "BANKWISE": str(pathlib.Path(sys.argv[1]).resolve())})
    assert p.stderr == "", p.stderr
    return p.returncode, p.stdout


def holds(text, *words):
    for w in words:
        assert w in text, f"the output does not contain {w!r}:\n{text}"


asked = "// bankwise: -k column --grid 1 --block 32,32 --arg out:f32[1024]\n" + KERNEL
with tempfile.TemporaryDirectory() as folder:
    file = pathlib.Path(folder, "anything.cu")
    file.write_text(asked)
    status, said = tool(file)
    assert status == 0, said
    holds(said, "column", "<source>:6: warning: 32-way bank conflict", "992 removable wavefronts")
    assert folder not in said and "next:" not in said, said
# Standard input contains the source, and flags describe the launch. These flags are added to the flags in the source.
status, said = tool("-k", "column", "--grid", "1", "--block", "32,32", "--arg", "out:f32[1024]", source=KERNEL)
assert status == 0, said
holds(said, "<source>:5: warning: 32-way bank conflict")
status, said = tool("--fix", source=asked)
holds(said, "tile[32][32 + 1]")
# An error is printed with its place, and the exit status is 2.
assert tool(source=KERNEL)[0] == 2
holds(tool(source=KERNEL)[1], "<source>:1: error: bankwise found no comment with a launch")
status, said = tool(source=asked.replace("out[threadIdx.x] = tile", "out[threadIdx.x] = til"))
assert status == 2, said
holds(said, "<source>:1: error: bankwise could not run this launch", '<source>(6): error: identifier "til" is undefined')
# The properties name an existing tool. The properties have the type and the class that Compiler Explorer uses for
# sources.
properties = dict(line.split("=", 1) for line in (FOLDER / "cuda.local.properties").read_text().splitlines() if not line.startswith("#"))
assert pathlib.Path(properties["tools.bankwise.exe"]).name == "bankwise-tool"
assert (properties["tools.bankwise.type"], properties["tools.bankwise.class"]) == ("independent", "base-tool")
