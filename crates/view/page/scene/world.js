// World: the scene with its drawables, the newest frames and the interpolation between them.

import * as geometry from "./geometry.js";
import { add, carry, clamp, composePose, mix, mixQ, multiplyQ, rotate, sub, turn } from "../math.js";
import { fetchBytes } from "../net.js";
import { MAX_VESSELS } from "./shaders.js";
import { Sea } from "./waves.js";

/** Largest visible shaft speed [rad/s]; faster propellers look as if they turn backwards. */
const MAX_VISIBLE_SPEED = 22;

/** Size in the image from which water moves about a floating object, with and without details [px]. */
const LEAST_PIXELS = [6, 30];

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
    /** Model that is being added: { name, p }. */
    this.added = null;
    /** Pieces of models of the catalogue with the poses of their shapes, by name; empty until they are loaded. */
    this.models = new Map();
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
      Object.assign(robot, boundsOf(drawables.filter((d) => d.robot === k)));
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
    return robots;
  }

  /**
   * Returns the objects that float on the surface, nearest to the camera first: index, centre, direction of the bow, half
   * length and half beam [m], forward speed [m/s], and the plane z = a + b x + c y of the water at them.
   */
  vessels(robots, seaNow, camera, isDetailed) {
    if (camera.mode === "map") return [];
    const found = [];
    robots.forEach(({ links, velocity }, robot) => {
      const { low, high, size } = this.scene.robots[robot];
      const { p, q } = links[0];
      if (size < LEAST_PIXELS[isDetailed ? 0 : 1] * camera.pixelSize(p)) return;
      // a quick test before the sum of the waves
      const reach = high[2] - low[2] + Math.abs(high[0]);
      if (Math.abs(p[2] - Sea.level(seaNow, p[0], p[1])) > reach + 5) return;
      const middle = add(p, rotate(q, [0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1]), 0]));
      const [x, y] = middle;
      const z = Sea.height(seaNow, x, y);
      if (p[2] + high[2] < z || p[2] + low[2] > z) return;
      const bow = rotate(q, [1, 0, 0]);
      const flat = Math.hypot(bow[0], bow[1]);
      if (flat < 0.3) return;
      const along = [bow[0] / flat, bow[1] / flat];
      const half = [0, 1].map((k) => Math.max(0.5 * (high[k] - low[k]), 0.05));
      const slope = [Sea.height(seaNow, x + half[0], y) - z, Sea.height(seaNow, x, y + half[0]) - z].map((d) => d / half[0]);
      found.push({
        robot,
        p: [x, y],
        along,
        half,
        speed: Math.max(velocity[0] * along[0] + velocity[1] * along[1], 0),
        plane: [z - slope[0] * x - slope[1] * y, ...slope],
        distance: Math.hypot(...sub(middle, camera.eye)),
      });
    });
    return found.sort((a, b) => a.distance - b.distance).slice(0, isDetailed ? MAX_VESSELS : 2);
  }

  /** Returns the pieces and poses of the object that is being moved or added, where it will be. */
  ghosts(robots) {
    const { preview, added } = this;
    const moved = this.drawables.filter(({ robot, structure }) => {
      const name = robot < 0 ? structure : this.scene.robots[robot].name;
      return preview?.name === name && preview.kind === (robot < 0 ? "structure" : "robot");
    });
    const ghosts = moved.map((drawable) => {
      const from = drawable.robot < 0 ? preview.from : robots[drawable.robot].links[0];
      return { piece: drawable.piece, pose: carry(this.pose(drawable, robots), from, preview.pose) };
    });
    if (added) {
      for (const { piece, pose } of this.model(added.name)) {
        ghosts.push({ piece, pose: { p: add(pose.p, added.p), q: pose.q } });
      }
    }
    return ghosts;
  }

  /** Returns the pieces of a model of the catalogue, and loads them at the first call. */
  model(name) {
    if (!this.models.has(name)) {
      this.models.set(name, []);
      // a model that cannot be built has no ghost; the answer to its addition has the reason
      loadModel(name).then((pieces) => this.models.set(name, pieces), () => {});
    }
    return this.models.get(name);
  }

  /**
   * Returns where a person on a robot looks from and to: its camera, the deck of a boat, or the bow; `hides` is true if
   * the robot itself hides the view.
   */
  eye(k, robots) {
    const { sensors, high, low, deck, size } = this.scene.robots[k];
    const camera = sensors.find(({ images }) => images.includes("color"));
    const base = robots[k].links[0];
    const surface = Sea.height(this.sea.at(this.time), base.p[0], base.p[1]);
    const isAfloat = base.p[2] + high[2] > surface && base.p[2] + low[2] < surface + 0.1;
    const onDeck = { p: [0.45 * high[0], 0, deck + clamp(0.18 * size, 0.25, 2)], q: turn([0, 1, 0], 0.12) };
    const atBow = { p: [0.9 * high[0], 0, 0.5 * (high[2] + low[2])], q: [1, 0, 0, 0] };
    const { p, q } = camera
      ? composePose(robots[k].links[camera.link], camera)
      : composePose(base, isAfloat ? onDeck : atBow);
    return { p, forward: rotate(q, [1, 0, 0]), up: rotate(q, [0, 0, 1]), hides: Boolean(camera) || !isAfloat };
  }

  /** Returns the pose of a drawable in the world. */
  pose(drawable, robots) {
    const { shape } = drawable;
    let own = { p: shape.p, q: shape.q };
    if (drawable.robot < 0) return own;
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

/** Loads the pieces of a model of the catalogue, with poses relative to the origin of the model. */
async function loadModel(name) {
  const buffer = await fetchBytes(`/model/${encodeURIComponent(name)}`);
  const parts = [];
  for (let at = 0; at + 4 <= buffer.byteLength; ) {
    const n = new DataView(buffer).getUint32(at, true);
    parts.push(buffer.slice(at + 4, at + 4 + n));
    at += 4 + n;
  }
  const { links, shapes } = JSON.parse(new TextDecoder().decode(parts[0]));
  const upright = { p: [0, 0, 0], q: links[0].q };
  const poses = shapes.map((shape) => composePose(carry(links[shape.link], links[0], upright), shape));
  const pieces = await Promise.all(shapes.map((shape) => buildShape(shape, async (k) => parts[1 + k])));
  return pieces.flatMap((own, k) => own.map((piece) => ({ piece, pose: poses[k] })));
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

/**
 * Returns the bounds of the shapes of link 0 in its frame [m]: largest distance from its origin (`size`), corners of the box
 * about them, and height of their front part (`deck`).
 */
function boundsOf(drawables) {
  let size = 0.2;
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  const points = [];
  for (const { piece, shape } of drawables) {
    if (shape.link !== 0) continue;
    for (let i = 0; i < piece.positions.length; i += 30) {
      const own = [piece.positions[i], piece.positions[i + 1], piece.positions[i + 2]];
      const p = add(shape.p, rotate(shape.q, own));
      size = Math.max(size, Math.hypot(...p));
      p.forEach((x, k) => {
        low[k] = Math.min(low[k], x);
        high[k] = Math.max(high[k], x);
      });
      points.push(p);
    }
  }
  if (!points.length) return { size, low: [-size, -size, -size], high: [size, size, size], deck: size };
  // a mast stands further aft
  const front = points.filter(([x]) => x > 0.4 * high[0]);
  return { size, low, high, deck: front.reduce((z, p) => Math.max(z, p[2]), low[2]) };
}
