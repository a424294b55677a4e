"""The scenes of contact.rs in MuJoCo.

    python mujoco_contact.py SCENES.json TRAJECTORIES.json

Every number of a scene comes from SCENES.json; only what makes MuJoCo's soft contacts nearly rigid stands here.
Poses are [x, y, z, qw, qx, qy, qz] of the bodies' centres of mass in the world, z up, at the samples that contact.rs
asks for.
"""

import json
import math
import sys

import mujoco

# Step in s.
STEP = 1e-4
# Time in which a contact takes up an overlap (twice the step, the least that MuJoCo allows), and damping over the critical
# one. A contact only pushes, so one that is damped critically still throws back an eighth of the speed of the impact, as its
# spring gives back more than its damper holds; at ten times that damping it is a four-hundredth.
STIFFNESS = "2e-4 10"
# The share of a contact's force that is a constraint's and no spring's: the most that MuJoCo allows.
IMPEDANCE = "0.9999 0.9999 0.001"


def numbers(values):
    return " ".join(repr(float(v)) for v in values)


def body_xml(k, body, friction):
    shape = body["shape"]
    kind, size = ("sphere", [shape["radius"]]) if "radius" in shape else ("box", shape["half"])
    inertia = numbers(body["inertia"])
    return f"""
    <body name="body{k}" pos="{numbers(body["position"])}" quat="{numbers(body["attitude"])}">
      <freejoint/>
      <inertial pos="0 0 0" mass="{body["mass"]!r}" diaginertia="{inertia}"/>
      <geom type="{kind}" size="{numbers(size)}" friction="{friction!r} 0 0"/>
    </body>"""


def model_of(scene):
    # the solver's tolerance is that small as with 1e-12 a block that slides hardly at all jumps about on its corners, by a
    # tenth of a micrometre, and loses a hundredth of its friction
    friction = scene["friction"]
    bodies = "".join(body_xml(k, body, friction) for k, body in enumerate(scene["bodies"]))
    # the plane through the origin rises to the east by `slope`: its normal is turned about -y
    half = 0.5 * math.atan(scene["slope"])
    plane = f"{math.cos(half)!r} 0 {-math.sin(half)!r} 0"
    return mujoco.MjModel.from_xml_string(f"""
<mujoco>
  <option timestep="{STEP!r}" gravity="0 0 {-scene["gravity"]!r}" integrator="RK4" cone="elliptic" impratio="100"
          density="0" viscosity="0" tolerance="1e-15" ls_tolerance="1e-10" iterations="100" ls_iterations="100"/>
  <default><geom condim="3" solref="{STIFFNESS}" solimp="{IMPEDANCE}"/></default>
  <worldbody>
    <geom type="plane" size="0 0 1" quat="{plane}" friction="{friction!r} 0 0"/>{bodies}
  </worldbody>
</mujoco>""")


def trajectory(scene):
    model = model_of(scene)
    data = mujoco.MjData(model)
    for k, body in enumerate(scene["bodies"]):
        # of a free joint: velocity in the world's axes, angular velocity in the body's
        data.qvel[6 * k : 6 * k + 3] = body["velocity"]
        data.qvel[6 * k + 3 : 6 * k + 6] = body["spin"]
    between = round(scene["sample_s"] / STEP)
    poses = []
    for _ in range(scene["samples"]):
        mujoco.mj_step(model, data, nstep=between)
        poses.append([data.qpos[7 * k : 7 * k + 7].tolist() for k in range(len(scene["bodies"]))])
    if data.warning.number.any():
        sys.exit(f"mujoco_contact.py: {scene['name']}: MuJoCo warned: {data.warning.number.tolist()}")
    return poses


def main():
    scenes, trajectories = sys.argv[1:]
    with open(scenes) as file:
        result = {scene["name"]: trajectory(scene) for scene in json.load(file)}
    with open(trajectories, "w") as file:
        json.dump(result, file)


main()
