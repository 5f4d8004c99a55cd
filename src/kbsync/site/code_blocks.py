"""Code blocks for readers: a head with the language, a button that copies, and colors for what the words mean.

This is a step after the portal's HTML, which has none of it. The text of the code stays as it is, to the letter; only
elements around its words are added, with the classes of `assets/article.css`.
"""

from __future__ import annotations

import re
import time
from functools import cache, lru_cache
from html import escape, unescape
from typing import TYPE_CHECKING

from markupsafe import Markup

from kbsync.site.reader_words import ReaderWords

if TYPE_CHECKING:
    from pygments.lexer import Lexer
    from pygments.token import _TokenType

_BLOCK = re.compile(r'<pre><code(?: class="language-([^"]*)")?>([^<]*)</code></pre>')
"""In the renderer's code a `<` is always an entity."""

_WITH_HYPHEN = re.compile(r"<code>(?<!<pre><code>)(?=[^<]{1,24}</code>)(?=[^<]*-)")
"""Short code in a line of text, such as `--all`: a browser would end the line after its hyphens. What is looked for
begins with letters of its own: a look behind would be tried at every character."""

LONGEST = 8_000
"""Longer code has no colors: it would hold up the page."""

MOST_S, PAGE_S = 0.15, 0.4
"""Seconds of work for one block, and for all of a page; what is left then has no colors. Code takes a few milliseconds,
but the patterns of some languages take seconds for 8,000 characters of nonsense."""

COLORED = """
bash console powershell batch python pycon pytb javascript typescript jsx tsx json json5 yaml toml ini properties
html xml css scss less sql postgres mysql php ruby erb java kotlin swift c cpp csharp go rust docker make diff http
nginx apacheconf graphql markdown rst jinja liquid handlebars twig vue svelte hcl terraform perl lua r dart elixir
scala groovy objective-c haskell protobuf awk
"""
LANGUAGES = frozenset(COLORED.split())
"""One name of each language that gets colors."""

BLOCKS = 512
"""So many blocks are kept with their colors; while somebody types, all but one of a page are as they were."""

PLAIN = frozenset({"", "text", "txt", "plain", "plaintext", "none", "output"})
"""Languages that say there is none."""

NAMES = {
    "sh": "Shell",
    "bash": "Shell",
    "shell": "Shell",
    "zsh": "Shell",
    "console": "Terminal",
    "shell-session": "Terminal",
    "js": "JavaScript",
    "ts": "TypeScript",
    "md": "Markdown",
    "yml": "YAML",
    "docker": "Dockerfile",
    "http": "HTTP",
    "html": "HTML",
    "mermaid": "Mermaid",
}
"""What people call a language, where the highlighter calls it otherwise, or nothing."""

CLASSES = {
    "Comment": "c",
    "Keyword": "k",
    "Literal.String": "s",
    "Literal.Number": "n",
    "Literal.Date": "n",
    "Name.Function": "f",
    "Name.Class": "f",
    "Name.Decorator": "b",
    "Name.Builtin": "b",
    "Name.Tag": "t",
    "Name.Attribute": "a",
    "Name.Variable": "a",
    "Name.Constant": "n",
    "Name.Entity": "b",
    "Operator.Word": "k",
    "Generic.Deleted": "del",
    "Generic.Inserted": "ins",
    "Generic.Heading": "f",
    "Generic.Subheading": "b",
    "Generic.Prompt": "c",
    "Generic.Output": "c",
}
"""Kinds of words, each with all below it, and the class that has their color."""


def dress_code(body_html: str, words: ReaderWords, *, copies: bool) -> str:
    """The HTML of an article with its code blocks dressed.

    Args:
        body_html: harmless, and with nothing added to its code.
        words: of the page's language.
        copies: whether a script of the page can copy.
    """
    body_html = _WITH_HYPHEN.sub('<code class="whole">', body_html)
    if "<pre><code" not in body_html:
        return body_html
    button = _BUTTON.format(copy=escape(words["copy"]), copied=escape(words["copied"])) if copies else ""

    ends = time.thread_time() + PAGE_S

    def dressed(found: re.Match[str]) -> str:
        info = unescape(found[1] or "").strip()
        label = label_of(info)
        head = f'<span class="code-name">{escape(label)}</span>' if label else ""
        colored = found[1] and time.thread_time() < ends
        code = highlighted(info.lower(), found[2]) if colored else found[2]
        name = f' class="language-{found[1]}"' if found[1] is not None else ""
        kind = "code named" if label else "code"
        return f'<div class="{kind}">{head}{button}<pre dir="ltr"><code{name}>{code}</code></pre></div>'

    return _BLOCK.sub(dressed, body_html)


_BUTTON = Markup(
    '<button class="copy" type="button" data-copy-code title="{copy}" aria-label="{copy}" data-copied="{copied}"'
    ' data-keeps="data-done aria-label"><svg class="icon" viewBox="0 0 20 20" fill="none" stroke="currentColor"'
    ' stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true" focusable="false">'
    '<rect x="7" y="7" width="9.5" height="9.5" rx="2"/>'
    '<path d="M4 13c-.6-.3-.9-.8-.9-1.4V5.4c0-1.3 1-2.3 2.3-2.3h6.2c.6 0 1.1.3 1.4.9"/></svg></button>'
)


def label_of(info: str) -> str:
    """What a reader sees of the language of a block; "" for none."""
    language = info.lower()
    if language in PLAIN:
        return ""
    if language in NAMES:
        return NAMES[language]
    if known := _lexers().get(language):
        return known
    # `{r,` of other tools is no name.
    return info if len(info) <= 24 and info.isprintable() and info[0] != "{" else ""


@lru_cache(maxsize=BLOCKS)
def highlighted(language: str, code_html: str) -> str:
    """The HTML of a block's code with elements around its words; as it is for a language that is not known."""
    if language in PLAIN or len(code_html) > LONGEST or (lexer := _lexer(language)) is None:
        return code_html
    code = unescape(code_html)
    pieces: list[str] = []
    before, run, done = "", "", 0
    started = time.thread_time()
    for place, token, text in lexer.get_tokens_unprocessed(code):
        done = place + len(text)
        kind = _class_of(token)
        # Spaces have no color: they belong to the word before them.
        if kind != before and text.strip():
            pieces.append(_piece(before, run))
            before, run = kind, ""
        run += text
        if time.thread_time() - started > MOST_S:
            break
    pieces += _piece(before, run), _piece("", code[done:])
    return "".join(pieces)


def _piece(kind: str, text: str) -> str:
    # As the renderer escapes: with a quote in it, text could pass for an attribute of the page.
    code = escape(text, quote=False).replace('"', "&quot;")
    return f'<span class="hl-{kind}">{code}</span>' if kind and text else code


@cache
def _class_of(token: _TokenType) -> str:
    name = str(token).removeprefix("Token.")
    while name:
        if name in CLASSES:
            return CLASSES[name]
        name = name.rpartition(".")[0]
    return ""


@cache
def _lexers() -> dict[str, str]:
    """The name of the lexer of each language. Only the highlighter's own: plugins would be foreign code."""
    # Loaded here: many pages have no code with a language.
    from pygments.lexers import get_all_lexers

    known = [(name, names) for name, names, _, _ in get_all_lexers(plugins=False) if not LANGUAGES.isdisjoint(names)]
    return {alias: name for name, names in known for alias in names}


@cache
def _lexer(language: str) -> Lexer | None:
    from pygments.lexers import find_lexer_class

    name = _lexers().get(language)
    return find_lexer_class(name)() if name else None
