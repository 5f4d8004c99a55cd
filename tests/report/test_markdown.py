"""Reports as Markdown: the whole screen, what fits into a comment, and that no text in them can act."""

import html
import re
from dataclasses import replace

import pytest
from cmarkgfm import github_flavored_markdown_to_html as render
from cmarkgfm.cmark import Options
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec import structs

from kbsync.command import command_line
from kbsync.model import Action, FieldChange, Finding, Observed, Outcome, Plan, Refusal, Unpublished, visible
from kbsync.report.body_diff import Bodies, Body
from kbsync.report.escape import code, hint, prose
from kbsync.report.folding import LIMIT_BYTES, OPEN_ROWS, Section, section_text
from kbsync.report.pushed import Aftermath, Drafts
from kbsync.report.summary import findings_markdown, plan_markdown, push_markdown, refused_markdown

from .items import TARGET, a_change, a_held

UNPUBLISHED = Unpublished(
    kind="article", locale="en", slug="a", path="en/a.md", remote_id=7, title="A", hint="Publish it."
)


def a_finding(level: str = "warning", message: str = "a link to `x.md`, which is not there") -> Finding:
    return Finding("KB301", level, "en/a.md", 3, 5, message, "make the file")


def test_a_plan_says_what_it_costs_and_where_findings_are_in_the_repository():
    changes = (a_change(Action.CREATE, "en/a.md", title="A"), a_change(Action.UPDATE, "en/b.md", live=True))
    text = plan_markdown(
        Plan(TARGET, changes, unchanged=61, requests=5, seconds=0.2), [a_finding()], root="docs/content"
    )
    assert text.startswith(
        "## kbsync plan: 2 changes\n\n"
        "Portal `handbook` at `https://support.example.com` · 5 requests, about 1 second · 61 unchanged\n\n"
        "- **LIVE: 1.** Readers see these changes immediately.\n\n"
    )
    assert "| KB301 | `docs/content/en/a.md:3:5` | a link to `x.md`, which is not there | make the file |" in text


def test_a_push_says_what_it_cost_how_to_reverse_it_and_where_the_drafts_are():
    outcomes = [
        Outcome(a_change(Action.ADOPT, "en/old.md", live=True), "done", 1),
        Outcome(a_change(Action.CREATE, "en/a.md", title="A", remote_id=None), "done", 2),
        Outcome(a_change(Action.UPDATE, "en/b.md"), "failed", 3, "PATCH /b: 500", "run `kbsync push` again"),
    ]
    after = Aftermath(
        7, "To reverse it: `kbsync undo 7`.", Drafts(tuple(f"https://x.test/{n}" for n in range(7)), 7), 3
    )
    text = push_markdown(Plan(TARGET, unchanged=2), outcomes, requests=4, seconds=1.25, after=after)
    assert text.startswith(
        "## kbsync push: 1 change made, 1 failed\n\nPortal `handbook` at `https://support.example.com` "
        "· 1 request in 1.2 s, after 3 to read the portal · 2 unchanged · 1 article already matches\n\n"
    )
    assert "\n\nTo reverse it: `kbsync undo 7`.\n\nNew drafts (everyone who has the address can read them):\n\n" in text
    assert "- <https://x.test/4>\n- … and 2 more\n" in text
    assert "| update | `en/b.md` | PATCH /b: 500 | run `kbsync push` again |" in text


def test_a_push_that_errors_stopped_lists_them():
    text = refused_markdown(TARGET, [a_finding("error", "no title")], command="push", root="content")
    assert text.startswith("## kbsync push: stopped by 1 error\n\nPortal `handbook`")
    assert text.index("Nothing was sent.") < text.index("### Errors: 1\n") < text.index("no title")


def test_findings_are_counted_in_the_heading():
    text = findings_markdown([a_finding(), a_finding("error"), a_finding()], root=".", sources=1)
    assert text.startswith("## kbsync lint: 1 error, 2 warnings\n\n1 file checked\n\n")
    assert "| `en/a.md:3:5` |" in text
    text = findings_markdown([], root="content", sources=2)
    assert text.startswith("## kbsync lint: no errors or warnings\n\n2 files")


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        (Plan(TARGET), "everything is up to date"),
        (Plan(TARGET, (a_change(Action.ADOPT, live=True),)), "everything is up to date"),
        (Plan(TARGET, unpublished=(UNPUBLISHED,)), "nothing to send"),
        (Plan(TARGET, held=(a_held(), a_held())), "nothing to send, 2 need your decision"),
        (Plan(TARGET, tuple(a_change(Action.CREATE) for _ in range(1200))), "1,200 changes"),
    ],
)
def test_the_heading_is_the_result_in_one_line(plan, words):
    assert plan_markdown(plan).startswith(f"## kbsync plan: {words}\n")


def test_a_push_that_ended_before_its_first_change_says_that_nothing_was_sent():
    text = push_markdown(Plan(TARGET, (a_change(Action.CREATE),)), [], requests=1, seconds=0.1)
    assert text.startswith("## kbsync push: nothing was sent\n")


def test_what_is_on_the_portal_and_not_ours_is_listed_when_asked_for():
    theirs = Observed(kind="article", remote_id=9, locale="en", slug="theirs", fields={"title": "Their *own*"})
    assert "| `en: theirs` | Their \\*own\\* |  |" in plan_markdown(Plan(TARGET, unmanaged=(theirs,)), unmanaged=True)
    assert "theirs" not in plan_markdown(Plan(TARGET, unmanaged=(theirs,)))


def test_what_a_comment_does_not_say_of_a_plan_is_said_too():
    plan = Plan(TARGET, unpublished=(UNPUBLISHED,), panel_edits=(a_held(),), kept=(a_held("en/kept.md"),))
    text = plan_markdown(plan)
    assert "1 edit is pending in the panel, and a push would not touch it\n" in text
    assert "### Published in your files, but not on the portal: 1\n" in text
    assert "| `en/a.md` | A | Publish it. |" in text
    assert "<summary>Different, and accepted with `resolve --theirs`: 1</summary>" in text


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


@pytest.mark.parametrize("written", [prose, code])
@every_nasty_text
def test_prose_and_code_show_the_text_and_nothing_else(written, text):
    found = cell(written(text))
    assert "<" not in (found if written is prose else re.sub(r"</?code>", "", found))
    assert seen(found)[:100] == bare(text)


@every_nasty_text
def test_a_hint_has_code_between_backticks_and_nothing_else(text):
    found = cell(hint(f"run `kbsync push {text}` or {text}"))
    assert re.sub(r"</?code>", "", found).count("<") == 0
    expected = bare(f"run `kbsync push {text}` or {text}").replace("`", "")
    assert seen(found).replace("`", "").startswith(expected[:80])


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
        "| title, body | Bills &#124; by \\*Ada\\* | Invoices |" in plan_markdown(Plan(TARGET, held=(held,)))
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
        assert page.count("<details>") == 2 and page.count('<pre lang="diff">') + page.count('"language-diff"') == 1
        assert "Not shown: 3 changed bodies. `kbsync plan --diff -v` shows all." in text


def test_a_plan_that_is_refused_says_so_first():
    refused = Refusal(5, 3, "max_removals", "This plan removes 5 items.", "Run `kbsync push --allow-removals 5`.")
    text = plan_markdown(Plan(TARGET, (a_change(Action.DELETE, "", live=True),), refused=refused))
    assert text.startswith("## kbsync plan: refused, 1 change\n\n**Refused, nothing will be sent. This plan removes 5")
    assert "Run `kbsync push --allow-removals 5`." in text
    assert "| **DELETE** | `en: refunds` | **LIVE** Refunds | its file is gone |\n" in text


# --- what fits -------------------------------------------------------------------------------------------------------


def a_section(number: int = 50, **more) -> Section:
    rows = [(f"`{place}.md`", "x" * 20) for place in range(number)]
    return Section("Changes", ("File", "Title"), rows, number, **more)


def names(number: int = 50) -> list[str]:
    return [f"`{place}.md`" for place in range(number)]


def rows_in(text: str) -> int:
    return text.count("x" * 20)


def test_what_fits_is_shown_whole_and_folded_after_twenty_rows():
    text = section_text(a_section(), 100_000)
    assert text.startswith("### Changes: 50\n\n| File | Title |") and rows_in(text) == 50
    assert rows_in(text.partition("<details>")[0]) == OPEN_ROWS and "<details><summary>30 more</summary>" in text


def test_a_list_can_be_folded_below_its_heading_or_with_it():
    below = section_text(a_section(3, folded="rows"), 100_000)
    assert below.startswith("### Changes: 3\n\n<details><summary>3 more</summary>") and rows_in(below) == 3
    whole = section_text(a_section(folded="list"), 100_000)
    assert whole.startswith("<details><summary>Changes: 50</summary>") and whole.count("<details>") == 1


def test_rows_without_room_are_counted():
    text = section_text(a_section(), 400)
    assert rows_in(text) < 20 and text.endswith(
        f"… and {50 - rows_in(text)} more are not shown: a comment has a size limit."
    )


def test_rows_without_room_are_named_where_there_are_names_and_the_rest_is_counted():
    text = section_text(a_section(names=names()), 600)
    listed, named = rows_in(text), text.count(".md`") - rows_in(text)
    assert listed and named and text.endswith(f"{50 - listed - named} others, because a comment has a size limit.")


@pytest.mark.parametrize("room", [-10, 0, 1, 60, 500, 5_000])
@pytest.mark.parametrize("has_names", [False, True])
def test_rows_and_names_take_no_more_than_the_room(room, has_names):
    section = a_section(names=names()) if has_names else a_section()
    empty = section_text(replace(section, rows=[], names=None), 0)
    folds = "<details><summary>30 more</summary></details>| File | Title || --- | --- |"
    text = section_text(section, room)
    assert len(text.encode()) <= max(room, 0) + len(empty.encode()) + 2 * len(folds) + 60
