"""The lists of all files: errors and warnings, and the articles with something to do."""

from pathlib import Path

import pytest

from kbsync.model import Finding
from kbsync.plan.freshness import Freshness, Translation
from kbsync.preview.debts import Debts
from kbsync.preview.findings_list import MOST_SHOWN, in_order
from kbsync.preview.views import View
from kbsync.preview.writer import Writing
from kbsync.site.pages import FindingsPage
from preview.workshop import HOME, TREE, Shop, a_shop, running

FILES = TREE | {
    "en/billing/charges.md": "---\ntitle: Charges\nstatus: published\n---\n[x](none.md)\n\n~~old~~\n",
    "en/teams/invite.md": "---\nstatus: draft\n---\n[x](none.md)\n",
}


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    shop = a_shop(tmp_path, FILES)
    shop.look(*FILES)
    for path, text in FILES.items():
        shop.save(path, f"{text}\n")
    return shop


def codes(page: FindingsPage) -> list[tuple[str, list[str]]]:
    return [(file.path, [finding.code for finding in file.findings]) for file in page.files]


def test_files_with_errors_come_first_and_each_file_by_line(shop: Shop):
    assert codes(shop.page("/-/findings")) == [
        ("en/teams/invite.md", ["KB110", "KB301"]),
        ("en/billing/charges.md", ["KB301", "KB404"]),
    ]


def test_a_key_of_another_tool_counts_once_as_lint_counts_it(shop: Shop):
    for path in ("en/billing/invoices.md", "en/billing/refunds.md"):
        shop.save(path, "---\ntitle: A\nsidebar_label: B\n---\nText.\n")
    [file] = shop.page("/-/findings?code=KB107").files
    assert file.path == "en/billing/invoices.md" and len(file.findings) == 1
    assert "1 more file has it." in file.findings[0].message


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("level=error", [("en/teams/invite.md", ["KB110"])]),
        ("code=KB4", [("en/billing/charges.md", ["KB404"])]),
        ("code=KB301&folder=en/teams", [("en/teams/invite.md", ["KB301"])]),
        ("folder=en/team", []),
        ("page=9", []),
        ("page=x&level=%00", []),
    ],
)
def test_a_list_is_limited_by_level_code_and_folder(shop: Shop, query: str, found: list[tuple[str, list[str]]]):
    assert codes(shop.page(f"/-/findings?{query}")) == found


def test_each_choice_leads_to_as_many_as_it_says(shop: Shop):
    for _, choices in shop.page("/-/findings?code=KB301").filters:
        for choice in choices:
            number = int(choice.text.rpartition("(")[2].rstrip(")"))
            page = shop.page(choice.url)
            assert sum(len(file.findings) for file in page.files) == number, choice
    assert "Next page" not in shop.html("/-/findings")


def test_many_are_shown_in_parts(shop: Shop):
    many = [Finding("KB301", "warning", "en/x.md", line, 1, "No.") for line in range(1, MOST_SHOWN + 2)]
    shop.live_tree.findings = {"en/x.md": tuple(many)}
    first = shop.page("/-/findings")
    assert first.next is not None and "Shown: 1 to 200" in first.summary
    second = shop.page(first.next.url)
    assert [finding.line for file in second.files for finding in file.findings] == [MOST_SHOWN + 1]
    assert second.previous is not None and second.next is None


def test_the_home_page_counts_what_is_to_do_and_leads_to_it(shop: Shop):
    writing = Writing(shop.live_tree.project, edited=lambda: frozenset({"en/billing/refunds.md"}))
    writing.debts = Debts.of([Translation("fr", "en/teams/invite.md", "fr/teams/invite.md", Freshness.MISSING)])
    view = View(shop.live_tree, writing)
    home = view.page_at(HOME)
    texts = [choice.text for choice in home.frame.writer.counts]
    assert texts == ["1 error", "3 warnings", "5 articles", "3 drafts", "1 not translated", "1 edited in the panel"]
    for choice in home.frame.writer.counts[2:]:
        sections = view.page_at(choice.url).sections
        assert sum(len(section.articles) for section in sections) == int(choice.text.split()[0])


def test_the_lists_of_translations_begin_with_what_readers_read_most(shop: Shop):
    read = {"en/teams/invite.md": None, "en/billing/refunds.md": 3, "en/billing/invoices.md": 90}
    found = [Translation("fr", path, f"fr{path[2:]}", Freshness.MISSING, views=views) for path, views in read.items()]
    view = View(shop.live_tree, Writing(shop.live_tree.project))
    view.writing.debts = Debts.of(found)
    sections = view.page_at("/-/overview?show=untranslated").sections
    shown = [link.text for section in sections for link in section.articles]
    assert shown[:2] == ["Invoices", "Refunds"] and len(shown) == 3


def test_the_number_behind_a_language_stays_behind_it_also_where_its_name_is_written_from_the_right(tmp_path: Path):
    shop = a_shop(tmp_path, {"ar/welcome.md": "---\ntitle: x\n---\nText.\n"})
    assert '<bdi><a href="/ar/">العربية</a></bdi> <span class="note">1 article</span>' in shop.html("/-/overview")


def test_findings_of_the_same_file_stay_together():
    named = [("b", "warning", 2), ("a", "warning", 1), ("b", "error", 5)]
    findings = [(path, Finding("KB1", level, path, line, 1, "")) for path, level, line in named]  # type: ignore[arg-type]
    assert [(path, finding.line) for path, finding in in_order(findings)] == [("b", 2), ("b", 5), ("a", 1)]


def test_an_open_list_follows_with_its_limits(tmp_path: Path):
    with running(tmp_path, FILES) as preview:
        preview.wait_until_read()
        url = "/-/findings?level=error"
        with preview.tab(url) as tab:
            assert "KB110" in tab.page_with("KB110")
            (preview.content / "en/teams/invite.md").write_text("---\ntitle: Invite\n---\n[x](none.md)\n")
            assert "No errors or warnings" in tab.page_without("KB110")
        assert "KB301" in preview.get("/-/findings?code=KB301").text
