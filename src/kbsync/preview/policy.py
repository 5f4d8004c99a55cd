"""What the pages of the preview may load and do: scripts and style of their own, and no script of a body."""

from __future__ import annotations

_OWN = (
    "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; "
    "img-src 'self' data:{media}; connect-src 'self'; media-src 'self'{media}; frame-src {frames}; "
    "base-uri 'none'; form-action 'none'"
)
"""Attributes with a style are those of the renderer: the widths of columns and images, the shapes of players. Of any
other tag `site/defuse.py` makes text.
"""

BUILT = _OWN.format(media="", frames="'none'")
"""Of pages that are files, in a `<meta>`: they are sent without headers."""

PICTURE = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
"""An SVG opened by its own address is a document, which could hold a script."""


def policy_of(*, media: bool) -> str:
    """The policy of a page that is served.

    Args:
        media: whether the person has switched images and players of other hosts on. Hosts that serve them over plain
            http are let through, too: the person asked for them.
    """
    others = "https: http:" if media else ""
    own = _OWN.format(media=f" {others}".rstrip(), frames=others or "'none'")
    return f"{own}; frame-ancestors 'none'"
