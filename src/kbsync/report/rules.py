"""The rules of lint in words. Pure."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

from kbsync.lint.rules import Rule
from kbsync.report.text import Style

WIDEST = 100
"""Longer lines are hard to read."""


def rules_text(rules: Iterable[Rule], style: Style) -> str:
    """The codes, a line each."""
    lines = [
        f"{style.paint(rule.code, 'bold')}  {rule.title}{' (fixed by --fix)' if rule.fixable else ''}" for rule in rules
    ]
    return "\n".join([*lines, "", "`kbsync lint --explain CODE` explains one of them."]) + "\n"


def explain_text(rules: Iterable[Rule], style: Style) -> str:
    """Each rule with what it is about, and an example of what it finds."""
    return "\n".join(_explained(rule, style) for rule in rules)


def _explained(rule: Rule, style: Style) -> str:
    width = max(20, min(style.width, WIDEST))
    lines = [style.paint(f"{rule.code}: {rule.title}", "bold")]
    lines += textwrap.wrap(rule.explanation, width, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)
    if rule.fixable:
        lines.append("  `kbsync lint --fix` fixes it.")
    if rule.example:
        lines += ["", "  Example:", "", *(f"    {line}".rstrip() for line in rule.example.splitlines())]
    return "\n".join(lines) + "\n"
