#!/usr/bin/env python3
"""Writes probes.ptx and probes.list: small kernels, about one for each form of an instruction that sm_90 has.

    probes.py FOLDER [ARCH]
    probes.py --barriers FOLDER     the same for mbarriers and bulk copies: barriers.ptx, barriers.list
    probes.py --wgmma FOLDER        and for the matrices of warp groups, for sm_90a
    probes.py --clusters FOLDER     and for clusters: their registers, barrier and shared memory
    probes.py --tma FOLDER          and for tensor copies; these kernels have a tensor map as their fourth parameter
    probes.py --matrices FOLDER     and for matrices, comparisons of halves and uniform floats, for which others have instructions
    probes.py --NAME FOLDER ARCH    a set for another architecture: NAME.ptx, NAME.cubin

Every kernel is NAME(const void* in, uint32_t* out, 64 bytes by value). A thread loads its operands from the regions of
inputs.hpp, executes the instruction and stores its result words one after another at out[thread * words].
"""
import bisect
import itertools
import os
import re
import subprocess
import sys

ELEMENTS = 256
here = os.path.dirname(os.path.abspath(__file__))


def read_regions():
    """Name -> (offset, bytes of an element), as the table in inputs.hpp has them."""
    table, at = {}, 0
    with open(os.path.join(here, "inputs.hpp")) as f:
        text = f.read()
    text = text[text.index("constexpr region regions[]"):]
    for name, size, slots in re.findall(r'\{"(\w+)", (\d+), (\d+)\}', text[:text.index("};")]):
        table[name] = (at, int(size))
        at += int(size) * int(slots) * ELEMENTS
    return table


regions = read_regions()
kernels = []  # (name, grid, block, words of output, text)
names = set()

TEMPORARIES = """  .reg .pred %p, %q, %u, %v;
  .reg .b16 %h<24>;
  .reg .b32 %t<24>, %id, %lane, %block;
  .reg .b64 %l<12>, %in, %out, %in2, %in4, %in8, %in16;
"""
OPERANDS = "abcijkmn"
RESULTS = "defgrstw"


def dims(n):
    return n if isinstance(n, tuple) else (n, 1, 1)


def probe(name, operands, results, body, block=ELEMENTS, grid=1, declare=""):
    """operands: regions, ":16" or ":8" takes the low bits of an element; they arrive in %a, %b, %c, %i ... .
    results: widths, "p" for a predicate; the body leaves them in %d, %e, %f, %g ... ."""
    assert name not in names, name
    names.add(name)
    operands, results = operands.split(), results.split()
    text = TEMPORARIES
    loads, used = "", {}
    for register, operand in zip(OPERANDS, operands):
        region, _, bits = operand.partition(":")
        offset, size = regions[region]
        slot = used.get(region, 0)
        used[region] = slot + 1
        width = int(bits) if bits else size * 8
        text += f"  .reg .b{max(width, 16)} %{register};\n"
        kind = "u8" if width == 8 else f"b{width}"
        loads += f"  ld.global.{kind} %{register}, [%in{size} + {offset + slot * ELEMENTS * size}];\n"
    words, stores = 0, ""
    for register, width in zip(RESULTS, results):
        if width == "p":
            text += f"  .reg .pred %{register};\n"
            stores += f"  selp.b32 %t23, 1, 0, %{register};\n  st.global.b32 [%out + {words * 4}], %t23;\n"
        elif width == "16":
            text += f"  .reg .b16 %{register};\n"
            stores += f"  cvt.u32.u16 %t23, %{register};\n  st.global.b32 [%out + {words * 4}], %t23;\n"
        elif width == "64":  # split into two parts, because an access to three words is not 8-byte aligned
            text += f"  .reg .b64 %{register};\n"
            stores += (f"  mov.b64 {{%t22, %t23}}, %{register};\n  st.global.b32 [%out + {words * 4}], %t22;\n"
                       f"  st.global.b32 [%out + {words * 4 + 4}], %t23;\n")
        else:
            text += f"  .reg .b32 %{register};\n"
            stores += f"  st.global.b32 [%out + {words * 4}], %{register};\n"
        words += 2 if width == "64" else 1
    finish(name, text, loads, body, stores, words, block, grid, declare)


def memory_probe(name, words, body, block=ELEMENTS, grid=1, declare="", head="", parameters=""):
    """The body itself writes `words` words of each thread at %out."""
    assert name not in names, name
    names.add(name)
    finish(name, TEMPORARIES, "", body, "", words, block, grid, declare, head, parameters)


def finish(name, text, loads, body, stores, words, block, grid, declare, head="", parameters=""):
    block, grid = dims(block), dims(grid)
    body = "".join(f"  {line.strip()}\n" for line in body.strip().splitlines())
    text = f"""{declare}.visible .entry {name}(.param .u64 in, .param .u64 out, .param .align 8 .b8 values[64]{parameters}) {head}{{
{text}  ld.param.u64 %in, [in];
  ld.param.u64 %out, [out];
"""
    everything = loads + body + stores
    if block[1:] == (1, 1):
        text += "  mov.u32 %id, %tid.x;\n"
    else:
        text += """  mov.u32 %id, %tid.z;
  mov.u32 %t23, %ntid.y;
  mov.u32 %t22, %tid.y;
  mad.lo.u32 %id, %id, %t23, %t22;
  mov.u32 %t23, %ntid.x;
  mov.u32 %t22, %tid.x;
  mad.lo.u32 %id, %id, %t23, %t22;
"""
    if "%lane" in everything:
        text += "  mov.u32 %lane, %laneid;\n"
    for size in (2, 4, 8, 16):
        if re.search(rf"%in{size}\b", everything):
            text += f"  mad.wide.u32 %in{size}, %id, {size}, %in;\n"
    if grid == (1, 1, 1):
        text += f"  mad.wide.u32 %out, %id, {words * 4}, %out;\n"
    else:
        threads = block[0] * block[1] * block[2]
        text += f"""  mov.u32 %block, %ctaid.z;
  mov.u32 %t22, %nctaid.y;
  mov.u32 %t23, %ctaid.y;
  mad.lo.u32 %block, %block, %t22, %t23;
  mov.u32 %t22, %nctaid.x;
  mov.u32 %t23, %ctaid.x;
  mad.lo.u32 %block, %block, %t22, %t23;
  mad.lo.u32 %block, %block, {threads}, %id;
  mad.wide.u32 %out, %block, {words * 4}, %out;
"""
    text += everything + "  ret;\n}\n"
    total = words
    for n in block + grid:
        total *= n
    assert total <= 8192, (name, total)
    kernels.append((name, grid, block, total, text))


def mangled(*parts):
    return "_".join(p.strip(".").replace(".", "_").replace("::", "_") for p in parts if p)


def int_region(bits):
    return {8: "i32:8", 16: "i32:16", 32: "i32", 64: "i64"}[bits]


FLOAT_REGION = {"f16": "h2:16", "f16x2": "h2", "bf16": "b2:16", "bf16x2": "b2", "f32": "f32", "f64": "f64"}
WIDTH = {"f16": "16", "f16x2": "32", "bf16": "16", "bf16x2": "32", "f32": "32", "f64": "64"}
HALVES = ("f16", "f16x2", "bf16", "bf16x2")
ROUNDINGS = (".rn", ".rz", ".rm", ".rp")


def bits_of(t):
    return int(re.search(r"\d+", t).group())


# --- integers ---


def integers():
    for t in ("u16", "s16", "u32", "s32", "u64", "s64"):
        w = bits_of(t)
        r, d = int_region(w), str(w)
        for op in ("add", "sub", "mul.lo", "mul.hi", "min", "max", "div", "rem"):
            if t.startswith("u") and op in ("add", "sub", "mul.lo") and w != 16:
                continue  # tested by the signed variants
            probe(mangled(op, t), f"{r} {r}", d, f"{op}.{t} %d, %a, %b;")
        probe(mangled("mad.lo", t), f"{r} {r} {r}", d, f"mad.lo.{t} %d, %a, %b, %c;")
        probe(mangled("mad.hi", t), f"{r} {r} {r}", d, f"mad.hi.{t} %d, %a, %b, %c;")
        probe(mangled("sad", t), f"{r} {r} {r}", d, f"sad.{t} %d, %a, %b, %c;")
        if w < 64:
            wide = int_region(2 * w)
            probe(mangled("mul.wide", t), f"{r} {r}", str(2 * w), f"mul.wide.{t} %d, %a, %b;")
            probe(mangled("mad.wide", t), f"{r} {r} {wide}", str(2 * w), f"mad.wide.{t} %d, %a, %b, %c;")
        if t.startswith("s"):
            probe(mangled("abs", t), r, d, f"abs.{t} %d, %a;")
            probe(mangled("neg", t), r, d, f"neg.{t} %d, %a;")
    for t in ("u16x2", "s16x2"):
        for op in ("add", "min", "max"):
            probe(mangled(op, t), "i32 i32", "32", f"{op}.{t} %d, %a, %b;")
    for op in ("min", "max"):
        probe(mangled(op, "relu_s16x2"), "i32 i32", "32", f"{op}.relu.s16x2 %d, %a, %b;")
        probe(mangled(op, "relu_s32"), "i32 i32", "32", f"{op}.relu.s32 %d, %a, %b;")
        probe(mangled("add", op, "s32"), "i32 i32 i32", "32", f"add.s32 %t0, %a, %b;\n{op}.s32 %d, %t0, %c;")
        probe(mangled("add", op, "u32"), "i32 i32 i32", "32", f"add.u32 %t0, %a, %b;\n{op}.u32 %d, %t0, %c;")
        probe(mangled("add", op, "relu_s32"), "i32 i32 i32", "32", f"add.s32 %t0, %a, %b;\n{op}.relu.s32 %d, %t0, %c;")
        probe(mangled("add", op, "s16x2"), "i32 i32 i32", "32", f"add.s16x2 %t0, %a, %b;\n{op}.s16x2 %d, %t0, %c;")
        probe(mangled("add", op, "relu_s16x2"), "i32 i32 i32", "32",
              f"add.s16x2 %t0, %a, %b;\n{op}.relu.s16x2 %d, %t0, %c;")
        for t in ("s32", "u32", "s16x2", "u16x2"):
            probe(mangled(op, "3", t), "i32 i32 i32", "32", f"{op}.{t} %t0, %a, %b;\n{op}.{t} %d, %t0, %c;")
    probe("min_max_s32", "i32 i32 i32", "32", "min.s32 %t0, %a, %b;\nmax.s32 %d, %t0, %c;")
    probe("max_min_u32", "i32 i32 i32", "32", "max.u32 %t0, %a, %b;\nmin.u32 %d, %t0, %c;")
    probe("add_sat_s32", "i32 i32", "32", "add.sat.s32 %d, %a, %b;")
    probe("sub_sat_s32", "i32 i32", "32", "sub.sat.s32 %d, %a, %b;")
    probe("mad_hi_sat_s32", "i32 i32 i32", "32", "mad.hi.sat.s32 %d, %a, %b, %c;")
    for t in ("u32", "s32"):
        for half in ("lo", "hi"):
            probe(f"mul24_{half}_{t}", "i32 i32", "32", f"mul24.{half}.{t} %d, %a, %b;")
            probe(f"mad24_{half}_{t}", "i32 i32 i32", "32", f"mad24.{half}.{t} %d, %a, %b, %c;")
    probe("mad24_hi_sat_s32", "i32 i32 i32", "32", "mad24.hi.sat.s32 %d, %a, %b, %c;")

    # carries
    probe("add_cc_u32", "i32 i32", "32 32", "add.cc.u32 %d, %a, %b;\naddc.u32 %e, 0, 0;")
    probe("add_cc_chain_u32", "i64 i64", "32 32 32", """mov.b64 {%t0, %t1}, %a;
          mov.b64 {%t2, %t3}, %b;
          add.cc.u32 %d, %t0, %t2;
          addc.cc.u32 %e, %t1, %t3;
          addc.u32 %f, 0, 0;""")
    probe("add_cc_u64", "i64 i64", "64 64", "add.cc.u64 %d, %a, %b;\naddc.u64 %e, 0, 0;")
    probe("add_cc_chain_u64", "i64 i64 i64", "64 64", "add.cc.u64 %d, %a, %b;\naddc.u64 %e, %b, %c;")
    probe("sub_cc_u32", "i32 i32", "32 32", "sub.cc.u32 %d, %a, %b;\nsubc.u32 %e, 0, 0;")
    probe("sub_cc_chain_u32", "i64 i64", "32 32 32", """mov.b64 {%t0, %t1}, %a;
          mov.b64 {%t2, %t3}, %b;
          sub.cc.u32 %d, %t0, %t2;
          subc.cc.u32 %e, %t1, %t3;
          subc.u32 %f, 0, 0;""")
    probe("sub_cc_u64", "i64 i64", "64 64", "sub.cc.u64 %d, %a, %b;\nsubc.u64 %e, 0, 0;")
    probe("sub_cc_chain_u64", "i64 i64 i64", "64 64", "sub.cc.u64 %d, %a, %b;\nsubc.u64 %e, %b, %c;")
    for t in ("u32", "s32"):
        probe(f"mad_lo_cc_{t}", "i32 i32 i32", "32 32", f"mad.lo.cc.{t} %d, %a, %b, %c;\nmadc.hi.{t} %e, %a, %b, %a;")
        probe(f"mad_hi_cc_{t}", "i32 i32 i32", "32 32", f"mad.hi.cc.{t} %d, %a, %b, %c;\naddc.u32 %e, 0, 0;")
    probe("madc_lo_cc_u32", "i32 i32 i32", "32 32 32", """add.cc.u32 %d, %a, %b;
          madc.lo.cc.u32 %e, %b, %c, %a;
          madc.hi.u32 %f, %b, %c, 0;""")
    probe("mad_lo_cc_u64", "i64 i64 i64", "64 64", "mad.lo.cc.u64 %d, %a, %b, %c;\nmadc.hi.u64 %e, %a, %b, %a;")
    probe("mul_128", "i64 i64", "64 64", "mul.lo.u64 %d, %a, %b;\nmul.hi.u64 %e, %a, %b;")

    # bits
    for w in (32, 64):
        r = int_region(w)
        probe(f"popc_b{w}", r, "32", f"popc.b{w} %d, %a;")
        probe(f"clz_b{w}", r, "32", f"clz.b{w} %d, %a;")
        probe(f"brev_b{w}", r, str(w), f"brev.b{w} %d, %a;")
        for s in "us":
            probe(f"bfind_{s}{w}", r, "32", f"bfind.{s}{w} %d, %a;")
            probe(f"bfind_shiftamt_{s}{w}", r, "32", f"bfind.shiftamt.{s}{w} %d, %a;")
            probe(f"bfe_{s}{w}", f"{r} shift shift", str(w), f"bfe.{s}{w} %d, %a, %b, %c;")
            for position, length in ((0, 8), (8, 8), (5, 13), (16, 16), (31, 1), (24, 20)):
                if s == "s" or position == 5:
                    probe(f"bfe_{s}{w}_{position}_{length}", r, str(w), f"bfe.{s}{w} %d, %a, {position}, {length};")
        probe(f"bfi_b{w}", f"{r} {r} shift shift", str(w), f"bfi.b{w} %d, %a, %b, %c, %i;")
        probe(f"bfi_b{w}_5_13", f"{r} {r}", str(w), f"bfi.b{w} %d, %a, %b, 5, 13;")
        for op in ("and", "or", "xor"):
            probe(f"{op}_b{w}", f"{r} {r}", str(w), f"{op}.b{w} %d, %a, %b;")
        probe(f"andn_b{w}", f"{r} {r}", str(w), f"not.b{w} %{'t0' if w == 32 else 'l0'}, %b;\n"
              f"and.b{w} %d, %a, %{'t0' if w == 32 else 'l0'};")
        probe(f"not_b{w}", r, str(w), f"not.b{w} %d, %a;")
        probe(f"cnot_b{w}", r, str(w), f"cnot.b{w} %d, %a;")
    for op in ("and", "or", "xor"):
        probe(f"{op}_b16", "i32:16 i32:16", "16", f"{op}.b16 %d, %a, %b;")
        probe(f"{op}_pred", "i32 i32", "p", f"""setp.lt.s32 %p, %a, %b;
              and.b32 %t0, %a, 5;
              setp.ne.s32 %q, %t0, 0;
              {op}.pred %d, %p, %q;""")
    probe("not_pred", "i32 i32", "p", "setp.lt.s32 %p, %a, %b;\nnot.pred %d, %p;")
    probe("not_b16", "i32:16", "16", "not.b16 %d, %a;")
    probe("cnot_b16", "i32:16", "16", "cnot.b16 %d, %a;")
    probe("fns_b32", "i32 shift shift", "32", """and.b32 %t0, %b, 31;
          and.b32 %t1, %c, 7;
          sub.s32 %t1, %t1, 3;
          fns.b32 %d, %a, %t0, %t1;""")
    for mode in ("clamp", "wrap"):
        for s in "us":
            probe(f"szext_{mode}_{s}32", "i32 shift", "32", f"szext.{mode}.{s}32 %d, %a, %b;")
        probe(f"bmsk_{mode}_b32", "shift shift", "32", f"bmsk.{mode}.b32 %d, %a, %b;")
        for side in "lr":
            probe(f"shf_{side}_{mode}_b32", "i32 i32 shift", "32", f"shf.{side}.{mode}.b32 %d, %a, %b, %c;")
            probe(f"shf_{side}_{mode}_b32_imm", "i32 i32", "32", f"shf.{side}.{mode}.b32 %d, %a, %b, 13;")
    for w in (16, 32, 64):
        r = int_region(w)
        probe(f"shl_b{w}", f"{r} shift", str(w), f"shl.b{w} %d, %a, %b;")
        probe(f"shl_b{w}_imm", r, str(w), f"shl.b{w} %d, %a, 11;")
        for s in "us":
            probe(f"shr_{s}{w}", f"{r} shift", str(w), f"shr.{s}{w} %d, %a, %b;")
            probe(f"shr_{s}{w}_imm", r, str(w), f"shr.{s}{w} %d, %a, 11;")
    probe("shl_b64_40", "i64", "64", "shl.b64 %d, %a, 40;")
    probe("shr_u64_40", "i64", "64", "shr.u64 %d, %a, 40;")
    probe("shr_s64_40", "i64", "64", "shr.s64 %d, %a, 40;")
    probe("prmt_b32", "i32 i32 i32", "32", "prmt.b32 %d, %a, %b, %c;")
    for mode in ("f4e", "b4e", "rc8", "ecl", "ecr", "rc16"):
        probe(f"prmt_b32_{mode}", "i32 i32 shift", "32", f"prmt.b32.{mode} %d, %a, %b, %c;")
    for selector in (0x5410, 0x0123, 0x9a8b, 0x7632):
        probe(f"prmt_b32_{selector:04x}", "i32 i32", "32", f"prmt.b32 %d, %a, %b, {selector};")
    for lut in (0x80, 0xfe, 0x96, 0xe8, 0xca, 0x1e, 0x6a, 0x01, 0xd8, 0x2d, 0x40, 0xf8):
        probe(f"lop3_b32_{lut:02x}", "i32 i32 i32", "32", f"lop3.b32 %d, %a, %b, %c, {lut};")
    for op in ("and", "or"):
        probe(f"lop3_{op}_b32", "i32 i32 i32", "32 p", f"""setp.lt.s32 %q, %a, %b;
              lop3.{op}.b32 %d|%e, %a, %b, %c, 0x60, %q;""")
    probe("lop3_ne_zero", "i32 i32 i32", "p", "lop3.b32 %t0, %a, %b, %c, 0x20;\nsetp.ne.s32 %d, %t0, 0;")
    for x, y in itertools.product("us", "us"):
        probe(f"dp4a_{x}32_{y}32", "i32 i32 i32", "32", f"dp4a.{x}32.{y}32 %d, %a, %b, %c;")
        for half in ("lo", "hi"):
            probe(f"dp2a_{half}_{x}32_{y}32", "i32 i32 i32", "32", f"dp2a.{half}.{x}32.{y}32 %d, %a, %b, %c;")

    # the compiler has special instructions for these shapes
    for k in (1, 4, 31):
        probe(f"lea_b32_{k}", "i32 i32", "32", f"shl.b32 %t0, %a, {k};\nadd.s32 %d, %t0, %b;")
        probe(f"lea_b64_{k}", "i64 i64", "64", f"shl.b64 %l0, %a, {k};\nadd.s64 %d, %l0, %b;")
        probe(f"lea_s32_b64_{k}", "i32 i64", "64", f"cvt.s64.s32 %l0, %a;\nshl.b64 %l0, %l0, {k};\nadd.s64 %d, %l0, %b;")
        probe(f"lea_u32_b64_{k}", "i32 i64", "64", f"cvt.u64.u32 %l0, %a;\nshl.b64 %l0, %l0, {k};\nadd.s64 %d, %l0, %b;")
        probe(f"lea_neg_b32_{k}", "i32 i32", "32", f"shl.b32 %t0, %a, {k};\nsub.s32 %d, %b, %t0;")
        probe(f"add_shr_b64_{k}", "i64 i32", "32", f"""shr.u64 %l0, %a, {32 - k};
              cvt.u32.u64 %t0, %l0;
              add.s32 %d, %t0, %b;""")
    probe("add3_s32", "i32 i32 i32", "32", "add.s32 %t0, %a, %b;\nadd.s32 %d, %t0, %c;")
    probe("add3_neg_s32", "i32 i32 i32", "32", "sub.s32 %t0, %a, %b;\nsub.s32 %d, %t0, %c;")
    probe("add3_s64", "i64 i64 i64", "64", "add.s64 %l0, %a, %b;\nadd.s64 %d, %l0, %c;")
    probe("add3_neg_s64", "i64 i64 i64", "64", "sub.s64 %l0, %a, %b;\nsub.s64 %d, %l0, %c;")
    probe("not_add_s32", "i32 i32", "32", "not.b32 %t0, %a;\nadd.s32 %d, %t0, %b;")
    probe("add_s32_imm", "i32", "32", "add.s32 %d, %a, -1234567;")
    probe("add_s64_imm", "i64", "64", "add.s64 %d, %a, -1234567890123;")
    probe("sub_s32_imm", "i32", "32", "sub.s32 %d, 1234567, %a;")
    probe("mul_s32_imm", "i32", "32", "mul.lo.s32 %d, %a, -1234567;")
    probe("mad_s32_imm", "i32 i32", "32", "mad.lo.s32 %d, %a, -77, %b;")
    probe("mul_hi_u32_imm", "i32", "32", "mul.hi.u32 %d, %a, 0xaaaaaaab;")
    probe("mul_hi_s32_imm", "i32", "32", "mul.hi.s32 %d, %a, 0x92492493;")
    probe("mul_wide_s32_imm", "i32", "64", "mul.wide.s32 %d, %a, -1234567;")
    probe("div_s32_7", "i32", "32", "div.s32 %d, %a, 7;")
    probe("rem_u32_10", "i32", "32", "rem.u32 %d, %a, 10;")
    probe("div_s64_1000", "i64", "64", "div.s64 %d, %a, 1000;")
    probe("div_s32_16", "i32", "32", "div.s32 %d, %a, 16;")
    probe("and_shr_s32", "i32", "32", "shr.u32 %t0, %a, 7;\nand.b32 %d, %t0, 0x3ff;")
    probe("min_s32_imm", "i32", "32", "min.s32 %d, %a, -77;")
    probe("max_u32_imm", "i32", "32", "max.u32 %d, %a, 0x80000005;")
    probe("abs_diff_s32", "i32 i32", "32", "sub.s32 %t0, %a, %b;\nabs.s32 %d, %t0;")

    # video instructions
    for t in ("u32", "s32"):
        probe(f"vabsdiff4_{t}", "i32 i32 i32", "32", f"vabsdiff4.{t}.{t}.{t} %d, %a, %b, %c;")
        probe(f"vabsdiff4_add_{t}", "i32 i32 i32", "32", f"vabsdiff4.{t}.{t}.{t}.add %d, %a, %b, %c;")
        probe(f"vadd4_sat_{t}", "i32 i32 i32", "32", f"vadd4.{t}.{t}.{t}.sat %d, %a, %b, %c;")
        probe(f"vavrg2_{t}", "i32 i32 i32", "32", f"vavrg2.{t}.{t}.{t} %d, %a, %b, %c;")
        probe(f"vmin2_{t}", "i32 i32 i32", "32", f"vmin2.{t}.{t}.{t} %d, %a, %b, %c;")
        probe(f"vset4_{t}", "i32 i32 i32", "32", f"vset4.{t}.{t}.lt %d, %a, %b, %c;")
        probe(f"vadd_sat_{t}", "i32 i32 i32", "32", f"vadd.{t}.{t}.{t}.sat.min %d, %a.b1, %b.h0, %c;" if t == "s32"
              else f"vadd.{t}.{t}.{t}.sat.max %d, %a, %b.h1, %c;")
        probe(f"vmad_{t}", "i32 i32 i32", "32", f"vmad.{t}.{t}.{t}.shr7 %d, %a.h0, %b.h1, %c;")
        probe(f"vshl_{t}", "i32 shift i32", "32", f"vshl.{t}.{t}.u32.clamp.add %d, %a, %b, %c;")


# --- comparisons ---

INT_COMPARE = {"s": ("eq", "ne", "lt", "le", "gt", "ge"), "u": ("eq", "ne", "lt", "le", "gt", "ge"), "b": ("eq", "ne")}
FLOAT_COMPARE = ("eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan")


def comparisons():
    for w in (16, 32, 64):
        r = int_region(w)
        for s in "sub":
            for op in INT_COMPARE[s]:
                probe(f"setp_{op}_{s}{w}", f"{r} {r}", "p", f"setp.{op}.{s}{w} %d, %a, %b;")
    for op in ("lo", "ls", "hi", "hs"):
        probe(f"setp_{op}_u32", "i32 i32", "p", f"setp.{op}.u32 %d, %a, %b;")
    for t in ("f32", "f64") + HALVES:
        r = FLOAT_REGION[t]
        for op in FLOAT_COMPARE:
            for ftz in ("", ".ftz") if t in ("f32", "f16", "f16x2") else ("",):
                if ftz and op in ("ne", "gt", "equ", "ltu", "gtu"):
                    continue
                two = t.endswith("x2")
                probe(mangled("setp", op, ftz, t), f"{r} {r}", "p p" if two else "p",
                      f"setp.{op}{ftz}.{t} {'%d|%e' if two else '%d'}, %a, %b;")
    for op in ("and", "or", "xor"):
        probe(f"setp_lt_{op}_s32", "i32 i32 i32", "p p", f"setp.ne.s32 %p, %c, 0;\nsetp.lt.{op}.s32 %d|%e, %a, %b, %p;")
        probe(f"setp_lt_{op}_not_s64", "i64 i64 i32", "p p", f"setp.gt.s32 %p, %c, 0;\nsetp.lt.{op}.s64 %d|%e, %a, %b, !%p;")
        probe(f"setp_ltu_{op}_f32", "f32 f32 i32", "p p", f"setp.gt.s32 %p, %c, 0;\nsetp.ltu.{op}.f32 %d|%e, %a, %b, %p;")
        probe(f"setp_ge_{op}_f64", "f64 f64 i32", "p p", f"setp.gt.s32 %p, %c, 0;\nsetp.ge.{op}.f64 %d|%e, %a, %b, %p;")
        probe(f"setp_neu_{op}_f16", "h2:16 h2:16 i32", "p", f"setp.gt.s32 %p, %c, 0;\nsetp.neu.{op}.f16 %d, %a, %b, %p;")
        probe(f"setp_gt_{op}_f16x2", "h2 h2 i32", "p p", f"setp.gt.s32 %p, %c, 0;\nsetp.gt.{op}.f16x2 %d|%e, %a, %b, %p;")
        probe(f"set_lt_{op}_u32_s32", "i32 i32 i32", "32", f"setp.gt.s32 %p, %c, 0;\nset.lt.{op}.u32.s32 %d, %a, %b, %p;")
        probe(f"set_leu_{op}_f32_f32", "f32 f32 i32", "32", f"setp.gt.s32 %p, %c, 0;\nset.leu.{op}.f32.f32 %d, %a, %b, %p;")
    probe("setp_lt_s32_imm", "i32", "p", "setp.lt.s32 %d, %a, -77;")
    probe("setp_ge_u64_imm", "i64", "p", "setp.ge.u64 %d, %a, 0x80000005;")
    probe("setp_gt_f32_imm", "f32", "p", "setp.gt.f32 %d, %a, 0f3F000000;")
    probe("setp_le_f64_imm", "f64", "p", "setp.le.f64 %d, %a, 0d3FF0000000000000;")
    probe("setp_lt_f32_abs", "f32 f32", "p", "abs.f32 %t0, %a;\nneg.f32 %t1, %b;\nsetp.lt.f32 %d, %t0, %t1;")
    probe("setp_lt_f64_abs", "f64 f64", "p", "abs.f64 %l0, %a;\nneg.f64 %l1, %b;\nsetp.lt.f64 %d, %l0, %l1;")
    for target in ("u32", "s32", "f32"):
        for op in ("eq", "lt", "geu", "nan"):
            probe(f"set_{op}_{target}_f32", "f32 f32", "32", f"set.{op}.{target}.f32 %d, %a, %b;")
        probe(f"set_ltu_ftz_{target}_f32", "f32 f32", "32", f"set.ltu.ftz.{target}.f32 %d, %a, %b;")
        probe(f"set_gt_{target}_f64", "f64 f64", "32", f"set.gt.{target}.f64 %d, %a, %b;")
        probe(f"set_le_{target}_s32", "i32 i32", "32", f"set.le.{target}.s32 %d, %a, %b;")
        probe(f"set_hi_{target}_u64", "i64 i64", "32", f"set.hi.{target}.u64 %d, %a, %b;")
    for op in ("eq", "lt", "neu", "num"):
        for t in ("f16", "bf16"):
            r = FLOAT_REGION[t]
            probe(f"set_{op}_{t}_{t}", f"{r} {r}", "16", f"set.{op}.{t}.{t} %d, %a, %b;")
            probe(f"set_{op}_{t}x2_{t}x2", f"{FLOAT_REGION[t + 'x2']} " * 2, "32", f"set.{op}.{t}x2.{t}x2 %d, %a, %b;")
            probe(f"set_{op}_u32_{t}", f"{r} {r}", "32", f"set.{op}.u32.{t} %d, %a, %b;")
            probe(f"set_{op}_u32_{t}x2", f"{FLOAT_REGION[t + 'x2']} " * 2, "32", f"set.{op}.u32.{t}x2 %d, %a, %b;")
            probe(f"set_{op}_u16_{t}", f"{r} {r}", "16", f"set.{op}.u16.{t} %d, %a, %b;")
    for w in (16, 32, 64):
        r = int_region(w)
        probe(f"selp_b{w}", f"{r} {r} shift", str(w), f"setp.lt.u32 %p, %c, 20;\nselp.b{w} %d, %a, %b, %p;")
    probe("selp_f32", "f32 f32 shift", "32", "setp.lt.u32 %p, %c, 20;\nselp.f32 %d, %a, %b, %p;")
    probe("selp_f64", "f64 f64 shift", "64", "setp.lt.u32 %p, %c, 20;\nselp.f64 %d, %a, %b, %p;")
    probe("selp_neg_f32", "f32 f32 shift", "32", "setp.lt.u32 %p, %c, 20;\nneg.f32 %t0, %a;\nabs.f32 %t1, %b;\nselp.f32 %d, %t0, %t1, %p;")
    for w in (16, 32, 64):
        r = int_region(w)
        probe(f"slct_b{w}_s32", f"{r} {r} i32", str(w), f"slct.b{w}.s32 %d, %a, %b, %c;")
        probe(f"slct_b{w}_f32", f"{r} {r} f32", str(w), f"slct.b{w}.f32 %d, %a, %b, %c;")
    probe("slct_ftz_f32_f32", "f32 f32 f32", "32", "slct.ftz.f32.f32 %d, %a, %b, %c;")
    probe("slct_f64_s32", "f64 f64 i32", "64", "slct.f64.s32 %d, %a, %b, %c;")
    for count in (4, 7):  # probes that use many predicates at the same time
        body = "mov.b32 %d, 0;\n"
        body += "".join(f"bfe.u32 %t{n}, %a, {3 * n}, 3;\nsetp.gt.u32 %p{n}, %t{n}, 3;\n" for n in range(count))
        body += "".join(f"@%p{n} add.s32 %d, %d, {1 << n};\n@!%p{n} mul.lo.s32 %d, %d, 3;\n" for n in range(count))
        probe(f"predicates_{count}", "i32", "32", f".reg .pred %p<{count}>;\n" + body)
    probe("plop3", "i32 i32 i32", "p p", """setp.lt.s32 %p, %a, %b;
          setp.lt.s32 %q, %b, %c;
          setp.lt.s32 %u, %a, %c;
          and.pred %v, %p, %q;
          xor.pred %d, %v, %u;
          not.pred %u, %u;
          or.pred %v, %p, %u;
          and.pred %e, %v, %q;""")
    probe("plop3_xor", "i32 i32 i32", "p", """setp.lt.s32 %p, %a, %b;
          setp.gt.u32 %q, %b, %c;
          setp.eq.s32 %u, %a, %c;
          xor.pred %v, %p, %q;
          xor.pred %d, %v, %u;""")


# --- floats ---


def floats():
    for t, w in (("f32", "32"), ("f64", "64")):
        extra = ("", ".ftz", ".sat", ".ftz.sat") if t == "f32" else ("",)
        for rnd, x in itertools.product(ROUNDINGS, extra):
            for op in ("add", "mul"):
                probe(mangled(op, rnd, x, t), f"{t} {t}", w, f"{op}{rnd}{x}.{t} %d, %a, %b;")
            if x in ("", ".ftz") and rnd in (".rn", ".rm"):
                probe(mangled("sub", rnd, x, t), f"{t} {t}", w, f"sub{rnd}{x}.{t} %d, %a, %b;")
            probe(mangled("fma", rnd, x, t), f"{t} {t} {t}", w, f"fma{rnd}{x}.{t} %d, %a, %b, %c;")
        for op in ("min", "max"):
            forms = [""]
            if t == "f32":
                forms = [a + b + c for a in ("", ".ftz") for b in ("", ".NaN") for c in ("", ".xorsign.abs")]
            for x in forms:
                probe(mangled(op, x, t), f"{t} {t}", w, f"{op}{x}.{t} %d, %a, %b;")
        for x in ("", ".ftz") if t == "f32" else ("",):
            probe(mangled("abs", x, t), t, w, f"abs{x}.{t} %d, %a;")
            probe(mangled("neg", x, t), t, w, f"neg{x}.{t} %d, %a;")
            for rnd in ROUNDINGS:
                probe(mangled("rcp", rnd, x, t), t, w, f"rcp{rnd}{x}.{t} %d, %a;")
                probe(mangled("sqrt", rnd, x, t), t, w, f"sqrt{rnd}{x}.{t} %d, %a;")
                probe(mangled("div", rnd, x, t), f"{t} {t}", w, f"div{rnd}{x}.{t} %d, %a, %b;")
        probe(mangled("copysign", t), f"{t} {t}", w, f"copysign.{t} %d, %a, %b;")
        for op in ("finite", "infinite", "number", "notanumber", "normal", "subnormal"):
            probe(mangled("testp", op, t), t, "p", f"testp.{op}.{t} %d, %a;")
        n, r = ("%l0", "%l1") if t == "f64" else ("%t0", "%t1")
        probe(mangled("add_neg_abs", t), f"{t} {t}", w, f"neg.{t} {n}, %a;\nabs.{t} {r}, %b;\nadd.rn.{t} %d, {n}, {r};")
        probe(mangled("add_neg_neg", t), f"{t} {t}", w, f"neg.{t} {n}, %a;\nneg.{t} {r}, %b;\nadd.rn.{t} %d, {n}, {r};")
        probe(mangled("mul_neg", t), f"{t} {t}", w, f"neg.{t} {n}, %a;\nmul.rn.{t} %d, {n}, %b;")
        probe(mangled("mul_abs", t), f"{t} {t}", w, f"abs.{t} {n}, %a;\nmul.rn.{t} %d, {n}, %b;")
        probe(mangled("fma_neg_a", t), f"{t} {t} {t}", w, f"neg.{t} {n}, %a;\nfma.rn.{t} %d, {n}, %b, %c;")
        probe(mangled("fma_neg_c", t), f"{t} {t} {t}", w, f"neg.{t} {n}, %c;\nfma.rn.{t} %d, %a, %b, {n};")
        probe(mangled("min_neg_abs", t), f"{t} {t}", w, f"neg.{t} {n}, %a;\nabs.{t} {r}, %b;\nmin.{t} %d, {n}, {r};")
        imm = "0f3FC00000" if t == "f32" else "0d3FF8000000000000"
        odd = "0f3DCCCCCD" if t == "f32" else "0d3FB999999999999A"
        for op in ("add.rn", "mul.rn", "min", "max"):
            probe(mangled(op, t, "imm"), t, w, f"{op}.{t} %d, %a, {imm};")
        probe(mangled("mul.rn", t, "odd_imm"), t, w, f"mul.rn.{t} %d, %a, {odd};")
        probe(mangled("fma.rn", t, "imm_b"), f"{t} {t}", w, f"fma.rn.{t} %d, %a, {imm}, %b;")
        probe(mangled("fma.rn", t, "imm_c"), f"{t} {t}", w, f"fma.rn.{t} %d, %a, %b, {imm};")
        at = 16 if t == "f32" else 24
        for op in ("add.rn", "mul.rn", "max"):
            probe(mangled(op, t, "param"), t, w, f"ld.param.b{w} {n}, [values + {at}];\n{op}.{t} %d, %a, {n};")
        probe(mangled("fma.rn", t, "param_b"), f"{t} {t}", w,
              f"ld.param.b{w} {n}, [values + {at}];\nfma.rn.{t} %d, %a, {n}, %b;")
        probe(mangled("fma.rn", t, "param_c"), f"{t} {t}", w,
              f"ld.param.b{w} {n}, [values + {at}];\nfma.rn.{t} %d, %a, %b, {n};")
        probe(mangled("fma.rn", t, "fold"), f"{t} {t} {t}", w, f"mul.{t} {n}, %a, %b;\nadd.{t} %d, {n}, %c;")
    probe("fma_rn_relu_like_f32", "f32 f32 f32", "32", "fma.rn.f32 %t0, %a, %b, %c;\nmax.f32 %d, %t0, 0f00000000;")
    probe("abs_ftz_add_f32", "f32 f32", "32", "abs.ftz.f32 %t0, %a;\nadd.rn.ftz.f32 %d, %t0, %b;")
    for x in ("", ".ftz"):
        for op in ("rcp", "sqrt", "rsqrt", "sin", "cos", "lg2", "ex2"):
            probe(mangled(op, "approx", x, "f32"), "f32", "32", f"{op}.approx{x}.f32 %d, %a;")
            probe(mangled(op, "approx", x, "f32_real"), "real_f32", "32", f"{op}.approx{x}.f32 %d, %a;")
        probe(mangled("div.approx", x, "f32"), "f32 f32", "32", f"div.approx{x}.f32 %d, %a, %b;")
        probe(mangled("div.full.approx", x, "f32"), "f32 f32", "32", f"div.full{x}.f32 %d, %a, %b;")
    probe("tanh_approx_f32", "f32", "32", "tanh.approx.f32 %d, %a;")
    probe("tanh_approx_f32_real", "real_f32", "32", "tanh.approx.f32 %d, %a;")
    probe("rcp_approx_ftz_f64", "f64", "64", "rcp.approx.ftz.f64 %d, %a;")
    probe("rsqrt_approx_f64", "f64", "64", "rsqrt.approx.f64 %d, %a;")
    probe("rsqrt_approx_ftz_f64", "f64", "64", "rsqrt.approx.ftz.f64 %d, %a;")
    probe("rcp_neg_abs_approx_f32", "f32", "32", "abs.f32 %t0, %a;\nneg.f32 %t0, %t0;\nrcp.approx.ftz.f32 %d, %t0;")
    for op in ("rcp", "sqrt"):
        for rnd in (".rn", ".rp"):
            probe(mangled(op, rnd, "f32_real"), "real_f32", "32", f"{op}{rnd}.f32 %d, %a;")
            probe(mangled(op, rnd, "f64_real"), "real_f64", "64", f"{op}{rnd}.f64 %d, %a;")
    for rnd in (".rn", ".rz"):
        probe(mangled("div", rnd, "f32_real"), "real_f32 real_f32", "32", f"div{rnd}.f32 %d, %a, %b;")
        probe(mangled("div", rnd, "f64_real"), "real_f64 real_f64", "64", f"div{rnd}.f64 %d, %a, %b;")


def halves():
    for t in HALVES:
        r, w = FLOAT_REGION[t], WIDTH[t]
        b = t.startswith("b")
        for op in ("add", "sub", "mul"):
            for x in ("",) if b else ("", ".ftz", ".sat", ".ftz.sat"):
                if op == "sub" and "ftz" in x:
                    continue
                probe(mangled(op, "rn", x, t), f"{r} {r}", w, f"{op}.rn{x}.{t} %d, %a, %b;")
        for x in ("", ".relu") if b else ("", ".ftz", ".sat", ".ftz.sat", ".relu", ".ftz.relu"):
            probe(mangled("fma.rn", x, t), f"{r} {r} {r}", w, f"fma.rn{x}.{t} %d, %a, %b, %c;")
        for x in ("", ".relu"):
            probe(mangled("fma.rn.oob", x, t), f"{r} {r} {r}", w, f"fma.rn.oob{x}.{t} %d, %a, %b, %c;")
        for op in ("neg", "abs"):
            for x in ("",) if b else ("", ".ftz"):
                probe(mangled(op, x, t), r, w, f"{op}{x}.{t} %d, %a;")
        for op in ("min", "max"):
            for x in ("", ".NaN", ".xorsign.abs", ".NaN.xorsign.abs") + (() if b else (".ftz", ".ftz.NaN")):
                probe(mangled(op, x, t), f"{r} {r}", w, f"{op}{x}.{t} %d, %a, %b;")
        probe(mangled("ex2.approx", "ftz" if b else "", t), r, w, f"ex2.approx{'.ftz' if b else ''}.{t} %d, %a;")
        probe(mangled("tanh.approx", t), r, w, f"tanh.approx.{t} %d, %a;")
        n, m = ("%h0", "%h1") if w == "16" else ("%t0", "%t1")
        probe(mangled("add_neg_abs", t), f"{r} {r}", w, f"neg.{t} {n}, %a;\nabs.{t} {m}, %b;\nadd.rn.{t} %d, {n}, {m};")
        probe(mangled("mul_neg_abs", t), f"{r} {r}", w, f"neg.{t} {n}, %a;\nabs.{t} {m}, %b;\nmul.rn.{t} %d, {n}, {m};")
        probe(mangled("fma_neg_c", t), f"{r} {r} {r}", w, f"neg.{t} {n}, %c;\nfma.rn.{t} %d, %a, %b, {n};")
        probe(mangled("fma_neg_a", t), f"{r} {r} {r}", w, f"neg.{t} {n}, %a;\nfma.rn.{t} %d, {n}, %b, %c;")
        imm = {"f16": "0x3e00", "bf16": "0x3fc0", "f16x2": "0x3e00c100", "bf16x2": "0x3fc0c020"}[t]
        probe(mangled("add_imm", t), r, w, f"mov.b{w} {n}, {imm};\nadd.rn.{t} %d, %a, {n};")
        probe(mangled("mul_imm", t), r, w, f"mov.b{w} {n}, {imm};\nmul.rn.{t} %d, %a, {n};")
        probe(mangled("fma_imm", t), f"{r} {r}", w, f"mov.b{w} {n}, {imm};\nfma.rn.{t} %d, %a, {n}, %b;")
        probe(mangled("fma_imm_c", t), f"{r} {r}", w, f"mov.b{w} {n}, {imm};\nfma.rn.{t} %d, %a, %b, {n};")
        at = 36 if b else 32
        probe(mangled("fma_param", t), f"{r} {r}", w, f"ld.param.b{w} {n}, [values + {at}];\nfma.rn.{t} %d, %a, {n}, %b;")
        if not t.endswith("x2"):
            # uses the upper halves of registers
            big = FLOAT_REGION[t + "x2"]
            probe(mangled("add_high", t), f"{big} {big}", "16",
                  f"mov.b32 {{%h0, %h1}}, %a;\nmov.b32 {{%h2, %h3}}, %b;\nadd.rn.{t} %d, %h1, %h2;")
            probe(mangled("fma_high", t), f"{big} {big} {big}", "32", f"""mov.b32 {{%h0, %h1}}, %a;
                  mov.b32 {{%h2, %h3}}, %b;
                  mov.b32 {{%h4, %h5}}, %c;
                  fma.rn.{t} %h6, %h1, %h2, %h5;
                  fma.rn.{t} %h7, %h0, %h3, %h4;
                  mov.b32 %d, {{%h7, %h6}};""")
            probe(mangled("fma_swap", t + "x2"), f"{big} {big} {big}", "32",
                  f"prmt.b32 %t0, %a, %a, 0x1032;\nfma.rn.{t}x2 %d, %t0, %b, %c;")
            probe(mangled("fma_same", t + "x2"), f"{big} {big} {big}", "32",
                  f"prmt.b32 %t0, %a, %a, 0x1010;\nprmt.b32 %t1, %b, %b, 0x3232;\nfma.rn.{t}x2 %d, %t0, %t1, %c;")
    probe("mix_f16_add_f32", "h2:16 f32", "32", "cvt.f32.f16 %t0, %a;\nadd.rn.f32 %d, %t0, %b;")
    probe("mix_f16_fma_f32", "h2 f32", "32", """mov.b32 {%h0, %h1}, %a;
          cvt.f32.f16 %t0, %h0;
          cvt.f32.f16 %t1, %h1;
          fma.rn.f32 %d, %t0, %t1, %b;""")


# --- conversions ---

INTS = ("u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64")
CVT_REGION = {"f16": "ch2:16", "bf16": "ch2:16", "f32": "cf32", "f64": "cf64"}


def conversions():
    def register(bits):
        return "64" if bits == 64 else "32"

    for source, target in itertools.product(INTS, INTS):
        if source == target:
            continue
        r = "i64" if source.endswith("64") else "i32"
        d = register(bits_of(target))
        low, high = {"u": (0, bits_of(source)), "s": (1, bits_of(source) - 1)}[source[0]]
        fits = bits_of(target) - (target[0] == "s") >= high and (low == 0 or target[0] == "s")
        probe(mangled("cvt", target, source), r, d, f"cvt.{target}.{source} %d, %a;")
        if not fits:
            probe(mangled("cvt_sat", target, source), r, d, f"cvt.sat.{target}.{source} %d, %a;")
    for source in INTS:
        r = "i64" if source.endswith("64") else "i32"
        small = bits_of(source) < 32
        for target in ("f16", "bf16", "f32", "f64"):
            if target == "bf16" and bits_of(source) == 8:
                continue
            exact = bits_of(source) <= {"f16": 8, "bf16": 8, "f32": 16, "f64": 32}[target]
            for rnd in (".rn",) if exact else (".rn", ".rz") if small else ROUNDINGS:
                r16 = f"i32:{bits_of(source)}" if target == "bf16" and small else r
                probe(mangled("cvt", rnd, target, source), r16, WIDTH[target], f"cvt{rnd}.{target}.{source} %d, %a;")
    for source, r in CVT_REGION.items():
        for target in INTS:
            small, half = bits_of(target) < 32, source.endswith("f16")
            for rnd in (".rni", ".rzi") if small else (".rni", ".rzi", ".rmi", ".rpi"):
                if small and half and (rnd == ".rni" or (source == "bf16" and bits_of(target) == 8)):
                    continue
                d = "16" if small and source == "bf16" else register(bits_of(target))
                probe(mangled("cvt", rnd, target, source), r, d, f"cvt{rnd}.{target}.{source} %d, %a;")
            if source == "f32" and not small:
                probe(mangled("cvt.rpi.ftz", target, source), "f32", register(bits_of(target)),
                      f"cvt.rpi.ftz.{target}.{source} %d, %a;")
        for rnd in (".rni", ".rzi", ".rmi", ".rpi"):
            probe(mangled("cvt", rnd, source, source), r, WIDTH[source], f"cvt{rnd}.{source}.{source} %d, %a;")
    for rnd in (".rni", ".rpi"):
        probe(mangled("cvt", rnd, "ftz_f32_f32"), "f32", "32", f"cvt{rnd}.ftz.f32.f32 %d, %a;")
        probe(mangled("cvt", rnd, "sat_f32_f32"), "f32", "32", f"cvt{rnd}.sat.f32.f32 %d, %a;")
        probe(mangled("cvt", rnd, "f32_f32_hard"), "f32", "32", f"cvt{rnd}.f32.f32 %d, %a;")
        probe(mangled("cvt", rnd, "f64_f64_hard"), "f64", "64", f"cvt{rnd}.f64.f64 %d, %a;")
    probe("cvt_sat_f32_f32", "f32", "32", "cvt.sat.f32.f32 %d, %a;")
    probe("cvt_sat_f64_f64", "f64", "64", "cvt.sat.f64.f64 %d, %a;")
    probe("cvt_sat_f16_f16", "h2:16", "16", "cvt.sat.f16.f16 %d, %a;")
    probe("cvt_ftz_f32_f32", "f32", "32", "cvt.ftz.f32.f32 %d, %a;")
    # between floats
    for source, target in (("f16", "f32"), ("f16", "f64"), ("bf16", "f32"), ("f32", "f64"), ("bf16", "f64")):
        for x in ("",) + ((".sat", ".ftz") if (source, target) == ("f16", "f32") else
                          (".ftz", ".sat") if source == "f32" else ()):
            for kind in ("", "hard"):
                r = CVT_REGION[source] if not kind else FLOAT_REGION[source]
                probe(mangled("cvt", x, target, source, kind), r, WIDTH[target], f"cvt{x}.{target}.{source} %d, %a;")
    for source, target in (("f32", "f16"), ("f64", "f32"), ("f64", "f16"), ("f32", "bf16"), ("f64", "bf16"),
                           ("f16", "bf16"), ("bf16", "f16")):
        for rnd in ROUNDINGS:
            probe(mangled("cvt", rnd, target, source), CVT_REGION[source], WIDTH[target], f"cvt{rnd}.{target}.{source} %d, %a;")
        probe(mangled("cvt.rn", target, source, "hard"), FLOAT_REGION[source], WIDTH[target], f"cvt.rn.{target}.{source} %d, %a;")
        if "bf16" not in (source, target):
            probe(mangled("cvt.rn.sat", target, source), CVT_REGION[source], WIDTH[target], f"cvt.rn.sat.{target}.{source} %d, %a;")
    probe("cvt_rn_ftz_f16_f32", "f32", "16", "cvt.rn.ftz.f16.f32 %d, %a;")
    probe("cvt_rn_ftz_f32_f64", "cf64", "32", "cvt.rn.ftz.f32.f64 %d, %a;")
    for x in ("rna", "rna.satfinite", "rn", "rz", "rn.relu", "rz.relu"):
        for kind, r in (("", "cf32"), ("hard", "f32")):
            probe(mangled("cvt", x, "tf32_f32", kind), r, "32", f"cvt.{x}.tf32.f32 %d, %a;")
    for rnd, relu, target in itertools.product(("rn", "rz"), ("", ".relu"), ("f16", "bf16")):
        probe(mangled("cvt", rnd, relu, target + "x2", "f32"), "f32 f32", "32", f"cvt.{rnd}{relu}.{target}x2.f32 %d, %a, %b;")
        probe(mangled("cvt", rnd, relu, target + "x2", "f32_near"), "cf32 real_f32", "32",
              f"cvt.{rnd}{relu}.{target}x2.f32 %d, %a, %b;")
        if relu:
            probe(mangled("cvt", rnd, relu, target, "f32"), "f32", "16", f"cvt.{rnd}{relu}.{target}.f32 %d, %a;")
        probe(mangled("cvt", rnd, relu, "satfinite", target + "x2", "f32"), "f32 f32", "32",
              f"cvt.{rnd}{relu}.satfinite.{target}x2.f32 %d, %a, %b;")
        probe(mangled("cvt", rnd, relu, "satfinite", target, "f32"), "cf32", "16", f"cvt.{rnd}{relu}.satfinite.{target}.f32 %d, %a;")
    for t, relu in itertools.product(("e4m3", "e5m2"), ("", ".relu")):
        probe(mangled("cvt.rn.satfinite", relu, t + "x2", "f32"), "f32 cf32", "16", f"cvt.rn.satfinite{relu}.{t}x2.f32 %d, %a, %b;")
        probe(mangled("cvt.rn.satfinite", relu, t + "x2", "f32_real"), "real_f32 wide_f32", "16",
              f"cvt.rn.satfinite{relu}.{t}x2.f32 %d, %a, %b;")
        probe(mangled("cvt.rn.satfinite", relu, t + "x2", "f16x2"), "ch2", "16", f"cvt.rn.satfinite{relu}.{t}x2.f16x2 %d, %a;")
        probe(mangled("cvt.rn.satfinite", relu, t + "x2", "f16x2_hard"), "h2", "16", f"cvt.rn.satfinite{relu}.{t}x2.f16x2 %d, %a;")
        probe(mangled("cvt.rn", relu, "f16x2", t + "x2"), "ch2", "32",
              f"shr.u32 %t0, %a, 8;\ncvt.u16.u32 %h0, %t0;\ncvt.rn{relu}.f16x2.{t}x2 %d, %h0;")
    for t in ("s16", "u16"):
        probe(f"cvt_pack_sat_{t}_s32", "i32 i32", "32", f"cvt.pack.sat.{t}.s32 %d, %a, %b;")
    for t in ("s8", "u8", "s4", "u4", "s2", "u2"):
        probe(f"cvt_pack_sat_{t}_s32_b32", "i32 i32 i32", "32", f"cvt.pack.sat.{t}.s32.b32 %d, %a, %b, %c;")
    probe("cvt_high_f32_f16", "ch2", "32", "mov.b32 {%h0, %h1}, %a;\ncvt.f32.f16 %d, %h1;")
    probe("cvt_high_rzi_s32_f16", "ch2", "32", "mov.b32 {%h0, %h1}, %a;\ncvt.rzi.s32.f16 %d, %h1;")
    probe("cvt_rn_f32_high_u16", "i32", "32", "mov.b32 {%h0, %h1}, %a;\ncvt.rn.f32.u16 %d, %h1;")
    for n in range(4):
        probe(f"cvt_rn_f32_byte{n}_u8", "i32", "32", f"bfe.u32 %t0, %a, {8 * n}, 8;\ncvt.rn.f32.u32 %d, %t0;")
        probe(f"cvt_rn_f32_byte{n}_s8", "i32", "32", f"bfe.s32 %t0, %a, {8 * n}, 8;\ncvt.rn.f32.s32 %d, %t0;")
    probe("cvt_neg_rzi_s32_f32", "cf32", "32", "neg.f32 %t0, %a;\ncvt.rzi.s32.f32 %d, %t0;")
    probe("cvt_abs_rni_s64_f64", "cf64", "64", "abs.f64 %l0, %a;\ncvt.rni.s64.f64 %d, %l0;")


# --- memory ---


def memory():
    raw = regions["raw"][0]

    def results(n, first=0):
        return "".join(f"st.global.b32 [%out + {4 * k}], %t{first + k};\n" for k in range(n))

    qualifiers = (".nc", ".ca", ".cg", ".cs", ".lu", ".cv", ".volatile", ".relaxed.gpu", ".acquire.gpu", ".relaxed.sys",
                  ".weak")
    for q in qualifiers:
        left = q if q.split(".")[1:2] and q.split(".")[1] in ("volatile", "relaxed", "acquire", "weak") else ""
        right = q if not left else ""
        memory_probe(mangled("ld", q, "global_b32"), 1, f"ld{left}.global{right}.b32 %t0, [%in16 + {raw + 4}];\n" + results(1))
    hints = (".L1::evict_first", ".L1::evict_last", ".L1::no_allocate", ".L2::128B", ".nc.L1::no_allocate.L2::256B")
    for n, hint in enumerate(hints):
        memory_probe(mangled("ld_global", hint, "b32"), 1, f"ld.global{hint}.b32 %t0, [%in16 + {raw + 8}];\n" + results(1))
    memory_probe("ld_global_negative_offset_b32", 1, f"add.u64 %l0, %in16, {raw + 64};\nld.global.b32 %t0, [%l0 + -60];\n" + results(1))
    memory_probe("ldu_global_b32", 1, f"ldu.global.b32 %t0, [%in + {raw + 8}];\n" + results(1))
    memory_probe("prefetch_global", 1, f"prefetch.global.L2 [%in16 + {raw}];\nprefetch.global.L1 [%in16 + {raw}];\n"
                 f"ld.global.b32 %t0, [%in16 + {raw + 8}];\n" + results(1))

    # Copies a value of each width: global -> shared -> local -> generic -> out. `at` is an address expression.
    def load(space, kind, at):
        if kind in ("u8", "s8", "u16", "s16"):
            return f"ld{space}.{kind} %t0, [{at}];\n", 1
        if kind == "b8":
            return f"ld{space}.b8 %t0, [{at}];\n", 1
        if kind == "b16":
            return f"ld{space}.b16 %h0, [{at}];\ncvt.u32.u16 %t0, %h0;\n", 1
        if kind == "b32":
            return f"ld{space}.b32 %t0, [{at}];\n", 1
        if kind == "b64":
            return f"ld{space}.b64 %l0, [{at}];\nmov.b64 {{%t0, %t1}}, %l0;\n", 2
        if kind == "b128":
            return (f"{{ .reg .b128 %x; ld{space}.b128 %x, [{at}]; mov.b128 {{%l0, %l1}}, %x; }}\n"
                    "mov.b64 {%t0, %t1}, %l0;\nmov.b64 {%t2, %t3}, %l1;\n"), 4
        if kind == "v2.b8":
            return f"ld{space}.v2.b8 {{%t0, %t1}}, [{at}];\n", 2
        if kind == "v4.b8":
            return f"ld{space}.v4.b8 {{%t0, %t1, %t2, %t3}}, [{at}];\n", 4
        if kind == "v4.s8":
            return f"ld{space}.v4.s8 {{%t0, %t1, %t2, %t3}}, [{at}];\n", 4
        if kind == "v2.s16":
            return f"ld{space}.v2.s16 {{%t0, %t1}}, [{at}];\n", 2
        if kind == "v4.u16":
            return f"ld{space}.v4.u16 {{%t0, %t1, %t2, %t3}}, [{at}];\n", 4
        if kind == "v2.b32":
            return f"ld{space}.v2.b32 {{%t0, %t1}}, [{at}];\n", 2
        if kind == "v4.b32":
            return f"ld{space}.v4.b32 {{%t0, %t1, %t2, %t3}}, [{at}];\n", 4
        if kind == "v2.b64":
            return f"ld{space}.v2.b64 {{%l0, %l1}}, [{at}];\nmov.b64 {{%t0, %t1}}, %l0;\nmov.b64 {{%t2, %t3}}, %l1;\n", 4
        raise ValueError(kind)

    def store(space, kind, at):  # from %t8 ...
        if kind in ("b8", "b16", "b32"):
            return (f"cvt.u16.u32 %h1, %t8;\nst{space}.b16 [{at}], %h1;\n" if kind == "b16" else
                    f"st{space}.{kind} [{at}], %t8;\n")
        if kind == "b64":
            return f"mov.b64 %l2, {{%t8, %t9}};\nst{space}.b64 [{at}], %l2;\n"
        if kind == "b128":
            return (f"mov.b64 %l2, {{%t8, %t9}};\nmov.b64 %l3, {{%t10, %t11}};\n"
                    f"{{ .reg .b128 %x; mov.b128 %x, {{%l2, %l3}}; st{space}.b128 [{at}], %x; }}\n")
        if kind == "v2.b8":
            return f"st{space}.v2.b8 [{at}], {{%t8, %t9}};\n"
        if kind == "v4.b8":
            return f"st{space}.v4.b8 [{at}], {{%t8, %t9, %t10, %t11}};\n"
        if kind == "v2.b16":
            return f"cvt.u16.u32 %h1, %t8;\ncvt.u16.u32 %h2, %t9;\nst{space}.v2.b16 [{at}], {{%h1, %h2}};\n"
        if kind == "v4.b16":
            return ("".join(f"cvt.u16.u32 %h{n + 1}, %t{n + 8};\n" for n in range(4)) +
                    f"st{space}.v4.b16 [{at}], {{%h1, %h2, %h3, %h4}};\n")
        if kind == "v2.b32":
            return f"st{space}.v2.b32 [{at}], {{%t8, %t9}};\n"
        if kind == "v4.b32":
            return f"st{space}.v4.b32 [{at}], {{%t8, %t9, %t10, %t11}};\n"
        if kind == "v2.b64":
            return (f"mov.b64 %l2, {{%t8, %t9}};\nmov.b64 %l3, {{%t10, %t11}};\nst{space}.v2.b64 [{at}], {{%l2, %l3}};\n")
        raise ValueError(kind)

    four = f"ld.global.v4.b32 {{%t8, %t9, %t10, %t11}}, [%in16 + {raw}];\n"
    load_kinds = ("u8", "s8", "u16", "s16", "b32", "b64", "b128", "v2.b8", "v4.b8", "v4.s8", "v2.s16", "v4.u16", "v2.b32",
                  "v4.b32", "v2.b64")
    store_kinds = ("b8", "b16", "b32", "b64", "b128", "v2.b8", "v4.b8", "v2.b16", "v4.b16", "v2.b32", "v4.b32", "v2.b64")
    # In shared and local memory, each thread has 16 bytes. Each thread reads bytes that another thread wrote.
    other = "xor.b32 %t20, %id, 5;\n"
    for kind in load_kinds:
        # The output only has room for a few words. If threads read four words, a block has only 64 threads.
        text, n = load(".global", kind, f"%in16 + {raw + (0 if 'b128' in kind or kind in ('v4.b32', 'v2.b64') else 8)}")
        block = 64 if n == 4 else 128
        memory_probe(mangled("ld_global", kind), n, text + results(n), block)
        name = mangled("ld_shared", kind)
        sym = f"s_{name}"
        fill = (four + f"mov.u32 %t16, {sym};\nmad.lo.u32 %t17, %id, 16, %t16;\n"
                "st.shared.v4.b32 [%t17], {%t8, %t9, %t10, %t11};\nbar.sync 0;\n" + other +
                "mad.lo.u32 %t17, %t20, 16, %t16;\n")
        if kind != "b128":
            memory_probe(name, n, fill + load(".shared", kind, "%t17")[0] + results(n), block,
                         declare=f".shared .align 16 .b8 {sym}[{block * 16}];\n")
        name = mangled("ld_generic_shared", kind)
        sym = f"s_{name}"
        if kind in ("s8", "u16", "b32", "b64", "v4.b32"):
            fill = fill.replace("s_" + mangled("ld_shared", kind), sym)
            memory_probe(name, n, fill + "cvt.u64.u32 %l4, %t17;\ncvta.shared.u64 %l4, %l4;\n" + load("", kind, "%l4")[0] +
                         results(n), block, declare=f".shared .align 16 .b8 {sym}[{block * 16}];\n")
            memory_probe(mangled("ld_generic_global", kind), n,
                         f"cvta.global.u64 %l4, %in16;\nadd.u64 %l4, %l4, {raw};\nxor.b64 %l5, %l4, 0;\n" +
                         load("", kind, "%l5")[0] + results(n), block)
        # local memory: an array whose index is loaded from memory
        if kind != "b128":
            index = f"ld.global.b32 %t16, [%in4 + {regions['i32'][0]}];\nand.b32 %t16, %t16, 3;\n"
            fill = (four + ".local .align 16 .b8 stack[64];\n" + index + "mov.u64 %l6, stack;\n"
                    "cvt.u64.u32 %l7, %t16;\nmad.lo.u64 %l7, %l7, 16, %l6;\n"
                    "st.local.v4.b32 [%l6], {%t8, %t9, %t10, %t11};\n"
                    "st.local.v4.b32 [%l6 + 16], {%t9, %t10, %t11, %t8};\n"
                    "st.local.v4.b32 [%l6 + 32], {%t10, %t11, %t8, %t9};\n"
                    "st.local.v4.b32 [%l6 + 48], {%t11, %t8, %t9, %t10};\n")
            memory_probe(mangled("ld_local", kind), n, fill + load(".local", kind, "%l7")[0] + results(n), block)
            if kind in ("s16", "b64"):
                memory_probe(mangled("ld_generic_local", kind), n, fill + "cvta.local.u64 %l7, %l7;\n" +
                             load("", kind, "%l7")[0] + results(n), block)
            table = ", ".join(str((n * 2654435761 + 12345) % (1 << 32)) for n in range(64))
            name = mangled("ld_const", kind)
            memory_probe(name, n, f"ld.global.b32 %t16, [%in4 + {regions['i32'][0]}];\nand.b32 %t16, %t16, 15;\n"
                         f"mov.u64 %l6, c_{name};\nmad.wide.u32 %l6, %t16, 16, %l6;\n" + load(".const", kind, "%l6")[0] +
                         results(n), block, declare=f".const .align 16 .b32 c_{name}[64] = {{{table}}};\n")
    for kind in store_kinds:
        block = 64
        memory_probe(mangled("st_global", kind), 4, four + store(".global", kind, "%out"), block)
        if kind != "b128":
            name = mangled("st_shared", kind)
            sym = f"s_{name}"
            place = f"mov.u32 %t16, {sym};\nmad.lo.u32 %t17, %id, 16, %t16;\n"
            read = other + "mad.lo.u32 %t17, %t20, 16, %t16;\nld.shared.v4.b32 {%t0, %t1, %t2, %t3}, [%t17];\n" + results(4)
            memory_probe(name, 4, four + place + "st.shared.v4.b32 [%t17], {%id, 77, 78, 79};\n".replace("77", "%t11")
                         .replace("78", "%t10").replace("79", "%t9") + store(".shared", kind, "%t17") + "bar.sync 0;\n" + read,
                         block, declare=f".shared .align 16 .b8 {sym}[{block * 16}];\n")
            index = f"ld.global.b32 %t16, [%in4 + {regions['i32'][0]}];\nand.b32 %t16, %t16, 1;\n"
            memory_probe(mangled("st_local", kind), 8, four + ".local .align 16 .b8 stack[32];\n" + index +
                         "mov.u64 %l6, stack;\nmad.wide.u32 %l7, %t16, 16, %l6;\n"
                         "st.local.v4.b32 [%l6], {%t9, %t9, %t9, %t9};\nst.local.v4.b32 [%l6 + 16], {%t10, %t10, %t10, %t10};\n" +
                         store(".local", kind, "%l7") + "ld.local.v4.b32 {%t0, %t1, %t2, %t3}, [%l6];\n"
                         "ld.local.v4.b32 {%t4, %t5, %t6, %t7}, [%l6 + 16];\n" + results(8), 32)
        if kind in ("b8", "b16", "b32", "b64", "v4.b32"):
            memory_probe(mangled("st_generic_global", kind), 4, four + "cvta.global.u64 %l4, %out;\n" + store("", kind, "%l4"), block)
            name = mangled("st_generic_shared", kind)
            sym = f"s_{name}"
            place = f"mov.u32 %t16, {sym};\nmad.lo.u32 %t17, %id, 16, %t16;\ncvt.u64.u32 %l4, %t17;\ncvta.shared.u64 %l4, %l4;\n"
            memory_probe(name, 4, four + place + "st.shared.v4.b32 [%t17], {%t9, %t9, %t9, %t9};\n" + store("", kind, "%l4") +
                         "bar.sync 0;\n" + read, block, declare=f".shared .align 16 .b8 {sym}[{block * 16}];\n")
    for q in (".wb", ".cg", ".cs", ".wt", ".volatile", ".relaxed.gpu", ".release.gpu", ".L1::no_allocate"):
        left = q if q.split(".")[1] in ("volatile", "relaxed", "release") else ""
        right = q if not left else ""
        memory_probe(mangled("st", q, "global_b32"), 1, four + f"st{left}.global{right}.b32 [%out], %t8;\n", 64)
    probe("ld_param_index", "i32", "32", """and.b32 %t0, %a, 15;
          mov.b64 %l0, values;
          mad.wide.u32 %l0, %t0, 4, %l0;
          ld.param.b32 %d, [%l0];""")
    probe("ld_param_widths", "i32", "32 32 32 64", """ld.param.s8 %d, [values + 9];
          ld.param.u16 %e, [values + 10];
          ld.param.s16 %f, [values + 8];
          ld.param.b64 %g, [values + 48];""", 32)
    for space in ("global", "shared", "local", "const"):
        sym = f"s_isspacep_{space}"
        probe(f"isspacep_{space}", "", "p p p p", f""".local .align 4 .b8 stack[16];
              isspacep.{space} %d, %in;
              mov.u64 %l0, {sym};
              cvta.shared.u64 %l0, %l0;
              isspacep.{space} %e, %l0;
              mov.u64 %l1, stack;
              cvta.local.u64 %l1, %l1;
              isspacep.{space} %f, %l1;
              mov.u64 %l2, c_isspacep_{space};
              cvta.const.u64 %l2, %l2;
              isspacep.{space} %g, %l2;""", 32,
              declare=f".shared .align 4 .b8 {sym}[16];\n.const .align 4 .b32 c_isspacep_{space}[4] = {{1, 2, 3, 4}};\n")
    probe("global_variable", "i32", "32 32", """and.b32 %t0, %a, 7;
          mov.u64 %l0, g_variable;
          mad.wide.u32 %l0, %t0, 4, %l0;
          ld.global.b32 %d, [%l0];
          ld.global.b32 %e, [g_variable + 8];""",
          declare=".global .align 4 .b32 g_variable[8] = {11, 22, 33, 44, 55, 66, 77, 88};\n")


def atomics():
    INT_OPS = [("add", "u32"), ("add", "s32"), ("add", "u64"), ("min", "u32"), ("min", "s32"), ("min", "u64"), ("min", "s64"),
               ("max", "u32"), ("max", "s32"), ("max", "u64"), ("max", "s64"), ("inc", "u32"), ("dec", "u32"), ("and", "b32"),
               ("and", "b64"), ("or", "b32"), ("or", "b64"), ("xor", "b32"), ("xor", "b64"), ("exch", "b32"), ("exch", "b64")]
    FLOAT_OPS = [("add", "f32"), ("add", "f64"), ("add.noftz", "f16"), ("add.noftz", "f16x2"), ("add.noftz", "bf16"),
                 ("add.noftz", "bf16x2")]
    for op, t in INT_OPS + FLOAT_OPS:
        w = bits_of(t) if not t.endswith("x2") else 32
        r = FLOAT_REGION[t] if "f" in t else int_region(w)
        words = max(1, w // 32)
        back = f"ld.volatile.global.b{w} %e, [%out];\n"
        # Each thread updates its own word of the output. The last store comes after the atomic.
        for space in ("global", "shared", "generic"):
            if space == "generic" and t not in ("u32", "b64", "f32", "s32", "f16x2"):
                continue
            name = mangled("atom", space, op, t)
            sym = f"s_{name}"
            declare = "" if space == "global" else f".shared .align 8 .b8 {sym}[2048];\n"
            where = "%l11" if space in ("global", "generic") else "%t21"
            place = ("mov.u64 %l11, %out;\n" if space == "global" else
                     f"mov.u32 %t21, {sym};\nmad.lo.u32 %t21, %id, 8, %t21;\n")
            if space == "generic":
                place += "cvt.u64.u32 %l11, %t21;\ncvta.shared.u64 %l11, %l11;\n"
            dot = "" if space == "generic" else "." + space
            probe(name, f"{r} {r}", f"{w} {w}", place + f"""st{dot}.b{w} [{where}], %a;
                  atom{dot}.{op}.{t} %d, [{where}], %b;
                  ld.volatile{dot}.b{w} %e, [{where}];
                  membar.cta;""", declare=declare)
            if op != "exch":
                probe(name.replace("atom", "red", 1), f"{r} {r}", f"{w}", place.replace(sym, sym.replace("atom", "red", 1)) +
                      f"""st{dot}.b{w} [{where}], %a;
                  red{dot}.{op}.{t} [{where}], %b;
                  ld.volatile{dot}.b{w} %d, [{where}];
                  membar.cta;""", declare=declare.replace(sym, sym.replace("atom", "red", 1)))
    for w in (16, 32, 64):
        r = int_region(w)
        for space in ("global", "shared"):
            name = f"atom_{space}_cas_b{w}"
            sym = f"s_{name}"
            place = ("mov.u64 %l11, %out;\n" if space == "global" else
                     f"mov.u32 %t21, {sym};\nmad.lo.u32 %t21, %id, 8, %t21;\n")
            where = "%l11" if space == "global" else "%t21"
            # half of the threads compare with the stored value
            small = "%l0" if w == 64 else "%t0" if w == 32 else "%h0"
            probe(name, f"{r} {r} {r}", f"{w} {w}", place + f"""and.b32 %t10, %id, 1;
                  setp.eq.s32 %p, %t10, 0;
                  selp.b{w} {small}, %a, %b, %p;
                  st.{space}.b{w} [{where}], %a;
                  atom.{space}.cas.b{w} %d, [{where}], {small}, %c;
                  ld.volatile.{space}.b{w} %e, [{where}];""",
                  declare="" if space == "global" else f".shared .align 8 .b8 {sym}[2048];\n")
    for op in ("exch", "cas"):
        probe(f"atom_global_{op}_b128", "i64 i64 i64", "64 64 64 64", f""".reg .b128 %x, %y, %z;
              mov.b128 %x, {{%a, %b}};
              mov.b128 %y, {{%c, %a}};
              st.global.v2.b64 [%out], {{%a, %b}};
              atom.global.{op}.b128 %z, [%out], {'%x, ' if op == 'cas' else ''}%y;
              mov.b128 {{%d, %e}}, %z;
              ld.volatile.global.v2.b64 {{%f, %g}}, [%out];""", 64)
    # vectors
    for op, t, n in (("add", "f32", 2), ("add", "f32", 4)):
        registers = ["%a", "%b", "%c", "%i"][:n]
        probe(f"red_global_{op}_v{n}_{t}", "f32 f32 f32 wide_f32", "32 " * n, f"""st.global.v{n}.f32 [%out], {{{", ".join(registers)}}};
              red.global.{op}.v{n}.f32 [%out], {{{", ".join(reversed(registers))}}};
              ld.volatile.global.v{n}.f32 {{{", ".join(["%d", "%e", "%f", "%g"][:n])}}}, [%out];""", 128)
        probe(f"atom_global_{op}_v{n}_{t}", "f32 f32 f32 wide_f32", "32 " * n, f"""st.global.v{n}.f32 [%out], {{{", ".join(registers)}}};
              atom.global.{op}.v{n}.f32 {{{", ".join(["%d", "%e", "%f", "%g"][:n])}}}, [%out], {{{", ".join(reversed(registers))}}};""", 128)
    for op, t in itertools.product(("add", "min", "max"), ("f16x2", "bf16x2")):
        r = FLOAT_REGION[t]
        probe(f"red_global_{op}_v2_{t}", f"{r} {r} {r}", "32 32", f"""st.global.v2.b32 [%out], {{%a, %b}};
              red.global.{op}.noftz.v2.{t} [%out], {{%b, %c}};
              ld.volatile.global.v2.b32 {{%d, %e}}, [%out];""", 128)
    # Many threads update one integer word. The order of the updates does not change the result.
    for op, t in (("add", "u32"), ("add", "u64"), ("min", "s32"), ("max", "u32"), ("and", "b32"), ("or", "b32"), ("xor", "b64"),
                  ("inc", "u32"), ("dec", "u32")):
        w = bits_of(t)
        r = int_region(w)
        value = "%b" if op in ("inc", "dec") else "%a"
        limit = f"mov.b{w} %b, 1000;\n" if op in ("inc", "dec") else ""
        for groups in (1, 4):
            name = f"red_shared_{op}_{t}_shared_by_{256 // groups}"
            probe(name, f"{r} {r}", f"{w}", f"""mov.u32 %t21, s_{name};
                  mad.lo.u32 %t20, %id, 8, %t21;
                  st.shared.b{w} [%t20], %b;
                  {limit}and.b32 %t19, %id, {groups - 1};
                  mad.lo.u32 %t19, %t19, 8, %t21;
                  bar.sync 0;
                  red.shared.{op}.{t} [%t19], {value};
                  bar.sync 0;
                  ld.shared.b{w} %d, [%t20];""", declare=f".shared .align 8 .b8 s_{name}[2048];\n")
    probe("atom_shared_inc_popc", "i32", "32", """mov.u32 %t21, s_atom_shared_inc_popc;
          mov.b32 %t0, 0;
          st.shared.b32 [%t21], %t0;
          bar.sync 0;
          setp.lt.s32 %p, %a, 0;
          mov.b32 %t2, 0;
          @%p atom.shared.add.u32 %t1, [%t21], 1;
          bar.sync 0;
          ld.shared.b32 %d, [%t21];""", declare=".shared .align 8 .b8 s_atom_shared_inc_popc[8];\n")
    probe("red_global_add_u32_one_word", "i32", "32", """sub.u64 %l1, %out, 0;
          mul.wide.u32 %l2, %id, 4;
          sub.u64 %l1, %out, %l2;
          st.global.b32 [%out], %a;
          membar.gl;
          bar.sync 0;
          red.global.add.u32 [%l1], 3;
          membar.gl;
          bar.sync 0;
          ld.volatile.global.b32 %d, [%out];
          bar.sync 0;""")


# --- within a warp ---


def warps():
    odd = "and.b32 %t20, %lane, 1;\nsetp.eq.u32 %q, %t20, 1;\n"
    for op in ("all", "any", "uni"):
        probe(f"vote_sync_{op}", "i32 i32", "p", f"setp.lt.s32 %p, %a, %b;\nvote.sync.{op}.pred %d, %p, 0xffffffff;")
        probe(f"vote_sync_{op}_not", "i32", "p", f"setp.ne.s32 %p, %a, 2;\nvote.sync.{op}.pred %d, !%p, 0xffffffff;")
    probe("vote_sync_all_true", "i32", "p", "setp.ne.s32 %p, %a, 77777777;\nvote.sync.all.pred %d, %p, -1;")
    probe("vote_sync_ballot", "i32 i32", "32", "setp.lt.s32 %p, %a, %b;\nvote.sync.ballot.b32 %d, %p, 0xffffffff;")
    # Two groups of lanes execute the body one after the other.
    def divided(body):
        return odd + f"""@%q bra ODD;
            {body.replace("MASK", "0x55555555")}
            bra END;
            ODD:
            {body.replace("MASK", "0xaaaaaaaa")}
            END:"""

    probe("vote_sync_ballot_divided", "i32 i32", "32", divided("setp.lt.s32 %p, %a, %b;\nvote.sync.ballot.b32 %d, %p, MASK;"))
    probe("vote_sync_any_divided", "i32 i32", "p", divided("setp.lt.s32 %p, %a, 0;\nvote.sync.any.pred %d, %p, MASK;"))
    probe("activemask", "i32", "32", "setp.lt.s32 %p, %a, 3;\nmov.b32 %d, 0;\n@%p bra SKIP;\nactivemask.b32 %d;\nSKIP:")
    for w in (32, 64):
        r = int_region(w)
        m = "%l0" if w == 64 else "%t0"
        probe(f"match_any_sync_b{w}", r, "32", f"and.b{w} {m}, %a, 0x13;\nmatch.any.sync.b{w} %d, {m}, 0xffffffff;")
        probe(f"match_all_sync_b{w}", r, "32 p", f"and.b{w} {m}, %a, 0;\nmatch.all.sync.b{w} %d|%e, {m}, 0xffffffff;")
        probe(f"match_all_sync_b{w}_not", r, "32 p", f"and.b{w} {m}, %a, 1;\nmatch.all.sync.b{w} %d|%e, {m}, 0xffffffff;")
        probe(f"match_any_sync_b{w}_divided", r, "32", divided(f"and.b{w} {m}, %a, 0x11;\nmatch.any.sync.b{w} %d, {m}, MASK;"))
    probe("elect_sync", "", "32 p", "elect.sync %d|%e, 0xffffffff;")
    probe("elect_sync_divided", "", "32 p", divided("elect.sync %d|%e, MASK;"))
    for op in ("add", "min", "max"):
        for t in ("u32", "s32"):
            probe(f"redux_sync_{op}_{t}", "i32", "32", f"redux.sync.{op}.{t} %d, %a, 0xffffffff;")
    for op in ("and", "or", "xor"):
        probe(f"redux_sync_{op}_b32", "i32", "32", f"redux.sync.{op}.b32 %d, %a, 0xffffffff;")
    probe("redux_sync_add_s32_divided", "i32", "32", divided("redux.sync.add.s32 %d, %a, MASK;"))
    probe("redux_sync_max_s32_divided", "i32", "32", divided("redux.sync.max.s32 %d, %a, MASK;"))
    clamps = {"up": (0, 0x1000, 0x1800, 0x1c00, 0x1e00), "down": (0x1f, 0x101f, 0x181f, 0x1c1f), "bfly": (0x1f, 0x101f, 0x1c1f, 0x7),
              "idx": (0x1f, 0x101f, 0x181f, 0x1e1f, 0x80f)}
    for mode, all_clamps in clamps.items():
        for c in all_clamps:
            probe(f"shfl_sync_{mode}_c{c:x}", "i32 shift", "32 p", f"shfl.sync.{mode}.b32 %d|%e, %a, %b, {c}, 0xffffffff;")
        for amount in (0, 1, 16, 31):
            c = all_clamps[0]
            probe(f"shfl_sync_{mode}_by{amount}", "i32", "32 p", f"shfl.sync.{mode}.b32 %d|%e, %a, {amount}, {c}, 0xffffffff;")
        probe(f"shfl_sync_{mode}_register", "i32 shift shift", "32 p", f"""and.b32 %t0, %c, 0x1f;
              shl.b32 %t0, %t0, 8;
              or.b32 %t0, %t0, {all_clamps[0]};
              shfl.sync.{mode}.b32 %d|%e, %a, %b, %t0, 0xffffffff;""")
        probe(f"shfl_sync_{mode}_by2_register", "i32 shift", "32 p", f"""and.b32 %t0, %b, 0x18;
              shl.b32 %t0, %t0, 8;
              or.b32 %t0, %t0, {all_clamps[0]};
              shfl.sync.{mode}.b32 %d|%e, %a, 2, %t0, 0xffffffff;""")
    # the sources are active lanes
    probe("shfl_sync_bfly_divided", "i32", "32 p", divided("shfl.sync.bfly.b32 %d|%e, %a, 2, 0x1f, MASK;"))
    probe("shfl_sync_down_divided", "i32", "32 p", divided("shfl.sync.down.b32 %d|%e, %a, 4, 0x1f, MASK;"))
    probe("shfl_sync_idx_divided", "i32 shift", "32 p", divided(
        "and.b32 %t0, %b, 0x1e;\nand.b32 %t1, %lane, 1;\nor.b32 %t0, %t0, %t1;\nshfl.sync.idx.b32 %d|%e, %a, %t0, 0x1f, MASK;"))


# --- matrices ---


def matrices():
    threads = 64

    def fragment(register, region, slot, count, wide=False):
        """Loads `count` registers of 32 bits (or 64): register k of a thread is element tid + 64 k."""
        offset, size = regions[region]
        at = f"%in{size}"
        kind = {4: "b32", 8: "b64", 16: "b32"}[size]
        return "".join(f"ld.global.{kind} {register}{k}, [{at} + {offset + (slot * ELEMENTS + threads * k) * size}];\n"
                       for k in range(count))

    def listed(register, count):
        return "{" + ", ".join(f"{register}{k}" for k in range(count)) + "}"

    def mma(name, text, a, b, c, wide=False, prepare="", wide_c=None, d=None):
        """a, b, c: (region, registers)."""
        wide_c = wide if wide_c is None else wide_c
        d = d or c[1]
        w, wc = (64 if wide else 32), (64 if wide_c else 32)
        body = f".reg .b{w} %A<8>, %B<8>;\n.reg .b{wc} %C<8>, %D<8>;\n"
        body += fragment("%A", a[0], 0, a[1]) + fragment("%B", b[0], 1 if regions[b[0]][1] != 16 else 0, b[1])
        body += fragment("%C", c[0], 2 if regions[c[0]][1] != 16 else 0, c[1]) + prepare
        body += f"{text} {listed('%D', d)}, {listed('%A', a[1])}, {listed('%B', b[1])}, {listed('%C', c[1])};\n"
        words = d * (2 if wide_c else 1)
        for k in range(d):
            if wide_c:
                body += f"st.global.b64 [%out + {8 * k}], %D{k};\n"
            else:
                body += f"st.global.b32 [%out + {4 * k}], %D{k};\n"
        memory_probe(name, words, body, threads)

    for kind in ("real", "wide", "weird"):
        for k, a, b in ((8, 2, 1), (16, 4, 2)):
            shape = f"m16n8k{k}"
            mma(f"mma_{shape}_f32_f16_{kind}", f"mma.sync.aligned.{shape}.row.col.f32.f16.f16.f32", (f"{kind}_h2", a),
                (f"{kind}_h2", b), (f"{kind}_f32", 4))
            mma(f"mma_{shape}_f16_f16_{kind}", f"mma.sync.aligned.{shape}.row.col.f16.f16.f16.f16", (f"{kind}_h2", a),
                (f"{kind}_h2", b), (f"{kind}_h2", 2))
            mma(f"mma_{shape}_f32_bf16_{kind}", f"mma.sync.aligned.{shape}.row.col.f32.bf16.bf16.f32", (f"{kind}_b2", a),
                (f"{kind}_b2", b), (f"{kind}_f32", 4))
        for k, a, b in ((4, 2, 1), (8, 4, 2)):
            shape = f"m16n8k{k}"
            mma(f"mma_{shape}_f32_tf32_{kind}", f"mma.sync.aligned.{shape}.row.col.f32.tf32.tf32.f32", (f"{kind}_f32", a),
                (f"{kind}_f32", b), (f"{kind}_f32", 4))
        if kind != "weird":
            for m, k, a, b, c in ((8, 4, 1, 1, 2), (16, 4, 2, 1, 4), (16, 8, 4, 2, 4), (16, 16, 8, 4, 4)):
                shape = f"m{m}n8k{k}"
                mma(f"mma_{shape}_f64_{kind}", f"mma.sync.aligned.{shape}.row.col.f64.f64.f64.f64", (f"{kind}_f64", a),
                    (f"{kind}_f64", b), (f"{kind}_f64", c), wide=True)
    mma("mma_m8n8k4_f64_hard", "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", ("f64", 1), ("f64", 1), ("f64", 2), wide=True)
    for x, y in (("s8", "s8"), ("u8", "u8"), ("s8", "u8"), ("u8", "s8")):
        for shape, a, b, c in (("m8n8k16", 1, 1, 2), ("m16n8k16", 2, 1, 4), ("m16n8k32", 4, 2, 4)):
            for sat in ("", ".satfinite"):
                if x != y and (sat or shape != "m16n8k32"):
                    continue
                mma(mangled("mma", shape, sat, x, y), f"mma.sync.aligned.{shape}.row.col{sat}.s32.{x}.{y}.s32", ("i32", a),
                    ("i32", b), ("i32", c))
    for x, y in (("s4", "s4"), ("u4", "u4"), ("s4", "u4")):
        for shape, a, b, c in (("m8n8k32", 1, 1, 2), ("m16n8k32", 2, 1, 4), ("m16n8k64", 4, 2, 4)):
            if x != y and shape != "m16n8k64":
                continue
            mma(mangled("mma", shape, x, y), f"mma.sync.aligned.{shape}.row.col.s32.{x}.{y}.s32", ("i32", a), ("i32", b), ("i32", c))
    for op in ("xor", "and"):
        for shape, a, b, c in (("m8n8k128", 1, 1, 2), ("m16n8k128", 2, 1, 4), ("m16n8k256", 4, 2, 4)):
            mma(mangled("mma", shape, "b1", op), f"mma.sync.aligned.{shape}.row.col.s32.b1.b1.s32.{op}.popc", ("i32", a), ("i32", b),
                ("i32", c))
    # 8-bit floats are finite, because bit 6 of every byte is cleared
    tame = "".join(f"and.b32 %A{n}, %A{n}, 0xbfbfbfbf;\n" for n in range(4)) + "".join(
        f"and.b32 %B{n}, %B{n}, 0xbfbfbfbf;\n" for n in range(2))
    for x, y in (("e4m3", "e4m3"), ("e5m2", "e5m2"), ("e4m3", "e5m2")):
        for k, a, b in ((32, 4, 2),):
            mma(f"mma_m16n8k{k}_f32_{x}_{y}", f"mma.sync.aligned.m16n8k{k}.row.col.f32.{x}.{y}.f32", ("i32", a), ("i32", b),
                ("real_f32", 4), prepare=tame)
            mma(f"mma_m16n8k{k}_f32_{x}_{y}_any", f"mma.sync.aligned.m16n8k{k}.row.col.f32.{x}.{y}.f32", ("raw", a), ("i32", b),
                ("real_f32", 4))
            mma(f"mma_m16n8k{k}_f16_{x}_{y}", f"mma.sync.aligned.m16n8k{k}.row.col.f16.{x}.{y}.f16", ("i32", a), ("i32", b),
                ("real_h2", 2), prepare=tame)
    # in only one of these two probes, a matrix product makes the accumulators
    mma("mma_m16n8k16_f32_f16_zero", """mov.b32 %C0, 0;
        mov.b32 %C1, 0;
        mov.b32 %C2, 0;
        mov.b32 %C3, 0;
        mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32""", ("real_h2", 4), ("real_h2", 2), ("real_f32", 4))
    mma("mma_m16n8k16_f32_f16_chain", """mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%C0, %C1, %C2, %C3}, {%A0, %A1, %A2, %A3},
        {%B0, %B1}, {%C0, %C1, %C2, %C3};
        mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32""", ("real_h2", 4), ("real_h2", 2), ("real_f32", 4))
    mma("mma_m8n8k4_f32_f16", "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32", ("real_h2", 2), ("real_h2", 2), ("real_f32", 8))
    mma("mma_m8n8k4_f16_f16", "mma.sync.aligned.m8n8k4.col.row.f16.f16.f16.f16", ("real_h2", 2), ("real_h2", 2), ("real_h2", 4))

    raw = regions["raw"][0]
    for count in (1, 2, 4):
        for trans in ("", ".trans"):
            name = mangled("ldmatrix", f"x{count}", trans, "b16")
            regs = [f"%t{n}" for n in range(count)]
            memory_probe(name, count, f"""ld.global.v4.b32 {{%t8, %t9, %t10, %t11}}, [%in16 + {raw}];
                mov.u32 %t16, s_{name};
                mad.lo.u32 %t17, %id, 16, %t16;
                st.shared.v4.b32 [%t17], {{%t8, %t9, %t10, %t11}};
                bar.sync 0;
                mad.lo.u32 %t18, %id, 7, 3;
                and.b32 %t18, %t18, 63;
                mad.lo.u32 %t17, %t18, 16, %t16;
                ldmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16 {{{", ".join(regs)}}}, [%t17];
                """ + "".join(f"st.global.b32 [%out + {4 * n}], %t{n};\n" for n in range(count)), 64,
                declare=f".shared .align 16 .b8 s_{name}[1024];\n")
            name = mangled("stmatrix", f"x{count}", trans, "b16")
            regs = [f"%t{n + 8}" for n in range(count)]
            # Lanes from 8 * count on also have addresses, but these are ignored.
            memory_probe(name, 8, f"""ld.global.v4.b32 {{%t8, %t9, %t10, %t11}}, [%in16 + {raw}];
                mov.u32 %t16, s_{name};
                mad.lo.u32 %t17, %id, 16, %t16;
                mov.b32 %t0, 0x77777777;
                st.shared.v4.b32 [%t17], {{%t0, %t0, %t0, %id}};
                bar.sync 0;
                mul.lo.u32 %t18, %id, 7;
                and.b32 %t18, %t18, 31;
                mad.lo.u32 %t17, %t18, 16, %t16;
                stmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16 [%t17], {{{", ".join(regs)}}};
                bar.sync 0;
                mad.lo.u32 %t17, %id, 16, %t16;
                ld.shared.v4.b32 {{%t0, %t1, %t2, %t3}}, [%t17];
                st.global.v4.b32 [%out], {{%t0, %t1, %t2, %t3}};
                st.global.v4.b32 [%out + 16], {{%t8, %t9, %t10, %t11}};""", 32, declare=f".shared .align 16 .b8 s_{name}[512];\n")
    probe("movmatrix_trans_b16", "i32", "32", "movmatrix.sync.aligned.m8n8.trans.b16 %d, %a;")


# --- asynchronous copies ---


def copies():
    raw = regions["raw"][0]

    def copy(name, text, block=64, wait="cp.async.wait_all;"):
        memory_probe(name, 4, f"""mov.u32 %t16, s_{name};
            mad.lo.u32 %t17, %id, 16, %t16;
            mov.b32 %t8, 0x77777777;
            st.shared.v4.b32 [%t17], {{%id, %t8, %t8, %id}};
            bar.sync 0;
            {text}
            {wait}
            bar.sync 0;
            xor.b32 %t18, %id, 3;
            mad.lo.u32 %t17, %t18, 16, %t16;
            ld.shared.v4.b32 {{%t0, %t1, %t2, %t3}}, [%t17];
            st.global.v4.b32 [%out], {{%t0, %t1, %t2, %t3}};""", block, declare=f".shared .align 16 .b8 s_{name}[1024];\n")

    for cache, size in (("ca", 4), ("ca", 8), ("ca", 16), ("cg", 16)):
        copy(f"cp_async_{cache}_{size}", f"cp.async.{cache}.shared.global [%t17], [%in16 + {raw}], {size};")
        copy(f"cp_async_{cache}_{size}_zfill", f"""and.b32 %t9, %id, 31;
             min.u32 %t9, %t9, {size};
             cp.async.{cache}.shared.global [%t17], [%in16 + {raw}], {size}, %t9;""")
        copy(f"cp_async_{cache}_{size}_half", f"cp.async.{cache}.shared.global [%t17], [%in16 + {raw}], {size}, {size // 2};")
        copy(f"cp_async_{cache}_{size}_ignore", f"""and.b32 %t9, %id, 5;
             setp.eq.u32 %p, %t9, 4;
             cp.async.{cache}.shared.global [%t17], [%in16 + {raw}], {size}, %p;""")
    copy("cp_async_predicated", f"""and.b32 %t9, %id, 5;
         setp.eq.u32 %p, %t9, 4;
         @%p cp.async.ca.shared.global [%t17], [%in16 + {raw}], 8;""")
    copy("cp_async_groups", f"""cp.async.ca.shared.global [%t17], [%in16 + {raw}], 4;
         cp.async.commit_group;
         cp.async.ca.shared.global [%t17 + 8], [%in16 + {raw + 8}], 8;
         cp.async.commit_group;
         cp.async.wait_group 1;
         bar.sync 0;
         ld.shared.b32 %t9, [%t17];
         cp.async.wait_group 0;
         st.shared.b32 [%t17 + 4], %t9;""")
    copy("cp_async_prefetch", f"cp.async.cg.shared.global.L2::128B [%t17], [%in16 + {raw}], 16;")


# --- control flow ---


def control():
    probe("branch_if", "i32 i32", "32", """setp.lt.s32 %p, %a, %b;
          @%p bra LESS;
          mul.lo.s32 %d, %a, 3;
          bra END;
          LESS:
          sub.s32 %d, %b, %a;
          rem.s32 %d, %d, 1000;
          END:
          xor.b32 %d, %d, %a;""")
    probe("branch_nested", "i32 i32 i32", "32 32", """mov.b32 %e, 1;
          setp.lt.s32 %p, %a, %b;
          @!%p bra OUTER_ELSE;
          setp.lt.s32 %q, %b, %c;
          @!%q bra INNER_ELSE;
          activemask.b32 %t0;
          popc.b32 %d, %t0;
          div.s32 %d, %a, 17;
          bra INNER_END;
          INNER_ELSE:
          div.u32 %d, %b, 19;
          or.b32 %e, %e, 2;
          INNER_END:
          or.b32 %e, %e, 4;
          add.s32 %d, %d, %e;
          bra OUTER_END;
          OUTER_ELSE:
          rem.s32 %d, %c, 23;
          or.b32 %e, %e, 8;
          OUTER_END:
          shl.b32 %e, %e, 1;""")
    probe("loop_lanes", "shift i32", "32 32", """mov.b32 %d, 0;
          and.b32 %t0, %a, 63;
          mov.b32 %e, 0;
          LOOP:
          setp.ge.u32 %p, %e, %t0;
          @%p bra DONE;
          mad.lo.s32 %d, %d, 31, %b;
          xor.b32 %d, %d, %e;
          add.s32 %e, %e, 1;
          bra LOOP;
          DONE:""")
    probe("loop_nested", "shift shift i32", "32 32", """mov.b32 %d, %c;
          mov.b32 %e, 0;
          and.b32 %t0, %a, 7;
          and.b32 %t1, %b, 15;
          mov.b32 %t2, 0;
          OUTER:
          setp.ge.u32 %p, %t2, %t0;
          @%p bra DONE;
          mov.b32 %t3, 0;
          INNER:
          setp.ge.u32 %q, %t3, %t1;
          @%q bra INNER_DONE;
          mad.lo.u32 %d, %d, 1664525, 1013904223;
          shr.u32 %t4, %d, 28;
          setp.eq.u32 %u, %t4, 15;
          @%u bra DONE;
          add.s32 %e, %e, 1;
          setp.eq.u32 %v, %t4, 7;
          @%v bra INNER_DONE;
          add.s32 %t3, %t3, 1;
          bra INNER;
          INNER_DONE:
          add.s32 %t2, %t2, 1;
          bra OUTER;
          DONE:""")
    probe("loop_irreducible", "i32 shift", "32 32", """mov.b32 %d, %a;
          mov.b32 %e, 0;
          and.b32 %t0, %b, 1;
          setp.eq.u32 %p, %t0, 1;
          @%p bra MIDDLE;
          TOP:
          mad.lo.u32 %d, %d, 5, 7;
          MIDDLE:
          add.s32 %e, %e, 1;
          xor.b32 %d, %d, %e;
          shr.u32 %t1, %d, 3;
          and.b32 %t1, %t1, 7;
          setp.eq.u32 %q, %t1, 0;
          setp.gt.u32 %u, %e, 40;
          or.pred %q, %q, %u;
          @!%q bra TOP;""")
    probe("switch_brx", "i32 i32", "32", """and.b32 %t0, %a, 7;
          TABLE: .branchtargets C0, C1, C2, C3, C4, C5, C6, C7;
          brx.idx %t0, TABLE;
          C0: add.s32 %d, %b, 1; bra END;
          C1: mul.lo.s32 %d, %b, 11; bra END;
          C2: xor.b32 %d, %b, 0x1234; bra END;
          C3: div.u32 %d, %b, 13; bra END;
          C4: popc.b32 %d, %b; bra END;
          C5: clz.b32 %d, %b; bra C0;
          C6: not.b32 %d, %b;
          C7: shr.s32 %d, %b, 2;
          END:""")
    function = """.func (.param .b32 r) f_{0}(.param .b32 x, .param .b32 y)
{{
  .reg .b32 %x, %y, %z;
  .reg .pred %p;
  ld.param.b32 %x, [x];
  ld.param.b32 %y, [y];
  setp.lt.s32 %p, %x, %y;
  @%p bra LESS;
  div.u32 %z, %x, 7;
  bra END;
LESS:
  mad.lo.s32 %z, %y, %x, 5;
END:
  {1}st.param.b32 [r], %z;
  ret;
}}
"""
    call = """{{
          .param .b32 cr;
          .param .b32 cx;
          .param .b32 cy;
          st.param.b32 [cx], {1};
          st.param.b32 [cy], {2};
          call (cr), f_{0}, (cx, cy);
          ld.param.b32 {3}, [cr];
          }}
          """
    probe("call_noinline", "i32 i32", "32", call.format("call_noinline", "%a", "%b", "%d").replace("{{", "{").replace("}}", "}"),
          declare=function.format("call_noinline", ""))
    probe("call_divergent", "i32 i32 shift", "32", """setp.gt.u32 %q, %c, 15;
          mov.b32 %d, 77;
          @%q bra SKIP;
          """ + call.format("call_divergent", "%a", "%b", "%d") + """SKIP:
          xor.b32 %d, %d, %c;
          """ + call.format("call_divergent", "%d", "%a", "%t0") + "add.s32 %d, %d, %t0;",
          declare=function.format("call_divergent", ""))
    probe("call_twice", "i32 i32 i32", "32 32", call.format("call_twice", "%a", "%b", "%d") +
          call.format("call_twice", "%d", "%c", "%e"), declare=function.format("call_twice", ""))
    inner = function.format("call_inner", "")
    outer = function.format("call_nested", call.format("call_inner", "%z", "%x", "%z").strip().replace("\n", "\n  ") + "\n  ")
    probe("call_nested", "i32 i32", "32", call.format("call_nested", "%a", "%b", "%d"), declare=inner + outer)
    recursive = """.func (.param .b32 r) f_call_recursive(.param .b32 x, .param .b32 y)
{
  .reg .b32 %x, %y, %z;
  .reg .pred %p;
  ld.param.b32 %x, [x];
  ld.param.b32 %y, [y];
  mov.b32 %z, %y;
  setp.eq.u32 %p, %x, 0;
  @%p bra END;
  sub.u32 %z, %x, 1;
  {
  .param .b32 ir;
  .param .b32 ix;
  .param .b32 iy;
  st.param.b32 [ix], %z;
  st.param.b32 [iy], %y;
  call (ir), f_call_recursive, (ix, iy);
  ld.param.b32 %z, [ir];
  }
  mad.lo.u32 %z, %z, 33, %x;
END:
  st.param.b32 [r], %z;
  ret;
}
"""
    probe("call_recursive", "shift i32", "32", "and.b32 %t0, %a, 7;\n" + call.format("call_recursive", "%t0", "%b", "%d"),
          declare=recursive)
    pointers = "".join(function.format(f"pointer{n}", f"add.s32 %z, %z, {n};\n  ") for n in range(3))
    probe("call_pointer", "i32 i32 shift", "32", """rem.u32 %t0, %c, 3;
          mad.wide.u32 %l0, %t0, 8, 0;
          mov.u64 %l1, g_call_pointer;
          add.u64 %l1, %l1, %l0;
          ld.global.u64 %l2, [%l1];
          {
          .param .b32 r;
          .param .b32 x;
          .param .b32 y;
          PROTOTYPE: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b32 _);
          st.param.b32 [x], %a;
          st.param.b32 [y], %b;
          call (r), %l2, (x, y), PROTOTYPE;
          ld.param.b32 %d, [r];
          }""", declare=pointers + ".global .align 8 .u64 g_call_pointer[3] = {f_pointer0, f_pointer1, f_pointer2};\n")
    probe("exit_early", "i32 shift", "32", """mov.b32 %d, 7;
          st.global.b32 [%out], %d;
          setp.gt.u32 %p, %b, 12;
          @%p exit;
          activemask.b32 %t0;
          popc.b32 %t0, %t0;
          add.s32 %d, %a, %t0;""")
    probe("exit_in_branch", "i32 shift", "32", """mov.b32 %d, 7;
          st.global.b32 [%out], %d;
          setp.gt.u32 %p, %b, 12;
          @!%p bra GO;
          rem.u32 %t0, %a, 1000;
          setp.lt.u32 %q, %t0, 500;
          @%q exit;
          add.s32 %a, %a, 5;
          GO:
          add.s32 %d, %a, 9;""")
    # block barriers
    probe("bar_sync_exchange", "i32", "32", """mov.u32 %t16, s_bar_sync_exchange;
          mad.lo.u32 %t17, %id, 4, %t16;
          st.shared.b32 [%t17], %a;
          bar.sync 0;
          xor.b32 %t18, %id, 0xff;
          mad.lo.u32 %t17, %t18, 4, %t16;
          ld.shared.b32 %d, [%t17];""", declare=".shared .align 4 .b8 s_bar_sync_exchange[1024];\n")
    probe("bar_sync_loop", "i32 shift", "32", """mov.u32 %t16, s_bar_sync_loop;
          mad.lo.u32 %t17, %id, 4, %t16;
          mov.b32 %d, %a;
          mov.b32 %t0, 128;
          LOOP:
          st.shared.b32 [%t17], %d;
          bar.sync 0;
          xor.b32 %t18, %id, %t0;
          mad.lo.u32 %t18, %t18, 4, %t16;
          ld.shared.b32 %t1, [%t18];
          bar.sync 0;
          mad.lo.u32 %d, %d, 3, %t1;
          shr.u32 %t0, %t0, 1;
          setp.ne.u32 %p, %t0, 0;
          @%p bra LOOP;""", declare=".shared .align 4 .b8 s_bar_sync_loop[1024];\n")
    for op in ("and", "or"):
        probe(f"bar_red_{op}", "i32 i32", "p", f"setp.lt.s32 %p, %a, %b;\nbar.red.{op}.pred %d, 0, %p;")
        probe(f"bar_red_{op}_same", "i32", "p", f"setp.{'ne' if op == 'and' else 'eq'}.s32 %p, %a, 77777777;\nbar.red.{op}.pred %d, 0, %p;")
    probe("bar_red_popc", "i32 i32", "32", "setp.lt.s32 %p, %a, %b;\nbar.red.popc.u32 %d, 0, %p;")
    probe("bar_red_popc_not", "i32 i32", "32", "setp.lt.s32 %p, %a, %b;\nbar.red.popc.u32 %d, 3, !%p;")
    probe("barrier_red_popc_count", "i32 i32", "32", """setp.lt.s32 %p, %a, %b;
          shr.u32 %t0, %id, 6;
          add.s32 %t0, %t0, 1;
          barrier.red.popc.u32 %d, %t0, 64, %p;""")
    probe("barrier_sync_count", "i32", "32", """mov.u32 %t16, s_barrier_sync_count;
          mad.lo.u32 %t17, %id, 4, %t16;
          st.shared.b32 [%t17], %a;
          shr.u32 %t0, %id, 6;
          add.s32 %t0, %t0, 1;
          barrier.sync %t0, 64;
          xor.b32 %t18, %id, 0x3f;
          mad.lo.u32 %t17, %t18, 4, %t16;
          ld.shared.b32 %d, [%t17];""", declare=".shared .align 4 .b8 s_barrier_sync_count[1024];\n")
    probe("barrier_arrive", "i32", "32", """mov.u32 %t16, s_barrier_arrive;
          mad.lo.u32 %t17, %id, 4, %t16;
          setp.lt.u32 %p, %id, 32;
          @%p bra PRODUCER;
          bar.sync 1, 64;
          xor.b32 %t18, %id, 0x20;
          mad.lo.u32 %t18, %t18, 4, %t16;
          ld.shared.b32 %d, [%t18];
          bra END;
          PRODUCER:
          st.shared.b32 [%t17], %a;
          mov.b32 %d, 5;
          membar.cta;
          bar.arrive 1, 64;
          END:""", 64, declare=".shared .align 4 .b8 s_barrier_arrive[256];\n")
    probe("barrier_unaligned", "i32", "32", """mov.u32 %t16, s_barrier_unaligned;
          mad.lo.u32 %t17, %id, 4, %t16;
          st.shared.b32 [%t17], %a;
          and.b32 %t0, %id, 1;
          setp.eq.u32 %p, %t0, 1;
          @%p bra ODD;
          barrier.sync 0;
          mov.b32 %t1, 3;
          bra END;
          ODD:
          barrier.sync 0;
          mov.b32 %t1, 4;
          END:
          xor.b32 %t18, %id, 0x21;
          mad.lo.u32 %t17, %t18, 4, %t16;
          ld.shared.b32 %d, [%t17];
          add.s32 %d, %d, %t1;""", 64, declare=".shared .align 4 .b8 s_barrier_unaligned[256];\n")
    probe("bar_warp_sync", "i32", "32", """mov.u32 %t16, s_bar_warp_sync;
          mad.lo.u32 %t17, %id, 4, %t16;
          and.b32 %t0, %lane, 1;
          setp.eq.u32 %p, %t0, 1;
          @%p bra ODD;
          st.shared.b32 [%t17], %a;
          bra MEET;
          ODD:
          not.b32 %t1, %a;
          st.shared.b32 [%t17], %t1;
          MEET:
          bar.warp.sync 0xffffffff;
          xor.b32 %t18, %id, 3;
          mad.lo.u32 %t17, %t18, 4, %t16;
          ld.shared.b32 %d, [%t17];""", declare=".shared .align 4 .b8 s_bar_warp_sync[1024];\n")
    probe("bar_warp_sync_halves", "i32", "32", """mov.u32 %t16, s_bar_warp_sync_halves;
          mad.lo.u32 %t17, %id, 4, %t16;
          st.shared.b32 [%t17], %a;
          setp.lt.u32 %p, %lane, 16;
          @%p bra LOW;
          bar.warp.sync 0xffff0000;
          bra MEET;
          LOW:
          bar.warp.sync 0x0000ffff;
          MEET:
          xor.b32 %t18, %id, 15;
          mad.lo.u32 %t17, %t18, 4, %t16;
          ld.shared.b32 %d, [%t17];""", declare=".shared .align 4 .b8 s_bar_warp_sync_halves[1024];\n")
    probe("nanosleep", "i32", "32", "nanosleep.u32 20;\nmov.b32 %d, %a;")
    memory_probe("alloca", 1, f"""ld.global.v4.b32 {{%t8, %t9, %t10, %t11}}, [%in16 + {regions['raw'][0]}];
          and.b32 %t0, %t8, 48;
          add.u32 %t0, %t0, 32;
          cvt.u64.u32 %l0, %t0;
          .reg .u64 %frame;
          stacksave.u64 %frame;
          alloca.u64 %l1, %l0, 16;
          st.local.v4.b32 [%l1], {{%t8, %t9, %t10, %t11}};
          st.local.v4.b32 [%l1 + 16], {{%t11, %t10, %t9, %t8}};
          and.b32 %t1, %t9, 28;
          mad.wide.u32 %l2, %t1, 1, %l1;
          ld.local.b32 %t2, [%l2];
          stackrestore.u64 %frame;
          st.global.b32 [%out], %t2;""")
    probe("membar", "i32", "32", "membar.cta;\nmembar.gl;\nmembar.sys;\nfence.acq_rel.gpu;\nfence.sc.cta;\nmov.b32 %d, %a;")


# --- special registers ---


def special():
    probe("tid_3d", "", "32 32 32", "mov.u32 %d, %tid.x;\nmov.u32 %e, %tid.y;\nmov.u32 %f, %tid.z;", (4, 4, 4))
    probe("ntid_3d", "", "32 32 32", "mov.u32 %d, %ntid.x;\nmov.u32 %e, %ntid.y;\nmov.u32 %f, %ntid.z;", (8, 3, 2))
    probe("ctaid_3d", "", "32 32 32", "mov.u32 %d, %ctaid.x;\nmov.u32 %e, %ctaid.y;\nmov.u32 %f, %ctaid.z;", 32, (3, 2, 4))
    probe("nctaid_3d", "", "32 32 32", "mov.u32 %d, %nctaid.x;\nmov.u32 %e, %nctaid.y;\nmov.u32 %f, %nctaid.z;", 32, (3, 2, 4))
    probe("laneid", "", "32", "mov.u32 %d, %laneid;", (7, 5, 1))
    probe("warpid", "", "32", "mov.u32 %d, %warpid;", 128)
    for op in ("eq", "lt", "le", "gt", "ge"):
        probe(f"lanemask_{op}", "", "32", f"mov.u32 %d, %lanemask_{op};", 64)
    probe("partial_warp", "i32", "32 32", """activemask.b32 %d;
          setp.lt.s32 %p, %a, 3;
          vote.sync.ballot.b32 %e, %p, 0x1ff;""", 9)
    probe("smem_size", "", "32 32", "mov.u32 %d, %dynamic_smem_size;\nmov.u32 %e, %total_smem_size;", 32)
    probe("cluster_registers", "", "32 32 32 32", """mov.u32 %d, %cluster_ctaid.x;
          mov.u32 %e, %cluster_nctaid.x;
          mov.u32 %f, %cluster_ctarank;
          mov.u32 %g, %nclusterid.x;""", 32, (2, 1, 1))


# --- uniform datapath: operands that all threads share ---


def uniforms():
    def uniform(name, results, body):
        loads = """ld.param.b32 %t0, [values];
            ld.param.b32 %t1, [values + 4];
            ld.param.b32 %t2, [values + 8];
            ld.param.b32 %t3, [values + 12];
            mov.u32 %t4, %ctaid.y;
            add.u32 %t5, %t4, %t2;
            ld.param.b64 %l0, [values + 48];
            ld.param.b64 %l1, [values + 56];
            cvt.u64.u32 %l2, %t4;
            add.u64 %l3, %l0, %l2;
            """
        probe(f"uniform_{name}", "", results, loads + body, 32, (1, 4, 1))
        if results not in ("32", "64", "p"):
            return
        # All operands only depend on the block's index, so they are the same in all threads. `take` reads the result as
        # an operand that can be a uniform register. So ptxas computes the result in uniform registers.
        loads = """mov.u32 %t4, %ctaid.y;
            mov.u32 %t3, %ctaid.z;
            mad.lo.u32 %t5, %t4, 0x80000123, %t3;
            mad.lo.u32 %t0, %t3, 0x7fffffff, 0x55;
            add.u32 %t1, %t3, 37;
            xor.b32 %t2, %t4, 0xdeadbeef;
            mul.wide.u32 %l3, %t5, %t2;
            mul.wide.s32 %l1, %t0, %t5;
            add.u32 %t3, %t3, 5;
            """
        take = {"32": "mad.lo.u32 %t20, %id, %d, %id;\nmov.b32 %t21, %t20;",
                "64": "mov.b64 {%t18, %t19}, %d;\nmad.lo.u32 %t20, %id, %t18, %id;\nmad.lo.u32 %t21, %id, %t19, %id;",
                "p": "selp.b32 %t18, %t1, 7, %d;\nmad.lo.u32 %t20, %id, %t18, %id;\nmov.b32 %t21, %t20;"}[results]
        kind = ".pred" if results == "p" else f".b{results}"
        if "LOOP" in body or "bra" in body:
            return
        memory_probe(f"uniform_only_{name}", 2, f".reg {kind} %d;\n{loads}{body}\n{take}\n"
                     "st.global.b32 [%out], %t20;\nst.global.b32 [%out + 4], %t21;", 32, (1, 3, 2))

    # %t4 is an index of the block. In uniform_*, %t5 and %l3 depend on %t4, and the other operands are parameters. In
    # uniform_only_*, the operands are computed from the two block indices %ctaid.y and %ctaid.z.
    for op in ("add.s32", "sub.s32", "mul.lo.s32", "and.b32", "or.b32", "xor.b32", "min.s32", "max.u32", "mul.hi.u32", "mul.hi.s32",
               "div.u32", "rem.s32"):
        uniform(mangled(op), "32", f"{op} %d, %t5, %t0;")
        uniform(mangled(op, "imm"), "32", f"{op} %d, %t5, 77;")
        uniform(mangled(op, "both"), "32", f"add.u32 %t6, %t4, %t3;\n{op} %d, %t5, %t6;")
    for op in ("add.s64", "sub.s64", "mul.lo.s64", "and.b64", "or.b64", "xor.b64", "min.s64", "max.u64"):
        uniform(mangled(op), "64", f"{op} %d, %l3, %l1;")
        uniform(mangled(op, "imm"), "64", f"{op} %d, %l3, 0x123456789;")
    for op in ("shl.b32", "shr.u32", "shr.s32"):
        uniform(mangled(op), "32", f"add.u32 %t6, %t4, %t1;\n{op} %d, %t5, %t6;")
        uniform(mangled(op, "block"), "32", f"{op} %d, %t5, %t4;")
        uniform(mangled(op, "imm"), "32", f"{op} %d, %t5, 7;")
    for op in ("shl.b64", "shr.u64", "shr.s64"):
        uniform(mangled(op), "64", f"add.u32 %t6, %t4, %t1;\n{op} %d, %l3, %t6;")
        uniform(mangled(op, "imm"), "64", f"{op} %d, %l3, 9;")
    for side, mode in itertools.product("lr", ("clamp", "wrap")):
        uniform(f"shf_{side}_{mode}", "32", f"add.u32 %t6, %t4, %t1;\nshf.{side}.{mode}.b32 %d, %t5, %t0, %t6;")
    for op, w in (("not", "32"), ("not", "64"), ("brev", "32"), ("brev", "64")):
        uniform(f"{op}_b{w}", w, f"{op}.b{w} %d, {'%t5' if w == '32' else '%l3'};")
    for op, w in (("popc.b", "32"), ("popc.b", "64"), ("clz.b", "32"), ("clz.b", "64"), ("bfind.u", "32"), ("bfind.s", "32"),
                  ("bfind.u", "64")):
        uniform(mangled(op + w), "32", f"{op}{w} %d, {'%t5' if w == '32' else '%l3'};")
    uniform("abs_s32", "32", "abs.s32 %d, %t5;")
    uniform("neg_s32", "32", "neg.s32 %d, %t5;")
    uniform("mad_lo_s32", "32", "mad.lo.s32 %d, %t5, %t1, %t2;")
    uniform("mul_wide_s32", "64", "mul.wide.s32 %d, %t5, %t1;")
    uniform("mul_wide_u32", "64", "mul.wide.u32 %d, %t5, %t2;")
    uniform("mad_wide_s32", "64", "mad.wide.s32 %d, %t5, %t1, %l1;")
    uniform("mad_wide_u32", "64", "mad.wide.u32 %d, %t5, %t1, %l3;")
    uniform("prmt_b32", "32", "add.u32 %t6, %t4, 0x5410;\nprmt.b32 %d, %t5, %t0, %t6;")
    uniform("prmt_b32_imm", "32", "prmt.b32 %d, %t5, %t2, 0x8762;")
    for lut in (0x96, 0xca, 0xe8):
        uniform(f"lop3_b32_{lut:02x}", "32", f"lop3.b32 %d, %t5, %t0, %t2, {lut};")
    uniform("lea", "32", "shl.b32 %t6, %t5, 3;\nadd.s32 %d, %t6, %t2;")
    uniform("lea_s64", "64", "cvt.s64.s32 %l4, %t5;\nshl.b64 %l4, %l4, 3;\nadd.s64 %d, %l4, %l1;")
    uniform("bfe_u32", "32", "bfe.u32 %d, %t5, %t4, 7;")
    uniform("bfe_s32", "32", "bfe.s32 %d, %t5, 9, 7;")
    uniform("bfi_b32", "32", "bfi.b32 %d, %t5, %t2, 9, 7;")
    uniform("bmsk", "32", "bmsk.clamp.b32 %d, %t4, %t3;")
    uniform("szext", "32", "add.u32 %t6, %t4, 3;\nszext.clamp.s32 %d, %t5, %t6;")
    uniform("add3", "32", "add.s32 %t6, %t5, %t0;\nadd.s32 %d, %t6, %t1;")
    uniform("add_cc", "32 32", "add.cc.u32 %d, %t5, %t2;\naddc.u32 %e, %t4, %t0;")
    for op in ("eq", "ne", "lt", "le", "gt", "ge"):
        for s in "su":
            uniform(f"setp_{op}_{s}32", "p", f"setp.{op}.{s}32 %d, %t5, %t2;")
        uniform(f"setp_{op}_s64", "p", f"setp.{op}.s64 %d, %l3, %l1;")
    uniform("setp_and", "p", "setp.lt.s32 %p, %t5, %t0;\nsetp.ge.and.u32 %d, %t4, 2, %p;")
    uniform("setp_or", "p", "setp.lt.s32 %p, %t5, %t0;\nsetp.eq.or.u32 %d, %t4, 2, %p;")
    uniform("setp_xor", "p", "setp.gt.s32 %p, %t5, %t0;\nsetp.eq.xor.u32 %d, %t4, 2, %p;")
    uniform("selp_b32", "32", "setp.lt.u32 %p, %t4, 2;\nselp.b32 %d, %t5, %t2, %p;")
    uniform("selp_b64", "64", "setp.lt.u32 %p, %t4, 2;\nselp.b64 %d, %l3, %l1, %p;")
    uniform("branch", "32", """setp.lt.u32 %p, %t4, 2;
            @%p bra LOW;
            div.u32 %d, %t5, 7;
            bra END;
            LOW:
            mul.lo.s32 %d, %t5, %t1;
            END:""")
    uniform("loop", "32", """mov.b32 %d, %t5;
            mov.b32 %t6, 0;
            LOOP:
            mad.lo.u32 %d, %d, %t1, %t6;
            xor.b32 %d, %d, %t2;
            add.u32 %t6, %t6, 1;
            setp.le.u32 %p, %t6, %t4;
            @%p bra LOOP;""")
    uniform("redux", "32", "add.u32 %t6, %t5, %id;\nredux.sync.add.u32 %t6, %t6, -1;\nadd.u32 %t6, %t6, %t0;\nmul.lo.u32 %d, %t6, %t1;")
    uniform("vote", "32", "and.b32 %t6, %id, %t4;\nsetp.eq.u32 %p, %t6, 0;\nvote.sync.ballot.b32 %t7, %p, -1;\npopc.b32 %d, %t7;")
    uniform("vote_all", "p", "setp.ge.u32 %p, %id, %t4;\nvote.sync.all.pred %d, %p, -1;")
    uniform("shfl", "32", "add.u32 %t6, %t5, %id;\nshfl.sync.idx.b32 %d, %t6, %t4, 0x1f, -1;")
    uniform("with_lanes", "32 32", "add.u32 %t6, %t4, %t3;\nshl.b32 %t6, %t6, 2;\nadd.u32 %d, %id, %t6;\nmad.lo.u32 %e, %id, %t6, %t5;")
    uniform("add_f32", "32", "cvt.rn.f32.u32 %t6, %t4;\nld.param.b32 %t7, [values + 16];\nadd.rn.f32 %d, %t6, %t7;")


# Compiles the kernels that ptxas accepts for an architecture, and writes the result as NAME.cubin.
def compile_for(arch, folder, name):
    head = f".version 9.0\n.target {arch}\n.address_size 64\n\n"
    kept = [text for *_, text in kernels]
    ptx, cubin = (os.path.join(folder, name + end) for end in (".ptx", ".cubin"))
    while True:
        with open(ptx, "w") as f:
            f.write(head + "\n".join(kept))
        done = subprocess.run(["ptxas", "-arch=" + arch, "-o", cubin, ptx], capture_output=True, text=True)
        if done.returncode == 0:
            break
        starts = list(itertools.accumulate((k.count("\n") + 1 for k in kept[:-1]), initial=head.count("\n") + 1))
        refused = {bisect.bisect_right(starts, int(line)) - 1 for line in re.findall(r"line (\d+); error", done.stderr)}
        if not refused:
            sys.exit(done.stderr)
        kept = [k for i, k in enumerate(kept) if i not in refused]
    print(f"{len(kept)} of {len(kernels)} kernels")


def barriers():
    """One warp with its own mbarrier. Each thread stores four words: the values of %t0 to %t3 after the body."""
    def barrier(name, count, body, block=32):
        memory_probe(f"mbarrier_{name}", 4, f"""mov.u32 %t16, s_{name};
            mov.u32 %t17, d_{name};
            mov.b32 %t0, 0;
            mov.b32 %t1, 0;
            mov.b32 %t2, 0;
            mov.b32 %t3, 0;
            setp.eq.u32 %p, %id, 0;
            @%p mbarrier.init.shared.b64 [%t16], {count};
            @%p fence.proxy.async.shared::cta;
            barrier.sync 0;
            """ + body + """
            st.global.b32 [%out], %t0;
            st.global.b32 [%out + 4], %t1;
            st.global.b32 [%out + 8], %t2;
            st.global.b32 [%out + 12], %t3;
            """, block,
                     declare=f".shared .align 8 .b64 s_{name};\n.shared .align 128 .b8 d_{name}[2048];\n")

    # A plain load of an mbarrier reads old contents of memory. Until mbarrier.inval, the state of the mbarrier is
    # stored elsewhere.
    end = "bar.warp.sync -1;\n@%p mbarrier.inval.shared.b64 [%t16];\nbar.warp.sync -1;\n"
    word = end + "ld.shared.v2.b32 {%t0, %t1}, [%t16];\n"
    later = end + "ld.shared.v2.b32 {%t2, %t3}, [%t16];\n"
    # the lower half is the old value of the register, because an arrival does not write it
    returned = "mov.b64 {%t5, %t1}, %l0;\n"
    pending = "mbarrier.pending_count.b64 %t0, %l0;\n"
    parity = lambda d, n: f"mbarrier.test_wait.parity.shared.b64 %q, [%t16], {n};\nselp.b32 {d}, 1, 0, %q;\n"
    for count in (1, 2, 32, 1000, 1048575):
        barrier(f"init_{count}", count, parity("%t2", 0) + parity("%t3", 1) + word)
    barrier("arrive", 100, "mbarrier.arrive.shared.b64 %l0, [%t16];\n" + pending + later)
    barrier("arrive_completes", 32, "mbarrier.arrive.shared.b64 %l0, [%t16];\n" + pending + "bar.warp.sync -1;\n"
            "mbarrier.test_wait.shared.b64 %q, [%t16], %l0;\nselp.b32 %t1, 1, 0, %q;\n" + later)
    barrier("arrive_returns", 64, "mbarrier.arrive.shared.b64 %l0, [%t16];\nbar.warp.sync -1;\n"
            "mbarrier.arrive.shared.b64 %l0, [%t16];\n" + returned + later)
    barrier("arrive_twice_completes", 32, "mbarrier.arrive.shared.b64 %l0, [%t16];\nbar.warp.sync -1;\n"
            "setp.lt.u32 %u, %id, 5;\n@%u mbarrier.arrive.shared.b64 %l0, [%t16];\n" + returned + later)
    count = "and.b32 %t5, %id, 3;\nadd.u32 %t5, %t5, 1;\n"
    barrier("arrive_count", 200, count + "mbarrier.arrive.shared.b64 %l0, [%t16], %t5;\n" + pending + later)
    barrier("arrive_count_returns", 200, count + "mbarrier.arrive.shared.b64 %l0, [%t16], %t5;\n" + returned + later)
    barrier("arrive_half", 100, "setp.lt.u32 %u, %id, 16;\n@%u mbarrier.arrive.shared.b64 %l0, [%t16];\n" + later)
    barrier("arrive_drop", 64, "mbarrier.arrive_drop.shared.b64 %l0, [%t16];\n" + pending + later)
    barrier("arrive_drop_completes", 32, "mbarrier.arrive_drop.shared.b64 %l0, [%t16];\n" + later)
    barrier("arrive_no_complete", 500, "mbarrier.arrive.noComplete.shared.b64 %l0, [%t16], 3;\n" + pending + later)
    barrier("arrive_no_complete_half", 500, "setp.gt.u32 %u, %id, 12;\n"
            "@%u mbarrier.arrive.noComplete.shared.b64 %l0, [%t16], 3;\n@%u " + pending + later)
    barrier("arrive_drop_no_complete", 500, "mbarrier.arrive_drop.noComplete.shared.b64 %l0, [%t16], 3;\n" + pending + later)
    expect = "shl.b32 %t5, %id, 4;\nmbarrier.arrive.expect_tx.shared.b64 %l0, [%t16], %t5;\n"
    barrier("arrive_expect_tx", 33, expect + word)
    barrier("arrive_expect_tx_returns", 33, expect + "bar.warp.sync -1;\nmov.b64 %l0, 0;\n"
            "@%p mbarrier.arrive.shared.b64 %l0, [%t16];\nbar.warp.sync -1;\n" + returned + parity("%t2", 0) +
            "@%p mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%t16], 7936;\nbar.warp.sync -1;\n" + parity("%t3", 0))
    tx = lambda what, n: f"@%p mbarrier.{what}_tx.relaxed.cta.shared::cta.b64 [%t16], {n};\n"
    barrier("expect_tx", 1, tx("expect", 1048575) + word)
    barrier("expect_complete_tx", 1, tx("expect", 1048575) + tx("complete", 1048575) + word)
    barrier("complete_tx_first", 1, tx("complete", 64) + word)
    barrier("complete_tx_then_expect", 1, tx("complete", 64) + "@%p mbarrier.arrive.expect_tx.shared.b64 %l0, [%t16], 64;\n" + word)
    barrier("phases", 32, """mov.b32 %t5, 0;
            LOOP:
            mbarrier.arrive.shared.b64 %l0, [%t16];
            WAIT:
            mbarrier.try_wait.shared.b64 %q, [%t16], %l0;
            @!%q bra WAIT;
            add.u32 %t5, %t5, 1;
            setp.lt.u32 %u, %t5, 5;
            @%u bra LOOP;
            """ + parity("%t2", 0) + parity("%t3", 1) + word)
    barrier("inval", 32, "mbarrier.arrive.shared.b64 %l0, [%t16];\n" + word + "bar.warp.sync -1;\n"
            "@%p mbarrier.init.shared.b64 [%t16], 7;\nbar.warp.sync -1;\n" + later)
    raw = regions["raw"][0]
    copy = f"shl.b32 %t6, %id, 4;\nadd.u32 %t7, %t17, %t6;\ncp.async.ca.shared.global [%t7], [%in16 + {raw}], 16;\n"
    for noinc, count in (("", 32), (".noinc", 64)):
        barrier(mangled("cp_async_arrive", noinc), count, copy + f"cp.async.mbarrier.arrive{noinc}.shared.b64 [%t16];\n"
                "mbarrier.arrive.shared.b64 %l0, [%t16];\nWAIT:\nmbarrier.try_wait.shared.b64 %q, [%t16], %l0;\n@!%q bra WAIT;\n"
                "xor.b32 %t6, %t6, 16;\nadd.u32 %t7, %t17, %t6;\nld.shared.v2.b32 {%t0, %t1}, [%t7 + 8];\n" + later)
    for size in (16, 512, 2048):
        barrier(f"bulk_{size}", 1, f"""mov.b64 %l1, %in;
            add.u64 %l1, %l1, {raw};
            @%p cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%t17], [%l1], {size}, [%t16];
            @%p mbarrier.arrive.expect_tx.shared.b64 %l0, [%t16], {size};
            WAIT:
            mbarrier.try_wait.parity.shared.b64 %q, [%t16], 0;
            @!%q bra WAIT;
            mul.lo.u32 %t6, %id, 48;
            and.b32 %t6, %t6, {size - 1};
            add.u32 %t7, %t17, %t6;
            ld.shared.v2.b32 {{%t0, %t1}}, [%t7];
            """ + later)
    barrier("bulk_out", 1, """shl.b32 %t6, %id, 4;
            add.u32 %t7, %t17, %t6;
            st.shared.v4.b32 [%t7], {%id, %t6, %t6, %id};
            fence.proxy.async.shared::cta;
            barrier.sync 0;
            @%p cp.async.bulk.global.shared::cta.bulk_group [%out + 512], [%t17], 512;
            @%p cp.async.bulk.commit_group;
            @%p cp.async.bulk.wait_group 0;
            barrier.sync 0;
            ld.volatile.global.v2.b32 {%t0, %t1}, [%out + 512];
            """, 32)
    memory_probe("pmevent", 1, "pmevent 3;\nst.global.b32 [%out], %id;\n", 32)


def metadata_of(numbers):
    """For a sparse matrix, in %E: two of four elements exist, the lower one first; for TF32, one of two."""
    words = f"ld.global.b32 %t0, [%in16 + {regions['raw'][0]}];\nmov.b32 %E, 0;\n"
    for n in range(8):
        if numbers == "tf32":
            words += f"bfe.u32 %t1, %t0, {3 * n}, 1;\nmul.lo.u32 %t1, %t1, 10;\nadd.u32 %t1, %t1, 4;\n"
        else:
            words += f"bfe.u32 %t1, %t0, {3 * n}, 3;\nshl.b32 %t1, %t1, 2;\nshr.u32 %t1, 0xe4ed9c84, %t1;\n"
        words += f"bfi.b32 %E, %t1, %E, {4 * n}, 4;\n"
    return words


def warp_group_matrices(sparse=False):
    """wgmma: a warp group, shared memory full of numbers, and operands at every kind of address in it."""
    region_of = {"f16": "real_h2", "bf16": "real_b2", "tf32": "real_f32", "e4m3": "raw", "e5m2": "raw", "s8": "raw",
                 "u8": "raw", "b1": "raw"}
    k_of = {"f16": 16, "bf16": 16, "tf32": 8, "e4m3": 32, "e5m2": 32, "s8": 32, "u8": 32, "b1": 256}
    # A descriptor's layout: swizzle (0 for none, 1 for 128, 2 for 64, 3 for 32 bytes), leading and stride byte offset,
    # start, base offset.
    none, s128, s64, s32 = (0, 128, 256, 0, 0), (1, 16, 1024, 0, 0), (2, 16, 512, 0, 0), (3, 16, 256, 0, 0)

    def wgmma(name, a="f16", b=None, n=16, acc="f32", at=s128, bt=s128, source="shared", ta=0, tb=0, na=1, nb=1, scale=1,
              region=None, mask=None, suffix="", selector=None, raw=False):
        b = b or a
        k = k_of[a]
        sparse = selector is not None
        if sparse:
            name, k = "sp_" + name, 2 * k
        registers = n // 4 if acc == "f16" else n // 2
        offset, size = regions[region or region_of[a]]
        size *= 1 if (region or region_of[a]) == "raw" else 3  # the slots of an operand follow each other
        words = size * ELEMENTS // 4
        numbers = offset  # bytes
        kind = "f" if acc == "f32" else "b"
        r = [f"%d{i}" for i in range(registers)]
        start = {"f32": "real_f32", "f16": "real_h2", "s32": "i32"}[acc]
        def descriptor(register, base, layout):
            swizzle, leading, stride, at, base_offset = layout
            high = stride >> 4 | base_offset << 17 | swizzle << 30
            return (f"mov.u32 %t5, smem_{name};\nadd.u32 %t5, %t5, {base + at};\nshr.u32 %t5, %t5, 4;\nand.b32 %t5, %t5, 0x3fff;\n"
                    f"or.b32 %t5, %t5, {leading >> 4 << 16};\nmov.b64 {register}, {{%t5, {high}}};\n")
        body = f""".reg .b32 %d<{registers}>;
            mov.u32 %t16, smem_{name};
            mov.u32 %t17, %id;
            FILL:
            mul.lo.u32 %t18, %t17, 613;
            shr.u32 %t19, %t17, 8;
            mad.lo.u32 %t18, %t19, 37, %t18;
            rem.u32 %t18, %t18, {words};
            mul.wide.u32 %l0, %t18, 4;
            add.u64 %l0, %l0, %in;
            ld.global.b32 %t20, [%l0 + {numbers}];
            {f"and.b32 %t20, %t20, {mask};" if mask else ""}
            mad.lo.u32 %t21, %t17, 4, %t16;
            st.shared.b32 [%t21], %t20;
            add.u32 %t17, %t17, 128;
            setp.lt.u32 %p, %t17, 8192;
            @%p bra FILL;
            fence.proxy.async.shared::cta;
            barrier.sync 0;
            """
        body += descriptor("%l1", 0, at) + descriptor("%l2", 16384, bt)
        offset_of_start = regions[start][0]
        for i, d in enumerate(r):
            body += f"ld.global.b32 {d}, [%in4 + {offset_of_start + 4 * (i * 3 % ELEMENTS)}];\n"
        a_text = "%l1"
        if source == "registers":
            body += f"ld.global.v4.b32 {{%t0, %t1, %t2, %t3}}, [%in16 + {numbers}];\n"
            if mask:
                body += "".join(f"and.b32 %t{i}, %t{i}, {mask};\n" for i in range(4))
            a_text = "{%t0, %t1, %t2, %t3}"
        if acc == "f32":
            body += f".reg .f32 %e<{registers}>;\n" + "".join(f"mov.b32 %e{i}, %d{i};\n" for i in range(registers))
            r = [f"%e{i}" for i in range(registers)]
        more = ""
        if a in ("f16", "bf16"):
            more = f", {na}, {nb}" + (f", {ta}, {tb}" if source == "shared" else f", {tb}")
        elif a in ("tf32", "e4m3", "e5m2"):
            more = f", {na}, {nb}"
        operation = ".and.popc" if a == "b1" else ""
        metadata, sp = "", ""
        if sparse:
            body += ".reg .b32 %E;\n"
            body += f"ld.global.b32 %E, [%in16 + {regions['raw'][0]}];\n" if raw else metadata_of("tf32" if a == "tf32" else "halves")
            metadata, sp = f"%E, {selector}, ", ".sp"
        body += f"""setp.ne.u32 %p, {scale}, 0;
            wgmma.fence.sync.aligned;
            wgmma.mma_async{sp}.sync.aligned.m64n{n}k{k}.{acc}.{a}.{b}{operation}{suffix} {{{", ".join(r)}}}, {a_text}, %l2, {metadata}%p{more};
            wgmma.commit_group.sync.aligned;
            wgmma.wait_group.sync.aligned 0;
            """
        for i, d in enumerate(r):
            body += f"st.global.{'f32' if acc == 'f32' else 'b32'} [%out + {4 * i}], {d};\n"
        memory_probe(f"wgmma_{name}", registers, body, 128, declare=f".shared .align 1024 .b8 smem_{name}[32768];\n")

    moved = lambda layout, at, base=0: (*layout[:3], at, base)
    wide = lambda layout, leading, stride: (layout[0], leading, stride, *layout[3:])
    names = {"none": none, "128": s128, "64": s64, "32": s32}
    if sparse:
        for selector in (0, 1):
            for swizzle, layout in names.items():
                wgmma(f"k_{swizzle}_s{selector}", at=layout, bt=layout, selector=selector)
        for swizzle, layout in names.items():
            wgmma(f"k_{swizzle}_apart", at=wide(layout, 2048, layout[2] * 2), bt=wide(layout, 4096, layout[2] * 3), selector=0)
            for ta, tb in ((1, 0), (0, 1), (1, 1)):
                wgmma(f"mn_{swizzle}_{ta}{tb}", at=wide(layout, 4096, 1024) if ta else s128,
                      bt=wide(layout, 2048, 1024) if tb else s128, ta=ta, tb=tb, selector=0)
        for at in (32, 64, 96, 256):
            wgmma(f"k_128_at_{at}", at=moved(s128, at), bt=moved(s128, at), selector=0)
        for n in (8, 24, 64, 128):
            wgmma(f"n_{n}", n=n, selector=0)
        for a in ("bf16", "tf32"):
            for selector in (0, 1):
                wgmma(f"{a}_s{selector}", a, selector=selector)
                wgmma(f"{a}_registers_s{selector}", a, source="registers", selector=selector)
        for kind in ("wide", "weird"):
            wgmma(f"f16_{kind}", region=f"{kind}_h2", selector=0)
            wgmma(f"bf16_{kind}", "bf16", region=f"{kind}_b2", selector=0)
            wgmma(f"tf32_{kind}", "tf32", region=f"{kind}_f32", selector=0)
        wgmma("scale_0", scale=0, selector=0)
        wgmma("neg_a", na=-1, selector=0)
        wgmma("neg_b", nb=-1, selector=0)
        wgmma("f16_f16", acc="f16", selector=1)
        wgmma("f16_registers_s0", source="registers", selector=0)
        wgmma("f16_registers_s1", source="registers", selector=1)
        wgmma("f16_registers_mn", source="registers", tb=1, selector=0)
        for a, b in itertools.product(("e4m3", "e5m2"), repeat=2):
            wgmma(f"{a}_{b}", a, b, mask="0xbfbfbfbf", selector=0)
            wgmma(f"{a}_{b}_f16", a, b, acc="f16", mask="0xbfbfbfbf", selector=0)
        wgmma("e4m3_registers", "e4m3", source="registers", mask="0xbfbfbfbf", selector=0)
        for a, b in itertools.product(("s8", "u8"), repeat=2):
            wgmma(f"{a}_{b}", a, b, acc="s32", selector=0)
        wgmma("s8_satfinite", "s8", acc="s32", suffix=".satfinite", selector=0)
        wgmma("s8_registers", "s8", source="registers", acc="s32", selector=0)
        for a in ("f16", "tf32", "s8"):  # the manual does not define the result for these metadata
            wgmma(f"{a}_any", a, acc="s32" if a == "s8" else "f32", selector=0, raw=True)
        return
    for swizzle, layout in names.items():
        wgmma(f"k_{swizzle}", at=layout, bt=layout)
        wgmma(f"k_{swizzle}_apart", at=wide(layout, 2048, layout[2] * 2), bt=wide(layout, 4096, layout[2] * 3))
        for ta, tb in ((1, 0), (0, 1)):
            wgmma(f"mn_{swizzle}_{'a' if ta else 'b'}", at=wide(layout, 4096, 1024) if ta else s128,
                  bt=wide(layout, 2048, 1024) if tb else s128, ta=ta, tb=tb)
        wgmma(f"mn_{swizzle}_b_wide", bt=wide(layout, 1024, 512), tb=1, n=120)
        wgmma(f"mn_{swizzle}_both", at=wide(layout, 2048, 4096), bt=wide(layout, 1024, 512), ta=1, tb=1)
    for at in (32, 64, 96, 128, 256, 512):
        wgmma(f"k_128_at_{at}", at=moved(s128, at), bt=moved(s128, at))
    for at in (32, 128, 256):
        wgmma(f"k_64_at_{at}", at=moved(s64, at), bt=moved(s64, at))
    wgmma("k_128_at_128_base_1", at=moved(s128, 128, 1), bt=moved(s128, 128, 1))
    wgmma("k_128_at_384_base_3", at=moved(s128, 384, 3), bt=moved(s128, 384, 3))
    for n in (8, 24, 64, 128):
        wgmma(f"n_{n}", n=n)
    wgmma("scale_0", scale=0)
    wgmma("neg_a", na=-1)
    wgmma("neg_b", nb=-1)
    wgmma("f16_f16", acc="f16")
    wgmma("f16_f16_wide", acc="f16", region="wide_h2")
    wgmma("f16_wide", region="wide_h2")
    wgmma("f16_weird", region="weird_h2")
    wgmma("f16_registers", source="registers")
    wgmma("f16_registers_mn", source="registers", tb=1)
    wgmma("f16_registers_neg_a", source="registers", na=-1)
    for region in ("real_b2", "wide_b2", "weird_b2"):
        wgmma("bf16_" + region, "bf16", region=region)
    for region in ("real_f32", "wide_f32", "weird_f32"):
        wgmma("tf32_" + region, "tf32", region=region)
    wgmma("tf32_registers", "tf32", source="registers")
    for a, b in (("e4m3", "e4m3"), ("e4m3", "e5m2"), ("e5m2", "e4m3"), ("e5m2", "e5m2")):
        wgmma(f"{a}_{b}", a, b, mask="0xbfbfbfbf")
        wgmma(f"{a}_{b}_raw", a, b)
        wgmma(f"{a}_{b}_f16", a, b, acc="f16", mask="0xbfbfbfbf")
    wgmma("e4m3_registers", "e4m3", source="registers", mask="0xbfbfbfbf")
    for a in ("s8", "u8"):
        for b in ("s8", "u8"):
            wgmma(f"{a}_{b}", a, b, acc="s32")
            wgmma(f"{a}_{b}_satfinite", a, b, acc="s32", suffix=".satfinite")
    wgmma("s8_registers", "s8", source="registers", acc="s32")
    for n in (8, 24, 32, 48, 128):
        wgmma(f"s8_n_{n}", "s8", n=n, acc="s32")
    wgmma("b1", "b1", acc="s32")
    wgmma("b1_registers", "b1", source="registers", acc="s32")


def clusters():
    """Blocks of a warp each, in clusters. A block has 2 KiB of shared memory at %t17 and an mbarrier at %t16; %t18 is the rank
    of the block, %t19 that of the next one."""
    def cluster(name, shape, words, body, blocks=None, count=1, block=32):
        size = shape[0] * shape[1] * shape[2]
        memory_probe(f"cluster_{name}", words, f"""mov.u32 %t16, s_{name};
            mov.u32 %t17, d_{name};
            mov.u32 %t18, %cluster_ctarank;
            add.u32 %t19, %t18, 1;
            rem.u32 %t19, %t19, {size};
            setp.eq.u32 %p, %id, 0;
            @%p mbarrier.init.shared.b64 [%t16], {count};
            @%p fence.mbarrier_init.release.cluster;
            """ + "".join(f"""mad.lo.u32 %t20, %id, 4, {k};
            add.u32 %t20, %t20, %t17;
            mad.lo.u32 %t21, %t18, 1000, %id;
            add.u32 %t21, %t21, {k * 7};
            st.shared.b32 [%t20], %t21;
            """ for k in range(0, 2048, 128)) + """fence.proxy.async.shared::cta;
            barrier.cluster.arrive.aligned;
            barrier.cluster.wait.aligned;
            """ + body, block, blocks or tuple(2 * n for n in shape),
                     f".shared .align 8 .b64 s_{name};\n.shared .align 128 .b8 d_{name}[2048];\n",
                     ".explicitcluster\n.reqnctapercluster %d, %d, %d\n" % shape)

    def store(*registers):
        return "".join(f"st.global.b32 [%out + {4 * k}], {r};\n" for k, r in enumerate(registers))

    sync = "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n"
    # Reads this block's shared memory, 4 bytes for each lane, starting at the address `at`.
    read = lambda at=0: f"mad.lo.u32 %t20, %id, 4, {at};\nadd.u32 %t20, %t20, %t17;\nld.shared.b32 %t0, [%t20];\n"
    shapes = ((1, 1, 1), (2, 1, 1), (3, 1, 1), (2, 2, 1), (1, 2, 2), (4, 2, 1), (8, 1, 1), (5, 1, 1), (1, 7, 1), (1, 1, 6))
    for shape in shapes:
        text, registers = "", []
        for n, name in enumerate(("clusterid.x", "clusterid.y", "clusterid.z", "nclusterid.x", "nclusterid.y", "nclusterid.z",
                                  "cluster_ctaid.x", "cluster_ctaid.y", "cluster_ctaid.z", "cluster_nctaid.x",
                                  "cluster_nctaid.y", "cluster_nctaid.z", "cluster_ctarank", "cluster_nctarank")):
            text += f"mov.u32 %t{n}, %{name};\n"
            registers.append(f"%t{n}")
        text += "mov.pred %q, %is_explicit_cluster;\nselp.b32 %t14, 1, 0, %q;\n"
        cluster("registers_%d_%d_%d" % shape, shape, 15, text + store(*registers, "%t14"),
                tuple(2 * n if i == 0 else n for i, n in enumerate(shape)))
    # The code divides by the size of the cluster. For these sizes, only the ids are tested.
    for n in (3, 5, 6, 7):
        cluster(f"many_{n}", (n, 1, 1), 1, "mov.u32 %t0, %clusterid.x;\n" + store("%t0"), (7 * n, 1, 1))

    cluster("mapa", (4, 1, 1), 6, """mapa.shared::cluster.u32 %t0, %t17, %t19;
        sub.u32 %t1, %t0, %t17;
        getctarank.shared::cluster.u32 %t2, %t0;
        cvt.u64.u32 %l0, %t17;
        cvta.shared.u64 %l0, %l0;
        mapa.u64 %l1, %l0, %t19;
        sub.u64 %l2, %l1, %l0;
        cvt.u32.u64 %t3, %l2;
        getctarank.u64 %t4, %l1;
        isspacep.shared::cluster %q, %l1;
        selp.b32 %t5, 1, 0, %q;
        isspacep.shared::cta %q, %l1;
        @%q add.u32 %t5, %t5, 2;
        isspacep.shared::cluster %q, %l0;
        @%q add.u32 %t5, %t5, 4;
        isspacep.shared::cta %q, %l0;
        @%q add.u32 %t5, %t5, 8;
        isspacep.global %q, %l1;
        @%q add.u32 %t5, %t5, 16;
        isspacep.shared::cluster %q, %out;
        @%q add.u32 %t5, %t5, 32;
        cvt.u32.u64 %t6, %l1;
        shr.u32 %t6, %t6, 24;
        """ + store("%t1", "%t2", "%t3", "%t4", "%t5", "%t6"))
    remote = "mapa.shared::cluster.u32 %t15, %t17, %t19;\nmad.lo.u32 %t15, %id, {step}, %t15;\n"
    generic = "cvt.u64.u32 %l0, %t17;\ncvta.shared.u64 %l0, %l0;\nmapa.u64 %l1, %l0, %t19;\nmad.wide.u32 %l1, %id, {step}, %l1;\n"
    for space, where, address in (("shared", remote, "%t15"), ("generic", generic, "%l1")):
        dot = ".shared::cluster" if space == "shared" else ""
        for width in (8, 16, 32, 64):
            step = max(width // 8, 1)
            register = "%h0" if width < 32 else "%t0" if width == 32 else "%l3"
            low = ("cvt.u32.u16 %t0, %h0;\n" if width < 32 else "mov.b64 {%t0, %t1}, %l3;\n" if width == 64 else "")
            cluster(f"load_{space}_{width}", (4, 1, 1), 2, where.format(step=step) + "mov.u32 %t1, 0;\n" +
                    f"ld{dot}.{'u' if width < 64 else 'b'}{width} {register}, [{address}];\n" + low + sync + store("%t0", "%t1"))
            value = ("cvt.u16.u32 %h0, %t2;\n" if width < 32 else "mov.u32 %t0, %t2;\n" if width == 32 else
                     "mov.b64 %l3, {%t2, %id};\n")
            cluster(f"store_{space}_{width}", (4, 1, 1), 2, where.format(step=step) +
                    "mad.lo.u32 %t2, %t18, 77, %id;\n" + value + f"st{dot}.b{width} [{address}], {register};\n" + sync + read() +
                    "ld.shared.b32 %t1, [%t20 + 128];\n" + store("%t0", "%t1"))
        cluster(f"load_{space}_128", (4, 1, 1), 4, where.format(step=16) +
                f"ld{dot}.v4.b32 {{%t0, %t1, %t2, %t3}}, [{address}];\n" + sync + store("%t0", "%t1", "%t2", "%t3"))
        cluster(f"store_{space}_128", (4, 1, 1), 2, where.format(step=16) + "mad.lo.u32 %t2, %t18, 77, %id;\n" +
                f"st{dot}.v4.b32 [{address}], {{%t2, %id, %t18, %t19}};\n" + sync + read() +
                "ld.shared.b32 %t1, [%t20 + 128];\n" + store("%t0", "%t1"))
        for op, kind in (("add", "u32"), ("add", "s32"), ("min", "s32"), ("max", "u32"), ("inc", "u32"), ("dec", "u32"),
                         ("and", "b32"), ("or", "b32"), ("xor", "b32"), ("exch", "b32"), ("add", "u64"), ("max", "s64"),
                         ("exch", "b64"), ("add", "f32")):
            wide = kind.endswith("64")
            step = 8 if wide else 4
            register, operand = ("%l3", "%l4") if wide else ("%t0", "%t2")
            set_value = "mov.b64 %l4, {%t2, %t18};\n" if wide else ""
            low = "mov.b64 {%t0, %t1}, %l3;\n" if wide else "mov.u32 %t1, 0;\n"
            cluster(f"atom_{space}_{op}_{kind}", (4, 1, 1), 3, where.format(step=step) +
                    "mad.lo.u32 %t2, %t18, 555, %id;\n" + set_value +
                    f"atom{dot}.{op}.{kind} {register}, [{address}], {operand};\n" + low + sync + "mov.u32 %t3, %t0;\n" + read() +
                    store("%t3", "%t1", "%t0"))
            if op not in ("exch", "inc", "dec"):
                # All lanes of all blocks access a few words of one block.
                cluster(f"red_{space}_{op}_{kind}", (4, 1, 1), 1, f"""mov.u32 %t19, 2;
                    and.b32 %t3, %id, 7;
                    """ + where.format(step=0) + (f"mad.lo.u32 {address}, %t3, {step}, {address};\n" if space == "shared" else
                                                  f"mad.wide.u32 {address}, %t3, {step}, {address};\n") +
                        "mad.lo.u32 %t2, %id, 555, 3;\n" + (set_value.replace("%t18", "%id") if wide else "") +
                        f"red{dot}.{op}.{kind} [{address}], {operand};\n" + sync + read() + store("%t0"))
        cluster(f"cas_{space}", (4, 1, 1), 2, where.format(step=4) + "mad.lo.u32 %t2, %t19, 1000, %id;\n" +
                f"atom{dot}.cas.b32 %t3, [{address}], %t2, %id;\n" + sync + read() + store("%t3", "%t0"))

    barrier = "mapa.shared::cluster.u32 %t14, %t16, %t19;\n"
    wait = "WAIT:\nmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %q, [%t16], 0;\n@!%q bra WAIT;\n"
    expect = lambda n: f"@%p mbarrier.arrive.expect_tx.shared.b64 %l0, [%t16], {n};\n"
    for width, value, setup in (("b32", "%t2", ""), ("b64", "%l3", "mov.b64 %l3, {%t2, %id};\n"),
                                ("v2.b32", "{%t2, %id}", ""), ("v4.b32", "{%t2, %id, %t18, %t19}", ""),
                                ("v2.b64", "{%l3, %l3}", "mov.b64 %l3, {%t2, %id};\n")):
        step = {"b32": 4, "b64": 8, "v2.b32": 8, "v4.b32": 16, "v2.b64": 16}[width]
        cluster(mangled("st_async", width), (4, 1, 1), 2, barrier + remote.format(step=step) + expect(32 * step) +
                "mad.lo.u32 %t2, %t18, 77, %id;\n" + setup +
                f"st.async.shared::cluster.mbarrier::complete_tx::bytes.{width} [%t15], {value}, [%t14];\n" + wait + read() +
                "ld.shared.b32 %t1, [%t20 + 128];\n" + sync + store("%t0", "%t1"))
    for op, kind in (("add", "u32"), ("add", "s32"), ("add", "u64"), ("min", "u32"), ("min", "s32"), ("max", "u32"),
                     ("max", "s32"), ("inc", "u32"), ("dec", "u32"), ("and", "b32"), ("or", "b32"), ("xor", "b32")):
        step = 8 if kind.endswith("64") else 4
        cluster(f"red_async_{op}_{kind}", (4, 1, 1), 2, barrier + remote.format(step=step) + expect(32 * step) +
                "mad.lo.u32 %t2, %t18, 555, %id;\nsub.u32 %t2, %t2, 300;\nmov.b64 %l3, {%t2, %id};\n" +
                f"red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.{op}.{kind} [%t15], "
                f"{'%l3' if step == 8 else '%t2'}, [%t14];\n" + wait + read() + "ld.shared.b32 %t1, [%t20 + 128];\n" + sync +
                store("%t0", "%t1"))
    # Every lane of the previous block arrives at this mbarrier.
    state = sync + "@%p mbarrier.inval.shared.b64 [%t16];\nbar.warp.sync -1;\nld.shared.v2.b32 {%t0, %t1}, [%t16];\n"
    cluster("arrive", (4, 1, 1), 2, barrier + "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%t14];\n" + state +
            store("%t0", "%t1"), count=100)
    cluster("arrive_count", (4, 1, 1), 2, barrier + "and.b32 %t2, %id, 3;\nadd.u32 %t2, %t2, 1;\n"
            "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%t14], %t2;\n" + state + store("%t0", "%t1"), count=200)
    cluster("arrive_expect", (4, 1, 1), 2, barrier + "shl.b32 %t2, %id, 4;\n"
            "mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%t14], %t2;\n" + state + store("%t0", "%t1"),
            count=100)
    cluster("arrive_drop", (4, 1, 1), 2, barrier + "mbarrier.arrive_drop.release.cluster.shared::cluster.b64 _, [%t14];\n" + state +
            store("%t0", "%t1"), count=64)
    cluster("expect_tx", (4, 1, 1), 2, barrier + "@%p mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [%t14], 4096;\n" + sync +
            "@%p mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%t14], 1024;\n" + state + store("%t0", "%t1"))

    target = "mapa.shared::cluster.u32 %t15, %t17, %t19;\nadd.u32 %t15, %t15, 1024;\n"
    for size in (16, 512):
        cluster(f"copy_{size}", (4, 1, 1), 2, barrier + target + expect(size) +
                f"@%p cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%t15], [%t17], {size}, [%t14];\n" +
                wait + read(1024) + "ld.shared.b32 %t1, [%t20 + 128];\n" + sync + store("%t0", "%t1"))
    raw = regions["raw"][0]
    source = f"mov.b64 %l1, %in;\nadd.u64 %l1, %l1, {raw};\nmul.wide.u32 %l2, %t18, 128;\nadd.u64 %l1, %l1, %l2;\n"
    cluster("copy_from_global", (4, 1, 1), 2, barrier + target + source + expect(256) +
            "@%p cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%t15], [%l1], 256, [%t14];\n" +
            wait + read(1024) + "ld.shared.b32 %t1, [%t20 + 128];\n" + sync + store("%t0", "%t1"))
    # Each block sends 64 bytes to the blocks that a mask selects. Each receiver expects its bytes.
    for mask in (0xf, 0x5, 0x8):
        cluster(f"multicast_{mask:x}", (4, 1, 1), 2, f"""mad.lo.u32 %t15, %t18, 64, %t17;
            shr.u32 %t2, {mask}, %t18;
            and.b32 %t2, %t2, 1;
            setp.eq.u32 %u, %t2, 1;
            and.pred %v, %u, %p;
            @%v mbarrier.arrive.expect_tx.shared.b64 %l0, [%t16], 256;
            mov.u16 %h0, {mask};
            """ + sync + source + "@%p cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
                "[%t15], [%l1], 64, [%t16], %h0;\n@!%u bra NONE;\n" + wait + "NONE:\n" + read() +
                "ld.shared.b32 %t1, [%t20 + 128];\n" + sync + store("%t0", "%t1"))
    for op, kind in (("add", "u32"), ("add", "s32"), ("add", "u64"), ("min", "u32"), ("min", "s32"), ("max", "u32"),
                     ("max", "s32"), ("inc", "u32"), ("dec", "u32"), ("and", "b32"), ("or", "b32"), ("xor", "b32")):
        cluster(f"reduce_{op}_{kind}", (4, 1, 1), 2, barrier + target + expect(256) +
                f"@%p cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.{op}.{kind} "
                "[%t15], [%t17], 256, [%t14];\n" + wait + read(1024) + "ld.shared.b32 %t1, [%t20 + 128];\n" + sync +
                store("%t0", "%t1"))
    for order in ("", ".release", ".relaxed"):
        cluster(mangled("barrier", order), (2, 2, 2), 1, f"""mapa.shared::cluster.u32 %t15, %t17, %t19;
            mov.u32 %t3, 0;
            LOOP:
            ld.shared::cluster.u32 %t0, [%t15];
            {"fence.acq_rel.cluster;" if order == ".relaxed" else ""}
            barrier.cluster.arrive{order}.aligned;
            barrier.cluster.wait.acquire.aligned;
            add.u32 %t2, %t0, %t18;
            st.shared.b32 [%t17], %t2;
            barrier.cluster.arrive.aligned;
            barrier.cluster.wait.aligned;
            add.u32 %t3, %t3, 1;
            setp.lt.u32 %u, %t3, 9;
            @%u bra LOOP;
            """ + store("%t0"))
    cluster("barrier_of_those_left", (4, 1, 1), 1, """setp.gt.u32 %u, %t18, 1;
        st.global.b32 [%out], %t18;
        @%u bra LEAVE;
        barrier.cluster.arrive;
        barrier.cluster.wait;
        add.u32 %t3, %t18, 100;
        st.global.b32 [%out], %t3;
        LEAVE:
        """)

    # Bulk reductions into global memory.
    for op, kind, region in (("add", "u32", "i32"), ("add", "s32", "i32"), ("add", "u64", "i64"), ("min", "u32", "i32"),
                             ("min", "s32", "i32"), ("max", "u64", "i64"), ("min", "s64", "i64"), ("inc", "u32", "i32"),
                             ("dec", "u32", "i32"), ("and", "b32", "i32"), ("or", "b64", "i64"), ("xor", "b32", "i32"),
                             ("add", "f32", "f32"), ("add", "f64", "f64"), ("add.noftz", "f16", "h2"), ("min", "f16", "h2"),
                             ("max", "f16", "h2"), ("add.noftz", "bf16", "b2"), ("min", "bf16", "b2"), ("max", "bf16", "b2")):
        offset, size = regions[region]
        many = ELEMENTS * size
        memory_probe(mangled("bulk_reduce", op, kind), size // 4, f"""mov.u32 %t17, d_{mangled("bulk_reduce", op, kind)};
            mad.lo.u32 %t20, %id, {size}, %t17;
            ld.global.b{8 * size} {'%t2' if size == 4 else '%l3'}, [%in{size} + {offset}];
            st.shared.b{8 * size} [%t20], {'%t2' if size == 4 else '%l3'};
            ld.global.b{8 * size} {'%t2' if size == 4 else '%l3'}, [%in{size} + {offset + many}];
            st.global.b{8 * size} [%out], {'%t2' if size == 4 else '%l3'};
            fence.proxy.async;
            barrier.sync 0;
            setp.eq.u32 %p, %id, 0;
            @%p cp.reduce.async.bulk.global.shared::cta.bulk_group.{op}.{kind} [%out], [%t17], {many};
            @%p cp.async.bulk.commit_group;
            @%p cp.async.bulk.wait_group 0;
            """, declare=f".shared .align 128 .b8 d_{mangled('bulk_reduce', op, kind)}[{many}];\n")


def read_tensor_maps():
    """The rows of tensor_maps in inputs.hpp."""
    with open(os.path.join(here, "inputs.hpp")) as f:
        text = f.read()
    text = text[text.index("constexpr tensor_map tensor_maps[]"):]
    rows = []
    for line in text[:text.index("\n};")].splitlines()[1:]:
        if line.strip().startswith("{"):
            rows.append(eval(line.strip().split("//")[0].rstrip().rstrip(",").replace("{", "(").replace("}", ",)")))
    return rows


TYPE_BYTES = (1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4)


def tensor_copies():
    """Kernels with a tensor map. A name that ends with _mapN uses map N of inputs.hpp."""
    maps = read_tensor_maps()
    parameter = ",\n  .param .align 128 .b8 map[128]"
    setup = "mov.b64 %l9, map;\ncvta.param.u64 %l9, %l9;\n"

    def box_bytes(m):
        _, dimensions, _, _, box, steps, *_ = m
        n = TYPE_BYTES[m[0]]
        for i in range(dimensions):
            n *= (box[i] + steps[i] - 1) // steps[i] if i else box[0]
        return n

    def room(m):
        # With a swizzle, every row has as many bytes as a row of the swizzle.
        row = TYPE_BYTES[m[0]] * m[4][0]
        return box_bytes(m) // row * (16 << m[6] if m[6] else row)

    # Returns how many elements of dimension 0 are in 16 bytes. A box begins at a multiple of this number.
    step = lambda m: 16 // TYPE_BYTES[m[0]]

    def declare(name, size):
        return f".shared .align 8 .b64 s_{name};\n.shared .align 1024 .b8 d_{name}[{size}];\n"

    def begin(name, size, value="1515870810"):
        # Fills shared memory with a pattern, or with different numbers.
        return setup + f"""mov.u32 %t16, s_{name};
            mov.u32 %t17, d_{name};
            setp.eq.u32 %p, %id, 0;
            @%p mbarrier.init.shared.b64 [%t16], 1;
            @%p fence.mbarrier_init.release.cluster;
            mov.u32 %t5, %id;
            FILL:
            mad.lo.u32 %t20, %t5, 4, %t17;
            mov.u32 %t21, {value};
            {"mul.lo.u32 %t21, %t5, 2654435761;" if value == "0" else ""}
            st.shared.b32 [%t20], %t21;
            add.u32 %t5, %t5, 128;
            setp.lt.u32 %q, %t5, {size // 4};
            @%q bra FILL;
            fence.proxy.async;
            barrier.sync 0;
            """

    def dump(size, out=""):
        words = size // 512
        return f"mad.lo.u32 %t20, %id, {words * 4}, %t17;\n" + "".join(
            f"ld.shared.b32 %t0, [%t20 + {4 * k}];\nst.global.b32 [%out + {4 * k}], %t0;\n" for k in range(words))

    wait = "WAIT:\nmbarrier.try_wait.parity.shared.b64 %q, [%t16], 0;\n@!%q bra WAIT;\nbarrier.sync 0;\n"
    at_text = lambda at: "{" + ", ".join(str(x) for x in at) + "}"

    def load(number, at, what="", offset=0, hint=""):
        m = maps[number]
        size = (room(m) + offset + 255 + 512) // 512 * 512
        name = mangled("load", what, *("m%d" % -x if x < 0 else str(x) for x in at)) + f"_map{number}"
        memory_probe(name, size // 512, begin(name, size) + f"""add.u32 %t18, %t17, {offset};
            @%p mbarrier.arrive.expect_tx.shared.b64 %l0, [%t16], {box_bytes(m)};
            @%p cp.async.bulk.tensor.{len(at)}d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%t18], [%l9, {at_text(at)}], [%t16];
            """ + wait + dump(size), 128, 1, declare(name, size), parameters=parameter)

    def write(number, at, op=None, words=2048):
        m = maps[number]
        size = (room(m) + 511) // 512 * 512
        name = mangled("reduce" if op else "store", op or "", *("m%d" % -x if x < 0 else str(x) for x in at)) + f"_map{number}"
        # Before the copy, the target contains elements of a region.
        region = {2: "i32", 3: "i32", 4: "i64", 5: "i64", 6: "h2", 7: "f32", 8: "f64", 9: "b2", 10: "f32"}.get(m[0], "i32")
        offset, width = regions[region]
        before = ""
        if op:
            before = f"""mad.lo.u32 %t5, %id, {words * 4 // 128}, 0;
                cvt.u64.u32 %l1, %t5;
                add.u64 %l2, %in, %l1;
                """ + "".join(f"ld.global.b32 %t0, [%l2 + {offset + 4 * k}];\nst.global.b32 [%out + {4 * k}], %t0;\n"
                              for k in range(words // 128))
            before += f"mad.lo.u32 %t20, %id, {size // 128}, %t17;\n" + "".join(
                f"ld.global.b32 %t0, [%l2 + {offset + ELEMENTS * width + 4 * k}];\nst.shared.b32 [%t20 + {4 * k}], %t0;\n"
                for k in range(size // 512)) + "fence.proxy.async;\nbarrier.sync 0;\n"
        what = "cp.reduce.async.bulk.tensor" if op else "cp.async.bulk.tensor"
        memory_probe(name, words // 128, begin(name, size, "0") + before + f"""@%p {what}.{len(at)}d.global.shared::cta{"." + op if op else ""}.tile.bulk_group [%l9, {at_text(at)}], [%t17];
            @%p cp.async.bulk.commit_group;
            @%p cp.async.bulk.wait_group 0;
            """, 128, 1, declare(name, size), parameters=parameter)

    for number, (kind, dimensions, size, stride, box, steps, swizzle, fill, out) in enumerate(maps):
        if out:
            continue
        s = step(maps[number])
        inside = tuple(s if i == 0 else min(3 + i, size[i] - 1) for i in range(dimensions))
        load(number, (0,) * dimensions)
        load(number, inside)
        load(number, tuple(-x for x in inside), "before")
        load(number, tuple((size[0] - 1) // s * s if i == 0 else size[i] - 2 for i in range(dimensions)), "behind")
        load(number, tuple(size[0] // s * s + 3 * s if i == 0 else 0 for i in range(dimensions)), "outside")
        if swizzle:
            for offset in (128, 256, 384, 512):
                load(number, (0,) * dimensions, f"at_{offset}", offset)
    for number, (kind, dimensions, size, stride, box, steps, swizzle, fill, out) in enumerate(maps):
        if out == 1:
            write(number, (0,) * dimensions)
            s = step(maps[number])
            write(number, tuple(s if i == 0 else min(2 + i, size[i] - 1) for i in range(dimensions)))
            write(number, tuple(-s if i == 0 else -1 for i in range(dimensions)))
            write(number, tuple((size[0] - 1) // s * s if i == 0 else size[i] - 2 for i in range(dimensions)))
        if out == 2:
            floats = kind >= 6
            ops = ("min", "max") if kind == 5 else ("add",) if kind in (7, 8, 10) else ("add", "min", "max") if floats else (
                "add", "min", "max", "and", "or", "xor") + (("inc", "dec") if kind == 2 else ())
            for op in ops:
                write(number, (0,) * dimensions, op, 512)
            write(number, tuple(-step(maps[number]) if i == 0 else -1 for i in range(dimensions)), ops[0], 512)

    # Each of four blocks loads a quarter of the rows. All four blocks receive every quarter.
    number = 1
    m = maps[number]
    quarter = box_bytes(m)
    size = (4 * quarter + 511) // 512 * 512
    for mask in (0xf, 0x6):
        name = f"multicast_{mask:x}_map{number}"
        memory_probe(name, size // 512, begin(name, size) + f"""mov.u32 %t18, %cluster_ctarank;
            mad.lo.u32 %t19, %t18, {quarter}, %t17;
            mul.lo.u32 %t15, %t18, 2;
            shr.u32 %t2, {mask}, %t18;
            and.b32 %t2, %t2, 1;
            setp.eq.u32 %u, %t2, 1;
            and.pred %v, %u, %p;
            @%v mbarrier.arrive.expect_tx.shared.b64 %l0, [%t16], {4 * quarter};
            mov.u16 %h0, {mask};
            barrier.cluster.arrive.aligned;
            barrier.cluster.wait.aligned;
            @%p cp.async.bulk.tensor.{m[1]}d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%t19], [%l9, {{0, %t15}}], [%t16], %h0;
            @!%u bra NONE;
            """ + wait.replace("barrier.sync 0;\n", "") + """NONE:
            barrier.cluster.arrive.aligned;
            barrier.cluster.wait.aligned;
            """ + dump(size), 128, 4, declare(name, size), ".explicitcluster\n.reqnctapercluster 4, 1, 1\n", parameter)

    # The kernel changes a map: its address, the size of dimension 1, and the box.
    name = f"replace_map{number}"
    size = (quarter + 511) // 512 * 512
    memory_probe(name, size // 512, begin(name, size) + f"""mov.u32 %t18, m_{name};
        mov.u64 %l8, g_{name};
        cvta.global.u64 %l8, %l8;
        setp.lt.u32 %u, %id, 32;
        mul.lo.u32 %t5, %id, 4;
        cvt.u64.u32 %l1, %t5;
        add.u64 %l1, %l1, %l9;
        add.u32 %t20, %t18, %t5;
        @%u ld.b32 %t0, [%l1];
        @%u st.shared.b32 [%t20], %t0;
        barrier.sync 0;
        add.u64 %l2, %in, 1024;
        @%p tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%t18], %l2;
        @%p tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%t18], 1, 2;
        @%p tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%t18], 0, 512;
        barrier.sync 0;
        @!%u bra AFTER;
        tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%l8], [%t18], 128;
        fence.proxy.tensormap::generic.acquire.gpu [%l8], 128;
        AFTER:
        barrier.sync 0;
        @%p mbarrier.arrive.expect_tx.shared.b64 %l0, [%t16], {quarter};
        @%p cp.async.bulk.tensor.{m[1]}d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%t17], [%l8, {{4, 0}}], [%t16];
        """ + wait + dump(size), 128, 1, declare(name, size) +
                 f".shared .align 128 .b8 m_{name}[128];\n.global .align 128 .b8 g_{name}[128];\n", parameters=parameter)


# --- matrices that the emulator supported later: sparse ones, Volta's shape, 8-bit floats, and uniform floats ---


def more_matrices():
    """mma on sparse matrices, with Volta's shape and with 8-bit floats: sm_90 uses other instructions for them."""
    threads = 64

    def fragment(register, region, slot, count):
        """Register k of a thread is element tid + 64 k."""
        offset, size = regions[region]
        return "".join(f"ld.global.b32 {register}{k}, [%in{size} + {offset + (slot * ELEMENTS + threads * k) * size}];\n"
                       for k in range(count))

    def listed(register, count):
        return "{" + ", ".join(f"{register}{k}" for k in range(count)) + "}"

    def masked(register, count, keep, add=0):
        return "".join(f"and.b32 {register}{k}, {register}{k}, {keep:#x};\n" +
                       (f"or.b32 {register}{k}, {register}{k}, {add:#x};\n" if add else "") for k in range(count))

    def mma(name, text, a, b, c, d, prepare="", more=""):
        """a, b, c: (region, registers); d: registers of the result. more: operands after the accumulator."""
        body = ".reg .b32 %A<8>, %B<8>, %C<8>, %D<8>, %E;\n"
        body += fragment("%A", a[0], 0, a[1]) + fragment("%B", b[0], 1, b[1])
        body += fragment("%C", c[0], 1 if c[1] > 4 else 2, c[1]) + prepare  # eight registers need two slots
        body += f"{text} {listed('%D', d)}, {listed('%A', a[1])}, {listed('%B', b[1])}, {listed('%C', c[1])}{more};\n"
        body += "".join(f"st.global.b32 [%out + {4 * k}], %D{k};\n" for k in range(d))
        memory_probe(name, d, body, threads)

    def sparse(name, shape, types, region, c, a, b, d, selector, tf32=False, suffix="", prepare="", raw=False, order=""):
        e = f"ld.global.b32 %E, [%in16 + {regions['raw'][0]}];\n" if raw else metadata_of("tf32" if tf32 else "halves")
        mma(name, f"mma.sp{order}.sync.aligned.{shape}.row.col{suffix}.{types}", (region, a), (region, b), c, d, prepare + e,
            f", %E, {selector}")

    ordered = "::ordered_metadata"
    for kind in ("real", "wide", "weird"):
        for k, a, b in ((16, 2, 2), (32, 4, 4)):
            shape = f"m16n8k{k}"
            for selector in range(4 if k == 16 else 2):
                s = f"_s{selector}" if selector else ""
                if selector and kind != "real":
                    continue
                sparse(f"mma_sp_{shape}_f32_f16_{kind}{s}", shape, "f32.f16.f16.f32", f"{kind}_h2", (f"{kind}_f32", 4), a, b, 4,
                       selector)
            sparse(f"mma_sp_{shape}_f16_f16_{kind}", shape, "f16.f16.f16.f16", f"{kind}_h2", (f"{kind}_h2", 2), a, b, 2, 1)
            sparse(f"mma_sp_{shape}_f32_bf16_{kind}", shape, "f32.bf16.bf16.f32", f"{kind}_b2", (f"{kind}_f32", 4), a, b, 4, 1)
        for k, a, b in ((8, 2, 2), (16, 4, 4)):
            shape = f"m16n8k{k}"
            for selector in range(4 if k == 8 else 2):
                s = f"_s{selector}" if selector else ""
                if selector and kind != "real":
                    continue
                sparse(f"mma_sp_{shape}_f32_tf32_{kind}{s}", shape, "f32.tf32.tf32.f32", f"{kind}_f32", (f"{kind}_f32", 4), a, b, 4,
                       selector, tf32=True)
    for numbers, shapes in ((("s8", "u8"), ((32, 2, 2), (64, 4, 4))), (("s4", "u4"), ((64, 2, 2), (128, 4, 4)))):
        for (x, y), (k, a, b), sat in itertools.product(itertools.product(numbers, repeat=2), shapes, ("", ".satfinite")):
            if x != y and sat:
                continue
            for selector in range(2 if a == 2 else 1):
                sparse(mangled("mma_sp", f"m16n8k{k}", sat, x, y, f"s{selector}" if selector else ""), f"m16n8k{k}",
                       f"s32.{x}.{y}.s32", "i32", ("i32", 4), a, b, 4, selector, suffix=sat)
    sparse("mma_sp_m16n8k32_f32_f16_ordered", "m16n8k32", "f32.f16.f16.f32", "real_h2", ("real_f32", 4), 4, 4, 4, 0, order=ordered)
    sparse("mma_sp_m16n8k64_s8_s8_ordered", "m16n8k64", "s32.s8.s8.s32", "i32", ("i32", 4), 4, 4, 4, 0, order=ordered)
    sparse("mma_sp_m16n8k16_f32_tf32_ordered", "m16n8k16", "f32.tf32.tf32.f32", "real_f32", ("real_f32", 4), 4, 4, 4, 1, tf32=True,
           order=ordered)

    # The manual does not define these metadata. Each of the two numbers selects an element.
    for k, a in ((16, 2), (32, 4)):
        sparse(f"mma_sp_m16n8k{k}_f32_f16_any", f"m16n8k{k}", "f32.f16.f16.f32", "real_h2", ("real_f32", 4), a, a, 4, 0, raw=True)
    for k, a in ((8, 2), (16, 4)):
        sparse(f"mma_sp_m16n8k{k}_f32_tf32_any", f"m16n8k{k}", "f32.tf32.tf32.f32", "real_f32", ("real_f32", 4), a, a, 4, 0, raw=True)
    for k, a in ((32, 2), (64, 4)):
        sparse(f"mma_sp_m16n8k{k}_s8_s8_any", f"m16n8k{k}", "s32.s8.s8.s32", "i32", ("i32", 4), a, a, 4, 0, raw=True)

    # The sums of these operands are exact in any order, however many bits the hardware keeps. So all architectures
    # compute the same sums.
    few_bits = masked("%A", 2, 0xfe00fe00) + masked("%B", 2, 0xfc00fc00)
    for x, y in itertools.product(("row", "col"), repeat=2):
        for d in ("f32", "f16"):
            mma(f"mma_m8n8k4_{x}_{y}_{d}_f16_exact", f"mma.sync.aligned.m8n8k4.{x}.{y}.{d}.f16.f16.f16", ("real_h2", 2), ("real_h2", 2),
                ("real_h2", 4), 8 if d == "f32" else 4, few_bits + masked("%C", 4, 0xfe00fe00))
        mma(f"mma_m8n8k4_{x}_{y}_f32_f32_exact", f"mma.sync.aligned.m8n8k4.{x}.{y}.f32.f16.f16.f32", ("real_h2", 2), ("real_h2", 2),
            ("real_f32", 8), 8, few_bits + masked("%C", 8, 0xffe00000))

    # Makes 8-bit floats from 0.5 to 2, or powers of two if the sum is a half.
    def eight_bits(register, count, kind, wide):
        keep = {"e4m3": 0x8e if wide else 0x88, "e5m2": 0x86 if wide else 0x84}[kind]
        return masked(register, count, keep * 0x01010101, {"e4m3": 0x30, "e5m2": 0x38}[kind] * 0x01010101)

    for x, y in itertools.product(("e4m3", "e5m2"), repeat=2):
        for d in ("f32", "f16"):
            accumulator = ("real_f32", 4) if d == "f32" else ("real_h2", 2)
            c_bits = masked("%C", accumulator[1], 0xffe00000 if d == "f32" else 0xfc00fc00)
            for k, a, b in ((16, 2, 1), (32, 4, 2)):
                mma(f"mma_m16n8k{k}_{d}_{x}_{y}_exact", f"mma.sync.aligned.m16n8k{k}.row.col.{d}.{x}.{y}.{d}", ("i32", a), ("i32", b),
                    accumulator, accumulator[1], eight_bits("%A", a, x, d == "f32") + eight_bits("%B", b, y, d == "f32") + c_bits)
            if d == "f32":
                sparse(f"mma_sp_m16n8k64_{d}_{x}_{y}_exact", "m16n8k64", f"{d}.{x}.{y}.{d}", "i32", accumulator, 4, 4, accumulator[1],
                       0, prepare=eight_bits("%A", 4, x, True) + eight_bits("%B", 4, y, True) + c_bits)

    # Matrices of single bits. sm_100 and later GPUs treat the bits as bytes.
    for op in ("xor", "and"):
        for shape, a, b, c in (("m8n8k128", 1, 1, 2), ("m16n8k128", 2, 1, 4), ("m16n8k256", 4, 2, 4)):
            mma(mangled("mma", shape, "b1", op), f"mma.sync.aligned.{shape}.row.col.s32.b1.b1.s32.{op}.popc", ("i32", a), ("i32", b),
                ("i32", c), c)


def halves_compared():
    """Returns a half. The upper half of the word is set to zero, because ptxas treats it as undefined after a 16-bit
    result."""
    for op in FLOAT_COMPARE:
        for t in ("f16", "bf16"):
            r = FLOAT_REGION[t]
            probe(f"set_{op}_{t}_{t}_low", f"{r} {r}", "32", f""".reg .b16 %result, %nothing;
                mov.b16 %nothing, 0;
                set.{op}.{t}.{t} %result, %a, %b;
                mov.b32 %d, {{%result, %nothing}};""")


def uniform_floats():
    """One block of one warp for each pair of operands, which only depend on the block: 8 pairs of special values, 24
    others."""
    operands = """.reg .b32 %d, %a, %b, %c;
        .reg .b16 %hd;
        mov.u32 %t0, %ctaid.y;
        mul.lo.u32 %t1, %t0, 0x9e3779b1;
        xor.b32 %a, %t1, 0x3f3504f3;
        mul.lo.u32 %t1, %t0, 0x85ebca77;
        xor.b32 %b, %t1, 0x405b1a2c;
        mul.lo.u32 %t1, %t0, 0x7ed55d16;
        xor.b32 %c, %t1, 0xbf21c9a7;
        and.b32 %t2, %t0, 3;
        shl.b32 %t2, %t2, 30;
        and.b32 %t3, %t0, 4;
        shl.b32 %t3, %t3, 21;
        or.b32 %t2, %t2, %t3;
        shr.u32 %t4, %t0, 2;
        sub.u32 %t4, 0, %t4;
        and.b32 %t4, %t4, 0x7f800000;
        sub.u32 %t5, %t0, 8;
        shr.s32 %t5, %t5, 31;
        lop3.b32 %a, %t5, %t2, %a, 0xca;
        lop3.b32 %b, %t5, %t4, %b, 0xca;
        """
    # The mad reads the result from a uniform register. The operands are computed from %ctaid.y, which is the block's
    # index in the grid of 1 x 32 blocks.
    take = """mad.lo.u32 %t20, %id, %d, %id;
        st.global.b32 [%out], %t20;
        """

    def uniform(name, body):
        memory_probe("uniform_float_" + name, 1, operands + body + take, 32, (1, 32, 1))

    for x in ("", ".ftz", ".sat", ".ftz.sat"):
        uniform(mangled("add", x), f"add.rn{x}.f32 %d, %a, %b;\n")
        uniform(mangled("mul", x), f"mul.rn{x}.f32 %d, %a, %b;\n")
        uniform(mangled("fma", x), f"fma.rn{x}.f32 %d, %a, %b, %c;\n")
        uniform(mangled("round", x), f"cvt.rni{x}.f32.f32 %d, %a;\n")
    for rnd in (".rz", ".rm", ".rp"):
        uniform(mangled("add", rnd), f"add{rnd}.f32 %d, %a, %b;\n")
        uniform(mangled("fma", rnd), f"fma{rnd}.f32 %d, %a, %b, %c;\n")
        uniform(mangled("round", rnd + "i"), f"cvt{rnd}i.f32.f32 %d, %a;\n")
        uniform(mangled("convert_s32", rnd), f"cvt{rnd}.f32.s32 %d, %a;\n")
    uniform("add_imm", "add.f32 %d, %a, 0f3FC00000;\n")
    uniform("mul_imm", "mul.f32 %d, %a, 0fBFC00000;\n")
    uniform("fma_imm_b", "fma.rn.f32 %d, %a, 0f3FC00000, %c;\n")
    uniform("fma_imm_c", "fma.rn.f32 %d, %a, %b, 0f3FC00000;\n")
    uniform("sub_abs", "neg.f32 %t6, %a;\nabs.f32 %t7, %b;\nadd.f32 %d, %t6, %t7;\n")
    uniform("fma_neg", "neg.f32 %t6, %a;\nneg.f32 %t7, %c;\nfma.rn.f32 %d, %t6, %b, %t7;\n")
    for op in FLOAT_COMPARE:
        for ftz in ("", ".ftz"):
            uniform(mangled("setp", op, ftz), f"setp.{op}{ftz}.f32 %p, %a, %b;\nselp.b32 %d, %t0, 77, %p;\n")
        uniform(mangled("set", op), f"set.{op}.u32.f32 %d, %a, %b;\n")
    for op in ("and", "or", "xor"):
        uniform(mangled("setp_lt", op), f"""setp.gt.u32 %q, %t0, 7;
            setp.lt.{op}.f32 %p|%u, %a, %b, %q;
            selp.b32 %t6, 5, 77, %p;
            selp.b32 %t7, %t0, 600, %u;
            add.u32 %d, %t6, %t7;
            """)
    uniform("setp_imm", "setp.ge.f32 %p, %a, 0f3FC00000;\nselp.b32 %d, %t0, 77, %p;\n")
    uniform("selp", "setp.gt.u32 %q, %t0, 7;\nneg.f32 %t6, %a;\nabs.f32 %t7, %b;\nselp.f32 %d, %t6, %t7, %q;\n")
    uniform("abs", "abs.f32 %d, %a;\n")
    uniform("neg_ftz", "neg.ftz.f32 %d, %a;\n")
    for rnd, kind, ftz in itertools.product(("rni", "rzi", "rmi", "rpi"), ("u32", "s32"), ("", ".ftz")):
        uniform(mangled("to", kind, rnd, ftz), f"cvt.{rnd}{ftz}.{kind}.f32 %d, %a;\n")
    for kind in ("u16", "s16"):
        uniform(mangled("to", kind), f"cvt.rzi.{kind}.f32 %hd, %a;\ncvt.u32.u16 %d, %hd;\n")
    for kind in ("f16", "bf16"):
        uniform(mangled("to", kind), f"cvt.rn.{kind}.f32 %hd, %a;\nmov.b32 %d, {{%hd, %hd}};\n")
    uniform("to_e4m3", "cvt.rn.satfinite.e4m3x2.f32 %hd, %a, %b;\nmov.b32 %d, {%hd, %hd};\n")
    uniform("to_e5m2", "cvt.rn.satfinite.e5m2x2.f32 %hd, %a, %b;\nmov.b32 %d, {%hd, %hd};\n")
    uniform("min", "min.f32 %d, %a, %b;\n")
    uniform("max_nan", "max.NaN.f32 %d, %a, %b;\n")


# Separate sets of probes: the function that makes the probes, and the architecture that has their instructions.
more_sets = {"barriers": (barriers, "sm_90"), "wgmma": (warp_group_matrices, "sm_90a"),
             "sparse_wgmma": (lambda: warp_group_matrices(sparse=True), "sm_90a"),
             "clusters": (clusters, "sm_90a"), "tma": (tensor_copies, "sm_90a"),
             "matrices": (lambda: (more_matrices(), halves_compared(), uniform_floats()), "sm_90")}


def main():
    chosen = sys.argv[1].removeprefix("--") if sys.argv[1].startswith("--") else "probes"
    folder, *other = sys.argv[2 if chosen != "probes" else 1:]
    if chosen == "probes":
        families, arch = (integers, comparisons, floats, halves, conversions, memory, atomics, warps, matrices, copies, control,
                          special, uniforms), "sm_90"
    else:
        families, arch = (more_sets[chosen][0],), more_sets[chosen][1]
    for family in families:
        family()
    if other:
        return compile_for(other[0], folder, chosen)
    head = f".version 9.0\n.target {arch}\n.address_size 64\n\n"
    with open(os.path.join(folder, chosen + ".ptx"), "w") as f:
        f.write(head + "\n".join(text for *_, text in kernels))
    with open(os.path.join(folder, chosen + ".list"), "w") as f:
        for name, grid, block, words, _ in kernels:
            f.write(" ".join(str(n) for n in (name, *grid, *block, words)) + "\n")
    print(f"{len(kernels)} kernels, {sum(k[3] for k in kernels)} words")


if __name__ == "__main__":
    main()
