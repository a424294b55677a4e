"""Clearpath Jackal: chassis and wheel.

Source: jackal/jackal, jackal_description/urdf/jackal.urdf.xacro: chassis of 0.42 m x 0.31 m x
0.184 m, wheels of radius 0.098 m and width 0.04 m at (0.131, 0.188, 0.0345) m. Estimated: fenders,
bumpers, deck and tread, from photographs of the vehicle.

Frame: the origins are the origins of the bodies; the wheel turns about y.
"""

import math

from materials import (
    ALUMINIUM,
    BLACK_ANODISED,
    BLACK_PLASTIC,
    DARK_STEEL,
    GREY_PLASTIC,
    LAMP_GLASS,
    RUBBER,
    WHITE_PAINT,
    YELLOW_PAINT,
)
from glb import Model
from polygons import extrude, plate
from shapes import (
    TAU,
    Mesh,
    both_sides,
    box,
    circle,
    cylinder,
    rectangle,
    revolve,
    ring_of,
    rounded_polygon,
    tube,
)

WHEEL_RADIUS, WHEEL_WIDTH = 0.098, 0.04
WHEEL_X, WHEEL_Z = 0.131, 0.0345


def chassis_details(model):
    """Adds lights, axles and antennas of the chassis."""
    lights = both_sides(cylinder(0.008, 0.011, 16, 0.002).moved(x=0.2075, y=0.085, z=0.135))
    model.add("lights", LAMP_GLASS, lights)
    model.add("status_panel", GREY_PLASTIC, box((0.004, 0.09, 0.03), 0.0015).moved(x=-0.2085, z=0.138))
    axles = Mesh()
    for x in (WHEEL_X, -WHEEL_X):
        axles += cylinder(0.30, 0.016, 14).turned(yaw=90.0).moved(x=x, z=WHEEL_Z)
    model.add("axles", DARK_STEEL, axles)
    antennas = both_sides(tube([(-0.165, 0.09, 0.17), (-0.165, 0.09, 0.184)], 0.008, 10))
    model.add("antenna_sockets", BLACK_PLASTIC, antennas)
    model.add(
        "gnss_antenna",
        WHITE_PAINT,
        revolve([(0.0, 0.030), (0.004, 0.032), (0.010, 0.026), (0.012, 0.012)], 20)
        .turned(pitch=-90.0)
        .moved(x=-0.10, z=0.172),
    )


def jackal_chassis():
    """Returns the chassis."""
    model = Model("Jackal chassis")
    side = rounded_polygon(
        [
            (-0.190, 0.012),
            (0.190, 0.012),
            (0.205, 0.060),
            (0.205, 0.125),
            (0.185, 0.160),
            (-0.185, 0.160),
            (-0.205, 0.125),
            (-0.205, 0.060),
        ],
        0.02,
        3,
    )
    model.add("body", BLACK_PLASTIC, plate(side, 0.235, [], 0.006))
    fender = rounded_polygon(
        [
            (-0.205, 0.115),
            (-0.205, 0.142),
            (-0.185, 0.163),
            (0.185, 0.163),
            (0.205, 0.142),
            (0.205, 0.115),
            (0.180, 0.135),
            (0.020, 0.135),
            (0.0, 0.118),
            (-0.020, 0.135),
            (-0.180, 0.135),
        ],
        0.006,
        2,
    )
    fenders = plate(fender, 0.046, [], 0.004).moved(y=0.132)
    model.add("fenders", YELLOW_PAINT, both_sides(fenders))
    panel = rounded_polygon([(-0.06, 0.03), (0.06, 0.03), (0.06, 0.11), (-0.06, 0.11)], 0.012)
    model.add("side_panels", GREY_PLASTIC, both_sides(plate(panel, 0.01, [], 0.002).moved(y=0.119)))
    holes = [circle((x, y), 0.0035, 8) for x in (-0.12, -0.06, 0.0, 0.06, 0.12) for y in (-0.08, 0.08)]
    deck = extrude(rectangle(-0.185, -0.110, 0.185, 0.110, 0.02), 0.008, holes, 0.0015).moved(z=0.165)
    model.add("deck", BLACK_ANODISED, deck)
    rails = both_sides(box((0.34, 0.014, 0.011), 0.003).moved(y=0.095, z=0.1785))
    model.add("rails", ALUMINIUM, rails)
    for name, x in (("front", 1.0), ("rear", -1.0)):
        bumper = extrude(
            rounded_polygon(
                [
                    (0.185, -0.155),
                    (0.210, -0.125),
                    (0.210, 0.125),
                    (0.185, 0.155),
                    (0.175, 0.155),
                    (0.175, -0.155),
                ],
                0.012,
            ),
            0.045,
            (),
            0.004,
        ).moved(z=0.075)
        model.add(f"{name}_bumper", YELLOW_PAINT, bumper if x > 0 else bumper.scaled(x=-1.0))
    chassis_details(model)
    return model


def jackal_wheel():
    """Returns a wheel with lugs."""
    model = Model("Jackal wheel")
    h, r = 0.5 * WHEEL_WIDTH, WHEEL_RADIUS - 0.008
    tyre = ring_of(
        [(-h, 0.058), (-h, r - 0.010), (-h + 0.006, r), (h - 0.006, r), (h, r - 0.010), (h, 0.058)], 40
    ).turned(yaw=90.0)
    lugs = Mesh()
    lug = box((0.014, 0.5 * WHEEL_WIDTH + 0.002, 0.009), 0.002, 1)
    for k in range(20):
        for side in (-1, 1):
            angle = 360.0 * (k + 0.25 * side) / 20
            at = math.radians(angle)
            one = lug.turned(yaw=18.0 * side).moved(y=side * 0.25 * WHEEL_WIDTH).turned(pitch=90.0 - angle)
            lugs += one.moved(
                x=(WHEEL_RADIUS - 0.0055) * math.cos(at), z=(WHEEL_RADIUS - 0.0055) * math.sin(at)
            )
    model.add("tyre", RUBBER, tyre + lugs)
    holes = [
        circle((0.036 * math.cos(TAU * k / 5), 0.036 * math.sin(TAU * k / 5)), 0.010, 14) for k in range(5)
    ]
    disc = extrude(circle((0, 0), 0.059, 40), 0.016, holes).moved(z=-0.008).turned(roll=90.0)
    model.add("rim", BLACK_PLASTIC, disc)
    hub = cylinder(WHEEL_WIDTH - 0.006, 0.018, 20, 0.003).turned(yaw=90.0)
    model.add("hub", YELLOW_PAINT, hub)
    return model


MODELS = {"jackal_chassis": jackal_chassis, "jackal_wheel": jackal_wheel}
