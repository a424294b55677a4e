#!/usr/bin/env python3
"""Checks Merrow's message declarations against independent implementations of ROS 2 interfaces.

    python3 test/ros/messages.py CATALOGUE.json

CATALOGUE.json is the output of `catalogue_json()` in crates/ros2/tests/common/samples.rs, which the test
`message_types_match_ros` (test/ros/mod.rs) writes. Needs `pip install
rosbags==0.11.9 ros2-pyterfaces`.

Per message type:
    hash        equals the hash of the type of the same name in rosbags (Jazzy; of rmw_dds_common both Jazzy and Humble), or
                of the service request or response in ros2-pyterfaces, if they have it, in arm_types.py or
                sensor_types.py, or in Merrow's msg/ and srv/;
    definition  parses, and its own hash is the stated one; its constants agree with Jazzy or sensor_types.py;
    bytes       decode to the stated values, and the decoded message encodes to the same bytes again.
Per service type: the hash agrees with ros2-pyterfaces, if it has the type.
Prints every failure; the exit code is 1 if there is one.
"""

import collections
import importlib
import json
import pathlib
import sys

import numpy
import rosbags.typesys.store
from rosbags.typesys import Stores, get_types_from_msg, get_typestore
from rosbags.typesys.base import normalize_fieldname
from ros2_pyterfaces.core import hash_rihs01

import arm_types
import sensor_types

# rosbags 0.11.9 hashes `char` under its own id, rosidl as the uint8 that it becomes in IDL;
# ros2-pyterfaces and the hashes of real services agree with rosidl
OF_ACTION = ("_Goal", "_Result", "_Feedback", "_FeedbackMessage", "_Request", "_Response")
rosbags.typesys.store.TIDMAP["char"] = rosbags.typesys.store.TIDMAP["uint8"]


def service_schema(name):
    """Returns the schema in ros2-pyterfaces of a service type or of its request or response, or
    None.
    """
    package, _, name = name.split("/")
    try:
        module = importlib.import_module(f"ros2_pyterfaces.core.{package}.srv")
    except ModuleNotFoundError:
        return None
    return getattr(module, name)


def known_hashes(name, stores):
    """Returns the hash of the type in every source that has it, by name of the source."""
    known = {source: store.hash_rihs01(name) for source, store in stores.items() if name in store.fielddefs}
    if name.startswith("merrow_msgs/msg/"):
        known["msg/"] = own_message_hash(name)
    if "/srv/" in name and (schema := service_schema(name)):
        known["ros2-pyterfaces"] = hash_rihs01(schema)
    if name.startswith("merrow_msgs/srv/") and name.endswith(("_Request", "_Response")):
        known["srv/"] = own_file_hash(name)
    return known


def own_file_hash(name):
    """Returns the hash of a request or response of Merrow, computed from its interface file in
    srv/.
    """
    name, _, part = name.rpartition("_")
    path = pathlib.Path(__file__).parents[2] / "ros/merrow_msgs/srv" / f"{name.split('/')[-1]}.srv"
    request, response = path.read_text(encoding="utf-8").split("\n---\n")
    types = get_types_from_msg(request if part == "Request" else response, f"{name}_{part}")
    store = get_typestore(Stores.ROS2_JAZZY)
    store.register({f"{name}_{part}": fields for fields in types.values()})
    return store.hash_rihs01(f"{name}_{part}")


def own_message_hash(name):
    """Returns the hash of a message of Merrow, computed from the interface files in msg/."""
    store = get_typestore(Stores.ROS2_JAZZY)
    for path in (pathlib.Path(__file__).parents[2] / "ros/merrow_msgs/msg").glob("*.msg"):
        store.register(get_types_from_msg(path.read_text(encoding="utf-8"), f"merrow_msgs/msg/{path.stem}"))
    return store.hash_rihs01(name)


def written_store(written, constants):
    """Returns a type store that contains these types and the types of Jazzy: name -> fields, and name
    -> type, constants.
    """
    store = get_typestore(Stores.ROS2_JAZZY)
    for name, fields in written.items():
        kind, values = constants.get(name, ("", {}))
        lines = [f"{kind} {constant}={value}" for constant, value in values.items()]
        text = "\n".join(lines + [field.strip() for field in fields.split(";")])
        types = get_types_from_msg(text, name)
        store.register({name: definition for definition in types.values()})
    return store


def check_hash(stated, known):
    """Returns the sources that have the stated hash."""
    agreeing = {source for source, value in known.items() if value == stated}
    if known and not agreeing:
        raise ValueError(f"hash {stated}, expected one of {known}")
    return agreeing


def parse(message):
    """Returns a type store that contains the message from its own definition only."""
    name = message["name"]
    types = get_types_from_msg(message["definition"], name)
    # rosbags interprets every definition as a message
    if "/action/" in name:
        types = in_action(types, name.split("/")[0])
    else:
        types[name] = types.pop(name.replace("/srv/", "/srv/msg/"))
    own = get_typestore(Stores.EMPTY)
    own.register(types)
    if (found := own.hash_rihs01(name)) != message["hash"]:
        raise ValueError(f"definition hashes to {found}, stated {message['hash']}")
    return own


def in_action(types, package):
    """Returns types with the goals, results and feedbacks among them moved to `package/action`."""

    def moved(name):
        base = name.rsplit("/", 1)[-1]
        is_of_action = name.startswith(f"{package}/") and base.endswith(OF_ACTION)
        return f"{package}/action/{base}" if is_of_action else name

    def kind(definition):
        node, value = definition
        if node == 2:
            return node, moved(value)
        return (node, (kind(value[0]), *value[1:])) if node > 2 else definition

    return {moved(name): (constants, [(field, kind(definition)) for field, definition in fields])
            for name, (constants, fields) in types.items()}


def check_constants(name, own, store):
    # the constants of this type are the numbers that Merrow computes for the types of fields
    if name not in store.fielddefs or name == "type_description_interfaces/msg/FieldType":
        return
    found, expected = own.fielddefs[name][0], store.fielddefs[name][0]
    if sorted(found) != sorted(expected):
        raise ValueError(f"constants {found}, expected {expected}")


def differences(decoded, stated, path):
    """Yields one line per value of `decoded` that differs from the stated one."""
    if isinstance(stated, dict):
        for key, value in stated.items():
            yield from differences(getattr(decoded, normalize_fieldname(key)), value, f"{path}.{key}")
    elif isinstance(stated, list):
        if len(decoded) != len(stated):
            yield f"{path}: {len(decoded)} elements, stated {len(stated)}"
        for index, (element, value) in enumerate(zip(decoded, stated)):
            yield from differences(element, value, f"{path}[{index}]")
    else:
        value = decoded.item() if isinstance(decoded, numpy.generic) else decoded
        if value != stated:
            yield f"{path}: {value!r}, stated {stated!r}"


def check_bytes(message, own):
    if "error" in message:
        raise ValueError(f"the message's own decoder refused the sample: {message['error']}")
    data = bytes.fromhex(message["cdr"])
    decoded = own.deserialize_cdr(data, message["name"])
    wrong = list(differences(decoded, message["values"], ""))
    if wrong:
        raise ValueError("values differ:\n    " + "\n    ".join(wrong))
    again = bytes(own.serialize_cdr(decoded, message["name"], little_endian=True))
    if again != data:
        raise ValueError(f"encoded again as\n    {again.hex()}\n    not\n    {data.hex()}")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        catalogue = json.load(file)
    stores = {"jazzy": get_typestore(Stores.ROS2_JAZZY), "humble": get_typestore(Stores.ROS2_HUMBLE),
              "arms": written_store(arm_types.fields(), {}),
              "sensors": written_store(sensor_types.MESSAGES, sensor_types.CONSTANTS)}
    failures, unknown, seen = [], [], collections.defaultdict(set)

    for message in catalogue["messages"]:
        try:
            known = known_hashes(message["name"], stores)
            if not known:
                unknown.append(message["name"])
            for source in check_hash(message["hash"], known):
                seen[source].add(message["name"])
            own = parse(message)
            check_constants(message["name"], own, stores["sensors"])
            check_bytes(message, own)
        except Exception as error:  # report every failure of every type
            failures.append(f"{message['name']}: {type(error).__name__}: {error}")

    names = {message["name"] for message in catalogue["messages"]}
    for name in sorted(arm_types.fields().keys() - seen["arms"]):
        failures.append(f"{name}: not the hash of arm_types.py")
    for name in sorted(sensor_types.MESSAGES.keys() - seen["sensors"]):
        failures.append(f"{name}: not the hash of sensor_types.py")
    for name in sorted(names & stores["jazzy"].fielddefs.keys() - seen["jazzy"]):
        failures.append(f"{name}: no variant has the hash of Jazzy")
    for name in sorted(name for name in names if name.startswith("rmw_dds_common/") and name not in seen["humble"]):
        failures.append(f"{name}: no variant has the hash of Humble")

    for service in catalogue["services"]:
        try:
            known = known_hashes(service["name"], stores)
            if not known:
                unknown.append(service["name"])
            check_hash(service["hash"], known)
        except Exception as error:
            failures.append(f"{service['name']}: {type(error).__name__}: {error}")

    for failure in failures:
        print(f"FAIL {failure}")
    print(f"{len(catalogue['messages'])} messages, {len(catalogue['services'])} services, {len(failures)} failures")
    print(f"hash not compared, for no other source has the type: {', '.join(unknown) or 'none'}")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
