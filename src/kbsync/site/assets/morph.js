// Makes one piece of the page equal to another by changing only what differs: what stays the same stays the same node, so
// focus, selection, open sections and players live on. `data-keeps` on an element names attributes that belong to the
// scripts and the reader.
(() => {
  "use strict";

  const MUCH = 250000; // so many comparisons are made to find what stayed; beyond that, only at both ends

  /** By element, the characters of a text in it that were replaced last: the node, start and end. */
  const replaced = new WeakMap();

  /** Make the children of `old` those of `fresh`. Returns the elements in which something is different. */
  function morph(old, fresh) {
    const changed = [];
    morphChildren(old, fresh, changed);
    return changed;
  }

  function morphNode(old, fresh, changed) {
    if (old.nodeType !== Node.ELEMENT_NODE) return morphText(old, fresh, changed);
    const differs = morphAttributes(old, fresh);
    if (differs) changed.push(old);
    if (old.nodeName === "TEMPLATE") old.innerHTML = fresh.innerHTML;
    else morphChildren(old, fresh, changed);
  }

  /** Replace only the characters that differ: a selection around them keeps its place. */
  function morphText(old, fresh, changed) {
    const before = old.data;
    const after = fresh.data;
    if (before === after) return;
    const shorter = Math.min(before.length, after.length);
    let start = 0;
    while (start < shorter && before[start] === after[start]) start += 1;
    let end = 0;
    while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
    old.replaceData(start, before.length - start - end, after.slice(start, after.length - end));
    replaced.set(old.parentElement, [old, start, after.length - end]);
    changed.push(old.parentElement);
  }

  function morphAttributes(old, fresh) {
    const kept = new Set(["data-keeps", ...(old.dataset.keeps ?? "").split(" ")]);
    let differs = false;
    for (const { name } of [...old.attributes]) {
      if (kept.has(name) || fresh.hasAttribute(name)) continue;
      // The mark of an earlier change is no difference.
      differs ||= !(name === "class" && old.className === "changed");
      old.removeAttribute(name);
    }
    for (const { name, value } of fresh.attributes) {
      if (kept.has(name) || old.getAttribute(name) === value) continue;
      differs ||= !(name === "class" && old.className === `${value} changed`);
      old.setAttribute(name, value);
    }
    return differs;
  }

  function morphChildren(old, fresh, changed) {
    // A box beside an image that did not come is the page's own.
    const before = [...old.childNodes].filter((node) => !node.hasAttribute?.("data-beside"));
    const after = [...fresh.childNodes];
    let start = 0;
    while (start < before.length && start < after.length && same(before[start], after[start])) start += 1;
    let beforeEnd = before.length;
    let afterEnd = after.length;
    while (beforeEnd > start && afterEnd > start && same(before[beforeEnd - 1], after[afterEnd - 1])) {
      beforeEnd -= 1;
      afterEnd -= 1;
    }
    const follower = before[beforeEnd] ?? null;
    const left = before.slice(start, beforeEnd);
    const right = after.slice(start, afterEnd);
    let place = 0;
    let freshPlace = 0;
    for (const [kept, freshKept] of [...commonNodes(left, right), [left.length, right.length]]) {
      const next = left[kept] ?? follower;
      morphRun(old, left.slice(place, kept), right.slice(freshPlace, freshKept), next, changed);
      place = kept + 1;
      freshPlace = freshKept + 1;
    }
  }

  /** One run of nodes none of which stayed as it was: alike ones are morphed, the others go and come. */
  function morphRun(parent, before, after, next, changed) {
    const partners = pair(before, after);
    const used = new Set(partners.values());
    for (const node of before) {
      if (used.has(node)) continue;
      // Where something went, the spot that shows it is what follows now.
      if (!isBlank(node)) changed.push(node.nextElementSibling ?? parent);
      else changed.push(null);
      node.remove();
    }
    const left = before.filter((node) => used.has(node));
    for (const fresh of after) {
      const partner = partners.get(fresh);
      if (partner) {
        left.shift();
        morphNode(partner, fresh, changed);
        continue;
      }
      const node = document.importNode(fresh, true);
      parent.insertBefore(node, left[0] ?? next);
      if (!isBlank(node)) changed.push(node.nodeType === Node.ELEMENT_NODE ? node : parent);
    }
  }

  /** Each fresh node's partner among the old ones: same kind, first by id, then in order; never crosswise. */
  function pair(before, after) {
    const partners = new Map();
    let place = 0;
    for (const fresh of after) {
      let found = before.findIndex((node, at) => at >= place && fresh.id && alike(node, fresh) && node.id === fresh.id);
      if (found < 0) found = before.findIndex((node, at) => at >= place && alike(node, fresh) && !wanted(node, after));
      if (found < 0) continue;
      partners.set(fresh, before[found]);
      place = found + 1;
    }
    return partners;
  }

  /** Whether another fresh node has this one's id, so that it is not to be given away. */
  function wanted(node, after) {
    return Boolean(node.id) && after.some((fresh) => fresh.id === node.id && alike(node, fresh));
  }

  function alike(node, fresh) {
    if (node.nodeName !== fresh.nodeName || node.namespaceURI !== fresh.namespaceURI) return false;
    // A frame or a film of another address is another one; it is not loaded into the old. An image stays in its place
    // until the other is there; but of one that did not come there is nothing to see.
    if (node.nodeName === "IMG" && !node.hidden) return true;
    return !["IFRAME", "VIDEO", "IMG"].includes(node.nodeName) || node.getAttribute("src") === fresh.getAttribute("src");
  }

  function same(node, fresh) {
    // What is inside of a template counts for nothing there.
    return node.isEqualNode(fresh) && (node.nodeName !== "TEMPLATE" || node.innerHTML === fresh.innerHTML);
  }

  function isBlank(node) {
    return node.nodeType === Node.COMMENT_NODE || (node.nodeType === Node.TEXT_NODE && !node.data.trim());
  }

  /** Pairs of places of nodes that stayed as they were: the longest common subsequence. */
  function commonNodes(before, after) {
    if (!before.length || !after.length || before.length * after.length > MUCH) return [];
    const left = before.map(text);
    const right = after.map(text);
    const lengths = left.map(() => new Uint32Array(right.length + 1));
    lengths.push(new Uint32Array(right.length + 1));
    for (let i = left.length - 1; i >= 0; i -= 1) {
      for (let j = right.length - 1; j >= 0; j -= 1) {
        lengths[i][j] =
          left[i] === right[j] ? lengths[i + 1][j + 1] + 1 : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
      }
    }
    const common = [];
    for (let i = 0, j = 0; i < left.length && j < right.length; ) {
      if (left[i] === right[j]) common.push([i++, j++]);
      else if (lengths[i + 1][j] >= lengths[i][j + 1]) i += 1;
      else j += 1;
    }
    return common;
  }

  function text(node) {
    return node.outerHTML ?? `${node.nodeType}${node.data}`;
  }

  window.kbsyncPage.morph = morph;
  window.kbsyncPage.replaced = replaced;
})();
