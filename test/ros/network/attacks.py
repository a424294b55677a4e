#!/usr/bin/env python3
"""Attacks a run from another host, and prints the results as JSON.

    unshare -Urn python3 test/ros/network/attacks.py BINARY cyclonedds|rclpy

`attacks.py DOMAIN cyclonedds|rclpy` is the genuine peer of a flood: it prints the time from its start until a message
of the run arrives. A peer of rclpy uses the RMW of RMW_IMPLEMENTATION.

The run is in the network namespace of the program at 10.232.0.1/24. The attackers are in a second
namespace, which a virtual Ethernet link connects. Needs no root: the namespaces belong to a user
namespace. checks/program/attacks.py and native/rclpy_checks.py start it by `attack`.
"""

import contextlib
import ctypes
import itertools
import json
import os
import pathlib
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

RUN, HOST, OTHER, THIRD, STRANGER = "10.232.0.1", "10.232.0.2", "10.232.0.3", "10.232.0.4", "10.233.0.2"
DOMAIN = 41
PORT = 7400 + 250 * DOMAIN + 10
DATA = 0x15
VIEW_PORT = 8080
FAKES, FLOOD_S = 10_000, 1.3
# forged participants per second; the checks with Cyclone DDS run at the same time as others
FORGED_HZ = {"cyclonedds": 2000, "rclpy": FAKES / FLOOD_S}
# URI of Cyclone DDS for an address of the second namespace
URI = ("<CycloneDDS><Domain><General><Interfaces><NetworkInterface address='{}'/></Interfaces></General>"
       "</Domain></CycloneDDS>")
# time within which an honest host is answered, also on a machine that runs other tests
PATIENCE_S = 3


def attack(binary, peer):
    """Returns the results of this script; None without the permission to create network namespaces."""
    inside = ["unshare", "-Urn"]
    try:
        subprocess.run([*inside, "ip", "link"], capture_output=True, check=True)
    except (FileNotFoundError, subprocess.CalledProcessError):
        return None
    done = subprocess.run([*inside, sys.executable, __file__, binary, peer], capture_output=True, text=True, timeout=120,
                          check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def late(found):
    """Returns those of the results that are times above the patience of an honest host."""
    return {name: value for name, value in found.items() if name.endswith("_s") and (value or 9) > PATIENCE_S}


def commands(prefix, *lines):
    """Runs lines of commands."""
    for line in lines:
        subprocess.run([*prefix, *line.split()], check=True)


def message(number, *submessages):
    """Returns an RTPS message of participant `number`. A submessage is its kind and its content."""
    packed = b"".join(struct.pack("<BBH", kind, 5 if kind == DATA else 1, len(content)) + content
                      for kind, content in submessages)
    return b"RTPS" + bytes([2, 3, 1, 15]) + prefix_of(number) + packed


def prefix_of(number):
    """Returns the GUID prefix of participant `number`."""
    return struct.pack(">I", number) + b"\x09" * 8


def announcement(number, address):
    """Returns the submessage that announces participant `number`, which receives at `address`."""
    locator = struct.pack("<iI12x", 1, 7411) + socket.inet_aton(address)
    # as long as the answer, which must not be longer
    user_data = struct.pack("<I", 1000) + bytes(1000)
    parameters = [(0x50, prefix_of(number) + struct.pack(">I", 0x1C1)), (0x15, bytes([2, 3, 0, 0])),
                  (0x16, bytes([1, 1, 0, 0])), (0x32, locator), (0x31, locator), (0x02, struct.pack("<iI", 100, 0)),
                  (0x58, struct.pack("<I", 0xC3F)), (0x2C, user_data), (0x01, b"")]
    listed = b"".join(struct.pack("<HH", key, len(value)) + value for key, value in parameters)
    return DATA, (struct.pack("<HH", 0, 16) + struct.pack(">II", 0, 0x000100C2) + struct.pack("<iI", 0, 1)
                  + b"\0\3\0\0" + listed)


def requests(prefix, count):
    """Returns submessages that request all announcements of endpoints of the participant `prefix`, for the `count`th time."""
    wanted = struct.pack("<iIIIi", 0, 1, 32, 0xFFFFFFFF, count)
    return (0x0E, prefix), *((0x06, struct.pack(">II", reader, writer) + wanted)
                             for reader, writer in ((0x3C7, 0x3C2), (0x4C7, 0x4C2)))


def answer(number, address):
    """Announces a participant from `address`; returns the GUID prefix of the run if it answers, else None."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as own:
        own.bind((address, 7411))
        own.settimeout(PATIENCE_S)
        own.sendto(message(number, announcement(number, address)), (RUN, PORT))
        try:
            return own.recv(2000)[8:20]
        except TimeoutError:
            return None


def flood():
    """Announces participants that receive at addresses which no host has."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as own:
        own.bind((HOST, 0))
        start = time.monotonic()
        for number in range(FAKES):
            absent = announcement(1000 + number, f"10.232.{1 + number // 250}.{1 + number % 250}")
            own.sendto(message(1000 + number, absent), (RUN, PORT))
            time.sleep(max(0, start + FLOOD_S * number / FAKES - time.monotonic()))


def packet(address, payload):
    """Returns an IP packet from `address` to the discovery port of the run."""
    udp = struct.pack(">HHHH", 7411, PORT, 8 + len(payload), 0) + payload
    # the system fills in the length, the identification and the checksum
    ip = struct.pack(">BBHHHBBH", 0x45, 0, 0, 0, 0, 64, socket.IPPROTO_UDP, 0)
    return ip + socket.inet_aton(address) + socket.inet_aton(RUN) + udp


@contextlib.contextmanager
def forged_flood():
    """Announces participants in the names of absent hosts until the context ends."""
    def forged(host):
        address = f"10.232.{60 + host // 250}.{1 + host % 250}"
        return packet(address, message(100_000 + host, announcement(100_000 + host, address)))

    # to build them takes longer than to send them
    packets = [forged(host) for host in range(FAKES)]

    def send(own, number):
        own.sendto(packets[number % FAKES], (RUN, 0))

    with repeated(send, 1 / FORGED_HZ[sys.argv[2]]):
        yield


@contextlib.contextmanager
def absent_receivers(prefix):
    """Requests much data for participants of one host that receive at absent hosts, until the context ends."""
    def send(own, number):
        for host in range(1, 9):
            announced = announcement(20_000 + host, f"10.232.200.{host}")
            own.sendto(packet(THIRD, message(20_000 + host, announced, *requests(prefix, number))), (RUN, 0))

    with repeated(send, 0.01):
        yield


@contextlib.contextmanager
def repeated(send, period_s):
    """Calls `send` with a raw socket and a number that increases, until the context ends."""
    stop = threading.Event()

    def run():
        with socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW) as own:
            start = time.monotonic()
            for number in itertools.count(1):
                if stop.wait(max(0, start + period_s * number - time.monotonic())):
                    return
                send(own, number)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        time.sleep(FLOOD_S)
        yield
    finally:
        stop.set()
        thread.join()


def discovery_s():
    """Returns after how many seconds a genuine peer receives a message of the run, or None."""
    settings = {"CYCLONEDDS_URI": URI.format(OTHER), "ROS_AUTOMATIC_DISCOVERY_RANGE": "SUBNET"}
    done = subprocess.run([sys.executable, __file__, str(DOMAIN), sys.argv[2]], env=os.environ | settings,
                          capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def cyclonedds_s(domain):
    """Returns the result of `discovery_s` as a peer of Cyclone DDS in a domain."""
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
    import peer  # needs Cyclone DDS, the attackers do not

    peer.message_type("rosgraph_msgs/msg/Clock")
    start = time.monotonic()
    clock = peer.Peer(domain).subscriber("/clock", "rosgraph_msgs/msg/Clock")
    return time.monotonic() - start if peer.collect(clock, 1) else None


def rclpy_s(domain):
    """Returns the result of `discovery_s` as a node of rclpy in a domain. Fast DDS sends from all addresses of the second
    namespace, also from those of the attackers.
    """
    import rclpy
    from rosgraph_msgs.msg import Clock

    clocks = []
    start = time.monotonic()
    rclpy.init(domain_id=domain)
    node = rclpy.create_node("peer")
    node.create_subscription(Clock, "/clock", clocks.append, 10)
    while not clocks and time.monotonic() < start + 10:
        rclpy.spin_once(node, timeout_sec=0.02)
    return time.monotonic() - start if clocks else None


def page_s():
    """Returns after how many seconds the page arrives while a host keeps slow sockets open, or None."""
    slow = [socket.create_connection((RUN, VIEW_PORT), source_address=(HOST, 0)) for _ in range(100)]
    try:
        start = time.monotonic()
        with socket.create_connection((RUN, VIEW_PORT), PATIENCE_S, source_address=(OTHER, 0)) as own:
            own.sendall(b"GET /page.js HTTP/1.1\r\nHost: a\r\n\r\n")
            return time.monotonic() - start if own.recv(100).startswith(b"HTTP/1.1") else None
    except OSError:
        return None
    finally:
        for one in slow:
            one.close()


class Run:
    """A run with a discovery range. A context manager that ends it."""

    def __init__(self, binary, discovery):
        environment = {key: value for key, value in os.environ.items() if not key.startswith("ROS_")}
        environment |= {"ROS_DOMAIN_ID": str(DOMAIN), "ROS_AUTOMATIC_DISCOVERY_RANGE": discovery}
        self.log = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen([binary, "run", "pool", f"--view={RUN}:{VIEW_PORT}"], env=environment,
                                        stdout=self.log, stderr=subprocess.STDOUT, text=True)

    def text(self):
        """Returns the output until now."""
        self.log.seek(0)
        return self.log.read()

    def shared_send_buffer_bytes(self):
        """Returns the size of the datagrams in the send buffer of the socket that sends to groups and to this host [B]."""
        lines = pathlib.Path(f"/proc/{self.process.pid}/net/udp").read_text().splitlines()
        rows = [line.split() for line in lines[1:]]
        return sum(int(row[4].split(":")[0], 16) for row in rows if row[1].endswith(f":{PORT + 1:04X}"))

    def __enter__(self):
        end = time.monotonic() + 20
        while "reachable:" not in self.text():
            assert self.process.poll() is None and time.monotonic() < end, self.text()
            time.sleep(0.02)
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        self.log.close()


def main():
    """Prints the results."""
    binary = pathlib.Path(sys.argv[1]).resolve()
    libc = ctypes.CDLL(None, use_errno=True)
    with subprocess.Popen(["unshare", "-n", "sh", "-c", "echo; exec sleep 300"], stdout=subprocess.PIPE) as holder:
        try:
            holder.stdout.readline()
            near, far = (open(f"/proc/{process}/ns/net", "rb") for process in ("self", holder.pid))
            commands([], "ip link set lo up", f"ip link add va type veth peer name vb netns {holder.pid}",
                     f"ip address add {RUN}/16 dev va", "ip link set va up", "ip route add 10.233.0.0/16 dev va")
            commands(["nsenter", "-t", str(holder.pid), "-n"], "ip link set lo up", "ip link set vb up",
                     *(f"ip address add {address}/16 dev vb" for address in (HOST, OTHER, THIRD, STRANGER)))
            results = {}

            def within(namespace):
                assert libc.setns(namespace.fileno(), 0) == 0, ctypes.get_errno()

            with Run(binary, "LOCALHOST"):
                within(far)
                results["localhost_answers_host"] = answer(1, HOST) is not None
                within(near)
            with Run(binary, "SUBNET") as run:
                within(far)
                prefix = answer(2, HOST)
                results["subnet_answers_host"] = prefix is not None
                results["subnet_answers_stranger"] = answer(3, STRANGER) is not None
                end = time.monotonic() + 10
                while STRANGER not in run.text() and time.monotonic() < end:
                    time.sleep(0.1)
                results["subnet_reports_stranger"] = STRANGER in run.text()
                flood()
                start = time.monotonic()
                results["answer_after_flood_s"] = time.monotonic() - start if answer(4, OTHER) else None
                results["page_s"] = page_s()
                results["discovery_s"] = discovery_s()
                with absent_receivers(prefix):
                    results["held_by_absent_receivers_B"] = run.shared_send_buffer_bytes()
                    results["discovery_with_absent_receivers_s"] = discovery_s()
                with forged_flood():
                    # a busy machine loses datagrams of a peer, which repeats them after a second: the second of five times
                    results["discovery_in_forged_flood_s"] = sorted(discovery_s() or 9 for _ in range(5))[1]
                within(near)
            print(json.dumps(results))
        finally:
            holder.kill()


if __name__ == "__main__":
    if sys.argv[1].isdecimal():
        measure = {"cyclonedds": cyclonedds_s, "rclpy": rclpy_s}[sys.argv[2]]
        print(json.dumps(measure(int(sys.argv[1]))))
    else:
        main()
