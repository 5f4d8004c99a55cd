"""Screens as a writer reads them, and that no text from the portal can act on a terminal."""

import re

import pytest

from kbsync.model import Action, Change, FieldChange, Finding, Held, Kind, Observed, Outcome, Plan, Reason
from kbsync.plan.result import PLAN_AGAIN
from kbsync.report.body_diff import NO_BODIES
from kbsync.report.diff import diff_text
from kbsync.report.escape import inert
from kbsync.report.findings import findings_text
from kbsync.report.pushed import Words, push_text
from kbsync.report.style import Style
from kbsync.report.text import duration, held_text, plan_text
from kbsync.words import count

from .items import TARGET, a_change, a_held


def an_update(title: str = "Refunds", *fields: FieldChange, live: bool = False) -> Change:
    return a_change(Action.UPDATE, "en/refunds.md", *fields, title=title, live=live)


def a_create(path: str) -> Change:
    return a_change(Action.CREATE, path, slug=path, remote_id=None, title="T")


@pytest.mark.parametrize(
    ("number", "noun", "words"),
    [(1, "article", "1 article"), (12, "article", "12 articles"), (2, "category", "2 categories"),
     (10_000, "request", "10,000 requests"), (0, "warning", "0 warnings")],
)  # fmt: skip
def test_numbers_have_their_noun(number, noun, words):
    assert count(number, noun) == words


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.0, "1 second"), (12.4, "12 seconds"), (300, "5 minutes"), (9000, "2.5 hours")],
)
def test_durations_have_a_unit(seconds, words):
    assert duration(seconds) == words


def test_a_plan_with_nothing_in_it_says_so_in_one_sentence():
    assert plan_text(Plan(TARGET, unchanged=61), Style()) == (
        "Plan for portal `handbook` at https://support.example.com\n\nEverything is up to date (61 unchanged).\n"
    )


def test_an_update_shows_each_field_before_and_after_and_a_body_only_as_changed():
    change = an_update(
        "Refunds", FieldChange("title", "Money", "Refunds"), FieldChange("content", "blake2b:1", "blake2b:2"),
        FieldChange("description", "", "One sentence"), FieldChange("tags", ("a",), ("a", "b")), live=True,
    )  # fmt: skip
    assert plan_text(Plan(TARGET, (change,), requests=2, seconds=0.1), Style()) == (
        "Plan for portal `handbook` at https://support.example.com\n\n"
        "Update 1 article. 1 is live: readers see the change immediately.\n"
        '  en/refunds.md  "Refunds"  LIVE\n'
        "      title: Money -> Refunds\n"
        "      body: changed\n"
        "      description: (nothing) -> One sentence\n"
        "      tags: a -> a, b\n\n"
        "1 change, 2 requests, about 1 second.\n"
        "Run `kbsync push` to make this change.\n"
    )


SLUG, MOVED = FieldChange("slug", "old", "new"), FieldChange("category", "a", "b")
FORTY = tuple(a_create(f"en/{n:02}.md") for n in range(40))
GONE, ALSO_GONE = (a_change(Action.DELETE, "", slug=slug) for slug in "ab")
WARNINGS = tuple(Finding("KB501", "warning", f"en/{n:02}.md", 1, 1, "gone", "do") for n in range(31))
UNKNOWN = a_held("en/x.md", "Decide.", reason=Reason.CONFLICT, fields=("title",), has_base=False)
LONG = "How to refund a charge of a customer who has paid by bank transfer in the last thirty days"
LONG_TITLE = an_update("R", FieldChange("title", f"{LONG}, old", f"{LONG}, new"))

# By what is promised: the plan, the screen, what it says, and what it does not say.
SCREENS = {
    "a slug that changes says that the old address dies": (
        Plan(TARGET, (an_update("R", SLUG, live=True),)), {},
        ["      slug: old -> new  (the old address will be 404)\n"], []),
    "a draft that gets another address loses none that readers know": (
        Plan(TARGET, (an_update("R", SLUG),)), {}, [], ["404"]),
    "a long list is cut and counted": (Plan(TARGET, FORTY), {}, ["  … and 10 more (-v lists them all)\n"], []),
    "verbose shows all of a long list": (Plan(TARGET, FORTY), {"verbose": True}, [], ["… and"]),
    "warnings beyond the first are counted": (
        Plan(TARGET, warnings=WARNINGS), {}, ["  … and 1 more (-v lists them all)\n"], []),
    "warnings beyond the first are not lost": (
        Plan(TARGET, warnings=WARNINGS), {"verbose": True}, ["  en/30.md  KB501: gone\n"], []),
    "what is removed says that its source is gone": (
        Plan(TARGET, (GONE,)), {}, ["DELETE 1 article (its file is gone)\n"], []),
    "what is removed says that their sources are gone": (
        Plan(TARGET, (GONE, ALSO_GONE)), {}, ["DELETE 2 articles (their files are gone)\n"], []),
    "a field that is sent along and does not change is not shown": (
        Plan(TARGET, (an_update("R", MOVED, FieldChange("position", 80, 80)),)), {},
        ["      category: a -> b\n"], ["position"]),
    "a category of another locale is shown with both": (
        Plan(TARGET, (an_update("R", FieldChange("category", "a", "a", ("a (en)", "a (fr)"))),)), {},
        ["category: a (en) -> a (fr)"], []),
    "what never was agreed on is not called edited in both places": (
        Plan(TARGET, held=(UNKNOWN,)), {}, ["  en/x.md  differs on the portal: title\n"], []),
    "long titles that differ at their end are seen to differ": (
        Plan(TARGET, (LONG_TITLE,)), {"width": 60}, [", old\n", ", new\n"], []),
    "long titles that differ at their end are seen to differ on a wide screen": (
        Plan(TARGET, (LONG_TITLE,)), {"width": 100}, [", old\n", ", new\n"], []),
}  # fmt: skip


@pytest.mark.parametrize(("plan", "style", "said", "unsaid"), SCREENS.values(), ids=SCREENS)
def test_a_plan_says_what_a_writer_must_know(plan, style, said, unsaid):
    text = plan_text(plan, Style(**style))
    assert [words for words in said if words not in text] == [words for words in unsaid if words in text] == []


def test_what_a_push_did_not_try_is_counted_beyond_the_first_twenty():
    outcomes = [Outcome(a_create(f"en/{n:02}.md"), "skipped", None, "Stopped before it was sent.") for n in range(25)]
    text = push_text(Plan(TARGET), outcomes, Style(), requests=4, seconds=1.25)
    assert "Skipped: 25\n" in text and text.count("Stopped before") == 20
    assert "  … and 5 more (-v lists them all)\n" in text
    assert "… and" not in push_text(Plan(TARGET), outcomes, Style(verbose=True), requests=4, seconds=1.25)


@pytest.mark.parametrize("color", [False, True])
def test_what_is_held_fits_a_narrow_screen(color: bool):
    held = a_held(
        "en/billing/what-it-costs.md", "Do this.", reason=Reason.BEHIND, fields=("title", "content", "description")
    )
    text = plan_text(Plan(TARGET, held=(held,)), Style(color=color, width=60))
    plain = re.sub(r"\x1b\[\d+m", "", text)
    assert "  en/billing/what-it-costs.md  published from newer files:\n      title, body, description\n" in plain
    assert max(map(len, plain.splitlines())) <= 60
    assert ("\x1b[33mpublished from newer files\x1b[0m:" in text) is color


def test_colour_only_repeats_what_words_say():
    held = a_held("en/x.md", "do this", fields=("title",))
    plan = Plan(TARGET, (an_update("R", FieldChange("title", "a", "b"), live=True),), held=(held,))
    coloured = plan_text(plan, Style(color=True))
    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[\d+m", "", coloured) == plan_text(plan, Style())


def test_a_push_tells_what_was_done_what_failed_and_what_was_skipped_each_with_the_reason():
    outcomes = [
        Outcome(a_create("en/a.md"), "done", 1),
        Outcome(a_create("en/b.md"), "failed", None, "POST /x: 500", "try again"),
        Outcome(a_create("en/c.md"), "skipped", None, "its category `c` could not be made"),
    ]
    text = push_text(Plan(TARGET), outcomes, Style(), requests=4, seconds=1.25)
    assert text == (
        "1 article created as a draft\n\n"
        "Failed: 1\n  create en/b.md: POST /x: 500\n      try again\n\n"
        "Skipped: 1\n  create en/c.md: its category `c` could not be made\n\n"
        "Run `kbsync push` again to finish the rest. 4 requests in 1.2 s.\n"
    )


def test_what_somebody_edited_since_the_plan_gets_one_piece_of_advice_that_works():
    outcomes = [Outcome(a_create("en/a.md"), "skipped", 1, "somebody changed title", PLAN_AGAIN)]
    words = {"requests": 1, "seconds": 0.1}
    pushed = push_text(Plan(TARGET), outcomes, Style(), **words)
    assert "Skipped: 1\n  create en/a.md: somebody changed title\n\nRun `kbsync plan` to see" in pushed
    saved = Words("", "kbsync push p.json", "kbsync plan --out p.json")
    pushed = push_text(Plan(TARGET), outcomes, Style(), **words, words=saved)
    assert "somebody changed title\n\nRun `kbsync plan --out p.json` to plan the rest again." in pushed
    other = push_text(Plan(TARGET), [Outcome(a_create("en/a.md"), "failed")], Style(), **words, words=saved)
    assert "Run `kbsync push p.json` again to finish the rest." in other


def test_a_push_that_only_holds_begins_with_what_is_held():
    held = a_held("en/x.md", "decide", fields=("title",))
    told = push_text(Plan(TARGET, held=(held,)), [], Style(), requests=2, seconds=0.1)
    assert told.startswith("Needs your decision: 1\n  en/x.md  edited in the panel: title\n")


def test_a_title_leaves_room_for_the_word_live():
    change = an_update("T" * 52, live=True)
    assert max(map(len, plan_text(Plan(TARGET, (change,)), Style(width=80)).splitlines())) <= 80


ACTING = (
    "##[add-mask]e", "a ##vso[task.complete]b", "::error::x", "  ::stop-commands::t", "x\n::error::y",
    "\x1b]0;owned\x07\u202egnp.exe", "\x1b[2Jold", "en/\x1b[2J\n::error::x.md",
)  # fmt: skip


@pytest.mark.parametrize("text", ACTING)
def test_no_text_of_the_portal_or_of_a_file_is_a_command_to_a_terminal_or_to_the_runner_of_a_job(text):
    change = a_change(Action.UPDATE, text, FieldChange("title", text, text + "!"), slug=text, title=text)
    held = a_held(text, text, slug=text, fields=("title",), title=text, values=change.fields)
    finding = Finding("KB301", "warning", text, 1, 1, text, text)
    other = Observed(kind="article", remote_id=1, locale="en", slug=text, fields={})
    plan = Plan(TARGET, (change, a_create(text)), (held,), warnings=(finding,), unmanaged=(other,))
    outcomes = [Outcome(one, "failed", None, text, text) for one in plan.changes]
    counts = {"requests": 1, "seconds": 1.0}
    screens = (
        plan_text(plan, Style(), unmanaged=True),
        push_text(plan, outcomes, Style(), **counts),
        held_text(held, Style()),
        "".join(findings_text([finding], Style(), root=".", sources=1, read=lambda _: text)),
    )
    of_the_command = (
        push_text(plan, outcomes, Style(), **counts, words=Words(text, text, text)),
        push_text(Plan(TARGET), [], Style(), **counts, words=Words(text)),
        inert(text),
    )
    for screen in (*screens, *of_the_command):
        assert not re.search(r"##\w*\[|^\s*::", screen, re.MULTILINE), screen
    assert not any(character in screen for screen in screens for character in "\x1b\x07\u202e")


def test_what_readers_see_at_once_comes_first_and_what_matches_is_one_line():
    adopted = [a_change(Action.ADOPT, f"en/a{n}.md") for n in range(66)]
    live = an_update("Refunds", FieldChange("title", "a", "b"), live=True)
    text = plan_text(Plan(TARGET, (*adopted, a_create("en/new.md"), live), requests=3, seconds=0.1), Style())
    assert text == (
        "Plan for portal `handbook` at https://support.example.com\n\n"
        "Update 1 article. 1 is live: readers see the change immediately.\n"
        '  en/refunds.md  "Refunds"  LIVE\n      title: a -> b\n\n'
        'Create 1 article as a draft\n  en/new.md  "T"\n\n'
        "2 changes, 3 requests, about 1 second.\n66 articles already match.\n"
        "Run `kbsync push` to make these changes.\n"
    )


def test_originals_and_translations_are_one_group_with_a_total():
    made = [a_create(f"{locale}/new.md") for locale in ("en", "fr")]
    updated = [a_change(Action.UPDATE, f"{locale}/x.md", locale=locale) for locale in ("en", "fr")]
    text = plan_text(Plan(TARGET, (*made, *updated)), Style())
    assert text.count("Create 2 articles as drafts\n") == text.count("Update 2 articles\n") == 1


def held_at(kind: Kind, path: str, field: str, reason: Reason = Reason.DRIFT, hint: str = "") -> Held:
    return a_held(path, hint, kind=kind, reason=reason, fields=(field,))


def test_what_was_accepted_is_called_what_it_is_and_listed_once():
    portal = (held_at("portal", "portal.toml", "name"), held_at("portal", "portal.toml", "color"))
    text = plan_text(Plan(TARGET, kept=portal), Style())
    assert "Settings in portal.toml differ from the portal as you decided" in text and "article" not in text
    verbose = plan_text(Plan(TARGET, kept=portal), Style(verbose=True))
    assert verbose.count("  portal.toml  ") == 1 and "`resolve --theirs`: 1\n" in verbose
    both = (*portal, held_at("article", "en/a.md", "title"), held_at("category", "en/_category.md", "name"))
    assert "1 category, 1 article and settings in portal.toml differ" in " ".join(
        plan_text(Plan(TARGET, kept=both), Style()).split()
    )


def test_a_diff_names_the_way_out_of_an_article_once():
    edit = "Run `kbsync pull en/a.md` to take the edit into your file, or `x`."
    merge = edit.replace("take the edit", "merge the edit")
    held = (
        held_at("article", "en/a.md", "title", hint=edit),
        held_at("article", "en/a.md", "content", Reason.CONFLICT, merge),
    )
    text = " ".join(diff_text(Plan(TARGET, held=held), NO_BODIES, Style(), words=False).split())
    assert text.count("kbsync pull") == 1 and "merge the edit" in text
    assert "take the edit" in " ".join(diff_text(Plan(TARGET, held=held[:1]), NO_BODIES, Style(), words=False).split())
