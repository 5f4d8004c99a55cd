"""The table of signs that mean something in other tools, and that the portal prints, drops or reads in another way.

Of Docusaurus, MkDocs, GitBook, Hugo, VitePress, Obsidian, GitHub, MyST, Pandoc and others. Source: docs/service.md,
section 9. To add a sign, add a row; what a pattern alone cannot say is a small function above the table. A pattern
begins with a plain character where it can, so that nearly all texts are passed in a moment.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from kbsync.lint import attributes, callouts
from kbsync.lint.callouts import ADMONITIONS, QUOTE, REPLACE
from kbsync.lint.fill_ins import TEMPLATE
from kbsync.lint.finds import finds
from kbsync.lint.page import Mark, Page, covering, cut, short
from kbsync.lint.references import ELSEWHERE, FOOTNOTE, NOWHERE, footnotes
from kbsync.lint.signs import Sign, begins_line, escaped, in_fences, in_prose, in_text, on_line
from kbsync.markdown.prose import QUOTED
from kbsync.model import Rule
from kbsync.patterns import Pattern

STRIKETHROUGH = Rule("KB404", "Strikethrough with `~~`")
TASK_LIST = Rule("KB405", "Task list")
CALLOUT = Rule("KB408", "Callout of another tool", fixable=True)
ATTRIBUTES = Rule("KB409", "Attributes in curly brackets", fixable=True)
IMAGE_SIZE = Rule("KB410", "Image size")
TWO_CARETS = Rule("KB411", "Two carets in a sentence")
DEFINITION_LIST = Rule("KB420", "Definition list")
MDX = Rule("KB421", "Code of MDX or JSX")
EXTENSION = Rule("KB422", "Sign of a Markdown extension")

Match = re.Match[str]
Words = tuple[str, str]

INSTEAD = "Write in Markdown what the other tool makes of it: text, a link, an image or a table."
FILE = "Write here what the file says."
SAVE_AT_SIZE = "Delete it, and save the image as large as it should appear."


# --- strikethrough, task lists, carets ------------------------------------------------------------------------------


def _is_in_paragraph(page: Page, match: Match) -> bool:
    # In the prose, the border of a cell looks like a mark of emphasis does.
    return "\n\n" not in match[0] and not page.text[match.start() + 2].isspace()


_STATES = r"[/<>!?*+~\"-]"
"""In the box of a task that is half done, cancelled or moved: of Obsidian and others."""

_BOX = Pattern(rf"^[ \t>]*(?:[-*+]|\d{{1,9}}[.)])[ \t]+(\\?\[[ xX]\\?\]|\[{_STATES}\])(?=[ \t\r\n])", re.MULTILINE)


def _is_box(page: Page, match: Match) -> bool:
    return match[1][0] == "[" or _has_escaped_boxes(page)


@lru_cache(maxsize=1)
def _has_escaped_boxes(page: Page) -> bool:
    """One `\\[ ]` may be meant as it is; tools that know no checkboxes write all of them so."""
    at = (match.start(1) for match in _BOX.finditer(page.text) if match[1][0] == "\\")
    return sum(page.prose.text[place] == QUOTED for place in at) > 1


_INLINE_NOTE = Pattern(r"\^\[(?=[^\[\]\n]{0,200}[^\W\d_]{2} [^\[\]\n]{0,200}[^\W\d_]{2})[^\[\]\n]+\](?![$+*?{|)\]])")
"""Of Pandoc: `words^[A note of several words.]`."""

_RAISED = Pattern(r"\^[^^\0\n]+\^")
_TO_BLOCK = Pattern(r"\[\[[^\[\]\n]*#\Z")
"""Before the caret of `[[page#^id]]`, which is reported as a whole (KB418)."""

MOST_OF_A_PATH = 200

_MEANT_OTHERWISE = Pattern(r"[\s*/=|]")
"""What is between two carets and has one of these is a sentence or a formula, and was not meant to be raised."""


def _is_not_to_raise(page: Page, match: Match) -> bool:
    start = match.start()
    if not _MEANT_OTHERWISE.search(match[0]) or start - 1 in footnotes(page):
        return False
    is_path = _TO_BLOCK.search(page.text, max(0, start - MOST_OF_A_PATH), start)
    return not is_path and not _INLINE_NOTE.match(page.prose.text, start)


def _raised(page: Page, match: Match) -> Words:
    shown = cut(page.text[match.start() + 1 : match.end() - 1], 30)
    message = f"The portal raises `{shown}`, which is between two carets, and drops the carets."
    return message, "Put what has a caret in backticks."


# --- callouts, tabs, blocks -----------------------------------------------------------------------------------------


def _callout(least: tuple[str, ...], pattern: Pattern, *suspects: Pattern) -> Sign:
    return Sign(
        CALLOUT, least, in_prose, pattern, at=1, suspects=suspects, when=callouts.is_one, say=callouts.words_of,
        fix=callouts.as_quote,
    )  # fmt: skip


CODE_CHUNKS = frozenset({
    "bash", "code", "code-block", "code-cell", "highlight", "ipython", "js", "julia", "literalinclude", "ojs",
    "parsed-literal", "prompt", "python", "r", "rcpp", "sh", "sourcecode", "sql",
})  # fmt: skip
"""What R Markdown, Quarto and MyST show as code, and some of them run."""

DRAW = "Show an image of what it draws."
LIST = "Write the list that it makes."
DRAWN = {
    "dataview": LIST, "dataviewjs": LIST, "graphviz": DRAW, "markmap": DRAW, "math": DRAW, "mermaid": DRAW,
    "plantuml": DRAW, "puml": DRAW, "tasks": LIST, "vega-lite": DRAW, "wavedrom": DRAW,
}  # fmt: skip
"""Languages of blocks in which GitHub, GitLab, Obsidian and others show a drawing or a list instead."""


def _directive(page: Page, match: Match) -> Words:
    hint = REPLACE
    if match[2].lower() in ADMONITIONS:
        hint = QUOTE
    elif match[2].lower() in CODE_CHUNKS:
        hint = "Write only the language behind the backticks. Nothing runs here: add what the code prints."
    return f"`{cut(match[1])}` belongs to another tool: the portal shows a block of code.", hint


def _drawn(page: Page, match: Match) -> Words:
    return f"A block of `{match[1]}` is for another tool: the portal shows its code.", DRAWN[match[1].lower()]


def _is_empty_block(page: Page, match: Match) -> bool:
    _, end = covering(page.scan.code, match.start()) or match.span()
    return not page.text[match.start() : end].partition("\n")[2].strip(" \t\r\n>`~")


# --- MDX ------------------------------------------------------------------------------------------------------------

_IMAGE_ALONE = Pattern(r"(?:^|(?<=[\s(>\0]))!\[[^\[\]\n\0]{1,100}\](?![\[(:{])", re.MULTILINE)
_MODULE = Pattern(
    r"^(?:import[ \t]+(?:[\w$*{][^\n]*[ \t]from[ \t]+(?=[\"'])|(?=[\"'][^\"'\n]*[./]))(?P<q>[\"'])[^\"'\n]+(?P=q)"
    r"|export[ \t]+(?:const|let|default|function|async|class)\b)[^\n]*",
    re.MULTILINE,
)
_EXPRESSION = Pattern(
    r"(?<![{$#\\])\{[ \t]*(?:/[*\0][^\n}]*\}?|[\"'][^\"'{}\n]*[\"'][ \t]*\}"
    r"|[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*+)+(?:\([^(){}\n]*\))?[ \t]*\}(?!\}))"
)
_COMPONENT = Pattern(
    r"(?<![\\\w])<[A-Za-z][\w.]*+"
    r"(?:[\s\0]+[A-Za-z][\w-]*+(?:=\"[^\"<>]*\"|='[^'<>]*'|(?!=)))*+"
    r"[\s\0]+[A-Za-z][\w-]*+=\{(?!\{)"
)
"""A tag with a value in braces is no HTML: readers see all of it. What is in two braces is a template (KB417)."""

_NO_EXPRESSION = Pattern(r"(?:\\[A-Za-z]{1,20}|\)[ \t]?)\Z")
"""Before a brace: a command of LaTeX, the head of a function."""

NEAR = 25
OF_MDX = "`{text}` is for another tool, such as MDX: the portal prints it."
SHOW_AS_IT_IS = "Write its text instead. To show it as it is, put it in backticks."


def _is_expression(page: Page, match: Match) -> bool:
    return not _NO_EXPRESSION.search(page.text, max(0, match.start() - NEAR), match.start())


# --- emoji, marked changes, formulas, other markup ------------------------------------------------------------------

EMOJI = {
    "+1": "👍", "-1": "👎", "100": "💯", "arrow_right": "➡️", "bell": "🔔", "book": "📖", "books": "📚", "boom": "💥",
    "bug": "🐛", "bulb": "💡", "calendar": "📅", "clap": "👏", "computer": "💻", "construction": "🚧", "email": "📧",
    "exclamation": "❗", "eyes": "👀", "fire": "🔥", "gear": "⚙️", "gift": "🎁", "heart": "❤️",
    "heavy_check_mark": "✔️", "information_source": "ℹ️", "key": "🔑", "link": "🔗", "lock": "🔒", "mag": "🔍",
    "memo": "📝", "no_entry": "⛔", "ok_hand": "👌", "package": "📦", "pencil": "📝", "point_right": "👉",
    "pushpin": "📌", "question": "❓", "rocket": "🚀", "rotating_light": "🚨", "slightly_smiling_face": "🙂",
    "smile": "😄", "smiley": "😃", "sparkles": "✨", "star": "⭐", "tada": "🎉", "thumbsup": "👍", "wave": "👋",
    "warning": "⚠️", "white_check_mark": "✅", "wink": "😉", "wrench": "🔧", "x": "❌", "zap": "⚡",
}  # fmt: skip
"""The names that writers use most. Source: github.com/github/gemoji."""


def _emoji(page: Page, match: Match) -> Words:
    if sign := EMOJI.get(match[0][1:-1]):
        return f"`{match[0]}` does not become an emoji: the portal prints the name.", f"Write `{sign}`."
    return f"`{short(match[0])}` is not replaced: the portal prints it.", "Write the emoji itself, or delete it."


def _critic(begins: str, ends: str) -> str:
    """`{++words++}` of CriticMarkup; `{{--words--}}` is a template."""
    first, last = re.escape(begins), re.escape(ends)
    return rf"\{{{first}(?<!\{{\{{{first})(?=[^{{}}\n]{{3,}})[^{{}}\n]{{1,500}}+(?<={last})\}}(?!\}})"


_TEX = Pattern(r"\\[A-Za-z]|[\w)}\]][_^](?:[{\\(]|\w(?![A-Za-z]))")
"""What only a formula has: a command, something raised or lowered. Prices, variables of a shell and paths do not."""

_INTERVAL = Pattern(r"\$[\[(]-?[\d.]+, ?-?[\d.]+[\])]\$")
_REST = Pattern(r"(?<=\{)[^{}\n]{0,40}\}|(?<=\()[^()\n]{0,40}\)")


def _is_formula(page: Page, match: Match) -> bool:
    start, end = match.span()
    if page.text.startswith("$$", start) and begins_line(page, start):
        # On lines of its own; what begins and ends within words needs a sign of TeX.
        return not page.line_at(end - 1).rpartition("$$")[2].strip()
    return bool(_TEX.search(page.text, start, end) or _INTERVAL.fullmatch(page.text, start, end))


def _is_outside_of_formulas(page: Page, match: Match) -> bool:
    text, start = page.text, match.start()
    return not text.count("$", page.line_start(start), start) % 2 and not text.count("$$", 0, start) % 2


def _command(page: Page, match: Match) -> Words:
    shown = match[0] + (_REST.match(page.text, match.end()) or [""])[0]
    message = f"`{shown}` is a command of LaTeX: the portal prints it."
    return message, "Delete it, or write in Markdown what it makes."


def _is_macro(page: Page, match: Match) -> bool:
    return page.text[match.start() - 1 : match.start()] in {"", *" \t\n\r(*>|"}


FORMULA = "`{}` does not become a formula: the portal prints its signs."
IN_WORDS = "Write it in words or plain signs, or show an image of it."

# --- the table ------------------------------------------------------------------------------------------------------

SIGNS: tuple[Sign, ...] = (
    Sign(STRIKETHROUGH, ("~~",), in_prose, Pattern(r"~~(?=[^\s~])[^~]*?[^\s~]~~(?!~)"),
         "Text between `~~` is not struck through: the portal prints the tildes.",
         "Delete the words, or write that they no longer apply.", suspects=(Pattern("~~"),), when=_is_in_paragraph),
    Sign(TASK_LIST, ("[",), escaped, _BOX, "`{}` does not become a checkbox: the portal prints the brackets.",
         "Use a plain list, or a sign such as ✅.", at=1, when=_is_box,
         suspects=(Pattern(rf"\[(?:[ xX]\\?|{_STATES})\][ \t\r\n]"),)),
    Sign(FOOTNOTE, ("^[",), in_prose, _INLINE_NOTE,
         "`^[` does not begin a footnote: the portal prints it with the note.", ELSEWHERE,
         suspects=(Pattern(r"\^\["),)),
    Sign(TWO_CARETS, ("^",), in_prose, _RAISED, when=_is_not_to_raise, say=_raised),
    _callout(("::", "!!!", "???"), callouts.BOX, *callouts.SUSPECTS),
    _callout(("[!",), callouts.ALERT, *callouts.SUSPECTS),
    _callout(("![",), callouts.IMAGE_ALERT, *callouts.SUSPECTS),
    # A tab of Material for MkDocs, and the first line of a block of PyMdown Extensions.
    _callout(("===",), Pattern(r"^[\0 \t]*(===[!+]?[ \t]+\"[^\"\n]+\")(?=[\0 \t\r]*(?:$|\|))", re.MULTILINE),
             Pattern(r"===[!+]?[ \t]+\"")),
    _callout(("///",), Pattern(r"^[\0 \t]*(/{3,}[ \t]+[a-z][a-z-]*)(?=[\0 \t\r]*(?:$|\|))", re.MULTILINE),
             Pattern(r"///[ \t]")),
    Sign(IMAGE_SIZE, ("{",), in_prose, attributes.SIGN, "The portal has no image sizes: it prints `{all}`.",
         SAVE_AT_SIZE, when=attributes.is_size),
    Sign(ATTRIBUTES, ("{",), in_prose, attributes.SIGN, "The portal has no attributes: it prints `{all}`.",
         "Delete it. Headings get an anchor from their words.", when=attributes.is_attribute,
         fix=attributes.untagged),
    Sign(IMAGE_SIZE, ("=",), in_prose,
         Pattern(r"!\[[^\]\n]{0,200}\]\([^()\n]{0,200}?[ \t](=\d*%?x\d*%?)[ \t]*\)"),
         "The portal has no image sizes: with `{group}` it shows this line as text, not the image.", SAVE_AT_SIZE),
    Sign(CALLOUT, ("`{", "~{"), in_fences,
         Pattern(r"(?:`{3,}|~{3,})[ \t]*(\{=?([A-Za-z][\w:-]*+)(?:\}|[ \t,][^\n]*\}))"), say=_directive),
    # The first line of a block that names the file which another tool shows in it.
    Sign(TEMPLATE, ("=",), in_fences,
         Pattern(r"(?:`{3,}|~{3,})[^\n`]{0,200}?[ \t](file|src)[ \t]{0,9}=(?:[ \t]{0,9}[\"'][^\"'\n]{1,300}[\"']"
                 r"|[^\s\"'`{}])"),
         "`{group}=` does not include a file: the portal shows an empty block of code.", FILE, when=_is_empty_block),
    Sign(CALLOUT, ("",), in_fences,
         Pattern(rf"(?:`{{3,}}|~{{3,}})[ \t]*((?ai:{'|'.join(DRAWN)}))(?=[ \t]*\r?(?:\n|\Z))"), say=_drawn),
    Sign(NOWHERE, ("![",), in_prose, _IMAGE_ALONE, "`{}` does not become an image: it has no address.",
         "Write `![what it shows](address)`, or delete it.", when=callouts.is_no_callout),
    # French has a space before each colon: only one that begins its line is a suspicion.
    Sign(DEFINITION_LIST, ("\n:", ">:"), in_prose,
         Pattern(r"^(?![\0 \t>]*:)(?=[^\n]*\w)[^\n]++\n(?:[\0 \t]*\n)?[\0 \t]{0,3}(:)[ \t]+[^\s:]", re.MULTILINE),
         "This does not become a definition list: the portal prints the colon.",
         "Use a list: `- **Term**: what it means`.", at=1, suspects=(Pattern(r"\n[ \t>]*:[ \t]+[^\s:]"),)),
    Sign(MDX, ("",), in_prose, _MODULE, OF_MDX, SHOW_AS_IT_IS, suspects=(Pattern(r"\n(?:import|export)[ \t]"),)),
    Sign(MDX, ("={",), in_prose, _COMPONENT, OF_MDX, SHOW_AS_IT_IS, suspects=(Pattern(r"=\{(?<=[\w-]=\{)"),)),
    Sign(MDX, ("{",), in_prose, _EXPRESSION, OF_MDX, SHOW_AS_IT_IS, when=_is_expression,
         suspects=(Pattern(r"\{[ \t]*(?:/\*|[\"']|[A-Za-z_$][\w$]*\.)"),)),
    # MyST, Sphinx and Pandoc: roles, labels, citations; most `@` belong to addresses and names of packages.
    Sign(EXTENSION, ("}`",), in_text, Pattern(r"\{(?<![^\s(\[>*_,;:/-]\{)[A-Za-z][\w:+-]{0,40}\}(?=`)"),
         "`{}` belongs to another tool: the portal prints it.", "Delete it, or write a link: `[words](path.md)`."),
    Sign(EXTENSION, (")=",), on_line,
         Pattern(r"\((?<![^\n>\s]\()[A-Za-z][\w:./ -]{0,100}\)=(?=[ \t\r]*$)", re.MULTILINE),
         "`{}` names nothing: the portal prints this line.", "Delete it: headings have anchors from their words."),
    Sign(EXTENSION, ("@",), in_text,
         Pattern(r"\[(?:[^\[\]\n@]{1,40} )?-?@[A-Za-z][\w:.-]{0,60}\d{4}[a-z]?(?=[\],;])[^\[\]\n]*\](?![\[(])"),
         "`{}` does not become a reference: the portal prints it.", "Write the name of the source, or a link.",
         suspects=(Pattern(r"@[A-Za-z][\w:.-]{0,60}\d[a-z]?[\],;]"),)),
    Sign(EXTENSION, ("@",), in_text, Pattern(r"@(?<![\w@/.]@)(?:eq|fig|lst|sec|tbl):[A-Za-z][\w-]*"),
         "`{}` does not become a number: the portal prints it.",
         "Write what it refers to, or a link to its heading."),
    Sign(EXTENSION, ("::", ":_", ":-", ":+"), in_text,
         Pattern(r":(?<![\w:/.`'\"-]:)(?:[a-z][a-z0-9_-]*[a-z0-9]|x|100|\+1|-1):(?![\w:`])"), say=_emoji),
    Sign(EXTENSION, ("==",), in_text,
         Pattern(r"==(?<![A-Za-z0-9_=<>!{]==)(?=[^\s=])[^=\n]*(?<=[^\s=<>!])==(?![A-Za-z0-9_=])"),
         "Text between `==` is not highlighted: the portal prints the signs.", "Use bold: `**words**`."),
    Sign(EXTENSION, ("++",), in_text,
         Pattern(r"\+\+(?<![\w+{]\+\+)[A-Za-z0-9\"_-]++(?:\+[A-Za-z0-9\"_-]++)*+\+\+(?![\w+])"),
         "`{}` does not become keys: the portal prints the `++`.", "Put the keys in backticks."),
    Sign(EXTENSION, ("<-",), in_text, Pattern(r"-8<-{1,3}(?:[ \t]+[\"'][^\"'\n]+[\"']|(?=[ \t\r]*$))", re.MULTILINE),
         "This line does not include a file: the portal prints it.", FILE),
    Sign(EXTENSION, ("*[",), in_text, Pattern(r"\[(?<=\*\[)(?<![^\s>]\*\[)[^\[\]\n]+\]:[ \t]+(?=\S)"),
         "`*{}` explains nothing: the portal prints this line.",
         "Explain the abbreviation in the text, and delete the line."),
    Sign(EXTENSION, ("[",), in_text,
         Pattern(r"\[(?:(?i:toc)\](?<![^\s>@]\[...\])(?=[ \t\r]*$)|\[[_*]?(?i:toc)[_*]?\]\](?![(\[]))", re.MULTILINE),
         "`{}` does not become a table of contents: the portal prints it.",
         "Delete it: the portal makes a table of contents itself."),
    # The name of a block in Obsidian, at its end; one letter alone is rather an exponent.
    Sign(EXTENSION, ("^",), in_text,
         Pattern(r"\^(?<!\S\^)(?:[0-9a-f]{6}|[A-Za-z][A-Za-z0-9-]*+)(?<!\^[A-Za-z])"
                 r"(?=[ \t\r]*(?:\Z|\n[ \t>]*(?:\r?\n|\Z|[-*+][ \t]|\d{1,9}[.)][ \t])))"),
         "`{}` does not name this paragraph: the portal prints it.",
         "Delete it. A link can lead to a heading: `[words](path.md#heading)`."),
    Sign(EXTENSION, ("{++", "{--", "{~~", "{=="), in_text,
         Pattern("|".join(_critic(sign, sign) for sign in ("++", "--", "~~", "=="))),
         "`{}` is a change that is still marked: the portal prints the marks.",
         "Keep the words that readers are to see, without the marks."),
    Sign(EXTENSION, ("{>>",), in_text, Pattern(_critic(">>", "<<")), "`{}` is not hidden: the portal prints it.",
         "Delete it, or put the note into the text."),
    Sign(EXTENSION, ("\n..",), on_line, Pattern(r"\.\.[ \t]++[a-z][\w:-]{0,40}::(?=[ \t\r\n]|\Z)"),
         "`{}` is reStructuredText: the portal prints it.", INSTEAD),
    Sign(EXTENSION, (":`",), in_text, Pattern(r":(?<![\w:`]:)[a-z][a-z-]{1,20}(?::[a-z][a-z-]{1,20})?:(?=`[^`\s])"),
         "`{}` is reStructuredText: the portal prints it.", INSTEAD),
    Sign(TEMPLATE, ("{@",), in_text, Pattern(r"\{@(?<!\{\{@)[a-z][A-Za-z]{1,20}(?:[ \t][^{}\n]{0,300}+)?\}"),
         "`{}` belongs to another tool: the portal prints it.", INSTEAD),
    Sign(TEMPLATE, ("\n@",), on_line,
         Pattern(r"@(?:body|codestart|codeend|demo|description|group|hide|iframe|option|page|parent|param|property"
                 r"|returns?|signature|stylesheet|throws|typedef)(?=[ \t\r]*\n|[ \t]+[\w{\[`./-])"),
         "`{}` is of JSDoc or DocumentJS: the portal prints it.", INSTEAD),
    Sign(TEMPLATE, ("{!",), in_text, Pattern(r"\{![ \t]*+[^\s{}!]++[ \t]*+!\}"),
         "`{}` does not include a file: the portal prints it.", FILE),
    Sign(TEMPLATE, ("<<<",), on_line, Pattern(r"<<<(?!<)[ \t]*+[@./~\w][^\s<>]*\.\w[^\s<>]*+"),
         "`{}` does not include a file: the portal prints it.", FILE),
    Sign(EXTENSION, ("%%",), in_text, Pattern(r"%%(?<![^\s>]%%)(?=[^%\n]{0,100}[^\s%]\s)[^%\n]{1,500}+%%(?=[\s.,]|\Z)"),
         "Text between `%%` is not hidden: the portal prints it.", "Delete it."),
    Sign(TEMPLATE, ("[",), in_text,
         Pattern(r"(?:image::?|include::|xref:|video::)[^\s\[\]:<>()][^\s\[\]<>()]{0,200}+\[[^\[\]\n]{0,300}+\](?!\()"),
         "`{}` is AsciiDoc: the portal prints it.", INSTEAD, when=_is_macro),
    # Of Pandoc; what ends one is part of what begins it.
    Sign(TEMPLATE, ("$(",), in_text,
         Pattern(r"\$(?:(?:if|for)\([\w./-]+\)|(?!(?:endif|endfor|else|sep)\$)[A-Za-z][\w.-]*+)\$"),
         "`{}` belongs to another tool: the portal does not fill it in.", "Write its text instead.",
         suspects=(Pattern(r"\$(?:if|for)\([\w./-]+\)\$"),)),
    Sign(EXTENSION, ("$",), in_text, Pattern(r"\$\$(?<![\\$\w]\$\$)(?!\$)[^$]{1,2000}\$\$(?![\w$])"), FORMULA, IN_WORDS,
         suspects=(Pattern(r"\$\$"),), when=_is_formula),
    Sign(EXTENSION, ("$",), in_text, Pattern(r"\$(?<![\\$\w]\$)(?=[^\s$])[^$\n]{1,200}(?<![\s\\])\$(?![\w$])"), FORMULA,
         IN_WORDS, when=_is_formula),
    Sign(EXTENSION, ("\\",), escaped,
         Pattern(r"\\(?:\((?:(?!\\\))[^\n]){1,200}\\\)|\[(?:(?!\\\]).){1,400}\\\])", re.DOTALL), FORMULA, IN_WORDS,
         suspects=(Pattern(r"\\[(\[]"),), when=_is_formula),
    # Commands of LaTeX that documents have outside of formulas; `\@ref` is bookdown's.
    Sign(EXTENSION, ("\\",), escaped,
         Pattern(r"\\(?<![:\\]\\)(?:(?:autoref|begin|cite[pt]?|eqref|index|label|ref)\{"
                 r"|(?<![\w]\\)(?:(?:clear|cleardouble|new)page|pagebreak)\b|@ref\()"),
         when=_is_outside_of_formulas, say=_command),
)  # fmt: skip

_OF_BLOCKS = tuple(sign for sign in SIGNS if sign.where is in_fences)
_OF_TEXT = tuple(sign for sign in SIGNS if sign.where is not in_fences)


@finds(*dict.fromkeys(sign.rule for sign in _OF_TEXT))
def check_signs(page: Page) -> Iterator[Mark]:
    """Each sign of the table that is in the text."""
    signs = page.signs
    for sign in _OF_TEXT:
        for least in sign.least:
            # A single character is looked for ten times as fast as two.
            if least[:1] in signs and least in signs and ("[" not in least or page.has_loose_brackets):
                if sign.is_suspected(page):
                    yield from sign.marks(page)
                break


@finds(*dict.fromkeys(sign.rule for sign in _OF_BLOCKS))
def check_blocks(page: Page) -> Iterator[Mark]:
    """Blocks that other tools run, draw, make boxes of or fill from a file, and that the portal shows as code."""
    for sign in _OF_BLOCKS if page.scan.code else ():
        if any(least in page.signs_inside for least in sign.least):
            yield from sign.marks(page)
