#!/usr/bin/env python3
"""Checks a running Merrow with the client library of a ROS 2, for any RMW.

    python3 test/ros/native/rclpy_checks.py PROGRAM embedded|native [NAME...]

RMW_IMPLEMENTATION selects the RMW of this script, and with `native` also the RMW of Merrow. Prints `ok NAME`
or `FAIL NAME: why` per check; the exit code is 1 if one failed. NAMEs select checks. Needs rclpy and the packages of the
topics in the world `pool`; checks whose packages are missing are skipped with a message.
"""

import contextlib
import importlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import traceback

import rclpy
from rclpy.action import ActionClient
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from domain import Domain

SENSOR = QoSProfile(depth=5, reliability=ReliabilityPolicy.BEST_EFFORT)
LATCHED = QoSProfile(depth=10, durability=DurabilityPolicy.TRANSIENT_LOCAL)
TIMEOUT_S = 20
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


def interface(name):
    """Returns the class of `package/kind/Type`."""
    package, kind, name = name.split("/")
    return getattr(importlib.import_module(f"{package}.{kind}"), name)


class Merrow:
    """A `merrow run` process and a node of rclpy. A context manager that ends both."""

    def __init__(self, world, *options):
        self.errors = tempfile.TemporaryFile("w+", encoding="utf-8")
        command = [PROGRAM, "run", world, "--ros-backend", BACKEND, *options]
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
        stamps = [s.header.stamp.sec * 10**9 + s.header.stamp.nanosec for s in samples[50:]]
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
        reply = m.call("std_srvs/srv/Trigger", "/merrow/pause")
        assert reply.success, reply
        client = m.client("rcl_interfaces/srv/ListParameters", "/merrow/list_parameters")
        kind = interface("rcl_interfaces/srv/ListParameters")
        for _ in range(100):
            assert len(m.result(client.call_async(kind.Request())).result.names) > 10
        with contextlib.suppress(ModuleNotFoundError):
            before = m.call("merrow_msgs/srv/StepSimulation", "/merrow/step", steps=100)
            after = m.call("merrow_msgs/srv/StepSimulation", "/merrow/step", steps=100)
            steps = [r.time.sec * 10**9 + r.time.nanosec for r in (before, after)]
            assert before.success and after.success and steps[1] > steps[0], (before, after)


def check_parameters():
    """Parameters are listed, described, set and refused, and changes are published."""
    with Merrow("pool") as m:
        events = m.subscribe("rcl_interfaces/msg/ParameterEvent", "/parameter_events", 100)
        kind, value = interface("rcl_interfaces/msg/Parameter"), interface("rcl_interfaces/msg/ParameterValue")
        listed = m.call("rcl_interfaces/srv/ListParameters", "/merrow/list_parameters").result.names
        name = next(n for n in listed if n == "publish_truth_tf")
        read = lambda: m.call("rcl_interfaces/srv/GetParameters", "/merrow/get_parameters", names=[name]).values[0]
        assert read().bool_value is True, read()
        change = [kind(name=name, value=value(type=1, bool_value=False)), kind(name="no_such", value=value(type=1))]
        results = m.call("rcl_interfaces/srv/SetParameters", "/merrow/set_parameters", parameters=change).results
        assert [r.successful for r in results] == [True, False] and results[1].reason, results
        assert read().bool_value is False
        described = m.call("rcl_interfaces/srv/DescribeParameters", "/merrow/describe_parameters", names=[name]).descriptors
        assert described[0].description, described
        assert m.spin(lambda: any(p.name == name for e in events for p in e.changed_parameters)), events


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
