"""kbsync lint --baseline: what is known is counted, and what is new fails."""

from __future__ import annotations

import json

import pytest

TEXT = "---\ntitle: Refund a charge\nstatus: live\n---\nFirst.\n[a](nowhere.md)\n"
REFUNDS = "content/en/billing/refunds.md"
IGNORED = {"KBSYNC_LINT__IGNORE": "KB214,KB316"}


@pytest.fixture
def known(project):
    """A project whose problems a baseline knows."""
    project.write(REFUNDS, TEXT)
    done = project.run("lint", "--write-baseline", "known.json", **IGNORED)
    assert (done.code, done.out) == (0, "")
    assert done.err == "known.json: 2 errors and warnings. `kbsync lint --baseline known.json` shows only new ones.\n"
    return project


def lint(project, *more: str):
    return project.run("lint", "--baseline", "known.json", *more, **IGNORED)


def test_what_is_known_is_counted_also_where_it_moved(known):
    assert known.run("lint", **IGNORED).code == 3
    known.write(REFUNDS, TEXT.replace("First.", "First.\n\nSecond.").replace("\n", "\r\n"))
    done = lint(known)
    assert (done.code, done.out) == (0, "5 files: 0 errors, 0 warnings.\n")
    assert done.err == "Known from known.json: 2. New: 0.\n"


def test_what_is_new_fails_be_it_a_warning(known):
    known.write(REFUNDS, TEXT + "\n[b](gone.md)\n")
    done = lint(known)
    assert done.code == 3 and "gone.md does not exist" in done.out and "nowhere.md" not in done.out
    assert json.loads(lint(known, "--format", "json").out)["findings"][0]["line"] == 8


def test_the_same_line_twice_is_known_once(known):
    known.write(REFUNDS, TEXT + "\n[a](nowhere.md)\n")
    assert "New: 1." in lint(known).err


def test_what_is_fixed_is_counted_where_all_files_were_looked_at(known):
    known.write(REFUNDS, TEXT.replace("status: live", "status: draft"))
    assert "Fixed since then: 1. To update the file, run `kbsync lint --write-baseline known.json`." in lint(known).err
    assert "Fixed" not in lint(known, "locale:fr").err


@pytest.mark.parametrize("text", [None, "{", "[]", '{"schema": "kbsync.baseline/9", "findings": {}}'])
def test_a_baseline_that_cannot_be_read_says_how_it_is_written(project, text):
    if text is not None:
        project.write("known.json", text)
    done = lint(project)
    assert (done.code, done.out) == (2, "")
    assert "`kbsync lint --write-baseline known.json` writes it." in done.err


def test_one_cannot_be_read_and_written_at_once(project):
    assert project.run("lint", "--baseline", "a", "--write-baseline", "b").code == 2
