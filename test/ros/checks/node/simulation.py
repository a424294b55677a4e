"""Checks of end_to_end.py: the services and the action of simulation_interfaces."""

import json
import math
import pathlib
import re
import tempfile
import time

import live
import peer
import simulation_types
from action_client import ABORTED, CANCELED, SUCCEEDED, ActionClient
from checks.node.services import check_bag, find_bag
from live import Merrow, command, latest, message_type, take, wait_for, wait_until
from peer import valid
from websockets.sync.client import connect

UNSUPPORTED, OK, NOT_FOUND, INCORRECT_STATE, FAILED = range(5)
STOPPED, PLAYING, PAUSED, QUITTING = range(4)
PACKAGE = "simulation_interfaces"
# entities of the world `pool`
POOL = ["basin", "bluerov2"]
BALL = ("source: test, body: {source: test, axes: flu, mass_kg: 1, inertia_kg_m2: {xx: 0.1, yy: 0.1, zz: 0.1}, "
        "net_buoyancy_n: 0}")
URDF = """<robot name="float_ball"><link name="LINK">
        <inertial><mass value="4"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
        <collision><geometry><sphere radius="0.1"/></geometry></collision></link></robot>"""
ARM = pathlib.Path(__file__).parents[2] / "worlds" / "arm.yaml"


def default(kind):
    """Returns the zero value of a field type of peer.FIELDS, with unit quaternions."""
    if kind.endswith("]"):
        return []
    if kind in peer.PRIMITIVES:
        return {"bool": False, "string": ""}.get(kind, 0.0 if kind.startswith("float") else 0)
    if kind == "geometry_msgs/msg/Quaternion":
        return message(kind, x=0.0, y=0.0, z=0.0, w=1.0)
    return message(kind)


def message(kind, **fields):
    """Returns a message whose other fields have their default values."""
    if kind not in peer.FIELDS:
        kinds = {
            "geometry_msgs/msg/Vector3": "float64 x; float64 y; float64 z",
            "geometry_msgs/msg/Point": "float64 x; float64 y; float64 z",
            "geometry_msgs/msg/Quaternion": "float64 x; float64 y; float64 z; float64 w",
            "geometry_msgs/msg/Pose": "geometry_msgs/msg/Point position; geometry_msgs/msg/Quaternion orientation",
            "geometry_msgs/msg/PoseStamped": "std_msgs/msg/Header header; geometry_msgs/msg/Pose pose",
            "geometry_msgs/msg/Twist": "geometry_msgs/msg/Vector3 linear; geometry_msgs/msg/Vector3 angular",
            "geometry_msgs/msg/Wrench": "geometry_msgs/msg/Vector3 force; geometry_msgs/msg/Vector3 torque",
            "geometry_msgs/msg/Accel": "geometry_msgs/msg/Vector3 linear; geometry_msgs/msg/Vector3 angular",
        }
        declared = kinds[kind]
    else:
        declared = peer.FIELDS[kind]
    parts = (field.split() for field in declared.split(";"))
    return message_type(kind)(**{name: fields.get(name, default(part)) for part, name in parts})


class Simulator:
    """Clients of the services of a node."""

    def __init__(self, m, prefix=""):
        self.m, self.prefix, self.clients = m, prefix, {}

    def call(self, name, /, timeout_s=5, **fields):
        """Returns the reply of the service `name`, such as SpawnEntity."""
        kind = f"{PACKAGE}/srv/{name}"
        if name not in self.clients:
            snake = "".join(f"_{c.lower()}" if c.isupper() else c for c in name).lstrip("_")
            client = self.m.peer.client(f"{self.prefix}/{snake}", kind)
            assert client.wait(20), f"no service {snake}"
            self.clients[name] = client
        client = self.clients[name]
        request = message(f"{kind}_Request", **fields)
        reply = client.receive(client.send(**vars(request)), timeout_s)
        assert reply is not None, f"no reply from {name}"
        return reply

    def ok(self, name, /, **fields):
        """Calls a service and asserts its success."""
        reply = self.call(name, **fields)
        assert reply.result.result == OK, f"{name}: {reply.result}"
        return reply

    def refused(self, code, text, name, /, **fields):
        """Calls a service and asserts its result code and a part of its message."""
        reply = self.call(name, **fields)
        found = reply.result
        assert found.result == code and text in found.error_message, f"{name}: {found}"
        return reply

    def entities(self, **filters):
        """Returns the names of the selected entities."""
        return self.ok("GetEntities", filters=message(f"{PACKAGE}/msg/EntityFilters", **filters)).entities

    def spawn(self, uri="", text="", at=(0.0, 0.0, -2.0), **fields):
        """Returns the fields of a request to spawn."""
        return dict(entity_resource=message(f"{PACKAGE}/msg/Resource", uri=uri, resource_string=text),
                    initial_pose=pose_stamped(at), **fields)

    def state(self, name):
        """Returns the state of an entity."""
        return self.ok("GetEntityState", entity=name).state


def pose(at, orientation=(0.0, 0.0, 0.0, 1.0)):
    """Returns a Pose."""
    return message("geometry_msgs/msg/Pose",
                   position=message("geometry_msgs/msg/Point", **dict(zip("xyz", map(float, at)))),
                   orientation=message("geometry_msgs/msg/Quaternion", **dict(zip("xyzw", map(float, orientation)))))


def pose_stamped(at, frame="", orientation=(0.0, 0.0, 0.0, 1.0)):
    """Returns a PoseStamped."""
    header = message("std_msgs/msg/Header", frame_id=frame)
    return message("geometry_msgs/msg/PoseStamped", header=header, pose=pose(at, orientation))


def position(state):
    """Returns the position of an EntityState."""
    p = state.pose.position
    return p.x, p.y, p.z


def near(a, b, tolerance=1e-9):
    """Returns whether two lists of numbers agree."""
    return len(a) == len(b) and all(abs(x - y) <= tolerance for x, y in zip(a, b))


def check_spawn_and_delete():
    """A spawned robot has its topics, services, parameters and description at once, moves by its
    commands, and loses them when it is deleted; the other robot keeps its publishers.
    """
    with Merrow("pool") as m:
        simulator = Simulator(m)
        odometry = m.listen("/bluerov2/odometry")
        done = simulator.ok("SpawnEntity", name="second", **simulator.spawn("bluerov2", at=(2, 0, -2)))
        assert done.entity_name == "second", done
        assert sorted(simulator.entities()) == [*POOL, "second"]
        own = m.listen("/second/odometry", "nav_msgs/msg/Odometry")
        first = latest(own)
        assert near((first.pose.pose.position.x, first.pose.pose.position.y), (2, 0), 0.2), first.pose.pose.position
        description = m.listen("/second/robot_description", "std_msgs/msg/String", transient_local=True, depth=1)
        assert "<robot name=" in latest(description).data
        names = m.call("list_parameters", prefixes=["second"], depth=0).result.names
        assert any(name.startswith("second.thrusters.") for name in names), names
        assert m.set("second.imu.noise", False).successful
        m.write("/second/thruster_manager/input", "geometry_msgs/msg/Wrench",
                force=message("geometry_msgs/msg/Vector3", x=20.0), torque=message("geometry_msgs/msg/Vector3"))
        assert wait_for(lambda: latest(own).pose.pose.position.x > 2.3, 8), "the spawned robot does not move"
        take(odometry)
        simulator.ok("DeleteEntity", entity="second")
        assert sorted(simulator.entities()) == POOL
        assert wait_for(lambda: not any("/second/" in topic for topics in m.peer.endpoints("rt/") for topic in topics))
        assert m.get("second.imu.noise") is None
        assert latest(odometry) and m.set("bluerov2.imu.noise", False).successful
        simulator.refused(NOT_FOUND, 'no entity "second"', "DeleteEntity", entity="second")
        m.alive()


def check_spawn_errors():
    """Every kind of faulty request is refused with its code and reason, and has no effect."""
    with Merrow("pool") as m:
        simulator = Simulator(m)
        spawn = simulator.spawn
        refused = simulator.refused
        refused(101, "is taken", "SpawnEntity", name="bluerov2", **spawn("bluerov2"))
        refused(102, "lowercase", "SpawnEntity", name="Second Robot", **spawn("bluerov2"))
        refused(103, "SDF", "SpawnEntity", name="a", **spawn("model.sdf"))
        refused(103, "SDF", "SpawnEntity", name="a", **spawn(text="<?xml version='1.0'?><sdf version='1.9'/>"))
        refused(104, "expected the name of a bundled robot", "SpawnEntity", name="a", **spawn())
        refused(105, "namespace", "SpawnEntity", name="a", entity_namespace="x y", **spawn("bluerov2"))
        refused(109, "inside the seabed", "SpawnEntity", name="a", **spawn("bluerov2", at=(0, 0, -6)))
        refused(109, "inside bluerov2", "SpawnEntity", name="a", **spawn("bluerov2", at=(0.1, 0, -1)))
        refused(NOT_FOUND, "bluerov2", "SpawnEntity", name="a", **spawn("blerov2"))
        faulty = "source: test\nbody: {source: test, axes: flu, mass_kg: -1, inertia_kg_m2: 3}\nthrusers: {}\n"
        reply = refused(106, "mass_kg", "SpawnEntity", name="a", **spawn(text=faulty))
        lines = reply.result.error_message.splitlines()
        assert len(lines) >= 3 and any("thrusers" in line for line in lines), lines
        missing = "source: test\nurdf: none.urdf\n"
        refused(107, "none.urdf", "SpawnEntity", name="a", **spawn(text=missing))
        refused(106, "resource:", "SpawnEntity", name="a", **spawn(text="a: [1"))
        invalid = spawn("bluerov2")
        invalid["initial_pose"] = pose_stamped((float("nan"), 0, 0))
        refused(109, "finite", "SpawnEntity", name="a", **invalid)
        invalid["initial_pose"] = pose_stamped((0, 0, -1), orientation=(0, 0, 0, 0))
        refused(109, "quaternion", "SpawnEntity", name="a", **invalid)
        invalid["initial_pose"] = pose_stamped((0, 0, -1), frame="nowhere")
        refused(109, "nowhere", "SpawnEntity", name="a", **invalid)
        assert sorted(simulator.entities()) == POOL
        # renaming
        done = simulator.ok("SpawnEntity", name="bluerov2", allow_renaming=True, **spawn("bluerov2", at=(3, 3, -2)))
        assert done.entity_name == "bluerov2_1", done
        several = [message(f"{PACKAGE}/msg/SpawnEntity", name=name, **spawn("remus100", at=(x, 4, -3)))
                   for name, x in (("auv", -4), ("auv", 4))]
        done = simulator.call("SpawnEntities", spawn_requests=several)
        assert done.result.result == 150 and [r.result.result for r in done.results] == [OK, 101], done
        several = [message(f"{PACKAGE}/msg/SpawnEntity", name=name, **spawn("remus100", at=(x, -4, -3)))
                   for name, x in (("left", -4), ("right", 4))]
        done = simulator.ok("SpawnEntities", spawn_requests=several)
        assert [r.entity_name for r in done.results] == ["left", "right"], done


def check_refused_robots():
    """Robots and worlds with a frame or a topic of another object, with names that ROS does not allow, or with parameters
    whose given values are not valid, are refused with their reason and change nothing: the run goes on, and the next
    robot is added.
    """
    long = 300 * "x"
    ball = lambda **keys: f"{{{BALL}, {', '.join(f'{key}: {value}' for key, value in keys.items())}}}"
    sensors = lambda *names: f"{{{', '.join(f'{name}: {{device: truth, rate_hz: 10}}' for name in names)}}}"
    link = lambda name: f"{{{name}: {{parent: base_link, joint: {{kind: fixed}}}}}}"
    # robots, and parts of their errors
    faulty = [
        (ball(links=link("imu"), sensors=sensors("imu")), "the frame `imu` of a link"),
        (ball(sensors="{eye: {device: uav_camera}, eye_optical_frame: {device: truth, rate_hz: 10}}"), "have the frame"),
        (ball(sensors=sensors("imu", "imu")), "duplicate key `imu`"),
        (ball(sensors=sensors("robot_description")), "/robot_description` has two contents"),
        (ball(links=link("fore-arm")), "the link `fore-arm`: expected a name"),
        (ball(links=link(long)), "at most 128 characters"),
        (ball(sensors=sensors(long)), "at most 247"),
    ]
    values = {"efficient.thrusters.t1.efficiency": "7.0", "lazy.thrusters.t1.state": "asleep"}
    with Merrow("pool", ros=[word for name, value in values.items() for word in ("-p", f"{name}:={value}")]) as m:
        simulator = Simulator(m)
        odometry = m.listen("/bluerov2/odometry")
        world = lambda: (simulator.entities(), m.peer.endpoints("r"))
        before = world()

        def added(name, expected, link, **resource):
            done = simulator.ok("SpawnEntity", name=name, allow_renaming=True, **simulator.spawn(**resource))
            assert (done.entity_name, done.result.error_message) == (expected, ""), done
            assert wait_for(lambda: f"rt/{expected}/{link}/external_wrench" in m.peer.subscribed()), m.peer.subscribed()
            simulator.ok("DeleteEntity", entity=expected)
            # endpoints of a refused robot would remain
            assert wait_for(lambda: world() == before), (world(), before)

        def refused(code, error, service, **fields):
            simulator.refused(code, error, service, **fields)
            assert simulator.ok("GetSimulationState").state.state == PLAYING, error
            take(odometry)
            latest(odometry)
            added("guest", "guest", "base_link", uri="bluerov2")

        def robot(code, error, name="a", namespace="", **resource):
            refused(code, error, "SpawnEntity", name=name, entity_namespace=namespace, **simulator.spawn(**resource))

        def load(code, error, name, model):
            text = f"robots: {{{name}: {{model: {model}, position_m: [0, 0, -2]}}}}"
            refused(code, error, "LoadWorld", world_resource=message(f"{PACKAGE}/msg/Resource", resource_string=text))

        for text, error in faulty:
            robot(106, error, text=text)
            load(103, error, "a", text)
        for name, error in (("efficient", "expected 0.0 to 1.0, found 7.0"), ("lazy", "healthy, stuck or dead")):
            robot(FAILED, error, name, uri="bluerov2")
            load(FAILED, error, name, "bluerov2")
        load(103, "at most 247", long, "bluerov2")
        robot(106, "/bluerov2/imu/data` has two contents", "imu", "bluerov2", text=ball(sensors=sensors("data")))
        robot(106, "/bluerov2/thrusters/command` has two contents", "thrusters", "bluerov2",
              text=ball(sensors=sensors("command")))
        robot(106, "contains blanks", text=URDF.replace("LINK", "base link"))
        robot(106, "at most 128 characters", text=URDF.replace("LINK", long))
        robot(102, "at most 128", long, uri="bluerov2")
        robot(105, "at most 247", namespace=long, uri="bluerov2")
        robot(106, "at most 247", 120 * "a", 120 * "b", uri="bluerov2")
        robot(NOT_FOUND, "no bundled robot", uri=long)
        # names that can be changed
        added("a", "a", "fore_arm", text=URDF.replace("LINK", "fore-arm"))
        added(long, 64 * "x", "base_link", uri="bluerov2")


def check_resources():
    """Robots are spawned from a YAML text and from a URDF text, relative to another robot."""
    text = """model:
  source: test
  body:
    source: test
    axes: flu
    mass_kg: 10
    inertia_kg_m2: {xx: 0.1, yy: 0.1, zz: 0.1}
    net_buoyancy_n: -20
tags: [stone]
category: object
"""
    with Merrow("pool", "--pace", "lockstep") as m:
        simulator = Simulator(m)
        fields = simulator.spawn(text=text)
        fields["initial_pose"] = pose_stamped((1, 0, 0), frame="bluerov2/base_link")
        simulator.ok("SpawnEntity", name="stone", **fields)
        assert near(position(simulator.state("stone")), (1, 0, -1)), simulator.state("stone")
        done = simulator.ok("SpawnEntity", **simulator.spawn(text=URDF.replace("LINK", "base_link"), at=(0, 2, -2)))
        assert done.entity_name == "float_ball", done
        m.step(50)
        state = simulator.state("stone")
        # without damping and added mass the acceleration is 2 m/s²
        assert near((state.twist.linear.z, state.acceleration.linear.z), (-0.2, -2.0), 0.02), state
        tags = message(f"{PACKAGE}/msg/TagsFilter", tags=["stone"])
        assert simulator.entities(tags=tags) == ["stone"]
        robot = message(f"{PACKAGE}/msg/EntityCategory", category=1)
        assert sorted(simulator.entities(categories=[robot])) == ["bluerov2", "float_ball"]
        assert simulator.entities(filter="^sto") == ["stone"]
        info = simulator.ok("GetEntityInfo", entity="stone").info
        assert info.category.category == 0 and info.tags == ["stone"], info
        points = [message("geometry_msgs/msg/Vector3", x=0.0, y=2.0, z=-2.0), message("geometry_msgs/msg/Vector3", x=0.5)]
        sphere = message(f"{PACKAGE}/msg/Bounds", type=3, points=points)
        # the walls of the pool surround the ball
        assert simulator.entities(bounds=sphere) == ["float_ball", "basin"], simulator.entities(bounds=sphere)
        corners = [message("geometry_msgs/msg/Vector3", x=x, y=y, z=-2.2) for x, y in ((-0.5, 1.5), (0.5, 2.5))]
        corners[1].z = -1.8
        box = message(f"{PACKAGE}/msg/Bounds", type=1, points=corners)
        assert simulator.entities(bounds=box) == ["float_ball", "basin"], simulator.entities(bounds=box)
        bounds = simulator.ok("GetEntityBounds", entity="float_ball").bounds
        corners = [(p.x, p.y, p.z) for p in bounds.points]
        assert bounds.type == 1 and near(corners[0], (0.1, 0.1, 0.1)) and near(corners[1], (-0.1, -0.1, -0.1)), bounds


def check_entity_states():
    """States are set in the world and in the frame of another robot; only the selected parts change."""
    with Merrow("pool", "--pace", "lockstep") as m:
        simulator = Simulator(m)
        vector = lambda *v: message("geometry_msgs/msg/Vector3", **dict(zip("xyz", map(float, v))))
        state = message(f"{PACKAGE}/msg/EntityState", pose=pose((1, 2, -3), (0, 0, 0.7071067811865476, 0.7071067811865476)),
                        twist=message("geometry_msgs/msg/Twist", linear=vector(0.5, 0, 0), angular=vector(0, 0, 0.1)))
        simulator.ok("SetEntityState", entity="bluerov2", state=state, set_pose=True, set_twist=True)
        found = simulator.state("bluerov2")
        assert near(position(found), (1, 2, -3)) and near((found.twist.linear.x, found.twist.linear.y), (0.5, 0)), found
        # the forward axis points north: a metre ahead is a metre to the north
        moved = message(f"{PACKAGE}/msg/EntityState", pose=pose((1, 0, 0)),
                        header=message("std_msgs/msg/Header", frame_id="bluerov2"))
        simulator.ok("SetEntityState", entity="bluerov2", state=moved, set_pose=True)
        found = simulator.state("bluerov2")
        assert near(position(found), (1, 3, -3)) and near((found.twist.linear.x,), (0.5,)), found
        both = simulator.ok("GetEntitiesStates", filters=message(f"{PACKAGE}/msg/EntityFilters"))
        assert sorted(both.entities) == POOL and near(position(both.states[both.entities.index("bluerov2")]), (1, 3, -3)), both
        invalid = message(f"{PACKAGE}/msg/EntityState", pose=pose((float("inf"), 0, 0)))
        simulator.refused(101, "finite", "SetEntityState", entity="bluerov2", state=invalid, set_pose=True)
        for z, reason in ((-60, "inside the seabed"), (1e300, "within 1000 km")):
            invalid = message(f"{PACKAGE}/msg/EntityState", pose=pose((0, 0, z)))
            simulator.refused(101, reason, "SetEntityState", entity="bluerov2", state=invalid, set_pose=True)
        simulator.refused(NOT_FOUND, "no entity", "SetEntityState", entity="none", state=state, set_pose=True)
        simulator.refused(NOT_FOUND, "no entity", "GetEntityState", entity="none")


def check_simulation_state():
    """The simulation is stopped, started, paused, reset and ended; steps are made while it is paused."""
    with Merrow("pool") as m:
        simulator = Simulator(m)
        state = lambda: simulator.ok("GetSimulationState").state.state
        target = lambda number: dict(state=message(f"{PACKAGE}/msg/SimulationState", state=number))
        assert state() == PLAYING
        simulator.refused(101, "already", "SetSimulationState", **target(PLAYING))
        simulator.refused(FAILED, "running", "StepSimulation", steps=1)
        steps = ActionClient(m.peer, "/simulate_steps", f"{PACKAGE}/action/SimulateSteps").wait()
        answer = steps.result(steps.accepted(steps=1))
        assert answer.status == ABORTED and "running" in answer.result.result.error_message, answer
        simulator.ok("SetSimulationState", **target(PAUSED))
        assert state() == PAUSED
        stamp = lambda: simulator.state("bluerov2").header.stamp
        before = stamp()
        simulator.ok("StepSimulation", steps=5)
        after = stamp()
        assert (after.sec - before.sec) * 10**9 + after.nanosec - before.nanosec == 5 * 2_000_000
        simulator.refused(FAILED, "at least 1", "StepSimulation", steps=0)
        goal = steps.accepted(steps=500)
        answer = steps.result(goal)
        assert answer.status == SUCCEEDED and answer.result.result.result == OK, answer
        goal = steps.accepted(steps=10**9)
        assert steps.cancel(goal)[1], "the goal is not cancelled"
        answer = steps.result(goal)
        assert answer.status == CANCELED and answer.result.result.result == FAILED, answer
        simulator.ok("SetSimulationState", **target(STOPPED))
        assert state() == STOPPED and (stamp().sec, stamp().nanosec) == (0, 0)
        simulator.refused(101, "already", "SetSimulationState", **target(STOPPED))
        # a stopped simulation can be paused, without a step
        simulator.ok("SetSimulationState", **target(PAUSED))
        assert state() == PAUSED and (stamp().sec, stamp().nanosec) == (0, 0)
        simulator.ok("SpawnEntity", name="second", **simulator.spawn("bluerov2", at=(3, 0, -2)))
        simulator.ok("SetSimulationState", **target(STOPPED))
        assert state() == STOPPED and sorted(simulator.entities()) == POOL
        simulator.refused(103, "expected a state from 0", "SetSimulationState", **target(9))
        # reset of only the state: the time continues
        simulator.ok("StepSimulation", steps=100)
        assert state() == PAUSED
        moved = message(f"{PACKAGE}/msg/EntityState", pose=pose((1, 2, -3)))
        simulator.ok("SetEntityState", entity="bluerov2", state=moved, set_pose=True)
        simulator.ok("SpawnEntity", name="second", **simulator.spawn("bluerov2", at=(3, 0, -2)))
        simulator.ok("ResetSimulation", scope=2)
        assert near(position(simulator.state("bluerov2")), (0, 0, -1)) and stamp().nanosec == 200_000_000
        assert sorted(simulator.entities()) == [*POOL, "second"]
        for scope in (1, 5):
            simulator.refused(UNSUPPORTED, "only the time", "ResetSimulation", scope=scope)
        simulator.ok("ResetSimulation", scope=4)
        assert sorted(simulator.entities()) == POOL and stamp().nanosec == 200_000_000
        simulator.ok("DeleteEntity", entity="bluerov2")
        simulator.ok("ResetSimulation", scope=3)
        assert simulator.entities() == ["basin"] and state() == STOPPED
        for scope in (0, 255):
            simulator.ok("StepSimulation", steps=5)
            simulator.ok("ResetSimulation", scope=scope)
            assert sorted(simulator.entities()) == POOL and stamp().nanosec == 0 and state() == STOPPED
            simulator.ok("DeleteEntity", entity="bluerov2")
        simulator.ok("SetSimulationState", **target(QUITTING))
        assert m.process.wait(timeout=3) == 0


def check_states_after_a_late_start():
    """A run from a checkpoint or a world that starts late is not stopped until it is set so, at its start."""
    target = lambda number: dict(state=message(f"{PACKAGE}/msg/SimulationState", state=number))
    with tempfile.TemporaryDirectory() as folder:
        checkpoint, late = (pathlib.Path(folder) / name for name in ("run.cp", "late.yaml"))
        late.write_text("start_time_s: 100\nrobots: {rov: {model: bluerov2, position_m: [0, 0, -2]}}\n", encoding="utf-8")
        with Merrow("pool", "--pace", "lockstep") as m:
            m.step(100)
            m.do("checkpoint", uri=str(checkpoint))
        for world, options, robot, start_s in (("pool", ("--resume", checkpoint), "bluerov2", 0), (str(late), (), "rov", 100)):
            with Merrow(world, *options) as m:
                simulator = Simulator(m)
                state = lambda: simulator.ok("GetSimulationState").state.state
                assert state() == PLAYING
                simulator.ok("SetSimulationState", **target(PAUSED))
                assert state() == PAUSED
                for _ in range(2):
                    simulator.ok("SetSimulationState", **target(STOPPED))
                    stamp = simulator.state(robot).header.stamp
                    assert state() == STOPPED and (stamp.sec, stamp.nanosec) == (start_s, 0), stamp
                    simulator.ok("SetSimulationState", **target(PLAYING))
                    assert state() == PLAYING


def check_named_poses_and_info():
    """Named poses, their free space and tags come from the world file; information about entities is
    read and set, also for one copy of a grid, and is saved.
    """
    world = """robots:
  grid:
    model: bluerov2
    position_m: [0, 0, -5]
    repeat: {count: [2, 1, 1], spacing_m: [5, 0, 0]}
named_poses:
  berth: {position_m: [1, 2, -3], attitude_deg: [0, 0, 90], tags: [spawn, calm], free_size_m: [2, 1, 1], description: A berth}
  goal: {position_m: [9, 0, -5], tags: [goal]}
tags: [test]
"""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "berths.yaml"
        file.write_text(world, encoding="utf-8")
        with Merrow(str(file)) as m:
            simulator = Simulator(m)
            names = lambda *tags: [p.name for p in simulator.ok(
                "GetNamedPoses", tags=message(f"{PACKAGE}/msg/TagsFilter", tags=list(tags))).poses]
            assert names() == ["berth", "goal"] and names("calm") == ["berth"] and names("none") == []
            bounds = simulator.ok("GetNamedPoseBounds", name="berth").bounds
            assert bounds.type == 1 and (bounds.points[0].x, bounds.points[1].y) == (1.0, -0.5), bounds
            assert simulator.ok("GetNamedPoseBounds", name="goal").bounds.type == 0
            simulator.refused(NOT_FOUND, "no named pose", "GetNamedPoseBounds", name="none")
            pose_ = simulator.ok("GetNamedPoses").poses[0].pose
            done = simulator.ok("SpawnEntity", name="guest", entity_namespace="harbour/north", **(
                simulator.spawn("bluerov2") | {"initial_pose": message("geometry_msgs/msg/PoseStamped", pose=pose_)}))
            assert done.entity_name == "guest"
            latest(m.listen("/harbour/north/guest/odometry", "nav_msgs/msg/Odometry"))
            info = message(f"{PACKAGE}/msg/EntityInfo", tags=["lead"], description="The first robot",
                           category=message(f"{PACKAGE}/msg/EntityCategory", category=4))
            for entity in ("grid_1", "guest"):
                simulator.ok("SetEntityInfo", entity=entity, info=info)
                found = simulator.ok("GetEntityInfo", entity=entity).info
                assert found.tags == ["lead"] and found.description == "The first robot", found
                assert found.category.category == 4, found
            assert simulator.ok("GetEntityInfo", entity="grid_0").info.tags == []
            lead = message(f"{PACKAGE}/msg/TagsFilter", tags=["lead"])
            assert simulator.entities(tags=lead) == ["grid_1", "guest"]
            simulator.refused(NOT_FOUND, "no entity", "SetEntityInfo", entity="none", info=info)
            info.category.category = 3
            simulator.refused(FAILED, "found 3", "SetEntityInfo", entity="grid_0", info=info)
            simulator.ok("DeleteEntity", entity="grid_0")
            saved = simulator.ok("GetCurrentWorld").world
            assert saved.tags == ["test"], saved
            m.end()
        changed = pathlib.Path(folder) / "changed.yaml"
        changed.write_text(saved.world_resource.resource_string, encoding="utf-8")
        with Merrow(str(changed)) as m:
            assert sorted(Simulator(m).entities()) == ["grid_1", "guest"]
            assert Simulator(m).entities(tags=lead) == ["grid_1", "guest"]


def check_secret_files():
    """Answers to requests do not quote the files of the output folder."""
    with tempfile.TemporaryDirectory(prefix="merrow-test-") as folder:
        folder = pathlib.Path(folder)
        (folder / "sub").mkdir()
        for name in "secret.yaml", "sub/secret.yaml":
            (folder / name).write_text("password: hunter2\nrobots: [hunter2\n", encoding="utf-8")
        (folder / "keys.yaml").write_text("password: hunter2\n", encoding="utf-8")
        (folder / "arm.urdf").write_text("<robot name='hunter2'><link hunter2/></robot>", encoding="utf-8")
        with Merrow("pool", "--output-dir", folder) as m:
            simulator = Simulator(m)
            replies = []
            for uri in "secret.yaml", "sub/secret.yaml", "keys.yaml", "arm.urdf", "sub", ".", "secrets.yaml":
                resource = message(f"{PACKAGE}/msg/Resource", uri=uri, resource_string="")
                replies.append(simulator.call("LoadWorld", world_resource=resource))
                replies.append(simulator.call("SpawnEntity", name="a", **simulator.spawn(uri)))
                replies.append(simulator.call("GetAvailableWorlds", additional_sources=[uri]))
                replies.append(simulator.call("GetAvailableWorlds", additional_sources=[uri], continue_on_error=True))
                text = f"model: {{extends: {uri}}}" if uri.endswith("yaml") else f"source: x\nurdf: {uri}"
                replies.append(simulator.call("SpawnEntity", name="a", **simulator.spawn(text=text)))
            leaks = [reply for reply in map(str, replies) if "hunter2" in reply or "password" in reply]
            assert not leaks, leaks
            log = m.output()[1]
            assert "hunter2" not in log and "password" not in log, log


# A world in which two sensors have the same frame, because the profile adds `_frd` to the frame of `imu`.
SAME_FRAMES = "robots: {rov: {profile: stonefish, model: {extends: robots/bluerov2.yaml, sensors: {imu_frd: {device: bar30}}}}}"


def check_worlds():
    """Worlds are listed, loaded by name and by text, and unloaded."""
    with Merrow("pool") as m:
        simulator = Simulator(m)
        worlds = {w.name: w for w in simulator.ok("GetAvailableWorlds").worlds}
        assert {"pool", "harbour"} <= set(worlds) and worlds["pool"].description, sorted(worlds)
        simulator.refused(FAILED, "/nowhere", "GetAvailableWorlds", additional_sources=["/nowhere"])
        simulator.ok("GetAvailableWorlds", additional_sources=["/nowhere"], continue_on_error=True)
        resource = lambda uri="", text="": dict(
            world_resource=message(f"{PACKAGE}/msg/Resource", uri=uri, resource_string=text))
        simulator.refused(101, "another format", "LoadWorld", **resource("a.sdf"))
        simulator.refused(102, "neither", "LoadWorld", **resource())
        simulator.refused(103, "mass_kg", "LoadWorld", **resource(
            text="robots: {a: {model: {source: x, body: {source: x, mass_kg: -1}}}}"))
        simulator.refused(104, "no file", "LoadWorld", **resource(
            text="robots: {a: {model: {source: x, urdf: none.urdf}}}"))
        simulator.refused(NOT_FOUND, "poool", "LoadWorld", **resource("poool"))
        simulator.refused(103, "frame", "LoadWorld", **resource(text=SAME_FRAMES))
        assert sorted(simulator.entities()) == POOL
        loaded = simulator.ok("LoadWorld", **resource("usv"))
        assert loaded.world.name == "usv", loaded
        entities = simulator.entities()
        assert "bluerov2" not in entities and entities, entities
        # a loaded world is stopped
        assert simulator.ok("GetSimulationState").state.state == STOPPED
        stamp = simulator.state(entities[0]).header.stamp
        assert (stamp.sec, stamp.nanosec) == (0, 0), stamp
        simulator.ok("SetSimulationState", state=message(f"{PACKAGE}/msg/SimulationState", state=PLAYING))
        latest(m.listen(f"/{entities[0]}/odometry", "nav_msgs/msg/Odometry"))
        assert m.get("water.waves.hs_m") is not None and m.get("bluerov2.imu.noise") is None
        simulator.ok("UnloadWorld")
        simulator.refused(101, "no world", "GetCurrentWorld")
        simulator.refused(101, "no world", "UnloadWorld")
        assert simulator.ok("GetSimulationState").state.state == 4 and simulator.entities() == []
        simulator.ok("LoadWorld", **resource(text="robots: {rov: {model: bluerov2, position_m: [0, 0, -2]}}"))
        simulator.ok("SetSimulationState", state=message(f"{PACKAGE}/msg/SimulationState", state=PLAYING))
        latest(m.listen("/rov/odometry", "nav_msgs/msg/Odometry"))
        m.alive()


def check_features_and_prefix():
    """The declared features agree with the other checks; a prefix moves all names."""
    with Merrow("pool", ros=["-p", "simulation_interfaces_prefix:=gzserver"]) as m:
        simulator = Simulator(m, "/gzserver")
        features = simulator.call("GetSimulatorFeatures").features
        assert {0, 1, 9, 10, 11, 12, 14, 20, 24, 25, 26, 31, 32, 33, 50} <= set(features.features), features
        assert "urdf" in features.spawn_formats, features
        spawnables = simulator.ok("GetSpawnables").spawnables
        assert "nowhere" in simulator.ok("GetSpawnables", sources=["nowhere"]).result.error_message
        uris = [s.entity_resource.uri for s in spawnables]
        assert {"bluerov2", "reef"} <= set(uris) and all(s.description for s in spawnables), uris
        world = simulator.ok("GetCurrentWorld").world
        assert world.name == "pool" and world.world_resource.uri.endswith("pool.yaml"), world


def check_saved_world():
    """A world with a spawned robot is saved, loaded and continued from a checkpoint."""
    with tempfile.TemporaryDirectory() as folder:
        file, checkpoint = (pathlib.Path(folder) / name for name in ("saved.yaml", "run.cp"))
        with Merrow("pool", "--pace", "lockstep") as m:
            simulator = Simulator(m)
            m.step(100)
            simulator.ok("SpawnEntity", name="second", **simulator.spawn("bluerov2_heavy", at=(2, 1, -2)))
            m.step(100)
            m.do("checkpoint", uri=str(checkpoint))
            client = m.peer.client("/merrow/save_world", "merrow_msgs/srv/SaveWorld")
            assert client.wait(10)
            done = client.call(uri=str(file))
            assert done.success, done
            before = position(simulator.state("second"))
            m.step(300)
            hashes = [m.end() == 0 and m.output()[0].split("state hash: ")[1].split()[0]]
        code, out, err = command("describe", file, "--json")
        assert code == 0 and '"second"' in out, err
        code, out, err = command("run", "pool", "--resume", checkpoint, "--no-ros", "--pace", "max", "--for", 0.6)
        assert code == 0, err
        hashes.append(out.split("state hash: ")[1].split()[0])
        assert hashes[0] == hashes[1], hashes
        with Merrow(str(file), "--pace", "lockstep") as m:
            assert near(position(Simulator(m).state("second")), before, 1e-12)


# A world that starts late: a tide that has turned, an arm that moves, a floating box, and a schedule with past and
# pending entries.
SETTINGS_WORLD = """extends: {arm}
start_time_s: 20000
seabed: {{depth_m: 60}}
water:
  tide: {{constituents: [{{name: M2, amplitude_m: 2, phase_deg: 0}}]}}
  waves: {{kind: jonswap, hs_m: 0.3, tp_s: 6, direction_deg: 45}}
weather: {{wind_speed_m_s: 5, wind_from_deg: 90}}
robots:
  rov: {{position_m: [5, 0, -4], model: bluerov2_heavy}}
  box:
    position_m: [-5, 0, 0]
    model:
      source: own
      body:
        source: own
        axes: flu
        mass_kg: 100
        inertia_kg_m2: {{xx: 10, yy: 10, zz: 10}}
        volume_m3: 0.4
        hull: {{kind: box, size_m: [1, 1, 0.4]}}
        linear_damping: {{kind: diagonal, values: [50, 50, 200, 20, 20, 20]}}
schedule:
  past: {{time_s: 20000.1, kind: joints, robot: bench, values: {{shoulder: 1.5}}}}
  pending: {{time_s: 20000.8, kind: noise, robot: rov, sensor: dvl, on: false}}
"""
# parameter, value, and what it is
SETTINGS = [
    ("weather.time_of_day_h", 21.5, "time of day"),
    ("weather.wind_speed_m_s", 8.0, "weather"),
    ("water.waves.hs_m", 0.6, "waves"),
    ("water.current.speed_m_s", 0.4, "current"),
    ("water.density_kg_m3", 1010.0, "water"),
    ("rov.controller.yaw.velocity_gain", 7.0, "gain"),
    ("rov.imu.noise", False, "noise switch"),
    ("rov.thrusters.t2.efficiency", 0.6, "efficiency"),
    ("rov.thrusters.t3.state", "dead", "health"),
]


def settings_of(m):
    """Returns the values of the parameters of SETTINGS, and of the switch that a pending entry sets."""
    names = [name for name, *_ in SETTINGS] + ["rov.dvl.noise"]
    return {name: round(value, 3) if isinstance(value, float) else value for name in names for value in [m.get(name)]}


def motion_after(m, simulator, steps):
    """Returns the positions of the robots and the joints, and the speeds of the joints, after steps."""
    joints = m.listen("/bench/joint_states", "sensor_msgs/msg/JointState")
    m.step(steps)
    now = live.seconds(simulator.state("box").header.stamp)
    # the newest message can arrive after the reply
    last = wait_until(joints, lambda message_: live.seconds(message_.header.stamp) > now - 0.015)
    bases = [x for name in ("rov", "box") for x in position(simulator.state(name))]
    return bases + [*last.position] + [*last.velocity]


def saved_by_page(m):
    """Returns the world that the page of the live view saves."""
    assert wait_for(lambda: "view: " in m.output()[0])
    address = re.search(r"view: http://(\S+?)/", m.output()[0])[1]
    with connect(f"ws://{address}/socket", origin=f"http://{address}", max_size=None) as page:
        page.send(json.dumps({"do": "save", "id": 1}))
        messages = (json.loads(text) for text in iter(lambda: page.recv(timeout=10), None) if isinstance(text, str))
        return next(answer["text"] for answer in messages if answer.get("type") == "answer")


def check_saved_settings():
    """A world that the service or the page saves has all settings after LoadWorld, stopped at its time, and in a new run;
    it continues as the run does.
    """
    with tempfile.TemporaryDirectory() as folder:
        world, file = (pathlib.Path(folder) / name for name in ("w.yaml", "saved.yaml"))
        world.write_text(SETTINGS_WORLD.format(arm=ARM), encoding="utf-8")
        with Merrow(str(world), "--pace", "lockstep", "--view=127.0.0.1:0") as m:
            simulator = Simulator(m)
            m.step(300)
            for name, value, _ in SETTINGS:
                assert m.set(name, value).successful, name
            m.step(300)
            settings = settings_of(m)
            m.do("save_world", uri=str(file))
            texts = {"service": file.read_text(encoding="utf-8"), "page": saved_by_page(m)}
            moving = motion_after(m, simulator, 20)
            later = motion_after(m, simulator, 480)
            settings_later = settings_of(m)
        assert all(settings[name] == value for name, value, _ in SETTINGS), settings
        assert settings["rov.dvl.noise"] and not settings_later["rov.dvl.noise"]
        assert max(map(abs, moving[-3:])) > 0.5, moving
        for door, text in texts.items():
            with Merrow("pool", "--pace", "lockstep") as m:
                simulator = Simulator(m)
                resource = message(f"{PACKAGE}/msg/Resource", resource_string=text)
                simulator.ok("LoadWorld", world_resource=resource)
                assert simulator.ok("GetSimulationState").state.state == STOPPED
                stamp = simulator.state("box").header.stamp
                assert (stamp.sec, round(stamp.nanosec, -6)) == (20000, 600_000_000), (door, stamp)
                assert settings_of(m) == settings, (door, settings_of(m), settings)
                # the change of the waves in progress and the integrals of the servos are not saved
                for expected, steps, tolerance in ((moving, 20, 0.05), (later, 480, 0.1)):
                    found = motion_after(m, simulator, steps)
                    assert near(found, expected, tolerance), (door, found, expected)
                assert settings_of(m) == settings_later, door
        with Merrow(str(file), "--pace", "lockstep") as m:
            assert settings_of(m) == settings


def check_recorded_spawns():
    """A bag that is recorded while a robot is added, removed and added again has all its messages, and none of a world
    that was refused.
    """
    from mcap.reader import make_reader

    with tempfile.TemporaryDirectory() as folder:
        with Merrow("pool", "--pace", "lockstep") as m:
            simulator = Simulator(m)
            m.do("record", uri=str(pathlib.Path(folder) / "spawns"))
            m.step(100)
            # refused worlds do not enter the bag
            resource = lambda text: dict(world_resource=message(f"{PACKAGE}/msg/Resource", resource_string=text))
            simulator.refused(109, "inside", "SpawnEntity", name="refused", **simulator.spawn("bluerov2", at=(0.1, 0, -1)))
            simulator.refused(106, "mass_kg", "SpawnEntity", name="refused", **simulator.spawn(
                text="source: test\nbody: {source: test, axes: flu, mass_kg: -1, inertia_kg_m2: 3}\n"))
            simulator.refused(104, "poool", "LoadWorld", **resource("robots: {refused: {model: poool}}"))
            for _ in range(2):
                simulator.ok("SpawnEntity", name="second", **simulator.spawn("bluerov2", at=(2, 0, -2)))
                m.step(100)
                simulator.ok("DeleteEntity", entity="second")
                m.step(100)
            m.do("record", uri="")
        bag = find_bag(pathlib.Path(folder))
        check_bag(bag)
        with open(bag, "rb") as file:
            messages = [(channel.topic, message_) for _, channel, message_ in make_reader(file).iter_messages()]
        stamps = [message_.log_time for topic, message_ in messages if topic == "/second/odometry"]
        # the log and the diagnostics name the requests
        named = {topic for topic, message_ in messages if b"refused" in message_.data or "/refused/" in topic}
        assert named <= {"/rosout", "/diagnostics"}, named
        found = {round(stamp / 1e7) for stamp in stamps}
        assert stamps and all(20 <= k <= 40 or 60 <= k <= 80 for k in found), found
        assert min(found) < 25 and max(found) > 75, found


def check_delete_errors():
    """Requests that cannot be fulfilled are refused with their code, and have no effect."""
    world = """robots:
  rov: {model: bluerov2, position_m: [0, 0, -5]}
  other: {model: bluerov2, position_m: [3, 0, -5]}
  post: {model: {extends: robots/bluerov2.yaml, base: fixed}, position_m: [0, 9, -5]}
structures:
  wall: {position_m: [10, 0, -5], shapes: {face: {kind: box, size_m: [1, 4, 4]}}}
couplings:
  rope: {kind: weld, a: {robot: rov}, b: {robot: other}}
"""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "wall.yaml"
        file.write_text(world, encoding="utf-8")
        refuse_requests(file)


def refuse_requests(file):
    """Checks the refusals in a world with two coupled robots and a wall."""
    with Merrow(str(file), "--pace", "lockstep") as m:
        simulator = Simulator(m)
        refused = simulator.refused
        entities = simulator.entities()
        refused(109, "inside wall", "SpawnEntity", name="a", **simulator.spawn("bluerov2", at=(10, 0, -5)))
        robot = next(name for name in entities if simulator.ok("GetEntityInfo", entity=name).info.category.category == 1)
        structure = next(
            name for name in entities if simulator.ok("GetEntityInfo", entity=name).info.category.category == 5)
        refused(FAILED, robot, "DeleteEntity", entity=robot)
        refused(NOT_FOUND, "no entity", "GetEntityInfo", entity="none")
        refused(NOT_FOUND, "no entity", "GetEntityBounds", entity="none")
        filters = lambda **fields: dict(filters=message(f"{PACKAGE}/msg/EntityFilters", **fields))
        for service in ("GetEntities", "GetEntitiesStates"):
            refused(FAILED, "filter", service, **filters(filter="(("))
            refused(UNSUPPORTED, "a box", service, **filters(bounds=message(f"{PACKAGE}/msg/Bounds", type=9)))
        refused(FAILED, "four points", "GetEntities", **filters(bounds=message(f"{PACKAGE}/msg/Bounds", type=2)))
        # a tetrahedron around the second robot, whose box also contains the first robot
        corners = [(2.5, 0, -6), (4, -2, -5), (4, 2, -5), (3, 0, -4)]
        points = [message("geometry_msgs/msg/Vector3", **dict(zip("xyz", map(float, p)))) for p in corners]
        hull = message(f"{PACKAGE}/msg/Bounds", type=2, points=points)
        assert simulator.entities(bounds=hull) == ["other"], simulator.entities(bounds=hull)
        refused(FAILED, "two points", "GetEntities", **filters(bounds=message(f"{PACKAGE}/msg/Bounds", type=1)))
        twist = message("geometry_msgs/msg/Twist", linear=message("geometry_msgs/msg/Vector3", x=1.0))
        state = message(f"{PACKAGE}/msg/EntityState", twist=twist)
        refused(FAILED, "static", "SetEntityState", entity=structure, state=state, set_pose=True, set_twist=True)
        refused(FAILED, "coupling rope", "SetEntityState", entity=robot, state=state, set_pose=True)
        refused(FAILED, "fixed base", "SetEntityState", entity="post", state=state, set_pose=True)
        twist.linear.x = 2000.0
        refused(FAILED, "at most 1000", "SetEntityState", entity="post", state=state, set_twist=True)
        playing = message(f"{PACKAGE}/msg/SimulationState", state=PLAYING)
        refused(102, "lockstep", "SetSimulationState", state=playing)
        refused(FAILED, "found 8", "ResetSimulation", scope=8)
        steps = ActionClient(m.peer, "/simulate_steps", f"{PACKAGE}/action/SimulateSteps").wait()
        answer = steps.result(steps.accepted(steps=0))
        assert answer.status == ABORTED and answer.result.result.result == FAILED, answer
        # a structure is placed elsewhere; robots keep their state
        before = simulator.state(robot)
        moved = message(f"{PACKAGE}/msg/EntityState", pose=pose((50, 0, -5)))
        simulator.ok("SetEntityState", entity=structure, state=moved, set_pose=True)
        assert near(position(simulator.state(structure)), (50, 0, -5))
        assert near(position(simulator.state(robot)), position(before), 0.0)
        assert simulator.entities() == entities


def check_external_wrenches():
    """Wrenches from the topic of a link and from the service move a robot; those that cannot be
    applied are refused.
    """
    with Merrow("pool", "--pace", "lockstep") as m:
        odometry = m.listen("/bluerov2/odometry")
        force = lambda x: message("geometry_msgs/msg/Wrench", force=message("geometry_msgs/msg/Vector3", x=x))
        speed = lambda: latest(odometry).twist.twist.linear.x
        m.write("/bluerov2/base_link/external_wrench", "geometry_msgs/msg/WrenchStamped",
                header=message("std_msgs/msg/Header", frame_id="world"), wrench=force(50.0))

        def speed_after_push():
            m.step(50)
            return max(speed() - 0.2, 0)

        # the message can arrive after the first requests
        pushed = 0.2 + wait_for(speed_after_push)
        assert pushed > 0.2, "the wrench of the topic does not act"
        m.step(1000)
        assert wait_for(lambda: speed() < 0.5 * pushed), "the wrench of the topic does not end"
        service = m.peer.client("/merrow/apply_wrench", "merrow_msgs/srv/ApplyWrench")
        assert service.wait(10)
        point = message("geometry_msgs/msg/Point")
        apply = lambda **fields: service.call(**(dict(
            body="bluerov2", reference_frame="", reference_point=point, wrench=force(-50.0), delay_s=0.0,
            duration_s=-1.0) | fields))
        done = apply()
        assert done.success, done
        m.step(1000)
        assert speed() < -0.5, speed()
        clear = m.peer.client("/merrow/clear_wrenches", "merrow_msgs/srv/ClearWrenches")
        assert clear.wait(10) and clear.call(body="bluerov2").success
        m.step(2000)
        assert speed() > -0.3, speed()
        for fields, text in (({"body": "none"}, "no robot"), ({"body": "bluerov2/arm"}, "no link"),
                             ({"reference_frame": "map"}, "expected"), ({"delay_s": -1.0}, "at least 0"),
                             ({"wrench": force(float("nan"))}, "finite")):
            refused = apply(**fields)
            assert not refused.success and text in refused.message, refused


def check_many_spawns():
    """Twenty spawned and deleted robots leave the number of endpoints unchanged."""
    with Merrow("pool") as m:
        simulator = Simulator(m)
        time.sleep(0.5)
        before = [len(found) for found in m.peer.endpoints("r")]
        for _ in range(20):
            simulator.ok("SpawnEntity", name="guest", **simulator.spawn("bluerov2", at=(2, 0, -2)))
            simulator.ok("DeleteEntity", entity="guest")
        assert wait_for(lambda: [len(found) for found in m.peer.endpoints("r")] == before), "endpoints are left"
        m.alive()


def check_spawns_of_one_request():
    """The robots of one request are added with one change of the world; each has its own result."""
    with Merrow("pool", "--pace", "lockstep") as m:
        simulator = Simulator(m)

        def robot(name, **fields):
            return message(f"{PACKAGE}/msg/SpawnEntity", name=name, **simulator.spawn(**fields))

        requests = [robot(f"ball_{k}", text=f"{{{BALL}}}", at=(k % 15 - 7, k // 15 - 4, -4)) for k in range(150)]
        relative = robot("near", text=f"{{{BALL}}}")
        relative.initial_pose = pose_stamped((0, 0, 1), frame="ball_3")
        requests += [relative, robot("first", uri="bluerov2", at=(0, 0, -2)), robot("second", uri="bluerov2", at=(0.1, 0, -2)),
                     robot("faulty", text="source: test\nbody: {source: test, axes: flu, mass_kg: -1, inertia_kg_m2: 3}\n"),
                     robot("missing", text="source: test\nurdf: none.urdf\n"), robot("first", uri="bluerov2", at=(0, 3, -2))]
        # a build per robot would take longer
        done = simulator.call("SpawnEntities", timeout_s=20, spawn_requests=requests)
        codes = [one.result.result for one in done.results]
        assert codes == [OK] * 152 + [109, 106, 107, 101], codes
        assert len(simulator.entities()) == len(POOL) + 152, simulator.entities()
        assert near(position(simulator.state("near")), (-4, -4, -3)), simulator.state("near")


def check_many_requests_of_the_editor():
    """Requests without waiting for the answers are all answered, as done or busy."""
    with Merrow("pool") as m:
        simulator = Simulator(m)
        simulator.ok("SpawnEntity", name="guest", **simulator.spawn("bluerov2", at=(2, 0, -2)))
        client, count = peer.Client(m.peer, "/spawn_entity", f"{PACKAGE}/srv/SpawnEntity", depth=1000), 300
        assert client.wait(20), "no service spawn_entity"
        request = message(f"{PACKAGE}/srv/SpawnEntity_Request", name="guest", **simulator.spawn("bluerov2"))
        replies = []
        for _ in range(count):
            client.send(**vars(request))
            # the history of the node holds few requests
            time.sleep(0.0003)
            replies += valid(client.reader.take(N=1000))
        assert wait_for(lambda: replies.extend(valid(client.reader.take(N=1000))) or len(replies) >= count, 20), len(replies)
        found = {(reply.result.result, reply.result.error_message.partition(":")[0]) for reply in replies}
        assert (FAILED, "busy") in found and any(code == 101 for code, _ in found), found
        # no place remains taken
        simulator.ok("DeleteEntity", entity="guest")
        simulator.ok("SpawnEntity", name="guest", **simulator.spawn("bluerov2", at=(2, 0, -2)))


def worst_lateness_ms(diagnostics):
    """Returns the largest lateness of a block since the start [ms]."""
    status = next(s for s in latest(diagnostics).status if s.name == "merrow: run")
    return float(next(v.value for v in status.values if v.key == "worst lateness [ms]"))


def check_spawn_delays_no_step():
    """A robot that is added to a running fleet of 100 delays no step by more than 20 ms."""
    with Merrow("fleet_100") as m:
        simulator = Simulator(m)
        diagnostics = m.listen("/diagnostics", "diagnostic_msgs/msg/DiagnosticArray")
        time.sleep(3)
        before = worst_lateness_ms(diagnostics)
        for k in range(5):
            simulator.ok("SpawnEntity", name=f"guest_{k}", **simulator.spawn("bluerov2", at=(300 + 5 * k, 0, -5)))
            simulator.ok("DeleteEntity", entity=f"guest_{k}")
        time.sleep(1.5)
        take(diagnostics)
        after = worst_lateness_ms(diagnostics)
        print(f"worst lateness {before} ms before, {after} ms after five robots")
        assert after < max(20, before), (before, after)


def memory_kb(m):
    """Returns the resident memory of the node [kB]."""
    text = pathlib.Path(f"/proc/{m.process.pid}/status").read_text(encoding="utf-8")
    return int(next(line.split()[1] for line in text.splitlines() if line.startswith("VmRSS")))


def check_memory_of_spawns():
    """A thousand spawned and deleted robots leave memory and endpoints flat."""
    with Merrow("pool") as m:
        simulator = Simulator(m)
        found = []
        for k in range(1000):
            simulator.ok("SpawnEntity", name="guest", **simulator.spawn("bluerov2", at=(2, 0, -2)))
            simulator.ok("DeleteEntity", entity="guest")
            if k % 100 == 99:
                found.append(memory_kb(m))
        print(f"memory after each hundred robots: {found} kB")
        assert found[-1] < found[1] + 4000, found
        m.alive()


def forget_types():
    """Makes peer build its types again from peer.FIELDS."""
    peer.message_type.cache_clear()
    peer._with_header.cache_clear()


def check_version_1():
    """With version 1 the services have the types of the packages of Humble and Jazzy."""
    fields = peer.FIELDS.copy()
    kinds = f"{PACKAGE}/srv/"
    peer.FIELDS.update({
        f"{kinds}SpawnEntity_Request": "string name; bool allow_renaming; string uri; string resource_string; "
        "string entity_namespace; geometry_msgs/msg/PoseStamped initial_pose",
        f"{PACKAGE}/msg/Spawnable": "string uri; string description; simulation_interfaces/msg/Bounds spawn_bounds",
        f"{kinds}LoadWorld_Request": "string uri; string resource_string; bool fail_on_unsupported_element; "
        "bool ignore_missing_or_unsupported_assets",
        f"{kinds}SetEntityState_Request": "string entity; simulation_interfaces/msg/EntityState state",
    })
    forget_types()
    try:
        with Merrow("pool", ros=["-p", "simulation_interfaces_version:=1"]) as m:
            simulator = Simulator(m)
            simulator.ok("SpawnEntity", name="second", uri="bluerov2", initial_pose=pose_stamped((2, 0, -2)))
            assert sorted(simulator.entities()) == [*POOL, "second"]
            state = message(f"{PACKAGE}/msg/EntityState", pose=pose((1, 1, -3)))
            simulator.ok("SetEntityState", entity="second", state=state)
            assert near(position(simulator.state("second")), (1, 1, -3), 0.2)
            assert "bluerov2" in [s.uri for s in simulator.ok("GetSpawnables").spawnables]
            simulator.ok("LoadWorld", uri="usv")
            assert "second" not in simulator.entities()
    finally:
        peer.FIELDS.clear()
        peer.FIELDS.update(fields)
        forget_types()


def check_actors():
    """Actors are entities: they are listed with their category, move, stay when a robot is added, and
    are deleted.
    """
    page = (pathlib.Path(__file__).parents[4] / "docs/guides/experiments.md").read_text()
    world = page.split("```yaml\n")[2].split("```")[0]
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "actors.yaml"
        file.write_text(world)
        with Merrow(str(file), "--pace", "lockstep") as m:
            simulator = Simulator(m)
            assert sorted(simulator.entities()) == ["diver", "ferry", "rov"]
            human = message(f"{PACKAGE}/msg/EntityCategory", category=2)
            assert simulator.entities(categories=[human]) == ["diver"], simulator.entities(categories=[human])
            before = position(simulator.state("ferry"))
            m.step(1000)
            simulator.ok("SpawnEntity", name="second", **simulator.spawn("bluerov2", at=(2, 10, -2)))
            after = position(simulator.state("ferry"))
            assert math.dist(before[:2], after[:2]) > 2, (before, after)
            simulator.ok("DeleteEntity", entity="diver")
            m.step(1000)
            assert sorted(simulator.entities()) == ["ferry", "rov", "second"]
            assert math.dist(position(simulator.state("ferry"))[:2], after[:2]) > 2


def check_map():
    """The occupancy grid of a world reaches a late subscriber and the clients of its service, and both change when a
    structure moves.
    """
    world = """extends: harbour
map: {depth_m: 0.6, frame_id: map, area_m: [0, -60, 180, 60]}
structures:
  block: {position_m: [50, 0, 0], shapes: {all: {kind: box, size_m: [10, 10, 20]}}}
"""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "mapped.yaml"
        file.write_text(world, encoding="utf-8")
        with Merrow(str(file)) as m:
            grids = m.listen("/map", transient_local=True)

            def check(grid, block):
                info = grid.info
                assert (grid.header.frame_id, info.width, info.height, info.origin.orientation.w) == ("map", 360, 240, 1), info
                cell = lambda x, y: grid.data[int((y + 60) / 0.5) * 360 + int(x / 0.5)]
                assert len(grid.data) == 360 * 240 and [cell(x, 1.2) for x in (50.2, 90.2)] == block

            for block in ([100, 0], [0, 100]):
                check(latest(grids), block)
                check(m.call("get_map").map, block)
                m.forget_clients()
                state = message(f"{PACKAGE}/msg/EntityState", pose=pose((90, 0, 0)))
                Simulator(m).ok("SetEntityState", entity="block", state=state, set_pose=True)


CHECKS = [check_map, check_secret_files, check_spawn_and_delete, check_many_requests_of_the_editor, check_spawns_of_one_request,
          check_actors, check_spawn_errors, check_refused_robots, check_resources, check_entity_states, check_simulation_state,
          check_states_after_a_late_start, check_named_poses_and_info, check_worlds, check_features_and_prefix,
          check_saved_world, check_saved_settings, check_delete_errors,
          check_external_wrenches, check_version_1]
SLOW_CHECKS = [check_recorded_spawns, check_many_spawns]
PACE_CHECKS = [check_spawn_delays_no_step, check_memory_of_spawns]
