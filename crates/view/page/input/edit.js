// Editing of the world: catalogue, selected object, pose fields, undo, redo, saving.

import { Gizmo } from "./gizmo.js";
import { add, fromRpy, scale, toRpy } from "../math.js";
import { fetchJson } from "../net.js";
import { element, showEvent, showRefusal } from "../panels/panels.js";
import { isOpen } from "../panels/tabs.js";
import { meetDrawables, meetPlane, meetSeabed, seabedHeight } from "../scene/raycast.js";
import { Sea } from "../scene/waves.js";

const $ = (id) => document.getElementById(id);
/** Distance that a pointer moves before a press on the catalogue is a drag [px]. */
const DRAG_PIXELS = 5;
/** Height of a new object above the seabed [m]. */
const CLEARANCE_M = 0.6;
/** Maximum distance of the point at which an object is added [m]. */
const MAX_RANGE_M = 2000;
const FIELDS = [
  ["x", "East [m]", 0.1], ["y", "North [m]", 0.1], ["z", "Up [m]", 0.1],
  ["roll", "Roll [°]", 5], ["pitch", "Pitch [°]", 5], ["yaw", "Yaw [°]", 5],
];

export class Editor {
  constructor(app) {
    this.app = app;
    this.gizmo = new Gizmo();
    this.model = null;
    /** Height above the seabed at which a model is placed [m], by name. */
    this.heights = new Map();
    this.marker = null;
    this.preview = null;
    this.fields = FIELDS.map((field) => this.field(field));
    /** Names of the objects that were selected before an object was added, by its name. */
    this.before = new Map();
    $("undo").onclick = () => this.undo(false);
    $("redo").onclick = () => this.undo(true);
    $("duplicate").onclick = () => this.duplicate();
    $("remove").onclick = () => this.remove();
    $("save-world").onclick = () => this.save();
    for (const button of document.querySelectorAll("[data-gizmo]")) {
      button.onclick = () => this.setMode(button.dataset.gizmo);
    }
    $("catalogue-filter").oninput = () => this.filter();
    this.setMode("move");
  }

  field([name, label, step]) {
    const input = element("input");
    Object.assign(input, { type: "number", step: "any", id: `pose-${name}`, disabled: true });
    input.onkeydown = (event) => {
      const sign = { ArrowUp: 1, ArrowDown: -1 }[event.key];
      if (!sign) return;
      event.preventDefault();
      input.value = Number((Number(input.value) + sign * step).toFixed(4));
      input.onchange();
    };
    input.onchange = () => this.placeFromFields();
    const text = element("label", label);
    text.htmlFor = input.id;
    const cell = element("span");
    cell.append(text, input);
    $("pose-fields").append(cell);
    return input;
  }

  /** Loads the catalogue when the panel opens for the first time. */
  async open() {
    if (this.loading) return;
    this.loading = fetchJson("/catalogue");
    const { models } = await this.loading;
    this.heights = new Map(models.map((model) => [model.name, model.height_above_seabed]));
    const items = models.map((model) => {
      const item = element("li");
      const button = element("button");
      button.append(element("span", model.name), element("small", model.prop ? "prop" : "robot"));
      button.title = model.description || model.name;
      button.dataset.model = model.name;
      button.setAttribute("aria-pressed", "false");
      this.bindItem(button, model.name);
      item.append(button);
      return item;
    });
    $("catalogue").replaceChildren(...items);
    this.filter();
  }

  filter() {
    const wanted = $("catalogue-filter").value.trim().toLowerCase();
    for (const item of $("catalogue").children) {
      const button = item.firstChild;
      const text = `${button.textContent} ${button.title}`.toLowerCase();
      item.hidden = !text.includes(wanted);
    }
  }

  /** A press that moves drags the model into the image, a click selects it for a click there. */
  bindItem(button, model) {
    let from = null;
    button.onpointerdown = (event) => {
      from = { x: event.clientX, y: event.clientY, drags: false };
      button.setPointerCapture(event.pointerId);
    };
    button.onpointermove = (event) => {
      if (!from) return;
      from.drags ||= Math.hypot(event.clientX - from.x, event.clientY - from.y) > DRAG_PIXELS;
      if (!from.drags) return;
      this.select(model);
      const over = document.elementFromPoint(event.clientX, event.clientY);
      this.marker = over === $("scene") ? this.pointAt(event.clientX, event.clientY) : null;
    };
    button.onpointerup = () => {
      const drop = from?.drags ? this.marker : null;
      this.dropped = Boolean(from?.drags);
      from = null;
      if (this.dropped) this.select(null);
      if (drop) this.add(model, drop);
    };
    button.onpointercancel = () => {
      from = null;
      this.select(null);
    };
    button.onclick = () => {
      if (!this.dropped) this.select(this.model === model ? null : model);
      this.dropped = false;
    };
  }

  /** Selects the model that the next click in the image adds. */
  select(model) {
    this.model = model;
    this.marker = null;
    for (const button of $("catalogue").querySelectorAll("button")) {
      button.setAttribute("aria-pressed", String(button.dataset.model === model));
    }
    $("catalogue-hint").textContent = model
      ? `Click in the image to add ${model}. Escape ends.`
      : "Drag a model into the image, or select it and click in the image.";
    $("scene").style.cursor = model ? "copy" : "grab";
  }

  /** Returns the point under a pixel at which an object is added; null for none. */
  pointAt(x, y) {
    const { world, camera, robots } = this.app;
    if (!robots || !camera.axes) return null;
    const ray = camera.ray(x, y);
    const sea = world.sea.at(world.time);
    const isBelow = camera.mode !== "map" && camera.eye[2] < Sea.height(sea, camera.eye[0], camera.eye[1]);
    const at = (t) => add(ray.origin, scale(ray.direction, t));
    const seabed = meetSeabed(world, ray);
    const body = meetDrawables(world, robots, ray)?.distance ?? Infinity;
    const meetLevel = (level) => meetPlane(ray, [0, 0, level], [0, 0, 1]);
    let plane = meetLevel(isBelow ? camera.target[2] : sea.level);
    if (!isBelow && Number.isFinite(plane)) {
      // a region at the point can have another level
      const [x, y] = at(plane);
      plane = meetLevel(Sea.level(sea, x, y));
    }
    // from above the nearest surface, under water the height of the point that the camera views
    const solid = Math.min(seabed, body);
    const height = this.heights.get(this.model) ?? null;
    const isOnSolid = height !== null && isBelow && solid < MAX_RANGE_M;
    const t = isOnSolid ? solid : Math.min(plane, solid);
    if (!Number.isFinite(t) || t > MAX_RANGE_M) return null;
    const p = at(t);
    if (height === null) return t === plane ? p : add(p, [0, 0, CLEARANCE_M]);
    // what stands on the seabed stands on a structure or below the point
    const ground = t === body ? p[2] : seabedHeight(world, p[0], p[1]) ?? p[2];
    return [p[0], p[1], ground + height];
  }

  async add(model, position) {
    showEvent(`adding ${model} …`);
    const selected = this.app.object()?.name;
    const answer = await this.app.request({ do: "add", model, position });
    this.added(answer, selected);
  }

  /** Adds a copy of the selected object beside it. */
  async duplicate() {
    const object = this.app.object();
    if (!object) return;
    const { scene } = this.app.world;
    const robot = scene.robots.find(({ name }) => name === object.name);
    const offset = 0.5 + 2.2 * (robot?.size ?? 1);
    const position = add(object.pose.p, [offset, 0, 0]);
    this.added(await this.app.request({ do: "duplicate", object: object.name, position }), object.name);
  }

  /** Selects an added object. `before` is the name of the object that was selected. */
  added(answer, before) {
    if (!showRefusal(answer)) return;
    this.before.set(answer.text, before);
    this.app.selectObject(answer.text);
    showEvent(`added ${answer.text}`);
  }

  /** Undoes or repeats a change, and selects the object that it was made with. */
  async undo(isRedo) {
    const answer = await this.run({ do: isRedo ? "redo" : "undo" });
    if (!answer.ok) return;
    // "undone: add crate"
    const [, change, name] = /: (\w+) (.+)$/.exec(answer.text) ?? [];
    const isGone = change === (isRedo ? "remove" : "add");
    const selected = isGone ? this.before.get(name) : name;
    if (selected) this.app.selectObject(selected);
  }

  async run(action) {
    const answer = await this.app.request(action);
    if (showRefusal(answer) && answer.text) showEvent(answer.text);
    return answer;
  }

  async remove() {
    const object = this.app.object();
    if (!object) return;
    const answer = await this.run({ do: "remove", object: object.name });
    if (answer.ok) this.app.selectStructure(null);
  }

  async save() {
    const answer = await this.app.request({ do: "save" });
    if (!showRefusal(answer)) return;
    this.saved = answer.text;
    const link = element("a");
    link.href = URL.createObjectURL(new Blob([answer.text], { type: "application/yaml" }));
    link.download = `${this.app.world.scene.name.replace(/\W+/g, "_")}_edited.yaml`;
    link.click();
    URL.revokeObjectURL(link.href);
    showEvent(`saved as ${link.download}`);
  }

  setMode(mode) {
    this.gizmo.mode = mode;
    for (const button of document.querySelectorAll("[data-gizmo]")) {
      button.setAttribute("aria-pressed", String(button.dataset.gizmo === mode));
    }
  }

  get isOpen() {
    return isOpen("edit-panel");
  }

  /** Returns the pose of the selected object, or of its preview. */
  pose() {
    const object = this.app.object();
    if (!object) return null;
    if (this.preview?.name === object.name) return this.preview.pose;
    return object.pose;
  }

  /** Shows state of the history and the pose of the object. */
  update(status) {
    const { undo, redo, possible } = status?.edit ?? {};
    const show = (id, text, label) => {
      $(id).disabled = !text;
      $(id).title = text ? `${label} ${text}` : `${label} the last change`;
    };
    show("undo", undo, "Undo (Ctrl+Z):");
    show("redo", redo, "Redo (Ctrl+Y):");
    $("save-world").disabled = !possible;
    const object = this.app.object();
    $("remove").disabled = !object;
    $("duplicate").disabled = !object || !possible;
    $("edit-object").textContent = object ? object.name : "No object selected";
    const pose = this.pose();
    const values = pose ? [...pose.p, ...toRpy(pose.q).map((x) => (x * 180) / Math.PI)] : null;
    this.fields.forEach((input, k) => {
      input.disabled = !values;
      if (document.activeElement === input && values) return;
      input.value = values ? Number(values[k].toFixed(3)) : "";
    });
  }

  placeFromFields() {
    const object = this.app.object();
    const values = this.fields.map((input) => input.valueAsNumber);
    if (!object || values.some((x) => !Number.isFinite(x))) {
      showEvent("pose: expected six numbers", "warning");
      return;
    }
    const rpy = values.slice(3).map((x) => (x * Math.PI) / 180);
    this.place(object, { p: values.slice(0, 3), q: fromRpy(rpy) });
  }

  /** Places the object and shows its new pose until the run has it. */
  async place(object, pose) {
    this.preview = { name: object.name, kind: object.kind, from: object.pose, pose };
    const own = this.preview;
    const action = { do: "place", object: object.name, position: pose.p, attitude: pose.q };
    showRefusal(await this.app.request(action));
    // the frames of the new pose are in transit
    setTimeout(() => {
      if (this.preview === own) this.preview = null;
    }, 150);
  }

  /** Handles a press on the image; returns true if it belongs to the gizmo. */
  press(event) {
    const pose = this.isOpen ? this.pose() : null;
    if (!pose || this.model) return false;
    const [x, y] = [event.clientX, event.clientY];
    const axis = this.gizmo.find(this.app.camera, pose, (p) => this.app.overlays.at(p), x, y);
    return axis !== null && this.gizmo.start(axis, this.app.camera, pose, x, y);
  }

  /** Handles a move of the pointer; returns true while the gizmo is dragged. */
  move(event) {
    const [x, y] = [event.clientX, event.clientY];
    const { camera, overlays } = this.app;
    if (this.model) this.marker = this.pointAt(x, y);
    const pose = this.isOpen ? this.pose() : null;
    if (!pose || !overlays.camera) return false;
    if (!this.gizmo.grasp) {
      this.gizmo.hover = this.gizmo.find(camera, pose, (p) => overlays.at(p), x, y);
      return false;
    }
    const object = this.app.object();
    const next = this.gizmo.drag(camera, x, y, event.ctrlKey);
    this.preview = { name: object.name, kind: object.kind, from: object.pose, pose: next };
    return true;
  }

  /** Ends a drag; `applies` is false to cancel it. */
  release(applies = true) {
    const { grasp } = this.gizmo;
    if (!grasp) return false;
    this.gizmo.grasp = null;
    const object = this.app.object();
    const isMoved = grasp.pose !== grasp.from;
    if (applies && isMoved && object) this.place(object, grasp.pose);
    else this.preview = null;
    return true;
  }

  /** Handles a click in the image; returns true if it added an object. */
  click(x, y) {
    if (!this.model) return false;
    const [model, p] = [this.model, this.pointAt(x, y)];
    this.select(null);
    if (p) this.add(model, p);
    else showEvent("no point of the scene there", "warning");
    return true;
  }

  cancel() {
    this.release(false);
    this.select(null);
  }

  /** Draws the gizmo and the marker of a new object. */
  draw(overlays, camera) {
    if (this.marker) {
      const [x, y, z] = this.marker;
      overlays.line([[x, y, z], [x, y, z + 0.8]], "#ffe27a", 2);
      const circle = Array.from({ length: 25 }, (_, k) => {
        const a = (2 * Math.PI * k) / 24;
        return [x + 0.4 * Math.cos(a), y + 0.4 * Math.sin(a), z];
      });
      overlays.line(circle, "#ffe27a", 2);
    }
    const pose = this.isOpen ? this.pose() : null;
    if (pose) this.gizmo.draw(overlays, camera, pose);
  }
}
