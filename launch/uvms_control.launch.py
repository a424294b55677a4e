"""Starts the UVMS with servos, and a controller manager of ros2_control for its arm.

    ros2 launch merrow uvms_control.launch.py
"""

import os
import subprocess

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction, Shutdown
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.substitutions import ExecutableInPackage, FindPackageShare

WORLD, ROBOT = "uvms_pool_servo", "uvms"


def description(context, share):
    """Returns the URDF of the robot with its hardware for ros2_control."""
    merrow = ExecutableInPackage("merrow", "merrow").perform(context)
    urdf = subprocess.run([merrow, "describe", WORLD, "--urdf", ROBOT], check=True, capture_output=True, text=True).stdout
    with open(os.path.join(share, "config", "ros2_control", "osu_uvms.xml"), encoding="utf-8") as file:
        return urdf.replace("</robot>", file.read() + "</robot>")


def start(context):
    share = FindPackageShare("merrow").perform(context)
    controllers = os.path.join(share, "config", "ros2_control", "osu_uvms_controllers.yaml")
    robot_description = {"robot_description": description(context, share), "use_sim_time": True}
    pace = LaunchConfiguration("pace").perform(context)

    def spawner(*arguments):
        return Node(package="controller_manager", executable="spawner", arguments=list(arguments))

    return [
        Node(package="merrow", executable="merrow", name="merrow", arguments=["run", WORLD, "--pace", pace], output="screen",
             on_exit=Shutdown()),
        Node(package="robot_state_publisher", executable="robot_state_publisher", parameters=[robot_description]),
        Node(package="controller_manager", executable="ros2_control_node", parameters=[robot_description, controllers]),
        spawner("joint_state_broadcaster"),
        # since Jazzy a controller reads its parameters only from the file that the spawner names
        spawner("joint_trajectory_controller", "--param-file", controllers),
    ]


def generate_launch_description():
    pace = DeclareLaunchArgument("pace", default_value="realtime", description="realtime or a speed factor")
    return LaunchDescription([pace, OpaqueFunction(function=start)])
