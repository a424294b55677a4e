"""Work-class vehicle RexROV.

Source: outer dimensions of 2.6 m x 1.5 m x 1.6 m of params/bodies/rexrov_uuv.yaml, positions and
directions of the thrusters of params/robots/rexrov.yaml (uuvsimulator/uuv_simulator). Estimated: all
other dimensions, in the proportions of a work-class vehicle with a foam block on an open frame.

Frame: the origin is the origin of the body.
"""

from glb import Material, Model
from materials import (
    ALUMINIUM,
    BLACK_ANODISED,
    BLACK_PLASTIC,
    BRASS,
    DARK_STEEL,
    GREY_PLASTIC,
    LAMP_GLASS,
    LENS,
    ORANGE_PAINT,
    STEEL,
    WHITE_PAINT,
)
from polygons import extrude, plate
from shapes import (
    Mesh,
    around_x,
    both_sides,
    box,
    circle,
    cylinder,
    fin,
    rectangle,
    revolve,
    rounded,
    rounded_polygon,
    tube,
)
from thrusters import add_thrusters, nozzle, propeller

LENGTH, WIDTH, HEIGHT = 2.6, 1.5, 1.6
FOAM = Material("syntactic foam", (0.56, 0.26, 0.008), 0.5)
FRAME = Material("frame", (0.05, 0.052, 0.06), 0.5, 0.6)

THRUSTERS = [
    ("t0", (-0.890895, 0.334385, 0.528822), (0.159743, -0.213610, 0.963770), "right"),
    ("t1", (-0.890895, -0.334385, 0.528822), (0.159743, 0.213610, 0.963770), "left"),
    ("t2", (0.890895, 0.334385, 0.528822), (-0.159743, -0.213610, 0.963770), "left"),
    ("t3", (0.890895, -0.334385, 0.528822), (-0.159743, 0.213610, 0.963770), "right"),
    ("t4", (-0.412125, 0.505415, 0.129), (0.707107, 0.707107, 0.0), "right"),
    ("t5", (-0.412125, -0.505415, 0.129), (0.707107, -0.707107, 0.0), "left"),
    ("t6", (0.412125, 0.505415, 0.129), (-0.707107, 0.707107, 0.0), "left"),
    ("t7", (0.412125, -0.505415, 0.129), (-0.707107, -0.707107, 0.0), "right"),
]


def thruster():
    """Returns the surfaces of the fixed parts of a thruster, and its right-handed propeller."""
    duct = nozzle(0.175, 0.17, 0.026, 20)
    core = revolve([(-0.30, 0.03), (-0.28, 0.065), (-0.06, 0.075), (-0.045, 0.06)], 14)
    struts = around_x(fin(0.08, 0.07, 0.11, 0.0, 0.18, n=3).moved(x=-0.03, z=0.06), 4, 45.0)
    turning = propeller(0.145, 0.052, 4, 0.22, 0.10, 0.10)
    return [(BLACK_PLASTIC, duct + struts), (BLACK_ANODISED, core)], turning.moved(x=0.015)


def buoyancy():
    """Returns the foam block with the tunnels of the vertical thrusters and the lifting recess."""
    outline = rounded_polygon(
        [
            (-1.30, -0.62),
            (-1.17, -0.75),
            (1.12, -0.75),
            (1.30, -0.58),
            (1.30, 0.58),
            (1.12, 0.75),
            (-1.17, 0.75),
            (-1.30, 0.62),
        ],
        0.08,
        4,
    )
    holes = [circle((x, y), 0.215, 26) for x in (-0.875, 0.875) for y in (-0.345, 0.345)]
    holes.append(rectangle(-0.24, -0.13, 0.24, 0.13, 0.06))
    return extrude(outline, 0.38, holes, 0.035).moved(z=0.375)


def frame():
    """Returns the welded frame below the foam."""
    out = Mesh()
    for x in (-1.20, -0.42, 0.42, 1.18):
        out += both_sides(box((0.07, 0.05, 1.18), 0.008, 1).moved(x=x, y=0.69, z=-0.20))
    for z in (-0.76, 0.34):
        out += both_sides(box((2.46, 0.05, 0.08), 0.008, 1).moved(x=-0.01, y=0.69, z=z))
        for x in (-1.20, -0.42, 0.42, 1.18):
            out += box((0.06, 1.36, 0.06), 0.008, 1).moved(x=x, z=z)
    out += both_sides(box((0.78, 0.04, 0.06), 0.008, 1).moved(x=-0.81, y=0.69, z=-0.30))
    for x0, x1 in ((-1.18, -0.45), (0.45, 1.16)):
        out += both_sides(tube([(x0, 0.69, -0.72), (x1, 0.69, 0.30)], 0.022, 10))
    return out


def arm(model, y):
    """Adds a folded manipulator at the front of the frame on the side of `y`."""
    s = 1.0 if y > 0 else -1.0
    points = [
        (1.10, y, -0.45),
        (1.20, y, -0.40),
        (1.20, y, -0.08),
        (1.24, y - 0.20 * s, -0.14),
        (1.22, y - 0.24 * s, -0.50),
    ]
    links = Mesh()
    for a, b in zip(points, points[1:]):
        links += tube([a, b], 0.040, 14)
    joints = Mesh()
    for p in points:
        joints += cylinder(0.13, 0.058, 14, 0.01).turned(yaw=90.0).moved(*p)
    end = points[-1]
    jaws = box((0.018, 0.03, 0.14), 0.006).moved(x=end[0] + 0.03, y=end[1], z=end[2] - 0.10) + box(
        (0.018, 0.03, 0.14), 0.006
    ).moved(x=end[0] - 0.03, y=end[1], z=end[2] - 0.10)
    side = "left" if y > 0 else "right"
    model.add(f"manipulator_{side}", ORANGE_PAINT, links)
    model.add(f"manipulator_joints_{side}", DARK_STEEL, joints + jaws)


def rexrov():
    """Returns the RexROV."""
    model = Model("RexROV")
    model.add("buoyancy", FOAM, buoyancy())
    bail = tube(
        rounded([(-0.16, 0, 0.60), (-0.16, 0, 0.785), (0.16, 0, 0.785), (0.16, 0, 0.60)], 0.06), 0.015, 12
    )
    model.add("lifting_bail", STEEL, bail + box((0.40, 0.20, 0.10), 0.02).moved(z=0.56))
    model.add("frame", FRAME, frame())
    panel = plate(
        rounded_polygon([(-0.36, -0.70), (0.36, -0.70), (0.36, -0.22), (-0.36, -0.22)], 0.05),
        0.012,
        [],
        0.002,
    )
    model.add("side_panels", FOAM, both_sides(panel.moved(y=0.722)))
    skids = both_sides(box((2.50, 0.14, 0.05), 0.02).moved(x=-0.02, y=0.62, z=-0.775))
    model.add("skids", BLACK_PLASTIC, skids)
    pods = both_sides(cylinder(1.10, 0.145, 24, 0.03).moved(x=-0.50, y=0.33, z=-0.52))
    model.add("electronics_pods", WHITE_PAINT, pods)
    bands = Mesh()
    for x in (-0.95, -0.50, -0.05):
        bands += cylinder(0.05, 0.155, 24, 0.008).moved(x=x, y=0.33, z=-0.52)
    model.add("pod_clamps", DARK_STEEL, both_sides(bands))
    pump = cylinder(0.50, 0.13, 24, 0.02).turned(pitch=90.0).moved(x=-0.85, z=-0.10) + cylinder(
        0.70, 0.10, 24, 0.02
    ).moved(x=-0.55, z=0.10)
    model.add("hydraulic_unit", BLACK_ANODISED, pump)
    model.add(
        "compensators",
        BRASS,
        both_sides(cylinder(0.30, 0.08, 20, 0.02).turned(pitch=90.0).moved(x=-1.05, y=0.45, z=0.0)),
    )
    tray = box((0.06, 1.10, 0.10), 0.01).moved(x=1.20, z=0.26)
    model.add("camera_bar", FRAME, tray)
    camera = cylinder(0.20, 0.055, 20, 0.01)
    cameras = camera.moved(x=1.20, z=0.17) + both_sides(camera.moved(x=1.18, y=0.28, z=0.17))
    model.add("cameras", GREY_PLASTIC, cameras)
    glass = cylinder(0.012, 0.040, 20, 0.003)
    model.add(
        "camera_lenses", LENS, glass.moved(x=1.298, z=0.17) + both_sides(glass.moved(x=1.283, y=0.28, z=0.17))
    )
    body = revolve([(-0.14, 0.03), (-0.12, 0.06), (-0.02, 0.075), (0.0, 0.07)], 14)
    spots = [(1.24, 0.14, 0.28), (1.24, 0.46, 0.26), (1.24, 0.62, 0.10)]
    lamps, glasses = Mesh(), Mesh()
    for x, y, z in spots:
        lamps += body.moved(x=x, y=y, z=z)
        glasses += cylinder(0.012, 0.062, 18, 0.003).moved(x=x, y=y, z=z)
    model.add("lamps", ALUMINIUM, both_sides(lamps))
    model.add("lamp_glasses", LAMP_GLASS, both_sides(glasses))
    sonar = cylinder(0.16, 0.055, 20, 0.012).turned(pitch=90.0).moved(x=1.12, y=0.0, z=-0.10)
    model.add("sonar_head", BLACK_PLASTIC, sonar + tube([(1.12, 0, -0.16), (1.12, 0, -0.74)], 0.02, 10))
    arm(model, 0.42)
    arm(model, -0.42)
    add_thrusters(model, THRUSTERS, *thruster(), BRASS)
    return model


MODELS = {"rexrov": rexrov}
