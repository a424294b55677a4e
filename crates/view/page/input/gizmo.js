// Gizmo: axes that move and rings that turn the selected object, with a preview of its new pose.

import { add, cross, dot, multiplyQ, norm, rotate, scale, sub, turn, unit } from "../math.js";
import { meetPlane } from "../scene/raycast.js";

const AXES = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
const COLORS = ["#ff5a52", "#59d46b", "#5aa2ff"];
const GRASPED = "#ffe27a";
const PIXELS = 92;
const REACH = 9;
const RING_POINTS = 64;
/** Increments while Control is held [m, rad]. */
const SNAP = [0.25, Math.PI / 12];

export class Gizmo {
  constructor() {
    this.mode = null;
    this.grasp = null;
    this.hover = null;
  }

  /** Returns the length of the axes at a pose [m]. */
  length(camera, p) {
    return PIXELS * camera.pixelSize(p);
  }

  /** Returns the handles of the gizmo as lists of points in the world. */
  handles(camera, { p, q }) {
    const size = this.length(camera, p);
    const isShown = (axis) => camera.mode !== "map" || axis !== 2;
    if (this.mode === "move") {
      const arrows = AXES.map((a, axis) => ({ axis, points: [p, add(p, scale(a, size))] }));
      return [...arrows.filter(({ axis }) => isShown(axis)), { axis: 3, points: square(p, 0.16 * size) }];
    }
    const rings = AXES.map((a, axis) => ({ axis, points: ring(p, rotate(q, a), 0.85 * size) }));
    return rings.filter(({ axis }) => camera.mode !== "map" || axis === 2);
  }

  /** Returns the handle at a pixel; null for none. `at` projects a point. */
  find(camera, pose, at, x, y) {
    let [best, found] = [REACH, null];
    for (const handle of this.handles(camera, pose)) {
      const pixels = handle.points.map(at);
      if (handle.axis === 3 && isInside(pixels, x, y)) return handle.axis;
      for (let k = 0; k + 1 < pixels.length; k++) {
        const distance = toSegment(pixels[k], pixels[k + 1], x, y);
        if (distance < best) [best, found] = [distance, handle.axis];
      }
    }
    return found;
  }

  /** Starts a drag of a handle. */
  start(axis, camera, pose, x, y) {
    this.grasp = { axis, from: pose, pose, at: null };
    this.grasp.at = this.measure(camera, x, y);
    if (this.grasp.at === null) this.grasp = null;
    return this.grasp !== null;
  }

  /** Returns where a pixel is along an axis [m], on the plane [m] or on a ring [rad]. */
  measure(camera, x, y) {
    const { axis, from } = this.grasp;
    const ray = camera.ray(x, y);
    if (this.mode === "move" && axis < 3) {
      // the point of the axis that is nearest to the ray
      const along = AXES[axis];
      const w = sub(from.p, ray.origin);
      const b = dot(along, ray.direction);
      const rest = 1 - b * b;
      return rest < 1e-4 ? null : (b * dot(w, ray.direction) - dot(w, along)) / rest;
    }
    const normal = this.mode === "move" ? AXES[2] : rotate(from.q, AXES[axis]);
    const t = meetPlane(ray, from.p, normal);
    if (!Number.isFinite(t)) return null;
    const out = sub(add(ray.origin, scale(ray.direction, t)), from.p);
    if (this.mode === "move") return out;
    const [u, v] = basis(normal);
    return Math.atan2(dot(out, v), dot(out, u));
  }

  /** Moves the handle to a pixel and returns the new pose. */
  drag(camera, x, y, snaps) {
    const { axis, from, at } = this.grasp;
    const now = this.measure(camera, x, y);
    if (now === null) return this.grasp.pose;
    const snap = (value, step) => (snaps ? Math.round(value / step) * step : value);
    let { p, q } = from;
    if (this.mode === "turn") q = multiplyQ(q, turn(AXES[axis], snap(now - at, SNAP[1])));
    else if (axis < 3) p = add(p, scale(AXES[axis], snap(now - at, SNAP[0])));
    else p = add(p, sub(now, at).map((d) => snap(d, SNAP[0])));
    this.grasp.pose = { p, q };
    return this.grasp.pose;
  }

  draw(overlays, camera, pose) {
    if (!this.mode) return;
    const { c } = overlays;
    const active = this.grasp?.axis ?? this.hover;
    for (const { axis, points } of this.handles(camera, pose)) {
      const color = axis === active ? GRASPED : (COLORS[axis] ?? "#ffffff");
      if (this.mode === "move" && axis < 3) {
        overlays.arrow(points[0], sub(points[1], points[0]), color, 3.5);
      } else {
        overlays.line(points, color, axis === active ? 3.5 : 2.5);
      }
    }
    if (!this.grasp) return;
    const { from } = this.grasp;
    const at = overlays.at(pose.p);
    if (!at) return;
    const moved = sub(pose.p, from.p);
    const text = this.mode === "move"
      ? `${norm(moved).toFixed(2)} m`
      : `${angleBetween(from.q, pose.q).toFixed(1)}°`;
    c.save();
    overlays.text(text, at[0], at[1] + 30, "#ffe27a", "center");
    c.restore();
  }
}

function square(p, half) {
  const corners = [[1, 1], [-1, 1], [-1, -1], [1, -1], [1, 1]];
  return corners.map(([x, y]) => add(p, [x * half, y * half, 0]));
}

/** Returns two unit vectors that are normal to an axis and to each other. */
function basis(axis) {
  const other = Math.abs(axis[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0];
  const u = unit(cross(other, axis));
  return [u, cross(axis, u)];
}

function ring(p, axis, radius) {
  const [u, v] = basis(axis);
  return Array.from({ length: RING_POINTS + 1 }, (_, k) => {
    const a = (2 * Math.PI * k) / RING_POINTS;
    return add(p, add(scale(u, radius * Math.cos(a)), scale(v, radius * Math.sin(a))));
  });
}

function toSegment(a, b, x, y) {
  if (!a || !b) return Infinity;
  const [dx, dy] = [b[0] - a[0], b[1] - a[1]];
  const t = ((x - a[0]) * dx + (y - a[1]) * dy) / (dx * dx + dy * dy || 1);
  const k = Math.min(Math.max(t, 0), 1);
  return Math.hypot(a[0] + k * dx - x, a[1] + k * dy - y);
}

function isInside(pixels, x, y) {
  if (pixels.some((pixel) => !pixel)) return false;
  const xs = pixels.map((pixel) => pixel[0]);
  const ys = pixels.map((pixel) => pixel[1]);
  return x >= Math.min(...xs) && x <= Math.max(...xs) && y >= Math.min(...ys) && y <= Math.max(...ys);
}

/** Returns the angle between two attitudes [deg]. */
function angleBetween(a, b) {
  const w = Math.abs(a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]);
  return (2 * Math.acos(Math.min(w, 1)) * 180) / Math.PI;
}
