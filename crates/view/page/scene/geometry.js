// Geometry for the renderer: primitives, meshes of the server with normals, terrain, sea surface.
//
// A geometry is { positions, normals, indices } with typed arrays; parts are runs of its indices.

import { cross, dot, norm, sub, unit } from "../math.js";

/** Cosine of the largest angle between faces that share a smooth normal. */
const SMOOTH = Math.cos((38 * Math.PI) / 180);

class Builder {
  constructor() {
    this.positions = [];
    this.normals = [];
    this.indices = [];
  }

  vertex(p, n) {
    this.positions.push(...p);
    this.normals.push(...n);
    return this.positions.length / 3 - 1;
  }

  quad(a, b, c, d) {
    this.indices.push(a, b, c, a, c, d);
  }

  finish() {
    return {
      positions: new Float32Array(this.positions),
      normals: new Float32Array(this.normals),
      indices: new Uint32Array(this.indices),
    };
  }
}

export function box([hx, hy, hz]) {
  const out = new Builder();
  for (let axis = 0; axis < 3; axis++) {
    for (const sign of [1, -1]) {
      const n = [0, 0, 0];
      n[axis] = sign;
      const u = [0, 0, 0];
      u[(axis + 1) % 3] = 1;
      const v = cross(n, u);
      const corner = (s, t) => {
        const p = [0, 1, 2].map((k) => (n[k] + s * u[k] + t * v[k]) * [hx, hy, hz][k]);
        return out.vertex(p, n);
      };
      out.quad(corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1));
    }
  }
  return out.finish();
}

/** Returns a body of revolution about z from a profile of [radius, height, normal r, normal z]. */
function revolve(profile, sectors = 32) {
  const out = new Builder();
  for (const [r, z, nr, nz] of profile) {
    for (let k = 0; k <= sectors; k++) {
      const a = (2 * Math.PI * k) / sectors;
      const [c, s] = [Math.cos(a), Math.sin(a)];
      out.vertex([r * c, r * s, z], [nr * c, nr * s, nz]);
    }
  }
  for (let i = 0; i + 1 < profile.length; i++) {
    for (let k = 0; k < sectors; k++) {
      const a = i * (sectors + 1) + k;
      out.quad(a, a + 1, a + sectors + 2, a + sectors + 1);
    }
  }
  return out.finish();
}

export function cylinder(radius, half) {
  return revolve([
    [0, -half, 0, -1], [radius, -half, 0, -1], [radius, -half, 1, 0],
    [radius, half, 1, 0], [radius, half, 0, 1], [0, half, 0, 1],
  ]);
}

export function capsule(radius, half) {
  const profile = [];
  for (let k = 0; k <= 16; k++) {
    const a = -Math.PI / 2 + (Math.PI * k) / 16;
    const z = k <= 8 ? -half : half;
    profile.push([radius * Math.cos(a), z + radius * Math.sin(a), Math.cos(a), Math.sin(a)]);
    if (k === 8) profile.push([radius, half, 1, 0]);
  }
  return revolve(profile);
}

export const sphere = (radius) => capsule(radius, 0);

/** Reads a mesh of the server. Faces within a part share a normal if their angle is small. */
export function readMesh(buffer, parts) {
  const [nv, nt] = new Uint32Array(buffer, 0, 2);
  const points = new Float32Array(buffer, 8, 3 * nv);
  const triangles = new Uint32Array(buffer, 8 + 12 * nv, 3 * nt);
  const at = (k) => [points[3 * k], points[3 * k + 1], points[3 * k + 2]];
  const runs = parts.length ? parts : [{ name: "", end: nt, color: null }];
  const partOf = new Uint16Array(nt);
  let first = 0;
  runs.forEach((part, k) => {
    partOf.fill(k, first, part.end);
    first = part.end;
  });
  // equal positions in one part share their corners
  const faces = new Array(nt);
  const corners = new Map();
  const key = new Array(3 * nt);
  for (let t = 0; t < nt; t++) {
    const [a, b, c] = [0, 1, 2].map((k) => at(triangles[3 * t + k]));
    const n = cross(sub(b, a), sub(c, a));
    faces[t] = { unit: unit(n), area: n };
    [a, b, c].forEach((p, k) => {
      const name = `${partOf[t]}:${p.map((x) => Math.round(x * 1e5)).join(",")}`;
      key[3 * t + k] = name;
      const list = corners.get(name);
      if (list) list.push(t);
      else corners.set(name, [t]);
    });
  }
  const positions = new Float32Array(9 * nt);
  const normals = new Float32Array(9 * nt);
  const indices = new Uint32Array(3 * nt);
  for (let i = 0; i < 3 * nt; i++) {
    const face = faces[(i / 3) | 0];
    let sum = [0, 0, 0];
    for (const t of corners.get(key[i])) {
      if (dot(faces[t].unit, face.unit) > SMOOTH) {
        sum = [0, 1, 2].map((k) => sum[k] + faces[t].area[k]);
      }
    }
    positions.set(at(triangles[i]), 3 * i);
    normals.set(norm(sum) > 0 ? unit(sum) : face.unit, 3 * i);
    indices[i] = i;
  }
  let start = 0;
  const groups = runs.map((part) => {
    const group = { name: part.name, color: part.color, first: 3 * start, count: 3 * (part.end - start) };
    start = part.end;
    return group;
  });
  return { positions, normals, indices, groups: groups.filter((group) => group.count > 0) };
}

/** Returns the centre of the box about the vertices of a group. */
export function groupCentre(geometry, group) {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (let i = group.first; i < group.first + group.count; i++) {
    for (let k = 0; k < 3; k++) {
      const x = geometry.positions[3 * geometry.indices[i] + k];
      low[k] = Math.min(low[k], x);
      high[k] = Math.max(high[k], x);
    }
  }
  return low.map((x, k) => (x + high[k]) / 2);
}

/** Returns the terrain as a geometry, from its heights. */
export function terrain(heights, { count: [nx, ny], corner, step }) {
  const out = { positions: new Float32Array(3 * nx * ny), normals: new Float32Array(3 * nx * ny) };
  const h = (i, j) =>
    heights[Math.min(Math.max(j, 0), ny - 1) * nx + Math.min(Math.max(i, 0), nx - 1)];
  for (let j = 0; j < ny; j++) {
    for (let i = 0; i < nx; i++) {
      const k = 3 * (j * nx + i);
      out.positions.set([corner[0] + i * step[0], corner[1] + j * step[1], h(i, j)], k);
      const slope = [
        (h(i - 1, j) - h(i + 1, j)) / (2 * step[0]),
        (h(i, j - 1) - h(i, j + 1)) / (2 * step[1]),
        1,
      ];
      out.normals.set(unit(slope), k);
    }
  }
  const indices = new Uint32Array(6 * (nx - 1) * (ny - 1));
  let n = 0;
  for (let j = 0; j + 1 < ny; j++) {
    for (let i = 0; i + 1 < nx; i++) {
      const k = j * nx + i;
      indices.set([k, k + 1, k + nx + 1, k, k + nx + 1, k + nx], n);
      n += 6;
    }
  }
  return { ...out, indices };
}

/**
 * Returns a piece with fewer triangles: vertices in one cell of a grid, whose normals have the same
 * signs, become one vertex. The grid has `cells` cells along the longest side.
 */
export function simplify({ positions, normals, colors, indices }, cells) {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (const i of indices) {
    for (let axis = 0; axis < 3; axis++) {
      low[axis] = Math.min(low[axis], positions[3 * i + axis]);
      high[axis] = Math.max(high[axis], positions[3 * i + axis]);
    }
  }
  const cell = Math.max(...high.map((x, axis) => x - low[axis]), 1e-6) / cells;
  const vertices = new Map();
  const sums = [];
  const vertexOf = (i) => {
    let [place, signs] = [0, 0];
    for (let axis = 2; axis >= 0; axis--) {
      place = place * (cells + 1) + Math.floor((positions[3 * i + axis] - low[axis]) / cell);
      signs = 2 * signs + (normals[3 * i + axis] > 0.25 ? 1 : 0);
    }
    const key = 8 * place + signs;
    if (!vertices.has(key)) {
      vertices.set(key, sums.length);
      sums.push({ place, n: 0, x: new Float64Array(9) });
    }
    const sum = sums[vertices.get(key)];
    sum.n++;
    for (let axis = 0; axis < 3; axis++) {
      sum.x[axis] += positions[3 * i + axis];
      sum.x[3 + axis] += normals[3 * i + axis];
      sum.x[6 + axis] += colors[3 * i + axis];
    }
    return vertices.get(key);
  };
  const kept = new Map();
  for (let t = 0; t < indices.length; t += 3) {
    const corners = [vertexOf(indices[t]), vertexOf(indices[t + 1]), vertexOf(indices[t + 2])];
    const [a, b, c] = corners.map((k) => sums[k].place);
    if (a !== b && b !== c && c !== a) kept.set([...corners].sort((x, y) => x - y).join(), corners);
  }
  const out = new Builder();
  for (const { n, x } of sums) {
    const normal = [x[3], x[4], x[5]];
    out.vertex([x[0] / n, x[1] / n, x[2] / n], norm(normal) > 0 ? unit(normal) : [0, 0, 1]);
  }
  for (const corners of kept.values()) out.indices.push(...corners);
  const mean = sums.flatMap(({ n, x }) => [x[6] / n, x[7] / n, x[8] / n]);
  return { ...out.finish(), colors: new Uint8Array(mean) };
}

/** Returns a tube about points with a radius at each, of one colour (0..255). */
export function tube(points, radii, color, sides = 6) {
  const out = new Builder();
  const colors = [];
  points.forEach((p, k) => {
    const along = unit(sub(points[Math.min(k + 1, points.length - 1)], points[Math.max(k - 1, 0)]));
    const side = unit(cross(along, Math.abs(along[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0]));
    const up = cross(side, along);
    for (let i = 0; i < sides; i++) {
      const [c, s] = [Math.cos((2 * Math.PI * i) / sides), Math.sin((2 * Math.PI * i) / sides)];
      const n = side.map((x, axis) => c * x + s * up[axis]);
      out.vertex(p.map((x, axis) => x + radii[k] * n[axis]), n);
      colors.push(...color);
    }
    if (k === 0) return;
    for (let i = 0; i < sides; i++) {
      const [a, b] = [(k - 1) * sides + i, (k - 1) * sides + ((i + 1) % sides)];
      out.quad(a, b, b + sides, a + sides);
    }
  });
  return { ...out.finish(), colors: new Uint8Array(colors) };
}

/** Returns a flat disc of rings whose distance grows outwards, for the sea and a plane seabed. */
export function disc(rings, sectors, inner, outer) {
  const out = new Builder();
  out.vertex([0, 0, 0], [0, 0, 1]);
  for (let i = 0; i < rings; i++) {
    const r = inner * (outer / inner) ** (i / (rings - 1));
    for (let k = 0; k < sectors; k++) {
      // odd rings are turned by half a sector, so that the triangles are nearly regular
      const a = (2 * Math.PI * (k + (i % 2) / 2)) / sectors;
      out.vertex([r * Math.cos(a), r * Math.sin(a), 0], [0, 0, 1]);
    }
  }
  const at = (i, k) => 1 + i * sectors + (k % sectors);
  for (let k = 0; k < sectors; k++) out.indices.push(0, at(0, k), at(0, k + 1));
  for (let i = 0; i + 1 < rings; i++) {
    for (let k = 0; k < sectors; k++) {
      const [a, b] = [at(i, k), at(i, k + 1)];
      const [c, d] = [at(i + 1, k), at(i + 1, k + 1)];
      if (i % 2 === 0) out.indices.push(a, c, b, b, c, d);
      else out.indices.push(a, c, d, a, d, b);
    }
  }
  return out.finish();
}
