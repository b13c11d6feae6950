# Triton kernels that do_bench_times.py measures, and the matrix product of triton_spaces.py and triton_choice.py.
import triton
import triton.language as tl


@triton.jit
def add(a, b, c, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(c + i, tl.load(a + i) + tl.load(b + i))


@triton.jit
def softmax(a, b, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    x = tl.load(a + i)
    e = tl.exp(x - tl.max(x, 0))
    tl.store(b + i, e / tl.sum(e, 0))


@triton.jit
def layer_norm(a, weight, bias, out, N: tl.constexpr):
    j = tl.arange(0, N)
    i = tl.program_id(0) * N + j
    x = tl.load(a + i)
    x = x - tl.sum(x, 0) / N
    x = x / tl.sqrt(tl.sum(x * x, 0) / N + 1e-5)
    tl.store(out + i, x * tl.load(weight + j) + tl.load(bias + j))


# c = a * b, of N x N halves, with tiles of T x T
@triton.jit
def product(a, b, c, N: tl.constexpr, T: tl.constexpr, K: tl.constexpr):
    i = tl.program_id(0) // (N // T) * T + tl.arange(0, T)
    j = tl.program_id(0) % (N // T) * T + tl.arange(0, T)
    k = tl.arange(0, K)
    total = tl.zeros((T, T), dtype=tl.float32)
    for at in range(0, N, K):
        total = tl.dot(tl.load(a + i[:, None] * N + at + k[None, :]), tl.load(b + (at + k)[:, None] * N + j[None, :]), total)
    tl.store(c + i[:, None] * N + j[None, :], total.to(tl.float16))


# The form of Triton's tutorial 03: groups of GROUP rows of tiles, which share what is in L2.
@triton.jit
def matmul(a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn, BM: tl.constexpr, BN: tl.constexpr,
           BK: tl.constexpr, GROUP: tl.constexpr):
    pid = tl.program_id(0)
    rows = tl.cdiv(M, BM)
    columns = tl.cdiv(N, BN)
    in_group = GROUP * columns
    first = pid // in_group * GROUP
    size = min(rows - first, GROUP)
    pid_m = first + (pid % in_group) % size
    pid_n = (pid % in_group) // size
    m = (pid_m * BM + tl.arange(0, BM)) % M
    n = (pid_n * BN + tl.arange(0, BN)) % N
    k = tl.arange(0, BK)
    a = a_ptr + m[:, None] * stride_am + k[None, :] * stride_ak
    b = b_ptr + k[:, None] * stride_bk + n[None, :] * stride_bn
    sum = tl.zeros((BM, BN), dtype=tl.float32)
    for at in range(0, tl.cdiv(K, BK)):
        x = tl.load(a, mask=k[None, :] < K - at * BK, other=0.0)
        y = tl.load(b, mask=k[:, None] < K - at * BK, other=0.0)
        sum = tl.dot(x, y, sum)
        a += BK * stride_ak
        b += BK * stride_bk
    m = pid_m * BM + tl.arange(0, BM)
    n = pid_n * BN + tl.arange(0, BN)
    c = c_ptr + stride_cm * m[:, None] + stride_cn * n[None, :]
    tl.store(c, sum.to(tl.float16), mask=(m[:, None] < M) & (n[None, :] < N))


@triton.jit
def attention(q, k, v, out, ROWS: tl.constexpr, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    base = tl.program_id(1) * ROWS * D
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    j, d = tl.arange(0, BN), tl.arange(0, D)
    mine = tl.load(q + base + i[:, None] * D + d[None, :])
    most = tl.full([BM], -1e30, dtype=tl.float32)
    sum = tl.zeros([BM], dtype=tl.float32)
    total = tl.zeros([BM, D], dtype=tl.float32)
    for at in range(0, ROWS, BN):
        s = tl.dot(mine, tl.load(k + base + (at + j)[None, :] * D + d[:, None])) * 0.18
        new = tl.maximum(most, tl.max(s, 1))
        p = tl.exp2(s - new[:, None])
        part = tl.exp2(most - new)
        sum = sum * part + tl.sum(p, 1)
        total = tl.dot(p.to(tl.float16), tl.load(v + base + (at + j)[:, None] * D + d[None, :]), total * part[:, None])
        most = new
    tl.store(out + base + i[:, None] * D + d[None, :], (total / sum[:, None]).to(tl.float16))
