// Page of the live view: connects the data of the server, the renderer, the panels and the input.

import { Camera } from "./scene/camera.js";
import { Drive } from "./input/drive.js";
import { Editor } from "./input/edit.js";
import { Actuators } from "./panels/actuators.js";
import { Faults } from "./panels/faults.js";
import { DirectControl, stickDeflections } from "./input/direct.js";
import { GamepadControl } from "./input/gamepad.js";
import { EXPOSURE_STEP, Look } from "./input/look.js";
import { Pointers } from "./input/pointers.js";
import { Push } from "./input/push.js";
import { Route } from "./input/route.js";
import { geodetic } from "./math.js";
import { Connection, fetchJson, readFrame } from "./net.js";
import { Layout } from "./panels/layout.js";
import { Network } from "./panels/network.js";
import { Overlays } from "./scene/overlays.js";
import { fillLawMenu, fillOverlayMenu } from "./panels/overlay_menu.js";
import { Capture, download, fileName } from "./panels/capture.js";
import { createHelp } from "./panels/help.js";
import { bindMenus, closeMenu } from "./panels/menus.js";
import {
  Details, Environment, RobotList, StatusLine, element, log, showBanner, showEvent, showRefusal,
} from "./panels/panels.js";
import { Plot } from "./panels/plot.js";
import { meetDrawables } from "./scene/raycast.js";
import { Renderer } from "./scene/renderer.js";
import { Timeline } from "./panels/replay.js";
import { EventLog, Sensors } from "./panels/sensors.js";
import { Forces } from "./panels/forces.js";
import { bindTabs, openTab } from "./panels/tabs.js";
import { Task } from "./panels/task.js";
import { World } from "./scene/world.js";

const $ = (id) => document.getElementById(id);
/** Time per image above which the resolution is reduced, and below which it is raised [ms]. */
const [SLOW_MS, FAST_MS] = [70, 14];
const MIN_SCALE = 0.33;
/** Keys that need a running world. */
const LIVE_KEYS = ["Period", "KeyK", "KeyP", "KeyG", "KeyE", "KeyM", "KeyT", "Backspace", "Delete", "Enter"];
/** Distance by which an arrow key drags the image [px]. */
const KEY_PIXELS = 24;

class App {
  constructor() {
    this.world = new World();
    this.camera = new Camera();
    this.renderer = new Renderer($("scene"));
    this.overlays = new Overlays($("labels"));
    this.layout = new Layout((free) => (this.overlays.free = free));
    this.plot = new Plot($("plot"), $("plot-legend"));
    this.details = new Details();
    this.statusLine = new StatusLine();
    this.forces = new Forces();
    this.task = new Task();
    this.list = new RobotList((k) => this.selectAndFrame(k), (k) => this.goTo(k));
    this.selected = -1;
    this.structure = null;
    this.awaited = null;
    this.images = 0;
    this.scale = 1;
    /** False on a slow machine: simpler patterns of seabed, clouds and ripples. */
    this.detail = !this.renderer.isSoftware;
    /** Names of the topics that can be plotted. */
    this.topics = new Set();
    const events = new EventLog();
    log.add = (text, level, time) => events.add(text, level, time);
    log.show = () => events.show();
    this.connection = new Connection({
      opened: () => this.opened(),
      live: (is, why) => this.setLive(is, why),
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
    this.directs = [0, 1].map(() => new DirectControl((name, value) => this.actuators.move(name, value)));
    this.actuators = new Actuators((robot, actuator, value) =>
      this.request({ do: "actuator", robot, actuator, value }).then(showRefusal),
    );
    this.editor = new Editor(this);
    this.route = new Route(this);
    this.push = new Push(this);
    this.faults = new Faults((action) => this.request(action));
    this.sensors = new Sensors((action) => this.request(action));
    this.network = new Network((action) => this.request(action));
    this.timeline = new Timeline((action) => this.request(action), () => this.jumped());
    this.look = new Look($("overlays"), this);
    this.bindRun();
    this.bindPanels();
    new Pointers($("scene"), this);
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

  /** Requests again what a new connection does not have yet. */
  opened() {
    [this.hasReadings, this.hasTopics] = [false, false];
    this.requestReadings();
    this.network.connected();
  }

  /** Shows whether the run answers. Without it the image is the last state, and its controls have no effect. */
  setLive(is, why) {
    $("connection").textContent = is ? "connected" : "not connected";
    document.body.classList.toggle("offline", !is);
    for (const part of document.querySelectorAll(".needs-run")) part.inert = !is;
    this.isLive = is;
    if (is) {
      showBanner("");
      return;
    }
    const since = new Date().toLocaleTimeString();
    showBanner(`${why} since ${since}. The image shows the last state; the page connects again by itself.`);
    this.drive.start(null);
    this.gamepad.start(null);
    this.updateControls();
  }

  /** Loads a scene after the scenes that are being loaded. */
  setScene(scene) {
    this.loading = (this.loading ?? 0) + 1;
    const load = (this.loaded ?? Promise.resolve()).then(() => this.loadScene(scene));
    this.loaded = load.finally(() => this.loading--);
    return this.loaded;
  }

  async loadScene(scene) {
    const first = this.world.scene === null || this.world.scene.name !== scene.name;
    if (first) this.showLoading(scene.name);
    try {
      await this.world.load(scene);
    } catch (error) {
      showEvent(`scene: ${error.message}`, "error");
      return;
    }
    this.renderer.setScene(this.world);
    this.overlays.scene = scene;
    fillLawMenu($("overlays"), this.overlays, scene.laws);
    this.overlays.clear();
    this.network.setScene(scene);
    this.task.setScene(scene);
    this.faults.setScene(scene);
    this.timeline.setScene(scene);
    $("world-name").textContent = scene.name;
    document.title = `${scene.name} – Merrow`;
    this.list.set(scene, (structure) => this.selectStructure(structure));
    this.fresh = first;
    const indexOf = (wanted) => scene.robots.findIndex((robot) => robot.name === wanted);
    const { awaited, structure } = this;
    const same = indexOf(this.selectedName);
    this.select(same >= 0 ? same : scene.robots.length ? 0 : -1);
    this.loadTopics();
    if (scene.structures.some((one) => one.name === structure)) this.selectStructure(structure);
    if (indexOf(awaited) < 0 && !scene.structures.some((one) => one.name === awaited)) return;
    this.awaited = null;
    this.selectObject(awaited);
  }

  /** Removes the state of another world until the first state of this one arrives. */
  showLoading(name) {
    showBanner(`Loading ${name} …`, "loading");
    this.world.status = null;
    document.body.classList.add("loading");
    this.statusLine.clear();
    this.overlays.readings = null;
    this.plot.clear();
  }

  /** Selects an object, as soon as the scene contains it. */
  selectObject(name) {
    const { scene } = this.world;
    const k = scene.robots.findIndex((robot) => robot.name === name);
    if (k >= 0) this.selectFromImage(k);
    else if (scene.structures.some((structure) => structure.name === name)) this.selectStructure(name);
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
    this.task.update(status.task);
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
      showBanner("");
      this.awaitedRobot = Math.max(this.selected, 0);
    }
    if (this.awaitedRobot === undefined) return;
    const robot = this.awaitedRobot;
    this.awaitedRobot = undefined;
    this.goTo(robot);
  }

  select(k) {
    this.selected = k;
    this.structure = null;
    const robot = this.world.scene?.robots[k];
    // another version of the scene has other indices
    this.selectedName = robot?.name;
    this.list.mark(k, null);
    this.details.show(robot);
    this.showState();
    this.request({ do: "select", robot: robot?.name ?? null });
    if (!$("plot-topic").value) this.showRobotFields();
    // before the sliders of the other robot are removed
    const [isDriven, hasGamepad] = [this.drive.robot, this.gamepad.robot].map((own) => Boolean(own) && own !== robot?.name);
    if (isDriven) this.drive.start(null);
    if (hasGamepad) this.gamepad.start(null);
    this.actuators.flush();
    this.actuators.show(robot);
    if (isDriven) this.startDrive(robot);
    if (hasGamepad) this.startGamepad(robot);
    this.faults.show(robot);
    this.faults.status(this.world.status, k);
    this.sensors.show(this.world.scene, k);
    this.network.select(k);
    this.overlays.points = null;
    this.editor.update(this.world.status);
    this.route.select(robot?.name ?? null);
    this.updateControls();
  }

  selectAndFrame(k) {
    this.select(k);
    this.goTo(k);
  }

  /** Moves the camera so that it shows all robots and props, or the structures of a world without them. */
  frameAll() {
    const { scene, frame } = this.world;
    if (!frame || !this.robots) return;
    const robots = frame.robots.map(({ links }, k) => ({ p: links[0].p, radius: scene.robots[k].size }));
    const structures = (this.world.status?.structures ?? []).map(({ p }) => ({ p, radius: 2 }));
    const all = robots.length ? robots : structures;
    if (!all.length) return;
    if (this.camera.mode !== "map") this.setCamera("orbit");
    this.camera.frameAll(all, this.overlays.free);
  }

  /** Moves the camera to a robot. */
  goTo(k) {
    const { frame } = this.world;
    // an added robot has no state yet
    if (!frame) {
      this.awaitedRobot = k;
      return;
    }
    const robot = frame.robots[k];
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
    $("frame-all").onclick = () => this.frameAll();
    const groups = this.keys();
    this.actions = Object.fromEntries(groups.flatMap(([, rows]) => rows).map(([code, , , act]) => [code, act]));
    delete this.actions.null;
    this.showHelp = createHelp($("help"), groups.map(([title, rows]) => [title, rows.map(([, key, text]) => [key, text])]));
    $("show-help").onclick = () => this.showHelp();
    const name = () => `${fileName(this.world.scene?.name ?? "merrow")}_${this.world.time.toFixed(2)}s`;
    this.capture = new Capture([$("scene"), $("labels")], name, $("video"));
    $("screenshot").onclick = () => this.capture.takeImage();
    $("video").onclick = () => this.capture.toggleVideo();
    bindMenus();
  }

  /** Lists the bundled worlds; a click opens one. */
  showWorlds(names) {
    const items = names.map((name) => {
      const button = element("button", name);
      button.dataset.world = name;
      button.onclick = () => this.openWorld(name);
      const item = element("li");
      item.append(button);
      return item;
    });
    $("worlds").replaceChildren(...items);
    $("worlds-hint").textContent = names.length ? "Opening a world ends the present one." : "This run can open no other world.";
    $("world-filter").oninput = () => {
      const wanted = $("world-filter").value.trim().toLowerCase();
      for (const item of items) item.hidden = !item.textContent.includes(wanted);
    };
  }

  async openWorld(name) {
    $("world-menu").open = false;
    showBanner(`Opening ${name} …`, "loading");
    const answer = await this.request({ do: "open", world: name });
    if (showRefusal(answer)) showEvent(answer.text);
    else if (this.isLive) showBanner("");
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
      if (key === "clear") this.look.showClear(on);
      this.requestReadings();
    });
    $("drive").onclick = () => this.toggleDrive();
    $("gain").oninput = (event) => (this.drive.gain = event.target.valueAsNumber / 100);
    $("gamepad").onclick = () => this.toggleGamepad();
    $("mode").onchange = () => this.setMode();
    bindTabs((id) => {
      if (id === "edit-panel") this.editor.open();
      if (id === "fault-panel") this.faults.open();
      log.show();
      this.sensors.watch();
      this.network.watch();
      this.requestReadings();
    });
    $("drive-target").onchange = () => {
      const [isDriven, hasGamepad] = [this.drive.robot, this.gamepad.robot].map(Boolean);
      this.drive.start(null);
      this.gamepad.start(null);
      if (isDriven) this.startDrive(this.selectedRobot());
      if (hasGamepad) this.startGamepad(this.selectedRobot());
      this.updateControls();
    };
    fetchJson("/catalogue").then(({ worlds }) => this.showWorlds(worlds));
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

  /** Returns whether keys and sticks command the actuators of a robot, not its velocity or wrench. */
  isDirect(robot) {
    const hasJoints = robot.actuators.some(({ joint }) => joint);
    return !robot.drive || (hasJoints && $("drive-target").value === "joints");
  }

  canDrive(robot) {
    return Boolean(robot && (robot.drive || robot.actuators.length));
  }

  /** Starts the direct control of the keyboard (0) or of the gamepad (1); null without one. */
  startDirect(robot, k) {
    if (!this.isDirect(robot)) return null;
    this.directs[k].start(robot, Boolean(robot.drive));
    return this.directs[k];
  }

  startDrive(robot) {
    if (this.canDrive(robot)) this.drive.start(robot.name, this.startDirect(robot, 0));
  }

  startGamepad(robot) {
    if (!this.canDrive(robot) && !robot?.gamepad) return;
    this.startDirect(robot, 1);
    this.gamepad.start(robot);
  }

  toggleDrive() {
    if (this.drive.robot) this.drive.start(null);
    else this.startDrive(this.selectedRobot());
    this.updateControls();
  }

  toggleGamepad() {
    if (this.gamepad.robot) this.gamepad.start(null);
    else this.startGamepad(this.selectedRobot());
    this.updateControls();
  }

  /** Sends sticks and buttons to the topic for gamepads, or the sticks as drive command. */
  sendGamepad(robot, joy) {
    const { axes, buttons } = joy;
    if (this.isDirect(robot)) {
      this.directs[1].move(stickDeflections(joy), this.drive.gain);
      return;
    }
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
    const can = this.canDrive(robot);
    $("drive").disabled = !can;
    $("drive").setAttribute("aria-pressed", String(Boolean(this.drive.robot)));
    $("drive-hint").textContent = this.driveHint(robot);
    $("drive-target-row").hidden = !(robot?.drive && robot.actuators.some(({ joint }) => joint));
    $("gamepad").disabled = !can && !robot?.gamepad;
    $("gamepad").setAttribute("aria-pressed", String(Boolean(this.gamepad.robot)));
    this.showModes(robot?.modes ?? []);
  }

  /** Offers the modes of the selected robot; the status selects the current one. */
  showModes(modes) {
    const list = $("mode");
    list.disabled = !modes.length;
    if (modes.join() === [...list.options].map(({ value }) => value).join()) return;
    list.replaceChildren(...modes.map((mode) => new Option(mode.replaceAll("_", " "), mode)));
    list.value = this.world.status?.robots[this.selected]?.mode ?? "";
  }

  driveHint(robot) {
    if (!robot) return "";
    if (!this.canDrive(robot)) return "This robot has no device that can be commanded.";
    if (this.drive.direct) return this.drive.direct.hint();
    if (this.drive.robot) return "W S forward, A D sideways, ↑ ↓ up and down, ← → turn. Escape ends.";
    return this.isDirect(robot) ? "Commands the actuators" : `Commands ${robot.drive}`;
  }

  saveCsv() {
    download(new Blob([this.plot.csv()], { type: "text/csv" }), "merrow.csv");
  }

  /** Lists the keys in groups: title, and rows of code, text for the user, function, and action. */
  keys() {
    const { editor, route, camera, look } = this;
    return [
      ["Run", [
        ["Space", "Space", "pause, resume", () => this.togglePause()],
        ["Period", ".", "make the entered number of steps", () => this.step()],
      ]],
      ["Camera", [
        ["Digit1", "1", "free camera", () => this.setCamera("orbit")],
        ["Digit2", "2", "follow the selected robot", () => this.setCamera("follow")],
        ["Digit3", "3", "first person", () => this.setCamera("first")],
        ["Digit4", "4", "map", () => this.setCamera("map")],
        ["Home", "Home", "move to the selected robot", () => this.goTo(Math.max(this.selected, 0))],
        ["KeyF", "F", "show all objects", () => this.frameAll()],
        ["Equal", "+", "closer", () => camera.zoom(0.85)],
        ["Minus", "-", "farther", () => camera.zoom(1.18)],
        [null, "arrows, with Shift", "turn the camera, move it"],
      ]],
      ["Image", [
        ["KeyC", "C", "clear water", () => look.switchClear()],
        ["KeyV", "V", "darker", () => look.expose(look.exposure - EXPOSURE_STEP)],
        ["KeyB", "B", "brighter", () => look.expose(look.exposure + EXPOSURE_STEP)],
      ]],
      ["Control", [
        ["KeyK", "K", "keyboard control", () => this.toggleDrive()],
        [null, "W A S D, arrows", "move the robot, or its actuators, while the keyboard controls it"],
        ["KeyP", "P", "set a goal", () => route.toggle("goal")],
        ["KeyG", "G", "add waypoints", () => route.toggle("path")],
        ["Backspace", "Backspace", "remove the newest waypoint", () => route.clicking === "path" && route.removeLast()],
        ["Enter", "Enter", "click on the centre of the image", () => this.clickCentre()],
        ["Escape", "Escape", "end or close", () => this.escape()],
      ]],
      ["Edit", [
        ["KeyE", "E", "edit the world", () => this.toggleEditor()],
        ["KeyM", "M", "axes that move the object", () => editor.setMode("move")],
        ["KeyT", "T", "rings that turn the object", () => editor.setMode("turn")],
        ["Delete", "Delete", "remove the object", () => editor.isOpen && editor.remove()],
        [null, "Ctrl+D", "add a copy of the object"],
        [null, "Ctrl+Z, Ctrl+Y", "undo, redo"],
      ]],
      ["Page", [
        ["BracketLeft", "[", "panels of the world", () => this.layout.toggle("left")],
        ["BracketRight", "]", "panels of the robot", () => this.layout.toggle("right")],
        [null, "?", "this help"],
      ]],
    ];
  }

  escape() {
    if (closeMenu() || this.sensors.reduce()) return;
    this.drive.start(null);
    this.gamepad.start(null);
    this.editor.cancel();
    this.route.cancel();
    this.updateControls();
  }

  /** Handles a key of the editor with Control; returns true if it is one. */
  editKey(event) {
    const isAgain = event.code === "KeyY" || (event.code === "KeyZ" && event.shiftKey);
    const actions = {
      KeyZ: () => this.editor.undo(isAgain),
      KeyY: () => this.editor.undo(true),
      KeyD: () => this.editor.duplicate(),
    };
    const action = this.editor.isOpen ? actions[event.code] : undefined;
    action?.();
    return Boolean(action);
  }

  key(event, down) {
    const field = event.target.closest?.("input, select, textarea");
    // menus and enlarged images close also from their fields
    const isClosing = down && event.code === "Escape" && field;
    if (isClosing && (closeMenu() || this.sensors.reduce())) return;
    if (event.ctrlKey || event.metaKey || event.altKey) {
      if (down && !field && !event.altKey && this.editKey(event)) event.preventDefault();
      return;
    }
    if (!down || !field) {
      if (this.drive.key(event.code, down)) {
        event.preventDefault();
        return;
      }
    }
    if (!down || field) return;
    if (event.key === "?" || ($("help").open && event.code === "Escape")) {
      event.preventDefault();
      this.showHelp();
      return;
    }
    if ($("help").open) return;
    const isButton = event.target.closest?.("button, summary");
    const { timeline } = this;
    const recorded = {
      ArrowLeft: () => timeline.step(-1, event.shiftKey),
      ArrowRight: () => timeline.step(1, event.shiftKey),
    };
    const actions = { ...this.actions, ...this.cameraKeys(event.shiftKey) };
    const isLive = LIVE_KEYS.includes(event.code);
    const action = timeline.isRecording && isLive ? undefined : actions[event.code];
    const own = (timeline.isRecording && recorded[event.code]) || action;
    if (!own || (isButton && ["Space", "Enter"].includes(event.code))) return;
    event.preventDefault();
    own();
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

  showPointer(x, y) {
    const p = this.camera.mode === "map" || this.route.clicking ? this.route.pointAt(x, y) : null;
    $("pointer").textContent = p ? this.pointerText(p) : "";
    $("pointer").hidden = !p;
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
    if (robot >= 0) this.selectFromImage(robot);
    else if (structure && this.editor.isOpen) this.selectStructure(structure);
    else {
      const near = this.overlays.pick(this.robots, x, y);
      if (near >= 0) this.selectFromImage(near);
    }
  }

  /** Selects a robot in the image; the map and the image of the editor stay where they are. */
  selectFromImage(k) {
    if (this.camera.mode === "map" || this.editor.isOpen) this.select(k);
    else this.selectAndFrame(k);
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
    this.world.added = this.editor.marker && { name: this.editor.model, p: this.editor.marker };
    const robots = this.world.update(performance.now());
    this.robots = robots;
    const robot = robots[this.selected];
    if (robot) robot.eye = this.world.eye(this.selected, robots);
    this.camera.hidden = this.camera.mode === "first" && robot?.eye.hides ? this.selected : undefined;
    this.camera.update(width, height, robot, dt);
    const { shown } = this.overlays;
    this.renderer.draw(this.world, robots, this.camera, {
      selected: this.selected,
      water: shown.water,
      depths: shown.depths,
      detail: this.detail,
      shadows: shown.shadows,
      clear: shown.clear,
      exposure: this.look.exposure,
    });
    if (this.detail || this.images % 2 === 0) {
      this.overlays.aims = Boolean(this.route.clicking || this.editor.model);
      this.overlays.draw(this.world, robots, this.camera, this.selected, devicePixelRatio);
      this.editor.draw(this.overlays, this.camera);
      this.push.draw(this.overlays);
    }
    this.plot.draw(this.world.time);
    this.statusLine.image(now);
    document.body.classList.remove("loading");
    this.capture.drawn();
    this.images++;
    this.look.update(robots);
    this.adapt(elapsed);
  }
}

try {
  window.merrow = new App();
} catch (error) {
  document.body.append(`The view cannot start: ${error.message}`);
  throw error;
}
