#!/usr/bin/env bash
# Builds the packages of Merrow in a separate colcon workspace and checks the installed files: part of `test/run slow`.
#
# If ROS 2 is sourced (ROS_DISTRO is set), the script uses its packages. Otherwise colcon, ament and rosidl come from
# Debian, which has neither rosidl_default_generators nor ROS 2 messages. The workspace then contains small replacement
# packages with these names, so that the CMakeLists.txt and package.xml of Merrow are tested unchanged.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
workspace=$root/target/colcon
source_copy=$workspace/src/merrow
hidden=$workspace/merrow.hidden
install=$workspace/install
prefix=$install/merrow
packages=(merrow_msgs merrow merrow_bringup)

say() { printf '\n== colcon: %s (%ss)\n' "$*" "$SECONDS"; }
fail() { echo "FAIL test/colcon.sh: $*" >&2; exit 1; }

# Installs Debian's build tools if ROS 2 does not provide them
install_tools() {
  local missing=() package
  for package in cmake make g++ colcon python3-colcon-{bash,cmake,library-path,metadata,output,package-information} \
    python3-colcon-{package-selection,recursive-crawl,ros} ament-cmake python3-ament-index rosidl-cmake rosidl-generator-c-cpp; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
  done
  [ ${#missing[@]} = 0 ] && return
  [ "$(id -u)" = 0 ] || fail "missing, and only root can install them: apt-get install ${missing[*]}"
  apt-get install --yes --quiet --no-install-recommends "${missing[@]}" \
    || fail "apt-get could not install: ${missing[*]}"
}

# stand_in NAME GROUP DEPENDENCIES CMAKE: writes a replacement package; `interface` adds its interfaces afterwards
stand_in() {
  local folder=$workspace/src/stand_ins/$1 dependency
  mkdir -p "$folder"
  {
    echo "<package format=\"3\"><name>$1</name><version>0.0.0</version><description>stand-in</description>"
    echo "<maintainer email=\"none@example.com\">none</maintainer><license>Apache-2.0</license>"
    echo "<buildtool_depend>ament_cmake</buildtool_depend>"
    for dependency in $3; do echo "<depend>$dependency</depend>"; done
    echo "$2<export><build_type>ament_cmake</build_type></export></package>"
  } >"$folder/package.xml"
  {
    echo "cmake_minimum_required(VERSION 3.18)"
    echo "project($1)"
    for dependency in ament_cmake $3; do echo "find_package($dependency REQUIRED)"; done
    echo "$4"
    echo "ament_package()"
  } >"$folder/CMakeLists.txt"
}

# interface PACKAGE NAME FIELD...: writes a message of a replacement package
interface() {
  local folder=$workspace/src/stand_ins/$1/msg name=$2
  mkdir -p "$folder"
  shift 2
  printf '%s\n' "$@" >"$folder/$name.msg"
}

# Writes the packages that Merrow's build needs and Debian lacks, with the same fields as in ROS 2
make_stand_ins() {
  local group='<member_of_group>rosidl_interface_packages</member_of_group>'
  local generate='file(GLOB files RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} msg/*.msg)
rosidl_generate_interfaces(${PROJECT_NAME} ${files}'
  stand_in rosidl_default_generators "" "" \
    "ament_export_dependencies(ament_cmake_core rosidl_cmake rosidl_generator_c rosidl_generator_cpp)"
  stand_in rosidl_default_runtime "" "" "ament_export_dependencies(rosidl_runtime_c rosidl_runtime_cpp)"
  stand_in builtin_interfaces "$group" "rosidl_default_generators" "$generate)"
  interface builtin_interfaces Time "int32 sec" "uint32 nanosec"
  stand_in std_msgs "$group" "rosidl_default_generators builtin_interfaces" \
    "$generate DEPENDENCIES builtin_interfaces)"
  interface std_msgs Header "builtin_interfaces/Time stamp" "string frame_id"
  stand_in geometry_msgs "$group" "rosidl_default_generators builtin_interfaces" \
    "$generate DEPENDENCIES builtin_interfaces)"
  interface geometry_msgs Point "float64 x" "float64 y" "float64 z"
  interface geometry_msgs Vector3 "float64 x" "float64 y" "float64 z"
  interface geometry_msgs Quaternion "float64 x 0" "float64 y 0" "float64 z 0" "float64 w 1"
  interface geometry_msgs Pose "Point position" "Quaternion orientation"
  interface geometry_msgs Twist "Vector3 linear" "Vector3 angular"
  interface geometry_msgs Wrench "Vector3 force" "Vector3 torque"
}

# Copies the tracked files, as in a clone. File times are kept, so that a second run builds only changed files.
copy_package() {
  rm -rf "$workspace/src" "$workspace/install" "$hidden"
  mkdir -p "$source_copy"
  if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
    git ls-files -z --cached --deduplicate | while IFS= read -r -d '' file; do
      if [ -e "$file" ]; then printf '%s\0' "$file"; fi
    done | tar --create --null --files-from=- | tar --extract --directory "$source_copy"
  else
    tar --create --exclude=./target --exclude=__pycache__ . | tar --extract --directory "$source_copy"
  fi
}

# installed PACKAGE FILE...
installed() {
  local package=$1 file
  shift
  for file in "$@"; do
    [ -e "$install/$package/$file" ] || fail "found no $file in $install/$package"
  done
}

# same PACKAGE SOURCE_FOLDER FOLDER...: the installed folders have the files of the source tree
same() {
  local package=$1 source=$2 folder
  shift 2
  for folder in "$@"; do
    diff -r "$source/$folder" "$install/$package/share/$package/$folder" >/dev/null \
      || fail "share/$package/$folder differs from the source tree"
  done
}

check_install_tree() {
  local package file name snake interfaces=$source_copy/ros/merrow_msgs
  local index=$install/merrow_msgs/share/ament_index/resource_index/rosidl_interfaces/merrow_msgs
  [ -x "$prefix/lib/merrow/merrow" ] || fail "lib/merrow/merrow is missing or cannot be executed"
  for package in "${packages[@]}"; do
    installed "$package" "share/$package/package.xml" "share/$package/cmake/${package}Config.cmake" \
      "share/ament_index/resource_index/packages/$package"
  done
  same merrow "$source_copy" config worlds params urdf grids meshes
  same merrow "$source_copy/ros/merrow" launch
  same merrow_bringup "$source_copy/ros/merrow_bringup" launch config
  installed merrow_bringup lib/merrow_bringup/ardusub_relay
  installed merrow_bringup lib/merrow_bringup/depth_controller
  for file in "$interfaces"/{msg/*.msg,srv/*.srv}; do
    name=$(basename "${file%.*}")
    snake=$(sed -E 's/([a-z0-9])([A-Z])/\1_\2/g' <<<"$name" | tr '[:upper:]' '[:lower:]')
    file=${file#"$interfaces"/}
    installed merrow_msgs "share/merrow_msgs/$file" "share/merrow_msgs/${file%.*}.idl"
    installed merrow_msgs "include/merrow_msgs/merrow_msgs/$(dirname "$file")/$snake".{h,hpp}
    grep -qxF "$file" "$index" || fail "$file is not in the ament index"
  done
}

# Checks that a C++ program finds the interfaces through CMake and compiles against them
check_user_of_interfaces() {
  local folder=$workspace/user
  rm -rf "$folder"
  mkdir -p "$folder"
  cat >"$folder/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.18)
project(user CXX)
find_package(merrow_msgs REQUIRED)
add_executable(user user.cpp)
target_compile_features(user PRIVATE cxx_std_17)
target_link_libraries(user ${merrow_msgs_TARGETS})
CMAKE
  cat >"$folder/user.cpp" <<'CPP'
#include <merrow_msgs/srv/set_pose.hpp>
#include <merrow_msgs/srv/step_simulation.hpp>
int main() {
  merrow_msgs::srv::SetPose::Request pose;
  pose.pose.orientation.w = 1.0;
  return merrow_msgs::srv::StepSimulation::Request().steps == 1 ? 0 : 1;
}
CPP
  cmake -S "$folder" -B "$folder/build" >"$folder/log" 2>&1 && cmake --build "$folder/build" >>"$folder/log" 2>&1 \
    || { cat "$folder/log"; fail "a C++ program that uses the interfaces does not build"; }
  "$folder/build/user" || fail "default of StepSimulation.steps: found another value, expected 1"
}

# Runs the installed binary from another folder, with only its own share folder readable
check_binary() (
  binary=$prefix/lib/merrow/merrow
  away=$(mktemp -d)
  trap '[ ! -d "$hidden" ] || mv "$hidden" "$source_copy"; rm -rf "$away"' EXIT
  mv "$source_copy" "$hidden"
  unset MERROW_SHARE
  cd "$away"
  listed=$("$binary" list) || fail "merrow list"
  echo "$listed"
  for world in "$hidden"/worlds/*.yaml; do
    grep -qw "$(basename "$world" .yaml)" <<<"$listed" || fail "merrow list lacks $world"
  done
  "$binary" run pool --for 2 --pace max --no-ros || fail "merrow run pool"
  [ -z "$(ls -A)" ] || fail "merrow run left files: $(ls -A)"
)

# Checks that the installed program contains the native backend and runs on the RMW of the sourced ROS 2
check_native_backend() (
  log=$(mktemp)
  trap 'rm -f "$log"' EXIT
  cd /
  ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST ROS_LOCALHOST_ONLY=1 \
    "$prefix/lib/merrow/merrow" run pool --for 1 --pace max --ros-backend native >"$log" 2>&1 \
    || { cat "$log"; fail "merrow run pool --ros-backend native"; }
)

# Checks that setup.bash makes the packages visible to ament, and thus to `ros2 run` and `ros2 launch`
check_environment() {
  set +u
  . "$install/setup.bash"
  set -u
  python3 - "$install" "${packages[@]}" <<'PY' || fail "the ament index does not contain the packages: $AMENT_PREFIX_PATH"
import sys
from ament_index_python.packages import get_package_prefix, get_package_share_directory
install, *packages = sys.argv[1:]
for package in packages:
    assert get_package_prefix(package) == f"{install}/{package}", get_package_prefix(package)
    assert get_package_share_directory(package) == f"{install}/{package}/share/{package}"
PY
}

check_launch_file() {
  python3 "$root/test/launch_file.py" "$install/merrow_bringup/share/merrow_bringup/launch/sim.launch.py" || fail "launch/sim.launch.py"
}

command -v cargo >/dev/null || fail "cargo not found"
if [ -n "${ROS_DISTRO:-}" ]; then
  say "ROS 2 $ROS_DISTRO"
  command -v colcon >/dev/null || fail "colcon not found: apt-get install python3-colcon-common-extensions"
else
  say "build tools of Debian"
  install_tools
  # Debian's ament and rosidl are modules of Debian's Python, even if another Python is first on the path
  mkdir -p "$workspace/bin"
  ln -sf /usr/bin/python3 "$workspace/bin/python3"
  export PATH=$workspace/bin:$PATH
  cmake_arguments=(--cmake-args -DPython3_EXECUTABLE=/usr/bin/python3)
fi

say "workspace in target/colcon"
mkdir -p "$workspace"
copy_package
cd "$workspace"
if [ -z "${ROS_DISTRO:-}" ]; then
  make_stand_ins
  colcon build --packages-up-to "${packages[@]}" --packages-skip "${packages[@]}" "${cmake_arguments[@]}" || fail "replacement packages do not build"
  set +u
  . install/setup.bash
  set -u
fi

say "colcon build"
[ "$(colcon list --packages-select "${packages[@]}" | grep -c '(ros.ament_cmake)')" = ${#packages[@]} ] \
  || fail "colcon does not detect the ROS packages"
colcon build --packages-select "${packages[@]}" --event-handlers console_direct+ ${cmake_arguments[@]+"${cmake_arguments[@]}"} \
  || fail "colcon build"

say "install tree"
check_install_tree
check_environment
check_user_of_interfaces
say "launch file"
check_launch_file
say "installed binary"
check_binary
if [ -n "${ROS_DISTRO:-}" ]; then
  say "native backend"
  check_native_backend
fi
say "all passed"
