"""A vanished source with nearly the same text is a rename; between equals nobody guesses."""

import pytest
from msgspec import structs

from kbsync.model import Action, Reason, Status
from kbsync.plan.build import build_plan
from kbsync.plan.known import NEVER, Former, GitWord, Known
from kbsync.plan.match import match_items, weigh
from kbsync.plan.texts import bodies_to_compare, compared

from .items import POLICY, TARGET, a_category, an_article, plan_of

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


def matched(items, known, side="observed"):
    """By path: the article that a source is found to be on one side, or None."""
    tree = [item.desired() for item in items]
    found = match_items(tree, weigh(tree, known)).matched
    return {match.desired.path: getattr(match, side) and getattr(match, side).remote_id for match in found}


EDITED = TEXT.replace("five days", "a week")
UNLIKE = "Invoices are sent on the first of each month to the address of the account, as a file to print."
LESS_LIKE = TEXT.replace("payment, choose refund, and confirm", "menu and press nothing at all, then wait")
FRENCH = "Pour rembourser un paiement, ouvrez-le, choisissez remboursement, puis confirmez votre choix."
COPY = NEW.but(slug="copy", path="en/copy.md")
OTHER = an_article(slug="other", remote_id=2, path="en/other.md", content="blake2b:3")
HERE_IN_FRENCH, HERE_IN_GERMAN = (NEW.but(locale=c, path=f"{c}/old.md", slug=f"old-{c}") for c in ("fr", "de"))

# By what is promised: new sources, old articles, the texts of both; what is found, and what is unclear.
RENAMES = {
    "a new source with nearly the text of a vanished one is that article": (
        [NEW], [OLD], {"en/new.md": EDITED}, {1: TEXT}, {"en/new.md": 1}, {}),
    "another text is another article even under the same title": (
        [NEW.but(title="Refunds")], [OLD], {"en/new.md": UNLIKE}, {1: TEXT}, {}, {}),
    "between two new sources that are as near nobody guesses": (
        [NEW, COPY], [OLD], {"en/new.md": TEXT, "en/copy.md": TEXT}, {1: TEXT},
        {}, {"en/new.md": ["old"], "en/copy.md": ["old"]}),
    "the nearer of two is taken": (
        [NEW], [OLD, OTHER], {"en/new.md": TEXT}, {1: TEXT, 2: LESS_LIKE}, {"en/new.md": 1}, {}),
    "an article whose source is still there is nobody's former self": ([NEW, OLD], [OLD], {}, {}, {"en/old.md": 1}, {}),
    "a file with the text of a vanished one in another locale has moved there": (
        [NEW.but(locale="fr", path="fr/new.md")], [OLD], {"fr/new.md": TEXT}, {1: TEXT}, {"fr/new.md": 1}, {}),
    "a file at the same place below another locale with nearly the same text has moved there": (
        [HERE_IN_FRENCH], [OLD], {"fr/old.md": EDITED}, {1: TEXT}, {"fr/old.md": 1}, {}),
    "a translation at the same place is no move": ([HERE_IN_FRENCH], [OLD], {"fr/old.md": FRENCH}, {1: TEXT}, {}, {}),
    "between two locales that an article may have moved to nobody guesses": (
        [HERE_IN_FRENCH, HERE_IN_GERMAN], [OLD], {"fr/old.md": TEXT, "de/old.md": TEXT}, {1: TEXT},
        {}, {"fr/old.md": ["old"], "de/old.md": ["old"]}),
    "a few words say nothing": ([NEW], [OLD], {"en/new.md": "Some words."}, {1: "Some words."}, {}, {}),
    "a few words say something where the title agrees": (
        [NEW.but(title="Refunds")], [OLD], {"en/new.md": "Some words."}, {1: "Some words."}, {"en/new.md": 1}, {}),
}  # fmt: skip


@pytest.mark.parametrize(("new", "old", "texts", "former", "found", "unclear"), RENAMES.values(), ids=RENAMES)
def test_what_has_nearly_the_text_of_what_vanished_is_that_and_nobody_guesses(new, old, texts, former, found, unclear):
    assert renames(new, old, texts, former) == (found, unclear)


def test_between_two_old_articles_that_are_as_near_the_source_is_held_and_both_are_named():
    twin = an_article(slug="twin", remote_id=2, path="en/twin.md", content="blake2b:3")
    known = known_of([NEW], [OLD, twin], {"en/new.md": TEXT}, {1: TEXT, 2: TEXT})
    plan = build_plan(TARGET, [NEW.desired()], known, policy=POLICY)
    assert plan.changes == () and plan.warnings == ()
    (held,) = plan.held
    assert (held.reason, held.path) == (Reason.UNKNOWN, "en/new.md")
    assert "article 1 `old` (nearly the same text) or article 2 `twin`" in held.hint and "aliases: [old]" in held.hint


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
    known = Known([there.observed()], git=git)
    weighed = weigh([taken.desired(), moved.desired()], known)
    texts = {"en/taken.md": "Invoices are sent on the first of each month.", "fr/moved.md": TEXT}
    pairs = compared(weighed, bodies_to_compare(weighed), texts, {("article", 1): TEXT})
    found = matched([taken, moved], structs.replace(known, likeness=pairs))
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
    known = Known([], [OLD.base()])
    assert matched([moved, taken], known, "base") == expected
    # A file that was rewritten in place and kept any of these is still that article.
    found = matched([moved, taken.but(title="Refunds")], known, "base")
    assert {path for path, number in found.items() if number} == {"en/old.md"}


def test_of_a_category_that_is_gone_the_file_decides_for_its_slug_alone_says_no_more():
    gone = a_category(slug="setup", remote_id=1, path="en/setup/_category.md")
    kept = gone.but(slug="install")
    other = gone.but(path="en/first/_category.md", name="First steps")
    found = matched([kept, other], Known([], [gone.base()]), "base")
    assert {path for path, number in found.items() if number} == {"en/setup/_category.md"}


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
    plan = plan_of([one.but(slug="two"), two.but(slug="one")], [one, two], [one, two])
    told = {finding.path: finding.message for finding in plan.warnings if finding.code == "KB503"}
    assert "/articles/one will show another article, `en/two.md`, which is not published" in told["en/one.md"]
    assert (
        "The slug becomes `one`. The old address /articles/two will show another article, `en/one.md`."
        in told["en/two.md"]
    )


GONE = "/articles/old will be 404 at once."
EVERYBODY = "Links from elsewhere (emails, search engines) break."
LIST_IT = "To have it in the list of `kbsync redirects`, add `aliases: [old]` to the file."


@pytest.mark.parametrize(
    ("status", "aliases", "message", "hint"),
    [  # A draft's address answers too; the list of redirects has what the file has as an alias.
        ("published", ("old",), GONE, f"{EVERYBODY} `kbsync redirects` lists the old address for your web server."),
        ("published", (), GONE, f"{EVERYBODY} {LIST_IT}"),
        ("archived", (), GONE,
         f"It is archived, so lists and search do not show it. Only addresses that you shared break. {LIST_IT}"),
        ("draft", (), "If you shared the old address /articles/old, it stops working.",
         "Share the new address after the push."),
    ],
)  # fmt: skip
def test_an_address_that_dies_is_told_with_who_loses_it_and_where_it_is_listed(status, aliases, message, hint):
    item = an_article(slug="old", path="en/x.md", status=Status(status))
    (warning,) = plan_of([item.but(slug="new", aliases=aliases)], [item], [item]).warnings
    assert warning.code == "KB503" and warning.message.endswith(message) and warning.hint.endswith(f" {hint}")
    assert ("404" in warning.message) is (message == GONE)


def test_an_address_that_never_answered_is_no_loss():
    item = an_article(slug="v1.2", path="en/x.md", status=Status.PUBLISHED)
    assert plan_of([item.but(slug="v1-2")], [item], [item]).warnings == ()


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
    assert matched([moved, ring], known) == {"en/one.md": 1, "en/three.md": 3}
    # The text decides against the slug of another file: the alias of a rename that is not pushed yet.
    alike = {**unlike, ("en/one.md", 3): 0.9}
    known = Known([first.observed(), third.observed()], git=git, likeness=alike)
    assert matched([moved, ring], known)["en/one.md"] == 3
