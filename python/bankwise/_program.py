"""Finds and runs the program in the package."""
import json
import os
import pathlib
import subprocess

from ._errors import Error


def path():
    """The path of the program."""
    return str(pathlib.Path(__file__).parent / "program" / "bin" / "bankwise")


def call(arguments, scratch=None, env=None):
    """Returns the standard output of a command, and its messages. Exit status 1 (findings) is not an error. `scratch`: a temporary folder,
    whose path is removed from the names of files. `env`: further environment variables."""
    done = subprocess.run([path(), *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                          env=dict(os.environ, **(env or {}), BANKWISE_ERRORS="json", BANKWISE_WORDS="python"))
    wrote, said = done.stdout.decode(), done.stderr.decode(errors="replace")
    if scratch:
        wrote, said = (text.replace(scratch + os.sep, "") for text in (wrote, said))
    if done.returncode in (0, 1):
        return wrote, said
    raise error_of(done.returncode, said)


def error_of(status, said):
    """The error that the program has written to its standard error."""
    before, brace, document = said.rpartition("\n{\n") if "\n{\n" in said else ("", "{", said[1:])
    try:
        return Error.from_dict(json.loads("{" + document))
    except (ValueError, KeyError, TypeError):
        return Error("bankwise ended with status {}: {}".format(status, said.strip()))
