"""Starts a Merrow world, and on request RViz, robot_state_publisher, a gamepad and a state estimator.

    ros2 launch merrow sim.launch.py world:=estimation robot:=bluerov2 rviz:=true state_publisher:=true \\
        joy:=true ekf:=bluerov2
"""

import os
import re
import subprocess
import tempfile

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction
from launch.substitutions import Command, LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import ExecutableInPackage, FindPackageShare

ARGUMENTS = {
    "world": ("pool", "Path of a world file or name of a bundled world"),
    "pace": ("realtime", "realtime, max, lockstep or a speed factor"),
    "ros_backend": ("embedded", "embedded, or native: the RMW of the sourced ROS 2"),
    "record": ("", "MCAP file to record to; empty: no recording"),
    "namespace": ("", "Namespace of the node and its topics"),
    "use_sim_time": ("false", "Node parameter; it has no effect, because the node publishes the clock"),
    "options": ("", "Further options of merrow run, separated by spaces, such as --autopilot"),
    "robot": ("", "Name of the robot for the programs below; empty: none of them"),
    "rviz": ("false", "true: RViz with the robot"),
    "state_publisher": ("false", "true: robot_state_publisher with the description of the robot"),
    "joy": ("false", "true: gamepad that controls the robot"),
    "ekf": ("", "robot_localization: path of a parameter file, or a name in config/robot_localization"),
}


def is_true(text):
    return text.lower() in ("true", "1")


def simulator(value, with_ekf):
    """Returns the node of the simulator."""
    arguments = ["run", value("world"), "--pace", value("pace"), "--ros-backend", value("ros_backend")]
    if value("record"):
        arguments += ["--record", value("record")]
    parameters = {"use_sim_time": is_true(value("use_sim_time"))}
    if with_ekf:
        # the estimator publishes the pose of the robot
        parameters["publish_truth_tf"] = False
    return Node(
        package="merrow",
        executable="merrow",
        name="merrow",
        namespace=value("namespace"),
        arguments=arguments + value("options").split(),
        parameters=[parameters],
        output="screen",
    )


def temporary_file(text, suffix):
    """Writes a file that the nodes read when they start; returns its path."""
    with tempfile.NamedTemporaryFile("w", suffix=suffix, delete=False) as file:
        file.write(text)
    return file.name


def rviz(context, value, robot):
    """Returns RViz with the topics of the robot."""
    merrow = ExecutableInPackage("merrow", "merrow").perform(context)
    path = temporary_file("", ".rviz")
    command = [merrow, "layout", value("world"), "--robot", robot, "-o", path]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        raise RuntimeError(f"rviz: {result.stderr.strip()}")
    namespace = value("namespace").strip("/")
    if namespace:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace("Value: /", f"Value: /{namespace}/"))
    arguments = ["-d", path]
    return Node(package="rviz2", executable="rviz2", arguments=arguments, parameters=[{"use_sim_time": True}])


def state_publisher(value, scope, robot):
    """Returns robot_state_publisher; its joints are the joints of the simulator."""
    description = Command([ExecutableInPackage("merrow", "merrow"), " describe ", value("world"), " --urdf ", robot])
    return Node(
        package="robot_state_publisher",
        executable="robot_state_publisher",
        namespace=scope,
        parameters=[{"use_sim_time": True, "robot_description": ParameterValue(description, value_type=str)}],
    )


def estimator_file(share, name, scope, robot):
    """Returns the path of the parameter file `name` and its text. In a file of Merrow, the robot and the namespace
    replace the robot for which it is written; other files are unchanged.
    """
    folder = os.path.join(share, "config", "robot_localization")
    is_own = os.path.sep in name
    path = name if is_own else os.path.join(folder, f"{name}.yaml")
    if not os.path.isfile(path):
        names = ", ".join(sorted(file.removesuffix(".yaml") for file in os.listdir(folder)))
        raise RuntimeError(f"ekf: found no file {path}, expected the path of a file or one of {names}")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if is_own:
        return path, text
    written_for = re.search(r"base_link_frame: (\w+)/base_link", text)[1]
    text = text.replace(f" /{written_for}/", f" /{scope}/").replace(f" {written_for}/", f" {robot}/")
    return temporary_file(text, ".yaml"), text


def estimator(share, name, scope, robot):
    """Returns the nodes of robot_localization that the parameter file names."""
    path, text = estimator_file(share, name, scope, robot)
    odometry = f"/{scope}/odometry/filtered"
    nodes = [
        Node(
            package="robot_localization",
            executable="ekf_node",
            name="ekf_filter_node",
            parameters=[path, {"use_sim_time": True}],
            remappings=[("odometry/filtered", odometry)],
        )
    ]
    if "navsat_transform_node:" in text:
        nodes.append(
            Node(
                package="robot_localization",
                executable="navsat_transform_node",
                name="navsat_transform_node",
                parameters=[path, {"use_sim_time": True}],
                remappings=[
                    ("imu", f"/{scope}/imu/data"),
                    ("gps/fix", f"/{scope}/gps/fix"),
                    ("odometry/filtered", odometry),
                    ("odometry/gps", f"/{scope}/odometry/gps"),
                ],
            )
        )
    return nodes


def start(context):
    value = lambda name: LaunchConfiguration(name).perform(context)  # noqa: E731
    robot, ekf = value("robot"), value("ekf")
    nodes = [simulator(value, bool(ekf))]
    requested = [name for name in ("rviz", "state_publisher", "joy") if is_true(value(name))] + (["ekf"] if ekf else [])
    if not requested:
        return nodes
    if not robot:
        raise RuntimeError(f"{', '.join(requested)}: found no robot, expected robot:=NAME")
    share = FindPackageShare("merrow").perform(context)
    # namespace of the topics of the robot; frames do not depend on the namespace of the node
    scope = f"{value('namespace').strip('/')}/{robot}".lstrip("/")
    if "rviz" in requested:
        nodes.append(rviz(context, value, robot))
    if "state_publisher" in requested:
        nodes.append(state_publisher(value, scope, robot))
    if "joy" in requested:
        nodes.append(Node(package="joy", executable="joy_node", namespace=scope))
    if ekf:
        nodes += estimator(share, ekf, scope, robot)
    return nodes


def generate_launch_description():
    arguments = [DeclareLaunchArgument(name, default_value=value, description=text) for name, (value, text) in ARGUMENTS.items()]
    return LaunchDescription([*arguments, OpaqueFunction(function=start)])
