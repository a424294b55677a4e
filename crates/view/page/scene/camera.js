// Cameras: orbit, follow, first person and map. All produce an eye and the axes of its image.

import {
  add, clamp, cross, dot, multiply, orthographic, perspective, rotate, scale, sub, unit, viewMatrix, yawOf,
} from "../math.js";

export const MODES = ["orbit", "follow", "first", "map"];
const FOV = (50 * Math.PI) / 180;
const MAP_AXES = { right: [1, 0, 0], up: [0, 1, 0], forward: [0, 0, -1] };
/** Margin about objects that the image shows as a whole. */
const MARGIN = 1.15;

/** Returns the distance from which a camera shows a robot of a size [m]. */
export function framingDistance(size) {
  return clamp(3.2 * size, 1.2, 60);
}

export class Camera {
  constructor() {
    this.mode = "follow";
    this.target = [0, 0, 0];
    this.yaw = 2.4;
    this.pitch = 0.35;
    this.distance = 4;
    this.mapHeight = 40;
  }

  /** Points the camera at a robot of a size [m]. */
  frame(p, size) {
    this.target = [...p];
    // a tall image is narrow
    this.distance = framingDistance(size) * Math.max(1, 0.75 / (this.width / this.height || 1));
    this.mapHeight = clamp(40 * size, 20, 400);
  }

  /** Points the camera so that a part of the image, given by its edges [px], shows balls of centres and radii [m]. */
  frameAll(balls, { left, right, top, bottom }) {
    const isMap = this.mode === "map";
    const axes = isMap ? MAP_AXES : this.axesAlong(scale(this.outward(this.yaw), -1), [0, 0, 1]);
    const centre = [axes.right, axes.up, axes.forward].reduce((sum, axis) => {
      const ends = balls.flatMap(({ p, radius }) => [dot(p, axis) - radius, dot(p, axis) + radius]);
      return add(sum, scale(axis, (Math.min(...ends) + Math.max(...ends)) / 2));
    }, [0, 0, 0]);
    const half = isMap ? 0.5 : this.tan;
    const aspect = this.width / this.height;
    // edges of the part, per distance of the camera or height of the map
    const sides = [
      [axes.right, ...[left, right].map((x) => ((2 * x) / this.width - 1) * half * aspect)],
      [axes.up, ...[bottom, top].map((y) => (1 - (2 * y) / this.height) * half)],
    ];
    const distance = MARGIN * Math.max(...sides.flatMap(([axis, low, high]) => balls.map(({ p, radius }) => {
      const off = sub(p, centre);
      const [x, z] = [dot(off, axis), isMap ? 0 : dot(off, axes.forward)];
      return Math.max(x + radius - high * z, radius - x + low * z) / Math.max((high - low) / 2, 0.02);
    })));
    if (isMap) this.mapHeight = clamp(distance, 20, 20000);
    else this.distance = clamp(distance, 1.2, 5000);
    const reach = isMap ? this.mapHeight : this.distance;
    this.target = sides.reduce((at, [axis, low, high]) => sub(at, scale(axis, ((low + high) / 2) * reach)), centre);
  }

  drag(dx, dy, pan) {
    if (this.mode === "map" || pan) {
      const metres = this.metresPerPixel();
      const { right, up } = this.axes;
      this.target = add(this.target, add(scale(right, -dx * metres), scale(up, dy * metres)));
      if (this.mode === "follow" || this.mode === "first") this.mode = "orbit";
      return;
    }
    this.yaw -= dx * 0.006;
    this.pitch = clamp(this.pitch + dy * 0.006, -1.5, 1.5);
  }

  zoom(factor) {
    if (this.mode === "map") this.mapHeight = clamp(this.mapHeight * factor, 2, 20000);
    else this.distance = clamp(this.distance * factor, 0.2, 5000);
  }

  /** Changes the distance so that the point under a pixel stays there, on the map and of the free camera. */
  zoomAt(factor, x, y) {
    const { origin, direction } = this.ray(x, y);
    const key = this.mode === "map" ? "mapHeight" : "distance";
    const before = this[key];
    this.zoom(factor);
    if (this.mode !== "map" && this.mode !== "orbit") return;
    const { forward } = this.axes;
    const t = dot(sub(this.target, origin), forward) / dot(direction, forward);
    const shift = sub(add(origin, scale(direction, t)), this.target);
    this.target = add(this.target, scale(shift, 1 - this[key] / before));
  }

  /** Returns the size of a pixel at the target [m]. */
  metresPerPixel() {
    if (this.mode === "map") return this.mapHeight / this.height;
    return (2 * this.distance * Math.tan(FOV / 2)) / this.height;
  }

  /** Returns the size of a pixel at a point [m]. */
  pixelSize(p) {
    if (this.mode === "map") return this.mapHeight / this.height;
    const distance = Math.max(dot(sub(p, this.eye), this.axes.forward), 0.1);
    return (2 * distance * this.tan) / this.height;
  }

  /** Computes the view of an image of this size with the pose of the followed robot. */
  update(width, height, robot, dt) {
    this.width = width;
    this.height = height;
    const q = robot?.links[0].q;
    if (robot && (this.mode === "follow" || this.mode === "map")) {
      const k = 1 - Math.exp(-8 * dt);
      const goal = robot.links[0].p;
      const jump = Math.hypot(...goal.map((x, i) => x - this.target[i])) > 20;
      if (this.mode === "follow") {
        this.target = this.target.map((x, i) => (jump ? goal[i] : x + (goal[i] - x) * k));
      }
    }
    if (this.mode === "first" && robot) {
      const { p, forward, up } = robot.eye;
      this.look(p, forward, up);
    } else if (this.mode === "map") {
      this.eye = [this.target[0], this.target[1], 2000];
      this.axes = MAP_AXES;
    } else {
      const yaw = this.yaw + (this.mode === "follow" && q ? yawOf(q) : 0);
      const out = this.outward(yaw);
      this.look(add(this.target, scale(out, this.distance)), scale(out, -1), [0, 0, 1]);
    }
    const { right, up, forward } = this.axes;
    const view = viewMatrix(this.eye, right, up, scale(forward, -1));
    const aspect = width / height;
    const far = 6000;
    const near = clamp(this.distance * 0.02, 0.03, 1);
    this.tan = Math.tan(FOV / 2);
    this.projection =
      this.mode === "map"
        ? orthographic(this.mapHeight * aspect, this.mapHeight, 1, 12000)
        : perspective(FOV, aspect, this.mode === "first" ? 0.03 : near, far);
    this.matrix = multiply(this.projection, view);
  }

  /** Returns the direction from the target to the camera at an angle from east [rad]. */
  outward(yaw) {
    const c = Math.cos(this.pitch);
    return [c * Math.cos(yaw), c * Math.sin(yaw), Math.sin(this.pitch)];
  }

  look(eye, forward, upward) {
    this.eye = eye;
    this.axes = this.axesAlong(forward, upward);
  }

  /** Returns the axes of the image of a camera that looks along a direction. */
  axesAlong(forward, upward) {
    const f = unit(forward);
    let right = cross(f, upward);
    if (Math.hypot(...right) < 1e-4) right = [Math.sin(this.yaw), -Math.cos(this.yaw), 0];
    right = unit(right);
    return { right, up: cross(right, f), forward: f };
  }

  /** Returns the ray through a pixel: origin and direction. */
  ray(x, y) {
    const { right, up, forward } = this.axes;
    const [u, v] = [(2 * x) / this.width - 1, 1 - (2 * y) / this.height];
    if (this.mode === "map") {
      const half = this.mapHeight / 2;
      const origin = add(this.eye, add(scale(right, u * half * (this.width / this.height)), scale(up, v * half)));
      return { origin, direction: forward };
    }
    const aspect = this.width / this.height;
    const d = add(forward, add(scale(right, u * this.tan * aspect), scale(up, v * this.tan)));
    return { origin: this.eye, direction: unit(d) };
  }
}
