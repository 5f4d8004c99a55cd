"""A saved plan is a promise to be checked and nothing to be obeyed: whatever the file says, kbsync plans by itself."""

import json
import os
from collections.abc import Callable
from typing import Any

import pytest

from commands import Done, one_line
from kbsync.sandbox import Sandbox

pytestmark = pytest.mark.slow

INVOICES = "content/en/billing/invoices.md"
KEY = {"KBSYNC_PLAN_KEY": "k" * 32}
DELETES = {"KBSYNC_PUSH__MAX_REMOVALS": "100%"}


def writes(portal: Sandbox) -> list[str]:
    return [f"{request.method} {request.path}" for request in portal.requests if request.method != "GET"]


def edit(remote, change: Callable[[dict[str, Any]], None], path: str = "plan.json", indent: int | None = None) -> None:
    """Change a saved plan by hand."""
    found = json.loads(remote.read(path))
    change(found)
    separators = (",", ":") if indent is None else None
    remote.write(path, json.dumps(found, separators=separators, ensure_ascii=False, indent=indent))


def a_plan_of_an_update(remote, *options: str, **environ: str) -> None:
    """Everything is on the portal, and one title is about to change."""
    assert remote.run("push").code == 0
    remote.write(INVOICES, "---\ntitle: Bills\nposition: 20\nstatus: draft\n---\nText.\n")
    assert remote.run("plan", "--out", "plan.json", *options, **environ).code == 0


def first(found: dict[str, Any]) -> dict[str, Any]:
    return found["plan"]["changes"][0]


TAMPERED: dict[str, Callable[[dict[str, Any]], object]] = {
    "a delete": lambda it: it.update(action="delete", fields=[], path="", was="en/billing/invoices.md"),
    "another slug": lambda it: it["fields"].append({"name": "slug", "before": "invoices", "after": "owned"}),
    "another title": lambda it: it["fields"][0].update(after="Owned"),
    "another article": lambda it: it.update(remote_id=it["remote_id"] + 1),
    "another file": lambda it: it.update(
        path="../../etc/passwd", fields=[{"name": "content", "before": "", "after": "body:1"}]
    ),
    "published": lambda it: it.update(
        action="publish", status="published", fields=[{"name": "status", "before": "draft", "after": "published"}]
    ),
}
"""What somebody makes of a change, by hand."""


@pytest.mark.parametrize("tamper", TAMPERED)
def test_a_change_that_was_edited_in_the_file_is_refused_and_nothing_is_sent(remote, portal, tamper):
    a_plan_of_an_update(remote, **DELETES)
    edit(remote, lambda found: TAMPERED[tamper](first(found)))
    sent = writes(portal)
    done = remote.run("push", "plan.json", **DELETES)
    assert done.code == 4 and "Skipped: 1" in done.out and "Nothing was sent." in done.words, done
    assert "Run `kbsync plan --out plan.json` to plan the rest again." in done.out
    assert writes(portal) == sent
    assert portal.panel.article("invoices").title == "Invoices"


def test_a_change_that_was_put_into_the_file_is_refused_and_the_others_go_out(remote, portal):
    a_plan_of_an_update(remote)
    refunds = portal.panel.article("refunds")

    def add(found: dict[str, Any]) -> None:
        extra = {"action": "delete", "slug": "refunds", "path": "", "remote_id": refunds.id, "title": "R", "fields": []}
        found["plan"]["changes"].append({**first(found), **extra})

    edit(remote, add)
    done = remote.run("push", "plan.json")
    assert done.says(4, "1 article updated", "delete refunds: A new plan would not have this change. Nothing was sent.")
    assert portal.panel.article("invoices").title == "Bills" and portal.panel.article("refunds").id == refunds.id


def test_what_the_file_says_is_settled_or_where_images_are_counts_for_nothing(remote, portal):
    a_plan_of_an_update(remote)

    def settle(found: dict[str, Any]) -> None:
        base = {"kind": "article", "remote_id": portal.panel.article("refunds").id, "locale": "en", "slug": "refunds"}
        found["plan"]["settled"].append({**base, "path": "en/billing/refunds.md", "fields": {"title": "Owned"}})
        found["plan"]["forgotten"].append({**base, "path": "en/billing/refunds.md", "fields": {}})
        found["pictures"] = {"en/billing/invoices.md": {"a": "https://elsewhere.example/x.png"}}

    edit(remote, settle)
    assert remote.run("push", "plan.json").code == 0
    assert remote.run("plan", "--check").code == 0


def test_a_change_that_was_taken_out_of_the_file_stays_undone_and_the_push_says_that_a_new_plan_has_more(
    remote, portal
):
    a_plan_of_an_update(remote)
    edit(remote, lambda found: found["plan"]["changes"].clear())
    sent = writes(portal)
    assert "A new plan would have 1 more change than plan.json." in remote.run("push", "plan.json").err
    assert writes(portal) == sent


def test_a_plan_that_widens_needs_its_options_again_as_seen_from_where_one_stands(pushed, portal):
    portal.panel.edit("invoices", title="Theirs")
    told = pushed.run("plan", "--overwrite", INVOICES, "--publish", "--out", "../plan.json", INVOICES, cwd="content")
    assert told.code == 2
    words = ("plan", "--overwrite", "invoices.md", "--publish", "--out", "p.json", ".")
    assert pushed.run(*words, cwd="content/en/billing").code == 0
    data = pushed.read("content/en/billing/p.json")
    assert json.loads(data)["asked"] == {
        "selectors": ["en/billing"], "overwrite": ["en/billing/invoices.md"], "recreate": False, "publish": True,
        "live": [], "allow_removals": None, "stage": False, "publish_staged": False, "release": "", "now": "",
    }  # fmt: skip
    pushed.write("plan.json", data)
    (pushed.folder / "content/en/billing/p.json").unlink()
    sent = writes(portal)
    for typed in ((), ("--publish",), ("--overwrite", "content/en/billing", "--publish")):
        assert pushed.run("push", "plan.json", *typed).code == 2
    done = pushed.run("push", "plan.json")
    assert "plan.json was made with --overwrite en/billing/invoices.md --publish." in one_line(done.err), done
    assert writes(portal) == sent
    command = done.err.rpartition("`kbsync ")[2].partition("`")[0]
    assert command == f"push plan.json --overwrite {INVOICES} --publish"
    assert pushed.run(*command.split()).code == 0
    assert portal.panel.article("invoices").title == "Invoices"


def test_what_was_published_or_deleted_since_is_refused_with_that_reason(remote, portal):
    a_plan_of_an_update(remote)
    portal.panel.edit("invoices", status=1)
    assert remote.run("push", "plan.json").says(4, "It was published after the plan was made. Nothing was sent.")


def test_a_plan_whose_removals_the_settings_do_not_allow_is_refused(pushed, portal):
    (pushed.folder / INVOICES).unlink()
    pushed.write("content/en/billing/refunds.md", "---\ntitle: Refund a charge\n---\nText.\n")
    allowed = {**DELETES, "KBSYNC_PUSH__REMOVED": "delete"}
    assert "DELETE 1 article" in pushed.run("plan", "--out", "plan.json", **allowed).out
    sent = writes(portal)
    assert pushed.run("push", "plan.json").code == 4
    assert writes(portal) == sent


def test_an_option_that_was_put_into_the_file_is_not_followed(remote, portal):
    a_plan_of_an_update(remote)
    widened = {"recreate": True, "publish": True, "allow_removals": 9, "live": ["."], "overwrite": ["."]}
    edit(remote, lambda found: found["asked"].update(widened))
    sent = writes(portal)
    done = remote.run("push", "plan.json")
    assert done.code == 2 and "--recreate --publish --allow-removals 9" in one_line(done.err), done
    assert "Nothing was sent." in one_line(done.err)
    typed = remote.run("push", "plan.json", "--first-push", "--now", "2030-01-01")
    assert typed.code == 2 and "plan.json was made without --now 2030-01-01." in one_line(typed.err)
    assert writes(portal) == sent


def test_an_overwrite_that_a_person_edited_since_is_skipped_with_the_reason_and_not_called_done(pushed, portal):
    portal.panel.edit("invoices", title="Theirs")
    overwrite = ("--overwrite", INVOICES)
    assert pushed.run("plan", "--out", "plan.json", *overwrite).code == 0
    portal.panel.edit("invoices", title="Theirs, again")
    sent = writes(portal)
    done = pushed.run("push", "plan.json", *overwrite)
    assert done.code == 4 and "Skipped: 1" in done.out and "done already" not in done.out, done
    assert "Changed on the portal after the plan was made: title. Nothing was sent." in done.words
    assert writes(portal) == sent and portal.panel.article("invoices").title == "Theirs, again"
    portal.panel.edit("invoices", title="Invoices")
    assert "Everything in plan.json is done already." in pushed.run("push", "plan.json", *overwrite).out


# --- signatures ------------------------------------------------------------------------------------------------------


def test_with_a_key_a_plan_is_signed_and_goes_out(remote):
    a_plan_of_an_update(remote, "--publish", **KEY)
    assert '"signature":"hmac-sha256:' in remote.read("plan.json")
    assert remote.run("push", "plan.json").code == 2
    assert remote.run("push", "plan.json", **KEY).says(0, err="plan.json was made with --publish.")


def test_with_a_key_a_plan_without_a_signature_or_with_a_wrong_one_is_refused(remote):
    a_plan_of_an_update(remote)
    done = remote.run("push", "plan.json", **KEY)
    assert done.code == 4 and "plan.json: This saved plan is not signed. Nothing was sent." in done.err
    remote.run("plan", "--out", "plan.json", KBSYNC_PLAN_KEY="another key")
    assert remote.run("push", "plan.json", **KEY).says(4, err="signed with another key")
    remote.run("plan", "--out", "plan.json", **KEY)
    edit(remote, lambda found: found["asked"].update(recreate=True))
    assert remote.run("push", "plan.json", **KEY).says(4, err="was changed after it was signed")


@pytest.mark.parametrize("blank", ["", " "])
def test_with_a_key_that_nobody_filled_in_no_plan_goes_out(remote, portal, blank):
    """As a secret of the CI is that does not exist; the signature would not be checked."""
    a_plan_of_an_update(remote)
    before = len(portal.requests)
    assert remote.run("push", "plan.json", KBSYNC_PLAN_KEY=blank).says(2, err="KBSYNC_PLAN_KEY is set and has no value")
    assert not [request for request in portal.requests[before:] if request.method != "GET"]


def test_a_signed_plan_may_be_laid_out_anew_and_needs_no_key_where_none_is_set(remote):
    a_plan_of_an_update(remote, **KEY)
    edit(remote, lambda found: None)
    assert remote.run("push", "plan.json", **KEY).code == 0
    edit(remote, lambda found: None, indent=2)  # As `jq .` does.
    assert remote.run("push", "plan.json").code == 0


# --- files that are made to harm -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    ['{"schema":"kbsync.saved-plan/2"' + ',"x":' + "[" * 100_000, '{"schema":"kbsync.saved-plan/2"}',
     '{"schema":"kbsync.saved-plan/1","plan":{}}', '{"schema":"kbsync.saved-plan/2","tree":"\\ud800"}'],
)  # fmt: skip
def test_a_file_that_is_no_plan_is_refused_in_one_sentence(remote, text):
    remote.write("plan.json", text)
    done = remote.run("push", "plan.json")
    assert done.code == 4 and done.err.startswith("kbsync: plan.json: "), done


@pytest.mark.parametrize(
    ("place", "key"), [("changes", "action"), ("changes", "kind"), ("held", "reason"), ("held", "kind")]
)
def test_a_word_that_is_not_known_is_refused_without_being_copied(project, place, key):
    assert project.run("plan", "--out", "plan.json").code == 0
    held = {"reason": "drift", "kind": "article", "locale": "en", "slug": "x", "path": "", "remote_id": 1}
    words = held | {"fields": [], "hint": ""} | {key: "approved"}

    def tamper(found: dict[str, Any]) -> None:
        found["plan"][place] = [first(found) | {key: "approved"}] if place == "changes" else [words]

    edit(project, tamper)
    for command in (("push", "plan.json"), ("diff", "--plan", "plan.json"), ("comment", "--dry-run", "plan.json")):
        done = project.run(*command)
        assert done.code in (2, 4) and f"Unknown word - at `$.plan.{place}[0].{key}`" in one_line(done.err), done
        assert "approved" not in done.out + done.err


# --- files that are no plan ------------------------------------------------------------------------------------------


@pytest.fixture
def planned(project):
    """A plan in `handbook.plan`, and beside it what somebody may name by mistake."""
    assert project.run("plan", "--out", "handbook.plan").code == 0
    text = project.read("handbook.plan")
    project.write("cut.plan", text[:300])
    project.write("edited.plan", text.replace("{", "["))
    project.write("empty.plan", "")
    project.write("shown.json", project.run("plan", "--format", "json").out)
    project.write("content/en/billing/images/a.png", "\x89PNG")
    (project.folder / "plans").mkdir()
    (project.folder / "loop.plan").symlink_to("loop.plan")
    os.mkfifo(project.folder / "pipe.plan")
    return project


NO_PLAN = "is neither a plan from `kbsync plan --out` nor a Markdown file."
MAKE_ONE = "Make a plan with `kbsync plan --out FILE`, then push that file."
NO_PLANS = {
    "handbok.plan": ("`handbok.plan` does not exist.", "Did you mean `kbsync push handbook.plan`?"),
    "other/handbook.plan": ("`other/handbook.plan` does not exist.", MAKE_ONE),
    "nosuch.json": ("`nosuch.json` does not exist.", MAKE_ONE),
    "edited.plan": (f"`edited.plan` {NO_PLAN}", MAKE_ONE),
    "empty.plan": (f"`empty.plan` {NO_PLAN}", MAKE_ONE),
    "shown.json": (f"`shown.json` {NO_PLAN}", MAKE_ONE),
    "kbsync.toml": (f"`kbsync.toml` {NO_PLAN}", MAKE_ONE),
    "loop.plan": (f"`loop.plan` {NO_PLAN}", MAKE_ONE),
    "pipe.plan": (f"`pipe.plan` {NO_PLAN}", MAKE_ONE),
    "content/en/billing/images/a.png": (f"`content/en/billing/images/a.png` {NO_PLAN}", MAKE_ONE),
    "plans": ("`plans` is a folder without any of your files.", MAKE_ONE),
}


def test_a_file_that_is_no_plan_is_named_with_what_to_do(planned):
    for name, (message, hint) in NO_PLANS.items():
        assert planned.run("push", name) == Done(2, "", f"kbsync: {message}\n  {hint}\n")
    assert planned.run("plan", "--check").code == 10


def test_a_plan_that_is_cut_off_is_refused_with_the_command_that_makes_it_anew(planned):
    done = planned.run("push", "cut.plan")
    assert (done.code, done.out) == (4, "")
    message = "This saved plan is damaged, or was made by another version of kbsync: "
    assert done.err.startswith(f"kbsync: cut.plan: {message}")
    assert done.err.endswith("\n  Make a new one with `kbsync plan --out cut.plan`.\n")


def test_folders_files_and_words_are_selectors_as_ever(planned):
    for selector in ("content/en/billing", "en/billing/refunds.md", "category:billing", ".", "content"):
        assert planned.run("push", selector).code == 0, selector
    assert "No file, category or locale matches `nosuch`" in planned.run("push", "nosuch").err
