// Keeps the open page in step with the files: the server sends the page's new inner HTML, and only what differs is
// changed. What the reader looks at stays where it is on the screen.
(() => {
  "use strict";
  const { root, recall, morph } = window.kbsyncPage;
  const live = document.getElementById("live");

  const AWAY_AFTER = 2000; // milliseconds without a connection before the page says so
  const AGAIN_AFTER = [250, 500, 1000, 2000]; // milliseconds until a lost connection is tried again; then ever the last
  const REST_AFTER = 5000; // milliseconds in the background before a page lets its connection go
  const CHANGED_FOR = 2200; // milliseconds for which a change is marked; the stylesheet's animation is as long

  let stream = null;
  let tries = 0;
  let awayTimer = 0;
  let againTimer = 0;
  let restTimer = 0;

  // --- the stream ----------------------------------------------------------------------------------------------------

  function open() {
    if (stream) return;
    stream = new EventSource(`${root.dataset.live}?page=${encodeURIComponent(location.pathname)}`);
    stream.onopen = () => {
      tries = 0;
      showAway(false);
    };
    stream.onerror = lost;
    stream.addEventListener("page", (event) => showPage(JSON.parse(event.data)));
    stream.addEventListener("gone", showGone);
    stream.addEventListener("reload", () => location.reload());
    stream.addEventListener("search", () => dispatchEvent(new Event("kbsync-search")));
  }

  function close() {
    clearTimeout(againTimer);
    stream?.close();
    stream = null;
    showAway(false);
  }

  // A browser would try again by itself, but only after three seconds, and never after an answer that was no stream.
  function lost() {
    stream.close();
    stream = null;
    showAway(true);
    clearTimeout(againTimer);
    againTimer = setTimeout(open, AGAIN_AFTER[Math.min(tries, AGAIN_AFTER.length - 1)]);
    tries += 1;
  }

  function showAway(away) {
    if (!away) {
      clearTimeout(awayTimer);
      awayTimer = 0;
      document.getElementById("kb-away")?.remove();
    } else if (!awayTimer) {
      awayTimer = setTimeout(() => {
        const badge = document.createElement("div");
        badge.id = "kb-away";
        badge.className = "badge-away";
        badge.textContent = "Disconnected. Trying again …";
        document.body.append(badge);
      }, AWAY_AFTER);
    }
  }

  // A browser keeps six connections to one host: pages in the background must not take them from those that are read.
  function followVisibility() {
    clearTimeout(restTimer);
    if (document.hidden) restTimer = setTimeout(close, REST_AFTER);
    else open();
  }

  document.addEventListener("visibilitychange", followVisibility);
  addEventListener("pagehide", close);
  addEventListener("pageshow", (event) => event.persisted && followVisibility());

  // --- changes -------------------------------------------------------------------------------------------------------

  function showPage({ html, title }) {
    const fresh = document.createElement("template");
    fresh.innerHTML = html;
    const anchors = visibleBlocks();
    const changed = morph(live, fresh.content);
    if (title) document.title = title;
    refreshLocales();
    if (!changed.length) return;
    dispatchEvent(new Event("kbsync-page"));
    keepInPlace(anchors);
    const spot = firstSpot(changed);
    if (spot) mark(spot);
    if (spot && recall("announce") === "yes") say(`Changed: ${spot.textContent.trim().slice(0, 120)}`);
  }

  /** The blocks in view, with where they are: the first that survives a change is held there. */
  function visibleBlocks() {
    if (scrollY <= 0) return [];
    const top = document.querySelector(".top")?.getBoundingClientRect().bottom ?? 0;
    const found = [];
    const look = (parent) => {
      for (const block of parent.children) {
        const box = block.getBoundingClientRect();
        if (box.bottom <= top || (!box.height && getComputedStyle(block).display !== "contents")) continue;
        if (box.top >= innerHeight || found.length > 40) return;
        // Something tall reaches beyond the screen; what is inside of it says more.
        if (box.top < top) look(block);
        found.push([block, box.top]);
      }
    };
    look(live.querySelector("article") ?? live.querySelector("main"));
    return found;
  }

  function keepInPlace(anchors) {
    const held = anchors.find(([block]) => block.isConnected);
    if (!held) return;
    const [block, before] = held;
    // The browser's own anchoring would move the page a second time.
    root.style.overflowAnchor = "none";
    const moved = block.getBoundingClientRect().top - before;
    if (Math.abs(moved) >= 1) scrollBy({ top: moved, behavior: "instant" });
    requestAnimationFrame(() => requestAnimationFrame(() => root.style.removeProperty("overflow-anchor")));
  }

  /** The first changed element of the page proper, or the block that it is in. */
  function firstSpot(changed) {
    const main = live.querySelector("main");
    const found = changed.filter((spot) => spot?.isConnected && main.contains(spot) && !spot.closest(".toc, .broken"));
    found.sort((one, other) => (one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1));
    const spot = found.find((candidate) => !candidate.matches("article, main, .text, .sheet, .wide"));
    return spot?.closest("article p, article li, article pre, article td, article th, article blockquote") ?? spot;
  }

  let marked = null;
  let markTimer = 0;

  function mark(spot) {
    clearTimeout(markTimer);
    marked?.classList.remove("changed");
    // Asking for the layout lets the animation begin anew on the same element.
    void spot.offsetWidth;
    spot.classList.add("changed");
    marked = spot;
    markTimer = setTimeout(() => {
      spot.classList.remove("changed");
      if (!spot.className) spot.removeAttribute("class");
    }, CHANGED_FOR);
  }

  function refreshLocales() {
    const now = document.getElementById("kb-locales-now");
    const menu = document.querySelector("#kb-locales nav");
    if (now && menu) morph(menu, now.content);
  }

  function showGone() {
    const main = live.querySelector("main");
    if (!main || main.querySelector(".gone")) return;
    const note = document.createElement("div");
    note.className = "gone";
    const home = document.createElement("a");
    home.href = document.querySelector(".name").href;
    home.textContent = "Go to the home page";
    note.append("This page is gone: its file was deleted, or its address changed. ", home, ".");
    main.prepend(note);
    scrollTo({ top: 0 });
  }

  // --- for screen readers, on request --------------------------------------------------------------------------------

  const voice = document.createElement("p");
  voice.className = "unseen";
  voice.setAttribute("aria-live", "polite");
  document.body.append(voice);

  function say(text) {
    voice.textContent = text;
  }

  if (!document.hidden) open();
})();
