"""Broken files: seeds, and what can be done to them. Every file follows from one number."""

import json
import random
from collections.abc import Callable, Iterable
from pathlib import Path

from hostile import texts

ROOT = Path(__file__).resolve().parents[2]
MOST_BYTES = 40_000
"""Longer seeds are cut: the portal takes 20,000 characters."""

MARKS = [
    *"[](){}<>*_`~#|\\!&^:-+=.\"'",
    *("![", "](", "]:", "``", "```", "**", "***", "- ", "1. ", "> ", "<!--", "-->", "<div>", "<b a='", "\n\n", "\n", "\r\n", "\r"),
    *("\t", "  ", "    ", "|--", "|\n", "&amp;", "&#0;", "&#x110000;", "\\\n", "---\n", "...\n", "===\n", "<a@b.c>", "[a]: b\n"),
    *("../", "../../../etc/passwd.md", "/etc/passwd.md", "%2e%2e/", "file:///etc/passwd", "\u202e", "\u00a0", "é", "😀", "\u2028"),
]  # fmt: skip
BYTES = [
    *(b"\0", b"\xff", b"\xed\xa0\x80", b"\xed\xbf\xbf", b"\xef\xbb\xbf", b"\xc0\xaf", b"\xf4\x90\x80\x80", b"\x1b[2J"),
]
YAML = [
    "a: &a [x, x, x, x, x, x, x, x, x]\nb: &b [*a, *a, *a, *a]\nc: &c [*b, *b, *b, *b]\ntags: [*c, *c]",
    "title: &t {x: *t}",
    "title: *nobody",
    "<<: {title: merged}\n<<: [{slug: a}, {slug: b}]",
    "title: !!python/object/apply:os.system [id]",
    "title: !!binary aGVsbG8=",
    "title: !<tag:yaml.org,2002:str> 2001-12-14t21:59:43.10-05:00",
    "title: 2001-12-14",
    *(
        f"position: {odd}"
        for odd in ("0o17", "017", "0x1F", "1_000", "190:20:30", "9" * 5001, "-.inf", ".NaN", "1e400")
    ),
    "\ttitle: tab",
    "title:\ttab",
    "tags: [" * 200,
    "tags: " + "[" * 31 + "]" * 31,
    "title: " + "{a: " * 60 + "b" + "}" * 60,
    "? [complex, key]\n: value",
    "? |\n  block key\n: - one\n",
    "title: |\n  block\n   more\n",
    "title: >-\n  folded\n\n  text",
    "title: 'it''s'\nslug: \"\\x00\\u2028\\ud800\"",
    "title: yes\nslug: no\nstatus: null\nmanage: ~",
    "title: [\nslug: }",
    "%YAML 1.1\n---\ntitle: two documents\n---\ntitle: b",
    "- just\n- a list",
    "title: a: b",
    "title: # nothing",
    "title: @at\nslug: `tick",
    'title: "' + "\\" * 501,
    "aliases: [../../x, /y, '']\ntranslation_of: ../../../etc/passwd.md",
    "locale: ../../etc\ncategory: ../..\nslug: ../../../x",
    "k: v\n" * 2000,
    "title: " + "x" * 60_000,
    "title: " + "é" * 300,
    "\u2028title: a\u0085slug: b",
    "title: &a a\nslug: &a b\ncategory: *a",
    "status: published\nstatus: draft\nstatus: x",
]


def seeds(folders: Iterable[Path] = ()) -> list[bytes]:
    """The product's own pages, the recorded cases, hostile YAML and hostile texts; and pages of other folders."""
    found = [path.read_bytes() for path in sorted((ROOT / "content").rglob("*.md"))]
    for name in ("rendered.jsonl", "reduced.jsonl"):
        lines = (ROOT / "tests/fixtures/parity" / name).read_text("utf-8").splitlines()
        found += [json.loads(line)[1].encode("utf-8", "surrogatepass") for line in lines]
    found += [f"---\n{block}\n---\n# T\n\n[a](b.md)\n".encode() for block in YAML]
    found += [text.encode()[:4000] for text in texts().values()]
    for folder in folders:
        found += [path.read_bytes()[:MOST_BYTES] for path in sorted(folder.rglob("*.md"))]
    return [seed for seed in found if seed]


def _flip(draw: random.Random, data: bytearray) -> bytearray:
    for _ in range(draw.randint(1, 8)):
        data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
    return data


def _cut(draw: random.Random, data: bytearray) -> bytearray:
    start = draw.randrange(len(data))
    del data[start : start + draw.randint(1, max(len(data) // 2, 1))]
    return data


def _repeat(draw: random.Random, data: bytearray) -> bytearray:
    start = draw.randrange(len(data))
    piece = data[start : start + draw.randint(1, 40)]
    data[start:start] = piece * draw.randint(2, 60)
    return data


def _mark(draw: random.Random, data: bytearray) -> bytearray:
    for _ in range(draw.randint(1, 12)):
        place = draw.randint(0, len(data))
        data[place:place] = draw.choice(MARKS).encode() * draw.choice((1, 1, 1, 2, 3, 80))
    return data


def _delimiters(draw: random.Random, data: bytearray) -> bytearray:
    place = draw.randint(0, len(data))
    data[place:place] = "".join(draw.choices(MARKS, k=draw.randint(1, 4))).encode() * draw.choice((10, 100, 1000))
    return data


def _bytes(draw: random.Random, data: bytearray) -> bytearray:
    place = draw.randint(0, len(data))
    data[place:place] = draw.choice(BYTES) * draw.choice((1, 1, 5))
    return data


def _indent(draw: random.Random, data: bytearray) -> bytearray:
    lines = bytes(data).split(b"\n")
    for _ in range(draw.randint(1, 10)):
        place = draw.randrange(len(lines))
        lines[place] = draw.choice((b" ", b"\t", b"> ", b"- ")) * draw.choice((1, 2, 4, 7, 200)) + lines[place]
    return bytearray(b"\n".join(lines))


def _shuffle(draw: random.Random, data: bytearray) -> bytearray:
    lines = bytes(data).splitlines(keepends=True)
    draw.shuffle(lines)
    return bytearray(b"".join(lines))


def _endings(draw: random.Random, data: bytearray) -> bytearray:
    return bytearray(bytes(data).replace(b"\n", draw.choice((b"\r\n", b"\r", b"\n\n", b"\n\r", b"\xe2\x80\xa8"))))


def _front(draw: random.Random, data: bytearray) -> bytearray:
    block = "\n".join(draw.sample(YAML, draw.choice((1, 1, 2, 3))))
    return bytearray(f"---\n{block}\n---\n".encode("utf-8", "surrogatepass")) + data


MUTATIONS: tuple[Callable[[random.Random, bytearray], bytearray], ...] = (
    _flip, _cut, _repeat, _mark, _mark, _delimiters, _bytes, _indent, _shuffle, _endings, _front,
)  # fmt: skip


def mutated(number: int, known: list[bytes]) -> bytes:
    """The broken file of a number: a seed, sometimes spliced with another, changed one to five times."""
    draw = random.Random(number)
    data = bytearray(draw.choice(known))
    if draw.random() < 0.3:
        other = draw.choice(known)
        place = draw.randint(0, len(data))
        start = draw.randrange(len(other))
        data[place:place] = other[start : start + draw.randint(1, 2000)]
    for _ in range(draw.randint(1, 5)):
        data = draw.choice(MUTATIONS)(draw, data) or bytearray(b"x")
        del data[MOST_BYTES:]
    return bytes(data)
