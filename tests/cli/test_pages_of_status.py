"""The pages about status, diff, why and log show what these commands print, in both languages."""

import re
from pathlib import Path

import pytest

from kbsync.sandbox import Sandbox

CONTENT = Path(__file__).parents[2] / "content"
REFUNDS = "content/en/billing/refunds.md"
MASKS = (
    (r"http://127\.0\.0\.1:\d+", "https://support.example.com"), (r"\d{4}-\d\d-\d\d \d\d:\d\d", "WHEN"),
    (r"commit [0-9a-f]+", "commit ID"), (r"\(article \d+", "(article N"), (r"\S+@\S+$", "WHO"),
    (r"by \S+@\S+\.$", "by WHO."),
)  # fmt: skip
"""What is not the same on two days and two machines."""


def masked(text: str) -> str:
    for pattern, shown in MASKS:
        text = re.sub(pattern, shown, text, flags=re.MULTILINE)
    return text


def blocks(page: str, locale: str) -> list[str]:
    text = (CONTENT / locale / "publishing" / f"{page}.md").read_text("utf-8")
    return [masked(block) for block in re.findall(r"```text\n(.*?)```", text, re.DOTALL)]


def shown(project, *arguments: str) -> str:
    done = project.run(*arguments, COLUMNS="120")
    assert done.code == 0
    return masked(done.out)


@pytest.mark.parametrize("locale", ["en", "fr"])
def test_the_page_of_status_and_the_page_of_diff(pushed, portal, locale):
    # One article was edited in the panel, one in its file; another one was made in the panel.
    portal.panel.publish("refunds")
    portal.panel.edit("invoices", title="Bills")
    portal.panel.create("handbook", "Other", "Text", slug="other-one")
    pushed.write(REFUNDS, "---\ntitle: Refunds\n---\nSee the [invoices](invoices.md).\n")
    assert shown(pushed, "status") == blocks("what-is-where", locale)[0]
    assert [shown(pushed, "diff")] == blocks("see-what-would-change", locale)


@pytest.mark.parametrize("locale", ["en", "fr"])
def test_what_to_translate_first(remote, portal: Sandbox, locale):
    # Nobody owes a translation of a draft.
    remote.commit({"content/en/billing/invoices.md": "---\ntitle: Invoices\n---\nText.\n"})
    assert remote.run("translate", "--done", "content/fr/billing/refunds.md").code == 0
    remote.commit({REFUNDS: remote.read(REFUNDS).replace("See", "Open")})
    assert remote.run("push").code == 0
    portal.panel.sql("UPDATE articles SET views = CASE slug WHEN 'refunds' THEN 1204 ELSE 37 END")
    found = shown(remote, "status")
    assert blocks("what-is-where", locale)[1] in found + "\n", found


@pytest.mark.parametrize("locale", ["en", "fr"])
def test_the_page_of_why_and_log(pushed, locale):
    pushed.commit({REFUNDS: "---\ntitle: Refunds\n---\nSee [invoices](invoices.md).\n"}, "Shorter titles")
    reason = shown(pushed, "why", REFUNDS)
    assert pushed.run("push").code == 0
    assert [reason, shown(pushed, "why", "--history", REFUNDS)] == blocks("why-an-article-changes", locale)
