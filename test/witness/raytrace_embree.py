"""Distances that Embree finds, in its robust mode, for the rays that test/witness/raytrace.rs wrote.

    raytrace_embree.py SCENE RAYS OUT [RAYS OUT ...]

SCENE holds counts of vertices and triangles (u32), vertices (f32 x 3) and triangles (u32 x 3); RAYS origin and direction of each ray
(f32 x 6); OUT gets a distance for each (f32), endless where nothing is met. All lowest byte first. The library is that of the
package embreex, called through its C interface as its manual describes it.
"""

import ctypes
import math
import sys
from array import array
from pathlib import Path

import embreex

TRIANGLES, INDICES, VERTICES, UINT3, FLOAT3, ROBUST, NONE = 0, 0, 1, 0x5003, 0x9003, 1 << 2, 0xFFFFFFFF


class Ray(ctypes.Structure):
    """RTCRayHit: the ray, then the hit."""

    _fields_ = [(name, ctypes.c_float) for name in "ox oy oz near dx dy dz time far".split()]
    _fields_ += [(name, ctypes.c_uint) for name in "mask id flags".split()]
    _fields_ += [(name, ctypes.c_float) for name in "nx ny nz u v".split()]
    _fields_ += [(name, ctypes.c_uint) for name in "primitive geometry instance part pad1 pad2 pad3".split()]


def library():
    """The library in the package's wheel, with the one that it needs."""
    folder = Path(embreex.__file__).parent.parent / "embreex.libs"
    for name in ("libtbb", "libembree4"):
        found = ctypes.CDLL(str(next(folder.glob(name + "*"))), mode=ctypes.RTLD_GLOBAL)
    for name in ("rtcNewDevice", "rtcNewScene", "rtcNewGeometry"):
        getattr(found, name).restype = ctypes.c_void_p
    return found


def scene(embree, path):
    """The scene in the file `path`, and what must live as long."""
    data = path.read_bytes()
    vertex_count, triangle_count = array("I", data[:8])
    # the library reads 16 bytes at the last vertex
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
    """What rtcIntersect1 says of each of `rays`."""
    # aligned to 16 bytes
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
    """Reads, asks, writes."""
    embree = library()
    made, _kept = scene(embree, Path(words[0]))
    for rays, out in zip(words[1::2], words[2::2]):
        found = distances(embree, made, array("f", Path(rays).read_bytes()))
        Path(out).write_bytes(found.tobytes())


if __name__ == "__main__":
    main(sys.argv[1:])
