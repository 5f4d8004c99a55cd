"""Images that are not there, as quiet boxes with their alt text and path instead of the browser's icon."""

from __future__ import annotations

import re
from html import escape, unescape

from kbsync.site.reader_words import ReaderWords
from kbsync.site.targets import is_remote, scheme_of

_IMAGE = re.compile(
    r'<img(?P<mark> data-mark="[^"]*")? src="(?P<src>[^"]*)" alt="(?P<alt>[^"]*)"'
    r'(?: title="[^"]*")?(?: style="[^"]*")? />'
)
_TAG = re.compile(r"<[^>]*>")


def mark_absent_images(body_html: str, words: ReaderWords, *, present: str) -> str:
    """The HTML of an article with a box for each image that no file is behind.

    Args:
        body_html: harmless.
        words: of the page's language.
        present: how the addresses of images begin that are there.
    """

    def shown(found: re.Match[str]) -> str:
        address = unescape(found["src"])
        if address.startswith(present) or is_remote(found["src"]) or scheme_of(found["src"]):
            return found[0]
        alt = " ".join(unescape(_TAG.sub("", found["alt"])).split())
        about = f' <span class="about">{escape(alt)}</span>' if alt else ""
        path = f" <code>{escape(address.partition('?')[0])}</code>" if address else ""
        what = f'<span class="what">{escape(words["image_missing"])}</span>'
        return f'<span class="blocked absent"{found["mark"] or ""}>{what}{about}{path}</span>'

    return _IMAGE.sub(shown, body_html)
