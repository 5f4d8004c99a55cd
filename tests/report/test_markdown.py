"""Reports as Markdown: the whole screen, what fits into a comment, and that no text in them can act."""

from __future__ import annotations

import html
import re

import pytest
from cmarkgfm import github_flavored_markdown_to_html as render
from cmarkgfm.cmark import Options
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec import structs

from kbsync.command import command_line
from kbsync.model import (
    Action,
    FieldChange,
    Finding,
    Observed,
    Outcome,
    Plan,
    Refusal,
    visible,
)
from kbsync.report.body_diff import Bodies, Body
from kbsync.report.escape import code, hint, prose
from kbsync.report.folding import LIMIT_BYTES
from kbsync.report.markdown import findings_markdown, plan_markdown, push_markdown, refused_markdown

from .items import TARGET, a_change, a_held

HINT = "edited in the panel: run `kbsync push --overwrite en/billing/invoices.md`"


def a_finding(level: str = "warning", message: str = "a link to `x.md`, which is not there") -> Finding:
    return Finding("KB301", level, "en/a.md", 3, 5, message, "make the file")


def test_a_plan_as_a_comment_says_the_result_the_counts_what_is_held_and_every_change():
    changes = (
        a_change(Action.CREATE, "en/billing/_category.md", kind="category", title="Billing"),
        a_change(Action.CREATE, "en/billing/a.md", FieldChange("title", None, "A"), title="A"),
        a_change(Action.CREATE, "en/billing/b.md", title="B"),
        a_change(
            Action.UPDATE, "en/billing/refunds.md", FieldChange("title", "Money", "Refunds"),
            FieldChange("content", "body:1", "body:2"), FieldChange("slug", "old", "new"),
            FieldChange("position", 80, 80), live=True,
        ),
    )  # fmt: skip
    plan = Plan(TARGET, changes, (a_held(hint=HINT),), unchanged=61, requests=5, seconds=0.2)
    assert plan_markdown(plan, [a_finding()], root="docs/content") == (
        "## kbsync plan: 4 changes, 1 of them live, 1 needs your decision\n\n"
        "Portal `handbook` at `https://support.example.com` · 5 requests, about 1 second · 61 unchanged\n\n"
        "| Action | What | Seen by readers now |\n| --- | --- | --- |\n"
        "| create | 1 category and 2 articles as drafts |  |\n"
        "| update | 1 article | **LIVE**: 1 |\n\n"
        "### Needs your decision: 1\n\n"
        "| Why | File | On the portal | In your file | What to do |\n| --- | --- | --- | --- | --- |\n"
        "| edited in the panel | `en/billing/invoices.md` | title, body |  | "
        "edited in the panel: run `kbsync push --overwrite en/billing/invoices.md` |\n\n"
        "### Changes: 4\n\n"
        "| Action | File | Title | What changes |\n| --- | --- | --- | --- |\n"
        "| update | `en/billing/refunds.md` | **LIVE** Refunds | "
        "title: Money → Refunds; body changed; slug: old → new (the old address will be 404) |\n"
        "| create | `en/billing/_category.md` | Billing |  |\n"
        "| create | `en/billing/a.md` | A |  |\n"
        "| create | `en/billing/b.md` | B |  |\n\n"
        "### Warnings: 1\n\n"
        "| Rule | Where | What | What to do |\n| --- | --- | --- | --- |\n"
        "| KB301 | `docs/content/en/a.md:3:5` | a link to `x.md`, which is not there | make the file |\n"
    )


def test_a_push_says_first_what_failed_and_why_and_last_what_was_done():
    outcomes = [
        Outcome(a_change(Action.ADOPT, "en/old.md", live=True), "done", 1),
        Outcome(a_change(Action.CREATE, "en/a.md", title="A", remote_id=None), "done", 2),
        Outcome(a_change(Action.UPDATE, "en/b.md"), "failed", 3, "PATCH /b: 500", "run `kbsync push` again"),
        Outcome(a_change(Action.PUBLISH, "en/c.md"), "skipped", 4, "its category `c` could not be made"),
    ]
    assert push_markdown(Plan(TARGET, unchanged=2), outcomes, requests=4, seconds=1.25) == (
        "## kbsync push: 1 change made, 1 failed, 1 skipped\n\n"
        "Portal `handbook` at `https://support.example.com` · 4 requests in 1.2 s · 1 article already matches · 2 unchanged\n\n"
        "| Done | What | Seen by readers now |\n| --- | --- | --- |\n"
        "| created | 1 article as a draft |  |\n"
        "\n"
        "### Failed: 1\n\n"
        "| Action | File | Why | What to do |\n| --- | --- | --- | --- |\n"
        "| update | `en/b.md` | PATCH /b: 500 | run `kbsync push` again |\n\n"
        "### Skipped: 1\n\n"
        "| Action | File | Why | What to do |\n| --- | --- | --- | --- |\n"
        "| publish | `en/c.md` | its category `c` could not be made |  |\n\n"
        "### Done: 1\n\n"
        "| Action | File | Title | What changes |\n| --- | --- | --- | --- |\n"
        "| create | `en/a.md` | A |  |\n"
    )


def test_a_push_that_errors_stopped_lists_them():
    text = refused_markdown(TARGET, [a_finding("error", "no title")], command="push", root="content")
    assert text.startswith("## kbsync push: stopped by 1 error\n\nPortal `handbook`")
    assert text.index("### Errors: 1\n") < text.index("no title")


def test_findings_are_counted_in_the_heading():
    text = findings_markdown([a_finding(), a_finding("error"), a_finding()], root=".", sources=1)
    assert text.startswith("## kbsync lint: 1 error, 2 warnings\n\n1 file checked\n\n")
    assert "| `en/a.md:3:5` |" in text


def test_nothing_at_all_is_one_heading_and_one_line():
    assert plan_markdown(Plan(TARGET)) == (
        "## kbsync plan: everything is up to date\n\nPortal `handbook` at `https://support.example.com`\n"
    )
    assert push_markdown(Plan(TARGET), [], requests=1, seconds=0.0).startswith(
        "## kbsync push: everything is up to date\n"
    )
    assert findings_markdown([], root="content", sources=2).startswith(
        "## kbsync lint: no errors or warnings\n\n2 files"
    )


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        (Plan(TARGET, (a_change(Action.UPDATE, live=True),)), "1 change, live"),
        (Plan(TARGET, (a_change(Action.UPDATE), a_change(Action.DELETE, "", live=True))), "2 changes, 1 of them live"),
        (Plan(TARGET, (a_change(Action.ADOPT, live=True),)), "nothing to send"),
        (Plan(TARGET, held=(a_held(), a_held())), "nothing to send, 2 need your decision"),
        (Plan(TARGET, tuple(a_change(Action.CREATE) for _ in range(1200))), "1,200 changes"),
    ],
)
def test_the_heading_is_the_result_in_one_line(plan, words):
    assert plan_markdown(plan).startswith(f"## kbsync plan: {words}\n")


def test_removals_say_that_the_source_is_gone():
    text = plan_markdown(Plan(TARGET, (a_change(Action.DELETE, "", live=True), a_change(Action.ARCHIVE, ""))))
    assert "| **DELETE** | `en: refunds` | **LIVE** Refunds | its file is gone |\n" in text
    assert "| archive | `en: refunds` | Refunds | its file is gone |\n" in text


def test_what_is_on_the_portal_and_not_ours_is_listed_when_asked_for():
    plan = Plan(
        TARGET,
        unmanaged=(Observed(kind="article", remote_id=9, locale="en", slug="theirs", fields={"title": "Their *own*"}),),
    )
    assert "| `en: theirs` | Their \\*own\\* |  |" in plan_markdown(plan, unmanaged=True)
    assert "theirs" not in plan_markdown(plan)


# --- what fits -------------------------------------------------------------------------------------------------------


def test_of_a_long_list_the_beginning_stands_open_and_the_rest_is_folded():
    text = plan_markdown(Plan(TARGET, tuple(a_change(Action.CREATE, f"en/{n:02}.md") for n in range(50))))
    opened, folded = text.split("<details><summary>30 more</summary>\n\n")
    assert "`en/19.md`" in opened and "`en/20.md`" in folded and "`en/49.md`" in folded
    assert folded.endswith("\n\n</details>\n") and "are not shown" not in text


def test_thousands_of_changes_still_fit_into_a_comment_and_the_rest_is_counted():
    changes = tuple(a_change(Action.CREATE, f"en/billing/{n:05}.md") for n in range(10_000))
    text = plan_markdown(Plan(TARGET, changes))
    listed = text.count("| create | `en/")
    assert len(text.encode()) <= LIMIT_BYTES and listed > 500
    assert f"… and {10_000 - listed:,} more are not shown: a comment has a size limit." in text


def test_a_long_list_leaves_room_for_the_others():
    held = tuple(a_held(f"en/{n}.md") for n in range(5_000))
    warnings = tuple(a_finding(message=f"warning {n}") for n in range(5_000))
    changes = tuple(a_change(Action.UPDATE, f"en/{n}.md") for n in range(5_000))
    text = plan_markdown(Plan(TARGET, changes, held, warnings=warnings), warnings)
    assert len(text.encode()) <= LIMIT_BYTES
    assert (
        text.count("| update | `en/") > 20
        and text.count("| edited in the panel |") > 100
        and text.count("warning 7 ") == 2
    )
    assert text.count("are not shown") == 4


@settings(max_examples=25, deadline=None)
@given(st.lists(st.text("|<@é🎉a\\`", min_size=150, max_size=400), min_size=1, max_size=6), st.integers(1, 300))
def test_the_report_fits_whatever_the_texts_are(texts, times):
    changes = tuple(a_change(Action.UPDATE, t, FieldChange("title", t, t), title=t, slug=t) for t in texts) * times
    held = tuple(a_held(text, text) for text in texts) * times
    outcomes = [Outcome(change, "failed", None, change.title, change.title) for change in changes]
    assert len(plan_markdown(Plan(TARGET, changes, held)).encode()) <= LIMIT_BYTES
    assert len(push_markdown(Plan(TARGET, changes, held), outcomes, requests=1, seconds=1).encode()) <= LIMIT_BYTES


# --- what cannot act -------------------------------------------------------------------------------------------------

NASTY = (
    "a | b", "`x", "``|``", "\\| \\", "<img src=x onerror=y>", "</details><script>", "@everyone and @a/team", "fixes #12",
    "a\n\n# Title\n- x", "[x](javascript:alert(1))", "![x](https://example.com/t.png)", "*b* _i_ ~~s~~ $m$",
    "https://example.com/x and www.example.com", "&lt;b&gt; &#64;a", "<!-- ", "##[add-mask]e", "\x1b[2J\u202egnp\x07",
    "GH-12 and gh-7", "user/repo#12", "user@0123456789abcdef0123456789abcdef01234567", "fixed by deadbee and 1234567",
    "\ud800", "a\u2028b", "![[a]]", "\\", "mail ana@example.com",
)  # fmt: skip
TEXTS = st.one_of(st.sampled_from(NASTY), st.text("|`<>@#\\*_[]()!~$&:/w.\n\r\tab 1-"), st.text())


def every_nasty_text(function):
    for text in NASTY:
        function = example(text)(function)
    return settings(max_examples=300, deadline=None)(given(TEXTS)(function))


def cell(markdown: str) -> str:
    """The HTML of a text in the middle of a row, in a table that is still one row of three cells."""
    found = render(f"| x | y | z |\n| --- | --- | --- |\n| a | {markdown} | c |\n", Options.CMARK_OPT_UNSAFE)
    row = re.search(r"<tbody>\n<tr>\n<td>a</td>\n<td>(.*)</td>\n<td>c</td>\n</tr>\n</tbody>\n</table>\n$", found)
    assert row, found
    return row[1]


def seen(cell_html: str) -> str:
    """What a reader sees of it, without spaces: some are squeezed, and some have no width."""
    return re.sub(r"[\s\u200b]", "", html.unescape(re.sub(r"</?code>", "", cell_html)))


def bare(text: str) -> str:
    return "".join(visible(text).split())[:100]


@every_nasty_text
def test_prose_shows_the_text_and_nothing_else(text):
    found = cell(prose(text))
    assert "<" not in found
    assert seen(found)[:100] == bare(text)


@every_nasty_text
def test_code_shows_the_text_and_nothing_else(text):
    found = cell(code(text))
    assert re.sub(r"</?code>", "", found).count("<") == 0
    assert seen(found)[:100] == bare(text)


@every_nasty_text
def test_a_hint_has_code_between_backticks_and_nothing_else(text):
    found = cell(hint(f"run `kbsync push {text}` or {text}"))
    assert re.sub(r"</?code>", "", found).count("<") == 0
    expected = bare(f"run `kbsync push {text}` or {text}").replace("`", "")
    assert seen(found).replace("`", "").startswith(expected[:80])


@every_nasty_text
def test_nobody_is_mentioned_no_issue_or_commit_is_marked_and_no_runner_is_commanded(text):
    change = a_change(Action.UPDATE, text, FieldChange("title", text, text), title=text, slug=text, locale="en")
    plan = Plan(TARGET, (change,), (a_held(text, f"run `kbsync push {text}`"),), warnings=(a_finding(message=text),))
    source = plan_markdown(plan)
    page = render(source, Options.CMARK_OPT_UNSAFE)
    words = re.sub(r"<code>.*?</code>", "", page, flags=re.DOTALL)
    assert not re.search(r"@\w|#\d|\bgh-\d", html.unescape(words), re.IGNORECASE)
    assert not re.search(r"(?<![0-9a-z])[0-9a-f]{7,40}(?![0-9a-z])", html.unescape(words), re.IGNORECASE)
    assert "##[" not in source and not re.search(r"^\s*::", source, re.MULTILINE)
    assert page.count("<h2>") == 1 and page.count("<tr>") == 2 + 2 + 2 + 2
    assert not re.search(r"<(a|img|script|details|em|strong|del|blockquote|ul)\b", words)


def test_a_command_in_a_hint_is_whole_however_long_the_sentence_is():
    command = command_line("push", options=[("--overwrite", f"en/{'x' * 250}/$(touch X) y.md")])
    found = cell(hint(f"{'long ' * 60}or run `{command}`; {'more ' * 60}"))
    assert f"<code>{html.escape(command, quote=False)}</code>" in found.replace("\u200b", "")
    assert found.endswith("…")


# --- both sides and differences --------------------------------------------------------------------------------------


def test_what_needs_a_decision_has_both_values_and_when_the_portal_was_changed():
    values = (FieldChange("title", "Bills | by *Ada*", "Invoices"), FieldChange("content", "body:1", "body:2"))
    held = structs.replace(a_held(), values=values, edited_s=1_795_000_000)
    assert (
        "| edited in the panel, last changed 2026-11-18 11:06 UTC | `en/billing/invoices.md` "
        "| title: Bills &#124; by \\*Ada\\*; body differs | title: Invoices |"
        in plan_markdown(Plan(TARGET, held=(held,)))
    )


def test_long_values_that_differ_are_seen_to_differ():
    long = "How to refund a charge of a customer who has paid by bank transfer in the last thirty days"
    change = a_change(Action.UPDATE, "en/x.md", FieldChange("title", f"{long}, old", f"{long}, new"))
    text = plan_markdown(Plan(TARGET, (change,)))
    assert ", old → " in text and ", new |" in text


def test_a_difference_is_folded_fits_and_cannot_leave_its_fence():
    change = a_change(Action.UPDATE, "en/x.md", FieldChange("content", "body:1", "body:2"))
    for old, new in (("````\n##[group]\n</details>", "```\n"), ("a", "b\n" * 20_000)):
        text = plan_markdown(Plan(TARGET, (change,)), bodies=Bodies({("article", 7, False): Body(old, new)}, 3))
        assert len(text.encode()) <= LIMIT_BYTES and "##[" not in text
        page = render(text, Options.CMARK_OPT_UNSAFE)
        assert page.count("<details>") == 1 and page.count('<pre lang="diff">') + page.count('"language-diff"') == 1
        assert "3 more are not shown" in text


def test_a_plan_that_is_refused_says_so_first():
    refused = Refusal(5, 3, "max_removals", "This plan removes 5 items.", "Run `kbsync push --allow-removals 5`.")
    text = plan_markdown(Plan(TARGET, (a_change(Action.DELETE, ""),), refused=refused))
    assert text.startswith("## kbsync plan: refused, 1 change\n\n**Refused, nothing will be sent. This plan removes 5")
    assert "Run `kbsync push --allow-removals 5`." in text and "| **DELETE** |" in text
