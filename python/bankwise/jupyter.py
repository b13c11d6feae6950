"""%%bankwise: a cell of CUDA C++, executed on the CPU, and what its shared memory costs.

    %load_ext bankwise

    %%bankwise --grid 8,8 --block 32,8 --arg out --arg numbers --arg 256
    __global__ void transpose(float* out, const float* in, int n) { ... }

The flags are those of `bankwise run`. The word of an --arg may be a variable of the notebook, an array or a number; arrays get
what the kernel leaves in them. --into NAME keeps the report.
"""
import argparse
import shlex

from . import _run
from ._errors import Error


class _Parser(argparse.ArgumentParser):
    def error(self, message):
        raise Error("%%bankwise: " + message, hint=self.format_usage().strip())


def _triple(text):
    return tuple(int(n) for n in text.replace("x", ",").split(","))


def parser():
    p = _Parser(prog="%%bankwise", add_help=False, allow_abbrev=False)
    p.add_argument("-k", "--kernel")
    p.add_argument("--grid", type=_triple, default=(1,))
    p.add_argument("--block", type=_triple, default=(32,))
    p.add_argument("--shared", type=int, default=0)
    p.add_argument("--arg", action="append", default=[])
    p.add_argument("--arch")
    p.add_argument("--array", action="append")
    p.add_argument("--fix", action="store_true")
    p.add_argument("--counts", action="store_true")
    p.add_argument("--check")
    p.add_argument("--into")
    p.add_argument("--nvcc", nargs=argparse.REMAINDER)
    return p


def run_cell(line, cell, names):
    """The report of a cell. `names`: the variables of the notebook, by name."""
    asked = parser().parse_args(shlex.split(line))
    arguments = [names.get(word, word) for word in asked.arg]
    report = _run.run("\n" + cell, asked.kernel, asked.grid, asked.block, arguments, shared=asked.shared, arch=asked.arch,
                      array=asked.array, fix=asked.fix, counts=asked.counts, check=asked.check, nvcc=asked.nvcc)
    if asked.into:
        names[asked.into] = report
    if report.output:
        print(report.output, end="")
    return report


def register(shell):
    """Gives an IPython shell the magic."""

    def bankwise(line, cell):
        return run_cell(line, cell, shell.user_ns)

    shell.register_magic_function(bankwise, magic_kind="cell", magic_name="bankwise")
