"""What the oracle remembers: which article of the portal is which source, what people edited, what pushes did.

It reads neither ledger nor plan for that: it knows who every file is, because it made them, and every text of ours
names its article (`writing.py`).
"""

from dataclasses import dataclass, field

from .portal import GUARDED, Shown
from .repository import Clone
from .tree import Article, Tree
from .writing import NEAR, is_git_rename, likeness

PERSON = 0
"""The owner of articles that were made in the panel."""


@dataclass(slots=True)
class Truth:
    """The story so far.

    owner: whose article an id is. left: ids that their source may have lost, where no evidence led to them.
    guarded: what people wrote, by id and field. ours: what a push left there last. texts: all bodies a push left there.
    settled: by uid, the source as it was when the portal had all of it. broken: where git's trail ends since then.
    gone: ids that people deleted, by uid. stood: by uid, the paths at which a commit had the source.
    """

    owner: dict[int, int] = field(default_factory=dict)
    left: set[int] = field(default_factory=set)
    guarded: dict[int, dict[str, object]] = field(default_factory=dict)
    ours: dict[int, dict[str, object]] = field(default_factory=dict)
    texts: dict[int, list[str]] = field(default_factory=dict)
    settled: dict[int, Article] = field(default_factory=dict)
    broken: set[int] = field(default_factory=set)
    gone: dict[int, set[int]] = field(default_factory=dict)
    stood: dict[int, set[str]] = field(default_factory=dict)

    # --- people ----------------------------------------------------------------------------------------------------

    def person_edited(self, before: Shown, after: Shown) -> None:
        """What they changed is theirs now; what they put back as a push had left it is not."""
        guarded = self.guarded.setdefault(after.id, {})
        for name in GUARDED:
            value = getattr(after, name)
            if value == self.ours.get(after.id, {}).get(name):
                guarded.pop(name, None)
            elif value != getattr(before, name):
                guarded[name] = value

    def person_deleted(self, remote_id: int) -> None:
        self.gone.setdefault(self.owner.pop(remote_id, PERSON), set()).add(remote_id)
        self.guarded.pop(remote_id, None)
        self.left.discard(remote_id)

    def person_made(self, made: Shown) -> None:
        self.owner[made.id] = PERSON
        self.guarded[made.id] = {name: getattr(made, name) for name in GUARDED}

    # --- writers ---------------------------------------------------------------------------------------------------

    def committed(self, before: Tree, after: Tree) -> None:
        """Where a commit broke git's trail: a new name and too many new words at once, or the old name taken."""
        for uid, item in after.articles.items():
            old = before.articles.get(uid)
            self.stood.setdefault(uid, set()).add(item.path)
            if old is None and uid in self.settled and self.settled[uid].path != item.path:
                self.broken.add(uid)  # it was deleted, and came back under another name
            if old is not None and old.path != item.path:
                taken = after.at(old.path) is not None
                if taken or not is_git_rename(before.file(old), after.file(item)):
                    self.broken.add(uid)

    def squashed(self, before: Tree, after: Tree) -> None:
        """What several commits did is one commit's doing now; what the portal has may be in none of them."""
        self.committed(before, after)
        for uid, item in after.articles.items():
            kept = {item.place, *([before.articles[uid].place] if uid in before.articles else [])}
            if uid in self.settled and self.settled[uid].place not in kept:
                self.broken.add(uid)
        # When the older text was replaced, and so whether somebody put it back, is nowhere on record any more.
        for remote_id, guarded in self.guarded.items():
            if guarded.get("content") in self.texts.get(remote_id, []):
                del guarded["content"]

    # --- identity --------------------------------------------------------------------------------------------------

    def articles_of(self, uid: int, shown: dict[int, Shown]) -> list[int]:
        """The ids that are this source's, of those on the portal."""
        return [key for key in sorted(shown) if self.owner.get(key) == uid and key not in self.left]

    def loose(self, tree: Tree, shown: dict[int, Shown], clone: Clone) -> set[int]:
        """Sources that nothing leads to their article any more, as far as this clone could know."""
        return {
            uid
            for uid, item in tree.articles.items()
            for remote_id in self.articles_of(uid, shown)
            if not self._is_led(item, shown[remote_id], clone) or self._is_displaced(uid, tree)
        }

    def leads_to_gone(self, uid: int, tree: Tree, clone: Clone) -> bool:
        """Whether something leads to this source's article, which a person deleted. Of its text only the digest is left."""
        known, item = self.settled.get(uid), tree.articles[uid]
        if known is None or not self.gone.get(uid, set()) & clone.paths.keys() or self._is_displaced(uid, tree):
            return False
        same = known.portal_slug == item.portal_slug or known.path == item.path or known.words == item.words
        return same or (not clone.shallow and uid not in self.broken)

    def _is_displaced(self, uid: int, tree: Tree) -> bool:
        """Whether another source has the name under which this one was pushed last: either may be the article then."""
        known = self.settled.get(uid)
        other = tree.at(known.path) if known else None
        return other is not None and other.uid != uid

    def _is_led(self, item: Article, there: Shown, clone: Clone) -> bool:
        return (
            item.portal_slug == there.slug
            or likeness(item.words, there.content) >= NEAR
            or clone.paths.get(there.id) == item.path
            or (not clone.shallow and item.uid not in self.broken)
        )

    # --- after a push ----------------------------------------------------------------------------------------------

    def pushed(self, before: dict[int, Shown], after: dict[int, Shown], tree: Tree) -> None:
        """Learn what a push, already judged, left on the portal."""
        # Writers deleted the file too; where they bring it back, its article is to come back.
        self.gone = {uid: ids for uid, ids in self.gone.items() if uid in tree.articles}
        for remote_id, item in after.items():
            old, ours = before.get(remote_id), self.ours.setdefault(remote_id, {})
            for name in GUARDED:
                if old is None or getattr(old, name) != getattr(item, name):
                    ours[name] = getattr(item, name)
            if old is None or old.content != item.content:
                self.texts.setdefault(remote_id, []).append(item.content)
            source = tree.articles.get(self.owner.get(remote_id, PERSON))
            self._release(remote_id, item, source)
            if source is not None and is_settled(source, item):
                self.settled[source.uid] = source
                self.broken.discard(source.uid)
        for remote_id in before.keys() - after.keys():
            self.owner.pop(remote_id, None)
            self.guarded.pop(remote_id, None)
            self.left.discard(remote_id)

    def recorded(self, clone: Clone, shown: dict[int, Shown], tree: Tree, held: set[str] | None) -> None:
        """Learn what a clone's ledger may have after a push; `held`: the paths of whose articles it may have no row.

        None where nobody can say what was recorded: what was, and what there was before, may both be there.
        """
        for remote_id, item in shown.items():
            source = tree.articles.get(self.owner.get(remote_id, PERSON))
            if source is not None and held is not None and source.path not in held:
                clone.paths[remote_id] = source.path
            guarded = self.guarded.get(remote_id, {})
            values = {name: getattr(item, name) for name in GUARDED if name not in guarded}
            clone.bases.setdefault(remote_id, {}).update(values)

    def _release(self, remote_id: int, item: Shown, source: Article | None) -> None:
        """What is not there any more is nobody's to guard, and what both sides want alike is agreed."""
        guarded = self.guarded.get(remote_id, {})
        for name, value in list(guarded.items()):
            agreed = source is not None and (name, value) in {("status", source.status), ("title", source.title)}
            if getattr(item, name) != value or agreed:
                del guarded[name]


def is_settled(source: Article, item: Shown) -> bool:
    """Whether the portal shows this source."""
    return (source.portal_slug, source.title) == (item.slug, item.title) and source.words in item.content
