"""%%bankwise executes a cell of CUDA C++ on the CPU, and reports the cost of the kernel's shared-memory accesses.

    %load_ext bankwise

    %%bankwise --grid 8,8 --block 32,8 --arg out --arg numbers --arg 256
    __global__ void transpose(float* out, const float* in, int n) { ... }

The flags are the flags of `bankwise run` for one kernel. An --arg may name a variable of the notebook. The variable contains an array or
a number. The kernel writes its results into arrays. --into NAME stores the report in the variable NAME. Line numbers count from the
beginning of the cell.
"""
import argparse
import shlex

from . import _run
from ._errors import Error, printable


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
    p.add_argument("--cluster", type=_triple)
    p.add_argument("--cooperative", action="store_true")
    p.add_argument("--shared", type=int, default=0)
    p.add_argument("--arg", action="append", default=[])
    p.add_argument("--arch")
    p.add_argument("--array", action="append")
    p.add_argument("--fix", action="store_true")
    p.add_argument("--counts", action="store_true")
    p.add_argument("--check")
    p.add_argument("--time", type=float)
    for name in ("--ctas", "--seed", "--threads"):
        p.add_argument(name, type=int)
    p.add_argument("--into")
    p.add_argument("--nvcc", nargs=argparse.REMAINDER)
    return p


def run_cell(line, cell, names):
    """Returns the report of a cell. `names`: a dictionary of the notebook's variables."""
    try:
        words = shlex.split(line)
    except ValueError as why:
        raise Error("%%bankwise: {}".format(why)) from None
    asked = vars(parser().parse_args(words))
    arguments = []
    for word in asked.pop("arg"):
        if word.isidentifier() and word not in names:
            raise Error("--arg {}: the notebook has no variable with this name".format(word))
        arguments.append(names.get(word, word))
    into = asked.pop("into")
    report = _run.run("\n" + cell, args=arguments, **asked)
    if into:
        names[into] = report
    if report.output:
        print(report.output, end="")
    return report


def register(shell):
    """Adds the magic to an IPython shell."""

    def bankwise(line, cell):
        try:
            return run_cell(line, cell, shell.user_ns)
        except Error as error:
            # IPython calls this method, so that an error in the cell is shown without bankwise's own code.
            error._render_traceback_ = printable(str(error)).splitlines
            raise

    shell.register_magic_function(bankwise, magic_kind="cell", magic_name="bankwise")
