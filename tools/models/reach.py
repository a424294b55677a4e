"""Links of the Reach Alpha 5 arm.

Source: contact shapes of params/bodies/reach_alpha5_*.yaml (radius 20 mm, lengths of the links) and
joint positions of params/robots/osu_uvms.yaml. Estimated: housings, caps and jaw, from photographs of
the arm.

Frame: the origin of each mesh is the origin of the link's body.
"""

from glb import Material, Model
from materials import ALUMINIUM, BLACK_PLASTIC, DARK_STEEL, STEEL
from polygons import extrude
from shapes import Mesh, around_x, box, cylinder, revolve, ring_of, rounded_polygon

HOUSING = Material("anodised housing", (0.045, 0.047, 0.052), 0.35, 0.7)
ACCENT = Material("orange ring", (0.50, 0.10, 0.008), 0.4)
RADIUS = 0.020


def housing(low, high, radius=RADIUS, n=28):
    """Returns a turned housing along x with two grooves."""
    step, groove = 0.0015, 0.0012
    profile = [(low, radius - 2 * step), (low + step, radius - step), (low + 2 * step, radius)]
    for x in (low + 0.25 * (high - low), low + 0.75 * (high - low)):
        profile += [
            (x - 0.002, radius),
            (x - 0.0015, radius - groove),
            (x + 0.0015, radius - groove),
            (x + 0.002, radius),
        ]
    profile += [(high - 2 * step, radius), (high - step, radius - step), (high, radius - 2 * step)]
    return revolve(profile, n)


def band(x, radius=RADIUS, width=0.006):
    """Returns a coloured ring around a housing."""
    return ring_of(
        [
            (x - 0.5 * width, radius - 0.001),
            (x - 0.5 * width, radius + 0.0006),
            (x + 0.5 * width, radius + 0.0006),
            (x + 0.5 * width, radius - 0.001),
        ],
        28,
    )


def bolts(x, count=6, ring=0.014):
    return around_x(cylinder(0.004, 0.0018, 8).moved(x=x, z=ring), count)


def upright(mesh):
    """Returns a mesh along x turned to z."""
    return mesh.turned(pitch=-90.0)


def armbase():
    model = Model("Reach Alpha 5 arm base")
    model.add("housing", HOUSING, housing(-0.150, -0.004))
    model.add("ring", ACCENT, band(-0.128) + band(-0.020))
    model.add("bolts", STEEL, bolts(-0.1515) + bolts(-0.004))
    clamp = ring_of(
        [(-0.1, RADIUS - 0.001), (-0.1, RADIUS + 0.003), (-0.07, RADIUS + 0.003), (-0.07, RADIUS - 0.001)], 28
    )
    model.add(
        "clamp", DARK_STEEL, clamp + box((0.030, 0.016, 0.008), 0.002).moved(x=-0.085, z=RADIUS + 0.004)
    )
    model.add("connector", BLACK_PLASTIC, cylinder(0.018, 0.007, 16, 0.002).moved(x=-0.150, z=-0.006))
    return model


def shoulder():
    model = Model("Reach Alpha 5 shoulder")
    model.add("housing", HOUSING, upright(housing(-0.023, 0.040)))
    model.add("ring", ACCENT, upright(band(0.010)))
    yoke = extrude(
        rounded_polygon(
            [
                (-0.004, -0.018),
                (0.020, -0.020),
                (0.038, -0.012),
                (0.038, 0.012),
                (0.020, 0.020),
                (-0.004, 0.018),
            ],
            0.008,
        ),
        0.010,
        (),
        0.002,
    )
    model.add("yoke", DARK_STEEL, yoke.moved(z=0.034))
    model.add("bolts", STEEL, upright(bolts(0.0405) + bolts(-0.0235)))
    return model


def upperarm():
    model = Model("Reach Alpha 5 upper arm")
    model.add("housing", HOUSING, housing(0.012, 0.138))
    joint = cylinder(0.040, RADIUS, 28, 0.004).turned(pitch=90.0)
    model.add("joints", DARK_STEEL, joint + joint.moved(x=0.150))
    model.add("rings", ACCENT, band(0.035) + band(0.115))
    caps = cylinder(0.004, 0.013, 20, 0.001).turned(pitch=90.0)
    model.add(
        "caps",
        ALUMINIUM,
        caps.moved(z=0.021)
        + caps.moved(z=-0.021)
        + caps.moved(x=0.150, z=0.021)
        + caps.moved(x=0.150, z=-0.021),
    )
    return model


def elbow():
    model = Model("Reach Alpha 5 elbow")
    model.add("housing", HOUSING, upright(housing(-0.020, 0.020)))
    model.add("ring", ACCENT, upright(band(0.0)))
    model.add("bolts", STEEL, upright(bolts(0.0205) + bolts(-0.0205)))
    block = box((0.026, 0.026, 0.026), 0.005, 3).moved(x=0.014, y=-0.012)
    model.add("block", DARK_STEEL, block)
    return model


def wrist():
    model = Model("Reach Alpha 5 wrist")
    model.add("housing", HOUSING, upright(housing(-0.140, -0.002)))
    model.add("rings", ACCENT, upright(band(-0.120) + band(-0.022)))
    neck = revolve([(-0.152, 0.010), (-0.150, 0.013), (-0.142, 0.014), (-0.139, 0.017)], 24)
    model.add("neck", ALUMINIUM, upright(neck))
    model.add("bolts", STEEL, upright(bolts(-0.1405, 6, 0.016)))
    return model


def jaw():
    """The fingers point along -z, as the jaw of the arm does in the axes of its body."""
    model = Model("Reach Alpha 5 jaw")
    finger = extrude(
        rounded_polygon(
            [
                (0.0015, -0.040),
                (0.010, -0.036),
                (0.022, -0.010),
                (0.030, 0.020),
                (0.026, 0.050),
                (0.006, 0.050),
                (0.010, 0.018),
                (0.004, -0.008),
            ],
            0.004,
        ),
        0.010,
        (),
        0.0015,
    )
    one = finger.turned(roll=90.0).moved(y=0.005)
    model.add("fingers", DARK_STEEL, one + one.scaled(x=-1.0))
    teeth = Mesh()
    for k in range(6):
        teeth += box((0.003, 0.008, 0.002), 0.0005, 1).moved(x=0.0022, z=-0.036 + 0.005 * k)
    model.add("teeth", STEEL, teeth + teeth.scaled(x=-1.0))
    model.add("base", ALUMINIUM, box((0.044, 0.012, 0.012), 0.003).moved(z=0.044))
    return model


MODELS = {
    "reach_alpha5_armbase": armbase,
    "reach_alpha5_shoulder": shoulder,
    "reach_alpha5_upperarm": upperarm,
    "reach_alpha5_elbow": elbow,
    "reach_alpha5_wrist": wrist,
    "reach_alpha5_jaw": jaw,
}
