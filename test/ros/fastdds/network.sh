#!/usr/bin/env bash
# Large samples to Fast DDS through a link with 1 ms delay and 1 % loss in each direction.
# Part of `test/run slow`. Needs root and network namespaces; skipped with a message without them.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../../.."
near=merrow_near far=merrow_far
clean() { ip netns del $near 2>/dev/null || true; ip netns del $far 2>/dev/null || true; }
clean
if ! ip netns add $near 2>/dev/null || ! ip netns add $far 2>/dev/null; then
  clean
  echo "no permission to create network namespaces: skipped"
  exit 0
fi
trap clean EXIT
ip link add near0 netns $near type veth peer name far0 netns $far
for side in near far; do
  ip -n merrow_$side link set lo up
  ip -n merrow_$side link set ${side}0 up
done
ip -n $near address add 10.231.0.1/24 dev near0
ip -n $far address add 10.231.0.2/24 dev far0
if ! tc -n $near qdisc add dev near0 root netem delay 1ms loss 1% limit 100000 2>/dev/null ||
  ! tc -n $far qdisc add dev far0 root netem delay 1ms loss 1% limit 100000 2>/dev/null; then
  echo "no netem in this kernel: skipped"
  exit 0
fi
export MERROW_COUNT_BEHIND="ip netns exec $far"
export MERROW_FASTDDS_COUNT=${MERROW_FASTDDS_COUNT:-$PWD/target/fastdds_count}
ip netns exec $near cargo test --locked --test ros fast_dds_receives_large -- --ignored --nocapture
