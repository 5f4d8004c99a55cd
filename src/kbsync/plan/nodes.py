"""The articles and categories that ledger and portal know, to be found by what a source may share with them. Pure."""

from __future__ import annotations

from collections.abc import Hashable, Iterator

import msgspec

from kbsync.model import Base, Desired, Kind, Observed, Value
from kbsync.plan.known import Known, Node, by_node
from kbsync.plan.order import ASIDE

Key = Hashable


def key_of(kind: Kind, locale: str, slug: str) -> Key:
    """What is unique: an article's slug over the whole service, a category's within its locale.

    That of an article is the slug itself: a tuple for each of a hundred thousand takes 7 megabytes.
    """
    return slug if kind == "article" else (kind, locale, slug)


class Article(msgspec.Struct, frozen=True, gc=False):
    """One article or category on the ledger's side and on the portal's; not both are None where there is one.

    `former` is what git remembers of one whose file is gone and that no ledger knows.
    """

    base: Base | None
    observed: Observed | None
    former: Base | None = None

    @property
    def some(self) -> Base | Observed:
        """Either side, the portal's first."""
        found = self.observed or self.base
        assert found is not None
        return found

    @property
    def title(self) -> str:
        """What a person calls it."""
        fields = self.some.fields
        return str(fields.get("title") or fields.get("name") or self.some.slug)

    @property
    def known(self) -> Base | None:
        """What is on record, or else what git knows."""
        return self.base or self.former

    @property
    def path(self) -> str:
        """The source path on record, or the last one that git knows."""
        return self.known.path if self.known else ""

    @property
    def sides(self) -> list[Base | Observed]:
        """What is on record and what is on the portal."""
        return [side for side in (self.base, self.observed) if side is not None]

    def values(self, name: str) -> set[Value]:
        """What these have of a field."""
        return {side.fields.get(name) for side in self.sides}

    @property
    def slugs(self) -> frozenset[str]:
        """The slugs on record and on the portal."""
        return frozenset(side.slug for side in self.sides)


class Index(msgspec.Struct):
    """All articles and categories that are known, to be found by what may speak for them."""

    known: Known
    nodes: dict[Node, Article] = msgspec.field(default_factory=dict)
    by_path: dict[tuple[Kind, str], list[Node]] = msgspec.field(default_factory=dict)
    by_record: dict[Key, list[Node]] = msgspec.field(default_factory=dict)
    on_portal: dict[Key, Node] = msgspec.field(default_factory=dict)
    parked: dict[Key, Node] = msgspec.field(default_factory=dict)

    @classmethod
    def of(cls, known: Known) -> Index:
        index = cls(known)
        there, former = by_node(known.seen), by_node(known.git.deleted)
        for base in known.bases:
            node: Node = (base.kind, base.remote_id)
            index.nodes[node] = Article(base, there.get(node))
            if base.path:
                index.by_path.setdefault((base.kind, base.path), []).append(node)
            index.by_record.setdefault(key_of(base.kind, base.locale, base.slug), []).append(node)
        for node, item in there.items():
            if node not in index.nodes:
                index.nodes[node] = Article(None, item, former.get(node))
            index.on_portal[key_of(item.kind, item.locale, item.slug)] = node
            if item.slug.endswith(ASIDE):
                index.parked[key_of(item.kind, item.locale, item.slug.removesuffix(ASIDE))] = node
        return index

    def named(self, key: Key) -> Iterator[Node]:
        """What has a slug, on the portal or on record, or had it until a push that was stopped took it away."""
        if key in self.on_portal:
            yield self.on_portal[key]
        if key in self.parked:
            yield self.parked[key]
        yield from self.by_record.get(key, ())

    def is_stranger(self, node: Node, item: Desired) -> bool:
        """Whether an article took the place of ours, which the record has under its slug and the portal has no more."""
        if self.nodes[node].base is not None:
            return False
        rows = self.by_record.get(key_of(item.kind, item.locale, item.slug), ())
        return any(self.nodes[row].observed is None for row in rows)

    def is_plain(self, item: Desired) -> Node | None:
        """What a source certainly is if no other claims it: file, slug and portal agree, or all that readers see."""
        node = self.on_portal.get(key_of(item.kind, item.locale, item.slug))
        if node is None:
            return None
        article = self.nodes[node]
        if article.base is not None:
            return node if (article.base.path, article.base.slug) == (item.path, item.slug) else None
        text = "content" if item.kind == "article" else "name"
        seen = article.observed
        assert seen is not None
        same = seen.locale in ("", item.locale) and all(
            item.fields.get(name) == seen.fields.get(name) for name in (text, "title")
        )
        return node if same else None
