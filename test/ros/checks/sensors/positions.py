"""Checks of end_to_end.py: positioning and vessel sensors, as received by a peer during a run."""

import math
import pathlib
import time

from bags import positions
from live import Merrow, describe, gather, nanoseconds, take, wait_for

WORLD = str(pathlib.Path(__file__).parents[2] / "worlds" / "positions.yaml")
FAULT = dict(name="out", robot="", names=[], values=[], duration_s=0.0)


def check_positions():
    """Every topic of pingers, transponders, baseline systems, detectors, radar and AIS has the
    values of the bag of the same world, with increasing stamps.
    """
    with Merrow(WORLD) as m:
        readers = {topic: m.listen(topic) for topic in positions.CHECKS}
        good, stamps = {}, {}

        def hear():
            for topic, reader in readers.items():
                for message in take(reader):
                    good[topic] = positions.CHECKS[topic](message) or good.get(topic, False)
                    if hasattr(message, "header"):
                        stamps.setdefault(topic, []).append(nanoseconds(message.header.stamp))
            return set(good) == set(readers) and all(good.values())

        assert wait_for(hear, 20), {topic: good.get(topic) for topic in readers if not good.get(topic)}
        for topic, found in stamps.items():
            # a message in several sentences has one stamp
            rises = (lambda a, b: a <= b) if topic.endswith("nmea") else (lambda a, b: a < b)
            assert all(map(rises, found, found[1:])), f"{topic}: stamps do not rise"
        m.alive()


def check_beacon_fault():
    """A transponder that is broken by the service is no longer received until it is repaired; the
    others are received throughout.
    """
    with Merrow(WORLD) as m:
        assert {beacon["name"] for beacon in describe(WORLD)["beacons"]} == {"ping", "tail", "a", "b", "c", "loc"}
        poses, ranges, health = (m.listen(topic) for topic in ("/r/usbl/tail/pose", "/r/lbl/a/range", "/diagnostics"))
        assert wait_for(lambda: take(poses) and take(ranges)), "no beacon is received"
        m.do("fault", device="tail", kind="dead", **FAULT)
        time.sleep(0.6)  # for messages in transit
        take(ranges)
        assert not gather(poses, 1.2) and take(ranges), "a dead transponder, or no other"
        found = []
        assert wait_for(lambda: found.extend(s for d in take(health) for s in d.status if "fault out" in s.name) or found)
        assert (found[0].name, found[0].message) == ("beacons: fault out", "beacons/tail is dead"), found[0]
        m.do("fault", device="tail", kind="none", **FAULT)
        assert wait_for(lambda: take(poses)), "not repaired"
        for wrong, why in (({"device": "tall", "kind": "dead"}, "no beacon or fixed modem `tall`"),
                           ({"device": "tail", "kind": "stuck"}, "cannot be `stuck`"),
                           ({"device": "tail", "kind": "biased", "names": ["bias"], "values": [math.nan]}, "finite number")):
            reply = m.call("fault", **(FAULT | wrong))
            assert not reply.success and why in reply.message, reply


CHECKS = [check_positions, check_beacon_fault]
