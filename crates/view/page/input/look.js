// Look of the image: clear water, which is on where the water hides the selected robot, and the exposure.

import { clamp } from "../math.js";
import { element, showEvent } from "../panels/panels.js";
import { isHidden } from "../scene/light.js";

/** Largest exposure, as a power of two, and its change by a key. */
const MAX_EXPOSURE = 5;
export const EXPOSURE_STEP = 0.5;
/** Number of images after which the visibility of the selected robot is judged again. */
const PERIOD = 15;

export class Look {
  /** Adds the slider of the exposure to a menu. */
  constructor(menu, app) {
    this.app = app;
    this.exposure = 0;
    /** True after the user has switched clear water. */
    this.isChosen = false;
    this.slider = element("input");
    Object.assign(this.slider, { type: "range", min: -MAX_EXPOSURE, max: MAX_EXPOSURE, step: EXPOSURE_STEP, id: "exposure" });
    this.slider.value = 0;
    this.slider.oninput = () => this.expose(this.slider.valueAsNumber);
    this.slider.ondblclick = () => this.expose(0);
    const label = element("label", "Exposure");
    label.title = "Brightness of the image (V and B; a double click resets it)";
    label.append(this.slider);
    menu.append(label);
  }

  expose(value) {
    this.exposure = clamp(value, -MAX_EXPOSURE, MAX_EXPOSURE);
    this.slider.value = this.exposure;
  }

  switchClear() {
    this.showClear(!this.app.overlays.shown.clear);
  }

  /** Shows clear water or the water of the world; it stays as the user chooses. */
  showClear(on, isChosen = true) {
    this.isChosen = isChosen;
    this.app.overlays.shown.clear = on;
    document.querySelector("[data-overlay=clear]").checked = on;
  }

  /** Judges from time to time whether the water hides the selected robot. */
  update(robots) {
    const { world, selected, overlays, images } = this.app;
    if (this.isChosen || selected < 0) return;
    if (images % PERIOD !== 1 && this.robot === selected && this.scene === world.scene) return;
    [this.robot, this.scene] = [selected, world.scene];
    const isClear = overlays.shown.clear;
    const hidden = isHidden(world, robots, selected, isClear ? 3 : 1);
    if (hidden === isClear) return;
    this.showClear(hidden, false);
    if (hidden) showEvent("clear water is shown, because this water hides the selected robot; key C");
  }
}
