"""Checks the examples of the crate `ros2` and the Rust controller of docs/tutorials/depth_controller.md with Cyclone DDS.

    python3 test/ros/examples.py FOLDER

FOLDER contains the programs talker, listener, add_two_ints, add_two_ints_client and depth_controller. The exit code is 1
if one fails.
"""

import contextlib
import os
import pathlib
import subprocess
import sys
import time

import peer

DOMAIN = 182
peer.define("example_interfaces/srv/AddTwoInts_Request", "int64 a; int64 b")
peer.define("example_interfaces/srv/AddTwoInts_Response", "int64 sum")


GOAL_M, TOLERANCE_M = 3.0, 0.1


@contextlib.contextmanager
def running(*command):
    """Runs an example and yields its process."""
    environment = os.environ | {"ROS_DOMAIN_ID": str(DOMAIN)}
    process = subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def samples(reader, timeout_s=10):
    """Waits for samples."""
    end = time.monotonic() + timeout_s
    while time.monotonic() < end:
        found = peer.valid(reader.take(N=100))
        if found:
            return found
        time.sleep(0.01)
    raise AssertionError("no sample")


def hold_depth(node, merrow, *controller):
    """Runs the world `pool` and a controller, which must bring the vehicle to its goal."""
    with running(merrow, "run", "pool", "--pace", "4"), running(*controller):
        odometry = node.subscriber("/bluerov2/odometry", "nav_msgs/msg/Odometry", reliable=False)
        end, depth, held = time.monotonic() + 20, [], 0
        while held < 200:
            assert time.monotonic() < end, f"not at {GOAL_M} m: {depth[-1:]}"
            depth = [-sample.pose.pose.position.z for sample in samples(odometry)]
            # 50 samples per simulated second
            held = held + len(depth) if all(abs(d - GOAL_M) < TOLERANCE_M for d in depth) else 0


def main():
    folder = pathlib.Path(sys.argv[1])
    node = peer.Peer(DOMAIN)
    received = node.subscriber("/chatter", "std_msgs/msg/String")
    with running(folder / "talker"):
        assert samples(received)[0].data.startswith("Hello World: "), "another text"
    print("ok talker")
    chatter = node.publisher("/chatter", "std_msgs/msg/String")
    with running(folder / "listener") as listener:
        end = time.monotonic() + 10
        while not peer.matched(chatter):
            assert time.monotonic() < end, "the listener is not there"
            time.sleep(0.01)
        time.sleep(0.3)
        chatter.write(peer.message_type("std_msgs/msg/String")(data="ahoy"))
        line = listener.stderr.readline()
        assert "I heard: ahoy" in line, line
    print("ok listener")
    with running(folder / "add_two_ints"):
        client = node.client("/add_two_ints", "example_interfaces/srv/AddTwoInts")
        assert client.wait(10), "no service"
        reply = client.call(a=2, b=3)
        assert reply is not None and reply.sum == 5, reply
    print("ok add_two_ints")
    server = peer.Server(node, "/add_two_ints", "example_interfaces/srv/AddTwoInts")
    with running(folder / "add_two_ints_client", "2", "3") as client:
        assert server.serve_one(lambda request: {"sum": request.a + request.b}), "no request"
        line = client.stderr.readline()
        assert "sum: 5" in line, line
    print("ok add_two_ints_client")
    hold_depth(node, folder.parent / "merrow", folder / "depth_controller", str(GOAL_M))
    print("ok depth_controller.rs")


if __name__ == "__main__":
    main()
