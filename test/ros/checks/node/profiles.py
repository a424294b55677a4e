"""Checks of end_to_end.py: clients of other simulators drive a robot by its profile."""

import math

from checks.vehicles.drive import header
from live import Merrow, message_type, nanoseconds, take, wait_for, wait_until

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
    assert found.header.frame_id == "map", found.header.frame_id
    found = drive("usv", "vrx", odometry, turned, 1000)
    assert abs(found.twist.twist.angular.z) > 0.05, found.twist.twist


def check_profile_gz():
    """An ROV takes thrusts as the thruster system of Gazebo."""
    def up(m):
        for k in (5, 6, 7, 8):
            m.write(f"/model/bluerov2/joint/thruster{k}_joint/cmd_thrust", FLOAT, data=-8.0)

    found = drive("pool", "gz", "/model/bluerov2/odometry", up)
    assert found.twist.twist.linear.z < -0.1, found.twist.twist
    assert found.header.frame_id == "map", found.header.frame_id


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


def call(m, service, kind, **fields):
    """Calls a service of another simulator."""
    client = m.peer.client(service, kind)
    assert client.wait(20), f"no service {service}"
    return client.call(**fields)


def check_services_of_plankton():
    """Services of thrusters and of the current set the parameters that show the same state."""
    package, world = "uuv_gazebo_ros_plugins_msgs/srv", "uuv_world_ros_plugins_msgs/srv"
    with Merrow("pool", "--profile", "plankton") as m:
        thruster, parameter = "/bluerov2/thrusters/id_0", "bluerov2.thrusters.t1"
        empty = {"structure_needs_at_least_one_member": 0}
        assert call(m, f"{thruster}/get_thruster_state", f"{package}/GetThrusterState", **empty).is_on
        assert call(m, f"{thruster}/set_thruster_state", f"{package}/SetThrusterState", on=False).success
        assert m.get(f"{parameter}.state") == "dead"
        assert not call(m, f"{thruster}/get_thruster_state", f"{package}/GetThrusterState", **empty).is_on
        assert call(m, f"{thruster}/set_thruster_state", f"{package}/SetThrusterState", on=True).success
        efficiency = f"{thruster}/set_thrust_force_efficiency"
        assert call(m, efficiency, f"{package}/SetThrusterEfficiency", efficiency=0.5).success
        assert not call(m, efficiency, f"{package}/SetThrusterEfficiency", efficiency=math.nan).success
        assert call(m, f"{thruster}/get_thrust_force_efficiency", f"{package}/GetThrusterEfficiency", **empty).efficiency == 0.5
        assert m.get(f"{parameter}.efficiency") == 0.5
        assert call(m, "/hydrodynamics/set_current_velocity", f"{world}/SetCurrentVelocity", velocity=0.4, horizontal_angle=math.pi / 2,
                    vertical_angle=0.0).success
        assert abs(m.get("water.current.speed_m_s") - 0.4) < 1e-9 and abs(m.get("water.current.direction_deg")) < 1e-9
        assert call(m, "/hydrodynamics/set_current_horz_angle", f"{world}/SetCurrentDirection", angle=0.0).success
        assert abs(m.get("water.current.direction_deg") - 90) < 1e-9
        assert call(m, "/hydrodynamics/set_current_vert_angle", f"{world}/SetCurrentDirection", angle=math.pi / 6).success
        assert abs(m.get("water.current.up_m_s") - 0.2) < 1e-9
        assert abs(m.get("water.current.speed_m_s") - 0.4 * math.cos(math.pi / 6)) < 1e-9
        assert not call(m, "/hydrodynamics/set_current_vert_angle", f"{world}/SetCurrentDirection", angle=math.nan).success


def check_services_of_stonefish():
    """The current is switched off and on, and a robot is placed at a pose in north, east, down."""
    with Merrow("pool", "--profile", "stonefish") as m:
        assert m.set("water.current.speed_m_s", 0.3).successful
        assert call(m, "/disable_currents", "std_srvs/srv/Trigger", structure_needs_at_least_one_member=0).success
        assert m.get("water.current.speed_m_s") == 0.0
        assert call(m, "/enable_currents", "std_srvs/srv/Trigger", structure_needs_at_least_one_member=0).success
        assert m.get("water.current.speed_m_s") == 0.3
        point, quaternion = message_type("geometry_msgs/msg/Point"), message_type("geometry_msgs/msg/Quaternion")
        pose = message_type("geometry_msgs/msg/Pose")
        origin = pose(position=point(x=1.0, y=2.0, z=3.0), orientation=quaternion(x=0.0, y=0.0, z=0.0, w=1.0))
        odometry = m.listen("/bluerov2/odometry")
        assert call(m, "/respawn_robot", "stonefish_ros2/srv/Respawn", name="bluerov2", origin=origin).success
        take(odometry)
        p = wait_until(odometry, lambda _: True).pose.pose
        # the odometry of Stonefish is also in north, east, down
        assert abs(p.position.x - 1) < 0.2 and abs(p.position.y - 2) < 0.2 and abs(p.position.z - 3) < 0.2, p
        assert abs(abs(p.orientation.w) - 1) < 0.05, p
        wrong = call(m, "/respawn_robot", "stonefish_ros2/srv/Respawn", name="none", origin=origin)
        assert not wrong.success and "none" in wrong.message, wrong


CHECKS = [check_services_of_plankton, check_services_of_stonefish, check_profile_vrx, check_profile_gz, check_profile_stonefish, check_profile_plankton]
