"""The text of a file for an article or a category that has none: its front matter, and the body."""

from __future__ import annotations

from collections.abc import Mapping

import yaml

from kbsync.content.apart import take_apart
from kbsync.content.body import line_end_of
from kbsync.content.front_edit import holds, inline
from kbsync.content.keys import ARTICLE_KEYS, CATEGORY_KEYS
from kbsync.content.post import dumps, new_post
from kbsync.fields import AS_GIVEN
from kbsync.markdown.anchors import PLAIN
from kbsync.model import Observed, Value

QUOTED = '"'
EMPTY = (None, "", ())
"""Values that need no line."""


def category_text(item: Observed, folder: str, beside: Mapping[str, Value]) -> str:
    """A `_category.md`.

    Args:
        item: the category.
        folder: the name of its folder, which is its slug where the file says no other.
        beside: translation_of, where the file needs a line for it.
    """
    values: dict[str, Value] = {"name": item.title}
    if item.slug != folder or not PLAIN.fullmatch(item.slug):
        values["slug"] = item.slug
    return source_text({**values, **beside, **_given(item)}, "", CATEGORY_KEYS)


def article_text(item: Observed, body: str, *, slug: str, beside: Mapping[str, Value]) -> str:
    """An article.

    Args:
        item: the article.
        body: its text, with relative paths.
        slug: what its path makes of it: where that is its slug, the file needs no line for it.
        beside: category, author, translation_of, where the file needs a line for them.
    """
    values: dict[str, Value] = {"title": item.title}
    if item.slug != slug:
        values["slug"] = item.slug
    given = _given(item)
    status: dict[str, Value] = {"status": item.status.value} if item.status else {}
    return source_text({**values, **status, **beside, **given}, body, ARTICLE_KEYS)


def closed(body: str, most_chars: int = 0) -> str:
    """A body whose last line ends, where there is room: the panel's editor drops that end, and no reader sees it."""
    end = line_end_of(body)
    has_room = not most_chars or len(body) + len(end) <= most_chars
    return body + end if body and has_room and not body.endswith(("\n", "\r")) else body


def _given(item: Observed) -> dict[str, Value]:
    names = AS_GIVEN["article" if item.kind == "article" else "category"]
    return {name: value for name in names if (value := item.fields.get(name)) not in EMPTY}


def source_text(values: Mapping[str, Value], body: str, order: Mapping[str, str]) -> str:
    """Front matter and body. What YAML would read as something else is quoted."""
    ordered = {name: values[name] for name in order if values.get(name) is not None}
    plain = {name: list(value) if isinstance(value, tuple) else value for name, value in ordered.items()}
    # libyaml spells what is beyond the first 65,536 characters, such as an emoji, in numbers.
    text = dumps(new_post(body, **plain), Dumper=yaml.SafeDumper)
    if _says(text, ordered, body):
        return text
    # What the YAML library writes cannot always be read again: line breaks of other kinds, for example.
    lines = (f"{name}: {inline(value, QUOTED)}\n" for name, value in ordered.items())
    return f"---\n{''.join(lines)}---\n{body}"


def _says(text: str, values: Mapping[str, Value], body: str) -> bool:
    _, front, content = take_apart(text)
    is_whole = content == body and not front.problems and list(front) == list(values)
    return is_whole and all(holds(front[name], value) for name, value in values.items())
