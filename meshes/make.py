#!/usr/bin/env python3
"""Makes the meshes of this folder: hulls by rule, no scans and no drawings of others.

    meshes/make.py            writes them
    meshes/make.py --check    exits 1 if one is not what this makes
"""

import math
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent


class Mesh:
    """Triangles, corners joined where they fall together."""

    def __init__(self):
        self.corners, self.index, self.triangles = [], {}, []

    def corner(self, p):
        key = tuple(round(x, 9) + 0.0 for x in p)
        if key not in self.index:
            self.index[key] = len(self.corners)
            self.corners.append(key)
        return self.index[key]

    def triangle(self, a, b, c):
        t = [self.corner(p) for p in (a, b, c)]
        if len(set(t)) == 3:
            self.triangles.append(t)

    def quad(self, a, b, c, d):
        self.triangle(a, b, c)
        self.triangle(a, c, d)

    def text(self, title):
        lines = [f"# {title}"]
        lines += ["v " + " ".join(f"{x:.9g}" for x in p) for p in self.corners]
        lines += ["f " + " ".join(str(k + 1) for k in t) for t in self.triangles]
        return "\n".join(lines) + "\n"


def ball(radius, level):
    """A sphere of 8 * 4^level triangles from an octahedron, scaled so that it has the sphere's volume; z = 0 is made of edges."""
    tips = [(1, 0, 0), (0, 1, 0), (-1, 0, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)]
    faces = [(tips[k], tips[(k + 1) % 4], tips[4]) for k in range(4)]
    faces += [(tips[(k + 1) % 4], tips[k], tips[5]) for k in range(4)]

    def middle(a, b):
        p = [x + y for x, y in zip(a, b)]
        n = math.sqrt(sum(x * x for x in p))
        return tuple(x / n for x in p)

    for _ in range(level):
        halved = []
        for a, b, c in faces:
            ab, bc, ca = middle(a, b), middle(b, c), middle(c, a)
            halved += [(a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca)]
        faces = halved

    def volume(a, b, c):
        return sum(
            a[i] * (b[(i + 1) % 3] * c[(i + 2) % 3] - b[(i + 2) % 3] * c[(i + 1) % 3]) for i in range(3)
        ) / 6

    scale = radius * (4 / 3 * math.pi / sum(volume(*f) for f in faces)) ** (1 / 3)
    mesh = Mesh()
    for f in faces:
        mesh.triangle(*[[scale * x for x in p] for p in f])
    return mesh


def wigley(length, beam, draught, freeboard, stations, lines, rows):
    """Wigley's parabolic hull y = ±B/2 (1 - (2x/L)²)(1 - (z/T)²), straight sides above z = 0, a flat deck."""
    mesh = Mesh()
    xs = [-0.5 * length * math.cos(math.pi * i / stations) for i in range(stations + 1)]
    zs = [-draught * math.cos(0.5 * math.pi * j / lines) for j in range(lines + 1)]
    zs += [freeboard * (j + 1) / rows for j in range(rows)]
    zs[lines] = 0.0

    def point(i, j, side):
        x, z = xs[i], zs[j]
        full = (1 - (2 * x / length) ** 2) * (1 - (min(z, 0.0) / draught) ** 2)
        return (x, side * 0.5 * beam * full, z)

    for i in range(stations):
        for j in range(len(zs) - 1):
            for side in (1, -1):
                q = [point(i, j, side), point(i + 1, j, side), point(i + 1, j + 1, side), point(i, j + 1, side)]
                mesh.quad(*(q if side < 0 else q[::-1]))
        top = len(zs) - 1
        mesh.quad(point(i, top, -1), point(i + 1, top, -1), point(i + 1, top, 1), point(i, top, 1))
    return mesh


MESHES = {
    "ball_2m.obj": (ball(1.0, 4), "a sphere of 2 m with its exact volume, 2048 triangles"),
    "wigley_2m4.obj": (
        wigley(2.4, 0.7, 0.22, 0.2, 24, 6, 2),
        "Wigley's hull, 2.4 x 0.7 m, draught 0.22 m, freeboard 0.2 m",
    ),
    "wigley_2m4_coarse.obj": (
        wigley(2.4, 0.7, 0.22, 0.2, 20, 5, 1),
        "the same hull of fewer triangles, for fleets",
    ),
}


def main():
    wrong = []
    for name, (mesh, title) in MESHES.items():
        path, text = HERE / name, mesh.text(title)
        if "--check" in sys.argv:
            if not path.is_file() or path.read_text() != text:
                wrong.append(name)
        else:
            path.write_text(text)
            print(f"{name}: {len(mesh.triangles)} triangles")
    sys.exit(f"differs from the output of make.py: {', '.join(wrong)}" if wrong else 0)


if __name__ == "__main__":
    main()
