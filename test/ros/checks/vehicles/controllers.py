"""Checks of end_to_end.py: every mode of the motion controller, by topics, services and parameters.
"""

import math
import pathlib
import tempfile

from mcap_ros2.reader import read_ros2_messages

from checks.vehicles.drive import header, vector
from live import Merrow, command, latest, message_type, nanoseconds, take, wait_for

ROBOT = "/bluerov2"
ODOMETRY = f"{ROBOT}/odometry"
STATUS = f"{ROBOT}/controller/status"
STEPS_PER_S = 500
BACK_TO_FRONT_AXES = {"yaw": 0, "heave": 1, "sway": 3, "surge": 4}


class Pilot:
    """A lock-stepped world with the requests of a user and the true motion of the robot."""

    def __init__(self, m, robot=ROBOT, steps_per_s=STEPS_PER_S):
        self.m, self.robot, self.steps_per_s = m, robot, steps_per_s
        self.truth = m.listen(f"{robot}/odometry")
        self.status = m.listen(f"{robot}/controller/status")
        m.settle()

    def set_mode(self, mode):
        client = self.m.peer.client(f"{self.robot}/set_mode", "merrow_msgs/srv/SetControlMode")
        assert client.wait(10), "no service set_mode"
        return client.call(mode=mode)

    def arm(self, on):
        client = self.m.peer.client(f"{self.robot}/arm", "std_srvs/srv/SetBool")
        assert client.wait(10), "no service arm"
        return client.call(data=on)

    def go_to(self, x, y, z, yaw=None):
        """Publishes a pose goal; without a yaw, the zero quaternion."""
        self.m.write(f"{self.robot}/goal_pose", header=header("world"), pose=pose(x, y, z, yaw))

    def run(self, seconds):
        """Steps the world; returns the odometry at the end."""
        end, found = self.m.step(round(seconds * self.steps_per_s)), []
        end -= end % 20_000_000
        assert wait_for(
            lambda: found.extend(take(self.truth)) or found and nanoseconds(found[-1].header.stamp) >= end), "no odometry"
        return found[-1]

    def report(self):
        """Returns the status after some steps."""
        take(self.status)
        self.m.step(40)
        return latest(self.status)


def pose(x, y, z, yaw):
    quaternion = message_type("geometry_msgs/msg/Quaternion")
    q = quaternion(x=0.0, y=0.0, z=0.0, w=0.0)
    if yaw is not None:
        q = quaternion(x=0.0, y=0.0, z=math.sin(yaw / 2), w=math.cos(yaw / 2))
    return message_type("geometry_msgs/msg/Pose")(
        position=message_type("geometry_msgs/msg/Point")(x=float(x), y=float(y), z=float(z)), orientation=q)


def heading(odometry):
    q = odometry.pose.pose.orientation
    return math.atan2(2 * (q.w * q.z + q.x * q.y), 1 - 2 * (q.y * q.y + q.z * q.z))


def check_pose_goal():
    """A pose goal is reached and held, and the status reports it."""
    with Merrow("pool", "--pace", "lockstep") as m:
        pilot = Pilot(m)
        start = pilot.run(0.1).pose.pose.position
        pilot.go_to(start.x + 1, start.y - 0.5, start.z - 0.5, 0.8)
        found = pilot.run(20)
        p = found.pose.pose.position
        error = math.dist((p.x, p.y, p.z), (start.x + 1, start.y - 0.5, start.z - 0.5))
        assert error < 0.03, f"{error} m off: {p}"
        assert abs(heading(found) - 0.8) < 0.02, heading(found)
        status = pilot.report()
        assert (status.mode, status.armed) == ("station_keeping", True), status
        assert abs(status.pose.position.x - p.x) < 0.01, status


def check_velocity_command():
    """cmd_vel moves the robot from mode off, and it stops after the time-out."""
    with Merrow("pool", "--pace", "lockstep") as m:
        pilot = Pilot(m)
        for _ in range(20):
            m.write(f"{ROBOT}/cmd_vel", linear=vector(0.2, 0.1, 0.0), angular=vector(0.0, 0.0, 0.2))
            found = pilot.run(0.5)
        v, w = found.twist.twist.linear, found.twist.twist.angular
        assert abs(v.x - 0.2) < 0.03 and abs(v.y - 0.1) < 0.03 and abs(w.z - 0.2) < 0.02, (v, w)
        v = pilot.run(10).twist.twist.linear
        assert math.hypot(v.x, v.y, v.z) < 0.02, f"{v} long after the last command"


def check_path():
    """A path is followed to its end."""
    with Merrow("pool", "--pace", "lockstep") as m:
        pilot = Pilot(m)
        start = pilot.run(0.1).pose.pose.position
        stamped = message_type("geometry_msgs/msg/PoseStamped")
        corners = [(1, 0), (1, 1), (0, 1)]
        poses = [stamped(header=header("world"), pose=pose(start.x + x, start.y + y, start.z, None)) for x, y in corners]
        m.write(f"{ROBOT}/path", header=header("world"), poses=poses)
        pilot.run(1)
        status = pilot.report()
        assert (status.mode, status.waypoints) == ("path_following", 3), status
        p = pilot.run(40).pose.pose.position
        status = pilot.report()
        assert (status.mode, status.waypoint) == ("station_keeping", 3), status
        assert math.dist((p.x, p.y), (start.x, start.y + 1)) < 0.1, p


def joystick(m, buttons=(), **sticks):
    """Publishes a message of an Xbox gamepad."""
    axes = [0.0] * 8
    for name, value in sticks.items():
        axes[BACK_TO_FRONT_AXES[name]] = value
    m.write(f"{ROBOT}/joy", header=header(""), axes=axes, buttons=[int(k in buttons) for k in range(11)])


def check_joystick():
    """A gamepad moves the robot in manual mode, its buttons select depth hold and disarm."""
    with Merrow("pool", "--pace", "lockstep") as m:
        pilot = Pilot(m)
        pilot.run(0.1)
        for _ in range(4):
            joystick(m, surge=0.5)
            found = pilot.run(0.5)
        assert found.twist.twist.linear.x > 0.1, found.twist.twist.linear
        assert pilot.report().mode == "manual"
        # a message can arrive after the steps of a service
        joystick(m, buttons=(2,))
        assert wait_for(lambda: pilot.report().mode == "depth_hold", 5)
        held = pilot.run(10).pose.pose.position.z
        assert abs(pilot.run(20).pose.pose.position.z - held) < 0.05
        joystick(m, buttons=(4,))
        assert wait_for(lambda: not pilot.report().armed, 5)
        assert pilot.report().mode == "off"


def check_modes_by_service():
    """Every mode that the robot has can be selected; others are refused with a reason."""
    with Merrow("pool", "--pace", "lockstep") as m:
        pilot = Pilot(m)
        for mode in ("manual", "stabilize", "heading_hold", "depth_hold", "velocity", "station_keeping", "off"):
            done = pilot.set_mode(mode)
            assert done.success, f"{mode}: {done.message}"
            assert pilot.report().mode == mode
        m.write(f"{ROBOT}/set_mode", data="manual")
        assert pilot.report().mode == "manual"
        done = pilot.set_mode("hover")
        assert not done.success and "expected one of off, manual" in done.message, done
        done = pilot.set_mode("path_following")
        assert not done.success and done.message.endswith("no path was received"), done
        assert pilot.arm(False).success and not pilot.report().armed
        done = pilot.set_mode("manual")
        assert not done.success and done.message == "the vehicle is disarmed: arm it first", done
        assert pilot.arm(True).success and pilot.set_mode("manual").success


def check_thruster_commands_take_precedence():
    """A direct thruster command ends the control."""
    with Merrow("pool", "--pace", "lockstep") as m:
        pilot = Pilot(m)
        assert pilot.set_mode("station_keeping").success
        pilot.run(1)
        m.write(f"{ROBOT}/thrusters/t5/command", data=0.5)
        assert pilot.report().mode == "off"


def check_gains_are_live():
    """With a larger gain the vehicle returns faster, and invalid gains are refused."""
    with Merrow("pool", "--pace", "lockstep") as m:
        pilot = Pilot(m)
        start = pilot.run(0.1).pose.pose.position
        assert pilot.set_mode("station_keeping").success
        gain = "bluerov2.controller.surge.position_gain"
        speeds = []
        for factor in (1.0, 5.0):
            assert m.set(gain, m.get(gain) * factor).successful
            m.set_pose("bluerov2", (start.x - 0.2, start.y, start.z))
            speeds.append(pilot.run(0.2).twist.twist.linear.x)
        assert speeds[1] > 1.5 * speeds[0] > 0, speeds
        for value in (math.nan, -1.0, "high"):
            result = m.set(gain, value)
            assert not result.successful and result.reason, f"{value} was accepted"


def check_heading_depth_hold_follows_paths():
    """A torpedo-shaped vehicle accepts a goal, starts its propeller, and refuses other modes."""
    with Merrow("remus", "--pace", "lockstep") as m:
        truth = m.listen("/remus/odometry")
        m.settle()
        client = m.peer.client("/remus/set_mode", "merrow_msgs/srv/SetControlMode")
        assert client.wait(10), "no service set_mode"
        done = client.call(mode="velocity")
        assert not done.success and "heading_hold" in done.message, done
        m.write("/remus/goal_pose", header=header("world"), pose=pose(200, 0, -5, None))
        m.step(10_000)
        assert wait_for(lambda: take(truth), 5)
        assert client.call(mode="off").success


def check_replay_commands():
    """A run that replays the commands of its bag has the same state."""
    with tempfile.TemporaryDirectory() as folder:
        bag = pathlib.Path(folder) / "run.mcap"
        with Merrow("pool", "--pace", "lockstep", "--record", str(bag)) as m:
            pilot = Pilot(m)
            start = pilot.run(0.3).pose.pose.position
            pilot.go_to(start.x + 1, start.y, start.z - 0.5, 0.4)
            pilot.run(1.3)
            m.write(f"{ROBOT}/cmd_vel", linear=vector(0.2, 0.0, 0.1), angular=vector(0.0, 0.0, 0.2))
            pilot.run(0.9)
            assert m.set("bluerov2.thrusters.t2.efficiency", 0.6).successful
            m.write(f"{ROBOT}/thrusters/t5/command", data=0.4)
            pilot.run(0.7)
            m.write(f"{ROBOT}/thrusters/t5/command", data=math.nan)
            end = pilot.m.step(50)
            assert m.end() == 0, m.output()
            first = m.output()[0].split("state hash: ")[1].split()[0]
        arguments = ("--no-ros", "--pace", "max", "--for", end * 1e-9)
        code, out, err = command("run", "pool", "--replay-commands", bag, *arguments)
        assert code == 0, err
        assert out.split("state hash: ")[1].split()[0] == first, (first, out)
        # without the commands the state differs
        code, out, err = command("run", "pool", *arguments)
        assert code == 0 and out.split("state hash: ")[1].split()[0] != first, out
        # a bag without commands, and a file that is no bag, are one line each
        code, out, err = command("run", "usv", "--replay-commands", bag, *arguments)
        assert code != 0 and "the bag has no commands for this world" in err[0], err
        bag.write_text("no bag")
        code, out, err = command("run", "pool", "--replay-commands", bag, *arguments)
        assert code != 0 and len(err) == 1 and "run.mcap" in err[0], err


def check_replay_parameters():
    """A run that replays the parameters of its bag has the same state."""
    with tempfile.TemporaryDirectory() as folder:
        bag = pathlib.Path(folder) / "run.mcap"
        with Merrow("pool", "--pace", "lockstep", "--record", str(bag)) as m:
            m.step(100)
            assert m.set("water.current.speed_m_s", 0.3).successful
            m.step(100)
            assert m.set("water.waves.hs_m", 0.4).successful
            end = m.step(400)
            assert m.end() == 0, m.output()
            first = m.output()[0].split("state hash: ")[1].split()[0]
        for arguments, is_same in [((), False), (("--replay-commands", bag), True)]:
            code, out, err = command("run", "pool", *arguments, "--no-ros", "--pace", "max", "--for", end * 1e-9)
            assert code == 0, err
            assert (out.split("state hash: ")[1].split()[0] == first) == is_same, (first, out)


def recorded_requests(bag):
    """Returns the services and requests of a bag, as the library of MCAP for Python reads them."""
    topic = "/merrow/service_requests"
    with open(bag, "rb") as file:
        found = [m.ros_msg for m in read_ros2_messages(file, topics=[topic])]
    return [(m.service, deserialize_request(m.service_type, bytes(m.request))) for m in found]


def deserialize_request(service_type, request):
    """Decodes the CDR bytes of a request."""
    return message_type(f"{service_type}_Request").deserialize(request)


def check_replay_services():
    """A bag contains the accepted requests of services, which a replay repeats."""
    fault = {"name": "f", "robot": "bluerov2", "device": "thrusters/t1", "kind": "reduced",
             "names": ["fraction"], "values": [0.5], "duration_s": 0.0}
    with tempfile.TemporaryDirectory() as folder:
        bag = pathlib.Path(folder) / "run.mcap"
        with Merrow("pool", "--pace", "lockstep", "--record", str(bag)) as m:
            pilot = Pilot(m)
            pilot.run(0.2)
            assert pilot.set_mode("depth_hold").success
            pilot.run(0.3)
            weather = m.peer.client("/merrow/weather", "merrow_msgs/srv/Weather")
            assert weather.wait(10)
            # the second request keeps the speed
            for name, value, duration in [("wind_speed_m_s", 8.0, 0.5), ("wind_from_deg", 200.0, 0.0)]:
                assert weather.call(names=[name], values=[value], duration_s=duration).success
                pilot.run(0.3)
            assert not weather.call(names=["wind_speed_m_s"], values=[math.nan], duration_s=0.0).success
            faults = m.peer.client("/merrow/fault", "merrow_msgs/srv/Fault")
            assert faults.wait(10) and faults.call(**fault).success
            pilot.run(0.5)
            assert not faults.call(**fault | {"device": "thrusters/t9"}).success
            assert pilot.arm(False).success
            end = m.step(200)
            assert m.end() == 0, m.output()
            first = m.output()[0].split("state hash: ")[1].split()[0]
        requests = recorded_requests(bag)
        assert [service for service, _ in requests] == [
            f"{ROBOT}/set_mode", "/merrow/weather", "/merrow/weather", "/merrow/fault", f"{ROBOT}/arm"], requests
        assert requests[0][1].mode == "depth_hold" and requests[3][1].device == "thrusters/t1", requests
        for arguments, is_same in [((), False), (("--replay-commands", bag), True)]:
            code, out, err = command("run", "pool", *arguments, "--no-ros", "--pace", "max", "--for", end * 1e-9)
            assert code == 0, err
            assert (out.split("state hash: ")[1].split()[0] == first) == is_same, (first, out)


CHECKS = [
    check_replay_commands,
    check_replay_services,
    check_replay_parameters,
    check_pose_goal,
    check_velocity_command,
    check_path,
    check_joystick,
    check_modes_by_service,
    check_thruster_commands_take_precedence,
    check_gains_are_live,
    check_heading_depth_hold_follows_paths,
]
