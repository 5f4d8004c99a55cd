// Called by search.py: node search.mjs INDEXES LIBRARIES ASSETS
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { performance } from "node:perf_hooks";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";

const [indexes, libraries, assets] = process.argv.slice(2);
const LOCALES = ["en", "de", "fr", "ja"];
const QUERIES = 60;
const require = createRequire(pathToFileURL(`${libraries}/`));
const load = (name) => import(pathToFileURL(require.resolve(name)));

// --- what is asked, the same for all ------------------------------------------------------------------------------------

let seed = 1;
const random = (below) => (seed = (seed * 48271) % 2147483647) % below;

function questions(rows, locale) {
  const asked = [];
  for (let n = 0; n < QUERIES; n += 1) {
    const row = rows[random(rows.length)];
    const title = row[1].replace(/ \[.*/, "");
    const is = (url) => url === row[0];
    asked.push({ kind: "title", query: title, isRight: is });
    asked.push({ kind: "beginning", query: title.replace(/(\w{3})\w+$/, "$1"), isRight: is });
    const long = title.match(/[A-Za-z]{5,}/g).sort((one, other) => other.length - one.length)[0];
    const at = 1 + random(long.length - 2);
    const wrong = `${long.slice(0, at)}q${long.slice(at + 1)}`;
    asked.push({ kind: "wrong letter", query: title.replace(long, wrong), isRight: is });
    const swapped = long.slice(0, at) + long[at + 1] + long[at] + long.slice(at + 2);
    asked.push({ kind: "swapped", query: title.replace(long, swapped), isRight: is });
    if (locale !== "ja") continue;
    const prose = row[4].map((section) => section[2]).join(" ").match(/[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}]{6}/gu);
    if (!prose) continue;
    const cjk = prose[random(prose.length)];
    const having = new Set(rows.filter((other) => JSON.stringify(other).includes(cjk)).map((other) => other[0]));
    asked.push({ kind: "CJK", query: cjk, isRight: (url) => having.has(url) });
  }
  return asked;
}

// --- the engines: build() gives the bytes that a browser loads, open(bytes) a function from a query to addresses -----------

const flat = (row) => ({
  id: row[0],
  title: row[1],
  about: row[2],
  headings: row[4].map((section) => section[0]).join(" "),
  text: row[4].map((section) => `${section[2]} ${section[3] ?? ""}`).join(" "),
});

const segments = (text) =>
  [...new Intl.Segmenter("ja", { granularity: "word" }).segment(text)].filter((part) => part.isWordLike).map((part) => part.segment.toLowerCase());

async function ours() {
  globalThis.window = { kbsyncPage: {} };
  for (const name of ["search-words.js", "search-index.js"]) (0, eval)(readFileSync(`${assets}/${name}`, "utf-8"));
  const { search } = window.kbsyncPage;
  return {
    build: (rows) => Buffer.from(JSON.stringify({ articles: rows })),
    async open(bytes) {
      search.forget();
      globalThis.fetch = async () => ({ ok: true, json: async () => JSON.parse(bytes.toString()) });
      await search.load(new URL("http://127.0.0.1/index.json"));
      return async (query) => (await search.find(query, () => true, () => {})).map((hit) => hit.found.row[0]);
    },
  };
}

async function miniSearch({ withTexts }) {
  const { default: MiniSearch } = await load("minisearch");
  const options = (locale) => ({
    fields: ["title", "about", "headings", "text"],
    storeFields: withTexts ? ["title", "about", "text"] : [],
    ...(locale === "ja" ? { tokenize: segments } : {}),
    searchOptions: { boost: { title: 10, headings: 4, about: 2 }, prefix: true, fuzzy: (word) => word.length > 3 && 1, combineWith: "AND" },
  });
  return {
    build(rows, locale) {
      const index = new MiniSearch(options(locale));
      index.addAll(rows.map(flat));
      return Buffer.from(JSON.stringify(index));
    },
    open(bytes, locale) {
      const index = MiniSearch.loadJSON(bytes.toString(), options(locale));
      return (query) => index.search(query).map((hit) => hit.id);
    },
  };
}

async function orama() {
  const { create, insertMultiple, save, load: restore, search } = await load("@orama/orama");
  const schema = { title: "string", about: "string", headings: "string", text: "string" };
  const empty = (locale) =>
    create({ schema, components: { tokenizer: { language: "custom", normalizationCache: new Map(), tokenize: locale === "ja" ? segments : (text) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [] } } });
  return {
    async build(rows, locale) {
      const database = await empty(locale);
      await insertMultiple(database, rows.map(flat), 500);
      return Buffer.from(JSON.stringify(await save(database)));
    },
    async open(bytes, locale) {
      const database = await empty(locale);
      await restore(database, JSON.parse(bytes.toString()));
      return async (term) =>
        (await search(database, { term, limit: 20, tolerance: 1, threshold: 0, boost: { title: 10, headings: 4, about: 2 } })).hits.map((hit) => hit.document.id ?? hit.id);
    },
  };
}

// --- measuring ------------------------------------------------------------------------------------------------------------

const megabytes = (bytes) => (bytes / 1e6).toFixed(1);
const part = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];

async function measure(engine, locale, rows, asked) {
  let started = performance.now();
  const bytes = await engine.build(rows, locale);
  const built = performance.now() - started;
  started = performance.now();
  const find = await engine.open(bytes, locale);
  const opened = performance.now() - started;
  await find("first"); // What is done once, at the first query, counts for none.
  const took = [];
  const right = {};
  for (const { kind, query, isRight } of asked) {
    started = performance.now();
    const urls = await find(query);
    took.push(performance.now() - started);
    right[kind] ??= [0, 0];
    right[kind][1] += 1;
    if (urls.length && isRight(urls[0])) right[kind][0] += 1;
  }
  took.sort((one, other) => one - other);
  return { bytes: bytes.length, packed: gzipSync(bytes).length, built, opened, median: part(took, 0.5), late: part(took, 0.95), right };
}

async function pagefind(locale, rows) {
  const { createIndex } = await import(pathToFileURL(`${libraries}/pagefind/lib/index.js`));
  const started = performance.now();
  const { index } = await createIndex();
  for (const row of rows) {
    const { title, text } = flat(row);
    await index.addCustomRecord({ url: row[0], content: text, language: locale, meta: { title } });
  }
  const { files } = await index.getFiles();
  const bytes = files.reduce((sum, file) => sum + file.content.length, 0);
  console.log(`| pagefind | ${locale} | ${megabytes(bytes)} MB in ${files.length} files | ${megabytes(bytes)} MB | ${((performance.now() - started) / 1000).toFixed(1)} s | - | - | - | - |`);
  await index.deleteIndex();
}

const engines = {
  kbsync: await ours(),
  "minisearch, without texts": await miniSearch({ withTexts: false }),
  "minisearch, with texts for results": await miniSearch({ withTexts: true }),
  orama: await orama(),
};
console.log("| | locale | index | gzip | build | open | query, median | p95 | right at first place |");
console.log("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
for (const locale of LOCALES) {
  const rows = JSON.parse(readFileSync(`${indexes}/${locale}.json`, "utf-8")).articles;
  const asked = questions(rows, locale);
  for (const [name, engine] of Object.entries(engines)) {
    const seen = await measure(engine, locale, rows, asked);
    const right = Object.entries(seen.right).map(([kind, [good, all]]) => `${kind} ${good}/${all}`).join(", ");
    console.log(
      `| ${name} | ${locale} | ${megabytes(seen.bytes)} MB | ${megabytes(seen.packed)} MB | ${(seen.built / 1000).toFixed(1)} s | ${seen.opened.toFixed(0)} ms | ` +
        `${seen.median.toFixed(1)} ms | ${seen.late.toFixed(1)} ms | ${right} |`,
    );
  }
  await pagefind(locale, rows);
}
process.exit(0);
