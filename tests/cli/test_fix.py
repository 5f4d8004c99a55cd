"""What `lint --fix` writes, and what it leaves alone. The fix here is a simple one: `!!` becomes `!`."""

from collections.abc import Collection
from pathlib import Path

import pytest

from builders import read_content, write_files
from kbsync.app.file_transaction import FIX, Changes
from kbsync.app.linting.fix import Rewrite, fixes_of
from kbsync.cli.lint import say_fixed, show_fixes
from kbsync.cli.screen import Options
from kbsync.content.tree import Tree
from kbsync.model import Finding

A, B = "en/a.md", "en/b.md"
FILES = {A: "\ufeff---\ntitle: A\n---\r\nOne!!\r\nTwo\x0b\r\n", B: "# B\nNo end!!"}


def fix(path: str, data: bytes, codes: Collection[str]) -> bytes:
    return data.replace(b"!!", b"!")


def found(*paths: str) -> list[Finding]:
    return [Finding("KB999", "warning", path, 1, 1, "two marks", fixable=True) for path in paths]


def mend(tree: Tree, findings: list[Finding], rewrite: Rewrite) -> bool:
    fixes = list(fixes_of(tree, findings, rewrite))
    failed = Changes(tree.root.parent / "changes", tree.root, lambda: b"a key").write(FIX, fixes)
    return say_fixed(fixes, failed, tree.root, Options())


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return read_content(write_files(tmp_path / "content", FILES)).tree


def test_what_is_mended_is_written_byte_for_byte_with_its_mode_and_told(tree, capsys):
    (tree.root / A).chmod(0o640)
    assert mend(tree, found(A, A, B), fix) is False
    assert (tree.root / A).stat().st_mode & 0o777 == 0o640
    assert (tree.root / A).read_bytes() == "\ufeff---\ntitle: A\n---\r\nOne!\r\nTwo\x0b\r\n".encode()
    assert (tree.root / B).read_bytes() == b"# B\nNo end!"
    told = capsys.readouterr().err.splitlines()
    assert all(line.endswith(path) and line.startswith("Fixed ") for line, path in zip(told, (A, B), strict=True))


def test_a_file_without_a_fixable_finding_is_not_touched(tree):
    assert mend(tree, [Finding("KB301", "warning", A, 1, 1, "m"), *found("en/not-there.md")], fix) is False
    assert (tree.root / A).read_bytes() == FILES[A].encode()


def test_a_file_that_changed_since_it_was_read_is_left_as_it_is(tree):
    (tree.root / A).write_text("somebody else's!!")
    mend(tree, found(A), fix)
    assert (tree.root / A).read_text() == "somebody else's!!"


def test_a_file_that_changes_while_it_is_mended_is_left_as_it_is_and_told(tree, capsys):
    def slow(path: str, data: bytes, codes: Collection[str]) -> bytes:
        (tree.root / path).write_text("somebody else's!!")
        return fix(path, data, codes)

    assert mend(tree, found(A), slow) is True
    assert (tree.root / A).read_text() == "somebody else's!!"
    assert "was not fixed: it changed while kbsync was running" in capsys.readouterr().err


def test_a_file_that_cannot_be_written_is_told(tree, capsys):
    def moving(path: str, data: bytes, codes: Collection[str]) -> bytes:
        (tree.root / "en").rename(tree.root / "away")
        return fix(path, data, codes)

    assert mend(tree, found(A), moving) is True
    assert "was not fixed: No such file or directory" in capsys.readouterr().err
    assert (tree.root / "away/a.md").read_bytes() == FILES[A].encode()


def test_a_link_within_the_tree_stays_a_link_and_is_mended_once(tree):
    (tree.root / "en/link.md").symlink_to("a.md")
    assert mend(read_content(tree.root).tree, found(A, "en/link.md"), fix) is False
    assert (tree.root / "en/link.md").is_symlink() and b"One!\r\n" in (tree.root / A).read_bytes()


def test_a_link_that_leads_out_of_the_root_by_now_is_not_followed(tree, tmp_path):
    (tmp_path / "outside.md").write_bytes(FILES[A].encode())
    (tree.root / A).unlink()
    (tree.root / A).symlink_to(tmp_path / "outside.md")
    mend(tree, found(A), fix)
    assert (tmp_path / "outside.md").read_bytes() == FILES[A].encode()


def test_diff_shows_a_patch_and_changes_nothing(tree, capsys):
    assert show_fixes(fixes_of(tree, found(A, B), fix), tree.root) == 0
    shown = capsys.readouterr().out
    assert "-One!!\r\n+One!\r\n Two\x0b\r\n" in shown
    assert shown.endswith("-No end!!\n\\ No newline at end of file\n+No end!\n\\ No newline at end of file\n")
    assert (tree.root / A).read_bytes() == FILES[A].encode()


def test_links_to_moved_files_front_matter_and_text_are_fixed_in_one_run_and_a_second_changes_nothing(project):
    page = "content/en/billing/old.md"
    project.write(
        page, "\n––-\ntitle: “Old”\nstatus: Draft\n--\n##Steps\n[a](../x/refunds.md) [b](/billing/refunds) **c ** d\n"
    )
    shown = project.run("lint", "--fix", "--diff", page)
    assert "-––-\n-title: “Old”\n-status: Draft\n---\n-##Steps\n" in shown.out and shown.err == ""
    added = [line[1:] for line in shown.out.splitlines()[2:] if line.startswith("+")]
    assert project.run("lint", "--fix", page).err == f"Fixed {page}\n"
    after = '---\ntitle: "Old"\nstatus: draft\n---\n## Steps\n[a](refunds.md) [b](refunds.md) **c** d\n'
    assert project.read(page) == after and added == after.splitlines()
    assert project.run("lint", "--fix", "--diff", page).out == ""
    assert project.run("lint", "--fix", page).err == ""
    assert project.read(page) == after
