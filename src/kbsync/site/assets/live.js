// Keeps the open page in step with the files: the server sends the page's new inner HTML, and only what differs is
// changed. A change out of sight is scrolled to; but while somebody reads elsewhere, what they look at stays where it is.
(() => {
  "use strict";
  const { root, recall, morph, replaced } = window.kbsyncPage;
  const live = document.getElementById("live");

  const AWAY_AFTER = 2000; // milliseconds without a connection before the page says so
  const AGAIN_AFTER = [250, 500, 1000, 2000]; // milliseconds until a lost connection is tried again; then ever the last
  const REST_AFTER = 5000; // milliseconds in the background before a page lets its connection go
  const CHANGED_FOR = 2200; // milliseconds for which a change is marked; the stylesheet's animation is as long
  const IMAGES_FOR = 300; // milliseconds for which a change waits for the images of this host that are new in it

  let stream = null;
  let tries = 0;
  let wasOpen = false;
  let awayTimer = 0;
  let againTimer = 0;
  let restTimer = 0;

  // --- the stream ----------------------------------------------------------------------------------------------------

  /** The address of the page; the lists of all files have their limits behind a `?`. */
  function shown() {
    return location.pathname.startsWith("/-/") ? location.pathname + location.search : location.pathname;
  }

  function open() {
    if (stream) return;
    stream = new EventSource(`${root.dataset.live}?page=${encodeURIComponent(shown())}`);
    stream.onopen = () => {
      tries = 0;
      showAway(false);
      // What happened in between was not heard.
      if (wasOpen) dispatchEvent(new Event("kbsync-search"));
      wasOpen = true;
    };
    stream.onerror = lost;
    stream.addEventListener("page", (event) => showPage(JSON.parse(event.data)));
    stream.addEventListener("gone", showGone);
    stream.addEventListener("moved", (event) => followMove(JSON.parse(event.data)));
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
        badge.lang = "en";
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

  let states = 0; // so many states of the page were heard of: while one waits for its images, another may come
  let waitsSince = 0; // when the first one began that no image was there for; 0: none waits

  async function showPage({ html, title }) {
    states += 1;
    const state = states;
    const fresh = document.createElement("template");
    fresh.innerHTML = html;
    // A page of another kind has another stylesheet: a file has come to an address that had none.
    if (fresh.content.querySelector("main")?.dataset.kind !== live.querySelector("main")?.dataset.kind) {
      location.reload();
      return;
    }
    const images = newImages(fresh.content);
    if (images.length) {
      // Whoever saves all the time sees all the time what they write.
      waitsSince ||= performance.now();
      await sizesOf(images, waitsSince + IMAGES_FOR - performance.now());
      if (state !== states) return;
    }
    waitsSince = 0;
    const anchors = visibleBlocks();
    const focused = withAncestors(document.activeElement);
    const changed = morph(live, fresh.content);
    keepFocus(focused);
    if (title) document.title = title;
    refreshLocales();
    if (!changed.length) return;
    dispatchEvent(new Event("kbsync-page"));
    keepInPlace(anchors);
    lastY = scrollY;
    const spots = changedSpots(changed);
    if (!spots.length) return;
    const spot = spots.find((candidate) => !whereIs(candidate)) ?? spots[0];
    follow(spot);
    if (recall("announce") === "yes") say(`Changed: ${blockOf(spot).textContent.trim().slice(0, 120)}`);
  }

  function newImages(fresh) {
    const images = (parent) => [...parent.querySelectorAll('article img[src^="/"]')];
    const there = new Set(images(live).map((image) => image.getAttribute("src")));
    const sources = images(fresh).map((image) => image.getAttribute("src"));
    return sources.filter((src) => !there.has(src)).map((src) => Object.assign(new Image(), { src }));
  }

  /** An image that comes after its place was made would push all below it a second time. */
  function sizesOf(images, most) {
    const rested = new Promise((rest) => setTimeout(rest, most));
    return Promise.race([Promise.allSettled(images.map((image) => image.decode())), rested]);
  }

  function withAncestors(element) {
    return element && element !== document.body ? [element, ...withAncestors(element.parentElement)] : [];
  }

  /** What had the focus may be gone: then what was around it has it, and a keyboard goes on from there. */
  function keepFocus([element, ...around]) {
    if (!element || element.isConnected) return;
    around.find((one) => one.isConnected && one.hasAttribute("tabindex"))?.focus({ preventScroll: true });
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

  /** The changed elements of the page proper, from top to bottom. */
  function changedSpots(changed) {
    const main = live.querySelector("main");
    const within = (spot) => spot?.isConnected && main.contains(spot) && !spot.closest(".toc, .places, .bar, .counts");
    // All of the page is no spot: that is only what follows a bar that went.
    const found = changed.filter((spot) => within(spot) && !spot.matches("article, main, main > *, .text, .sheet"));
    return found.sort((one, two) => (one.compareDocumentPosition(two) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1));
  }

  /** What is marked: the block that a changed element is in. */
  function blockOf(spot) {
    return spot.closest("article p, article li, article pre, article td, article th, article blockquote") ?? spot;
  }

  // --- following ---------------------------------------------------------------------------------------------------

  let reading = false; // the reader has scrolled, and has not gone to another window since
  let lastY = 0; // where a change of the page left it, or the reader
  let pill = null;

  /** Where the box of an element is: "above" or "below" of what is seen; "" in view. */
  function whereIs(spot) {
    const box = boxOf(spot);
    const [top, bottom] = view();
    if (box.bottom <= top) return "above";
    return box.top >= bottom ? "below" : "";
  }

  /** Of a long text only the characters that changed. */
  function boxOf(spot) {
    const [node, start, end] = replaced.get(spot) ?? [];
    if (node?.parentElement !== spot || end > node.length) return spot.getBoundingClientRect();
    const range = document.createRange();
    range.setStart(node, Math.min(start, Math.max(0, node.length - 1)));
    range.setEnd(node, Math.max(end, Math.min(start + 1, node.length)));
    const box = range.getBoundingClientRect();
    return box.height ? box : spot.getBoundingClientRect();
  }

  /** Top and bottom of what is neither under the header nor under the bar. */
  function view() {
    const top = document.querySelector(".top")?.getBoundingClientRect().bottom ?? 0;
    const bar = live.querySelector(".bar")?.getBoundingClientRect();
    return [top, bar?.height && bar.top > innerHeight / 2 ? bar.top : innerHeight];
  }

  function follow(spot) {
    dropPill();
    const where = whereIs(spot);
    if (!where) mark(blockOf(spot));
    else if (spot.closest("article, .heading")) {
      const typing = document.hasFocus() && document.activeElement?.matches("input:not([type=checkbox])");
      if (reading || typing) showPill(spot, where);
      else reveal(spot);
    }
  }

  /** Scroll to an element and mark it. */
  function reveal(spot) {
    dropPill();
    const box = boxOf(spot);
    const [top, bottom] = view();
    const room = Math.max(16, (bottom - top - box.height) / 2);
    // At once: a page that glides is late, and a scroll that takes time could not be told from the reader's.
    scrollBy({ top: box.top - top - room, behavior: "instant" });
    lastY = scrollY;
    mark(blockOf(spot));
  }

  function showPill(spot, where) {
    pill = document.createElement("button");
    pill.type = "button";
    pill.id = "kb-pill";
    pill.lang = "en";
    pill.className = `pill ${where}`;
    pill.textContent = `Changed ${where}`;
    pill.addEventListener("click", () => {
      reading = false;
      if (spot.isConnected) reveal(spot);
      else dropPill();
    });
    pill.spot = spot;
    document.body.append(pill);
  }

  function dropPill() {
    pill?.remove();
    pill = null;
  }

  function scrolled() {
    if (document.readyState === "complete" && Math.abs(scrollY - lastY) > 1) reading = true;
    lastY = scrollY;
    if (!pill || (pill.spot.isConnected && whereIs(pill.spot))) return;
    const { spot } = pill;
    dropPill();
    if (spot.isConnected) mark(blockOf(spot));
  }

  addEventListener("scroll", scrolled, { passive: true });
  // Whoever goes to the editor wants to see what they write.
  addEventListener("blur", () => (reading = false));

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
    states += 1;
    waitsSince = 0;
    const main = live.querySelector("main");
    if (!main || main.querySelector(".gone")) return;
    const note = document.createElement("div");
    note.className = "gone bar";
    note.setAttribute("role", "status");
    note.lang = "en";
    const words = document.createElement("p");
    words.dir = "ltr";
    const home = document.createElement("a");
    home.href = document.querySelector(".name").href;
    home.textContent = "Go to the home page";
    words.append("This page is gone: its file was deleted, or its address changed. ", home, ".");
    note.append(words);
    main.prepend(note);
  }

  /** The file was renamed, or has another slug: the page goes along, and stays open where it is. */
  function followMove({ url }) {
    history.replaceState(history.state, "", url + location.hash);
    live.dataset.page = url;
    if (recall("announce") === "yes") say("The address of this page has changed.");
  }

  // --- for screen readers, on request --------------------------------------------------------------------------------

  const voice = document.createElement("p");
  voice.className = "unseen";
  voice.lang = "en";
  voice.setAttribute("aria-live", "polite");
  document.body.append(voice);

  function say(text) {
    voice.textContent = text;
  }

  window.kbsyncPage.reveal = reveal;
  if (!document.hidden) open();
})();
