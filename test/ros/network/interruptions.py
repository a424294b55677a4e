#!/usr/bin/env python3
"""Interrupts and disturbs the network between a running world and a Cyclone DDS peer, and checks
that topics, services, parameters and actions work again within three seconds.

    python3 test/ros/network/interruptions.py [--binary target/debug/merrow]

World and peer run in two network namespaces, connected by a virtual Ethernet link or by link.cpp,
which loses, delays, reorders and duplicates packets, or loses all of them while the interfaces stay up. Needs root, g++ and network namespaces; without
them it prints a message and ends with exit code 0. Part of `test/run slow`.
"""

import argparse
import contextlib
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
from peer import Peer, _with_header, define, message_type, valid, wait_for
define("merrow/srv/StepSimulation_Request", "uint64 steps")
define("merrow/srv/StepSimulation_Response", "bool success; string message; builtin_interfaces/msg/Time time")
# building the types takes longer than the discovery
action = arm_types.GRIPPER
for name in ("rcl_interfaces/srv/GetParameters", "rcl_interfaces/srv/SetParameters", "merrow/srv/StepSimulation",
             f"{action}_SendGoal", f"{action}_GetResult", arm_types.CANCEL):
    _with_header(f"{name}_Request"), _with_header(f"{name}_Response")
for name in ("rosgraph_msgs/msg/Clock", "tf2_msgs/msg/TFMessage", f"{action}_FeedbackMessage", arm_types.STATUS):
    message_type(name)
print(0, 0, flush=True)
peer = Peer(int(sys.argv[2]))
clock = peer.subscriber("/clock", "rosgraph_msgs/msg/Clock")
client = peer.client("/merrow/get_parameters", "rcl_interfaces/srv/GetParameters")
setter = peer.client("/merrow/set_parameters", "rcl_interfaces/srv/SetParameters")
service = peer.client("/merrow/step", "merrow/srv/StepSimulation")
gripper = ActionClient(peer, "/bench/gripper_controller/gripper_cmd", arm_types.GRIPPER)
command = message_type("control_msgs/msg/GripperCommand")(position=0.0, max_effort=0.0)
servers = (client, setter, service, gripper.sender, gripper.asker)
last = None

def works():
    global last
    if not all(server.wait(0.1) for server in servers):
        return False
    if client.call(names=["pace"]) is None or setter.call(parameters=[]) is None or service.call(steps=1) is None:
        return False
    # a late subscriber of a latched topic
    latched = peer.subscriber("/tf_static", "tf2_msgs/msg/TFMessage", transient_local=True, depth=1)
    if not wait_for(lambda: valid(latched.take(N=10)), 1):
        return False
    # the last goal was accepted before the interruption
    if last and gripper.asker.call(goal_id=uuid(last)) is None:
        return False
    goal = os.urandom(16)
    answer = gripper.sender.call(goal_id=uuid(goal), goal=gripper.goal_type(command=command))
    if not (answer and answer.accepted):
        return False
    last = goal
    return gripper.asker.call(goal_id=uuid(goal)) is not None

while True:
    clocks = len(valid(clock.take(N=10000)))
    print(clocks, int(clocks > 0 and works()), flush=True)
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


class Pair:
    """A world and a peer that communicate. A context manager that ends both."""

    def __init__(self, binary, interface):
        self.binary, self.interface = binary, interface

    def __enter__(self):
        self.start_world()
        self.start_peer()
        wait_for_all(self.peer, "start", 10)
        return self

    def __exit__(self, *_):
        for process in (self.world, self.peer):
            process.kill()
            process.wait()

    def start_world(self):
        """Starts the world with an arm."""
        self.world = start(NEAR, self.binary, "run", FOLDER / "worlds" / "arm.yaml")

    def start_peer(self):
        """Starts the peer and waits until it has loaded its modules and built its types."""
        self.peer = start(FAR, sys.executable, "-c", PEER, FOLDER, DOMAIN, CYCLONEDDS_URI=URI.format(self.interface))
        assert self.peer.stdout.readline() == "0 0\n", "the peer did not start"


def check_interruptions(pair):
    """Switches interfaces off and on, and ends and kills the world and the peer."""
    for duration_s in (2, LONG_S):
        for name in LINKS:
            interrupt(pair.peer, name, duration_s)
    for how in (signal.SIGTERM, signal.SIGKILL):
        # the process is the child of `ip netns exec`, which has become it
        pair.world.send_signal(how)
        pair.world.wait()
        pair.start_world()
        wait_for_all(pair.peer, f"world ended by {how.name} and started again", RECOVERY_S)
    for how in (signal.SIGTERM, signal.SIGKILL):
        pair.peer.send_signal(how)
        pair.peer.wait()
        pair.start_peer()
        wait_for_all(pair.peer, f"peer ended by {how.name} and started again", RECOVERY_S)


def check_black_hole(pair, link):
    """Loses all packets for a while, with interfaces that stay up."""
    for duration_s in (2, LONG_S):
        link.send_signal(signal.SIGUSR1)
        discard(pair.peer, duration_s)
        link.send_signal(signal.SIGUSR1)
        wait_for_all(pair.peer, f"all packets lost for {duration_s} s", RECOVERY_S)


def check_disturbance(pair):
    """Uses a network that loses, delays, reorders and duplicates packets."""
    end, longest = time.monotonic() + DISTURBED_S, 0
    while time.monotonic() < end:
        longest = max(longest, wait_for_all(pair.peer, "", RECOVERY_S))
    print("delay {} ms, jitter {} ms, loss {} %, duplicates {} %: ".format(*DISTURBANCE)
          + f"longest wait {longest:.1f} s", flush=True)


@contextlib.contextmanager
def linked(*disturbance):
    """Connects the namespaces by link.cpp with its last arguments; yields its process."""
    program = ROOT / "target" / "link"
    source = FOLDER / "network" / "link.cpp"
    subprocess.run(["g++", "-std=c++17", "-O2", "-o", program, source], check=True)
    ends = [part for name in LINKS for part in (name, f"{LINKS[name][1]}/24")]
    command = [program, *ends, *map(str, disturbance)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout.readline() == "up\n", "the link did not start"
            yield process
        finally:
            process.kill()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=pathlib.Path, default=ROOT / "target/debug/merrow", help="the program")
    arguments = parser.parse_args()
    binary = arguments.binary.resolve()
    if not connect():
        return
    try:
        with Pair(binary, "vb") as pair:
            check_interruptions(pair)
        for name, (interface, _) in LINKS.items():
            ip("-n", name, "link", "del", interface, check=False)
        with linked(1, 0, 0, 0) as link, Pair(binary, "link0") as pair:
            check_black_hole(pair, link)
        with linked(*DISTURBANCE), Pair(binary, "link0") as pair:
            check_disturbance(pair)
    finally:
        clean()
    print("all interruptions and disturbances passed")


if __name__ == "__main__":
    main()
