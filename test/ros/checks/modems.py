"""Checks of end_to_end.py: topics and services of modems, and bridges of topics and services between
nodes without code for bridges.
"""

import math
import os
import pathlib
import tempfile
import time

import peer
from live import TRIGGER, Merrow, command, nanoseconds, seconds, take, wait_for, wait_until
from rosbags.highlevel import AnyReader
from rosbags.typesys import Stores, get_typestore, get_types_from_msg

peer.FIELDS.update({
    "merrow_msgs/msg/Packet": "std_msgs/msg/Header header; uint16 source; uint16 destination; uint8 priority; "
    "bool acknowledge; uint32 key; float64 power; builtin_interfaces/msg/Time sent; float32 snr; float32 doppler; "
    "bool overheard; uint8[] data",
    "merrow_msgs/msg/ModemStatus": "std_msgs/msg/Header header; uint16 address; string activity; string mac; string scheme; "
    "float64 power; uint32 queued; uint64 queued_bytes; float64 energy; string fault",
    "merrow_msgs/msg/LinkStatus": "string transmitter; string receiver; float32 snr; float64 delay; uint64 frames; "
    "uint64 received; uint64 bits; float64 loss; float64 load; uint64 random_losses",
    "merrow_msgs/msg/LinkTable": "std_msgs/msg/Header header; merrow_msgs/msg/LinkStatus[] links",
    "merrow_msgs/msg/PacketRecord": "builtin_interfaces/msg/Time stamp; builtin_interfaces/msg/Time start; string transmitter; "
    "string receiver; int64 message; uint8 fragment; uint32 bits; float32 snr; string cause",
    "merrow_msgs/msg/PacketLog": "std_msgs/msg/Header header; merrow_msgs/msg/PacketRecord[] packets",
    "merrow_msgs/msg/ModemActivity": "string modem; string activity; builtin_interfaces/msg/Time start; "
    "builtin_interfaces/msg/Time end",
    "merrow_msgs/msg/ModemSchedule": "std_msgs/msg/Header header; merrow_msgs/msg/ModemActivity[] intervals",
    "merrow_msgs/srv/SetModemPower_Request": "float64 power",
    "merrow_msgs/srv/SetModemPower_Response": "bool success; string message",
    "merrow_msgs/srv/SetModemRate_Request": "string scheme",
    "merrow_msgs/srv/SetModemRate_Response": "bool success; string message",
    "merrow_msgs/srv/SetModemMac_Request": "string mac",
    "merrow_msgs/srv/SetModemMac_Response": "bool success; string message",
    "merrow_msgs/srv/MeasureRange_Request": "uint16 destination; bool one_way",
    "merrow_msgs/srv/MeasureRange_Response": "bool success; string message",
})

WORLD = str(pathlib.Path(__file__).parents[1] / "worlds" / "modems.yaml")
STEP_S = 0.01
SOUND_SPEED = 1500.0
DISTANCE = 150.0
OVERHEAD_BITS = 112
A, B, BUOY, ALL = 1, 2, 3, 65535
EMPTY = dict(source=0, priority=0, acknowledge=False, key=0, power=0.0, snr=0.0, doppler=0.0, overheard=False)


def packet(destination, data, **fields):
    """Returns the fields of a packet that a node sends."""
    time = peer.message_type("builtin_interfaces/msg/Time")(sec=0, nanosec=0)
    header = peer.message_type("std_msgs/msg/Header")(stamp=time, frame_id="")
    return EMPTY | dict(header=header, sent=time, destination=destination, data=list(data)) | fields


def modem_client(m, name, kind):
    """Returns the matched client of a service of the modem of a."""
    client = m.peer.client(f"/a/acoustic/{name}", f"merrow_msgs/srv/{kind}")
    assert client.wait(20), f"no service {name}"
    return client


def arrival(sent_s, length, rate):
    """Returns the time of arrival at b of a message of `length` bytes at `rate` bit/s that a sends at `sent_s` [s]."""
    return sent_s + (OVERHEAD_BITS + 8 * length) / rate + DISTANCE / SOUND_SPEED


def check_modem_topics():
    """A packet on `tx` appears on `rx` of the receivers at the time of its arrival; status, link
    table, packet log and schedule have its values.
    """
    with Merrow(WORLD, "--pace", "lockstep") as m:
        received = {name: m.listen(f"/{name}/rx") for name in ("b/acoustic", "buoy")}
        status, links, log, schedule = (m.listen(topic) for topic in (
            "/a/acoustic/status", "/network/links", "/network/packets", "/network/schedule"))
        now = m.step(10)
        m.write("/a/acoustic/tx", **packet(B, b"hello"))
        m.write("/a/acoustic/tx", **packet(ALL, b"all of you"))
        m.step(300)
        at_b, at_buoy = [], []
        wait_for(lambda: at_b.extend(take(received["b/acoustic"])) or len(at_b) >= 2)
        wait_for(lambda: at_buoy.extend(take(received["buoy"])) or at_buoy)
        assert [bytes(p.data) for p in at_b] == [b"hello", b"all of you"], at_b
        assert [bytes(p.data) for p in at_buoy] == [b"all of you"], at_buoy
        first = at_b[0]
        expected = arrival(now * 1e-9, 5, 1000)
        assert abs(seconds(first.header.stamp) - expected) < 2e-3, (first, expected)
        assert first.header.frame_id == "b/acoustic" and first.source == A and first.destination == B, first
        assert nanoseconds(first.sent) == now and first.snr > 10 and not first.overheard, first
        state = wait_until(status, lambda s: s.energy > 0 and seconds(s.header.stamp) > 2)
        assert (state.address, state.mac, state.scheme, state.power, state.queued) == (A, "aloha", "slow", 10.0, 0), state
        table = wait_until(links, lambda t: any(link.frames == 2 for link in t.links))
        link = next(link for link in table.links if (link.transmitter, link.receiver) == ("a/acoustic", "b/acoustic"))
        assert link.received == 2 and link.loss == 0.0 and abs(link.delay - DISTANCE / SOUND_SPEED) < 2e-3, link
        airtime = (2 * OVERHEAD_BITS + 8 * 15) / 1000
        assert abs(link.load * seconds(table.header.stamp) - airtime) < 1e-6, (link, table.header)
        records = [record for entry in take(log) for record in entry.packets]
        assert all(record.cause == "" and record.bits in (152, 192) for record in records), records
        assert len(records) == 4 and {record.receiver for record in records} == {"b/acoustic", "buoy"}, records
        intervals = [i for entry in take(schedule) for i in entry.intervals if i.modem == "a/acoustic"]
        busy = sum(seconds(i.end) - seconds(i.start) for i in intervals if i.activity == "transmit")
        assert abs(busy - airtime) < 1e-6, intervals


def check_modem_services():
    """Power, rate and medium access change; a range measurement gives the distance; each invalid
    value is refused with a reason.
    """
    with Merrow(WORLD, "--pace", "lockstep") as m:
        status, ranges = m.listen("/a/acoustic/status"), m.listen("/a/acoustic/range")
        fixes = m.listen("/a/acoustic/b/acoustic/pose")
        power, rate, mac, measure = (modem_client(m, name, kind) for name, kind in (
            ("set_power", "SetModemPower"), ("set_rate", "SetModemRate"), ("set_mac", "SetModemMac"),
            ("measure_range", "MeasureRange")))
        assert power.call(power=2.5).success and rate.call(scheme="adaptive").success
        assert mac.call(mac="{kind: slotted_aloha, slot_s: 0.5}").success
        for reply, why in ((power.call(power=100.0), "at most 10 W"), (rate.call(scheme="quick"), "slow, fast"),
                           (mac.call(mac="{kind: tdma, frame_s: 1, slots_s: []}"), "slots_s"),
                           (measure.call(destination=77, one_way=False), "77")):
            assert not reply.success and why in reply.message, (reply, why)
        m.step(120)
        state = wait_until(status, lambda s: s.power == 2.5)
        assert (state.mac, state.scheme) == ("slotted_aloha", "adaptive"), state
        assert mac.call(mac="{kind: aloha}").success and measure.call(destination=B, one_way=False).success
        m.step(200)
        found = wait_until(ranges, lambda r: True)
        assert abs(found.range - DISTANCE) < 0.5 and found.header.frame_id == "b/acoustic", found
        assert abs(found.variance - 0.1**2) < 1e-6, found
        fix = wait_until(fixes, lambda _: True)
        place, covariance = fix.pose.pose.position, fix.pose.covariance
        # at least 0.5 deg to the side
        assert fix.header.frame_id == "a/base_link" and abs(covariance[0] - 0.1**2) < 0.01, fix
        across = math.sqrt(covariance[7])
        assert 1.3 < across < 3 and abs(place.x - DISTANCE) < 0.5 and math.hypot(place.y, place.z) < 5 * across, fix
        assert measure.call(destination=ALL, one_way=True).success
        m.alive()


def chat(m, text):
    """Publishes a text on /a/chat and makes steps until /b/chat has it; returns the number of steps."""
    reader = m.listen("/b/chat", "std_msgs/msg/String")
    m.write("/a/chat", "std_msgs/msg/String", data=text)
    for n in range(1, 200):
        m.step(1)
        if [s.data for s in take(reader)] == [text]:
            return n
    raise AssertionError("no message")


def check_bridge():
    """A message of one node appears at another when it has crossed the modem, and then at the buoy;
    no modem publishes it on `rx`. The bag contains the packet log, and the run repeats from the bag.
    """
    with tempfile.TemporaryDirectory() as folder:
        bag = pathlib.Path(folder) / "run.mcap"
        with Merrow(WORLD, "--pace", "lockstep", "--record", str(bag)) as m:
            far = m.listen("/buoy/b/chat", "std_msgs/msg/String")
            packets = [m.listen(f"/{name}/rx") for name in ("a/acoustic", "b/acoustic", "buoy")]
            m.step(7)
            steps = chat(m, "turn back")
            # number of the bridge, head of CDR, length, text with its end
            expected = arrival(0, 2 + 4 + 4 + 10, 1000)
            assert 0 <= steps * STEP_S - expected < 3 * STEP_S, (steps, expected)
            end = m.step(100)
            assert wait_for(lambda: [s.data for s in take(far)] == ["turn back"]), "not passed on"
            assert not any(take(reader) for reader in packets), "a message of a bridge on rx"
            assert m.end() == 0, m.output()
            first = m.output()[0].split("state hash: ")[1].split()[0]
        store = get_typestore(Stores.ROS2_JAZZY)
        with AnyReader([bag]) as reader:
            for connection in reader.connections:
                store.register(get_types_from_msg(connection.msgdef.data, connection.msgtype))
            log = [store.deserialize_cdr(raw, c.msgtype) for c, _, raw in reader.messages()
                   if c.topic == "/network/packets"]
            inputs = [c.topic for c, _, _ in reader.messages() if c.topic == "/a/chat"]
        records = [record for entry in log for record in entry.packets]
        assert {(r.transmitter, r.receiver) for r in records} >= {("a/acoustic", "b/acoustic"), ("b/acoustic", "buoy")}, records
        assert len(inputs) == 1, inputs
        assert replayed_hash(bag, end) == first


CUSTOM = {"survey_msgs/msg/Fix": "float64 x; float64 y", "survey_msgs/msg/Report": "std_msgs/msg/Header header; uint8 level; "
          "survey_msgs/msg/Fix[] fixes; string text"}
CUSTOM_FILES = {
    "survey_msgs/msg/Fix": "# position [m]\nfloat64 x\nfloat64 y\n",
    "survey_msgs/msg/Report": "uint8 OK=0\nstd_msgs/Header header\nuint8 level 1\nFix[] fixes\nstring text\n",
    "std_msgs/msg/Header": "builtin_interfaces/Time stamp\nstring frame_id\n",
    "builtin_interfaces/msg/Time": "int32 sec\nuint32 nanosec\n",
}


def check_bridge_of_installed_type():
    """Messages of a package that Merrow does not contain cross a bridge unchanged, and the bag contains their definition."""
    peer.FIELDS.update(CUSTOM)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for name, text in CUSTOM_FILES.items():
            file = folder / "share" / f"{name}.msg"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        world, bag = folder / "w.yaml", folder / "run.mcap"
        text = pathlib.Path(WORLD).read_text().replace("/b/chat, message_type: std_msgs/msg/String", "/b/chat, message_type: survey_msgs/msg/Report")
        world.write_text(text)
        code, _, err = command("check", world)
        assert code != 0 and "unknown message type survey_msgs/msg/Report" in err[1], err
        os.environ["AMENT_PREFIX_PATH"] = str(folder)
        try:
            with Merrow(str(world), "--pace", "lockstep", "--record", str(bag)) as m:
                reader = m.listen("/b/chat", "survey_msgs/msg/Report")
                stamp = peer.message_type("builtin_interfaces/msg/Time")(sec=3, nanosec=4)
                header, fix = peer.message_type("std_msgs/msg/Header")(stamp=stamp, frame_id="map"), peer.message_type("survey_msgs/msg/Fix")
                m.step(7)
                sent = dict(header=header, level=2, fixes=[fix(x=1.5, y=-2.0), fix(x=0.25, y=8.0)], text="two fixes")
                m.write("/a/chat", "survey_msgs/msg/Report", **sent)
                arrived = []
                step_until(m, lambda: arrived.extend(take(reader)) or arrived)
                report = arrived[0]
                assert (report.header.stamp.sec, report.header.frame_id, report.level, report.text) == (3, "map", 2, "two fixes"), report
                assert [(f.x, f.y) for f in report.fixes] == [(1.5, -2.0), (0.25, 8.0)], report
                assert m.end() == 0, m.output()
        finally:
            del os.environ["AMENT_PREFIX_PATH"]
        with AnyReader([bag]) as bag_reader:
            (connection,) = [c for c in bag_reader.connections if c.topic == "/b/chat"]
            assert connection.msgtype == "survey_msgs/msg/Report" and "float64 y" in connection.msgdef.data, connection


def step_until(m, condition, stride=1):
    """Makes steps, `stride` at once, until `condition()` is true; returns the number of steps."""
    for n in range(1, 200):
        m.step(stride)
        if condition():
            return n * stride
    raise AssertionError(f"not within {199 * stride} steps")


def replayed_hash(bag, end):
    """Returns the state hash of the run of the commands of a bag until `end` [ns]."""
    arguments = ("--no-ros", "--pace", "max", "--for", end * 1e-9)
    code, out, err = command("run", WORLD, "--replay-commands", bag, *arguments)
    assert code == 0, err
    return out.split("state hash: ")[1].split()[0]


def check_bridged_service():
    """A client of Cyclone DDS at b calls a server of Cyclone DDS at a through the acoustic modems. The
    request reaches the server, and the response the client, after the times of both transmissions.
    The run repeats from the bag.
    """
    with tempfile.TemporaryDirectory() as folder:
        bag = pathlib.Path(folder) / "run.mcap"
        with Merrow(WORLD, "--pace", "lockstep", "--record", str(bag)) as m:
            stack = peer.Peer(m.domain)
            server = peer.Server(stack, "/a/steer", "std_srvs/srv/SetBool")
            client = m.peer.client("/b/a/steer", "std_srvs/srv/SetBool")
            assert client.wait(20) and wait_for(lambda: peer.matched(server.writer)), "no service"
            m.step(7)
            number = client.send(data=True)
            reply = {"success": True, "message": "turned"}
            seen = []

            def respond(request):
                seen.append(request.data)
                return reply

            there = step_until(m, lambda: server.serve_one(respond, 0.05)) * STEP_S
            received = []
            back = step_until(m, lambda: received.append(client.receive(number, 0.05)) or received[-1]) * STEP_S
            assert seen == [True] and (received[-1].success, received[-1].message) == (True, "turned"), received
            # numbers of bridge and call, head of CDR, fields; a writer can append 3 bytes
            for measured, length in ((there, 6 + 4 + 1), (back, 6 + 4 + 8 + 7)):
                expected = arrival(0, length, 1000)
                assert measured > DISTANCE / SOUND_SPEED, measured
                # the rounding of sums of steps
                assert -1e-9 <= measured - expected < 24e-3 + 4 * STEP_S, (measured, expected)
            end = m.step(100)
            assert m.end() == 0, m.output()
            first = m.output()[0].split("state hash: ")[1].split()[0]
        assert replayed_hash(bag, end) == first


def check_bridged_service_of_simulator():
    """A service of the simulator is called over a bridge, with its refusals. A call to an absent server
    receives no response, and the node reports it.
    """
    with Merrow(WORLD, "--pace", "lockstep") as m:
        status = m.listen("/b/acoustic/status")
        power = m.peer.client("/a/far_power", "merrow_msgs/srv/SetModemPower")
        absent = m.peer.client("/a/b/absent", "std_srvs/srv/Trigger")
        assert power.wait(20) and absent.wait(20), "no service"
        m.step(7)
        number = absent.send(**TRIGGER)
        time.sleep(0.2)
        m.step(300)
        assert absent.receive(number, 0.5) is None
        for line in ("bridge absent: a request arrived, but no node offers /b/absent",
                     "bridge absent: no response to a call within 1.5 s"):
            assert wait_for(lambda: line in m.output()[1]), (line, m.output()[1])
        for value, success in ((2.5, True), (100.0, False)):
            number, replies = power.send(power=value), []
            step_until(m, lambda: replies.append(power.receive(number, 0.05)) or replies[-1], stride=20)
            assert replies[-1].success == success, replies[-1]
        assert "at most 10 W" in replies[-1].message, replies[-1]
        m.step(120)
        assert wait_until(status, lambda s: s.power == 2.5)


def check_service_of_bundled_world():
    """In the world modems, the boat changes the mode of an AUV through the acoustic modems, in their slots."""
    with Merrow("modems", "--pace", "lockstep") as m:
        statuses = m.listen("/auv_1/controller/status")
        client = m.peer.client("/boat/auv_1/set_mode", "merrow_msgs/srv/SetControlMode")
        assert client.wait(20), "no service"
        m.step(7)
        number, replies = client.send(mode="depth_hold"), []
        steps = step_until(m, lambda: replies.append(client.receive(number, 0.05)) or replies[-1], stride=100)
        assert replies[-1].success, replies[-1]
        # 187 m and back, at 1500 m/s; the boat transmits from 5 s on in a frame of 10 s
        assert steps * 0.004 > 5, steps
        m.step(20)
        assert wait_until(statuses, lambda s: s.mode == "depth_hold")


CHECKS = [check_modem_topics, check_modem_services, check_bridge, check_bridged_service,
          check_bridge_of_installed_type, check_bridged_service_of_simulator, check_service_of_bundled_world]
