// Network of modems: table of links, schedule trace, delivery and delay over distance.

import { element } from "./panels.js";
import { isOpen } from "./tabs.js";

const $ = (id) => document.getElementById(id);
/** Activities in the order of their numbers: colour and height of their bars relative to a row. */
const ACTIVITIES = [
  ["off", "--soft", 0.12],
  ["idle", "--line", 0.06],
  ["wait", "--wait", 0.3],
  ["receive", "--good", 0.55],
  ["collide", "--bad", 1],
  ["transmit", "--accent", 0.8],
];
/** Duration of the schedule trace [s]. */
const WINDOW_S = 60;
const MAX_LINKS = 40;
const MAX_ROWS = 24;
const ROW = 17;
const LABEL = 92;
/** Number of bins of the distance. */
const BINS = 8;
const COLORS = ["--accent", "--wait", "--good", "--bad", "--soft"];

/** Returns for each modem the number of its network: links connect the modems of a network. */
export function networksOf(count, links) {
  const first = Array.from({ length: count }, (_, k) => k);
  for (const [from, to] of links) {
    const [kept, replaced] = [first[from], first[to]].sort((a, b) => a - b);
    for (let k = 0; k < count; k++) if (first[k] === replaced) first[k] = kept;
  }
  const linked = new Set(links.flatMap(([from, to]) => [from, to]));
  const used = [...new Set(first.filter((_, k) => linked.has(k)))].sort((a, b) => a - b);
  return first.map((k) => used.indexOf(k));
}

/** Sorts frames [from, to, distance, delay] into bins of equal width up to `end`. */
export function binsOf(frames, end) {
  const bins = Array.from({ length: BINS }, () => ({ frames: 0, received: 0 }));
  for (const [, , distance, delay] of frames) {
    const bin = bins[Math.min(BINS - 1, Math.floor((BINS * distance) / end))];
    bin.frames++;
    if (delay !== null) bin.received++;
  }
  return bins;
}

/** Returns a delay with its unit. */
function duration(s) {
  if (s < 1e-3) return `${(1e6 * s).toFixed(0)} µs`;
  return s < 1 ? `${(1e3 * s).toFixed(0)} ms` : `${s.toFixed(2)} s`;
}

/** Fits a canvas to its size in the page and returns its context, width and height. */
function prepare(canvas) {
  const scale = devicePixelRatio;
  const { clientWidth: w, clientHeight: h } = canvas;
  const size = [w, h].map((x) => Math.round(x * scale));
  if (canvas.width !== size[0] || canvas.height !== size[1]) [canvas.width, canvas.height] = size;
  const c = canvas.getContext("2d");
  c.setTransform(scale, 0, 0, scale, 0, 0);
  c.clearRect(0, 0, w, h);
  c.font = "11px system-ui, sans-serif";
  return [c, w, h];
}

/** Panel of the network. The server sends its data while the panel is open. */
export class Network {
  constructor(request) {
    this.request = request;
    this.modems = [];
    this.links = [];
    this.data = null;
    this.robot = null;
    this.watched = false;
    this.legend();
    document.addEventListener("visibilitychange", () => this.watch());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }

  legend() {
    const items = ACTIVITIES.map(([name, color]) => {
      const item = element("li");
      const swatch = element("i");
      swatch.style.background = `var(${color})`;
      item.append(swatch, name);
      return item;
    });
    $("network-legend").replaceChildren(...items);
  }

  /** Shows the modems of a scene. */
  setScene(scene) {
    this.modems = scene.modems;
    this.links = [];
    this.data = null;
    this.draw();
  }

  /** Marks the modems of the robot with this index, which come first. */
  select(robot) {
    this.robot = robot;
    this.draw();
  }

  setLinks(links) {
    this.links = links;
    this.draw();
  }

  receive(message) {
    this.data = message;
    this.draw();
  }

  /** Requests the data again after the connection was lost. */
  connected() {
    this.watched = false;
    this.watch();
  }

  /** Requests the data while the panel is open and visible. */
  async watch() {
    const on = isOpen("network-panel") && !document.hidden;
    if (on) this.draw();
    if (on === this.watched) return;
    this.watched = on;
    await this.request({ do: "network", on });
  }

  isOwn(modem) {
    return this.modems[modem].robot === this.robot;
  }

  draw() {
    if (!isOpen("network-panel")) return;
    const hasModems = this.modems.length > 0;
    $("network-content").hidden = !hasModems;
    $("network-hint").textContent = hasModems ? "" : "This world has no modems.";
    if (!hasModems) return;
    const style = getComputedStyle(document.documentElement);
    this.color = (name) => style.getPropertyValue(name);
    this.showLinks();
    this.drawSchedule();
    this.drawDistances();
  }

  showLinks() {
    const known = this.links.filter(([from, to]) => this.modems[from] && this.modems[to]);
    const isOwn = ([from, to]) => this.isOwn(from) || this.isOwn(to);
    const sorted = [...known.filter(isOwn), ...known.filter((link) => !isOwn(link))];
    const time = this.data?.time_s;
    const rows = sorted.slice(0, MAX_LINKS).map(([from, to, frames, received, snr, delay, airtime, randomLosses]) => {
      const row = element("tr");
      const load = time > 0 ? `${((100 * airtime) / time).toFixed(1)} %` : "–";
      const numbers = [
        snr === null ? "–" : snr.toFixed(1),
        duration(delay),
        `${((100 * received) / frames).toFixed(0)} %`,
        String(randomLosses),
        load,
      ];
      row.append(element("td", this.modems[from].name), element("td", this.modems[to].name));
      row.append(...numbers.map((text) => element("td", text, "n")));
      row.title = `${received} of ${frames} frames received`;
      return row;
    });
    $("network-links").replaceChildren(...rows);
    const more = sorted.length - rows.length;
    $("network-more").textContent = !rows.length
      ? "No frame has ended yet."
      : more > 0
        ? `and ${more} more links`
        : "";
  }

  /** Draws one row per modem with its activities over the last minute. */
  drawSchedule() {
    const all = this.modems.map((_, k) => k);
    const order = [...all.filter((k) => this.isOwn(k)), ...all.filter((k) => !this.isOwn(k))];
    const rows = order.slice(0, MAX_ROWS);
    $("network-rows").textContent = order.length > rows.length ? `The first ${MAX_ROWS} of ${order.length} modems.` : "";
    const canvas = $("network-schedule");
    canvas.style.height = `${rows.length * ROW + 18}px`;
    const [c, w, h] = prepare(canvas);
    if (!w) return;
    const end = this.data?.time_s ?? 0;
    const x = (t) => LABEL + ((w - LABEL - 4) * (t - end + WINDOW_S)) / WINDOW_S;
    const rowOf = new Map(rows.map((modem, k) => [modem, k]));
    const bar = (row, activity, from, to) => {
      const [, color, height] = ACTIVITIES[activity];
      const left = Math.max(x(from), LABEL);
      c.fillStyle = this.color(color);
      c.fillRect(left, ROW * (row + 0.5 - 0.42 * height), Math.max(x(to) - left, 0.8), 0.84 * ROW * height);
    };
    for (const [modem, row] of rowOf) {
      c.fillStyle = this.color("--text");
      c.fillText(this.fit(c, this.modems[modem].name, LABEL - 6), 0, ROW * (row + 0.5) + 4);
      // idle, as far as the trace is complete
      bar(row, 1, this.data?.since_s ?? end, end);
    }
    for (const [modem, activity, from, to] of this.data?.intervals ?? []) {
      if (rowOf.has(modem) && to > end - WINDOW_S) bar(rowOf.get(modem), activity, from, to);
    }
    c.fillStyle = this.color("--soft");
    for (const [t, align] of [[end - WINDOW_S, "left"], [end, "right"]]) {
      c.textAlign = align;
      if (t >= 0) c.fillText(`${t.toFixed(1)} s`, x(t), h - 4);
    }
    c.textAlign = "left";
  }

  /** Returns a text that is cut to a width [px]. */
  fit(c, text, width) {
    let shown = text;
    while (c.measureText(shown).width > width && shown.length > 2) shown = `${shown.slice(0, -2)}…`;
    return shown;
  }

  /** Draws the received fraction and the delay over the distance, with one colour per network. */
  drawDistances() {
    const [c, w, h] = prepare($("network-distance"));
    const frames = (this.data?.frames ?? []).filter(([from, to]) => this.modems[from] && this.modems[to]);
    const networks = networksOf(this.modems.length, frames);
    const used = [...new Set(frames.map(([from]) => networks[from]))].sort((a, b) => a - b);
    this.showNetworks(networks, used);
    if (!w || !frames.length) return;
    const end = niceEnd(Math.max(...frames.map((frame) => frame[2]), 1));
    const slowest = niceEnd(Math.max(...frames.map((frame) => frame[3] ?? 0), 1e-3));
    const left = 46;
    const x = (d) => left + ((w - left - 6) * d) / end;
    const half = (h - 20) / 2;
    const panels = [[14, half - 4, 100, "received [%]"], [half + 18, h - 20, slowest, "delay [s]"]];
    const y = panels.map(([top, bottom, high]) => (v) => bottom - ((bottom - top) * v) / high);
    panels.forEach(([top, bottom, high, label], k) => {
      c.strokeStyle = this.color("--line");
      c.strokeRect(left, top, w - left - 6, bottom - top);
      c.fillStyle = this.color("--soft");
      c.textAlign = "left";
      c.fillText(label, left, top - 3);
      c.textAlign = "right";
      for (const v of [0, high]) c.fillText(`${v}`, left - 4, y[k](v) + 4);
    });
    c.textAlign = "center";
    for (const part of [0, 0.5, 1]) c.fillText(`${end * part} m`, Math.min(x(end * part), w - 18), h - 5);
    for (const network of used) {
      const own = frames.filter(([from]) => networks[from] === network);
      c.fillStyle = this.color(COLORS[network % COLORS.length]);
      binsOf(own, end).forEach((bin, k) => {
        if (!bin.frames) return;
        const at = y[0]((100 * bin.received) / bin.frames);
        c.fillRect(x((end * k) / BINS) + 2, at - 1.5, x(end / BINS) - x(0) - 4, 3);
      });
      for (const [, , distance, delay] of own) {
        if (delay !== null) c.fillRect(x(distance) - 1.5, y[1](delay) - 1.5, 3, 3);
      }
    }
    c.textAlign = "left";
  }

  /** Shows the first modem of each network, if there are several. */
  showNetworks(networks, used) {
    const items = used.map((network) => {
      const item = element("li");
      const swatch = element("i");
      swatch.style.background = `var(${COLORS[network % COLORS.length]})`;
      item.append(swatch, `network of ${this.modems[networks.indexOf(network)].name}`);
      return item;
    });
    $("network-names").replaceChildren(...(items.length > 1 ? items : []));
  }
}

/** Returns the smallest round number that is at least x. */
function niceEnd(x) {
  const power = 10 ** Math.floor(Math.log10(x));
  const factor = [1, 2, 5, 10].find((f) => f * power >= x) ?? 10;
  return Number((factor * power).toPrecision(1));
}
