"""Takes out of an article's HTML what a local page must not do."""

from __future__ import annotations

import html
import re

_LINK = re.compile(r'<a href="([^"]*)"([^>]*)>(.*?)</a>', re.DOTALL)
_PICTURE = re.compile(r'<img src="((?:https?:)?//[^"]*)"[^>]*>', re.IGNORECASE)
_PLAYER = re.compile(r"<(iframe|video)\b.*?</\1>", re.DOTALL)
_CODE = re.compile(r'<pre><code class="language-([^>]*)">')
_SCRIPTED = re.compile(r"(javascript|data|vbscript):", re.IGNORECASE)


def defuse(body_html: str, *, media: bool) -> str:
    """Script targets become inert; pictures and players of other hosts wait, unless `media`."""
    safe = _CODE.sub(_plain_code, _LINK.sub(_inert, body_html))
    if media:
        return safe
    return _PLAYER.sub(_waiting, _PICTURE.sub(_waiting, safe))


def _inert(found: re.Match[str]) -> str:
    target = re.sub(r"[\x00-\x20]", "", html.unescape(found[1]))
    if not _SCRIPTED.match(target):
        return found[0]
    return f'<span class="defused" title="{found[1]}">{found[3]}</span>'


def _plain_code(found: re.Match[str]) -> str:
    name = re.sub(r"[^A-Za-z0-9_+#.-].*", "", found[1], flags=re.DOTALL)
    return f'<pre><code class="language-{name}">'


def _waiting(_found: re.Match[str]) -> str:
    return '<span class="blocked">from another host</span>'
