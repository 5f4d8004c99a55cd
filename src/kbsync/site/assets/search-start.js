// The search, until it is first used: a page that is only read does without its scripts. They come when somebody goes to
// the box, or arrives from it.
(() => {
  "use strict";
  const { recall, isShortcut } = window.kbsyncPage;
  const { src } = document.currentScript;
  const form = document.getElementById("kb-search");
  const input = document.getElementById("kb-query");
  const results = document.getElementById("kb-results");
  if (!form) return;

  let isThere = false;
  let loading = null;

  function load() {
    loading ??= new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = new URL("search.js", src);
      script.onload = resolve;
      script.onerror = reject;
      document.head.append(script);
    }).then(
      () => {
        isThere = true;
      },
      () => {
        loading = null; // The next letter tries again.
        if (document.activeElement === input && input.value.trim()) sayAway();
      },
    );
  }

  function sayAway() {
    document.getElementById("kb-said").textContent = form.dataset.away;
    results.hidden = false;
  }

  const want = () => isThere || load();
  form.addEventListener("pointerenter", want);
  input.addEventListener("focus", want);
  input.addEventListener("input", want);
  input.addEventListener("blur", () => isThere || (results.hidden = true));
  // Enter before the search is there: it opens the first hit when it has one.
  input.addEventListener("keydown", (event) => {
    if (!isThere && !event.isComposing) input.dataset.entered = event.key === "Enter" ? "yes" : "";
  });
  addEventListener("kbsync-search", () => isThere || (document.activeElement === input && load()));
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || !isShortcut(event)) return;
    event.preventDefault();
    input.focus();
    input.select();
  });

  if (recall("found")) load();
})();
