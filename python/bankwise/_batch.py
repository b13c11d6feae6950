"""Predicts the times of many launches at once: in one process on all cores, or on the workers of an executor."""
import dataclasses
import json
import os
import re
import shlex
import subprocess
import tempfile
import typing

from . import _program
from ._compiled import code_of
from ._document import Document, from_document
from ._errors import Error, raises_errors
from ._run import Arguments, _file_of, _whole

LISTED = "launches.jsonl"
FOLDER = "\x1abankwise-folder\x1a/"  # stands for the folder of a launch's files until a worker has made one
PATHS = "paths"  # in this folder, a worker writes the caller's files below their own paths
MOST_OF_CHUNK = 8  # launches that a worker takes at once


@dataclasses.dataclass(frozen=True)
class LaunchTime(Document):
    """The predicted time of one launch, as `bankwise run --batch` prints it.

    >>> time, = bankwise.time_many([(examples + "/transpose.cubin", "transpose_plain", (64, 64), (32, 8), ["out:f32[4M]", "f32[4M]=iota", 2048])])
    >>> time.bound, time.registers, time.trusted, time.microseconds_low < time.microseconds < time.microseconds_high
    ('the pipe of shared memory and L1', 28, True, True)
    """

    kernel: str
    gpu: str
    caches: str = dataclasses.field(default="cold", repr=False)  #: "cold" or "warm"
    microseconds: typing.Optional[float] = None  #: None if the prediction was stopped
    microseconds_low: typing.Optional[float] = dataclasses.field(default=None, repr=False)
    microseconds_high: typing.Optional[float] = dataclasses.field(default=None, repr=False)
    cycles: typing.Optional[int] = dataclasses.field(default=None, repr=False)  #: elapsed cycles
    bound: str = ""  #: what bounds the time, in words
    registers: int = dataclasses.field(default=0, repr=False)  #: of each thread
    shared_bytes: int = dataclasses.field(default=0, repr=False)  #: of each block
    occupancy: int = dataclasses.field(default=0, repr=False)  #: warps of the resident blocks, in percent of those that fit; 0 if stopped
    limited_by: str = dataclasses.field(default="", repr=False)  #: what limits the occupancy
    trusted: bool = False  #: whether the model was compared with launches of this kind on this GPU
    doubts: typing.Tuple[str, ...] = dataclasses.field(default=(), repr=False)  #: why the time is not trusted
    stopped: bool = dataclasses.field(default=False, repr=False)  #: whether the launch takes longer than stop_above
    microseconds_above: typing.Optional[float] = dataclasses.field(default=None, repr=False)  #: the least time of a stopped launch
    _document: dict = dataclasses.field(default_factory=dict, repr=False, compare=False)


# The keys of a launch that have a flag with another name, or a value that must be converted.
_CONVERT = {"grid": lambda v: _numbers(v), "block": lambda v: _numbers(v), "cluster": lambda v: _numbers(v),
            "shared": int, "stack": int, "cooperative": bool, "nvcc": lambda v: shlex.split(v) if isinstance(v, str) else list(v)}
_NAMES = ("source", "kernel", "grid", "block", "args")  # of a launch that is a tuple
_KEYS = {*_NAMES, "shared", "stack", "cluster", "cooperative", "arch", "nvcc", "gpu", "caches", "stop_above"}


def _numbers(value):
    return [int(_whole(n)) for n in value] if isinstance(value, (tuple, list)) else int(_whole(value))


def named(launch):
    """Returns a launch as a dictionary with the names of the parameters of run()."""
    if isinstance(launch, dict):
        wrong = [key for key in launch if key not in _KEYS]
        if wrong:
            raise Error("a launch has no {!r}".format(wrong[0]), hint="the keys are " + ", ".join(sorted(_KEYS)))
        given = dict(launch)
    elif isinstance(launch, (tuple, list)) and 1 <= len(launch) <= len(_NAMES):
        given = dict(zip(_NAMES, launch))
    else:
        raise Error("a launch is a tuple (source, kernel, grid, block, args) or a dictionary, not {!r}".format(launch))
    if given.get("source") is None:
        raise Error("a launch has no source")
    return given


def _identity(value):
    """A key that is equal for equal numbers and texts, and for the same object."""
    if isinstance(value, (bool, int, float, str, bytes, type(None))):
        return type(value), value
    return id(value)


class _Packing:
    """Writes the files of launches into a folder. Launches with the same source or arguments share their files."""

    def __init__(self, folder):
        self.folder = folder
        self._known = {}

    def _kept(self, thing, key, make):
        if key not in self._known:
            folder = tempfile.mkdtemp(dir=self.folder)
            self._known[key] = (thing, make(folder))  # keeps the thing alive, so that its id stays its own
        return self._known[key][1]

    def line(self, launch):
        """The line of the list for a launch."""
        given = named(launch)
        code, kernel, nvcc = code_of(given.pop("source"))
        line = {"file": self._kept(code, _identity(code), lambda folder: _file_of(code, folder))}
        args = given.pop("args", None)
        if args is not None:
            key = tuple(map(_identity, args)) if isinstance(args, (list, tuple)) else _identity(args)
            line["args"] = self._kept(args, ("args", key), lambda folder: Arguments(args, folder).words)
        if kernel is not None:
            given.setdefault("kernel", kernel)
        for name, value in given.items():
            if value is not None:
                line[name] = _CONVERT[name](value) if name in _CONVERT else value
        if nvcc:
            line["nvcc"] = [*nvcc, *line.get("nvcc", [])]
        return line


def _answers(folder, lines, jobs):
    """Runs the program on these lines, and returns its answers."""
    listed = os.path.join(folder, LISTED)
    with open(listed, "w") as out:
        out.writelines(json.dumps(line) + "\n" for line in lines)
    done = subprocess.run([_program.path(), "run", "--batch", listed, *(["--jobs={}".format(jobs)] if jobs else [])],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                          env=dict(os.environ, BANKWISE_ERRORS="json", BANKWISE_WORDS="python"))
    # Not splitlines(), because texts may contain U+2028 and U+0085, which JSON need not escape.
    answers = [json.loads(line) for line in done.stdout.decode().split("\n") if line]
    if len(answers) != len(lines):
        raise _program.error_of(done.returncode, done.stderr.decode(errors="replace"))
    return answers


@dataclasses.dataclass(frozen=True)
class _Chunk:
    """Launches with the contents of their files, for a worker that may be on another machine."""

    files: typing.Dict[str, bytes]
    lines: typing.List[str]  # each is JSON, with FOLDER instead of the folder
    jobs: int

    def answers(self):
        with tempfile.TemporaryDirectory(prefix="bankwise-") as folder:
            for name, contents in self.files.items():
                os.makedirs(os.path.join(folder, os.path.dirname(name)), exist_ok=True)
                with open(os.path.join(folder, name), "wb") as out:
                    out.write(contents)
            lines = [_each_text(json.loads(line), lambda text: text.replace(FOLDER, folder + os.sep)) for line in self.lines]
            return [_without(folder, answer) for answer in _answers(folder, lines, self.jobs)]


def _each_text(value, change):
    """Returns a copy of a JSON value, in which each text is changed."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [_each_text(one, change) for one in value]
    if isinstance(value, dict):
        return {key: _each_text(one, change) for key, one in value.items()}
    return value


def _without(folder, answer):
    """Returns the answer with the names of files as the caller knows them: paths of its own, or names without a folder."""
    own = os.path.join(folder, PATHS)
    inside = re.compile(re.escape(folder) + "/(?:[^/\\s]+/)?")
    return _each_text(answer, lambda text: inside.sub("", text.replace(own, "")))


def answers_of_chunk(chunk):
    """What a worker of an executor does."""
    return chunk.answers()


def _chunk_of(lines, folder, jobs):
    """Packs lines and the files that they name. Compiled files outside of the folder are also packed. A source stays where it is,
    because it may include other files."""
    files = {}

    def packed(text):
        at = text.find(folder + os.sep)
        if at >= 0:
            name = text[at + len(folder) + 1:]
            if name not in files:
                with open(os.path.join(folder, name), "rb") as contents:
                    files[name] = contents.read()
        return text.replace(folder + os.sep, FOLDER)

    def packed_file(path):
        if path.startswith(folder + os.sep) or path.endswith((".cu", ".ptx")):
            return packed(path)
        name = PATHS + path
        if name not in files:
            try:
                with open(path, "rb") as contents:
                    files[name] = contents.read()
            except OSError:
                return path  # the worker's answer is then the error
        return FOLDER + name

    texts = []
    for line in lines:
        line = dict(line, file=packed_file(line["file"]))
        if "args" in line:
            line["args"] = [packed(word) for word in line["args"]]
        texts.append(json.dumps(line))
    return _Chunk(files, texts, jobs)


def _over(executor, chunks):
    """Gives the chunks to the workers. Returns their answers in the order of the chunks."""
    if hasattr(executor, "submit"):
        futures = [executor.submit(answers_of_chunk, chunk) for chunk in chunks]
        return [future.result() for future in futures]
    if hasattr(executor, "map"):
        return list(executor.map(answers_of_chunk, chunks))
    raise Error("executor is a {}, which has neither submit() nor map()".format(type(executor).__name__))


def _result(answer):
    if "error" not in answer:
        words = {"bound": answer["bound_words"]} if "bound_words" in answer else {}
        return from_document(LaunchTime, {**answer, **words}, _document={k: v for k, v in answer.items() if k != "line"})
    why = dict(answer["error"])
    if os.path.basename(why.get("file", "")) == LISTED:
        why.update(file="", line=0, column=0, source_line="")
    return Error(**why)


def times_of(launches, defaults, executor, jobs):
    """Returns a LaunchTime or an Error for each launch. An Exception among the launches stays where it is."""
    with tempfile.TemporaryDirectory(prefix="bankwise-") as folder:
        folder = os.path.realpath(folder)
        packing = _Packing(folder)
        results, lines, places = [], [], []
        for launch in launches:
            try:
                if isinstance(launch, Exception):
                    raise launch
                lines.append({**defaults, **packing.line(launch)})
                places.append(len(results))
                results.append(None)
            except Error as why:
                results.append(why)
            except (TypeError, ValueError, OverflowError) as why:
                results.append(Error("this launch cannot be read: {}".format(why)))
        if executor is None:
            found = [_without(folder, answer) for answer in _answers(folder, lines, jobs)] if lines else []
        else:
            workers = getattr(executor, "_max_workers", None) or os.cpu_count() or 1
            size = max(1, min(MOST_OF_CHUNK, -(-len(lines) // (4 * workers))))
            chunks = [_chunk_of(lines[at:at + size], folder, jobs or 1) for at in range(0, len(lines), size)]
            found = [answer for answers in _over(executor, chunks) for answer in answers]
    for place, answer in zip(places, found):
        results[place] = _result(answer)
    return results


@raises_errors
def time_many(launches, *, gpu=None, caches=None, stop_above=None, executor=None, jobs=None):
    """Predicts the times of many launches, and returns a LaunchTime for each of them, in the same order. If a launch cannot be predicted,
    its place has the Error, which is not raised.

    `launches`: tuples (source, kernel, grid, block, args), or dictionaries with these keys and, if needed, shared, stack, cluster,
    cooperative, arch, nvcc, gpu, caches and stop_above. They mean the same as for run(). A source can also be a compiled kernel of Triton, or a
    RawKernel or RawModule of CuPy, whose source nvcc then compiles. The arrays do not change.

    `stop_above`: microseconds. A launch that takes longer is stopped as soon as this is known. `jobs`: the number of launches at a time, by
    default one for each core.

    `executor`: an object with the method submit() or map(), such as an executor of concurrent.futures. Its workers need bankwise, and get the
    launches with the contents of cubins and arrays. A `.cu` file is read, and compiled, by the worker. `jobs` is then for each worker, and 1
    by default.

    >>> launches = [(examples + "/transpose.cubin", kernel, (64, 64), (32, 8), ["out:f32[4M]", "f32[4M]=iota", 2048])
    ...             for kernel in ("transpose_plain", "transpose_padded", "transposed")]
    >>> plain, padded, wrong = bankwise.time_many(launches)
    >>> plain.microseconds > 2 * padded.microseconds
    True
    >>> isinstance(wrong, bankwise.Error)
    True
    """
    defaults = {key: value for key, value in (("gpu", gpu), ("caches", caches), ("stop_above", stop_above)) if value is not None}
    return times_of(launches, defaults, executor, jobs)
