"""Publishing at a date and with a release, as a user sees it."""

import json

import pytest

from kbsync.sandbox import Sandbox

pytestmark = pytest.mark.slow

FOLDER = "content/en/billing"
PUBLISHED = 1


def article(title: str, keys: str = "") -> str:
    return f"---\ntitle: {title}\nstatus: published\n{keys}---\nText.\n"


@pytest.fixture
def waiting(remote):
    """A project with two drafts of a release and one that waits for a date."""
    remote.write(f"{FOLDER}/new-one.md", article("One", "release: 5.10\n"))
    remote.write(f"{FOLDER}/new-two.md", article("Two", 'release: "5.10"\n'))
    remote.push({f"{FOLDER}/prices.md": article("Prices", "publish_on: 2099-12-01T09:00+01:00\n")})
    return remote


def published(portal: Sandbox) -> list[str]:
    return sorted(found.slug for found in portal.panel.articles("handbook") if found.status == PUBLISHED)


@pytest.mark.parametrize("columns", ["60", "100"])
def test_a_plan_lists_what_waits_and_for_what(waiting, columns):
    told = waiting.run("plan", COLUMNS=columns).out
    words = " ".join(told.split())
    assert "Waiting: 1 until 1 December 2099 09:00 (+01:00), 2 for release 5.10" in words
    assert "en/billing/prices.md until 1 December 2099 09:00 (+01:00)" in words
    assert "To publish this release, run `kbsync push --release 5.10`." in words
    assert max(map(len, told.splitlines())) <= int(columns)


@pytest.mark.parametrize("form", ["text", "markdown", "json"])
def test_status_says_what_waits(waiting, form):
    told = waiting.run("status", "--format", form).words
    assert "1 until 1 December 2099 09:00 (+01:00), 2 for release 5.10" in told.replace("\\", "")


def test_json_has_what_waits_and_counts_it(waiting):
    for command in ("plan", "push"):
        found = json.loads(waiting.run(command, "--format", "json").out)
        assert found["summary"]["waiting"] == 3
        by_path = {item["path"]: (item["until"], item["release"]) for item in found["waiting"]}
        assert by_path["en/billing/prices.md"] == ("2099-12-01T09:00:00+01:00", None)
        assert by_path["en/billing/new-one.md"] == (None, "5.10")


def test_markdown_and_the_comment_have_it_too(waiting, tmp_path):
    summary = waiting.run("plan", "--format", "markdown").out
    assert "Published later: 3" in summary and "| 5.10 |" in summary
    waiting.write("plan.json", waiting.run("plan", "--format", "json").out)
    told = waiting.run("comment", "--dry-run", "plan.json").out
    assert "Published later" in told and "2099-12-01T09:00:00+01:00" in told


def test_a_release_is_planned_pushed_and_reversed(waiting, portal: Sandbox):
    plan = waiting.run("plan", "--release", "5.10")
    assert "Publish 2 articles, together" in plan.out and "prices" not in plan.out
    assert "Run `kbsync push --release 5.10` to make these changes." in plan.out
    done = waiting.run("push", "--release", "5.10")
    assert (done.code, done.out.splitlines()[0]) == (0, "2 articles published"), done
    assert published(portal) == ["new-one", "new-two"]
    assert len([request for request in portal.requests if request.path.endswith("bulk_actions/update_status")]) == 1
    assert waiting.run("undo", "2", "--yes").says(0, "2 articles unpublished")
    assert published(portal) == []
    assert "2 for release 5.10" in waiting.run("plan").out


def test_the_command_below_a_plan_publishes_what_that_plan_shows(waiting):
    told = waiting.run("plan", "--publish", "--now", "2099-12-02").out
    assert "Run `kbsync push --publish --now 2099-12-02` to make this change." in told


def test_undo_makes_drafts_of_a_release_also_where_somebody_edited_a_text_since(waiting, portal: Sandbox):
    waiting.run("push", "--release", "5.10")
    portal.panel.edit("new-one", content="Theirs.")
    assert waiting.run("undo", "2", "--yes").code == 0
    assert published(portal) == [] and portal.panel.article("new-one").content == "Theirs."


def test_a_saved_plan_of_a_release_publishes_it_and_one_of_a_rehearsal_says_so(waiting, portal: Sandbox):
    assert waiting.run("plan", "--release", "5.10", "--out", "release.plan").code == 0
    assert waiting.run("push", "release.plan").says(2, err="release.plan was made with --release 5.10.")
    assert waiting.run("push", "release.plan", "--release", "5.10").code == 0
    assert published(portal) == ["new-one", "new-two"]
    assert waiting.run("plan", "--publish", "--now", "2100-01-01", "--out", "later.plan").code == 0
    assert waiting.run("push", "later.plan", "--publish").says(2, err="--now 2100-01-01")
    assert waiting.run("push", "later.plan", "--publish", "--now", "2100-01-01").code == 0
    assert "prices" in published(portal)


def test_a_release_that_no_file_has_is_refused_with_those_that_there_are(waiting):
    done = waiting.run("push", "--release", "6")
    assert done.code == 2 and "No article with `status: published` has the release `6`." in done.err
    assert "The releases in your files are: 5.10." in done.err
    assert "Did you mean `5.10`?" in waiting.run("plan", "--release", "5.1").err
    assert waiting.run("plan", "--release", "5.10", FOLDER).says(2, err="Selectors cannot be added")


@pytest.mark.parametrize("option", ["--release", "--now"])
def test_an_option_without_a_value_pushes_nothing(waiting, portal: Sandbox, option):
    waiting.write(f"{FOLDER}/other.md", article("Other"))
    assert waiting.run("push", option, "").says(2, err=(option, "It has no value."))
    assert portal.panel.article("other") is None


@pytest.mark.parametrize("now", ["tomorrow", "2026-12-01 09:00", "2026-13-01"])
def test_a_moment_that_is_not_clear_is_refused(waiting, now):
    done = waiting.run("plan", "--now", now)
    assert done.code == 2 and f"--now: `{now}` is not a date, nor a date and time with a zone." in done.err


def test_offline_a_release_is_planned_as_the_ledger_has_it(waiting):
    assert "Publish 2 articles, together" in waiting.run("plan", "--offline", "--release", "5.10").out


def test_a_status_that_somebody_changed_is_decided_with_the_command_of_the_hint(waiting, portal: Sandbox):
    portal.panel.edit("new-one", status=2)
    assert "kbsync resolve en/billing/new-one.md --release 5.10" in waiting.run("plan", "--release", "5.10").out
    done = waiting.run("resolve", "en/billing/new-one.md", "--release", "5.10", "--ours")
    assert done.code == 0 and "en/billing/new-one.md  status: ours" in done.out, done
    assert waiting.run("push", "--release", "5.10").code == 0
    assert published(portal) == ["new-one", "new-two"]
