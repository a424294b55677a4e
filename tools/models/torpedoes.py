"""Torpedo-shaped vehicles: REMUS 100, Taipan 300 and the Seawing glider.

Sources: REMUS 100: Prestero 2001 (parameters of the Myring hull, fins and their position, as in
params/bodies/remus100_prestero2001.yaml); length of 1.6 m of params/bodies/remus100_fossen_python.yaml.
Taipan 300: Parodi 2009 (length, diameter) and params/fins/taipan300_*.yaml (fins). Seawing: Zhang
2013 (hull of 2 m x 0.22 m). Estimated: antennas, transducers, wings, propellers and all colours.

Frame: the origins are the origins of the bodies. Fins that turn are separate meshes whose
origin is on the shaft.
"""

import math

from glb import Material, Model
from materials import BLACK_PLASTIC, BRASS, DARK_STEEL, GREY_PLASTIC, LENS, STEEL, WHITE_PAINT, YELLOW_PAINT
from shapes import Mesh, around_x, box, cylinder, fin, revolve, rounded, tube
from thrusters import propeller

ORANGE = Material("orange nose", (0.58, 0.13, 0.01), 0.4)

# Myring hull of the REMUS 100 [Prestero 2001]: length of nose and tail, offsets of their ends,
# exponent and tail angle.
NOSE, TAIL, NOSE_OFFSET, TAIL_OFFSET, EXPONENT, TAIL_ANGLE = 0.191, 0.541, 0.0165, 0.0368, 2.0, 0.4363
REMUS_DIAMETER = 0.191
REMUS_FIN_TIP, REMUS_FIN_CHORD = 0.151, 0.074


def myring(middle, diameter, steps=14):
    """Returns the profile of a Myring hull with a cylinder of the length `middle` [m], from the
    tail to the nose; x = 0 is the nose."""
    nose, tail, out = [], [], []
    for k in range(steps + 1):
        x = NOSE_OFFSET + (NOSE - NOSE_OFFSET) * (1 - math.cos(0.5 * math.pi * k / steps))
        nose.append((NOSE_OFFSET - x, 0.5 * diameter * (1 - ((x - NOSE) / NOSE) ** 2) ** (1 / EXPONENT)))
    t = math.tan(TAIL_ANGLE)
    end = TAIL - TAIL_OFFSET
    for k in range(1, steps + 1):
        s = end * k / steps
        r = (
            0.5 * diameter
            - (1.5 * diameter / TAIL**2 - t / TAIL) * s**2
            + (diameter / TAIL**3 - t / TAIL**2) * s**3
        )
        tail.append((nose[-1][0] - middle - s, r))
    for x, r in [(0.0, 0.0)] + nose + [(nose[-1][0] - middle, 0.5 * diameter)] + tail:
        if not out or x < out[-1][0] - 1e-6 or r != out[-1][1]:
            out.append((x, max(r, 0.0)))
    return list(reversed(out))


def between(profile, low, high):
    """Returns the part of a profile between two x [m]."""

    def at(x):
        for (x0, r0), (x1, r1) in zip(profile, profile[1:]):
            if x0 <= x <= x1:
                return r0 + (r1 - r0) * (x - x0) / ((x1 - x0) or 1.0)
        return 0.0

    return [(low, at(low))] + [p for p in profile if low < p[0] < high] + [(high, at(high))]


def sections(model, profile, cuts, n=40):
    """Adds the hull as parts of (name, material, from, to)."""
    for name, material, low, high in cuts:
        model.add(name, material, revolve(between(profile, low, high), n))


def remus(title, nose_x, middle, stern_x, fin_x):
    """Returns a REMUS 100 whose nose is at `nose_x` and whose tail ends at `stern_x` [m]."""
    model = Model(title)
    profile = [(x + nose_x, r) for x, r in myring(middle, REMUS_DIAMETER)]
    if profile[0][0] > stern_x:
        profile = [(stern_x, 0.020)] + profile
    sections(
        model,
        profile,
        [
            ("tail", YELLOW_PAINT, stern_x, fin_x + 0.28),
            ("hull", YELLOW_PAINT, fin_x + 0.281, nose_x - 0.36),
            ("adcp_section", BLACK_PLASTIC, nose_x - 0.36, nose_x - 0.24),
            ("nose", YELLOW_PAINT, nose_x - 0.24, nose_x - 0.075),
            ("nose_cap", BLACK_PLASTIC, nose_x - 0.075, nose_x),
        ],
    )
    radius = 0.5 * REMUS_DIAMETER
    bands = Mesh()
    for x in (fin_x + 0.28, nose_x - 0.40, 0.5 * (fin_x + 0.28 + nose_x - 0.40)):
        bands += revolve(
            [
                (-0.006, radius - 0.004),
                (-0.004, radius + 0.0012),
                (0.004, radius + 0.0012),
                (0.006, radius - 0.004),
            ],
            40,
        ).moved(x=x)
    model.add("joints", STEEL, bands)
    disc = cylinder(0.006, 0.021, 20, 0.001).turned(pitch=90.0).moved(z=radius)
    eyes = around_x(disc, 4, 45.0).moved(x=nose_x - 0.275) + around_x(disc, 4, 45.0).moved(x=nose_x - 0.330)
    model.add("adcp_transducers", GREY_PLASTIC, eyes)
    mast = fin(0.16, 0.07, 0.115, 0.085, 0.14, n=8).moved(x=0.22, z=radius - 0.012)
    model.add("antenna_mast", BLACK_PLASTIC, mast)
    model.add(
        "antenna_light",
        WHITE_PAINT,
        cylinder(0.05, 0.007, 12, 0.002).turned(pitch=90.0).moved(x=0.10, z=radius + 0.115),
    )
    side_scan = box((0.42, 0.012, 0.022), 0.005).turned(roll=-30.0).moved(y=radius * 0.87, z=-radius * 0.5)
    model.add("side_scan_sonars", BLACK_PLASTIC, side_scan + side_scan.scaled(y=-1.0))
    handle = tube(
        rounded(
            [
                (-0.05, 0, radius - 0.01),
                (-0.05, 0, radius + 0.028),
                (0.05, 0, radius + 0.028),
                (0.05, 0, radius - 0.01),
            ],
            0.02,
        ),
        0.006,
        10,
    )
    model.add("handle", BLACK_PLASTIC, handle.moved(x=-0.12))
    model.add(
        "propeller_propeller",
        BLACK_PLASTIC,
        propeller(0.070, 0.020, 2, 0.16, 0.030, 0.05, 20).moved(x=stern_x - 0.012),
    )
    return model


def fin_pair(title, name, root, tip, inner, outer, material):
    """Returns a model of two opposite fins along z whose shaft is at mid-chord; `inner` and `outer`
    are the distances of root and tip from the axis [m]."""
    model = Model(title)
    one = fin(root, tip, outer - inner, 0.5 * (root - tip), 0.13, n=8).moved(x=0.5 * root, z=inner)
    shaft = cylinder(0.02, 0.006, 12).turned(pitch=90.0).moved(z=inner)
    model.add(name, material, one + shaft + (one + shaft).scaled(z=-1.0))
    return model


def remus100():
    """Returns the vehicle of 1.6 m. The model of its dynamics has the fins at x = -0.8 m, so that
    the tail is drawn 35 mm longer."""
    return remus("REMUS 100", 0.80, 0.955, -0.835, -0.80)


def remus100_prestero():
    """Returns the vehicle of 1.33 m with the origin of Prestero."""
    return remus("REMUS 100 (Prestero)", 0.61, 0.654, -0.717, -0.638)


def remus100_fins():
    return fin_pair("REMUS 100 pair of fins", "fins", 0.085, 0.063, 0.02, REMUS_FIN_TIP, BLACK_PLASTIC)


def remus100_prestero_fins():
    return fin_pair(
        "REMUS 100 pair of fins (Prestero)", "fins", 0.085, 0.063, 0.04, REMUS_FIN_TIP, BLACK_PLASTIC
    )


def taipan300():
    """Returns the Taipan 300 without its fins."""
    length, radius = 1.93, 0.075
    half = 0.5 * length
    nose = [
        (half - 0.12 + x, r)
        for x, r in (
            (0.12 * math.cos(a), radius * math.sin(a)) for a in (math.radians(90 - 6 * k) for k in range(16))
        )
    ]
    tail = [
        (-half + 0.04 + 0.30 * s, 0.022 + (radius - 0.022) * math.sin(0.5 * math.pi * s) ** 0.9)
        for s in (k / 12 for k in range(13))
    ]
    profile = tail + nose
    model = Model("Taipan 300")
    sections(
        model,
        profile,
        [
            ("tail", BLACK_PLASTIC, -half + 0.04, -0.70),
            ("aft_hull", YELLOW_PAINT, -0.70, -0.02),
            ("hull", YELLOW_PAINT, -0.019, 0.54),
            ("bow_section", BLACK_PLASTIC, 0.54, 0.66),
            ("nose", ORANGE, 0.66, half - 0.0001),
        ],
    )
    bands = Mesh()
    for x in (-0.70, -0.02, 0.54, 0.66, -0.40, 0.28):
        bands += revolve(
            [
                (-0.005, radius - 0.003),
                (-0.003, radius + 0.0015),
                (0.003, radius + 0.0015),
                (0.005, radius - 0.003),
            ],
            36,
        ).moved(x=x)
    model.add("joints", DARK_STEEL, bands)
    mast = fin(0.11, 0.055, 0.12, 0.05, 0.16, n=8).moved(x=0.155, z=radius - 0.008)
    model.add("antenna_mast", BLACK_PLASTIC, mast)
    model.add(
        "antenna",
        WHITE_PAINT,
        cylinder(0.03, 0.016, 20, 0.004).turned(pitch=90.0).moved(x=0.078, z=radius + 0.12),
    )
    disc = cylinder(0.008, 0.017, 18, 0.001).turned(pitch=90.0).moved(z=radius - 0.001)
    model.add(
        "dvl_transducers",
        GREY_PLASTIC,
        around_x(disc, 2, 150.0).moved(x=0.23)
        + disc.turned(roll=180.0).moved(x=0.17)
        + disc.turned(roll=180.0).moved(x=0.29),
    )
    model.add("echo_sounder", LENS, cylinder(0.01, 0.02, 20, 0.002).moved(x=half - 0.004))
    model.add(
        "propeller_propeller", BRASS, propeller(0.06, 0.018, 3, 0.14, 0.034, 0.045, 18).moved(x=-half + 0.020)
    )
    guard = revolve([(-0.004, 0.030), (0.0, 0.034), (0.012, 0.036)], 24).moved(x=-half + 0.055)
    model.add("stern_tube", DARK_STEEL, guard)
    return model


def taipan300_stern_fins():
    return fin_pair("Taipan 300 pair of stern fins", "fins", 0.09, 0.07, 0.03, 0.16, BLACK_PLASTIC)


def taipan300_bow_planes():
    return fin_pair("Taipan 300 pair of bow planes", "planes", 0.065, 0.055, 0.07, 0.11, BLACK_PLASTIC)


def seawing():
    """Returns the glider: hull, swept wings, tail fin and antenna."""
    model = Model("Seawing glider")
    half, radius = 1.0, 0.11
    nose = [
        (half - 0.32 + 0.32 * math.sin(a), radius * math.cos(a) ** 0.8)
        for a in (math.radians(6 * k) for k in range(16))
    ]
    tail = [
        (-half + 0.42 * s, 0.016 + (radius - 0.016) * math.sin(0.5 * math.pi * s) ** 0.95)
        for s in (k / 16 for k in range(17))
    ]
    profile = tail + [(x, max(r, 0.0)) for x, r in nose]
    sections(
        model,
        profile,
        [
            ("tail_fairing", YELLOW_PAINT, -half, -0.58),
            ("aft_hull", YELLOW_PAINT, -0.579, 0.02),
            ("fore_hull", YELLOW_PAINT, 0.021, 0.66),
            ("nose", YELLOW_PAINT, 0.661, half - 0.0001),
        ],
    )
    bands = Mesh()
    for x in (-0.58, 0.02, 0.66):
        bands += revolve(
            [
                (-0.006, radius - 0.004),
                (-0.004, radius + 0.001),
                (0.004, radius + 0.001),
                (0.006, radius - 0.004),
            ],
            40,
        ).moved(x=x)
    model.add("joints", BLACK_PLASTIC, bands)
    wing = fin(0.20, 0.09, 0.52, 0.26, 0.09, n=12).turned(roll=-90.0).moved(x=-0.08, y=0.09)
    model.add("wings", ORANGE, wing + wing.scaled(y=-1.0))
    root = box((0.24, 0.02, 0.030), 0.006).moved(x=-0.17, y=0.105)
    model.add("wing_roots", BLACK_PLASTIC, root + root.scaled(y=-1.0))
    tail_fin = fin(0.20, 0.11, 0.26, 0.10, 0.10, n=10).moved(x=-0.70, z=0.03)
    lower = fin(0.16, 0.10, 0.12, 0.06, 0.10, n=10).scaled(z=-1.0).moved(x=-0.74, z=-0.03)
    model.add("tail_fins", ORANGE, tail_fin + lower)
    model.add("antenna", WHITE_PAINT, tube([(-0.96, 0, 0), (-1.62, 0, 0)], [0.013, 0.009], 14))
    model.add(
        "antenna_pod",
        BLACK_PLASTIC,
        revolve([(-0.16, 0.008), (-0.14, 0.022), (-0.02, 0.022), (0.0, 0.008)], 20).moved(x=-1.62),
    )
    ctd = tube(
        rounded([(-0.30, 0, 0.10), (-0.28, 0, 0.145), (-0.08, 0, 0.145), (-0.06, 0, 0.10)], 0.03), 0.012, 12
    )
    model.add("ctd_probe", GREY_PLASTIC, ctd)
    model.add("altimeter", LENS, cylinder(0.02, 0.025, 20, 0.003).turned(pitch=90.0).moved(x=0.74, z=-0.085))
    return model


MODELS = {
    "remus100": remus100,
    "remus100_fins": remus100_fins,
    "remus100_prestero": remus100_prestero,
    "remus100_prestero_fins": remus100_prestero_fins,
    "taipan300": taipan300,
    "taipan300_stern_fins": taipan300_stern_fins,
    "taipan300_bow_planes": taipan300_bow_planes,
    "seawing": seawing,
}
