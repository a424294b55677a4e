"""Measures the images per second of the live view in headless Chromium with software rendering.

    python3 test/view/fps.py --binary target/release/merrow [--world fleet_100] [--seconds 20]

The page has 960 x 540 pixels. It is measured with the resolution that it selects itself, and with
full resolution and detail.
"""

import argparse
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


def rate(browser, seconds):
    """Returns the number of images per second over a wall-clock time [s]."""
    first = browser.evaluate("[merrow.images, performance.now()]")
    time.sleep(seconds)
    last = browser.evaluate("[merrow.images, performance.now()]")
    return 1000 * (last[0] - first[0]) / (last[1] - first[1])


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
        browser.open(url)
        browser.wait("window.merrow?.images > 0")
        first = browser.evaluate("performance.now()") / 1000
        print(f"first image within {first:.2f} s after the request of the page")
        browser.wait("window.merrow?.images > 2")
        browser.evaluate("merrow.setCamera('orbit')")
        n = browser.evaluate("merrow.world.scene.robots.length")
        triangles = browser.evaluate(
            "merrow.world.drawables.reduce((n, d) => n + d.piece.indices.length / 3, 0)")
        print(f"{arguments.world}: {n} robots, {triangles:.0f} triangles")
        for distance, pitch in [(60, 0.25), (15, 0.15)]:
            browser.evaluate(f"merrow.camera.distance = {distance}; merrow.camera.pitch = {pitch}")
            time.sleep(10)
            print(f"distance {distance} m: {rate(browser, arguments.seconds):.1f} images/s with the scale"
                  f" {browser.evaluate('merrow.scale'):.2f}", flush=True)
        browser.evaluate("merrow.adapt = () => {}; merrow.scale = 1; merrow.detail = true")
        time.sleep(2)
        print(f"full resolution: {rate(browser, arguments.seconds):.1f} images/s", flush=True)
        assert not browser.errors, browser.errors
    finally:
        browser.close()
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=60)
    return 0


if __name__ == "__main__":
    sys.exit(main())
