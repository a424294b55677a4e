"""Models of named parts with materials, and their glTF files (binary, y up)."""

import json
import math
import struct

# Resolution of the coordinates [m]. It makes the bytes independent of the mathematical library.
RESOLUTION = 1e-5


class Material:
    """A surface: `color` is the linear reflectance for red, green and blue."""

    def __init__(self, name, color, roughness=0.6, metallic=0.0):
        self.name, self.color, self.roughness, self.metallic = name, color, roughness, metallic


class Model:
    """Named parts: each a list of (material, mesh) with a position [m] and a rotation matrix."""

    def __init__(self, title):
        self.title = title
        self.parts = []

    def add(self, name, material, mesh, at=(0.0, 0.0, 0.0), turn=None):
        """Adds a part of one material. A mesh that several parts use is written once."""
        self.parts.append((name, [(material, mesh)], at, turn))

    def add_group(self, name, surfaces, at=(0.0, 0.0, 0.0), turn=None):
        """Adds a part of several (material, mesh)."""
        self.parts.append((name, surfaces, at, turn))

    def triangle_count(self):
        """Returns the number of triangles of all parts."""
        return sum(len(compact(mesh)[1]) for _, surfaces, _, _ in self.parts for _, mesh in surfaces)

    def to_bytes(self):
        """Returns the glTF file."""
        writer = Writer()
        for name, surfaces, at, turn in self.parts:
            writer.add_node(name, surfaces, at, turn)
        return writer.to_bytes(self.title)


def compact(mesh):
    """Returns points in units of the resolution and faces, with equal points merged and triangles
    without area dropped."""
    index, points, faces = {}, [], []

    def place(p):
        # y up: x stays, y becomes -z, z becomes y
        key = tuple(round(c / RESOLUTION) for c in (p[0], p[2], -p[1]))
        if key not in index:
            index[key] = len(points)
            points.append(key)
        return index[key]

    numbers = [place(p) for p in mesh.points]
    for f in mesh.faces:
        a, b, c = (numbers[k] for k in f)
        if a != b and b != c and c != a:
            faces.append((a, b, c))
    used = {}
    for f in faces:
        for k in f:
            used.setdefault(k, len(used))
    order = sorted(used, key=used.get)
    return [points[k] for k in order], [tuple(used[k] for k in f) for f in faces]


def quaternion(rows):
    """Returns the quaternion (x, y, z, w) of a rotation matrix, in axes with y up."""
    m = rows
    w = 0.5 * math.sqrt(max(0.0, 1 + m[0][0] + m[1][1] + m[2][2]))
    x = 0.5 * math.sqrt(max(0.0, 1 + m[0][0] - m[1][1] - m[2][2]))
    y = 0.5 * math.sqrt(max(0.0, 1 - m[0][0] + m[1][1] - m[2][2]))
    z = 0.5 * math.sqrt(max(0.0, 1 - m[0][0] - m[1][1] + m[2][2]))
    if w > 1e-6:
        x, y, z = (
            math.copysign(x, m[2][1] - m[1][2]),
            math.copysign(y, m[0][2] - m[2][0]),
            math.copysign(z, m[1][0] - m[0][1]),
        )
    elif x >= max(y, z):
        y, z = math.copysign(y, m[0][1] + m[1][0]), math.copysign(z, m[0][2] + m[2][0])
    elif y >= z:
        z = math.copysign(z, m[1][2] + m[2][1])
    return [round(v, 7) + 0.0 for v in (x, z, -y, w)]


class Writer:
    """Lists of one glTF file while it is written."""

    def __init__(self):
        self.nodes, self.meshes, self.materials, self.accessors, self.views = [], [], [], [], []
        self.binary = bytearray()
        self.known_meshes, self.known_materials, self.kept = {}, {}, []

    def add_node(self, name, surfaces, at, turn):
        key = tuple((m.name, id(mesh)) for m, mesh in surfaces)
        if key not in self.known_meshes:
            self.kept.append(surfaces)
            self.known_meshes[key] = len(self.meshes)
            self.meshes.append({"name": name, "primitives": [self.primitive(*s) for s in surfaces]})
        node = {"name": name, "mesh": self.known_meshes[key]}
        if any(at):
            node["translation"] = [round(c, 6) + 0.0 for c in (at[0], at[2], -at[1])]
        if turn is not None:
            node["rotation"] = quaternion(turn)
        self.nodes.append(node)

    def primitive(self, material, mesh):
        points, faces = compact(mesh)
        low, high = [[pick(p[k] for p in points) * RESOLUTION for k in range(3)] for pick in (min, max)]
        corners = b"".join(struct.pack("<3f", *(c * RESOLUTION for c in p)) for p in points)
        kind, code = (5123, "<3H") if len(points) < 65535 else (5125, "<3I")
        positions = self.accessor(
            corners,
            34962,
            {
                "componentType": 5126,
                "count": len(points),
                "type": "VEC3",
                "min": float32(low),
                "max": float32(high),
            },
        )
        order = b"".join(struct.pack(code, *f) for f in faces)
        indices = self.accessor(
            order, 34963, {"componentType": kind, "count": 3 * len(faces), "type": "SCALAR"}
        )
        return {
            "attributes": {"POSITION": positions},
            "indices": indices,
            "material": self.material(material),
        }

    def accessor(self, data, target, about):
        self.views.append(
            {"buffer": 0, "byteOffset": len(self.binary), "byteLength": len(data), "target": target}
        )
        self.binary += data + bytes(-len(data) % 4)
        self.accessors.append({"bufferView": len(self.views) - 1, **about})
        return len(self.accessors) - 1

    def material(self, material):
        if material.name not in self.known_materials:
            self.known_materials[material.name] = len(self.materials)
            look = {
                "baseColorFactor": [*material.color, 1.0],
                "metallicFactor": material.metallic,
                "roughnessFactor": material.roughness,
            }
            self.materials.append({"name": material.name, "pbrMetallicRoughness": look, "doubleSided": True})
        return self.known_materials[material.name]

    def to_bytes(self, title):
        root = {
            "asset": {"version": "2.0", "generator": "Merrow tools/models", "extras": {"title": title}},
            "scene": 0,
            "scenes": [{"nodes": list(range(len(self.nodes)))}],
            "nodes": self.nodes,
            "meshes": self.meshes,
            "materials": self.materials,
            "accessors": self.accessors,
            "bufferViews": self.views,
            "buffers": [{"byteLength": len(self.binary)}],
        }
        text = json.dumps(root, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 4)
        chunks = (
            struct.pack("<I4s", len(text), b"JSON")
            + text
            + struct.pack("<I4s", len(self.binary), b"BIN\0")
            + bytes(self.binary)
        )
        return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


def float32(values):
    """Returns numbers rounded to single precision, as they are stored."""
    return [struct.unpack("<f", struct.pack("<f", v))[0] for v in values]
