"""Runs the program: `python -m merrow` is `merrow`."""

import os
import sys

from merrow import program

if __name__ == "__main__":
    path = str(program())
    # the program gets the signals and the terminal of this process
    os.execv(path, [path, *sys.argv[1:]])
