"""Counts the samples of one topic that a Cyclone DDS reader with the default receive buffer receives.

    python3 test/ros/count.py DOMAIN TOPIC TYPE reliable|best_effort BYTES

TOPIC and TYPE are the names on DDS. Prints `matched`, then, once no sample has arrived for one
second, or three seconds on a link with losses, the number of samples of BYTES bytes. Started by
large_samples.rs.
"""

import os
import sys
import time

# Cyclone DDS requests more than the default of Linux, and the system may grant it
BUFFER = """<CycloneDDS><Domain><Internal><SocketReceiveBufferSize max="106496 B"/></Internal></Domain></CycloneDDS>"""
os.environ["CYCLONEDDS_URI"] = ",".join(filter(None, [os.environ.get("CYCLONEDDS_URI"), BUFFER]))

import peer

# repairs through a link with losses delay samples by up to a second
SILENCE_S = 1 if os.environ.get("MERROW_LINK_LOSSES", "0") == "0" else 3


class Size:
    """Replaces a sample of which only the size counts."""

    def __init__(self, size):
        self.size, self.sample_info = size, None


def main():
    domain, topic, type_name, reliability, size = sys.argv[1:]
    package, kind, _, base = type_name.rstrip("_").split("::")
    structure = peer.struct_type(f"{package}/{kind}/{base}", {"nothing": peer.types.uint8})

    structure.deserialize = staticmethod(lambda data, **_: Size(len(data)))
    participant = peer.Peer(int(domain))
    reader = participant.raw_subscriber(topic, structure, reliable=reliability == "reliable", depth=1000)
    deadline = time.monotonic() + 20
    while not reader.get_matched_publications():
        assert time.monotonic() < deadline, f"no writer of {topic}"
        time.sleep(0.01)
    print("matched", flush=True)
    count, last, patience = 0, time.monotonic(), 10
    while time.monotonic() - last < patience:
        for sample in reader.take(N=100):
            # a payload may end with up to 3 bytes of padding
            count += int(size) <= sample.size < int(size) + 4
            last, patience = time.monotonic(), SILENCE_S
        time.sleep(0.005)
    print(count, flush=True)


if __name__ == "__main__":
    main()
