"""A ROS 2 action client without ROS: three service clients and two subscribers over Cyclone DDS,
based on peer.py.
"""

import random
import time

import arm_types
import peer
from peer import message_type, valid, wait_for

peer.FIELDS.update(arm_types.fields())

UNKNOWN, ACCEPTED, EXECUTING, CANCELING, SUCCEEDED, CANCELED, ABORTED = range(7)
ZERO = [0] * 16


def uuid(data):
    """The UUID message with 16 bytes."""
    return message_type(arm_types.UUID)(uuid=list(data))


class ActionClient:
    """A client of one action. The fields of a goal are the fields of its `_Goal` message."""

    def __init__(self, p, name, type_name):
        self.name, self.goal_type = name, message_type(f"{type_name}_Goal")
        part = f"{name}/_action"
        self.sender = p.client(f"{part}/send_goal", f"{type_name}_SendGoal")
        self.canceler = p.client(f"{part}/cancel_goal", arm_types.CANCEL)
        self.asker = p.client(f"{part}/get_result", f"{type_name}_GetResult")
        self._feedback = p.subscriber(f"{part}/feedback", f"{type_name}_FeedbackMessage", depth=1000)
        self._status = p.subscriber(f"{part}/status", arm_types.STATUS, transient_local=True, depth=1)
        self.feedbacks, self.statuses = [], []

    def wait(self, timeout_s=20):
        """Waits until the server is available."""
        parts = (self.sender, self.canceler, self.asker)
        assert all(part.wait(timeout_s) for part in parts), f"no action {self.name}"
        readers = (self._feedback, self._status)
        assert wait_for(lambda: all(r.get_matched_publications() for r in readers)), f"no topics of {self.name}"
        time.sleep(0.1)
        return self

    def send(self, goal_id=None, **goal):
        """Sends a goal; returns its ID and the response."""
        goal_id = goal_id or [random.randrange(256) for _ in range(16)]
        answer = self.sender.call(goal_id=uuid(goal_id), goal=self.goal_type(**goal))
        assert answer is not None, f"{self.name}: no answer to a goal"
        return goal_id, answer

    def accepted(self, **goal):
        """Sends a goal that must be accepted; returns its ID."""
        goal_id, answer = self.send(**goal)
        assert answer.accepted, f"{self.name}: rejected: {self.result(goal_id).result}"
        return goal_id

    def ask(self, goal_id):
        """Requests a result; returns the number of the request, for `answer`."""
        return self.asker.send(goal_id=uuid(goal_id))

    def answer(self, number, timeout_s=20):
        """Returns the result for a request number."""
        found = self.asker.receive(number, timeout_s)
        assert found is not None, f"{self.name}: no result within {timeout_s} s"
        return found

    def result(self, goal_id, timeout_s=20):
        """Waits for the result of a goal and returns it."""
        return self.answer(self.ask(goal_id), timeout_s)

    def cancel(self, goal_id=ZERO, stamp_ns=0):
        """Cancels goals; returns the return code and the IDs of the goals that are being canceled.
        """
        stamp = message_type("builtin_interfaces/msg/Time")(*divmod(stamp_ns, 10**9))
        info = message_type("action_msgs/msg/GoalInfo")(goal_id=uuid(goal_id), stamp=stamp)
        answer = self.canceler.call(goal_info=info)
        assert answer is not None, f"{self.name}: no answer to a cancel request"
        return answer.return_code, [list(goal.goal_id.uuid) for goal in answer.goals_canceling]

    def feedback(self, goal_id):
        """Returns all feedback on a goal so far."""
        self.feedbacks += valid(self._feedback.take(N=10000))
        return [message.feedback for message in self.feedbacks if list(message.goal_id.uuid) == list(goal_id)]

    def status(self):
        """Returns the latest status of each goal, by its ID (bytes)."""
        self.statuses += valid(self._status.take(N=1000))
        newest = self.statuses[-1].status_list if self.statuses else []
        return {bytes(goal.goal_info.goal_id.uuid): goal.status for goal in newest}

    def wait_status(self, goal_id, status, timeout_s=10):
        """Waits until a goal has a status."""
        assert wait_for(lambda: self.status().get(bytes(goal_id)) == status, timeout_s), \
            f"{self.name}: status {self.status().get(bytes(goal_id))}, expected {status}"
