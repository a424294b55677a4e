#!/usr/bin/env bash
# Checks Merrow with Fast DDS: a node with one entity of every kind (dds_peers.rs), the examples of the crate `ros2`,
# then whole `merrow run` processes.
# Part of `test/run slow`. Needs root, or libfastrtps-dev and g++. Arguments select checks of live.cpp.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../../.."
bash "$here/build.sh" target
export MERROW_FASTDDS_PEER=$PWD/target/fastdds_peer MERROW_FASTDDS_COUNT=$PWD/target/fastdds_count
cargo build --locked
cargo test --locked --test ros fast_dds -- --test-threads=1 --ignored --nocapture
cargo build --locked --workspace --examples
target/fastdds_examples target/debug/examples

bash "$here/live.sh" target/debug/merrow "$@"
echo "all Fast DDS checks passed"
