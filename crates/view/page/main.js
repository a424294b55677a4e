// Page of the live view: connects the data of the server, the renderer, the panels and the input.

import { Camera } from "./camera.js";
import { Drive } from "./drive.js";
import { Connection, readFrame } from "./net.js";
import { OVERLAYS, Overlays, meetHeight } from "./overlays.js";
import { Details, Environment, RobotList, StatusLine, showEvent, showRefusal } from "./panels.js";
import { Plot } from "./plot.js";
import { Renderer } from "./renderer.js";
import { World } from "./world.js";

const $ = (id) => document.getElementById(id);
/** Time per image above which the resolution is reduced, and below which it is raised [ms]. */
const [SLOW_MS, FAST_MS] = [70, 14];
const MIN_SCALE = 0.4;

class App {
  constructor() {
    this.world = new World();
    this.camera = new Camera();
    this.renderer = new Renderer($("scene"));
    this.overlays = new Overlays($("labels"));
    this.plot = new Plot($("plot"), $("plot-legend"));
    this.details = new Details();
    this.statusLine = new StatusLine();
    this.list = new RobotList((k) => this.select(k), (k) => this.goTo(k));
    this.selected = -1;
    this.images = 0;
    this.scale = 1;
    this.adding = false;
    this.connection = new Connection({
      connected: (is) => this.connected(is),
      scene: (message) => this.setScene(message),
      sea: (message) => this.world.sea.set(message),
      status: (message) => this.setStatus(message),
      event: (message) => showEvent(message.text, message.level),
      frame: (buffer) => this.receive(buffer),
    });
    this.environment = new Environment((name, value) =>
      this.request({ do: "set", parameters: { [name]: value } }),
    );
    this.drive = new Drive((robot, axes) => this.request({ do: "drive", robot, axes }).then(showRefusal));
    this.bindRun();
    this.bindPanels();
    this.bindCanvas();
    this.setCamera("follow");
    this.last = performance.now();
    requestAnimationFrame((now) => this.draw(now));
  }

  request(action) {
    return this.connection.request(action);
  }

  connected(is) {
    $("connection").textContent = is ? "connected" : "not connected";
    if (!is) this.drive.start(null);
  }

  async setScene(scene) {
    const first = this.world.scene === null || this.world.scene.name !== scene.name;
    const name = this.world.scene?.robots[this.selected]?.name;
    this.loading = true;
    try {
      await this.world.load(scene);
    } catch (error) {
      showEvent(`scene: ${error.message}`, "error");
      return;
    } finally {
      this.loading = false;
    }
    this.renderer.setScene(this.world);
    this.overlays.scene = scene;
    this.overlays.clear();
    $("world-name").textContent = scene.name;
    document.title = `${scene.name} – Merrow`;
    this.list.set(scene);
    this.fresh = first;
    const same = scene.robots.findIndex((robot) => robot.name === name);
    this.select(same >= 0 ? same : scene.robots.length ? 0 : -1);
  }

  setStatus(status) {
    this.world.status = status;
    this.environment.update(status);
    this.statusLine.pace(status.pace);
    this.details.status(status.robots[this.selected]);
  }

  receive(buffer) {
    if (this.loading) return;
    const frame = readFrame(buffer, this.world.scene);
    if (!frame) return;
    this.world.push(frame, performance.now());
    this.statusLine.frame(frame);
    this.overlays.track(frame.time, frame.robots);
    if (frame.details && frame.details.robot === this.selected) {
      const robot = this.world.scene.robots[this.selected];
      this.details.update(robot, frame.details.values);
      const index = new Map(robot.fields.map((field, k) => [field.name, k]));
      this.plot.push(frame.time, robot.name, (name) => frame.details.values[index.get(name)]);
    }
    if (this.fresh) {
      this.fresh = false;
      this.goTo(Math.max(this.selected, 0));
    }
  }

  select(k) {
    this.selected = k;
    const robot = this.world.scene?.robots[k];
    this.list.mark(k);
    this.details.show(robot);
    this.details.status(this.world.status?.robots[k]);
    this.request({ do: "select", robot: robot?.name ?? null });
    const options = (robot?.fields ?? []).map((field) => new Option(`${field.name} [${field.unit}]`, field.name));
    $("plot-field").replaceChildren(...options);
    if (this.drive.robot) this.drive.start(robot?.drive ? robot.name : null);
    this.clearPath();
    this.updateControls();
  }

  /** Moves the camera to a robot. */
  goTo(k) {
    const robot = this.world.frame?.robots[k];
    if (robot) this.camera.frame(robot.links[0].p, this.world.scene.robots[k].size);
    else this.camera.frame([0, 0, 0], 5);
  }

  setCamera(mode) {
    this.camera.mode = mode;
    for (const button of document.querySelectorAll("[data-camera]")) {
      button.setAttribute("aria-pressed", String(button.dataset.camera === mode));
    }
  }

  bindRun() {
    $("pause").onclick = () => this.togglePause();
    $("step").onclick = () => this.step();
    $("reset").onclick = () => this.request({ do: "reset" }).then(showRefusal);
    $("pace").onchange = (event) =>
      this.request({ do: "pace", pace: event.target.value }).then(showRefusal);
    for (const button of document.querySelectorAll("[data-camera]")) {
      button.onclick = () => this.setCamera(button.dataset.camera);
    }
  }

  togglePause() {
    const paused = this.world.frame?.paused;
    this.request({ do: paused ? "resume" : "pause" }).then(showRefusal);
  }

  step() {
    const steps = $("steps").valueAsNumber;
    this.request({ do: "step", steps }).then(showRefusal);
  }

  bindPanels() {
    for (const [key, [label]] of Object.entries(OVERLAYS)) {
      const text = document.createElement("label");
      const box = document.createElement("input");
      box.type = "checkbox";
      box.checked = this.overlays.shown[key];
      box.dataset.overlay = key;
      box.onchange = () => (this.overlays.shown[key] = box.checked);
      text.append(box, label);
      $("overlays").append(text);
    }
    $("drive").onclick = () => this.toggleDrive();
    $("gain").oninput = (event) => (this.drive.gain = event.target.valueAsNumber / 100);
    $("waypoints").onclick = () => this.toggleWaypoints();
    $("send-path").onclick = () => this.sendPath();
    $("clear-path").onclick = () => this.clearPath();
    $("plot-add").onclick = () => {
      const robot = this.world.scene?.robots[this.selected];
      const field = robot?.fields.find((f) => f.name === $("plot-field").value);
      if (field) this.plot.add(robot.name, field.name, field.unit);
    };
    $("plot-window").onchange = (event) => (this.plot.window = Number(event.target.value));
    $("plot-csv").onclick = () => this.saveCsv();
    addEventListener("keydown", (event) => this.key(event, true));
    addEventListener("keyup", (event) => this.key(event, false));
  }

  toggleDrive() {
    const robot = this.world.scene?.robots[this.selected];
    this.drive.start(this.drive.robot || !robot?.drive ? null : robot.name);
    this.updateControls();
  }

  toggleWaypoints() {
    const robot = this.world.scene?.robots[this.selected];
    this.adding = !this.adding && Boolean(robot?.path);
    this.updateControls();
  }

  updateControls() {
    const robot = this.world.scene?.robots[this.selected];
    $("drive").disabled = !robot?.drive;
    $("drive").setAttribute("aria-pressed", String(Boolean(this.drive.robot)));
    $("drive-hint").textContent = !robot
      ? ""
      : !robot.drive
        ? "This robot has no topic for velocities or wrenches."
        : this.drive.robot
          ? "W S forward, A D sideways, ↑ ↓ up and down, ← → turn. Escape ends."
          : `Commands ${robot.drive}`;
    $("waypoints").disabled = !robot?.path;
    $("waypoints").setAttribute("aria-pressed", String(this.adding));
    const n = this.overlays.waypoints.length;
    $("send-path").disabled = n === 0;
    $("clear-path").disabled = n === 0;
    $("path-hint").textContent = !robot
      ? ""
      : !robot.path
        ? "The firmware of this robot follows no paths."
        : this.adding
          ? `Click on the image: ${n} waypoint${n === 1 ? "" : "s"} at the depth of the robot.`
          : "";
    $("scene").style.cursor = this.adding ? "crosshair" : "grab";
  }

  async sendPath() {
    const robot = this.world.scene.robots[this.selected].name;
    const answer = await this.request({ do: "path", robot, points: this.overlays.waypoints });
    if (showRefusal(answer)) showEvent(`path sent to ${robot}`);
    this.adding = false;
    this.updateControls();
  }

  clearPath() {
    this.overlays.waypoints = [];
    this.adding = false;
    this.updateControls();
  }

  saveCsv() {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([this.plot.csv()], { type: "text/csv" }));
    link.download = "merrow.csv";
    link.click();
    URL.revokeObjectURL(link.href);
  }

  key(event, down) {
    const field = event.target.closest?.("input, select, textarea");
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (!down || !field) {
      if (this.drive.key(event.code, down)) {
        event.preventDefault();
        return;
      }
    }
    if (!down || field) return;
    const isButton = event.target.closest?.("button, summary");
    const actions = {
      Escape: () => {
        this.drive.start(null);
        this.adding = false;
        this.updateControls();
      },
      Space: () => !isButton && this.togglePause(),
      Period: () => this.step(),
      KeyK: () => this.toggleDrive(),
      KeyG: () => this.toggleWaypoints(),
      Digit1: () => this.setCamera("orbit"),
      Digit2: () => this.setCamera("follow"),
      Digit3: () => this.setCamera("first"),
      Digit4: () => this.setCamera("map"),
      Home: () => this.goTo(Math.max(this.selected, 0)),
      Equal: () => this.camera.zoom(0.85),
      Minus: () => this.camera.zoom(1.18),
    };
    if (!actions[event.code] || (event.code === "Space" && isButton)) return;
    event.preventDefault();
    actions[event.code]();
  }

  bindCanvas() {
    const canvas = $("scene");
    let from = null;
    canvas.onpointerdown = (event) => {
      canvas.setPointerCapture(event.pointerId);
      from = { x: event.clientX, y: event.clientY, moved: 0 };
    };
    canvas.onpointermove = (event) => {
      this.showPointer(event.clientX, event.clientY);
      if (!from) return;
      const [dx, dy] = [event.clientX - from.x, event.clientY - from.y];
      from = { x: event.clientX, y: event.clientY, moved: from.moved + Math.hypot(dx, dy) };
      if (from.moved > 4) this.camera.drag(dx, dy, event.shiftKey || event.buttons === 2);
      if (this.camera.mode === "orbit") this.setCamera("orbit");
    };
    canvas.onpointerup = (event) => {
      if (from && from.moved <= 4) this.click(event.clientX, event.clientY);
      from = null;
    };
    canvas.onpointercancel = () => (from = null);
    canvas.oncontextmenu = (event) => event.preventDefault();
    canvas.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        this.camera.zoom(Math.exp(event.deltaY * 0.0012));
      },
      { passive: false },
    );
  }

  /** Returns the point under a pixel at the height of the selected robot. */
  pointAt(x, y) {
    const robot = this.robots?.[this.selected];
    return this.camera.axes ? meetHeight(this.camera.ray(x, y), robot ? robot.links[0].p[2] : 0) : null;
  }

  showPointer(x, y) {
    const p = this.camera.mode === "map" || this.adding ? this.pointAt(x, y) : null;
    $("pointer").textContent = p ? `east ${p[0].toFixed(2)} m, north ${p[1].toFixed(2)} m` : "";
  }

  click(x, y) {
    if (this.adding) {
      const p = this.pointAt(x, y);
      if (p) this.overlays.waypoints.push(p);
      else showEvent("no point at the depth of the robot there", "warning");
      this.updateControls();
      return;
    }
    if (!this.robots) return;
    const found = this.overlays.pick(this.robots, x, y);
    if (found >= 0) this.select(found);
  }

  /** Fits the images to the window and to the speed of the machine. */
  resize() {
    const [w, h] = [innerWidth, innerHeight];
    const wanted = [w, h].map((x) => Math.max(1, Math.round(x * devicePixelRatio * this.scale)));
    const scene = $("scene");
    if (scene.width !== wanted[0] || scene.height !== wanted[1]) [scene.width, scene.height] = wanted;
    const labels = $("labels");
    const full = [w, h].map((x) => Math.round(x * devicePixelRatio));
    if (labels.width !== full[0] || labels.height !== full[1]) [labels.width, labels.height] = full;
    return [w, h];
  }

  adapt(elapsed) {
    this.mean = this.mean === undefined ? elapsed : 0.9 * this.mean + 0.1 * elapsed;
    this.sinceChange = (this.sinceChange ?? 0) + 1;
    // a very slow machine need not show twenty images first
    if (this.sinceChange < (this.mean > 4 * SLOW_MS ? 3 : 20)) return;
    if (this.mean > SLOW_MS && this.scale > MIN_SCALE) this.scale = Math.max(this.scale * 0.75, MIN_SCALE);
    else if (this.mean < FAST_MS && this.scale < 1) this.scale = Math.min(this.scale * 1.1, 1);
    else return;
    this.sinceChange = 0;
  }

  draw(now) {
    requestAnimationFrame((next) => this.draw(next));
    const dt = Math.min((now - this.last) / 1000, 2);
    const elapsed = now - this.last;
    this.last = now;
    if (!this.world.scene || !this.world.frame) return;
    const [width, height] = this.resize();
    const robots = this.world.update(performance.now());
    this.robots = robots;
    const robot = robots[this.selected];
    if (robot) robot.eye = [0.9 * this.world.scene.robots[this.selected].size, 0, 0.05];
    this.camera.hidden = this.camera.mode === "first" ? this.selected : undefined;
    this.camera.update(width, height, robot, dt);
    const { shown } = this.overlays;
    this.renderer.draw(this.world, robots, this.camera, {
      selected: this.selected,
      water: shown.water,
      depths: shown.depths,
    });
    this.overlays.draw(this.world, robots, this.camera, this.selected, devicePixelRatio);
    this.plot.draw(this.world.time);
    this.statusLine.image(now);
    this.images++;
    this.adapt(elapsed);
  }
}

try {
  window.merrow = new App();
} catch (error) {
  document.body.append(`The view cannot start: ${error.message}`);
  throw error;
}
