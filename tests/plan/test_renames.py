"""A vanished source with nearly the same text is a rename; between equals nobody guesses."""

from __future__ import annotations

import pytest
from msgspec import structs

from kbsync.model import Action, Reason, Status
from kbsync.plan.build import build_plan
from kbsync.plan.known import NEVER, Former, GitWord, Known
from kbsync.plan.match import match_items, weigh
from kbsync.plan.texts import bodies_to_compare, compared

from .items import POLICY, TARGET, a_category, an_article

TEXT = "To refund a charge open the payment, choose refund, and confirm. The money arrives within five days."
OLD = an_article(slug="old", remote_id=1, path="en/old.md", content="blake2b:1")
NEW = an_article(slug="new", path="en/new.md", content="blake2b:2", title="Give money back")


def known_of(new, old, texts, former) -> Known:
    """What is known once the bodies were compared."""
    known = Known([item.observed() for item in old], [item.base() for item in old])
    weighed = weigh([item.desired() for item in new], known)
    theirs = {("article", number): text for number, text in former.items()}
    pairs = compared(weighed, bodies_to_compare(weighed), texts, theirs)
    return Known(known.observed, known.bases, likeness=pairs)


def renames(new, old, texts, former):
    """Which source is found to be which article, by path, and what is unclear."""
    desired = [item.desired() for item in new]
    matches = match_items(desired, weigh(desired, known_of(new, old, texts, former)))
    found = {match.desired.path: match.observed.remote_id for match in matches.matched if match.observed}
    return found, {item.desired.path: [r.article.some.slug for r in item.readings] for item in matches.unclear}


def test_a_new_source_with_nearly_the_text_of_a_vanished_one_is_that_article():
    edited = TEXT.replace("five days", "a week")
    assert renames([NEW], [OLD], {"en/new.md": edited}, {1: TEXT}) == ({"en/new.md": 1}, {})


def test_another_text_is_another_article_even_under_the_same_title():
    other = "Invoices are sent on the first of each month to the address of the account, as a file to print."
    assert renames([NEW.but(title="Refunds")], [OLD], {"en/new.md": other}, {1: TEXT}) == ({}, {})


def test_between_two_old_articles_that_are_as_near_the_source_is_held_and_both_are_named():
    twin = an_article(slug="twin", remote_id=2, path="en/twin.md", content="blake2b:3")
    known = known_of([NEW], [OLD, twin], {"en/new.md": TEXT}, {1: TEXT, 2: TEXT})
    plan = build_plan(TARGET, [NEW.desired()], known, policy=POLICY)
    assert plan.changes == () and plan.warnings == ()
    (held,) = plan.held
    assert (held.reason, held.path) == (Reason.UNKNOWN, "en/new.md")
    assert "article 1 `old` (nearly the same text) or article 2 `twin`" in held.hint and "aliases: [old]" in held.hint


def test_between_two_new_sources_that_are_as_near_nobody_guesses():
    copy = NEW.but(slug="copy", path="en/copy.md")
    found, unclear = renames([NEW, copy], [OLD], {"en/new.md": TEXT, "en/copy.md": TEXT}, {1: TEXT})
    assert (found, unclear) == ({}, {"en/new.md": ["old"], "en/copy.md": ["old"]})


def test_the_nearer_of_two_is_taken():
    other = an_article(slug="other", remote_id=2, path="en/other.md", content="blake2b:3")
    texts = {
        1: TEXT,
        2: TEXT.replace("payment, choose refund, and confirm", "menu and press nothing at all, then wait"),
    }
    assert renames([NEW], [OLD, other], {"en/new.md": TEXT}, texts)[0] == {"en/new.md": 1}


def test_an_article_whose_source_is_still_there_is_nobodys_former_self():
    assert renames([NEW, OLD], [OLD], {}, {}) == ({"en/old.md": 1}, {})


def test_a_file_with_the_text_of_a_vanished_one_in_another_locale_has_moved_there():
    moved = NEW.but(locale="fr", path="fr/new.md")
    assert renames([moved], [OLD], {"fr/new.md": TEXT}, {1: TEXT}) == ({"fr/new.md": 1}, {})


def test_a_file_at_the_same_place_below_another_locale_with_nearly_the_same_text_has_moved_there():
    moved, edited = NEW.but(locale="fr", path="fr/old.md", slug="old-fr"), TEXT.replace("five days", "a week")
    assert renames([moved], [OLD], {"fr/old.md": edited}, {1: TEXT})[0] == {"fr/old.md": 1}


def test_a_translation_at_the_same_place_is_no_move():
    text = "Pour rembourser un paiement, ouvrez-le, choisissez remboursement, puis confirmez votre choix."
    moved = NEW.but(locale="fr", path="fr/old.md", slug="old-fr")
    assert renames([moved], [OLD], {"fr/old.md": text}, {1: TEXT}) == ({}, {})


def test_between_two_locales_that_an_article_may_have_moved_to_nobody_guesses():
    moved = [NEW.but(locale=code, path=f"{code}/old.md", slug=f"old-{code}") for code in ("fr", "de")]
    found, unclear = renames(moved, [OLD], {"fr/old.md": TEXT, "de/old.md": TEXT}, {1: TEXT})
    assert (found, sorted(unclear)) == ({}, ["de/old.md", "fr/old.md"])


def test_an_article_whose_place_a_new_file_took_is_found_in_the_locale_that_its_file_moved_to():
    """`git mv` from one locale to another, and a rename of what took the first path: git follows that one."""
    taken = an_article(slug="taken", path="en/taken.md", title="Invoices", content="blake2b:3")
    moved = an_article(slug="moved-fr", locale="fr", path="fr/moved.md", title="Refunds", content="blake2b:4")
    there = OLD.but(title="A person's", path="")
    git = GitWord(
        former={
            "en/taken.md": (Former("en/taken.md", "en", "taken"), Former("en/old.md", "en", "old", 10)),
            "fr/moved.md": (Former("fr/moved.md", "fr", "moved-fr"), Former("en/moved.md", "en", "moved", 10)),
        }
    )
    desired, known = [taken.desired(), moved.desired()], Known([there.observed()], git=git)
    weighed = weigh(desired, known)
    texts = {"en/taken.md": "Invoices are sent on the first of each month.", "fr/moved.md": TEXT}
    pairs = compared(weighed, bodies_to_compare(weighed), texts, {("article", 1): TEXT})
    matches = match_items(desired, weigh(desired, structs.replace(known, likeness=pairs)))
    found = {match.desired.path: match.observed and match.observed.remote_id for match in matches.matched}
    assert found == {"en/taken.md": None, "fr/moved.md": 1}


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Refunds", {"en/old.md": None, "en/new.md": 1}),
        ("Money back", {}),  # Of the slug alone it is not clear: it may have been given to another file.
    ],
)
def test_of_an_article_that_is_gone_the_file_that_kept_slug_and_title_outweighs_another_at_its_path(title, expected):
    """A file moved, a new one took its path, and a person deleted the article: no second one is made of it."""
    moved = an_article(slug="old", path="en/new.md", title=title, content="blake2b:2")
    taken = an_article(slug="taken", path="en/old.md", title="Invoices", content="blake2b:3")
    desired = [moved.desired(), taken.desired()]
    matches = match_items(desired, weigh(desired, Known([], [OLD.base()])))
    assert {match.desired.path: match.base and match.base.remote_id for match in matches.matched} == expected
    # A file that was rewritten in place and kept any of these is still that article.
    kept = taken.but(title="Refunds")
    desired = [moved.desired(), kept.desired()]
    matches = match_items(desired, weigh(desired, Known([], [OLD.base()])))
    assert {m.desired.path for m in matches.matched if m.base} == {"en/old.md"}


def test_of_a_category_that_is_gone_the_file_decides_for_its_slug_alone_says_no_more():
    gone = a_category(slug="setup", remote_id=1, path="en/setup/_category.md")
    kept = gone.but(slug="install")
    other = gone.but(path="en/first/_category.md", name="First steps")
    desired = [kept.desired(), other.desired()]
    matches = match_items(desired, weigh(desired, Known([], [gone.base()])))
    assert {match.desired.path for match in matches.matched if match.base} == {"en/setup/_category.md"}


def test_a_few_words_say_nothing_unless_the_title_agrees():
    assert renames([NEW], [OLD], {"en/new.md": "Some words."}, {1: "Some words."})[0] == {}
    assert renames([NEW.but(title="Refunds")], [OLD], {"en/new.md": "Some words."}, {1: "Some words."})[0]


def test_a_rename_is_an_update_that_says_where_the_article_was_and_which_address_dies():
    known = known_of([NEW], [OLD], {"en/new.md": TEXT}, {1: TEXT})
    plan = build_plan(TARGET, [NEW.desired()], known, policy=POLICY)
    (change,) = plan.changes
    assert (change.action, change.remote_id, change.was) == (Action.UPDATE, 1, "en/old.md")
    assert (change.before["slug"], change.after["slug"]) == ("old", "new")
    assert [finding.code for finding in plan.warnings] == ["KB503"]
    assert "/articles/old" in plan.warnings[0].message


def test_an_address_that_another_article_takes_is_told_with_what_it_will_show():
    one = an_article(slug="one", remote_id=1, path="en/one.md", content="1", status=Status.PUBLISHED)
    two = an_article(slug="two", remote_id=2, path="en/two.md", content="2")
    desired = [one.but(slug="two").desired(), two.but(slug="one").desired()]
    there, bases = [one.observed(), two.observed()], [one.base(), two.base()]
    plan = build_plan(TARGET, desired, Known(there, bases), policy=POLICY)
    told = {finding.path: finding.message for finding in plan.warnings if finding.code == "KB503"}
    assert "/articles/one will show another article, `en/two.md`, which is not published" in told["en/one.md"]
    assert (
        "The slug becomes `one`. The old address /articles/two will show another article, `en/one.md`."
        in told["en/two.md"]
    )


@pytest.mark.parametrize(
    ("status", "breaks"),
    [
        (Status.PUBLISHED, "Links from elsewhere (emails, search engines) break"),
        (Status.ARCHIVED, "It is archived, so lists and search do not show it. Only addresses that you shared break"),
    ],
)
def test_who_loses_the_address_depends_on_the_status_since_drafts_answer_too(status, breaks):
    item = an_article(slug="old", path="en/x.md", status=status)
    known = Known([item.observed()], [item.base()])
    (warning,) = build_plan(TARGET, [item.but(slug="new").desired()], known, policy=POLICY).warnings
    assert "/articles/old will be 404 at once" in warning.message
    assert breaks in warning.hint


def test_a_draft_that_moves_loses_only_what_was_shared():
    item = an_article(slug="old", path="en/x.md", status=Status.DRAFT)
    known = Known([item.observed()], [item.base()])
    (warning,) = build_plan(TARGET, [item.but(slug="new").desired()], known, policy=POLICY).warnings
    assert warning.code == "KB503" and "404" not in warning.message
    assert "If you shared the old address /articles/old, it stops working." in warning.message


def test_an_address_that_never_answered_is_no_loss():
    item = an_article(slug="v1.2", path="en/x.md", status=Status.PUBLISHED)
    known = Known([item.observed()], [item.base()])
    assert build_plan(TARGET, [item.but(slug="v1-2").desired()], known, policy=POLICY).warnings == ()


@pytest.mark.parametrize(
    ("aliases", "hint"),
    [
        (("old",), "`kbsync redirects` lists the old address for your web server."),
        ((), "To have it in the list of `kbsync redirects`, add `aliases: [old]` to the file."),
    ],
)
def test_a_dying_address_is_in_the_list_of_redirects_where_the_file_has_it_as_an_alias(aliases, hint):
    item = an_article(slug="old", path="en/x.md", status=Status.PUBLISHED)
    known = Known([item.observed()], [item.base()])
    (warning,) = build_plan(TARGET, [item.but(slug="new", aliases=aliases).desired()], known, policy=POLICY).warnings
    assert warning.hint.endswith(f"break. {hint}")


def test_an_alias_of_an_older_branch_does_not_take_the_article_of_a_file_that_has_that_slug_by_now():
    """`kbsync mv` on a branch from before a ring of slugs, without a ledger, and the panel edited both texts."""
    moved = an_article(slug="uno", aliases=("one",), path="en/one.md", title="One", content="one")
    ring = an_article(slug="one", path="en/three.md", title="Three", content="three")
    first = moved.but(slug="two", content="one, edited", remote_id=1)
    third = ring.but(content="three, edited", remote_id=3)
    git = GitWord(
        former={"en/one.md": (Former("en/one.md", "en", "two", NEVER), Former("en/one.md", "en", "one", NEVER))}
    )
    unlike = {(path, node): 0.1 for path in ("en/one.md", "en/three.md") for node in (1, 3)}
    known = Known([first.observed(), third.observed()], git=git, likeness=unlike)
    tree = [moved.desired(), ring.desired()]
    found = match_items(tree, weigh(tree, known)).matched
    assert {match.desired.path: match.observed and match.observed.remote_id for match in found} == {
        "en/one.md": 1,
        "en/three.md": 3,
    }
    # The text decides against the slug of another file: the alias of a rename that is not pushed yet.
    alike = {**unlike, ("en/one.md", 3): 0.9}
    known = Known([first.observed(), third.observed()], git=git, likeness=alike)
    found = match_items(tree, weigh(tree, known)).matched
    assert {match.desired.path: match.observed and match.observed.remote_id for match in found}["en/one.md"] == 3
