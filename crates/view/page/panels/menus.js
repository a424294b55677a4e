// Menus: at most one is open, and a press outside it or Escape closes it.

const openMenu = () => document.querySelector("details.menu[open]");

/** Binds all menus of the page. */
export function bindMenus() {
  addEventListener("pointerdown", (event) => {
    const menu = openMenu();
    if (menu && !menu.contains(event.target)) menu.open = false;
  });
  for (const menu of document.querySelectorAll("details.menu")) {
    menu.addEventListener("toggle", () => {
      if (!menu.open) return;
      for (const other of document.querySelectorAll("details.menu[open]")) if (other !== menu) other.open = false;
    });
    menu.addEventListener("focusout", ({ relatedTarget }) => {
      if (relatedTarget && !menu.contains(relatedTarget)) menu.open = false;
    });
  }
}

/** Closes the open menu, whose button has the focus then; returns false without one. */
export function closeMenu() {
  const menu = openMenu();
  if (!menu) return false;
  menu.open = false;
  menu.firstElementChild.focus();
  return true;
}
