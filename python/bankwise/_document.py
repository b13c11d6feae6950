"""Classes for results. The fields of a class are the keys of the JSON, which docs/reference/*.schema.json describe."""
import dataclasses
import typing


def from_document(cls, document, **others):
    """Makes a value of `cls` from an object of the JSON. If a key is missing, the field has its default value."""
    taken = {}
    for field in dataclasses.fields(cls):
        if field.name in document and field.name not in others and field.init:
            value = document[field.name]
            taken[field.name] = tuple(value) if isinstance(value, list) else value
    return cls(**taken, **others)


class Document:
    """The base class of all results."""

    _document: dict

    def to_dict(self) -> typing.Dict[str, typing.Any]:
        """The result as a dictionary, with the keys of the command line's JSON.

        >>> import bankwise
        >>> bankwise.explain("t * 4").to_dict()["wavefronts"]
        1
        """
        return self._document


def hidden(empty):
    """A field that is neither shown nor compared."""
    return dataclasses.field(default_factory=lambda: empty, repr=False, compare=False)
