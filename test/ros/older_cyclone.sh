#!/usr/bin/env bash
# Runs the checks of end_to_end.py with Cyclone DDS 0.10, which ROS 2 Humble and Jazzy ship.
# The Python environment of the other tests has the current version.
#     test/ros/older_cyclone.sh [ARGUMENT OF end_to_end.py]...
# Part of `test/run slow`. Installs the library of Debian or Ubuntu if it is missing and the script
# runs as root; skipped with a message otherwise.
set -euo pipefail
cd "$(dirname "$0")/../.."
if ! [ -e /usr/include/dds/dds.h ] || ! command -v idlc >/dev/null; then
  if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "needs cyclonedds-dev and cyclonedds-tools: skipped"
    exit 0
  fi
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq cyclonedds-dev cyclonedds-tools >/dev/null
fi
case $(dpkg-query --show --showformat '${Version}' cyclonedds-dev) in
  0.10.*) ;;
  *) echo "the packaged Cyclone DDS is not 0.10: skipped"; exit 0 ;;
esac
folder=$PWD/target/older_cyclone
if ! [ -e "$folder/ready" ]; then
  rm -rf "$folder"
  mkdir -p "$folder"
  # the build of the Python package expects these folders in one place
  ln -s "/usr/lib/$(gcc -print-multiarch)" "$folder/lib"
  ln -s /usr/include "$folder/include"
  ln -s /usr/bin "$folder/bin"
  python3 -m venv "$folder/venv"
  grep -v '^cyclonedds==' test/requirements.txt > "$folder/requirements.txt"
  CYCLONEDDS_HOME=$folder "$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
    cyclonedds==0.10.2 -r "$folder/requirements.txt"
  touch "$folder/ready"
fi
cargo build --locked --bin merrow
"$folder/venv/bin/python" test/ros/end_to_end.py --complete "$@"
