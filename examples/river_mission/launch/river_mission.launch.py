"""Starts the river mission with one pair, and scores it: the simulator, and the nodes of this example, or Nav2 and
robot_localization in place of those that navigate the boat.

    ros2 launch examples/river_mission/launch/river_mission.launch.py navigation:=nav2

Further arguments are those of sim.launch.py, such as view:=true.
"""

import json
import os
import shlex
import shutil
import subprocess
import sys

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, ExecuteProcess, IncludeLaunchDescription, OpaqueFunction, Shutdown
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration
from launch_ros.substitutions import ExecutableInPackage, FindPackageShare

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLE = os.path.dirname(HERE)
# folders in which cargo builds the program
BUILT = [os.path.join(EXAMPLE, "..", "..", "target", profile) for profile in ("release", "debug")]

ARGUMENTS = {
    "navigation": ("own", "own: the nodes of this example; nav2: Nav2 and robot_localization drive the boat"),
    "pace": ("realtime", "realtime, or a speed factor; below 1 for machines that render the cameras too slowly"),
    "seed": ("", "Seed of the world; empty: its own"),
    "way_points": ("", "Number of way-points; empty: all"),
    "scout_time": ("60", "Time for which the drone flies ahead of the boat [s]"),
    "drones": ("true", "false: the drone stays on its deck"),
    "time_limit": ("900", "Simulated time after which the mission ends [s]"),
    "out": ("river_mission_out", "Folder of the results: score.json, report.html and others"),
    "options": ("", "Further options of merrow run"),
    "program": ("", "Path of the program river_mission; empty: that of cargo build, or on the PATH"),
}

# nodes of the boat that Nav2 and robot_localization replace
REPLACED = ["estimator", "mapper", "planner", "pilot", "runner"]


def find_program(given):
    """Returns the path of the program river_mission."""
    found = shutil.which(given or "river_mission", path=None if given else os.pathsep.join([*BUILT, os.environ.get("PATH", "")]))
    if found is None:
        raise RuntimeError(f"program: found no {given or 'river_mission'}; run: cargo build -p river_mission")
    return found


def start(context):
    value = lambda name: LaunchConfiguration(name).perform(context)  # noqa: E731
    if value("navigation") not in ("own", "nav2"):
        raise RuntimeError(f"navigation: found {value('navigation')}, expected own or nav2")
    if value("pace") in ("max", "lockstep"):
        raise RuntimeError(f"pace: found {value('pace')}, expected realtime or a factor; `river_mission run` runs in lock-step")
    program = find_program(value("program"))
    plan = ["--scout-time", value("scout_time")]
    plan += ["--way-points", value("way_points")] if value("way_points") else []
    plan += [] if value("drones").lower() in ("true", "1") else ["--no-drones"]
    described = subprocess.run([program, "describe", *plan], capture_output=True, text=True)
    if described.returncode != 0:
        raise RuntimeError(f"river_mission describe: {described.stderr.strip()}")
    (pair,) = json.loads(described.stdout)["pairs"]
    boat, drone, way_points = pair["boat"], pair["drone"], pair["way_points_m"]
    ros, simulator, nodes = ["--ros-args", "-p", "use_sim_time:=true"], {}, pair["boat_nodes"]
    if value("navigation") == "nav2":
        ros += ["-r", f"/{boat}/mission/odometry:=/{boat}/odometry/filtered"]
        simulator = {"nav2": boat, "ekf": "wamv"}
        nodes = [name for name in nodes if name not in REPLACED]
    seed = ["--seed", value("seed")] if value("seed") else []
    simulator |= {
        "world": os.path.join(EXAMPLE, "river_mission.yaml"),
        "pace": value("pace"),
        "options": shlex.join([*seed, *shlex.split(value("options"))]),
    }
    sim = os.path.join(FindPackageShare("merrow_bringup").perform(context), "launch", "sim.launch.py")
    started = [IncludeLaunchDescription(PythonLaunchDescriptionSource(sim), launch_arguments=simulator.items())]
    robots = [(boat, name) for name in nodes] + [(drone, name) for name in pair["drone_nodes"]]
    started += [ExecuteProcess(cmd=[program, "node", name, "--robot", robot, *plan, *ros], name=f"{robot}_{name}", output="screen")
                for robot, name in robots]
    if value("navigation") == "nav2":
        places = [str(number) for place in way_points for number in place]
        runner = [sys.executable, os.path.join(HERE, "nav2_runner.py"), boat, *places, *ros]
        started.append(ExecuteProcess(cmd=runner, name=f"{boat}_nav2_runner", output="screen", on_exit=Shutdown()))
    merrow = ExecutableInPackage("merrow", "merrow").perform(context)
    score = [program, "score", *plan, "--time-limit", value("time_limit"), "--out", value("out"), "--merrow", merrow, *ros]
    # its end is the end of the mission
    started.append(ExecuteProcess(cmd=score, name="mission_score", output="screen", on_exit=Shutdown()))
    return started


def generate_launch_description():
    arguments = [DeclareLaunchArgument(name, default_value=value, description=text) for name, (value, text) in ARGUMENTS.items()]
    return LaunchDescription([*arguments, OpaqueFunction(function=start)])
