#!/usr/bin/env python3
"""Rows of data/sm_90/nvdisasm.txt.zst, "file kernel pc text", from listings of nvdisasm:

    for f in examples/*.cubin examples/t*/*.cubin tests/kernels/*.cubin barriers.cubin probes.cubin wgmma.cubin; do echo "== $f"; nvdisasm
    -c -hex $f; done |
        python3 tests/sass/disassembly_rows.py | zstd -19 -o data/sm_90/nvdisasm.txt.zst

An encoding has one row, its first; schedules do not count. Labels are replaced by their pc.

With --encodings the rows are those of data/sm_80/nvdisasm.txt.zst and the other architectures, which need no cubin: both
halves of the encoding and the pc, in hexadecimal, a tab, and the text.
"""
import re
import sys

encodings = sys.argv[1:] == ["--encodings"]

schedule = ((1 << 17) - 1) << 41  # bits 105 to 121 of an instruction, which are its schedule

seen = set()


def write(file, kernel, rows, labels):
    for pc, text, low, high in rows:
        key = low, high & ~schedule
        if key not in seen:
            seen.add(key)
            if any(label not in labels for label in re.findall(r"`\(([^)]*)\)", text)):
                continue  # the row belongs to a different section
            text = re.sub(r"`\(([^)]*)\)", lambda m: hex(labels[m.group(1)]), text)
            print(f"{high:016x} {low:016x} {pc:x}\t{text}" if encodings else f"{file} {kernel} {pc:x} {text}")


file = kernel = first = None
rows, labels, waiting = [], {}, []
for line in sys.stdin:
    if m := re.match(r"== .*?((?:examples|tests/kernels)/\S+|[^\s/]+)$", line):
        next_file, next_kernel = m.group(1), None
    elif m := re.match(r"\s*\.section\s+\.text\.([^,\s]+)", line):
        next_file, next_kernel = file, m.group(1)
    elif m := re.match(r"([.$\w]+):\s*$", line):
        waiting.append(m.group(1))
        continue
    elif m := re.match(r"\s+/\*([0-9a-f]{4,})\*/\s+(.*?)\s*/\* 0x([0-9a-f]{16}) \*/", line):
        pc = int(m.group(1), 16)
        labels.update((label, pc) for label in waiting)
        waiting = []
        # For BRX, nvdisasm prints a comment with the targets after the instruction, and no semicolon.
        text = re.sub(r'\s*\(\*".*?"\*\)', "", m.group(2)).rstrip("; ")
        first = pc, text, int(m.group(3), 16)
        continue
    elif m := re.match(r"\s+/\* 0x([0-9a-f]{16}) \*/", line):
        if first:  # None if nvdisasm printed no text for this encoding
            rows.append((*first, int(m.group(1), 16)))
        first = None
        continue
    else:
        continue
    write(file, kernel, rows, labels)
    file, kernel = next_file, next_kernel
    rows, labels, waiting = [], {}, []
write(file, kernel, rows, labels)
