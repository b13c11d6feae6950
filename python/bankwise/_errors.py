"""What every function of the package raises."""
import typing


class Error(ValueError):
    """A question that has no answer, and why: a mistake in an expression, a kernel that faults, a missing tool.

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
        """From what the program and the library say: {"error": {...}}."""
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
