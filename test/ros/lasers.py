"""Reads scans and clouds of `lasers.yaml` from a bag as their users do, and compares them with the wall 9 m ahead."""

import sys
from pathlib import Path

import numpy
from rosbags.highlevel import AnyReader

TYPES = {1: "i1", 2: "u1", 3: "<i2", 4: "<u2", 5: "<i4", 6: "<u4", 7: "<f4", 8: "<f8"}


def points_of(cloud):
    """The structured array that a cloud's fields describe."""
    names = [field.name for field in cloud.fields]
    formats = [TYPES[field.datatype] for field in cloud.fields]
    offsets = [field.offset for field in cloud.fields]
    dtype = numpy.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": cloud.point_step})
    assert cloud.row_step == cloud.point_step * cloud.width and len(cloud.data) == cloud.row_step * cloud.height
    return numpy.frombuffer(cloud.data.tobytes(), dtype)


def check_scan(scan):
    """A scan of the wall."""
    assert scan.header.frame_id == "r/laser", scan.header.frame_id
    angles = scan.angle_min + scan.angle_increment * numpy.arange(len(scan.ranges))
    assert len(angles) == 91 and abs(angles[-1] - scan.angle_max) < 1e-5
    assert numpy.allclose(scan.ranges, 9.0 / numpy.cos(angles), atol=1e-4)
    assert abs(scan.time_increment * 90 - 0.025) < 1e-6 and abs(scan.scan_time - 0.1) < 1e-6
    assert (scan.range_min, scan.range_max) == (0.0, 30.0)


def check_cloud(cloud):
    """Points of the wall; above its rings there is nothing else."""
    assert cloud.header.frame_id == "r/lidar", cloud.header.frame_id
    points = points_of(cloud)
    assert cloud.is_dense and len(points) > 300
    assert numpy.allclose(points["x"], 9.0, atol=1e-4)
    distance = numpy.sqrt(points["x"] ** 2 + points["y"] ** 2 + points["z"] ** 2)
    elevation = numpy.degrees(numpy.arcsin(points["z"] / distance))
    assert numpy.allclose(elevation, 5.0 * points["ring"].astype(float) - 5.0, atol=1e-3)
    turned = (numpy.pi - numpy.arctan2(points["y"], points["x"])) / (2 * numpy.pi)
    assert numpy.allclose(points["time"], 0.2 * turned, atol=1e-4)


def main():
    """One bag."""
    seen = {}
    with AnyReader([Path(sys.argv[1])]) as reader:
        for connection, stamp, data in reader.messages():
            check = {"/r/laser/scan": check_scan, "/r/lidar/points": check_cloud}.get(connection.topic)
            if check:
                message = reader.deserialize(data, connection.msgtype)
                check(message)
                head = message.header.stamp
                assert head.sec * 10**9 + head.nanosec <= stamp
                seen[connection.topic] = seen.get(connection.topic, 0) + 1
    print(seen)
    assert seen == {"/r/laser/scan": 20, "/r/lidar/points": 10}, seen


main()
