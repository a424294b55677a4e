"""Checks of end_to_end.py: sensors that look around, in a running world."""

import struct

from live import Merrow, nanoseconds, take, wait_for

POINT = struct.Struct("<fffff")
STEPS_PER_S = 250


def collect(m, reader, seconds_):
    """Messages of the next seconds of simulated time, all that are due by then."""
    take(reader)
    end, found = m.step(STEPS_PER_S * seconds_), []
    newest = lambda: nanoseconds(found[-1].header.stamp)
    assert wait_for(lambda: found.extend(take(reader)) or found and newest() >= end - 250_000_000), len(found)
    return found


def check_lasers_of_the_river():
    """Clouds and scans of the boat come once somebody subscribes: their rates, stamps, frames, and the valley's banks in them."""
    with Merrow("riverwatch", "--pace", "lockstep") as m:
        clouds = m.listen("/usv/lidar/points")
        m.step(STEPS_PER_S)
        found = collect(m, clouds, 2)
        assert 18 <= len(found) <= 21, f"{len(found)} clouds in 2 s"
        stamps = [nanoseconds(cloud.header.stamp) for cloud in found]
        steps = {b - a for a, b in zip(stamps, stamps[1:])}
        assert steps == {100_000_000}, steps
        for cloud in found:
            assert cloud.header.frame_id == "usv/lidar"
            assert cloud.row_step == cloud.point_step * cloud.width == len(cloud.data), cloud.width
        data = bytes(found[-1].data)
        points = [POINT.unpack_from(data, k) for k in range(0, len(data), found[-1].point_step)]
        far = [(x * x + y * y + z * z) ** 0.5 for x, y, z, _, _ in points]
        assert len(points) > 500, f"{len(points)} points of a valley"
        assert min(far) > 0.4 and max(far) < 100.1, (min(far), max(far))
        assert any(distance > 20 for distance in far), "the banks"
        scans = m.listen("/usv/laser/scan")
        m.step(STEPS_PER_S)
        found = collect(m, scans, 1)
        assert 36 <= len(found) <= 41, f"{len(found)} scans in 1 s"
        assert all(len(scan.ranges) == 361 for scan in found)
        m.alive()


CHECKS = [check_lasers_of_the_river]
