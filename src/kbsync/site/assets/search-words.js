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
  const LETTER = /^\p{L}$/u;
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

  /**
   * The words of a query, as { word, solid, begins, near }: `begins` where the word may be the beginning of another one, and
   * `near` the words that may have been meant instead. A letter by itself is a word, unless it is still being typed.
   */
  function needles(query) {
    const words = fold(query).trim().split(" ").filter(Boolean);
    return words.map((word, place) => needle(word, word.length > 1 || place === words.length - 1));
  }

  function needle(word, begins) {
    return { word, solid: SOLID_WORD.test(word), begins, near: [] };
  }

  // --- words that are nearly the same -----------------------------------------------------------------------------------

  const NEAR_FROM = 4; // letters of a word in which one may be wrong
  const NEAR_BEGINNING_FROM = 6; // letters, where the word may go on
  const NEAR_WORDS = 12;
  const NO_NEAR = /\p{N}/u; // Another number is another thing.

  /** Whether two words differ by one letter that is wrong, missing, too many, or changed places with the next. */
  function isNear(word, other, from) {
    let at = 0;
    while (at < word.length && word[at] === other[at]) at += 1;
    const same = (rest, start) => (from ? other.startsWith(rest, start) : other.slice(start) === rest);
    return (
      same(word.slice(at + 1), at + 1) ||
      same(word.slice(at + 1), at) ||
      same(word.slice(at), at + 1) ||
      (word[at] === other[at + 1] && word[at + 1] === other[at] && at + 1 < word.length && same(word.slice(at + 2), at + 2))
    );
  }

  /** The words of a vocabulary that are nearly this one, whole words before beginnings. */
  function nearWords(word, vocabulary) {
    if (word.length < NEAR_FROM || NO_NEAR.test(word)) return [];
    const whole = [];
    const beginnings = [];
    for (const other of vocabulary) {
      if (other.length < word.length - 1 || other.startsWith(word)) continue;
      if (other.length <= word.length + 1 && isNear(word, other, false)) whole.push(other);
      else if (word.length >= NEAR_BEGINNING_FROM && isNear(word, other, true)) beginnings.push(other);
    }
    return [...whole, ...beginnings].slice(0, NEAR_WORDS);
  }

  /** The words of a query with those that may have been meant; what has no blanks between words is parted into words. */
  function nearNeedles(query, vocabulary) {
    return needles(query.replace(SOLID_RUN, (run) => ` ${partsOf(run).join(" ")} `)).map((found) => ({
      ...found,
      near: found.solid ? [] : nearWords(found.word, vocabulary),
    }));
  }

  function partsOf(run) {
    if (!Intl.Segmenter) return [run];
    const parts = [...new Intl.Segmenter(undefined, { granularity: "word" }).segment(run)].map((part) => part.segment);
    // A single kana is a particle between the words.
    const words = parts.filter((part) => !/^\p{scx=Hira}$/u.test(part));
    return words.length ? words : [run];
  }

  // --- matching ---------------------------------------------------------------------------------------------------------

  const WHOLE = 1;
  const BEGINNING = 0.8;
  const NEAR = 0.08; // In a title as much as a beginning in a text: what is exact comes first.

  /** How well a folded text has a word: 0 for not at all. */
  function grade(text, { word, solid, begins, near }) {
    if (solid) return text.includes(word) ? WHOLE : 0;
    const at = text.indexOf(` ${word}`);
    if (at >= 0) {
      if (text.includes(` ${word} `, at)) return WHOLE;
      if (begins) return BEGINNING;
    }
    return near.some((other) => text.includes(` ${other} `)) ? NEAR : 0;
  }

  /** What of it is marked in a text: a letter by itself is in every line, and says nothing of the place. */
  function patterns({ word, solid, near }) {
    if (solid) return [word];
    if (LETTER.test(word)) return [];
    return [word.length > 1 ? ` ${word}` : ` ${word} `, ...near.map((other) => ` ${other} `)];
  }

  /** Where the words stand in the text as it is written: pairs of start and end, in order and apart. */
  function places(text, needles) {
    const words = needles.flatMap(patterns);
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
    const size = word.trimEnd().length;
    for (let at = folded.indexOf(word); at >= 0 && found.length < 50; at = folded.indexOf(word, at + size)) {
      const start = written(at + blank);
      const last = written(at + size - 1);
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
  function marked(text, needles) {
    return cut(text, places(text, needles), 0, text.length);
  }

  /** The piece of a text around its first hit, in pieces [text, isHit]; without a hit, its beginning. */
  function snippet(text, needles) {
    const spans = places(text, needles);
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

  window.kbsyncPage.words = { fold, isSolid: (word) => SOLID_WORD.test(word), needles, nearNeedles, grade, places, marked, snippet };
})();
