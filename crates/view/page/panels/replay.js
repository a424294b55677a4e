// Timeline of a recording: position, steps, and the parts of the page that need a running world.

import { showRefusal } from "./panels.js";

const $ = (id) => document.getElementById(id);
/** Time for which the slider stays where the user has put it [ms]. */
const HOLD_MS = 400;
/** Time of a step, and of a large step with Shift [s]. */
const [STEP_S, LARGE_STEP_S] = [0.1, 10];

/** Returns a time as minutes and seconds. */
export function clock(seconds) {
  const s = Math.max(seconds, 0);
  const whole = Math.floor(s / 60);
  return `${whole}:${(s - 60 * whole).toFixed(2).padStart(5, "0")}`;
}

export class Timeline {
  /** `jumped()` is called when another time is requested. */
  constructor(request, jumped) {
    this.request = request;
    this.jumped = jumped;
    this.bounds = null;
    this.time = 0;
    this.held = 0;
    /** Requested time that is not sent yet [s]. */
    this.next = null;
    const slider = $("timeline-position");
    slider.oninput = () => this.seek(slider.valueAsNumber);
    $("timeline-start").onclick = () => this.seek(this.bounds[0]);
    $("timeline-back").onclick = (event) => this.step(-1, event.shiftKey);
    $("timeline-forward").onclick = (event) => this.step(1, event.shiftKey);
  }

  get isRecording() {
    return this.bounds !== null;
  }

  /** Shows the timeline of a scene that is a recording, and hides what needs a running world. */
  setScene({ recording }) {
    this.bounds = recording ? [recording.start_s, recording.end_s] : null;
    document.body.classList.toggle("recording", this.isRecording);
    if (!recording) return;
    const slider = $("timeline-position");
    [slider.min, slider.max] = this.bounds;
    $("timeline-length").textContent = clock(recording.end_s);
    for (const element of document.querySelectorAll(".live button, .live input, .live select")) {
      element.disabled = true;
    }
  }

  /** Shows the time of a frame. `utc` is the wall-clock time at the time zero [s]. */
  show(time, utc) {
    if (!this.isRecording) return;
    this.time = time;
    const slider = $("timeline-position");
    if (performance.now() - this.held > HOLD_MS) slider.value = time;
    slider.setAttribute("aria-valuetext", `${time.toFixed(2)} s`);
    $("timeline-time").textContent = clock(time);
    const date = new Date(1000 * ((utc ?? 0) + time));
    $("timeline-utc").textContent = utc === undefined ? "" : date.toISOString().replace("T", " ").slice(0, 22);
  }

  /** Moves by one step or by one large step. */
  step(direction, isLarge) {
    this.seek((this.next ?? this.time) + direction * (isLarge ? LARGE_STEP_S : STEP_S));
  }

  /** Requests another time; while a request is open, only the latest one is kept. */
  async seek(time) {
    const isOpen = this.next !== null;
    this.held = performance.now();
    this.next = Math.min(Math.max(time, this.bounds[0]), this.bounds[1]);
    $("timeline-position").value = this.next;
    if (isOpen) return;
    let sent = NaN;
    while (this.next !== sent) {
      sent = this.next;
      const answer = await this.request({ do: "seek", time_s: sent });
      if (!showRefusal(answer)) break;
    }
    this.next = null;
    this.jumped();
  }
}
