"""A vanished source with nearly the same text is a rename; between equals nobody guesses."""

from __future__ import annotations

from kbsync.model import Action, Status
from kbsync.plan.build import build_plan
from kbsync.plan.match import match_items
from kbsync.plan.renames import find_renames, strays_of

from .items import POLICY, TARGET, an_article

TEXT = "To refund a charge open the payment, choose refund, and confirm. The money arrives within five days."
OLD = an_article(slug="old", remote_id=1, path="en/old.md", content="blake2b:1")
NEW = an_article(slug="new", path="en/new.md", content="blake2b:2", title="Give money back")


def renames(new, old, texts, former):
    matches = match_items([i.desired() for i in new], [i.observed() for i in old], [i.base() for i in old])
    return find_renames(strays_of(matches), texts, former)


def test_a_new_source_with_nearly_the_text_of_a_vanished_one_is_that_article():
    edited = TEXT.replace("five days", "a week")
    assert renames([NEW], [OLD], {"en/new.md": edited}, {1: TEXT}).found == {"en/new.md": 1}


def test_another_text_is_another_article_even_under_the_same_title():
    other = "Invoices are sent on the first of each month to the address of the account, as a file to print."
    assert renames([NEW.but(title="Refunds")], [OLD], {"en/new.md": other}, {1: TEXT}).found == {}


def test_between_two_old_articles_that_are_as_near_nobody_guesses_and_the_plan_says_so():
    twin = an_article(slug="twin", remote_id=2, path="en/twin.md", content="blake2b:3")
    found = renames([NEW], [OLD, twin], {"en/new.md": TEXT}, {1: TEXT, 2: TEXT})
    assert found.found == {}
    assert [(finding.code, finding.path) for finding in found.doubtful] == [("KB505", "en/new.md")]
    assert "`old`, `twin`" in found.doubtful[0].message


def test_between_two_new_sources_that_are_as_near_nobody_guesses():
    copy = NEW.but(slug="copy", path="en/copy.md")
    assert renames([NEW, copy], [OLD], {"en/new.md": TEXT, "en/copy.md": TEXT}, {1: TEXT}).found == {}


def test_the_nearer_of_two_is_taken():
    other = an_article(slug="other", remote_id=2, path="en/other.md", content="blake2b:3")
    texts = {
        1: TEXT,
        2: TEXT.replace("payment, choose refund, and confirm", "menu and press nothing at all, then wait"),
    }
    assert renames([NEW], [OLD, other], {"en/new.md": TEXT}, texts).found == {"en/new.md": 1}


def test_an_article_whose_source_is_still_there_is_nobodys_former_self():
    matches = match_items([NEW.desired(), OLD.desired()], [OLD.observed()], [OLD.base()])
    assert strays_of(matches).new == ()


def test_another_locale_is_no_rename():
    assert renames([NEW.but(locale="fr", path="fr/new.md")], [OLD], {"fr/new.md": TEXT}, {1: TEXT}).found == {}


def test_a_file_at_the_same_place_below_another_locale_with_nearly_the_same_text_has_moved_there():
    moved, edited = NEW.but(locale="fr", path="fr/old.md", slug="old-fr"), TEXT.replace("five days", "a week")
    assert renames([moved], [OLD], {"fr/old.md": edited}, {1: TEXT}).found == {"fr/old.md": 1}


def test_a_translation_at_the_same_place_is_no_move():
    text = "Pour rembourser un paiement, ouvrez-le, choisissez remboursement, puis confirmez votre choix."
    moved = NEW.but(locale="fr", path="fr/old.md", slug="old-fr")
    assert renames([moved], [OLD], {"fr/old.md": text}, {1: TEXT}).found == {}


def test_between_two_locales_that_an_article_may_have_moved_to_nobody_guesses():
    moved = [NEW.but(locale=code, path=f"{code}/old.md", slug=f"old-{code}") for code in ("fr", "de")]
    found = renames(moved, [OLD], {"fr/old.md": TEXT, "de/old.md": TEXT}, {1: TEXT})
    assert (found.found, [finding.code for finding in found.doubtful]) == ({}, ["KB505", "KB505"])


def test_a_few_words_say_nothing_unless_the_title_agrees():
    assert renames([NEW], [OLD], {"en/new.md": "Some words."}, {1: "Some words."}).found == {}
    assert renames([NEW.but(title="Refunds")], [OLD], {"en/new.md": "Some words."}, {1: "Some words."}).found


def test_a_rename_is_an_update_that_says_where_the_article_was_and_which_address_dies():
    found = renames([NEW], [OLD], {"en/new.md": TEXT}, {1: TEXT})
    plan = build_plan(TARGET, [NEW.desired()], [OLD.observed()], [OLD.base()], policy=POLICY, renames=found)
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
    plan = build_plan(TARGET, desired, there, bases, policy=POLICY)
    told = {finding.path: finding.message for finding in plan.warnings if finding.code == "KB503"}
    assert "/articles/one will be 404 until `en/two.md`, which takes it, is published" in told["en/one.md"]
    assert "/articles/two will show another article, `en/one.md`: the slug becomes `one`" in told["en/two.md"]
