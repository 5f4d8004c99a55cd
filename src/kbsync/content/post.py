"""Front matter and body of a new file: python-frontmatter's YAML handler, changed where kbsync needs more of it.

Files are read by `take_apart`: `frontmatter.loads` strips the text, changes CRLF and fails on a key called `content`.
"""

from __future__ import annotations

import re
from typing import Any

import yaml
from frontmatter import Post, dumps
from frontmatter.default_handlers import SafeDumper, YAMLHandler

from kbsync.content.entries import MAX_BYTES

__all__ = ["HANDLER", "Handler", "dumps", "new_post"]

ESCAPED = re.compile(r"\\U(000[1-9A-F][0-9A-F]{4}|0010[0-9A-F]{4})")
PRIVATE_USE = range(0xE000, 0xF900)
"""Characters that YAML writes as they are."""


class Handler(YAMLHandler):
    """Writes YAML between two lines of exactly three hyphens."""

    def export(self, metadata: dict[str, object], **kwargs: object) -> str:
        """Plain values as YAML, in their order, one line a key however long it is.

        The superclass strips what YAML made, and with it a no-break space at the end of the last value.
        """
        options: dict[str, Any] = {
            "Dumper": SafeDumper,
            "allow_unicode": True,
            "sort_keys": False,
            "width": MAX_BYTES,
            **kwargs,
        }
        text = str(yaml.dump(metadata, **options))
        if stand_ins := _stand_ins(text):
            # libyaml escapes emoji even with `allow_unicode`: `title: "\\U0001F389 Welcome"`.
            back = str.maketrans({stand_in: char for char, stand_in in stand_ins.items()})
            text = str(yaml.dump(_translated(metadata, str.maketrans(stand_ins)), **options)).translate(back)
        return text.removesuffix("\n")

    def format(self, post: Post, **kwargs: Any) -> str:
        """The whole text."""
        return f"---\n{self.export(post.metadata, **kwargs)}\n---\n{post.content}"


HANDLER = Handler()


def new_post(body: str, **values: object) -> Post:
    """A source that is not there yet, for `dumps`: front matter of plain values, and the body as it shall be."""
    return Post(body, HANDLER, **values)


def _stand_ins(text: str) -> dict[str, str]:
    """A private character for each one beyond U+FFFF that YAML may have escaped in a text, none that is in it."""
    escaped = dict.fromkeys(chr(int(code, 16)) for code in ESCAPED.findall(text))
    return dict(zip(escaped, (char for char in map(chr, PRIVATE_USE) if char not in text), strict=False))


def _translated(value: object, table: dict[int, str]) -> object:
    """Plain values, with characters of their texts changed."""
    if isinstance(value, str):
        return value.translate(table)
    if isinstance(value, list):
        return [_translated(item, table) for item in value]
    if isinstance(value, dict):
        return {_translated(key, table): _translated(item, table) for key, item in value.items()}
    return value
