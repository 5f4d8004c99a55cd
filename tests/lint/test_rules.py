"""Every rule fires where it should, with level, place, message and hint, and keeps quiet where it should not."""

import os

import pytest

from builders import A_CATEGORY, AN_ARTICLE, beside, read_content, write_files
from kbsync.lint import CHECKS
from kbsync.lint.explanations import explain
from kbsync.lint.parity import RULE_OF
from kbsync.report.rules import RULES
from kbsync.service.profile import Limits

from .texts import OF_ONE_TEXT

HERE, CATEGORY = "en/billing/refunds.md", "en/billing/_category.md"


def article(front: str = "", body: str = "Text.\n", **others: str | bytes) -> dict[str, str | bytes]:
    """An article whose title is on line 2 and whose other keys are from line 3 on."""
    return beside(f"---\ntitle: T\n{front}---\n{body}", **others)


FIRES = [
    # code, level, path, line, column, words of the message, words of the hint, files
    ("KB101", "error", HERE, 2, 2, "0xff", "UTF-8", beside(b"# T\nx\xff")),
    ("KB103", "error", HERE, 1, 1, "empty", "delete", beside("\n")),
    ("KB104", "error", HERE, 3, 8, "not valid YAML", "quotes", article("slug: a: b\n")),
    ("KB104", "error", HERE, 2, 7, "this `[` is not closed", "Add `]`", beside("---\ntags: [a,\n  b\n\ntitle: T\n---\nx\n")),
    ("KB104", "error", HERE, 3, 7, "this `[` is not closed", "Add `]`", beside("---\ntitle: T\ntags: [a, b\n---\nx\n")),
    ("KB104", "error", HERE, 2, 8, "this `[` is not closed", "Add `]`", beside("---\ntitle: [\n---\nx\n")),
    ("KB104", "error", HERE, 3, 15, "not valid YAML", "quotes", article('tags: [a, "b" c]\n')),
    ("KB105", "error", HERE, 2, 1, "key: value", "one key", beside("---\n- a\n---\nx\n")),
    ("KB106", "error", HERE, 3, 1, "line 2", "Delete", article("title: U\n")),
    ("KB107", "error", HERE, 3, 1, "`statsu`", "`status`", article("statsu: draft\n")),
    ("KB107", "error", HERE, 2, 1, "Unknown key `Title`.", "`title`", beside("---\nTitle: T\n---\nx\n")),
    ("KB107", "error", HERE, 2, 1, "Unknown key `titel`.", "`title`", beside("---\ntitel: T\n---\nx\n")),
    ("KB107", "warning", HERE, 3, 1, "`layout`", "kbsync reads: title", article("layout: wide\n")),
    ("KB107", "warning", HERE, 3, 1, "`linkTitle` is a key of Hugo", "Delete the line", article("linkTitle: Short\n")),
    ("KB107", "warning", HERE, 3, 1, "`tag` is a key of Mintlify", "Delete the line", article("tag: NEW\n")),
    ("KB107", "warning", HERE, 3, 1, "`weight` is a key of Hugo", "`position`", article("weight: 3\n")),
    ("KB107", "warning", HERE, 3, 1, "`weight` is a key of Hugo", "Delete the line", article("weight: 3\nposition: 3\n")),
    ("KB107", "warning", HERE, 3, 1, "`categories` is a key of Hugo and Jekyll", "`category`", article("categories: [a]\n")),
    ("KB107", "warning", HERE, 3, 1, "`titles`", "kbsync reads: title", article("titles: U\n")),
    ("KB107", "warning", HERE, 3, 1, "`subtitle`", "kbsync reads: title", article("subtitle: U\n")),
    ("KB107", "error", HERE, 3, 1, "`Tags`", "`tags`", article("Tags: [a]\n")),
    ("KB107", "error", HERE, 3, 1, "`desciptoin`", "`description`", article("desciptoin: x\n")),
    ("KB107", "warning", HERE, 3, 1, "`slugs`", "kbsync reads: title", article("slugs: [a, b]\n")),
    ("KB107", "error", CATEGORY, 2, 1, "A category has no `title`", "Write `name:` instead.", beside(AN_ARTICLE, **{CATEGORY: "---\ntitle: Billing\n---\n"})),
    ("KB104", "error", HERE, 3, 7, "not valid YAML", "The value begins with `@`: put it in quotes.", article("slug: @a\n")),
    ("KB104", "error", HERE, 3, 6, "not valid YAML", "delete them", article(" slug: a\n")),
    ("KB107", "error", CATEGORY, 3, 1, "`postion`", "`position`",
     beside(AN_ARTICLE, **{CATEGORY: "---\nname: B\npostion: 1\n---\n"})),
    ("KB108", "error", HERE, 3, 1, "whole number", "position: 20", article("position: first\n")),
    ("KB109", "error", HERE, 3, 1, "`done` is not a value of `status`", "draft, published, archived", article("status: done\n")),
    ("KB110", "error", HERE, 1, 1, "no title", "title: ...", beside("Text without a title.\n")),
    ("KB110", "error", HERE, 2, 1, "no title", "title: ...", beside('---\ntitle: " "\n---\nx\n')),
    ("KB110", "error", CATEGORY, 1, 1, "no name", "name: ...", beside(AN_ARTICLE, **{CATEGORY: "---\nslug: billing\n---\n"})),
    ("KB110", "error", CATEGORY, 2, 1, "no name", "name: ...", beside(AN_ARTICLE, **{CATEGORY: '---\nname: ""\n---\n'})),
    ("KB110", "error", CATEGORY, 1, 1, "no name", "name: ...", beside(AN_ARTICLE, **{CATEGORY: "Only text.\n"})),
    ("KB111", "error", HERE, 1, 1, "never closed", "`---`", beside("---\ntitle: T\nText\n")),
    ("KB112", "error", HERE, 1, 1, "65,536", "closing", beside(f"---\ntitle: {'t' * 66_000}\n---\nx\n")),
    ("KB113", "error", HERE, 3, 1, "`never` is not a value of `manage`", "true, seed, false", article("manage: never\n")),
    ("KB114", "error", HERE, 4, 2, "NUL", "Delete", article(body="x\0")),
    ("KB114", "error", HERE, 3, 1, "`slug`", "Delete", article('slug: "a\\0"\n')),
    ("KB116", "warning", HERE, 3, 1, "`slug` is empty", "write a value", article("slug:\n")),
    ("KB116", "warning", HERE, 3, 1, "`description` is empty", 'write `description: ""` to clear it', article("description:\n")),
    ("KB116", "warning", HERE, 3, 1, "`tags` is empty", "write `tags: []` to clear it", article("tags:\n")),
    ("KB116", "warning", HERE, 3, 1, "`status` is empty", "one of: draft, published, archived", article("status:\n")),
    ("KB116", "warning", HERE, 3, 1, "`author` is empty", "write a value", article("author:\n")),
    ("KB117", "warning", "en/billing/intro.mdx", 1, 1, "`intro.mdx` is not published: kbsync reads only files that end in `.md`.", "Rename it to `intro.md`. Take out its imports",
     beside(AN_ARTICLE, **{"en/billing/intro.mdx": b"x"})),
    ("KB117", "warning", "en/billing/a.html", 1, 1, "`a.html` is not published", "Write it in Markdown, as `a.md`.",
     beside(AN_ARTICLE, **{"en/billing/a.html": b"x", "en/_layouts/b.html": b"x", "en/files/c.html": b"x"})),
    ("KB117", "warning", "en/billing/INTRO.MD", 1, 1, "Nor is 1 more in this folder.", "Rename it to `INTRO.md`.",
     beside(AN_ARTICLE, **{"en/billing/INTRO.MD": b"x", "en/billing/intro.markdown": b"x"})),
    ("KB117", "warning", "en/a.mdx", 1, 1, "Nor are 2 more in this folder.", "Rename it to `a.md`",
     beside(AN_ARTICLE, **{"en/a.mdx": b"x", "en/b.Mdx": b"x", "en/c.Rmd": b"x"})),
    ("KB118", "error", HERE, 3, 1, "without a time zone: `2026-12-01 09:00`", "`2026-12-01 09:00Z` for UTC",
     article("publish_on: 2026-12-01 09:00\nstatus: published\n")),
    ("KB118", "error", HERE, 3, 1, "must be a date", "`2026-12-01` or `2026-12-01T09:00+01:00`",
     article("publish_on: 2026-02-30\nstatus: published\n")),
    ("KB119", "warning", HERE, 3, 1, "`publish_on` has no effect, because the status is `draft`", "`status: published`",
     article("publish_on: 2026-12-01\n")),
    ("KB119", "warning", HERE, 3, 1, "`release` has no effect, because the status is `archived`", "delete `release`",
     article("release: 5.2\nstatus: archived\n")),
    ("KB121", "error", HERE, 3, 1, "empty lines above the front matter", "Delete the empty lines", beside("\n\n---\ntitle: T\n---\nx\n")),
    ("KB121", "error", HERE, 1, 1, "begins with `––-`", "three hyphens", beside("––-\ntitle: T\n--\nx\n")),
    ("KB121", "error", HERE, 1, 1, "is TOML (`+++`)", "as YAML", beside('+++\ntitle = "T"\n[menu]\n+++\nx\n')),
    ("KB121", "error", CATEGORY, 2, 1, "empty lines", "Delete", beside(AN_ARTICLE, **{CATEGORY: "\n---\nname: B\n---\n"})),
    ("KB122", "warning", HERE, 3, 1, "The value of `description` is in curly quotes", "straight", article("description: „Zu viel“\n")),
    ("KB122", "warning", HERE, 3, 1, "The value of `description` is in curly quotes", "straight", article("description: ”För mycket”\n")),
    ("KB122", "warning", HERE, 3, 1, "The value of `tags`", "straight", article("tags: [“a”, b]\n")),
    ("KB124", "warning", HERE, 3, 1, "The value of `description` ends before `#1 tip`", "quotes", article("description: Our #1 tip\n")),
    ("KB123", "warning", "README.md", 1, 1, "so it is not published. Nor are 2 more.", "front matter with a `title`",
     beside(AN_ARTICLE, **{"README.md": "# R\nx {{ y }}\n", "en/README.md": "", "en/billing/readme.md": "no\n---\n"})),
    ("KB201", "error", "en/other/refunds.md", 1, 1, HERE, "slug: refunds-en",
     beside(AN_ARTICLE, **{"en/other/_category.md": A_CATEGORY, "en/other/refunds.md": AN_ARTICLE})),
    ("KB201", "error", "fr/x.md", 3, 1, HERE, "slug: refunds-fr",
     beside(AN_ARTICLE, **{"fr/x.md": f"---\ntitle: T\nslug: refunds\ntranslation_of: {HERE}\n---\nx\n"})),
    ("KB201", "error", "en/x/_category.md", 3, 1, CATEGORY, "another slug",
     beside(AN_ARTICLE, **{"en/x/_category.md": "---\nname: X\nslug: billing\n---\n"})),
    ("KB202", "error", HERE, 3, 1, "`biling` is not declared in en", "Did you mean `billing`?", article("category: biling\n")),
    ("KB202", "error", "en/account/a.md", 1, 1, "`account`", "en/account/_category.md", beside(AN_ARTICLE, **{"en/account/a.md": "# A\nx\n"})),
    ("KB202", "error", "fr/billing/refunds.md", 1, 1, "not declared in fr", "fr/billing/_category.md", beside(AN_ARTICLE, **{"fr/billing/refunds.md": "# A\nx\n"})),
    ("KB203", "error", "loose.md", 1, 1, "not in a locale folder (en)", "Move it into one of these folders: en", beside(AN_ARTICLE, **{"loose.md": "# L\nx\n"})),
    ("KB204", "warning", HERE, 3, 1, "`fr`, the path `en`", "Delete the key",
     article("locale: fr\n", **{"fr/billing/_category.md": A_CATEGORY})),
    ("KB204", "warning", CATEGORY, 3, 1, "`fr`, the path `en`", "Delete the key",
     {CATEGORY: "---\nname: B\nlocale: fr\n---\n", "fr/x.md": "# X\nx\n"}),
    ("KB205", "warning", HERE, 3, 1, "`/docs/old/` is a path, as Hugo has them", "`old`", article("aliases: [older, /docs/old/]\n")),
    ("KB205", "warning", HERE, 3, 1, "404", "hyphen", article("slug: v1.2\n")),
    ("KB205", "warning", HERE, 3, 1, "%20", "hyphens", article("slug: Über uns\n")),
    ("KB205", "warning", HERE, 3, 1, "slash", "hyphen", article("slug: a/b\n")),
    ("KB205", "warning", HERE, 3, 1, "made by the panel", "plain", article("slug: 1795252643-refunds\n")),
    ("KB205", "warning", HERE, 3, 1, "single hyphens", "plain", article("slug: a--b\n")),
    ("KB205", "warning", HERE, 3, 1, "a-z", "plain", article("slug: über-uns\n")),
    ("KB205", "warning", "en/my_Faq.md", 2, 1, "`my_Faq` has capital letters", "`my_faq`", beside(AN_ARTICLE, **{"en/my_Faq.md": "---\nslug: my_Faq\n---\n# F\nx\n"})),
    ("KB206", "error", HERE, 2, 1, "256 characters", "shorter", beside(f"---\ntitle: {'t' * 256}\n---\nx\n")),
    ("KB206", "error", CATEGORY, 2, 1, "256 characters", "shorter", beside(AN_ARTICLE, **{CATEGORY: f"---\nname: {'t' * 256}\n---\n"})),
    ("KB206", "error", HERE, 3, 1, "256 characters", "shorter", article(f"slug: {'s' * 256}\n")),
    ("KB206", "error", HERE, 3, 1, "empty", "delete the line", article('slug: " "\n')),
    ("KB207", "error", HERE, 1, 1, "20,001 characters", "two articles", article(body="x" * 20_001)),
    ("KB208", "error", HERE, 3, 1, "20,001 characters", "one sentence", article(f"description: {'x' * 20_001}\n")),
    ("KB210", "error", HERE, 3, 1, "known: default, ana", "`bob = 12`", article("author: bob\n")),
    ("KB210", "error", HERE, 3, 1, "`Zoë \"Z\" <z@x.y>`", 'Add `"Zoë \\"Z\\" <z@x.y>" = 12` there', article("author: 'Zoë \"Z\" <z@x.y>'\n")),
    ("KB209", "error", HERE, 3, 1, "`search`", "`slug: how-to-search`", beside("---\ntitle: How to search\nslug: search\n---\nx\n")),
    ("KB209", "error", "en/billing/articles.md", 1, 1, "`articles`", "`slug: about-articles`",
     beside(AN_ARTICLE, **{"en/billing/articles.md": "---\ntitle: Articles\n---\nx\n"})),
    ("KB211", "warning", HERE, 1, 1, "no body", "before version 4.16", beside("# Only a title\n")),
    ("KB211", "warning", HERE, 1, 1, "no body", "below the front matter", article("status: draft\n", "\n  \n")),
    ("KB211", "error", HERE, 1, 1, "no body", "below the front matter", article("status: published\n", "\n  \n")),
    ("KB213", "warning", HERE, 3, 1, "en/no.md", "content root", article("translation_of: en/no.md\n")),
    ("KB213", "warning", HERE, 3, 1, "same locale", "original", article(f"translation_of: {HERE}\n")),
    ("KB214", "warning", HERE, 1, 1, "into fr", "fr/billing/refunds.md", beside(AN_ARTICLE, **{"fr/x.md": "# X\nx\n"})),
    ("KB301", "warning", HERE, 5, 7, "en/billing/no.md", "Correct", article(body="\né [a](no.md)\n")),
    ("KB301", "warning", HERE, 6, 6, "en/no.md", "Correct", article(body="[a]\n\n[a]: ../no.md\n")),
    ("KB302", "warning", HERE, 4, 5, "`#no`", "top of the page", article(body="[a](other.md#no)\n", **{
        "en/billing/other.md": "# O\n## Yes\nx"})),
    ("KB301", "warning", HERE, 4, 5, "no page for en/invoices", "its `.md`", article(body="[a](../invoices)\n")),
    ("KB302", "warning", HERE, 4, 5, "This page does not have a heading `#set-up_2`", "Did you mean `#set-up`?",
     article(body="[a](#set-up_2)\n\n## Set up\nx\n")),
    ("KB301", "warning", HERE, 4, 5, "en/billing/fix.patch does not exist", "web server", article(body="[a](fix.patch)\n")),
    ("KB302", "warning", HERE, 4, 11, "`#set-up-the-card-reader`", "Correct the anchor", article(body="[Readers](#set-up-the-card-reader)\n\n## Set up the cards\nx\n")),
    ("KB302", "warning", HERE, 4, 12, "`#begin`", "Did you mean `#set-up`?", article(body="- [Set up](#begin)\n\n## Set up\nx\n")),
    ("KB302", "warning", HERE, 6, 6, "`#nowhere`", "Correct the anchor", article(body="[a]\n\n[a]: #nowhere\n")),
    ("KB302", "warning", HERE, 4, 5, "The heading `内建命令` has no anchor", "Latin word",
     article(body="[a](#内建命令)\n\n## 内建命令\nx\n")),
    ("KB302", "warning", HERE, 4, 5, "`#imageengine`", "Did you mean `#image-engine`?", article(body="[a](#imageengine)\n\n## ImageEngine\n## Images\n")),
    ("KB302", "warning", HERE, 4, 5, "`#websocketendpoint`", "Did you mean `#web-socket-endpoint`?",
     article(body="[a](refunds.md#websocketendpoint)\n\n## WebSocketEndpoint\n## WebSocketEnd\n")),
    ("KB302", "warning", HERE, 4, 5, "The heading `Deep` has no anchor, because it is of level 4.", "does nothing", article(body="[a](#deep)\n\n## B\n### C\n#### Deep\nx\n")),
    ("KB406", "warning", HERE, 4, 5, "`[^1]`", "parentheses", article(body="Text[^1]\n\n[^1]: Draft.\n")),
    ("KB301", "warning", HERE, 4, 5, "outside", "public address", article(body="[a](../../../x.md)\n")),
    ("KB302", "warning", HERE, 4, 5, "`#What-s-new`", "Did you mean `#whats-new`?", article(body="[a](refunds.md#What-s-new)\n## What's new\n")),
    ("KB302", "warning", HERE, 4, 5, "`#deep`", "top of the page", article(body="[a](refunds.md#deep)\n## A\n### B\n#### Deep\n")),
    ("KB303", "warning", HERE, 4, 6, "does not exist", "Add the file",
     article(body="![a](../../.git/a.png)\n", **{".git/a.png": b"\x89PNG\r\n\x1a\n"})),
    ("KB303", "warning", HERE, 4, 6, "does not exist", "Add the file",
     article(body="![a](.a.png)\n", **{"en/billing/.a.png": b"\x89PNG\r\n\x1a\n"})),
    ("KB303", "warning", HERE, 4, 6, "en/billing/no.png", "Add the file", article(body="![a](no.png)\n")),
    ("KB417", "warning", HERE, 4, 5, "`{{#URL}}`", "Write its text", article(body="[a]({{#URL}}/b.html)\n")),
    ("KB417", "warning", HERE, 4, 6, "`{{url}}`", "Write its text", article(body="![a]({{url}}/b.png)\n")),
    ("KB407", "warning", HERE, 4, 10, "`https://x.y`", "Delete the space between", article(body="[words] (https://x.y)\n")),
    ("KB407", "warning", HERE, 4, 4, "`https://x.y/a`", "Write `%20` for each space", article(body="a <https://x.y/a b.pdf>\n")),
    ("KB419", "warning", HERE, 4, 8, "prints it", "Put `[` before", article(body="[a] and](https://x.y)\n")),
    ("KB419", "warning", HERE, 4, 1, "prints the brackets", "inside of another link", article(body="[[a](https://x.y)](https://x.z)\n")),
    ("KB408", "warning", HERE, 4, 1, "`=== \"a\"`", "one below the other", article(body='=== "a"\n\n    b\n')),
    ("KB408", "warning", HERE, 4, 1, "`:::demo`", "Write in Markdown", article(body=":::demo a\n```js\nb\n```\n:::\n")),
    ("KB408", "warning", HERE, 4, 1, "`::: tip`", "Use a quote", article(body="::: tip\nb\n:::\n")),
    ("KB412", "warning", HERE, 5, 4, "by 2, and needs 3", "by 3 spaces behind `> `", article(body="> 1. a\n> \t- b\n\nc\n\n1. d\n   - e\n    - f\n")),
    ("KB401", "warning", HERE, 4, 1, "`<br>`", "Delete it.", article(body="<br/>\n\na\n")),
    ("KB303", "warning", HERE, 6, 6, "en/billing/no.png", "Add the file", article(body="![a]\n\n[a]: no.png\n")),
    ("KB304", "warning", HERE, 5, 5, "en/draft.md is a draft", "Publish both", article("status: published\n", "[a](../draft.md)\n", **{
        "en/draft.md": "---\ntitle: D\nstatus: draft\n---\nx\n"})),
    ("KB304", "warning", HERE, 5, 5, "has no status", "Publish both", article("status: published\n", "[a](../draft.md)\n", **{
        "en/draft.md": "# D\nx\n"})),
    ("KB305", "warning", HERE, 4, 5, "archived", "what replaces it", article(body="[a](../old.md)\n", **{
        "en/old.md": "---\ntitle: O\nstatus: archived\n---\nx\n"})),
    ("KB306", "warning", HERE, 4, 5, "`manage: false`", "that slug", article(body="[a](../panel.md)\n", **{
        "en/panel.md": "---\ntitle: P\nmanage: false\n---\nx\n"})),
    ("KB307", "warning", HERE, 4, 5, "en/terms.pdf is not an article", "server", article(body="[a](../terms.pdf)\n", **{"en/terms.pdf": b"x"})),
    ("KB309", "warning", HERE, 4, 5, "This link begins with `/`", "Did you mean `../d.md#a`?", article(body="[a](/docs/d/#a)\n", **{"en/d.md": "# D\n\n## A\n"})),
    ("KB309", "warning", HERE, 4, 6, "This image begins with `/`", "Write a path", article(body="![a](/img/a.png)\n")),
    ("KB309", "warning", HERE, 6, 6, "leads to the host of the portal", "Write a path", article(body="[a]\n\n[a]: /d/e\n")),
    ("KB308", "warning", "en/refund.png", 1, 1, "No article shows or links to this image in Markdown", "only if nothing else uses it", beside(AN_ARTICLE, **{"en/refund.png": b"x"})),
    ("KB320", "error", HERE, 4, 6, "en/refund.svg", "PNG", article(body="![a](../refund.svg)\n", **{"en/refund.svg": b"x"})),
]  # fmt: skip


@pytest.mark.parametrize(
    ("code", "level", "path", "line", "column", "message", "hint", "files"),
    FIRES,
    ids=[f"{case[0]}-{number}" for number, case in enumerate(FIRES)],
)
def test_a_rule_fires_once_at_its_place_with_one_thing_to_do(
    tmp_path, code, level, path, line, column, message, hint, files
):
    (finding,) = read_content(write_files(tmp_path, files)).findings
    assert (finding.code, finding.level, finding.path, finding.line, finding.column) == (
        code, level, path, line, column,
    )  # fmt: skip
    assert message in finding.message and hint in finding.hint and finding.hint


def test_every_rule_is_tested_here_or_beside_and_every_code_is_explained():
    # tests/content/test_walk.py, tests/push/test_images.py, tests/lint/test_ignore.py, tests/service/test_external.py,
    # tests/sync; test_parity.py, test_untranslated.py, tests/cli/test_glossary.py
    numbers = {102, 115, 120, 416, *range(320, 324), *range(501, 504), 506, 507, 510, *range(601, 609)}
    elsewhere = {f"KB{number}" for number in numbers}
    assert {case[0] for case in FIRES} | elsewhere | set(OF_ONE_TEXT) == set(RULES)
    assert all(rule.code == code and rule.title and explain(code).why for code, rule in RULES.items())


def test_a_check_gives_findings_of_the_rules_that_it_declares_and_of_no_others(tmp_path):
    """What the lint cache and the preview keep or find again follows from the declarations."""
    seen = set()
    for number, case in enumerate(FIRES):
        context = read_content(write_files(tmp_path / str(number), case[-1])).context
        for check in CHECKS:
            codes = {finding.code for finding in check(context)}
            assert codes <= {rule.code for rule in check.rules}, check.find.__name__
            seen |= codes
    # The others are about images that are there, and about translations (test_parity.py).
    elsewhere = {"KB321", "KB322", "KB323", "KB608", *(rule.code for rule in RULE_OF.values())}
    assert seen >= {rule.code for check in CHECKS for rule in check.rules} - elsewhere


QUIET = {
    "Markdown to download, and hidden": beside(AN_ARTICLE, **{"en/assets/a.markdown": b"x", "en/billing/Files/b/c.mdx": b"x",
        "images/d.MD": b"x", "en/.e.mdx": b"x", "en/.drafts/f.mdx": b"x", "en/notes.txt": b"x", "en/readme": b"x"}),
    "a plain article": article(),
    "an article above all categories": beside(AN_ARTICLE, **{"en/about.md": "# About\nx\n"}),
    "the same slug for a category in two locales": beside(AN_ARTICLE, **{"fr/billing/_category.md": A_CATEGORY}),
    "a category and an article of one slug": beside(AN_ARTICLE, **{"en/billing.md": "# B\nx\n"}),
    "a translation": beside(AN_ARTICLE, **{"fr/billing/_category.md": A_CATEGORY, "fr/billing/refunds.md": AN_ARTICLE}),
    "a translation that says so": beside(AN_ARTICLE, **{
        "fr/remb.md": f"---\ntitle: T\ntranslation_of: {HERE}\n---\nx\n"}),
    "a locale that the path says, too": article("locale: en\n"),
    "a category that the path says, too": article("category: billing\n"),
    "a file outside of the locales that says its own": beside(AN_ARTICLE, **{"a.md": "---\ntitle: A\nlocale: en\n---\nx"}),
    "an author of kbsync.toml": article("author: ana\n"),
    "a description that is cleared": article('description: ""\n'),
    "everything as long as it may be": beside(
        f"---\ntitle: {'é' * 255}\nslug: {'s' * 255}\ndescription: {'ü' * 20_000}\n---\n" + "😀" * 20_000),
    "a slug with underscores and digits": article("slug: api_v2-2024\n"),
    "no front matter": beside("# T\nText.\n"),
    "dashes in the text": article(body="a\n\n---\n\nb: c: d\n"),
    "a link to an article, a folder, a category": article(body="[a](refunds.md) [b](.) [c](_category.md)\n"),
    "a link to a heading": article(body="[a](refunds.md#ueber-uns) [b](refunds.md#%75eber-uns)\n\n## Über uns\n"),
    "links to headings of the page": article(
        body="[a](#ueber-uns) [b](#) [c](#top) [d](#%75eber-uns) [e](#:~:text=x) `[f](#no)` ![g](#no)\n\n## Über uns\n"),
    "a link to the title of the page": beside("# Re funds\n[a](#re-funds)\n"),
    "a link to an underlined heading": article(body="[a](refunds.md#one)\n\nOne\n---\n"),
    "a link to the heading that became the title": beside("# Re funds\n[a](refunds.md#re-funds)\n"),
    "a link to a part of a category": article(body="[a](_category.md#x) [b](../billing#x)\n"),
    "an image in a hidden folder": article(body="![a](../../.gitbook/assets/a.png) ![b](.x/b.gif)\n", **{
        ".gitbook/assets/a.png": b"\x89PNG\r\n\x1a\n", "en/billing/.x/b.gif": b"GIF89a", "en/.venv/unused.png": b"x"}),
    "former slugs": article("aliases: [old, older]\n"),
    "a README that is meant": beside(AN_ARTICLE, **{"en/README.md": "---\ntitle: R\n---\nx\n"}),
    "dashes without keys": beside("# T\n\n--\nNot: a key\n--\n"),
    "a line and a list of keys": beside("\n---\n\n# T\n\n- title: x\n\n---\n"),
    "quotes in quotes": article('description: "“Refunds”"\nmeta_title: “A” or “B”\n'),
    "links elsewhere": article(body="[a](https://x.y/z.md) [b](/hc/x/en) [c](mailto:a@b.c) [d](//x.y/z.md) <https://x.y>\n"),
    "links in code": article(body="`[a](no.md)` and\n\n```\n![a](no.png)\n```\n<!-- [a](no.md) -->\n"),
    "pictures": article(body="![a](images/a%20b.png) ![c](../billing/images/a%20b.png?x#y) ![d][d]\n\n[d]: <images/a b.png>\n",
                        **{"en/billing/images/a b.png": b"\x89PNG\r\n\x1a\n"}),
    "images elsewhere": article(body="![a](https://x.y/z.png) ![b](/rails/z.png) [c](/)\n"),
    "an image that is linked to": article(body="[a](a.png)\n", **{"en/billing/a.png": b"x"}),
    "a draft that links to a draft": article("status: draft\n", "[a](../d.md)\n", **{"en/d.md": "---\ntitle: D\nstatus: draft\n---\nx\n"}),
    "an archived article that links to another": article("status: archived\n", "[a](../d.md)\n", **{
        "en/d.md": "---\ntitle: D\nstatus: archived\n---\nx\n"}),
    "a published article that links to a published one and to a category": article("status: published\n", "[a](../d.md) [b](.)\n", **{
        "en/d.md": "---\ntitle: D\nstatus: published\n---\nx\n"}),
    "an article that only the other locale has": beside(AN_ARTICLE, **{
        "fr/billing/_category.md": A_CATEGORY, "fr/billing/refunds.md": AN_ARTICLE, "fr/x.md": "# X\nx\n"}),
    "an archived article without a translation": article("status: archived\n", **{"fr/x.md": "# X\nx\n"}),
    "a draft without a translation": article("status: draft\n", **{"fr/x.md": "# X\nx\n"}),
    "a translation of a translation": beside(AN_ARTICLE, **{
        "fr/x.md": f"---\ntitle: T\ntranslation_of: {HERE}\n---\nx\n", "de/y.md": "---\ntitle: T\ntranslation_of: fr/x.md\n---\nx\n"}),
    "an empty category": {CATEGORY: A_CATEGORY},
    "nothing at all": {},
}  # fmt: skip


@pytest.mark.parametrize("files", QUIET.values(), ids=list(QUIET))
def test_what_is_fine_is_not_complained_of(tmp_path, files):
    assert read_content(write_files(tmp_path, files)).findings == []


def test_a_profile_without_limits_has_nothing_too_long(tmp_path):
    files = beside(f"---\ntitle: {'t' * 300}\nslug: {'s' * 300}\n---\n" + "x" * 30_000)
    assert read_content(write_files(tmp_path, files), limits=Limits()).findings == []


def test_a_rule_of_the_profile_is_told_with_its_number(tmp_path):
    reading = read_content(write_files(tmp_path, article(body="x" * 11)), limits=Limits(content_chars=10))
    assert [finding.message for finding in reading.findings] == ["The body has 11 characters. The service accepts 10."]


@pytest.mark.parametrize(
    ("files", "locales", "path", "hint"),
    [
        ({"de/x.md": "# X\nx\n"}, ["en", "fr"], "de/x.md", "Move it into one of these folders: en, fr"),
        ({"EN-us/x.md": "# X\nx\n"}, ["en", "en-US"], "EN-us/x.md", "Rename the folder to `en-US`"),
        ({"fr_FR/x.md": "# X\nx\n"}, ["en", "fr_CA"], "fr_FR/x.md", "Did you mean `fr_CA`?"),
        ({"en/x.md": "---\ntitle: X\nlocale: de\n---\nx\n"}, ["en"], "en/x.md", "[content] locales"),
        ({"x.md": "# X\nx\n"}, [], "x.md", "Move it into a folder named after its locale, such as en/"),
    ],
)
def test_a_locale_that_is_none_of_ours_is_told_with_those_that_are(tmp_path, files, locales, path, hint):
    findings = read_content(write_files(tmp_path, files), locales=locales).findings
    (finding,) = [finding for finding in findings if finding.code == "KB203"]
    assert finding.path == path and hint in finding.hint


# --- the whole tree --------------------------------------------------------------------------------------------------


def test_warnings_can_be_ignored_and_errors_cannot(tmp_path):
    root = write_files(tmp_path, beside("---\nslug: v1.2\nstatsu: draft\nlayout: x\n---\n[a](no.md)\n"))
    everything = read_content(root).codes
    assert everything == ["KB110", "KB205", "KB107", "KB107", "KB301"]
    assert read_content(root, ignore=tuple(RULES)).codes == ["KB110", "KB107"]
    assert read_content(root, ignore=("KB301",)).codes == ["KB110", "KB205", "KB107", "KB107"]


def test_every_problem_of_a_tree_is_told_in_one_run_by_path_line_and_column(tmp_path):
    files = beside("---\ntitle: T\nstatus: live\nauthor: bob\ncategory: account\nposition: x\n---\n[a](no.md) [b](no2.md)\n", **{
        "en/billing/b.md": b"\xff", "en/billing/a.md": "", "en/billing/c.md": "---\ntitle: [\n---\n[a](no.md)\n",
        "en/billing/d.md": "Text.\n", "fr/x.md": "---\ntitle: 1\nslug: refunds\n---\n",
    })  # fmt: skip
    root = write_files(tmp_path, files)
    os.mkfifo(root / "en/pipe.md")
    assert [(finding.path, finding.line, finding.code) for finding in read_content(root, ignore=("KB214",)).findings] == [
        ("en/billing/a.md", 1, "KB103"), ("en/billing/b.md", 1, "KB101"), ("en/billing/c.md", 2, "KB104"),
        ("en/billing/c.md", 4, "KB301"), ("en/billing/d.md", 1, "KB110"), (HERE, 3, "KB109"), (HERE, 4, "KB210"),
        (HERE, 5, "KB202"), (HERE, 6, "KB108"), (HERE, 8, "KB301"), (HERE, 8, "KB301"), ("en/pipe.md", 1, "KB102"),
        ("fr/x.md", 1, "KB211"), ("fr/x.md", 2, "KB108"), ("fr/x.md", 3, "KB201"),
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["---\ntitle: [\n---\n", "---\nslug: x\n", b"\xff", "", "---\n- a\n---\n"])
def test_what_follows_from_a_file_that_cannot_be_read_is_not_told_as_well(tmp_path, text):
    files = beside(text, **{
        "en/x/_category.md": text, "en/x/refunds.md": text, "en/x/b.md": f"# B\n[a](../../{HERE}#there)\n",
    })  # fmt: skip
    reading = read_content(write_files(tmp_path, files))
    assert {finding.path for finding in reading.findings} == {HERE, "en/x/_category.md", "en/x/refunds.md"}
    assert len(reading.findings) == 3


def test_findings_are_at_the_same_places_whether_the_file_has_lf_or_crlf_a_bom_or_none(tmp_path):
    text = "---\ntitle: T\nstatus: live\n---\nx\n\n[a](no.md)\n![b](no.png)\n"
    plain = read_content(write_files(tmp_path / "a", beside(text))).findings
    other = read_content(write_files(tmp_path / "b", beside("\ufeff" + text.replace("\n", "\r\n")))).findings
    assert plain == other and [(finding.line, finding.column) for finding in plain] == [(3, 1), (7, 5), (8, 6)]
