"""Bases that are made when they are asked for are those that a plan had at once before."""

from __future__ import annotations

import tracemalloc

from kbsync.model import Action, Base, Status
from kbsync.plan.agreed import base_of
from kbsync.plan.build import build_plan
from kbsync.plan.known import Known
from kbsync.plan.made import Made
from kbsync.plan.match import weigh
from kbsync.plan.settled import Settled
from plan.items import POLICY, TARGET, Item, an_article

BYTES_EACH = 760
"""Of an article that already matches, while it is decided: 571 here. With a base and a hint for each it took 950."""


def on_both_sides(number: int) -> Item:
    fields = {"description": "", "position": number, "tags": ("a",), "meta_title": "", "meta_description": ""}
    article = an_article(title=f"Article {number}", content=f"body:{number}", category="billing", **fields)
    return article.but(slug=f"a-{number}", remote_id=number, status=Status.PUBLISHED)


def test_a_base_of_what_is_adopted_is_what_both_sides_hold_alike():
    article = on_both_sides(1)
    settled = Settled()
    settled.adopt(article.desired(), article.observed())
    expected = base_of(article.desired(), article.observed())
    assert settled.get(("article", 1)) == expected and settled.get(("article", 2)) is None
    assert settled.bases() == (expected,) and settled.bases()[0] == expected and settled.bases()[:1] == (expected,)


def test_a_link_is_agreed_on_beside_all_else_whether_the_base_is_made_or_not():
    article = on_both_sides(1)
    adopted, recorded, known = Settled(), Settled(), Settled()
    adopted.adopt(article.desired(), article.observed())
    recorded["article", 1] = base_of(article.desired(), article.observed())
    for settled in (adopted, recorded):
        settled.link(("article", 1), 7, None)
    known.link(("article", 1), 7, article.base())
    known.link(("article", 2), 7, None)
    assert adopted.bases() == recorded.bases() and adopted.bases()[0].fields["translation_of"] == 7
    assert [base.fields["translation_of"] for base in known.bases()] == [7]


def test_what_replaces_an_adoption_is_what_counts():
    article = on_both_sides(1)
    settled = Settled()
    settled.adopt(article.desired(), article.observed())
    settled["article", 1] = article.but(title="Other").base()
    assert [base.fields["title"] for base in settled.bases()] == ["Other"]


def test_values_that_are_made_when_asked_for_are_those_of_a_tuple():
    made = Made((1, 2, 3), str)
    assert made == ("1", "2", "3") and made != ("1",) and (len(made), made[-1], made[1:]) == (3, "3", ("2", "3"))
    assert list(made) == list(made) and "2" in made and repr(made) == "('1', '2', '3')"
    assert Made((), str) == () and made == Made((1, 2, 3), str) and hash(made) == hash(("1", "2", "3"))


def test_a_plan_of_articles_that_already_match_makes_no_bases_until_they_are_asked_for():
    number = 1_000
    items = [on_both_sides(at + 1) for at in range(number)]
    desired, known = [item.desired() for item in items], Known([item.observed() for item in items])
    weighed = weigh(desired, known)
    build_plan(TARGET, desired, known, policy=POLICY, weighed=weighed)  # What is loaded late is loaded now.
    tracemalloc.start()
    plan = build_plan(TARGET, desired, known, policy=POLICY, weighed=weighed)
    used = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert plan.count(Action.ADOPT) == len(plan.settled) == number
    assert all(isinstance(base, Base) for base in plan.settled)
    assert used < BYTES_EACH * number
