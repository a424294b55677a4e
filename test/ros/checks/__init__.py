"""Checks of end_to_end.py, one module per subject."""

from checks import (arms, arguments, autopilot, controllers, deployment, drive, exteroceptive, flight, garbage, instruments, mavlink, network, pages,
                    parameters, positions, process, profiles, px4, sea, services, simulation, topics, vehicles)

MODULES = [process, arguments, deployment, topics, services, parameters, garbage, drive, controllers, vehicles, autopilot, mavlink, px4, profiles, flight, arms, sea, exteroceptive,
           instruments, positions, network, simulation, pages]
