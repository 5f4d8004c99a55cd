"""What the HTML of an article is written to, block by block."""

import re
from dataclasses import dataclass, field

from markdown_it.utils import EnvType

from kbsync.markdown.dialect import parse_inside
from kbsync.markdown.entities import decode
from kbsync.markdown.inline_html import escape, inlines_html
from kbsync.markdown.sizes import open_table
from kbsync.markdown.versions import V4_16, Version

_INFO_GAP = re.compile(r"[ \t\r\n\f\v]+")


@dataclass(slots=True)
class Page:
    """HTML written so far; blocks start on a line of their own.

    `env` has the link definitions and the `check` that may end it, `widths` those of the next table's columns.
    """

    version: Version
    env: EnvType = field(default_factory=dict)
    pieces: list[str] = field(default_factory=list)
    widths: tuple[int, ...] = ()

    def out(self, html: str) -> None:
        """Write HTML as it is."""
        if html:
            self.pieces.append(html)

    def fresh_line(self) -> None:
        """Begin a line, where none has just begun."""
        if self.pieces and not self.pieces[-1].endswith("\n"):
            self.pieces.append("\n")

    def code(self, info: str, content: str) -> None:
        """Write a block of code."""
        self.fresh_line()
        info = decode(info.strip("\t\r "))
        # Unescaped, as on the portal: a hostile info string breaks out of the attribute there too.
        self.out(f'<pre><code class="language-{_INFO_GAP.split(info)[0]}">' if info else "<pre><code>")
        self.out(f"{escape(content)}</code></pre>\n")

    def inside(self, text: str) -> str:
        """The HTML of the inside of a block."""
        return inlines_html(parse_inside(text, self.env), self.version)

    def open_table(self) -> None:
        """Begin a table, with the widths that wait for one."""
        widths, self.widths = self.widths, ()
        self.out(open_table(widths) if self.version >= V4_16 else "<table>\n")

    def close_table(self) -> None:
        """End a table."""
        self.out("</table>\n</div>" if self.version >= V4_16 else "</table>\n")
