"""How a command is called: with the options that all of them share, and with the errors of files in its format."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from kbsync.cli.commands import common_options
from kbsync.cli.screen import Options
from kbsync.errors import KbsyncError


def with_options(function: Callable[..., int]) -> Callable[..., int]:
    """A command that is called with the options that all commands share, and then with its own.

    Where the errors of files stop it, it shows these.
    """

    @common_options
    @click.pass_context
    @wraps(function)
    def run(ctx: click.Context, /, **own: Any) -> int:
        options = Options.of(ctx)
        try:
            return function(options, **own)
        except KbsyncError as exc:
            # Loaded here: what shows findings is needed only where there are some.
            from kbsync.cli.findings import report_refusal

            return report_refusal(exc, options, command=ctx.info_name or "", form=own.get("form", "text"))

    return run
