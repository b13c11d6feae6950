"""Finds the sentences of a source file: its comments, and its string literals of more than one word."""
import collections
import re

# line: of its first line; kind: "comment" or "literal"; begin, end: where it is in the file; text: as one line, without marks
Text = collections.namedtuple("Text", "line kind begin end text")

C_KINDS = {".cpp", ".hpp", ".h", ".cu", ".cuh", ".def", ".js", ".mjs", ".ts", ".tsx", ".css"}
HASH_KINDS = {".sh", ".cmake", ".txt", ".yml", ".toml", ".test", ""}

QUOTED = r'"(?:\\.|[^"\\\n])*"'
SINGLE = r"'(?:\\.|[^'\\\n])*'"
C_TOKENS = re.compile(r'R"(?P<mark>\w*)\(.*?\)(?P=mark)"|' + QUOTED + r"|(?<![0-9a-fA-F])'(?:\\.[0-9a-fx]*|[^'\\\n])'|//[^\n]*|/\*.*?\*/", re.S)
JS_TOKENS = re.compile(QUOTED + "|" + SINGLE + r"|`(?:\\.|[^`\\])*`|(?<![:\\])//[^\n]*|/\*.*?\*/|(?<=[>}])[^<>{};=()/]*\w \w[^<>{};=()/]*(?=[<{])", re.S)
PYTHON_TOKENS = re.compile(r'"""(?:\\.|[^\\])*?"""|' + QUOTED + "|" + SINGLE + r"|#[^\n]*", re.S)
# Shell and CMake: quotes in comments and here-documents do not pair, so a literal ends with its line.
HASH_TOKENS = re.compile(r'(?<![^\s])#[^\n]*|"(?:\\.|[^"\\\n])*"|(?<=echo )' + SINGLE)


def tokens_of(suffix):
    if suffix in (".js", ".mjs", ".ts", ".tsx"):
        return JS_TOKENS, "//"
    if suffix in C_KINDS:
        return C_TOKENS, "//"
    if suffix in (".py", ".pyi"):
        return PYTHON_TOKENS, "#"
    return HASH_TOKENS, "#"


def unmarked(token, mark):
    """The text of a comment or literal without its marks."""
    if token.startswith(mark):
        return token[len(mark):].strip()
    if token.startswith("/*"):
        return token[2:-2].strip(" *\n")
    if token.startswith('"""'):
        return token[3:-3]
    if token.startswith('R"'):
        return token[token.index("(") + 1:token.rindex(")")]
    return token[1:-1] if token[0] in "\"'`" else token


def texts_of(suffix, source):
    """All texts of a file with this ending. Comments on consecutive lines are one text, and so are adjacent literals."""
    pattern, mark = tokens_of(suffix)
    joined = []
    line_at, line = 0, 1
    for token in pattern.finditer(source):
        line += source.count("\n", line_at, token.start())
        line_at = token.start()
        is_comment = token[0].startswith((mark, "/*"))
        if token[0].startswith("#!") and token.start() == 0:
            continue
        kind, text = "comment" if is_comment else "literal", unmarked(token[0], mark)
        alone = is_comment and source[source.rfind("\n", 0, token.start()) + 1:token.start()].strip() == ""
        last = joined[-1] if joined else None
        if last is not None:
            between = source[last["end"]:token.start()]
            follows = between.strip() == "" and between.count("\n") <= 1 and last["kind"] == kind
            blank = is_comment and (not text or not last["text"].strip() or text.startswith("----"))
            if follows and not blank and (last["alone"] and alone or not is_comment):
                last["text"] += (" " if is_comment else "") + text
                last["end"] = token.end()
                continue
        joined.append({"line": line, "kind": kind, "begin": token.start(), "end": token.end(), "text": text, "alone": alone})
    found = [Text(t["line"], t["kind"], t["begin"], t["end"], " ".join(t["text"].split())) for t in joined]
    return [t for t in found if t.kind == "comment" or re.search(r"[A-Za-z]{2}.* .*[A-Za-z]{2}", t.text)]


def prose_lines_of(document):
    """(number, line) of a Markdown document without code, comments and indented examples; the lines of tables are among them."""
    fenced, commented = "", False  # the fence that is open
    for number, line in enumerate(document.splitlines(), 1):
        bare = line.strip()
        fence = bare[:3] if bare[:3] == fenced or not fenced and bare.startswith(("```", "~~~")) else ""
        fenced = "" if fence and fenced else fenced or fence
        commented = commented or bare.startswith("<!--")
        if not fenced and not fence and not commented:
            yield number, line
        commented = commented and "-->" not in bare


def sentences_of(document):
    """(line, sentence) of a Markdown document without code and headings. Items of lists and cells of tables begin a new sentence."""
    paragraph, first = [], 0
    for number, line in [*prose_lines_of(document), (0, "")]:
        bare = line.strip()
        item = re.match(r"([-*+]|\d+\.) ", bare)
        example = line.startswith("    ") and not paragraph and not item
        ends = not bare or item or example or bare[0] in "#|<!" or number > first + 400
        if ends and paragraph:
            yield from ((first, sentence) for sentence in split_sentences(" ".join(paragraph)))
            paragraph = []
        if bare.startswith("|") and not set(bare) <= set("|-: "):
            for cell in bare.strip("|").split("|"):
                yield from ((number, sentence) for sentence in split_sentences(cell.strip()) if sentence)
        elif item or not ends:
            first = first if paragraph else number
            paragraph.append(bare[item.end():] if item else bare)


def split_sentences(text):
    return re.split(r"(?<=[.!?])[)*\"]*\s+(?=[A-Z`\"*(\[])|(?<=[a-z`)\]]{2}\.)\s+", text)


def words_of(sentence):
    """How many words a reader reads: a link counts as its text, code as one word."""
    sentence = re.sub(r"(`[^`]*`[\s,]*)+", "code ", re.sub(r"\]\([^)]*\)", "]", sentence))
    return len(re.findall(r"[^\s]*[A-Za-z0-9][^\s]*", sentence))
