// Plot of numeric fields of robots over simulated time, with export as CSV.

const COLORS = ["#0077b6", "#d1495b", "#2a9d5c", "#c77d0a", "#7b4fb5", "#159a9c"];
const MAX_SAMPLES = 40000;

export class Plot {
  constructor(canvas, legend) {
    this.canvas = canvas;
    this.legend = legend;
    this.series = [];
    this.window = 30;
  }

  /** Adds a field, at most six; `robot` and `name` identify it. */
  add(robot, name, unit) {
    const known = this.series.some((s) => s.robot === robot && s.name === name);
    if (known || this.series.length >= COLORS.length) return;
    const color = COLORS.find((c) => this.series.every((s) => s.color !== c));
    this.series.push({ robot, name, unit, color, t: [], y: [] });
    this.showLegend();
  }

  remove(series) {
    this.series = this.series.filter((s) => s !== series);
    this.showLegend();
  }

  clear() {
    for (const s of this.series) [s.t, s.y] = [[], []];
  }

  /** Adds a sample of every field of a robot. */
  push(time, robot, valueOf) {
    for (const s of this.series) {
      if (s.robot !== robot) continue;
      if (s.t.length && time < s.t.at(-1)) [s.t, s.y] = [[], []];
      if (s.t.at(-1) === time) continue;
      const y = valueOf(s.name);
      if (y === undefined) continue;
      s.t.push(time);
      s.y.push(y);
      if (s.t.length > MAX_SAMPLES) {
        s.t.splice(0, MAX_SAMPLES / 10);
        s.y.splice(0, MAX_SAMPLES / 10);
      }
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
        item.append(swatch, `${s.robot}: ${s.name}`, s.value, remove);
        return item;
      }),
    );
  }

  draw(now) {
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
    const from = now - this.window;
    let [low, high] = [Infinity, -Infinity];
    for (const s of this.series) {
      for (let k = s.t.length - 1; k >= 0 && s.t[k] >= from; k--) {
        if (!Number.isFinite(s.y[k])) continue;
        low = Math.min(low, s.y[k]);
        high = Math.max(high, s.y[k]);
      }
    }
    if (low > high) {
      c.fillText("Select a field and add it.", 8, h / 2);
      return;
    }
    const pad = Math.max((high - low) * 0.08, Math.abs(high) * 1e-3, 1e-4);
    [low, high] = [low - pad, high + pad];
    const left = 46;
    const x = (t) => left + ((w - left - 4) * (t - from)) / this.window;
    const y = (v) => 4 + ((h - 20) * (high - v)) / (high - low);
    c.strokeStyle = line;
    c.lineWidth = 1;
    c.textAlign = "right";
    const step = niceStep((high - low) / 4);
    for (let v = Math.ceil(low / step) * step; v <= high; v += step) {
      c.beginPath();
      c.moveTo(left, y(v));
      c.lineTo(w - 4, y(v));
      c.stroke();
      c.fillText(format(v, step), left - 5, y(v) + 3);
    }
    c.textAlign = "center";
    const wide = niceStep(this.window / 4);
    for (let t = Math.ceil(Math.max(from, 0) / wide) * wide; t <= now; t += wide) {
      c.fillText(`${format(t, wide)} s`, x(t), h - 4);
    }
    for (const s of this.series) this.drawSeries(c, s, from, x, y);
  }

  drawSeries(c, s, from, x, y) {
    c.strokeStyle = s.color;
    c.lineWidth = 1.6;
    c.beginPath();
    let pen = false;
    const stride = Math.max(1, Math.floor(s.t.length / 4000));
    for (let k = 0; k < s.t.length; k += stride) {
      if (s.t[k] < from) continue;
      if (!Number.isFinite(s.y[k])) {
        pen = false;
        continue;
      }
      if (pen) c.lineTo(x(s.t[k]), y(s.y[k]));
      else c.moveTo(x(s.t[k]), y(s.y[k]));
      pen = true;
    }
    c.stroke();
    const last = s.y.at(-1);
    if (s.value && last !== undefined) s.value.textContent = `${last.toPrecision(4)} ${s.unit}`;
  }

  /** Returns the samples as CSV: one line per instant, one column per field. */
  csv() {
    const times = [...new Set(this.series.flatMap((s) => s.t))].sort((a, b) => a - b);
    const maps = this.series.map((s) => new Map(s.t.map((t, k) => [t, s.y[k]])));
    const quote = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
    const head = ["time [s]", ...this.series.map((s) => `${s.robot}.${s.name} [${s.unit}]`)];
    const rows = times.map((t) => [t, ...maps.map((map) => map.get(t) ?? "")].join(","));
    return [head.map(quote).join(","), ...rows].join("\n") + "\n";
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
