#!/usr/bin/env python3
"""Interrupts and disturbs the network between a running world and a peer of either DDS vendor, and
checks that topics, services, parameters and actions work again within three seconds.

    python3 test/ros/network/interruptions.py [--binary target/debug/merrow] [--vendor NAME]... [--only NAME]...

World and peer run in two network namespaces. Peers are interrupted.py with Cyclone DDS and
fastdds/interrupted.cpp with Fast DDS. The checks:

    interruptions   a virtual Ethernet link whose ends are down for a while; world and peer end and start again
    black_hole      link.cpp loses all packets for a while, and the interfaces stay up
    disturbance     link.cpp loses, delays, reorders and duplicates packets
    static_peers    a link without multicast; world or peer or both have the address of the other

Needs root, g++ and network namespaces; without them it prints a message and ends with exit code 0.
Without Fast DDS the checks run with Cyclone DDS only. Part of `test/run slow`.
"""

import argparse
import contextlib
import os
import pathlib
import queue
import signal
import subprocess
import sys
import threading
import time

FOLDER = pathlib.Path(__file__).resolve().parents[1]
ROOT = FOLDER.parents[1]
NEAR, FAR = "merrow_a", "merrow_b"
LINKS = {NEAR: ("va", "10.232.0.1"), FAR: ("vb", "10.232.0.2")}
DOMAIN = "41"
# time within which messages and replies arrive again
RECOVERY_S = 3
VENDORS = ("Cyclone DDS", "Fast DDS")
# longer than the leases of Cyclone DDS (10 s) and of Merrow and Fast DDS (20 s)
LONG_S = 30
# longest round of a peer without a world
PATIENCE_S = 60
# time in which no message arrives if a peer must not be discovered
SILENCE_S = 8
# exit code of build.sh without a library
NO_LIBRARY = 77
URI = """<CycloneDDS><Domain><General><Interfaces><NetworkInterface name="{}"/></Interfaces></General>{}
</Domain></CycloneDDS>"""
DISCOVERY = """<Discovery><ParticipantIndex>auto</ParticipantIndex><Peers>{}</Peers></Discovery>"""
# delay, jitter [ms], loss, duplicates [%]
DISTURBANCE = (1, 20, 5, 5)
# time for which a disturbed network is used
DISTURBED_S = 30
# longest wait in it for a round of the peer. Fast DDS repeats a lost request after its heartbeat
# period, which is 3 s by default, and a round has seven requests.
LONGEST_ROUND_S = {"Cyclone DDS": RECOVERY_S, "Fast DDS": RECOVERY_S + 3 * 3}


def ip(*arguments, check=True):
    """Runs `ip`."""
    return subprocess.run(["ip", *arguments], check=check, capture_output=True, text=True)


def clean():
    """Removes the namespaces."""
    for name in LINKS:
        ip("netns", "del", name, check=False)


def create_namespaces():
    """Creates two namespaces; returns False where that is not permitted."""
    clean()
    try:
        for name in LINKS:
            ip("netns", "add", name)
            ip("-n", name, "link", "set", "lo", "up")
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"no permission to create network namespaces: skipped ({error})")
        return False
    return True


def has_fast_dds():
    """Builds the Fast DDS peer; returns False where the library is not available."""
    build = subprocess.run(["sh", FOLDER / "fastdds" / "build.sh", ROOT / "target", "interrupted"], check=False)
    if build.returncode == NO_LIBRARY:
        print("Fast DDS is not available: skipped")
        return False
    build.check_returncode()
    return True


@contextlib.contextmanager
def wired(*, multicast=True):
    """Connects the namespaces by a virtual Ethernet link."""
    ip("link", "add", "va", "netns", NEAR, "type", "veth", "peer", "name", "vb", "netns", FAR)
    try:
        for name, (link, address) in LINKS.items():
            ip("-n", name, "address", "add", f"{address}/24", "dev", link)
            ip("-n", name, "link", "set", link, "multicast", "on" if multicast else "off", "up")
        # Fast DDS uses the interfaces that work when it starts
        while not all("state UP" in ip("-n", name, "link", "show", link).stdout for name, (link, _) in LINKS.items()):
            time.sleep(0.1)
        yield
    finally:
        ip("-n", NEAR, "link", "del", "va", check=False)


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


def start(name, *command, **variables):
    """Starts a process in a namespace."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("ROS_")}
    environment |= {"ROS_DOMAIN_ID": DOMAIN, **variables}
    return subprocess.Popen(["ip", "netns", "exec", name, *map(str, command)], env=environment,
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


class Pair:
    """A world and a peer that communicate. A context manager that ends both.

    vendor: name of the DDS implementation of the peer
    interface: name of its network interface
    world_variables: environment of the world
    address: the address to which the peer announces itself instead of using multicast
    """

    def __init__(self, binary, vendor, interface, world_variables=None, address=None):
        self.binary, self.vendor, self.interface = binary, vendor, interface
        self.world_variables, self.address = world_variables or {}, address

    def __enter__(self):
        self.start_world()
        self.start_peer()
        return self

    def __exit__(self, *_):
        for process in (self.world, self.peer):
            process.kill()
            process.wait()

    def end_world(self, how):
        """Ends the world, and waits until the peer receives no messages."""
        # the process is the child of `ip netns exec`, which has become it
        self.world.send_signal(how)
        self.world.wait()
        while self.round(PATIENCE_S)[0] > 0:
            pass

    def start_world(self):
        """Starts the world with an arm."""
        self.world = start(NEAR, self.binary, "run", FOLDER / "worlds" / "arm.yaml", **self.world_variables)

    def start_peer(self):
        """Starts the peer and waits until it has loaded its modules and built its types."""
        if self.vendor == "Fast DDS":
            address = [self.address] if self.address else []
            self.peer = start(FAR, ROOT / "target" / "fastdds_interrupted", DOMAIN, *address)
        else:
            discovery = DISCOVERY.format(f'<Peer address="{self.address}"/>') if self.address else ""
            uri = URI.format(self.interface, discovery)
            self.peer = start(FAR, sys.executable, FOLDER / "network" / "interrupted.py", DOMAIN, CYCLONEDDS_URI=uri)
        assert self.peer.stdout.readline() == "0 0\n", "the peer did not start"
        self.lines = queue.SimpleQueue()
        threading.Thread(target=self.read, args=(self.peer, self.lines), daemon=True).start()

    @staticmethod
    def read(process, lines):
        """Puts the lines of a peer into a queue."""
        for line in process.stdout:
            lines.put(line)

    def round(self, timeout_s):
        """Returns the result of the next round: the number of clock messages, and whether all works."""
        clocks, works = self.lines.get(timeout=timeout_s).split()
        return int(clocks), works == "1"

    def discard(self, duration_s):
        """Waits, and discards the rounds that end meanwhile."""
        time.sleep(duration_s)
        while not self.lines.empty():
            self.lines.get()

    def wait_for_all(self, what, timeout_s=RECOVERY_S):
        """Waits until messages and replies arrive; returns the seconds that it took."""
        begin = time.monotonic()
        works = False
        # longer than a request without a reply, so that the time is reported
        with contextlib.suppress(queue.Empty):
            while not works and time.monotonic() < begin + 10 * timeout_s:
                _, works = self.round(10 * timeout_s)
        took = time.monotonic() - begin
        if what:
            print(f"  {what}: {took:.1f} s", flush=True)
        assert works and took <= timeout_s, f"{what}: {took:.1f} s; expected at most {timeout_s} s"
        return took


def interrupt(pair, name, duration_s):
    """Switches the link of a namespace off and on again."""
    link = LINKS[name][0]
    ip("-n", name, "link", "set", link, "down")
    pair.discard(duration_s)
    ip("-n", name, "link", "set", link, "up")
    pair.wait_for_all(f"{link} down for {duration_s} s, then up")


def check_interruptions(binary, vendor):
    """Switches interfaces off and on, and ends and kills the world and the peer."""
    with wired(), Pair(binary, vendor, "vb") as pair:
        pair.wait_for_all("start", 10)
        for duration_s in (2, LONG_S):
            for name in LINKS:
                interrupt(pair, name, duration_s)
        for how in (signal.SIGTERM, signal.SIGKILL):
            pair.end_world(how)
            pair.start_world()
            pair.wait_for_all(f"world ended by {how.name} and started again")
        for how in (signal.SIGTERM, signal.SIGKILL):
            pair.peer.send_signal(how)
            pair.peer.wait()
            pair.start_peer()
            pair.wait_for_all(f"peer ended by {how.name} and started again")


def check_black_hole(binary, vendor):
    """Loses all packets for a while, with interfaces that stay up."""
    with linked(1, 0, 0, 0) as link, Pair(binary, vendor, "link0") as pair:
        pair.wait_for_all("start", 10)
        for duration_s in (2, LONG_S):
            link.send_signal(signal.SIGUSR1)
            pair.discard(duration_s)
            link.send_signal(signal.SIGUSR1)
            pair.wait_for_all(f"all packets lost for {duration_s} s")


def check_disturbance(binary, vendor):
    """Uses a network that loses, delays, reorders and duplicates packets."""
    with linked(*DISTURBANCE), Pair(binary, vendor, "link0") as pair:
        pair.wait_for_all("start", 10)
        end, longest = time.monotonic() + DISTURBED_S, 0
        while time.monotonic() < end:
            longest = max(longest, pair.wait_for_all("", LONGEST_ROUND_S[vendor]))
        print("  delay {} ms, jitter {} ms, loss {} %, duplicates {} %: ".format(*DISTURBANCE)
              + f"longest wait {longest:.1f} s", flush=True)


def check_static_peers(binary, vendor):
    """Uses static peers on a link without multicast."""
    near, far = (address for _, address in LINKS.values())
    names_peer = {"ROS_STATIC_PEERS": far}
    cases = (
        ("both have the address of the other", "OFF", names_peer, near),
        ("only the world has the address of the peer", "LOCALHOST", names_peer, None),
        ("only the world has it, in the default range", "SUBNET", names_peer, None),
        ("only the peer has the address of the world", "SUBNET", {}, near),
    )
    with wired(multicast=False):
        for what, discovery, peers, address in cases:
            variables = {"ROS_AUTOMATIC_DISCOVERY_RANGE": discovery, **peers}
            with Pair(binary, vendor, "vb", variables, address) as pair:
                pair.wait_for_all(f"static peers: {what}, range {discovery}", 10)
    with wired(), Pair(binary, vendor, "vb", {"ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"}) as pair:
        end = time.monotonic() + SILENCE_S
        while time.monotonic() < end:
            clocks, _ = pair.round(SILENCE_S)
            assert clocks == 0, "messages of a world with range LOCALHOST arrived on another machine"
        print("  no static peers, range LOCALHOST: no messages", flush=True)


CHECKS = (check_interruptions, check_black_hole, check_disturbance, check_static_peers)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=pathlib.Path, default=ROOT / "target/debug/merrow", help="the program")
    parser.add_argument("--vendor", action="append", choices=VENDORS, help="DDS implementation of the peer")
    parser.add_argument("--only", action="append", default=[], help="checks whose name contains this")
    arguments = parser.parse_args()
    vendors = arguments.vendor or VENDORS
    if not create_namespaces():
        return
    try:
        for vendor in vendors:
            if vendor == "Fast DDS" and not has_fast_dds():
                continue
            for check in CHECKS:
                if not arguments.only or any(part in check.__name__ for part in arguments.only):
                    print(f"{vendor}, {check.__name__.removeprefix('check_')}", flush=True)
                    check(arguments.binary.resolve(), vendor)
    finally:
        clean()
    print("all interruptions and disturbances passed")


if __name__ == "__main__":
    main()
