// Overlays on the image: names, frames, trails, arrows, DVL beams, waypoints, scale and north.

import { add, composePose, dot, norm, project, rotate, scale, sub, unit } from "../math.js";
import { meetSeabed } from "./raycast.js";

/** Overlays with their names and whether they are shown at first. */
export const OVERLAYS = {
  names: ["Names", true],
  task: ["Task", true],
  trails: ["Trails", true],
  frames: ["Frames of links", false],
  sensors: ["Frames of sensors", false],
  axes: ["Axes of the world", false],
  velocity: ["Velocity", false],
  thrust: ["Thrust", false],
  beams: ["DVL beams", false],
  points: ["Laser points", true],
  frusta: ["Camera frusta", false],
  fans: ["Sonar fans", false],
  forces: ["Forces by law", false],
  gravity: ["Centre of gravity", false],
  buoyancy: ["Centre of buoyancy", false],
  hull: ["Wetted hull", false],
  contacts: ["Contacts", false],
  current: ["Current", false],
  wind: ["Wind", false],
  links: ["Communication links", false],
  shadows: ["Shadows", true],
  water: ["Water surface", true],
  depths: ["Depth colours", false],
  clear: ["Clear water (C)", false],
};
/** Overlays that need readings of the selected robot. */
const WITH_READINGS = ["forces", "gravity", "buoyancy", "hull", "contacts", "current", "wind"];
/** Steps of the hue between the colours of successive laws [deg]. */
const HUE_STEP = 67;
const AXIS_COLORS = ["#ff5a52", "#59d46b", "#5aa2ff"];
/** Length of the arrow of the largest force [px]. */
const FORCE_PIXELS = 110;
/** Age above which readings are not shown [ms]. */
const READINGS_MS = 1500;
const MAX_FAN_M = 80;
/** Largest number of streaks of rain, edge of the cube around the camera that contains them [m], speed [m/s]. */
const MAX_STREAKS = 2500;
const RAIN_CUBE_M = 12;
const RAIN_SPEED = 8;
const MAX_NAMES = 40;
const TRAIL_POINTS = 600;
const TRAIL_PERIOD_S = 0.2;

/** Returns the direction of positive thrust in the link, which the servo of an azimuth thruster turns. */
function thrustAxis({ fins }, { azimuth, direction }, state) {
  if (azimuth === null) return direction;
  const angle = state.fins[azimuth];
  return rotate(fins[azimuth].q, [Math.cos(angle), Math.sin(angle), 0]);
}

export class Overlays {
  constructor(canvas) {
    this.canvas = canvas;
    /** Edges of the part of the image that no panel covers [px]; set by the page. */
    this.free = { left: 0, right: innerWidth, top: 0, bottom: innerHeight };
    this.shown = Object.fromEntries(Object.entries(OVERLAYS).map(([key, [, on]]) => [key, on]));
    /** Laws whose forces are not drawn with the overlay of the forces. */
    this.hiddenLaws = new Set();
    this.trails = [];
    this.waypoints = [];
    /** True while a key can click on the centre of the image, where a cross is drawn. */
    this.aims = false;
    /** Points of the watched laser in the world, with their time of arrival [ms]. */
    this.points = null;
    /** Links as [transmitter, receiver, frames, received, signal-to-noise ratio in dB, ...]. */
    this.links = [];
    /** Newest readings of the selected robot, with their time of arrival [ms]. */
    this.readings = null;
    /** Goal that was sent last: { p, yaw }. */
    this.goal = null;
  }

  /** Returns the colour of the forces of a law. */
  lawColor(law) {
    return `hsl(${(4 + HUE_STEP * this.scene.laws.indexOf(law)) % 360}, 95%, 70%)`;
  }

  /** Returns true if a shown overlay needs readings of the selected robot. */
  get needsReadings() {
    return WITH_READINGS.some((key) => this.shown[key]);
  }

  /** Sets the points of a message. */
  setPoints(buffer) {
    this.points = { xyz: new Float32Array(buffer, 16), arrival: performance.now() };
  }

  clear() {
    this.points = null;
    this.readings = null;
    this.trails = [];
    this.goal = null;
  }

  /** Adds the positions of the robots to their trails. */
  track(time, robots) {
    robots.forEach((robot, k) => {
      const trail = (this.trails[k] ??= { time: -Infinity, points: [] });
      if (time < trail.time) trail.points = [];
      if (time < trail.time + TRAIL_PERIOD_S && time >= trail.time) return;
      trail.time = time;
      trail.points.push(robot.links[0].p);
      if (trail.points.length > TRAIL_POINTS) trail.points.shift();
    });
  }

  draw(world, robots, camera, selected, pixelRatio) {
    const c = this.canvas.getContext("2d");
    c.setTransform(1, 0, 0, 1, 0, 0);
    c.clearRect(0, 0, this.canvas.width, this.canvas.height);
    c.setTransform(pixelRatio, 0, 0, pixelRatio, 0, 0);
    this.c = c;
    this.camera = camera;
    this.size = [this.canvas.width / pixelRatio, this.canvas.height / pixelRatio];
    c.lineJoin = "round";
    this.world = world;
    this.drawRain(world);
    if (this.shown.trails) this.drawTrails(selected);
    world.scene.robots.forEach((model, k) => {
      if (k === camera.hidden) return;
      this.drawRobot(model, robots[k], k === selected);
    });
    this.drawWaypoints();
    if (this.shown.task && world.scene.task) this.drawTask(world.scene.task, world.status?.task, robots);
    if (this.shown.axes) this.drawAxes({ p: [0, 0, 0], q: [1, 0, 0, 0] }, 60 * camera.pixelSize([0, 0, 0]));
    if (this.aims) this.drawCross();
    if (this.shown.points) this.drawPoints();
    this.drawReadings(robots, selected);
    if (this.shown.links) this.drawLinks(world.scene, robots, selected);
    if (this.shown.names || camera.mode === "map") this.drawNames(world.scene, robots, selected);
    if (camera.mode === "map") this.drawScale();
    this.drawNorth();
  }

  /** Returns the pixel of a point; null behind the camera. */
  at(p) {
    const [x, y, , w] = project(this.camera.matrix, p);
    if (w < 0.02) return null;
    return [((x / w + 1) / 2) * this.size[0], ((1 - y / w) / 2) * this.size[1]];
  }

  line(points, color, width) {
    this.lines([points], color, width);
  }

  /** Draws lines of one colour. */
  lines(all, color, width) {
    const { c } = this;
    c.beginPath();
    for (const points of all) {
      let pen = false;
      for (const p of points) {
        const q = this.at(p);
        if (q && pen) c.lineTo(q[0], q[1]);
        else if (q) c.moveTo(q[0], q[1]);
        pen = q !== null;
      }
    }
    for (const [style, w] of [["rgba(0, 15, 30, 0.45)", width + 2], [color, width]]) {
      c.strokeStyle = style;
      c.lineWidth = w;
      c.stroke();
    }
  }

  arrow(from, vector, color, width = 2) {
    if (norm(vector) < 1e-6) return;
    this.line([from, add(from, vector)], color, width);
    const [a, b] = [this.at(from), this.at(add(from, vector))];
    if (!a || !b) return;
    const angle = Math.atan2(b[1] - a[1], b[0] - a[0]);
    const { c } = this;
    c.fillStyle = color;
    c.beginPath();
    c.moveTo(b[0] + 4 * Math.cos(angle), b[1] + 4 * Math.sin(angle));
    for (const turn of [2.5, -2.5]) {
      c.lineTo(b[0] + 8 * Math.cos(angle + turn), b[1] + 8 * Math.sin(angle + turn));
    }
    c.fill();
  }

  /** Draws rain around a camera above the water: streaks that fall at 8 m/s, seen for 1/30 s. */
  drawRain({ status, time }) {
    const rain = status?.["weather.rain_mm_h"] ?? 0;
    const { eye, mode } = this.camera;
    if (!(rain > 0) || mode === "map" || eye[2] < 0) return;
    const n = Math.min(MAX_STREAKS, Math.round(250 * rain ** 0.6));
    const streaks = [];
    for (let k = 0; k < n; k++) {
      // fixed places of a cube that repeats in space, so that the rain does not follow the camera
      const place = [12.9898, 78.233, 37.719].map((x) => Math.abs(43758.5453 * Math.sin((k + 1) * x)) % 1);
      const fallen = [0, 0, (RAIN_SPEED * time) / RAIN_CUBE_M];
      const near = place.map((x, i) => (((x - fallen[i] - eye[i] / RAIN_CUBE_M) % 1) + 1) % 1);
      const p = near.map((x, i) => eye[i] + RAIN_CUBE_M * (x - 0.5));
      if (p[2] > 0) streaks.push([p, [p[0], p[1], p[2] + RAIN_SPEED / 30]]);
    }
    this.drawStreaks(streaks);
  }

  /** Draws lines without an outline. */
  drawStreaks(streaks) {
    const { c } = this;
    c.beginPath();
    for (const [from, to] of streaks) {
      const [a, b] = [this.at(from), this.at(to)];
      if (!a || !b) continue;
      c.moveTo(a[0], a[1]);
      c.lineTo(b[0], b[1]);
    }
    c.strokeStyle = "rgba(225, 236, 246, 0.55)";
    c.lineWidth = 1;
    c.stroke();
  }

  drawTrails(selected) {
    const others = this.trails.filter((_, k) => k !== selected);
    this.lines(others.map((trail) => trail.points), "rgba(150, 220, 255, 0.7)", 1.5);
    const own = this.trails[selected];
    if (own) this.line(own.points, "rgba(255, 205, 70, 0.95)", 1.5);
  }

  drawRobot(model, state, isSelected) {
    const { p, q } = state.links[0];
    const length = Math.max(model.size, 0.3);
    if (this.shown.frames) {
      const links = isSelected ? state.links : [state.links[0]];
      links.forEach((link, k) => this.drawAxes(link, k === 0 ? length : 0.4 * length));
    }
    if (this.shown.sensors && isSelected) {
      for (const sensor of model.sensors) {
        const pose = composePose(state.links[sensor.link], sensor);
        this.drawAxes(pose, 0.25 * length);
        const at = this.at(pose.p);
        if (at) this.text(sensor.name, at[0] + 5, at[1] - 5, "#e6f2ff");
      }
    }
    if (this.shown.velocity) this.arrow(p, state.velocity, "#ffd84d");
    if (this.shown.thrust) {
      model.thrusters.forEach((thruster, k) => {
        const link = state.links[thruster.link];
        const from = add(link.p, rotate(link.q, thruster.p));
        const metres = (0.02 * length * state.thrusters[k].thrust) / 0.5;
        this.arrow(from, scale(rotate(link.q, thrustAxis(model, thruster, state)), metres), "#ff9a4d");
      });
    }
    if (this.shown.beams) this.drawBeams(model, state);
    if (isSelected) this.drawViews(model, state);
    if (this.camera.mode === "map") this.drawMarker(p, q, isSelected);
  }

  /** Draws the parts of the task, and a line from each robot to its next part. */
  drawTask({ markers }, status, robots) {
    const color = "#c8ff6a";
    for (const { shape, name, points: anchors, yaw } of markers) {
      // an added robot has no state yet
      const place = ({ robot, at }) => robots[robot] && add(robots[robot].links[0].p, rotate(robots[robot].links[0].q, at));
      const points = anchors.map((anchor) => (Array.isArray(anchor) ? anchor : place(anchor))).filter(Boolean);
      if (!points.length) continue;
      if (shape === "points") for (const p of points) this.drawPoint(p, points.length > 1 ? "" : name, color, 1);
      else this.line(shape === "area" ? [...points, points[0]] : points, color, 2);
      if (yaw !== null) {
        const length = 30 * this.camera.pixelSize(points[0]);
        this.arrow(points[0], [length * Math.cos(yaw), length * Math.sin(yaw), 0], color);
      }
      const at = shape === "points" ? null : this.at(points[0]);
      if (at) this.text(name, at[0] + 6, at[1] - 6, color);
    }
    for (const { name, next } of status?.robots ?? []) {
      const k = this.scene.robots.findIndex((robot) => robot.name === name);
      if (next && robots[k] && !this.scene.recording) this.line([robots[k].links[0].p, next], "rgba(200, 255, 106, 0.45)", 1);
    }
  }

  /** Draws the axes x, y, z of a pose with this length [m] in red, green, blue. */
  drawAxes({ p, q }, length) {
    [[1, 0, 0], [0, 1, 0], [0, 0, 1]].forEach((axis, i) => {
      this.line([p, add(p, scale(rotate(q, axis), length))], AXIS_COLORS[i], 2);
    });
  }

  /** Draws a cross at the centre of the image. */
  drawCross() {
    const { c } = this;
    const [x, y] = this.size.map((n) => n / 2);
    c.beginPath();
    for (const [dx, dy] of [[9, 0], [0, 9]]) {
      c.moveTo(x - dx, y - dy);
      c.lineTo(x + dx, y + dy);
    }
    for (const [style, width] of [["rgba(0, 15, 30, 0.7)", 4], ["#ffe27a", 2]]) {
      c.strokeStyle = style;
      c.lineWidth = width;
      c.stroke();
    }
  }

  drawBeams(model, state) {
    for (const sensor of model.sensors) {
      if (!sensor.beams) continue;
      const link = state.links[sensor.link];
      const from = add(link.p, rotate(link.q, sensor.p));
      for (const beam of sensor.beams.directions) {
        const d = rotate(link.q, rotate(sensor.q, beam));
        const range = Math.min(this.rangeTo(from, d), sensor.beams.range_m);
        this.line([from, add(from, scale(d, range))], "rgba(120, 255, 215, 0.9)", 1.2);
      }
    }
  }

  /** Draws the points of the watched laser; near points are bright. */
  drawPoints() {
    const { points, c } = this;
    if (!points || performance.now() - points.arrival > READINGS_MS) return;
    const { xyz } = points;
    for (let k = 0; k + 2 < xyz.length; k += 3) {
      const p = [xyz[k], xyz[k + 1], xyz[k + 2]];
      const at = this.at(p);
      if (!at) continue;
      const far = norm(sub(p, this.camera.eye));
      c.fillStyle = `hsl(${(170 - 120 * Math.exp(-far / 20)).toFixed(0)}, 95%, 60%)`;
      c.fillRect(at[0] - 1, at[1] - 1, 2, 2);
    }
  }

  /** Draws lines between modems with their fraction of received frames, for both directions. */
  drawLinks({ modems }, robots, selected) {
    const place = ({ robot, link, p }) => {
      if (robot === null) return p;
      const pose = robots[robot].links[link];
      return add(pose.p, rotate(pose.q, p));
    };
    const pairs = new Map();
    for (const [from, to, frames, received, snr] of this.links) {
      if (!modems[from] || !modems[to]) continue;
      const key = `${Math.min(from, to)}-${Math.max(from, to)}`;
      const pair = pairs.get(key) ?? { from, to, frames: 0, received: 0, snr };
      pair.frames += frames;
      pair.received += received;
      pairs.set(key, pair);
    }
    for (const { from, to, frames, received, snr } of pairs.values()) {
      const ratio = received / frames;
      const color = `hsl(${(120 * ratio).toFixed(0)}, 85%, 62%)`;
      const [a, b] = [place(modems[from]), place(modems[to])];
      this.line([a, b], color, 1.5);
      const isOwn = [from, to].some((k) => modems[k].robot === selected);
      const at = isOwn ? this.at(scale(add(a, b), 0.5)) : null;
      const text = `${(100 * ratio).toFixed(0)} % received${snr === null ? "" : `, ${snr} dB`}`;
      if (at) this.text(text, at[0], at[1] - 6, color, "center");
    }
  }

  /** Draws the edges of the images of cameras and the fans of sonars. */
  drawViews(model, state) {
    for (const sensor of model.sensors) {
      if (!sensor.view || !this.shown[sensor.view.closed ? "frusta" : "fans"]) continue;
      const { p, q } = composePose(state.links[sensor.link], sensor);
      const { edge, closed, range_m: range } = sensor.view;
      const limit = closed ? Math.max(1.6 * model.size, 0.8) : MAX_FAN_M;
      const ends = edge.map((d) => {
        const along = rotate(q, d);
        return add(p, scale(along, Math.min(range, limit, this.rangeTo(p, along))));
      });
      const color = closed ? "rgba(255, 226, 122, 0.95)" : "rgba(120, 255, 170, 0.95)";
      if (closed) {
        for (const end of ends) this.line([p, end], color, 1.2);
        this.line([...ends, ends[0]], color, 1.5);
      } else {
        this.line([p, ...ends, p], color, 1.5);
      }
      const at = this.at(ends[closed ? 1 : 0]);
      if (at) this.text(sensor.name, at[0] + 4, at[1], color);
    }
  }

  /** Draws forces, centres, contacts and flows of the selected robot. */
  drawReadings(robots, selected) {
    const { readings } = this;
    if (!readings || readings.robot !== selected || performance.now() - readings.arrival > READINGS_MS) return;
    if (this.shown.hull && readings.wetted_mm) this.drawHull(readings.wetted_mm, robots[selected].links[0].p);
    if (this.shown.forces) this.drawForces(readings.forces, readings.contacts);
    else if (this.shown.contacts) this.drawForces([], readings.contacts);
    const { gravity_center: gravity, buoyancy_center: buoyancy } = readings;
    if (this.shown.gravity) this.drawPoint(gravity, "CG", this.lawColor("gravity"), -1);
    if (this.shown.buoyancy && buoyancy) this.drawPoint(buoyancy, "CB", this.lawColor("buoyancy"), 1);
    if (this.shown.current) this.drawFlow(gravity, readings.current, "current", "#7fe3ff", 0);
    if (this.shown.wind) this.drawFlow(gravity, readings.wind, "wind", "#e6f2ff", 26);
  }

  /** Draws the front of the wetted hull, from the corners of its triangles relative to the robot [mm]. */
  drawHull(corners, origin) {
    const { c } = this;
    c.beginPath();
    for (let k = 0; k + 8 < corners.length; k += 9) {
      const p = [0, 3, 6].map((i) => this.at([0, 1, 2].map((j) => origin[j] + corners[k + i + j] / 1000)));
      if (p.includes(null)) continue;
      const [[ax, ay], [bx, by], [dx, dy]] = p;
      // the page has y down: triangles of the front are clockwise
      if ((bx - ax) * (dy - ay) - (by - ay) * (dx - ax) > 0) continue;
      c.moveTo(ax, ay);
      c.lineTo(bx, by);
      c.lineTo(dx, dy);
      c.closePath();
    }
    c.fillStyle = "rgba(40, 190, 255, 0.35)";
    c.fill();
    c.strokeStyle = "rgba(170, 235, 255, 0.28)";
    c.lineWidth = 0.6;
    c.stroke();
  }

  drawForces(forces, contacts) {
    const touching = contacts.map(({ p, f }) => ({ law: "contact", name: "", p, f }));
    const isShown = ({ law }) => !this.hiddenLaws.has(law) || (law === "contact" && this.shown.contacts);
    // contacts are drawn at their points
    const all = [...forces.filter(({ law }) => law !== "contact"), ...touching].filter(isShown);
    const largest = Math.max(...all.map(({ f }) => norm(f)), 1e-6);
    for (const { law, name, p, f } of all) {
      const newtons = norm(f);
      const pixels = (FORCE_PIXELS * newtons) / largest;
      if (pixels < 1.5 && law !== "contact") continue;
      const vector = scale(unit(f), Math.max(pixels, 8) * this.camera.pixelSize(p));
      this.arrow(p, vector, this.lawColor(law), 2.5);
      const at = this.at(add(p, vector));
      if (!at) continue;
      const text = `${name || law} ${newtons >= 100 ? newtons.toFixed(0) : newtons.toPrecision(3)} N`;
      this.text(text, at[0] + 8, at[1] + (f[2] > 0 ? -4 : 12), this.lawColor(law));
    }
    if (this.shown.contacts) for (const { p } of contacts) this.drawPoint(p, "", this.lawColor("contact"), 1);
  }

  drawPoint(p, text, color, side) {
    const at = this.at(p);
    if (!at) return;
    const { c } = this;
    c.fillStyle = color;
    c.strokeStyle = "rgba(0, 15, 30, 0.9)";
    c.lineWidth = 2;
    c.beginPath();
    c.arc(at[0], at[1], 5, 0, 7);
    c.stroke();
    c.fill();
    if (text) this.text(text, at[0] + 9 * side, at[1] + 4, color, side > 0 ? "left" : "right");
  }

  /** Draws a velocity at a point, shifted down by some pixels, with its speed. */
  drawFlow(p, v, name, color, shift) {
    const speed = norm(v);
    const size = this.camera.pixelSize(p);
    const from = add(p, scale(this.camera.axes.up, -(46 + shift) * size));
    const at = this.at(from);
    if (!at) return;
    const pixels = speed > 1e-4 ? 20 + 60 * Math.min(speed / (name === "wind" ? 15 : 1), 1) : 0;
    if (pixels) this.arrow(from, scale(unit(v), pixels * size), color, 2.5);
    this.text(`${name} ${speed.toFixed(2)} m/s`, at[0] - 10, at[1] + 4, color, "right");
  }

  /** Returns the distance to the seabed along a ray [m], infinite without a hit. */
  rangeTo(p, d) {
    const { seabed } = this.scene;
    if (seabed.terrain) return meetSeabed(this.world, { origin: p, direction: d });
    const [sx, sy] = seabed.slope;
    const closing = sx * d[0] + sy * d[1] - d[2];
    return closing > 1e-9 ? (p[2] - seabed.z0 - sx * p[0] - sy * p[1]) / closing : Infinity;
  }

  drawMarker(p, q, isSelected) {
    const at = this.at(p);
    if (!at) return;
    const forward = rotate(q, [1, 0, 0]);
    const angle = Math.atan2(-forward[1], forward[0]);
    const { c } = this;
    c.save();
    c.translate(at[0], at[1]);
    c.rotate(angle);
    c.beginPath();
    c.moveTo(11, 0);
    c.lineTo(-7, 6);
    c.lineTo(-4, 0);
    c.lineTo(-7, -6);
    c.closePath();
    c.fillStyle = isSelected ? "#ffcd46" : "#ffffff";
    c.strokeStyle = "rgba(0, 20, 40, 0.9)";
    c.lineWidth = 1.5;
    c.fill();
    c.stroke();
    c.restore();
  }

  drawWaypoints() {
    const { c } = this;
    if (this.goal) {
      const { p, yaw } = this.goal;
      const at = this.at(p);
      if (yaw !== null) this.arrow(p, [1.2 * Math.cos(yaw), 1.2 * Math.sin(yaw), 0], "#ff78c8");
      if (at) {
        c.strokeStyle = "#ff78c8";
        c.lineWidth = 2.5;
        c.beginPath();
        c.arc(at[0], at[1], 9, 0, 7);
        c.moveTo(at[0] + 3, at[1]);
        c.arc(at[0], at[1], 3, 0, 7);
        c.stroke();
      }
    }
    if (this.waypoints.length > 1) this.line(this.waypoints, "rgba(255, 120, 200, 0.95)", 1.5);
    this.waypoints.forEach((p, k) => {
      const at = this.at(p);
      if (!at) return;
      c.fillStyle = "#d81b84";
      c.strokeStyle = "#ffffff";
      c.lineWidth = 1.5;
      c.beginPath();
      c.arc(at[0], at[1], 8, 0, 7);
      c.fill();
      c.stroke();
      this.text(`${k + 1}`, at[0], at[1] + 4, "#ffffff", "center", false);
    });
  }

  text(text, x, y, color, align = "left", outlined = true) {
    const { c } = this;
    c.font = "600 12px system-ui, sans-serif";
    c.textAlign = align;
    if (outlined) {
      c.strokeStyle = "rgba(0, 15, 30, 0.75)";
      c.lineWidth = 3;
      c.strokeText(text, x, y);
    }
    c.fillStyle = color;
    c.fillText(text, x, y);
  }

  /** Draws the names of the selected and of the nearest robots; no name covers another name. */
  drawNames(scene, robots, selected) {
    const taken = new Set();
    const { eye } = this.camera;
    const far = robots.map(({ links }, k) => (k === selected ? -1 : norm(sub(links[0].p, eye))));
    const order = far.map((_, k) => k).sort((a, b) => far[a] - far[b]);
    order.slice(0, MAX_NAMES).forEach((k) => {
      if (k === this.camera.hidden) return;
      const model = scene.robots[k];
      const { p } = robots[k].links[0];
      const at = this.at(add(p, [0, 0, this.camera.mode === "map" ? 0 : 0.75 * model.size]));
      if (!at) return;
      const y = this.camera.mode === "map" ? at[1] - 14 : at[1] - 6;
      const place = `${Math.floor(at[0] / 80)},${Math.floor(y / 16)}`;
      if (taken.has(place)) return;
      taken.add(place);
      this.text(model.name, at[0], y, k === selected ? "#ffd766" : "#ffffff", "center");
    });
  }

  drawScale() {
    const { c } = this;
    const metres = this.camera.mapHeight / this.size[1];
    const wanted = 140 * metres;
    const power = 10 ** Math.floor(Math.log10(wanted));
    const step = [5, 2, 1].map((k) => k * power).find((k) => k <= wanted) ?? power;
    const length = step / metres;
    const { left, right, bottom } = this.free;
    const [x, y] = [(left + right) / 2 - length / 2, bottom - 46];
    c.fillStyle = "rgba(0, 15, 30, 0.55)";
    c.fillRect(x - 10, y - 20, length + 20, 30);
    c.fillStyle = "#ffffff";
    c.fillRect(x, y, length, 3);
    c.fillRect(x, y - 5, 2, 8);
    c.fillRect(x + length - 2, y - 5, 2, 8);
    this.text(step >= 1000 ? `${step / 1000} km` : `${step} m`, x + length / 2, y - 6, "#ffffff", "center", false);
  }

  drawNorth() {
    const { c } = this;
    const { right, up } = this.camera.axes;
    const north = [0, 1, 0];
    let [x, y] = [dot(north, right), dot(north, up)];
    const n = Math.hypot(x, y);
    if (n < 1e-3) return;
    [x, y] = [x / n, y / n];
    const [cx, cy] = [this.free.right - 36, this.free.top + 46];
    c.save();
    c.translate(cx, cy);
    c.fillStyle = "rgba(0, 15, 30, 0.5)";
    c.beginPath();
    c.arc(0, 0, 20, 0, 7);
    c.fill();
    c.rotate(Math.atan2(x, y));
    c.fillStyle = "#ff6a5e";
    c.beginPath();
    c.moveTo(0, -14);
    c.lineTo(5, 2);
    c.lineTo(-5, 2);
    c.fill();
    c.fillStyle = "#dfe9f2";
    c.beginPath();
    c.moveTo(0, 14);
    c.lineTo(5, 2);
    c.lineTo(-5, 2);
    c.fill();
    c.restore();
    this.text("N", cx + 27 * x, cy - 27 * y + 4, "#ffffff", "center");
  }

  /** Returns the robot whose position is nearest to a pixel, within 40 pixels; -1 for none. */
  pick(robots, x, y) {
    let [best, found] = [40, -1];
    robots.forEach((robot, k) => {
      const at = this.at(robot.links[0].p);
      const distance = at ? Math.hypot(at[0] - x, at[1] - y) : Infinity;
      if (distance < best) [best, found] = [distance, k];
    });
    return found;
  }
}

/** Returns the point at which a ray meets the height z; null if it does not. */
export function meetHeight({ origin, direction }, z) {
  const t = (z - origin[2]) / direction[2];
  if (!(t > 0 && t < 1e5)) return null;
  return sub(add(origin, scale(direction, t)), [0, 0, 0]);
}
