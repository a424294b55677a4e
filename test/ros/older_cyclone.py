"""Adds the functions that the Python API of Cyclone DDS 0.10 lacks. Imported by peer.py.

ROS 2 Humble and Jazzy ship Cyclone DDS 0.10, older_cyclone.sh runs the checks with it.
"""

import ctypes

from cyclonedds.pub import DataWriter
from cyclonedds.sub import DataReader

MAX_MATCHES = 1024


def matches(function):
    """Returns a method that calls a function of the C library with an entity and an array."""
    call = getattr(ctypes.CDLL("libddsc.so.0debian"), function)
    call.argtypes = [ctypes.c_int32, ctypes.POINTER(ctypes.c_int64), ctypes.c_size_t]

    def method(entity):
        handles = (ctypes.c_int64 * MAX_MATCHES)()
        return list(handles[:max(call(entity._ref, handles, MAX_MATCHES), 0)])

    return method


DataWriter.get_matched_subscriptions = matches("dds_get_matched_subscriptions")
DataReader.get_matched_publications = matches("dds_get_matched_publications")
