"""Hulls lofted through cross-sections."""

import math

from shapes import TAU, loft


def section(x, half_width, bottom, top, fullness=2.5, n=28):
    """Returns a closed section at x: a superellipse between `bottom` and `top` [m]. A `fullness` of
    2 is an ellipse, larger values approach a rectangle."""
    center, half = 0.5 * (bottom + top), 0.5 * (top - bottom)
    ring = []
    for k in range(n):
        c, s = math.cos(TAU * k / n), math.sin(TAU * k / n)
        power = 2.0 / fullness
        ring.append(
            (
                x,
                math.copysign(abs(c) ** power, c) * half_width,
                center + math.copysign(abs(s) ** power, s) * half,
            )
        )
    return ring


def hull(stations, n=28):
    """Returns the hull through stations of (x, half width, bottom, top, fullness), by increasing x."""
    return loft([section(*station, n) for station in stations])


def boat_section(x, beam, keel, deck, chine, deadrise=0.55, camber=0.03, n=7):
    """Returns a section of a boat from the keel: a round bilge between the half breadth `beam` at the
    height `deck` and the height `keel`; `chine` (0..1) is the fullness of the bilge, `camber` [m]
    the rise of the deck."""
    side = []
    for k in range(n + 1):
        a = 0.5 * math.pi * k / n
        y = beam * math.sin(a) ** (1.0 - 0.5 * chine)
        z = keel + (deck - keel) * (1.0 - math.cos(a)) ** (1.0 + deadrise)
        side.append((y, z))
    right = [(x, y, z) for y, z in side]
    left = [(x, -y, z) for y, z in reversed(side[1:])]
    return right + [(x, 0.0, deck + camber)] + left
