// Page of the live view: connects the data of the server, the renderer, the panels and the input.

import { Camera } from "./scene/camera.js";
import { Drive } from "./input/drive.js";
import { Editor } from "./input/edit.js";
import { Actuators } from "./panels/actuators.js";
import { Faults } from "./panels/faults.js";
import { GamepadControl } from "./input/gamepad.js";
import { Route } from "./input/route.js";
import { geodetic } from "./math.js";
import { Connection, fetchJson, readFrame } from "./net.js";
import { Network } from "./panels/network.js";
import { Overlays } from "./scene/overlays.js";
import { fillOverlayMenu } from "./panels/overlay_menu.js";
import { Details, Environment, RobotList, StatusLine, log, showEvent, showRefusal } from "./panels/panels.js";
import { Plot } from "./panels/plot.js";
import { meetDrawables } from "./scene/raycast.js";
import { Renderer } from "./scene/renderer.js";
import { Timeline } from "./panels/replay.js";
import { EventLog, Sensors } from "./panels/sensors.js";
import { Forces } from "./panels/forces.js";
import { bindTabs, openTab } from "./panels/tabs.js";
import { World } from "./scene/world.js";

const $ = (id) => document.getElementById(id);
/** Time per image above which the resolution is reduced, and below which it is raised [ms]. */
const [SLOW_MS, FAST_MS] = [70, 14];
const MIN_SCALE = 0.33;
/** Distance by which an arrow key drags the image [px]. */
const KEY_PIXELS = 24;

class App {
  constructor() {
    this.world = new World();
    this.camera = new Camera();
    this.renderer = new Renderer($("scene"));
    this.overlays = new Overlays($("labels"));
    this.plot = new Plot($("plot"), $("plot-legend"));
    this.details = new Details();
    this.statusLine = new StatusLine();
    this.forces = new Forces();
    this.list = new RobotList((k) => this.select(k), (k) => this.goTo(k));
    this.selected = -1;
    this.structure = null;
    this.awaited = null;
    this.images = 0;
    this.scale = 1;
    /** False on a slow machine: simpler patterns of seabed, clouds and ripples. */
    this.detail = !this.renderer.isSoftware;
    /** Names of the topics that can be plotted. */
    this.topics = new Set();
    log.add = ((events) => (text, level, time) => events.add(text, level, time))(new EventLog());
    this.connection = new Connection({
      connected: (is) => this.connected(is),
      scene: (message) => this.setScene(message),
      sea: (message) => this.world.sea.set(message),
      status: (message) => this.setStatus(message),
      event: (message) => showEvent(message.text, message.level, message.time_s),
      frame: (buffer) => this.receive(buffer),
      image: (buffer) => this.sensors.receive(buffer),
      points: (buffer) => this.overlays.setPoints(buffer),
      overlay: (message) => this.setReadings(message),
      links: (message) => this.setLinks(message.links),
      network: (message) => this.network.receive(message),
      topic: (message) => this.showTopicFields(message),
      samples: (message) => this.plot.pushSamples(message),
      rates: (message) => message.robot === this.selected && this.details.rates(message.rates_hz),
    });
    this.environment = new Environment((name, value) =>
      this.request({ do: "set", parameters: { [name]: value } }),
    );
    this.drive = new Drive((robot, axes) => this.request({ do: "drive", robot, axes }).then(showRefusal));
    this.gamepad = new GamepadControl(
      (robot, joy) => this.sendGamepad(robot, joy),
      (text) => ($("drive-hint").textContent = text),
    );
    this.actuators = new Actuators((robot, actuator, value) =>
      this.request({ do: "actuator", robot, actuator, value }).then(showRefusal),
    );
    this.editor = new Editor(this);
    this.route = new Route(this);
    this.faults = new Faults((action) => this.request(action));
    this.sensors = new Sensors((action) => this.request(action));
    this.network = new Network((action) => this.request(action));
    this.timeline = new Timeline((action) => this.request(action), () => this.jumped());
    this.bindRun();
    this.bindPanels();
    this.bindCanvas();
    this.setCamera("follow");
    if (this.renderer.isSoftware) this.showShadows(false);
    this.last = performance.now();
    requestAnimationFrame((now) => this.draw(now));
  }

  /** Removes what belongs to another time of a recording. */
  jumped() {
    this.overlays.clear();
    this.plot.clear();
  }

  request(action) {
    return this.connection.request(action);
  }

  connected(is) {
    $("connection").textContent = is ? "connected" : "not connected";
    this.hasReadings = false;
    if (is) {
      this.requestReadings();
      this.network.connected();
      return;
    }
    this.drive.start(null);
    this.gamepad.start(null);
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
    this.network.setScene(scene);
    this.faults.setScene(scene);
    this.timeline.setScene(scene);
    $("world-name").textContent = scene.name;
    document.title = `${scene.name} – Merrow`;
    this.list.set(scene, (structure) => this.selectStructure(structure));
    this.fresh = first;
    const indexOf = (wanted) => scene.robots.findIndex((robot) => robot.name === wanted);
    const awaited = indexOf(this.awaited);
    if (awaited >= 0) this.awaited = null;
    const same = awaited >= 0 ? awaited : indexOf(name);
    const { structure } = this;
    this.select(same >= 0 ? same : scene.robots.length ? 0 : -1);
    this.loadTopics();
    if (scene.structures.some((one) => one.name === structure)) this.selectStructure(structure);
  }

  /** Selects an added robot as soon as the scene contains it. */
  selectWhenLoaded(name) {
    const k = this.world.scene.robots.findIndex((robot) => robot.name === name);
    if (k >= 0) this.select(k);
    else this.awaited = name;
  }

  /** Returns the selected object: name, kind and pose; null without one. */
  object() {
    const { scene, status, frame } = this.world;
    if (this.structure) {
      const found = status?.structures.find(({ name }) => name === this.structure);
      return found ? { name: found.name, kind: "structure", pose: { p: found.p, q: found.q } } : null;
    }
    const robot = frame?.robots[this.selected];
    if (!robot) return null;
    return { name: scene.robots[this.selected].name, kind: "robot", pose: robot.links[0] };
  }

  selectStructure(name) {
    this.structure = name;
    this.list.mark(this.selected, name);
    this.editor.update(this.world.status);
  }

  setStatus(status) {
    this.world.status = status;
    this.environment.update(status, this.world.time);
    this.statusLine.pace(status.pace);
    this.statusLine.status(status);
    this.showState();
    this.faults.status(status, this.selected);
    this.editor.update(status);
    const mode = status.robots[this.selected]?.mode;
    if (mode && document.activeElement !== $("mode")) $("mode").value = mode;
    $("record").disabled = status.recording === null;
    $("record").setAttribute("aria-pressed", String(status.recording === true));
    $("record").textContent = status.recording ? "Stop recording" : "Record";
  }

  setLinks(links) {
    this.overlays.links = links;
    this.network.setLinks(links);
  }

  /** Shows mode and faults of the selected robot. A recording can lack faults, so it does not show that there are none. */
  showState() {
    const state = this.world.status?.robots[this.selected];
    this.details.status(state, !this.timeline.isRecording);
  }

  receive(buffer) {
    if (this.loading) return;
    const frame = readFrame(buffer, this.world.scene);
    if (!frame) return;
    this.world.push(frame, performance.now());
    this.statusLine.frame(frame);
    this.timeline.show(frame.time, this.world.status?.utc_s);
    if (this.editor.isOpen) this.editor.update(this.world.status);
    this.overlays.track(frame.time, frame.robots);
    for (const { robot: k, values } of frame.details) {
      const robot = this.world.scene.robots[k];
      if (k === this.selected) this.details.update(robot, values);
      const index = new Map(robot.fields.map((field, i) => [field.name, i]));
      this.plot.push(frame.time, robot.name, (name) => values[index.get(name)]);
    }
    if (this.fresh) {
      this.fresh = false;
      this.goTo(Math.max(this.selected, 0));
    }
  }

  select(k) {
    this.selected = k;
    this.structure = null;
    const robot = this.world.scene?.robots[k];
    this.list.mark(k, null);
    this.details.show(robot);
    this.showState();
    this.request({ do: "select", robot: robot?.name ?? null });
    if (!$("plot-topic").value) this.showRobotFields();
    if (this.drive.robot) this.drive.start(robot?.drive ? robot.name : null);
    if (this.gamepad.robot) this.gamepad.start(robot?.drive || robot?.gamepad ? robot : null);
    this.actuators.show(robot);
    this.faults.show(robot);
    this.faults.status(this.world.status, k);
    this.sensors.show(robot, k);
    this.network.select(k);
    this.overlays.points = null;
    this.editor.update(this.world.status);
    this.route.select(robot?.name ?? null);
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
    $("record").onclick = () => this.toggleRecording();
  }

  async toggleRecording() {
    const action = this.world.status?.recording ? "stop_recording" : "record";
    const answer = await this.request({ do: action });
    if (showRefusal(answer)) showEvent(answer.text);
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
    fillOverlayMenu($("overlays"), this.overlays, (key, on) => {
      // the user decides, also on a slow machine
      if (key === "shadows") this.keepsShadows = on;
      this.requestReadings();
    });
    $("drive").onclick = () => this.toggleDrive();
    $("gain").oninput = (event) => (this.drive.gain = event.target.valueAsNumber / 100);
    $("gamepad").onclick = () => this.toggleGamepad();
    $("mode").onchange = () => this.setMode();
    bindTabs((id) => {
      if (id === "edit-panel") this.editor.open();
      if (id === "fault-panel") this.faults.open();
      this.sensors.watch();
      this.network.watch();
      this.requestReadings();
    });
    fetchJson("/catalogue").then(({ modes }) => {
      const text = (mode) => mode.replaceAll("_", " ");
      $("mode").replaceChildren(...modes.map((mode) => new Option(text(mode), mode)));
    });
    $("plot-add").onclick = () => {
      const name = $("plot-field").value;
      const topic = $("plot-topic").value;
      if (topic) {
        if (name) this.plot.addField(topic, name);
        return;
      }
      const robot = this.world.scene?.robots[this.selected];
      const field = robot?.fields.find((f) => f.name === name);
      if (field) this.plot.add(robot.name, field.name, field.unit);
    };
    $("plot-topic").onchange = () => this.selectTopic();
    $("plot-topic").onfocus = () => this.loadTopics();
    $("plot-window").onchange = (event) => (this.plot.window = Number(event.target.value));
    $("plot-csv").onclick = () => this.saveCsv();
    $("plot-live").onclick = () => this.plot.follow();
    $("plot-in").onclick = () => this.plot.zoom(0.5);
    $("plot-out").onclick = () => this.plot.zoom(2);
    this.plot.changed = () => this.requestPlots();
    addEventListener("keydown", (event) => this.key(event, true));
    addEventListener("keyup", (event) => this.key(event, false));
  }

  setReadings(message) {
    this.overlays.readings = { ...message, arrival: performance.now() };
    if (message.robot === this.selected) this.forces.update(message);
  }

  /** Requests the readings of the selected robot while a shown overlay or the panel of forces needs them. */
  requestReadings() {
    const on = this.overlays.needsReadings || this.forces.isOpen;
    const hull = this.overlays.shown.hull;
    if (on !== this.hasReadings || hull !== this.hasHull) this.request({ do: "overlay", on, hull });
    [this.hasReadings, this.hasHull] = [on, hull];
  }

  /** Requests the fields of the plotted robots and topics, and the names of the fields of the entered topic. */
  requestPlots() {
    const known = new Set(this.world.scene?.robots.map((robot) => robot.name));
    this.request({ do: "plot", robots: this.plot.robots.filter((name) => known.has(name)) });
    const wanted = this.plot.topics;
    const entered = $("plot-topic").value;
    if (entered && !wanted.some(({ topic }) => topic === entered)) wanted.push({ topic: entered, fields: [] });
    // a removed robot has no topics
    const topics = wanted.filter(({ topic }) => this.topics.has(topic));
    if (topics.length || this.hasTopics) this.request({ do: "topics", topics }).then(showRefusal);
    this.hasTopics = topics.length > 0;
  }

  /** Loads the names of the topics that can be plotted, then requests the plotted fields again. */
  async loadTopics() {
    let topics = [];
    try {
      topics = await fetchJson("/topics");
    } catch (error) {
      showEvent(`topics: ${error.message}`, "error");
    }
    this.topics = new Set(topics.map(({ name }) => name));
    $("plot-topics").replaceChildren(...topics.map(({ name, type }) => new Option(type, name)));
    this.requestPlots();
  }

  /** Shows the fields of the entered topic, or of the selected robot without a topic. */
  async selectTopic() {
    const topic = $("plot-topic").value;
    // another node can have started since
    if (topic && !this.topics.has(topic)) await this.loadTopics();
    if (!topic) this.showRobotFields();
    else if (this.topics.has(topic)) $("plot-field").replaceChildren(new Option("waiting for a message", ""));
    else showEvent(`no topic ${topic}`, "warning");
    this.requestPlots();
  }

  showRobotFields() {
    const fields = this.world.scene?.robots[this.selected]?.fields ?? [];
    const options = fields.map((field) => new Option(`${field.name} [${field.unit}]`, field.name));
    $("plot-field").replaceChildren(...options);
  }

  showTopicFields({ topic, names }) {
    if (topic !== $("plot-topic").value) return;
    const chosen = $("plot-field").value;
    $("plot-field").replaceChildren(...names.map((name) => new Option(name, name)));
    if (names.includes(chosen)) $("plot-field").value = chosen;
  }

  toggleDrive() {
    const robot = this.world.scene?.robots[this.selected];
    this.drive.start(this.drive.robot || !robot?.drive ? null : robot.name);
    this.updateControls();
  }

  toggleGamepad() {
    const robot = this.world.scene?.robots[this.selected];
    const can = robot?.drive || robot?.gamepad;
    this.gamepad.start(this.gamepad.robot || !can ? null : robot);
    this.updateControls();
  }

  /** Sends sticks and buttons to the topic for gamepads, or the sticks as drive command. */
  sendGamepad(robot, { axes, buttons }) {
    if (robot.gamepad) {
      this.request({ do: "gamepad", robot: robot.name, axes, buttons }).then(showRefusal);
      return;
    }
    const sticks = [4, 3, 1, 0].map((k) => axes[k] * this.drive.gain);
    this.request({ do: "drive", robot: robot.name, axes: sticks }).then(showRefusal);
  }

  async setMode() {
    const robot = this.world.scene?.robots[this.selected]?.name;
    const mode = $("mode").value;
    const answer = await this.request({ do: "mode", robot, mode });
    $("mode").blur();
    if (showRefusal(answer)) showEvent(`${robot}: ${mode.replaceAll("_", " ")}`);
  }

  /** Returns the selected robot of the scene. */
  selectedRobot() {
    return this.world.scene?.robots[this.selected];
  }

  updateControls() {
    const robot = this.selectedRobot();
    $("drive").disabled = !robot?.drive;
    $("drive").setAttribute("aria-pressed", String(Boolean(this.drive.robot)));
    $("drive-hint").textContent = !robot
      ? ""
      : !robot.drive
        ? "This robot has no topic for velocities or wrenches."
        : this.drive.robot
          ? "W S forward, A D sideways, ↑ ↓ up and down, ← → turn. Escape ends."
          : `Commands ${robot.drive}`;
    $("gamepad").disabled = !robot?.drive && !robot?.gamepad;
    $("gamepad").setAttribute("aria-pressed", String(Boolean(this.gamepad.robot)));
    $("mode").disabled = !robot?.firmware;
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
    if (down && !field && (event.ctrlKey || event.metaKey) && this.editor.isOpen) {
      const again = event.code === "KeyY" || (event.code === "KeyZ" && event.shiftKey);
      if (again || event.code === "KeyZ") {
        event.preventDefault();
        this.editor.run({ do: again ? "redo" : "undo" });
        return;
      }
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (!down || !field) {
      if (this.drive.key(event.code, down)) {
        event.preventDefault();
        return;
      }
    }
    if (!down || field) return;
    const isButton = event.target.closest?.("button, summary");
    const { timeline } = this;
    const recorded = {
      ArrowLeft: () => timeline.step(-1, event.shiftKey),
      ArrowRight: () => timeline.step(1, event.shiftKey),
    };
    const always = ["Space", "Digit1", "Digit2", "Digit3", "Digit4", "Home", "Equal", "Minus"];
    const actions = {
      Escape: () => {
        this.drive.start(null);
        this.gamepad.start(null);
        this.editor.cancel();
        this.route.cancel();
        this.updateControls();
      },
      Space: () => !isButton && this.togglePause(),
      Period: () => this.step(),
      KeyK: () => this.toggleDrive(),
      KeyG: () => this.route.toggle("path"),
      KeyP: () => this.route.toggle("goal"),
      KeyE: () => this.toggleEditor(),
      KeyM: () => this.editor.setMode("move"),
      KeyT: () => this.editor.setMode("turn"),
      Backspace: () => this.route.clicking === "path" && this.route.removeLast(),
      Delete: () => this.editor.isOpen && this.editor.remove(),
      Digit1: () => this.setCamera("orbit"),
      Digit2: () => this.setCamera("follow"),
      Digit3: () => this.setCamera("first"),
      Digit4: () => this.setCamera("map"),
      Home: () => this.goTo(Math.max(this.selected, 0)),
      Equal: () => this.camera.zoom(0.85),
      Minus: () => this.camera.zoom(1.18),
      Enter: () => this.clickCentre(),
      ...this.cameraKeys(event.shiftKey),
    };
    const isRecording = timeline.isRecording;
    const action = isRecording && !always.includes(event.code) ? recorded[event.code] : actions[event.code];
    if (!action || (isButton && ["Space", "Enter"].includes(event.code))) return;
    event.preventDefault();
    action();
  }

  /** Returns the actions of the arrow keys: they turn the camera, or move it with Shift; they move the map. */
  cameraKeys(isMoving) {
    const drag = (dx, dy) => () => {
      this.camera.drag(dx, dy, isMoving);
      if (this.camera.mode === "orbit") this.setCamera("orbit");
    };
    return {
      ArrowLeft: drag(KEY_PIXELS, 0),
      ArrowRight: drag(-KEY_PIXELS, 0),
      ArrowUp: drag(0, KEY_PIXELS),
      ArrowDown: drag(0, -KEY_PIXELS),
    };
  }

  /** Clicks on the centre of the image, where a cross is drawn: selects, or sets a goal, a waypoint or an object. */
  clickCentre() {
    this.click(innerWidth / 2, innerHeight / 2);
  }

  toggleEditor() {
    const id = this.editor.isOpen ? "drive-panel" : "edit-panel";
    openTab(id);
    if (id === "edit-panel") this.editor.open();
  }

  bindCanvas() {
    const canvas = $("scene");
    let from = null;
    canvas.onpointerdown = (event) => {
      canvas.setPointerCapture(event.pointerId);
      canvas.focus({ preventScroll: true });
      if (event.button === 0 && (this.editor.press(event) || this.route.press(event))) return;
      from = { x: event.clientX, y: event.clientY, moved: 0 };
    };
    canvas.onpointermove = (event) => {
      this.showPointer(event.clientX, event.clientY);
      if (this.editor.move(event) || this.route.move(event)) return;
      if (!from) return;
      const [dx, dy] = [event.clientX - from.x, event.clientY - from.y];
      from = { x: event.clientX, y: event.clientY, moved: from.moved + Math.hypot(dx, dy) };
      if (from.moved > 4) this.camera.drag(dx, dy, event.shiftKey || event.buttons === 2);
      if (this.camera.mode === "orbit") this.setCamera("orbit");
    };
    canvas.onpointerup = (event) => {
      if (this.editor.release() || this.route.release()) return;
      if (from && from.moved <= 4) this.click(event.clientX, event.clientY);
      from = null;
    };
    canvas.onpointercancel = () => {
      from = null;
      this.editor.release(false);
      this.route.abandon();
    };
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

  showPointer(x, y) {
    const p = this.camera.mode === "map" || this.route.clicking ? this.route.pointAt(x, y) : null;
    $("pointer").textContent = p ? this.pointerText(p) : "";
  }

  pointerText([east, north]) {
    const { origin } = this.world.scene;
    const [latitude, longitude] = geodetic(origin, east, north);
    return `east ${east.toFixed(2)} m, north ${north.toFixed(2)} m, ${latitude.toFixed(6)}°, ${longitude.toFixed(6)}°`;
  }

  click(x, y) {
    if (this.editor.click(x, y) || this.route.click(x, y)) return;
    if (!this.robots) return;
    const hit = meetDrawables(this.world, this.robots, this.camera.ray(x, y), this.camera.hidden);
    const { robot, structure } = hit?.drawable ?? {};
    if (robot >= 0) this.select(robot);
    else if (structure && this.editor.isOpen) this.selectStructure(structure);
    else {
      const near = this.overlays.pick(this.robots, x, y);
      if (near >= 0) this.select(near);
    }
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

  showShadows(on) {
    this.overlays.shown.shadows = on;
    document.querySelector("[data-overlay=shadows]").checked = on;
  }

  /** Omits shadows and details, then reduces the resolution, below about 15 images per second. */
  adapt(elapsed) {
    this.mean = this.mean === undefined ? elapsed : 0.9 * this.mean + 0.1 * elapsed;
    this.sinceChange = (this.sinceChange ?? 0) + 1;
    // a very slow machine need not show twenty images first
    if (this.sinceChange < (this.mean > 4 * SLOW_MS ? 3 : 20)) return;
    if (this.mean > SLOW_MS && this.overlays.shown.shadows && !this.keepsShadows) this.showShadows(false);
    else if (this.mean > SLOW_MS && this.detail) this.detail = false;
    else if (this.mean > SLOW_MS && this.scale > MIN_SCALE) this.scale = Math.max(this.scale * 0.75, MIN_SCALE);
    else if (this.mean < FAST_MS && this.scale < 1) this.scale = Math.min(this.scale * 1.1, 1);
    else if (this.mean < FAST_MS && !this.detail) this.detail = true;
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
    this.world.preview = this.editor.preview;
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
      detail: this.detail,
      shadows: shown.shadows,
    });
    if (this.detail || this.images % 2 === 0) {
      this.overlays.aims = Boolean(this.route.clicking || this.editor.model);
      this.overlays.draw(this.world, robots, this.camera, this.selected, devicePixelRatio);
      this.editor.draw(this.overlays, this.camera);
    }
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
