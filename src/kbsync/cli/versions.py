"""Options that name a version of the service, as `4.10`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from kbsync.markdown.versions import KNOWN, Version

F = TypeVar("F", bound=Callable[..., Any])

VERSIONS = {str(version): version for version in KNOWN}


def version_option(name: str, *, help_text: str) -> Callable[[F], F]:
    """An option whose value is one of the known versions, or None."""
    return click.option(
        name,
        type=click.Choice(list(VERSIONS)),
        callback=_version,
        help=help_text,
    )


def _version(_ctx: click.Context, _param: click.Parameter, value: str | None) -> Version | None:
    return None if value is None else VERSIONS[value]
