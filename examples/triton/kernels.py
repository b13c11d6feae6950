"""Triton kernels that use shared memory. README.md describes their results and costs.

    python3 kernels.py FOLDER        on a GPU: compiles and runs the launches of launches.csv; writes each one's cubin to
                                     FOLDER, and launches.csv with the shared memory and the results' CRC-32
    python3 kernels.py               only runs them, for a profiler
"""
import csv
import os
import re
import sys
import zlib

import numpy as np
import torch
import triton
import triton.language as tl


@triton.jit
def softmax(out, x, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    v = tl.load(x + row * stride + at, mask=at < n, other=-float("inf"))
    v = v - tl.max(v, axis=0)
    e = tl.exp(v)
    tl.store(out + row * stride + at, e / tl.sum(e, axis=0), mask=at < n)

@triton.jit
def layer_norm(out, x, w, b, stride, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    v = tl.load(x + row * stride + at, mask=at < n, other=0.0)
    mean = tl.sum(v, axis=0) / n
    d = tl.where(at < n, v - mean, 0.0)
    var = tl.sum(d * d, axis=0) / n
    y = d / tl.sqrt(var + eps) * tl.load(w + at, mask=at < n) + tl.load(b + at, mask=at < n)
    tl.store(out + row * stride + at, y, mask=at < n)

@triton.jit
def transpose(out, x, m, n, BM: tl.constexpr, BN: tl.constexpr):
    pm, pn = tl.program_id(0), tl.program_id(1)
    i, j = pm * BM + tl.arange(0, BM), pn * BN + tl.arange(0, BN)
    v = tl.load(x + i[:, None] * n + j[None, :])
    tl.store(out + j[:, None] * m + i[None, :], tl.trans(v))

@triton.jit
def cumsum(out, x, BM: tl.constexpr, BN: tl.constexpr):
    i, j = tl.program_id(0) * BM + tl.arange(0, BM), tl.arange(0, BN)
    v = tl.load(x + i[:, None] * BN + j[None, :])
    tl.store(out + i[:, None] * BN + j[None, :], tl.cumsum(v, axis=1))

@triton.jit
def sort(out, x, BN: tl.constexpr):
    j = tl.program_id(0) * BN + tl.arange(0, BN)
    tl.store(out + j, tl.sort(tl.load(x + j)))

@triton.jit
def histogram(out, x, BLOCK: tl.constexpr, BINS: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    h = tl.histogram(tl.load(x + at) & (BINS - 1), BINS)
    tl.atomic_add(out + tl.arange(0, BINS), h)

@triton.jit
def matmul(c, a, b, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, PREC: tl.constexpr):
    pm, pn = tl.program_id(0), tl.program_id(1)
    i, j, l = pm * BM + tl.arange(0, BM), pn * BN + tl.arange(0, BN), tl.arange(0, BK)
    pa = a + i[:, None] * k + l[None, :]
    pb = b + l[:, None] * n + j[None, :]
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for s in range(0, k, BK):
        acc = tl.dot(tl.load(pa), tl.load(pb), acc, input_precision=PREC)
        pa += BK
        pb += BK * n
    tl.store(c + i[:, None] * n + j[None, :], acc)

@triton.jit
def attention(out, q, k, v, n, scale, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    i, d = tl.program_id(0) * BM + tl.arange(0, BM), tl.arange(0, D)
    qt = tl.load(q + i[:, None] * D + d[None, :])
    top = tl.full([BM], -float("inf"), tl.float32)
    total = tl.zeros([BM], tl.float32)
    acc = tl.zeros([BM, D], tl.float32)
    for s in range(0, n, BN):
        j = s + tl.arange(0, BN)
        kt = tl.load(k + j[None, :] * D + d[:, None])
        p = tl.dot(qt, kt) * scale
        higher = tl.maximum(top, tl.max(p, 1))
        p = tl.exp(p - higher[:, None])
        shrink = tl.exp(top - higher)
        total = total * shrink + tl.sum(p, 1)
        acc = acc * shrink[:, None]
        acc = tl.dot(p.to(tl.float16), tl.load(v + j[:, None] * D + d[None, :]), acc)
        top = higher
    tl.store(out + i[:, None] * D + d[None, :], acc / total[:, None])


# --- the launches ---


def random_bits(seed, count):
    """Returns the numbers of --arg f32[N]=random:SEED in bankwise run, by SplitMix64."""
    index = np.arange(1, count + 1, dtype=np.uint64)
    with np.errstate(over="ignore"):
        z = np.uint64(seed * 0x2545F4914F6CDD1D % 2**64) + index * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ z >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ z >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return z ^ z >> np.uint64(31)


def argument(text):
    """Makes a tensor or a number from the text of an --arg."""
    if "[" not in text:
        kind, value = text.split("=")
        return float(value) if kind.startswith("f") else int(value)
    kind, count, fill = re.fullmatch(r"(?:out:)?(\w+)\[([\d*]+)\](?:=(.*))?", text).groups()
    count = int(np.prod([int(n) for n in count.split("*")]))
    dtype = {"f32": np.float32, "f16": np.float16, "i32": np.int32}[kind]
    if fill is None or fill == "zero":
        data = np.zeros(count, dtype)
    else:
        bits = random_bits(int(fill.removeprefix("random:")), count)
        if kind == "i32":
            data = bits.astype(np.uint32).view(np.int32)
        else:
            digits = 24 if kind == "f32" else 11
            data = ((bits >> np.uint64(64 - digits)).astype(np.float64) * 2.0**-digits).astype(dtype)
    return torch.from_numpy(data).cuda()


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else None
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "launches.csv")) as table:
        rows = list(csv.DictReader(table))
    for row in rows:
        arguments = [argument(text) for text in row["args"].split()][:-2]  # without the two arguments that Triton adds
        constants = {k: int(v) if v.isdigit() else v for k, v in (c.split("=") for c in row["constants"].split())}
        grid = tuple(int(n) for n in row["grid"].split(","))
        compiled = globals()[row["kernel"]][grid](*arguments, num_warps=int(row["block"]) // 32, **constants)
        torch.cuda.synchronize()
        row["shared"] = compiled.metadata.shared
        row["crc32"] = "%08x" % zlib.crc32(arguments[0].cpu().numpy().tobytes())
        if folder:
            cubin = compiled.asm["cubin"]
            # Replaces the path of the installed Triton by a path of the same length that only has the last folders.
            installed = os.path.dirname(tl.__file__).encode()
            cubin = cubin.replace(installed + b"\0", b"triton/language".ljust(len(installed), b"/") + b"\0")
            with open(os.path.join(folder, row["program"] + ".cubin"), "wb") as out:
                out.write(cubin)
    if folder:
        with open(os.path.join(folder, "launches.csv"), "w") as table:
            writer = csv.DictWriter(table, rows[0].keys(), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()
