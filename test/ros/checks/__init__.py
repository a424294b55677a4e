"""Checks of end_to_end.py, one module per subject."""

from checks import computers, modems
from checks.node import parameters, profiles, services, simulation, topics
from checks.program import arguments, attacks, deployment, extremes, garbage, network, pages, process, view
from checks.sensors import exteroceptive, instruments, positions, sea
from checks.vehicles import arms, autopilot, controllers, drive, flight, mavlink, px4, vehicles

MODULES = [process, arguments, attacks, deployment, extremes, topics, services, parameters, garbage, drive, controllers, vehicles,
           autopilot, mavlink, px4, profiles, flight, arms, sea, exteroceptive, instruments, positions, network,
           simulation, modems, computers, view, pages]
