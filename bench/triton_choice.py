#!/usr/bin/env python3
"""Lets bankwise choose the configuration of Triton's matrix product (tutorial 03) without a GPU, and measures the choice. Needs Triton and PyTorch.
    bench/triton_choice.py choose FILE [M N K]     without a GPU: @bankwise.triton.autotune chooses, and writes its choice to FILE
    bench/triton_choice.py measure FILE            with a GPU: measures all configurations with Triton's do_bench
    bench/triton_choice.py [M N K]                 both, in two processes; no GPU is visible to the first
The configurations are those that the tutorial lists for f16 on CUDA. PYTHONPATH needs the package of python/, whose folder bankwise/program/bin
has the program, or a link to it.
"""
import json
import os
import subprocess
import sys
import tempfile
import time

import triton

from benchmark_kernels import matmul

SIZE = 2048, 2048, 2048
# BM, BN, BK, stages, warps; the groups have 8 rows of tiles
LISTED = [(128, 256, 64, 3, 8), (64, 256, 32, 4, 4), (128, 128, 32, 4, 4), (128, 64, 32, 4, 4), (64, 128, 32, 4, 4), (128, 32, 32, 4, 4),
          (64, 32, 32, 5, 2), (32, 64, 32, 5, 2)]
CONFIGS = [triton.Config(dict(BM=bm, BN=bn, BK=bk, GROUP=8), num_stages=stages, num_warps=warps) for bm, bn, bk, stages, warps in LISTED]


def words_of(config):
    return " ".join(f"{key}={value}" for key, value in config.all_kwargs().items() if value is not None)


def arguments(device, size):
    import torch

    m, n, k = size
    a, b = torch.rand((m, k), device=device).half(), torch.rand((k, n), device=device).half()
    c = torch.empty((m, n), device=device, dtype=torch.float16)
    return [a, b, c, m, n, k, a.stride(0), a.stride(1), b.stride(0), b.stride(1), c.stride(0), c.stride(1)]


def grid_of(size):
    return lambda meta: (triton.cdiv(size[0], meta["BM"]) * triton.cdiv(size[1], meta["BN"]),)


def choose(file, size):
    import bankwise
    import bankwise.triton
    import torch

    if torch.cuda.is_available():
        sys.exit("a GPU is visible: set CUDA_VISIBLE_DEVICES to nothing")
    begun = time.monotonic()
    args = arguments("cpu", size)
    tuned = bankwise.triton.tune(matmul, grid_of(size), args, CONFIGS, gpu="H200")
    seconds = time.monotonic() - begun
    predicted = [dict(configuration=words_of(one.config), microseconds=getattr(one.time, "microseconds", None), error=str(one.error or "")) for one in tuned]
    # The decorator must choose the same without the list. Its launch itself fails, because there is no GPU.
    tuner = bankwise.triton.autotune(CONFIGS, key=["M", "N", "K"], gpu="H200", do_bench=bankwise.triton.do_bench)(matmul)
    why = ""
    try:
        tuner[grid_of(size)](*args)
    except Exception as error:
        why = f"{type(error).__name__}: {error}"[:300]
    best = getattr(tuner, "best_config", None)
    with open(file, "w") as out:
        json.dump(dict(size=size, predicted=predicted, seconds=seconds, autotune=words_of(best) if best else "", launch=why), out, indent=1)
    print(f"without a GPU: {len(CONFIGS)} configurations compiled and predicted in {seconds:.1f} s; tune's first choice: {predicted[0]['configuration']}; "
          f"autotune's: {words_of(best) if best else 'none: ' + why}", flush=True)


def measure(file):
    with open(file) as given:
        chosen = json.load(given)
    size = chosen["size"]
    args = arguments("cuda", size)
    predicted = {one["configuration"]: one["microseconds"] for one in chosen["predicted"]}
    rows = []
    for config in CONFIGS:
        try:
            microseconds = triton.testing.do_bench(lambda: matmul[grid_of(size)](*args, **config.all_kwargs()), return_mode="median") * 1000
        except Exception as why:
            print(f"{words_of(config)}: {why}", flush=True)
            continue
        rows.append((microseconds, words_of(config)))
    for microseconds, words in sorted(rows):
        print(f"{words:70} measured {microseconds:8.1f} us   predicted {predicted.get(words) or float('nan'):8.1f} us")
    times = {words: microseconds for microseconds, words in rows}
    best, choice = min(rows), chosen["autotune"] or chosen["predicted"][0]["configuration"]
    print(f"best measured {best[0]:.1f} us: {best[1]}\nbankwise's choice {times[choice]:.1f} us, {100 * (times[choice] / best[0] - 1):.1f}% slower: {choice}")


def main(words):
    if words[:1] == ["choose"]:
        return choose(words[1], [int(one) for one in words[2:]] or list(SIZE))
    if words[:1] == ["measure"]:
        return measure(words[1])
    with tempfile.TemporaryDirectory() as folder:
        own, file = [sys.executable, os.path.abspath(__file__)], os.path.join(folder, "choice.json")
        subprocess.run([*own, "choose", file, *words], check=True, env=dict(os.environ, CUDA_VISIBLE_DEVICES=""))
        subprocess.run([*own, "measure", file], check=True)


main(sys.argv[1:])
