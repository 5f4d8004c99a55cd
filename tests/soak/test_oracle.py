"""The oracle of the soak: it sees what is wrong, and nothing else. And its rounds can be played again."""

import random
from dataclasses import replace

import pytest

from repo import Repo, needs_git

from .edits import EDITS, first_tree
from .judge import Occasion, judge_push
from .play import play
from .portal import Shown
from .repository import Clone, Origin
from .rounds import files_of
from .runs import Run
from .script import script_of
from .stage import a_stage
from .tree import Article, Category, Tree
from .truth import PERSON, Truth
from .writing import NEAR, is_git_rename, likeness, new_lines, title_of, with_one_word_changed

ONE = Article(1, "en", "a", "one", title_of(1, 1), new_lines(1, 0), status="draft")
TWO = Article(2, "en", "a", "two", title_of(2, 1), new_lines(2, 0), status="draft")
HOME = Category(1, "en", "a", "A")


def a_tree(*articles: Article) -> Tree:
    return Tree({item.uid: item for item in articles}, {1: HOME})


def shown(remote_id: int, item: Article, **fields: object) -> Shown:
    found = Shown(remote_id, item.portal_slug, item.title, item.words, item.status, item.locale, "a", 1, "")
    return replace(found, **fields)


def a_report(*ids: int, action: str = "update") -> dict[str, object]:
    changes = [{"action": action, "remote_id": remote_id, "outcome": "done", "path": ""} for remote_id in ids]
    return {"changes": changes, "held": [], "findings": []}


@pytest.fixture
def clone(tmp_path):
    return Clone("clone", tmp_path, Origin(tmp_path))


BEFORE = {11: shown(11, ONE), 12: shown(12, TWO)}


def kinds(clone, tree: Tree, after: dict[int, Shown], truth: Truth | None = None, **more: object) -> set[str]:
    """What the oracle finds in a push that made BEFORE `after`."""
    truth = truth or Truth(owner={11: 1, 12: 2})
    changed = [key for key in BEFORE.keys() | after.keys() if BEFORE.get(key) != after.get(key)]
    gone = [key for key in BEFORE if key not in after]
    report = a_report(*changed)
    report["changes"] += a_report(*gone, action="delete")["changes"]
    here = Occasion(tree, clone, Run(("push",), 0, "", "", report), BEFORE, after, "delete", **more)
    return {violation.kind for violation in judge_push(truth, here)}


def test_a_slug_that_two_articles_swapped_is_fine_where_each_keeps_its_text(clone):
    one, two = replace(ONE, slug="two"), replace(TWO, slug="one")
    assert kinds(clone, a_tree(one, two), {11: shown(11, one), 12: shown(12, two)}) == set()
    assert kinds(clone, a_tree(one, two), {11: shown(11, two), 12: shown(12, one)}) == {
        "another's text",
        "another's title",
    }


def test_a_second_article_for_a_source_is_seen_whatever_its_slug(clone):
    one = replace(ONE, stem="new-name")
    assert kinds(clone, a_tree(one, TWO), BEFORE | {13: shown(13, one)}) == {"second article"}


def test_a_file_renamed_and_rewritten_may_become_another_article_where_nothing_leads_to_the_first(clone):
    truth = Truth(owner={11: 1, 12: 2}, settled={1: ONE, 2: TWO})
    other = replace(ONE, stem="new-name", lines=new_lines(1, 1))
    truth.committed(a_tree(ONE, TWO), a_tree(other, TWO))
    assert kinds(clone, a_tree(other, TWO), BEFORE | {13: shown(13, other)}, truth) == set()


def test_the_same_with_its_place_on_record_may_not(clone):
    other = replace(ONE, slug="new-name", lines=new_lines(1, 1))
    clone.paths[11] = other.path
    assert kinds(clone, a_tree(other, TWO), BEFORE | {13: shown(13, other)}) == {"second article"}


def test_an_article_of_a_deleted_source_may_become_that_of_a_new_one_at_its_address(clone):
    new = replace(TWO, uid=3, stem="one", title=title_of(3, 1), lines=new_lines(3, 0))
    assert kinds(clone, a_tree(new, TWO), BEFORE | {11: shown(11, new)}) == set()
    elsewhere = replace(new, stem="three")
    assert "another's text" in kinds(clone, a_tree(elsewhere, TWO), BEFORE | {11: shown(11, elsewhere)})


def test_what_a_person_wrote_is_guarded_until_somebody_says_overwrite(clone):
    before = BEFORE[11]
    truth = Truth(owner={11: 1, 12: 2})
    truth.person_edited(replace(before, title="Old"), before)
    edited = replace(ONE, title=title_of(1, 2))
    after = BEFORE | {11: shown(11, edited)}
    assert kinds(clone, a_tree(edited, TWO), after, truth) == {"person's edit overwritten"}
    assert kinds(clone, a_tree(edited, TWO), after, truth, overwritten=frozenset({ONE.path})) == set()
    clone.bases[11] = {"title": before.title}
    assert kinds(clone, a_tree(edited, TWO), after, truth) == set()


def test_a_person_who_puts_back_what_a_push_had_left_guards_nothing(clone):
    truth = Truth(owner={11: 1}, ours={11: {"title": ONE.title}})
    truth.person_edited(BEFORE[11], replace(BEFORE[11], title="Theirs"))
    assert truth.guarded[11] == {"title": "Theirs"}
    truth.person_edited(replace(BEFORE[11], title="Theirs"), BEFORE[11])
    assert truth.guarded[11] == {}


def test_only_articles_without_a_source_may_be_deleted_and_never_a_person_s(clone):
    assert kinds(clone, a_tree(ONE), {11: BEFORE[11]}) == set()
    assert kinds(clone, a_tree(ONE, TWO), {11: BEFORE[11]}) == {"living article deleted"}
    assert kinds(clone, a_tree(ONE), {11: BEFORE[11]}, Truth(owner={11: 1, 12: PERSON})) == {"person's article deleted"}


def test_a_write_that_no_change_tells_of_is_seen(clone):
    edited = replace(ONE, rev=2)
    here = Occasion(a_tree(edited, TWO), clone, Run(("push",), 0, "", "", a_report()), BEFORE,
                    BEFORE | {11: shown(11, edited)}, "delete")  # fmt: skip
    assert {violation.kind for violation in judge_push(Truth(owner={11: 1, 12: 2}), here)} == {"unreported"}


@pytest.mark.parametrize("uid", range(1, 30))
def test_texts_of_two_articles_are_far_apart_and_an_edited_one_is_near(uid):
    lines = new_lines(uid, 0)
    edited = with_one_word_changed(lines, random.Random(uid))
    assert likeness("\n".join(lines), "\n".join(edited)) > 0.9
    assert likeness("\n".join(lines), "\n".join(new_lines(uid + 1, 0))) < NEAR - 0.2
    assert likeness("\n".join(lines), "\n".join(new_lines(uid, 1))) < NEAR - 0.2
    assert is_git_rename("\n".join(lines), "\n".join(edited))


@needs_git
def test_git_finds_nothing_wrong_with_the_repositories_and_sees_the_renames_that_the_oracle_counts_on(tmp_path):
    rng = random.Random(4)
    desk, origin, parents = first_tree(rng), Origin(tmp_path / "origin"), ()
    clone = Clone("clone", tmp_path / "clone", origin)
    clone.make("")
    for number, step in enumerate([*EDITS] * 2):
        before = desk.tree
        if EDITS[step][0](desk, rng) is None or not desk.tree.is_sound:
            desk.tree = before
        parents = (origin.commit(files_of(desk.tree), parents, 1_700_000_000 + number, "more"),)
        clone.check_out(parents[0], files_of(desk.tree))
    repo = Repo(clone.folder)
    assert repo.git("fsck", "--strict", "--no-dangling") == ""
    assert repo.git("status", "--porcelain") == ""
    assert int(repo.git("rev-list", "--count", "HEAD")) == 2 * len(EDITS)


@needs_git
def test_a_seed_is_the_same_story_every_time(tmp_path):
    seeds = (seed for seed in range(100) if "push, killed" not in script_of(seed) and "push" in script_of(seed))
    with a_stage(tmp_path) as stage:
        # Of requests that overlap, the machine decides which one is answered first.
        one_by_one = (seed for seed in seeds if "concurrency 1" in play(stage, seed).story[0])
        seed = next(one_by_one)
        first, second = play(stage, seed), play(stage, seed)
    assert first.story == second.story
    assert "rounds" in first.counts
