"""Checks of end_to_end.py: clients of other simulators drive a robot by its profile."""

from checks.drive import header
from live import Merrow, message_type, nanoseconds, take, wait_for

FLOAT = "std_msgs/msg/Float64"
STAMPED = "uuv_gazebo_ros_plugins_msgs/msg/FloatStamped"


def drive(world, profile, odometry, command, steps=500):
    """Sends a command and steps the world; returns the velocity of the robot in its own axes."""
    with Merrow(world, "--pace", "lockstep", "--profile", profile) as m:
        truth = m.listen(odometry, "nav_msgs/msg/Odometry")
        m.settle()
        command(m)
        end, found = m.step(steps), []
        end -= end % 20_000_000
        assert wait_for(
            lambda: found.extend(take(truth)) or found and nanoseconds(found[-1].header.stamp) >= end), "no odometry"
        m.alive()
        return found[-1]


def check_profile_vrx():
    """A WAM-V takes thrusts and azimuth angles as in VRX, and has its frames."""
    def ahead(m):
        for side in ("left", "right"):
            m.write(f"/wamv/thrusters/{side}/thrust", FLOAT, data=300.0)

    def turned(m):
        ahead(m)
        for side in ("left", "right"):
            m.write(f"/wamv/thrusters/{side}/pos", FLOAT, data=1.5)

    odometry = "/wamv/sensors/position/ground_truth_odometry"
    found = drive("usv", "vrx", odometry, ahead)
    assert found.twist.twist.linear.x > 0.3, found.twist.twist
    assert found.child_frame_id == "wamv/wamv/base_link", found.child_frame_id
    found = drive("usv", "vrx", odometry, turned, 1000)
    assert abs(found.twist.twist.angular.z) > 0.05, found.twist.twist


def check_profile_gz():
    """An ROV takes thrusts as the thruster system of Gazebo."""
    def up(m):
        for k in (5, 6, 7, 8):
            m.write(f"/model/bluerov2/joint/thruster{k}_joint/cmd_thrust", FLOAT, data=-8.0)

    found = drive("pool", "gz", "/model/bluerov2/odometry", up)
    assert found.twist.twist.linear.z < -0.1, found.twist.twist


def check_profile_stonefish():
    """An ROV takes one array of normalised setpoints."""
    def ahead(m):
        layout = message_type("std_msgs/msg/MultiArrayLayout")(dim=[], data_offset=0)
        m.write("/bluerov2/thruster_setpoints", "std_msgs/msg/Float64MultiArray", layout=layout,
                data=[0.5, 0.5, -0.5, -0.5, 0.0, 0.0, 0.0, 0.0])

    found = drive("pool", "stonefish", "/bluerov2/odometry", ahead)
    assert found.twist.twist.linear.x > 0.1, found.twist.twist


def check_profile_plankton():
    """An ROV takes stamped commands of single thrusters, as a thruster manager of Plankton sends
    them.
    """
    def down(m):
        for k in (4, 5, 6, 7):
            m.write(f"/bluerov2/thrusters/id_{k}/input", STAMPED, header=header(""), data=-0.4)

    for profile in ("uuv", "plankton"):
        found = drive("pool", profile, "/bluerov2/pose_gt", down)
        assert found.twist.twist.linear.z < -0.1, found.twist.twist


CHECKS = [check_profile_vrx, check_profile_gz, check_profile_stonefish, check_profile_plankton]
