"""Heading anchors beside the library that the portal's page script uses: are they the same? By hand; needs Node.

npm install --prefix FOLDER @sindresorhus/slugify@2.2.1 @sindresorhus/transliterate@1.6.0
python bench/anchors.py FOLDER [PAGES...]    20,000 headings: of the Markdown pages below PAGES, and random ones
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import unicodedata
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from parity import pages, text_of

from kbsync.markdown.anchors import heading_anchor
from kbsync.markdown.spans import scan
from kbsync.markdown.transliteration import LETTERS, PAIRS

HOW_MANY = 20_000
SEED = 416
SHOWN = 20

SLUGIFY = """
import {readFileSync} from 'node:fs';
const {default: slugify} = await import(process.argv[1]);
console.log(JSON.stringify(JSON.parse(readFileSync(0, 'utf8')).map((text) => slugify(text))));
"""

PLAIN = "abcstz ABCSTZ 0129 -_'&.^`"
BLOCKS = (
    *((0x20, 0x250), (0x300, 0x370), (0x370, 0x530), (0x530, 0x700)),
    *((0x900, 0xE00), (0x1E00, 0x2100), (0x2460, 0x2500)),
)
"""Latin, marks, Greek and Cyrillic, Armenian to Arabic, India's and Thai, Latin and Greek again, circled digits."""


def random_headings(rng: random.Random) -> Iterator[str]:
    """Letters of a few scripts in any order, with those that the library replaces more often than others."""
    special = [*PAIRS, *map(chr, LETTERS)]
    while True:
        letters = list(PLAIN) + rng.choices(special, k=6) + [_assigned(rng) for _ in range(6)]
        yield "".join(rng.choices(letters, k=rng.randrange(1, 24)))


def _assigned(rng: random.Random) -> str:
    while True:
        letter = chr(rng.randrange(*rng.choice(BLOCKS)))
        if unicodedata.category(letter) not in {"Cn", "Cs"}:
            return letter


def real_headings(folders: list[Path]) -> Iterator[str]:
    """The headings of pages, each once."""
    seen: set[str] = set()
    for folder in folders:
        for page in pages(folder):
            for heading in scan(text_of(page)).headings:
                if heading.text not in seen:
                    seen.add(heading.text)
                    yield heading.text


def slugified(packages: Path, headings: list[str]) -> list[str]:
    """What the library itself makes of them."""
    path = packages / "node_modules" / "@sindresorhus" / "slugify" / "index.js"
    command = ["node", "--input-type=module", "-e", SLUGIFY, str(path.resolve())]
    done = subprocess.run(command, input=json.dumps(headings).encode(), capture_output=True, check=True)
    return [str(anchor) for anchor in json.loads(done.stdout)]


def main(arguments: list[str]) -> None:
    """Compare, and end with 1 if any differ."""
    packages, *folders = map(Path, arguments)
    met = list(islice(real_headings(folders), HOW_MANY // 2))
    made = list(islice(random_headings(random.Random(SEED)), HOW_MANY - len(met)))
    headings = made + met
    pairs = zip(headings, slugified(packages, headings), strict=True)
    wrong = [(text, theirs, ours) for text, theirs in pairs if (ours := heading_anchor(text)) != theirs]
    print(f"{len(made):,} random headings, {len(met):,} of real pages: {len(wrong)} differ.")
    for text, theirs, ours in wrong[:SHOWN]:
        print(f"{text!a}: slugify {theirs!r}, kbsync {ours!r}")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main(sys.argv[1:])
