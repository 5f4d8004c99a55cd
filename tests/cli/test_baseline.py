"""kbsync lint --baseline: what is known is counted, and what is new fails."""

import json

import pytest

from commands import Done
from repo import needs_git

TEXT = "---\ntitle: Refund a charge\nstatus: live\n---\nFirst.\n[a](nowhere.md)\n"
REFUNDS = "content/en/billing/refunds.md"
IGNORED = {"KBSYNC_LINT__IGNORE": "KB214,KB316"}


@pytest.fixture
def known(project):
    """A project whose problems a baseline knows."""
    project.write(REFUNDS, TEXT)
    told = "known.json: 2 errors and warnings. `kbsync lint --baseline known.json` shows only new ones.\n"
    assert project.run("lint", "--write-baseline", "known.json", **IGNORED) == Done(0, "", told)
    return project


def lint(project, *more: str):
    return project.run("lint", "--baseline", "known.json", *more, **IGNORED)


def test_what_is_known_is_counted_also_where_it_moved(known):
    assert known.run("lint", **IGNORED).code == 3
    known.write(REFUNDS, TEXT.replace("First.", "First.\n\nSecond.").replace("\n", "\r\n"))
    assert lint(known) == Done(0, "5 files: 0 errors, 0 warnings.\n", "Known from known.json: 2. New: 0.\n")


def test_what_is_new_fails_be_it_a_warning_and_the_same_line_twice_is_known_once(known):
    known.write(REFUNDS, TEXT + "\n[b](gone.md)\n")
    assert lint(known).says(3, "gone.md does not exist", without="nowhere.md")
    assert json.loads(lint(known, "--format", "json").out)["findings"][0]["line"] == 8
    known.write(REFUNDS, TEXT + "\n[a](nowhere.md)\n")
    assert "New: 1." in lint(known).err


def test_what_is_fixed_is_counted_where_all_files_were_looked_at(known):
    known.write(REFUNDS, TEXT.replace("status: live", "status: draft"))
    assert "Fixed since then: 1. To update the file, run `kbsync lint --write-baseline known.json`." in lint(known).err
    assert "Fixed" not in lint(known, "locale:fr").err


CHARGES = "content/en/billing/charges.md"
WITH_WORDS = TEXT.replace("[a](nowhere.md)", "[how refunds work](nowhere.md)").replace("live", "someday soon")
WITHOUT_TITLE = "---\nstatus: draft\n---\nText.\n"


def test_what_moved_with_its_file_is_known_and_what_is_new_there_is_not(project):
    project.write(REFUNDS, WITH_WORDS)
    project.run("lint", "--write-baseline", "known.json", **IGNORED)
    (project.folder / REFUNDS).unlink()
    project.write(CHARGES, WITH_WORDS)
    assert "Known from known.json: 2. New: 0.\n" in lint(project, "locale:en").err
    project.write(CHARGES, WITH_WORDS + "\n[how refunds end](gone.md)\n\n[how refunds work](nowhere.md)\n")
    found = json.loads(lint(project, "locale:en", "--format", "json").out)["findings"]
    places = [(item["path"], item["line"]) for item in found]
    assert places == [("en/billing/charges.md", 8), ("en/billing/charges.md", 10)]


def test_each_finding_of_a_file_that_is_gone_covers_one(project):
    project.write(REFUNDS, WITH_WORDS)
    project.run("lint", "--write-baseline", "known.json", **IGNORED)
    for name in (CHARGES, "content/en/billing/fees.md"):
        project.write(name, WITH_WORDS)
    assert "New: 4." in lint(project, "locale:en").err
    (project.folder / REFUNDS).unlink()
    assert "Known from known.json: 2. New: 2.\n" in lint(project, "locale:en").err


@needs_git
def test_a_line_that_any_file_has_is_known_in_another_one_only_where_git_knows_the_rename(project):
    project.write(REFUNDS, WITHOUT_TITLE)
    project.run("lint", "--write-baseline", "known.json", **IGNORED)
    project.commit()
    (project.folder / REFUNDS).unlink()
    project.write(CHARGES, "---\nstatus: draft\n---\nSomething else, in more words than before.\n")
    assert "Known from known.json: 0. New: 1.\n" in lint(project, "locale:en").err
    project.write(CHARGES, WITHOUT_TITLE)
    # As a plain `mv` leaves it: git has not seen the new file.
    assert "Known from known.json: 1. New: 0.\n" in lint(project, "locale:en").err
    project.write("content/en/billing/fees.md", WITHOUT_TITLE)
    assert "New: 2.\n" in lint(project, "locale:en").err
    (project.folder / "content/en/billing/fees.md").unlink()
    project.commit()
    assert "Known from known.json: 1. New: 0.\n" in lint(project, "locale:en").err


@pytest.mark.parametrize("text", [None, "{", "[]", '{"schema": "kbsync.baseline/9", "findings": {}}'])
def test_a_baseline_that_cannot_be_read_says_how_it_is_written(project, text):
    if text is not None:
        project.write("known.json", text)
    assert lint(project).ended(2, "", "`kbsync lint --write-baseline known.json` writes it.")


def test_one_cannot_be_read_and_written_at_once(project):
    assert project.run("lint", "--baseline", "a", "--write-baseline", "b").code == 2
