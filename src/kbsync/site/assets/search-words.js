// The search itself, without a page: words, ranks and snippets, for every script. Texts are folded once (NFKD, marks away,
// lower case), and what is not a letter or a digit becomes one blank, so that a word begins wherever a blank stands.
(() => {
  "use strict";

  // Scripts that put no blanks between words; each run of them stands by itself and is found anywhere inside.
  const SOLID = "\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Hang}\\p{scx=Thai}\\p{scx=Laoo}\\p{scx=Khmr}\\p{scx=Mymr}";
  const SOLID_RUN = new RegExp(`[${SOLID}]+`, "gu");
  const SOLID_WORD = new RegExp(`^[${SOLID}]`, "u");
  const MARKS = /\p{M}+|ـ/gu;
  const BETWEEN = /[^\p{L}\p{N}]+/gu;
  const PLAIN = /^[\x00-\x7f]*$/;
  const PLAIN_BETWEEN = /[^a-z0-9]+/g;
  const PLAIN_OTHER = /[^a-z0-9]/g;
  const LETTERS = { ß: "ss", æ: "ae", œ: "oe", ø: "o", đ: "d", ð: "d", ł: "l", ı: "i", þ: "th", ς: "σ" };
  const SPECIAL = /[ßæœøđðłıþς]/g;

  const SNIPPET_BEFORE = 50;
  const SNIPPET = 150;

  /** A text as words with a blank before, between and behind: " like this ". */
  function fold(text) {
    if (PLAIN.test(text)) return ` ${text.toLowerCase().replace(PLAIN_BETWEEN, " ")} `.replace(/^ {2}/, " ");
    const folded = foldLetters(text).replace(BETWEEN, " ").replace(SOLID_RUN, " $& ");
    return ` ${folded.replace(/ +/g, " ").trim()} `;
  }

  function foldLetters(text) {
    const bare = text.normalize("NFKD").toLowerCase().replace(MARKS, "");
    return bare.replace(SPECIAL, (letter) => LETTERS[letter]);
  }

  /** What each word of a query looks like in a folded text: a word's beginning, or any part where words have no blanks. */
  function needles(query) {
    const words = fold(query).trim().split(" ").filter(Boolean);
    return words.map((word) => (SOLID_WORD.test(word) ? word : ` ${word}`));
  }

  /** An article, folded: `row` is the index's [url, title, description, category, text]. */
  function entry(row) {
    return { row, title: fold(row[1]), about: fold(row[2]), text: "" };
  }

  function foldText(found) {
    if (!found.text) found.text = fold(found.row[4]);
  }

  /** How well an article fits, 0 for not at all; every word must be somewhere. Title before description before text. */
  function score(found, words, { text }) {
    let total = 0;
    for (const word of words) {
      const inTitle = found.title.indexOf(word);
      if (inTitle >= 0) {
        const whole = found.title[inTitle + word.length] === " ";
        total += 100 + (whole ? 20 : 0) + (inTitle === 0 ? 15 : 0);
      } else if (found.about.includes(word)) total += 30;
      else if (text && found.text.includes(word)) total += 5;
      else return 0;
    }
    // Of two titles with the same words the shorter one says more exactly what was asked for.
    return total + 10 / (10 + found.title.length);
  }

  /** Where the words stand in the text as it is written: pairs of start and end, in order and apart. */
  function places(text, words) {
    if (!PLAIN.test(text)) return placesAnywhere(text, words);
    // One folded letter for each written one: places are the same in both.
    const folded = ` ${text.toLowerCase().replace(PLAIN_OTHER, " ")} `;
    return merged(words.flatMap((word) => placesOf(folded, word, (at) => at - 1, text)));
  }

  const FOLDED = new Map(); // what one written letter becomes; a text has few different ones

  function foldOne(letter) {
    let bare = FOLDED.get(letter);
    if (bare === undefined) {
      bare = foldLetters(letter).replace(BETWEEN, " ").replace(SOLID_RUN, " $& ") || (letter.trim() ? "" : " ");
      FOLDED.set(letter, bare);
    }
    return bare;
  }

  /** As `places`; folding letter by letter tells for every folded letter which written one it came from. */
  function placesAnywhere(text, words) {
    let folded = " ";
    const from = [0];
    let at = 0;
    for (const letter of text) {
      for (const part of foldOne(letter)) {
        const afterBlank = folded.endsWith(" ");
        if (part === " " && afterBlank) continue;
        // Between two letters of a solid script there is no blank, though each by itself has some.
        if (part > "~" && afterBlank && SOLID_WORD.test(part) && solidBefore(folded)) {
          folded = folded.slice(0, -1);
          from.pop();
        }
        folded += part;
        for (let unit = 0; unit < part.length; unit += 1) from.push(at);
      }
      at += letter.length;
    }
    folded += " ";
    from.push(at);
    return merged(words.flatMap((word) => placesOf(folded, word, (place) => from[place], text)));
  }

  function solidBefore(folded) {
    return SOLID_WORD.test(folded.slice(-2, -1));
  }

  function placesOf(folded, word, written, text) {
    const found = [];
    const blank = word.startsWith(" ") ? 1 : 0;
    for (let at = folded.indexOf(word); at >= 0 && found.length < 50; at = folded.indexOf(word, at + word.length)) {
      const start = written(at + blank);
      const last = written(at + word.length - 1);
      let end = last + (text.codePointAt(last) > 0xffff ? 2 : 1);
      // Marks that were folded away belong to the letter before them.
      while (end < text.length && /\p{M}/u.test(text[end])) end += 1;
      found.push([start, end]);
    }
    return found;
  }

  function merged(spans) {
    const apart = [];
    for (const [start, end] of spans.sort((one, other) => one[0] - other[0])) {
      const last = apart.at(-1);
      if (last && start <= last[1]) last[1] = Math.max(last[1], end);
      else apart.push([start, end]);
    }
    return apart;
  }

  /** A text in pieces [text, isHit], whole. */
  function marked(text, words) {
    return cut(text, places(text, words), 0, text.length);
  }

  /** The piece of a text around its first hit, in pieces [text, isHit]; without a hit, its beginning. */
  function snippet(text, words) {
    const spans = places(text, words);
    const hit = spans[0]?.[0] ?? 0;
    let start = hit <= SNIPPET_BEFORE ? 0 : hit - SNIPPET_BEFORE;
    const blank = start ? text.indexOf(" ", start) : -1;
    if (blank >= 0 && blank < hit) start = blank + 1;
    let end = Math.min(text.length, start + SNIPPET);
    const gap = end < text.length ? text.lastIndexOf(" ", end) : -1;
    if (gap > hit) end = gap;
    // Not through the middle of a pair that is one character.
    if (/[\udc00-\udfff]/.test(text[start] ?? "")) start += 1;
    if (/[\udc00-\udfff]/.test(text[end] ?? "")) end += 1;
    const pieces = cut(text, spans, start, end);
    if (start) pieces.unshift(["… ", false]);
    if (end < text.length) pieces.push([" …", false]);
    return pieces;
  }

  function cut(text, spans, start, end) {
    const pieces = [];
    let at = start;
    for (const [from, to] of spans) {
      if (to <= start || from >= end) continue;
      if (from > at) pieces.push([text.slice(at, from), false]);
      pieces.push([text.slice(Math.max(from, start), Math.min(to, end)), true]);
      at = Math.min(to, end);
    }
    if (at < end) pieces.push([text.slice(at, end), false]);
    return pieces;
  }

  window.kbsyncPage.words = { fold, needles, entry, foldText, score, marked, snippet };
})();
