"""The message of the commit after a pull: what people typed in the panel does nothing there but be read."""

import pytest

from kbsync.app.pulling.pull import Pulled
from kbsync.app.pulling.pull_making import PulledFile
from kbsync.app.pulling.pulled_edits import FileEdit
from kbsync.report.pull import MOST_FILES, inert_words, pull_message

from .items import TARGET


def edited(path: str, title: str, *taken: str, author: str = "", conflicts: tuple[str, ...] = ()) -> PulledFile:
    return PulledFile(path, title, FileEdit(path, b"", b"x", list(taken), [], list(conflicts)), author)


def test_it_names_articles_what_moved_and_their_authors_but_no_editor():
    files = (
        edited("en/a.md", "Refunds", "title", "content", author="Ada Lovelace"),
        PulledFile("en/b.md", "Receipts"),
        edited("en/late.md", "Late", "title"),
    )
    assert pull_message(Pulled(files, overtaken=("en/late.md",)), TARGET) == (
        "Edits from the panel: 1 file changed, 1 new file\n"
        "\n"
        "en/a.md: title, body\n"
        "    Refunds\n"
        "    Author in the panel: Ada Lovelace\n"
        "en/b.md: new\n"
        "    Receipts\n"
        "\n"
        "The service says who is the author of an article, and not who edited it last.\n"
        "From the portal handbook at https://support.example.com.\n"
    )


def test_without_authors_it_says_nothing_of_them_and_without_files_it_is_still_a_message():
    found = pull_message(Pulled((edited("en/a.md", "A", conflicts=("content",)),)), TARGET)
    assert found.startswith("Edits from the panel: 1 file changed, 1 in two versions\n") and "author" not in found
    assert pull_message(Pulled(), TARGET).startswith("Edits from the panel\n\nFrom the portal")


def test_of_a_whole_portal_only_the_first_files_are_named():
    files = tuple(PulledFile(f"en/{number:05}.md", "Title") for number in range(10_000))
    found = pull_message(Pulled(files), TARGET)
    assert found.startswith("Edits from the panel: 10,000 new files\n")
    assert found.count(": new\n") == MOST_FILES and "\n… and 9,800 more\n" in found


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("Release [skip ci] notes", "Release (skip ci) notes"),
        ("[CI SKIP] and [no ci]", "(CI SKIP) and (no ci)"),
        ("Closes #12, @ana", "Closes #\u200b12, @\u200bana"),
        ("fixes https://forge/issues/3, GH-4, !5", "fixes https:\u200b//forge/issues/3, GH\u200b-4, !\u200b5"),
        ("Two\nlines\x1b[31m\u202e", "Two lines[31m"),
        ("Signed-off-by: eve\r\n\r\nSkip-Checks: true", "Signed-off-by: eve Skip-Checks: true"),
        ("ana@example.com, [beta] C#", "ana@example.com, [beta] C#"),
        ("##[error]x ##vso[y] C## [z]", "#\u200b#[error]x #\u200b#vso[y] C## [z]"),
        ("x" * 300, "x" * 119 + "…"),
    ],
)
def test_a_title_does_nothing_at_a_forge(typed, shown):
    assert inert_words(typed) == shown


def test_a_title_cannot_make_a_line_of_its_own():
    file = edited("en/a.md", "x\n\nCo-authored-by: Eve <eve@example.com>", "title", author="A\nSigned-off-by: b")
    lines = pull_message(Pulled((file,)), TARGET).splitlines()
    assert not [line for line in lines if line.startswith(("Co-authored", "Signed-off"))]
