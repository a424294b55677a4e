"""Checks of end_to_end.py: goals, paths, modes and status of vehicles without the motion controller.
"""

import math

from checks.vehicles.controllers import Pilot, heading, pose
from checks.vehicles.drive import header, vector
from live import Merrow, message_type


class Vehicle(Pilot):
    """A pilot who publishes paths."""

    def follow(self, *waypoints):
        stamped = message_type("geometry_msgs/msg/PoseStamped")
        poses = [stamped(header=header("world"), pose=pose(*p, None)) for p in waypoints]
        self.m.write(f"{self.robot}/path", header=header("world"), poses=poses)


def check_sailing_course():
    """A boat sails against the wind by tacking, follows a path, and refuses commands that it cannot execute."""
    with Merrow("sailing", "--pace", "lockstep") as m:
        boat = Vehicle(m, "/boat", steps_per_s=200)
        start = boat.run(0.2).pose.pose.position
        m.write("/boat/autopilot/heading_deg", data=0.0)
        p = boat.run(120).pose.pose.position
        assert p.y - start.y > 60, f"{p} after {start}"
        assert boat.report().mode == "heading_hold"
        boat.follow((p.x + 60, p.y, 0.0), (p.x + 60, p.y - 60, 0.0))
        boat.run(5)
        status = boat.report()
        assert (status.mode, status.waypoints) == ("path_following", 2), status
        done = boat.set_mode("velocity")
        assert not done.success and "station_keeping" in done.message, done
        assert boat.set_mode("station_keeping").success
        assert boat.arm(False).success
        assert boat.report().mode == "off"


def check_glider_mode():
    """A glider dives on a heading to a depth, and comes up when it is disarmed or commanded to."""
    with Merrow("glider", "--pace", "lockstep") as m:
        glider = Vehicle(m, "/glider", steps_per_s=100)
        assert glider.set_mode("dive").success
        m.write("/glider/autopilot/depth_m", data=15.0)
        m.write("/glider/autopilot/heading_deg", data=120.0)
        found = glider.run(150)
        assert found.pose.pose.position.z < -10, found.pose
        assert abs(math.degrees(heading(found)) + 30) < 30, heading(found)
        status = glider.report()
        assert status.mode == "dive" and abs(status.reference_pose.position.z + 15) < 1e-9, status
        m.write("/glider/autopilot/depth_m", data=0.0)
        assert glider.run(200).pose.pose.position.z > -3


def check_rover_goal():
    """A rover drives to a goal on its plane and stops there; cmd_vel takes over."""
    with Merrow("bank", "--pace", "lockstep") as m:
        rover = Vehicle(m, "/rover")
        start = rover.run(0.5)
        p, yaw = start.pose.pose.position, heading(start)
        x, y = p.x + 2 * math.cos(yaw), p.y + 2 * math.sin(yaw)
        rover.go_to(x, y, 0.0, yaw + 1)
        found = rover.run(12)
        q = found.pose.pose.position
        assert math.dist((q.x, q.y), (x, y)) < 0.25, (q, x, y)
        assert abs(heading(found) - yaw - 1) < 0.1, heading(found)
        assert rover.report().mode == "station_keeping"
        m.write("/rover/cmd_vel", linear=vector(0.3, 0, 0), angular=vector(0, 0, 0))
        rover.run(0.2)
        assert rover.report().mode == "velocity"


def check_multirotor_path():
    """A multirotor takes off for a path, follows it and hovers at its end."""
    with Merrow("hover", "--pace", "lockstep") as m:
        firefly = Vehicle(m, "/firefly")
        p = firefly.run(0.2).pose.pose.position
        firefly.follow((p.x, p.y, p.z + 3), (p.x + 6, p.y, p.z + 3), (p.x + 6, p.y + 4, p.z + 4))
        firefly.run(1)
        assert firefly.report().mode == "path_following"
        q = firefly.run(30).pose.pose.position
        assert math.dist((q.x, q.y, q.z), (p.x + 6, p.y + 4, p.z + 4)) < 0.15, q
        assert firefly.report().mode == "station_keeping"


def check_torpedo_velocity():
    """cmd_vel drives a torpedo-shaped vehicle; without it the propeller stops."""
    with Merrow("remus", "--pace", "lockstep") as m:
        remus = Vehicle(m, "/remus")
        for _ in range(60):
            m.write("/remus/cmd_vel", linear=vector(1.2, 0, 0), angular=vector(0, 0, 0))
            found = remus.run(0.5)
        assert abs(found.twist.twist.linear.x - 1.2) < 0.06, found.twist
        assert remus.report().mode == "velocity"
        remus.run(2)
        assert remus.report().mode == "depth_hold"


CHECKS = [check_rover_goal]
SLOW_CHECKS = [check_sailing_course, check_glider_mode, check_multirotor_path, check_torpedo_velocity]
