// Scenery of land: grass, reeds, rocks and trees at places that depend only on the position.

import { clamp, cross, unit } from "../math.js";
import { seabedHeight } from "./raycast.js";

/** Distance that the camera moves before the instances are placed again, as a part of their range. */
const MOVE = 0.15;
/** Horizontal size above which a structure is no obstacle for plants, such as a whole quay wall as one mesh [m]. */
const MAX_OBSTACLE_M = 80;

/** Returns a number from 0 to 1 that depends on a cell and a stream. */
function random(i, j, stream) {
  let h = Math.imul(i, 0x27d4eb2d) ^ Math.imul(j, 0x165667b1) ^ Math.imul(stream, 0x9e3779b1);
  h = Math.imul(h ^ (h >>> 15), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return ((h ^ (h >>> 16)) >>> 0) / 4294967296;
}

/** Triangles with a colour at each corner. */
class Shape {
  constructor() {
    this.positions = [];
    this.normals = [];
    this.colors = [];
  }

  triangle(points, normals, colors) {
    points.forEach((p, k) => {
      this.positions.push(...p);
      this.normals.push(...normals[k]);
      this.colors.push(...colors[k].map((x) => 255 * clamp(x, 0, 1)));
    });
  }

  /** Adds blades from a centre: tall triangles that bend outwards. */
  blades(n, height, width, spread, [low, high]) {
    for (let k = 0; k < n; k++) {
      const a = 2.4 * k + 0.3;
      const [c, s] = [Math.cos(a), Math.sin(a)];
      const r = (0.25 + 0.75 * random(k, n, 7)) * spread;
      const h = height * (0.65 + 0.35 * random(k, n, 8));
      const root = [0.4 * r * c, 0.4 * r * s, -0.05];
      const side = [-s * width, c * width, 0];
      const normal = unit([0.25 * c, 0.25 * s, 1]);
      const points = [root.map((x, i) => x - side[i]), root.map((x, i) => x + side[i]), [r * c, r * s, h]];
      this.triangle(points, [normal, normal, normal], [low, low, high]);
    }
  }

  /** Adds an uneven ball of 20 or 80 triangles, darker below. */
  ball(centre, radii, splits, [low, high], stream, roughness) {
    const g = (1 + Math.sqrt(5)) / 2;
    const corners = [
      [-1, g, 0], [1, g, 0], [-1, -g, 0], [1, -g, 0], [0, -1, g], [0, 1, g],
      [0, -1, -g], [0, 1, -g], [g, 0, -1], [g, 0, 1], [-g, 0, -1], [-g, 0, 1],
    ].map(unit);
    let faces = [
      [0, 11, 5], [0, 5, 1], [0, 1, 7], [0, 7, 10], [0, 10, 11], [1, 5, 9], [5, 11, 4], [11, 10, 2],
      [10, 7, 6], [7, 1, 8], [3, 9, 4], [3, 4, 2], [3, 2, 6], [3, 6, 8], [3, 8, 9], [4, 9, 5],
      [2, 4, 11], [6, 2, 10], [8, 6, 7], [9, 8, 1],
    ].map((face) => face.map((k) => corners[k]));
    for (let n = 0; n < splits; n++) {
      faces = faces.flatMap(([a, b, c]) => {
        const [ab, bc, ca] = [[a, b], [b, c], [c, a]].map(([p, q]) => unit(p.map((x, k) => x + q[k])));
        return [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]];
      });
    }
    const uneven = (d) => {
      const [i, j, k] = d.map((x) => Math.round(50 * x));
      return 1 + roughness * (random(i, j + 97 * k, stream) - 0.5);
    };
    for (const face of faces) {
      const points = face.map((d) => d.map((x, k) => centre[k] + x * radii[k] * uneven(d)));
      const flat = unit(cross(points[1].map((x, k) => x - points[0][k]), points[2].map((x, k) => x - points[0][k])));
      const colors = face.map((d) => {
        const t = 0.5 + 0.5 * d[2] + 0.15 * (uneven(d) - 1) / Math.max(roughness, 0.01);
        return low.map((x, k) => x + (high[k] - x) * clamp(t, 0, 1));
      });
      this.triangle(points, face.map((d) => unit(d.map((x, k) => x + 0.6 * flat[k]))), colors);
    }
  }

  /** Adds a trunk or the layer of a conifer: a cone without a base. */
  cone(z, height, [below, above], sides, [low, high]) {
    for (let k = 0; k < sides; k++) {
      const at = (i, r, h) => {
        const a = (2 * Math.PI * (k + i)) / sides;
        return [r * Math.cos(a), r * Math.sin(a), h];
      };
      const [a, b] = [at(0, below, z), at(1, below, z)];
      const [c, d] = [at(1, above, z + height), at(0, above, z + height)];
      const out = (p) => unit([p[0], p[1], 0.35 * below]);
      this.triangle([a, b, c], [out(a), out(b), out(b)], [low, low, high]);
      if (above > 0) this.triangle([a, c, d], [out(a), out(b), out(a)], [low, high, high]);
    }
  }

  finish() {
    const n = this.positions.length / 3;
    return {
      positions: new Float32Array(this.positions),
      normals: new Float32Array(this.normals),
      colors: new Uint8Array(this.colors),
      indices: Uint32Array.from({ length: n }, (_, k) => k),
    };
  }
}

const made = (build) => {
  const shape = new Shape();
  build(shape);
  return shape.finish();
};
const BARK = [[0.30, 0.24, 0.18], [0.40, 0.33, 0.26]];
const LEAVES = [[0.16, 0.26, 0.10], [0.46, 0.58, 0.24]];
const NEEDLES = [[0.11, 0.22, 0.14], [0.30, 0.44, 0.24]];
const STONE = [[0.36, 0.34, 0.31], [0.62, 0.60, 0.56]];

function tree(shape, splits) {
  shape.cone(-0.3, 3, [0.28, 0.16], 6, BARK);
  shape.ball([0, 0, 4.6], [2.2, 2.1, 1.9], splits, LEAVES, 1, 0.35);
  if (!splits) return;
  shape.ball([1.3, 0.4, 3.6], [1.4, 1.3, 1.1], 0, LEAVES, 2, 0.3);
  shape.ball([-1.1, 0.9, 3.8], [1.3, 1.4, 1.1], 0, LEAVES, 3, 0.3);
  shape.ball([-0.3, -1.3, 3.5], [1.4, 1.2, 1.0], 0, LEAVES, 4, 0.3);
}

function conifer(shape, sides) {
  shape.cone(-0.3, 1.6, [0.24, 0.2], 5, BARK);
  for (const [z, h, r] of [[1, 3, 1.9], [2.7, 2.7, 1.5], [4.3, 2.5, 1.05]]) shape.cone(z, h, [r, 0], sides, NEEDLES);
}

/**
 * Kinds of scenery: geometry near and far, distance from which the far geometry is used, distance between places, range
 * [m], part of the range with software rendering, sway in the wind, and scale at a place or 0 without an instance, from
 * the height above the water, the steepness (1: level) and a random number.
 */
const KINDS = {
  grass: {
    near: made((s) => s.blades(12, 0.42, 0.026, 0.36, [[0.20, 0.28, 0.10], [0.55, 0.62, 0.28]])),
    spacing: 0.62, range: 26, part: 0.5, sway: 0.12,
    scale: (height, level, r) => (height > 0.35 && level > 0.8 ? 0.5 + 0.9 * r : 0),
  },
  reeds: {
    near: made((s) => s.blades(8, 1.7, 0.02, 0.35, [[0.30, 0.36, 0.14], [0.66, 0.62, 0.34]])),
    spacing: 0.8, range: 60, part: 0.5, sway: 0.16,
    scale: (height, level, r) => (Math.abs(height + 0.05) < 0.4 && level > 0.6 && r > 0.35 ? 0.6 + 0.6 * r : 0),
  },
  rocks: {
    near: made((s) => s.ball([0, 0, 0.1], [0.55, 0.45, 0.38], 1, STONE, 5, 0.5)),
    spacing: 6, range: 130, part: 0.5, sway: 0,
    scale: (height, level, r) => (height > -8 && r > (level < 0.85 ? 0.5 : 0.86) ? 0.3 + 5 * (r - 0.5) ** 2 : 0),
  },
  trees: {
    near: made((s) => tree(s, 1)), far: made((s) => tree(s, 0)), split: 70,
    spacing: 9, range: 380, part: 0.45, sway: 0.012,
    scale: (height, level, r) => (height > 1.2 && level > 0.75 && r > 0.6 ? 0.7 + 1.6 * (r - 0.6) : 0),
  },
  conifers: {
    near: made((s) => conifer(s, 9)), far: made((s) => conifer(s, 5)), split: 70,
    spacing: 12, range: 380, part: 0.45, sway: 0.01,
    scale: (height, level, r) => (height > 2.5 && level > 0.6 && r > 0.6 ? 0.8 + 1.8 * (r - 0.6) : 0),
  },
};

/** Returns the boxes about structures from above, with a margin [m]. */
function obstacles(world) {
  const boxes = [];
  for (const drawable of world.drawables) {
    if (drawable.robot >= 0) continue;
    const { positions } = drawable.piece;
    const { p } = drawable.shape;
    let r = 0;
    for (let i = 0; i < positions.length; i += 9) r = Math.max(r, Math.hypot(positions[i], positions[i + 1]));
    if (2 * r < MAX_OBSTACLE_M) boxes.push([p[0], p[1], r + 1]);
  }
  return boxes;
}

export class Scenery {
  /** Instances of every kind: { near, far } as numbers x, y, z, scale, cosine, sine, tint, sway. */
  constructor() {
    this.placed = new Map();
  }

  setScene(world) {
    this.placed.clear();
    this.isLand = Boolean(world.ground && world.ground.range[1] > 0.3);
    this.obstacles = this.isLand ? obstacles(world) : [];
  }

  /** Returns the kinds with their instances about the camera; true in `changed` if they are new. */
  update(world, camera, level, isDetailed) {
    if (!this.isLand) return [];
    const ground = seabedHeight(world, camera.eye[0], camera.eye[1]) ?? 0;
    const above = Math.max(camera.eye[2] - ground, 0);
    const ahead = Math.min(camera.distance, 0.5 * above + 8);
    const centre = [0, 1].map((k) => camera.eye[k] + ahead * camera.axes.forward[k]);
    return Object.entries(KINDS).flatMap(([name, kind]) => {
      const range = kind.range * (isDetailed ? 1 : kind.part);
      if (above > 2 * range) return [];
      const old = this.placed.get(name);
      const moved = old ? Math.hypot(centre[0] - old.centre[0], centre[1] - old.centre[1]) : Infinity;
      if (moved < MOVE * range && old.range === range) return [{ name, kind, ...old, changed: false }];
      const next = { centre, range, ...this.place(world, kind, centre, range, level) };
      this.placed.set(name, next);
      return [{ name, kind, ...next, changed: true }];
    });
  }

  place(world, kind, centre, range, level) {
    const [near, far] = [[], []];
    const cells = (k, side) => Math.floor((centre[k] + side * range) / kind.spacing);
    for (let i = cells(0, -1); i <= cells(0, 1); i++) {
      for (let j = cells(1, -1); j <= cells(1, 1); j++) {
        const r = random(i, j, 1 + kind.spacing * 100);
        const x = (i + random(i, j, 2)) * kind.spacing;
        const y = (j + random(i, j, 3)) * kind.spacing;
        const away = Math.hypot(x - centre[0], y - centre[1]);
        if (away > range) continue;
        const z = seabedHeight(world, x, y);
        if (z === null || z - level < -8) continue;
        const slope = Math.hypot(
          (seabedHeight(world, x + 0.5, y) ?? z) - z,
          (seabedHeight(world, x, y + 0.5) ?? z) - z,
        ) * 2;
        const size = kind.scale(z - level, 1 / Math.hypot(1, slope), r);
        if (size <= 0 || this.obstacles.some(([ox, oy, o]) => Math.hypot(x - ox, y - oy) < o)) continue;
        const angle = 2 * Math.PI * random(i, j, 4);
        const list = kind.far && away > kind.split ? far : near;
        // plants at the edge of their range are small, so that they do not appear at once
        const grown = size * clamp((4 * (range - away)) / range, 0.05, 1);
        list.push(x, y, z, grown, Math.cos(angle), Math.sin(angle), 0.8 + 0.4 * random(i, j, 5), kind.sway);
      }
    }
    return { near: new Float32Array(near), far: new Float32Array(far) };
  }
}
