"""Blue Robotics BlueROV2 and BlueROV2 Heavy.

Source: outer dimensions 457 x 338 x 254 mm and, for the Heavy, 457 x 575 x 254 mm, as in
params/bodies; positions of the thrusters as in params/robots. Tubes of the enclosures: outer
diameters of 114 mm (4 inch series) and 89 mm (3 inch series), Blue Robotics (unverified, no copy
available). Estimated: all other dimensions, from photographs of the vehicle.

Frame: the origin is the centre of the outer dimensions.
"""

from glb import Material, Model
from materials import ALUMINIUM, BLACK_ANODISED, BLACK_PLASTIC, GLASS, GREY_PLASTIC, LAMP_GLASS, LENS
from polygons import extrude, plate
from shapes import (
    Mesh,
    around_x,
    arc,
    both_sides,
    box,
    circle,
    cylinder,
    loft,
    rectangle,
    revolve,
    rounded,
    rounded_polygon,
    tube,
)
from thrusters import T200_DUCT_RADIUS, add_thrusters, diagonal, t200

LENGTH, WIDTH, HEIGHT = 0.457, 0.338, 0.254
HEAVY_WIDTH = 0.575
PANEL = 0.0095

FAIRING = Material("blue fairing", (0.006, 0.060, 0.21), 0.4)
FOAM = Material("buoyancy foam", (0.36, 0.33, 0.25), 0.9)
PROPELLER = Material("propeller", (0.10, 0.105, 0.115), 0.5)
TETHER = Material("tether", (0.80, 0.55, 0.03), 0.7)

ELECTRONICS_RADIUS, ELECTRONICS_Z = 0.057, 0.048
BATTERY_RADIUS, BATTERY_Z = 0.0445, -0.066

UP = (0.0, 0.0, 1.0)
THRUSTERS = [
    ("t1", (0.14, -0.092, -0.06), diagonal(1, 1), "left"),
    ("t2", (0.14, 0.092, -0.06), diagonal(1, -1), "right"),
    ("t3", (-0.15, -0.092, -0.06), diagonal(1, -1), "right"),
    ("t4", (-0.15, 0.092, -0.06), diagonal(1, 1), "left"),
    ("t5", (0.0, -0.109, 0.017), UP, "left"),
    ("t6", (0.0, 0.109, 0.017), UP, "right"),
]
HEAVY_THRUSTERS = [
    ("t1", (0.156, -0.111, -0.085), diagonal(1, 1), "left"),
    ("t2", (0.1566, 0.1101, -0.085), diagonal(1, -1), "right"),
    ("t3", (-0.1566, -0.1102, -0.085), diagonal(-1, 1), "right"),
    ("t4", (-0.156, 0.111, -0.085), diagonal(-1, -1), "left"),
    ("t5", (0.12, -0.218, 0.0), UP, "left"),
    ("t6", (0.121, 0.2172, 0.0), UP, "right"),
    ("t7", (-0.1208, -0.2175, 0.0), UP, "right"),
    ("t8", (-0.12, 0.218, 0.0), UP, "left"),
]


def side_panels():
    """Returns the two side panels with their windows."""
    h, l = 0.5 * HEIGHT, 0.5 * LENGTH
    outline = rounded_polygon(
        [(-l, -h), (l, -h), (l, -0.02), (0.195, 0.085), (-0.195, 0.085), (-l, -0.02)], 0.018
    )
    window = rounded_polygon(
        [(0.055, -0.098), (0.195, -0.098), (0.195, -0.02), (0.165, -0.008), (0.055, -0.008)], 0.014
    )
    slot = rectangle(-0.030, -0.098, 0.030, -0.045, 0.012)
    upper = rounded_polygon([(0.075, 0.018), (0.185, 0.018), (0.165, 0.062), (0.075, 0.062)], 0.010)
    mirrored = [[(-x, z) for x, z in p] for p in (window, upper)]
    panel = plate(outline, PANEL, [window, slot, upper] + mirrored, bevel=0.0015)
    return both_sides(panel.moved(y=0.5 * (WIDTH - PANEL)))


def base_panel():
    """Returns the perforated bottom panel and the two skids."""
    inner = 0.5 * WIDTH - PANEL
    holes = [
        rectangle(x - 0.012, y - 0.03, x + 0.012, y + 0.03, 0.008)
        for x in (-0.06, 0.0, 0.06)
        for y in (-0.09, 0.0, 0.09)
    ]
    floor = extrude(rectangle(-0.10, -inner, 0.10, inner, 0.004), 0.006, holes).moved(z=-0.121)
    bars = [tube([(x, -inner, z), (x, inner, z)], 0.006, 10) for x, z in ((0.205, -0.112), (-0.205, -0.112))]
    return floor + bars[0] + bars[1]


def cradles():
    """Returns the cross members that carry both enclosures."""
    inner = 0.5 * WIDTH - PANEL
    outline = rounded_polygon(
        [
            (-inner, -0.118),
            (inner, -0.118),
            (inner, -0.02),
            (0.075, 0.0),
            (0.075, 0.112),
            (-0.075, 0.112),
            (-0.075, 0.0),
            (-inner, -0.02),
        ],
        0.01,
    )
    holes = [
        circle((0, ELECTRONICS_Z), ELECTRONICS_RADIUS + 0.001, 36),
        circle((0, BATTERY_Z), BATTERY_RADIUS + 0.001, 32),
    ]
    holes += [circle((y, -0.075), 0.025, 20) for y in (-0.105, 0.105)]
    one = extrude(outline, 0.008, holes).turned(roll=90.0, yaw=90.0)
    return one.moved(x=0.075) + one.moved(x=-0.083)


def fairings(is_cut):
    """Returns the two buoyancy fairings; `is_cut` leaves room for the vertical thrusters."""
    y0, y1, bottom, top = 0.064, 0.5 * WIDTH - 0.002, 0.065, 0.5 * HEIGHT
    edge, half, end = 0.012, 0.072, 0.222
    outline = [(-half, y1), (-half, y0)]
    if is_cut:
        notch = arc((0.0, 0.109), T200_DUCT_RADIUS + 0.002, 243.0, -63.0, 22)
        outline += notch
    outline += [(half, y0), (half, y1)]
    middle = extrude(outline, top - bottom, (), 0.002).moved(z=bottom)

    def ring(x, drop, narrow):
        low, high = (y0 + narrow, bottom), (y1 - 0.4 * narrow, top - drop)
        corners = [(low[0], low[1]), (high[0], low[1]), (high[0], high[1]), (low[0], high[1])]
        return [(x, y, z) for y, z in rounded_polygon(corners, edge, 3)]

    stations = []
    for k in range(7):
        s = k / 6
        stations.append(ring(half + (end - half) * s, 0.040 * s * s, 0.030 * max(0.0, s - 0.55) ** 1.5))
    stations.append(ring(end + 0.006, 0.050, 0.018))
    nose = loft(stations)
    return both_sides(middle + nose + nose.scaled(x=-1.0))


def foam():
    """Returns the foam below the fairings."""
    block = extrude(rectangle(-0.195, 0.074, -0.058, 0.158, 0.01), 0.042, (), 0.003).moved(z=0.023)
    return both_sides(block + block.scaled(x=-1.0))


def electronics(model):
    """Adds the main enclosure with dome, camera and end cap."""
    r, z = ELECTRONICS_RADIUS, ELECTRONICS_Z
    body = revolve([(-0.138, r - 0.003), (-0.136, r), (0.118, r), (0.120, r - 0.003)], 40).moved(z=z)
    model.add("electronics_enclosure", GLASS, body)
    flange = [(-0.006, r + 0.001), (-0.005, r + 0.004), (0.005, r + 0.004), (0.006, r + 0.001)]
    rings = Mesh()
    for x in (-0.136, 0.122):
        rings += revolve(flange, 28).moved(x=x, z=z)
    cap = revolve([(-0.152, r - 0.012), (-0.150, r - 0.002), (-0.140, r - 0.002)], 28).moved(z=z)
    model.add("enclosure_flanges", BLACK_ANODISED, rings + cap)
    dome = revolve([(x, max(y, 0.0)) for x, y in reversed(arc((0.128, 0.0), r - 0.003, 0, 90, 9))], 32).moved(
        z=z
    )
    model.add("dome", GLASS, dome)
    front = 0.128 + r - 0.003
    model.add(
        "camera",
        LENS,
        revolve(
            [(front - 0.006, 0.021), (front - 0.0005, 0.012), (front + 0.0005, 0.006), (front + 0.001, 0.0)],
            24,
        ).moved(z=z),
    )
    plugs = Mesh()
    for ring, count in ((0.034, 8), (0.016, 4)):
        plugs += around_x(cylinder(0.02, 0.0065, 7).moved(x=-0.160, z=ring), count, 22.5)
    model.add("penetrators", ALUMINIUM, plugs.moved(z=z))
    path = rounded([(-0.165, 0.0, z + 0.034), (-0.200, 0.0, z + 0.034), (-0.215, 0.0, z + 0.060)], 0.02)
    model.add("tether", TETHER, tube(path, 0.0042, 10))


def battery(model):
    """Adds the battery enclosure."""
    r, z = BATTERY_RADIUS, BATTERY_Z
    tube_ = revolve([(-0.098, r), (0.098, r)], 36).moved(z=z)
    model.add("battery_enclosure", GREY_PLASTIC, tube_)
    cap = revolve([(-0.010, r + 0.0015), (-0.008, r + 0.003), (0.004, r + 0.003), (0.010, r - 0.008)], 36)
    model.add(
        "battery_caps", BLACK_ANODISED, cap.moved(x=0.100, z=z) + cap.turned(yaw=180.0).moved(x=-0.100, z=z)
    )


def lamps(model, y):
    """Adds two Lumen lamps on brackets."""
    z = -0.035
    body = revolve([(-0.034, 0.010), (-0.032, 0.0165), (-0.006, 0.0165), (0.0, 0.0150)], 20)
    bracket = box((0.014, 0.020, 0.010), 0.002).moved(x=-0.018, y=0.018)
    glass = revolve([(-0.002, 0.0130), (0.001, 0.0115), (0.002, 0.006)], 20)
    model.add("lamps", BLACK_ANODISED, both_sides((body + bracket).moved(x=0.218, y=y, z=z)))
    model.add("lamp_glasses", LAMP_GLASS, both_sides(glass.moved(x=0.218, y=y, z=z)))


def vehicle(title, thrusters, lamp_y):
    """Returns the parts that both variants have."""
    model = Model(title)
    model.add("side_panels", BLACK_PLASTIC, side_panels())
    model.add("base_panel", BLACK_PLASTIC, base_panel())
    model.add("cradles", BLACK_PLASTIC, cradles())
    model.add("fairings", FAIRING, fairings(len(thrusters) == 6))
    model.add("foam", FOAM, foam())
    electronics(model)
    battery(model)
    lamps(model, lamp_y)
    add_thrusters(model, thrusters, *t200(), PROPELLER)
    return model


def bluerov2():
    """Returns the BlueROV2 with six thrusters."""
    return vehicle("BlueROV2", THRUSTERS, 0.125)


def bluerov2_heavy():
    """Returns the BlueROV2 Heavy with eight thrusters."""
    model = vehicle("BlueROV2 Heavy", HEAVY_THRUSTERS, 0.125)
    y0, y1 = 0.5 * WIDTH, 0.5 * HEAVY_WIDTH
    arms = Mesh()
    for x in (0.12, -0.12):
        outline = rounded_polygon(
            [
                (x - 0.075, y0),
                (x + 0.075, y0),
                (x + 0.075, 0.225),
                (x + 0.045, y1),
                (x - 0.045, y1),
                (x - 0.075, 0.225),
            ],
            0.03,
        )
        arms += extrude(outline, 0.007, [circle((x, 0.2177), T200_DUCT_RADIUS - 0.001, 26)]).moved(z=-0.006)
        arms += box((0.11, 0.010, 0.05), 0.002).moved(x=x, y=y0 + 0.004, z=-0.004)
    model.add("thruster_arms", BLACK_PLASTIC, both_sides(arms))
    block = extrude(rectangle(-0.062, y0 + 0.001, 0.062, y0 + 0.058, 0.012), 0.085, (), 0.006).moved(z=0.012)
    model.add("side_foam", FAIRING, both_sides(block))
    return model


MODELS = {"bluerov2": bluerov2, "bluerov2_heavy": bluerov2_heavy}
