"""Checks of end_to_end.py: a multirotor is flown by the topics and services of its stock firmware.
"""

import math

from live import LOG, TRIGGER, WARN, Merrow, message_type, take, wait_for, wait_until

from checks.vehicles.drive import header, vector


def velocity(m, x, y, z, yaw=0.0, topic="/firefly/cmd_vel"):
    m.write(topic, linear=vector(x, y, z), angular=vector(0.0, 0.0, yaw))


def stamped(m, x, frame):
    twist = message_type("geometry_msgs/msg/Twist")(linear=vector(x, 0.0, 0.0), angular=vector(0.0, 0.0, 0.0))
    m.write("/firefly/cmd_vel_stamped", header=header(frame), twist=twist)


def check_flight_by_cmd_vel():
    """Takes off, flies ahead by both types of cmd_vel, rejects NaN, stops without commands, lands.
    """
    with Merrow("hover", "--pace", "2") as m:
        truth, mode = m.listen("/firefly/odometry"), m.listen("/firefly/flight_mode")
        log = m.listen("/rosout", LOG)
        places, modes = [], []

        def seen():
            places.extend(o.pose.pose.position for o in take(truth))
            modes.extend(s.data for s in take(mode))
            return bool(places and modes)

        assert wait_for(seen, 10) and modes[-1] == "off", modes
        call(m, "takeoff")
        assert wait_for(lambda: seen() and modes[-1] == "flying" and places[-1].z > 3.4, 20), (modes[-1], places[-1])
        velocity(m, math.nan, 0.0, 0.0)
        wait_until(log, lambda line: line.level == WARN and "velocity: expected a finite number, found NaN" in line.msg)
        start = places[-1].x

        def ahead(send):
            send()
            return seen() and places[-1].x > start + 2

        assert wait_for(lambda: ahead(lambda: velocity(m, 1.0, 0.0, 0.0)), 20), places[-1]
        start = places[-1].x
        assert wait_for(lambda: ahead(lambda: stamped(m, 1.0, "firefly/base_link")), 20), places[-1]
        call(m, "land")
        assert wait_for(lambda: seen() and modes[-1] == "off", 30), (modes[-1], places[-1])
        m.alive()


def call(m, name, robot="firefly"):
    """Calls a service of the firmware, which must succeed."""
    client = m.peer.client(f"/{robot}/{name}", "std_srvs/srv/Trigger")
    assert client.wait(20), f"no service {name}"
    answer = client.call(**TRIGGER)
    assert answer is not None and answer.success, answer


def check_rover_by_cmd_vel():
    """A rover drives ahead, reports it by its wheels, and stops without commands."""
    with Merrow("bank", "--pace", "2") as m:
        wheels = m.listen("/rover/wheel_odometry")
        seen = []

        def ahead():
            velocity(m, 1.0, 0.0, 0.0, topic="/rover/cmd_vel")
            seen.extend(take(wheels))
            return seen and seen[-1].pose.pose.position.x > 1.0

        assert wait_for(ahead, 20), seen[-1:]
        assert (seen[-1].header.frame_id, seen[-1].child_frame_id) == ("rover/odom", "rover/base_link")
        assert wait_for(lambda: seen.extend(take(wheels)) or abs(seen[-1].twist.twist.linear.x) < 0.01, 20), seen[-1]
        m.alive()


def check_riverwatch_pair():
    """The boat follows the river by cmd_vel; the drone takes off from its deck; wind and current
    change meanwhile.
    """
    with Merrow("riverwatch", "--pace", "2") as m:
        boat, drone = m.listen("/usv/odometry"), m.listen("/uav/odometry")
        places = {}

        def seen():
            for name, topic in (("boat", boat), ("drone", drone)):
                places.update({name: o.pose.pose.position for o in take(topic)})
            return len(places) == 2

        assert wait_for(seen, 20), places
        start = places["boat"].x

        def upriver():
            velocity(m, 1.5, 0.0, 0.0, topic="/usv/cmd_vel")
            return seen() and places["boat"].x < start - 3

        assert wait_for(upriver, 40), places
        m.write("/couplings/pad/command", data=False)
        weather = m.peer.client("/merrow/weather", "merrow_msgs/srv/Weather")
        assert weather.wait(20), "no service weather"
        answer = weather.call(names=["wind_speed_m_s", "wind_from_deg"], values=[6.0, 200.0], duration_s=2.0)
        assert answer is not None and answer.success, answer
        call(m, "takeoff", "uav")
        assert wait_for(lambda: seen() and places["drone"].z > 2.5, 30), places
        m.alive()


def check_glider_dives():
    """A glider reduces the volume of its buoyancy engine and sinks; its volume is published."""
    with Merrow("glider", "--pace", "20") as m:
        truth, volume = m.listen("/glider/odometry"), m.listen("/glider/buoyancy_engines/engine/volume")
        m.write("/glider/buoyancy_engines/engine/command", data=-0.0003)
        wait_until(volume, lambda v: abs(v.data + 0.0003) < 1e-9, 20)
        wait_until(truth, lambda o: o.pose.pose.position.z < -7, 30)
        m.alive()


def check_taipan_holds_a_depth():
    """A torpedo reaches a commanded depth with its own propeller."""
    with Merrow("taipan", "--pace", "10") as m:
        truth = m.listen("/taipan/odometry")
        m.write("/taipan/thrusters/propeller/command", data=128.0)
        m.write("/taipan/autopilot/heading_deg", data=150.0)
        m.write("/taipan/autopilot/depth_m", data=2.0)
        wait_until(truth, lambda o: o.pose.pose.position.z < -1.7, 30)
        m.alive()


CHECKS = [check_flight_by_cmd_vel, check_rover_by_cmd_vel, check_glider_dives, check_taipan_holds_a_depth]
SLOW_CHECKS = [check_riverwatch_pair]
