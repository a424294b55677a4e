"""Runs the scenes of contact.rs in MuJoCo.

    python mujoco_contact.py SCENES.json TRAJECTORIES.json

Every number of a scene comes from SCENES.json. This file only defines the parameters that make MuJoCo's soft
contacts nearly rigid. Poses are [x, y, z, qw, qx, qy, qz] of the bodies' centres of mass in the world, z up, at the
samples that contact.rs requests.
"""

import json
import math
import sys

import mujoco

# Time step [s].
STEP = 1e-4
# Time constant of a contact (twice the step, the minimum that MuJoCo allows), and damping ratio. A contact only pushes,
# so with critical damping the body still rebounds with an eighth of the impact speed, because the spring returns more
# than the damper holds. At ten times that damping the rebound is a four-hundredth.
STIFFNESS = "2e-4 10"
# Impedance of a contact, close to a rigid constraint: the maximum that MuJoCo allows.
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
    # The solver needs this small tolerance: with 1e-12 a nearly stationary block bounces on its corners by a tenth of a
    # micrometre and loses a hundredth of its friction.
    friction = scene["friction"]
    bodies = "".join(body_xml(k, body, friction) for k, body in enumerate(scene["bodies"]))
    # The plane through the origin rises to the east by `slope`: its normal is rotated about -y.
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
        # Of a free joint: velocity in world axes, angular velocity in body axes.
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
