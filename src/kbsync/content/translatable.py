"""What of an article is translated, and the git blob ids that a file may have. Pure."""

from __future__ import annotations

from kbsync.content.body import body_of
from kbsync.content.images import git_id
from kbsync.content.parse import parse_source
from kbsync.content.source import Source

TRANSLATED_KEYS = ("title", "description", "meta_title", "meta_description")
"""The keys whose values are translated, beside the body. All others are the same for every language, or its own."""

ID_CHARS = 12
"""Characters of a blob id in `translated_from`."""


def translated_texts(path: str, data: bytes) -> dict[str, str]:
    """What is translated of a file, by field.

    The targets of links into the tree are left out: they follow when a file is moved.
    """
    source = parse_source(path, data)
    try:
        body = body_of(source, data, ((link, "") for link in source.links))
    except UnicodeDecodeError:
        return {}
    values = {name: getattr(source, name) or "" for name in TRANSLATED_KEYS}
    return {name: text for name, text in {**values, "content": body}.items() if text.strip()}


def blob_ids(data: bytes) -> tuple[str, ...]:
    """What git may call a file: with LF, as most repositories keep it, and as it is; with CRLF."""
    lf = data.replace(b"\r\n", b"\n")
    return tuple(dict.fromkeys(map(git_id, (lf, data, lf.replace(b"\n", b"\r\n")))))


def is_translated_from(source: Source, data: bytes) -> bool:
    """Whether a translation names just this file as what it renders."""
    named = source.translated_from
    return named is not None and any(oid.startswith(named) for oid in blob_ids(data))
