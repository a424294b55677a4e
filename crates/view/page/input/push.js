// Push: a drag with Control on a robot applies a force to the link under the pointer, ten times a second.

import { add, clamp, conjugate, cross, norm, rotate, scale, sub } from "../math.js";
import { showEvent } from "../panels/panels.js";
import { meetDrawables, meetPlane } from "../scene/raycast.js";

/** Acceleration of the mass of the robot per length of the drag [1/s²]. */
const STIFFNESS = 2;
/** Largest force [N], which the server accepts. */
const MAX_FORCE = 1e6;
const PERIOD_MS = 100;
const COLOR = "#ff9a4d";

export class Push {
  constructor(app) {
    this.app = app;
    /** Push in progress: robot, link, point in the link [m], and the point of the pointer in the world [m]. */
    this.grasp = null;
    setInterval(() => this.send(), PERIOD_MS);
  }

  /** Handles a press on the image; returns true if it begins a push. */
  press(event) {
    const { app } = this;
    if (!event.ctrlKey || app.timeline.isRecording || !app.robots) return false;
    const ray = app.camera.ray(event.clientX, event.clientY);
    const hit = meetDrawables(app.world, app.robots, ray, app.camera.hidden);
    if (!hit || hit.drawable.robot < 0) return false;
    const { robot, shape } = hit.drawable;
    const point = add(ray.origin, scale(ray.direction, hit.distance));
    const link = app.robots[robot].links[shape.link];
    this.grasp = {
      robot, link: shape.link, at: rotate(conjugate(link.q), sub(point, link.p)), to: point,
      normal: app.camera.axes.forward, through: point,
    };
    return true;
  }

  /** Handles a move of the pointer in the plane through the point that is parallel to the image. */
  move(event) {
    const { grasp, app } = this;
    if (!grasp) return false;
    const ray = app.camera.ray(event.clientX, event.clientY);
    const t = meetPlane(ray, grasp.through, grasp.normal);
    if (Number.isFinite(t)) grasp.to = add(ray.origin, scale(ray.direction, t));
    return true;
  }

  /** Ends a push; returns true if there was one. */
  release() {
    if (!this.grasp) return false;
    this.send(true);
    this.grasp = null;
    return true;
  }

  /** Returns the point of application and the force, in the world. */
  load() {
    const { robot, link, at, to } = this.grasp;
    const own = this.app.robots[robot]?.links[link];
    if (!own) return null;
    const point = add(own.p, rotate(own.q, at));
    const wanted = scale(sub(to, point), STIFFNESS * this.app.world.scene.robots[robot].mass_kg);
    const size = norm(wanted);
    return { point, own, force: size > 0 ? scale(wanted, clamp(size, 0, MAX_FORCE) / size) : [0, 0, 0] };
  }

  /** Sends the force; zero ends it at once. */
  async send(ends = false) {
    const { grasp } = this;
    const load = grasp && this.load();
    if (!load) return;
    const scene = this.app.world.scene.robots[grasp.robot];
    const force = ends ? [0, 0, 0] : load.force;
    const moment = cross(sub(load.point, load.own.p), force);
    const answer = await this.app.request({
      do: "push", robot: scene.name, link: scene.links[grasp.link], force, moment,
    });
    if (answer.ok) return;
    showEvent(answer.error, "warning");
    if (this.grasp === grasp) this.grasp = null;
  }

  /** Draws the force as an arrow from the point of application to the pointer. */
  draw(overlays) {
    const load = this.grasp && this.load();
    if (!load) return;
    overlays.arrow(load.point, sub(this.grasp.to, load.point), COLOR, 4);
    const at = overlays.at(this.grasp.to);
    if (at) overlays.text(`${norm(load.force).toFixed(0)} N`, at[0] + 10, at[1] - 8, COLOR);
  }
}
