"""The version of the service, as the commands show it: set in kbsync.toml, read from the service, or unknown."""

import json
from dataclasses import replace

import pytest

from cli.conftest import Project
from commands import one_line
from kbsync.sandbox import V4_10, V4_16, Behaviour, Fault, Sandbox
from kept import forget

MADE_UP = {"5.2": "newer than kbsync knows. kbsync takes it for 4.18.", "3.9": "older than kbsync knows."}


def version_of(project: Project, *command: str) -> str:
    """What the JSON of a command says."""
    return json.loads(project.run(*command, "--format", "json").out)["target"]["version"]


def times_asked(portal: Sandbox) -> int:
    return sum(request.path == "/api" for request in portal.requests)


@pytest.mark.parametrize(
    ("portal", "version"), [(V4_10, "4.10.0"), (V4_16, "4.16.2")], ids=["4.10", "4.16"], indirect=["portal"]
)
def test_the_version_is_in_plans_pushes_and_the_ledger(remote, version):
    assert version_of(remote, "plan") == version
    assert version_of(remote, "push") == version
    assert version_of(remote, "plan") == version
    assert version_of(remote, "plan", "--offline") == version
    assert json.loads(remote.run("ledger", "show", "1", "--format", "json").out)["version"] == version
    assert f"version {version} of the service" in remote.run("ledger", "show", "1").out
    remote.run("undo", "1", "--yes")
    assert json.loads(remote.run("ledger", "show", "2", "--format", "json").out)["version"] == version


def test_a_push_asks_once_and_a_plan_with_nothing_to_do_does_not(pushed, portal):
    assert times_asked(portal) == 1
    pushed.run("plan")  # what the push made is new on the portal
    before = times_asked(portal)
    for _ in range(3):
        assert pushed.run("plan").code == 0
    assert times_asked(portal) - before <= 3
    assert pushed.run("push").code == 0
    assert version_of(pushed, "plan") == "4.16.2"


def test_a_plan_from_memory_asks_for_the_version_again_after_ten_minutes_or_knows_it_from_a_check(pushed, portal):
    assert version_of(pushed, "plan") == "4.16.2"
    before = times_asked(portal)
    assert version_of(pushed, "plan") == "4.16.2"
    assert times_asked(portal) == before
    portal.faults.add(Fault("junk", path=r"^/api$", junk='{"version": "4.12.3"}'))
    assert "4.12.3" in pushed.run("check").out
    assert [version_of(pushed, "plan"), version_of(pushed, "plan")] == ["4.12.3"] * 2
    # As after ten minutes: what the service said is too old to count.
    forget(pushed.folder, "version")
    forget(pushed.folder, "portal")
    assert version_of(pushed, "plan") == "4.16.2"


def test_a_version_that_is_set_is_not_asked_for(remote, portal):
    for command in ("plan", "push", "plan"):
        done = remote.run(command, "--format", "json", KBSYNC_SERVICE__VERSION="4.10")
        assert json.loads(done.out)["target"]["version"] == "4.10"
    assert times_asked(portal) == 0
    # Nobody takes what was set once for what the service said.
    assert version_of(remote, "plan") == "4.16.2"


def test_a_wrong_version_is_refused_with_the_line_and_a_number_is_not_repeated_for_it_may_be_another(project):
    project.config('[service]\nbase_url = "sandbox"\nversion = "newest"\n')
    said = "kbsync.toml:3: `[service] version`: Expected a version such as \"4.16\", found 'newest'."
    assert project.run("plan").says(2, err=said)
    project.config('[service]\nbase_url = "sandbox"\nversion = 4.10\n')
    assert project.run("plan").says(2, err="Put it in quotes.", without='"4.1"')


@pytest.mark.parametrize(
    ("portal", "words"),
    [(Behaviour(version=version), words) for version, words in MADE_UP.items()],
    ids=[*MADE_UP],
    indirect=["portal"],
)
def test_a_version_beyond_what_kbsync_knows_is_told_once_in_check_plan_and_push(remote, words):
    assert remote.run("check").says(0, "note  version:", words=words)
    plan = remote.run("plan", "-v")
    assert plan.code == 0
    assert plan.words.count(words) == 1
    for command in (("plan",), ("plan", "--format", "markdown"), ("push",), ("push",), ("plan",)):
        done = remote.run(*command)
        assert done.code == 0
        assert one_line(done.out + done.err).count(words) == 1, command


@pytest.mark.parametrize("portal", [Behaviour(version="4.23.1")], ids=["4.23"], indirect=True)
def test_surprise_144_verify_takes_a_newer_version_for_the_newest_known_one_and_says_so(remote):
    words = "Version 4.23 of the service is newer than kbsync knows. kbsync takes it for 4.18."
    remote.push({"content/en/billing/live.md": "---\ntitle: Live\nstatus: published\n---\nText.\n"}, "--publish")
    for form in ("text", "markdown"):
        done = remote.run("verify", "--format", form)
        assert done.code == 0 and done.words.count(words) == 1, done.out
    assert version_of(remote, "verify") == "4.23.1"


def test_a_newer_version_as_an_option_is_taken_for_the_newest_known_one_and_says_so(project):
    project.write("content/en/billing/table.md", "---\ntitle: Table\n---\n| a |\n| --- |\n| b |\n")
    words = "Version 5.0 of the service is newer than kbsync knows. kbsync takes it for 4.18."
    for command in (
        ("preview", "--build", "out", "--service", "5.0"),
        ("lint", "--service", "5.0", "--against", "4.10"),
    ):
        done = project.run(*command)
        assert one_line(done.err).count(words) == 1, done.err
        assert done.code == 0
    assert "KB416" in done.out
    assert any("tableWrapper" in path.read_text("utf-8") for path in (project.folder / "out").rglob("*.html"))
    assert words in one_line(project.run("preview", "--build", "other", KBSYNC_SERVICE__VERSION="5.0.1").err)
    assert project.run("lint", "--service", "newest", "--against", "4.10").says(2, err="'4.10', '4.16'")


@pytest.mark.parametrize(
    "fault",
    [Fault("status", status=404), Fault("junk"), Fault("junk", junk='{"version": [4]}'), Fault("redirect")],
    ids=["404", "html", "json", "redirect"],
)
def test_a_service_that_does_not_tell_works_as_the_newest_and_only_check_says_so(remote, portal, fault):
    portal.faults.add(replace(fault, path="^/api$", times=99))
    assert version_of(remote, "plan") == ""
    push = remote.run("push")
    assert push.code == 0
    assert "version" not in push.out + push.err
    assert remote.run("check").says(0, "note  version:     The service does not tell. kbsync takes it for 4.18.")


def test_check_says_what_is_set_and_that_the_service_says_something_else(remote):
    done = remote.run("check", KBSYNC_SERVICE__VERSION="4.10")
    assert "note  version:     4.10, as kbsync.toml says. The service says 4.16.2." in done.out
    same = remote.run("check", KBSYNC_SERVICE__VERSION="4.16")
    assert "ok    version:     4.16; kbsync was tested with 4.2, 4.10 and 4.16" in same.out


# --- what depends on it in the files


def levels(out: str) -> dict[str, str]:
    """What was found of the two rules."""
    found = json.loads(out)["findings"]
    return {finding["code"]: finding["level"] for finding in found if finding["code"] in {"KB209", "KB211"}}


def test_reserved_slugs_and_empty_drafts_are_those_of_the_version_that_is_set(project):
    project.write("content/en/billing/search.md", "---\ntitle: Find\nslug: search\n---\nText.\n")
    project.write("content/en/billing/empty.md", "---\ntitle: Empty\nstatus: draft\n---\n")

    def codes(version: str) -> dict[str, str]:
        return levels(project.run("lint", "--format", "json", KBSYNC_SERVICE__VERSION=version).out)

    for _ in range(2):  # the second time from memory
        assert codes("4.10") == {"KB211": "error"}
        assert codes("4.16") == {"KB209": "error"}
    done = project.run("lint", "--format", "json")
    assert levels(done.out) == {"KB209": "error", "KB211": "warning"}
    hints = {finding["code"]: finding["hint"] for finding in json.loads(done.out)["findings"]}
    # Each says what lifts it, where it depends on a version that nobody set.
    assert "if yours is older, set its version under [service]" in hints["KB209"]
    assert "If yours is newer, set `version` under [service]" in hints["KB211"]
    known = project.run("lint", KBSYNC_SERVICE__VERSION="4.16").out
    assert "KB209" in known and "[service]" not in known


@pytest.mark.parametrize("portal", [V4_10], ids=["4.10"], indirect=True)
def test_surprise_117_an_empty_draft_is_held_before_anything_is_sent_where_the_service_takes_none(remote, portal):
    path = "content/en/billing/empty.md"
    remote.write(path, "---\ntitle: Empty\n---\n")
    plan = remote.run("plan")
    assert plan.says(4, "en/billing/empty.md  needs version 4.16 or newer: body\n")
    assert "This portal runs version 4.10.0, which takes no articles without a body." in plan.words
    assert remote.run("push").code == 4
    assert not any(request.status in (422, 500) for request in portal.requests)
    remote.push({path: "---\ntitle: Empty\n---\nText.\n"})
    # The text that is there goes on being there, whichever way the plan is made.
    remote.run("plan")
    remote.write(path, "---\ntitle: Empty\n---\n \n")
    assert [remote.run("plan", *options).code for options in ((), ("--full",), ("--offline",))] == [4, 4, 4]
    assert remote.run("push").code == 4
    assert portal.panel.article("empty").content.strip() == "Text."


def test_surprise_117_the_body_of_a_live_article_is_not_emptied(remote, portal):
    path = "content/en/billing/live.md"
    remote.push({path: "---\ntitle: Live\nstatus: published\n---\nText.\n"}, "--publish")
    remote.write(path, "---\ntitle: Alive\nstatus: draft\n---\n\n")
    assert "KB211" not in remote.run("lint", KBSYNC_SERVICE__VERSION="4.16").out
    for command in (("plan",), ("plan", "--stage"), ("push",)):
        assert remote.run(*command).says(4, words="the service takes no published article without a body")
    assert not any(request.status == 422 for request in portal.requests)
    article = portal.panel.article("live")
    assert (article.title, article.content) == ("Alive", "Text.\n")


def test_lint_compares_with_the_version_that_is_set_unless_that_is_the_one_before_an_upgrade(project):
    project.write("content/en/billing/table.md", "---\ntitle: Table\n---\n| a |\n| --- |\n| b |\n")

    def differs(against: str, version: str) -> bool:
        return "KB416" in project.run("lint", "--against", against, KBSYNC_SERVICE__VERSION=version).out

    assert [differs("4.10", "4.16"), differs("4.16", "4.10"), differs("4.10", "4.10")] == [True] * 3
    assert not differs("4.10", "4.12")


@pytest.mark.parametrize(("version", "wrapped"), [("4.10", False), ("4.16", True), ("5.2", True)])
def test_the_preview_renders_as_the_version_that_is_set(project, version, wrapped):
    project.write("content/en/billing/table.md", "---\ntitle: Table\n---\n| a |\n| --- |\n| b |\n")
    assert project.run("preview", "--build", "out", KBSYNC_SERVICE__VERSION=version).code == 0
    pages = "".join(path.read_text("utf-8") for path in (project.folder / "out").rglob("*.html"))
    assert "<table>" in pages
    assert ("tableWrapper" in pages) == wrapped
    assert project.run("preview", "--build", "old", "--service", "4.10", KBSYNC_SERVICE__VERSION=version).code == 0
    pages = "".join(path.read_text("utf-8") for path in (project.folder / "old").rglob("*.html"))
    assert '<div class="tableWrapper"' not in pages


# --- other lines of check


@pytest.mark.parametrize("portal", [Behaviour(accounts_without_api=frozenset({1}))], ids=["no-api"], indirect=True)
def test_surprise_141_an_account_without_the_api_is_one_clear_line(remote, portal):
    done = remote.run("check")
    assert done.says(5, "bad   api:         The plan of account 1 does not include the API.")
    assert "The token works. Ask the people who run the service" in done.words
    assert "Skipped until the connection works." in done.out


def test_surprise_135_a_hidden_locale_is_a_note(remote, portal):
    portal.panel.sql("""UPDATE portals SET config = json_set(config, '$.draft_locales', json_array('fr'))""")
    assert remote.run("check").says(0, "note  locales:     Locale fr is hidden from the portal's language menu.")


def test_limits_are_told_and_no_upload_is_spent_on_them(remote, portal):
    done = remote.run("check", KBSYNC_PACE__REQUESTS_PER_MINUTE="1200", KBSYNC_PACE__UPLOADS_PER_HOUR="60")
    assert "ok    requests:    kbsync sends at most 1,200 a minute. The service allows 3,000 from one" in done.out
    assert "ok    uploads:     at most 60 images an hour, for the whole account" in done.out
    assert not any(request.path.endswith("/upload") for request in portal.requests)
    fast = remote.run("check", KBSYNC_PACE__REQUESTS_PER_MINUTE="6000")
    assert "note  requests:" in fast.out and "Lower [pace] requests_per_minute." in fast.out
