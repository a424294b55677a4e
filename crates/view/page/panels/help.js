// Help: a dialog with the functions of all keys and of the pointer.

import { element } from "./panels.js";

/** Functions of the pointer. */
const POINTER = [
  ["drag", "turns the camera, moves the map"],
  ["Shift and drag, right button", "moves the camera"],
  ["wheel, two fingers", "zoom"],
  ["click", "selects a robot"],
  ["Ctrl and drag on a robot", "pushes it with a force that grows with the drag"],
];

/** Creates the dialog from groups of keys: title and rows of key and function. Returns a function that shows or hides it. */
export function createHelp(dialog, groups) {
  const tables = [...groups, ["Pointer", POINTER]].map(([title, rows]) => {
    const table = element("table");
    const head = element("th", title);
    head.colSpan = 2;
    table.append(head);
    for (const [key, text] of rows) {
      const row = element("tr");
      const cell = element("td");
      cell.append(element("kbd", key));
      row.append(cell, element("td", text));
      table.append(row);
    }
    return table;
  });
  const columns = element("div", undefined, "columns");
  columns.append(...tables);
  const close = element("button", "Close");
  close.onclick = () => dialog.close();
  const head = element("p", undefined, "row");
  head.append(element("h2", "Keys"), element("span", undefined, "space"), close);
  dialog.replaceChildren(head, columns);
  dialog.onclick = ({ target }) => target === dialog && dialog.close();
  return () => (dialog.open ? dialog.close() : dialog.showModal());
}
