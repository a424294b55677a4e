#!/usr/bin/env bash
# Drives boats of Merrow with the released Nav2: nav2.sh PROGRAM [page] [mission] [WORLD/BOAT...] [--pace N] [--seeds N] [--first-seed N].
# Without names all drives of nav2_checks.py. Part of `test/run slow`.
#
# MERROW_ROS_JAZZY is the folder of an installed ROS 2, with a file `env` or `setup.bash` to source; without it, the
# sourced ROS 2 is used. Skipped with a message if there is no Nav2.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
program=$(realpath "$1")
shift
if [ -n "${MERROW_ROS_JAZZY:-}" ]; then
  setup=$MERROW_ROS_JAZZY/env
  [ -e "$setup" ] || setup=$MERROW_ROS_JAZZY/setup.bash
  [ -e "$setup" ] || { echo "MERROW_ROS_JAZZY: found no env or setup.bash in $MERROW_ROS_JAZZY" >&2; exit 2; }
  set +u
  . "$setup"
  set -u
fi
if ! python3 -c "import nav2_msgs.action, rclpy, ros2launch" 2>/dev/null; then
  [ -z "${MERROW_ROS_JAZZY:-}" ] || { echo "found no Nav2 in $MERROW_ROS_JAZZY" >&2; exit 2; }
  echo "no Nav2 is sourced, and MERROW_ROS_JAZZY is not set: no boat is driven by Nav2"
  exit
fi
# the packages merrow and merrow_bringup, with this program and the files of the source tree
prefix=$root/target/nav2
index=$prefix/share/ament_index/resource_index/packages
mkdir -p "$index" "$prefix/lib/merrow" "$prefix/lib/merrow_bringup"
touch "$index/merrow" "$index/merrow_bringup"
ln -sfn "$program" "$prefix/lib/merrow/merrow"
for script in ardusub_relay depth_controller; do
  ln -sfn "$root/ros/merrow_bringup/scripts/$script" "$prefix/lib/merrow_bringup/$script"
done
ln -sfn "$root/ros/merrow_bringup" "$prefix/share/merrow_bringup"
ln -sfn "$root/ros/merrow" "$prefix/share/merrow"
export AMENT_PREFIX_PATH=$prefix:$AMENT_PREFIX_PATH
exec python3 "$here/nav2_checks.py" "$program" "$@"
