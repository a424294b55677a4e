// Panels: list of robots, details of the selected robot, environment, events and status.

const $ = (id) => document.getElementById(id);

/** Parameters of the environment: name, label, unit, minimum, maximum, step, and usual range of the slider. */
const PARAMETERS = [
  ["water.current.speed_m_s", "Current", "m/s", 0, 20, 0.05, [0, 3]],
  ["water.current.direction_deg", "Current towards", "deg", 0, 360, 5, [0, 360]],
  ["water.waves.hs_m", "Wave height Hs", "m", 0, 30, 0.1, [0, 6]],
  ["water.waves.tp_s", "Wave period Tp", "s", 0, 100, 0.5, [1, 20]],
  ["water.waves.direction_deg", "Waves towards", "deg", 0, 360, 5, [0, 360]],
  ["weather.wind_speed_m_s", "Wind", "m/s", 0, 100, 0.5, [0, 30]],
  ["weather.wind_from_deg", "Wind from", "deg", 0, 360, 5, [0, 360]],
  ["weather.gustiness", "Gusts", "", 0, 10, 0.1, [0, 3]],
  ["weather.time_of_day_h", "Time of day (UTC)", "h", 0, 24, 0.5, [0, 24]],
  ["weather.cloud_cover", "Cloud cover", "", 0, 1, 0.1, [0, 1]],
  ["weather.visibility_m", "Visibility", "m", 1, 100000, 500, [100, 20000]],
  ["weather.rain_mm_h", "Rain", "mm/h", 0, 500, 1, [0, 100]],
  ["weather.temperature_c", "Air", "°C", -60, 60, 1, [-20, 45]],
];
/** Time between two changes by a slider, and time for which the fields keep the value of the user [ms]. */
const [SLIDER_MS, HOLD_MS] = [100, 700];
const EVENT_MS = 6000;
/** Number of events that are shown at a time; the panel Events has all. */
const MAX_EVENTS = 2;

export function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

/** Log that keeps all events: `add(text, level, time)`; `show()` is called when its panel opens. */
export const log = { add: () => {}, show: () => {} };

/** Shown events: line, text, number of repetitions and timer. */
let toasts = [];

/** Shows an event for some seconds and adds it to the log, with the simulated time [s] if it has one. An event that is
 * shown already is counted; a rejection that names its robot replaces the same reason without it. */
export function showEvent(text, level = "info", time = NaN) {
  log.add(text, level, time);
  let toast = toasts.find((own) => own.text.endsWith(text) || text.endsWith(own.text));
  if (!toast) {
    toast = { line: element("div"), text: "", count: 0 };
    toasts.push(toast);
    $("events").append(toast.line);
  }
  toast.count++;
  if (text.length > toast.text.length) toast.text = text;
  toast.line.className = `event ${level}`;
  toast.line.replaceChildren(toast.text);
  if (toast.count > 1) toast.line.append(element("b", `× ${toast.count}`));
  clearTimeout(toast.timer);
  const own = toast;
  toast.timer = setTimeout(() => removeToast(own), EVENT_MS);
  while (toasts.length > MAX_EVENTS) removeToast(toasts[0]);
}

function removeToast(toast) {
  clearTimeout(toast.timer);
  toast.line.remove();
  toasts = toasts.filter((own) => own !== toast);
}

/** Shows a text above the image until the next one; an empty text hides it. */
export function showBanner(text, className = "") {
  const banner = $("banner");
  banner.textContent = text;
  banner.className = className;
  banner.hidden = !text;
}

/** Shows the reason of a refused request. */
export function showRefusal(answer) {
  if (!answer.ok) showEvent(answer.error, "warning");
  return answer.ok;
}

export class RobotList {
  constructor(select, frame) {
    this.select = select;
    this.frame = frame;
  }

  /** Shows the robots, then the structures; `chosen(name)` selects a structure. */
  set(scene, chosen) {
    const items = scene.robots.map((robot, k) => {
      const button = element("button");
      button.append(element("span", robot.name), element("small", robot.model));
      button.onclick = () => this.select(k);
      button.ondblclick = () => this.frame(k);
      button.title = "Double-click moves the camera to the robot";
      const item = element("li");
      item.append(button);
      return item;
    });
    $("robots").replaceChildren(...items);
    this.buttons = items.map((item) => item.firstChild);
    const structures = scene.structures.map(({ name }) => {
      const button = element("button");
      button.append(element("span", name), element("small", "structure"));
      button.onclick = () => chosen(name);
      button.dataset.structure = name;
      const item = element("li");
      item.append(button);
      return item;
    });
    $("structures").replaceChildren(...structures);
    this.structures = structures.map((item) => item.firstChild);
  }

  mark(selected, structure) {
    const press = (button, is) => button.setAttribute("aria-pressed", String(is));
    this.buttons?.forEach((button, k) => press(button, k === selected && !structure));
    this.structures?.forEach((button) => press(button, button.dataset.structure === structure));
  }
}

/** Details of the selected robot: one row per field, thrusters with a gauge of their thrust. */
export class Details {
  show(robot) {
    $("robot-name").textContent = robot ? robot.name : "No robot selected";
    this.cells = new Map();
    this.peak = new Map();
    const table = element("table");
    let section = null;
    for (const { name, unit } of robot?.fields ?? []) {
      const own = sectionOf(name);
      if (own !== section) {
        section = own;
        const row = element("tr");
        const head = element("th", own);
        head.colSpan = 4;
        row.append(head);
        table.append(row);
      }
      const row = element("tr");
      const gauge = element("td", undefined, "bar-cell");
      const value = element("td", "–", "n");
      row.append(element("td", labelOf(name)), gauge, value, element("td", unit, "u"));
      let fill = null;
      if (name.endsWith(".thrust")) {
        const bar = element("div", undefined, "gauge");
        fill = element("i");
        bar.append(fill);
        gauge.append(bar);
      }
      table.append(row);
      this.cells.set(name, { value, fill });
    }
    this.rateCells = [];
    const sensors = robot?.sensors ?? [];
    if (sensors.length) {
      const head = element("th", "Sensors: rate, nominal rate");
      head.colSpan = 4;
      const row = element("tr");
      row.append(head);
      table.append(row);
    }
    for (const { name, rate_hz: nominal } of sensors) {
      const row = element("tr");
      const value = element("td", "–", "n");
      const rate = Number(nominal.toPrecision(4));
      row.append(element("td", name), element("td", ""), value, element("td", `/ ${rate} Hz`, "u wide"));
      table.append(row);
      this.rateCells.push(value);
    }
    $("details").replaceChildren(table);
    $("robot-state").replaceChildren();
  }

  update(robot, values) {
    robot.fields.forEach(({ name }, k) => {
      const cell = this.cells.get(name);
      if (!cell) return;
      const x = values[k];
      cell.value.textContent = formatNumber(x);
      if (cell.fill) {
        const peak = Math.max(this.peak.get("thrust") ?? 1, Math.abs(x));
        this.peak.set("thrust", peak);
        const half = (50 * Math.abs(x)) / peak;
        cell.fill.style.left = `${x < 0 ? 50 - half : 50}%`;
        cell.fill.style.width = `${half}%`;
      }
    });
  }

  /** Shows the rates of the sensors [Hz]. */
  rates(rates) {
    rates.forEach((rate, k) => {
      if (this.rateCells[k]) this.rateCells[k].textContent = formatNumber(rate);
    });
  }

  /** Shows mode, a halt and the faults; with `isComplete` also that there are no faults. */
  status(state, isComplete) {
    const chips = [];
    if (state?.mode) chips.push(element("span", `mode: ${readable(state.mode)}`, "chip"));
    if (state?.halted) chips.push(element("span", `halted: ${readable(state.halted)} is not finite`, "chip bad"));
    for (const fault of state?.faults ?? []) chips.push(element("span", readable(fault), "chip bad"));
    if (isComplete && state && !state.halted && !state.faults.length) chips.push(element("span", "no faults", "chip"));
    $("robot-state").replaceChildren(...chips);
  }
}

/** Returns the name of a mode or of a device as words, such as `thruster t1` of `thrusters/t1`. */
export function readable(name) {
  const ends = { ies: "y", ches: "ch", s: "" };
  return name.replace(/^(\w+?)(ies|ches|s)\//, (_, stem, end) => `${stem}${ends[end]} `).replaceAll("_", " ");
}

function sectionOf(name) {
  const first = name.split(".")[0];
  const known = {
    position: "Pose", roll: "Pose", pitch: "Pose", yaw: "Pose", heading: "Pose",
    velocity: "Velocity", speed: "Velocity", angular_velocity: "Velocity",
    battery: "Battery", thruster: "Thrusters", load: "Power", fin: "Fins", joint: "Joints",
    buoyancy_engine: "Buoyancy engines",
  };
  return known[first] ?? "Other";
}

function labelOf(name) {
  const words = name.split(".");
  if (words.length === 3) return `${words[1]} ${words[2]}`;
  if (words[0] === "angular_velocity") return `angular ${words[1]}`;
  return words.join(" ");
}

function formatNumber(x) {
  if (!Number.isFinite(x)) return "–";
  const digits = Math.abs(x) >= 1000 ? 0 : Math.abs(x) >= 100 ? 1 : Math.abs(x) >= 10 ? 2 : 3;
  return x.toFixed(digits).replace(/^-(0\.?0*)$/, "$1");
}

/** Form with the parameters of the environment: a field and a slider each. */
export class Environment {
  constructor(set) {
    const form = $("parameters");
    this.set = set;
    /** Field and slider of each parameter, and the time until which they keep the value of the user [ms]. */
    this.inputs = new Map();
    /** Values of sliders that are not sent yet, by parameter. */
    this.waiting = new Map();
    for (const parameter of PARAMETERS) this.add(form, parameter);
    this.error = element("output");
    this.error.setAttribute("role", "alert");
    form.append(this.error);
    form.onsubmit = (event) => event.preventDefault();
    setInterval(() => this.flush(), SLIDER_MS);
  }

  add(form, [name, label, unit, min, max, step, [low, high]]) {
    const input = element("input");
    Object.assign(input, { type: "number", min, max, step: "any", id: name, value: 0 });
    const slider = element("input");
    Object.assign(slider, { type: "range", min: low, max: high, step: "any", value: low });
    slider.dataset.parameter = name;
    slider.setAttribute("aria-label", label);
    const own = { input, slider, held: 0 };
    input.onkeydown = (event) => {
      const sign = { ArrowUp: 1, ArrowDown: -1 }[event.key];
      if (!sign) return;
      event.preventDefault();
      input.value = Number((Number(input.value) + sign * step).toFixed(4));
      input.onchange();
    };
    input.onchange = () => {
      const x = input.valueAsNumber;
      if (!input.checkValidity() || !Number.isFinite(x)) {
        this.error.textContent = `${label}: expected ${min} to ${max}`;
        return;
      }
      this.send(name, x);
    };
    slider.oninput = () => {
      // a tenth of the step of the keys is fine enough
      const x = Number((Math.round((10 * slider.valueAsNumber) / step) * (step / 10)).toFixed(4));
      own.held = performance.now() + HOLD_MS;
      input.value = x;
      this.waiting.set(name, Math.min(Math.max(x, min), max));
    };
    const text = element("label", unit ? `${label} [${unit}]` : label);
    text.htmlFor = name;
    form.append(text, input, slider);
    this.inputs.set(name, own);
  }

  async send(name, x) {
    this.error.textContent = "";
    const answer = await this.set(name, x);
    if (!answer.ok) this.error.textContent = answer.error;
  }

  flush() {
    for (const [name, x] of this.waiting) this.send(name, x);
    this.waiting.clear();
  }

  update(status, time) {
    for (const [name, { input, slider, held }] of this.inputs) {
      if (performance.now() < held) continue;
      const day = (((status.utc_s + time) % 86400) + 86400) % 86400;
      const x = name === "weather.time_of_day_h" ? day / 3600 : status[name];
      if (document.activeElement !== input) input.value = Number(x.toFixed(3));
      slider.value = x;
    }
  }
}

/** Status line at the bottom, and the buttons of the run. */
export class StatusLine {
  constructor() {
    this.history = [];
    this.images = [];
  }

  frame(frame) {
    $("time").textContent = `${frame.time.toFixed(2)} s`;
    $("wall").textContent = `${frame.wall.toFixed(1)} s`;
    $("step-count").textContent = frame.step;
    $("overruns").textContent = frame.overruns;
    $("rejected").textContent = frame.rejected;
    const last = this.history.at(-1);
    if (last && frame.time < last.time) this.history = [];
    this.history.push(frame);
    while (this.history.length > 2 && frame.wall - this.history[0].wall > 1.5) this.history.shift();
    const first = this.history[0];
    if (frame.wall - first.wall > 0.3) {
      $("rtf").textContent = ((frame.time - first.time) / (frame.wall - first.wall)).toFixed(2);
    }
    const pause = $("pause");
    pause.textContent = frame.paused ? "Resume" : "Pause";
    pause.setAttribute("aria-pressed", String(frame.paused));
    $("step").disabled = !frame.paused;
  }

  status(status) {
    $("load").textContent = `${status.load_cores.toFixed(2)} cores`;
  }

  /** Counts a drawn image. Its rate is the number of intervals over their duration in the last second, or of one
   * longer interval. */
  image(now) {
    this.images.push(now);
    while (this.images.length > 2 && now - this.images[0] > 1000) this.images.shift();
    const duration = now - this.images[0];
    if (now - (this.shownAt ?? 0) < 250 || duration <= 0) return;
    this.shownAt = now;
    const rate = (1000 * (this.images.length - 1)) / duration;
    $("fps").textContent = `${rate < 9.95 ? rate.toFixed(1) : rate.toFixed(0)} /s`;
  }

  /** Removes the numbers of another world. */
  clear() {
    this.history = [];
    for (const id of ["time", "wall", "step-count", "overruns", "rejected", "rtf", "load"]) $(id).textContent = "–";
  }

  pace(pace) {
    const select = $("pace");
    if (![...select.options].some((option) => option.value === pace)) {
      const option = element("option", pace);
      option.value = pace;
      select.append(option);
    }
    select.value = pace;
  }
}
