"""`status`: what is where, counted by locale. Asks what a plan asks, and changes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kbsync.app.options import PlanOptions
from kbsync.app.planning.comparison import Comparison, open_comparison
from kbsync.app.planning.deciding import without_portal
from kbsync.app.translation_state import translation_states, views_of
from kbsync.app.workspace import Workspace
from kbsync.model import Observed
from kbsync.plan.freshness import Freshness, Translation, by_locale, most_read_first
from kbsync.plan.known import Known
from kbsync.plan.overview import Overview, PlanInputs, TranslationState, build_overview, owed_of


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
    options = PlanOptions(selectors)
    with open_comparison(workspace, options, offline=offline) as comparison:
        planned = comparison.planned
        compared = PlanInputs(
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
