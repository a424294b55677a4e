"""Checks of the live view of a run with ROS: plots of topics of other nodes."""

import base64
import contextlib
import json
import random
import re
import socket
import urllib.request

from live import Merrow, gather, seconds, wait_for
from peer import matched, message_type
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect


def check_plots_of_other_nodes():
    """A page lists and plots the topics of other nodes; without a plot there is no subscription."""
    with Merrow("pool", "--view=127.0.0.1:0") as m:
        twist, vector = message_type("geometry_msgs/msg/Twist"), message_type("geometry_msgs/msg/Vector3")
        writer = m.peer.publisher("/estimator/twist", "geometry_msgs/msg/Twist")
        assert wait_for(lambda: "view: " in m.output()[0])
        address = re.search(r"view: http://(\S+?)/", m.output()[0])[1]

        def listed():
            with urllib.request.urlopen(f"http://{address}/topics") as answer:
                return {topic["name"]: topic["type"] for topic in json.load(answer)}

        assert wait_for(lambda: listed().get("/estimator/twist") == "geometry_msgs/msg/Twist"), listed()
        assert "/bluerov2/odometry" in listed() and len(listed()) > 10, listed()
        assert matched(writer) == 0
        with connect(f"ws://{address}/socket", origin=f"http://{address}", max_size=None) as page:
            # a scene ends all requests of a page
            while not (message := page.recv(timeout=10)).startswith('{"type":"scene"'):
                assert isinstance(message, str)
            fields = ["linear.x", "angular.z"]
            plotted = [{"topic": "/estimator/twist", "fields": fields}]
            page.send(json.dumps({"do": "topics", "topics": plotted}))
            assert wait_for(lambda: matched(writer) == 1)
            found = {name: [] for name in ("t", *fields)}
            names = None
            for k in range(200):
                writer.write(twist(linear=vector(x=0.5 * k, y=0.0, z=0.0), angular=vector(x=0.0, y=0.0, z=-1.0)))
                message = page.recv(timeout=10)
                text = json.loads(message) if isinstance(message, str) else {}
                if text.get("type") == "topic":
                    names = text["names"]
                if text.get("type") == "samples" and text["topic"] == "/estimator/twist":
                    found["t"] += text["t"]
                    for field in fields:
                        found[field] += text["y"][field]
                if len(found["t"]) > 20 and names:
                    break
            assert names is not None and set(fields) <= set(names) and len(names) == 6, names
            assert len(found["t"]) > 20, found
            assert found["t"] == sorted(found["t"]) and found["t"][0] > 0, found["t"]
            assert found["linear.x"] == sorted(found["linear.x"]) and found["linear.x"][-1] > 1, found
            assert set(found["angular.z"]) == {-1.0}, found
        # the page has gone
        assert wait_for(lambda: matched(writer) == 0)


def is_accepted(stack, address):
    """Opens a connection to the page's socket that never reads; returns False if the server closes it."""
    host, port = address.split(":")
    client = stack.enter_context(socket.create_connection((host, int(port)), timeout=5))
    key = base64.b64encode(bytes(16)).decode()
    request = (f"GET /socket HTTP/1.1\r\nHost: {address}\r\nOrigin: http://{address}\r\nUpgrade: websocket\r\n"
               f"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n")
    try:
        client.sendall(request.encode())
        return client.recv(12) == b"HTTP/1.1 101"
    except ConnectionError:
        return False


def check_hostile_clients():
    """Clients that send nonsense lose their connection, and more connections than allowed are closed; the run keeps
    its pace and serves other clients.
    """
    numbers = random.Random(5)
    words = ["do", "step", "steps", "drive", "robot", "bluerov2", "axes", "{", "}", "[", "]", ":", ",", '"', "-1", "1e999",
             "null", "path", "points", "\\u0000", "set", "parameters"]
    with Merrow("pool", "--view=127.0.0.1:0") as m:
        assert wait_for(lambda: "view: " in m.output()[0])
        address = re.search(r"view: http://(\S+?)/", m.output()[0])[1]

        def client():
            return connect(f"ws://{address}/socket", origin=f"http://{address}", max_size=None, open_timeout=5)

        clock = m.listen("/clock")
        for _ in range(20):
            with client() as page, contextlib.suppress(ConnectionClosed):
                for _ in range(400):
                    text = "".join(numbers.choices(words, k=numbers.randint(1, 40)))
                    page.send(text if numbers.random() < 0.7 else numbers.randbytes(200))
                for _ in range(1000):
                    page.recv(timeout=5)
                raise AssertionError("400 refused messages did not end the connection")
        with contextlib.ExitStack() as stack:
            accepted = sum(is_accepted(stack, address) for _ in range(80))
            # a connection before them can still be closing
            assert 12 <= accepted <= 16, accepted
        gather(clock, 0.2)
        times = [seconds(message.clock) for message in gather(clock, 2)]
        assert m.process.poll() is None and 1.8 < times[-1] - times[0] < 2.2, times
        with client() as page:
            assert page.recv(timeout=10).startswith('{"type":"scene"')


CHECKS = [check_plots_of_other_nodes, check_hostile_clients]
