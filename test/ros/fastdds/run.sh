#!/usr/bin/env bash
# Checks Merrow from Fast DDS: a node with one of everything (dds_peers.rs), then a whole `merrow run` process.
# Part of `test/run slow`: needs root, or libfastrtps-dev and g++.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../../.."
bash "$here/build.sh" target
export MERROW_FASTDDS_PEER=$PWD/target/fastdds_peer
cargo build --locked
cargo test --locked --test all fast_dds -- --ignored --nocapture

# one domain per process, below those whose ports Linux gives away
domain=$(($$ % 100 + 1))
ROS_DOMAIN_ID=$domain target/debug/merrow run pool >/dev/null &
merrow=$!
trap 'kill -9 $merrow 2>/dev/null || true' EXIT
target/fastdds_live "$domain"
kill -INT "$merrow"
wait "$merrow"
trap - EXIT
echo "all Fast DDS checks passed"
