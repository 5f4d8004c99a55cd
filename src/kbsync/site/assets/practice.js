// Articles of the practice panel can be dragged within their category. The buttons do the same without a script.
(() => {
  "use strict";
  let dragged = null;

  const isBelow = (event, row) => event.clientY > row.getBoundingClientRect().top + row.offsetHeight / 2;
  const clear = () => document.querySelectorAll("li.over").forEach((row) => row.classList.remove("over", "below"));

  const drop = (row, below) => {
    const from = Number(dragged.dataset.place);
    const to = Number(row.dataset.place) + (below ? 1 : 0);
    const place = to > from ? to - 1 : to;
    if (place === from) return;
    const form = dragged.querySelector("form");
    for (const [name, value] of [["do", "place"], ["place", String(place)]]) {
      const field = document.createElement("input");
      field.type = "hidden";
      field.name = name;
      field.value = value;
      form.append(field);
    }
    form.submit();
  };

  for (const row of document.querySelectorAll("li[data-place]")) {
    row.draggable = true;
    row.addEventListener("dragstart", (event) => {
      dragged = row;
      event.dataTransfer.effectAllowed = "move";
    });
    row.addEventListener("dragover", (event) => {
      if (!dragged || dragged.parentNode !== row.parentNode) return;
      event.preventDefault();
      clear();
      row.classList.add("over");
      row.classList.toggle("below", isBelow(event, row));
    });
    row.addEventListener("drop", (event) => {
      if (!dragged || dragged.parentNode !== row.parentNode) return;
      event.preventDefault();
      drop(row, isBelow(event, row));
    });
    row.addEventListener("dragend", () => {
      dragged = null;
      clear();
    });
  }
})();
