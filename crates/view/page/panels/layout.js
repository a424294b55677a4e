// Layout of the panels: shown or hidden sides, their sizes, and the part of the image that no panel covers.

const $ = (id) => document.getElementById(id);
const SIDES = ["left", "right"];
/** A narrow window shows one side at a time, a phone shows it as a sheet below the image. */
const [narrow, phone] = ["(max-width: 900px)", "(max-width: 640px)"].map((query) => matchMedia(query));
/** Least size of panels [px], and largest parts of the width and of the height of the window. */
const MIN_PX = 150;
const MAX_PART = { x: 0.46, y: 0.75 };
/** Change of a size by an arrow key [px]. */
const KEY_PX = 16;
const KEY = "merrow.layout";

export class Layout {
  /** `changed(free)` receives the edges of the part of the image that no panel covers [px]. */
  constructor(changed) {
    this.changed = changed;
    const stored = read();
    /** Sizes that the user has set [px], by property. */
    this.sizes = stored.sizes ?? {};
    this.shown = { left: stored.left ?? true, right: stored.right ?? true };
    for (const [name, px] of Object.entries(this.sizes)) this.apply(name, px);
    for (const button of document.querySelectorAll("[data-side]")) {
      button.onclick = () => this.toggle(button.dataset.side);
    }
    for (const handle of document.querySelectorAll("[data-handle]")) this.bind(handle);
    $("more").onclick = () => this.showMore(!$("run-bar").classList.contains("open"));
    const observer = new ResizeObserver(() => this.measure());
    for (const element of [$("run-bar"), $("left"), $("right"), document.querySelector(".status"), document.body]) {
      observer.observe(element);
    }
    narrow.onchange = phone.onchange = () => this.fit();
    this.fit();
  }

  showMore(is) {
    $("run-bar").classList.toggle("open", is);
    $("more").setAttribute("aria-expanded", String(is));
  }

  /** Shows one side at most in a narrow window, none on a phone. */
  fit() {
    if (phone.matches) this.set({ left: false, right: false });
    else if (narrow.matches) this.set({ left: this.shown.left, right: this.shown.right && !this.shown.left });
    else this.set(this.shown);
  }

  /** Shows these sides. */
  set(sides) {
    this.now = { ...sides };
    for (const side of SIDES) {
      $(side).hidden = !sides[side];
      document.querySelector(`[data-side=${side}]`).setAttribute("aria-pressed", String(sides[side]));
    }
    for (const handle of document.querySelectorAll("[data-handle]")) {
      const isVertical = handle.dataset.handle === "tools" || phone.matches;
      handle.setAttribute("aria-orientation", isVertical ? "horizontal" : "vertical");
    }
    this.measure();
  }

  /** Shows or hides a side. A panel that opens in a narrow window takes the place of the other side. */
  toggle(side) {
    const next = { ...this.now, [side]: !this.now[side] };
    const other = side === "left" ? "right" : "left";
    if (next[side] && narrow.matches) next[other] = false;
    if (!narrow.matches) this.shown = next;
    this.set(next);
    this.store();
  }

  /** Shows a side. */
  show(side) {
    if (!this.now[side]) this.toggle(side);
  }

  /** Binds a handle: a drag and the arrow keys change a size, a double click restores it. */
  bind(handle) {
    const own = handle.dataset.handle;
    // the property, the axis of the drag, and the sign of a move that enlarges
    const target = () => {
      if (own === "tools") return ["--tools-height", "y", -1];
      return phone.matches ? ["--sheet-height", "y", -1] : [`--${own}-width`, "x", own === "left" ? 1 : -1];
    };
    const size = (axis) => {
      const box = (own === "tools" ? document.querySelector(".right .tabbed") : $(own)).getBoundingClientRect();
      return axis === "x" ? box.width : box.height;
    };
    let from = null;
    handle.onpointerdown = (event) => {
      handle.setPointerCapture(event.pointerId);
      const [, axis] = target();
      from = { at: axis === "x" ? event.clientX : event.clientY, size: size(axis) };
      event.preventDefault();
    };
    handle.onpointermove = (event) => {
      if (!from) return;
      const [property, axis, sign] = target();
      this.resize(property, axis, from.size + sign * ((axis === "x" ? event.clientX : event.clientY) - from.at));
    };
    handle.onpointerup = handle.onpointercancel = () => {
      from = null;
      this.store();
    };
    handle.ondblclick = () => {
      const [property] = target();
      delete this.sizes[property];
      this.apply(property, null);
      this.store();
    };
    handle.onkeydown = (event) => {
      const [property, axis, sign] = target();
      const keys = axis === "x" ? ["ArrowLeft", "ArrowRight"] : ["ArrowUp", "ArrowDown"];
      const k = keys.indexOf(event.key);
      if (k < 0) return;
      event.preventDefault();
      event.stopPropagation();
      this.resize(property, axis, size(axis) + sign * (2 * k - 1) * KEY_PX);
      this.store();
    };
  }

  resize(property, axis, px) {
    const window = axis === "x" ? innerWidth : innerHeight;
    const most = Math.max(MIN_PX, MAX_PART[axis] * window);
    this.sizes[property] = Math.round(Math.min(Math.max(px, MIN_PX), most));
    this.apply(property, this.sizes[property]);
  }

  apply(property, px) {
    const { style } = document.documentElement;
    const value = px === null ? "" : `${px}px`;
    style.setProperty(property, value);
    if (property === "--tools-height") style.setProperty("--tools-max", px === null ? "" : "calc(100% - 98px)");
  }

  measure() {
    const header = $("run-bar").getBoundingClientRect();
    const edge = (side) => ($(side).hidden ? null : $(side).getBoundingClientRect());
    const [left, right] = SIDES.map(edge);
    const below = document.querySelector(".status").getBoundingClientRect();
    const timeline = document.querySelector(".timeline").getBoundingClientRect();
    const sheet = phone.matches ? (left ?? right) : null;
    this.changed({
      left: phone.matches ? 0 : (left?.right ?? 0),
      right: phone.matches ? innerWidth : (right?.left ?? innerWidth),
      top: header.bottom,
      bottom: sheet?.top ?? (timeline.height ? timeline.top : below.top),
    });
  }

  store() {
    try {
      localStorage.setItem(KEY, JSON.stringify({ ...this.shown, sizes: this.sizes }));
    } catch {
      // a browser without storage starts with the default layout
    }
  }
}

/** Returns the layout of the preceding visit; an empty object without one. */
function read() {
  try {
    const stored = JSON.parse(localStorage.getItem(KEY)) ?? {};
    const isPixels = ([name, px]) => /^--[a-z]+-(width|height)$/.test(name) && Number.isFinite(px) && px >= MIN_PX;
    return { ...stored, sizes: Object.fromEntries(Object.entries(stored.sizes ?? {}).filter(isPixels)) };
  } catch {
    return {};
  }
}
