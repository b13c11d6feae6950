"""python3 -m bankwise, and the command `bankwise`: the program, in the place of this process."""
import os
import sys

from . import _program


def main():
    os.execv(_program.path(), ["bankwise", *sys.argv[1:]])


if __name__ == "__main__":
    main()
