"""Replaces this process with the program, for python3 -m bankwise and for the command `bankwise`."""
import os
import sys

from . import _program


def main():
    os.execv(_program.path(), ["bankwise", *sys.argv[1:]])


if __name__ == "__main__":
    main()
