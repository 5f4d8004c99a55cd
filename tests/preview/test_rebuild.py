"""A build after a build: the same bytes as those of a first one, and only what is different is written."""

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from kbsync.content.tree import read_tree
from kbsync.preview.checking import Project
from kbsync.preview.live_tree import LiveTree
from kbsync.preview.site_folder import MARKER, UNFINISHED, SiteFolder
from kbsync.preview.static_site import Build, build_site
from preview.workshop import TREE, a_project

FILES = {
    **TREE,
    "en/billing/images/a b.png": b"png",
    "en/billing/images/unused.png": b"not shown",
    "en/billing/odd.md": "---\ntitle: Odd\nslug: a/b c\n---\n![p](<images/a b.png>) [r](refunds.md#when)\n\n```python\nx = 1\n```\n",
    "en/billing/rooted.md": "---\ntitle: Rooted\n---\n[a](/en/articles/later#x) [b](/en/articles/refunds) [c](/hc/x)\n",
}

Change = Callable[[Path], object]
Snapshot = dict[str, tuple[bytes, int, int]]


def snapshot(folder: Path) -> Snapshot:
    """Every file with its bytes, and what tells whether it was written again."""
    found = {}
    for path in folder.rglob("*"):
        if path.is_file() and path.name != MARKER:
            stat = path.stat()
            found[path.relative_to(folder).as_posix()] = (path.read_bytes(), stat.st_ino, stat.st_mtime_ns)
    return found


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@dataclass(frozen=True)
class Built:
    """A tree that was built once."""

    project: Project
    out: Path

    def rebuilt(self) -> set[str]:
        """Build again; the files that were written, came or went. They are what a first build would write."""
        before = snapshot(self.out)
        build_site(self.project, self.out)
        after = snapshot(self.out)
        shutil.rmtree(self.project.settings.state_folder)
        fresh = self.out.with_name("fresh")
        shutil.rmtree(fresh, ignore_errors=True)
        build_site(self.project, fresh)
        assert contents(self.out) == contents(fresh)
        return {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}


@pytest.fixture
def built(tmp_path: Path) -> Built:
    project = a_project(tmp_path / "project", FILES)
    build_site(project, tmp_path / "out")
    return Built(project, tmp_path / "out")


def edit(path: str, old: str, new: str) -> Change:
    def change(root: Path) -> None:
        text = (root / path).read_text("utf-8")
        assert old in text
        (root / path).write_text(text.replace(old, new), "utf-8")

    return change


def add(path: str, text: str) -> Change:
    return lambda root: (root / path).write_text(text, "utf-8")


LISTS = {"index.html", "en/index.html", "overview.html", "search-en.js"}
NEIGHBOURS = {f"en/articles/{name}.html" for name in ("charges", "invoices", "refunds", "rooted")}

CHANGES: dict[str, tuple[Change, set[str]]] = {
    "nothing": (lambda root: None, set()),
    "touched": (lambda root: os.utime(root / "en/billing/refunds.md"), set()),
    "a body": (edit("en/billing/refunds.md", "Text.", "Words."), {"en/articles/refunds.html", "search-en.js"}),
    "another category's title": (
        edit("en/teams/invite.md", "Invite people", "Invite all"),
        LISTS | {"en/articles/invite.html", "en/categories/teams.html"},
    ),
    "a target that a body names by its address": (
        add("en/teams/later.md", "---\ntitle: Later\n---\nText.\n"),
        LISTS
        | {"en/articles/later.html", "en/articles/invite.html", "en/categories/teams.html", "en/articles/rooted.html"},
    ),
    "an image": (
        lambda root: (root / "en/billing/images/a b.png").write_bytes(b"new"),
        {"files/en/billing/images/a b.png"},
    ),
    "a translation that goes": (
        lambda root: (root / "fr/billing/refunds.md").unlink(),
        {
            *("overview.html", "fr/index.html", "search-fr.js", "en/articles/refunds.html"),
            *("fr/articles/refunds-fr.html", "fr/categories/billing.html"),
        },
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_only_what_is_different_is_written_and_the_site_is_that_of_a_first_build(built: Built, name: str):
    change, written = CHANGES[name]
    change(built.project.root)
    assert built.rebuilt() == written


def test_the_title_of_a_neighbour_is_on_every_page_of_its_category(built: Built):
    edit("en/billing/refunds.md", "title: Refunds", "title: Money back")(built.project.root)
    written = built.rebuilt()
    assert written >= LISTS | NEIGHBOURS | {"en/categories/billing.html", "fr/articles/refunds-fr.html"}
    assert "en/articles/invite.html" not in written


def large_category(folder: Path) -> Built:
    """130 articles of one category, built once."""
    many = {f"en/big/b{n:03}.md": f"---\ntitle: Page {n}\n---\nx\n" for n in range(130)}
    project = a_project(folder / "project", many)
    build_site(project, folder / "out")
    return Built(project, folder / "out")


def test_a_new_first_article_of_a_large_category_is_on_the_pages_near_it_only(tmp_path: Path):
    built = large_category(tmp_path)
    (built.project.root / "en/big/a.md").write_text("---\ntitle: First\n---\nx\n", "utf-8")
    pages = {name for name in built.rebuilt() if "/articles/" in name}
    assert pages == {"en/articles/a.html", *(f"en/articles/b{number:03}.html" for number in range(30))}


def test_a_page_of_a_large_category_is_marked_among_those_beside_it(tmp_path: Path):
    built = large_category(tmp_path)
    for number in (0, 29, 30, 64, 99, 100, 129):
        name = f"b{number:03}"
        made = (built.out / f"en/articles/{name}.html").read_bytes()
        assert f'<li><a href="{name}.html" aria-current="page">Page {number}</a></li>'.encode() in made


def test_an_image_that_no_page_shows_is_not_copied_and_goes_when_no_page_shows_it_any_more(built: Built):
    assert not (built.out / "files/en/billing/images/unused.png").exists()
    assert (built.out / "files/en/billing/images/a b.png").exists()
    edit("en/billing/odd.md", "![p](<images/a b.png>)", "")(built.project.root)
    assert "files/en/billing/images/a b.png" in built.rebuilt()
    assert not (built.out / "files/en/billing/images/a b.png").exists()


def test_another_build_without_the_state_folder_writes_the_same_bytes(built: Built):
    shutil.rmtree(built.project.settings.state_folder)
    pages = build_site(built.project, built.out.with_name("again"))
    assert contents(built.out.with_name("again")) == contents(built.out)
    assert pages == sum(name.endswith(".html") for name in contents(built.out))


@pytest.mark.parametrize("page", ["en/articles/refunds.html", "en/index.html", "search-en.js", "assets/style.css"])
@pytest.mark.parametrize("damage", [lambda path: path.unlink(), lambda path: path.write_bytes(path.read_bytes()[:-9])])
def test_a_file_that_somebody_deleted_or_changed_is_written_again(built: Built, page: str, damage: Change):
    damage(built.out / page)
    assert built.rebuilt() == {page}


def test_another_look_is_another_page(built: Built):
    plain = Project(built.project.settings, built.project.profile, built.project.version, portal_look=True)
    page = built.out / "en/articles/invite.html"
    (odd,) = built.out.glob("en/articles/page-*.html")
    before = odd.read_bytes()
    build_site(plain, built.out)
    assert odd.read_bytes() != before
    assert page.exists()
    build_site(built.project, built.out)
    assert odd.read_bytes() == before


def test_a_build_that_was_killed_is_finished_by_the_next(built: Built):
    """What a killed build leaves: pages that are not there or not whole, files without their name, an early marker."""
    marker = built.out / MARKER
    marker.write_text(f"{marker.read_text()}\nen/articles/gone.html\n{UNFINISHED}")
    (built.out / "en/articles/gone.html").write_text("of a source that is gone")
    (built.out / "en/articles/.kbsync-0123456789abcdef").write_text("half")
    (built.out / "en/articles/refunds.html").write_text("<!DOC")
    (built.out / "en/articles/mine.html").write_text("mine")
    (built.out / "en/index.html").unlink()
    before = built.out.with_name("before")
    build_site(built.project, built.out)
    build_site(built.project, before)
    assert contents(built.out) == contents(before) | {"en/articles/mine.html": b"mine"}


def test_a_build_that_was_killed_before_its_first_page_can_begin_again(built: Built):
    out = built.out.with_name("begun")
    out.mkdir()
    (out / MARKER).write_text(f"{UNFINISHED}\nen/index.html")
    (out / "assets").mkdir()
    build_site(built.project, out)
    assert contents(out) == contents(built.out)


def test_a_file_saved_while_the_site_is_built_is_shown_as_it_is_and_looked_at_again(built: Built):
    project, path = built.project, built.project.root / "en/billing/refunds.md"
    text, page = path.read_text("utf-8"), built.out / "en/articles/refunds.html"
    live_tree = LiveTree(project, read_tree(project.root, memory=None))
    old = page.read_bytes()
    page.unlink()
    path.write_text(text.replace("Text.", "Words."), "utf-8")
    Build(live_tree, SiteFolder.open(built.out)).write()
    assert b"Words." in page.read_bytes()
    path.write_text(text, "utf-8")
    build_site(project, built.out)
    assert page.read_bytes() == old


def test_a_state_folder_that_cannot_be_written_costs_time_and_nothing_else(tmp_path: Path):
    project = a_project(tmp_path / "project", FILES)
    project.settings.state_folder.write_text("a file where the folder would be")
    for _ in range(2):
        build_site(project, tmp_path / "out")
    assert (tmp_path / "out/en/articles/refunds.html").exists()
