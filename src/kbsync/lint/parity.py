"""Whether a translation has what its original has: links, images, code, headings, placeholders and tables."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from kbsync.content.identity import locale_of
from kbsync.content.skeleton import CODE, HEADING, IMAGE, LINK, PLACEHOLDER, TABLE, Part, parts_of
from kbsync.content.source import Source
from kbsync.lint.article_text import article_text
from kbsync.lint.context import Context
from kbsync.lint.finds import Needs, finds
from kbsync.model import Finding, Rule

NO_LINK = Rule("KB601", "Link that the translation lacks")
NO_PICTURE = Rule("KB602", "Image that the translation lacks")
OTHER_CODE = Rule("KB603", "Code that differs from the original")
OTHER_HEADINGS = Rule("KB604", "Headings that differ from the original")
NO_PLACEHOLDER = Rule("KB605", "Placeholder that the translation lacks")
OTHER_TABLES = Rule("KB606", "Table that the translation lacks")

RULE_OF = {
    LINK: NO_LINK, IMAGE: NO_PICTURE, CODE: OTHER_CODE, HEADING: OTHER_HEADINGS, PLACEHOLDER: NO_PLACEHOLDER,
    TABLE: OTHER_TABLES,
}  # fmt: skip

PARITY_CODES = frozenset(rule.code for rule in RULE_OF.values())

HINTS = {
    LINK: "Add the link, or ignore KB601.",
    IMAGE: "Add the image, or ignore KB602.",
    CODE: "Copy the code from the original, or ignore KB603 if a part of it has to be translated.",
    HEADING: "Use the headings of the original, with the same levels.",
    PLACEHOLDER: "Copy the placeholder as it is: it is not translated.",
    TABLE: "Add the table, or ignore KB606.",
}

SCHEME_AND_HOST = re.compile(r"(https?://)([^/?#]*)(.*)", re.IGNORECASE | re.DOTALL)


@finds(*RULE_OF.values(), needs=Needs.ORIGINAL)
def check_parity(context: Context) -> Iterator[Finding]:
    """Each translation has what its original has; what it has besides is its own business."""
    sources, site = context.tree.sources, context.site
    for path in site.articles:
        original = site.translated(path, sources[path].translation_of)
        if original and _can_be_compared(sources[path]) and _can_be_compared(sources[original]):
            yield from _compare(context, sources[original], sources[path])


def _can_be_compared(source: Source) -> bool:
    return not source.body_blank and source.status != "archived" and source.manage != "false"


def _compare(context: Context, original: Source, source: Source) -> Iterator[Finding]:
    if original.skeleton == source.skeleton and original.links == source.links:
        return
    locales = _locales(context, original), _locales(context, source)
    theirs, ours = (Counter(_keys(context, it, locales)) for it in (original, source))
    if not any(_lost(theirs, ours, kind) for kind in RULE_OF):
        return
    # Only now are the texts read: the places are not kept, so that an edit elsewhere moves none.
    texts = article_text(context.tree, original.path), article_text(context.tree, source.path)
    if texts[0] is None or texts[1] is None:
        return
    pair = _Pair(_placed(context, original, texts[0], locales), _placed(context, source, texts[1], locales))
    for kind in RULE_OF:
        yield from _report(pair, kind, _lost(theirs, ours, kind))


Key = tuple[str, str]


def _locales(context: Context, source: Source) -> str:
    return context.site.articles[source.path].locale


def _keys(context: Context, source: Source, locales: tuple[str, str]) -> Iterator[Key]:
    for line in source.skeleton.split("\n") if source.skeleton else ():
        kind, _, key = line.partition(" ")
        yield _key(kind, key, locales)
    for link in source.links:
        yield _key_of_target(context, link.target, is_image=link.is_image)


def _key(kind: str, key: str, locales: tuple[str, str]) -> Key:
    # A translation shows images of its own, so only their number counts.
    return kind, "" if kind == IMAGE else _any_locale(key, locales) if kind == LINK else key


def _any_locale(address: str, locales: tuple[str, str]) -> str:
    """An address without the language that it is for; of a site for each language only the site."""
    found = SCHEME_AND_HOST.fullmatch(address)
    if found is None:
        return address
    words = {word for locale in locales for word in (locale.lower(), locale.lower().replace("_", "-"), locale[:2])}
    host = found[2].lower().split(".")
    if host[0] in words:
        return f"{found[1]}*.{'.'.join(host[1:])}"
    path = "/".join("*" if part.lower() in words else part for part in found[3].split("/"))
    return f"{found[1]}{found[2].lower()}{path}"


def _key_of_target(context: Context, target: str, *, is_image: bool) -> Key:
    """A link into the tree by what it means in every language."""
    if is_image:
        return IMAGE, ""
    source = context.tree.sources.get(target)
    if source is not None and source.translation_of:
        target = source.translation_of
    locale = locale_of(target, context.site.locales)
    return LINK, f"/{target[len(locale) :].lstrip('/') if locale else target}"


def _lost(theirs: Counter[Key], ours: Counter[Key], kind: str) -> Counter[Key]:
    """What the original has more of. Headings are compared by all their levels: one cannot be missing by itself."""
    one, other = (Counter({key: n for key, n in some.items() if key[0] == kind}) for some in (theirs, ours))
    return (one - other) + (other - one if kind == HEADING else Counter())


@dataclass(frozen=True, slots=True)
class _Placed:
    """The parts of one article, each with its key and its line, in the order of the text."""

    source: Source
    parts: tuple[tuple[Key, int, str], ...]

    def of(self, kind: str) -> list[tuple[Key, int, str]]:
        return [part for part in self.parts if part[0][0] == kind]

    def headings_before(self, line: int) -> int:
        return bisect_right([place for _, place, _ in self.of(HEADING)], line)


@dataclass(frozen=True, slots=True)
class _Pair:
    original: _Placed
    translation: _Placed

    def place(self, kind: str, number: int, line: int) -> int:
        """The line of the translation that stands for a part of the original: the same part, or its heading."""
        same = self.translation.of(kind)
        if len(same) == len(self.original.of(kind)):
            return same[number][1]
        headings = self.translation.of(HEADING)
        above = self.original.headings_before(line)
        return headings[min(above, len(headings)) - 1][1] if above and headings else 1


def _placed(context: Context, source: Source, text: str, locales: tuple[str, str]) -> _Placed:
    # Loaded here: where everything is in order, no Markdown is parsed.
    from kbsync.markdown.offsets import Places
    from kbsync.markdown.spans import scan

    body = text[source.body_start :]
    places = Places(text)
    parts = [
        (_key(part.kind, part.key, locales), places.line(source.body_start + part.at), _shown(part, body))
        for part in parts_of(body, scan(body), source.title_span)
    ]
    for link in source.links:
        parts.append((_key_of_target(context, link.target, is_image=link.is_image), link.line, link.target))
    return _Placed(source, tuple(sorted(parts, key=lambda part: part[1])))


def _shown(part: Part, body: str) -> str:
    if part.kind in {LINK, IMAGE, PLACEHOLDER}:
        return part.key
    return body[part.at :].partition("\n")[0].strip()


def _report(pair: _Pair, kind: str, lost: Counter[Key]) -> Iterator[Finding]:
    if not lost:
        return
    if kind == HEADING:
        yield _of_headings(pair)
        return
    left = +lost
    # The last ones are named: the first may well be those that are there.
    for number, (key, line, shown) in reversed(list(enumerate(pair.original.of(kind)))):
        if left[key]:
            left[key] -= 1
            place = f"{pair.original.source.path}:{line}"
            yield _finding(pair, kind, pair.place(kind, number, line), _message(pair, kind, shown, place))


def _message(pair: _Pair, kind: str, shown: str, place: str) -> str:
    if kind == CODE:
        if len(pair.translation.of(CODE)) == len(pair.original.of(CODE)):
            return f"This code differs from the original's ({place})."
        return f"The code of the original ({place}) is missing here."
    if kind == TABLE:
        return f"The table of the original ({place}) is missing here."
    name = {LINK: "link to", IMAGE: "image", PLACEHOLDER: "placeholder"}[kind]
    return f"The {name} {_in_code(shown)} of the original ({place}) is missing here."


def _in_code(text: str) -> str:
    return f"`{text}`" if len(text) <= 80 else f"`{text[:79]}…`"


def _of_headings(pair: _Pair) -> Finding:
    """One finding: where the levels first differ."""
    theirs, ours = pair.original.of(HEADING), pair.translation.of(HEADING)
    at = next((n for n, (one, two) in enumerate(zip(theirs, ours, strict=False)) if one[0] != two[0]), None)
    if at is None:
        at = min(len(theirs), len(ours))
    line = ours[min(at, len(ours) - 1)][1] if ours else 1
    there = theirs[min(at, len(theirs) - 1)][1] if theirs else 1
    place = f"{pair.original.source.path}:{there}"
    if len(theirs) == len(ours):
        message = f"This heading has level {ours[at][0][1]}, and level {theirs[at][0][1]} in the original ({place})."
    else:
        message = f"The original has {len(theirs)} headings, this translation {len(ours)} (see {place})."
    return _finding(pair, HEADING, line, message)


def _finding(pair: _Pair, kind: str, line: int, message: str) -> Finding:
    return RULE_OF[kind].finding(pair.translation.source.path, line, 1, message, HINTS[kind])


def missing_parts(original: Source, source: Source, locales: tuple[str, str]) -> Iterator[str]:
    """What a translation that is not in the tree yet lacks, each as a sentence.

    Args:
        original, source: what was read of both.
        locales: theirs.
    """
    theirs, ours = (
        Counter(_key(kind, key, locales) for kind, _, key in (line.partition(" ") for line in it.skeleton.split("\n")))
        for it in (original, source)
    )
    for kind in RULE_OF:
        for key in _lost(theirs, ours, kind):
            yield (
                f"{kind.capitalize()} {_in_code(key[1])} is not as in the original."
                if key[1]
                else (f"It has fewer {kind}s than the original." if kind != CODE else "It has fewer blocks of text.")
            )
    for is_image, name in ((False, "links"), (True, "images")):
        counts = [sum(1 for link in it.links if link.is_image == is_image) for it in (original, source)]
        if counts[1] < counts[0]:
            yield f"It has {counts[1]} {name} into your files; the original has {counts[0]}."


def names_a_moved_original(findings: Iterable[Finding], moved: Iterable[str]) -> bool:
    """Whether a finding of before names a place in one of these files: that line may be another now."""
    places = [f"{path}:" for path in moved]
    return any(f.code in PARITY_CODES and any(place in f.message for place in places) for f in findings)
