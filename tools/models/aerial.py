"""Hexacopter AscTec Firefly.

Source: ethz-asl/rotors_simulator, rotors_description/urdf/firefly.xacro (positions of the rotors:
arms of 0.215 m, rotor radius 0.1 m) and the contact shape of params/bodies/firefly.yaml. Estimated:
frame, legs, battery and colours, from photographs of the vehicle.

Frame: the origin is the origin of the body.
"""

import math

from glb import Material, Model
from materials import ALUMINIUM, BLACK_ANODISED, BLACK_PLASTIC, CARBON, GREY_PLASTIC, LENS, WHITE_PAINT
from polygons import extrude
from shapes import Mesh, box, circle, cylinder, revolve, rounded, rounded_polygon, tube
from thrusters import propeller

ARM, ROTOR_RADIUS, ROTOR_Z = 0.215, 0.1, 0.062
ORANGE = Material("orange cover", (0.55, 0.10, 0.01), 0.4)
# Angles of the rotors r0 to r5 [deg], and their sense: 1 counter-clockwise seen from above.
ROTORS = [(30.0, 1), (90.0, -1), (150.0, 1), (210.0, -1), (270.0, 1), (330.0, -1)]


def arms():
    """Returns the carbon tubes of the arms with their motor mounts."""
    tubes, mounts, motors = Mesh(), Mesh(), Mesh()
    motor = revolve([(0.0, 0.012), (0.004, 0.0165), (0.018, 0.0165), (0.022, 0.010)], 18).turned(pitch=-90.0)
    for angle, _ in ROTORS:
        c, s = math.cos(math.radians(angle)), math.sin(math.radians(angle))
        for side in (-0.011, 0.011):
            ox, oy = -s * side, c * side
            tubes += tube(
                [(0.045 * c + ox, 0.045 * s + oy, 0.025), (ARM * c + ox, ARM * s + oy, 0.025)], 0.0048, 8
            )
        mounts += cylinder(0.016, 0.021, 18, 0.003).turned(pitch=90.0).moved(x=ARM * c, y=ARM * s, z=0.027)
        motors += motor.moved(x=ARM * c, y=ARM * s, z=0.034)
    return tubes, mounts, motors


def firefly():
    """Returns the hexacopter."""
    model = Model("AscTec Firefly")
    tubes, mounts, motors = arms()
    model.add("arms", CARBON, tubes)
    model.add("motor_mounts", BLACK_PLASTIC, mounts)
    model.add("motors", ALUMINIUM, motors)
    hexagon = [
        (0.085 * math.cos(math.radians(60 * k)), 0.085 * math.sin(math.radians(60 * k))) for k in range(6)
    ]
    plate = extrude(
        rounded_polygon(hexagon, 0.02, 4),
        0.003,
        [circle((0.05, 0), 0.012, 14), circle((-0.05, 0), 0.012, 14)],
    )
    model.add("centre_plates", CARBON, plate.moved(z=0.034) + plate.moved(z=0.013))
    model.add(
        "electronics",
        BLACK_PLASTIC,
        box((0.095, 0.075, 0.024), 0.006).moved(z=0.050) + box((0.07, 0.055, 0.016), 0.004).moved(z=0.024),
    )
    dome = revolve(
        [(0.0, 0.052)]
        + [
            (0.016 * math.sin(math.radians(7.5 * k)), max(0.052 * math.cos(math.radians(7.5 * k)), 0.0))
            for k in range(1, 13)
        ],
        28,
    ).turned(pitch=-90.0)
    model.add("cover", ORANGE, dome.moved(z=0.062))
    model.add(
        "gnss_antenna", WHITE_PAINT, cylinder(0.006, 0.018, 18, 0.002).turned(pitch=90.0).moved(z=0.0785)
    )
    model.add("battery", GREY_PLASTIC, box((0.135, 0.045, 0.034), 0.006).moved(z=-0.010))
    strap = box((0.018, 0.049, 0.038), 0.005)
    model.add("straps", BLACK_PLASTIC, strap.moved(x=0.035, z=-0.010) + strap.moved(x=-0.035, z=-0.010))
    legs, feet = Mesh(), Mesh()
    for angle in (60.0, 120.0, 240.0, 300.0, 0.0, 180.0):
        c, s = math.cos(math.radians(angle)), math.sin(math.radians(angle))
        path = rounded(
            [(0.075 * c, 0.075 * s, 0.02), (0.11 * c, 0.11 * s, -0.03), (0.165 * c, 0.165 * s, -0.074)], 0.03
        )
        legs += tube(path, 0.0038, 8)
        feet += box((0.016, 0.016, 0.010), 0.004).moved(x=0.165 * c, y=0.165 * s, z=-0.075)
    model.add("landing_legs", CARBON, legs)
    model.add("feet", BLACK_PLASTIC, feet)
    model.add("camera", BLACK_ANODISED, box((0.03, 0.036, 0.03), 0.006).moved(x=0.075, z=-0.012))
    model.add("camera_lens", LENS, cylinder(0.016, 0.009, 16, 0.002).moved(x=0.095, z=-0.012))
    # A rotor that turns counter-clockwise seen from above is right-handed about +z.
    turning = propeller(ROTOR_RADIUS, 0.010, 2, 0.09, 0.020, 0.012, 16)
    mirrored = turning.scaled(y=-1.0)
    upright = ((0.0, 0.0, -1.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0))
    for k, (angle, sense) in enumerate(ROTORS):
        rotor = turning if sense > 0 else mirrored
        place = (ARM * math.cos(math.radians(angle)), ARM * math.sin(math.radians(angle)), ROTOR_Z)
        model.add(f"propeller_r{k}", BLACK_PLASTIC, rotor, place, upright)
    return model


MODELS = {"firefly": firefly}
