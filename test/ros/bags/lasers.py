"""Reads scans and clouds of `worlds/lasers.yaml` from a bag as their users do, and compares them
with the wall 9 m ahead.
"""

import sys
from pathlib import Path

import numpy
from rosbags.highlevel import AnyReader

TYPES = {1: "i1", 2: "u1", 3: "<i2", 4: "<u2", 5: "<i4", 6: "<u4", 7: "<f4", 8: "<f8"}


def points_of(cloud):
    """Returns the structured array that the fields of a cloud describe."""
    names = [field.name for field in cloud.fields]
    formats = [TYPES[field.datatype] for field in cloud.fields]
    offsets = [field.offset for field in cloud.fields]
    dtype = numpy.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": cloud.point_step})
    assert cloud.row_step == cloud.point_step * cloud.width and len(cloud.data) == cloud.row_step * cloud.height
    return numpy.frombuffer(cloud.data.tobytes(), dtype)


def check_scan(scan):
    """Checks a scan of the wall."""
    assert scan.header.frame_id == "r/laser", scan.header.frame_id
    angles = scan.angle_min + scan.angle_increment * numpy.arange(len(scan.ranges))
    assert len(angles) == 91 and abs(angles[-1] - scan.angle_max) < 1e-5
    assert numpy.allclose(scan.ranges, 9.0 / numpy.cos(angles), atol=1e-4)
    assert abs(scan.time_increment * 90 - 0.025) < 1e-6 and abs(scan.scan_time - 0.1) < 1e-6
    assert (scan.range_min, scan.range_max) == (0.0, 30.0)


def check_cloud(cloud):
    """Checks the points on the wall; no other points lie above its rings."""
    assert cloud.header.frame_id == "r/lidar", cloud.header.frame_id
    points = points_of(cloud)
    assert cloud.is_dense and len(points) > 300
    assert numpy.allclose(points["x"], 9.0, atol=1e-4)
    distance = numpy.sqrt(points["x"] ** 2 + points["y"] ** 2 + points["z"] ** 2)
    elevation = numpy.degrees(numpy.arcsin(points["z"] / distance))
    assert numpy.allclose(elevation, 5.0 * points["ring"].astype(float) - 5.0, atol=1e-3)
    turned = (numpy.pi - numpy.arctan2(points["y"], points["x"])) / (2 * numpy.pi)
    assert numpy.allclose(points["time"], 0.2 * turned, atol=1e-4)


def tilt_at(stamp):
    """Returns the angle of the tilt unit at a time [ns]."""
    part = stamp % 10**9 / 1e9
    return numpy.radians(-8 + 16 * (2 * part if part < 0.5 else 2 - 2 * part))


def check_tilted_scan(scan):
    """Checks a scan of the wall with the tilt at the time of each beam."""
    assert scan.header.frame_id == "r/nodded", scan.header.frame_id
    stamp = scan.header.stamp.sec * 10**9 + scan.header.stamp.nanosec
    for k, distance in enumerate(scan.ranges):
        azimuth, tilt = scan.angle_min + k * scan.angle_increment, tilt_at(stamp + 1e9 * k * scan.time_increment)
        assert abs(distance - 9.0 / (numpy.cos(azimuth) * numpy.cos(tilt))) < 1e-4


def check_swept_cloud(cloud):
    """Checks that all points of a tilt cycle lie on the wall, in the frame of the mount."""
    assert cloud.header.frame_id == "r/nodded_mount", cloud.header.frame_id
    points = points_of(cloud)
    assert len(points) == 910 and set(points["ring"]) == set(range(10))
    assert numpy.allclose(points["x"], 9.0, atol=1e-4)
    assert points["time"].min() == 0.0 and 0.9 < points["time"].max() < 1.0
    assert points["z"].min() < -1.2 and points["z"].max() > 1.2


def check_joints(state):
    """Checks the joint of the tilt unit."""
    assert list(state.name) == ["nodded_tilt"]
    stamp = state.header.stamp.sec * 10**9 + state.header.stamp.nanosec
    assert abs(state.position[0] - tilt_at(stamp)) < 1e-6


CHECKS = {
    "/r/laser/scan": check_scan,
    "/r/lidar/points": check_cloud,
    "/r/nodded/scan": check_tilted_scan,
    "/r/nodded/points": check_swept_cloud,
    "/r/joint_states": check_joints,
}


def main():
    """Checks one bag."""
    seen = {}
    with AnyReader([Path(sys.argv[1])]) as reader:
        for connection, stamp, data in reader.messages():
            check = CHECKS.get(connection.topic)
            if check:
                message = reader.deserialize(data, connection.msgtype)
                check(message)
                head = message.header.stamp
                assert head.sec * 10**9 + head.nanosec <= stamp
                seen[connection.topic] = seen.get(connection.topic, 0) + 1
    print(seen)
    assert seen.pop("/r/joint_states") > 90
    assert seen == {"/r/laser/scan": 20, "/r/lidar/points": 10, "/r/nodded/scan": 20, "/r/nodded/points": 2}, seen


main()
