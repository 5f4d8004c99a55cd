"""A hint proposes nothing that leads to the next error."""

from __future__ import annotations

import re

from builders import A_CATEGORY, AN_ARTICLE, read_content, write_files


def proposed(tmp_path, **files: str) -> list[str]:
    """The slugs that hints propose, in path order."""
    findings = read_content(write_files(tmp_path, files)).findings
    hints = [finding.hint for finding in findings if finding.code == "KB201"]
    return [match[1] for hint in hints if (match := re.search(r"`slug: (.*)`", hint))]


def test_no_slug_is_proposed_to_two_files_nor_one_that_an_article_has(tmp_path):
    folders = [f"en/{name}" for name in "abcd"]
    files = {f"{folder}/index.md": AN_ARTICLE for folder in folders}
    files |= {f"{folder}/_category.md": A_CATEGORY for folder in folders}
    slugs = proposed(tmp_path, **files, **{"en/a/index-2.md": AN_ARTICLE})
    assert slugs == ["index-en", "index-3", "index-4"]


def test_files_without_a_locale_get_numbers(tmp_path):
    files = {"a/index.md": AN_ARTICLE, "b/index.md": AN_ARTICLE}
    assert proposed(tmp_path, **{f"en/x{path}": text for path, text in files.items()}) == ["index-en"]
