"""A saved plan against the plan that is made now: what goes out, what is done, what is refused and why.

A compiled tree is named by all that it says, however much of it is encoded at once.
"""

from hashlib import blake2b

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs
from msgspec.structs import replace as replace_change

from kbsync.fields import LINK_FIELD
from kbsync.model import Action, Change, FieldChange, Plan, Status
from kbsync.plan.replan import Now, Replanned, replan
from kbsync.plan.result import PLAN_AGAIN
from kbsync.plan.saved import AT_ONCE, tree_digest

from .items import TARGET, Item, a_lost_create, an_article, plan_of


def as_read(plan: Plan) -> Plan:
    """The plan as it comes out of a file."""
    kept = structs.replace(plan, settled=tuple(plan.settled), unpublished=tuple(plan.unpublished))
    return msgspec.json.decode(msgspec.json.encode(kept), type=Plan)


def planned(desired: list[Item], there: list[Item], base: list[Item] | None = None, **policy: object) -> Now:
    base = there if base is None else base
    plan = plan_of(desired, there, base, **policy)
    return Now(plan, [item.base() for item in base], [item.observed() for item in there])


def reasons(found: Replanned) -> list[str]:
    assert all(outcome.hint == PLAN_AGAIN for outcome in found.refused)
    return [outcome.error.removesuffix(" Nothing was sent.") for outcome in found.refused]


OLD, NEW = an_article(title="Money back"), an_article(title="Refunds")


def test_a_plan_of_a_world_that_did_not_move_goes_out_whole():
    wanted = [NEW, an_article(slug="new", path="en/new.md", status=Status.PUBLISHED)]
    now = planned(wanted, [OLD], publish=True)
    found = replan(as_read(now.plan), now)
    assert (found.plan, found.refused, found.done, found.added) == (structs.replace(now.plan, unmanaged=()), (), 0, 0)


def test_the_status_of_an_article_that_was_made_since_still_goes_out():
    new = an_article(slug="new", path="en/new.md")
    wanted = [new.but(status=Status.PUBLISHED)]
    saved = planned(wanted, [], publish=True).plan
    assert [change.action for change in saved.changes] == [Action.CREATE, Action.PUBLISH]
    found = replan(as_read(saved), planned(wanted, [new], publish=True))
    assert [(c.action, c.remote_id) for c in found.plan.changes] == [(Action.PUBLISH, 7)]
    assert (found.refused, found.done) == ((), 1)


def test_two_slugs_that_swap_can_be_cut_off_after_every_step():
    one = an_article(slug="one", path="en/1.md", remote_id=1)
    two = an_article(slug="two", path="en/2.md", remote_id=2)
    wanted = [one.but(slug="two"), two.but(slug="one")]
    saved = planned(wanted, [one, two]).plan
    steps = sorted(saved.changes, key=lambda change: change.turn)
    assert len(steps) == 3
    slugs = {1: "one", 2: "two"}
    for number, step in enumerate(steps, start=1):
        slugs[step.remote_id] = step.after["slug"]
        found = replan(as_read(saved), planned(wanted, [one.but(slug=slugs[1]), two.but(slug=slugs[2])]))
        assert (found.done, len(found.plan.changes), found.refused, found.added) == (number, 3 - number, (), 0)


def test_a_link_to_an_original_that_was_made_since_is_the_same_link():
    named = {"kind": "article", "locale": "fr", "slug": "x", "path": "fr/x.md", "title": "X"}
    create = Change(action=Action.CREATE, **named, remote_id=None, status=Status.DRAFT, turn=1)
    saved = replace_change(create, fields=(FieldChange("title", None, "X"), FieldChange(LINK_FIELD, None, "en/x.md")))
    fresh = replace_change(create, turn=0, fields=(FieldChange("title", None, "X"), FieldChange(LINK_FIELD, None, 9)))
    for number, changes in ((9, (fresh,)), (8, ())):
        base = an_article(slug="x-en", path="en/x.md", remote_id=number).base()
        assert replan(Plan(TARGET, (saved,)), Now(Plan(TARGET, (fresh,)), [base])).plan.changes == changes


def test_of_a_change_that_is_half_done_the_other_half_goes_out_and_no_field_beside_it():
    wanted = an_article(title="Refunds", description="Short")
    there = an_article(title="Refunds", description="")
    saved = planned([wanted], [an_article(title="Old", description="")]).plan
    found = replan(as_read(saved), planned([wanted], [there]))
    assert [change.after for change in found.plan.changes] == [{"description": "Short"}]
    less = structs.replace(saved, changes=(replace_change(saved.changes[0], fields=saved.changes[0].fields[:1]),))
    found = replan(as_read(less), planned([wanted], [an_article(title="Old", description="")]))
    assert found.plan.changes == () and len(found.refused) == 1


def test_a_create_whose_answer_was_lost_since_is_not_sent_again():
    now = planned([NEW], [], [])
    found = replan(as_read(now.plan), structs.replace(now, lost=[a_lost_create()]))
    assert reasons(found) == ["Another push sent `refunds` after the plan was made, and its result is unknown."]
    assert found.plan.changes == ()


MANAGED = an_article(slug="new", path="en/new.md", remote_id=9)
LIVE = NEW.but(status=Status.PUBLISHED)
SAVED = planned([NEW], [OLD])
OVERWRITE = {"overwrite": frozenset({"en/refunds.md"})}
CHANGED = "Changed on the portal after the plan was made"

# By what happened since: the saved plan, the plan that is made now, and why the change is refused.
REFUSED = {
    "an edit in the panel": (SAVED, planned([NEW], [OLD.but(title="Theirs")], [OLD]), f"{CHANGED}: title."),
    "a deletion": (SAVED, planned([NEW], [], [OLD]), "It was deleted on the portal after the plan was made."),
    "a publication": (
        SAVED, planned([NEW], [OLD.but(status=Status.PUBLISHED)]), "It was published after the plan was made."),
    "the file is as the portal": (SAVED, planned([OLD], [OLD]), "A new plan would not have this change."),
    "the file has another title": (
        SAVED, planned([OLD.but(title="X")], [OLD]), "A new plan would change it differently (title)."),
    "the article is to be made": (SAVED, planned([NEW], [], []), "A new plan would do something else with it: create."),
    "an edit after the one that the plan overwrites": (
        planned([NEW], [OLD.but(title="Theirs")], [OLD], **OVERWRITE),
        planned([NEW], [OLD.but(title="Theirs, again")], [OLD], **OVERWRITE), f"{CHANGED}: title."),
    "an edit of what was to be deleted": (
        planned([], [OLD], removed="delete"), planned([], [OLD.but(title="Theirs")], [OLD], removed="delete"),
        f"{CHANGED}: title."),
    # From here on the record says that it is done, and the portal does not show it.
    "an overwrite of a file that never changed": (
        planned([OLD], [OLD.but(title="Theirs")], [OLD], **OVERWRITE),
        planned([OLD], [OLD.but(title="Theirs, again")], [OLD], **OVERWRITE), f"{CHANGED}: title."),
    "an update": (SAVED, planned([NEW], [OLD.but(title="Theirs")], [NEW]), f"{CHANGED}: title."),
    "a create": (
        planned([MANAGED], [], []), planned([MANAGED], [MANAGED.but(content="Theirs")], [MANAGED]), f"{CHANGED}: body."),
    "a publish": (
        planned([LIVE], [NEW], publish=True), planned([LIVE], [NEW], [LIVE], publish=True), f"{CHANGED}: status."),
    "an adoption": (planned([NEW], [NEW], []), planned([NEW], [NEW.but(title="Theirs")], []), f"{CHANGED}: title."),
}  # fmt: skip


@pytest.mark.parametrize(("saved", "now", "why"), REFUSED.values(), ids=REFUSED)
def test_what_would_not_be_what_was_planned_is_refused_and_says_why(saved, now, why):
    assert len(saved.plan.changes) == 1
    found = replan(as_read(saved.plan), now)
    assert reasons(found) == [why]
    assert (found.plan.changes, found.plan.held, found.done, found.added) == ((), (), 0, 0)


@pytest.mark.parametrize(
    ("saved", "now"),
    [
        pytest.param(SAVED, planned([NEW], [NEW]), id="an update"),
        pytest.param(planned([], [OLD], removed="delete"), planned([], [], [], removed="delete"), id="a deletion"),
        # Where the portal cannot be listed, the record says what is done.
        pytest.param(Now(plan_of([NEW], None), []), Now(plan_of([NEW], None, [NEW]), [NEW.base()]), id="a create"),
    ],
)
def test_what_an_earlier_push_did_is_left_out(saved, now):
    assert len(saved.plan.changes) == 1
    found = replan(as_read(saved.plan), now)
    assert (found.plan.changes, found.refused, found.done) == ((), (), 1)


def test_a_change_that_is_in_the_file_twice_goes_out_once():
    now = planned([NEW], [OLD])
    found = replan(as_read(structs.replace(now.plan, changes=now.plan.changes * 2)), now)
    assert found.plan.changes == now.plan.changes and len(found.refused) == 1


CHANGES = st.builds(
    Change,
    action=st.sampled_from(Action),
    kind=st.sampled_from(["category", "article", "asset"]),
    locale=st.sampled_from(["en", "fr"]),
    slug=st.sampled_from(["refunds", "new", "x"]),
    path=st.sampled_from(["en/refunds.md", "en/new.md", "../x", ""]),
    remote_id=st.sampled_from([None, 7, 8, "7"]),
    title=st.sampled_from(["Refunds", "T"]),
    fields=st.lists(
        st.builds(
            FieldChange,
            st.sampled_from(["title", "slug", "content", "status", LINK_FIELD]),
            st.sampled_from([None, "Money back", "a", 7]),
            st.sampled_from([None, "Refunds", "a", 7, "en/refunds.md", ("a",)]),
        ),
        max_size=3,
    ).map(tuple),
    live=st.booleans(),
)


@settings(max_examples=300, deadline=None)
@given(st.lists(CHANGES, max_size=4))
def test_whatever_a_file_says_nothing_goes_out_that_the_plan_made_now_does_not_have(changes):
    now = planned([NEW, an_article(slug="new", path="en/new.md")], [OLD, an_article(slug="x", remote_id=8)])
    found = replan(structs.replace(now.plan, changes=(*now.plan.changes, *changes)), now)
    assert set(map(id, found.plan.changes)) == set(map(id, now.plan.changes))
    found = replan(Plan(TARGET, tuple(changes)), now)
    assert set(map(id, found.plan.changes)) <= set(map(id, now.plan.changes))
    assert (found.plan.settled, found.plan.forgotten) == ((), ())


@pytest.mark.parametrize("articles", [0, 1, AT_ONCE, AT_ONCE + 1, 2 * AT_ONCE + 7])
def test_the_name_of_a_tree_is_that_of_its_json(articles):
    tree = [an_article(slug=f"s-{number}", path=f"en/{number:05}.md").desired() for number in range(articles)]
    whole = msgspec.json.encode((TARGET, tree), order="deterministic")
    assert tree_digest(TARGET, reversed(tree)) == blake2b(whole, digest_size=16).hexdigest()
