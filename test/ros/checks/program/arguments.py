"""Checks of end_to_end.py: command line arguments and environment variables of ROS users."""

import os
import subprocess

import live
from live import LOG, Merrow, command, describe, latest, take, wait_for

SPEED = "water.current.speed_m_s"


def topics(m):
    """Returns the topics that the node publishes and subscribes."""
    return [set(names) for names in m.peer.endpoints("r")]


def check_remap():
    """Published and subscribed topics and services can be remapped."""
    rules = ["-r", "/bluerov2/odometry:=/elsewhere/odom", "-r", "bluerov2/thrusters/t1/command:=left/drive",
             "-r", "~/pause:=/halt"]
    with Merrow("pool", "--pace", "lockstep", ros=rules) as m:
        written, read = topics(m)
        assert "rt/elsewhere/odom" in written and "rt/bluerov2/odometry" not in written, written
        assert wait_for(lambda: "rt/left/drive" in topics(m)[1]), topics(m)[1]
        assert "rt/bluerov2/thrusters/t1/command" not in topics(m)[1], "still under its old name"
        assert "rq/haltRequest" in read and "rq/merrow/pauseRequest" not in read, read
        odometry = m.listen("/elsewhere/odom", "nav_msgs/msg/Odometry")
        m.write("/left/drive", "std_msgs/msg/Float64", data=1.0)
        m.step(251)
        assert wait_for(lambda: any(o.twist.twist.linear.x > 0.05 for o in take(odometry))), "it does not move"


def check_node_and_namespace():
    """`__node` and `__ns` change relative and private names, and do not change /clock and /tf."""
    ros = ["-r", "__ns:=/sea", "--remap", "__node:=simulator"]
    with Merrow("pool", ros=ros, node="/sea/simulator") as m:
        written, read = topics(m)
        for name in ("rt/sea/bluerov2/imu/data", "rt/clock", "rt/tf", "rt/tf_static", "rt/diagnostics", "rt/rosout"):
            assert name in written, f"{name} is not in {written}"
        assert "rq/sea/simulator/resetRequest" in read, read
        assert m.get("pace") == "realtime"
        assert wait_for(lambda: "/sea/simulator" in m.output()[0]), m.output()[0]


def check_parameter_arguments():
    """`-p` and `--params-file` set parameters before the run; the command line has priority;
    unknown parameters give a warning.
    """
    with Merrow("pool", connect=False) as other:
        other.process.kill()
        file = other.path / "parameters.yaml"
        file.write_text("/merrow:\n  ros__parameters:\n    water:\n      density_kg_m3: 1025.5\n"
                        "      current: {speed_m_s: 0.3, direction_deg: 90.0}\n"
                        "/**:\n  ros__parameters:\n    bluerov2.pressure.noise: false\n"
                        "/other:\n  ros__parameters:\n    water.temperature_c: 4.0\n", encoding="utf-8")
        ros = ["--params-file", file, "-p", f"{SPEED}:=0.6", "-p", "no.such.thing:=3"]
        with Merrow("pool", "--pace", "lockstep", ros=list(map(str, ros))) as m:
            found = {name: m.get(name) for name in ("water.density_kg_m3", SPEED, "bluerov2.pressure.noise",
                                                    "water.current.direction_deg", "water.temperature_c")}
            assert list(found.values()) == [1025.5, 0.6, False, 90.0, 20.0], found
            odometry = m.listen("/bluerov2/odometry")
            m.step(2501)
            assert wait_for(lambda: any(o.pose.pose.position.x > 0.3 for o in take(odometry))), "no drift to the east"
            log = m.listen("/rosout", LOG, transient_local=True)
            lines = []
            assert wait_for(lambda: lines.extend(take(log)) or any("no.such.thing" in line.msg for line in lines)), \
                [line.msg for line in lines]
            assert "no.such.thing" in m.output()[1], m.output()[1]


def warnings(m):
    """Returns the warnings of Merrow, without the warnings of an RMW about the peers of the checks."""
    return [line for line in m.output()[1].splitlines() if "WARN" in line and "[rmw_" not in line]


def check_log_level():
    """`--log-level` suppresses less severe messages, on the console and on /rosout."""
    with Merrow("pool", ros=["--log-level", "ERROR", "-p", "no.such.thing:=3"]) as m:
        m.set_pose("bluerov2", (float("nan"), 0, 0))
        log = m.listen("/rosout", LOG, transient_local=True)
        assert not wait_for(lambda: [line for line in take(log) if line.level < 40], 0.7)
        assert not warnings(m), m.output()[1]
    with Merrow("pool", ros=["--log-level", "debug", "--disable-stdout-logs"]) as m:
        m.set_pose("bluerov2", (float("nan"), 0, 0))
        log = m.listen("/rosout", LOG, transient_local=True)
        assert latest(log).level >= 10
        assert not warnings(m), m.output()[1]


def check_invalid_arguments():
    """A wrong argument ends the program with one line that names it, and with an exit code other
    than 0.
    """
    with live.Domain() as domain:
        for arguments, named in (
            (["-r", "nonsense"], "nonsense"),
            (["-r", "/clock:=b c"], "b c"),
            (["-r", "__node:=not/a/name"], "not/a/name"),
            (["-p", "speed"], "speed"),
            (["-p", f"{SPEED}:=hello"], SPEED),
            (["-p", f"{SPEED}:=-1.0"], SPEED),
            (["-p", "pace:=sideways"], "pace"),
            (["-p", "pace:=0"], "a factor above 0"),
            (["-p", "pace:=true"], "a factor above 0"),
            (["-p", f"{SPEED}:=1"], "write 1.0"),
            (["-p", "bluerov2.thrusters.t1.state:=1"], "healthy, stuck or dead"),
            (["--log-level", "LOUD"], "LOUD"),
            (["--params-file", "/nowhere.yaml"], "/nowhere.yaml"),
            (["--params-file"], "--params-file"),
            (["--bogus"], "--bogus"),
        ):
            code, _, err = command("run", "pool", "--for", 1, "--ros-args", *arguments, domain=domain)
            assert code not in (0, 101), f"{arguments}: exit code {code}"
            assert len(err) == 1 and named in err[0], f"{arguments}: {err}"
        for arguments in (["run", "nowhere"], ["run", "pool", "--pace", "fast"], ["run", "pool", "--for", "-1"],
                          ["run", "pool", "--for", "nan"], ["swim"], []):
            code, _, err = command(*arguments, domain=domain)
            assert code not in (0, 101) and err, f"{arguments}: exit code {code}"


def check_invalid_environment():
    """An invalid environment variable is reported in one line."""
    for name, value in (("ROS_DOMAIN_ID", "abc"), ("ROS_DOMAIN_ID", "4000"), ("ROS_LOCALHOST_ONLY", "perhaps"),
                        ("ROS_AUTOMATIC_DISCOVERY_RANGE", "FAR")):
        done = subprocess.run([live.BINARY, "run", "pool", "--for", "1"], env=os.environ | {name: value}, timeout=20,
                              capture_output=True, text=True, check=False)
        lines = done.stderr.splitlines()
        assert done.returncode not in (0, 101) and len(lines) == 1 and name in lines[0], f"{name}={value}: {lines}"


def check_describe_and_check():
    """`describe` and `check` accept every shipped world."""
    code, out, _ = command("list", "--json")
    assert code == 0 and "pool" in out, out
    for world in ("pool", "open_water", "uvms_pool", "fleet_100"):
        assert command("check", world)[0] == 0, world
        assert describe(world)["published"], world


CHECKS = [check_remap, check_node_and_namespace, check_parameter_arguments, check_log_level, check_invalid_arguments,
          check_invalid_environment, check_describe_and_check]
