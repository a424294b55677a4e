#!/usr/bin/env python3
"""Writes plume.i16 and plume.yaml: a dye that a drain discharges into the river of `riverwatch`.

    python3 plume.py

The concentration is the steady solution of the depth-averaged equation of advection and diffusion
[Fischer et al. 1979, Mixing in Inland and Coastal Waters, section 5.1], with the current of the
world, a constant transverse coefficient of mixing, and no flux through the banks. It is solved by
steps of time with the flux limiter of van Leer (1974) until it is steady.
"""

from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
GRIDS = HERE / "../../grids/riverwatch"
STEP_M = 2.0
X0, Y0, NX, NY = -400.0, -180.0, 401, 181
SOURCE = (50.0, -20.0)  # east, north [m]
RATE_MG_S = 60.0
MIXING_M2_S = 0.05
TIME_S = 4000.0


def read(name, start, step, count, factor):
    """Returns a raster of the world, sampled at the points of the plume."""
    rows = np.fromfile(GRIDS / name, "<i2").reshape(count[1], count[0]) * factor
    x = np.clip((X0 + STEP_M * np.arange(NX) - start[0]) / step, 0, count[0] - 1.001)
    y = np.clip((Y0 + STEP_M * np.arange(NY) - start[1]) / step, 0, count[1] - 1.001)
    i, j = x.astype(int), y.astype(int)
    fx, fy = (x - i)[None, :], (y - j)[:, None]
    at = lambda dy, dx: rows[np.ix_(j + dy, i + dx)]
    return (1 - fy) * ((1 - fx) * at(0, 0) + fx * at(0, 1)) + fy * ((1 - fx) * at(1, 0) + fx * at(1, 1))


def flux(c, u, dt):
    """Returns the flux through the faces between the columns of c: upwind, limited to second order."""
    up, down = c[:, :-1], c[:, 1:]
    before = np.pad(c, ((0, 0), (1, 0)), mode="edge")[:, :-2]
    behind = np.pad(c, ((0, 0), (0, 1)), mode="edge")[:, 2:]
    jump = down - up
    back = np.where(u > 0, up - before, behind - down)
    ratio = back / np.where(np.abs(jump) < 1e-12, 1e-12, jump)
    limiter = (ratio + np.abs(ratio)) / (1 + np.abs(ratio))
    upwind = np.where(u > 0, up, down)
    return u * upwind + 0.5 * np.abs(u) * (1 - np.abs(u) * dt / STEP_M) * limiter * jump


def main():
    depth = -read("ground.i16", (-399, -180), 3.0, (267, 121), 0.001)
    east = read("current_east.i16", (-400, -180), 4.0, (201, 91), 0.0001)
    north = read("current_north.i16", (-400, -180), 4.0, (201, 91), 0.0001)
    wet = depth > 0.15
    depth = np.where(wet, depth, 0.0)
    # discharge per width and depth at the faces; none through the banks
    face = lambda v, a, b: np.where(wet[a] & wet[b], 0.5 * (v[a] + v[b]), 0.0)
    xa, xb = np.s_[:, :-1], np.s_[:, 1:]
    ya, yb = np.s_[:-1, :], np.s_[1:, :]
    u, v = face(east, xa, xb), face(north, ya, yb)
    hx, hy = face(depth, xa, xb), face(depth, ya, yb)
    dt = 0.2 * STEP_M / max(np.abs(u).max(), np.abs(v).max())
    c = np.zeros_like(depth)
    i, j = round((SOURCE[0] - X0) / STEP_M), round((SOURCE[1] - Y0) / STEP_M)
    assert wet[j, i], "the drain is on land"
    volume = np.maximum(depth, 0.15)
    for _ in range(int(TIME_S / dt)):
        fx = hx * (flux(c, u, dt) - MIXING_M2_S * np.diff(c, axis=1) / STEP_M)
        fy = hy * (flux(c.T, v.T, dt).T - MIXING_M2_S * np.diff(c, axis=0) / STEP_M)
        change = np.zeros_like(c)
        change[:, :-1] -= fx
        change[:, 1:] += fx
        change[:-1, :] -= fy
        change[1:, :] += fy
        # water that the rasters do not conserve dilutes or concentrates nothing
        balance = np.zeros_like(c)
        balance[:, :-1] -= hx * u
        balance[:, 1:] += hx * u
        balance[:-1, :] -= hy * v
        balance[1:, :] += hy * v
        c = c + dt / STEP_M * (change - balance * c) / volume
        c[j, i] += dt * RATE_MG_S / (volume[j, i] * STEP_M**2)
        c = np.where(wet, np.maximum(c, 0.0), 0.0)
        # the ends of the reach
        c[:, 0], c[:, -1] = np.where(u[:, 0] < 0, c[:, 1], 0), np.where(u[:, -1] > 0, c[:, -2], 0)
    values = np.round(c / 0.005).clip(0, 32767).astype("<i2")
    values.tofile(HERE / "plume.i16")
    (HERE / "plume.yaml").write_text(
        "# written by plume.py\ndata: plume.i16\nnumber: i16\nunit: ug/l\nfactor: 0.005\naxes:\n"
        f"- {{name: y, start: {Y0:g}, step: {STEP_M:g}, count: {NY}}}\n"
        f"- {{name: x, start: {X0:g}, step: {STEP_M:g}, count: {NX}}}\n"
    )
    print(f"largest concentration {c.max():.2f} ug/l, dyed area {(c > 0.5).sum() * STEP_M**2:.0f} m2")


if __name__ == "__main__":
    main()
