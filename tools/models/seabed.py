"""Objects on the seabed: a pipeline and an outcrop of rock.

Source: none; the dimensions are estimated.

Frame: the origins are on the seabed.
"""

import math

from glb import Material, Model
from materials import BLACK_PLASTIC, CONCRETE, YELLOW_PAINT
from shapes import TAU, Mesh, both_sides, box, revolve, ring_of, sphere, tube

PIPE_COATING = Material("pipe coating", (0.10, 0.10, 0.095), 0.8)
ANODE = Material("anode", (0.35, 0.36, 0.35), 0.6)
ROCK = Material("rock", (0.13, 0.12, 0.10), 0.95)
CORAL = Material("coral", (0.30, 0.10, 0.07), 0.9)
SPONGE = Material("sponge", (0.34, 0.22, 0.05), 0.9)


def pipeline():
    """Returns 24 m of a pipeline of 0.6 m along x, with field joints, anodes and supports; the
    origin is on the seabed below its centre."""
    model = Model("Pipeline element")
    r, z = 0.30, 0.42
    model.add("pipe", PIPE_COATING, revolve([(-12.0, r), (12.0, r)], 40).moved(z=z))
    joints = Mesh()
    for x in (-11.9, -6.0, 0.0, 6.0, 11.9):
        joints += revolve(
            [(-0.25, r - 0.01), (-0.22, r + 0.025), (0.22, r + 0.025), (0.25, r - 0.01)], 40
        ).moved(x=x, z=z)
    model.add("field_joints", BLACK_PLASTIC, joints)
    anodes = Mesh()
    for x in (-9.0, -3.0, 3.0, 9.0):
        anodes += ring_of(
            [(-0.30, r - 0.01), (-0.26, r + 0.05), (0.26, r + 0.05), (0.30, r - 0.01)], 36
        ).moved(x=x, z=z)
    model.add("anodes", ANODE, anodes)
    mats = Mesh()
    for x in (-10.0, 0.0, 10.0):
        for i in range(5):
            for j in range(7):
                if abs(j - 3) > 0:
                    mats += box((0.36, 0.40, 0.16), 0.04, 1).moved(
                        x=x - 0.8 + 0.4 * i, y=-1.32 + 0.44 * j, z=0.07
                    )
        mats += both_sides(box((1.9, 0.22, 0.26), 0.05, 1).moved(x=x, y=0.30, z=0.12))
    model.add("mattresses", CONCRETE, mats)
    marker = both_sides(box((0.5, 0.012, 0.30), 0.002, 1).moved(x=5.0, y=0.306, z=z))
    model.add("kilometre_marks", YELLOW_PAINT, marker)
    return model


def value(seed, i, j, k):
    """Returns a repeatable number in -1..1 for a lattice point."""
    n = (seed * 374761393 + i * 668265263 + j * 2147483647 + k * 1274126177) & 0xFFFFFFFF
    n = ((n ^ (n >> 13)) * 1274126177) & 0xFFFFFFFF
    return ((n ^ (n >> 16)) & 0xFFFF) / 32767.5 - 1.0


def noise(seed, p):
    """Returns smooth noise at a point, interpolated between lattice points 1 apart."""
    base = [math.floor(c) for c in p]
    f = [c - b for c, b in zip(p, base)]
    s = [t * t * (3 - 2 * t) for t in f]
    total = 0.0
    for corner in range(8):
        bits = [(corner >> b) & 1 for b in range(3)]
        weight = 1.0
        for b, t in zip(bits, s):
            weight *= t if b else 1.0 - t
        total += weight * value(seed, *(c + b for c, b in zip(base, bits)))
    return total


def boulder(seed, size, n=28):
    """Returns a rock of about `size` [m] along x, y, z on the seabed."""

    def shape(p):
        k = 1.0
        for octave, (scale, height) in enumerate(((1.3, 0.30), (2.9, 0.14), (6.1, 0.06))):
            k += height * noise(seed + octave, tuple(c * scale + 7.3 for c in p))
        return tuple(c * k * 0.5 * s for c, s in zip(p, size))

    return sphere(1.0, n).turned(pitch=90.0).bent(shape)


def reef():
    """Returns an outcrop of rock with corals and sponges, 8 m wide; the origin is on the seabed."""
    model = Model("Reef")
    rocks = Mesh()
    places = [
        (0.0, 0.0, 4.2, 3.4, 3.0),
        (2.3, 1.2, 2.6, 2.2, 1.9),
        (-2.1, 1.5, 2.4, 2.8, 2.2),
        (1.2, -2.0, 2.8, 2.0, 1.6),
        (-2.4, -1.4, 2.2, 2.0, 1.4),
        (3.4, -0.9, 1.4, 1.3, 1.0),
        (-0.4, 2.7, 1.5, 1.4, 1.1),
    ]
    for k, (x, y, a, b, c) in enumerate(places):
        rocks += boulder(11 + 5 * k, (a, b, c), 32).moved(x=x, y=y, z=0.22 * c)
    model.add("rocks", ROCK, rocks)
    corals = Mesh()
    for k in range(16):
        angle, r = 2.4 * k, 0.5 + 0.17 * k
        x, y = r * math.cos(angle), r * math.sin(angle)
        z = 1.45 - 0.09 * k
        for branch in range(6):
            a, tilt = TAU * branch / 6 + k, 0.25 + 0.25 * ((branch * 7 + k) % 3)
            tip = (x + 0.30 * tilt * math.cos(a), y + 0.30 * tilt * math.sin(a), z + 0.42 - 0.15 * tilt)
            corals += tube(
                [
                    (x + 0.02 * math.cos(a), y + 0.02 * math.sin(a), z - 0.4),
                    (0.5 * (x + tip[0]), 0.5 * (y + tip[1]), z + 0.18),
                    tip,
                ],
                [0.045, 0.035, 0.018],
                6,
            )
    model.add("corals", CORAL, corals)
    sponges = Mesh()
    for k in range(9):
        angle, r = 1.1 + 0.7 * k, 1.0 + 0.22 * k
        barrel = ring_of(
            [(0.0, 0.05), (0.0, 0.12), (0.16, 0.17), (0.34, 0.15), (0.34, 0.11), (0.10, 0.07)], 16
        ).turned(pitch=-90.0)
        sponges += barrel.moved(x=r * math.cos(angle), y=r * math.sin(angle), z=1.15 - 0.13 * k)
    model.add("sponges", SPONGE, sponges)
    return model


MODELS = {"pipeline": pipeline, "reef": reef}
