// Shows where on the page the words are that somebody has searched for: scrolls there and marks them. The marks are drawn
// by the browser beside the page's elements, so that a page which follows the files stays as it is.
(() => {
  "use strict";
  const { words, recall, remember } = window.kbsyncPage;

  const NAME = "kb-found";
  const FRESH_FOR = 10_000; // milliseconds in which a page that was chosen has to open

  /** Called before the page of a hit opens, here or in another tab. `section` is a heading without an address, or null. */
  function leaveFor(link, needles, section) {
    remember("found", JSON.stringify({ page: link.pathname, needles, section, at: Date.now() }));
    // A heading of this very page: nothing is loaded.
    if (link.pathname === location.pathname && link.hash) setTimeout(arrive);
  }

  function arrive() {
    const wanted = read();
    const isLate = wanted && Date.now() - wanted.at > FRESH_FOR;
    if (isLate || wanted?.page === location.pathname) remember("found", "");
    if (isLate || wanted?.page !== location.pathname) return;
    mark(wanted.needles);
    if (wanted.section) headingOf(wanted.section)?.scrollIntoView({ block: "start", behavior: "instant" });
  }

  function read() {
    try {
      return JSON.parse(recall("found") || "null");
    } catch {
      return null;
    }
  }

  function mark(needles) {
    if (!CSS.highlights) return;
    const ranges = [];
    for (const part of document.querySelectorAll("#live article, #live .heading")) {
      const texts = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
      while (texts.nextNode()) {
        for (const [start, end] of words.places(texts.currentNode.data, needles)) {
          ranges.push(new StaticRange({ startContainer: texts.currentNode, startOffset: start, endContainer: texts.currentNode, endOffset: end }));
        }
      }
    }
    CSS.highlights.set(NAME, new Highlight(...ranges));
  }

  /** Headings in letters without an address, and those whose words stand twice: by their place among all. */
  function headingOf({ heading, place }) {
    const all = [...document.querySelectorAll("#live article :is(h1, h2, h3, h4, h5, h6)")];
    const isIt = (element) => words.fold(element.textContent) === words.fold(heading);
    return all[place - 1] && isIt(all[place - 1]) ? all[place - 1] : all.find(isIt);
  }

  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !event.defaultPrevented) CSS.highlights?.delete(NAME);
  });

  window.kbsyncPage.leaveFor = leaveFor;
  arrive();
})();
