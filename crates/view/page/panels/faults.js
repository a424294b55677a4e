// Faults of the selected robot: start and end.

import { fetchJson } from "../net.js";
import { element, readable, showEvent, showRefusal } from "./panels.js";

const $ = (id) => document.getElementById(id);
const OPTIONAL_SHOWN = new Set(["spoofed", "jammed"]);

export class Faults {
  constructor(request) {
    this.request = request;
    this.robot = null;
    this.kinds = new Map();
    this.next = 1;
    $("fault-device").onchange = () => this.showKinds();
    $("fault-kind").onchange = () => this.showValues();
    $("fault-form").onsubmit = (event) => {
      event.preventDefault();
      this.start();
    };
  }

  /** Loads the kinds of faults when the panel opens for the first time. */
  async open() {
    if (this.kinds.size) return;
    const { faults } = await fetchJson("/catalogue");
    for (const { kind, required, optional } of faults) this.kinds.set(kind, { required, optional });
    this.showValues();
  }

  show(robot) {
    this.robot = robot ?? null;
    const devices = (robot?.devices ?? []).map(([path]) => new Option(path, path));
    $("fault-device").replaceChildren(...devices);
    this.showKinds();
    this.status(null);
  }

  showKinds() {
    const found = this.robot?.devices.find(([path]) => path === $("fault-device").value);
    $("fault-kind").replaceChildren(...(found?.[1] ?? []).map((kind) => new Option(kind, kind)));
    $("fault-start").disabled = !found;
    this.showValues();
  }

  showValues() {
    const kind = $("fault-kind").value;
    const { required = [], optional = [] } = this.kinds.get(kind) ?? {};
    const names = OPTIONAL_SHOWN.has(kind) ? [...required, ...optional] : required;
    this.values = names.map((name) => {
      const input = element("input");
      Object.assign(input, { type: "number", step: "any", id: `fault-${name}` });
      input.required = required.includes(name);
      return { name, input };
    });
    const rows = this.values.flatMap(({ name, input }) => {
      const label = element("label", name.replaceAll("_", " "));
      label.htmlFor = input.id;
      return [label, input];
    });
    $("fault-values").replaceChildren(...rows);
  }

  async start() {
    const [device, kind] = [$("fault-device").value, $("fault-kind").value];
    const given = this.values.filter(({ input }) => Number.isFinite(input.valueAsNumber));
    const values = Object.fromEntries(given.map(({ name, input }) => [name, input.valueAsNumber]));
    const duration = $("fault-duration").valueAsNumber;
    const answer = await this.request({
      do: "fault", robot: this.robot.name, name: `view_${device.replace(/\W+/g, "_")}_${this.next++}`,
      device, kind, values, duration_s: Number.isFinite(duration) ? duration : 0,
    });
    if (showRefusal(answer)) showEvent(`${this.robot.name}: ${readable(`${device}: ${kind}`)}`, "warning");
  }

  /** Shows the faults of the robot, each with a button that ends it. */
  status(state) {
    const all = state?.repairable ?? [];
    const key = JSON.stringify(all);
    if (key === this.shown) return;
    this.shown = key;
    const items = all.map(([name, label]) => {
      const text = readable(label);
      const item = element("li", undefined, "entry");
      const end = element("button", "End");
      end.setAttribute("aria-label", `End the fault ${text}`);
      end.onclick = async () => {
        const action = { do: "repair", robot: this.robot.name, fault: name };
        if (showRefusal(await this.request(action))) showEvent(`${this.robot.name}: ${text} ended`);
      };
      item.append(element("span", text), end);
      return item;
    });
    $("fault-list").replaceChildren(...items);
    $("fault-none").hidden = all.length > 0;
  }
}
