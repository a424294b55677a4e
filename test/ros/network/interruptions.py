#!/usr/bin/env python3
"""Interrupts and disturbs the network between a running world and a Cyclone DDS peer, and checks
that topics, services and actions work again within three seconds.

    python3 test/ros/network/interruptions.py [--binary target/debug/merrow]

World and peer run in two network namespaces, connected by a virtual Ethernet link or by link.cpp,
which loses, delays, reorders and duplicates packets. Needs root, g++ and network namespaces; without
them it prints a message and ends with exit code 0. Part of `test/run slow`.
"""

import argparse
import os
import pathlib
import signal
import subprocess
import sys
import time

FOLDER = pathlib.Path(__file__).resolve().parents[1]
ROOT = FOLDER.parents[1]
NEAR, FAR = "merrow_a", "merrow_b"
LINKS = {NEAR: ("va", "10.232.0.1"), FAR: ("vb", "10.232.0.2")}
DOMAIN = "41"
# time within which messages and replies arrive again
RECOVERY_S = 3
# longer than the leases of Cyclone DDS (10 s) and of Merrow (20 s)
LONG_S = 30
URI = """<CycloneDDS><Domain><General><Interfaces><NetworkInterface name="{}"/></Interfaces></General>
</Domain></CycloneDDS>"""
# delay, jitter [ms], loss, duplicates [%]
DISTURBANCE = (1, 20, 5, 5)
# time for which a disturbed network is used, and the longest wait for messages and replies in it
DISTURBED_S = 30

PEER = """
import os, sys, time
sys.path.insert(0, sys.argv[1])
import arm_types
from action_client import ActionClient, uuid
from peer import Peer, message_type, valid
peer = Peer(int(sys.argv[2]))
clock = peer.subscriber("/clock", "rosgraph_msgs/msg/Clock")
client = peer.client("/merrow/get_parameters", "rcl_interfaces/srv/GetParameters")
gripper = ActionClient(peer, "/bench/gripper_controller/gripper_cmd", arm_types.GRIPPER)
command = message_type("control_msgs/msg/GripperCommand")(position=0.0, max_effort=0.0)
servers = (client, gripper.sender, gripper.asker)
while True:
    clocks = len(valid(clock.take(N=10000)))
    reply = clocks and all(server.wait(0.1) for server in servers) and client.call(names=["pace"]) is not None
    goal = os.urandom(16)
    answer = reply and gripper.sender.call(goal_id=uuid(goal), goal=gripper.goal_type(command=command))
    done = answer and answer.accepted and gripper.asker.call(goal_id=uuid(goal)) is not None
    print(clocks, int(bool(done)), flush=True)
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
    if what:
        print(f"{what}: {took:.1f} s", flush=True)
    assert took <= timeout_s, f"{what}: {took:.1f} s, expected at most {timeout_s} s"
    return took


def discard(peer, duration_s):
    """Reads the output of the peer for a while, and its last line."""
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


def run_both(binary, interface, check):
    """Runs `check` with a world and a peer that communicate."""
    world = [start_world(binary)]
    peer = start(FAR, sys.executable, "-c", PEER, FOLDER, DOMAIN, CYCLONEDDS_URI=URI.format(interface))
    try:
        wait_for_all(peer, "start", 10)
        check(binary, world, peer)
    finally:
        for process in (world[0], peer):
            process.kill()
            process.wait()


def start_world(binary):
    """Starts the world with an arm."""
    return start(NEAR, binary, "run", FOLDER / "worlds" / "arm.yaml")


def check_interruptions(binary, world, peer):
    """Switches interfaces off and on, and ends and kills the world."""
    for duration_s in (2, LONG_S):
        for name in LINKS:
            interrupt(peer, name, duration_s)
    for how in (signal.SIGTERM, signal.SIGKILL):
        # the process is the child of `ip netns exec`, which has become it
        world[0].send_signal(how)
        world[0].wait()
        world[0] = start_world(binary)
        wait_for_all(peer, f"world ended by {how.name} and started again", RECOVERY_S)


def check_disturbance(_binary, _world, peer):
    """Uses a network that loses, delays, reorders and duplicates packets."""
    end, longest = time.monotonic() + DISTURBED_S, 0
    while time.monotonic() < end:
        longest = max(longest, wait_for_all(peer, "", RECOVERY_S))
    print("delay {} ms, jitter {} ms, loss {} %, duplicates {} %: ".format(*DISTURBANCE)
          + f"longest wait {longest:.1f} s", flush=True)


def disturbed_link():
    """Starts the program that connects the namespaces; returns its process."""
    program = ROOT / "target" / "link"
    source = FOLDER / "network" / "link.cpp"
    subprocess.run(["g++", "-std=c++17", "-O2", "-o", program, source], check=True)
    ends = [part for name in LINKS for part in (name, f"{LINKS[name][1]}/24")]
    command = [program, *ends, *map(str, DISTURBANCE)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "up\n", "the link did not start"
    return process


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=pathlib.Path, default=ROOT / "target/debug/merrow", help="the program")
    arguments = parser.parse_args()
    binary = arguments.binary.resolve()
    if not connect():
        return
    link = None
    try:
        run_both(binary, "vb", check_interruptions)
        for name, (interface, _) in LINKS.items():
            ip("-n", name, "link", "del", interface, check=False)
        link = disturbed_link()
        run_both(binary, "link0", check_disturbance)
    finally:
        if link:
            link.kill()
        clean()
    print("all interruptions and disturbances passed")


if __name__ == "__main__":
    main()
