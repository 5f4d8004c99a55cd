"""Where the drafts that a push made can be read: everyone who has the address can (docs/service.md, S8)."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote

from kbsync.app.workspace import Workspace
from kbsync.model import Action, Outcome


def new_drafts(outcomes: Sequence[Outcome]) -> list[str]:
    """The slugs of the articles that were created and not published, in the order of their files."""
    done = [outcome.change for outcome in outcomes if outcome.outcome == "done"]
    published = {change.path for change in done if change.action is Action.PUBLISH}
    made = [change for change in done if change.action is Action.CREATE and change.kind == "article"]
    return [change.slug for change in sorted(made, key=lambda made: made.path) if change.path not in published]


def draft_addresses(workspace: Workspace, slugs: Sequence[str]) -> tuple[str, ...]:
    """Their public addresses; none where the profile does not look articles up by theirs, or the sandbox has ended.

    A slug with a dot has no page (docs/service.md, S21).
    """
    profile, settings = workspace.profile, workspace.settings
    if settings.is_sandbox or not profile.can("find_article"):
        return ()
    path = profile.article_url.replace("{portal}", quote(settings.service.portal, safe=""))
    base_url = settings.service.base_url.rstrip("/")
    return tuple(base_url + path.replace("{slug}", quote(slug, safe="")) for slug in slugs if "." not in slug)
