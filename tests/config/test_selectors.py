"""Selectors: what they mean from where one stands, and that a selector that means nothing is told."""

from pathlib import Path

import pytest

from builders import A_CATEGORY, AN_ARTICLE, read_content, write_files
from kbsync.app.selectors import select
from kbsync.errors import UsageError

FILES = {
    "en/billing/_category.md": A_CATEGORY, "en/billing/refunds.md": AN_ARTICLE, "en/billing-2/_category.md": A_CATEGORY,
    "en/billing-2/a.md": "---\ntitle: A\nstatus: published\n---\nx", "en/loose.md": "# L\nx",
    "fr/billing/_category.md": A_CATEGORY, "fr/billing/refunds.md": AN_ARTICLE,
}  # fmt: skip
EVERYTHING = sorted(FILES)


def chosen(folder: Path, *selectors: str, here: str = ".", root: Path | None = None) -> list[str]:
    content = write_files(folder / "content", FILES)
    desired = list(read_content(content).desired.values())
    return sorted(item.path for item in select(desired, selectors, root=root or content, here=folder / here))


@pytest.mark.parametrize(
    ("selector", "here", "paths"),
    [
        ("content/en/loose.md", ".", ["en/loose.md"]),
        ("en/loose.md", "content", ["en/loose.md"]),
        ("loose.md", "content/en", ["en/loose.md"]),
        ("./loose.md", "content/en", ["en/loose.md"]),
        ("../loose.md", "content/en/billing", ["en/loose.md"]),
        ("content/en/billing/refunds.md", ".", ["en/billing/_category.md", "en/billing/refunds.md"]),
        ("content/en/billing", ".", ["en/billing/_category.md", "en/billing/refunds.md"]),
        ("content/en/billing/", ".", ["en/billing/_category.md", "en/billing/refunds.md"]),
        (".", "content/fr", ["fr/billing/_category.md", "fr/billing/refunds.md"]),
        ("en/loose.md", ".", ["en/loose.md"]),  # as a plan prints it
        ("loose", ".", ["en/loose.md"]),
        ("en/loose", "content/fr", ["en/loose.md"]),
        ("a", ".", ["en/billing-2/_category.md", "en/billing-2/a.md"]),
        ("en/billing", "content/fr", ["en/billing/_category.md", "en/billing/refunds.md"]),
        ("content", ".", EVERYTHING),
        (".", "content", EVERYTHING),
        (".", ".", EVERYTHING),
        ("..", "content", EVERYTHING),
        ("../..", "content/en", EVERYTHING),
        ("locale:fr", ".", ["fr/billing/_category.md", "fr/billing/refunds.md"]),
        ("status:published", ".", ["en/billing-2/_category.md", "en/billing-2/a.md"]),
        # A status that is not given counts as draft.
        ("status:draft", ".", [path for path in EVERYTHING if "billing-2" not in path]),
        ("category:billing-2", ".", ["en/billing-2/_category.md", "en/billing-2/a.md"]),
        ("category:billing", ".", [f"{locale}/billing/{name}.md" for locale in ("en", "fr") for name in ("_category", "refunds")]),
    ],
)  # fmt: skip
def test_a_selector_means_items_and_the_categories_that_they_need(tmp_path, selector, here, paths):
    assert chosen(tmp_path, selector, here=here) == paths


def test_an_absolute_path_is_a_path(tmp_path):
    assert chosen(tmp_path, str(tmp_path / "content/en/loose.md")) == ["en/loose.md"]


def test_several_selectors_mean_all_that_any_of_them_means(tmp_path):
    assert chosen(tmp_path, "content/en/loose.md", "locale:fr") == [
        "en/loose.md", "fr/billing/_category.md", "fr/billing/refunds.md",
    ]  # fmt: skip


def test_a_root_that_is_a_link_is_the_same_place(tmp_path):
    (tmp_path / "link").symlink_to("content")
    assert chosen(tmp_path, "link/en/loose.md") == ["en/loose.md"]
    assert chosen(tmp_path, "content/en/loose.md", root=tmp_path / "link") == ["en/loose.md"]


@pytest.mark.parametrize("selector", ["content/en/nowhere.md", "en/bill", "status:live", "content/en/bill", "x:y"])
def test_a_selector_that_means_nothing_is_an_error_that_says_what_can_be_given(tmp_path, selector):
    with pytest.raises(UsageError) as caught:
        chosen(tmp_path, "locale:fr", selector)
    assert f"`{selector}`" in caught.value.message and "locale:CODE" in caught.value.hint


@pytest.mark.parametrize("selector", ["", " "])
def test_an_empty_selector_is_not_everything(tmp_path, selector):
    with pytest.raises(UsageError, match="A selector is empty") as caught:
        chosen(tmp_path, "locale:fr", selector)
    assert "write `.`" in caught.value.hint


def test_the_slug_of_a_category_is_a_selector_only_with_its_word(tmp_path):
    with pytest.raises(UsageError, match="No file, category or locale matches `billing-2`"):
        chosen(tmp_path, "billing-2")


@pytest.mark.parametrize(
    ("selector", "near"),
    [
        ("refnds", "refunds"),
        ("content/en/lose.md", "en/loose.md"),
        ("en/refund.md", "en/billing/refunds.md"),
        ("fr/billng/", "fr/billing"),
        ("billing-2", "en/billing-2"),
    ],
)
def test_a_mistyped_path_or_slug_is_answered_with_what_looks_like_it(tmp_path, selector, near):
    with pytest.raises(UsageError) as caught:
        chosen(tmp_path, selector)
    assert caught.value.hint == f"Did you mean `{near}`?"
    assert chosen(tmp_path, near)


@pytest.mark.parametrize(
    ("selector", "hint"),
    [
        ("status:archived", "Your files have only status:draft, status:published."),
        ("locale:de", "Your files have only locale:en, locale:fr."),
        ("category:", "Your files have only category:billing, category:billing-2."),
        ("content/en/billing/page.mdx", "kbsync publishes only files that end in `.md`."),
    ],
)
def test_what_nothing_is_called_is_answered_with_what_there_is_and_what_is_published(tmp_path, selector, hint):
    write_files(tmp_path / "content", {"en/billing/page.mdx": "x"})
    with pytest.raises(UsageError) as caught:
        chosen(tmp_path, selector)
    assert caught.value.hint == hint
