"""Measures the images per second of the live view in headless Chromium with software rendering.

    python3 test/view/fps.py --binary target/release/merrow [--world fleet_100] [--seconds 20]

The page has 960 x 540 pixels. It is measured with the resolution that it selects itself, and with
full resolution and detail. The processor time of the browser for an image depends less on the other
load of the computer.
"""

import argparse
import os
import re
import signal
import subprocess
import sys
import time

from browser import Browser, find

SIZE = (960, 540)


def start(binary, world):
    """Starts a run and returns its process and the address of its page."""
    command = [binary, "run", world, "--no-ros", "--view=127.0.0.1:0"]
    run = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    for line in run.stdout:
        found = re.match(r"view: (\S+)", line)
        if found:
            return run, found[1]
    raise RuntimeError("the program printed no address")


def processor_time(browser):
    """Returns the processor time of the processes of the browser so far [s]."""
    ticks, children = {}, {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            fields = open(f"/proc/{pid}/stat", encoding="ascii").read().rsplit(")", 1)[1].split()
        except OSError:
            continue
        ticks[int(pid)] = int(fields[11]) + int(fields[12])
        children.setdefault(int(fields[1]), []).append(int(pid))
    total, pending = 0, [browser.process.pid]
    while pending:
        pid = pending.pop()
        total += ticks.get(pid, 0)
        pending += children.get(pid, [])
    return total / os.sysconf("SC_CLK_TCK")


def rate(browser, seconds):
    """Returns images per second over a wall-clock time [s] and processor time per image, as text."""
    measure = lambda: [*browser.evaluate("[merrow.images, performance.now()]"), processor_time(browser)]
    first = measure()
    time.sleep(seconds)
    images, wall_ms, processor_s = (b - a for a, b in zip(first, measure()))
    return f"{1000 * images / wall_ms:.1f} images/s, {1000 * processor_s / images:.0f} ms of processor time per image"


def main():
    """Prints the images per second from near and from far."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("--world", default="fleet_100")
    parser.add_argument("--seconds", type=float, default=20)
    arguments = parser.parse_args()
    program = find()
    if program is None:
        print("skipped: Chromium is not installed (Debian package chromium)")
        return 0
    run, url = start(arguments.binary, arguments.world)
    browser = Browser(program, SIZE)
    try:
        before = processor_time(browser)
        browser.open(url)
        browser.wait("window.merrow?.images > 0")
        first = browser.evaluate("performance.now()") / 1000
        print(f"first image within {first:.2f} s after the request of the page,"
              f" {processor_time(browser) - before:.2f} s of processor time")
        browser.wait("window.merrow?.images > 2")
        browser.evaluate("merrow.setCamera('orbit')")
        n = browser.evaluate("merrow.world.scene.robots.length")
        triangles = browser.evaluate(
            "merrow.world.drawables.reduce((n, d) => n + d.piece.indices.length / 3, 0)")
        print(f"{arguments.world}: {n} robots, {triangles:.0f} triangles")
        for distance, pitch in [(60, 0.25), (15, 0.15)]:
            browser.evaluate(f"merrow.camera.distance = {distance}; merrow.camera.pitch = {pitch}")
            time.sleep(10)
            print(f"distance {distance} m: {rate(browser, arguments.seconds)} with the scale"
                  f" {browser.evaluate('merrow.scale'):.2f}", flush=True)
        browser.evaluate("merrow.adapt = () => {}; merrow.scale = 1; merrow.detail = true")
        time.sleep(2)
        print(f"full resolution: {rate(browser, arguments.seconds)}", flush=True)
        assert not browser.errors, browser.errors
    finally:
        browser.close()
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=60)
    return 0


if __name__ == "__main__":
    sys.exit(main())
