#!/bin/sh
# Builds the Fast DDS peers with the library of Debian or Ubuntu: build.sh [FOLDER [NAME...]]
# FOLDER contains the programs (default: target/); NAMEs select programs. Installs the library if it
# is missing and the script runs as root. Exit code 77: there is no library or no compiler.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$here/../../../target}
[ $# = 0 ] || shift
has_library() {
    echo '#include <fastdds/dds/domain/DomainParticipant.hpp>' | g++ -std=c++17 -E -x c++ - >/dev/null 2>&1
}
if ! has_library; then
    if [ "$(id -u)" != 0 ]; then
        echo "fastdds/build.sh: needs libfastrtps-dev and g++; install them, or run this as root" >&2
        exit 77
    fi
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq libfastrtps-dev g++ >/dev/null; } ||
        exit 77
fi
mkdir -p "$out"
names=" $* "
# build NAME: builds a program if it is selected
build() {
    case $names in
      "  " | *" $1 "*) ;;
      *) return 0 ;;
    esac
    g++ -std=c++17 -O1 -Wall -Wextra -o "$out/fastdds_$1" "$here/$1.cpp" -lfastrtps -lfastcdr
    echo "$out/fastdds_$1"
}
build count
build interrupted
build subscriber
