// Intersections of rays with the shapes of the scene, the seabed and planes.

import { add, conjugate, cross, dot, rotate, scale, sub } from "../math.js";

const TERRAIN_STEPS = 300;
const MAX_RANGE = 3000;

/** Returns the centre and radius of a ball around the vertices of a piece. */
function ballOf(piece) {
  if (piece.ball) return piece.ball;
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  const { positions } = piece;
  for (let i = 0; i < positions.length; i++) {
    const k = i % 3;
    low[k] = Math.min(low[k], positions[i]);
    high[k] = Math.max(high[k], positions[i]);
  }
  const centre = low.map((x, k) => (x + high[k]) / 2);
  piece.ball = { centre, radius: Math.hypot(...sub(high, centre)) };
  return piece.ball;
}

function meetsBall({ origin, direction }, { centre, radius }) {
  const to = sub(centre, origin);
  const along = Math.max(dot(to, direction), 0);
  return Math.hypot(...sub(to, scale(direction, along))) <= radius;
}

/** Returns the distance to the nearest triangle of a piece, in its own frame. */
function meetPiece({ origin, direction }, { positions, indices }) {
  let best = Infinity;
  const at = (k) => [positions[3 * k], positions[3 * k + 1], positions[3 * k + 2]];
  for (let i = 0; i < indices.length; i += 3) {
    const a = at(indices[i]);
    const ab = sub(at(indices[i + 1]), a);
    const ac = sub(at(indices[i + 2]), a);
    const h = cross(direction, ac);
    const det = dot(ab, h);
    if (Math.abs(det) < 1e-12) continue;
    const s = sub(origin, a);
    const u = dot(s, h) / det;
    if (u < 0 || u > 1) continue;
    const q = cross(s, ab);
    const v = dot(direction, q) / det;
    if (v < 0 || u + v > 1) continue;
    const t = dot(ac, q) / det;
    if (t > 1e-6 && t < best) best = t;
  }
  return best;
}

/** Returns the nearest drawable that a ray meets: { distance, drawable }; null for none. */
export function meetDrawables(world, robots, ray, hidden) {
  let found = null;
  for (const drawable of world.drawables) {
    if (drawable.robot >= 0 && drawable.robot === hidden) continue;
    const { p, q } = world.pose(drawable, robots);
    const back = conjugate(q);
    const own = { origin: rotate(back, sub(ray.origin, p)), direction: rotate(back, ray.direction) };
    if (!meetsBall(own, ballOf(drawable.piece))) continue;
    const distance = meetPiece(own, drawable.piece);
    if (distance < (found?.distance ?? Infinity)) found = { distance, drawable };
  }
  return found;
}

/** Returns the height of the seabed [m] at a point; null outside the terrain. */
export function seabedHeight(world, x, y) {
  const { seabed } = world.scene;
  const grid = seabed.terrain;
  if (!grid) return seabed.z0 + seabed.slope[0] * x + seabed.slope[1] * y;
  const [nx, ny] = grid.count;
  const u = (x - grid.corner[0]) / grid.step[0];
  const v = (y - grid.corner[1]) / grid.step[1];
  if (u < 0 || v < 0 || u > nx - 1 || v > ny - 1) return null;
  const [i, j] = [Math.min(Math.floor(u), nx - 2), Math.min(Math.floor(v), ny - 2)];
  const h = (a, b) => world.ground.positions[3 * ((j + b) * nx + i + a) + 2];
  const [s, t] = [u - i, v - j];
  return (h(0, 0) * (1 - s) + h(1, 0) * s) * (1 - t) + (h(0, 1) * (1 - s) + h(1, 1) * s) * t;
}

/** Returns the distance along a ray to the seabed; infinite if it does not meet it. */
export function meetSeabed(world, { origin, direction }) {
  const above = (t) => {
    const p = add(origin, scale(direction, t));
    const z = seabedHeight(world, p[0], p[1]);
    return z === null ? 1 : p[2] - z;
  };
  let [from, step] = [0, 0.05];
  for (let k = 0; k < TERRAIN_STEPS && from < MAX_RANGE; k++) {
    const to = from + step;
    if (above(to) <= 0) {
      let [low, high] = [from, to];
      for (let n = 0; n < 24; n++) {
        const middle = (low + high) / 2;
        if (above(middle) <= 0) high = middle;
        else low = middle;
      }
      return high;
    }
    from = to;
    step = Math.max(step, 0.03 * to);
  }
  return Infinity;
}

/** Returns the distance along a ray to the plane through a point with this normal. */
export function meetPlane({ origin, direction }, point, normal) {
  const closing = dot(direction, normal);
  if (Math.abs(closing) < 1e-6) return Infinity;
  const t = dot(sub(point, origin), normal) / closing;
  return t > 0 ? t : Infinity;
}
