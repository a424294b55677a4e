"""Buoys, docks, crates, a gripper and a small boat.

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
from shapes import (
    Mesh,
    around_x,
    box,
    circle,
    cylinder,
    loft,
    rectangle,
    revolve,
    ring_of,
    rounded,
    sphere,
    tube,
)


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


def docking_cradle():
    """Returns the dock of the world docking_station: a plate with four guides and the seat of a latch."""
    model = Model("Docking cradle")
    model.add("plate", DARK_STEEL, box((3.4, 2.3, 0.16), 0.03, 3).moved(z=-0.02))
    grating = Mesh()
    for k in range(14):
        grating += box((3.2, 0.03, 0.03), 0.006, 1).moved(y=-1.04 + 0.16 * k, z=0.075)
    for k in range(11):
        grating += box((0.03, 2.1, 0.03), 0.006, 1).moved(x=-1.5 + 0.30 * k, z=0.075)
    model.add("grating", STEEL, grating)
    guides, ribs = Mesh(), Mesh()
    for size, place, turn in (
        ((3.4, 0.05, 1.0), (0.0, 1.3), (-30.0, 0.0)),
        ((3.4, 0.05, 1.0), (0.0, -1.3), (30.0, 0.0)),
        ((0.05, 2.3, 1.0), (1.9, 0.0), (0.0, 30.0)),
        ((0.05, 2.3, 1.0), (-1.9, 0.0), (0.0, -30.0)),
    ):
        turned = {"roll": turn[0], "pitch": turn[1]}
        guides += box(size, 0.012, 2).turned(**turned).moved(x=place[0], y=place[1], z=0.55)
        # stiffeners behind the guide
        along = max(size[0], size[1])
        for k in range(5):
            at = along * (k - 2) / 4.6
            rib = (0.05, 0.05, 0.94)
            out = math.copysign(0.05, place[0] + place[1])
            offset = {"x": at, "y": out} if place[1] else {"x": out, "y": at}
            own = box(rib, 0.01, 1).moved(**offset).turned(**turned)
            ribs += own.moved(x=place[0], y=place[1], z=0.55)
    model.add("guides", YELLOW_PAINT, guides)
    model.add("stiffeners", DARK_STEEL, ribs)
    seat = ring_of([(0.08, 0.10), (0.08, 0.16), (0.14, 0.16), (0.17, 0.13), (0.17, 0.10)], 40)
    model.add("latch_seat", BLACK_ANODISED, upright(seat))
    model.add("latch", STEEL, upright(cylinder(0.10, 0.03, 24, 0.005)).moved(z=0.10))
    transponder = upright(cylinder(0.34, 0.065, 28, 0.02)).moved(x=2.2, z=0.12)
    model.add("transponder", BLACK_PLASTIC, transponder)
    guard = tube(rounded([(1.75, 0, 0.0), (2.2, 0, -0.08), (2.2, 0, 0.0)], 0.04), 0.03, 10)
    model.add("transponder_arm", STEEL, guard)
    lamps = Mesh()
    for x in (-1.55, 1.55):
        for y in (-1.0, 1.0):
            lamps += upright(cylinder(0.05, 0.045, 20, 0.008)).moved(x=x, y=y, z=0.10)
    model.add("guide_lights", LAMP_GLASS, lamps)
    return model


def wave_buoy():
    """Returns the buoy of the world hulls: a sphere of 2 m."""
    model = Model("Spherical buoy of 2 m")
    body, flange = ball(1.0, 56)
    model.add("float", YELLOW_PAINT, body)
    model.add("fender", RUBBER, flange.scaled(z=2.5))
    frame = Mesh()
    for angle in (45, 135, 225, 315):
        c, s = math.cos(math.radians(angle)), math.sin(math.radians(angle))
        frame += tube([(0.62 * c, 0.62 * s, 0.72), (0.16 * c, 0.16 * s, 1.55)], 0.022, 10)
    model.add("tower", ALUMINIUM, frame)
    model.add("platform", ALUMINIUM, upright(cylinder(0.03, 0.22, 32, 0.008)).moved(z=1.56))
    light = upright(revolve([(1.60, 0.06), (1.61, 0.08), (1.70, 0.08), (1.73, 0.05), (1.74, 0.01)], 24))
    model.add("light", LAMP_GLASS, light)
    radar = Mesh()
    for turn in ({}, {"yaw": 90.0}, {"pitch": 90.0}):
        radar += box((0.22, 0.006, 0.22), 0.002, 1).turned(**turn)
    model.add("radar_reflector", ALUMINIUM, radar.turned(yaw=20.0).moved(x=0.12, z=1.40))
    panels = Mesh()
    for angle in (0.0, 90.0, 180.0, 270.0):
        panels += box((0.012, 0.42, 0.30), 0.004).turned(pitch=-28.0).moved(x=0.46, z=1.02).turned(yaw=angle)
    model.add("solar_panels", SOLAR_CELLS, panels)
    hatch = upright(cylinder(0.05, 0.28, 32, 0.01)).moved(z=0.975)
    model.add("hatch", GREY_PLASTIC, hatch)
    turns = [2 * math.pi * k / 16 for k in range(16)]
    eye = tube([(0.07 * math.cos(a), 0.0, 0.07 * math.sin(a) - 1.04) for a in turns], 0.018, 8, closed=True)
    model.add("keel_eye", STEEL, eye)
    return model


def wigley_section(x):
    """Returns a section of the hull of meshes/make.py: 2.4 m x 0.7 m, draught 0.22 m, freeboard 0.2 m."""
    full = 0.35 * max(1.0 - (x / 1.2) ** 2, 0.0)
    depths = [-0.22 * math.cos(0.5 * math.pi * k / 8) for k in range(9)]
    side = [(full * (1.0 - (z / 0.22) ** 2), z) for z in depths] + [(full, 0.1), (full, 0.2)]
    right = [(x, y, z) for y, z in side]
    left = [(x, -y, z) for y, z in reversed(side[1:])]
    return right + [(x, 0.0, 0.205)] + left


def jet_boat():
    """Returns the boat of the worlds hulls and fleet_mixed: Wigley's hull with two jets."""
    model = Model("Boat of 2.4 m with a Wigley hull")
    stations = [-1.2 * math.cos(math.pi * k / 36) for k in range(37)]
    model.add("hull", WHITE_PAINT, loft([wigley_section(x) for x in stations]))
    rail = [(x, 0.35 * (1.0 - (x / 1.2) ** 2) + 0.008, 0.15) for x in stations]
    fender = tube(rail, 0.018, 8) + tube([(x, -y, z) for x, y, z in rail], 0.018, 8)
    model.add("fender", RUBBER, fender)
    model.add("deck_hatch", GREY_PLASTIC, box((0.70, 0.40, 0.05), 0.015, 3).moved(x=0.20, z=0.225))
    model.add("solar_panel", SOLAR_CELLS, box((0.50, 0.34, 0.012), 0.004).moved(x=0.20, z=0.256))
    model.add("engine_box", ORANGE_PAINT, box((0.50, 0.42, 0.17), 0.05, 4).moved(x=-0.48, z=0.28))
    mast = tube([(-0.48, 0, 0.34), (-0.48, 0, 0.86)], 0.018, 12)
    strut = [(-0.66, 0.15, 0.34), (-0.50, 0.03, 0.62), (-0.50, -0.03, 0.62), (-0.66, -0.15, 0.34)]
    mast += tube(rounded(strut, 0.04), 0.012, 8)
    model.add("mast", ALUMINIUM, mast)
    antenna = revolve([(0.86, 0.03), (0.88, 0.075), (0.91, 0.08), (0.94, 0.06), (0.95, 0.02)], 24)
    model.add("gnss_antenna", WHITE_PAINT, upright(antenna).moved(x=-0.48))
    model.add("whip_antenna", BLACK_PLASTIC, tube([(-0.62, 0.14, 0.34), (-0.64, 0.15, 0.95)], 0.006, 8))
    lens = revolve([(0.0, 0.045), (0.02, 0.05), (0.06, 0.05), (0.08, 0.03), (0.085, 0.005)], 24)
    model.add("camera", BLACK_ANODISED, lens.moved(x=0.62, z=0.27))
    model.add("camera_foot", ALUMINIUM, box((0.06, 0.06, 0.08), 0.01).moved(x=0.62, z=0.22))
    nozzles = Mesh()
    for y in (-0.10, 0.10):
        nozzle = ring_of([(-1.05, 0.030), (-1.05, 0.048), (-0.86, 0.055), (-0.80, 0.040)], 24)
        nozzles += nozzle.moved(y=y, z=-0.04)
    model.add("jet_nozzles", DARK_STEEL, nozzles)
    cleats = Mesh()
    for x in (-0.85, 0.85):
        for y in (-0.11, 0.11):
            cleats += tube([(x - 0.05, y, 0.235), (x + 0.05, y, 0.235)], 0.010, 8)
            cleats += upright(cylinder(0.03, 0.008, 8)).moved(x=x, y=y, z=0.22)
    model.add("cleats", STEEL, cleats)
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
    "docking_cradle": docking_cradle,
    "wave_buoy": wave_buoy,
    "jet_boat": jet_boat,
    "gripper_vehicle": gripper_vehicle,
    "gripper_finger": gripper_finger,
}
