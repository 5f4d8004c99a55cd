"""Every code, those of other layers included: KB1xx come from reading a file, KB5xx from making a plan.

KB2xx are about the tree, KB3xx about links, pictures and headings, KB4xx about what the portal does not show.
"""

from __future__ import annotations

from kbsync.lint.rule import Rule
from kbsync.lint.rules_of_files import RULES_OF_FILES
from kbsync.lint.rules_of_plans import RULES_OF_PLANS
from kbsync.lint.rules_of_texts import RULES_OF_TEXTS
from kbsync.lint.rules_of_trees import RULES_OF_TREES

__all__ = ["RULES", "Rule"]

RULES = {rule.code: rule for rule in (*RULES_OF_FILES, *RULES_OF_TREES, *RULES_OF_TEXTS, *RULES_OF_PLANS)}
