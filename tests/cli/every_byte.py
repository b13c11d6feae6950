"""Puts every byte, and characters that change how text is shown, into every input: names of kernels and source files,
names of files, expressions, tables, reports, budgets. The output of every verb in every format must be valid UTF-8,
without a character that controls a terminal, and without a line that is a command for a CI.
    every_byte.py BANKWISE SOURCE_DIR
"""
import csv
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import unicodedata
import xml.etree.ElementTree

BANKWISE, SOURCE = map(os.path.abspath, sys.argv[1:3])
KERNEL, FILE = b"transpose_plain", b"transpose.cu"
LAUNCH = ["--grid", "8,8", "--block", "32,8", "--arg", "out:f32[256*256]", "--arg", "f32[256*256]=iota", "--arg", "i32=256"]
COMMAND = b"\n::error::x"
wrong = []
outputs = 0


def hostile_words():
    """Words as long as a kernel's name that together contain every byte except zero, and special characters."""
    every = bytes(range(1, 256))
    size = len(KERNEL)
    words = [every[i : i + size].ljust(size, b"a") for i in range(0, 255, size)]
    marks = "\x85\x9b\u061c\u200b\u202e\u2066\u2028\ufeff\ufffe\uffff\U000e0041"
    for mark in marks:
        words.append(mark.encode("utf-8", "surrogatepass").ljust(size, b"m"))
    for start in (COMMAND, b"\n##[error]x", b"=1+cmd|x", b"@sum(1)", b"a\r\n  ::error", b"<script>&\"'", b"\xed\xa0\x80\xc0\xaf\xf5"):
        words.append(start.ljust(size, b"c")[:size])
    return words


def fail(what, says):
    wrong.append(what)
    print(f"FAIL: {what}: {says!r}")


def is_hidden(c):
    code = ord(c)
    return (unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") or code & 0xFFFE == 0xFFFE) and c not in "\n\t\xad"


def look_at(what, data, form):
    global outputs
    outputs += 1
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as e:
        return fail(f"{what} is not valid UTF-8", data[max(0, e.start - 20) : e.end + 20])
    if form == "html":
        # The page's own code contains some of these characters. Its data must not contain them, because the data is
        # JSON.
        text = re.sub(r"[\r\x1c-\x1f\u200b-\u200f\ufeff]", "", text)
    for i, c in enumerate(text):
        if is_hidden(c):
            return fail(f"{what} contains the hidden character U+{ord(c):04X}", text[max(0, i - 30) : i + 30])
    for line in text.split("\n"):
        if re.match(r"\s*(::|##\[)", line) and not (form == "github" and re.match(r"::(notice|warning|error) (file=|title=)", line)):
            return fail(f"{what} contains a command for a CI system", line)
    try:
        if form in ("json", "sarif"):
            json.loads(text)
        elif form == "junit":
            xml.etree.ElementTree.fromstring(text)
        elif form == "csv":
            for row in csv.reader(io.StringIO(text)):
                for cell in row:
                    if re.match(r"\s*[=+@-]", cell) and not re.fullmatch(r"-[0-9.]+", cell):
                        return fail(f"{what} contains a formula", cell)
    except Exception as e:
        fail(f"{what} is not valid {form}", str(e))


def run(what, words, form="text", stdin=None, statuses=(0, 1, 2)):
    p = subprocess.run([BANKWISE, *words], capture_output=True, input=stdin, cwd=folder, timeout=120)
    if p.returncode not in statuses:
        fail(f"{what} exited with {p.returncode}", p.stderr)
    look_at(f"{what}, standard error", p.stderr, "text")
    if p.stdout:
        look_at(f"{what}, standard output", p.stdout, form)
    return p


def write(name, data):
    path = os.path.join(folder.encode() if isinstance(name, bytes) else folder, name)
    with open(path, "wb") as f:
        f.write(data)
    return path


with tempfile.TemporaryDirectory() as folder:
    cubin = open(os.path.join(SOURCE, "examples/transpose.cubin"), "rb").read()
    assert cubin.count(KERNEL) > 5 and FILE in cubin
    run("a good cubin", ["run", write("good.cubin", cubin), "-k", "transpose_plain", *LAUNCH, "--format", "json", "-o", "good.json"], statuses=[0])
    good = open(os.path.join(folder, "good.json")).read()
    for n, word in enumerate(hostile_words()):
        name = f"name {n}"
        bad = write("bad.cubin", cubin.replace(KERNEL, word).replace(FILE, word[: len(FILE) - 3] + b".cu"))
        # Tests names in a cubin.
        for form in ("text", "json"):
            run(f"{name}: run --format {form}", ["run", bad, "-k", "regex:Z15", *LAUNCH, "--format", form, "--all"], form)
        run(f"{name}: run --sass", ["run", bad, "-k", "regex:Z15", "--sass"])
        run(f"{name}: no kernel", ["run", bad, "-k", "nothing", *LAUNCH])
        run(f"{name}: several", ["run", bad, *LAUNCH])
        run(f"{name}: a fault", ["run", bad, "-k", "regex:Z15", "--grid", "8,8", "--block", "32,8", "--arg", "out:f32[4]", "--arg",
                                 "f32[256*256]=iota", "--arg", "i32=256"])
        run(f"{name}: to a report", ["run", bad, "-k", "regex:Z15", *LAUNCH, "--format", "json", "-o", "bad.json"])
        run(f"{name}: fix", ["fix", bad, "-k", "regex:Z15", *LAUNCH])
        # Tests these names in a report by bankwise, and in a report written by hand.
        text = word.decode("utf-8", "replace")
        mine = json.dumps(json.loads(good.replace("transpose_plain", "KERNEL")), ensure_ascii=False)
        forged = mine.replace("KERNEL", json.dumps(text)[1:-1]).replace("transpose.cu", json.dumps(text)[1:-1])
        write("forged.json", forged.encode("utf-8", "surrogatepass"))
        for report in ("bad.json", "forged.json"):
            if not os.path.exists(os.path.join(folder, report)):
                continue
            for form in ("text", "csv", "json", "html", "sarif", "junit", "github", "markdown", "speedscope"):
                run(f"{name}: report {report} --format {form}", ["report", report, "--format", form, "--all"], form)
            run(f"{name}: report --color {report}", ["report", report])
            run(f"{name}: diff {report}", ["diff", "good.json", report])
            run(f"{name}: diff csv {report}", ["diff", "good.json", report, "--format", "csv"], "csv")
            run(f"{name}: merge {report}", ["merge", "good.json", report], "json")
            for form in ("text", "json", "sarif", "junit", "github", "markdown", "speedscope"):
                run(f"{name}: check {report} --format {form}", ["check", report, "--format", form], form)
            run(f"{name}: compare {report}", ["compare", report, write("ncu.csv", b'"Kernel Name","Address","Source","' + word + b'"\n"' + word + b'","0","' + word + b'","x"\n')])
        # Tests bytes on the command line, and in files that the command line names.
        for verb in (["explain", word], ["explain", "--width", word, "t"], ["explain", "--op", word, "t"], ["explain", "--arch", word, "t"],
                     ["arch", word], ["rule", word], ["fix", word], ["run", word], ["report", word], ["diff", word, word], ["merge", word],
                     ["check", word], ["compare", word, word], ["predict", word], ["probe", word], [word], ["--" + "x", word],
                     ["record", b"./" + word.replace(b"/", b"_")], ["run", "good.cubin", "-k", word, *LAUNCH],
                     ["run", "good.cubin", "-k", b"regex:" + word, *LAUNCH], ["run", "good.cubin", "--arg", word],
                     ["explain", "t", "-o", b"nowhere/" + word], ["explain", "t", "--let", word + b"=1"], ["help", word]):
            run(f"{name}: {verb[0]!r} of words", verb)
        run(f"{name}: predict", ["predict", write("table.csv", b"op,mask,source_stride,wavefronts,a0\n" + word + b",ff,0,1,0\n")], "csv")
        run(f"{name}: predict by its header", ["predict", write("table.csv", word + b",b\n1,2\n")], "csv")
        run(f"{name}: addresses", ["explain", "--addresses", write("list.txt", word + b"\n1 2 3\n")])
        run(f"{name}: addresses from a pipe", ["explain", "--addresses", "-"], stdin=word)
        run(f"{name}: budgets", ["check", "good.json", "--config", write("bankwise.toml", b'fail_on = "' + word + b'"\n')])
        run(f"{name}: keys of budgets", ["check", "good.json", "--config", write("bankwise.toml", b'[[budget]]\nkernel = "' + word + b'"\n"' + word + b'" = 1\n')])
        run(f"{name}: a baseline", ["check", "good.json", "--config", write("empty.toml", b""), "--baseline", write("base.json", b'{"' + word + b'":1}')])
        named = write(word.replace(b"/", b"_").replace(b"\0", b"_"), b"nothing")
        for verb in ("run", "report", "merge", "check", "predict"):
            run(f"{name}: {verb} of a file of this name", [verb, named])
print(f"{outputs} outputs, {len(wrong)} wrong")
sys.exit(1 if wrong or outputs < 1000 else 0)
