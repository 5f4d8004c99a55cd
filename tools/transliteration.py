"""Writes `src/kbsync/markdown/transliteration.py` from the npm package that the portal's page script uses. By hand.

    npm install --prefix FOLDER @sindresorhus/slugify@2.2.1 @sindresorhus/transliterate@1.6.0
    python tools/transliteration.py FOLDER

Node reads the package's list and the property Diacritic of Unicode; Python orders them and leaves out what
normalization does by itself (`é` is an `e` with a mark).
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import unicodedata
from collections.abc import Iterator, Mapping
from pathlib import Path

MODULE = Path(__file__).resolve().parent.parent / "src" / "kbsync" / "markdown" / "transliteration.py"
WIDTH = 60
"""Letters in one line of the table."""

COUNTED = re.compile("[\u2488-\u24b5\u24b6-\u24c1\u24c4-\u24e9]")
"""`⒈` to `⒵` and `Ⓐ` to `ⓩ`, which `SERIES` has."""

READ_LIST = """
const {default: list} = await import(process.argv[1]);
const isMark = (code) => /\\p{Diacritic}/u.test(String.fromCodePoint(code));
const codes = Array.from({length: 0x110000}, (_, code) => code);
const overrides = [['&', ' and '], ['🦄', ' unicorn '], ['♥', ' love ']];
console.log(JSON.stringify({list: [...new Map([...list, ...overrides])], marks: codes.filter(isMark)}));
"""

HEAD = '''"""Letters and signs in ASCII, as the portal's page script writes them into heading anchors.

Made by `tools/transliteration.py` from the npm packages @sindresorhus/slugify 2.2.1 and @sindresorhus/transliterate
1.6.0. What is not here loses its marks (`é` is an `e`); letters that are then not ASCII, such as those of Chinese or
Thai, vanish.
"""

from string import ascii_lowercase, ascii_uppercase

'''

SERIES = """
_NUMBERED = {chr(0x2487 + number): f"{number}." for number in range(1, 21)}
_IN_PARENTHESES = {chr(0x249C + place): f"({letter})" for place, letter in enumerate(ascii_lowercase)}
_CIRCLED = {
    **{chr(0x24B6 + place): f"({letter})" for place, letter in enumerate(ascii_uppercase) if letter not in "MN"},
    **{chr(0x24D0 + place): f"({letter})" for place, letter in enumerate(ascii_lowercase)},
    **{"\\u24d2": "(b)", "\\u24d3": "(c)"},  # As the package has them.
}
"""
"""Letters and numbers in circles and parentheses: what follows by counting is no row of the table."""

TAIL = '''
LETTERS = {ord(letter): written for written, letters in _LETTERS for letter in letters} | {
    ord(letter): written for letter, written in {**_NUMBERED, **_IN_PARENTHESES, **_CIRCLED}.items()
}
"""A table for `str.translate`."""

_SPANS = (span.partition("-") for span in _MARKS.split())
MARKS = {code: "" for first, _, last in _SPANS for code in range(int(first, 16), int(last or first, 16) + 1)}
"""Marks vanish, and what they are on stays: another table for `str.translate`."""
'''


def read_package(folder: Path) -> tuple[dict[str, str], frozenset[str]]:
    """The replacements in their order, and the characters with the property Diacritic."""
    path = folder / "node_modules" / "@sindresorhus" / "transliterate" / "replacements.js"
    done = subprocess.run(
        ["node", "--input-type=module", "-e", READ_LIST, str(path.resolve())], capture_output=True, check=True
    )
    found = json.loads(done.stdout)
    return dict(found["list"]), frozenset(map(chr, found["marks"]))


def pairs_of(replacements: Mapping[str, str]) -> dict[str, str]:
    """The replacements of several characters, without those whose characters an earlier one has replaced."""
    order = {key: place for place, key in enumerate(replacements)}
    return {
        key: value
        for key, value in replacements.items()
        if len(key) > 1 and all(order.get(letter, len(order)) > order[key] for letter in key)
    }


def letters_of(replacements: Mapping[str, str], marks: frozenset[str]) -> dict[str, str]:
    """By what is written: the single characters that normalization does not write in the same way."""
    found: dict[str, str] = {}
    for key, value in replacements.items():
        plain = "".join(letter for letter in unicodedata.normalize("NFD", key) if letter not in marks)
        if len(key) == 1 and plain != value and not COUNTED.fullmatch(key):
            # A replacement may be replaced in its turn: 🙰 is an `&`, which is an `and`.
            written = value.translate({ord("&"): replacements["&"]})
            found[written] = found.get(written, "") + key
    return found


def spans_of(marks: frozenset[str]) -> Iterator[str]:
    """The marks as hexadecimal numbers: `5e`, `2b0-34e`."""
    first = last = -1
    for code in [*sorted(map(ord, marks)), sys.maxunicode + 2]:
        if code != last + 1:
            if first >= 0:
                yield f"{first:x}" if first == last else f"{first:x}-{last:x}"
            first = code
        last = code


def quoted(text: str) -> str:
    """A literal; what a reader would not see, or would see in another order, is escaped."""
    return '"' + "".join(_quoted(letter) for letter in text) + '"'


def _quoted(letter: str) -> str:
    odd = unicodedata.bidirectional(letter) in {"R", "AL", "AN", "L", "NSM", "BN"} and not letter.isascii()
    plain = unicodedata.bidirectional(letter) == "L" and unicodedata.category(letter)[0] in "LNS"
    if letter in '"\\':
        return "\\" + letter
    if odd and not plain:
        return f"\\u{ord(letter):04x}" if ord(letter) < 0x10000 else f"\\U{ord(letter):08x}"
    return letter


def module_of(replacements: Mapping[str, str], marks: frozenset[str]) -> str:
    """The whole module; ruff formats it."""
    rows = [
        f"    ({quoted(value)}, {quoted(letters[place : place + WIDTH])}),\n"
        for value, letters in sorted(letters_of(replacements, marks).items(), key=lambda row: (row[0].lower(), row))
        for place in range(0, len(letters), WIDTH)
    ]
    pairs = [f"    {quoted(key)}: {quoted(value)},\n" for key, value in pairs_of(replacements).items()]
    lines, line = list[str](), ""
    for span in spans_of(marks):
        if len(line) + len(span) > 2 * WIDTH - 20:
            lines.append(f'    "{line}"\n')
            line = ""
        line += f"{span} "
    lines.append(f'    "{line.rstrip()}"\n')
    return "".join(
        (
            HEAD,
            "_LETTERS = (\n",
            *rows,
            ")\n\nPAIRS = {\n",
            *pairs,
            '}\n"""Characters that mean something only together. They are replaced first."""\n\n_MARKS = (\n',
            *lines,
            ')\n"""The characters with the property Diacritic, in hexadecimal. Source: Unicode 17."""\n',
            SERIES,
            TAIL,
        )
    )


def main(arguments: list[str]) -> None:
    """Write the module."""
    MODULE.write_text(module_of(*read_package(Path(arguments[0]))), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
