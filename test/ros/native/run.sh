#!/usr/bin/env bash
# Checks the native backend on the sourced ROS 2, with each of its RMWs that the checks support.
# Part of `test/run slow`; skipped with a message if no ROS 2 is sourced. Arguments select checks of end_to_end.py.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../../.."
if [ -z "${AMENT_PREFIX_PATH:-}" ]; then
  echo "no ROS 2 is sourced: native backend skipped"
  exit
fi
target=$PWD/target/native
ros_python=${MERROW_ROS_PYTHON:-python3}
only=()
for name in "$@"; do only+=(--only "$name"); done
mkdir -p "$target"

cargo build --locked --features native --bin merrow
cp target/debug/merrow "$target/merrow"
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

# checks of packages that are not installed, or only in an older version
skip=()
installed stonefish_ros2 >/dev/null || skip+=(stonefish)
installed uuv_gazebo_ros_plugins_msgs >/dev/null || skip+=(plankton)
interfaces=$(installed simulation_interfaces) || interfaces=
if [ -z "$interfaces" ] || grep -q '<version>1' "$interfaces/package.xml"; then
  skip+=(spawn entit actors resources simulation_state features named_poses worlds saved_world delete_errors all_services garbage pages)
fi
if installed rmw_cyclonedds_cpp >/dev/null; then
  printf '\n-- rmw_cyclonedds_cpp: the live checks\n'
  RMW_IMPLEMENTATION=rmw_cyclonedds_cpp "${MERROW_PYTHON:?}" test/ros/end_to_end.py \
    --binary "$target/run_native" ${skip[@]+"${skip[@]/#/--skip=}"} ${only[@]+"${only[@]}"} || failed=1
fi
if installed rmw_fastrtps_cpp >/dev/null; then
  printf '\n-- rmw_fastrtps_cpp: the checks of Fast DDS\n'
  RMW_IMPLEMENTATION=rmw_fastrtps_cpp bash test/ros/fastdds/live.sh "$target/run_native" || failed=1
fi
exit $failed
