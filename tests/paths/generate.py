#!/usr/bin/env python3
"""Writes kernels whose warps diverge in every way that CUDA C++ has, a file for each family.

    generate.py FOLDER      branches.cu, loops.cu, ... : 1,000 kernels in all, always the same

Every kernel is NAME(uint32_t* out, uint32_t seed, uint32_t some). Conditions come from a hash of the thread's index, so
that the lanes of a warp differ. Most conditions are used more than once, so that the compiler threads jumps through its
convergence barriers. Each step changes a hash, which is the thread's result, out[thread]. Sums that do not depend on an
order follow. The kernels of `turns` write the order of their paths instead.
"""
import os
import random
import sys

BLOCK_CHOICES = [32, 32, 32, 64, 48, 96, 128]
SUMS = 8

HEAD = """// Made by tests/paths/generate.py.
#include <cstdint>
using u32 = uint32_t;

__device__ __forceinline__ u32 hash(u32 v) {
  v ^= v >> 16, v *= 0x7feb352du, v ^= v >> 15, v *= 0x846ca68bu;
  return v ^ v >> 16;
}
"""

# family -> number of kernels, weights of statements, and what else the family may generate
FAMILIES = {
    "branches": (130, {}),
    "loops": (120, {"loop": 3}),
    "returns": (80, {"loop": 1.5, "return": 2}),
    "gotos": (110, {"loop": 1.5, "goto": 3}),
    "switches": (80, {"switch": 3, "loop": 1}),
    "votes": (100, {"vote": 3, "loop": 1.5, "return": 0.3}),
    "syncs": (100, {"sync": 4, "both": 2, "loop": 1, "vote": 0.5}),
    "calls": (80, {"call": 3, "loop": 1, "return": 0.3}),
    "pointers": (10, {"call": 3, "pointer": 1, "loop": 0.5}),
    "barriers": (50, {"barrier": 4, "loop": 1, "return": 0.4}),
    "mixed": (100, {"loop": 1, "return": 0.5, "goto": 1, "switch": 0.7, "vote": 1, "sync": 1, "both": 0.5, "call": 1}),
    "split_barriers": (20, {"both": 3, "barrier": 2, "loop": 0.5}),
    "turns": (20, {"loop": 1, "return": 0.3, "goto": 0.5, "vote": 0.3, "sync": 1, "both": 0.5}),
}


class Place:
    """The state at this place of the kernel: which statements may be generated."""

    def __init__(self, depth, whole, loop=None, uniform_loop=False, kernel=True, sealed=False):
        self.depth = depth          # number of levels by which statements may still be nested
        self.whole = whole          # whether all lanes that have not ended arrive here together
        self.loop = loop            # a divergent loop that lanes may leave
        self.kernel = kernel        # not a function
        self.sealed = sealed        # whether lanes must not leave, because other lanes wait for them

    def inside(self, **other):
        p = Place(self.depth - 1, self.whole, self.loop, kernel=self.kernel, sealed=self.sealed)
        for name, value in other.items():
            setattr(p, name, value)
        return p


class Kernel:
    def __init__(self, family, number):
        self.r = random.Random(f"{family} {number}")
        self.family = family
        self.name = f"{family}_{number:03}"
        self.weights = FAMILIES[family][1]
        self.labels = 0
        self.pending = []           # labels that lanes may jump to, all after the current position
        self.serial = 0
        self.functions = []
        self.can_return = "return" in self.weights
        self.turns = family == "turns"

    # --- values
    def number(self):
        return f"{self.r.getrandbits(32) | 1:#010x}u"

    def next(self):
        self.serial += 1
        return self.serial

    def term(self):
        r = self.r
        k = r.random()
        if k < 0.55:  # a, b, c and d are fields of the first hash, and do not change; the hash x changes at each step
            f = r.choice("abcd")
            top = 4 if f in "ab" else 8
            return r.choice([f"{f} == {r.randrange(top)}", f"{f} < {r.randrange(1, top)}", f"{f} != {r.randrange(top)}",
                             f"{f} & {r.choice([1, 2])}" if top == 4 else f"{f} & {r.choice([1, 2, 4])}"])
        if k < 0.75:
            return f"(x >> {r.randrange(28)} & {r.choice([1, 3, 7])}) {r.choice(['==', '!=', '<='])} {r.randrange(2)}"
        if k < 0.85:
            return f"lane {r.choice(['<', '>=', '==', '!='])} {r.randrange(1, 31)}"
        if k < 0.93:
            return f"a {r.choice(['==', '<', '>'])} b"
        return self.uniform_term()

    def uniform_term(self):
        return self.r.choice(["some > 3", "some & 2", "blockIdx.x & 1", "threadIdx.x >> 5 & 1", "some == 5"])

    def condition(self):
        k = self.r.random()
        if k < 0.6:
            return self.term()
        if k < 0.75:
            return f"({self.term()}) && ({self.term()})"
        if k < 0.9:
            return f"({self.term()}) || ({self.term()})"
        if k < 0.95:
            return f"(({self.term()}) && ({self.term()})) || ({self.term()})"
        return f"!({self.term()}) && (({self.term()}) || ({self.term()}))"

    # --- statements
    def mark(self):
        r = self.r
        if self.turns:
            return f"turn(v, out, {self.next()}); x = x * {self.number()} + {self.number()};"
        k = r.random()
        if k < 0.45:
            return f"s[t] += x; x = x * {self.number()} + {self.number()};"
        if k < 0.6:
            return f"x = s[t] ^ hash(x + {self.number()});"
        if k < 0.75:
            return f"out[g] = x; x = x * {self.number()} + {self.number()};"
        if k < 0.85:
            return f"atomicAdd(&sums[{r.randrange(SUMS)}], x & 255); x += {self.number()};"
        if k < 0.9:
            return f"atomicAdd(&n[{r.randrange(4)}], 1); x ^= {self.number()};"
        return f"x = x * {self.number()} + {self.number()}; x ^= x >> {r.randrange(5, 20)};"

    def block(self, p, most=4):
        lines = []
        for _ in range(self.r.randrange(1, most + 1)):
            lines += self.statement(p)
        return lines

    def braces(self, head, body):
        return [head + " {"] + ["  " + line for line in body] + ["}"]

    def statement(self, p):
        w = {"mark": 2.5}
        if p.depth > 0:
            w["if"] = 4
            w["loop"] = self.weights.get("loop", 0)
            w["switch"] = self.weights.get("switch", 0)
            if p.whole and not self.pending:
                w["both"] = self.weights.get("both", 0)
                w["uniform_loop"] = 0.3 * (self.weights.get("sync", 0) + self.weights.get("barrier", 0))
                w["uniform_if"] = 0.2
            if "goto" in self.weights and not p.sealed:
                w["label"] = self.weights["goto"] * 0.6
        if "vote" in self.weights:
            w["vote"] = self.weights["vote"]
        if "sync" in self.weights:
            w["some_sync"] = 0.3 * self.weights["sync"]
            if p.whole and not self.pending:
                w["sync"] = self.weights["sync"]
        if "barrier" in self.weights and p.whole and not self.pending:
            w["barrier"] = self.weights["barrier"]
        if "call" in self.weights and p.kernel:
            w["call"] = self.weights["call"]
        if not p.whole:
            if p.loop:
                w["break"], w["continue"] = 0.6, 0.4
            if self.can_return and not p.sealed:
                w["return"] = 0.4 * self.weights["return"]
            if self.pending:
                w["goto"] = self.weights["goto"]
        kinds = [k for k in w if w[k] > 0]
        return getattr(self, "write_" + self.r.choices(kinds, [w[k] for k in kinds])[0])(p)

    def write_mark(self, p):
        return [self.mark() for _ in range(self.r.choice([1, 1, 2, 3]))]

    def write_if(self, p):
        inner = p.inside(whole=False)
        lines = self.braces(f"if ({self.condition()})", self.block(inner))
        if self.r.random() < 0.5:
            lines[-1] = "} else {"
            lines += ["  " + line for line in self.block(inner)] + ["}"]
        return lines

    def write_uniform_if(self, p):
        return self.braces(f"if ({self.r.choice(['some > 3', 'some & 2', 'blockIdx.x & 1'])})", self.block(p.inside()))

    def write_loop(self, p):
        i, r = f"i{self.next()}", self.r
        body = self.block(p.inside(whole=False, loop=True), 3)
        kind = r.randrange(4)
        trips = r.choice(["a", "b + 1", "c", "x & 3", "(x >> 9 & 3) + 1", "d", str(r.randrange(2, 5))])
        if kind == 0:
            return ["#pragma unroll 1"] + self.braces(f"for (u32 {i} = 0; {i} < ({trips}); ++{i})", body)
        if kind == 1:
            return self.braces("", [f"u32 {i} = {trips};", "#pragma unroll 1"] + self.braces(f"while ({i}-- != 0)", body))
        if kind == 2:  # another exit
            return (["#pragma unroll 1"] + self.braces(f"for (u32 {i} = 0;; ++{i})",
                    [f"if ({i} == {r.randrange(2, 7)}) break;"] + body + [f"if ({self.condition()}) break;", self.mark()]))
        return self.braces("", [f"u32 {i} = 0;", "#pragma unroll 1", "do {"] + ["  " + line for line in body] +
                           [f"}} while (++{i} < {r.randrange(2, 7)} && ({self.condition()}));"])

    def write_uniform_loop(self, p):
        i = f"i{self.next()}"
        return ["#pragma unroll 1"] + self.braces(f"for (u32 {i} = 0; {i} < {self.r.choice(['some', '3', '2'])}; ++{i})",
                                                  self.block(p.inside(loop=None)))

    def write_switch(self, p):
        r = self.r
        value = r.choice(["a", "c", "d", "c", "d", "x >> 11 & 7", "x >> 3 & 15"])
        top = 4 if value == "a" else 16 if value.endswith("15") else 8
        lines = []
        for case in range(top):
            if r.random() < 0.2:
                continue
            # In the body, `continue` would refer to the outer loop, but `break` would not. So the body contains neither
            # of them.
            body = self.block(p.inside(whole=False, loop=None, depth=min(p.depth - 1, 1)), 2)
            lines += [f"case {case}:"] + ["  " + b for b in self.braces("", body)] + ([] if r.random() < 0.3 else ["  break;"])
        if r.random() < 0.6:
            lines += ["default:", "  " + self.mark()]
        return self.braces(f"switch ({value})", lines)

    def write_label(self, p):
        label = f"l{self.next()}"
        self.pending.append(label)
        body = self.block(p.inside(whole=False), 4)
        self.pending.remove(label)
        return [f"if ({self.condition()}) goto {label};"] * (self.r.random() < 0.7) + body + [f"{label}:", self.mark()]

    def write_goto(self, p):
        return [f"if ({self.condition()}) goto {self.r.choice(self.pending)};"]

    def write_break(self, p):
        return [f"if ({self.condition()}) break;"] if self.r.random() < 0.6 else self.braces(
            f"if ({self.condition()})", [self.mark(), self.mark(), "break;"])

    def write_continue(self, p):
        return [f"if ({self.condition()}) continue;"] if self.r.random() < 0.6 else self.braces(
            f"if ({self.condition()})", [self.mark(), "continue;"])

    def write_return(self, p):
        leave = f"out[g] = x + {self.number()}; return;" if p.kernel else f"return x + {self.number()};"
        if self.turns:
            leave = "return;"
        return self.braces(f"if ({self.condition()})", [self.mark(), leave])

    def write_vote(self, p):
        m = f"m{self.next()}"
        now = f"{{ u32 {m} = __activemask();"
        return [self.r.choice([
            f"x += __activemask() * {self.number()};",
            f"x ^= __popc(__activemask()) * {self.number()};",
            f"{now} x += __ballot_sync({m}, {self.condition()}) * {self.number()}; }}",
            f"{now} if (__any_sync({m}, {self.condition()})) {{ {self.mark()} {self.mark()} }} }}",
            f"{now} if (__all_sync({m}, {self.condition()})) {{ {self.mark()} {self.mark()} }} }}",
            f"{now} x = x * 5 + __shfl_sync({m}, x, __ffs({m}) - 1); }}",
            f"{now} x ^= __match_any_sync({m}, x & 3) * {self.number()}; }}",
            f"{now} x += __reduce_add_sync({m}, x) ^ {self.number()}; }}",
            f"x -= __activemask() >> 3;",
            f"__nanosleep(x & 31); x += __activemask();",
        ])]

    def write_some_sync(self, p):
        m = f"m{self.next()}"
        return [self.r.choice([f"__syncwarp(__activemask());", f"{{ u32 {m} = __activemask(); {self.mark()} __syncwarp({m}); }}"])]

    def full_sync(self):
        r = self.r
        choices = ["__syncwarp();"] * 3
        choices += [f"x += __activemask() * {self.number()};"]
        if not self.can_return and not self.turns:
            choices += [f"x += __shfl_xor_sync(~0u >> (32 - width), x, {r.choice([1, 2, 4, 8])});",
                        f"x ^= __ballot_sync(~0u >> (32 - width), {self.term()});",
                        f"x += __shfl_down_sync(~0u >> (32 - width), x, {r.randrange(1, 8)});"]
        return choices

    def write_sync(self, p):
        return [self.r.choice(self.full_sync())]

    def write_barrier(self, p):
        r = self.r
        return [r.choice(["__syncthreads();"] * 3 + [f"x += __syncthreads_count({self.term()}) * {self.number()};",
                                                     f"x ^= __syncthreads_or({self.term()});",
                                                     f"x += __activemask() * {self.number()};"])]

    def write_both(self, p):
        # Lanes wait for each other at two instructions.
        meet = "__syncwarp();"
        if "barrier" in self.weights:
            meet = self.r.choice(["__syncthreads();", 'asm volatile("barrier.sync 0;" ::: "memory");'])
        side = p.inside(whole=False, loop=None, sealed=True, depth=min(p.depth - 1, 1))
        sides = [self.block(side, 2) + [meet] + self.block(side, 2) for _ in range(2)]
        lines = self.braces(f"if ({self.condition()})", sides[0])
        return lines[:-1] + ["} else {"] + ["  " + line for line in sides[1]] + ["}"]

    def write_call(self, p):
        if not self.functions or (len(self.functions) < 3 and self.r.random() < 0.4):
            self.write_function()
        r = self.r
        f = r.choice(self.functions)
        if len(self.functions) > 1 and "pointer" in self.weights:
            g = r.choice([h for h in self.functions if h != f])
            i = self.next()
            return [f"{{ u32 (*f{i})(u32, volatile u32*, u32*, u32, u32*) = {self.condition()} ? {f} : {g};",
                    f"  x = f{i}(x, s, out, g, sums); }}"]
        return [f"x = {f}(x, s, out, g, sums);"]

    def write_function(self):
        name = f"{self.name}_f{len(self.functions)}"
        pending, self.pending = self.pending, []
        can_return, self.can_return = self.can_return, True
        before, self.weights = self.weights, {**self.weights, "return": 0.8}
        body = self.block(Place(2, False, kernel=False), 3)
        self.pending, self.can_return, self.weights = pending, can_return, before
        text = self.braces(f"__device__ __noinline__ u32 {name}(u32 x, volatile u32* s, u32* out, u32 g, u32* sums)",
                           ["__shared__ u32 n[4];", "const u32 t = threadIdx.x, lane = t & 31, some = 5;",
                            "const u32 a = x >> 1 & 3, b = x >> 4 & 3, c = x >> 7 & 7, d = x >> 13 & 7;"] + body +
                           ["return x;"])
        self.functions.append(name)
        self.texts = getattr(self, "texts", []) + text

    def text(self):
        r = self.r
        threads = 32 if self.turns else r.choice(BLOCK_CHOICES)
        grid = 1 if self.turns else r.choice([1, 1, 2, 3])
        some = r.choice([2, 3, 4, 5, 6])
        seed = r.getrandbits(32)
        depth = r.choice([2, 2, 3, 3, 4])
        body = []
        while True:
            body += self.statement(Place(depth, True))
            if len(body) >= r.randrange(8, 25):
                break
        head = f'extern "C" __global__ void {self.name}(u32* out, u32 seed, u32 some)'
        first = [f"const u32 t = threadIdx.x, g = blockIdx.x * {threads} + t, lane = t & 31, width = min(32u, {threads} - (t & ~31u));",
                 f"__shared__ volatile u32 s[{threads}];", "__shared__ u32 n[4];",
                 f"u32* const sums = out + {threads * grid};",
                 "u32 x = hash(seed + g);",
                 "const u32 a = x & 3, b = x >> 2 & 3, c = x >> 4 & 7, d = x >> 7 & 7;"]
        if self.turns:
            first += ["__shared__ volatile u32 v[1];", "v[0] = 0;", "__syncwarp();"]
            last = []
        else:
            first += ["s[t] = x;"]
            last = ["out[g] = x ^ s[t];"]
        words = 512 if self.turns else threads * grid + SUMS
        text = getattr(self, "texts", []) + self.braces(head, first + body + last)
        return "\n".join(text) + "\n", f"{self.name} {grid} {threads} {seed} {some} {words}"


TURN = """
// The order in which paths come: a word for each turn.
__device__ __forceinline__ void turn(volatile u32* v, u32* out, u32 place) {
  const u32 now = v[0];
  v[0] = now + 1;
  out[now & 511] = place;
}
"""


def main():
    folder = sys.argv[1]
    with open(os.path.join(folder, "paths.list"), "w") as listed:
        for family, (count, _) in FAMILIES.items():
            with open(os.path.join(folder, family + ".cu"), "w") as f:
                f.write(HEAD + (TURN if family == "turns" else ""))
                for n in range(count):
                    text, row = Kernel(family, n).text()
                    f.write("\n" + text)
                    listed.write(f"{family} {row}\n")


main()
