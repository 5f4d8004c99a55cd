"""Every rule for the files of a tree, collected from its declarations. `report/rules.py` adds the rules of plans."""

from __future__ import annotations

from itertools import chain

from kbsync.content.rules import RULES as OF_READING
from kbsync.lint import CHECKS
from kbsync.lint.body_checks import BODY_CHECKS
from kbsync.lint.terms import OTHER_TERM
from kbsync.lint.upgrade import CHANGED_PAGE
from kbsync.model import Rule

OF_CHECKS = (*(check.rules for check in CHECKS), *(check.rules for check in BODY_CHECKS))

BY_HAND = (CHANGED_PAGE, OTHER_TERM)
"""Found by what only `kbsync lint` does."""

RULES: tuple[Rule, ...] = tuple(dict.fromkeys((*OF_READING, *chain.from_iterable(OF_CHECKS), *BY_HAND)))
"""A rule that two checks find is in it once."""
