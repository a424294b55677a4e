#!/usr/bin/env python3
"""Runs missions of MOOS-IvP with their real programs against Merrow, which takes the place of their simulator.

    MERROW_MOOS=FOLDER python3 test/moos/missions.py target/debug/merrow [--warp N] [NAME...]

FOLDER contains MOOSDB, pAntler and the other programs, and is the folder `bin` of a clone of moos-ivp
(docs/guides/moos.md, docs/tutorials/moos.md). Without it the missions are skipped with a message. Prints `ok NAME: numbers` or
`FAIL NAME: why`; the exit code is 1 if one failed.
"""

import argparse
import math
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
# lines of a mission file that Merrow replaces, and those of programs with a window
REMOVED = re.compile(r"^\s*Run\s*=\s*(uSimMarine(V2\d)?|pMarineViewer)\b")
DATABASE = re.compile(r"^\s*Run\s*=\s*MOOSDB\b")
ALPHA = """description: Forest Lake for the mission s1_alpha
origin: {latitude_deg: 43.8253, longitude_deg: -70.3304}
seabed: {depth_m: 15}
robots:
  alpha: {model: MODEL, position_m: [0, -20, 0], attitude_deg: [0, 0, -90]}
"""


BO_ALPHA = """description: Forest Lake for the mission m34_bo_alpha
origin: {latitude_deg: 43.8253, longitude_deg: -70.3304}
seabed: {depth_m: 15}
# uSimMarine drives 1.4 m/s with the 28 % of the mission, and a Heron 0.57 m/s
robots:
  abe: {model: MODEL, position_m: [-10, -30, 0], attitude_deg: [0, 0, -90], moos: {port: ABE, community: abe, thrust_gain: 2.6}}
  ben: {model: MODEL, position_m: [150, -130, 0], attitude_deg: [0, 0, 90], moos: {port: BEN, community: ben, thrust_gain: 2.6}}
"""


class Processes:
    """Started programs, which end with the block."""

    def __init__(self, programs, folder):
        self.environment = {**os.environ, "PATH": f"{programs}:{programs.parent / 'scripts'}:{os.environ['PATH']}"}
        self.folder, self.running = folder, []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in reversed(self.running):
            for number in (signal.SIGINT, signal.SIGKILL):
                try:
                    os.killpg(process.pid, number)
                    process.wait(10)
                    break
                except (ProcessLookupError, subprocess.TimeoutExpired):
                    continue

    def start(self, *command):
        log = open(self.folder / f"{len(self.running)}.log", "w")
        process = subprocess.Popen(command, cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL, stdout=log,
                                   stderr=subprocess.STDOUT, start_new_session=True)
        self.running.append(process)
        return process

    def run(self, *command):
        return subprocess.run(command, cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL, text=True,
                              capture_output=True, timeout=60).stdout

    def text(self, process):
        return (self.folder / f"{self.running.index(process)}.log").read_text()


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def wait(seconds, is_done, found):
    """Waits until a condition holds; otherwise says what was found."""
    end = time.monotonic() + seconds
    while not is_done():
        assert time.monotonic() < end, found()
        time.sleep(1)


def adapted(mission, warp):
    """Returns a mission with this time warp and a free port: other communities of the machine stay apart."""
    port = free_port()
    mission = re.sub(r"(?m)^MOOSTimeWarp\s*=.*", f"MOOSTimeWarp = {warp}", mission)
    return re.sub(r"(?m)^ServerPort\s*=.*", f"ServerPort = {port}", mission)


def logged(folder, name="*"):
    """Returns the values of the logs of this name by their variable: lists of (time, value)."""
    values = {}
    for log in folder.glob(f"{name}/*.alog"):
        for line in log.read_text(errors="replace").splitlines():
            parts = line.split(None, 3)
            if len(parts) == 4 and parts[0][0].isdigit():
                values.setdefault(parts[1], []).append((float(parts[0]), parts[3].strip()))
    return values


def without(source, has_server=True):
    """Returns a mission without the lines of the simulator and of the window, and without that of the MOOSDB for our
    own one."""
    lines = [line for line in source.splitlines() if not REMOVED.match(line)]
    return "\n".join(line for line in lines if has_server or not DATABASE.match(line)) + "\n"


def alpha(program, missions, processes, warp, model, has_server=True):
    """The helm drives five points and returns, as its mission file says; only the lines of the simulator and of the
    window are removed, and that of the MOOSDB for our own one."""
    folder = processes.folder
    source = (missions / "s1_alpha/alpha.moos").read_text()
    (folder / "alpha.moos").write_text(adapted(without(source, has_server), warp))
    (folder / "alpha.bhv").write_text((missions / "s1_alpha/alpha.bhv").read_text())
    (folder / "lake.yaml").write_text(ALPHA.replace("MODEL", model))
    if not has_server:
        processes.start(program, "moos", "serve", "alpha.moos")
    processes.start("pAntler", "alpha.moos")
    time.sleep(3)
    world = processes.start(program, "run", "lake.yaml", "--no-ros", "--pace", str(warp), "--moos=alpha.moos")
    end = time.monotonic() + 60
    while "connected to the community" not in processes.text(world):
        assert time.monotonic() < end, processes.text(world)
        time.sleep(0.2)
    time.sleep(2)
    processes.run("uPokeDB", "alpha.moos", "DEPLOY=true", "MOOS_MANUAL_OVERRIDE=false", "RETURN=false")
    end = time.monotonic() + 3600 / warp + 60
    while not any(value == "complete" for _, value in logged(folder).get("MISSION", [])):
        assert time.monotonic() < end, f"not complete: {logged(folder).get('NAV_X', [])[-1:]}, {processes.text(world)[-500:]}"
        time.sleep(2)
    values = logged(folder)
    deployed = next(at for at, value in values["DEPLOY"] if value == "true")
    done = next(at for at, value in values["MISSION"] if value == "complete")
    at = [next(float(v) for t, v in reversed(values[key]) if t <= done) for key in ("NAV_X", "NAV_Y")]
    assert abs(at[0]) < 4 and abs(at[1] + 20) < 4, at
    fast = max(float(value) for _, value in values["NAV_SPEED"])
    return f"five points and the return in {done - deployed:.0f} s of mission time, up to {fast:.2f} m/s, with {model} at warp {warp}"


def bo_alpha(program, missions, processes, warp, model, has_server=True):
    """Two Herons with a shore: each loiters, they change their places every three minutes between obstacles, and avoid
    these and each other. Programs of the mission count collisions. Its launch scripts make the files; only the lines of
    the simulator and of the window are removed, and the ports are free ones."""
    folder = processes.folder
    shutil.copytree(missions / "m34_bo_alpha", folder, dirs_exist_ok=True)
    for name in ("meta_vehicle.moos", "meta_shoreside.moos"):
        (folder / name).write_text(without((folder / name).read_text(), has_server))
    processes.run("bash", "./launch.sh", "--just_make", "--nogui", str(round(warp)))
    first = free_port()
    ports = {str(9000 + k): str(first + k) for k in range(3)} | {str(9200 + k): str(first + 100 + k) for k in range(3)}
    communities = ("abe", "ben", "shoreside")
    for name in communities:
        path = folder / f"targ_{name}.moos"
        path.write_text(re.sub(r"\b9[02]0[012]\b", lambda port: ports[port.group()], path.read_text()))
    (folder / "lake.yaml").write_text(BO_ALPHA.replace("MODEL", model).replace("ABE", ports["9001"]).replace("BEN", ports["9002"]))
    for name in communities:
        if not has_server:
            processes.start(program, "moos", "serve", f"targ_{name}.moos")
        processes.start("pAntler", f"targ_{name}.moos")
    time.sleep(4)
    world = processes.start(program, "run", "lake.yaml", "--no-ros", "--pace", str(warp))
    wait(60, lambda: processes.text(world).count("connected to the community") == 2, lambda: processes.text(world))
    # the brokers of the vehicles find the shore
    wait(60, lambda: logged(folder, "XLOG*").get("NODE_REPORT"), lambda: "the shore has no reports of the vehicles")
    processes.run("uPokeDB", "targ_shoreside.moos", "DEPLOY_ALL=true", "MOOS_MANUAL_OVERRIDE_ALL=false", "AVOID_ALL=true",
                  "RETURN_ALL=false", "STATION_KEEP_ALL=false")

    def tracks():
        """Positions of both vehicles by the second, from the reports that reached the shore."""
        found = {"abe": {}, "ben": {}}
        for at, report in logged(folder, "XLOG*").get("NODE_REPORT", []):
            value = dict(part.split("=", 1) for part in report.split(",") if "=" in part)
            if value.get("NAME") in found:
                found[value["NAME"]][round(at)] = (float(value["X"]), float(value["Y"]))
        return found

    def legs(track):
        """Which loiter places a vehicle has reached: that in the west, and that in the east."""
        return [any(math.hypot(x - east, y + 72) < 45 for x, y in track.values()) for east in (0, 145)]

    wait(2400 / warp + 60, lambda: all(all(legs(track)) for track in tracks().values()),
         lambda: f"places not reached: {[(name, legs(track), list(track.values())[-1:]) for name, track in tracks().items()]}")
    abe, ben = tracks().values()
    common = sorted(set(abe) & set(ben))
    closest = min(math.dist(abe[at], ben[at]) for at in common)
    counts = logged(folder, "XLOG*")
    last = lambda name: float(counts[name][-1][1]) if name in counts else 0
    collisions = [last("COLLISION_TOTAL"), last("OB_TOTAL_COLLISIONS")]
    assert collisions == [0, 0], f"{collisions[0]:.0f} collisions of the vehicles, {collisions[1]:.0f} with obstacles"
    return (f"both vehicles changed their places in {common[-1] - common[0]} s of mission time, {closest:.1f} m or more from each other, "
            f"{last('OB_TOTAL_ENCOUNTERS'):.0f} encounters with obstacles, no collision, with {model} at warp {warp}")


def gap(box, x, y):
    """Returns the distance of a point to a box of the script of pFLSim, negative inside [m]."""
    value = {name.strip(): float(number) for name, number in (part.split("=") for part in box.split(","))}
    angle = math.radians(value.get("rotation", 0))
    east, north = x - value["x"], y - value["y"]
    along = abs(east * math.cos(angle) + north * math.sin(angle)) - value["length"] / 2
    across = abs(north * math.cos(angle) - east * math.sin(angle)) - value["width"] / 2
    outside = math.hypot(max(along, 0), max(across, 0))
    return outside or max(along, across)


def replanner(program, _, processes, warp):
    """The re-planner leads a REMUS 100 past the boxes that its sonar reports, at constant depth, with MOOSDB, pLogger and
    pMarinePIDV22."""
    folder = processes.folder
    mission = (ROOT / "examples/moos_replanner/replanner.moos").read_text()
    (folder / "replanner.moos").write_text(adapted(mission, warp))
    boxes = re.findall(r"(?m)^\s*Obstacle = (.*)$", mission)
    waypoints = [tuple(map(float, point.split(","))) for point in re.findall(r"(?m)^\s*Waypoint = (.*)$", mission)]
    own = pathlib.Path(program).parent / "moos_replanner"
    assert own.is_file(), f"found no {own}; run: cargo build -p moos_replanner"
    processes.start("pAntler", "replanner.moos")
    time.sleep(3)
    for name in ("pFLSim", "pVPMPlanner"):
        processes.start(str(own), name, "replanner.moos")
    # the controller takes the place of the firmware
    world = processes.start(program, "run", "moos_replanner", "--no-ros", "--pace", str(warp), "--moos=replanner.moos",
                    "--set", "robots.remus.moos.set_points=false")
    end = time.monotonic() + 60
    while "connected to the community" not in processes.text(world):
        assert time.monotonic() < end, processes.text(world)
        time.sleep(0.2)
    end = time.monotonic() + 1500 / warp + 60
    while not any(value == "finished" for _, value in logged(folder).get("VPM_STATE", [])):
        # pMarinePIDV22 begins in manual control, and a message before its start is lost
        processes.run("uPokeDB", "replanner.moos", "MOOS_MANUAL_OVERRIDE=false")
        assert time.monotonic() < end, f"not finished: {logged(folder).get('VPM_STATE', [])[-1:]}, {processes.text(world)[-300:]}"
        time.sleep(2)
    values = logged(folder)
    done = next(at for at, value in values["VPM_STATE"] if value == "finished")
    track = [(float(x), float(y)) for (at, x), (_, y) in zip(values["NAV_X"], values["NAV_Y"]) if at < done]
    closest, *place = min((gap(box, x, y), x, y, box) for x, y in track for box in boxes)
    assert closest > 0, f"inside of a box: {closest:.2f} m at {place}"
    for x, y in waypoints:
        missed = min(math.hypot(x - east, y - north) for east, north in track)
        assert missed < 26, f"{missed:.1f} m from the way-point {x}, {y}"
    begin = values["VPM_STATE"][0][0]
    cruise = [float(depth) for at, depth in values["NAV_DEPTH"] if begin + 90 < at < done]
    assert all(2 < depth < 4 for depth in cruise), (min(cruise), max(cruise))
    return (f"{len(waypoints)} way-points in {done - begin:.0f} s of mission time, {closest:.1f} m from the nearest box, depth "
            f"{min(cruise):.2f} to {max(cruise):.2f} m, at warp {warp}")


def lock_step(program, _, processes, warp):
    """Runs of the re-planner in lock-step with a real MOOSDB have the same state. (pLogger does not keep up with this pace;
    the logs of examples/moos_replanner are equal, too.)"""
    folder = processes.folder
    mission = (ROOT / "examples/moos_replanner/replanner.moos").read_text()
    mission = "\n".join(line for line in mission.splitlines() if "Run = pMarinePIDV22" not in line) + "\n"
    own = pathlib.Path(program).parent / "moos_replanner"
    assert own.is_file(), f"found no {own}; run: cargo build -p moos_replanner"
    hashes, seconds = [], []
    for k in range(4):
        part = folder / str(k)
        part.mkdir()
        (part / "replanner.moos").write_text(adapted(mission, 1))
        with Processes(pathlib.Path(processes.environment["PATH"].split(":")[0]), part) as running:
            running.start("pAntler", "replanner.moos")
            time.sleep(3)
            for name in ("pFLSim", "pVPMPlanner"):
                running.start(str(own), name, "replanner.moos")
            start = time.monotonic()
            world = running.start(program, "run", "moos_replanner", "--no-ros", "--pace", "max", "--for", "300", "--moos=replanner.moos",
                                  "--set", "robots.remus.moos.lock_step=[pFLSim, pVPMPlanner]")
            world.wait(300)
            seconds.append(time.monotonic() - start)
            hashes.append(re.search(r"state hash: (\w+)", running.text(world)).group(1))
    assert len(set(hashes)) == 1, hashes
    return f"{len(hashes)} times 300 s in {min(seconds):.0f} to {max(seconds):.0f} s, with one state hash"


MISSIONS = {
    "bo_alpha_heron": lambda *arguments: bo_alpha(*arguments, "heron"),
    "bo_alpha_own_server": lambda *arguments: bo_alpha(*arguments, "heron", has_server=False),
    "alpha_own_server": lambda *arguments: alpha(*arguments, "wamv", has_server=False),
    "lock_step": lock_step,
    "replanner": replanner,
    "alpha_heron": lambda *arguments: alpha(*arguments, "heron"),
    "alpha_wamv": lambda *arguments: alpha(*arguments, "wamv"),
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--warp", type=float, default=10)
    arguments = parser.parse_intermixed_args()
    # the programs that were started end with this one
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    programs = os.environ.get("MERROW_MOOS")
    if not programs:
        print("skipped: set MERROW_MOOS to the folder bin of a built moos-ivp")
        return 0
    programs = pathlib.Path(programs).resolve()
    failed = False
    for name in arguments.names or MISSIONS:
        with tempfile.TemporaryDirectory(prefix="merrow-moos-") as folder:
            with Processes(programs, pathlib.Path(folder)) as processes:
                try:
                    program = str(pathlib.Path(arguments.program).resolve())
                    numbers = MISSIONS[name](program, programs.parent / "ivp/missions", processes, arguments.warp)
                    print(f"ok {name}: {numbers}", flush=True)
                except AssertionError as why:
                    failed = True
                    print(f"FAIL {name}: {why}", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
