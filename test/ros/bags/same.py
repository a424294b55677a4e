#!/usr/bin/env python3
"""Checks that bags have the same messages for two independent readers.

    python3 test/ros/bags/same.py BAG BAG...

BAGs are folders with a metadata.yaml. rosbags reads a bag as a whole, mcap reads its files one after the other. Topics,
log times, bytes and their order must be those of the first bag. Prints every difference; the exit code is 1 if there is
one. Needs `pip install rosbags mcap`, which install lz4 and ruamel.yaml.
"""

import pathlib
import sys

from mcap.reader import SeekingReader
from rosbags.rosbag2 import Reader
from ruamel.yaml import YAML


def rosbags_messages(folder):
    """Returns (topic, log time, bytes) of all messages, as rosbags reads them."""
    with Reader(folder) as reader:
        found = [(connection.topic, time, bytes(data)) for connection, time, data in reader.messages()]
        if reader.message_count != len(found):
            raise ValueError(f"{folder}: {reader.message_count} messages stated, {len(found)} found")
    return sorted(found)


def mcap_messages(folder):
    """Returns (topic, log time, bytes) of all messages of the files, which have their own index and checksums."""
    information = YAML(typ="safe").load(folder / "metadata.yaml")["rosbag2_bagfile_information"]
    found = []
    for file in information["files"]:
        with open(folder / file["path"], "rb") as stream:
            reader = SeekingReader(stream, validate_crcs=True, record_size_limit=None)
            own = [(channel.topic, message.log_time, message.data) for _, channel, message in reader.iter_messages()]
        if len(own) != file["message_count"] or len(own) != reader.get_summary().statistics.message_count:
            raise ValueError(f"{folder}: {file['path']}: {file['message_count']} messages stated, {len(own)} found")
        times = [time for _, time, _ in own]
        start = file["starting_time"]["nanoseconds_since_epoch"]
        if [min(times), max(times)] != [start, start + file["duration"]["nanoseconds"]]:
            raise ValueError(f"{folder}: {file['path']}: wrong times in metadata.yaml")
        found += own
    return sorted(found)


def main():
    """Compares the bags and returns the exit code."""
    first, *others = map(pathlib.Path, sys.argv[1:])
    expected = rosbags_messages(first)
    code = 0
    for folder in [first, *others]:
        for read in (rosbags_messages, mcap_messages):
            found = read(folder)
            if found != expected:
                print(f"{folder}: {read.__name__}: {len(found)} messages differ from {len(expected)} of {first}")
                code = 1
    return code


if __name__ == "__main__":
    sys.exit(main())
