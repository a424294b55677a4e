#!/usr/bin/env python3
"""Compares JPEG and PNG images with the same raw images, as a subscriber of image_transport would
receive them.

    python3 test/ros/bags/images.py BAG

BAG is the folder of a bag with images on TOPIC (sensor_msgs/msg/Image) and their compressed
versions on TOPIC/compressed, TOPIC/lossless/compressed or TOPIC/compressedDepth
(sensor_msgs/msg/CompressedImage), one message each. Pillow decodes the compressed images; `format`
is interpreted as in compressed_image_transport and compressed_depth_image_transport.

Needs `pip install rosbags==0.11.9 pillow==12.3.0`. Prints every failure; the exit code is 1 if
there is one.
"""

import io
import pathlib
import struct
import sys

import numpy
from PIL import Image
from rosbags.rosbag2 import Reader
from rosbags.typesys import Stores, get_typestore

MIN_DB = 35
# encoding: type of a value, values per pixel
ENCODINGS = {"rgb8": ("u1", 3), "mono8": ("u1", 1), "16UC1": ("<u2", 1), "32FC1": ("<f4", 1)}


def read(folder):
    """Returns topic -> message."""
    store = get_typestore(Stores.ROS2_JAZZY)
    with Reader(folder) as reader:
        return {connection.topic: store.deserialize_cdr(data, connection.msgtype)
                for connection, _, data in reader.messages()}


def raw(message):
    """Returns the pixels of an Image, rows by columns by channels."""
    kind, channels = ENCODINGS[message.encoding]
    assert message.is_bigendian == 0 and message.step * message.height == len(message.data), "step"
    assert message.step == message.width * channels * numpy.dtype(kind).itemsize, "step"
    pixels = numpy.frombuffer(message.data.tobytes(), kind)
    return pixels.reshape(message.height, message.width, channels).astype(float)


def decode(file, kind):
    """Returns the pixels of a compressed image, which must be of this kind."""
    with Image.open(io.BytesIO(file)) as image:
        assert image.format == kind, f"a file of {image.format}, expected {kind}"
        pixels = numpy.asarray(image).astype(float)
    return pixels.reshape(pixels.shape[0], pixels.shape[1], -1)


def check_jpeg(message, expected, encoding):
    stored = "bgr8" if encoding == "rgb8" else "mono8"
    assert message.format == f"{encoding}; jpeg compressed {stored}", message.format
    found = decode(message.data.tobytes(), "JPEG")
    assert found.shape == expected.shape, f"{found.shape}, expected {expected.shape}"
    decibels = 10 * numpy.log10(255**2 / numpy.mean((found - expected) ** 2))
    assert decibels > MIN_DB, f"{decibels:.1f} dB"
    return f"{decibels:.1f} dB"


def check_png(message, expected, encoding):
    stored = "bgr8" if encoding == "rgb8" else ""
    assert message.format == f"{encoding}; png compressed {stored}", message.format
    found = decode(message.data.tobytes(), "PNG")
    assert numpy.array_equal(found, expected), "not the same numbers"
    return "the same"


def check_depth(message, expected, encoding):
    assert message.format == f"{encoding}; compressedDepth png", message.format
    data = message.data.tobytes()
    # the header struct of the plugin: an enum and two floats
    kind, a, b = struct.unpack("<iff", data[:12])
    assert kind == 0, f"coding {kind}"
    numbers = decode(data[12:], "PNG")
    with numpy.errstate(divide="ignore"):
        found = numpy.where(numbers > 0, a / (numbers - b), numpy.nan)
    known = expected < a / (1 - b)
    assert numpy.array_equal(known, numpy.isfinite(found)), "not the same pixels have a depth"
    error, half_step = numpy.abs(found - expected)[known], (expected**2 / a / 2)[known]
    assert (error < 1.01 * half_step + 1e-6).all(), f"{(error / half_step).max():.2f} half steps"
    return f"within {1000 * error.max():.1f} mm"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    messages = read(pathlib.Path(sys.argv[1]))
    failed, checked = False, 0
    for suffix, check in [("/lossless/compressed", check_png), ("/compressedDepth", check_depth), ("/compressed", check_jpeg)]:
        for topic in sorted(topic for topic in messages if topic.endswith(suffix)):
            source = messages.get(topic.removesuffix(suffix))
            if source is None:
                continue
            checked += 1
            try:
                result = check(messages[topic], raw(source), source.encoding)
                print(f"ok {topic}: {len(messages[topic].data)} of {len(source.data)} bytes, {result}")
            except Exception as error:  # report every failure
                failed = True
                print(f"FAIL {topic}: {type(error).__name__}: {error}")
    if checked != 6:
        failed = True
        print(f"FAIL {checked} files, expected 6")
    sys.exit(failed)


if __name__ == "__main__":
    main()
