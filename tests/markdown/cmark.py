"""cmark-gfm as an oracle: what it makes of a text, apart from what the portal's own writer does otherwise."""

import html
import re

from cmarkgfm import cmark

from kbsync.markdown.embeds import EMBEDS
from kbsync.markdown.html import render_html
from kbsync.markdown.versions import V4_10, Version

_INFO = re.compile(r'(<code class="language-)([^"\n]*)(">)')
_UNSAFE = re.compile(r'( (?:href|src)=")(?:javascript|vbscript|file|data):[^"]*"', re.IGNORECASE)
_WRAPPER_END = re.compile("</table>\n</div>\n?")
_ALT = re.compile(r'(<img src="[^"]*" alt=")[^"]*"')


def without_the_portals_own(markdown: str) -> str:
    """A text without carets and video links, which only the portal makes something of."""
    markdown = markdown.replace("^", "")
    for embed in EMBEDS:
        markdown = embed.address.sub("https://example.com", markdown)
    return markdown


def by_cmark(markdown: str) -> str:
    return cmark.markdown_to_html_with_extensions(markdown, options=0, extensions=["table"])


def comparable(written: str) -> str:
    """Take out the other things in which the portal is known to write otherwise; since 4.16 the wrapper of a table."""
    written = _WRAPPER_END.sub("</table>\n", written.replace('<div class="tableWrapper">', ""))
    return _ALT.sub(r'\1"', _UNSAFE.sub(r'\1"', written)).replace("\n<table>", "<table>")


def agrees(markdown: str, version: Version = V4_10) -> bool:
    """Say whether both make the same HTML. Keep out what is the portal's own."""
    # A fence's first word is written unescaped on the portal; ours comes that way.
    theirs = _INFO.sub(lambda found: found[1] + html.unescape(found[2]) + found[3], by_cmark(markdown))
    return comparable(render_html(markdown, version)) == comparable(theirs)
