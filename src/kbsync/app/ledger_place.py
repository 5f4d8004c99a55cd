"""Where the ledger is: move it elsewhere, and send what of it the remote lacks."""

from __future__ import annotations

import re
from contextlib import closing

from msgspec.structs import replace

from kbsync.app.committed import check_published
from kbsync.app.file_transaction import Overtaken, write_file
from kbsync.app.workspace import Workspace
from kbsync.config import read_settings
from kbsync.errors import LedgerError
from kbsync.patterns import Pattern

TABLE = Pattern(r"^[ \t]*\[[ \t]*ledger[ \t]*\][^\n]*$", re.MULTILINE)
NEXT_TABLE = Pattern(r"^[ \t]*\[", re.MULTILINE)
URL = Pattern(r"^([ \t]*)url[ \t]*=[^\n]*$", re.MULTILINE)


def sync(workspace: Workspace) -> bool:
    """Send what the remote lacks; whether there was anything. LedgerError: it is not in git, or cannot be sent."""
    if not workspace.has_git_ledger:
        raise LedgerError(
            "The ledger is not in git, so there is nothing to send.",
            hint="`kbsync ledger move git:origin` puts it there.",
        )
    with closing(workspace.open_git_ledger()) as ledger:
        if ledger.is_sent:
            return False
        ledger.send("Results that could not be sent before")
    return True


def move(workspace: Workspace, url: str) -> bool:
    """Copy the ledger to another place and write that into kbsync.toml; whether there was anything to copy.

    Raises:
        ConfigError: the place cannot be used.
        LedgerError: there is a ledger already that is not empty, or others would share what is not committed.
    """
    settings = workspace.settings
    if url == settings.ledger.url:
        raise LedgerError(f"The ledger is already {settings.ledger.place}.")
    # Found out before anything is copied: a kbsync.toml that cannot be changed.
    before = settings.path.read_bytes()
    text = with_url(before.decode("utf-8"), url)
    there = Workspace(replace(settings, ledger=replace(settings.ledger, url=url)), workspace.session)
    there.consent = replace(there.consent, typed_ledger=url)
    copied = False
    if workspace.has_ledger():
        with closing(workspace.open_ledger()) as ledger:
            tables = ledger.dump()
            if not workspace.shares_ledger:
                check_published(there, {base.path for base in ledger.bases(workspace.target.key)})
        if any(tables.values()):
            with closing(there.open_ledger()) as other:
                other.restore(tables)
            copied = True
    else:
        there.open_ledger().close()
    try:
        write_file(settings.path, before, text.encode())
    except Overtaken as exc:
        raise LedgerError(f"{settings.path.name} was not changed: {exc.strerror}.") from exc
    read_settings(settings.path, env=workspace.session.env)
    return copied


def with_url(text: str, url: str) -> str:
    """The text of a kbsync.toml with another address of the ledger; everything else stays as it is."""
    line = f'url = "{url}"'
    table = TABLE.search(text)
    if table is None:
        end = "" if not text or text.endswith("\n") else "\n"
        return f"{text}{end}\n[ledger]\n{line}\n"
    following = NEXT_TABLE.search(text, table.end())
    end_at = following.start() if following else len(text)
    known = URL.search(text, table.end(), end_at)
    if known is not None:
        return text[: known.start()] + known[1] + line + text[known.end() :]
    return f"{text[: table.end()]}\n{line}{text[table.end() :]}"
