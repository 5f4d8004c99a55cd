// The index of a locale: loads it when it is first used and what changed since then after a save, and ranks its articles.
// It never holds a keystroke up: texts are folded and searched in slices between which the page breathes.
(() => {
  "use strict";
  const { words } = window.kbsyncPage;

  const HITS = 20;
  const FEW = 3; // With fewer hits than these, words that are nearly the same are looked for, too.
  const FIRST_SOLID = "\u0e00"; // Below it every script puts blanks between words.
  const SLICE = 8; // milliseconds of work before the page gets a turn

  // What a word counts, by where it is.
  const IN_TITLE = 100;
  const FIRST_IN_TITLE = 15;
  const IN_HEADING = 40;
  const IN_ABOUT = 25;
  const IN_PROSE = 10;
  const IN_CODE = 3;
  const BEST_IN_TEXT = IN_TITLE * 0.8; // what an article gets at most whose words are not all in its title
  const PHRASES = { title: 30, headings: 12, prose: 4 };

  /** The server does not answer; another error is an index that cannot be read. */
  class Away extends Error {}

  const vocabulary = new Set();
  let entries = null; // by address
  let version = "";
  let isStale = true;
  let loading = null;

  // --- loading -------------------------------------------------------------------------------------------------------

  /** The entries as they are now; `source` is the address of the index. */
  function load(source) {
    if (!isStale && !loading) return Promise.resolve(entries);
    loading ??= take(source).finally(() => {
      loading = null;
    });
    return loading;
  }

  async function take(source) {
    isStale = false;
    try {
      const index = await (source.pathname.endsWith(".js") ? asScript(source) : asked(source));
      const before = index.since ? entries : null;
      const now = new Map(before);
      for (const url of index.gone ?? []) now.delete(url);
      await inSlices(index.articles, (row) => now.set(row[0], entry(row)));
      entries = now;
      version = index.version ?? "";
      // The long texts are folded ahead, while nobody waits for them.
      inSlices([...now.values()], foldText);
      return isStale ? take(source) : entries; // Files may have changed meanwhile.
    } catch (error) {
      isStale = true;
      throw error;
    }
  }

  async function asked(source) {
    const url = new URL(source);
    if (entries && version) url.searchParams.set("since", version);
    const answer = await fetch(url).catch(() => {
      throw new Away();
    });
    if (answer.status === 503) throw new Away();
    if (!answer.ok) throw new Error(`${answer.status}`);
    return answer.json();
  }

  /** A page that was opened as a file may load scripts and read nothing else. */
  function asScript(source) {
    return new Promise((resolve, reject) => {
      const script = document.createElement("script");
      window.kbsyncPage.takeIndex = resolve;
      script.onerror = reject;
      script.onload = () => reject(new Error("no index"));
      script.src = source;
      document.head.append(script);
    }).finally(() => delete window.kbsyncPage.takeIndex);
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

  // --- entries -------------------------------------------------------------------------------------------------------

  /** An article, folded: `row` is [address, title, description, category, sections], a section [heading, anchor, prose, code]. */
  function entry(row) {
    const headings = row[4].map((section) => words.fold(section[0])).join("");
    return { row, title: words.fold(row[1]), about: words.fold(row[2]), headings, prose: null, code: "", isLearned: false };
  }

  function foldText(found) {
    if (found.prose !== null) return;
    found.prose = found.row[4].map((section) => words.fold(section[2])).join("");
    found.code = found.row[4].map((section) => (section[3] ? words.fold(section[3]) : "")).join("");
  }

  function learn(found) {
    if (found.isLearned) return;
    foldText(found);
    found.isLearned = true;
    for (const word of `${found.title}${found.about}${found.headings}${found.prose}`.split(" ")) {
      if (word.length > 2 && (word < FIRST_SOLID || !words.isSolid(word))) vocabulary.add(word);
    }
  }

  /** How well an article fits, 0 for not at all; every word must be somewhere. */
  function score(found, needles, { text }) {
    let total = 0;
    for (const needle of needles) {
      const inTitle = words.grade(found.title, needle);
      const first = inTitle && found.title.startsWith(` ${needle.word}`) ? FIRST_IN_TITLE : 0;
      const points =
        inTitle * IN_TITLE + first ||
        words.grade(found.headings, needle) * IN_HEADING ||
        words.grade(found.about, needle) * IN_ABOUT ||
        (text && (words.grade(found.prose, needle) * IN_PROSE || words.grade(found.code, needle) * IN_CODE));
      if (!points) return 0;
      total += points;
    }
    if (needles.length > 1) {
      const phrase = ` ${needles.map((needle) => needle.word).join(" ")}`;
      const where = Object.keys(PHRASES).find((name) => found[name]?.includes(phrase));
      if (where) total += PHRASES[where];
    }
    // Of two titles with the same words the shorter one says more exactly what was asked for.
    return total + 10 / (10 + found.title.length);
  }

  // --- searching -----------------------------------------------------------------------------------------------------

  /**
   * The best articles for a query, as { found, points, needles }; null when nobody waits any more.
   * `show` gets those whose titles, headings or descriptions fit, before the texts are searched.
   */
  async function find(query, wanted, show) {
    const all = [...entries.values()];
    const needles = words.needles(query);
    const hits = [];
    const isOpen = await inSlices(all, (found) => collect(hits, found, needles, { text: false }), wanted);
    if (!isOpen || !wanted()) return null;
    if (hits.length) show(hits);
    // Enough titles: what only the text says would not be shown.
    if (hits.length === HITS && hits.at(-1).points > BEST_IN_TEXT * needles.length) return hits;
    if (!(await searchTexts(all, hits, needles, wanted))) return null;
    if (hits.length >= FEW) return hits;
    if (!(await inSlices(all, learn, wanted)) || !wanted()) return null;
    const near = words.nearNeedles(query, vocabulary);
    const isOther = near.length !== needles.length || near.some((needle) => needle.near.length);
    if (isOther && !(await searchTexts(all, hits, near, wanted))) return null;
    return hits;
  }

  /** Adds the articles in whose texts the words are; whether anybody still waits. */
  async function searchTexts(all, hits, needles, wanted) {
    const known = new Set(hits.map((hit) => hit.found));
    const inText = (found) => {
      foldText(found);
      if (!known.has(found)) collect(hits, found, needles, { text: true });
    };
    return (await inSlices(all, inText, wanted)) && wanted();
  }

  /** Put an article where its points belong among the best; of equals the earlier one stays before. */
  function collect(hits, found, needles, options) {
    const points = score(found, needles, options);
    if (!points || (hits.length === HITS && hits.at(-1).points >= points)) return;
    const behind = hits.findIndex((hit) => hit.points < points);
    hits.splice(behind < 0 ? hits.length : behind, 0, { found, points, needles });
    if (hits.length > HITS) hits.pop();
  }

  /** The number of the section that a hit means; 0 for the beginning of the article. */
  function sectionOf({ found, needles }) {
    if (needles.every((needle) => words.grade(found.title, needle))) return 0;
    let best = 0;
    let most = 0;
    found.row[4].forEach(([heading, , prose, code = ""], place) => {
      const texts = [words.fold(heading), words.fold(prose), words.fold(code)];
      const points = needles.reduce((sum, needle) => sum + pointsIn(texts, needle), 0);
      if (points > most) [best, most] = [place, points];
    });
    return best;
  }

  function pointsIn([heading, prose, code], needle) {
    const points = words.grade(heading, needle) * 4 || words.grade(prose, needle) * 3 || words.grade(code, needle) * 2;
    // A section with one word more comes before one that has another in its heading.
    return points && points + 10;
  }

  window.kbsyncPage.search = {
    Away,
    load,
    find,
    sectionOf,
    /** The files have changed: the next use asks what is different. */
    forget() {
      isStale = true;
    },
    /** The articles as they were known last; null before the first time. */
    known: () => entries,
  };
})();
