"""Checks of end_to_end.py: every topic of a world exists, has its rate, and has plausible content.
"""

import json
import math
import xml.etree.ElementTree as xml

import peer
from live import (Merrow, describe, gather, latest, message_type, nanoseconds, seconds, take, wait_for,
                  wait_until)

WINDOW_S = 4.3
GRAVITY = 9.81
AIR = 101325.0


def check_topics_of_the_pool():
    """All topics of a BlueROV2 in a pool: names, types, rates, stamps, frames, content."""
    with Merrow("pool") as m:
        messages = observe(m)
        check_rates(m, messages)
        check_stamps(m, messages)
        check_frames(m, messages)
        at = lambda name: messages[f"/bluerov2/{name}"]
        check_imu(at("imu/data"))
        check_odometry(at("odometry"), "bluerov2/base_link")
        truth = at("odometry")
        check_dvl(at("dvl/data"), at("dvl/twist"), truth, bottom_m=5.0)
        check_pressure(at("pressure/data"), truth)
        check_altimeter(at("altimeter/range"), truth, bottom_m=5.0)
        check_magnetometer(at("magnetometer/data"))
        check_no_fix(at("gps/fix"))
        receiver = status_of(messages["/diagnostics"][-1], "bluerov2: receiver gps")
        assert receiver.message == "no fix" and receiver.level in (1, b"\x01"), receiver
        check_battery(at("battery_state"))
        check_description(m, "bluerov2")
        check_diagnostics(messages["/diagnostics"], describe("pool")["robots"])


def check_announced_qos():
    """Every endpoint announces the reliability, durability and depth that `describe` lists."""
    for world in ("pool", "uvms_pool_servo", "modems"):
        with Merrow(world) as m:
            about = describe(world)
            for place, key in enumerate(("published", "subscribed")):
                expected = {f"rt{topic['topic']}": topic["qos"].split(", lifespan")[0] for topic in about[key]}
                found = {}

                def is_announced():
                    found.clear()
                    found.update(m.peer.announced_qos("rt/")[place])
                    return all(found.get(name) == text for name, text in expected.items())

                wait_for(is_announced)
                wrong = {name: (text, found.get(name)) for name, text in expected.items() if found.get(name) != text}
                assert not wrong and expected, f"{world}, {key}, expected and announced: {wrong}"


def check_topics_of_an_arm():
    """All topics of a vehicle with an arm, including joint topics."""
    with Merrow("uvms_pool") as m:
        messages = observe(m)
        check_rates(m, messages)
        check_stamps(m, messages)
        check_frames(m, messages)
        check_imu(messages["/uvms/imu/data"])
        check_description(m, "uvms")
        check_joints(m, messages["/uvms/joint_states"], describe("uvms_pool")["robots"][0]["joints"])
        check_diagnostics(messages["/diagnostics"], describe("uvms_pool")["robots"])


def check_topics_of_a_torpedo():
    """All topics of a vehicle with fins; each fin moves to its command, within its limits, and
    publishes its angle.
    """
    with Merrow("taipan") as m:
        about = describe("taipan")["robots"][0]
        messages = observe(m)
        check_rates(m, messages)
        check_stamps(m, messages)
        check_frames(m, messages)
        check_imu(messages["/taipan/imu/data"])
        check_description(m, "taipan")
        check_diagnostics(messages["/diagnostics"], [about])
        names = [fin["name"] for fin in about["fins"]]
        assert names == about["joints"] and len(names) == 3, about
        states, frames = m.listen("/taipan/joint_states"), m.listen("/tf")
        limit = about["fins"][0]["range"][1]
        layout = message_type("std_msgs/msg/MultiArrayLayout")(dim=[], data_offset=0)

        def settles(target):
            close = lambda s: all(abs(a - b) < 1e-3 for a, b in zip(s.position, target))
            found = wait_until(states, lambda s: close(s) and max(map(abs, s.velocity)) < 0.01)
            assert list(found.name) == names and not found.effort, found

        for k, name in enumerate(names):
            m.write(f"/taipan/fins/{name}/command", data=0.1 * (k + 1))
        settles([0.1, 0.2, 0.3])
        m.write("/taipan/fins/command", layout=layout, data=[-0.1, 9.0, 0.0])
        settles([-0.1, limit, 0.0])
        m.write("/taipan/thrusters/command", layout=layout, data=[100.0, 0.0, -0.2, 0.2])
        settles([0.0, -0.2, 0.2])
        rotation = [t for t in latest(frames).transforms if t.child_frame_id == "taipan/stern_planes"][0].transform.rotation
        # the shaft points to the right: half of 0.2 rad about it, on top of the rotation of the
        # frame about x
        assert abs(abs(rotation.z) ** 2 + abs(rotation.y) ** 2 - math.sin(0.1) ** 2) < 1e-4, rotation
        m.write("/taipan/fins/rudder/command", data=math.nan)
        m.write("/taipan/fins/command", layout=layout, data=[0.1])
        status = m.listen("/diagnostics")
        key = lambda d, name: {v.key: v.value for s in d.status if s.name == name for v in s.values}
        refused = lambda d: key(d, "taipan: commands").get("refused commands") == "2"
        assert key(wait_until(status, refused), "taipan: fin rudder")["angle [deg]"] in ("0.00", "-0.00")
        # a stuck fin keeps its angle
        assert m.set("taipan.fins.rudder.state", "stuck").successful
        m.write("/taipan/fins/command", layout=layout, data=[0.3, 0.0, 0.0])
        settles([0.0, 0.0, 0.0])


def check_fix_at_the_surface():
    """A receiver at the surface has a fix after its acquisition time."""
    with Merrow("pool", "--pace", "5") as m:
        fixes, clock = m.listen("/bluerov2/gps/fix"), m.listen("/clock")
        velocities, health = m.listen("/bluerov2/gps/vel"), m.listen("/diagnostics")
        put = lambda: m.set_pose("bluerov2", (0, 0, 0.0))
        got = []
        start = latest(clock).clock.sec

        def found():
            # it sinks or capsizes slowly: reset its pose until there is a fix
            put()
            got.extend(fix for fix in take(fixes) if fix.status.status >= 0)
            return got

        assert wait_for(found, 15), f"no fix in {latest(clock).clock.sec - start} s at the surface"
        fix = got[0]
        assert all(map(math.isfinite, (fix.latitude, fix.longitude, fix.altitude))), fix
        assert fix.position_covariance_type == 2 and 0 < fix.position_covariance[0] < 1, fix
        assert fix.status.status == 2 and fix.status.service == 15, fix.status
        velocity = wait_until(velocities, lambda v: v.header.stamp == fix.header.stamp).twist
        # it started at rest and has sunk or risen since
        assert math.hypot(velocity.twist.linear.x, velocity.twist.linear.y) < 0.5 and abs(velocity.twist.linear.z) < 1, velocity
        assert abs(velocity.covariance[0] - 0.05**2) < 1e-12 and velocity.covariance[21] == -1, velocity
        has_fix = lambda d: status_of(d, "bluerov2: receiver gps").message == "fix with ground augmentation"
        assert wait_for(lambda: put() and any(map(has_fix, take(health))), 5), "diagnostics report no fix"


def observe(m):
    """Subscribes to every published topic for a time; returns topic -> messages of that time."""
    about = describe(m.world)
    names, _ = m.peer.endpoints("rt/")
    missing = {f"rt{t['topic']}" for t in about["published"]} - set(names)
    assert not missing, f"not published: {missing}"
    latched = {t["topic"] for t in about["published"] if "transient_local" in t["qos"]}
    readers = {t["topic"]: m.listen(t["topic"], transient_local=t["topic"] in latched) for t in about["published"]}
    kept = {topic: take(readers[topic]) for topic in latched}
    wait_for(lambda: all(kept[topic] or kept[topic].extend(take(readers[topic])) or kept[topic] for topic in latched))
    clock = readers["/clock"]
    first = gather(clock, WINDOW_S)
    messages = {topic: take(reader) for topic, reader in readers.items() if topic not in latched}
    messages["/clock"] = first + messages["/clock"]
    m.alive()
    return messages | kept


def status_of(diagnostics, name):
    """Returns one status of a report."""
    (found,) = [s for s in diagnostics.status if s.name == name]
    return found


def deaf(name, messages):
    """Returns whether a topic is the velocity of a receiver without a fix, which is not published.
    """
    fixes = messages.get(f"{name.removesuffix('/vel')}/fix", [])
    return name.endswith("/vel") and fixes and all(fix.status.status < 0 for fix in fixes)


def check_rates(m, messages):
    """Every topic has its rate in simulated time; the clock follows wall time."""
    about = describe(m.world)
    # a DVL pings less often at larger distance from the seabed
    slowest = {f"/{robot['name']}/{sensor['name']}": sensor["min_rate_hz"] / sensor["rate_hz"]
               for robot in about["robots"] for sensor in robot["sensors"]}
    for topic in about["published"]:
        name, rate, found = topic["topic"], topic["rate_hz"], messages[topic["topic"]]
        if deaf(name, messages):
            assert not found, f"{name}: a velocity without a fix"
            continue
        assert found, f"{name}: no message arrived"
        if rate is None or rate < 2 or name == "/diagnostics":
            continue
        stamps = [seconds(stamp_of(message)) for message in found]
        span = stamps[-1] - stamps[0]
        assert span > 3, f"{name}: {span} s of messages"
        found_rate = (len(stamps) - 1) / span
        # pings without bottom lock have no twist
        low = (0.6 if name.endswith("/twist") else 0.9) * slowest.get(name.rsplit("/", 1)[0], 1.0)
        assert low < found_rate / rate < 1.1, f"{name}: {found_rate:.2f} Hz, expected {rate}"
    for name in (t["topic"] for t in describe(m.world)["published"] if t["rate_hz"] == 1.0):
        if deaf(name, messages):
            continue
        assert 3 <= len(messages[name]) <= 7, f"{name}: {len(messages[name])} in {WINDOW_S} s"
    clock = [seconds(c.clock) for c in messages["/clock"]]
    assert abs((clock[-1] - clock[0]) / WINDOW_S - 1) < 0.15, f"clock: {clock[-1] - clock[0]} s in {WINDOW_S} s"


def stamp_of(message):
    return message.transforms[0].header.stamp if hasattr(message, "transforms") else message.header.stamp


def check_stamps(m, messages):
    """Stamps increase and are multiples of the step."""
    step = round(describe(m.world)["step_s"] * 1e9)
    clock = [nanoseconds(c.clock) for c in messages["/clock"]]
    assert clock == sorted(clock) and all(t % step == 0 for t in clock), "clock"
    for name, found in messages.items():
        if not found or name in ("/clock", "/tf_static") or not hasattr(found[0], "header") and not hasattr(found[0], "transforms"):
            continue
        stamps = [nanoseconds(stamp_of(message)) for message in found]
        off = [t for t in stamps if t % step]
        assert not off, f"{name}: {off[:3]} ns are no multiples of {step} ns"
        rising = name == "/diagnostics" or all(a < b for a, b in zip(stamps, stamps[1:]))
        assert rising, f"{name}: stamps do not rise"


def check_frames(m, messages):
    """Sensors use their frames; the tree agrees with `describe`, and is connected."""
    about = describe(m.world)
    for robot in about["robots"]:
        for sensor in robot["sensors"]:
            name = f"/{robot['name']}/{sensor['name']}"
            for topic in (topic for topic in messages if topic == name or topic.startswith(f"{name}/")):
                in_world = sensor["kind"] == "odometry" or (sensor["kind"], topic) in (("gnss", f"{name}/vel"), ("pressure", f"{name}/pose"))
                # z out of the instrument, as the message requires
                acoustic = "_acoustic" if sensor["kind"] == "dvl" and topic.endswith("/data") else ""
                frame = "world" if in_world else name[1:] + acoustic
                frames = {message.header.frame_id for message in messages[topic]}
                assert frames == {frame} or deaf(topic, messages), f"{topic}: frames {frames}, expected {frame}"
    edges = set()
    for topic, moves in (("/tf", True), ("/tf_static", False)):
        for message in messages[topic]:
            for t in message.transforms:
                q = t.transform.rotation
                assert abs(q.x**2 + q.y**2 + q.z**2 + q.w**2 - 1) < 1e-9, t
                edges.add((t.header.frame_id, t.child_frame_id, moves))
    expected = {(f["parent"], f["child"], f["moves"]) for f in about["frames"]}
    assert edges == expected, edges ^ expected
    parents = {child: parent for parent, child, _ in edges}
    assert len(parents) == len(edges), "a frame has two parents"
    for frame in parents:
        for _ in range(len(parents) + 1):
            frame = parents.get(frame, frame)
        assert frame == "world", f"{frame} hangs nowhere"


def mean(values):
    values = list(values)
    return sum(values) / len(values)


def check_imu(messages):
    """The accelerometer of a floating vehicle measures the support against gravity, upwards."""
    up = mean(m.linear_acceleration.z for m in messages)
    assert abs(up - GRAVITY) < 0.3, f"IMU: {up} m/s2 upwards"
    assert all(abs(m.linear_acceleration.x) < 1.5 for m in messages), "IMU: surge acceleration"
    first = messages[0]
    for covariance in (first.angular_velocity_covariance, first.linear_acceleration_covariance):
        assert all(0 < covariance[i] < 1 for i in (0, 4, 8)), covariance
        assert all(covariance[i] == 0 for i in (1, 2, 3, 5, 6, 7)), covariance
    assert first.orientation_covariance[0] != 0, "orientation without covariance"


def check_odometry(messages, child):
    for m in messages:
        assert m.child_frame_id == child, m.child_frame_id
        q = m.pose.pose.orientation
        assert abs(q.x**2 + q.y**2 + q.z**2 + q.w**2 - 1) < 1e-9, q
        assert m.pose.covariance[0] > 0 and m.twist.covariance[35] > 0, "no covariance"
    z = [m.pose.pose.position.z for m in messages]
    w = [m.twist.twist.linear.z for m in messages]
    drift = (z[-1] - z[0]) - mean(w) * (seconds(messages[-1].header.stamp) - seconds(messages[0].header.stamp))
    assert abs(drift) < 0.02, f"odometry: velocity and position disagree by {drift} m"


def height_at(truth, stamp):
    """Returns the height of the vehicle at a time, from the nearest odometry."""
    return min(truth, key=lambda o: abs(nanoseconds(o.header.stamp) - nanoseconds(stamp))).pose.pose.position.z


def check_dvl(messages, twists, truth, bottom_m):
    for m in messages:
        for v in m.beam_unit_vec:
            assert abs(v.x**2 + v.y**2 + v.z**2 - 1) < 1e-6, v
            assert v.z > 0.8, f"z points where the DVL does, so do its beams: {v}"
        if math.isfinite(m.altitude):
            altitude = bottom_m + height_at(truth, m.header.stamp) + 0.08
            assert abs(m.altitude - altitude) < 0.2, f"DVL altitude {m.altitude}, expected {altitude}"
        assert m.velocity_mode in (1, 2) and abs(m.sound_speed - 1482) < 1, m
    locked = [m for m in messages if m.velocity_covar[0] > 0]
    assert len(locked) > 0.6 * len(messages), f"{len(locked)} of {len(messages)} pings locked"
    assert all(abs(m.velocity.x) < 0.3 and m.num_good_beams >= 3 for m in locked), "DVL velocity"
    by_time = {nanoseconds(m.header.stamp): m for m in messages}
    for twist in twists:
        ping = by_time.get(nanoseconds(twist.header.stamp))
        if ping is not None:
            there, here = twist.twist.twist.linear, ping.velocity
            assert (there.x, there.y, there.z) == (here.x, -here.y, -here.z), "twist and ping differ by more than their frames"
        assert twist.twist.covariance[0] > 0 and twist.twist.covariance[35] > 0, "twist without covariance"


def check_pressure(messages, truth):
    for m in messages:
        depth = -height_at(truth, m.header.stamp) - 0.02
        found = (m.fluid_pressure - AIR) / (1000 * GRAVITY)
        assert abs(found - depth) < 0.06, f"pressure says {found} m, truth {depth} m"
        assert m.variance > 0, "pressure without variance"


def check_altimeter(messages, truth, bottom_m):
    for m in messages:
        expected = bottom_m + height_at(truth, m.header.stamp) - 0.1
        assert abs(m.range - expected) < 0.25, f"altimeter {m.range}, expected {expected}"
        assert m.radiation_type == 0 and m.min_range < m.range < m.max_range and m.field_of_view > 0, m


def check_magnetometer(messages):
    for m in messages:
        b = m.magnetic_field
        assert 2e-5 < math.sqrt(b.x**2 + b.y**2 + b.z**2) < 7e-5, b
        assert m.magnetic_field_covariance[0] > 0, "no covariance"


def check_no_fix(messages):
    """Under water there is no position, and the message reports it."""
    for m in messages:
        assert m.status.status == -1, m.status
        assert math.isnan(m.latitude) and math.isnan(m.longitude) and math.isnan(m.altitude), m
        assert m.position_covariance_type == 0 and not any(m.position_covariance), m


def check_battery(messages):
    for m in messages:
        assert 12 < m.voltage < 17 and m.current < 0 and 0.9 < m.percentage <= 1 and m.present, m
        assert m.design_capacity == 18 and m.power_supply_status == 2, m


def check_joints(m, messages, joints):
    for message in messages:
        assert list(message.name) == joints, message.name
        assert len(message.position) == len(message.velocity) == len(message.effort) == len(joints), message
        assert all(map(math.isfinite, [*message.position, *message.velocity, *message.effort])), message
    start = {"base": 0.0309, "shoulder": 0.0775, "elbow": 0.0274, "wrist": -1.269}
    for name, position in zip(joints, messages[0].position):
        assert abs(position - start[name]) < 0.7, f"{name} at {position}, started at {start[name]}"
    # a joint moves to its command, or at least in that direction
    before = latest(m.listen("/uvms/joint_states")).position[1]
    states = m.listen("/uvms/joint_states")
    stamp = peer.message_type("builtin_interfaces/msg/Time")(sec=0, nanosec=0)
    header = peer.message_type("std_msgs/msg/Header")(stamp=stamp, frame_id="")
    for _ in range(20):
        m.write("/uvms/joint_commands", header=header, name=["shoulder"], position=[before + 0.5], velocity=[],
                effort=[5.0])
        last = gather(states, 0.05)[-1].position[1]
    assert last > before + 0.05, f"the shoulder went from {before} to {last}"


def check_description(m, robot):
    """The description reaches late subscribers, equals the URDF of `describe`, and has the links of
    the tree.
    """
    late = m.listen(f"/{robot}/robot_description", transient_local=True, depth=1)
    root = xml.fromstring(latest(late).data)
    assert root.tag == "robot", root.tag
    links = {link.get("name") for link in root.iter("link")}
    joined = {joint.find(side).get("link") for joint in root.iter("joint") for side in ("parent", "child")}
    assert joined <= links and len(joined) in (0, len(links)), links ^ joined
    expected = {f["child"] for f in describe(m.world)["frames"] if f["child"].startswith(f"{robot}/")}
    named = {name.rsplit("/", 1)[-1] for name in links}
    assert named <= {name.rsplit("/", 1)[-1] for name in expected}, f"links {links} are not in TF"


def check_diagnostics(messages, robots):
    """Pace, rejected messages, batteries and thrusters are in every report, all with status OK."""
    for message in messages:
        status = {s.name: {v.key: v.value for v in s.values} for s in message.status}
        run = status["merrow: run"]
        assert int(run["overruns"]) >= 0 and int(run["dropped messages"]) == 0, json.dumps(run)
        assert int(run["refused requests"]) == 0, json.dumps(run)
        for robot in robots:
            name = robot["name"]
            assert int(status[f"{name}: commands"]["refused commands"]) == 0
            assert float(status[f"{name}: battery"]["current [A]"]) > 0
            for thruster in robot["thrusters"]:
                values = status[f"{name}: thruster {thruster['name']}"]
                assert 0 < float(values["temperature [deg C]"]) < 60, values
                assert float(values["current [A]"]) >= 0, values


CHECKS = [check_topics_of_the_pool, check_announced_qos, check_topics_of_an_arm, check_topics_of_a_torpedo, check_fix_at_the_surface]
