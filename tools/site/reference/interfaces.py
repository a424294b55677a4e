"""Pages of topics, services, actions and parameters, from `merrow describe --json` of all bundled
worlds, and of a world with what they lack.

The names that a world chooses are replaced by placeholders such as `<robot>`, so that a topic of
many robots is listed once. `TOPICS` and `SERVICES` group the names that result; a name that is in
none of the groups is an error, and so is a name of a group that no world has."""

import re
from pathlib import Path

import yaml

from .text import Unknown, cell, code, table

TOPICS = {
    "Simulation": ["/clock", "/tf", "/tf_static", "/diagnostics", "/contacts"],
    "Robot": [
        "/<robot>/robot_description", "/<robot>/joint_states", "/<robot>/battery_state",
        "/<robot>/<link>/external_wrench", "/<robot>/<link>/contact_wrench",
    ],
    "Thrusters, fins and buoyancy engines": [
        "/<robot>/thruster_manager/input", "/<robot>/thruster_manager/input_stamped", "/<robot>/thrusters/command",
        "/<robot>/thrusters/<thruster>/command", "/<robot>/thrusters/<thruster>/azimuth/command",
        "/<robot>/fins/command", "/<robot>/fins/<fin>/command", "/<robot>/buoyancy_engines/<engine>/command",
        "/<robot>/buoyancy_engines/<engine>/volume",
    ],
    "Motion control": [
        "/<robot>/cmd_vel", "/<robot>/cmd_vel_stamped", "/<robot>/goal_pose", "/<robot>/path", "/<robot>/joy",
        "/<robot>/set_mode", "/<robot>/controller/status", "/<robot>/autopilot/depth_m",
        "/<robot>/autopilot/heading_deg", "/<robot>/enable", "/<robot>/flight_mode", "/<robot>/wheel_odometry",
    ],
    "Arms and grippers": [
        "/<robot>/joint_commands", "/<robot>/<group>_controller/joint_trajectory",
        "/<robot>/<group>_controller/controller_state", "/<robot>/<group>_position_controller/commands",
        "/<robot>/<group>_velocity_controller/commands", "/<robot>/<group>_effort_controller/commands",
    ],
    "Modems": [
        "/<modem>/tx", "/<modem>/rx", "/<modem>/status", "/<modem>/range", "/network/packets", "/network/links",
        "/network/schedule", "/<topic of a bridge>",
    ],
    "Computers": ["/<robot>/<computer>/status", "/<robot>/<computer>/schedule"],
    "Couplings and tethers": [
        "/couplings/<coupling>/command", "/couplings/<coupling>/state", "/couplings/<coupling>/wrench",
        "/<tether>/path", "/<tether>/tension", "/<tether>/intact", "/<tether>/length", "/<tether>/winch/command",
    ],
}  # fmt: skip
SERVICES = {
    "Simulation": [
        "/merrow/pause", "/merrow/resume", "/merrow/reset", "/merrow/step", "/merrow/single_step", "/merrow/set_pose",
        "/merrow/couple", "/merrow/weather", "/merrow/fault", "/merrow/apply_wrench", "/merrow/clear_wrenches",
        "/merrow/save_world", "/merrow/record", "/merrow/checkpoint",
    ],
    "Robots": [
        "/<robot>/set_mode", "/<robot>/arm", "/<robot>/takeoff", "/<robot>/land", "/<robot>/<sensor>/sample",
        "/<robot>/<sensor>/stop",
    ],
    "Modems": [
        "/<modem>/measure_range", "/<modem>/set_mac", "/<modem>/set_power", "/<modem>/set_rate",
        "/<service of a bridge>",
    ],
}  # fmt: skip
# Names of `simulation_interfaces` are those of the standard.
STANDARD = "simulation_interfaces/"


class World:
    """The names that a world chooses."""

    def __init__(self, name, description, file: Path, is_bundled=True):
        self.name = name
        self.is_bundled = is_bundled
        self.description = description
        self.robots = {robot["name"]: robot for robot in description["robots"]}
        self.tethers = {tether["name"] for tether in description["tethers"]}
        self.beacons = {beacon["name"] for beacon in description["beacons"]}
        topics = description["published"] + description["subscribed"]
        self.modems = {
            topic["topic"].removesuffix("/rx")
            for topic in topics
            if topic["type"] == "merrow_msgs/msg/Packet" and topic["topic"].endswith("/rx")
        }
        self.bridged = set()
        for bridge in (yaml.safe_load(file.read_text()).get("bridges") or {}).values():
            served = "service" in bridge
            # the name is chosen, or that of the original below the robot or modem of the other end
            chosen = bridge.get("offered_as" if served else "received_as")
            owner = bridge["from" if served else "to"].split("/")[0]
            self.bridged.add(chosen or f"/{owner}{bridge['service' if served else 'topic']}")

    def sensor_of(self, name):
        """Returns the kind of the sensor that publishes the topic, or nothing."""
        parts = name.split("/")[1:]
        kinds = {s["name"]: s["kind"] for s in self.robots.get(parts[0], {}).get("sensors", [])}
        return kinds.get(parts[1]) if len(parts) > 1 else None

    def general(self, name, bridge):
        """Returns the name with placeholders. `bridge` is the placeholder of names that bridges choose."""
        if name in self.bridged:
            return bridge
        for modem in self.modems:
            if name.rpartition("/")[0] == modem:
                return f"/<modem>/{name.rpartition('/')[2]}"
        parts = name.split("/")[1:]
        if parts[0] in self.tethers:
            parts[0] = "<tether>"
        elif parts[0] == "couplings":
            parts[1] = "<coupling>"
        elif parts[0] in self.robots:
            self.below_robot(self.robots[parts[0]], parts)
        return "/" + "/".join(parts)

    def below_robot(self, robot, parts):
        """Replaces the parts of a name below a robot."""
        parts[0] = "<robot>"
        names = {key: {entry["name"] for entry in robot[key]} for key in ("sensors", "computers")}
        group = re.fullmatch(r"(.+?)((?:_position|_velocity|_effort|_parallel)?_controller)", parts[1])
        if parts[1] in names["sensors"]:
            parts[1] = "<sensor>"
            parts[2:] = ["<beacon>" if part in self.beacons else re.sub(r"^range_\d+$", "range_<n>", part)
                         for part in parts[2:]]  # fmt: skip
        elif parts[1] in names["computers"]:
            parts[1] = "<computer>"
        elif parts[1] in ("thrusters", "fins", "buoyancy_engines") and len(parts) > 3:
            parts[2] = {"thrusters": "<thruster>", "fins": "<fin>", "buoyancy_engines": "<engine>"}[parts[1]]
        elif parts[-1] in ("external_wrench", "contact_wrench") and len(parts) == 3:
            parts[1] = "<link>"
        elif group:
            parts[1] = f"<group>{group[2]}"

    def general_parameter(self, name):
        """Returns the name of a parameter with placeholders."""
        parts = name.split(".")
        if parts[0] in self.robots:
            sensors = {sensor["name"] for sensor in self.robots[parts[0]]["sensors"]}
            parts[0] = "<robot>"
            if parts[1] in sensors:
                parts[1] = "<sensor>"
            elif parts[1] in ("thrusters", "fins", "loads", "buoyancy_engines", "lamps"):
                parts[2] = {"thrusters": "<thruster>", "fins": "<fin>", "loads": "<load>",
                            "buoyancy_engines": "<engine>", "lamps": "<lamp>"}[parts[1]]  # fmt: skip
        elif parts[:2] in (["water", "flows"], ["water", "regions"]):
            parts[2] = {"flows": "<flow>", "regions": "<region>"}[parts[1]]
        return ".".join(parts)


class Entry:
    """A name with placeholders, and what the worlds say about it. Lists keep the order of the worlds."""

    def __init__(self):
        self.types, self.rates, self.qos, self.notes, self.worlds = [], [], [], [], []

    def add(self, world, values):
        for kept, value in values:
            if value not in kept:
                kept.append(value)
        if world.is_bundled and world.name not in self.worlds:
            self.worlds.append(world.name)


class Interfaces:
    """All topics, services, actions and parameters of the bundled worlds."""

    def __init__(self, worlds):
        self.topics, self.sensors, self.services, self.actions, self.parameters = {}, {}, {}, {}, {}
        for world in worlds:
            self.add_topics(world)
            for service in world.description["services"]:
                entry = self.services.setdefault(world.general(service["service"], "/<service of a bridge>"), Entry())
                entry.add(world, [(entry.types, service["type"])])
            for action in world.description["actions"]:
                entry = self.actions.setdefault(world.general(action["action"], ""), Entry())
                entry.add(world, [(entry.types, action["type"])])
            for parameter in world.description["parameters"]:
                entry = self.parameters.setdefault(world.general_parameter(parameter["name"]), Entry())
                allowed = parameter["constraints"] or parameter["range"] or ""
                entry.add(world, [(entry.types, parameter["type"]), (entry.rates, allowed),
                                       (entry.notes, parameter["description"])])  # fmt: skip
        standard = [name for name, entry in self.services.items() if entry.types[0].startswith(STANDARD)]
        check_groups(TOPICS, self.topics, "topic")
        check_groups(SERVICES, {name: entry for name, entry in self.services.items() if name not in standard}, "service")
        self.standard = {name: self.services[name] for name in standard}

    def add_topics(self, world):
        for direction in ("published", "subscribed"):
            for topic in world.description[direction]:
                kind = world.sensor_of(topic["topic"])
                is_bridged = topic["topic"] in world.bridged
                name = world.general(topic["topic"], "/<topic of a bridge>")
                table = self.sensors.setdefault(kind, {}) if kind and not is_bridged else self.topics
                entry = table.setdefault((name, direction) if table is self.topics else name, Entry())
                rate = topic.get("rate_hz")
                entry.add(world, [(entry.types, topic["type"]), (entry.rates, rate), (entry.qos, topic["qos"]),
                                       (entry.notes, topic.get("unit", ""))])  # fmt: skip


def check_groups(groups, entries, what):
    """Reports names in no group, and names of groups that do not exist."""
    names = {key[0] if isinstance(key, tuple) else key for key in entries}
    listed = {name for group in groups.values() for name in group}
    if names - listed:
        raise Unknown(f"tools/site/reference/interfaces.py: add the {what} {min(names - listed)} to a group")
    if listed - names:
        raise Unknown(f"tools/site/reference/interfaces.py: no world has the {what} {min(listed - names)}")


def type_link(name, folder):
    """Returns the type, with a link if it is one of Merrow's own."""
    package, kind, short = name.split("/")
    if package != "merrow_msgs":
        return code(name)
    return f"[{code(name)}]({folder}messages/{kind}.md#{short.lower()})"


def example_worlds(worlds):
    """Returns up to three worlds that have a name."""
    if len(worlds) > 30:
        return "all" if len(worlds) > 36 else "most"
    return ", ".join(f"[{code(world)}](../bundled/worlds.md#{world})" for world in worlds[:3])


def rate(entry):
    rates = [value for value in entry.rates if value is not None]
    if not rates:
        return "on change or once"
    return f"{rates[0]:g} Hz" if len(rates) == 1 else "of its robot"


def topics_page(interfaces):
    text = (
        "# Topics\n\nThe topics that Merrow publishes and subscribes to, generated from `merrow describe` of the "
        "bundled worlds. `merrow describe WORLD --topics` prints those of one world.\n\nNames in angle brackets are "
        "chosen by the world file; `<modem>` is `<robot>/<modem>` for the modem of a robot. The topics of sensors are "
        "on the [pages of the sensors](../sensors/index.md). Rates are in simulated time. A quality of service is "
        "reliable, volatile and keeps the last 10 messages if nothing else is stated; subscriptions keep the last "
        "1000.\n\n"
    )
    for group, names in TOPICS.items():
        text += f"## {group}\n\n"
        rows = []
        for name in names:
            for direction in ("published", "subscribed"):
                entry = interfaces.topics.get((name, direction))
                if entry is None:
                    continue
                kinds = "<br>".join(type_link(kind, "../") for kind in entry.types[:3])
                kinds += "<br>and others" if len(entry.types) > 3 else ""
                if direction == "published":
                    note = rate(entry) + quality(entry, "reliable, volatile, keep last 10")
                else:
                    note = content(entry) + quality(entry, "reliable, volatile, keep last 1000")
                rows.append([code(name), direction, kinds, note, example_worlds(entry.worlds)])
        text += table(["topic", "direction", "type", "rate, or content of a command", "worlds"], rows)
    return text


def quality(entry, usual):
    """Returns the quality of service, if it is not the usual one."""
    other = [value for value in entry.qos if value != usual]
    return f"; {', '.join(other)}" if other else ""


def content(entry):
    """Returns what a command contains; if it depends on the robot, that of the first one."""
    notes = [note for note in entry.notes if note]
    if not notes:
        return ""
    return cell(notes[0]) if len(notes) == 1 else f"for example: {cell(notes[0])}"


def services_page(interfaces, descriptions):
    text = (
        "# Services and actions\n\nThe services and actions that Merrow offers, generated from `merrow describe` of "
        "the bundled worlds. Names in angle brackets are chosen by the world file. The node has in addition the "
        "services of parameters of every ROS 2 node.\n\n"
    )
    for group, names in SERVICES.items():
        rows = []
        for name in names:
            entry = interfaces.services[name]
            kinds = "<br>".join(type_link(kind, "../") for kind in entry.types[:3])
            rows.append([code(name), kinds, cell(descriptions.get(entry.types[0], "")), example_worlds(entry.worlds)])
        text += f"## {group}\n\n" + table(["service", "type", "content", "worlds"], rows)
    rows = [[code(name), code(entry.types[0])] for name, entry in interfaces.standard.items()]
    text += (
        "## Standard services of simulators\n\nThe services of `simulation_interfaces`; "
        "[Changing worlds](../../guides/changing_worlds.md) states how each behaves.\n\n"
    ) + table(["service", "type"], rows)
    rows = [[code(name), code(entry.types[0]), example_worlds(entry.worlds)]
            for name, entry in interfaces.actions.items()]  # fmt: skip
    return text + "## Actions\n\n" + table(["action", "type", "worlds"], rows)


def parameters_page(interfaces):
    text = (
        "# Parameters\n\nThe ROS 2 parameters of the node `/merrow`, generated from `merrow describe` of the bundled "
        "worlds. `ros2 param set /merrow NAME VALUE` changes one while the world runs. Names in angle brackets are "
        "chosen by the world file.\n\n"
    )
    groups = {}
    for name, entry in sorted(interfaces.parameters.items()):
        groups.setdefault(name.split(".")[0] if "." in name else "", []).append((name, entry))
    titles = {"": "Simulation", "<robot>": "Robots", "water": "Water", "weather": "Weather"}
    for group in groups:
        if group not in titles:
            raise Unknown(f"tools/site/reference/interfaces.py: give the parameters `{group}` a title")
    for group, title in titles.items():
        rows = []
        for name, entry in groups[group]:
            ranges = [text for text in entry.rates if text]
            allowed = "depends on the world" if len(ranges) > 1 else "".join(ranges)
            rows.append([code(name), entry.types[0], cell(allowed), cell(entry.notes[0]), example_worlds(entry.worlds)])
        text += f"## {title}\n\n" + table(["parameter", "type", "values", "description", "worlds"], rows)
    return text


def write(folder: Path, interfaces: Interfaces, descriptions):
    """Writes the pages. `descriptions` has the first sentences of types by their names."""
    folder.mkdir(parents=True)
    (folder / "topics.md").write_text(topics_page(interfaces))
    (folder / "services.md").write_text(services_page(interfaces, descriptions))
    (folder / "parameters.md").write_text(parameters_page(interfaces))
