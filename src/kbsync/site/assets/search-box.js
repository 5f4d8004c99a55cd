// The search box: asks for the index when it is first used, searches while somebody types, shows what was found, and opens
// it at its place. Everything can be done with keys alone.
(() => {
  "use strict";
  const { words, search: index, leaveFor } = window.kbsyncPage;
  const form = document.getElementById("kb-search");
  const input = document.getElementById("kb-query");
  const results = document.getElementById("kb-results");
  const list = document.getElementById("kb-found");
  const said = document.getElementById("kb-said");
  if (!form) return;

  const PATIENCE = 150; // milliseconds until the box says that the index is still being read

  const source = new URL(form.dataset.search, location.href);
  let chosen = new WeakMap(); // by the link of a hit, what its page has to know
  let selected = -1;
  let moved = false; // by the arrow keys: then the choice stays with its article while hits come in
  let run = 0; // counts searches: what belongs to an older one stops
  let done = 0; // the search whose hits are all there
  let awaited = 0; // the search whose first hit is opened as soon as it is there: Enter came before it

  // --- searching -----------------------------------------------------------------------------------------------------

  async function search() {
    run += 1;
    const mine = run;
    const isMine = () => mine === run;
    const query = input.value.trim();
    const needles = words.needles(query);
    if (!needles.length) return hide();
    const loading = setTimeout(() => isMine() && say(form.dataset.loading), PATIENCE);
    let message = "";
    try {
      await index.load(source);
    } catch (error) {
      message = error instanceof index.Away ? form.dataset.away : form.dataset.failed;
    } finally {
      clearTimeout(loading);
    }
    if (!isMine()) return;
    // What is known from before can be searched while the server is away.
    if (!index.known()) return show([], message);
    const hits = await index.find(query, isMine, (first) => show(first, message));
    if (!hits) return;
    done = mine;
    show(hits, message || (hits.length ? "" : form.dataset.nothing.replace("{query}", () => query)));
    if (awaited === mine) open();
  }

  // --- showing -------------------------------------------------------------------------------------------------------

  function show(hits, message) {
    const before = list.children[selected]?.href;
    chosen = new WeakMap();
    list.replaceChildren(...hits.map(option));
    list.hidden = !hits.length;
    results.hidden = false;
    input.setAttribute("aria-expanded", String(hits.length > 0));
    say(message);
    const again = moved ? [...list.children].findIndex((link) => link.href === before) : -1;
    select(again >= 0 ? again : hits.length ? 0 : -1);
  }

  function option(hit, place) {
    const [url, title, about, category, sections] = hit.found.row;
    const number = index.sectionOf(hit);
    const [heading, anchor, prose] = sections[number] ?? ["", "", ""];
    const link = element("a", "");
    link.id = `kb-hit-${place}`;
    link.setAttribute("role", "option");
    link.tabIndex = -1;
    link.href = new URL(url, source);
    // Of headings with the same words a browser opens the first.
    const isOnly = anchor && sections.findIndex((section) => section[1] === anchor) === number;
    if (isOnly) link.hash = anchor;
    chosen.set(link, { needles: hit.needles, section: heading && !isOnly ? { heading, place: number } : null });
    const head = element("span", "hit-title", element("span", "", ...pieces(words.marked(title, hit.needles))));
    if (category) head.append(element("span", "note", category));
    link.append(head);
    if (heading) link.append(element("span", "hit-heading", ...pieces(words.marked(heading, hit.needles))));
    const inAbout = about && !heading && (!prose || words.marked(about, hit.needles).some(([, isHit]) => isHit));
    const body = words.snippet(inAbout ? about : prose || (heading ? "" : about), hit.needles);
    if (body.length) link.append(element("span", "hit-text", ...pieces(body)));
    return link;
  }

  /** Text never becomes markup: every piece is a text node, a hit's inside of a <mark>. */
  function pieces(parts) {
    return parts.map(([text, hit]) => (hit ? element("mark", "", text) : text));
  }

  function element(name, className, ...inside) {
    const made = document.createElement(name);
    if (className) made.className = className;
    made.append(...inside);
    return made;
  }

  function say(message) {
    said.textContent = message;
    if (message) results.hidden = false;
  }

  function open() {
    awaited = 0;
    (list.children[selected] ?? list.children[0])?.click();
  }

  function hide() {
    run += 1;
    done = run;
    results.hidden = true;
    input.setAttribute("aria-expanded", "false");
    select(-1);
  }

  function select(place) {
    list.children[selected]?.setAttribute("aria-selected", "false");
    selected = place;
    const link = list.children[place];
    for (const other of list.children) other.setAttribute("aria-selected", String(other === link));
    if (link) input.setAttribute("aria-activedescendant", link.id);
    else input.removeAttribute("aria-activedescendant");
    link?.scrollIntoView({ block: "nearest", behavior: "instant" });
  }

  // --- keys ----------------------------------------------------------------------------------------------------------

  input.addEventListener("input", () => {
    moved = false;
    search();
  });
  input.addEventListener("focus", () => {
    if (input.value.trim()) search();
    else index.load(source).catch(() => {}); // The first letter will say it.
  });
  input.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    const count = results.hidden ? 0 : list.children.length;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && count) {
      moved = true;
      select((selected + step + count) % count);
    }
    else if (event.key === "Enter" && done !== run) awaited = run;
    else if (event.key === "Enter" && count) open();
    else if (event.key === "Escape" && !results.hidden) hide();
    else if (event.key === "Escape") {
      input.value = "";
      input.blur();
    } else return;
    event.preventDefault();
  });
  form.addEventListener("focusout", (event) => {
    if (!form.contains(event.relatedTarget)) hide();
  });
  // A click on a hit must not take the focus away before it is a click.
  results.addEventListener("pointerdown", (event) => event.preventDefault());
  const leave = (event) => {
    const link = event.target.closest?.("a");
    const { needles, section } = chosen.get(link) ?? {};
    if (needles) leaveFor(link, needles, section);
  };
  results.addEventListener("click", (event) => {
    leave(event);
    hide();
  });
  results.addEventListener("auxclick", leave); // in another tab

  // The files have changed, or may have while the server was away.
  addEventListener("kbsync-search", () => {
    index.forget();
    if (document.activeElement === input) search();
  });

  // What was typed before this script was there.
  if (document.activeElement === input) {
    if (input.value.trim()) search();
    else index.load(source).catch(() => {});
    if (input.dataset.entered && input.value.trim()) awaited = run;
  }
})();
