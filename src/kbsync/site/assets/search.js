// The search box: fetches the index when it is first used, searches while somebody types, and never holds a keystroke up:
// titles and descriptions are searched at once, texts in slices between which the page breathes.
(() => {
  "use strict";
  const { words, isShortcut } = window.kbsyncPage;
  const form = document.getElementById("kb-search");
  const input = document.getElementById("kb-query");
  const results = document.getElementById("kb-results");
  const list = document.getElementById("kb-found");
  const said = document.getElementById("kb-said");
  if (!form) return;

  const HITS = 20;
  const SLICE = 8; // milliseconds of work before the page gets a turn

  const source = new URL(form.dataset.search, location.href);
  let articles = null; // a promise of the folded index
  let selected = -1;
  let moved = false; // by the arrow keys: then the choice stays with its article while hits come in
  let run = 0; // counts searches: what belongs to an older one stops

  // --- the index -----------------------------------------------------------------------------------------------------

  async function load() {
    const answer = await fetch(source);
    if (!answer.ok) throw new Error(`${answer.status}`);
    const rows = (await answer.json()).articles;
    const folded = [];
    await inSlices(rows, (row) => folded.push(words.entry(row)));
    return folded;
  }

  function index() {
    articles ??= load().then((folded) => {
      // The long texts are folded ahead, while nobody waits for them.
      inSlices(folded, words.foldText);
      return folded;
    });
    return articles;
  }

  /** Do the work for each item, a slice at a time, until `wanted` says that nobody waits any more. */
  async function inSlices(items, work, wanted = () => true) {
    let started = performance.now();
    for (const item of items) {
      work(item);
      if (performance.now() - started < SLICE) continue;
      await new Promise((resume) => setTimeout(resume));
      if (!wanted()) return false;
      started = performance.now();
    }
    return true;
  }

  // --- searching -----------------------------------------------------------------------------------------------------

  async function search() {
    run += 1;
    const mine = run;
    const isMine = () => mine === run;
    const query = input.value.trim();
    const needles = words.needles(query);
    if (!needles.length) return hide();
    let folded;
    const loading = setTimeout(() => isMine() && say("Reading the articles …"), 150);
    try {
      folded = await index();
    } catch {
      articles = null;
      if (isMine()) show([], needles, "Search does not work here: the index cannot be read. Pages opened as files have no search.");
      return;
    } finally {
      clearTimeout(loading);
    }
    if (!isMine()) return;
    const hits = [];
    const inTitle = (found) => collect(hits, found, words.score(found, needles, { text: false }));
    if (!(await inSlices(folded, inTitle, isMine)) || !isMine()) return;
    if (hits.length) show(hits, needles, "");
    const known = new Set(hits.map((hit) => hit.found));
    const inText = (found) => {
      words.foldText(found);
      if (!known.has(found)) collect(hits, found, words.score(found, needles, { text: true }));
    };
    // Enough titles: what only the text says would not be shown.
    const whole = hits.length >= HITS || (await inSlices(folded, inText, isMine));
    if (!whole || !isMine()) return;
    show(hits, needles, hits.length ? "" : form.dataset.nothing.replace("{query}", () => query));
  }

  /** Put an article where its points belong among the best; of equals the earlier one stays before. */
  function collect(hits, found, points) {
    if (!points || (hits.length === HITS && hits.at(-1).points >= points)) return;
    const behind = hits.findIndex((hit) => hit.points < points);
    hits.splice(behind < 0 ? hits.length : behind, 0, { found, points });
    if (hits.length > HITS) hits.pop();
  }

  // --- showing -------------------------------------------------------------------------------------------------------

  function show(hits, needles, message) {
    const chosen = list.children[selected]?.href;
    list.replaceChildren(...hits.map((hit, place) => option(hit.found.row, needles, place)));
    list.hidden = !hits.length;
    results.hidden = false;
    input.setAttribute("aria-expanded", String(hits.length > 0));
    say(message);
    const again = moved ? [...list.children].findIndex((link) => link.href === chosen) : -1;
    select(again >= 0 ? again : hits.length ? 0 : -1);
  }

  function option([url, title, about, category, text], needles, place) {
    const link = document.createElement("a");
    link.id = `kb-hit-${place}`;
    link.setAttribute("role", "option");
    link.tabIndex = -1;
    link.href = new URL(url, source);
    const head = element("span", "hit-title", element("span", "", ...pieces(words.marked(title, needles))));
    if (category) head.append(element("span", "note", category));
    link.append(head);
    const inAbout = about && (!text || words.marked(about, needles).some(([, hit]) => hit));
    const body = inAbout ? words.snippet(about, needles) : words.snippet(text || about, needles);
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

  function hide() {
    run += 1;
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
    index().catch(() => {
      articles = null;
    });
    if (input.value.trim()) search();
  });
  input.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    const count = results.hidden ? 0 : list.children.length;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && count) {
      moved = true;
      select((selected + step + count) % count);
    }
    else if (event.key === "Enter" && count) (list.children[selected] ?? list.children[0]).click();
    else if (event.key === "Escape" && !results.hidden) hide();
    else if (event.key === "Escape") {
      input.value = "";
      input.blur();
    } else return;
    event.preventDefault();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || !isShortcut(event)) return;
    event.preventDefault();
    input.focus();
    input.select();
  });
  form.addEventListener("focusout", (event) => {
    if (!form.contains(event.relatedTarget)) hide();
  });
  // A click on a hit must not take the focus away before it is a click.
  results.addEventListener("pointerdown", (event) => event.preventDefault());
  results.addEventListener("click", hide);

  // The files have changed: the next use reads them again.
  addEventListener("kbsync-search", () => {
    articles = null;
    if (document.activeElement === input) search();
  });
})();
