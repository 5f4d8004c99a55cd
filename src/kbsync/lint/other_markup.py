"""Signs of other markup than Markdown, which stay behind when pages are converted, and of what fills in files.

Of reStructuredText, AsciiDoc, JSDoc, mdBook, VitePress and templates of Pandoc. Each pattern begins with a plain
character and is bounded or possessive; a question to the punctuation of the page comes first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kbsync.lint.extensions import EXTENSION, is_text
from kbsync.lint.fill_ins import TEMPLATE
from kbsync.lint.finds import finds
from kbsync.lint.foreign_blocks import fenced_blocks
from kbsync.lint.page import Mark, Page
from kbsync.model import Rule
from kbsync.patterns import Pattern

_DIRECTIVE = Pattern(r"\.\.[ \t]++[a-z][\w:-]{0,40}::(?=[ \t\r\n]|\Z)")
_ROLE = Pattern(r":(?<![\w:`]:)[a-z][a-z-]{1,20}(?::[a-z][a-z-]{1,20})?:(?=`[^`\s])")
_MACRO = Pattern(r"(?:image::?|include::|xref:|video::)[^\s\[\]:<>()][^\s\[\]<>()]{0,200}+\[[^\[\]\n]{0,300}+\](?!\()")
_TAG = Pattern(r"\{@(?<!\{\{@)[a-z][A-Za-z]{1,20}(?:[ \t][^{}\n]{0,300}+)?\}")
_BLOCK_TAG = Pattern(
    r"@(?:body|codestart|codeend|demo|description|group|hide|iframe|option|page|parent|param|property|returns?|signature|"
    r"stylesheet|throws|typedef)(?=[ \t\r]*\n|[ \t]+[\w{\[`./-])"
)
_INCLUDE = Pattern(r"\{![ \t]*+[^\s{}!]++[ \t]*+!\}")
_SNIPPET = Pattern(r"<<<(?!<)[ \t]*+[@./~\w][^\s<>]*\.\w[^\s<>]*+")
_COMMENT = Pattern(r"%%(?<![^\s>]%%)(?=[^%\n]{0,100}[^\s%]\s)[^%\n]{1,500}+%%(?=[\s.,]|\Z)")
_OF_PANDOC = Pattern(r"\$(?:if|for)\([\w./-]+\)\$")
_VARIABLE = Pattern(r"\$(?:(?:if|for)\([\w./-]+\)|(?!(?:endif|endfor|else|sep)\$)[A-Za-z][\w.-]*+)\$")

INSTEAD = "Write in Markdown what the other tool makes of it: text, a link, an image or a table."
FILE = "Write here what the file says."

Kind = tuple[str, Pattern, bool, Rule, str, str]

_KINDS: tuple[Kind, ...] = (
    ("\n..", _DIRECTIVE, True, EXTENSION, "`{}` is reStructuredText: the portal prints it.", INSTEAD),
    (":`", _ROLE, False, EXTENSION, "`{}` is reStructuredText: the portal prints it.", INSTEAD),
    ("{@", _TAG, False, TEMPLATE, "`{}` belongs to another tool: the portal prints it.", INSTEAD),
    ("\n@", _BLOCK_TAG, True, TEMPLATE, "`{}` is of JSDoc or DocumentJS: the portal prints it.", INSTEAD),
    ("{!", _INCLUDE, False, TEMPLATE, "`{}` does not include a file: the portal prints it.", FILE),
    ("<<<", _SNIPPET, True, TEMPLATE, "`{}` does not include a file: the portal prints it.", FILE),
    ("%%", _COMMENT, False, EXTENSION, "Text between `%%` is not hidden: the portal prints it.", "Delete it."),
)
"""The punctuation that a text has at least, the sign, whether it begins a line, and what to say of it."""

MACROS = ("image:", "include::", "xref:", "video::")
BEFORE_A_MACRO = frozenset({"", *" \t\n\r(*>|"})
MAX_SHOWN = 40


@finds(EXTENSION, TEMPLATE)
def check_other_markup(page: Page) -> Iterator[Mark]:
    """Each sign that is in the text."""
    signs = page.signs
    for least, pattern, begins_line, rule, message, hint in _KINDS:
        # A single character is looked for ten times as fast as two.
        if least[0] not in signs or least[-1] not in signs or least not in signs:
            continue
        if page.has(pattern):
            for match in pattern.finditer(page.text):
                start = match.start()
                if is_text(page, start) and not (begins_line and _before(page, start)):
                    yield Mark(rule, start, message.format(_short(match[0])), hint)


@finds(TEMPLATE)
def check_macros(page: Page) -> Iterator[Mark]:
    """`xref:page.adoc[words]` and `image::a.png[]` of AsciiDoc."""
    if page.has_loose_brackets and any(macro in page.outside for macro in MACROS) and page.has(_MACRO):
        for match in _MACRO.finditer(page.text):
            if is_text(page, match.start()) and page.text[match.start() - 1 : match.start()] in BEFORE_A_MACRO:
                message = f"`{_short(match[0])}` is AsciiDoc: the portal prints it."
                yield Mark(TEMPLATE, match.start(), message, INSTEAD)


@finds(TEMPLATE, sign="$(")
def check_pandoc(page: Page) -> Iterator[Mark]:
    """`$if(title)$` and, where there is one, `$title$`; what ends one is part of what begins it."""
    if not page.has(_OF_PANDOC):
        return
    for match in _VARIABLE.finditer(page.text):
        if is_text(page, match.start()):
            message = f"`{_short(match[0])}` belongs to another tool: the portal does not fill it in."
            yield Mark(TEMPLATE, match.start(), message, "Write its text instead.")


_LANGUAGE = Pattern(r"(?:`{3,}|~{3,})[ \t]*([A-Za-z][\w+#-]*)")
SHOWS_TEMPLATES = frozenset({
    "diff", "handlebars", "hbs", "html", "jinja", "jinja2", "liquid", "markdown", "md", "mdx", "mustache", "none",
    "plain", "rst", "text", "txt", "vue",
})  # fmt: skip
"""Languages of blocks in which the line of an include may be what readers are to see."""

_IN_CODE = Pattern(
    r"^[ \t>]*+(\{![ \t]*[^\s{}!]+[ \t]*!\}|\{\{[ \t]*#(?:include|rustdoc_include|playground|example)[ \t][^{}\n]*\}\}"
    r"|-{1,3}8<-{1,3}[ \t]+[\"'][^\"'\n]+[\"'])[ \t]*(?=\r?$)",
    re.MULTILINE,
)
_HIDDEN = Pattern(r"^[ \t>]*+(#)(?:[ \t][^\n]*)?\r?$", re.MULTILINE)


@finds(TEMPLATE)
def check_code(page: Page) -> Iterator[Mark]:
    """Lines of code blocks that other tools exchange for a file, and lines of Rust that they hide."""
    text = page.text
    if not _has_suspect_code(page):
        return
    includes = "{!" in text or "{{#" in text or "8<-" in text
    if not includes and "rust" not in text:
        return
    for info, end in fenced_blocks(page, _LANGUAGE):
        start, language = info.start(), info[1].lower()
        if includes and language not in SHOWS_TEMPLATES:
            for match in _IN_CODE.finditer(text, start, end):
                message = f"`{_short(match[1])}` does not include a file: the portal shows this line, not the code."
                yield Mark(TEMPLATE, match.start(1), message, "Write here what the file says.")
        if language == "rust" and (hidden := _HIDDEN.search(text, start, end)):
            message = "Lines of Rust that begin with `# ` are hidden by rustdoc and mdBook: the portal shows them."
            yield Mark(TEMPLATE, hidden.start(1), message, "Delete these lines, or the `#` in front of them.")


def _has_suspect_code(page: Page) -> bool:
    """Whether a block may have one of these, or be Rust: most pages have blocks, and hardly any has such a one."""
    signs = page.signs_inside
    return "{!" in signs or "{#" in signs or "<-" in signs or "rust" in page.inside.lower()


def _before(page: Page, place: int) -> str:
    """What is before a place on its line, without the marks of quotes."""
    return page.text[page.line_start(place) : place].strip(" \t>")


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= MAX_SHOWN else line[: MAX_SHOWN - 1] + "…"
