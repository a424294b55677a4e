"""Checks of the network layer: type hashes and descriptions, late subscribers, interruptions.
"""

import contextlib
import re
import signal
import subprocess
import sys
import time

import live
from live import Merrow, gather, latest, message_type, take
from peer import matched, wait_for

# longer than the leases of Cyclone DDS (10 s) and of Merrow (20 s)
SUSPENSION_S = 25
# time within which every topic and service has to work again
RECOVERY_S = 3


def check_type_hashes():
    """Every endpoint announces its type hash, without which ROS 2 tools print a warning."""
    with Merrow("pool") as m:
        endpoints = m.peer.user_data("r")
        assert len(endpoints) > 50, endpoints
        for topic, data in endpoints:
            # rmw_cyclonedds also announces the identity of the service
            assert re.fullmatch(rb"(serviceid=[ 0-9a-f.]+;)?typehash=RIHS01_[0-9a-f]{64};", data), f"{topic}: {data}"


def check_type_descriptions():
    """The node describes its own message types to tools that do not have them."""
    with Merrow("pool") as m:
        data = dict(m.peer.user_data("rt/contacts"))["rt/contacts"]
        type_hash = data.removeprefix(b"typehash=").removesuffix(b";").decode()
        ask = dict(type_name="merrow_msgs/msg/Contacts", include_type_sources=True)
        found = m.call("get_type_description", type_hash=type_hash, **ask)
        assert found.successful, found.failure_reason
        description = found.type_description
        names = [field.name for field in description.type_description.fields]
        assert names == ["header", "contacts"], names
        used = {used.type_name: used for used in description.referenced_type_descriptions}
        assert "merrow_msgs/msg/Contact" in used and "geometry_msgs/msg/Point" in used, used.keys()
        sources = {source.type_name: source for source in found.type_sources}
        assert "merrow_msgs/Contact[] contacts" in sources["merrow_msgs/msg/Contacts"].raw_file_contents, sources
        unknown = m.call("get_type_description", type_hash="RIHS01_" + 64 * "0", **ask)
        assert not unknown.successful and unknown.failure_reason, unknown


def check_late_subscribers():
    """A late subscriber to a latched topic receives its single message at any depth; none is old."""
    with Merrow("dock") as m:
        (coupling,) = [t["topic"] for t in live.describe("dock")["published"]
                       if re.fullmatch(r"/couplings/\w+/state", t["topic"])][:1]
        robot = live.describe("dock")["robots"][0]["name"]
        m.write(coupling.replace("state", "command"), data=True)
        time.sleep(1)
        for topic in ("/tf_static", f"/{robot}/robot_description", coupling):
            reader = m.listen(topic, depth=10, transient_local=True)
            samples = []
            assert wait_for(lambda: samples.extend(take(reader)) or samples), topic
            # time for further messages, which must not come
            time.sleep(0.5)
            assert len(samples + take(reader)) == 1, topic


def check_first_calls():
    """The first call of a new client is answered at once: replies are not lost before their reader is matched."""
    with Merrow("pool") as m:
        slowest = 0.0
        for _ in range(100):
            m.forget_clients()
            client = m.client("get_parameters")
            begin = time.monotonic()
            assert client.call(names=["pace"]) is not None
            slowest = max(slowest, time.monotonic() - begin)
        assert slowest < 0.3, f"the slowest of 100 first calls took {slowest:.3f} s"


def check_suspended_node():
    """A node that was suspended for longer than all leases is found again."""
    with Merrow("pool") as m:
        clock = m.listen("/clock")
        latest(clock)
        m.process.send_signal(signal.SIGSTOP)
        time.sleep(SUSPENSION_S)
        take(clock)
        m.process.send_signal(signal.SIGCONT)
        time.sleep(RECOVERY_S)
        take(clock)
        assert len(gather(clock, 1)) > 50, "no clock"
        assert m.call("get_parameters", names=["pace"]), "no service"


# a suspended subscriber stays in the graph for its lease, 10 s without this setting
SUBSCRIBER = """
import os, sys, time
sys.path.insert(0, sys.argv[1])
import live
lease = "<CycloneDDS><Domain><Discovery><LeaseDuration>60 s</LeaseDuration></Discovery></Domain></CycloneDDS>"
os.environ["CYCLONEDDS_URI"] += "," + lease
peer = live.Peer(int(sys.argv[2]))
reader = peer.subscriber("/clock", live.CLOCK, depth=10)
# a message shows that the node has discovered the subscriber
assert live.wait_for(lambda: live.take(reader))
print("ready", flush=True)
while True:
    time.sleep(0.2)
    print(len(live.take(reader)), flush=True)
"""


def check_slow_subscriber():
    """Messages that a reliable subscriber has not acknowledged when they leave the history are
    counted and named in /diagnostics.
    """
    if live.IS_NATIVE:
        raise live.Skipped("rmw does not count messages that leave the history of a publisher")
    rate = ("--ros-args", "-p", "clock_rate_hz:=1000.0")
    with Merrow("pool", "--pace", "50", *rate) as m, suspended_subscriber(m) as process:
        process.send_signal(signal.SIGSTOP)
        diagnostics, counted = m.listen("/diagnostics"), {}

        def is_counted():
            for report in take(diagnostics):
                for status in report.status:
                    if status.name == "merrow: slow subscribers":
                        counted.update({value.key: int(value.value) for value in status.values})
            return counted.get("/clock", 0) > 0

        # 8192 messages are kept, and the clock is sent 1000 times per second of real time at most
        assert wait_for(is_counted, 40), counted
        m.alive()


@contextlib.contextmanager
def suspended_subscriber(m):
    """Starts a process that subscribes to /clock, and yields it once it is ready."""
    here = str(live.pathlib.Path(__file__).parents[2])
    with subprocess.Popen([sys.executable, "-c", SUBSCRIBER, here, str(m.domain)], stdout=subprocess.PIPE,
                          text=True) as process:
        try:
            assert process.stdout.readline() == "ready\n"
            yield process
        finally:
            process.kill()


def check_old_commands():
    """A node does not receive the commands that a transient-local publisher has published before it
    started, only those after.
    """
    with Merrow("pool") as m:
        topic = "/bluerov2/thrusters/command"
        kind = live.message_type(m.type_of(topic))
        layout = live.message_type("std_msgs/msg/MultiArrayLayout")(dim=[], data_offset=0)
        writer = m.peer.publisher(topic, m.type_of(topic), transient_local=True, depth=10)
        for _ in range(5):
            # refused, so that it is counted if it arrives
            writer.write(kind(layout=layout, data=[float("nan")]))
        m.process.kill()
        m.process.wait()
        m.restart()
        assert wait_for(lambda: matched(writer)), "no subscription"
        diagnostics = m.listen("/diagnostics")
        time.sleep(1)
        assert refused_commands(diagnostics) == 0
        writer.write(kind(layout=layout, data=[float("nan")]))
        assert wait_for(lambda: refused_commands(diagnostics) == 1), "the new command did not arrive"


def refused_commands(diagnostics):
    """Returns the number of refused commands of the robot in the next report."""
    report = latest(diagnostics)
    status = {status.name: status for status in report.status}["bluerov2: commands"]
    return int({value.key: value.value for value in status.values}["refused commands"])


def check_suspended_subscriber():
    """A subscriber that was suspended for longer than all leases receives messages again."""
    with Merrow("pool") as m, suspended_subscriber(m) as process:
        time.sleep(1)
        process.send_signal(signal.SIGSTOP)
        time.sleep(SUSPENSION_S)
        process.send_signal(signal.SIGCONT)
        time.sleep(RECOVERY_S)
        begin = time.monotonic()
        counts = []
        while time.monotonic() < begin + 2:
            counts.append(int(process.stdout.readline()))
        assert counts[-1] > 0, counts
        m.alive()


def check_restarted_node():
    """A node that was killed and started again is found by the same subscriber."""
    with Merrow("pool") as m:
        clock = m.listen("/clock")
        latest(clock)
        m.process.kill()
        m.process.wait()
        m.restart()
        assert wait_for(lambda: take(clock)), "no clock"
        time.sleep(2.5)
        assert "another node" not in m.output()[1], "the killed run counts as another simulator"


def check_other_definitions():
    """A peer with another definition of a type is reported once per topic or service."""
    with Merrow("pool") as m:
        announced = [b"typehash=RIHS01_" + 64 * digit + b";" for digit in (b"0", b"1")]
        wrench = [m.peer.publisher("/bluerov2/thruster_manager/input", "geometry_msgs/msg/Wrench", user_data=data)
                  for data in announced]
        request = m.peer.raw_publisher("rq/spawn_entityRequest",
                                       message_type("simulation_interfaces/srv/SpawnEntity_Request"), user_data=announced[0])
        lines = lambda: [line for line in m.output()[1].splitlines() if "another definition" in line]
        assert wait_for(lambda: len(lines()) >= 2, 10), m.output()[1]
        time.sleep(1)
        assert len(lines()) == 2 and "peer of /spawn_entity" in "".join(lines()), lines()
        assert all(matched(writer) for writer in [*wrench, request])


def check_second_simulator():
    """Both simulators of a domain report each other once, also with different names."""
    for namespace, expected in (None, "another node has the name /merrow"), ("/b", "another node publishes /clock"):
        with Merrow("pool") as m:
            names = ["--ros-args", "-r", f"__ns:={namespace}"] if namespace else []
            second = subprocess.Popen([live.BINARY, "run", "pool", *names], stdout=subprocess.DEVNULL,
                                      stderr=subprocess.PIPE, text=True, env=live.environment(m.domain))
            lines = lambda: [line for line in m.output()[1].splitlines() if "another node" in line]
            assert wait_for(lines, 10), "no warning"
            time.sleep(2)
            second.terminate()
            other = [line for line in second.communicate(timeout=20)[1].splitlines() if "another node" in line]
            assert len(lines()) == len(other) == 1 and expected in other[0], (lines(), other)


CHECKS = [check_other_definitions, check_second_simulator, check_type_hashes, check_type_descriptions, check_late_subscribers, check_restarted_node, check_slow_subscriber,
          check_old_commands]
PACE_CHECKS = [check_first_calls, check_suspended_node, check_suspended_subscriber]
