"""Buoys, docks, crates and a gripper.

Source: params/bodies/channel_buoy.yaml and the worlds that use the props (outer dimensions). All
other dimensions are estimated.

Frame: the origins are the origins of the bodies.
"""

import math

from glb import Model
from materials import (
    ALUMINIUM,
    BLACK_ANODISED,
    BLACK_PLASTIC,
    DARK_STEEL,
    GREY_PLASTIC,
    LAMP_GLASS,
    ORANGE_PAINT,
    RED_PAINT,
    RUBBER,
    SOLAR_CELLS,
    STEEL,
    TIMBER,
    WHITE_PAINT,
    YELLOW_PAINT,
)
from polygons import extrude
from shapes import Mesh, around_x, box, circle, cylinder, rectangle, revolve, ring_of, rounded, sphere, tube


def upright(mesh):
    """Returns a mesh along x turned to z."""
    return mesh.turned(pitch=-90.0)


def ball(radius, n=40):
    """Returns a sphere with poles up and down and a flange at its equator."""
    flange = ring_of(
        [(-0.012, radius - 0.01), (-0.012, radius * 1.0), (0.012, radius * 1.0), (0.012, radius - 0.01)], n
    )
    return upright(sphere(radius, n)), upright(flange)


def channel_buoy():
    """Returns the buoy of the world riverwatch: a sphere of 0.75 m with a daymark."""
    model = Model("Channel buoy")
    body, flange = ball(0.375)
    model.add("float", RED_PAINT, body)
    model.add("flange", BLACK_PLASTIC, flange.scaled(x=1.004, y=1.004))
    post = cylinder(0.36, 0.045, 20, 0.004)
    model.add("post", RED_PAINT, upright(post).moved(z=0.48))
    mark = revolve([(0.56, 0.098), (0.565, 0.1), (0.855, 0.1), (0.86, 0.098)], 32)
    model.add("daymark", RED_PAINT, upright(mark))
    bands = ring_of([(0.66, 0.099), (0.66, 0.1015), (0.74, 0.1015), (0.74, 0.099)], 32)
    model.add("reflective_band", WHITE_PAINT, upright(bands))
    light = revolve([(0.86, 0.045), (0.87, 0.05), (0.885, 0.05), (0.895, 0.035), (0.90, 0.01)], 24)
    model.add("light", LAMP_GLASS, upright(light))
    eyes = Mesh()
    ring = tube(
        [(0.035 * math.cos(a), 0.0, 0.035 * math.sin(a)) for a in (2 * math.pi * k / 14 for k in range(14))],
        0.008,
        8,
        closed=True,
    )
    for angle in (0.0, 120.0, 240.0):
        eyes += ring.moved(z=0.03).turned(pitch=35.0).moved(x=0.20, z=0.315).turned(yaw=angle)
    model.add("lifting_eyes", STEEL, eyes)
    model.add("mooring_eye", STEEL, ring.moved(z=-0.345))
    return model


def mooring_buoy():
    """Returns the measuring buoy of the world waves: a sphere of 1 m."""
    model = Model("Spherical buoy of 1 m")
    body, flange = ball(0.5)
    model.add("float", YELLOW_PAINT, body)
    model.add("fender", RUBBER, flange.scaled(x=1.0, y=1.0, z=1.6))
    mast = tube([(0, 0, 0.47), (0, 0, 1.02)], 0.022, 14)
    for angle in (0, 120, 240):
        c, s = math.cos(math.radians(angle)), math.sin(math.radians(angle))
        mast += tube([(0.26 * c, 0.26 * s, 0.42), (0.02 * c, 0.02 * s, 0.86)], 0.012, 8)
    model.add("mast", ALUMINIUM, mast)
    panels = Mesh()
    for angle in (0, 120, 240):
        panels += (
            box((0.008, 0.24, 0.20), 0.003)
            .turned(pitch=-32.0)
            .moved(x=0.235, z=0.60)
            .turned(yaw=float(angle) + 60.0)
        )
    model.add("solar_panels", SOLAR_CELLS, panels)
    model.add(
        "light",
        LAMP_GLASS,
        upright(revolve([(1.02, 0.05), (1.03, 0.06), (1.09, 0.06), (1.11, 0.04), (1.12, 0.01)], 24)),
    )
    antenna = upright(revolve([(0.50, 0.03), (0.52, 0.075), (0.55, 0.08), (0.58, 0.06), (0.59, 0.02)], 24))
    model.add("gnss_antenna", WHITE_PAINT, antenna.moved(x=0.14, z=-0.02))
    ring = tube(
        [(0.05 * math.cos(a), 0.0, 0.05 * math.sin(a)) for a in (2 * math.pi * k / 16 for k in range(16))],
        0.012,
        8,
        closed=True,
    )
    model.add("mooring_eye", STEEL, ring.moved(z=-0.46))
    return model


def crate():
    """Returns a slatted crate of 1 m x 1 m x 1 m; worlds scale it."""
    model = Model("Crate")
    boards, posts = Mesh(), Mesh()
    for face in range(4):
        for k in range(5):
            board = box((0.96, 0.030, 0.165), 0.006, 2).moved(y=0.470, z=-0.40 + 0.20 * k)
            boards += board.turned(yaw=90.0 * face)
    for k in range(5):
        boards += box((0.96, 0.165, 0.030), 0.006, 2).moved(y=-0.40 + 0.20 * k, z=0.470)
        boards += box((0.96, 0.165, 0.030), 0.006, 2).moved(y=-0.40 + 0.20 * k, z=-0.470)
    for x in (-0.455, 0.455):
        for y in (-0.455, 0.455):
            posts += box((0.09, 0.09, 1.0), 0.008, 2).moved(x=x, y=y)
    for z in (-0.455, 0.455):
        for x in (-0.460, 0.460):
            posts += box((0.080, 1.0, 0.09), 0.008, 2).moved(x=x, z=z)
            posts += box((1.0, 0.080, 0.09), 0.008, 2).moved(y=x, z=z)
    model.add("boards", TIMBER, boards)
    model.add("frame", TIMBER, posts)
    bolts = Mesh()
    for x in (-0.44, 0.44):
        for z in (-0.40, -0.20, 0.0, 0.20, 0.40):
            bolts += cylinder(0.012, 0.010, 8).turned(yaw=90.0).moved(x=x, y=0.488, z=z)
    model.add(
        "bolts", STEEL, bolts + bolts.turned(yaw=90.0) + bolts.turned(yaw=180.0) + bolts.turned(yaw=270.0)
    )
    return model


def docking_station():
    """Returns the dock of the world dock: a plate of 0.5 m x 2 m x 2 m with its funnel."""
    model = Model("Docking station")
    hole = circle((0.0, 0.0), 0.42, 40)
    front = extrude(rectangle(-1.0, -1.0, 1.0, 1.0, 0.12, 4), 0.05, [hole], 0.008).turned(roll=90.0, yaw=90.0)
    model.add("front_plate", YELLOW_PAINT, front.moved(x=0.15))
    frame = Mesh()
    for y in (-0.92, 0.92):
        for z in (-0.92, 0.92):
            frame += box((0.46, 0.10, 0.10), 0.012).moved(x=0.40, y=y, z=z)
        frame += box((0.08, 0.08, 1.96), 0.012).moved(x=0.61, y=y)
        frame += tube([(0.60, y, -0.90), (0.20, y, 0.90)], 0.03, 10)
    for z in (-0.92, 0.0, 0.92):
        frame += box((0.08, 1.96, 0.08), 0.012).moved(x=0.61, z=z)
    model.add("frame", DARK_STEEL, frame)
    funnel = ring_of([(0.16, 0.405), (0.155, 0.435), (0.19, 0.44), (0.56, 0.075), (0.56, 0.045)], 40)
    model.add("funnel", WHITE_PAINT, funnel)
    latch = cylinder(0.10, 0.10, 28, 0.01).moved(x=0.585)
    model.add("latch", BLACK_ANODISED, latch)
    lamps = around_x(cylinder(0.03, 0.035, 18, 0.006).moved(x=0.14, z=0.60), 8, 22.5)
    model.add("guide_lights", LAMP_GLASS, lamps)
    stripes = Mesh()
    for z in (-0.86, 0.86):
        stripes += box((0.006, 1.70, 0.10), 0.002, 1).moved(x=0.148, z=z)
    model.add("stripes", BLACK_PLASTIC, stripes)
    bolts = Mesh()
    for y in (-0.93, -0.31, 0.31, 0.93):
        for z in (-0.93, 0.93):
            bolts += cylinder(0.02, 0.022, 10, 0.003).moved(x=0.145, y=y, z=z)
    model.add("bolts", STEEL, bolts)
    return model


def gripper_vehicle():
    """Returns the vehicle of the world grasp without its fingers."""
    model = Model("Gripper vehicle")
    model.add("float", ORANGE_PAINT, box((0.50, 0.34, 0.12), 0.04, 4).moved(x=-0.05, z=0.12))
    tubes = cylinder(0.40, 0.07, 32, 0.015).moved(x=-0.05, z=-0.04)
    model.add("enclosure", GREY_PLASTIC, tubes)
    frame = Mesh()
    for y in (-0.16, 0.16):
        frame += tube(
            rounded([(-0.28, y, 0.08), (-0.28, y, -0.16), (0.18, y, -0.16), (0.18, y, 0.08)], 0.05), 0.014, 12
        )
    for x in (-0.28, 0.18):
        frame += tube([(x, -0.16, -0.155), (x, 0.16, -0.155)], 0.012, 12)
    model.add("frame", ALUMINIUM, frame)
    rail = box((0.03, 0.30, 0.03), 0.006).moved(x=0.235)
    model.add("finger_rail", STEEL, rail + box((0.08, 0.05, 0.05), 0.01).moved(x=0.19))
    return model


def gripper_finger():
    """Returns a finger of 0.1 m x 0.02 m x 0.06 m of the world grasp."""
    model = Model("Gripper finger")
    model.add("pad", RUBBER, box((0.098, 0.018, 0.058), 0.004, 3))
    ribs = Mesh()
    for k in range(9):
        ribs += box((0.005, 0.020, 0.056), 0.001, 1).moved(x=-0.04 + 0.01 * k)
    model.add("ribs", BLACK_PLASTIC, ribs)
    model.add("carriage", STEEL, box((0.016, 0.016, 0.040), 0.003).moved(x=-0.042))
    return model


MODELS = {
    "channel_buoy": channel_buoy,
    "mooring_buoy": mooring_buoy,
    "crate": crate,
    "docking_station": docking_station,
    "gripper_vehicle": gripper_vehicle,
    "gripper_finger": gripper_finger,
}
