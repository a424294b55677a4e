#!/usr/bin/env python3
"""Interrupts the network between a running world and a Cyclone DDS peer, and checks that topics and
services work again within three seconds.

    python3 test/ros/network/interruptions.py [--binary target/debug/merrow]

World and peer run in two network namespaces, connected by a virtual Ethernet link. Needs root and
network namespaces; without them it prints a message and ends with exit code 0. Part of
`test/run slow`.
"""

import argparse
import os
import pathlib
import signal
import subprocess
import sys
import time

NEAR, FAR = "merrow_a", "merrow_b"
LINKS = {NEAR: ("va", "10.232.0.1"), FAR: ("vb", "10.232.0.2")}
DOMAIN = "41"
# time within which messages and replies arrive again
RECOVERY_S = 3
# longer than the leases of Cyclone DDS (10 s) and of Merrow (20 s)
LONG_S = 30
URI = """<CycloneDDS><Domain><General><Interfaces><NetworkInterface name="vb"/></Interfaces></General>
</Domain></CycloneDDS>"""

PEER = """
import sys, time
sys.path.insert(0, sys.argv[1])
from peer import Peer, message_type, valid, wait_for
peer = Peer(int(sys.argv[2]))
clock = peer.subscriber("/clock", "rosgraph_msgs/msg/Clock")
client = peer.client("/merrow/get_parameters", "rcl_interfaces/srv/GetParameters")
while True:
    clocks = len(valid(clock.take(N=10000)))
    reply = clocks and client.wait(0.1) and client.call(names=["pace"]) is not None
    print(clocks, int(bool(reply)), flush=True)
    time.sleep(0.1)
"""


def ip(*arguments, check=True):
    """Runs `ip`."""
    return subprocess.run(["ip", *arguments], check=check, capture_output=True, text=True)


def clean():
    """Removes the namespaces."""
    for name in LINKS:
        ip("netns", "del", name, check=False)


def connect():
    """Creates two namespaces and the link; returns False where that is not permitted."""
    clean()
    try:
        for name in LINKS:
            ip("netns", "add", name)
        ip("link", "add", "va", "netns", NEAR, "type", "veth", "peer", "name", "vb", "netns", FAR)
        for name, (link, address) in LINKS.items():
            ip("-n", name, "address", "add", f"{address}/24", "dev", link)
            for device in ("lo", link):
                ip("-n", name, "link", "set", device, "up")
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"no permission to create network namespaces: skipped ({error})")
        return False
    return True


def start(name, *command, **variables):
    """Starts a process in a namespace."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("ROS_")}
    environment |= {"ROS_DOMAIN_ID": DOMAIN, **variables}
    return subprocess.Popen(["ip", "netns", "exec", name, *map(str, command)], env=environment,
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def wait_for_all(peer, what, timeout_s):
    """Waits until messages and replies arrive; returns the seconds that it took."""
    begin = time.monotonic()
    while time.monotonic() < begin + timeout_s + 1:
        clocks, reply = peer.stdout.readline().split()
        if int(clocks) > 0 and reply == "1":
            break
    took = time.monotonic() - begin
    print(f"{what}: {took:.1f} s", flush=True)
    assert took <= timeout_s, f"{what}: {took:.1f} s, expected at most {timeout_s} s"
    return took


def discard(peer, duration_s):
    """Reads what the peer prints for a while, and the last of it."""
    end = time.monotonic() + duration_s
    while time.monotonic() < end:
        peer.stdout.readline()


def interrupt(peer, name, duration_s):
    """Switches the link of a namespace off and on again."""
    link = LINKS[name][0]
    ip("-n", name, "link", "set", link, "down")
    discard(peer, duration_s)
    ip("-n", name, "link", "set", link, "up")
    wait_for_all(peer, f"{link} down for {duration_s} s, then up", RECOVERY_S)


def check(binary):
    """Runs all interruptions."""
    world = start(NEAR, binary, "run", "pool")
    peer = start(FAR, sys.executable, "-c", PEER, pathlib.Path(__file__).parents[1], DOMAIN, CYCLONEDDS_URI=URI)
    try:
        wait_for_all(peer, "start", 10)
        for duration_s in (2, LONG_S):
            for name in LINKS:
                interrupt(peer, name, duration_s)
        for how in (signal.SIGTERM, signal.SIGKILL):
            # the process is the child of `ip netns exec`, which has become it
            world.send_signal(how)
            world.wait()
            world = start(NEAR, binary, "run", "pool")
            wait_for_all(peer, f"world ended by {how.name} and started again", RECOVERY_S)
    finally:
        for process in (world, peer):
            process.kill()
            process.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    root = pathlib.Path(__file__).resolve().parents[3]
    parser.add_argument("--binary", type=pathlib.Path, default=root / "target/debug/merrow", help="the program")
    arguments = parser.parse_args()
    if not connect():
        return
    try:
        check(arguments.binary.resolve())
    finally:
        clean()
    print("all interruptions passed")


if __name__ == "__main__":
    main()
