"""Checks of end_to_end.py: point-measuring instruments, as received by a peer."""

import math
import pathlib

from live import TRIGGER, Merrow, latest, nanoseconds, wait_until

WORLD = str(pathlib.Path(__file__).parents[2] / "worlds" / "instruments.yaml")


def values(message):
    """Returns the names and values of a record."""
    (status,) = message.status
    return {pair.key: float(pair.value) for pair in status.values}


def check_instruments():
    """Messages of every instrument under water and on a mast have the values of the water and air
    of the world.
    """
    with Merrow(WORLD) as m:
        topics = {
            "ctd": ["temperature", "pressure", "conductivity", "salinity", "depth", "sound_speed", "record"],
            "turbidity": ["data"], "plankton": ["data", "record"], "thermometer": ["data"], "leak": ["leak"],
            "esc": ["joint_state", "power", "record"], "meter": ["battery_state"], "barometer": ["data"],
            "wind": ["data", "speed", "direction"],
        }
        readers = {(s, t): m.listen(f"/rig/{s}/{t}") for s, own in topics.items() for t in own}
        m.write("/rig/thrusters/t1/command", data=1700.0)
        at = {key: latest(reader) for key, reader in readers.items()}
        near = lambda found, expected, by: abs(found - expected) < by
        ctd = {name: at["ctd", name] for name in topics["ctd"]}
        record = values(ctd["record"])
        assert near(ctd["temperature"].temperature, 17.0, 1e-9) and near(ctd["salinity"].data, 34.125, 1e-6)
        assert near(ctd["depth"].data, 5.0, 0.1) and 1510 < ctd["sound_speed"].data < 1515
        assert near(ctd["pressure"].fluid_pressure, 101325 + 1024.5 * 9.81 * 5, 100)
        assert near(ctd["conductivity"].data, 4.41, 0.05)
        assert record["conductivity [S/m]"] == ctd["conductivity"].data and record["depth [m]"] == ctd["depth"].data
        assert ctd["record"].header.frame_id == "rig/ctd" and ctd["record"].status[0].name == "ctd"
        assert nanoseconds(ctd["record"].header.stamp) % 5_000_000 == 0
        assert near(at["turbidity", "data"].ntu, 3.0, 1e-6) and at["plankton", "data"].data == 500.0
        assert values(at["plankton", "record"]) == {"plankton [1/m3]": 500.0}
        assert near(at["thermometer", "data"].temperature, 17.0, 1e-9)
        assert at["leak", "leak"].data is False
        assert near(at["barometer", "data"].fluid_pressure, 101325 - 1.22 * 9.81 * 2, 1)
        wind = at["wind", "data"].vector
        assert near(wind.x, 6.0, 1e-9) and near(wind.y, 0, 1e-9) and near(at["wind", "speed"].data, 6.0, 1e-9)
        assert near(at["wind", "direction"].data, math.pi, 1e-9)
        turning = wait_until(readers["esc", "power"], lambda p: p.current < -1)
        assert 12 < turning.voltage < 16.8 and turning.temperature >= 17.0
        shaft = at["esc", "joint_state"]
        assert list(shaft.name) == ["esc"] and len(shaft.velocity) == len(shaft.effort) == 1 and not len(shaft.position)
        meter = wait_until(readers["meter", "battery_state"], lambda b: b.current < -1)
        assert near(meter.percentage, 1.0, 0.01) and meter.capacity == 18.0 and meter.present


def check_water_sampler():
    """A service opens a bottle, which fills and reports its contents; an open bottle is not opened
    again.
    """
    with Merrow(WORLD) as m:
        bottles = m.listen("/rig/bottles/bottle")
        sample, stop = (m.peer.client(f"/rig/bottles/{name}", "std_srvs/srv/Trigger") for name in ("sample", "stop"))
        assert sample.wait(20) and stop.wait(20)
        assert sample.call(**TRIGGER).success
        again = sample.call(**TRIGGER)
        assert not again.success and again.message == "bottles is already filling bottle 1", again
        full = wait_until(bottles, lambda b: b.status[0].message == "full")
        found = values(full)
        assert found["bottle"] == 1 and found["bottles"] == 2 and found["volume [m3]"] == 0.001
        assert abs(found["turbidity [NTU]"] - 3.0) < 1e-9 and abs(found["temperature [degC]"] - 17.0) < 1e-9
        assert abs(found["up [m]"] + 5.0) < 1e-9 and 0.9 < found["last_water [s]"] - found["opened [s]"] < 1.2
        assert not stop.call(**TRIGGER).success
        assert sample.call(**TRIGGER).success and stop.call(**TRIGGER).success
        wait_until(bottles, lambda b: b.status[0].message == "stopped" and values(b)["bottle"] == 2)


CHECKS = [check_instruments, check_water_sampler]
