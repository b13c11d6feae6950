"""Programs with instructions that only some targets of nvcc have, compiled with the nvcc of this machine.
    nvcc_targets.py BANKWISE
Exits with 77 if there is no nvcc that knows sm_100a.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

BANKWISE = pathlib.Path(sys.argv[1]).resolve()
NVCC = shutil.which("nvcc") or os.path.join(os.environ.get("CUDA_HOME", "/usr/local/cuda"), "bin/nvcc")
if not os.path.exists(NVCC):
    print("skipped: nvcc is not installed")
    sys.exit(77)
os.environ["PATH"] += os.pathsep + os.path.dirname(NVCC)
if "sm_100" not in subprocess.run([NVCC, "--list-gpu-code"], stdout=subprocess.PIPE, text=True).stdout:
    print("skipped: this nvcc does not know sm_100a")
    sys.exit(77)

# The value of out[0] after one launch with 128 threads, if the instruction has the expected result.
MAIN = """
int main() {
  unsigned* out;
  cudaMallocManaged(&out, 4096);
  f<<<1, 128>>>(out);
  if (cudaDeviceSynchronize() != cudaSuccess) return 3;
  std::printf("%u\\n", out[0]);
}
"""
HEAD = "#include <cstdint>\n#include <cstdio>\n"
SOURCES = {
    # 64 x 8 x 16 products of ones
    "wgmma": ("16", HEAD + """
__global__ void f(unsigned* out) {
  __shared__ alignas(128) uint16_t a[64 * 16], b[16 * 8];
  for (int i = threadIdx.x; i < 64 * 16; i += 128) a[i] = 0x3c00;
  for (int i = threadIdx.x; i < 16 * 8; i += 128) b[i] = 0x3c00;
  asm volatile("fence.proxy.async.shared::cta;");
  __syncthreads();
  const uint64_t rows = uint64_t(8) << 16 | uint64_t(16) << 32;
  const uint64_t da = (__cvta_generic_to_shared(a) & 0x3ffff) >> 4 | rows, db = (__cvta_generic_to_shared(b) & 0x3ffff) >> 4 | rows;
  float d[4] = {};
  asm volatile("wgmma.fence.sync.aligned;");
  asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0,%1,%2,%3}, %4, %5, 1, 1, 1, 0, 0;"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(da), "l"(db));
  asm volatile("wgmma.commit_group.sync.aligned;");
  asm volatile("wgmma.wait_group.sync.aligned 0;");
  out[threadIdx.x] = unsigned(d[0] + d[1] + d[2] + d[3]) / 4;
}
"""),
    "setmaxnreg": ("7", HEAD + """
__global__ void __launch_bounds__(128) f(unsigned* out) {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
  out[threadIdx.x] = 7;
}
"""),
    "tcgen05": ("5", HEAD + """
__global__ void f(unsigned* out) {
  __shared__ uint32_t place;
  const uint32_t at = uint32_t(__cvta_generic_to_shared(&place));
  if (threadIdx.x < 32) {
    asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 32;" ::"r"(at));
    asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 32;" ::"r"(place));
  }
  out[threadIdx.x] = 5;
}
"""),
    # products of ones in e4m3 (0x38), scaled by 1 (0x7f): 32 of them
    "block_scale": ("32", HEAD + """
__global__ void f(unsigned* out) {
  float d[4] = {};
  const uint32_t one = 0x38383838, scale = 0x7f7f7f7f;
  asm volatile("mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e4m3.e4m3.f32.ue8m0 "
               "{%0,%1,%2,%3}, {%4,%4,%4,%4}, {%4,%4}, {%0,%1,%2,%3}, %5, {0, 0}, %5, {0, 0};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(one), "r"(scale));
  out[threadIdx.x] = unsigned(d[0]);
}
"""),
}

wrong = []


def run(folder, *words):
    done = subprocess.run([BANKWISE, "run", "--time-model", "off", "-o", folder / "report.txt", *words], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, cwd=folder)
    return done.returncode, done.stdout, done.stderr


def check(folder, name, flags, status, output="", said=""):
    got = run(folder, *flags, name + ".cu")
    if got[0] != status or output and got[1].strip() != output or said not in got[2] or (not said and "note:" in got[2]):
        wrong.append("{} {}: expected {} {!r} {!r}, got {}".format(name, flags, status, output, said, got))
    if got[2].count("ptxas") > 1:
        wrong.append("{} {}: prints the messages of ptxas: {}".format(name, flags, got[2]))


with tempfile.TemporaryDirectory() as scratch:
    scratch = pathlib.Path(scratch)
    for name, (value, text) in SOURCES.items():
        (scratch / (name + ".cu")).write_text(text + MAIN)

    def again(target):
        return "bankwise compiled it with -gencode arch=compute_{0},code=sm_{0}".format(target)

    check(scratch, "wgmma", [], 0, "16", again("90a"))
    check(scratch, "wgmma", ["--arch", "sm_90a"], 0, "16")
    check(scratch, "wgmma", ["--arch", "sm_100"], 2, said="sm_100 has no wgmma.fence")
    check(scratch, "wgmma", ["--nvcc", "-gencode", "arch=compute_90a,code=sm_90a", "--"], 0, "16")
    check(scratch, "wgmma", ["--nvcc", "-arch=sm_90", "--"], 2, said="the architecture in --nvcc has no wgmma.fence")
    check(scratch, "setmaxnreg", [], 0, "7", again("90a"))
    check(scratch, "setmaxnreg", ["--arch", "sm_120"], 0, "7", again("120a"))
    check(scratch, "tcgen05", [], 0, "5", again("100a"))
    check(scratch, "tcgen05", ["--arch", "sm_100a"], 0, "5")
    check(scratch, "tcgen05", ["--arch", "sm_103f"], 0, "5")
    check(scratch, "tcgen05", ["--arch", "sm_103"], 0, "5", again("103a"))
    check(scratch, "tcgen05", ["--arch", "sm_90"], 2, said="--arch sm_100a")
    check(scratch, "block_scale", [], 0, "32", again("120a"))
    check(scratch, "block_scale", ["--arch", "sm_121"], 0, "32", again("121a"))
    check(scratch, "block_scale", ["--arch", "sm_120f"], 0, "32")

for line in wrong:
    print(line)
sys.exit(bool(wrong))
