"""Extrusions of polygons with holes and bevelled edges."""

import math

from shapes import Mesh


def area(polygon):
    """Returns the signed area of a polygon, positive if it is counter-clockwise."""
    pairs = zip(polygon, polygon[1:] + polygon[:1])
    return 0.5 * sum(a[0] * b[1] - b[0] * a[1] for a, b in pairs)


def side(a, b, c):
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def bridged(outline, holes):
    """Returns one ring of indices into all points that runs around the outline and, over a bridge,
    around every hole."""
    points = list(outline)
    ring = list(range(len(outline)))
    starts = []
    for hole in holes:
        starts.append((max(range(len(hole)), key=lambda k: hole[k][0]), len(points), len(hole)))
        points += hole
    starts.sort(key=lambda s: -points[s[1] + s[0]][0])
    for rightmost, first, count in starts:
        h = first + rightmost
        at = min(
            (k for k in range(len(ring)) if is_free(points, ring, h, ring[k])),
            key=lambda k: distance(points[h], points[ring[k]]),
        )
        hole = [first + (rightmost + k) % count for k in range(count)]
        ring = ring[: at + 1] + hole + [h] + ring[at:]
    return points, ring


def distance(a, b):
    return (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2


def is_free(points, ring, h, k):
    """Returns whether the segment from point `h` to point `k` of the ring crosses no edge."""
    p, q = points[h], points[k]
    if q[0] < p[0]:
        return False
    for a, b in zip(ring, ring[1:] + ring[:1]):
        if k in (a, b) or h in (a, b):
            continue
        A, B = points[a], points[b]
        if side(p, q, A) * side(p, q, B) <= 0.0 and side(A, B, p) * side(A, B, q) <= 0.0:
            return False
    return True


def triangles(outline, holes=()):
    """Returns all points and the triangles of a polygon with holes, by ear clipping. The outline is
    counter-clockwise, the holes are clockwise."""
    points, ring = bridged(outline, holes)
    out = []
    while len(ring) > 3:
        best = None
        for k in range(len(ring)):
            a, b, c = ring[k - 1], ring[k], ring[(k + 1) % len(ring)]
            turn = side(points[a], points[b], points[c])
            if turn <= 1e-14:
                continue
            inside = any(
                i not in (a, b, c)
                and points[i] not in (points[a], points[b], points[c])
                and side(points[a], points[b], points[i]) >= 0.0
                and side(points[b], points[c], points[i]) >= 0.0
                and side(points[c], points[a], points[i]) >= 0.0
                for i in ring
            )
            if not inside:
                longest = max(
                    distance(points[a], points[b]),
                    distance(points[b], points[c]),
                    distance(points[c], points[a]),
                )
                quality = turn / longest
                if best is None or quality > best[0]:
                    best = (quality, k)
        if best is None:
            best = (
                0.0,
                next(
                    (
                        k
                        for k in range(len(ring))
                        if side(points[ring[k - 1]], points[ring[k]], points[ring[(k + 1) % len(ring)]])
                        > -1e-14
                    ),
                    0,
                ),
            )
        k = best[1]
        out.append((ring[k - 1], ring[k], ring[(k + 1) % len(ring)]))
        del ring[k]
    out.append(tuple(ring))
    return points, out


def inset(polygon, by):
    """Returns a polygon moved inwards by `by` [m]; the polygon is counter-clockwise."""
    out = []
    for k in range(len(polygon)):
        a, b, c = polygon[k - 1], polygon[k], polygon[(k + 1) % len(polygon)]
        u, v = (b[0] - a[0], b[1] - a[1]), (c[0] - b[0], c[1] - b[1])
        lu, lv = math.hypot(*u) or 1.0, math.hypot(*v) or 1.0
        n = (-(u[1] / lu + v[1] / lv), u[0] / lu + v[0] / lv)
        scale = by * 2.0 / max(n[0] ** 2 + n[1] ** 2, 0.5)
        out.append((b[0] + n[0] * scale, b[1] + n[1] * scale))
    return out


def extrude(outline, height, holes=(), bevel=0.0):
    """Returns the solid over a polygon of (x, y) from z = 0 to `height` [m], with holes and bevelled
    edges."""
    outline = list(outline) if area(outline) > 0 else list(reversed(outline))
    holes = [list(h) if area(h) < 0 else list(reversed(h)) for h in holes]
    loops = [outline] + holes
    inner = [inset(loop, bevel) for loop in loops] if bevel > 0.0 else loops
    levels = [(loops, 0.0), (loops, height)]
    if bevel > 0.0:
        levels = [(inner, 0.0), (loops, bevel), (loops, height - bevel), (inner, height)]
    flat, faces_2d = triangles(inner[0], inner[1:])
    count = len(flat)
    points = [(x, y, z) for level, z in levels for loop in level for x, y in loop]
    top = (len(levels) - 1) * count
    faces = [(c, b, a) for a, b, c in faces_2d] + [(a + top, b + top, c + top) for a, b, c in faces_2d]
    for level in range(len(levels) - 1):
        first = level * count
        for loop in loops:
            n = len(loop)
            for k in range(n):
                a, b = first + k, first + (k + 1) % n
                faces += [(a, b, b + count), (a, b + count, a + count)]
            first += n
    return Mesh(points, faces)


def plate(outline, thickness, holes=(), bevel=0.0):
    """Returns a plate in the plane of x and z, centred at y = 0, from a polygon of (x, z)."""
    return extrude(outline, thickness, holes, bevel).moved(z=-0.5 * thickness).turned(roll=90.0)
