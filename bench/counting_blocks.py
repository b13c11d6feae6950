#!/usr/bin/env python3
"""Seconds that exact counts take, from 1 to 2^20 blocks: writes docs/counting.csv and docs/counting.svg.

    bench/counting_blocks.py [BANKWISE]      by default build/release/cli/bankwise
"""
import csv, subprocess, sys, time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BANKWISE = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/release/cli/bankwise")
REPEAT = 3
TRANSPOSE = ["examples/transpose.cubin", "-k", "transpose_plain", "--block", "32,8"]
STENCIL = ["examples/stencil.cubin", "-k", "stencil", "--block", "128", "--shared", "528"]


def transpose(power):
    wide, high = 1 << (power + 1) // 2, 1 << power // 2
    n = 32 * wide
    return [*TRANSPOSE, "--grid", f"{wide},{high}", "--arg", f"out:f32[{n * n}]", "--arg", f"f32[{n * n}]=zero", "--arg", f"i32={n}"]


def stencil(power):
    n = (1 << power) * 128 - 20  # the last block is not full
    return [*STENCIL, "--grid", str(1 << power), "--arg", f"out:f32[{n}]", "--arg", f"f32[{n}]=zero", "--arg", f"i32={n}", "--arg", "i32=2"]


# Title, arguments by the logarithm of the blocks, those that execute everything.
SERIES = [("transpose, counts alone", transpose, []), ("stencil with edges, counts alone", stencil, []),
          ("transpose, every block (--faults)", transpose, ["--faults", "report"])]
MOST = 60  # seconds, then a series ends


def seconds(arguments):
    best = None
    for _ in range(REPEAT):
        begun = time.monotonic()
        subprocess.run([BANKWISE, "run", "--threads", "1", *arguments], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        took = time.monotonic() - begun
        best = took if best is None else min(best, took)
        if took > 1:
            break
    return best


def draw(rows):
    from math import log10
    wide, high, left, top = 640, 300, 60, 20
    x = lambda power: left + power / 20 * (wide - left - 200)
    y = lambda s: top + (2 - log10(s)) / 5 * (high - top - 50)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" font-family="sans-serif" font-size="12">',
           "<style>text{fill:#222}.g{stroke:#ccc}@media(prefers-color-scheme:dark){text{fill:#ddd}.g{stroke:#444}}</style>"]
    for exponent in range(-3, 3):
        at = y(10.0 ** exponent)
        out.append(f'<line class="g" x1="{left}" x2="{x(20)}" y1="{at:.1f}" y2="{at:.1f}"/>')
        out.append(f'<text x="{left - 8}" y="{at + 4:.1f}" text-anchor="end">{10.0 ** exponent:g} s</text>')
    for power in range(0, 21, 5):
        out.append(f'<text x="{x(power):.1f}" y="{high - 26}" text-anchor="middle">{1 << power:,}</text>')
    out.append(f'<text x="{(left + x(20)) / 2:.1f}" y="{high - 8}" text-anchor="middle">blocks</text>')
    for (title, _, _), colour in zip(SERIES, ("#1a7f37", "#0969da", "#bf3989")):
        points = [(int(r["blocks"]).bit_length() - 1, float(r["seconds"])) for r in rows if r["series"] == title]
        out.append(f'<polyline fill="none" stroke="{colour}" stroke-width="2" points="' +
                   " ".join(f"{x(p):.1f},{y(s):.1f}" for p, s in points) + '"/>')
        out.append(f'<text x="{x(points[-1][0]) + 6:.1f}" y="{y(points[-1][1]) + (14 if colour == "#0969da" else -2):.1f}" style="fill:{colour}">{title}</text>')
    return "\n".join(out + ["</svg>"]) + "\n"


rows = []
for title, arguments, flags in SERIES:
    for power in range(0, 21, 2):
        took = seconds([*flags, *arguments(power)])
        rows.append({"series": title, "blocks": 1 << power, "seconds": f"{took:.3f}"})
        print(rows[-1], flush=True)
        if took > MOST:
            break
with open(ROOT / "docs/counting.csv", "w", newline="") as f:
    w = csv.DictWriter(f, ["series", "blocks", "seconds"], lineterminator="\n")
    w.writeheader()
    w.writerows(rows)
(ROOT / "docs/counting.svg").write_text(draw(rows))
