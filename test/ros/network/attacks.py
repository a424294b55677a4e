#!/usr/bin/env python3
"""Attacks a run from another host, and prints the results as JSON.

    unshare -Urn python3 test/ros/network/attacks.py BINARY

The run is in the network namespace of the program at 10.232.0.1/24. The attackers are in a second
namespace, which a virtual Ethernet link connects. Needs no root: the namespaces belong to a user
namespace. The checks of checks/program/attacks.py start it.
"""

import ctypes
import json
import os
import pathlib
import socket
import struct
import subprocess
import sys
import tempfile
import time

RUN, HOST, OTHER, STRANGER = "10.232.0.1", "10.232.0.2", "10.232.0.3", "10.233.0.2"
DOMAIN = 41
PORT = 7400 + 250 * DOMAIN + 10
VIEW_PORT = 8080
FAKES, FLOOD_S = 10_000, 1.3
# time within which an honest host is answered
PATIENCE_S = 1


def commands(prefix, *lines):
    """Runs lines of commands."""
    for line in lines:
        subprocess.run([*prefix, *line.split()], check=True)


def announcement(number, address):
    """Returns an RTPS message: the announcement of participant `number` that receives at `address`."""
    prefix = struct.pack(">I", number) + b"\x09" * 8
    locator = struct.pack("<iI12x", 1, 7411) + socket.inet_aton(address)
    # as long as the answer, which must not be longer
    user_data = struct.pack("<I", 1000) + bytes(1000)
    parameters = [(0x50, prefix + struct.pack(">I", 0x1C1)), (0x15, bytes([2, 3, 0, 0])), (0x16, bytes([1, 1, 0, 0])),
                  (0x32, locator), (0x31, locator), (0x02, struct.pack("<iI", 100, 0)), (0x58, struct.pack("<I", 0xC3F)),
                  (0x2C, user_data), (0x01, b"")]
    listed = b"".join(struct.pack("<HH", key, len(value)) + value for key, value in parameters)
    data = struct.pack("<HH", 0, 16) + struct.pack(">II", 0, 0x000100C2) + struct.pack("<iI", 0, 1) + b"\0\3\0\0" + listed
    return b"RTPS" + bytes([2, 3, 1, 15]) + prefix + struct.pack("<BBH", 0x15, 5, len(data)) + data


def is_answered(number, address):
    """Announces a participant from `address`; returns whether the run answers it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as own:
        own.bind((address, 7411))
        own.settimeout(PATIENCE_S)
        own.sendto(announcement(number, address), (RUN, PORT))
        try:
            return own.recv(2000).startswith(b"RTPS")
        except TimeoutError:
            return False


def flood():
    """Announces participants that receive at addresses which no host has."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as own:
        own.bind((HOST, 0))
        start = time.monotonic()
        for number in range(FAKES):
            own.sendto(announcement(1000 + number, f"10.232.{1 + number // 250}.{1 + number % 250}"), (RUN, PORT))
            time.sleep(max(0, start + FLOOD_S * number / FAKES - time.monotonic()))


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
                     *(f"ip address add {address}/16 dev vb" for address in (HOST, OTHER, STRANGER)))
            results = {}

            def within(namespace):
                assert libc.setns(namespace.fileno(), 0) == 0, ctypes.get_errno()

            with Run(binary, "LOCALHOST"):
                within(far)
                results["localhost_answers_host"] = is_answered(1, HOST)
                within(near)
            with Run(binary, "SUBNET") as run:
                within(far)
                results["subnet_answers_host"] = is_answered(2, HOST)
                results["subnet_answers_stranger"] = is_answered(3, STRANGER)
                end = time.monotonic() + 10
                while STRANGER not in run.text() and time.monotonic() < end:
                    time.sleep(0.1)
                results["subnet_reports_stranger"] = STRANGER in run.text()
                flood()
                start = time.monotonic()
                results["answer_after_flood_s"] = time.monotonic() - start if is_answered(4, OTHER) else None
                results["page_s"] = page_s()
                within(near)
            print(json.dumps(results))
        finally:
            holder.kill()


if __name__ == "__main__":
    main()
