"""Every rule, those of plans included, and the rules in words for a terminal. Reads the files of `lint/rules` only."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from urllib.parse import urljoin

from kbsync.lint.explanations import Explanation, anchor_of, explain, page_of
from kbsync.lint.registry import RULES as OF_A_TREE
from kbsync.model import Rule
from kbsync.plan.rules import RULES as OF_A_PLAN
from kbsync.report.style import Style

RULES = {rule.code: rule for rule in sorted((*OF_A_TREE, *OF_A_PLAN), key=lambda rule: rule.code)}

WIDEST = 100
"""Longer lines are hard to read."""


def rules_text(rules: Iterable[Rule], style: Style) -> str:
    lines = [
        f"{style.paint(rule.code, 'bold')}  {rule.title}{' (fixed by --fix)' if rule.fixable else ''}" for rule in rules
    ]
    return "\n".join([*lines, "", "`kbsync lint --explain CODE` explains one of them."]) + "\n"


def explain_text(rules: Iterable[Rule], style: Style, *, page: str) -> str:
    """Each rule with why it matters, how to fix it, and a file before and after.

    Args:
        rules: what to explain.
        style: the screen.
        page: the address of the help center's page of codes; "" where the project has none on the web.
    """
    return "\n".join(_explained(rule, explain(rule.code), style, page) for rule in rules)


def _explained(rule: Rule, words: Explanation, style: Style, page: str) -> str:
    lines = [style.paint(f"{rule.code}: {rule.title}", "bold"), *_wrapped(words.why, style)]
    lines += _wrapped(words.fix, style)
    if rule.fixable:
        lines += _wrapped("`kbsync lint --fix` fixes it where there is only one way to do so.", style)
    for name, example in (("Before", words.before), ("After", words.after)):
        if example:
            lines += ["", f"  {name}:", "", *(f"    {line}".rstrip() for line in example.splitlines())]
    where = f"Help center: {place_of(rule.code, page)}" + ("" if page else " (in kbsync's own repository)")
    return "\n".join([*lines, "", f"  {style.paint(where, 'dim')}"]) + "\n"


def _wrapped(text: str, style: Style) -> Iterator[str]:
    width = max(20, min(style.width, WIDEST))
    yield from textwrap.wrap(text, width, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)


def place_of(code: str, page: str) -> str:
    """Where the help center explains a code; in kbsync's own repository if its page is not on the web."""
    article = page_of(code)
    place = urljoin(page, PurePosixPath(article).stem) if page else f"content/en/{article}"
    return f"{place}#{anchor_of(code)}"
