"""Checks of end_to_end.py: sea and weather change while boats run, and the topics of the boats show
it.
"""

import math

from live import Merrow, nanoseconds, take, wait_for

STEPS_PER_S = 200
ODOMETRY_NS = 20_000_000


def odometry(m, reader, seconds_):
    """Returns the odometry of the next seconds of simulated time."""
    take(reader)
    end, found = m.step(STEPS_PER_S * seconds_), []
    assert wait_for(lambda: found.extend(take(reader)) or found and nanoseconds(found[-1].header.stamp) >= end -
                    ODOMETRY_NS), "no odometry"
    return found


def heave(found):
    """Returns the standard deviation of the height."""
    z = [o.pose.pose.position.z for o in found]
    mean = sum(z) / len(z)
    return math.sqrt(sum((x - mean) ** 2 for x in z) / len(z))


def eastwards(found):
    """Returns the mean speed over ground to the east."""
    way = found[-1].pose.pose.position.x - found[0].pose.pose.position.x
    return way / ((nanoseconds(found[-1].header.stamp) - nanoseconds(found[0].header.stamp)) * 1e-9)


def check_waves_change_while_boats_run():
    """A peer raises and calms the sea by parameters: boats heave more, then less."""
    with Merrow("usv", "--pace", "lockstep") as m:
        truth = m.listen("/otter/odometry")
        m.step(5 * STEPS_PER_S)
        small = heave(odometry(m, truth, 20))
        for name, value in (("water.waves.tp_s", 6.0), ("water.waves.hs_m", 1.5)):
            result = m.set(name, value)
            assert result.successful, f"{name}: {result.reason}"
        # the transition to the new sea is gradual
        m.step(40 * STEPS_PER_S)
        large = heave(odometry(m, truth, 30))
        assert 0.01 < small < 0.1 and 0.15 < large < 0.7, f"heave {small} m, then {large} m"
        assert m.set("water.waves.hs_m", 0.0).successful
        m.step(60 * STEPS_PER_S)
        calm = heave(odometry(m, truth, 20))
        assert calm < 0.1 * small, f"heave {small} m, then {calm} m without waves"
        m.alive()


def check_weather_changes_while_boats_run():
    """A peer starts a storm by service, along a ramp, and rotates it by parameters: boats drift
    with it.
    """
    with Merrow("usv", "--pace", "lockstep") as m:
        truth = m.listen("/heron/odometry")
        assert m.set("water.waves.hs_m", 0.0).successful
        assert m.set("weather.gustiness", 0.0).successful
        m.step(40 * STEPS_PER_S)
        before = eastwards(odometry(m, truth, 10))
        names = ["wind_speed_m_s", "wind_from_deg", "rain_mm_h", "visibility_m"]
        m.do("weather", names=names, values=[20.0, 270.0, 12.0, 800.0], duration_s=20.0)
        m.step(40 * STEPS_PER_S)
        # the parameters report the weather set by the service
        assert [m.get(f"weather.{name}") for name in names] == [20.0, 270.0, 12.0, 800.0]
        blown = eastwards(odometry(m, truth, 10))
        assert blown > before + 0.2, f"{before} m/s east, then {blown} m/s in a wind of 20 m/s from the west"
        assert m.set("weather.wind_from_deg", 90.0).successful
        m.step(40 * STEPS_PER_S)
        back = eastwards(odometry(m, truth, 10))
        assert back < before - 0.2, f"{back} m/s east in a wind of 20 m/s from the east"
        m.alive()


CHECKS = [check_weather_changes_while_boats_run]
SLOW_CHECKS = [check_waves_change_while_boats_run]
