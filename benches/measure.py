"""Runs the built programs alternately and returns their times. Targets and page are defined in report.py."""

import json
import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from build import FOLDER, HERE, ROBOT, SCENES, Failed, run

FLEET = "fleet_100"
# conditions of the only published many-vehicle benchmark of another simulator
LOTUSIM_FLEET = HERE / "lotusim_100.yaml"
FLEET_SECONDS = 60
LOTUSIM_SECONDS = 600

# a real-time run: the node starts and is discovered, then its CPU time is measured
ROS_SETTLE_S = 8
ROS_WINDOW_S = 20
ROS_SECONDS = ROS_SETTLE_S + ROS_WINDOW_S + 4


def middle(samples):
    """Returns median, minimum and maximum."""
    return {"median": statistics.median(samples), "min": min(samples), "max": max(samples)}


def kernels(programs, rounds):
    """Returns the times of the kernel bench and of the other programs [ns], by program and row."""
    commands = {"merrow": [programs.kernel]}
    for name, program in programs.pinocchio.items():
        commands[f"pinocchio {name}"] = [program, FOLDER / "pinocchio.txt"]
    commands["mujoco"] = [programs.mujoco, FOLDER / "mujoco.xml"]
    taken = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            taken[name].append(json.loads(run(command)))
    for name, results in taken.items():
        if name != "merrow":
            same_robot(programs, name, results[0])
    return {
        name: {row: middle([result[row] for result in results]) for row in results[0] if row not in ("nv", "mass_kg")}
        for name, results in taken.items()
    }


# keys of the times of a contact case; all other keys are residuals
CONTACT_TIMES = ("moving", "at rest")
# integrators measured in MuJoCo, with both friction cones
CONTACT_INTEGRATORS = {"uvms_on_floor": ("Euler", "implicitfast", "RK4"), "pile_50": ("Euler", "implicitfast")}


def contacts(programs, rounds):
    """Returns, by world and by setting of Merrow and MuJoCo: step times [ns], residuals of the first round."""
    scenes = json.loads(SCENES.read_text())
    taken = {scene["name"]: [] for scene in scenes}
    for _ in range(rounds):
        for scene in scenes:
            spans = [scene["steps"][key] for key in ("moving", "settled", "resting", "samples")]
            ours = json.loads(run([programs.contact, scene["name"]]))
            model, tried = FOLDER / f"mujoco_{scene['name']}.xml", CONTACT_INTEGRATORS[scene["name"]]
            theirs = json.loads(run([programs.mujoco_contact, model, *spans, *tried]))
            cases = {f"Merrow {name}": measured_cases for name, measured_cases in ours.items()}
            taken[scene["name"]].append(cases | {f"MuJoCo {name}": measured_cases for name, measured_cases in theirs.items()})
    return {
        world: {
            name: first | {key: middle([result[name][key] for result in results]) for key in CONTACT_TIMES}
            for name, first in results[0].items()
        }
        for world, results in taken.items()
    }


def same_robot(programs, name, result):
    """Raises an error if another program simulates a different robot."""
    world, robot, _ = ROBOT
    described = json.loads(run([programs.merrow, "describe", world, "--json"]))
    ours = next(one for one in described["robots"] if one["name"] == robot)
    freedoms = 6 + len(ours["joints"])
    if result["nv"] != freedoms or abs(result["mass_kg"] - ours["mass_kg"]) > 1e-6:
        raise Failed(
            f"{name} has a different robot: {result['nv']} degrees of freedom and {result['mass_kg']} kg, "
            f"expected {freedoms} and {ours['mass_kg']} kg"
        )


def fleets(programs, rounds):
    """Returns real-time factors and peak memory of full runs at maximum speed."""
    cases = {
        "two threads": (FLEET, FLEET_SECONDS, 2),
        "one thread": (FLEET, FLEET_SECONDS, 1),
        "lotusim": (LOTUSIM_FLEET, LOTUSIM_SECONDS, 2),
    }
    taken = {name: [] for name in cases}
    for _ in range(rounds):
        for name, (world, seconds, threads) in cases.items():
            arguments = ["--pace", "max", "--for", seconds, "--threads", threads, "--no-ros"]
            taken[name].append(Run(programs, world, arguments).finish())
    for name, results in taken.items():
        for result in results:
            result["per_processor_s"] = result["simulated_s"] / result["processor_s"]
        if len({result["state_hash"] for result in results}) != 1:
            raise Failed(f"{name}: the same run ended in different states")
    keys = ("real_time_factor", "per_processor_s", "peak_mb")
    measured_cases = {
        name: {key: middle([result[key] for result in results]) for key in keys} for name, results in taken.items()
    }
    for name, threads in (("mixed, two threads", 2), ("mixed, one thread", 1)):
        results = [json.loads(run([programs.kernel, "--mixed", threads])) for _ in range(rounds)]
        if len({result["state_hash"] for result in results}) != 1:
            raise Failed(f"{name}: the same run ended in different states")
        measured_cases[name] = {"real_time_factor": middle([result["real_time_factor"] for result in results])}
    return measured_cases


class Run:
    """A running `merrow run --json` process."""

    def __init__(self, programs, world, arguments, environment=None):
        command = [programs.merrow, "run", world, "--json", *arguments]
        self.errors = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            [str(part) for part in command], stdout=subprocess.PIPE, stderr=self.errors, text=True, env=environment
        )

    def processor_s(self):
        """Returns the CPU time of all its threads so far [s]."""
        try:
            fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        except FileNotFoundError:
            raise Failed("merrow ended too early") from None
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def finish(self):
        """Waits for the end and returns its summary with `peak_mb` and `processor_s`."""
        printed = self.process.stdout.read()
        _, status, usage = os.wait4(self.process.pid, 0)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        self.errors.seek(0)
        stderr_text = self.errors.read()
        if self.process.returncode != 0:
            raise Failed(f"merrow run ended with exit code {self.process.returncode}: {stderr_text.strip()}")
        # a halted robot is not simulated
        if " was halted at " in stderr_text:
            raise Failed(f"a robot stopped during a measurement: {stderr_text.splitlines()[0]}")
        used = {"peak_mb": usage.ru_maxrss * 1024 / 1e6, "processor_s": usage.ru_utime + usage.ru_stime}
        return json.loads(printed) | used

    def end(self):
        """Terminates the process if it is still running."""
        if self.process.returncode is None and self.process.poll() is None:
            self.process.terminate()
            self.process.wait()


def real_time(programs):
    """Runs the fleet in real time as a ROS node, without subscribers and with one Cyclone DDS subscriber
    of all IMU topics.
    """
    return {"alone": ros_run(programs, False), "subscribed": ros_run(programs, True)}


def ros_run(programs, subscribed):
    """Makes one real-time run and measures its CPU time after the node has started up."""
    domain = 60 + os.getpid() % 40
    environment = os.environ | {"ROS_DOMAIN_ID": str(domain)}
    node = Run(programs, FLEET, ["--for", ROS_SECONDS], environment)
    subscriber = None
    try:
        if subscribed:
            script = HERE / "peers" / "subscriber.py"
            command = [programs.python, script, domain, ROS_SETTLE_S, ROS_WINDOW_S, *imu_topics(programs)]
            subscriber = subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE, text=True)
        time.sleep(ROS_SETTLE_S)
        before, start = node.processor_s(), time.monotonic()
        time.sleep(ROS_WINDOW_S)
        after, stop = node.processor_s(), time.monotonic()
        result = node.finish() | {"processor_percent": 100 * (after - before) / (stop - start)}
        if subscriber:
            result["subscriber"] = json.loads(subscriber.communicate()[0] or "null")
        return result
    finally:
        node.end()
        if subscriber and subscriber.poll() is None:
            subscriber.terminate()
            subscriber.wait()


def imu_topics(programs):
    """Returns all IMU topics of the fleet."""
    described = json.loads(run([programs.merrow, "describe", FLEET, "--json"]))
    return [one["topic"] for one in described["published"] if one["type"] == "sensor_msgs/msg/Imu"]
