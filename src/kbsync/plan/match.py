"""Which desired item is which observed one, and which base belongs to both. Pure.

In this order: the ledger's row of the same slug; its row of the same source path, or of an alias; the portal's
item of that slug, or of an alias; a category whose whole locale got another name; a vanished source with nearly the
same text. Two desired items never match the same one.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass

import msgspec

from kbsync.model import Base, Desired, Kind, Observed, RemoteId

Key = tuple[Kind, Hashable]

Found = tuple[Base | None, Observed | None]
"""The other two sides of a source; not both are None."""

NO_RENAMES: Mapping[str, RemoteId] = {}


class Match(msgspec.Struct, frozen=True, gc=False):
    """One item on up to three sides."""

    desired: Desired
    base: Base | None
    observed: Observed | None


@dataclass(frozen=True, slots=True)
class Matches:
    """Everything, matched. `orphans` are managed and no longer wanted, each with what the portal holds of it."""

    matched: tuple[Match, ...]
    orphans: tuple[tuple[Base, Observed | None], ...]
    unmanaged: tuple[Observed, ...]


def key_of(kind: Kind, locale: str, slug: str) -> Key:
    """What is unique: an article's slug over the whole service, a category's within its locale."""
    return (kind, slug) if kind == "article" else (kind, (locale, slug))


def match_items(
    desired: Iterable[Desired],
    observed: Iterable[Observed],
    bases: Iterable[Base],
    renames: Mapping[str, RemoteId] = NO_RENAMES,
    tree: Iterable[Desired] | None = None,
) -> Matches:
    """Match three sides. The result does not depend on the order of any of them.

    Args:
        desired, observed, bases: the three sides.
        renames: sources that are an article under another name, by path (`plan/renames.py`).
        tree: the whole content tree, where `desired` is a part of it.
    """
    wanted = sorted(desired, key=lambda item: (item.kind != "category", item.path))
    tree = wanted if tree is None else list(tree)
    index = _Index(list(observed), list(bases), {(item.kind, item.path): item for item in tree})
    found: dict[str, Found] = {}
    # Slugs first, for everybody: a path or alias may only claim what nobody claims by name.
    finders = (
        index.by_slug_of_its_own,
        index.by_path_or_alias,
        index.by_slug,
        index.on_portal,
        index.by_former_locale(tree),
        index.renamed(renames),
    )
    for find in finders:
        for item in wanted:
            if item.path not in found and (pair := find(item)) is not None:
                index.claim(*pair)
                found[item.path] = pair
    matched = tuple(Match(item, *found.get(item.path, (None, None))) for item in wanted)
    return Matches(matched, index.orphans(), index.unmanaged())


def _key(base: Base) -> Key:
    return key_of(base.kind, base.locale, base.slug)


class _Index:
    def __init__(self, observed: list[Observed], bases: list[Base], wanted: dict[tuple[Kind, str], Desired]) -> None:
        self.bases = bases
        self.wanted = wanted
        self.observed = {(item.kind, item.remote_id): item for item in observed}
        # Where two rows have one slug, one of them gave it up; the portal knows which.
        by_likelihood = sorted(bases, key=self._has_its_slug) if len(bases) != len({_key(b) for b in bases}) else bases
        self.base_by_key = {_key(base): base for base in by_likelihood}
        self.base_by_path = {(base.kind, base.path): base for base in bases if base.path}
        self.portal_by_key = {key_of(item.kind, item.locale, item.slug): item for item in observed}
        self.claimed: set[tuple[Kind, RemoteId]] = set()

    def _has_its_slug(self, base: Base) -> bool:
        seen = self.observed.get((base.kind, base.remote_id))
        return seen is not None and seen.slug == base.slug

    def claim(self, base: Base | None, observed: Observed | None) -> None:
        for side in (base, observed):
            if side is not None:
                self.claimed.add((side.kind, side.remote_id))

    def _free(self, base: Base | None) -> Base | None:
        return None if base is None or (base.kind, base.remote_id) in self.claimed else base

    def _with_portal(self, item: Desired, base: Base) -> Found:
        seen = self.observed.get((base.kind, base.remote_id))
        if seen is not None:
            return base, seen
        # Somebody deleted it and made another under the same slug: that one is a stranger, without a base.
        stranger = self.portal_by_key.get(key_of(item.kind, item.locale, item.slug))
        return (None, stranger) if stranger is not None else (base, None)

    def by_slug_of_its_own(self, item: Desired) -> Found | None:
        """By slug; but a source that took the slug of another, which is still there with its text, is not that one."""
        base = self.base_by_key.get(key_of(item.kind, item.locale, item.slug))
        other = self.wanted.get((base.kind, base.path)) if base is not None else None
        if base is not None and other is not None and other.path != item.path:
            text = base.fields.get("content")
            if item.fields.get("content") != text == other.fields.get("content"):
                return None
        return self.by_slug(item)

    def by_slug(self, item: Desired) -> Found | None:
        base = self._free(self.base_by_key.get(key_of(item.kind, item.locale, item.slug)))
        return self._with_portal(item, base) if base else None

    def by_path_or_alias(self, item: Desired) -> Found | None:
        aliases = [self.base_by_key.get(key_of(item.kind, item.locale, alias)) for alias in item.aliases]
        for candidate in (self.base_by_path.get((item.kind, item.path)), *aliases):
            if base := self._free(candidate):
                return self._with_portal(item, base)
        return None

    def on_portal(self, item: Desired) -> Found | None:
        for slug in (item.slug, *item.aliases):
            seen = self.portal_by_key.get(key_of(item.kind, item.locale, slug))
            if seen is not None and (seen.kind, seen.remote_id) not in self.claimed:
                return None, seen
        return None

    def by_former_locale(self, wanted: Iterable[Desired]) -> Callable[[Desired], Found | None]:
        """A category of a locale that the tree has no more, under the same slug in one that it has: the same one."""
        locales = {item.locale for item in wanted}
        former: dict[str, list[Base]] = {}
        for base in self.bases:
            if base.kind == "category" and base.locale not in locales:
                former.setdefault(base.slug, []).append(base)

        def find(item: Desired) -> Found | None:
            some = former.get(item.slug, []) if item.kind == "category" else []
            base = self._free(some[0]) if len(some) == 1 else None
            return self._with_portal(item, base) if base else None

        return find

    def renamed(self, renames: Mapping[str, RemoteId]) -> Callable[[Desired], Found | None]:
        """A source that is known to be an article under another name."""
        by_id = {base.remote_id: base for base in self.bases if base.kind == "article"} if renames else {}

        def find(item: Desired) -> Found | None:
            base = self._free(by_id.get(renames[item.path])) if item.path in renames else None
            return self._with_portal(item, base) if base else None

        return find

    def orphans(self) -> tuple[tuple[Base, Observed | None], ...]:
        rest = [base for base in self.bases if (base.kind, base.remote_id) not in self.claimed]
        pairs = [(base, self.observed.get((base.kind, base.remote_id))) for base in rest]
        return tuple(sorted(pairs, key=lambda pair: (pair[0].kind, pair[0].locale, pair[0].slug)))

    def unmanaged(self) -> tuple[Observed, ...]:
        managed = {(base.kind, base.remote_id) for base in self.bases}
        rest = (item for key, item in self.observed.items() if key not in self.claimed and key not in managed)
        return tuple(sorted(rest, key=lambda item: (item.kind, item.locale, item.slug, str(item.remote_id))))
