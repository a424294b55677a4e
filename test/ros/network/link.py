"""Connects two network namespaces by a link with delay and loss, also where the kernel has no netem.

    python3 test/ros/network/link.py NAMESPACE ADDRESS NAMESPACE ADDRESS DELAY_MS LOSS_PERCENT

Each ADDRESS has a prefix length. Prints `up`, then forwards packets until it is stopped. Needs root.
"""

import collections
import ctypes
import fcntl
import os
import random
import select
import struct
import subprocess
import sys
import time

TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 0x0001, 0x1000
CLONE_NEWNET = 0x40000000


def open_device(namespace, address):
    """Returns the file of a new network device in a namespace."""
    libc = ctypes.CDLL(None, use_errno=True)
    with open(f"/var/run/netns/{namespace}", encoding="ascii") as target:
        if libc.setns(target.fileno(), CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), f"cannot enter network namespace {namespace}")
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH", b"link0", IFF_TUN | IFF_NO_PI))
    for command in (["address", "add", address, "dev", "link0"],
                    ["link", "set", "link0", "mtu", "1500", "txqueuelen", "20000", "multicast", "on", "up"]):
        subprocess.run(["ip", *command], check=True)
    return device


def main():
    first, first_address, second, second_address, delay_ms, loss_percent = sys.argv[1:]
    devices = [open_device(first, first_address), open_device(second, second_address)]
    other = {devices[0]: devices[1], devices[1]: devices[0]}
    delay_s, loss = float(delay_ms) * 1e-3, float(loss_percent) * 0.01
    source, flying = random.Random(7), collections.deque()
    print("up", flush=True)
    while True:
        timeout = max(flying[0][0] - time.monotonic(), 0) if flying else None
        ready, _, _ = select.select(devices, [], [], timeout)
        now = time.monotonic()
        for device in ready:
            for _ in range(64):
                try:
                    packet = os.read(device, 2048)
                except BlockingIOError:
                    break
                if source.random() >= loss:
                    flying.append((now + delay_s, other[device], packet))
        while flying and flying[0][0] <= now:
            _, device, packet = flying.popleft()
            try:
                os.write(device, packet)
            except BlockingIOError:
                pass


if __name__ == "__main__":
    main()
