// Sliders that command single actuators of the selected robot: thrusters, fins, engines, joints.

import { element } from "./panels.js";

const $ = (id) => document.getElementById(id);
/** Time between two commands of a slider that is moved [ms]. */
const PERIOD_MS = 100;

export class Actuators {
  /** `send(robot, actuator, value)` sends a command. */
  constructor(send) {
    this.send = send;
    this.robot = null;
    /** Values that are not sent yet, by actuator. */
    this.waiting = new Map();
    /** Functions that move the slider of an actuator, by its name. */
    this.rows = new Map();
    setInterval(() => this.flush(), PERIOD_MS);
  }

  /** Shows the sliders of a robot; they keep their values if the robot is the same. */
  show(robot) {
    const key = robot ? JSON.stringify([robot.name, robot.actuators]) : null;
    if (key === this.key) return;
    this.key = key;
    this.robot = robot?.name ?? null;
    this.waiting.clear();
    const all = robot?.actuators ?? [];
    this.rows.clear();
    $("actuators").hidden = all.length === 0;
    $("actuator-list").replaceChildren(...all.map((one) => this.row(one)));
  }

  row({ name, unit, range: [low, high], rest }) {
    const input = element("input");
    Object.assign(input, { type: "range", min: low, max: high, step: (high - low) / 200, value: rest });
    input.dataset.actuator = name;
    input.setAttribute("aria-label", `${name} [${unit}]`);
    const shown = element("output", "–");
    const command = (value) => {
      // the steps of the slider can end beside the ends of the range
      const inside = Math.min(Math.max(value, low), high);
      shown.textContent = `${Number(inside.toPrecision(4))} ${unit}`;
      this.waiting.set(name, inside);
    };
    const move = (value) => {
      input.value = value;
      command(value);
    };
    this.rows.set(name, move);
    input.oninput = () => command(input.valueAsNumber);
    input.ondblclick = () => move(rest);
    const item = element("li");
    item.append(element("span", name), shown, input);
    return item;
  }

  /** Commands an actuator as its slider does. */
  move(name, value) {
    this.rows.get(name)?.(value);
  }

  flush() {
    for (const [name, value] of this.waiting) this.send(this.robot, name, value);
    this.waiting.clear();
  }
}
