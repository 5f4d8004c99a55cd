"""What commands print is valid by `kbsync schema`, and has nothing that the schema does not describe."""

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from kbsync.sandbox import Sandbox

BROKEN = "---\ntitle: Broken\nstatus: live\n---\nSee [this](nowhere.md).\n"
NAMES = [
    "plan", "push", "lint", "check", "verify", "status", "diff", "history", "handoff", "translate", "ledger", "config",
    "portal", "front-matter",
]  # fmt: skip


def strict(found: Any) -> Any:
    """The schema, with no key allowed that it does not name."""
    if isinstance(found, list):
        return [strict(inner) for inner in found]
    if not isinstance(found, dict):
        return found
    inner = {key: strict(value) for key, value in found.items()}
    return inner | ({"additionalProperties": False} if isinstance(found.get("properties"), dict) else {})


def check(project, name: str, text: str) -> Any:
    """The value, which is valid."""
    printed = project.run("schema", name)
    assert (printed.code, printed.err) == (0, "")
    schema, value = json.loads(printed.out), json.loads(text)
    for each in (schema, strict(schema)):
        assert [error.message for error in Draft202012Validator(each).iter_errors(value)] == []
    return value


def test_it_needs_no_project_lists_the_names_and_tells_what_is_misspelt(project):
    (project.folder / "kbsync.toml").unlink()
    done = project.run("schema")
    assert (done.code, [line.split()[0] for line in done.out.splitlines()]) == (0, NAMES)
    assert project.run("schema", "config").code == 0
    assert project.run("schema", "plans").ended(2, "", "Did you mean `plan`?")


def test_plans_of_every_kind_are_valid(remote, portal: Sandbox):
    check(remote, "plan", remote.run("plan", "--format", "json").out)
    assert remote.run("push").code == 0
    portal.panel.edit("invoices", title="Bills")
    portal.panel.publish("refunds")
    portal.panel.create("handbook", "Other", "Text", slug="other-one")
    remote.write("content/en/billing/refunds.md", "---\ntitle: Refunds\ntags: [a, b]\n---\nSee [this](nowhere.md).\n")
    plan = check(remote, "plan", remote.run("plan", "--unmanaged", "--format", "json").out)
    assert plan["changes"] and plan["held"] and plan["findings"] and plan["unmanaged"]
    remote.write("content/en/billing/refunds.md", BROKEN)
    assert check(remote, "plan", remote.run("plan", "--format", "json").out)["findings"]


def test_pushes_and_undos_are_valid(remote, portal: Sandbox):
    (remote.folder / "content/en/billing/a.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(64))
    remote.write("content/en/billing/images.md", "---\ntitle: Images\n---\n![words](a.png)\n")
    first = check(remote, "push", remote.run("push", "--format", "json").out)
    assert {change["kind"] for change in first["changes"]} >= {"category", "article"}
    portal.panel.edit("invoices", title="Bills")
    remote.write("content/en/billing/refunds.md", "---\ntitle: Refunds\n---\nText.\n")
    assert check(remote, "push", remote.run("push", "--format", "json").out)["held"]
    assert check(remote, "push", remote.run("undo", "2", "--yes", "--format", "json").out)["changes"]
    remote.write("content/en/billing/refunds.md", BROKEN)
    assert check(remote, "push", remote.run("push", "--format", "json").out)["findings"]


def test_what_readers_see_is_valid(remote, portal: Sandbox):
    remote.write("content/en/billing/refunds.md", "---\ntitle: Refunds\nstatus: published\n---\nText.\n")
    assert check(remote, "verify", remote.run("verify", "--format", "json").out)["summary"]["not_published"] == 1
    assert remote.run("push", "--publish").code == 0
    portal.panel.edit("refunds", content="Other text.")
    found = check(remote, "verify", remote.run("verify", "--all", "--format", "json").out)["articles"]
    assert [item["result"] for item in found] == ["differs"]


def test_findings_are_valid(project):
    project.write("content/en/billing/refunds.md", BROKEN + "\nAsk <name>.\n")
    assert check(project, "lint", project.run("lint", "--format", "json").out)["findings"]
    assert check(project, "lint", project.run("lint", "--format", "json", "locale:fr").out)


@pytest.mark.parametrize("token", ["admin-token-0001", "wrong"])
def test_what_was_checked_is_valid_and_ends_with_the_code_of_the_text(remote, token):
    text = remote.run("check", KBSYNC_TOKEN=token)
    done = remote.run("check", "--format", "json", KBSYNC_TOKEN=token)
    found = check(remote, "check", done.out)["checks"]
    assert done.code == text.code == next((entry["code"] for entry in found if entry["code"]), 0)
    shown = [line.split()[0] for line in text.out.splitlines() if line[:1].strip()]
    assert shown == [entry["mark"] for entry in found]


def test_an_export_of_the_ledger_is_valid_and_can_be_imported(pushed):
    done = pushed.run("ledger", "export")
    assert len(check(pushed, "ledger", done.out)["tables"]["item"]) == 5
    pushed.write("export.json", done.out)
    pushed.environ["KBSYNC_LEDGER__URL"] = "sqlite:.kbsync/other.db"
    assert pushed.run("ledger", "import", "export.json").code == 0
