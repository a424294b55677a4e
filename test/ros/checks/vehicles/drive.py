"""Checks of end_to_end.py: every kind of command moves a robot in the right direction."""

from live import Merrow, message_type, nanoseconds, take, wait_for

ODOMETRY = "/bluerov2/odometry"
PRESSURE = "/bluerov2/pressure/data"
MANAGER = "/bluerov2/thruster_manager"
GOAL_M = 3.0
TOLERANCE_M = 0.15
# direction of a positive command, forward-left-up: von Benzon et al. 2022, with rotated axes
DIRECTIONS = {
    "t1": (0.707, 0.707, 0), "t2": (0.707, -0.707, 0), "t3": (-0.707, 0.707, 0), "t4": (-0.707, -0.707, 0),
    "t5": (0, 0, 1), "t6": (0, 0, 1), "t7": (0, 0, 1), "t8": (0, 0, 1),
}


def vector(x, y, z):
    return message_type("geometry_msgs/msg/Vector3")(x=x, y=y, z=z)


def header(frame):
    stamp = message_type("builtin_interfaces/msg/Time")(sec=0, nanosec=0)
    return message_type("std_msgs/msg/Header")(stamp=stamp, frame_id=frame)


def command_thrusters(m, up):
    """Commands each vertical thruster by its own topic; `up` in newtons."""
    for name in ("t5", "t6", "t7", "t8"):
        m.write(f"/bluerov2/thrusters/{name}/command", data=drive(up))


def command_array(m, up):
    """Commands all thrusters in one message."""
    layout = message_type("std_msgs/msg/MultiArrayLayout")(dim=[], data_offset=0)
    m.write("/bluerov2/thrusters/command", layout=layout, data=[0.0] * 4 + [drive(up)] * 4)


def command_wrench(m, up):
    """Commands the thruster manager."""
    m.write(f"{MANAGER}/input", force=vector(0.0, 0.0, up), torque=vector(0.0, 0.0, 0.0))


def command_wrench_stamped(m, up):
    """Commands the thruster manager, with a header."""
    wrench = message_type("geometry_msgs/msg/Wrench")(force=vector(0.0, 0.0, up), torque=vector(0.0, 0.0, 0.0))
    m.write(f"{MANAGER}/input_stamped", header=header("bluerov2/base_link"), wrench=wrench)


def drive(up):
    """Returns the approximate command of each of four thrusters that lift `up` newtons together."""
    return max(-1.0, min(1.0, up / 4 / 35))


def dive(command):
    """Moves the vehicle from 1 m to 3 m depth by its pressure sensor, and holds it there."""
    with Merrow("pool", "--pace", "4") as m:
        pressure, truth = m.listen(PRESSURE), m.listen(ODOMETRY)
        command(m, 0.0)
        start, depth, rate, pushed, track = None, None, 0.0, 0.0, []

        def control():
            """Runs one cycle per pressure reading: a PD controller with a slow integral."""
            nonlocal start, depth, rate, pushed
            for reading in take(pressure):
                now = nanoseconds(reading.header.stamp) * 1e-9
                found = (reading.fluid_pressure - 101325.0) / 9810.0
                if depth is not None:
                    rate += 0.5 * ((found - depth) / 0.05 - rate)
                start, depth = start or now, found
                error = GOAL_M - depth
                pushed = max(-5.0, min(5.0, pushed + 0.05 * error))
                command(m, -60.0 * error + 90.0 * rate - pushed)
            track.extend((nanoseconds(o.header.stamp) * 1e-9, -o.pose.pose.position.z) for o in take(truth))
            return start is not None and track and track[-1][0] > start + 20

        assert wait_for(control, 15), f"{track[-1:]} after 15 s"
        m.alive()
        early = [d for t, d in track if t < start + 1]
        assert abs(early[0] - 1) < 0.2, f"started at {early[0]} m"
        held = [d for t, d in track if t > start + 15]
        worst = max(abs(d - GOAL_M) for d in held)
        assert len(held) > 100 and worst < TOLERANCE_M, f"{worst:.3f} m off in the last 5 s: {held[0]:.2f} m"


def check_dive_by_thruster_topics():
    """Dives from 1 m to 3 m with one Float64 topic per thruster."""
    dive(command_thrusters)


def check_dive_by_array():
    """Dives with a Float64MultiArray."""
    dive(command_array)


def check_dive_by_wrench():
    """Dives with the thruster manager."""
    dive(command_wrench)


def check_dive_by_stamped_wrench():
    """Dives with the stamped input of the thruster manager."""
    dive(command_wrench_stamped)


def velocity_after(m, truth, n=100):
    """Returns the velocity in the axes of the vehicle after n steps."""
    end = m.step(n)
    found = []
    assert wait_for(
        lambda: found.extend(o for o in take(truth) if nanoseconds(o.header.stamp) == end) or found), "no odometry"
    return found[0].twist.twist


def check_thrust_directions():
    """A positive command of each thruster accelerates the vehicle in the direction of the thruster,
    a negative one in the opposite direction.
    """
    with Merrow("pool", "--pace", "lockstep") as m:
        truth = m.listen(ODOMETRY)
        for name, direction in DIRECTIONS.items():
            for value in (0.6, -0.6):
                m.do("reset")
                take(truth)
                m.write(f"/bluerov2/thrusters/{name}/command", data=value)
                v = velocity_after(m, truth).linear
                along = v.x * direction[0] + v.y * direction[1] + v.z * direction[2]
                assert along * value > 0.005, f"{name} at {value}: {along} m/s along its axis"


def check_wrench_moves_all_axes():
    """The thruster manager gives force and moment along each axis of the base, with both message
    types and both signs.
    """
    with Merrow("pool", "--pace", "lockstep") as m:
        truth = m.listen(ODOMETRY)
        wrench = message_type("geometry_msgs/msg/Wrench")
        for axis in range(6):
            for sign, stamped in ((1.0, False), (-1.0, True)):
                m.do("reset")
                take(truth)
                six = [0.0] * 6
                six[axis] = sign * (20.0 if axis < 3 else 4.0)
                fields = dict(force=vector(*six[:3]), torque=vector(*six[3:]))
                if stamped:
                    m.write(f"{MANAGER}/input_stamped", header=header("base_link"), wrench=wrench(**fields))
                else:
                    m.write(f"{MANAGER}/input", **fields)
                t = velocity_after(m, truth)
                found = [t.linear.x, t.linear.y, t.linear.z, t.angular.x, t.angular.y, t.angular.z]
                assert found[axis] * sign > 0.01, f"axis {axis}, {sign}: {found}"


CHECKS = [check_thrust_directions, check_wrench_moves_all_axes, check_dive_by_array, check_dive_by_wrench]
SLOW_CHECKS = [check_dive_by_thruster_topics, check_dive_by_stamped_wrench]
