#!/usr/bin/env python3
"""Plays recordings of Merrow with `ros2 bag play` and compares what arrives with what was recorded.

    python3 test/ros/native/bag_checks.py PROGRAM [NAME]...

A node of rclpy subscribes to every topic of a bag. It must receive each message once, in order, with the recorded
bytes. Topics whose packages are missing are not compared; their names are printed. Prints `ok NAME` or
`FAIL NAME: why` per check; the exit code is 1 if one failed. NAMEs select checks. Needs rosbag2 with the storage mcap
and rclpy; started by bags.sh.
"""

import collections
import importlib
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import traceback

import rclpy
import rosbag2_py
import yaml
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import HistoryPolicy, QoSProfile, ReliabilityPolicy
from rclpy.serialization import deserialize_message
from rosbag2_interfaces.srv import Resume
from rosgraph_msgs.msg import Clock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from domain import Domain

FOR_S = 5
# before the first message, and after the last message
SETTLE_S = 0.5
START_TIMEOUT_S = 20
# player, in addition to the duration of the bag
END_TIMEOUT_S = 30
EVERYTHING = QoSProfile(history=HistoryPolicy.KEEP_ALL, depth=0, reliability=ReliabilityPolicy.RELIABLE)
SENT_ONCE = QoSProfile(history=HistoryPolicy.KEEP_ALL, depth=0, reliability=ReliabilityPolicy.BEST_EFFORT)
# topics of the world `pool` of which no message may be missing from a bag of `ros2 bag record`
RELIABLE = ["/bluerov2/imu/data", "/bluerov2/odometry", "/bluerov2/pressure/data"]
# topics on which the player publishes too
OWN_TOPICS = {"/rosout", "/parameter_events"}


def get_message(type_name):
    """Returns the class of `package/msg/Type`."""
    package, kind, name = type_name.split("/")
    return getattr(importlib.import_module(f"{package}.{kind}"), name)


class Bag:
    """A bag, read by rosbag2: `types` and `messages` by topic, each message with its log time [ns] and its bytes."""

    def __init__(self, path):
        self.path = path
        reader = rosbag2_py.SequentialCompressionReader() if is_compressed(path) else rosbag2_py.SequentialReader()
        options = rosbag2_py.StorageOptions(uri=str(path), storage_id="mcap")
        reader.open(options, rosbag2_py.ConverterOptions("cdr", "cdr"))
        self.types = {topic.name: topic.type for topic in reader.get_all_topics_and_types()}
        self.messages = collections.defaultdict(list)
        while reader.has_next():
            topic, data, stamp = reader.read_next()
            self.messages[topic].append((stamp, bytes(data)))

    def __len__(self):
        return sum(map(len, self.messages.values()))

    def payloads(self, from_s=0.0):
        """Returns the bytes of the messages by topic, of those that were logged at or after a time of the bag."""
        begin = min(entries[0][0] for entries in self.messages.values()) + round(from_s * 1e9)
        kept = {topic: [data for stamp, data in entries if stamp >= begin] for topic, entries in self.messages.items()}
        return {topic: data for topic, data in kept.items() if data}


def is_compressed(path):
    """Returns whether rosbag2 compressed the files or messages of a bag. Compressed chunks belong to the storage."""
    metadata = path / "metadata.yaml"
    if not metadata.exists():
        return False
    return bool(yaml.safe_load(metadata.read_text())["rosbag2_bagfile_information"]["compression_mode"])


def record(folder, name, *options):
    """Records FOR_S seconds of the world `pool`; returns the path that the user gave, and the number of recorded
    messages.
    """
    command = [PROGRAM, "run", "pool", "--no-ros", "--pace", "max", "--for", str(FOR_S), "--record", name, *options]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder / name, int(re.search(r"recorded (\d+) messages", done.stderr + done.stdout)[1])


def convert(bag, folder, **options):
    """Writes a bag again with `ros2 bag convert`; returns its folder."""
    output, settings = folder / "converted", folder / "convert.yaml"
    options |= {"uri": str(output), "storage_id": "mcap", "all_topics": True}
    settings.write_text(yaml.safe_dump({"output_bags": [options]}))
    command = ["ros2", "bag", "convert", "-i", str(bag), "-o", str(settings)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return output


class Listener:
    """A node that subscribes to the topics of a bag, to those in `best_effort` without retransmissions, and keeps the
    bytes of what it receives, by topic.
    """

    def __init__(self, types, best_effort):
        self.received = collections.defaultdict(list)
        self.context = rclpy.Context()
        self.context.init()
        self.node = rclpy.create_node("listener", context=self.context)
        self.executor = SingleThreadedExecutor(context=self.context)
        self.executor.add_node(self.node)
        self.missing = set()
        for topic, type_name in types.items():
            try:
                kind = get_message(type_name)
            except (ModuleNotFoundError, AttributeError):
                self.missing.add(topic)
                continue
            qos = SENT_ONCE if topic in best_effort else EVERYTHING
            self.node.create_subscription(kind, topic, self.received[topic].append, qos, raw=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.executor.shutdown()
        self.node.destroy_node()
        self.context.shutdown()

    def spin(self, condition, timeout_s):
        """Serves the node until the condition holds; returns whether it does."""
        end = time.monotonic() + timeout_s
        while not condition() and time.monotonic() < end:
            self.executor.spin_once(timeout_sec=0.02)
        return condition()


def play(bag, *options, best_effort=()):
    """Plays a bag to its end; returns the received bytes by topic, the topics without a type, and the seconds that
    playing took. The player waits until the subscriptions are matched.
    """
    command = ["ros2", "bag", "play", str(bag.path), "--disable-keyboard-controls", "--start-paused",
               "--wait-for-all-acked", "5000", *options]
    with Listener(bag.types, best_effort) as listener, tempfile.TemporaryFile("w+") as output:
        player = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)

        def text():
            output.seek(0)
            return output.read()

        try:
            resume = listener.node.create_client(Resume, "/rosbag2_player/resume")
            expected = [topic for topic in bag.messages if topic not in listener.missing]
            has_ended = lambda: player.poll() is not None
            is_ready = lambda: resume.service_is_ready() and all(map(listener.node.count_publishers, expected))
            assert listener.spin(lambda: is_ready() or has_ended(), START_TIMEOUT_S), f"no player: {text()}"
            assert not has_ended(), f"the player ended: {text()}"
            listener.spin(lambda: False, SETTLE_S)
            begin = time.monotonic()
            reply = resume.call_async(Resume.Request())
            assert listener.spin(has_ended, FOR_S + END_TIMEOUT_S), f"the player goes on: {text()}"
            seconds = time.monotonic() - begin
            assert reply.done() and player.returncode == 0, text()
            listener.spin(lambda: False, SETTLE_S)
        finally:
            if player.poll() is None:
                player.kill()
                player.wait()
        return listener.received, listener.missing, seconds


def without_padding(received, recorded):
    """Returns the received bytes in the form of the recorded bytes: Fast DDS extends the bytes of a message by up to 3
    zeros to a multiple of 4.
    """
    padding = received[len(recorded):]
    return received[:len(recorded)] if len(padding) < 4 and not any(padding) else received


def compare(expected, received, missing):
    """Every message arrived once, in order, with the same bytes."""
    for topic, payloads in expected.items():
        if topic in missing:
            continue
        found = received[topic]
        assert len(found) == len(payloads), f"{topic}: {len(found)} of {len(payloads)} messages arrived"
        for index, (one, other) in enumerate(zip(found, payloads)):
            text = f"{topic}: message {index} is {one[:40]!r}, recorded {other[:40]!r}"
            assert without_padding(one, other) == other, text


def plays(bag, *options, from_s=0.0, best_effort=()):
    """Plays a bag and compares what arrives with its messages, except of topics in `best_effort`; returns what `play`
    returned.
    """
    result = play(bag, *options, best_effort=best_effort)
    others = OWN_TOPICS.union(best_effort)
    expected = {topic: data for topic, data in bag.payloads(from_s).items() if topic not in others}
    compare(expected, *result[:2])
    compared = [topic for topic in expected if topic not in result[1]]
    assert len(compared) >= 8, f"only {compared} have types"
    total = sum(len(expected[topic]) for topic in compared)
    lacking = ", ".join(sorted(result[1])) or "none"
    print(f"   {total} messages of {len(compared)} topics in {result[2]:.1f} s; without type: {lacking}", flush=True)
    return result


def recorded(folder, name="run.mcap", *options):
    """Records and reads a bag; its number of messages is the number that Merrow reports."""
    path, count = record(folder, name, *options)
    bag = Bag(path)
    assert len(bag) == count, f"{len(bag)} messages in the bag, {count} reported"
    return bag


def check_rates(folder):
    """All messages arrive at rates 1 and 4, not earlier than at the given rate."""
    bag = recorded(folder)
    seconds = {rate: plays(bag, "--rate", str(rate))[2] for rate in (1, 4)}
    assert all(taken > FOR_S / rate - 0.2 for rate, taken in seconds.items()) and seconds[4] < seconds[1], seconds


def check_start_offset(folder):
    """Only what was logged after the offset arrives."""
    plays(recorded(folder), "--rate", "4", "--start-offset", "2.013", from_s=2.013)


def check_clock(folder):
    """With `--clock` the player publishes its time instead of the recorded clock: the simulated time, since log times
    are simulated times.
    """
    bag = recorded(folder)
    rate, clock_hz = 2, 50
    received, _, _ = plays(bag, "--rate", str(rate), "--clock", str(clock_hz), best_effort=["/clock"])
    times = [t.clock.sec + t.clock.nanosec * 1e-9 for t in (deserialize_message(c, Clock) for c in received["/clock"])]
    assert len(times) > 0.8 * clock_hz * FOR_S / rate, f"{len(times)} messages on /clock"
    assert times == sorted(times) and times[0] < 0.1 and times[-1] > FOR_S - 0.1, (times[0], times[-1])


def check_several_recordings(folder):
    """Two recordings in one folder play, and one with a folder of its own."""
    for name in "a.mcap", "b.mcap", "c":
        plays(recorded(folder, name), "--rate", "4")


def check_info(folder):
    """`ros2 bag info` counts the messages of each topic as they are in the bag."""
    bag = recorded(folder)
    done = subprocess.run(["ros2", "bag", "info", str(bag.path)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    counts = dict(re.findall(r"Topic: (\S+) \| Type: \S+ \| Count: (\d+)", done.stdout))
    assert counts == {topic: str(len(bag.messages[topic])) for topic in bag.types}, done.stdout


def check_split(folder):
    """A recording plays after `ros2 bag convert` split it by duration."""
    original = recorded(folder)
    bag = Bag(convert(original.path, folder, max_bagfile_duration=2))
    assert len(list(bag.path.glob("*.mcap"))) > 1 and bag.payloads() == original.payloads()
    plays(bag, "--rate", "4")


def check_own_split(folder):
    """A recording that Merrow divided into files plays, also with compressed chunks."""
    for name, options in ("split", []), ("lz4", ["--record-compression", "lz4"]):
        bag = recorded(folder, name, "--record-max-duration", "2", *options)
        assert len(list(bag.path.glob("*.mcap"))) == 3
        plays(bag, "--rate", "4")


def check_compressed_chunks(folder):
    """A recording plays after `ros2 bag convert` compressed its chunks."""
    original = recorded(folder)
    bag = Bag(convert(original.path, folder, storage_preset_profile="zstd_small"))
    sizes = [sum(f.stat().st_size for f in path) for path in ([original.path], bag.path.glob("*.mcap"))]
    assert sizes[1] < 0.7 * sizes[0] and bag.payloads() == original.payloads(), sizes
    plays(bag, "--rate", "4")


def check_compressed_file(folder):
    """A recording plays after `ros2 bag convert` compressed its file."""
    original = recorded(folder)
    bag = Bag(convert(original.path, folder, compression_mode="file", compression_format="zstd"))
    assert list(bag.path.glob("*.zstd")) and bag.payloads() == original.payloads()
    plays(bag, "--rate", "4")


def check_compressed_messages(folder):
    """A recording plays after `ros2 bag convert` compressed every message."""
    original = recorded(folder)
    bag = Bag(convert(original.path, folder, compression_mode="message", compression_format="zstd",
                      compression_queue_size=0))  # 0: unlimited, else messages are dropped
    assert bag.payloads() == original.payloads()
    plays(bag, "--rate", "4")


def check_killed_recording(folder):
    """A recording whose program was killed plays after `merrow repair`."""
    path = folder / "killed.mcap"
    command = [PROGRAM, "run", "pool", "--no-ros", "--for", "60", "--record", path.name]
    merrow = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(6)
    merrow.kill()
    merrow.wait()
    done = subprocess.run([PROGRAM, "repair", path], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    plays(Bag(folder / "killed_repaired.mcap"), "--rate", "4")


def check_record(folder):
    """`ros2 bag record` of a running Merrow loses no message of a reliable topic, and its bag plays."""
    merrow = subprocess.Popen([PROGRAM, "run", "pool"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    recorder = subprocess.Popen(["ros2", "bag", "record", "--all", "--storage", "mcap", "--disable-keyboard-controls",
                                 "--output", str(folder / "run")], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        time.sleep(3 + FOR_S)
        recorder.send_signal(signal.SIGINT)
        assert recorder.wait(20) == 0, recorder.returncode
    finally:
        for process in recorder, merrow:
            if process.poll() is None:
                process.kill()
                process.wait()
    bag = Bag(folder / "run")
    for topic in RELIABLE:
        kind = get_message(bag.types[topic])
        stamps = [deserialize_message(data, kind).header.stamp for _, data in bag.messages[topic]]
        ends = [s.sec * 10**9 + s.nanosec for s in stamps]
        gaps = collections.Counter(b - a for a, b in zip(ends, ends[1:]))
        assert len(ends) > 40 and max(gaps) < 1.5 * min(gaps), f"{topic}: {len(ends)} messages, gaps {gaps}"
    plays(bag, "--rate", "4")


def main():
    failed = 0
    selected = sys.argv[2:]
    checks = {n.removeprefix("check_"): f for n, f in globals().items() if n.startswith("check_")}
    for name in selected or checks:
        begin = time.monotonic()
        try:
            with tempfile.TemporaryDirectory() as folder:
                checks[name](pathlib.Path(folder))
            print(f"ok {name} ({time.monotonic() - begin:.1f} s)", flush=True)
        except Exception as error:  # run every check
            failed += 1
            print(f"FAIL {name}: {type(error).__name__}: {error}\n{traceback.format_exc()}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    PROGRAM = str(pathlib.Path(sys.argv[1]).absolute())
    os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
    with Domain() as number:
        os.environ["ROS_DOMAIN_ID"] = str(number)
        sys.exit(main())
