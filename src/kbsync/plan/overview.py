"""Where the articles are, counted by locale: in files, on the portal, and what is different. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from kbsync.model import Action, Base, Change, Desired, Held, Observed, Plan, Reason, RemoteId, StagedEdit, Status
from kbsync.plan.freshness import Freshness, TextChange, Translation, changed_words

EDITED = frozenset({Reason.DRIFT, Reason.CONFLICT})
"""Needs a decision because somebody edited it in the panel."""


@dataclass(frozen=True, slots=True)
class TranslationState:
    """How many originals have a translation that says the same (`fresh`), an older text (`stale`), or none (`missing`).

    `unknown` are translations of which nothing says what they render.
    """

    fresh: int = 0
    stale: int = 0
    missing: int = 0
    unknown: int = 0


@dataclass(frozen=True, slots=True)
class OwedTranslation:
    """A translation that is stale or missing.

    `words` is how many words of the original are new or other since, None where that is not known; `views` how often
    readers opened the original, None where that is not known. `changes` are the texts, where they were asked for.
    """

    locale: str
    original: str
    path: str
    state: str
    words: int | None = None
    views: int | None = None
    changes: tuple[TextChange, ...] = ()


def owed_of(states: Iterable[Translation], *, texts: bool) -> tuple[OwedTranslation, ...]:
    """Those of some translations that are stale or missing, in their order."""
    return tuple(
        OwedTranslation(
            item.locale,
            item.original,
            item.path,
            item.state.value,
            changed_words(item.changes) if item.changes else None,
            item.views,
            item.changes if texts else (),
        )
        for item in states
        if item.state in (Freshness.STALE, Freshness.MISSING)
    )


@dataclass(frozen=True, slots=True)
class LocaleState:
    """The articles of one locale.

    `live`, `draft` and `archived` are those on the portal that kbsync published or your files name; `others` and
    `orphans` are None where they were not looked for. `edited` is a part of `decide`. `translations` is None for the
    locale of the originals.
    """

    locale: str
    files: int = 0
    live: int = 0
    draft: int = 0
    archived: int = 0
    others: int | None = None
    new: int = 0
    changed: int = 0
    edited: int = 0
    pending: int = 0
    decide: int = 0
    orphans: int | None = None
    translations: TranslationState | None = None


@dataclass(frozen=True, slots=True)
class Overview:
    """What is where: the plan, the articles of each locale, the default one first, and what is to be translated."""

    plan: Plan
    locales: tuple[LocaleState, ...]
    owed: tuple[OwedTranslation, ...] = ()

    @property
    def total(self) -> LocaleState:
        """All locales together."""
        return _sum(self.locales)

    @property
    def beside(self) -> tuple[int, int]:
        """Changes of what is not an article, and what of that needs a decision."""
        return (
            sum(1 for change in self.plan.sent if change.kind != "article"),
            sum(1 for item in self.plan.held if item.kind != "article"),
        )


def _sum(states: Sequence[LocaleState]) -> LocaleState:
    names = [field.name for field in fields(LocaleState) if field.name not in {"locale", "translations"}]
    found = [state.translations for state in states if state.translations is not None]
    translations = TranslationState(**_totals(found, [field.name for field in fields(TranslationState)]))
    return LocaleState("", **_totals(states, names), translations=translations if found else None)


def _totals(items: Sequence[object], names: Iterable[str]) -> dict[str, Any]:
    return {name: _added([getattr(item, name) for item in items]) for name in names}


def _added(numbers: Sequence[int | None]) -> int | None:
    known = [number for number in numbers if number is not None]
    return sum(known) if known or not numbers else None


@dataclass(frozen=True, slots=True)
class PlanInputs:
    """What a plan was made from: `observed` is what the portal holds, or what is on record of it.

    `whole`: all of the files were planned. `is_seen`: the portal was looked at.
    """

    desired: Sequence[Desired]
    observed: Sequence[Observed]
    bases: Sequence[Base]
    whole: bool = True
    is_seen: bool = True


def build_overview(
    plan: Plan, compared: PlanInputs, locales: Sequence[str], translations: Mapping[str, TranslationState]
) -> Overview:
    """Count the articles of each locale, in the order of kbsync.toml; `translations` are of those translated into."""
    articles = [item for item in compared.desired if item.kind == "article"]
    paths = {item.path for item in articles}
    rows: dict[str, Counter[str]] = {}
    files = ((item.locale, "files") for item in articles)
    for locale, name in (*files, *_on_portal(plan, compared, paths), *_different(plan, compared, paths)):
        rows.setdefault(locale, Counter())[name] += 1
    states = []
    for locale in (*locales, *sorted(rows.keys() - set(locales))):
        state = _state(locale, rows.get(locale, {}), compared, translations.get(locale))
        if rows.get(locale) or (locale in locales and compared.whole):
            states.append(state)
    return Overview(plan, tuple(states))


def _state(
    locale: str, counts: Mapping[str, int], compared: PlanInputs, translations: TranslationState | None
) -> LocaleState:
    asked = {"others": compared.whole and compared.is_seen, "orphans": compared.whole}
    found = {**counts, **{name: counts.get(name, 0) if looked else None for name, looked in asked.items()}}
    return LocaleState(locale, **found, translations=translations)  # type: ignore[arg-type]


def _on_portal(plan: Plan, compared: PlanInputs, paths: set[str]) -> Iterable[tuple[str, str]]:
    """What is on the portal: the state of what is ours, and the others."""
    others = {item.remote_id for item in _articles(plan.unmanaged)}
    path_of = _paths_by_id(plan, compared.bases)
    states = {Status.PUBLISHED: "live", Status.DRAFT: "draft", Status.ARCHIVED: "archived"}
    unclear = {item.remote_id for item in plan.held if item.kind == "article" and item.reason is Reason.UNKNOWN}
    for item in _articles(compared.observed):
        has_file = path_of.get(item.remote_id) in paths
        if item.remote_id in others:
            yield item.locale, "others"
        elif has_file or compared.whole:
            if item.status is not None:
                yield item.locale, states[item.status]
            if not has_file and item.remote_id not in unclear:
                yield item.locale, "orphans"


def _articles(items: Iterable[Observed]) -> list[Observed]:
    return [item for item in items if item.kind == "article"]


def _paths_by_id(plan: Plan, bases: Sequence[Base]) -> dict[RemoteId, str]:
    """Which article is which file's; what the plan found out counts more than what is on record."""
    found = {base.remote_id: base.path for base in (*bases, *plan.settled) if base.kind == "article"}
    items: list[Held | Change] = [*plan.held, *plan.kept, *plan.changes]
    for item in items:
        if item.kind == "article" and item.remote_id is not None and item.path:
            found[item.remote_id] = item.path
    return found


def _different(plan: Plan, compared: PlanInputs, paths: set[str]) -> Iterable[tuple[str, str]]:
    """What is not the same on both sides, each article once for each reason."""
    held = [item for item in plan.held if item.kind == "article"]
    every: dict[str, Mapping[Any, str]] = {
        **_sent(plan, paths),
        "decide": _locales(held),
        "edited": _locales(item for item in held if item.reason in EDITED and item.has_base),
        "pending": _pending(plan, compared, paths, held),
    }
    return [(locale, name) for name, found in every.items() for locale in found.values()]


def _sent(plan: Plan, paths: set[str]) -> dict[str, Mapping[Any, str]]:
    sent = [change for change in plan.sent if change.kind == "article" and change.path in paths]
    new = {change.path: change.locale for change in sent if change.action is Action.CREATE}
    return {"new": new, "changed": {change.path: change.locale for change in sent if change.path not in new}}


def _pending(plan: Plan, compared: PlanInputs, paths: set[str], held: Sequence[Held]) -> dict[object, str]:
    """The live articles with an edit in the panel that readers do not see."""
    others, path_of = {item.remote_id for item in _articles(plan.unmanaged)}, _paths_by_id(plan, compared.bases)
    found: list[StagedEdit | Held | Observed] = [*plan.staged_edits]
    found += (item for item in held if item.reason is Reason.STAGED)
    found += (
        item
        for item in _articles(compared.observed)
        if item.staged and item.remote_id not in others and (compared.whole or path_of.get(item.remote_id) in paths)
    )
    return {item.remote_id: item.locale for item in found}


def _locales(held: Iterable[Held]) -> dict[tuple[str, str, str], str]:
    return {(item.path, item.locale, item.slug): item.locale for item in held}
