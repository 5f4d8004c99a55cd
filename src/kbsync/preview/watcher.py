"""Hears what happens to the files of the tree. Events are hints only: what is true is in the file.

Also: looking at them every second, where nothing is heard.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from watchdog.events import (
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
    FileClosedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver

from kbsync.content.walk import Walk, is_visible
from kbsync.preview.debounce import Debouncer, Sleep

HEARD: list[type[FileSystemEvent]] = [
    FileModifiedEvent,
    FileClosedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileMovedEvent,
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
]
"""Not heard: that files and folders are opened, and closed unwritten. Every walk does that to each of them, and of
14,600 folders it is more than the kernel's queue holds (16,384): then the one save that counts would be lost."""

AGAIN_S = 1.0
"""A tree that is away is looked for once in this time; so is a change, where the tree is polled."""

LIMIT = Path("/proc/sys/fs/inotify/max_user_watches")

PASSING = ("~", ".swp", ".swx", ".tmp", ".part", ".crdownload")
"""Ends of the names of files that editors and browsers keep for a moment."""


class Watcher:
    """Watches a tree and its kbsync.toml until it is closed.

    Args:
        root: the content root.
        config: kbsync.toml.
        debouncer: gets the events.
        observer: hears them; None: the one of this system.
    """

    def __init__(self, root: Path, config: Path, debouncer: Debouncer, observer: BaseObserver | None = None) -> None:
        self._root, self._config, self._gatherer = root, config, debouncer
        self._observer: BaseObserver = observer or Observer()
        self._closed = threading.Event()
        self._went = threading.Event()
        self._waiting = threading.Lock()

    def start(self) -> None:
        """Begin to listen; in a large tree this takes a moment.

        Raises:
            OSError: the system has no watches left, or the tree is away.
        """
        # Started before the schedules: watches begin in the order of these then, so that the folder above the tree is
        # listened to before the tree can go.
        self._observer.start()
        try:
            self._schedule()
        except OSError:
            self.close()
            raise

    def _schedule(self) -> None:
        config = _Handler(self._config_changed)
        self._observer.schedule(config, str(self._config.parent), event_filter=HEARD)
        # Absolute and without links: so that the paths of the events begin with it.
        place = os.path.realpath(self._root)
        above = os.path.dirname(place)  # noqa: PTH120
        # A folder that is moved away says nothing of it itself. One that may not be read cannot be listened to.
        if os.access(above, os.R_OK):
            going = _Handler(lambda event: self._above_changed(event, place))
            self._observer.schedule(going, above, event_filter=HEARD)
        handler = _Handler(lambda event: self._tree_changed(event, place + os.sep))
        self._observer.schedule(handler, place, recursive=True, event_filter=HEARD)

    def close(self) -> None:
        """Stop listening."""
        self._closed.set()
        self._observer.stop()
        with suppress(RuntimeError):  # it was never started
            self._observer.join()

    def _config_changed(self, event: FileSystemEvent) -> None:
        name = self._config.name
        if any(os.path.basename(place) == name for place in _places(event)):  # noqa: PTH119
            self._gatherer.hint(config=True)

    def _above_changed(self, event: FileSystemEvent, place: str) -> None:
        if isinstance(event, DirMovedEvent | DirDeletedEvent) and os.fsdecode(event.src_path) == place:
            self._root_went()

    def _tree_changed(self, event: FileSystemEvent, prefix: str) -> None:
        if event.is_directory:
            self._gatherer.hint(walk=True)
            if isinstance(event, DirDeletedEvent) and os.fsdecode(event.src_path) + os.sep == prefix:
                self._root_went()
            return
        for place in _places(event):
            path = place.removeprefix(prefix).replace(os.sep, "/")
            if path != place and is_watched(path):
                arrived = isinstance(event, FileMovedEvent) and place == os.fsdecode(event.dest_path)
                self._gatherer.hint(path, written=arrived or isinstance(event, FileClosedEvent))

    def _root_went(self) -> None:
        """The folder itself was deleted or moved; a change of branch may bring it back."""
        self.wait_for_root()
        self._gatherer.hint(walk=True)

    def wait_for_root(self) -> None:
        """Listen to the folder anew, once it is there."""
        self._went.set()
        if self._waiting.acquire(blocking=False):
            threading.Thread(target=self._listen_again, daemon=True).start()

    def _listen_again(self) -> None:
        while not self._closed.wait(AGAIN_S):
            if not self._root.is_dir():
                continue
            self._went.clear()
            self._observer.unschedule_all()
            with suppress(OSError):
                self._schedule()
                self._waiting.release()
                self._gatherer.hint(walk=True)
                # It may have gone again before the lock was free, when no other thread could wait for it.
                if not self._went.is_set() or not self._waiting.acquire(blocking=False):
                    return


async def poll(config: Path, debouncer: Debouncer, sleep: Sleep) -> None:
    """Have the tree and kbsync.toml looked at every second."""
    before = _stamp(config)
    while True:
        await sleep(AGAIN_S)
        before, was = _stamp(config), before
        debouncer.hint(walk=True, config=before != was)


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        stat = path.stat()
    except OSError:
        return None
    return stat.st_size, stat.st_mtime_ns


class _Handler(FileSystemEventHandler):
    """watchdog's own type around one function."""

    def __init__(self, told: Callable[[FileSystemEvent], None]) -> None:
        self._told = told

    def on_any_event(self, event: FileSystemEvent) -> None:
        """Everything that is heard."""
        self._told(event)


def _places(event: FileSystemEvent) -> list[str]:
    return [os.fsdecode(place) for place in (event.src_path, event.dest_path) if place]


def is_watched(path: str) -> bool:
    """Whether a file of the tree counts: not what is hidden, and not what an editor keeps for a moment."""
    name = path.rpartition("/")[2]
    return is_visible(path) and not name.endswith(PASSING) and name != "4913"


def differences(before: Walk, now: Walk) -> set[str]:
    """The files that came, went or have another stamp."""
    moved = {path for path, stamp in now.sources.items() if before.sources.get(path) != stamp}
    return (
        moved
        | (before.sources.keys() - now.sources.keys())
        | {path for path, _ in before.others.items() ^ now.others.items()}
    )


def has_room(walk: Walk) -> bool:
    """Whether the system lets one process watch so many folders; watchdog says nothing when it does not."""
    folders = {path.rpartition("/")[0] for path in (*walk.sources, *walk.others)}
    try:
        return len(folders) < int(LIMIT.read_text("ascii"))
    except (OSError, ValueError):
        return True  # not Linux: there is no such limit
