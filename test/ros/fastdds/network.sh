#!/usr/bin/env bash
# Large samples to Fast DDS through a link with 1 ms delay and 1 % loss in each direction.
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
ip -n $near link set lo up
ip -n $far link set lo up
delay_ms=${1:-1} loss_percent=${2:-1}
"${MERROW_PYTHON:-python3}" test/ros/network/link.py $near 10.231.0.1/24 $far 10.231.0.2/24 "$delay_ms" "$loss_percent" &
link=$!
for _ in $(seq 100); do
  if ip -n $far link show link0 up 2>/dev/null | grep -q link0; then break; fi
  sleep 0.1
done
export MERROW_COUNT_BEHIND="ip netns exec $far"
export MERROW_FASTDDS_COUNT=${MERROW_FASTDDS_COUNT:-$PWD/target/fastdds_count}
ip netns exec $near cargo test --locked --test ros fast_dds_receives_large -- --ignored --nocapture
