"""Creates the MuJoCo models of the worlds with contacts, from the scene data that benches/contact.rs prints.

    python contact_models.py SCENES.json ROBOT.urdf FOLDER    writes FOLDER/mujoco_WORLD.xml for every world

Run by benches/run in its own Python environment; not meant to be imported.
"""

import json
import sys
from pathlib import Path

import mujoco
from models import WATER_VISCOSITY_PA_S


def spec_of(scene, spec):
    """Sets water, step and seabed of `scene` in `spec`."""
    spec.option.timestep = scene["step_s"]
    spec.option.gravity = [0, 0, -scene["gravity"]]
    spec.option.density = scene["density"]
    spec.option.viscosity = WATER_VISCOSITY_PA_S
    rough = [scene["bottom_friction"], 0, 0]
    plane = mujoco.mjtGeom.mjGEOM_PLANE
    spec.worldbody.add_geom(name="bottom", type=plane, size=[0, 0, 1], pos=[0, 0, scene["bottom_m"]], friction=rough)
    return spec


def buoyancy(scene, link):
    """Returns the gravity compensation that replaces buoyancy, which MuJoCo does not model."""
    return 1 - link["net_weight"] / (link["mass"] * scene["gravity"])


def boxes(scene):
    """Creates a world of single boxes with the drag of ellipsoids."""
    spec = spec_of(scene, mujoco.MjSpec())
    for robot in scene["robots"]:
        (link,), (box,) = robot["links"], robot["boxes"]
        body = spec.worldbody.add_body(
            name=robot["name"],
            pos=robot["position"],
            quat=robot["quaternion"],
            mass=link["mass"],
            ipos=[0, 0, 0],
            iquat=[1, 0, 0, 0],
            inertia=robot["base_inertia"],
            gravcomp=buoyancy(scene, link),
            explicitinertial=True,
        )
        body.add_freejoint()
        rough = [box["friction"], 0, 0]
        geom = body.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=box["half"], friction=rough)
        geom.fluid_ellipsoid = 1
    return spec


def arm(scene, urdf):
    """Creates the robot of a URDF: hulls as ellipsoids for drag, the collision boxes of Merrow, joints with springs."""
    (robot,) = scene["robots"]
    # the hulls are the visuals of the URDF, which MuJoCo discards by default
    keep = '<mujoco><compiler discardvisual="false" fusestatic="true"/></mujoco>'
    spec = spec_of(scene, mujoco.MjSpec.from_string(urdf.read_text().replace("</robot>", f"{keep}</robot>")))
    touching = {box["name"]: box["friction"] for box in robot["boxes"]}
    base = spec.bodies[1]
    base.add_freejoint()
    base.pos, base.quat = robot["position"], robot["quaternion"]
    for geom in spec.geoms:
        if geom.name in touching:
            geom.friction = [touching.pop(geom.name), 0, 0]
        elif geom.name != "bottom":
            geom.fluid_ellipsoid = 1
            geom.contype = geom.conaffinity = 0
    if touching:
        raise SystemExit(f"the URDF has no shapes {', '.join(touching)}")
    start = [*robot["position"], *robot["quaternion"]]
    for link in robot["links"]:
        body = next(body for body in spec.bodies if body.name.rpartition("/")[2] == link["name"])
        body.gravcomp = buoyancy(scene, link)
        if link["joint"]:
            joint = spec.joint(link["joint"]["name"])
            joint.stiffness = [link["joint"]["stiffness"], 0, 0]
            joint.springref = link["joint"]["rest"]
            joint.damping = [link["joint"]["damping"], 0, 0]
            start.append(link["joint"]["start"])
    spec.add_key(name="start", qpos=start)
    return spec


def main():
    """Writes the models."""
    scenes, urdf, folder = (Path(argument) for argument in sys.argv[1:])
    for scene in json.loads(scenes.read_text()):
        spec = boxes(scene) if len(scene["robots"]) > 1 else arm(scene, urdf)
        spec.compile()
        path = folder / f"mujoco_{scene['name']}.xml"
        path.write_text(spec.to_xml())
        model = mujoco.MjModel.from_xml_path(str(path))
        mass = sum(link["mass"] for robot in scene["robots"] for link in robot["links"])
        if abs(model.body_subtreemass[0] - mass) > 1e-6:
            raise SystemExit(f"{scene['name']}: {model.body_subtreemass[0]} kg, expected {mass} kg")


if __name__ == "__main__":
    main()
