"""Starts a Merrow world: ros2 launch merrow sim.launch.py world:=pool."""

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node


def start(context):
    value = lambda name: LaunchConfiguration(name).perform(context)  # noqa: E731
    arguments = ["run", value("world"), "--pace", value("pace")]
    if value("record"):
        arguments += ["--record", value("record")]
    return [
        Node(
            package="merrow",
            executable="merrow",
            name="merrow",
            namespace=value("namespace"),
            arguments=arguments,
            parameters=[{"use_sim_time": value("use_sim_time").lower() in ("true", "1")}],
            output="screen",
        )
    ]


def generate_launch_description():
    return LaunchDescription(
        [
            DeclareLaunchArgument("world", default_value="pool", description="Path of a world file or name of a bundled world"),
            DeclareLaunchArgument("pace", default_value="realtime", description="realtime, max, lockstep or a speed factor"),
            DeclareLaunchArgument("record", default_value="", description="MCAP file to record to; empty: no recording"),
            DeclareLaunchArgument("namespace", default_value="", description="Namespace of the node and its topics"),
            DeclareLaunchArgument("use_sim_time", default_value="false", description="Node parameter; it has no effect, because the node publishes the clock"),
            OpaqueFunction(function=start),
        ]
    )
