// World: the scene with its drawables, the newest frames and the interpolation between them.

import * as geometry from "./geometry.js";
import { add, carry, clamp, composePose, mix, mixQ, multiplyQ, rotate, sub, turn } from "../math.js";
import { fetchBytes } from "../net.js";
import { Sea } from "./waves.js";

/** Largest visible shaft speed [rad/s]; faster propellers look as if they turn backwards. */
const MAX_VISIBLE_SPEED = 22;

export class World {
  constructor() {
    this.scene = null;
    this.sea = new Sea();
    this.status = null;
    this.drawables = [];
    this.ground = null;
    this.frames = [];
    this.spin = [];
    /** Lines at the shown time: index of a broken segment or -1, and nodes in W [m]. */
    this.tethers = [];
    this.time = 0;
    /** Pose of an object that is being moved: { name, kind, from, pose }. */
    this.preview = null;
  }

  /** Loads a scene: builds the drawables of its robots and structures. */
  async load(scene) {
    const meshes = new Map();
    const bytes = (k) => {
      if (!meshes.has(k)) meshes.set(k, fetchBytes(`/mesh/${k}`));
      return meshes.get(k);
    };
    const drawables = [];
    const shared = new Map();
    const addShape = async (shape, robot, structure = null) => {
      const key = JSON.stringify([shape.geometry, shape.color]);
      if (!shared.has(key)) shared.set(key, buildShape(shape, bytes));
      for (const piece of await shared.get(key)) {
        const propeller = propellerOf(scene, robot, piece.name, shape.fin);
        drawables.push({ piece, shape, robot, structure, propeller });
      }
    };
    const all = [];
    scene.robots.forEach((robot, k) => robot.shapes.forEach((s) => all.push(addShape(s, k))));
    scene.structures.forEach((s) => s.shapes.forEach((shape) => all.push(addShape(shape, -1, s.name))));
    await Promise.all(all);
    let ground = null;
    if (scene.seabed.terrain) {
      const heights = new Float32Array(await fetchBytes("/terrain"));
      ground = geometry.terrain(heights, scene.seabed.terrain);
      ground.range = heights.reduce(([a, b], h) => [Math.min(a, h), Math.max(b, h)], [Infinity, -Infinity]);
    }
    scene.robots.forEach((robot, k) => {
      robot.size = sizeOf(drawables.filter((d) => d.robot === k));
    });
    this.scene = scene;
    this.drawables = drawables;
    this.ground = ground;
    this.frames = [];
    this.spin = scene.robots.map((robot) => robot.thrusters.map(() => 0));
    this.version = (this.version ?? 0) + 1;
  }

  push(frame, now) {
    frame.arrival = now;
    const last = this.frames.at(-1);
    // after a reset, no interpolation
    if (last && frame.time < last.time) this.frames = [];
    this.frames.push(frame);
    if (this.frames.length > 2) this.frames.shift();
  }

  get frame() {
    return this.frames.at(-1);
  }

  /** Computes the interpolated state for the wall-clock time `now` [ms]. */
  update(now) {
    const [a, b] = this.frames.length === 2 ? this.frames : [this.frames[0], this.frames[0]];
    if (!b) return null;
    const period = Math.max(b.wall - a.wall, 1 / 60) * 1000;
    const t = clamp((now - b.arrival) / period, 0, 1);
    const before = this.time;
    this.time = a.time + (b.time - a.time) * t;
    const dt = clamp(this.time - before, 0, 0.2);
    const robots = b.robots.map((robot, k) => {
      const from = a.robots[k];
      robot.thrusters.forEach((thruster, i) => {
        const speed = clamp(thruster.speed, -MAX_VISIBLE_SPEED, MAX_VISIBLE_SPEED);
        this.spin[k][i] = (this.spin[k][i] + speed * dt) % (2 * Math.PI);
      });
      return {
        ...robot,
        links: robot.links.map((link, i) => ({
          p: mix(from.links[i].p, link.p, t),
          q: mixQ(from.links[i].q, link.q, t),
        })),
        fins: robot.fins.map((x, i) => from.fins[i] + (x - from.fins[i]) * t),
      };
    });
    this.tethers = b.tethers.map(({ broken, points }, k) => {
      const from = a.tethers[k]?.points;
      const isSame = from?.length === points.length;
      return { broken, points: isSame ? points.map((p, i) => mix(from[i], p, t)) : points };
    });
    const { preview } = this;
    const k = preview?.kind === "robot" ? this.scene.robots.findIndex((r) => r.name === preview.name) : -1;
    if (k >= 0) {
      const from = robots[k].links[0];
      robots[k].links = robots[k].links.map((link) => carry(link, from, preview.pose));
    }
    return robots;
  }

  /** Returns the pose of a drawable in the world. */
  pose(drawable, robots) {
    const { shape } = drawable;
    let own = { p: shape.p, q: shape.q };
    if (drawable.robot < 0) {
      const { preview } = this;
      const isMoved = preview?.kind === "structure" && preview.name === drawable.structure;
      return isMoved ? carry(own, preview.from, preview.pose) : own;
    }
    const model = this.scene.robots[drawable.robot];
    const state = robots[drawable.robot];
    if (drawable.propeller >= 0) {
      const thruster = model.thrusters[drawable.propeller];
      const angle = this.spin[drawable.robot][drawable.propeller] * -(thruster.hand || -1);
      own = turned(own, thruster.p, thruster.direction, angle);
    }
    if (shape.fin !== null && shape.fin !== undefined) {
      const fin = model.fins[shape.fin];
      own = turned(own, fin.p, rotate(fin.q, [0, 0, 1]), state.fins[shape.fin]);
    }
    return composePose(state.links[shape.link], own);
  }
}

/** Returns a pose turned about an axis through a point. */
function turned(pose, centre, axis, angle) {
  const q = turn(axis, angle);
  return { p: add(centre, rotate(q, sub(pose.p, centre))), q: multiplyQ(q, pose.q) };
}

/** Returns the index of the thruster that turns a part: the one of its name, the one on the azimuth servo `fin`, or the
 * only one; -1 for another part. */
function propellerOf(scene, robot, name, fin) {
  if (robot < 0 || !name.startsWith("propeller")) return -1;
  const thrusters = scene.robots[robot].thrusters;
  const turned = thrusters.findIndex((thruster) => (thruster.azimuth ?? -1) === (fin ?? null));
  if (turned >= 0) return turned;
  const exact = thrusters.findIndex((thruster) => name === `propeller_${thruster.name}`);
  return exact >= 0 || thrusters.length !== 1 ? exact : 0;
}

/** Returns the pieces of a shape: one for all fixed parts, and one per propeller. */
async function buildShape(shape, bytes) {
  const { kind } = shape.geometry;
  if (kind !== "mesh") {
    const g = shape.geometry;
    const made = {
      box: () => geometry.box(g.half),
      sphere: () => geometry.sphere(g.radius),
      cylinder: () => geometry.cylinder(g.radius, g.half_length),
      capsule: () => geometry.capsule(g.radius, g.half_length),
    }[kind]();
    const group = { name: "", color: null, first: 0, count: made.indices.length };
    return [piece("", made, [group], shape.color)];
  }
  const mesh = geometry.readMesh(await bytes(shape.geometry.mesh), shape.geometry.parts);
  const turning = mesh.groups.filter((group) => group.name.startsWith("propeller"));
  const fixed = mesh.groups.filter((group) => !turning.includes(group));
  const pieces = fixed.length ? [piece("", mesh, fixed, shape.color)] : [];
  for (const name of new Set(turning.map((group) => group.name))) {
    pieces.push(piece(name, mesh, turning.filter((group) => group.name === name), shape.color));
  }
  return pieces;
}

/** Copies groups of a mesh with their colours. */
function piece(name, mesh, groups, color) {
  const n = groups.reduce((sum, group) => sum + group.count, 0);
  const indices = new Uint32Array(n);
  const used = mesh.groups ? mesh.positions.length / 3 : 0;
  const colors = new Uint8Array(mesh.positions.length);
  let at = 0;
  for (const group of groups) {
    const rgb = (group.color ?? color).map((x) => Math.round(255 * Math.min(x, 1) ** (1 / 2.2)));
    for (let i = group.first; i < group.first + group.count; i++) {
      const k = mesh.indices[i];
      indices[at++] = k;
      colors.set(rgb, 3 * k);
    }
  }
  if (!used) return { name, positions: mesh.positions, normals: mesh.normals, colors, indices };
  // meshes of the server have one vertex per index: keep only the vertices of the groups
  const out = {
    name,
    positions: new Float32Array(3 * n),
    normals: new Float32Array(3 * n),
    colors: new Uint8Array(3 * n),
    indices: new Uint32Array(n),
  };
  for (let i = 0; i < n; i++) {
    const k = indices[i];
    for (let axis = 0; axis < 3; axis++) {
      out.positions[3 * i + axis] = mesh.positions[3 * k + axis];
      out.normals[3 * i + axis] = mesh.normals[3 * k + axis];
      out.colors[3 * i + axis] = colors[3 * k + axis];
    }
    out.indices[i] = i;
  }
  return out;
}

/** Returns the largest distance of a shape of link 0 from the origin of the robot [m]. */
function sizeOf(drawables) {
  let size = 0.2;
  for (const { piece, shape } of drawables) {
    if (shape.link !== 0) continue;
    for (let i = 0; i < piece.positions.length; i += 30) {
      const p = [piece.positions[i], piece.positions[i + 1], piece.positions[i + 2]];
      size = Math.max(size, Math.hypot(...add(shape.p, rotate(shape.q, p))));
    }
  }
  return size;
}
