"""Counts what every shared-memory access of a CUDA kernel costs, line by line, as the hardware counts it. No GPU is needed.

>>> import bankwise
>>> bankwise.explain("tile[t][0]", array="float tile[32][32]").wavefronts
32

explain() is for one access, predict() for many, fix() for an array's layout, run() for a kernel, run_program() for a whole program,
timeline() for what it does and when. time_many() predicts the times of many launches, and tune() orders configurations by time. `testing` is for pytest, `triton` for
kernels of Triton, and `%load_ext bankwise` for notebooks. Errors are raised as bankwise.Error. `python3 -m bankwise` runs the program.
"""
import json as _json

from . import _native
from ._access import Access, GlobalAccess, explain
from ._batch import LaunchTime, time_many
from ._errors import Error
from ._fix import Fix, Layout, fix
from ._predictions import Predictions, predict
from ._report import Finding, GlobalLine, GlobalSite, Hazard, Launch, Line, Report, Site, Time, read_report
from ._run import run, run_program
from ._timeline import Operation, Part, Timeline, timeline
from ._tune import Tuned, tune
from .testing import assert_faster

__version__ = _json.loads(_native.ask("vocabulary", b""))["version"]
__all__ = ["Access", "Error", "Finding", "Fix", "GlobalAccess", "GlobalLine", "GlobalSite", "Hazard", "Launch", "LaunchTime", "Layout", "Line",
           "Operation", "Part", "Predictions", "Report", "Site", "Time", "Timeline", "Tuned", "assert_faster", "explain", "fix", "predict",
           "read_report", "run", "run_program", "time_many", "timeline", "tune"]


def load_ipython_extension(shell):
    """Adds the magic %%bankwise to the notebook. IPython calls this function for %load_ext bankwise."""
    from . import jupyter

    jupyter.register(shell)
