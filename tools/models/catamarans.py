"""Catamarans: Otter, WAM-V and Heron.

Sources: Otter: 2.00 m x 1.08 m x 1.065 m (Institute of Marine Research, Norway, report on two
autonomous vehicles, figure 4) and the pontoons of params/bodies/otter_mss.yaml. WAM-V: osrf/vrx,
wamv_base.urdf.xacro (floats, beams, deck) and the positions of params/bodies/wamv.yaml. Heron:
heron/heron, base.xacro (1.35 m x 0.98 m x 0.32 m) and params/bodies/heron.yaml. Estimated: shapes of
bows, frames, boxes, masts and engines, from photographs of the vehicles.

Frame: the origins are the origins of the bodies.
"""

import math

from glb import Material, Model
from hulls import hull
from materials import (
    ALUMINIUM,
    BLACK_ANODISED,
    BLACK_PLASTIC,
    BRASS,
    DARK_STEEL,
    GREY_PLASTIC,
    LAMP_GLASS,
    LENS,
    RUBBER,
    STEEL,
    WHITE_PAINT,
    YELLOW_PAINT,
)
from polygons import extrude
from shapes import (
    Mesh,
    both_sides,
    box,
    cylinder,
    fin,
    rectangle,
    revolve,
    ring_of,
    rounded,
    rounded_polygon,
    sphere,
    tube,
)
from thrusters import propeller

PONTOON_FABRIC = Material("pontoon fabric", (0.52, 0.24, 0.02), 0.8)
PATCH = Material("reinforcement", (0.05, 0.05, 0.055), 0.9)

HULL_Y = 0.395
WAMV_Y, WAMV_Z, WAMV_RADIUS = 1.03, 0.124, 0.213


def antenna_dome(radius, height):
    """Returns a satellite antenna on its foot, upright at the origin."""
    profile = [
        (0.0, 0.35 * radius),
        (0.35 * height, 0.35 * radius),
        (0.36 * height, 0.9 * radius),
        (0.55 * height, radius),
        (0.85 * height, 0.75 * radius),
        (height, 0.3 * radius),
    ]
    return revolve(profile, 24).turned(pitch=-90.0)


def pod(length, radius, z):
    """Returns the lower unit of an outboard drive along x at the height z."""
    h = 0.5 * length
    profile = [
        (-h, 0.45 * radius),
        (-0.6 * h, 0.9 * radius),
        (0.2 * h, radius),
        (0.7 * h, 0.75 * radius),
        (0.95 * h, 0.3 * radius),
        (h, 0.05 * radius),
    ]
    return revolve(profile, 24).moved(z=z)


def otter_equipment(model):
    """Adds mast, antennas, handles, drives and sonar of the Otter."""
    mast = tube([(-0.58, 0, 0.26), (-0.58, 0, 0.74)], 0.022, 14) + tube(
        [(-0.58, -0.18, 0.70), (-0.58, 0.18, 0.70)], 0.014, 12
    )
    mast += tube([(-0.58, 0, 0.60), (-0.36, 0, 0.43)], 0.012, 10)
    model.add("mast", BLACK_ANODISED, mast)
    domes = both_sides(antenna_dome(0.06, 0.06).moved(x=-0.58, y=0.17, z=0.710))
    model.add("gnss_antennas", WHITE_PAINT, domes)
    whips = both_sides(tube([(-0.58, 0.08, 0.70), (-0.58, 0.08, 0.800)], 0.006, 8))
    model.add("radio_antennas", BLACK_PLASTIC, whips)
    model.add("light", LAMP_GLASS, cylinder(0.06, 0.022, 18, 0.006).turned(pitch=90.0).moved(x=-0.58, z=0.77))
    model.add("camera", LENS, sphere(0.045, 18).moved(x=-0.53, z=0.66))
    handles = Mesh()
    for x in (-0.80, 0.70):
        handles += tube(
            rounded(
                [
                    (x - 0.07, HULL_Y, 0.195),
                    (x - 0.07, HULL_Y, 0.235),
                    (x + 0.07, HULL_Y, 0.235),
                    (x + 0.07, HULL_Y, 0.195),
                ],
                0.02,
            ),
            0.009,
            8,
        )
    model.add("handles", BLACK_PLASTIC, both_sides(handles))
    leg = fin(0.10, 0.08, 0.13, 0.01, 0.22, n=8).scaled(z=-1.0).moved(x=-0.83, y=HULL_Y, z=-0.14)
    drive = pod(0.24, 0.036, -0.262).moved(x=-0.86, y=HULL_Y)
    model.add("drives", BLACK_PLASTIC, both_sides(leg + drive))
    turning = propeller(0.065, 0.022, 2, 0.12, 0.035, 0.04, 16)
    for name, y, hand in (("port", HULL_Y, 1.0), ("starboard", -HULL_Y, -1.0)):
        model.add(f"propeller_{name}", WHITE_PAINT, turning.scaled(y=hand), (-0.995, y, -0.262))
    sonar = box((0.18, 0.14, 0.06), 0.015).moved(x=0.22, z=-0.10) + tube(
        [(0.22, 0, -0.08), (0.22, 0, 0.262)], 0.02, 12
    )
    model.add("sonar_pole", DARK_STEEL, sonar)


def otter():
    """Returns the Otter."""
    model = Model("Otter")
    stations = [
        (-1.00, 0.060, -0.02, 0.170, 3.0),
        (-0.99, 0.095, -0.10, 0.190, 3.5),
        (-0.93, 0.118, -0.165, 0.200, 4.0),
        (-0.60, 0.125, -0.195, 0.200, 4.0),
        (0.20, 0.125, -0.200, 0.200, 4.0),
        (0.55, 0.120, -0.190, 0.200, 3.6),
        (0.78, 0.102, -0.150, 0.200, 3.0),
        (0.92, 0.066, -0.070, 0.196, 2.6),
        (0.98, 0.032, 0.020, 0.186, 2.3),
        (1.00, 0.010, 0.080, 0.160, 2.0),
    ]
    model.add("pontoons", YELLOW_PAINT, both_sides(hull(stations, 36).moved(y=HULL_Y)))
    rail = box((1.50, 0.10, 0.02), 0.008).moved(x=-0.08, y=HULL_Y, z=0.207)
    model.add("pontoon_pads", RUBBER, both_sides(rail))
    frame = Mesh()
    for x in (-0.62, -0.05, 0.50):
        frame += tube(
            rounded([(x, -HULL_Y, 0.21), (x, -HULL_Y, 0.262), (x, HULL_Y, 0.262), (x, HULL_Y, 0.21)], 0.05),
            0.022,
            12,
        )
    frame += both_sides(
        tube([(-0.72, 0.26, 0.262), (0.62, 0.26, 0.262)], 0.020, 12)
        + tube([(-0.72, HULL_Y, 0.235), (0.62, HULL_Y, 0.235)], 0.018, 12)
    )
    model.add("frame", ALUMINIUM, frame)
    case = box((0.56, 0.40, 0.18), 0.03, 3).moved(x=-0.32, z=0.345)
    lid = box((0.57, 0.41, 0.03), 0.012, 2).moved(x=-0.32, z=0.425)
    model.add("electronics_case", GREY_PLASTIC, case)
    model.add("electronics_lid", YELLOW_PAINT, lid)
    batteries = both_sides(box((0.42, 0.17, 0.16), 0.02, 2).moved(x=0.26, y=0.125, z=0.345))
    model.add("batteries", BLACK_PLASTIC, batteries)
    otter_equipment(model)
    return model


def wamv_leg(points, radius):
    return tube(rounded(points, 0.12), radius, 14)


def wamv_deck(model, top):
    """Adds deck, batteries, engine brackets and antennas of the WAM-V; `top` is the height of the pontoons [m]."""
    holes = [
        rectangle(x - 0.16, y - 0.15, x + 0.16, y + 0.15, 0.05)
        for x in (-0.65, -0.22, 0.22, 0.65)
        for y in (-0.30, 0.30)
    ]
    deck_frame = extrude(rectangle(-0.925, -0.60, 0.925, 0.60, 0.06), 0.05, holes, 0.005).moved(z=1.155)
    model.add("deck_frame", ALUMINIUM, deck_frame)
    model.add(
        "deck",
        BLACK_ANODISED,
        extrude(rectangle(-0.90, -0.575, 0.90, 0.575, 0.05), 0.044, (), 0.004).moved(z=1.2055),
    )
    trays = both_sides(box((0.62, 0.34, 0.26), 0.03, 3).moved(x=-0.10, y=0.24, z=1.02))
    model.add("battery_cases", GREY_PLASTIC, trays)
    straps = Mesh()
    for x in (-0.28, 0.08):
        straps += box((0.05, 0.35, 0.27), 0.012).moved(x=x, y=0.24, z=1.02)
    model.add("straps", BLACK_PLASTIC, both_sides(straps))
    pods = both_sides(
        box((0.36, 0.22, 0.10), 0.03).moved(x=-2.30, y=WAMV_Y, z=top + 0.03)
        + tube([(-2.30, WAMV_Y, top + 0.05), (-2.60, WAMV_Y - 0.01, top + 0.10)], 0.035, 14)
    )
    model.add("engine_brackets", ALUMINIUM, pods)
    model.add("gnss_antenna", WHITE_PAINT, antenna_dome(0.07, 0.07).moved(x=-0.84, z=1.248))
    masts = both_sides(tube([(-0.86, 0.50, 1.24), (-0.86, 0.50, 1.85)], 0.012, 10))
    model.add("masts", BLACK_PLASTIC, masts)
    lights = cylinder(0.06, 0.024, 18, 0.006).turned(pitch=90.0).moved(x=-0.86, y=0.50, z=1.87)
    model.add("lights", LAMP_GLASS, both_sides(lights))


def wamv():
    """Returns the WAM-V without its engines."""
    model = Model("WAM-V")
    r = WAMV_RADIUS
    stations = [(-2.45, 0.02, WAMV_Z - 0.02, WAMV_Z + 0.02, 2.0)]
    for x, k, rise in (
        (-2.44, 0.45, 0.0),
        (-2.40, 0.72, 0.0),
        (-2.30, 0.93, 0.0),
        (-2.10, 1.0, 0.0),
        (1.10, 1.0, 0.0),
        (1.45, 0.96, 0.03),
        (1.80, 0.83, 0.11),
        (2.10, 0.66, 0.21),
        (2.32, 0.48, 0.30),
        (2.44, 0.28, 0.365),
        (2.48, 0.06, 0.39),
    ):
        stations.append((x, r * k, WAMV_Z + rise - r * k, WAMV_Z + rise + r * k, 2.0))
    model.add("pontoons", PONTOON_FABRIC, both_sides(hull(stations, 36).moved(y=WAMV_Y)))
    bands = Mesh()
    for x in (-1.95, -0.75, 0.60, 1.05):
        bands += revolve(
            [(-0.10, r - 0.004), (-0.098, r + 0.003), (0.098, r + 0.003), (0.10, r - 0.004)], 36
        ).moved(x=x, y=WAMV_Y, z=WAMV_Z)
    model.add("reinforcements", PATCH, both_sides(bands))
    ski = extrude(rectangle(-2.30, -0.075, 1.15, 0.075, 0.06), 0.045, (), 0.008).moved(
        y=WAMV_Y, z=WAMV_Z + r - 0.012
    )
    model.add("skis", ALUMINIUM, both_sides(ski))
    top = WAMV_Z + r
    blocks = Mesh()
    for x in (0.62, -0.78):
        blocks += box((0.34, 0.13, 0.10), 0.02).moved(x=x, y=WAMV_Y, z=top + 0.075)
    model.add("joints", BLACK_PLASTIC, both_sides(blocks))
    front = both_sides(
        wamv_leg(
            [(0.62, WAMV_Y, top + 0.10), (0.88, 0.99, 0.82), (0.90, 0.68, 1.17), (0.86, 0.30, 1.20)], 0.038
        )
    )
    front += both_sides(wamv_leg([(0.90, 0.66, 1.16), (0.55, 0.50, 1.19)], 0.028))
    rear = both_sides(
        wamv_leg(
            [(-0.72, 1.00, top + 0.08), (-0.62, 0.97, 0.82), (-0.55, 0.68, 1.16), (-0.54, 0.40, 1.19)], 0.030
        )
    )
    rear += both_sides(
        wamv_leg(
            [(-0.84, 1.00, top + 0.08), (-0.80, 0.98, 0.82), (-0.82, 0.68, 1.17), (-0.82, 0.40, 1.19)], 0.030
        )
    )
    model.add("legs", ALUMINIUM, front + rear)
    coil = [(0.045 * math.cos(0.7 * k), 0.045 * math.sin(0.7 * k), 0.26 * k / 44) for k in range(45)]
    springs = tube(coil, 0.009, 6).moved(x=-0.78, y=WAMV_Y - 0.02, z=top + 0.12)
    damper = tube([(-0.78, WAMV_Y - 0.02, top + 0.08), (-0.78, WAMV_Y - 0.02, top + 0.42)], 0.018, 10)
    model.add("suspension", DARK_STEEL, both_sides(springs + damper))
    wamv_deck(model, top)
    return model


def wamv_engine():
    """Returns one engine; its origin is on the azimuth axis at the height of the propeller shaft."""
    model = Model("WAM-V engine")
    z = 0.0
    cowl = hull(
        [
            (-0.16, 0.02, 0.60, 0.72, 2.4),
            (-0.14, 0.085, 0.56, 0.80, 3.0),
            (-0.04, 0.105, 0.55, 0.86, 3.2),
            (0.10, 0.10, 0.55, 0.86, 3.2),
            (0.17, 0.075, 0.57, 0.82, 3.0),
            (0.19, 0.02, 0.62, 0.74, 2.4),
        ],
        24,
    )
    model.add("cowl", BLACK_PLASTIC, cowl)
    stripe = box((0.22, 0.214, 0.035), 0.012).moved(x=0.03, z=0.66)
    model.add("stripe", WHITE_PAINT, stripe)
    leg = fin(0.17, 0.13, 0.58, 0.03, 0.30, n=12).scaled(z=-1.0).moved(x=0.085, z=0.58)
    plate_ = box((0.26, 0.15, 0.012), 0.005).moved(x=-0.06, z=0.13)
    skeg = fin(0.12, 0.05, 0.14, 0.05, 0.10, n=8).scaled(z=-1.0).moved(x=0.04, z=-0.03)
    model.add("leg", GREY_PLASTIC, leg + plate_ + pod(0.36, 0.055, z) + skeg)
    tiller = tube(rounded([(0.12, 0, 0.68), (0.30, 0, 0.70), (0.36, 0, 0.64)], 0.05), 0.014, 10)
    model.add("clamp", ALUMINIUM, box((0.10, 0.20, 0.16), 0.015).moved(x=0.12, z=0.46) + tiller)
    model.add("propeller", BRASS, propeller(0.125, 0.040, 3, 0.20, 0.08, 0.08, 18).moved(x=-0.20))
    return model


def heron_equipment(model):
    """Adds rails, antennas, camera and jets of the Heron."""
    rails = both_sides(
        tube(
            rounded(
                [(-0.30, 0.18, 0.18), (-0.30, 0.18, 0.235), (0.16, 0.18, 0.235), (0.16, 0.18, 0.18)], 0.03
            ),
            0.009,
            10,
        )
    )
    model.add("payload_rails", ALUMINIUM, rails)
    model.add("gnss_antenna", WHITE_PAINT, antenna_dome(0.045, 0.05).moved(x=-0.20, z=0.205))
    model.add(
        "radio_antennas",
        BLACK_PLASTIC,
        both_sides(tube([(-0.31, 0.09, 0.17), (-0.31, 0.09, 0.42)], 0.006, 8)),
    )
    model.add(
        "camera",
        LENS,
        cylinder(0.05, 0.022, 18, 0.004).moved(x=0.32, z=0.215)
        + box((0.05, 0.07, 0.05), 0.01).moved(x=0.29, z=0.21),
    )
    duct = ring_of([(-0.07, 0.046), (-0.07, 0.054), (0.05, 0.058), (0.06, 0.055), (0.06, 0.050)], 24)
    drives = duct.moved(x=-0.56, y=0.377654, z=-0.13) + fin(0.14, 0.12, 0.05, 0.0, 0.3, n=6).moved(
        x=-0.50, y=0.377654, z=-0.09
    )
    model.add("jets", BLACK_PLASTIC, both_sides(drives))
    turning = propeller(0.045, 0.016, 3, 0.09, 0.026, 0.05, 14)
    for name, y, hand in (("port", 0.377654, 1.0), ("starboard", -0.377654, -1.0)):
        model.add(f"propeller_{name}", STEEL, turning.scaled(y=hand), (-0.57, y, -0.13))


def heron():
    """Returns the Heron."""
    model = Model("Heron")
    stations = [
        (-0.675, 0.050, -0.060, 0.060, 3.0),
        (-0.668, 0.078, -0.100, 0.080, 3.6),
        (-0.63, 0.092, -0.118, 0.090, 4.0),
        (-0.30, 0.098, -0.125, 0.100, 4.0),
        (0.10, 0.098, -0.125, 0.112, 3.6),
        (0.36, 0.086, -0.110, 0.120, 3.0),
        (0.53, 0.058, -0.060, 0.124, 2.6),
        (0.63, 0.026, 0.020, 0.125, 2.3),
        (0.675, 0.006, 0.085, 0.122, 2.0),
    ]
    model.add("pontoons", YELLOW_PAINT, both_sides(hull(stations, 36).moved(y=0.40)))
    strips = box((0.92, 0.10, 0.012), 0.005).moved(x=-0.14, y=0.40, z=0.104)
    model.add("pontoon_decks", BLACK_PLASTIC, both_sides(strips))
    arms = Mesh()
    for x in (-0.22, 0.20):
        arms += tube(
            rounded([(x, -0.40, 0.10), (x, -0.33, 0.150), (x, 0.33, 0.150), (x, 0.40, 0.10)], 0.05), 0.020, 12
        )
    model.add("arms", ALUMINIUM, arms)
    bay = hull(
        [
            (-0.355, 0.14, 0.115, 0.175, 4.0),
            (-0.345, 0.20, 0.105, 0.190, 4.0),
            (-0.20, 0.215, 0.100, 0.200, 4.5),
            (0.20, 0.215, 0.100, 0.200, 4.5),
            (0.315, 0.17, 0.108, 0.188, 4.0),
            (0.345, 0.10, 0.120, 0.165, 3.5),
        ],
        32,
    )
    model.add("electronics_bay", BLACK_PLASTIC, bay)
    model.add(
        "lid",
        YELLOW_PAINT,
        extrude(
            rounded_polygon(
                [(-0.26, -0.15), (0.20, -0.15), (0.26, -0.09), (0.26, 0.09), (0.20, 0.15), (-0.26, 0.15)],
                0.03,
            ),
            0.014,
            (),
            0.004,
        ).moved(z=0.194),
    )
    heron_equipment(model)
    return model


MODELS = {"otter": otter, "wamv": wamv, "wamv_engine": wamv_engine, "heron": heron}
