"""The documents use the words of the project's style guide, voice.md: plain, current English.

The patterns are copied from voice.md, rules 2 and 3. To check more texts, add a row to `SOURCES`: the files, and a
function that takes the sentences out of one of them.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

RIDDLES = {
    r"\b(is|are) none\b": "say what it is",
    r"(?<!\bthere )\b(is|are) no\b(?! longer\b| more\b)": "say what it is",
    r"\bnobody\b|\bno one\b": "name who, or use the passive",
    r"\btold\b": "shown, reported",
    r"\bsaid\b": "shown, reported",
    r"\bmeant (by|for)\b": "matches, is for",
    r"\basks nobody\b": "works offline",
    r"\bsurely\b": "leave it out",
    r"\bbehind one face\b": "through one interface",
    r"\bof [^.|]{1,40} the rest\b": "turn the sentence around",
    r"\bwho does not\b": "people who cannot, or who do not",
}
"""voice.md, rule 3: riddles and phrases that sound translated, each with what to write."""

OLD_WORDS = {
    r"\bmend(s|ed|ing)?\b": "fix",
    r"\bpictures?\b": "image",
    r"\bblanks?\b": "space",
    r"\b(stands?|stood|standing)\b": "is",
    r"\bstep(s|ped)? aside\b": "skipped",
}
"""voice.md, rule 2: the words that writers do not use, each with the one that they do."""

OUR_TERMS = {
    r"\bcontent tree\b|\bthe tree\b": "your files, this repository",
    r"\bfindings?\b": "error, warning",
    r"\bdrift(s|ed)?\b": "edited in the panel",
    r"\bconflicts?\b": "edited in both places",
    r"\badopt(s|ed)?\b": "already match",
    r"\bheld\b|\bholds? back\b|\bfor a person to decide\b": "needs your decision",
    r"\b(un)?managed\b": "published by kbsync",
}
"""voice.md, rule 2: names of values in JSON and in the code, which texts for writers put in other words."""


@dataclass(frozen=True)
class Source:
    """Some files, what takes their texts out, and the patterns that no text may match."""

    name: str
    paths: Callable[[], list[Path]]
    texts: Callable[[str], Iterator[tuple[int, str]]]
    patterns: dict[str, str]


def prose(markdown: str) -> Iterator[tuple[int, str]]:
    """Each line of a Markdown text with its number, without code and link targets.

    Code is left out because it quotes: what the program prints is checked where it is written.
    """
    fence = ""
    for number, line in enumerate(markdown.splitlines(), 1):
        mark = re.match(r"\s*(`{3,})", line)
        if fence:
            fence = "" if mark and line.strip() == fence else fence
        elif mark:
            fence = mark[1]
        elif not line.startswith("    "):
            yield number, re.sub(r"(`+)(?!`).+?(?<!`)\1(?!`)|(?<=\])\([^)]*\)", " ", line)


def unreleased(changelog: str) -> Iterator[tuple[int, str]]:
    """The lines of the changelog about what is not released yet. Notes of earlier versions stay as they are."""
    inside = False
    for number, line in prose(changelog):
        if line.startswith("## "):
            inside = "[Unreleased]" in line
        if inside:
            yield number, line


def files(*patterns: str) -> Callable[[], list[Path]]:
    """The files that match, below the root of the repository."""
    return lambda: sorted(path for pattern in patterns for path in ROOT.glob(pattern))


WRITERS = RIDDLES | OLD_WORDS | OUR_TERMS
DEVELOPERS = RIDDLES | OLD_WORDS

SOURCES = (
    Source("for writers", files("README.md", "SECURITY.md", "content/en/**/*.md"), prose, WRITERS),
    Source("what is new", files("CHANGELOG.md"), unreleased, WRITERS),
    Source("for developers", files("docs/*.md"), prose, DEVELOPERS),
)

GENERATED = {"content/en/troubleshooting/codes.md"}
"""Made from the texts of the lint rules, which have their own test."""

EXCEPTIONS = {
    ("content/en/getting-started/glossary.md", "held"): "the glossary explains the word that JSON uses",
    ("content/en/getting-started/glossary.md", "drift"): "the same",
    ("content/en/getting-started/glossary.md", "conflict"): "the same",
    ("content/en/getting-started/glossary.md", "adopt"): "the same",
    ("content/en/getting-started/glossary.md", "managed"): "the same",
}
"""Where a word is right although a pattern matches it, and why."""


def matches(source: Source) -> Iterator[tuple[str, int, str, str]]:
    """Every match in the files of a source: file, line, the words, and what to write instead."""
    for path in source.paths():
        name = path.relative_to(ROOT).as_posix()
        if name in GENERATED:
            continue
        for number, text in source.texts(path.read_text("utf-8")):
            for pattern, instead in source.patterns.items():
                for match in re.finditer(pattern, text, re.IGNORECASE):
                    yield name, number, match[0].lower(), instead


def violations(source: Source) -> list[str]:
    """The matches that have no exception, as lines to read."""
    return [
        f"{name}:{number}: `{words}`: {instead}"
        for name, number, words, instead in matches(source)
        if (name, words) not in EXCEPTIONS
    ]


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.name)
def test_no_text_uses_a_word_that_the_style_guide_leaves_out(source: Source):
    found = violations(source)
    assert not found, "\n".join(found)


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.name)
def test_every_source_has_texts(source: Source):
    assert sum(1 for path in source.paths() for _, text in source.texts(path.read_text("utf-8")) if text.strip()) > 20


def test_every_exception_is_still_needed():
    assert set(EXCEPTIONS) <= {(name, words) for source in SOURCES for name, _, words, _ in matches(source)}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The portal shows what nobody wrote.", "nobody"),
        ("A draft is no secret.", "is no"),
        ("There is no ledger yet, and it is no longer needed.", ""),
        ("Of more images the rest waits.", "Of more images the rest"),
        ("Standard words, which you understand.", ""),
        ("A picture stands here.", "picture"),
        ("Run `mend nobody` and [fix it](nobody.md).", ""),
        ("```sh\nmend\n```\nfixed", ""),
    ],
)
def test_patterns_match_words_and_not_code_or_targets(text: str, found: str):
    patterns = RIDDLES | OLD_WORDS
    lines = [line for _, line in prose(text)]
    words = [match[0] for line in lines for pattern in patterns for match in re.finditer(pattern, line, re.IGNORECASE)]
    assert (words or [""])[0] == found
