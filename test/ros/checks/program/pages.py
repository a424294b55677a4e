"""Checks of end_to_end.py: the `ros2` commands of README and of the pages in docs act on a running
world as written.
"""

import dataclasses
import pathlib
import re
import shlex
import tempfile
import time
import typing

from live import Merrow, latest, message_type, wait_for
from ruamel.yaml import YAML

ROOT = pathlib.Path(__file__).resolve().parents[4]
# Worlds of the robots that the commands name, or of the longest start of a name; the first world file of a page.
WORLDS = {"boat/auv_1": "modems", "boat/rov": "reference/communication.md", "survey/bottles": "reference/instruments.md",
          "bluerov2": "pool", "second": "pool", "uvms": "uvms_pool_servo", "firefly": "hover", "usv": "riverwatch",
          "uav": "riverwatch", "couplings": "riverwatch", "boat": "sailing", "auv": "survey", "survey": "every_sensor",
          "auv_1": "modems", "shore": "modems", "rover": "bank",
          "glider": "glider"}
# Commands that need programs other than the client of a robot; test/ros/native/nav2_checks.py sends the goals to Nav2.
OTHERS = ("ros2 run ", "ros2 launch ", "ros2 bag ", "ros2 action send_goal /navigate_", "ros2 action send_goal /follow_")
# Parameters of other worlds.
PARAMETERS = {"water.flows.river.gain": "riverwatch", "water.waves.hs_m": "waves"}


class Running(Merrow):
    """A world whose commands write their files to a temporary folder."""

    def working_folder(self):
        return self.path


def commands(text):
    """Returns the `ros2` commands of the shell blocks of a page."""
    found = []
    # with every kind of block, so that the end of one is not taken for the start of another
    for language, block in re.findall(r"^```(\w*)[^\n]*\n(.*?)^```$", text, re.M | re.S):
        for line in block.replace("\\\n", " ").splitlines():
            if language in ("", "sh") and line.startswith("ros2 ") and not line.startswith(OTHERS):
                found.append(shlex.split(line, comments=True)[1:])
    return found


def world_of(words):
    """Returns the world that a command needs."""
    names = [word for word in words if word.startswith("/")]
    if words[0] == "param":
        return PARAMETERS.get(words[3], "pool") if words[3:] else "pool"
    parts = names[0].split("/")[1:] if names else []
    return WORLDS.get("/".join(parts[:2]), WORLDS.get("".join(parts[:1]), "pool"))


def file_of(world, folder):
    """Returns the name of a bundled world, or the path of the world file of a page, which is written to `folder`."""
    if not world.endswith(".md"):
        return world
    path = pathlib.Path(folder, f"{pathlib.Path(world).stem}.yaml")
    text = (ROOT / "docs" / world).read_text(encoding="utf-8")
    path.write_text(re.search(r"^```yaml[^\n]*\n(.*?)^```$", text, re.M | re.S)[1], encoding="utf-8")
    return str(path)


def build(kind, value):
    """Returns a message of class `kind` with the fields of a YAML map, others as in ROS."""
    hints = typing.get_type_hints(kind, include_extras=True)
    unknown = set(value) - set(hints)
    assert not unknown, f"no field {unknown} in {kind.__name__}"
    fields = {name: convert(hint, value.get(name)) for name, hint in hints.items()}
    if kind.__name__ == "Quaternion_" and not value:
        fields["w"] = 1.0
    return kind(**fields)


def convert(hint, value):
    """Returns a YAML value as the type of a field; None is its default."""
    if dataclasses.is_dataclass(hint):
        return build(hint, value or {})
    base, *extra = typing.get_args(hint) if typing.get_origin(hint) is typing.Annotated else (hint,)
    if typing.get_origin(base) is None:
        return base() if value is None else base(value)
    (item,) = typing.get_args(base)
    length = getattr(extra[0], "length", None) if extra else None
    if value is None:
        return [convert(item, None)] * (length or 0)
    return [convert(item, element) for element in value]


class Shell:
    """Runs `ros2` commands with a DDS peer in place of the ROS 2 command line."""

    def __init__(self, m):
        self.m = m

    def run(self, words):
        """Runs one command; fails if it has no effect."""
        run = {"topic pub": self.publish, "topic echo": self.echo, "service call": self.call, "param set": self.set,
               "action send_goal": self.send_goal, "node list": self.connect, "topic list": self.connect,
               "service list": self.connect, "param list": self.parameters, "topic info": self.info, "topic hz": self.rate,
               "param describe": self.get, "param get": self.get}
        options = [word for word in words if word.startswith("-")]
        values = [word for word in words[2:] if word not in options and not word.isdigit()]
        run[" ".join(words[:2])](*values)

    def connect(self):
        """Waits for every subscription and service of the node."""
        self.m.connect()

    def parameters(self, node):
        assert node == "/merrow" and self.m.call("list_parameters", prefixes=[], depth=0).result.names, node

    def get(self, node, name):
        assert node == "/merrow" and self.m.get(name) is not None, f"no parameter {name} of {node}"

    def info(self, topic):
        assert wait_for(lambda: any(self.m.peer.announced_qos(f"rt{topic}"))), f"no endpoint of {topic}"

    def rate(self, topic):
        """Two messages are a rate."""
        reader = self.m.peer.subscriber(topic, self.m.type_of(topic), reliable=False)
        latest(reader, 10)
        latest(reader, 10)

    def publish(self, topic, type_name, text):
        message = build(message_type(type_name), YAML(typ="safe").load(text))
        writer = self.m.peer.publisher(topic, type_name)
        assert wait_for(lambda: len(writer.get_matched_subscriptions()) > 0, 5), f"nobody listens to {topic}"
        time.sleep(0.2)
        writer.write(message)
        time.sleep(0.2)
        refused = [line for line in self.m.output()[1].splitlines() if "reject" in line or "refused" in line]
        assert not refused, refused

    def echo(self, topic, field=None):
        """Receives a message; `field` is the argument of `--field`."""
        type_name = "nav_msgs/msg/Odometry" if topic == "/second/odometry" else self.m.type_of(topic)
        message = latest(self.m.peer.subscriber(topic, type_name, reliable=False), 10)
        for name in field.split(".") if field else []:
            assert hasattr(message, name), f"{topic} has no field {field}"
            message = getattr(message, name)

    def call(self, service, type_name, text="{}"):
        client = self.m.peer.client(service, type_name)
        assert client.wait(10), f"no service {service}"
        request = dataclasses.asdict(build(message_type(f"{type_name}_Request"), YAML(typ="safe").load(text)))
        fields = {name: convert(hint, request[name])
                  for name, hint in typing.get_type_hints(message_type(f"{type_name}_Request"), include_extras=True).items()}
        # a call over modems takes seconds
        reply = client.receive(client.send(**fields), 60)
        assert reply is not None, f"no reply from {service}"
        done = reply.success if hasattr(reply, "success") else reply.result.result == 1
        assert done, reply
        if service == "/merrow/pause":
            # the commands of the other pages act on a running world
            self.m.do("resume")

    def set(self, node, name, value):
        assert node == "/merrow", node
        result = self.m.set(name, YAML(typ="safe").load(value))
        assert result.successful, result

    def send_goal(self, action, type_name, text):
        """Checks the goal message; the actions have separate checks."""
        build(message_type(f"{type_name}_Goal"), YAML(typ="safe").load(text))
        client = self.m.peer.client(f"{action}/_action/get_result", f"{type_name}_GetResult")
        assert client.wait(10), f"no action {action}"


def check_commands_of_the_pages():
    """The commands of each page work, in the order of the page, on the world of their robot."""
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    by_world = {}
    for page in pages:
        for words in commands(page.read_text(encoding="utf-8")):
            by_world.setdefault(world_of(words), []).append((page.name, words))
    assert sum(map(len, by_world.values())) > 20, by_world
    failed = []
    for world, listed in by_world.items():
        with tempfile.TemporaryDirectory() as folder, Running(file_of(world, folder), "--pace", "realtime") as m:
            shell = Shell(m)
            for page, words in listed:
                try:
                    shell.run(words)
                except Exception as error:  # run every command
                    failed.append(f"{page}: ros2 {' '.join(words)}: {error!r}")
    assert not failed, "\n".join(failed)


CHECKS = [check_commands_of_the_pages]
