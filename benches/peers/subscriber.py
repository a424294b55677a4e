"""Subscribes to Imu topics over Cyclone DDS, like a ROS 2 node, and counts the received messages.

    python subscriber.py DOMAIN SETTLE_S WINDOW_S TOPIC...    prints one JSON object

Run by benches/run in its own Python environment; it uses the DDS peer of the tests.
"""

import json
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "test" / "ros"))

import peer  # noqa: E402


def main():
    """Counts messages for WINDOW_S seconds starting SETTLE_S seconds after the start."""
    start = time.monotonic()
    domain, settle_s, window_s = int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3])
    node = peer.Peer(domain)
    readers = [node.subscriber(topic, "sensor_msgs/msg/Imu", depth=200) for topic in sys.argv[4:]]
    counts = [0] * len(readers)
    counted_from = start + settle_s
    end = counted_from + window_s
    while (now := time.monotonic()) < end:
        for i, reader in enumerate(readers):
            taken = len(peer.valid(reader.take(N=200)))
            counts[i] += taken if now >= counted_from else 0
        time.sleep(0.1)
    print(json.dumps({"topics": len(counts), "silent": counts.count(0), "messages_per_s": sum(counts) / window_s}))


if __name__ == "__main__":
    main()
