// Runs in the head, before the first frame: what the reader chose last (light or dark, the writer's layer and its tab) is
// there from the beginning. It also makes the one object through which the other scripts know each other; no heading can
// take its place, because ids of headings have no capitals.
(() => {
  "use strict";
  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)");

  // Storage may be switched off, which raises: then a choice holds until the page is left.
  const chosen = new Map();
  const recall = (name) => {
    if (chosen.has(name)) return chosen.get(name);
    try {
      return localStorage.getItem(`kbsync-${name}`) ?? "";
    } catch {
      return "";
    }
  };
  const remember = (name, value) => {
    chosen.set(name, value);
    try {
      localStorage.setItem(`kbsync-${name}`, value);
    } catch {
      // As said above.
    }
  };

  const showScheme = (scheme) => {
    if (scheme) root.dataset.scheme = scheme;
    root.dataset.shown = scheme || (dark.matches ? "dark" : "light");
  };

  showScheme(recall("scheme"));
  dark.addEventListener("change", () => showScheme(recall("scheme")));
  // Nobody has opened or closed the writer's layer, it covers nothing here, and there is something wrong to show.
  const opensItself = (level) => level && !recall("writer") && matchMedia("(min-width: 73.75rem)").matches;
  const opens = opensItself(root.dataset.level);
  root.dataset.writer = opens ? "on" : recall("writer") || "off";
  root.dataset.tab = opens ? "findings" : recall("tab") || "page";

  window.kbsyncPage = {
    root,
    recall,
    remember,
    showScheme,
    opensItself,
    /** Runs `ready` now and after every change of the element `live`. */
    onPage(ready) {
      addEventListener("kbsync-page", ready);
      ready();
    },
    /** Whether a key is meant for the page and not for a field that is being filled in. */
    isShortcut(event) {
      const typing = event.target.closest?.("input:not([type=checkbox]), textarea, select, [contenteditable]");
      return !typing && !event.ctrlKey && !event.metaKey && !event.altKey && !event.defaultPrevented;
    },
  };
})();
