"""Decodes AIS sentences from a file with pyais and writes their fields as JSON.

Every line must be part of a message.
"""

import json
import sys

from pyais import FileReaderStream


def main():
    """Decodes the file named on the command line."""
    lines = sum(1 for _ in open(sys.argv[1], encoding="ascii"))
    out, used = [], 0
    with FileReaderStream(sys.argv[1]) as stream:
        for message in stream:
            used += message.frag_cnt
            assert message.is_valid, message.raw
            fields = message.decode().asdict()
            out.append({key: value for key, value in fields.items() if not isinstance(value, (bytes, bytearray))})
    assert used == lines, (used, lines)
    json.dump(out, sys.stdout)


main()
