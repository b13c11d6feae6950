"""Answers as values: the fields of a class are the keys of the JSON, which docs/reference/json.md describes."""
import dataclasses
import typing


def from_document(cls, document, **others):
    """A value of `cls` from an object of the JSON. Missing keys keep the field's default."""
    taken = {}
    for field in dataclasses.fields(cls):
        if field.name in document and field.name not in others and field.init:
            value = document[field.name]
            taken[field.name] = tuple(value) if isinstance(value, list) else value
    return cls(**taken, **others)


class Document:
    """The common part of all answers."""

    _document: dict

    def to_dict(self) -> typing.Dict[str, typing.Any]:
        """The answer as in the JSON of the command line.

        >>> import bankwise
        >>> bankwise.explain("t * 4").to_dict()["wavefronts"]
        1
        """
        return self._document


def hidden(empty):
    """A field that is neither shown nor compared."""
    return dataclasses.field(default_factory=lambda: empty, repr=False, compare=False)
