"""Writes bags with compressed chunks by the MCAP library of Python, which uses the C libraries.

Usage: compressed_bags.py FOLDER

Each bag has a message of `/x` every 10 ns from 0 to 29,990 ns: the time as a `std_msgs/msg/UInt64`
followed by bytes that neither repeat nor are random. FOLDER/COMPRESSION_SIZE.mcap has chunks of
SIZE bytes.
"""

import struct
import sys
from pathlib import Path

from mcap.writer import CompressionType, Writer

SCHEMA = b"uint64 time\nuint8[] bytes"


def message(time):
    # numbers whose digits repeat at varying distances, and a long run in some messages
    text = ",".join(str((time * k) % 997) for k in range(time // 10 % 90)).encode()
    text += b"0" * (2000 if time % 700 == 0 else 0)
    head = struct.pack("<BBBBQI", 0, 1, 0, 0, time, len(text))
    return head + text


def main():
    folder = Path(sys.argv[1])
    for compression in (CompressionType.LZ4, CompressionType.ZSTD):
        for size in (300, 100_000, 4_000_000):
            path = folder / f"{compression.name.lower()}_{size}.mcap"
            with open(path, "wb") as file:
                writer = Writer(file, chunk_size=size, compression=compression)
                writer.start(profile="ros2")
                schema = writer.register_schema("test_msgs/msg/Text", "ros2msg", SCHEMA)
                channel = writer.register_channel("/x", "cdr", schema)
                for time in range(0, 30_000, 10):
                    writer.add_message(channel, time, message(time), time)
                writer.finish()


main()
