"""Exceptions of executors."""


class ExternalShutdownException(Exception):
    """The context was shut down while a node was served. rclpy raises it after SIGTERM; this package never does."""
