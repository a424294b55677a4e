"""Checks the examples of the crate `ros2` with Cyclone DDS.

    python3 test/ros/examples.py FOLDER

FOLDER contains the programs talker, listener and add_two_ints. The exit code is 1 if one fails.
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


@contextlib.contextmanager
def running(program):
    """Runs an example and yields its process."""
    environment = os.environ | {"ROS_DOMAIN_ID": str(DOMAIN)}
    process = subprocess.Popen([program], env=environment, stderr=subprocess.PIPE, text=True)
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


def main():
    folder = pathlib.Path(sys.argv[1])
    node = peer.Peer(DOMAIN)
    heard = node.subscriber("/chatter", "std_msgs/msg/String")
    with running(folder / "talker"):
        assert samples(heard)[0].data.startswith("Hello World: "), "another text"
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


if __name__ == "__main__":
    main()
