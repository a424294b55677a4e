"""Computes hit distances with Embree, in its robust mode, for the rays written by test/witness/devices/raytrace.rs.

    raytrace_embree.py SCENE RAYS OUT [RAYS OUT ...]

SCENE holds counts of vertices and triangles (u32), vertices (f32 x 3) and triangles (u32 x 3). RAYS holds origin and
direction of each ray (f32 x 6). OUT receives a distance for each ray (f32), infinity for a miss. All are little-endian.
The library belongs to the package embreex and is called through its documented C interface.
"""

import ctypes
import math
import sys
from array import array
from pathlib import Path

import embreex

TRIANGLES, INDICES, VERTICES, UINT3, FLOAT3, ROBUST, NONE = 0, 0, 1, 0x5003, 0x9003, 1 << 2, 0xFFFFFFFF


class Ray(ctypes.Structure):
    """The C structure RTCRayHit: the ray, then the hit."""

    _fields_ = [(name, ctypes.c_float) for name in "ox oy oz near dx dy dz time far".split()]
    _fields_ += [(name, ctypes.c_uint) for name in "mask id flags".split()]
    _fields_ += [(name, ctypes.c_float) for name in "nx ny nz u v".split()]
    _fields_ += [(name, ctypes.c_uint) for name in "primitive geometry instance part pad1 pad2 pad3".split()]


def library():
    """Loads the Embree library of the package's wheel and its dependency TBB."""
    folder = Path(embreex.__file__).parent.parent / "embreex.libs"
    for name in ("libtbb", "libembree4"):
        found = ctypes.CDLL(str(next(folder.glob(name + "*"))), mode=ctypes.RTLD_GLOBAL)
    for name in ("rtcNewDevice", "rtcNewScene", "rtcNewGeometry"):
        getattr(found, name).restype = ctypes.c_void_p
    return found


def scene(embree, path):
    """Loads the scene from the file `path`; returns it with the buffers that must stay alive as long as it does."""
    data = path.read_bytes()
    vertex_count, triangle_count = array("I", data[:8])
    # The library reads 16 bytes at the last vertex.
    vertices = ctypes.create_string_buffer(data[8 : 8 + 12 * vertex_count] + bytes(16))
    triangles = ctypes.create_string_buffer(data[8 + 12 * vertex_count :])
    device = ctypes.c_void_p(embree.rtcNewDevice(b""))
    made = ctypes.c_void_p(embree.rtcNewScene(device))
    embree.rtcSetSceneFlags(made, ROBUST)
    mesh = ctypes.c_void_p(embree.rtcNewGeometry(device, TRIANGLES))
    share = embree.rtcSetSharedGeometryBuffer
    share.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_uint, ctypes.c_int, ctypes.c_void_p] + [ctypes.c_size_t] * 3
    share(mesh, VERTICES, 0, FLOAT3, ctypes.addressof(vertices), 0, 12, vertex_count)
    share(mesh, INDICES, 0, UINT3, ctypes.addressof(triangles), 0, 12, triangle_count)
    embree.rtcCommitGeometry(mesh)
    embree.rtcAttachGeometry(made, mesh)
    embree.rtcCommitScene(made)
    return made, (vertices, triangles)


def distances(embree, made, rays):
    """Returns the distance from rtcIntersect1 for each of `rays`."""
    # The structure is aligned to 16 bytes.
    room = ctypes.create_string_buffer(ctypes.sizeof(Ray) + 16)
    ray = Ray.from_address((ctypes.addressof(room) + 15) & ~15)
    where, ask = ctypes.byref(ray), embree.rtcIntersect1
    ask.argtypes = [ctypes.c_void_p] * 3
    ask.restype = None
    out = array("f")
    for k in range(0, len(rays), 6):
        ray.ox, ray.oy, ray.oz, ray.dx, ray.dy, ray.dz = rays[k : k + 6]
        ray.near, ray.time, ray.far, ray.mask, ray.flags = 0, 0, 1e5, NONE, 0
        ray.geometry = ray.primitive = ray.instance = NONE
        ask(made, where, None)
        out.append(math.inf if ray.geometry == NONE else ray.far)
    return out


def main(words):
    """Reads the scene and the rays, intersects them, and writes the distances."""
    embree = library()
    made, _kept = scene(embree, Path(words[0]))
    for rays, out in zip(words[1::2], words[2::2]):
        found = distances(embree, made, array("f", Path(rays).read_bytes()))
        Path(out).write_bytes(found.tobytes())


if __name__ == "__main__":
    main(sys.argv[1:])
