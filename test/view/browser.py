"""Headless Chromium, driven through the DevTools protocol."""

import base64
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.request

from websockets.sync.client import connect

FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--use-gl=angle", "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--remote-debugging-port=0",
]


def find():
    """Returns the path of Chromium; None if it is not installed."""
    names = ["chromium", "chromium-browser", "google-chrome"]
    return next((path for path in map(shutil.which, names) if path), None)


def center_of(browser, selector):
    """Returns the pixel at the centre of an element, which is scrolled into its panel."""
    return browser.evaluate(
        f"(() => {{const e = document.querySelector({json.dumps(selector)});"
        "e.scrollIntoView({block: 'nearest'}); const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2];})()"
    )


class Browser:
    """A browser with one page of a size in pixels."""

    def __init__(self, program, size):
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        command = [program, *FLAGS, f"--user-data-dir={self.folder.name}", "about:blank"]
        self.process = subprocess.Popen(command, stderr=subprocess.DEVNULL, start_new_session=True)
        self.errors = []
        self.number = 0
        port = self._port()
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/json") as answer:
            targets = json.load(answer)
        page = next(target for target in targets if target["type"] == "page")
        self.socket = connect(page["webSocketDebuggerUrl"], max_size=None)
        for domain in ["Runtime", "Log", "Page"]:
            self.call(f"{domain}.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=size[0], height=size[1],
                  deviceScaleFactor=1, mobile=False)

    def _port(self):
        path = os.path.join(self.folder.name, "DevToolsActivePort")
        for _ in range(600):
            if os.path.exists(path):
                lines = open(path).read().split()
                if lines:
                    return lines[0]
            time.sleep(0.1)
        raise RuntimeError("Chromium did not start")

    def close(self):
        """Ends the browser."""
        self.socket.close()
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.folder.cleanup()

    def call(self, method, **parameters):
        """Calls a method of the protocol. Errors of the page are collected meanwhile."""
        self.number += 1
        own = self.number
        self.socket.send(json.dumps({"id": own, "method": method, "params": parameters}))
        while True:
            message = json.loads(self.socket.recv(timeout=120))
            if message.get("id") == own:
                assert "error" not in message, (method, message["error"])
                return message["result"]
            self._collect(message)

    def _collect(self, message):
        if message.get("method") == "Runtime.exceptionThrown":
            self.errors.append(message["params"]["exceptionDetails"])
        if message.get("method") == "Log.entryAdded":
            entry = message["params"]["entry"]
            if entry["level"] == "error":
                self.errors.append(entry)

    def open(self, url):
        """Opens an address."""
        self.call("Page.navigate", url=url)

    def evaluate(self, expression):
        """Returns the value of an expression in the page."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True,
                           awaitPromise=True)
        assert "exceptionDetails" not in result, (expression, result["exceptionDetails"])
        return result["result"].get("value")

    def wait(self, expression, seconds=120):
        """Waits until an expression is true."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.evaluate(expression):
                return
            time.sleep(0.1)
        raise AssertionError(f"not true after {seconds} s: {expression}")

    def click(self, x, y):
        """Clicks at a pixel."""
        for kind in ["mousePressed", "mouseReleased"]:
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def click_on(self, selector):
        """Clicks at the centre of an element."""
        self.click(*center_of(self, selector))

    def drag(self, start, end):
        """Presses at a pixel, moves to another pixel and releases."""
        middle = [(a + b) / 2 for a, b in zip(start, end)]
        events = [("mousePressed", start), ("mouseMoved", middle), ("mouseMoved", end),
                  ("mouseReleased", end)]
        for kind, (x, y) in events:
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=1,
                      clickCount=1)

    def control(self, code, key):
        """Presses a key with Control."""
        for kind in ["rawKeyDown", "keyUp"]:
            self.call("Input.dispatchKeyEvent", type=kind, code=code, key=key, modifiers=2)

    def key(self, code, key, down=True):
        """Presses or releases a key."""
        kind = "rawKeyDown" if down else "keyUp"
        self.call("Input.dispatchKeyEvent", type=kind, code=code, key=key)

    def press(self, code, key):
        """Presses and releases a key."""
        self.key(code, key)
        self.key(code, key, down=False)

    def screenshot(self):
        """Returns an image of the page as PNG."""
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])

    def prefer(self, scheme):
        """Selects the light or the dark theme."""
        feature = {"name": "prefers-color-scheme", "value": scheme}
        self.call("Emulation.setEmulatedMedia", features=[feature])
