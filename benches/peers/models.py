"""Creates the models of one robot for the other programs from its URDF, so that all programs use the same tree.

    python models.py ROBOT.urdf FOLDER STEP_S    writes FOLDER/pinocchio.txt and FOLDER/mujoco.xml

Run by benches/run in its own Python environment; not meant to be imported.
"""

import sys
from pathlib import Path

import mujoco
import pinocchio

WATER_DENSITY_KG_M3 = 997.0
WATER_VISCOSITY_PA_S = 0.001


def write_pinocchio(urdf, path):
    """Writes the free-flying model that Pinocchio reads from the URDF in the format of peers/pinocchio.cpp: one joint per line.

    Pinocchio's parser merges links that are fixed to others.
    """
    model = pinocchio.buildModelFromUrdf(str(urdf), pinocchio.JointModelFreeFlyer())
    lines = []
    for i in range(1, model.njoints):
        kind = model.joints[i].shortname()
        if kind != ("JointModelFreeFlyer" if i == 1 else "JointModelRZ"):
            raise SystemExit(f"{model.names[i]} is a {kind}: peers/pinocchio.cpp builds revolute joints about z only")
        place, body = model.jointPlacements[i], model.inertias[i]
        # Eigen matrices are column-major
        numbers = [*place.rotation.T.flat, *place.translation, body.mass, *body.lever, *body.inertia.T.flat]
        lines.append(" ".join([str(model.parents[i]), *(repr(float(x)) for x in numbers)]))
    path.write_text("\n".join(lines) + "\n")


def write_mujoco(urdf, path, step_s):
    """Writes a free-floating MJCF: RK4, ellipsoid fluid on every hull, no contacts, no joint limits."""
    spec = mujoco.MjSpec.from_file(str(urdf))
    # merge fixed links, as Pinocchio does; free the root, which the URDF import fixes to the world
    spec.compiler.fusestatic = True
    spec.bodies[1].add_freejoint()
    spec.option.timestep = step_s
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_RK4
    spec.option.density = WATER_DENSITY_KG_M3
    spec.option.viscosity = WATER_VISCOSITY_PA_S
    spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    for geom in spec.geoms:
        geom.fluid_ellipsoid = 1
        geom.contype = geom.conaffinity = 0
    spec.compile()
    path.write_text(spec.to_xml())


def main():
    """Writes both models."""
    urdf, folder, step_s = Path(sys.argv[1]), Path(sys.argv[2]), float(sys.argv[3])
    write_pinocchio(urdf, folder / "pinocchio.txt")
    write_mujoco(urdf, folder / "mujoco.xml", step_s)


if __name__ == "__main__":
    main()
