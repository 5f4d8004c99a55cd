"""A project, a sandbox and a way to push one into the other, all in this process."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from msgspec import structs

from kbsync.app.options import PlanOptions
from kbsync.app.planning.plan import make_plan
from kbsync.app.pushing.undo import bodies_before
from kbsync.app.reading import Reading, read_content
from kbsync.app.session import Session
from kbsync.app.sides import keep_written, observe, read_ledger, recorded
from kbsync.app.workspace import Workspace
from kbsync.config import ContentSettings, LedgerSettings, PushSettings, ServiceSettings, Settings
from kbsync.errors import KbsyncError
from kbsync.ledger import Ledger
from kbsync.ledger.values import Owner
from kbsync.model import Outcome, Plan
from kbsync.plan.undo import build_undo
from kbsync.push.runner import NOBODY, Run, push
from kbsync.push.sender import Sender
from kbsync.push.uploads import content_of
from kbsync.sandbox import Behaviour, PortalSetup, Sandbox, Setup, UserSetup, running
from kbsync.service.client import Service
from kbsync.service.endpoint import Endpoint
from patience import GIVE_UP_S
from service.world import Sleepless as Virtual
from service.world import a_transport

TOKEN = "ada-token"
PORTAL = "handbook"
SETUP = Setup(
    portals=(PortalSetup(PORTAL, "Handbook", ("en", "fr"), "en"), PortalSetup("other", "Other", ("en",), "en")),
    users=(
        UserSetup(1, "Ada Admin", "ada@example.com", "administrator", TOKEN),
        UserSetup(2, "Gus Agent", "gus@example.com", "agent", "gus-token"),
    ),
)


class Sleepless(Virtual):
    """A clock on which waiting costs nothing: what was slept is added to what passed."""

    def now(self) -> float:
        return time.monotonic() + super().now()

    def time(self) -> float:
        return time.time() + super().now()


@contextmanager
def a_service(base_url: str, profile, *, timeout_s=GIVE_UP_S) -> Iterator[Service]:
    """The client, on a clock that does not wait."""
    with a_transport(base_url, token=TOKEN, timeout_s=timeout_s, clock=Sleepless()) as transport:
        yield Service(Endpoint(profile, transport, SETUP.account_id, PORTAL))


def write_tree(root: Path, files: dict[str, str]) -> None:
    """Make the content tree exactly these files."""
    for path in [path for path in root.rglob("*") if path.is_file()]:
        if path.relative_to(root).as_posix() not in files:
            path.unlink()
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8", newline="")


def write_config(
    folder: Path, sandbox: Sandbox, more: str = "", *, portal: str = PORTAL, profile: str = "chatwoot"
) -> None:
    """The settings of a project of two locales that hurries; `more` may begin with keys of [pace]."""
    service = f'base_url = "{sandbox.base_url}"\ntimeout_s = 600\nportal = "{portal}"\nprofile = "{profile}"\n'
    others = '[content]\nlocales = ["en", "fr"]\n[pace]\nrequests_per_minute = 1000000\n'
    (folder / "kbsync.toml").write_text(f"[service]\n{service}{others}{more}", "utf-8")


def without(files: dict[str, str], *paths: str) -> dict[str, str]:
    """These files but for some."""
    return {path: text for path, text in files.items() if path not in paths}


def a_category(slug: str, **keys: object) -> str:
    return _source({"name": slug.title(), "slug": slug} | keys)


def an_article(title: str, body: str = "Some words.", **keys: object) -> str:
    return _source({"title": title} | keys) + f"{body}\n"


def _source(keys: dict[str, object]) -> str:
    lines = (f"{name}: {value}" for name, value in keys.items())
    return "---\n" + "\n".join(lines) + "\n---\n"


@dataclass(slots=True)
class Pushed:
    """What came of a push; `error` ended it."""

    plan: Plan | None = None
    outcomes: list[Outcome] = field(default_factory=list)
    error: KbsyncError | None = None

    def of(self, slug: str, action: str = "") -> Outcome:
        """The one outcome of an item."""
        found = [o for o in self.outcomes if o.change.slug == slug and action in ("", o.change.action)]
        assert len(found) == 1, found
        return found[0]

    @property
    def words(self) -> set[str]:
        return {outcome.outcome for outcome in self.outcomes}

    @property
    def told(self) -> str:
        """Everything a report would say."""
        return "\n".join(f"{o.change.slug}: {o.outcome} {o.error} {o.hint}" for o in self.outcomes) + str(self.error)


@dataclass(slots=True)
class Project:
    """One content tree and one ledger, for one portal."""

    settings: Settings
    read_once: Reading | None = None
    opened: Workspace | None = None

    def read(self) -> Reading:
        """The tree, without errors; `read_once` spares it where it does not change."""
        reading = self.read_once or read_content(self.workspace())
        assert not reading.errors, reading.errors
        return reading

    @property
    def root(self) -> Path:
        return self.settings.content_root

    def but(self, **push: object) -> Project:
        """The same with another [push] table."""
        return Project(structs.replace(self.settings, push=structs.replace(self.settings.push, **push)))

    def with_profile(self, profile: str) -> Project:
        return Project(structs.replace(self.settings, service=structs.replace(self.settings.service, profile=profile)))

    def workspace(self) -> Workspace:
        if self.opened is None:
            self.opened = Workspace(self.settings, Session())
        return self.opened

    @contextmanager
    def ledger(self) -> Iterator[Ledger]:
        with closing(self.workspace().open_ledger()) as ledger:
            yield ledger

    @property
    def target(self) -> str:
        return self.workspace().target.key

    def plan(self, service: Service, **wishes: object) -> Plan:
        workspace, reading = self.workspace(), self.read()
        return make_plan(workspace, reading, service, read_ledger(workspace), PlanOptions(**wishes)).plan

    def push(
        self,
        service: Service,
        *,
        before_sending: Callable[[], None] = lambda: None,
        after_each: Callable[[Outcome], None] = lambda outcome: None,
        stopping: Callable[[], bool] = lambda: False,
        beat: Callable[[], bool] = lambda: True,
        clock: Callable[[], float] = time.time,
        ledger_of: Callable[[Ledger], Ledger] = lambda ledger: ledger,
        concurrency: int = 4,
        ends: bool = True,
        **wishes: object,
    ) -> Pushed:
        """As `kbsync push` does it, with places to step in between; `ends`: it lives to tell a ledger in git how."""
        workspace, reading = self.workspace(), self.read()
        pushed = Pushed()
        # Others see a ledger in git by commits, which only who has the lock makes.
        owner = structs.replace(NOBODY, pid=os.getpid(), started_at=time.time()) if workspace.has_git_ledger else NOBODY
        with self.ledger() as opened, held(opened, self.target, owner, ends=ends):
            try:
                record = recorded(workspace, opened)
                planned = make_plan(workspace, reading, service, record, PlanOptions(**wishes))
                opened.settle(self.target, planned.recovery.settled)
                pushed.plan = planned.plan
                before_sending()
                ledger = ledger_of(opened)
                number = ledger.begin_run(self.target, command="push", now=owner.started_at or 1.0)
                run = Run(ledger, number, clock, stopping, beat, owner)
                bases = {(b.kind, b.remote_id): b for b in (*planned.recovery.bases, *planned.plan.settled)}
                author = service.fetch_owner().id if service.profile.can("profile") else None
                body_of = partial(content_of, compiler=planned.reading.compiler, addresses=planned.addresses)
                sender = Sender(service, body_of, bases, author)
                for outcome in push(planned.plan, sender, run, concurrency=concurrency):
                    pushed.outcomes.append(outcome)
                    after_each(outcome)
                keep_written(workspace.memory, service, planned.portal)
                if owner is not NOBODY and ends:
                    ledger.end_run(number, outcome="done", now=time.time())
            except KbsyncError as exc:
                pushed.error = exc
        return pushed


@contextmanager
def held(ledger: Ledger, target: str, owner: Owner, *, ends: bool) -> Iterator[None]:
    """The lock of a ledger that needs it, taken from whoever did not give it back; that of nobody is none."""
    if owner is NOBODY:
        yield
        return
    if (dead := ledger.lock(target, owner, now=time.time())) is not None:
        assert ledger.lock(target, owner, now=time.time(), take_over=dead) is None
    try:
        yield
    finally:
        if ends:
            ledger.unlock(target, owner)


def a_project(folder: Path, base_url: str, files: dict[str, str], **push: object) -> Project:
    """A project in a folder of its own."""
    service = ServiceSettings(base_url=base_url, portal=PORTAL, account_id=SETUP.account_id)
    settings = Settings(
        folder / "kbsync.toml",
        service=service,
        content=ContentSettings(locales=["en", "fr"]),
        push=PushSettings(**({"max_removals": "100%"} | push)),
        authors={"ada": 1, "ghost": 99},
        ledger=LedgerSettings("sqlite:ledger.db"),
    )
    write_tree(settings.content_root, files)
    return Project(settings)


@contextmanager
def a_sandbox(folder: Path, behaviour: Behaviour | None = None) -> Iterator[Sandbox]:
    with running(folder / "sandbox.db", SETUP, behaviour) as sandbox:
        yield sandbox


@dataclass(slots=True)
class World:
    """A sandbox, a project and a client between them."""

    sandbox: Sandbox
    project: Project
    service: Service

    def push(self, **options: object) -> Pushed:
        return self.project.push(self.service, **options)

    def plan(self, **wishes: object) -> Plan:
        return self.project.plan(self.service, **wishes)

    def assert_settled(self, **wishes: object) -> None:
        """Nothing is left to do, to decide or to look up."""
        plan = self.plan(**wishes)
        assert (plan.changes, plan.held, self.pending()) == ((), (), [])

    def forget(self) -> None:
        """The next command comes from a clone that never pushed."""
        for path in self.project.settings.folder.glob("ledger.db*"):
            path.unlink()
        shutil.rmtree(self.project.settings.folder / ".kbsync", ignore_errors=True)

    def write(self, files: dict[str, str]) -> None:
        write_tree(self.project.root, files)

    def slugs(self) -> list[str]:
        return sorted(article.slug for article in self.sandbox.panel.articles(PORTAL))

    def undo(self, run: int) -> Pushed:
        """Reverse a run, as `kbsync undo RUN --yes` does it."""
        workspace, undone = self.project.workspace(), Pushed()
        with self.project.ledger() as ledger:
            target, entries = self.project.target, ledger.entries(run)
            bodies, bases = bodies_before(ledger, entries), ledger.bases(target)
            items = observe(workspace, self.service, [], bases, full=True).items or []
            undone.plan = build_undo(
                workspace.target, entries, items, bodies, bases, effects=self.service.profile.side_effects
            )
            known = {(base.kind, base.remote_id): base for base in bases}
            sender = Sender(self.service, lambda change, name: bodies[str(change.after[name])], known, 1)
            number = ledger.begin_run(target, command=f"undo {run}", now=2.0)
            record = Run(ledger, number, time.time, lambda: False, lambda: True)
            undone.outcomes = list(push(undone.plan, sender, record, concurrency=1))
        return undone

    def article(self, slug: str):
        found = self.sandbox.panel.article(slug)
        assert found is not None, slug
        return found

    def bases(self):
        with self.project.ledger() as ledger:
            return {base.slug: base for base in ledger.bases(self.project.target)}

    def pending(self):
        with self.project.ledger() as ledger:
            return ledger.pending(self.project.target)

    def sent(self, method: str) -> list[str]:
        """The paths of the requests of a method so far."""
        return [request.path for request in self.sandbox.requests if request.method == method]


@contextmanager
def a_world(folder: Path, files: dict[str, str], *, behaviour: Behaviour | None = None, **push: object):
    """All three, in a folder."""
    with a_sandbox(folder, behaviour) as sandbox:
        project = a_project(folder, sandbox.base_url, files, **push)
        with a_service(sandbox.base_url, project.workspace().profile) as service:
            yield World(sandbox, project, service)


@contextmanager
def a_pushed_world(folder: Path, files: dict[str, str], **options: object) -> Iterator[World]:
    """The same, and the portal has these files."""
    with a_world(folder, files, **options) as world:
        assert world.push().words == {"done"}
        yield world
