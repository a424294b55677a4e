// Plot of numeric fields of robots and topics over simulated time, with export as CSV.

import { showEvent } from "./panels.js";

const COLORS = ["#0077b6", "#d1495b", "#2a9d5c", "#c77d0a", "#7b4fb5", "#159a9c"];
const MAX_SAMPLES = 40000;

const LEFT = 46;
/** Limits of the shown duration [s]. */
const DURATION = [0.2, 3600];

export class Plot {
  constructor(canvas, legend) {
    this.canvas = canvas;
    this.legend = legend;
    this.series = [];
    this.window = 30;
    /** Shown times [s] while the plot does not follow the newest samples. */
    this.range = null;
    this.now = 0;
    /** Called when the plotted robots or topics have changed. */
    this.changed = () => {};
    this.bind();
  }

  /** Names of the plotted robots. */
  get robots() {
    return [...new Set(this.series.filter((s) => !s.isTopic).map((s) => s.source))];
  }

  /** Plotted topics with their fields. */
  get topics() {
    const own = this.series.filter((s) => s.isTopic);
    return [...new Set(own.map((s) => s.source))].map((topic) => {
      return { topic, fields: own.filter((s) => s.source === topic).map((s) => s.name) };
    });
  }

  /** First and last shown time [s]. */
  get shown() {
    return this.range ?? [this.now - this.window, this.now];
  }

  /** The wheel zooms about the pointer, dragging moves the shown times, a double click follows the newest samples. */
  bind() {
    const fraction = (event) => (event.offsetX - LEFT) / Math.max(this.canvas.clientWidth - LEFT - 4, 1);
    this.canvas.onwheel = (event) => {
      event.preventDefault();
      this.zoom(event.deltaY > 0 ? 1.25 : 0.8, fraction(event));
    };
    this.canvas.onpointerdown = (event) => {
      this.dragged = fraction(event);
      this.canvas.setPointerCapture(event.pointerId);
    };
    this.canvas.onpointermove = (event) => {
      if (this.dragged === undefined) return;
      const at = fraction(event);
      const [from, to] = this.shown;
      this.show(from - (at - this.dragged) * (to - from), to - (at - this.dragged) * (to - from));
      this.dragged = at;
    };
    this.canvas.onpointerup = this.canvas.onpointercancel = () => (this.dragged = undefined);
    this.canvas.ondblclick = () => this.follow();
  }

  /** Changes the shown duration by a factor; the time at `fraction` of the width stays in place. */
  zoom(factor, fraction = 0.5) {
    const [from, to] = this.shown;
    const fixed = from + fraction * (to - from);
    const wide = Math.min(Math.max((to - from) * factor, DURATION[0]), DURATION[1]);
    this.show(fixed - fraction * wide, fixed + (1 - fraction) * wide);
  }

  /** Shows the samples between two times [s]. */
  show(from, to) {
    this.range = [from, to];
    document.getElementById("plot-live").disabled = false;
  }

  /** Shows the newest samples. */
  follow() {
    this.range = null;
    document.getElementById("plot-live").disabled = true;
  }

  /** Adds a field of a robot, at most six fields. */
  add(robot, name, unit) {
    this.addSeries({ source: robot, name, unit, group: unit, isTopic: false });
  }

  /** Adds a field of a topic. Fields have no units: those with the same parent share a graph. */
  addField(topic, name) {
    const group = name.replace(/(\.|^)[^.]*$/, "") || topic;
    this.addSeries({ source: topic, name, unit: "", group, isTopic: true });
  }

  addSeries(series) {
    const known = this.series.some((s) => s.source === series.source && s.name === series.name);
    if (known) return;
    if (this.series.length >= COLORS.length) {
      showEvent(`at most ${COLORS.length} fields are plotted; remove one`, "warning");
      return;
    }
    const color = COLORS.find((c) => this.series.every((s) => s.color !== c));
    this.series.push({ ...series, color, t: [], y: [] });
    this.showLegend();
    this.changed();
  }

  remove(series) {
    this.series = this.series.filter((s) => s !== series);
    this.showLegend();
    this.changed();
  }

  /** Removes the samples of the robots. Those of a recorded topic are of all times. */
  clear() {
    for (const s of this.series) if (!s.isTopic) [s.t, s.y] = [[], []];
    this.follow();
  }

  /** Adds a sample of every field of a robot. */
  push(time, robot, valueOf) {
    for (const s of this.series) {
      if (s.isTopic || s.source !== robot) continue;
      const y = valueOf(s.name);
      if (y !== undefined) addSample(s, time, y);
    }
  }

  /** Adds the samples of a message of the server about a topic. */
  pushSamples({ topic, is_first, t, y }) {
    for (const s of this.series) {
      if (!s.isTopic || s.source !== topic || !y[s.name]) continue;
      if (is_first) [s.t, s.y] = [[], []];
      t.forEach((time, k) => addSample(s, time, y[s.name][k] ?? NaN));
    }
  }

  showLegend() {
    this.legend.replaceChildren(
      ...this.series.map((s) => {
        const item = document.createElement("li");
        const swatch = document.createElement("i");
        swatch.style.background = s.color;
        const remove = document.createElement("button");
        remove.textContent = "×";
        remove.setAttribute("aria-label", `Remove ${s.name}`);
        remove.onclick = () => this.remove(s);
        s.value = document.createElement("b");
        item.append(swatch, `${s.source}: ${s.name}`, s.value, remove);
        return item;
      }),
    );
  }

  /** Draws one graph per unit or parent field, one above the other. */
  draw(now) {
    this.now = now;
    const scale = devicePixelRatio;
    const { clientWidth: w, clientHeight: h } = this.canvas;
    if (!w) return;
    if (this.canvas.width !== Math.round(w * scale)) this.canvas.width = Math.round(w * scale);
    if (this.canvas.height !== Math.round(h * scale)) this.canvas.height = Math.round(h * scale);
    const c = this.canvas.getContext("2d");
    const style = getComputedStyle(document.documentElement);
    const [text, line] = ["--soft", "--line"].map((name) => style.getPropertyValue(name));
    c.setTransform(scale, 0, 0, scale, 0, 0);
    c.clearRect(0, 0, w, h);
    c.font = "10px system-ui, sans-serif";
    c.fillStyle = text;
    if (!this.series.length) {
      c.fillText("Select a field and add it.", 8, h / 2);
      return;
    }
    const [from, to] = this.shown;
    const x = (t) => LEFT + ((w - LEFT - 4) * (t - from)) / (to - from);
    const groups = [...new Set(this.series.map((s) => s.group))];
    const height = (h - 16) / groups.length;
    groups.forEach((group, k) => {
      const series = this.series.filter((s) => s.group === group);
      this.drawGraph(c, series, { group, top: k * height, height, width: w, x, from, to, text, line });
    });
    if (this.series.some((s) => s.t.at(-1) > now + 0.5)) {
      // the shown time of a recording
      c.fillStyle = text;
      c.fillRect(x(now), 0, 1, h - 14);
    }
    c.fillStyle = text;
    c.textAlign = "center";
    const wide = niceStep((to - from) / 4);
    for (let t = Math.ceil(Math.max(from, 0) / wide) * wide; t <= to; t += wide) {
      c.fillText(`${format(t, wide)} s`, x(t), h - 4);
    }
  }

  /** Draws the series of one graph. */
  drawGraph(c, series, { group, top, height, width, x, from, to, text, line }) {
    let [low, high] = [Infinity, -Infinity];
    for (const s of series) {
      for (let k = 0; k < s.t.length; k++) {
        if (s.t[k] < from || s.t[k] > to || !Number.isFinite(s.y[k])) continue;
        low = Math.min(low, s.y[k]);
        high = Math.max(high, s.y[k]);
      }
    }
    c.fillStyle = text;
    c.textAlign = "left";
    // a name would cover the numbers of the axis
    c.fillText(group, group.length > 6 ? LEFT + 4 : 2, top + 10);
    if (low > high) return;
    const pad = Math.max((high - low) * 0.08, Math.abs(high) * 1e-3, 1e-4);
    [low, high] = [low - pad, high + pad];
    const y = (v) => top + 4 + ((height - 8) * (high - v)) / (high - low);
    c.strokeStyle = line;
    c.lineWidth = 1;
    c.textAlign = "right";
    const step = niceStep((high - low) / Math.max(Math.min(4, height / 24), 1));
    for (let v = Math.ceil(low / step) * step; v <= high; v += step) {
      c.beginPath();
      c.moveTo(LEFT, y(v));
      c.lineTo(width - 4, y(v));
      c.stroke();
      c.fillText(format(v, step), LEFT - 5, y(v) + 3);
    }
    c.save();
    c.beginPath();
    c.rect(LEFT, top, width - LEFT - 4, height);
    c.clip();
    for (const s of series) this.drawSeries(c, s, [from, to], x, y);
    c.restore();
  }

  drawSeries(c, s, [from, to], x, y) {
    c.strokeStyle = s.color;
    c.lineWidth = 1.6;
    c.beginPath();
    let pen = false;
    // with the neighbours of the shown samples
    const first = Math.max(s.t.findIndex((t) => t >= from) - 1, 0);
    const after = s.t.findIndex((t) => t > to);
    const last = after < 0 ? s.t.length - 1 : after;
    const stride = Math.max(1, Math.floor((last - first) / 4000));
    for (let k = first; k <= last; k += stride) {
      if (!Number.isFinite(s.y[k])) {
        pen = false;
        continue;
      }
      if (pen) c.lineTo(x(s.t[k]), y(s.y[k]));
      else c.moveTo(x(s.t[k]), y(s.y[k]));
      pen = true;
    }
    c.stroke();
    const newest = s.y.at(-1);
    if (s.value && newest !== undefined) s.value.textContent = `${newest.toPrecision(4)} ${s.unit}`;
  }

  /** Returns the samples as CSV: one line per instant, one column per field. */
  csv() {
    const times = [...new Set(this.series.flatMap((s) => s.t))].sort((a, b) => a - b);
    const maps = this.series.map((s) => new Map(s.t.map((t, k) => [t, s.y[k]])));
    const quote = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
    const unit = (s) => (s.isTopic ? "" : ` [${s.unit}]`);
    const head = ["time [s]", ...this.series.map((s) => `${s.source}.${s.name}${unit(s)}`)];
    const rows = times.map((t) => [t, ...maps.map((map) => map.get(t) ?? "")].join(","));
    return [head.map(quote).join(","), ...rows].join("\n") + "\n";
  }
}

/** Adds a sample to a series. A time before the newest one starts the series again. */
function addSample(s, time, y) {
  if (s.t.length && time < s.t.at(-1)) [s.t, s.y] = [[], []];
  if (s.t.at(-1) === time) return;
  s.t.push(time);
  s.y.push(y);
  if (s.t.length > MAX_SAMPLES) {
    s.t.splice(0, MAX_SAMPLES / 10);
    s.y.splice(0, MAX_SAMPLES / 10);
  }
}

function niceStep(x) {
  const power = 10 ** Math.floor(Math.log10(x));
  const f = x / power;
  return power * (f < 1.5 ? 1 : f < 3.5 ? 2 : f < 7.5 ? 5 : 10);
}

function format(v, step) {
  const digits = Math.max(0, Math.min(6, -Math.floor(Math.log10(step))));
  return v.toFixed(digits);
}
