# Compiles matrix products and attention with Triton, and writes cubins and a plan of launches.
import os, sys, traceback
from concurrent.futures import ThreadPoolExecutor
import torch, triton, triton.language as tl
out = sys.argv[1]
os.makedirs(out, exist_ok=True)

@triton.jit
def matmul(a_ptr, b_ptr, c_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr):
    pid = tl.program_id(0)
    rows = M // BM
    columns = N // BN
    in_group = GROUP * columns
    first = pid // in_group * GROUP
    size = min(rows - first, GROUP)
    pid_m = first + (pid % in_group) % size
    pid_n = (pid % in_group) // size
    m = pid_m * BM + tl.arange(0, BM)
    n = pid_n * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    a = a_ptr + m[:, None] * K + k[None, :]
    b = b_ptr + k[:, None] * N + n[None, :]
    sum = tl.zeros((BM, BN), dtype=tl.float32)
    for _ in range(0, K // BK):
        sum = tl.dot(tl.load(a), tl.load(b), sum)
        a += BK
        b += BK * N
    tl.store(c_ptr + m[:, None] * N + n[None, :], sum.to(tl.float16))

@triton.jit
def matmul_tma(a_ptr, b_ptr, c_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pid = tl.program_id(0)
    columns = N // BN
    pid_m = pid // columns
    pid_n = pid % columns
    a = tl.make_tensor_descriptor(a_ptr, shape=[M, K], strides=[K, 1], block_shape=[BM, BK])
    b = tl.make_tensor_descriptor(b_ptr, shape=[N, K], strides=[K, 1], block_shape=[BN, BK])
    c = tl.make_tensor_descriptor(c_ptr, shape=[M, N], strides=[N, 1], block_shape=[BM, BN])
    sum = tl.zeros((BM, BN), dtype=tl.float32)
    for i in range(0, K // BK):
        sum = tl.dot(a.load([pid_m * BM, i * BK]), b.load([pid_n * BN, i * BK]).T, sum)
    c.store([pid_m * BM, pid_n * BN], sum.to(tl.float16))

@triton.jit
def attention(q_ptr, k_ptr, v_ptr, o_ptr, ROWS: tl.constexpr, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, CAUSAL: tl.constexpr):
    start = tl.program_id(0)
    base = tl.program_id(1) * ROWS * D
    m = start * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    n = tl.arange(0, BN)
    q = tl.load(q_ptr + base + m[:, None] * D + d[None, :])
    best = tl.full([BM], -1e30, dtype=tl.float32)
    total = tl.zeros([BM], dtype=tl.float32)
    sum = tl.zeros([BM, D], dtype=tl.float32)
    end = (start + 1) * BM if CAUSAL else ROWS
    for at in range(0, end, BN):
        k = tl.load(k_ptr + base + (at + n)[None, :] * D + d[:, None])
        s = tl.dot(q, k) * 0.18
        if CAUSAL:
            s = tl.where(m[:, None] >= (at + n)[None, :], s, -1e30)
        new = tl.maximum(best, tl.max(s, 1))
        p = tl.exp2(s - new[:, None])
        scale = tl.exp2(best - new)
        total = total * scale + tl.sum(p, 1)
        v = tl.load(v_ptr + base + (at + n)[:, None] * D + d[None, :])
        sum = tl.dot(p.to(tl.float16), v, sum * scale[:, None])
        best = new
    tl.store(o_ptr + base + m[:, None] * D + d[None, :], (sum / total[:, None]).to(tl.float16))

@triton.jit
def softmax(x_ptr, y_ptr, N: tl.constexpr, B: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, B)
    x = tl.load(x_ptr + row * N + at, mask=at < N, other=-1e30)
    e = tl.exp(x - tl.max(x, 0))
    tl.store(y_ptr + row * N + at, e / tl.sum(e, 0), mask=at < N)

def scratch(size, align, stream):
    return torch.empty(size, device="cuda", dtype=torch.int8)
triton.set_allocator(scratch)
h = torch.empty(1 << 20, device="cuda", dtype=torch.float16)
f = torch.empty(1 << 20, device="cuda", dtype=torch.float32)
jobs = []
def product(m, n, k, bm, bn, bk, warps, stages):
    jobs.append((f"matmul-{m}x{n}x{k}-{bm}x{bn}x{bk}-w{warps}-s{stages}", matmul, (h, h, h, m, n, k, bm, bn, bk, 8), (m // bm * (n // bn), 1, 1), warps, stages, [2 * m * k, 2 * k * n, 2 * m * n]))
def product_tma(m, n, k, bm, bn, bk, warps, stages):
    jobs.append((f"tma-{m}x{n}x{k}-{bm}x{bn}x{bk}-w{warps}-s{stages}", matmul_tma, (h, h, h, m, n, k, bm, bn, bk), (m // bm * (n // bn), 1, 1), warps, stages, [2 * m * k, 2 * k * n, 2 * m * n]))
def attend(heads, rows, d, bm, bn, causal, warps, stages):
    jobs.append((f"attention-{heads}x{rows}x{d}-{bm}x{bn}-c{int(causal)}-w{warps}-s{stages}", attention, (h, h, h, h, rows, d, bm, bn, causal), (rows // bm, heads, 1), warps, stages, [2 * heads * rows * d] * 4))
for size in (512, 1024, 2048):
    product(size, size, size, 128, 128, 64, 4, 3)
for t in ((64, 64, 32, 4, 2), (64, 64, 64, 4, 4), (64, 128, 64, 4, 3), (128, 64, 64, 4, 3), (128, 128, 32, 4, 4), (128, 128, 64, 8, 3), (128, 256, 64, 8, 3), (128, 128, 64, 4, 1), (128, 128, 64, 4, 2), (128, 128, 64, 4, 4), (16, 64, 64, 4, 3), (32, 32, 32, 4, 3)):
    product(1024, 1024, 1024, *t)
product(256, 256, 4096, 64, 64, 64, 4, 4)
product(2048, 2048, 256, 128, 128, 64, 4, 3)
for t in ((64, 64, 64, 4, 3), (128, 128, 64, 4, 3), (128, 128, 64, 8, 3), (128, 256, 64, 8, 3), (128, 128, 64, 4, 2)):
    product_tma(1024, 1024, 1024, *t)
product_tma(2048, 2048, 1024, 128, 128, 64, 4, 3)
for t in ((8, 1024, 64, 128, 64, False, 4, 3), (8, 1024, 64, 128, 128, False, 8, 2), (8, 1024, 64, 128, 64, True, 4, 3), (8, 1024, 128, 128, 64, False, 8, 2), (16, 512, 64, 64, 64, False, 4, 2), (16, 2048, 64, 128, 64, True, 4, 3), (4, 512, 128, 64, 64, False, 4, 1), (32, 1024, 64, 128, 64, False, 4, 3)):
    attend(*t)
jobs.append(("softmax-2048x1000", softmax, (f, f, 1000, 1024), (2048, 1, 1), 4, 1, [4 * 2048 * 1000] * 2))
def compile(job):
    label, fn, arguments, grid, warps, stages, buffers = job
    try:
        k = fn.warmup(*arguments, grid=grid, num_warps=warps, num_stages=stages)
        md = k.metadata
        with open(f"{out}/{label}.cubin", "wb") as w:
            w.write(k.asm["cubin"])
        scratch_bytes = (getattr(md, "global_scratch_size", 0) or 0) * grid[0] * grid[1]
        return " ".join(map(str, [label, label + ".cubin", md.name, *grid, 32 * md.num_warps, md.shared, *buffers, scratch_bytes, 0]))
    except Exception:
        traceback.print_exc()
with open(f"{out}/plan.txt", "w") as w:
    for job in jobs:
        line = compile(job)
        if line:
            w.write(line + "\n")
            w.flush()
