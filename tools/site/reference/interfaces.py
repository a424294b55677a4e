"""Pages of topics, services, actions and parameters, from `merrow describe --json` of all bundled
worlds, and of a world with what they lack.

The names that a world chooses are replaced by placeholders such as `<robot>`, so that a topic of
many robots is listed once. `TOPICS` and `SERVICES` group the names that result; a name that is in
none of the groups is an error, and so is a name of a group that no world has."""

import re
from pathlib import Path

import yaml

from .text import Unknown, cell, code, table

# Topics by group, with their content.
TOPICS = {
    "Simulation": {
        "/clock": "Simulated time, at most `clock_rate_hz` times per second of wall time.",
        "/tf": "Transforms of the frames that move, with the true poses of robots whose parameter `publish_truth_tf` "
        "is true.",
        "/tf_static": "Transforms that do not change.",
        "/diagnostics": "Health of the node and of the robots.",
        "/contacts": "Contact pairs with their points and forces.",
        "/map": "Occupancy grid of a world with the key `map`.",
    },
    "Robot": {
        "/<robot>/robot_description": "URDF of the robot.",
        "/<robot>/joint_states": "States of the joints; fins and azimuth thrusters are joints too.",
        "/<robot>/battery_state": "State of the battery.",
        "/<robot>/<link>/external_wrench": "Force and moment that act on a link.",
        "/<robot>/<link>/contact_wrench": "Total contact force and moment on a link that `contact_wrenches` lists.",
    },
    "Thrusters, fins and buoyancy engines": {
        "/<robot>/thruster_manager/input": "Force and moment that the thrusters produce together.",
        "/<robot>/thruster_manager/input_stamped": "The same with a header.",
        "/<robot>/thrusters/command": "Commands of all thrusters, in the order of `merrow describe`.",
        "/<robot>/thrusters/<thruster>/command": "Command of one thruster.",
        "/<robot>/thrusters/<thruster>/azimuth/command": "Angle of an azimuth thruster.",
        "/<robot>/fins/command": "Angles of all fins, in the order of `merrow describe`.",
        "/<robot>/fins/<fin>/command": "Angle of one fin.",
        "/<robot>/buoyancy_engines/<engine>/command": "Volume that a buoyancy engine adds to the volume of the hull.",
        "/<robot>/buoyancy_engines/<engine>/volume": "Current value of this volume, in m3.",
    },
    "Motion control": {
        "/<robot>/cmd_vel": "Velocity of the vehicle.",
        "/<robot>/cmd_vel_stamped": "The same with a header.",
        "/<robot>/goal_pose": "Pose to go to and to hold.",
        "/<robot>/path": "Path to follow.",
        "/<robot>/joy": "State of a gamepad.",
        "/<robot>/set_mode": "Mode of the firmware.",
        "/<robot>/controller/status": "Mode, references and waypoints of the firmware.",
        "/<robot>/autopilot/depth_m": "Depth to hold.",
        "/<robot>/autopilot/heading_deg": "Heading to hold.",
        "/<robot>/enable": "Arms or disarms the vehicle.",
        "/<robot>/flight_mode": "Mode of the firmware of a multirotor.",
        "/<robot>/wheel_odometry": "Odometry from the wheels of a rover.",
    },
    "Arms and grippers": {
        "/<robot>/joint_commands": "Commands of single joints.",
        "/<robot>/<group>_controller/joint_trajectory": "Trajectory of the joints of a group.",
        "/<robot>/<group>_controller/controller_state": "Reference and state of the joints of a group.",
        "/<robot>/<group>_position_controller/commands": "Positions of the joints of a group.",
        "/<robot>/<group>_velocity_controller/commands": "Velocities of the joints of a group.",
        "/<robot>/<group>_effort_controller/commands": "Efforts of the joints of a group.",
    },
    "Modems": {
        "/<modem>/tx": "Message that the modem transmits.",
        "/<modem>/rx": "Messages that the modem has received.",
        "/<modem>/status": "State and counters of the modem.",
        "/<modem>/range": "Ranges that the modem has measured.",
        "/network/packets": "Transmitted packets and what became of them.",
        "/network/links": "State of the links between modems.",
        "/network/schedule": "Intervals in which modems transmit and receive.",
        "/<topic of a bridge>": "Messages that a bridge has transmitted by modem.",
    },
    "Tasks": {
        "/task/info": "Phase, times, score and events of the task, and what each robot has done.",
        "/task/score": "Score of the task.",
        "/task/goals": "Poses and points that the task names.",
        "/<robot>/task/report": "Object that the robot reports.",
    },
    "Computers": {
        "/<robot>/<computer>/status": "Load of the computer and state of its tasks.",
        "/<robot>/<computer>/schedule": "Intervals in which tasks run.",
    },
    "Couplings and tethers": {
        "/couplings/<coupling>/command": "Whether the coupling engages or releases.",
        "/couplings/<coupling>/state": "Whether the coupling is engaged.",
        "/couplings/<coupling>/wrench": "Force and moment of the coupling.",
        "/<tether>/path": "Positions of the nodes of the line.",
        "/<tether>/tension": "Tension at the first and at the second end of the line, in N.",
        "/<tether>/intact": "Whether the line is unbroken; only for a line with `breaking_load_n`.",
        "/<tether>/length": "Unstretched length, in m; only for a line on a winch.",
        "/<tether>/winch/command": "Speed of the winch.",
    },
}
# Services by group. Services of a type of Merrow's own have the description of the type, which is empty here.
SERVICES = {
    "Simulation": {
        "/merrow/pause": "Pauses the simulation.",
        "/merrow/resume": "Continues a paused simulation.",
        "/merrow/reset": "Returns to the start of the world.",
        "/merrow/step": "",
        "/merrow/single_step": "Advances a paused or lock-step simulation by one step.",
        "/merrow/get_map": "Returns the occupancy grid of a world with the key `map`.",
        "/merrow/wait_for_delivery": "Replies when every reliable subscription has received the messages of all steps so far.",
        "/merrow/set_pose": "",
        "/merrow/couple": "",
        "/merrow/weather": "",
        "/merrow/fault": "",
        "/merrow/apply_wrench": "",
        "/merrow/clear_wrenches": "",
        "/merrow/save_world": "",
        "/merrow/record": "",
        "/merrow/checkpoint": "",
    },
    "Robots": {
        "/<robot>/set_mode": "",
        "/<robot>/arm": "Arms or disarms the firmware.",
        "/<robot>/takeoff": "Lets a multirotor take off.",
        "/<robot>/land": "Lets a multirotor land.",
        "/<robot>/<sensor>/sample": "Opens the next bottle of a water sampler.",
        "/<robot>/<sensor>/stop": "Closes the bottle before it is full.",
    },
    "Modems": {
        "/<modem>/measure_range": "",
        "/<modem>/set_mac": "",
        "/<modem>/set_power": "",
        "/<modem>/set_rate": "",
        "/<service of a bridge>": "A service of another robot, whose calls cross by modem.",
    },
}
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
        for bridge in bridges_of(file):
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
            parts[2:] = [
                "<beacon>" if part in self.beacons else re.sub(r"^range_\d+$", "range_<n>", part) for part in parts[2:]
            ]
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
            elif parts[1] == "controller":
                parts[2] = "<axis>"
            elif parts[1] in ("thrusters", "fins", "loads", "buoyancy_engines", "lamps"):
                parts[2] = {
                    "thrusters": "<thruster>",
                    "fins": "<fin>",
                    "loads": "<load>",
                    "buoyancy_engines": "<engine>",
                    "lamps": "<lamp>",
                }[parts[1]]
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
        self.number_of_worlds = len(worlds)
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
                entry.add(
                    world,
                    [(entry.types, parameter["type"]), (entry.rates, allowed), (entry.notes, parameter["description"])],
                )
        standard = [name for name, entry in self.services.items() if entry.types[0].startswith(STANDARD)]
        check_groups(TOPICS, self.topics, "topic")
        check_groups(
            SERVICES, {name: entry for name, entry in self.services.items() if name not in standard}, "service"
        )
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
                entry.add(
                    world,
                    [
                        (entry.types, topic["type"]),
                        (entry.rates, rate),
                        (entry.qos, topic["qos"]),
                        (entry.notes, topic.get("unit", "")),
                    ],
                )


def bridges_of(file):
    """Returns the bridges of a world and of the worlds that it extends."""
    keys = yaml.safe_load(file.read_text())
    base = file.parent / keys.get("extends", "")
    inherited = bridges_of(base) if base.is_file() else []
    return [*inherited, *(keys.get("bridges") or {}).values()]


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


def example_worlds(worlds, number_of_worlds):
    """Returns a sentence with up to three worlds that have a name, unless most have it."""
    if not worlds or 2 * len(worlds) > number_of_worlds:
        return ""
    links = [f"[{code(world)}](../bundled/worlds.md#{world})" for world in worlds[:3]]
    return f" Worlds: {', '.join(links)}{', and others' if len(worlds) > 3 else ''}."


def types(entry):
    """Returns the types of an entry."""
    shown = [type_link(kind, "../") for kind in entry.types[:3]]
    return "<br>".join(shown + ["and others"] * (len(entry.types) > 3))


def published(entry):
    """Returns when a topic is published, and its quality of service."""
    rates = [value for value in entry.rates if value is not None]
    if not rates:
        text = "Published without a fixed rate"
    else:
        text = f"Published at {rates[0]:g} Hz" if len(rates) == 1 else "Published at a rate of the robot"
    return text + quality(entry, "reliable, volatile, keep last 10") + "."


def subscribed(entry):
    """Returns what a command contains; if it depends on the robot, that of the first one."""
    notes = [note for note in entry.notes if note]
    text = "Subscribed"
    if notes:
        text += ": " if len(notes) == 1 else ", for example: "
        text += cell(notes[0])
    return text + quality(entry, "reliable, volatile, keep last 1000") + "."


def quality(entry, usual):
    """Returns the quality of service, if it is not the usual one."""
    other = [value for value in entry.qos if value != usual]
    return f" ({', '.join(map(cell, other))})" if other else ""


def topics_page(interfaces):
    text = (
        "# Topics\n\nThe topics that Merrow publishes and subscribes to, generated from `merrow describe` of the "
        "bundled worlds. `merrow describe WORLD --topics` prints those of one world.\n\nNames in angle brackets are "
        "chosen by the world file; `<modem>` is `<robot>/<modem>` for the modem of a robot. The topics of sensors are "
        "on the [pages of the sensors](../sensors/index.md). Rates are in simulated time. The quality of service of a "
        "published topic is reliable, volatile, keep last 10, and that of a subscription reliable, volatile, keep last "
        "1000, if no other is stated.\n\n"
    )
    for group, names in TOPICS.items():
        rows = []
        for name, about in names.items():
            for direction, describe in (("published", published), ("subscribed", subscribed)):
                entry = interfaces.topics.get((name, direction))
                if entry is not None:
                    worlds = example_worlds(entry.worlds, interfaces.number_of_worlds)
                    rows.append([code(name), types(entry), f"{cell(about)} {describe(entry)}{worlds}"])
        text += f"## {group}\n\n" + table(["topic", "type", "content"], rows)
    return text


def services_page(interfaces, descriptions):
    text = (
        "# Services and actions\n\nThe services and actions that Merrow offers, generated from `merrow describe` of "
        "the bundled worlds. Names in angle brackets are chosen by the world file. The node has in addition the "
        "services of parameters of every ROS 2 node.\n\n"
    )
    for group, names in SERVICES.items():
        rows = []
        for name, about in names.items():
            entry = interfaces.services[name]
            effect = about or descriptions.get(entry.types[0])
            if not effect:
                raise Unknown(f"tools/site/reference/interfaces.py: the service {name} has no description")
            worlds = example_worlds(entry.worlds, interfaces.number_of_worlds)
            rows.append([code(name), types(entry), cell(effect) + worlds])
        text += f"## {group}\n\n" + table(["service", "type", "effect"], rows)
    rows = [[code(name), code(entry.types[0])] for name, entry in interfaces.standard.items()]
    text += (
        "## Standard services of simulators\n\nThe services of `simulation_interfaces`; "
        "[Worlds that change at run time](../../guides/changing_worlds.md) states how each behaves.\n\n"
    ) + table(["service", "type"], rows)
    rows = [
        [code(name), code(entry.types[0]), example_worlds(entry.worlds, interfaces.number_of_worlds).strip()]
        for name, entry in sorted(interfaces.actions.items())
    ]
    return text + "## Actions\n\n" + table(["action", "type", "worlds"], rows)


def parameters_page(interfaces):
    text = (
        "# Parameters\n\nThe ROS 2 parameters of the node `/merrow`, generated from `merrow describe` of the bundled "
        "worlds. `ros2 param set /merrow NAME VALUE` changes one while the world runs. Names in angle brackets are "
        "chosen by the world file, except `<axis>`: surge, sway, heave, roll, pitch or yaw.\n\n"
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
            allowed = "range depends on the world" if len(ranges) > 1 else "".join(ranges)
            worlds = example_worlds(entry.worlds, interfaces.number_of_worlds)
            values = ": ".join(filter(None, ["/".join(entry.types), cell(allowed)]))
            rows.append([code(name), values, cell(entry.notes[0]) + worlds])
        text += f"## {title}\n\n" + table(["parameter", "values", "description"], rows)
    return text


def write(folder: Path, interfaces: Interfaces, descriptions):
    """Writes the pages. `descriptions` has the first sentences of types by their names."""
    folder.mkdir(parents=True)
    (folder / "topics.md").write_text(topics_page(interfaces))
    (folder / "services.md").write_text(services_page(interfaces, descriptions))
    (folder / "parameters.md").write_text(parameters_page(interfaces))
