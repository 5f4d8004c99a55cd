"""Checks that find warnings alone are left out where only errors count; every error is found all the same."""

from __future__ import annotations

import pytest

from builders import beside, read_content, write_files
from kbsync.config import LintSettings
from kbsync.lint import CHECKS, DEFAULTS, check_tree, that_refuse
from kbsync.lint.explanations import explain
from kbsync.lint.parity import check_parity

from .test_examples import LINES, shown


def errors(context, settings: LintSettings, checks) -> list:
    return [found for found in check_tree(context, settings, checks=checks) if found.level == "error"]


@pytest.mark.parametrize("code", LINES)
def test_the_checks_that_refuse_find_every_error(tmp_path, code):
    context = read_content(write_files(tmp_path, beside(shown(explain(code).before)))).context
    for settings in (DEFAULTS, LintSettings(levels={code: "error"}), LintSettings(ignore=[code])):
        found = errors(context, settings, that_refuse(CHECKS, settings))
        assert found == errors(context, settings, CHECKS)
        assert code in {finding.code for finding in found} or not settings.levels


def test_what_is_left_out_has_warnings_alone():
    left_out = [check for check in CHECKS if check not in that_refuse(CHECKS, DEFAULTS)]
    assert check_parity in left_out
    assert {rule.level for check in left_out for rule in check.rules} == {"warning"}


@pytest.mark.parametrize("word", ["KB601", "KB60", "KB6"])
def test_a_check_whose_findings_kbsync_toml_calls_errors_is_asked(word):
    assert check_parity in that_refuse(CHECKS, LintSettings(levels={word: "error"}))
