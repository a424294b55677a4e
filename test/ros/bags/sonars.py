"""Reads the messages of `worlds/sonars.yaml` from a bag as their users do, and compares them with a
flat seabed 10 m below.
"""

import sys
from pathlib import Path

import numpy
from rosbags.highlevel import AnyReader

NUMBERS = {0: "u1", 2: "<u2"}


def image_of(data, rows):
    """Returns the values of an image: one row per range, one column per beam."""
    numbers = numpy.frombuffer(data.data.tobytes(), NUMBERS[data.dtype])
    return numbers.reshape(rows, data.beam_count)


def check_projected(message):
    """Checks an image of a forward-looking sonar."""
    assert message.header.frame_id == "r/ahead_acoustic"
    image = image_of(message.image, len(message.ranges))
    assert image.shape == (200, 64) and image.max() > 100
    first = message.beam_directions[0]
    assert abs(first.y + numpy.sin(numpy.radians(45))) < 1e-6 and abs(first.z - numpy.cos(numpy.radians(45))) < 1e-6


def check_samples(message):
    """Checks the same as samples over time."""
    image = image_of(message.image, message.samples_per_beam)
    assert image.shape == (200, 64) == (200, len(message.rx_angles)) and image.max() > 100
    ranges = (numpy.arange(200) + message.sample0) * 0.5 * message.ping_info.sound_speed / message.sample_rate
    assert abs(ranges[-1] - 30.0) < 0.3 and abs(message.rx_angles[0] + numpy.radians(45)) < 1e-6


def check_display(message):
    """Checks the rendered display image."""
    assert message.encoding == "mono8" and len(message.data) == message.height * message.step
    assert message.data.max() > 0


def check_detections(message):
    """Checks travel times to the seabed."""
    angles, times = numpy.array(message.rx_angles), numpy.array(message.two_way_travel_times)
    ranges = 0.5 * message.ping_info.sound_speed * times
    assert all(flag.flag == 0 for flag in message.flags) and len(angles) == 61
    assert numpy.allclose(ranges, 10.0 / numpy.cos(angles), atol=0.06)


def check_ranges(message):
    """Checks ranges to the seabed along beams."""
    depth = [unit.z * r for unit, r in zip(message.beam_unit_vec, message.ranges)]
    assert numpy.allclose(depth, 10.0, atol=0.05)


def check_points(message):
    """Checks the seabed as points."""
    assert message.point_step == 20 and message.width == 61
    points = numpy.frombuffer(message.data.tobytes(), "<f4").reshape(-1, 5)
    assert numpy.allclose(points[:, 2], 10.0, atol=0.05) and points[0, 1] < 0 < points[-1, 1]


def check_side(message):
    """Checks a side-scan line: no echo in the water column, then the seabed from 10 m on."""
    image = image_of(message.image, message.samples_per_beam)[:, 0].astype(float)
    ranges = (numpy.arange(400) + message.sample0) * 0.5 * message.ping_info.sound_speed / message.sample_rate
    assert image[(ranges > 12) & (ranges < 20)].mean() > image[(ranges > 3) & (ranges < 8)].mean() + 40


def check_turning(message):
    """Checks a line of a rotating head."""
    assert len(message.image.data) == message.samples_per_beam == 300 and len(message.rx_angles) == 1


def check_profile(message):
    """Checks the ranges of a head that tilts from 60 to 90 degrees down and back in 2 s to the
    seabed 10 m below, each at the tilt of its time.
    """
    stamp = message.header.stamp.sec + 1e-9 * message.header.stamp.nanosec
    for k, distance in enumerate(message.ranges):
        part = (stamp + k * message.time_increment) % 2 / 2
        tilt = numpy.radians(60 + 30 * (2 * part if part < 0.5 else 2 - 2 * part))
        # bearing and beam width are within the 3 %
        assert 9.9 < distance < 10.3 / numpy.sin(tilt), (stamp, k, distance, numpy.degrees(tilt))


def check_bearing(message):
    """Checks a bearing of a tilted head."""
    assert message.header.frame_id == "r/profiler" and len(message.ranges) == 1
    assert abs(message.angle_min) <= numpy.radians(10) + 1e-6
    check_profile(message)


def check_scan(message):
    """Checks a pass through the sector."""
    assert message.header.frame_id == "r/profiler" and len(message.ranges) == 2
    assert abs(abs(message.angle_increment) - numpy.radians(10)) < 1e-6
    check_profile(message)


CHECKS = {
    "/r/ahead/image_raw": check_projected,
    "/r/ahead/samples": check_samples,
    "/r/ahead/image_display": check_display,
    "/r/down/detections": check_detections,
    "/r/down/ranges": check_ranges,
    "/r/down/points": check_points,
    "/r/side/port/image_raw": check_side,
    "/r/side/starboard/image_raw": check_side,
    "/r/side/image_display": check_display,
    "/r/turning/image_raw": check_turning,
    "/r/turning/image_display": check_display,
    "/r/profiler/image_display": check_display,
    "/r/profiler/bearing": check_bearing,
    "/r/profiler/scan": check_scan,
}


def main():
    """Checks one bag."""
    seen = {}
    with AnyReader([Path(sys.argv[1])]) as reader:
        for connection, stamp, data in reader.messages():
            if check := CHECKS.get(connection.topic):
                message = reader.deserialize(data, connection.msgtype)
                check(message)
                head = message.header.stamp
                assert head.sec * 10**9 + head.nanosec <= stamp
                seen[connection.topic] = seen.get(connection.topic, 0) + 1
    print(seen)
    assert set(seen) == set(CHECKS) and all(n >= 9 for n in seen.values()), seen


main()
