#!/usr/bin/env bash
# Checks a program with rclpy and Fast DDS of a release of ROS 2: wheels.sh jazzy|kilted PROGRAM [NAME...]. NAMEs select
# checks of rclpy_checks.py. The release is installed from the Python packages in RELEASE.txt; no other ROS 2 is needed.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../../.."
release=$1 program=$2
shift 2
list=$here/$release.txt venv=target/venv-$release
if ! cmp -s "$list" "$venv/requirements.txt"; then
  rm -rf "$venv"
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check -r "$list"
  cp "$list" "$venv/requirements.txt"
fi
# a sourced ROS 2 would replace packages of the environment
unset AMENT_PREFIX_PATH PYTHONPATH LD_LIBRARY_PATH ROS_DISTRO
RMW_IMPLEMENTATION=rmw_fastrtps_cpp exec "$venv/bin/python" "$here/rclpy_checks.py" "$program" embedded "$@"
