"""What a checkout would put back to an older version, because it lacks what others published: held, row by row."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pytest
from msgspec import structs

from kbsync.ledger.values import ALIKE, NOT_COMMITTED, SENT
from kbsync.model import Action, Base, Change, FieldChange, Plan, Status
from kbsync.plan.build import build_plan
from kbsync.plan.known import GitWord, Known
from kbsync.plan.newer import PublishedRun, newer_runs
from kbsync.plan.rebase import renumbered
from kbsync.plan.resolve import resolve_fields

from .items import POLICY, TARGET, Item, actions, an_article, holds, sends

OLD = an_article(title="Refund a charge")
NEW = OLD.but(title="Refunds")
PATH, ID = OLD.desired().path, OLD.observed().remote_id
AWAY = "c" * 40


def change(action: Action = Action.UPDATE, *fields: FieldChange, **given: Any) -> Change:
    known: dict[str, Any] = {"kind": "article", "locale": "en", "slug": "refunds", "path": PATH, "remote_id": ID}
    return Change(action=action, title="Refunds", fields=fields, **{**known, **given})


RENAMED = PublishedRun(AWAY, [change(Action.UPDATE, FieldChange("title", "Refund a charge", "Refunds"))])
OURS = PublishedRun("", [change(Action.UPDATE, FieldChange("title", "Refunds", "Refund a charge"))])


def with_runs(
    *runs: PublishedRun,
    desired: Item | None = OLD,
    base: Base | None = None,
    there: Item = NEW,
    git: GitWord | None = None,
    is_cut: bool = False,
    deleted_s: Mapping[str, float] = {},
    changed_s: int = 0,
    agreed: Mapping[str, Any] = {},
    **policy: Any,
) -> Plan:
    known = Known(
        [structs.replace(there.observed(), updated_at=changed_s)],
        [base or NEW.base()],
        git=git or GitWord(),
        newer=structs.replace(newer_runs(runs, is_cut=is_cut), deleted_s=deleted_s, **agreed),
    )
    wanted = [] if desired is None else [desired.desired()]
    return build_plan(TARGET, wanted, known, policy=structs.replace(POLICY, **policy))


def test_a_value_that_a_run_of_a_commit_that_is_not_here_replaced_is_held_with_the_ways_out():
    plan = with_runs(RENAMED)
    assert (sends(plan), holds(plan)) == ({}, {"title": "behind"})
    assert "Run `git pull`, or merge that commit." in plan.held[0].hint
    assert f"`kbsync push {PATH} --overwrite {PATH}`" in plan.held[0].hint and AWAY[:12] in plan.held[0].hint


def test_a_new_text_of_ours_is_sent_beside_what_is_held():
    plan = with_runs(RENAMED, desired=OLD.but(content="Ours"))
    assert (list(sends(plan)), holds(plan)) == (["content"], {"title": "behind"})


def test_a_third_value_is_sent_for_both_branches_changed_it():
    assert sends(with_runs(RENAMED, desired=OLD.but(title="A third"))) == {"title": "A third"}


CREATED = PublishedRun(
    AWAY,
    [
        change(
            Action.CREATE,
            FieldChange("title", None, "Refunds"),
            FieldChange("content", None, NEW.base().fields["content"]),
        )
    ],
)


def test_another_article_at_the_path_of_one_that_another_branch_created_does_not_replace_it():
    other = OLD.but(title="Charges", content="Quite another text.")
    plan = with_runs(CREATED, desired=other)
    assert (sends(plan), holds(plan)) == ({}, {"title": "behind", "content": "behind"})
    assert (
        "give yours another name" in plan.held[0].hint
        and f"`kbsync push {PATH} --overwrite {PATH}`" in plan.held[0].hint
    )
    assert set(sends(with_runs(CREATED, desired=other, overwrite=frozenset({PATH})))) == {"title", "content"}
    # The same article, where only one of them is another, git knows the portal's, or a run of ours sent them since.
    assert sends(with_runs(CREATED, desired=OLD.but(title="A third"))) == {"title": "A third"}
    known = GitWord(proofs={(PATH, ID): {"title": True, "content": True}})
    assert set(sends(with_runs(CREATED, desired=other, git=known))) == {"title", "content"}
    since = PublishedRun("", [change(Action.UPDATE, FieldChange("title", "Fees", "Refunds"))])
    assert set(sends(with_runs(since, CREATED, desired=other))) == {"title", "content"}


def test_what_a_run_of_this_branch_changed_since_is_ours_again():
    assert sends(with_runs(OURS, RENAMED)) == {"title": "Refund a charge"}
    assert holds(with_runs(RENAMED, OURS)) == {"title": "behind"}


def test_a_value_that_git_knows_as_one_of_this_file_before_is_not_newer():
    """The commit that was published has another name here since a rebase, and a newer one takes it back."""
    known = GitWord(proofs={(PATH, ID): {"title": True}})
    assert sends(with_runs(RENAMED, git=known)) == {"title": "Refund a charge"}


def test_it_is_sent_on_request_and_after_a_decision_for_this_very_text():
    assert sends(with_runs(RENAMED, overwrite=frozenset({PATH}))) == {"title": "Refund a charge"}
    decided = resolve_fields(OLD.desired(), NEW.base(), NEW.observed(), ["title"], "ours")
    plan = with_runs(RENAMED, base=decided)
    assert sends(plan) == {"title": "Refund a charge"}
    assert [item.fields for item in plan.overruled] == [("title",)]


def test_where_this_checkout_is_part_of_that_commit_any_value_of_what_it_changed_is_older():
    never_published = OLD.but(title="Refund")
    known = GitWord(proofs={(PATH, ID): {"title": True}})
    assert sends(with_runs(RENAMED, desired=never_published)) == {"title": "Refund"}
    ahead = structs.replace(RENAMED, is_ahead=True)
    plan = with_runs(ahead, desired=never_published.but(content="Ours"), git=known)
    assert (list(sends(plan)), holds(plan)) == (["content"], {"title": "behind"})
    assert sends(with_runs(OURS, ahead, desired=never_published)) == {"title": "Refund"}
    assert sends(with_runs(ahead, desired=never_published, overwrite=frozenset({PATH}))) == {"title": "Refund"}


def test_what_may_be_another_article_is_not_published_either():
    other = OLD.but(title="Charges", content="Quite another text.", status=Status.PUBLISHED)
    plan = with_runs(CREATED, desired=other, publish=True)
    assert plan.changes == () and [held.fields for held in plan.held] == [("title", "content"), ("status",)]
    plan = with_runs(CREATED, desired=other, publish=True, overwrite=frozenset({PATH}))
    assert {change.action for change in plan.changes} == {Action.UPDATE, Action.PUBLISH}


def test_a_slug_that_is_held_is_given_to_no_other_article():
    fees, run = NEW.but(path="en/fees.md", slug="fees", remote_id=9), PublishedRun(AWAY, [change()])
    newer = structs.replace(newer_runs([run]), **came_with(AWAY, missing={AWAY}))
    known = Known([NEW.observed(), fees.observed()], [NEW.base(), fees.base()], newer=newer)
    wanted = [NEW.but(path=PATH, slug="refund").desired(), fees.but(slug="refunds", content="Fees.").desired()]
    plan = build_plan(TARGET, wanted, known, policy=POLICY)
    assert [(held.path, held.fields, str(held.reason)) for held in plan.held] == [
        (PATH, ("slug",), "behind"),
        ("en/fees.md", ("slug",), "conflict"),
    ]
    assert plan.held[1].hint.endswith("whose new slug needs your decision first.")
    assert [(sent.path, [*sent.after]) for sent in plan.sent] == [("en/fees.md", ["content"])]


def test_a_status_is_held_like_a_text():
    run = PublishedRun(AWAY, [change(Action.PUBLISH, FieldChange("status", "draft", "published"))])
    live = OLD.but(status=Status.PUBLISHED)
    plan = with_runs(run, desired=OLD.but(status=Status.DRAFT), base=live.base(), there=live, publish=True)
    assert (plan.changes, holds(plan)) == ((), {"status": "behind"})


def test_an_article_whose_file_is_there_is_not_removed_here():
    run = PublishedRun(AWAY, [change(Action.CREATE, FieldChange("title", None, "Refunds"))])
    plan = with_runs(run, desired=None, removed="delete", max_fraction=1.0)
    assert (plan.changes, [item.reason for item in plan.held]) == ((), ["behind"])
    kept = with_runs(run, desired=None, removed="report")
    has = f"Commit {AWAY[:12]}, which is not part of this branch, has its file."
    assert [finding.hint for finding in kept.warnings] == [f"{has} Run `git pull`, or merge that commit."]
    without = with_runs(desired=None, removed="delete", max_fraction=1.0)
    assert actions(without) == ["delete article refunds"]


@pytest.mark.parametrize(("changed_s", "is_sent"), [(99, True), (100, True), (101, False), (0, False)])
def test_a_file_that_this_branch_deleted_after_the_article_was_last_changed_is_gone(changed_s: int, is_sent: bool):
    """The commit that was published has another name here, as after a squash."""
    run = PublishedRun(AWAY, [change(Action.CREATE, FieldChange("title", None, "Refunds"))])
    plan = with_runs(
        run, desired=None, changed_s=changed_s, deleted_s={PATH: 100.0}, removed="delete", max_fraction=1.0
    )
    assert (actions(plan) == ["delete article refunds"]) is is_sent
    assert bool(plan.held) is not is_sent


def test_a_file_whose_article_was_deleted_or_renamed_there_is_not_made_again():
    gone = change(Action.DELETE, remote_id=99, path="", was="en/old.md")
    moved = change(Action.UPDATE, remote_id=98, path="en/new.md", was="en/old.md")
    old = an_article(path="en/old.md", slug="old", title="Old", remote_id=None)
    for known in (gone, moved):
        plan = with_runs(PublishedRun(AWAY, [known]), desired=old)
        assert (actions(plan), [item.reason for item in plan.held]) == ([], ["behind"])
        again = with_runs(PublishedRun(AWAY, [known]), desired=old, recreate=True)
        assert actions(again) == ["create article old"]


def test_where_more_was_published_than_is_on_record_all_is_held_but_what_git_knows_better():
    other = PublishedRun(AWAY, [change(Action.UPDATE, FieldChange("title", "a", "Refunds"))])
    assert holds(with_runs(other, is_cut=True)) == {"title": "behind"}
    (held,) = with_runs(is_cut=True).held
    assert held.hint.startswith("A commit that is not part of this branch published what the portal has. Run")
    assert sends(with_runs(other)) == {"title": "Refund a charge"}
    known = GitWord(proofs={(PATH, ID): {"title": True}})
    assert sends(with_runs(other, is_cut=True, git=known)) == {"title": "Refund a charge"}


def came_with(commit: str, *names: str, **known: Any) -> dict[str, Any]:
    """That what is agreed on of some fields came with a commit."""
    return {"sources": {("article", ID): dict.fromkeys(names or ("",), commit)}, **known}


PULLED = came_with(AWAY, missing={AWAY})
THIRD = OLD.but(title="A third")
KNOWN = GitWord(proofs={(PATH, ID): {"title": True}})


def test_what_came_with_a_commit_that_is_not_here_by_no_run_on_record_is_held_whatever_ours_is():
    """A person's edit that was pulled there, or an article that was adopted: no run has the value of before."""
    for ours in (OLD, THIRD):
        plan = with_runs(desired=ours, agreed=PULLED)
        assert (sends(plan), holds(plan)) == ({}, {"title": "behind"})
        assert AWAY[:12] in plan.held[0].hint
    assert sends(with_runs(agreed=PULLED, git=KNOWN)) == {"title": "Refund a charge"}
    assert sends(with_runs(agreed=PULLED, overwrite=frozenset({PATH}))) == {"title": "Refund a charge"}
    assert sends(with_runs(agreed=came_with(AWAY, "content", missing={AWAY}))) == {"title": "Refund a charge"}


def test_what_a_run_on_record_sent_from_there_is_held_as_the_run_says():
    assert holds(with_runs(RENAMED, agreed=PULLED)) == {"title": "behind"}
    assert sends(with_runs(RENAMED, desired=THIRD, agreed=PULLED)) == {"title": "A third"}
    later = came_with("d" * 40, missing={AWAY, "d" * 40})
    assert holds(with_runs(RENAMED, desired=THIRD, agreed=later)) == {"title": "behind"}


def test_a_field_that_an_article_had_not_when_it_was_created_there_gets_a_value_here():
    ours, there = NEW.but(description="Money back."), NEW.but(description="")
    plan = with_runs(CREATED, desired=ours, base=there.base(), there=there, agreed=PULLED)
    assert sends(plan) == {"description": "Money back."}
    # Not where the article was adopted, or edited in the panel and pulled by a later commit.
    plan = with_runs(desired=ours, base=there.base(), there=there, agreed=PULLED)
    assert holds(plan) == {"description": "behind"}
    later = came_with("d" * 40, missing={AWAY, "d" * 40})
    plan = with_runs(CREATED, desired=ours, base=there.base(), there=there, agreed=later)
    assert holds(plan) == {"description": "behind"}
    edited = NEW.but(description="A person's.")
    plan = with_runs(CREATED, desired=ours, base=edited.base(), there=edited, agreed=PULLED)
    assert holds(plan) == {"description": "behind"}


def test_what_a_run_sent_on_top_of_an_edit_that_was_pulled_is_held_where_that_is_not_here_either():
    def came(former: str) -> dict[str, Any]:
        sources = {("article", ID): {"title": AWAY, "title<": former}}
        return {"sources": sources, "missing": {AWAY, "d" * 40}}

    for ours in (OLD, THIRD):
        run = PublishedRun(AWAY, [change(Action.UPDATE, FieldChange("title", "Pulled", "Refunds"))])
        assert holds(with_runs(run, desired=ours, agreed=came("d" * 40))) == {"title": "behind"}
        assert sends(with_runs(run, desired=ours, agreed=came("d" * 40), git=KNOWN))
        # That of before is here, or was sent by a run on record.
        assert sends(with_runs(run, desired=ours, agreed=came("e" * 40)))
        first = PublishedRun("d" * 40, [change(Action.UPDATE, FieldChange("title", "Before", "Pulled"))])
        assert sends(with_runs(run, first, desired=ours, agreed=came("d" * 40)))


def test_what_came_with_a_commit_that_is_here_is_ours_whatever_runs_did_before():
    here = came_with("d" * 40, missing={AWAY})
    assert sends(with_runs(RENAMED, agreed=here)) == {"title": "Refund a charge"}
    assert sends(with_runs(RENAMED, is_cut=True, agreed=here)) == {"title": "Refund a charge"}


def test_where_this_checkout_is_part_of_the_commit_that_it_came_with_git_knows_nothing_better():
    assert holds(with_runs(agreed={**PULLED, "beyond": {AWAY}}, git=KNOWN)) == {"title": "behind"}


@pytest.mark.parametrize(("changed_s", "is_held"), [(101, True), (100, True), (99, False)])
def test_a_clone_without_old_commits_holds_what_was_touched_since_its_commit_was_made(changed_s: int, is_held: bool):
    plan = with_runs(agreed=came_with(AWAY, unknown={AWAY}, head_s=100.0), changed_s=changed_s)
    assert (holds(plan) == {"title": "behind"}) is is_held
    assert bool(sends(plan)) is not is_held


def test_what_a_clone_pulled_and_did_not_commit_is_held_with_words_for_it():
    mark = NOT_COMMITTED + ALIKE + "ab" * 8
    (held,) = with_runs(agreed=came_with(mark, missing={mark})).held
    assert held.hint.startswith("Another clone published what the portal has, from a file that was not committed. Once")
    (held,) = with_runs(agreed={**came_with(mark, missing={mark}), "clone": "ab" * 8}).held
    assert held.hint.startswith("This clone published what the portal has, from a file that was not committed. If that")


def test_of_what_a_clone_sent_and_did_not_commit_the_value_of_before_is_held_and_any_other_goes_out():
    mark = NOT_COMMITTED + SENT + "ab" * 8
    sent = structs.replace(
        change(Action.UPDATE, FieldChange("title", "Refund a charge", "Refunds")), source_commit=mark
    )
    run = PublishedRun("", [sent])
    assert holds(with_runs(run, agreed=came_with(mark, missing={mark}))) == {"title": "behind"}
    assert sends(with_runs(run, desired=THIRD, agreed=came_with(mark, missing={mark}))) == {"title": "A third"}


def test_what_had_been_agreed_on_before_an_edit_that_was_overwritten_is_older_too():
    overwritten = FieldChange("title", "By a colleague", "Refunds", agreed=("Refund a charge",))
    assert holds(with_runs(PublishedRun(AWAY, [change(Action.UPDATE, overwritten)]))) == {"title": "behind"}


FEES = ("article", 99)


def lacking(commit: str, **known: Any) -> dict[str, Any]:
    """That a file links to one that only a newer commit has."""
    return {"links": {PATH: "en/fees.md"}, "paths": {FEES: "en/fees.md"}, "commits": {FEES: commit}, **known}


def test_a_body_that_links_to_a_file_of_a_newer_commit_is_held_and_its_title_goes_out():
    ours = OLD.but(title="A third", content="See [fees](fees.md).")
    plan = with_runs(desired=ours, base=NEW.base(), agreed=lacking(AWAY, missing={AWAY}))
    assert (sends(plan), holds(plan)) == ({"title": "A third"}, {"content": "behind"})
    begins = f"Your file links to `en/fees.md`, which is not in this branch. Commit {AWAY[:12]}, which is not part of"
    assert plan.held[0].hint.startswith(begins)
    # This branch deleted that file itself.
    deleted = with_runs(desired=ours, agreed=lacking(AWAY, missing={AWAY}), deleted_s={"en/fees.md": math.inf})
    assert "content" in sends(deleted)
    assert "content" in sends(with_runs(desired=ours, agreed=lacking(AWAY), overwrite=frozenset({PATH})))


def test_an_article_whose_texts_came_with_a_commit_that_is_here_is_no_other_one():
    created = PublishedRun(AWAY, [change(Action.CREATE, FieldChange("title", None, "Fees"))])
    ours = NEW.but(title="What it costs", content="More.")
    assert holds(with_runs(created, desired=ours)) == {"title": "behind", "content": "behind"}
    here = with_runs(created, desired=ours, agreed=came_with("d" * 40, missing={AWAY}))
    assert sends(here) == {"title": "What it costs", "content": "More."}


def at(number: int, remote_id: int, category: str = "billing") -> Base:
    return structs.replace(NEW.base(), remote_id=remote_id, fields={"position": number, "category": category})


def test_who_only_gets_another_number_has_not_moved_in_its_order():
    bases = [at(1, 1), at(2, 2), at(3, 3), at(1, 9, "other")]
    same = renumbered(bases, [at(1000, 1), at(2000, 2), at(3000, 3)])
    assert same == {("article", 1), ("article", 2), ("article", 3)}
    assert renumbered(bases, [at(30, 1), at(2, 9, "other")]) == {("article", 9)}
    # It goes to another category, or nothing was on record of it.
    assert renumbered(bases, [at(1, 1, "other")]) == frozenset()
    assert renumbered([], [at(1, 1)]) == {("article", 1)}
