#!/usr/bin/python3
"""Compares the accesses of examples/fixes, tests/kernels/global_forms.cu and global_more.cu to global memory, instruction
by instruction, with Nsight Compute's numbers for the same launches on an H100 (data/sm_90/line_samples.csv.zst,
line_checks.csv.zst): line_samples.py BANKWISE SOURCE. Exits 77 without zstd.
"""
import csv
import pathlib
import shutil
import subprocess
import sys
import tempfile

BANKWISE, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
sys.dont_write_bytecode = True
if not shutil.which("zstd"):
    print("skipped: zstd is not installed")
    sys.exit(77)

sys.path.insert(0, str(SOURCE / "scripts"))
from comparisons import lines as compare_lines

# The arguments of each program's kernels for the size of --time, as the program's main() passes them. Arguments of a
# single kernel have priority over arguments of its program.
WORDS = "u32[64M]=random:1"
ARGUMENTS = {
    "fixes/transpose": {"": "out:f32[64M] f32[64M]=1 i32=8192"},
    "fixes/convolution": {"": "out:f32[64M] f32[64M]=1 i32=8192 i32=8192"},
    "fixes/histogram": {"count64": f"out:u32[1118528] {WORDS} u32=16777216", "count256": f"out:u32[337920] {WORDS} u32=16777216"},
    "fixes/scan": {"": "out:u32[64M] u32[64M]=1 i32=2"},
    "fixes/tensor_gemm": {"": "out:f32[16M] f16[16M]=1 f16[16M]=1 f32[16M]=1 i32=4096"},
    "fixes/sgemm": {"": "out:f32[16M] f32[16M]=1 f32[16M]=1 i32=4096"},
    "fixes/moves": {"warps": "out:f32[64M] f32[64M]=1 i32=8192", "column": "out:f32[17301504] f32[138412032]=1 f32[16384]=1 i32=1024",
                    "prefix": "out:f32[64M] f32[64M]=1 i32=67108864"},
    "fixes/by_data": {"bytes": f"out:u32[270336] {WORDS} i32=67108864", "lookup": f"out:u32[64M] u32[256]=random:2 {WORDS} i32=67108864",
                      "codes": f"out:f64[64M] f64[32]=iota {WORDS} i32=67108864"},
}
ARGUMENTS["global_forms"] = ARGUMENTS["global_more"] = {"": "u8[256K]=zero out:u8[256K]"}
# The counts of these lines cannot be compared. The number of iterations of a compare-and-swap loop depends on when the
# blocks reach the loop.
DEPENDS_ON_TIME = {("global_forms", "reductions_of_vectors", "0x3e0"), ("global_more", "small_atomics", "0x200")}
DYNAMIC = {"tensor_gemm_before": 65536, "tensor_gemm_skewed": 65536, "tensor_gemm_after": 69632}


def arguments_of(program, kernel):
    for stem, words in ARGUMENTS[program].items():
        if kernel.startswith(stem):
            return words.split()
    raise KeyError(kernel)


def launch(program, kernel, grid, block, folder):
    report = pathlib.Path(folder, "report.csv")
    command = [BANKWISE, "run", "--counts", "--global", "on", "--no-fix", "--format", "csv", "-o", str(report), "-k", kernel,
               "--grid", grid.replace("x", ","), "--block", block.replace("x", ","), "--shared", str(DYNAMIC.get(kernel, 0))]
    for word in arguments_of(program, kernel):
        command += ["--arg", word]
    cubin = SOURCE / ("examples" if "/" in program else "tests/kernels") / (program + ".cubin")
    subprocess.run([*command, str(cubin)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return compare_lines.counted(str(report))[kernel, grid, block]


rows = wrong = launches = 0
with tempfile.TemporaryDirectory() as folder:
    for program, measured in compare_lines.measured(list(ARGUMENTS)).items():
        for (_, kernel, grid, block), of_launch in measured.items():
            (mine,) = launch(program, kernel, grid, block, folder)
            launches += 1
            for verdict, row, differ in compare_lines.verdicts(of_launch, mine):
                if (program, kernel, row["pc"]) in DEPENDS_ON_TIME:
                    continue
                rows += 1
                if verdict != "equal":
                    wrong += 1
                    print(f"{program} {kernel} {row['pc']} {row['sass'].strip()}: {verdict}, ours and the H100's: {differ}")
print(f"{rows} instructions of {launches} launches, {rows - wrong} equal")
sys.exit(0 if wrong == 0 and rows > 400 else 1)
