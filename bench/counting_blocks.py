#!/usr/bin/env python3
"""Measures the seconds that exact counts take for 1 to 2^20 blocks, and writes docs/counting.csv and docs/counting.svg.

    bench/counting_blocks.py [BANKWISE]      by default build/release/cli/bankwise
    bench/counting_blocks.py --draw          only the picture, from the existing table
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


# A series: its title, a function that makes the arguments from the logarithm of the number of blocks, and the sizes for
# which all blocks are executed.
SERIES = [("transpose, counts alone", transpose, []), ("stencil with edges, counts alone", stencil, []),
          ("transpose, every block (--faults)", transpose, ["--faults", "report"])]
MOST = 60  # a series ends after this number of seconds


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
    wide, high, left, top = 660, 300, 60, 20
    x = lambda power: left + power / 20 * (wide - left - 220)
    y = lambda s: top + (2 - log10(s)) / 5 * (high - top - 50)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" font-family="sans-serif" font-size="12">',
           "<style>svg{background:#fff}text{fill:#222}.g{stroke:#ccc}polyline{fill:none;stroke-width:2}"
           ".a{--c:#1a6b35}.b{--c:#0a58ca}.c{--c:#a3267a}text.a,text.b,text.c{fill:var(--c)}polyline{stroke:var(--c)}"
           "@media(prefers-color-scheme:dark){svg{background:#16181c}text{fill:#ddd}.g{stroke:#444}"
           ".a{--c:#7fd699}.b{--c:#7db3ff}.c{--c:#f7a6d6}}</style>"]
    for exponent in range(-3, 3):
        at = y(10.0 ** exponent)
        out.append(f'<line class="g" x1="{left}" x2="{x(20)}" y1="{at:.1f}" y2="{at:.1f}"/>')
        out.append(f'<text x="{left - 8}" y="{at + 4:.1f}" text-anchor="end">{10.0 ** exponent:g} s</text>')
    for power in range(0, 21, 5):
        out.append(f'<text x="{x(power):.1f}" y="{high - 26}" text-anchor="middle">{1 << power:,}</text>')
    out.append(f'<text x="{(left + x(20)) / 2:.1f}" y="{high - 8}" text-anchor="middle">blocks</text>')
    lines = [(title, colour, [(int(r["blocks"]).bit_length() - 1, float(r["seconds"])) for r in rows if r["series"] == title])
             for (title, _, _), colour in zip(SERIES, "abc")]
    lowest = -14.0
    for title, colour, points in sorted(lines, key=lambda line: -line[2][-1][1]):
        out.append(f'<polyline class="{colour}" points="' + " ".join(f"{x(p):.1f},{y(s):.1f}" for p, s in points) + '"/>')
        lowest = max(lowest + 15, y(points[-1][1]) + 4)  # moves the labels apart if lines end close to each other
        out.append(f'<text class="{colour}" x="{x(points[-1][0]) + 8:.1f}" y="{lowest:.1f}">{title}</text>')
    return "\n".join(out + ["</svg>"]) + "\n"


if sys.argv[1:] == ["--draw"]:
    with open(ROOT / "docs/counting.csv", newline="") as f:
        (ROOT / "docs/counting.svg").write_text(draw(list(csv.DictReader(f))))
    sys.exit()
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
