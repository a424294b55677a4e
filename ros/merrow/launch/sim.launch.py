"""Starts a Merrow world: the launch file of the same name in merrow_bringup, with its arguments.

    ros2 launch merrow sim.launch.py world:=riverwatch nav2:=wamv
"""

import os

from ament_index_python.packages import PackageNotFoundError, get_package_share_directory
from launch import LaunchDescription
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource


def generate_launch_description():
    # not a dependency of this package: merrow_bringup depends on it
    try:
        bringup = get_package_share_directory("merrow_bringup")
    except PackageNotFoundError:
        raise RuntimeError("package merrow_bringup is not installed; it is in the folder ros/merrow_bringup of the "
                           "repository: build it with `colcon build --packages-up-to merrow_bringup`") from None
    file = os.path.join(bringup, "launch", "sim.launch.py")
    return LaunchDescription([IncludeLaunchDescription(PythonLaunchDescriptionSource(file))])
