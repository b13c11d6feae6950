"""python3 -m bankwise, and the command `bankwise`: replaces this process by the program."""
import os
import sys

from . import _program


def main():
    os.execv(_program.path(), ["bankwise", *sys.argv[1:]])


if __name__ == "__main__":
    main()
