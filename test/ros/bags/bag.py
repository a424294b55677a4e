#!/usr/bin/env python3
"""Reads a bag that Merrow recorded with two independent readers and compares their results.

    python3 test/ros/bags/bag.py FILE.mcap [--truncated] [--expect TOPIC=COUNT]... [--at-least TOPIC=COUNT]... [--from NS]

A complete bag is read by rosbags as a file, and as a folder if it has a metadata.yaml, and by
mcap-ros2-support as a file. All must return the same messages with the same values, the message
counts of the metadata, and the type hashes that rosbags computes from the definitions in the file.
Copies that are truncated at many positions must still give their first messages to a streaming
reader.

--truncated: the recorder was killed, so the file has no end; only the streaming reader is used.
--expect, --at-least: number of messages of a topic.
--from: log time before which no message was recorded.

Needs `pip install rosbags==0.11.9 mcap-ros2-support`. Prints every failure; the exit code is 1 if
there is one.
"""

import argparse
import collections
import dataclasses
import io
import math
import pathlib
import struct
import sys

import numpy
import rosbags.typesys.store
from mcap.exceptions import McapError
from mcap.reader import make_reader
from mcap.records import Channel, Message, Schema
from mcap.stream_reader import StreamReader
from mcap_ros2.decoder import DecoderFactory
from rosbags.rosbag2 import Reader
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

# see messages.py
rosbags.typesys.store.TIDMAP["char"] = rosbags.typesys.store.TIDMAP["uint8"]

CUTS = 10


def is_field(name):
    """Returns whether a name is a field, not one of the other attributes in rosbags: type, dummy
    byte of an empty message, constants.
    """
    return name not in ("__msgtype__", "structure_needs_at_least_one_member") and not name.isupper()


def plain(value):
    """Converts a message of either reader to tuples, lists and numbers."""
    if isinstance(value, numpy.ndarray):
        return plain(value.tolist())
    if isinstance(value, float) and math.isnan(value):
        return "NaN"  # which equals itself, unlike a NaN
    if isinstance(value, (bytes, bytearray, memoryview)):
        return list(value)
    if isinstance(value, (list, tuple)):
        return [plain(element) for element in value]
    if dataclasses.is_dataclass(value):  # rosbags
        names = [field.name for field in dataclasses.fields(value) if is_field(field.name)]
        return {name: plain(getattr(value, name)) for name in names}
    if hasattr(value, "__slots__"):  # mcap-ros2-support
        return {name: plain(getattr(value, name)) for name in value.__slots__}
    return value


def read_with_rosbags(path, is_decoded=True):
    """Returns topic -> [(log time, values)], with bytes in place of values if not `is_decoded`."""
    messages = collections.defaultdict(list)
    with Reader(path) as reader:
        store = get_typestore(Stores.EMPTY)
        for connection in reader.connections:
            store.register(get_types_from_msg(connection.msgdef.data, connection.msgtype))
        for connection in reader.connections:
            digest = connection.digest
            if digest and digest != store.hash_rihs01(connection.msgtype):
                raise ValueError(f"{connection.topic}: type hash {digest} differs from the hash of its definition")
            if not connection.ext.offered_qos_profiles:
                raise ValueError(f"{connection.topic}: no QoS")
        for connection, time, data in reader.messages(reader.connections):
            values = plain(store.deserialize_cdr(data, connection.msgtype)) if is_decoded else bytes(data)
            messages[connection.topic].append((time, values))
        stated = collections.Counter()
        for connection in reader.connections:
            stated[connection.topic] += connection.msgcount
        counted = {topic: len(found) for topic, found in messages.items()}
        if +stated != counted or reader.message_count != sum(counted.values()):
            raise ValueError(f"{path}: {dict(stated)} stated, {counted} found")
    return messages


def read_with_mcap(path):
    """Returns topic -> [(log time, values)]."""
    messages = collections.defaultdict(list)
    with open(path, "rb") as file:
        reader = make_reader(file, decoder_factories=[DecoderFactory()])
        for _, channel, message, values in reader.iter_decoded_messages():
            messages[channel.topic].append((message.log_time, plain(values)))
        # the others are Merrow's own
        names = [metadata.name for metadata in reader.iter_metadata() if not metadata.name.startswith("merrow_")]
        if names != ["rosbag2"]:
            raise ValueError(f"metadata records {names}, expected 'rosbag2'")
        if reader.get_header().profile != "ros2":
            raise ValueError(f"profile {reader.get_header().profile}")
    return messages


def read_stream(data, is_decoded=True):
    """Returns topic -> [(log time, values)] up to the last byte, with or without an end of file; with bytes in place of
    values if not `is_decoded`.
    """
    messages, schemas, channels = collections.defaultdict(list), {}, {}
    factory, decoders = DecoderFactory(), {}
    try:
        for record in StreamReader(io.BytesIO(data), record_size_limit=None).records:
            if isinstance(record, Schema):
                schemas[record.id] = record
            elif isinstance(record, Channel):
                channels[record.id] = record
                if is_decoded:
                    decoders[record.id] = factory.decoder_for(record.message_encoding, schemas[record.schema_id])
            elif isinstance(record, Message):
                values = plain(decoders[record.channel_id](record.data)) if is_decoded else record.data
                messages[channels[record.channel_id].topic].append((record.log_time, values))
    except (McapError, EOFError, struct.error):
        pass  # expected for a truncated file
    return messages


def compare(name, found, expected):
    """Yields one line per topic that differs."""
    for topic in sorted(found.keys() | expected.keys()):
        if found.get(topic) != expected.get(topic):
            yield f"{name}: {topic}: {len(found.get(topic, []))} messages, {len(expected.get(topic, []))} by rosbags, " \
                  "or other values"


def check_cuts(data):
    """Yields one line per truncation that loses more than the end or adds messages. Compares bytes, because decoding
    takes most of the time of this script.
    """
    before, whole = 0, read_stream(data, is_decoded=False)
    for cut in range(1, CUTS + 1):
        messages = read_stream(data[:len(data) * cut // CUTS], is_decoded=False)
        for topic, found in messages.items():
            if found != whole[topic][:len(found)]:
                yield f"cut at {cut}/{CUTS}: {topic}: not the first messages"
        total = sum(map(len, messages.values()))
        if total < before:
            yield f"cut at {cut}/{CUTS}: {total} messages, {before} in a shorter piece"
        before = total


def counts(options):
    return {topic: int(count) for topic, _, count in (option.rpartition("=") for option in options)}


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("bag", type=pathlib.Path)
    parser.add_argument("--truncated", action="store_true")
    parser.add_argument("--expect", action="append", default=[])
    parser.add_argument("--at-least", action="append", default=[])
    parser.add_argument("--from", type=int, default=0, dest="begin_ns")
    arguments = parser.parse_args()

    failures = []
    data = arguments.bag.read_bytes()
    messages = read_stream(data)
    if not arguments.truncated:
        try:
            folder = arguments.bag.parent
            bag = folder if (folder / "metadata.yaml").exists() else arguments.bag
            by_folder = read_with_rosbags(bag)
            by_file, same = (read_with_rosbags(path, is_decoded=False) for path in (arguments.bag, bag))
            failures += compare("rosbags, file", by_file, same)
            failures += compare("mcap-ros2-support", read_with_mcap(arguments.bag), by_folder)
            failures += compare("stream", messages, by_folder)
            failures += check_cuts(data)
        except Exception as error:  # an exception of any reader is an error of the bag
            failures.append(f"{type(error).__name__}: {error}")

    for topic, count in counts(arguments.expect).items():
        if len(messages[topic]) != count:
            failures.append(f"{topic}: {len(messages[topic])} messages, expected {count}")
    for topic, count in counts(arguments.at_least).items():
        if len(messages[topic]) < count:
            failures.append(f"{topic}: {len(messages[topic])} messages, expected at least {count}")

    failures += [f"{topic}: log time {found[0][0]}, expected none before {arguments.begin_ns}"
                 for topic, found in sorted(messages.items()) if found and found[0][0] < arguments.begin_ns]

    for topic, found in sorted(messages.items()):
        print(f"{len(found):8} {topic}, log time {found[0][0]} to {found[-1][0]} ns" if found else f"       0 {topic}")
    for failure in failures:
        print(f"FAIL {failure}")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
