"""`status`: what is where, counted by locale. Asks what a plan asks, and changes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b

import msgspec

from kbsync.app.cached import record_of_nothing
from kbsync.app.comparison import Comparison, open_comparison
from kbsync.app.deciding import without_portal
from kbsync.app.ledger_place import note_without_ledger
from kbsync.app.options import PlanOptions
from kbsync.app.plan_cache import digest_of
from kbsync.app.translation_state import translation_states, views_of
from kbsync.app.workspace import Workspace
from kbsync.history.git_process import GitFailed
from kbsync.history.repository import Repository
from kbsync.memory import Kind
from kbsync.model import Observed, Plan
from kbsync.plan.freshness import Freshness, Translation, by_locale, most_read_first
from kbsync.plan.known import Known
from kbsync.plan.overview import Compared, LocaleState, Overview, Owed, TranslationState, build_overview, owed_of


def status(
    workspace: Workspace, selectors: tuple[str, ...] = (), *, offline: bool = False, words: bool = False
) -> Overview:
    """Count what is where.

    Args:
        workspace: the project.
        selectors: limit the files; what is on the portal beside them is not counted then.
        offline: compare with what the last push recorded.
        words: with the texts that changed in the originals of stale translations; they are not kept.

    Raises:
        TreeRefused: the content tree has errors.
        PlanRefused: offline, and there is nothing on record to compare with.
    """
    unmoved = find_unmoved(workspace) if not (selectors or offline or words) else None
    if unmoved is not None and (known := unmoved.numbers()) is not None:
        note_without_ledger(workspace)
        return known
    found = _counted(workspace, selectors, offline=offline, words=words)
    if unmoved is not None:
        unmoved.keep(found)
    return found


def _counted(workspace: Workspace, selectors: tuple[str, ...], *, offline: bool, words: bool) -> Overview:
    options = PlanOptions(selectors)
    with open_comparison(workspace, options, offline=offline) as comparison:
        planned = comparison.planned
        compared = Compared(
            planned.desired,
            seen_of(comparison),
            planned.recovery.bases,
            whole=not selectors,
            is_seen=planned.portal.items is not None,
        )
        site = planned.reading.compiler.site
        locales = (site.default_locale, *(locale for locale in site.locales if locale != site.default_locale))
        originals = {i.path for i in planned.desired if i.kind == "article" and i.locale == site.default_locale}
        # Where no original is chosen, such as with `locale:fr`, those of all files count.
        states = translation_states(workspace, planned.reading)
        chosen = [state for state in states if state.original in originals] if originals else states
        translations = counted(chosen, locales[1:])
        counts = build_overview(planned.plan, compared, locales, translations)
        # What is on record has no views, so offline the order is that of the paths on every machine.
        views = {} if offline else views_of(site, workspace.memory, workspace.target.key)
        return replace(counts, owed=owed_of(most_read_first(chosen, views), texts=words))


def counted(states: Sequence[Translation], locales: Sequence[str]) -> dict[str, TranslationState]:
    """How many translations of each state there are, in every locale but that of the originals."""
    found = by_locale(states)
    none = dict.fromkeys(Freshness, 0)
    return {
        locale: TranslationState(**{state.value: found.get(locale, none)[state] for state in Freshness})
        for locale in locales
    }


def seen_of(comparison: Comparison) -> list[Observed]:
    """What the portal holds; where it was not listed, what is on record of it."""
    planned = comparison.planned
    known = Known(planned.portal.items, without_portal(planned.recovery.bases))
    return list(known.seen)


class _Kept(msgspec.Struct, frozen=True, array_like=True):
    name: bytes
    locales: tuple[LocaleState, ...]
    owed: tuple[Owed, ...] = ()


COUNTED: Kind[_Kept] = Kind("status", _Kept)
"""By the key of the portal."""


@dataclass(frozen=True, slots=True)
class Unmoved:
    """A plan with nothing to do of which nothing moved since; `name` tells what it was made from."""

    plan: Plan
    name: bytes
    workspace: Workspace

    def numbers(self) -> Overview | None:
        """What `status` counted then, if it did."""
        kept = self.workspace.memory.get(COUNTED, self.workspace.target.key)
        return Overview(self.plan, kept.locales, kept.owed) if kept is not None and kept.name == self.name else None

    def keep(self, found: Overview) -> None:
        """Keep what was counted, unless somebody edited something meanwhile."""
        plan, translations = found.plan, found.total.translations
        if translations is not None and translations.unknown:
            return
        if not (plan.changes or plan.held or plan.settled or plan.staged_edits):
            kept = _Kept(self.name, found.locales, found.owed)
            self.workspace.memory.put(COUNTED, {self.workspace.target.key: kept})


def find_unmoved(workspace: Workspace) -> Unmoved | None:
    """The last plan, if it had nothing to do and nothing moved since, here and on the portal."""
    record = record_of_nothing(workspace)
    commit = _commit(workspace) if record is not None else None
    if record is None or commit is None:
        return None
    name = blake2b(digest_of(record) + commit.encode(), digest_size=16).digest()
    return Unmoved(record.plan, name, workspace)


def _commit(workspace: Workspace) -> str | None:
    """The commit that is checked out; "" without git, None where that alone does not say what git knows."""
    try:
        repository = Repository(workspace.content_root)
    except GitFailed:
        return ""
    return None if repository.is_shallow else repository.head()
