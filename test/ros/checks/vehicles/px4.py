"""Checks of end_to_end.py: PX4's simulation in the loop, with pymavlink in the place of PX4
(SimulatorMavlink.cpp).
"""

import math
import pathlib
import socket
import struct
import tempfile
import time

from pymavlink.dialects.v20 import common

from live import Merrow, command, wait_until

G = 9.81
# place and direction of the six rotors, clockwise from the front right one: roll, pitch, yaw
S60 = math.sin(math.radians(60))
HEXA_X = [(-0.5, S60, 1), (-1, 0, -1), (-0.5, -S60, 1), (0.5, -S60, -1), (1, 0, 1), (0.5, S60, -1)]


def connect(port, buffer=None):
    """Connects to the simulator; as PX4, tries again until its port is open. `buffer`: number of bytes that the system
    receives in advance.
    """
    deadline = time.monotonic() + 5
    while True:
        client = socket.socket()
        client.settimeout(5)
        if buffer:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        try:
            client.connect(("127.0.0.1", port))
            return client
        except ConnectionRefusedError:
            client.close()
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)


class Px4:
    """Connects to the simulator, receives sensors and answers with outputs."""

    def __init__(self, port, buffer=None):
        self.socket = connect(port, buffer)
        self.codec = common.MAVLink(self, srcSystem=1, srcComponent=1)
        self.pending, self.latest = [], {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def write(self, data):
        self.socket.sendall(data)

    def sensors(self):
        """Returns the next HIL_SENSOR; keeps the latest message of each type."""
        while True:
            while self.pending:
                message = self.pending.pop(0)
                self.latest[message.get_type()] = message
                if message.get_type() == "HIL_SENSOR":
                    return message
            data = self.socket.recv(65536)
            assert data, "closed"
            self.pending += self.codec.parse_buffer(data) or []

    def outputs(self, controls, armed=True):
        """Sends HIL_ACTUATOR_CONTROLS."""
        values = [*controls, *[0.0] * (16 - len(controls))]
        self.codec.hil_actuator_controls_send(0, values, 128 if armed else 0, 1)


def free_port():
    """Returns a TCP port that no other program uses."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Running(Merrow):
    """A world with one robot and its autopilot."""

    def __init__(self, model, keys, place, *options):
        self.port = free_port()
        text = (f"step: {{dt_s: 0.002}}\nseabed: {{depth_m: 20}}\nrobots: {{r: {{model: {{extends: robots/{model}.yaml, "
                f"autopilot: {{kind: px4, enabled: true, port: {self.port}, {keys}}}}}, {place}}}}}\n")
        self.source = tempfile.TemporaryDirectory(prefix="merrow-px4-")
        path = pathlib.Path(self.source.name) / "world.yaml"
        path.write_text(text, encoding="utf-8")
        super().__init__(str(path), *(options or ("--pace", "max")))

    def close(self):
        super().close()
        self.source.cleanup()


def limited(x, limit=1.0):
    return max(-limit, min(limit, x))


def rpy(q):
    w, x, y, z = q
    return (math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y)), math.asin(limited(2 * (w * y - z * x))),
            math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)))


def check_px4_hexacopter():
    """A hexacopter holds height and attitude through HIL messages at 250 Hz, in lock-step."""
    with Running("firefly_autopilot", "frame: hexa_x, lock_step: true", "position_m: [0, 0, 10]") as m, Px4(m.port) as px4:
        times, height, integral = [], 10.0, 0.0
        for _ in range(250 * 20):
            sensor = px4.sensors()
            times.append(sensor.time_usec)
            state = px4.latest.get("HIL_STATE_QUATERNION")
            roll, pitch, yaw = rpy(state.attitude_quaternion)
            z, climb = state.alt / 1000, -state.vz / 100
            integral = limited(integral + 0.0005 * (height - z), 0.2)
            thrust = limited(0.6 + 0.15 * (height - z) - 0.15 * climb + integral, 0.95)
            moments = (limited(-1.5 * roll - 0.3 * sensor.xgyro, 0.2), limited(-1.5 * pitch - 0.3 * sensor.ygyro, 0.2),
                       limited(-0.5 * math.remainder(yaw - 1.0, 2 * math.pi) - 0.5 * sensor.zgyro, 0.2))
            px4.outputs([limited(thrust + sum(a * b for a, b in zip(row, moments))) for row in HEXA_X])
        # frames while PX4 starts follow the wall clock; afterwards one per answer
        steps = {b - a for a, b in zip(times[5:], times[6:])}
        assert steps == {4000}, steps
        assert abs(z - height) < 0.5 and abs(roll) < 0.05 and abs(pitch) < 0.05 and abs(yaw - 1) < 0.1, (z, roll, pitch, yaw)
        assert abs(math.hypot(sensor.xacc, sensor.yacc, sensor.zacc) - G) < 0.5 and sensor.zacc < 0, sensor
        gnss = px4.latest["HIL_GPS"]
        assert gnss.fix_type == 3 and gnss.satellites_visible >= 6, gnss
        field = math.hypot(sensor.xmag, sensor.ymag, sensor.zmag)
        assert 0.2 < field < 0.7, field
        assert 1000 < sensor.abs_pressure < 1020, sensor


def check_px4_boat():
    """The right thruster is output 1: without the left thruster, it turns the boat to the left."""
    keys = "frame: differential, lock_step: true, imu: imu, gnss: gps"
    with Running("wamv", keys, "position_m: [0, 0, 0]") as m, Px4(m.port) as px4:
        for _ in range(250 * 5):
            sensor = px4.sensors()
            px4.outputs([0.5, 0.0])
        assert sensor.zgyro < -0.05, sensor
        for _ in range(250 * 10):
            px4.sensors()
            px4.outputs([0.5, 0.5])
        state, fix = px4.latest["HIL_STATE_QUATERNION"], px4.latest["HIL_GPS"]
        assert math.hypot(state.vx, state.vy) > 100, state
        # the receiver of the boat has separate errors; 1e-7 deg of latitude are 1.1 cm
        assert fix.fix_type == 3 and 0 < abs(fix.lat - state.lat) + abs(fix.lon - state.lon) < 2000, (fix, state)


def local(fix, start):
    """Returns north and east of the fix, relative to the fix `start` [m]."""
    north, east = (math.radians((a - b) * 1e-7) * 6371e3 for a, b in ((fix.lat, start.lat), (fix.lon, start.lon)))
    return north, east * math.cos(math.radians(start.lat * 1e-7))


def check_px4_boat_waypoints():
    """A boat visits two waypoints: position and velocity from HIL_GPS, heading from the simulator, rates from HIL_SENSOR."""
    with Running("wamv", "frame: differential, lock_step: true", "position_m: [0, 0, 0]") as m, Px4(m.port) as px4:
        px4.sensors()
        start = px4.latest["HIL_GPS"]
        for goal in ((0, 40), (30, 40)):
            for _ in range(250 * 90):
                px4.outputs(steer(px4, local(px4.latest["HIL_GPS"], start), goal))
                sensor = px4.sensors()
                fix = px4.latest["HIL_GPS"]
                at = local(fix, start)
                if math.dist(at, goal) < 4:
                    break
            else:
                raise AssertionError(f"{goal} was not reached: {at}")
            # the velocity of the receiver agrees with the true state
            state = px4.latest["HIL_STATE_QUATERNION"]
            assert math.hypot(fix.vn - state.vx, fix.ve - state.vy) < 30, (fix, state)
        assert sensor.time_usec > 20_000_000, sensor


def steer(px4, at, goal):
    """Returns the controls right and left of a boat that turns to the waypoint `goal`."""
    north, east = (b - a for a, b in zip(at, goal))
    yaw, rate = rpy(px4.latest["HIL_STATE_QUATERNION"].attitude_quaternion)[2], px4.latest["HIL_SENSOR"].zgyro
    turn = math.remainder(math.atan2(east, north) - yaw, 2 * math.pi)
    steering, throttle = limited(0.5 * turn - 0.5 * rate, 0.3), 0.4 * max(0.2, math.cos(turn))
    return [throttle - steering, throttle + steering]


def raw_sensor_times(px4):
    """Yields the time of each HIL_SENSOR in the received bytes [us]; a frame begins at the end of the previous frame.
    pymavlink is too slow for a large backlog.
    """
    buffer = b""
    while True:
        buffer += px4.socket.recv(65536)
        at = 0
        while len(buffer) - at >= 12 and len(buffer) - at >= (length := buffer[at + 1] + 12):
            assert buffer[at] == 0xFD, buffer[at:at + 20]
            if int.from_bytes(buffer[at + 7:at + 10], "little") == common.MAVLINK_MSG_ID_HIL_SENSOR:
                yield int.from_bytes(buffer[at + 10:at + 18], "little")
            at += length
        buffer = buffer[at:]


def check_px4_stall():
    """A PX4 that does not receive for a while stays connected: frames are dropped whole, and it continues."""
    with Running("wamv", "frame: differential", "position_m: [0, 0, 0]", "--pace", "20") as m, Px4(m.port, buffer=65536) as px4:
        times = raw_sensor_times(px4)
        before = [next(times) for _ in range(20)][-1]
        status = m.listen("/diagnostics")

        def dropped(message):
            link = next((s for s in message.status if s.name == "r: autopilot"), None)
            values = {pair.key: pair.value for pair in link.values} if link else {}
            return int(values.get("frames that did not arrive", 0)) > 0 and values["restarts"] == "0"
        wait_until(status, dropped, 60)
        steps, end = [], time.monotonic() + 30
        for stamp in times:
            steps.append(stamp - before)
            before = stamp
            if steps[-1] > 8000 or time.monotonic() > end:
                break
        assert min(steps) == 4000 and max(steps) > 8000, (min(steps), max(steps), len(steps))
        # the connection is the same, and the simulator still receives
        for _ in range(20):
            px4.outputs([0.0, 0.0])
            assert px4.socket.recv(65536)
        log = m.output()[1]
        assert "receives no frames" in log and "lost" not in log, log


def check_px4_rate():
    """At `--pace realtime`, HIL_SENSOR has 250 Hz of wall-clock time, whether PX4 answers or not."""
    with Running("firefly_autopilot", "frame: hexa_x", "position_m: [0, 0, 10]", "--pace", "realtime") as m, Px4(m.port) as px4:
        for answers in (True, False):
            for _ in range(100):
                px4.sensors()
            begin, first, count = time.monotonic(), px4.sensors().time_usec, 0
            while (passed := time.monotonic() - begin) < 5:
                last, count = px4.sensors().time_usec, count + 1
                if answers:
                    px4.outputs([0.0] * 6)
            assert last - first == 4000 * count, (first, last, count)
            assert abs(count / passed - 250) < 5, count / passed


def check_px4_faults():
    """NaN outputs, bytes that are not MAVLink, a second PX4, a restart and a lost connection are
    reported and do not stop the run.
    """
    with Running("wamv", "frame: differential", "position_m: [0, 0, 0]", "--pace", "realtime") as m:
        with Px4(m.port) as px4:
            for _ in range(10):
                px4.sensors()
                px4.outputs([math.nan, 0.0])
            px4.write(b"junk")
            second = socket.create_connection(("127.0.0.1", m.port), timeout=5)
            for _ in range(50):
                px4.sensors()
                px4.outputs([0.2, 0.2])
            assert second.recv(10) == b"", "the second connection is open"
            second.close()
            # a frame of a message that PX4 does not send, and an incomplete frame
            px4.write(struct.pack("<BBBBBBB", 0xFD, 5, 0, 0, 0, 1, 1))
        odometry = m.listen("/r/odometry")
        before = wait_until(odometry, lambda _: True)
        wait_until(odometry, lambda o: o.header.stamp.sec > before.header.stamp.sec + 1)
        status = m.listen("/diagnostics")
        found = wait_until(status, lambda d: any(s.name == "r: autopilot" and s.level == b"\x02" or s.name == "r: autopilot" and s.level == 2 for s in d.status))
        link = next(s for s in found.status if s.name == "r: autopilot")
        assert "closed the connection" in link.message or "connection has failed" in link.message, link
        with Px4(m.port) as px4:
            for _ in range(20):
                px4.sensors()
                px4.outputs([0.0, 0.0])
        log = m.output()[1]
        for line in ("output 1: expected a number", "bytes that are not MAVLink", "second autopilot"):
            assert line in log, (line, log)


def check_px4_errors():
    """A port in use and thrusters that do not match are one line each."""
    with tempfile.TemporaryDirectory() as folder, socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        path = pathlib.Path(folder) / "w.yaml"
        for keys, expected in ((f"frame: differential, port: {taken.getsockname()[1]}", "expected a free port"),
                               ("frame: hexa_x", "are not arranged as the 6 outputs of this frame")):
            path.write_text(f"robots: {{r: {{model: {{extends: robots/wamv.yaml, autopilot: {{kind: px4, enabled: true, {keys}}}}}}}}}\n",
                            encoding="utf-8")
            code, _, err = command("run", path, "--no-ros", "--for", 0.1)
            assert code != 0 and expected in err[-1], err


CHECKS = [check_px4_hexacopter, check_px4_boat, check_px4_faults, check_px4_errors]
SLOW_CHECKS = [check_px4_boat_waypoints, check_px4_stall]
PACE_CHECKS = [check_px4_rate]
