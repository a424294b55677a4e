#!/usr/bin/env python3
"""Checks a Merrow node with Cyclone DDS; started by dds_peers.rs, which contains the node.

    python3 test/ros/dds_cyclone.py DOMAIN

Each check prints one line; the exit code is 1 if one failed. Needs `pip install
cyclonedds==11.0.1`.
"""

import sys
import time
import traceback

from cyclonedds.idl import types

import action_client
import arm_types
import peer
from action_client import ActionClient
from peer import Peer, collect, matched, valid, wait_for

TEXT = "std_msgs/msg/String"
LOG = "rcl_interfaces/msg/Log"
INFO = "rmw_dds_common/msg/ParticipantEntitiesInfo"
NODE = "/test/subject"


def check_topics_out(p):
    """Reliable and best-effort publishers reach subscribers of both kinds, in order and without
    loss.
    """
    reliable = p.subscriber("/test/reliable", TEXT, depth=1000)
    relaxed = p.subscriber("/test/reliable", TEXT, reliable=False)
    best_effort = p.subscriber("/test/best_effort", TEXT, reliable=False)
    for reader in (reliable, relaxed, best_effort):
        numbers = [int(sample.data) for sample in collect(reader, 20)]
        assert len(numbers) >= 20, f"{len(numbers)} samples"
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers))), numbers


def check_incompatible_reader(p):
    """A best-effort publisher does not match a reliable subscriber."""
    reader = p.subscriber("/test/best_effort", TEXT)
    assert not collect(reader, 1, timeout_s=1)


def check_late_joiner(p):
    """A transient-local publisher keeps its last message for late subscribers."""
    samples = collect(p.subscriber("/test/latched", TEXT, transient_local=True), 1)
    assert [sample.data for sample in samples] == ["kept"], samples


def check_topics_in(p):
    """500 reliable messages are echoed without loss and in order, and best-effort messages arrive."""
    echo = p.subscriber("/test/echo", TEXT, depth=2000)
    kind = peer.message_type(TEXT)
    for topic, quality, count in (("/test/in", {"depth": 1000}, 500), ("/test/in_best_effort", {"reliable": False}, 20)):
        writer = p.publisher(topic, TEXT, **quality)
        assert wait_for(lambda: matched(writer) and echo.get_matched_publications()), "not matched"
        sent = [f"{topic} {i}" for i in range(count)]
        for data in sent:
            writer.write(kind(data=data))
            time.sleep(0.001)
        received = [sample.data for sample in collect(echo, count)]
        assert received == sent, f"{len(received)} of {count}"


def check_large_messages(p):
    """Messages of 1 MB are transferred in both directions, in fragments."""
    echo = p.subscriber("/test/echo", TEXT, depth=100)
    writer = p.publisher("/test/in", TEXT, depth=100)
    assert wait_for(lambda: matched(writer) and echo.get_matched_publications()), "not matched"
    for i in range(5):
        data = f"{i}" * 1_000_000
        writer.write(peer.message_type(TEXT)(data=data))
        received = collect(echo, 1)
        assert len(received) == 1 and received[0].data == data, f"message {i}: {len(received)} received"


def check_malformed_samples(domain):
    """A sample with a wrong length is rejected and reported; the next valid sample is echoed."""
    p, liar = Peer(domain), Peer(domain)
    log = p.subscriber("/rosout", LOG, depth=1000)
    echo = p.subscriber("/test/echo", TEXT)
    lie = peer.struct_type(TEXT, {"length": types.uint32, "rest": types.uint16})
    writer = liar.raw_publisher("rt/test/in", lie)
    good = p.publisher("/test/in", TEXT)
    assert wait_for(lambda: matched(writer) and matched(good) and echo.get_matched_publications()), "not matched"
    assert wait_for(lambda: log.get_matched_publications()), "no log"
    # the node may discover the new reader of the log later than the reader discovers the node
    for _ in range(20):
        writer.write(lie(length=1, rest=0xFFFF))
        if collect(log, 1, 0.5):
            break
    collect(log, 100, 0.5)
    for length in (1, 3, 2**31, 2**32 - 1):
        writer.write(lie(length=length, rest=0xFFFF))
    good.write(peer.message_type(TEXT)(data="still here"))
    assert "still here" in [sample.data for sample in collect(echo, 1)]
    warnings = [line.msg for line in collect(log, 4) if line.level == 30]
    assert len(warnings) == 4 and all(line.startswith("refused a sample") for line in warnings), warnings


def check_service(p):
    """100 calls are answered, each with its own reply, also from two clients at once."""
    clients = [p.client(f"{NODE}/set", "std_srvs/srv/SetBool") for _ in range(2)]
    assert all(client.wait() for client in clients), "no server"
    for i in range(100):
        numbers = [client.send(data=(i + k) % 2 == 0) for k, client in enumerate(clients)]
        for k, client in enumerate(clients):
            reply = client.receive(numbers[k])
            assert reply and reply.success == ((i + k) % 2 == 0), reply


def check_early_calls(domain):
    """A client that calls as soon as it discovers the server receives its reply: the server waits for
    the match.
    """
    for _ in range(5):
        client = Peer(domain).client(f"{NODE}/set", "std_srvs/srv/SetBool")
        assert wait_for(lambda: matched(client.writer)), "no server"
        reply = client.call(data=True)
        assert reply and reply.success, reply


def check_malformed_requests(domain):
    """Requests that are too short or have an invalid boolean receive no reply, and the next valid request
    does.
    """
    client = Peer(domain).client(f"{NODE}/set", "std_srvs/srv/SetBool")
    assert client.wait(), "no server"
    name = "std_srvs/srv/SetBool_Request"
    for fields, values in (
        ({"x": types.uint8}, {"x": 1}),
        ({"guid": types.uint64, "number": types.int64}, {"guid": client.guid, "number": 1}),
        ({"guid": types.uint64, "number": types.int64, "data": types.uint8}, {"guid": client.guid, "number": 1, "data": 7}),
    ):
        kind = peer.struct_type(name, fields)
        writer = Peer(domain).raw_publisher(f"rq{NODE}/setRequest", kind)
        assert wait_for(lambda: matched(writer)), "not matched"
        writer.write(kind(**values))
        time.sleep(0.05)
    assert client.receive(1, timeout_s=0.3) is None
    reply = client.call(data=True)
    assert reply and reply.success, reply


def parameter(name, type_, **value):
    """Returns a Parameter message."""
    return peer.message_type("rcl_interfaces/msg/Parameter")(name=name, value=parameter_value(type_, **value))


def parameter_value(type_, **value):
    """Returns a ParameterValue message; unset fields are empty."""
    empty = dict(
        bool_value=False, integer_value=0, double_value=0.0, string_value="", byte_array_value=[],
        bool_array_value=[], integer_array_value=[], double_array_value=[], string_array_value=[],
    )
    return peer.message_type("rcl_interfaces/msg/ParameterValue")(type=type_, **(empty | value))


def parameter_client(p, name, type_name):
    """Returns a client of one of the parameter services of the node."""
    client = p.client(f"{NODE}/{name}", f"rcl_interfaces/srv/{type_name}")
    assert client.wait(), f"no {name}"
    return client


def check_parameters_read(p):
    """Values, types, lists and descriptions are those that the node declared."""
    names = ["gain", "seed", "sea.names", "nothing"]
    values = parameter_client(p, "get_parameters", "GetParameters").call(names=names).values
    assert [value.type for value in values] == [3, 2, 9, 0], values
    assert (values[0].double_value, values[1].integer_value, values[2].string_array_value) == (2.5, 7, ["a"]), values
    assert parameter_client(p, "get_parameter_types", "GetParameterTypes").call(names=names).types == [3, 2, 9, 0]
    listing = parameter_client(p, "list_parameters", "ListParameters")
    assert listing.call(prefixes=[], depth=0).result.names == ["gain", "sea.names", "sea.state", "seed", "use_sim_time"]
    assert listing.call(prefixes=[], depth=1).result.names == ["gain", "seed", "use_sim_time"]
    result = listing.call(prefixes=["sea"], depth=0).result
    assert (result.names, result.prefixes) == (["sea.names", "sea.state"], ["sea"]), result
    about = parameter_client(p, "describe_parameters", "DescribeParameters").call(names=["gain", "seed"]).descriptors
    gain, seed = about
    assert (gain.name, gain.type, gain.description) == ("gain", 3, "Gain of the loop."), gain
    assert gain.additional_constraints == "even is better" and not gain.read_only and seed.read_only, about
    ranges = gain.floating_point_range
    assert [(r.from_value, r.to_value, r.step) for r in ranges] == [(0.0, 10.0, 0.0)], ranges


def check_parameters_set(p):
    """Allowed values are set and published; others are rejected with a reason and change no value.
    """
    events = p.subscriber("/parameter_events", "rcl_interfaces/msg/ParameterEvent", depth=1000)
    setting = parameter_client(p, "set_parameters", "SetParameters")
    atomic = parameter_client(p, "set_parameters_atomically", "SetParametersAtomically")
    assert wait_for(lambda: events.get_matched_publications()), "no events"
    results = setting.call(
        parameters=[
            parameter("gain", 3, double_value=4.5),
            parameter("gain", 3, double_value=14.6),
            parameter("gain", 3, double_value=float("nan")),
            parameter("gain", 2, integer_value=4),
            parameter("seed", 2, integer_value=4),
            parameter("nothing", 2, integer_value=4),
            parameter("gain", 0),
        ]
    ).results
    assert [result.successful for result in results] == [True] + 6 * [False], results
    assert all(result.reason for result in results[1:]), results
    assert results[3].reason == "parameter 'gain': expected double (even is better), found integer 4 (write 4.0)", results
    event = collect(events, 1)[0]
    assert event.node == NODE, event
    assert [(c.name, c.value.double_value) for c in event.changed_parameters] == [("gain", 4.5)], event
    both = [parameter("gain", 3, double_value=5.0), parameter("sea.state", 2, integer_value=12)]
    assert not atomic.call(parameters=both).result.successful
    both[1] = parameter("sea.state", 2, integer_value=9)
    assert atomic.call(parameters=both).result.successful
    values = parameter_client(p, "get_parameters", "GetParameters").call(names=["gain", "sea.state"]).values
    assert (values[0].double_value, values[1].integer_value) == (5.0, 9), values


def check_node_graph(p):
    """ros_discovery_info names the node and exactly the endpoints that DDS discovers, to readers with
    a type hash, as in Iron and newer.
    """
    graph = latched_info(p, INFO, user_data=b"typehash=RIHS01_" + 64 * b"0" + b";")
    assert check_graph(p, graph) == 16


def check_node_graph_of_humble(p):
    """The same for readers without a type hash, whose GIDs have 24 bytes, as in Humble."""
    gid = peer.struct_type("rmw_dds_common/msg/Gid", {"data": types.array[types.uint8, 24]})
    gids, text = types.sequence[gid], str
    node = peer.struct_type("rmw_dds_common/msg/NodeEntitiesInfo", {
        "node_namespace": text, "node_name": text, "reader_gid_seq": gids, "writer_gid_seq": gids})
    kind = peer.struct_type(INFO, {"gid": gid, "node_entities_info_seq": types.sequence[node]})
    assert check_graph(p, latched_info(p, kind)) == 24


def latched_info(p, kind, **quality):
    """Returns the only message on ros_discovery_info."""
    kind = peer.message_type(kind) if isinstance(kind, str) else kind
    reader = p.raw_subscriber("ros_discovery_info", kind, transient_local=True, depth=10, **quality)
    assert wait_for(lambda: valid(reader.read(N=10))), "no ros_discovery_info"
    time.sleep(0.3)
    (info,) = valid(reader.read(N=10))
    return info


def check_graph(p, info):
    """Compares the node graph with the discovered endpoints; returns the size of a GID [B]."""
    (node,) = info.node_entities_info_seq
    assert (node.node_namespace, node.node_name) == ("/test", "subject"), node
    gids = [bytes(gid.data) for gid in node.reader_gid_seq + node.writer_gid_seq]
    assert all(not any(gid[16:]) for gid in gids), gids
    named, participant = {gid[:16] for gid in gids}, bytes(info.gid.data)[:12]
    assert wait_for(lambda: p.endpoint_guids(participant) == named), p.endpoint_guids(participant) ^ named
    return len(bytes(info.gid.data))


def check_log(p):
    """Late subscribers of /rosout receive the lines of the last seconds."""
    lines = collect(p.subscriber("/rosout", LOG, transient_local=True, depth=1000), 1)
    assert lines and all(line.name == "test.subject" for line in lines), lines


def slow_task(p):
    """Returns a client of the action `slow_task`, which succeeds after a while; with position 0 it
    never ends, and a negative position is rejected.
    """
    return ActionClient(p, "/test/slow_task", arm_types.GRIPPER).wait()


def order(position):
    """Returns a goal of the action `slow_task`."""
    return {"command": peer.message_type("control_msgs/msg/GripperCommand")(position=position, max_effort=0.0)}


def check_action(p):
    """A goal is accepted, gives feedback and succeeds; its result is available to early and late
    clients and in between.
    """
    client, other = slow_task(p), slow_task(Peer(p.domain))
    goal = client.accepted(**order(2.5))
    early = [client.ask(goal), other.ask(goal)]
    client.wait_status(goal, action_client.EXECUTING)
    assert client.asker.receive(early[0], 0.02) is None, "a result before the end"
    for result in (client.answer(early[0]), other.answer(early[1]), client.result(goal), other.result(goal)):
        assert (result.status, result.result.position) == (action_client.SUCCEEDED, 2.5), result
    client.wait_status(goal, action_client.SUCCEEDED)
    other.wait_status(goal, action_client.SUCCEEDED)
    positions = [feedback.position for feedback in client.feedback(goal)]
    assert len(positions) >= 15 and positions == sorted(positions), positions
    late = slow_task(Peer(p.domain))
    late.wait_status(goal, action_client.SUCCEEDED)
    nobody = client.result([9] * 16)
    assert nobody.status == action_client.UNKNOWN, nobody


def check_action_cancel(p):
    """Goals are canceled by ID, by time and all at once; the codes agree with rcl_action."""
    client = slow_task(p)
    for which in ("name", "time", "all"):
        goal, answer = client.send(**order(0.0))
        stamp = answer.stamp.sec * 10**9 + answer.stamp.nanosec
        assert answer.accepted and stamp, answer
        early = client.ask(goal)
        assert client.cancel([7] * 16) == (2, []), "unknown"
        assert client.cancel(stamp_ns=stamp - 1) == (0, []), "too early"
        arguments = {"name": {"goal_id": goal}, "time": {"stamp_ns": stamp}, "all": {}}[which]
        assert client.cancel(**arguments) == (0, [goal]), which
        assert client.answer(early).status == action_client.CANCELED
        client.wait_status(goal, action_client.CANCELED)
        assert client.cancel(goal) == (3, []), "it has ended"
        assert client.cancel() == (0, []), "there is none"


def check_action_replaced(p):
    """A second goal aborts the first; a goal whose ID is in use is rejected and has no effect."""
    client = slow_task(p)
    first = client.accepted(**order(0.0))
    early = client.ask(first)
    again, answer = client.send(goal_id=first, **order(1.0))
    assert again == first and not answer.accepted, answer
    assert client.asker.receive(early, 0.3) is None, "it continues"
    second = client.accepted(**order(1.0))
    assert client.answer(early).status == action_client.ABORTED
    assert client.result(second).status == action_client.SUCCEEDED
    assert client.status()[bytes(first)] == action_client.ABORTED


def check_action_rejected(p):
    """An invalid goal is rejected; its result contains the reason."""
    client = slow_task(p)
    goal, answer = client.send(**order(-3.0))
    assert not answer.accepted, answer
    result = client.result(goal)
    assert (result.status, result.result.position) == (action_client.UNKNOWN, -3.0), result
    assert bytes(goal) not in client.status()


def check_invalid_action_requests(p):
    """Undecodable requests of all three services have no effect."""
    client = slow_task(p)
    goal = client.accepted(**order(0.0))
    for part, name in (("send_goal", f"{arm_types.GRIPPER}_SendGoal"), ("cancel_goal", arm_types.CANCEL),
                       ("get_result", f"{arm_types.GRIPPER}_GetResult")):
        for fields in ({"x": types.uint8}, {"guid": types.uint64, "number": types.int64, "x": types.uint32}):
            kind = peer.struct_type(f"{name}_Request", fields)
            writer = Peer(p.domain).raw_publisher(f"rq/test/slow_task/_action/{part}Request", kind)
            assert wait_for(lambda: matched(writer)), "not matched"
            writer.write(kind(*([1] * len(fields))))
    time.sleep(0.2)
    assert client.status() == client.status() | {bytes(goal): action_client.EXECUTING}, client.status()
    assert client.cancel(goal) == (0, [goal])
    assert client.result(goal).status == action_client.CANCELED


def check_participant_exit(p):
    """The endpoints of the node disappear as soon as it exits."""
    client = p.client(f"{NODE}/leave", "std_srvs/srv/Trigger")
    assert client.wait() and client.call(structure_needs_at_least_one_member=0).success
    gone = wait_for(lambda: not any(p.endpoints("r")), timeout_s=3)
    assert gone, p.endpoints("r")


def main():
    domain = int(sys.argv[1])
    p = Peer(domain)
    checks = [
        (check_log, p), (check_topics_out, p), (check_incompatible_reader, p), (check_late_joiner, p),
        (check_topics_in, p), (check_large_messages, p), (check_malformed_samples, domain), (check_service, p),
        (check_early_calls, domain), (check_malformed_requests, domain), (check_parameters_read, p),
        (check_parameters_set, p), (check_action, p), (check_action_cancel, p), (check_action_replaced, p),
        (check_action_rejected, p), (check_invalid_action_requests, p), (check_node_graph, Peer(domain)),
        (check_node_graph_of_humble, Peer(domain)), (check_participant_exit, Peer(domain)),
    ]
    failed = 0
    for check, argument in checks:
        start = time.monotonic()
        try:
            check(argument)
            print(f"ok   {check.__name__} ({time.monotonic() - start:.2f} s)", flush=True)
        except Exception:
            failed += 1
            print(f"FAIL {check.__name__}: {check.__doc__}", flush=True)
            traceback.print_exc()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
