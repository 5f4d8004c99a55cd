"""Which bodies are compared, because nothing else tells which source is which article. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

import msgspec

from kbsync.model import Desired, Fields, RemoteId, Value
from kbsync.plan.assign import Edge
from kbsync.plan.evidence import Evidence, likeness, words
from kbsync.plan.known import Node
from kbsync.plan.match import Weighed
from kbsync.plan.nodes import Article
from kbsync.plan.orphans import MACHINE_SLUG

Pair = tuple[str, Node]
"""A source and an article."""

TRADED = ("content", "title")
"""What tells that one source was put in the place of another."""

MOST_EDGES = 32
"""In knots of more edges only these are looked at."""

MOST_PAIRS = 20_000
"""Bodies are compared in so many pairs; beyond, only those of the same place or body."""

MOST_UNKNOWN, ALIKE = 20, 0.8
"""Where a locale has so few articles that are on no record and no source is, each new source is compared with each of
them; and so much of two bodies is the same where nothing else speaks for it."""

MOST_REWRITTEN = 20
"""Where so few articles get another text, each is compared with each new source: its text may have moved, edited."""


def place_of(path: str) -> str:
    """Where a source lies below the folder of its locale."""
    return path.partition("/")[2]


def bodies_to_compare(weighed: Weighed) -> list[Pair]:
    """The sources and articles whose bodies would tell what nothing else does, those of knots first."""
    known = weighed.index.known
    # All knots together: files may have been traded between them.
    pairs = dict.fromkeys(_of_knots([edge for knot in weighed.contested() for edge in knot]))
    pairs |= dict.fromkeys((*_left(weighed), *_given_up(weighed), *_of_place_alone(weighed)))
    return [
        (path, node)
        for path, node in pairs
        if weighed.index.nodes[node].observed
        and (path, node[1]) not in known.likeness
        and Evidence.TEXT not in weighed.scales.reasons(path, node)
    ]


def compared(
    weighed: Weighed, pairs: Iterable[Pair], ours: Mapping[str, str], theirs: Mapping[Node, str]
) -> dict[tuple[str, RemoteId], float]:
    """How alike the bodies of some pairs are: ours by source path, theirs by article.

    A pair without such evidence, or with an unread body, is left out.
    """
    new = {path: words(text) for path, text in ours.items()}
    old = {node: words(text) for node, text in theirs.items()}
    found = {}
    for path, node in pairs:
        item, article = weighed.items[path], weighed.index.nodes[node]
        same_title = item.title in {article.title, _on_record(article, "title")}
        # A person may have rewritten the article since; what was sent for that file is still on record.
        is_kept = item.fields.get("content") == _on_record(article, "content")
        share = likeness(new[path], new[path] if is_kept else old[node], same_title=same_title) if node in old else None
        if share is not None and (share >= ALIKE or not _is_unknown(weighed, item, node)):
            found[path, node[1]] = share
    return found


def _of_knots(edges: list[Edge]) -> Iterator[Pair]:
    """Each source with each article of some knots; where these are large, only what hangs together already."""
    if len(edges) > MOST_EDGES:
        yield from (edge for edge in sorted(edges, key=str) if edge[1][0] == "article")
        return
    for path in sorted({path for path, _ in edges}):
        for node in sorted({node for _, node in edges}, key=str):
            if node[0] == "article":
                yield path, node


def _of_place_alone(weighed: Weighed) -> Iterator[Pair]:
    """The sources that are an article by what git knows of their file alone: it may hold another one by now."""
    for path, node in weighed.assignment.found.items():
        if node[0] == "article" and weighed.by_place_alone(path, node):
            yield path, node


def _left(weighed: Weighed) -> Iterator[Pair]:
    """The sources without an article, each with the articles without a source that it may have been.

    Where git cannot say, a slug alone ties nothing together.
    """
    loose = dict(_tied_by_name(weighed)) if weighed.index.known.git.word else {}
    free = sorted((*weighed.without_source("article"), *loose.values()), key=str)
    if not free:
        return
    items = (*weighed.unmatched("article"), *(weighed.items[path] for path in loose))
    new = sorted(items, key=lambda item: item.path)
    many = len(new) * len(free) > MOST_PAIRS
    unknown = Counter(weighed.index.nodes[node].some.locale for node in free if not _is_ours(weighed, node))
    near = _by_place_and_text(weighed, free)
    for item in new:
        likely = (*near.get(("place", place_of(item.path)), ()), *near.get(("text", item.fields.get("content")), ()))
        for node in dict.fromkeys((*likely, *(() if many else free))):
            if _may_have_been(weighed, item, node, unknown):
                yield item.path, node


def _by_place_and_text(weighed: Weighed, nodes: Iterable[Node]) -> dict[tuple[str, Value], list[Node]]:
    found: dict[tuple[str, Value], list[Node]] = {}
    for node in nodes:
        article = weighed.index.nodes[node]
        found.setdefault(("place", place_of(article.path)), []).append(node)
        for text in {article.some.fields.get("content"), _on_record(article, "content")}:
            found.setdefault(("text", text), []).append(node)
    return found


def _may_have_been(weighed: Weighed, item: Desired, node: Node, unknown: Mapping[str, int]) -> bool:
    """Whether a source may be an article; `unknown` are how many on no record each locale has."""
    locale = weighed.index.nodes[node].some.locale
    is_one_of_few = locale == item.locale and 0 < unknown[locale] <= MOST_UNKNOWN
    return is_one_of_few or _is_ours(weighed, node) or _looks_like(weighed, item, node)


def _given_up(weighed: Weighed) -> Iterator[Pair]:
    """What one commit may have traded: a text or title that one source gave up and another has.

    looked at                                 | pairs
    ------------------------------------------+------------------------------------------------------------------
    a new source with a text or title that a  | with that article; that article with its own source, which was
      rewritten article had                   |   rewritten
    a new source, where few were rewritten    | with each rewritten article of a locale that it is or, as git knows,
                                              |   was in; that with its own source
    a source that a slug alone ties to its    | as for a new source with such a text or title; and with the article
      article: that file may be gone          |   that it is tied to
    an article without a source, with a text  | with that source; that source with its own article
      or title that a rewritten source has    |
    """
    new, loose = list(weighed.unmatched("article")), dict(_tied_by_name(weighed))
    left = _ours_without_source(weighed)
    if not (new or left or loose):
        return
    rewritten = _rewritten(weighed)
    for item in new:
        for other in (*rewritten.that_had(item.fields), *_few_near(weighed, rewritten, item)):
            yield from _traded(item.path, other, None)
    for path, own in loose.items():
        for other in rewritten.that_had(weighed.items[path].fields):
            yield from _traded(path, other, own)
    for node in left:
        for path, own in rewritten.that_has(_sides(weighed, node)):
            yield from ((path, node), (path, own))


def _ours_without_source(weighed: Weighed) -> list[Node]:
    return [node for node in weighed.without_source("article") if _is_ours(weighed, node)]


def _few_near(weighed: Weighed, rewritten: _Rewritten, item: Desired) -> list[Pair]:
    """The rewritten articles of the locales that a new source is or was in, where they are few."""
    if len(rewritten.pairs) > MOST_REWRITTEN:
        return []
    locales = {item.locale, *(then.locale for then in weighed.index.known.git.former.get(item.path, ()))}
    return [pair for pair in rewritten.pairs if weighed.items[pair[0]].locale in locales]


def _traded(path: str, other: Pair, own: Node | None) -> Iterator[Pair]:
    """A source with another's article, that article with its own source, and the source with its own article."""
    if other[0] == path:
        return
    yield path, other[1]
    yield other
    if own is not None:
        yield path, own


class _Rewritten(msgspec.Struct, frozen=True):
    """Sources whose text is neither on record nor on the portal, with their articles; by what these have and had."""

    pairs: list[Pair]
    has: dict[tuple[str, Value], list[Pair]]
    had: dict[tuple[str, Value], list[Pair]]

    def that_had(self, fields: Fields) -> Iterable[Pair]:
        """Those whose article has or had the text or the title of some fields."""
        return dict.fromkeys(pair for name in TRADED for pair in self.had.get((name, fields.get(name)), ()))

    def that_has(self, sides: list[Fields]) -> Iterable[Pair]:
        """Those that have a text or title of an article now."""
        texts = {(name, side.get(name)) for side in sides for name in TRADED}
        return dict.fromkeys(pair for text in sorted(texts, key=str) for pair in self.has.get(text, ()))


def _rewritten(weighed: Weighed) -> _Rewritten:
    found = _Rewritten([], {}, {})
    for path, node in weighed.found.items():
        item, sides = weighed.items[path], _sides(weighed, node)
        if node[0] == "article" and all(side.get("content") != item.fields.get("content") for side in sides):
            found.pairs.append((path, node))
            for name in TRADED:
                found.has.setdefault((name, item.fields.get(name)), []).append((path, node))
                for value in {side.get(name) for side in sides} - {item.fields.get(name)}:
                    found.had.setdefault((name, value), []).append((path, node))
    return found


def _sides(weighed: Weighed, node: Node) -> list[Fields]:
    return [side.fields for side in weighed.index.nodes[node].sides]


def _on_record(article: Article, name: str) -> Value:
    return article.base.fields.get(name) if article.base else None


def by_name_alone(weighed: Weighed) -> Iterator[Pair]:
    """What nothing but a slug or a name ties together."""
    said = {Evidence.SLUG, Evidence.NAME}
    found = weighed.assignment.found.items()
    return ((path, node) for path, node in found if said.issuperset(weighed.scales.reasons(path, node)))


def _tied_by_name(weighed: Weighed) -> Iterator[Pair]:
    return (pair for pair in by_name_alone(weighed) if pair[1][0] == "article")


def _is_ours(weighed: Weighed, node: Node) -> bool:
    """Whether the record or git knows it."""
    return weighed.index.nodes[node].known is not None


def _is_unknown(weighed: Weighed, item: Desired, node: Node) -> bool:
    """Whether nothing but the text can say that a source is an article."""
    is_said = bool(weighed.scales.reasons(item.path, node)) or _is_ours(weighed, node)
    return not is_said and not _looks_like(weighed, item, node)


def _looks_like(weighed: Weighed, item: Desired, node: Node) -> bool:
    """Whether an article that is on no record, nor in git, may be a source's: a person may have given it that slug.

    One with a slug that the panel made was made there. It is a source's where it was pulled, and the file got a plain
    slug before it was committed.
    """
    some = weighed.index.nodes[node].some
    git = weighed.index.known.git
    same = item.title == weighed.index.nodes[node].title or item.fields.get("content") == some.fields.get("content")
    if same or MACHINE_SLUG.match(some.slug):
        return same
    # A file that was renamed is an article already, wherever that is by now.
    return node[1] in git.once or bool(git.word) or git.was_renamed(item.path)
