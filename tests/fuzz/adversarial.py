"""Texts of up to 200 kB that make a careless reader take the square of their length. Each follows from one number.

A text is a few pieces of syntax repeated: in turn, at random, or all of one and then all of another. The longest are as
long as what is read of a body. Each goes four ways: lint, `--fix`, the preview's HTML, and front matter.
"""

import random
import re
import time
from collections.abc import Iterator
from itertools import count

from examine import PATH, checked

from kbsync.content.front_repair import repair_front
from kbsync.content.parse import MAX_SCANNED, parse_source
from kbsync.lint import inspect
from kbsync.lint.fixes import fix_text
from kbsync.markdown.html import render_with_lines
from kbsync.markdown.versions import V4_10
from kbsync.preview.article_body import dressed, page_html
from kbsync.preview.marks import places_of, show_marks
from kbsync.site.anchor_links import add_anchors
from kbsync.site.defuse import defuse
from kbsync.site.reader_words import words_of

PIECES = (
    "[", "]", "(", ")", "](", "[]", "[a]", "[a][]", "[a][b]", "[a](b)", "[a](b c", "![", "![a](b)", "![](", "[a]: b", "[a]: (", "[^a]", "[^a]: b", "[[a]]",
    "<", ">", "<?", "?>", "<!", "<!X ", "<![CDATA[", "]]>", "<!--", "-->", "--", "<!-- -- -->", "<!-->", "<!-- kbsync-ignore KB301 -->", "<!-- kbsync-ignore ",
    "<a ", "<a b='", "</a>", "<b>", "<div>", "</div>", "<br>", "<br/>", "<X a={b}>", "<https:", "<a@b.", "<https://a.b>", "<img src='a'>", "<details>", "<!-- columns: 1,2 -->",
    "*", "**", "***", "_", "__", "*a", "a*", "**a", "*_ ", "~~", "~~a~~", "==a==", "^", "^a", "a^", "`", "``", "```", "`a`", "~~~", "$", "$$", "$a$", "\\(", "\\[",
    "#", "##", "## ", "####### x", "{#a}", "{#a .b ", "{:", "{: .a}", "{%", "%}", "{% a %}", "{{", "}}", "{{ a }}", "{", "}", ":::", ":::note", ":a:", "!!! note", "??? a", "> [!NOTE]", "@[a](b)",
    "&", "&amp;", "&amp", "&#1", "\\", "\\\\", "|", "| a ", "|-", "|a|b|", "|-|-|", "> ", ">", "- ", "* ", "+ ", "1. ", "1) ", "- [ ] ", ": a", "---", "===", "***", "***\n",
    "https://youtu.be/a", "https://www.youtube.com/watch?v=abcdefghijk", "https://vimeo.com/1", "https://a.b?c.mp4", "https://a.b", "http://a**", "www.a.b", "a@b.c", "/hc/a/articles/b", "../a.md", "refunds.md#t",
    "a", "a ", "é", "漢", "😀", " ", "  ", "    ", "\t", "\r", "\n", "\n\n", "\r\n", "\u00a0", "\u200b", "%20", "%20<?", "TODO", "TBD ", "<PLACEHOLDER>", "YOUR_NAME", "[TODO]", "Click here", "import a from 'b'", "export a",
    "[a](#b№)", "## b№", "### c№", "[é№]: b", "[a](b№)", "[a](b№.md)", "![a](b№.png)", "[a](fuzzed.md#b№)", "[a](/b№)", "[a№][]", "<b№>", "<!-- kbsync-ignore X№ -->", "<!-- kbsync-ignore KB№ -->", "http://a№", "[^№]",
    "<<<<<<< a", "=======", ">>>>>>> b", '"', "'", "“", "a\n---", "  - ", "   1. ", "[TOC]", "[[TOC]]", ".. note::", "`a`_", "{{< a >}}", "<%", "%>", "h1. a", "\\begin{a}", "\x01", "\\\n", "  \n",
)  # fmt: skip
FRONT_PIECES = (
    "a: b", "title: a", "k: &a b", "k: *a", "&a ", "*a ", "[", "]", "{", "}", "[a, ", "{a: ", "- ", "- a", "? ", "? a", ": ", "# a", " # a", "#", "'", '"', "''", '"\\"', "|", ">-", "!!str ", "!", "!<a>", "%YAML 1.1",
    "tags: [a]", "tags: a, b", "a:", "  ", "\t", "é: ü", "“a”", "title: “a”", "status: Draft", "status: x", "x" * 100, "k: " + "y" * 50, "...", "@a", "`a", "a: b: c", "\u2028", "<<: *a", "<<<<<<< a", "aliases: [a]", "a\n", " a", "...\n",
    "position: 0x1", "title: a #b", "---a", "key with blanks: ", "-", ",", "\\", "1", "null", "~", "portals:", "vars: {a: b}", "translation_of: a", "description: >", "  a: b", "    - a: b",
)  # fmt: skip
BETWEEN = ("", "", "", " ", " ", "\n", "\n", "\n\n", "a", "\n> ", "\n- ", "\n  ")
STARTS = ("", "", "", "# T\n\n", "---\ntitle: T\n---\n", "a\n", "> ", "- ", "| a | b |\n| - | - |\n", "<!--", "<div>\n", "```\n", "[a]: b\n\n")  # fmt: skip


def made(number: int, most: int = MAX_SCANNED) -> str:
    """The text of a number; every third is of the full length."""
    draw = random.Random(number)
    chars = most if draw.random() < 0.3 else int(most ** draw.uniform(0.7, 1))
    if draw.random() < 0.15:
        end = draw.choice(("\n---\n", "\n---\n", "", "\n"))
        front = _repeated(draw, FRONT_PIECES, int(chars ** draw.uniform(0.6, 1)), ("\n", "\n", "\n", " ", "", "\n  "))
        return f"---\n{front}{end}{_repeated(draw, PIECES, 200, BETWEEN)}"[:most]
    return (draw.choice(STARTS) + _repeated(draw, PIECES, chars, BETWEEN))[:chars]


def _repeated(draw: random.Random, pieces: tuple[str, ...], chars: int, between: tuple[str, ...]) -> str:
    """So many characters of a few pieces."""
    chosen = draw.sample(pieces, draw.choice((1, 2, 2, 3, 3, 4, 6)))
    gap = draw.choice(between)
    text = _joined(draw, chosen, chars, gap)
    return numbered(text)[:chars] if "№" in text else text


def numbered(text: str) -> str:
    """The text with another number in the place of each `№`."""
    numbers = count(1)
    return re.sub("№", lambda _: str(next(numbers)), text)


def _joined(draw: random.Random, chosen: list[str], chars: int, gap: str) -> str:
    match draw.randrange(5):
        case 0:  # one after another, each many times
            return "".join((piece + gap) * (chars // len(chosen) // len(piece + gap) + 1) for piece in chosen)
        case 1:  # at random
            few = chars // (sum(map(len, chosen)) // len(chosen) + len(gap) + 1) + 1
            return gap.join(draw.choices(chosen, k=few))
        case 2:  # in turn, with a line end now and then
            unit = gap.join(chosen)
            line = (unit + gap) * draw.choice((3, 30, 300, 3000)) + draw.choice(("\n", "\n\n"))
            return line * (chars // len(line) + 1)
        case _:
            unit = gap.join(chosen) + gap
            return unit * (chars // len(unit) + 1)


MOST_S = 1.5
"""Seconds of CPU that each way may take."""


def examine(text: str) -> Iterator[str]:
    """Send a text all ways; give what is wrong, such as one that takes too long."""
    for name, way in WAYS.items():
        started = time.process_time()
        way(text)
        if (took := time.process_time() - started) > MOST_S:
            yield f"{name} of {len(text)} characters took {took:.1f} s of CPU"
    yield from unstable(text)


def unstable(text: str) -> Iterator[str]:
    """Say so where a second `--fix` changes what a first one made."""
    fixed = fix(text)
    if fixed != text and fix(fixed) != fixed:
        yield "a second --fix changes it again"


def lint(text: str) -> None:
    """What `kbsync lint` does with one file in a small tree."""
    checked(parse_source(PATH, text.encode(), inspect=inspect))


def fix(text: str) -> str:
    """What `kbsync lint --fix` makes of one file."""
    return fix_text(PATH, text.encode()).decode()


def html(text: str) -> None:
    """What readers get to see of a body."""
    dressed(page_html(text, "en", media=False)[0], "en")


def page(text: str) -> None:
    """What the preview shows of a file, with its marks for the writer, for the older version."""
    source = parse_source(PATH, text.encode())
    body = text[source.body_start :]
    rendered, lines = render_with_lines(body, V4_10)
    dead = [link for link in source.links if link.target.endswith(".md")]
    shown = show_marks(defuse(add_anchors(rendered)[0], words_of("en"), media=False), dead, {}, body)
    dressed(shown, "en")
    places_of(source, text, lines)


def front(text: str) -> None:
    """The front matter alone, read and repaired."""
    parse_source(PATH, text.encode(), body=False)
    repair_front(PATH, text, None)


WAYS = {"lint": lint, "fix": fix, "html": html, "page": page, "front": front}
