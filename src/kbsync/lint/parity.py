"""Whether a translation has what its original has: links, images, code, headings, placeholders and tables."""

from __future__ import annotations

import posixpath
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, lru_cache
from operator import itemgetter

import msgspec

from kbsync.content.identity import Site, locale_of
from kbsync.content.skeleton import CODE, HEADING, IMAGE, LINK, PLACEHOLDER, TABLE, parts_in
from kbsync.content.source import Source
from kbsync.content.tree import Tree
from kbsync.lint.context import Context
from kbsync.lint.finds import Needs, finds
from kbsync.lint.likely_targets import INDEX as NAMELESS
from kbsync.lint.page import cut
from kbsync.model import Finding, Rule
from kbsync.patterns import Pattern
from kbsync.words import count

NO_LINK = Rule("KB601", "Link that the translation lacks")
NO_PICTURE = Rule("KB602", "Image that the translation lacks")
OTHER_CODE = Rule("KB603", "Code that differs from the original")
OTHER_HEADINGS = Rule("KB604", "Headings that differ from the original")
NO_PLACEHOLDER = Rule("KB605", "Placeholder that the translation lacks")
OTHER_TABLES = Rule("KB606", "Table that is lost or changed in the translation")

RULE_OF = {
    LINK: NO_LINK, IMAGE: NO_PICTURE, CODE: OTHER_CODE, HEADING: OTHER_HEADINGS, PLACEHOLDER: NO_PLACEHOLDER,
    TABLE: OTHER_TABLES,
}  # fmt: skip

HINTS = {
    LINK: "Add the link, or ignore KB601.",
    IMAGE: "Add the image, or ignore KB602.",
    CODE: "Copy the code from the original, or ignore KB603 if a part of it has to be translated.",
    HEADING: "Use the headings of the original, with the same levels.",
    PLACEHOLDER: "Copy the placeholder as it is: it is not translated.",
    TABLE: "Give it the rows and columns of the original, or ignore KB606.",
}

SITE = Pattern(r"\A[a-z]+://[^/?#]*", re.IGNORECASE)
INDEX = NAMELESS | {""}
"""Names that do not tell one page from another."""

SCHEME_AND_HOST = Pattern(r"(https?://)([^/?#]*)(.*)", re.IGNORECASE | re.DOTALL)


@finds(*RULE_OF.values(), needs=Needs.ORIGINAL)
def check_parity(context: Context) -> Iterator[Finding]:
    """Each translation has what its original has; what it has besides is its own business."""
    sources, meaning = context.tree.sources, _meaning(context)
    for path, translations in by_original(context).items():
        original: _Placed | None = None
        for source in translations:
            if source.skeleton == sources[path].skeleton and source.links == sources[path].links:
                continue
            original = original or _placed(sources[path], meaning)
            yield from _compare(context, original, _placed(source, meaning))


def by_original(context: Context) -> Mapping[str, list[Source]]:
    """The translations of each article: what an original has is then taken apart once."""
    found = dict[str, list[Source]]()
    for path in context.site.articles:
        if original := original_of(context.tree, context.site, path):
            found.setdefault(original, []).append(context.tree.sources[path])
    return found


def original_of(tree: Tree, site: Site, path: str) -> str:
    """The path of the article that this one is to be compared with; "" where it is no translation of one."""
    original = site.translated(path, tree.sources[path].translation_of)
    is_pair = original and _can_be_compared(tree.sources[path]) and _can_be_compared(tree.sources[original])
    return original if is_pair else ""


def _can_be_compared(source: Source) -> bool:
    return not source.body_blank and source.status != "archived" and source.manage != "false"


def _compare(context: Context, original: _Placed, translation: _Placed) -> Iterator[Finding]:
    locales = _locale(context, original.source), _locale(context, translation.source)
    pair = _Pair(original.between(locales), translation.between(locales))
    for kind, lost in _lost(pair.original.counted, pair.translation.counted).items():
        yield from _report(pair, kind, lost)


def _locale(context: Context, source: Source) -> str:
    return context.site.articles[source.path].locale


def _key(kind: str, key: str, locales: tuple[str, str]) -> str:
    """What tells a part from others of its kind in every language."""
    # A translation shows images of its own, so only their number counts.
    return "" if kind == IMAGE else _any_locale(key, locales) if kind == LINK else key


PAGE_OF_FOLDER = frozenset({"index", "index.html"})


def _any_locale(address: str, locales: tuple[str, str]) -> str:
    """An address without the language that it is for; of a site for each language only the site."""
    found = SCHEME_AND_HOST.fullmatch(address)
    if found is None:
        return address
    words = {word for locale in locales for word in (locale.lower(), locale.lower().replace("_", "-"), locale[:2])}
    host = found[2].lower().split(".")
    if host[0] in words:
        return f"{found[1]}*.{'.'.join(host[1:])}"
    # Many sites have no folder for their first language, and no name for the page of a folder.
    parts = [part for part in found[3].split("/") if part.lower() not in words]
    path = "/".join(parts[:-1] if parts and parts[-1] in PAGE_OF_FOLDER else parts).rstrip("/")
    return f"{found[1]}{found[2].lower()}{path}"


def _meaning(context: Context) -> Callable[[str], str]:
    """Gives what a link into the tree means in every language. Thousands lead to the same articles."""

    @cache
    def meaning(target: str) -> str:
        target = context.overview.named.get(target) or target
        locale = locale_of(target, context.site.locales)
        return f"/{target[len(locale) :].lstrip('/') if locale else target}"

    return meaning


Numbers = Counter[str]
"""How many parts of one kind there are with each key."""


def _lost(theirs: Mapping[str, Numbers], ours: Mapping[str, Numbers]) -> dict[str, dict[str, int]]:
    """What the original has more of, by kind. Headings are compared by all their levels: one cannot be missing by
    itself."""
    found: dict[str, dict[str, int]] = {}
    for kind in RULE_OF:
        there, here = theirs[kind], ours[kind]
        if there == here:
            continue
        lost: Mapping[str, int] = there - here
        if kind == HEADING:
            lost = {**lost, **(here - there)}
        elif kind == LINK and lost:
            lost = _without_local_versions(lost, there, here)
        if lost:
            found[kind] = dict(lost)
    return found


def _without_local_versions(lost: Mapping[str, int], there: Numbers, here: Numbers) -> dict[str, int]:
    """Lost links without those for which the translation has another to a page of the same name: its own version."""
    names: Counter[str] = Counter()
    for key, number in (here - there).items():
        names[_page_name(key)] += number
    if not names:
        return {**lost}
    left: dict[str, int] = {}
    for key, number in lost.items():
        name = _page_name(key)
        same = min(number, names[name]) if name not in INDEX else 0
        if same:
            names[name] -= same
        if number > same:
            left[key] = number - same
    return left


@lru_cache(maxsize=20_000)
def _page_name(address: str) -> str:
    """What the last part of an address calls its page; "" for a whole site."""
    path = SITE.sub("", address).partition("?")[0].partition("#")[0].rstrip("/")
    name = posixpath.splitext(posixpath.basename(path))[0].casefold()
    # The readme of a folder is called as the folder.
    return posixpath.basename(posixpath.dirname(path)).casefold() if name in NAMELESS else name


_Part = tuple[str, int, str]
"""One part of an article: what tells it from others of its kind, its line in the file, and how a message names it."""

_LINE = itemgetter(1)


class _Placed:
    """The parts of one article by kind, in the order of the lines, and how many there are of each.

    Of thousands of articles all of this is needed, so it is made at once.
    """

    __slots__ = ("by_kind", "counted", "heading_lines", "source")

    def __init__(self, source: Source, by_kind: dict[str, list[_Part]]) -> None:
        self.source = source
        self.by_kind = by_kind
        self.counted: dict[str, Numbers] = {
            kind: Counter(key for key, _, _ in parts) for kind, parts in by_kind.items()
        }
        self.heading_lines = [line for _, line, _ in by_kind[HEADING]]

    def between(self, locales: tuple[str, str]) -> _Placed:
        """The same with links to other sites as they are named in both languages."""
        if not self.leads_elsewhere:
            return self
        links = [(_any_locale(key, locales), line, shown) for key, line, shown in self.by_kind[LINK]]
        return _Placed(self.source, self.by_kind | {LINK: links})

    @property
    def leads_elsewhere(self) -> bool:
        """Whether there is a link to another site: of links, a skeleton has these only."""
        return f"\n{LINK} " in f"\n{self.source.skeleton}"


class _Pair(msgspec.Struct, frozen=True):
    original: _Placed
    translation: _Placed

    def places(self, kind: str) -> Callable[[int, int], int]:
        """Gives the line of the translation that stands for a part of the original, of its number and line there: that
        of the same part, or of its heading."""
        same = self.translation.by_kind[kind]
        if len(same) == len(self.original.by_kind[kind]):
            return lambda number, _: same[number][1]
        headings, above = self.translation.heading_lines, self.original.heading_lines

        def of_heading(_: int, line: int) -> int:
            number = bisect_right(above, line)
            return headings[min(number, len(headings)) - 1] if number and headings else 1

        return of_heading


def _placed(source: Source, meaning: Callable[[str], str]) -> _Placed:
    by_kind: dict[str, list[_Part]] = {kind: [] for kind in RULE_OF}
    for (kind, key), line in zip(parts_in(source.skeleton), source.part_lines, strict=True):
        by_kind[kind].append(("" if kind == IMAGE else key, line, key))
    links, images = by_kind[LINK], by_kind[IMAGE]
    for link in source.links:
        target = link.target
        if link.is_image:
            images.append(("", link.line, target))
        else:
            links.append((meaning(target), link.line, target))
    # All others are in the order of the text: of these, some are in the tree and some elsewhere.
    links.sort(key=_LINE)
    images.sort(key=_LINE)
    return _Placed(source, by_kind)


def _report(pair: _Pair, kind: str, lost: dict[str, int]) -> Iterator[Finding]:
    if kind == HEADING:
        yield _of_headings(pair)
        return
    if kind == TABLE and len(pair.translation.by_kind[TABLE]) == len(pair.original.by_kind[TABLE]):
        yield from _of_tables(pair)
        return
    # The last ones are named: the first may well be those that are there.
    parts, left = pair.original.by_kind[kind], sum(lost.values())
    at, line_of = f"{pair.original.source.path}:", pair.places(kind)
    # Of a tree whose translations lag behind there are tens of thousands: what all have in common is looked up once.
    finding, path, hint = RULE_OF[kind].finding, pair.translation.source.path, HINTS[kind]
    for number in _last_first(pair, kind):
        key, line, shown = parts[number]
        if times := lost.get(key):
            lost[key] = times - 1
            left -= 1
            yield finding(path, line_of(number, line), 1, _message(pair, kind, (key, line, shown), f"{at}{line}"), hint)
            if not left:
                return


def _last_first(pair: _Pair, kind: str) -> Iterable[int]:
    """The parts of the original, the last first; images that the translation shows come behind all others."""
    numbers: Iterable[int] = range(len(pair.original.by_kind[kind]) - 1, -1, -1)
    if kind == IMAGE:
        there = [_file_name(shown) for _, _, shown in pair.original.by_kind[IMAGE]]
        here = {_file_name(shown) for _, _, shown in pair.translation.by_kind[IMAGE]}
        numbers = sorted(numbers, key=lambda number: there[number] in here)
    return numbers


def _file_name(address: str) -> str:
    return address.rpartition("/")[2]


NAMES = {LINK: "link to", IMAGE: "image", PLACEHOLDER: "placeholder"}


def _message(pair: _Pair, kind: str, part: _Part, place: str) -> str:
    key, _, shown = part
    if kind == CODE:
        if len(pair.translation.by_kind[CODE]) == len(pair.original.by_kind[CODE]):
            return f"This code differs from the original's ({place})."
        return f"The code of the original ({place}) is missing here."
    if kind == TABLE:
        return f"The table of the original ({place}) is missing here."
    name = NAMES[kind]
    if kind != IMAGE and (ours := pair.translation.counted[kind].get(key, 0)):
        theirs = pair.original.counted[kind][key]
        return (
            f"The original ({place}) has the {name} {_in_code(shown)} {theirs} times, this translation only "
            f"{count(ours, 'time')}."
        )
    return f"The {name} {_in_code(shown)} of the original ({place}) is missing here."


def _in_code(text: str) -> str:
    return f"`{cut(text, 80)}`"


def _of_headings(pair: _Pair) -> Finding:
    """One finding: where the levels first differ."""
    theirs, ours = pair.original.by_kind[HEADING], pair.translation.by_kind[HEADING]
    at = next((n for n, (one, two) in enumerate(zip(theirs, ours, strict=False)) if one[0] != two[0]), None)
    if at is None:
        at = min(len(theirs), len(ours))
    line = ours[min(at, len(ours) - 1)][1] if ours else 1
    there = theirs[min(at, len(theirs) - 1)][1] if theirs else 1
    place = f"{pair.original.source.path}:{there}"
    if len(theirs) == len(ours):
        message = f"This heading has level {ours[at][0]}, and level {theirs[at][0]} in the original ({place})."
    else:
        message = f"The original has {count(len(theirs), 'heading')}, this translation {len(ours)} (see {place})."
    return _finding(pair, HEADING, line, message)


def _of_tables(pair: _Pair) -> Iterator[Finding]:
    """Where there are as many as in the original: each of another size."""
    tables = zip(pair.original.by_kind[TABLE], pair.translation.by_kind[TABLE], strict=True)
    for (theirs, line, _), (ours, our_line, _) in tables:
        if theirs != ours:
            place = f"{pair.original.source.path}:{line}"
            message = f"This table has {_size(ours)}, and the original's ({place}) has {_size(theirs)}."
            yield _finding(pair, TABLE, our_line, message)


def _size(shown: str) -> str:
    columns, rows = map(int, shown.split("x"))
    return f"{count(columns, 'column')} and {count(rows, 'row')}"


def _finding(pair: _Pair, kind: str, line: int, message: str) -> Finding:
    return RULE_OF[kind].finding(pair.translation.source.path, line, 1, message, HINTS[kind])


def missing_parts(original: Source, source: Source, locales: tuple[str, str]) -> Iterator[str]:
    """What a translation that is not in the tree yet lacks, each as a sentence.

    Args:
        original, source: what was read of both.
        locales: theirs.
    """
    lost = _lost(_parts_of(original, locales), _parts_of(source, locales))
    yield from (_lack(kind, key) for kind, keys in lost.items() for key in keys)
    for is_image, name in ((False, "links"), (True, "images")):
        counts = [sum(1 for link in it.links if link.is_image == is_image) for it in (original, source)]
        if counts[1] < counts[0]:
            yield f"It has {counts[1]} {name} into your files; the original has {counts[0]}."


def _lack(kind: str, key: str) -> str:
    if kind == TABLE:
        return f"The original has a table of {_size(key)} that this does not have."
    if key:
        return f"{kind.capitalize()} {_in_code(key)} is not as in the original."
    return f"It has fewer {kind}s than the original." if kind != CODE else "It has fewer blocks of text."


def _parts_of(source: Source, locales: tuple[str, str]) -> Mapping[str, Numbers]:
    parts: dict[str, Numbers] = {kind: Counter() for kind in RULE_OF}
    for kind, key in parts_in(source.skeleton):
        parts[kind][_key(kind, key, locales)] += 1
    return parts
