"""Sailing boat of the International 2.4mR class.

Source: params/bodies/sailboat_24mr.yaml and params/fins/*_24mr.yaml (Norlin Mk III: length 4.16 m,
beam 0.805 m, draught 1.0 m, mast 5.0 m, sails 7.5 m2; positions of mast, keel and rudder). Estimated:
lines of the hull, split of the sail area, deck fittings and colours, from photographs of the class.

Frame: the origin of the hull is the origin of the body, in the waterline. The sail and the rudder
are separate meshes whose origins are on their shafts.
"""

import math

from glb import Material, Model
from hulls import boat_section
from materials import ALUMINIUM, BLACK_PLASTIC, DARK_STEEL, GREY_PLASTIC, SOLAR_CELLS, STEEL, WHITE_PAINT
from polygons import extrude
from shapes import Mesh, both_sides, box, cylinder, fin, loft, revolve, rounded, rounded_polygon, sphere, tube

TOPSIDES = Material("topsides", (0.02, 0.06, 0.22), 0.3)
ANTIFOULING = Material("antifouling", (0.32, 0.03, 0.02), 0.8)
DECK = Material("deck", (0.55, 0.55, 0.51), 0.6)
LEAD = Material("keel", (0.12, 0.12, 0.125), 0.6)
SAILCLOTH = Material("sailcloth", (0.70, 0.70, 0.66), 0.9)
BATTEN = Material("batten", (0.25, 0.28, 0.33), 0.9)

MAST_X, MAST_TOP, MAST_RADIUS = 0.45, 4.75, 0.028
SAIL_Z = 1.9
# Half breadth, keel and deck of the hull over x [m].
LINES = [
    (-2.06, 0.120, 0.115, 0.235),
    (-1.98, 0.155, 0.080, 0.238),
    (-1.70, 0.225, 0.010, 0.242),
    (-1.30, 0.300, -0.075, 0.246),
    (-0.80, 0.365, -0.150, 0.250),
    (-0.25, 0.400, -0.195, 0.255),
    (0.30, 0.392, -0.205, 0.264),
    (0.80, 0.340, -0.180, 0.276),
    (1.25, 0.250, -0.120, 0.292),
    (1.65, 0.140, -0.030, 0.308),
    (1.92, 0.055, 0.080, 0.320),
    (2.04, 0.018, 0.170, 0.326),
    (2.09, 0.004, 0.230, 0.328),
]


def lines_at(x):
    """Returns half breadth, keel and deck at x, interpolated."""
    for a, b in zip(LINES, LINES[1:]):
        if a[0] <= x <= b[0]:
            s = (x - a[0]) / (b[0] - a[0])
            return tuple(p + (q - p) * s for p, q in zip(a[1:], b[1:]))
    return LINES[-1][1:]


def hull_below(level, shrink=0.0):
    """Returns the hull with its deck lowered to `level` [m] where it is higher."""
    rings = []
    for x, beam, keel, deck in LINES:
        ring = boat_section(x, max(beam - shrink, 0.002), keel, deck, 0.35, 0.35, 0.02, 9)
        rings.append([(p[0], p[1], min(p[2], level)) for p in ring] if level is not None else ring)
    return loft(rings)


def sail_panel(corners, depth, n=10):
    """Returns a cambered, closed sail with three corners (tack, clew, head), 4 mm thick; `depth` is
    the camber relative to the chord, towards -y."""
    tack, clew, head = corners
    rows = []
    for i in range(n + 1):
        s = i / n
        luff = tuple(a + (b - a) * s for a, b in zip(tack, head))
        roach = 0.14 * math.sin(math.pi * s) * abs(clew[0] - tack[0])
        leech = tuple(a + (b - a) * s for a, b in zip(clew, head))
        leech = (leech[0] - roach, leech[1], leech[2])
        chord = math.hypot(leech[0] - luff[0], leech[1] - luff[1])
        front, back = [], []
        for j in range(n + 1):
            t = j / n
            belly = depth * chord * 4 * t * (1 - t) * (1 - 0.3 * t)
            x, y, z = (a + (b - a) * t for a, b in zip(luff, leech))
            front.append((x, y - belly + 0.002, z))
            back.append((x, y - belly - 0.002, z))
        rows.append(front + list(reversed(back)))
    return loft(rows)


def outer_side(mesh):
    """Returns the mesh with its triangles turned so that its volume is positive."""
    p = mesh.points
    volume = sum(
        p[a][0] * (p[b][1] * p[c][2] - p[b][2] * p[c][1])
        - p[a][1] * (p[b][0] * p[c][2] - p[b][2] * p[c][0])
        + p[a][2] * (p[b][0] * p[c][1] - p[b][1] * p[c][0])
        for a, b, c in mesh.faces
    )
    return mesh if volume > 0.0 else Mesh(mesh.points, [(a, c, b) for a, b, c in mesh.faces])


def keel():
    """Returns the fin keel with its ballast."""
    blade = fin(0.62, 0.52, 0.62, 0.06, 0.12, n=12).scaled(z=-1.0).moved(x=0.24, z=-0.19)
    bulb = loft([[(x, y * 1.0, z) for x, y, z in ring] for ring in bulb_rings()])
    return blade + bulb


def bulb_rings():
    rings = []
    for k in range(13):
        s = k / 12
        r = 0.11 * math.sin(math.pi * (0.02 + 0.96 * s)) ** 0.6
        x = -0.50 + 0.80 * s
        rings.append(
            [
                (x, 0.85 * r * math.cos(a), -0.885 + r * math.sin(a))
                for a in (2 * math.pi * j / 18 for j in range(18))
            ]
        )
    return rings


def rigging(model):
    """Adds mast, rigging, jib and fittings."""
    model.add("mast", ALUMINIUM, tube([(MAST_X, 0, 0.26), (MAST_X, 0, MAST_TOP)], [MAST_RADIUS, 0.018], 16))
    wires = tube([(2.00, 0, 0.33), (MAST_X + 0.02, 0, 3.75)], 0.004, 6)
    wires += tube([(-2.00, 0, 0.25), (MAST_X - 0.01, 0, MAST_TOP - 0.02)], 0.004, 6)
    wires += both_sides(
        tube([(MAST_X - 0.10, 0.36, 0.27), (MAST_X - 0.04, 0.30, 2.10), (MAST_X, 0.01, 3.75)], 0.004, 6)
    )
    model.add("rigging", STEEL, wires)
    spreader = both_sides(tube([(MAST_X, 0.0, 2.12), (MAST_X - 0.04, 0.31, 2.10)], 0.010, 8))
    model.add("spreaders", ALUMINIUM, spreader)
    jib = outer_side(
        sail_panel(((1.88, 0.0, 0.46), (0.58, -0.16, 0.48), (MAST_X + 0.13, 0.0, 3.55)), 0.09, 12)
    )
    model.add("jib", SAILCLOTH, jib)
    model.add(
        "wind_sensor",
        BLACK_PLASTIC,
        cylinder(0.14, 0.035, 18, 0.01).turned(pitch=90.0).moved(x=MAST_X, z=MAST_TOP + 0.06),
    )
    model.add(
        "gnss_antenna",
        WHITE_PAINT,
        revolve([(0.0, 0.045), (0.01, 0.05), (0.04, 0.035), (0.05, 0.01)], 20)
        .turned(pitch=-90.0)
        .moved(x=-1.55, z=0.262),
    )
    bow = sphere(0.035, 14).moved(x=2.03, z=0.34)
    model.add("stem_fitting", DARK_STEEL, bow)
    blocks = both_sides(cylinder(0.05, 0.030, 14, 0.006).turned(pitch=90.0).moved(x=0.25, y=0.28, z=0.295))
    model.add("winches", DARK_STEEL, blocks)


def sailboat():
    """Returns hull, keel and standing rigging."""
    model = Model("2.4mR")
    model.add("hull", TOPSIDES, hull_below(None))
    model.add("bottom", ANTIFOULING, hull_below(0.045, -0.0025))
    deck = loft(
        [
            [
                (x, y, z + 0.004)
                for x, y, z in (
                    (x, -0.985 * b, d - 0.02),
                    (x, 0.985 * b, d - 0.02),
                    (x, 0.985 * b, d),
                    (x, 0.6 * b, d + 0.014),
                    (x, 0.0, d + 0.021),
                    (x, -0.6 * b, d + 0.014),
                    (x, -0.985 * b, d),
                )
            ]
            for x, b, _, d in LINES
        ]
    )
    model.add("deck", DECK, deck)
    stripe = both_sides(tube([(x, b + 0.003, d - 0.004) for x, b, _, d in LINES], 0.008, 8))
    model.add("gunwales", WHITE_PAINT, stripe)
    model.add("keel", LEAD, outer_side(keel()))
    coaming = tube(
        rounded(
            [
                (-0.62, 0.0, 0.315),
                (-0.62, 0.19, 0.315),
                (0.02, 0.21, 0.315),
                (0.16, 0.0, 0.322),
                (0.02, -0.21, 0.315),
                (-0.62, -0.19, 0.315),
            ],
            0.10,
            5,
            closed=True,
        ),
        0.022,
        10,
        closed=True,
    )
    model.add("coaming", WHITE_PAINT, coaming)
    well = extrude(
        rounded_polygon([(-0.60, -0.17), (0.02, -0.19), (0.12, 0.0), (0.02, 0.19), (-0.60, 0.17)], 0.06),
        0.012,
        (),
    ).moved(z=0.283)
    model.add("cockpit", BLACK_PLASTIC, well)
    model.add("electronics_case", GREY_PLASTIC, box((0.34, 0.26, 0.10), 0.03).moved(x=-0.30, z=0.315))
    model.add("solar_panel", SOLAR_CELLS, box((0.80, 0.48, 0.008), 0.003).moved(x=-1.05, z=0.300))
    rigging(model)
    return model


def sailboat_sail():
    """Returns mainsail and boom, along -x at the angle zero of the sheet."""
    model = Model("2.4mR mainsail")
    z0 = 0.62 - SAIL_Z
    boom = tube([(-0.03, 0, z0), (-2.10, 0, z0 + 0.03)], 0.024, 14)
    model.add("boom", ALUMINIUM, boom)
    main = outer_side(
        sail_panel(
            ((-0.035, 0.0, z0 + 0.06), (-2.00, 0.0, z0 + 0.10), (-0.035, 0.0, MAST_TOP - 0.10 - SAIL_Z)),
            0.05,
            22,
        )
    )
    model.add("mainsail", SAILCLOTH, main)
    battens = Mesh()
    for s in (0.25, 0.5, 0.75):
        z = z0 + 0.08 + s * (MAST_TOP - 0.18 - SAIL_Z - z0)
        end = -0.035 - 1.96 * (1 - s) - 0.14 * math.sin(math.pi * s) * 1.96
        battens += box((0.55 * (1 - 0.4 * s), 0.010, 0.030), 0.004).moved(x=end + 0.275 * (1 - 0.4 * s), z=z)
    model.add("battens", BATTEN, battens)
    vang = tube([(-0.04, 0, z0 - 0.26), (-0.55, 0, z0 - 0.01)], 0.010, 8)
    model.add("vang", DARK_STEEL, vang)
    return model


def sailboat_rudder():
    """Returns the rudder with its stock."""
    model = Model("2.4mR rudder")
    blade = fin(0.24, 0.18, 0.46, 0.03, 0.11, n=12).scaled(z=-1.0).moved(x=0.07, z=0.19)
    model.add("rudder", ANTIFOULING, blade)
    stock = cylinder(0.42, 0.014, 14, 0.002).turned(pitch=90.0).moved(z=0.36)
    model.add("stock", STEEL, stock)
    tiller = tube(rounded([(0.0, 0, 0.560), (0.03, 0, 0.585), (0.34, 0, 0.595)], 0.02), 0.010, 10)
    model.add("tiller", DARK_STEEL, tiller)
    return model


MODELS = {"sailboat": sailboat, "sailboat_sail": sailboat_sail, "sailboat_rudder": sailboat_rudder}
