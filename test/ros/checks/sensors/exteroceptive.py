"""Checks of end_to_end.py: exteroceptive sensors in a running world."""

import pathlib
import struct

from live import Merrow, describe, latest, nanoseconds, take, wait_for

POINT = struct.Struct("<fffff")
# of the river world, and of worlds that do not set it
STEPS_PER_S, USUAL_STEPS_PER_S = 250, 500
WORLDS = pathlib.Path(__file__).parents[2] / "worlds"
CAMERAS, SONARS = (str(WORLDS / f"{name}.yaml") for name in ("cameras", "sonars"))


def collect(m, reader, seconds_, steps_per_s=STEPS_PER_S):
    """Returns the messages of the next seconds of simulated time, including all that are due by
    then.
    """
    found = []
    # one after another, because frames and the reply are waited for
    for _ in range(10 * seconds_):
        end = m.step(steps_per_s // 10)
    newest = lambda: nanoseconds(found[-1].header.stamp)
    assert wait_for(lambda: found.extend(take(reader)) or found and newest() >= end - 250_000_000), len(found)
    return [message for message in found if nanoseconds(message.header.stamp) > end - seconds_ * 10**9]


def first(m, reader):
    """Steps until the reader has its first message. The node may discover it late; after that no
    message is lost.
    """
    assert wait_for(lambda: m.step(USUAL_STEPS_PER_S // 10) and take(reader)), "no message at all"


def are_all(found, period_ns):
    """Returns whether messages of a second are all those that a sensor with this period takes."""
    stamps = [nanoseconds(message.header.stamp) for message in found]
    whole = 10**9 // period_ns
    return len(stamps) in (whole - 1, whole) and all(b - a == period_ns for a, b in zip(stamps, stamps[1:]))


def check_lasers_of_the_river():
    """Clouds and scans of the boat are published once there is a subscriber: their rates, stamps,
    frames, and the banks of the valley in them.
    """
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


def check_images_and_pings():
    """A camera publishes one colour image, depth image, JPEG and camera_info per frame, and only
    subscribed outputs; a forward-looking sonar its pings.
    """
    with Merrow(CAMERAS, "--pace", "lockstep") as m:
        topics = ("image_raw", "image_raw/compressed", "depth/image_raw", "camera_info",
                  "depth/image_raw/compressedDepth", "depth/camera_info")
        readers = [m.listen(f"/r/cam/{topic}") for topic in topics]
        for reader in readers:
            first(m, reader)
        # published once, before there was a subscriber
        names = latest(m.listen("/r/cam/labels/names", transient_local=True, depth=1))
        assert {one.class_id: one.class_name for one in names.class_map}[2] == "wall", names
        sets = [collect(m, reader, 1, USUAL_STEPS_PER_S) for reader in readers]
        for topic, found in zip(topics, sets):
            assert are_all(found, 200_000_000), (topic, [nanoseconds(message.header.stamp) for message in found])
            assert {message.header.frame_id for message in found} == {"r/cam_optical_frame"}, topic
        colours, jpegs, depths, infos, files, beside = (found[-1] for found in sets)
        assert (colours.width, colours.height, colours.encoding) == (64, 48, "rgb8")
        red, green, _ = bytes(colours.data)[3 * (24 * 64 + 32):][:3]
        assert red > 1.5 * green, f"the wall is red: {red}, {green}"
        assert bytes(jpegs.data)[:2] == b"\xff\xd8" and jpegs.format.startswith("rgb8; jpeg"), jpegs.format
        ahead = struct.unpack_from("<f", bytes(depths.data), 4 * (24 * 64 + 32))[0]
        assert abs(ahead - 9) < 0.05, f"the wall is 9 m off: {ahead}"
        assert bytes(files.data)[12:16] == b"\x89PNG" and files.format == "32FC1; compressedDepth png", files.format
        assert (infos.width, infos.k[0], infos.distortion_model) == (64, 90, "plumb_bob")
        assert list(beside.p) == list(infos.p) and list(beside.k) == list(infos.k)
        m.alive()
    with Merrow(SONARS, "--pace", "lockstep") as m:
        pings = m.listen("/r/ahead/image_raw")
        first(m, pings)
        found = collect(m, pings, 1, USUAL_STEPS_PER_S)
        assert are_all(found, 200_000_000), [nanoseconds(ping.header.stamp) for ping in found]
        for ping in found:
            assert (ping.header.frame_id, len(ping.ranges)) == ("r/ahead_acoustic", 200)
            assert ping.image.beam_count == len(ping.beam_directions) == 64
            assert len(ping.image.data) == 64 * 200, "a byte a beam and range"
        m.alive()


def check_quality_of_service():
    """A best-effort sensor does not match a reliable subscriber and matches a best-effort one; a
    sensor with the default QoS matches both.
    """
    world = str(WORLDS / "quality.yaml")
    offered = {topic["topic"]: topic["qos"] for topic in describe(world)["published"]}
    assert offered["/r/plain"] == "reliable, volatile, keep last 10", offered
    assert offered["/r/quick"] == "best_effort, volatile, keep last 3", offered
    with Merrow(world) as m:
        deaf = m.peer.subscriber("/r/quick", m.type_of("/r/quick"), reliable=True)
        readers = [m.listen("/r/quick", reliable=False), m.listen("/r/plain", reliable=False), m.listen("/r/plain")]
        counts = [0, 0, 0]

        def received():
            for k, reader in enumerate(readers):
                counts[k] += len(take(reader))
            return min(counts) > 10

        assert wait_for(received, 15), counts
        assert not deaf.get_matched_publications() and not take(deaf), "reliable is more than is offered"
        m.alive()


CHECKS = [check_images_and_pings, check_quality_of_service]
SLOW_CHECKS = [check_lasers_of_the_river]
