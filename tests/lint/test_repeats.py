"""A key of another tool is reported once for all files that have it."""

from __future__ import annotations

from kbsync.lint.finds import once_per_key
from kbsync.model import Finding


def foreign(path: str, key: str = "weight", level: str = "warning") -> Finding:
    return Finding("KB107", level, path, 3, 1, f"`{key}` is a key of Hugo. kbsync ignores it.", "Delete it.")


def test_one_finding_remains_of_a_foreign_key_and_says_how_many_files_have_it():
    (found,) = once_per_key([foreign("en/a.md"), foreign("en/b.md"), foreign("en/c.md")])
    assert (found.path, found.message) == (
        "en/a.md", "`weight` is a key of Hugo. kbsync ignores it. 2 more files have it."
    )  # fmt: skip


def test_each_key_has_its_own_and_errors_and_other_codes_all_stay():
    others = (foreign("en/a.md", level="error"), foreign("en/b.md", level="error"))
    links = tuple(Finding("KB301", "warning", path, 3, 1, "There is no x.md.") for path in ("en/a.md", "en/b.md"))
    given = (foreign("en/a.md"), foreign("en/a.md", "lastmod"), *others, *links)
    assert once_per_key(given) == given


def test_a_key_of_two_files_is_counted_in_the_singular():
    assert once_per_key([foreign("a.md"), foreign("b.md")])[0].message.endswith(" 1 more file has it.")
