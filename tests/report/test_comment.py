"""A plan or a push as a comment: what it says, that it fits, and that no text in it can act."""

import html
import json
import re
from typing import Any

import pytest
from cmarkgfm import github_flavored_markdown_to_html as render
from cmarkgfm.cmark import Options
from hypothesis import given, settings
from hypothesis import strategies as st

from kbsync.model import Action, FieldChange, Finding, Outcome, Plan, Target
from kbsync.plan.rules import DYING_ADDRESS, FILE_GONE
from kbsync.report.data import plan_json, push_json, refused_report
from kbsync.report.escape import json_text
from kbsync.report.markdown import MIN_BUDGET_BYTES, comment_markdown, marker_of
from kbsync.report.reported import Report, read_report, report_of_plan

from .items import TARGET, a_change, a_held
from .test_markdown import every_nasty_text

BUDGET = 65_536


def comment(plan: Plan, *findings: Finding, budget: int = BUDGET) -> str:
    """What `kbsync comment` makes of what `kbsync plan --format json` prints."""
    return comment_markdown(read_report(plan_json(plan, findings).encode()), budget=budget)


def comment_on(report: Report) -> str:
    return comment_markdown(report, budget=BUDGET)


def a_report(**parts: Any) -> Report:
    """A report out of JSON that no kbsync of today writes."""
    target = {"base_url": "https://support.example.com", "account_id": 1, "portal": "handbook", "profile": "x"}
    return read_report(json.dumps({"schema": "kbsync.plan/1", "target": target} | parts).encode())


def test_a_comment_has_the_numbers_first_then_what_a_reviewer_must_see_and_the_others_folded():
    changes = (
        a_change(Action.CREATE, "en/a.md", title="A"),
        a_change(
            Action.UPDATE, "en/b.md", FieldChange("title", "Money", "Refunds"), FieldChange("category", 3, 4),
            FieldChange("content", "body:1", "body:2"), FieldChange("position", 8, 8), live=True,
        ),
        a_change(Action.ADOPT, "en/c.md", live=True),
        a_change(Action.ARCHIVE, "", slug="old", title="Old"),
    )  # fmt: skip
    held = a_held(hint="Run `kbsync resolve en/billing/invoices.md`.")
    plan = Plan(TARGET, changes, (held,), unchanged=61)
    warning = Finding("KB301", "warning", "en/a.md", 3, 5, "This links to `x.md`.", "Fix the path.")
    assert comment(plan, warning) == (
        f"{marker_of(report_of_plan(plan))}\n"
        "## kbsync plan: 3 changes, 1 needs your decision\n\n"
        "Portal `handbook` at `https://support.example.com` · 61 unchanged · 1 article already matches\n\n"
        "- **LIVE: 1.** Readers see these changes immediately.\n"
        "- **Needs your decision: 1.** A push does not touch these.\n"
        "- **Removals: 1.** These are archived or deleted on the portal.\n\n"
        "| Action | What |\n| --- | --- |\n"
        "| create | 1 article as a draft |\n| update | 1 article |\n| archive | 1 article |\n\n"
        "### Needs your decision: 1\n\n"
        "| Why | File | Fields | On the portal | In your file | What to do |\n| --- | --- | --- | --- | --- | --- |\n"
        "| edited in the panel | `en/billing/invoices.md` | title, body |  |  | "
        "Run `kbsync resolve en/billing/invoices.md`. |\n\n"
        "### LIVE: 1\n\n"
        "| Action | File | Title | What changes |\n| --- | --- | --- | --- |\n"
        "| update | `en/b.md` | **LIVE** Refunds | title: Money → Refunds; category changed; body changed |\n\n"
        "### Removals: 1\n\n"
        "| Action | File | Title | What changes |\n| --- | --- | --- | --- |\n"
        "| archive | `en: old` | Old | its file is gone |\n\n"
        "<details><summary>Other changes: 1</summary>\n\n"
        "| Action | File | Title | What changes |\n| --- | --- | --- | --- |\n"
        "| create | `en/a.md` | A |  |\n\n</details>\n\n"
        "<details><summary>Warnings: 1</summary>\n\n"
        "| Rule | Where | What | What to do |\n| --- | --- | --- | --- |\n"
        "| KB301 | `en/a.md:3:5` | This links to `x.md`. | Fix the path. |\n\n</details>\n"
    )


def test_a_push_shows_what_failed_before_what_was_made():
    outcomes = [
        Outcome(a_change(Action.CREATE, "en/a.md", live=True), "done", 2),
        Outcome(a_change(Action.UPDATE, "en/b.md", live=True), "failed", 3, "PATCH /b: 500"),
        Outcome(a_change(Action.PUBLISH, "en/c.md"), "skipped", 4, "Its category was not made."),
    ]
    text = comment_on(read_report(push_json(Plan(TARGET), outcomes, requests=4, seconds=1.0).encode()))
    assert "## kbsync push: 1 change made, 1 failed, 1 skipped\n" in text
    assert "- **LIVE: 1.**" in text and "| created | 1 article as a draft |" in text
    in_order = ["### Failed: 1", "PATCH /b: 500", "### LIVE: 1", "### Skipped: 1", "Its category was not made."]
    assert sorted(in_order, key=text.index) == in_order


def test_errors_in_the_files_are_the_whole_comment():
    error = Finding("KB109", "error", "en/a.md", 3, 1, "There is no status `live`.", "Use draft.")
    text = comment_on(read_report(json_text(refused_report(TARGET, [error], schema="kbsync.plan/1")).encode()))
    assert "## kbsync plan: stopped by 1 error\n" in text and "### Errors: 1\n" in text and "`en/a.md:3:1`" in text


def test_nothing_to_do_is_one_sentence_and_no_news():
    plan = Plan(TARGET, (a_change(Action.ADOPT, live=True),), unchanged=3)
    warning = Finding("KB301", "warning", "en/a.md", 3, 5, "This links to `x.md`.")
    assert not read_report(plan_json(plan, [warning]).encode()).has_news
    assert "## kbsync plan: everything is up to date\n\n" in comment(plan)


STAYS = "The file for `old` is gone. The article stays on the portal."
GONE = FILE_GONE.finding("en/old.md", 1, 1, STAYS, "Bring it back.")
DYING = DYING_ADDRESS.finding("en/fees.md", 1, 1, "The old address /hc/a/costs will be 404 at once.", "Add `aliases`.")


def folds(text: str) -> list[str]:
    return re.findall(r"<details>.*?</details>", text, re.DOTALL)


def test_a_file_that_is_gone_and_an_address_that_stops_working_are_not_in_a_fold():
    link = Finding("KB301", "warning", "en/a.md", 3, 5, "This links to `x.md`.", "Fix the path.")
    text = comment(Plan(TARGET, (a_change(Action.CREATE),), warnings=(GONE, DYING)), link)
    assert (
        "### Worth knowing: 2\n\n| Rule | Where | What | What to do |\n| --- | --- | --- | --- |\n"
        f"| KB501 | `en/old.md:1:1` | {STAYS} | Bring it back. |\n"
        "| KB503 | `en/fees.md:1:1` | The old address /hc/a/costs will be 404 at once. | Add `aliases`. |\n\n"
    ) in text
    assert text.count("is gone") == text.count("404") == 1
    assert not any("is gone" in fold or "404" in fold for fold in folds(text))
    in_order = ["### Worth knowing", "<summary>Other changes: 1", "<summary>Warnings: 1"]
    assert sorted(in_order, key=text.index) == in_order


def test_a_plan_in_which_only_a_file_is_gone_is_worth_a_comment():
    report = read_report(plan_json(Plan(TARGET, warnings=(GONE,))).encode())
    assert report.has_news and "## kbsync plan: nothing to send\n" in comment_on(report)
    assert "everything is up to date" not in comment_on(report)


def test_a_rename_says_so_with_both_paths_both_slugs_and_what_becomes_of_the_old_address():
    slug = FieldChange("slug", "costs", "fees")
    live = a_change(Action.UPDATE, "en/fees.md", slug, slug="fees", was="en/costs.md", live=True)
    draft = a_change(Action.UPDATE, "en/b.md", FieldChange("content", "body:1", "body:2"), was="en/a.md")
    text = comment(Plan(TARGET, (live, draft)))
    assert (
        "| update | `en/fees.md` | **LIVE** Refunds "
        "| renamed from `en/costs.md`; slug: costs → fees (the old address will be 404) |\n"
    ) in text.partition("### LIVE: 1")[2]
    renamed = text.partition("### Renamed: 1")[2]
    assert "| update | `en/b.md` | Refunds | renamed from `en/a.md`; body changed |\n" in renamed
    assert "renamed" not in "".join(folds(text))
    taker = a_change(Action.CREATE, "en/new.md", FieldChange("slug", None, "costs"), slug="costs")
    assert "costs → fees (the old address will show another article)" in comment(Plan(TARGET, (live, taker)))


def test_each_portal_has_a_marker_of_its_own_and_each_run_the_same():
    other = Target("https://support.example.com", 1, "other", "chatwoot")
    markers = {marker_of(report_of_plan(Plan(target))) for target in (TARGET, TARGET, other)}
    assert len(markers) == 2
    assert all(re.fullmatch(r"<!-- kbsync:comment:[0-9a-f]{16} -->", marker) for marker in markers)


def test_a_saved_plan_and_its_json_make_the_same_comment():
    changes = (a_change(Action.UPDATE, "en/b.md", FieldChange("title", "Money", "Refunds"), live=True),)
    plan = Plan(TARGET, changes, (a_held(),), unchanged=3, warnings=(Finding("KB5", "warning", "a", 1, 1, "m"),))
    assert comment_on(report_of_plan(plan)) == comment(plan)


def test_actions_and_reasons_that_are_not_known_are_called_unknown_and_never_copied():
    said = "approved"
    change = {"action": said, "kind": said, "path": "en/a.md", "title": "A", "later": [{}]}
    unmade = [change | {"outcome": outcome} for outcome in ("done", "failed", "skipped", said)]
    held = {"reason": said, "kind": said, "why": said, "path": "en/b.md", "fields": ["content"]}
    for parts in ({"changes": [change]}, {"schema": "kbsync.push/1", "changes": unmade}):
        text = comment_on(a_report(**parts, held=[held]))
        assert said not in text and "unknown" in text, text


def test_keys_actions_and_reasons_of_a_newer_kbsync_are_shown_as_far_as_they_are_known():
    change = {"action": "move", "kind": "author", "path": "en/a.md", "title": "A", "later": [{}]}
    held = {"reason": "later", "kind": "article", "path": "en/b.md", "fields": ["content"], "later": None}
    text = comment_on(a_report(changes=[change], held=[held], later=1, summary={"later": 1}))
    assert "## kbsync plan: 1 change, 1 needs your decision\n" in text
    assert "| unknown | 1 item |\n" in text and "| unknown | `en/a.md` | A |  |\n" in text
    assert "| unknown | `en/b.md` | body |  |  |  |\n" in text


def test_both_values_of_what_is_held_are_shown_and_bodies_that_change_are_folded():
    values = [{"name": "title", "portal": "Refunds!", "ours": "Refunds"}, {"name": "content", "portal": "body:1"}]
    diff = [" same", "-old ``` fence", "+new"]
    held = {"reason": "drift", "path": "en/b.md", "fields": ["title", "content"], "values": values, "diff": diff}
    change = {"action": "update", "kind": "article", "path": "en/a.md", "live": True, "diff": ["+@everyone"]}
    text = comment_on(a_report(changes=[change], held=[held]))
    assert "| `en/b.md` | title, body | Refunds\\! | Refunds |  |\n" in text
    assert (
        "<details><summary>How `en/b.md` changes</summary>\n\n````diff\n same\n-old ``` fence\n+new\n````\n\n</details>"
        "\n\n<details><summary>How `en/a.md` changes</summary>\n\n```diff\n+@everyone\n```\n\n</details>"
    ) in text


@pytest.mark.parametrize(("number", "lines"), [(3, 40), (300, 40), (2, 5_000), (40, 900)])
def test_however_much_bodies_change_the_comment_fits_and_counts_the_rest(number, lines):
    diff = ["-" + "é" * 60, "+" + "😀" * 60] * lines
    finding = {"code": "KB301", "level": "warning", "path": "en/a.md", "message": "m" * 200}
    changes = [{"action": "update", "kind": "article", "path": f"en/{n}.md", "live": True, "diff": diff}
               for n in range(number)]  # fmt: skip
    report = a_report(changes=changes, findings=[finding] * 300)
    for budget in (MIN_BUDGET_BYTES, 16_384, BUDGET):
        text = comment_markdown(report, budget=budget)
        assert len(text.encode()) <= budget
        shown = text.count("<summary>How ")
        assert shown == number or f"… and {number - shown:,} more bodies change" in text
        assert "Warnings: 300" in text


@pytest.mark.parametrize(
    "data", [b"", b"[]", b'{"schema": "kbsync.lint/1"}', b"[" * 100_000, b'{"schema":"x","target":{}}', b"\xff"]
)
def test_what_is_neither_a_plan_nor_a_push_is_refused(data):
    with pytest.raises(ValueError, match=r"\S"):
        read_report(data)


# --- what fits -------------------------------------------------------------------------------------------------------


def test_what_has_no_row_is_named_and_what_has_no_name_is_counted():
    plan = Plan(TARGET, tuple(a_change(Action.UPDATE, f"en/{n:04}.md", live=True) for n in range(5_000)))
    text = comment(plan)
    assert len(text.encode()) <= BUDGET
    rows, named = text.count("| update | `en/"), text.partition("Not shown in full: ")[2].count("`en/")
    assert rows > 500 and named > 500
    assert f", {5_000 - rows - named:,} others, because a comment has a size limit." in text
    assert "- **LIVE: 5,000.**" in text


def test_a_long_list_leaves_room_for_the_later_ones():
    changes = tuple(a_change(Action.UPDATE, f"en/{n}.md", live=True) for n in range(9_000))
    gone = tuple(a_change(Action.DELETE, "", slug=f"gone-{n}") for n in range(10))
    text = comment(Plan(TARGET, changes + gone, tuple(a_held(f"en/h{n}.md") for n in range(9_000))))
    assert "### LIVE: 9,000" in text and "### Removals: 10" in text and "`en: gone-0`" in text


texts = st.one_of(st.text(max_size=30), st.text("|<@é🎉a\\`#&%", min_size=100, max_size=300))
changes = st.builds(
    lambda action, path, live, text: a_change(
        action, path, FieldChange("title", text, text + "x"), live=live, title=text, slug=text
    ),
    st.sampled_from(list(Action)), texts, st.booleans(), texts,
)  # fmt: skip
findings = st.builds(
    lambda level, text: Finding("KB301", level, text, 1, 1, text, text), st.sampled_from(("error", "warning")), texts
)


@settings(max_examples=80, deadline=None)
@given(
    st.lists(changes, max_size=8), st.lists(texts, max_size=4), st.lists(findings, max_size=4),
    st.sampled_from([1, 7, 200]), st.sampled_from([MIN_BUDGET_BYTES, 16_384, BUDGET]),
)  # fmt: skip
def test_properties_it_always_fits_and_counts_all_that_is_live_held_or_removed(some, held, found, times, budget):
    plan = Plan(TARGET, tuple(some) * times, tuple(a_held(text, text) for text in held) * times)
    text = comment_markdown(read_report(plan_json(plan, found * times).encode()), budget=budget)
    assert len(text.encode()) <= budget
    sent = plan.sent
    expected = {
        "LIVE": sum(1 for change in sent if change.live),
        "Needs your decision": len(plan.held),
        "Removals": sum(1 for change in sent if change.is_removal),
    }
    shown = dict(re.findall(r"^- \*\*([^:]+): ([\d,]+)\.\*\*", text, re.M))
    assert shown == {word: f"{number:,}" for word, number in expected.items() if number}


# --- what cannot act -------------------------------------------------------------------------------------------------


@every_nasty_text
def test_no_text_mentions_a_person_marks_an_issue_shows_an_image_or_leaves_its_cell(text):
    if not text.isprintable() and any("\ud800" <= character <= "\udfff" for character in text):
        return  # JSON cannot have it.
    change = {
        "action": text, "kind": text, "locale": text, "slug": text, "path": text, "title": text, "live": True,
        "fields": [{"name": text, "before": text, "after": text + "x"}],
    }  # fmt: skip
    held = {"reason": text, "locale": text, "slug": text, "path": text, "fields": [text], "hint": f"Run `{text}`."}
    finding = {"code": text, "level": "warning", "path": text, "message": text, "hint": text}
    source = comment_on(a_report(changes=[change], held=[held], findings=[finding]))
    page = render(source, Options.CMARK_OPT_UNSAFE)
    words = re.sub(r"<code>.*?</code>", "", page.partition("-->")[2], flags=re.DOTALL)
    words = words.replace("<details><summary>Warnings: 1</summary>", "").replace("</details>", "")
    assert not re.search(r"@\w|#\d|\bgh-\d|&\d|%\d", html.unescape(words), re.IGNORECASE)
    assert not re.search(r"<(?!/?(h2|h3|p|ul|li|strong|table|thead|tbody|tr|th|td)\b)", words)
    assert page.count("<h2>") == 1 and page.count("<tr>") == 2 + 2 + 2 + 2
    assert "##[" not in source and not re.search(r"^\s*::|^/", source, re.MULTILINE)
    assert source.count("<!--") == 1
