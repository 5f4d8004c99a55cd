"""Addresses that no longer work, in the formats of those who can redirect. Pure.

Addresses are percent-encoded, so that no slug means anything to a format. nginx compares decoded ones, in quotes.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple
from urllib.parse import unquote

from kbsync.report.escape import HASHES

MOVED, GONE = 301, 410


class Redirect(NamedTuple):
    """An address that no longer works, and where its readers should go; "" where there is no such place."""

    old: str
    new: str


def csv_text(redirects: Iterable[Redirect], host: str) -> str:
    """A table with a heading."""
    rows = [(_at(host, r.old), _at(host, r.new), MOVED if r.new else GONE) for r in redirects]
    return _table([("from", "to", "status"), *rows])


def nginx_text(redirects: Iterable[Redirect], host: str) -> str:
    """One `location` for each address, for the `server` block. Source: nginx, `location`: it compares decoded paths."""
    lines = []
    for redirect in redirects:
        answer = f'return {MOVED} "{_at(host, redirect.new)}"' if redirect.new else f"return {GONE}"
        path = unquote(redirect.old)
        # The log of a job may show it, whose runner must find no command in it; an expression can spell one out.
        at = f"~ {_quoted(f'^{re.escape(path)}$')}" if HASHES.search(path) else f"= {_quoted(path)}"
        lines.append(f"location {at} {{ {answer}; }}")
    return _lines(lines)


def netlify_text(redirects: Iterable[Redirect], host: str) -> str:
    """A `_redirects` file. It has no 410: what is gone is a comment."""
    return _lines(
        f"{r.old} {_at(host, r.new)} {MOVED}!" if r.new else f"# gone: {r.old}" for r in redirects
    )  # `!`: also where a file is there


def cloudflare_text(redirects: Iterable[Redirect], host: str) -> str:
    """The CSV that a list of Bulk Redirects imports. It has no 410: what is gone is left out."""
    site = host.partition("://")[2]
    return _table([(f"{site}{r.old}", _at(host, r.new), MOVED) for r in redirects if r.new])


FORMATS: Mapping[str, Callable[[Iterable[Redirect], str], str]] = {
    "csv": csv_text,
    "nginx": nginx_text,
    "netlify": netlify_text,
    "cloudflare": cloudflare_text,
}
"""By name: makes the text of some redirects, given the host of the help center with its scheme, "" for none."""

WITHOUT_GONE = frozenset({"netlify", "cloudflare"})
"""Formats that cannot say that an address is gone."""

NEEDS_HOST = frozenset({"cloudflare"})


def _at(host: str, address: str) -> str:
    return f"{host}{address}" if address else ""


def _table(rows: Sequence[Sequence[object]]) -> str:
    written = io.StringIO()
    csv.writer(written, lineterminator="\n").writerows(rows)
    return written.getvalue()


def _lines(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _quoted(path: str) -> str:
    """A path as nginx reads it between quotation marks, where a backslash keeps the next character."""
    escaped = path.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'.replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")
