#!/usr/bin/env bash
# Plays recordings of Merrow with `ros2 bag play` of a ROS 2 Jazzy: bags.sh PROGRAM [NAME...]. NAMEs select checks of
# bag_checks.py. Part of `test/run slow`.
#
# MERROW_ROS_JAZZY is the folder of an installed ROS 2, with a file `env` or `setup.bash` to source; without it, the
# sourced ROS 2 is used. Skipped with a message if there is no rosbag2.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
program=$1
shift
if [ -n "${MERROW_ROS_JAZZY:-}" ]; then
  setup=$MERROW_ROS_JAZZY/env
  [ -e "$setup" ] || setup=$MERROW_ROS_JAZZY/setup.bash
  [ -e "$setup" ] || { echo "MERROW_ROS_JAZZY: found no env or setup.bash in $MERROW_ROS_JAZZY" >&2; exit 2; }
  set +u
  . "$setup"
  set -u
fi
if ! python3 -c "import rosbag2_py, rosbag2_interfaces.srv" 2>/dev/null || ! command -v ros2 >/dev/null; then
  [ -z "${MERROW_ROS_JAZZY:-}" ] || { echo "found no rosbag2 in $MERROW_ROS_JAZZY" >&2; exit 2; }
  echo "no rosbag2 is sourced, and MERROW_ROS_JAZZY is not set: recordings are not played with ros2 bag play"
  exit
fi
exec python3 "$here/bag_checks.py" "$program" "$@"
