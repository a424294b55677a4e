"""Measures what the live view costs: processor time and pace of the run, and data to each client.

    python3 test/view/cost.py --binary target/release/merrow [--world fleet_100] [--seconds 20]

The clients receive all data without drawing them. The runs with 0, 1 and 5 clients alternate.
"""

import argparse
import os
import re
import signal
import statistics
import subprocess
import threading
import time

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

CLIENTS = [0, 1, 5]
TICKS = os.sysconf("SC_CLK_TCK")


def start(binary, world):
    """Starts a run and returns its process, the address of its socket, and a list to which its output is added."""
    command = [binary, "run", world, "--no-ros", "--view=127.0.0.1:0"]
    run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    for line in run.stdout:
        found = re.match(r"view: http://([^/]+)/", line)
        if found:
            # the rest of the output must not fill the pipe
            output = []
            threading.Thread(target=lambda: output.extend(run.stdout), daemon=True).start()
            return run, f"ws://{found[1]}/socket", output
    raise RuntimeError("the program printed no address")


def processor_time(process):
    """Returns the processor time of a process so far [s]."""
    fields = open(f"/proc/{process.pid}/stat", encoding="ascii").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


class Client:
    """A client that counts the bytes that it receives."""

    def __init__(self, address):
        self.socket = connect(address, max_size=None, compression=None)
        self.received = 0
        threading.Thread(target=self.receive, daemon=True).start()

    def receive(self):
        """Receives until the connection ends."""
        try:
            for message in self.socket:
                self.received += len(message)
        except ConnectionClosed:
            pass


def measure(binary, world, count, seconds):
    """Returns the load of a run [cores], the data per client [MB/s], the real-time factor and the late blocks."""
    run, address, output = start(binary, world)
    try:
        clients = [Client(address) for _ in range(count)]
        # the scene is sent once
        time.sleep(3)
        before = processor_time(run), sum(client.received for client in clients)
        begin = time.monotonic()
        time.sleep(seconds)
        elapsed = time.monotonic() - begin
        load = (processor_time(run) - before[0]) / elapsed
        data = (sum(client.received for client in clients) - before[1]) / elapsed / max(count, 1)
    finally:
        run.send_signal(signal.SIGINT)
        run.wait(timeout=60)
    time.sleep(0.2)
    pace = re.search(r"real-time factor ([\d.]+), \d+ steps, (\d+) overruns", "".join(output))
    return load, 1e-6 * data, float(pace[1]), int(pace[2])


def main():
    """Prints the medians of all rounds."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("--world", default="fleet_100")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    results = {count: [] for count in CLIENTS}
    for _ in range(arguments.rounds):
        for count, found in results.items():
            found.append(measure(arguments.binary, arguments.world, count, arguments.seconds))
    print(f"load average: {os.getloadavg()[0]:.1f}")
    for count, found in results.items():
        loads = [100 * load for load, *_ in found]
        data, factor, late = [statistics.median(run[k] for run in found) for k in (1, 2, 3)]
        print(f"{count} clients: {statistics.median(loads):.1f} % of a core"
              f" ({min(loads):.1f} to {max(loads):.1f}), {data:.2f} MB/s to each client,"
              f" real-time factor {factor:.3f}, {late:.0f} late blocks")


if __name__ == "__main__":
    main()
