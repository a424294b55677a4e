"""Ducted thrusters and propellers along x: the thrust pushes the vehicle towards +x."""

import math

from materials import ALUMINIUM, BLACK_ANODISED, BLACK_PLASTIC
from shapes import around_x, arc, blade, cross, fin, revolve, ring_of, unit

# Blue Robotics T200, technical drawing of the manufacturer (unverified, no copy available):
# propeller 76 mm, nozzle 100 mm, length 113 mm.
T200_PROPELLER_RADIUS = 0.038
T200_DUCT_RADIUS = 0.0485


def axes(direction):
    """Returns the rows of the rotation that turns x to `direction`."""
    x = unit(direction)
    side = (0.0, 1.0, 0.0) if abs(x[2]) > 0.9 else unit(cross((0.0, 0.0, 1.0), x))
    y = unit(tuple(s - sum(a * b for a, b in zip(side, x)) * c for s, c in zip(side, x)))
    z = cross(x, y)
    return tuple((x[k], y[k], z[k]) for k in range(3))


def nozzle(radius, length, thickness, n=20):
    """Returns a duct whose inlet lip is at +x; `radius` is the outer one."""
    inner, h = radius - thickness, 0.5 * length
    lip = arc((h - 0.5 * thickness, radius - 0.5 * thickness), 0.5 * thickness, 90, -90, 3)
    tail = [(-h, inner + 0.15 * thickness), (-h, inner + 0.45 * thickness)]
    outer = [(-0.3 * h, radius - 0.15 * thickness)]
    inside = [(0.1 * h, inner)]
    return ring_of(outer + lip + inside + tail, n)


def propeller(radius, hub, blades, pitch, chord, hub_length, n=12):
    """Returns a right-handed propeller with its hub."""
    nose = [
        (-0.5 * hub_length, 0.85 * hub),
        (-0.45 * hub_length, hub),
        (0.2 * hub_length, hub),
        (0.4 * hub_length, 0.75 * hub),
        (0.5 * hub_length, 0.35 * hub),
    ]
    one = blade(0.8 * hub, radius, (0.75 * chord, chord, 0.55 * chord), pitch, thickness=0.14, camber=0.1)
    return revolve(nose, n) + around_x(one, blades)


def t200():
    """Returns the surfaces of the fixed parts of a T200, and its right-handed propeller."""
    duct = nozzle(T200_DUCT_RADIUS, 0.052, 0.0095)
    core = revolve([(-0.062, 0.004), (-0.058, 0.011), (-0.045, 0.018), (-0.012, 0.0205), (-0.010, 0.018)], 14)
    strut = fin(0.026, 0.022, 0.026, 0.002, 0.16, n=3).moved(x=-0.004, z=0.015)
    struts = around_x(strut, 4, start=45.0)
    turning = propeller(T200_PROPELLER_RADIUS, 0.0195, 3, 0.06, 0.024, 0.028).moved(x=0.006)
    return [(BLACK_PLASTIC, duct + struts), (BLACK_ANODISED, core)], turning


def add_thrusters(model, thrusters, fixed, turning, material=ALUMINIUM):
    """Adds thrusters of (name, position [m], direction, handedness) as the parts `thruster_<name>`
    and `propeller_<name>`."""
    hands = {"right": turning, "left": turning.scaled(y=-1.0)}
    for name, position, direction, rotation in thrusters:
        turn = axes(direction)
        model.add_group(f"thruster_{name}", fixed, position, turn)
        model.add(f"propeller_{name}", material, hands[rotation], position, turn)


def diagonal(x, y):
    """Returns the horizontal direction with these signs."""
    return (math.copysign(math.sqrt(0.5), x), math.copysign(math.sqrt(0.5), y), 0.0)
