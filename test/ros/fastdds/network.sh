#!/usr/bin/env bash
# Large samples to Fast DDS and Cyclone DDS through a link with 1 ms delay, with and without 1 % loss.
#     test/ros/fastdds/network.sh [DELAY_MS LOSS_PERCENT]
# Part of `test/run slow`. Needs root and network namespaces; skipped with a message without them.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../../.."
near=merrow_near far=merrow_far link=
clean() {
  if [ -n "$link" ]; then kill "$link" 2>/dev/null || true; fi
  ip netns del $near 2>/dev/null || true
  ip netns del $far 2>/dev/null || true
}
clean
if ! ip netns add $near 2>/dev/null || ! ip netns add $far 2>/dev/null || ! [ -w /dev/net/tun ]; then
  clean
  echo "no permission to create network namespaces and devices: skipped"
  exit 0
fi
trap clean EXIT
g++ -std=c++17 -O2 -o target/link test/ros/network/link.cpp
export MERROW_COUNT_BEHIND="ip netns exec $far"
export MERROW_FASTDDS_COUNT=${MERROW_FASTDDS_COUNT:-$PWD/target/fastdds_count}

# samples DELAY_MS LOSS_PERCENT: sends large samples through a link
samples() {
  ip -n $near link set lo up
  ip -n $far link set lo up
  target/link $near 10.231.0.1/24 $far 10.231.0.2/24 "$1" 0 "$2" 0 >/dev/null &
  link=$!
  for _ in $(seq 100); do
    if ip -n $far link show link0 up 2>/dev/null | grep -q link0; then break; fi
    sleep 0.1
  done
  echo "delay $1 ms, loss $2 %"
  MERROW_LINK_LOSSES=$2 ip netns exec $near cargo test --locked --test ros dds_receives_large -- \
    --include-ignored --test-threads=1 --nocapture
  kill $link
  wait $link 2>/dev/null || true
  link=
}

if [ $# -gt 0 ]; then
  samples "$1" "$2"
else
  samples 1 0
  samples 1 1
fi
