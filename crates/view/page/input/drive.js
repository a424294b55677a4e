// Teleoperation by keyboard: the pressed keys as fractions of the maximum speed, or as deflections of the channels of a
// direct control, ten times a second.

import { CHANNEL_KEYS } from "./direct.js";

/** Axis (surge, sway, heave, yaw) and sign of every key. */
const KEYS = {
  KeyW: [0, 1], KeyS: [0, -1], KeyA: [1, 1], KeyD: [1, -1],
  ArrowUp: [2, 1], ArrowDown: [2, -1], ArrowLeft: [3, 1], ArrowRight: [3, -1],
};
const PERIOD_MS = 100;

export class Drive {
  /** `send(robot, axes)` sends a command. */
  constructor(send) {
    this.send = send;
    this.robot = null;
    /** Direct control of actuators; null for velocities or wrenches. */
    this.direct = null;
    this.gain = 0.4;
    this.pressed = new Set();
    this.moving = false;
    setInterval(() => this.tick(), PERIOD_MS);
    addEventListener("blur", () => this.pressed.clear());
  }

  /** Starts to drive a robot, by a direct control if there is one; null stops. */
  start(robot, direct = null) {
    if (this.direct) this.direct.stop();
    else if (this.robot && (this.robot !== robot || direct) && this.moving) this.send(this.robot, [0, 0, 0, 0]);
    this.robot = robot;
    this.direct = direct;
    this.moving = false;
    this.pressed.clear();
  }

  /** Handles a key; returns true if it belongs to the controls. */
  key(code, down) {
    const isOwn = this.direct ? this.direct.hasKey(code) : KEYS[code];
    if (!this.robot || !isOwn) return false;
    if (down) this.pressed.add(code);
    else this.pressed.delete(code);
    this.tick();
    return true;
  }

  get axes() {
    const axes = [0, 0, 0, 0];
    for (const code of this.pressed) {
      const [axis, sign] = KEYS[code];
      axes[axis] += sign * this.gain;
    }
    return axes.map((x) => Math.min(Math.max(x, -1), 1));
  }

  tick() {
    if (!this.robot) return;
    if (this.direct) {
      const sign = ([plus, minus]) => Number(this.pressed.has(plus)) - Number(this.pressed.has(minus));
      this.direct.move(CHANNEL_KEYS.map(sign), this.gain);
      return;
    }
    const { axes } = this;
    const moves = axes.some((x) => x !== 0);
    // zero once, so that another source can command the robot
    if (moves || this.moving) this.send(this.robot, axes);
    this.moving = moves;
  }
}
