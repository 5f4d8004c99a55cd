"""Items as a whole: what is created, updated, adopted, held, removed, and in what order."""

import pytest

from kbsync.fields import SideEffects
from kbsync.model import Action, Manage, Reason, Status
from kbsync.plan.build import build_plan
from kbsync.plan.known import Former, GitWord, Known

from .items import POLICY, TARGET, a_category, a_lost_create, actions, an_article, came_of, holds, plan_of

X, DRAFT, LIVE, SHELVED = an_article(), *(an_article(status=Status(s)) for s in ("draft", "published", "archived"))
TEXTS = an_article(description="one", position=10)
BILLED, IN_BILLING = an_article(category="billing", position=20), an_article(category="billing", remote_id=9)
BILLING, ONE, TWO = a_category(), an_article(slug="one", remote_id=1), an_article(slug="two", remote_id=2)
OLDER = GitWord(proofs={("en/refunds.md", 7): {"title": True}})
ALIAS = an_article(slug="refunds-old", path="en/gone.md")

# By what is promised: the sources, the portal, the ledger, the policy; and what comes of it.
SIDES = {
    "a new article is a draft where publish is off": (
        [LIVE], [], [], {}, ["create article refunds", "unpublished en/refunds.md"]),
    "a new article is published in a second change where publish is on": (
        [LIVE], [], [], {"publish": True}, ["create article refunds", "publish article refunds"]),
    "a status that nobody asked for is never sent": ([X], [LIVE], [X], {"publish": True}, []),
    "a title edited in the panel is held and the rest of the article still goes out": (
        [X.but(content="new")], [X.but(title="Money back")], [X], {},
        ["update article refunds content=new", "refunds title: drift"]),
    "only the fields that moved here are sent": (
        [TEXTS.but(description="two")], [TEXTS], [TEXTS], {}, ["update article refunds description=two"]),
    "a field that the source begins to give is sent where nobody touched it since": (
        [X.but(description="new")], [X.but(description="")], [X.but(description="")], {},
        ["update article refunds description=new"]),
    "overwrite sends ours for the paths that were named and for no other": (
        [ONE, TWO], [ONE.but(title="theirs"), TWO.but(title="theirs")], [ONE, TWO],
        {"overwrite": frozenset({"en/one.md"})}, ["update article one title=Refunds", "two title: drift"]),
    "different edits of one field are a conflict": (
        [X.but(title="ours")], [X.but(title="theirs")], [X.but(title="old")], {}, ["refunds title: conflict"]),
    "without a base a difference is held as a conflict": (
        [X.but(title="ours")], [X.but(title="theirs")], [], {}, ["refunds title: conflict"]),
    "without a base an older revision on the portal is updated": (
        [X.but(title="ours")], [X.but(title="theirs")], [], {"git": OLDER}, ["update article refunds title=ours"]),
    "live = hold leaves what readers see alone": (
        [LIVE.but(title="new")], [LIVE], [LIVE], {"live": "hold"}, ["refunds title: live"]),
    "a move to another category says the position again": (
        [BILLED.but(category="account")], [BILLED], [BILLED], {},
        ["update article refunds category=account position=20"]),
    "a managed article that is gone from the portal is held and not made again": (
        [X], [], [X], {}, ["refunds : gone"]),
    "recreate makes again what is gone": ([X], [], [X], {"recreate": True}, ["create article refunds"]),
    "an article deleted and made anew in the panel under our slug is a stranger": (
        [X.but(title="ours")], [X.but(remote_id=8, title="theirs")], [X.but(title="ours")], {},
        ["refunds title: conflict"]),
    "a source with manage: false is never touched nor taken for an orphan": (
        [X.but(manage=Manage.FALSE, title="new")], [X], [X], {"removed": "delete"}, []),
    "a status that moved here is a change of its own: publish": (
        [LIVE], [DRAFT], [DRAFT], {"publish": True}, ["publish article refunds"]),
    "a status that moved here is a change of its own: unpublish": (
        [DRAFT], [LIVE], [LIVE], {"publish": True}, ["unpublish article refunds"]),
    "a status that moved here is a change of its own: archive": (
        [SHELVED], [DRAFT], [DRAFT], {"publish": True}, ["archive article refunds"]),
    "an article unpublished in the panel is held and not published again": (
        [LIVE], [DRAFT], [LIVE], {"publish": True}, ["refunds status: drift"]),
    "a new slug in the same file is a rename and no second article": (
        [X.but(slug="new", path="en/refunds.md")], [X], [X], {},
        ["update article new slug=new", "KB503 en/refunds.md"]),
    "an alias finds the article under its former slug": (
        [X.but(aliases=("refunds-old",))], [ALIAS], [ALIAS], {},
        ["update article refunds slug=refunds", "KB503 en/refunds.md"]),
    "a category that gets another slug does not move its articles": (
        [BILLING.but(slug="money", path="en/billing.md"), BILLED.but(category="money")], [BILLING, BILLED],
        [BILLING, BILLED], {}, ["update category money slug=money"]),
    "an orphan is reported and stays by default": ([], [X], [X], {}, ["KB501 en/refunds.md"]),
    "an orphan is archived where the settings say so": (
        [], [X], [X], {"removed": "archive"}, ["archive article refunds"]),
    "an orphan is deleted where the settings say so": ([], [X], [X], {"removed": "delete"}, ["delete article refunds"]),
    "an orphan that somebody edited in the panel is held instead of deleted": (
        [], [X.but(title="edited")], [X], {"removed": "delete"}, ["refunds title: drift"]),
    "a category with articles left in it is not deleted": (
        [], [BILLING, IN_BILLING], [BILLING], {"removed": "delete"}, ["KB501 en/billing.md"]),
    "a category is not deleted while an orphan in it is held": (
        [], [BILLING, IN_BILLING.but(content="a person's")], [BILLING, IN_BILLING], {"removed": "delete"},
        ["refunds content: drift", "KB501 en/billing.md"]),
    "an orphan whose category was never agreed on is not deleted": (
        [], [X.but(category="moved-there")], [X], {"removed": "delete"}, ["refunds category: drift"]),
    "a look-alike of an article that is there already is warned of too": (
        [X], [X, X.but(slug="1795227172-refunds", remote_id=8)], [X], {}, ["KB502 en/refunds.md"]),
    "a deleted category goes after its articles": (
        [], [BILLING, IN_BILLING], [BILLING, IN_BILLING], {"removed": "delete"},
        ["delete article refunds", "delete category billing"]),
    "a selector makes nobody an orphan": ([], [X], [X], {"removed": "delete", "whole": False}, []),
}  # fmt: skip


@pytest.mark.parametrize(("here", "there", "base", "policy", "comes"), SIDES.values(), ids=SIDES)
def test_of_three_sides_comes_what_is_promised(here, there, base, policy, comes):
    assert came_of(plan_of(here, there, base, **policy)) == comes


A, B = (
    an_article(slug=slug, remote_id=n, path=f"en/{slug}.md", content=slug.upper()) for n, slug in ((1, "a"), (2, "b"))
)
IN_BILLING_FOLDER = an_article(path="en/billing/refunds.md")

# By what is promised: the sources, the portal, the ledger; and by path what they have agreed on from then on.
AGREED = {
    "both sides made the same edit so nothing is sent and the base moves": (
        [X.but(title="new")], [X.but(title="new")], [X.but(title="old")], {"en/refunds.md": {"title": "new"}}),
    "two files that swap their names and keep slug and text need nothing sent": (
        [A.but(path="en/b.md"), B.but(path="en/a.md")], [A, B], [A, B],
        {"en/b.md": {"slug": "a"}, "en/a.md": {"slug": "b"}}),
    "a moved file with the same slug is the same article": (
        [IN_BILLING_FOLDER.but(path="en/money/refunds.md")], [IN_BILLING_FOLDER], [IN_BILLING_FOLDER],
        {"en/money/refunds.md": {"slug": "refunds"}}),
    "a slug that both sides gave the article is the slug of its base from then on": (
        [A.but(slug="new")], [A.but(slug="new")], [A.but(slug="old")], {"en/a.md": {"slug": "new"}}),
}  # fmt: skip


@pytest.mark.parametrize(("here", "there", "base", "agreed"), AGREED.values(), ids=AGREED)
def test_what_both_sides_have_is_agreed_on_and_nothing_is_sent(here, there, base, agreed):
    plan = plan_of(here, there, base)
    assert plan.changes == plan.held == ()
    found = {item.path: item.fields for item in plan.settled}
    assert {path: {name: found[path][name] for name in agreed[path]} for path in found} == agreed
    assert all(item.slug == item.fields["slug"] for item in plan.settled)


def test_an_article_that_is_only_in_the_tree_is_created_as_a_draft():
    plan = plan_of(desired=[an_article(title="Refunds")])
    (change,) = plan.changes
    assert (change.action, change.status, change.remote_id) == (Action.CREATE, Status.DRAFT, None)
    assert change.after == {"slug": "refunds", "title": "Refunds", "content": "text"}


def test_a_create_sends_no_field_that_the_service_does_not_keep():
    keeps = {**POLICY.keeps, "article": frozenset({"slug", "title", "content"})}
    plan = plan_of(desired=[an_article(position=20)], keeps=keeps)
    assert "position" not in plan.changes[0].after


# --- update, drift, conflict -----------------------------------------------------------------------------------------


def test_a_field_that_the_source_leaves_out_is_not_ours_and_never_drifts():
    base = an_article(description="from the panel")
    plan = plan_of([base.without("description")], [base.but(description="edited again")], [base])
    assert (plan.changes, plan.held, plan.unchanged) == ((), (), 1)


def test_the_same_article_on_both_sides_without_a_base_is_adopted_and_nothing_is_sent():
    article = an_article()
    plan = plan_of([article], [article.but(description="the panel's own")])
    assert actions(plan) == ["adopt article refunds"]
    assert plan.sent == ()
    assert plan.settled[0].fields == {"slug": "refunds", "title": "Refunds", "content": "text"}


def test_a_text_that_only_the_panel_gave_is_not_overwritten_when_the_source_begins_to_give_that_field():
    portal = an_article(description="the panel's own")
    adopted = plan_of([an_article()], [portal]).settled[0]
    plan = plan_of([an_article(description="ours")], [portal], [adopted])
    assert holds(plan) == {"description": "conflict"}


def test_an_adoption_does_not_agree_to_a_status_that_the_source_does_not_share():
    source, portal = an_article(status=Status.DRAFT), an_article(status=Status.PUBLISHED)
    first = plan_of([source], [portal], publish=True)
    assert holds(first) == {"status": "conflict"}
    second = plan_of([source], [portal], first.settled, publish=True)
    assert second.changes == () and holds(second) == {"status": "conflict"}


def test_an_update_that_the_profile_cannot_make_is_held_and_says_what_to_do():
    base = an_article()
    plan = plan_of([base.but(title="new")], None, [base], can=frozenset({"create_article"}))
    (held,) = plan.held
    assert (held.reason, held.fields) == (Reason.UNSUPPORTED, ("title",)) and "by hand" in held.hint


# --- gone, unknown, seed, false --------------------------------------------------------------------------------------


def test_a_new_article_waits_for_its_category_that_a_person_deleted():
    category = a_category(path="en/billing/_category.md")
    article = an_article(path="en/billing/refunds.md", category="billing")
    plan = plan_of(desired=[category, article], base=[category])
    assert plan.changes == ()
    assert [(str(held.reason), held.path) for held in plan.held] == [
        ("gone", "en/billing/_category.md"),
        ("unknown", "en/billing/refunds.md"),
    ]
    assert plan.held[1].hint == "Its category `billing` needs your decision first."
    again = plan_of(desired=[category, article], base=[category], recreate=True)
    assert actions(again) == ["create category billing", "create article refunds"]


def test_a_create_that_may_be_under_way_is_held_as_unknown_where_nobody_can_look():
    pending = a_lost_create(title="Refunds")
    plan = plan_of([an_article()], None, [], pending=[pending])
    assert plan.changes == () and [held.reason for held in plan.held] == [Reason.UNKNOWN]
    assert "--recreate" in plan.held[0].hint
    again = plan_of([an_article()], None, [], pending=[pending], recreate=True)
    assert actions(again) == ["create article refunds"]


def test_a_seed_is_created_once_and_left_alone_afterwards():
    seed = an_article(manage=Manage.SEED)
    assert actions(plan_of([seed])) == ["create article refunds"]
    plan = plan_of([seed.but(title="new")], [seed.but(title="theirs")], [seed])
    assert (plan.changes, plan.held, plan.unchanged) == ((), (), 1)


def test_a_status_that_both_sides_changed_alike_settles_so_that_a_later_edit_in_the_panel_is_seen():
    base = an_article(status=Status.DRAFT)
    published = base.but(status=Status.PUBLISHED)
    plan = plan_of([published], [published], [base], publish=True)
    assert plan.changes == () and [item.status for item in plan.settled] == [Status.PUBLISHED]
    later = plan_of([published], [base], plan.settled, publish=True)
    assert later.changes == () and holds(later) == {"status": "drift"}


# --- slugs, paths, aliases -------------------------------------------------------------------------------------------


def test_two_sources_that_swap_their_slugs_stay_the_articles_they_were_and_one_steps_aside_for_a_moment():
    plan = plan_of([A.but(slug="b"), B.but(slug="a")], [A, B], [A, B])
    sent = [(change.turn, change.remote_id, change.before["slug"], change.after) for change in plan.changes]
    assert sent == [
        (0, 1, "a", {"slug": "a--kbsync-moving"}),
        (1, 2, "b", {"slug": "a"}),
        (2, 1, "a--kbsync-moving", {"slug": "b"}),
    ]


def test_a_slug_that_one_source_gives_up_is_free_before_another_takes_it():
    new = an_article(slug="a", path="en/new.md", content="New")
    plan = plan_of([A.but(slug="b"), B.but(slug="c"), new], [A, B], [A, B])
    sent = [(change.turn, change.action, change.after["slug"]) for change in plan.changes]
    assert sent == [(0, "update", "c"), (1, "update", "b"), (2, "create", "a")]


def test_a_service_that_renumbers_nothing_is_sent_the_category_alone():
    base = an_article(category="billing", position=20)
    (change,) = plan_of([base.but(category="account")], [base], [base], side_effects=SideEffects()).changes
    assert (change.after, change.displaced) == ({"category": "account"}, ())


# --- what is not wanted ----------------------------------------------------------------------------------------------


def test_what_is_on_the_portal_and_not_ours_is_counted_and_never_touched():
    plan = plan_of([], [an_article()], [], removed="delete")
    assert plan.changes == () and [item.slug for item in plan.unmanaged] == ["refunds"]


@pytest.mark.parametrize(
    ("item", "removed", "advice"),
    [
        (an_article(), "report", 'set [push] removed to "archive" or "delete".'),
        (a_category(), "report", 'set [push] removed to "delete".'),
        (a_category(), "archive", 'set [push] removed to "delete".'),
    ],
)
def test_an_orphan_that_stays_advises_only_what_is_not_set_already_and_what_its_kind_has(item, removed, advice):
    (finding,) = plan_of([], [item], [item], removed=removed).warnings
    assert finding.hint.endswith(advice)
    assert "aliases:" not in finding.hint  # No new file could be it.


def test_an_orphan_beside_a_new_file_says_how_that_could_be_it():
    orphan, new = an_article(), an_article(slug="other", title="Another", path="en/other.md", content="Other words.")
    (finding,) = plan_of([new], [orphan], [orphan], removed="report").warnings
    assert "If you renamed the file, add `aliases: [refunds]` to the new one." in finding.hint


def test_an_orphan_that_is_gone_on_the_portal_too_is_forgotten():
    plan = plan_of([], [], [an_article()])
    assert plan.changes == () and plan.held == () and [base.slug for base in plan.forgotten] == ["refunds"]


def test_an_orphan_whose_category_gets_another_slug_in_the_same_plan_is_deleted_all_the_same():
    category, article = a_category(slug="a", path="en/a/_category.md"), an_article(category="a", remote_id=9)
    plan = plan_of([category.but(slug="z")], [category, article], [category, article], removed="delete")
    assert actions(plan) == ["update category z", "delete article refunds"]
    assert plan.changes[1].before["category"] == "z"


def test_what_kbsync_did_not_make_is_not_called_changed_here_and_in_the_panel():
    (held,) = plan_of([an_article(title="ours")], [an_article(title="theirs")]).held
    assert "a value that this file never had in the ledger or in git" in held.hint


def test_a_plan_that_removes_too_much_refuses_itself_and_names_the_limit():
    articles = [an_article(slug=f"a{n}", remote_id=n) for n in range(50)]
    plan = plan_of(articles[6:], articles, articles, removed="delete", max_fraction=0.1)
    assert plan.refused is not None and (plan.refused.removals, plan.refused.allowed) == (6, 5)
    assert "removes 6 of the 50 items that kbsync has published. [push] max_removals allows 10%" in plan.refused.message
    assert len(plan.changes) == 6, "a plan that is refused is shown"
    assert plan_of(articles[5:], articles, articles, removed="delete", max_fraction=0.1).refused is None


@pytest.mark.parametrize(
    ("number", "share", "option", "removals", "refused"),
    [(10, 0.1, None, 3, False), (10, 0.1, None, 4, True), (10, 0.0, None, 1, True), (10, 0.5, None, 5, False),
     (10, 0.5, None, 6, True), (10, 0.1, 4, 4, False), (10, 0.5, 2, 3, True), (10, 0.1, 0, 1, True),
     (10, 0.07, None, 7, True), (100, 0.07, None, 7, False), (100, 0.07, None, 8, True)],
)  # fmt: skip
def test_a_share_of_few_items_allows_three_removals_one_of_many_is_exact_and_an_option_counts_once(
    number, share, option, removals, refused
):
    articles = [an_article(slug=f"a{n}", remote_id=n) for n in range(number)]
    found = plan_of(
        articles[removals:], articles, articles, removed="delete", max_fraction=share, allow_removals=option
    )
    assert (found.refused is not None) is refused


def test_an_article_made_in_the_panel_that_looks_like_ours_is_warned_of():
    plan = plan_of([an_article(title="Refunds")], [an_article(slug="1795227172-refunds", title="Refunds")])
    assert actions(plan) == ["create article refunds"]
    assert [finding.code for finding in plan.warnings] == ["KB502"]
    assert "aliases: [1795227172-refunds]" in plan.warnings[0].hint


# --- the whole -------------------------------------------------------------------------------------------------------


def test_categories_come_before_articles_the_default_locale_before_others_and_statuses_after():
    items = [
        an_article(slug="b", locale="fr", path="fr/b.md"),
        an_article(slug="a", path="en/z.md", status=Status.PUBLISHED),
        a_category(locale="fr", slug="c", path="fr/c/_category.md"),
        a_category(slug="c", path="en/c/_category.md"),
    ]
    plan = plan_of(items, publish=True)
    assert [(change.action.value, change.path) for change in plan.changes] == [
        ("create", "en/c/_category.md"),
        ("create", "fr/c/_category.md"),
        ("create", "en/z.md"),
        ("create", "fr/b.md"),
        ("publish", "en/z.md"),
    ]


def test_the_estimate_counts_one_request_for_a_create_two_for_an_update_and_none_for_an_adoption():
    base = an_article(slug="b", remote_id=2)
    plan = plan_of(
        [an_article(slug="a"), base.but(title="new"), an_article(slug="c", remote_id=3)],
        [base, an_article(slug="c", remote_id=3)],
        [base],
    )
    assert plan.requests == 3


def test_what_had_another_slug_before_is_not_made_where_the_list_of_the_portal_had_gaps():
    git = GitWord(former={"en/refunds.md": (Former("en/refunds.md", "en", "refunds-old"),)})
    known = Known([], git=git, complete=False)
    (held,) = build_plan(TARGET, [an_article().desired()], known, policy=POLICY).held
    assert held.reason is Reason.UNKNOWN and "Run `kbsync plan` again" in held.hint
    same = GitWord(former={"en/refunds.md": (Former("en/refunds.md", "en", "refunds"),)})
    for bases, made in (((), []), ([a_category().base()], ["create article refunds"])):
        # Without any record not even a slug that never changed says that a file is new.
        known = Known([a_category().observed()], bases, git=same, complete=False)
        plan = build_plan(TARGET, [an_article().desired()], known, policy=POLICY)
        assert actions(plan) == made
