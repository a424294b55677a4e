#!/bin/sh
# Builds the Fast DDS peer of dds_peers.rs into the folder given (default: target/), with the library of Debian or
# Ubuntu; installs that where it is missing and this is root.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$here/../../../target}
if ! [ -e /usr/include/fastdds/dds/domain/DomainParticipant.hpp ]; then
    apt-get update -qq
    apt-get install -y -qq libfastrtps-dev g++
fi
mkdir -p "$out"
g++ -std=c++17 -O1 -Wall -Wextra -o "$out/fastdds_peer" "$here/peer.cpp" -lfastrtps -lfastcdr
echo "$out/fastdds_peer"
