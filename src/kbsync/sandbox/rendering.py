"""An article's body as readers see it: the one place that chooses the renderer of the version."""

import re
from html import unescape

from kbsync.markdown.html import render_html
from kbsync.markdown.versions import Version

from .auth import World

_TAG = re.compile(r"<[^>]*>")


def body_html(world: World, content: str | None) -> str:
    """The HTML of a body, as the portal of this version writes it."""
    return render_html(content or "", Version.of(world.behaviour.version))


def body_text(world: World, content: str | None) -> str:
    """The words of a body without any markup, as a search of 4.16 shows them (S146)."""
    return " ".join(unescape(_TAG.sub(" ", body_html(world, content))).split())
