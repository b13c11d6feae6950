#!/usr/bin/env python3
"""Writes random CUDA programs from a grammar: their results depend only on the program.

    generate.py FOLDER FIRST COUNT [--file N]     FOLDER/p000000.cu, p000050.cu, ...: N programs in each file (default 50), and programs.list

A program is a kernel NAME(unsigned* out, const unsigned* in, unsigned* sums), made from its number alone. Between
barriers, each thread writes shared memory at its own places. Lanes exchange values under a mask of the active lanes.
Sums are of integers, so their order does not matter. A row of programs.list: file, kernel, blocks, threads in x and y,
words of `out`. `drop` of a program names statements to leave out, so that shrink.py can make it smaller.
"""
import concurrent.futures
import os
import random
import sys

SUMS = 64  # words of `sums`
INPUTS = 4096  # number of words of `in`, a power of two

HEAD = """// Made by tests/differential/generate.py.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
using u32 = unsigned;
using u64 = unsigned long long;
using bf16 = __nv_bfloat16;

__constant__ u32 table[64] = {%s};

__device__ __forceinline__ u32 bits_of(u32 v) { return v; }
__device__ __forceinline__ u32 bits_of(int v) { return u32(v); }
__device__ __forceinline__ u32 bits_of(float v) { return __float_as_uint(v); }
__device__ __forceinline__ u32 bits_of(u64 v) { return u32(v) ^ u32(v >> 32) * 3; }
__device__ __forceinline__ u32 bits_of(double v) { return bits_of(u64(__double_as_longlong(v))); }
__device__ __forceinline__ u32 bits_of(__half v) { return __half_as_ushort(v); }
__device__ __forceinline__ u32 bits_of(bf16 v) { return __bfloat16_as_ushort(v); }
__device__ __forceinline__ u32 bits_of(__half2 v) { return bits_of(__low2half(v)) | bits_of(__high2half(v)) << 16; }
__device__ __forceinline__ float small(u32 v) { return float(int(v & 4095) - 2048) * 0.03125f; }
__device__ __forceinline__ u32 lanes_of(u32 v, u32 lanes) { return v & lanes ? v & lanes : lanes; }
"""

TYPES = {"u": "u32", "i": "int", "f": "float", "l": "u64", "d": "double", "h": "__half", "p": "__half2", "b": "bf16"}

# For each type: expressions with their relative frequency. A u32 expression replaces $u, expressions of other types
# replace the other letters after $, and a constant replaces ~.
RULES = {
    "u": [
        ("($u + $u)", 4), ("($u - $u)", 3), ("($u * $u)", 3), ("($u ^ $u)", 3), ("($u & $u)", 2), ("($u | $u)", 2), ("(~$u)", 1),
        ("($u << ($u & 31))", 1), ("($u >> ($u & 31))", 1), ("($u >> ~5)", 1), ("($u / ($u | 1))", .6), ("($u % ($u | 1))", .6),
        ("($u / ~7)", .5), ("($u % ~7)", .5), ("min($u, $u)", 1), ("max($u, $u)", 1), ("u32(__clz($i))", .5), ("u32(__popc($u))", .7),
        ("__brev($u)", .5), ("u32(__ffs($i))", .5), ("__umulhi($u, $u)", .7), ("__byte_perm($u, $u, $u)", .7),
        ("__byte_perm($u, $u, ~x)", .4), ("__funnelshift_l($u, $u, $u)", .4), ("__funnelshift_r($u, $u, ~5)", .4),
        ("__funnelshift_rc($u, $u, $u)", .3), ("__usad($u, $u, $u)", .4), ("__umul24($u, $u)", .3), ("__dp4a($u, $u, $u)", .4),
        ("__dp2a_lo($u, $u, $u)", .3), ("__dp2a_hi($u, $u, $u)", .2), ("__vadd4($u, $u)", .3), ("__vabsdiffu4($u, $u)", .3), ("__vmaxs2($i, $i)", .3),
        ("__vminu2($u, $u)", .2), ("__vcmpgtu4($u, $u)", .2), ("__vavgu4($u, $u)", .2), ("__vsubss2($u, $u)", .2), ("__urhadd($u, $u)", .3), ("__uhadd($u, $u)", .3),
        ("($c ? $u : $u)", 2), ("u32($i)", 1.5), ("__float_as_uint($f)", 1), ("__float2uint_rz($f)", .6), ("__float2uint_rn($f)", .4),
        ("u32($l)", .7), ("u32($l >> 32)", .7), ("bits_of($d)", .4), ("__double2uint_rn($d)", .3), ("u32(__half_as_ushort($h))", .4),
        ("bits_of($p)", .4), ("u32(__bfloat16_as_ushort($b))", .4), ("u32(__half2ushort_rz($h))", .3), ("table[$u & 63]", .7), ("in[$u & 4095]", .8),
        ("bits(\"bfe.u32\", $u, $u & 31, $u & 31)", .3), ("bits(\"bfe.s32\", $u, ~5, ~5)", .3), ("insert($u, $u, $u & 31, $u & 31)", .3),
        ("lop3($u, $u, $u, ~b)", .4), ("bits(\"slct.u32.s32\", $u, $u, $u)", .2), ("bits(\"prmt.b32.f4e\", $u, $u, $u)", .2),
        ("bits(\"prmt.b32.ecl\", $u, $u, $u)", .2), ("bits(\"mad.lo.u32\", $u, $u, $u)", .3), ("bits(\"mad.hi.u32\", $u, $u, $u)", .3), ("bits(\"mad24.hi.u32\", $u, $u, $u)", .2),
        ("bits(\"vadd.u32.u32.u32.sat\", $u, $u)", 0), ("bits2(\"bmsk.clamp.b32\", $u & 63, $u & 63)", .2), ("bits2(\"szext.wrap.s32\", $u, $u)", .2),
        ("bits1(\"bfind.u32\", $u)", .3), ("bits1(\"bfind.shiftamt.s32\", $u)", .2), ("bits1(\"cnot.b32\", $u)", .2),
        ("u32(u64((unsigned __int128)$l * $l >> 64))", .2),
    ],
    "i": [
        ("int($u)", 3), ("(int($u) >> ($u & 31))", 1), ("(int($u) >> ~5)", 1), ("int($u - u32($i))", 1), ("min($i, $i)", 1), ("max($i, $i)", 1),
        ("abs($i)", .6), ("__mulhi($i, $i)", .6), ("__mul24($i, $i)", .3), ("int(__sad($i, $i, $u))", .4), ("__dp4a($i, $i, $i)", .4),
        ("($i / (int($u & 1023) + 1))", .6), ("($i % (int($u & 1023) + 1))", .5), ("($i / ~7)", .4), ("__hadd($i, $i)", .3), ("__rhadd($i, $i)", .3),
        ("__float2int_rz($f)", .7), ("__float2int_rd($f)", .4), ("__float2int_ru($f)", .4), ("__float2int_rn($f)", .4), ("__double2int_rz($d)", .3),
        ("__half2int_rn($h)", .3), ("int(__half2short_rd($h))", .3), ("int(short($u))", .6), ("int((signed char)$u)", .6), ("__float_as_int($f)", .4), ("($c ? $i : $i)", 1.5),
        ("__bfloat162int_rz($b)", .3), ("__ffs($i)", .3),
    ],
    "f": [
        ("($f + $f)", 4), ("($f - $f)", 3), ("($f * $f)", 4), ("($f / $f)", .8), ("fmaf($f, $f, $f)", 3), ("small($u)", 3), ("sqrtf(fabsf($f))", .6),
        ("fminf($f, $f)", 1), ("fmaxf($f, $f)", 1), ("fabsf($f)", .7), ("(-$f)", .7), ("copysignf($f, $f)", .4), ("floorf($f)", .5), ("ceilf($f)", .4), ("truncf($f)", .4),
        ("rintf($f)", .4), ("roundf($f)", .3), ("__fadd_rd($f, $f)", .4), ("__fadd_ru($f, $f)", .3), ("__fmul_rz($f, $f)", .4), ("__fmul_ru($f, $f)", .3), ("__fmaf_rd($f, $f, $f)", .4),
        ("__fmaf_rz($f, $f, $f)", .3), ("__frcp_rn($f)", .4), ("__frsqrt_rn(fabsf($f))", 0), ("__fsqrt_ru(fabsf($f))", .3), ("__fdiv_rz($f, $f)", .3), ("__saturatef($f)", .5),
        ("($c ? $f : $f)", 1.5), ("float($i)", 1), ("float($u)", .8), ("__uint2float_rz($u)", .3), ("__int2float_rd($i)", .3), ("__uint_as_float($u)", .4), ("float($d)", .4),
        ("__double2float_rz($d)", .3), ("float($l)", .3), ("__ll2float_ru((long long)$l)", .2), ("__half2float($h)", .7), ("__low2float($p)", .4), ("__bfloat162float($b)", .6), ("fmodf($f, 3.5f)", .2),
        ("ldexpf($f, int($u & 15) - 8)", .3), ("fdimf($f, $f)", .2), ("__fmul_rn($f, 0x1p-120f)", .2), ("remainderf($f, 7.25f)", .1),
    ],
    "l": [
        ("($l + $l)", 3), ("($l - $l)", 2), ("($l * $l)", 1.5), ("($l ^ $l)", 2), ("($l & $l)", 1), ("($l | u64($u))", 1), ("($l << ($u & 63))", .7), ("($l >> ($u & 63))", .7),
        ("u64((long long)$l >> ($u & 63))", .5), ("u64($u)", 2), ("u64((long long)$i)", 1), ("(u64($u) * $u)", 1.5), ("u64((long long)$i * $i)", .7), ("(u64($u) << 32 | $u)", 2),
        ("min($l, $l)", .6), ("max((long long)$l, (long long)$l)", .6), ("__umul64hi($l, $l)", .5), ("u64(__mul64hi((long long)$l, (long long)$l))", .3), ("__brevll($l)", .3), ("u64(__clzll((long long)$l))", .3),
        ("u64(__popcll($l))", .4), ("u64(__ffsll((long long)$l))", .3), ("($l / ($l | 1))", .3), ("($l % (u64($u) + 1))", .3), ("($l / ~7)", .3), ("u64((long long)$l / (int($u & 255) + 1))", .2), ("($c ? $l : $l)", 1),
        ("u64(__double_as_longlong($d))", .4), ("u64(__float2ll_rz($f))", .3), ("__float2ull_rn($f)", .3), ("__double2ull_rd($d)", .3), ("($l * $u + $l)", .7),
    ],
    "d": [
        ("($d + $d)", 3), ("($d - $d)", 2), ("($d * $d)", 3), ("fma($d, $d, $d)", 2), ("double($f)", 2), ("double($i)", 1), ("double($u)", 1), ("double($l)", .5), ("double((long long)$l)", .4),
        ("($d / $d)", .5), ("sqrt(fabs($d))", .4), ("fmin($d, $d)", .7), ("fmax($d, $d)", .7), ("fabs($d)", .5), ("(-$d)", .5), ("floor($d)", .4), ("rint($d)", .3), ("trunc($d)", .3), ("ceil($d)", .3),
        ("__dadd_rd($d, $d)", .3), ("__dmul_ru($d, $d)", .3), ("__fma_rz($d, $d, $d)", .3), ("($c ? $d : $d)", 1), ("__hiloint2double($i, $i)", .2), ("copysign($d, $d)", .3), ("__longlong_as_double((long long)$l)", .2),
    ],
    "h": [
        ("__hadd($h, $h)", 3), ("__hsub($h, $h)", 2), ("__hmul($h, $h)", 3), ("__hfma($h, $h, $h)", 3), ("__hneg($h)", .7), ("__habs($h)", .7), ("__hmin($h, $h)", .7), ("__hmax($h, $h)", .7),
        ("__hmax_nan($h, $h)", .4), ("__hmin_nan($h, $h)", .3), ("__hadd_sat($h, $h)", .4), ("__hfma_sat($h, $h, $h)", .3), ("__hfma_relu($h, $h, $h)", .4), ("__float2half_rn($f)", 2), ("__float2half_rz($f)", .5), ("__float2half_ru($f)", .4),
        ("__int2half_rn($i)", .4), ("__uint2half_rz($u)", .3), ("__ushort_as_half((unsigned short)$u)", .5), ("__low2half($p)", .7), ("__high2half($p)", .7), ("hfloor($h)", .3), ("htrunc($h)", .3), ("hrint($h)", .3), ("hceil($h)", .3),
        ("__double2half($d)", .3), ("__float2half_rn(small($u))", 2), ("__ushort2half_rn((unsigned short)$u)", .3), ("__ll2half_rn((long long)$l)", .2), ("__short2half_rd(short($u))", .2),
    ],
    "p": [
        ("__hadd2($p, $p)", 3), ("__hsub2($p, $p)", 2), ("__hmul2($p, $p)", 3), ("__hfma2($p, $p, $p)", 3), ("__hneg2($p)", .5), ("__habs2($p)", .5), ("__hmin2($p, $p)", .6), ("__hmax2($p, $p)", .6), ("__halves2half2($h, $h)", 2),
        ("__floats2half2_rn($f, $f)", 1), ("__lowhigh2highlow($p)", .6), ("__lows2half2($p, $p)", .5), ("__highs2half2($p, $p)", .5), ("__half2half2($h)", .6), ("__hfma2_relu($p, $p, $p)", .4), ("__hfma2_sat($p, $p, $p)", .4),
        ("__hcmadd($p, $p, $p)", .4), ("__hgt2($p, $p)", .4), ("__hleu2($p, $p)", .3), ("__hadd2_sat($p, $p)", .3), ("__hmax2_nan($p, $p)", .3), ("h2floor($p)", .2), ("__heq2($p, $p)", .3),
    ],
    "b": [
        ("__hadd($b, $b)", 3), ("__hsub($b, $b)", 2), ("__hmul($b, $b)", 3), ("__hfma($b, $b, $b)", 3), ("__hneg($b)", .5), ("__habs($b)", .5), ("__hmin($b, $b)", .6), ("__hmax($b, $b)", .6), ("__float2bfloat16_rn($f)", 2),
        ("__float2bfloat16_rz($f)", .5), ("__ushort_as_bfloat16((unsigned short)$u)", .4), ("__hfma_relu($b, $b, $b)", .4), ("__hadd_sat($b, $b)", .3), ("__float2bfloat16_rn(small($u))", 2), ("__int2bfloat16_rn($i)", .3), ("__hmax_nan($b, $b)", .3),
        ("__double2bfloat16($d)", .2), ("__low2bfloat16(__hmul2(__bfloat162bfloat162($b), __halves2bfloat162($b, $b)))", .4),
    ],
    "c": [
        ("($u < $u)", 3), ("($i < $i)", 3), ("($f < $f)", 2), ("($f >= $f)", 1), ("!($f == $f)", .7), ("($l < $l)", 1), ("($d > $d)", .7), ("(($u & ~m) != 0)", 4), ("($u % ~7 == ~3)", 2), ("__hlt($h, $h)", .6), ("__hgeu($h, $h)", .4),
        ("__hne($b, $b)", .4), ("($c && $c)", .7), ("($c || $c)", .7), ("($c != $c)", .4), ("isnan($f)", .4), ("isfinite($f)", .4), ("__hbgt2($p, $p)", .3), ("((long long)$l <= (long long)$l)", .5), ("(__isnanf($f) == $c)", 0), ("($d != $d)", .3), ("signbit($f)", .3),
    ],
}
PTX = """__device__ __forceinline__ u32 insert(u32 a, u32 b, u32 c, u32 d) {
  u32 r;
  asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(r) : "r"(a), "r"(b), "r"(c), "r"(d));
  return r;
}
#define bits(name, a, b, c) ([&] { u32 r_; asm(name " %0, %1, %2, %3;" : "=r"(r_) : "r"(u32(a)), "r"(u32(b)), "r"(u32(c))); return r_; }())
#define bits2(name, a, b) ([&] { u32 r_; asm(name " %0, %1, %2;" : "=r"(r_) : "r"(u32(a)), "r"(u32(b))); return r_; }())
#define bits1(name, a) ([&] { u32 r_; asm(name " %0, %1;" : "=r"(r_) : "r"(u32(a))); return r_; }())
#define lop3(a, b, c, d) ([&] { u32 r_; asm("lop3.b32 %0, %1, %2, %3, " #d ";" : "=r"(r_) : "r"(u32(a)), "r"(u32(b)), "r"(u32(c))); return r_; }())

"""
WEIGHTS = {t: ([text for text, w in rules if w], [w for _, w in rules if w]) for t, rules in RULES.items()}

# Arrays in shared memory: the type of an element, and the code that converts a value to the words of an element and
# back.
ELEMENTS = {
    "u32": ("$u", "u", "@"), "float": ("$f", "f", "@"), "unsigned char": ("(unsigned char)$u", "u", "u32(@)"),
    "short": ("short($i)", "i", "int(@)"), "u64": ("$l", "l", "@"), "double": ("$d", "d", "@"), "__half": ("$h", "h", "@"), "__half2": ("$p", "p", "@"),
    "uint2": ("make_uint2($u, $u)", "u", "(@.x ^ @.y * 3)"), "uint4": ("make_uint4($u, $u, $u, $u)", "u", "(@.x + @.y * 3 + @.z * 5 + @.w * 7)"),
    "float4": ("make_float4($f, $f, $f, $f)", "f", "(@.x + @.w)"), "bf16": ("$b", "b", "@"),
}
ATOMICS = ["atomicAdd", "atomicMax", "atomicMin", "atomicAnd", "atomicOr", "atomicXor"]
BLOCKS = [(32, 1), (64, 1), (128, 1), (96, 1), (48, 1), (80, 1), (16, 4), (8, 8), (32, 4), (16, 8), (4, 16), (112, 1)]


class Place:
    """The state at this place of the program: how many lanes of a warp are active together, and the expression for
    them."""

    def __init__(self, depth, together, mask, variables, loop=False):
        self.depth, self.together, self.mask, self.variables, self.loop = depth, together, mask, variables, loop


class Program:
    def __init__(self, number, drop=()):
        self.r = random.Random(f"differential {number}")
        self.name = f"k{number:06}"
        self.drop = frozenset(drop)
        self.statements = 0
        self.serial = 0
        self.functions = []
        x, y = self.r.choice(BLOCKS)
        self.block, self.threads, self.blocks = (x, y), x * y, self.r.choice([1, 2, 2, 3])
        kinds = "u" + "".join(k for k in "ifldhpb" if self.r.random() < (.75 if k in "if" else .3))
        self.kinds = kinds
        self.variables = {k: [f"{k}{n}" for n in range(self.r.choice([2, 3, 4] if k == "u" else [1, 2, 3] if k in "if" else [1, 2]))] for k in kinds}
        self.size = 25 + self.r.randrange(35)
        self.shared = []       # (name, element, elements): written between barriers, read by any thread
        self.own = []          # (name, words of a thread): each thread uses only its own words
        self.sums = []         # (name, operation, elements): arrays of sums
        for n in range(self.r.choice([1, 1, 2, 3])):
            self.shared.append((f"s{n}", self.r.choice([e for e in ELEMENTS if ELEMENTS[e][1] in kinds or ELEMENTS[e][1] == "u"]), self.r.choice([128, 128, 256, 512])))
        if self.r.random() < .5:
            self.own.append(("own", self.r.choice([1, 2, 3, 4, 5, 8])))
        for n in range(self.r.choice([0, 1, 1, 2])):
            self.sums.append((f"a{n}", self.r.choice(ATOMICS), self.r.choice([1, 8, 32, 64])))
        self.local = self.r.choice([0, 0, 4, 8])
        self.sum_operation = self.r.choice(ATOMICS)

    def fresh(self, letter):
        self.serial += 1
        return f"{letter}_{self.serial}"

    # --- expressions
    def leaf(self, kind, place):
        if kind == "c":
            return self.r.choice([f"(({self.leaf('u', place)} & {self.r.choice([1, 2, 4, 3, 8, 16])}) != 0)", f"({self.leaf('u', place)} > {self.leaf('u', place)})"])
        if place.variables.get(kind) and self.r.random() < .9:
            return self.r.choice(place.variables[kind])
        r = self.r
        if kind == "u":
            return r.choice(["t", "t", "lane", "blockIdx.x", "table[%d]" % r.randrange(64), f"{r.getrandbits(32):#x}u", f"{r.randrange(40)}u", "in[(t * %d + %d) & 4095]" % (r.randrange(1, 64), r.randrange(4096))])
        u = self.leaf("u", place)
        return {"i": f"int({u})", "f": r.choice([f"small({u})", f"({r.randrange(-64, 64) / 8}f)", "1.0f", "0.0f"]), "l": f"(u64({u}) * 0x9e3779b97f4a7c15ull)", "d": f"double(small({u}))",
                "h": f"__float2half_rn(small({u}))", "p": f"__float2half2_rn(small({u}))", "b": f"__float2bfloat16_rn(small({u}))"}[kind]

    def expression(self, kind, place, depth):
        if depth <= 0 or self.r.random() < .15:
            return self.leaf(kind, place)
        for _ in range(4):
            text = self.r.choices(*WEIGHTS[kind])[0]
            # If the program has no variables of a type, expressions of this type stay rare.
            if all(text[i + 1] in self.kinds + "c" for i in range(len(text)) if text[i] == "$") or self.r.random() < .08:
                break
        else:
            return self.leaf(kind, place)
        return self.fill(text, place, depth - 1)

    def fill(self, text, place, depth):
        out, i, r = [], 0, self.r
        while i < len(text):
            if text[i] == "$":
                out.append(self.expression(text[i + 1], place, depth))
                i += 2
            elif text[i] == "~" and text[i + 1] in "573bmx":
                out.append({"5": lambda: str(r.randrange(32)), "7": lambda: str(r.choice([3, 5, 7, 10, 12, 13, 100, 641])), "3": lambda: str(r.randrange(3)),
                            "b": lambda: str(r.randrange(256)), "m": lambda: str(r.choice([1, 2, 3, 4, 6, 8, 16, 17, 64])), "x": lambda: f"{r.getrandbits(16):#x}"}[text[i + 1]]())
                i += 2
            else:
                out.append(text[i])
                i += 1
        return "".join(out)

    def target(self, place):
        kind = self.r.choices(list(place.variables), [3 if k == "u" else 2 if k == "f" else 1 for k in place.variables])[0]
        return kind, self.r.choice([v for v in place.variables[kind]])

    # --- statements: each is a list of lines
    def assignment(self, place):
        kind, v = self.target(place)
        return [f"{v} = {self.expression(kind, place, self.r.choice([1, 2, 2, 3]))};"]

    def condition(self, place):
        return self.expression("c", place, self.r.choice([1, 1, 2]))

    def uniform(self):
        """A condition that all threads of a block agree on, then a condition that all threads of a warp agree on."""
        r = self.r
        return r.choice([f"in[blockIdx.x + {r.randrange(4000)}] & {r.choice([1, 3, 4])}", f"blockIdx.x != {r.randrange(2)}", f"(blockIdx.x + {r.randrange(9)}) % 2 == 0"])

    def branch(self, place):
        r = self.r
        how = r.random()
        if place.together == "block" and how < .25:
            c, inside, before = self.uniform(), Place(place.depth - 1, "block", place.mask, place.variables, place.loop), []
            other = inside
        elif place.together in ("block", "warp") and how < .4:
            c, inside, before = f"(in[warp + {r.randrange(4000)}] & {r.choice([1, 2, 3])}) != 0", Place(place.depth - 1, "warp", place.mask, place.variables), []
            other = inside
        elif place.together != "alone" and how < .8:
            m, b = self.fresh("m"), self.fresh("c")
            before = [f"const bool {b} = {self.condition(place)};", f"const u32 {m} = __ballot_sync({place.mask}, {b});"]
            c = b
            inside = Place(place.depth - 1, "mask", m, place.variables)
            other = Place(place.depth - 1, "mask", f"({place.mask} & ~{m})", place.variables)
        else:
            c, before, inside = self.condition(place), [], Place(place.depth - 1, "alone", None, place.variables)
            other = inside
        lines = before + [f"if ({c}) {{"] + self.body(inside)
        if r.random() < .5:
            lines += ["} else {"] + self.body(other)
        lines += ["}"]
        return ["{"] + lines + ["}"] if before else lines

    def loop(self, place):
        r, k = self.r, self.fresh("k")
        with_k = {**place.variables}
        if place.together in ("block", "warp") and r.random() < .5:
            n = r.choice(["2", "3", "4", "7"] + ([f"(in[blockIdx.x + {r.randrange(4000)}] & 3) + 1"]))
            unroll = r.choice(["", "", "#pragma unroll 1", "#pragma unroll 2"])
            return ([unroll] if unroll else []) + [f"for (u32 {k} = 0; {k} < {n}; ++{k}) {{"] + self.body(Place(place.depth - 1, place.together, place.mask, with_k)) + [self.use_of(k, place), "}"]
        n = self.fresh("n")
        if place.together != "alone" and r.random() < .5:
            m = self.fresh("m")
            inside = Place(place.depth - 1, "mask", m, with_k)
            return (["{", f"const u32 {n} = {self.expression('u', place, 1)} & {r.choice([3, 7])};", f"u32 {m} = __ballot_sync({place.mask}, {n} != 0);", "#pragma unroll 1", f"for (u32 {k} = 0; {k} < {n}; ++{k}) {{"] + self.body(inside) +
                    [self.use_of(k, place), f"{m} = __ballot_sync({m}, {k} + 1 < {n});", "}", "}"])
        inside = Place(place.depth - 1, "alone", None, with_k, loop=True)
        head = ["{", f"const u32 {n} = {self.expression('u', place, 1)} & {r.choice([1, 3, 7])};"]
        if r.random() < .3:
            return head + [f"u32 {k} = {n} + 1;", "do {"] + self.body(inside) + [self.use_of(k, place), f"}} while (--{k} != 0);", "}"]
        return head + [f"for (u32 {k} = 0; {k} < {n}; ++{k}) {{"] + self.body(inside) + [self.use_of(k, place), "}", "}"]

    def use_of(self, k, place):
        v = self.r.choice(place.variables["u"])
        return self.r.choice([f"{v} += {k};", f"{v} ^= {k} * 5;", f"{v} = {v} * 3 + {k};"])

    def leave(self, place):
        return [f"if ({self.condition(place)}) {self.r.choice(['break', 'continue'])};"] if place.loop == "for" else self.assignment(place)

    def switch(self, place):
        inside = Place(place.depth - 1, "alone", None, place.variables)
        lines = [f"switch ({self.expression('u', place, 1)} & {self.r.choice([3, 7])}) {{"]
        for case in sorted(self.r.sample(range(8), self.r.choice([2, 3, 5]))):
            lines += [f"case {case}: {{"] + self.body(inside) + ["}"] + (["break;"] if self.r.random() < .7 else [])
        if self.r.random() < .6:
            lines += ["default: {"] + self.body(inside) + ["}"]
        return lines + ["}"]

    def speak(self, place):
        """Exchanges values between the lanes of a warp, or of a mask."""
        r = self.r
        kind = r.choice([k for k in place.variables if k not in "cb"])
        v, m, u = r.choice(place.variables[kind]), place.mask, r.choice(place.variables["u"])
        choices = [f"{u} ^= __ballot_sync({m}, {self.condition(place)});", f"{u} += __any_sync({m}, {self.condition(place)}) ? 3 : 5;", f"{u} += __all_sync({m}, {self.condition(place)}) ? 7 : 11;",
                   f"{v} = __shfl_sync({m}, {v}, __ffs({m}) - 1);", f"{v} = __shfl_sync({m}, {v}, 31 - __clz({m}));", f"{u} += __match_any_sync({m}, {self.leaf('u', place)} & {r.choice([1, 3, 7])});",
                   f"{u} = __reduce_{r.choice(['add', 'min', 'max', 'and', 'or', 'xor'])}_sync({m}, {self.expression('u', place, 1)});", f"{u} += __popc({m} & ((1u << lane) - 1));", f"__syncwarp({m});"]
        if "i" in place.variables:
            choices.append(f"{place.variables['i'][0]} = __reduce_{r.choice(['add', 'min', 'max'])}_sync({m}, {self.expression('i', place, 1)});")
        if r.random() < .2:
            p = self.fresh("q")
            choices = [f"int {p}; {u} ^= __match_all_sync({m}, {self.leaf('u', place)} & {r.choice([0, 1])}, &{p}); {u} += u32({p}) * 9;"]
        if place.together in ("block", "warp") and r.random() < .6:
            width = r.choice([16, 16, 8, 4, 2] + ([32] * 3 if self.threads % 32 == 0 else []))
            e = f"({self.expression(kind, place, 1)})"
            choices = [f"{v} = __shfl_xor_sync({m}, {e}, {r.choice([x for x in (1, 2, 3, 4, 5, 8, 15, 16, 31) if x < width])}, {width});", f"{v} = __shfl_up_sync({m}, {e}, {r.randrange(width)}, {width});",
                       f"{v} = __shfl_down_sync({m}, {e}, {r.randrange(width)}, {width});", f"{v} = __shfl_sync({m}, {e}, {self.leaf('u', place)} & {width - 1}, {width});", f"{v} = __shfl_sync({m}, {e}, {r.randrange(width)}, {width});"]
        return [r.choice(choices)]

    def own_place(self, elements):
        """An element that only thread t writes. `elements` is a power of two, not less than the number of threads."""
        r, mask = self.r, elements - 1
        spread = elements // 128
        choices = ["t", f"(t ^ {r.randrange(elements)})", f"(t * {r.choice([1, 3, 5, 7, 9, 33])} + {r.randrange(elements)} & {mask})", f"({mask} - t)", f"(t ^ (t >> {r.choice([2, 3, 5])} & 7))"]
        if spread > 1:
            choices += [f"t * {spread}", f"(t * {spread} ^ {r.randrange(spread)})", f"(t * {spread} + (t >> 5) % {spread})"]
        choices.append("(t %% 32 * %d + t / 32)" % (elements // 32))
        return r.choice(choices)

    def read_shared(self, place):
        name, element, elements = self.r.choice(self.shared)
        _, kind, back = ELEMENTS[element]
        at = self.r.choice([f"{self.leaf('u', place)} & {elements - 1}", f"{self.expression('u', place, 1)} & {elements - 1}", f"(t + {self.r.randrange(elements)}) & {elements - 1}", f"t * {self.r.choice([2, 4, 8, 17])} & {elements - 1}", str(self.r.randrange(elements)), "lane"])
        kind_of = kind if place.variables.get(kind) else None
        if kind_of is None:
            return self.assignment(place)
        v, x = self.r.choice(place.variables[kind]), self.fresh("x")
        got = f"{name}[{at}]"
        lines = [f"const {element} {x} = {got};", f"{v} = " + {"u": "{v} * 5 + {x}", "i": "int(u32({v}) * 3 + u32({x}))", "f": "{v} * 0.5f + {x}", "l": "{v} * 7 + {x}", "d": "{v} - {x}", "h": "__hadd({v}, {x})", "p": "__hfma2({v}, {x}, {v})", "b": "__hsub({v}, {x})"}[kind].format(v=v, x=back.replace("@", x)) + ";"]
        return ["{"] + lines + ["}"]

    def exchange(self, place):
        name, element, elements = self.r.choice(self.shared)
        word = self.fill(ELEMENTS[element][0], place, 1)
        at = self.own_place(elements)
        write = f"{name}[{at}] = {word};"
        if self.r.random() < .3:
            write = f"if ({self.condition(place)}) {write}"
        return [f"const {element} unused_{self.serial} = {word};" if False else "__syncthreads();", write, "__syncthreads();"] + self.read_shared(place)

    def own_words(self, place):
        if not self.own:
            return self.assignment(place)
        name, words = self.own[0]
        u, at = self.r.choice(place.variables["u"]), f"{name}[t * {words} + {self.r.randrange(words)}]"
        e = self.expression("u", place, 1)
        r = self.r.random()
        if r < .4:
            return [f"{at} = {e};", f"{u} += {name}[t * {words} + {self.r.randrange(words)}];"]
        if r < .8:
            return [f"{u} ^= {self.r.choice(ATOMICS + ['atomicExch', 'atomicInc', 'atomicDec', 'atomicSub'])}(&{at}, {e});"]
        return [f"{u} += atomicCAS(&{at}, {self.leaf('u', place)} & 1, {e});"]

    def add_up(self, place):
        r = self.r
        if not self.sums or r.random() < .3:
            word = self.expression("u", place, 1)
            return [f"{self.sum_operation}(&sums[{self.leaf('u', place)} & 63], {word});"]
        name, operation, elements = r.choice(self.sums)
        at = r.choice([f"{self.leaf('u', place)} & {elements - 1}", f"t & {elements - 1}", str(r.randrange(elements))])
        return [f"{operation}(&{name}[{at}], {self.expression('u', place, 1)});"]

    def read_sums(self, place):
        if not self.sums:
            return self.assignment(place)
        name, _, elements = self.r.choice(self.sums)
        return ["__syncthreads();", f"{self.r.choice(place.variables['u'])} += {name}[{self.leaf('u', place)} & {elements - 1}];", "__syncthreads();"]

    def barrier_vote(self, place):
        u = self.r.choice(place.variables["u"])
        return [f"{u} += u32(__syncthreads_{self.r.choice(['count', 'and', 'or'])}({self.condition(place)}));"]

    def global_exchange(self, place):
        w = self.r.choice(place.variables["u"])
        return ["__syncthreads();", f"mine[{self.own_place(128)}] = {self.expression('u', place, 1)};", "__syncthreads();", f"{w} ^= mine[{self.leaf('u', place)} & 127];", "__syncthreads();"]

    def local_words(self, place):
        if not self.local:
            return self.assignment(place)
        u = self.r.choice(place.variables["u"])
        return [f"words[{self.leaf('u', place)} & {self.local - 1}] {self.r.choice(['=', '+=', '^='])} {self.expression('u', place, 1)};", f"{u} += words[{self.leaf('u', place)} & {self.local - 1}];"]

    def call(self, place):
        """A function that is not inlined, with loops and an early return."""
        if len(self.functions) < 2 and (not self.functions or self.r.random() < .5):
            name = f"{self.name}_f{len(self.functions)}"
            inner = Place(2, "alone", None, {"u": ["a", "b"], **({"f": ["x"]} if "f" in self.kinds else {})})
            lines = []
            for _ in range(self.r.choice([1, 2, 3])):
                lines += self.r.choice([self.assignment, self.branch_alone, self.loop])(inner)
                if self.r.random() < .4:
                    lines.append(f"if ({self.condition(inner)}) return a;")
            self.functions.append((name, [f"__device__ __noinline__ u32 {name}(u32 a, u32 b, float x, const u32* in) {{", "const u32 t = a & 127, lane = b & 31;"] + lines + ["return a ^ b + bits_of(x);", "}"]))
        name = self.r.choice(self.functions)[0]
        x = self.r.choice(place.variables["f"]) if "f" in place.variables else "1.5f"
        return [f"{self.r.choice(place.variables['u'])} += {name}({self.leaf('u', place)}, {self.leaf('u', place)}, {x}, in);"]

    def branch_alone(self, place):
        return [f"if ({self.condition(place)}) {{"] + self.body(Place(place.depth - 1, "alone", None, place.variables)) + ["}"]

    def statement(self, place):
        choices = [(self.assignment, 6), (self.read_shared if self.shared and "sh" not in place.variables else self.assignment, 2)]
        if place.variables is self.variables:
            choices += [(self.own_words, 1), (self.add_up, 1), (self.local_words, 1)]
            if place.together == "block":
                choices += [(self.exchange, 3), (self.read_sums, .7), (self.barrier_vote, .5), (self.global_exchange, .5)]
            if place.together != "alone":
                choices += [(self.speak, 2.5)]
            choices += [(self.call, .5)]
        else:
            choices = [(self.assignment, 1)]
        if place.depth > 0:
            choices += [(self.branch, 2.5), (self.loop, 1.2), (self.switch, .5)]
        return self.r.choices([c for c, _ in choices], [w for _, w in choices])[0](place)

    def body(self, place, size=None):
        lines = []
        for _ in range(size or self.r.choice([1, 2, 2, 3, 4])):
            number = self.statements
            self.statements += 1
            if size is None and self.statements > self.size * 3:
                break
            these = self.statement(place)
            if number not in self.drop:
                lines += these
        return lines

    def text(self):
        r = self.r
        place = Place(3, "block", "full", self.variables)
        body = []
        while self.statements < self.size:
            body += self.body(place, 1)
        x, y = self.block
        lines = [f'extern "C" __global__ void __launch_bounds__({self.threads}) {self.name}(u32* out, const u32* in, u32* sums) {{',
                 f"const u32 t = threadIdx.x + threadIdx.y * {x}, lane = t & 31, warp = t / 32;" if y > 1 else "const u32 t = threadIdx.x, lane = t & 31, warp = t / 32;"]
        rest = self.threads % 32
        lines.append(f"const u32 full = warp == {self.threads // 32} ? {(1 << rest) - 1:#x}u : ~0u;" if rest else "const u32 full = ~0u;")
        lines.append(f"u32* const mine = out + {self.blocks * self.threads * self.words()} + blockIdx.x * 128;")
        for name, element, elements in self.shared:
            lines += [f"__shared__ {element} {name}[{elements}];"]
            zero = {"uint2": "make_uint2(i, t)", "uint4": "make_uint4(i, 1, 2, t)", "float4": "make_float4(i, 1, 2, 3)", "__half2": "__float2half2_rn(small(i))", "__half": "__float2half_rn(small(i))", "bf16": "__float2bfloat16_rn(small(i))"}.get(element, f"{element}(i)" if " " not in element else f"({element})i")
            lines += [f"for (u32 i = t; i < {elements}; i += {self.threads}) {name}[i] = {zero.replace(', t)', ', i)')};"]
        for name, words in self.own:
            lines += [f"__shared__ u32 {name}[{self.threads * words}];", f"for (u32 i = 0; i < {words}; ++i) {name}[t * {words} + i] = i;"]
        for name, operation, elements in self.sums:
            lines += [f"__shared__ u32 {name}[{elements}];", f"for (u32 i = t; i < {elements}; i += {self.threads}) {name}[i] = i * 77;"]
        lines += ["for (u32 i = t; i < 128; i += %d) mine[i] = i;" % self.threads, "__syncthreads();"]
        if self.local:
            lines += [f"u32 words[{self.local}];", f"for (u32 i = 0; i < {self.local}; ++i) words[i] = i * t;"]
        for kind, names in self.variables.items():
            for n, v in enumerate(names):
                word = f"in[(t * {r.randrange(1, 64)} + blockIdx.x * {r.randrange(999)} + {r.randrange(4096)}) & 4095]"
                value = {"u": word, "i": f"int({word})", "f": f"small({word})", "l": f"u64({word}) * 0x9e3779b97f4a7c15ull", "d": f"double(small({word})) * 1.1", "h": f"__float2half_rn(small({word}))", "p": f"__floats2half2_rn(small({word}), small({word} >> 12))", "b": f"__float2bfloat16_rn(small({word}))"}[kind]
                lines.append(f"{TYPES[kind]} {v} = {value};")
        if self.local:
            pass
        lines += body
        lines.append("__syncthreads();")
        w = self.words()
        lines.append(f"u32* const to = out + (blockIdx.x * {self.threads} + t) * {w};")
        n = 0
        for names in self.variables.values():
            for v in names:
                lines.append(f"to[{n}] = bits_of({v});")
                n += 1
        for name, _ in self.own:
            lines.append(f"to[{n}] = own[t];")
            n += 1
        if self.local:
            lines.append(f"to[{n}] = words[t & {self.local - 1}];")
            n += 1
        for name, _, elements in self.sums:
            lines.append(f"to[{n}] = {name}[t & {elements - 1}];")
            n += 1
        lines.append("}")
        functions = [line for _, f in self.functions for line in f + [""]]
        return "\n".join(indented(functions + lines)) + "\n"

    def words(self):
        return sum(map(len, self.variables.values())) + len(self.own) + (self.local != 0) + len(self.sums)

    def total_words(self):
        return self.blocks * (self.threads * self.words() + 128)


def indented(lines):
    depth = 0
    for line in lines:
        if line.startswith("}"):
            depth -= 1
        yield "  " * depth + line if line and not line.startswith("#") else line
        if line.endswith("{"):
            depth += 1


def head():
    r = random.Random("table")
    return HEAD % ", ".join(f"{r.getrandbits(32):#x}u" for _ in range(64)) + PTX


def row(file, p):
    return f"{file} {p.name} {p.blocks} {p.block[0]} {p.block[1]} {p.total_words()}"


def write_file(folder, begin, end):
    """Writes a file, and returns its rows."""
    file, rows = f"p{begin:06}", []
    with open(os.path.join(folder, file + ".cu"), "w") as f:
        f.write(head())
        for number in range(begin, end):
            p = Program(number)
            f.write("\n" + p.text())
            rows.append(row(file, p) + "\n")
    return rows


def write(folder, first, count, jobs=1, each=50):
    os.makedirs(folder, exist_ok=True)
    begins = range(first, first + count, each)
    with concurrent.futures.ProcessPoolExecutor(jobs) as pool, open(os.path.join(folder, "programs.list"), "w") as rows:
        for some in pool.map(write_file, [folder] * len(begins), begins, [min(b + each, first + count) for b in begins]):
            rows.writelines(some)


def main():
    write(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), each=int(sys.argv[sys.argv.index("--file") + 1]) if "--file" in sys.argv else 50)


if __name__ == "__main__":
    main()
