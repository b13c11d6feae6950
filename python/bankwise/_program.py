"""The program that the package carries."""
import json
import os
import pathlib
import subprocess

from ._errors import Error


def path():
    """The file of the program."""
    return str(pathlib.Path(__file__).parent / "program" / "bin" / "bankwise")


def call(arguments, folder=None):
    """What a command writes to standard output, and what it says beside it. Exit status 1, findings, is no error."""
    done = subprocess.run([path(), *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                          cwd=folder, env=dict(os.environ, BANKWISE_ERRORS="json"))
    said = done.stderr.decode(errors="replace")
    if done.returncode in (0, 1):
        return done.stdout.decode(), said
    before, brace, document = said.rpartition("\n{\n") if "\n{\n" in said else ("", "{", said[1:])
    try:
        raise Error.from_dict(json.loads("{" + document))
    except ValueError as why:
        if isinstance(why, Error):
            raise
        raise Error("bankwise ended with status {}: {}".format(done.returncode, said.strip())) from None
