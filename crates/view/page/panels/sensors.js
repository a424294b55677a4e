// Images of sensors of the selected robot, or of kept robots, up to four at once, while their panel is open.

import { download, fileName } from "./capture.js";
import { element, showEvent, showRefusal } from "./panels.js";
import { isOpen } from "./tabs.js";

const $ = (id) => document.getElementById(id);
/** Length of the head of an image message [bytes]. */
const HEAD_BYTES = 24;
const MAX_VIEWS = 4;
/** Quantities of the colours, by their number in the message: colours from the low to the high end, and unit. */
const SCALES = {
  1: { colors: ["#fde725", "#5ec962", "#21918c", "#3b528b", "#440154"], unit: "m", isLogarithmic: true },
  2: { colors: ["#000000", "#ffffff"], unit: "of the largest echo", isLogarithmic: false },
};

/** Image of one sensor, with its controls. */
class SensorView {
  /**
   * `changed()` is called when another image is wanted, `removed(view)` when the view is closed, `kept()` when it keeps
   * its robot or no longer does.
   */
  constructor(changed, removed, kept) {
    this.changed = changed;
    this.isPaused = false;
    /** True while the view keeps its robot when another one is selected. */
    this.isKept = false;
    this.root = element("figure", undefined, "sensor-view");
    this.names = element("select", undefined, "sensor-name");
    this.names.setAttribute("aria-label", "Sensor");
    this.kinds = element("select", undefined, "sensor-kind");
    this.kinds.setAttribute("aria-label", "Image");
    this.canvas = element("canvas", undefined, "sensor-image");
    [this.canvas.width, this.canvas.height] = [320, 180];
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", "Image of the sensor");
    this.bar = element("div", undefined, "color-bar");
    this.bar.hidden = true;
    this.text = element("p", undefined, "hint sensor-text");
    this.text.setAttribute("role", "status");
    const button = (text, title, act) => {
      const made = element("button", text);
      made.title = title;
      made.onclick = act;
      return made;
    };
    this.pause = button("Pause", "Keep this image", () => this.togglePause());
    this.enlarge = button("Enlarge", "Show the image in the whole window (Escape ends)", () => this.toggleSize());
    this.keep = button("Keep robot", "Keep the robot of this view when another is selected", () => {
      this.setKept(!this.isKept);
      kept();
    });
    const save = button("Save", "Save the image as PNG", () => this.save());
    const close = button("×", "Remove this view", () => removed(this));
    close.className = "close";
    const choice = element("p", undefined, "row");
    choice.append(this.names, this.kinds, close);
    const buttons = element("p", undefined, "row");
    buttons.append(this.pause, this.enlarge, save, this.keep);
    this.root.append(choice, this.canvas, this.bar, this.text, buttons);
    this.names.onchange = () => {
      this.showKinds();
      changed();
    };
    this.kinds.onchange = changed;
    this.canvas.ondblclick = () => this.toggleSize();
  }

  /** Offers the sensors of a robot and its index; keeps the sensor of this name if there is one, else shows `fallback`. */
  show(robot, index, sensors, fallback) {
    // the image of a former scene is removed
    if (robot !== this.robot) this.key = undefined;
    this.robot = robot;
    this.index = index;
    this.sensors = sensors;
    this.keep.disabled = !sensors.length;
    const before = this.names.value;
    this.names.replaceChildren(...sensors.map(({ name }) => new Option(this.isKept ? `${robot.name} ${name}` : name, name)));
    this.names.value = sensors.some(({ name }) => name === before) ? before : (fallback?.name ?? "");
    this.names.disabled = !sensors.length;
    this.showKinds();
  }

  setKept(is) {
    this.isKept = is;
    this.keep.setAttribute("aria-pressed", String(is));
  }

  get sensor() {
    return this.sensors.find(({ name }) => name === this.names.value);
  }

  showKinds() {
    const kinds = this.sensor?.images ?? [];
    const before = this.kinds.value;
    this.kinds.replaceChildren(...kinds.map((kind) => new Option(kind, kind)));
    if (kinds.includes(before)) this.kinds.value = before;
    this.kinds.disabled = kinds.length < 2;
  }

  /** Returns the wanted image; null while the view is paused or has no sensor. Another image than before removes the shown one. */
  wanted() {
    const { sensor } = this;
    this.root.classList.toggle("empty", !sensor);
    if (!sensor) {
      this.text.textContent = this.robot ? "This robot has no sensor with images." : "";
      this.clear(null);
      return null;
    }
    const wanted = { robot: this.robot.name, sensor: sensor.name, image: this.kinds.value };
    this.clear(JSON.stringify(wanted));
    return this.isPaused ? null : wanted;
  }

  clear(key) {
    if (key === this.key) return;
    this.key = key;
    this.arrivals = [];
    this.time = null;
    this.setPaused(false);
    this.canvas.getContext("2d").clearRect(0, 0, this.canvas.width, this.canvas.height);
    this.bar.hidden = true;
    if (key) this.text.textContent = "Waiting for the first image …";
  }

  setPaused(is) {
    this.isPaused = is;
    this.pause.textContent = is ? "Resume" : "Pause";
    this.pause.setAttribute("aria-pressed", String(is));
  }

  togglePause() {
    this.setPaused(!this.isPaused);
    if (this.isPaused && this.time !== null) this.text.textContent = `Paused at ${this.time.toFixed(2)} s`;
    this.changed();
  }

  toggleSize(on = !this.root.classList.contains("enlarged")) {
    this.root.classList.toggle("enlarged", on);
    this.enlarge.textContent = on ? "Reduce" : "Enlarge";
    this.enlarge.setAttribute("aria-pressed", String(on));
  }

  save() {
    if (this.time === null) {
      showEvent("there is no image to save yet", "warning");
      return;
    }
    const parts = [this.robot.name, this.names.value, this.kinds.value, `${this.time.toFixed(2)}s`];
    this.saved = `${fileName(parts.join("_"))}.png`;
    this.canvas.toBlob((blob) => download(blob, this.saved), "image/png");
    showEvent(`saved as ${this.saved}`);
  }

  /** Returns true if a message contains an image of this view. */
  isFor(robot, sensor, image) {
    return !this.isPaused && this.index === robot && this.sensor?.k === sensor && this.sensor.images[image] === this.kinds.value;
  }

  /** Shows an image with its time [s], its colour scale and its size in the message [bytes]. */
  draw(bitmap, time, scale, bytes) {
    const { canvas } = this;
    [canvas.width, canvas.height] = [bitmap.width, bitmap.height];
    canvas.getContext("2d").drawImage(bitmap, 0, 0);
    this.time = time;
    const now = performance.now();
    this.arrivals = [...this.arrivals.filter((t) => now - t < 3000), now];
    const seconds = (now - this.arrivals[0]) / 1000;
    const rate = this.arrivals.length > 1 ? `, ${((this.arrivals.length - 1) / seconds).toFixed(1)} images/s` : "";
    this.text.textContent = `${time.toFixed(2)} s, ${canvas.width} × ${canvas.height}, ${(bytes / 1000).toFixed(0)} kB${rate}`;
    this.showScale(scale);
  }

  showScale({ quantity, low, high }) {
    const scale = SCALES[quantity];
    this.bar.hidden = !scale;
    if (!scale) return;
    const middle = scale.isLogarithmic ? Math.sqrt(low * high) : (low + high) / 2;
    const labels = [low, middle, high].map((x) => element("span", Number(x.toPrecision(3)).toString()));
    labels[2].textContent += ` ${scale.unit}`;
    const colors = element("i");
    colors.style.background = `linear-gradient(to right, ${scale.colors.join(", ")})`;
    const row = element("div");
    row.append(...labels);
    this.bar.replaceChildren(colors, row);
  }
}

/** Returns the sensors of a robot that have images, with their indices. */
function withImages(robot) {
  const all = (robot?.sensors ?? []).map((sensor, k) => ({ ...sensor, k }));
  return all.filter((sensor) => sensor.images.length);
}

export class Sensors {
  constructor(request) {
    this.request = request;
    /** Number of images that were shown. */
    this.count = 0;
    this.all = [];
    this.views = [];
    $("sensor-add").onclick = () => {
      this.add();
      this.watch();
    };
    document.addEventListener("visibilitychange", () => this.watch());
    this.add();
  }

  add() {
    if (this.views.length >= MAX_VIEWS) return;
    const view = new SensorView(
      () => this.watch(), (own) => this.remove(own), () => this.show(this.scene, this.index),
    );
    this.views.push(view);
    view.show(this.robot ?? null, this.index, this.all, this.unused());
    $("sensor-views").append(view.root);
    this.update();
  }

  remove(view) {
    this.views = this.views.filter((own) => own !== view);
    view.root.remove();
    this.update();
    this.watch();
  }

  update() {
    const { length } = this.views;
    $("sensor-add").disabled = length >= MAX_VIEWS || this.free.length >= Math.max(this.all.length, 1);
    for (const view of this.views) view.root.querySelector(".close").hidden = length < 2;
  }

  /** Returns the views that show the selected robot, whichever it is. */
  get free() {
    return this.views.filter(({ isKept }) => !isKept);
  }

  /** Returns a sensor that no view shows. */
  unused() {
    const shown = new Set(this.views.filter(({ robot }) => robot === this.robot).map((view) => view.names.value));
    return this.all.find(({ name }) => !shown.has(name)) ?? this.all[0];
  }

  /** Shows the sensors of the robot with this index in the scene, except in views that keep a robot of the scene. */
  show(scene, index) {
    this.shows = (this.shows ?? 0) + 1;
    this.scene = scene;
    this.robot = scene?.robots[index] ?? null;
    this.index = index;
    this.all = withImages(this.robot);
    for (const view of this.views.filter(({ isKept }) => isKept)) {
      const k = scene.robots.findIndex(({ name }) => name === view.robot.name);
      const sensors = withImages(scene.robots[k]);
      if (sensors.length) view.show(scene.robots[k], k, sensors, sensors[0]);
      else view.setKept(false);
    }
    const surplus = this.free.slice(Math.max(this.all.length, 1));
    this.views = this.views.filter((view) => !surplus.includes(view));
    for (const view of surplus) view.root.remove();
    for (const view of this.free) view.show(this.robot, this.index, this.all, this.unused());
    this.update();
    // the server may still send the images of another robot
    this.watched = undefined;
    this.watch();
  }

  /** Requests the images of the views; none while the panel is closed or hidden. */
  async watch() {
    const wanted = this.views.map((view) => view.wanted()).filter(Boolean);
    const isShown = isOpen("sensor-panel") && !document.hidden;
    const images = isShown ? wanted : [];
    const key = JSON.stringify(images);
    if (key === this.watched) return;
    this.watched = key;
    this.isWatching = images.length > 0;
    showRefusal(await this.request({ do: "watch", images }));
  }

  /** Shows the image of a message in the views that want it. */
  async receive(buffer) {
    const head = new DataView(buffer, 0, HEAD_BYTES);
    if (!this.isWatching) return;
    const place = [head.getUint16(2, true), head.getUint16(4, true), head.getUint8(6)];
    const { shows } = this;
    const bitmap = await createImageBitmap(new Blob([new Uint8Array(buffer, HEAD_BYTES)]));
    // another robot or image may have been selected meanwhile
    const views = this.shows === shows ? this.views.filter((view) => view.isFor(...place)) : [];
    const scale = {
      quantity: head.getUint8(7), low: head.getFloat32(16, true), high: head.getFloat32(20, true),
    };
    for (const view of views) view.draw(bitmap, head.getFloat64(8, true), scale, buffer.byteLength);
    if (views.length) this.count++;
    bitmap.close();
  }

  /** Reduces an enlarged image; returns false without one. */
  reduce() {
    const enlarged = this.views.filter((view) => view.root.classList.contains("enlarged"));
    for (const view of enlarged) view.toggleSize(false);
    return enlarged.length > 0;
  }
}

/** Log of events. A number at its tab counts the warnings since the panel was open. */
export class EventLog {
  constructor() {
    this.unread = 0;
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
    if (level !== "info") this.unread++;
    this.show();
  }

  /** Shows the number of warnings that the user has not seen. */
  show() {
    if (isOpen("log-panel")) this.unread = 0;
    $("unread").hidden = this.unread === 0;
    $("unread").textContent = Math.min(this.unread, 99);
  }
}
