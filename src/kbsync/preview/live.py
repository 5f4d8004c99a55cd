"""Keeps the live_tree in step with the disk and the open pages in step with the live_tree."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace

from kbsync.content.tree import Tree
from kbsync.content.walk import Walk, is_visible, walk_tree
from kbsync.errors import KbsyncError
from kbsync.history.commits import last_changes
from kbsync.memory import Memory
from kbsync.preview.checking import Findings, Project, check_all, others_than
from kbsync.preview.comparer import Ask, Comparer
from kbsync.preview.debounce import Batch, Debouncer, Sleep
from kbsync.preview.debts import Debts, FindDebts
from kbsync.preview.file_plan import FindPlans
from kbsync.preview.live_tree import LiveTree, Touched
from kbsync.preview.moves import Moves
from kbsync.preview.subscribers import Subscribers
from kbsync.preview.tree_reader import Changes, read_changes, read_whole
from kbsync.preview.urls import canonical
from kbsync.preview.views import Deadline, View
from kbsync.preview.watcher import AGAIN_S, Watcher, differences, has_room, poll
from kbsync.preview.writer import Writing, broken_settings, no_content
from kbsync.site.pages import Page
from kbsync.site.writer_panel import NOTHING_BROKEN

DOUBT_S = 0.04
"""A file that is away, empty or half written is looked at again after this long: an editor may be in the middle."""

CHECK_AFTER_S = 0.4
"""The whole tree is checked after this long without a save."""

FIRST_CHECK_AFTER_S = 0.1
"""The first page goes before the first check."""

AT_ONCE = 20
"""More files than these are read in a thread, so that pages are served meanwhile."""

DATES_S = 0.25
"""A page waits so long for the dates of the files, which git takes from its log; a long history takes it longer."""


@dataclass(slots=True)
class Live:
    """The running preview, without its server. All of it happens in one event loop, but for long readings.

    Args:
        project: settings and profile.
        reload: reads kbsync.toml again; raises KbsyncError for a broken one.
        note: says something to the person at the terminal.
        poll: walk the tree every second instead of listening: network drives send no events.
        ask: asks the portal, or looks into the ledger; None where there is neither.
        sleep: waits so many seconds.
        find_debts: how translations are to their originals; None: nothing is shown of that.
        find_plans: makes the plan that the pages show; None: they show none.
        deadline: how long an article may take to be rendered.
    """

    project: Project
    reload: Callable[[], Project]
    note: Callable[[str], None] = lambda _text: None
    poll: bool = False
    ask: Ask | None = None
    sleep: Sleep = asyncio.sleep
    find_debts: FindDebts | None = None
    find_plans: FindPlans | None = None
    deadline: Deadline = field(default_factory=Deadline)
    writing: Writing = field(init=False)
    live_tree: LiveTree = field(init=False)
    subscribers: Subscribers = field(init=False)
    ready: asyncio.Event = field(default_factory=asyncio.Event)
    debouncer: Debouncer = field(init=False)
    comparer: Comparer | None = None
    _loop: asyncio.AbstractEventLoop = field(init=False)
    _walk: Walk = field(default_factory=Walk)
    _moves: Moves = field(default_factory=Moves)
    _unchecked: asyncio.Event = field(default_factory=asyncio.Event)
    _dated: asyncio.Event = field(default_factory=asyncio.Event)
    _watcher: Watcher | None = None

    def __post_init__(self) -> None:
        self.writing = Writing(self.project)
        if self.ask:
            self.comparer = Comparer(self.ask, self._compared, find_plans=self.find_plans)
            self.writing.diff_of, self.writing.edited = self.comparer.diff_of, self.comparer.edited
        self.subscribers = Subscribers(self.page_at)
        self._loop = asyncio.get_running_loop()
        self.debouncer = Debouncer(self._loop, self.sleep)

    # --- running ---------------------------------------------------------------------------------------------------

    async def run(self) -> None:
        """Read the tree and follow it, until cancelled. What goes wrong unforeseen goes wrong loudly."""
        if self.comparer:
            self.comparer.start()
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._check_when_quiet())
                while True:
                    await self._follow()
        finally:
            if self.comparer:
                self.comparer.close()

    async def _follow(self) -> None:
        """One project, until kbsync.toml says another."""
        self._walk = Walk()
        self._walk = await self._list_files()
        root, walk = self.project.root, self._walk
        dates = asyncio.create_task(asyncio.to_thread(last_changes, root, walk.sources))
        self.live_tree = LiveTree(self.project, await self._read_when_there())
        self._unchecked.set()
        # What is known now stays: the collector need not go through it again while somebody waits for a page.
        gc.freeze()
        self.ready.set()
        # Closed below whatever comes: whoever ends the preview while it begins to listen is not spoken to afterwards.
        watcher = Watcher(root, self.project.settings.path, self.debouncer)
        try:
            listens = not self.poll and await self._listen(watcher)
            self._watcher = watcher if listens else None
            # One that was saved since it was read was not heard.
            self.debouncer.hint(config=True)
            async with asyncio.TaskGroup() as tasks:
                helpers = [tasks.create_task(self._walk_again()), tasks.create_task(self._take_dates(dates))]
                if not listens:
                    helpers.append(tasks.create_task(poll(self.project.settings.path, self.debouncer, self.sleep)))
                while not await self._handle(await self.debouncer.next()):
                    pass
                self.subscribers.send("reload", {})
                for helper in helpers:
                    helper.cancel()
        finally:
            self._watcher = None
            await asyncio.to_thread(watcher.close)

    async def _listen(self, watcher: Watcher) -> bool:
        """Begin to listen; whether that can be done."""
        try:
            if has_room(self._walk):
                await asyncio.to_thread(watcher.start)
                return True
            reason = "there are more folders than this system allows"
        except OSError as exc:
            reason = exc.strerror or type(exc).__name__
        self.note(f"Files cannot be watched: {reason}. The preview checks them every second instead.")
        return False

    async def _walk_again(self) -> None:
        """What happened between the first walk and the first watch was missed; the first page comes first."""
        await self.sleep(CHECK_AFTER_S)
        self.debouncer.hint(walk=True)

    async def _read_when_there(self) -> Tree:
        """The whole tree. While its folder is away, as in a change of branch, this waits for it."""
        memory = Memory(self.project.settings.state_folder)
        while True:
            try:
                return await asyncio.to_thread(read_whole, self.project.root, memory)
            except KbsyncError:
                await self.sleep(AGAIN_S)

    async def _take_dates(self, dates: asyncio.Task[dict[str, int]]) -> None:
        """When each file was committed last. Pages that were shown before keep the dates of their files."""
        self.live_tree.dates = await dates
        self._dated.set()

    # --- changes ---------------------------------------------------------------------------------------------------

    async def _handle(self, batch: Batch) -> bool:
        """One batch of hints; whether kbsync.toml asks for another beginning."""
        if batch.config and self._reconfigure():
            return True
        paths = set(batch.paths)
        if batch.walk:
            before, self._walk = self._walk, await self._list_files()
            paths |= differences(before, self._walk) | (self.live_tree.sources.keys() ^ self._walk.sources.keys())
        gone = await self.look(paths)
        if batch.walk and self.live_tree.take_walked(self._walk):
            self._unchecked.set()
        elif gone and not batch.walk:
            # Only a walk tells why a file is not one of the tree: a link that leads out of it, too many bytes.
            self.debouncer.hint(walk=True)
        return False

    async def _list_files(self) -> Walk:
        try:
            walk = await asyncio.to_thread(walk_tree, self.project.root)
        except KbsyncError as exc:
            if self._watcher:
                self._watcher.wait_for_root()  # Not every way to go is heard, such as that of a link to it.
            if self._write(replace(self.writing, away=no_content(self.project.settings))):
                self.note(exc.message)
            return self._walk
        self._write(replace(self.writing, away=NOTHING_BROKEN))
        return walk

    def _write(self, writing: Writing) -> bool:
        """Give all pages this writer's layer; whether it is another."""
        is_another, self.writing = writing != self.writing, writing
        if is_another:
            self.subscribers.publish(Touched(everything=True))
        return is_another

    def _reconfigure(self) -> bool:
        try:
            project = self.reload()
        except KbsyncError as exc:
            self._write(replace(self.writing, broken=broken_settings(self.project.settings, exc)))
            return False
        self._write(replace(self.writing, broken=NOTHING_BROKEN))
        if project == self.project:
            return False
        self.project = self.writing.project = project
        for event in (self.ready, self._dated):
            event.clear()
        return True

    async def look(self, paths: set[str]) -> bool:
        """Look at files, and show what is different; whether an article is not where it could be."""
        if not paths:
            return False
        changes = await self._read(paths)
        known = {path for path in changes.doubtful if path in self.live_tree.sources or path in changes.sources}
        if known:
            await self.sleep(DOUBT_S)
            changes |= await self._read(known)
        self._apply(changes)
        return any(is_visible(path) and path.endswith(".md") for path in changes.gone)

    async def _read(self, paths: set[str]) -> Changes:
        if len(paths) <= AT_ONCE:
            return read_changes(self.project.root, paths)
        return await asyncio.to_thread(read_changes, self.project.root, paths)

    def _apply(self, changes: Changes) -> None:
        self._moves.remember(self.subscribers.urls(), self.live_tree)
        # Path by path: the difference of the two would look at every source of the tree.
        self._moves.arrived({path for path in changes.sources if path not in self.live_tree.sources})
        touched = self.live_tree.update(changes)
        if touched:
            if touched.everything:
                self.subscribers.move(self._moves.moved(self.live_tree))
            self.subscribers.publish(touched)
            if touched.articles or self.live_tree.due:
                self._unchecked.set()
            if touched.articles:
                self.subscribers.send("search", {"revision": self.live_tree.revision})

    def _compared(self, path: str) -> None:
        """The comparer's word, from its own thread; "" for what the lists of all files count."""

        def show() -> None:
            if not path:
                self.subscribers.publish(Touched(self.live_tree.lists()))
            elif (url := self.live_tree.index.url_of.get(path)) is not None:
                self.subscribers.publish(Touched({url}))

        # The asker may be gone, and the loop with it.
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(show)

    async def _check_when_quiet(self) -> None:
        """What a save can change anywhere in the tree, as soon as nothing has happened for a moment."""
        checked = -1
        while True:
            await self._unchecked.wait()
            await self.ready.wait()
            live_tree, revision = self.live_tree, self.live_tree.revision
            await self.sleep(CHECK_AFTER_S if checked >= 0 else FIRST_CHECK_AFTER_S)
            if (live_tree, revision) == (self.live_tree, self.live_tree.revision):
                self._unchecked.clear()
                if live_tree.due and not await self._check_all(live_tree):
                    self._unchecked.set()
                    continue
                checked = revision
                await self._look_at_translations(live_tree)
                if self.comparer:
                    self.comparer.want_plan()

    async def _check_all(self, live_tree: LiveTree) -> bool:
        """Find what there is in the whole tree; whether it is still the tree that was looked at."""
        revision, as_it_is, known = live_tree.revision, live_tree.as_it_is(), dict(live_tree.findings)

        def check() -> tuple[Findings, set[str]]:
            found = check_all(**as_it_is)
            return found, others_than(known, found)

        findings, changed = await asyncio.to_thread(check)
        if live_tree is not self.live_tree or revision != live_tree.revision:
            return False
        self.subscribers.publish(live_tree.take_findings(findings, changed))
        return True

    async def _look_at_translations(self, live_tree: LiveTree) -> None:
        """Which translations are stale; their pages and those of their originals show it."""
        if self.find_debts is None:
            return
        site, before = live_tree.index.site, self.writing.debts
        tree = Tree(self.project.root, dict(live_tree.sources), live_tree.tree.others)
        found = Debts.of(await asyncio.to_thread(self.find_debts, tree, site))
        self.writing.debts = found
        urls = self.live_tree.index.url_of
        touched = {urls[path] for path in found.changed_since(before) if path in urls}
        if touched:
            touched |= self.live_tree.lists()
        self.subscribers.publish(Touched(touched))

    # --- pages -----------------------------------------------------------------------------------------------------

    async def page(self, url: str, *, media: bool) -> Page:
        """The page at an address, as the disk is now."""
        await self.ready.wait()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._dated.wait(), DATES_S)
        url = canonical(url)
        path = self.live_tree.index.path_at.get(url)
        if path is not None and (changes := self.live_tree.look_again(path)) is not None:
            if changes.doubtful:
                await self.look({path})
            else:
                self._apply(changes)
        return self.page_at(url, media=media)

    def page_at(self, url: str, *, media: bool) -> Page:
        """The page at an address, as it is known."""
        return View(self.live_tree, self.writing, deadline=self.deadline).page_at(url, media=media)
