"""Starts a Merrow world, and on request RViz, robot_state_publisher, a gamepad, a state estimator and Nav2.

    ros2 launch merrow_bringup sim.launch.py world:=estimation robot:=bluerov2 rviz:=true state_publisher:=true \\
        joy:=true ekf:=bluerov2
    ros2 launch merrow_bringup sim.launch.py world:=riverwatch nav2:=wamv rviz:=true
"""

import atexit
import json
import math
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction, Shutdown
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import ExecutableInPackage, FindPackageShare

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import merrow_nav2  # noqa: E402
from merrow_packages import check_packages  # noqa: E402

ARGUMENTS = {
    "world": ("pool", "Path of a world file or name of a bundled world"),
    "pace": ("realtime", "realtime, max, lockstep or a speed factor"),
    "ros_backend": ("embedded", "embedded, or native: the RMW of the sourced ROS 2"),
    "view": ("false", "true: page for a browser that shows and controls the run"),
    "record": ("", "MCAP file to record to; empty: no recording"),
    "namespace": ("", "Namespace of the node and its topics"),
    "use_sim_time": ("false", "Node parameter; it has no effect, because the node publishes the clock"),
    "options": ("", "Further options of merrow run, such as --autopilot; quotes enclose values with blanks"),
    "robot": ("", "Name of the robot for the programs below; empty: none of them"),
    "rviz": ("false", "true: RViz with the robot"),
    "state_publisher": ("false", "true: robot_state_publisher with the description of the robot"),
    "joy": ("false", "true: gamepad that controls the robot"),
    "ekf": ("", "robot_localization: path of a parameter file, or a name in config/robot_localization"),
    "nav2": ("", "Nav2: name of the boat or underwater vehicle that it drives, or of its model"),
    "nav2_params": ("", "Nav2: path of a parameter file, or a name in config/nav2; empty: boat or rov"),
    "nav2_depths": ("", "Nav2: shallowest and deepest depth of an underwater vehicle in m, such as 1,4; empty: 1 m about its start"),
    "nav2_cmd_vel": ("", "Nav2: topic of the velocity commands of an autopilot; empty: that of the firmware of the robot"),
    "map": ("", "Nav2: path of a map of map_server; true: map for the draught of the boat or the depths of the vehicle; false: none; "
                "empty: that of the world, if any, and for an underwater vehicle as true"),
}

# packages of the programs that an argument starts
PACKAGES = {
    "rviz": ["rviz2"],
    "state_publisher": ["robot_state_publisher"],
    "joy": ["joy"],
    "ekf": ["robot_localization"],
    "nav2": merrow_nav2.PACKAGES,
}

# displays of RViz with the topics of Nav2, below this line of a configuration
DISPLAYS = "  Displays:\n"
# distance of the view of RViz with Nav2 [m]
VIEW_DISTANCE = 40


def is_true(text):
    return text.lower() in ("true", "1")


def merrow(context, *arguments):
    """Returns what the command line of Merrow prints; its error ends the launch."""
    program = ExecutableInPackage("merrow", "merrow").perform(context)
    result = subprocess.run([program, *arguments], capture_output=True, text=True)
    if result.returncode != 0:
        raise RuntimeError(f"merrow {' '.join(arguments)}: {result.stderr.strip()}")
    return result.stdout


def options(value):
    """Returns the words of the argument `options`, split as in a shell."""
    try:
        return shlex.split(value("options"))
    except ValueError as error:
        raise RuntimeError(f"options: {error}; expected closed quotes, found {value('options')}") from error


def profile(value):
    """Returns the option of the simulator that changes the names of topics, for `merrow describe` and `merrow layout`."""
    words = options(value)
    found = [words[k : k + 2] for k, word in enumerate(words) if word == "--profile"]
    joined = [[word] for word in words if word.startswith("--profile=")]
    return (found + joined or [[]])[0]


def simulator(value, estimated, further):
    """Returns the node of the simulator, whose end ends the launch. An estimator publishes the pose of `estimated`.
    `further`: options that the other programs need.
    """
    arguments = ["run", value("world"), "--pace", value("pace"), "--ros-backend", value("ros_backend")]
    if is_true(value("view")):
        arguments.append("--view")
    if value("record"):
        arguments += ["--record", value("record")]
    parameters = {"use_sim_time": is_true(value("use_sim_time"))}
    if estimated:
        parameters[f"{estimated}.publish_truth_tf"] = False
    return Node(
        package="merrow",
        executable="merrow",
        name="merrow",
        namespace=value("namespace"),
        arguments=arguments + further + options(value),
        parameters=[parameters],
        output="screen",
        on_exit=Shutdown(),
    )


def temporary_file(text, suffix):
    """Writes a file that the nodes read when they start, and that the end of the launch removes; returns its path."""
    with tempfile.NamedTemporaryFile("w", suffix=suffix, delete=False) as file:
        file.write(text)
    atexit.register(pathlib.Path(file.name).unlink, missing_ok=True)
    return file.name


def rviz(context, value, share, robot, has_estimate):
    """Returns RViz with the topics of the robot; with an estimator, its odometry in place of the true odometry; with Nav2,
    its maps and paths, and goals for it.
    """
    path = temporary_file("", ".rviz")
    merrow(context, "layout", value("world"), "--robot", robot, "-o", path, *profile(value))
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if has_estimate:
        text = re.sub(rf"(/?{robot}/odometry)$", r"\1/filtered", text, flags=re.MULTILINE)
    if value("nav2"):
        with open(os.path.join(share, "config", "nav2", "displays.rviz"), encoding="utf-8") as file:
            text = text.replace(DISPLAYS, DISPLAYS + file.read(), 1)
        text = re.sub(rf"/?{robot}/goal_pose$", "/goal_pose", text, flags=re.MULTILINE)
        # from afar, so that the places of goals are in the view
        text = re.sub(r"^( *Distance:) .*$", rf"\1 {VIEW_DISTANCE}", text, flags=re.MULTILINE)
    namespace = value("namespace").strip("/")
    if namespace:
        text = text.replace("Value: /", f"Value: /{namespace}/")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    arguments = ["-d", path]
    return Node(package="rviz2", executable="rviz2", arguments=arguments, parameters=[{"use_sim_time": True}])


def state_publisher(context, value, scope, robot):
    """Returns robot_state_publisher; its joints are the joints of the simulator."""
    description = merrow(context, "describe", value("world"), "--urdf", robot, *profile(value))
    return Node(
        package="robot_state_publisher",
        executable="robot_state_publisher",
        namespace=scope,
        parameters=[{"use_sim_time": True, "robot_description": ParameterValue(description, value_type=str)}],
    )


def estimator_file(share, name, scope, robot, world, has_odom):
    """Returns the path of the parameter file `name` and its text. In a file of Merrow, the robot and the namespace
    replace the robot for which it is written, and the origin of the world replaces the datum; other files are
    unchanged. `world`: what `merrow describe --json` prints. `has_odom`: the frames are those of REP 105.
    """
    folder = os.path.join(share, "config", "robot_localization")
    is_path = os.path.sep in name
    path = name if is_path else os.path.join(folder, f"{name}.yaml")
    if not os.path.isfile(path):
        names = ", ".join(sorted(file.removesuffix(".yaml") for file in os.listdir(folder)))
        raise RuntimeError(f"ekf: found no file {path}, expected the path of a file or one of {names}")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if is_path:
        return path, text
    written_for = re.search(r"base_link_frame: (\w+)/base_link", text)[1]
    topics = {topic["topic"] for topic in world["published"]}
    inputs = re.findall(rf"^ *(?:imu|pose|twist|odom)\d: /{written_for}/(\S+)", text, re.MULTILINE)
    missing = [f"/{robot}/{topic}" for topic in inputs if topic != "odometry/gps" and f"/{robot}/{topic}" not in topics]
    if missing:
        raise RuntimeError(f"ekf: {name}.yaml needs {', '.join(missing)}, which {robot} does not publish in this world")
    origin = world["origin"]
    datum = f"datum: [{origin['latitude_deg']:.9f}, {origin['longitude_deg']:.9f}, 0.0]"
    if has_odom:
        text = text.replace("odom_frame: world", "odom_frame: odom").replace("world_frame: world", "world_frame: odom")
    text = text.replace(f" /{written_for}/", f" /{scope}/").replace(f" {written_for}/", f" {robot}/")
    return temporary_file(re.sub(r"datum: \[.*\]", datum, text), ".yaml"), text


def initial_state(robot, world):
    """Returns the initial state of the filter: position [m] and attitude [rad] at the start of the world, velocities and
    accelerations of zero.
    """
    (start,) = [own["start"] for own in world["robots"] if own["name"] == robot]
    return [*map(float, start["position_m"]), *map(math.radians, start["attitude_deg"]), *[0.0] * 9]


def estimator(share, value, scope, robot, world):
    """Returns the nodes of robot_localization that the parameter file names, in the namespace of the simulator. For Nav2, the
    filter publishes `odom` -> robot; `map` and `odom` are then at the origin of the world.
    """
    path, text = estimator_file(share, value("ekf"), scope, robot, world, bool(value("nav2")))
    odometry = f"/{scope}/odometry/filtered"
    is_own = os.path.sep not in value("ekf")

    def node(executable, name, remappings, **own):
        parameters = [path, {"use_sim_time": True, **own}]
        return Node(package="robot_localization", executable=executable, name=name, namespace=value("namespace"),
                    parameters=parameters, remappings=remappings)

    own = {"initial_state": initial_state(robot, world)} if is_own else {}
    nodes = [node("ekf_node", "ekf_filter_node", [("odometry/filtered", odometry)], **own)]
    if "navsat_transform_node:" in text:
        topics = [
            ("imu", f"/{scope}/imu/data"),
            ("gps/fix", f"/{scope}/gps/fix"),
            ("odometry/filtered", odometry),
            ("odometry/gps", f"/{scope}/odometry/gps"),
        ]
        nodes.append(node("navsat_transform_node", "navsat_transform_node", topics))
    if value("nav2"):
        nodes += [fixed_transform(parent, child) for parent, child in (("world", "map"), ("map", "odom"))]
    return nodes


def fixed_transform(parent, child):
    """Returns a node that publishes the frame `child` at the origin of `parent`."""
    arguments = ["--frame-id", parent, "--child-frame-id", child]
    return Node(package="tf2_ros", executable="static_transform_publisher", name=f"{parent}_to_{child}", arguments=arguments)


def navigation(share, value, scope, boat, kind, world):
    """Returns the nodes of Nav2, and the options of the simulator for its map. `kind`: name of the default parameter file."""
    if value("nav2_depths") and kind == "boat":
        raise RuntimeError(f"nav2_depths: found {value('nav2_depths')} for the boat {boat['name']}, expected an underwater vehicle")
    depths = merrow_nav2.depth_range(value("nav2_depths"), boat) if kind == "rov" else None
    # the map of a world is one for boats
    own = value("map") or ("true" if depths else "")
    published = next((topic["topic"] for topic in world["published"] if topic["type"] == "nav_msgs/msg/OccupancyGrid"), "")
    further = merrow_nav2.map_options(boat, depths) if own == "true" else []
    map_file = own if own not in ("", "true", "false") else ""
    if map_file and not os.path.isfile(map_file):
        raise RuntimeError(f"map: found no file {map_file}, expected true, false or the path of a map of map_server")
    # a relative name would be one in the namespace of the cost map
    has_map = own == "true" or map_file or (published and own == "")
    map_topic = f"/{scope.removesuffix(boat['name'])}map" if has_map else ""
    nodes = merrow_nav2.nodes(share, value("nav2_params") or kind, boat, world, scope, value("namespace"), value("pace"),
                              bool(value("ekf")), map_topic, map_file, temporary_file, depths,
                              value("nav2_cmd_vel"))
    return nodes, further


def start(context):
    value = lambda name: LaunchConfiguration(name).perform(context)  # noqa: E731
    robot, ekf, nav2 = value("robot"), value("ekf"), value("nav2")
    requested = [name for name in ("rviz", "state_publisher", "joy") if is_true(value(name))]
    requested += [name for name in ("ekf", "nav2") if value(name)]
    if requested and not robot and not nav2:
        raise RuntimeError(f"{', '.join(requested)}: found no robot, expected robot:=NAME")
    check_packages(package for name in requested for package in PACKAGES[name])
    world = json.loads(merrow(context, "describe", value("world"), "--json", *profile(value))) if ekf or nav2 else None
    if nav2:
        boat, kind = merrow_nav2.find_robot(world, nav2)
        if robot not in ("", boat["name"]):
            raise RuntimeError(f"nav2: found {boat['name']} and robot:={robot}, expected the same robot, or no robot")
        robot = boat["name"]
    nodes, further = [], []
    share = FindPackageShare("merrow_bringup").perform(context)
    # namespace of the topics of the robot; frames do not depend on the namespace of the node
    scope = f"{value('namespace').strip('/')}/{robot}".lstrip("/")
    if "rviz" in requested:
        nodes.append(rviz(context, value, share, robot, bool(ekf)))
    if "state_publisher" in requested:
        nodes.append(state_publisher(context, value, scope, robot))
    if "joy" in requested:
        nodes.append(Node(package="joy", executable="joy_node", namespace=scope))
    if ekf:
        nodes += estimator(share, value, scope, robot, world)
    if nav2:
        servers, further = navigation(share, value, scope, boat, kind, world)
        nodes += servers
    # last: it does not run without the others if one of them cannot be started
    return [*nodes, simulator(value, robot if ekf else "", further)]


def generate_launch_description():
    arguments = [DeclareLaunchArgument(name, default_value=value, description=text) for name, (value, text) in ARGUMENTS.items()]
    return LaunchDescription([*arguments, OpaqueFunction(function=start)])
