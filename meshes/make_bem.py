#!/usr/bin/env python3
"""Makes the tables of meshes/bem: a floating hemisphere in deep water, by Capytaine 3.0 (pip install capytaine netcdf4).

    meshes/make_bem.py <folder>    writes hemisphere_r1.{1,3,3sc,hst} and hemisphere_r1.nc there
"""

import pathlib
import sys

import capytaine as cpt
import numpy as np
from capytaine.io import wamit
from capytaine.io.xarray import separate_complex_values

RADIUS, G, RHO = 1.0, 9.81, 1000.0
# wave number times radius
KA = [0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.2, 1.5, 1.8, 2.0, 2.5, 3.0, 4.0, 5.0]


def main():
    out = pathlib.Path(sys.argv[1])
    mesh = cpt.mesh_sphere(radius=RADIUS, resolution=(24, 32), center=(0, 0, 0), name="hemisphere").immersed_part()
    body = cpt.FloatingBody(
        mesh=mesh,
        lid_mesh=mesh.generate_lid(z=-0.02),
        dofs=cpt.rigid_body_dofs(rotation_center=(0, 0, 0)),
        center_of_mass=(0, 0, 0),
    )
    omega = [float(np.sqrt(ka * G / RADIUS)) for ka in KA]
    common = {"body": body, "rho": RHO, "g": G, "water_depth": np.inf}
    problems = [
        cpt.RadiationProblem(radiating_dof=dof, omega=w, **common)
        for w in [*omega, 0.0, np.inf]
        for dof in body.dofs
    ]
    problems += [
        cpt.DiffractionProblem(wave_direction=beta, omega=w, **common)
        for w in omega
        for beta in np.radians([0, 45, 90, 135, 180])
    ]
    results = cpt.BEMSolver().solve_all(problems, keep_details=False, progress_bar=False)
    data = cpt.assemble_dataset(results)
    data["hydrostatic_stiffness"] = body.compute_hydrostatic_stiffness(rho=RHO, g=G)
    wamit.export_to_wamit(data, str(out / "hemisphere_r1"))
    (out / "hemisphere_r1.3fk").unlink()
    separate_complex_values(data).to_netcdf(out / "hemisphere_r1.nc", format="NETCDF3_64BIT")


if __name__ == "__main__":
    main()
