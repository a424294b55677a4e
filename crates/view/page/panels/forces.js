// Forces on the selected robot: a table with the law, the device and the force in the world.

import { element } from "./panels.js";
import { isOpen } from "./tabs.js";

const $ = (id) => document.getElementById(id);

/** Returns the rows of the table: law, device, force [N]. */
export function forceRows({ forces }) {
  return forces.map(({ law, name, f }) => [law, name, f]);
}

export class Forces {
  /** True while the panel is open, and needs readings of the selected robot. */
  get isOpen() {
    return isOpen("force-panel") && !document.hidden;
  }

  /** Shows the readings of a robot. */
  update(readings) {
    if (!this.isOpen) return;
    const rows = forceRows(readings).map(([law, name, f]) => {
      const row = element("tr");
      row.append(element("td", law), element("td", name));
      const size = Math.hypot(...f);
      for (const x of [...f, size]) row.append(element("td", x.toFixed(size < 1000 ? 1 : 0), "n"));
      return row;
    });
    $("force-rows").replaceChildren(...rows);
    $("force-none").hidden = rows.length > 0;
  }

  clear() {
    $("force-rows").replaceChildren();
  }
}
