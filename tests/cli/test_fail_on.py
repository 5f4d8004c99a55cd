"""What a job may fail on: `plan --fail-on`, alone and together, and `plan --check` as it always was."""

from itertools import chain

import pytest

from kbsync.cli.plan import FAILURES, exit_code
from kbsync.model import Action, Change, Held, Plan, Reason, Target
from kbsync.sandbox import Sandbox

TARGET = Target("sandbox", 1, "handbook", "chatwoot")
CHANGE = Change(
    action=Action.UPDATE, kind="article", locale="en", slug="refunds", path="en/refunds.md", remote_id=7,
    title="Refunds",
)  # fmt: skip
ADOPTION = Change(
    action=Action.ADOPT, kind="article", locale="en", slug="refunds", path="en/refunds.md", remote_id=7, title="Refunds"
)


def held(reason: Reason) -> Held:
    return Held(
        reason=reason, kind="article", locale="en", slug="invoices", path="en/invoices.md", remote_id=8,
        fields=("title",), hint="decide",
    )  # fmt: skip


def plan(*changes: Change, reason: Reason | None = None) -> Plan:
    return Plan(TARGET, changes, () if reason is None else (held(reason),))


@pytest.mark.parametrize(
    ("found", "changes", "anything", "drift"),
    [
        (plan(), 0, 0, 0), (plan(ADOPTION), 0, 0, 0), (plan(CHANGE), 10, 0, 0),
        (plan(reason=Reason.DRIFT), 0, 4, 4), (plan(CHANGE, reason=Reason.CONFLICT), 10, 4, 4),
        (plan(CHANGE, reason=Reason.GONE), 10, 4, 4), (plan(CHANGE, reason=Reason.UNSUPPORTED), 10, 4, 0),
        (plan(reason=Reason.UNKNOWN), 0, 4, 0), (plan(reason=Reason.LIVE), 0, 4, 0),
    ],
)  # fmt: skip
def test_each_choice_fails_on_its_own_thing_and_on_nothing_else(found, changes, anything, drift):
    assert [exit_code(found, fail_on=[word]) for word in FAILURES] == [changes, anything, drift]
    assert exit_code(found, fail_on=FAILURES) == (anything or changes)


def test_a_job_can_tell_an_edit_in_the_panel_from_a_change_that_was_not_pushed(pushed, portal: Sandbox):
    pushed.write("content/en/billing/refunds.md", "---\ntitle: Get your money back\n---\nText.\n")

    def codes() -> dict[str, int]:
        given = {word: pushed.run("plan", "--fail-on", word).code for word in FAILURES}
        every = chain.from_iterable(("--fail-on", word) for word in FAILURES)
        return given | {"all": pushed.run("plan", *every).code, "check": pushed.run("plan", "--check").code}

    assert codes() == {"changes": 10, "held": 0, "drift": 0, "all": 10, "check": 10}
    portal.panel.edit("invoices", title="Bills")
    assert codes() == {"changes": 10, "held": 4, "drift": 4, "all": 4, "check": 4}
    assert pushed.run("plan").code == 4


def test_an_unknown_choice_is_named_with_those_that_there_are(project):
    assert project.run("plan", "--fail-on", "everything").says(2, err="'changes', 'held', 'drift'")
