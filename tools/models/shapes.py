"""Closed triangle meshes: boxes, revolved profiles, extrusions, tubes, lofts and blades.

Lengths are in metres, angles in degrees, axes are forward, left, up. Every function returns a
closed mesh whose triangles are counter-clockwise seen from outside, unless its description states an exception.
"""

import math

TAU = 2.0 * math.pi


class Mesh:
    """Triangles of a closed surface: `points` [m] and `faces`, three indices of points each."""

    def __init__(self, points=(), faces=()):
        self.points = [tuple(p) for p in points]
        self.faces = [tuple(f) for f in faces]

    def __add__(self, other):
        n = len(self.points)
        return Mesh(self.points + other.points, self.faces + [tuple(k + n for k in f) for f in other.faces])

    def moved(self, x=0.0, y=0.0, z=0.0):
        """Returns the mesh moved by a vector [m]."""
        return Mesh([(p[0] + x, p[1] + y, p[2] + z) for p in self.points], self.faces)

    def turned(self, roll=0.0, pitch=0.0, yaw=0.0):
        """Returns the mesh rotated about x, then about y, then about z [deg]."""
        rows = rotation(roll, pitch, yaw)
        return Mesh([apply(rows, p) for p in self.points], self.faces)

    def scaled(self, x=1.0, y=1.0, z=1.0):
        """Returns the mesh scaled along the axes; a mirrored mesh keeps its outer side."""
        faces = self.faces if x * y * z > 0.0 else [(a, c, b) for a, b, c in self.faces]
        return Mesh([(p[0] * x, p[1] * y, p[2] * z) for p in self.points], faces)

    def bent(self, function):
        """Returns the mesh with every point replaced by `function(point)`."""
        return Mesh([function(p) for p in self.points], self.faces)


def both_sides(mesh):
    """Returns the mesh and its mirror image in the plane y = 0."""
    return mesh + mesh.scaled(y=-1.0)


def rotation(roll=0.0, pitch=0.0, yaw=0.0):
    """Returns the rows of the matrix that rotates about x, then y, then z [deg]."""
    (sr, cr), (sp, cp), (sy, cy) = [
        (math.sin(math.radians(a)), math.cos(math.radians(a))) for a in (roll, pitch, yaw)
    ]
    return (
        (cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr),
        (sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr),
        (-sp, cp * sr, cp * cr),
    )


def apply(rows, p):
    """Returns the matrix with these rows times a vector."""
    return tuple(r[0] * p[0] + r[1] * p[1] + r[2] * p[2] for r in rows)


def sub(a, b):
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def unit(a):
    n = math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]) or 1.0
    return (a[0] / n, a[1] / n, a[2] / n)


def grid(rows, closed_rows=False):
    """Returns the mesh of a grid of points whose rows are closed rings; the ends stay open unless
    the last row joins the first."""
    n, points = len(rows[0]), [p for row in rows for p in row]
    faces, last = [], len(rows) if closed_rows else len(rows) - 1
    for i in range(last):
        for j in range(n):
            a, b = i * n + j, i * n + (j + 1) % n
            c, d = (i + 1) % len(rows) * n + j, (i + 1) % len(rows) * n + (j + 1) % n
            faces += [(a, b, d), (a, d, c)]
    return Mesh(points, faces)


def loft(rings):
    """Returns the surface through rings of equally many points, with flat or pointed ends. Seen
    against the direction of the loft, the rings turn counter-clockwise."""
    mesh, n = grid(rings), len(rings[0])
    for first, flip in ((0, True), ((len(rings) - 1) * n, False)):
        ring = mesh.points[first : first + n]
        mesh.points.append(tuple(sum(p[k] for p in ring) / n for k in range(3)))
        center = len(mesh.points) - 1
        for j in range(n):
            a, b = first + j, first + (j + 1) % n
            mesh.faces.append((b, a, center) if flip else (a, b, center))
    return mesh


def revolve(profile, n=32):
    """Returns the surface of a profile of (x, radius), by increasing x, that turns about x."""
    ring = [(math.cos(TAU * k / n), math.sin(TAU * k / n)) for k in range(n)]
    return loft([[(x, r * c, r * s) for c, s in ring] for x, r in profile])


def ring_of(profile, n=32):
    """Returns the surface of a closed profile of (x, radius) that turns about x: ducts, tyres. The
    profile runs clockwise in the plane of x and radius: its outer side towards increasing x."""
    rows = [[(x, r * math.cos(TAU * k / n), r * math.sin(TAU * k / n)) for k in range(n)] for x, r in profile]
    return grid(rows, closed_rows=True)


def cylinder(length, radius, n=32, bevel=0.0):
    """Returns a cylinder along x about the origin, with bevelled edges."""
    h = 0.5 * length
    if bevel <= 0.0:
        return revolve([(-h, radius), (h, radius)], n)
    return revolve([(-h, radius - bevel), (-h + bevel, radius), (h - bevel, radius), (h, radius - bevel)], n)


def arc(center, radius, start, end, n):
    """Returns points (x, r) on a circle from the angle `start` to `end` [deg]."""
    turn = [math.radians(start + (end - start) * k / n) for k in range(n + 1)]
    return [(center[0] + radius * math.cos(a), center[1] + radius * math.sin(a)) for a in turn]


def sphere(radius, n=24):
    """Returns a sphere about the origin."""
    return revolve([(x, max(r, 0.0)) for x, r in arc((0, 0), radius, 180, 0, n // 2)], n)


def box(size, bevel=0.0, n=2):
    """Returns a box about the origin with rounded edges; `n` is the number of steps of an edge."""
    hx, hy, hz = (0.5 * s for s in size)
    b = max(bevel, 0.0)
    rows = []
    steps = range(n + 1) if b > 0.0 else range(1)
    angle = (lambda k: 90.0 * k / n) if b > 0.0 else (lambda k: 45.0)
    for up in (-1, 1):
        for i in steps:
            lat = math.radians(angle(i) - 90.0 if up < 0 else angle(i))
            row = []
            for q in range(4):
                sx, sy = (1, -1, -1, 1)[q], (1, 1, -1, -1)[q]
                for j in steps:
                    lon = math.radians(angle(j) + 90.0 * q)
                    row.append(
                        (
                            sx * (hx - b) + b * math.cos(lat) * math.cos(lon),
                            sy * (hy - b) + b * math.cos(lat) * math.sin(lon),
                            up * (hz - b) + b * math.sin(lat),
                        )
                    )
            rows.append(row)
    return loft(rows)


def tube(path, radius, n=12, closed=False):
    """Returns a round bar along a path of points [m]; `radius` is a number or one per point."""
    radii = radius if isinstance(radius, (list, tuple)) else [radius] * len(path)
    count = len(path)

    def tangent(k):
        before = path[(k - 1) % count] if closed or k > 0 else path[k]
        after = path[(k + 1) % count] if closed or k < count - 1 else path[k]
        a, b = unit(sub(path[k], before)), unit(sub(after, path[k]))
        return unit(tuple(x + y for x, y in zip(a, b)))

    t = tangent(0)
    side = cross(t, (0, 0, 1) if abs(t[2]) < 0.9 else (1, 0, 0))
    rows = []
    for k in range(count):
        t = tangent(k)
        across = unit(cross(t, cross(side, t)))
        side, up = across, cross(t, across)
        rows.append(
            [
                tuple(
                    path[k][i]
                    + radii[k] * (math.cos(TAU * j / n) * across[i] + math.sin(TAU * j / n) * up[i])
                    for i in range(3)
                )
                for j in range(n)
            ]
        )
    return grid(rows, closed_rows=True) if closed else loft(rows)


def rounded(path, radius, n=4, closed=False):
    """Returns a path whose corners are replaced by curves that begin `radius` [m] before them."""
    out, count = [], len(path)
    for k, p in enumerate(path):
        if not closed and k in (0, count - 1):
            out.append(p)
            continue
        ends = []
        for other in (path[(k - 1) % count], path[(k + 1) % count]):
            way = sub(other, p)
            length = math.sqrt(sum(x * x for x in way))
            ends.append(tuple(x + min(radius, 0.45 * length) * d for x, d in zip(p, unit(way))))
        for i in range(n + 1):
            s = i / n
            out.append(
                tuple(
                    (1 - s) ** 2 * a + 2 * s * (1 - s) * b + s * s * c for a, b, c in zip(ends[0], p, ends[1])
                )
            )
    return out


def rounded_polygon(corners, radius, n=3):
    """Returns a polygon of (x, y) with rounded corners."""
    return [(x, y) for x, y, _ in rounded([(x, y, 0.0) for x, y in corners], radius, n, closed=True)]


def circle(center, radius, n=32):
    """Returns a polygon of (x, y), counter-clockwise."""
    return [
        (center[0] + radius * math.cos(TAU * k / n), center[1] + radius * math.sin(TAU * k / n))
        for k in range(n)
    ]


def rectangle(x0, y0, x1, y1, radius=0.0, n=3):
    """Returns a rectangle as a polygon of (x, y), counter-clockwise, with rounded corners."""
    corners = [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]
    return rounded_polygon(corners, radius, n) if radius > 0.0 else corners


def foil(chord, thickness, n=16):
    """Returns a symmetric aerofoil as a polygon of (x, y): nose at the origin, tail at -chord.
    `thickness` is relative to the chord. [NACA four digits, closed tail]"""
    half = []
    for k in range(n + 1):
        s = 0.5 * (1.0 - math.cos(math.pi * k / n))
        y = (
            5
            * thickness
            * (0.2969 * math.sqrt(s) - 0.1260 * s - 0.3516 * s**2 + 0.2843 * s**3 - 0.1036 * s**4)
        )
        half.append((-chord * s, chord * y))
    return half[:-1] + [(x, -y) for x, y in reversed(half[1:])]


def fin(root, tip, span, sweep, thickness=0.12, n=10):
    """Returns a fin along z from the chord `root` at z = 0 to the chord `tip` at z = span [m]. The
    nose of the root is at the origin, the nose of the tip is `sweep` [m] aft; the tip is rounded."""
    rings = []
    steps = [(0.0, 1.0), (0.5, 1.0), (0.9, 1.0), (0.97, 0.75), (1.0, 0.25)]
    for s, thin in steps:
        chord = root + (tip - root) * s
        rings.append([(x - sweep * s, y, span * s) for x, y in foil(chord, thickness * thin, n)])
    return loft(rings)


def blade(root, tip, chords, pitch, thickness=0.12, camber=0.0, steps=4, n=5, rake=0.0):
    """Returns a propeller blade about x from the radius `root` to `tip` [m]. `chords` are the
    chords [m] at root, mid and tip, `pitch` [m] the advance per turn: positive for a right-handed
    propeller that pushes towards +x."""
    rings = []
    for k in range(steps + 1):
        s = k / steps
        r = root + (tip - root) * s
        chord = chords[0] * (1 - s) * (1 - 2 * s) + 4 * chords[1] * s * (1 - s) + chords[2] * s * (2 * s - 1)
        angle = math.atan2(pitch, TAU * r)
        ring = []
        for x, y in foil(max(chord, 1e-3), thickness * (1 - 0.5 * s), n):
            u, v = x + 0.5 * chord, y + camber * chord * (0.25 - (x / chord + 0.5) ** 2)
            along, around = u * math.sin(angle) + v * math.cos(angle), u * math.cos(angle) - v * math.sin(
                angle
            )
            phi = around / r
            ring.append((along + rake * s, -r * math.sin(phi), r * math.cos(phi)))
        rings.append(ring)
    return loft(rings)


def around_x(mesh, count, start=0.0):
    """Returns `count` copies of a mesh, turned about x."""
    out = Mesh()
    for k in range(count):
        out += mesh.turned(roll=start + 360.0 * k / count)
    return out
