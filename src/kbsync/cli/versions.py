"""Options that name a version of the service, as `4.10`."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar

import click

from kbsync.cli.screen import Options
from kbsync.markdown.versions import KNOWN, NEWEST, Version
from kbsync.report.vocabulary import version_note

F = TypeVar("F", bound=Callable[..., Any])

VERSIONS = {str(version): version for version in KNOWN}
WHOLE = re.compile(r"[0-9]{1,4}\.[0-9]{1,4}(\.[0-9]{1,4})?")


# The oldest click that we allow has no `Choice[str]`.
class KnownOrNewer(click.Choice):  # type: ignore[type-arg]
    """One of the known versions, or one that is newer than all of them."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The version as it was written; anything else is refused with the known ones."""
        is_newer = isinstance(value, str) and WHOLE.fullmatch(value) and Version.of(value) > NEWEST
        return value if is_newer else super().convert(value, param, ctx)


def version_option(name: str, *, help_text: str) -> Callable[[F], F]:
    return click.option(
        name,
        type=KnownOrNewer(list(VERSIONS)),
        callback=_version,
        help=help_text,
    )


def _version(_ctx: click.Context, _param: click.Parameter, value: str | None) -> Version | None:
    return None if value is None else Version.of(value)


def note_unknown(version: Version | None, options: Options) -> None:
    """Say what a version is taken for that kbsync does not know."""
    if version is not None and (note := version_note(str(version))):
        options.note(note)
