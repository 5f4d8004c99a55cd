"""The rules as Markdown, a heading for each: the help center's page of codes is made of it, and the preview's."""

from __future__ import annotations

from collections.abc import Iterable

from kbsync.lint.explanations import explain
from kbsync.model import Rule

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
