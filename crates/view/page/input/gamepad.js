// Gamepad: sticks and buttons in the order of joy_node, ten times a second.

const PERIOD_MS = 100;
const DEAD_ZONE = 0.08;
const NO_BUTTONS = JSON.stringify(new Array(11).fill(false));

/** Returns the message of joy_node (Xbox) for a gamepad with the standard mapping. */
export function toJoy({ axes, buttons }) {
  const stick = (k) => {
    const x = axes[k] ?? 0;
    return Math.abs(x) < DEAD_ZONE ? 0 : Math.min(Math.max(-x, -1), 1);
  };
  const pressed = (k) => Boolean(buttons[k]?.pressed);
  const trigger = (k) => 1 - 2 * Math.min(Math.max(buttons[k]?.value ?? 0, 0), 1);
  const cross = (minus, plus) => Number(pressed(minus)) - Number(pressed(plus));
  return {
    // left stick, left trigger, right stick, right trigger, directional pad; left and up positive
    axes: [stick(0), stick(1), trigger(6), stick(2), stick(3), trigger(7), cross(14, 15), cross(12, 13)],
    // A B X Y LB RB back start guide, sticks
    buttons: [0, 1, 2, 3, 4, 5, 8, 9, 16, 10, 11].map(pressed),
  };
}

export class GamepadControl {
  /** `send(robot, joy)` sends a message; `show(text)` shows the state. */
  constructor(send, show) {
    this.send = send;
    this.show = show;
    this.robot = null;
    this.moving = false;
    this.last = NO_BUTTONS;
    setInterval(() => this.tick(), PERIOD_MS);
  }

  /** Controls a robot, an entry of the scene; null ends. */
  start(robot) {
    if (this.robot && this.moving) this.send(this.robot, { axes: new Array(8).fill(0), buttons: [] });
    this.robot = robot;
    this.moving = false;
    this.last = NO_BUTTONS;
    this.tick();
  }

  find() {
    const all = [...(navigator.getGamepads?.() ?? [])].filter(Boolean);
    return [all.find((pad) => pad.mapping === "standard"), all.length];
  }

  tick() {
    if (!this.robot) return;
    const [pad, n] = this.find();
    if (!pad) {
      this.show(n ? "This gamepad has no standard mapping." : "Press a button of the gamepad.");
      return;
    }
    this.show(`${pad.id.split("(")[0].trim()}: right stick moves, left stick dives and turns.`);
    const joy = toJoy(pad);
    const text = JSON.stringify(joy.buttons);
    const moves = [0, 1, 3, 4].some((k) => joy.axes[k] !== 0);
    // zero once, so that another source can command the robot
    if (moves || this.moving || text !== this.last) this.send(this.robot, joy);
    this.moving = moves;
    this.last = text;
  }
}
