// Menu of the overlays: a switch for every overlay, and for every law of the shown forces.

import { OVERLAYS } from "../scene/overlays.js";
import { element } from "./panels.js";

/** Adds a switch to a menu; `changed` receives its new state. */
function addSwitch(menu, label, isOn, changed) {
  const text = element("label");
  const box = element("input");
  box.type = "checkbox";
  box.checked = isOn;
  box.onchange = () => changed(box.checked);
  text.append(box, label);
  menu.append(text);
  return box;
}

/** Adds the switches of the overlays to a menu; `changed` receives the key and the new state of an overlay. */
export function fillOverlayMenu(menu, overlays, changed) {
  const laws = element("div", undefined, "laws");
  laws.hidden = !overlays.shown.forces;
  for (const [key, [label]] of Object.entries(OVERLAYS)) {
    const box = addSwitch(menu, label, overlays.shown[key], (on) => {
      overlays.shown[key] = on;
      laws.hidden = !overlays.shown.forces;
      changed(key, on);
    });
    box.dataset.overlay = key;
    if (key === "forces") menu.append(laws);
  }
}

/** Adds the switches of the laws of forces to the menu of the overlays. */
export function fillLawMenu(menu, overlays, names) {
  const laws = menu.querySelector(".laws");
  laws.replaceChildren();
  for (const law of names) {
    const box = addSwitch(laws, law, !overlays.hiddenLaws.has(law), (on) => {
      if (on) overlays.hiddenLaws.delete(law);
      else overlays.hiddenLaws.add(law);
    });
    box.dataset.law = law;
  }
}
