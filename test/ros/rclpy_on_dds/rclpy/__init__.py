"""The part of rclpy that the examples of the documentation use, on Cyclone DDS.

It runs their unchanged files on a machine without ROS. Importing it also provides the packages of
messages, such as `geometry_msgs.msg`.
"""

import importlib.abc
import importlib.machinery
import os
import sys
import time

import peer

PERIOD_S = 0.002


class _Messages(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Provides `<package>.msg` with all message types of ROS as attributes."""

    def find_spec(self, name, path, target=None):
        if name.endswith("_msgs") or name.endswith("_msgs.msg"):
            return importlib.machinery.ModuleSpec(name, self, is_package=not name.endswith(".msg"))
        return None

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        package = module.__name__.removesuffix(".msg")
        module.__getattr__ = lambda name: _message_class(f"{package}/msg/{name}", name)


def _message_class(type_name, name):
    """Returns a function that creates a message with zero fields, as the constructors of rclpy do."""
    if name.startswith("__"):
        raise AttributeError(name)

    def create(**fields):
        return _zero(peer.message_type(type_name), fields)

    create.type_name = type_name
    return create


def _zero(kind, fields):
    values = {}
    for field, annotation in kind.__annotations__.items():
        if field in fields:
            values[field] = fields[field]
        elif isinstance(annotation, type) and hasattr(annotation, "__idl__") and annotation.__annotations__:
            values[field] = _zero(annotation, {})
        elif annotation is str:
            values[field] = ""
        else:
            values[field] = 0.0
    return kind(**values)


sys.meta_path.append(_Messages())


def init(args=None):
    """Returns immediately: the DDS participant is created with the node."""


def spin(node):
    """Delivers messages forever."""
    while True:
        node.deliver()
        time.sleep(PERIOD_S)


def try_shutdown():
    """Returns immediately: the DDS participant ends with the process."""


def participant():
    """Returns a participant in the domain of `ROS_DOMAIN_ID`."""
    return peer.Peer(int(os.environ.get("ROS_DOMAIN_ID", "0")))
