#!/usr/bin/env python3
"""Fails if a text of the tree has a pattern that plain English avoids, or a document a long sentence.

    tests/docs/prose_test.py                the whole tree
    tests/docs/prose_test.py FILE...        these files, including the exceptions

The patterns are in prose/patterns.py, the exceptions in prose/exceptions.txt. scripts/draw-texts draws texts at random, to read them.
"""
import html
import os
import pathlib
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "prose"))
import patterns  # noqa: E402
import texts  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TOPS = ("bench", "cli", "cmake", "docs", "data", "editors", "examples", "fuzz", "gpu", "include", "math", "packaging", "python", "runtime",
        "scripts", "src", "tests", "web")
# Generated, foreign, or the lists of this test.
NOT_READ = {"node_modules", "__pycache__", "dist", "corpus", "screenshots", "prose", "build", "goldens"}
GENERATED = {"web/src/report/schema.ts"}
EXCEPTIONS = ROOT / "tests/docs/prose/exceptions.txt"


def files():
    """Paths from the root of all documents and sources."""
    found = [path.name for path in ROOT.iterdir() if path.is_file() and (path.suffix == ".md" or path.name == "CMakeLists.txt")]
    for top in TOPS:
        for folder, inner, names in os.walk(ROOT / top):
            inner[:] = [name for name in inner if name not in NOT_READ]
            found += [str((pathlib.Path(folder) / name).relative_to(ROOT)) for name in names]
    return sorted(name for name in found if is_read(name))


def is_read(name):
    path = pathlib.Path(name)
    if name in GENERATED or path.name == "prose_test.py":
        return False
    if path.suffix in texts.C_KINDS | {".py", ".pyi", ".sh", ".cmake", ".test", ".md"} or path.name == "CMakeLists.txt":
        return True
    return path.suffix == "" and (ROOT / name).open("rb").read(2) == b"#!"


def exceptions():
    """({file}, {(file, words)}): files that are not read, and words that a file may have."""
    whole, some = set(), set()
    for line in EXCEPTIONS.read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            name, _, words = line.partition(": ")
            if words:
                some.add((name, words))
            else:
                whole.add(name)
    return whole, some


def faults_of_document(text):
    """(line, fault, words) of a Markdown document. `words` is what an exception names."""
    for number, sentence in texts.sentences_of(text):
        for words, hint in patterns.matches(sentence):
            yield number, f"'{words}': {hint}", words
        count = texts.words_of(sentence)
        if count > patterns.MOST_WORDS:
            yield number, f"a sentence of {count} words, more than {patterns.MOST_WORDS}: {sentence[:60]} ...", sentence[:40]
    for number, line in texts.prose_lines_of(text):
        if patterns.without_code(html.unescape(line)).count(";") > patterns.MOST_SEMICOLONS:
            yield number, f"more than {patterns.MOST_SEMICOLONS} semicolons: make sentences or a list", line.strip()[:40]


def faults_of_source(suffix, text):
    for found in texts.texts_of(suffix, text):
        for words, hint in patterns.matches(found.text):
            yield found.line, f"'{words}': {hint}", words


def faults_of(name, text):
    suffix = pathlib.Path(name).suffix
    return faults_of_document(text) if suffix == ".md" else faults_of_source(suffix, text)


def check(names, whole, some):
    """The number of files with faults, which are printed; exceptions that nothing needs are faults, too."""
    wrong, used = 0, set()
    for name in names:
        faults = list(faults_of(name, (ROOT / name).read_text(errors="replace")))
        if name in whole:
            used |= {name} if faults else set()
            continue
        left = [(line, fault) for line, fault, words in faults if (name, words) not in some]
        used |= {(name, words) for _, _, words in faults if (name, words) in some}
        for line, fault in left:
            print(f"{name}:{line}: {fault}")
        wrong += bool(left)
    for one in sorted((whole | some) - used, key=str):
        print(f"{EXCEPTIONS.relative_to(ROOT)}: remove the exception that no text needs: {one if isinstance(one, str) else ': '.join(one)}")
        wrong += 1
    return wrong


def check_itself():
    """The readers and patterns find what they should, and nothing else."""
    source = 'int x; // what stands\n  // behind it\n  // a second line\nf("beside " "the store" , "x", R"(is no file)");\nchar c = \'"\'; // fine\n'
    found = [(t.line, t.kind, t.text) for t in texts.texts_of(".cpp", source)]
    expected = [(1, "comment", "what stands"), (2, "comment", "behind it a second line"), (4, "literal", "beside the store"),
                (4, "literal", "is no file"), (5, "comment", "fine")]
    assert found == expected, found
    python = 'def f():\n    """One\n    two."""\n    return "it lies" "here"  # why\n'
    assert [t.text for t in texts.texts_of(".py", python)] == ["One two.", "it lieshere", "why"], texts.texts_of(".py", python)
    for bad in ("it is behind the store", "it stands in the file", "the padding that is there", "this is no baseline", "Of A 64 rows",
                "Who wants counts", "numbers for who asks", "is told of it", "what it wins", "and here, too.", "the file is there.",
                "beside it", "as Nsight has it, which says of a line", "loops go round", "the array lies in a bank", "it runs once more",
                "a path goes on", "all the same, it counts", "no conflict of theirs", "those who build it", "does without nvcc",
                "thus it ends", "what is left", "how it went"):
        assert patterns.matches(bad), bad
    for good in ("there is no file", "the stand-in for it", "T stands for a type", "it is no longer read", "`behind`", "Of course not",
                 "f(behind(x))", "ns::beside", "too large", "is there a file?", "all the same bytes", "an onset", "as total"):
        assert not patterns.matches(good), (good, patterns.matches(good))
    document = "# Title\n\nOne sentence. Another\none `a; b; c`.\n\n| behind | a |\n\n```sh\nbehind\n```\n\n- An item\n  continues.\n- b; c; d; e\n"
    assert [s for _, s in texts.sentences_of(document)] == ["One sentence.", "Another one `a; b; c`.", "behind", "a", "An item continues.",
                                                            "b; c; d; e"], list(texts.sentences_of(document))
    assert len(list(faults_of_document(document))) == 2, list(faults_of_document(document))
    assert texts.words_of("[a link](https://x.y/z) of `some code`, 5 words") == 6
    assert len(list(faults_of_document("word " * 36 + "."))) == 1


def main(words):
    check_itself()
    names = words or files()
    wrong = check(names, set(), set()) if words else check(names, *exceptions())
    print(f"{len(names)} files read, {wrong} with faults")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
