# Cases for Triton: our kernels, one of which Triton tunes. The tutorials of Triton run unchanged.
import torch
import triton
import triton.language as tl

from cases import case, main


def random(*shape, dtype=torch.float32, seed=1):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed)).to(dtype).cuda()


@triton.jit
def transpose_kernel(a, b, n, T: tl.constexpr):
    i, j = tl.program_id(0) * T + tl.arange(0, T), tl.program_id(1) * T + tl.arange(0, T)
    tile = tl.load(a + i[:, None] * n + j[None, :])
    tl.store(b + j[:, None] * n + i[None, :], tl.trans(tile))


@case
def transpose():
    a = random(128, 128)
    b = torch.empty_like(a)
    transpose_kernel[(2, 2)](a, b, 128, T=64)
    return b


@triton.autotune([triton.Config({"T": t}, num_warps=w) for t in (32, 64) for w in (2, 4)], key=["n"])
@triton.jit
def product_kernel(a, b, c, n, T: tl.constexpr):
    i, j = tl.program_id(0) * T + tl.arange(0, T), tl.program_id(1) * T + tl.arange(0, T)
    total = tl.zeros((T, T), tl.float32)
    for k in range(0, n, T):
        l = k + tl.arange(0, T)
        total = tl.dot(tl.load(a + i[:, None] * n + l[None, :]), tl.load(b + l[:, None] * n + j[None, :]), total)
    tl.store(c + i[:, None] * n + j[None, :], total)


@case
def tuned_product():
    a, b = random(128, 128, dtype=torch.float16), random(128, 128, dtype=torch.float16, seed=2)
    c = torch.empty(128, 128, device="cuda")
    product_kernel[lambda m: (128 // m["T"], 128 // m["T"])](a, b, c, 128)
    return c


@triton.jit
def scan_kernel(a, b, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(a + tl.program_id(0) * N + i)
    tl.store(b + tl.program_id(0) * N + i, tl.cumsum(x, 0) + tl.sum(x, 0))


@case
def scan():
    a = random(8, 1024)
    b = torch.empty_like(a)
    scan_kernel[(8,)](a, b, N=1024)
    return b


@triton.jit
def sort_kernel(a, b, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(b + tl.program_id(0) * N + i, tl.sort(tl.load(a + tl.program_id(0) * N + i)))


@case
def sort():
    a = random(4, 512)
    b = torch.empty_like(a)
    sort_kernel[(4,)](a, b, N=512)
    return b


main()
