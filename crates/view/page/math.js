// Vectors, quaternions (w, x, y, z) and column-major 4 x 4 matrices.

export const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const scale = (a, k) => [a[0] * k, a[1] * k, a[2] * k];
export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const norm = (a) => Math.hypot(a[0], a[1], a[2]);
export const cross = (a, b) => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
export const mix = (a, b, t) => a.map((x, k) => x + (b[k] - x) * t);
export const clamp = (x, low, high) => Math.min(Math.max(x, low), high);

export function unit(a) {
  const n = norm(a);
  return n > 0 ? scale(a, 1 / n) : [0, 0, 0];
}

/** Rotates a vector by a quaternion. */
export function rotate(q, v) {
  const u = [q[1], q[2], q[3]];
  const t = scale(cross(u, v), 2);
  return add(add(v, scale(t, q[0])), cross(u, t));
}

/** Returns the quaternion of a turn about a unit axis by an angle [rad]. */
export function turn(axis, angle) {
  const s = Math.sin(angle / 2);
  return [Math.cos(angle / 2), axis[0] * s, axis[1] * s, axis[2] * s];
}

export function multiplyQ(a, b) {
  return [
    a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
    a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
    a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
    a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
  ];
}

export const conjugate = (q) => [q[0], -q[1], -q[2], -q[3]];

/** Interpolates two quaternions linearly and normalises. */
export function mixQ(a, b, t) {
  const sign = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] < 0 ? -1 : 1;
  const q = a.map((x, k) => x + (sign * b[k] - x) * t);
  const n = Math.hypot(...q) || 1;
  return q.map((x) => x / n);
}

/** Returns the yaw of a quaternion, from east, counter-clockwise [rad]. */
export const yawOf = (q) =>
  Math.atan2(2 * (q[0] * q[3] + q[1] * q[2]), 1 - 2 * (q[2] * q[2] + q[3] * q[3]));

/** Returns the quaternion of roll, pitch and yaw [rad], yaw first. */
export function fromRpy([roll, pitch, yaw]) {
  const [r, p, y] = [turn([1, 0, 0], roll), turn([0, 1, 0], pitch), turn([0, 0, 1], yaw)];
  return multiplyQ(multiplyQ(y, p), r);
}

/** Returns roll, pitch and yaw of a quaternion [rad]. */
export function toRpy([w, x, y, z]) {
  const sine = clamp(2 * (w * y - x * z), -1, 1);
  return [
    Math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y)),
    Math.asin(sine),
    Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)),
  ];
}

/** Returns the matrix of a pose. */
export function poseMatrix(p, q) {
  const [w, x, y, z] = q;
  return [
    1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y), 0,
    2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x), 0,
    2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y), 0,
    p[0], p[1], p[2], 1,
  ];
}

/** Returns the pose B in the frame in which A is given, from B in A. */
export function composePose(a, b) {
  return { p: add(a.p, rotate(a.q, b.p)), q: multiplyQ(a.q, b.q) };
}

/** Returns a pose after the motion that moves the pose `from` to the pose `to`. */
export function carry(pose, from, to) {
  const back = conjugate(from.q);
  const relative = { p: rotate(back, sub(pose.p, from.p)), q: multiplyQ(back, pose.q) };
  return composePose(to, relative);
}

export function multiply(a, b) {
  const out = new Array(16).fill(0);
  for (let j = 0; j < 4; j++) {
    for (let i = 0; i < 4; i++) {
      for (let k = 0; k < 4; k++) out[4 * j + i] += a[4 * k + i] * b[4 * j + k];
    }
  }
  return out;
}

export function perspective(fovY, aspect, near, far) {
  const f = 1 / Math.tan(fovY / 2);
  const d = 1 / (near - far);
  return [f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) * d, -1, 0, 0, 2 * far * near * d, 0];
}

export function orthographic(width, height, near, far) {
  const d = 1 / (near - far);
  return [2 / width, 0, 0, 0, 0, 2 / height, 0, 0, 0, 0, 2 * d, 0, 0, 0, (far + near) * d, 1];
}

/** Returns the view matrix of an eye with the unit vectors right and up of its image. */
export function viewMatrix(eye, right, up, back) {
  return [
    right[0], up[0], back[0], 0,
    right[1], up[1], back[1], 0,
    right[2], up[2], back[2], 0,
    -dot(right, eye), -dot(up, eye), -dot(back, eye), 1,
  ];
}

/** Returns the clip coordinates of a point. */
export function project(m, p) {
  const at = (i) => m[i] * p[0] + m[4 + i] * p[1] + m[8 + i] * p[2] + m[12 + i];
  return [at(0), at(1), at(2), at(3)];
}

/**
 * Returns latitude and longitude [deg] of a point east and north of the origin [m], on the tangent plane of the WGS84
 * ellipsoid.
 */
export function geodetic({ latitude_deg: latitude, longitude_deg: longitude }, east, north) {
  const [a, e2] = [6378137, 0.00669437999014];
  const phi = (latitude * Math.PI) / 180;
  const w = Math.sqrt(1 - e2 * Math.sin(phi) ** 2);
  const [meridian, normal] = [(a * (1 - e2)) / w ** 3, a / w];
  const degrees = (x) => (x * 180) / Math.PI;
  return [latitude + degrees(north / meridian), longitude + degrees(east / (normal * Math.cos(phi)))];
}
