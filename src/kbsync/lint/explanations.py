"""The words about each rule: why it matters, how to fix it, an example. One file each in `rules/`, read when needed.

Also: the rules as Markdown, a heading for each: the help center's page of codes is made of it, and the preview's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

import msgspec

from kbsync.markdown.anchors import heading_anchor
from kbsync.model import Rule
from kbsync.patterns import Pattern

FOLDER = Path(__file__).with_name("rules")

PAGE = "troubleshooting/codes.md"
MORE_PAGE = "troubleshooting/more-codes.md"
"""The articles of kbsync's own help center that have a heading for each code, below the folder of a locale. One alone
would have more characters than the service accepts."""

OF_FIRST_PAGE = ("KB1", "KB2", "KB3")


def page_of(code: str) -> str:
    """The article that has a heading for a code."""
    return PAGE if code.startswith(OF_FIRST_PAGE) else MORE_PAGE


_SECTION = Pattern(r"^## (Fix|Before|After|See)\n\n", re.MULTILINE)
_EXAMPLE = Pattern(r"~~~~markdown\n(.*)~~~~\n*", re.DOTALL)


class Explanation(msgspec.Struct, frozen=True):
    """What there is to say about one rule.

    Args:
        why: what readers or the service would make of it.
        fix: what to do.
        before, after: a file that has the problem, and the same file without it; "" for what one file cannot show.
        see: an article of kbsync's own help center, by its path below the folder of a locale; "" for none.
    """

    why: str
    fix: str
    before: str = ""
    after: str = ""
    see: str = ""


@cache
def codes() -> tuple[str, ...]:
    """Every code, in order: lint's own, and those of plans. A test compares them with the declarations."""
    # From the names of the files: the declarations are in modules that take longer to load.
    return tuple(sorted(path.stem for path in FOLDER.glob("KB*.md")))


def page_address(urls: Iterable[str] | None = None) -> str:
    """The address of the page of codes on the web; "" where the project does not name one.

    Args:
        urls: the project's addresses as package metadata has them, such as `Codes, https://...`. None for kbsync's own:
            the table `[project.urls]` of pyproject.toml.
    """
    pairs = (entry.partition(",") for entry in (_project_urls() if urls is None else urls))
    return next((url.strip() for name, _, url in pairs if name.strip() == "Codes"), "")


def _project_urls() -> list[str]:
    try:
        return metadata("kbsync").get_all("Project-URL") or []
    except PackageNotFoundError:  # run from a folder of sources
        return []


def explain(code: str) -> Explanation:
    """The words about one rule."""
    why, *rest = _SECTION.split((FOLDER / f"{code}.md").read_text("utf-8"))
    parts = dict(zip(rest[::2], rest[1::2], strict=True))
    return Explanation(
        why.strip(),
        parts["Fix"].strip(),
        _example(parts.get("Before", "")),
        _example(parts.get("After", "")),
        parts.get("See", "").strip(),
    )


def _example(section: str) -> str:
    return match[1] if (match := _EXAMPLE.fullmatch(section)) else ""


def anchor_of(code: str) -> str:
    """The anchor of a code's heading on the page of codes."""
    return heading_anchor(code)


LEVEL = "###"
"""The portal gives anchors to headings of level 1 to 3. The code alone makes the anchor: titles change."""


def section_of(rule: Rule, *, see: str = "") -> str:
    """What a rule is about, without its example.

    Args:
        rule: the rule.
        see: the folder of the help center's articles, as a link writes it; "" leaves the link out.
    """
    words = explain(rule.code)
    fixed = ", fixed by `kbsync lint --fix`" if rule.fixable else ""
    more = f" [More about this]({see}{words.see})" if see and words.see else ""
    return f"{LEVEL} {rule.code}\n\n**{rule.title}** ({rule.level}{fixed})\n\n{words.why}\n\nFix: {words.fix}{more}\n"


def example_of(rule: Rule) -> str:
    """The file before and after, as blocks of code; "" for a rule that one file cannot show."""
    words = explain(rule.code)
    blocks = (("Before", words.before), ("After", words.after))
    return "".join(f"\n{name}:\n\n~~~~markdown\n{text}~~~~\n" for name, text in blocks if text)


def handbook(rules: Iterable[Rule]) -> str:
    """All of them with their examples."""
    return "\n".join(section_of(rule) + example_of(rule) for rule in rules)
