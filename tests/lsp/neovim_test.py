"""The language server in Neovim, without a screen. Neovim's own client, configured by editors/neovim, edits a real
file.
    neovim_test.py BANKWISE SOURCE
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

if shutil.which("nvim") is None:
    print("skipped: nvim is not installed")
    sys.exit(77)
PROGRAM, SOURCE = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])

with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name).resolve()
    for file in ("transpose.cu", "transpose.cubin"):
        shutil.copy(SOURCE / "examples" / file, folder)
    words = "transpose.cubin -k transpose_plain --grid 8,8 --block 32,8 --arg out:f32[64K] --arg f32[64K]=iota --arg i32=256 --fix"
    (folder / "bankwise.toml").write_text(f'[[run]]\nname = "plain"\ncommand = "{words}"\n')
    environment = {**os.environ, "HOME": name, "XDG_CONFIG_HOME": name, "XDG_DATA_HOME": name, "XDG_STATE_HOME": name,
                   "XDG_CACHE_HOME": name, "BANKWISE": PROGRAM,
                   "PLUGIN": str(SOURCE / "editors/neovim/bankwise.lua")}
    ran = subprocess.run(["nvim", "--headless", "-u", "NONE", "-i", "NONE", "-n", "-c", f"luafile {SOURCE / 'tests/lsp/neovim.lua'}"],
                         cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
    seen = folder / "seen.json"
    if not seen.exists():
        sys.exit(f"Neovim wrote no results; its output is\n{ran.stdout}{ran.stderr}")
    seen = json.loads(seen.read_text())
    text = (folder / "transpose.cu").read_text().split("\n")

assert "wrong" not in seen, seen["wrong"]
assert seen["diagnostics"] == [[17, "BW101", 2]], seen["diagnostics"]
assert "63,488 of these wavefronts can be removed by a layout" in seen["message"], seen["message"]
assert seen["hints"] == ["1 wavefront", "32 wavefronts, 1 reachable"], seen["hints"]
assert "a 32-way bank conflict" in seen["hover"], seen["hover"]
assert seen["lenses"][0] == "explain tile: 63,488 removable wavefronts", seen["lenses"]
assert "__shared__ float tile[32][32 + 1];" in seen["explained"] and seen["lens_explains"], seen
assert seen["actions"][0].startswith("Declare tile[tile_side][tile_side + 1]"), seen["actions"]
# The action changed the source and saved it. Now the source differs from the cubin's source, and a message says so.
assert text[12] == "  __shared__ float tile[tile_side][tile_side + 1];", text[12]
assert ["stale", 4] in [d[1:] for d in seen["after"]], seen["after"]
assert seen["ran"] and seen["same_server"], seen
assert seen["stopped"], "the server did not end"
