"""Checks of end_to_end.py: ArduPilot SITL's JSON interface, with a client written from its sources
(libraries/SITL/SIM_JSON.cpp and .h, AP_Motors6DOF.cpp).
"""

import json
import math
import pathlib
import re
import socket
import struct
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

from live import Merrow, command, wait_until

ROOT = pathlib.Path(__file__).resolve().parents[4]
MAGIC_16, MAGIC_32 = 18458, 29569
G = 9.81


class Sitl:
    """Sends servo packets and parses replies as SIM_JSON does, in lock-step."""

    def __init__(self, port, rate=400, channels=16):
        self.address, self.rate, self.channels = ("127.0.0.1", port), rate, channels
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.settimeout(1)
        self.count, self.last, self.has_repeated = 0, None, False

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, pwm=()):
        """Sends the outputs of the current frame; those that are not given have neutral pulses."""
        outputs = [1500] * self.channels
        for channel, value in dict(pwm).items():
            outputs[channel - 1] = round(value)
        magic = MAGIC_16 if self.channels == 16 else MAGIC_32
        packet = struct.pack(f"<HHI{self.channels}H", magic, self.rate, self.count, *outputs)
        self.socket.sendto(packet, self.address)

    def receive(self):
        """Returns the state, parsed from the last complete line."""
        data = self.socket.recv(65000)
        assert data.startswith(b"\n") and data.endswith(b"\n"), data
        return json.loads(data)

    def reply(self, pwm=()):
        """Returns the state after the packet of the frame. As SIM_JSON, repeats the packet after a second."""
        for _ in range(5):
            try:
                state = self.receive()
                # the reply to a repeated packet is the same, and can arrive after the reply that counts
                if not self.has_repeated or state["timestamp"] != self.last:
                    self.last = state["timestamp"]
                    self.count += 1
                    return state
            except TimeoutError:
                self.has_repeated = True
                self.send(pwm)
        raise TimeoutError("no reply to five packets")

    def frame(self, pwm=()):
        """Exchanges one frame; returns the state."""
        self.send(pwm)
        return self.reply(pwm)


def rpy(state):
    """Returns roll, pitch and yaw of the quaternion."""
    w, x, y, z = state["quaternion"]
    return (math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y)), math.asin(max(-1, min(1, 2 * (w * y - z * x)))),
            math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)))


def free_port():
    """Returns a UDP port that no other program uses."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def world(model, autopilot, place="position_m: [0, 0, -2]", more="seabed: {depth_m: 20}"):
    """Returns the text of a world with one robot and its autopilot."""
    keys = ", ".join(f"{key}: {value}" for key, value in {"kind": "ardupilot", "enabled": "true", "port": free_port(), **autopilot}.items())
    return (f"step: {{dt_s: 0.0025}}\n{more}\nrobots: {{r: {{model: {{extends: robots/{model}.yaml, "
            f"autopilot: {{{keys}}}}}, {place}}}}}\n")


def port_of(text):
    return int(re.search(r"port: (\d+)", text)[1])


class Running(Merrow):
    """A world with an autopilot, from a text."""

    def __init__(self, text, *options):
        self.source = tempfile.TemporaryDirectory(prefix="merrow-autopilot-")
        path = pathlib.Path(self.source.name) / "world.yaml"
        path.write_text(text, encoding="utf-8")
        self.port = port_of(text)
        super().__init__(str(path), *(options or ("--pace", "max")))

    def close(self):
        super().close()
        self.source.cleanup()


# Rows of AP_Motors6DOF: roll, pitch, yaw, throttle, forward, lateral.
VECTORED = [(0, 0, 1, 0, -1, 1), (0, 0, -1, 0, -1, -1), (0, 0, -1, 0, 1, 1), (0, 0, 1, 0, 1, -1), (1, 0, 0, -1, 0, 0),
            (-1, 0, 0, -1, 0, 0)]
VECTORED_6DOF = [*((0, *row[1:]) for row in VECTORED[:4]), (1, -1, 0, -1, 0, 0), (-1, -1, 0, -1, 0, 0), (1, 1, 0, -1, 0, 0),
                 (-1, 1, 0, -1, 0, 0)]


def mix(rows, demand):
    """Returns the outputs of ArduSub for demands in roll, pitch, yaw, throttle, forward and lateral."""
    values = (1500 + 400 * sum(a * b for a, b in zip(row, demand)) for row in rows)
    return {k + 1: max(1100, min(1900, value)) for k, value in enumerate(values)}


def limited(value, limit=0.5):
    return max(-limit, min(limit, value))


def hold(sitl, rows, depth, heading, seconds):
    """Holds depth and heading with PD laws as ArduSub does; returns the last state and the fraction
    of real time.
    """
    start, integral, state = time.monotonic(), 0.0, sitl.frame()
    first = state["timestamp"]
    while state["timestamp"] - first < seconds:
        roll, pitch, yaw = rpy(state)
        p, q, r = state["imu"]["gyro"]
        error = state["position"][2] - depth
        integral = limited(integral + 0.002 * error / sitl.rate * 50)
        throttle = limited(0.8 * error + 0.8 * state["velocity"][2] + integral)
        turn = math.remainder(heading - yaw, 2 * math.pi)
        demand = (limited(-0.6 * roll - 0.1 * p), limited(-0.6 * pitch - 0.1 * q), limited(2 * turn - 0.8 * r), throttle, 0, 0)
        state = sitl.frame(mix(rows, demand))
    return state, (state["timestamp"] - first) / (time.monotonic() - start)


def check_ardusub_holds_depth_and_heading():
    """Both BlueROV2s hold depth and heading through the JSON interface in lock-step."""
    for model, frame, rows in (("bluerov2", "vectored", VECTORED), ("bluerov2_heavy", "vectored_6dof", VECTORED_6DOF)):
        with Running(world(model, {"frame": frame, "lock_step": "true"})) as m, Sitl(m.port) as sitl:
            state, _ = hold(sitl, rows, 4.0, 1.0, 40)
            assert abs(state["position"][2] - 4) < 0.1, f"{model}: {state}"
            assert abs(rpy(state)[2] - 1) < 0.05, f"{model}: {rpy(state)}"
            assert abs(rpy(state)[0]) < 0.05, f"{model}: {rpy(state)}"


def check_ardusub_in_lock_step_is_faster_than_real_time():
    """In lock-step, simulated time passes more than twice as fast as wall time."""
    with Running(world("bluerov2_heavy", {"frame": "vectored_6dof", "lock_step": "true"})) as m, Sitl(m.port) as sitl:
        _, speed = hold(sitl, VECTORED_6DOF, 4.0, 1.0, 20)
        assert speed > 2, f"{speed} times real time"


def check_ardusub_axes():
    """Demands in each axis move the vehicle along it: forward, right, down, and to the right."""
    def response(demand):
        with Running(world("bluerov2_heavy", {"frame": "vectored_6dof", "lock_step": "true"})) as m, Sitl(m.port) as sitl:
            for _ in range(200):
                state = sitl.frame(mix(VECTORED_6DOF, demand))
            # the vehicle starts heading east: north, east, down are left, forward, down
            return state
    v = response((0, 0, 0, 0, 0.3, 0))["velocity"]
    assert v[1] > 0.05 and abs(v[0]) < 0.02, v
    v = response((0, 0, 0, 0, 0, 0.3))["velocity"]
    assert v[0] < -0.03 and abs(v[1]) < 0.02, v
    v = response((0, 0, 0, -0.3, 0, 0))["velocity"]
    assert v[2] > 0.03, v
    assert response((0, 0, 0.2, 0, 0, 0))["imu"]["gyro"][2] > 0.05
    assert response((0.2, 0, 0, 0, 0, 0))["imu"]["gyro"][0] > 0.02
    assert response((0, 0.2, 0, 0, 0, 0))["imu"]["gyro"][1] > 0.02


# of each boat: throttle, gain and limit of the steering, waypoints (north, east) and their radius
BOATS = {
    "heron": (0.5, 0.8, 0.4, ((0, 20), (15, 20), (15, 0)), 2),
    "otter": (0.75, 1.0, 0.5, ((0, 20), (20, 20)), 3),
    "wamv": (0.4, 0.5, 0.3, ((0, 40), (30, 40)), 4),
}


def sail(model):
    """Visits waypoints with the heading control of a rover; returns the fraction of real time."""
    cruise, gain, limit, waypoints, radius = BOATS[model]
    text = world(model, {"frame": "skid_steering", "lock_step": "true"}, "position_m: [0, 0, 0]")
    with Running(text) as m, Sitl(m.port, rate=50) as sitl:
        state, start = sitl.frame(), time.monotonic()
        for north, east in waypoints:
            for _ in range(3000):
                n, e, _ = state["position"]
                if math.hypot(north - n, east - e) < radius:
                    break
                turn = math.remainder(math.atan2(east - e, north - n) - rpy(state)[2], 2 * math.pi)
                steering = limited(gain * turn - 0.5 * gain * state["imu"]["gyro"][2], limit)
                throttle = cruise * max(0.2, math.cos(turn))
                state = sitl.frame({1: 1500 + 500 * (throttle + steering), 3: 1500 + 500 * (throttle - steering)})
            else:
                raise AssertionError(f"{model}: ({north}, {east}) was not reached: {state['position']}")
        assert abs(state["imu"]["accel_body"][2] + G) < 0.5, state
        return state["timestamp"] / (time.monotonic() - start)


def check_rover_sails_waypoints():
    """The boats with skid steering visit waypoints, with the heading control of a rover."""
    for model in BOATS:
        sail(model)


def check_rover_in_lock_step_is_faster_than_real_time():
    """A mission of a boat takes less than half of its simulated time."""
    speed = sail("heron")
    assert speed > 2, f"{speed} times real time"


# Rotors of AP_MotorsMatrix, hexa X: angle to the right of the bow [deg], and 1 for a counter-clockwise rotor.
HEXA_X = [(90, -1), (-90, 1), (-30, -1), (150, 1), (30, 1), (-150, -1)]


def check_copter_hovers():
    """A hexacopter holds height, attitude and heading as Copter does, with the factors of its motors."""
    with Running(world("firefly_autopilot", {"frame": "hexa_x", "lock_step": "true"}, "position_m: [0, 0, 10]")) as m, Sitl(m.port, rate=200) as sitl:
        state, integral = sitl.frame(), 0.0
        for _ in range(200 * 15):
            roll, pitch, yaw = rpy(state)
            p, q, r = state["imu"]["gyro"]
            z, sink = -state["position"][2], state["velocity"][2]
            integral = limited(integral + 0.0006 * (10 - z), 0.2)
            thrust = min(0.95, max(0.0, 0.6 + 0.15 * (10 - z) + 0.15 * sink + integral))
            moments = (limited(-1.5 * roll - 0.3 * p, 0.2), limited(-1.5 * pitch - 0.3 * q, 0.2),
                       limited(0.5 * math.remainder(1.0 - yaw, 2 * math.pi) - 0.5 * r, 0.2))
            rows = ((-math.sin(math.radians(angle)), math.cos(math.radians(angle)), turn) for angle, turn in HEXA_X)
            speeds = [min(1.0, max(0.0, thrust + sum(a * b for a, b in zip(row, moments)))) for row in rows]
            state = sitl.frame({k + 1: 1000 + 1000 * speed for k, speed in enumerate(speeds)})
        assert abs(z - 10) < 0.5 and abs(roll) < 0.05 and abs(pitch) < 0.05 and abs(yaw - 1) < 0.1, (z, roll, pitch, yaw)


def check_sailboat_and_sensors():
    """Rudder and sheet follow the outputs; wind vane, battery and rangefinder reach the autopilot."""
    robot = {"frame": "sailboat", "lock_step": "true", "wind_vane": "vane"}
    text = world("sailboat", robot, "velocity_m_s: [1, 0, 0]", "weather: {wind_speed_m_s: 6, wind_from_deg: 0}")
    text = text.replace("autopilot:", "sensors: {vane: {device: windsonic, position_m: [0, 0, 5]}}, autopilot:")
    with Running(text) as m, Sitl(m.port, rate=50) as sitl:
        for _ in range(100):
            state = sitl.frame({1: 1700, 4: 1500})
        # heading east with the wind from the north: from the left
        assert -2.2 < math.remainder(state["windvane"]["direction"], 2 * math.pi) < -0.5, state["windvane"]
        assert state["windvane"]["speed"] > 3, state["windvane"]
        assert 11 < state["battery"]["voltage"] < 15, state["battery"]
        # the high end of the rudder turns to the right
        assert rpy(state)[2] > math.pi / 2 + 0.1, rpy(state)
    with Running(world("bluerov2", {"frame": "vectored", "lock_step": "true", "rangefinders": "[altimeter]"})) as m, Sitl(m.port) as sitl:
        for _ in range(200):
            state = sitl.frame()
        assert abs(state["rng_1"] - 18) < 0.5, state


def check_imu_of_the_robot():
    """With `imu`, the readings of this sensor replace the true motion: at its rate, in the axes of the vehicle."""
    autopilot = {"frame": "vectored", "lock_step": "true", "imu": "imu"}
    text = world("bluerov2", autopilot).replace("autopilot:", "sensors: {imu: {attitude_deg: [180, 0, 90]}}, autopilot:")
    with Running(text) as m, Sitl(m.port) as sitl:
        states = [sitl.frame() for _ in range(400)][80:]
        forces = [tuple(state["imu"]["accel_body"]) for state in states]
        # 100 readings per second, each for four frames
        assert abs(len(set(forces)) - 80) <= 2, len(set(forces))
        x, y, z = (sum(column) / len(forces) for column in zip(*forces))
        assert math.hypot(x, y) < 0.3 and abs(z + G) < 0.3, (x, y, z)
        # the vehicle yaws to the right; the sensor is upside down
        for _ in range(200):
            state = sitl.frame(mix(VECTORED, (0, 0, 0.2, 0, 0, 0)))
        assert state["imu"]["gyro"][2] > 0.05, state


def check_gripper_output():
    """Output 9 moves the joint of a gripper between its ends."""
    jaw = ("links: {finger: {parent: base_link, joint: {name: jaw, kind: prismatic, axis: [0, 1, 0], position_m: [0.3, 0, 0], lower_m: 0, upper_m: 0.06, "
           "max_effort: 50, drive: {kind: position, max_speed: 0.1, max_acceleration: 1}}, body: {source: x, axes: flu, mass_kg: 0.1, net_buoyancy_n: 0, "
           "inertia_kg_m2: {xx: 1.0e-4, yy: 1.0e-4, zz: 1.0e-4}}}}, autopilot:")
    outputs = {"frame": "vectored", "lock_step": "true", "outputs": "{jaw: {channel: 9, pwm: [1100, 1100, 1900], command: [0, 0, 0.06]}}"}
    with Running(world("bluerov2", outputs).replace("autopilot:", jaw)) as m, Sitl(m.port) as sitl:
        joints = m.listen("/r/joint_states")
        for pwm, expected in ((1900, 0.06), (1500, 0.03), (1100, 0.0)):
            for _ in range(800):
                sitl.frame({9: pwm})
            # the states of these frames are still in transit
            wait_until(joints, lambda s: abs(dict(zip(s.name, s.position))["jaw"] - expected) < 1e-3)


def check_lock_step_at_real_time():
    """With `lock_step`, a world at `--pace realtime` follows the clock, and waits for a late autopilot."""
    with Running(world("bluerov2", {"frame": "vectored", "lock_step": "true"}), "--pace", "realtime") as m, Sitl(m.port, rate=100) as sitl:
        sitl.frame()
        begin, first = time.monotonic(), sitl.frame()["timestamp"]
        for _ in range(200):
            last = sitl.frame()["timestamp"]
        passed = time.monotonic() - begin
        assert abs(last - first - 2) < 1e-6, (first, last)
        assert passed > 1.8, f"2 s of simulated time took {passed} s"
        time.sleep(1.5)
        after = sitl.frame()["timestamp"]
        assert abs(after - last - 0.01) < 1e-6, (last, after)


def check_lock_step_frames():
    """Each frame advances the time by one period; repeated packets are not stepped twice; restarts,
    malformed packets and a second autopilot do not stop the simulation.
    """
    with Running(world("bluerov2", {"frame": "vectored", "lock_step": "true"})) as m, Sitl(m.port) as sitl:
        times = [sitl.frame()["timestamp"] for _ in range(50)]
        assert all(abs(b - a - 0.0025) < 1e-9 for a, b in zip(times, times[1:])), times
        # the same frame again, as after a lost reply: no step, and the same message
        time.sleep(0.6)
        sitl.count -= 1
        sitl.send()
        assert sitl.receive()["timestamp"] == times[-1]
        sitl.count += 1
        assert abs(sitl.frame()["timestamp"] - times[-1] - 0.0025) < 1e-9
        # malformed packets and a second autopilot
        for packet in (b"", b"junk", struct.pack("<HHI16H", MAGIC_16, 0, 1, *[1500] * 16), b"\0" * 100):
            sitl.socket.sendto(packet, sitl.address)
        with Sitl(m.port) as other:
            other.send({1: 1900})
            assert abs(sitl.frame()["timestamp"] - times[-1] - 0.005) < 1e-9
        # frames shorter than a time step of 2.5 ms
        sitl.rate = 1200
        times = [sitl.frame()["timestamp"] for _ in range(12)]
        assert all(abs(b - a - 0.0025 / 3) < 1e-6 for a, b in zip(times, times[1:])), times
        sitl.rate = 400
        # a packet that was overtaken is ignored
        last = sitl.count
        sitl.count -= 3
        sitl.send({1: 1900})
        sitl.count = last
        assert sitl.frame()["timestamp"] > times[-1]
        # a restart counts from zero
        sitl.count = 0
        sitl.frame()
        # two packets that did not arrive
        sitl.count += 2
        sitl.frame()
        diagnostics = m.listen("/diagnostics")
        for _ in range(3000):
            sitl.frame()
        values = counters(diagnostics)
        assert values["invalid packets"] == "4" and values["packets of other programs"] == "1", values
        assert values["frames that did not arrive"] == "2", values
        assert values["frames that arrived late"] == "1", values
        assert values["restarts"] == "1" and int(values["packets sent again"]) >= 1, values
        log = m.output()[1]
        assert log.count("magic number: expected") == 2 and "frame rate: expected" in log, log
        assert "second autopilot" in log and "has restarted" in log and "did not arrive" in log, log


def counters(diagnostics):
    """Returns the next counters of the link in the diagnostics."""
    name = "r: autopilot"
    found = wait_until(diagnostics, lambda d: any(s.name == name and s.values for s in d.status))
    status = next(s for s in found.status if s.name == name)
    return {pair.key: pair.value for pair in status.values}


def check_restarted_autopilot():
    """An autopilot that starts again from another port continues the flight, and counts as a restart."""
    with Running(world("bluerov2", {"frame": "vectored", "lock_step": "true"})) as m:
        with Sitl(m.port) as sitl:
            before = [sitl.frame()["timestamp"] for _ in range(50)][-1]
        with Sitl(m.port) as sitl:
            # the packet is repeated until the simulator accepts the new port
            after = sitl.frame()["timestamp"]
            assert abs(after - before - 0.0025) < 1e-9, (before, after)
            diagnostics = m.listen("/diagnostics")
            for _ in range(2000):
                sitl.frame()
            values = counters(diagnostics)
            assert values["restarts"] == "1" and values["packets of other programs"] == "0", values
        log = m.output()[1]
        assert "has restarted" in log and "second autopilot" not in log, log


def check_vehicles_and_channels():
    """Two vehicles step together; output 17 of 32 switches the lights of the first; a reset of the
    world sets the time back; an autopilot that ends is reported as lost, and the world continues.
    """
    lights = {"lock_step": "true", "frame": "vectored", "outputs": "{lights: {channel: 17, pwm: [1100, 1100, 1900], command: [0, 0, 1]}}"}
    text = world("bluerov2", lights).replace("autopilot:", "loads: {lights: {power_w: 30, level: 0}}, autopilot:")
    second = world("heron", {"frame": "skid_steering", "lock_step": "true"}, "position_m: [9, 0, 0]")
    text = text.rstrip()[:-1] + ", s: " + second.split("robots: {r: ", 1)[1]
    ports = [int(port) for port in re.findall(r"port: (\d+)", text)]
    with Running(text) as m, Sitl(ports[0], channels=32) as rov, Sitl(ports[1]) as boat:
        def frame(pwm=()):
            outputs = {rov: pwm, boat: ()}
            for sitl in outputs:
                sitl.send(outputs[sitl])
            # together: a packet that the other autopilot lost holds both until it is repeated
            with ThreadPoolExecutor(len(outputs)) as pool:
                states = list(pool.map(Sitl.reply, outputs, outputs.values()))
            assert states[0]["timestamp"] == states[1]["timestamp"], states
            return states[0]
        for _ in range(100):
            dark = frame({17: 1100})
        for _ in range(100):
            lit = frame({17: 1900})
        assert abs(lit["timestamp"] - dark["timestamp"] - 0.25) < 1e-9, (dark, lit)
        more = lit["battery"]["current"] - dark["battery"]["current"]
        assert 1.5 < more < 2.5, (dark["battery"], lit["battery"])
        m.do("reset")
        assert frame()["timestamp"] < 0.1
        diagnostics = m.listen("/diagnostics")
        boat.socket.close()
        rov.socket.close()
        lost = wait_until(diagnostics, lambda d: any(s.name == "r: autopilot" and "lost" in s.message for s in d.status), 20)
        status = next(s for s in lost.status if s.name == "r: autopilot")
        assert status.level in (2, b"\x02"), status


def check_autopilot_of_another_frame():
    """Thrusters of outputs without pulses stay at rest, and one line reports them; 65535 keeps the last pulses. An output
    that moves without a device is reported too.
    """
    text = world("bluerov2_heavy", {"frame": "vectored_6dof", "lock_step": "true"})
    def end(pulses, line_counts):
        with Running(text) as m, Sitl(m.port) as sitl:
            for k in range(400):
                state = sitl.frame({**pulses, 12: 1500 + k} if pulses else ())
            log = m.output()[1]
            for line, count in line_counts.items():
                assert log.count(line) == count, log
            return state
    lines = ("outputs 7, 8: expected pulses of 500 to 2500 µs for all 8 thrusters of r, found none: t7, t8 stay at rest",
             "output 12: it moves, but commands no device of r")
    rest = end({}, dict.fromkeys(lines, 0))
    found = end({6: 65535, 7: 0, 8: 40000}, dict.fromkeys(lines, 1))
    assert found == rest, (found, rest)


def check_late_autopilot():
    """Without lock_step the world follows the wall clock, whether an autopilot is connected or not. The thrusters stop
    after the time-out of commands and, on a robot without one, when the autopilot is lost.
    """
    port = free_port()
    boat = f"model: {{extends: robots/heron.yaml, autopilot: {{enabled: true, port: {port}}}}}, position_m: [5, 0, 0]"
    text = world("bluerov2", {"frame": "vectored"}).replace("}}\n", f"}}, boat: {{{boat}}}}}\n")
    with Running(text, "--pace", "realtime") as m, Sitl(m.port, rate=100) as rov, Sitl(port, rate=100) as heron:
        odometry, boats = m.listen("/r/odometry"), m.listen("/boat/odometry")
        before = wait_until(odometry, lambda _: True)
        state = rov.frame({5: 1800, 6: 1800})
        assert state["timestamp"] > 0
        for _ in range(100):
            state, of_boat = rov.frame({5: 1800, 6: 1800}), heron.frame({1: 1900, 3: 1900})
        assert state["velocity"][2] > 0.1, state
        assert of_boat["velocity"][1] > 0.1, of_boat
        wait_until(boats, lambda o: o.twist.twist.linear.x > 1, 15)
        later = wait_until(odometry, lambda o: o.header.stamp.sec >= before.header.stamp.sec + 9, 15)
        assert abs(later.twist.twist.linear.z) < 0.2, later.twist
        wait_until(boats, lambda o: abs(o.twist.twist.linear.x) < 0.5, 15)


def check_autopilot_errors():
    """A port in use, sensors that do not exist and thrusters that do not match are one line each."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "w.yaml"
        for text, expected in (
            (world("bluerov2", {"frame": "vectored_6dof"}), "are not arranged as the 8 outputs of this frame"),
            (world("bluerov2", {"frame": "vectored", "imu": "gyro"}), "no sensor `gyro` of this kind on the base"),
            (world("bluerov2", {"outputs": "{t9: {channel: 1, command: [-1, 0, 1]}}"}), "no thruster, fin, joint or load `t9`"),
            (world("firefly", {}), "the autopilot has no outputs"),
        ):
            path.write_text(text, encoding="utf-8")
            code, _, err = command("run", path, "--no-ros", "--for", 0.1)
            assert code != 0 and len(err) == 2 and expected in err[1], err
        _, _, err = command("run", "glider", "--autopilot", "--no-ros", "--for", 0.1)
        assert err == ["warning: --autopilot: no robot of this world has the key `autopilot`"], err
        text = world("bluerov2", {"frame": "vectored"})
        path.write_text(text, encoding="utf-8")
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
            taken.bind(("127.0.0.1", port_of(text)))
            code, _, err = command("run", path, "--no-ros", "--for", 0.1)
            assert code != 0 and len(err) == 1 and f"UDP 127.0.0.1:{port_of(text)}" in err[0] and "expected a free port" in err[0], err


CHECKS = [
    check_ardusub_axes,
    check_sailboat_and_sensors,
    check_imu_of_the_robot,
    check_gripper_output,
    check_lock_step_at_real_time,
    check_lock_step_frames,
    check_restarted_autopilot,
    check_vehicles_and_channels,
    check_autopilot_of_another_frame,
    check_late_autopilot,
    check_autopilot_errors,
]
SLOW_CHECKS = [check_ardusub_holds_depth_and_heading, check_rover_sails_waypoints, check_copter_hovers]
PACE_CHECKS = [check_ardusub_in_lock_step_is_faster_than_real_time, check_rover_in_lock_step_is_faster_than_real_time]
