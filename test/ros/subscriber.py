"""Receives samples of any topics with Cyclone DDS, without their types. Started by every_topic.py;
fastdds/subscriber.cpp is the same with Fast DDS.

    python3 test/ros/subscriber.py DOMAIN

Standard input has one line per topic, up to an empty line: name and type on DDS, and `volatile` or
`transient_local`. Prints `matched` when each topic has a publisher. After the end of the input and
two seconds without samples, prints one line per sample: name of the topic, CRC-32 of the payload
without its encapsulation header, padded to a multiple of four bytes.
"""

import select
import sys
import time
import zlib

import peer

# also published while time is stopped
CONTINUOUS = ("rt/clock", "rt/diagnostics")
QUIET_S = 2


class Sample:
    """Replaces a sample of which only the checksum is used."""

    def __init__(self, data):
        padding = bytes(-len(data) % 4)  # only some samples have it
        self.checksum, self.sample_info = zlib.crc32(padding, zlib.crc32(data[4:])), None


def raw_type(dds_name):
    """Returns a class whose samples are checksums."""
    package, kind, _, base = dds_name.rstrip("_").split("::")
    structure = peer.struct_type(f"{package}/{kind}/{base}", {"nothing": peer.types.uint8})
    structure.deserialize = staticmethod(lambda data, **_: Sample(data))
    return structure


def main():
    participant = peer.Peer(int(sys.argv[1]))
    readers, types, received = {}, {}, []
    while line := sys.stdin.readline().strip():
        topic, kind, durability = line.split()
        types[kind] = types.get(kind) or raw_type(kind)
        readers[topic] = participant.raw_subscriber(topic, types[kind], depth=5000,
                                                    transient_local=durability == "transient_local")
    waiting, is_open, last = set(readers), True, time.monotonic()
    while is_open or time.monotonic() < last + QUIET_S:
        if is_open and select.select([sys.stdin], [], [], 0)[0]:
            is_open, last = False, time.monotonic()
        for topic, reader in readers.items():
            samples = peer.valid(reader.take(N=1000))
            received += [(topic, sample.checksum) for sample in samples]
            if samples and topic not in CONTINUOUS:
                last = time.monotonic()
        if waiting:
            waiting = {topic for topic in waiting if not readers[topic].get_matched_publications()}
            if not waiting:
                print("matched", flush=True)
        time.sleep(0.005)
    for topic, checksum in received:
        print(topic, checksum)


if __name__ == "__main__":
    main()
