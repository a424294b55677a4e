"""Checks of end_to_end.py: every parameter can be set, has an effect, and rejects invalid values.
"""

import math
import time

from live import Merrow, describe, gather, latest, message_type, nanoseconds, parameter_value, seconds, take, wait_for

ODOMETRY = "/bluerov2/odometry"
EVENT = "rcl_interfaces/msg/ParameterEvent"
SPEED, DIRECTION = "water.current.speed_m_s", "water.current.direction_deg"
ODOMETRY_NS = 20_000_000


READ_ONLY = {"simulation_interfaces_prefix", "simulation_interfaces_version"}


def bounds(parameter):
    """Returns the range of a parameter as in `describe`."""
    return [float(bound) for bound in parameter["range"].split(" to ")]


def legal_value(parameter):
    """Returns a value that differs from the default."""
    if parameter["type"] == "double":
        low, high = bounds(parameter)
        return low + 0.6 * (high - low)
    if parameter["type"] == "bool":
        return parameter["default"] != "true"
    return {"pace": "2", "state": "stuck"}[parameter["name"].rsplit(".", 1)[-1]]


def check_every_parameter_can_be_set():
    """All declared parameters accept a new legal value, return it, and publish it on
    /parameter_events.
    """
    with Merrow("pool", "--pace", "lockstep") as m:
        events = m.listen("/parameter_events", EVENT)
        m.settle()
        declared = describe("pool")["parameters"]
        names = m.call("list_parameters", prefixes=[], depth=0).result.names
        assert set(names) == {p["name"] for p in declared} | {"use_sim_time"}, names
        declared = [p for p in declared if p["name"] not in READ_ONLY]
        for parameter in declared:
            name, value = parameter["name"], legal_value(parameter)
            result = m.set(name, value)
            assert result.successful, f"{name} = {value}: {result.reason}"
            assert m.get(name) == value, f"{name}: set to {value}, found {m.get(name)}"
        changed = set()

        def all_told():
            changed.update(p.name for event in take(events) for p in event.changed_parameters)
            return changed >= {p["name"] for p in declared}

        assert wait_for(all_told, 5), f"no event of {({p['name'] for p in declared} - changed)}"
        m.alive()


def check_descriptions_of_parameters():
    """Descriptors have type, text and range."""
    with Merrow("pool") as m:
        declared = describe("pool")["parameters"]
        found = m.call("describe_parameters", names=[p["name"] for p in declared]).descriptors
        for descriptor, parameter in zip(found, declared, strict=True):
            number = {"bool": 1, "integer": 2, "double": 3, "string": 4}[parameter["type"]]
            assert (descriptor.name, descriptor.type) == (parameter["name"], number), descriptor
            assert descriptor.description and descriptor.read_only == (parameter["name"] in READ_ONLY), descriptor
            if parameter["range"]:
                (r,) = descriptor.floating_point_range or descriptor.integer_range
                # `describe` rounds to 12 digits
                for found_bound, bound in zip((r.from_value, r.to_value), bounds(parameter), strict=True):
                    assert math.isclose(found_bound, bound, rel_tol=1e-11), descriptor


def check_illegal_parameters():
    """NaN, values out of range, of another type or of unknown parameters are rejected with a
    reason, and change no value.
    """
    with Merrow("pool") as m:
        m.listen("/clock")
        for parameter in describe("pool")["parameters"]:
            name, kind = parameter["name"], parameter["type"]
            before = m.get(name)
            bad = [None, {"double": "fast", "bool": "true", "string": True, "integer": "two"}[kind], -3]
            if kind == "double":
                low, high = bounds(parameter)
                bad += [math.nan, math.inf, -math.inf, low - 1, high + 1]
            elif kind == "string":
                bad += ["", "broken", "nan", "-1", "0"]
            for value in bad:
                result = m.set(name, value)
                assert not result.successful and result.reason, f"{name} = {value!r} was taken: {result}"
                assert "\n" not in result.reason, result.reason
            assert m.get(name) == before, f"{name}: {before} became {m.get(name)}"
        result = m.set("no.such.parameter", 1.0)
        assert not result.successful and result.reason, result
        kind = message_type("rcl_interfaces/msg/Parameter")
        batch = [kind(name=SPEED, value=parameter_value(1.5)), kind(name="pace", value=parameter_value("sideways"))]
        result = m.call("set_parameters_atomically", parameters=batch).result
        assert not result.successful and result.reason, result
        assert m.get(SPEED) == 0.0 and m.get("pace") == "realtime", "half a batch was taken"


def run_for(m, truth, steps):
    """Steps the world; returns the odometry at the end."""
    now, found = m.step(steps), []
    end = now - now % ODOMETRY_NS
    assert wait_for(lambda: found.extend(take(truth)) or found and nanoseconds(found[-1].header.stamp) >= end), \
        "no odometry"
    return found[-1]


def check_current_drifts():
    """The vehicle drifts in the direction of the current."""
    with Merrow("pool", "--pace", "lockstep") as m:
        truth = m.listen(ODOMETRY)
        still = run_for(m, truth, 1000).pose.pose.position
        assert math.hypot(still.x, still.y) < 0.1, still
        for direction, east, north in ((90.0, 1, 0), (0.0, 0, 1)):
            m.do("reset")
            assert m.set(SPEED, 0.5).successful and m.set(DIRECTION, direction).successful
            take(truth)
            p = run_for(m, truth, 2500).pose.pose.position
            along, across = p.x * east + p.y * north, p.x * north + p.y * east
            assert 0.2 < along < 2.6 and abs(across) < 0.3, f"towards {direction} deg: {p}"


def check_reset_and_parameters_agree():
    """After a reset the water still has the values of the parameters."""
    with Merrow("pool", "--pace", "lockstep") as m:
        truth = m.listen(ODOMETRY)
        assert m.set(SPEED, 0.5).successful and m.set("bluerov2.thrusters.t5.state", "dead").successful
        m.do("reset")
        p = run_for(m, truth, 2500).pose.pose.position
        drifted = math.hypot(p.x, p.y) > 0.2
        assert drifted == (m.get(SPEED) > 0), f"current {m.get(SPEED)} m/s, but the vehicle is at {p}"


def check_noise_off():
    """Without noise a pressure sensor measures the truth to its resolution; with noise it does not.
    """
    with Merrow("pool", "--pace", "lockstep") as m:
        truth, pressure = m.listen(ODOMETRY), m.listen("/bluerov2/pressure/data")

        def errors():
            take(truth), take(pressure)
            for _ in range(20):
                m.step(50)
            time.sleep(0.3)
            exact = {nanoseconds(o.header.stamp): o.pose.pose for o in take(truth)}
            both = [(exact[t], r.fluid_pressure) for r in take(pressure) if (t := nanoseconds(r.header.stamp)) in exact]
            assert len(both) >= 15, len(both)
            return [p - 101325.0 - 1000 * 9.81 * depth_of_sensor(pose) for pose, p in both]

        noisy = errors()
        assert m.set("bluerov2.pressure.noise", False).successful
        exact = errors()
        assert max(map(abs, exact)) < 10.01, f"up to {max(map(abs, exact))} Pa off without noise"
        assert max(map(abs, noisy)) > 11, f"only {max(map(abs, noisy))} Pa off with noise"


def depth_of_sensor(pose):
    """Returns the depth of the pressure sensor, 20 cm behind and 2 cm above the origin of the base.
    """
    q, x, z = pose.orientation, -0.2, 0.02
    lifted = 2 * (q.x * q.z - q.w * q.y) * x + (1 - 2 * (q.x**2 + q.y**2)) * z
    return -(pose.position.z + lifted)


def check_dead_thruster():
    """A dead thruster has no effect; a thruster with half efficiency has less effect than a healthy thruster.
    """
    with Merrow("pool", "--pace", "lockstep") as m:
        truth = m.listen(ODOMETRY)

        def speed(**parameters):
            m.do("reset")
            for name, value in ({"state": "healthy", "efficiency": 1.0} | parameters).items():
                result = m.set(f"bluerov2.thrusters.t1.{name}", value)
                assert result.successful, result
            take(truth)
            m.write("/bluerov2/thrusters/t1/command", data=1.0)
            v = run_for(m, truth, 250).twist.twist.linear
            return math.hypot(v.x, v.y)

        healthy, half, dead = speed(), speed(efficiency=0.5), speed(state="dead")
        assert healthy > 0.1 and 0.1 * healthy < half < 0.8 * healthy, f"{healthy} m/s, at half efficiency {half}"
        assert dead < 0.02 * healthy, f"a dead thruster moved the vehicle at {dead} m/s"


def check_numeric_pace_values():
    """YAML reads a pace factor as a number: the parameter `pace` accepts it, at the start and
    later.
    """
    for given, found in (("2", "2"), ("0.5", "0.5"), ("1", "1"), ("'3'", "3")):
        with Merrow("pool", ros=["-p", f"pace:={given}"]) as m:
            assert m.get("pace") == found, f"-p pace:={given} became {m.get('pace')!r}"
    with Merrow("pool", "--pace", "lockstep") as m:
        for given, found in ((2, "2"), (0.25, "0.25"), (4.0, "4")):
            result = m.set("pace", given)
            assert result.successful and m.get("pace") == found, f"{given!r}: {result}, {m.get('pace')!r}"
        for given in (0, -1, -0.5, math.nan, True):
            result = m.set("pace", given)
            assert not result.successful and "a factor above 0" in result.reason, f"{given!r}: {result}"
        assert m.get("pace") == "4"
        result = m.set("bluerov2.thrusters.t1.state", 1)
        assert not result.successful and "healthy, stuck or dead" in result.reason, result
        result = m.set(SPEED, 1)
        assert not result.successful and "write 1.0" in result.reason, result


def check_pace():
    """The pace parameter increases and decreases the speed of the clock."""
    with Merrow("pool") as m:
        clock = m.listen("/clock")

        def rate():
            start, begin = seconds(latest(clock).clock), time.monotonic()
            gather(clock, 1.0)
            return (seconds(latest(clock).clock) - start) / (time.monotonic() - begin)

        for pace, low, high in (("2", 1.9, 2.1), ("0.5", 0.45, 0.55), ("lockstep", -0.01, 0.01), ("max", 2.1, 1e9),
                                ("realtime", 0.95, 1.05)):
            result = m.set("pace", pace)
            assert result.successful, result
            time.sleep(0.2)
            take(clock)
            found = rate()
            assert low < found < high, f"pace {pace}: {found} s per second"


def check_truth_tf_is_optional():
    """Without `publish_truth_tf`, of the node or of a robot, /tf has no pose in the world."""
    with Merrow("uvms_pool") as m:
        tf = m.listen("/tf")

        def parents():
            time.sleep(0.2)
            return {t.header.frame_id for message in gather(tf, 0.5) for t in message.transforms}

        assert "world" in parents()
        assert m.set("publish_truth_tf", False).successful
        left = parents()
        assert left and "world" not in left, left
        assert m.set("publish_truth_tf", True).successful and "world" in parents()
        assert m.set("uvms.publish_truth_tf", False).successful
        left = parents()
        assert left and "world" not in left, left


def check_clock_rate():
    """/clock follows `clock_rate_hz` at real time, and every block of steps in lock-step."""
    with Merrow("pool", "--ros-args", "-p", "clock_rate_hz:=50.0") as m:
        clock = m.listen("/clock")

        def shortest_period():
            stamps = [nanoseconds(message.clock) for message in gather(clock, 1)]
            assert len(stamps) > 2, stamps
            return min(b - a for a, b in zip(stamps, stamps[1:]))

        # a period is due in the block of steps that ends after it
        assert shortest_period() >= 15_000_000
        assert m.set("clock_rate_hz", 5.0).successful
        gather(clock, 0.3)
        assert shortest_period() >= 190_000_000
        assert m.set("pace", "lockstep").successful
        gather(clock, 0.3)
        steps = {m.step(1) for _ in range(3)}
        stamps = set()
        assert wait_for(lambda: stamps.update(nanoseconds(c.clock) for c in take(clock)) or stamps >= steps, 5), stamps


CHECKS = [check_every_parameter_can_be_set, check_descriptions_of_parameters, check_illegal_parameters,
          check_current_drifts, check_reset_and_parameters_agree, check_noise_off, check_dead_thruster,
          check_numeric_pace_values, check_truth_tf_is_optional, check_clock_rate]
PACE_CHECKS = [check_pace]
