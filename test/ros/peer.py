"""A ROS 2 peer without ROS: topics, services and parameters over Cyclone DDS, as rmw_cyclonedds
uses them.

Test scripts use it to check Merrow's embedded ROS client against an independent DDS implementation.
Types are built from field lists in this file, or from the lists of rosbags (Jazzy) for all other types,
never from Merrow's own declarations.
Needs `pip install cyclonedds==11.0.1`, and `rosbags==0.11.9` for the types that are not listed
here.
"""

import functools
import itertools
import random
import time

from cyclonedds.builtin import BuiltinDataReader, BuiltinTopicDcpsPublication, BuiltinTopicDcpsSubscription
from cyclonedds.core import Policy, Qos
from cyclonedds.domain import DomainParticipant
from cyclonedds.idl import make_idl_struct, types
from cyclonedds.pub import DataWriter
from cyclonedds.sub import DataReader
from cyclonedds.topic import Topic
from cyclonedds.util import duration

if not hasattr(DataWriter, "get_matched_subscriptions"):
    import older_cyclone  # noqa: F401, adds them

PRIMITIVES = {
    "bool": bool,
    "byte": types.uint8,
    "char": types.uint8,
    "uint8": types.uint8,
    "int8": types.int8,
    "uint16": types.uint16,
    "int16": types.int16,
    "uint32": types.uint32,
    "int32": types.int32,
    "uint64": types.uint64,
    "int64": types.int64,
    "float32": types.float32,
    "float64": types.float64,
    "string": str,
}

# "type name; type name"; a type may end in [] (sequence) or [n] (array)
FIELDS = {
    "builtin_interfaces/msg/Time": "int32 sec; uint32 nanosec",
    "std_msgs/msg/String": "string data",
    "std_msgs/msg/Float64": "float64 data",
    "std_msgs/msg/Header": "builtin_interfaces/msg/Time stamp; string frame_id",
    "rosgraph_msgs/msg/Clock": "builtin_interfaces/msg/Time clock",
    "std_srvs/srv/Empty_Request": "uint8 structure_needs_at_least_one_member",
    "std_srvs/srv/Empty_Response": "uint8 structure_needs_at_least_one_member",
    "std_srvs/srv/Trigger_Request": "uint8 structure_needs_at_least_one_member",
    "std_srvs/srv/Trigger_Response": "bool success; string message",
    "std_srvs/srv/SetBool_Request": "bool data",
    "nav_msgs/srv/GetMap_Request": "uint8 structure_needs_at_least_one_member",
    "nav_msgs/srv/GetMap_Response": "nav_msgs/msg/OccupancyGrid map",
    "std_srvs/srv/SetBool_Response": "bool success; string message",
    "rmw_dds_common/msg/Gid": "uint8[16] data",
    "rmw_dds_common/msg/NodeEntitiesInfo": "string node_namespace; string node_name; "
    "rmw_dds_common/msg/Gid[] reader_gid_seq; rmw_dds_common/msg/Gid[] writer_gid_seq",
    "rmw_dds_common/msg/ParticipantEntitiesInfo": "rmw_dds_common/msg/Gid gid; "
    "rmw_dds_common/msg/NodeEntitiesInfo[] node_entities_info_seq",
    "rcl_interfaces/msg/Log": "builtin_interfaces/msg/Time stamp; uint8 level; string name; string msg; string file; "
    "string function; uint32 line",
    "rcl_interfaces/msg/ParameterValue": "uint8 type; bool bool_value; int64 integer_value; float64 double_value; "
    "string string_value; byte[] byte_array_value; bool[] bool_array_value; int64[] integer_array_value; "
    "float64[] double_array_value; string[] string_array_value",
    "rcl_interfaces/msg/Parameter": "string name; rcl_interfaces/msg/ParameterValue value",
    "rcl_interfaces/msg/FloatingPointRange": "float64 from_value; float64 to_value; float64 step",
    "rcl_interfaces/msg/IntegerRange": "int64 from_value; int64 to_value; uint64 step",
    "rcl_interfaces/msg/ParameterDescriptor": "string name; uint8 type; string description; "
    "string additional_constraints; bool read_only; bool dynamic_typing; "
    "rcl_interfaces/msg/FloatingPointRange[] floating_point_range; rcl_interfaces/msg/IntegerRange[] integer_range",
    "rcl_interfaces/msg/ParameterEvent": "builtin_interfaces/msg/Time stamp; string node; "
    "rcl_interfaces/msg/Parameter[] new_parameters; rcl_interfaces/msg/Parameter[] changed_parameters; "
    "rcl_interfaces/msg/Parameter[] deleted_parameters",
    "rcl_interfaces/msg/SetParametersResult": "bool successful; string reason",
    "rcl_interfaces/msg/ListParametersResult": "string[] names; string[] prefixes",
    "rcl_interfaces/srv/GetParameters_Request": "string[] names",
    "rcl_interfaces/srv/GetParameters_Response": "rcl_interfaces/msg/ParameterValue[] values",
    "rcl_interfaces/srv/GetParameterTypes_Request": "string[] names",
    "rcl_interfaces/srv/GetParameterTypes_Response": "uint8[] types",
    "rcl_interfaces/srv/SetParameters_Request": "rcl_interfaces/msg/Parameter[] parameters",
    "rcl_interfaces/srv/SetParameters_Response": "rcl_interfaces/msg/SetParametersResult[] results",
    "rcl_interfaces/srv/SetParametersAtomically_Request": "rcl_interfaces/msg/Parameter[] parameters",
    "rcl_interfaces/srv/SetParametersAtomically_Response": "rcl_interfaces/msg/SetParametersResult result",
    "rcl_interfaces/srv/ListParameters_Request": "string[] prefixes; uint64 depth",
    "rcl_interfaces/srv/ListParameters_Response": "rcl_interfaces/msg/ListParametersResult result",
    "rcl_interfaces/srv/DescribeParameters_Request": "string[] names",
    "rcl_interfaces/srv/DescribeParameters_Response": "rcl_interfaces/msg/ParameterDescriptor[] descriptors",
}

def define(name, fields):
    """Adds a type in the notation of FIELDS."""
    FIELDS[name] = fields


@functools.cache
def message_type(name):
    """Returns the class of ROS type `name` (package/msg/Type), a dataclass with the fields of the
    message.
    """
    return struct_type(name, _fields(name))


def struct_type(name, fields):
    """Returns a class that DDS accepts as ROS type `name`, with any fields."""
    package, kind, base = name.split("/")
    return make_idl_struct(f"{base}_", f"{package}.{kind}.dds_.{base}_", fields)


@functools.cache
def _with_header(name):
    header = {"client_guid": types.uint64, "sequence_number": types.int64}
    return struct_type(name, header | _fields(name))


def _fields(name):
    if name in FIELDS:
        pairs = (field.split() for field in FIELDS[name].split(";"))
        return {field: _field_type(kind) for kind, field in pairs}
    return _rosbags_fields(name)


def _field_type(kind):
    if kind.endswith("]"):
        kind, _, count = kind[:-1].partition("[")
        return types.array[_field_type(kind), int(count)] if count else types.sequence[_field_type(kind)]
    return PRIMITIVES.get(kind) or message_type(kind)


def _rosbags_fields(name):
    from rosbags.typesys import Stores, get_typestore

    base, array, sequence = 1, 3, 4

    def kind(definition):
        node, value = definition
        node = int(node)
        if node == base:
            return PRIMITIVES[value[0]]
        if node == array:
            return types.array[kind(value[0]), value[1]]
        if node == sequence:
            return types.sequence[kind(value[0])]
        return message_type(value)

    _, fields = get_typestore(Stores.ROS2_JAZZY).fielddefs[name]
    return {field: kind(definition) for field, definition in fields}


def qos(reliable=True, transient_local=False, depth=10, user_data=None):
    """Returns the DDS quality of service of a ROS endpoint."""
    announced = [] if user_data is None else [Policy.Userdata(user_data)]
    return Qos(
        *announced,
        Policy.Reliability.Reliable(duration(milliseconds=100)) if reliable else Policy.Reliability.BestEffort,
        Policy.Durability.TransientLocal if transient_local else Policy.Durability.Volatile,
        Policy.History.KeepLast(depth),
        Policy.DataRepresentation(use_cdrv0_representation=True),
    )


class Peer:
    """A DDS participant with ROS names."""

    def __init__(self, domain):
        self.domain = domain
        self.participant = DomainParticipant(domain)
        self.topics = {}

    def _topic(self, name, kind):
        if name not in self.topics:
            representation = Qos(Policy.DataRepresentation(use_cdrv0_representation=True))
            self.topics[name] = Topic(self.participant, name, kind, qos=representation)
        return self.topics[name]

    def publisher(self, topic, type_name, **quality):
        """Returns a writer of ROS topic `topic`."""
        return self.raw_publisher(f"rt{topic}", message_type(type_name), **quality)

    def raw_publisher(self, dds_topic, kind, **quality):
        """Returns a writer of a DDS topic, of any class."""
        return DataWriter(self.participant, self._topic(dds_topic, kind), qos=qos(**quality))

    def subscriber(self, topic, type_name, **quality):
        """Returns a reader of ROS topic `topic`."""
        return self.raw_subscriber(f"rt{topic}", message_type(type_name), **quality)

    def raw_subscriber(self, dds_topic, kind, **quality):
        """Returns a reader of a DDS topic, of any class."""
        return DataReader(self.participant, self._topic(dds_topic, kind), qos=qos(**quality))

    def client(self, service, type_name):
        """Returns a client of ROS service `service`."""
        return Client(self, service, type_name)

    def endpoints(self, prefix=""):
        """Returns the DDS topics that other participants write and those that they read, as two
        sorted lists.
        """
        return [self.published(prefix), self.subscribed(prefix)]

    def published(self, prefix=""):
        """Returns the DDS topics that other participants write, sorted."""
        return sorted(sample.topic_name for sample in self._discovered(BuiltinTopicDcpsPublication, prefix))

    def subscribed(self, prefix=""):
        """Returns the DDS topics that other participants read, sorted."""
        return sorted(sample.topic_name for sample in self._discovered(BuiltinTopicDcpsSubscription, prefix))

    def user_data(self, prefix=""):
        """Returns the topic and the user data of each endpoint of other participants."""
        samples = self._all_discovered(prefix)
        return [(sample.topic_name, bytes(sample.qos[Policy.Userdata].data)) for sample in samples]

    def announced_qos(self, prefix=""):
        """Returns the QoS that other participants announce for their publishers, then for their subscriptions: by
        DDS topic, in the words of `merrow describe`.
        """
        def text(qos):
            reliable = isinstance(qos[Policy.Reliability], Policy.Reliability.Reliable)
            latched = qos[Policy.Durability] == Policy.Durability.TransientLocal
            history = qos[Policy.History]
            kept = f"last {history.depth}" if isinstance(history, Policy.History.KeepLast) else "all"
            return f"{'reliable' if reliable else 'best_effort'}, {'transient_local' if latched else 'volatile'}, keep {kept}"
        return [{sample.topic_name: text(sample.qos) for sample in self._discovered(builtin, prefix)}
                for builtin in (BuiltinTopicDcpsPublication, BuiltinTopicDcpsSubscription)]

    def endpoint_guids(self, participant):
        """Returns the GUIDs of all ROS endpoints of a participant (12 bytes), as a set of 16 bytes
        each.
        """
        samples = self._all_discovered(("rt/", "rq/", "rr/"))
        return {sample.key.bytes for sample in samples if sample.participant_key.bytes[:12] == participant}

    def _all_discovered(self, prefix):
        return [sample for builtin in (BuiltinTopicDcpsPublication, BuiltinTopicDcpsSubscription)
                for sample in self._discovered(builtin, prefix)]

    def _discovered(self, builtin, prefix):
        own = self.participant.guid.bytes[:12]
        samples = valid(BuiltinDataReader(self.participant, builtin).read(N=100000))
        others = [sample for sample in samples if sample.participant_key.bytes[:12] != own]
        return [sample for sample in others if sample.topic_name.startswith(prefix)]


class Client:
    """A service client as in rmw_cyclonedds: each payload starts with 16 bytes that match a reply
    to its request.
    """

    def __init__(self, peer, service, type_name, depth=10):
        self.request_type = _with_header(f"{type_name}_Request")
        self.response_type = _with_header(f"{type_name}_Response")
        # a server of rmw_cyclonedds sends its reply once it has matched the reader with this identity
        own = f"clientid={'.'.join(f'{random.randrange(16, 256):x}' for _ in range(16))};".encode()
        self.writer = peer.raw_publisher(f"rq{service}Request", self.request_type, user_data=own)
        self.reader = peer.raw_subscriber(f"rr{service}Reply", self.response_type, user_data=own, depth=depth)
        self.guid = random.getrandbits(64)
        self.numbers = itertools.count(1)

    def wait(self, timeout_s=10):
        """Waits until the server is available; returns whether it is."""
        return wait_for(
            lambda: matched(self.writer) and self.reader.get_matched_publications(), timeout_s
        )

    def send(self, **fields):
        """Sends a request and returns its number."""
        number = next(self.numbers)
        self.writer.write(self.request_type(client_guid=self.guid, sequence_number=number, **fields))
        return number

    def receive(self, number, timeout_s=5):
        """Returns the reply to request `number`, or None."""
        deadline = time.monotonic() + timeout_s
        while time.monotonic() < deadline:
            for reply in valid(self.reader.take(N=100)):
                if (reply.client_guid, reply.sequence_number) == (self.guid, number):
                    return reply
            time.sleep(0.001)
        return None

    def call(self, **fields):
        """Sends a request and returns its reply, or None."""
        return self.receive(self.send(**fields))


class Server:
    """A service server as in rmw_cyclonedds: a reply repeats the 16 bytes before the request."""

    def __init__(self, peer, service, type_name):
        self.response_type = _with_header(f"{type_name}_Response")
        self.reader = peer.raw_subscriber(f"rq{service}Request", _with_header(f"{type_name}_Request"))
        self.writer = peer.raw_publisher(f"rr{service}Reply", self.response_type)

    def serve_one(self, respond, timeout_s=10):
        """Answers a request with the fields that `respond` returns for it; returns whether there was one."""
        requests = []
        if not wait_for(lambda: requests.extend(valid(self.reader.take(N=1))) or requests, timeout_s):
            return False
        head = {"client_guid": requests[0].client_guid, "sequence_number": requests[0].sequence_number}
        self.writer.write(self.response_type(**head, **respond(requests[0])))
        return True


def matched(writer):
    """Returns the number of readers that `writer` is matched with."""
    return len(writer.get_matched_subscriptions())


def valid(samples):
    """Returns the samples that contain data."""
    return [sample for sample in samples if sample.sample_info.valid_data]


def wait_for(condition, timeout_s=10):
    """Waits until `condition()` is true; returns its last value."""
    deadline = time.monotonic() + timeout_s
    while True:
        value = condition()
        if value or time.monotonic() > deadline:
            return value
        time.sleep(0.01)


def collect(reader, count, timeout_s=10):
    """Takes samples until there are `count`; returns those received."""
    samples = []

    def enough():
        samples.extend(valid(reader.take(N=1000)))
        return len(samples) >= count

    wait_for(enough, timeout_s)
    return samples
