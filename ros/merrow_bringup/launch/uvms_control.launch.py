"""Starts the UVMS with servos, and a controller manager of ros2_control for its arm.

    ros2 launch merrow_bringup uvms_control.launch.py
"""

import os
import subprocess
import sys

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction, Shutdown
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.substitutions import ExecutableInPackage, FindPackageShare

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from merrow_packages import check_packages  # noqa: E402

WORLD, ROBOT = "uvms_pool_servo", "uvms"
PLUGIN = "joint_state_topic_hardware_interface/JointStateTopicSystem"

ARGUMENTS = {
    "pace": ("realtime", "realtime or a speed factor"),
    "ros_backend": ("embedded", "embedded, or native: the RMW of the sourced ROS 2"),
    "plugin": (PLUGIN, "Plugin of the hardware; topic_based_ros2_control/TopicBasedSystem is its former name"),
}

PACKAGES = ["controller_manager", "joint_state_broadcaster", "joint_trajectory_controller", "robot_state_publisher"]


def description(context, share, plugin):
    """Returns the URDF of the robot with its hardware for ros2_control."""
    program = ExecutableInPackage("merrow", "merrow").perform(context)
    result = subprocess.run([program, "describe", WORLD, "--urdf", ROBOT], capture_output=True, text=True)
    if result.returncode != 0:
        raise RuntimeError(f"merrow describe {WORLD}: {result.stderr.strip()}")
    with open(os.path.join(share, "config", "ros2_control", "osu_uvms.xml"), encoding="utf-8") as file:
        hardware = file.read().replace(PLUGIN, plugin)
    return result.stdout.replace("</robot>", hardware + "</robot>")


def start(context):
    value = lambda name: LaunchConfiguration(name).perform(context)  # noqa: E731
    check_packages([*PACKAGES, value("plugin").split("/")[0]])
    share = FindPackageShare("merrow_bringup").perform(context)
    controllers = os.path.join(share, "config", "ros2_control", "osu_uvms_controllers.yaml")
    robot_description = {"robot_description": description(context, share, value("plugin")), "use_sim_time": True}
    arguments = ["run", WORLD, "--pace", value("pace"), "--ros-backend", value("ros_backend")]

    def spawner(*arguments):
        return Node(package="controller_manager", executable="spawner", arguments=list(arguments))

    return [
        Node(package="robot_state_publisher", executable="robot_state_publisher", parameters=[robot_description]),
        Node(package="controller_manager", executable="ros2_control_node", parameters=[robot_description, controllers]),
        spawner("joint_state_broadcaster"),
        # since Jazzy a controller reads its parameters only from the file that the spawner names
        spawner("joint_trajectory_controller", "--param-file", controllers),
        # last: it does not run without the others if one of them cannot be started
        Node(package="merrow", executable="merrow", name="merrow", arguments=arguments, output="screen", on_exit=Shutdown()),
    ]


def generate_launch_description():
    arguments = [DeclareLaunchArgument(name, default_value=value, description=text) for name, (value, text) in ARGUMENTS.items()]
    return LaunchDescription([*arguments, OpaqueFunction(function=start)])
