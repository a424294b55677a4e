// Tabs: one panel of a group is shown; arrow keys move between the tabs.

/** Binds all groups of tabs in the page. `shown(id)` is called with the id of a panel that opens. */
export function bindTabs(shown) {
  for (const list of document.querySelectorAll("[role=tablist]")) {
    const tabs = [...list.querySelectorAll("[role=tab]")];
    for (const tab of tabs) {
      tab.onclick = () => openTab(tab.getAttribute("aria-controls"), shown);
      tab.onkeydown = (event) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (!step) return;
        event.preventDefault();
        event.stopPropagation();
        // a recording has no tabs that need a running world
        const visible = tabs.filter((one) => one.checkVisibility());
        const next = visible[(visible.indexOf(tab) + step + visible.length) % visible.length];
        next.focus();
        next.click();
      };
    }
  }
}

/** Opens the panel with this id. */
export function openTab(id, shown = () => {}) {
  const own = document.querySelector(`[role=tab][aria-controls="${id}"]`);
  for (const tab of own.parentElement.querySelectorAll("[role=tab]")) {
    const panel = document.getElementById(tab.getAttribute("aria-controls"));
    tab.setAttribute("aria-selected", String(tab === own));
    tab.tabIndex = tab === own ? 0 : -1;
    panel.hidden = tab !== own;
  }
  shown(id);
}

export const isOpen = (id) => !document.getElementById(id).hidden;
