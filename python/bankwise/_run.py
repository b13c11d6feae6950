"""Executes a kernel on the CPU, on the caller's arrays."""
import json
import math
import os
import re
import shlex
import shutil
import tempfile

from . import _program
from ._access import flag_words
from ._errors import Error, raises_errors
from ._memory import Memory, is_memory
from ._report import report_of

ELF, FATBIN = b"\x7fELF", b"\x50\xed\x55\xba"
MOST_BYTES_BY_VALUE = 4096


def _file_of(source, folder):
    """The file to run: an existing file, or a new file with the given bytes or text."""
    if hasattr(source, "__cubin__"):  # a result of CuTe DSL's cute.compile()
        source = source.__cubin__
        if source is None:
            raise Error("this function was compiled without keeping its cubin",
                        hint="set CUTE_DSL_KEEP=cubin in the environment before cutlass is imported (in older versions: CUTE_DSL_KEEP_CUBIN=1)")
    if isinstance(source, (bytes, bytearray, memoryview)):
        data = bytes(source)
        ending = ".cubin" if data.startswith(ELF) else ".fatbin" if data.startswith(FATBIN) else None
        if ending is None:
            raise Error("these bytes are not a cubin or a fatbin", hint="pass source code as text or as a file")
    else:
        text = os.fspath(source)
        if "\n" not in text and "{" not in text:
            return os.path.abspath(text)
        data, ending = text.encode(), ".ptx" if ".version" in text and ".target" in text else ".cu"
    file = os.path.join(folder, "kernel" + ending)
    with open(file, "wb") as out:
        out.write(data)
    return file


def _number(value, name):
    if isinstance(value, bool):
        value = int(value)
    if isinstance(value, int):
        return str(value)
    if not math.isfinite(value):
        raise Error("{}: the number {} needs a type".format(name, value), hint="pass the string 'f32=inf', or numpy.float32(...)")
    return repr(value)


def _name(place):
    return "argument " + place


class Arguments:
    """The values of --arg, and the arrays that these values refer to. The kernel writes its results into the arrays."""

    def __init__(self, values, folder):
        self.words, self._folder, self._places = [], folder, []
        self._types = {}  # element types of the arrays among the arguments, by the argument's number
        if isinstance(values, (str, bytes)) or not hasattr(values, "__iter__"):
            raise Error("args is a {}, not a list with an argument for each parameter".format(type(values).__name__))
        for number, value in enumerate(values, 1):
            self.words.append(self._word(value, str(number)))

    def _word(self, value, at):
        """Returns the value of --arg for an argument. `at`: its position, such as "2", or "2.1" for the field of a struct."""
        name = _name(at)
        if isinstance(value, tuple):
            return "{" + ", ".join(self._field(field, "{}.{}".format(at, n)) for n, field in enumerate(value, 1)) + "}"
        if value is None:
            return "u64=0"
        if isinstance(value, str):  # the value is already in the form for the command line
            return value
        if isinstance(value, (bool, int, float)):
            return _number(value, name)
        if not is_memory(value):
            raise Error("{} is a {}, not a number or an array".format(name, type(value).__name__),
                        hint="pass a numpy array, a tensor on the CPU or any buffer. For a struct by value, pass a tuple or bytes")
        if isinstance(value, bytes):
            if len(value) > MOST_BYTES_BY_VALUE:
                raise Error("{} has {:,} bytes, but a kernel takes at most {:,} bytes by value".format(name, len(value), MOST_BYTES_BY_VALUE),
                            hint="for a buffer, pass bytearray(a), because bytes are passed as a struct by value")
            return "bytes=" + value.hex()
        place = Memory(value, name)
        if place.shape == () and place.readonly:  # numpy.float32(1)
            return "bytes=" + place.read().hex()
        self._types[at] = place.type
        if place.bytes == 0:
            return "u64=0"
        return self._buffer(place, at)

    def _field(self, value, at):
        """Returns the text for a field of a struct. The value must have a type, because no parameter declares the type."""
        if isinstance(value, (bool, int, float, bytes, tuple)):
            raise Error("{} is a {}, which does not set the type of a field".format(_name(at), type(value).__name__),
                        hint="pass numpy.int32(64), or the word 'i32=64'")
        if getattr(value, "shape", None) == () and hasattr(value, "item"):  # numpy.int32(64)
            item = value.item()
            return "{}={}".format(Memory(value, _name(at)).type, int(item) if isinstance(item, bool) else item)
        return self._word(value, at)

    def _buffer(self, place, at):
        for other_at, other in self._places:
            if other.address <= place.address and place.end <= other.end:
                return "arg:{}+{}".format(other_at, place.address - other.address)
            if place.address < other.end and other.address < place.end:
                raise Error("{} and {} overlap in memory".format(_name(other_at), place.name),
                            hint="pass an array that contains both arrays as an earlier argument")
        self._places.append((at, place))
        with open(self._file(at), "wb") as out:
            out.write(place.read())
        return "{}[]=file:{}".format(place.type, self._file(at))

    def _file(self, at, ending="in"):
        return os.path.join(self._folder, "{}.{}".format(at, ending))

    def _written(self):
        return [(at, place) for at, place in self._places if not place.readonly]

    def refuse_types(self, kernel):
        """Raises an Error if an array's type is not the type of the kernel's pointer, because the kernel would misread the numbers."""
        for at, pointee in enumerate(_pointees(kernel), 1):
            wanted, given = POINTEES.get(pointee), self._types.get(str(at))
            # If the memory consists of bytes, the kernel determines the element type. numpy uses 16-bit integers for
            # formats that it does not know.
            if not wanted or not given or given in ("u8", "i8") or (wanted in ("f16", "bf16") and given[1:] == "16"):
                continue
            if (wanted.lstrip("iu"), wanted[0] in "iu") != (given.lstrip("iu"), given[0] in "iu"):
                raise Error("{} is an array of {}, but the parameter is {}*".format(_name(str(at)), given, pointee),
                            hint="pass a copy of type {0}, made with numpy's astype(). To pass the bytes of the array, pass a.view(numpy.uint8)".format(
                                wanted))

    def dumps(self):
        return ["--dump={}={}".format(at, self._file(at, "out")) for at, _ in self._written()]

    def write_back(self):
        for at, place in self._written():
            file = self._file(at, "out")
            with open(file, "rb") as results:
                place.write(results.read())


# The element type of the memory to which a kernel's pointer points, in the form for --arg.
POINTEES = {"float": "f32", "double": "f64", "int": "i32", "unsigned int": "u32", "long": "i64", "unsigned long": "u64",
            "long long": "i64", "unsigned long long": "u64", "short": "i16", "unsigned short": "u16", "__half": "f16",
            "__nv_bfloat16": "bf16"}


def _pointees(kernel):
    """Returns for each parameter of a demangled name the type that it points to, or None if it is not a pointer.

    >>> _pointees("void scale<float, 4>(float*, double const* const, std::array<int, 2>, int)")
    ['float', 'double', None, None]
    """
    depth, begin, parameters = 0, None, []
    kernel = kernel.replace("(anonymous namespace)", "")
    for i, letter in enumerate(kernel):
        if letter == "(" and depth == 0 and begin is None:
            begin = i + 1
        elif begin is not None and depth == 0 and letter in ",)":
            parameters.append(kernel[begin:i])
            begin = i + 1
            if letter == ")":
                break
        elif letter in "<([{":
            depth += 1
        elif letter in ">)]}":
            depth -= 1
    pointees = []
    for parameter in parameters:
        words = re.sub(r"\b(const|volatile|__restrict__)\b", "", parameter).split()
        text = " ".join(words).replace(" *", "*")
        pointees.append(text[:-1] if text.endswith("*") else None)
    return pointees


def _whole(number):
    if int(number) != number:
        raise Error("{} is not a whole number".format(number))
    return str(int(number))


def _triple(value):
    return ",".join(_whole(n) for n in value) if isinstance(value, (tuple, list)) else _whole(value)


def _list_of(check):
    """The value of the flag --check for a word or a list of words."""
    return check if check is None or isinstance(check, str) else ",".join(check)


@raises_errors
def run(source, kernel=None, grid=1, block=32, args=(), *, shared=0, cluster=None, cooperative=False, arch=None, nvcc=None,
        counts=False, fix=False, array=None, check=None, ctas=None, time=None, time_model=None, gpu=None, caches=None, seed=None,
        threads=None, faults=None, strict=False, root=None):
    """Executes a kernel on the CPU, writes its results into the arrays, and reports the cost of its memory accesses.

    `source`: one of these values:

    - a .cu, .ptx, .cubin or .fatbin file
    - the bytes of a cubin or fatbin
    - CUDA C++ or PTX as text
    - the result of cute.compile() of CuTe DSL

    A .cu file and CUDA C++ text need nvcc.

    `kernel`: the name of the kernel, if the source contains several kernels. `args`: one value for each parameter:

    - a numpy array, a tensor on the CPU (read through DLPack), or any buffer. If a buffer is read-only, the kernel gets its contents, and the
      results are not written back.
    - a number, which is converted to the type of the parameter
    - None for a null pointer
    - a tuple for a struct by value. Each field of the tuple is an array, None, a word in the form of `--arg`, or a number with a type, such as
      numpy.int32(64).
    - a `bytes` object for a struct: the contents of the struct in memory
    - a word in the form of `--arg`, such as "f32[1M]=iota"

    `shared`: bytes of dynamic shared memory. `counts`: if true, the call writes no results and is faster. `fix`: if true, the report
    contains layouts for the kernel's arrays (`array` declares their shapes). `check`: "memory", "race", "init", "sync", a list of these words, or "all". `time_model`: "on"
    (or True) predicts how long the launch takes on a GPU (`launch.time`), and "off" (or False) does not. The default is "on". With `counts` or
    `check`, it is "off". `strict` is the same as `faults`="stop".
    The other arguments are the flags of `bankwise run`.

    >>> import array, bankwise
    >>> n = 64
    >>> numbers = array.array("f", range(n * n))
    >>> out = array.array("f", bytes(4 * n * n))
    >>> report = bankwise.run(examples + "/transpose.cubin", "transpose_plain", grid=(2, 2), block=(32, 8),
    ...                       args=[out, numbers, n])
    >>> out[1] == numbers[n], out[n] == numbers[1]
    (True, True)
    >>> for line in report.lines:
    ...     print(line.line, line.executed, line.wavefronts, line.removable)
    15 128 128 0
    18 128 4096 3968
    """
    if isinstance(time_model, bool):
        time_model = "on" if time_model else "off"
    if strict and faults not in (None, "stop"):
        raise Error("strict=True stops at the first fault, but faults is {!r}".format(faults), hint="leave one of them out")
    with tempfile.TemporaryDirectory(prefix="bankwise-") as folder:
        file = _file_of(source, folder)
        given = Arguments(args, folder)
        flags = dict(kernel=kernel, shared=shared or None, cluster=cluster and _triple(cluster), cooperative=cooperative,
                     arch=arch, counts=counts, fix=fix, array=array, check=_list_of(check), ctas=ctas, time=time, time_model=time_model, gpu=gpu,
                     caches=caches, seed=seed, threads=threads, faults="stop" if strict else faults, root=root)
        words = ["--grid=" + _triple(grid), "--block=" + _triple(block)]
        words += ["--{}{}".format(name, "=" + value if value else "") for name, value in flag_words(flags)]
        words += ["--arg=" + word for word in given.words]
        saved = os.path.join(folder, "report.json")
        nvcc_words = ["--nvcc", *(shlex.split(nvcc) if isinstance(nvcc, str) else nvcc)] if nvcc else []
        out, said = _program.call(["run", file, *words, *([] if counts else given.dumps()), "--format=json", "-o", saved,
                                   *nvcc_words], folder)
        with open(saved) as report:
            document = json.load(report)
        for launch in document["launches"][:1]:
            given.refuse_types(launch["kernel"])
        if not counts:
            given.write_back()
        # Removes the line with the path of the report, because the report is a temporary file.
        said = "".join(line for line in said.splitlines(keepends=True) if not line.startswith("wrote report.json: "))
        return report_of(document, out + said)


@raises_errors
def run_program(command, *, kernel=None, counts=False, fix=False, check=None, ctas=None, time=None, time_model=None, gpu=None,
                caches=None, seed=None, threads=None, faults=None, root=None, env=None):
    """Executes a whole program on the CPU, with all of its kernels, and reports their costs.

    `command`: the program with its arguments, as a list or as the text of a command line. `kernel`: a name or
    "regex:EXPR"; the report then contains only these kernels. `env`: environment variables, in addition to those of this
    process. `report.output` is what the program prints. The other arguments are those of run().

    >>> report = bankwise.run_program(["/bin/true"])  # doctest: +SKIP
    """
    if isinstance(time_model, bool):
        time_model = "on" if time_model else "off"
    words = shlex.split(command) if isinstance(command, str) else [os.fspath(word) for word in command]
    if not words:
        raise Error("the command is empty", hint="pass the program and its arguments, such as ['./app', '1024']")
    if os.sep not in words[0]:
        words[0] = shutil.which(words[0]) or words[0]
    with tempfile.TemporaryDirectory(prefix="bankwise-") as folder:
        flags = dict(kernel=kernel, counts=counts, fix=fix, check=_list_of(check), ctas=ctas, time=time, time_model=time_model, gpu=gpu,
                     caches=caches, seed=seed, threads=threads, faults=faults, root=root)
        saved = os.path.join(folder, "report.json")
        out, said = _program.call(["run", *("--{}{}".format(name, "=" + value if value else "") for name, value in flag_words(flags)),
                                   "--format=json", "-o", saved, "--", *words], folder, env)
        with open(saved) as report:
            document = json.load(report)
        said = "".join(line for line in said.splitlines(keepends=True) if not line.startswith("wrote report.json: "))
        return report_of(document, out + said)
