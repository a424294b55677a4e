#!/usr/bin/env python3
"""Checks the launch files with the programs of a sourced ROS 2: ros2 launch, robot_state_publisher, robot_localization
and ros2_control.

    python3 test/ros/native/launch_checks.py [NAME...]

Needs the installed packages merrow and merrow_bringup. Prints `ok NAME` or `FAIL NAME: why` per check; the exit code is 1 if one failed.
Checks whose packages are missing are skipped with a message.
"""

import math
import os
import signal
import subprocess
import sys
import tempfile
import time
import traceback

import rclpy
from ament_index_python.packages import get_packages_with_prefixes
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
from rclpy.action import ActionClient
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage

START_S = 60
# changes of the joint positions of the arm [rad]
ARM_MOTION = {"base": 0.3, "shoulder": 0.3, "elbow": 0.2, "wrist": 0.4}
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


class Skipped(Exception):
    """A program of ROS 2 is not installed."""


class Launch:
    """A running launch file and a node of rclpy. A context manager that ends both."""

    def __init__(self, file, *arguments):
        self.output = tempfile.TemporaryFile("w+", encoding="utf-8")
        command = ["ros2", "launch", "merrow_bringup", file, *arguments]
        self.process = subprocess.Popen(command, stdout=self.output, stderr=subprocess.STDOUT, start_new_session=True)
        self.node = rclpy.create_node("launch_check")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.node.destroy_node()
        if self.process.poll() is None:
            # also the programs of the launch file
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def text(self):
        """Returns what the launch file and its programs have printed."""
        self.output.seek(0)
        return self.output.read()

    def listen(self, kind, topic, qos=10):
        """Returns the list of received messages."""
        messages = []
        self.node.create_subscription(kind, topic, messages.append, qos)
        return messages

    def spin(self, condition, timeout_s):
        """Serves the node until the condition holds."""
        end = time.monotonic() + timeout_s
        while not condition():
            assert self.process.poll() is None, self.text()[-2000:]
            assert time.monotonic() < end, f"no messages\n{self.text()[-2000:]}"
            rclpy.spin_once(self.node, timeout_sec=0.02)

    def stop(self):
        """Ends the launch as Ctrl-C does. The simulator must end without an error."""
        self.process.send_signal(signal.SIGINT)
        self.process.wait(timeout=30)
        text = self.text()
        assert self.process.returncode == 0, (self.process.returncode, text[-2000:])
        ends = [line for line in text.splitlines() if "process has died" in line and "merrow-" in line]
        assert not ends, ends


def needs(*packages):
    missing = [name for name in packages if name not in get_packages_with_prefixes()]
    if missing:
        raise Skipped(f"{', '.join(missing)}: not installed")


def position(message):
    p = message.pose.pose.position
    return p.x, p.y, p.z


def drive(launch, robot, speeds, seconds):
    """Commands velocities (forward, left, up [m/s], yaw rate [rad/s]) one after another; each for `seconds`. Returns the
    last true and estimated odometry with the same simulated time, and the length of the way [m].
    """
    truth = launch.listen(Odometry, f"/{robot}/odometry")
    estimate = launch.listen(Odometry, f"/{robot}/odometry/filtered")
    commands = launch.node.create_publisher(Twist, f"/{robot}/cmd_vel", 1)
    launch.spin(lambda: truth and estimate, START_S)
    for forward, left, up, yaw in speeds:
        command = Twist()
        command.linear.x, command.linear.y, command.linear.z, command.angular.z = map(float, (forward, left, up, yaw))
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            commands.publish(command)
            rclpy.spin_once(launch.node, timeout_sec=0.05)
    stamp = lambda message: message.header.stamp.sec + 1e-9 * message.header.stamp.nanosec  # noqa: E731
    last = max(estimate, key=stamp)
    same = min(truth, key=lambda message: abs(stamp(message) - stamp(last)))
    assert abs(stamp(same) - stamp(last)) < 0.1, (stamp(same), stamp(last))
    way = sum(math.dist(position(a), position(b)) for a, b in zip(truth, truth[1:]))
    return same, last, way


def check_state_publisher():
    """robot_state_publisher has the description of the robot, and publishes its joints under the frames of Merrow."""
    needs("robot_state_publisher")
    with Launch("sim.launch.py", "world:=uvms_pool", "robot:=uvms", "state_publisher:=true") as launch:
        descriptions = launch.listen(String, "/uvms/robot_description", LATCHED)
        transforms = launch.listen(TFMessage, "/tf")
        frames = lambda: {t.child_frame_id for message in transforms for t in message.transforms}  # noqa: E731
        launch.spin(lambda: len(descriptions) > 1 and len(frames()) > 3, START_S)
        assert all("<robot" in message.data for message in descriptions)
        assert descriptions[0].data == descriptions[1].data
        launch.stop()


def check_underwater_filter():
    """The filter estimates the position of a BlueROV2 from AHRS, DVL and depth."""
    needs("robot_localization", "robot_state_publisher")
    arguments = "world:=estimation", "robot:=bluerov2", "state_publisher:=true", "ekf:=bluerov2"
    with Launch("sim.launch.py", *arguments) as launch:
        truth, estimate, way = drive(launch, "bluerov2", [(0.5, 0, 0, 0), (0.3, 0.2, 0.1, 0.1)], 10)
        error = math.dist(position(truth), position(estimate))
        print(f"   error {error:.3f} m after {way:.1f} m")
        assert way > 3 and error < 0.05 * way, (way, error)
        launch.stop()


def check_boat_filter():
    """The filter estimates the position of a boat from IMU and GNSS."""
    needs("robot_localization")
    with Launch("sim.launch.py", "world:=usv", "robot:=wamv", "ekf:=wamv") as launch:
        truth, estimate, way = drive(launch, "wamv", [(1.0, 0, 0, 0), (1.0, 0, 0, 0.1)], 10)
        error = math.dist(position(truth)[:2], position(estimate)[:2])
        print(f"   error {error:.3f} m after {way:.1f} m")
        assert way > 5 and error < 1.0, (way, error)
        launch.stop()


def check_arm_controllers():
    """The trajectory controller of ros2_control moves the arm through the topics of Merrow."""
    needs("controller_manager", "joint_trajectory_controller", "joint_state_broadcaster", "joint_state_topic_hardware_interface")
    from control_msgs.action import FollowJointTrajectory  # noqa: PLC0415, an optional package
    from trajectory_msgs.msg import JointTrajectoryPoint  # noqa: PLC0415

    with Launch("uvms_control.launch.py") as launch:
        states = launch.listen(JointState, "/uvms/joint_states")
        client = ActionClient(launch.node, FollowJointTrajectory, "/joint_trajectory_controller/follow_joint_trajectory")
        launch.spin(lambda: states and client.server_is_ready(), START_S)
        start = dict(zip(states[-1].name, states[-1].position))
        targets = {name: start[name] + change for name, change in ARM_MOTION.items()}
        goal = FollowJointTrajectory.Goal()
        goal.trajectory.joint_names = list(targets)
        point = JointTrajectoryPoint(positions=list(targets.values()))
        point.time_from_start.sec = 4
        goal.trajectory.points = [point]
        # the controller refuses goals until its spawner has activated it
        handle, end = None, time.monotonic() + START_S
        while handle is None or not handle.accepted:
            assert time.monotonic() < end, f"no goal is accepted\n{launch.text()[-2000:]}"
            sent = client.send_goal_async(goal)
            launch.spin(sent.done, START_S)
            handle = sent.result()
        done = handle.get_result_async()
        launch.spin(done.done, START_S)
        result = done.result().result
        assert result.error_code == FollowJointTrajectory.Result.SUCCESSFUL, result
        # the servos of the arm lag behind the trajectory
        end = time.monotonic() + 3
        launch.spin(lambda: time.monotonic() > end, START_S)
        found = dict(zip(states[-1].name, states[-1].position))
        errors = {name: abs(found[name] - target) for name, target in targets.items()}
        print(f"   errors {', '.join(f'{name} {error:.4f} rad' for name, error in errors.items())}")
        assert max(errors.values()) < 0.03, errors
        launch.stop()


CHECKS = [check_state_publisher, check_underwater_filter, check_boat_filter, check_arm_controllers]


def main():
    failed = 0
    # the programs that were started end with this one
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    rclpy.init()
    for check in [check for check in CHECKS if not sys.argv[1:] or check.__name__.removeprefix("check_") in sys.argv[1:]]:
        name = check.__name__.removeprefix("check_")
        try:
            check()
            print(f"ok {name}", flush=True)
        except Skipped as why:
            print(f"skipped {name}: {why}", flush=True)
        except Exception as why:
            failed += 1
            print(f"FAIL {name}: {type(why).__name__}: {why}", flush=True)
            traceback.print_exc()
    rclpy.shutdown()
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
