"""Checks of end_to_end.py: MAVLink telemetry and commands, with pymavlink as the ground station."""

import math
import pathlib
import socket
import tempfile
import time

from pymavlink.dialects.v20 import common
from pymavlink import mavutil

from live import Merrow, command, take, wait_for, wait_until

WORLD = """seabed: {depth_m: 20}
origin: {latitude_deg: 43.66, longitude_deg: 3.39}
robots:
  rov: {model: bluerov2_heavy, position_m: [3, 4, -2], attitude_deg: [0, 0, 30], mavlink: {udp: "127.0.0.1:%d", system_id: 7}}
  boat: {model: wamv, position_m: [20, 0, 0], mavlink: {udp: "127.0.0.1:%d"}}
"""
DEPTH_HOLD = 4


class Station:
    """A ground station on a free port."""

    def __init__(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.link = mavutil.mavlink_connection(f"udpin:127.0.0.1:{self.port}", source_system=254, source_component=190)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.link.close()

    def next(self, kind, accept=lambda _: True, timeout=5):
        """Returns the next message of this type."""
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            message = self.link.recv_match(type=kind, blocking=True, timeout=0.2)
            if message is not None and accept(message):
                return message
        raise AssertionError(f"no {kind}")

    def empty(self):
        """Reads and ignores what has arrived."""
        while self.link.recv_msg() is not None:
            pass

    def request(self, number, *parameters, target=7):
        """Sends a command and returns the result. Empties the socket first: the acknowledgement is lost
        when old telemetry fills the socket.
        """
        self.empty()
        values = (*parameters, *[0] * (7 - len(parameters)))
        self.link.mav.command_long_send(target, 1, number, 0, *values)
        return self.next("COMMAND_ACK", lambda m: m.command == number).result


class Running(Merrow):
    """The world with two ground stations."""

    def __init__(self, stations, *options):
        self.source = tempfile.TemporaryDirectory(prefix="merrow-mavlink-")
        path = pathlib.Path(self.source.name) / "world.yaml"
        path.write_text(WORLD % tuple(s.port for s in stations), encoding="utf-8")
        super().__init__(str(path), *options)

    def close(self):
        super().close()
        self.source.cleanup()


def check_telemetry():
    """Heartbeat, attitude, position, depth and battery agree with the odometry, also while the world
    is paused.
    """
    with Station() as station, Station() as other, Running((station, other)) as m:
        beat = station.next("HEARTBEAT")
        assert beat.get_srcSystem() == 7 and beat.type == common.MAV_TYPE_SUBMARINE, beat
        boat = other.next("HEARTBEAT")
        assert boat.get_srcSystem() == 2 and boat.type == common.MAV_TYPE_SURFACE_BOAT, boat
        m.do("pause")
        odometry = m.listen("/rov/odometry")
        take(odometry)
        m.do("resume")
        odometry = wait_until(odometry, lambda _: True)
        attitude, place = station.next("ATTITUDE"), station.next("GLOBAL_POSITION_INT")
        q = odometry.pose.pose.orientation
        yaw = math.atan2(2 * (q.w * q.z + q.x * q.y), 1 - 2 * (q.y * q.y + q.z * q.z))
        assert abs(math.remainder(attitude.yaw - (math.pi / 2 - yaw), 2 * math.pi)) < 0.05, (attitude, yaw)
        p = odometry.pose.pose.position
        assert abs(place.relative_alt / 1000 - p.z) < 0.1, (place, p)
        assert abs((place.lat / 1e7 - 43.66) * 111_100 - p.y) < 0.3 and abs((place.lon / 1e7 - 3.39) * 80_500 - p.x) < 0.3, (place, p)
        pressure = station.next("SCALED_PRESSURE2")
        # about 100 hPa per metre
        assert abs(pressure.press_abs - 1013.25 + 100 * p.z) < 10, (pressure, p)
        battery = station.next("BATTERY_STATUS")
        assert 12 < battery.voltages[0] / 1000 < 18 and 50 < battery.battery_remaining <= 100, battery
        m.do("pause")
        for _ in range(2):
            station.next("HEARTBEAT", timeout=3)


def check_strangers():
    """Datagrams of other addresses than the ground station are ignored, also in a socket that they reach."""
    with Station() as station, Station() as other, Running((station, other)) as m:
        station.next("HEARTBEAT")
        stranger = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        stranger.bind(("127.0.0.2", 0))
        sender = common.MAVLink(None, srcSystem=254, srcComponent=190)
        mode = sender.command_long_encode(7, 1, common.MAV_CMD_DO_SET_MODE, 0, 1, DEPTH_HOLD, 0, 0, 0, 0, 0)
        assert station.next("HEARTBEAT").custom_mode != DEPTH_HOLD
        for _ in range(3):
            stranger.sendto(mode.pack(sender), next(iter(station.link.clients)))
        stranger.close()
        station.empty()
        assert all(station.next("HEARTBEAT").custom_mode != DEPTH_HOLD for _ in range(2))
        assert "is not the ground station" in "".join(m.output()), m.output()
        assert station.request(common.MAV_CMD_DO_SET_MODE, 1, DEPTH_HOLD) == common.MAV_RESULT_ACCEPTED
        station.next("HEARTBEAT", lambda h: h.custom_mode == DEPTH_HOLD)


def check_gamepad_and_modes():
    """MANUAL_CONTROL drives the robot; arming, modes, parameters and missions are answered."""
    with Station() as station, Station() as other, Running((station, other)) as m:
        station.next("HEARTBEAT")
        station.link.target_system = 7
        assert station.request(common.MAV_CMD_COMPONENT_ARM_DISARM, 1) == common.MAV_RESULT_ACCEPTED
        assert station.request(common.MAV_CMD_DO_SET_MODE, 1, DEPTH_HOLD) == common.MAV_RESULT_ACCEPTED
        armed = common.MAV_MODE_FLAG_SAFETY_ARMED
        station.next("HEARTBEAT", lambda h: h.custom_mode == DEPTH_HOLD and h.base_mode & armed)
        odometry = m.listen("/rov/odometry")

        def drive(x, y, z, r, is_expected):
            found, begin = [], time.monotonic()
            # for at least a second, because the previous command still moves the robot
            while time.monotonic() < begin + 1 or not (found and is_expected(found[-1].twist.twist)):
                assert time.monotonic() < begin + 10, f"{(x, y, z, r)}: {found[-1:]}"
                station.link.mav.manual_control_send(7, x, y, z, r, 0)
                time.sleep(0.05)
                station.empty()
                found.extend(take(odometry))
        drive(600, 0, 500, 0, lambda twist: twist.linear.x > 0.1)
        drive(0, 600, 500, 0, lambda twist: twist.linear.y < -0.05)
        drive(0, 0, 200, 0, lambda twist: twist.linear.z < -0.03)
        drive(0, 0, 500, 500, lambda twist: twist.angular.z < -0.1)
        assert station.request(common.MAV_CMD_COMPONENT_ARM_DISARM, 0) == common.MAV_RESULT_ACCEPTED
        station.next("HEARTBEAT", lambda h: not h.base_mode & armed)
        denied = common.MAV_RESULT_DENIED
        assert station.request(common.MAV_CMD_DO_SET_MODE, 1, 99) == denied
        for number in (math.nan, -1, 1.5):
            assert station.request(common.MAV_CMD_DO_SET_MODE, 1, number) == denied, number
            assert station.request(common.MAV_CMD_COMPONENT_ARM_DISARM, number) == denied, number
        assert station.request(common.MAV_CMD_NAV_TAKEOFF) == common.MAV_RESULT_UNSUPPORTED
        # messages that QGroundControl requests after the first heartbeat
        assert station.request(common.MAV_CMD_REQUEST_MESSAGE, common.MAVLINK_MSG_ID_AUTOPILOT_VERSION) == common.MAV_RESULT_ACCEPTED
        station.next("AUTOPILOT_VERSION")
        station.link.mav.param_request_list_send(7, 1)
        value = station.next("PARAM_VALUE")
        assert (value.param_count, value.param_value) == (1, 7), value
        station.link.mav.param_request_read_send(7, 1, b"UNKNOWN", -1)
        station.link.mav.param_request_read_send(7, 1, b"MAV_SYS_ID", -1)
        station.link.mav.mission_request_list_send(7, 1)
        value, mission = [station.next(["PARAM_VALUE", "MISSION_COUNT"]) for _ in range(2)]
        assert value.param_id == "MAV_SYS_ID", value
        assert (mission.count, mission.target_system, mission.target_component) == (0, 254, 190), mission
        # requests for another vehicle and bytes that are not MAVLink have no effect
        station.link.mav.command_long_send(9, 1, common.MAV_CMD_COMPONENT_ARM_DISARM, 0, 1, 0, 0, 0, 0, 0, 0)
        station.link.write(b"\xfd\x09junk")
        station.next("HEARTBEAT", lambda h: not h.base_mode & armed)
        assert wait_for(lambda: "sends bytes that are not MAVLink" in m.output()[1]), m.output()
        diagnostics = m.listen("/diagnostics")
        name = "rov: MAVLink"
        found = wait_until(diagnostics, lambda d: any(s.name == name for s in d.status))
        status = next(s for s in found.status if s.name == name)
        values = {pair.key: pair.value for pair in status.values}
        assert values["invalid packets"] == "1" and values["refused commands"] == "7", values
        assert values["peer"].startswith("127.0.0.1:"), values


def check_mavlink_option():
    """`--mavlink` sends the telemetry of all robots; an invalid address is one line."""
    with Station() as station:
        with Merrow("pool", f"--mavlink=127.0.0.1:{station.port}"):
            assert station.next("HEARTBEAT").get_srcSystem() == 1
    code, _, err = command("run", "pool", "--mavlink=here", "--no-ros", "--for", 0.1)
    assert code != 0 and "--mavlink" in "".join(err), err
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "w.yaml"
        path.write_text("robots: {r: {model: bluerov2, mavlink: {udp: here}}}\n", encoding="utf-8")
        code, _, err = command("run", path, "--no-ros", "--for", 0.1)
        assert code != 0 and "`udp`: expected an IP address and a port" in err[1], err


CHECKS = [check_telemetry, check_strangers, check_gamepad_and_modes, check_mavlink_option]
