"""A running `merrow` process and a ROS peer: the interface of the checks of end_to_end.py.

Each process has its own DDS domain and uses only the loopback interface, so that other tests and
robots on the same network do not receive its messages. Types come from peer.py, never from Merrow;
the list of topics comes from `merrow describe`.
"""

import contextlib
import functools
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time

os.environ["CYCLONEDDS_URI"] = """<CycloneDDS><Domain><General>
<Interfaces><NetworkInterface name="lo" multicast="false"/></Interfaces><AllowMulticast>false</AllowMulticast>
</General><Discovery><Peers><Peer address="127.0.0.1"/></Peers><ParticipantIndex>auto</ParticipantIndex>
<MaxAutoParticipantIndex>11</MaxAutoParticipantIndex></Discovery><Internal>
<WriterLingerDuration>0 s</WriterLingerDuration></Internal></Domain></CycloneDDS>"""

import peer
import sensor_types
from domain import Domain
from peer import Peer, message_type, valid, wait_for

peer.FIELDS.update(sensor_types.MESSAGES)
peer.FIELDS.update({
    "merrow_msgs/msg/Contact": "string robot_a; string link_a; string collider_a; string robot_b; string link_b; string collider_b; "
    "geometry_msgs/msg/Point position; geometry_msgs/msg/Vector3 normal; float64 separation; "
    "geometry_msgs/msg/Vector3 force; geometry_msgs/msg/Vector3 impulse",
    "merrow_msgs/msg/Contacts": "std_msgs/msg/Header header; merrow_msgs/msg/Contact[] contacts",
    "merrow_msgs/msg/ControllerStatus": "std_msgs/msg/Header header; string mode; bool armed; "
    "geometry_msgs/msg/Pose reference_pose; geometry_msgs/msg/Twist reference_twist; geometry_msgs/msg/Pose pose; "
    "geometry_msgs/msg/Wrench requested_wrench; geometry_msgs/msg/Wrench allocated_wrench; uint32 waypoint; "
    "uint32 waypoints; float64 cross_track_error",
    "uuv_gazebo_ros_plugins_msgs/srv/SetThrusterState_Request": "bool on",
    "uuv_gazebo_ros_plugins_msgs/srv/SetThrusterState_Response": "bool success",
    "uuv_gazebo_ros_plugins_msgs/srv/GetThrusterState_Request": "uint8 structure_needs_at_least_one_member",
    "uuv_gazebo_ros_plugins_msgs/srv/GetThrusterState_Response": "bool is_on",
    "uuv_gazebo_ros_plugins_msgs/srv/SetThrusterEfficiency_Request": "float64 efficiency",
    "uuv_gazebo_ros_plugins_msgs/srv/SetThrusterEfficiency_Response": "bool success",
    "uuv_gazebo_ros_plugins_msgs/srv/GetThrusterEfficiency_Request": "uint8 structure_needs_at_least_one_member",
    "uuv_gazebo_ros_plugins_msgs/srv/GetThrusterEfficiency_Response": "float64 efficiency",
    "uuv_world_ros_plugins_msgs/srv/SetCurrentVelocity_Request": "float64 velocity; float64 horizontal_angle; float64 vertical_angle",
    "uuv_world_ros_plugins_msgs/srv/SetCurrentVelocity_Response": "bool success",
    "uuv_world_ros_plugins_msgs/srv/SetCurrentDirection_Request": "float64 angle",
    "uuv_world_ros_plugins_msgs/srv/SetCurrentDirection_Response": "bool success",
    "stonefish_ros2/srv/Respawn_Request": "string name; geometry_msgs/msg/Pose origin",
    "stonefish_ros2/srv/Respawn_Response": "bool success; string message",
    "merrow_msgs/srv/SetControlMode_Request": "string mode",
    "merrow_msgs/srv/SetControlMode_Response": "bool success; string message",
    "merrow_msgs/srv/StepSimulation_Request": "uint64 steps",
    "merrow_msgs/srv/StepSimulation_Response": "bool success; string message; builtin_interfaces/msg/Time time",
    "merrow_msgs/srv/SetPose_Request": "string robot; geometry_msgs/msg/Pose pose; geometry_msgs/msg/Twist twist",
    "merrow_msgs/srv/SetPose_Response": "bool success; string message",
    "merrow_msgs/srv/Couple_Request": "string coupling; bool engage; string partner",
    "merrow_msgs/srv/Couple_Response": "bool success; string message",
    "merrow_msgs/srv/Weather_Request": "string[] names; float64[] values; float64 duration_s",
    "merrow_msgs/srv/Weather_Response": "bool success; string message",
    "merrow_msgs/srv/Fault_Request": "string name; string robot; string device; string kind; string[] names; float64[] values; "
    "float64 duration_s",
    "merrow_msgs/srv/Fault_Response": "bool success; string message",
    "merrow_msgs/srv/Record_Request": "string uri",
    "merrow_msgs/srv/Record_Response": "bool success; string message",
    "merrow_msgs/srv/Checkpoint_Request": "string uri",
    "merrow_msgs/srv/Checkpoint_Response": "bool success; string message",
    "type_description_interfaces/srv/GetTypeDescription_Request": "string type_name; string type_hash; "
    "bool include_type_sources",
    "type_description_interfaces/srv/GetTypeDescription_Response": "bool successful; string failure_reason; "
    "type_description_interfaces/msg/TypeDescription type_description; "
    "type_description_interfaces/msg/TypeSource[] type_sources; type_description_interfaces/msg/KeyValue[] extra_information",
})

BINARY = pathlib.Path(__file__).parents[2] / "target" / "debug" / "merrow"
# whether the program uses the native backend
IS_NATIVE = False
CLOCK = "rosgraph_msgs/msg/Clock"
LOG = "rcl_interfaces/msg/Log"
WARN = 30
SETTLE_S = 0.3
TRIGGER = {"structure_needs_at_least_one_member": 0}


class Skipped(Exception):
    """Reason why a check cannot run on this backend or machine."""


def environment(domain):
    """Returns the environment of a process on `domain`, loopback only."""
    return os.environ | {"ROS_DOMAIN_ID": str(domain), "ROS_LOCALHOST_ONLY": "1", "RUST_BACKTRACE": "1"}


def command(*arguments, timeout=60, domain=1):
    """Runs `merrow` to its end; returns its exit code, output and error lines."""
    done = subprocess.run([BINARY, *map(str, arguments)], capture_output=True, text=True, timeout=timeout,
                          env=environment(domain), check=False)
    return done.returncode, done.stdout, done.stderr.splitlines()


@functools.cache
def describe(world):
    """Returns the output of `merrow describe --json` for a world."""
    code, out, err = command("describe", world, "--json")
    assert code == 0, err
    return json.loads(out)


def nanoseconds(stamp):
    """Returns a time message as integer nanoseconds."""
    return stamp.sec * 1_000_000_000 + stamp.nanosec


def seconds(stamp):
    """Returns a time message as seconds."""
    return nanoseconds(stamp) * 1e-9


class Merrow:
    """A `merrow run` process with a peer on its domain. A context manager that ends both on exit.
    """

    def __init__(self, world="pool", *options, ros=(), node="/merrow", connect=True):
        self.world, self.node, self.renamed = world, node, "-r" in ros
        self._domain = Domain()
        self.domain = self._domain.number
        self.folder = tempfile.TemporaryDirectory(prefix="merrow-test-")
        self.path = pathlib.Path(self.folder.name)
        self._out, self._err = (open(self.path / name, "w+", encoding="utf-8") for name in ("out", "err"))
        ros_arguments = ["--ros-args", *ros] if ros else []
        # services of the tests write into temporary folders
        rights = [] if "--output-dir" in options else ["--allow-paths"]
        self._command = [BINARY, "run", world, *rights, *map(str, options), *ros_arguments]
        self.restart()
        self.peer = Peer(self.domain)
        self._clients, self._readers, self._writers, self._fresh = {}, [], {}, False
        if connect:
            try:
                self.connect()
            except BaseException:
                self.close()
                raise

    def restart(self):
        """Starts the process, again if it has ended."""
        self.process = subprocess.Popen(self._command, stdout=self._out, stderr=self._err,
                                        env=environment(self.domain), cwd=self.working_folder())

    def working_folder(self):
        """Returns the working folder of the process; None: the folder of the checks."""
        return None

    def connect(self):
        """Waits until the node is complete."""
        for service in ("get_parameters", "step"):
            self.client(service)
        topics = {f"rt{topic['topic']}" for topic in describe(self.world)["subscribed"]}
        if not self.renamed:
            assert wait_for(lambda: topics <= set(self.peer.subscribed("rt/"))), "not all inputs are there"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Ends process and peer."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self._clients, self._readers, self._writers, self.peer = {}, [], {}, None
        for file in (self._out, self._err):
            file.close()
        self._domain.close()
        with contextlib.suppress(OSError):
            self.folder.cleanup()

    def output(self):
        """Returns the output of the process so far: standard output and standard error."""
        return [(self.path / name).read_text(encoding="utf-8") for name in ("out", "err")]

    def alive(self):
        """Asserts that the process runs."""
        assert self.process.poll() is None, f"exit code {self.process.returncode}: {self.output()[1][-2000:]}"

    def end(self, how=signal.SIGINT, within_s=5.0):
        """Sends a signal and returns the exit code; fails if the process takes longer."""
        self.process.send_signal(how)
        return self.process.wait(timeout=within_s)

    # topics

    def type_of(self, topic):
        """Returns the type of a topic from `describe`."""
        about = describe(self.world)
        return next(t["type"] for t in about["published"] + about["subscribed"] if t["topic"] == topic)

    def listen(self, topic, type_name=None, **quality):
        """Returns a matched reader of a topic."""
        reader = self.peer.subscriber(topic, type_name or self.type_of(topic), **({"depth": 5000} | quality))
        assert wait_for(reader.get_matched_publications), f"nobody publishes {topic}"
        self._readers.append(reader)
        self._fresh = True
        return reader

    def settle(self):
        """Gives the node time to discover the newest reader or writer: a match is known on one side
        first.
        """
        if self._fresh:
            time.sleep(SETTLE_S)
            self._fresh = False

    def write(self, topic, type_name=None, **fields):
        """Sends a message on one of the inputs."""
        writer, kind = self.writer(topic, type_name)
        self.settle()
        writer.write(kind(**fields))

    def writer(self, topic, type_name=None):
        """Returns the matched writer of an input and its type."""
        if topic not in self._writers:
            type_name = type_name or self.type_of(topic)
            writer = self.peer.publisher(topic, type_name, depth=1000)
            assert wait_for(lambda: peer.matched(writer)), f"nobody listens to {topic}"
            self._writers[topic] = writer, message_type(type_name)
            self._fresh = True
        return self._writers[topic]

    # services

    def client(self, service):
        """Returns the matched client of a service of the node."""
        if service not in self._clients:
            types = {s["service"].rsplit("/", 1)[-1]: s["type"] for s in describe(self.world)["services"]}
            camel = "".join(word.capitalize() for word in service.split("_"))
            package = "type_description_interfaces" if service == "get_type_description" else "rcl_interfaces"
            type_name = types.get(service, f"{package}/srv/{camel}")
            client = self.peer.client(f"{self.node}/{service}", type_name)
            if not client.wait(20):
                self.alive()
                raise AssertionError(f"no service {service}")
            self._clients[service] = client
        return self._clients[service]

    def forget_clients(self):
        """Ends all clients, so that the next call uses a new client."""
        self._clients = {}

    def call(self, service, **fields):
        """Returns the reply of a service; fails without one."""
        reply = self.client(service).call(**(fields or TRIGGER))
        assert reply is not None, f"no reply from {service}"
        return reply

    def do(self, service, **fields):
        """Calls a service and asserts success."""
        reply = self.call(service, **fields)
        assert reply.success, f"{service}: {reply.message}"
        return reply

    def step(self, n):
        """Makes n steps; returns the simulated time after them [ns]."""
        self.settle()
        client = self.client("step")
        # several checks run at once: a long step takes several times its processor time
        reply = client.receive(client.send(steps=n), 60)
        assert reply is not None, "no reply from step"
        assert reply.success, f"step: {reply.message}"
        return nanoseconds(reply.time)

    def set_pose(self, robot, position, orientation=(0.0, 0.0, 0.0, 1.0), linear=(0.0, 0.0, 0.0)):
        """Returns the reply of set_pose."""
        vector, point = message_type("geometry_msgs/msg/Vector3"), message_type("geometry_msgs/msg/Point")
        pose = message_type("geometry_msgs/msg/Pose")(
            position=point(*map(float, position)),
            orientation=message_type("geometry_msgs/msg/Quaternion")(*map(float, orientation)),
        )
        twist = message_type("geometry_msgs/msg/Twist")(
            linear=vector(*map(float, linear)), angular=vector(0.0, 0.0, 0.0))
        return self.call("set_pose", robot=robot, pose=pose, twist=twist)

    # parameters

    def set(self, name, value):
        """Returns the result of setting a parameter; `value` is a Python value or a ParameterValue.
        """
        kind = message_type("rcl_interfaces/msg/Parameter")
        return self.call("set_parameters", parameters=[kind(name=name, value=parameter_value(value))]).results[0]

    def get(self, name):
        """Returns the value of a parameter as a Python value, None if it is not declared."""
        value = self.call("get_parameters", names=[name]).values[0]
        return {0: None, 1: value.bool_value, 2: value.integer_value, 3: value.double_value,
                4: value.string_value}[value.type]


def parameter_value(value):
    """Returns a ParameterValue for a Python value."""
    empty = dict(bool_value=False, integer_value=0, double_value=0.0, string_value="", byte_array_value=[],
                 bool_array_value=[], integer_array_value=[], double_array_value=[], string_array_value=[])
    number, field = {bool: (1, "bool_value"), int: (2, "integer_value"), float: (3, "double_value"),
                     str: (4, "string_value"), type(None): (0, "bool_value")}[type(value)]
    fields = empty | ({field: value} if value is not None else {})
    return message_type("rcl_interfaces/msg/ParameterValue")(type=number, **fields)


def take(reader):
    """Returns all samples received so far."""
    return valid(reader.take(N=100000))


def gather(reader, seconds_):
    """Returns all samples of the next seconds of wall time."""
    take(reader)
    time.sleep(seconds_)
    return take(reader)


def latest(reader, timeout_s=5):
    """Waits for samples and returns the newest."""
    samples = []
    assert wait_for(lambda: samples.extend(take(reader)) or samples, timeout_s), "no sample"
    return samples[-1]


def wait_until(reader, condition, timeout_s=10):
    """Returns the first sample for which `condition` holds."""
    found = []

    def look():
        found.extend(sample for sample in take(reader) if condition(sample))
        return found

    assert wait_for(look, timeout_s), "no such sample"
    return found[0]
