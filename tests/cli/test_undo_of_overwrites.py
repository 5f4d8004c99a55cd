"""What an overwrite replaced was somebody's edit: once it is put back, it is held again."""

import pytest

from kbsync.sandbox import Sandbox

pytestmark = pytest.mark.slow

INVOICES = "content/en/billing/invoices.md"
OURS = "---\ntitle: Bills\nposition: 20\n---\nOur text.\n"


@pytest.fixture
def overwritten(pushed, portal: Sandbox):
    """Run 2 sent our title and text over those of the panel, and run 3 put them back."""
    portal.panel.edit("invoices", title="Theirs", content="Their text.")
    pushed.push({INVOICES: OURS}, "--overwrite", INVOICES)
    assert pushed.run("undo", "2", "--yes").says(0, err="the edit from the panel is back", without="will redo this")
    return pushed


def at(portal: Sandbox) -> tuple[str, str]:
    article = portal.panel.article("invoices")
    return article.title, article.content


def test_after_the_undo_of_an_overwrite_a_push_holds_what_it_replaced(overwritten, portal):
    assert overwritten.run("plan").says(4, "edited in both places: title, body")
    assert overwritten.run("push").code == 4
    assert at(portal) == ("Theirs", "Their text.")


def test_with_the_commit_reverted_too_it_is_the_edit_that_was_there_before(overwritten):
    overwritten.write(INVOICES, "---\ntitle: Invoices\nposition: 20\n---\nText.\n")
    assert "edited in the panel: title, body" in overwritten.run("plan").out


@pytest.mark.parametrize(
    ("before", "plan"),
    [
        pytest.param((), (), id="held"),
        pytest.param(("resolve", INVOICES, "--theirs"), (), id="left by a decision"),
        pytest.param(("plan", "--overwrite", INVOICES, "--out", "plan.json"), ("plan.json",), id="in a saved plan"),
    ],
)
def test_an_edit_that_was_overwritten_is_one_of_the_panel_again(pushed, portal, before, plan):
    portal.panel.edit("invoices", title="Theirs")
    if before:
        pushed.run(*before)
    assert pushed.run("push", *plan, "--overwrite", INVOICES).code == 0
    assert pushed.run("undo", "2", "--yes").code == 0
    assert portal.panel.article("invoices").title == "Theirs"
    assert "edited in the panel: title" in pushed.run("plan").out


def test_fields_beside_it_that_were_only_updated_go_out_again(pushed, portal):
    portal.panel.edit("invoices", title="Theirs")
    pushed.push({INVOICES: OURS}, "--overwrite", INVOICES)
    said = pushed.run("undo", "2", "--yes").err
    assert said.index("the edit from the panel is back") < said.index("the next push will redo everything else.")
    plan = pushed.run("plan")
    assert "edited in both places: title\n" in plan.out and "body: changed" in plan.out


@pytest.mark.parametrize(("category", "field"), [("fr/billing", "locale"), ("en/other", "category")])
def test_of_an_article_that_was_moved_in_the_panel_it_says_only_that_the_move_is_back(remote, portal, category, field):
    remote.push({"content/en/other/_category.md": "---\nname: Other\n---\n"})
    query = "SELECT id FROM categories WHERE locale = ? AND slug = ?"
    there = portal.panel.run(lambda world: world.store.row(query, tuple(category.split("/"))))[0]
    portal.panel.edit("invoices", category_id=there)
    remote.push({INVOICES: "---\ntitle: Invoices\n---\nText.\n"}, "--overwrite", INVOICES)
    undone = remote.run("undo", "2", "--yes")
    assert "the edit from the panel is back" in undone.err and "the next push" not in undone.err
    plan = remote.run("plan")
    assert f"edited in the panel: {field}\n" in plan.out and "Nothing to send" in plan.out


def test_an_overwrite_without_a_ledger_is_held_again_as_well(pushed, portal):
    pushed.forget_ledger()
    portal.panel.edit("invoices", title="Theirs")
    assert pushed.run("push", "--overwrite", INVOICES).code == 0
    assert pushed.run("undo", "1", "--yes").code == 0
    assert portal.panel.article("invoices").title == "Theirs"
    assert "edited in both places: title" in pushed.run("plan").out


def test_undoing_twice_changes_nothing_and_undoing_the_undo_sends_ours_again(overwritten, portal):
    assert "has nothing left to undo" in overwritten.run("undo", "2", "--yes").out
    assert overwritten.run("undo", "3", "--yes").code == 0
    assert at(portal) == ("Bills", "Our text.\n")
    assert overwritten.run("plan", "--check").code == 0
    runs = overwritten.run("ledger", "show").out
    assert overwritten.run("undo", "5", "--yes").code == 0, runs
    assert at(portal) == ("Theirs", "Their text.")
    assert "edited in both places: title, body" in overwritten.run("plan").out


def test_after_the_undo_a_decision_counts_as_ever(overwritten, portal):
    assert overwritten.run("resolve", INVOICES, "--theirs").code == 0
    assert overwritten.run("plan", "--check").code == 0
    assert at(portal) == ("Theirs", "Their text.")
    overwritten.run("resolve", INVOICES, "--ours")
    assert overwritten.run("push").code == 0
    assert at(portal) == ("Bills", "Our text.\n")


@pytest.mark.parametrize("ours", [None, OURS])
def test_what_a_decision_for_ours_replaced_is_held_after_the_undo_as_well(pushed, portal, ours):
    portal.panel.edit("invoices", title="Theirs", content="Their text.")
    if ours:
        pushed.write(INVOICES, ours)
    pushed.run("resolve", INVOICES, "--ours")
    assert pushed.run("push").code == 0
    undone = pushed.run("undo", "2", "--yes")
    assert "the edit from the panel is back" in undone.err and "will redo this" not in undone.err
    assert at(portal) == ("Theirs", "Their text.")
    assert f"edited in {'both places' if ours else 'the panel'}: title, body" in pushed.run("plan").out
    assert pushed.run("push").code == 4
    assert at(portal) == ("Theirs", "Their text.")
    pushed.run("resolve", INVOICES, "--ours")
    assert pushed.run("push").code == 0
    assert at(portal) == (("Bills", "Our text.\n") if ours else ("Invoices", "Text.\n"))


OVERWRITE = ("push", "--publish", "--overwrite", INVOICES)
DECIDE = ("resolve", "--publish", INVOICES, "--ours")


@pytest.mark.parametrize("commands", [(OVERWRITE,), (DECIDE, ("push", "--publish"))], ids=["overwritten", "decided"])
def test_a_status_that_was_replaced_is_held_after_the_undo(remote, portal, commands):
    remote.run("push", "--publish")
    portal.panel.publish("invoices")
    for words in commands:
        assert remote.run(*words).code == 0
    assert portal.panel.article("invoices").status == 0
    assert remote.run("undo", "2", "--yes").code == 0
    assert portal.panel.article("invoices").status == 1
    assert remote.run("plan", "--publish").says(4, "edited in the panel: status")


def test_the_name_of_a_category_that_was_overwritten_is_held_after_the_undo(pushed, portal):
    portal.panel.sql("UPDATE categories SET name = 'Theirs' WHERE slug = 'billing' AND locale = 'en'")
    assert pushed.run("push", "--overwrite", "content/en/billing/_category.md").code == 0
    assert pushed.run("undo", "2", "--yes").code == 0
    assert "en/billing/_category.md  edited in the panel: name" in pushed.run("plan").out
