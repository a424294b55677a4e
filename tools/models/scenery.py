"""Scenery of worlds: a coaster, a quay crane, a floating jetty and racing marks.

Source: none; the dimensions are typical of common types and are estimated.

Frame: ships, jetties and marks have their origin in the waterline, cranes at their foot.
"""

import math

from glb import Material, Model
from hulls import boat_section
from materials import (
    BLACK_PLASTIC,
    CONCRETE,
    DARK_STEEL,
    LAMP_GLASS,
    LENS,
    ORANGE_PAINT,
    RUBBER,
    STEEL,
    TIMBER,
    WHITE_PAINT,
    YELLOW_PAINT,
)
from polygons import extrude
from shapes import (
    TAU,
    Mesh,
    arc,
    both_sides,
    box,
    cylinder,
    loft,
    revolve,
    ring_of,
    rounded,
    rounded_polygon,
    sphere,
    tube,
)

SHIP_HULL = Material("ship hull", (0.03, 0.07, 0.14), 0.6)
SHIP_BOTTOM = Material("ship bottom", (0.20, 0.035, 0.02), 0.8)
SHIP_DECK = Material("ship deck", (0.13, 0.05, 0.03), 0.8)
CRANE_BLUE = Material("crane", (0.05, 0.15, 0.30), 0.6)
CONTAINERS = [
    Material("container red", (0.28, 0.035, 0.02), 0.6),
    Material("container blue", (0.02, 0.08, 0.22), 0.6),
    Material("container green", (0.03, 0.14, 0.06), 0.6),
    Material("container grey", (0.25, 0.26, 0.26), 0.6),
]

SHIP_LENGTH, SHIP_BEAM, SHIP_DRAUGHT, SHIP_DECK_Z = 60.0, 10.0, 3.2, 3.0


def ship_sections(level):
    """Returns the hull of the coaster; with a level it ends there, as the bottom paint does."""
    rings = []
    for k in range(25):
        s = k / 24
        x = -30.0 + SHIP_LENGTH * s
        bow, stern = max(0.0, (s - 0.72) / 0.28), max(0.0, (0.14 - s) / 0.14)
        beam = max(0.5 * SHIP_BEAM * (1 - bow**2.2) * (1 - 0.25 * stern**2), 0.06)
        keel = -SHIP_DRAUGHT + 2.4 * stern**1.5 + 1.0 * bow**4
        deck = SHIP_DECK_Z + 1.6 * max(0.0, (s - 0.80) / 0.20) ** 0.5
        rake = 1.6 * bow**2
        ring = boat_section(x, beam, keel, deck, 0.85, 0.0, 0.05, 8)
        shift = 0.03 if level is not None else 0.0
        out = []
        for _, y, z in ring:
            z = min(z - 0.02, level) if level is not None else z
            out.append((x + rake * (z + SHIP_DRAUGHT) / 7.0, y * (1 + shift / beam), z))
        rings.append(out)
    return loft(rings)


def coaster():
    """Returns a coastal cargo ship of 60 m with containers."""
    model = Model("Coaster of 60 m")
    model.add("hull", SHIP_HULL, ship_sections(None))
    model.add("bottom", SHIP_BOTTOM, ship_sections(0.4))
    model.add("deck", SHIP_DECK, box((42.0, 9.2, 0.2), 0.0).moved(x=-3.0, z=3.12))
    coaming = Mesh()
    for y in (-3.9, 3.9):
        coaming += box((32.0, 0.25, 1.4), 0.05, 1).moved(x=3.0, y=y, z=3.8)
    for x in (-13.0, 3.0, 19.0):
        coaming += box((0.25, 8.0, 1.4), 0.05, 1).moved(x=x, z=3.8)
    model.add("coamings", SHIP_DECK, coaming)
    stacks = [Mesh() for _ in CONTAINERS]
    for i in range(5):
        for j in range(3):
            for level in range(1 + (i * 3 + j * 5) % 3):
                one = box((6.06, 2.44, 2.59), 0.04, 1)
                for rib in range(11):
                    one += box((0.12, 2.50, 2.3), 0.0).moved(x=-2.7 + 0.54 * rib)
                stacks[(i * 2 + j + level * 3) % 4] += one.moved(
                    x=-9.6 + 6.25 * i, y=-2.6 + 2.6 * j, z=4.55 + 2.62 * level
                )
    for material, mesh in zip(CONTAINERS, stacks):
        model.add(material.name.replace(" ", "_") + "s", material, mesh)
    house = box((7.0, 8.6, 2.6), 0.1, 2).moved(x=-22.0, z=4.4)
    for level, (length, width) in enumerate(((6.4, 8.2), (6.0, 7.8), (5.2, 9.6))):
        house += box((length, width, 2.5), 0.1, 2).moved(x=-22.2, z=6.9 + 2.5 * level)
    model.add("superstructure", WHITE_PAINT, house)
    windows = Mesh()
    for k in range(7):
        windows += box((0.06, 0.95, 0.9), 0.02, 1).moved(x=-19.59, y=-3.6 + 1.2 * k, z=12.3)
    for level in range(3):
        for k in range(4):
            windows += both_sides(
                box((0.7, 0.06, 0.7), 0.02, 1).moved(
                    x=-24.0 + 1.3 * k, y=(4.3, 4.1, 3.9)[level], z=4.8 + 2.4 * level
                )
            )
    model.add("windows", LENS, windows)
    funnel = extrude(
        rounded_polygon([(-1.3, -0.9), (1.3, -0.9), (1.3, 0.9), (-1.3, 0.9)], 0.5), 3.6, (), 0.1
    ).moved(x=-26.6, z=9.3)
    model.add("funnel", ORANGE_PAINT, funnel)
    mast = (
        tube([(-22.0, 0, 14.3), (-22.0, 0, 18.5)], 0.14, 10)
        + tube([(-22.0, -1.5, 16.8), (-22.0, 1.5, 16.8)], 0.08, 8)
        + tube([(26.0, 0, 4.5), (26.0, 0, 9.5)], 0.12, 10)
    )
    model.add("masts", YELLOW_PAINT, mast + box((0.3, 2.2, 0.25), 0.05).moved(x=-22.0, z=17.6))
    rails = Mesh()
    for z in (3.7, 4.2):
        rails += tube([(-28.0, 4.55, z), (17.0, 4.75, z)], 0.035, 6)
    for k in range(23):
        rails += tube([(-28.0 + 2.0 * k, 4.6, 3.0), (-28.0 + 2.0 * k, 4.6, 4.2)], 0.03, 5)
    model.add("railings", WHITE_PAINT, both_sides(rails))
    boat = sphere(1.0, 20).scaled(x=2.6, y=0.95, z=0.9).moved(x=-23.5, y=4.9, z=8.4)
    model.add("lifeboats", ORANGE_PAINT, both_sides(boat))
    anchor = both_sides(cylinder(0.6, 0.35, 14).turned(yaw=90.0).moved(x=26.6, y=1.9, z=2.6))
    model.add("anchors", DARK_STEEL, anchor)
    return model


def girder(length, size, bays, bar):
    """Returns a lattice girder along x from the origin."""
    h, out = 0.5 * size, Mesh()
    corners = [(-h, -h), (h, -h), (h, h), (-h, h)]
    for y, z in corners:
        out += tube([(0, y, z), (length, y, z)], bar, 6)
    for k in range(bays):
        a, b = length * k / bays, length * (k + 1) / bays
        for i in range(4):
            p, q = corners[i], corners[(i + 1) % 4]
            if k % 2:
                p, q = q, p
            out += tube([(a + 0.02 + 0.004 * i, *p), (b - 0.02 - 0.004 * i, *q)], 0.6 * bar, 5)
    return out


def quay_crane():
    """Returns a portal slewing crane of 32 m; its jib points along x."""
    model = Model("Quay crane")
    legs = Mesh()
    for x in (-4.5, 4.5):
        for y in (-4.0, 4.0):
            legs += loft(
                [
                    [
                        (x * k + dx, y * k + dy, z)
                        for dx, dy in ((0.45, -0.45), (0.45, 0.45), (-0.45, 0.45), (-0.45, -0.45))
                    ]
                    for k, z in ((1.0, 1.2), (0.55, 9.5))
                ]
            )
        legs += box((0.7, 8.0, 0.8), 0.05, 1).moved(x=x, z=1.6)
    for y in (-4.0, 4.0):
        legs += box((9.0, 0.6, 0.8), 0.05, 1).moved(y=0.78 * y, z=5.0)
    legs += cylinder(1.2, 2.6, 28, 0.1).turned(pitch=90.0).moved(z=9.9)
    model.add("portal", CRANE_BLUE, legs)
    bogies = Mesh()
    for x in (-4.5, 4.5):
        for y in (-4.0, 4.0):
            bogies += box((2.6, 0.5, 0.7), 0.08, 1).moved(x=x, y=y, z=0.85)
            for dx in (-0.9, -0.3, 0.3, 0.9):
                bogies += cylinder(0.2, 0.27, 14).turned(yaw=90.0).moved(x=x + dx, y=y, z=0.32)
    model.add("bogies", DARK_STEEL, bogies)
    house = box((6.0, 3.8, 3.2), 0.2, 2).moved(x=-1.6, z=12.3)
    model.add("machinery_house", YELLOW_PAINT, house + box((1.6, 3.6, 2.0), 0.1, 2).moved(x=-5.0, z=12.0))
    cab = box((1.8, 1.6, 2.2), 0.15, 2).moved(x=2.2, y=-1.9, z=12.6)
    model.add("cab", WHITE_PAINT, cab)
    model.add(
        "cab_windows",
        LENS,
        box((0.06, 1.3, 1.2), 0.02, 1).moved(x=3.10, y=-1.9, z=12.8)
        + box((1.3, 0.06, 1.2), 0.02, 1).moved(x=2.3, y=-2.71, z=12.8),
    )
    tower = girder(11.0, 1.6, 7, 0.14).turned(pitch=-90.0).moved(x=-0.6, z=13.8)
    jib = girder(24.0, 1.3, 16, 0.12).turned(pitch=-38.0).moved(x=1.6, z=13.6)
    model.add("jib", CRANE_BLUE, tower + jib)
    end = (1.6 + 24.0 * math.cos(math.radians(38.0)), 13.6 + 24.0 * math.sin(math.radians(38.0)))
    ropes = Mesh()
    for y in (-0.4, 0.4):
        ropes += tube([(-0.6, y, 24.6), (end[0], y, end[1])], 0.035, 5) + tube(
            [(-0.6, y, 24.5), (-5.2, y, 13.4)], 0.035, 5
        )
        ropes += tube([(end[0], y, end[1]), (end[0], y, 9.0)], 0.03, 5)
    model.add("ropes", BLACK_PLASTIC, ropes)
    hook = box((0.5, 1.2, 1.1), 0.1, 2).moved(x=end[0], z=8.6) + tube(
        rounded([(end[0], 0, 8.2), (end[0], 0, 7.4), (end[0] + 0.5, 0, 7.1), (end[0] + 0.6, 0, 7.6)], 0.3),
        0.12,
        10,
    )
    model.add("hook", YELLOW_PAINT, hook)
    stairs = Mesh()
    for k in range(24):
        stairs += box((0.7, 0.25, 0.05), 0.0).moved(x=-3.2, y=-3.9 + 0.09 * k, z=1.4 + 0.35 * k)
    model.add("stairs", STEEL, stairs)
    return model


def floating_jetty():
    """Returns an element of a floating jetty, 12 m x 2.4 m, without its piles."""
    model = Model("Floating jetty")
    floats = Mesh()
    for x in (-4.5, -1.5, 1.5, 4.5):
        floats += box((2.2, 2.0, 0.7), 0.12, 3).moved(x=x, z=-0.05)
    model.add("floats", CONCRETE, floats)
    frame = (
        both_sides(box((11.9, 0.12, 0.22), 0.02, 1).moved(y=1.14, z=0.40))
        + box((0.12, 2.4, 0.22), 0.02, 1).moved(x=5.94, z=0.40)
        + box((0.12, 2.4, 0.22), 0.02, 1).moved(x=-5.94, z=0.40)
    )
    model.add("frame", STEEL, frame)
    planks = Mesh()
    for k in range(78):
        planks += box((0.14, 2.36, 0.04), 0.005, 1).moved(x=-5.93 + 0.154 * k, z=0.53)
    model.add("planks", TIMBER, planks)
    fenders = both_sides(box((11.6, 0.08, 0.14), 0.03, 2).moved(y=1.24, z=0.42))
    model.add("fenders", RUBBER, fenders)
    cleats = Mesh()
    for x in (-5.0, -1.7, 1.7, 5.0):
        cleats += tube(
            rounded(
                [(x - 0.16, 1.0, 0.66), (x - 0.05, 1.0, 0.63), (x + 0.05, 1.0, 0.63), (x + 0.16, 1.0, 0.66)],
                0.04,
            ),
            0.02,
            8,
        )
        cleats += cylinder(0.1, 0.025, 10).turned(pitch=90.0).moved(x=x, y=1.0, z=0.59)
    model.add("cleats", DARK_STEEL, both_sides(cleats))
    guides = Mesh()
    for x in (-5.0, 5.0):
        guides += (
            ring_of([(-0.08, 0.30), (-0.08, 0.36), (0.08, 0.36), (0.08, 0.30)], 24)
            .turned(pitch=90.0)
            .moved(x=x, y=-1.55, z=0.42)
        )
        guides += box((0.2, 0.2, 0.1), 0.01, 1).moved(x=x, y=-1.22, z=0.42)
    model.add("pile_guides", STEEL, guides)
    posts = both_sides(cylinder(0.9, 0.08, 14, 0.02).turned(pitch=90.0).moved(x=0.0, y=0.95, z=0.98))
    model.add("service_posts", WHITE_PAINT, posts)
    model.add(
        "lights",
        LAMP_GLASS,
        both_sides(cylinder(0.12, 0.07, 14, 0.02).turned(pitch=90.0).moved(y=0.95, z=1.48)),
    )
    return model


def racing_mark(title, material):
    """Returns an inflatable racing mark: a cylinder of 1 m x 1.2 m with a harness."""
    model = Model(title)
    body = revolve(
        [
            (x, r)
            for x, r in [(-0.30, 0.30)]
            + arc((-0.20, 0.40), 0.10, 180, 90, 5)
            + arc((0.80, 0.40), 0.10, 90, 0, 5)
            + [(0.90, 0.30)]
        ],
        40,
    )
    model.add("mark", material, body.turned(pitch=-90.0))
    bands = ring_of([(0.28, 0.499), (0.28, 0.507), (0.52, 0.507), (0.52, 0.499)], 40).turned(pitch=-90.0)
    model.add("band", WHITE_PAINT, bands)
    straps = Mesh()
    for k in range(6):
        path = rounded(
            [(0.28, 0, 0.905), (0.50, 0, 0.86), (0.507, 0, 0.30), (0.50, 0, -0.26), (0.10, 0, -0.45)], 0.06, 4
        )
        straps += tube(path, 0.012, 6).turned(yaw=60.0 * k)
    model.add("harness", BLACK_PLASTIC, straps)
    model.add("ballast", DARK_STEEL, cylinder(0.25, 0.14, 24, 0.03).turned(pitch=90.0).moved(z=-0.52))
    ring = tube(
        [(0.07 * math.cos(a), 0.0, 0.07 * math.sin(a)) for a in (TAU * k / 16 for k in range(16))],
        0.012,
        8,
        closed=True,
    )
    model.add("eyes", STEEL, ring.moved(z=0.95) + ring.moved(z=-0.70))
    return model


def orange_mark():
    return racing_mark("Racing mark, orange", ORANGE_PAINT)


def yellow_mark():
    return racing_mark("Racing mark, yellow", YELLOW_PAINT)


MODELS = {
    "coaster": coaster,
    "quay_crane": quay_crane,
    "floating_jetty": floating_jetty,
    "orange_mark": orange_mark,
    "yellow_mark": yellow_mark,
}
