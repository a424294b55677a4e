"""Nodes with publishers and subscriptions."""

import peer
import rclpy


class Publisher:
    """A DDS writer with the method of rclpy."""

    def __init__(self, writer):
        self.publish = writer.write


class Node:
    """A DDS participant with the methods of rclpy."""

    def __init__(self, name):
        self.name, self.peer, self.subscriptions_ = name, rclpy.participant(), []

    def create_publisher(self, kind, topic, depth):
        return Publisher(self.peer.publisher(topic, kind.type_name, depth=depth))

    def create_subscription(self, kind, topic, callback, depth):
        reader = self.peer.subscriber(topic, kind.type_name, reliable=False, depth=depth)
        self.subscriptions_.append((reader, callback))

    def destroy_node(self):
        """Returns immediately: the DDS participant ends with the process."""

    def deliver(self):
        """Calls the callbacks of all messages that have arrived."""
        for reader, callback in self.subscriptions_:
            for message in peer.valid(reader.take(N=100)):
                callback(message)
