"""Which article somebody means: a path as seen from the current folder, a slug, or `locale/slug`."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Sequence
from typing import Protocol, TypeVar

from kbsync.app.selectors import near_path, paths_of
from kbsync.app.workspace import Workspace
from kbsync.errors import UsageError
from kbsync.files import real_path, working_folder
from kbsync.model import PORTAL_FILE, Kind, visible

MOST_NAMED = 3
HOW = "Use the path of its file, its slug, or LOCALE/SLUG."


class Named(Protocol):
    """What has a slug in a locale, on any of the three sides."""

    @property
    def kind(self) -> Kind: ...
    @property
    def locale(self) -> str: ...
    @property
    def slug(self) -> str: ...


N = TypeVar("N", bound=Named)


def paths_named(workspace: Workspace, name: str) -> frozenset[str]:
    """The paths below the content root that a name may be, as seen from the current folder and from the root."""
    place = working_folder() / name
    if place.name == PORTAL_FILE:
        return frozenset({PORTAL_FILE})
    return frozenset({*paths_of(place, real_path(workspace.content_root)), posixpath.normpath(name)})


def find_item(items: Iterable[N], name: str, paths: frozenset[str]) -> N | None:
    """The one of these that a name is about; a path counts more than a slug, an article more than a category.

    Raises:
        UsageError: the name is about several.
    """
    items = list(items)
    found = [item for item in items if (path := _path_of(item)) and path in paths]
    found = found or [item for item in items if f"{item.locale}/{item.slug}" == name]
    found = found or [item for item in items if item.slug == name and item.kind != "portal"]
    found = [item for item in found if item.kind == "article"] or found
    if len(found) > 1:
        names = ", ".join(f"`{item.locale}/{item.slug}`" for item in found[:MOST_NAMED])
        message = f"`{visible(name)}` is the slug of several items."
        raise UsageError(message, hint=visible(f"Name one of them: {names}."))
    return found[0] if found else None


def _path_of(item: Named) -> str:
    """Of its file; what was only observed has none."""
    return str(getattr(item, "path", ""))


def not_found(name: str, items: Sequence[Named], where: str) -> UsageError:
    """The error for a name that is about nothing.

    Args:
        name: what somebody wrote.
        items: all that there is.
        where: in what it was looked for.
    """
    known = {word: None for item in items for word in (_path_of(item), item.slug) if word}
    hint = near_path(name, known) or HOW
    return UsageError(f"No article `{visible(name)}` in {where}.", hint=visible(hint))
