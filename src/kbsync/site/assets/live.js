// Keeps the open page in step: the server sends its new inner HTML, which takes the place of the old.
(() => {
  const live = document.documentElement.dataset.live;
  const box = document.getElementById("live");
  if (!live || !box) return;
  const stream = new EventSource(`${live}?page=${encodeURIComponent(location.pathname)}`);
  stream.addEventListener("page", (event) => {
    const { html, title } = JSON.parse(event.data);
    if (box.innerHTML === html) return;
    const top = scrollY;
    box.innerHTML = html;
    document.title = title;
    scrollTo({ top, behavior: "instant" });
  });
  stream.addEventListener("gone", () => {
    box.textContent = "This page was deleted.";
  });
  stream.addEventListener("reload", () => location.reload());
})();
