"""Checks of the live view of a run with ROS: plots of topics of other nodes."""

import json
import re
import urllib.request

from live import Merrow, wait_for
from peer import matched, message_type
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
        with connect(f"ws://{address}/socket", origin=f"http://{address}", max_size=None) as socket:
            # a scene ends all requests of a page
            while not (message := socket.recv(timeout=10)).startswith('{"type":"scene"'):
                assert isinstance(message, str)
            fields = ["linear.x", "angular.z"]
            plotted = [{"topic": "/estimator/twist", "fields": fields}]
            socket.send(json.dumps({"do": "topics", "topics": plotted}))
            assert wait_for(lambda: matched(writer) == 1)
            found = {name: [] for name in ("t", *fields)}
            names = None
            for k in range(200):
                writer.write(twist(linear=vector(x=0.5 * k, y=0.0, z=0.0), angular=vector(x=0.0, y=0.0, z=-1.0)))
                message = socket.recv(timeout=10)
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


CHECKS = [check_plots_of_other_nodes]
