#!/usr/bin/env bash
# Large samples to Fast DDS (large_samples.rs). Part of `test/run slow`. Needs root, or libfastrtps-dev and g++.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../../.."
bash "$here/build.sh" target count
MERROW_FASTDDS_COUNT=$PWD/target/fastdds_count \
  cargo test --locked --test ros fast_dds -- --test-threads=1 --ignored --nocapture
