#!/usr/bin/env python3
"""Compiles three spaces of Triton for bench/measure_spaces.py: a matrix product, softmax, attention. Needs Triton, PyTorch and a GPU.
    bench/triton_spaces.py          writes cubins/triton-*.jsonl with their cubins into the folder SPACES (build/spaces by default)
The kernels have the form of Triton's tutorials 02, 03 and 06. A line has the keys of `bankwise run --batch`.
"""
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys
import traceback

import torch
import triton
import triton.language as tl

from benchmark_kernels import matmul
from measure_spaces import write_list

ROOT = pathlib.Path(__file__).resolve().parents[1]
FOLDER = pathlib.Path(os.environ.get("SPACES", ROOT / "build/spaces")).resolve()
MOST_SHARED = 227 * 1024


@triton.jit
def softmax(out_ptr, in_ptr, N: tl.constexpr, ROWS: tl.constexpr, TILES: tl.constexpr):
    column = tl.arange(0, N)
    for tile in range(0, TILES):
        row = (tl.program_id(0) * TILES + tile) * ROWS + tl.arange(0, ROWS)
        at = row[:, None] * N + column[None, :]
        x = tl.load(in_ptr + at)
        e = tl.exp(x - tl.max(x, 1)[:, None])
        tl.store(out_ptr + at, e / tl.sum(e, 1)[:, None])


@triton.jit
def attention(q_ptr, k_ptr, v_ptr, o_ptr, scale, L: tl.constexpr, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    base = tl.program_id(1) * L * D
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    n = tl.arange(0, BN)
    q = tl.load(q_ptr + base + m[:, None] * D + d[None, :])
    most = tl.full([BM], -1e30, dtype=tl.float32)
    total = tl.zeros([BM], dtype=tl.float32)
    sum = tl.zeros([BM, D], dtype=tl.float32)
    for at in range(0, L, BN):
        k = tl.load(k_ptr + base + (at + n)[None, :] * D + d[:, None])
        s = tl.dot(q, k) * scale
        high = tl.maximum(most, tl.max(s, 1))
        p = tl.exp2(s - high[:, None])
        shrink = tl.exp2(most - high)
        total = total * shrink + tl.sum(p, 1)
        v = tl.load(v_ptr + base + (at + n)[:, None] * D + d[None, :])
        sum = tl.dot(p.to(tl.float16), v, sum * shrink[:, None])
        most = high
    tl.store(o_ptr + base + m[:, None] * D + d[None, :], (sum / total[:, None]).to(tl.float16))


SIZE = 2048, 2048, 1024          # of the matrix product: M, N, K
ROWS, WIDTH = 8192, 1024         # of softmax
HEADS, LENGTH, DEPTH = 16, 1024, 64


def spaces():
    """Yields space, configuration by name, kernel, arguments, constants, grid, and the words of --arg for the pointers."""
    half, single = (torch.empty(1 << 12, device="cuda", dtype=kind) for kind in (torch.float16, torch.float32))
    m, n, k = SIZE
    for bm, bn, bk, warps, stages in itertools.product((64, 128, 256), (64, 128, 256), (32, 64), (4, 8), (3, 4)):
        if bm * bn <= 32768 and (bm * bn > 4096 or warps == 4) and (bm * bn < 32768 or warps == 8):
            yield ("triton-matmul", dict(BM=bm, BN=bn, BK=bk, num_warps=warps, num_stages=stages), matmul,
                   (half, half, half, m, n, k, k, 1, n, 1, n, 1), dict(BM=bm, BN=bn, BK=bk, GROUP=8), (-(-m // bm) * -(-n // bn),),
                   [f"f16[{m * k}]=random:1", f"f16[{k * n}]=random:2", f"out:f16[{m * n}]"])
    for rows, tiles, warps in itertools.product((1, 2, 4, 8), (1, 4), (1, 2, 4, 8, 16)):
        if rows * WIDTH <= warps * 32 * 128:
            yield ("triton-softmax", dict(ROWS=rows, TILES=tiles, num_warps=warps), softmax, (single, single),
                   dict(N=WIDTH, ROWS=rows, TILES=tiles), (ROWS // rows // tiles,), [f"out:f32[{ROWS * WIDTH}]", f"f32[{ROWS * WIDTH}]=random:1"])
    for bm, bn, warps, stages in itertools.product((32, 64, 128), (32, 64, 128), (4, 8), (1, 2, 3)):
        if bm > 32 or warps == 4:
            count = HEADS * LENGTH * DEPTH
            yield ("triton-attention", dict(BM=bm, BN=bn, num_warps=warps, num_stages=stages), attention, (half, half, half, half, 0.18),
                   dict(L=LENGTH, D=DEPTH, BM=bm, BN=bn), (LENGTH // bm, HEADS), [*(f"f16[{count}]=random:{seed}" for seed in (1, 2, 3)), f"out:f16[{count}]"])


def compiled(configuration, kernel, arguments, constants, grid):
    options = {name: configuration[name] for name in ("num_warps", "num_stages") if name in configuration}
    return kernel.warmup(*arguments, grid=grid, **constants, **options)


def line_of(number, space, configuration, kernel, arguments, constants, grid, buffers):
    made = compiled(configuration, kernel, arguments, constants, grid)
    if made.metadata.shared > MOST_SHARED:
        raise ValueError(f"{made.metadata.shared} bytes of shared memory")
    words, values = [], dict(zip(kernel.arg_names, arguments))
    pointers = iter(buffers)
    for name, kind in made.src.signature.items():
        kind = str(kind)
        if kind.startswith("*"):
            words.append(next(pointers))
        elif kind != "constexpr":
            words.append(f"{kind.replace('fp', 'f')}={values[name]}")
    scratch = (getattr(made.metadata, "global_scratch_size", 0) or 0) * grid[0] * (grid[1] if len(grid) > 1 else 1)
    # Triton's launcher passes two more pointers: scratch in global memory, and the memory of its profiler.
    words += [f"u8[{scratch}]=zero" if scratch else "u64=0", "u64=0"]
    threads = re.search(r"\.(?:reqntid|maxntid)\s+(\d+)", str(made.asm.get("ptx", "")))
    file = f"cubins/{space}/{number}.cubin"
    (FOLDER / file).write_bytes(made.asm["cubin"])
    name = " ".join(f"{key}={value}" for key, value in configuration.items())
    return {"name": name, "file": file, "kernel": made.metadata.name, "grid": list(grid), "block": [int(threads[1]) if threads else 32 * made.metadata.num_warps],
            "shared": made.metadata.shared, "args": words}


def work(part, of):
    """Compiles every `of`-th configuration, and writes their lines with their numbers."""
    with open(FOLDER / "cubins" / f"triton-part{part}", "w") as out:
        for number, (space, *one) in enumerate(spaces()):
            if number % of != part:
                continue
            try:
                out.write(json.dumps([number, space, line_of(number, space, *one)]) + "\n")
                out.flush()
            except Exception:
                print(f"{space} {one[0]}: not compiled: {traceback.format_exc()[-600:]}", flush=True)


def main():
    if sys.argv[1:2] == ["--work"]:
        return work(*map(int, sys.argv[2:4]))
    names = list(dict.fromkeys(space for space, *_ in spaces()))
    for name in names:
        (FOLDER / "cubins" / name).mkdir(parents=True, exist_ok=True)
    count = max(1, os.cpu_count() // 2)  # nvcc works at the same time
    workers = [subprocess.Popen([sys.executable, __file__, "--work", str(part), str(count)]) for part in range(count)]
    for worker in workers:
        worker.wait()
    lines = []
    for part in range(count):
        file = FOLDER / "cubins" / f"triton-part{part}"
        if file.exists():
            lines += [json.loads(line) for line in file.read_text().splitlines()]
            file.unlink()
    for name in names:
        own = [line for _, space, line in sorted(lines, key=lambda one: one[0]) if space == name]
        write_list(name, own)
        print(f"{name:16} {len(own):4} compiled", flush=True)


main()
