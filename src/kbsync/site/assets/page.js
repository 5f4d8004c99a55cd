// What every page does: the switch between light and dark, the menu of languages, the table of contents that follows the
// reader, the switch for images and players of other hosts, and boxes that scroll made reachable by keyboard.
(() => {
  "use strict";
  const { root, remember, showScheme, onPage } = window.kbsyncPage;

  document.getElementById("kb-scheme")?.addEventListener("click", () => {
    const scheme = root.dataset.shown === "dark" ? "light" : "dark";
    remember("scheme", scheme);
    showScheme(scheme);
  });

  const menu = document.getElementById("kb-locales");
  document.addEventListener("click", (event) => {
    if (menu && !menu.contains(event.target)) menu.open = false;
    const media = event.target.closest?.("[data-media]")?.dataset.media;
    if (media) switchMedia(media);
    const copy = event.target.closest?.("[data-copy-code]");
    if (copy) copyCode(copy);
  });
  menu?.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    menu.open = false;
    menu.querySelector("summary").focus();
  });

  // --- code ----------------------------------------------------------------------------------------------------------

  const COPIED_FOR = 2000; // milliseconds for which a button says that it has copied

  async function copyCode(button) {
    const code = button.parentElement.querySelector("code").textContent;
    try {
      await navigator.clipboard.writeText(code.replace(/\n$/, ""));
    } catch {
      return; // The browser does not allow it: nothing is said to be copied.
    }
    button.dataset.done = "yes";
    button.setAttribute("aria-label", button.dataset.copied);
    setTimeout(() => {
      delete button.dataset.done;
      button.setAttribute("aria-label", button.title);
    }, COPIED_FOR);
  }

  // --- images and players of other hosts ---------------------------------------------------------------------------

  // The server decides by the cookie; it is forgotten with the session.
  function switchMedia(media) {
    document.cookie = `kbsync_media=${media === "on" ? 1 : 0}; path=/; samesite=strict`;
    location.reload();
  }

  function showMediaSwitches() {
    const on = document.cookie.split("; ").includes("kbsync_media=1");
    for (const note of document.querySelectorAll("[data-media-on]")) note.hidden = !on;
    // In a folder of files nobody answers: there the link beside the switch has to do.
    if (!root.dataset.live) for (const button of document.querySelectorAll(".blocked button")) button.hidden = true;
  }

  // --- images that do not come ---------------------------------------------------------------------------------------

  // The image stays, hidden: a change of the page compares it with the file's, and knows nothing of the box beside it.
  function showFailed(image) {
    if (image.hidden || !image.closest("article")) return;
    const box = document.createElement("span");
    box.className = "blocked absent";
    box.dataset.beside = "image";
    for (const [name, className, text] of [
      ["span", "what", document.getElementById("kb-page").dataset.imageFailed],
      ["span", "about", image.alt],
      ["code", "", nameOf(new URL(image.src, location.href))],
    ]) {
      const part = document.createElement(name);
      if (className) part.className = className;
      part.textContent = text;
      if (text) box.append(part, " ");
    }
    image.hidden = true;
    image.dataset.keeps = "hidden";
    image.after(box);
  }

  function nameOf(url) {
    if (url.host !== location.host) return url.host;
    const name = url.pathname.split("/").at(-1);
    try {
      return decodeURIComponent(name);
    } catch {
      return name; // `%` before something else than a byte
    }
  }

  function findFailed() {
    for (const box of document.querySelectorAll("[data-beside]")) if (!box.previousElementSibling?.hidden) box.remove();
    for (const image of document.querySelectorAll("article img")) {
      // Some images without a size of their own are whole; reading one tells.
      if (image.complete && !image.naturalWidth) image.decode().catch(() => showFailed(image));
    }
  }
  document.addEventListener("error", (event) => event.target.matches?.("article img") && showFailed(event.target), true);

  // --- table of contents ---------------------------------------------------------------------------------------------

  let links = [];
  let headings = [];
  let frame = 0;

  function followReader() {
    links = [...document.querySelectorAll(".toc li > *")];
    // Some headings have no address, and some the address of another one: each is found by its place.
    headings = [...document.querySelectorAll("article :is(h1, h2, h3)")];
    markPlace();
  }

  /** Scroll a box that scrolls by itself, until one of its links is seen. */
  function bringIntoView(box, link) {
    const [outer, inner] = [box, link].map((element) => element.getBoundingClientRect());
    if (inner.top >= outer.top && inner.bottom <= outer.bottom) return;
    box.scrollTop += inner.top - outer.top - (outer.height - inner.height) / 2;
  }

  function markPlace() {
    frame = 0;
    const now = placeOf();
    const before = links.findIndex((link) => link.hasAttribute("aria-current"));
    links.forEach((link, place) => {
      if (place === now) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    });
    const toc = links[now]?.closest(".toc");
    if (now !== before && toc?.scrollHeight > toc?.clientHeight) bringIntoView(toc, links[now]);
  }

  /** The number of the last heading that was scrolled to or past. */
  function placeOf() {
    const tops = headings.map((heading) => heading.getBoundingClientRect().top);
    if (scrollY > 0 && innerHeight + scrollY >= root.scrollHeight - 2) {
      // At the end some sections cannot come to the top: the one that was asked for, else the last.
      const asked = links.findIndex((link, place) => link.hash && link.hash === location.hash && tops[place] > 0);
      return asked < 0 || tops[asked] > innerHeight ? links.length - 1 : asked;
    }
    // Where a jump to a heading ends, and one pixel: it may end a fraction below.
    const margin = headings.length ? parseFloat(getComputedStyle(headings[0]).scrollMarginTop) : 0;
    const line = parseFloat(getComputedStyle(root).scrollPaddingTop) + margin + 1;
    return Math.max(0, tops.findLastIndex((top) => top <= line));
  }

  // In every frame of a scroll, to its end: a jump may glide.
  const willMark = () => (frame ||= requestAnimationFrame(markPlace));
  addEventListener("scroll", willMark, { passive: true });
  addEventListener("resize", willMark);

  // Beside the text contents and places are always shown. A browser that cannot show what is in a closed element gets
  // them opened.
  function openBeside() {
    if (CSS.supports("selector(::details-content)")) return;
    for (const box of document.querySelectorAll(".toc, .places")) {
      const nav = box.querySelector("nav");
      box.open = getComputedStyle(box.matches(".places") ? nav : box).position === "sticky";
    }
  }
  new ResizeObserver(openBeside).observe(document.getElementById("live"));

  // In a long list of places the page itself is in view.
  function showCurrentPlace() {
    const nav = document.querySelector("#kb-places nav");
    const current = nav?.querySelector("li a[aria-current]");
    if (current && nav.clientHeight) bringIntoView(nav, current);
  }
  document.addEventListener("toggle", (event) => event.target.id === "kb-places" && showCurrentPlace(), true);

  // The line of places lies over the text when it is open.
  document.addEventListener("click", (event) => {
    const places = document.getElementById("kb-places");
    if (places?.open && !event.target.closest("#kb-places summary")) places.open = false;
  });
  document.addEventListener("keydown", (event) => {
    const places = document.getElementById("kb-places");
    if (event.key !== "Escape" || !places?.open || !places.contains(event.target)) return;
    places.open = false;
    places.querySelector("summary").focus();
  });

  // --- boxes that scroll -----------------------------------------------------------------------------------------------

  function reachBoxes() {
    for (const box of document.querySelectorAll("article pre, article table, article .tableWrapper")) {
      const scrolls = box.scrollWidth > box.clientWidth + 1 || box.scrollHeight > box.clientHeight + 1;
      if (scrolls && !box.hasAttribute("tabindex")) {
        box.tabIndex = 0;
        box.dataset.keeps = "tabindex";
      } else if (!scrolls && box.dataset.keeps) {
        box.removeAttribute("tabindex");
        delete box.dataset.keeps;
      }
    }
  }
  new ResizeObserver(reachBoxes).observe(document.getElementById("live"));

  onPage(() => {
    showMediaSwitches();
    findFailed();
    openBeside();
    followReader();
    reachBoxes();
  });
  showCurrentPlace();
})();
