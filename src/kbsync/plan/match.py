"""Which desired item is which article or category of the portal, and which base belongs to both. Pure.

One assignment for all: evidence is weighed for everything that could be each other's, and the best reading is taken
(`assign.py`). Evidence adds up:

    evidence                                                       | weight        | who says it
    ---------------------------------------------------------------+---------------+------------------------
    PATH    the record has the article under this very file        | 60            | ledger
    ALIAS   the file's `aliases` name the article's slug           | 50            | the writer
    GIT     the file had the article's slug before, or the file on | 50            | git
            record was renamed to it
            the same, and somebody touched the article since       | 25            | git, portal
    SLUG    the file has the slug that the article has on record   | 35            | ledger and portal
            and on the portal; that it has on one of them          | 25            | ledger or portal
    TEXT    the bodies are the same                                | 60            | portal, ledger
    NEAR    the bodies have the share s of their words in common   | 100 s - 50    | portal, read for this
    FORMER  the article's body is that of an older revision        | 20            | git
    LOCALE  a category whose locale the tree has no more, by slug  | 20            | ledger
    NAME    a category without a source, by its name; the title of | 15; 4         | portal
            an article, beside other evidence (alone it says too
            little, but leads to one of the same title and TEXT)
    (last)  a category without a source that has all the articles  | -             | portal
            of a file which nothing else is

Where less than half of the words of two bodies are the same, PATH and GIT weigh 26 at most, SLUG 30 and FORMER nothing:
the file was rewritten, or another one took its place. With the same title PATH weighs 45 at most; and SLUG 20 where
the article's own file is still there, which gave that slug up; and ALIAS 20 where another file has that slug by now.
Of PATH and GIT the stronger counts, for both say that the file stayed the file; so it is with TEXT, NEAR and FORMER,
and an alias says no more where git knows it, too. So a file that kept its name and its text is the article it was,
whatever slug another file gave up; and two files that swapped their names, but neither slugs nor texts, are still the
articles of their slugs. What is on record and gone from the portal is taken where nothing of the portal could be meant.
Of an article, PATH and GIT weigh 18 at most there where the source has neither its slug, title nor text, and another
has that slug.

What becomes of a knot of sources and articles that could be each other's:

    reading                                              | source           | article
    -----------------------------------------------------+------------------+-------------------------------
    one is better than all others                        | matched, or new  | matched, or without a source
    two are about as good                                | held, both named | neither removed nor forgotten
    one is best and leaves a source and an article over  | held             | neither removed nor forgotten
    only NEAR speaks, and git knows of no rename         | held             | neither removed nor forgotten
    the file only had the slug once; slug, title and     | held             | neither removed nor forgotten
    most of the words are others by now                  |                  |

Also: categories that have one slug in the tree and another on the portal. Pure.

An article names its category by slug. So one rename would look like a move of everything in it, in both directions.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

import msgspec
from msgspec import structs
from msgspec.structs import replace

from kbsync.model import Base, Change, Desired, Kind, Observed, RemoteId, Value
from kbsync.plan.assign import Assignment, Edge, assign, knots_of
from kbsync.plan.draft import Draft, Renamed, follow_rename
from kbsync.plan.evidence import HALF, NEAR, Evidence, Scales
from kbsync.plan.known import Known, Node
from kbsync.plan.nodes import Article, Index, key_of


def renamed_categories(matches: Matches) -> dict[tuple[str, str], str]:
    """The portal's slug to the tree's, by locale: an article whose category gets another slug does not move."""
    return {
        (match.observed.locale, match.observed.slug): match.desired.slug
        for match in _differing(matches)
        if match.observed is not None
    }


def name_as_on_the_portal(draft: Draft, matches: Matches) -> None:
    """Where a category keeps the portal's slug for now, articles are made in it and moved into it under that slug."""
    sent = {change.remote_id for change in draft.changes if change.kind == "category" and "slug" in change.after}
    staying = {
        (match.desired.locale, match.desired.slug): match.observed.slug
        for match in _differing(matches)
        if match.observed is not None and match.observed.remote_id not in sent
    }
    if staying:
        draft.changes = [_named(change, staying) for change in draft.changes]


def settle_renamed(draft: Draft, bases: Iterable[Base], renamed: Renamed) -> None:
    """What is on record of articles takes the new slugs of their categories, also of those that are not planned now.

    Else a later plan would take the portal's new slug for a person's move. Should the rename fail, nothing is lost: as
    long as the portal has the old slug, both sides are read under the new one.
    """
    for base in bases if renamed else ():
        known = draft.settled.get((base.kind, base.remote_id), base)
        fields = follow_rename(known.fields, known.locale, renamed)
        if base.kind == "article" and fields is not known.fields:
            draft.settled[base.kind, base.remote_id] = replace(known, fields=fields)


def _differing(matches: Matches) -> list[Match]:
    return [
        match
        for match in matches.matched
        if match.desired.kind == "category" and match.observed and match.observed.slug != match.desired.slug
    ]


def _named(change: Change, staying: dict[tuple[str, str], str]) -> Change:
    slug = staying.get((change.locale, str(change.after.get("category"))))
    if change.kind != "article" or slug is None:
        return change
    fields = (replace(field, after=slug) if field.name == "category" else field for field in change.fields)
    return replace(change, fields=tuple(fields))


class Match(msgspec.Struct, frozen=True, gc=False):
    """One item on up to three sides. `former` is what git remembers of the file that this one continues.

    `is_stranger`: ours is gone, and a person made a new article with its slug. `is_alike`: the bodies were compared,
    and are nearly the same.
    """

    desired: Desired
    base: Base | None
    observed: Observed | None
    former: Base | None = None
    is_stranger: bool = False
    is_alike: bool = False

    @property
    def remote_id(self) -> RemoteId | None:
        """That of the portal; None where it is not there."""
        return self.observed.remote_id if self.observed else None


class Reading(msgspec.Struct, frozen=True):
    """One article that a source could be, and what speaks for it, the strongest first."""

    article: Article
    reasons: tuple[Evidence, ...]


class Unclear(msgspec.Struct, frozen=True):
    """A source that is not matched, because it could be one of some articles.

    `is_left` means that a better reading gives other sources the articles that it could be, and leaves one over.
    `rivals` are the paths of the other sources that could be one of these articles.
    """

    desired: Desired
    readings: tuple[Reading, ...]
    is_left: bool = False
    rivals: tuple[str, ...] = ()


class Matches(msgspec.Struct, frozen=True):
    """Everything, matched. `orphans` are ours and no longer wanted, each with what the portal holds of it."""

    matched: tuple[Match, ...]
    orphans: tuple[tuple[Base, Observed | None], ...]
    unmanaged: tuple[Observed, ...]
    unclear: tuple[Unclear, ...] = ()
    managed: int = 0

    @property
    def left_over(self) -> list[Desired]:
        """The sources that a better reading leaves without an article."""
        return [item.desired for item in self.unclear if item.is_left]

    @property
    def maybe(self) -> set[Node]:
        """What a source that is not clear may be."""
        readings = (reading.article.some for item in self.unclear for reading in item.readings)
        return {(some.kind, some.remote_id) for some in readings}


class Weighed(msgspec.Struct):
    """All evidence, weighed. `plain` are the sources that are certain."""

    items: dict[str, Desired]
    index: Index
    scales: Scales
    plain: dict[str, Node]
    assignment: Assignment = msgspec.field(default_factory=lambda: Assignment({}, frozenset()))

    @property
    def found(self) -> dict[str, Node]:
        """Which source is which article."""
        found = {**self.plain, **self.assignment.found}
        for path in self.doubtful:
            found.pop(path, None)
        return found

    @property
    def doubtful(self) -> dict[str, Node]:
        """The sources that only look like an article, where git knows when the file was made and of no rename; or whose
        file was that article's once, while slug, title and most words are others by now."""
        git = self.index.known.git
        if git.word:
            return {}
        return {
            path: node
            for path, node in self.assignment.found.items()
            if git.former.get(path) and self._is_doubtful(path, node)
        }

    def _is_doubtful(self, path: str, node: Node) -> bool:
        git, reasons = self.index.known.git, set(self.scales.reasons(path, node))
        if not git.was_renamed(path) and Evidence.NEAR in reasons:
            # What moved to another locale keeps its title more often than not, and so does a translation.
            is_elsewhere = self.index.nodes[node].some.locale not in ("", self.items[path].locale)
            return reasons <= ({Evidence.NEAR, Evidence.NAME} if is_elsewhere else {Evidence.NEAR})
        return self.by_place_alone(path, node) and self.index.known.likeness.get((path, node[1]), 1.0) < HALF

    def by_place_alone(self, path: str, node: Node) -> bool:
        """Whether a source has neither slug, title nor text of an article: only its file was that article's once."""
        return set(self.scales.reasons(path, node)) <= {Evidence.GIT, Evidence.FORMER_TEXT}

    def contested(self) -> Iterator[frozenset[Edge]]:
        """The knots in which a source or an article has more than one edge."""
        return (knot for knot in knots_of(self.scales.weights) if len(knot) > 1)

    def unmatched(self, kind: Kind) -> Iterator[Desired]:
        """The sources of a kind without an article, the open ones among them."""
        found = self.assignment.found
        loose = (self.items[path] for path in self.scales.found if path not in found and path not in self.plain)
        return (item for item in loose if item.kind == kind)

    def without_source(self, kind: Kind | None = None) -> Iterator[Node]:
        """The articles and categories of the portal that no source is; of one kind, or all."""
        taken = set(self.found.values())
        free = (node for node, article in self.index.nodes.items() if node not in taken and article.observed)
        return (node for node in free if kind in (None, node[0]))


def weigh(tree: Iterable[Desired], known: Known) -> Weighed:
    """Weigh all evidence and take the best readings."""
    items = {item.path: item for item in tree}
    index = Index.of(known)
    compared = {path for path, _ in known.likeness}
    plain, claimed = _plain((item for item in items.values() if item.path not in compared), index)
    scales = _scales(items, index, claimed)
    _weigh_what_is_open(scales, items, plain, claimed)
    weighed = Weighed(items, index, scales, plain, _assigned(scales))
    homes = _categories_by_articles(weighed)
    if not homes:
        return weighed
    assignment = replace(weighed.assignment, found={**weighed.assignment.found, **homes})
    return structs.replace(weighed, assignment=assignment)


def _scales(items: Mapping[str, Desired], index: Index, claimed: Mapping[Node, str]) -> Scales:
    def is_free(node: Node) -> bool:
        # What the record has under a file of the tree has not lost its source, whatever that file is now.
        own = items.get(index.nodes[node].path)
        return node not in claimed and (own is None or own.kind != node[0])

    def is_taken(item: Desired, alias: str) -> bool:
        key = key_of(item.kind, item.locale, alias)
        others = (other for other in items.values() if other.path != item.path)
        return any(key_of(other.kind, other.locale, other.slug) == key for other in others)

    return Scales(index, is_free, frozenset(item.locale for item in items.values()), is_taken)


def _weigh_what_is_open(
    scales: Scales, items: Mapping[str, Desired], plain: dict[str, Node], claimed: Mapping[Node, str]
) -> None:
    """Weigh what is not certain, and what is no longer so because another source claims its article."""
    rest = [item for path, item in items.items() if path not in plain]
    while rest:
        scales.weigh(rest)
        rivals = {claimed[node] for path, node in scales.weights if node in claimed and claimed[node] != path}
        rest = [items[path] for path in sorted(rivals) if path in plain]
        for item in rest:
            del plain[item.path]


def _assigned(scales: Scales) -> Assignment:
    """The best readings; what is gone from the portal is taken where nothing of the portal could be meant."""
    there = assign(scales.weights)
    waiting = there.open_paths | there.found.keys()
    gone = assign({edge: weight for edge, weight in scales.weights_of_gone.items() if edge[0] not in waiting})
    return Assignment({**there.found, **gone.found}, there.open | gone.open)


def _categories_by_articles(weighed: Weighed) -> dict[str, Node]:
    """Categories without other evidence: all articles of the one are in the other, which no source is."""
    waiting = weighed.assignment.open_paths
    new = [item for item in weighed.unmatched("category") if item.path not in waiting]
    if not new:
        return {}
    nodes = weighed.index.nodes
    free = weighed.without_source("category")
    left: dict[tuple[Value, ...], Node] = {(nodes[node].some.locale, nodes[node].some.slug): node for node in free}
    homes = _homes(weighed)
    found: dict[str, Node] = {}
    for item in new:
        were = homes.get((item.locale, item.slug), set())
        if len(were) == 1 and (home := left.get((item.locale, *were))) is not None:
            found[item.path] = home
    return found if len(set(found.values())) == len(found) else {}


def _homes(weighed: Weighed) -> dict[tuple[str, Value], set[Value]]:
    """By locale and slug of a category in the tree: the categories that its articles are in on the portal."""
    homes: dict[tuple[str, Value], set[Value]] = {}
    for path, node in weighed.found.items():
        item, seen = weighed.items[path], weighed.index.nodes[node].observed
        if item.kind == "article" and seen is not None:
            homes.setdefault((item.locale, item.fields.get("category")), set()).add(seen.fields.get("category"))
    return homes


def _plain(items: Iterable[Desired], index: Index) -> tuple[dict[str, Node], dict[Node, str]]:
    plain: dict[str, Node] = {}
    claimed: dict[Node, str] = {}
    for item in items:
        node = index.is_plain(item)
        if node is not None and node not in claimed:
            plain[item.path], claimed[node] = node, item.path
    return plain, claimed


def match_items(desired: Iterable[Desired], weighed: Weighed) -> Matches:
    """Match what is desired, by the evidence of the whole tree. The result does not depend on the order of anything."""
    wanted = sorted(desired, key=lambda item: (item.kind != "category", item.path))
    found = weighed.found
    unclear = {item.desired.path: item for item in _unclear(weighed)}
    asked = unclear.keys() & {item.path for item in wanted}
    matched = tuple(_match(weighed, item, found.get(item.path)) for item in wanted if item.path not in unclear)
    orphans, unmanaged = _without_source(weighed, {*found.values(), *weighed.assignment.open_nodes})
    held = tuple(unclear[path] for path in sorted(asked))
    return Matches(matched, orphans, unmanaged, held, len(found) + len(orphans))


def _match(weighed: Weighed, item: Desired, node: Node | None) -> Match:
    if node is None:
        return Match(item, None, None)
    index = weighed.index
    article = index.nodes[node]
    is_alike = index.known.likeness.get((item.path, node[1]), 0.0) >= NEAR
    is_stranger = index.is_stranger(node, item)
    return with_one_name(Match(item, article.base, article.observed, article.former, is_stranger, is_alike))


def _without_source(
    weighed: Weighed, taken: Container[Node]
) -> tuple[tuple[tuple[Base, Observed | None], ...], tuple[Observed, ...]]:
    """What is ours and no longer wanted, each with what the portal holds of it; and what is not ours."""
    rest = [article for node, article in weighed.index.nodes.items() if node not in taken]
    orphans = [(base, article.observed) for article in rest if (base := article.known) is not None]
    unmanaged = [article.observed for article in rest if article.known is None and article.observed]
    return tuple(sorted(orphans, key=lambda pair: _order(pair[0]))), tuple(sorted(unmanaged, key=_order))


def _order(item: Base | Observed) -> tuple[str, str, str, str]:
    return item.kind, item.locale, item.slug, str(item.remote_id)


def with_one_name(match: Match) -> Match:
    """A match whose body has one name on all sides, where only full addresses of the portal's own pages differ.

    A link that leads to the same page is no edit: the name is that of the text with paths, as a pull writes it, unless
    the file or the base has the addresses.
    """
    seen = match.observed
    if seen is None or not seen.by_path:
        return match
    full, by_path = seen.fields["content"], seen.by_path
    names = (match.desired.fields.get("content"), match.base.fields.get("content") if match.base else None)
    if full in names and by_path not in names:
        return match
    desired, base, body = match.desired, match.base, {"content": by_path}
    if names[0] == full:
        desired = structs.replace(desired, fields={**desired.fields, **body})
    if base is not None and names[1] == full:
        base = structs.replace(base, fields={**base.fields, **body})
    return structs.replace(match, desired=desired, base=base, observed=seen.called_by_path)


def _unclear(weighed: Weighed) -> Iterator[Unclear]:
    """The sources that stay unclear, each with what it could be."""
    for path, node in weighed.doubtful.items():
        yield Unclear(weighed.items[path], _readings(weighed, path, [node]), is_left=True)
    yield from _open(weighed)
    yield from _left_over(weighed)


def _open(weighed: Weighed) -> Iterator[Unclear]:
    edges = weighed.assignment.open
    for path in weighed.assignment.open_paths:
        nodes = {node for other, node in edges if other == path}
        rivals = {other for other, node in edges if node in nodes} - {path}
        yield Unclear(weighed.items[path], _readings(weighed, path, nodes), rivals=tuple(sorted(rivals)))


def _left_over(weighed: Weighed) -> Iterator[Unclear]:
    """Where the best reading leaves a source and an article over."""
    left_over = set(weighed.without_source()) - weighed.assignment.open_nodes
    settled = weighed.found.keys() | weighed.assignment.open_paths
    for knot in weighed.contested() if left_over else ():
        over = {node for _, node in knot} & left_over
        paths = {path for path, _ in knot} - settled
        for path in paths if over else ():
            yield Unclear(weighed.items[path], _readings(weighed, path, over), is_left=True)


def _readings(weighed: Weighed, path: str, nodes: Iterable[Node]) -> tuple[Reading, ...]:
    ordered: Sequence[Node] = sorted(
        nodes, key=lambda node: (-weighed.scales.weights.get((path, node), 0.0), str(node))
    )
    return tuple(Reading(weighed.index.nodes[node], weighed.scales.reasons(path, node)) for node in ordered)
