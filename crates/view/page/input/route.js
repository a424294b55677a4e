// Goals and waypoints by clicks in the image.

import { meetHeight } from "../scene/overlays.js";
import { showEvent, showRefusal } from "../panels/panels.js";

const $ = (id) => document.getElementById(id);
/** Distance of the pointer from a waypoint at which a press grasps it [px]. */
const GRASP_PIXELS = 12;
/** Distance of a drag that gives a goal its heading [px]. */
const HEADING_PIXELS = 12;

export class Route {
  constructor(app) {
    this.app = app;
    /** What a click in the image does: null selects, "path" or "goal". */
    this.clicking = null;
    /** Name of the robot that the waypoints belong to. */
    this.robot = null;
    /** Goal that is pressed, and the waypoint that is dragged. */
    this.pressed = null;
    this.grasped = -1;
    $("goal").onclick = () => this.toggle("goal");
    $("waypoints").onclick = () => this.toggle("path");
    $("send-path").onclick = () => this.send();
    $("clear-path").onclick = () => this.clear();
  }

  get waypoints() {
    return this.app.overlays.waypoints;
  }

  /** Removes the waypoints of another robot. */
  select(name) {
    if (name !== this.robot) this.clear();
    this.robot = name;
    this.update();
  }

  /** Selects what a click in the image does; the same again ends it. */
  toggle(what) {
    const robot = this.app.selectedRobot();
    this.clicking = this.clicking === what || !robot?.[what] ? null : what;
    this.app.editor.select(null);
    this.update();
  }

  cancel() {
    this.clicking = null;
    this.update();
  }

  /** Returns the height of new points [m]: the entered height, else that of the robot. */
  height() {
    const entered = $("point-height").valueAsNumber;
    if (Number.isFinite(entered)) return entered;
    const robot = this.app.robots?.[this.app.selected];
    return robot ? robot.links[0].p[2] : 0;
  }

  /** Returns the point under a pixel at this height [m]; null for none. */
  pointAt(x, y, height = this.height()) {
    const { camera } = this.app;
    return camera.axes ? meetHeight(camera.ray(x, y), height) : null;
  }

  /** Handles a press on the image; returns true if it belongs to a goal or a waypoint. */
  press(event) {
    const [x, y] = [event.clientX, event.clientY];
    if (this.clicking === "goal") {
      const p = this.pointAt(x, y);
      this.pressed = p && { p, x, y, to: null };
    } else if (this.clicking === "path") {
      this.grasped = this.waypoints.findIndex((p) => {
        const at = this.app.overlays.at(p);
        return at && Math.hypot(at[0] - x, at[1] - y) < GRASP_PIXELS;
      });
    }
    return Boolean(this.pressed) || this.grasped >= 0;
  }

  /** Handles a move of the pointer; returns true while a goal or a waypoint is dragged. */
  move(event) {
    const [x, y] = [event.clientX, event.clientY];
    if (this.grasped >= 0) {
      const p = this.pointAt(x, y, this.waypoints[this.grasped][2]);
      if (p) this.waypoints[this.grasped] = p;
      return true;
    }
    if (!this.pressed) return false;
    const { p } = this.pressed;
    const isDrag = Math.hypot(x - this.pressed.x, y - this.pressed.y) > HEADING_PIXELS;
    this.pressed.to = isDrag ? this.pointAt(x, y) : null;
    const { to } = this.pressed;
    this.app.overlays.goal = { p, yaw: to ? Math.atan2(to[1] - p[1], to[0] - p[0]) : null };
    return true;
  }

  /** Ends a press; returns true if it belonged to a goal or a waypoint. */
  release() {
    const { pressed, grasped } = this;
    this.abandon();
    if (pressed) this.sendGoal(pressed.p, pressed.to);
    return Boolean(pressed) || grasped >= 0;
  }

  abandon() {
    [this.pressed, this.grasped] = [null, -1];
  }

  /** Handles a click in the image; returns true if it added a waypoint or sent a goal. */
  click(x, y) {
    if (!this.clicking) return false;
    const p = this.pointAt(x, y);
    if (!p) showEvent("no point at this height there", "warning");
    else if (this.clicking === "goal") this.sendGoal(p, null);
    else this.waypoints.push(p);
    this.update();
    return true;
  }

  async send() {
    const robot = this.app.selectedRobot().name;
    const answer = await this.app.request({ do: "path", robot, points: this.waypoints });
    if (showRefusal(answer)) showEvent(`path sent to ${robot}`);
    this.cancel();
  }

  /** Sends a goal; a second point gives its heading. */
  async sendGoal(position, towards) {
    const robot = this.app.selectedRobot().name;
    const yaw = towards ? Math.atan2(towards[1] - position[1], towards[0] - position[0]) : null;
    const yaw_deg = yaw === null ? null : (yaw * 180) / Math.PI;
    const { overlays } = this.app;
    overlays.goal = { robot, p: position, yaw };
    this.cancel();
    const answer = await this.app.request({ do: "goal", robot, position, yaw_deg });
    if (showRefusal(answer)) showEvent(`goal sent to ${robot}`);
    else overlays.goal = null;
  }

  removeLast() {
    this.waypoints.pop();
    this.update();
  }

  clear() {
    this.app.overlays.waypoints = [];
    this.cancel();
  }

  /** Shows which controls the selected robot has, and what a click does. */
  update() {
    const robot = this.app.selectedRobot();
    $("goal").disabled = !robot?.goal;
    $("goal").setAttribute("aria-pressed", String(this.clicking === "goal"));
    $("waypoints").disabled = !robot?.path;
    $("waypoints").setAttribute("aria-pressed", String(this.clicking === "path"));
    $("point-height").disabled = !robot?.goal && !robot?.path;
    const n = this.waypoints.length;
    $("send-path").disabled = n === 0;
    $("clear-path").disabled = n === 0;
    $("path-hint").textContent = this.hint(robot, n);
    $("scene").style.cursor = this.clicking ? "crosshair" : "grab";
  }

  hint(robot, n) {
    if (!robot) return "";
    if (!robot.goal) return `No goals: ${robot.no_goal}.`;
    if (this.clicking === "goal") return "Click in the image; drag for the heading.";
    if (this.clicking !== "path") return "";
    return `${n} waypoint${n === 1 ? "" : "s"}. Click to add, drag to move, Backspace removes the newest.`;
  }
}
