#!/usr/bin/env bash
# Checks whole runs of a program with Fast DDS: live.sh PROGRAM [NAME...]. NAMEs select checks of live.cpp.
# Started by run.sh with Merrow, and by test/ros/native/run.sh with the native backend.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../../.."
program=$1
shift
[ -x target/fastdds_live ] || bash "$here/build.sh" target
facts=target/fastdds_facts
mkdir -p "$facts"
for world in pool uvms_pool test/ros/fastdds/fleet.yaml; do
  "$program" describe "$world" --json | python3 "$here/facts.py" >"$facts/$(basename "$world" .yaml).facts"
done
target/fastdds_live "$program" "$facts" "$@"
