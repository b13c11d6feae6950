"""The error that every function of the package raises."""
import functools
import re
import typing


class Error(ValueError):
    """The error that a function raises if it cannot return a result. The cause can be, for example, a mistake in an
    expression, a kernel that faults, or a missing tool.

    >>> import bankwise
    >>> try:
    ...     bankwise.explain("(tt % 8) * 128")
    ... except bankwise.Error as error:
    ...     print(error.message, (error.file, error.line, error.column), error.hint, sep="; ")
    unknown name 'tt'; ('expression', 1, 2); did you mean t?
    """

    def __init__(self, message: str, *, file: str = "", line: int = 0, column: int = 0, length: int = 1, source_line: str = "",
                 hint: str = "", flag: str = "", trail: typing.Iterable[str] = ()) -> None:
        self.message = message
        self.file = file
        self.line = line
        self.column = column
        self.length = length
        self.source_line = source_line
        self.hint = hint
        self.flag = flag
        self.trail = tuple(trail)
        super().__init__(self._text())

    @classmethod
    def from_dict(cls, document):
        """Makes an Error from the output of the program or the library: {"error": {...}}."""
        return cls(**document["error"])

    def _text(self):
        lines = [self.message]
        if self.file or self.line:
            at = ":{}".format(self.line) if self.line else ""
            at += ":{}".format(self.column) if at and self.column else ""
            lines.append("  --> {}{}".format(self.file or "here", at))
        if self.source_line:
            lines.append("   | " + self.source_line)
            if self.column:
                lines.append("   | " + " " * (self.column - 1) + "^" * max(1, self.length))
        lines += ["   " + line for line in self.trail]
        if self.hint:
            lines.append("help: " + self.hint)
        return "\n".join(lines)


# The same characters as in src/base/printable.cpp: characters that change the direction of text or hide it, line
# breaks, and halves of characters.
_HIDDEN = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufdd0-\ufdef\ufeff"
                     "\ufff9-\ufffb\ufffe\uffff\U000e0000-\U000e007f]")


def printable(text: str) -> str:
    """Returns a text in which each invisible character is replaced by an escape. The command `bankwise` replaces
    the same characters in the text that it prints. Line breaks and tabs do not change.

    >>> printable("a\u202eb")
    'a\\\\u202eb'
    """

    def spelled(found):
        code = ord(found.group())
        return ("\\x{:02x}" if code < 0x80 else "\\u{:04x}" if code < 0x10000 else "\\U{:08x}").format(code)

    return _HIDDEN.sub(spelled, text)


def raises_errors(function):
    """A decorator for functions of the package. A decorated function also raises an Error if the type of an argument is
    wrong. If the name of an argument is wrong, it raises a TypeError, like every Python function."""

    @functools.wraps(function)
    def asked(*args, **flags):
        try:
            return function(*args, **flags)
        except Error:
            raise
        except (TypeError, ValueError, OverflowError, AttributeError) as why:
            if why.__traceback__.tb_next is None:  # the call itself raised the error, not the code of the function
                raise
            raise Error("{}(): {}".format(function.__name__, why)) from why

    return asked
