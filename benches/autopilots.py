#!/usr/bin/env python3
"""Measures the round trip of ArduPilot's JSON interface with ten vehicles in lock-step: the time from
the last servo packet of a frame to the state message of each vehicle, on loopback.

    cargo build --release && python3 benches/autopilots.py
"""

import pathlib
import select
import signal
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
VEHICLES, FRAMES, FRAME_RATE = 10, 5000, 1000
MAGIC_16 = 18458


def free_ports(count):
    """Returns UDP ports that no other program uses."""
    sockets = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(count)]
    for probe in sockets:
        probe.bind(("127.0.0.1", 0))
    ports = [probe.getsockname()[1] for probe in sockets]
    for probe in sockets:
        probe.close()
    return ports


def world(ports):
    """Returns a world with a BlueROV2 per port."""
    robots = "".join(
        f"  rov{k}: {{model: {{extends: robots/bluerov2.yaml, autopilot: {{enabled: true, port: {port}}}}}, "
        f"position_m: [{3 * k}, 0, -2]}}\n"
        for k, port in enumerate(ports)
    )
    return f"step: {{dt_s: 0.001}}\nseabed: {{depth_m: 20}}\nrobots:\n{robots}"


def exchange(sockets, addresses, frame):
    """Exchanges a frame with all vehicles; returns the time to each message [s]."""
    packet = struct.pack("<HHI16H", MAGIC_16, FRAME_RATE, frame, *[1500] * 16)
    for client, address in zip(sockets, addresses):
        client.sendto(packet, address)
    sent, times, waiting = time.perf_counter(), [], set(sockets)
    while waiting:
        ready, _, _ = select.select(list(waiting), [], [], 5)
        if not ready:
            sys.exit("no state message within 5 s")
        now = time.perf_counter()
        for client in ready:
            client.recv(2048)
            waiting.discard(client)
            times.append(now - sent)
    return times


def main():
    ports = free_ports(VEHICLES)
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        file.write(world(ports))
        file.flush()
        command = [ROOT / "target/release/merrow", "run", file.name, "--pace", "max", "--no-ros"]
        merrow = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        try:
            time.sleep(2)
            sockets = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in ports]
            addresses = [("127.0.0.1", port) for port in ports]
            times = [t for frame in range(FRAMES) for t in exchange(sockets, addresses, frame)]
        finally:
            merrow.send_signal(signal.SIGINT)
            merrow.wait(10)
    times.sort()
    micros = [1e6 * x for x in (statistics.median(times), times[int(0.99 * len(times))], times[-1])]
    print(f"{VEHICLES} vehicles, {FRAMES} frames: median {micros[0]:.0f} us, 99 % {micros[1]:.0f} us, max {micros[2]:.0f} us")


if __name__ == "__main__":
    main()
