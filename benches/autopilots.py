#!/usr/bin/env python3
"""Measures the connections to autopilots on loopback, and compares them with their targets:

* the round trip of ArduPilot's JSON interface with ten vehicles in lock-step, that is, the time from the last servo
  packet of a frame to the state message of each vehicle
* the rate of HIL_SENSOR of PX4 at `--pace realtime`

The exit code is 1 if a target is not met.

    cargo build --release && python3 benches/autopilots.py
"""

import contextlib
import os
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
MAX_MEDIAN_US = 300
MAGIC_16 = 18458
HIL_SENSOR, HIL_HZ, HIL_SECONDS = 107, 250, 5


def free_ports(kind, count):
    """Returns ports of a kind of socket that no other program uses."""
    sockets = [socket.socket(socket.AF_INET, kind) for _ in range(count)]
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


@contextlib.contextmanager
def running(text, *options):
    """Runs a world without ROS; yields its process."""
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        file.write(text)
        file.flush()
        command = [ROOT / "target/release/merrow", "run", file.name, "--no-ros", *options]
        merrow = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        try:
            time.sleep(2)
            yield merrow
        finally:
            merrow.send_signal(signal.SIGINT)
            merrow.wait(10)


def cpu_seconds(process):
    """Returns the CPU time of a process [s]."""
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


def round_trips():
    """Measures the round trips of the JSON interface [us]; returns median, 99 % and maximum."""
    ports = free_ports(socket.SOCK_DGRAM, VEHICLES)
    with running(world(ports), "--pace", "max"):
        sockets = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in ports]
        addresses = [("127.0.0.1", port) for port in ports]
        times = [t for frame in range(FRAMES) for t in exchange(sockets, addresses, frame)]
    times.sort()
    return [1e6 * x for x in (statistics.median(times), times[int(0.99 * len(times))], times[-1])]


def count_sensors(client, buffer):
    """Receives bytes; returns the number of complete HIL_SENSOR messages in them, and removes them from `buffer`."""
    data = client.recv(65536)
    if not data:
        sys.exit("the simulator has closed the connection")
    buffer += data
    count = 0
    while len(buffer) >= 10 and len(buffer) >= (length := buffer[1] + 12):
        count += int.from_bytes(buffer[7:10], "little") == HIL_SENSOR
        del buffer[:length]
    return count


def hil_rate():
    """Measures the rate of HIL_SENSOR at `--pace realtime`, without answers; returns it in frames per second of wall-clock
    time, with the CPU time per second.
    """
    (port,) = free_ports(socket.SOCK_STREAM, 1)
    model = f"{{extends: robots/firefly_autopilot.yaml, autopilot: {{kind: px4, enabled: true, port: {port}, frame: hexa_x}}}}"
    text = f"step: {{dt_s: 0.002}}\nseabed: {{depth_m: 20}}\nrobots: {{r: {{model: {model}, position_m: [0, 0, 10]}}}}\n"
    with running(text, "--pace", "realtime") as merrow, socket.create_connection(("127.0.0.1", port), timeout=5) as client:
        buffer = bytearray()
        for _ in range(100):
            count_sensors(client, buffer)
        begin, cpu, frames = time.perf_counter(), cpu_seconds(merrow), 0
        while (passed := time.perf_counter() - begin) < HIL_SECONDS:
            frames += count_sensors(client, buffer)
        return frames / passed, (cpu_seconds(merrow) - cpu) / passed


def main():
    median, most, maximum = round_trips()
    rate, cpu = hil_rate()
    print(f"{'quantity':58} {'measured':>12} {'target':>12}")
    for quantity, measured, target in (
        (f"round trip, {VEHICLES} vehicles, {FRAMES} frames: median", f"{median:.0f} us", f"< {MAX_MEDIAN_US} us"),
        ("round trip: 99 %", f"{most:.0f} us", ""),
        ("round trip: maximum", f"{maximum:.0f} us", ""),
        ("HIL_SENSOR at --pace realtime", f"{rate:.1f} Hz", f"{HIL_HZ} Hz +- 1 %"),
        ("CPU time per second at this pace", f"{cpu:.2f} s", ""),
    ):
        print(f"{quantity:58} {measured:>12} {target:>12}")
    if median > MAX_MEDIAN_US or abs(rate / HIL_HZ - 1) > 0.01:
        sys.exit("a target is not met")


if __name__ == "__main__":
    main()
