"""What speaks for a source being an article, and how much. Pure. The table is at the head of `match.py`.

Also: how much of two bodies is the same. Pure.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from enum import StrEnum

import msgspec

from kbsync.model import Desired, Fields
from kbsync.plan.assign import Edge
from kbsync.plan.known import Former, Node
from kbsync.plan.nodes import Article, Index, key_of

NEAR = 0.6
"""The share of words that two bodies have in common from which one counts as the other. git's own is 0.5, of lines."""

HALF = 0.5
"""The share below which two bodies are quite unlike."""

MIN_WORDS = 8
"""Bodies of fewer words are alike or unlike by chance."""

TITLE = 0.1
"""What the same title adds."""

WORD = re.compile(r"\w+")


def words(text: str) -> Counter[str]:
    """The words of a body, counted."""
    return Counter(WORD.findall(text.casefold()))


def likeness(one: Counter[str], other: Counter[str], *, same_title: bool) -> float | None:
    """How much of two bodies is the same, 0.0 to 1.0; None where they are too short to say, and the titles differ."""
    most = max(one.total(), other.total())
    if most < MIN_WORDS and not same_title:
        return None
    share = (one & other).total() / most if most else 1.0
    return min(1.0, share + (TITLE if same_title else 0.0))


MIN_WEIGHT = 10
"""What weighs less says nothing."""


class Evidence(StrEnum):
    """What speaks for it, in the words in which a person is asked."""

    PATH = "the same file"
    ALIAS = "named in `aliases`"
    GIT = "this file's earlier slug or path in git"
    SLUG = "the same slug"
    NAME = "the same name"
    LOCALE = "the same slug in a removed locale"
    TEXT = "the same text"
    NEAR = "nearly the same text"
    FORMER_TEXT = "the text of an older version"


PATH = 60.0
ALIAS = 50.0
GIT, GIT_SINCE = 50.0, 25.0
SLUG, SLUG_ONCE = 35.0, 25.0
UNLIKE = {Evidence.PATH: 26.0, Evidence.GIT: 26.0, Evidence.SLUG: 30.0, Evidence.FORMER_TEXT: 0.0}
"""What these weigh at most where the bodies are quite unlike: a file that was rewritten, or another one."""
SAME_TITLE = 45.0
"""What PATH weighs at most where the bodies are quite unlike, and the titles are the same."""
HANDED_ON = 20.0
"""What SLUG weighs at most where the bodies are quite unlike, and the article's own file is still there; and ALIAS
where they are, and another file has that slug by now."""
LEFT = 18.0
"""What PATH and GIT weigh at most where the article is gone from the portal, nothing else speaks for the source, and
another one has the slug on record: less than that slug with the title by `MARGIN`, and about as much as that alone."""
LOCALE = 20.0
NAME = {"category": 15.0, "article": 4.0, "asset": 0.0}
TEXT, FORMER_TEXT = 60.0, 20.0


def near(share: float) -> float:
    """The weight of bodies that are nearly the same: 10 at 0.6 to 50 where all words are the same."""
    return 100 * share - 50 if share >= NEAR else 0.0


class Scales(msgspec.Struct):
    """Weighs what speaks for some sources.

    `is_free`: an article or category has lost its source, or never had one. `is_taken`: another source has a slug that
    is an alias of this one.
    """

    index: Index
    is_free: Callable[[Node], bool]
    locales: frozenset[str]
    is_taken: Callable[[Desired, str], bool]
    found: dict[str, dict[Node, dict[Evidence, float]]] = msgspec.field(default_factory=dict)

    @property
    def weights(self) -> dict[Edge, float]:
        """What each source weighs as each article of the portal; what says nothing is left out."""
        return _weights(self._found(gone=False))

    @property
    def weights_of_gone(self) -> dict[Edge, float]:
        """The same of what is on record and no longer on the portal."""
        found = self._found(gone=True)
        # How alike the texts are is unknown by now; but another source may have the very same text, or the slug.
        texts = {node for (_, node), reasons in found.items() if Evidence.TEXT in reasons}
        slugs = {node for (_, node), reasons in found.items() if node[0] == "article" and Evidence.SLUG in reasons}
        return _weights({edge: _of_gone(r, edge[1] in texts, edge[1] in slugs) for edge, r in found.items()})

    def _found(self, *, gone: bool) -> dict[Edge, dict[Evidence, float]]:
        return {
            (path, node): reasons
            for path, nodes in self.found.items()
            for node, reasons in nodes.items()
            if (self.index.nodes[node].observed is None) is gone
        }

    def reasons(self, path: str, node: Node) -> tuple[Evidence, ...]:
        """What speaks for a source being an article, the strongest first."""
        reasons = self.found.get(path, {}).get(node, {})
        return tuple(sorted(reasons, key=lambda evidence: -reasons[evidence]))

    def weigh(self, items: Iterable[Desired]) -> None:
        """Weigh the evidence of some sources."""
        names, locales, likeness = self._names_of_free(), self._former_locales(), self._likeness()
        texts = self._texts_of_free()
        for item in items:
            if item.path not in self.found:
                self.found[item.path] = {}
                self._say(item, Evidence.PATH, PATH, self.index.by_path.get((item.kind, item.path), ()))
                for alias in item.aliases:
                    self._say(item, Evidence.ALIAS, ALIAS, self.index.named(key_of(item.kind, item.locale, alias)))
                self._weigh_git(item)
                self._weigh_slug(item)
                if item.kind == "category":
                    self._say(item, Evidence.LOCALE, LOCALE, locales.get(item.slug, ()))
                    self._say(item, Evidence.NAME, NAME["category"], names.get((item.locale, item.title), ()))
                else:
                    self._say(item, Evidence.NAME, NAME["article"], texts.get(_text_and_title(item.fields), ()))
                    self._weigh_text(item, likeness.get(item.path, {}))

    def _say(self, item: Desired, evidence: Evidence, weight: float, nodes: Iterable[Node]) -> None:
        """Count a piece of evidence once for each of some articles."""
        for node in nodes:
            reasons = self.found[item.path].setdefault(node, {})
            reasons[evidence] = max(reasons.get(evidence, 0.0), weight)

    def _weigh_git(self, item: Desired) -> None:
        now = (item.slug, *item.aliases)
        own = {node for slug in now for node in self.index.named(key_of(item.kind, item.locale, slug))}
        former = self.index.known.git.former.get(item.path, ())
        paths = {"", item.path, *(then.path for then in former)}
        for then in former:
            # The slug that it has now is weighed as such: that it has it says nothing of who had it last. Nor does an
            # alias say more because git knows it, too: another file may have that slug by now.
            nodes = set(self.index.named(key_of(item.kind, then.locale, then.slug))) - own
            if then.path != item.path:
                nodes.update(self.index.by_path.get((item.kind, then.path), ()))
            for node in nodes:
                article = self.index.nodes[node]
                weight = _weight_of(then, article)
                # What has the text of a file that is gone was that file's. So was what somebody touched since, and the
                # record has under another file.
                if article.path in paths or (weight >= GIT and article.former is None):
                    self._say(item, Evidence.GIT, weight, [node])

    def _weigh_slug(self, item: Desired) -> None:
        for node in self.index.named(key_of(item.kind, item.locale, item.slug)):
            article = self.index.nodes[node]
            both = article.base is not None and article.observed is not None and len(article.slugs) == 1
            self._say(item, Evidence.SLUG, SLUG if both else SLUG_ONCE, [node])

    def _weigh_text(self, item: Desired, likeness: Mapping[Node, float]) -> None:
        text, title = item.fields.get("content"), item.fields.get("title")
        for node, share in likeness.items():
            if share >= NEAR:
                self._say(item, Evidence.NEAR, near(share), [node])
        for node in self.found[item.path]:
            article = self.index.nodes[node]
            if text in article.values("content"):
                self._say(item, Evidence.TEXT, TEXT, [node])
            elif "content" in self.index.known.git.proof(item.path, node[1]):
                self._say(item, Evidence.FORMER_TEXT, FORMER_TEXT, [node])
            if title in article.values("title"):
                self._say(item, Evidence.NAME, NAME["article"], [node])
            if Evidence.TEXT not in self.found[item.path][node] and likeness.get(node, 1.0) < HALF:
                self.found[item.path][node] = self._doubted_of(item, node)

    def _doubted_of(self, item: Desired, node: Node) -> dict[Evidence, float]:
        """What is left of the evidence where the text is quite another."""
        reasons = self.found[item.path][node]
        doubted = _doubted(reasons)
        if Evidence.PATH in reasons and Evidence.NAME in reasons:
            doubted[Evidence.PATH] = min(reasons[Evidence.PATH], SAME_TITLE)
        if Evidence.SLUG in reasons and self.index.nodes[node].path not in ("", item.path) and not self.is_free(node):
            doubted[Evidence.SLUG] = min(reasons[Evidence.SLUG], HANDED_ON)
        if Evidence.ALIAS in reasons and all(self.is_taken(item, alias) for alias in self._aliases_of(item, node)):
            doubted[Evidence.ALIAS] = HANDED_ON
        return doubted

    def _aliases_of(self, item: Desired, node: Node) -> list[str]:
        """The aliases of a source that are a slug of an article."""
        return [alias for alias in item.aliases if node in self.index.named(key_of(item.kind, item.locale, alias))]

    def _likeness(self) -> Mapping[str, Mapping[Node, float]]:
        found: dict[str, dict[Node, float]] = {}
        for (path, remote_id), share in self.index.known.likeness.items():
            found.setdefault(path, {})["article", remote_id] = share
        return found

    def _names_of_free(self) -> Mapping[tuple[str, str], list[Node]]:
        """The categories without a source, by locale and name."""
        found: dict[tuple[str, str], list[Node]] = {}
        for node, article in self.index.nodes.items():
            if node[0] == "category" and self.is_free(node):
                some = article.some
                found.setdefault((some.locale, str(some.fields.get("name"))), []).append(node)
        return found

    def _texts_of_free(self) -> Mapping[Hashable, list[Node]]:
        """The articles on record without a source, or that the portal has no more, by body and title."""
        found: dict[Hashable, list[Node]] = {}
        for node, article in self.index.nodes.items():
            if node[0] == "article" and article.base is not None and (article.observed is None or self.is_free(node)):
                found.setdefault(_text_and_title(article.some.fields), []).append(node)
        return found

    def _former_locales(self) -> Mapping[str, list[Node]]:
        """By slug: the categories of locales that the tree has no more."""
        found: dict[str, list[Node]] = {}
        for node, article in self.index.nodes.items():
            if node[0] == "category" and article.base is not None and article.base.locale not in self.locales:
                found.setdefault(article.base.slug, []).append(node)
        return found


ALIKE = (frozenset({Evidence.PATH, Evidence.GIT}), frozenset({Evidence.TEXT, Evidence.NEAR, Evidence.FORMER_TEXT}))
"""Evidence that says the same thing twice: the file stayed the file, the text stayed the text. The stronger counts."""


FILE = frozenset({Evidence.PATH, Evidence.GIT, Evidence.FORMER_TEXT})
"""Evidence that says nothing of what a file has in it by now."""


def _text_and_title(fields: Fields) -> Hashable:
    return (fields.get("content"), fields.get("title"))


def _weights(found: Mapping[Edge, dict[Evidence, float]]) -> dict[Edge, float]:
    return {edge: weight for edge, reasons in found.items() if (weight := _total(reasons)) >= MIN_WEIGHT}


def _of_gone(reasons: dict[Evidence, float], has_text: bool, has_slug: bool) -> dict[Evidence, float]:
    """What is left of the evidence where some source has the text, or the slug, of an article that is gone."""
    if has_text and Evidence.TEXT not in reasons:
        reasons = _doubted(reasons)
    return _left(reasons) if has_slug and reasons.keys() <= FILE else reasons


def _total(reasons: Mapping[Evidence, float]) -> float:
    best = [max((reasons[evidence] for evidence in reasons.keys() & group), default=0.0) for group in ALIKE]
    return sum(best) + sum(reasons[evidence] for evidence in reasons.keys() - ALIKE[0] - ALIKE[1])


def _doubted(reasons: Mapping[Evidence, float]) -> dict[Evidence, float]:
    """Names and places say less where the text is quite another."""
    return {evidence: min(weight, UNLIKE.get(evidence, weight)) for evidence, weight in reasons.items()}


def _left(reasons: dict[Evidence, float]) -> dict[Evidence, float]:
    """What a place says of a source that has neither the slug nor the title nor the text."""
    return {evidence: min(weight, LEFT) for evidence, weight in _doubted(reasons).items()}


def _weight_of(then: Former, article: Article) -> float:
    """An article that was touched after the file gave its slug up may be somebody else's by now."""
    seen = article.observed
    return GIT if seen is None or seen.updated_at <= then.until_s else GIT_SINCE
