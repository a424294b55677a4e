// Images of one sensor of the selected robot, while its panel is open.

import { element, showRefusal } from "./panels.js";
import { isOpen } from "./tabs.js";

const $ = (id) => document.getElementById(id);
/** Length of the head of an image message [bytes]. */
const HEAD_BYTES = 16;

export class Sensors {
  constructor(request) {
    this.request = request;
    this.watched = null;
    this.count = 0;
    this.arrivals = [];
    $("sensor-name").onchange = () => {
      this.showKinds();
      this.watch();
    };
    $("sensor-kind").onchange = () => this.watch();
    document.addEventListener("visibilitychange", () => this.watch());
  }

  /** Shows the sensors of a robot with this index in the scene. */
  show(robot, index) {
    this.robot = robot ?? null;
    this.index = index;
    this.all = (robot?.sensors ?? []).map((sensor, k) => ({ ...sensor, k }));
    this.all = this.all.filter((sensor) => sensor.images.length);
    const before = $("sensor-name").value;
    const names = this.all.map((sensor) => sensor.name);
    $("sensor-name").replaceChildren(...names.map((name) => new Option(name, name)));
    if (names.includes(before)) $("sensor-name").value = before;
    $("sensor-name").disabled = !names.length;
    this.showKinds();
    // the server may still send the images of another robot
    this.watched = undefined;
    this.watch();
  }

  get sensor() {
    return this.all?.find((sensor) => sensor.name === $("sensor-name").value);
  }

  showKinds() {
    const kinds = this.sensor?.images ?? [];
    $("sensor-kind").replaceChildren(...kinds.map((kind) => new Option(kind, kind)));
    $("sensor-kind").disabled = kinds.length < 2;
  }

  /** Requests the images of the shown sensor; none while the panel is closed or hidden. */
  async watch() {
    const { sensor } = this;
    const isShown = isOpen("sensor-panel") && !document.hidden && sensor;
    const image = $("sensor-kind").value;
    const wanted = isShown ? JSON.stringify([this.robot.name, sensor.name, image]) : null;
    if (!sensor) $("sensor-text").textContent = this.robot ? "This robot has no sensor with images." : "";
    if (wanted === this.watched) return;
    this.watched = wanted;
    this.arrivals = [];
    const canvas = $("sensor-image");
    canvas.getContext("2d").clearRect(0, 0, canvas.width, canvas.height);
    if (sensor) $("sensor-text").textContent = "Waiting for the first image …";
    const action = isShown ? { robot: this.robot.name, sensor: sensor.name, image } : { sensor: null };
    showRefusal(await this.request({ do: "watch", ...action }));
  }

  /** Shows the image of a message. */
  async receive(buffer) {
    const head = new DataView(buffer, 0, HEAD_BYTES);
    const { sensor } = this;
    if (!this.watched || head.getUint16(2, true) !== this.index || head.getUint16(4, true) !== sensor?.k) return;
    const bitmap = await createImageBitmap(new Blob([new Uint8Array(buffer, HEAD_BYTES)]));
    const canvas = $("sensor-image");
    [canvas.width, canvas.height] = [bitmap.width, bitmap.height];
    canvas.getContext("2d").drawImage(bitmap, 0, 0);
    bitmap.close();
    this.count++;
    const now = performance.now();
    this.arrivals = [...this.arrivals.filter((t) => now - t < 3000), now];
    const seconds = (now - this.arrivals[0]) / 1000;
    const rate = this.arrivals.length > 1 ? `, ${((this.arrivals.length - 1) / seconds).toFixed(1)} images/s` : "";
    const size = `${canvas.width} × ${canvas.height}, ${(buffer.byteLength / 1000).toFixed(0)} kB`;
    $("sensor-text").textContent = `${head.getFloat64(8, true).toFixed(2)} s, ${size}${rate}`;
  }
}

/** Log of events. */
export class EventLog {
  constructor() {
    $("log-clear").onclick = () => $("log").replaceChildren();
  }

  add(text, level, time) {
    const item = element("li", undefined, `entry ${level}`);
    const at = Number.isFinite(time) ? `${time.toFixed(2)} s` : "";
    item.append(element("b", at), element("span", text));
    const list = $("log");
    list.prepend(item);
    while (list.children.length > 200) list.lastChild.remove();
    $("log-none").hidden = true;
  }
}
