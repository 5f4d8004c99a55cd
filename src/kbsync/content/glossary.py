"""`glossary.csv`: the words that a help center uses in each language. Pure, but for reading the file.

    en,fr,note
    refund,remboursement|rembourser,never « retour »
    charge,paiement,

The first line names the languages; any other column is for people. A `|` is between spellings.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from kbsync.content.body import BOM
from kbsync.errors import ContentError
from kbsync.files import read_within

NAME = "glossary.csv"
"""Beside kbsync.toml."""

MAX_BYTES = 1_000_000
MAX_TERMS = 5_000


@dataclass(frozen=True, slots=True)
class Term:
    """One word: its spellings by locale, and the other columns as they are."""

    spellings: Mapping[str, tuple[str, ...]]
    others: Mapping[str, str] = field(default_factory=dict)

    def found_in(self, text: str, locale: str) -> re.Match[str] | None:
        """Where a text first has it, as a word of its own or in the plural."""
        found = (_pattern(word).search(text) for word in self.spellings.get(locale, ()))
        return min((match for match in found if match), key=lambda match: match.start(), default=None)

    def is_in(self, text: str, locale: str) -> bool:
        """Whether a text has it, also as a part of other words: languages put endings to words."""
        folded = text.casefold()
        return any(word.casefold() in folded for word in self.spellings.get(locale, ()))


def _pattern(word: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(word)}(?:e?s)?(?!\w)", re.IGNORECASE)


def read_glossary(folder: Path, locales: Sequence[str]) -> tuple[Term, ...]:
    """The terms of a project; none where there is no file.

    Args:
        folder: of kbsync.toml.
        locales: those of the project.

    Raises:
        ContentError: the file cannot be read.
    """
    path = folder / NAME
    if not path.is_file():
        return ()
    hint = f"Save {NAME} as UTF-8, with commas between the columns."
    try:
        text = read_within(path, MAX_BYTES).decode("utf-8").removeprefix(BOM)
        rows = list(csv.reader(text.splitlines(), strict=True))
    except (OSError, UnicodeDecodeError, csv.Error) as exc:
        raise ContentError(f"{NAME} cannot be read: {exc}.", hint=hint) from exc
    return tuple(_terms(rows, locales))


def _terms(rows: list[list[str]], locales: Sequence[str]) -> Iterator[Term]:
    head = [name.strip() for name in rows[0]] if rows else []
    known = [name for name in head if name in locales]
    if len(known) < 2:
        message = f"{NAME}:1: The first line names {len(known)} of your languages ({', '.join(locales)})."
        raise ContentError(message, hint=f"Write one column for each: `{','.join([*locales[:2], 'note'])}`.")
    if len(rows) > MAX_TERMS:
        raise ContentError(f"{NAME} has {len(rows):,} lines; at most {MAX_TERMS:,} are read.", hint="Shorten it.")
    for row in rows[1:]:
        cells = {name: cell.strip() for name, cell in zip(head, row, strict=False) if cell.strip()}
        spellings = {name: words for name in known if (words := _spellings(cells.get(name, "")))}
        if spellings:
            yield Term(spellings, {name: cell for name, cell in cells.items() if name not in known})


def _spellings(cell: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in cell.split("|") if word.strip())


def occurring(terms: Sequence[Term], text: str, locale: str) -> list[Term]:
    """The terms that a text of a locale has."""
    return [term for term in terms if term.found_in(text, locale)]
