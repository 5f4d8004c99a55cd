// The writer's layer: shown and hidden by its button and the key `w`, with tabs. What is shown is decided by the
// stylesheet from attributes of the root, so a change of the page cannot upset it.
(() => {
  "use strict";
  const { root, remember, recall, onPage, isShortcut, opensItself } = window.kbsyncPage;
  const button = document.getElementById("kb-writer-switch");
  const layer = () => document.getElementById("kb-writer");

  let isOn = root.dataset.writer === "on"; // wherever there is a layer
  let isAsked = false; // somebody has opened or closed it on this page

  /** `chosen`: a person opens or closes it, and so it stays on other pages. */
  function show(on, chosen = true) {
    isOn = on;
    isAsked = true;
    if (chosen) remember("writer", on ? "on" : "off");
    root.dataset.writer = on ? "on" : "off";
    button?.setAttribute("aria-pressed", String(on));
    dispatchEvent(new Event("resize"));
  }

  function select(name) {
    const tabs = [...(layer()?.querySelectorAll("[role=tab]") ?? [])];
    // The tab that was open last may not be there: a home page has fewer.
    const chosen = tabs.find((tab) => tab.dataset.tab === name) ?? tabs.find((tab) => tab.dataset.tab === "findings");
    for (const tab of tabs) {
      tab.setAttribute("aria-selected", String(tab === chosen));
      tab.tabIndex = tab === chosen ? 0 : -1;
    }
    if (chosen) root.dataset.tab = chosen.dataset.tab;
    return chosen;
  }

  let from = null; // what had the focus before the key opened the panel

  /** By its key the panel takes the focus, and gives it back: the way there is long without a mouse. */
  function toggle() {
    const box = layer();
    const on = root.dataset.writer !== "on";
    const held = box.contains(document.activeElement);
    if (on) from = document.activeElement;
    show(on);
    if (on) box.querySelector("[role=tab][aria-selected=true]")?.focus();
    else if (held) giveFocusBack();
  }

  function giveFocusBack() {
    const to = from?.isConnected && from !== document.body ? from : button;
    from = null;
    to?.focus({ preventScroll: true });
  }

  const STEPS = { ArrowRight: 1, ArrowLeft: -1 };

  function turn(event) {
    const tabs = [...layer().querySelectorAll("[role=tab]")];
    const place = tabs.indexOf(event.target);
    const step = STEPS[event.key] ?? 0;
    let next = step ? tabs.at((place + step) % tabs.length) : undefined;
    if (event.key === "Home") next = tabs[0];
    if (event.key === "End") next = tabs.at(-1);
    if (!next) return;
    event.preventDefault();
    select(next.dataset.tab).focus();
    remember("tab", next.dataset.tab);
  }

  // --- from a finding to its place in the text -----------------------------------------------------------------------

  function placeOf(finding) {
    const article = document.querySelector("article");
    const marked = article?.querySelector(`[data-mark="${CSS.escape(finding.dataset.mark)}"]`);
    return marked ?? article?.children[finding.dataset.block];
  }

  function jump(finding) {
    const place = placeOf(finding);
    if (place) window.kbsyncPage.reveal?.(place);
  }

  function open(tab) {
    show(true, false);
    select(tab);
    remember("tab", tab);
  }

  /** A list of all files leads to `#at-12-5`: line and column of what it lists. */
  function jumpToHash() {
    const mark = location.hash.match(/^#at-([0-9]+-[0-9]+)$/)?.[1];
    const finding = mark && layer()?.querySelector(`[data-mark="${mark}"]`);
    if (!mark || !layer()) return;
    open("findings");
    if (finding) jump(finding);
  }

  async function copy(from) {
    try {
      await navigator.clipboard.writeText(from.dataset.copy);
    } catch {
      // Without leave to write there: select it, and the person can copy.
      getSelection().selectAllChildren(from.parentElement.querySelector("code"));
      return;
    }
    const said = from.getAttribute("aria-label");
    from.dataset.done = "yes";
    from.setAttribute("aria-label", "Copied");
    setTimeout(() => {
      delete from.dataset.done;
      from.setAttribute("aria-label", said);
    }, 1500);
  }

  button?.addEventListener("click", () => show(root.dataset.writer !== "on"));
  document.addEventListener("click", (event) => {
    const target = event.target.closest?.(
      "[data-writer-close], [data-writer-open], #kb-writer [role=tab], [data-copy], [data-block]",
    );
    if (!target) return;
    if (target.dataset.copy) copy(target);
    else if (target.dataset.block) jump(target);
    else if (target.dataset.writerOpen) {
      open(target.dataset.writerOpen);
      document.getElementById(`kb-tab-${target.dataset.writerOpen}`)?.focus();
    }
    else if (target.dataset.tab) {
      select(target.dataset.tab);
      remember("tab", target.dataset.tab);
    } else {
      // From what covers the page, back to it: on the next page all is as before.
      show(false, !target.dataset.writerClose);
      button?.focus();
    }
  });
  document.addEventListener("keydown", (event) => {
    if (event.target.matches?.("#kb-writer [role=tab]")) turn(event);
    if (event.key === "w" && isShortcut(event) && layer()) toggle();
    if (event.key === "Escape" && layer()?.contains(event.target)) {
      show(false);
      giveFocusBack();
    }
  });
  document.addEventListener("change", (event) => {
    if (event.target.matches?.("[data-announce]")) remember("announce", event.target.checked ? "yes" : "");
  });

  onPage(() => {
    const box = layer();
    const opens = !isOn && !isAsked && opensItself(box?.dataset.level);
    isOn ||= opens;
    select(opens ? "findings" : root.dataset.tab);
    // Without a layer, nothing keeps room for it.
    root.dataset.writer = box && isOn ? "on" : "off";
    if (button) {
      button.hidden = !box;
      button.dataset.level = box?.dataset.level ?? "";
      button.setAttribute("aria-pressed", String(root.dataset.writer === "on"));
    }
    const announce = document.querySelector("[data-announce]");
    if (announce) announce.checked = recall("announce") === "yes";
  });

  addEventListener("hashchange", jumpToHash);
  addEventListener("load", jumpToHash);
})();
