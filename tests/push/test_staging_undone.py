"""Undo of what was staged, published or discarded, and undo while a person has an edit pending."""

import pytest

from kbsync.model import Reason

from .test_staging import NEW, NEWER, OLD, THEIRS, X, is_idle, reasons, sends, staged, texts, tree, world
from .world import without

__all__ = ["staged", "world"]

FIRST, SECOND, THIRD = 1, 2, 3
"""Runs: the articles are made, an edit is staged, and what a test does with it."""


def test_a_staged_edit_is_taken_back_and_the_next_push_stages_it_again(staged):
    assert staged.undo(SECOND).words == {"done"}
    assert texts(staged) == (OLD, None)
    assert [change.stages for change in staged.plan().changes] == [True]


def test_an_edit_that_was_staged_over_an_older_one_gives_way_to_that(staged):
    staged.write(tree(NEWER, "X, new"))
    sends(staged)
    assert staged.undo(THIRD).words == {"done"}
    assert texts(staged) == (OLD, NEW)
    staged.write(tree(NEW, "X, new"))
    assert is_idle(staged.plan())


def test_what_was_published_is_staged_again_and_readers_see_what_they_saw_before(staged):
    sends(staged, publish_staged=True)
    assert staged.undo(THIRD).words == {"done"}
    article = staged.article("x")
    assert (article.title, article.content) == ("X", OLD)
    assert (article.draft_title, article.draft_content) == ("X, new", NEW)
    plan = staged.plan()
    assert is_idle(plan) and [item.path for item in plan.staged_edits] == [X]


def test_what_an_overwrite_discarded_of_a_person_is_pending_again_and_held_again(staged):
    staged.sandbox.panel.write("x", content=THEIRS)
    sends(staged, overwrite=(X,), here=staged.project.root)
    assert texts(staged) == (OLD, NEW)
    assert staged.undo(THIRD).words == {"done"}
    assert texts(staged) == (OLD, THEIRS)
    assert reasons(staged.plan()) == [(X, Reason.STAGED)]


def test_what_went_live_over_the_pending_edit_of_a_person_comes_back_with_it(world):
    world.write(tree(NEW))
    world.sandbox.panel.write("x", content=THEIRS)
    sends(world, overwrite=(X,), live=(X,), here=world.project.root)
    assert texts(world) == (NEW, None)
    assert world.undo(SECOND).words == {"done"}
    assert texts(world) == (OLD, THEIRS)
    assert reasons(world.plan()) == [(X, Reason.STAGED)]


@pytest.mark.parametrize("does", ["write", "discard_staged", "publish_staged"])
def test_what_a_person_did_with_our_staged_edit_stays(staged, does):
    getattr(staged.sandbox.panel, does)("x", **({"content": THEIRS} if does == "write" else {}))
    undone = staged.undo(SECOND)
    assert undone.outcomes == []
    assert texts(staged) == {"write": (OLD, THEIRS), "discard_staged": (OLD, None), "publish_staged": (NEW, None)}[does]
    assert [held.reason for held in undone.plan.held] == ([Reason.DRIFT] if does == "write" else [])


def test_nothing_is_put_back_under_an_edit_that_a_person_has_pending(world):
    world.write(tree(NEW))
    sends(world, live=(X,), here=world.project.root)
    world.sandbox.panel.write("x", content=THEIRS)
    undone = world.undo(SECOND)
    assert [(held.reason, held.fields) for held in undone.plan.held] == [(Reason.STAGED, ("content",))]
    assert undone.outcomes == [] and texts(world) == (NEW, THEIRS)


def test_an_article_with_an_edit_pending_is_neither_hidden_nor_deleted(world):
    world.sandbox.panel.write("x", content=THEIRS)
    undone = world.undo(FIRST)
    assert (X, Reason.STAGED) in reasons(undone.plan)
    article = world.article("x")
    assert (article.status, article.draft_content) == (1, THEIRS)


def test_the_undo_of_an_archived_article_brings_its_staged_edit_back(staged):
    staged.write(without(tree(), X))
    project = staged.project.but(removed="archive")
    assert project.push(staged.service).words == {"done"}
    assert staged.article("x").draft_content is None
    assert staged.undo(THIRD).words == {"done"}
    article = staged.article("x")
    assert (article.status, article.content, article.draft_content) == (1, OLD, NEW)
