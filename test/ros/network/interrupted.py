"""The Cyclone DDS peer of interruptions.py, which interrupts the network between this program and a
world with an arm. fastdds/interrupted.cpp is the Fast DDS peer.

    python3 test/ros/network/interrupted.py DOMAIN

Prints `0 0`, then one line per round: the number of clock messages since the last line, and 1 if
services, parameters, a latched topic and an action work, else 0.
"""

import os
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import arm_types
import peer
from action_client import ActionClient, uuid
from peer import Peer, message_type, valid, wait_for

peer.define("merrow_msgs/srv/StepSimulation_Request", "uint64 steps")
peer.define("merrow_msgs/srv/StepSimulation_Response", "bool success; string message; builtin_interfaces/msg/Time time")
GET, SET = "rcl_interfaces/srv/GetParameters", "rcl_interfaces/srv/SetParameters"
STEP = "merrow_msgs/srv/StepSimulation"
CLOCK, TRANSFORMS = "rosgraph_msgs/msg/Clock", "tf2_msgs/msg/TFMessage"


class Checks:
    """The endpoints of the peer and the checks that use them."""

    def __init__(self, domain):
        self.peer = Peer(domain)
        self.clock = self.peer.subscriber("/clock", CLOCK)
        self.get = self.peer.client("/merrow/get_parameters", GET)
        self.set = self.peer.client("/merrow/set_parameters", SET)
        self.step = self.peer.client("/merrow/step", STEP)
        self.gripper = ActionClient(self.peer, "/bench/gripper_controller/gripper_cmd", arm_types.GRIPPER)
        self.last = None

    def clocks(self):
        """Returns the number of clock messages since the last call."""
        return len(valid(self.clock.take(N=10000)))

    def work(self):
        """Returns whether all of them work."""
        clients = (self.get, self.set, self.step, self.gripper.sender, self.gripper.asker)
        if not all(client.wait(0.1) for client in clients):
            return False
        calls = ((self.get, {"names": ["pace"]}), (self.set, {"parameters": []}), (self.step, {"steps": 1}))
        if any(client.call(**fields) is None for client, fields in calls):
            return False
        # a late subscriber of a latched topic
        latched = self.peer.subscriber("/tf_static", TRANSFORMS, transient_local=True, depth=1)
        return bool(wait_for(lambda: valid(latched.take(N=10)), 1)) and self.action_works()

    def action_works(self):
        """Returns whether a goal is accepted and has a result, also the last goal."""
        # the last goal was accepted before the interruption
        if self.last and self.gripper.asker.call(goal_id=uuid(self.last)) is None:
            return False
        goal = os.urandom(16)
        command = message_type("control_msgs/msg/GripperCommand")(position=0.0, max_effort=0.0)
        answer = self.gripper.sender.call(goal_id=uuid(goal), goal=self.gripper.goal_type(command=command))
        if not (answer and answer.accepted):
            return False
        self.last = goal
        return self.gripper.asker.call(goal_id=uuid(goal)) is not None


def build_types():
    """Builds the types, which takes longer than the discovery."""
    action = arm_types.GRIPPER
    for name in (GET, SET, STEP, f"{action}_SendGoal", f"{action}_GetResult", arm_types.CANCEL):
        peer._with_header(f"{name}_Request"), peer._with_header(f"{name}_Response")
    for name in (CLOCK, TRANSFORMS, f"{action}_FeedbackMessage", arm_types.STATUS):
        message_type(name)


def main():
    build_types()
    print(0, 0, flush=True)
    checks = Checks(int(sys.argv[1]))
    while True:
        clocks = checks.clocks()
        print(clocks, int(clocks > 0 and checks.work()), flush=True)
        time.sleep(0.1)


if __name__ == "__main__":
    main()
