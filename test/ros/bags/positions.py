"""Reads the messages of `worlds/positions.yaml` from a bag as their users do, and compares them
with the true positions.

checks/sensors/positions.py also uses the checks of messages, for the same messages over DDS.
"""

import sys
from pathlib import Path

import numpy

OWN = numpy.array([0.0, 0.0, -10.0])


def near(point, expected, tolerance):
    """Asserts that a point is at a position."""
    found = numpy.array([point.x, point.y, point.z])
    assert numpy.linalg.norm(found - expected) < tolerance, (found, expected)


def check_hydrophones(message):
    """Checks detections of any number of pingers, here one."""
    assert message.header.frame_id == "r/ears"
    for found in message.detections:
        assert found.id == "ping" and found.results[0].hypothesis.class_id == "30 kHz"
        near(found.results[0].pose.pose.position, numpy.array([40, -30, -20]) - OWN, 0.01)
        near(found.bbox.center.position, numpy.array([40, -30, -20]) - OWN, 0.01)
        assert 0 < found.results[0].hypothesis.score <= 1
    return len(message.detections) == 1


def check_usbl(message):
    """Checks a position in the frame of the head, with a covariance."""
    assert message.header.frame_id == "r/usbl"
    near(message.pose.pose.position, numpy.array([-30, 20, -25]) - OWN, 0.5)
    covariance = numpy.reshape(message.pose.covariance, (6, 6))
    assert numpy.allclose(covariance, covariance.T) and covariance[3, 3] == 1e6 and message.pose.pose.orientation.w == 1
    return True


def check_usbl_world(message):
    """Checks the same position in the world frame."""
    assert message.header.frame_id == "world"
    near(message.pose.pose.position, numpy.array([-30, 20, -25]), 0.5)
    return True


def check_lbl(message):
    """Checks the own position in the world frame."""
    assert message.header.frame_id == "world"
    near(message.pose.pose.position, OWN, 0.5)
    return True


def check_range(message):
    """Checks a range to a transponder."""
    assert message.radiation_type == 0 and message.header.frame_id == "r/lbl" and message.max_range == 200
    assert abs(message.range - numpy.linalg.norm(numpy.array([50, 40, -58]) - OWN)) < 0.01
    return True


def check_sbl(message):
    """Checks a position in the frame of the receivers."""
    near(message.pose.pose.position, numpy.array([6, 4, -22]) - OWN, 0.01)
    return True


def check_boxes(message):
    """Checks boxes around echoes; one of them is the pile, with the same number in all messages."""
    assert message.header.frame_id == "world"
    at = [found for found in message.detections
          if numpy.hypot(found.bbox.center.position.x - 18, found.bbox.center.position.y - 3) < 1]
    assert len(at) == 1 and at[0].id.isdigit(), message.detections
    check_boxes.ids.add(at[0].id)
    return len(check_boxes.ids) == 1


check_boxes.ids = set()


def check_listed(message):
    """Checks a listed box of the world, in the frame of the detector."""
    assert message.header.frame_id == "r/listed" and [found.id for found in message.detections] == ["wreck"]
    box = message.detections[0].bbox
    near(box.center.position, numpy.array([20, 5, -12]) - OWN, 1e-6)
    near(box.size, numpy.array([6, 2, 3]), 1e-6)
    assert abs(box.center.orientation.z - numpy.sin(numpy.radians(15))) < 1e-6
    return True


def check_radar(message):
    """Checks sectors of a turn of one second, clockwise, with a shed to starboard."""
    assert message.header.frame_id == "top/radar"
    assert abs(message.angle_increment + 2 * numpy.pi / 512) < 1e-6 and message.scan_time.sec == 1
    assert len(message.intensities) == 128 and all(len(spoke.echoes) == 200 for spoke in message.intensities)
    angles = message.angle_start + message.angle_increment * numpy.arange(128)
    starboard = numpy.argmin(numpy.abs(angles + numpy.pi / 2))
    if abs(angles[starboard] + numpy.pi / 2) < 0.01:
        ranges = numpy.linspace(message.range_min, message.range_max, 200)
        echo = ranges[numpy.argmax(message.intensities[starboard].echoes)]
        assert abs(echo - 290) < 25, echo
        check_radar.seen = True
    return check_radar.seen


check_radar.seen = False


def check_display(message):
    """Checks a plan view with the shed to starboard."""
    assert message.header.frame_id == "top/radar" and message.encoding == "mono8" and message.step == message.width
    image = numpy.frombuffer(bytes(message.data), numpy.uint8).reshape(message.height, message.width)
    assert image.shape == (512, 512)
    # without the sea clutter at the antenna, which is the brightest echo before the beam meets the shed
    rows, columns = numpy.indices(image.shape)
    far = numpy.where(numpy.hypot(rows - 256, columns - 256) > 25, image, 0)
    row, column = numpy.unravel_index(numpy.argmax(far), image.shape)
    if far.max() > 100:
        assert abs(row - 256) < 30 and abs(column - (256 + 290 / 1000 * 256)) < 8, (row, column)
        check_display.seen = True
    return check_display.seen


check_display.seen = False


def check_ais(message):
    """Checks the sentences."""
    assert message.sentence.startswith("!AIVDM,") and message.sentence[-3] == "*"
    assert message.header.frame_id == "top/ais" and 0 < message.header.stamp.sec + message.header.stamp.nanosec
    return True


CHECKS = {
    "/r/ears/detections": check_hydrophones,
    "/r/usbl/tail/pose": check_usbl,
    "/r/usbl/tail/pose_world": check_usbl_world,
    "/r/lbl/pose_world": check_lbl,
    "/r/lbl/a/range": check_range,
    "/r/sbl/loc/pose": check_sbl,
    "/r/boxes/detections": check_boxes,
    "/r/listed/detections": check_listed,
    "/top/radar/data": check_radar,
    "/top/radar/image_display": check_display,
    "/top/ais/nmea": check_ais,
}


def main():
    """Checks one bag."""
    from rosbags.highlevel import AnyReader  # not needed by users of the checks over DDS

    good = {}
    with AnyReader([Path(sys.argv[1])]) as reader:
        for connection, _, data in reader.messages():
            if check := CHECKS.get(connection.topic):
                good[connection.topic] = check(reader.deserialize(data, connection.msgtype)) or good.get(connection.topic, False)
    print(good)
    assert set(good) == set(CHECKS) and all(good.values()), good


if __name__ == "__main__":
    main()
