"""What the system tells of real files, and what is made of it."""

import asyncio
import shutil
import sys
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from watchdog.events import FileSystemEventHandler
from watchdog.observers import Observer
from watchdog.observers.api import ObservedWatch

from kbsync.content.walk import walk_tree
from kbsync.preview.debounce import Batch, Debouncer
from kbsync.preview.watcher import Watcher, differences, has_room, is_watched
from patience import GIVE_UP_S
from preview.workshop import in_a_loop

FOLDERS = 14_600
"""More than the kernel's queue has room for, once each of them was opened and closed."""


END = "the-end.md"
"""A file that is written after all that happens: when it is heard, all that happened before has been heard."""


@asynccontextmanager
async def watching(tree: Path, root: Path, *observer: Observer) -> AsyncIterator[tuple[Watcher, Debouncer]]:
    """A tree is watched, until the block ends; its kbsync.toml is beside the root."""
    debouncer = Debouncer(asyncio.get_running_loop())
    watcher = Watcher(tree, root.parent / "kbsync.toml", debouncer, *observer)
    watcher.start()
    try:
        async with asyncio.timeout(GIVE_UP_S):
            yield watcher, debouncer
    finally:
        await asyncio.to_thread(watcher.close)


def heard(root: Path, happens: Callable[[], object], until: Callable[[Batch], bool] | None = None) -> Batch:
    """All that is heard of what happens, put together, until it is enough; else to its end."""

    def to_the_end() -> None:
        happens()
        (root / END).write_text("")

    async def watch() -> Batch:
        found = Batch()
        async with watching(root, root) as (_, debouncer):
            await asyncio.to_thread(happens if until else to_the_end)
            while not (until(found) if until else found.paths.get(END)):
                more = await debouncer.next()
                found = Batch(found.paths | more.paths, found.walk | more.walk, found.config | more.config)
        found.paths.pop(END, None)
        return found

    return in_a_loop(watch())


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "content/en/billing").mkdir(parents=True)
    (tmp_path / "content/en/billing/a.md").write_text("old")
    (tmp_path / "kbsync.toml").write_text("")
    return tmp_path / "content"


def test_a_save_is_heard_as_one_file_that_was_written(root: Path):
    assert heard(root, lambda: (root / "en/billing/a.md").write_text("new")) == Batch({"en/billing/a.md": True})


def test_a_save_by_renaming_another_file_into_place_is_heard_as_that_file(root: Path):
    def save() -> None:
        (root / "en/billing/.a.md.tmp123").write_text("new")
        (root / "en/billing/.a.md.tmp123").replace(root / "en/billing/a.md")

    assert heard(root, save) == Batch({"en/billing/a.md": True})


def test_a_save_as_vim_does_it_is_heard_as_that_file(root: Path):
    def save() -> None:
        place = root / "en/billing/a.md"
        (place.parent / "4913").touch()
        (place.parent / "4913").unlink()
        place.rename(place.parent / "a.md~")
        place.write_text("new")
        (place.parent / "a.md~").unlink()

    assert heard(root, save).paths.keys() == {"en/billing/a.md"}


def test_new_deleted_and_renamed_files_are_heard(root: Path):
    def work() -> None:
        (root / "en/billing/new.md").write_text("new")
        (root / "en/billing/a.md").rename(root / "en/billing/b.md")
        (root / "en/billing/b.md").unlink()

    assert heard(root, work).paths.keys() == {f"en/billing/{name}.md" for name in ("new", "a", "b")}


def test_a_folder_that_is_moved_in_or_away_asks_for_a_walk(root: Path, tmp_path: Path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/x.md").write_text("x")
    assert heard(root, lambda: (tmp_path / "elsewhere").rename(root / "en/more"), lambda batch: batch.walk)
    assert heard(root, lambda: shutil.rmtree(root / "en/more"), lambda batch: batch.walk)


def test_a_save_in_a_folder_that_was_just_made_is_heard(root: Path):
    def work() -> None:
        (root / "fr/deep/er").mkdir(parents=True)
        (root / "fr/deep/er/x.md").write_text("x")

    assert heard(root, work, lambda batch: batch.walk or "fr/deep/er/x.md" in batch.paths)


def test_kbsync_toml_is_heard_however_it_is_saved(root: Path):
    config = root.parent / "kbsync.toml"
    assert heard(root, lambda: config.write_text("[lint]\n"), lambda batch: batch.config)

    def swap() -> None:
        (root.parent / "other").write_text("[content]\n")
        (root.parent / "other").replace(config)

    assert heard(root, swap, lambda batch: batch.config)


async def walk(debouncer: Debouncer) -> None:
    while not (await debouncer.next()).walk:
        pass


async def save_until_heard(debouncer: Debouncer, file: Path) -> None:
    """Save a file again and again: once the tree is watched, one of these saves is heard."""
    paths: set[str] = set()
    while not any(path.endswith(file.name) for path in paths):
        file.write_text("back")
        with suppress(TimeoutError):
            async with asyncio.timeout(0.5):
                paths |= (await debouncer.next()).paths.keys()


def test_a_tree_that_was_deleted_and_came_back_is_heard_again(root: Path):
    async def watch() -> None:
        async with watching(root, root) as (_, debouncer):
            shutil.rmtree(root)
            await walk(debouncer)
            (root / "en").mkdir(parents=True)
            await save_until_heard(debouncer, root / "en/a.md")

    in_a_loop(watch())


class Interrupted(Observer):
    """An observer that does something right after the tree is watched, once it is asked to."""

    def __init__(self, interrupt: Callable[[], object]) -> None:
        super().__init__()
        self.interrupt, self.armed = interrupt, threading.Event()

    def schedule(self, handler: FileSystemEventHandler, path: str, **options: Any) -> ObservedWatch:
        watch = super().schedule(handler, path, **options)
        if options.get("recursive") and self.armed.is_set():
            self.armed.clear()
            self.interrupt()
        return watch


def test_a_tree_that_goes_again_while_it_is_found_is_heard_once_it_is_back(root: Path, tmp_path: Path):
    gone = threading.Event()

    def go_again() -> None:
        root.rename(tmp_path / "away")
        assert gone.wait(GIVE_UP_S)

    async def watch() -> None:
        observer = Interrupted(go_again)
        async with watching(root, root, observer) as (_, debouncer):
            try:
                observer.armed.set()
                root.rename(tmp_path / "away")
                await walk(debouncer)
                (tmp_path / "away").rename(root)
                await walk(debouncer)
                gone.set()
                root.mkdir()
                await save_until_heard(debouncer, root / "a.md")
            finally:
                gone.set()

    in_a_loop(watch())


def test_a_tree_that_went_unheard_is_heard_once_it_is_back(root: Path, tmp_path: Path):
    """A link to the tree: the folder itself neither moves nor goes."""
    link, other = tmp_path / "link", tmp_path / "other"
    link.symlink_to(root)
    other.mkdir()

    async def watch() -> None:
        async with watching(link, root) as (watcher, debouncer):
            link.unlink()
            watcher.wait_for_root()
            link.symlink_to(other)
            await save_until_heard(debouncer, other / "a.md")

    in_a_loop(watch())


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the queue of inotify")
def test_a_save_is_heard_in_a_tree_of_more_folders_than_the_queue_holds_events(root: Path):
    for number in range(FOLDERS):
        (root / f"en/{number // 200}/{number}").mkdir(parents=True, exist_ok=True)

    def work() -> None:
        # What a walk, a backup or an editor's search does: every folder is opened and closed, twice.
        walk_tree(root)
        walk_tree(root)
        (root / "en/7/1500/a.md").write_text("new")

    assert heard(root, work) == Batch({"en/7/1500/a.md": True})


@pytest.mark.parametrize("path", ["en/a.md", "en/a.png", "en/a", "en/.x/a.png"])
def test_files_of_the_tree_count(path: str):
    assert is_watched(path)


@pytest.mark.parametrize(
    "path",
    ["en/.a.md.swp", ".git/x", "en/a.md~", "en/4913", "en/a.md.tmp", "en/.x/a.md", ".git/a.png", ".kbsync/a.png"],
)
def test_what_editors_keep_for_a_moment_does_not(path: str):
    assert not is_watched(path)


def test_two_walks_tell_what_came_went_and_changed(root: Path):
    (root / "en/billing/b.md").write_text("b")
    (root / "en/billing/c.md").write_text("c")
    before = walk_tree(root)
    (root / "en/billing/a.md").write_text("longer")
    (root / "en/billing/b.md").unlink()
    (root / "en/billing/d.png").write_bytes(b"png")
    assert differences(before, walk_tree(root)) == {f"en/billing/{name}" for name in ("a.md", "b.md", "d.png")}


def test_a_small_tree_can_be_watched(root: Path):
    assert has_room(walk_tree(root))
