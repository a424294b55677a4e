#!/usr/bin/env python3
"""Checks that subscribers of Cyclone DDS and Fast DDS receive every topic of every bundled world.

    python3 test/ros/every_topic.py [--binary target/debug/merrow] [--vendor NAME]... [WORLD]...

Each world runs in real time with subscribers of all topics that `merrow describe` lists, and
records a bag at the same time. On a slow machine sensors do not achieve their rates; therefore the
samples of a topic are compared with those in the bag, from the first received sample: at least 90 %
of them arrive, in their order, with the same bytes. Of /clock 70 % arrive: a publisher keeps the last
10 samples, which are 0.06 s of /clock, and a subscriber of 800 topics can stop for longer. Topics without samples in the bag are printed:
a receiver under water has no velocity, and a slow machine does not reach the first ping of a sonar.

Prints a line per world and vendor; the exit code is 1 if one failed. Without Fast DDS only Cyclone
DDS is checked. Part of `test/run slow`.
"""

import argparse
import collections
import contextlib
import json
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import zlib

from mcap.reader import make_reader

import live
from peer import wait_for

FOLDER = pathlib.Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]
VENDORS = ("Cyclone DDS", "Fast DDS")
# exit code of build.sh without a library
NO_LIBRARY = 77
# simulated time of a run, longer for slower sensors
RUN_S = 5
# wall time for the discovery, for the simulated time, and for samples in transit
PATIENCE_S = 300
FRACTION, CLOCK_FRACTION = 0.9, 0.7


def has_fast_dds():
    """Builds the Fast DDS program; returns False where the library is not available."""
    build = subprocess.run(["sh", FOLDER / "fastdds" / "build.sh", ROOT / "target", "subscriber"], check=False)
    if build.returncode == NO_LIBRARY:
        print("Fast DDS is not available: skipped")
        return False
    build.check_returncode()
    return True


def bundled_worlds():
    """Returns the names of the bundled worlds from `merrow list`."""
    _, out, _ = live.command("list", "--json")
    return json.loads(out)["worlds"]


def dds_type(name):
    """Returns the name on DDS of a ROS type."""
    package, kind, base = name.split("/")
    return f"{package}::{kind}::dds_::{base}_"


class Subscriber:
    """A process that subscribes to topics. It prints what it has received after `finish`."""

    def __init__(self, vendor, domain, topics):
        program = [sys.executable, FOLDER / "subscriber.py"]
        if vendor == "Fast DDS":
            program = [ROOT / "target" / "fastdds_subscriber"]
        self.process = subprocess.Popen([*program, str(domain)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, env=live.environment(domain))
        for topic in topics:
            durability = "transient_local" if "transient_local" in topic["qos"] else "volatile"
            print(f"rt{topic['topic']}", dds_type(topic["type"]), durability, file=self.process.stdin)
        print(file=self.process.stdin, flush=True)
        self.is_matched, self.received = False, collections.defaultdict(list)
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        """Keeps the samples that the process prints."""
        for line in self.process.stdout:
            if line == "matched\n":
                self.is_matched = True
            else:
                topic, checksum = line.split()
                self.received[topic.removeprefix("rt")].append(int(checksum))

    def finish(self):
        """Waits for samples in transit; returns the checksums of the samples of each topic."""
        self.process.stdin.close()
        self.reader.join(PATIENCE_S)
        assert self.process.wait(PATIENCE_S) == 0, "the subscriber failed"
        return self.received


def recorded(folder):
    """Returns the checksums of the samples of each topic in a bag."""
    (path,) = folder.rglob("*.mcap")
    found = collections.defaultdict(list)
    with open(path, "rb") as file:
        for _, channel, message in make_reader(file).iter_messages(log_time_order=False):
            padding = bytes(-len(message.data) % 4)
            found[channel.topic].append(zlib.crc32(padding, zlib.crc32(message.data[4:])))
    return found


def call(merrow, service):
    """Calls a service without arguments, which a slow machine answers late."""

    def client():
        with contextlib.suppress(AssertionError):
            return merrow.client(service)
        merrow.alive()

    assert wait_for(client, PATIENCE_S), f"no service {service}"
    reply = client().receive(client().send(**live.TRIGGER), PATIENCE_S)
    assert reply and reply.success, f"{service}: {reply}"


def wait_for_time(clock, seconds):
    """Waits until simulated time has passed, or for PATIENCE_S."""
    first = live.seconds(live.latest(clock, PATIENCE_S).clock)
    deadline = time.monotonic() + PATIENCE_S
    while live.seconds(live.latest(clock, PATIENCE_S).clock) < first + seconds and time.monotonic() < deadline:
        time.sleep(0.1)


def run(world, vendors):
    """Runs a world; returns the recorded samples, and the samples that each vendor received."""
    topics = live.describe(world)["published"]
    seconds = max(RUN_S, *(1.5 / topic["rate_hz"] + 2 for topic in topics if topic["rate_hz"]))
    with tempfile.TemporaryDirectory(prefix="merrow-test-") as folder:
        folder = pathlib.Path(folder)
        with live.Merrow(world, "--record", folder / "run.mcap", connect=False) as merrow:
            call(merrow, "pause")
            subscribers = {vendor: Subscriber(vendor, merrow.domain, topics) for vendor in vendors}
            try:
                clock = merrow.listen("/clock")
                matched = wait_for(lambda: all(s.is_matched for s in subscribers.values()), PATIENCE_S)
                assert matched, "not all topics are discovered"
                merrow.settle()
                call(merrow, "resume")
                wait_for_time(clock, seconds)
                call(merrow, "pause")
                received = {vendor: subscriber.finish() for vendor, subscriber in subscribers.items()}
                merrow.alive()
                assert merrow.end(within_s=PATIENCE_S) == 0, "the program failed"
            finally:
                for subscriber in subscribers.values():
                    subscriber.process.kill()
        return recorded(folder), received


def fault(topic, received, expected):
    """Returns the fault of the received samples of a topic, or None."""
    if topic in ("/clock", "/diagnostics"):
        # also published while time is stopped, which is not recorded
        received = [checksum for checksum in received if checksum in set(expected)]
    if not received:
        return f"none of {len(expected)} samples" if expected else None
    if received[0] not in expected:
        return "a sample that is not in the bag"
    later = expected[expected.index(received[0]):]
    rest = iter(later)
    found = sum(any(checksum == other for other in rest) for checksum in received)
    fraction = CLOCK_FRACTION if topic == "/clock" else FRACTION
    return f"{found} of {len(later)} samples" if found < fraction * len(later) else None


def check(world, vendors):
    """Checks a world; returns whether all vendors receive all topics."""
    bag, received = run(world, vendors)
    topics = live.describe(world)["published"]
    silent = [topic["topic"] for topic in topics if topic["rate_hz"] and not bag[topic["topic"]]]
    are_right = True
    for vendor, samples in received.items():
        faults = {name: fault(name, samples[name], bag[name]) for name in (topic["topic"] for topic in topics)}
        wrong = [f"    {name}: {what}" for name, what in faults.items() if what]
        count = sum(map(len, samples.values()))
        print(f"{'FAIL' if wrong else 'ok'} {world}, {vendor}: {count} samples of {len(topics) - len(silent)} topics",
              *wrong, sep="\n", flush=True)
        are_right = are_right and not wrong
    if silent:
        print(f"    {world}: no samples in the bag: {', '.join(silent)}", flush=True)
    return are_right


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=pathlib.Path, default=ROOT / "target/debug/merrow", help="the program")
    parser.add_argument("--vendor", action="append", choices=VENDORS, help="DDS implementation of a subscriber")
    parser.add_argument("worlds", nargs="*", metavar="WORLD", help="names of bundled worlds (default: all)")
    arguments = parser.parse_args()
    live.BINARY = arguments.binary.resolve()
    vendors = arguments.vendor or VENDORS
    vendors = [vendor for vendor in vendors if vendor != "Fast DDS" or has_fast_dds()]
    are_right = [check(world, vendors) for world in arguments.worlds or bundled_worlds()]
    return 0 if all(are_right) else 1


if __name__ == "__main__":
    sys.exit(main())
