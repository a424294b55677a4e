// Faults of the selected robot, and of the beacons and fixed modems of the world: start and end.

import { fetchJson } from "../net.js";
import { element, readable, showEvent, showRefusal } from "./panels.js";

const $ = (id) => document.getElementById(id);
const OPTIONAL_SHOWN = new Set(["spoofed", "jammed"]);

export class Faults {
  constructor(request) {
    this.request = request;
    this.robot = null;
    this.devices = [];
    this.worldDevices = [];
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

  setScene(scene) {
    this.worldDevices = scene.devices;
  }

  /** Offers the devices of a robot, then those of the world. */
  show(robot) {
    this.robot = robot ?? null;
    const own = (robot?.devices ?? []).map(([path, kinds]) => ({ robot: robot.name, path, kinds }));
    const others = this.worldDevices.map(([path, kinds]) => ({ robot: null, path, kinds }));
    this.devices = [...own, ...others];
    $("fault-device").replaceChildren(...this.devices.map(({ path }, k) => new Option(path, k)));
    this.showKinds();
    this.status(null);
  }

  get device() {
    return this.devices[$("fault-device").selectedIndex];
  }

  showKinds() {
    $("fault-kind").replaceChildren(...(this.device?.kinds ?? []).map((kind) => new Option(kind, kind)));
    $("fault-start").disabled = !this.device;
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
    const { robot, path } = this.device;
    const kind = $("fault-kind").value;
    const given = this.values.filter(({ input }) => Number.isFinite(input.valueAsNumber));
    const values = Object.fromEntries(given.map(({ name, input }) => [name, input.valueAsNumber]));
    const duration = $("fault-duration").valueAsNumber;
    const answer = await this.request({
      do: "fault", robot, name: `view_${path.replace(/\W+/g, "_")}_${this.next++}`,
      device: path, kind, values, duration_s: Number.isFinite(duration) ? duration : 0,
    });
    if (showRefusal(answer)) showEvent(`${robot ? `${robot}: ` : ""}${readable(`${path}: ${kind}`)}`, "warning");
  }

  /** Shows the faults of the robot and of the world, each with a button that ends it. */
  status(status, k) {
    const entries = (robot, faults = []) => faults.map(([name, label]) => ({ robot, name, text: readable(label) }));
    const faults = [
      ...entries(this.robot?.name ?? null, status?.robots[k]?.repairable),
      ...entries(null, status?.repairable),
    ];
    const key = JSON.stringify(faults);
    if (key === this.shown) return;
    this.shown = key;
    const items = faults.map(({ robot, name, text }) => {
      const item = element("li", undefined, "entry");
      const end = element("button", "End");
      end.setAttribute("aria-label", `End the fault ${text}`);
      end.onclick = async () => {
        const action = { do: "repair", robot, fault: name };
        if (showRefusal(await this.request(action))) showEvent(`${robot ? `${robot}: ` : ""}${text} ended`);
      };
      item.append(element("span", text), end);
      return item;
    });
    $("fault-list").replaceChildren(...items);
    $("fault-none").hidden = faults.length > 0;
  }
}
