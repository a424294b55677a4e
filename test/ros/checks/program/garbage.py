"""Checks of end_to_end.py: invalid input is rejected, counted and reported, and causes no motion.
"""

import math
import random
import socket
import struct
import time

import live
import peer
from checks.vehicles.drive import header, vector
from checks.node.services import motion
from live import LOG, WARN, Merrow, describe, latest, message_type, nanoseconds, take, wait_for

ROBOT = "uvms"
ODOMETRY = "/uvms/odometry"
ROUNDS = 20
STEPS = 100
STEP_NS = 1_000_000
DRIVE = [1500.0, 1600.0, 1550.0, 1450.0, 1580.0, 1530.0]
LITTLE_ENDIAN = b"\x00\x01\x00\x00"
SHORTEST = {"Float64": 8, "Float64MultiArray": 12, "Wrench": 48, "WrenchStamped": 64, "JointState": 28,
            "JointTrajectory": 28, "Twist": 48, "TwistStamped": 64, "PoseStamped": 72, "Path": 20, "Joy": 24}


# services whose request is valid with any byte
ANY_BYTE = {"Trigger", "GetCurrentWorld", "GetSimulationState", "GetSimulatorFeatures", "ResetSimulation",
            "SetSimulationState", "UnloadWorld"}


class Raw:
    """A writer of arbitrary bytes to readers that expect a message."""

    def __init__(self, peer_, topic, type_name):
        kind = peer.struct_type(type_name, {"nothing": peer.types.uint8})
        self.empty = type_name.rsplit("/", 1)[-1].removesuffix("_Request") in ANY_BYTE

        class Bytes(kind):
            def serialize(self, **_):
                return self.bytes

        self.sample, self.writer = Bytes(nothing=0), peer_.raw_publisher(topic, kind, depth=1000)
        assert wait_for(lambda: peer.matched(self.writer)), f"nobody listens to {topic}"

    def write(self, payload, head=LITTLE_ENDIAN):
        """Sends a payload after its encapsulation header."""
        self.sample.bytes = head + payload
        self.writer.write(self.sample)


def check_invalid_input():
    """Two seconds of invalid data on all inputs and services: the robot moves as without it, and
    all of it is counted.
    """
    quiet, _ = drive(lambda *_: 0)
    disturbed, sent = drive(garbage)
    assert sent > 500, sent
    assert len(quiet) == ROUNDS * STEPS // 20 + 1, len(quiet)
    differing = [i for i, (a, b) in enumerate(zip(quiet, disturbed, strict=True)) if a != b]
    assert not differing, f"odometry {differing[0]}: {quiet[differing[0]]} became {disturbed[differing[0]]}"


def drive(disturb):
    """Returns the motion of a lock-stepped robot under fixed commands, with an action between the
    steps.
    """
    with Merrow("uvms_pool", "--pace", "lockstep") as m:
        truth, log, diagnostics = m.listen(ODOMETRY), m.listen("/rosout", LOG), m.listen("/diagnostics")
        m.settle()
        source, sent, found = random.Random(7), 0, []
        writers = {} if disturb.__name__ != "garbage" else all_writers(m)
        layout = message_type("std_msgs/msg/MultiArrayLayout")(dim=[], data_offset=0)
        for i in range(ROUNDS):
            m.write("/uvms/thrusters/command", layout=layout, data=[v + i for v in DRIVE])
            sent += disturb(m, writers, source)
            now = m.step(STEPS)
            assert now == (i + 1) * STEPS * STEP_NS, f"{now} ns after {i + 1} x {STEPS} steps"
        end = ROUNDS * STEPS * STEP_NS
        assert wait_for(lambda: found.extend(take(truth)) or found and nanoseconds(found[-1].header.stamp) == end), \
            "not all odometry came"
        if sent:
            send_malformed(m)
            check_rejections_reported(take(log), latest_after(m, diagnostics), sent)
        m.alive()
        assert "panicked" not in m.output()[1], m.output()[1]
        return [motion(sample) for sample in found], sent


def send_malformed(m):
    """Sends datagrams with an invalid RTPS version to the discovery ports of this machine."""
    first = 7400 + 250 * m.domain + 10
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        for port in range(first, first + 20, 2):
            sender.sendto(b"RTPS\x09\x00\x01\x4d" + bytes(12), ("127.0.0.1", port))


def latest_after(m, diagnostics):
    """Returns the report of the next second."""
    take(diagnostics)
    m.step(1_000_000_000 // STEP_NS)
    return latest(diagnostics)


def check_rejections_reported(lines, report, sent):
    """Rejected messages are counted per robot and for the node, and reported as warnings."""
    status = {s.name: {v.key: v.value for v in s.values} for s in report.status}
    commands = int(status[f"{ROBOT}: commands"]["refused commands"])
    requests = int(status["merrow: run"]["refused requests"])
    # messages that DDS itself rejects are not counted, nor are requests without a client identity
    assert commands > sent / 3 and commands + requests > sent / 2, f"{commands} and {requests} counted of {sent}"
    assert requests > 50, f"{requests} requests counted"
    if not live.IS_NATIVE:  # rmw does not count invalid datagrams
        assert int(status["merrow: network"]["datagrams with invalid content"]) > 0, status["merrow: network"]
    assert status[f"{ROBOT}: commands"]["last refusal"], status
    warnings = [line.msg for line in lines if line.level == WARN and "refused" in line.msg]
    assert warnings and all(line.startswith((ROBOT, "merrow")) for line in warnings), warnings
    # warnings are throttled: about one line per second and robot
    assert len(warnings) < 60, len(warnings)


def all_writers(m):
    """Returns raw writers for all inputs and the requests of all services."""
    about = describe(m.world)
    # a separate participant: elsewhere the same topics have their true types
    liar, writers = peer.Peer(m.domain), {}
    for topic in about["subscribed"]:
        writers[topic["topic"]] = topic["type"], Raw(liar, f"rt{topic['topic']}", topic["type"])
    services = {s["service"]: s["type"] for s in about["services"]}
    services |= {f"/merrow/{name}": f"rcl_interfaces/srv/{kind}" for name, kind in (
        ("get_parameters", "GetParameters"), ("set_parameters", "SetParameters"),
        ("set_parameters_atomically", "SetParametersAtomically"), ("list_parameters", "ListParameters"),
        ("describe_parameters", "DescribeParameters"), ("get_parameter_types", "GetParameterTypes"))}
    for action in about["actions"]:
        services |= {s["service"]: s["type"] for s in action["services"]}
    for service, kind in services.items():
        writers[service] = kind, Raw(liar, f"rq{service}Request", f"{kind}_Request")
    return writers


def garbage(m, writers, source):
    """Sends one round of invalid data, 0.1 s of it; returns the number of messages sent."""
    sent, begin = 0, time.monotonic()
    for topic, (kind, raw) in writers.items():
        base = kind.rsplit("/", 1)[-1]
        if "/srv/" in kind or "/action/" in kind:
            sent += bad_requests(raw, source)
            continue
        # any byte is a valid Bool
        if base == "Bool":
            continue
        # too short for any such message; longer random bytes could be a valid command
        raw.write(source.randbytes(4 * source.randrange(1, SHORTEST[base] // 4)))
        raw.write(source.randbytes(SHORTEST[base]), head=b"\x00\x07\x00\x00")
        for payload in bad_values(base, source):
            raw.write(payload)
            sent += 1
        sent += 1
    sent += senseless(m)
    time.sleep(max(0.0, 0.1 - (time.monotonic() - begin)))
    return sent


def bad_requests(raw, source):
    """Returns requests that end too early or have wrong lengths."""
    guid = source.randbytes(8)
    raw.write(source.randbytes(8))
    raw.write(guid + bytes(8))
    # a request without fields has one byte, which may have any value
    if not raw.empty:
        raw.write(guid + bytes(8) + b"\xff\xff\xff\x7f")
    return 2 if raw.empty else 3


def bad_values(base, source):
    """Returns payloads of the right form with invalid values or lengths."""
    bad = [math.nan, math.inf, -math.inf]
    if base == "Float64":
        return [struct.pack("<d", value) for value in bad]
    if base in ("Wrench", "Twist"):
        return [struct.pack("<6d", *[1.0] * i, source.choice(bad), *[1.0] * (5 - i)) for i in range(6)]
    if base == "PoseStamped":
        pose = [1.0, 2.0, source.choice(bad), 0.0, 0.0, 0.0, 1.0]
        return [struct.pack("<iII8s4x7d", 0, 0, 6, b"world", *pose), struct.pack("<iII8s4x7d", 0, 0, 6, b"other", *[1.0] * 7)]
    if base == "Path":
        return [struct.pack("<iII8sI", 0, 0, 6, b"world", n) for n in (0, 2**31)]
    if base == "Joy":
        return [struct.pack("<iII4sI8fI", 0, 0, 1, b"", 8, *[2.0] * 8, 0), struct.pack("<iII4sII", 0, 0, 1, b"", 0, 0)]
    if base == "Float64MultiArray":
        lengths = [struct.pack(f"<III4x{n}d" if n else "<III", 0, 0, n, *[1550.0] * n) for n in (0, 1, 5, 7, 1000)]
        return lengths + [
            struct.pack("<III4x6d", 0, 2**32 - 1, 6, *DRIVE),
            struct.pack("<III4x6d", 0, 0, 6, *DRIVE[:5], source.choice(bad)),
            struct.pack("<III4x6d", 0, 0, 2**31, *DRIVE),
            struct.pack("<III4x6d", 2**31, 0, 6, *DRIVE),
        ]
    return []


def senseless(m):
    """Returns well-formed messages with unknown joints and frames, with too few values, and with
    NaN.
    """
    nan = math.nan
    joints = [(["nothing"], [0.1], [0.1]), (["base", "nothing"], [0.1, 0.1], [0.1, 0.1]), (["base"], [], []),
              (["base", "shoulder"], [0.1], [0.1]), (["base"], [nan], [nan]), ([""], [0.0], [0.0])]
    for name, position, effort in joints:
        m.write("/uvms/joint_commands", header=header(""), name=name, position=position, velocity=[], effort=effort)
    wrench = message_type("geometry_msgs/msg/Wrench")
    good, bad = vector(5.0, 0.0, 0.0), vector(nan, 0.0, 0.0)
    for frame, force in (("world", good), ("uvms/imu", good), ("base_link", bad)):
        m.write("/uvms/thruster_manager/input_stamped", header=header(frame), wrench=wrench(force=force, torque=good))
    for reply in (m.set_pose(ROBOT, (nan, 0, 0)), m.set_pose("nobody", (0, 0, 0)), m.call("step", steps=0)):
        assert not reply.success and reply.message, reply
    assert not m.set("pace", "sideways").successful
    return len(joints) + 3 + 2


CHECKS = [check_invalid_input]
