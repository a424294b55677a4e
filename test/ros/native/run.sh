#!/usr/bin/env bash
# Checks the native backend on the sourced ROS 2, with rmw_cyclonedds_cpp and rmw_fastrtps_cpp.
# Part of `test/run slow`; skipped with a message if no ROS 2 is sourced. Arguments select checks of
# end_to_end.py.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../../.."
if [ -z "${AMENT_PREFIX_PATH:-}" ]; then
  echo "no ROS 2 is sourced: native backend skipped"
  exit
fi
build=${CARGO_TARGET_DIR:-target}
target=$PWD/target/native
ros_python=${MERROW_ROS_PYTHON:-python3}
only=()
for name in "$@"; do only+=(--only "$name"); done
mkdir -p "$target"

cargo build --locked --features native --bin merrow
cp "$build/debug/merrow" "$target/merrow"
# every run of the checks uses the native backend
cat >"$target/run_native" <<EOF
#!/usr/bin/env bash
if [ "\${1:-}" = run ]; then
  shift
  exec "$target/merrow" run --ros-backend native "\$@"
fi
exec "$target/merrow" "\$@"
EOF
chmod +x "$target/run_native"

# installed PACKAGE: prints the folder of an installed package
installed() {
  local prefix
  for prefix in ${AMENT_PREFIX_PATH//:/ }; do
    if [ -d "$prefix/share/$1" ]; then echo "$prefix/share/$1"; return; fi
  done
  return 1
}

# the native backend reads the types of Merrow from the installed package merrow_msgs
if ! installed merrow_msgs >/dev/null; then
  echo "the package merrow_msgs is not sourced; run test/colcon.sh, then source target/colcon/install/setup.bash" >&2
  exit 1
fi

failed=0
for rmw in rmw_cyclonedds_cpp rmw_fastrtps_cpp; do
  installed $rmw >/dev/null || { echo "$rmw is not installed: skipped"; continue; }
  export RMW_IMPLEMENTATION=$rmw
  printf '\n-- %s: nodes of one process\n' $rmw
  cargo test --locked -p merrow-ros2-native --features rmw -- --test-threads=1 || failed=1
  if "$ros_python" -c 'import rclpy' 2>/dev/null; then
    for backend in embedded native; do
      printf '\n-- %s: rclpy and the %s backend\n' $rmw $backend
      "$ros_python" "$here/rclpy_checks.py" "$target/merrow" $backend || failed=1
    done
  else
    echo "rclpy is not installed: its checks are skipped"
  fi
done

if "$ros_python" -c 'import rclpy, ros2launch' 2>/dev/null; then
  printf '\n-- launch files\n'
  "$ros_python" "$here/launch_checks.py" || failed=1
else
  echo "ros2 launch is not installed: the checks of launch files are skipped"
fi

skip=()
# without REASON NAME...: leaves out the checks whose names contain NAME
without() {
  echo "skipped, $1: ${*:2}"
  skip+=("${@:2}")
}
installed stonefish_ros2 >/dev/null || without "stonefish_ros2 is not installed" stonefish
installed uuv_gazebo_ros_plugins_msgs >/dev/null || without "uuv_gazebo_ros_plugins_msgs is not installed" plankton
simulation=(spawn entit actors resources simulation_state features named_poses worlds saved_world delete_errors external_wrenches
  all_services invalid_input pages)
if ! interfaces=$(installed simulation_interfaces); then
  without "simulation_interfaces is not installed" "${simulation[@]}" version_1
elif grep -q '<version>1' "$interfaces/package.xml"; then
  without "the installed simulation_interfaces has version 1" "${simulation[@]}"
else
  without "the installed simulation_interfaces has the types of version 2" version_1
fi
if installed rmw_cyclonedds_cpp >/dev/null; then
  printf '\n-- rmw_cyclonedds_cpp: the live checks\n'
  RMW_IMPLEMENTATION=rmw_cyclonedds_cpp "${MERROW_PYTHON:?}" test/ros/end_to_end.py \
    --native --complete --binary "$target/run_native" ${skip[@]+"${skip[@]/#/--skip=}"} ${only[@]+"${only[@]}"} || failed=1
fi
exit $failed
