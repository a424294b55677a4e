"""Looks up the packages that a launch file needs."""

import os

from ament_index_python.packages import PackageNotFoundError, get_package_prefix


def check_packages(packages):
    """Reports missing packages in one line, before a program starts: the error of a node does not end the programs that
    were started before it.
    """
    missing = []
    for package in packages:
        try:
            get_package_prefix(package)
        except PackageNotFoundError:
            missing.append(package)
    if missing:
        names = " ".join(f"ros-{os.environ.get('ROS_DISTRO', '$ROS_DISTRO')}-{name.replace('_', '-')}" for name in missing)
        raise RuntimeError(f"package {', '.join(missing)} is not installed; run: sudo apt install {names}")
