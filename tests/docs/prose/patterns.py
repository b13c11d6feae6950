"""What plain English avoids: each row is a pattern, and what to write instead."""
import re

# Of text outside of code in backquotes. "(?i)" is added to a pattern without a capital letter.
ROWS = [
    (r"\bbehind\b(?!\()", "after, following; or name what is hidden"),
    (r"(?<![-:\w])beside\b(?![(:])", "next to, in addition to, as well as"),
    (r"\bstands?\b(?!-ins?\b| in for\b| for\b)", "is; or: contains"),
    (r"\bstood\b", "was"),
    (r"\b(lie|lies|lay)\b", "is, are, was; or: starts at"),
    (r"(?:^|[.:;!?] )Of (?!course)", "The ... of ..., For ..., or Among ..."),
    (r"\bwho (wants?|asks?|needs?|looks|has to|knows)\b|\bfor who\b|\bwhoever\b", "if you ..., or name the reader"),
    (r"\bwhom\b", "name who it is"),
    (r"\b(is|are|was|were|be|been) (said|told)\b", "prints, reports, shows; or: gets"),
    (r"\b(says?|said|tells?|told) of\b", "reports about, shows for"),
    (r"\b(wins?|won|winning)\b", "saves, saved, is faster by"),
    (r"\bleaves one kernel\b|\bleaves (only )?that\b", "keeps only"),
    (r"\b(go|goes|went|going) round\b", "retry, loop, wrap around"),
    (r"\b(comes?|came) by\b", "reaches, passes"),
    (r"\blets? go\b", "releases"),
    (r"\bthat (is|are|was|were) (already )?there\b", "existing"),
    (r"\b(is|are|was|were) (not )?there(?=[.,;:)]|$)", "exists, is present, is missing"),
    (r"(?<!\bthere )(?<!\bThere )\b(is|are|was|were) no (?!longer|more|less|fewer|worse|better|different)[a-z]",
     "is not a, are not; or: there is no"),
    (r"(?<!\bthere )(?<!\bThere )\b(is|are|was|were) none\b(?! of)", "is not a ...; or: there is none"),
    (r"\bas (it|they|he|she) ha(s|ve) it\b", "as in"),
    (r"\b(where|if|when) (none|nothing|one|it|they) (is|are) there\b|\bwhere none is\b", "if there is none"),
    (r",? too(?=[.;:)]|$)", "also, before the verb"),
    (r"\bbut for\b", "except"),
    (r"\b(is|are) so(?=[.,;:)]|$)", "is true, holds"),
    (r"\ba (thing|word) on\b", "a note about"),
    (r"\ba word on what\b", "says what"),
    (r"\bonce more\b", "again"),
    (r"\b(goes|went|going) on\b(?! and on| to)", "continues"),
    (r"\ball the same(?=[.,;:)]|$)", "in any case, nevertheless"),
    (r"\bat hand\b", "available, present"),
    (r"\bthe like\b|\bof theirs\b", "and similar ...; their ..."),
    (r"\bthose who\b", "users who, readers who"),
    (r"\b(do|does|did) without\b", "does not need, does not use"),
    (r"\b(put|puts|putting) (it |them )?back\b", "restores, writes back"),
    (r"\bwhat (remains|remained|is left|was left)\b", "the rest, the remaining ..."),
    (r"\bhow (it|they) (go|goes|went)\b", "the result, the outcome"),
    (r"\b(has|have|had) yet to\b", "has not ... yet"),
    (r"\b(hence|thus|thereby|whereby|thereof|therein|wherein|whereas|upon|save for|as to)\b", "so, by this, in it, but, on, except, about"),
]
PATTERNS = [(re.compile(row if re.search(r"(?<!\\)[A-Z]", row) else "(?i)" + row), hint) for row, hint in ROWS]

MOST_WORDS = 35  # of a sentence in a document
MOST_SEMICOLONS = 2  # of a line in a document


def without_code(text):
    """A text without code in backquotes and without addresses: what is left is prose."""
    return re.sub(r"`[^`]*`|https?://\S+", "`code`", text)


def matches(text):
    """(match, hint) for each pattern that a text has."""
    prose = without_code(text)
    return [(found[0], hint) for pattern, hint in PATTERNS for found in pattern.finditer(prose)]
