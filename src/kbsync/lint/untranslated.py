"""Whether a translation still has the title or the text of its original, as `kbsync new translation` wrote it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from msgspec.structs import replace

from kbsync.command import command_line
from kbsync.content.identity import Site
from kbsync.content.source import Source
from kbsync.content.tree import Tree
from kbsync.lint.context import Context, article_text, at_key
from kbsync.lint.fill_ins import UNFINISHED, UNTIL_THEN
from kbsync.lint.finds import Needs, finds
from kbsync.lint.parity import by_original, original_of
from kbsync.markdown.prose import read_prose
from kbsync.model import Finding
from kbsync.patterns import Pattern

_WORDS = Pattern(r"\w+")

LEAST_LETTERS = 30
"""A text with fewer letters in words that are no names may be the same in two languages, around an image or code."""

LEAST_TITLE_WORDS = 3
"""A title with fewer words, or with names alone (`Google Cloud Storage`), may be the same in two languages."""

ENDS = 4
"""Line breaks at the ends of a text that a copy may lack."""

Still = tuple[Literal["title", "body"], ...]
"""What a translation still has of its original."""


@finds(UNFINISHED, needs=Needs.ORIGINAL)
def check_copies(context: Context) -> Iterator[Finding]:
    """Each translation that still has the title or text of its original."""
    sources, articles = context.tree.sources, context.site.articles
    for path, translations in by_original(context).items():
        for source in translations:
            locales = articles[path].locale, articles[source.path].locale
            if still := still_original(context.tree, sources[path], source, locales):
                yield _report(sources[path], source, still)


def unfinished(tree: Tree, site: Site, path: str) -> Still:
    """What KB608 would be an error about in an article that is not `published` in its file, if it were.

    Also where the file ignores the code: an error cannot be ignored.
    """
    source = tree.sources[path]
    found: Still = ()
    original = "" if source.translated_from else original_of(tree, site, path)
    if original:
        locales = site.articles[original].locale, site.articles[path].locale
        found = still_original(tree, tree.sources[original], source, locales)
    has_placeholder = any(problem.code == UNFINISHED.code for problem in source.problems)
    return (*found, "body") if has_placeholder and "body" not in found else found


def _report(original: Source, source: Source, still: Still) -> Finding:
    are = "is still that" if len(still) == 1 else "are still those"
    message = f"The {' and the '.join(still)} {are} of the original ({original.path}:{original.place(still[0]).line})."
    if source.status == "published" and not source.translated_from:
        keep = f"If they may be the same, run `{command_line('translate', source.path, options=[('--done', True)])}`."
        return at_key(UNFINISHED, source, still[0], message, f"Translate it. {UNTIL_THEN} {keep}")
    return replace(at_key(UNFINISHED, source, still[0], message, "Translate it, or ignore KB608."), level="warning")


def still_original(tree: Tree, original: Source, source: Source, locales: tuple[str, str]) -> Still:
    """What a translation still has of its original.

    A copy has links that lead elsewhere, so texts are compared without addresses and code.

    Args:
        tree: has the texts of both.
        original, source: what was read of both.
        locales: theirs; two of one language may well have the same text.
    """
    if _language(locales[0]) == _language(locales[1]):
        return ()
    is_same = original.title == source.title
    if _may_be_copy(original, source) and (words := _words(tree, original)) and words == _words(tree, source):
        return ("title", "body") if is_same else ("body",)
    return ("title",) if is_same and _is_sentence(source.title or "") else ()


def _language(locale: str) -> str:
    return locale.replace("_", "-").partition("-")[0].lower()


def _may_be_copy(original: Source, source: Source) -> bool:
    """Whether two texts have the same parts, and the same length whatever their line ends and addresses are."""
    is_short = source.body_chars < LEAST_LETTERS
    if is_short or original.skeleton != source.skeleton or len(original.links) != len(source.links):
        return False
    return abs(_chars(original) - _chars(source)) <= ENDS


def _chars(source: Source) -> int:
    return source.body_chars - source.crlf_ends - sum(link.end - link.start for link in source.links)


def _words(tree: Tree, source: Source) -> list[str]:
    """The words of a text, without addresses and code; none where they are too few to tell languages apart."""
    text = article_text(tree, source.path) or ""
    start, end = source.title_span
    body = text[source.body_start :]
    prose = read_prose(body[:start] + body[end:]).text
    words = _WORDS.findall(prose)
    letters = sum(len(word) for word in words if len(word) > 2 and word.isalpha() and not word[0].isupper())
    return words if letters >= LEAST_LETTERS else []


def _is_sentence(title: str) -> bool:
    """Whether a title has words of a language, and not only names."""
    words = title.split()
    return len(words) >= LEAST_TITLE_WORDS and any(
        len(word) > 3 and word.isalpha() and word.islower() for word in words
    )
