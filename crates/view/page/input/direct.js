// Direct control of actuators by keys and sticks, for robots without a topic of velocities and for arms.

import { clamp, rotate } from "../math.js";

/** Keys of the channels: positive and negative. */
export const CHANNEL_KEYS = [
  ["KeyD", "KeyA"], ["KeyW", "KeyS"], ["ArrowRight", "ArrowLeft"], ["ArrowUp", "ArrowDown"],
  ["KeyR", "KeyF"], ["KeyU", "KeyJ"], ["KeyO", "KeyL"],
];
const SYMBOLS = { ArrowRight: "→", ArrowLeft: "←", ArrowUp: "↑", ArrowDown: "↓" };
/** Time in which full deflection moves an actuator through its range [s]. */
const RANGE_S = 4;
/** Longest time between two moves that counts as one motion [s]. */
const MAX_STEP_S = 0.3;

/** Returns the deflections of the channels by the sticks of a gamepad, in the order of joy_node. */
export const stickDeflections = ({ axes }) => [-axes[0], axes[4], -axes[3], axes[1], axes[7], -axes[6]];

export class DirectControl {
  /** `command(actuator, value)` commands an actuator. */
  constructor(command) {
    this.command = command;
    this.channels = [];
  }

  /** Uses the actuators of a robot, or only its joints; fins are first, so that A and D steer. */
  start(robot, onlyJoints) {
    const all = (robot?.actuators ?? []).filter(({ joint }) => joint || !onlyJoints);
    const isFin = ({ name }) => name.startsWith("fin ");
    const sorted = [...all.filter(isFin), ...all.filter((one) => !isFin(one))];
    this.channels = sorted.slice(0, CHANNEL_KEYS.length).map((actuator) => ({
      ...actuator, value: actuator.rest, sign: steeringSign(robot, actuator.name),
    }));
  }

  hasKey(code) {
    return CHANNEL_KEYS.slice(0, this.channels.length).flat().includes(code);
  }

  /** Moves the actuators by these deflections of the channels, -1..1, for the time since the preceding call. */
  move(deflections, gain) {
    const now = performance.now() / 1000;
    const dt = Math.min(now - (this.last ?? now), MAX_STEP_S);
    this.last = now;
    this.channels.forEach((channel, k) => {
      const { range: [low, high], rest, returns } = channel;
      const x = clamp(deflections[k] ?? 0, -1, 1) * channel.sign * gain;
      const end = x > 0 ? high : low;
      const next = returns
        ? rest + Math.abs(x) * (end - rest)
        : clamp(channel.value + (x * (high - low) * dt) / RANGE_S, low, high);
      if (next === channel.value) return;
      channel.value = next;
      this.command(channel.name, next);
    });
  }

  /** Returns actuators that hold a speed or a force to rest. */
  stop() {
    this.move([], 0);
    this.channels = [];
  }

  /** Returns the keys of the channels as text. */
  hint() {
    const symbol = (code) => SYMBOLS[code] ?? code.slice(3);
    const texts = this.channels.map(({ name }, k) => `${CHANNEL_KEYS[k].map(symbol).reverse().join(" ")} ${name.replace(/^(fin|sail) /, "")}`);
    return `${texts.join(", ")}. Escape ends.`;
  }
}

/** Returns 1, or -1 for a fin whose positive angle turns the bow to port: the first key of the steering is starboard. */
function steeringSign(robot, name) {
  const fin = robot.fins.find((one) => `fin ${one.name}` === name);
  if (!fin) return 1;
  const pointsUp = rotate(fin.q, [0, 0, 1])[2] > 0;
  const isAft = fin.p[0] < 0;
  return pointsUp === isAft ? 1 : -1;
}
