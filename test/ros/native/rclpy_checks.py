#!/usr/bin/env python3
"""Checks a running Merrow with the client library of a ROS 2, for any RMW.

    python3 test/ros/native/rclpy_checks.py PROGRAM embedded|native [NAME...]

RMW_IMPLEMENTATION selects the RMW of this script, and with `native` also the RMW of Merrow. Prints `ok NAME`
or `FAIL NAME: why` per check; the exit code is 1 if one failed. NAMEs select checks. Needs rclpy and the packages of the
topics in the world `pool`; checks whose packages are missing are skipped with a message. The examples of the crate `ros2`
are in the folder `examples` next to PROGRAM; they have no native backend.
"""

import contextlib
import importlib
import json
import math
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
import rclpy.executors
from rclpy.action import ActionClient
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import tutorial
from domain import Domain
from network import attacks

SENSOR = QoSProfile(depth=5, reliability=ReliabilityPolicy.BEST_EFFORT)
LATCHED = QoSProfile(depth=10, durability=DurabilityPolicy.TRANSIENT_LOCAL)
TIMEOUT_S = 20
ROOT = pathlib.Path(__file__).resolve().parents[3]
WORLDS = ROOT / "test" / "ros" / "worlds"
# node that discovers Merrow and prints the number of its publishers and subscriptions without a type hash, and with one
WITNESS = """
import time
import rclpy
rclpy.init()
node = rclpy.create_node("witness")
end = time.monotonic() + 20
while time.monotonic() < end and not node.get_publishers_info_by_topic("/bluerov2/imu/data"):
    time.sleep(0.05)
time.sleep(2)
topics = [name for name, _ in node.get_topic_names_and_types()]
found = [e for t in topics for e in node.get_publishers_info_by_topic(t) + node.get_subscriptions_info_by_topic(t)]
known = [e.topic_type_hash.version == 1 for e in found if e.node_name == "merrow" and hasattr(e, "topic_type_hash")]
print(known.count(False), known.count(True), hasattr(found[0], "topic_type_hash"))
"""

# 20 participants, each of which publishes one message as soon as it has discovered a subscriber, and ends 0.1 s later
ONCE = """
import time
import rclpy
from std_msgs.msg import String
for number in range(20):
    context = rclpy.Context()
    rclpy.init(context=context)
    node = rclpy.create_node("once", context=context)
    publisher = node.create_publisher(String, "/chatter", 10)
    while not publisher.get_subscription_count():
        time.sleep(0.001)
    publisher.publish(String(data=f"single {number}"))
    time.sleep(0.1)
    node.destroy_node()
    rclpy.shutdown(context=context)
"""


def snake(name):
    """Returns a name in snake case."""
    return re.sub(r"(?<!^)([A-Z])", r"_\1", name).lower()


def interface(name):
    """Returns the class of `package/kind/Type`."""
    package, kind, name = name.split("/")
    return getattr(importlib.import_module(f"{package}.{kind}"), name)


class Program:
    """A process and a node of rclpy. A context manager that ends both."""

    def __init__(self, *command):
        self.errors = tempfile.TemporaryFile("w+", encoding="utf-8")
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=self.errors)
        self.node = rclpy.create_node("peer")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.node.destroy_node()
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def spin(self, condition, timeout_s=TIMEOUT_S):
        """Serves the node until the condition holds; returns whether it does."""
        end = time.monotonic() + timeout_s
        while not condition() and time.monotonic() < end:
            rclpy.spin_once(self.node, timeout_sec=0.02)
        return condition()

    def subscribe(self, type_name, topic, qos):
        """Returns the list of received messages."""
        messages = []
        self.node.create_subscription(interface(type_name), topic, messages.append, qos)
        return messages

    def result(self, future, timeout_s=TIMEOUT_S):
        """Returns the result of a call."""
        assert self.spin(future.done, timeout_s), f"no reply within {timeout_s} s: {self.log()}"
        return future.result()

    def client(self, type_name, name):
        """Returns the client of an available service."""
        client = self.node.create_client(interface(type_name), name)
        assert self.spin(client.service_is_ready), f"no service {name}: {self.log()}"
        return client

    def call(self, type_name, name, **fields):
        """Calls a service and returns its response."""
        return self.result(self.client(type_name, name).call_async(interface(type_name).Request(**fields)))

    def log(self):
        """Returns the error output of the process."""
        self.errors.seek(0)
        return self.errors.read()

    def end(self):
        """Interrupts the process; returns its exit code."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(timeout=10)


class Merrow(Program):
    """A `merrow run` process."""

    def __init__(self, world, *options):
        super().__init__(PROGRAM, "run", world, "--ros-backend", BACKEND, *options)

    def trigger(self, name):
        """Calls a service without arguments, which must succeed."""
        reply = self.call("std_srvs/srv/Trigger", f"/merrow/{name}")
        assert reply.success, (name, reply)


class Example(Program):
    """An example of the crate `ros2`."""

    def __init__(self, name):
        folder = pathlib.Path(PROGRAM).resolve().parent / "examples"
        # an installed program has no examples beside it
        folder = folder if folder.is_dir() else ROOT / "target/debug/examples"
        super().__init__(folder / name)


def stamp_ns(stamp):
    """Returns a time in nanoseconds."""
    return stamp.sec * 10**9 + stamp.nanosec


def check_endpoints():
    """Type, type hash, QoS and node of publishers and subscriptions are those that are documented."""
    with Merrow("pool") as m:
        find = m.node.get_publishers_info_by_topic
        # the name follows from the graph message of the node, after the publisher itself
        known = lambda: [i for i in find("/bluerov2/imu/data") if i.node_name == "merrow"]
        assert m.spin(known), find("/bluerov2/imu/data")
        (imu,), (description,) = find("/bluerov2/imu/data"), (m.spin(lambda: find("/bluerov2/robot_description")) and
                                                              find("/bluerov2/robot_description"))
        assert (imu.topic_type, imu.node_name, imu.node_namespace) == ("sensor_msgs/msg/Imu", "merrow", "/"), imu
        assert imu.qos_profile.reliability == ReliabilityPolicy.RELIABLE, imu
        assert imu.qos_profile.durability == DurabilityPolicy.VOLATILE, imu
        assert description.qos_profile.durability == DurabilityPolicy.TRANSIENT_LOCAL, description
        if "cyclone" in RMW:  # Fast DDS does not announce the history
            assert imu.qos_profile.depth == 10 and description.qos_profile.depth == 1, (imu, description)
        if hasattr(imu, "topic_type_hash"):
            own = interface("sensor_msgs/msg/Imu").TYPE_HASH if hasattr(interface("sensor_msgs/msg/Imu"), "TYPE_HASH") else None
            assert imu.topic_type_hash.version == 1 and any(imu.topic_type_hash.value), imu
            assert own is None or imu.topic_type_hash == own, (imu, own)
        subscriptions = lambda: m.node.get_subscriptions_info_by_topic("/bluerov2/cmd_vel")
        assert m.spin(subscriptions), "no subscription"
        names = lambda: [name for name, _ in m.node.get_node_names_and_namespaces()]
        assert m.spin(lambda: "merrow" in names()), names()


def check_topics():
    """The network has the topics, services and types that `merrow describe` lists."""
    about = json.loads(subprocess.run([PROGRAM, "describe", "pool", "--json"], capture_output=True, check=True).stdout)
    expected = {(t["topic"], t["type"]) for t in about["published"] + about["subscribed"]}
    services = {(s["service"], s["type"]) for s in about["services"]}
    flat = lambda listed: {(name, kind) for name, kinds in listed for kind in kinds}
    with Merrow("pool") as m:
        m.spin(lambda: expected <= flat(m.node.get_topic_names_and_types()))
        missing = expected - flat(m.node.get_topic_names_and_types())
        assert not missing, missing
        m.spin(lambda: services <= flat(m.node.get_service_names_and_types()))
        missing = services - flat(m.node.get_service_names_and_types())
        assert not missing, missing
        print(f"   {len(expected)} topics, {len(services)} services", flush=True)


def check_type_hashes():
    """A node that discovers Merrow prints no warning, and every topic has a type hash."""
    with Merrow("pool") as m:
        done = subprocess.run([sys.executable, "-c", WITNESS], capture_output=True, text=True, timeout=60)
        assert done.returncode == 0 and not done.stderr, done
        without, with_hash, has_hashes = done.stdout.split()
        print(f"   {with_hash} endpoints with a type hash", flush=True)
        if has_hashes == "True":  # Humble has none
            assert without == "0" and int(with_hash) >= 40, done.stdout
        assert m.process.poll() is None, m.log()


def check_sensor_rates():
    """A sensor publishes at its rate, without loss; the clock follows simulated time."""
    with Merrow("pool") as m:
        samples = m.subscribe("sensor_msgs/msg/Imu", "/bluerov2/imu/data", 1000)
        clocks = m.subscribe("rosgraph_msgs/msg/Clock", "/clock", 1000)
        assert m.spin(lambda: len(samples) > 300), f"{len(samples)} samples: {m.log()}"
        stamps = [stamp_ns(s.header.stamp) for s in samples[50:]]
        gaps = {b - a for a, b in zip(stamps, stamps[1:])}
        assert gaps == {10_000_000}, f"100 Hz: {sorted(gaps)}"
        assert abs(samples[-1].linear_acceleration.z) > 5, samples[-1]
        assert clocks and m.process.poll() is None


def check_odometry():
    """Velocity and position of the odometry agree, and its child frame is the base of the robot."""
    with Merrow("pool") as m:
        found = m.subscribe("nav_msgs/msg/Odometry", "/bluerov2/odometry", 1000)
        assert m.spin(lambda: len(found) > 100), f"{len(found)} messages: {m.log()}"
        heights = [o.pose.pose.position.z for o in found]
        times = [o.header.stamp.sec + 1e-9 * o.header.stamp.nanosec for o in found]
        moved = sum(o.twist.twist.linear.z for o in found) / len(found) * (times[-1] - times[0])
        assert abs(heights[-1] - heights[0] - moved) < 0.02, (heights[0], heights[-1], moved)
        assert {o.child_frame_id for o in found} == {"bluerov2/base_link"}, found[-1]


def check_thrusters():
    """Commands of the vertical thrusters move the vehicle up and down."""
    thruster = interface("std_msgs/msg/Float64")
    with Merrow("pool") as m:
        found = m.subscribe("nav_msgs/msg/Odometry", "/bluerov2/odometry", 1000)
        commands = [m.node.create_publisher(thruster, f"/bluerov2/thrusters/t{n}/command", 10) for n in (5, 6, 7, 8)]
        assert m.spin(lambda: found and all(c.get_subscription_count() for c in commands)), m.log()
        for value in 0.5, -0.5:
            assert m.call("std_srvs/srv/Trigger", "/merrow/reset").success
            found.clear()

            def moves():
                for publisher in commands:
                    publisher.publish(thruster(data=value))
                return found and found[-1].twist.twist.linear.z * value > 0.05

            assert m.spin(moves, 10), f"{value}: {found[-1].twist.twist.linear}"


def check_joint_command():
    """A joint moves towards its command."""
    with Merrow("uvms_pool") as m:
        kind = interface("sensor_msgs/msg/JointState")
        states = m.subscribe("sensor_msgs/msg/JointState", "/uvms/joint_states", SENSOR)
        publisher = m.node.create_publisher(kind, "/uvms/joint_commands", 10)
        assert m.spin(lambda: states and publisher.get_subscription_count()), m.log()
        shoulder = lambda: dict(zip(states[-1].name, states[-1].position))["shoulder"]
        before = shoulder()

        def moves():
            publisher.publish(kind(name=["shoulder"], position=[before + 0.5], effort=[5.0]))
            return shoulder() > before + 0.05

        assert m.spin(moves, 10), f"from {before} to {shoulder()}"


def check_late_subscribers():
    """A late subscription of a transient-local topic receives one message."""
    with Merrow("pool") as m:
        assert m.spin(lambda: m.node.get_publishers_info_by_topic("/bluerov2/robot_description"))
        m.spin(lambda: False, 1.0)
        found = m.subscribe("std_msgs/msg/String", "/bluerov2/robot_description", LATCHED)
        assert m.spin(lambda: found) and "<robot" in found[0].data
        m.spin(lambda: False, 1.0)
        assert len(found) == 1, len(found)


def check_images():
    """Images arrive complete at the default settings of the RMW."""
    with Merrow("every_sensor") as m:
        images = m.subscribe("sensor_msgs/msg/Image", "/boat/stereo_left/image_raw", 10)
        assert m.spin(lambda: len(images) >= 5, 60), f"{len(images)} images: {m.log()}"
        for image in images:
            assert len(image.data) == image.step * image.height > 100_000, (image.width, image.height, len(image.data))
        print(f"   {len(images)} images of {len(images[0].data)} bytes", flush=True)


def check_services():
    """Services reply to the first call of a client; 100 calls of one client are all answered."""
    with Merrow("pool", "--pace", "lockstep") as m:
        m.trigger("pause")
        client = m.client("rcl_interfaces/srv/ListParameters", "/merrow/list_parameters")
        kind = interface("rcl_interfaces/srv/ListParameters")
        for _ in range(100):
            assert len(m.result(client.call_async(kind.Request())).result.names) > 10
        with contextlib.suppress(ModuleNotFoundError):
            before = m.call("merrow_msgs/srv/StepSimulation", "/merrow/step", steps=100)
            after = m.call("merrow_msgs/srv/StepSimulation", "/merrow/step", steps=100)
            steps = [stamp_ns(r.time) for r in (before, after)]
            assert before.success and after.success and steps[1] > steps[0], (before, after)


def check_early_calls():
    """The first call of a new client is answered as soon as the client has discovered the service: 50 of 50."""
    kind = interface("rcl_interfaces/srv/ListParameters")
    with Merrow("pool") as m:
        m.client("rcl_interfaces/srv/ListParameters", "/merrow/list_parameters")
        slowest = 0
        for _ in range(50):
            client = m.node.create_client(kind, "/merrow/list_parameters")
            assert m.spin(client.service_is_ready), m.log()
            begin = time.monotonic()
            assert m.result(client.call_async(kind.Request()), 5).result.names
            slowest = max(slowest, time.monotonic() - begin)
            m.node.destroy_client(client)
        print(f"   slowest of 50 first calls: {slowest:.3f} s", flush=True)


def check_lock_step():
    """Steps publish the readings of their times and no others, and no message is lost. A reset returns to the start."""
    with Merrow("pool", "--pace", "lockstep") as m:
        found = m.subscribe("nav_msgs/msg/Odometry", "/bluerov2/odometry", 1000)
        clocks = m.subscribe("rosgraph_msgs/msg/Clock", "/clock", 1000)
        assert m.spin(lambda: m.node.count_publishers("/bluerov2/odometry") and m.node.count_publishers("/clock"))
        m.spin(lambda: False, 0.5)
        for _ in range(50):
            m.trigger("single_step")
        assert m.spin(lambda: clocks and stamp_ns(clocks[-1].clock) == 100_000_000), clocks[-1:]
        assert m.spin(lambda: found and stamp_ns(found[-1].header.stamp) == 100_000_000), found[-1:]
        stamps = [stamp_ns(o.header.stamp) for o in found]
        # the start is published before the subscription exists, or after
        assert stamps[-5:] == [20_000_000 * k for k in range(1, 6)], stamps
        last = found[-1].pose.pose
        m.trigger("reset")
        found.clear()
        for _ in range(50):
            m.trigger("single_step")
        assert m.spin(lambda: found and stamp_ns(found[-1].header.stamp) == 100_000_000), found[-1:]
        assert found[-1].pose.pose == last, (found[-1].pose.pose, last)


def check_readme():
    """The program drive.py of README drives the vehicle forward."""
    (program,) = re.findall(r'^```python title="drive.py"\n(.*?)^```$', (ROOT / "README.md").read_text(encoding="utf-8"), re.M | re.S)
    with Merrow("pool") as m:
        found = m.subscribe("nav_msgs/msg/Odometry", "/bluerov2/odometry", SENSOR)
        assert m.spin(lambda: found), m.log()
        driver = subprocess.Popen([sys.executable, "-c", program])
        try:
            assert m.spin(lambda: found[-1].pose.pose.position.x > 0.5), found[-1].pose.pose.position
        finally:
            driver.kill()
            driver.wait()


def check_pause_and_resume():
    """Time stops, and continues from the same value."""
    with Merrow("pool") as m:
        clocks = m.subscribe("rosgraph_msgs/msg/Clock", "/clock", 1000)
        assert m.spin(lambda: clocks), m.log()
        m.trigger("pause")
        m.spin(lambda: False, 0.3)
        before = clocks[-1].clock
        clocks.clear()
        m.spin(lambda: False, 0.5)
        assert all(c.clock == before for c in clocks), clocks
        m.trigger("resume")
        assert m.spin(lambda: clocks and stamp_ns(clocks[-1].clock) > stamp_ns(before) + 300_000_000), clocks[-1:]
        assert m.spin(lambda: clocks[-1].clock != before)


def legal_value(descriptor, value):
    """Returns another value of a parameter, in its range. `value`: its value."""
    kind = type(value)
    if descriptor.type == 3:
        (limits,) = descriptor.floating_point_range
        return kind(type=3, double_value=limits.from_value + 0.6 * (limits.to_value - limits.from_value))
    if descriptor.type == 2:
        (limits,) = descriptor.integer_range
        return kind(type=2, integer_value=limits.to_value if value.integer_value != limits.to_value else limits.from_value)
    if descriptor.type == 1:
        return kind(type=1, bool_value=not value.bool_value)
    return kind(type=4, string_value={"pace": "2"}.get(descriptor.name, "stuck"))


def check_parameters():
    """Every parameter is described, takes a legal value, returns it and publishes its change; a refused value
    has no effect; a batch is set as a whole or not at all.
    """
    kind, value = interface("rcl_interfaces/msg/Parameter"), interface("rcl_interfaces/msg/ParameterValue")
    with Merrow("pool", "--pace", "lockstep") as m:
        events = m.subscribe("rcl_interfaces/msg/ParameterEvent", "/parameter_events", 1000)
        call = lambda service, **fields: m.call(f"rcl_interfaces/srv/{service}", f"/merrow/{snake(service)}", **fields)
        read = lambda name: call("GetParameters", names=[name]).values[0]
        names = call("ListParameters").result.names
        descriptors = call("DescribeParameters", names=names).descriptors
        assert [d.name for d in descriptors] == list(names) and all(d.description for d in descriptors), descriptors
        writable = [d for d in descriptors if not d.read_only]
        assert len(writable) > 20, names
        for descriptor in writable:
            new = legal_value(descriptor, read(descriptor.name))
            (result,) = call("SetParameters", parameters=[kind(name=descriptor.name, value=new)]).results
            assert result.successful and read(descriptor.name) == new, (descriptor.name, new, result)
            nan = value(type=3, double_value=math.nan) if descriptor.type == 3 else value(type=5, byte_array_value=[b"1"])
            (result,) = call("SetParameters", parameters=[kind(name=descriptor.name, value=nan)]).results
            assert not result.successful and result.reason and read(descriptor.name) == new, (descriptor.name, result)
        changed = lambda: {p.name for e in events for p in e.changed_parameters}
        assert m.spin(lambda: {d.name for d in writable} <= changed()), {d.name for d in writable} - changed()
        speed = kind(name="water.current.speed_m_s", value=value(type=3, double_value=0.25))
        batch = [speed, kind(name="no_such", value=value(type=1))]
        refused = call("SetParametersAtomically", parameters=batch).result
        assert not refused.successful and refused.reason and read(speed.name) != speed.value, refused
        assert call("SetParametersAtomically", parameters=batch[:1]).result.successful and read(speed.name) == speed.value


def check_large_replies():
    """Replies of more than a datagram, to two nodes that call at the same time, arrive once and complete."""
    describe, names_of = interface("rcl_interfaces/srv/DescribeParameters"), "rcl_interfaces/srv/ListParameters"
    for world in "pool", str(WORLDS / "many_parameters.yaml"):
        with Merrow(world) as m:
            other = rclpy.create_node("other")
            both = rclpy.executors.SingleThreadedExecutor()
            both.add_node(other)
            names = m.call(names_of, "/merrow/list_parameters").result.names
            clients = [node.create_client(describe, "/merrow/describe_parameters") for node in (m.node, other)]
            assert all(m.spin(client.service_is_ready) for client in clients), m.log()
            for _ in range(10):
                large = [client.call_async(describe.Request(names=names)) for client in clients]
                small = [client.call_async(describe.Request(names=names[:1])) for client in clients]
                m.spin(lambda: both.spin_once(timeout_sec=0.01) or all(f.done() for f in large + small))
                assert [[d.name for d in f.result().descriptors] for f in large] == [list(names)] * 2, world
                assert [[d.name for d in f.result().descriptors] for f in small] == [list(names[:1])] * 2, world
            print(f"   {len(names)} parameters", flush=True)
            both.shutdown()
            other.destroy_node()


def check_actions():
    """A goal of a trajectory is accepted, gives feedback, and succeeds; a second goal is canceled."""
    trajectory, point = (interface(f"trajectory_msgs/msg/{name}") for name in ("JointTrajectory", "JointTrajectoryPoint"))
    action = interface("control_msgs/action/FollowJointTrajectory")
    duration = interface("builtin_interfaces/msg/Duration")
    with Merrow("uvms_pool_servo") as m:
        states = m.subscribe("sensor_msgs/msg/JointState", "/uvms/joint_states", SENSOR)
        client = ActionClient(m.node, action, "/uvms/arm_controller/follow_joint_trajectory")
        assert m.spin(client.server_is_ready), "no action"
        assert m.spin(lambda: states), "no joint states"
        names = ["base", "shoulder", "elbow", "wrist"]
        start = dict(zip(states[-1].name, states[-1].position))

        def goal(seconds):
            point_ = point(positions=[start[name] + 0.05 for name in names], time_from_start=duration(sec=seconds))
            return action.Goal(trajectory=trajectory(joint_names=names, points=[point_]))

        feedback = []
        handle = m.result(client.send_goal_async(goal(2), feedback_callback=feedback.append))
        assert handle.accepted
        result = m.result(handle.get_result_async(), 30)
        assert result.status == 4 and result.result.error_code == 0 and feedback, (result, len(feedback))
        handle = m.result(client.send_goal_async(goal(20)))
        answer = m.result(handle.cancel_goal_async())
        assert len(answer.goals_canceling) == 1, answer
        assert m.result(handle.get_result_async()).status == 5


def check_incompatible_peers():
    """A subscription that requests more than is offered is reported once on both sides."""
    with Merrow("pool") as m:
        m.subscribe("sensor_msgs/msg/Imu", "/bluerov2/imu/data", LATCHED)
        text = "a subscription on /bluerov2/imu/data requests an incompatible QoS (durability)"
        assert m.spin(lambda: text in m.log()), m.log()
        m.spin(lambda: False, 1.0)
        assert m.log().count(text) == 1, m.log()


def check_forged_participants():
    """A new node gets a message within 1 s after 10,000 forged participants, and while others arrive."""
    if BACKEND == "native":
        raise ModuleNotFoundError("the attacks have no native backend")
    found = attacks.attack(PROGRAM, "rclpy")
    if found is None:
        raise ModuleNotFoundError("no permission to create network namespaces")
    assert not attacks.late(found), found
    print(f"   discovery: {', '.join(f'{found[name]:.2f} s' for name in found if name.startswith('discovery'))}", flush=True)


def check_examples():
    """The examples of the crate `ros2` talk with rclpy: 300 messages and one of 60 kB arrive in their order, and 20 of 20
    single messages of nodes that end at once, as of `ros2 topic pub --once`.
    """
    if BACKEND == "native":
        raise ModuleNotFoundError("the examples have no native backend")
    text = interface("std_msgs/msg/String")
    with Example("talker") as talker:
        for qos in 1000, SENSOR:
            found = talker.subscribe("std_msgs/msg/String", "/chatter", qos)
            assert talker.spin(lambda: len(found) >= 3), talker.log()
            numbers = [int(message.data.removeprefix("Hello World: ")) for message in found]
            assert numbers == list(range(numbers[0], numbers[0] + len(numbers))), numbers
    with Example("listener") as listener:
        publisher = listener.node.create_publisher(text, "/chatter", 1000)
        assert listener.spin(publisher.get_subscription_count), listener.log()
        sent = [f"message {k}" for k in range(300)] + ["x" * 60_000]
        for data in sent:
            publisher.publish(text(data=data))
            time.sleep(0.001)
        # the log cuts long lines; a message that is not complete would be refused
        heard = lambda: re.findall(r"I heard: (.{,100})", listener.log())
        assert listener.spin(lambda: len(heard()) >= len(sent)), f"{len(heard())} of {len(sent)}"
        assert heard() == [data[:100] for data in sent], "another order"
        subprocess.run([sys.executable, "-c", ONCE], check=True, timeout=60)
        single = lambda: re.findall(r"I heard: single (\d+)", listener.log())
        assert listener.spin(lambda: len(single()) == 20, 5) and single() == [str(k) for k in range(20)], single()


def check_depth_controller():
    """docs/tutorials/depth_controller.md: the controller holds its depth within 0.1 m in real time and ends on SIGINT without
    a message; in lock-step it gives the results of the page, and twice the same state.
    """
    node = rclpy.create_node("peer")
    found = []
    node.create_subscription(interface("nav_msgs/msg/Odometry"), "/bluerov2/odometry", found.append, SENSOR)

    def settle():
        # 50 poses per simulated second
        near = lambda: len(found) > 200 and all(abs(o.pose.pose.position.z + 3) < 0.1 for o in found[-200:])
        end = time.monotonic() + TIMEOUT_S
        while not near():
            assert time.monotonic() < end, f"at {found[-1].pose.pose.position.z} m" if found else "no poses"
            rclpy.spin_once(node, timeout_sec=0.02)

    with tutorial.Page("depth_controller.md", PROGRAM, BACKEND) as page:
        example = (ROOT / "docs" / "examples" / "depth_controller.py").read_text(encoding="utf-8")
        assert ("python", "depth_controller.py", example) in page.blocks, "the page has another controller"
        page.run(settle)
        hashes = re.findall(r"state hash (\w+)", "".join(page.outputs))
        assert len(hashes) >= 3 and hashes[0] == hashes[1] != hashes[2], hashes


def check_tour():
    """docs/tutorials/ros2_jazzy.md: the programs for rclpy do what the page shows."""
    with tutorial.Page("ros2_jazzy.md", PROGRAM, BACKEND) as page:
        page.run(is_exact=False)


def check_clean_end():
    """The node leaves the network and the process ends with 0 on SIGINT, without a line on the error output."""
    with Merrow("pool") as m:
        samples = m.subscribe("sensor_msgs/msg/Imu", "/bluerov2/imu/data", 10)
        assert m.spin(lambda: len(samples) > 10), m.log()
        begin = time.monotonic()
        assert m.end() == 0, m.log()
        print(f"   ended within {time.monotonic() - begin:.2f} s", flush=True)
        lines = [line for line in m.log().splitlines() if "ROS package" not in line]
        assert not lines, lines
        assert m.spin(lambda: not m.node.get_publishers_info_by_topic("/bluerov2/imu/data")), "still announced"


def main():
    failed = 0
    selected = sys.argv[3:]
    for name, check in [(n.removeprefix("check_"), f) for n, f in globals().items() if n.startswith("check_")]:
        if selected and name not in selected:
            continue
        begin = time.monotonic()
        try:
            rclpy.init()
            check()
            print(f"ok {name} ({time.monotonic() - begin:.1f} s)", flush=True)
        except ModuleNotFoundError as missing:
            print(f"skipped {name}: {missing}", flush=True)
        except Exception as error:  # run every check
            failed += 1
            print(f"FAIL {name}: {type(error).__name__}: {error}\n{traceback.format_exc()}", flush=True)
        finally:
            rclpy.shutdown()
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[2] not in ("embedded", "native"):
        sys.exit(__doc__)
    PROGRAM, BACKEND = sys.argv[1:3]
    RMW = rclpy.get_rmw_implementation_identifier()
    os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    with Domain() as number:
        os.environ["ROS_DOMAIN_ID"] = str(number)
        sys.exit(main())
