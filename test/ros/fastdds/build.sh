#!/bin/sh
# Builds the Fast DDS peers into the given folder (default: target/) with the library of Debian or Ubuntu. Installs
# the library if it is missing and the script runs as root.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$here/../../../target}
if ! [ -e /usr/include/fastdds/dds/domain/DomainParticipant.hpp ] || ! command -v g++ >/dev/null; then
    if [ "$(id -u)" != 0 ]; then
        echo "fastdds/build.sh: needs libfastrtps-dev and g++; install them, or run this as root" >&2
        exit 1
    fi
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq libfastrtps-dev g++ >/dev/null
fi
mkdir -p "$out"
build() {
    name=$1
    shift
    g++ -std=c++17 -O1 -Wall -Wextra -o "$out/fastdds_$name" "$@" -lfastrtps -lfastcdr
    echo "$out/fastdds_$name"
}
build peer "$here/peer.cpp"
build count "$here/count.cpp"
build examples "$here/examples.cpp" "$here/merrow.cpp" "$here/messages.cpp"
build live "$here/live.cpp" "$here/merrow.cpp" "$here/messages.cpp" "$here"/check_*.cpp
