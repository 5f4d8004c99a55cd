"""Deciding what is held, by flags and by hand."""

import pytest

from commands import Done
from kbsync.sandbox import Sandbox

pytestmark = pytest.mark.slow

INVOICES = "content/en/billing/invoices.md"
OURS = "---\ntitle: Bills\nposition: 20\n---\nText.\n"


def category(portal: Sandbox, column: str, locale: str = "en"):
    """What the portal has of the category `billing`."""
    query = f"SELECT {column} FROM categories WHERE slug = 'billing' AND locale = ?"
    return portal.panel.run(lambda world: world.store.row(query, (locale,)))[0]


@pytest.fixture
def drifted(pushed, portal: Sandbox):
    portal.panel.edit("invoices", title="Theirs")
    return pushed


def test_ours_sends_what_the_source_says_with_the_next_push(drifted, portal: Sandbox):
    assert drifted.run("resolve", INVOICES, "--ours").out == "en/billing/invoices.md  title: ours\n"
    assert portal.panel.article("invoices").title == "Theirs"
    assert "1 article updated" in drifted.run("push").out
    assert portal.panel.article("invoices").title == "Invoices"


def test_ours_was_said_of_the_value_that_was_seen_and_of_no_later_one(drifted, portal: Sandbox):
    drifted.run("resolve", INVOICES, "--ours")
    portal.panel.edit("invoices", title="Theirs, again")
    assert drifted.run("push").says(4, "edited in the panel: title")
    assert portal.panel.article("invoices").title == "Theirs, again"
    portal.panel.edit("invoices", title="Theirs, again and again")
    assert drifted.run("push").code == 4


def test_theirs_leaves_the_difference_and_is_quiet_until_either_side_moves(drifted, portal: Sandbox):
    drifted.run("resolve", INVOICES, "--theirs")
    assert drifted.run("plan", "--check").code == 0
    drifted.write(INVOICES, OURS)
    assert "edited in both places" in drifted.run("plan").out
    drifted.run("resolve", INVOICES, "--theirs")
    assert drifted.run("plan", "--check").code == 0
    portal.panel.edit("invoices", title="Third")
    assert drifted.run("plan", "--check").code == 4


def test_a_field_is_also_called_as_plans_call_it_and_a_word_that_is_none_is_no_decision(drifted, portal: Sandbox):
    portal.panel.edit("invoices", content="Their text.")
    told = "kbsync: --field: There is no field `boddy`.\n  Did you mean `body`?\n"
    assert drifted.run("resolve", "--ours", "--field", "boddy") == Done(2, "", told)
    assert "The fields are: slug, title, body" in drifted.run("resolve", "--ours", "--field", "xyzzy").err
    assert drifted.run("resolve", "--ours", "--field", "body").out == "en/billing/invoices.md  body: ours\n"
    drifted.run("push")
    article = portal.panel.article("invoices")
    assert (article.title, article.content) == ("Theirs", "Text.\n")


def test_a_conflict_without_a_ledger_is_decided_field_by_field(pushed, portal: Sandbox):
    pushed.forget_ledger()
    portal.panel.edit("invoices", title="Theirs", content="Their text.")
    assert pushed.run("plan").code == 4
    assert pushed.run("resolve", "--theirs", "--field", "title").out == "en/billing/invoices.md  title: theirs\n"
    pushed.run("resolve", "--ours")
    assert pushed.run("push").code == 0
    article = portal.panel.article("invoices")
    assert (article.title, article.content) == ("Theirs", "Text.\n")
    assert pushed.run("plan", "--check").code == 0


def test_what_was_deleted_on_the_portal_is_made_again_with_ours(pushed, portal: Sandbox):
    portal.panel.delete("invoices")
    assert pushed.run("resolve", "--theirs").says(4, "delete the file")
    assert pushed.run("resolve", "--ours").code == 0
    assert "1 article created as a draft" in pushed.run("push").out


def test_without_a_terminal_a_side_has_to_be_named(drifted):
    assert drifted.run("resolve").says(2, err="--theirs")


def test_in_a_terminal_both_values_are_shown_and_the_answer_counts(drifted, portal: Sandbox):
    portal.panel.edit("invoices", content="Their text.\n")
    _, out = drifted.on_a_terminal("o\n", "resolve", "--no-color", COLUMNS="100")
    assert "title on the portal: Theirs" in out and "title in your file:  Invoices" in out
    assert "-Their text." in out and "+Text." in out
    drifted.run("push")
    assert portal.panel.article("invoices").title == "Invoices"


# --- decisions taken back --------------------------------------------------------------------------------------------


@pytest.fixture
def left(drifted):
    """A title of the panel that somebody decided to leave."""
    assert drifted.run("resolve", INVOICES, "--theirs").out == "en/billing/invoices.md  title: theirs\n"
    assert drifted.run("plan", "--check").code == 0
    return drifted


def test_a_difference_that_was_left_is_taken_back_by_naming_its_file(left, portal: Sandbox):
    quiet = left.run("resolve", "--ours")
    assert quiet.out == "Nothing needs your decision.\n"
    assert "en/billing/invoices.md: you decided to keep the portal's value" in quiet.err
    assert left.run("resolve", INVOICES, "--ours").out == "en/billing/invoices.md  title: ours\n"
    assert "1 article updated" in left.run("push").out
    assert portal.panel.article("invoices").title == "Invoices"
    assert left.run("resolve", INVOICES, "--ours").out == "Nothing needs your decision.\n"


def test_a_difference_that_was_left_is_overwritten_where_somebody_says_so(left, portal: Sandbox):
    assert "title: Theirs -> Invoices" in left.run("plan", "--overwrite", INVOICES).out
    assert "1 article updated" in left.run("push", "--overwrite", INVOICES).out
    assert portal.panel.article("invoices").title == "Invoices"
    portal.panel.edit("invoices", title="Theirs")
    assert left.run("plan").code == 4, "the decision was about the edit before"


def test_deciding_again_for_the_same_side_changes_nothing(left):
    assert left.run("resolve", "content/en", "--theirs").out == "en/billing/invoices.md  title: theirs\n"
    assert left.run("plan", "--check").code == 0


@pytest.mark.parametrize("side", ["--ours", "--theirs"])
def test_a_decision_ends_where_both_sides_come_to_hold_the_same(drifted, portal: Sandbox, side):
    assert drifted.run("resolve", INVOICES, side).code == 0
    portal.panel.edit("invoices", title="Invoices")
    assert drifted.run("push").code == 0
    portal.panel.edit("invoices", title="Theirs")
    assert "edited in the panel: title" in drifted.run("plan").out


def test_a_slug_that_was_left_is_taken_back(pushed, portal: Sandbox):
    portal.panel.sql("UPDATE articles SET slug = 'bills' WHERE slug = 'invoices'")
    portal.panel.edit("bills", description="Edited at the same time, and not ours.")
    assert pushed.run("resolve", INVOICES, "--theirs").out == "en/billing/invoices.md  slug: theirs\n"
    assert pushed.run("plan", "--check").code == 0
    assert pushed.run("resolve", INVOICES, "--ours").out == "en/billing/invoices.md  slug: ours\n"
    assert "slug: bills -> invoices" in pushed.run("plan").out
    assert pushed.run("push").code == 0
    assert portal.panel.article("invoices").title == "Invoices"


@pytest.mark.parametrize("back", [("resolve", INVOICES, "--ours"), ("push", "--overwrite", INVOICES)])
def test_a_locale_that_was_left_is_taken_back(pushed, portal: Sandbox, back):
    french = category(portal, "id", "fr")
    portal.panel.edit("invoices", category_id=french)
    assert "locale" in pushed.run("plan").out
    assert "locale" in pushed.run("resolve", INVOICES, "--theirs").out
    assert pushed.run("plan", "--check").code == 0
    pushed.run(*back)
    pushed.run("push")
    assert portal.panel.article("invoices").locale == "en"
    portal.panel.edit("invoices", category_id=french)
    assert pushed.run("plan").code == 4, "the decision was about the move before"


@pytest.mark.parametrize(
    "back", [("resolve", "--publish", INVOICES, "--ours"), ("push", "--publish", "--overwrite", INVOICES)]
)
def test_a_status_is_decided_in_the_view_of_the_plan_that_holds_it_and_taken_back(remote, portal: Sandbox, back):
    remote.run("push", "--publish")
    portal.panel.publish("invoices")
    assert remote.run("plan", "--publish").says(4, "`kbsync resolve en/billing/invoices.md --publish`")
    assert remote.run("resolve", INVOICES, "--theirs").out == "Nothing needs your decision.\n"
    assert remote.run("resolve", "--publish", INVOICES, "--theirs").out == "en/billing/invoices.md  status: theirs\n"
    assert remote.run("plan", "--publish", "--check").code == 0
    remote.run(*back)
    remote.run("push", "--publish")
    assert portal.panel.article("invoices").status == 0
    portal.panel.publish("invoices")
    assert remote.run("plan", "--publish").code == 4, "the decision was about the status before"


# --- a decision for ours, taken back ---------------------------------------------------------------------------------


@pytest.fixture
def overruled(drifted):
    """A title of the panel that somebody decided to replace, with no push since."""
    assert drifted.run("resolve", INVOICES, "--ours").out == "en/billing/invoices.md  title: ours\n"
    assert "title: Theirs -> Invoices" in drifted.run("plan").out
    return drifted


def test_until_the_push_a_decision_for_ours_is_taken_back_by_the_other_side(overruled, portal: Sandbox):
    assert overruled.run("resolve", INVOICES, "--theirs").out == "en/billing/invoices.md  title: theirs\n"
    assert overruled.run("push").code == 0
    assert portal.panel.article("invoices").title == "Theirs"
    assert overruled.run("plan", "--check").code == 0


def test_without_a_name_resolve_says_what_the_next_push_sends_by_a_decision(overruled):
    told = "en/billing/invoices.md: you decided to send your file. Name a file"
    assert overruled.run("resolve", "--theirs").ended(0, "Nothing needs your decision.\n", told)


def test_deciding_for_ours_twice_changes_nothing(overruled, portal: Sandbox):
    assert overruled.run("resolve", INVOICES, "--ours").out == "en/billing/invoices.md  title: ours\n"
    assert overruled.run("push").code == 0
    assert portal.panel.article("invoices").title == "Invoices"
    assert overruled.run("resolve", INVOICES, "--ours").out == "Nothing needs your decision.\n"


def test_a_file_that_changes_after_the_decision_goes_out_as_it_is_by_then(overruled, portal: Sandbox):
    overruled.push({INVOICES: OURS})
    assert portal.panel.article("invoices").title == "Bills"
    portal.panel.edit("invoices", title="Theirs")
    assert overruled.run("plan").code == 4, "the decision was about the edit before"


def test_a_decision_for_ours_goes_along_with_the_ledger_to_another_clone(overruled, portal: Sandbox):
    overruled.write("export.json", overruled.run("ledger", "export").out)
    elsewhere = {"KBSYNC_LEDGER__URL": "sqlite:elsewhere/ledger.db"}
    assert overruled.run("ledger", "import", "export.json", **elsewhere).code == 0
    assert overruled.run("resolve", INVOICES, "--theirs", **elsewhere).out == "en/billing/invoices.md  title: theirs\n"
    assert overruled.run("plan", "--check", **elsewhere).code == 0
    assert overruled.run("push").code == 0, "here the decision is still the former one"
    assert portal.panel.article("invoices").title == "Invoices"


def test_a_decision_about_one_field_says_nothing_of_the_others_without_a_ledger(pushed, portal: Sandbox):
    pushed.forget_ledger()
    portal.panel.edit("invoices", title="Theirs", category_id=category(portal, "id", "fr"))
    assert "locale" in pushed.run("plan").out
    assert pushed.run("resolve", INVOICES, "--ours", "--field", "title").out == "en/billing/invoices.md  title: ours\n"
    assert pushed.run("push").code == 4
    article = portal.panel.article("invoices")
    assert (article.title, article.locale) == ("Invoices", "fr")


# --- what a decision is about ----------------------------------------------------------------------------------------


@pytest.fixture
def both(drifted, portal: Sandbox):
    """An article and its category, both edited in the panel."""
    portal.panel.sql("UPDATE categories SET name = 'Theirs' WHERE slug = 'billing' AND locale = 'en'")
    return drifted


def test_deciding_about_an_article_says_nothing_of_its_category(both, portal: Sandbox):
    assert both.run("resolve", INVOICES, "--ours").out == "en/billing/invoices.md  title: ours\n"
    assert both.run("push").says(4, "en/billing/_category.md  edited in the panel: name")
    assert category(portal, "name") == "Theirs"


def test_overwriting_an_article_leaves_its_category(both, portal: Sandbox):
    assert both.run("push", "--overwrite", INVOICES).says(4, "1 article updated")
    assert portal.panel.article("invoices").title == "Invoices"
    assert category(portal, "name") == "Theirs"


@pytest.mark.parametrize("selector", ["content/en/billing", "category:billing", "locale:en"])
def test_a_folder_a_category_and_a_locale_mean_everything_in_them(both, portal: Sandbox, selector):
    assert both.run("push", "--overwrite", selector).code == 0
    assert portal.panel.article("invoices").title == "Invoices"
    assert category(portal, "name") == "Billing"


def test_a_category_is_decided_by_its_own_file_alone(both, portal: Sandbox):
    done = both.run("resolve", "content/en/billing/_category.md", "--ours")
    assert done.out == "en/billing/_category.md  name: ours\n"
    assert both.run("push").code == 4
    assert category(portal, "name") == "Billing"
    assert portal.panel.article("invoices").title == "Theirs"
