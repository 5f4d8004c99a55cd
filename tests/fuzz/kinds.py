"""The kinds of hostile things that are tried, by name: what is made of a number, and what is wrong with it."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import adversarial
import asking
import examine
import images
import mutate
import names
import spellings


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind: how a number becomes something, and how that is examined; in words, what goes through what."""

    make: Callable[[int, tuple[Path, ...]], Any]
    examine: Callable[[Any], Iterator[str]]
    words: str
    most_s: float = 1.0
    """Seconds of CPU that one may take, where its `examine` has no limits of its own."""


@cache
def _seeds(folders: tuple[Path, ...]) -> list[bytes]:
    return mutate.seeds(folders)


def _text(number: int, folders: tuple[Path, ...]) -> tuple[bytes, bool]:
    return mutate.mutated(number, _seeds(folders)), number % 4 == 0


KINDS: dict[str, Kind] = {
    "texts": Kind(
        _text,
        lambda made: examine.examine(made[0], preview=made[1]),
        "articles through front matter, spans, lint and (every fourth) the preview's HTML",
    ),
    "images": Kind(lambda number, _: images.made(number), images.examine, "images through sniffing, size and lint"),
    "requests": Kind(lambda number, _: asking.made(number), asking.examine, "requests to preview and sandbox"),
    "encodings": Kind(
        lambda number, _: spellings.made(number), spellings.examine, "projects in odd encodings through `kbsync lint`"
    ),
    "long": Kind(
        lambda number, _: adversarial.made(number),
        adversarial.examine,
        "texts up to 200 kB of few signs through lint, `--fix`, HTML and front matter, each within 1.5 s",
        math.inf,
    ),
    "names": Kind(lambda number, _: names.made(number), names.examine, "odd names in printed commands through a shell"),
}

TURNS = ("texts", "texts", "texts", "texts", "images", "images", "images", "requests", "encodings", "names")
"""Which kind a number is of, by its last digit."""


def kind_of(number: int) -> str:
    """The kind that a number is of in a run of all."""
    return TURNS[number % len(TURNS)]
